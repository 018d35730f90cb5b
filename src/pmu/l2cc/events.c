// SPDX-License-Identifier: MIT
/*
 * The event catalogues of the L210 and the L220, which count the same events under different codes.
 * The codes are from L210 appendix C and the i.MX31's headers, and from L310 Table 3.8. The
 * meanings are from DAI 0195B §9.
 */
#include "pmu/l2cc/regs.h"

#define L210 "L210 appendix C, EMCC"
#define L220 "DDI 0246 Table 3.8"

#define C_REQUEST                                                                           \
	"accesses served by a line buffer of the slave port do not count, so the count is " \
	"lower than that of level 1 misses"
#define C_WA "in emulation, counts only with l2.write_allocate"
#define C_CO "dirty data leaves the L2 in half lines of 16 bytes"

#define EVENT(c, n, sig, r, note, text)                                      \
	{                                                                    \
		.code = (c), .name = n, .cores = 1, .signal = PMK_SIG_##sig, \
		PMK_HOST(.ref = r, .brief = text, .caveat = note)            \
	}
#define UNSEEN(c, n, r, text, why)                                          \
	{                                                                   \
		.code = (c), .name = n, .cores = 1, .signal = PMK_SIG_NONE, \
		PMK_HOST(.ref = r, .brief = text, .unmodelled = why)        \
	}
#define OVERFLOW(c, n)                                            \
	UNSEEN(c, "emc" n "of", L210, "counter " n " overflowed", \
	       "counting the overflows of another counter is not modelled")

/* clang-format off */
const struct pmk_event pmk_l210_events[] = {
	UNSEEN(0x1, "bwabt", L210, "buffered write aborted",
		    "emulated memory aborts no buffered write"),
	EVENT(0x2, "co", L2CC_EVICT_HALF, L210, C_CO, "half line evicted"),
	EVENT(0x3, "drhit", L2CC_DATA_READ_HIT, L210, NULL, "data read hit"),
	EVENT(0x4, "drreq", L2CC_DATA_READ, L210, C_REQUEST, "data read request"),
	EVENT(0x5, "dwhit", L2CC_DATA_WRITE_HIT, L210, NULL, "data write hit"),
	EVENT(0x6, "dwreq", L2CC_DATA_WRITE, L210, NULL, "data write request, not write-through"),
	EVENT(0x7, "dwtreq", L2CC_WT_WRITE, L210, NULL, "data write request, write-through"),
	EVENT(0x8, "irhit", L2CC_INSN_READ_HIT, L210, NULL, "instruction read hit"),
	EVENT(0x9, "irreq", L2CC_INSN_READ, L210, C_REQUEST, "instruction read request"),
	EVENT(0xa, "wa", L2CC_WRITE_ALLOC, L210, C_WA, "line allocated by a write"),
	OVERFLOW(0xb, "3"),
	OVERFLOW(0xc, "2"),
	OVERFLOW(0xd, "1"),
	OVERFLOW(0xe, "0"),
	{ .code = 0xf, .name = "clock", .cores = 1, .signal = PMK_SIG_CYCLE, .cycles = true,
	  PMK_HOST(.aliases = "l2_cycles", .ref = L210, .brief = "L2 clock cycle",
		   .caveat = "in emulation, the L2 runs at the core's clock (our choice)") },
};

const struct pmk_event pmk_l220_events[] = {
	EVENT(0x1, "co", L2CC_EVICT_HALF, L220, C_CO, "half line evicted"),
	EVENT(0x2, "drhit", L2CC_DATA_READ_HIT, L220, NULL, "data read hit"),
	EVENT(0x3, "drreq", L2CC_DATA_READ, L220, C_REQUEST, "data read request"),
	EVENT(0x4, "dwhit", L2CC_DATA_WRITE_HIT, L220, NULL, "data write hit"),
	EVENT(0x5, "dwreq", L2CC_DATA_WRITE, L220, NULL, "data write request, not write-through"),
	EVENT(0x6, "dwtreq", L2CC_WT_WRITE, L220, NULL, "data write request, write-through"),
	EVENT(0x7, "irhit", L2CC_INSN_READ_HIT, L220, NULL, "instruction read hit"),
	EVENT(0x8, "irreq", L2CC_INSN_READ, L220, C_REQUEST, "instruction read request"),
	EVENT(0x9, "wa", L2CC_WRITE_ALLOC, L220, C_WA, "line allocated by a write"),
};
/* clang-format on */
