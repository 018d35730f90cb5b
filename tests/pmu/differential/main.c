// SPDX-License-Identifier: MIT
/*
 *	armv8_differential write CORE BOARD SEED PROGRAMS FILE
 *	armv8_differential check CORE BOARD SEED PROGRAMS LOG [FAULT]
 *	armv8_differential write-deviation NAME FILE
 *	armv8_differential check-deviation NAME LOG
 *	armv8_differential deviations             lists name, core and board
 *	armv8_differential faults                 lists names
 *	armv8_differential options CORE BOARD     for -icount shift= and -machine
 *
 * FILE gets the instructions of the programs, for loading at 0x40400000. LOG is the output of
 * guest.S.
 *
 * A check prints how much it compared, as "programs N values N differences N" and "masked RULE N",
 * and the first differences. It exits with 0, or with 1 if there are differences. It exits with 2
 * for wrong arguments, or if a file cannot be read or written.
 */
#include "program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 5 /* number of differing programs to print */

struct run {
	const struct core *core;
	const struct board *board;
	uint64_t seed;
	unsigned programs;
};

static int usage(const char *why)
{
	fprintf(stderr, "armv8_differential: %s\n", why);
	return 2;
}

/* ---- files --------------------------------------------------------------------------------- */

/* A64 instructions and the words of the log are little-endian. */
static void put_word(FILE *f, uint32_t w)
{
	for (unsigned i = 0; i < 4; i++)
		fputc((int)(w >> 8 * i & 0xFF), f);
}

static void write_program(FILE *f, const struct program *p)
{
	uint32_t words[MOST_WORDS];

	for (unsigned i = 0; i < p->n; i++) {
		unsigned n = emit(&p->op[i], words);

		for (unsigned k = 0; k < n; k++)
			put_word(f, words[k]);
	}
}

static uint64_t *read_log(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	uint64_t *log = NULL;
	size_t room = 0;
	uint8_t b[8];

	*n = 0;
	if (!f)
		return NULL;
	while (fread(b, 1, 8, f) == 8) {
		if (*n == room) {
			room = room ? 2 * room : 4096;
			log = realloc(log, room * sizeof(*log));
			if (!log)
				abort();
		}
		log[*n] = 0;
		for (unsigned i = 0; i < 8; i++)
			log[*n] |= (uint64_t)b[i] << 8 * i;
		(*n)++;
	}
	fclose(f);
	return log;
}

static int closed(FILE *f)
{
	bool bad = ferror(f);

	return fclose(f) || bad ? usage("cannot write") : 0;
}

/* ---- random programs ----------------------------------------------------------------------- */

static int parse(struct run *r, char **argv)
{
	r->core = core_find(argv[0]);
	r->board = board_find(argv[1]);
	r->seed = strtoull(argv[2], NULL, 0);
	r->programs = (unsigned)strtoul(argv[3], NULL, 0);
	return r->core && r->board && r->programs ? 0
						  : usage("no such core or board, or no programs");
}

static int write_run(const struct run *r, const char *path)
{
	static struct program p;
	FILE *f = fopen(path, "wb");

	if (!f)
		return usage("cannot write");
	for (unsigned i = 0; i < r->programs; i++) {
		generate(&p, r->core, r->board, r->seed, i);
		write_program(f, &p);
	}
	put_word(f, emit_finish());
	return closed(f);
}

static void print_tally(const struct tally *t)
{
	printf("programs %u values %u differences %u\n", t->programs, t->values, t->differences);
	for (unsigned i = 0; i < NRULES; i++)
		if (t->masked[i])
			printf("masked %s %u\n", deviations[i].name, t->masked[i]);
	for (unsigned i = 0; i < NSEEN; i++)
		printf("seen %s %u\n", seen_names[i], t->seen[i]);
}

static int check_run(const struct run *r, const char *path, enum fault fault)
{
	static struct program p;
	struct tally t = { 0 };
	size_t n, at = 0;
	uint64_t *log = read_log(path, &n);

	if (!log)
		return usage("cannot read the log");
	for (unsigned i = 0; i < r->programs; i++) {
		struct machine m;
		unsigned before = t.differences;
		FILE *out = before < SHOWN ? stdout : NULL;

		generate(&p, r->core, r->board, r->seed, i);
		machine_init(&m, r->core, r->board, fault);
		at += compare(&p, &m, log + at, n - at, &t, out);
		if (out && t.differences > before)
			printf("  that was program %u of seed %" PRIu64 "\n", i, r->seed);
	}
	if (at != n)
		printf("the log has %zu words, the programs %zu\n", n, at);
	print_tally(&t);
	free(log);
	return t.differences || at != n;
}

static int find_fault(const char *name, enum fault *fault)
{
	for (unsigned i = 0; i < NFAULTS; i++) {
		if (!strcmp(fault_names[i], name)) {
			*fault = (enum fault)i;
			return 0;
		}
	}
	return usage("no such fault");
}

/* ---- deviations ---------------------------------------------------------------------------- */

static const struct deviation *deviation_find(const char *name)
{
	for (unsigned i = 0; i < NRULES; i++)
		if (!strcmp(deviations[i].name, name))
			return &deviations[i];
	return NULL;
}

static int write_deviation(const struct deviation *d, const char *path)
{
	static struct program p;
	FILE *f = fopen(path, "wb");

	if (!f)
		return usage("cannot write");
	demonstrate(&p, d);
	write_program(f, &p);
	put_word(f, emit_finish());
	return closed(f);
}

/* The last value that the operations of a demonstration log, and how many values they log. */
struct last {
	uint64_t value;
	size_t n;
};

static void remember(void *ctx, struct machine *m, const struct op *op, unsigned reg,
		     uint64_t value)
{
	struct last *last = ctx;

	(void)m, (void)reg;
	if (op->kind != OP_DUMP)
		*last = (struct last){ value, last->n + 1 };
}

static int check_deviation(const struct deviation *d, const char *path)
{
	static struct program p;
	struct machine m;
	struct last last = { 0 };
	size_t n;
	uint64_t *log = read_log(path, &n), theirs;

	if (!log)
		return usage("cannot read the log");
	demonstrate(&p, d);
	machine_init(&m, core_find(d->core), board_find(d->board), FAULT_NONE);
	for (unsigned i = 0; i < p.n; i++)
		machine_step(&m, &p.op[i], remember, &last);
	theirs = n >= last.n ? log[last.n - 1] : 0;
	printf("%s\n  QEMU: %s\n  architecture: %s (%s)\n  QEMU 0x%" PRIx64 ", model 0x%" PRIx64
	       "\n",
	       d->name, d->qemu, d->architecture, d->ref, theirs, last.value);
	free(log);
	if (n != last.n + NDUMPED)
		return printf("the log has %zu words, not %zu\n", n, last.n + NDUMPED), 1;
	if (last.value != d->ours)
		return printf("the model should have 0x%" PRIx64 "\n", d->ours), 1;
	if (theirs == d->ours && d->mended)
		return printf("this QEMU has mended it\n"), 0;
	if (theirs == d->ours)
		return printf("obsolete: this QEMU agrees with the model; take the entry out\n"), 1;
	if (theirs != d->theirs && !(d->either && theirs == d->either))
		return printf("QEMU should have 0x%" PRIx64 "\n", d->theirs), 1;
	return 0;
}

/* ---- commands ------------------------------------------------------------------------------ */

static int list(const char *what)
{
	if (!strcmp(what, "deviations"))
		for (unsigned i = 0; i < NRULES; i++)
			printf("%s %s %s\n", deviations[i].name, deviations[i].core,
			       deviations[i].board);
	else if (!strcmp(what, "faults"))
		for (unsigned i = 1; i < NFAULTS; i++)
			printf("%s\n", fault_names[i]);
	else
		return usage("no such command");
	return 0;
}

/* Prints -icount shift= and -machine for a core and a board. */
static int options(const char *core, const char *board)
{
	const struct core *c = core_find(core);
	const struct board *b = board_find(board);

	if (!c || !b)
		return usage("no such core or board");
	printf("%u %s\n", c->shift, b->options);
	return 0;
}

static int of_deviation(const char *command, const char *name, const char *path)
{
	const struct deviation *d = deviation_find(name);

	if (!d)
		return usage("no such deviation");
	if (!strcmp(command, "write-deviation"))
		return write_deviation(d, path);
	return !strcmp(command, "check-deviation") ? check_deviation(d, path)
						   : usage("no such command");
}

static int of_run(int argc, char **argv)
{
	enum fault fault = FAULT_NONE;
	struct run r;
	int err = parse(&r, argv + 2);

	if (err)
		return err;
	if (!strcmp(argv[1], "write"))
		return write_run(&r, argv[6]);
	if (strcmp(argv[1], "check"))
		return usage("no such command");
	err = argc > 7 ? find_fault(argv[7], &fault) : 0;
	return err ? err : check_run(&r, argv[6], fault);
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return list(argv[1]);
	if (argc == 4 && !strcmp(argv[1], "options"))
		return options(argv[2], argv[3]);
	if (argc == 4)
		return of_deviation(argv[1], argv[2], argv[3]);
	if (argc == 7 || argc == 8)
		return of_run(argc, argv);
	return usage("see tests/pmu/differential/main.c");
}
