/* SPDX-License-Identifier: MIT */
/* Writes JSON documents piece by piece, one object per line, and the strings in them. */
#ifndef PMK_RESULT_JSONIO_H
#define PMK_RESULT_JSONIO_H

#include <stdio.h>

#include <json.h>

#include <pmk/result.h>

/* Makes a string, or null for NULL. Bytes that are not UTF-8 become U+FFFD. */
json_object *pmk_json_string(const char *text);
/* Makes a number with this many decimals; null if it is not finite. */
json_object *pmk_json_decimal(double v, int decimals);
/* Makes the code of an event, "0x0b". */
json_object *pmk_json_code(const struct pmk_event *ev);
/* Makes the latency of an event that a latency counter timed; null for other events. */
json_object *pmk_json_latency(const struct pmk_result *r, const struct pmk_row *row);
/* Adds a member. */
void pmk_json_add(json_object *o, const char *key, json_object *value);
void pmk_json_text(json_object *o, const char *key, const char *text);
void pmk_json_count(json_object *o, const char *key, uint64_t value);
/* Makes the beginning of a document: {"format":…,"version":1}. */
json_object *pmk_json_document(const char *format);
/* Writes the document, indented. */
void pmk_json_put_document(FILE *f, json_object *o);
/* Writes the object in one line of JSON; frees the object. */
void pmk_json_put_record(FILE *f, json_object *o);
/* Writes the object with perf's spacing, on a separate line; frees the object. */
void pmk_json_put_line(FILE *f, json_object *o);
/* Writes the next object of an array that has *n objects so far, on a separate line; frees the
 * object. */
void pmk_json_put_object(FILE *f, unsigned *n, json_object *o);
/* Writes the members of an object without the braces around them; frees the object. */
void pmk_json_put_members(FILE *f, json_object *o);

#endif
