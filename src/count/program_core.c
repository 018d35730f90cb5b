// SPDX-License-Identifier: MIT
/* Chooses the core on which a program is counted: a preset of the data directory or the user, with
 * the user's overrides. */
#define _GNU_SOURCE
#include "count/program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/message.h"
#include "base/nearest.h"
#include "count/emulated_machine.h"
#include "count/files.h"
#include "count/way.h"
#include "cpu/family.h"

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
		return pmk_count_refuse(
			p->fault,
			"core '%s' is none of pmk's cores, and the folder of your own cores, %s, "
			"cannot be read: %s",
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
	const struct pmk_emulated_machine *machine = pmk_emulated_machine_by_isa(core->isa);
	const struct pmk_pmu *pmu = pmk_pmu_find(core->pmu), *usual = NULL;
	char names[256];

	if (machine)
		usual = pmk_pmu_find(machine->core);
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
	const struct pmk_emulated_machine *machine = pmk_emulated_machine_of(&p->elf),
					  *usual = machine;
	char path[PATH_MAX], msg[512];
	struct pmk_core preset;
	int err;

	if (!usual && p->argv.count)
		usual = pmk_emulated_machine_by_emulator(pmk_program_emulator(p));
	if (!usual)
		usual = pmk_emulated_machine_by_isa("arm");
	if (!name)
		name = usual->core;
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
	if (machine && !pmk_emulated_machine_runs(p->core.isa, &p->elf))
		return pmk_count_refuse(
			p->fault,
			"core %s runs %s code; the program is for %s; choose another `core` "
			"(pmk list cores)",
			name, p->core.isa,
			pmk_arm_is_microcontroller(&p->elf.arm) ? "a Cortex-M"
								: p->elf.machine_name);
	return 0;
}
