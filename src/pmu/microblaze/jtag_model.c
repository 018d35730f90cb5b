// SPDX-License-Identifier: MIT
/*
 * Model of the MicroBlaze Debug Module's JTAG side: the data register of its USER instruction.
 *
 * The first scan after the instruction is loaded selects a port; port 1 is the debug module. From
 * then on scans alternate: a command of 8 bits, lowest first, then its data. Data of processors
 * begin with the highest bit, data of the module itself with the lowest. Our choice, where the
 * source of the module and the vendor's tools leave it open:
 *  - The other ports (0 configuration, 2 external JTAG) are not modelled: zeros.
 *  - Commands below 0x50 are the module's own, all others a processor's.
 *  - A scan of a length that the register does not have shifts through it as through any shift
 *    register.
 *  - Scans reach no register while software has the access lock, but still alternate.
 */
#include <pmk/microblaze_model.h>

#define PORT_BITS	4
#define PORT_MDM	1
#define COMMAND_BITS	8
#define FIRST_PROCESSOR 0x50 /* lowest command of a processor */

static bool is_own_command(const struct pmk_mdm_jtag_model *j)
{
	return j->command < FIRST_PROCESSOR;
}

static void shift_bits(struct pmk_mdm_shift *s, unsigned bits, const uint8_t *out, uint8_t *in)
{
	for (unsigned i = 0; i < bits; i++) {
		uint8_t bit = (uint8_t)(1 << i % 8);
		bool came = pmk_mdm_shift_bit(s, out[i / 8] & bit);

		if (in)
			in[i / 8] = (uint8_t)(came ? in[i / 8] | bit : in[i / 8] & ~bit);
	}
}

/* Scans a register of `width` zeros. Returns its value after the scan. */
static uint8_t scan_plain(unsigned width, unsigned bits, const uint8_t *out, uint8_t *in)
{
	struct pmk_mdm_shift s = { .bits = (uint8_t)width };

	shift_bits(&s, bits, out, in);
	return (uint8_t)s.value;
}

static int scan_command(struct pmk_mdm_jtag_model *j, unsigned bits, const uint8_t *out,
			uint8_t *in)
{
	int err = PMK_OK;

	j->command = scan_plain(COMMAND_BITS, bits, out, in);
	j->fetched = j->mdm->params.fetch_early && !j->mdm->held;
	if (j->fetched)
		err = pmk_mdm_capture(j->mdm, &j->early, is_own_command(j), j->command,
				      PMK_MDM_BOTH);
	return err;
}

static int scan_data(struct pmk_mdm_jtag_model *j, unsigned bits, const uint8_t *out, uint8_t *in)
{
	struct pmk_mdm_shift s = j->early;
	int err = PMK_OK;

	if (!j->fetched)
		err = pmk_mdm_capture(j->mdm, &s, is_own_command(j), j->command, PMK_MDM_BOTH);
	if (err)
		return err;
	shift_bits(&s, bits, out, in);
	return pmk_mdm_update(j->mdm, &s, is_own_command(j), j->command, PMK_MDM_BOTH);
}

int pmk_mdm_jtag_model_scan(void *model, unsigned bits, const uint8_t *out, uint8_t *in)
{
	struct pmk_mdm_jtag_model *j = model;
	bool data = j->data_phase;

	if (!j->user) {
		scan_plain(1, bits, out, in);
		return PMK_OK;
	}
	if (!j->chosen) {
		j->port = scan_plain(PORT_BITS, bits, out, in);
		j->chosen = true;
		return PMK_OK;
	}
	j->data_phase = !data;
	if (j->port == PORT_MDM && j->mdm->held)
		j->mdm->overrun = true;
	if (j->port != PORT_MDM || (data && j->mdm->held)) {
		scan_plain(0, bits, out, in);
		return PMK_OK;
	}
	return data ? scan_data(j, bits, out, in) : scan_command(j, bits, out, in);
}

void pmk_mdm_jtag_model_deselect(struct pmk_mdm_jtag_model *j)
{
	pmk_mdm_jtag_model_reset(j, j->mdm);
}

int pmk_mdm_jtag_model_select(void *model)
{
	struct pmk_mdm_jtag_model *j = model;

	pmk_mdm_jtag_model_deselect(j);
	j->user = true;
	return PMK_OK;
}

void pmk_mdm_jtag_model_reset(struct pmk_mdm_jtag_model *j, struct pmk_mdm_model *mdm)
{
	*j = (struct pmk_mdm_jtag_model){ .mdm = mdm };
}
