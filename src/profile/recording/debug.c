// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "profile/recording/debug.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *pmk_debug_open(struct pmk_debug *d, const char *path)
{
	static Dwfl_Callbacks callbacks; /* libdw keeps the pointer */
	struct stat st;

	*d = (struct pmk_debug){ 0 };
	if (stat(path, &st) || access(path, R_OK))
		return strerror(errno);
	/* Opening a pipe would block for ever. */
	if (!S_ISREG(st.st_mode))
		return "no file";
	callbacks.find_elf = dwfl_build_id_find_elf;
	callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
	callbacks.section_address = dwfl_offline_section_address;
	d->dwfl = dwfl_begin(&callbacks);
	if (d->dwfl)
		d->module = dwfl_report_offline(d->dwfl, path, path, -1);
	if (!d->dwfl || dwfl_report_end(d->dwfl, NULL, NULL) || !d->module)
		return "no ELF file that can be read";
	return NULL;
}

/* A relative file name, and the absolute path that it stands for. */
struct pmk_debug_file {
	const char *name;
	char *path;
};

void pmk_debug_enter(struct pmk_debug *d, Dwarf_Die *unit)
{
	Dwarf_Attribute a;

	d->folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &a));
}

const char *pmk_debug_file(struct pmk_debug *d, const char *name)
{
	struct pmk_debug_file *grown;
	char *path;

	if (!name || *name == '/' || !d->folder)
		return name;
	/*
	 * Search from the end: the latest names are looked up most often. Comparing addresses is
	 * enough, because equal names in different units have different addresses.
	 */
	for (size_t i = d->nfiles; i-- > 0;)
		if (d->file[i].name == name)
			return d->file[i].path;
	grown = realloc(d->file, (d->nfiles + 1) * sizeof(*grown));
	if (grown)
		d->file = grown;
	if (!grown || asprintf(&path, "%s/%s", d->folder, name) < 0)
		return name;
	d->file[d->nfiles++] = (struct pmk_debug_file){ name, path };
	return path;
}

void pmk_debug_close(struct pmk_debug *d)
{
	for (size_t i = 0; i < d->nfiles; i++)
		free(d->file[i].path);
	free(d->file);
	if (d->dwfl)
		dwfl_end(d->dwfl);
	*d = (struct pmk_debug){ 0 };
}

void pmk_debug_build_id(const struct pmk_debug *d, char hex[PMK_DEBUG_BUILD_ID])
{
	const unsigned char *bits;
	GElf_Addr where;
	int n = dwfl_module_build_id(d->module, &bits, &where);

	hex[0] = '\0';
	for (int i = 0; i < n && 2 * i + 2 < PMK_DEBUG_BUILD_ID; i++)
		snprintf(hex + 2 * i, 3, "%02x", bits[i]);
}
