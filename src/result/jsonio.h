/* SPDX-License-Identifier: MIT */
/* Documents of JSON that are written piece by piece, one object a line, and the strings in them. */
#ifndef PMK_RESULT_JSONIO_H
#define PMK_RESULT_JSONIO_H

#include <stdio.h>

#include <json.h>

/* A string, or null for NULL. What is not UTF-8 becomes U+FFFD. */
json_object *pmk_json_string(const char *text);
/* The next object of an array of which there are *n so far, on a line of its own; frees it. */
void pmk_json_put_object(FILE *f, unsigned *n, json_object *o);
/* The members of an object without the braces around them; frees it. */
void pmk_json_put_members(FILE *f, json_object *o);

#endif
