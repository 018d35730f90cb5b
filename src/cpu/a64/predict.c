// SPDX-License-Identifier: MIT
/* The branch predictor of an A64 core: the functions that are not inline. See predict.h. */
#include "cpu/a64/predict.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "cpu/config.h"

static bool is_power_of_two(uint64_t n)
{
	return !(n & (n - 1));
}

bool pmk_a64_counters_fit(const struct pmk_core *core)
{
	return is_power_of_two(core->bp.entries) ||
	       core->bp.entries % (UINT64_C(1) << core->a64.bp_history) == 0;
}

uint32_t pmk_a64_counter_of(const struct pmk_core *core, uint64_t branch)
{
	return (uint32_t)((branch >> 2) % core->bp.entries);
}

int pmk_a64_predictor_init(struct pmk_a64_predictor *p, const struct pmk_core *core)
{
	*p = (struct pmk_a64_predictor){
		.history_mask = (1u << core->a64.bp_history) - 1,
		.target = calloc(core->a64.bp_indirect, sizeof(*p->target)),
		.target_mask = (uint32_t)core->a64.bp_indirect - 1,
		.path_mask = (1u << core->a64.bp_indirect_history) - 1,
		.stack_size = core->rs.on ? (uint32_t)core->rs.entries : 0,
	};
	if (is_power_of_two(core->bp.entries))
		p->history_mask &= (uint32_t)core->bp.entries - 1;
	/* All counters begin as weakly not taken. */
	memset(p->counter, 1, sizeof(p->counter));
	return p->target ? 0 : PMK_ENOMEM;
}

void pmk_a64_predictor_fini(struct pmk_a64_predictor *p)
{
	free(p->target);
	p->target = NULL;
}

enum pmk_a64_said pmk_a64_predict_indirect(struct pmk_a64_predictor *p, uint64_t branch,
					   uint64_t target)
{
	uint64_t *entry = &p->target[((uint32_t)(branch >> 2) ^ p->path) & p->target_mask];
	uint64_t said = *entry;

	*entry = target;
	p->path = (p->path << 2 ^ (uint32_t)(target >> 2)) & p->path_mask;
	return said == target ? PMK_A64_SAID_RIGHT
	       : said	      ? PMK_A64_SAID_WRONG
			      : PMK_A64_SAID_NOTHING;
}

void pmk_a64_predict_call(struct pmk_a64_predictor *p, uint64_t fall)
{
	if (!p->stack_size)
		return;
	p->top = p->top + 1 == p->stack_size ? 0 : p->top + 1;
	p->stack[p->top] = fall;
	p->depth += p->depth < p->stack_size;
}

enum pmk_a64_said pmk_a64_predict_return(struct pmk_a64_predictor *p, uint64_t target)
{
	uint64_t said;

	if (!pmk_a64_expected_return(p, &said))
		return PMK_A64_SAID_NOTHING;
	p->top = p->top ? p->top - 1 : p->stack_size - 1;
	p->depth--;
	return said == target ? PMK_A64_SAID_RIGHT : PMK_A64_SAID_WRONG;
}
