// SPDX-License-Identifier: MIT
/*
 * What the kernel offers: /sys/bus/event_source/devices, one folder per PMU with `type`, `format/`,
 * `events/` and `cpus` or `cpumask` (Documentation/ABI/testing/sysfs-bus-event_source-devices*).
 *
 * If pmk's catalogue has the kernel's name of a PMU, its events get the catalogue's names. For a
 * generic PMUv3 (armv8_pmuv3_0) the core is identified by its MIDR_EL1. Any other PMU is used as
 * its folder describes it. Drivers that write no `format/` (ARMv6, ARMv7) take the event code as
 * config.
 *
 * Three PMUs have no folder: hardware (perf's generic events), hw-cache and software. The kernel
 * lists tracepoints and probes like PMUs, so a user can give their type and config.
 */
#define _GNU_SOURCE
#include "producer/linux/sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "base/number.h"

/* ---- generic events ------------------------------------------------------------------------- */

#define REF "perf_event_open(2)"

/* clang-format off */
#define HARDWARE(c, n, a, t) \
	{ .code = (c), .name = (n), .aliases = (a), .cores = 1, .signal = PMK_SIG_NONE, \
	  .ref = REF, .brief = (t), \
	  .caveat = "the kernel decides which event of the processor this is" }
#define SOFTWARE(c, n, a, t) \
	{ .code = (c), .name = (n), .aliases = (a), .cores = 1, .signal = PMK_SIG_NONE, \
	  .ref = REF, .brief = (t) }

/* The aliases are perf's names, and the names in pmk's catalogues that metrics use. */
static const struct pmk_event hardware_events[] = {
	HARDWARE(PERF_COUNT_HW_CPU_CYCLES, "cycles", "cpu-cycles cpu_cycles",
		 "cycles of the processor"),
	HARDWARE(PERF_COUNT_HW_INSTRUCTIONS, "instructions", "instr_exec inst_retired",
		 "instructions executed"),
	HARDWARE(PERF_COUNT_HW_CACHE_REFERENCES, "cache-references", NULL,
		 "accesses of a cache, usually the last level"),
	HARDWARE(PERF_COUNT_HW_CACHE_MISSES, "cache-misses", NULL,
		 "misses of a cache, usually the last level"),
	HARDWARE(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches", "branch-instructions br_exec",
		 "branches executed"),
	HARDWARE(PERF_COUNT_HW_BRANCH_MISSES, "branch-misses", "br_mispredict",
		 "branches predicted wrongly"),
	HARDWARE(PERF_COUNT_HW_BUS_CYCLES, "bus-cycles", NULL, "cycles of the bus"),
	HARDWARE(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend",
		 "idle-cycles-frontend", "cycles without instructions to issue"),
	HARDWARE(PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "stalled-cycles-backend",
		 "idle-cycles-backend", "cycles in which instructions could not be issued"),
	HARDWARE(PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles", NULL,
		 "cycles at a constant rate, whatever the clock's frequency is"),
};

static const struct pmk_event software_events[] = {
	SOFTWARE(PERF_COUNT_SW_CPU_CLOCK, "cpu-clock", NULL, "time on a processor, by its timer"),
	SOFTWARE(PERF_COUNT_SW_TASK_CLOCK, "task-clock", NULL, "time the task ran"),
	SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, "page-faults", "faults", "page faults"),
	SOFTWARE(PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches", "cs",
		 "times another task took the processor"),
	SOFTWARE(PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations", "migrations",
		 "moves to another processor"),
	SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor-faults", NULL,
		 "page faults that read nothing from a disk"),
	SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS_MAJ, "major-faults", NULL,
		 "page faults that waited for a disk"),
	SOFTWARE(PERF_COUNT_SW_ALIGNMENT_FAULTS, "alignment-faults", NULL,
		 "unaligned accesses the kernel had to do"),
	SOFTWARE(PERF_COUNT_SW_EMULATION_FAULTS, "emulation-faults", NULL,
		 "instructions the kernel had to emulate"),
};
/* clang-format on */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const struct pmk_pmu pmk_linux_hardware = {
	.name = "hardware",
	.brief = "perf's generic hardware events",
	.events = hardware_events,
	.nevents = COUNT(hardware_events),
	.core = 1,
};

const struct pmk_pmu pmk_linux_software = {
	.name = "software",
	.brief = "events of the Linux kernel",
	.events = software_events,
	.nevents = COUNT(software_events),
	.core = 1,
};

static const struct pmk_pmu cache = {
	.name = "hw-cache",
	.brief = "perf's generic cache events",
	.core = 1,
};

/* ---- the kernel ----------------------------------------------------------------------------- */

static int open_event(const struct perf_event_attr *attr, int pid, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

const struct pmk_linux_kernel pmk_linux_kernel = {
	.sys = "/sys",
	.proc = "/proc",
	.open = open_event,
};

/* ---- sets of processors --------------------------------------------------------------------- */

static bool read_number(const char **at, unsigned *value)
{
	uint64_t v;

	if (pmk_number_read(at, 10, &v) || v > INT_MAX)
		return false;
	*value = (unsigned)v;
	return true;
}

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

static int add_range(struct pmk_linux_cpus *cpus, unsigned first, unsigned last)
{
	unsigned *more;

	/* The limit is larger than any machine, so that a typing error does not use up all
	 * memory. */
	if (last < first || last > 65535)
		return PMK_EPARSE;
	more = realloc(cpus->cpu, (cpus->count + (last - first + 1)) * sizeof(*more));
	if (!more)
		return PMK_ENOMEM;
	cpus->cpu = more;
	for (unsigned c = first; c <= last; c++)
		cpus->cpu[cpus->count++] = c;
	return 0;
}

static void sort_once(struct pmk_linux_cpus *cpus)
{
	unsigned n = 0;

	qsort(cpus->cpu, cpus->count, sizeof(*cpus->cpu), by_number);
	for (unsigned i = 0; i < cpus->count; i++)
		if (!n || cpus->cpu[n - 1] != cpus->cpu[i])
			cpus->cpu[n++] = cpus->cpu[i];
	cpus->count = n;
}

int pmk_linux_cpus_parse(struct pmk_linux_cpus *cpus, const char *text)
{
	int err = 0;

	*cpus = (struct pmk_linux_cpus){ 0 };
	while (!err) {
		unsigned first, last;

		if (!read_number(&text, &first)) {
			err = PMK_EPARSE;
			break;
		}
		last = first;
		if (*text == '-' && (text++, !read_number(&text, &last)))
			err = PMK_EPARSE;
		if (!err)
			err = add_range(cpus, first, last);
		if (err || *text != ',')
			break;
		text++;
	}
	if (!err && *text && strcmp(text, "\n") != 0)
		err = PMK_EPARSE;
	if (err) {
		pmk_linux_cpus_free(cpus);
		return err;
	}
	sort_once(cpus);
	return 0;
}

int pmk_linux_pid_next(const char **at, int *pid)
{
	unsigned n;
	bool comma;

	if (!read_number(at, &n) || n < 1)
		return PMK_EPARSE;
	comma = **at == ',';
	if (**at && !comma)
		return PMK_EPARSE;
	*pid = (int)n;
	*at += comma;
	return comma;
}

bool pmk_linux_cpus_have(const struct pmk_linux_cpus *cpus, unsigned cpu)
{
	for (unsigned i = 0; i < cpus->count; i++)
		if (cpus->cpu[i] == cpu)
			return true;
	return false;
}

void pmk_linux_cpus_free(struct pmk_linux_cpus *cpus)
{
	free(cpus->cpu);
	*cpus = (struct pmk_linux_cpus){ 0 };
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Read the first line of DIR/NAME without its newline into the caller's buffer; NULL: it cannot be
 * read. */
static char *read_line(char *buf, size_t size, const char *dir, const char *name)
{
	char path[PATH_MAX];
	FILE *f;
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	f = n > 0 && (size_t)n < sizeof(path) ? fopen(path, "re") : NULL;
	if (!f)
		return NULL;
	if (!fgets(buf, (int)size, f))
		*buf = '\0';
	fclose(f);
	buf[strcspn(buf, "\n")] = '\0';
	return buf;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Call `take` with each name in DIR, in order; a missing folder counts as empty. */
static int each_name(const char *dir, int (*take)(void *ctx, const char *dir, const char *name),
		     void *ctx)
{
	struct dirent **entries = NULL;
	int n = scandir(dir, &entries, is_visible, alphasort), err = 0;

	if (n < 0)
		return errno == ENOMEM ? PMK_ENOMEM : 0;
	for (int i = 0; i < n; i++) {
		if (!err)
			err = take(ctx, dir, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return err;
}

/* ---- one PMU -------------------------------------------------------------------------------- */

/* Parses a format such as "config1:0-7,32-35". False: pmk does not know the format. */
static bool parse_format(struct pmk_linux_format *f, const char *text)
{
	unsigned low, high;

	if (strncmp(text, "config", 6) != 0)
		return false;
	text += 6;
	f->word = 0;
	if (*text == '1' || *text == '2')
		f->word = (unsigned)(*text++ - '0');
	if (*text++ != ':')
		return false;
	while (f->npieces < PMK_LINUX_PIECES && read_number(&text, &low)) {
		high = low;
		if (*text == '-' && (text++, !read_number(&text, &high)))
			return false;
		if (high < low || high > 63)
			return false;
		f->piece[f->npieces].low = (uint8_t)low;
		f->piece[f->npieces++].high = (uint8_t)high;
		if (*text != ',')
			return !*text;
		text++;
	}
	return false;
}

static int take_format(void *ctx, const char *dir, const char *name)
{
	struct pmk_linux_pmu_full *pmu = ctx;
	struct pmk_linux_format f = { .npieces = 0 };
	char text[256];

	if (!read_line(text, sizeof(text), dir, name) || !parse_format(&f, text))
		return 0;
	f.name = strdup(name);
	if (f.name && PMK_APPEND(pmu->formats, pmu->nformats, pmu->room_formats, f))
		return 0;
	free(f.name);
	return PMK_ENOMEM;
}

/* Reads NAME.scale and NAME.unit: a count of 1 is `scale` units. */
static char *read_unit(const char *dir, const char *event)
{
	char name[NAME_MAX + 8], scale[64] = "", unit[64] = "", *text;

	snprintf(name, sizeof(name), "%s.unit", event);
	read_line(unit, sizeof(unit), dir, name);
	snprintf(name, sizeof(name), "%s.scale", event);
	read_line(scale, sizeof(scale), dir, name);
	if (!*unit && !*scale)
		return strdup("");
	if (!*scale || !strcmp(scale, "1"))
		return strdup(unit);
	if (asprintf(&text, "%s%s%s", scale, *unit ? " " : "", unit) < 0)
		return NULL;
	return text;
}

static int take_event(void *ctx, const char *dir, const char *name)
{
	struct pmk_linux_pmu_full *pmu = ctx;
	const struct pmk_linux_named *e;
	char text[512];

	/* The file cycles.scale, for example, belongs to the event file `cycles`. */
	if (strchr(name, '.') || !read_line(text, sizeof(text), dir, name))
		return 0;
	if (!PMK_APPEND(
		    pmu->events, pmu->nevents, pmu->room_events,
		    (struct pmk_linux_named){ strdup(name), strdup(text), read_unit(dir, name) }))
		return PMK_ENOMEM;
	e = &pmu->events[pmu->nevents - 1];
	return e->name && e->terms && e->unit ? 0 : PMK_ENOMEM;
}

/* Part numbers of MIDR_EL1 by Arm (bits 15:4 of an implementer 0x41): the TRMs' "Main ID
 * Register". */
static const struct {
	unsigned part;
	const char *name;
} parts[] = {
	{ 0xD03, "cortex-a53" }, { 0xD05, "cortex-a55" },  { 0xD07, "cortex-a57" },
	{ 0xD08, "cortex-a72" }, { 0xD0C, "neoverse-n1" },
};

static const struct pmk_pmu *by_midr(const struct pmk_linux_kernel *kernel, unsigned cpu)
{
	char dir[PATH_MAX], text[64];
	unsigned long long midr;

	snprintf(dir, sizeof(dir), "%s/devices/system/cpu/cpu%u/regs/identification", kernel->sys,
		 cpu);
	if (!read_line(text, sizeof(text), dir, "midr_el1"))
		return NULL;
	midr = pmk_number_after(text, "", PMK_ANY_BASE);
	for (size_t i = 0; (midr >> 24 & 0xFF) == 0x41 && i < COUNT(parts); i++)
		if ((midr >> 4 & 0xFFF) == parts[i].part)
			return pmk_pmu_find(parts[i].name);
	return NULL;
}

/* Returns pmk's PMU for the kernel's name. The number at the end of "armv8_pmuv3_0" only
 * distinguishes PMUs of one kind. */
static const struct pmk_pmu *known_pmu(const struct pmk_linux_kernel *kernel, const char *name,
				       unsigned cpu)
{
	const struct pmk_pmu *pmu = pmk_pmu_find(name), *exact;
	char stem[64];
	size_t n = strlen(name), cut = n;

	while (cut && isdigit((unsigned char)name[cut - 1]))
		cut--;
	if (!pmu && cut < n && cut && name[cut - 1] == '_' && cut <= sizeof(stem)) {
		snprintf(stem, sizeof(stem), "%.*s", (int)cut - 1, name);
		pmu = pmk_pmu_find(stem);
	}
	if (!pmu || strncmp(name, "armv8_pmuv3", strlen("armv8_pmuv3")) != 0)
		return pmu;
	exact = by_midr(kernel, cpu);
	return exact ? exact : pmu;
}

/* Recognise PMUs of processors as perf does: they have a file `cpus`, or are named armv…, cpu or
 * cpu_…. */
static bool is_core(const char *name, bool has_cpus)
{
	return has_cpus || !strncmp(name, "armv", 4) || !strcmp(name, "cpu") ||
	       !strncmp(name, "cpu_", 4);
}

static struct pmk_linux_pmu_full *add_pmu(struct pmk_linux_pmus *all, const char *name)
{
	char *own = strdup(name);

	if (own && PMK_APPEND(all->list, all->count, all->room,
			      (struct pmk_linux_pmu_full){ .pub.name = own, .name = own }))
		return &all->list[all->count - 1];
	free(own);
	return NULL;
}

struct scan {
	struct pmk_linux_pmus *all;
	const struct pmk_linux_kernel *kernel;
};

static int take_pmu(void *ctx, const char *devices, const char *name)
{
	const struct scan *scan = ctx;
	struct pmk_linux_pmu_full *pmu;
	char dir[PATH_MAX], sub[PATH_MAX + 16], text[4096];
	bool has_cpus;
	int err = 0;

	if (snprintf(dir, sizeof(dir), "%s/%s", devices, name) >= (int)sizeof(dir))
		return 0;
	if (!strcmp(name, "software") || !read_line(text, sizeof(text), dir, "type"))
		return 0;
	pmu = add_pmu(scan->all, name);
	if (!pmu)
		return PMK_ENOMEM;
	pmu->pub.type = (uint32_t)pmk_number_after(text, "", 10);
	has_cpus = read_line(text, sizeof(text), dir, "cpus") != NULL;
	if (has_cpus || read_line(text, sizeof(text), dir, "cpumask"))
		err = pmk_linux_cpus_parse(&pmu->pub.cpus, text);
	pmu->pub.core = is_core(name, has_cpus);
	pmu->pub.pmu =
		known_pmu(scan->kernel, name, pmu->pub.cpus.count ? pmu->pub.cpus.cpu[0] : 0);
	pmu->pub.known = pmu->pub.pmu != NULL;
	snprintf(sub, sizeof(sub), "%s/format", dir);
	if (err != PMK_ENOMEM)
		err = each_name(sub, take_format, pmu);
	snprintf(sub, sizeof(sub), "%s/events", dir);
	return err ? err : each_name(sub, take_event, pmu);
}

static int add_generic(struct pmk_linux_pmus *all, const struct pmk_pmu *pmu, uint32_t type)
{
	struct pmk_linux_pmu_full *p = add_pmu(all, pmu->name);

	if (!p)
		return PMK_ENOMEM;
	p->pub.type = type;
	p->pub.pmu = pmu;
	p->pub.software = type == PERF_TYPE_SOFTWARE;
	return 0;
}

int pmk_linux_pmus_load(struct pmk_linux_pmus **out, const struct pmk_linux_kernel *kernel)
{
	struct pmk_linux_pmus *all = calloc(1, sizeof(*all));
	struct scan scan = { all, kernel };
	char devices[PATH_MAX];
	int err;

	*out = NULL;
	if (!all)
		return PMK_ENOMEM;
	snprintf(devices, sizeof(devices), "%s/bus/event_source/devices", kernel->sys);
	err = each_name(devices, take_pmu, &scan);
	if (!err)
		err = add_generic(all, &pmk_linux_hardware, PERF_TYPE_HARDWARE);
	if (!err)
		err = add_generic(all, &cache, PERF_TYPE_HW_CACHE);
	if (!err)
		err = add_generic(all, &pmk_linux_software, PERF_TYPE_SOFTWARE);
	if (err) {
		pmk_linux_pmus_free(all);
		return err;
	}
	/* Set the pointers into the list now, because the list no longer moves. */
	for (unsigned i = 0; i < all->count; i++) {
		struct pmk_linux_pmu_full *p = &all->list[i];

		p->made = (struct pmk_pmu){ .name = p->pub.name, .brief = "a PMU of this kernel" };
		if (!p->pub.pmu)
			p->pub.pmu = &p->made;
	}
	*out = all;
	return 0;
}

static void free_pmu(struct pmk_linux_pmu_full *p)
{
	for (unsigned i = 0; i < p->nformats; i++)
		free(p->formats[i].name);
	for (unsigned i = 0; i < p->nevents; i++) {
		free(p->events[i].name);
		free(p->events[i].terms);
		free(p->events[i].unit);
	}
	free(p->formats);
	free(p->events);
	pmk_linux_cpus_free(&p->pub.cpus);
	free(p->name);
}

void pmk_linux_pmus_free(struct pmk_linux_pmus *all)
{
	if (!all)
		return;
	while (all->made) {
		struct pmk_linux_made *m = all->made;

		all->made = m->next;
		free(m->name);
		free(m);
	}
	for (unsigned i = 0; i < all->count; i++)
		free_pmu(&all->list[i]);
	free(all->list);
	free(all);
}

/* ---- look-ups ------------------------------------------------------------------------------- */

unsigned pmk_linux_pmus_count(const struct pmk_linux_pmus *all)
{
	return all->count;
}

const struct pmk_linux_pmu *pmk_linux_pmus_get(const struct pmk_linux_pmus *all, unsigned i)
{
	return i < all->count ? &all->list[i].pub : NULL;
}

const struct pmk_linux_pmu *pmk_linux_pmu_find(const struct pmk_linux_pmus *all, const char *name)
{
	const struct pmk_pmu *ours = pmk_pmu_find(name);

	for (unsigned i = 0; i < all->count; i++)
		if (!strcmp(all->list[i].pub.name, name))
			return &all->list[i].pub;
	for (unsigned i = 0; i < all->count; i++)
		if (all->list[i].pub.known && all->list[i].pub.pmu == ours)
			return &all->list[i].pub;
	return NULL;
}

const struct pmk_linux_pmu *pmk_linux_core(const struct pmk_linux_pmus *all)
{
	for (unsigned i = 0; i < all->count; i++)
		if (all->list[i].pub.core)
			return &all->list[i].pub;
	return NULL;
}

unsigned pmk_linux_cores(const struct pmk_linux_pmus *all)
{
	unsigned n = 0;

	for (unsigned i = 0; i < all->count; i++)
		n += all->list[i].pub.core;
	return n;
}

/* ---- what to count --------------------------------------------------------------------------- */

/* Reads the online processors from /proc/stat, which has a line "cpu3 …" for each of them, and a
 * line "cpu …" for their sum. */
static int online_by_stat(struct pmk_linux_cpus *cpus, const struct pmk_linux_kernel *kernel)
{
	char path[PATH_MAX], *line = NULL;
	size_t size = 0;
	int err = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/stat", kernel->proc);
	f = fopen(path, "re");
	while (f && !err && getline(&line, &size, f) > 0) {
		if (strncmp(line, "cpu", 3) == 0 && isdigit((unsigned char)line[3])) {
			unsigned cpu = (unsigned)pmk_number_after(line, "cpu", 10);

			err = add_range(cpus, cpu, cpu);
		}
	}
	free(line);
	if (f)
		fclose(f);
	if (err)
		pmk_linux_cpus_free(cpus);
	else if (!cpus->count)
		err = PMK_EIO;
	return err;
}

/* Fill the list of processors that are online. In a container or a chroot /sys may not be
 * mounted. */
int pmk_linux_online(struct pmk_linux_cpus *cpus, const struct pmk_linux_kernel *kernel)
{
	char dir[PATH_MAX], text[4096];

	*cpus = (struct pmk_linux_cpus){ 0 };
	snprintf(dir, sizeof(dir), "%s/devices/system/cpu", kernel->sys);
	if (!read_line(text, sizeof(text), dir, "online"))
		return online_by_stat(cpus, kernel);
	return pmk_linux_cpus_parse(cpus, text);
}

int pmk_linux_threads(const struct pmk_linux_kernel *kernel, int pid, int **list, unsigned *count)
{
	char dir[PATH_MAX];
	struct dirent **entries = NULL;
	int n, *more;

	snprintf(dir, sizeof(dir), "%s/%d/task", kernel->proc, pid);
	n = scandir(dir, &entries, is_visible, alphasort);
	if (n < 0)
		return errno == ENOMEM ? PMK_ENOMEM : PMK_EIO;
	more = realloc(*list, (*count + (unsigned)n + 1) * sizeof(*more));
	for (int i = 0; i < n; i++) {
		if (more)
			more[(*count)++] = atoi(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (!more)
		return PMK_ENOMEM;
	*list = more;
	return 0;
}
