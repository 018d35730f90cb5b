/* SPDX-License-Identifier: MIT */
/*
 * Minimum and maximum of two numbers. fmin() and fmax() are in libm, which the command would
 * otherwise have to load on every start.
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
