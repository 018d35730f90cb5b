// SPDX-License-Identifier: MIT
/*
 * A VCD, read as a stream. Supported:
 *
 *	header      $date $version $comment $timescale $scope $upscope $var $enddefinitions;
 *	            other sections ($attrbegin of GTKWave …) are skipped to their $end. Names with
 *	            and without a blank before their [range]. Several names of one identifier
 *	            code.
 *	changes     #time; 0 1 x z and VHDL's U W L H - before a code; b… r… s… with a blank
 *	            between; $dumpvars $dumpall $dumpon $dumpoff with their values inside or after
 *	            them; $comment anywhere. Any white space between any two words, CR LF included.
 *
 * Not supported: $dumpports (extended VCD, §18.3). pmk recognises an extended VCD by its ports,
 * whose sizes are ranges and whose codes are <0, <1 … fst2vcd writes ports, too, but with ordinary
 * sizes and codes.
 *
 * Speed. Nearly all of a dump consists of plain lines with one change each. So their ends are found
 * first, some hundred at a time (scan.h). Then the watched changes are found, in a loop without
 * branches that depend on lengths, on the kind of value or on whether a net is watched. Only these
 * changes are read one by one. Everything else takes the slower path, one word at a time. So do
 * lines that end with CR LF, and all lines of a dump that has codes of more than SHORT characters.
 * See bench/wave.
 */
#define _GNU_SOURCE
#include "producer/wave/vcd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "producer/wave/scan.h"

/* Size of the buffer at first, when it fits a level 2 cache. It grows up to LONGEST_WORD if a word
 * does not fit. */
#define BUFFER	     (256 * 1024)
#define LONGEST_WORD (16 * 1024 * 1024)
/* while no input comes, time between calls of the progress callback */
#define PATIENCE_MS  100

/* ---- counting lines ------------------------------------------------------------------------- */

void pmk_vcd_count_lines(struct wave_dump *v, const char *upto)
{
	if (upto <= v->counted)
		return;
	v->lines += pmk_wave_lines(v->counted, (size_t)(upto - v->counted));
	v->counted = (char *)(uintptr_t)upto;
}

void pmk_wave_vcd_place(struct wave_dump *v, uint64_t *offset, uint64_t *line)
{
	pmk_vcd_count_lines(v, v->at);
	*offset = v->base + (uint64_t)(v->at - v->buf);
	*line = v->lines + 1;
}

/* ---- the buffer ----------------------------------------------------------------------------- */

/* Doubles the buffer, keeping the `left` unread bytes at its front. */
static int grow_buffer(struct wave_dump *v, size_t left)
{
	size_t room = v->room ? 2 * v->room : BUFFER;
	char *bigger;

	if (room > LONGEST_WORD)
		return pmk_wave_dump_fail(v, PMK_EPARSE,
					  "%u MB without a line end: this is not "
					  "a VCD",
					  LONGEST_WORD >> 20);
	bigger = realloc(v->memory, WAVE_FRONT + room + WAVE_SLACK);
	if (!bigger)
		return pmk_wave_dump_no_memory(v);
	memset(bigger, '\n', WAVE_FRONT);
	v->memory = bigger;
	v->room = room;
	v->buf = v->at = v->counted = bigger + WAVE_FRONT;
	v->end = v->buf + left;
	return 0;
}

/* True if the whole file has been read; then it is too late to stop. */
static bool at_end(const struct wave_source *s)
{
	return s->size && !s->unpacked && s->taken >= s->size;
}

/*
 * Moves the unread text to the front of the buffer and reads more text after it. Returns 0, also at
 * the end.
 */
static int refill_buffer(struct wave_dump *v)
{
	size_t left = (size_t)(v->end - v->at);
	bool damaged;
	ssize_t n;
	int err;

	pmk_vcd_count_lines(v, v->at);
	v->base += (uint64_t)(v->at - v->buf);
	memmove(v->buf, v->at, left);
	v->at = v->counted = v->buf;
	v->end = v->buf + left;
	if (left == v->room && (err = grow_buffer(v, left)))
		return err;
	do {
		if (v->clockwork && !at_end(&v->source) &&
		    v->clockwork->progress(v->clockwork->ctx)) {
			v->stopped = true;
			return 0;
		}
		/*
		 * Waits are short, because a SIGINT that arrives just before a wait does not
		 * interrupt it.
		 */
		n = pmk_wave_source_read(&v->source, v->end, v->room - left, PATIENCE_MS);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	damaged = n <= 0 && pmk_wave_source_is_damaged(&v->source);
	v->eof = !n || damaged;
	if (damaged)
		return pmk_wave_dump_fail(v, PMK_EIO, "the %s file is damaged or truncated",
					  v->source.format);
	if (n < 0)
		return pmk_wave_dump_fail(v, PMK_EIO, "cannot be read: %s", strerror(errno));
	v->end += n;
	memset(v->end, 0, WAVE_SLACK);
	return 0;
}

/* Reads more text of the header. False at the end of the text or after an error. */
static bool more_header(struct wave_dump *v)
{
	return !v->eof && !refill_buffer(v) && !v->stopped;
}

/*
 * Returns the next word of the header; NULL at the end or after an error. The word is valid until
 * the next call. Until then, errors are reported at its position.
 */
static const char *next_word(struct wave_dump *v, size_t *length)
{
	size_t n = 0;

	v->at += v->word;
	v->word = 0;
	do {
		while (v->at < v->end && *v->at && vcd_is_blank(*v->at))
			v->at++;
	} while (v->at == v->end && more_header(v));
	if (v->at < v->end && !*v->at) {
		pmk_wave_dump_fail(v, PMK_EPARSE,
				   "this is neither VCD nor FST: it has a byte 0 in its header");
		return NULL;
	}
	do {
		while (v->at + n < v->end && !vcd_is_blank(v->at[n]))
			n++;
	} while (v->at + n == v->end && more_header(v));
	*length = v->word = n;
	return n && !v->error.code ? v->at : NULL;
}

/* ---- the header ----------------------------------------------------------------------------- */

/* Skips to the $end of a section. */
static int skip_section(struct wave_dump *v, const char *what)
{
	const char *w;
	size_t n;

	while ((w = next_word(v, &n)))
		if (vcd_is_word(w, n, "$end"))
			return 0;
	return pmk_wave_dump_fail(v, PMK_EPARSE, "the dump ends within %s; it may be cut off",
				  what);
}

/*
 * Copies the words up to $end into buf, with `gap` between them; text that does not fit is cut off.
 */
static int section_text(struct wave_dump *v, const char *what, const char *gap, char *buf,
			size_t size)
{
	size_t used = 0, n;
	const char *w;

	buf[0] = '\0';
	while ((w = next_word(v, &n))) {
		if (vcd_is_word(w, n, "$end"))
			return 0;
		used += (size_t)snprintf(buf + used, size - used, "%s%.*s", used ? gap : "",
					 n < size ? (int)n : (int)size, w);
		if (used >= size)
			used = size - 1;
	}
	return pmk_wave_dump_fail(v, PMK_EPARSE, "the dump ends within %s; it may be cut off",
				  what);
}

/*
 * Reads the timescale. It is only used to print times, so an unknown timescale is not an error:
 * times are then plain numbers.
 */
static int read_timescale(struct wave_dump *v)
{
	static const char *const units[] = { "s", "ms", "us", "ns", "ps", "fs" };
	char text[32];
	const char *rest = text;
	uint64_t scale = 0;
	int err = section_text(v, "$timescale", "", text, sizeof(text));

	if (err)
		return err;
	pmk_number_read(&rest, 10, &scale);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(rest, units[i]) == 0 && (scale == 1 || scale == 10 || scale == 100)) {
			v->unit = units[i];
			v->scale = (unsigned)scale;
		}
	}
	return 0;
}

static int read_scope(struct wave_dump *v, struct wave_scopes *s)
{
	char text[1024], *name;
	int err = section_text(v, "$scope", " ", text, sizeof(text));

	if (err)
		return err;
	name = strchr(text, ' '); /* the first word is the type: module, task … */
	if (!name)
		return pmk_wave_dump_fail(v, PMK_EPARSE, "a $scope without a name");
	return pmk_wave_dump_enter(v, s, name + 1);
}

static int read_upscope(struct wave_dump *v, struct wave_scopes *s)
{
	int err = pmk_wave_dump_leave(v, s);

	return err ? err : skip_section(v, "$upscope");
}

static uint8_t kind_of(const char *type, size_t n)
{
	if (vcd_is_word(type, n, "real") || vcd_is_word(type, n, "realtime") ||
	    vcd_is_word(type, n, "real_parameter") || vcd_is_word(type, n, "shortreal"))
		return PMK_WAVE_REAL;
	if (vcd_is_word(type, n, "string"))
		return PMK_WAVE_STRING;
	return vcd_is_word(type, n, "event") ? PMK_WAVE_EVENT : PMK_WAVE_BITS;
}

int pmk_vcd_refuse_extended(struct wave_dump *v, const char *word, size_t n)
{
	char buf[WAVE_SHOWN];

	return pmk_wave_dump_fail(v, PMK_EPARSE,
				  "'%s': extended VCD ($dumpports) is not supported; use $dumpvars",
				  pmk_wave_dump_shown(buf, word, n));
}

/* Reads "$var wire 32 ! haddr [31:0] $end". */
static int read_var(struct wave_dump *v, struct wave_scopes *scopes)
{
	struct pmk_wave_signal s = { .width = 0 };
	char text[4096], buf[WAVE_SHOWN];
	const char *w;
	bool port;
	size_t n;
	int err;

	w = next_word(v, &n);
	port = w && vcd_is_word(w, n, "port");
	if (w) {
		s.kind = kind_of(w, n);
		s.parameter = vcd_is_word(w, n, "parameter");
	}
	w = w ? next_word(v, &n) : NULL;
	if (port && w && *w == '[')
		return pmk_vcd_refuse_extended(v, w, n);
	if (w) {
		snprintf(text, sizeof(text), "%.*s", n < 20 ? (int)n : 20, w);
		if (pmk_unsigned_parse(text, 0, 1u << 24, &s.width) ||
		    (!s.width && s.kind == PMK_WAVE_BITS))
			return pmk_wave_dump_fail(v, PMK_EPARSE,
						  "'%s' is not a valid width of a $var",
						  pmk_wave_dump_shown(buf, w, n));
	}
	w = w ? next_word(v, &n) : NULL;
	if (w && vcd_is_word(w, n, "$end"))
		return pmk_wave_dump_fail(v, PMK_EPARSE, "a $var without a name");
	if (port && w && !v->nsignals && vcd_is_word(w, n, "<0"))
		return pmk_vcd_refuse_extended(v, w, n);
	if (w && (err = pmk_wave_dump_net(v, pmk_vcd_key(w, n), &s.net)))
		return err;
	if ((err = section_text(v, "$var", " ", text, sizeof(text))))
		return err;
	if (!*text)
		return pmk_wave_dump_fail(v, PMK_EPARSE, "a $var without a name");
	return pmk_wave_dump_signal(v, scopes, &s, text);
}

static int read_section(struct wave_dump *v, const char *w, size_t n, struct wave_scopes *scopes)
{
	char buf[WAVE_SHOWN];

	if (vcd_is_word(w, n, "$var"))
		return read_var(v, scopes);
	if (vcd_is_word(w, n, "$scope"))
		return read_scope(v, scopes);
	if (vcd_is_word(w, n, "$upscope"))
		return read_upscope(v, scopes);
	if (vcd_is_word(w, n, "$timescale"))
		return read_timescale(v);
	return skip_section(v, pmk_wave_dump_shown(buf, w, n));
}

static int read_sections(struct wave_dump *v, struct wave_scopes *scopes)
{
	const char *w;
	char buf[WAVE_SHOWN];
	bool first = true;
	int err = 0;
	size_t n;

	while (!err && (w = next_word(v, &n))) {
		if (vcd_is_word(w, n, "$enddefinitions"))
			return skip_section(v, "$enddefinitions");
		if (*w != '$' || vcd_is_word(w, n, "$end"))
			return first ? pmk_wave_dump_fail(
					       v, PMK_EPARSE,
					       "this is neither VCD nor FST: it begins with '%s'",
					       pmk_wave_dump_shown(buf, w, n))
				     : pmk_wave_dump_fail(
					       v, PMK_EPARSE,
					       "'%s' is not allowed before $enddefinitions",
					       pmk_wave_dump_shown(buf, w, n));
		first = false;
		err = read_section(v, w, n, scopes);
	}
	return err ? err
		   : pmk_wave_dump_fail(v, PMK_EPARSE,
					"the dump ends before $enddefinitions; it may be cut off");
}

int pmk_wave_vcd_header(struct wave_dump *v)
{
	struct wave_scopes scopes = { .depth = 0 };
	int err = grow_buffer(v, 0);

	if (!err)
		err = read_sections(v, &scopes);
	v->at += v->word;
	free(scopes.path);
	free(scopes.start);
	return err;
}

/* ---- the text after the header ------------------------------------------------------------- */

/* Reads all complete lines in the buffer. False if no more can be read. */
static bool read_buffer(struct wave_dump *v)
{
	char *last = memrchr(v->at, '\n', (size_t)(v->end - v->at));
	const char *p;
	char kept;

	if (!last)
		return true;
	kept = *++last;
	*last = '\0';
	p = pmk_vcd_read_changes(v, v->at, last);
	*last = kept;
	if (p)
		v->at = (char *)(uintptr_t)p;
	return p != NULL;
}

/*
 * Checks that the text is complete at its end. A last line without a line end may be cut off, so
 * it was not read, and this is an error.
 */
static int read_end(struct wave_dump *v)
{
	while (v->at < v->end && (*v->at == ' ' || *v->at == '\t' || *v->at == '\r'))
		v->at++;
	if (v->at < v->end)
		return pmk_wave_dump_fail(v, PMK_EPARSE,
					  "the dump ends within a line; it may be cut off");
	if (v->comment || v->block)
		return pmk_wave_dump_fail(
			v, PMK_EPARSE,
			"the dump ends within %s: there is no $end; it may be cut off",
			v->comment ? "a comment" : "a block of values, such as $dumpvars");
	return 0;
}

void pmk_wave_vcd_changes(struct wave_dump *v)
{
	int err = pmk_vcd_list_codes(v);

	while (!err && read_buffer(v) && !v->eof && !v->stopped)
		err = refill_buffer(v);
	/* The text before the damage of a compressed file is used. */
	if (err && v->eof)
		read_buffer(v);
	if (!v->error.code && !v->stopped)
		read_end(v);
}
