// SPDX-License-Identifier: MIT
/*
 * Reads the kernel's data about devices: see devices.h. The device tree is a folder of folders,
 * SYSFS/firmware/devicetree/base; properties are files, and their numbers are big-endian words of
 * 32 bits, the cells. Devicetree Specification, 2.3: `reg` is an address on the node's bus, whose
 * `ranges` translate it to the address space of the bus above.
 *
 * A property that exists but cannot be read, or has another form, is an error: without it the
 * result would be a wrong address.
 */
#define _GNU_SOURCE
#include "producer/wire/devices.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/number.h"

#define MAX_DEPTH    16	  /* levels of the device tree */
#define MAX_PROPERTY 4096 /* bytes; `reg`, `ranges` and `compatible` are far shorter */

/* Join a folder and a name. Returns false if the path is too long for a file. */
static bool join_path(char path[PATH_MAX], const char *folder, const char *name)
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

/* Read a number from a file of one line. The line must be complete, because a truncated number
 * would be another number. Returns ENOENT if there is no such file. */
static int read_number(const char *folder, const char *name, uint64_t *value)
{
	char path[PATH_MAX], text[64], *end;
	FILE *f = join_path(path, folder, name) ? fopen(path, "re") : NULL;
	int err = f ? EINVAL : errno;

	if (!f)
		return err;
	if (fgets(text, sizeof(text), f) && (end = strchr(text, '\n'))) {
		*end = '\0';
		err = pmk_number_parse(text, PMK_ANY_BASE, 0, UINT64_MAX, value) ? EINVAL : 0;
	}
	fclose(f);
	return err;
}

/* Read one map. Returns false if there is none, or if the kernel's data is invalid. In `addr`, a
 * driver may report the address of the registers or of their page; the memory is always mapped in
 * whole pages. */
static bool read_map(const char *folder, struct pmk_uio_map *m)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t inside;
	int err;

	if (read_number(folder, "addr", &m->start) || read_number(folder, "size", &m->size) ||
	    !m->size || m->size > INT32_MAX)
		return false;
	err = read_number(folder, "offset", &m->offset);
	if (err == ENOENT)
		m->offset = 0;
	else if (err)
		return false;
	inside = m->start % page;
	m->size = (inside + m->size + page - 1) / page * page;
	m->start -= inside;
	return m->start <= UINT64_MAX - m->size && m->offset < m->size;
}

unsigned pmk_uio_maps(const char *sysfs, const char *file, struct pmk_uio_map map[PMK_UIO_MAPS])
{
	const char *name = strrchr(file, '/');
	unsigned n = 0;

	name = name ? name + 1 : file;
	if (strncmp(name, "uio", 3) != 0)
		return 0;
	for (char folder[512]; n < PMK_UIO_MAPS; n++) {
		snprintf(folder, sizeof(folder), "%s/class/uio/%s/maps/map%u", sysfs, name, n);
		if (!read_map(folder, &map[n]))
			break;
	}
	return n;
}

/* ---- properties ------------------------------------------------------------------------------ */

/* The path of the device tree, and a buffer for an error text. */
struct tree {
	const char *root;
	char *why;
	size_t size;
};

static int broken_node(const struct tree *t, const char *node, const char *what)
{
	const char *name = node + strlen(t->root);

	snprintf(t->why, t->size, "the device tree's %s %s", *name ? name : "/", what);
	return PMK_EINVAL;
}

struct property {
	uint8_t bytes[MAX_PROPERTY];
	size_t size;
};

/* Read a property of a node. Returns 1; 0 if the node does not have it; PMK_EINVAL if it cannot be
 * read. */
static int get_property(const struct tree *t, const char *node, const char *name,
			struct property *p)
{
	char path[PATH_MAX], what[64];
	FILE *f = join_path(path, node, name) ? fopen(path, "re") : NULL;
	bool ok = false;

	if (!f && errno == ENOENT)
		return 0;
	if (f) {
		p->size = fread(p->bytes, 1, sizeof(p->bytes), f);
		ok = !ferror(f) && p->size < sizeof(p->bytes);
		fclose(f);
	}
	snprintf(what, sizeof(what), "has a property '%s' that cannot be read", name);
	return ok ? 1 : broken_node(t, node, what);
}

/* Read a number of `n` cells at cell `at`. Returns false if the property ends before the number
 * does, or if the number has more than 64 bits. */
static bool cells_value(const struct property *p, size_t at, unsigned n, uint64_t *value)
{
	if ((at + n) * 4 > p->size || n > 2)
		return false;
	*value = 0;
	for (size_t i = at * 4; i < (at + n) * 4; i++)
		*value = *value << 8 | p->bytes[i];
	return true;
}

/* Returns the number of cells from the property `name` of a bus: 0 to 4, `usual` if the bus does
 * not have the property, or PMK_EINVAL. */
static int cell_count(const struct tree *t, const char *bus, const char *name, unsigned usual)
{
	struct property p;
	uint64_t n = usual;
	int found = get_property(t, bus, name, &p);
	char what[80];

	if (found < 0)
		return found;
	snprintf(what, sizeof(what), "has a property '%s' in a form that pmk does not know", name);
	if (found && (p.size != 4 || !cells_value(&p, 0, 1, &n) || n > 4))
		return broken_node(t, bus, what);
	return (int)n;
}

/* The numbers of cells of addresses and of sizes on a bus. */
struct widths {
	unsigned address, size;
};

static int widths_of(const struct tree *t, const char *bus, struct widths *w)
{
	int address = cell_count(t, bus, "#address-cells", 2);
	int size = address < 0 ? address : cell_count(t, bus, "#size-cells", 1);

	if (size < 0)
		return size;
	*w = (struct widths){ (unsigned)address, (unsigned)size };
	return 0;
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* Remove the last name of a path. Returns false if `path` is the root, whose path has `root`
 * characters. */
static bool go_up(char *path, size_t root)
{
	char *slash = strrchr(path + root, '/');

	if (slash)
		*slash = '\0';
	return slash != NULL;
}

#define UNSEEN "is on a bus whose addresses the processor does not see (ranges)"

/* Translate *address from the address space of `bus` to the address space of `above`. `node`
 * owns the address. */
static int translate_address(const struct tree *t, const char *node, const char *bus,
			     const char *above, uint64_t *address)
{
	uint64_t first, there, length;
	struct widths from, to;
	struct property p;
	int found = get_property(t, bus, "ranges", &p), err = found < 0 ? found : 0;
	unsigned row;

	if (!found)
		return broken_node(t, node, UNSEEN);
	if (!err)
		err = widths_of(t, bus, &from);
	if (!err)
		err = widths_of(t, above, &to);
	if (err || !p.size)
		return err; /* an empty `ranges` means that the address spaces are identical */
	row = from.address + to.address + from.size;
	if (!from.address || !to.address || !from.size || p.size % (4 * row))
		return broken_node(t, node, UNSEEN);
	for (size_t at = 0; at * 4 < p.size; at += row) {
		if (!cells_value(&p, at, from.address, &first) ||
		    !cells_value(&p, at + from.address, to.address, &there) ||
		    !cells_value(&p, at + from.address + to.address, from.size, &length))
			break;
		if (*address >= first && *address - first < length) {
			*address = there + (*address - first);
			return 0;
		}
	}
	return broken_node(t, node, UNSEEN);
}

/* Find the address of the node at `path`. The function removes the end of `path` step by step. */
static int find_address(const struct tree *t, char *path, uint64_t *address)
{
	const size_t root = strlen(t->root);
	char node[PATH_MAX], bus[PATH_MAX];
	struct property reg;
	struct widths w;
	int err = get_property(t, path, "reg", &reg);

	snprintf(node, sizeof(node), "%s", path);
	if (!err)
		return broken_node(t, node, "has no registers (property 'reg')");
	if (err < 0 || !go_up(path, root))
		return err < 0 ? err : broken_node(t, node, "has no bus");
	err = widths_of(t, path, &w);
	if (err)
		return err;
	if (!w.address || reg.size % (4 * (w.address + w.size)) ||
	    !cells_value(&reg, 0, w.address, address))
		return broken_node(t, node,
				   "has a property 'reg' in a form that pmk does not know");
	for (;;) {
		snprintf(bus, sizeof(bus), "%s", path);
		if (!go_up(path, root))
			return 0;
		err = translate_address(t, node, bus, path, address);
		if (err)
			return err;
	}
}

/* ---- compatible names ------------------------------------------------------------------------ */

struct search {
	const struct tree *tree;
	const char *wanted;
	unsigned n;
	char first[PATH_MAX], second[PATH_MAX];
};

/* Returns 1 if the node has the requested compatible name, 0 if not, or PMK_EINVAL. */
static int is_compatible(const struct search *s, const char *node)
{
	struct property p;
	int found = get_property(s->tree, node, "compatible", &p);

	if (found <= 0)
		return found;
	if (p.size && p.bytes[p.size - 1])
		return broken_node(s->tree, node,
				   "has a property 'compatible' without its final 0");
	for (const char *name = (char *)p.bytes; name < (char *)p.bytes + p.size;
	     name += strlen(name) + 1) {
		const char *comma = strchr(name, ',');

		if (!strcmp(name, s->wanted) || (comma && !strcmp(comma + 1, s->wanted)))
			return 1;
	}
	return 0;
}

static int search_in(struct search *s, const char *node, unsigned depth)
{
	struct dirent **list;
	char path[PATH_MAX];
	int n, found = is_compatible(s, node), err = found < 0 ? found : 0;

	if (found > 0 && ++s->n <= 2)
		snprintf(s->n == 1 ? s->first : s->second, PATH_MAX, "%s", node);
	if (err || depth == MAX_DEPTH)
		return err;
	n = scandir(node, &list, NULL, alphasort);
	if (n < 0)
		return broken_node(s->tree, node, "cannot be read");
	for (int i = 0; i < n; i++) {
		bool inside = list[i]->d_type == DT_DIR && list[i]->d_name[0] != '.';

		if (inside && !err && join_path(path, node, list[i]->d_name))
			err = search_in(s, path, depth + 1);
		free(list[i]);
	}
	free(list);
	return err;
}

static int find_compatible(const struct tree *t, const char *wanted, char path[PATH_MAX])
{
	struct search s = { .tree = t, .wanted = wanted };
	size_t n = strlen(t->root);
	int err = search_in(&s, t->root, 0);

	if (err)
		return err;
	if (s.n == 1)
		snprintf(path, PATH_MAX, "%s", s.first);
	else if (s.n)
		snprintf(t->why, t->size,
			 "%u nodes of the device tree match, such as %s and %s; give the path of "
			 "one",
			 s.n, s.first + n, s.second + n);
	else
		snprintf(t->why, t->size, "the device tree in %s has no such node", t->root);
	return s.n == 1 ? 0 : PMK_EINVAL;
}

int pmk_tree_address(const char *sysfs, const char *node, uint64_t *address, char *why, size_t size)
{
	char root[512], path[PATH_MAX] = "";
	const struct tree t = { .root = root, .why = why, .size = size };
	int err = 0, n;

	snprintf(root, sizeof(root), "%s/firmware/devicetree/base", sysfs);
	if (access(root, F_OK)) {
		snprintf(why, size, "this machine has no device tree (%s)", root);
		return PMK_EINVAL;
	}
	if (*node != '/') {
		err = find_compatible(&t, node, path);
	} else {
		n = snprintf(path, sizeof(path), "%s%s", root, node);
		n = n < PATH_MAX ? n : PATH_MAX - 1;
		while (n > 0 && path[n - 1] == '/')
			path[--n] = '\0';
		if (strstr(node, "/.") || strlen(path) <= strlen(root) || access(path, F_OK))
			err = broken_node(&t, path, "does not exist");
	}
	return err ? err : find_address(&t, path, address);
}
