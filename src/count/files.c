// SPDX-License-Identifier: MIT
/* See files.h. */
#define _GNU_SOURCE
#include "count/files.h"

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

/* The file with this code: the shared library, or the program that it is linked into. */
static bool own_file(char path[PATH_MAX])
{
	struct link_map *map = NULL;
	Dl_info info;
	ssize_t n;

	/* The program itself has no name there. */
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

/* "<dir>/<rest>" into `path`; true when it exists. */
static bool found(char path[PATH_MAX], const char *dir, const char *rest)
{
	int n = snprintf(path, PATH_MAX, "%s/%s", dir, rest);

	return n > 0 && n < PATH_MAX && access(path, R_OK) == 0;
}

/* What is installed below the same prefix: a program lies in bin/, a library in lib/ or in a folder of lib/ for the
 * machine. */
static bool installed(char path[PATH_MAX], const char *dir, const char *rest)
{
	const char *slash = strrchr(dir, '/');
	bool machine = slash && slash - dir >= 4 && !strncmp(slash - 4, "/lib", 4);
	char up[PATH_MAX];

	snprintf(up, sizeof(up), "%s%s", machine ? "../../" : "../", rest);
	return found(path, dir, up);
}

/* Does this code lie in the tree that it was built in? */
static bool in_build_tree(const char *dir)
{
#if defined(PMK_BUILD_DIR) && defined(PMK_SOURCE_DATA)
	size_t n = strlen(PMK_BUILD_DIR);

	return strncmp(dir, PMK_BUILD_DIR, n) == 0 && (dir[n] == '\0' || dir[n] == '/');
#else
	(void)dir;
	return false;
#endif
}

int pmk_files_data(char path[PATH_MAX], const char *chosen, struct pmk_count_fault *f)
{
	const char *env = chosen ? chosen : getenv("PMK_DATA");
	char dir[PATH_MAX];
	bool known = own_dir(dir);

	if (env && *env) {
		snprintf(path, PATH_MAX, "%s", env);
		return 0;
	}
#ifdef PMK_SOURCE_DATA
	if (known && in_build_tree(dir) && access(PMK_SOURCE_DATA, R_OK) == 0) {
		snprintf(path, PATH_MAX, "%s", PMK_SOURCE_DATA);
		return 0;
	}
#endif
	if (known && installed(path, dir, "share/pmk"))
		return 0;
	return pmk_count_fail(
		f, PMK_COUNT_FAILED,
		"no data directory with cores/ and metrics/ (looked for %s); set PMK_DATA to it",
		known ? path : "../share/pmk beside the program");
}

bool pmk_files_plugin(char path[PATH_MAX], const char *chosen, const char *module)
{
	const char *env = chosen ? chosen : getenv("PMK_PLUGIN");
	char dir[PATH_MAX], rest[128];
	struct stat st;

	if (env && *env) {
		if (!stat(env, &st) && S_ISDIR(st.st_mode))
			return found(path, env, module);
		snprintf(path, PATH_MAX, "%s", env);
		return true;
	}
	if (!own_dir(dir))
		return false;
	if (found(path, dir, module))
		return true;
#ifdef PMK_BUILD_DIR
	if (in_build_tree(dir) && found(path, PMK_BUILD_DIR, module))
		return true;
#endif
	snprintf(rest, sizeof(rest), "lib/pmk/%s", module);
	return installed(path, dir, rest);
}

void pmk_files_build_qemu(char path[PATH_MAX])
{
	char dir[PATH_MAX], script[PATH_MAX];

	if (!own_dir(dir) || !installed(script, dir, "lib/pmk/build-qemu") ||
	    !realpath(script, path))
		strcpy(path, "make qemu");
}

/* ---- cores ---------------------------------------------------------------------------------- */

static int is_preset(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + n - 4, ".ini") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

char **pmk_files_cores(const char *data, struct pmk_count_fault *f)
{
	struct dirent **entries = NULL;
	char dir[PATH_MAX], **names;
	bool full = true;
	int n;

	snprintf(dir, sizeof(dir), "%s/cores", data);
	n = scandir(dir, &entries, is_preset, by_name);
	if (n < 0) {
		pmk_count_fail(f, PMK_COUNT_FAILED, "%s: %s", dir, strerror(errno));
		return NULL;
	}
	names = calloc((size_t)n + 1, sizeof(*names));
	for (int i = 0; i < n; i++) {
		char *name = entries[i]->d_name;

		if (names)
			names[i] = strndup(name, strlen(name) - strlen(".ini"));
		full = full && names && names[i];
		free(entries[i]);
	}
	free(entries);
	if (full && names)
		return names;
	pmk_files_free_names(names);
	pmk_count_no_memory(f);
	return NULL;
}

void pmk_files_free_names(char **names)
{
	for (unsigned i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

bool pmk_files_core(char path[PATH_MAX], const char *data, const char *name)
{
	int n = snprintf(path, PATH_MAX, "%s/cores/%s.ini", data, name);

	return n < PATH_MAX && !strchr(name, '/') && access(path, R_OK) == 0;
}

/* ---- metrics -------------------------------------------------------------------------------- */

int pmk_files_metrics(struct pmk_metrics **out, const char *data, struct pmk_count_fault *why,
		      struct pmk_count_fault *f)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char own[PATH_MAX], users[PATH_MAX], msg[PATH_MAX + 256];
	const char *dirs[] = { own, users, NULL };

	snprintf(own, sizeof(own), "%s/metrics", data);
	if (config && *config)
		snprintf(users, sizeof(users), "%s/pmk/metrics", config);
	else if (home && *home)
		snprintf(users, sizeof(users), "%s/.config/pmk/metrics", home);
	else
		dirs[1] = NULL;
	if (pmk_metrics_load(out, dirs, msg, sizeof(msg)) == 0)
		return 0;
	if (why)
		pmk_count_fail(why, PMK_COUNT_FAILED, "%s", msg);
	dirs[1] = NULL;
	if (pmk_metrics_load(out, dirs, msg, sizeof(msg)) == 0)
		return 0;
	return pmk_count_fail(f, PMK_COUNT_FAILED, "%s", msg);
}
