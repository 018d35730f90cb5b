// SPDX-License-Identifier: MIT
/*
 * MicroBlaze counters through the JTAG side of the MicroBlaze Debug Module. Freestanding; see
 * <pmk/microblaze.h>.
 *
 * Sources: the module's published VHDL (mdm_v3_2) and the scripts of the vendor's debugger (xsdb).
 * The first scan after the USER instruction selects a port. After it, scans alternate: a command of
 * 8 bits, then as many bits of data as the command's register has. Registers of the module are
 * shifted with bit 0 first, registers of a MicroBlaze with the highest bit first.
 */
#include <pmk/microblaze.h>

#include <stddef.h>

#define SELECT_BITS  4 /* port select: 0 configuration, 1 MDM, 2 external */
#define SELECT_MDM   1
#define COMMAND_BITS 8

#define WHICH_MICROBLAZE 0x0D /* MDM command; bit n is processor n */

static int scan_bits(struct pmk_mdm_jtag *jtag, unsigned bits, uint32_t out, uint32_t *in)
{
	uint8_t to[4], from[4] = { 0 };
	int err;

	for (unsigned i = 0; i < 4; i++)
		to[i] = (uint8_t)(out >> 8 * i);
	err = jtag->scan(jtag->ctx, bits, to, in ? from : NULL);
	if (err)
		jtag->lost = true;
	if (in)
		*in = (uint32_t)from[3] << 24 | (uint32_t)from[2] << 16 | (uint32_t)from[1] << 8 |
		      from[0];
	return err;
}

/* Reverse the bits, so that bit 0 becomes the highest of `bits`. */
static uint32_t mirror_bits(uint32_t value, unsigned bits)
{
	uint32_t mirrored = 0;

	for (unsigned i = 0; i < bits; i++)
		mirrored = mirrored << 1 | (value >> i & 1);
	return mirrored;
}

static int read_register(void *ctx, unsigned reg, uint64_t *value)
{
	struct pmk_mdm_jtag *jtag = ctx;
	const struct pmk_microblaze_access *a;
	uint32_t data = 0;
	int err;

	if (reg >= PMK_MICROBLAZE_NREGS)
		return PMK_EBADREG;
	a = &pmk_microblaze_access[reg];
	if (a->write)
		return PMK_EINVAL;
	if (jtag->lost)
		return PMK_EIO;
	err = scan_bits(jtag, COMMAND_BITS, a->command, NULL);
	if (!err)
		err = scan_bits(jtag, a->bits, 0, &data);
	*value = mirror_bits(data, a->bits);
	return err;
}

static int write_register(void *ctx, unsigned reg, uint64_t value)
{
	struct pmk_mdm_jtag *jtag = ctx;
	const struct pmk_microblaze_access *a;
	int err;

	if (reg >= PMK_MICROBLAZE_NREGS)
		return PMK_EBADREG;
	a = &pmk_microblaze_access[reg];
	if (!a->write)
		return PMK_EINVAL;
	if (jtag->lost)
		return PMK_EIO;
	err = scan_bits(jtag, COMMAND_BITS, a->command, NULL);
	if (!err)
		err = scan_bits(jtag, a->bits, mirror_bits((uint32_t)value, a->bits), NULL);
	return err;
}

/* Selects the processor. This is not necessary if there is only one. */
static int select_processor(struct pmk_mdm_jtag *jtag)
{
	int err;

	if (jtag->ports == 1)
		return PMK_OK;
	err = scan_bits(jtag, COMMAND_BITS, WHICH_MICROBLAZE, NULL);
	if (!err)
		err = scan_bits(jtag, jtag->ports > 8 ? jtag->ports : 8,
				UINT32_C(1) << jtag->processor, NULL);
	return err;
}

int pmk_mdm_jtag_open(struct pmk_mdm_jtag *jtag)
{
	int err;

	if (jtag->ports > 32 || jtag->processor >= jtag->ports)
		return PMK_EINVAL;
	err = jtag->select(jtag->ctx);
	jtag->lost = err != 0;
	if (!err)
		err = scan_bits(jtag, SELECT_BITS, SELECT_MDM, NULL);
	if (!err)
		err = select_processor(jtag);
	return err;
}

struct pmk_port pmk_port_mdm_jtag(struct pmk_mdm_jtag *jtag)
{
	return (struct pmk_port){ .read = read_register, .write = write_register, .ctx = jtag };
}
