// SPDX-License-Identifier: MIT
/* See emulator.h. */
#define _GNU_SOURCE
#include "count/emulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count/files.h"

/* Debian's packages of emulators. scripts/qemu builds the user-mode emulators. */
static const struct row {
	const char *name, *package;
} rows[] = {
	{ "qemu-arm", "qemu-user" },
	{ "qemu-aarch64", "qemu-user" },
	{ "qemu-microblaze", "qemu-user" },
	{ "qemu-microblazeel", "qemu-user" },
	{ "qemu-system-arm", "qemu-system-arm" },
	{ "qemu-system-aarch64", "qemu-system-arm" },
	{ "qemu-system-microblaze", "qemu-system-misc" },
	{ "qemu-system-microblazeel", "qemu-system-misc" },
};

static const struct row *row_of(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, basename(name)))
			return &rows[i];
	return NULL;
}

/* True if apt-get exists. Without it neither the package nor its source is available. */
static bool has_apt(void)
{
	return access("/usr/bin/apt-get", X_OK) == 0;
}

/* True if PATH is set, so that emulators are searched for in it. */
static bool has_path(void)
{
	const char *path = getenv("PATH");

	return path && *path;
}

void pmk_emulator_cause(const struct pmk_qemu *q, const char *name, char *buf, size_t size)
{
	switch (q->state) {
	case PMK_QEMU_READY:
	case PMK_QEMU_NO_ELF:
		*buf = '\0';
		break;
	case PMK_QEMU_MISSING:
		if (q->named)
			snprintf(buf, size, "PMK_QEMU_DIR is %s, which has no %s",
				 getenv("PMK_QEMU_DIR"), name);
		else if (!strchr(name, '/') && !has_path())
			snprintf(buf, size, "PATH is not set, so pmk cannot look for %s", name);
		else
			snprintf(buf, size, "%s is not installed", name);
		break;
	case PMK_QEMU_NOT_EXEC:
		snprintf(buf, size, "%s: permission denied", q->path);
		break;
	case PMK_QEMU_STATIC:
		snprintf(buf, size, "%s is linked statically and cannot load plugins", q->path);
		break;
	case PMK_QEMU_NO_PLUGINS:
		snprintf(buf, size, "%s was built without support for plugins", q->path);
		break;
	}
}

void pmk_emulator_remedy(const struct pmk_qemu *q, const char *name, char *buf, size_t size)
{
	const struct row *row = row_of(name);
	char build[PATH_MAX];
	bool programs = row && !strcmp(row->package, "qemu-user");

	pmk_files_build_qemu(build);
	if (!strchr(name, '/') && !q->named && !has_path())
		snprintf(buf, size,
			 "set PATH to the directories of programs, such as /usr/bin:/bin");
	else if (q->named)
		snprintf(buf, size, "unset PMK_QEMU_DIR, or set it to the directory of another");
	else if (strchr(name, '/'))
		snprintf(buf, size, "give another, such as the name of one in PATH");
	else if (programs && !pmk_qemu_packaged("/etc/os-release") && has_apt())
		snprintf(buf, size, "build %s: %s",
			 q->state == PMK_QEMU_MISSING ? "it" : "one that can", build);
	else if (row && has_apt() && (programs || q->state == PMK_QEMU_MISSING))
		snprintf(buf, size, "Debian: apt-get install %s", row->package);
	else
		snprintf(buf, size, "docs/install.md says how to install or build QEMU");
}
