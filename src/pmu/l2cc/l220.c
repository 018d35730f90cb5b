// SPDX-License-Identifier: MIT
/*
 * The registers of the L220 outside of its event counters: see <pmk/l2cc_model.h>. Offsets and
 * fields are those of the L310 (DDI 0246, chapter 3) and of Linux's driver for both caches. We
 * assume that the L220's part number is 2, because the L210 has 1 and the L310 has 3.
 */
#include <pmk/bits.h>
#include <pmk/l2cc_model.h>

#define CACHE_ID    0x000
#define CONTROL	    0x100
#define AUX_CONTROL 0x104

#define AUX_WAYS     PMK_BITS(16, 13)
#define AUX_WAY_SIZE PMK_BITS(19, 17) /* a way has 8 KB << this field */
#define CONTROL_ON   PMK_BIT(0)

void pmk_l220_reset(struct pmk_l220 *l, uint64_t bytes, uint32_t ways)
{
	uint64_t code = 0;

	while (code < 7 && UINT64_C(0x2000) << code < bytes / (ways ? ways : 1))
		code++;
	l->control = 0;
	l->aux = (uint32_t)PMK_PUT(PMK_PUT(UINT64_C(0), AUX_WAYS, (uint64_t)ways), AUX_WAY_SIZE,
				   code);
}

uint32_t pmk_l220_load(const struct pmk_l220 *l, unsigned offset)
{
	if (offset == CACHE_ID)
		return 0x41000000 | 2 << 6; /* ARM, part number 2 */
	return offset == CONTROL ? l->control : offset == AUX_CONTROL ? l->aux : 0;
}

void pmk_l220_store(struct pmk_l220 *l, unsigned offset, uint32_t value)
{
	if (offset == CONTROL)
		l->control = value & (uint32_t)CONTROL_ON;
	if (offset == AUX_CONTROL)
		l->aux = value;
}
