// SPDX-License-Identifier: MIT
/* See wire.h. */
#include "producer/wire/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pmk/error.h>

#include "base/clock.h"
#include "base/number.h"

int pmk_wire_open(struct pmk_wire *w, const struct pmk_speaker *speaker, const char *where,
		  unsigned patience_ms, const char *sysfs)
{
	int err;

	memset(w, 0, sizeof(*w));
	w->speaker = speaker;
	w->link.patience_ms = patience_ms;
	err = speaker->open ? speaker->open(w, where, sysfs)
			    : pmk_link_open(&w->link, speaker->name, where, patience_ms);
	if (!err && speaker->greet)
		err = speaker->greet(w);
	w->held_since = pmk_seconds();
	return err;
}

void pmk_wire_close(struct pmk_wire *w)
{
	if (!w->speaker)
		return;
	if (!w->found_halted)
		pmk_wire_let_go(w);
	else if (!w->held && !pmk_wire_lost(w))
		w->speaker->halt(w);
	if (!pmk_wire_lost(w) && w->speaker->leave)
		w->speaker->leave(w);
	if (w->speaker->forget)
		w->speaker->forget(w);
	pmk_link_leave(&w->link, 1);
}

bool pmk_wire_lost(const struct pmk_wire *w)
{
	return w->link.fd < 0;
}

/* ---- halting --------------------------------------------------------------------------------- */

static void note_hold(struct pmk_wire *w)
{
	w->held = true;
	w->held_since = pmk_seconds();
	w->nholds++;
}

int pmk_wire_hold(struct pmk_wire *w)
{
	int err;

	if (w->held || !w->halts)
		return pmk_wire_lost(w) ? PMK_EIO : 0;
	err = w->speaker->halt(w);
	if (!err)
		note_hold(w);
	return err;
}

int pmk_wire_let_go(struct pmk_wire *w)
{
	double held;
	int err;

	if (!w->held)
		return 0;
	err = w->speaker->resume(w);
	w->held = w->stopped = false;
	held = pmk_seconds() - w->held_since;
	w->held_seconds += held;
	if (held > w->held_longest)
		w->held_longest = held;
	return err;
}

int pmk_wire_look(struct pmk_wire *w)
{
	int err = w->held ? 0 : w->speaker->look(w);

	if (!err && w->stopped && !w->held)
		note_hold(w);
	return err;
}

double pmk_wire_clock(const struct pmk_wire *w)
{
	return (w->held ? w->held_since : pmk_seconds()) - w->held_seconds;
}

/* ---- parsing replies ------------------------------------------------------------------------- */

bool pmk_wire_number(const char *text, unsigned base, uint32_t *value)
{
	static const char blanks[] = " \t\r\n";
	uint64_t v;

	text += strspn(text, blanks);
	if (!strncmp(text, "0x", 2))
		base = PMK_ANY_BASE;
	if (pmk_number_read(&text, base, &v) || text[strspn(text, blanks)] || v > UINT32_MAX)
		return false;
	*value = (uint32_t)v;
	return true;
}

/* Lines of the probe's log may be before and after the dump. */
bool pmk_wire_dumped(const char *text, uint64_t address, uint32_t *value)
{
	while (text && *text) {
		const char *line = text, *next = strchr(text, '\n');
		const char *end = line;
		uint64_t where;
		char word[9];
		size_t n;

		text = next ? next + 1 : NULL;
		if (strncmp(line, "0x", 2) != 0)
			continue;
		if (pmk_number_read(&end, PMK_ANY_BASE, &where) || where != address || *end != ':')
			continue;
		end += 1 + strspn(end + 1, " ");
		n = strcspn(end, " \r\n");
		if (n != 8)
			return false;
		memcpy(word, end, n);
		word[n] = '\0';
		return pmk_wire_number(word, 16, value);
	}
	return false;
}

/* ---- where a processor halted, through OpenOCD ----------------------------------------------- */

#define HALTED "pmk_halted"

/* A command that returns the state of a target that may run, or "pmk_halted pc (/32): 0x00008000".
 * "poll" asks the target now; OpenOCD does so itself ten times a second. */
#define WHERE                                                                             \
	"poll; set pmk_state [[target current] curstate]; if {$pmk_state eq \"halted\"} " \
	"{set pmk_state \"" HALTED " [reg pc]\"}; set pmk_state"

/* Read the program counter from "pc (/32): 0x00008000". */
static bool program_counter(const char *said, uint64_t *pc)
{
	const char *value = strstr(said, "): 0x");

	if (!value)
		return false;
	value += strlen("): 0x");
	return pmk_number_read(&value, 16, pc) != PMK_EPARSE;
}

int pmk_wire_find_place(struct pmk_wire *w, bool *stray, uint64_t *pc)
{
	char said[1024];
	int err = w->speaker->command(w, WHERE, said, sizeof(said));
	/* A stub may print lines of its log before the state. */
	const char *state = err ? NULL : strstr(said, HALTED);

	if (state && !program_counter(state, pc)) {
		err = pmk_link_fail(&w->link, PMK_EIO, "'reg pc' gave '%.100s' instead of a number",
				    state + strlen(HALTED));
		state = NULL;
	}
	w->stopped = state && w->has_breakpoint && *pc == w->breakpoint;
	*stray = state && !w->stopped;
	return err;
}

int pmk_wire_stray_halt(struct pmk_wire *w, uint64_t pc)
{
	return pmk_link_fail(&w->link, PMK_EBUSY,
			     "the target halted at 0x%" PRIx64
			     ", where pmk has no breakpoint; is another debugger connected?",
			     pc);
}

/* ---- coprocessor 15 -------------------------------------------------------------------------- */

/* Returns the code of MRC or MCR p15, 0, R0, … */
static uint32_t coprocessor_instruction(uint32_t mrc, unsigned crn, unsigned crm, unsigned op2)
{
	return 0xee000f10 | mrc | crn << 16 | op2 << 5 | crm;
}

int pmk_wire_mrc(struct pmk_wire *w, unsigned crn, unsigned crm, unsigned op2, uint32_t *value)
{
	char command[64], said[256];
	int err;

	if (w->speaker->transfer)
		return w->speaker->transfer(
			w, coprocessor_instruction(PMK_ARM11_MRC, crn, crm, op2), value);
	snprintf(command, sizeof(command), "arm mrc 15 0 %u %u %u", crn, crm, op2);
	err = w->speaker->command(w, command, said, sizeof(said));
	if (!err && !pmk_wire_number(said, 0, value))
		err = pmk_link_fail(&w->link, PMK_EIO, "'%s' gave '%.200s' instead of a number",
				    command, said);
	return err;
}

int pmk_wire_mcr(struct pmk_wire *w, unsigned crn, unsigned crm, unsigned op2, uint32_t value)
{
	char command[64], said[256];
	int err;

	if (w->speaker->transfer)
		return w->speaker->transfer(w, coprocessor_instruction(0, crn, crm, op2), &value);
	snprintf(command, sizeof(command), "arm mcr 15 0 %u %u %u 0x%08" PRIx32, crn, crm, op2,
		 value);
	err = w->speaker->command(w, command, said, sizeof(said));
	if (!err && said[strspn(said, " \r\n")])
		err = pmk_link_fail(&w->link, PMK_EIO,
				    "'%s' should print nothing, but printed '%.200s'", command,
				    said);
	return err;
}
