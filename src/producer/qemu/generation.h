/* SPDX-License-Identifier: MIT */
/*
 * QEMU's plugin API, release by release, and which of our modules speaks which version of it.
 *
 * The plugin is one source, built once for every set of API versions that agree on all it uses
 * (qemu_api.h says what changed when). An emulator refuses a module of a version that it does not know;
 * some take a module that is too old for them and would call it wrongly, so the choice is by release, and
 * the module itself looks again when it is loaded.
 */
#ifndef PMK_PRODUCER_QEMU_GENERATION_H
#define PMK_PRODUCER_QEMU_GENERATION_H

#include <stdbool.h>
#include <stddef.h>

struct pmk_qemu_generation {
	unsigned api_lowest, api_highest; /* that the module can be loaded with */
	const char *module;		  /* its file name */
	const char *releases;		  /* for people: "QEMU 6.0 to 8.2" */
	/* Since 8.2, programs are given a vDSO, and memory of 64-bit ones is wherever the host has room. Since
	 * 8.1, the environment is in the order given, and not reversed. */
	bool vdso;
};

/* From old to new. The module of each exports the API version `api_lowest`. */
extern const struct pmk_qemu_generation pmk_qemu_generations[];
extern const size_t pmk_qemu_ngenerations;

/* The generation that can be loaded by an emulator of this API version; NULL when there is none. */
const struct pmk_qemu_generation *pmk_qemu_generation_of_api(unsigned api);

/* The one whose module is the file `path`; NULL: none of ours. */
const struct pmk_qemu_generation *pmk_qemu_generation_of_module(const char *path);

/*
 * The API version of a release of QEMU, 0 when it is too old for any module. A release that is newer than
 * all we know is taken for the newest we know: whether that is right it says itself when it is started.
 */
unsigned pmk_qemu_api_of_version(unsigned major, unsigned minor);

#endif
