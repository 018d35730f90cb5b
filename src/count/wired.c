// SPDX-License-Identifier: MIT
/* See wired.h. */
#include "count/wired.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <pmk/ahbmon.h>
#include <pmk/arm11.h>
#include <pmk/armv8.h>
#include <pmk/bits.h>
#include <pmk/l2cc.h>

#include "base/nearest.h"
#include "base/number.h"
#include "count/monitor.h"
#include "producer/wire/devices.h"

/* ---- settings -------------------------------------------------------------------------------- */

#define NAMES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

#define LENGTHS "0123456789+"

static const struct key {
	const char *name;
	size_t member;
	uint64_t least, most, usual;
	/* Only for texts: the size of the member, a description, and the permitted letters. */
	size_t room;
	const char *what, *letters;
} keys[] = {
#define KEY(name, member, least, most, usual)                                                      \
	{                                                                                          \
		name, offsetof(struct pmk_wired_settings, member), least, most, usual, 0, "", NULL \
	}
#define TEXT(name, letters, what)                                                     \
	{                                                                             \
#name, offsetof(struct pmk_wired_settings, name), 0, 0, 0,            \
			sizeof(((struct pmk_wired_settings *)0)->name), what, letters \
	}
	KEY("base", base, 0, UINT64_MAX, 0),
	KEY("imx31", imx31, 0, 1, 0),
	KEY("big_endian", big_endian, 0, 1, 0),
	/* The defaults are for the FPGAs of the 7 series: USER2 and BYPASS, 6 bits (UG470, table of
	 * JTAG commands). */
	KEY("user", user, 0, UINT32_MAX, 0x03),
	KEY("bypass", bypass, 0, UINT32_MAX, 0x3f),
	KEY("irlen", irlen, 2, 32, 6),
	KEY("tck", tck_ns, 0, UINT32_MAX, 0),
	KEY("ports", ports, 1, 32, 1),
	KEY("processor", processor, 0, 31, 0),
	/* The defaults are those that Xilinx's tools have for the parameters of the core,
	 * C_DEBUG_EVENT_COUNTERS and so on. */
	KEY("events", events, 0, PMK_MICROBLAZE_MAX_EVENTS, 5),
	KEY("latencies", latencies, 0, PMK_MICROBLAZE_MAX_LATENCIES, 1),
	KEY("width", width, 32, 64, 32),
	KEY("patience", patience_ms, 1, 600000, 3000),
	KEY("turn", turn_ms, 1, 600000, 100),
	/* The name becomes a word of a Tcl command, so only some characters are allowed. */
	TEXT(tap, NAMES, "the name of a TAP, as OpenOCD's 'scan_chain' shows it"),
	TEXT(before, LENGTHS, "the lengths of instructions, as in 4 or 4+6"),
	TEXT(after, LENGTHS, "the lengths of instructions, as in 4 or 4+6"),
	TEXT(elf, NULL, "a file"),
	TEXT(node, NULL, "a path in the device tree, or a compatible name"),
	TEXT(sysfs, NULL, "a folder"),
#undef KEY
#undef TEXT
};

#define NKEYS (sizeof(keys) / sizeof(keys[0]))

static const char *key_name(const void *ctx, unsigned i)
{
	(void)ctx;
	return i < NKEYS ? keys[i].name : NULL;
}

static uint64_t *setting_member(struct pmk_wired_settings *s, const struct key *k)
{
	return (uint64_t *)(void *)((char *)s + k->member);
}

static char *text_of(struct pmk_wired_settings *s, const struct key *k)
{
	return (char *)s + k->member;
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

	if (pmk_number_parse(text, PMK_ANY_BASE, k->least, k->most, &v))
		return pmk_count_refuse(
			f, "`set` %s: expected a number from %" PRIu64 " to 0x%" PRIx64, word,
			k->least, k->most);
	*setting_member(s, k) = v;
	s->has_base |= k->member == offsetof(struct pmk_wired_settings, base);
	return 0;
}

static int set_text(struct pmk_wired_settings *s, const struct key *k, const char *word,
		    const char *text, struct pmk_count_fault *f)
{
	if (!*text || strlen(text) >= k->room || (k->letters && text[strspn(text, k->letters)]))
		return pmk_count_refuse(f, "`set` %s: expected %s", word, k->what);
	snprintf(text_of(s, k), k->room, "%s", text);
	return 0;
}

static int set_one(struct pmk_wired_settings *s, const char *word, struct pmk_count_fault *f)
{
	size_t n = strcspn(word, "=");
	const struct key *k = find_key(word, n);
	const char *value = word + n + 1;
	char name[64], near[64] = "";

	if (k && !word[n])
		return pmk_count_refuse(f, "`set` %s: its value is missing; give %s=VALUE", word,
					word);
	if (!k) {
		snprintf(name, sizeof(name), "%.*s", (int)(n < 63 ? n : 63), word);
		pmk_nearest_among(name, key_name, NULL, near, sizeof(near));
		return pmk_count_refuse(f,
					"`set` %s: a target on a wire has no such setting%s%s%s "
					"(pmk-stat(1), TARGETS ON A WIRE)",
					word, *near ? "; did you mean " : "", near,
					*near ? "?" : "");
	}
	return k->room ? set_text(s, k, word, value, f) : set_number(s, k, word, value, f);
}

/* True if the word is the second part of a compatible name, whose comma looked like a separator of
 * settings. */
static bool goes_on(const char *word, const char *next)
{
	return !strncmp(word, "node=", 5) && word[5] != '/' && !strchr(word, ',') && *next &&
	       !strchr(next, '=');
}

static int take_settings(struct pmk_wired_settings *s, const struct pmk_words *overrides,
			 struct pmk_count_fault *f)
{
	char word[600] = "", next[280];
	bool first = true;
	size_t n;
	int err = 0;

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < NKEYS; i++)
		if (!keys[i].room)
			*setting_member(s, &keys[i]) = keys[i].usual;
	snprintf(s->sysfs, sizeof(s->sysfs), "/sys");
	for (unsigned i = 0; !err && i < overrides->count; i++)
		for (const char *at = overrides->word[i]; !err && at; at = strchr(at, ',')) {
			at += *at == ',';
			snprintf(next, sizeof(next), "%.*s", (int)strcspn(at, ","), at);
			if (goes_on(word, next)) {
				n = strlen(word);
				snprintf(word + n, sizeof(word) - n, ",%s", next);
				continue;
			}
			if (!first)
				err = set_one(s, word, f);
			first = false;
			snprintf(word, sizeof(word), "%s", next);
		}
	if (!err && !first)
		err = set_one(s, word, f);
	return err;
}

/* ---- which PMU ------------------------------------------------------------------------------- */

/* How to reach each family of PMUs. A family is recognised by its driver. */
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

static int no_base(const struct pmk_wired *w, struct pmk_count_fault *f)
{
	return pmk_count_refuse(f,
				"`pmu` %s: the address of its registers is not known; give `set` "
				"base=ADDRESS or node=PATH",
				w->pmu->name);
}

static int choose_memory(struct pmk_wired *w, const char *layout, const char *data,
			 struct pmk_count_fault *f)
{
	if (w->pmu->driver == pmk_ahbmon.driver)
		return choose_monitor(w, layout, data, f);
	if (!w->set.has_base)
		return no_base(w, f);
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

/* The largest number of TAPs before our TAP, and after it: their instructions must fit in a scan
 * vector. */
#define MAX_TAPS 12

/* Count TAPs and bits in a text. "4+6" are two TAPs, whose instructions have ten bits in total.
 * Returns false if the text is not such a list. */
static bool count_taps(const char *text, struct pmk_wire_taps *taps)
{
	for (const char *at = text; *at; at += *at == '+') {
		uint64_t bits;

		if (pmk_number_read(&at, 10, &bits) || bits < 2 || bits > 32 ||
		    (*at && (*at != '+' || !at[1])) || ++taps->taps > MAX_TAPS)
			return false;
		taps->bits += (unsigned)bits;
	}
	return true;
}

/* Set the JTAG chain, which the probe does not know. */
static int choose_chain(struct pmk_wired *w, struct pmk_count_fault *f)
{
	if (count_taps(w->set.before, &w->tap.before) && count_taps(w->set.after, &w->tap.after))
		return 0;
	return pmk_count_refuse(f,
				"`set` before, after: expected the instruction lengths of at "
				"most %d other TAPs, 2 to 32 bits each, as in before=4+6",
				MAX_TAPS);
}

static int choose_microblaze(struct pmk_wired *w, struct pmk_count_fault *f)
{
	if (pmk_microblaze_configure(&w->microblaze, (unsigned)w->set.events,
				     (unsigned)w->set.latencies, (unsigned)w->set.width))
		return pmk_count_refuse(f,
					"`set` events, latencies, width: no MicroBlaze has "
					"counters like %" PRIu64 ", %" PRIu64 " and %" PRIu64,
					w->set.events, w->set.latencies, w->set.width);
	if (w->set.processor >= w->set.ports)
		return pmk_count_refuse(
			f,
			"`set` processor=%" PRIu64
			": processors are numbered from 0, and the debug module has "
			"%" PRIu64 " of them; `set` ports=N gives their number",
			w->set.processor, w->set.ports);
	w->pmu = &w->microblaze.pmu;
	return choose_chain(w, f);
}

/* Find the address of the registers, if --set gives it or the file is a UIO device. */
static int find_base(struct pmk_wired *w, const struct pmk_wired_request *r,
		     struct pmk_count_fault *f)
{
	struct pmk_wired_settings *s = &w->set;
	struct pmk_uio_map map[PMK_UIO_MAPS];
	char why[512];

	if (*s->node && s->has_base)
		return pmk_count_refuse(f, "`set` base and node: both give the address of the "
					   "registers; use one of them");
	if (*s->node) {
		if (pmk_tree_address(s->sysfs, s->node, &s->base, why, sizeof(why)))
			return pmk_count_refuse(f, "`set` node=%s: %s", s->node, why);
		s->has_base = true;
	} else if (!s->has_base && r->speaker == &pmk_speaker_devmem &&
		   pmk_uio_maps(s->sysfs, r->where, map)) {
		s->base = map[0].start + map[0].offset;
		s->has_base = true;
	}
	if (s->base % 4)
		return pmk_count_refuse(f,
					"`set` base=0x%" PRIx64 ": registers are words of 32 bits, "
					"and this is no multiple of 4",
					s->base);
	return 0;
}

/* Check that the target's protocol can reach the PMU, and choose how. */
static int choose_reach(struct pmk_wired *w, const struct pmk_wired_request *r,
			struct pmk_count_fault *f)
{
	const struct way_in *way = way_in(w->pmu);
	const char *name = r->speaker->name;

	if (!way)
		return pmk_count_refuse(f,
					"`pmu` %s: it cannot be accessed over a wire; ARM11, "
					"MicroBlaze, ahbmon, l210, l220 and PMUv3 can",
					r->pmu);
	w->reach = way->reach;
	if (w->reach == PMK_REACH_MDM &&
	    (w->set.has_base || (!r->speaker->command && !r->speaker->scan_ir)))
		w->reach = PMK_REACH_AXI;
	if (!r->speaker->load && w->reach != PMK_REACH_MDM && w->reach != PMK_REACH_CP15)
		return pmk_count_refuse(f,
					"`target` %s only scans the JTAG chain: give `pmu` of an "
					"ARM11, or microblaze without `set` base and node",
					name);
	if (w->reach == PMK_REACH_CP15 && !r->speaker->command && !r->speaker->transfer)
		return pmk_count_refuse(f,
					"`target` %s accesses memory, which the counters of %s are "
					"not in; use `pmu` ahbmon, l210, l220, microblaze or PMUv3",
					name, w->pmu->name);
	if (r->layout && w->pmu->driver != pmk_ahbmon.driver)
		return pmk_count_refuse(f, "`layout` is for `pmu` ahbmon, but this is %s",
					w->pmu->name);
	return 0;
}

int pmk_wired_choose(struct pmk_wired *w, const struct pmk_wired_request *r,
		     struct pmk_count_fault *f)
{
	int err = take_settings(&w->set, r->overrides, f);

	if (err)
		return err;
	w->wire.link.fd = -1;
	w->pmu = r->pmu ? pmk_pmu_find(r->pmu) : &pmk_arm1176;
	if (!w->pmu)
		return pmk_count_refuse(f, "unknown PMU '%s' (pmk list pmus)", r->pmu);
	err = find_base(w, r, f);
	if (!err)
		err = choose_reach(w, r, f);
	if (!err && w->reach == PMK_REACH_MEMORY)
		err = choose_memory(w, r->layout, r->data, f);
	else if (!err && w->reach == PMK_REACH_AXI && !w->set.has_base)
		err = no_base(w, f);
	if (!err && w->reach == PMK_REACH_CP15)
		err = choose_chain(w, f);
	if (!err && (w->reach == PMK_REACH_MDM || w->reach == PMK_REACH_AXI))
		err = choose_microblaze(w, f);
	return err;
}

/* ---- reaching it ----------------------------------------------------------------------------- */

const char *pmk_wired_why(const struct pmk_wired *w, int err)
{
	if (*w->wire.link.why && (err == PMK_EIO || err == PMK_ENOTSUP || err == PMK_EBUSY))
		return w->wire.link.why;
	/* pmk cannot distinguish a missing module from a module whose lock another user holds. */
	if (err == PMK_EBUSY && w->reach == PMK_REACH_AXI)
		return "the debug module never grants its access lock: either no debug module is "
		       "at this address, or a debugger holds the lock";
	return pmk_strerror(err);
}

static int wire_failed(struct pmk_wired *w, int err, struct pmk_count_fault *f)
{
	return pmk_count_fail(f, err == PMK_EPARSE ? PMK_COUNT_USAGE : PMK_COUNT_FAILED, "%s",
			      err == PMK_EPARSE ? w->wire.link.why : pmk_wired_why(w, err));
}

int pmk_wired_connect(struct pmk_wired *w, const struct pmk_speaker *speaker, const char *where,
		      struct pmk_count_fault *f)
{
	int err =
		pmk_wire_open(&w->wire, speaker, where, (unsigned)w->set.patience_ms, w->set.sysfs);

	w->wire.big_endian = w->set.big_endian;
	return err ? wire_failed(w, err, f) : 0;
}

/* Read memory to find out whether the probe can access it while the processor runs. If not, halt
 * the target for each access. */
static int try_memory(struct pmk_wired *w, uint64_t first)
{
	uint32_t value;
	int err = PMK_EIO;

	w->memory.wire = &w->wire;
	w->memory.base = w->set.base;
	if (!w->wire.halts)
		err = w->wire.speaker->load(&w->wire, first, &value);
	if (err && !pmk_wire_lost(&w->wire) && w->wire.speaker->halt) {
		w->wire.halts = true;
		err = pmk_wire_hold(&w->wire);
		if (!err)
			err = w->wire.speaker->load(&w->wire, first, &value);
		if (!err)
			*w->wire.link.why = '\0'; /* the error of the first attempt is dropped */
	}
	return err;
}

static int load_word(struct pmk_wired *w, unsigned offset, uint32_t *value)
{
	return w->wire.speaker->load(&w->wire, w->set.base + offset, value);
}

static int store_word(struct pmk_wired *w, unsigned offset, uint32_t value)
{
	return w->wire.speaker->store(&w->wire, w->set.base + offset, value);
}

/* The Cache ID of a level 2 cache controller, which is its first word. */
#define CACHE_ARM	  0x41
#define CACHE_IMPLEMENTER PMK_BITS(31, 24)
#define CACHE_PART	  PMK_BITS(9, 6)

enum { PART_L210 = 1, PART_L220, PART_PL310 };

/* Returns the name of the controller that has this Cache ID; NULL: pmk does not know it. */
static const char *cache_name(uint32_t id)
{
	static const char *const names[] = {
		[PART_L210] = "an L210", [PART_L220] = "an L220", [PART_PL310] = "a PL310"
	};
	uint32_t part = (uint32_t)PMK_GET(id, CACHE_PART);

	return PMK_GET(id, CACHE_IMPLEMENTER) == CACHE_ARM && part < 4 ? names[part] : NULL;
}

#define ECC_RESETS PMK_BITS(2, 1) /* event counter control: set counters to zero, read as zero */

/* Check that an L220 and not memory is at the address. Memory may hold the Cache ID, but it would
 * keep the bits that set the counters to zero. */
static int check_l220(struct pmk_wired *w)
{
	unsigned control = w->memory.offset[PMK_L220_CONTROL];
	uint32_t value = 0;
	int err = load_word(w, control, &value);

	if (!err)
		err = store_word(w, control, value | (uint32_t)ECC_RESETS);
	if (!err)
		err = load_word(w, control, &value);
	if (!err && (value & ECC_RESETS))
		err = pmk_link_fail(&w->wire.link, PMK_EIO,
				    "no L220 is at 0x%" PRIx64
				    ": memory seems to be there, because the bits that reset "
				    "the event counters read 0x%" PRIx32
				    " after they were written, and not 0; check the "
				    "address",
				    w->set.base, value & (uint32_t)ECC_RESETS);
	return err;
}

static int identify_l220(struct pmk_wired *w)
{
	const char *name;
	uint32_t id;
	int err = load_word(w, 0, &id);

	if (err)
		return err;
	name = cache_name(id);
	if (name && PMK_GET(id, CACHE_PART) == PART_L220)
		return check_l220(w);
	return pmk_link_fail(&w->wire.link, PMK_EIO,
			     "no L220 is at 0x%" PRIx64 ": the Cache ID reads 0x%08" PRIx32
			     ", which %s%s; check "
			     "the address",
			     w->set.base, id, name ? "is that of " : "pmk does not know",
			     name ? name : "");
}

#define EMCS_FLAGS PMK_BITS(3, 0) /* writing 1 clears them */

/* Check that an L210's event monitor and not memory is at the address. The monitor has no
 * identification register, but memory would keep the bits that clear the monitor's flags. */
static int identify_l210(struct pmk_wired *w)
{
	uint32_t first = 0, flags = 0;
	int err = load_word(w, w->memory.offset[PMK_L210_EMMC], &first);

	if (!err && cache_name(first))
		return pmk_link_fail(&w->wire.link, PMK_EIO,
				     "%s is at 0x%" PRIx64 " (Cache ID 0x%08" PRIx32
				     "); the L210's event monitor is a separate block: give its "
				     "address in `set` base=",
				     cache_name(first), w->set.base, first);
	if (!err)
		err = store_word(w, w->memory.offset[PMK_L210_EMCS], (uint32_t)EMCS_FLAGS);
	if (!err)
		err = load_word(w, w->memory.offset[PMK_L210_EMCS], &flags);
	if (!err && (flags & EMCS_FLAGS))
		err = pmk_link_fail(&w->wire.link, PMK_EIO,
				    "no event monitor of an L210 is at 0x%" PRIx64
				    ": memory seems to be there, because "
				    "the overflow flags read 0x%" PRIx32
				    " after they were cleared; check the address",
				    w->set.base, flags);
	return err;
}

/* Words of the memory-mapped PMUv3: DDI 0487 I5.3. */
#define PMLAR	     0xFB0
#define PMLSR	     0xFB4
#define PMDEVARCH    0xFBC
#define PMDEVTYPE    0xFCC
#define PMLAR_KEY    0xC5ACCE55
#define LOCKED	     (PMK_BIT(1) | PMK_BIT(0)) /* PMLSR: there is a lock, and it is closed */
#define ARCH_PRESENT PMK_BIT(20)
#define ARCH_PART    PMK_BITS(11, 0)
#define ARCH_PMUV3   0xA16
#define TYPE_CLASS   PMK_BITS(7, 0)
#define TYPE_PMU     0x16 /* the performance monitor of a processor */

static int identify_pmuv3(struct pmk_wired *w)
{
	uint32_t arch = 0, type = 0;
	int err = load_word(w, PMDEVARCH, &arch);

	if (!err)
		err = load_word(w, PMDEVTYPE, &type);
	if (err || PMK_GET(type, TYPE_CLASS) == TYPE_PMU ||
	    ((arch & ARCH_PRESENT) && PMK_GET(arch, ARCH_PART) == ARCH_PMUV3))
		return err;
	return pmk_link_fail(&w->wire.link, PMK_EIO,
			     "no PMUv3 is at 0x%" PRIx64 ": its PMDEVARCH reads 0x%08" PRIx32
			     " and its PMDEVTYPE 0x%" PRIx32 ", instead of 0x47702a16 and 0x%x",
			     w->set.base, arch, type, TYPE_PMU);
}

/* Unlock the PMU. With some access ports its registers are locked. */
static int unlock_pmuv3(struct pmk_wired *w)
{
	uint32_t status = 0;
	int err = load_word(w, PMLSR, &status);

	if (!err)
		err = store_word(w, PMLAR, PMLAR_KEY);
	w->was_locked = !err && (status & LOCKED) == LOCKED;
	return err;
}

static void leave_pmuv3(struct pmk_wired *w)
{
	if (w->was_locked && !pmk_wire_lost(&w->wire) && !pmk_wire_hold(&w->wire))
		store_word(w, PMLAR, 0);
	w->was_locked = false;
}

static int reach_memory(struct pmk_wired *w)
{
	const struct pmk_driver *driver = w->pmu->driver;
	int err = try_memory(w, w->set.base + w->memory.offset[0]);

	w->port = pmk_wire_port_memory(&w->memory);
	if (!err && driver == pmk_l210.driver)
		err = identify_l210(w);
	if (!err && driver == pmk_l220.driver)
		err = identify_l220(w);
	if (w->memory.offset != pmk_armv8_mmio_offsets)
		return err;
	if (!err)
		err = identify_pmuv3(w);
	if (!err)
		err = unlock_pmuv3(w);
	w->words = w->port;
	w->port = pmk_armv8_port_memory(&w->words);
	return err;
}

#define MDM_STATUS   0x10 /* the only word of the module that can be read at any time */
/* Attempts to get the access lock of the module. Each takes at least 1 µs, and a debugger holds the
 * lock for some µs, as long as its scan takes. */
#define MDM_PATIENCE 1000

static int reach_axi(struct pmk_wired *w)
{
	int err = try_memory(w, w->set.base + MDM_STATUS);

	w->mdm = (struct pmk_mdm){
		.ports = (uint8_t)w->set.ports,
		.processor = (uint8_t)w->set.processor,
		.patience = MDM_PATIENCE,
	};
	pmk_wire_mdm_memory(&w->mdm, &w->memory);
	w->port = pmk_port_mdm(&w->mdm);
	return err ? err : pmk_mdm_open(&w->mdm);
}

/* Lock the registers of the debug module again. */
static void leave_axi(struct pmk_wired *w)
{
	if (!pmk_wire_lost(&w->wire) && w->mdm.store && !pmk_wire_hold(&w->wire))
		pmk_mdm_close(&w->mdm);
}

void pmk_wired_close(struct pmk_wired *w)
{
	leave_axi(w);
	leave_pmuv3(w);
	pmk_wire_close(&w->wire);
}

#define MDM_COMMAND_BITS 8
#define MDM_CONFIG	 0x0c /* command: the module's own configuration, 32 bits and more */
#define MDM_IS		 PMK_BITS(31, 24)
#define MDM_IS_ONE	 0x42
#define MDM_PROCESSORS	 PMK_BITS(15, 8)

/* Read the configuration to check the JTAG instruction. A wrong instruction selects BYPASS or
 * another block of the design, whose output would look like counts of 0, or of any value. */
static int identify_mdm(struct pmk_wired *w)
{
	const uint8_t command[] = { MDM_CONFIG }, zeros[4] = { 0 };
	uint8_t in[4] = { 0 };
	unsigned processors;
	uint32_t config;
	int err = w->jtag.scan(w->jtag.ctx, MDM_COMMAND_BITS, command, NULL);

	if (!err)
		err = w->jtag.scan(w->jtag.ctx, 32, zeros, in);
	if (err)
		return err;
	config = (uint32_t)in[3] << 24 | (uint32_t)in[2] << 16 | (uint32_t)in[1] << 8 | in[0];
	if (PMK_GET(config, MDM_IS) != MDM_IS_ONE)
		return pmk_link_fail(
			&w->wire.link, PMK_EIO,
			"no debug module responds to the instruction 0x%02" PRIx64
			": its configuration reads "
			"0x%08" PRIx32
			", which does not begin with 0x42; check that `set` user= is the USER "
			"instruction of C_JTAG_CHAIN in this FPGA family",
			w->set.user, config);
	processors = (unsigned)PMK_GET(config, MDM_PROCESSORS);
	if (processors != w->set.ports)
		return pmk_link_fail(
			&w->wire.link, PMK_EIO,
			"the debug module has %u processor%s, not %" PRIu64 "; use `set` ports=%u",
			processors, processors == 1 ? "" : "s", w->set.ports, processors);
	return 0;
}

static int reach_mdm(struct pmk_wired *w)
{
	int err;

	w->tap.wire = &w->wire;
	w->tap.bypass = (unsigned)w->set.bypass;
	w->tap.user = (unsigned)w->set.user;
	w->tap.irlen = (unsigned)w->set.irlen;
	w->tap.period_ns = (unsigned)w->set.tck_ns;
	snprintf(w->tap.name, sizeof(w->tap.name), "%s", w->set.tap);
	w->jtag = (struct pmk_mdm_jtag){
		.ports = (uint8_t)w->set.ports,
		.processor = (uint8_t)w->set.processor,
	};
	pmk_wire_mdm(&w->jtag, &w->tap);
	w->port = pmk_port_mdm_jtag(&w->jtag);
	err = pmk_mdm_jtag_open(&w->jtag);
	return err ? err : identify_mdm(w);
}

#define ARM11_IRLEN 5 /* DDI 0301H 14.6.3 */

/* Check in Main ID that the processor is the ARM11 whose events are counted. */
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
		return wire_failed(w, err, f);
	part = midr >> 4 & 0xfff;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].part != part)
			continue;
		if (!strncmp(w->pmu->name, parts[i].name, strlen(parts[i].name)))
			return 0;
		return pmk_count_refuse(
			f, "the target is an %s (Main ID 0x%08" PRIx32 "), not an %s; use `pmu` %s",
			parts[i].name, midr, w->pmu->name, parts[i].name);
	}
	return pmk_count_fail(f, PMK_COUNT_FAILED,
			      "the target is not an ARM11: its Main ID is 0x%08" PRIx32
			      "; use the `pmu` of its "
			      "processor",
			      midr);
}

int pmk_wired_reach(struct pmk_wired *w, struct pmk_count_fault *f)
{
	int err;

	if (w->reach == PMK_REACH_CP15) {
		w->tap.wire = &w->wire;
		w->tap.irlen = ARM11_IRLEN;
		w->tap.period_ns = (unsigned)w->set.tck_ns;
		w->wire.arm11.tap = &w->tap;
		w->wire.halts = true;
		w->port = pmk_wire_port_arm11(&w->wire);
		err = pmk_wire_hold(&w->wire);
		return err ? wire_failed(w, err, f) : check_arm11(w, f);
	}
	err = w->reach == PMK_REACH_MDM	  ? reach_mdm(w)
	      : w->reach == PMK_REACH_AXI ? reach_axi(w)
					  : reach_memory(w);
	return err ? wire_failed(w, err, f) : 0;
}
