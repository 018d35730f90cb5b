// SPDX-License-Identifier: MIT
/* Provides the functions of Capstone, with which this file is linked. See capstone.h. */
#include "cpu/isa/capstone.h"

const struct pmk_capstone *pmk_capstone(void)
{
	static const struct pmk_capstone linked = {
		.version = cs_version,
		.open = cs_open,
		.close = cs_close,
		.malloc = cs_malloc,
		.free = cs_free,
		.disasm = cs_disasm,
		.disasm_iter = cs_disasm_iter,
	};

	return &linked;
}
