/* SPDX-License-Identifier: MIT */
/*
 * Finds an emulator, and checks whether it can load plugins. pmk reads the file and does not start
 * it, because a start takes longer than counting a small program.
 */
#ifndef PMK_PRODUCER_QEMU_FIND_H
#define PMK_PRODUCER_QEMU_FIND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum pmk_qemu_state {
	PMK_QEMU_READY, /* it can load plugins */
	/* The file is not an ELF file but, for example, a script: the program that it starts is
	 * not known in advance. */
	PMK_QEMU_NO_ELF,
	PMK_QEMU_MISSING,    /* there is no such file */
	PMK_QEMU_NOT_EXEC,   /* a file of that name exists but may not be executed */
	PMK_QEMU_STATIC,     /* linked statically: it cannot load plugins */
	PMK_QEMU_NO_PLUGINS, /* built without support for plugins */
};

struct pmk_qemu {
	enum pmk_qemu_state state;
	char path[PATH_MAX]; /* path of the file that `state` describes; empty if there is none */
	bool named;	     /* PMK_QEMU_DIR gave the directory */
	bool built;	     /* it is an emulator that scripts/qemu has built */
	/* The possible versions of the plugin API, judging by the exported functions. Only with
	 * PMK_QEMU_READY. */
	unsigned api_lowest, api_highest;
	char version[64]; /* release, "7.2.22", if the file contains it; or empty */
};

/*
 * Look for the emulator `name`: if PMK_QEMU_DIR names a directory, only there; otherwise in the
 * directories of PATH, where an emulator that cannot load plugins does not hide a later one that
 * can; then in the folder for the emulators of scripts/qemu. A name with a slash is a path. True if
 * it can be started: PMK_QEMU_READY or PMK_QEMU_NO_ELF.
 */
bool pmk_qemu_find(struct pmk_qemu *q, const char *name);

/* Write the folder for the emulators of scripts/qemu. Returns false if the environment does not
 * define it. */
bool pmk_qemu_cache(char *path, size_t size);

/*
 * True if the package qemu-user of this machine's distribution has emulators that can load plugins,
 * according to a file such as /etc/os-release. After QEMU 9.0 they are linked statically there:
 * from Debian 13 and Ubuntu 25.04 on.
 */
bool pmk_qemu_packaged(const char *os_release);

/* Find "7.2.22" in "qemu-arm version 7.2.22 (Debian …)"; false: the text is not QEMU's answer to
 * --version. */
bool pmk_qemu_version(const char *answer, char *version, size_t size);
/* Returns the plugin API of the release with this version text; 0: it is too old for plugins, or
 * not a version. */
unsigned pmk_qemu_api(const char *version);
/* Returns the API version that QEMU asks for when it rejects a plugin, from its output; 0: it
 * asks for none. */
unsigned pmk_qemu_asks_for(const char *said);

#endif
