// SPDX-License-Identifier: MIT
/*
 * Writes a VCD of any length to standard output. The same arguments give the same bytes.
 *
 *	generate BYTES [SEED [LAYERS]]
 *
 * One AHB-Lite layer (the default) is among NETS nets that change at random, as in the dump of a
 * whole chip. With more layers there are no other nets: nearly every line belongs to a watched
 * signal.
 *
 * Ends after the first clock cycle in which BYTES are reached, and prints on stderr what it
 * generated: "cycles N reads N writes N waits N", where all numbers except the cycles are sums over
 * the layers. The generator must be much faster than the programs that read its output. So it
 * writes whole cycles into a buffer, and makes each random number with one multiplication.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NETS	4000 /* nets that belong to no layer, if there is one layer */
#define CHANGES 24   /* changes of the NETS nets per cycle */
#define LAYERS	8    /* largest number of layers */
#define CODES	(NETS + 16 * LAYERS)

static char buffer[1 << 20];
static char *at = buffer;
static uint64_t written, seed;
static unsigned layers = 1;
static char code[CODES][4];
static uint8_t width[CODES];
static size_t code_length[CODES];

static uint64_t rnd(void)
{
	seed += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = seed;

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void flush(void)
{
	size_t n = (size_t)(at - buffer);

	if (fwrite(buffer, 1, n, stdout) != n)
		exit(1);
	written += n;
	at = buffer;
}

static void text(const char *s, size_t n)
{
	memcpy(at, s, n);
	at += n;
}

/*
 * Makes the codes of all nets, as Icarus Verilog and Verilator number them: the lowest digit comes
 * first.
 */
static void make_codes(void)
{
	for (unsigned i = 0; i < CODES; i++) {
		unsigned n = i + 1;

		do {
			code[i][code_length[i]++] = (char)('!' + (n - 1) % 94);
			n = (n - 1) / 94;
		} while (n);
	}
}

/* The first nets are the clock and the reset. The signals of each layer follow. */
enum { HCLK, HRESETN, COMMON };
enum { HADDR, HTRANS, HWRITE, HSIZE, HBURST, HPROT, HREADY, HRESP, SIGNALS };

static unsigned first_net(void)
{
	return COMMON + layers * SIGNALS;
}

static void declare(unsigned net, unsigned bits, const char *prefix, const char *name)
{
	width[net] = (uint8_t)bits;
	printf("$var wire %u %.*s %s%s $end\n", bits, (int)code_length[net], code[net], prefix,
	       name);
}

/* With one layer, the signals are called haddr …; with several, l0_haddr … */
static void declare_layer(unsigned layer)
{
	static const struct {
		const char *name;
		unsigned width;
	} signal[SIGNALS] = { { "haddr", 32 }, { "htrans", 2 }, { "hwrite", 1 }, { "hsize", 3 },
			      { "hburst", 3 }, { "hprot", 4 },	{ "hready", 1 }, { "hresp", 1 } };
	char prefix[16] = "";

	if (layers > 1)
		snprintf(prefix, sizeof(prefix), "l%u_", layer);
	for (unsigned i = 0; i < SIGNALS; i++)
		declare(COMMON + layer * SIGNALS + i, signal[i].width, prefix, signal[i].name);
}

static void declare_nets(void)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 1, 2, 4, 8, 16, 32, 32, 64 };
	unsigned first = first_net();

	for (unsigned i = first; i < first + NETS; i++) {
		if ((i - first) % 100 == 0)
			printf("%s$scope module block%u $end\n", i > first ? "$upscope $end\n" : "",
			       (i - first) / 100);
		width[i] = widths[rnd() % sizeof(widths)];
		printf("$var reg %u %.*s net%u $end\n", width[i], (int)code_length[i], code[i], i);
	}
	printf("$upscope $end\n");
}

static void header(void)
{
	printf("$version made for a benchmark $end\n$timescale 1ns $end\n$scope module tb $end\n");
	declare(HCLK, 1, "", "hclk");
	declare(HRESETN, 1, "", "hresetn");
	for (unsigned i = 0; i < layers; i++)
		declare_layer(i);
	if (layers == 1)
		declare_nets();
	printf("$upscope $end\n$enddefinitions $end\n");
}

static void put(unsigned net, uint64_t value)
{
	if (width[net] == 1) {
		*at++ = (char)('0' + (value & 1));
	} else {
		unsigned top = width[net];

		*at++ = 'b';
		while (top > 1 && !(value >> (top - 1) & 1))
			top--;
		while (top-- > 0)
			*at++ = (char)('0' + (value >> top & 1));
		*at++ = ' ';
	}
	text(code[net], code_length[net]);
	*at++ = '\n';
}

static void put_time(uint64_t t)
{
	char digits[24];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + t % 10);
	} while (t /= 10);
	*at++ = '#';
	while (n)
		*at++ = digits[--n];
	*at++ = '\n';
}

/*
 * One layer: a master that makes INCR4 bursts with pauses, and a slave that sometimes inserts a
 * wait state.
 */
struct layer {
	unsigned net;  /* the first of its signals */
	unsigned beat; /* the beat whose address is on the bus; 4: none */
	uint32_t addr;
	int write, pending, pending_write, ready;
	uint64_t reads, writes, waits;
};

/* Handles the clock edge: the values on the bus are accepted, and the next ones are driven. */
static void clock_layer(struct layer *l)
{
	uint64_t r = rnd();

	if (l->ready) {
		if (l->pending) {
			l->reads += !l->pending_write;
			l->writes += (uint64_t)l->pending_write;
		}
		l->pending = l->beat < 4;
		l->pending_write = l->write;
		if (l->beat < 3) {
			l->beat++;
			l->addr += 4;
		} else if (r % 3) {
			l->beat = 0;
			l->addr = (uint32_t)(r >> 8) & ~15u;
			l->write = r >> 5 & 1;
			put(l->net + HWRITE, (uint64_t)l->write);
		} else {
			l->beat = 4;
		}
		put(l->net + HTRANS, l->beat == 4 ? 0 : l->beat ? 3 : 2);
		put(l->net + HADDR, l->addr);
	} else {
		l->waits++;
	}
	l->ready = !l->pending || (r >> 40 & 3);
	put(l->net + HREADY, (uint64_t)l->ready);
}

static void begin(struct layer layer[])
{
	put_time(0);
	text("$dumpvars\n", 10);
	put(HCLK, 0);
	put(HRESETN, 1);
	for (unsigned n = 0; n < layers; n++) {
		layer[n] = (struct layer){ .net = COMMON + n * SIGNALS, .beat = 4, .ready = 1 };
		for (unsigned i = 0; i < SIGNALS; i++)
			put(layer[n].net + i, i == HREADY		  ? 1
					      : i == HBURST || i == HPROT ? 3
					      : i == HSIZE		  ? 2
									  : 0);
	}
	text("$end\n", 5);
}

int main(int argc, char **argv)
{
	uint64_t bytes = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000, cycle = 0;
	struct layer layer[LAYERS], all = { .reads = 0 };

	seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	layers = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 1;
	if (layers < 1 || layers > LAYERS)
		return 2;
	make_codes();
	header();
	begin(layer);
	while (written + (uint64_t)(at - buffer) < bytes) {
		put_time(10 * cycle + 5);
		put(HCLK, 1);
		for (unsigned n = 0; n < layers; n++)
			clock_layer(&layer[n]);
		for (unsigned i = 0; i < CHANGES && layers == 1; i++)
			put(first_net() + (unsigned)(rnd() % NETS), rnd());
		put_time(10 * cycle + 10);
		put(HCLK, 0);
		cycle++;
		if ((size_t)(at - buffer) > sizeof(buffer) - 65536)
			flush();
	}
	flush();
	for (unsigned n = 0; n < layers; n++) {
		all.reads += layer[n].reads;
		all.writes += layer[n].writes;
		all.waits += layer[n].waits;
	}
	fprintf(stderr,
		"cycles %" PRIu64 " reads %" PRIu64 " writes %" PRIu64 " waits %" PRIu64 "\n",
		cycle, all.reads, all.writes, all.waits);
	return fflush(stdout) != 0;
}
