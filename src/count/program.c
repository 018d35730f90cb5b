// SPDX-License-Identifier: MIT
/*
 * Finds the program and builds the emulator's command line. The program must see the same
 * environment on every host and in every run, because the addresses that it gets determine its
 * cache sets. So the environment, the stack size, the kernel release and the random seed are fixed,
 * and QEMU itself is started without address randomisation. program_core.c chooses the core,
 * program_env.c builds the environment.
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

#include "count/compat.h"
#include "count/emulated_machine.h"
#include "count/emulator.h"
#include "count/way.h"
#include "producer/qemu/stack.h"

/* The loader and the libraries of ARM programs that pass floating-point numbers in registers. */
#define HARD_FLOAT_LOADER "/lib/ld-linux-armhf.so.3"
#define HARD_FLOAT_ROOT	  "/usr/arm-linux-gnueabihf"

const char *pmk_program_emulator(const struct pmk_program *p)
{
	return basename(p->argv.word[0]);
}

/* True if pmk stat would run this file in emulation. False for an emulator, because that is a
 * program for this machine. */
static bool is_program(const char *name)
{
	struct pmk_elf elf;
	char msg[256];

	return !pmk_elf_read(name, &elf, msg, sizeof(msg)) && pmk_emulated_machine_of(&elf);
}

int pmk_program_find_emulator(struct pmk_program *p)
{
	const char *name = p->argv.word[0];
	char cause[EMULATOR_TEXT], remedy[EMULATOR_TEXT];

	if (pmk_qemu_find(&p->qemu, name))
		return 0;
	if (p->system && !pmk_emulated_machine_by_emulator(pmk_program_emulator(p)) &&
	    is_program(name))
		return pmk_count_refuse(
			p->fault, "%s is a program, not an emulator: pmk stat counts it", name);
	if (p->qemu.state == PMK_QEMU_NO_PLUGINS &&
	    !pmk_emulated_machine_by_emulator(pmk_program_emulator(p)))
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
	return pmk_count_fail(f, PMK_COUNT_NOT_EXEC,
			      "%s: permission denied (no execute bit); chmod +x sets it", program);
}

int pmk_program_find(const char *program, char **path, struct pmk_count_fault *f)
{
	int err = find_file(program, path, f);

	return err ? err : check_mode(program, *path, f);
}

/* Returns a core that can run the file; NULL: there is none. */
static const char *core_for(const struct pmk_elf *elf)
{
	const struct pmk_emulated_machine *m = pmk_emulated_machine_of(elf);
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
	if (pmk_elf_is_microcontroller(elf) && !core_for(elf))
		return pmk_count_fail(p->fault, PMK_COUNT_NOT_EXEC,
				      "%s: is built for %s (%s), which pmk does not model; build "
				      "it for a Cortex-M33 or an earlier core (-mcpu=cortex-m33)",
				      file, *elf->cpu ? elf->cpu : "a later Cortex-M",
				      pmk_arm_arch_name(elf->arm.arch));
	return 0;
}

/* Finds the program. The host does not execute firmware, so its name needs no slash. */
static int find_program(struct pmk_program *p, const char *program)
{
	char *found = pmk_program_path(program), msg[256];
	struct pmk_elf elf;
	bool is_firmware = !found && !pmk_elf_read(program, &elf, msg, sizeof(msg)) &&
			   pmk_elf_is_microcontroller(&elf);

	free(found);
	if (!is_firmware)
		return find_file(program, &p->image, p->fault);
	p->image = strdup(program);
	return p->image ? 0 : pmk_count_no_memory(p->fault);
}

int pmk_program_open(struct pmk_program *p, const char *program)
{
	char msg[256];
	int unread, err = find_program(p, program);

	if (err)
		return err;
	unread = pmk_elf_read(p->image, &p->elf, msg, sizeof(msg));
	/* QEMU reads firmware, but does not execute it as a program of the host. */
	if (unread || !pmk_elf_is_microcontroller(&p->elf))
		err = check_mode(program, p->image, p->fault);
	if (err)
		return err;
	if (unread)
		return pmk_count_fail(p->fault, PMK_COUNT_NOT_EXEC, "%s: %s", program, msg);
	if (!pmk_emulated_machine_of(&p->elf))
		return pmk_count_fail(
			p->fault, PMK_COUNT_NOT_EXEC,
			"%s: is an executable for %s%s (ELF machine %u); this version of pmk runs "
			"executables for ARM and AArch64, both little-endian, and MicroBlaze%s",
			program, p->elf.big_endian ? "big-endian " : "", p->elf.machine_name,
			p->elf.machine_code,
			pmk_machine_runs(program) ? "; `target` linux runs it on this machine"
						  : "");
	p->alone = pmk_elf_is_microcontroller(&p->elf);
	p->system = p->alone;
	return check_profile(p, program, &p->elf);
}

/*
 * Run the program, with a note. The user has chosen the core, and the attributes are the maximum
 * over all object files, so the program may not need what the core lacks.
 */
static int run_all_the_same(struct pmk_program *p, const char *what, const char *lacks)
{
	snprintf(p->note, sizeof(p->note),
		 "the ELF attributes of %.100s say that it is built for %s, but core %s has %s: "
		 "it ran anyway, because `core` was given",
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
				      "%s: %s is built for %s, and core %s%s has %s; use `core` %s",
				      program, what, lacks, p->core.name, as, pmk_compat_arch(cpu),
				      other);
	return pmk_count_fail(
		p->fault, PMK_COUNT_NOT_EXEC,
		"%s: %s is built for %s, which no core of pmukit can run; core %s%s has %s: build "
		"it for that (-march=), or run it on another processor with `qemu` '%s -cpu max "
		"%s'",
		program, what, lacks, p->core.name, as, pmk_compat_arch(cpu),
		pmk_emulated_machine_of(&p->elf)->qemu, program);
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
	const struct pmk_emulated_machine *machine = pmk_emulated_machine_of(&p->elf);
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
	const struct pmk_emulated_machine *runs = pmk_emulated_machine_by_emulator(
						  pmk_program_emulator(p)),
					  *needs = pmk_emulated_machine_of(&p->elf);
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
	const struct pmk_emulated_machine *m =
		pmk_emulated_machine_by_emulator(pmk_program_emulator(p));

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
	if (!err && p->system)
		err = pmk_program_set_clock(p);
	return err ? err : pmk_program_find_emulator(p);
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
