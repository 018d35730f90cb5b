// SPDX-License-Identifier: MIT
/* Tables that are written page by page: SQLite finds every row, and no fault in the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "profile/recording/pages.h"

static char path[] = "/tmp/pmk-pages-XXXXXX";
static char text[20000];

/* The other columns of row i. */
struct row {
	int64_t number;
	size_t size;
};

typedef struct row row_of(int64_t i);

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	memset(text, 'x', sizeof(text));
	return fd < 0 || close(fd) ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void execute(sqlite3 *db, const char *sql)
{
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void fill(struct pmk_pages *p, uint32_t root, bool by_key, int64_t n, row_of *of)
{
	struct pmk_table *t = malloc(sizeof(*t));

	assert_non_null(t);
	pmk_table_begin(t, p, root, by_key);
	for (int64_t i = 0; i < n; i++) {
		struct row r = of(i);

		pmk_table_column(t, PMK_COLUMN_INT, i, NULL, 0);
		pmk_table_column(t, PMK_COLUMN_INT, r.number, NULL, 0);
		pmk_table_column(t, PMK_COLUMN_NULL, 0, NULL, 0);
		pmk_table_column(t, i % 2 ? PMK_COLUMN_TEXT : PMK_COLUMN_BLOB, 0, text, r.size);
		pmk_table_row(t);
	}
	pmk_table_end(t);
	free(t);
}

static void expect_rows(sqlite3 *db, const char *sql, int64_t n, row_of *of)
{
	sqlite3_stmt *s;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	for (int64_t i = 0; i < n; i++) {
		struct row r = of(i);

		assert_int_equal(sqlite3_step(s), SQLITE_ROW);
		assert_int_equal(sqlite3_column_int64(s, 0), i);
		assert_int_equal(sqlite3_column_int64(s, 1), r.number);
		assert_int_equal(sqlite3_column_type(s, 2), SQLITE_NULL);
		assert_int_equal(sqlite3_column_type(s, 3), i % 2 ? SQLITE_TEXT : SQLITE_BLOB);
		assert_int_equal(sqlite3_column_bytes(s, 3), r.size);
		if (r.size)
			assert_memory_equal(sqlite3_column_blob(s, 3), text, r.size);
	}
	assert_int_equal(sqlite3_step(s), SQLITE_DONE);
	sqlite3_finalize(s);
}

static void expect_intact(sqlite3 *db)
{
	sqlite3_stmt *s;

	sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &s, NULL);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(s, 0), "ok");
	sqlite3_finalize(s);
}

/* Write n rows to a table of each kind, and read them. */
static void check(int64_t n, row_of *of)
{
	struct pmk_pages p;
	sqlite3 *db;

	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	execute(db, "PRAGMA page_size=4096; PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF; BEGIN;"
		    "CREATE TABLE a(id INTEGER PRIMARY KEY, n, z, t);"
		    "CREATE TABLE b(id, n, z, t, PRIMARY KEY(id)) WITHOUT ROWID; COMMIT");
	sqlite3_close(db);
	assert_int_equal(pmk_pages_open(&p, path), 0);
	fill(&p, 2, false, n, of);
	fill(&p, 3, true, n, of);
	assert_int_equal(pmk_pages_close(&p), 0);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	expect_intact(db);
	expect_rows(db, "SELECT * FROM a ORDER BY id", n, of);
	expect_rows(db, "SELECT * FROM b ORDER BY id", n, of);
	/* SQLite can go on writing. */
	execute(db, "PRAGMA synchronous=OFF; INSERT INTO b SELECT 1000000 + id, n, z, t FROM a");
	expect_intact(db);
	sqlite3_close(db);
}

/* Four rows or three fill a page, so tables of few rows have several levels. */
static struct row large(int64_t i)
{
	return (struct row){ i, 900 + (size_t)i % 100 };
}

static void test_every_number_of_rows(void **state)
{
	(void)state;
	for (int64_t n = 0; n < 90; n++)
		check(n, large);
}

/* Sizes at which a row no longer fits into its page. */
static struct row growing(int64_t i)
{
	static const size_t from[] = { 0, 950, 4020, 8070, 19900 };

	return (struct row){ i, from[i % 5] + (size_t)i / 5 };
}

static void test_overflow(void **state)
{
	(void)state;
	check(500, growing);
}

static struct row number(int64_t i)
{
	static const int64_t first[] = { 0, 1, -1, 127, -128, 32767, -32768 };
	uint64_t power = UINT64_C(1) << (i / 4 % 64);
	uint64_t near = power + (uint64_t)(i % 4) - 2;

	return (struct row){ i < 7 ? first[i] : (int64_t)(i % 8 < 4 ? near : 0 - near), 0 };
}

static void test_numbers(void **state)
{
	(void)state;
	check(20000, number);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_number_of_rows),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
