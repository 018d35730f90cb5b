// SPDX-License-Identifier: MIT
/*
 * OpenOCD's Tcl port: a command and its reply each end with the byte 0x1a. A reply has no status,
 * and the text of an error may be missing in it, because it went to the log. So every command is
 * executed inside "catch" and "capture", and the reply has three parts on separate lines: Tcl's
 * return code, the command's result, and the log output.
 */
#include "producer/wire/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#define END	  0x1a
#define MAX_REPLY 16384
#define HALT_MS	  1000 /* how long OpenOCD waits until the target is halted */

#define NONE_IS_LEFT "resource not available" /* OpenOCD's words: no breakpoint is left */

/* Store a reply as text. A reply that does not fit cannot be the reply to pmk's request. */
static int receive_reply(struct pmk_wire *w, char *reply, size_t size)
{
	double deadline = pmk_link_deadline(&w->link);
	size_t n = 0;

	for (;;) {
		int c = pmk_link_byte(&w->link, deadline);

		if (c < 0)
			return c;
		if (c == END)
			break;
		if (n == size - 1 || !c)
			return pmk_link_lose(&w->link,
					     "the reply is not text from OpenOCD's Tcl port; "
					     "check the port (usually 6666)");
		reply[n++] = (char)c;
	}
	reply[n] = '\0';
	return 0;
}

/* Returns the part of an error that the user needs: the last non-empty line, which names the cause,
 * without the log's "Error: ". */
static const char *last_line(char *text)
{
	char *line;
	size_t n = strlen(text);

	while (n && strchr(" \r\n", text[n - 1]))
		text[--n] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	return strncmp(line, "Error: ", 7) == 0 ? line + 7 : line;
}

static int run_command(struct pmk_wire *w, const char *command, char *said, size_t size)
{
	char text[640], reply[MAX_REPLY], *value, *log;
	int n = snprintf(text, sizeof(text),
			 "set ::pmk_value {}; set pmk_code [catch {capture {set ::pmk_value "
			 "[%s]}} pmk_log]; format \"%%d\\n%%s\\n%%s\" $pmk_code $::pmk_value "
			 "$pmk_log%c",
			 command, END);
	int err;

	if (n < 0 || (size_t)n >= sizeof(text))
		return PMK_ERANGE;
	err = pmk_link_send(&w->link, text, (size_t)n);
	if (!err)
		err = receive_reply(w, reply, sizeof(reply));
	if (err)
		return err;
	value = strchr(reply, '\n');
	log = value ? strchr(value + 1, '\n') : NULL;
	if (!log)
		return pmk_link_lose(&w->link, "'%.80s' is not a reply from OpenOCD's Tcl port",
				     reply);
	*value++ = '\0';
	if (strcmp(reply, "0") != 0)
		return pmk_link_fail(&w->link, PMK_EIO, "OpenOCD could not execute '%s': %.300s",
				     command, last_line(value));
	/* Some commands return their output; other commands log it. */
	*log++ = '\0';
	snprintf(said, size, "%s", *value ? value : log);
	return 0;
}

static int greet_server(struct pmk_wire *w)
{
	char said[1024];
	int err = run_command(w, "version", said, sizeof(said));

	if (!err && !strstr(said, "On-Chip Debugger"))
		err = pmk_link_lose(
			&w->link,
			"it replied '%.80s', so it is not OpenOCD; check the port (usually 6666)",
			said);
	if (!err)
		err = run_command(w, "[target current] curstate", said, sizeof(said));
	/* Scan chains can be used without a target. */
	w->found_halted = w->held = !err && strncmp(said, "halted", 6) == 0;
	return pmk_wire_lost(w) ? PMK_EIO : 0;
}

static int halt_target(struct pmk_wire *w)
{
	char text[32], said[1024];
	int err;

	snprintf(text, sizeof(text), "halt %d", HALT_MS);
	err = run_command(w, text, said, sizeof(said));
	if (!err)
		err = run_command(w, "[target current] curstate", said, sizeof(said));
	if (!err && strncmp(said, "halted", 6) != 0)
		err = pmk_link_fail(&w->link, PMK_EBUSY,
				    "the target does not halt: its state is '%.40s'", said);
	return err;
}

static int resume_target(struct pmk_wire *w)
{
	char said[1024];

	return run_command(w, "resume", said, sizeof(said));
}

static int load_word(struct pmk_wire *w, uint64_t address, uint32_t *value)
{
	char text[64], said[1024];
	int err;

	snprintf(text, sizeof(text), "mdw 0x%" PRIx64, address);
	err = run_command(w, text, said, sizeof(said));
	if (!err && !pmk_wire_dumped(said, address, value))
		err = pmk_link_fail(&w->link, PMK_EIO, "'%s' gave '%.200s' instead of a word", text,
				    last_line(said));
	return err;
}

static int store_word(struct pmk_wire *w, uint64_t address, uint32_t value)
{
	char text[64], said[1024];

	snprintf(text, sizeof(text), "mww 0x%" PRIx64 " 0x%08" PRIx32, address, value);
	return run_command(w, text, said, sizeof(said));
}

/* ---- breakpoints ----------------------------------------------------------------------------- */

/* Fail if the target is not a processor. A target can be only memory, and OpenOCD 0.12 crashes if
 * it is asked for a breakpoint there. */
static int check_processor(struct pmk_wire *w)
{
	char said[256];
	int err = run_command(w, "[target current] cget -type", said, sizeof(said));

	if (!err && strncmp(said, "mem_ap", 6) == 0)
		err = pmk_link_fail(&w->link, PMK_ENOTSUP,
				    "the current target is an access port (mem_ap), and has no "
				    "breakpoints; make the processor the current one ('targets')");
	return err;
}

/* Set or remove a breakpoint of four bytes, for an instruction of ARM or A64. */
static int set_breakpoint(struct pmk_wire *w, uint64_t address, bool set)
{
	char text[64], said[1024];
	int err = set ? check_processor(w) : 0;

	if (err)
		return err;
	snprintf(text, sizeof(text), set ? "bp 0x%" PRIx64 " 4 hw" : "rbp 0x%" PRIx64, address);
	err = run_command(w, text, said, sizeof(said));
	if (err == PMK_EIO && strstr(w->link.why, NONE_IS_LEFT))
		err = pmk_link_fail(&w->link, PMK_EBUSY,
				    "no hardware breakpoint is left for 0x%" PRIx64 " ('bp' "
				    "lists those that are set, 'rbp' removes one)",
				    address);
	w->has_breakpoint = set && !err;
	w->breakpoint = address;
	return err;
}

static int look_for_halt(struct pmk_wire *w)
{
	uint64_t pc;
	bool stray;
	int err = pmk_wire_find_place(w, &stray, &pc);

	return !err && stray ? pmk_wire_stray_halt(w, pc) : err;
}

/* Halts the target, and checks whether it had just reached the breakpoint. */
static int halt_somewhere(struct pmk_wire *w)
{
	uint64_t pc;
	bool stray;
	int err = halt_target(w);

	return !err && w->has_breakpoint ? pmk_wire_find_place(w, &stray, &pc) : err;
}

/* Writes the scan chain as "t.cpu 0x07b76f0f with 5 bits, …". The data come from the table that
 * OpenOCD's scan_chain prints, with the columns number, name, enabled, IDCODE, expected IDCODE,
 * IR length … */
static int describe_chain(struct pmk_wire *w, char *text, size_t size)
{
	char said[4096], name[64], code[24], *save = NULL;
	unsigned bits, number;
	size_t n = 0;
	/* Replace line ends by semicolons, because a result must be one line. */
	int err =
		run_command(w, "string map [list \"\\n\" \";\"] [scan_chain]", said, sizeof(said));

	*text = '\0';
	for (char *line = err ? NULL : strtok_r(said, "\n;", &save); line && n < size;
	     line = strtok_r(NULL, "\n;", &save))
		if (sscanf(line, " %u %63s %*s %23s %*s %u", &number, name, code, &bits) == 4)
			n += (size_t)snprintf(text + n, size - n, "%s%s %s with %u bits",
					      n ? ", " : "", name, code, bits);
	return err;
}

const struct pmk_speaker pmk_speaker_openocd = {
	.name = "openocd",
	.greet = greet_server,
	.halt = halt_somewhere,
	.resume = resume_target,
	.load = load_word,
	.store = store_word,
	.command = run_command,
	.chain = describe_chain,
	.breakpoint = set_breakpoint,
	.look = look_for_halt,
};
