// SPDX-License-Identifier: MIT
/*
 * Models how software accesses debug registers through the MicroBlaze Debug Module (PG115).
 *
 *	DBG_CTRL  19:18 access lock type | 17 module's own register | 16:9 command | 8:0 bits - 1
 *
 * The positions and the lock types are those of two public revisions of the module's source,
 * because PG115 only gives example values. Each point that these sources leave open has a
 * parameter. In addition, the following is our choice:
 *  - A write of DBG_CTRL aborts a partial transfer of a register of more than 32 bits.
 *  - If an access has more or fewer bits than the register, the register still shifts by one bit
 *    per bit of the access.
 *  - Accesses take no time. So software and the debugger cannot interrupt each other between
 *    command and data.
 *  - While software has the access lock, scans of the debugger reach no register and set `overrun`.
 *  - The register "Which MicroBlaze" is write-only. If there is only one processor, writes are
 *    ignored and the processor is always selected.
 */

#include <pmk/bits.h>
#include <pmk/microblaze_model.h>

#define OFFSET_CTRL 0x10 /* DBG_CTRL when written, DBG_STATUS when read */
#define OFFSET_DATA 0x14
#define OFFSET_LOCK 0x18

#define KEY	   0xEBAB
#define CTRL_TYPE  PMK_BITS(19, 18)
#define CTRL_OWN   PMK_BIT(17)
#define CTRL_CMD   PMK_BITS(16, 9)
#define CTRL_SIZE  PMK_BITS(8, 0)
#define CTRL_WIDTH PMK_BITS(19, 0)

enum lock_type { RELEASE, TAKE_ONCE, TAKE, FORCE };

/* The module's own registers: PG115. */
enum own_command { MDM_ID = 0x00, MDM_CONFIG = 0x0c, WHICH_MICROBLAZE = 0x0d };

#define ID		0x584d4443 /* "XMDC" */
#define CONFIG_BITS	35
/* The bits that all modules have: 31:24 are 0x42, 23 and 22 are set, 19:16 are 7 (the UART has 8
 * bits), 7:4 are 6, and 3:0 are 7. */
#define CONFIG_FIXED	0x42c70067
#define CONFIG_UART	PMK_BIT(21)
#define CONFIG_COUNT	PMK_BITS(15, 8)
#define CONFIG_ACCESS	PMK_BIT(33)
#define CONFIG_TRIGGERS PMK_BIT(34)

const struct pmk_mdm_params pmk_mdm_defaults = { .access = true,
						 .uart = true,
						 .key_toggles = true };

/* ---- registers of processors --------------------------------------------------------------- */

static uint32_t selected_processors(const struct pmk_mdm_model *m)
{
	return m->nprocessors == 1 ? 1 : m->which & PMK_BITS(m->nprocessors - 1, 0);
}

/* Returns the register of a processor that `command` accesses, or PMK_MICROBLAZE_NREGS if it
 * accesses none. */
static unsigned reg_of(unsigned command)
{
	unsigned reg = 0;

	while (reg < PMK_MICROBLAZE_NREGS && pmk_microblaze_access[reg].command != command)
		reg++;
	return reg;
}

static uint64_t config_value(const struct pmk_mdm_model *m)
{
	uint64_t config = CONFIG_FIXED;

	config = PMK_PUT(config, CONFIG_UART, (uint64_t)m->params.uart);
	config = PMK_PUT(config, CONFIG_COUNT, (uint64_t)m->nprocessors);
	config = PMK_PUT(config, CONFIG_ACCESS, (uint64_t)m->params.access);
	return PMK_PUT(config, CONFIG_TRIGGERS, (uint64_t)m->params.cross_trigger);
}

static void capture_own(const struct pmk_mdm_model *m, struct pmk_mdm_shift *s, unsigned command)
{
	switch ((enum own_command)command) {
	case MDM_ID:
		*s = (struct pmk_mdm_shift){ .value = ID, .bits = 32 };
		break;
	case MDM_CONFIG:
		*s = (struct pmk_mdm_shift){ .value = config_value(m), .bits = CONFIG_BITS };
		break;
	case WHICH_MICROBLAZE:
		s->bits = m->nprocessors > 8 ? m->nprocessors : 8;
		break;
	}
}

static int read_selected(struct pmk_mdm_model *m, unsigned reg, uint64_t *value)
{
	uint64_t any = 0, all = UINT64_MAX;

	for (unsigned i = 0; i < m->nprocessors; i++) {
		const struct pmk_port *port = &m->processor[i];
		uint64_t v = 0;
		int err = selected_processors(m) >> i & 1 ? port->read(port->ctx, reg, &v) : 0;

		if (err)
			return err;
		if (!(selected_processors(m) >> i & 1))
			continue;
		any |= v;
		all &= v;
	}
	*value = m->params.all_of_several && selected_processors(m) ? all : any;
	return PMK_OK;
}

static int write_selected(struct pmk_mdm_model *m, unsigned reg, uint64_t value)
{
	for (unsigned i = 0; i < m->nprocessors; i++) {
		const struct pmk_port *port = &m->processor[i];
		int err = selected_processors(m) >> i & 1 ? port->write(port->ctx, reg, value) : 0;

		if (err)
			return err;
	}
	return PMK_OK;
}

int pmk_mdm_capture(struct pmk_mdm_model *m, struct pmk_mdm_shift *s, bool own, unsigned command,
		    enum pmk_mdm_way way)
{
	unsigned reg = reg_of(command);

	*s = (struct pmk_mdm_shift){ .from_top = !own };
	if (own) {
		capture_own(m, s, command);
		return PMK_OK;
	}
	if (reg == PMK_MICROBLAZE_NREGS)
		return PMK_OK;
	s->bits = pmk_microblaze_access[reg].bits;
	if (way == PMK_MDM_WRITE || (way == PMK_MDM_BOTH && pmk_microblaze_access[reg].write))
		return PMK_OK;
	return read_selected(m, reg, &s->value);
}

bool pmk_mdm_shift_bit(struct pmk_mdm_shift *s, bool in)
{
	bool out;

	if (!s->bits)
		return false;
	if (s->from_top) {
		out = s->value >> (s->bits - 1) & 1;
		s->value = (s->value << 1 | in) & PMK_BITS(s->bits - 1, 0);
	} else {
		out = s->value & 1;
		s->value = s->value >> 1 | (uint64_t)in << (s->bits - 1);
	}
	return out;
}

int pmk_mdm_update(struct pmk_mdm_model *m, const struct pmk_mdm_shift *s, bool own,
		   unsigned command, enum pmk_mdm_way way)
{
	unsigned reg = reg_of(command);

	if (way == PMK_MDM_READ)
		return PMK_OK;
	if (own) {
		if (command == WHICH_MICROBLAZE)
			m->which = (uint32_t)s->value;
		return PMK_OK;
	}
	if (reg == PMK_MICROBLAZE_NREGS ||
	    (way == PMK_MDM_BOTH && !pmk_microblaze_access[reg].write))
		return PMK_OK;
	return write_selected(m, reg, s->value);
}

/* ---- DBG_DATA ------------------------------------------------------------------------------ */

/*
 * One access to DBG_DATA shifts the next part of the register, at most 32 bits. The module's own
 * registers begin with the lowest bit. Registers of a processor begin with the highest bit. If
 * their size is no multiple of 32, their first part is shorter than 32 bits. If `keep` is set, the
 * bits that are shifted out are stored in m->data.
 */
static void shift_part(struct pmk_mdm_model *m, bool own, unsigned size, bool keep)
{
	unsigned left = size - m->shifted, part = left < 32 ? left : 32;

	if (!own && left > 32 && left % 32)
		part = left % 32;
	for (unsigned i = 0; i < part; i++) {
		uint32_t bit = UINT32_C(1) << (own ? i : part - 1 - i);

		if (pmk_mdm_shift_bit(&m->shift, m->data & bit)) {
			if (keep)
				m->data |= bit;
		} else if (keep) {
			m->data &= ~bit;
		}
	}
	m->shifted = (uint16_t)(m->shifted + part);
}

static int access_data(struct pmk_mdm_model *m, enum pmk_mdm_way way)
{
	bool own = PMK_GET(m->ctrl, CTRL_OWN), keep = way == PMK_MDM_READ;
	unsigned command = (unsigned)PMK_GET(m->ctrl, CTRL_CMD);
	unsigned size = (unsigned)PMK_GET(m->ctrl, CTRL_SIZE) + 1;
	int err = PMK_OK;

	if (m->params.undirected)
		way = PMK_MDM_BOTH;
	if (!m->shifted)
		err = pmk_mdm_capture(m, &m->shift, own, command, way);
	if (err)
		return err;
	shift_part(m, own, size, keep);
	if (m->shifted < size)
		return PMK_OK;
	m->shifted = 0;
	err = pmk_mdm_update(m, &m->shift, own, command, way);
	if (PMK_GET(m->ctrl, CTRL_TYPE) == TAKE_ONCE)
		m->held = false;
	return err;
}

/* True if the locks permit an access to DBG_DATA. If not, *err is the result of the access. */
static bool is_permitted(const struct pmk_mdm_model *m, int *err)
{
	*err = m->params.silent ? PMK_OK : PMK_EIO;
	return m->held && m->unlocked;
}

static int load_data(struct pmk_mdm_model *m, uint32_t *value)
{
	int err;
	bool may = is_permitted(m, &err);

	if (m->params.zero_first)
		m->data = 0;
	if (may)
		err = access_data(m, PMK_MDM_READ);
	*value = m->data;
	return err;
}

static int store_data(struct pmk_mdm_model *m, uint32_t value)
{
	int err;

	if (!is_permitted(m, &err))
		return err;
	m->data = value;
	return access_data(m, PMK_MDM_WRITE);
}

/* ---- the locks ----------------------------------------------------------------------------- */

/* Stores a write of DBG_CTRL. The access lock is acquired and released even if DBG_LOCK does not
 * permit storing the other fields. */
static void store_ctrl(struct pmk_mdm_model *m, uint32_t value)
{
	m->shifted = 0;
	if (m->unlocked)
		m->ctrl = value & CTRL_WIDTH;
	switch ((enum lock_type)PMK_GET(value, CTRL_TYPE)) {
	case RELEASE:
		m->held = false;
		break;
	case TAKE_ONCE:
	case TAKE:
		if (!m->held_by_jtag)
			m->held = true;
		break;
	case FORCE:
		m->held_by_jtag = false;
		m->held = true;
		break;
	}
}

static void store_lock(struct pmk_mdm_model *m, uint32_t value)
{
	bool key = (value & PMK_BITS(15, 0)) == KEY;

	m->unlocked = key && !(m->unlocked && m->params.key_toggles);
}

bool pmk_mdm_model_jtag_lock(struct pmk_mdm_model *m, bool force)
{
	if (m->held && !force)
		return false;
	m->held = false;
	m->held_by_jtag = true;
	return true;
}

void pmk_mdm_model_jtag_unlock(struct pmk_mdm_model *m)
{
	m->held_by_jtag = false;
}

/* ---- the registers ------------------------------------------------------------------------- */

int pmk_mdm_model_load(void *model, unsigned offset, uint32_t *value)
{
	struct pmk_mdm_model *m = model;

	if (!m->params.access)
		return PMK_EIO;
	switch (offset) {
	case OFFSET_CTRL:
		*value = m->params.status_is_jtag ? m->held_by_jtag : m->held;
		return PMK_OK;
	case OFFSET_DATA:
		return load_data(m, value);
	case OFFSET_LOCK:
		*value = 0; /* the register is write-only */
		return PMK_OK;
	default:
		return PMK_EBADREG;
	}
}

int pmk_mdm_model_store(void *model, unsigned offset, uint32_t value)
{
	struct pmk_mdm_model *m = model;

	if (!m->params.access)
		return PMK_EIO;
	switch (offset) {
	case OFFSET_CTRL:
		store_ctrl(m, value);
		return PMK_OK;
	case OFFSET_DATA:
		return store_data(m, value);
	case OFFSET_LOCK:
		store_lock(m, value);
		return PMK_OK;
	default:
		return PMK_EBADREG;
	}
}

void pmk_mdm_model_reset(struct pmk_mdm_model *m, const struct pmk_mdm_params *params,
			 const struct pmk_port *processors, unsigned n)
{
	*m = (struct pmk_mdm_model){
		.params = *params,
		.processor = processors,
		.nprocessors = (uint8_t)n,
	};
}
