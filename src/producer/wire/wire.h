/* SPDX-License-Identifier: MIT */
/*
 * A target on a wire: a processor that is reached through a debug probe's server (OpenOCD, XVC),
 * through a stub of GDB's remote serial protocol, or by the memory of this very board. What can be
 * reached is memory, coprocessor 15 and the scan chains of JTAG; ports.c makes ports for PMUs of
 * that.
 *
 * Many accesses need a processor that stands still. hold() halts it if this is so, and let_go()
 * lets it run again; between them are accesses. How long it stood still is known, because nothing
 * was counted meanwhile and no time passed for it.
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

/* One protocol. All functions return 0 or a negative enum pmk_error; link.why says more. What a
 * protocol cannot do is NULL. */
struct pmk_speaker {
	const char *name;
	/* Make w->link. NULL: `where` is HOST:PORT, and it is a connection to that. */
	int (*open)(struct pmk_wire *w, const char *where, const char *sysfs);
	/* After connecting: agree on the protocol, find out whether the target runs. */
	int (*greet)(struct pmk_wire *w);
	int (*halt)(struct pmk_wire *w);
	int (*resume)(struct pmk_wire *w);
	int (*load)(struct pmk_wire *w, uint64_t address, uint32_t *value);
	int (*store)(struct pmk_wire *w, uint64_t address, uint32_t value);
	/* Let the probe execute a command of OpenOCD; what it says is stored. PMK_ENOTSUP: it takes
	 * none. */
	int (*command)(struct pmk_wire *w, const char *command, char *said, size_t size);
	/* Let an ARM11 that is held execute this MRC or MCR of coprocessor 15 with R0, which is
	 * *value. */
	int (*transfer)(struct pmk_wire *w, uint32_t instruction, uint32_t *value);
	/* Set a breakpoint of the hardware, or take it back. The target is held. */
	int (*breakpoint)(struct pmk_wire *w, uint64_t address, bool set);
	/* The target runs: has it come to a breakpoint? Waits for nothing; it is held then. */
	int (*look)(struct pmk_wire *w);
	/* Put all TAPs into BYPASS, and see that the chain is as the TAP tells. */
	int (*bypass)(struct pmk_wire *w, const struct pmk_wire_tap *tap);
	/* Scan an instruction into a TAP, or data through it, as struct pmk_mdm_jtag has it; the
	 * other TAPs of its chain are in BYPASS. */
	int (*scan_ir)(struct pmk_wire *w, const struct pmk_wire_tap *tap, uint32_t instruction);
	int (*scan_dr)(struct pmk_wire *w, const struct pmk_wire_tap *tap, unsigned bits,
		       const uint8_t *out, uint8_t *in);
	/* The JTAG chain as it was found, for people: IDCODEs and lengths of instructions. */
	int (*chain)(struct pmk_wire *w, char *text, size_t size);
	/* Ask for a clock of JTAG with this period. */
	int (*set_clock)(struct pmk_wire *w, uint32_t ns);
	/* Before the connection is closed; the target is not held. */
	void (*leave)(struct pmk_wire *w);
	/* Free what open() has made, also after the connection was lost. */
	void (*forget)(struct pmk_wire *w);
};

extern const struct pmk_speaker pmk_speaker_openocd, pmk_speaker_gdb, pmk_speaker_devmem,
	pmk_speaker_xvc;

#define PMK_WIRE_MOST_TAPS 16 /* how many TAPs of a chain are listed */

struct pmk_wire {
	const struct pmk_speaker *speaker;
	struct pmk_link link;
	bool halts;	     /* accesses need a target that stands still */
	bool held;	     /* it stands still now */
	bool stopped;	     /* it has come to a breakpoint, where it stands */
	bool has_breakpoint; /* one is set at `breakpoint` */
	bool found_halted;   /* it stood still when we came, and is left so */
	bool big_endian;     /* its memory, where the protocol has bytes and no words */
	uint64_t breakpoint;
	double held_since, held_seconds;
	double held_longest;
	unsigned nholds;
	bool no_acks;	    /* of GDB's protocol: both sides have agreed to do without */
	bool openocd;	    /* the stub is OpenOCD's, and takes its commands */
	unsigned most_bits; /* of XVC: how long a vector the server takes at once */
	/* Of XVC: the IDCODEs of the TAPs after a reset, from TDO on; 0: a TAP has none. */
	uint32_t idcode[PMK_WIRE_MOST_TAPS];
	unsigned ntaps;
	struct pmk_devmem *devmem; /* what of this board's memory is mapped */
	/* Of XVC: the TAP of an ARM11; whether it was looked at, and what its DSCR was. And while
	 * the processor is held, its R0, and its PC as BX takes it. */
	struct {
		const struct pmk_wire_tap *tap;
		bool met;
		uint32_t dscr, r0, pc;
	} arm11;
};

/* Connect; `sysfs` is where the kernel tells of this board's devices. Close it in any case;
 * link.why says what failed. A target that stands still now does so until let_go(). */
int pmk_wire_open(struct pmk_wire *w, const struct pmk_speaker *speaker, const char *where,
		  unsigned patience_ms, const char *sysfs);
/* Leave the target as it was found, running or not, and close the connection. */
void pmk_wire_close(struct pmk_wire *w);
/* Is the connection gone? Then nothing will succeed any more. */
bool pmk_wire_lost(const struct pmk_wire *w);

/* Make it stand still, if accesses need that, and let it run. */
int pmk_wire_hold(struct pmk_wire *w);
int pmk_wire_let_go(struct pmk_wire *w);
/* While it runs: has it come to a breakpoint? Then it is held, and w->stopped says so, until
 * let_go(); hold() may find it there, too. */
int pmk_wire_look(struct pmk_wire *w);
/* Seconds since some time in which the target ran, as far as we let it. */
double pmk_wire_clock(const struct pmk_wire *w);

/* One access to CP15. PMK_EIO: the probe says that it failed. */
int pmk_wire_mrc(struct pmk_wire *w, unsigned crn, unsigned crm, unsigned op2, uint32_t *value);
int pmk_wire_mcr(struct pmk_wire *w, unsigned crn, unsigned crm, unsigned op2, uint32_t value);

/* ---- ports ----------------------------------------------------------------------------------- */

/* Registers in memory, as struct pmk_mmio has them. The struct must outlive the port. */
struct pmk_wire_memory {
	struct pmk_wire *wire;
	uint64_t base;
	const uint16_t *offset;
	unsigned noffsets;
	const uint32_t *wide; /* bit per register number, or NULL */
};

struct pmk_port pmk_wire_port_memory(struct pmk_wire_memory *m);
/* MicroBlaze's debug module at `base` in memory: fill load, store and ctx of `mdm`, where ctx is
 * `m`. */
void pmk_wire_mdm_memory(struct pmk_mdm *mdm, struct pmk_wire_memory *m);
/* The ARM11's own, by MRC and MCR. */
struct pmk_port pmk_wire_port_arm11(struct pmk_wire *w);

/* Other TAPs of a chain: how many, and the bits of their instructions together. */
struct pmk_wire_taps {
	unsigned taps, bits;
};

/* A TAP with an MDM behind it, or that of an ARM11. */
struct pmk_wire_tap {
	struct pmk_wire *wire;
	char name[64];	 /* as OpenOCD calls it; "": the first one */
	unsigned bypass; /* the instructions BYPASS and USERn */
	unsigned user;
	/* Where no probe knows the chain: bits of an instruction, and the TAPs that are next to
	 * TDI, before ours, and next to TDO, after it. */
	unsigned irlen;
	struct pmk_wire_taps before, after;
	unsigned period_ns; /* of the clock; 0: as it is */
};

/* Fill select, scan and ctx of `jtag`. */
void pmk_wire_mdm(struct pmk_mdm_jtag *jtag, struct pmk_wire_tap *tap);

/* ---- the debug TAP of an ARM11, by scans ----------------------------------------------------- */

#define PMK_ARM11_MRC (1u << 20) /* in the instruction; otherwise it is an MCR */

int pmk_arm11_halt(struct pmk_wire *w);
int pmk_arm11_resume(struct pmk_wire *w);
int pmk_arm11_transfer(struct pmk_wire *w, uint32_t instruction, uint32_t *value);

/* ---- what the other side says; for the speakers, and for tests ------------------------------- */

/* The number that a reply consists of, with or without spaces around it. `base` as in strtoul().
 * False: it is none, or too large. */
bool pmk_wire_number(const char *text, int base, uint32_t *value);
/* The word at `address` in a memory dump of OpenOCD, "0x00001000: 0000002a ". */
bool pmk_wire_dumped(const char *text, uint64_t address, uint32_t *value);

/* Ask OpenOCD now, by a command, where its processor stands: w->stopped if that is at the
 * breakpoint, *stray if it is elsewhere, at *pc. Neither: it runs. */
int pmk_wire_find_place(struct pmk_wire *w, bool *stray, uint64_t *pc);
/* The failure of a look(): it stands where nobody of us wanted it. */
int pmk_wire_stray_halt(struct pmk_wire *w, uint64_t pc);

#endif
