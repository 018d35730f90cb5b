// SPDX-License-Identifier: MIT
#include "producer/qemu/generation.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const struct pmk_qemu_generation pmk_qemu_generations[] = {
	{ 1, 1, "pmk-qemu-api1.so", "QEMU 6.0 to 8.2", false },
	{ 2, 2, "pmk-qemu-api2.so", "QEMU 9.0", true },
	{ 3, 5, "pmk-qemu-api3.so", "QEMU 9.1 to 10.2", true },
	{ 6, 6, "pmk-qemu-api6.so", "QEMU 11.0", true },
	{ 7, 7, "pmk-qemu-api7.so", "QEMU 11.1 or newer", true },
};
const size_t pmk_qemu_ngenerations = COUNT(pmk_qemu_generations);

const struct pmk_qemu_generation *pmk_qemu_generation_of_api(unsigned api)
{
	for (size_t i = 0; i < COUNT(pmk_qemu_generations); i++)
		if (pmk_qemu_generations[i].api_lowest <= api &&
		    api <= pmk_qemu_generations[i].api_highest)
			return &pmk_qemu_generations[i];
	return NULL;
}

const struct pmk_qemu_generation *pmk_qemu_generation_of_module(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < COUNT(pmk_qemu_generations); i++)
		if (!strcmp(pmk_qemu_generations[i].module, name))
			return &pmk_qemu_generations[i];
	return NULL;
}

unsigned pmk_qemu_api_of_version(unsigned major, unsigned minor)
{
	/* The first release with each version of the API. */
	static const struct {
		unsigned major, minor, api;
	} first[] = {
		{ 11, 1, 7 }, { 11, 0, 6 }, { 10, 1, 5 }, { 9, 2, 4 },
		{ 9, 1, 3 },  { 9, 0, 2 },  { 6, 0, 1 },
	};

	for (size_t i = 0; i < COUNT(first); i++)
		if (major > first[i].major || (major == first[i].major && minor >= first[i].minor))
			return first[i].api;
	return 0;
}
