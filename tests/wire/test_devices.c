// SPDX-License-Identifier: MIT
/*
 * The device tree and UIO maps are read with faults: each file in turn cannot be opened or read, is
 * truncated, or has other contents, and each folder cannot be read. The result is always the right
 * address, or one line that names the fault. It is never a wrong address.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include <pmk/error.h>

enum fault { NONE, NO_OPEN, NO_READ, HALF, ONE_LESS, GARBAGE, NO_FOLDER, NFAULTS };

static enum fault fault;
static unsigned calls, victim; /* number of the call with the fault */
static bool failing;	       /* the last opened file has the fault */

static FILE *faulty_fopen(const char *path, const char *mode)
{
	FILE *f = fopen(path, mode);

	if (!f)
		return NULL;
	failing = fault != NO_FOLDER && calls++ == victim;
	if (failing && fault == NO_OPEN) {
		fclose(f);
		errno = EACCES;
		return NULL;
	}
	return f;
}

/* Returns how much of `n` bytes remains. */
static size_t spoil(uint8_t *bytes, size_t n)
{
	if (!failing || fault == NO_READ)
		return failing ? 0 : n;
	for (size_t i = 0; fault == GARBAGE && i < n; i++)
		bytes[i] ^= 0xa5;
	return fault == HALF ? n / 2 : fault == ONE_LESS && n ? n - 1 : n;
}

static size_t faulty_fread(void *bytes, size_t size, size_t n, FILE *f)
{
	assert_int_equal(size, 1);
	return spoil(bytes, fread(bytes, size, n, f));
}

static char *faulty_fgets(char *text, int size, FILE *f)
{
	char *got = fgets(text, size, f);
	size_t n = got ? spoil((uint8_t *)text, strlen(text)) : 0;

	text[n] = '\0';
	return n ? got : NULL;
}

static int faulty_ferror(FILE *f)
{
	return failing && fault == NO_READ ? 1 : ferror(f);
}

static int faulty_scandir(const char *path, struct dirent ***list,
			  int (*filter)(const struct dirent *),
			  int (*compare)(const struct dirent **, const struct dirent **))
{
	if (fault == NO_FOLDER && calls++ == victim) {
		errno = EIO;
		return -1;
	}
	return scandir(path, list, filter, compare);
}

#define fopen faulty_fopen
#define fread faulty_fread
#define fgets faulty_fgets
#undef ferror
#define ferror	faulty_ferror
#define scandir faulty_scandir
#include "../../src/producer/wire/devices.c"
#undef fopen
#undef fread
#undef fgets
#undef ferror
#undef scandir

/* ---- a board --------------------------------------------------------------------------------- */

#define TREE "firmware/devicetree/base/"
#define MAPS "class/uio/uio0/maps/"
#define FILE_OF(path, bytes)                   \
	{                                      \
		path, bytes, sizeof(bytes) - 1 \
	}

static const struct {
	const char *path, *bytes;
	size_t n;
} files[] = {
	FILE_OF(TREE "#address-cells", "\0\0\0\2"),
	FILE_OF(TREE "#size-cells", "\0\0\0\1"),
	FILE_OF(TREE "soc/#address-cells", "\0\0\0\1"),
	FILE_OF(TREE "soc/#size-cells", "\0\0\0\1"),
	FILE_OF(TREE "soc/ranges", "\x7e\0\0\0\0\0\0\0\x20\0\0\0\1\0\0\0"
				   "\x90\0\0\0\0\0\0\1\x30\0\0\0\1\0\0\0"),
	FILE_OF(TREE "soc/bus/#address-cells", "\0\0\0\1"),
	FILE_OF(TREE "soc/bus/#size-cells", "\0\0\0\1"),
	FILE_OF(TREE "soc/bus/ranges", ""),
	FILE_OF(TREE "soc/bus/near/reg", "\x90\0\4\0\0\0\1\0"),
	FILE_OF(TREE "soc/bus/near/compatible", "vendor,twice\0vendor,near\0"),
	FILE_OF(TREE "soc/far/reg", "\x7e\0\x20\0\0\0\1\0"),
	FILE_OF(TREE "soc/far/compatible", "vendor,twice\0"),
	FILE_OF(MAPS "map0/addr", "0x20000080\n"),
	FILE_OF(MAPS "map0/size", "0xf80\n"),
	FILE_OF(MAPS "map0/offset", "0x80\n"),
};

static char sysfs[] = "/tmp/pmk-devices-XXXXXX";

static void make_file(const char *path, const char *bytes, size_t n)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", sysfs, path);
	for (char *slash = strchr(full + strlen(sysfs) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static int make_board(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(sysfs));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		make_file(files[i].path, files[i].bytes, files[i].n);
	return 0;
}

static int remove_board(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", sysfs);
	return system(command);
}

/* ---- with faults ----------------------------------------------------------------------------- */

static int look_up(const char *node, uint64_t *address)
{
	char why[512] = "";
	int err = pmk_tree_address(sysfs, node, address, why, sizeof(why));

	if (err && (!*why || strchr(why, '\n') || strlen(why) == sizeof(why) - 1))
		fail_msg("%s: '%s'", node, why);
	return err;
}

static const struct {
	const char *node;
	uint64_t address;
	int err;
} nodes[] = {
	{ "/soc/bus/near", 0x130000400, 0 }, { "/soc/far", 0x20002000, 0 },
	{ "vendor,near", 0x130000400, 0 },   { "near", 0x130000400, 0 },
	{ "vendor,twice", 0, PMK_EINVAL },   { "/soc/bus", 0, PMK_EINVAL },
};

static void test_nodes(void **state)
{
	unsigned tried = 0, errors = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		for (fault = NONE; fault < NFAULTS; fault++)
			for (victim = 0, calls = 1; victim < calls; victim++) {
				uint64_t address = 0;
				int err;

				calls = 0;
				failing = false;
				err = look_up(nodes[i].node, &address);
				tried++;
				errors += err != 0;
				if (!err && fault != GARBAGE &&
				    (nodes[i].err || address != nodes[i].address))
					fail_msg("%s, fault %d at %u: 0x%" PRIx64, nodes[i].node,
						 fault, victim, address);
				if (fault == NONE)
					assert_int_equal(err, nodes[i].err);
				if (!calls)
					break;
			}
	/* Most files on the path to an address are needed. */
	assert_true(tried >= 90 && errors >= 40);
}

static void test_maps(void **state)
{
	struct pmk_uio_map map[PMK_UIO_MAPS];

	(void)state;
	for (fault = NONE; fault < NO_FOLDER; fault++)
		for (victim = 0; victim < 3; victim++) {
			unsigned n;

			calls = 0;
			failing = false;
			n = pmk_uio_maps(sysfs, "/dev/uio0", map);
			assert_int_equal(n, fault == NONE);
			assert_true(!n || (map[0].start == 0x20000000 && map[0].size == 0x1000 &&
					   map[0].offset == 0x80));
		}
}

/* UIO maps with values that no kernel could map are refused. */
static void test_odd_maps(void **state)
{
	static const struct {
		const char *addr, *size, *offset;
	} odd[] = {
		{ "0xfffffffffffff000\n", "0x2000\n", "0x0\n" }, /* past the end of all addresses */
		{ "0x1000\n", "0x1000\n", "0x1000\n" },		 /* its registers are outside */
		{ "0x1000\n", "0x0\n", "0x0\n" },
		{ "-1\n", "0x1000\n", "0x0\n" },
		{ "0x1000\n", "0x1000\n", "0x10000000000000000\n" },
	};
	struct pmk_uio_map map[PMK_UIO_MAPS];

	(void)state;
	fault = NONE;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		make_file("class/uio/uio1/maps/map0/addr", odd[i].addr, strlen(odd[i].addr));
		make_file("class/uio/uio1/maps/map0/size", odd[i].size, strlen(odd[i].size));
		make_file("class/uio/uio1/maps/map0/offset", odd[i].offset, strlen(odd[i].offset));
		assert_int_equal(pmk_uio_maps(sysfs, "/dev/uio1", map), 0);
	}
}

/*
 * If a bus has no address cells, its devices have no address, and a row of its `ranges` has no
 * bytes.
 */
static void test_no_cells(void **state)
{
	uint64_t address;

	(void)state;
	fault = NONE;
	make_file(TREE "flat/#address-cells", "\0\0\0\0", 4);
	make_file(TREE "flat/#size-cells", "\0\0\0\0", 4);
	make_file(TREE "flat/ranges", "\0\0\0\0", 4);
	make_file(TREE "flat/flat/#address-cells", "\0\0\0\0", 4);
	make_file(TREE "flat/flat/#size-cells", "\0\0\0\0", 4);
	make_file(TREE "flat/flat/ranges", "\0\0\0\0", 4);
	make_file(TREE "flat/flat/dev/reg", "\0\0\0\1", 4);
	assert_int_equal(look_up("/flat/flat/dev", &address), PMK_EINVAL);
	make_file(TREE "flat/flat/#address-cells", "\0\0\0\1", 4);
	assert_int_equal(look_up("/flat/flat/dev", &address), PMK_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_odd_maps),
		cmocka_unit_test(test_no_cells),
	};

	return cmocka_run_group_tests(tests, make_board, remove_board);
}
