// SPDX-License-Identifier: MIT
/* Reads and writes files. See file.h. */
#define _GNU_SOURCE
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

FILE *pmk_file_open(const char *path, bool pipes, const char **why)
{
	struct stat st;
	FILE *f;

	/* Check the type before opening, because opening a pipe waits for its other end. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !(pipes && S_ISFIFO(st.st_mode))) {
		*why = S_ISDIR(st.st_mode) ? strerror(EISDIR) : "not a regular file";
		return NULL;
	}
	f = fopen(path, "re");
	if (!f)
		*why = strerror(errno);
	return f;
}

/* ---- files that are written completely or not at all ---------------------------------------- */

/* Opens the folder of the file. Returns a negative number if the folder cannot be opened. */
static int open_folder(const char *path)
{
	char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
	int fd;

	if (slash)
		slash[slash == folder] = '\0';
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	return fd;
}

bool pmk_file_put(const char *from, const char *to)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC), folder;
	bool done = fd >= 0 && !fsync(fd);

	if (fd >= 0)
		close(fd);
	if (!done || rename(from, to))
		return false;
	folder = open_folder(to);
	if (folder >= 0) {
		fsync(folder);
		close(folder);
	}
	return true;
}

/* Gives the new file the permissions of the old file. Otherwise more users might be able to read
 * the new file. */
static void keep_mode(int fd, const char *old)
{
	struct stat st;

	if (!stat(old, &st))
		(void)!fchmod(fd, st.st_mode & 0777);
}

/*
 * Creates a file with a new name next to `path`. `make` creates the file, with the permissions of
 * the old file, and fails with EEXIST if the name is taken. Returns the name, or NULL with errno
 * set.
 */
static char *temporary_name(const char *path,
			    bool (*make)(int fd, const char *name, const char *old), int fd)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash + 1 - path) : 0;
	char *name;

	for (unsigned i = 0; i < 100; i++) {
		if (asprintf(&name, "%.*s.pmk-%ld-%u.tmp", folder, path, (long)getpid(), i) < 0)
			return NULL;
		if (make(fd, name, path))
			return name;
		free(name);
		if (errno != EEXIST)
			break;
	}
	return NULL;
}

static bool make_empty(int fd, const char *name, const char *old)
{
	fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	keep_mode(fd, old);
	close(fd);
	return true;
}

/*
 * The number of seconds without a change after which a temporary file is removed if its process
 * does not exist on this machine. The limit is needed because the process may run on another
 * machine.
 */
#define STALE 600

static bool is_left_over(int folder, const char *name)
{
	struct stat st;
	int end = 0;
	long pid;

	return sscanf(name, ".pmk-%ld-%*u.tmp%n", &pid, &end) == 1 && end && !name[end] &&
	       pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH &&
	       !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	       time(NULL) - st.st_mtime > STALE;
}

/* Removes temporary files that killed processes have left in the folder of `path`. */
static void remove_left_over(const char *path)
{
	int fd = open_folder(path);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (is_left_over(fd, entry->d_name))
			unlinkat(fd, entry->d_name, 0);
	if (folder)
		closedir(folder);
	else if (fd >= 0)
		close(fd);
}

char *pmk_file_temporary(const char *path)
{
	remove_left_over(path);
	return temporary_name(path, make_empty, -1);
}

/* Size of the name of an open file in /proc/self/fd. By this name, linkat() can give a name to a
 * file that has none. */
#define DESCRIPTOR_SIZE 32
static void descriptor_name(int fd, char name[DESCRIPTOR_SIZE])
{
	snprintf(name, DESCRIPTOR_SIZE, "/proc/self/fd/%d", fd);
}

/* Opens a file without a name in the folder of `path`. Returns a negative number on failure. */
static int open_nameless(const char *path)
{
	int folder = open_folder(path), fd = -1;
	char name[DESCRIPTOR_SIZE];

	if (folder < 0)
		return -1;
	fd = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	close(folder);
	descriptor_name(fd, name);
	if (fd >= 0 && access(name, F_OK)) { /* without /proc, this file could never get a name */
		close(fd);
		return -1;
	}
	return fd;
}

static bool link_nameless(int fd, const char *name, const char *old)
{
	char from[DESCRIPTOR_SIZE];

	keep_mode(fd, old);
	descriptor_name(fd, from);
	return !linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* True if the path names an open descriptor. The file of a descriptor must not be replaced, because
 * other programs may continue to write to it. */
static bool is_descriptor(const char *path)
{
	return !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/dev/std", 8) ||
	       !strncmp(path, "/proc/", 6);
}

/* Returns the target of the link at `path`. Returns NULL if it is not a link, or if there is no
 * memory. */
static char *follow_link(const char *path)
{
	const char *slash = strrchr(path, '/');
	char target[PATH_MAX], *next;
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	int folder = slash ? (int)(slash + 1 - path) : 0;

	if (n <= 0)
		return NULL;
	target[n] = '\0';
	if (*target == '/')
		folder = 0;
	return asprintf(&next, "%.*s%s", folder, path, target) < 0 ? NULL : next;
}

const char *pmk_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#define MOST_LINKS 40 /* the kernel follows this many links */

char *pmk_file_target(const char *path)
{
	char *place = realpath(path, NULL), *next;

	if (place || errno == ELOOP)
		return place;
	place = strdup(path);
	for (unsigned i = 0; place && i < MOST_LINKS && (next = follow_link(place)); i++) {
		free(place);
		place = next;
	}
	return place;
}

/* Creates a temporary file to replace `path`, unless it must be written directly. */
static bool make_temporary(struct pmk_whole *w, const char *path)
{
	struct stat st;
	int fd;

	if (is_descriptor(path) || (!stat(path, &st) && !S_ISREG(st.st_mode)))
		return true;
	w->to = pmk_file_target(path);
	fd = w->to ? open_nameless(w->to) : -1;
	w->f = fd >= 0 ? fdopen(fd, "w") : NULL;
	w->nameless = w->f;
	if (w->f)
		return true;
	if (fd >= 0)
		close(fd);
	if (w->to)
		w->temporary = pmk_file_temporary(w->to);
	return w->temporary || errno == EACCES || errno == EPERM || errno == EROFS ||
	       errno == ENAMETOOLONG;
}

bool pmk_whole_open(struct pmk_whole *w, const char *path)
{
	*w = (struct pmk_whole){ 0 };
	/* A file that may not be written may not be replaced either. */
	if (!access(path, F_OK) && access(path, W_OK))
		return false;
	if (make_temporary(w, path) && !w->f)
		w->f = fopen(w->temporary ? w->temporary : path, "we");
	if (!w->f)
		pmk_whole_close(w, false);
	return w->f;
}

bool pmk_whole_close(struct pmk_whole *w, bool keep)
{
	bool done = w->f && !ferror(w->f);
	int err = errno;

	if (w->nameless && done && keep) {
		if (!fflush(w->f))
			w->temporary = temporary_name(w->to, link_nameless, fileno(w->f));
		done = w->temporary;
		err = done ? err : errno;
	}
	if (w->f && fclose(w->f)) {
		err = errno;
		done = false;
	}
	if (w->temporary && (!done || !keep || !pmk_file_put(w->temporary, w->to))) {
		err = done && keep ? errno : err;
		unlink(w->temporary);
		done = false;
	}
	done &= keep || !w->nameless;
	free(w->temporary);
	free(w->to);
	*w = (struct pmk_whole){ 0 };
	errno = err;
	return done;
}
