// SPDX-License-Identifier: MIT
/* A master on the GXI. See mbx.h. */
#include "buses/ahb/mbx.h"

#include <pmk/error.h>

#include "base/foreign.h"

static bool script_ok(const struct pmk_mbx_script *s)
{
	return s->direction <= PMK_MATRIX_BOTH && s->pending && s->pending <= PMK_MBX_PENDING &&
	       s->addr % PMK_MBX_UNIT == 0 && s->step && s->step % PMK_MBX_UNIT == 0 && s->span &&
	       s->span % s->step == 0;
}

int pmk_mbx_init(struct pmk_mbx *x, const struct pmk_mbx_script *script)
{
	*x = (struct pmk_mbx){ .now = 0 };
	if (!script || !script->on)
		return PMK_OK;
	if (!script_ok(script))
		return PMK_EINVAL;
	x->script = *script;
	x->due = script->start;
	return PMK_OK;
}

static bool goes_on(const struct pmk_mbx *x)
{
	return x->script.on && (!x->script.count || x->requests < x->script.count);
}

static bool is_write(const struct pmk_mbx *x)
{
	if (x->script.direction == PMK_MATRIX_BOTH)
		return x->requests % 2 == 0; /* `requests` includes the present request */
	return x->script.direction == PMK_MATRIX_WRITES;
}

static void start_request(struct pmk_mbx *x)
{
	x->asks = true;
	x->asked = x->now;
	x->waited = 0;
	x->requests++;
}

static void end_request(struct pmk_mbx *x, bool write)
{
	x->asks = false;
	x->offset = (x->offset + x->script.step) % x->script.span;
	x->due = x->asked + x->script.period;
	if (write) {
		x->writes++;
		return;
	}
	x->reads++;
	x->ready[(x->first + x->npending++) % PMK_MBX_PENDING] = x->now + 1 + x->script.data_wait;
}

static void address_channel(struct pmk_mbx *x, struct pmk_gxi_cycle *c, uint32_t pending)
{
	if (!x->asks && goes_on(x) && x->due <= x->now)
		start_request(x);
	if (!x->asks)
		return;
	c->addr = x->script.addr + x->offset;
	c->write = is_write(x);
	if (x->waited < (c->write ? x->script.write_wait : x->script.read_wait) ||
	    (!c->write && pending == x->script.pending)) {
		x->waited++;
		c->address = PMK_GXI_WAIT;
		return;
	}
	c->address = c->write ? PMK_GXI_WRITE : PMK_GXI_READ;
	end_request(x, c->write);
}

static void data_channel(struct pmk_mbx *x, struct pmk_gxi_cycle *c)
{
	if (!x->npending)
		return;
	if (x->ready[x->first] > x->now) {
		c->data = PMK_GXI_DATA_STALLED;
		return;
	}
	x->first = (x->first + 1) % PMK_MBX_PENDING;
	x->npending--;
	x->data++;
	c->data = x->npending ? PMK_GXI_DATA_MORE : PMK_GXI_DATA_LAST;
}

/* Advances by one cycle. A request counts as pending from the next cycle on. */
void pmk_mbx_step(struct pmk_mbx *x, struct pmk_gxi_cycle *c)
{
	uint32_t pending = x->npending;

	*c = (struct pmk_gxi_cycle){ .address = PMK_GXI_IDLE };
	data_channel(x, c);
	address_channel(x, c, pending);
	x->now++;
}

uint64_t pmk_mbx_quiet(const struct pmk_mbx *x)
{
	if (x->asks || x->npending)
		return 0;
	if (!goes_on(x))
		return UINT64_MAX;
	return x->due > x->now ? x->due - x->now : 0;
}

void pmk_mbx_skip(struct pmk_mbx *x, uint64_t n)
{
	x->now += n;
}

bool pmk_mbx_valid(struct pmk_mbx *x, const struct pmk_mbx *begun)
{
	x->script = begun->script;
	return pmk_is_bool(&x->asks) && x->first < PMK_MBX_PENDING &&
	       x->npending <= PMK_MBX_PENDING;
}
