// SPDX-License-Identifier: MIT
/* Stores memory maps: see spaces.h. The mappings of a process are sorted and do not overlap: a new
 * mapping replaces older ones at its addresses. */
#include "profile/sampling/spaces.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "base/search.h"
#include "base/sha256.h"
#include "profile/elf.h"

struct mapping {
	uint64_t start, last; /* addresses; `last` is included */
	uint64_t offset;      /* offset of `start` in the file */
	uint32_t object;
	/* True if `bias` is known: the difference between addresses in the ELF file and offsets. */
	bool moved;
	uint64_t bias;
};

struct pmk_space {
	struct mapping *mapping;
	size_t n, room;
};

void pmk_spaces_free(struct pmk_spaces *s)
{
	for (size_t i = 0; i < s->nobjects; i++) {
		free(s->object[i].path);
		free(s->object[i].build_id);
	}
	for (size_t i = 0; i < s->nspaces; i++)
		free(s->space[i].mapping);
	free(s->object);
	free(s->space);
	pmk_map_free(&s->of_pid);
	*s = (struct pmk_spaces){ 0 };
}

/* ---- objects -------------------------------------------------------------------------------- */

/* Returns "[anon]" for a path that stands for memory without a file, and every other path
 * unchanged. */
static const char *name_of(const char *path)
{
	static const char *const anonymous[] = { "//anon", "/dev/zero", "anon_inode:", "/memfd:",
						 "/SYSV",  "[heap]",	"[stack",      "[anon" };

	if (!*path)
		return "[anon]";
	for (size_t i = 0; i < sizeof(anonymous) / sizeof(*anonymous); i++)
		if (!strncmp(path, anonymous[i], strlen(anonymous[i])))
			return "[anon]";
	return path;
}

static char *hexadecimal_of(const uint8_t *bytes, size_t n)
{
	char *text = malloc(2 * n + 1);

	if (text)
		pmk_sha256_text(bytes, n, text);
	return text;
}

uint32_t pmk_spaces_object(struct pmk_spaces *s, const char *path, const uint8_t *build_id,
			   size_t build_id_size)
{
	struct pmk_space_object fresh = { 0 };

	path = name_of(path);
	for (size_t i = s->nobjects; i-- > 0;) {
		struct pmk_space_object *o = &s->object[i];

		if (strcmp(o->path, path) != 0)
			continue;
		if (!o->build_id && build_id_size)
			o->build_id = hexadecimal_of(build_id, build_id_size);
		return (uint32_t)i;
	}
	if (!PMK_GROW(s->object, s->nobjects, s->object_room))
		return UINT32_MAX;
	fresh.path = strdup(path);
	fresh.file = *path == '/';
	if (build_id_size)
		fresh.build_id = hexadecimal_of(build_id, build_id_size);
	if (!fresh.path || (build_id_size && !fresh.build_id)) {
		free(fresh.path);
		free(fresh.build_id);
		return UINT32_MAX;
	}
	s->object[s->nobjects] = fresh;
	return (uint32_t)s->nobjects++;
}

/* ---- processes ------------------------------------------------------------------------------ */

static struct pmk_space *find_space(struct pmk_spaces *s, uint32_t pid)
{
	uint32_t at = pmk_map_get(&s->of_pid, pid);

	return at == UINT32_MAX ? NULL : &s->space[at];
}

static struct pmk_space *put_space(struct pmk_spaces *s, uint32_t pid)
{
	struct pmk_space *known = find_space(s, pid);

	if (known)
		return known;
	if (!PMK_GROW(s->space, s->nspaces, s->space_room) ||
	    pmk_map_put(&s->of_pid, pid, (uint32_t)s->nspaces) == UINT32_MAX)
		return NULL;
	s->space[s->nspaces] = (struct pmk_space){ 0 };
	return &s->space[s->nspaces++];
}

/* Returns the index of the first mapping that ends at the address or later. */
static size_t first_at(const struct pmk_space *p, uint64_t addr)
{
	return PMK_FIRST_FROM(p->mapping, p->n, last, addr);
}

/* Make room for two more mappings, because one may be split. */
static bool make_room(struct pmk_space *p)
{
	return PMK_GROW(p->mapping, p->n + 1, p->room);
}

static void insert_mapping(struct pmk_space *p, size_t at, struct mapping m)
{
	memmove(&p->mapping[at + 1], &p->mapping[at], (p->n - at) * sizeof(m));
	p->mapping[at] = m;
	p->n++;
}

/* Remove the mappings between two addresses. Returns the position of the gap. */
static size_t cut_mappings(struct pmk_space *p, uint64_t start, uint64_t last)
{
	size_t at = first_at(p, start), end;

	if (at < p->n && p->mapping[at].start < start) {
		struct mapping rest = p->mapping[at];

		p->mapping[at].last = start - 1;
		rest.offset += start - rest.start;
		rest.start = start;
		insert_mapping(p, ++at, rest);
	}
	for (end = at; end < p->n && p->mapping[end].last <= last; end++)
		;
	if (end < p->n && p->mapping[end].start <= last) {
		p->mapping[end].offset += last + 1 - p->mapping[end].start;
		p->mapping[end].start = last + 1;
	}
	memmove(&p->mapping[at], &p->mapping[end], (p->n - end) * sizeof(*p->mapping));
	p->n -= end - at;
	return at;
}

int pmk_spaces_map(struct pmk_spaces *s, uint32_t pid, uint64_t start, uint64_t length,
		   uint64_t offset, uint32_t object)
{
	struct pmk_space *p = length ? put_space(s, pid) : NULL;
	struct mapping m = { .start = start, .offset = offset, .object = object };

	if (!length)
		return 0;
	if (!p || !make_room(p))
		return PMK_ENOMEM;
	m.last = length - 1 > UINT64_MAX - start ? UINT64_MAX : start + (length - 1);
	insert_mapping(p, cut_mappings(p, m.start, m.last), m);
	return 0;
}

int pmk_spaces_fork(struct pmk_spaces *s, uint32_t pid, uint32_t parent)
{
	struct pmk_space *to = pid == parent ? NULL : put_space(s, pid), *from;
	struct mapping *copy;

	if (pid == parent) /* a thread */
		return 0;
	from = find_space(s, parent);
	if (!to)
		return PMK_ENOMEM;
	to->n = 0;
	if (!from || !from->n)
		return 0;
	copy = realloc(to->mapping, from->room * sizeof(*copy));
	if (!copy)
		return PMK_ENOMEM;
	memcpy(copy, from->mapping, from->n * sizeof(*copy));
	*to = (struct pmk_space){ copy, from->n, from->room };
	return 0;
}

void pmk_spaces_clear(struct pmk_spaces *s, uint32_t pid)
{
	struct pmk_space *p = find_space(s, pid);

	if (p)
		p->n = 0;
}

/* Find the bias of a mapping. An executable mapping belongs to one segment of its file, so one
 * bias holds for all its addresses. For an unreadable file, only the offset is known. */
static void learn_bias(const struct pmk_space_object *o, struct mapping *m, uint64_t offset)
{
	uint64_t addr;

	m->moved = true;
	m->bias = o->file && pmk_elf_address(o->path, offset, &addr) ? addr - offset : 0;
}

bool pmk_spaces_find(struct pmk_spaces *s, uint32_t pid, uint64_t *addr, uint32_t *object)
{
	struct pmk_space *p = find_space(s, pid);
	size_t at = p ? first_at(p, *addr) : 0;
	struct mapping *m = p && at < p->n ? &p->mapping[at] : NULL;
	const struct pmk_space_object *o;
	uint64_t offset;

	if (!m || m->start > *addr)
		return false;
	*object = m->object;
	o = &s->object[m->object];
	offset = *addr - m->start + m->offset;
	if (o->file && !m->moved)
		learn_bias(o, m, offset);
	if (o->file)
		*addr = offset + m->bias;
	else if (strcmp(o->path, "[anon]") != 0)
		*addr -= m->start; /* each process maps this code at another address */
	return true;
}
