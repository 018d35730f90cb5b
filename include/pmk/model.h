/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * A model has the PMU's registers, bit by bit. It turns the signals of a bus into counts, flags and
 * interrupt lines. It does nothing per cycle. When a register is accessed, it adds what the totals
 * of the bus have grown to the counters. It also asks the bus for a synchronisation at the moment
 * when a counter will overflow (the horizon, see <pmk/bus.h>).
 *
 * The caller provides a model's memory: `size` bytes. They contain no pointers, so processes may
 * share them and fork() may copy them. Every call gets the bus as an argument. Host library only.
 *
 * Mistakes of the guest, which is the program that accesses the registers, are not errors of the
 * model: they return PMK_EUNDEF (an access that the mode may not make), set a bit in `oddities`
 * (for example, a reserved event), or both.
 */
#ifndef PMK_MODEL_H
#define PMK_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/bus.h>
#include <pmk/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The mode that accesses a register. */
enum pmk_mode {
	PMK_MODE_PRIV, /* privileged (Secure privileged if there are two Security states) */
	PMK_MODE_USER,
	PMK_MODE_PRIV_NONSEC, /* Non-secure privileged */
	PMK_MODE_USER_NONSEC,
};

/* A parameter of a model: a choice that the documents leave open. */
struct pmk_model_param {
	const char *name;
	uint16_t at;  /* offset of the parameter in the model, in bytes */
	uint8_t size; /* size of the parameter in bytes: 1, 2, 4 or 8 */
};

/* Defines a row for the member `field` of a model of type struct `type`. */
#define PMK_MODEL_PARAM(type, name, field)                                            \
	{                                                                             \
		name, offsetof(struct type, field), sizeof(((struct type *)0)->field) \
	}

/* A family has an array of these, pmk_<family>_models, one for each PMU of the family. It ends
 * with an entry whose `pmu` is NULL. */
struct pmk_model_ops {
	const struct pmk_pmu *pmu;
	size_t size; /* bytes of a model */
	/* Power-on reset. `pmu` is the PMU of this struct, or one with the same driver and another
	 * configuration. Counting begins at the present totals of the bus. */
	void (*reset)(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu);
	int (*read)(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		    uint64_t *value);
	/* Read or write a register; they return what the functions of a port return. If a write
	 * brings the next overflow nearer, `write` asks the bus for an earlier synchronisation. It
	 * never asks for a later one, because other models may share the bus; a synchronisation
	 * that is too early does no harm. */
	int (*write)(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		     uint64_t value);
	/* Synchronise counters, flags and interrupt lines with the totals of the bus. `read` does
	 * this, too. */
	void (*sync)(void *model, struct pmk_bus *bus);
	/* Ask the bus for the next synchronisation that this model needs. Call this after
	 * `sync`. */
	void (*ask)(const void *model, struct pmk_bus *bus);
	/* Returns the interrupt lines; a bit is 1 while its line is asserted: bit 0 IRQ, bit 1
	 * FIQ. */
	unsigned (*lines)(const void *model);

	/* The model's parameters, ended by one whose name is NULL. They take effect at `restart`,
	 * which is `reset` with the present parameters of the model. NULL: there are none. The
	 * conformance vectors (tests/conformance) use them, and the members below, by name. */
	const struct pmk_model_param *params;
	void (*restart)(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu);
	/* Names of the pins and states of the surrounding hardware, in the order of their numbers,
	 * ended by NULL. `input` sets one; events up to now are counted with its old value. Call
	 * `ask` again after this. NULL: there are none. */
	const char *const *inputs;
	void (*input)(void *model, struct pmk_bus *bus, unsigned input, uint64_t value);
	/* Mistakes of the guest. oddities_at is the place of a word in the model; its bits stay set
	 * until pmk_model_forgive() clears them. `oddities` has a text for each bit, from bit 0 on,
	 * ended by NULL. */
	struct pmk_model_param oddities_at;
	const char *const *oddities;

	/* Checks a model in memory that the guest can overwrite. `begun` is a model of the same PMU
	 * that was programmed in the same way. Returns true if counting can have turned it into
	 * *model; otherwise *model must not be used. The caller compares the parameters first.
	 * NULL: this model cannot be checked. */
	bool (*valid)(const void *model, const void *begun);
};

/* The first function returns the word of `oddities`; the second one sets it to 0. */
unsigned pmk_model_oddities(const struct pmk_model_ops *ops, const void *model);
void pmk_model_forgive(const struct pmk_model_ops *ops, void *model);

/* Returns the model of a PMU, or of a PMU with the same driver; NULL if there is none. */
const struct pmk_model_ops *pmk_model_find(const struct pmk_pmu *pmu);

/*
 * Data for a port through which a driver accesses a model. The caller owns the struct, which must
 * outlive the port. The port's `settle` adds cycles to the bus one at a time, and synchronises the
 * model whenever the bus is due.
 */
struct pmk_model_port {
	const struct pmk_model_ops *ops;
	void *model;
	struct pmk_bus *bus;
	enum pmk_mode mode;
};

/* Returns the port; `mp` becomes its `ctx`. */
struct pmk_port pmk_port_model(struct pmk_model_port *mp);

#ifdef __cplusplus
}
#endif

#endif
