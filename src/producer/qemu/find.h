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
	PMK_QEMU_READY, /* the emulator can load plugins */
	/* The file is not an ELF file but, for example, a script. pmk cannot know which program the
	 * script starts. */
	PMK_QEMU_NO_ELF,
	PMK_QEMU_MISSING,    /* there is no file of this name */
	PMK_QEMU_NOT_EXEC,   /* there is a file of this name, but it may not be executed */
	PMK_QEMU_STATIC,     /* the emulator is linked statically, so it cannot load plugins */
	PMK_QEMU_NO_PLUGINS, /* the emulator was built without support for plugins */
};

struct pmk_qemu {
	enum pmk_qemu_state state;
	char path[PATH_MAX]; /* path of the file that `state` describes; empty if there is none */
	bool named;	     /* PMK_QEMU_DIR names the directory */
	bool built;	     /* scripts/qemu has built the emulator */
	/* The API versions that are possible according to the exported functions. They are set only
	 * if `state` is PMK_QEMU_READY. */
	unsigned api_lowest, api_highest;
	char version[64]; /* the release, such as "7.2.22", or "" if the file does not contain it */
};

/*
 * Looks for the emulator `name`. If PMK_QEMU_DIR names a directory, looks only there. Otherwise it
 * looks in the directories of PATH, and then in the folder for the emulators of scripts/qemu. In
 * PATH, an emulator that cannot load plugins does not hide a later one that can. A name with a
 * slash is a path. Returns true if the emulator can be started: `state` is then PMK_QEMU_READY or
 * PMK_QEMU_NO_ELF.
 */
bool pmk_qemu_find(struct pmk_qemu *q, const char *name);

/* Writes the path of the folder for the emulators of scripts/qemu. Returns false if the environment
 * does not define it. */
bool pmk_qemu_cache(char *path, size_t size);

/*
 * True if the package qemu-user of this machine's distribution has emulators that can load plugins.
 * `os_release` is the path of a file such as /etc/os-release. From Debian 13 and Ubuntu 25.04 on,
 * the emulators in the package are linked statically and cannot load plugins.
 */
bool pmk_qemu_packaged(const char *os_release);

/* Finds "7.2.22" in a text such as "qemu-arm version 7.2.22 (Debian …)". Returns false if the text
 * is not QEMU's answer to --version. */
bool pmk_qemu_version(const char *answer, char *version, size_t size);
/* Returns the plugin API of the release with this version text. Returns 0 if the release is too old
 * for plugins, or if the text is not a version. */
unsigned pmk_qemu_api(const char *version);
/* Returns the API version that QEMU asks for in its output when it rejects a plugin, or 0 if the
 * output names no version. */
unsigned pmk_qemu_asks_for(const char *said);

#endif
