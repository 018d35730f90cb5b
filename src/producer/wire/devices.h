/* SPDX-License-Identifier: MIT */
/*
 * What the kernel tells of this board's devices: where a node of the device tree has its registers,
 * and which memory a UIO device maps. `sysfs` is where that file system is, usually /sys.
 */
#ifndef PMK_WIRE_DEVICES_H
#define PMK_WIRE_DEVICES_H

#include <stddef.h>
#include <stdint.h>

#define PMK_UIO_MAPS 5 /* the kernel's MAX_UIO_MAPS */

struct pmk_uio_map {
	uint64_t start, size; /* of what can be mapped, whole pages */
	uint64_t offset;      /* where the device's own registers are in it */
};

/* The maps of `file`, if it is a UIO device, by its name: /dev/uioN. Returns how many; 0: it is
 * none, or has none. */
unsigned pmk_uio_maps(const char *sysfs, const char *file, struct pmk_uio_map map[PMK_UIO_MAPS]);

/*
 * The physical address of a node's first registers, as the processor sees them. `node` is its path,
 * "/soc/cache-controller@1e00a000", or one of its compatible names, with or without the vendor
 * before the comma. 0 or PMK_EINVAL, and `why` is a line that says what is wrong with it.
 */
int pmk_tree_address(const char *sysfs, const char *node, uint64_t *address, char *why,
		     size_t size);

#endif
