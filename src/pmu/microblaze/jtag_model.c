// SPDX-License-Identifier: MIT
/*
 * Models the JTAG side of the MicroBlaze Debug Module: the data register of its USER instruction.
 *
 * The first scan after the instruction is loaded selects a port; port 1 is the debug module. From
 * then on, a scan is alternately a command of 8 bits, lowest bit first, and the data of that
 * command. Data of processors begin with the highest bit, and data of the module itself with the
 * lowest. Where the module's source and the vendor's tools leave a point open, the following is our
 * choice:
 *  - The other ports (0 configuration, 2 external JTAG) are not modelled. They return zeros.
 *  - Commands below 0x50 are the module's own, all others a processor's.
 *  - If a scan is longer or shorter than the register, the register still shifts by one bit per bit
 *    of the scan.
 *  - While software has the access lock, scans reach no register, but still alternate between
 *    commands and data.
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

/* Scans a register of `width` zeros. Returns the register's value after the scan. */
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
