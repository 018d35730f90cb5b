/* SPDX-License-Identifier: MIT */
/*
 * Capstone's functions, as far as they are used. Loading it takes a millisecond and more than three
 * megabytes, for tables with 77,000 relocations, and most of what the command does needs none of
 * it. So there are two files of this function: capstone.c is in the library and in the plugin, and
 * is linked with Capstone as usual; capstone_late.c is in the command, in its place.
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

/* NULL: it cannot be loaded. */
const struct pmk_capstone *pmk_capstone(void);

#endif
