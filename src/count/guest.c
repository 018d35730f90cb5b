// SPDX-License-Identifier: MIT
/* Sets up the PMU that the program itself programs: pmk run. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "count/emulated.h"
#include "cpu/family.h"
#include "producer/session/access_log.h"

/* Handle --irq TYPE[/NAME]:NUMBER. */
static int choose_irq(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	struct pmk_guest_config *g = &e->guest;
	char number[10], more;

	if (!c->q.guest.irq)
		return 0;
	if (sscanf(c->q.guest.irq, "%31[^/:]:%9[0-9]%c", g->irq_type, number, &more) == 2 ||
	    sscanf(c->q.guest.irq, "%31[^/:]/%31[^:]:%9[0-9]%c", g->irq_type, g->irq_name, number,
		   &more) == 3) {
		pmk_unsigned_parse(number, 0, UINT32_MAX, &g->irq);
		return 0;
	}
	return pmk_count_refuse(&c->fault,
				"`irq` %s: expected TYPE[/NAME]:NUMBER of an interrupt "
				"controller's input, bcm2835-ic/gpu-irq:45 for example",
				c->q.guest.irq);
}

/* The address of MicroBlaze's debug module depends on the design of the FPGA. This default is our
 * choice, and the example for ml605 uses it. */
#define DEFAULT_MDM 0x84400000

static bool is_l2(const struct pmk_pmu *pmu)
{
	return pmk_core_l2_type(pmu->name) != 0;
}

/* Handle --at ADDRESS. */
static int choose_base(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	bool ahb = pmk_core_on_ahb(&e->prog.core);
	bool memory = ahb || is_l2(c->pmu) || !strcmp(e->prog.core.isa, "microblaze");

	e->guest.base = ahb ? e->monitor.layout.layout.base : DEFAULT_MDM;
	if (!c->q.guest.at && is_l2(c->pmu))
		return pmk_count_refuse(&c->fault,
					"the address of the registers of the %s is not known; give "
					"it with `at` ADDRESS",
					c->pmu->name);
	if (!c->q.guest.at)
		return 0;
	if (!memory)
		return pmk_count_refuse(
			&c->fault,
			"`at` %s: the registers of %s are in the processor, not in memory; leave "
			"`at` out",
			c->q.guest.at, c->pmu->name);
	/* The processors of these boards have 32-bit addresses. */
	return pmk_number_parse(c->q.guest.at, PMK_ANY_BASE, 0, UINT32_MAX, &e->guest.base) ||
			       e->guest.base % 0x1000
		       ? pmk_count_refuse(
				 &c->fault,
				 "`at` %s: expected the address of a page, 0x84400000 for example",
				 c->q.guest.at)
		       : 0;
}

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return a && !stat(a, &sa) && !stat(b, &sb) && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

/* Handle --log FILE. */
static int open_log(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	char head[PMK_ACCESS_LOG_LINE];
	ssize_t n = (ssize_t)pmk_access_log_head(head, sizeof(head), e->guest_pmu->name,
						 e->prog.core.name);

	if (!c->q.guest.log)
		return 0;
	if (!*c->q.guest.log)
		return pmk_count_refuse(&c->fault, "`log`: the name of the file is empty");
	if (same_file(e->prog.image, c->q.guest.log))
		return pmk_count_refuse(&c->fault,
					"`log` %s would overwrite the firmware; name another file",
					c->q.guest.log);
	e->guest.log =
		open(c->q.guest.log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	if (e->guest.log < 0 || write(e->guest.log, head, (size_t)n) != n)
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "`log` %s: %s", c->q.guest.log,
				      strerror(errno));
	return 0;
}

/* Returns pmk_emulated_config.guest for the PMU with this name. Names are compared, because the
 * chosen PMU can be a configured copy of an entry of pmk_pmus[]. */
static uint32_t number_of(const char *name)
{
	uint32_t i = 0;

	while (pmk_pmus[i] && strcmp(pmk_pmus[i]->name, name) != 0)
		i++;
	return i + 1;
}

int pmk_guest_choose(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	unsigned major = 0, minor = 0;
	int err;

	e->guest.log = -1;
	if (!c->q.guest.wanted)
		return 0;
	sscanf(e->prog.qemu.version, "%u.%u", &major, &minor);
	e->guest.release = major * 100 + minor;
	if (!e->guest_pmu)
		e->guest_pmu = c->pmu;
	e->cfg.guest = number_of(e->guest_pmu->name);
	err = choose_base(c);
	if (!err)
		err = choose_irq(c);
	return err ? err : open_log(c);
}

void pmk_guest_note(struct pmk_count *c)
{
	const struct pmk_emulation *e = c->state;
	const struct pmk_arena *a = e->runner.arena;

	if (!c->q.guest.wanted)
		return;
	if (a->guest_log_error) {
		pmk_count_warn(c, "`log` %s: %s; the log ends there", c->q.guest.log,
			       strerror(a->guest_log_error));
		c->result.exit_status = PMK_COUNT_FAILED << 8;
	}
	if (!a->guest_reads && !a->guest_writes)
		pmk_count_add_note(c, "the program did not access its PMU, %s%s",
				   e->guest_pmu->name,
				   c->q.guest.at ? ", at the address given with `at`" : "");
	else
		pmk_count_add_note(c,
				   "the program's own PMU, %s: %" PRIu64 " reads, %" PRIu64
				   " writes, %" PRIu64 " interrupts",
				   e->guest_pmu->name, a->guest_reads, a->guest_writes,
				   a->guest_interrupts);
}

void pmk_guest_free(struct pmk_count *c)
{
	const struct pmk_emulation *e = c->state;

	if (e->guest.log > 0)
		close(e->guest.log);
}
