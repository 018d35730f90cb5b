/* SPDX-License-Identifier: MIT */
#ifndef PMK_RECORDING_EXPORT_JSON_H
#define PMK_RECORDING_EXPORT_JSON_H

#include <stdio.h>

/* Write a string of JSON. Bytes that are not UTF-8, and control characters, become U+FFFD. */
void pmk_export_json(FILE *f, const char *text);

#endif
