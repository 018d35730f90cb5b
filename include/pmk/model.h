/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * A model is the PMU's registers, bit by bit. It turns the signals of a bus into counts, flags and
 * interrupt lines. It does nothing per cycle: when a register is accessed, it takes differences of
 * the bus totals, and it asks the bus for synchronisation when a counter is about to overflow.
 *
 * The caller provides a model's memory: `size` bytes without pointers, so processes may share it
 * and fork may copy it. Every call gets the bus as an argument.
 *
 * Mistakes of the guest (a reserved event, an access that the mode may not make) are results, not
 * errors of the model: they appear as PMK_EUNDEF or in `oddities`.
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
	size_t size;
	/* Power-on reset as `pmu`: this PMU, or one with the same driver and another configuration.
	 * Counting begins at the present totals of the bus. */
	void (*reset)(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu);
	int (*read)(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		    uint64_t *value);
	/* A write may bring the next overflow nearer; it then asks the bus for an earlier
	 * synchronisation. It only lowers the horizon, because other models may share the bus; a
	 * horizon that is too near only costs a needless synchronisation. */
	int (*write)(void *model, struct pmk_bus *bus, enum pmk_mode mode, unsigned reg,
		     uint64_t value);
	/* Catch up with the bus: counters, flags, lines. Reading a register does this, too. */
	void (*sync)(void *model, struct pmk_bus *bus);
	/* Ask the bus for the next time at which sync is needed. Call it after sync. */
	void (*ask)(const void *model, struct pmk_bus *bus);
	/* Returns the interrupt lines, 1 is asserted: bit 0 IRQ, bit 1 FIQ. */
	unsigned (*lines)(const void *model);

	/* The model's parameters, inputs and oddities by name, for the conformance vectors. The
	 * parameters end with a NULL name. They take effect at `restart`, which is `reset` with the
	 * present parameters of the model. NULL: there are none. */
	const struct pmk_model_param *params;
	void (*restart)(void *model, struct pmk_bus *bus, const struct pmk_pmu *pmu);
	/* Pins and states of the surrounding hardware, in the order of their numbers, ended by
	 * NULL. `input` sets one: events up to now are counted under the old level; call ask()
	 * again afterwards. NULL: there are none. */
	const char *const *inputs;
	void (*input)(void *model, struct pmk_bus *bus, unsigned input, uint64_t value);
	/* Mistakes of the guest: a word of the model, whose bits stay set until they are cleared,
	 * and a text for each bit in order, ended by NULL. */
	struct pmk_model_param oddities_at;
	const char *const *oddities;

	/* For a model in memory that the guest can write: true if counting can have turned `begun`,
	 * a model of the same PMU with the same programming, into this state. If false, the model
	 * must not be used. The caller compares the parameters by their names first. NULL: this
	 * model cannot be checked. */
	bool (*valid)(const void *model, const void *begun);
};

/* Return the mistakes that the guest has made, and forget them. */
unsigned pmk_model_oddities(const struct pmk_model_ops *ops, const void *model);
void pmk_model_forgive(const struct pmk_model_ops *ops, void *model);

/* Returns the model of a PMU, or of a PMU with the same driver; NULL if there is none. */
const struct pmk_model_ops *pmk_model_find(const struct pmk_pmu *pmu);

/*
 * A port to a model, which connects a driver and a model. The caller owns the struct, which must
 * outlive the port. `settle` adds idle cycles to the bus one at a time, and synchronises the model
 * whenever the bus is due.
 */
struct pmk_model_port {
	const struct pmk_model_ops *ops;
	void *model;
	struct pmk_bus *bus;
	enum pmk_mode mode;
};

struct pmk_port pmk_port_model(struct pmk_model_port *mp);

#ifdef __cplusplus
}
#endif

#endif
