// SPDX-License-Identifier: MIT
/*
 * The protocol buffer of pprof, profile.proto of github.com/google/pprof, not compressed: pprof
 * reads it either way. A sample is an instruction in one call path, with all events. A location is
 * an instruction, or a function of a call path if the instruction is unknown.
 *
 * The format uses two kinds of fields, each with a key: numbers, and bytes with a length.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/message.h"
#include "base/printable.h"
#include "profile/recording/choose.h"
#include "profile/export/export.h"
#include "profile/export/tree.h"

struct bytes {
	uint8_t *byte;
	size_t n, room;
	bool failed; /* out of memory */
};

/* Field numbers of the messages. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14
};
enum { TYPE_NAME = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2 };
enum {
	MAPPING_ID = 1,
	MAPPING_LIMIT = 3,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINED = 10
};
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYMBOL = 3,
	FUNCTION_FILE = 4,
	FUNCTION_LINE = 5
};

struct writer {
	const struct pmk_export *x;
	const struct pmk_tables *t;
	struct bytes out;
	struct bytes stack, values, message, line; /* parts of the current message */
	uint64_t strings;			   /* number of strings so far */
	uint64_t *value;			   /* [event]: the counts of the current sample */
	/* place of the current sample; code NONE: there is none yet */
	uint32_t code, context;
	bool *used; /* [function]: the function has a location */
};

/* ---- bytes ---------------------------------------------------------------------------------- */

static void bytes_put(struct bytes *b, const void *from, size_t n)
{
	if (!n)
		return;
	if (b->room - b->n < n) {
		size_t room = 2 * (b->room + n) + 256;
		uint8_t *byte = realloc(b->byte, room);

		if (!byte) {
			b->failed = true;
			return;
		}
		b->byte = byte;
		b->room = room;
	}
	memcpy(b->byte + b->n, from, n);
	b->n += n;
}

static void put_varint(struct bytes *b, uint64_t v)
{
	uint8_t byte[10];
	size_t n = 0;

	do {
		byte[n++] = (uint8_t)(v & 127) | (v > 127 ? 128 : 0);
		v >>= 7;
	} while (v);
	bytes_put(b, byte, n);
}

/* Writes a number. A value of 0 is omitted, because it is the default. */
static void put_number(struct bytes *b, unsigned field, uint64_t v)
{
	if (!v)
		return;
	put_varint(b, field << 3);
	put_varint(b, v);
}

static void put_block(struct bytes *b, unsigned field, const void *from, size_t n)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, n);
	bytes_put(b, from, n);
}

/* Moves a message into another as a field. */
static void put_message(struct bytes *b, unsigned field, struct bytes *inner)
{
	put_block(b, field, inner->byte, inner->n);
	b->failed |= inner->failed;
	inner->n = 0;
}

/* Adds a string to the table and returns its number. Strings must be UTF-8. */
static uint64_t put_string(struct writer *w, const char *text)
{
	size_t left = strlen(text), n;

	w->line.n = 0;
	for (; left; text += n, left -= n) {
		n = pmk_printable_length((const uint8_t *)text, left);
		bytes_put(&w->line, n ? text : "?", n ? n : 1);
		n = n ? n : 1;
	}
	put_message(&w->out, PROFILE_STRING, &w->line);
	return w->strings++;
}

/* ---- numbers of functions and locations ----------------------------------------------------- */

static uint64_t function_id(const struct writer *w, uint32_t function)
{
	return w->t->function[function].same + UINT64_C(1);
}

static uint64_t inlined_id(const struct writer *w, uint32_t inlined)
{
	return w->t->nfunctions + w->t->inlined[inlined].same + UINT64_C(1);
}

static uint64_t unnamed_id(const struct writer *w, uint32_t object)
{
	return w->t->nfunctions + w->t->ninlined +
	       (object == PMK_TABLES_NONE ? w->t->nobjects : object) + UINT64_C(1);
}

static uint64_t code_location(uint32_t code)
{
	return code + UINT64_C(1);
}

static uint64_t function_location(const struct writer *w, uint32_t function)
{
	return w->t->ncodes + function + UINT64_C(1);
}

/* ---- samples -------------------------------------------------------------------------------- */

static void on_frame(void *ctx, uint32_t code, uint32_t function)
{
	struct writer *w = ctx;

	if (code != PMK_TABLES_NONE) {
		put_varint(&w->stack, code_location(code));
		return;
	}
	put_varint(&w->stack, function_location(w, function));
	w->used[function] = true;
}

static void end_sample(struct writer *w)
{
	if (w->code == PMK_TABLES_NONE)
		return;
	pmk_export_path(w->t, w->code, w->context, on_frame, w);
	for (size_t i = 0; i < w->x->nevents; i++)
		put_varint(&w->values, w->value[i]);
	put_message(&w->message, SAMPLE_LOCATION, &w->stack);
	put_message(&w->message, SAMPLE_VALUE, &w->values);
	put_message(&w->out, PROFILE_SAMPLE, &w->message);
	memset(w->value, 0, w->x->nevents * sizeof(*w->value));
	w->code = PMK_TABLES_NONE;
}

static int on_count(void *ctx, const struct pmk_tables_count *row)
{
	struct writer *w = ctx;

	if (row->code != w->code || row->context != w->context)
		end_sample(w);
	w->code = row->code;
	w->context = row->context;
	w->value[row->slot] += row->value;
	return w->out.failed ? PMK_ENOMEM : 0;
}

/* ---- what samples refer to ------------------------------------------------------------------ */

static bool is_cycles(const struct pmk_tables *t, uint32_t event)
{
	return event != PMK_TABLES_EXECUTIONS && pmk_tables_event_is(&t->event[event], "cycles");
}

/* Writes the types of the values. pprof shows the default type, which is cycles, or else the first
 * event. */
static void write_types(struct writer *w)
{
	uint64_t unit = put_string(w, "count"), shown = 0;
	char text[1000];

	for (size_t i = 0; i < w->x->nevents; i++) {
		uint64_t name = put_string(w, pmk_tables_event_name(w->t, w->x->event[i]));

		put_number(&w->message, TYPE_NAME, name);
		put_number(&w->message, TYPE_UNIT, unit);
		put_message(&w->out, PROFILE_SAMPLE_TYPE, &w->message);
		if (!shown || is_cycles(w->t, w->x->event[i]))
			shown = name;
	}
	put_number(&w->out, PROFILE_DEFAULT_TYPE, shown);
	put_number(&w->out, PROFILE_COMMENT, put_string(w, w->t->command));
	put_number(&w->out, PROFILE_COMMENT, put_string(w, w->x->creator));
	for (size_t i = 0; i < w->x->nremarks; i++) {
		snprintf(text, sizeof(text), "%s: %s", w->x->remark[i].name, w->x->remark[i].text);
		put_number(&w->out, PROFILE_COMMENT, put_string(w, text));
	}
}

/* True if the object is the program of the command line. */
static bool is_program(const struct pmk_tables *t, size_t object)
{
	const char *path = t->object[object].path, *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t n = strcspn(t->command, " "), length = strlen(name);

	return length && length <= n && !strncmp(t->command + n - length, name, length) &&
	       (length == n || t->command[n - length - 1] == '/');
}

static void write_mapping(struct writer *w, size_t object)
{
	const struct pmk_tables_object *o = &w->t->object[object];
	uint64_t path = put_string(w, o->path),
		 build_id = o->build_id ? put_string(w, o->build_id) : 0;

	put_number(&w->message, MAPPING_ID, object + 1);
	put_number(&w->message, MAPPING_LIMIT, INT64_MAX);
	put_number(&w->message, MAPPING_FILE, path);
	put_number(&w->message, MAPPING_BUILD_ID, build_id);
	for (unsigned has = MAPPING_HAS_FUNCTIONS; has <= MAPPING_HAS_INLINED; has++)
		put_number(&w->message, has, 1);
	put_message(&w->out, PROFILE_MAPPING, &w->message);
}

/* Writes the mappings, with the program's first, because pprof assumes that the first mapping is
 * the program. */
static void write_mappings(struct writer *w)
{
	size_t n = w->t->nobjects, program = 0;

	while (program < n && !is_program(w->t, program))
		program++;
	if (program < n)
		write_mapping(w, program);
	for (size_t i = 0; i < n; i++)
		if (i != program)
			write_mapping(w, i);
}

static void write_line(struct writer *w, uint64_t function, uint32_t number_of_line)
{
	put_number(&w->line, LINE_FUNCTION, function);
	put_number(&w->line, LINE_LINE, number_of_line);
	put_message(&w->message, LOCATION_LINE, &w->line);
}

/*
 * Writes an instruction: a line for the innermost function, then one for each function that it was
 * inlined into.
 */
static void write_code(struct writer *w, uint32_t i)
{
	const struct pmk_tables_code *k = &w->t->code[i];
	uint32_t at = k->line;

	put_number(&w->message, LOCATION_ID, code_location(i));
	put_number(&w->message, LOCATION_MAPPING,
		   k->object == PMK_TABLES_NONE ? 0 : k->object + UINT64_C(1));
	put_number(&w->message, LOCATION_ADDRESS, k->address);
	w->line.n = 0;
	for (uint32_t in = k->inlined; in != PMK_TABLES_NONE; in = w->t->inlined[in].parent) {
		write_line(w, inlined_id(w, in), at);
		at = w->t->inlined[in].line;
	}
	write_line(w,
		   k->function == PMK_TABLES_NONE ? unnamed_id(w, k->object)
						  : function_id(w, k->function),
		   at);
	put_message(&w->out, PROFILE_LOCATION, &w->message);
}

static void write_locations(struct writer *w)
{
	for (uint32_t i = 0; i < w->t->ncodes; i++)
		write_code(w, i);
	for (uint32_t i = 0; i < w->t->nfunctions; i++) {
		const struct pmk_tables_function *f = &w->t->function[i];

		if (!w->used[i])
			continue;
		put_number(&w->message, LOCATION_ID, function_location(w, i));
		put_number(&w->message, LOCATION_MAPPING,
			   f->object == PMK_TABLES_NONE ? 0 : f->object + UINT64_C(1));
		write_line(w, function_id(w, i), f->line);
		put_message(&w->out, PROFILE_LOCATION, &w->message);
	}
}

static void write_function(struct writer *w, uint64_t id, const char *name, const char *symbol,
			   uint32_t file, uint32_t first_line)
{
	uint64_t name_number = put_string(w, name),
		 symbol_number = symbol ? put_string(w, symbol) : 0,
		 file_number = file == PMK_TABLES_NONE ? 0 : put_string(w, w->t->file[file].path);

	put_number(&w->message, FUNCTION_ID, id);
	put_number(&w->message, FUNCTION_NAME, name_number);
	put_number(&w->message, FUNCTION_SYMBOL, symbol_number ? symbol_number : name_number);
	put_number(&w->message, FUNCTION_FILE, file_number);
	put_number(&w->message, FUNCTION_LINE, first_line);
	put_message(&w->out, PROFILE_FUNCTION, &w->message);
}

static void write_functions(struct writer *w)
{
	const struct pmk_tables *t = w->t;
	char text[300];

	for (uint32_t i = 0; i < t->nfunctions; i++)
		if (t->function[i].same == i)
			write_function(w, function_id(w, i), t->function[i].name,
				       t->function[i].symbol, t->function[i].file,
				       t->function[i].line);
	for (uint32_t i = 0; i < t->ninlined; i++)
		if (t->inlined[i].same == i)
			write_function(w, inlined_id(w, i), t->inlined[i].name,
				       t->inlined[i].symbol, t->inlined[i].code_file, 0);
	for (uint32_t i = 0; i <= t->nobjects; i++) {
		uint32_t object = i < t->nobjects ? i : PMK_TABLES_NONE;

		pmk_tables_unnamed(t, object, text, sizeof(text));
		write_function(w, unnamed_id(w, object), text, NULL, PMK_TABLES_NONE, 0);
	}
}

int pmk_export_pprof(const struct pmk_export *x, char *msg, size_t size)
{
	struct writer w = { .x = x, .t = x->t, .code = PMK_TABLES_NONE };
	int err = 0;

	w.value = calloc(x->nevents + 1, sizeof(*w.value));
	w.used = calloc(x->t->nfunctions + 1, sizeof(*w.used));
	if (!w.value || !w.used)
		err = PMK_ENOMEM;
	if (!err) {
		put_string(&w, ""); /* number 0 must be the empty string */
		write_types(&w);
		err = pmk_tables_counts(x->t, x->event, x->nevents, on_count, &w, msg, size);
	}
	if (!err) {
		end_sample(&w);
		write_mappings(&w);
		write_locations(&w);
		write_functions(&w);
		err = w.out.failed ? PMK_ENOMEM : 0;
	}
	if (!err)
		fwrite(w.out.byte, 1, w.out.n, x->f);
	free(w.value);
	free(w.used);
	free(w.out.byte);
	free(w.stack.byte);
	free(w.values.byte);
	free(w.message.byte);
	free(w.line.byte);
	if (err == PMK_ENOMEM)
		pmk_message_no_memory(msg, size, NULL);
	return err;
}
