// SPDX-License-Identifier: MIT
/* Scripts of masters as text: see traffic.h. */
#include "ahb/traffic.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pmk/error.h>

#include "base/nearest.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define BURST(b)   (1u << PMK_AHB_##b)
#define INCRS	   (BURST(INCR) | BURST(INCR4) | BURST(INCR8) | BURST(INCR16))
#define ALL_BURSTS ((1u << PMK_AHB_NBURSTS) - 1)

/* What the masters do, DDI 0287B §4.2.2. Of the master behind the expansion bridge nothing is said,
 * and its layer has a counter for every burst. */
static const struct {
	const char *name;
	uint32_t reads, writes; /* bursts */
	bool words;		/* no smaller transfers */
	bool busy;		/* has BUSY cycles, or nothing is said of them */
	uint8_t burst, prot;	/* defaults */
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

const char *pmk_matrix_master_name(unsigned master)
{
	return master < PMK_MATRIX_NMASTERS ? masters[master].name : NULL;
}

/* ---- one text at work ---------------------------------------------------------------------- */

enum key { BURST, BEATS, SIZE, DIR, PROT, SLAVE, ADDR, SPAN, PERIOD, START, COUNTED, BUSY, NKEYS };

static const char *const key_names[NKEYS] = {
	"burst", "beats", "size",   "dir",   "prot",  "slave",
	"addr",	 "span",  "period", "start", "count", "busy"
};

struct parse {
	const char *text;
	const struct pmk_matrix_config *config;
	unsigned master;
	struct pmk_matrix_script *script;
	int slave;
	bool given[NKEYS];
	char *msg;
	size_t size;
};

/* "traffic 'TEXT': …". Returns false, for the caller to return. */
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

/* `what` has no `word`: which of these is near, or which are there. */
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
	return fail(p, "there is no %s '%.40s'; there are %s", what, word, hint);
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
	char *end;

	errno = 0;
	*value = strtoull(word, &end, 0);
	if (*word < '0' || *word > '9' || *end)
		return fail(p, "%s: '%.40s' is not a number", key_names[key], word);
	if (errno || *value > max)
		return fail(p, "%s: %.40s is more than %" PRIu64, key_names[key], word, max);
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
	struct pmk_matrix_script *s = p->script;

	switch (key) {
	case BURST:
		return parse_name(p, "burst", word, burst_names, COUNT(burst_names), &s->burst);
	case BEATS:
		return parse_byte(p, key, word, 255, &s->beats);
	case SIZE:
		return parse_name(p, "size", word, size_names, COUNT(size_names), &s->size);
	case DIR:
		return parse_name(p, "dir", word, dir_names, COUNT(dir_names), &s->direction);
	case PROT:
		return parse_byte(p, key, word, 15, &s->prot);
	case SLAVE:
		return parse_slave(p, word);
	case ADDR:
		return parse_number(p, key, word, UINT32_MAX, &s->addr);
	case SPAN:
		return parse_number(p, key, word, UINT32_MAX, &s->span);
	case PERIOD:
		return parse_number(p, key, word, UINT32_MAX, &s->period);
	case START:
		return parse_number(p, key, word, UINT64_MAX / 2, &s->start);
	case COUNTED:
		return parse_number(p, key, word, UINT64_MAX / 2, &s->count);
	case BUSY:
		return parse_byte(p, key, word, 255, &s->busy);
	case NKEYS:
		break;
	}
	return false;
}

/* KEY=VALUE; `pair` is split in place. */
static bool parse_pair(struct parse *p, char *pair)
{
	char *value = strchr(pair, '=');
	uint8_t key = 0;

	if (!value)
		return fail(p, "'%.40s' is not KEY=VALUE", pair);
	*value++ = '\0';
	if (!parse_name(p, "key", pair, key_names, NKEYS, &key))
		return false;
	if (p->given[key])
		return fail(p, "%s is given twice", key_names[key]);
	p->given[key] = true;
	return parse_value(p, (enum key)key, value);
}

/* ---- does it make sense -------------------------------------------------------------------- */

static bool does(const struct parse *p, bool write)
{
	uint32_t bursts = write ? masters[p->master].writes : masters[p->master].reads;

	return bursts >> p->script->burst & 1;
}

static bool check_master(const struct parse *p)
{
	const struct pmk_matrix_script *s = p->script;
	const char *name = masters[p->master].name, *burst = burst_names[s->burst];
	bool writes = s->direction != PMK_MATRIX_READS;

	if (writes && !masters[p->master].writes)
		return fail(p, "%s does not write (DDI 0287B 4.2.2); take dir=read", name);
	if ((s->direction != PMK_MATRIX_WRITES && !does(p, false)) || (writes && !does(p, true)))
		return fail(p, "%s has no %s burst%s (DDI 0287B 4.2.2)", name, burst,
			    does(p, false) ? " that writes" : "");
	if (masters[p->master].words && s->size != PMK_AHB_WORD)
		return fail(p, "%s transfers words only (DDI 0287B 4.2.2); take size=word", name);
	if (s->busy && !masters[p->master].busy)
		return fail(p, "%s has no BUSY cycles (DDI 0287B 4.2.2); take busy=0", name);
	if (p->given[BEATS] && s->burst != PMK_AHB_INCR)
		return fail(p, "beats is of burst=incr; %s has its own", burst);
	if (!s->beats)
		return fail(p, "beats: a burst has at least 1");
	return true;
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
			p->script->addr = config->window[i].first;
			return true;
		}
	return fail(p, "the slave has no address; give addr");
}

static bool check_addresses(const struct parse *p)
{
	const struct pmk_matrix_script *s = p->script;
	uint64_t stride = pmk_matrix_stride(s);

	if (s->addr % stride)
		return fail(p,
			    "addr: 0x%" PRIx64 " is not a multiple of %" PRIu64
			    ", what a burst takes up",
			    s->addr, stride);
	if (!s->span || s->span % stride)
		return fail(p,
			    "span: %" PRIu64 " is not a multiple of %" PRIu64
			    ", what a burst takes up",
			    s->span, stride);
	return true;
}

static bool parse_all(struct parse *p, char *copy)
{
	char *rest = strchr(copy, ':'), *pair;
	const char *names[PMK_MATRIX_NMASTERS];
	uint8_t master = 0;

	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++)
		names[i] = masters[i].name;
	if (!rest)
		return fail(p, "want MASTER:KEY=VALUE,…, such as dma0:burst=incr8,period=40");
	*rest++ = '\0';
	if (!parse_name(p, "master", copy, names, PMK_MATRIX_NMASTERS, &master))
		return false;
	p->master = master;
	*p->script = (struct pmk_matrix_script){ .on = true,
						 .burst = masters[master].burst,
						 .prot = masters[master].prot,
						 .size = PMK_AHB_WORD,
						 .beats = 1,
						 .span = 65536 };
	while ((pair = strsep(&rest, ",")))
		if (!parse_pair(p, pair))
			return false;
	if (!p->given[PERIOD])
		return fail(p, "period is missing: cycles from one burst to the next");
	return check_master(p) && find_address(p) && check_addresses(p);
}

int pmk_traffic_parse(const char *text, const struct pmk_matrix_config *config, unsigned *master,
		      struct pmk_matrix_script *script, char *msg, size_t size)
{
	struct parse p = {
		.text = text, .config = config, .script = script, .msg = msg, .size = size
	};
	char copy[256];

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy)) {
		fail(&p, "is longer than %zu characters", sizeof(copy) - 1);
		return PMK_EPARSE;
	}
	if (!parse_all(&p, copy))
		return PMK_EPARSE;
	*master = p.master;
	return PMK_OK;
}
