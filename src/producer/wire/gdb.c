// SPDX-License-Identifier: MIT
/*
 * GDB's remote serial protocol. A packet is $DATA#SS, with the sum of the bytes of DATA in SS, and
 * is acknowledged by + unless both sides agree to omit this. '}' escapes the next byte, and '*'
 * repeats the previous byte.
 *
 * A stub stops its target when a debugger connects, and serves memory only while the target is
 * halted: every access needs pmk_wire_hold(). A target that stops by itself, for example at a
 * breakpoint, continues at the next pmk_wire_let_go().
 */
#include "producer/wire/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pmk/error.h>

#define MAX_PACKET  16384
/* Maximum number of bytes outside of packets, and of packets before the reply. */
#define MAX_SKIPPED 10000

static int hex_digit(int c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Returns the byte that two hex digits denote; -1 if they are not hex digits. */
static int byte_of(int high, int low)
{
	return hex_digit(high) < 0 || hex_digit(low) < 0 ? -1
							 : hex_digit(high) * 16 + hex_digit(low);
}

/* ---- packets --------------------------------------------------------------------------------- */

static int invalid_reply(struct pmk_wire *w, const char *what)
{
	return pmk_link_lose(&w->link, "%s: this is not a stub of GDB's remote serial protocol",
			     what);
}

/* Receive the data of a packet after its '$', without escapes and repetitions. *sum becomes the
 * checksum in the packet. Returns the number of bytes. */
static int receive_data(struct pmk_wire *w, char *data, size_t size, uint8_t *sum, double deadline)
{
	size_t n = 0;

	*sum = 0;
	for (;;) {
		int c = pmk_link_byte(&w->link, deadline), repeat = 1;

		if (c < 0 || c == '#')
			break;
		*sum = (uint8_t)(*sum + c);
		if (c == '}' || c == '*') {
			int next = pmk_link_byte(&w->link, deadline);

			if (next < 0)
				break;
			*sum = (uint8_t)(*sum + next);
			repeat = c == '*' ? next - 29 : 1;
			if (c == '*' && (!n || repeat < 3))
				return invalid_reply(w, "a packet has an invalid repetition");
			c = c == '*' ? data[n - 1] : next ^ 0x20;
		}
		if (n + (size_t)repeat >= size)
			return invalid_reply(w, "a packet is too long");
		while (repeat--)
			data[n++] = (char)c;
	}
	data[n] = '\0';
	return pmk_wire_lost(w) ? PMK_EIO : (int)n;
}

/* Receive the next packet, as text that ends with a 0. Bytes after another 0 are not used. */
static int receive_packet(struct pmk_wire *w, char *data, size_t size, double deadline)
{
	for (unsigned skipped = 0; skipped < MAX_SKIPPED; skipped++) {
		int c = pmk_link_byte(&w->link, deadline), n, high, low;
		uint8_t sum;

		if (c < 0)
			return c;
		/* Notifications, which begin with %, have the form of packets but no ack. */
		if (c != '$' && c != '%')
			continue;
		n = receive_data(w, data, size, &sum, deadline);
		if (n < 0)
			return n;
		high = pmk_link_byte(&w->link, deadline);
		low = high < 0 ? high : pmk_link_byte(&w->link, deadline);
		if (low < 0)
			return low;
		high = byte_of(high, low);
		if (c == '%')
			continue;
		if (high != sum && w->no_acks)
			return invalid_reply(w, "a packet has a wrong checksum");
		if (!w->no_acks && pmk_link_send(&w->link, high == sum ? "+" : "-", 1))
			return PMK_EIO;
		if (high == sum)
			return n;
	}
	return invalid_reply(w, "unexpected packets");
}

static int transmit_packet(struct pmk_wire *w, const char *data)
{
	char packet[1024];
	uint8_t sum = 0;
	int n;

	for (const char *c = data; *c; c++)
		sum = (uint8_t)(sum + (unsigned char)*c);
	n = snprintf(packet, sizeof(packet), "$%s#%02x", data, sum);
	if (n < 0 || (size_t)n >= sizeof(packet))
		return PMK_ERANGE;
	return pmk_link_send(&w->link, packet, (size_t)n);
}

/* True if the target prints something: "O" and hex digits. */
static bool is_console(const char *packet)
{
	return packet[0] == 'O' && packet[1] && hex_digit(packet[1]) >= 0;
}

/* True if the target has stopped: "S05", "T05thread:…". No other reply begins with these
 * letters. */
static bool is_stop(const char *packet)
{
	return (packet[0] == 'S' || packet[0] == 'T') && hex_digit(packet[1]) >= 0;
}

/* True for signal 5, SIGTRAP: the target is at a breakpoint. An interrupt has another signal. */
static bool is_trap(const char *packet)
{
	return packet[1] == '0' && packet[2] == '5';
}

/* True if the target has ended, "W00" or "X09", so that nothing can be counted any more. */
static bool is_end(const char *packet)
{
	return (packet[0] == 'W' || packet[0] == 'X') && hex_digit(packet[1]) >= 0;
}

/* Receive a packet. Fails if the target has ended. */
static int receive_alive(struct pmk_wire *w, char *reply, size_t size, double deadline)
{
	int err = receive_packet(w, reply, size, deadline);

	if (err >= 0 && is_end(reply))
		err = pmk_link_lose(&w->link, "the program on the target has ended");
	return err;
}

/* Append the bytes that the digits in `hex` denote to `text`, as far as there is room. */
static void append_hex(char *text, size_t size, const char *hex)
{
	size_t n = strlen(text);

	for (; hex[0] && hex[1] && n + 1 < size; hex += 2) {
		int byte = byte_of(hex[0], hex[1]);

		if (byte < 0)
			break;
		text[n++] = (char)byte;
	}
	text[n] = '\0';
}

/*
 * Wait for the reply to a request, or until the target has stopped. `err` is the result of sending
 * the request. Other packets are skipped; what the target prints is appended to `said`.
 */
static int await_packet(struct pmk_wire *w, int err, bool stop, char reply[MAX_PACKET], char *said,
			size_t size)
{
	double deadline = pmk_link_deadline(&w->link);

	for (unsigned skipped = 0; skipped < MAX_SKIPPED; skipped++) {
		if (err >= 0)
			err = receive_alive(w, reply, MAX_PACKET, deadline);
		if (err < 0)
			return err;
		if (is_console(reply))
			append_hex(said, size, reply + 1);
		else if (is_stop(reply) == stop)
			return 0;
	}
	return invalid_reply(w, "unexpected packets");
}

static int ask_stub(struct pmk_wire *w, const char *request, char reply[MAX_PACKET])
{
	char said[1] = "";

	return await_packet(w, transmit_packet(w, request), false, reply, said, sizeof(said));
}

/* ---- running and halting -------------------------------------------------------------------- */

/* Wait until the target is halted, after a request to stop. */
static int await_stop(struct pmk_wire *w, int err)
{
	char reply[MAX_PACKET], said[1] = "";

	err = await_packet(w, err, true, reply, said, sizeof(said));
	if (!err)
		w->stopped = is_trap(reply);
	return err;
}

static int resume_target(struct pmk_wire *w)
{
	return transmit_packet(w, "c");
}

/* Check whether the target has stopped. Read one packet, but only if it has begun to arrive; it may
 * be a packet about something else. */
static int look_for_stop(struct pmk_wire *w)
{
	double deadline = pmk_link_deadline(&w->link);
	char reply[MAX_PACKET];
	uint64_t pc;
	bool stray;
	int err = 0;

	/* Skip acks of the request that let the target run. */
	while (pmk_link_peek(&w->link, &err) && err >= 0 && err != '$')
		pmk_link_byte(&w->link, deadline);
	if (err == '$')
		err = receive_alive(w, reply, sizeof(reply), deadline);
	else
		*reply = '\0';
	if (err < 0 || !is_stop(reply))
		return err < 0 ? err : 0;
	if (!w->openocd) {
		w->stopped = true;
		return 0;
	}
	/* OpenOCD keeps an interrupt that arrived when its target was already halted at a
	 * breakpoint, and halts the target with it as soon as the target runs again. So pmk uses
	 * the address to recognise such a stop. */
	err = pmk_wire_find_place(w, &stray, &pc);
	if (err || !stray)
		return err;
	return is_trap(reply) ? pmk_wire_stray_halt(w, pc) : resume_target(w);
}

static int halt_target(struct pmk_wire *w)
{
	uint64_t pc;
	bool stray;
	int err = await_stop(w, pmk_link_send(&w->link, "\x03", 1));

	return !err && w->openocd && w->has_breakpoint ? pmk_wire_find_place(w, &stray, &pc) : err;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* Fail because the stub refused a request: an error is "E01" or "E.text"; an empty reply means that
 * the stub does not know the request. */
static int request_refused(struct pmk_wire *w, const char *request, const char *reply)
{
	if (!*reply)
		return pmk_link_fail(&w->link, PMK_ENOTSUP, "the stub does not know '%.40s'",
				     request);
	return pmk_link_fail(&w->link, PMK_EIO, "the stub answered '%.60s' with '%.100s'", request,
			     reply);
}

static uint32_t swap_bytes(const struct pmk_wire *w, uint32_t v)
{
	if (w->big_endian)
		return v;
	return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
}

static int load_word(struct pmk_wire *w, uint64_t address, uint32_t *value)
{
	char request[40], reply[MAX_PACKET];
	int err;

	snprintf(request, sizeof(request), "m%" PRIx64 ",4", address);
	err = ask_stub(w, request, reply);
	if (err)
		return err;
	if (strlen(reply) != 8 || !pmk_wire_number(reply, 16, value))
		return request_refused(w, request, reply);
	*value = swap_bytes(w, *value);
	return 0;
}

static int store_word(struct pmk_wire *w, uint64_t address, uint32_t value)
{
	char request[60], reply[MAX_PACKET];
	int err;

	snprintf(request, sizeof(request), "M%" PRIx64 ",4:%08" PRIx32, address,
		 swap_bytes(w, value));
	err = ask_stub(w, request, reply);
	if (!err && strcmp(reply, "OK") != 0)
		err = request_refused(w, request, reply);
	return err;
}

/* Set or remove a breakpoint of kind 4: an instruction of four bytes, as in ARM, A64 and
 * MicroBlaze. */
static int set_breakpoint(struct pmk_wire *w, uint64_t address, bool set)
{
	char request[40], reply[MAX_PACKET];
	int err;

	snprintf(request, sizeof(request), "%c1,%" PRIx64 ",4", set ? 'Z' : 'z', address);
	err = ask_stub(w, request, reply);
	if (!err && strcmp(reply, "OK") != 0)
		err = request_refused(w, request, reply);
	w->has_breakpoint = set && !err;
	w->breakpoint = address;
	return err;
}

/* Run a command by qRcmd, which is GDB's "monitor". The output comes before the reply, or is the
 * reply. */
static int run_command(struct pmk_wire *w, const char *command, char *said, size_t size)
{
	char request[512] = "qRcmd,", reply[MAX_PACKET];
	size_t n = strlen(request);
	int err;

	for (const char *c = command; *c && n + 3 < sizeof(request); c++)
		n += (size_t)snprintf(request + n, sizeof(request) - n, "%02x", (unsigned char)*c);
	*said = '\0';
	err = await_packet(w, transmit_packet(w, request), false, reply, said, size);
	if (err)
		return err;
	if (!*reply)
		return pmk_link_fail(&w->link, PMK_ENOTSUP,
				     "the stub accepts no commands, such as 'monitor %s'", command);
	if (*reply == 'E')
		return pmk_link_fail(&w->link, PMK_EIO,
				     "the stub answered 'monitor %s' with '%.20s': %.200s", command,
				     reply, said);
	if (strcmp(reply, "OK") != 0)
		append_hex(said, size, reply);
	return 0;
}

/* ---- coming and leaving ---------------------------------------------------------------------- */

static int greet_stub(struct pmk_wire *w)
{
	char reply[MAX_PACKET];
	int err;

	w->halts = true;
	/* acknowledge a packet that was sent to an earlier client */
	err = pmk_link_send(&w->link, "+", 1);
	if (!err)
		err = ask_stub(w, "qSupported:swbreak+;hwbreak+", reply);
	if (!err && strstr(reply, "QStartNoAckMode+"))
		err = ask_stub(w, "QStartNoAckMode", reply);
	else
		*reply = '\0';
	w->no_acks = !err && !strcmp(reply, "OK");
	/* Ask for the reason of the halt: some stubs serve memory only after that, and after the
	 * thread was selected. */
	if (!err)
		err = await_stop(w, transmit_packet(w, "?"));
	w->stopped = false; /* pmk has set no breakpoint yet */
	if (!err)
		err = ask_stub(w, "Hg0", reply);
	/*
	 * Select physical addresses in QEMU. Other stubs do not know this request, and only have
	 * physical addresses.
	 */
	if (!err)
		err = ask_stub(w, "Qqemu.PhyMemMode:1", reply);
	w->held = !err;
	if (!err)
		w->openocd = !run_command(w, "version", reply, sizeof(reply)) &&
			     strstr(reply, "On-Chip Debugger");
	return err;
}

/* Detaches, and lets the target run. A stub accepts a detach only while the target is halted, and
 * then resumes it. OpenOCD's stub does not resume it, so it gets the command "resume", twice if it
 * kept an interrupt (see look_for_stop()). */
static void leave_stub(struct pmk_wire *w)
{
	char reply[MAX_PACKET];

	if (!w->held && halt_target(w))
		return;
	for (unsigned i = 0; w->openocd && i < 2; i++)
		if (run_command(w, "resume", reply, sizeof(reply)) ||
		    run_command(w, "[target current] curstate", reply, sizeof(reply)) ||
		    !strstr(reply, "halted"))
			break;
	ask_stub(w, "D", reply);
}

const struct pmk_speaker pmk_speaker_gdb = {
	.name = "gdb",
	.greet = greet_stub,
	.halt = halt_target,
	.resume = resume_target,
	.load = load_word,
	.store = store_word,
	.command = run_command,
	.breakpoint = set_breakpoint,
	.look = look_for_stop,
	.leave = leave_stub,
};
