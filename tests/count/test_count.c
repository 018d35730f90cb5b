// SPDX-License-Identifier: MIT
/*
 * Tests <pmk/count.h>: a request, callbacks while it runs, the result, and failures as values. The
 * tests count a small dump, examples/api/core.vcd, and programs of this machine.
 * tests/build/test_api_examples.py tests emulation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/count.h>
#include <pmk/result.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define DUMP	 "wave:" PMK_SOURCE_DIR "/examples/api/core.vcd"
#define MAP	 PMK_SOURCE_DIR "/examples/api/core.ini"

/* ---- callbacks --------------------------------------------------------------------------- */

struct told {
	unsigned begun, sections, notes, progress;
	uint32_t next; /* number of the next row */
	int stop_at;   /* stop with SIGTERM at this section, counted from 1; 0: never */
	bool early;    /* rows came before the begin callback */
};

static void begin(void *ctx, struct pmk_count *c)
{
	struct told *t = ctx;
	struct pmk_count_summary sum = { .size = sizeof(sum) };

	pmk_count_get_summary(c, &sum);
	t->begun += sum.pmu && sum.command;
}

static void rows(void *ctx, struct pmk_count *c, uint32_t first)
{
	struct told *t = ctx;
	struct pmk_count_row row = { .size = sizeof(row) };

	t->early |= !t->begun || first != t->next;
	for (; pmk_count_get_row(c, t->next, &row); t->next++)
		t->early |= row.section != t->sections;
	t->sections++;
	if ((int)t->sections == t->stop_at)
		pmk_count_stop(c, SIGTERM);
}

static void note(void *ctx, const char *text)
{
	(void)text;
	((struct told *)ctx)->notes++;
}

static void progress(void *ctx, uint64_t bytes, uint64_t size)
{
	(void)bytes, (void)size;
	((struct told *)ctx)->progress++;
}

static struct pmk_count_listener listener(struct told *t)
{
	return (struct pmk_count_listener){ .size = sizeof(struct pmk_count_listener),
					    .ctx = t,
					    .begin = begin,
					    .rows = rows,
					    .note = note,
					    .progress = progress };
}

/* ---- requests ------------------------------------------------------------------------------- */

static struct pmk_count *request(const char *const settings[][2], size_t n)
{
	struct pmk_count *c = pmk_count_new();

	assert_non_null(c);
	for (size_t i = 0; i < n; i++)
		if (pmk_count_set(c, settings[i][0], settings[i][1]))
			fail_msg("%s: %s", settings[i][0], pmk_count_get_error(c)->text);
	return c;
}

#define REQUEST(settings) request(settings, COUNT(settings))

static void expect_failure(struct pmk_count *c, int got, int failure, const char *says)
{
	const struct pmk_count_error *err = pmk_count_get_error(c);

	assert_int_equal(got, failure);
	assert_int_equal(err->failure, failure);
	if (!strstr(err->text, says) || strchr(err->text, '\n'))
		fail_msg("'%s' does not say '%s' in a line", err->text, says);
}

/* ---- a dump --------------------------------------------------------------------------------- */

static uint64_t value_of(const struct pmk_count *c, const char *name, uint32_t section)
{
	struct pmk_count_row row = { .size = sizeof(row) };

	for (uint32_t i = 0; pmk_count_get_row(c, i, &row); i++)
		if (!strcmp(row.name, name) && row.section == section && row.has_value)
			return row.value;
	fail_msg("there is no %s", name);
	return 0;
}

static const char *const dump[][2] = {
	{ "target", DUMP },
	{ "map", MAP },
	{ "pmu", "arm1176" },
	{ "event", "instr_exec,dcache_miss,icache_miss" },
};

static void test_dump(void **state)
{
	struct pmk_count *c = REQUEST(dump);
	struct told t = { 0 };
	struct pmk_count_listener l = listener(&t);
	struct pmk_count_summary sum = { .size = sizeof(sum) };
	struct pmk_count_metric metric = { .size = sizeof(metric) };
	struct pmk_count_row row = { .size = sizeof(row) };

	(void)state;
	if (pmk_count_run(c, &l))
		fail_msg("%s", pmk_count_get_error(c)->text);
	assert_int_equal(pmk_count_get_error(c)->failure, 0);
	assert_string_equal(pmk_count_get_error(c)->text, "");
	/* The counts equal those of examples/api/dump.c, which reads the dump edge by edge. */
	assert_int_equal(value_of(c, "instr_exec", 0), 14);
	assert_int_equal(value_of(c, "dcache_miss", 0), 3);
	assert_true(pmk_count_get_row(c, 0, &row));
	assert_string_equal(row.pmu, "arm1176");
	assert_string_equal(row.trust, "measured");
	assert_null(row.region);
	assert_int_equal(row.cpu, -1);
	assert_true(pmk_count_get_row(c, 2, &row)); /* not in the dump's map */
	assert_false(row.has_value);
	assert_non_null(row.reason);
	assert_false(pmk_count_get_row(c, 3, &row));
	assert_false(pmk_count_get_row(c, UINT32_MAX, &row));
	assert_true(t.begun == 1 && t.sections == 1 && t.next == 3 && !t.early);
	pmk_count_get_summary(c, &sum);
	assert_string_equal(sum.pmu, "arm1176");
	assert_null(sum.core);
	assert_int_equal(sum.exit_code, 0);
	assert_int_equal(sum.runs, 1);
	assert_false(sum.partial);
	assert_non_null(strstr(sum.producer, "24 cycles"));
	assert_int_equal(pmk_count_result(c)->nsections, 1);
	for (uint32_t i = 0; pmk_count_get_metric(c, i, &metric); i++)
		assert_true(metric.name && (metric.valid || metric.reason));
	pmk_count_free(c);
}

static void test_metric(void **state)
{
	static const char *const settings[][2] = {
		{ "target", DUMP },
		{ "map", MAP },
		{ "pmu", "arm1176" },
		{ "metrics", "dcache_mpki" },
	};
	struct pmk_count *c = REQUEST(settings);
	struct pmk_count_metric metric = { .size = sizeof(metric) };

	(void)state;
	if (pmk_count_run(c, NULL))
		fail_msg("%s", pmk_count_get_error(c)->text);
	assert_true(pmk_count_get_metric(c, 0, &metric));
	assert_string_equal(metric.name, "dcache_mpki");
	assert_true(metric.valid);
	assert_true(metric.value > 214.28 && metric.value < 214.29); /* 3 of 14 instructions */
	assert_false(pmk_count_get_metric(c, 1, &metric));
	pmk_count_free(c);
}

static void test_intervals(void **state)
{
	struct pmk_count *c = REQUEST(dump);
	struct told t = { 0 };
	struct pmk_count_listener l = listener(&t);
	struct pmk_count_row row = { .size = sizeof(row) };
	uint64_t sum = 0;

	(void)state;
	assert_int_equal(pmk_count_set(c, "interval", "10cycles"), 0);
	assert_int_equal(pmk_count_run(c, &l), 0);
	assert_int_equal(t.sections, 3); /* intervals of 10, 10 and 4 cycles */
	assert_false(t.early);
	for (uint32_t i = 0; i < 3; i++)
		sum += value_of(c, "instr_exec", i);
	assert_int_equal(sum, 14);
	assert_true(pmk_count_get_row(c, 3, &row));
	assert_true(row.interval && row.at_cycles == 20 && row.section == 1);
	pmk_count_free(c);
}

static void test_stopped_dump(void **state)
{
	struct pmk_count *c = REQUEST(dump);
	struct pmk_count_summary sum = { .size = sizeof(sum) };

	(void)state;
	pmk_count_stop(c, SIGINT); /* the stop may come before the run */
	assert_int_equal(pmk_count_run(c, NULL), 0);
	pmk_count_get_summary(c, &sum);
	/* The run may have ended before it noticed the stop. */
	assert_true(sum.partial ? sum.exit_code == 128 + SIGINT : sum.exit_code == 0);
	pmk_count_free(c);
}

/* ---- this machine --------------------------------------------------------------------------- */

static char sh[] = "sh", option[] = "-c", exit_3[] = "exit 3", kill_9[] = "kill -9 $$";
static char asleep[] = "sleep", long_time[] = "1000000";
static char *const three[] = { sh, option, exit_3, NULL };
static char *const suicide[] = { sh, option, kill_9, NULL };
static char *const endless[] = { asleep, long_time, NULL };

static struct pmk_count *here(char *const *argv, const char *event)
{
	const char *const settings[][2] = { { "target", "linux" }, { "event", event } };
	struct pmk_count *c = REQUEST(settings);

	assert_int_equal(pmk_count_program(c, argv), 0);
	return c;
}

/* Software events are counted on every machine whose kernel permits counting. */
static void run_here(struct pmk_count *c, const struct pmk_count_listener *l)
{
	if (!pmk_count_run(c, l))
		return;
	if (!strncmp(pmk_count_get_error(c)->text, "nothing can be counted", 22)) {
		print_message("%s\n", pmk_count_get_error(c)->text);
		skip();
	}
	fail_msg("%s", pmk_count_get_error(c)->text);
}

static void test_program(void **state)
{
	struct pmk_count *c = here(three, "page-faults:u");
	struct pmk_count_summary sum = { .size = sizeof(sum) };
	struct pmk_count_row row = { .size = sizeof(row) };

	(void)state;
	run_here(c, NULL);
	pmk_count_get_summary(c, &sum);
	assert_int_equal(sum.exit_code, 3);
	assert_string_equal(sum.command, "sh -c 'exit 3'");
	assert_true(pmk_count_get_row(c, 0, &row));
	assert_string_equal(row.name, "page-faults:u");
	assert_true(row.has_value && row.value > 0);
	pmk_count_free(c);
	c = here(suicide, "page-faults:u");
	run_here(c, NULL);
	pmk_count_get_summary(c, &sum);
	assert_int_equal(sum.exit_code, 128 + SIGKILL);
	pmk_count_free(c);
}

static void test_stopped_program(void **state)
{
	struct pmk_count *c = here(endless, "task-clock");
	struct told t = { .stop_at = 2 };
	struct pmk_count_listener l = listener(&t);
	struct pmk_count_summary sum = { .size = sizeof(sum) };

	(void)state;
	assert_int_equal(pmk_count_set(c, "interval", "10"), 0);
	run_here(c, &l);
	pmk_count_get_summary(c, &sum);
	assert_int_equal(sum.exit_code, 128 + SIGTERM);
	assert_true(sum.partial);
	assert_non_null(strstr(sum.warning, "interrupted"));
	assert_true(t.sections >= 2 && !t.early);
	pmk_count_free(c);
}

/* Counting does not change the signal mask and the signal handlers of the process. */
static void test_signals_stay(void **state)
{
	struct pmk_count *c = here(three, "page-faults:u");
	struct sigaction before[NSIG], after;
	sigset_t mask_before, mask_after;

	(void)state;
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, NULL, &before[sig]);
	sigprocmask(SIG_SETMASK, NULL, &mask_before);
	run_here(c, NULL);
	pmk_count_free(c);
	sigprocmask(SIG_SETMASK, NULL, &mask_after);
	for (int sig = 1; sig < NSIG; sig++) {
		assert_int_equal(sigismember(&mask_before, sig), sigismember(&mask_after, sig));
		if (!sigaction(sig, NULL, &after))
			assert_ptr_equal(after.sa_handler, before[sig].sa_handler);
	}
}

/* The program's streams can be files or descriptors, or be captured from all runs together. */
static void test_streams(void **state)
{
	static char shell[] = "/bin/sh", flag[] = "-c", text[] = "cat; echo bad >&2";
	static char *const cat[] = { shell, flag, text, NULL };
	static const char *const both[][2] = { { "target", "linux" },
					       { "event", "page-faults:u" },
					       { "stdout", "capture" },
					       { "stderr", "capture" },
					       { "repeat", "2" } };
	struct pmk_count *c = REQUEST(both);
	FILE *f = tmpfile();
	char input[32];
	size_t size;

	(void)state;
	fputs("in\n", f);
	rewind(f);
	snprintf(input, sizeof(input), "fd:%d", fileno(f));
	assert_int_equal(pmk_count_set(c, "stdin", input), 0);
	assert_int_equal(pmk_count_program(c, cat), 0);
	assert_int_equal(pmk_count_run(c, NULL), 0);
	assert_string_equal(pmk_count_get_output(c, "stdout", &size), "in\nin\n");
	assert_int_equal(size, 6);
	assert_string_equal(pmk_count_get_output(c, "stderr", &size), "bad\nbad\n");
	assert_null(pmk_count_get_output(c, "stdin", &size));
	pmk_count_free(c);
	rewind(f);
	c = REQUEST(both);
	assert_int_equal(pmk_count_set(c, "stdin", input), 0);
	assert_int_equal(pmk_count_set(c, "stderr", "stdout"), 0);
	assert_int_equal(pmk_count_set(c, "stdout", "file:/dev/null"), 0);
	assert_int_equal(pmk_count_program(c, cat), 0);
	assert_int_equal(pmk_count_run(c, NULL), 0);
	assert_null(pmk_count_get_output(c, "stderr", &size));
	pmk_count_free(c);
	fclose(f);
	c = REQUEST(both);
	expect_failure(c, pmk_count_set(c, "stdin", "capture"), PMK_COUNT_USAGE,
		       "'stdin' capture: expected fd:N or file:PATH");
	expect_failure(c, pmk_count_set(c, "stderr", "fd:x"), PMK_COUNT_USAGE,
		       "expected fd:N, file:PATH, capture or stdout");
	assert_int_equal(pmk_count_set(c, "stdin", "file:/no/such/file"), 0);
	assert_int_equal(pmk_count_program(c, cat), 0);
	expect_failure(c, pmk_count_run(c, NULL), PMK_COUNT_FAILED,
		       "'stdin' file:/no/such/file: No");
	pmk_count_free(c);
}

static void test_ignored_children(void **state)
{
	struct pmk_count *c = here(three, "page-faults:u");
	void (*before)(int) = signal(SIGCHLD, SIG_IGN);

	(void)state;
	expect_failure(c, pmk_count_run(c, NULL), PMK_COUNT_FAILED, "SIGCHLD is ignored");
	signal(SIGCHLD, before);
	pmk_count_free(c);
}

/* ---- failures ------------------------------------------------------------------------------- */

static void test_settings(void **state)
{
	static const struct {
		const char *name, *value, *says;
	} bad[] = {
		{ "evnt", "cycles", "there is no setting 'evnt'; did you mean event" },
		{ "event", NULL, "event: a value is missing" },
		{ "repeat", "0", "'repeat' 0: expected a number of runs" },
		{ "interval", "5parsecs", "unknown unit 'parsecs'" },
		{ "passes", "multiplex", "need not share time" },
		{ "target", "wave", "expected wave:FILE" },
		{ "target", "linix",
		  "'target' linix: there is no such target; did you mean linux" },
		{ NULL, "cycles", "a setting without a name" },
		{ "all-cpus", "yes", "all-cpus: it is a flag and takes no value" },
		{ "env", "=`repeat`", "'env' '='repeat'': expected NAME" },
	};
	struct pmk_count *c = pmk_count_new();

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		expect_failure(c, pmk_count_set(c, bad[i].name, bad[i].value), PMK_COUNT_USAGE,
			       bad[i].says);
	expect_failure(c, pmk_count_program(c, NULL), PMK_COUNT_USAGE, "is NULL");
	pmk_count_free(c);
}

/*
 * A list without words removes the program. Without a program, there is nothing to count, which is
 * an error.
 */
static void test_no_program(void **state)
{
	static char *const none[] = { NULL };
	struct pmk_count *c = pmk_count_new();

	(void)state;
	assert_int_equal(pmk_count_program(c, three), 0);
	assert_int_equal(pmk_count_program(c, none), 0);
	expect_failure(c, pmk_count_prepare(c, NULL), PMK_COUNT_USAGE, "no program to run");
	pmk_count_free(c);
}

/* The table of settings is complete: each setting is accepted, and has a description. */
static void test_table_of_settings(void **state)
{
	const struct pmk_count_setting *s;
	uint32_t n = 0;

	(void)state;
	for (; (s = pmk_count_settings(n)); n++) {
		struct pmk_count *c = pmk_count_new();

		assert_true(s->kind >= PMK_COUNT_FLAG && s->kind <= PMK_COUNT_LIST);
		assert_true(*s->brief && (!s->ways || *s->ways));
		if (s->kind == PMK_COUNT_FLAG)
			assert_int_equal(pmk_count_set(c, s->name, NULL), 0);
		else
			expect_failure(c, pmk_count_set(c, s->name, NULL), PMK_COUNT_USAGE,
				       "a value is missing");
		if (s->kind == PMK_COUNT_NUMBER) {
			assert_int_equal(pmk_count_set(c, s->name, "12"), 0);
			expect_failure(c, pmk_count_set(c, s->name, "12x"), PMK_COUNT_USAGE,
				       "expected a ");
		}
		pmk_count_free(c);
	}
	assert_true(n > 40);
	assert_null(pmk_count_settings(UINT32_MAX));
}

/* After an error is corrected, here by setting the map, the request can be prepared again. */
static void test_prepare_again(void **state)
{
	static char *const none[] = { NULL };
	struct pmk_count *c = REQUEST(dump);

	(void)state;
	assert_int_equal(pmk_count_set(c, "map", "/no/such/map"), 0);
	assert_int_equal(pmk_count_program(c, three), 0);
	expect_failure(c, pmk_count_prepare(c, NULL), PMK_COUNT_USAGE, "runs no program");
	assert_int_equal(pmk_count_program(c, none), 0);
	expect_failure(c, pmk_count_run(c, NULL), PMK_COUNT_FAILED, "/no/such/map");
	assert_int_equal(pmk_count_set(c, "map", MAP), 0);
	assert_int_equal(pmk_count_prepare(c, NULL), 0);
	assert_int_equal(pmk_count_run(c, NULL), 0);
	assert_int_equal(value_of(c, "instr_exec", 0), 14);
	pmk_count_free(c);
}

/* A second attempt does not keep the target of the first. */
static void test_prepare_another_way(void **state)
{
	static char nothing[] = "/no/such/program";
	static char *const nowhere[] = { nothing, NULL };
	struct pmk_count *c = pmk_count_new();

	(void)state;
	assert_int_equal(pmk_count_program(c, nowhere), 0);
	expect_failure(c, pmk_count_prepare(c, NULL), PMK_COUNT_NOT_FOUND, "command not found");
	assert_int_equal(pmk_count_program(c, three), 0);
	assert_int_equal(pmk_count_set(c, "event", "page-faults:u"), 0);
	assert_int_equal(pmk_count_prepare(c, NULL), 0);
	pmk_count_free(c);
}

static void test_requests(void **state)
{
	static char nothing[] = "/no/such/program", root[] = "/";
	static char *const nowhere[] = { nothing, NULL };
	static char *const folder[] = { root, NULL };
	static char *const none[] = { NULL };
	static const struct {
		char *const *argv;
		const char *name, *value;
		int failure;
		const char *says;
	} bad[] = {
		{ none, "event", "cycles", PMK_COUNT_USAGE, "no program to run" },
		{ nowhere, "target", "emu", PMK_COUNT_NOT_FOUND,
		  "/no/such/program: command not found" },
		{ folder, "target", "linux", PMK_COUNT_NOT_EXEC, "is a directory" },
		{ three, "from", "main", PMK_COUNT_USAGE,
		  "'from' and 'to' go together; give both" },
		{ none, "target", DUMP, PMK_COUNT_USAGE, "'map' FILE" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		const char *const setting[][2] = { { bad[i].name, bad[i].value } };
		struct pmk_count *c = REQUEST(setting);

		assert_int_equal(pmk_count_program(c, bad[i].argv), 0);
		expect_failure(c, pmk_count_prepare(c, NULL), bad[i].failure, bad[i].says);
		pmk_count_free(c);
	}
}

/* A handle can be used for one run, and cannot be changed after it. */
static void test_order(void **state)
{
	struct pmk_count *c = REQUEST(dump);
	struct pmk_count_row row = { .size = sizeof(row) };

	(void)state;
	assert_false(pmk_count_get_row(c, 0, &row));
	assert_int_equal(pmk_count_prepare(c, NULL), 0);
	assert_int_equal(pmk_count_prepare(c, NULL), 0);
	expect_failure(c, pmk_count_set(c, "event", "cycles"), PMK_COUNT_USAGE, "already set up");
	expect_failure(c, pmk_count_program(c, three), PMK_COUNT_USAGE, "already set up");
	assert_int_equal(pmk_count_run(c, NULL), 0);
	expect_failure(c, pmk_count_run(c, NULL), PMK_COUNT_USAGE, "has already counted");
	assert_int_equal(value_of(c, "instr_exec", 0), 14);
	pmk_count_free(c);
}

static void test_no_handle(void **state)
{
	struct pmk_count_summary sum = { .size = sizeof(sum) };
	struct pmk_count_metric metric = { .size = sizeof(metric) };
	struct pmk_count_row row = { .size = sizeof(row) };

	(void)state;
	assert_int_equal(pmk_count_set(NULL, "event", "cycles"), PMK_COUNT_FAILED);
	assert_int_equal(pmk_count_program(NULL, three), PMK_COUNT_FAILED);
	assert_int_equal(pmk_count_prepare(NULL, NULL), PMK_COUNT_FAILED);
	assert_int_equal(pmk_count_run(NULL, NULL), PMK_COUNT_FAILED);
	assert_string_equal(pmk_count_get_error(NULL)->text, "out of memory");
	assert_false(pmk_count_get_row(NULL, 0, &row));
	assert_false(pmk_count_get_metric(NULL, 0, &metric));
	assert_null(pmk_count_result(NULL));
	pmk_count_get_summary(NULL, &sum);
	assert_null(sum.pmu);
	pmk_count_stop(NULL, SIGINT);
	pmk_count_free(NULL);
}

/* ---- nothing is printed ----------------------------------------------------------------- */

static FILE *caught;
static int before[3];

static int catch_output(void **state)
{
	(void)state;
	caught = tmpfile();
	for (int fd = 1; fd <= 2; fd++) {
		fflush(NULL);
		before[fd] = dup(fd);
		dup2(fileno(caught), fd);
	}
	return 0;
}

static int check_output(void **state)
{
	long said;

	(void)state;
	fflush(NULL);
	for (int fd = 1; fd <= 2; fd++) {
		dup2(before[fd], fd);
		close(before[fd]);
	}
	fseek(caught, 0, SEEK_END);
	said = ftell(caught);
	fclose(caught);
	return said != 0;
}

#define QUIET(test) cmocka_unit_test_setup_teardown(test, catch_output, check_output)

int main(void)
{
	const struct CMUnitTest tests[] = {
		QUIET(test_dump),
		QUIET(test_metric),
		QUIET(test_intervals),
		QUIET(test_stopped_dump),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_stopped_program),
		cmocka_unit_test(test_signals_stay),
		QUIET(test_ignored_children),
		QUIET(test_streams),
		QUIET(test_settings),
		QUIET(test_table_of_settings),
		cmocka_unit_test(test_no_program),
		QUIET(test_prepare_again),
		QUIET(test_prepare_another_way),
		QUIET(test_requests),
		QUIET(test_order),
		QUIET(test_no_handle),
	};

	/* A library that was built for installation does not look for its data in this tree. */
	setenv("PMK_DATA", PMK_SOURCE_DATA, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
