// SPDX-License-Identifier: MIT
/*
 * pmk doctor environment: data files, plugin, emulators, libraries of the programs,
 * the host's own counters. In each emulator, pmk runs a program of three instructions and
 * checks that it counts three, which tests emulator, plugin and data files at once.
 *
 * The command does not check compilers and debuggers, which pmk does not need, or firmware in
 * system emulation, which needs an image.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/linux.h>

#include "base/number.h"
#include "base/tool.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "count/emulator.h"
#include "cli/show.h"
#include "count/files.h"
#include "producer/qemu/generation.h"
#include "result/jsonio.h"

#define SECONDS 20 /* a child process that takes longer is killed */

enum status { OK, MISSING, BROKEN };
static const char *const status_names[] = { "ok", "missing", "broken" };

/* A line of the report. */
struct item {
	const char *name;
	enum status status;
	char text[PATH_MAX + 300];	/* the finding */
	const char *advice;		/* what to do, unless the state is ok */
	char own_advice[EMULATOR_TEXT]; /* buffer for advice that is composed at run time */
};

#define MAX_ITEMS 24
struct report {
	struct item item[MAX_ITEMS];
	unsigned n;
	bool counts; /* a program was counted */
};

static struct item *add_item(struct report *r, const char *name, enum status status,
			     const char *advice)
{
	struct item *it = &r->item[r->n++];

	*it = (struct item){ .name = name, .status = status, .advice = advice };
	return it;
}

#define SAY(it, ...) snprintf((it)->text, sizeof((it)->text), __VA_ARGS__)

/* ---- files ---------------------------------------------------------------------------------- */

static unsigned count_names(char **names)
{
	unsigned n = 0;

	while (names && names[n])
		n++;
	return n;
}

/* Record a fault in pmk's data or the user's files. Only the first fault is shown. */
static void record_fault(struct item *it, const char *what)
{
	if (it->status == BROKEN)
		return;
	it->status = BROKEN;
	SAY(it, "%s", what);
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return *dir && !strncmp(path, dir, n) && path[n] == '/';
}

static void check_cores(char **names, const char *data, const char *own_dir, struct item *ours,
			struct item *own)
{
	char path[PATH_MAX], msg[PATH_MAX + 300];
	struct pmk_core core;

	for (unsigned i = 0; names[i]; i++) {
		if (show_load_core(names[i], &core, msg, sizeof(msg)) == 0)
			continue;
		pmk_files_core(path, data, names[i]);
		record_fault(is_below(path, own_dir) ? own : ours, msg);
	}
}

static void check_metrics(const char *data, unsigned *n, struct item *ours, struct item *own)
{
	struct pmk_count_fault why = { 0 }, f = { 0 };
	struct pmk_metrics *metrics = NULL;

	if (pmk_files_metrics(&metrics, data, &why, &f))
		record_fault(ours, pmk_count_fault_text(&f));
	else if (!pmk_metrics_count(metrics))
		record_fault(ours, "there is no metric");
	if (why.failure)
		record_fault(own, pmk_count_fault_text(&why));
	*n = metrics ? pmk_metrics_count(metrics) : 0;
	pmk_metrics_free(metrics);
	pmk_count_fault_free(&why);
	pmk_count_fault_free(&f);
}

/* Check the files that come with pmk, and the user's files. Correct user files are not mentioned,
 * because most users have none. */
static void check_data(struct report *r)
{
	struct item *ours = add_item(r, "data files", OK,
				     "set PMK_DATA to the directory with cores/ and metrics/");
	struct item own = { .name = "own files" };
	char own_dir[PATH_MAX] = "", closed[PATH_MAX];
	const char *dir = cli_data_dir();
	char **names = dir ? cli_core_names() : NULL;
	unsigned metrics;

	if (!dir || !names) {
		ours->status = MISSING;
		SAY(ours, "%s", dir ? dir : "no directory");
		return;
	}
	own.advice = "correct or remove the file; pmk counts without it";
	if (pmk_files_closed(closed, "cores") || pmk_files_closed(closed, "metrics")) {
		snprintf(own.text, sizeof(own.text), "%s: %s", closed, strerror(EACCES));
		own.status = BROKEN;
		own.advice = "make it readable, or set XDG_CONFIG_HOME to another directory; pmk "
			     "counts without it";
	}
	pmk_files_own(own_dir, "");
	check_metrics(dir, &metrics, ours, &own);
	check_cores(names, dir, own_dir, ours, &own);
	if (ours->status == BROKEN)
		ours->advice = "install pmk again, or set PMK_DATA to a complete directory";
	else
		SAY(ours, "%s: %u cores, %u metrics", dir, count_names(names), metrics);
	if (own.status == BROKEN)
		*add_item(r, own.name, BROKEN, NULL) = own;
	pmk_files_free_names(names);
}

/* Check the modules of the plugin. There is one for each generation of the plugin API. If
 * $PMK_PLUGIN is a file, this file replaces all modules. */
static void check_plugin(struct report *r)
{
	struct item *it =
		add_item(r, "plugin", MISSING,
			 "build it (make), or set PMK_PLUGIN to the directory of its modules");
	const char *chosen = getenv("PMK_PLUGIN");
	unsigned found = 0;

	if (chosen && *chosen) {
		SAY(it, "PMK_PLUGIN is %s, which has no %s", chosen,
		    pmk_qemu_generations[0].module);
		it->advice = "unset PMK_PLUGIN, or set it to the directory of pmk's modules";
	} else {
		SAY(it, "%s is neither next to pmk nor installed", pmk_qemu_generations[0].module);
	}
	for (size_t i = 0; i < pmk_qemu_ngenerations; i++) {
		char path[PATH_MAX];
		bool there = pmk_files_plugin(path, NULL, pmk_qemu_generations[i].module);

		if (there && !found)
			SAY(it, "%s", path);
		found +=
			there && access(path, R_OK) == 0 && (!found || strcmp(path, it->text) != 0);
	}
	if (!found)
		return;
	it->status = OK;
	if (found > 1)
		snprintf(it->text + strlen(it->text), 80,
			 ", and %u more for other releases of QEMU", found - 1);
}

static void check_directory(struct report *r, const char *name, const char *dir, const char *what,
			    const char *advice)
{
	struct item *it = add_item(r, name, access(dir, R_OK) ? MISSING : OK, advice);

	SAY(it, "%s, libraries for dynamically linked %s programs", dir, what);
}

/* ---- emulators ------------------------------------------------------------------------------ */

/* Programs of three instructions, which exit with code 0. The swaps assume a little-endian host. */
#define SAME(n)	  (n)
#define SWAP16(n) __builtin_bswap16(n)
#define SWAP32(n) __builtin_bswap32(n)
#define IDENT(class, data)                                                  \
	{                                                                   \
		ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, class, data, EV_CURRENT \
	}
#define PROGRAM32(data, machine, flags, H, W, ...) \
	{                                          \
		.head = { \
			.e_ident = IDENT(ELFCLASS32, data), \
			.e_type = H(ET_EXEC), \
			.e_machine = H(machine), \
			.e_version = W(EV_CURRENT), \
			.e_entry = W(0x10000 + sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr)), \
			.e_phoff = W(sizeof(Elf32_Ehdr)), \
			.e_flags = W(flags), \
			.e_ehsize = H(sizeof(Elf32_Ehdr)), \
			.e_phentsize = H(sizeof(Elf32_Phdr)), \
			.e_phnum = H(1), \
		}, \
		.segment = { \
			.p_type = W(PT_LOAD), \
			.p_vaddr = W(0x10000), \
			.p_filesz = W(sizeof(struct program32)), \
			.p_memsz = W(sizeof(struct program32)), \
			.p_flags = W(PF_R | PF_X), \
			.p_align = W(0x1000), \
		}, \
		.code = { __VA_ARGS__ },                        \
	}

/* clang-format off */
static const struct program32 {
	Elf32_Ehdr head;
	Elf32_Phdr segment;
	uint32_t code[3];
} arm_program = /* mov r7, #1; mov r0, #0; svc 0 */
	PROGRAM32(ELFDATA2LSB, EM_ARM, EF_ARM_EABI_VER5, SAME, SAME, 0xe3a07001, 0xe3a00000,
		  0xef000000),
  microblazeel_program = /* addik r12, r0, 1; addk r5, r0, r0; brki r14, 8 */
	PROGRAM32(ELFDATA2LSB, EM_MICROBLAZE, 0, SAME, SAME, 0x31800001, 0x10a00000, 0xb9cc0008),
  microblaze_program =
	PROGRAM32(ELFDATA2MSB, EM_MICROBLAZE, 0, SWAP16, SWAP32, SWAP32(0x31800001),
		  SWAP32(0x10a00000), SWAP32(0xb9cc0008));
/* clang-format on */

static const struct {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	uint32_t code[3];
} a64_program = {
	.head = {
		.e_ident = IDENT(ELFCLASS64, ELFDATA2LSB),
		.e_type = ET_EXEC,
		.e_machine = EM_AARCH64,
		.e_version = EV_CURRENT,
		.e_entry = 0x10000 + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	},
	.segment = {
		.p_type = PT_LOAD,
		.p_vaddr = 0x10000,
		.p_filesz = sizeof(a64_program),
		.p_memsz = sizeof(a64_program),
		.p_flags = PF_R | PF_X,
		.p_align = 0x1000,
	},
	.code = { 0xd2800ba8, 0xd2800000, 0xd4000001 }, /* mov x8, #93; mov x0, #0; svc #0 */
};

#define INSTRUCTIONS 3

static const struct emulator {
	const char *command, *runs;
	const void *program; /* NULL: this emulator only runs firmware */
	size_t size;
} emulators[] = {
	{ "qemu-arm", "programs for ARM", &arm_program, sizeof(arm_program) },
	{ "qemu-aarch64", "programs for AArch64", &a64_program, sizeof(a64_program) },
	{ "qemu-microblazeel", "programs for MicroBlaze, little-endian", &microblazeel_program,
	  sizeof(microblazeel_program) },
	{ "qemu-microblaze", "programs for MicroBlaze, big-endian", &microblaze_program,
	  sizeof(microblaze_program) },
	{ "qemu-system-arm", "firmware for ARM, with --qemu", NULL, 0 },
	{ "qemu-system-aarch64",
	  "firmware for ARM, with --qemu; firmware for AArch64 that counts itself", NULL, 0 },
	{ "qemu-system-microblazeel", "firmware for MicroBlaze, little-endian, with --qemu", NULL,
	  0 },
	{ "qemu-system-microblaze", "firmware for MicroBlaze, big-endian, with --qemu", NULL, 0 },
};

/* Write the program to a file, which the caller unlinks. Returns false after an error; errno has
 * the reason. */
static bool write_program(const struct emulator *e, char *path)
{
	int fd = mkstemp(path);
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, e->program, e->size) == (ssize_t)e->size && !fchmod(fd, 0700);
	if (close(fd) || !ok) {
		unlink(path);
		return false;
	}
	return true;
}

/* Returns the last line that pmk printed. The emulator's output comes before it. */
static const char *last_line_of_ours(const char *text)
{
	const char *line = text, *at = text;

	while ((at = strstr(at, "pmk: "))) {
		at += strlen("pmk: ");
		line = at;
	}
	return line;
}

/* Find the count that pmk printed: on a separate line, after any messages. */
static bool find_count(const char *said, uint64_t *count)
{
	for (const char *line = said; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!pmk_number_read(&line, 10, count) && *line == ';')
			return true;
	}
	return false;
}

/* Count the program with this executable of pmk. */
static void check_counting(struct report *r, const struct emulator *e)
{
	struct item *it = add_item(r, e->command, BROKEN,
				   "run 'pmk stat' with one of your programs to see more");
	char exe[PATH_MAX] = "", path[PATH_MAX], out[4096];
	const char *top = getenv("TMPDIR");
	const char *const argv[] = { exe, "stat", "-x", ";", "-e", "instructions", path, NULL };
	unsigned long counted;
	int code;

	snprintf(path, sizeof(path), "%s/pmk-doctor-XXXXXX", top && *top ? top : "/tmp");
	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) <= 0 || !write_program(e, path)) {
		SAY(it, "cannot try it: %s", strerror(errno));
		return;
	}
	code = pmk_tool_run(argv, PMK_ERRORS_IN_OUTPUT, SECONDS, out, sizeof(out));
	unlink(path);
	if (code != 0 || !find_count(out, &counted)) {
		const char *why = last_line_of_ours(out);

		SAY(it, "counting fails (exit code %d): %.*s", code, (int)strcspn(why, "\n"), why);
		return;
	}
	SAY(it, "counts: %lu of %u instructions of a small program", counted, INSTRUCTIONS);
	if (counted == INSTRUCTIONS) {
		it->status = OK;
		r->counts = true;
	}
}

/* Report that the emulator is missing or cannot count, and what to do. */
static void no_emulator(struct item *it, const struct emulator *e, const struct pmk_qemu *q)
{
	it->status = q->state == PMK_QEMU_MISSING ? MISSING : BROKEN;
	if (q->state == PMK_QEMU_MISSING && !q->named && getenv("PATH"))
		SAY(it, "runs %s", e->runs);
	else
		pmk_emulator_cause(q, e->command, it->text, sizeof(it->text));
	pmk_emulator_remedy(q, e->command, it->own_advice, sizeof(it->own_advice));
	it->advice = it->own_advice;
}

static void check_emulator(struct report *r, const struct emulator *e)
{
	struct item *it = add_item(r, e->command, OK, NULL);
	const char *argv[] = { NULL, "--version", NULL };
	char out[400], version[64];
	struct pmk_qemu q;
	int code;

	if (!pmk_qemu_find(&q, e->command)) {
		no_emulator(it, e, &q);
		return;
	}
	argv[0] = q.path;
	code = pmk_tool_run(argv, PMK_ERRORS_IN_OUTPUT, SECONDS, out, sizeof(out));
	it->advice = EMULATOR_OTHER_RELEASE;
	if (code || !pmk_qemu_version(out, version, sizeof(version))) {
		it->status = BROKEN;
		SAY(it, "does not print its version (exit code %d)", code);
		return;
	}
	SAY(it, "version %s%s%s%s, runs %s", version, q.named || q.built ? " (" : "",
	    q.named || q.built ? q.path : "", q.named || q.built ? ")" : "", e->runs);
	if (!pmk_qemu_api(version)) {
		it->status = BROKEN;
		SAY(it, "version %s, runs %s; too old: plugins need 6.0", version, e->runs);
	} else if (e->program) {
		check_counting(r, e);
	}
}

/* ---- the host's own counters ----------------------------------------------------------------- */

static long number_in(const char *path, long otherwise)
{
	char text[32] = "";
	FILE *f = fopen(path, "r");

	if (f && !fgets(text, sizeof(text), f))
		*text = '\0';
	if (f)
		fclose(f);
	return *text ? strtol(text, NULL, 10) : otherwise;
}

/* Count cycles of this process in user mode, which requires the fewest rights. */
static void check_host(struct report *r)
{
	long paranoid = number_in("/proc/sys/kernel/perf_event_paranoid", LONG_MIN);
	struct item *it = add_item(r, "host counters", OK, NULL);
	const char *const names[] = { "cycles" };
	struct pmk_linux_self *s;
	char why[512];

	if (pmk_linux_self_open(&s, names, 1, why, sizeof(why)) == 0) {
		pmk_linux_self_close(s);
		SAY(it, "the kernel counts cycles, perf_event_paranoid is %ld: %s", paranoid,
		    paranoid <= 1 ? "user and kernel mode" : "user mode");
		return;
	}
	it->status = MISSING;
	SAY(it, "%s", why);
	it->advice = "docs/linux.md has the causes; emulation needs no counters of the host";
}

/* Check whether programs may read counters without a system call. On AArch64 a file of the kernel
 * shows this; other machines do not have the file. */
static void check_user_access(struct report *r)
{
	long allowed = number_in("/proc/sys/kernel/perf_user_access", LONG_MIN);
	struct item *it;

	if (allowed == LONG_MIN)
		return;
	it = add_item(r, "user access", allowed ? OK : MISSING,
		      "sysctl -w kernel.perf_user_access=1, if you need it");
	SAY(it, "perf_user_access is %ld: programs %s read counters themselves", allowed,
	    allowed ? "may" : "may not");
}

/* ---- report ---------------------------------------------------------------------------------- */

static void print_text(const struct report *r)
{
	printf("%sEnvironment%s\n\n", show_bold(), show_plain());
	for (unsigned i = 0; i < r->n; i++) {
		const struct item *it = &r->item[i];

		printf("  %-8s %-24s %s\n", status_names[it->status], it->name, it->text);
		if (it->status != OK)
			printf("  %-8s %-24s %s\n", "", "", it->advice);
	}
	printf("\n  %s\n", r->counts ? "pmk can count in emulation."
				     : "pmk cannot count in emulation: see above.");
}

static void add_json(json_object *doc, const struct report *r)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();

	pmk_json_add(o, "counts", json_object_new_boolean(r->counts));
	for (unsigned i = 0; i < r->n; i++) {
		const struct item *it = &r->item[i];
		json_object *line = json_object_new_object();

		pmk_json_text(line, "name", it->name);
		pmk_json_text(line, "status", status_names[it->status]);
		pmk_json_text(line, "text", it->text);
		pmk_json_text(line, "advice", it->status == OK ? NULL : it->advice);
		json_object_array_add(list, line);
	}
	pmk_json_add(o, "items", list);
	pmk_json_add(doc, "environment", o);
}

int doctor_environment(json_object *doc, const char *layout)
{
	static struct report r; /* static, because it is too big for a stack */

	(void)layout;
	r.n = 0;
	r.counts = false;
	check_data(&r);
	check_plugin(&r);
	for (size_t i = 0; i < sizeof(emulators) / sizeof(emulators[0]); i++)
		check_emulator(&r, &emulators[i]);
	check_directory(&r, "ARM sysroot", "/usr/arm-linux-gnueabi", "ARM",
			"Debian: apt-get install libc6-dev-armel-cross; or give --sysroot DIR");
	check_directory(&r, "AArch64 sysroot", "/usr/aarch64-linux-gnu", "AArch64",
			"Debian: apt-get install libc6-dev-arm64-cross; or give --sysroot DIR");
	check_host(&r);
	check_user_access(&r);
	if (doc)
		add_json(doc, &r);
	else
		print_text(&r);
	return r.counts ? PMK_EXIT_OK : PMK_EXIT_FAILED;
}
