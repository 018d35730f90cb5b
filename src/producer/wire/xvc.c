// SPDX-License-Identifier: MIT
/*
 * Xilinx' virtual cable, XVC 1.0 (UG908, "User XVC 1.0 Commands"): JTAG over TCP. "getinfo:"
 * returns the maximum length of a vector. "settck:" with a period in ns requests a clock and
 * returns the actual period. "shift:" with a number of clocks, their TMS and their TDI returns
 * their TDO. Numbers have 32 bits, least significant byte first; bit 0 of byte 0 is the first bit
 * of a vector.
 *
 * The server does not know TAPs. One vector goes from Run-Test/Idle to a shift state, through it,
 * and back by Update. Other TAPs of the chain are in BYPASS, where each is one bit of data.
 */
#include "producer/wire/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pmk/error.h>

#define MAX_BITS   1024 /* bits of a vector: an instruction of every TAP, plus the state changes */
#define MAX_BYTES  (MAX_BITS / 8)
#define LEAST_BITS 8 /* number of bits that every server must accept at once */

static int receive_bytes(struct pmk_wire *w, uint8_t *bytes, size_t n)
{
	double deadline = pmk_link_deadline(&w->link);

	for (size_t i = 0; i < n; i++) {
		int c = pmk_link_byte(&w->link, deadline);

		if (c < 0)
			return c;
		bytes[i] = (uint8_t)c;
	}
	return 0;
}

static void put_number(uint8_t *bytes, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
}

/* ---- vectors --------------------------------------------------------------------------------- */

struct vector {
	uint8_t tms[MAX_BYTES], tdi[MAX_BYTES], tdo[MAX_BYTES];
	unsigned n;
	bool full; /* true if the vector had no room for more bits */
};

static bool bit_of(const uint8_t *bytes, unsigned i)
{
	return bytes[i / 8] >> i % 8 & 1;
}

static void put_bit(uint8_t *bytes, unsigned i, bool value)
{
	bytes[i / 8] = (uint8_t)((bytes[i / 8] & ~(1u << i % 8)) | (unsigned)value << i % 8);
}

static void clock_in(struct vector *v, bool tms, bool tdi)
{
	v->full |= v->n == MAX_BITS;
	if (v->full)
		return;
	put_bit(v->tms, v->n, tms);
	put_bit(v->tdi, v->n++, tdi);
}

/* Shift a piece of a vector, of whole bytes except at its end. */
static int shift_piece(struct pmk_wire *w, struct vector *v, unsigned first, unsigned n)
{
	uint8_t request[6 + 4 + 2 * MAX_BYTES] = "shift:";
	unsigned bytes = (n + 7) / 8;
	int err;

	put_number(request + 6, n);
	memcpy(request + 10, v->tms + first / 8, bytes);
	memcpy(request + 10 + bytes, v->tdi + first / 8, bytes);
	err = pmk_link_send(&w->link, request, 10 + 2 * bytes);
	return err ? err : receive_bytes(w, v->tdo + first / 8, bytes);
}

static int shift_vector(struct pmk_wire *w, struct vector *v)
{
	int err = 0;

	if (v->full)
		return pmk_link_fail(&w->link, PMK_EIO,
				     "a vector of more than %d bits; check `set` irlen, before "
				     "and after",
				     MAX_BITS);
	for (unsigned first = 0, n; !err && first < v->n; first += n) {
		n = v->n - first < w->most_bits ? v->n - first : w->most_bits;
		err = shift_piece(w, v, first, n);
	}
	return err;
}

/* ---- scans ----------------------------------------------------------------------------------- */

/* Clocks `n` bits through the shift state. If `last`, the TAPs leave the state with the last
 * bit. */
static void clock_data(struct vector *v, unsigned n, const uint8_t *bits, bool fill, bool last)
{
	for (unsigned i = 0; i < n; i++)
		clock_in(v, last && i == n - 1, bits ? bit_of(bits, i) : fill);
}

/*
 * Scan the instruction registers of all TAPs, or the data registers, from Run-Test/Idle and back.
 * The first bits end in the TAP next to TDO, so the order is: bits for the TAPs in tap->after, for
 * this TAP, and for the TAPs in tap->before. *at becomes the position of this TAP's bits in the
 * output.
 */
static void make_scan(struct vector *v, const struct pmk_wire_tap *tap, bool ir, unsigned bits,
		      const uint8_t *out, unsigned *at)
{
	unsigned after = ir ? tap->after.bits : tap->after.taps;
	unsigned before = ir ? tap->before.bits : tap->before.taps;

	clock_in(v, true, false); /* Select-DR */
	if (ir)
		clock_in(v, true, false); /* Select-IR */
	clock_in(v, false, false);	  /* Capture */
	clock_in(v, false, false);	  /* Shift */
	clock_data(v, after, NULL, true, false);
	*at = v->n;
	clock_data(v, bits, out, false, !before);
	clock_data(v, before, NULL, true, true);
	clock_in(v, true, false);  /* Update */
	clock_in(v, false, false); /* Run-Test/Idle */
}

static int scan_ir(struct pmk_wire *w, const struct pmk_wire_tap *tap, uint32_t instruction)
{
	struct vector v = { 0 };
	uint8_t out[4];
	unsigned at;

	put_number(out, instruction);
	make_scan(&v, tap, true, tap->irlen, out, &at);
	return shift_vector(w, &v);
}

static int scan_dr(struct pmk_wire *w, const struct pmk_wire_tap *tap, unsigned bits,
		   const uint8_t *out, uint8_t *in)
{
	struct vector v = { 0 };
	unsigned at;
	int err;

	make_scan(&v, tap, false, bits, out, &at);
	err = shift_vector(w, &v);
	for (unsigned i = 0; !err && in && i < bits; i++)
		put_bit(in, i, bit_of(v.tdo, at + i));
	return err;
}

/* ---- the chain ------------------------------------------------------------------------------- */

#define SPARE 16 /* extra bits after the chain, which show where it ends */

/* Shift the bit `first`, and then bits of the other value, through the instruction registers (`ir`)
 * or the data registers of all TAPs. Together they should have `bits` bits, and the vector is
 * slightly longer. *at becomes the position of their bits in the output. */
static int measure_registers(struct pmk_wire *w, struct vector *v, bool ir, unsigned bits,
			     bool first, unsigned *at)
{
	clock_in(v, true, false);
	if (ir)
		clock_in(v, true, false);
	clock_in(v, false, false);
	clock_in(v, false, false);
	*at = v->n;
	clock_in(v, false, first);
	clock_data(v, bits + SPARE, NULL, !first, true);
	clock_in(v, true, false);
	clock_in(v, false, false);
	return shift_vector(w, v);
}

/* Get the total number of bits of the instructions of all TAPs, up to `most`. Shifts a 0 and then
 * ones: BYPASS is all ones in every TAP (IEEE 1149.1), and the 0 comes out after the bits that the
 * instruction registers have captured. */
static int measure_instructions(struct pmk_wire *w, unsigned most, unsigned *bits)
{
	struct vector v = { 0 };
	unsigned at;
	int err = measure_registers(w, &v, true, most, false, &at);

	*bits = 0;
	for (unsigned i = 0; !err && i <= most + SPARE; i++)
		*bits = bit_of(v.tdo, at + i) ? *bits : i;
	return err;
}

#define MOST_INSTRUCTIONS (MAX_BITS / 2) /* limit for the bits of an unknown chain */

/* Write "3 TAPs, from TDO on 0x0362d093, none, 0x4ba00477; the instructions have 17 bits
 * together". */
static int describe_chain(struct pmk_wire *w, char *text, size_t size)
{
	unsigned bits;
	size_t n;
	int err = measure_instructions(w, MOST_INSTRUCTIONS, &bits);

	n = (size_t)snprintf(text, size, "%u TAP%s, IDCODE%s:", w->ntaps, w->ntaps == 1 ? "" : "s",
			     w->ntaps == 1 ? "" : "s from TDO on");
	for (unsigned i = 0; i < w->ntaps && n < size; i++)
		n += (size_t)snprintf(text + n, size - n,
				      w->idcode[i] ? "%s0x%08" PRIx32 : "%snone", i ? ", " : " ",
				      w->idcode[i]);
	if (n < size)
		snprintf(text + n, size - n, "; the instructions have %u bits together", bits);
	return err;
}

/* Fail because the chain differs from the description in --set. */
static int wrong_chain(struct pmk_wire *w, const char *what, unsigned n, const char *unit)
{
	char found[300];
	int err = describe_chain(w, found, sizeof(found));

	if (err)
		return err;
	return pmk_link_fail(&w->link, PMK_EIO,
			     "%s %u %s; check irlen=, before= and after= of `set`. The chain has "
			     "%s",
			     what, n, unit, found);
}

static int check_instructions(struct pmk_wire *w, const struct pmk_wire_tap *tap)
{
	unsigned want = tap->before.bits + tap->irlen + tap->after.bits, bits;
	int err = measure_instructions(w, want, &bits);

	return err || bits == want
		       ? err
		       : wrong_chain(w, "the instructions of its chain do not add up to", want,
				     "bits");
}

/* Check the number of TAPs, which are in BYPASS. Shifts a 1 and then zeros: each TAP in BYPASS is
 * one bit, which is 0 at first. */
static int count_taps(struct pmk_wire *w, const struct pmk_wire_tap *tap)
{
	unsigned taps = tap->before.taps + 1 + tap->after.taps, at, found = 0;
	struct vector v = { 0 };
	int err = measure_registers(w, &v, false, taps, true, &at);

	while (!err && found <= taps + SPARE && !bit_of(v.tdo, at + found))
		found++;
	return err || found == taps ? err : wrong_chain(w, "its chain does not have", taps, "TAPs");
}

static int bypass_others(struct pmk_wire *w, const struct pmk_wire_tap *tap)
{
	int err = check_instructions(w, tap);

	return err ? err : count_taps(w, tap);
}

/* ---- the cable ------------------------------------------------------------------------------- */

/* Reads the server's answer to "getinfo:": "xvcServer_v1.0:2048", and a line feed. */
static int get_info(struct pmk_wire *w)
{
	static const char first[] = "xvcServer_v1.";
	double deadline = pmk_link_deadline(&w->link);
	char said[64], *colon;
	uint32_t most;
	size_t n = 0;
	int err = pmk_link_send(&w->link, "getinfo:", 8), c = 0;

	while (!err && c != '\n' && n < sizeof(said) - 1) {
		c = pmk_link_byte(&w->link, deadline);
		if (c < 0)
			return c;
		if (c != '\n')
			said[n++] = (char)c;
	}
	if (err)
		return err;
	said[n] = '\0';
	colon = strchr(said, ':');
	if (strncmp(said, first, strlen(first)) != 0 || !colon ||
	    !pmk_wire_number(colon + 1, 10, &most))
		return pmk_link_lose(&w->link,
				     "'%.40s' is not a reply from an XVC server; check the port "
				     "(usually 2542)",
				     said);
	if (most < LEAST_BITS)
		return pmk_link_lose(&w->link,
				     "the server takes vectors of %" PRIu32 " bits, and "
				     "at least %d are needed",
				     most, LEAST_BITS);
	/* Some servers report this limit in bits and others in bytes, so take it as bits: vectors
	 * of so many bits always fit. Pieces are whole bytes, so round the limit down to whole
	 * bytes. */
	w->most_bits = (most < MAX_BITS ? most : MAX_BITS) / 8 * 8;
	return 0;
}

#define MOST_CODES (32 * (PMK_WIRE_MOST_TAPS + 1)) /* bits */

/* Find the IDCODEs in the output of a chain. An IDCODE begins with a 1, BYPASS is a 0, and the bits
 * that were shifted in show where the chain ends. */
static void read_codes(struct pmk_wire *w, const uint8_t *in)
{
	unsigned at = 0;

	for (w->ntaps = 0; w->ntaps < PMK_WIRE_MOST_TAPS; w->ntaps++) {
		uint32_t code = 0;
		unsigned bits = bit_of(in, at) ? 32 : 1;

		for (unsigned i = 0; i < bits; i++)
			code |= (uint32_t)bit_of(in, at + i) << i;
		if (code == UINT32_MAX)
			return;
		w->idcode[w->ntaps] = code;
		at += bits;
	}
}

/* Find the TAPs. A reset selects the IDCODE of each TAP, or BYPASS if it has none. */
static int find_chain(struct pmk_wire *w)
{
	static const struct pmk_wire_tap alone;
	uint8_t in[MOST_CODES / 8] = { 0 }, ones[MOST_CODES / 8];
	struct vector reset = { 0 };
	bool zeros = true;
	int err;

	for (unsigned i = 0; i < 5; i++)
		clock_in(&reset, true, false);
	clock_in(&reset, false, false);
	err = shift_vector(w, &reset);
	memset(ones, 0xff, sizeof(ones));
	if (!err)
		err = scan_dr(w, &alone, MOST_CODES, ones, in);
	read_codes(w, in);
	for (unsigned i = 0; i < sizeof(in); i++)
		zeros &= in[i] == 0;
	if (!err && (zeros || !w->ntaps))
		err = pmk_link_fail(&w->link, PMK_EIO,
				    "no TAP responds, TDO is always %d; check the board's power "
				    "and the cable",
				    !zeros);
	return err;
}

static int greet_server(struct pmk_wire *w)
{
	int err = get_info(w);

	return err ? err : find_chain(w);
}

/* Request a period for the clock. The server answers with the period that it can provide; any
 * period is accepted. */
static int set_clock(struct pmk_wire *w, uint32_t ns)
{
	uint8_t request[11] = "settck:", reply[4];
	int err;

	put_number(request + 7, ns);
	err = pmk_link_send(&w->link, request, sizeof(request));
	return err ? err : receive_bytes(w, reply, sizeof(reply));
}

const struct pmk_speaker pmk_speaker_xvc = {
	.name = "xvc",
	.greet = greet_server,
	.halt = pmk_arm11_halt,
	.resume = pmk_arm11_resume,
	.transfer = pmk_arm11_transfer,
	.bypass = bypass_others,
	.scan_ir = scan_ir,
	.scan_dr = scan_dr,
	.chain = describe_chain,
	.set_clock = set_clock,
};
