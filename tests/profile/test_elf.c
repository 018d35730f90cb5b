// SPDX-License-Identifier: MIT
/*
 * Reads ELF files: images made byte by byte, and a real ARM executable if a compiler is installed.
 * Files that are truncated at any length give the right answer or an error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/error.h>

#include "profile/elf.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static char dir[64], file[96];

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/pmk-elf-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/image", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(file);
	return rmdir(dir);
}

/* ---- build attributes ---------------------------------------------------------------------- */

/* Attributes of two vendors. "aeabi" is the second vendor, and has a value of every form. */
static const uint8_t attributes[] = { 'A', 9, 0, 0, 0, 'g', 'n', 'u', 0, 42, /* another vendor's */
				      49, 0, 0, 0, 'a', 'e', 'a', 'b', 'i', 0,
				      /* attributes of one section of the file, which pmk ignores */
				      2, 9, 0, 0, 0, 1, 0, 6, 14,
				      /* attributes of the file */
				      1, 30, 0, 0, 0, 5, 'x', '1', 0, 6, 10, 9, 2, 10, 3, 12, 1, 32,
				      1, 'g', 0, 44, 2, 65, 6, 0, 0x82, 0x01, 0x85, 0x01 };

static void test_attributes(void **state)
{
	struct pmk_arm_attributes a;

	(void)state;
	pmk_arm_attributes_read(&a, attributes, sizeof(attributes), false);
	assert_true(a.said);
	assert_int_equal(a.arch, PMK_ARM_V7);
	assert_int_equal(a.thumb, 2);
	assert_int_equal(a.fp, 3);
	assert_int_equal(a.simd, 1);
	assert_int_equal(a.div, 2);
	assert_string_equal(pmk_arm_arch_name(a.arch), "ARMv7");
	assert_string_equal(pmk_arm_arch_name(99), "architecture 99");
	/* In the other byte order, the lengths of the attributes exceed the data. */
	pmk_arm_attributes_read(&a, attributes, sizeof(attributes), true);
	assert_false(a.said);
}

/*
 * Attributes that are truncated anywhere, or have any byte changed, are not read beyond their end.
 * The copies have the exact size, so a sanitizer or valgrind detects such reads.
 */
static void test_bad_attributes(void **state)
{
	struct pmk_arm_attributes a;

	(void)state;
	for (size_t n = 0; n < sizeof(attributes); n++) {
		uint8_t *cut = malloc(n ? n : 1);

		assert_non_null(cut);
		memcpy(cut, attributes, n);
		pmk_arm_attributes_read(&a, cut, n, false);
		/*
		 * If only the other vendor's attributes are complete, the result says that there
		 * are none for ARM.
		 */
		assert_false(a.said);
		free(cut);
	}
	for (size_t at = 0; at < sizeof(attributes); at++)
		for (unsigned v = 0; v < 256; v++) {
			uint8_t *other = malloc(sizeof(attributes));

			assert_non_null(other);
			memcpy(other, attributes, sizeof(attributes));
			other[at] = (uint8_t)v;
			pmk_arm_attributes_read(&a, other, sizeof(attributes), false);
			assert_true(a.said || (!a.arch && !a.thumb && !a.fp && !a.simd && !a.div));
			free(other);
		}
}

/* ---- images -------------------------------------------------------------------------------- */

struct image {
	uint8_t byte[2048];
	unsigned size;
	bool big;
};

static void put(struct image *m, unsigned at, unsigned bytes, uint64_t v)
{
	for (unsigned i = 0; i < bytes; i++)
		m->byte[at + i] = (uint8_t)(v >> 8 * (m->big ? bytes - 1 - i : i));
	if (at + bytes > m->size)
		m->size = at + bytes;
}

enum { PHDR = 0x40, TEXT = 0x100, INTERP = 0x140, STRTAB = 0x180, SYMTAB = 0x200, SHDR = 0x300 };

static void put_segment(struct image *m, unsigned at, uint32_t type, uint32_t offset,
			uint32_t vaddr, uint32_t size, uint32_t flags)
{
	const uint32_t word[8] = { type, offset, vaddr, vaddr, size, size, flags, 4 };

	for (unsigned i = 0; i < 8; i++)
		put(m, at + 4 * i, 4, word[i]);
}

static void put_section(struct image *m, unsigned index, uint32_t type, uint32_t offset,
			uint32_t size, uint32_t link, uint32_t entsize)
{
	const uint32_t word[10] = { 0, type, 0, 0, offset, size, link, 0, 1, entsize };

	for (unsigned i = 0; i < 10; i++)
		put(m, SHDR + 40 * index + 4 * i, 4, word[i]);
}

static void put_symbol(struct image *m, unsigned index, unsigned name, uint32_t value,
		       unsigned type, unsigned section)
{
	put(m, SYMTAB + 16 * index, 4, name);
	put(m, SYMTAB + 16 * index + 4, 4, value);
	put(m, SYMTAB + 16 * index + 12, 1, 0x10 | type); /* global */
	put(m, SYMTAB + 16 * index + 14, 2, section);
}

/*
 * Makes a 32-bit executable with two segments, the second of which has code from 0x8100 on, an
 * interpreter, and symbols: main (Thumb) 0x8120, _start (no type) 0x8100, table (data), $a, printf
 * (undefined), main_loop.
 */
static void make_image(struct image *m, bool big)
{
	static const char names[] = "\0main\0_start\0table\0$a\0printf\0main_loop";
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 1, 1, 1 };

	memset(m, 0, sizeof(*m));
	memcpy(m->byte, ident, sizeof(ident));
	m->byte[5] = big ? 2 : 1;
	m->big = big;
	put(m, 16, 2, 2);  /* executable */
	put(m, 18, 2, 40); /* ARM */
	put(m, 20, 4, 1);
	put(m, 24, 4, 0x8100);
	put(m, 28, 4, PHDR);
	put(m, 32, 4, SHDR);
	put(m, 36, 4, 0x05000200);
	put(m, 40, 2, 52);
	put(m, 42, 2, 32);
	put(m, 44, 2, 3);
	put(m, 46, 2, 40);
	put(m, 48, 2, 3);
	put(m, 50, 2, 0);
	put_segment(m, PHDR, 1, 0, 0x7000, 0x20, 4);
	put_segment(m, PHDR + 32, 1, TEXT, 0x8100, 0x40, 5);
	put_segment(m, PHDR + 64, 3, INTERP, 0x8140, 18, 4);
	memcpy(m->byte + INTERP, "/lib/ld-linux.so.3", 18);
	memcpy(m->byte + STRTAB, names, sizeof(names));
	put_symbol(m, 1, 1, 0x8121, 2, 1);
	put_symbol(m, 2, 6, 0x8100, 0, 1);
	put_symbol(m, 3, 13, 0x9000, 1, 1);
	put_symbol(m, 4, 19, 0x8100, 0, 1);
	put_symbol(m, 5, 22, 0, 2, 0);
	put_symbol(m, 6, 29, 0x8130, 2, 1);
	put_section(m, 1, 3, STRTAB, sizeof(names), 0, 0);
	put_section(m, 2, 2, SYMTAB, 7 * 16, 1, 16);
}

static void store(const void *bytes, size_t size)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

/* Checks that `msg` is one line of text. */
static void check_message(const char *msg, size_t size)
{
	assert_non_null(memchr(msg, '\0', size));
	assert_true(strlen(msg) > 5);
	assert_null(strchr(msg, '\n'));
}

static int read_image(const struct image *m, struct pmk_elf *elf)
{
	char msg[256];
	int err;

	memset(msg, 0, sizeof(msg));
	store(m->byte, m->size);
	err = pmk_elf_read(file, elf, msg, sizeof(msg));
	if (err)
		check_message(msg, sizeof(msg));
	return err;
}

/* ---- by hand ------------------------------------------------------------------------------- */

static void test_what_is_read(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct image m;
		struct pmk_elf elf;

		make_image(&m, big);
		assert_int_equal(read_image(&m, &elf), 0);
		assert_int_equal(elf.machine, PMK_ELF_ARM);
		assert_string_equal(elf.machine_name, "ARM");
		assert_int_equal(elf.machine_code, 40);
		assert_false(elf.is64);
		assert_int_equal(elf.big_endian, big);
		assert_false(elf.pie);
		assert_true(elf.dynamic);
		assert_string_equal(elf.interpreter, "/lib/ld-linux.so.3");
		assert_int_equal(elf.load_start, 0x70A0); /* after the headers */
		assert_int_equal(elf.code_start, 0x8100); /* not 0x7000 of the read-only segment */
		assert_int_equal(elf.flags, 0x05000200);
	}
}

static void test_variants(void **state)
{
	static const struct {
		int line;
		unsigned at, bytes;
		uint32_t value;
		int err;
		bool pie, dynamic;
		uint32_t code;
	} rows[] = {
		{ __LINE__, 16, 2, 3, 0, true, true, 0x8100 },		   /* ET_DYN */
		{ __LINE__, 16, 2, 1, PMK_EPARSE, false, false, 0 },	   /* an object */
		{ __LINE__, 16, 2, 4, PMK_EPARSE, false, false, 0 },	   /* a core dump */
		{ __LINE__, 44, 2, 2, 0, false, false, 0x8100 },	   /* a static executable */
		{ __LINE__, 44, 2, 1, PMK_EPARSE, false, false, 0 },	   /* no code */
		{ __LINE__, 44, 2, 0, PMK_EPARSE, false, false, 0 },	   /* no segments */
		{ __LINE__, 28, 4, 0x10000, PMK_EPARSE, false, false, 0 }, /* outside of the file */
		{ __LINE__, PHDR + 24, 4, 5, 0, false, true, 0x7000 }, /* both segments are code */
		{ __LINE__, PHDR + 32 + 16, 4, 0x10000, PMK_EPARSE, false, false, 0 },
		{ __LINE__, PHDR + 32 + 4, 4, 0xFFFFFFF0, PMK_EPARSE, false, false, 0 },
		{ __LINE__, PHDR + 64 + 4, 4, 0xFFFFFFF0, PMK_EPARSE, false, false, 0 },
		{ __LINE__, PHDR + 64 + 16, 4, 0xFFFFFFFF, -99, false, true, 0x8100 },
		{ __LINE__, 0, 1, 'x', PMK_EPARSE, false, false, 0 },
		{ __LINE__, 4, 1, 9, PMK_EPARSE, false, false, 0 }, /* neither 32 nor 64 bits */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct image m;
		struct pmk_elf elf;
		int err;

		make_image(&m, false);
		put(&m, rows[i].at, rows[i].bytes, rows[i].value);
		err = read_image(&m, &elf);
		if (rows[i].err == -99 ? err > 0 : err != rows[i].err)
			fail_msg("row of line %d: %d", rows[i].line, err);
		assert_true(memchr(elf.interpreter, '\0', sizeof(elf.interpreter)) != NULL);
		if (!err && (elf.pie != rows[i].pie || elf.dynamic != rows[i].dynamic ||
			     elf.code_start != rows[i].code))
			fail_msg("row of line %d: %d %d %llx", rows[i].line, elf.pie, elf.dynamic,
				 (unsigned long long)elf.code_start);
	}
}

static void test_machines(void **state)
{
	static const struct {
		unsigned code;
		enum pmk_elf_machine machine;
		const char *name;
	} rows[] = {
		{ 40, PMK_ELF_ARM, "ARM" },
		{ 183, PMK_ELF_AARCH64, "AArch64" },
		{ 189, PMK_ELF_MICROBLAZE, "MicroBlaze" },
		{ 62, PMK_ELF_OTHER, "x86-64" },
		{ 243, PMK_ELF_OTHER, "RISC-V" },
		{ 54321, PMK_ELF_OTHER, "unknown machine" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct image m;
		struct pmk_elf elf;

		make_image(&m, false);
		put(&m, 18, 2, rows[i].code);
		assert_int_equal(read_image(&m, &elf), 0);
		assert_int_equal(elf.machine, rows[i].machine);
		assert_int_equal(elf.machine_code, rows[i].code);
		assert_string_equal(elf.machine_name, rows[i].name);
	}
}

static void test_long_interpreter(void **state)
{
	struct image m;
	struct pmk_elf elf;

	(void)state;
	make_image(&m, false);
	memset(m.byte + 0x400, 'i', 300);
	m.size = 0x400 + 300;
	put_segment(&m, PHDR + 64, 3, 0x400, 0x8140, 300, 4);
	assert_int_equal(read_image(&m, &elf), 0);
	assert_int_equal(strlen(elf.interpreter), 127);
	put_segment(&m, PHDR + 64, 3, 0x400, 0x8140, 128, 4); /* one segment too many */
	assert_int_equal(read_image(&m, &elf), 0);
	assert_int_equal(strlen(elf.interpreter), 127);
	put_segment(&m, PHDR + 64, 3, 0x400, 0x8140, 127, 4);
	assert_int_equal(read_image(&m, &elf), 0);
	assert_int_equal(strlen(elf.interpreter), 127);
}

static void test_symbols(void **state)
{
	static const struct {
		int line;
		const char *name;
		int err;
		uint64_t addr;
		const char *msg;
	} rows[] = {
		{ __LINE__, "main", 0, 0x8120, NULL }, /* without the Thumb bit */
		{ __LINE__, "_start", 0, 0x8100, NULL },
		{ __LINE__, "main_loop", 0, 0x8130, NULL },
		{ __LINE__, "table", PMK_ENOEVENT, 0, "no function" },
		{ __LINE__, "printf", PMK_ENOEVENT, 0, "no function" },
		{ __LINE__, "$a", PMK_ENOEVENT, 0, "no function" },
		{ __LINE__, "", PMK_ENOEVENT, 0, "no function" },
		{ __LINE__, "mian", PMK_ENOEVENT, 0, "main" },
		{ __LINE__, "0x8000", 0, 0x8000, NULL },
		{ __LINE__, "0XfFfF0000", 0, 0xFFFF0000, NULL },
		{ __LINE__, "0x", PMK_ENOEVENT, 0, "no function" },
		{ __LINE__, "0x80zz", PMK_ENOEVENT, 0, "no function" },
		{ __LINE__, "8000", PMK_ENOEVENT, 0, "no function" },
	};

	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct image m;

		make_image(&m, big);
		store(m.byte, m.size);
		for (size_t i = 0; i < COUNT(rows); i++) {
			char msg[256] = "";
			uint64_t addr = 1;
			int err = pmk_elf_symbol(file, rows[i].name, &addr, msg, sizeof(msg));

			if (err != rows[i].err || (!err && addr != rows[i].addr))
				fail_msg("row of line %d: %d, %llx", rows[i].line, err,
					 (unsigned long long)addr);
			if (err)
				check_message(msg, sizeof(msg));
			if (rows[i].msg && !strstr(msg, rows[i].msg))
				fail_msg("row of line %d: '%s'", rows[i].line, msg);
		}
	}
}

/* A number is an address, whatever the file contains. */
static void test_address_needs_no_file(void **state)
{
	char msg[64];
	uint64_t addr;

	(void)state;
	assert_int_equal(pmk_elf_symbol("/nowhere/at all", "0x1234", &addr, msg, sizeof(msg)), 0);
	assert_int_equal(addr, 0x1234);
	assert_int_equal(pmk_elf_symbol("/nowhere/at all", "main", &addr, msg, sizeof(msg)),
			 PMK_EIO);
	check_message(msg, sizeof(msg));
}

static void test_stripped(void **state)
{
	struct image m;
	char msg[256];
	uint64_t addr;

	(void)state;
	make_image(&m, false);
	put(&m, 48, 2, 0);
	put(&m, 32, 4, 0);
	store(m.byte, m.size);
	assert_int_equal(pmk_elf_symbol(file, "main", &addr, msg, sizeof(msg)), PMK_ENOEVENT);
	assert_non_null(strstr(msg, "stripped"));
}

/* Symbol tables that contradict other sections of the file are errors. */
static void test_broken_symbols(void **state)
{
	static const struct {
		unsigned section, word;
		uint32_t value;
	} rows[] = {
		{ 2, 4, 0xFFFFFFF0 },		    /* begins after the end of the file */
		{ 2, 5, 0xFFFFFFFF },		    /* ends after the end of the file */
		{ 2, 5, 0x7FFFFFFF }, { 2, 6, 99 }, /* no such string table */
		{ 2, 6, 2 },			    /* not a string table */
		{ 2, 9, 0 },			    /* no size per entry */
		{ 2, 9, 1 },	      { 2, 9, 0xFFFFFFFF },
		{ 1, 4, 0xFFFFFFF0 }, /* names after the end of the file */
		{ 1, 5, 3 },	      /* names cut off */
		{ 1, 1, 8 },	      /* names that are not in the file */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct image m;
		char msg[256] = "";
		uint64_t addr = 0;
		int err;

		make_image(&m, false);
		put(&m, SHDR + 40 * rows[i].section + 4 * rows[i].word, 4, rows[i].value);
		store(m.byte, m.size);
		err = pmk_elf_symbol(file, "main", &addr, msg, sizeof(msg));
		assert_true(err <= 0);
		if (err)
			check_message(msg, sizeof(msg));
		else
			assert_int_equal(addr, 0x8120);
	}
}

static void test_what_is_no_file(void **state)
{
	struct pmk_elf elf;
	char msg[256], small[8];

	(void)state;
	assert_int_equal(pmk_elf_read("/nowhere/at all", &elf, msg, sizeof(msg)), PMK_EIO);
	check_message(msg, sizeof(msg));
	assert_int_equal(pmk_elf_read(dir, &elf, msg, sizeof(msg)), PMK_EIO);
	assert_string_equal(msg, "is a directory");
	assert_int_equal(pmk_elf_read("/dev/null", &elf, msg, sizeof(msg)), PMK_EPARSE);
	check_message(msg, sizeof(msg));
	store("", 0);
	assert_int_equal(pmk_elf_read(file, &elf, msg, sizeof(msg)), PMK_EPARSE);
	store("#!/bin/sh\nexit 0\n", 17);
	assert_int_equal(pmk_elf_read(file, &elf, msg, sizeof(msg)), PMK_EPARSE);
	assert_string_equal(msg, "is not an ELF file");
	store("!<arch>\nx", 9);
	assert_int_equal(pmk_elf_read(file, &elf, msg, sizeof(msg)), PMK_EPARSE);
	/* The result is truncated to the buffer. */
	memset(small, '#', sizeof(small));
	assert_int_equal(pmk_elf_read(file, &elf, small, 4), PMK_EPARSE);
	assert_int_equal(small[3], '\0');
	assert_int_equal(small[4], '#');
}

/* ---- cut off ------------------------------------------------------------------------------- */

static uint64_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

/*
 * Truncates the file at `file` in many places. Reading either fails or gives the result of the
 * complete file. If a symbol is found, its address is right.
 */
static void cut_off(const char *symbol)
{
	uint64_t size = size_of(file), addr = 0, found;
	unsigned right = 0, wrong = 0;
	struct pmk_elf whole, elf;
	char msg[256];

	assert_int_equal(pmk_elf_read(file, &whole, msg, sizeof(msg)), 0);
	assert_int_equal(pmk_elf_symbol(file, symbol, &addr, msg, sizeof(msg)), 0);
	while (size > 0) {
		int err;

		/* A large file is truncated in steps, but byte by byte near its ends. */
		size -= size > 65536 ? 1 + size / 20000 : 1;
		assert_int_equal(truncate(file, (off_t)size), 0);
		memset(msg, 0, sizeof(msg));
		err = pmk_elf_read(file, &elf, msg, sizeof(msg));
		assert_true(err == 0 || err == PMK_EPARSE);
		if (err) {
			check_message(msg, sizeof(msg));
			wrong++;
		} else {
			assert_string_equal(elf.interpreter, whole.interpreter);
			assert_string_equal(elf.machine_name, whole.machine_name);
			assert_true(elf.code_start == whole.code_start && elf.flags == whole.flags);
			assert_true(elf.pie == whole.pie && elf.dynamic == whole.dynamic);
			assert_true(elf.is64 == whole.is64 && elf.big_endian == whole.big_endian);
			right++;
		}
		memset(msg, 0, sizeof(msg));
		err = pmk_elf_symbol(file, symbol, &found, msg, sizeof(msg));
		assert_true(err == 0 || err == PMK_EPARSE || err == PMK_ENOEVENT);
		if (err)
			check_message(msg, sizeof(msg));
		else
			assert_true(found == addr);
	}
	assert_true(right > 0 && wrong > 52);
}

static void test_cut_off_images(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct image m;

		make_image(&m, big);
		store(m.byte, m.size);
		cut_off("main");
	}
}

static void test_cut_off_executable(void **state)
{
	char command[512];

	(void)state;
	snprintf(command, sizeof(command),
		 "echo 'int main(void) { return 0; }' | "
		 "arm-linux-gnueabi-gcc -x c -o %s - 2>/dev/null || "
		 "cp /proc/%d/exe %s",
		 file, (int)getpid(), file);
	assert_int_equal(system(command), 0);
	cut_off("main");
}

/* If any byte of the image is replaced, any result is accepted, but there is no crash. */
static void test_damaged_images(void **state)
{
	static const uint8_t values[] = { 0x00, 0x80, 0xFF };
	struct image m;

	(void)state;
	make_image(&m, false);
	for (unsigned at = 0; at < m.size; at++) {
		for (size_t i = 0; i < COUNT(values); i++) {
			uint8_t was = m.byte[at];
			char msg[256] = "";
			struct pmk_elf elf;
			uint64_t addr;
			int err;

			m.byte[at] = values[i];
			err = read_image(&m, &elf);
			assert_true(err == 0 || err == PMK_EPARSE);
			assert_non_null(memchr(elf.interpreter, '\0', sizeof(elf.interpreter)));
			err = pmk_elf_symbol(file, "main", &addr, msg, sizeof(msg));
			assert_true(err == 0 || err == PMK_EPARSE || err == PMK_ENOEVENT);
			if (err)
				check_message(msg, sizeof(msg));
			m.byte[at] = was;
		}
	}
}

/* ---- functions by address ------------------------------------------------------------------ */

enum { FUNC = 2, OBJECT = 1, LABEL = 0 };

static const struct {
	const char *name;
	uint32_t value, size;
	uint8_t type;
	uint16_t section; /* 1: code at 0x8000, 0x100 bytes long; 2: data */
} symbols[] = {
	{ "thumb", 0x8041, 0x10, FUNC, 1 }, /* bit 0: Thumb */
	{ "reset", 0x8000, 0x20, FUNC, 1 },   { "alias", 0x8000, 0, LABEL, 1 },
	{ "inner", 0x8008, 0, LABEL, 1 }, /* inside reset, so no code gets its name */
	{ "loop", 0x8020, 0, LABEL, 1 },  /* to the next symbol */
	{ "gap", 0x8060, 4, FUNC, 1 },	      { "$a", 0x8080, 0, LABEL, 1 },
	{ "tail", 0x80f0, 0, LABEL, 1 }, /* to the end of the section */
	{ "data", 0x8070, 8, FUNC, 2 },	 /* in a section without code */
	{ "zero", 0x8090, 4, OBJECT, 1 },     { "loop", 0x80c0, 0, LABEL, 0 }, /* undefined here */
	{ "loop", 0x80c0, 0, LABEL, 0xfff1 }, /* an absolute number */
};

static void put_code(struct image *m, unsigned index, uint32_t flags)
{
	put_section(m, index, 1, 0, 0x100, 0, 0); /* PROGBITS */
	put(m, SHDR + 40 * index + 8, 4, flags);
	put(m, SHDR + 40 * index + 12, 4, 0x8000);
}

/* Makes an ARM executable with these symbols, or without symbols. */
static void make_functions(struct image *m, bool with_symbols)
{
	unsigned name = 1;

	make_image(m, false);
	memset(m->byte + STRTAB, 0, SHDR - STRTAB);
	for (unsigned i = 0; i < COUNT(symbols); i++) {
		put_symbol(m, i, name, symbols[i].value, symbols[i].type, symbols[i].section);
		put(m, SYMTAB + 16 * i + 8, 4, symbols[i].size);
		strcpy((char *)m->byte + STRTAB + name, symbols[i].name);
		name += (unsigned)strlen(symbols[i].name) + 1;
	}
	assert_true(STRTAB + name <= SYMTAB);
	put_code(m, 1, 6); /* ALLOC and EXECINSTR */
	put_code(m, 2, 3); /* ALLOC and WRITE */
	put_section(m, 3, 3, STRTAB, name, 0, 0);
	put_section(m, 4, 2, SYMTAB, 16 * COUNT(symbols), 3, 16);
	put(m, 48, 2, with_symbols ? 5 : 3);
}

static const struct {
	int line;
	uint64_t pc;
	const char *name;
	uint64_t begin;
} places[] = {
	{ __LINE__, 0x7fff, NULL, 0 },
	{ __LINE__, 0x8000, "reset", 0x8000 },
	{ __LINE__, 0x8008, "reset", 0x8000 },
	{ __LINE__, 0x801f, "reset", 0x8000 },
	{ __LINE__, 0x8020, "loop", 0x8020 },
	{ __LINE__, 0x803f, "loop", 0x8020 },
	{ __LINE__, 0x8040, "thumb", 0x8040 },
	{ __LINE__, 0x8041, "thumb", 0x8040 },
	{ __LINE__, 0x804f, "thumb", 0x8040 },
	{ __LINE__, 0x8050, NULL, 0 },
	{ __LINE__, 0x8060, "gap", 0x8060 },
	{ __LINE__, 0x8063, "gap", 0x8060 },
	{ __LINE__, 0x8064, NULL, 0 },
	{ __LINE__, 0x8070, NULL, 0 },
	{ __LINE__, 0x8080, NULL, 0 },
	{ __LINE__, 0x8090, NULL, 0 },
	{ __LINE__, 0x80c0, NULL, 0 },
	{ __LINE__, 0x80f0, "tail", 0x80f0 },
	{ __LINE__, 0x80ff, "tail", 0x80f0 },
	{ __LINE__, 0x8100, NULL, 0 },
	{ __LINE__, 0, NULL, 0 },
	{ __LINE__, UINT64_MAX, NULL, 0 },
};

static void test_functions(void **state)
{
	struct pmk_functions *f;
	struct image m;
	char msg[128];

	(void)state;
	make_functions(&m, true);
	store(m.byte, m.size);
	assert_int_equal(pmk_functions_load(&f, file, msg, sizeof(msg)), 0);
	assert_int_equal(pmk_functions_count(f), 5);
	for (size_t i = 0; i < COUNT(places); i++) {
		uint64_t begin = 0;
		const char *name = pmk_functions_at(f, places[i].pc, &begin);

		if (!name != !places[i].name || (name && strcmp(name, places[i].name) != 0) ||
		    begin != places[i].begin)
			fail_msg("line %d: %s at 0x%llx", places[i].line, name ? name : "nothing",
				 (unsigned long long)begin);
	}
	pmk_functions_free(f);
}

static void test_functions_of_odd_files(void **state)
{
	struct pmk_functions *f;
	struct image m;
	char msg[128];
	uint64_t begin;

	(void)state;
	make_functions(&m, false);
	store(m.byte, m.size);
	assert_int_equal(pmk_functions_load(&f, file, msg, sizeof(msg)), 0);
	assert_int_equal(pmk_functions_count(f), 0);
	assert_null(pmk_functions_at(f, 0x8000, &begin));
	pmk_functions_free(f);

	make_functions(&m, true);
	for (unsigned n = 0; n < m.size; n++) {
		int err;

		store(m.byte, n);
		msg[0] = '\0';
		err = pmk_functions_load(&f, file, msg, sizeof(msg));
		assert_true(err <= 0);
		assert_int_equal(!*msg, !err);
		if (!err) {
			pmk_functions_at(f, 0x8000, &begin);
			pmk_functions_free(f);
		} else {
			check_message(msg, sizeof(msg));
			assert_null(f);
		}
	}
	assert_int_equal(pmk_functions_load(&f, "/nonexistent/elf", msg, sizeof(msg)), PMK_EIO);
	assert_null(f);
	pmk_functions_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_bad_attributes),
		cmocka_unit_test(test_what_is_read),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_long_interpreter),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_address_needs_no_file),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_broken_symbols),
		cmocka_unit_test(test_what_is_no_file),
		cmocka_unit_test(test_cut_off_images),
		cmocka_unit_test(test_cut_off_executable),
		cmocka_unit_test(test_damaged_images),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_functions_of_odd_files),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
