// SPDX-License-Identifier: MIT
/*
 * Every item that is stored in the results database can be read back, and nothing is stored twice.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/error.h>

#include "lab/sweep/store.h"

static char dir[64], first[96], second[96];

static int make_folder(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/pmk-store-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	snprintf(first, sizeof(first), "%s/first.db", dir);
	snprintf(second, sizeof(second), "%s/second.db", dir);
	return 0;
}

static int remove_folder(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static struct pmk_store *opened(const char *path, enum pmk_store_how how)
{
	struct pmk_store *s;
	char msg[512] = "";
	int err = pmk_store_open(&s, path, how, msg, sizeof(msg));

	if (err)
		fail_msg("%s", msg);
	return s;
}

static int refused(const char *path, enum pmk_store_how how, char msg[512])
{
	struct pmk_store *s;
	int err = pmk_store_open(&s, path, how, msg, 512);

	assert_null(s);
	return err;
}

static const struct pmk_store_program sort = { .hash = { 1 }, "/bin/sort", "sort 7", "stdin x" };
static const struct pmk_store_config small = { .hash = { 2 }, "arm1176", "arm", "dcache.size=4K" };
static const struct pmk_store_value counted[] = {
	{ .event = "cycles", .pmu = "arm1176", .trust = "modelled", .has_value = true, .value = 7 },
	{ .event = "etmextout_0", .trust = "not supported", .reason = "there is no ETM" },
};

/* Returns the cell whose key begins with `number`. */
static struct pmk_store_cell cell_of(uint8_t number)
{
	return (struct pmk_store_cell){ .key = { number },
					.program = &sort,
					.config = &small,
					.seconds = 0.5,
					.values = counted,
					.nvalues = 2 };
}

static struct pmk_store_cell failed_cell(uint8_t number)
{
	struct pmk_store_cell cell = cell_of(number);

	cell.failure = "it was killed";
	cell.exit_code = -1;
	cell.nvalues = 0;
	return cell;
}

static const struct pmk_store_setting settings[] = { { "dcache.size", "4K" },
						     { "dcache.ways", "2" } };

static struct pmk_store_point point_of(const char *name)
{
	return (struct pmk_store_point){
		.name = name, .core = "arm1176", .settings = settings, .nsettings = 2
	};
}

static void put(struct pmk_store *s, struct pmk_store_cell cell, const char *name)
{
	struct pmk_store_point point = point_of(name);
	int64_t id;

	assert_int_equal(pmk_store_put(s, &cell, &id), 0);
	assert_true(id > 0);
	assert_int_equal(pmk_store_name(s, &point, id), 0);
}

/* All points as text, one per line. */
static char shown[1024];

static int show(void *ctx, const struct pmk_store_row *r)
{
	size_t at = strlen(shown);

	(void)ctx;
	at += (size_t)snprintf(shown + at, sizeof(shown) - at, "%s %s %02x", r->point.name,
			       r->point.core, r->key[0]);
	for (size_t i = 0; i < r->point.nsettings; i++)
		at += (size_t)snprintf(shown + at, sizeof(shown) - at, " %s=%s",
				       r->point.settings[i].name, r->point.settings[i].value);
	for (size_t i = 0; i < r->nvalues; i++) {
		const struct pmk_store_value *v = &r->values[i];
		char number[24] = "-";

		if (v->has_value)
			snprintf(number, sizeof(number), "%llu", (unsigned long long)v->value);
		at += (size_t)snprintf(shown + at, sizeof(shown) - at, " %s:%s:%s:%s:%s", v->event,
				       number, v->pmu ? v->pmu : "-", v->trust,
				       v->reason ? v->reason : "-");
	}
	snprintf(shown + at, sizeof(shown) - at, "%s%s\n", r->failure ? " failed: " : "",
		 r->failure ? r->failure : "");
	return 0;
}

static void assert_shown(struct pmk_store *s, const char *text)
{
	*shown = '\0';
	assert_int_equal(pmk_store_points(s, 0, show, NULL), 0);
	assert_string_equal(shown, text);
}

#define VALUES                                                      \
	" dcache.size=4K dcache.ways=2 cycles:7:arm1176:modelled:-" \
	" etmextout_0:-:-:not supported:there is no ETM"

static void what_is_put_is_there_again(void **state)
{
	struct pmk_store *s = opened(first, PMK_STORE_WRITE);

	(void)state;
	put(s, cell_of(0xa1), "sort");
	put(s, failed_cell(0xa2), "grep");
	pmk_store_close(s);
	s = opened(first, PMK_STORE_READ);
	assert_shown(s, "grep arm1176 a2 dcache.size=4K dcache.ways=2 failed: it was killed\n"
			"sort arm1176 a1" VALUES "\n");
	pmk_store_close(s);
}

static void a_key_finds_its_cell(void **state)
{
	struct pmk_store *s = opened(first, PMK_STORE_WRITE);
	const pmk_store_key none = { 0xff };
	struct pmk_store_found found;
	bool has;

	(void)state;
	put(s, cell_of(0xa1), "sort");
	put(s, failed_cell(0xa2), "grep");
	assert_int_equal(pmk_store_find(s, none, &found), 0);
	assert_int_equal(found.id, 0);
	assert_int_equal(pmk_store_find(s, failed_cell(0xa2).key, &found), 0);
	assert_true(found.id && found.failed);
	assert_int_equal(pmk_store_find(s, cell_of(0xa1).key, &found), 0);
	assert_true(found.id && !found.failed && found.seconds == 0.5);
	assert_int_equal(pmk_store_has(s, found.id, "cycles", &has), 0);
	assert_true(has);
	assert_int_equal(pmk_store_has(s, found.id, "etmextout_0", &has), 0);
	assert_true(has);
	assert_int_equal(pmk_store_has(s, found.id, "instructions", &has), 0);
	assert_false(has);
	pmk_store_close(s);
}

static void values_are_added_and_none_is_changed(void **state)
{
	const struct pmk_store_value more[] = {
		{ .event = "cycles", .trust = "exact", .has_value = true, .value = 8 },
		{ .event = "branches", .trust = "exact", .has_value = true, .value = 9 },
	};
	struct pmk_store *s = opened(first, PMK_STORE_WRITE);
	struct pmk_store_cell cell = cell_of(0xa1);

	(void)state;
	put(s, cell, "sort");
	cell.values = more;
	put(s, cell, "sort");
	assert_shown(s, "sort arm1176 a1" VALUES " branches:9:-:exact:-\n");
	pmk_store_close(s);
}

static void counts_take_the_place_of_a_failure(void **state)
{
	struct pmk_store *s = opened(first, PMK_STORE_WRITE);

	(void)state;
	put(s, failed_cell(0xa1), "sort");
	put(s, cell_of(0xa1), "sort");
	assert_shown(s, "sort arm1176 a1" VALUES "\n");
	/* A failure does not replace counts. */
	put(s, failed_cell(0xa1), "sort");
	assert_shown(s, "sort arm1176 a1" VALUES "\n");
	pmk_store_close(s);
}

static void an_event_that_failed_gives_way_to_a_count(void **state)
{
	static const struct pmk_store_value added = { .event = "instructions",
						      .trust = PMK_STORE_FAILED,
						      .reason = "exit code 3" },
					    later = { .event = "instructions",
						      .trust = "exact",
						      .has_value = true,
						      .value = 9 },
					    last = { .event = "instructions",
						     .trust = "exact",
						     .has_value = true,
						     .value = 10 };
	const struct pmk_store_value *const steps[] = { &added, &later, &last };
	struct pmk_store *s = opened(first, PMK_STORE_WRITE), *other;
	struct pmk_store_cell cell = cell_of(1);
	struct pmk_store_found found;
	bool failed = true;
	int64_t id;

	(void)state;
	put(s, cell, "sort");
	cell.nvalues = 1;
	cell.values = &added;
	put(s, cell, "sort");
	assert_int_equal(pmk_store_find(s, cell.key, &found), 0);
	assert_false(found.failed);
	assert_int_equal(pmk_store_event_failed(s, found.id, "cycles", &failed), 0);
	assert_false(failed);
	assert_int_equal(pmk_store_event_failed(s, found.id, "instructions", &failed), 0);
	assert_true(failed);
	/* A second database contains its own counts. */
	other = opened(second, PMK_STORE_WRITE);
	for (size_t i = 0; i < 3; i++) {
		cell.values = steps[i];
		assert_int_equal(pmk_store_put(other, &cell, &id), 0);
	}
	pmk_store_close(other);
	assert_int_equal(pmk_store_merge(s, second), 0);
	assert_int_equal(pmk_store_event_failed(s, found.id, "instructions", &failed), 0);
	assert_false(failed);
	assert_shown(s, "sort arm1176 01" VALUES " instructions:9:-:exact:-\n");
	pmk_store_close(s);
}

static void a_point_moves_and_goes(void **state)
{
	struct pmk_store *s = opened(first, PMK_STORE_WRITE);
	struct pmk_store_point point = point_of("sort");

	(void)state;
	put(s, cell_of(0xa1), "sort");
	put(s, cell_of(0xa2), "sort");
	assert_shown(s, "sort arm1176 a2" VALUES "\n");
	assert_int_equal(pmk_store_name(s, &point, 0), 0);
	assert_shown(s, "");
	pmk_store_close(s);
}

static void what_is_not_committed_is_lost(void **state)
{
	struct pmk_store *s = opened(first, PMK_STORE_WRITE);

	(void)state;
	put(s, cell_of(0xa1), "sort");
	assert_int_equal(pmk_store_begin(s), 0);
	put(s, cell_of(0xa2), "grep");
	pmk_store_close(s);
	s = opened(first, PMK_STORE_WRITE);
	assert_shown(s, "sort arm1176 a1" VALUES "\n");
	pmk_store_close(s);
}

static void databases_are_merged(void **state)
{
	struct pmk_store *a = opened(first, PMK_STORE_WRITE);
	struct pmk_store *b = opened(second, PMK_STORE_ALONE);

	(void)state;
	put(a, failed_cell(0xa1), "sort");
	put(a, cell_of(0xa2), "grep");
	put(b, cell_of(0xa3), "awk");
	put(b, failed_cell(0xa2), "grep");
	put(b, cell_of(0xa1), "sort");
	pmk_store_close(b);
	for (int twice = 0; twice < 2; twice++) {
		assert_int_equal(pmk_store_merge(a, second), 0);
		assert_shown(a, "awk arm1176 a3" VALUES "\ngrep arm1176 a2" VALUES
				"\nsort arm1176 a1" VALUES "\n");
	}
	pmk_store_close(a);
}

static int note_revision(void *ctx, const struct pmk_store_revision *r)
{
	size_t at = strlen(shown);

	(void)ctx;
	snprintf(shown + at, sizeof(shown) - at, "%lld %s %s %lld %d\n", (long long)r->id, r->name,
		 r->subject ? r->subject : "-", (long long)r->time, r->verdict);
	return 0;
}

static void revisions_keep_their_order(void **state)
{
	struct pmk_store *s = opened(first, PMK_STORE_WRITE);
	struct pmk_store_revision r = { .name = "c0ffee", .time = 99, .verdict = PMK_STORE_OPEN };
	struct pmk_store_point point = point_of("sort");
	int64_t id, cell;
	struct pmk_store_cell one = cell_of(0xa1);

	(void)state;
	assert_int_equal(pmk_store_revision(s, &r, &id), 0);
	assert_int_equal(id, 1);
	r.name = "beef";
	r.verdict = PMK_STORE_BAD;
	assert_int_equal(pmk_store_revision(s, &r, &id), 0);
	assert_int_equal(id, 2);
	r = (struct pmk_store_revision){
		.name = "c0ffee", .subject = "good one", .time = 99, .verdict = PMK_STORE_GOOD
	};
	assert_int_equal(pmk_store_revision(s, &r, &id), 0);
	assert_int_equal(id, 1);
	*shown = '\0';
	assert_int_equal(pmk_store_revisions(s, note_revision, NULL), 0);
	assert_string_equal(shown, "1 c0ffee good one 99 1\n2 beef - 99 0\n");
	/* Points of a revision are separate from those of sweeps. */
	assert_int_equal(pmk_store_put(s, &one, &cell), 0);
	point.revision = 2;
	assert_int_equal(pmk_store_name(s, &point, cell), 0);
	assert_shown(s, "");
	assert_int_equal(pmk_store_points(s, 2, show, NULL), 0);
	assert_string_equal(shown, "sort arm1176 a1" VALUES "\n");
	pmk_store_close(s);
}

static void only_one_writes(void **state)
{
	struct pmk_store *s = opened(first, PMK_STORE_WRITE), *r;
	char msg[512];

	(void)state;
	put(s, cell_of(0xa1), "sort");
	assert_int_equal(refused(first, PMK_STORE_WRITE, msg), PMK_EBUSY);
	assert_non_null(strstr(msg, "another process writes to it; try again when that has ended"));
	r = opened(first, PMK_STORE_READ);
	assert_shown(r, "sort arm1176 a1" VALUES "\n");
	pmk_store_close(r);
	pmk_store_close(s);
	s = opened(second, PMK_STORE_ALONE);
	put(s, cell_of(0xa1), "sort");
	assert_int_equal(refused(second, PMK_STORE_ALONE, msg), PMK_EBUSY);
	pmk_store_close(s);
}

static void other_files_are_refused(void **state)
{
	char msg[512];
	FILE *f = fopen(first, "w");

	(void)state;
	assert_int_equal(refused(second, PMK_STORE_READ, msg), PMK_EIO);
	assert_non_null(strstr(msg, "No such file"));
	fprintf(f, "%2000s", "no database");
	fclose(f);
	assert_int_equal(refused(first, PMK_STORE_WRITE, msg), PMK_EPARSE);
	assert_true(!strncmp(msg, first, strlen(first)));
}

/*
 * Reads a store as a user who can write neither to the folder nor to a file in it. Returns an exit
 * code.
 */
static int read_as_guest(const char *path, char msg[512])
{
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		struct pmk_store *s;
		int err;

		if (!getuid() && (setgid(65534) || setuid(65534)))
			_exit(99);
		err = pmk_store_open(&s, path, PMK_STORE_READ, msg, 512);
		if (!err) {
			struct pmk_store_found found;

			err = pmk_store_find(s, cell_of(1).key, &found);
			err = err ? err : !found.id;
		}
		_exit(err ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void a_database_is_read_where_nobody_may_write(void **state)
{
	static const char *const names[] = { "plain.db", "50%25 #1?mode=rw.db" };
	char *msg = mmap(NULL, 512, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char path[160], log[176];
	struct pmk_store *s;
	FILE *f;

	(void)state;
	assert_ptr_not_equal(msg, MAP_FAILED);
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		snprintf(log, sizeof(log), "%s-wal", path);
		s = opened(path, PMK_STORE_WRITE);
		put(s, cell_of(1), "sort");
		pmk_store_close(s);
		chmod(path, 0444);
		chmod(dir, 0555);
		if (read_as_guest(path, msg))
			fail_msg("%s: %s", names[i], msg);
		chmod(dir, 0755);
		f = fopen(log, "w"); /* the writer was killed */
		fputs("counts", f);
		fclose(f);
		chmod(dir, 0555);
		assert_int_equal(read_as_guest(path, msg), 1);
		if (!strstr(msg, "-wal"))
			fail_msg("%s", msg);
		chmod(dir, 0755);
	}
	munmap(msg, 512);
}

/*
 * Merges the database at `from` into the database at `into`, as a user who owns neither the file
 * `from` nor its folder.
 */
static int merge_as_guest(const char *into, const char *from, char *msg)
{
	struct pmk_store *s;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (!getuid() && (setgid(65534) || setuid(65534)))
			_exit(99);
		if (pmk_store_open(&s, into, PMK_STORE_WRITE, msg, 512))
			_exit(98);
		status = pmk_store_merge(s, from);
		snprintf(msg, 512, "%s", pmk_store_error(s));
		pmk_store_close(s);
		_exit(status ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void a_database_is_merged_where_nobody_may_write(void **state)
{
	static const char *const names[] = { "plain.db", "50%25 #1?mode=rw.db" };
	char *msg = mmap(NULL, 512, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char path[160], folder[160], into[192];
	struct pmk_store_found found;
	struct pmk_store *s;

	(void)state;
	assert_ptr_not_equal(msg, MAP_FAILED);
	snprintf(folder, sizeof(folder), "%s/own", dir);
	mkdir(folder, 0777);
	chmod(folder, 0777);
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		snprintf(into, sizeof(into), "%s/file:%zu?.db", folder, i);
		s = opened(path, PMK_STORE_WRITE);
		put(s, cell_of((uint8_t)(i + 1)), "sort");
		pmk_store_close(s);
		chmod(path, 0444);
		chmod(dir, 0555);
		if (merge_as_guest(into, path, msg))
			fail_msg("%s: %s", names[i], msg);
		chmod(dir, 0755);
		s = opened(into, PMK_STORE_READ);
		assert_int_equal(pmk_store_find(s, cell_of((uint8_t)(i + 1)).key, &found), 0);
		assert_true(found.id);
		pmk_store_close(s);
		assert_int_equal(unlink(into), 0);
	}
	assert_int_equal(rmdir(folder), 0);
	munmap(msg, 512);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		TEST(what_is_put_is_there_again),
		TEST(a_key_finds_its_cell),
		TEST(values_are_added_and_none_is_changed),
		TEST(counts_take_the_place_of_a_failure),
		TEST(an_event_that_failed_gives_way_to_a_count),
		TEST(a_point_moves_and_goes),
		TEST(what_is_not_committed_is_lost),
		TEST(databases_are_merged),
		TEST(revisions_keep_their_order),
		TEST(only_one_writes),
		TEST(other_files_are_refused),
		TEST(a_database_is_read_where_nobody_may_write),
		TEST(a_database_is_merged_where_nobody_may_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
