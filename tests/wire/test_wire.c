// SPDX-License-Identifier: MIT
/*
 * pmk understands the right replies of probes and stubs, and refuses wrong ones. The probe is the
 * far end of a socket pair, and has sent all its replies in advance.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/arm11.h>
#include <pmk/error.h>
#include <pmk/native.h>

#include "producer/wire/wire.h"

#define PATIENCE_MS 50

struct rig {
	struct pmk_wire wire;
	int far;
};

static void setup(struct rig *r, const struct pmk_speaker *speaker)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	memset(r, 0, sizeof(*r));
	r->wire.speaker = speaker;
	r->wire.no_acks = true;
	r->far = fds[1];
	pmk_link_adopt(&r->wire.link, "rig", fds[0], PATIENCE_MS);
}

static void teardown(struct rig *r)
{
	pmk_link_close(&r->wire.link);
	close(r->far);
}

static void say_bytes(struct rig *r, const char *bytes, size_t n)
{
	assert_int_equal(write(r->far, bytes, n), (ssize_t)n);
}

static void say(struct rig *r, const char *text)
{
	say_bytes(r, text, strlen(text));
}

/* Returns the data that was sent to the far end. */
static const char *heard(struct rig *r)
{
	static char text[4096];
	ssize_t n = recv(r->far, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void test_numbers(void **state)
{
	uint32_t v = 0;

	(void)state;
	assert_true(pmk_wire_number("1091549031", 0, &v));
	assert_int_equal(v, 0x410fb767);
	assert_true(pmk_wire_number(" 0x00700001\r\n", 0, &v));
	assert_int_equal(v, 0x00700001);
	assert_true(pmk_wire_number("ffffffff", 16, &v));
	assert_int_equal(v, 0xffffffff);
	assert_false(pmk_wire_number("", 0, &v));
	assert_false(pmk_wire_number(" ", 0, &v));
	assert_false(pmk_wire_number("-1", 0, &v));
	assert_false(pmk_wire_number("4294967296", 0, &v));
	assert_false(pmk_wire_number("99999999999999999999999", 0, &v));
	assert_false(pmk_wire_number("12 monkeys", 0, &v));
	assert_false(pmk_wire_number("xyz", 16, &v));
}

static void test_dumps(void **state)
{
	uint32_t v = 0;

	(void)state;
	assert_true(pmk_wire_dumped("0x101d0000: 0000002a \n", 0x101d0000, &v));
	assert_int_equal(v, 0x2a);
	assert_true(pmk_wire_dumped("Warn : slow\n0x101d0004: cafe0001\n", 0x101d0004, &v));
	assert_int_equal(v, 0xcafe0001);
	assert_false(pmk_wire_dumped("0x101d0000: 0000002a \n", 0x101d0004, &v));
	assert_false(pmk_wire_dumped("0x101d0000: 0000002a0000 \n", 0x101d0000, &v));
	assert_false(pmk_wire_dumped("0x101d0000:\n", 0x101d0000, &v));
	assert_false(pmk_wire_dumped("0x101d0000 0000002a\n", 0x101d0000, &v));
	assert_false(pmk_wire_dumped("target not halted\n", 0x101d0000, &v));
	assert_false(pmk_wire_dumped("", 0x101d0000, &v));
}

/* ---- OpenOCD --------------------------------------------------------------------------------- */

static void test_openocd_word(void **state)
{
	uint32_t v = 0;
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_openocd);
	say(&r, "0\n\n0x00001000: 00000017 \n\x1a");
	assert_int_equal(r.wire.speaker->load(&r.wire, 0x1000, &v), 0);
	assert_int_equal(v, 0x17);
	assert_non_null(strstr(heard(&r), "[mdw 0x1000]"));
	say(&r, "0\n\n\x1a");
	assert_int_equal(r.wire.speaker->store(&r.wire, 0x1000, 5), 0);
	assert_non_null(strstr(heard(&r), "[mww 0x1000 0x00000005]"));
	teardown(&r);
}

static void test_openocd_coprocessor(void **state)
{
	struct pmk_port port;
	uint64_t v = 0;
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_openocd);
	port = pmk_wire_port_arm11(&r.wire);
	say(&r, "0\n7340033\n\x1a");
	assert_int_equal(port.read(port.ctx, PMK_ARM11_PMNC, &v), 0);
	assert_int_equal(v, 0x00700001);
	assert_non_null(strstr(heard(&r), "[arm mrc 15 0 15 12 0]"));
	say(&r, "0\n\n\x1a");
	assert_int_equal(port.write(port.ctx, PMK_ARM11_PMN1, 0x80000003), 0);
	assert_non_null(strstr(heard(&r), "[arm mcr 15 0 15 12 3 0x80000003]"));
	assert_int_equal(port.read(port.ctx, PMK_ARM11_NREGS, &v), PMK_EBADREG);
	assert_string_equal(heard(&r), "");
	teardown(&r);
}

/* If Tcl's code is not 0, the last logged line has the reason, and the connection stays. */
static void test_openocd_error(void **state)
{
	uint32_t v;
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_openocd);
	say(&r, "-4\n\nDebug: x\nError: target t.cpu is not halted\n\x1a");
	assert_int_equal(r.wire.speaker->load(&r.wire, 0x1000, &v), PMK_EIO);
	assert_string_equal(
		r.wire.link.why,
		"rig: OpenOCD could not execute 'mdw 0x1000': target t.cpu is not halted");
	assert_false(pmk_wire_lost(&r.wire));
	teardown(&r);
}

static void lose_openocd(const char *reply, size_t n, const char *why)
{
	uint32_t v;
	struct rig r;

	setup(&r, &pmk_speaker_openocd);
	say_bytes(&r, reply, n);
	assert_int_equal(r.wire.speaker->load(&r.wire, 0x1000, &v), PMK_EIO);
	if (!strstr(r.wire.link.why, why))
		fail_msg("'%s' is not in '%s'", why, r.wire.link.why);
	assert_true(pmk_wire_lost(&r.wire));
	/* The first reason is kept, and pmk waits for no more replies. */
	assert_int_equal(r.wire.speaker->load(&r.wire, 0x1000, &v), PMK_EIO);
	assert_non_null(strstr(r.wire.link.why, why));
	teardown(&r);
}

static void test_openocd_nonsense(void **state)
{
	static char flood[20000];

	(void)state;
	memset(flood, 'x', sizeof(flood));
	lose_openocd("hello\x1a", 6, "is not a reply from OpenOCD's Tcl port");
	lose_openocd("\x1a", 1, "is not a reply from OpenOCD's Tcl port");
	lose_openocd("a\0b\x1a", 4, "not text from OpenOCD's Tcl port");
	lose_openocd(flood, sizeof(flood), "not text from OpenOCD's Tcl port");
	lose_openocd("0\n\n0x00001000: 0000", 19, "no reply within 50 ms");
}

static void test_gone(void **state)
{
	uint32_t v;
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_openocd);
	say(&r, "0\n\n0x00001000: 0000");
	shutdown(r.far, SHUT_WR);
	assert_int_equal(r.wire.speaker->load(&r.wire, 0x1000, &v), PMK_EIO);
	assert_string_equal(r.wire.link.why, "rig: the other side closed the connection");
	teardown(&r);
}

/* ---- GDB's protocol -------------------------------------------------------------------------- */

static void test_gdb_word(void **state)
{
	uint32_t v = 0;
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_gdb);
	say(&r, "$2a000000#b3");
	assert_int_equal(r.wire.speaker->load(&r.wire, 0x101d0000, &v), 0);
	assert_int_equal(v, 0x2a);
	assert_string_equal(heard(&r), "$m101d0000,4#83");
	r.wire.big_endian = true;
	say(&r, "$0000002a#b3");
	assert_int_equal(r.wire.speaker->load(&r.wire, 0x101d0000, &v), 0);
	assert_int_equal(v, 0x2a);
	teardown(&r);
}

/*
 * '*' and a byte repeat the byte before them; the number of repeats is the byte minus 29. "0* " is
 * four zeros.
 */
static void test_gdb_repeats(void **state)
{
	uint32_t v = 0;
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_gdb);
	say(&r, "$0*\"2a#0f");
	assert_int_equal(r.wire.speaker->load(&r.wire, 0, &v), 0);
	assert_int_equal(v, 0x2a000000);
	teardown(&r);
}

static void test_gdb_store(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_gdb);
	say(&r, "$OK#9a");
	assert_int_equal(r.wire.speaker->store(&r.wire, 0x1000, 0xc5acce55), 0);
	assert_non_null(strstr(heard(&r), "$M1000,4:55ceacc5#"));
	say(&r, "$E14#aa");
	assert_int_equal(r.wire.speaker->store(&r.wire, 0x1000, 1), PMK_EIO);
	assert_string_equal(r.wire.link.why,
			    "rig: the stub answered 'M1000,4:01000000' with 'E14'");
	say(&r, "$#00");
	assert_int_equal(r.wire.speaker->store(&r.wire, 0x1000, 1), PMK_ENOTSUP);
	assert_false(pmk_wire_lost(&r.wire));
	teardown(&r);
}

/*
 * If the stub has not agreed to do without acknowledgements, pmk acknowledges each packet. It
 * requests a packet with a wrong checksum again.
 */
static void test_gdb_acks(void **state)
{
	uint32_t v = 0;
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_gdb);
	r.wire.no_acks = false;
	say(&r, "+$2b000000#b3$2a000000#b3");
	assert_int_equal(r.wire.speaker->load(&r.wire, 0, &v), 0);
	assert_int_equal(v, 0x2a);
	assert_string_equal(heard(&r), "$m0,4#fd-+");
	teardown(&r);
}

/* Console output, notifications and stops are not taken for the reply. */
static void test_gdb_asides(void **state)
{
	uint32_t v = 0;
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_gdb);
	say(&r, "$O6869#2c%Stop:x#58$T05#b9$2a000000#b3");
	assert_int_equal(r.wire.speaker->load(&r.wire, 0, &v), 0);
	assert_int_equal(v, 0x2a);
	teardown(&r);
}

/* "arm mrc 15 0 15 12 0" is sent in hex. The stub prints the reply, and then sends OK. */
static void test_gdb_monitor(void **state)
{
	struct pmk_port port;
	uint64_t v = 0;
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_gdb);
	port = pmk_wire_port_arm11(&r.wire);
	say(&r, "$O373334303033330a#a9$OK#9a");
	assert_int_equal(port.read(port.ctx, PMK_ARM11_PMNC, &v), 0);
	assert_int_equal(v, 0x00700001);
	assert_non_null(strstr(heard(&r), "$qRcmd,61726d206d726320313520302031352031322030#"));
	say(&r, "$#00");
	assert_int_equal(port.read(port.ctx, PMK_ARM11_PMNC, &v), PMK_ENOTSUP);
	assert_string_equal(r.wire.link.why, "rig: the stub accepts no commands, such as "
					     "'monitor arm mrc 15 0 15 12 0'");
	say(&r, "$O6e6f20617269#27$OK#9a"); /* "no ari" */
	assert_int_equal(port.read(port.ctx, PMK_ARM11_PMNC, &v), PMK_EIO);
	assert_string_equal(r.wire.link.why, "rig: 'arm mrc 15 0 15 12 0' gave 'no ari' instead of "
					     "a number");
	teardown(&r);
}

static void lose_gdb(const char *reply, size_t n, const char *why)
{
	uint32_t v;
	struct rig r;

	setup(&r, &pmk_speaker_gdb);
	say_bytes(&r, reply, n);
	assert_int_equal(r.wire.speaker->load(&r.wire, 0x1000, &v), PMK_EIO);
	if (!strstr(r.wire.link.why, why))
		fail_msg("'%s' is not in '%s'", why, r.wire.link.why);
	assert_true(pmk_wire_lost(&r.wire));
	teardown(&r);
}

static void test_gdb_nonsense(void **state)
{
	static char flood[20000] = "$";

	(void)state;
	memset(flood + 1, 'x', sizeof(flood) - 1);
	lose_gdb(flood, sizeof(flood), "a packet is too long");
	lose_gdb("$*\"#00", 6, "a packet has an invalid repetition");
	lose_gdb("$2a000000#00", 12, "a packet has a wrong checksum");
	lose_gdb("$2a000000#zz", 12, "a packet has a wrong checksum");
	lose_gdb("$W00#b7", 7, "the program on the target has ended");
	lose_gdb("$2a000000#b", 11, "no reply within 50 ms");
	lose_gdb("$2a0000", 7, "no reply within 50 ms");
	lose_gdb("HTTP/1.1 400 Bad Request\r\n", 26, "no reply within 50 ms");
}

/*
 * A packet of repeats that unpacks to almost 30,000 bytes is refused, so the output is bounded for
 * any input.
 */
static void test_gdb_bomb(void **state)
{
	static char bomb[600];
	size_t n = 0;

	(void)state;
	bomb[n++] = '$';
	bomb[n++] = '0';
	while (n + 2 < sizeof(bomb)) {
		bomb[n++] = '*';
		bomb[n++] = '~';
	}
	lose_gdb(bomb, n, "a packet is too long");
}

/* Halting waits for the stop, and measures the halt's duration. */
static void test_gdb_hold(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_gdb);
	r.wire.halts = true;
	say(&r, "$T02thread:01;#04");
	assert_int_equal(pmk_wire_hold(&r.wire), 0);
	assert_string_equal(heard(&r), "\x03");
	assert_true(r.wire.held);
	assert_int_equal(pmk_wire_hold(&r.wire), 0); /* the target is already halted */
	assert_string_equal(heard(&r), "");
	assert_int_equal(pmk_wire_let_go(&r.wire), 0);
	assert_string_equal(heard(&r), "$c#63");
	assert_int_equal(r.wire.nholds, 1);
	teardown(&r);
}

static void test_gdb_breakpoint(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_gdb);
	say(&r, "$OK#9a");
	assert_int_equal(r.wire.speaker->breakpoint(&r.wire, 0x8000, true), 0);
	assert_string_equal(heard(&r), "$Z1,8000,4#df");
	say(&r, "$E22#a9");
	assert_int_equal(r.wire.speaker->breakpoint(&r.wire, 0x8000, false), PMK_EIO);
	assert_string_equal(r.wire.link.why, "rig: the stub answered 'z1,8000,4' with 'E22'");
	say(&r, "$#00");
	assert_int_equal(r.wire.speaker->breakpoint(&r.wire, 0x8000, true), PMK_ENOTSUP);
	teardown(&r);
}

/* pmk_wire_look() does not wait, neither after an ack nor after output of the target. */
static void test_gdb_look(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_gdb);
	assert_int_equal(pmk_wire_look(&r.wire), 0);
	say(&r, "+");
	assert_int_equal(pmk_wire_look(&r.wire), 0);
	say(&r, "$O6869#2c");
	assert_int_equal(pmk_wire_look(&r.wire), 0);
	assert_false(r.wire.stopped || r.wire.held);
	say(&r, "+$T05thread:01;#07");
	assert_int_equal(pmk_wire_look(&r.wire), 0);
	assert_true(r.wire.stopped && r.wire.held);
	assert_int_equal(pmk_wire_let_go(&r.wire), 0);
	assert_false(r.wire.stopped || r.wire.held);
	/* The target reaches the breakpoint just before pmk halts it, which signal 5 shows. */
	r.wire.halts = true;
	say(&r, "$T05#b9");
	assert_int_equal(pmk_wire_hold(&r.wire), 0);
	assert_true(r.wire.stopped);
	assert_int_equal(pmk_wire_let_go(&r.wire), 0);
	say(&r, "$T02#b6");
	assert_int_equal(pmk_wire_hold(&r.wire), 0);
	assert_false(r.wire.stopped);
	assert_int_equal(pmk_wire_let_go(&r.wire), 0);
	close(r.far);
	assert_int_equal(pmk_wire_look(&r.wire), PMK_EIO);
	assert_true(pmk_wire_lost(&r.wire));
	teardown(&r);
}

/*
 * OpenOCD's stub reports the address of its processor: "pmk_halted pc (/32): 0x00008100", in hex.
 */
#define AT_8100                              \
	"$O706d6b5f68616c74656420706320282f" \
	"3332293a20307830303030383130300a#77$OK#9a"
#define AT_8300                              \
	"$O706d6b5f68616c74656420706320282f" \
	"3332293a20307830303030383330300a#79$OK#9a"

/*
 * pmk decides by this address. The reported signal is not enough, because an interrupt that OpenOCD
 * kept may come together with a breakpoint.
 */
static void test_gdb_of_openocd(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_gdb);
	r.wire.halts = r.wire.openocd = r.wire.has_breakpoint = true;
	r.wire.breakpoint = 0x8100;
	say(&r, "$T02#b6" AT_8100);
	assert_int_equal(pmk_wire_look(&r.wire), 0);
	assert_true(r.wire.stopped && r.wire.held);
	assert_int_equal(pmk_wire_let_go(&r.wire), 0);
	say(&r, "$T02#b6" AT_8100);
	assert_int_equal(pmk_wire_hold(&r.wire), 0);
	assert_true(r.wire.stopped);
	assert_int_equal(pmk_wire_let_go(&r.wire), 0);
	say(&r, "$T05#b9" AT_8300);
	assert_int_equal(pmk_wire_hold(&r.wire), 0);
	assert_false(r.wire.stopped);
	assert_int_equal(pmk_wire_let_go(&r.wire), 0);
	heard(&r);
	/* pmk did not request this stop, so the target continues. */
	say(&r, "$T02#b6" AT_8300);
	assert_int_equal(pmk_wire_look(&r.wire), 0);
	assert_false(r.wire.stopped || r.wire.held);
	assert_non_null(strstr(heard(&r), "$c#63"));
	/* The target stops at a breakpoint of another debugger. */
	say(&r, "$T05#b9" AT_8300);
	assert_int_equal(pmk_wire_look(&r.wire), PMK_EBUSY);
	assert_string_equal(r.wire.link.why, "rig: the target halted at 0x8300, where pmk has no "
					     "breakpoint; is another debugger connected?");
	teardown(&r);
}

/* Packets other than the reply are skipped, but not for ever. */
static void test_gdb_chatter(void **state)
{
	static char chatter[160000];
	size_t n = 0;
	struct rig r;
	uint32_t v;
	pid_t pid;

	(void)state;
	while (n + 9 < sizeof(chatter)) {
		memcpy(chatter + n, "$O6869#2c", 9);
		n += 9;
	}
	setup(&r, &pmk_speaker_gdb);
	/* A socket cannot hold this much, so a child writes while the parent reads. */
	pid = fork();
	if (!pid) {
		close(r.wire.link.fd);
		while (n && write(r.far, chatter, n) == (ssize_t)n)
			;
		_exit(0);
	}
	r.wire.link.patience_ms = 60000;
	assert_int_equal(r.wire.speaker->load(&r.wire, 0, &v), PMK_EIO);
	assert_non_null(strstr(r.wire.link.why, "unexpected packets"));
	teardown(&r);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- connecting ------------------------------------------------------------------------------ */

static void test_where(void **state)
{
	static const char *const wrong[] = { "",	 "host",   "host:", "6666",
					     "a:b:6666", "h:12x4", "h:-1",  "h:666666",
					     "[::1]",	 "[::1]:", ":",	    NULL };

	(void)state;
	for (unsigned i = 0; wrong[i]; i++) {
		struct pmk_link l;

		assert_int_equal(pmk_link_open(&l, "gdb", wrong[i], PATIENCE_MS), PMK_EPARSE);
		assert_non_null(strstr(l.why, "expected gdb:HOST:PORT"));
		pmk_link_close(&l);
	}
}

/* The server notices after 50 ms that its client has left, and closing returns only then. */
static void test_leave(void **state)
{
	struct rig r;
	int told[2];
	char c;
	pid_t pid;

	(void)state;
	setup(&r, &pmk_speaker_gdb);
	assert_int_equal(pipe(told), 0);
	pid = fork();
	if (!pid) {
		close(r.wire.link.fd);
		while (read(r.far, &c, 1) > 0)
			;
		usleep(50000);
		_exit(write(told[1], "x", 1) != 1);
	}
	close(r.far);
	pmk_link_leave(&r.wire.link, 60);
	assert_true(r.wire.link.fd < 0);
	assert_int_equal(fcntl(told[0], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(read(told[0], &c, 1), 1);
	waitpid(pid, NULL, 0);
	close(told[0]);
	close(told[1]);
}

/* If the server does not close its side, closing returns after the limit. */
static void test_leave_without_an_answer(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_gdb);
	say(&r, "a late reply");
	pmk_link_leave(&r.wire.link, 0.01);
	assert_true(r.wire.link.fd < 0);
	teardown(&r);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A register of 64 bits is read as high, low, high, and once more if the high half has changed. */
static void test_wide(void **state)
{
	static const uint16_t offset[] = { 0x0, PMK_MMIO_NONE };
	static const uint32_t wide[] = { 1 };
	struct pmk_wire_memory m = {
		.base = 0x1000, .offset = offset, .noffsets = 2, .wide = wide
	};
	struct pmk_port port;
	uint64_t v = 0;
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_openocd);
	m.wire = &r.wire;
	port = pmk_wire_port_memory(&m);
	say(&r, "0\n\n0x00001004: 00000001\n\x1a"
		"0\n\n0x00001000: fffffffe\n\x1a"
		"0\n\n0x00001004: 00000002\n\x1a"
		"0\n\n0x00001000: 00000005\n\x1a"
		"0\n\n0x00001004: 00000002\n\x1a");
	assert_int_equal(port.read(port.ctx, 0, &v), 0);
	assert_true(v == UINT64_C(0x200000005));
	assert_int_equal(port.read(port.ctx, 1, &v), PMK_EBADREG);
	assert_int_equal(port.read(port.ctx, 2, &v), PMK_EBADREG);
	teardown(&r);
}

/* Sets a breakpoint, waits until the target reaches it, and removes it. */
static void test_openocd_breakpoint(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_speaker_openocd);
	say(&r, "0\narm11\n\x1a"
		"0\n\n\x1a");
	assert_int_equal(r.wire.speaker->breakpoint(&r.wire, 0x8100, true), 0);
	assert_non_null(strstr(heard(&r), "[bp 0x8100 4 hw]"));
	say(&r, "0\nrunning\n\x1a");
	assert_int_equal(pmk_wire_look(&r.wire), 0);
	assert_false(r.wire.stopped || r.wire.held);
	say(&r, "0\npmk_halted pc (/32): 0x00008100\n\n\x1a");
	assert_int_equal(pmk_wire_look(&r.wire), 0);
	assert_true(r.wire.stopped && r.wire.held);
	heard(&r);
	say(&r, "0\n\n\x1a");
	assert_int_equal(r.wire.speaker->breakpoint(&r.wire, 0x8100, false), 0);
	assert_non_null(strstr(heard(&r), "[rbp 0x8100]"));
	teardown(&r);
}

/* pmk halts the target, which is then at the breakpoint, or elsewhere. */
static void test_openocd_halts_there(void **state)
{
	struct rig r;

	(void)state;
	for (int there = 0; there < 2; there++) {
		setup(&r, &pmk_speaker_openocd);
		r.wire.halts = r.wire.has_breakpoint = true;
		r.wire.breakpoint = 0x8100;
		say(&r, "0\n\n\x1a"
			"0\nhalted\n\x1a");
		say(&r, there ? "0\npmk_halted pc (/32): 0x00008100\n\n\x1a"
			      : "0\npmk_halted pc (/32): 0x00008104\n\n\x1a");
		assert_int_equal(pmk_wire_hold(&r.wire), 0);
		assert_int_equal(r.wire.stopped, there);
		teardown(&r);
	}
}

static void fail_openocd(const char *replies, int expected, const char *why, bool set)
{
	struct rig r;

	setup(&r, &pmk_speaker_openocd);
	say(&r, replies);
	assert_int_equal(set ? r.wire.speaker->breakpoint(&r.wire, 0x8100, true)
			     : pmk_wire_look(&r.wire),
			 expected);
	if (!strstr(r.wire.link.why, why))
		fail_msg("'%s', expected '%s'", r.wire.link.why, why);
	assert_false(r.wire.has_breakpoint || r.wire.stopped || r.wire.held);
	teardown(&r);
}

static void test_openocd_breakpoint_fails(void **state)
{
	(void)state;
	fail_openocd("0\narm11\n\x1a"
		     "1\n\nError: can't add breakpoint: resource not available\n\x1a",
		     PMK_EBUSY, "no hardware breakpoint is left for 0x8100", true);
	fail_openocd("0\narm11\n\x1a"
		     "1\n\nError: can't add breakpoint: target running\n\x1a",
		     PMK_EIO, "can't add breakpoint: target running", true);
	fail_openocd("0\nmem_ap\n\x1a", PMK_ENOTSUP, "is an access port (mem_ap)", true);
	fail_openocd("0\npmk_halted pc (/32): 0x00008300\n\n\x1a", PMK_EBUSY,
		     "the target halted at 0x8300, where pmk has no breakpoint", false);
	fail_openocd("0\npmk_halted \n\n\x1a", PMK_EIO, "instead of a number", false);
	fail_openocd("0\npmk_halted pc (/32): 0x\n\n\x1a", PMK_EIO, "instead of a number", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_dumps),
		cmocka_unit_test(test_openocd_word),
		cmocka_unit_test(test_openocd_coprocessor),
		cmocka_unit_test(test_openocd_error),
		cmocka_unit_test(test_openocd_nonsense),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_gdb_word),
		cmocka_unit_test(test_gdb_repeats),
		cmocka_unit_test(test_gdb_store),
		cmocka_unit_test(test_gdb_acks),
		cmocka_unit_test(test_gdb_asides),
		cmocka_unit_test(test_gdb_monitor),
		cmocka_unit_test(test_gdb_nonsense),
		cmocka_unit_test(test_gdb_bomb),
		cmocka_unit_test(test_gdb_hold),
		cmocka_unit_test(test_gdb_chatter),
		cmocka_unit_test(test_where),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_gdb_breakpoint),
		cmocka_unit_test(test_leave),
		cmocka_unit_test(test_leave_without_an_answer),
		cmocka_unit_test(test_gdb_look),
		cmocka_unit_test(test_gdb_of_openocd),
		cmocka_unit_test(test_openocd_breakpoint),
		cmocka_unit_test(test_openocd_halts_there),
		cmocka_unit_test(test_openocd_breakpoint_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
