/* SPDX-License-Identifier: MIT */
/*
 * Where an emulator is, and whether it can load plugins: told from its file, without starting it, because a
 * start takes longer than counting a small program.
 */
#ifndef PMK_PRODUCER_QEMU_FIND_H
#define PMK_PRODUCER_QEMU_FIND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum pmk_qemu_state {
	PMK_QEMU_READY,	     /* it can load plugins */
	PMK_QEMU_NO_ELF,     /* a script, say: what it starts is known when it is started */
	PMK_QEMU_MISSING,    /* there is none */
	PMK_QEMU_NOT_EXEC,   /* a file of that name is there and may not be executed */
	PMK_QEMU_STATIC,     /* linked statically: nothing can be loaded */
	PMK_QEMU_NO_PLUGINS, /* built without support for them */
};

struct pmk_qemu {
	enum pmk_qemu_state state;
	char path[PATH_MAX]; /* of the file that this is said of; empty when it is missing */
	bool named;	     /* PMK_QEMU_DIR said where to look */
	bool built;	     /* it is one that scripts/qemu has built */
	/* The versions of the plugin API that are possible by the functions it exports. PMK_QEMU_READY only. */
	unsigned api_lowest, api_highest;
};

/*
 * Look for the emulator `name`: in the directory that PMK_QEMU_DIR names and then nowhere else; or in those of
 * PATH, where one that cannot load plugins hides none that can; or where scripts/qemu has built it. A name
 * with a slash is a path. True when it may be started: PMK_QEMU_READY or PMK_QEMU_NO_ELF.
 */
bool pmk_qemu_find(struct pmk_qemu *q, const char *name);

/* Where scripts/qemu puts what it builds; false when the environment does not say. */
bool pmk_qemu_cache(char *path, size_t size);

/*
 * Does the package qemu-user of this machine's distribution have emulators that can load plugins? By a file
 * such as /etc/os-release. Debian's are linked statically from Debian 13 on.
 */
bool pmk_qemu_packaged(const char *os_release);

/* "7.2.22" out of "qemu-arm version 7.2.22 (Debian …)"; false: that is not how QEMU answers --version. */
bool pmk_qemu_version(const char *answer, char *version, size_t size);
/* The plugin API of the release that calls itself like this; 0: too old for plugins, or not a version. */
unsigned pmk_qemu_api(const char *version);
/* The API version that QEMU asks for when it refuses a plugin, out of all it said; 0: it does not. */
unsigned pmk_qemu_asks_for(const char *said);

#endif
