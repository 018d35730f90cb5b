/* SPDX-License-Identifier: MIT */
/*
 * Reads the kernel's data about this board's devices: where a node of the device tree has its
 * registers, and which memory a UIO device maps. `sysfs` is the mount point, usually /sys.
 */
#ifndef PMK_WIRE_DEVICES_H
#define PMK_WIRE_DEVICES_H

#include <stddef.h>
#include <stdint.h>

#define PMK_UIO_MAPS 5 /* the kernel's MAX_UIO_MAPS */

struct pmk_uio_map {
	uint64_t start, size; /* the memory that can be mapped, in whole pages */
	uint64_t offset;      /* offset of the device's registers in this memory */
};

/* Finds the maps of `file`, if that is the name of a UIO device, /dev/uioN. Returns the number
 * of maps; 0: `file` is not a UIO device, or has no maps. */
unsigned pmk_uio_maps(const char *sysfs, const char *file, struct pmk_uio_map map[PMK_UIO_MAPS]);

/*
 * Finds the physical address of a node's first registers, as the processor sees them. `node` is the
 * node's path, "/soc/cache-controller@1e00a000", or one of its compatible names, with or without
 * the vendor before the comma. Returns 0, or PMK_EINVAL and a line in `why` with the reason.
 */
int pmk_tree_address(const char *sysfs, const char *node, uint64_t *address, char *why,
		     size_t size);

#endif
