/* SPDX-License-Identifier: MIT */
/*
 * QEMU's plugin API by release, and the versions that each module of pmk supports.
 *
 * The module has one source. It is built once for each set of API versions that agree in everything
 * that it uses; qemu_api.h lists what changed in each version. An emulator rejects a module whose
 * version it does not know. But some emulators accept a module that is too old for them, and would
 * call it wrongly. So pmk chooses the module by the release of QEMU, and the module checks the
 * version again when it is loaded.
 */
#ifndef PMK_PRODUCER_QEMU_GENERATION_H
#define PMK_PRODUCER_QEMU_GENERATION_H

#include <stdbool.h>
#include <stddef.h>

struct pmk_qemu_generation {
	/* The API versions with which the module can be loaded. */
	unsigned api_lowest, api_highest;
	const char *module;   /* file name of the module */
	const char *releases; /* the releases as users read them: "QEMU 6.0 to 8.2" */
	/* True if all releases of the generation give programs a vDSO, put the memory of 64-bit
	 * programs wherever the host has room, and do not reverse the environment. Some of this is
	 * so in 8.1 and 8.2, too, but their API version is that of older releases. */
	bool vdso;
};

/* The generations, from the oldest to the newest. The module of each generation exports the API
 * version `api_lowest`. */
extern const struct pmk_qemu_generation pmk_qemu_generations[];
extern const size_t pmk_qemu_ngenerations;

/* Returns the generation that an emulator of this API version can load, or NULL if there is
 * none. */
const struct pmk_qemu_generation *pmk_qemu_generation_of_api(unsigned api);

/* Returns the generation whose module is the file `path`, or NULL if the file is not a module of
 * pmk. */
const struct pmk_qemu_generation *pmk_qemu_generation_of_module(const char *path);

/*
 * Returns the API version of a release of QEMU; 0 if it is too old for any module. A release that
 * is newer than all known releases is treated like the newest known one. If that is wrong, the
 * emulator reports it when it starts.
 */
unsigned pmk_qemu_api_of_version(unsigned major, unsigned minor);

#endif
