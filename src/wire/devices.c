// SPDX-License-Identifier: MIT
/*
 * See devices.h. The device tree is a folder of folders, SYSFS/firmware/devicetree/base; properties
 * are files, and their numbers are big-endian words of 32 bits, the cells. The Devicetree
 * Specification, 2.3: `reg` is in the address space of the node's bus, whose `ranges` say where
 * that is in the address space of the bus above it.
 */
#define _GNU_SOURCE
#include "wire/devices.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmk/error.h>

#define MAX_DEPTH    16	  /* of the tree */
#define MAX_PROPERTY 4096 /* bytes; `reg`, `ranges` and `compatible` are far shorter */

/* False: the path is too long for any file. */
static bool join(char path[PATH_MAX], const char *folder, const char *name)
{
	size_t n = strlen(folder), more = strlen(name);

	if (n + 1 + more >= PATH_MAX)
		return false;
	memcpy(path, folder, n);
	path[n] = '/';
	memcpy(path + n + 1, name, more + 1);
	return true;
}

/* ---- UIO ------------------------------------------------------------------------------------- */

static bool read_number(const char *folder, const char *name, uint64_t *value)
{
	char path[PATH_MAX], text[64], *end;
	FILE *f = join(path, folder, name) ? fopen(path, "re") : NULL;
	bool ok = f && fgets(text, sizeof(text), f);

	if (f)
		fclose(f);
	if (!ok)
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return !errno && end != text && (*end == '\n' || !*end);
}

unsigned pmk_uio_maps(const char *sysfs, const char *file, struct pmk_uio_map map[PMK_UIO_MAPS])
{
	const char *name = strrchr(file, '/');
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned n = 0;

	name = name ? name + 1 : file;
	if (strncmp(name, "uio", 3) != 0)
		return 0;
	for (char folder[512]; n < PMK_UIO_MAPS; n++) {
		struct pmk_uio_map *m = &map[n];

		snprintf(folder, sizeof(folder), "%s/class/uio/%s/maps/map%u", sysfs, name, n);
		if (!read_number(folder, "addr", &m->start) ||
		    !read_number(folder, "size", &m->size) || !m->size || m->size > INT32_MAX)
			break;
		if (!read_number(folder, "offset", &m->offset))
			m->offset = 0;
		/* Whether a driver tells of the page or of the registers, it maps pages. */
		m->size = (m->start % page + m->size + page - 1) / page * page;
		m->start -= m->start % page;
	}
	return n;
}

/* ---- properties ------------------------------------------------------------------------------ */

struct property {
	uint8_t bytes[MAX_PROPERTY];
	size_t size;
};

/* False: the node does not have it. */
static bool get(const char *node, const char *name, struct property *p)
{
	char path[PATH_MAX];
	FILE *f = join(path, node, name) ? fopen(path, "re") : NULL;

	if (!f)
		return false;
	p->size = fread(p->bytes, 1, sizeof(p->bytes), f);
	fclose(f);
	return true;
}

/* A number of `n` cells at cell `at`. False: the property ends before, or it has more than 64
 * bits. */
static bool cells(const struct property *p, size_t at, unsigned n, uint64_t *value)
{
	if ((at + n) * 4 > p->size || n > 2)
		return false;
	*value = 0;
	for (size_t i = at * 4; i < (at + n) * 4; i++)
		*value = *value << 8 | p->bytes[i];
	return true;
}

/* How many cells a bus has for its addresses and sizes. */
static unsigned ncells(const char *bus, const char *name, unsigned usual)
{
	struct property p;
	uint64_t n;

	return get(bus, name, &p) && cells(&p, 0, 1, &n) && n <= 4 ? (unsigned)n : usual;
}

static unsigned address_cells(const char *bus)
{
	return ncells(bus, "#address-cells", 2);
}

static unsigned size_cells(const char *bus)
{
	return ncells(bus, "#size-cells", 1);
}

/* ---- addresses ------------------------------------------------------------------------------- */

static int broken(char *why, size_t size, const char *node, const char *what)
{
	snprintf(why, size, "the device tree's %s %s", *node ? node : "/", what);
	return PMK_EINVAL;
}

/* Cut the last name off a path. False: it is the root, which is `root` characters long. */
static bool go_up(char *path, size_t root)
{
	char *slash = strrchr(path + root, '/');

	if (slash)
		*slash = '\0';
	return slash != NULL;
}

/* From the address space of `bus` to that of `above`. */
static bool translate(const char *bus, const char *above, uint64_t *address)
{
	unsigned from = address_cells(bus), to = address_cells(above), n = size_cells(bus);
	uint64_t first, there, length;
	struct property p;

	if (!get(bus, "ranges", &p))
		return false;
	for (size_t at = 0; at * 4 < p.size; at += from + to + n) {
		if (!cells(&p, at, from, &first) || !cells(&p, at + from, to, &there) ||
		    !cells(&p, at + from + to, n, &length))
			return false;
		if (*address >= first && *address - first < length) {
			*address = there + (*address - first);
			return true;
		}
	}
	return !p.size; /* nothing in it: they are the same */
}

/* `path` is that of the node, and its first `root` characters are that of the tree. */
static int find_address(char *path, size_t root, uint64_t *address, char *why, size_t size)
{
	char node[PATH_MAX], bus[PATH_MAX];
	struct property reg;

	snprintf(node, sizeof(node), "%s", path + root);
	if (!get(path, "reg", &reg))
		return broken(why, size, node, "has no registers (reg)");
	if (!go_up(path, root) || !cells(&reg, 0, address_cells(path), address))
		return broken(why, size, node, "has registers (reg) of another form");
	for (;;) {
		snprintf(bus, sizeof(bus), "%s", path);
		if (!go_up(path, root))
			return 0;
		if (!translate(bus, path, address))
			return broken(why, size, node,
				      "is on a bus whose addresses the processor does not see "
				      "(ranges)");
	}
}

/* ---- compatible names ------------------------------------------------------------------------ */

struct search {
	const char *wanted;
	unsigned n;
	char first[PATH_MAX], second[PATH_MAX];
};

static bool is_compatible(const char *node, const char *wanted)
{
	struct property p;

	if (!get(node, "compatible", &p) || !p.size || p.bytes[p.size - 1])
		return false;
	for (const char *name = (char *)p.bytes; name < (char *)p.bytes + p.size;
	     name += strlen(name) + 1) {
		const char *comma = strchr(name, ',');

		if (!strcmp(name, wanted) || (comma && !strcmp(comma + 1, wanted)))
			return true;
	}
	return false;
}

static void search_in(struct search *s, const char *node, unsigned depth)
{
	struct dirent **list;
	char path[PATH_MAX];
	int n;

	if (is_compatible(node, s->wanted) && ++s->n <= 2)
		snprintf(s->n == 1 ? s->first : s->second, PATH_MAX, "%s", node);
	n = depth < MAX_DEPTH ? scandir(node, &list, NULL, alphasort) : -1;
	for (int i = 0; i < n; i++) {
		bool inside = list[i]->d_type == DT_DIR && list[i]->d_name[0] != '.';

		if (inside && join(path, node, list[i]->d_name))
			search_in(s, path, depth + 1);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

static int find_compatible(const char *root, const char *wanted, char path[PATH_MAX], char *why,
			   size_t size)
{
	struct search s = { .wanted = wanted };
	size_t n = strlen(root);

	search_in(&s, root, 0);
	if (s.n == 1)
		snprintf(path, PATH_MAX, "%s", s.first);
	else if (s.n)
		snprintf(why, size,
			 "%u nodes of the device tree are that, such as %s and %s; give "
			 "the path of one",
			 s.n, s.first + n, s.second + n);
	else
		snprintf(why, size, "no node of the device tree in %s is that", root);
	return s.n == 1 ? 0 : PMK_EINVAL;
}

int pmk_tree_address(const char *sysfs, const char *node, uint64_t *address, char *why, size_t size)
{
	char root[512], path[PATH_MAX] = "";
	int err = 0, n;

	snprintf(root, sizeof(root), "%s/firmware/devicetree/base", sysfs);
	if (access(root, F_OK)) {
		snprintf(why, size, "this machine has no device tree (%s)", root);
		return PMK_EINVAL;
	}
	if (*node != '/') {
		err = find_compatible(root, node, path, why, size);
	} else {
		n = snprintf(path, sizeof(path), "%s%s", root, node);
		while (n > 0 && path[n - 1] == '/')
			path[--n] = '\0';
		if (strstr(node, "/.") || strlen(path) <= strlen(root) || access(path, F_OK))
			err = broken(why, size, node, "is not there");
	}
	return err ? err : find_address(path, strlen(root), address, why, size);
}
