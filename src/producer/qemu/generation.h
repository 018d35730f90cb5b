/* SPDX-License-Identifier: MIT */
/*
 * QEMU's plugin API by release, and the versions that each module of pmk supports.
 *
 * The plugin is one source, built once for every set of API versions that agree in everything it
 * uses (qemu_api.h says what changed when). An emulator rejects a module of a version that it does
 * not know; some accept a module that is too old for them and would call it wrongly. So the module
 * is chosen by release, and checks again when it is loaded.
 */
#ifndef PMK_PRODUCER_QEMU_GENERATION_H
#define PMK_PRODUCER_QEMU_GENERATION_H

#include <stdbool.h>
#include <stddef.h>

struct pmk_qemu_generation {
	/* Versions of the API with which the module can be loaded. */
	unsigned api_lowest, api_highest;
	const char *module;   /* its file name */
	const char *releases; /* for people: "QEMU 6.0 to 8.2" */
	/* Since 8.2, QEMU gives programs a vDSO, and the memory of 64-bit programs is wherever the
	 * host has room. Since 8.1, QEMU does not reverse the environment. */
	bool vdso;
};

/* From the oldest to the newest. The module of each generation exports the API version
 * `api_lowest`. */
extern const struct pmk_qemu_generation pmk_qemu_generations[];
extern const size_t pmk_qemu_ngenerations;

/* The generation that an emulator of this API version can load; NULL: none. */
const struct pmk_qemu_generation *pmk_qemu_generation_of_api(unsigned api);

/* Returns the generation whose module is the file `path`; NULL: it is not a module of pmk. */
const struct pmk_qemu_generation *pmk_qemu_generation_of_module(const char *path);

/*
 * Returns the API version of a release of QEMU; 0 if it is too old for any module. A release newer
 * than all known ones is treated like the newest known one; if that is wrong, the emulator reports
 * it at start.
 */
unsigned pmk_qemu_api_of_version(unsigned major, unsigned minor);

#endif
