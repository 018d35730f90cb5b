// SPDX-License-Identifier: MIT
/*
 * Finds an emulator that can load plugins. See find.h.
 *
 * Plugins call functions that QEMU exports. So an executable that has these functions in its
 * dynamic symbol table was built for plugins. The functions that it exports show which module it
 * needs. If several modules are possible, the text that QEMU prints for --version decides. An
 * executable without an interpreter is linked statically and cannot load anything, although some
 * static executables have a dynamic symbol table.
 */
#define _GNU_SOURCE
#include "producer/qemu/find.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "producer/qemu/generation.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The name of a function that every release with support for plugins exports. */
#define ALWAYS "qemu_plugin_register_vcpu_init_cb"
/* The prefix of the names of all functions for plugins. */
#define PREFIX "qemu_plugin_"

/* Functions that only releases with this API version or a later one export. */
static const struct mark {
	const char *function;
	unsigned api;
} marks[] = {
	{ "qemu_plugin_scoreboard_new", 2 },		    /* 9.0 */
	{ "qemu_plugin_register_vcpu_tb_exec_cond_cb", 3 }, /* 9.1 */
	{ "qemu_plugin_set_pc", 6 },			    /* 11.0 */
};

static bool has_interpreter(Elf *elf)
{
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_INTERP)
			return true;
	return false;
}

/* Returns the dynamic symbol table, or NULL if there is none. */
static Elf_Scn *dynamic_symbols(Elf *elf, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, sh) && sh->sh_type == SHT_DYNSYM)
			return scn;
	return NULL;
}

/* Reads a symbol of a table. For 64-bit files, pmk does not use gelf_getsym(), because it is slower
 * and a table has thousands of symbols. */
static bool symbol_at(Elf_Data *table, bool wide, size_t i, GElf_Sym *sym)
{
	if (!wide)
		return gelf_getsym(table, (int)i, sym) != NULL;
	if (i >= table->d_size / sizeof(*sym))
		return false;
	*sym = ((const Elf64_Sym *)table->d_buf)[i];
	return true;
}

/* Sets the API versions in `q` from the exported functions. If the executable exports no functions
 * for plugins, api_lowest stays 0. */
static void look_at_exports(struct pmk_qemu *q, Elf *elf)
{
	bool plugins = false, marked[COUNT(marks)] = { false };
	GElf_Shdr sh;
	Elf_Scn *scn = dynamic_symbols(elf, &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	Elf_Scn *linked = data ? elf_getscn(elf, sh.sh_link) : NULL;
	const Elf_Data *names = linked ? elf_getdata(linked, NULL) : NULL;
	size_t n = names && names->d_buf && sh.sh_entsize ? sh.sh_size / sh.sh_entsize : 0;
	bool wide = gelf_getclass(elf) == ELFCLASS64;

	for (size_t i = 0; i < n; i++) {
		const char *name;
		GElf_Sym sym;

		if (!symbol_at(data, wide, i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		/* Compare the prefix here, because elf_strptr() would search for the section each
		 * time, for thousands of symbols. */
		if (sym.st_name >= names->d_size || names->d_size - sym.st_name < sizeof(PREFIX) ||
		    memcmp((const char *)names->d_buf + sym.st_name, PREFIX, sizeof(PREFIX) - 1))
			continue;
		name = elf_strptr(elf, sh.sh_link, sym.st_name);
		if (!name)
			continue;
		plugins |= !strcmp(name, ALWAYS);
		for (size_t k = 0; k < COUNT(marks); k++)
			marked[k] |= !strcmp(name, marks[k].function);
	}
	if (!plugins)
		return;
	q->api_lowest = 1;
	q->api_highest = UINT_MAX;
	for (size_t k = 0; k < COUNT(marks); k++) {
		if (marked[k])
			q->api_lowest = marks[k].api;
		else if (q->api_highest == UINT_MAX)
			q->api_highest = marks[k].api - 1;
	}
}

/* Returns the section with constants, or NULL if there is none. */
static Elf_Data *constants(Elf *elf)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		if (name && !strcmp(name, ".rodata") && sh.sh_type == SHT_PROGBITS)
			return elf_getdata(scn, NULL);
	}
	return NULL;
}

/* Finds the version of the release. The file contains it in the text that answers --version:
 * "qemu-arm version 11.0.2 (…". */
static bool find_version(Elf *elf, char *version, size_t size)
{
	static const char word[] = " version ";
	const Elf_Data *data = constants(elf);
	const char *begin = data ? data->d_buf : NULL, *at = begin;
	const char *end = begin ? begin + data->d_size : NULL;
	char text[128];

	while (at && (at = memmem(at, (size_t)(end - at), word, sizeof(word) - 1))) {
		const char *start = at;
		size_t n;

		/* The emulator's name comes before this phrase, and must be short. */
		while (start > begin && at - start < 40 && start[-1])
			start--;
		n = (size_t)(end - start) < sizeof(text) ? (size_t)(end - start) : sizeof(text) - 1;
		memcpy(text, start, n);
		text[n] = '\0';
		if (pmk_qemu_version(text, version, size) && pmk_qemu_api(version))
			return true;
		at += sizeof(word) - 1;
	}
	return false;
}

/* Chooses the API version by the release, because the newest generations export the same functions.
 * A release that contradicts the functions is ignored. */
static void look_at_release(struct pmk_qemu *q, Elf *elf)
{
	char version[sizeof(q->version)];
	unsigned api;

	if (!find_version(elf, version, sizeof(version)))
		return;
	api = pmk_qemu_api(version);
	if (api < q->api_lowest || api > q->api_highest)
		return;
	q->api_lowest = q->api_highest = api;
	memcpy(q->version, version, sizeof(q->version));
}

/* Finds out what kind of file is at q->path, and sets q->state. */
static void examine_file(struct pmk_qemu *q)
{
	struct stat st;
	Elf *elf;
	int fd;

	if (stat(q->path, &st) || !S_ISREG(st.st_mode)) {
		q->state = PMK_QEMU_MISSING;
		return;
	}
	if (access(q->path, X_OK)) {
		q->state = PMK_QEMU_NOT_EXEC;
		return;
	}
	/* If a file may be executed but not read, pmk finds out only at the start whether it can
	 * load plugins. */
	q->state = PMK_QEMU_NO_ELF;
	fd = open(q->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		look_at_exports(q, elf);
		q->state = !has_interpreter(elf) ? PMK_QEMU_STATIC
			   : !q->api_lowest	 ? PMK_QEMU_NO_PLUGINS
						 : PMK_QEMU_READY;
		if (q->state == PMK_QEMU_READY)
			look_at_release(q, elf);
	}
	elf_end(elf);
	close(fd);
}

static bool usable(const struct pmk_qemu *q)
{
	return q->state == PMK_QEMU_READY || q->state == PMK_QEMU_NO_ELF;
}

/*
 * Returns true if the emulator in this directory can be used. Stores it in `q` if it can be used,
 * or if `q` has no emulator yet.
 */
static bool try_in(struct pmk_qemu *q, const char *dir, size_t n, const char *name)
{
	struct pmk_qemu here = { .named = q->named };

	/* An empty element of PATH is the current directory. */
	snprintf(here.path, sizeof(here.path), "%.*s/%s", n ? (int)n : 1, n ? dir : ".", name);
	examine_file(&here);
	if (usable(&here) || (q->state == PMK_QEMU_MISSING && here.state != PMK_QEMU_MISSING))
		*q = here;
	return usable(&here);
}

/* Returns `value`, the value of a variable of the environment, or NULL if it is empty, because an
 * empty variable counts as unset. */
static const char *unless_empty(const char *value)
{
	return value && *value ? value : NULL;
}

bool pmk_qemu_cache(char *path, size_t size)
{
	const char *own = unless_empty(getenv("PMK_CACHE"));
	const char *xdg = unless_empty(getenv("XDG_CACHE_HOME"));
	const char *home = unless_empty(getenv("HOME"));
	int n;

	if (own)
		n = snprintf(path, size, "%s/qemu", own);
	else if (xdg)
		n = snprintf(path, size, "%s/pmukit/qemu", xdg);
	else if (home)
		n = snprintf(path, size, "%s/.cache/pmukit/qemu", home);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

bool pmk_qemu_find(struct pmk_qemu *q, const char *name)
{
	const char *dir = unless_empty(getenv("PMK_QEMU_DIR")), *path = getenv("PATH");
	char cache[PATH_MAX];

	*q = (struct pmk_qemu){ .state = PMK_QEMU_MISSING };
	if (strchr(name, '/')) {
		snprintf(q->path, sizeof(q->path), "%s", name);
		examine_file(q);
		return usable(q);
	}
	if (dir) {
		q->named = true;
		return try_in(q, dir, strlen(dir), name);
	}
	for (bool more = path != NULL; more; path++) {
		size_t n = strcspn(path, ":");

		if (try_in(q, path, n, name))
			return true;
		path += n;
		more = *path == ':';
	}
	if (!pmk_qemu_cache(cache, sizeof(cache)) || !try_in(q, cache, strlen(cache), name))
		return false;
	q->built = true;
	return true;
}

bool pmk_qemu_packaged(const char *os_release)
{
	char line[256], id[32] = "", version[32] = "";
	FILE *f = fopen(os_release, "re");

	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "ID=%*[\"']%31[^\"'\n]", id);
		sscanf(line, "ID=%31[^\"'\n]", id);
		sscanf(line, "VERSION_ID=%*[\"']%31[^\"'\n]", version);
		sscanf(line, "VERSION_ID=%31[^\"'\n]", version);
	}
	if (f)
		fclose(f);
	if (!*version)
		return false;
	return (!strcmp(id, "debian") && pmk_number_after(version, "", 10) <= 12) ||
	       (!strcmp(id, "ubuntu") && pmk_number_after(version, "", 10) <= 24);
}

bool pmk_qemu_version(const char *answer, char *version, size_t size)
{
	const char *at = strstr(answer, "version ");

	if (!at || (strncmp(answer, "qemu", 4) != 0 && strncmp(answer, "QEMU", 4) != 0))
		return false;
	at += strlen("version ");
	snprintf(version, size, "%.*s", (int)strcspn(at, " ,(\n"), at);
	return *version != '\0';
}

unsigned pmk_qemu_api(const char *version)
{
	unsigned major, minor;

	if (sscanf(version, "%u.%u", &major, &minor) != 2)
		return 0;
	return pmk_qemu_api_of_version(major, minor);
}

unsigned pmk_qemu_asks_for(const char *said)
{
	/* Phrases that QEMU prints when it rejects a module, and a phrase that pmk's module prints
	 * when QEMU would call it wrongly. */
	static const char *const phrases[] = {
		"this QEMU supports only a minimum version of ",
		"this QEMU supports only up to version ",
		"this emulator has version ",
	};
	unsigned api = 0;

	for (size_t i = 0; i < COUNT(phrases) && !api; i++)
		api = (unsigned)pmk_number_after(said, phrases[i], 10);
	return api;
}
