// SPDX-License-Identifier: MIT
/*
 * Emulators and distributions are identified by the original output of QEMU's releases, and by
 * original os-release files. tests/cli/test_emulators.py tests the search for emulators.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "producer/qemu/find.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_versions(void **state)
{
	static const struct {
		const char *answer, *version;
		unsigned api;
	} rows[] = {
		{ "qemu-arm version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)\nCopyright (c) …\n",
		  "7.2.22", 1 },
		{ "QEMU emulator version 9.0.2 (Debian 1:9.0.2+ds-4)\n", "9.0.2", 2 },
		{ "qemu-aarch64 version 10.0.13\n", "10.0.13", 4 },
		{ "qemu-arm version 5.2.0, Copyright", "5.2.0", 0 },
		{ "qemu-arm version next", "next", 0 },
	};
	char version[64];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_true(pmk_qemu_version(rows[i].answer, version, sizeof(version)));
		assert_string_equal(version, rows[i].version);
		assert_int_equal(pmk_qemu_api(version), rows[i].api);
	}
	assert_false(pmk_qemu_version("", version, sizeof(version)));
	assert_false(pmk_qemu_version("bash, version 5.2", version, sizeof(version)));
	assert_false(pmk_qemu_version("qemu-arm version ", version, sizeof(version)));
}

static void test_refusals(void **state)
{
	(void)state;
	assert_int_equal(pmk_qemu_asks_for(
				 "qemu-arm: Could not load plugin x.so: plugin requires API "
				 "version 1, but this QEMU supports only a minimum version of 2\n"),
			 2);
	assert_int_equal(
		pmk_qemu_asks_for("qemu-arm: Could not load plugin x.so: plugin requires API "
				  "version 7, but this QEMU supports only up to version 4\n"),
		4);
	assert_int_equal(pmk_qemu_asks_for("qemu-arm: Could not load plugin x.so: no such file"),
			 0);
	assert_int_equal(
		pmk_qemu_asks_for("pmk-qemu: pmk-qemu-api2.so is for QEMU 9.0; this emulator has "
				  "version 4 of the interface\n"),
		4);
	assert_int_equal(pmk_qemu_asks_for(""), 0);
}

static bool packaged(const char *text)
{
	char path[] = "/tmp/pmk-test-os-release-XXXXXX";
	int fd = mkstemp(path);
	bool yes;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	yes = pmk_qemu_packaged(path);
	unlink(path);
	return yes;
}

static void test_distributions(void **state)
{
	(void)state;
	assert_true(packaged(
		"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\n"
		"VERSION_ID=\"12\"\nVERSION=\"12 (bookworm)\"\nID=debian\n"));
	assert_false(packaged("VERSION_ID=\"13\"\nVERSION=\"13 (trixie)\"\nID=debian\n"));
	/* Debian sid has no release number. */
	assert_false(packaged("PRETTY_NAME=\"Debian GNU/Linux forky/sid\"\nID=debian\n"));
	assert_false(packaged("ID=fedora\nVERSION_ID=12\n"));
	assert_false(packaged("ID='fedora'\nVERSION_ID='12'\nID_LIKE=debian\n"));
	assert_true(packaged("ID='debian'\nVERSION_ID='12'\n"));
	assert_true(packaged("NAME=\"Ubuntu\"\nVERSION_ID=\"24.04\"\nID=ubuntu\nID_LIKE=debian\n"));
	assert_true(packaged("VERSION_ID=\"22.04\"\nID=ubuntu\n"));
	assert_false(packaged("VERSION_ID=\"25.04\"\nID=ubuntu\n"));
	assert_false(packaged(""));
	assert_false(pmk_qemu_packaged("/nonexistent/os-release"));
}

static void test_cache(void **state)
{
	char path[256];

	(void)state;
	setenv("PMK_CACHE", "/a", 1);
	setenv("XDG_CACHE_HOME", "/b", 1);
	setenv("HOME", "/c", 1);
	assert_true(pmk_qemu_cache(path, sizeof(path)));
	assert_string_equal(path, "/a/qemu");
	setenv("PMK_CACHE", "", 1);
	assert_true(pmk_qemu_cache(path, sizeof(path)));
	assert_string_equal(path, "/b/pmukit/qemu");
	unsetenv("XDG_CACHE_HOME");
	assert_true(pmk_qemu_cache(path, sizeof(path)));
	assert_string_equal(path, "/c/.cache/pmukit/qemu");
	assert_false(pmk_qemu_cache(path, 10));
	unsetenv("HOME");
	assert_false(pmk_qemu_cache(path, sizeof(path)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_distributions),
		cmocka_unit_test(test_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
