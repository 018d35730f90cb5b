// SPDX-License-Identifier: MIT
/*
 * The counters of this machine: names in a made-up /sys, requests to a made-up kernel and its
 * refusals, the page that is read without a system call, and scaling. Some tests count with the
 * real kernel, if it permits this.
 *
 * perf_event_attr.type: 0 hardware, 1 software, 3 hw-cache, 4 raw; config of 0 and 1 as in
 * perf_event_open(2).
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/armv8.h>
#include <pmk/error.h>

#include "producer/linux/linux.h"
#include "unit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- a made-up /sys and /proc --------------------------------------------------------------- */

static char root[64];

static void put(const char *path, const char *content)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *at = strchr(full + strlen(root) + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(full, 0755);
		*at = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(content, f);
	fclose(f);
}

#define DEV "sys/bus/event_source/devices/"

static void put_software(void)
{
	put(DEV "software/type", "1\n");
	put("sys/devices/system/cpu/online", "0-3\n");
}

/* Makes a Cortex-A53 whose kernel calls its PMU PMUv3. */
static void put_pmuv3(void)
{
	put_software();
	put(DEV "armv8_pmuv3_0/type", "8\n");
	put(DEV "armv8_pmuv3_0/cpus", "0-3\n");
	put(DEV "armv8_pmuv3_0/format/event", "config:0-15\n");
	put(DEV "armv8_pmuv3_0/format/long", "config1:0\n");
	put(DEV "armv8_pmuv3_0/format/rdpmc", "config1:1\n");
	put(DEV "armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n");
	put(DEV "armv8_pmuv3_0/events/inst_retired", "event=0x0008\n");
	put(DEV "armv8_pmuv3_0/events/l1d_cache_refill", "event=0x0003\n");
	put(DEV "armv8_pmuv3_0/events/sw_incr", "event=0x0000\n");
	put("sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000410fd034\n");
}

static void put_arm1176(void)
{
	put_software();
	put(DEV "armv6_1176/type", "6\n");
	put(DEV "armv6_1176/cpus", "0\n");
}

/* Makes cores of two kinds, as in an rk3399. */
static void put_big_little(void)
{
	put_software();
	put(DEV "armv8_cortex_a53/type", "7\n");
	put(DEV "armv8_cortex_a53/cpus", "0-1\n");
	put(DEV "armv8_cortex_a53/format/event", "config:0-15\n");
	put(DEV "armv8_cortex_a72/type", "8\n");
	put(DEV "armv8_cortex_a72/cpus", "2-3\n");
	put(DEV "armv8_cortex_a72/format/event", "config:0-15\n");
}

/* Adds a processor that no catalogue of pmk knows, with a PMU of the memory controller. */
static void put_other(void)
{
	put_software();
	put(DEV "cpu/type", "4\n");
	put(DEV "cpu/format/event", "config:0-7,32-35\n");
	put(DEV "cpu/format/umask", "config:8-15\n");
	put(DEV "cpu/format/edge", "config:18\n");
	put(DEV "cpu/format/ldlat", "config1:0-15\n");
	put(DEV "cpu/format/strange", "config7:0-15\n");
	put(DEV "cpu/events/instructions", "event=0xc0\n");
	put(DEV "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	put(DEV "cpu/events/wide", "event=0x1c2\n");
	put(DEV "uncore_imc_0/type", "12\n");
	put(DEV "uncore_imc_0/cpumask", "0,2\n");
	put(DEV "uncore_imc_0/format/event", "config:0-7\n");
	put(DEV "uncore_imc_0/events/reads", "event=0x1\n");
	put(DEV "uncore_imc_0/events/reads.scale", "6.103515625e-5\n");
	put(DEV "uncore_imc_0/events/reads.unit", "MiB\n");
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int make_root(void **state)
{
	(void)state;
	strcpy(root, "/tmp/pmk-test-linux-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- a made-up kernel ----------------------------------------------------------------------- */

static struct call {
	struct perf_event_attr attr;
	int pid, cpu, group, fd;
} calls[64];
static unsigned ncalls;

/* Returns the errno of a call; 0: the call succeeds. */
static int (*decide)(const struct call *c);

static int fake_open(const struct perf_event_attr *attr, int pid, int cpu, int group)
{
	struct call *c = &calls[ncalls];

	assert_true(ncalls < COUNT(calls));
	*c = (struct call){ *attr, pid, cpu, group, -1 };
	ncalls++;
	errno = decide ? decide(c) : 0;
	if (errno)
		return -1;
	c->fd = memfd_create("event", MFD_CLOEXEC);
	return c->fd;
}

static char sys_dir[80], proc_dir[80];
static struct pmk_linux_kernel fake = { sys_dir, proc_dir, fake_open };

static struct pmk_linux_pmus *load(void (*tree)(void))
{
	struct pmk_linux_pmus *all;

	snprintf(sys_dir, sizeof(sys_dir), "%s/sys", root);
	snprintf(proc_dir, sizeof(proc_dir), "%s/proc", root);
	if (tree)
		tree();
	ncalls = 0;
	decide = NULL;
	assert_int_equal(pmk_linux_pmus_load(&all, &fake), 0);
	return all;
}

static const struct pmk_linux_event *find(struct pmk_linux_pmus *all, const char *name)
{
	const struct pmk_linux_event *ev;
	char msg[512] = "";

	if (pmk_linux_find(all, NULL, name, &ev, msg, sizeof(msg)))
		fail_msg("%s: %s", name, msg);
	return ev;
}

/* ---- sets of processors --------------------------------------------------------------------- */

static void test_cpus(void **state)
{
	static const struct {
		int line;
		const char *text;
		unsigned count, cpu[6];
	} good[] = {
		{ __LINE__, "0", 1, { 0 } },
		{ __LINE__, "0\n", 1, { 0 } },
		{ __LINE__, "0-3\n", 4, { 0, 1, 2, 3 } },
		{ __LINE__, "5,0,2-3", 4, { 0, 2, 3, 5 } },
		{ __LINE__, "1,1,0-2", 3, { 0, 1, 2 } },
	};
	static const char *const bad[] = { "",	  "a",	 "0-",	"-1",  "1,",	",1",
					   "3-1", "0x1", "0 1", "0;1", "1-2-3", "0-99999999" };
	struct pmk_linux_cpus cpus;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		if (pmk_linux_cpus_parse(&cpus, good[i].text) || cpus.count != good[i].count)
			fail_msg("row of line %d", good[i].line);
		for (unsigned k = 0; k < cpus.count; k++)
			assert_int_equal(cpus.cpu[k], good[i].cpu[k]);
		assert_true(pmk_linux_cpus_have(&cpus, good[i].cpu[0]));
		assert_false(pmk_linux_cpus_have(&cpus, 9));
		pmk_linux_cpus_free(&cpus);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		if (pmk_linux_cpus_parse(&cpus, bad[i]) != PMK_EPARSE)
			fail_msg("'%s' was taken", bad[i]);
}

/* ---- the meaning of names -------------------------------------------------------------------- */

struct meaning {
	int line;
	const char *name;
	uint32_t type;
	uint64_t config, config1;
	const char *pmu, *row; /* the kernel's PMU, and the row of the catalogue */
	bool coded;
};

static void check_meanings(struct pmk_linux_pmus *all, const struct meaning *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct meaning *m = &rows[i];
		const struct pmk_linux_event *ev = find(all, m->name);

		if (ev->type != m->type || ev->config != m->config || ev->config1 != m->config1 ||
		    strcmp(ev->pmu->name, m->pmu) != 0 || strcmp(ev->row->name, m->row) != 0 ||
		    ev->coded != m->coded)
			fail_msg("row of line %d: type %u config %#llx config1 %#llx, %s of %s%s",
				 m->line, ev->type, (unsigned long long)ev->config,
				 (unsigned long long)ev->config1, ev->row->name, ev->pmu->name,
				 ev->coded ? "" : ", not coded");
	}
}

static void check_unknown(struct pmk_linux_pmus *all, const char *name, const char *said)
{
	const struct pmk_linux_event *ev;
	char msg[512] = "";

	assert_int_equal(pmk_linux_find(all, NULL, name, &ev, msg, sizeof(msg)), PMK_ENOEVENT);
	assert_null(ev);
	if (!strstr(msg, said) || strchr(msg, '\n'))
		fail_msg("'%s': '%s' does not say '%s'", name, msg, said);
}

static void test_names_on_pmuv3(void **state)
{
	static const char pmu[] = "armv8_pmuv3_0";
	static const struct meaning rows[] = {
		{ __LINE__, "cycles", 8, 0x11, 0, pmu, "cpu_cycles", true },
		{ __LINE__, "cpu_cycles", 8, 0x11, 0, pmu, "cpu_cycles", true },
		{ __LINE__, "instructions", 8, 0x08, 0, pmu, "inst_retired", true },
		{ __LINE__, "INST_RETIRED", 8, 0x08, 0, pmu, "inst_retired", true },
		{ __LINE__, "cache-misses", 8, 0x03, 0, pmu, "l1d_cache_refill", true },
		{ __LINE__, "L1-dcache-load-misses", 8, 0x03, 0, pmu, "l1d_cache_refill", true },
		/*
		 * On a Cortex-A53, whose PMCEID lacks br_retired, Linux counts pc_write_retired
		 * instead.
		 */
		{ __LINE__, "branches", 8, 0x0C, 0, pmu, "pc_write_retired", true },
		{ __LINE__, "r11", 8, 0x11, 0, pmu, "cpu_cycles", true },
		{ __LINE__, "r0f0", 8, 0xF0, 0, pmu, "r0f0", true },
		{ __LINE__, "r12345", 8, 0x12345, 0, pmu, "r12345", false },
		{ __LINE__, "armv8_pmuv3_0/event=0x11/", 8, 0x11, 0, pmu, "cpu_cycles", true },
		{ __LINE__, "armv8_pmuv3_0/event=0x11,long/", 8, 0x11, 1, pmu,
		  "armv8_pmuv3_0/event=0x11,long/", false },
		{ __LINE__, "armv8_pmuv3_0/cpu_cycles,rdpmc=1/", 8, 0x11, 2, pmu,
		  "armv8_pmuv3_0/cpu_cycles,rdpmc=1/", false },
		{ __LINE__, "armv8_pmuv3_0/config=0x08/", 8, 0x08, 0, pmu, "inst_retired", true },
		{ __LINE__, "armv8_pmuv3_0::inst_retired", 8, 0x08, 0, pmu, "inst_retired", true },
		{ __LINE__, "cortex-a53/cycles/", 8, 0x11, 0, pmu, "cpu_cycles", true },
		{ __LINE__, "bus-cycles", 8, 0x1D, 0, pmu, "bus_cycles", true },
		{ __LINE__, "ref-cycles", 0, 9, 0, "hardware", "ref-cycles", true },
		{ __LINE__, "cpu-clock", 1, 0, 0, "software", "cpu-clock", true },
		{ __LINE__, "task-clock", 1, 1, 0, "software", "task-clock", true },
		{ __LINE__, "page-faults", 1, 2, 0, "software", "page-faults", true },
		{ __LINE__, "faults", 1, 2, 0, "software", "page-faults", true },
		{ __LINE__, "context-switches", 1, 3, 0, "software", "context-switches", true },
		{ __LINE__, "cs", 1, 3, 0, "software", "context-switches", true },
		{ __LINE__, "cpu-migrations", 1, 4, 0, "software", "cpu-migrations", true },
		{ __LINE__, "minor-faults", 1, 5, 0, "software", "minor-faults", true },
		{ __LINE__, "major-faults", 1, 6, 0, "software", "major-faults", true },
		{ __LINE__, "node-prefetch-misses", 3, 0x10206, 0, "hw-cache",
		  "node-prefetch-misses", false },
	};
	struct pmk_linux_pmus *all = load(put_pmuv3);

	(void)state;
	assert_ptr_equal(pmk_linux_core(all)->pmu, &pmk_cortex_a53);
	assert_int_equal(pmk_linux_cores(all), 1);
	assert_true(pmk_linux_core(all)->known);
	check_meanings(all, rows, COUNT(rows));
	assert_ptr_equal(find(all, "cycles")->row, pmk_pmu_event(&pmk_cortex_a53, "cycles"));
	assert_string_equal(find(all, "task-clock")->unit, "ns");
	assert_string_equal(find(all, "cycles")->unit, "");
	assert_true(find(all, "cs")->in_kernel && find(all, "cpu-migrations")->in_kernel);
	assert_false(find(all, "page-faults")->in_kernel || find(all, "cycles")->in_kernel);
	/*
	 * Events that the kernel does not list are not in PMCEID. PMCEID does not cover events from
	 * 0x40 on.
	 */
	assert_true(find(all, "l1d_cache")->unlisted && find(all, "r1d")->unlisted);
	assert_false(find(all, "inst_retired")->unlisted || find(all, "r60")->unlisted);
	check_unknown(all, "cycels", "cycles");
	check_unknown(all, "l1d_cache_refil", "l1d_cache_refill");
	check_unknown(all, "armv8_pmuv3_0/evnt=1/", "did you mean event");
	check_unknown(all, "armv8_pmuv3_0/event=0x10000/", "too large");
	check_unknown(all, "armv8_pmuv3_0/event=/", "is no number");
	check_unknown(all, "armv8_pmuv3_0/event=-1/", "is no number");
	check_unknown(all, "armv8_pmuv3_0/event=1x/", "is no number");
	check_unknown(all, "armv8_pmuv3_0//", "no event");
	check_unknown(all, "armv8_pmuv3_0::", "no event");
	check_unknown(all, "armv8_pmuv3/cycles/", "armv8_pmuv3_0");
	check_unknown(all, "r", "r11");
	check_unknown(all, "r12345678123456781", "no event");
	check_unknown(all, "zzzzzzzzzz", "r11");
	pmk_linux_pmus_free(all);
}

static void put_unknown_pmuv3(void)
{
	put_pmuv3();
	put("sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000410fd490\n");
}

static void test_a_core_without_a_catalogue_of_its_own(void **state)
{
	struct pmk_linux_pmus *all = load(put_unknown_pmuv3);

	(void)state;
	assert_ptr_equal(pmk_linux_core(all)->pmu, &pmk_armv8);
	assert_int_equal(find(all, "l1d_cache_refill")->config, 0x03);
	pmk_linux_pmus_free(all);
}

static void test_names_on_arm1176(void **state)
{
	static const char pmu[] = "armv6_1176";
	static const struct meaning rows[] = {
		{ __LINE__, "cycles", 6, 0xFF, 0, pmu, "cpu_cycles", true },
		{ __LINE__, "instructions", 6, 0x07, 0, pmu, "instr_exec", true },
		{ __LINE__, "branch-misses", 6, 0x06, 0, pmu, "br_mispredict", true },
		{ __LINE__, "dcache_miss", 6, 0x0B, 0, pmu, "dcache_miss", true },
		{ __LINE__, "r0b", 6, 0x0B, 0, pmu, "dcache_miss", true },
		/* If the driver describes no formats, the event is config. */
		{ __LINE__, "armv6_1176/event=0x12/", 6, 0x12, 0, pmu, "wbuf_drained", true },
		{ __LINE__, "armv6_1176/config=0x12/", 6, 0x12, 0, pmu, "wbuf_drained", true },
		{ __LINE__, "arm1176/ibuf_stall/", 6, 0x01, 0, pmu, "ibuf_stall", true },
		{ __LINE__, "arm_1176::lsu_full_stall", 6, 0x11, 0, pmu, "lsu_full_stall", true },
	};
	struct pmk_linux_pmus *all = load(put_arm1176);

	(void)state;
	check_meanings(all, rows, COUNT(rows));
	assert_string_equal(pmk_linux_core(all)->pmu->name, "arm1176");
	assert_false(find(all, "dcache_miss")->unlisted);
	check_unknown(all, "armv6_1176/umask=1/", "umask");
	pmk_linux_pmus_free(all);
}

static void test_names_on_another_processor(void **state)
{
	static const struct meaning rows[] = {
		{ __LINE__, "cycles", 0, 0, 0, "hardware", "cycles", true },
		/*
		 * The event is the generic one, although the PMU lists an event of this name,
		 * because metrics use the generic row.
		 */
		{ __LINE__, "instructions", 0, 1, 0, "hardware", "instructions", true },
		{ __LINE__, "cache-references", 0, 2, 0, "hardware", "cache-references", true },
		{ __LINE__, "cache-misses", 0, 3, 0, "hardware", "cache-misses", true },
		{ __LINE__, "branches", 0, 4, 0, "hardware", "branches", true },
		{ __LINE__, "branch-misses", 0, 5, 0, "hardware", "branch-misses", true },
		{ __LINE__, "bus-cycles", 0, 6, 0, "hardware", "bus-cycles", true },
		{ __LINE__, "stalled-cycles-frontend", 0, 7, 0, "hardware",
		  "stalled-cycles-frontend", true },
		{ __LINE__, "stalled-cycles-backend", 0, 8, 0, "hardware", "stalled-cycles-backend",
		  true },
		{ __LINE__, "L1-dcache-loads", 3, 0, 0, "hw-cache", "L1-dcache-loads", true },
		{ __LINE__, "L1-dcache-load-misses", 3, 0x10000, 0, "hw-cache",
		  "L1-dcache-load-misses", false },
		{ __LINE__, "LLC-stores", 3, 0x102, 0, "hw-cache", "LLC-stores", true },
		{ __LINE__, "dTLB-store-misses", 3, 0x10103, 0, "hw-cache", "dTLB-store-misses",
		  false },
		{ __LINE__, "mem-loads", 4, 0x1CD, 3, "cpu", "mem-loads", false },
		{ __LINE__, "cpu/mem-loads,ldlat=30/", 4, 0x1CD, 30, "cpu",
		  "cpu/mem-loads,ldlat=30/", false },
		{ __LINE__, "cpu/instructions/", 4, 0xC0, 0, "cpu", "cpu/instructions/", true },
		{ __LINE__, "cpu/event=0x3c,edge/", 4, 0x4003C, 0, "cpu", "cpu/event=0x3c,edge/",
		  false },
		/* 0x1c2 is in bits 7:0 and 35:32. */
		{ __LINE__, "wide", 4, 0x1000000C2, 0, "cpu", "wide", false },
		{ __LINE__, "cpu/event=0xfff/", 4, 0xF000000FF, 0, "cpu", "cpu/event=0xfff/",
		  false },
		{ __LINE__, "r01c2", 4, 0x1C2, 0, "cpu", "r01c2", true },
		{ __LINE__, "uncore_imc_0/reads/", 12, 1, 0, "uncore_imc_0", "uncore_imc_0/reads/",
		  true },
	};
	struct pmk_linux_pmus *all = load(put_other);

	(void)state;
	check_meanings(all, rows, COUNT(rows));
	assert_false(pmk_linux_core(all)->known);
	assert_string_equal(pmk_linux_core(all)->pmu->name, "cpu");
	assert_ptr_equal(find(all, "instr_exec")->row, find(all, "instructions")->row);
	assert_string_equal(find(all, "uncore_imc_0/reads/")->unit, "6.103515625e-5 MiB");
	assert_int_equal(find(all, "uncore_imc_0/reads/")->pmu->cpus.count, 2);
	assert_false(find(all, "uncore_imc_0/reads/")->pmu->core);
	check_unknown(all, "cpu/event=0x1000/", "too large");
	check_unknown(all, "cpu/strange=1/", "strange");
	check_unknown(all, "uncore_imc_0/writes/", "no event 'writes'");
	check_unknown(all, "uncore_imc_1/reads/", "uncore_imc_0");
	/* An event of a PMU is found only with the name of the PMU. */
	check_unknown(all, "reads", "no event");
	pmk_linux_pmus_free(all);
}

/* Every random request gives an event, or one line. */
static void test_random_names(void **state)
{
	static const char *const pieces[] = { "cpu", "uncore_imc_0", "software",  "/",
					      "::",  "event",	     "=",	  ",",
					      "0x",  "r1",	     "mem-loads", "cycles",
					      "L1-", "-misses",	     "ff",	  "\xff",
					      "%s",  "-1",	     " " };
	struct pmk_linux_pmus *all = load(put_other);
	uint32_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < UNIT_SAMPLES(4000); i++) {
		const struct pmk_linux_event *ev;
		char name[200] = "", msg[128] = "";

		for (unsigned n = 0; n <= seed >> 28 % 8; n++) {
			seed = seed * 1664525 + 1013904223;
			if (strlen(name) + 20 < sizeof(name))
				strcat(name, pieces[(seed >> 8) % COUNT(pieces)]);
		}
		switch (pmk_linux_find(all, NULL, name, &ev, msg, sizeof(msg))) {
		case 0:
			assert_true(ev && ev->row && ev->pmu && ev->unit);
			break;
		case PMK_ENOEVENT:
			assert_true(!ev && *msg && !strchr(msg, '\n'));
			break;
		default:
			fail_msg("'%s'", name);
		}
	}
	pmk_linux_pmus_free(all);
}

static void test_cores_of_two_kinds(void **state)
{
	struct pmk_linux_pmus *all = load(put_big_little);
	const struct pmk_linux_pmu *big = pmk_linux_pmu_find(all, "armv8_cortex_a72");
	const struct pmk_linux_event *ev = find(all, "branches"), *there;

	(void)state;
	assert_int_equal(pmk_linux_cores(all), 2);
	assert_ptr_equal(pmk_linux_pmu_find(all, "cortex-a72"), big);
	assert_true(ev->any_core && ev->type == 7 && ev->config == 0x0C);
	/* The other core's event has the same name, and the Cortex-A72 has no pc_write_retired. */
	assert_null(pmk_linux_on(all, ev, big));
	there = pmk_linux_on(all, find(all, "cycles"), big);
	assert_true(there && there->type == 8 && there->config == 0x11);
	assert_ptr_equal(there->row, pmk_pmu_event(&pmk_cortex_a72, "cycles"));
	assert_ptr_equal(pmk_linux_on(all, ev, ev->pmu), ev);
	assert_true(find(all, "r11")->any_core);
	there = pmk_linux_on(all, find(all, "rc1"), big);
	assert_true(there && there->type == 8 && there->config == 0xC1);
	/* For a generic event, the core's type is in the upper half (PERF_PMU_TYPE_SHIFT 32). */
	there = pmk_linux_on(all, find(all, "ref-cycles"), big);
	assert_true(there && there->type == 0 && there->config == 0x800000009);
	assert_true(there->pmu == big && !there->coded && there->row->code == 9);
	assert_false(find(all, "cs")->any_core);
	assert_false(find(all, "armv8_cortex_a72/cycles/")->any_core);
	pmk_linux_pmus_free(all);
}

static void test_a_preferred_pmu(void **state)
{
	struct pmk_linux_pmus *all = load(put_big_little);
	const struct pmk_linux_pmu *big = pmk_linux_pmu_find(all, "armv8_cortex_a72");
	const struct pmk_linux_event *ev;
	char msg[256];

	(void)state;
	assert_int_equal(pmk_linux_find(all, big, "cycles", &ev, msg, sizeof(msg)), 0);
	assert_true(ev->type == 8 && !ev->any_core);
	assert_int_equal(pmk_linux_find(all, big, "r11", &ev, msg, sizeof(msg)), 0);
	assert_true(ev->type == 8 && !ev->any_core);
	assert_int_equal(pmk_linux_find(all, big, "cs", &ev, msg, sizeof(msg)), 0);
	assert_int_equal(ev->type, 1);
	pmk_linux_pmus_free(all);
}

static void test_a_machine_without_sysfs(void **state)
{
	struct pmk_linux_pmus *all = load(NULL);
	struct pmk_linux_cpus cpus;

	(void)state;
	assert_null(pmk_linux_core(all));
	assert_int_equal(pmk_linux_pmus_count(all), 3);
	assert_int_equal(find(all, "cycles")->type, 0);
	assert_int_equal(find(all, "page-faults")->type, 1);
	assert_int_equal(find(all, "r11")->type, 4);
	assert_int_equal(find(all, "r11")->config, 0x11);
	assert_null(pmk_linux_pmus_get(all, 3));
	assert_null(pmk_linux_pmu_find(all, "nothing"));
	assert_int_equal(pmk_linux_online(&cpus, &fake), PMK_EIO);
	put("proc/stat", "intr 5 0\n");
	assert_int_equal(pmk_linux_online(&cpus, &fake), PMK_EIO);
	/* Processor 1 is offline. */
	put("proc/stat", "cpu  9 9 9\ncpu0 5 5 5\ncpu2 4 4 4\ncpu10 4 4 4\nintr 5 0\n");
	assert_int_equal(pmk_linux_online(&cpus, &fake), 0);
	assert_int_equal(cpus.count, 3);
	assert_true(cpus.cpu[0] == 0 && cpus.cpu[1] == 2 && cpus.cpu[2] == 10);
	pmk_linux_cpus_free(&cpus);
	pmk_linux_pmus_free(all);
}

static void test_threads(void **state)
{
	struct pmk_linux_pmus *all = load(put_software);
	struct pmk_linux_cpus cpus;
	unsigned count = 0;
	int *list = NULL;

	(void)state;
	put("proc/12/task/12/comm", "a\n");
	put("proc/12/task/15/comm", "a\n");
	put("proc/20/task/20/comm", "b\n");
	assert_int_equal(pmk_linux_threads(&fake, 12, &list, &count), 0);
	assert_int_equal(pmk_linux_threads(&fake, 20, &list, &count), 0);
	assert_int_equal(pmk_linux_threads(&fake, 13, &list, &count), PMK_EIO);
	assert_int_equal(count, 3);
	assert_true(list[0] == 12 && list[1] == 15 && list[2] == 20);
	free(list);
	assert_int_equal(pmk_linux_online(&cpus, &fake), 0);
	assert_int_equal(cpus.count, 4);
	pmk_linux_cpus_free(&cpus);
	pmk_linux_pmus_free(all);
}

/* ---- facts and reasons ---------------------------------------------------------------------- */

#define STATUS(caps, seccomp) \
	"Name:\tpmk\nCapInh:\t0000000000000000\nCapEff:\t" caps "\nSeccomp:\t" seccomp "\n"

static void test_facts(void **state)
{
	struct pmk_linux_pmus *all = load(put_software);
	struct pmk_linux_facts f;

	(void)state;
	pmk_linux_facts(&f, &fake, all);
	assert_false(f.has_events || f.privileged || f.filtered || f.virtual || f.device_tree ||
		     f.core_pmu);
	put("proc/sys/kernel/perf_event_paranoid", "-1\n");
	put("proc/self/status", STATUS("0000004000000000", "0"));
	put("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu de hypervisor lahf_lm\n");
	pmk_linux_facts(&f, &fake, all);
	assert_true(f.has_events && f.paranoid == -1 && f.privileged && !f.filtered && f.virtual);
	put("proc/self/status", STATUS("0000000000200000", "2"));
	put("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu de lahf_lm\n");
	put("proc/device-tree/compatible", "raspberrypi,3-model-b");
	pmk_linux_facts(&f, &fake, all);
	assert_true(f.privileged && f.filtered && !f.virtual && f.device_tree && !f.pmu_node);
	put("proc/self/status", STATUS("0000000000000000", "0"));
	put("proc/device-tree/soc/uart@0/compatible", "arm,pl011");
	put("proc/device-tree/soc/pmugrd/compatible", "x");
	pmk_linux_facts(&f, &fake, all);
	assert_false(f.privileged || f.filtered || f.pmu_node);
	put("proc/device-tree/arm-pmu/compatible", "arm,cortex-a53-pmu");
	pmk_linux_facts(&f, &fake, all);
	assert_true(f.pmu_node);
	put("proc/device-tree/compatible", "linux,dummy-virt");
	pmk_linux_facts(&f, &fake, all);
	assert_true(f.virtual);
	pmk_linux_pmus_free(all);
	all = load(put_arm1176);
	pmk_linux_facts(&f, &fake, all);
	assert_true(f.core_pmu);
	pmk_linux_pmus_free(all);
}

static void test_a_pmu_node_below_soc(void **state)
{
	struct pmk_linux_pmus *all = load(put_software);
	struct pmk_linux_facts f;

	(void)state;
	put("proc/device-tree/soc/pmu@1000/compatible", "arm,arm1176-pmu");
	pmk_linux_facts(&f, &fake, all);
	assert_true(f.device_tree && f.pmu_node && !f.virtual);
	pmk_linux_pmus_free(all);
}

static void test_why_there_is_no_hardware(void **state)
{
	static const struct {
		int line;
		struct pmk_linux_facts facts;
		const char *said;
	} rows[] = {
		{ __LINE__, { .virtual = true }, "virtual machine" },
		{ __LINE__, { .virtual = true, .device_tree = true }, "virtual machine" },
		{ __LINE__, { .device_tree = true }, "no pmu node" },
		{ __LINE__, { .device_tree = true, .pmu_node = true }, "no driver took it" },
		{ __LINE__, { .has_events = true }, "no driver for the processor's PMU" },
	};
	struct pmk_linux_facts with = { .core_pmu = true, .virtual = true };

	(void)state;
	assert_null(pmk_linux_no_hardware(&with));
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *why = pmk_linux_no_hardware(&rows[i].facts);

		if (!why || !strstr(why, rows[i].said) || strchr(why, '\n'))
			fail_msg("row of line %d: %s", rows[i].line, why);
	}
}

static void test_reasons(void **state)
{
	static const struct {
		int line;
		const char *event;
		struct pmk_linux_facts facts;
		struct pmk_linux_refusal refusal;
		const char *said, *unsaid;
	} rows[] = {
		/* The kernel has no such system call. */
		{ __LINE__,
		  "cycles",
		  { .has_events = false },
		  { .error = ENOSYS },
		  "CONFIG_PERF_EVENTS",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { .has_events = true, .filtered = true },
		  { .error = ENOSYS },
		  "seccomp",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { .has_events = true },
		  { .error = ENOSYS },
		  "qemu-user",
		  "seccomp" },
		/*
		 * perf_event_paranoid 1 forbids counting whole processors, 2 also forbids kernel
		 * mode, and 3 forbids everything.
		 */
		{ __LINE__,
		  "cycles",
		  { true, .paranoid = 2 },
		  { .error = EACCES, .wants_kernel = true },
		  "perf_event_paranoid is 2, and counting kernel mode needs 1 or less",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { true, .paranoid = 3 },
		  { .error = EACCES, .only_user = true },
		  "perf_event_paranoid is 3, and counting needs 2 or less",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { true, .paranoid = 2 },
		  { .error = EACCES },
		  "counting kernel mode needs 1",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { true, .paranoid = 1 },
		  { .error = EACCES, .whole_cpu = true },
		  "counting whole processors needs 0",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { true, .paranoid = 2 },
		  { .error = EACCES, .foreign = true, .only_user = true },
		  "belongs to another user",
		  "paranoid" },
		{ __LINE__,
		  "cycles",
		  { true, .paranoid = 2, .filtered = true, .privileged = true },
		  { .error = EPERM },
		  "seccomp",
		  "sysctl" },
		{ __LINE__,
		  "cycles",
		  { true, .paranoid = -1, .filtered = true },
		  { .error = EPERM },
		  "seccomp",
		  "sysctl" },
		{ __LINE__,
		  "cycles",
		  { true, .paranoid = 2, .filtered = true },
		  { .error = EACCES, .wants_kernel = true },
		  "perf_event_paranoid is 2",
		  "seccomp" },
		{ __LINE__,
		  "cycles",
		  { true, .paranoid = 0, .privileged = true },
		  { .error = EPERM },
		  "security module",
		  NULL },
		/* The kernel has no such event. */
		{ __LINE__,
		  "cycles",
		  { true, .virtual = true },
		  { .error = ENOENT },
		  "virtual machine",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { true, .virtual = true, .core_pmu = true },
		  { .error = ENOENT },
		  "armv8_pmuv3_0 has no such event",
		  NULL },
		{ __LINE__,
		  "ref-cycles",
		  { true, .core_pmu = true },
		  { .error = EOPNOTSUPP },
		  "the processor's PMU has no such event",
		  NULL },
		/* The message names the event as the user did. */
		{ __LINE__,
		  "cycles",
		  { true, .core_pmu = true },
		  { .error = EINVAL, .mode_filter = true },
		  "cannot distinguish user mode from kernel mode",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { true, .core_pmu = true },
		  { .error = EOPNOTSUPP, .mode_filter = true },
		  "leave out :u and :k",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { true, .core_pmu = true },
		  { .error = EPERM, .mode_filter = true },
		  "leave out :u and :k",
		  "paranoid" },
		{ __LINE__,
		  "cycles",
		  { true, .core_pmu = true },
		  { .error = EINVAL, .crowded = true },
		  "more counters than",
		  NULL },
		{ __LINE__,
		  "cs",
		  { true, .core_pmu = true },
		  { .error = EINVAL, .only_user = true, .mode_filter = true },
		  "kernel mode only: leave out :u",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { true, .core_pmu = true },
		  { .error = EINVAL },
		  "does not accept this event",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { true, .core_pmu = true },
		  { .error = EMFILE },
		  "ulimit -n",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { true, .core_pmu = true },
		  { .error = ENFILE },
		  "file-max",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { true, .core_pmu = true },
		  { .error = ESRCH },
		  "has ended",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { true, .core_pmu = true },
		  { .error = EBUSY },
		  "uses armv8_pmuv3_0",
		  NULL },
		{ __LINE__,
		  "cycles",
		  { true, .core_pmu = true },
		  { .error = E2BIG },
		  "perf_event_open",
		  NULL },
	};
	struct pmk_linux_pmus *all = load(put_pmuv3);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pmk_linux_refusal r = rows[i].refusal;
		char text[512];

		r.event = find(all, rows[i].event);
		pmk_linux_reason(text, sizeof(text), &rows[i].facts, &r);
		if (!strstr(text, rows[i].said) ||
		    (rows[i].unsaid && strstr(text, rows[i].unsaid)) || strchr(text, '\n'))
			fail_msg("row of line %d: %s", rows[i].line, text);
	}
	pmk_linux_pmus_free(all);
}

/* ---- what is asked of the kernel ------------------------------------------------------------ */

static const int one_pid[] = { 100 };
static const struct pmk_linux_scope program = {
	.pids = one_pid, .npids = 1, .inherit = true, .on_exec = true
};
static const struct pmk_linux_facts facts = { .has_events = true, .paranoid = 2, .core_pmu = true };

static struct pmk_linux_counters *open_list(struct pmk_linux_pmus *all,
					    const struct pmk_linux_scope *scope, unsigned n,
					    const struct pmk_linux_ask *asks)
{
	struct pmk_linux_counters *c;

	(void)all;
	assert_int_equal(pmk_linux_counters_open(&c, &fake, &facts, asks, n, scope), 0);
	return c;
}

static void test_attributes(void **state)
{
	struct pmk_linux_pmus *all = load(put_pmuv3);
	const struct pmk_linux_ask asks[] = {
		{ .event = find(all, "cycles") },
		{ .event = find(all, "instructions"), .user = true },
		{ .event = find(all, "r60"), .kernel = true },
		{ .event = find(all, "armv8_pmuv3_0/event=1,long/"), .user = true, .kernel = true },
	};
	struct pmk_linux_counters *c = open_list(all, &program, 4, asks);

	(void)state;
	assert_int_equal(ncalls, 4);
	for (unsigned i = 0; i < 4; i++) {
		const struct perf_event_attr *a = &calls[i].attr;

		assert_int_equal(a->size, sizeof(*a));
		assert_int_equal(a->type, 8);
		/* PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING. */
		assert_int_equal(a->read_format, 3);
		assert_true(a->disabled && a->enable_on_exec && a->inherit);
		assert_true(calls[i].pid == 100 && calls[i].cpu == -1 && calls[i].group == -1);
		assert_null(pmk_linux_counters_reason(c, i));
		assert_int_equal(pmk_linux_counters_error(c, i), 0);
		assert_false(pmk_linux_counters_user_only(c, i));
	}
	assert_int_equal(calls[0].attr.config, 0x11);
	assert_false(calls[0].attr.exclude_user || calls[0].attr.exclude_kernel ||
		     calls[0].attr.exclude_hv);
	assert_true(!calls[1].attr.exclude_user && calls[1].attr.exclude_kernel &&
		    calls[1].attr.exclude_hv);
	assert_true(calls[2].attr.exclude_user && !calls[2].attr.exclude_kernel);
	assert_int_equal(calls[2].attr.config, 0x60);
	assert_false(calls[3].attr.exclude_user || calls[3].attr.exclude_kernel);
	assert_int_equal(calls[3].attr.config1, 1);
	pmk_linux_counters_close(c);
	pmk_linux_pmus_free(all);
}

static void test_processors(void **state)
{
	static const unsigned cpus[] = { 0, 1, 3 };
	const struct pmk_linux_scope scope = { .cpus = cpus, .ncpus = 3, .inherit = true };
	struct pmk_linux_pmus *all = load(put_other);
	const struct pmk_linux_ask asks[] = {
		{ .event = find(all, "cs") },
		{ .event = find(all, "uncore_imc_0/reads/") }, /* counts on processors 0 and 2 */
	};
	struct pmk_linux_counters *c = open_list(all, &scope, 2, asks);
	struct pmk_linux_value v;

	(void)state;
	assert_int_equal(ncalls, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(calls[i].pid, -1);
		assert_int_equal(calls[i].cpu, i < 3 ? cpus[i] : 0);
		assert_false(calls[i].attr.inherit || calls[i].attr.enable_on_exec);
	}
	assert_false(pmk_linux_counters_read(c, 1, 1, &v));
	pmk_linux_counters_close(c);
	c = open_list(all, &(struct pmk_linux_scope){ .cpus = &cpus[1], .ncpus = 2 }, 2, asks);
	assert_non_null(strstr(pmk_linux_counters_reason(c, 1), "not count on these processors"));
	pmk_linux_counters_close(c);
	pmk_linux_pmus_free(all);
}

/*
 * A thread is sampled on each processor that has the PMU. The first event on each processor also
 * requests the records that are not samples.
 */
static void test_sampled_thread(void **state)
{
	static const struct pmk_linux_rate rate = { .period = 1000 };
	const struct pmk_linux_scope scope = { .pids = (int[]){ 100 },
					       .npids = 1,
					       .cpus = (unsigned[]){ 0, 1 },
					       .ncpus = 2,
					       .rate = &rate };
	struct pmk_linux_pmus *all = load(put_other);
	const struct pmk_linux_ask asks[] = {
		{ .event = find(all, "uncore_imc_0/reads/"), .group = 1 }, /* not on processor 1 */
		{ .event = find(all, "cs"), .group = 1 },
	};
	struct pmk_linux_counters *c = open_list(all, &scope, 2, asks);

	(void)state;
	assert_int_equal(ncalls, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(calls[i].pid == 100 && calls[i].cpu == (i == 2) && calls[i].group < 0);
		assert_int_equal(calls[i].attr.sample_period, 1000);
		assert_int_equal(calls[i].attr.mmap, i != 1);
	}
	pmk_linux_counters_close(c);
	pmk_linux_pmus_free(all);
}

static void test_groups(void **state)
{
	struct pmk_linux_pmus *all = load(put_pmuv3);
	const struct pmk_linux_ask asks[] = {
		{ .event = find(all, "cycles"), .group = 1 },
		{ .event = find(all, "r60") },
		{ .event = find(all, "instructions"), .group = 1 },
		{ .event = find(all, "r61"), .group = 2 },
		{ .event = find(all, "r62"), .group = 2 },
	};
	struct pmk_linux_counters *c = open_list(all, &program, 5, asks);
	/* The leader, its member, a single event, and the next group. */
	static const unsigned config[] = { 0x11, 0x08, 0x60, 0x61, 0x62 };

	(void)state;
	assert_int_equal(ncalls, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(calls[i].attr.config, config[i]);
	assert_int_equal(calls[0].group, -1);
	assert_int_equal(calls[1].group, calls[0].fd);
	assert_int_equal(calls[2].group, -1);
	assert_int_equal(calls[4].group, calls[3].fd);
	/* A member starts with its leader. */
	assert_false(calls[1].attr.disabled || calls[1].attr.enable_on_exec);
	pmk_linux_counters_close(c);
	pmk_linux_pmus_free(all);
}

static int three_are_too_many(const struct call *c)
{
	unsigned members = 0;

	for (unsigned i = 0; i + 1 < ncalls; i++)
		members += c->group >= 0 && (calls[i].fd == c->group || calls[i].group == c->group);
	return members >= 2 ? EINVAL : 0;
}

static void test_a_group_that_does_not_fit(void **state)
{
	struct pmk_linux_pmus *all = load(put_pmuv3);
	const struct pmk_linux_ask asks[] = {
		{ .event = find(all, "cycles"), .group = 1 },
		{ .event = find(all, "instructions"), .group = 1 },
		{ .event = find(all, "r60"), .group = 1 },
		{ .event = find(all, "r61") },
	};
	struct pmk_linux_counters *c;
	struct pmk_linux_value v;

	(void)state;
	decide = three_are_too_many;
	c = open_list(all, &program, 4, asks);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(pmk_linux_counters_error(c, i), EINVAL);
		assert_false(pmk_linux_counters_read(c, i, -1, &v));
		assert_int_equal(pmk_linux_counters_fd(c, i, 0), -1);
	}
	assert_non_null(strstr(pmk_linux_counters_reason(c, 0), "another event of its {group}"));
	assert_non_null(strstr(pmk_linux_counters_reason(c, 2), "more counters than"));
	assert_null(pmk_linux_counters_reason(c, 3));
	pmk_linux_counters_close(c);
	pmk_linux_pmus_free(all);
}

static int kernel_is_secret(const struct call *c)
{
	return c->attr.exclude_kernel ? 0 : EACCES;
}

static void test_kernel_mode_forbidden(void **state)
{
	struct pmk_linux_pmus *all = load(put_pmuv3);
	const struct pmk_linux_ask asks[] = {
		{ .event = find(all, "cycles") },
		{ .event = find(all, "cycles"), .user = true },
		{ .event = find(all, "cycles"), .kernel = true },
		{ .event = find(all, "cs") },
	};
	struct pmk_linux_counters *c;

	(void)state;
	decide = kernel_is_secret;
	c = open_list(all, &program, 4, asks);
	assert_true(pmk_linux_counters_user_only(c, 0));
	assert_false(pmk_linux_counters_user_only(c, 1));
	assert_null(pmk_linux_counters_reason(c, 0));
	assert_null(pmk_linux_counters_reason(c, 1));
	for (unsigned i = 2; i < 4; i++) {
		assert_int_equal(pmk_linux_counters_error(c, i), EACCES);
		assert_non_null(strstr(pmk_linux_counters_reason(c, i),
				       "paranoid is 2, and counting kernel mode needs 1"));
	}
	pmk_linux_counters_close(c);
	pmk_linux_pmus_free(all);
}

static int nothing_there(const struct call *c)
{
	/* The kernel checks permission before the PMU. */
	return c->attr.exclude_kernel ? ENOENT : EACCES;
}

static int no_modes(const struct call *c)
{
	return c->attr.exclude_user || c->attr.exclude_kernel ? EINVAL : 0;
}

static int no_modes_and_secret(const struct call *c)
{
	return c->attr.exclude_kernel ? EOPNOTSUPP : EACCES;
}

static int everything_denied(const struct call *c)
{
	(void)c;
	return EACCES;
}

static void test_refusals(void **state)
{
	static const int pid[] = { 7 };
	static const struct pmk_linux_scope attached = { .pids = pid, .npids = 1 };
	static const struct {
		int line;
		int (*decide)(const struct call *c);
		bool user, foreign;
		int error;
		const char *said;
	} rows[] = {
		{ __LINE__, nothing_there, false, false, ENOENT, "no such event" },
		{ __LINE__, no_modes, true, false, EINVAL, "leave out :u and :k" },
		/*
		 * An ordinary user of armv6_1176 can count only both modes together, and kernel
		 * mode is forbidden.
		 */
		{ __LINE__, no_modes_and_secret, false, false, EACCES,
		  "kernel mode needs 1 or less" },
		{ __LINE__, everything_denied, false, true, EACCES, "belongs to another user" },
	};
	struct pmk_linux_pmus *all = load(put_pmuv3);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct pmk_linux_ask ask = { .event = find(all, "cycles"),
						   .user = rows[i].user };
		struct pmk_linux_counters *c;

		ncalls = 0;
		decide = rows[i].decide;
		c = open_list(all, rows[i].foreign ? &attached : &program, 1, &ask);
		if (pmk_linux_counters_error(c, 0) != rows[i].error ||
		    !strstr(pmk_linux_counters_reason(c, 0), rows[i].said))
			fail_msg("row of line %d: %d, %s", rows[i].line,
				 pmk_linux_counters_error(c, 0), pmk_linux_counters_reason(c, 0));
		pmk_linux_counters_close(c);
	}
	pmk_linux_pmus_free(all);
}

static void test_an_event_of_the_kernel_has_no_user_mode(void **state)
{
	struct pmk_linux_pmus *all = load(put_pmuv3);
	const struct pmk_linux_ask ask = { .event = find(all, "cs"), .user = true };
	struct pmk_linux_counters *c = open_list(all, &program, 1, &ask);

	(void)state;
	/* The kernel would accept the request, and count 0. */
	assert_non_null(strstr(pmk_linux_counters_reason(c, 0), "leave out :u"));
	pmk_linux_counters_close(c);
	pmk_linux_pmus_free(all);
}

static int second_thread_is_gone(const struct call *c)
{
	return c->pid == 2 ? ESRCH : 0;
}

static int all_threads_are_gone(const struct call *c)
{
	(void)c;
	return ESRCH;
}

static void test_threads_that_end(void **state)
{
	static const int pids[] = { 1, 2, 3 };
	static const struct pmk_linux_scope scope = { .pids = pids, .npids = 3 };
	struct pmk_linux_pmus *all = load(put_pmuv3);
	const struct pmk_linux_ask asks[] = { { .event = find(all, "cycles"), .group = 1 },
					      { .event = find(all, "r60"), .group = 1 } };
	struct pmk_linux_counters *c;

	(void)state;
	decide = second_thread_is_gone;
	c = open_list(all, &scope, 2, asks);
	assert_null(pmk_linux_counters_reason(c, 0));
	assert_null(pmk_linux_counters_reason(c, 1));
	assert_int_equal(ncalls, 5); /* the member is not tried, because its leader failed */
	pmk_linux_counters_close(c);
	decide = all_threads_are_gone;
	c = open_list(all, &scope, 1, asks);
	assert_int_equal(pmk_linux_counters_error(c, 0), ESRCH);
	pmk_linux_counters_close(c);
	pmk_linux_pmus_free(all);
}

/* Makes a descriptor return a reading. */
static void set_reading(int fd, uint64_t value, uint64_t enabled, uint64_t running)
{
	uint64_t words[] = { value, enabled, running };

	assert_int_equal(pwrite(fd, words, sizeof(words), 0), sizeof(words));
	lseek(fd, 0, SEEK_SET);
}

static void test_readings_are_added(void **state)
{
	static const unsigned cpus[] = { 0, 1 };
	struct pmk_linux_pmus *all = load(put_pmuv3);
	const struct pmk_linux_ask ask = { .event = find(all, "cycles") };
	struct pmk_linux_counters *c =
		open_list(all, &(struct pmk_linux_scope){ .cpus = cpus, .ncpus = 2 }, 1, &ask);
	struct pmk_linux_value v;

	(void)state;
	set_reading(calls[0].fd, 1000, 100, 50);
	set_reading(calls[1].fd, 5, 100, 100);
	assert_true(pmk_linux_counters_read(c, 0, -1, &v));
	assert_true(v.value == 1005 && v.enabled_ns == 200 && v.running_ns == 150);
	set_reading(calls[0].fd, 1000, 100, 50);
	set_reading(calls[1].fd, 5, 100, 100);
	assert_true(pmk_linux_counters_read(c, 0, 1, &v));
	assert_true(v.value == 5 && v.enabled_ns == 100 && v.running_ns == 100);
	/* An event in error state reads as end of file. */
	assert_int_equal(ftruncate(calls[0].fd, 0), 0);
	assert_int_equal(ftruncate(calls[1].fd, 0), 0);
	assert_false(pmk_linux_counters_read(c, 0, -1, &v));
	pmk_linux_counters_close(c);
	pmk_linux_pmus_free(all);
}

/* ---- scaling -------------------------------------------------------------------------------- */

static void test_scale(void **state)
{
	static const struct {
		int line;
		uint64_t value, enabled, running, scaled;
	} rows[] = {
		{ __LINE__, 0, 100, 50, 0 },
		{ __LINE__, 1000, 100, 100, 1000 },
		{ __LINE__, 1000, 100, 50, 2000 },
		{ __LINE__, 1000, 100, 0, 0 }, /* the event never ran */
		{ __LINE__, 10, 4, 3, 13 },    /* 13.33 */
		{ __LINE__, 11, 4, 3, 15 },    /* 14.67 */
		{ __LINE__, 3, 3, 2, 5 },      /* 4.5 */
		/* Counts of a day at 4 GHz, a third of the time: the product has 89 bits. */
		{ __LINE__, 345600000000000, 86400000000000, 28800000000000, 1036800000000000 },
		{ __LINE__, UINT64_C(1) << 63, 3, 2, UINT64_C(0xC000000000000000) },
		{ __LINE__, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX },
		{ __LINE__, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX - 1 },
		{ __LINE__, UINT64_MAX, 2, 1, UINT64_MAX }, /* does not fit */
		{ __LINE__, UINT64_C(1) << 63, 2, 1, UINT64_MAX },
		{ __LINE__, 1000000007, 1000000009, 998244353, 1001758751 },
		{ __LINE__, UINT64_C(0x123456789ABCDEF0), UINT64_C(0x0FEDCBA987654321),
		  UINT64_C(0x0FEDCBA987654320), UINT64_C(0x123456789ABCDEF1) },
	};
	struct pmk_linux_value before = { 1000, 100, 50 }, after = { 1600, 200, 100 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t got = pmk_linux_scale(rows[i].value, rows[i].enabled, rows[i].running);

		if (got != rows[i].scaled)
			fail_msg("row of line %d: %llu", rows[i].line, (unsigned long long)got);
	}
	assert_int_equal(pmk_linux_since(&before, &after), 1200);
	assert_int_equal(pmk_linux_since(&after, &after), 0);
	before = (struct pmk_linux_value){ 5, 70, 70 };
	after = (struct pmk_linux_value){ 9, 70, 70 };
	assert_int_equal(pmk_linux_since(&before, &after), 4); /* without a clock, no scaling */
}

/* ---- the page ------------------------------------------------------------------------------- */

/* The hardware: a counter's value, and changes of the page while it is read. */
struct hardware {
	struct perf_event_mmap_page *page;
	uint64_t value, clock;
	unsigned asked, changes, times;
	bool broken;
};

static int read_counter(void *ctx, unsigned n, uint64_t *value)
{
	struct hardware *h = ctx;

	h->asked = n;
	h->times++;
	*value = h->value;
	if (h->changes) {
		/*
		 * An interrupt: the counter wrapped, and the kernel added its range to the offset.
		 */
		h->changes--;
		h->page->lock += 2;
		h->page->offset += 1000;
		h->value = 5;
	}
	return h->broken ? PMK_ENOTSUP : 0;
}

static uint64_t read_clock(void *ctx)
{
	return ((struct hardware *)ctx)->clock;
}

static bool read_page(const struct perf_event_mmap_page *page, struct hardware *h,
		      struct pmk_linux_value *v)
{
	const struct pmk_linux_direct direct = { read_counter, read_clock, h };

	return pmk_linux_page_read(page, &direct, v);
}

static struct perf_event_mmap_page make_page(uint32_t index, int64_t offset, uint16_t width)
{
	struct perf_event_mmap_page page = { .index = index,
					     .offset = offset,
					     .time_enabled = 70,
					     .time_running = 70,
					     .pmc_width = width };

	page.cap_user_rdpmc = 1;
	return page;
}

static void test_page(void **state)
{
	static const struct {
		int line;
		uint32_t index;
		int64_t offset;
		uint16_t width;
		uint64_t raw, value;
	} rows[] = {
		{ __LINE__, 1, 0, 32, 7, 7 },
		{ __LINE__, 3, 100, 32, 7, 107 },
		/* arm64: a counter that was preloaded with -2^31 has counted 16 since. */
		{ __LINE__, 1, 0x80000000, 32, 0x80000010, 16 },
		/* Bits above the width do not count. */
		{ __LINE__, 1, 0, 32, UINT64_C(0xABC00000007), 7 },
		/* x86: the counter has 48 bits and was preloaded with -2^47. */
		{ __LINE__, 2, INT64_C(1) << 47, 48, (UINT64_C(1) << 47) + 5, 5 },
		{ __LINE__, 32, 0, 64, UINT64_C(0x8000000000000001), UINT64_C(0x8000000000000001) },
		{ __LINE__, 32, -1, 64, 8, 7 },
		{ __LINE__, 1, 0, 1, 1, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct perf_event_mmap_page page =
			make_page(rows[i].index, rows[i].offset, rows[i].width);
		struct hardware h = { .page = &page, .value = rows[i].raw };
		struct pmk_linux_value v;

		if (!read_page(&page, &h, &v) || v.value != rows[i].value ||
		    h.asked != rows[i].index - 1 || h.times != 1)
			fail_msg("row of line %d: %llx, counter %u, %u times", rows[i].line,
				 (unsigned long long)v.value, h.asked, h.times);
		assert_true(v.enabled_ns == 70 && v.running_ns == 70);
	}
}

static void test_page_torn(void **state)
{
	struct perf_event_mmap_page page = make_page(1, 0, 32);
	struct hardware h = { .page = &page, .value = 900, .changes = 2 };
	struct pmk_linux_value v;

	(void)state;
	/*
	 * The page changes during the first two readings, which are discarded. The third is
	 * consistent: offset 2000, counter 5.
	 */
	assert_true(read_page(&page, &h, &v));
	assert_int_equal(v.value, 2005);
	assert_int_equal(h.times, 3);
	/* After several changes of the page, the reading is abandoned. */
	h.changes = 1000000;
	h.times = 0;
	assert_false(read_page(&page, &h, &v));
	assert_in_range(h.times, 2, 100000);
}

/*
 * With a clock, the times advance between updates of the page, and an event that shares its counter
 * with others can be read, too.
 */
static void test_page_times(void **state)
{
	static const struct {
		int line;
		uint64_t offset, clock, more;
		uint32_t mult;
		uint16_t shift;
	} rows[] = {
		{ __LINE__, 0, 1000, 1000, 1, 0 },
		{ __LINE__, (uint64_t)-400, 1000, 600, 1, 0 },
		/* 62.5 MHz: 16 ns per tick, as mult / 2^shift = 2^27 / 2^23. */
		{ __LINE__, (uint64_t)-16000, 1001, 16, 1u << 27, 23 },
		/* 3 GHz: the upper bits of the clock must not overflow the product. */
		{ __LINE__, (uint64_t)-384307168202282325, UINT64_C(1) << 60, 192153584101141163,
		  1u << 30, 31 },
	};
	struct pmk_linux_value v;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct perf_event_mmap_page page = make_page(1, 0, 32);
		struct hardware h = { .page = &page, .value = 9, .clock = rows[i].clock };

		page.cap_user_time = 1;
		page.time_offset = rows[i].offset;
		page.time_mult = rows[i].mult;
		page.time_shift = rows[i].shift;
		page.time_running = 35;
		if (!read_page(&page, &h, &v) || v.value != 9 ||
		    v.enabled_ns != 70 + rows[i].more || v.running_ns != 35 + rows[i].more)
			fail_msg("row of line %d: %llu", rows[i].line,
				 (unsigned long long)v.enabled_ns);
	}
}

/* A short clock (time_mask) may wrap after the page was written. */
static void test_page_with_a_short_clock(void **state)
{
	struct perf_event_mmap_page page = make_page(1, 0, 32);
	struct hardware h = { .page = &page, .clock = 0x05 };
	struct pmk_linux_value v;

	(void)state;
	page.cap_user_time = 1;
	page.cap_user_time_short = 1;
	page.time_mult = 1;
	page.time_cycles = 0x12F0;
	page.time_mask = 0xFF;
	page.time_offset = (uint64_t)-0x12F0;
	assert_true(read_page(&page, &h, &v));
	assert_int_equal(v.enabled_ns, 70 + 0x15);
}

static void test_page_that_cannot_be_used(void **state)
{
	struct perf_event_mmap_page page = make_page(0, 5, 32);
	struct hardware h = { .page = &page };
	struct pmk_linux_value v;

	(void)state;
	assert_false(read_page(&page, &h, &v)); /* the event is on no counter */
	page = make_page(1, 5, 32);
	page.cap_user_rdpmc = 0;
	assert_false(read_page(&page, &h, &v));
	page = make_page(1, 5, 0);
	assert_false(read_page(&page, &h, &v));
	page = make_page(1, 5, 65);
	assert_false(read_page(&page, &h, &v));
	assert_int_equal(h.times, 0);
	page = make_page(1, 5, 32);
	page.time_running = 69; /* other events had the counter */
	assert_false(read_page(&page, &h, &v));
	page.time_running = 70;
	assert_true(read_page(&page, &h, &v));
	h.broken = true;
	assert_false(read_page(&page, &h, &v));
}

/* ---- the real kernel ------------------------------------------------------------------------ */

static struct pmk_linux_self *open_self(const char *const *names, unsigned count)
{
	struct pmk_linux_self *s;
	char msg[512];
	int err = pmk_linux_self_open(&s, names, count, msg, sizeof(msg));

	if (err == PMK_ENOTSUP) {
		print_message("not permitted here: %s\n", msg);
		skip();
	}
	assert_int_equal(err, 0);
	return s;
}

#define PAGES 200

static void test_self(void **state)
{
	static const char *const names[] = { "page-faults", "task-clock" };
	struct pmk_linux_self *s = open_self(names, 2);
	struct pmk_linux_value before[2], after[2];
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory;

	(void)state;
	memory = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	madvise((void *)(uintptr_t)memory, PAGES * size, MADV_NOHUGEPAGE);
	assert_int_equal(pmk_linux_self_read(s, before), 0);
	for (unsigned i = 0; i < PAGES; i++)
		memory[i * size] = 1;
	assert_int_equal(pmk_linux_self_read(s, after), 0);
	assert_in_range(pmk_linux_since(&before[0], &after[0]), PAGES, PAGES + 100);
	assert_true(pmk_linux_since(&before[1], &after[1]) > 0);
	assert_true(after[0].running_ns >= before[0].running_ns);
	/* Software events have no counter to read directly, and there is no third event. */
	assert_false(pmk_linux_self_direct(s, 0));
	assert_false(pmk_linux_self_direct(s, 2));
	munmap((void *)(uintptr_t)memory, PAGES * size);
	pmk_linux_self_close(s);
}

static void test_self_refuses(void **state)
{
	static const char *const unknown[] = { "page-faults", "page-fualts" };
	static const char *const many[17];
	struct pmk_linux_self *s;
	char msg[512];

	(void)state;
	assert_int_equal(pmk_linux_self_open(&s, unknown, 2, msg, sizeof(msg)), PMK_ENOEVENT);
	assert_non_null(strstr(msg, "page-faults"));
	assert_null(s);
	assert_int_equal(pmk_linux_self_open(&s, unknown, 2, NULL, 0), PMK_ENOEVENT);
	assert_int_equal(pmk_linux_self_open(&s, unknown, 0, msg, sizeof(msg)), PMK_EINVAL);
	assert_int_equal(pmk_linux_self_open(&s, many, 17, msg, sizeof(msg)), PMK_EINVAL);
	pmk_linux_self_close(NULL);
}

/*
 * Two groups of software events, counted by the real kernel: their times are right, and so are the
 * counts of a program that touches N pages.
 */
static void test_counters_of_the_real_kernel(void **state)
{
	struct pmk_linux_pmus *all;
	struct pmk_linux_facts real;
	struct pmk_linux_counters *c;
	const struct pmk_linux_event *ev[2];
	struct pmk_linux_value v[2];
	const struct pmk_linux_scope me = { .pids = (const int[]){ 0 }, .npids = 1 };
	char msg[512];

	(void)state;
	assert_int_equal(pmk_linux_pmus_load(&all, &pmk_linux_kernel), 0);
	pmk_linux_facts(&real, &pmk_linux_kernel, all);
	assert_int_equal(pmk_linux_find(all, NULL, "task-clock", &ev[0], msg, sizeof(msg)), 0);
	assert_int_equal(pmk_linux_find(all, NULL, "page-faults", &ev[1], msg, sizeof(msg)), 0);
	assert_int_equal(
		pmk_linux_counters_open(&c, &pmk_linux_kernel, &real,
					(const struct pmk_linux_ask[]){
						{ .event = ev[0], .group = 1, .user = true },
						{ .event = ev[1], .group = 1, .user = true } },
					2, &me),
		0);
	if (pmk_linux_counters_reason(c, 0)) {
		print_message("not permitted here: %s\n", pmk_linux_counters_reason(c, 0));
		pmk_linux_counters_close(c);
		pmk_linux_pmus_free(all);
		skip();
	}
	assert_true(pmk_linux_counters_read(c, 0, -1, &v[0]));
	assert_true(v[0].value == 0 && v[0].enabled_ns == 0);
	pmk_linux_counters_enable(c);
	for (volatile unsigned i = 0; i < 100000; i++)
		;
	assert_true(pmk_linux_counters_read(c, 0, -1, &v[0]));
	assert_true(pmk_linux_counters_read(c, 1, -1, &v[1]));
	assert_true(v[0].value > 0 && v[0].enabled_ns > 0);
	assert_int_equal(v[0].enabled_ns, v[0].running_ns);
	/* Members of a group have the times of their leader, read a moment later. */
	assert_true(v[1].enabled_ns >= v[0].enabled_ns);
	pmk_linux_counters_close(c);
	pmk_linux_pmus_free(all);
}

#define WITH_ROOT(f) cmocka_unit_test_setup_teardown(f, make_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus),
		WITH_ROOT(test_names_on_pmuv3),
		WITH_ROOT(test_a_core_without_a_catalogue_of_its_own),
		WITH_ROOT(test_names_on_arm1176),
		WITH_ROOT(test_names_on_another_processor),
		WITH_ROOT(test_random_names),
		WITH_ROOT(test_cores_of_two_kinds),
		WITH_ROOT(test_a_preferred_pmu),
		WITH_ROOT(test_a_machine_without_sysfs),
		WITH_ROOT(test_threads),
		WITH_ROOT(test_facts),
		WITH_ROOT(test_a_pmu_node_below_soc),
		cmocka_unit_test(test_why_there_is_no_hardware),
		WITH_ROOT(test_reasons),
		WITH_ROOT(test_attributes),
		WITH_ROOT(test_processors),
		WITH_ROOT(test_sampled_thread),
		WITH_ROOT(test_groups),
		WITH_ROOT(test_a_group_that_does_not_fit),
		WITH_ROOT(test_kernel_mode_forbidden),
		WITH_ROOT(test_refusals),
		WITH_ROOT(test_an_event_of_the_kernel_has_no_user_mode),
		WITH_ROOT(test_threads_that_end),
		WITH_ROOT(test_readings_are_added),
		cmocka_unit_test(test_scale),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_page_torn),
		cmocka_unit_test(test_page_times),
		cmocka_unit_test(test_page_with_a_short_clock),
		cmocka_unit_test(test_page_that_cannot_be_used),
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_self_refuses),
		cmocka_unit_test(test_counters_of_the_real_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
