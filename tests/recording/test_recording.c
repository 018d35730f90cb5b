// SPDX-License-Identifier: MIT
/*
 * Recordings of made-up executions are written for programs that this machine's compiler makes.
 * Each byte of a function counts as an executed instruction, so the results do not depend on the
 * compiler.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/error.h>

#include "profile/elf.h"
#include "profile/recording/database.h"
#include "profile/recording/recording.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define BIAS	 UINT64_C(0x40000000)
#define MADE	 UINT64_C(0x7000) /* address of code without a file */

static char dir[64], program[96], data[96];

/* Line 1 is the first line of this text. */
static const char source[] = "volatile int v;\n"
			     "static inline __attribute__((always_inline)) void innermost(int x)\n"
			     "{\n"
			     "	v = x;\n"
			     "}\n"
			     "static inline __attribute__((always_inline)) void inner(int x)\n"
			     "{\n"
			     "	v = x + 1;\n"
			     "	innermost(x + 2);\n"
			     "}\n"
			     "void plain(int x)\n"
			     "{\n"
			     "	v = 3;\n"
			     "	inner(x);\n"
			     "}\n"
			     "void mangled(int x) __asm__(\"_ZN5cache3putEi\");\n"
			     "void mangled(int x)\n"
			     "{\n"
			     "	v = x;\n"
			     "}\n"
			     "void rusty(void) __asm__(\"_RNvCs4fqI2P2rA04_7mycrate3run\");\n"
			     "void rusty(void)\n"
			     "{\n"
			     "	v = 0;\n"
			     "}\n"
			     "int main(void)\n"
			     "{\n"
			     "	plain(v);\n"
			     "	mangled(v);\n"
			     "	rusty();\n"
			     "	return v;\n"
			     "}\n";

static void run(const char *command)
{
	assert_int_equal(system(command), 0);
}

/*
 * Compiles the source with additional options. `more` are commands that are then run in the folder.
 */
static void compile_with(const char *options, const char *more)
{
	char command[512];
	FILE *f;

	snprintf(command, sizeof(command), "%s/source.c", dir);
	f = fopen(command, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(source, 1, sizeof(source) - 1, f), sizeof(source) - 1);
	fclose(f);
	snprintf(command, sizeof(command),
		 "cd %s && rm -rf program .debug && cc -g -O1 -falign-functions=16 %s "
		 "-Wl,--build-id=0x00c0ffee -o program source.c && %s",
		 dir, options, more);
	run(command);
}

static void compile(const char *more)
{
	compile_with("", more);
}

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%.30s/pmk-recording-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return -1;
	snprintf(program, sizeof(program), "%s/program", dir);
	snprintf(data, sizeof(data), "%s/pmk.data", dir);
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

/* ---- a recording ---------------------------------------------------------------------------- */

#define ROOM 1024

static const struct pmk_recorded_event events[] = {
	{ "instructions", "arm1176", PMK_TRUST_EXACT, NULL, 4321 },
	{ "cycles", "arm1176", PMK_TRUST_MODELLED, NULL, UINT64_C(1) << 40 },
	{ "etm_ext", "arm1176", PMK_TRUST_NOT_SUPPORTED, "nothing drives it", 99 },
};
static struct pmk_recorded_object objects[] = {
	{ PMK_RECORDED_FILE, program, BIAS },
	{ PMK_RECORDED_ANONYMOUS, "[anon]", 0 },
};
static const struct pmk_recorded_thread threads[] = { { 0, 0 }, { 2, 1 } };
static struct pmk_recorded_insn insns[ROOM];
static struct pmk_recorded_extra extras[ROOM];
static struct pmk_recorded_block blocks[ROOM];
static struct pmk_recorded_part parts[ROOM];
static struct pmk_recorded_run runs[ROOM];
static const uint64_t costs[] = { 1, 0, 0, /* costs of the extras */ 0, 1, 0, 0, 2, 0 };
static uint64_t plain; /* address of plain() in the file */
static size_t nplain;  /* its number of bytes, which are the first instructions */

/* Returns a recording of the functions of `file`, or only of made-up code if `file` is NULL. */
static struct pmk_recording made_up(const char *file)
{
	static const char *const names[] = { "plain", "_ZN5cache3putEi",
					     "_RNvCs4fqI2P2rA04_7mycrate3run" };
	struct pmk_recording rec = {
		.command = "./program -n 3",
		.core = "arm1176",
		.producer = "qemu-arm 7.2",
		.isa = "arm",
		.event = events,
		.object = objects,
		.thread = threads,
		.insn = insns,
		.extra = extras,
		.block = blocks,
		.part = parts,
		.run = runs,
		.cost = costs,
		.ncosts = COUNT(costs) / COUNT(events),
		.nevents = COUNT(events),
		.nobjects = COUNT(objects),
		.nthreads = COUNT(threads),
	};
	struct pmk_functions *functions = NULL;
	char msg[256];

	if (file)
		assert_int_equal(pmk_functions_load(&functions, file, msg, sizeof(msg)), 0);
	for (size_t i = 0; file && i < COUNT(names); i++) {
		uint64_t begin, in;

		assert_int_equal(pmk_elf_symbol(file, names[i], &begin, msg, sizeof(msg)), 0);
		for (uint64_t a = begin; pmk_functions_at(functions, a, &in) && in == begin; a++)
			insns[rec.ninsns++] = (struct pmk_recorded_insn){ .addr = a + BIAS,
									  .size = 1,
									  .byte = { 0xc3 } };
		if (!i) {
			plain = begin;
			nplain = rec.ninsns;
		}
	}
	pmk_functions_free(functions);
	/* A loop that the program wrote, and changed later. */
	insns[rec.ninsns++] = (struct pmk_recorded_insn){ .addr = MADE + 2,
							  .object = 1,
							  .size = 2,
							  .byte = { 0xfd, 0xe7 },
							  .flow = PMK_FLOW_JUMP,
							  .thumb = true,
							  .target = MADE };
	insns[rec.ninsns++] = (struct pmk_recorded_insn){
		.addr = MADE, .object = 1, .size = 2, .byte = { 1, 0x30 }, .thumb = true
	};
	insns[rec.ninsns++] = (struct pmk_recorded_insn){
		.addr = MADE, .object = 1, .size = 2, .byte = { 2, 0x30 }, .thumb = true
	};
	for (uint32_t i = 0; i < rec.ninsns; i++) {
		blocks[i] = (struct pmk_recorded_block){ .first = i, .nparts = 1 };
		parts[i] = (struct pmk_recorded_part){ .insn = i };
		runs[i] = (struct pmk_recorded_run){ .block = i,
						     .thread = i % 2,
						     .executions = i + 1 };
		if (i % 3)
			extras[rec.nextras++] = (struct pmk_recorded_extra){ .insn = i,
									     .thread = i % 2,
									     .cost = i % 3 };
	}
	runs[rec.ninsns - 3].taken = 5;
	rec.nblocks = rec.nruns = rec.ninsns;
	return rec;
}

static void write_it(const struct pmk_recording *rec)
{
	char msg[256] = "";
	int err = pmk_recording_write(rec, data, NULL, msg, sizeof(msg));

	assert_string_equal(msg, "");
	assert_int_equal(err, 0);
}

/* ---- the contents of the file ---------------------------------------------------------------- */

/* Returns the answer to a query, with ";" between rows and "|" between columns. */
static const char *ask(const char *sql)
{
	static char answer[4096];
	char msg[256];
	sqlite3_stmt *s;
	sqlite3 *db;
	size_t at = 0;

	assert_int_equal(pmk_database_open(data, &db, msg, sizeof(msg)), 0);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 1, NULL); /* as in users' programs */
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL))
		fail_msg("%s", sqlite3_errmsg(db));
	answer[0] = '\0';
	while (sqlite3_step(s) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(s); i++) {
			const char *text = (const char *)sqlite3_column_text(s, i);

			at += (size_t)snprintf(answer + at, sizeof(answer) - at, "%s%s",
					       i    ? "|"
					       : at ? ";"
						    : "",
					       text ? text : "-");
			assert_true(at < sizeof(answer));
		}
	sqlite3_finalize(s);
	sqlite3_close(db);
	return answer;
}

/*
 * A block of two instructions runs in two threads. The executions in one thread, and an extra cost,
 * are recorded in two parts, which are added up. The parts of the other thread add up to 0.
 */
static void test_blocks(void **state)
{
	static const struct pmk_recorded_block block = { .nparts = 2 };
	static const struct pmk_recorded_part part[] = { { 1, 0 }, { 0, 1 } };
	static const uint64_t cost[] = { 1,
					 2,
					 0,
					 /* of the second instruction */ 1,
					 0,
					 0,
					 /* of the extras: */ 0,
					 4,
					 0,
					 0,
					 6,
					 0 };
	struct pmk_recorded_run run[] = {
		{ 0, 1, 0, 5, 1 }, { 0, 0, 0, 3, 0 }, { 0, 1, 0, 2, 1 }, { 0, 0, 0, -3, 0 }
	};
	struct pmk_recorded_extra extra[] = { { 0, 1, 0, 2 }, { 0, 1, 0, 3 } };
	struct pmk_recording rec = made_up(NULL);

	(void)state;
	rec.block = &block;
	rec.part = part;
	rec.cost = cost;
	rec.run = run;
	rec.extra = extra;
	rec.nblocks = 1;
	rec.ncosts = 4;
	rec.nruns = COUNT(run);
	rec.nextras = COUNT(extra);
	write_it(&rec);
	assert_string_equal(ask("SELECT * FROM run"), "1|0|1|7|2");
	assert_string_equal(ask("SELECT code, thread, executions, taken FROM execution "
				"ORDER BY code"),
			    "1|1|7|0;3|1|7|2");
	assert_string_equal(ask("SELECT code, thread, event, value FROM count ORDER BY 1, 3"),
			    "1|1|0|7;1|1|1|14;3|1|0|7;3|1|1|10");
}

static void test_facts(void **state)
{
	struct pmk_recording rec = made_up(NULL);

	(void)state;
	rec.warning = "a part is missing";
	rec.partial = true;
	write_it(&rec);
	assert_string_equal(ask("PRAGMA integrity_check"), "ok");
	assert_string_equal(ask("PRAGMA foreign_key_check"), "");
	assert_string_equal(ask("PRAGMA application_id"), "1886219122");
	assert_string_equal(ask("PRAGMA user_version"), "5");
	assert_string_equal(ask("SELECT key, value FROM meta ORDER BY key"),
			    "big_endian|0;command|./program -n 3;contexts|0;core|arm1176;isa|arm;"
			    "partial|1;pmk|" PMK_VERSION ";producer|qemu-arm 7.2;"
			    "warning|a part is missing");
	assert_string_equal(ask("SELECT * FROM event"),
			    "0|instructions|arm1176|exact|-|4321;"
			    "1|cycles|arm1176|modelled|-|1099511627776;"
			    "2|etm_ext|arm1176|not supported|nothing drives it|-");
	assert_string_equal(ask("SELECT * FROM thread"), "0|0|0|-;1|2|1|-");
}

static void test_made_code(void **state)
{
	struct pmk_recording rec = made_up(NULL);

	(void)state;
	write_it(&rec);
	assert_string_equal(ask("SELECT id, kind, build_id, bias FROM object"),
			    "0|file|-|1073741824;1|anonymous|-|0");
	assert_string_equal(ask("SELECT id, object, printf('%x', address), hex(bytes), mode, flow, "
				"conditional, printf('%x', target), function, inlined, file, line "
				"FROM code ORDER BY id"),
			    "1|1|7000|0130|thumb|next|0|0|-|-|-|-;"
			    "2|1|7000|0230|thumb|next|0|0|-|-|-|-;"
			    "3|1|7002|FDE7|thumb|jump|0|7000|-|-|-|-");
	assert_string_equal(ask("SELECT * FROM execution ORDER BY 1"),
			    "1|0|1|2|0;2|0|0|3|0;3|0|0|1|5");
	assert_string_equal(ask("SELECT * FROM count ORDER BY 1, 4"),
			    "1|0|1|0|2;1|0|1|1|1;2|0|0|0|3;2|0|0|1|2;3|0|0|0|1");
}

static const char functions[] =
	"SELECT name, symbol, substr(path, -9), function.line FROM function LEFT JOIN file "
	"ON file = file.id ORDER BY symbol";

static void test_functions(void **state)
{
	struct pmk_recording rec;

	(void)state;
	compile("true");
	rec = made_up(program);
	write_it(&rec);
	assert_string_equal(
		ask(functions),
		"mycrate::run|_RNvCs4fqI2P2rA04_7mycrate3run|/source.c|22;"
		"cache::put(int)|_ZN5cache3putEi|/source.c|17;plain|plain|/source.c|11");
	assert_string_equal(ask("SELECT build_id FROM object WHERE id = 0"), "00c0ffee");
	assert_string_equal(ask("SELECT count(*) FROM code WHERE function IS NULL"), "3");
	assert_int_equal(atoll(ask("SELECT address FROM function WHERE name = 'plain'")), plain);
	assert_int_equal(atoll(ask("SELECT size FROM function WHERE name = 'plain'")), nplain);
}

static void test_lines(void **state)
{
	struct pmk_recording rec;

	(void)state;
	compile("true");
	rec = made_up(program);
	write_it(&rec);
	/* Each line has some bytes of its function. */
	assert_string_equal(ask("SELECT DISTINCT code.line FROM code JOIN function ON function = "
				"function.id WHERE name = 'cache::put(int)' ORDER BY 1"),
			    "19;20");
	assert_string_equal(ask("SELECT DISTINCT i.name, i.symbol, i.line, p.name, p.line FROM "
				"inlined i LEFT JOIN inlined p ON i.parent = p.id ORDER BY i.line"),
			    "innermost|-|9|inner|14;inner|-|14|-|-");
	/* Inlined code has its own line, in its innermost function. */
	assert_string_equal(
		ask("SELECT DISTINCT inlined.name, code.line FROM code LEFT JOIN inlined "
		    "ON inlined = inlined.id WHERE code.line IN (4, 8, 13) ORDER BY 2"),
		"innermost|4;inner|8;-|13");
}

/* The result does not depend on the place and version of the debug information. */
static void test_forms_of_debug_information(void **state)
{
	static const char *const options[] = { "-gdwarf-3", "-gdwarf-4", "-gdwarf-5",
					       "-gsplit-dwarf -gdwarf-4",
					       "-gsplit-dwarf -gdwarf-5" };
	struct pmk_recording rec;

	(void)state;
	for (size_t i = 0; i < COUNT(options); i++) {
		compile_with(options[i], "true");
		rec = made_up(program);
		write_it(&rec);
		assert_string_equal(
			ask("SELECT name, substr(path, -9), function.line FROM function "
			    "JOIN file ON file = file.id ORDER BY 3"),
			"plain|/source.c|11;cache::put(int)|/source.c|17;"
			"mycrate::run|/source.c|22");
		assert_string_equal(ask("SELECT DISTINCT i.name, substr(path, -9), i.line FROM "
					"inlined i JOIN file ON file = file.id ORDER BY 3"),
				    "innermost|/source.c|9;inner|/source.c|14");
	}
	/* The .dwo file is missing, but the line numbers are known. */
	compile_with("-gsplit-dwarf", "rm -f *.dwo");
	write_it(&rec);
	assert_string_equal(ask("SELECT count(*) FROM inlined"), "0");
	assert_int_equal(atoll(ask("SELECT min(line) FROM code")), 4);
}

static void test_fewer_facts(void **state)
{
	struct pmk_recording rec;

	(void)state;
	compile("true");
	rec = made_up(program);
	compile("strip -g program");
	write_it(&rec);
	assert_string_equal(ask(functions), "mycrate::run|"
					    "_RNvCs4fqI2P2rA04_7mycrate3run|-|-;"
					    "cache::put(int)|_ZN5cache3putEi|-|-;plain|plain|-|-");
	compile("strip program");
	write_it(&rec);
	assert_string_equal(ask(functions), "");
	assert_string_equal(ask("SELECT build_id FROM object WHERE id = 0"), "00c0ffee");
	/* The program may be truncated or missing, or may be a pipe or a folder. */
	compile("head -c 6000 program > half && mv half program");
	write_it(&rec);
	assert_string_equal(ask("SELECT count(*) FROM function, inlined"), "0");
	compile("rm program");
	write_it(&rec);
	assert_string_equal(ask(functions), "");
	compile("rm program && mkfifo program");
	write_it(&rec);
	assert_string_equal(ask(functions), "");
	compile("rm program && mkdir program");
	write_it(&rec);
	assert_string_equal(ask(functions), "");
	assert_int_equal(atoll(ask("SELECT count(*) FROM code")), rec.ninsns);
}

/*
 * If the program is truncated or damaged at any byte, the recording still has all instructions, but
 * its functions may be wrong.
 */
static void test_damaged_file(void **state)
{
	struct pmk_recording rec;
	char command[256];
	struct stat st;

	(void)state;
	compile("cp program whole");
	rec = made_up(program);
	assert_int_equal(stat(program, &st), 0);
	for (long at = 100; at < st.st_size; at += st.st_size / 40) {
		snprintf(command, sizeof(command),
			 "cd %s && cp whole program && printf '\\377\\177\\377' | "
			 "dd of=program bs=1 seek=%ld conv=notrunc status=none",
			 dir, at);
		run(command);
		write_it(&rec);
		assert_int_equal(atoll(ask("SELECT count(*) FROM code")), rec.ninsns);
		assert_int_equal(truncate(program, at), 0);
		write_it(&rec);
		assert_int_equal(atoll(ask("SELECT count(*) FROM code")), rec.ninsns);
	}
}

static void test_debug_file(void **state)
{
	struct pmk_recording rec;

	(void)state;
	compile("true");
	rec = made_up(program);
	compile("mkdir .debug && objcopy --only-keep-debug program .debug/program.debug && "
		"strip program && objcopy --add-gnu-debuglink=.debug/program.debug program");
	write_it(&rec);
	assert_string_equal(
		ask(functions),
		"mycrate::run|_RNvCs4fqI2P2rA04_7mycrate3run|/source.c|22;"
		"cache::put(int)|_ZN5cache3putEi|/source.c|17;plain|plain|/source.c|11");
}

static void test_contexts(void **state)
{
	struct pmk_recording rec;
	struct pmk_recorded_context contexts[4];

	(void)state;
	compile("true");
	rec = made_up(program);
	contexts[0] = (struct pmk_recorded_context){ 0 };
	contexts[1] = (struct pmk_recorded_context){ 0, plain + BIAS, 0, 1 };
	contexts[2] = (struct pmk_recorded_context){ 1, plain + BIAS, MADE + 2, 7 };
	contexts[3] = (struct pmk_recorded_context){ 1, 0x123, 0x124, 2 }; /* no such code */
	rec.contexts = true;
	rec.context = contexts;
	rec.ncontexts = COUNT(contexts);
	runs[0].context = 2;
	write_it(&rec);
	assert_string_equal(
		ask("SELECT context.id, parent, name, printf('%x', code.address), calls, number "
		    "FROM context LEFT JOIN function ON context.function = function.id LEFT JOIN "
		    "code ON site = code.id ORDER BY 1"),
		"0|-|-|0|0|0;1|2|-|0|2|3;2|0|plain|0|1|1;3|2|plain|7002|7|2");
	assert_string_equal(ask("SELECT count(*) FROM execution WHERE context = 3"), "1");
}

/* ---- the file ------------------------------------------------------------------------------- */

static char *contents(size_t *size)
{
	FILE *f = fopen(data, "r");
	char *text = malloc(1 << 20);

	assert_non_null(f);
	assert_non_null(text);
	*size = fread(text, 1, 1 << 20, f);
	fclose(f);
	return text;
}

static void test_same_bytes(void **state)
{
	struct pmk_recording rec;
	char *first, *second;
	size_t n, m;

	(void)state;
	compile("true");
	rec = made_up(program);
	write_it(&rec);
	first = contents(&n);
	write_it(&rec);
	second = contents(&m);
	assert_int_equal(n, m);
	assert_memory_equal(first, second, n);
	free(first);
	free(second);
}

static void expect_failure(const struct pmk_recording *rec, const char *path, const char *why)
{
	char msg[256] = "";

	assert_int_equal(pmk_recording_write(rec, path, NULL, msg, sizeof(msg)), PMK_EIO);
	assert_string_equal(msg, why);
}

static void test_unwritable(void **state)
{
	struct pmk_recording rec = made_up(NULL);
	char path[128];

	(void)state;
	expect_failure(&rec, dir, "cannot be written: it is a folder");
	expect_failure(&rec, "/dev/null", "cannot be written: it is not a regular file");
	snprintf(path, sizeof(path), "%s/no/pmk.data", dir);
	expect_failure(&rec, path, "cannot be written: No such file or directory");
	assert_int_equal(access("/dev/null", R_OK | W_OK), 0);
}

static bool only_file(void)
{
	char command[192];

	snprintf(command, sizeof(command),
		 "[ \"$(ls %s | grep -v -e source -e '^program$' -e "
		 "'^whole$')\" = pmk.data ]",
		 dir);
	return !system(command);
}

/* A limit on the size of files makes writes fail as a full disk does. */
static void test_full_disk(void **state)
{
	struct pmk_recording rec = made_up(NULL);
	struct rlimit limit, small;
	char *before, *after, msg[256] = "";
	size_t n, m;
	int err;

	(void)state;
	write_it(&rec);
	assert_true(only_file());
	before = contents(&n);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = (struct rlimit){ .rlim_cur = 20000, .rlim_max = limit.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	err = pmk_recording_write(&rec, data, NULL, msg, sizeof(msg));
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_string_equal(msg, "cannot be written: File too large");
	assert_int_equal(err, PMK_EIO);
	after = contents(&m);
	assert_true(only_file());
	assert_int_equal(n, m);
	assert_memory_equal(before, after, n);
	free(before);
	free(after);
}

/* Ends the writing at call number `last`. */
struct watched {
	size_t calls, last, done[64];
};

static bool on_items(void *ctx, size_t done, size_t all)
{
	struct watched *watched = ctx;

	assert_true(done <= all);
	assert_true(watched->calls < COUNT(watched->done));
	watched->done[watched->calls++] = done;
	return watched->calls != watched->last;
}

static int write_watched(const struct pmk_recording *rec, struct watched *watched, char *msg,
			 size_t size)
{
	return pmk_recording_write(rec, data, &(struct pmk_recording_watch){ on_items, watched },
				   msg, size);
}

/*
 * If a signal ends the writing at any step, the old file stays, and there is no other file. A step
 * is an object, a unit of its debug information, or 10,000 items, which are runs here.
 */
static void test_watch_ends_writing(void **state)
{
	struct pmk_recording rec = made_up(program), old = rec;
	struct pmk_recorded_run *many = calloc(30000, sizeof(*many));
	struct watched all = { 0 };
	char *before, *after, msg[256] = "";
	size_t n, m;

	(void)state;
	assert_non_null(many);
	for (uint32_t i = 0; i < 30000; i++)
		many[i] = (struct pmk_recorded_run){ .context = i, .executions = 1 };
	rec.run = many;
	rec.nruns = 30000;
	assert_int_equal(write_watched(&rec, &all, msg, sizeof(msg)), 0);
	write_it(&old);
	before = contents(&n);
	for (size_t last = 1; last <= all.calls; last++) {
		struct watched some = { .last = last };

		assert_int_equal(write_watched(&rec, &some, msg, sizeof(msg)), PMK_EIO);
		assert_string_equal(msg, "cannot be written: Interrupted system call");
		assert_int_equal(some.calls, last);
		assert_memory_equal(some.done, all.done, last * sizeof(all.done[0]));
		after = contents(&m);
		assert_true(only_file());
		assert_int_equal(n, m);
		assert_memory_equal(before, after, n);
		free(after);
	}
	/*
	 * The steps are the start, two objects, at least one unit, three times 10,000 items, and
	 * the end.
	 */
	assert_true(all.calls >= 8);
	free(many);
	free(before);
}

static void test_link_stays(void **state)
{
	struct pmk_recording rec = made_up(NULL);
	char link[96];
	struct stat st;

	(void)state;
	write_it(&rec);
	snprintf(link, sizeof(link), "%s/source-link", dir);
	assert_int_equal(symlink(data, link), 0);
	assert_int_equal(truncate(data, 0), 0);
	assert_int_equal(pmk_recording_write(&rec, link, NULL, (char[8]){ 0 }, 8), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_string_equal(ask("PRAGMA integrity_check"), "ok");
	unlink(link);
}

/* ---- files that are no recordings ------------------------------------------------------------ */

static void expect_refusal(const char *why)
{
	char msg[256] = "";
	sqlite3 *db;

	assert_int_equal(pmk_database_open(data, &db, msg, sizeof(msg)), PMK_EPARSE);
	assert_string_equal(msg, why);
	assert_null(db);
}

static void change(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(data, &db), 0);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), 0);
	sqlite3_close(db);
}

static void test_refused(void **state)
{
	struct pmk_recording rec = made_up(NULL);

	(void)state;
	write_it(&rec);
	change("PRAGMA user_version = 6");
	expect_refusal("its format is version 6, and this pmk reads version 5; record it again, "
		       "or use that version of pmk");
	change("PRAGMA application_id = 1");
	expect_refusal("not a recording of pmk record");
	assert_int_equal(truncate(data, 0), 0);
	expect_refusal("not a recording of pmk record");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_made_code),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_fewer_facts),
		cmocka_unit_test(test_forms_of_debug_information),
		cmocka_unit_test(test_damaged_file),
		cmocka_unit_test(test_debug_file),
		cmocka_unit_test(test_contexts),
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_unwritable),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_watch_ends_writing),
		cmocka_unit_test(test_link_stays),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
