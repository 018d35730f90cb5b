/* SPDX-License-Identifier: MIT */
/* Writes text without a libc, for reports. */
#ifndef PMK_TARGET_TEXT_H
#define PMK_TARGET_TEXT_H

#include <pmk/target.h>

void pmk_text(pmk_put *put, const char *text);
/*
 * Writes value / 10^decimals, right-aligned in `width` columns, with `decimals` digits (0 … 3)
 * after the point.
 */
void pmk_text_number(pmk_put *put, uint64_t value, unsigned decimals, unsigned width);
/* Writes the text right-aligned in `width` columns. */
void pmk_text_right(pmk_put *put, const char *text, unsigned width);

#endif
