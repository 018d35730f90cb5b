// SPDX-License-Identifier: MIT
/* See files.h. */
#define _GNU_SOURCE
#include "count/files.h"
#include "count/words.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Find the file that contains this code: the shared library, or the program into which it is
 * linked. */
static bool own_file(char path[PATH_MAX])
{
	struct link_map *map = NULL;
	Dl_info info;
	ssize_t n;

	/* The program itself has an empty name in this list. */
	if (dladdr1((const void *)(uintptr_t)own_file, &info, (void **)&map, RTLD_DL_LINKMAP) &&
	    map && *map->l_name)
		return realpath(map->l_name, path) != NULL;
	n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	return true;
}

static bool own_dir(char dir[PATH_MAX])
{
	char *slash;

	if (!own_file(dir))
		return false;
	slash = strrchr(dir, '/');
	if (!slash || slash == dir)
		return false;
	*slash = '\0';
	return true;
}

/* Write "<dir>/<rest>" to `path`. Returns true if this file can be read. */
static bool find_below(char path[PATH_MAX], const char *dir, const char *rest)
{
	int n = snprintf(path, PATH_MAX, "%s/%s", dir, rest);

	return n > 0 && n < PATH_MAX && access(path, R_OK) == 0;
}

/* Search below the prefix in which this code is installed. Programs are in the prefix's bin/,
 * libraries in its lib/ or in the machine's folder in lib/. */
static bool find_installed(char path[PATH_MAX], const char *dir, const char *rest)
{
	const char *slash = strrchr(dir, '/');
	bool machine = slash && slash - dir >= 4 && !strncmp(slash - 4, "/lib", 4);
	char up[PATH_MAX];

	snprintf(up, sizeof(up), "%s%s", machine ? "../../" : "../", rest);
	return find_below(path, dir, up);
}

#ifdef PMK_BUILD_DIR /* and PMK_SOURCE_DATA: for code that runs from its build tree */
/* True if this code is in its build tree and not installed. */
static bool in_build_tree(const char *dir)
{
	size_t n = strlen(PMK_BUILD_DIR);

	return strncmp(dir, PMK_BUILD_DIR, n) == 0 && (dir[n] == '\0' || dir[n] == '/');
}
#endif

int pmk_files_data(char path[PATH_MAX], const char *chosen, struct pmk_count_fault *f)
{
	const char *env = chosen ? chosen : getenv("PMK_DATA");
	char dir[PATH_MAX];
	bool known = own_dir(dir);

	if (env && *env) {
		snprintf(path, PATH_MAX, "%s", env);
		return 0;
	}
#ifdef PMK_BUILD_DIR
	if (known && in_build_tree(dir) && access(PMK_SOURCE_DATA, R_OK) == 0) {
		snprintf(path, PATH_MAX, "%s", PMK_SOURCE_DATA);
		return 0;
	}
#endif
	if (known && find_installed(path, dir, "share/pmk"))
		return 0;
	return pmk_count_fail(
		f, PMK_COUNT_FAILED,
		"no data directory with cores/ and metrics/ (looked for %s); set PMK_DATA to it",
		known ? path : "../share/pmk next to the program");
}

bool pmk_files_plugin(char path[PATH_MAX], const char *chosen, const char *module)
{
	const char *env = chosen ? chosen : getenv("PMK_PLUGIN");
	char dir[PATH_MAX], rest[128];
	struct stat st;

	*path = '\0';
	if (env && *env) {
		if (!stat(env, &st) && S_ISDIR(st.st_mode))
			return find_below(path, env, module);
		snprintf(path, PATH_MAX, "%s", env);
		return true;
	}
	if (!own_dir(dir))
		return false;
	if (find_below(path, dir, module))
		return true;
#ifdef PMK_BUILD_DIR
	if (in_build_tree(dir) && find_below(path, PMK_BUILD_DIR, module))
		return true;
#endif
	snprintf(rest, sizeof(rest), "lib/pmk/%s", module);
	return find_installed(path, dir, rest);
}

void pmk_files_build_qemu(char path[PATH_MAX])
{
	char dir[PATH_MAX], script[PATH_MAX];

	if (!own_dir(dir) || !find_installed(script, dir, "lib/pmk/build-qemu") ||
	    !realpath(script, path))
		strcpy(path, "make qemu");
}

bool pmk_files_own(char path[PATH_MAX], const char *folder)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	const char *slash = *folder ? "/" : "";

	if (config && *config)
		snprintf(path, PATH_MAX, "%s/pmk%s%s", config, slash, folder);
	else if (home && *home)
		snprintf(path, PATH_MAX, "%s/.config/pmk%s%s", home, slash, folder);
	else
		return false;
	return true;
}

static bool is_closed(const char *dir, int mode)
{
	struct stat st;
	bool refused = access(dir, mode) && errno == EACCES;

	/* If a file and not a folder has this name, permission to enter it is not needed. */
	return refused && (stat(dir, &st) || S_ISDIR(st.st_mode));
}

bool pmk_files_closed(char path[PATH_MAX], const char *folder)
{
	return (pmk_files_own(path, "") && is_closed(path, X_OK)) ||
	       (pmk_files_own(path, folder) && is_closed(path, R_OK | X_OK));
}

/* ---- cores ----------------------------------------------------------------------------------- */

static int is_preset(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + n - 4, ".ini") == 0;
}

/* Add the names of the presets in a folder. Returns a negative number if the folder cannot be
 * read. */
static int add_presets(struct pmk_words *names, const char *dir, bool *full)
{
	struct dirent **entries = NULL;
	int n = scandir(dir, &entries, is_preset, NULL);

	for (int i = 0; i < n; i++) {
		const char *file = entries[i]->d_name;

		*full &= pmk_words_add_part(names, file, strlen(file) - strlen(".ini"));
		free(entries[i]);
	}
	free(entries);
	return n;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sort the names and remove duplicates. */
static void settle_names(struct pmk_words *names)
{
	unsigned kept = 0;

	if (!names->count)
		return;
	qsort(names->word, names->count, sizeof(*names->word), by_name);
	for (unsigned i = 1; i < names->count; i++) {
		if (strcmp(names->word[kept], names->word[i]) == 0)
			free(names->word[i]);
		else
			names->word[++kept] = names->word[i];
	}
	names->count = kept + 1;
	names->word[names->count] = NULL;
}

char **pmk_files_cores(const char *data, struct pmk_count_fault *f)
{
	struct pmk_words names = { 0 };
	char dir[PATH_MAX];
	bool full = true;

	snprintf(dir, sizeof(dir), "%s/cores", data);
	if (add_presets(&names, dir, &full) < 0) {
		pmk_count_fail(f, PMK_COUNT_FAILED, "%s: %s", dir, strerror(errno));
		return NULL;
	}
	if (pmk_files_own(dir, "cores"))
		add_presets(&names, dir, &full); /* the directory need not exist */
	settle_names(&names);
	if (full && names.word)
		return names.word;
	if (full)
		pmk_count_fail(f, PMK_COUNT_FAILED,
			       "%s/cores: there is no preset; set PMK_DATA to pmk's data directory",
			       data);
	else
		pmk_count_no_memory(f);
	pmk_words_free(&names);
	return NULL;
}

void pmk_files_free_names(char **names)
{
	for (unsigned i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

bool pmk_files_is_path(const char *name)
{
	size_t n = strlen(name);

	return strchr(name, '/') || (n > 4 && !strcmp(name + n - 4, ".ini"));
}

bool pmk_files_core(char path[PATH_MAX], const char *data, const char *name)
{
	char dir[PATH_MAX], file[NAME_MAX + 1];

	if (pmk_files_is_path(name))
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, R_OK) == 0;
	if (snprintf(file, sizeof(file), "%s.ini", name) >= (int)sizeof(file))
		return false;
	/* A user's preset of this name has priority, even if it cannot be read. */
	if (pmk_files_own(dir, "cores") && (find_below(path, dir, file) || !access(path, F_OK)))
		return access(path, R_OK) == 0;
	snprintf(dir, sizeof(dir), "%s/cores", data);
	return find_below(path, dir, file);
}

/* Returns pmk's core for a name that GCC, QEMU or people use. */
static const char *core_called(const char *name)
{
	static const struct {
		const char *name, *core;
	} others[] = {
		{ "arm926ej-s", "arm926" },	 { "arm926ejs", "arm926" },
		{ "arm1136j-s", "arm1136" },	 { "arm1136jf-s", "arm1136" },
		{ "arm1136-r2", "arm1136r0" },	 { "arm1156t2-s", "arm1156" },
		{ "arm1156t2f-s", "arm1156" },	 { "arm1176jz-s", "arm1176" },
		{ "arm1176jzf-s", "arm1176" },	 { "mpcore", "arm11mpcore" },
		{ "a7", "cortex-a7" },		 { "a8", "cortex-a8" },
		{ "a9", "cortex-a9" },		 { "a15", "cortex-a15" },
		{ "a53", "cortex-a53" },	 { "a55", "cortex-a55" },
		{ "a57", "cortex-a57" },	 { "a72", "cortex-a72" },
		{ "n1", "neoverse-n1" },	 { "rpi0", "raspberrypizero" },
		{ "rpi1", "raspberrypi1" },	 { "rpi2", "raspberrypi2" },
		{ "rpi02", "raspberrypizero2" }, { "raspi2b", "raspberrypi2" },
		{ "rpi3", "raspberrypi3" },	 { "rpi4", "raspberrypi4" },
		{ "raspi0", "raspberrypizero" }, { "raspi3b", "raspberrypi3" },
		{ "raspi4b", "raspberrypi4" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(others[i].name, name))
			return others[i].core;
	return NULL;
}

const char *pmk_files_core_name(const char *data, const char *name)
{
	const char *other = core_called(name);
	char path[PATH_MAX];

	return !other || pmk_files_core(path, data, name) ? name : other;
}

/* ---- metrics --------------------------------------------------------------------------------- */

int pmk_files_metrics(struct pmk_metrics **out, const char *data, struct pmk_count_fault *why,
		      struct pmk_count_fault *f)
{
	char own[PATH_MAX], theirs[PATH_MAX], msg[PATH_MAX + 256];
	const char *dirs[] = { own, pmk_files_own(theirs, "metrics") ? theirs : NULL, NULL };

	snprintf(own, sizeof(own), "%s/metrics", data);
	if (pmk_metrics_load(out, dirs, msg, sizeof(msg)) == 0)
		return 0;
	if (why)
		pmk_count_fail(why, PMK_COUNT_FAILED, "%s; pmk uses none of your own metrics", msg);
	dirs[1] = NULL;
	if (pmk_metrics_load(out, dirs, msg, sizeof(msg)) == 0)
		return 0;
	return pmk_count_fail(f, PMK_COUNT_FAILED, "%s", msg);
}
