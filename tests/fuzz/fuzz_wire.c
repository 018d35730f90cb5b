// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a probe or a stub sends random replies. An access gives a value or an error, whose
 * text is one line of printable characters. After the connection is lost, every access returns an
 * error at once.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_wire.c
 *
 * In the first byte, bit 0 selects GDB's protocol instead of OpenOCD's Tcl port, bit 1 means that
 * packets are not acknowledged, and bit 2 that pmk does not greet the other side. The other bits
 * select the first access. The rest of the input is what the other side sends, before any request.
 * Then it closes its end.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pmk/arm11.h>
#include <pmk/error.h>

#include "producer/wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ACCESSES 64 /* so few that the requests fit into the socket */

static void expect(int condition)
{
	if (!condition)
		abort();
}

static void check(const struct pmk_wire *w, int err)
{
	expect(err <= 0);
	if (err != PMK_EIO)
		return;
	expect(*w->link.why && strlen(w->link.why) < sizeof(w->link.why));
	for (const char *c = w->link.why; *c; c++)
		expect((unsigned char)*c >= ' ' && *c != 0x7f);
}

/* Makes a JTAG scan as the debug module's port does. */
static int scan(struct pmk_wire *w)
{
	struct pmk_wire_tap tap = { .wire = w, .user = 3, .bypass = 0x3f };
	struct pmk_mdm_jtag jtag = { .ports = 1 };
	struct pmk_port port = pmk_port_mdm_jtag(&jtag);
	uint64_t value;
	int err;

	pmk_wire_mdm(&jtag, &tap);
	err = pmk_mdm_jtag_open(&jtag);
	if (!err)
		err = port.read(port.ctx, PMK_MICROBLAZE_PCDRR, &value);
	/* The next command contains the name of a TAP. */
	expect(strlen(tap.name) < sizeof(tap.name));
	return err;
}

static int one_access(struct pmk_wire *w, unsigned which)
{
	static const uint16_t offset[] = { 0, 8 };
	static const uint32_t wide[] = { 2 };
	struct pmk_wire_memory m = { w, 0x1000, offset, 2, wide };
	struct pmk_port memory = pmk_wire_port_memory(&m), arm11 = pmk_wire_port_arm11(w);
	uint64_t value;

	switch (which % 11) {
	case 0:
		return memory.read(memory.ctx, 0, &value);
	case 1:
		return memory.read(memory.ctx, 1, &value);
	case 2:
		return memory.write(memory.ctx, 1, UINT64_C(0x123456789abcdef0));
	case 3:
		return arm11.read(arm11.ctx, PMK_ARM11_PMNC, &value);
	case 4:
		return arm11.write(arm11.ctx, PMK_ARM11_PMN1, 7);
	case 5:
		return pmk_wire_hold(w);
	case 6:
		return pmk_wire_let_go(w);
	case 8:
		return w->speaker->breakpoint(w, 0x8100, !w->has_breakpoint);
	case 9:
		return pmk_wire_let_go(w);
	case 10:
		return pmk_wire_look(w);
	default:
		return scan(w);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmk_wire wire = { 0 };
	int fds[2], err;

	if (!size || socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return 0;
	expect(write(fds[1], data + 1, size - 1) == (ssize_t)size - 1);
	shutdown(fds[1], SHUT_WR);
	pmk_link_adopt(&wire.link, "fuzz", fds[0], 1000);
	wire.speaker = data[0] & 1 ? &pmk_speaker_gdb : &pmk_speaker_openocd;
	err = data[0] & 4 ? 0 : wire.speaker->greet(&wire);
	wire.no_acks |= (data[0] & 2) != 0;
	check(&wire, err);
	for (unsigned i = 0; i < ACCESSES && !pmk_wire_lost(&wire); i++)
		check(&wire, one_access(&wire, i + (data[0] >> 3)));
	if (pmk_wire_lost(&wire))
		expect(one_access(&wire, 0) == PMK_EIO);
	pmk_wire_close(&wire);
	close(fds[1]);
	return 0;
}
