/* SPDX-License-Identifier: MIT */
/*
 * SQLite's functions, as far as they are used. The library is loaded when a recording is first
 * opened or written (base/late.h), and its functions are called by their names all the same:
 * whoever uses them includes this file in place of <sqlite3.h>.
 */
#ifndef PMK_RECORDING_SQLITE_H
#define PMK_RECORDING_SQLITE_H

#include <sqlite3.h>
#include <stdbool.h>

#define PMK_SQLITE_LIBRARY "libsqlite3.so.0"

/* clang-format off */
#define PMK_SQLITE_FUNCTIONS(X) \
	X(sqlite3_bind_blob) X(sqlite3_bind_double) X(sqlite3_bind_int64) \
	X(sqlite3_bind_null) X(sqlite3_bind_text) X(sqlite3_close) \
	X(sqlite3_column_blob) X(sqlite3_column_bytes) X(sqlite3_column_double) \
	X(sqlite3_column_int) X(sqlite3_column_int64) X(sqlite3_column_text) \
	X(sqlite3_column_type) X(sqlite3_db_config) X(sqlite3_errcode) \
	X(sqlite3_errmsg) X(sqlite3_exec) \
	X(sqlite3_finalize) X(sqlite3_free) X(sqlite3_last_insert_rowid) \
	X(sqlite3_mprintf) X(sqlite3_open_v2) X(sqlite3_prepare_v2) \
	X(sqlite3_progress_handler) X(sqlite3_reset) X(sqlite3_step)
/* clang-format on */

struct pmk_sqlite {
#define PMK_SQLITE_POINTER(name) __typeof__(name) *name##_;
	PMK_SQLITE_FUNCTIONS(PMK_SQLITE_POINTER)
#undef PMK_SQLITE_POINTER
};

extern struct pmk_sqlite pmk_sqlite;

/* Returns false if SQLite cannot be loaded. Before this call, only the close and finalize functions
 * may be called, with NULL. */
bool pmk_sqlite_load(void);

#define sqlite3_bind_blob	  pmk_sqlite.sqlite3_bind_blob_
#define sqlite3_bind_double	  pmk_sqlite.sqlite3_bind_double_
#define sqlite3_bind_int64	  pmk_sqlite.sqlite3_bind_int64_
#define sqlite3_bind_null	  pmk_sqlite.sqlite3_bind_null_
#define sqlite3_bind_text	  pmk_sqlite.sqlite3_bind_text_
#define sqlite3_close		  pmk_sqlite.sqlite3_close_
#define sqlite3_column_blob	  pmk_sqlite.sqlite3_column_blob_
#define sqlite3_column_bytes	  pmk_sqlite.sqlite3_column_bytes_
#define sqlite3_column_double	  pmk_sqlite.sqlite3_column_double_
#define sqlite3_column_int	  pmk_sqlite.sqlite3_column_int_
#define sqlite3_column_int64	  pmk_sqlite.sqlite3_column_int64_
#define sqlite3_column_text	  pmk_sqlite.sqlite3_column_text_
#define sqlite3_column_type	  pmk_sqlite.sqlite3_column_type_
#define sqlite3_db_config	  pmk_sqlite.sqlite3_db_config_
#define sqlite3_errcode		  pmk_sqlite.sqlite3_errcode_
#define sqlite3_errmsg		  pmk_sqlite.sqlite3_errmsg_
#define sqlite3_exec		  pmk_sqlite.sqlite3_exec_
#define sqlite3_finalize	  pmk_sqlite.sqlite3_finalize_
#define sqlite3_free		  pmk_sqlite.sqlite3_free_
#define sqlite3_last_insert_rowid pmk_sqlite.sqlite3_last_insert_rowid_
#define sqlite3_mprintf		  pmk_sqlite.sqlite3_mprintf_
#define sqlite3_open_v2		  pmk_sqlite.sqlite3_open_v2_
#define sqlite3_prepare_v2	  pmk_sqlite.sqlite3_prepare_v2_
#define sqlite3_progress_handler  pmk_sqlite.sqlite3_progress_handler_
#define sqlite3_reset		  pmk_sqlite.sqlite3_reset_
#define sqlite3_step		  pmk_sqlite.sqlite3_step_

#endif
