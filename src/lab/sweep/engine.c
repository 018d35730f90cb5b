// SPDX-License-Identifier: MIT
/*
 * Runs sweeps on other machines. The missing cells are written as tasks to a folder, DB.tasks,
 * which all of these machines can access. Each task counts its slice into a separate database in
 * that folder, and at the end the databases are merged. Make or Slurm runs the tasks.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/file.h"
#include "base/tool.h"
#include "lab/sweep/command.h"

#define CELLS_OF_TASK 50   /* default number of cells per task */
#define MOST_TASKS    1000 /* default limit for an array of Slurm */

bool sweep_tasks_folder(const char *db, char folder[PATH_MAX])
{
	return snprintf(folder, PATH_MAX, "%s.tasks", db) < PATH_MAX;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Quotes a word for a shell. In a Makefile a dollar is doubled. */
static void put_word(FILE *f, const char *word, bool make)
{
	fputc('\'', f);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", f);
		else if (make && *word == '$')
			fputs("$$", f);
		else
			fputc(*word, f);
	}
	fputc('\'', f);
}

/* Writes the command of a task; `number` is the variable for its number. */
static void put_command(FILE *f, const struct sweep_tasks *t, const char *pmk, const char *number,
			const char *jobs, bool make)
{
	put_word(f, pmk, make);
	fputs(" sweep ", f);
	put_word(f, t->plan, make);
	fputs(" -o ", f);
	put_word(f, t->folder, make);
	fprintf(f, "/%s.db --task ", number);
	put_word(f, t->folder, make);
	fprintf(f, "/todo:%s/%u -j %s%s", number, t->count, jobs, t->retry ? " --retry" : "");
}

static void put_makefile(FILE *f, const struct sweep_tasks *t, const char *pmk)
{
	fputs("# Tasks of a sweep, by pmk. make -j N runs N of them at a time.\nTASKS =", f);
	for (unsigned i = 0; i < t->count; i++)
		fprintf(f, " %u.done", i);
	fputs("\n\nall: $(TASKS)\n\n", f);
	/* Exit code 1 means that some cells failed. The database has their failures, so the task is
	 * done. */
	fputs("%.done:\n\t@", f);
	put_command(f, t, pmk, "$*", "1", true);
	fputs(" || [ $$? -eq 1 ]\n\t@touch ", f);
	put_word(f, t->folder, true);
	fputs("/$@\n\n.PHONY: all\n", f);
}

static void put_job(FILE *f, const struct sweep_tasks *t, const char *pmk)
{
	fprintf(f,
		"#!/bin/sh\n# Tasks of a sweep, by pmk.\n#SBATCH --job-name=pmk-sweep\n"
		"#SBATCH --array=0-%u\n#SBATCH --requeue\n#SBATCH --open-mode=append\n",
		t->count - 1);
	/* Words in these lines may be quoted. */
	fprintf(f, "#SBATCH --output=\"%s/%%a.log\"\n", t->folder);
	put_command(f, t, pmk, "\"$SLURM_ARRAY_TASK_ID\"", "\"${SLURM_CPUS_PER_TASK:-1}\"", false);
	fputs(" &\n"
	      /* A shell handles a signal at once in `wait`, but not while it runs a command. */
	      "trap 'kill -TERM $!' TERM INT\n"
	      "wait $!\ncode=$?\n[ $code -le 128 ] || wait $!\n"
	      /*
	       * Exit code 1 means that some cells failed. The database has their failures, so the
	       * task is done.
	       */
	      "[ $code -eq 0 ] || [ $code -eq 1 ] || exit $code\n",
	      f);
}

static int write_script(const struct sweep_tasks *t, const char *name,
			void (*put)(FILE *f, const struct sweep_tasks *t, const char *pmk))
{
	char path[PATH_MAX + 16], pmk[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", pmk, sizeof(pmk) - 1);
	struct pmk_whole out;
	bool good;

	if (n < 0)
		return cli_fail(PMK_EXIT_FAILED,
				"cannot find out where pmk is (/proc/self/exe): %s; mount /proc",
				strerror(errno));
	pmk[n] = '\0';
	snprintf(path, sizeof(path), "%s/%s", t->folder, name);
	if (!pmk_whole_open(&out, path))
		return cli_fail(PMK_EXIT_FAILED, "%s: %s", path, strerror(errno));
	put(out.f, t, pmk);
	good = !fflush(out.f) && !ferror(out.f);
	if (!pmk_whole_close(&out, good) || !good)
		return cli_fail(PMK_EXIT_FAILED, "%s: %s", path, strerror(errno));
	return 0;
}

/* ---- engines --------------------------------------------------------------------------------- */

static int engine_make(const struct sweep_tasks *t)
{
	int code = write_script(t, "Makefile", put_makefile);

	if (!code)
		printf("%u task%s; make -C %s -j N runs %s\n", t->count, t->count == 1 ? "" : "s",
		       t->folder, t->count == 1 ? "it" : "them");
	return code;
}

static int engine_slurm(const struct sweep_tasks *t)
{
	char script[PATH_MAX + 16], id[64];
	const char *const words[] = { "sbatch", "--parsable", script, NULL };
	int code = write_script(t, "job.sh", put_job);

	if (code)
		return code;
	snprintf(script, sizeof(script), "%s/job.sh", t->folder);
	code = pmk_tool_run(words, PMK_ERRORS_SHOWN, 0, id, sizeof(id));
	id[strcspn(id, ";\n")] = '\0';
	if (code || !*id)
		return cli_fail(PMK_EXIT_FAILED, "sbatch refused %s/job.sh (exit code %d)",
				t->folder, code);
	printf("%u tasks in job %s; squeue -j %s shows them\n", t->count, id, id);
	return 0;
}

static const struct engine {
	const char *name;
	int (*start)(const struct sweep_tasks *t);
} engines[] = { { "make", engine_make }, { "slurm", engine_slurm } };

#define NENGINES (sizeof(engines) / sizeof(engines[0]))

int sweep_engine_check(const char *name)
{
	for (size_t i = 0; i < NENGINES; i++)
		if (!strcmp(engines[i].name, name))
			return 0;
	return cli_fail(PMK_EXIT_USAGE, "--engine %s: expected make or slurm", name);
}

static unsigned task_count(unsigned asked, size_t cells)
{
	size_t n = asked ? asked : (cells + CELLS_OF_TASK - 1) / CELLS_OF_TASK;

	n = n > cells ? cells : n;
	return n > MOST_TASKS && !asked ? MOST_TASKS : (unsigned)n;
}

static void remove_tasks(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;

	/* Remove all files. The folder has no subfolders. */
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

int sweep_engine_start(struct sweep_tasks *t, const char *engine, const struct pmk_sweep *s,
		       const struct pmk_sweep_todo *todo)
{
	char list[PATH_MAX + 16];
	int code = PMK_EXIT_FAILED;

	if (!todo->count) {
		printf("%zu cell%s: none is missing\n", s->ncells, s->ncells == 1 ? "" : "s");
		return todo->failed ? 1 : 0;
	}
	if (mkdir(t->folder, 0777))
		return errno == EEXIST
			       ? cli_fail(PMK_EXIT_FAILED,
					  "%s: contains tasks of an earlier sweep; pmk sweep "
					  "--collect DB merges their counts and removes it",
					  t->folder)
			       : cli_fail(PMK_EXIT_FAILED, "%s: %s", t->folder, strerror(errno));
	t->count = task_count(t->count, todo->count);
	snprintf(list, sizeof(list), "%s/todo", t->folder);
	if (pmk_tasks_write(s, todo, list))
		cli_fail(0, "%s: %s", list, strerror(errno));
	else
		for (size_t i = 0; i < NENGINES; i++)
			if (!strcmp(engines[i].name, engine))
				code = engines[i].start(t);
	if (code)
		remove_tasks(t->folder);
	else
		printf("then: pmk sweep --collect %s\n", t->db);
	return code;
}

/* ---- collecting ------------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the databases in the folder of tasks. */
static int list_parts(const char *folder, struct pmk_words *parts)
{
	DIR *dir = opendir(folder);
	char path[PATH_MAX + 256];
	struct dirent *e;
	bool good = true;

	if (!dir)
		return cli_fail(PMK_EXIT_FAILED, "%s: %s", folder, strerror(errno));
	while (good && (e = readdir(dir))) {
		size_t n = strlen(e->d_name);

		if (n < 4 || strcmp(e->d_name + n - 3, ".db") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		good = pmk_words_add(parts, path);
	}
	closedir(dir);
	if (parts->count)
		qsort(parts->word, parts->count, sizeof(char *), by_name);
	return good ? 0 : cli_no_memory();
}

/* Merges databases into this one. If they belong to tasks, a locked database belongs to a task that
 * is still running: it is skipped, and counted in *running. */
static int merge_parts(struct pmk_store *store, char *const *parts, unsigned n, bool tasks,
		       unsigned *running)
{
	for (unsigned i = 0; i < n; i++) {
		struct pmk_store *part;
		char msg[512];
		int err = pmk_store_open(&part, parts[i], tasks ? PMK_STORE_ALONE : PMK_STORE_READ,
					 msg, sizeof(msg));

		pmk_store_close(part);
		*running += err == PMK_EBUSY;
		if (err == PMK_EBUSY)
			continue;
		if (err)
			return cli_fail(PMK_EXIT_FAILED, "%s", msg);
		if (pmk_store_merge(store, parts[i]))
			return cli_fail(PMK_EXIT_FAILED, "%s", pmk_store_error(store));
	}
	return 0;
}

/* Checks that the databases to collect exist, and that none of them is the target. */
static int check_others(const char *db, char *const *others)
{
	struct stat to, from;
	bool there = !stat(db, &to);

	for (; *others; others++) {
		if (!stat(*others, &from) && !S_ISREG(from.st_mode))
			return cli_fail(PMK_EXIT_USAGE, "%s: not a regular file", *others);
		if (!strcmp(*others, db) || (there && !stat(*others, &from) &&
					     from.st_dev == to.st_dev && from.st_ino == to.st_ino))
			return cli_fail(PMK_EXIT_USAGE,
					"--collect: %s is the database to write, and cannot also "
					"be merged into it",
					*others);
		if (access(*others, R_OK))
			return cli_fail(PMK_EXIT_FAILED, "%s: %s", *others, strerror(errno));
	}
	return 0;
}

int sweep_collect(const char *db, char *const *others)
{
	struct pmk_words parts = { 0 };
	char folder[PATH_MAX], msg[512];
	struct pmk_store *store = NULL;
	unsigned running = 0, n = 0;
	int code = 0;

	while (others[n])
		n++;
	if (!sweep_tasks_folder(db, folder))
		return cli_fail(PMK_EXIT_USAGE, "%s: %s", db, strerror(ENAMETOOLONG));
	code = n ? check_others(db, others) : list_parts(folder, &parts);
	if (!code && pmk_store_open(&store, db, PMK_STORE_ADD, msg, sizeof(msg)))
		code = cli_fail(PMK_EXIT_FAILED, "%s", msg);
	if (!code)
		code = n ? merge_parts(store, others, n, false, &running)
			 : merge_parts(store, parts.word, parts.count, true, &running);
	pmk_store_close(store);
	pmk_words_free(&parts);
	if (!code && running)
		return cli_fail(PMK_EXIT_FAILED,
				"%u of the databases are still being written; the others have "
				"been merged",
				running);
	if (!code && !n)
		remove_tasks(folder);
	return code;
}
