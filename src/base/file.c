// SPDX-License-Identifier: MIT
/* See file.h. */
#define _GNU_SOURCE
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *pmk_file_open(const char *path, bool pipes, const char **why)
{
	struct stat st;
	FILE *f;

	/* Look before opening, because opening a pipe waits for its other end. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !(pipes && S_ISFIFO(st.st_mode))) {
		*why = S_ISDIR(st.st_mode) ? strerror(EISDIR) : "not a regular file";
		return NULL;
	}
	f = fopen(path, "re");
	if (!f)
		*why = strerror(errno);
	return f;
}

/* ---- files that are written as a whole ------------------------------------------------------ */

/* The folder that the file lies in, opened; below 0: it cannot be. */
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

char *pmk_file_beside(const char *path)
{
	struct stat st;
	bool there = !stat(path, &st);
	char *name;
	int fd = -1;

	for (unsigned i = 0; i < 100; i++) {
		if (asprintf(&name, "%s.%ld-%u.tmp", path, (long)getpid(), i) < 0)
			return NULL;
		fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0) {
			/* Nobody may read the new one who could not read the old one. */
			if (there)
				(void)!fchmod(fd, st.st_mode & 0777);
			close(fd);
			return name;
		}
		free(name);
		if (errno != EEXIST)
			break;
	}
	return NULL;
}

/* Is that a name for what is open already? Behind it may be a file that goes on for others. */
static bool is_descriptor(const char *path)
{
	return !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/dev/std", 8) ||
	       !strncmp(path, "/proc/", 6);
}

/* Can something be made beside the file and replace it? False, with `beside` NULL: not there. */
static bool make_beside(struct pmk_whole *w, const char *path)
{
	struct stat st;

	if (is_descriptor(path) || (!stat(path, &st) && !S_ISREG(st.st_mode)))
		return true;
	w->to = realpath(path, NULL);
	if (!w->to)
		w->to = strdup(path);
	if (w->to)
		w->beside = pmk_file_beside(w->to);
	return w->beside || errno == EACCES || errno == EPERM || errno == EROFS ||
	       errno == ENAMETOOLONG;
}

bool pmk_whole_open(struct pmk_whole *w, const char *path)
{
	*w = (struct pmk_whole){ 0 };
	/* What may not be written is not replaced, either. */
	if (!access(path, F_OK) && access(path, W_OK))
		return false;
	if (make_beside(w, path))
		w->f = fopen(w->beside ? w->beside : path, "we");
	if (!w->f)
		pmk_whole_close(w, false);
	return w->f;
}

bool pmk_whole_close(struct pmk_whole *w, bool keep)
{
	bool done = w->f && !ferror(w->f);
	int err = errno;

	if (w->f && fclose(w->f)) {
		err = errno;
		done = false;
	}
	if (w->beside && (!done || !keep || !pmk_file_put(w->beside, w->to))) {
		err = done && keep ? errno : err;
		unlink(w->beside);
		done = false;
	}
	free(w->beside);
	free(w->to);
	*w = (struct pmk_whole){ 0 };
	errno = err;
	return done;
}
