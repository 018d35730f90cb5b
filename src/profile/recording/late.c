// SPDX-License-Identifier: MIT
/* SQLite and libdw, loaded when they are first asked for. See sqlite.h and libdw.h. */
#include <pthread.h>
#include <stddef.h>

#include "base/late.h"
#include "profile/recording/libdw.h"
#include "profile/recording/sqlite.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What was never opened may be closed. */
static int close_nothing(sqlite3 *db)
{
	(void)db;
	return SQLITE_OK;
}

static int finalize_nothing(sqlite3_stmt *s)
{
	(void)s;
	return SQLITE_OK;
}

struct pmk_sqlite pmk_sqlite = {
	.sqlite3_close_ = close_nothing,
	.sqlite3_finalize_ = finalize_nothing,
};
struct pmk_libdw pmk_libdw;

static bool have_sqlite, have_libdw;

static void load_sqlite(void)
{
#define ENTRY(name) { #name, offsetof(struct pmk_sqlite, name##_) },
	static const struct pmk_late_function functions[] = { PMK_SQLITE_FUNCTIONS(ENTRY) };
#undef ENTRY

	have_sqlite = pmk_late_load(PMK_SQLITE_LIBRARY, functions, COUNT(functions), &pmk_sqlite);
}

bool pmk_sqlite_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_sqlite);
	return have_sqlite;
}

static void load_libdw(void)
{
#define ENTRY(name) { #name, offsetof(struct pmk_libdw, name##_) },
	static const struct pmk_late_function functions[] = { PMK_LIBDW_FUNCTIONS(ENTRY) };
#undef ENTRY

	have_libdw = pmk_late_load(PMK_LIBDW_LIBRARY, functions, COUNT(functions), &pmk_libdw);
}

bool pmk_libdw_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_libdw);
	return have_libdw;
}
