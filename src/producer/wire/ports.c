// SPDX-License-Identifier: MIT
/* Makes ports to PMUs over a wire: to registers in memory, to an ARM11, and to MicroBlaze's debug
 * module. */
#include "producer/wire/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pmk/arm11.h>
#include <pmk/error.h>
#include <pmk/native.h>

/* ---- memory ---------------------------------------------------------------------------------- */

static int address_of(const struct pmk_wire_memory *m, unsigned reg, uint64_t *address)
{
	if (reg >= m->noffsets || m->offset[reg] == PMK_MMIO_NONE)
		return PMK_EBADREG;
	*address = m->base + m->offset[reg];
	return 0;
}

static bool is_wide(const struct pmk_wire_memory *m, unsigned reg)
{
	return m->wide && (m->wide[reg / 32] >> reg % 32 & 1);
}

static int load_word(const struct pmk_wire_memory *m, uint64_t address, uint32_t *value)
{
	return m->wire->speaker->load(m->wire, address, value);
}

static int store_word(const struct pmk_wire_memory *m, uint64_t address, uint32_t value)
{
	return m->wire->speaker->store(m->wire, address, value);
}

/* Maximum number of attempts to read the high half; a running counter does not change it twice. */
#define MAX_CHANGES 8

/* Read a 64-bit register while the target may run: read the high half, the low half and the high
 * half again, until the high half has not changed. */
static int load_wide(const struct pmk_wire_memory *m, uint64_t address, uint64_t *value)
{
	uint32_t high, low = 0, again = 0;
	int err = load_word(m, address + 4, &again);

	for (unsigned i = 0; !err && i < MAX_CHANGES; i++) {
		high = again;
		err = load_word(m, address, &low);
		if (!err)
			err = load_word(m, address + 4, &again);
		if (err || again != high)
			continue;
		*value = (uint64_t)high << 32 | low;
		return 0;
	}
	return err ? err
		   : pmk_link_fail(&m->wire->link, PMK_EIO,
				   "the word at 0x%" PRIx64 " changes with every reading, so it "
				   "is not the high half of a counter",
				   address + 4);
}

static int read_memory(void *ctx, unsigned reg, uint64_t *value)
{
	const struct pmk_wire_memory *m = ctx;
	uint64_t address;
	uint32_t word = 0;
	int err = address_of(m, reg, &address);

	if (err)
		return err;
	if (is_wide(m, reg))
		return load_wide(m, address, value);
	err = load_word(m, address, &word);
	*value = word;
	return err;
}

static int write_memory(void *ctx, unsigned reg, uint64_t value)
{
	const struct pmk_wire_memory *m = ctx;
	uint64_t address;
	int err = address_of(m, reg, &address);

	if (err)
		return err;
	if (is_wide(m, reg)) {
		/* Set the low half to 0 first, so that no carry changes the new high half. */
		err = store_word(m, address, 0);
		if (!err)
			err = store_word(m, address + 4, (uint32_t)(value >> 32));
	}
	return err ? err : store_word(m, address, (uint32_t)value);
}

struct pmk_port pmk_wire_port_memory(struct pmk_wire_memory *m)
{
	return (struct pmk_port){ .read = read_memory, .write = write_memory, .ctx = m };
}

/* Load a word of MicroBlaze's debug module. Its words begin at its base, and all have 32 bits. */
static int load_mdm(void *ctx, unsigned offset, uint32_t *value)
{
	const struct pmk_wire_memory *m = ctx;

	return load_word(m, m->base + offset, value);
}

static int store_mdm(void *ctx, unsigned offset, uint32_t value)
{
	const struct pmk_wire_memory *m = ctx;

	return store_word(m, m->base + offset, value);
}

void pmk_wire_mdm_memory(struct pmk_mdm *mdm, struct pmk_wire_memory *m)
{
	mdm->load = load_mdm;
	mdm->store = store_mdm;
	mdm->ctx = m;
}

/* ---- ARM11 ----------------------------------------------------------------------------------- */

/* CRm and opcode 2 of the instruction MRC p15, 0, <Rd>, c15, … for each register (DAI 0195B §2; DDI
 * 0301H §3.2.50-54). */
static const struct {
	uint8_t crm, op2;
} arm11[PMK_ARM11_NREGS] = {
	[PMK_ARM11_PMNC] = { 12, 0 }, [PMK_ARM11_CCNT] = { 12, 1 },   [PMK_ARM11_PMN0] = { 12, 2 },
	[PMK_ARM11_PMN1] = { 12, 3 }, [PMK_ARM11_SUNAVCR] = { 9, 0 },
};

static int read_arm11(void *ctx, unsigned reg, uint64_t *value)
{
	uint32_t word = 0;
	int err = PMK_EBADREG;

	if (reg < PMK_ARM11_NREGS)
		err = pmk_wire_mrc(ctx, 15, arm11[reg].crm, arm11[reg].op2, &word);
	*value = word;
	return err;
}

static int write_arm11(void *ctx, unsigned reg, uint64_t value)
{
	return reg < PMK_ARM11_NREGS
		       ? pmk_wire_mcr(ctx, 15, arm11[reg].crm, arm11[reg].op2, (uint32_t)value)
		       : PMK_EBADREG;
}

struct pmk_port pmk_wire_port_arm11(struct pmk_wire *w)
{
	return (struct pmk_port){ .read = read_arm11, .write = write_arm11, .ctx = w };
}

/* ---- the MDM --------------------------------------------------------------------------------- */

/* Let the probe execute a scan command. `said`, which must not be NULL, receives the first line of
 * the output. */
static int scan_command(struct pmk_wire *w, const char *command, char *said, size_t size)
{
	int err = w->speaker->command(w, command, said, size);

	if (!err)
		said[strcspn(said, "\r\n")] = '\0';
	return err;
}

/* Find the first TAP of the chain if the user named none. */
static int find_tap(struct pmk_wire_tap *tap)
{
	char said[1024];
	size_t n;
	int err;

	if (*tap->name)
		return 0;
	err = scan_command(tap->wire, "jtag names", said, sizeof(said));
	if (err)
		return err;
	n = strcspn(said, " ");
	if (!n || n >= sizeof(tap->name))
		return pmk_link_fail(&tap->wire->link, PMK_EIO,
				     "its JTAG chain has no TAP ('jtag names' said '%.100s')",
				     said);
	memcpy(tap->name, said, n);
	tap->name[n] = '\0';
	return 0;
}

/* Load the instruction USERn, by pmk's own scans. */
static int load_user(const struct pmk_wire_tap *tap)
{
	const struct pmk_speaker *speaker = tap->wire->speaker;
	int err = tap->period_ns ? speaker->set_clock(tap->wire, tap->period_ns) : 0;

	if (!err)
		err = speaker->bypass(tap->wire, tap);
	return err ? err : speaker->scan_ir(tap->wire, tap, tap->user);
}

static int select_user(void *ctx)
{
	struct pmk_wire_tap *tap = ctx;
	char command[128], said[256];
	int err;

	if (tap->wire->speaker->scan_ir)
		return load_user(tap);
	err = find_tap(tap);
	if (err)
		return err;
	snprintf(command, sizeof(command), "irscan %s 0x%x", tap->name, tap->bypass);
	err = scan_command(tap->wire, command, said, sizeof(said));
	if (err)
		return err;
	snprintf(command, sizeof(command), "irscan %s 0x%x", tap->name, tap->user);
	return scan_command(tap->wire, command, said, sizeof(said));
}

static int scan_register(void *ctx, unsigned bits, const uint8_t *out, uint8_t *in)
{
	struct pmk_wire_tap *tap = ctx;
	char command[160], said[256];
	uint32_t value = 0;
	int err;

	if (bits > 32)
		return PMK_ERANGE;
	if (tap->wire->speaker->scan_dr)
		return tap->wire->speaker->scan_dr(tap->wire, tap, bits, out, in);
	for (unsigned i = 0; i < (bits + 7) / 8; i++)
		value |= (uint32_t)out[i] << 8 * i;
	snprintf(command, sizeof(command), "drscan %s %u 0x%" PRIx32, tap->name, bits, value);
	err = scan_command(tap->wire, command, said, sizeof(said));
	if (!err && !pmk_wire_number(said, 16, &value))
		err = pmk_link_fail(&tap->wire->link, PMK_EIO,
				    "'%s' gave '%.100s' instead of a number", command, said);
	for (unsigned i = 0; !err && in && i < (bits + 7) / 8; i++)
		in[i] = (uint8_t)(value >> 8 * i);
	return err;
}

void pmk_wire_mdm(struct pmk_mdm_jtag *jtag, struct pmk_wire_tap *tap)
{
	jtag->select = select_user;
	jtag->scan = scan_register;
	jtag->ctx = tap;
}
