/* SPDX-License-Identifier: MIT */
/*
 * Minimum and maximum of two numbers. pmk does not use fmin() and fmax(), because it would have to
 * load libm on every start.
 */
#ifndef PMK_BASE_MINMAX_H
#define PMK_BASE_MINMAX_H

static inline double pmk_min(double a, double b)
{
	return b < a ? b : a;
}

static inline double pmk_max(double a, double b)
{
	return b > a ? b : a;
}

#endif
