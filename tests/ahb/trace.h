/* SPDX-License-Identifier: MIT */
/*
 * AHB waves as text, for tests. A word is an address phase, and says what happens to the previous
 * transfer during it.
 *
 *	Nw:incr4@100%f S/c S S I
 *
 *	word	= TRANS [r|w] [:BURST] [.b|.h|.w] [@HEX] [%HEX] [*TIMES] [/RESPONSE]
 *	TRANS	= I, B, N or S: HTRANS
 *	r, w	= HWRITE; .b .h .w = HSIZE; @ HADDR; % HPROT
 *	BURST	= single incr wrap4 incr4 wrap8 incr8 wrap16 incr16
 *	RESPONSE: one letter per cycle of the previous transfer's data phase. Wait states are s
 *		(slave), c (connection), a (arbitration) and u (unknown cause). o is OKAY, which
 *		ends the transfer. e, r, p are the first cycles of ERROR, RETRY, SPLIT, and E, R, P
 *		the second cycles. The default is o.
 *
 * Values that are not given stay unchanged, except the address of S and B, which is the next
 * address of the burst. The values after an N are read, SINGLE, word, %3.
 *
 * The GXI has one word per cycle. The first letter is the state of the address channel: . idle, r
 * or w a read or a write waits, R or W a read or a write completes. @HEX is the address. /N is the
 * code of the data channel.
 */
#ifndef TESTS_AHB_TRACE_H
#define TESTS_AHB_TRACE_H

#include <stdlib.h>
#include <string.h>

#include <pmk/ahb.h>

#define TRACE_CYCLES 4096

struct trace {
	struct pmk_ahb_cycle cycle[TRACE_CYCLES];
	unsigned n;
};

static const char *const trace_bursts[8] = { "single", "incr",	"wrap4",  "incr4",
					     "wrap8",  "incr8", "wrap16", "incr16" };

/* Returns the address after `addr` (IHI 0011A 3.6). */
static inline uint64_t trace_next(unsigned burst, unsigned size, uint64_t addr)
{
	static const unsigned beats[8] = { 1, 1, 4, 4, 8, 8, 16, 16 };
	uint64_t bytes = 1u << size, block = beats[burst] * bytes;

	if (burst == 2 || burst == 4 || burst == 6)
		return addr / block * block + (addr + bytes) % block;
	return addr + bytes;
}

static inline void trace_response(struct trace *t, struct pmk_ahb_cycle phase, const char *letters)
{
	for (; *letters; letters++) {
		struct pmk_ahb_cycle c = phase;

		c.hready = strchr("oERP", *letters) != NULL;
		c.cause = *letters == 's' ? 1 : *letters == 'c' ? 2 : *letters == 'a' ? 3 : 0;
		c.hresp = strchr("eE", *letters)   ? 1
			  : strchr("rR", *letters) ? 2
			  : strchr("pP", *letters) ? 3
						   : 0;
		if (t->n < TRACE_CYCLES)
			t->cycle[t->n++] = c;
	}
}

/*
 * Parses one word. `phase` contains the previous phase, and becomes the phase of this word. Returns
 * false if the word is wrong.
 */
static inline bool trace_word(struct trace *t, const char *w, struct pmk_ahb_cycle *phase)
{
	unsigned times = 1;
	char *end = (char *)w + 1;
	const char *letters = "o";

	if (!*w || !strchr("IBNS", *w))
		return false;
	if (*w == 'N')
		*phase = (struct pmk_ahb_cycle){ .hsize = 2, .hprot = 3 };
	else if (*w != 'I' && phase->htrans != 1)
		phase->haddr = trace_next(phase->hburst, phase->hsize, phase->haddr);
	phase->htrans = (uint8_t)(strchr("IBNS", *w) - "IBNS");
	if (*end == 'r' || *end == 'w')
		phase->hwrite = *end++ == 'w';
	if (*end == ':') {
		size_t n = strspn(++end, "abcdefghijklmnopqrstuvwxyz0123456789");
		unsigned b = 0;

		while (b < 8 && (strlen(trace_bursts[b]) != n || strncmp(end, trace_bursts[b], n)))
			b++;
		if (b == 8)
			return false;
		phase->hburst = (uint8_t)b;
		end += n;
	}
	if (*end == '.') {
		phase->hsize = end[1] == 'b' ? 0 : end[1] == 'h' ? 1 : end[1] == 'd' ? 3 : 2;
		end += 2;
	}
	if (*end == '@')
		phase->haddr = strtoull(end + 1, &end, 16);
	if (*end == '%')
		phase->hprot = (uint8_t)strtoull(end + 1, &end, 16);
	if (*end == '*')
		times = (unsigned)strtoul(end + 1, &end, 10);
	if (*end == '/') {
		letters = ++end;
		end += strspn(end, "osacuerpERP");
	}
	if (*end)
		return false;
	for (unsigned i = 0; i < times; i++) {
		if (i)
			phase->haddr = trace_next(phase->hburst, phase->hsize, phase->haddr);
		trace_response(t, *phase, letters);
	}
	return true;
}

static inline void trace_add(struct trace *t, const char *text)
{
	struct pmk_ahb_cycle phase = { .hsize = 2, .hprot = 3 };
	char copy[2048], *save = NULL;

	if (strlen(text) >= sizeof(copy))
		abort();
	strcpy(copy, text);
	for (char *w = strtok_r(copy, " \t\n", &save); w; w = strtok_r(NULL, " \t\n", &save))
		if (!trace_word(t, w, &phase))
			abort();
}

static inline void trace_make(struct trace *t, const char *text)
{
	t->n = 0;
	trace_add(t, text);
}

static inline bool trace_gxi_word(const char *w, struct pmk_gxi_cycle *c)
{
	static const char states[] = ".rRW";
	char *end = (char *)w + 1;

	*c = (struct pmk_gxi_cycle){ .write = *w == 'w' };
	if (!*w || !strchr(".rwRW", *w))
		return false;
	c->address = (uint8_t)(strchr(states, *w == 'w' ? 'r' : *w) - states);
	if (*end == '@')
		c->addr = strtoull(end + 1, &end, 16);
	if (*end == '/' && end[1] >= '0' && end[1] <= '3') {
		c->data = (uint8_t)(end[1] - '0');
		end += 2;
	}
	return !*end;
}

#endif
