/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * Waveform dumps: the values of signals at the edges of a clock, from a VCD or an FST file. Host
 * library only.
 *
 * 	struct pmk_wave *w;
 * 	struct pmk_wave_map map;
 * 	struct pmk_wave_error err;
 * 	struct pmk_wave_findings findings;
 *
 * 	if (pmk_wave_open(&w, "sim.vcd", &err) || pmk_wave_map_load(&map, "ahb.ini", &err) ||
 * 	    pmk_wave_bind(w, &map, &err))
 * 		… err.text says where and why
 * 	status = pmk_wave_run(w, &(struct pmk_wave_sink){ .edge = edge, .ctx = … }, &findings);
 * 	pmk_wave_map_free(&map);
 * 	pmk_wave_close(w);
 *
 * The dump is read once from beginning to end. The memory needed depends on the number of its
 * signals, for an FST also on the length of its blocks, but not on the length of the dump. A VCD
 * may come from a pipe and be larger than the machine's memory.
 *
 * Times are in units of the dump's $timescale, 64 bits; pmk_wave_time_text() shows them.
 */
#ifndef PMK_WAVE_H
#define PMK_WAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An error and its position. */
struct pmk_wave_error {
	int code;	 /* enum pmk_error; 0: none */
	bool in_dump;	 /* the next two members are positions in the dump, after decompression */
	uint64_t offset; /* bytes before the error; for an FST, bytes before its block */
	uint64_t line;	 /* from 1; FST: 0 */
	bool timed;	 /* `time` is valid */
	uint64_t time;	 /* the last time of the dump that was read before the error */
	char text[512];	 /* one line for people, including all of the above */
};

/* ---- the dump ------------------------------------------------------------------------------- */

struct pmk_wave;

enum pmk_wave_kind {
	PMK_WAVE_BITS, /* wire, reg, integer …: the only kind that can be sampled */
	PMK_WAVE_REAL,
	PMK_WAVE_STRING,
	PMK_WAVE_EVENT
};

/* A name in the dump. If several names belong to one net, they have the same `net`. */
struct pmk_wave_signal {
	const char *scope; /* "tb.core"; empty at the top */
	const char *name;  /* "haddr" */
	uint32_t width;	   /* bits */
	int32_t msb, lsb;  /* as declared; width - 1 and 0 if not declared */
	uint32_t net;
	uint8_t kind;	/* enum pmk_wave_kind */
	bool parameter; /* declared as a constant of the design */
};

/*
 * Open a dump and read its header: a VCD, an FST, or a VCD compressed by gzip; "-" is standard
 * input. The format is recognised from the content. Neither a compressed VCD nor an FST can be read
 * from a pipe. Returns 0 and *out, or a negative enum pmk_error: PMK_EIO (cannot be opened, read or
 * unpacked), PMK_EPARSE, PMK_ENOMEM.
 */
int pmk_wave_open(struct pmk_wave **out, const char *path, struct pmk_wave_error *err);
void pmk_wave_close(struct pmk_wave *w);

/* Returns all names in the order of the dump. The array and everything that it points to are valid
 * until pmk_wave_close(). */
const struct pmk_wave_signal *pmk_wave_signals(const struct pmk_wave *w, size_t *count);
/* Returns the format of the dump: "VCD", "FST" or "VCD, gzip". */
const char *pmk_wave_format(const struct pmk_wave *w);
/* Writes a time as text: "120 ns", or only the number if the dump has no timescale. */
void pmk_wave_time_text(const struct pmk_wave *w, uint64_t time, char *buf, size_t size);
/* Returns a time of the dump in seconds; 0 if the dump has no timescale. */
double pmk_wave_seconds(const struct pmk_wave *w, uint64_t time);

/* ---- the map -------------------------------------------------------------------------------- */

/* The use of a slot. */
enum pmk_wave_part {
	PMK_WAVE_LAYER,	  /* `role` is enum pmk_ahb_role, or PMK_WAVE_CAUSE */
	PMK_WAVE_GXI,	  /* `role` is enum pmk_wave_gxi_role */
	PMK_WAVE_AXI,	  /* `role` is enum pmk_axi_role */
	PMK_WAVE_PACKETS, /* AHBMONITOR[32:0] or [33:0] */
	PMK_WAVE_EVNTBUS, /* the vector of an ARM11 */
	PMK_WAVE_SIGNAL	  /* `role` is enum pmk_signal */
};

/* An additional role of a layer: the signal's value is an enum pmk_ahb_cause, the cause of a wait
 * state. */
#define PMK_WAVE_CAUSE PMK_AHB_NROLES

enum pmk_wave_gxi_role {
	PMK_WAVE_GXI_ADDRESS, /* enum pmk_gxi_address */
	PMK_WAVE_GXI_DATA,    /* enum pmk_gxi_data */
	PMK_WAVE_GXI_ADDR,    /* the address itself */
	PMK_WAVE_GXI_IS_WRITE
};

/* How a signal counts at an edge of the clock: the number of occurrences that it adds. */
enum pmk_wave_how {
	PMK_WAVE_LEVEL, /* one while it is not 0 */
	PMK_WAVE_EDGE,	/* one if it is not 0 and was 0 at the previous edge */
	PMK_WAVE_COUNT	/* its value is the number of occurrences */
};

/* One signal to sample. Its index in the map is its index in pmk_wave_edge.value. */
struct pmk_wave_slot {
	const char *signal; /* as in the map: "tb.hready", "tb.bus[7:4]", "!tb.idle", "0" */
	const char *scope;  /* the path to which `signal` is relative; empty: none */
	unsigned line;	    /* line in the map */
	/* Number of the layer or AXI interface to which it belongs; otherwise 0. */
	unsigned group;
	unsigned role;
	uint8_t part; /* enum pmk_wave_part */
	uint8_t how;  /* enum pmk_wave_how, for PMK_WAVE_SIGNAL */
};

struct pmk_wave_layer {
	const char *name;  /* "armd", as in [layer armd] */
	const char *scope; /* the path to which its names are relative */
	unsigned line;	   /* line in the map */
	uint8_t monitor;   /* enum pmk_ahbmon_bus: the monitor of this layer */
	uint8_t protocol;  /* enum pmk_wave_protocol */
	uint16_t bytes;	   /* width of the data bus; 0: not known */
	bool chosen; /* the map names the monitor; otherwise it follows from the layer's name */
};

/* An AXI interface, as in [axi NAME]. */
struct pmk_wave_axi {
	const char *name, *scope; /* as in struct pmk_wave_layer */
	unsigned line;
};

enum pmk_wave_protocol {
	PMK_WAVE_BY_HRESP, /* AHB-Lite if HRESP has one bit, otherwise AHB */
	PMK_WAVE_AHB,
	PMK_WAVE_AHB_LITE
};

/* A range of addresses that has a separate counter, or that belongs to a slave. */
struct pmk_wave_window {
	uint64_t first, last; /* both are included */
	/* 0 UART, 1 SCI, 2 SSP, 3 APB bridge of DMA peripherals, 4 APB bridge of the core's
	 * peripherals, or PMK_WAVE_NO_PLACE. */
	uint8_t place;
	uint8_t slave; /* number of the slave; 0xff: none is given */
};

#define PMK_WAVE_NO_PLACE 0xff
#define PMK_WAVE_WINDOWS  16

/*
 * The value that is used if a signal changes at the time of the edge. In a simulator's dump, the
 * changes that an edge causes have the time of the edge, so a register sees the value before (our
 * choice).
 */
enum pmk_wave_sample {
	PMK_WAVE_BEFORE, /* the value before the time of the edge */
	PMK_WAVE_AFTER	 /* the last value at the time of the edge */
};

/* A map after reading. Its format is described in docs/wave.md. It is read-only. */
struct pmk_wave_map {
	const char *file;	   /* for messages */
	const char *scope;	   /* prefix of all names; empty: none */
	const char *clock, *reset; /* signals; reset may be NULL */
	unsigned clock_line, reset_line;
	bool falling;	/* the active edge of the clock */
	bool reset_low; /* the reset is active-low, like HRESETn */
	uint8_t sample; /* enum pmk_wave_sample */
	/* Name of the PMU to which the EVNTBUS or the events in [events] belong. NULL: the map has
	 * neither. */
	const char *core;
	struct pmk_wave_layer *layer;
	unsigned nlayers;
	struct pmk_wave_axi *axi;
	unsigned naxi;
	struct pmk_wave_slot *slot;
	unsigned nslots;
	struct pmk_wave_window window[PMK_WAVE_WINDOWS];
	unsigned nwindows;
	void *text; /* the memory into which all these pointers point */
};

/* Read a map. Returns 0, PMK_EIO, PMK_EPARSE or PMK_ENOMEM; err->text begins with "file:line: ". */
int pmk_wave_map_load(struct pmk_wave_map *map, const char *path, struct pmk_wave_error *err);
void pmk_wave_map_free(struct pmk_wave_map *map);

/*
 * Guess a map from the names in the dump. *text becomes the text of a map file, to be corrected by
 * the user and freed by the caller. Returns 0, PMK_ENOTSUP if the names suggest no map, or
 * PMK_ENOMEM.
 */
int pmk_wave_guess(const struct pmk_wave *w, char **text, struct pmk_wave_error *err);

/* ---- the run -------------------------------------------------------------------------------- */

/* Find the map's signals in the dump. The map must live as long as the dump is open. Returns 0,
 * PMK_EPARSE (no such signal, or not one that can be sampled: "file:line: …" with the nearest
 * names) or PMK_ENOMEM. */
int pmk_wave_bind(struct pmk_wave *w, const struct pmk_wave_map *map, struct pmk_wave_error *err);

/* A value of up to 64 bits. x and z are treated alike: the bit in `x` is set and the bit in `bits`
 * is 0. */
struct pmk_wave_value {
	uint64_t bits, x;
};

/* One active edge of the clock. */
struct pmk_wave_edge {
	uint64_t time;
	uint64_t number; /* number of the edge, from 0 */
	bool reset;	 /* the reset is asserted, or x */
	/* Edges directly before this one were lost, because $dumpoff had switched the dump off. */
	bool gap;
	const struct pmk_wave_value *value; /* value[i] is the value of slot i of the map */
};

struct pmk_wave_progress {
	uint64_t bytes; /* bytes of the file that have been read */
	uint64_t size;	/* size of the file; 0: not known, as for a pipe */
	uint64_t time;	/* time in the dump */
	uint64_t edges;
};

/* Callbacks. Both may return a nonzero value to stop reading. */
struct pmk_wave_sink {
	int (*edge)(void *ctx, const struct pmk_wave_edge *edge);
	/* About ten times a second, also while a pipe delivers nothing. May be NULL. */
	int (*progress)(void *ctx, const struct pmk_wave_progress *p);
	void *ctx;
};

/* Oddities of a dump that did not prevent reading it. */
/* clang-format off */
#define PMK_WAVE_ODDITIES(X) \
	X(GLITCH,    "the clock changed more than once at one time; what is left of it counts") \
	X(SHORT,     "a clock period of less than half the usual one; it counts") \
	X(CLOCK_X,   "the clock was x or z; a change between 0 and 1 around it counts") \
	X(RESET_X,   "the reset was x or z at an edge; taken as asserted") \
	X(DUMP_OFF,  "the dump was switched off; edges in that time are lost") \
	X(UNKNOWN,   "a signal that counts was x or z at an edge; those bits count as 0") \
	X(BUS_X, \
	  "a signal of a layer was x or z where it has to have a value; what it hides is " \
	  "not counted") \
	X(NO_HRESP, \
	  "HREADY was low on a layer without hresp in the map; it counts as a wait state, " \
	  "and may have " \
		     "been the first cycle of ERROR, RETRY or SPLIT") \
	X(RESET, \
	  "nearly all edges were in reset, where nothing counts (the other reset_active?)")
/* clang-format on */

enum pmk_wave_oddity {
#define X(name, text) PMK_WAVE_##name,
	PMK_WAVE_ODDITIES(X)
#undef X
		PMK_WAVE_NODDITIES
};

const char *pmk_wave_oddity_text(unsigned oddity);

/* How often an oddity occurred, and the first time and signal. */
struct pmk_wave_warning {
	uint64_t count;
	uint64_t time;
	const char *signal; /* as in the map */
};

/* Findings from reading a dump; pmk_wave_run() fills them. */
struct pmk_wave_findings {
	uint64_t edges;
	uint64_t begin, end;   /* the first and the last time in the dump */
	uint64_t first, last;  /* first and last edge */
	uint64_t bytes, lines; /* size of the dump, as VCD */
	bool stopped;	       /* the sink stopped the reading */
	struct pmk_wave_warning warning[PMK_WAVE_NODDITIES];
	struct pmk_wave_error error; /* why reading ended before the end of the dump */
};

/* Returned by pmk_wave_run(): the edges are valid, but the dump has more. */
#define PMK_WAVE_PARTIAL 1

/*
 * Read the dump to its end and pass every active edge of the clock to the sink. Call it once per
 * dump.
 *
 * 	0                  the whole dump was read
 * 	PMK_WAVE_PARTIAL   it ended early: findings->error, or findings->stopped; the edges passed
 * 	                   are valid
 * 	negative           findings->error, and no edge was passed: PMK_EIO, PMK_EPARSE, PMK_ENOMEM;
 * 	                   PMK_ENOTSUP: the clock has no active edge in this dump
 */
int pmk_wave_run(struct pmk_wave *w, const struct pmk_wave_sink *sink,
		 struct pmk_wave_findings *findings);

#ifdef __cplusplus
}
#endif

#endif
