/* SPDX-License-Identifier: MIT */
/* The lesser and the greater of two numbers. fmin() and fmax() are in a library of their own, which
 * the command would load for nothing else whenever it starts. */
#ifndef PMK_BASE_LEAST_H
#define PMK_BASE_LEAST_H

static inline double pmk_least(double a, double b)
{
	return b < a ? b : a;
}

static inline double pmk_most(double a, double b)
{
	return b > a ? b : a;
}

#endif
