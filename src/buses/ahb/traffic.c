// SPDX-License-Identifier: MIT
/* Parses the description of the traffic that is not the core's. See traffic.h. */
#include "buses/ahb/traffic.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <pmk/error.h>

#include "base/nearest.h"
#include "base/number.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define BURST(b)   (1u << PMK_AHB_##b)
#define INCRS	   (BURST(INCR) | BURST(INCR4) | BURST(INCR8) | BURST(INCR16))
#define ALL_BURSTS ((1u << PMK_AHB_NBURSTS) - 1)

/*
 * The abilities of the masters (DDI 0287B §4.2.2). The manual does not describe the master on the
 * expansion bridge. Here it can make every burst, because its layer has a counter for each kind of
 * burst.
 */
static const struct {
	const char *name;
	uint32_t reads, writes; /* the bursts that the master can make */
	bool words;		/* the master transfers only words */
	/* the manual says that the master makes BUSY cycles, or does not exclude them */
	bool busy;
	uint8_t burst, prot; /* default HBURST and HPROT */
} masters[PMK_MATRIX_NMASTERS] = {
	[PMK_MATRIX_ARMI] = { "armi", BURST(SINGLE) | BURST(INCR4) | BURST(WRAP8), 0, true, false,
			      PMK_AHB_WRAP8, PMK_AHB_PROT_PRIV },
	[PMK_MATRIX_CLCDC] = { "clcdc", INCRS, 0, true, false, PMK_AHB_INCR8, 3 },
	[PMK_MATRIX_DMA0] = { "dma0", INCRS, INCRS, false, true, PMK_AHB_INCR8, 3 },
	[PMK_MATRIX_DMA1] = { "dma1", INCRS, INCRS, false, true, PMK_AHB_INCR8, 3 },
	[PMK_MATRIX_EXP] = { "exp", ALL_BURSTS, ALL_BURSTS, false, true, PMK_AHB_INCR8, 3 },
	[PMK_MATRIX_ARMD] = { "armd",
			      BURST(SINGLE) | BURST(INCR) | BURST(INCR4) | BURST(INCR8) |
				      BURST(WRAP8),
			      BURST(SINGLE) | BURST(INCR) | BURST(INCR4) | BURST(INCR8), false,
			      false, PMK_AHB_WRAP8, 3 },
};

static const char *const burst_names[PMK_AHB_NBURSTS] = { "single", "incr",  "wrap4",  "incr4",
							  "wrap8",  "incr8", "wrap16", "incr16" };
static const char *const size_names[] = { "byte", "half", "word" };
static const char *const dir_names[] = { "read", "write", "both" };
static const char *const switch_names[] = { "off", "on" };

/* ---- state of the parser ------------------------------------------------------------------- */

/* The kinds of things that a text describes. */
enum kind { A_MASTER, THE_GXI, A_SLAVE };

#define MASTERS (1u << A_MASTER)
#define GXI	(1u << THE_GXI)
#define SLAVES	(1u << A_SLAVE)

enum key {
	BURST,
	BEATS,
	SIZE,
	DIR,
	PROT,
	SLAVE,
	ADDR,
	SPAN,
	PERIOD,
	START,
	COUNTED,
	BUSY,
	LOCK,
	STEP,
	PENDING,
	READ_WAIT,
	WRITE_WAIT,
	DATA_WAIT,
	RETRY,
	SPLIT,
	RELEASE,
	NKEYS
};

static const struct {
	const char *name;
	unsigned kinds;
} keys[NKEYS] = {
	[BURST] = { "burst", MASTERS },		[BEATS] = { "beats", MASTERS },
	[SIZE] = { "size", MASTERS },		[DIR] = { "dir", MASTERS | GXI },
	[PROT] = { "prot", MASTERS },		[SLAVE] = { "slave", MASTERS },
	[ADDR] = { "addr", MASTERS | GXI },	[SPAN] = { "span", MASTERS | GXI },
	[PERIOD] = { "period", MASTERS | GXI }, [START] = { "start", MASTERS | GXI },
	[COUNTED] = { "count", MASTERS | GXI }, [BUSY] = { "busy", MASTERS },
	[LOCK] = { "lock", MASTERS },		[STEP] = { "step", GXI },
	[PENDING] = { "pending", GXI },		[READ_WAIT] = { "read_wait", GXI },
	[WRITE_WAIT] = { "write_wait", GXI },	[DATA_WAIT] = { "data_wait", GXI },
	[RETRY] = { "retry", SLAVES },		[SPLIT] = { "split", SLAVES },
	[RELEASE] = { "release", SLAVES },
};

/* The most names with which a text can start: the masters, the GXI and the slaves. */
#define MAX_NAMES (PMK_MATRIX_NMASTERS + 1 + PMK_MATRIX_MAX_SLAVES)
#define NAME_GXI  PMK_MATRIX_NMASTERS

/* The values in a text. The kind of the text decides which of them are used. */
struct values {
	struct pmk_matrix_script script;
	struct pmk_mbx_script gxi;
	struct pmk_refusal refusal;
	/* The following members are used by masters and by the GXI. */
	uint8_t direction;
	uint64_t addr, span, start, period, count;
};

struct parse {
	const char *text;
	const struct pmk_matrix_config *config;
	enum kind kind;
	unsigned who; /* number of the master or slave */
	struct values v;
	int slave;
	bool given[NKEYS];
	char *msg;
	size_t size;
};

/* Writes a message, "traffic 'TEXT': …". Returns false, so that the caller can return this
 * value. */
__attribute__((format(printf, 2, 3))) static bool fail(const struct parse *p, const char *format,
						       ...)
{
	int n = snprintf(p->msg, p->size, "traffic '%.60s': ", p->text);
	va_list args;

	va_start(args, format);
	if (n >= 0 && (size_t)n < p->size)
		vsnprintf(p->msg + n, p->size - (size_t)n, format, args);
	va_end(args);
	return false;
}

/*
 * Reports that `word` is not the name of a `what`. Suggests the nearest name, or lists all names.
 */
static bool fail_choice(const struct parse *p, const char *what, const char *word,
			const char *const names[], unsigned n)
{
	struct pmk_nearest near;
	char hint[128];
	size_t at = 0;

	pmk_nearest_init(&near, word);
	for (unsigned i = 0; i < n; i++)
		pmk_nearest_offer(&near, names[i]);
	pmk_nearest_text(&near, hint, sizeof(hint));
	if (hint[0])
		return fail(p, "there is no %s '%.40s'; did you mean %s?", what, word, hint);
	for (unsigned i = 0; i < n && at < sizeof(hint); i++)
		at += (size_t)snprintf(hint + at, sizeof(hint) - at, "%s%s", i ? ", " : "",
				       names[i]);
	return fail(p, "there is no %s '%.40s' (known: %s)", what, word, hint);
}

static bool parse_name(const struct parse *p, const char *what, const char *word,
		       const char *const names[], unsigned n, uint8_t *value)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcasecmp(word, names[i])) {
			*value = (uint8_t)i;
			return true;
		}
	return fail_choice(p, what, word, names, n);
}

static bool parse_number(const struct parse *p, enum key key, const char *word, uint64_t max,
			 uint64_t *value)
{
	int err = pmk_number_parse(word, PMK_ANY_BASE, 0, max, value);

	if (err == PMK_EPARSE)
		return fail(p, "%s: '%.40s' is not a number", keys[key].name, word);
	if (err)
		return fail(p, "%s: %.40s is more than %" PRIu64, keys[key].name, word, max);
	return true;
}

static bool parse_byte(const struct parse *p, enum key key, const char *word, uint64_t max,
		       uint8_t *value)
{
	uint64_t n;

	if (!parse_number(p, key, word, max, &n))
		return false;
	*value = (uint8_t)n;
	return true;
}

#define MOST_CYCLES 1000000 /* the most wait cycles */

static bool parse_cycles(const struct parse *p, enum key key, const char *word, uint32_t *value)
{
	uint64_t n;

	if (!parse_number(p, key, word, MOST_CYCLES, &n))
		return false;
	*value = (uint32_t)n;
	return true;
}

/* Parses "every:N". */
static bool parse_every(struct parse *p, enum key key, const char *word)
{
	uint64_t n;

	if (strncasecmp(word, "every:", 6) != 0)
		return fail(p, "%s: '%.40s' is not every:N, such as every:5", keys[key].name, word);
	if (!parse_number(p, key, word + 6, UINT32_MAX, &n))
		return false;
	if (!n)
		return fail(p, "%s: every:0 has no effect; leave it out", keys[key].name);
	p->v.refusal.every = (uint32_t)n;
	p->v.refusal.split = key == SPLIT;
	return true;
}

static bool parse_slave(struct parse *p, const char *word)
{
	const char *names[PMK_MATRIX_MAX_SLAVES];

	p->slave = pmk_matrix_slave_find(p->config, word);
	if (p->slave >= 0)
		return true;
	for (unsigned s = 0; s < p->config->nslaves; s++)
		names[s] = p->config->slave[s].name;
	return fail_choice(p, "slave", word, names, p->config->nslaves);
}

static bool parse_value(struct parse *p, enum key key, const char *word)
{
	struct values *v = &p->v;
	uint8_t on = 0;

	switch (key) {
	case BURST:
		return parse_name(p, "burst", word, burst_names, COUNT(burst_names),
				  &v->script.burst);
	case BEATS:
		return parse_byte(p, key, word, 255, &v->script.beats);
	case SIZE:
		return parse_name(p, "size", word, size_names, COUNT(size_names), &v->script.size);
	case DIR:
		return parse_name(p, "dir", word, dir_names, COUNT(dir_names), &v->direction);
	case PROT:
		return parse_byte(p, key, word, 15, &v->script.prot);
	case SLAVE:
		return parse_slave(p, word);
	case ADDR:
		return parse_number(p, key, word, UINT32_MAX, &v->addr);
	case SPAN:
		return parse_number(p, key, word, UINT32_MAX, &v->span);
	case PERIOD:
		return parse_number(p, key, word, UINT32_MAX, &v->period);
	case START:
		return parse_number(p, key, word, UINT64_MAX / 2, &v->start);
	case COUNTED:
		return parse_number(p, key, word, UINT64_MAX / 2, &v->count);
	case BUSY:
		return parse_byte(p, key, word, 255, &v->script.busy);
	case LOCK:
		if (!parse_name(p, "lock", word, switch_names, COUNT(switch_names), &on))
			return false;
		v->script.lock = on;
		return true;
	case STEP:
		return parse_number(p, key, word, UINT32_MAX, &v->gxi.step);
	case PENDING:
		return parse_byte(p, key, word, PMK_MBX_PENDING, &v->gxi.pending);
	case READ_WAIT:
		return parse_cycles(p, key, word, &v->gxi.read_wait);
	case WRITE_WAIT:
		return parse_cycles(p, key, word, &v->gxi.write_wait);
	case DATA_WAIT:
		return parse_cycles(p, key, word, &v->gxi.data_wait);
	case RETRY:
	case SPLIT:
		return parse_every(p, key, word);
	case RELEASE:
		return parse_cycles(p, key, word, &v->refusal.release);
	case NKEYS:
		break;
	}
	return false;
}

/* Parses KEY=VALUE. Splits `pair` in place. */
static bool parse_pair(struct parse *p, char *pair)
{
	char *value = strchr(pair, '=');
	const char *names[NKEYS];
	unsigned key_of[NKEYS], n = 0;
	uint8_t i = 0;

	if (!value)
		return fail(p, "'%.40s' is not KEY=VALUE", pair);
	*value++ = '\0';
	for (unsigned key = 0; key < NKEYS; key++)
		if (keys[key].kinds >> p->kind & 1) {
			key_of[n] = key;
			names[n++] = keys[key].name;
		}
	if (!parse_name(p, "key", pair, names, n, &i))
		return false;
	if (p->given[key_of[i]])
		return fail(p, "%s is given twice", names[i]);
	p->given[key_of[i]] = true;
	return parse_value(p, (enum key)key_of[i], value);
}

/* ---- checks of values ---------------------------------------------------------------------- */

static bool makes_burst(const struct parse *p, bool write)
{
	uint32_t bursts = write ? masters[p->who].writes : masters[p->who].reads;

	return bursts >> p->v.script.burst & 1;
}

static bool check_lock(const struct parse *p)
{
	if (!p->v.script.lock)
		return true;
	if (!masters[p->who].writes)
		return fail(p, "%s only reads, so it cannot lock; use lock=off",
			    masters[p->who].name);
	if (p->v.direction == PMK_MATRIX_BOTH && p->v.count % 2)
		return fail(p, "count: with lock=on and dir=both, transfers are pairs of a read "
			       "and a write; give an even number");
	return true;
}

static bool check_master(const struct parse *p)
{
	const struct pmk_matrix_script *s = &p->v.script;
	const char *name = masters[p->who].name, *burst = burst_names[s->burst];
	bool writes = p->v.direction != PMK_MATRIX_READS;

	if (writes && !masters[p->who].writes)
		return fail(p, "%s does not write (DDI 0287B 4.2.2); use dir=read", name);
	if ((p->v.direction != PMK_MATRIX_WRITES && !makes_burst(p, false)) ||
	    (writes && !makes_burst(p, true)))
		return fail(p, "%s has no %s burst%s (DDI 0287B 4.2.2)", name, burst,
			    makes_burst(p, false) ? " that writes" : "");
	if (masters[p->who].words && s->size != PMK_AHB_WORD)
		return fail(p, "%s transfers only words (DDI 0287B 4.2.2); use size=word", name);
	if (s->busy && !masters[p->who].busy)
		return fail(p, "%s has no BUSY cycles (DDI 0287B 4.2.2); use busy=0", name);
	if (p->given[BEATS] && s->burst != PMK_AHB_INCR)
		return fail(p, "beats is for burst=incr; %s has a fixed number of beats", burst);
	if (!s->beats)
		return fail(p, "beats: a burst must have at least 1");
	return check_lock(p);
}

static bool find_address(struct parse *p)
{
	const struct pmk_matrix_config *config = p->config;

	if (p->given[ADDR] && p->given[SLAVE])
		return fail(p, "give slave or addr, not both");
	if (p->given[ADDR])
		return true;
	if (!p->given[SLAVE])
		p->slave = pmk_matrix_slave_find(config, "mpmc");
	for (unsigned i = 0; i < config->nwindows; i++)
		if ((int)config->window[i].slave == p->slave) {
			p->v.addr = config->window[i].first;
			return true;
		}
	return fail(p, "the slave has no address; give addr");
}

static bool check_addresses(const struct parse *p, uint64_t addr_unit, uint64_t span_unit,
			    const char *what)
{
	if (p->v.addr % addr_unit)
		return fail(p,
			    "addr: 0x%" PRIx64 " is not a multiple of %" PRIu64 ", the size of "
			    "a %s",
			    p->v.addr, addr_unit, what);
	if (!p->v.span || p->v.span % span_unit)
		return fail(p,
			    "span: %" PRIu64 " is not a multiple of %" PRIu64 ", the size of a "
			    "%s",
			    p->v.span, span_unit, what);
	return true;
}

/* Checks that the GXI's addresses are in the memory controller, because the link leads only there
 * (DDI 0287B §4.2.2). */
static bool check_window(const struct parse *p)
{
	int mpmc = pmk_matrix_slave_find(p->config, "mpmc");
	uint64_t last = p->v.addr + p->v.span - 1;

	for (unsigned i = 0; i < p->config->nwindows; i++) {
		const struct pmk_ahb_window *w = &p->config->window[i];

		if ((int)w->slave == mpmc && p->v.addr >= w->first && last <= w->last)
			return true;
	}
	return fail(p, "the GXI reaches only mpmc, and 0x%" PRIx64 " to 0x%" PRIx64 " is not in it",
		    p->v.addr, last);
}

/* ---- applying a text ----------------------------------------------------------------------- */

static bool finish_master(struct parse *p, struct pmk_traffic *t)
{
	struct pmk_matrix_script *s = &p->v.script;
	uint64_t stride;

	if (!p->given[PERIOD])
		return fail(p, "period is missing: cycles from one burst to the next");
	if (!check_master(p) || !find_address(p))
		return false;
	stride = pmk_matrix_stride(s);
	if (!check_addresses(p, stride, stride, "burst"))
		return false;
	s->direction = p->v.direction;
	s->addr = p->v.addr;
	s->span = p->v.span;
	s->start = p->v.start;
	s->period = p->v.period;
	s->count = p->v.count;
	t->master[p->who] = *s;
	return true;
}

static bool finish_gxi(struct parse *p, struct pmk_traffic *t)
{
	struct pmk_mbx_script *g = &p->v.gxi;

	if (!p->given[PERIOD])
		return fail(p, "period is missing: cycles from one request to the next");
	if (!g->pending)
		return fail(p, "pending: give 1 to %d; a read in progress counts as one",
			    PMK_MBX_PENDING);
	if (!g->step || g->step % PMK_MBX_UNIT)
		return fail(p, "step: %" PRIu64 " is not a multiple of %d, the size of a transfer",
			    g->step, PMK_MBX_UNIT);
	if (!find_address(p) || !check_addresses(p, PMK_MBX_UNIT, g->step, "transfer") ||
	    !check_window(p))
		return false;
	g->direction = p->v.direction;
	g->addr = p->v.addr;
	g->span = p->v.span;
	g->start = p->v.start;
	g->period = p->v.period;
	g->count = p->v.count;
	t->gxi = *g;
	return true;
}

static bool finish_slave(struct parse *p, struct pmk_traffic *t)
{
	if (p->given[RETRY] && p->given[SPLIT])
		return fail(p, "give retry or split, not both");
	if (!p->v.refusal.every)
		return fail(p, "%s needs retry=every:N or split=every:N",
			    p->config->slave[p->who].name);
	if (p->given[RELEASE] && !p->v.refusal.split)
		return fail(p, "release is for split; after RETRY a layer may request at once");
	t->slave[p->who] = p->v.refusal;
	return true;
}

static bool finish_text(struct parse *p, struct pmk_traffic *t)
{
	switch (p->kind) {
	case A_MASTER:
		return finish_master(p, t);
	case THE_GXI:
		return finish_gxi(p, t);
	case A_SLAVE:
		return finish_slave(p, t);
	}
	return false;
}

/* Sets the defaults of the parsed master or slave. Must be called before the keys are read. */
static void set_defaults(struct parse *p)
{
	int mpmc = pmk_matrix_slave_find(p->config, "mpmc");

	p->v = (struct values){
		.script = { .on = true, .size = PMK_AHB_WORD, .beats = 1 },
		.gxi = { .on = true, .step = PMK_MBX_UNIT, .pending = 4 },
		.refusal = { .release = 8 },
		.span = 65536,
	};
	if (p->kind == A_MASTER) {
		p->v.script.burst = masters[p->who].burst;
		p->v.script.prot = masters[p->who].prot;
	}
	if (mpmc >= 0) {
		p->v.gxi.write_wait = p->config->slave[mpmc].write_first;
		p->v.gxi.data_wait = p->config->slave[mpmc].read_first;
	}
}

static bool parse_who(struct parse *p, const char *word)
{
	const char *names[MAX_NAMES];
	unsigned n = 0;
	uint8_t who = 0;

	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++)
		names[n++] = masters[i].name;
	names[n++] = "gxi";
	for (unsigned s = 0; s < p->config->nslaves; s++)
		names[n++] = p->config->slave[s].name;
	if (!parse_name(p, "master or slave", word, names, n, &who))
		return false;
	p->kind = who < NAME_GXI ? A_MASTER : who == NAME_GXI ? THE_GXI : A_SLAVE;
	p->who = p->kind == A_SLAVE ? who - NAME_GXI - 1u : who;
	return true;
}

static bool is_given(const struct parse *p, const struct pmk_traffic *t)
{
	switch (p->kind) {
	case A_MASTER:
		return t->master[p->who].on;
	case THE_GXI:
		return t->gxi.on;
	case A_SLAVE:
		return t->slave[p->who].every;
	}
	return false;
}

static bool parse_all(struct parse *p, char *copy, struct pmk_traffic *t)
{
	char *rest = strchr(copy, ':'), *pair;

	if (!rest)
		return fail(p, "expected MASTER:KEY=VALUE,…, such as dma0:burst=incr8,period=40");
	*rest++ = '\0';
	if (!parse_who(p, copy))
		return false;
	if (is_given(p, t))
		return fail(p, "%.40s is given twice", copy);
	set_defaults(p);
	while ((pair = strsep(&rest, ",")))
		if (!parse_pair(p, pair))
			return false;
	return finish_text(p, t);
}

int pmk_traffic_parse(const char *text, const struct pmk_matrix_config *config,
		      struct pmk_traffic *traffic, char *msg, size_t size)
{
	struct parse p = { .text = text, .config = config, .msg = msg, .size = size };
	char copy[256];

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy)) {
		fail(&p, "is longer than %zu characters", sizeof(copy) - 1);
		return PMK_EPARSE;
	}
	return parse_all(&p, copy, traffic) ? PMK_OK : PMK_EPARSE;
}
