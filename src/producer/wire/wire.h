/* SPDX-License-Identifier: MIT */
/*
 * A target on a wire: a processor that pmk reaches through a debug probe's server (OpenOCD, XVC) or
 * through a stub of GDB's remote serial protocol, or the board on which pmk runs, through its
 * memory. pmk can access memory, coprocessor 15 and JTAG scan chains; ports.c makes ports to PMUs
 * from these accesses.
 *
 * Many accesses need a halted processor. pmk_wire_hold() halts it if necessary, and
 * pmk_wire_let_go() lets it run again; accesses are between these two calls. pmk_wire_clock()
 * leaves out the time for which the processor was halted, because nothing was counted in it.
 */
#ifndef PMK_WIRE_WIRE_H
#define PMK_WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/microblaze.h>
#include <pmk/port.h>

#include "producer/wire/link.h"

struct pmk_wire;
struct pmk_wire_tap;
struct pmk_devmem;

/* A protocol. All functions return 0 or a negative enum pmk_error, with details in link.why. A
 * function that the protocol lacks is NULL. */
struct pmk_speaker {
	const char *name;
	/* Create w->link. If this is NULL, `where` is HOST:PORT, and w->link is a connection to
	 * it. */
	int (*open)(struct pmk_wire *w, const char *where, const char *sysfs);
	/* After connecting: agree on the protocol, and find out whether the target runs. */
	int (*greet)(struct pmk_wire *w);
	int (*halt)(struct pmk_wire *w);
	int (*resume)(struct pmk_wire *w);
	int (*load)(struct pmk_wire *w, uint64_t address, uint32_t *value);
	int (*store)(struct pmk_wire *w, uint64_t address, uint32_t value);
	/* Let the probe execute a command of OpenOCD, and store its output. Returns
	 * PMK_ENOTSUP if the probe has no commands. */
	int (*command)(struct pmk_wire *w, const char *command, char *said, size_t size);
	/* Let a halted ARM11 execute `instruction`, an MRC or MCR of coprocessor 15 with R0. *value
	 * is the value of R0. */
	int (*transfer)(struct pmk_wire *w, uint32_t instruction, uint32_t *value);
	/* Set or remove a hardware breakpoint. The target is halted. */
	int (*breakpoint)(struct pmk_wire *w, uint64_t address, bool set);
	/* Check whether a running target has reached a breakpoint, without waiting. If it has, the
	 * target is held. */
	int (*look)(struct pmk_wire *w);
	/* Put all TAPs into BYPASS, and check that the chain is as `tap` describes it. */
	int (*bypass)(struct pmk_wire *w, const struct pmk_wire_tap *tap);
	/* Scan an instruction into a TAP, or data through it, as in struct pmk_mdm_jtag; the other
	 * TAPs of its chain are in BYPASS. */
	int (*scan_ir)(struct pmk_wire *w, const struct pmk_wire_tap *tap, uint32_t instruction);
	int (*scan_dr)(struct pmk_wire *w, const struct pmk_wire_tap *tap, unsigned bits,
		       const uint8_t *out, uint8_t *in);
	/* Write a readable description of the JTAG chain: IDCODEs and lengths of instructions. */
	int (*chain)(struct pmk_wire *w, char *text, size_t size);
	/* Request a period of `ns` nanoseconds for the JTAG clock. */
	int (*set_clock)(struct pmk_wire *w, uint32_t ns);
	/* Called before the connection is closed; the target is not held. */
	void (*leave)(struct pmk_wire *w);
	/* Free what open() has allocated, also after the connection was lost. */
	void (*forget)(struct pmk_wire *w);
};

extern const struct pmk_speaker pmk_speaker_openocd, pmk_speaker_gdb, pmk_speaker_devmem,
	pmk_speaker_xvc;

#define PMK_WIRE_MOST_TAPS 16 /* maximum number of TAPs of a chain that are listed */

struct pmk_wire {
	const struct pmk_speaker *speaker;
	struct pmk_link link;
	bool halts;	     /* accesses need a halted target */
	bool held;	     /* the target is halted now */
	bool stopped;	     /* the target is halted at a breakpoint */
	bool has_breakpoint; /* a breakpoint is set at `breakpoint` */
	bool found_halted;   /* the target was halted when pmk connected, and is left halted */
	/* Byte order of the target's memory, for protocols that transfer bytes instead of words. */
	bool big_endian;
	uint64_t breakpoint;
	double held_since, held_seconds;
	double held_longest;
	unsigned nholds;
	bool no_acks;	    /* GDB's protocol: both sides have agreed to send no acks */
	bool openocd;	    /* the stub belongs to OpenOCD and accepts its commands */
	unsigned most_bits; /* XVC: the longest vector that the server accepts */
	/* XVC: the IDCODEs of the TAPs after a reset, in their order from TDO; 0 for a TAP without
	 * one. */
	uint32_t idcode[PMK_WIRE_MOST_TAPS];
	unsigned ntaps;
	struct pmk_devmem *devmem; /* the mapped parts of this board's memory */
	/* XVC: `tap` is the TAP of an ARM11, `met` is true if the TAP was checked, and `dscr` is
	 * the initial DSCR. While the processor is held, `r0` has its R0, and `pc` its PC in the
	 * form for BX. */
	struct {
		const struct pmk_wire_tap *tap;
		bool met;
		uint32_t dscr, r0, pc;
	} arm11;
};

/* Connect; `sysfs` is the directory in which the kernel describes this board's devices. Call
 * pmk_wire_close() even after a failure, whose reason is in link.why. A target that is halted
 * already stays halted until pmk_wire_let_go(). */
int pmk_wire_open(struct pmk_wire *w, const struct pmk_speaker *speaker, const char *where,
		  unsigned patience_ms, const char *sysfs);
/* Leave the target as it was found, running or halted, and close the connection. */
void pmk_wire_close(struct pmk_wire *w);
/* True if the connection is lost, so that every further access fails. */
bool pmk_wire_lost(const struct pmk_wire *w);

/* pmk_wire_hold() halts the target if accesses need that; pmk_wire_let_go() lets it run. */
int pmk_wire_hold(struct pmk_wire *w);
int pmk_wire_let_go(struct pmk_wire *w);
/* Check whether a running target has reached a breakpoint. If it has, it is held and w->stopped is
 * set, until pmk_wire_let_go(). pmk_wire_hold() may also find a reached breakpoint, and then sets
 * w->stopped, too. */
int pmk_wire_look(struct pmk_wire *w);
/* Returns seconds from an arbitrary start, without the time for which pmk held the target. */
double pmk_wire_clock(const struct pmk_wire *w);

/* Execute an MRC or MCR of coprocessor 15. Returns PMK_EIO if the probe reports a failure. */
int pmk_wire_mrc(struct pmk_wire *w, unsigned crn, unsigned crm, unsigned op2, uint32_t *value);
int pmk_wire_mcr(struct pmk_wire *w, unsigned crn, unsigned crm, unsigned op2, uint32_t value);

/* ---- ports ----------------------------------------------------------------------------------- */

/* Registers in memory, as in struct pmk_mmio. The struct must outlive the port. */
struct pmk_wire_memory {
	struct pmk_wire *wire;
	uint64_t base;
	const uint16_t *offset;
	unsigned noffsets;
	const uint32_t *wide; /* one bit for each register that is 64 bits wide, or NULL */
};

struct pmk_port pmk_wire_port_memory(struct pmk_wire_memory *m);
/* Fill load, store and ctx of `mdm` for MicroBlaze's debug module at `base` in memory. ctx is
 * `m`. */
void pmk_wire_mdm_memory(struct pmk_mdm *mdm, struct pmk_wire_memory *m);
/* Make a port to the ARM11's own PMU, by MRC and MCR. */
struct pmk_port pmk_wire_port_arm11(struct pmk_wire *w);

/* The TAPs on one side of a TAP in its chain: their number, and the total number of bits of their
 * instructions. */
struct pmk_wire_taps {
	unsigned taps, bits;
};

/* A TAP: either one that leads to an MDM, or the debug TAP of an ARM11. */
struct pmk_wire_tap {
	struct pmk_wire *wire;
	char name[64];	 /* OpenOCD's name; "": the first TAP */
	unsigned bypass; /* the instructions BYPASS and USERn */
	unsigned user;
	/* Only for a probe that does not know the chain: the length of this TAP's instruction
	 * register, the TAPs between TDI and this TAP, and the TAPs between this TAP and TDO. */
	unsigned irlen;
	struct pmk_wire_taps before, after;
	unsigned period_ns; /* period of the JTAG clock; 0: unchanged */
};

/* Fill select, scan and ctx of `jtag` for `tap`. */
void pmk_wire_mdm(struct pmk_mdm_jtag *jtag, struct pmk_wire_tap *tap);

/* ---- the debug TAP of an ARM11, by scans ----------------------------------------------------- */

#define PMK_ARM11_MRC (1u << 20) /* the bit that is 1 in MRC and 0 in MCR */

int pmk_arm11_halt(struct pmk_wire *w);
int pmk_arm11_resume(struct pmk_wire *w);
int pmk_arm11_transfer(struct pmk_wire *w, uint32_t instruction, uint32_t *value);

/* ---- parsing replies; for the speakers and for tests ----------------------------------------- */

/* Parse a reply that is a number, with or without spaces around it. `base` is as in base/number.h;
 * 0x is accepted in every base. Returns false if it has another form, or more than 32 bits. */
bool pmk_wire_number(const char *text, unsigned base, uint32_t *value);
/* Find the word at `address` in a memory dump of OpenOCD, "0x00001000: 0000002a ". */
bool pmk_wire_dumped(const char *text, uint64_t address, uint32_t *value);

/* Ask OpenOCD where its processor is halted. Sets w->stopped if that is at the breakpoint, or
 * *stray and *pc if it is elsewhere. If the processor runs, w->stopped and *stray are false. */
int pmk_wire_find_place(struct pmk_wire *w, bool *stray, uint64_t *pc);
/* Record the failure that the target is halted where pmk has no breakpoint, and return it. */
int pmk_wire_stray_halt(struct pmk_wire *w, uint64_t pc);

#endif
