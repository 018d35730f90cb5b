/* SPDX-License-Identifier: MIT */
/*
 * The functions of Capstone that pmk uses. Loading Capstone takes a millisecond and more than three
 * megabytes, because its tables have 77,000 relocations, and most commands do not need it. So
 * pmk_capstone() exists twice. The one in capstone.c is for the library and the plugin, which are
 * linked with Capstone. In the command, the one in capstone_late.c replaces it.
 */
#ifndef PMK_ISA_CAPSTONE_H
#define PMK_ISA_CAPSTONE_H

#include <capstone/capstone.h>

struct pmk_capstone {
	__typeof__(cs_version) *version;
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm) *disasm;
	__typeof__(cs_disasm_iter) *disasm_iter;
};

/* Returns the functions, or NULL if Capstone cannot be loaded. */
const struct pmk_capstone *pmk_capstone(void);

#endif
