// SPDX-License-Identifier: MIT
/* See wired.h. */
#include "count/wired.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/ahbmon.h>
#include <pmk/arm11.h>
#include <pmk/armv8.h>
#include <pmk/l2cc.h>

#include "base/nearest.h"
#include "count/monitor.h"

/* ---- settings -------------------------------------------------------------------------------- */

#define TAP "tap" /* the one setting that is a text */

static const struct key {
	const char *name;
	size_t member;
	uint64_t least, most, usual;
} keys[] = {
#define KEY(name, member, least, most, usual)                                         \
	{                                                                             \
		name, offsetof(struct pmk_wired_settings, member), least, most, usual \
	}
	KEY("base", base, 0, UINT64_MAX, 0),
	KEY("imx31", imx31, 0, 1, 0),
	KEY("big_endian", big_endian, 0, 1, 0),
	/* The FPGAs of the 7 series: USER2 and BYPASS, 6 bits (UG470, table of JTAG commands). */
	KEY("user", user, 0, UINT32_MAX, 0x03),
	KEY("bypass", bypass, 0, UINT32_MAX, 0x3f),
	KEY("ports", ports, 1, 32, 1),
	KEY("processor", processor, 0, 31, 0),
	/* The tools' defaults for C_DEBUG_EVENT_COUNTERS and so on. */
	KEY("events", events, 0, PMK_MICROBLAZE_MAX_EVENTS, 5),
	KEY("latencies", latencies, 0, PMK_MICROBLAZE_MAX_LATENCIES, 1),
	KEY("width", width, 32, 64, 32),
	KEY("patience", patience_ms, 1, 600000, 3000),
	KEY("turn", turn_ms, 1, 600000, 100),
#undef KEY
	{ TAP, 0, 0, 0, 0 },
};

#define NKEYS (sizeof(keys) / sizeof(keys[0]))

static const char *key_name(const void *ctx, unsigned i)
{
	(void)ctx;
	return i < NKEYS ? keys[i].name : NULL;
}

static uint64_t *member(struct pmk_wired_settings *s, const struct key *k)
{
	return (uint64_t *)(void *)((char *)s + k->member);
}

static const struct key *find_key(const char *word, size_t n)
{
	for (size_t i = 0; i < NKEYS; i++)
		if (strlen(keys[i].name) == n && !strncmp(keys[i].name, word, n))
			return &keys[i];
	return NULL;
}

static int set_number(struct pmk_wired_settings *s, const struct key *k, const char *word,
		      const char *text, struct pmk_count_fault *f)
{
	uint64_t v;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text < '0' || *text > '9' || v < k->least ||
	    v > k->most)
		return pmk_count_fail(f, PMK_COUNT_USAGE,
				      "--set %s: expected a number from %" PRIu64 " to 0x%" PRIx64,
				      word, k->least, k->most);
	*member(s, k) = v;
	s->has_base |= k->member == offsetof(struct pmk_wired_settings, base);
	return 0;
}

static int set_one(struct pmk_wired_settings *s, const char *word, struct pmk_count_fault *f)
{
	size_t n = strcspn(word, "=");
	const struct key *k = find_key(word, n);
	const char *value = word + n + 1;
	char name[64], near[64] = "";

	if (!k || !word[n]) {
		snprintf(name, sizeof(name), "%.*s", (int)(n < 63 ? n : 63), word);
		pmk_nearest_among(name, key_name, NULL, near, sizeof(near));
		return pmk_count_fail(f, PMK_COUNT_USAGE,
				      "--set %s: a target on a wire has no such setting%s%s%s "
				      "(pmk-stat(1), TARGETS ON A WIRE)",
				      word,
				      k	      ? "; say =VALUE"
				      : *near ? "; did you mean "
					      : "",
				      k ? "" : near, !k && *near ? "?" : "");
	}
	if (strcmp(k->name, TAP) != 0)
		return set_number(s, k, word, value, f);
	/* It becomes a word of a command in Tcl. */
	if (!*value || strlen(value) >= sizeof(s->tap) ||
	    value[strspn(value,
			 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")])
		return pmk_count_fail(
			f, PMK_COUNT_USAGE,
			"--set %s: expected the name of a TAP, as OpenOCD's 'scan_chain' "
			"shows it",
			word);
	snprintf(s->tap, sizeof(s->tap), "%s", value);
	return 0;
}

static int take_settings(struct pmk_wired_settings *s, const struct pmk_words *overrides,
			 struct pmk_count_fault *f)
{
	char word[160];
	int err = 0;

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < NKEYS; i++)
		if (strcmp(keys[i].name, TAP) != 0)
			*member(s, &keys[i]) = keys[i].usual;
	for (unsigned i = 0; !err && i < overrides->count; i++)
		for (const char *at = overrides->word[i]; !err && at; at = strchr(at, ',')) {
			at += *at == ',';
			snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, ","), at);
			err = set_one(s, word, f);
		}
	return err;
}

/* ---- which PMU ------------------------------------------------------------------------------- */

/* By the driver, which is the family's. */
static const struct way_in {
	const struct pmk_pmu *of;
	enum pmk_reach reach;
} ways_in[] = {
	{ &pmk_arm1176, PMK_REACH_CP15 },  { &pmk_microblaze, PMK_REACH_MDM },
	{ &pmk_ahbmon, PMK_REACH_MEMORY }, { &pmk_l210, PMK_REACH_MEMORY },
	{ &pmk_l220, PMK_REACH_MEMORY },   { &pmk_cortex_a53, PMK_REACH_MEMORY },
};

static const struct way_in *way_in(const struct pmk_pmu *pmu)
{
	for (size_t i = 0; i < sizeof(ways_in) / sizeof(ways_in[0]); i++)
		if (ways_in[i].of->driver == pmu->driver)
			return &ways_in[i];
	return NULL;
}

static int choose_monitor(struct pmk_wired *w, const char *layout, const char *data,
			  struct pmk_count_fault *f)
{
	int err = pmk_monitor_layout(&w->layout, layout, data, f);

	w->monitor = *w->pmu;
	w->monitor.family = &w->layout.layout;
	w->pmu = &w->monitor;
	if (!w->set.has_base)
		w->set.base = w->layout.layout.base;
	w->set.has_base = true;
	w->memory.offset = w->layout.layout.offset;
	w->memory.noffsets = PMK_AHBMON_NREGS;
	return err;
}

static int choose_memory(struct pmk_wired *w, const char *layout, const char *data,
			 struct pmk_count_fault *f)
{
	if (w->pmu->driver == pmk_ahbmon.driver)
		return choose_monitor(w, layout, data, f);
	if (!w->set.has_base)
		return pmk_count_fail(f, PMK_COUNT_USAGE,
				      "--pmu %s: say where its registers are in memory: --set "
				      "base=ADDRESS",
				      w->pmu->name);
	if (w->pmu->driver == pmk_l210.driver) {
		w->memory.offset = w->set.imx31 ? pmk_l210_imx31_offsets : pmk_l210_offsets;
		w->memory.noffsets = PMK_L210_NREGS;
	} else if (w->pmu->driver == pmk_l220.driver) {
		w->memory.offset = pmk_l220_offsets;
		w->memory.noffsets = PMK_L220_NREGS;
	} else {
		w->memory.offset = pmk_armv8_mmio_offsets;
		w->memory.noffsets = PMK_ARMV8_NWORDS;
		w->memory.wide = pmk_armv8_mmio_wide;
	}
	return 0;
}

static int choose_microblaze(struct pmk_wired *w, struct pmk_count_fault *f)
{
	if (pmk_microblaze_configure(&w->microblaze, (unsigned)w->set.events,
				     (unsigned)w->set.latencies, (unsigned)w->set.width))
		return pmk_count_fail(f, PMK_COUNT_USAGE,
				      "--set events, latencies, width: %" PRIu64 ", %" PRIu64
				      " and %" PRIu64 " are no counters of a MicroBlaze",
				      w->set.events, w->set.latencies, w->set.width);
	if (w->set.processor >= w->set.ports)
		return pmk_count_fail(f, PMK_COUNT_USAGE,
				      "--set processor=%" PRIu64 ": the debug module has %" PRIu64
				      " ports; --set ports=N",
				      w->set.processor, w->set.ports);
	w->pmu = &w->microblaze.pmu;
	return 0;
}

int pmk_wired_choose(struct pmk_wired *w, const char *pmu, const struct pmk_words *overrides,
		     const char *layout, const char *data, struct pmk_count_fault *f)
{
	const struct way_in *way;
	int err = take_settings(&w->set, overrides, f);

	if (err)
		return err;
	w->wire.link.fd = -1;
	w->pmu = pmu ? pmk_pmu_find(pmu) : &pmk_arm1176;
	if (!w->pmu)
		return pmk_count_fail(f, PMK_COUNT_USAGE, "unknown PMU '%s' (pmk list pmus)", pmu);
	way = way_in(w->pmu);
	if (!way)
		return pmk_count_fail(f, PMK_COUNT_USAGE,
				      "--pmu %s: it is not reached over a wire; ARM11, MicroBlaze, "
				      "ahbmon, l210, l220 and PMUv3 are",
				      pmu);
	w->reach = way->reach;
	if (layout && w->pmu->driver != pmk_ahbmon.driver)
		return pmk_count_fail(f, PMK_COUNT_USAGE,
				      "--layout is for --pmu ahbmon, and this is %s", w->pmu->name);
	if (w->reach == PMK_REACH_MEMORY)
		err = choose_memory(w, layout, data, f);
	else if (w->reach == PMK_REACH_MDM)
		err = choose_microblaze(w, f);
	return err;
}

/* ---- reaching it ----------------------------------------------------------------------------- */

const char *pmk_wired_why(const struct pmk_wired *w, int err)
{
	return *w->wire.link.why && (err == PMK_EIO || err == PMK_ENOTSUP || err == PMK_EBUSY)
		       ? w->wire.link.why
		       : pmk_strerror(err);
}

static int failed(struct pmk_wired *w, int err, struct pmk_count_fault *f)
{
	return pmk_count_fail(f, err == PMK_EPARSE ? PMK_COUNT_USAGE : PMK_COUNT_FAILED, "%s",
			      err == PMK_EPARSE ? w->wire.link.why : pmk_wired_why(w, err));
}

int pmk_wired_connect(struct pmk_wired *w, const struct pmk_speaker *speaker, const char *where,
		      struct pmk_count_fault *f)
{
	int err = pmk_wire_open(&w->wire, speaker, where, (unsigned)w->set.patience_ms);

	w->wire.big_endian = w->set.big_endian;
	return err ? failed(w, err, f) : 0;
}

/* Some probes reach memory while the processor runs, others do not: try it. */
static int reach_memory(struct pmk_wired *w)
{
	uint64_t first = w->set.base + w->memory.offset[0];
	uint32_t value;
	int err = PMK_EIO;

	w->memory.wire = &w->wire;
	w->memory.base = w->set.base;
	if (!w->wire.halts)
		err = w->wire.speaker->load(&w->wire, first, &value);
	if (err && !pmk_wire_lost(&w->wire)) {
		w->wire.halts = true;
		err = pmk_wire_hold(&w->wire);
		if (!err)
			err = w->wire.speaker->load(&w->wire, first, &value);
		if (!err)
			*w->wire.link.why = '\0'; /* the first try is forgotten */
	}
	w->port = pmk_wire_port_memory(&w->memory);
	if (w->memory.offset != pmk_armv8_mmio_offsets)
		return err;
	/* Through some access ports the block is locked: PMLAR, DDI 0487 I5.3. */
	if (!err)
		err = w->wire.speaker->store(&w->wire, w->set.base + 0xFB0, 0xC5ACCE55);
	w->words = w->port;
	w->port = pmk_armv8_port_memory(&w->words);
	return err;
}

static int reach_mdm(struct pmk_wired *w)
{
	w->tap = (struct pmk_wire_tap){
		.wire = &w->wire,
		.bypass = (unsigned)w->set.bypass,
		.user = (unsigned)w->set.user,
	};
	snprintf(w->tap.name, sizeof(w->tap.name), "%s", w->set.tap);
	w->jtag = (struct pmk_mdm_jtag){
		.ports = (uint8_t)w->set.ports,
		.processor = (uint8_t)w->set.processor,
	};
	pmk_wire_mdm(&w->jtag, &w->tap);
	w->port = pmk_port_mdm_jtag(&w->jtag);
	return pmk_mdm_jtag_open(&w->jtag);
}

/* Main ID: the processor has to be the one whose events are counted. */
static int check_arm11(struct pmk_wired *w, struct pmk_count_fault *f)
{
	static const struct {
		uint16_t part;
		const char *name;
	} parts[] = { { 0xb36, "arm1136" },
		      { 0xb56, "arm1156" },
		      { 0xb76, "arm1176" },
		      { 0xb02, "arm11mpcore" } };
	uint32_t midr, part;
	int err = pmk_wire_mrc(&w->wire, 0, 0, 0, &midr);

	if (err)
		return failed(w, err, f);
	part = midr >> 4 & 0xfff;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].part != part)
			continue;
		if (!strncmp(w->pmu->name, parts[i].name, strlen(parts[i].name)))
			return 0;
		return pmk_count_fail(f, PMK_COUNT_USAGE,
				      "the target is an %s (Main ID 0x%08" PRIx32
				      "), not an %s: --pmu %s",
				      parts[i].name, midr, w->pmu->name, parts[i].name);
	}
	return pmk_count_fail(f, PMK_COUNT_FAILED,
			      "the target is no ARM11: its Main ID is 0x%08" PRIx32, midr);
}

int pmk_wired_reach(struct pmk_wired *w, struct pmk_count_fault *f)
{
	int err;

	if (w->reach == PMK_REACH_CP15) {
		w->wire.halts = true;
		w->port = pmk_wire_port_arm11(&w->wire);
		err = pmk_wire_hold(&w->wire);
		return err ? failed(w, err, f) : check_arm11(w, f);
	}
	err = w->reach == PMK_REACH_MDM ? reach_mdm(w) : reach_memory(w);
	return err ? failed(w, err, f) : 0;
}
