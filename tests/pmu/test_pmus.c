// SPDX-License-Identifier: MIT
/*
 * Requirements for every PMU in the list, whatever its family: names, events that can be counted,
 * consistent rows, a driver that has every function, and a model that fits into the space for
 * models.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/bits.h>
#include <pmk/model.h>
#include <pmk/session.h>

#include "pmu/reg.h"
#include "producer/session/emulated.h"

/* Names the PMU whose check failed, because one line of code checks many PMUs. */
#define CHECK(pmu, what, truth)                                                   \
	do {                                                                      \
		if (!(truth))                                                     \
			fail_msg("%s, %s: want %s", (pmu)->name, (what), #truth); \
	} while (0)

/* Takes the next word of a list that is separated by spaces. Returns false at its end. */
static bool next_word(const char **list, char *buf, size_t size)
{
	size_t len;

	*list += strspn(*list, " ");
	len = strcspn(*list, " ");
	assert_true(len < size);
	snprintf(buf, size, "%.*s", (int)len, *list);
	*list += len;
	return len != 0;
}

static void test_names(void **state)
{
	(void)state;
	for (unsigned i = 0; pmk_pmus[i]; i++) {
		const struct pmk_pmu *pmu = pmk_pmus[i];
		const char *aliases = pmu->aliases ? pmu->aliases : "";
		char alias[64];

		CHECK(pmu, "brief", pmu->brief && *pmu->brief);
		CHECK(pmu, "its name", pmk_pmu_find(pmu->name) == pmu);
		while (next_word(&aliases, alias, sizeof(alias)))
			CHECK(pmu, alias, pmk_pmu_find(alias) == pmu);
	}
}

/* Events are in the order of their codes. Each has a signal, or a reason why it has none. */
static void test_events(void **state)
{
	(void)state;
	for (unsigned i = 0; pmk_pmus[i]; i++) {
		const struct pmk_pmu *pmu = pmk_pmus[i];

		CHECK(pmu, "events", pmu->nevents > 0);
		for (unsigned e = 0; e < pmu->nevents; e++) {
			const struct pmk_event *ev = &pmu->events[e];

			CHECK(pmu, ev->name, e == 0 || ev[-1].code <= ev->code);
			CHECK(pmu, ev->name, ev->ref && *ev->ref && ev->brief && *ev->brief);
			CHECK(pmu, ev->name, ev->cores != 0);
			if (pmk_pmu_has(pmu, ev))
				CHECK(pmu, ev->name, pmk_pmu_event(pmu, ev->name) == ev);
		}
	}
}

/*
 * The default names are those of the PMU's own events. No name occurs twice, and each event has a
 * counter.
 */
static void test_defaults(void **state)
{
	(void)state;
	for (unsigned i = 0; pmk_pmus[i]; i++) {
		const struct pmk_pmu *pmu = pmk_pmus[i];
		const char *rest = pmu->defaults ? pmu->defaults : "";
		struct pmk_plan plan = { .nevents = 0 };
		char name[64];

		CHECK(pmu, "defaults", *rest);
		while (next_word(&rest, name, sizeof(name))) {
			const struct pmk_event *ev = pmk_pmu_event(pmu, name);

			CHECK(pmu, name, ev && strcmp(ev->name, name) == 0);
			CHECK(pmu, name, pmk_pmu_range(pmu, ev->code) != 0);
			for (unsigned k = 0; k < plan.nevents; k++)
				CHECK(pmu, name, plan.event[k].code != ev->code);
			plan.event[plan.nevents++].code = ev->code;
		}
		CHECK(pmu, "defaults in one plan", pmk_plan_make(pmu, &plan) == 0);
	}
}

static void test_counters(void **state)
{
	(void)state;
	for (unsigned i = 0; pmk_pmus[i]; i++) {
		const struct pmk_pmu *pmu = pmk_pmus[i];

		CHECK(pmu, "counters", pmu->ncounters > 0 && pmu->ncounters <= PMK_MAX_COUNTERS);
		CHECK(pmu, "counters", pmu->ncounters <= 32 || pmu->no_flags);
		for (unsigned c = 0; c < pmu->ncounters; c++) {
			const struct pmk_counter *ctr = &pmu->counters[c];

			CHECK(pmu, ctr->name, ctr->width >= 1 && ctr->width <= 64);
			/*
			 * A driver with narrow counters needs status(), which reports whether it
			 * was polled often enough.
			 */
			CHECK(pmu, ctr->name, ctr->width >= 32 || pmu->driver->status);
			if (ctr->fixed_code >= 0)
				CHECK(pmu, ctr->name,
				      pmk_pmu_event_code(pmu, (unsigned)ctr->fixed_code));
		}
	}
}

/*
 * Returns true for a kind of access, which has exactly one bit. If a row of a field names no kind
 * of access, its value is 0.
 */
static bool is_access(enum pmk_access access)
{
	return access > 0 && access <= PMK_SBZ && !(access & (access - 1));
}

/* Each bit belongs to one field, and has one kind of access. */
static void test_registers(void **state)
{
	(void)state;
	for (unsigned i = 0; pmk_pmus[i]; i++) {
		const struct pmk_pmu *pmu = pmk_pmus[i];

		CHECK(pmu, "registers", pmu->nregs > 0);
		for (unsigned r = 0; r < pmu->nregs; r++) {
			const struct pmk_reg_info *reg = &pmu->regs[r];
			uint64_t seen = 0, all = PMK_BITS(reg->width - 1, 0);

			CHECK(pmu, reg->name, reg->ref && *reg->ref && reg->brief && *reg->brief);
			CHECK(pmu, reg->name, reg->where && *reg->where);
			CHECK(pmu, reg->name, reg->note && *reg->note);
			CHECK(pmu, reg->name, reg->nfields > 0);
			for (unsigned f = 0; f < reg->nfields; f++) {
				CHECK(pmu, reg->name, !(seen & reg->fields[f].mask));
				CHECK(pmu, reg->name, is_access(reg->fields[f].access));
				seen |= reg->fields[f].mask;
			}
			CHECK(pmu, reg->name, !(seen & ~all));
			CHECK(pmu, reg->name, reg->reset == pmk_reg_read(reg, reg->reset));
		}
	}
}

static void test_driver(void **state)
{
	(void)state;
	for (unsigned i = 0; pmk_pmus[i]; i++) {
		const struct pmk_pmu *pmu = pmk_pmus[i];
		const struct pmk_driver *d = pmu->driver;

		CHECK(pmu, "driver", d && d->reset && d->program && d->start && d->stop && d->read);
		CHECK(pmu, "driver",
		      d->write && d->irq_enable && d->pending && d->clear && d->running);
		CHECK(pmu, "driver", !d->latency == !pmk_pmu_times_latencies(pmu));
	}
}

/*
 * Each PMU has a model, whose registers have the reset values of its rows wherever they can be
 * read.
 */
static void test_model(void **state)
{
	static uint64_t memory[PMK_MODEL_BYTES / 8];
	static struct pmk_bus bus[16]; /* a model may use several buses */

	(void)state;
	for (unsigned i = 0; pmk_pmus[i]; i++) {
		const struct pmk_pmu *pmu = pmk_pmus[i];
		const struct pmk_model_ops *ops = pmk_model_find(pmu);

		CHECK(pmu, "model", ops && ops->pmu == pmu && ops->size <= sizeof(memory));
		CHECK(pmu, "model", ops->reset && ops->read && ops->write && ops->sync && ops->ask);
		CHECK(pmu, "model", ops->lines && ops->oddities);
		CHECK(pmu, "parameters", !ops->params == !ops->restart);
		CHECK(pmu, "inputs", !ops->inputs == !ops->input);
		for (const struct pmk_model_param *p = ops->params; p && p->name; p++)
			CHECK(pmu, p->name, p->at + p->size <= (int)ops->size);
		for (size_t b = 0; b < sizeof(bus) / sizeof(bus[0]); b++)
			pmk_bus_init(&bus[b]);
		memset(memory, 0xa5, sizeof(memory));
		ops->reset(memory, bus, pmu);
		for (unsigned r = 0; r < pmu->nregs; r++) {
			uint64_t ro = pmk_reg_mask(&pmu->regs[r], PMK_RO), value = 0;

			if (ops->read(memory, bus, PMK_MODE_PRIV, r, &value) == 0)
				CHECK(pmu, pmu->regs[r].name, (value & ~ro) == pmu->regs[r].reset);
		}
		CHECK(pmu, "lines", ops->lines(memory) == 0);
	}
}

/* A port that uses only the functions of <pmk/model.h>: reading and writing registers. */
struct plain {
	const struct pmk_model_ops *ops;
	void *model;
	struct pmk_bus *bus;
};

static int plain_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct plain *p = ctx;

	return p->ops->read(p->model, p->bus, PMK_MODE_PRIV, reg, value);
}

static int plain_write(void *ctx, unsigned reg, uint64_t value)
{
	struct plain *p = ctx;

	return p->ops->write(p->model, p->bus, PMK_MODE_PRIV, reg, value);
}

static void plain_settle(void *ctx, unsigned cycles)
{
	struct plain *p = ctx;

	pmk_bus_add(p->bus, PMK_SIG_CYCLE, cycles);
	p->ops->sync(p->model, p->bus);
}

/*
 * Starts an event on counter `c`, and sets the counter to ten below its overflow. Returns false if
 * the driver cannot set this counter.
 */
static bool write_near_overflow(struct pmk_dev *dev, struct pmk_bus *bus, unsigned c)
{
	const struct pmk_driver *d = dev->pmu->driver;
	const struct pmk_counter *ctr = &dev->pmu->counters[c];
	int err = d->reset(dev);

	for (unsigned e = 0; !err && e < dev->pmu->nevents; e++) {
		const struct pmk_event *ev = &dev->pmu->events[e];

		if (ev->signal == PMK_SIG_NONE || ev->signal2 != PMK_SIG_NONE || ev->latency)
			continue;
		pmk_signal_add(&bus->raised, (enum pmk_signal)ev->signal);
		if (pmk_pmu_event_code(dev->pmu, ev->code) == ev &&
		    d->program(dev, c, ev->code) == 0)
			break;
	}
	err = err ? err : d->irq_enable(dev, UINT32_C(1) << c);
	err = err ? err : d->start(dev);
	plain_settle(dev->port.ctx, 8); /* some counters start late */
	pmk_bus_forget(bus);
	return !err && d->write(dev, c, PMK_BITS(ctr->width - 1, 0) - 9) == 0;
}

/*
 * After a write of a counter through the port, the bus knows when the overflow is due, although no
 * caller asked the model.
 */
static void test_a_write_asks(void **state)
{
	static uint64_t memory[PMK_MODEL_BYTES / 8];
	static struct pmk_bus bus[16];
	unsigned asked = 0;

	(void)state;
	for (unsigned i = 0; pmk_pmus[i]; i++) {
		const struct pmk_pmu *pmu = pmk_pmus[i];
		struct plain p = { pmk_model_find(pmu), memory, bus };
		struct pmk_dev dev = { .pmu = pmu,
				       .port = { plain_read, plain_write, plain_settle, &p } };
		bool near = false;

		for (size_t b = 0; b < sizeof(bus) / sizeof(bus[0]); b++)
			pmk_bus_init(&bus[b]);
		p.ops->reset(memory, bus, pmu);
		if (!write_near_overflow(&dev, bus, pmu->ncounters > 1))
			continue;
		for (unsigned sig = 0; sig < PMK_NSIGNALS; sig++)
			near |= pmk_bus_horizon(bus, (enum pmk_signal)sig) <= 10;
		CHECK(pmu, "the horizon after a write", near);
		asked++;
	}
	assert_true(asked >= 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_events),
		cmocka_unit_test(test_defaults),  cmocka_unit_test(test_counters),
		cmocka_unit_test(test_registers), cmocka_unit_test(test_driver),
		cmocka_unit_test(test_model),	  cmocka_unit_test(test_a_write_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
