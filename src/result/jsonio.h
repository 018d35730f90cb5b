/* SPDX-License-Identifier: MIT */
/* JSON documents that are written piece by piece, one object per line, and the strings in them. */
#ifndef PMK_RESULT_JSONIO_H
#define PMK_RESULT_JSONIO_H

#include <stdio.h>

#include <json.h>

/* A string, or null for NULL. Bytes that are not UTF-8 become U+FFFD. */
json_object *pmk_json_string(const char *text);
/* Writes the next object of an array that has *n objects so far, on a line of its own; frees the
 * object. */
void pmk_json_put_object(FILE *f, unsigned *n, json_object *o);
/* Writes the members of an object without the braces around them; frees the object. */
void pmk_json_put_members(FILE *f, json_object *o);

#endif
