// SPDX-License-Identifier: GPL-2.0-or-later
/* Adds the registers of a PMU to QEMU's processors. See guest.h. */
#define _GNU_SOURCE
#include "producer/qemu/guest.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <pmk/armv8.h>

#include "producer/qemu/qemu_api.h"

/* ---- QEMU's types and functions -------------------------------------------------------------- */

/* Types of QEMU. pmk uses only pointers to them. */
struct qemu_cpu;
struct qemu_env;
struct qemu_irq;
struct qemu_object;
struct qemu_region;

/*
 * QEMU's description of a register (ARMCPRegInfo, target/arm/cpregs.h), in two parts. reg_head has
 * the members that all releases have at the same offset. reg_tail has the members that moved by 8
 * bytes in 8.0.
 */
struct reg_head {
	const char *name;
	uint8_t cp, crn, crm, opc0, opc1, opc2;
	int state, type, access, secure;
};
struct reg_tail {
	uint64_t unset; /* used by QEMU for VHE; 0 here */
	/* QEMU uses this value for a register that has neither a member of env nor a function. Here
	 * it identifies the register: see access_of(). */
	uint64_t resetvalue;
	int64_t offset[3];
	int (*accessfn)(struct qemu_env *env, const void *reg, bool isread);
	uint64_t (*readfn)(struct qemu_env *env, const void *reg);
	void (*writefn)(struct qemu_env *env, const void *reg, uint64_t value);
	void *raw[2];
	void (*resetfn)(struct qemu_env *env, const void *reg);
};
#define TAIL_AT	       sizeof(struct reg_head)
#define TAIL_AT_8_0    (sizeof(struct reg_head) + 8)
#define REG_BYTES      512 /* a description is not larger in any release */
#define STATE_AA32     0
#define STATE_AA64     1
#define TYPE_CONST     (1 << 4)
#define TYPE_64BIT     (1 << 5)
#define TYPE_OVERRIDE  (1 << 7)
#define TYPE_IO	       (1 << 9) /* an access may change an interrupt, also with -icount */
#define TYPE_NO_RAW    (1 << 10)
#define ACCESS_PL0_RW  0xff
#define ACCESS_PL1_RW  0xfc
#define ACCESS_PL2_RW  0xf0
#define ACCESS_OK      0
#define ACCESS_TRAP    (1 << 2) /* plus the number of the exception level */
#define ACCESS_UNDEF   (2 << 2)
#define OF_A64	       UINT64_C(0x10000)
#define OF_V8_IN_A32   UINT64_C(0x20000)
#define GDB_PSTATE     33 /* numbers of PSTATE and CPSR in GDB's protocol */
#define GDB_CPSR       25
#define OLDEST_RELEASE 701
#define NEWEST_RELEASE 1101
#define UNKNOWN_YET    1001 /* pmk does not know the layout in release 10.1 */

#define MOST_REGS 4096

/* Registers of QEMU that control what the PMU counts. */
enum { MDCR_EL2, MDCR_EL3, SCR_EL3, NCONTROLS };

/* The functions of QEMU that pmk calls, and what pmk has found out about its registers. */
static struct {
	struct qemu_cpu *(*get_cpu)(int index);
	/* The functions from define_opaque to read_a64 exist only in the emulators of ARM, and
	 * read_a64 only in those of A64. define_opaque exists up to 10.1, and define from 10.2
	 * on. */
	void (*define_opaque)(struct qemu_cpu *cpu, const void *reg, void *opaque);
	void (*define)(struct qemu_cpu *cpu, const void *reg);
	const void *(*find_reg)(void *table, uint32_t key); /* in the table of a processor */
	uint32_t (*cpsr_read)(struct qemu_env *env);
	int (*read_a32)(struct qemu_cpu *cpu, struct qemu_bytes *bytes, int n);
	int (*read_a64)(struct qemu_cpu *cpu, struct qemu_bytes *bytes, int n);
	struct qemu_object *(*resolve_type)(const char *path, const char *type, bool *ambiguous);
	struct qemu_irq *(*gpio_out)(struct qemu_cpu *dev, const char *name, int n);
	struct qemu_irq *(*gpio_in)(struct qemu_object *dev, const char *name, int n);
	void *(*find_property)(struct qemu_object *object, const char *name);
	void (*set_irq)(struct qemu_irq *irq, int level);
	void (*queue)(struct qemu_cpu *cpu, void (*work)(struct qemu_cpu *cpu, uintptr_t data),
		      uintptr_t data);
	struct qemu_region *(*memory)(void);
	/* Returns the object to which a property of `object` links, such as a processor's own view
	 * of memory. */
	void *(*link)(void *object, const char *name, void *error);
	void (*init_region)(struct qemu_region *r, struct qemu_object *owner, const void *calls,
			    void *opaque, const char *name, uint64_t size);
	void (*add_region)(struct qemu_region *r, uint64_t at, struct qemu_region *sub,
			   int priority);
	void (*lock)(const char *file, int line);
	void (*unlock)(void);
	bool (*locked)(void);

	const struct pmk_guest_calls *calls;
	size_t tail_at;
	/* For each vCPU: the input that receives its interrupt, and whether the interrupt is
	 * asserted. */
	struct {
		struct qemu_irq *to;
		bool asserted;
	} interrupt[PMK_ARENA_CPUS];
	/* QEMU's own storage and handling of each control register. If `offset` is 0, the
	 * processors do not have the register. */
	struct own_control {
		int64_t offset;
		void (*write)(struct qemu_env *env, const void *reg, uint64_t value);
	} own_control[NCONTROLS];
	uint64_t own_dfr0[PMK_ARENA_CPUS]; /* QEMU's own ID_AA64DFR0_EL1, or 0 */
	bool reported_secure[PMK_ARENA_CPUS];
	uint64_t reg_list[MOST_REGS]; /* buffer of is_reg_list() */
} qemu;

/* Finds a function of QEMU by one of its two names. Returns true if the function exists. */
static bool find(void *function, const char *name, const char *newer)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found && newer)
		found = dlsym(RTLD_DEFAULT, newer);
	memcpy(function, &found, sizeof(found));
	return found != NULL;
}

const char *pmk_guest_find(void)
{
	find(&qemu.define_opaque, "define_one_arm_cp_reg_with_opaque", NULL);
	find(&qemu.define, "define_one_arm_cp_reg", NULL);
	find(&qemu.find_reg, "get_arm_cp_reginfo", NULL);
	find(&qemu.cpsr_read, "cpsr_read", NULL);
	find(&qemu.read_a32, "arm_cpu_gdb_read_register", NULL);
	find(&qemu.read_a64, "aarch64_cpu_gdb_read_register", NULL);
	find(&qemu.link, "object_property_get_link", NULL);
	if (find(&qemu.get_cpu, "qemu_get_cpu", NULL) &&
	    find(&qemu.resolve_type, "object_resolve_path_type", NULL) &&
	    find(&qemu.gpio_out, "qdev_get_gpio_out_connector", NULL) &&
	    find(&qemu.gpio_in, "qdev_get_gpio_in_named", NULL) &&
	    find(&qemu.find_property, "object_property_find", NULL) &&
	    find(&qemu.set_irq, "qemu_set_irq", NULL) &&
	    find(&qemu.queue, "async_run_on_cpu", NULL) &&
	    find(&qemu.memory, "get_system_memory", NULL) &&
	    find(&qemu.init_region, "memory_region_init_io", NULL) &&
	    find(&qemu.add_region, "memory_region_add_subregion_overlap", NULL) &&
	    find(&qemu.lock, "qemu_mutex_lock_iothread_impl", "bql_lock_impl") &&
	    find(&qemu.unlock, "qemu_mutex_unlock_iothread", "bql_unlock") &&
	    find(&qemu.locked, "qemu_mutex_iothread_locked", "bql_locked"))
		return NULL;
	return "the functions that an emulator exports if it was built with modules";
}

/*
 * Takes QEMU's lock, which protects its devices. Returns true if the caller must release the lock
 * afterwards, and false if the caller already had the lock.
 */
static bool take_lock(void)
{
	if (qemu.locked())
		return false;
	qemu.lock(__FILE__, __LINE__);
	return true;
}

void pmk_guest_tell_apart(unsigned vcpus)
{
	void (*set_flags)(struct qemu_cpu * cpu, bool parallel);

	if (!find(&set_flags, "tcg_cpu_init_cflags", NULL) ||
	    !find(&qemu.get_cpu, "qemu_get_cpu", NULL))
		return;
	for (unsigned i = 0; i < vcpus; i++)
		set_flags(qemu.get_cpu((int)i), true);
}

bool pmk_guest_has_stacks_of_calls(void)
{
	void *table;

	return find(&table, "arm_mmuidx_table", NULL);
}

void pmk_guest_translate_anew(void)
{
	void (*flush)(struct qemu_cpu * cpu);

	if (find(&flush, "queue_tb_flush", NULL))
		flush(qemu.get_cpu(0));
}

/* ---- registers ------------------------------------------------------------------------------- */

static struct reg_tail tail_of(const void *reg)
{
	struct reg_tail t;

	memcpy(&t, (const char *)reg + qemu.tail_at, sizeof(t));
	return t;
}

/* Returns the vCPU to which `env` belongs. A vCPU's env is at a positive offset from its CPUState,
 * so its CPUState is the nearest one below it. */
static unsigned vcpu_of(const struct qemu_env *env)
{
	uintptr_t nearest = UINTPTR_MAX;
	const struct qemu_cpu *cpu;
	unsigned vcpu = 0;

	for (unsigned i = 0; (cpu = qemu.get_cpu((int)i)); i++) {
		if ((uintptr_t)env - (uintptr_t)cpu >= nearest)
			continue;
		nearest = (uintptr_t)env - (uintptr_t)cpu;
		vcpu = i;
	}
	return vcpu;
}

/* ---- QEMU's own registers ---- */

/* The number of a register of A64, made from op0, op1, CRn, CRm and op2. */
#define A64_REG(op0, op1, crn, crm, op2) \
	((uint32_t)((op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2)))
/* With these bits, the number is the key of the register in the table of registers, or its element
 * in the list of registers (see find_table()). */
#define KEY_OF_A64  UINT32_C(0x10130000)
#define LIST_OF_A64 UINT64_C(0x6030000000130000)
#define DFR0_REG    A64_REG(3, 0, 0, 5, 0)

static const struct {
	uint32_t reg;
	const char *input;
} controls[NCONTROLS] = {
	[MDCR_EL2] = { A64_REG(3, 4, 1, 1, 1), "mdcr_el2" },
	[MDCR_EL3] = { A64_REG(3, 6, 1, 3, 1), "mdcr_el3" },
	[SCR_EL3] = { A64_REG(3, 6, 1, 1, 0), "secure" },
};
#define SCR_NS 1

static bool read_memory(uintptr_t from, void *to, size_t size)
{
	struct iovec here = { to, size }, there = { (void *)from, size };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* True if `list` is the list of a processor's `n` registers. pmk recognises it by its element for
 * ID_AA64DFR0_EL1. */
static bool is_reg_list(uintptr_t list, uint64_t n)
{
	uint64_t *reg = qemu.reg_list;

	if (n < 16 || n > MOST_REGS || !list || list % sizeof(*reg) ||
	    !read_memory(list, reg, n * sizeof(*reg)))
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (reg[i] == (LIST_OF_A64 | DFR0_REG))
			return true;
	return false;
}

#define PROCESSOR_BYTES (1 << 20) /* an ARM processor is not larger in any release */

/* Finds the table of a processor's registers. In a processor, the member for the table is followed
 * by members for the list of the registers, their values, and their number. Returns NULL if the
 * processor has no such members. */
static void *find_table(const struct qemu_cpu *cpu)
{
	enum { WORDS = 512, BEHIND = 3 };
	uint64_t word[WORDS + BEHIND];

	for (size_t at = 0; at < PROCESSOR_BYTES; at += WORDS * sizeof(*word)) {
		if (!read_memory((uintptr_t)cpu + at, word, sizeof(word)))
			return NULL;
		/* Four members follow each other: the table, the list, the values, and their number
		 * in 32 bits. */
		for (unsigned i = 0; i < WORDS; i++)
			if (word[i] && is_reg_list(word[i + 1], (uint32_t)word[i + 3]))
				return (void *)(uintptr_t)word[i];
	}
	return NULL;
}

/* Reads a register of 32 bits in the way in which GDB would read it. */
static uint32_t read_word(int (*read)(struct qemu_cpu *cpu, struct qemu_bytes *bytes, int n),
			  struct qemu_cpu *cpu, int n)
{
	struct qemu_bytes *bytes = g_byte_array_new();
	uint32_t word = 0;

	if (read(cpu, bytes, n) == sizeof(word))
		memcpy(&word, bytes->data, sizeof(word));
	g_byte_array_free(bytes, 1);
	return word;
}

static uint32_t pstate_of(unsigned vcpu)
{
	return read_word(qemu.read_a64, qemu.get_cpu((int)vcpu), GDB_PSTATE);
}

/* Returns PSTATE of code in A64 state, and CPSR of other code. */
static uint32_t state_of(struct qemu_env *env, bool a64)
{
	return a64 ? pstate_of(vcpu_of(env)) : qemu.cpsr_read(env);
}

int pmk_guest_level_now(unsigned vcpu)
{
	return pstate_of(vcpu) >> 2 & 3;
}

/*
 * Returns the exception level for which code is being translated. This is the present level of the
 * processor, because a processor translates its code itself, just before it runs the code.
 */
int pmk_guest_level(void)
{
	struct qemu_cpu **current = dlsym(RTLD_DEFAULT, "current_cpu"); /* this thread's */

	if (!current || !qemu.read_a32)
		return -1;
	switch (read_word(qemu.read_a32, *current, GDB_CPSR) & 0x1f) {
	case 0x10:
		return 0;
	case 0x16: /* Monitor */
		return 3;
	case 0x1a: /* Hyp */
		return 2;
	}
	return 1;
}

/* Returns an access from QEMU's description of a register. The description holds the register's
 * number, and whether it is a register of A64. */
static struct pmk_guest_access access_of(struct qemu_env *env, const void *reg, bool write)
{
	uint64_t kept = tail_of(reg).resetvalue;
	bool a64 = kept & OF_A64;
	uint32_t state = state_of(env, a64);
	struct reg_head head;
	bool user = a64 ? (state >> 2 & 3) == 0 : (state & 0x1f) == 0x10;

	memcpy(&head, reg, sizeof(head));
	return (struct pmk_guest_access){
		.mode = user ? PMK_MODE_USER : PMK_MODE_PRIV,
		.reg = (unsigned)(kept & ~(OF_A64 | OF_V8_IN_A32)),
		.write = write,
		.cp15 = {
			.used = kept & OF_V8_IN_A32,
			.wide = head.type & TYPE_64BIT,
			.crn = head.crn,
			.crm = head.crm,
			.opc2 = head.opc2,
		},
	};
}

/* Reports a change of the Secure state. It is also called at accesses, because a board may have set
 * SCR_EL3 before the processor ran. */
static void report_secure(struct qemu_env *env, unsigned vcpu)
{
	uint64_t scr = SCR_NS;
	bool secure;

	if (qemu.own_control[SCR_EL3].offset)
		memcpy(&scr, (const char *)env + qemu.own_control[SCR_EL3].offset, sizeof(scr));
	secure = !(scr & SCR_NS);
	if (secure != qemu.reported_secure[vcpu])
		qemu.calls->control(vcpu, controls[SCR_EL3].input, secure);
	qemu.reported_secure[vcpu] = secure;
}

/* Returns whether an access is permitted. An access that traps to EL1 is reported as UNDEFINED
 * here, as before PMUv3. */
static int may_access(struct qemu_env *env, const void *reg, bool isread)
{
	struct pmk_guest_access a = access_of(env, reg, !isread);
	unsigned trap = 0, vcpu = vcpu_of(env);

	report_secure(env, vcpu);
	if (!qemu.calls->may(vcpu, &a, &trap))
		return ACCESS_OK;
	return trap > 1 ? (int)(ACCESS_TRAP | trap) : ACCESS_UNDEF;
}

#define PMUVER (UINT64_C(0xf) << 8)

/* Returns the bits of QEMU's own register that are added to the bits of the model. Only
 * ID_AA64DFR0_EL1 has such bits: all except the version of the PMU. */
static uint64_t own_bits(unsigned vcpu, unsigned reg)
{
	return reg == PMK_ARMV8_DFR0 ? qemu.own_dfr0[vcpu] & ~PMUVER : 0;
}

static uint64_t read_reg(struct qemu_env *env, const void *reg)
{
	struct pmk_guest_access a = access_of(env, reg, false);
	unsigned vcpu = vcpu_of(env);
	uint64_t value = 0;

	a.own_bits = a.cp15.used ? 0 : own_bits(vcpu, a.reg);
	qemu.calls->access(vcpu, &a, &value);
	return value;
}

static void write_reg(struct qemu_env *env, const void *reg, uint64_t value)
{
	struct pmk_guest_access a = access_of(env, reg, true);

	qemu.calls->access(vcpu_of(env), &a, &value);
}

/* Resets the PMU. QEMU resets a processor register by register, and calls this function for each
 * register of the PMU. */
static void reset_reg(struct qemu_env *env, const void *reg)
{
	unsigned vcpu = vcpu_of(env);

	(void)reg;
	qemu.reported_secure[vcpu] = false;
	qemu.calls->reset(vcpu);
}

/* Stores the encoding of a register in `h`. The text is "p15, 0, <Rd>, c15, c12, 0" or
 * "S3_3_C9_C12_0". */
static bool parse_encoding(const char *where, bool a64, struct reg_head *h)
{
	const char *at = strstr(where, a64 ? "(S" : "p15, ");
	unsigned n[5];

	if (!at || sscanf(at, a64 ? "(S%u_%u_C%u_C%u_%u" : "p%u, %u, <%*[^>]>, c%u, c%u, %u", &n[0],
			  &n[1], &n[2], &n[3], &n[4]) != 5)
		return false;
	h->cp = a64 ? 0 : (uint8_t)n[0];
	h->opc0 = a64 ? (uint8_t)n[0] : 0;
	h->opc1 = (uint8_t)n[1];
	h->crn = (uint8_t)n[2];
	h->crm = (uint8_t)n[3];
	h->opc2 = (uint8_t)n[4];
	h->state = a64 ? STATE_AA64 : STATE_AA32;
	/* QEMU checks op1 against this level. The model decides everything else. */
	h->access = a64 && n[1] == 0   ? ACCESS_PL1_RW
		    : a64 && n[1] == 4 ? ACCESS_PL2_RW
				       : ACCESS_PL0_RW;
	return true;
}

/* Changes `h` from the encoding of an A64 register to its AArch32 encoding, which has the same CRn,
 * CRm and op2. Returns false if the register is not one of the PMU below EL2. */
static bool change_to_a32(struct reg_head *h)
{
	if ((h->crn != 9 && h->crn != 14) || (h->opc1 != 0 && h->opc1 != 3))
		return false;
	h->cp = 15;
	h->opc0 = 0;
	h->opc1 = 0;
	h->state = STATE_AA32;
	h->access = ACCESS_PL0_RW;
	return true;
}

static void define(struct qemu_cpu *cpu, const struct reg_head *head, uint64_t kept)
{
	char description[REG_BYTES] = { 0 };
	struct reg_tail tail = {
		.resetvalue = kept,
		.accessfn = may_access,
		.readfn = read_reg,
		.writefn = write_reg,
	};

	if (!(kept & ~(OF_A64 | OF_V8_IN_A32)))
		tail.resetfn = reset_reg;
	memcpy(description, head, sizeof(*head));
	memcpy(description + qemu.tail_at, &tail, sizeof(tail));
	if (qemu.define)
		qemu.define(cpu, description);
	else
		qemu.define_opaque(cpu, description, NULL);
}

/* Writes a control register. The write takes effect in QEMU first, and then in the PMU. */
static void write_control(struct qemu_env *env, const void *reg, uint64_t value, unsigned which)
{
	const struct own_control *own = &qemu.own_control[which];

	if (own->write)
		own->write(env, reg, value);
	else
		memcpy((char *)env + own->offset, &value, sizeof(value));
	if (which == SCR_EL3)
		report_secure(env, vcpu_of(env));
	else
		qemu.calls->control(vcpu_of(env), controls[which].input, value);
}

static void write_mdcr_el2(struct qemu_env *env, const void *reg, uint64_t value)
{
	write_control(env, reg, value, MDCR_EL2);
}

static void write_mdcr_el3(struct qemu_env *env, const void *reg, uint64_t value)
{
	write_control(env, reg, value, MDCR_EL3);
}

static void write_scr_el3(struct qemu_env *env, const void *reg, uint64_t value)
{
	write_control(env, reg, value, SCR_EL3);
}

/* Defines a register again, with QEMU's own description but another function for writes. */
static void follow_control(struct qemu_cpu *cpu, void *table, unsigned which)
{
	static void (*const write[NCONTROLS])(struct qemu_env * env, const void *reg,
					      uint64_t value) = {
		[MDCR_EL2] = write_mdcr_el2,
		[MDCR_EL3] = write_mdcr_el3,
		[SCR_EL3] = write_scr_el3,
	};
	const void *own = qemu.find_reg(table, KEY_OF_A64 | controls[which].reg);
	char description[REG_BYTES] = { 0 };
	struct reg_head head;
	struct reg_tail tail;

	if (!own)
		return;
	memcpy(description, own, qemu.tail_at + sizeof(tail));
	memcpy(&head, description, sizeof(head));
	tail = tail_of(description);
	if (head.type & TYPE_CONST || !tail.offset[0])
		return;
	qemu.own_control[which] = (struct own_control){ tail.offset[0], tail.writefn };
	head.type |= TYPE_OVERRIDE | TYPE_IO;
	tail.writefn = write[which];
	memcpy(description, &head, sizeof(head));
	memcpy(description + qemu.tail_at, &tail, sizeof(tail));
	if (qemu.define)
		qemu.define(cpu, description);
	else
		qemu.define_opaque(cpu, description, NULL);
}

static void meet_own_registers(unsigned vcpu)
{
	struct qemu_cpu *cpu = qemu.get_cpu((int)vcpu);
	void *table = qemu.read_a64 && qemu.find_reg ? find_table(cpu) : NULL;
	const void *dfr0 = table ? qemu.find_reg(table, KEY_OF_A64 | DFR0_REG) : NULL;

	if (dfr0)
		qemu.own_dfr0[vcpu] = tail_of(dfr0).resetvalue;
	for (unsigned i = 0; table && i < NCONTROLS; i++)
		follow_control(cpu, table, i);
}

bool pmk_guest_follows_controls(void)
{
	return qemu.own_control[MDCR_EL3].offset;
}

/* Defines all encodings of a register that code of this emulator may use. */
static void define_all(struct qemu_cpu *cpu, const struct pmk_reg_info *info, unsigned reg)
{
	struct reg_head head = { .name = info->name,
				 .type = TYPE_OVERRIDE | TYPE_IO | TYPE_NO_RAW };

	if (parse_encoding(info->where, false, &head))
		define(cpu, &head, reg);
	if (!parse_encoding(info->where, true, &head))
		return;
	if (qemu.read_a64)
		define(cpu, &head, reg | OF_A64);
	if (!change_to_a32(&head))
		return;
	define(cpu, &head, reg | OF_V8_IN_A32);
	if (reg == PMK_ARMV8_PMCCNTR) {
		/* MRRC and MCRR p15, 0, <Rt>, <Rt2>, c9 */
		head.crm = 9;
		head.crn = head.opc2 = 0;
		head.type |= TYPE_64BIT;
		define(cpu, &head, reg | OF_V8_IN_A32);
	}
}

/* Returns the PMU whose registers this module defines. This is `pmu` unless that is a PMUv2. For a
 * PMUv2 it is the PMUv3, whose registers begin with those of the PMUv2. QEMU defines the additional
 * registers in all processors, so this module defines them again as UNDEFINED. */
static const struct pmk_pmu *rows_of(const struct pmk_pmu *pmu)
{
	return pmu->driver == pmk_armv8.driver && pmu->nregs < pmk_armv8.nregs ? &pmk_armv8 : pmu;
}

unsigned pmk_guest_vcpus(void)
{
	unsigned n = 0;

	while (qemu.get_cpu((int)n))
		n++;
	return n;
}

/* Finds the interrupt that --irq names. Returns what the emulator lacks, or NULL. */
static const char *find_interrupt(const struct pmk_guest_config *cfg)
{
	struct qemu_object *controller = qemu.resolve_type("", cfg->irq_type, NULL);
	char input[sizeof(cfg->irq_name) + 16];

	if (!controller)
		return "the interrupt controller of `irq`";
	/* Check whether the input exists, because QEMU would exit if it did not. */
	snprintf(input, sizeof(input), "%s[%u]", *cfg->irq_name ? cfg->irq_name : "unnamed-gpio-in",
		 cfg->irq);
	if (!qemu.find_property(controller, input))
		return "the input of the interrupt controller that `irq` names";
	qemu.interrupt[0].to =
		qemu.gpio_in(controller, *cfg->irq_name ? cfg->irq_name : NULL, (int)cfg->irq);
	return NULL;
}

const char *pmk_guest_begin(unsigned vcpu, const struct pmk_pmu *pmu,
			    const struct pmk_guest_config *cfg, const struct pmk_guest_calls *calls)
{
	if (!qemu.define && !qemu.define_opaque)
		return "a function that defines registers of ARM";
	if (cfg->release < OLDEST_RELEASE || cfg->release > NEWEST_RELEASE ||
	    cfg->release == UNKNOWN_YET)
		return "the layout of registers that pmk knows, which is the one of releases 7.1 "
		       "to 10.0 and 10.2 to 11.1";
	qemu.calls = calls;
	qemu.tail_at = cfg->release < 800 ? TAIL_AT : TAIL_AT_8_0;
	if (pmu->driver == pmk_armv8.driver)
		meet_own_registers(vcpu);
	for (unsigned i = 0; i < rows_of(pmu)->nregs; i++)
		define_all(qemu.get_cpu((int)vcpu), &rows_of(pmu)->regs[i], i);
	/* Use the input to which the board has connected QEMU's own PMU. */
	qemu.interrupt[vcpu].to = qemu.gpio_out(qemu.get_cpu((int)vcpu), "pmu-interrupt", 0);
	return *cfg->irq_type && !vcpu ? find_interrupt(cfg) : NULL;
}

static void set_interrupt(unsigned vcpu)
{
	bool locked;

	if (!qemu.interrupt[vcpu].to)
		return;
	locked = take_lock();
	qemu.set_irq(qemu.interrupt[vcpu].to, qemu.interrupt[vcpu].asserted);
	if (locked)
		qemu.unlock();
}

static void show_interrupt(struct qemu_cpu *cpu, uintptr_t vcpu)
{
	(void)cpu;
	set_interrupt((unsigned)vcpu);
}

bool pmk_guest_interrupt(unsigned vcpu, bool asserted, enum pmk_guest_moment moment)
{
	if (asserted == qemu.interrupt[vcpu].asserted)
		return false;
	qemu.interrupt[vcpu].asserted = asserted;
	/* With -icount, QEMU accepts changes of interrupts only from accesses to devices and
	 * between blocks. A processor checks its interrupts between blocks, so this delays no
	 * interrupt. */
	if (moment == PMK_GUEST_ACCESS)
		set_interrupt(vcpu);
	else
		qemu.queue(qemu.get_cpu((int)vcpu), show_interrupt, vcpu);
	return true;
}

/* ---- registers in memory --------------------------------------------------------------------- */

/* QEMU's MemoryRegionOps, which has this layout in all releases. */
struct region_calls {
	uint64_t (*read)(void *opaque, uint64_t offset, unsigned size);
	void (*write)(void *opaque, uint64_t offset, uint64_t value, unsigned size);
	void *with_attrs[2];
	int endianness; /* 0: the byte order of the processor */
	struct {
		unsigned shortest, longest;
		bool unaligned;
		void *accepts;
	} valid;
	struct {
		unsigned shortest, longest;
		bool unaligned;
	} made;
};

/* Returns by how many bits an access of `size` bytes at `offset` is shifted within its word. */
static unsigned lane_of(const struct pmk_guest_window *w, uint64_t offset, unsigned size)
{
	unsigned at = offset % 4;

	return 8 * (w->big_endian ? 4 - size - at : at);
}

/*
 * Reads a register in the window. An access of fewer than four bytes accesses the whole word: a
 * load selects its bytes from the word, and a store writes 0 into the other bytes (our choice).
 */
static uint64_t read_window(void *opaque, uint64_t offset, unsigned size)
{
	const struct pmk_guest_window *w = opaque;
	uint32_t value = 0;

	w->load(w->ctx, (unsigned)offset & ~3u, &value);
	return value >> lane_of(w, offset, size) & (UINT64_MAX >> (64 - 8 * size));
}

static void write_window(void *opaque, uint64_t offset, uint64_t value, unsigned size)
{
	const struct pmk_guest_window *w = opaque;

	w->store(w->ctx, (unsigned)offset & ~3u, (uint32_t)value << lane_of(w, offset, size));
}

#define REGION_BYTES 4096 /* a MemoryRegion is not larger in any release */
#define IN_FRONT     1000 /* priority over the board's own devices */

/* Returns the memory as the first processor sees it. A microcontroller's own registers are only in
 * this memory, where they hide the memory of the board. */
static struct qemu_region *memory_of_processor(void)
{
	struct qemu_region *own = qemu.link ? qemu.link(qemu.get_cpu(0), "memory", NULL) : NULL;

	return own ? own : qemu.memory();
}

const char *pmk_guest_map(const struct pmk_guest_window *w)
{
	static const struct region_calls calls = {
		.read = read_window,
		.write = write_window,
		.valid = { 1, 4, false, NULL },
		.made = { 1, 4, false },
	};
	struct qemu_region *region = calloc(1, REGION_BYTES);
	bool locked;

	if (!region)
		return "memory";
	locked = take_lock();
	qemu.init_region(region, NULL, &calls, (void *)(uintptr_t)w, "pmk", w->size);
	qemu.add_region(w->of_processor ? memory_of_processor() : qemu.memory(), w->base, region,
			IN_FRONT);
	if (locked)
		qemu.unlock();
	return NULL;
}

/* True for MCR and MRC of coprocessor 15, MCRR and MRRC, MSR and MRS, and for instructions with
 * similar encodings. */
bool pmk_guest_reaches(uint32_t insn, bool a64)
{
	/* Thumb-2 has the halves of the word in the opposite order. */
	uint32_t thumb = insn << 16 | insn >> 16;

	if (a64)
		return (insn & 0xffc00000) == 0xd5000000;
	return (insn & 0x0f000f10) == 0x0e000f10 || (insn & 0x0fe00f00) == 0x0c400f00 ||
	       (thumb & 0xff000f10) == 0xee000f10 || (thumb & 0xffe00f00) == 0xec400f00;
}
