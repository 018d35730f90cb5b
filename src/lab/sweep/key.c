// SPDX-License-Identifier: MIT
/*
 * Computes the keys of cells: see key.h.
 *
 * A key is needed before the program runs, but only a run shows which libraries it loads. So the
 * key includes every file that the loader might load: all files of the right name in each folder
 * that is searched. An unnecessary file only costs an extra run when it changes; a missing file
 * would make counts wrong.
 */
#define _GNU_SOURCE
#include "lab/sweep/key.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "base/message.h"
#include "base/sha256.h"

struct pmk_file_hash {
	char *path;
	uint8_t hash[PMK_SHA256];
	struct stat before; /* state of the file before it was read */
};

#define NOT_REGULAR (-1) /* a number that is not a value of errno */

void pmk_file_hashes_free(struct pmk_file_hashes *h)
{
	for (size_t i = 0; i < h->count; i++)
		free(h->item[i].path);
	free(h->item);
	*h = (struct pmk_file_hashes){ 0 };
}

/* Returns 0 only for a file that ends, which pipes and most devices do not. */
static int check_kind(const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return EISDIR;
	if (S_ISREG(st->st_mode) || (S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3)))
		return 0; /* the device is /dev/null */
	return NOT_REGULAR;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/*
 * True if the file has not changed. The times of /dev/null change with every write, but it stays
 * empty. If only st_ctim differs, because of a new link or new permissions, the contents decide.
 * For example, perf makes links to the libraries that it has seen.
 */
static bool same_file(const struct pmk_file_hash *file)
{
	const struct stat *before = &file->before;
	uint8_t hash[PMK_SHA256];
	struct stat now;

	if (stat(file->path, &now))
		return false;
	if (!S_ISREG(before->st_mode))
		return now.st_mode == before->st_mode && now.st_rdev == before->st_rdev;
	if (now.st_dev != before->st_dev || now.st_ino != before->st_ino ||
	    now.st_size != before->st_size || !same_time(&now.st_mtim, &before->st_mtim))
		return false;
	return same_time(&now.st_ctim, &before->st_ctim) ||
	       (!pmk_sha256_file(file->path, hash) && !memcmp(hash, file->hash, sizeof(hash)));
}

const char *pmk_file_hashes_changed(const struct pmk_file_hashes *h,
				    const struct pmk_file_places *p)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct pmk_file_hash *file = &h->item[p->place[i]];

		if (!same_file(file))
			return file->path;
	}
	return NULL;
}

/*
 * Hashes a file, but reads each file only once. *place becomes its place in the list. Returns 0, an
 * errno or NOT_REGULAR.
 */
static int hash_file(struct pmk_file_hashes *h, const char *path, size_t *place)
{
	struct pmk_file_hash *more;
	int error;

	for (*place = 0; *place < h->count; ++*place)
		if (!strcmp(h->item[*place].path, path))
			return 0;
	if (!PMK_GROW(h->item, h->count, h->room))
		return ENOMEM;
	more = &h->item[h->count];
	if (stat(path, &more->before))
		return errno;
	error = check_kind(&more->before);
	if (!error)
		error = pmk_sha256_file(path, more->hash);
	if (error)
		return error;
	more->path = strdup(path);
	if (!more->path)
		return ENOMEM;
	h->count++;
	return 0;
}

/* ---- computing a key ------------------------------------------------------------------------- */

struct keying {
	struct pmk_sha256 h;
	struct pmk_file_hashes *files;
	struct pmk_file_places *own; /* the files in `files` that are in this key */
	FILE *about;
	/* Folders in which the loader searches for libraries. Each is tried below the sysroot, and
	 * then on this machine. */
	struct pmk_words folders;
	struct pmk_words seen; /* names of libraries, in the order in which they were found */
	const char *sysroot;
	const char *origin; /* the object whose libraries are being looked up */
	bool no_memory;
};

/* Hashes a text and its length, because the same bytes could be split into texts in different
 * ways. */
static void hash_text(struct pmk_sha256 *h, const char *text)
{
	uint64_t n = strlen(text);
	uint8_t length[8];

	for (unsigned i = 0; i < 8; i++)
		length[i] = (uint8_t)(n >> 8 * i);
	pmk_sha256_add(h, length, sizeof(length));
	pmk_sha256_add(h, text, n);
}

void pmk_store_key_end(struct pmk_sha256 *h, pmk_store_key key)
{
	uint8_t hash[PMK_SHA256];

	pmk_sha256_end(h, hash);
	memcpy(key, hash, PMK_STORE_KEY);
}

static void add_fact(struct keying *k, const char *what, const char *text)
{
	hash_text(&k->h, what);
	hash_text(&k->h, text);
	fprintf(k->about, "%s %s\n", what, text);
}

/*
 * Adds the file at `path` under the name that the program uses. Returns 0, an errno or NOT_REGULAR.
 */
static int add_file(struct keying *k, const char *what, const char *name, const char *path)
{
	char text[2 * PMK_SHA256 + 1];
	const uint8_t *hash;
	size_t place;
	int error = hash_file(k->files, path, &place);

	if (!error && !PMK_APPEND(k->own->place, k->own->count, k->own->room, place))
		error = ENOMEM;
	if (error)
		return error;
	hash = k->files->item[place].hash;
	pmk_sha256_text(hash, PMK_SHA256, text);
	hash_text(&k->h, what);
	hash_text(&k->h, name);
	pmk_sha256_add(&k->h, hash, PMK_SHA256);
	fprintf(k->about, "%s %s %s\n", what, name, text);
	return 0;
}

static void add_word(struct keying *k, struct pmk_words *words, const char *word)
{
	for (unsigned i = 0; i < words->count; i++)
		if (!strcmp(words->word[i], word))
			return;
	k->no_memory |= !pmk_words_add(words, word);
}

/* ---- libraries ------------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/*
 * Finds the file that the emulator opens for `name`: below the sysroot if it exists there,
 * otherwise on this machine.
 */
static void find_below(const struct keying *k, const char *name, char path[PATH_MAX])
{
	if (snprintf(path, PATH_MAX, "%s%s", k->sysroot, name) >= PATH_MAX || !is_file(path))
		snprintf(path, PATH_MAX, "%s", name);
}

static void add_folder(struct keying *k, const char *folder)
{
	static const char token[] = "$ORIGIN", other[] = "${ORIGIN}";
	size_t n = !strncmp(folder, token, sizeof(token) - 1)	? sizeof(token) - 1
		   : !strncmp(folder, other, sizeof(other) - 1) ? sizeof(other) - 1
								: 0;
	const char *slash = strrchr(k->origin, '/');
	char path[PATH_MAX];

	if (!n)
		add_word(k, &k->folders, folder);
	else if (snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash - k->origin) : 1,
			  slash ? k->origin : ".", folder + n) < PATH_MAX)
		add_word(k, &k->folders, path);
}

/* Adds the folders in a list such as "a:b:c". */
static void add_folders(struct keying *k, const char *list)
{
	char *copy = strdup(list), *save;

	k->no_memory |= !copy;
	for (char *w = copy ? strtok_r(copy, ":;", &save) : NULL; w;
	     w = strtok_r(NULL, ":;", &save))
		add_folder(k, w);
	free(copy);
}

/* Adds folders of libraries for one machine, such as lib/arm-linux-gnueabihf. */
static void add_machines(struct keying *k, const char *root, const char *base)
{
	char path[PATH_MAX];
	DIR *dir =
		snprintf(path, sizeof(path), "%s%s", root, base) < PATH_MAX ? opendir(path) : NULL;
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (strstr(e->d_name, "-linux-") &&
		    snprintf(path, sizeof(path), "%s/%s", base, e->d_name) < PATH_MAX)
			add_word(k, &k->folders, path);
	if (dir)
		closedir(dir);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_default_folders(struct keying *k)
{
	static const char *const bases[] = { "/lib", "/usr/lib", "/lib64", "/usr/lib64" };
	unsigned first = k->folders.count;

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		add_word(k, &k->folders, bases[i]);
		add_machines(k, k->sysroot, bases[i]);
		add_machines(k, "", bases[i]);
	}
	/* Sort the folders, because readdir() returns them in any order. */
	if (k->folders.count > first)
		qsort(k->folders.word + first, k->folders.count - first, sizeof(*k->folders.word),
		      by_name);
}

static void take_dynamic(void *ctx, enum pmk_elf_dynamic kind, const char *text)
{
	struct keying *k = ctx;

	if (kind == PMK_ELF_NEEDED)
		add_word(k, &k->seen, text);
	else
		add_folders(k, text);
}

static void read_dynamic(struct keying *k, const char *path)
{
	k->origin = path;
	pmk_elf_dynamic(path, take_dynamic, k);
}

/* Adds each file of this name. A missing library is no error here: the loader will report it. */
static void add_library(struct keying *k, const char *name)
{
	char inside[PATH_MAX], path[PATH_MAX];

	if (strchr(name, '/')) {
		find_below(k, name, path);
		if (!add_file(k, "library", name, path))
			read_dynamic(k, path);
		return;
	}
	for (unsigned i = 0; i < k->folders.count; i++) {
		if (snprintf(inside, sizeof(inside), "%s/%s", k->folders.word[i], name) >= PATH_MAX)
			continue;
		find_below(k, inside, path);
		if (is_file(path) && !add_file(k, "library", inside, path))
			read_dynamic(k, path);
	}
}

static const char *value_of(const struct pmk_words *env, const char *name)
{
	size_t n = strlen(name);

	for (unsigned i = 0; i < env->count; i++)
		if (!strncmp(env->word[i], name, n) && env->word[i][n] == '=')
			return env->word[i] + n + 1;
	return NULL;
}

static void add_libraries(struct keying *k, const struct pmk_plan_program *p,
			  const struct pmk_program *opened, const char *real)
{
	const char *path = value_of(&p->env, "LD_LIBRARY_PATH");
	const char *preload = value_of(&p->env, "LD_PRELOAD");
	char file[PATH_MAX];

	k->origin = real;
	if (path)
		add_folders(k, path);
	add_default_folders(k);
	find_below(k, opened->elf.interpreter, file);
	add_file(k, "loader", opened->elf.interpreter, file);
	find_below(k, "/etc/ld.so.cache", file);
	add_file(k, "loader", "/etc/ld.so.cache", file);
	read_dynamic(k, real);
	for (const char *w = preload; w && *w; w += strspn(w, " :")) {
		size_t n = strcspn(w, " :");

		snprintf(file, sizeof(file), "%.*s", (int)n, w);
		if (n)
			add_word(k, &k->seen, file);
		w += n;
	}
	/* Libraries need libraries, so the list grows during this loop. */
	for (unsigned i = 0; i < k->seen.count; i++)
		add_library(k, k->seen.word[i]);
}

/* ---- programs -------------------------------------------------------------------------------- */

static int fail_unreadable(const char *path, int error, char *msg, size_t size)
{
	return pmk_message_fail(msg, size, PMK_EIO, "%s: %s", path,
				error == NOT_REGULAR ? "not a regular file" : strerror(error));
}

static int add_program(struct keying *k, const struct pmk_plan_program *p,
		       const struct pmk_program *opened, char *msg, size_t size)
{
	char real[PATH_MAX], folder[PATH_MAX];
	int error;

	if (!realpath(opened->image, real))
		return fail_unreadable(opened->image, errno, msg, size);
	if (!getcwd(folder, sizeof(folder)))
		return fail_unreadable(".", errno, msg, size);
	/* The path is part of the key, because even a program without a loader can look up its own
	 * path. */
	error = add_file(k, "program", real, real);
	if (error)
		return fail_unreadable(real, error, msg, size);
	add_fact(k, "path", opened->image);
	add_fact(k, "folder", folder);
	for (unsigned i = 0; i < p->argv.count; i++)
		add_fact(k, "argument", p->argv.word[i]);
	for (unsigned i = 0; i < p->env.count; i++)
		add_fact(k, "env", p->env.word[i]);
	/* The exit code is part of the key, because it decides whether a run has failed. */
	snprintf(folder, sizeof(folder), "%d", p->exit_code);
	add_fact(k, "exit", folder);
	if (p->stdin_file && (error = add_file(k, "stdin", "", p->stdin_file)))
		return fail_unreadable(p->stdin_file, error, msg, size);
	for (unsigned i = 0; i < p->inputs.count; i++) {
		const char *name = p->inputs.word[i];

		error = add_file(k, "input", name, name);
		if (error)
			return fail_unreadable(name, error, msg, size);
	}
	if (opened->elf.dynamic)
		add_libraries(k, p, opened, real);
	return k->no_memory ? PMK_ENOMEM : 0;
}

int pmk_key_program(const struct pmk_plan_program *p, const struct pmk_program *opened,
		    const char *sysroot, struct pmk_file_hashes *files, struct pmk_file_places *own,
		    pmk_store_key key, char **about, char *msg, size_t size)
{
	struct keying k = { .files = files, .own = own, .sysroot = sysroot ? sysroot : "" };
	size_t length;
	int err;

	snprintf(msg, size, "%s", pmk_strerror(PMK_ENOMEM));
	k.about = open_memstream(about, &length);
	if (!k.about)
		return PMK_ENOMEM;
	pmk_sha256_begin(&k.h);
	hash_text(&k.h, "pmk program 1");
	err = add_program(&k, p, opened, msg, size);
	pmk_store_key_end(&k.h, key);
	if (fclose(k.about) && !err)
		err = PMK_ENOMEM;
	if (err) {
		free(*about);
		*about = NULL;
	}
	pmk_words_free(&k.folders);
	pmk_words_free(&k.seen);
	return err;
}

/* ---- cores ----------------------------------------------------------------------------------- */

char *pmk_key_parameters(const struct pmk_core *core)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);

	if (!f)
		return NULL;
	for (const struct pmk_core_key *k = pmk_core_keys(core); k->key; k++)
		fprintf(f, "%s%s=%llu", k == pmk_core_keys(core) ? "" : ",", k->key,
			(unsigned long long)pmk_core_value(core, k));
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

/* Adds the parameters of a core. Its name is not hashed. */
static void add_core(struct pmk_sha256 *h, const struct pmk_core *core)
{
	pmk_sha256_begin(h);
	hash_text(h, "pmk config 1");
	hash_text(h, core->isa);
	hash_text(h, core->pmu);
	hash_text(h, core->qemu_cpu);
}

void pmk_key_config(const struct pmk_core *core, const char *parameters, pmk_store_key key)
{
	struct pmk_sha256 h;

	add_core(&h, core);
	hash_text(&h, parameters);
	pmk_store_key_end(&h, key);
}

void pmk_key_bad_config(const struct pmk_core *base, const char *settings, pmk_store_key key)
{
	char *parameters = pmk_key_parameters(base);
	struct pmk_sha256 h;

	add_core(&h, base);
	hash_text(&h, parameters ? parameters : "");
	hash_text(&h, settings);
	pmk_store_key_end(&h, key);
	free(parameters);
}

void pmk_key_cell(const pmk_store_key program, const pmk_store_key config, pmk_store_key key)
{
	struct pmk_sha256 h;

	pmk_sha256_begin(&h);
	hash_text(&h, "pmk cell 1");
	hash_text(&h, pmk_models);
	pmk_sha256_add(&h, program, PMK_STORE_KEY);
	pmk_sha256_add(&h, config, PMK_STORE_KEY);
	pmk_store_key_end(&h, key);
}
