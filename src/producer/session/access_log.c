// SPDX-License-Identifier: MIT
/* A log of a program's accesses to its PMU. See access_log.h. */
#include "producer/session/access_log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/model.h>

size_t pmk_access_log_head(char *buf, size_t size, const char *pmu, const char *core)
{
	return (size_t)snprintf(buf, size,
				"# pmk register log 1\n# pmu %s\n# core %s\n"
				"cycles,instructions,cpu,address,mode,access,register,value,"
				"remarks\n",
				pmu, core);
}

/* ---- what a read would return ---------------------------------------------------------------- */

static const struct pmk_model_ops *ops_of(const struct pmk_emulated_config *cfg)
{
	return pmk_model_find(pmk_emulated_guest(cfg));
}

/* The signals whose totals would_read() increases before it reads: no signals, the signals that the
 * bus raises, or all signals. */
enum more { MORE_OF_NONE, MORE_OF_RAISED, MORE_OF_ALL };

/* Copies a bus, but not the unused records of its log, which has room for 4096. */
static void copy_bus(struct pmk_bus *to, const struct pmk_bus *from)
{
	size_t n = from->recorded < PMK_LATENCY_LOG ? from->recorded : PMK_LATENCY_LOG;

	memcpy(to, from, offsetof(struct pmk_bus, log));
	memcpy(to->log, from->log, n * sizeof(from->log[0]));
	memcpy(to->log_sig, from->log_sig, n);
}

/* Increases the totals of the signals in `more`. 4096 more occurrences of a signal change every
 * counter that counts it, because every counter counts at least one of 64 occurrences. */
static void raise_more(struct pmk_bus *bus, enum more more)
{
	for (unsigned s = PMK_SIG_NONE + 1; s < PMK_NSIGNALS; s++)
		if (more == MORE_OF_ALL || (more == MORE_OF_RAISED && pmk_bus_raises(bus, s)))
			bus->total[s] += 4096;
}

/* Returns the value that a privileged read of a register would return after more occurrences of the
 * signals in `more`. The function changes nothing. */
static uint64_t would_read(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			   unsigned reg, enum more more)
{
	const struct pmk_model_ops *ops = ops_of(cfg);
	uint64_t model[PMK_MODEL_BYTES / 8], value = 0;
	unsigned nbuses;
	const struct pmk_bus *buses = pmk_emulated_counted(e, &nbuses);
	struct pmk_bus *copy = malloc(nbuses * sizeof(*copy));

	if (!copy)
		return 0;
	memcpy(model, e->guest, ops->size);
	for (unsigned i = 0; i < nbuses; i++) {
		copy_bus(&copy[i], &buses[i]);
		raise_more(&copy[i], more);
	}
	ops->read(model, copy, PMK_MODE_PRIV, reg, &value);
	free(copy);
	return value;
}

uint64_t pmk_access_log_clears(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			       const struct pmk_guest_access *a, uint64_t value)
{
	const struct pmk_reg_info *reg = &pmk_emulated_guest(cfg)->regs[a->reg];
	uint64_t flags = 0;

	for (unsigned i = 0; a->write && i < reg->nfields; i++)
		if (reg->fields[i].access == PMK_W1C)
			flags |= reg->fields[i].mask;
	return flags & value ? flags & value & would_read(e, cfg, a->reg, MORE_OF_NONE) : 0;
}

/* ---- remarks --------------------------------------------------------------------------------- */

struct remarks {
	char text[PMK_ACCESS_LOG_LINE - 256];
	size_t at;
};

__attribute__((format(printf, 2, 3))) static void add(struct remarks *r, const char *fmt, ...)
{
	size_t room = sizeof(r->text) - r->at;
	va_list ap;
	int n;

	n = r->at ? snprintf(r->text + r->at, room, "; ") : 0;
	va_start(ap, fmt);
	n += vsnprintf(r->text + r->at + n, room - (size_t)n, fmt, ap);
	va_end(ap);
	r->at += (size_t)n < room ? (size_t)n : room - 1;
}

static bool is_counter(const struct pmk_pmu *pmu, const char *name)
{
	for (unsigned i = 0; i < pmu->ncounters; i++)
		if (!strcmp(pmu->counters[i].name, name))
			return true;
	return false;
}

/* Adds a remark about a read of the counter `reg`: if the counter does not count at present, the
 * reason. */
static void remark_still(struct remarks *r, const struct pmk_emulated *e,
			 const struct pmk_emulated_config *cfg, unsigned reg)
{
	uint64_t now = would_read(e, cfg, reg, MORE_OF_NONE);

	if (would_read(e, cfg, reg, MORE_OF_RAISED) != now)
		return;
	if (would_read(e, cfg, reg, MORE_OF_ALL) != now)
		add(r, "counts an event that emulation of this core does not raise");
	else
		add(r, "does not count: it is disabled, filtered out, or has no event");
}

static void set_remarks(struct remarks *r, const struct pmk_emulated *e,
			const struct pmk_emulated_config *cfg, const struct pmk_access_made *made)
{
	const struct pmk_pmu *pmu = pmk_emulated_guest(cfg);
	const struct pmk_guest_access *a = made->access;
	const struct pmk_reg_info *reg = &pmu->regs[a->reg];
	const struct pmk_model_ops *ops = ops_of(cfg);

	if (made->denied && made->trap > 1) {
		add(r, "traps to EL%u", made->trap);
		return;
	}
	if (made->denied) {
		add(r, "Undefined: this mode may not make the access");
		return;
	}
	for (unsigned i = 0; ops->oddities && ops->oddities[i]; i++)
		if (a->oddities >> i & 1)
			add(r, "%s", ops->oddities[i]);
	for (unsigned i = 0; i < reg->nfields; i++)
		if (made->clears & reg->fields[i].mask)
			add(r, "clears %s", reg->fields[i].name);
	if (!a->write && is_counter(pmu, reg->name))
		remark_still(r, e, cfg, a->reg);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const char *const modes[] = {
	[PMK_MODE_PRIV] = "priv",
	[PMK_MODE_USER] = "user",
	[PMK_MODE_PRIV_NONSEC] = "priv-ns",
	[PMK_MODE_USER_NONSEC] = "user-ns",
};

static int begin_line(char *buf, const struct pmk_emulated *e, uint64_t pc, unsigned vcpu)
{
	return snprintf(buf, PMK_ACCESS_LOG_LINE, "%" PRIu64 ",%" PRIu64 ",%u,0x%" PRIx64 ",",
			e->cpu.cycles, e->bus.total[PMK_SIG_INSN], vcpu, pc);
}

size_t pmk_access_log_line(char buf[PMK_ACCESS_LOG_LINE], const struct pmk_emulated *e,
			   const struct pmk_emulated_config *cfg,
			   const struct pmk_access_made *made)
{
	const struct pmk_reg_info *reg = &pmk_emulated_guest(cfg)->regs[made->access->reg];
	struct remarks r = { .at = 0 };
	int n = begin_line(buf, e, made->pc, made->vcpu);

	set_remarks(&r, e, cfg, made);
	n += snprintf(buf + n, (size_t)(PMK_ACCESS_LOG_LINE - n), "%s,%s,%s,0x%0*" PRIx64 ",",
		      modes[made->access->mode], made->access->write ? "write" : "read", reg->name,
		      (reg->width + 3) / 4, made->value);
	n += snprintf(buf + n, (size_t)(PMK_ACCESS_LOG_LINE - n), r.at ? "\"%s\"\n" : "%s\n",
		      r.text);
	return (size_t)n;
}

size_t pmk_access_log_interrupt(char buf[PMK_ACCESS_LOG_LINE], const struct pmk_emulated *e,
				uint64_t pc, unsigned vcpu, bool asserted)
{
	int n = begin_line(buf, e, pc, vcpu);

	n += snprintf(buf + n, (size_t)(PMK_ACCESS_LOG_LINE - n), ",interrupt,,%d,\n", asserted);
	return (size_t)n;
}
