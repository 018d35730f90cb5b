// SPDX-License-Identifier: MIT
/*
 * A file that is written as a whole is not visible before it is complete, and a killed process
 * leaves nothing behind.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

static char folder[] = "/tmp/pmk-test-file-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/out", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static unsigned files(void)
{
	DIR *d = opendir(folder);
	unsigned n = 0;

	assert_non_null(d);
	for (const struct dirent *e = readdir(d); e; e = readdir(d))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void assert_text(const char *want)
{
	char text[32] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, want);
}

static void write_whole(const char *text, bool keep)
{
	struct pmk_whole w;

	assert_true(pmk_whole_open(&w, path));
	fputs(text, w.f);
	assert_int_equal(pmk_whole_close(&w, keep), keep);
}

static bool has_nameless_files(void)
{
	int fd = open(folder, O_TMPFILE | O_WRONLY, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0 && !access("/proc/self/fd/0", F_OK);
}

static void test_nobody_sees_it_before(void **state)
{
	struct pmk_whole w;

	(void)state;
	if (!has_nameless_files()) {
		print_message("/tmp has no files without a name\n");
		skip();
	}
	assert_true(pmk_whole_open(&w, path));
	fputs("all of it", w.f);
	fflush(w.f);
	assert_int_equal(files(), 0);
	assert_true(pmk_whole_close(&w, true));
	assert_int_equal(files(), 1);
	assert_text("all of it");
}

static void test_a_killed_writer_leaves_nothing(void **state)
{
	struct pmk_whole w;
	int status;
	pid_t pid;

	(void)state;
	if (!has_nameless_files()) {
		print_message("/tmp has no files without a name\n");
		skip();
	}
	write_whole("before", true);
	pid = fork();
	if (pid == 0) {
		if (pmk_whole_open(&w, path) && fputs("a part", w.f) >= 0 && !fflush(w.f))
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(files(), 1);
	assert_text("before");
}

static void test_what_is_not_kept_is_gone(void **state)
{
	(void)state;
	write_whole("before", true);
	write_whole("after", false);
	assert_int_equal(files(), 1);
	assert_text("before");
	write_whole("after", true);
	assert_int_equal(files(), 1);
	assert_text("after");
}

static void test_the_mode_stays(void **state)
{
	struct stat st;

	(void)state;
	write_whole("before", true);
	assert_int_equal(chmod(path, 0640), 0);
	write_whole("after", true);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_sees_it_before),
		cmocka_unit_test(test_a_killed_writer_leaves_nothing),
		cmocka_unit_test(test_what_is_not_kept_is_gone),
		cmocka_unit_test(test_the_mode_stays),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
