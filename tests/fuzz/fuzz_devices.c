// SPDX-License-Identifier: MIT
/*
 * libFuzzer: the kernel's files about a board have random contents. For a node of the device tree,
 * pmk finds an address, or prints one line with the reason. The maps of a UIO device consist of
 * whole pages.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_devices.c
 *
 * For each of the files below, the input has a byte and the contents. The byte is the length of the
 * contents, or NONE if there is no such file. The rest of the input has names of nodes to look up,
 * one per line.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmk/error.h>

#include "producer/wire/devices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NONE 255
#define BASE "/firmware/devicetree/base"
#define MAPS "/class/uio/uio0/maps"

/* A device on a bus that is on another bus, and a second device. */
static const char *const folders[] = {
	"/firmware",
	"/firmware/devicetree",
	BASE,
	BASE "/soc",
	BASE "/soc/bus",
	BASE "/soc/bus/dev",
	BASE "/soc/dev",
	"/class",
	"/class/uio",
	"/class/uio/uio0",
	MAPS,
	MAPS "/map0",
	MAPS "/map1",
};
static const char *const files[] = {
	MAPS "/map0/addr",	     MAPS "/map0/size",
	MAPS "/map0/offset",	     MAPS "/map1/addr",
	MAPS "/map1/size",	     MAPS "/map1/offset",
	BASE "/#address-cells",	     BASE "/#size-cells",
	BASE "/soc/#address-cells",  BASE "/soc/#size-cells",
	BASE "/soc/ranges",	     BASE "/soc/bus/#address-cells",
	BASE "/soc/bus/#size-cells", BASE "/soc/bus/ranges",
	BASE "/soc/bus/dev/reg",     BASE "/soc/bus/dev/compatible",
	BASE "/soc/dev/reg",	     BASE "/soc/dev/compatible",
};

#include "tree.h"

/* Makes a file from its part of the input. Returns the number of bytes used. */
static size_t make_file(const char *name, const uint8_t *data, size_t size)
{
	size_t n = size ? data[0] : NONE, left = size ? size - 1 : 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", sys, name);
	unlink(path);
	if (n == NONE)
		return size ? 1 : 0;
	n = n < left ? n : left;
	f = fopen(path, "w");
	expect(f && fwrite(data + 1, 1, n, f) == n);
	fclose(f);
	return n + 1;
}

static void look_up(const char *node)
{
	char why[512] = "";
	uint64_t address;
	int err = pmk_tree_address(sys, node, &address, why, sizeof(why));

	expect(!err || err == PMK_EINVAL);
	expect(!err || (*why && memchr(why, '\0', sizeof(why)) && !strchr(why, '\n')));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct pmk_uio_map map[PMK_UIO_MAPS];
	char *text, *rest, *line;
	unsigned n;

	if (strstr(sys, "XXXXXX"))
		make_folders();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t used = make_file(files[i], data, size);

		data += used;
		size -= used;
	}
	n = pmk_uio_maps(sys, "/dev/uio0", map);
	expect(n <= 2);
	for (unsigned i = 0; i < n; i++)
		expect(map[i].start % page == 0 && map[i].size && map[i].size % page == 0 &&
		       map[i].start <= UINT64_MAX - map[i].size && map[i].offset < map[i].size);
	look_up("/soc/bus/dev");
	look_up("/soc/dev");
	rest = text = calloc(1, size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	for (n = 0; n < 8 && (line = strsep(&rest, "\n")); n++)
		look_up(line);
	free(text);
	return 0;
}
