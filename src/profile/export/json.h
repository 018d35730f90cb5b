/* SPDX-License-Identifier: MIT */
#ifndef PMK_RECORDING_EXPORT_JSON_H
#define PMK_RECORDING_EXPORT_JSON_H

#include <stdio.h>

/* Writes a string of JSON. Invalid UTF-8 and control characters become U+FFFD. */
void pmk_export_json(FILE *f, const char *text);

#endif
