// SPDX-License-Identifier: MIT
/*
 * Builds the emulator's command line. The program must see the same environment on every host and
 * in every run, because the addresses that it gets determine its cache sets. So the environment,
 * the stack size, the kernel release and the random seed are fixed, and QEMU itself is started
 * without address randomisation.
 */
#define _GNU_SOURCE
#include "count/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

#include <pmk/error.h>

#include "base/message.h"
#include "base/nearest.h"
#include "count/emulator.h"
#include "count/files.h"
#include "count/compat.h"
#include "count/way.h"
#include "cpu/family.h"
#include "producer/qemu/stack.h"

/*
 * One row for each ELF machine: its emulators for programs and for firmware, its default core, and
 * the folder in which Debian's cross compilers put its libraries. ARM has several rows; the default
 * is the core that the file names, or else the first one that can run it.
 */
static const struct machine {
	enum pmk_elf_machine elf;
	bool is64, big_endian;
	const char *isa, *core, *qemu, *system, *sysroot;
} machines[] = {
	{ PMK_ELF_ARM, false, false, "arm", "arm1176", "qemu-arm", "qemu-system-arm",
	  "/usr/arm-linux-gnueabi" },
	{ PMK_ELF_ARM, false, false, "a32", "cortex-a7", "qemu-arm", "qemu-system-arm",
	  "/usr/arm-linux-gnueabi" },
	{ PMK_ELF_ARM, false, false, "a32", "cortex-a53", "qemu-arm", "qemu-system-arm",
	  "/usr/arm-linux-gnueabi" },
	{ PMK_ELF_ARM, false, false, "t32", "cortex-m0", "qemu-arm", "qemu-system-arm", "" },
	{ PMK_ELF_ARM, false, false, "t32", "cortex-m0plus", "qemu-arm", "qemu-system-arm", "" },
	{ PMK_ELF_ARM, false, false, "t32", "cortex-m3", "qemu-arm", "qemu-system-arm", "" },
	{ PMK_ELF_ARM, false, false, "t32", "cortex-m4", "qemu-arm", "qemu-system-arm", "" },
	{ PMK_ELF_ARM, false, false, "t32", "cortex-m7", "qemu-arm", "qemu-system-arm", "" },
	{ PMK_ELF_ARM, false, false, "t32", "cortex-m33", "qemu-arm", "qemu-system-arm", "" },
	{ PMK_ELF_AARCH64, true, false, "a64", "cortex-a53", "qemu-aarch64", "qemu-system-aarch64",
	  "/usr/aarch64-linux-gnu" },
	{ PMK_ELF_MICROBLAZE, false, false, "microblaze", "microblaze", "qemu-microblazeel",
	  "qemu-system-microblazeel", "/usr/microblazeel-linux-gnu" },
	{ PMK_ELF_MICROBLAZE, false, true, "microblaze", "microblaze", "qemu-microblaze",
	  "qemu-system-microblaze", "/usr/microblaze-linux-gnu" },
};

#define NMACHINES (sizeof(machines) / sizeof(machines[0]))

/* The loader and the libraries of ARM programs that pass floating-point numbers in registers. */
#define HARD_FLOAT_LOADER "/lib/ld-linux-armhf.so.3"
#define HARD_FLOAT_ROOT	  "/usr/arm-linux-gnueabihf"

static bool is_microcontroller(const struct pmk_elf *elf)
{
	return elf->machine == PMK_ELF_ARM && pmk_arm_is_microcontroller(&elf->arm);
}

static bool is_of(const struct machine *m, const struct pmk_elf *elf)
{
	return m->elf == elf->machine && m->is64 == elf->is64 && m->big_endian == elf->big_endian &&
	       (!elf->arm.said || !strcmp(m->isa, "t32") == is_microcontroller(elf));
}

/* Returns the row for the file's machine. NULL: pmk does not emulate this machine, or does not
 * support the file's byte order or word size. */
static const struct machine *machine_of(const struct pmk_elf *elf)
{
	const struct machine *first = NULL, *runs = NULL;
	char lacks[64];
	bool lacking;

	for (size_t i = 0; i < NMACHINES; i++) {
		if (!is_of(&machines[i], elf))
			continue;
		lacking = pmk_compat_lacks(machines[i].core, &elf->arm, lacks, sizeof(lacks));
		if (!lacking && !strcmp(machines[i].core, elf->cpu))
			return &machines[i];
		if (!lacking && !runs)
			runs = &machines[i];
		first = first ? first : &machines[i];
	}
	return runs ? runs : first;
}

bool pmk_program_is_modelled(const char *core)
{
	for (size_t i = 0; i < NMACHINES; i++)
		if (!strcmp(machines[i].core, core))
			return true;
	return false;
}

/* True if cores with this instruction set can run the file. */
static bool isa_runs(const char *isa, const struct pmk_elf *elf)
{
	for (size_t i = 0; i < NMACHINES; i++)
		if (is_of(&machines[i], elf) && !strcmp(machines[i].isa, isa))
			return true;
	return false;
}

const char *pmk_program_emulator(const struct pmk_program *p)
{
	return basename(p->argv.word[0]);
}

/* Returns the machine that the emulator of --qemu emulates, by the emulator's name; NULL:
 * unknown. */
static const struct machine *machine_by_emulator(const struct pmk_program *p)
{
	const char *name = pmk_program_emulator(p);

	for (size_t i = 0; i < NMACHINES; i++)
		if (!strcmp(machines[i].qemu, name) || !strcmp(machines[i].system, name))
			return &machines[i];
	return NULL;
}

/* True if pmk stat would run this file in emulation. False for an emulator, because that is a
 * program for this machine. */
static bool is_program(const char *name)
{
	struct pmk_elf elf;
	char msg[256];

	return !pmk_elf_read(name, &elf, msg, sizeof(msg)) && machine_of(&elf);
}

int pmk_program_find_emulator(struct pmk_program *p)
{
	const char *name = p->argv.word[0];
	char cause[EMULATOR_TEXT], remedy[EMULATOR_TEXT];

	if (pmk_qemu_find(&p->qemu, name))
		return 0;
	if (p->system && !machine_by_emulator(p) && is_program(name))
		return pmk_count_refuse(
			p->fault, "%s is a program, not an emulator: pmk stat counts it", name);
	if (p->qemu.state == PMK_QEMU_NO_PLUGINS && !machine_by_emulator(p))
		return pmk_count_fail(p->fault, PMK_COUNT_FAILED,
				      "%s is not an emulator that can load plugins; start the "
				      "command with qemu-system-arm, qemu-system-aarch64 or "
				      "another emulator of QEMU",
				      name);
	pmk_emulator_cause(&p->qemu, name, cause, sizeof(cause));
	pmk_emulator_remedy(&p->qemu, name, remedy, sizeof(remedy));
	return pmk_count_fail(p->fault, PMK_COUNT_FAILED, "%s; %s", cause, remedy);
}

int pmk_program_add(struct pmk_program *p, const char *const *words)
{
	for (; *words; words++)
		if (!pmk_words_add(&p->argv, *words))
			return pmk_count_no_memory(p->fault);
	return 0;
}

static int unknown_core(struct pmk_program *p, const char *data, const char *name, const char *path)
{
	char near[256] = "", own[PATH_MAX], **names;
	int why = errno;

	if (pmk_files_is_path(name))
		return pmk_count_refuse(p->fault, "`core` %s: %s", name, strerror(why));
	if (why != ENOENT && why != ENOTDIR)
		return pmk_count_refuse(p->fault, "core %s: %s: %s", name, path, strerror(why));
	names = pmk_files_cores(data, p->fault);
	if (!names)
		return PMK_COUNT_FAILED;
	pmk_nearest_among(name, pmk_words_next, names, near, sizeof(near));
	pmk_files_free_names(names);
	if (!*near && pmk_files_closed(own, "cores"))
		return pmk_count_refuse(p->fault, "core '%s' is none of ours; of your own, %s: %s",
					name, own, strerror(EACCES));
	return pmk_count_refuse(p->fault, "unknown core '%s'%s%s%s (pmk list cores)", name,
				*near ? "; did you mean " : "", near, *near ? "?" : "");
}

static int override_machine(struct pmk_program *p, const char *text)
{
	const char *eq = strchr(text, '=');
	char key[64], msg[256];

	if (!eq || (size_t)(eq - text) >= sizeof(key))
		return pmk_count_refuse(p->fault, "`set` '%s': expected key=value", text);
	snprintf(key, sizeof(key), "%.*s", (int)(eq - text), text);
	if (pmk_core_set(&p->core, key, eq + 1, msg, sizeof(msg)))
		return pmk_count_refuse(p->fault, "`set` %s: %s", text, msg);
	return 0;
}

/* True if the preset's core has this PMU. */
static bool has_pmu(const char *data, const char *name, const char *pmu)
{
	struct pmk_core core;
	char path[PATH_MAX], msg[512];

	return pmk_files_core(path, data, name) && !pmk_core_load(&core, path, msg, sizeof(msg)) &&
	       !strcmp(core.pmu, pmu);
}

int pmk_program_core_with(struct pmk_program *p, const char *data, const char *pmu, char **found)
{
	char path[PATH_MAX], **names;
	bool there = pmk_files_core(path, data, pmu);

	*found = there ? strdup(pmu) : NULL;
	if (there)
		return *found ? 0 : pmk_count_no_memory(p->fault);
	names = pmk_files_cores(data, p->fault);
	for (unsigned i = 0; names && names[i] && !there; i++) {
		there = has_pmu(data, names[i], pmu);
		if (there)
			*found = strdup(names[i]);
	}
	pmk_files_free_names(names);
	if (!names)
		return PMK_COUNT_FAILED;
	return there && !*found ? pmk_count_no_memory(p->fault) : 0;
}

static int check_effect(struct pmk_program *p, const char *name, const struct pmk_words *overrides)
{
	for (unsigned i = 0; i < overrides->count; i++) {
		const char *word = overrides->word[i], *why;
		char key[64];

		snprintf(key, sizeof(key), "%.*s", (int)strcspn(word, "="), word);
		why = pmk_core_in_vain(&p->core, key);
		if (why)
			return pmk_count_refuse(p->fault, "`set` %s: core %s %s", word, name, why);
	}
	return 0;
}

/* Write the names of all PMUs with this driver: "arm1136r0, arm1136, …". */
static void name_pmus(const struct pmk_driver *driver, char *buf, size_t size)
{
	size_t at = 0;

	*buf = '\0';
	for (unsigned i = 0; pmk_pmus[i] && at < size; i++)
		if (pmk_pmus[i]->driver == driver)
			at += (size_t)snprintf(buf + at, size - at, "%s%s", at ? ", " : "",
					       pmk_pmus[i]->name);
}

/*
 * Check that a core with this instruction set can have this PMU. A core can have the PMU "none",
 * and any PMU with the same driver as the PMU of the instruction set's default core. Families that
 * are chosen by their PMU need no check.
 */
static int check_pmu(const struct pmk_core *core, char *msg, size_t size)
{
	const struct pmk_pmu *pmu = pmk_pmu_find(core->pmu), *usual = NULL;
	char names[256];

	for (size_t i = 0; i < NMACHINES && !usual; i++)
		if (!strcmp(machines[i].isa, core->isa))
			usual = pmk_pmu_find(machines[i].core);
	if (pmk_core_family(core)->pmu || !usual || !strcmp(core->pmu, "none") ||
	    (pmu && pmu->driver == usual->driver))
		return 0;
	name_pmus(usual->driver, names, sizeof(names));
	return pmk_message_fail(msg, size, PMK_EINVAL,
				"a core with isa = %s cannot have pmu = %s; it can have one of %s",
				core->isa, core->pmu, names);
}

int pmk_program_check_preset(const struct pmk_core *core, const char *name, char *msg, size_t size)
{
	if (!pmk_files_is_path(name) && strcmp(core->name, name) != 0)
		return pmk_message_fail(
			msg, size, PMK_EINVAL,
			"[core] has name = %s; the name must be that of the file, %s", core->name,
			name);
	return check_pmu(core, msg, size);
}

/* Let a core of ARMv8 run a 32-bit ARM program. The emulator of such programs does not know the
 * core's name, so its processor is "max". */
static void in_aarch32(struct pmk_core *core)
{
	if (!strcmp(core->isa, "a64") && pmk_core_become(core, "a32"))
		snprintf(core->qemu_cpu, sizeof(core->qemu_cpu), "max");
}

int pmk_program_core(struct pmk_program *p, const char *data, const char *name, const char *pmu,
		     const struct pmk_words *overrides)
{
	const struct machine *machine = machine_of(&p->elf), *usual = machine;
	char path[PATH_MAX], msg[512];
	struct pmk_core preset;
	int err;

	if (!usual && p->argv.count)
		usual = machine_by_emulator(p);
	if (!name)
		name = usual ? usual->core : machines[0].core;
	name = pmk_files_core_name(data, name);
	if (!pmk_files_core(path, data, name))
		return unknown_core(p, data, name, path);
	if (pmk_core_load(&p->core, path, msg, sizeof(msg)))
		return pmk_count_fail(p->fault, PMK_COUNT_FAILED, "%s", msg);
	if (pmk_program_check_preset(&p->core, name, msg, sizeof(msg)))
		return pmk_count_fail(p->fault, PMK_COUNT_FAILED, "%s: %s", path, msg);
	preset = p->core;
	if (machine && !p->system && p->elf.machine == PMK_ELF_ARM)
		in_aarch32(&p->core);
	if (pmu && pmk_core_can_have_l2(&p->core) && pmk_core_l2_type(pmu))
		p->core.l2.type = pmk_core_l2_type(pmu);
	for (unsigned i = 0; i < overrides->count; i++) {
		err = override_machine(p, overrides->word[i]);
		if (err)
			return err;
	}
	pmk_core_keep_checked(&p->core, &preset);
	p->core.system = p->system;
	if (pmk_core_check(&p->core, msg, sizeof(msg)))
		return pmk_count_refuse(p->fault, "core %s: %s", name, msg);
	err = check_effect(p, name, overrides);
	if (err)
		return err;
	if (p->system && !p->alone)
		err = pmk_program_check_core(p);
	if (err)
		return err;
	if (machine && !isa_runs(p->core.isa, &p->elf))
		return pmk_count_refuse(
			p->fault, "core %s runs %s code; the program is for %s", name, p->core.isa,
			pmk_arm_is_microcontroller(&p->elf.arm) ? "a Cortex-M"
								: p->elf.machine_name);
	return 0;
}

char *pmk_program_path(const char *name)
{
	const char *path = getenv("PATH");
	char candidate[4096];
	struct stat st;

	if (strchr(name, '/'))
		return strdup(name);
	for (bool more = path != NULL; more; path++) {
		size_t n = strcspn(path, ":");

		/* An empty element is the current directory. */
		snprintf(candidate, sizeof(candidate), "%.*s/%s", n ? (int)n : 1, n ? path : ".",
			 name);
		if (!stat(candidate, &st) && S_ISREG(st.st_mode))
			return strdup(candidate);
		path += n;
		more = *path == ':';
	}
	return NULL;
}

static int find_file(const char *program, char **path, struct pmk_count_fault *f)
{
	struct stat st;

	/* These names have no slash, but are not commands. */
	if (!strcmp(program, ".") || !strcmp(program, ".."))
		return pmk_count_fail(f, PMK_COUNT_NOT_EXEC, "%s: is a directory", program);
	*path = pmk_program_path(program);
	if (!*path && !stat(program, &st) && S_ISREG(st.st_mode))
		return pmk_count_fail(f, PMK_COUNT_NOT_FOUND,
				      "%s: command not found; did you mean ./%s?", program,
				      program);
	if (!*path || (stat(*path, &st) && (errno == ENOENT || errno == ENOTDIR)))
		return pmk_count_fail(f, PMK_COUNT_NOT_FOUND, "%s: command not found", program);
	if (stat(*path, &st))
		return pmk_count_fail(f, PMK_COUNT_NOT_EXEC, "%s: %s", program, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return pmk_count_fail(f, PMK_COUNT_NOT_EXEC, "%s: is a directory", program);
	if (!S_ISREG(st.st_mode))
		return pmk_count_fail(f, PMK_COUNT_NOT_EXEC, "%s: is not a regular file", program);
	return 0;
}

/* Check that the file has an x bit. access() does not show this for root, who may read any file but
 * cannot execute one without an x bit. */
static int check_mode(const char *program, const char *path, struct pmk_count_fault *f)
{
	struct stat st;

	if (stat(path, &st) || st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH))
		return 0;
	return pmk_count_fail(f, PMK_COUNT_NOT_EXEC, "%s: permission denied (no execute bit)",
			      program);
}

int pmk_program_find(const char *program, char **path, struct pmk_count_fault *f)
{
	int err = find_file(program, path, f);

	return err ? err : check_mode(program, *path, f);
}

/* Returns a core that can run the file; NULL: there is none. */
static const char *core_for(const struct pmk_elf *elf)
{
	const struct machine *m = machine_of(elf);
	char lacks[64];

	return m && !pmk_compat_lacks(m->core, &elf->arm, lacks, sizeof(lacks)) ? m->core : NULL;
}

/* Reject code for processors that are not modelled. It would be counted as if it ran on a modelled
 * processor, until it fails. */
static int check_profile(struct pmk_program *p, const char *file, const struct pmk_elf *elf)
{
	if (elf->machine != PMK_ELF_ARM)
		return 0;
	if (pmk_arm_is_real_time(&elf->arm))
		return pmk_count_fail(p->fault, PMK_COUNT_NOT_EXEC,
				      "%s: is built for a Cortex-R, which pmk does not model; its "
				      "cores are ARM9, ARM11, Cortex-A and Cortex-M (pmk list "
				      "cores)",
				      file);
	if (is_microcontroller(elf) && !core_for(elf))
		return pmk_count_fail(p->fault, PMK_COUNT_NOT_EXEC,
				      "%s: is built for %s (%s), which pmk does not model; build "
				      "it for a Cortex-M33 or an earlier core (-mcpu=cortex-m33)",
				      file, *elf->cpu ? elf->cpu : "a later Cortex-M",
				      pmk_arm_arch_name(elf->arm.arch));
	return 0;
}

int pmk_program_open(struct pmk_program *p, const char *program)
{
	char msg[256];
	int unread, err = find_file(program, &p->image, p->fault);

	if (err)
		return err;
	unread = pmk_elf_read(p->image, &p->elf, msg, sizeof(msg));
	/* QEMU reads firmware, but does not execute it as a program of the host. */
	if (unread || !is_microcontroller(&p->elf))
		err = check_mode(program, p->image, p->fault);
	if (err)
		return err;
	if (unread)
		return pmk_count_fail(p->fault, PMK_COUNT_NOT_EXEC, "%s: %s", program, msg);
	if (!machine_of(&p->elf))
		return pmk_count_fail(
			p->fault, PMK_COUNT_NOT_EXEC,
			"%s: is an executable for %s%s (ELF machine %u); this version of pmk runs "
			"little-endian ARM and AArch64, and MicroBlaze ones%s",
			program, p->elf.big_endian ? "big-endian " : "", p->elf.machine_name,
			p->elf.machine_code,
			pmk_machine_runs(program) ? "; `target` linux runs it on this machine"
						  : "");
	p->alone = is_microcontroller(&p->elf);
	p->system = p->alone;
	return check_profile(p, program, &p->elf);
}

const char *pmk_program_later_core(const struct pmk_program *p)
{
	bool passed = false;

	if (p->elf.machine != PMK_ELF_ARM)
		return NULL;
	for (size_t i = 0; i < NMACHINES; i++) {
		bool same = !strcmp(machines[i].isa, p->core.isa);

		if (!is_of(&machines[i], &p->elf))
			continue;
		if (passed && !same)
			return machines[i].core;
		passed |= same;
	}
	return NULL;
}

/*
 * Run the program, with a note. The user has chosen the core, and the attributes are the maximum
 * over all object files, so the program may not need what the core lacks.
 */
static int run_all_the_same(struct pmk_program *p, const char *what, const char *lacks)
{
	snprintf(p->note, sizeof(p->note),
		 "%.100s is built for %s, by its ELF attributes, but core %s has %s: it ran "
		 "anyway, because of `core`",
		 what, lacks, p->core.name, pmk_compat_arch(pmk_compat_processor(&p->core)));
	return 0;
}

static int cannot_run(struct pmk_program *p, const char *program, const struct pmk_elf *elf,
		      const char *what, const char *lacks)
{
	const char *cpu = pmk_compat_processor(&p->core), *other = core_for(elf);
	char as[64] = "";

	if (strcmp(cpu, p->core.name) != 0)
		snprintf(as, sizeof(as), ", run as QEMU's %s,", p->core.qemu_cpu);
	if (other)
		return pmk_count_fail(p->fault, PMK_COUNT_NOT_EXEC,
				      "%s: %s is built for %s, and core %s%s has %s; `core` %s",
				      program, what, lacks, p->core.name, as, pmk_compat_arch(cpu),
				      other);
	return pmk_count_fail(
		p->fault, PMK_COUNT_NOT_EXEC,
		"%s: %s is built for %s, which no core of pmukit can run; core %s%s has %s: build "
		"it for that (-march=), or run it on another processor with `qemu` '%s -cpu max "
		"%s'",
		program, what, lacks, p->core.name, as, pmk_compat_arch(cpu),
		machine_of(&p->elf)->qemu, program);
}

/* Reject a program that would die of an undefined instruction, because the program or its
 * interpreter was built for a later processor. Libraries are not checked. */
static int check_suits(struct pmk_program *p, const char *program, const char *interpreter)
{
	const char *cpu = pmk_compat_processor(&p->core);
	char lacks[64], msg[256];
	struct pmk_elf loader;

	if (pmk_compat_lacks(cpu, &p->elf.arm, lacks, sizeof(lacks)))
		return p->core_chosen ? run_all_the_same(p, program, lacks)
				      : cannot_run(p, program, &p->elf, "it", lacks);
	if (!interpreter || pmk_elf_read(interpreter, &loader, msg, sizeof(msg)) ||
	    !pmk_compat_lacks(cpu, &loader.arm, lacks, sizeof(lacks)))
		return 0;
	return cannot_run(p, program, &loader, interpreter, lacks);
}

/* Returns the word after -cpu. Since version 10.0, QEMU's emulators of MicroBlaze make every core
 * big-endian by default, even qemu-microblazeel, which is for little-endian programs. */
static const char *cpu_option(const struct pmk_program *p, char *room, size_t size)
{
	if (p->elf.machine != PMK_ELF_MICROBLAZE || p->elf.big_endian)
		return p->core.qemu_cpu;
	snprintf(room, size, "%s,endianness=on", p->core.qemu_cpu);
	return room;
}

int pmk_program_user(struct pmk_program *p, char *const *argv, const char *sysroot, unsigned seed)
{
	char cpu[sizeof(p->core.qemu_cpu) + 16], number[16];
	const struct machine *machine = machine_of(&p->elf);
	const char *first[] = { machine->qemu, "-cpu",	   cpu_option(p, cpu, sizeof(cpu)),
				"-plugin",     "@plugin@", "-seed",
				number,	       "-s",	   "@stack@",
				"-r",	       "6.1.0",	   NULL };
	int err;

	snprintf(number, sizeof(number), "%u", seed);
	err = pmk_program_add(p, first);
	if (!err && p->elf.machine == PMK_ELF_AARCH64)
		err = pmk_program_add(p, (const char *const[]){ "-R", "@space@", NULL });
	if (!err)
		err = check_suits(p, argv[0], NULL);
	if (!err && p->elf.dynamic) {
		bool hard = !strcmp(p->elf.interpreter, HARD_FLOAT_LOADER);
		const char *usual = hard ? HARD_FLOAT_ROOT : machine->sysroot;
		const char *root[] = { "-L", sysroot ? sysroot : usual, NULL };
		char interpreter[PATH_MAX];

		snprintf(interpreter, sizeof(interpreter), "%s%s", root[1], p->elf.interpreter);
		if (access(interpreter, R_OK))
			return pmk_count_fail(
				p->fault, PMK_COUNT_NOT_EXEC,
				"%s: needs %s, which is not below %s; give the directory with "
				"the program's libraries with `sysroot`",
				argv[0], p->elf.interpreter, root[1]);
		err = check_suits(p, argv[0], interpreter);
		if (!err)
			err = pmk_program_add(p, root);
	}
	if (!err) {
		const char *name[] = { "-0", argv[0], p->image, NULL };

		err = pmk_program_add(p, name);
	}
	for (p->nargs = 0; argv[p->nargs];)
		p->nargs++;
	if (!err)
		err = pmk_program_add(p, (const char *const *)argv + 1);
	return err ? err : pmk_program_find_emulator(p);
}

int pmk_program_check_core(struct pmk_program *p)
{
	char lacks[64];

	if (strcmp(p->core.isa, "t32") != 0 || !p->image ||
	    !pmk_compat_lacks(p->core.qemu_cpu, &p->elf.arm, lacks, sizeof(lacks)))
		return 0;
	return cannot_run(p, p->image, &p->elf, "it", lacks);
}

bool pmk_program_counts_time(const struct pmk_program *p)
{
	for (unsigned i = 1; i < p->argv.count; i++)
		if (!strcmp(p->argv.word[i], "-icount") || !strcmp(p->argv.word[i], "--icount"))
			return true;
	return false;
}

/* Returns the word after "-kernel", which is the firmware; NULL: there is none. */
static const char *kernel_of(const struct pmk_program *p)
{
	for (unsigned i = 1; i + 1 < p->argv.count; i++)
		if (!strcmp(p->argv.word[i], "-kernel") || !strcmp(p->argv.word[i], "--kernel"))
			return p->argv.word[i + 1];
	return NULL;
}

static int bad_kernel(struct pmk_program *p, int code, const char *kernel, const char *why)
{
	return pmk_count_fail(p->fault, code, "%s-kernel %s: %s", p->given_by, kernel, why);
}

/* Check that QEMU can read the file, and set *elf to whether it is an ELF file. A raw binary runs,
 * too, but has no symbols. */
static int look_at_kernel(struct pmk_program *p, const char *kernel, bool *elf)
{
	char magic[4];
	struct stat st;
	ssize_t n;
	int fd;

	if (stat(kernel, &st))
		return bad_kernel(p,
				  errno == ENOENT || errno == ENOTDIR ? PMK_COUNT_NOT_FOUND
								      : PMK_COUNT_NOT_EXEC,
				  kernel, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return bad_kernel(p, PMK_COUNT_NOT_EXEC, kernel, "is a directory");
	if (!S_ISREG(st.st_mode))
		return bad_kernel(p, PMK_COUNT_NOT_EXEC, kernel, "is not a regular file");
	fd = open(kernel, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, magic, sizeof(magic));
	if (n < 0)
		bad_kernel(p, PMK_COUNT_NOT_EXEC, kernel, strerror(errno));
	else if (!n)
		bad_kernel(p, PMK_COUNT_NOT_EXEC, kernel, "is empty");
	if (fd >= 0)
		close(fd);
	*elf = n == sizeof(magic) && !memcmp(magic, "\177ELF", sizeof(magic));
	return n > 0 ? 0 : PMK_COUNT_NOT_EXEC;
}

static const char *const emulated_names[] = {
	[PMK_ELF_ARM] = "ARM", [PMK_ELF_AARCH64] = "AArch64", [PMK_ELF_MICROBLAZE] = "MicroBlaze"
};

/* Check that the firmware is for the machine of the emulator. Big-endian ARM is accepted: its
 * instructions are little-endian, too (BE8). The emulator of AArch64 also has ARM boards. */
static int check_emulator(struct pmk_program *p)
{
	const struct machine *runs = machine_by_emulator(p), *needs = machine_of(&p->elf);
	const struct pmk_elf *elf = &p->elf;
	char other[64] = "";

	if (!runs || (runs->elf == PMK_ELF_AARCH64 && elf->machine == PMK_ELF_ARM) ||
	    (runs->elf == elf->machine &&
	     (runs->big_endian == elf->big_endian || elf->machine == PMK_ELF_ARM)))
		return 0;
	if (needs)
		snprintf(other, sizeof(other), "; take %s", needs->system);
	return pmk_count_fail(p->fault, PMK_COUNT_NOT_EXEC,
			      "%s%s is for %s-endian %s, and %s runs %s-endian %s%s", p->given_by,
			      p->image, elf->big_endian ? "big" : "little", elf->machine_name,
			      runs->system, runs->big_endian ? "big" : "little",
			      emulated_names[runs->elf], other);
}

static int find_image(struct pmk_program *p)
{
	const char *kernel = kernel_of(p);
	bool elf = false;
	char msg[256];
	int err = kernel ? look_at_kernel(p, kernel, &elf) : 0;

	if (err || !elf)
		return err;
	if (pmk_elf_read(kernel, &p->elf, msg, sizeof(msg)))
		return bad_kernel(p, PMK_COUNT_NOT_EXEC, kernel, msg);
	p->image = strdup(kernel);
	return p->image ? 0 : pmk_count_no_memory(p->fault);
}

/* True if the emulator of --qemu is a user-mode emulator, which has its own options (-cpu max). */
static bool runs_programs(const struct pmk_program *p)
{
	const struct machine *m = machine_by_emulator(p);

	return m && !strcmp(m->qemu, pmk_program_emulator(p));
}

/* Check the firmware of the emulated machine. */
static int check_firmware(struct pmk_program *p)
{
	int err;

	err = find_image(p);
	if (!err && p->image)
		err = check_profile(p, p->image, &p->elf);
	return err || !p->image ? err : check_emulator(p);
}

/* Add the words of an emulator's command, and the plugin after the first word. */
static int add_command(struct pmk_program *p, char *const *words)
{
	static const char *const plugin[] = { "-plugin", "@plugin@", NULL };
	int err = 0;

	for (; !err && *words; words++) {
		err = pmk_program_add(p, (const char *const[]){ *words, NULL });
		if (!err && p->argv.count == 1)
			err = pmk_program_add(p, plugin);
	}
	return err;
}

int pmk_program_system(struct pmk_program *p, const char *command, char *const *more)
{
	wordexp_t w;
	int err = 0;

	p->given_by = command ? "`qemu`: " : "";
	if (command && wordexp(command, &w, WRDE_NOCMD))
		return pmk_count_refuse(p->fault, "`qemu`: cannot split '%s' into words", command);
	if (command) {
		err = add_command(p, w.we_wordv);
		wordfree(&w);
	}
	if (command && !err && !p->argv.count)
		err = pmk_count_refuse(p->fault, "`qemu`: the command line is empty");
	if (!err)
		err = add_command(p, more);
	if (err)
		return err;
	p->system = !runs_programs(p);
	if (!p->system && !command) /* pmk run */
		return pmk_count_refuse(p->fault,
					"%s runs programs, which cannot access the PMU; pmk run is "
					"for firmware and kernels, in qemu-system-…",
					p->argv.word[0]);
	err = p->system ? check_firmware(p) : 0;
	return err ? err : pmk_program_find_emulator(p);
}

/* Turn a word of --env, NAME=VALUE or NAME, into NAME=VALUE. Returns NULL if NAME is not set in
 * pmk's environment, or if out of memory; *failed is true only for the latter. */
static char *env_line(const char *say, bool *failed)
{
	const char *value = getenv(say);
	char *line = NULL;

	if (strchr(say, '='))
		line = strdup(say);
	else if (!value)
		return NULL; /* not set in pmk's environment, so the program does not get it */
	else if (asprintf(&line, "%s=%s", say, value) < 0)
		line = NULL;
	*failed |= !line;
	return line;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool names_variable(const char *say, const char *line)
{
	size_t n = strcspn(line, "=");

	return !strncmp(say, line, n) && (say[n] == '=' || !say[n]);
}

static bool is_named(const struct pmk_words *words, const char *line)
{
	for (unsigned i = 0; i < words->count; i++)
		if (names_variable(words->word[i], line))
			return true;
	return false;
}

/* Collect the words of --env. "*" is replaced by every variable of pmk's environment that no other
 * word names. They are sorted by name, so that their order is always the same. */
static bool expand_env(const struct pmk_words *pass, struct pmk_words *out)
{
	size_t n = 0, kept = 0;
	char **all;
	bool every = false, good = true;

	for (unsigned i = 0; i < pass->count; i++) {
		if (!strcmp(pass->word[i], "*"))
			every = true;
		else
			good &= pmk_words_add(out, pass->word[i]);
	}
	if (!every || !environ)
		return good;
	while (environ[n])
		n++;
	all = calloc(n + 1, sizeof(*all));
	for (size_t i = 0; all && i < n; i++)
		if (strchr(environ[i], '=') && !is_named(pass, environ[i]))
			all[kept++] = environ[i];
	if (all)
		qsort(all, kept, sizeof(*all), by_text);
	for (size_t i = 0; all && i < kept; i++)
		good &= pmk_words_add(out, all[i]);
	good &= all != NULL;
	free(all);
	return good;
}

static unsigned count_left_out(const struct pmk_words *envp)
{
	unsigned n = 0;

	for (size_t i = 0; environ && environ[i]; i++)
		n += !is_named(envp, environ[i]);
	return n;
}

int pmk_program_env(struct pmk_program *p, const struct pmk_words *asked)
{
	struct pmk_words all = { 0 }, *pass = &all;
	static const char *const fixed[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/",
					     "LANG=C" };
	bool failed = !expand_env(asked, &all);

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		failed |= !is_named(pass, fixed[i]) && !pmk_words_add(&p->envp, fixed[i]);
	}
	for (unsigned i = 0; i < pass->count; i++) {
		char *line = env_line(pass->word[i], &failed);

		failed |= line &&
			  (!pmk_words_add(&p->envp, line) || !pmk_words_add(&p->passed, line));
		free(line);
	}
	pmk_words_free(&all);
	p->left_out = count_left_out(&p->envp);
	return failed ? pmk_count_no_memory(p->fault) : 0;
}

unsigned pmk_program_more_stack(const struct pmk_program *p)
{
	if (!p->nargs || p->elf.machine == PMK_ELF_MICROBLAZE)
		return 0;
	return pmk_stack_more(p->elf.machine == PMK_ELF_AARCH64 ? 8 : 4, p->nargs, p->envp.count);
}

void pmk_program_free(struct pmk_program *p)
{
	pmk_words_free(&p->argv);
	pmk_words_free(&p->envp);
	pmk_words_free(&p->passed);
	free(p->image);
}
