// SPDX-License-Identifier: MIT
/* See emulated_machine.h. */
#include "count/emulated_machine.h"

#include <string.h>

#include "count/compat.h"

static const struct pmk_emulated_machine machines[] = {
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

bool pmk_elf_is_microcontroller(const struct pmk_elf *elf)
{
	return elf->machine == PMK_ELF_ARM && pmk_arm_is_microcontroller(&elf->arm);
}

static bool is_of(const struct pmk_emulated_machine *m, const struct pmk_elf *elf)
{
	return m->elf == elf->machine && m->is64 == elf->is64 && m->big_endian == elf->big_endian &&
	       (!elf->arm.said || !strcmp(m->isa, "t32") == pmk_elf_is_microcontroller(elf));
}

const struct pmk_emulated_machine *pmk_emulated_machine_of(const struct pmk_elf *elf)
{
	const struct pmk_emulated_machine *first = NULL, *runs = NULL;
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

bool pmk_emulated_machine_exists(const char *core)
{
	for (size_t i = 0; i < NMACHINES; i++)
		if (!strcmp(machines[i].core, core))
			return true;
	return false;
}

const struct pmk_emulated_machine *pmk_emulated_machine_by_isa(const char *isa)
{
	for (size_t i = 0; i < NMACHINES; i++)
		if (!strcmp(machines[i].isa, isa))
			return &machines[i];
	return NULL;
}

const struct pmk_emulated_machine *pmk_emulated_machine_by_emulator(const char *name)
{
	for (size_t i = 0; i < NMACHINES; i++)
		if (!strcmp(machines[i].qemu, name) || !strcmp(machines[i].system, name))
			return &machines[i];
	return NULL;
}

bool pmk_emulated_machine_runs(const char *isa, const struct pmk_elf *elf)
{
	for (size_t i = 0; i < NMACHINES; i++)
		if (is_of(&machines[i], elf) && !strcmp(machines[i].isa, isa))
			return true;
	return false;
}

const char *pmk_emulated_machine_later_core(const struct pmk_elf *elf, const char *isa)
{
	bool passed = false;

	if (elf->machine != PMK_ELF_ARM)
		return NULL;
	for (size_t i = 0; i < NMACHINES; i++) {
		bool same = !strcmp(machines[i].isa, isa);

		if (!is_of(&machines[i], elf))
			continue;
		if (passed && !same)
			return machines[i].core;
		passed |= same;
	}
	return NULL;
}
