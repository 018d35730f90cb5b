// SPDX-License-Identifier: MIT
/*
 * AHB Monitor: the event catalogue. DDI 0287B Tables 4-6 to 4-13, row by row from the list in
 * regs.h.
 *
 * Every counter has one fixed event. The code of the event is the number of the counter, which is
 * our own choice; no register has a field for codes. The signals of an event are raised on the bus
 * of its layer (enum pmk_ahbmon_bus). Read and write counters count beats, and burst counters count
 * bursts. They count when the response is OKAY, or in the second cycle of an ERROR (§4.2.2). The
 * observers of the buses raise their signals accordingly.
 */
#include "pmu/ahbmon/regs.h"

#define EVENTS false
#define CYCLES true

#define T_ARMI	"DDI 0287B Table 4-6"
#define T_CLCDC "DDI 0287B Table 4-7"
#define T_DMA0	"DDI 0287B Table 4-8"
#define T_DMA1	"DDI 0287B Table 4-9"
#define T_EXP	"DDI 0287B Table 4-10"
#define T_ARMD	"DDI 0287B Table 4-11"
#define T_GXI	"DDI 0287B Table 4-12"
#define T_HCLK	"DDI 0287B Table 4-13"

#define C_FIRST	   "such waits on later beats count only in the total"
#define C_OVER	   "a transfer that waits longer than the threshold counts once (our choice)"
#define C_STALLS   "counts stalls, not the requests that suffer from them"
#define C_REQUESTS "counts the request, not the data"
#define C_PAGES                                                                       \
	"GxiPageSize sets the page size (2, 4, 8 or 16 KB); a read is also compared " \
	"with a write before it"
#define C_HPROT "this is a guess by burst, direction and HPROT: other traffic may look the same"
#define C_CASTOUT                                                                                  \
	"this is a guess, because stores of four words look the same; the alignment test removes " \
	"3 of 4 of those"
#define C_FREE \
	"it always counts: enable, reset and preset have no effect on it, so take differences"
#define C_DEBUG "excludes debug state only while DBGACK is tracked"

#define ROW(id, manual, event, bus, sig, unit, note, text)                                \
	[PMK_AHBMON_##id] = { .code = PMK_AHBMON_##id,                                    \
			      .name = #event,                                             \
			      .cores = 1,                                                 \
			      .signal = PMK_SIG_##sig,                                    \
			      .cycles = unit,                                             \
			      PMK_HOST(.aliases = #manual, .ref = T_##bus, .brief = text, \
				       .caveat = note) },

const struct pmk_event pmk_ahbmon_events[] = { PMK_AHBMON_COUNTERS(ROW) };
