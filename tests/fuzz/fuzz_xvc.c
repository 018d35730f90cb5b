// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a server of Xilinx' virtual cable sends random replies. The debug module or the ARM11
 * gives values or an error, whose text is one line of printable characters. After the connection is
 * lost, every scan returns an error at once.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_xvc.c
 *
 * The first four bytes select the expected chain. In the first byte, bit 7 also means that pmk does
 * not greet the server, and bit 6 that there is an ARM11. The rest of the input is what the server
 * sends, before any request. Then it closes its end.
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

#define CHOICES	 4
#define ACCESSES 32 /* so few that the requests fit into the socket */
#define FEW	 2  /* for accesses that take twenty scans */

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

/*
 * Returns other TAPs within the limits of the settings: at most 12 on either side, each with 2 to
 * 32 bits.
 */
static struct pmk_wire_taps others(uint8_t choice)
{
	unsigned taps = (choice & 15) % 13;

	return (struct pmk_wire_taps){ taps, taps * (2 + (choice >> 4) * 2) };
}

static void count(struct pmk_wire *w, const uint8_t *choice)
{
	struct pmk_wire_tap tap = { .wire = w, .user = 3, .bypass = 0x3f };
	struct pmk_mdm_jtag jtag = { .ports = (uint8_t)(1 + (choice[3] & 31)) };
	struct pmk_port port = pmk_port_mdm_jtag(&jtag);
	uint64_t value;
	int err;

	tap.irlen = 2 + choice[0] % 31;
	tap.period_ns = choice[3] >> 5;
	tap.before = others(choice[1]);
	tap.after = others(choice[2]);
	pmk_wire_mdm(&jtag, &tap);
	err = pmk_mdm_jtag_open(&jtag);
	check(w, err);
	for (unsigned i = 0; !err && i < ACCESSES; i++) {
		err = port.read(port.ctx, PMK_MICROBLAZE_PCDRR, &value);
		check(w, err);
		if (!err)
			expect(value <= UINT32_MAX);
	}
	if (pmk_wire_lost(w))
		expect(port.read(port.ctx, PMK_MICROBLAZE_PCDRR, &value) == PMK_EIO);
}

/* Counts on an ARM11. `tap` belongs to the caller, because pmk_wire_close() uses it, too: if pmk
 * found the processor halted, closing halts it again. */
static void count_arm11(struct pmk_wire *w, struct pmk_wire_tap *tap, const uint8_t *choice)
{
	struct pmk_port port = pmk_wire_port_arm11(w);
	uint64_t value;
	int err;

	*tap = (struct pmk_wire_tap){ .wire = w, .irlen = 5, .period_ns = choice[3] >> 5 };
	tap->before = others(choice[1]);
	tap->after = others(choice[2]);
	w->arm11.tap = tap;
	w->halts = true;
	err = pmk_wire_hold(w);
	check(w, err);
	for (unsigned i = 0; !err && i < FEW; i++) {
		err = port.read(port.ctx, PMK_ARM11_CCNT, &value);
		check(w, err);
		if (!err)
			err = port.write(port.ctx, PMK_ARM11_PMNC, value);
		check(w, err);
	}
	check(w, pmk_wire_let_go(w));
	if (pmk_wire_lost(w))
		expect(port.read(port.ctx, PMK_ARM11_CCNT, &value) == PMK_EIO);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmk_wire_tap tap;
	struct pmk_wire wire = { .speaker = &pmk_speaker_xvc, .most_bits = 1024 };
	int fds[2], err = 0;

	if (size < CHOICES || socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return 0;
	expect(write(fds[1], data + CHOICES, size - CHOICES) == (ssize_t)(size - CHOICES));
	shutdown(fds[1], SHUT_WR);
	pmk_link_adopt(&wire.link, "fuzz", fds[0], 1000);
	if (!(data[0] & 0x80))
		err = wire.speaker->greet(&wire);
	check(&wire, err);
	if (!err && data[0] & 0x40)
		count_arm11(&wire, &tap, data);
	else if (!err)
		count(&wire, data);
	pmk_wire_close(&wire);
	close(fds[1]);
	return 0;
}
