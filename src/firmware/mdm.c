// SPDX-License-Identifier: MIT
/*
 * MicroBlaze counters through the memory-mapped registers of the MicroBlaze Debug Module.
 * Freestanding; see <pmk/microblaze.h>.
 *
 * Sources: PG115 for the registers and for example values of DBG_CTRL and Which-MicroBlaze; UG984
 * for the values of DBG_CTRL that access the counters. The positions of the fields in DBG_CTRL and
 * the behaviour of the access lock are those of the module's published VHDL (mdm_v3_2). The sources
 * differ on a bit of DBG_STATUS: PG115 says that it is set while JTAG holds the lock, the VHDL sets
 * it while software does. This file follows the VHDL.
 *
 *  - Software requests the access lock by writing DBG_CTRL. The module does not queue requests:
 *    write, read whether the lock was granted, and write again if not.
 *  - With lock type 01 the module releases the lock after the next access to DBG_DATA, so
 *    DBG_CTRL is written before each access.
 *  - If DBG_LOCK is unlocked, the key 0xEBAB locks it again in some versions of the module. So a 0,
 *    which locks it, is written before the key.
 *  - When DBG_DATA is read, the bits above the size of the register are left over from what the
 *    module shifted before. So they are set to 0.
 */
#include <pmk/microblaze.h>

#include <pmk/bits.h>

/* clang-format off */
#define DBG_STATUS 0x10 /* read */
#define DBG_CTRL   0x10 /* write */
#define DBG_DATA   0x14
#define DBG_LOCK   0x18

#define STATUS_LOCKED PMK_BIT(0)      /* software holds the access lock */

#define CTRL_TYPE     PMK_BITS(19, 18) /* type of the access lock */
#define CTRL_MDM      PMK_BIT(17)      /* the register is the module's, not the processor's */
#define CTRL_COMMAND  PMK_BITS(16, 9)
#define CTRL_SIZE     PMK_BITS(8, 0)   /* bits - 1 */
/* clang-format on */

#define TYPE_RELEASE 0
#define TYPE_ONCE    1

#define UNLOCK 0xEBAB

#define WHICH_MICROBLAZE 0x0D /* MDM command; bit n is processor n */

static uint32_t control_word(unsigned command, unsigned bits)
{
	uint64_t ctrl = PMK_PUT(0, CTRL_TYPE, TYPE_ONCE);

	ctrl = PMK_PUT(ctrl, CTRL_COMMAND, command);
	return (uint32_t)PMK_PUT(ctrl, CTRL_SIZE, bits - 1);
}

/* Ends an access. If it failed, releases the access lock, which software may still hold. */
static int end_access(const struct pmk_mdm *mdm, int err)
{
	if (err)
		mdm->store(mdm->ctx, DBG_CTRL, (uint32_t)PMK_PUT(0, CTRL_TYPE, TYPE_RELEASE));
	return err;
}

/* Requests the access lock until it is granted. */
static int begin_access(const struct pmk_mdm *mdm, uint32_t ctrl)
{
	for (uint32_t i = 0; i < mdm->patience; i++) {
		uint32_t status;
		int err = mdm->store(mdm->ctx, DBG_CTRL, ctrl);

		if (!err)
			err = mdm->load(mdm->ctx, DBG_STATUS, &status);
		if (err)
			return end_access(mdm, err);
		if (status & STATUS_LOCKED)
			return PMK_OK;
	}
	return PMK_EBUSY;
}

static int put_command(const struct pmk_mdm *mdm, uint32_t ctrl, uint32_t value)
{
	int err = begin_access(mdm, ctrl);

	if (err)
		return err;
	return end_access(mdm, mdm->store(mdm->ctx, DBG_DATA, value));
}

static int read_register(void *ctx, unsigned reg, uint64_t *value)
{
	const struct pmk_mdm *mdm = ctx;
	const struct pmk_microblaze_access *a;
	uint32_t data = 0;
	int err;

	if (reg >= PMK_MICROBLAZE_NREGS)
		return PMK_EBADREG;
	a = &pmk_microblaze_access[reg];
	if (a->write)
		return PMK_EINVAL;
	err = begin_access(mdm, control_word(a->command, a->bits));
	if (!err)
		err = end_access(mdm, mdm->load(mdm->ctx, DBG_DATA, &data));
	*value = data & UINT32_MAX >> (32 - a->bits);
	return err;
}

static int write_register(void *ctx, unsigned reg, uint64_t value)
{
	const struct pmk_microblaze_access *a;

	if (reg >= PMK_MICROBLAZE_NREGS)
		return PMK_EBADREG;
	a = &pmk_microblaze_access[reg];
	if (!a->write)
		return PMK_EINVAL;
	return put_command(ctx, control_word(a->command, a->bits), (uint32_t)value);
}

/* Selects the processor. This is not necessary if there is only one. */
static int select_processor(const struct pmk_mdm *mdm)
{
	unsigned bits = mdm->ports > 8 ? mdm->ports : 8;

	if (mdm->ports == 1)
		return PMK_OK;
	return put_command(mdm, control_word(WHICH_MICROBLAZE, bits) | (uint32_t)CTRL_MDM,
			   UINT32_C(1) << mdm->processor);
}

int pmk_mdm_open(struct pmk_mdm *mdm)
{
	int err;

	if (mdm->ports > 32 || mdm->processor >= mdm->ports)
		return PMK_EINVAL;
	err = mdm->store(mdm->ctx, DBG_LOCK, 0);
	if (!err)
		err = mdm->store(mdm->ctx, DBG_LOCK, UNLOCK);
	if (!err)
		err = select_processor(mdm);
	if (err)
		mdm->store(mdm->ctx, DBG_LOCK, 0);
	return err;
}

int pmk_mdm_close(struct pmk_mdm *mdm)
{
	return mdm->store(mdm->ctx, DBG_LOCK, 0);
}

struct pmk_port pmk_port_mdm(struct pmk_mdm *mdm)
{
	return (struct pmk_port){ .read = read_register, .write = write_register, .ctx = mdm };
}
