# SPDX-License-Identifier: MIT
"""The choice of events decides what pmk models. For events that follow from executions, translated
code counts without a clock or caches. For events of the data cache only, pmk needs no clock,
predictor or instruction cache. For events of fetching only, it needs no clock and no data cache.
With every choice of events the counts equal those of a run that counts everything, for programs
with faults, forks and threads, too."""
import random

import microblaze_tools as mb
import test_faults
import test_processes
from harness import *
from programs import build

MIX = {
    "arm1176": "instr_exec br_exec wbuf_drained".split(),
    "arm1136": "instr_exec br_exec".split(),
    "cortex-a72": "inst_retired inst_spec br_pred br_immed_spec br_return_spec br_indirect_spec "
                  "dp_spec ase_spec vfp_spec crypto_spec isb_spec dsb_spec dmb_spec exc_taken "
                  "exc_undef exc_svc exc_hvc exc_smc".split(),
    "cortex-a53": "inst_retired br_pred br_immed_retired exc_taken".split(),
    "microblaze": "insn_executed branch_uncond branch_uncond_delay logical_op arith_op mul_op "
                  "barrel_shift_op shift_op div_op fp_op imm_op pattern_compare_op sign_extend_op "
                  "icache_invalidate_op dcache_invalidate_flush_op msr_op icache_request "
                  "mmu_insn_request".split(),
    # All data of this core is in local memory, so pmk would need a clock to count an event of data
    # accesses (pmk_core_is_blind()).
    "microblaze-area": "insn_executed logical_op msr_op icache_request".split(),
}

DATA = {
    "arm1176": "dcache_access_cacheable dcache_access dcache_miss dcache_wback dtlb_miss "
               "expl_d_access".split(),
    "cortex-a72": "l1d_cache_refill l1d_cache l1d_tlb_refill mem_access l1d_cache_wb l1d_cache_rd "
                  "l1d_cache_wr l1d_cache_refill_rd l1d_cache_refill_wr l1d_cache_wb_victim "
                  "l1d_tlb_refill_rd l1d_tlb_refill_wr mem_access_rd mem_access_wr "
                  "unaligned_ld_spec unaligned_st_spec unaligned_ldst_spec strex_pass_spec".split(),
    "cortex-a53": "l1d_cache_refill l1d_cache l1d_tlb_refill unaligned_ldst_retired mem_access "
                  "l1d_cache_wb".split(),
    "microblaze": "dcache_read_request dcache_read_hit dcache_write_request dcache_write_hit "
                  "load_any mmu_data_request dcache_request dcache_hit dtlb_hit".split(),
}

FETCH = {
    "arm1176": "icache_miss itlb_miss br_mispredict proc_call_exec proc_ret_exec "
               "proc_ret_exec_pred proc_ret_exec_pred_incorrect".split(),
    "arm1136": "icache_miss itlb_miss br_mispredict".split(),
    "cortex-a72": "l1i_cache_refill l1i_tlb_refill br_mis_pred".split(),
    "cortex-a53": "l1i_cache_refill l1i_tlb_refill br_mis_pred".split(),
    "microblaze": "icache_hit itlb_hit".split(),
}

# The events of FETCH that do not depend on the branch predictor.
LINES = {core: [e for e in FETCH[core] if e.startswith("l1i")] for core in FETCH}

# A program that ends with a fault in the middle of a block.
DIES = """
int main(void)
{
	volatile int sum = 0;

	for (int i = 0; i < 100; i++)
		sum += i;
	return *(volatile int *)8 + sum;
}
"""


def dies(isa):
    return build(f"dies-{isa}", DIES, "-O1", "-static",
                 **({"prefix": "aarch64-linux-gnu-"} if isa == "a64" else {}))


# Loads and stores of several words, and conditional ones. Some of them fault in the middle, at a
# page that the program must not access.
HALVES = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

static char *pages;
static unsigned faults;

static void handler(int sig)
{
	(void)sig;
	faults++;
	mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE);
}

int main(void)
{
	unsigned sum = 0;

	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	signal(SIGSEGV, handler);
	for (unsigned i = 0; i < 3000; i++) {
		unsigned *at = (unsigned *)(pages + PAGE - 8 - 32 * (i % 16 != 0));

		if (i % 3 == 0)
			mprotect(pages + PAGE, PAGE, PROT_NONE);
		__asm__ volatile("mov r4, %1\n\tldmia %0, {r5, r6, r7, r8}\n\tadd r4, r4, r5\n\t"
				 "stmia %0, {r4, r6, r7, r8}\n\tcmp r4, r6\n\t"
				 "ldrne r5, [%0, #32]\n\tstreq r5, [%0, #64]\n\tldrd r6, r7, [%0]"
				 : : "r"(at), "r"(i) : "r4", "r5", "r6", "r7", "r8", "cc", "memory");
		sum += at[i % 4];
	}
	printf("%u %u\n", sum, faults);
	return 0;
}
"""

# A program for A64 that is similar to HALVES. It makes some parts of an access before the part that
# faults.
HALVES64 = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#define PAGE 4096

static char *pages;
static unsigned faults;

static void handler(int sig)
{
	(void)sig;
	faults++;
	mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE);
}

int main(void)
{
	unsigned long sum = 0;

	pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	signal(SIGSEGV, handler);
	for (unsigned i = 0; i < 3000; i++) {
		char *at = pages + PAGE - 8 * (i % 4) - 64 * (i % 3 != 0), *line = pages + i % 4 * 48;

		if (i % 3 == 0)
			mprotect(pages + PAGE, PAGE, PROT_NONE);
		__asm__ volatile("mov x9, %1\n\tldp x10, x11, [%0]\n\tadd x9, x9, x10\n\t"
				 "stp q0, q1, [%0, #16]\n\tld1 {v2.4s, v3.4s}, [%0]\n\t"
				 "ldur q4, [%0, #3]\n\tldur q5, [%0, #11]\n\tstur x9, [%0, #1]\n\t"
				 "ld3 {v5.8b, v6.8b, v7.8b}, [%0]\n\tst2 {v2.d, v3.d}[0], [%0]"
				 : : "r"(at), "r"((long)i)
				 : "x9", "x10", "x11", "v2", "v3", "v4", "v5", "v6", "v7", "memory");
		__asm__ volatile("1:\tldxp x10, x11, [%0]\n\tstxp w12, x11, x10, [%0]\n\t"
				 "cbnz w12, 1b\n\tstxr w12, x10, [%0]\n\tldaxr x10, [%0]\n\t"
				 "stlxr w12, x10, [%0]\n\tdc zva, %1"
				 : : "r"(line), "r"(pages + PAGE * (1 + i % 2))
				 : "x10", "x11", "w12", "memory");
		sum += ((unsigned long *)line)[i % 4];
	}
	printf("%lu %u\n", sum, faults);
	return 0;
}
"""

# A program that tests fetching: its code is larger than the cache, it writes code, it calls
# addresses without code, and both signals and the program itself call one handler.
ODD = r"""
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

typedef unsigned code(unsigned);
struct caller {
	code *call;
	unsigned with;
};

static sigjmp_buf back;
static volatile unsigned handled;
static struct caller nowhere[2];

static void handler(int sig)
{
	handled++;
	if (sig == SIGSEGV)
		siglongjmp(back, 1);
}

__attribute__((noinline)) static unsigned call(const struct caller *c)
{
	return c->call(c->with) + 1;
}

__attribute__((noinline)) static unsigned by_hand(volatile unsigned *at)
{
	*at += 1;
	handler(0);
	return *at;
}

__attribute__((noinline)) static unsigned large(unsigned n)
{
#ifdef __aarch64__
#define R "%w0"
#else
#define R "%0"
#endif
	__asm__ volatile(".rept 3000\n\teor " R ", " R ", " R ", lsl #3\n\ttst " R ", #64\n\t"
			 "bne 1f\n\tadd " R ", " R ", #1\n1:\n\t.endr" : "+r"(n) : : "cc");
	return n;
}

/* It runs before any fault is expected. */
__attribute__((noinline)) static unsigned branches(volatile unsigned *at, unsigned n)
{
	return *at == n ? large(n) : n;
}

static unsigned written(unsigned *at, unsigned n)
{
#ifdef __aarch64__
	at[0] = 0x11000000 | n << 10;	/* add w0, w0, #n */
	at[1] = 0xd65f03c0;		/* ret */
#else
	at[0] = 0xe2800000 | n;	/* add r0, r0, #n */
	at[1] = 0xe12fff1e;	/* bx lr */
#endif
	__builtin___clear_cache((char *)at, (char *)(at + 2));
	return call(&(struct caller){ (code *)at, n });
}

int main(void)
{
	unsigned *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile unsigned sum = 0, i;

	nowhere[1].call = (code *)(page + 1024);
	for (i = 0; i < 40; i++) {
		if (i == 4) {
			munmap(page + 1024, 4096);
			signal(SIGSEGV, handler);
			signal(SIGUSR1, handler);
		}
		sum += large(i) + written(page + i * 8, i);
		if (i >= 4 && !sigsetjmp(back, 1))
			sum += call(&nowhere[i % 2]);
		if (i >= 4 && !sigsetjmp(back, 1))
			sum += *(volatile unsigned *)(page + 1024) + by_hand(&handled);
		if (!sigsetjmp(back, 1))
			sum += branches(page + 1024, i);
		if (i >= 4 && !raise(SIGUSR1))
			sum += by_hand(&handled);
	}
	printf("%u %u\n", sum, handled);
	return 0;
}
"""

# {name in the test: the rest of the core's name after "microblaze", and settings of the core}
MICROBLAZES = {
    "microblaze": "",
    "virtual": "-freq",
    "virtual-back": "-freq dcache.write_through=off dcache.size=64",
    "through": " dcache.write_through=on dcache.base=0x20000000",
}

PROGRAMS = {
    "odd": ("arm1176", lambda: [build("odd", ODD, "-O1", "-static", "-marm", "-march=armv6k",
                                      "-mfloat-abi=soft")]),
    "odd-1136": ("arm1136", lambda: [build("odd", ODD, "-O1", "-static", "-marm", "-march=armv6k",
                                           "-mfloat-abi=soft")]),
    **{f"odd-{core}": (core, lambda: [build("odd64", ODD, "-O1", "-static",
                                            prefix="aarch64-linux-gnu-")])
       for core in ("cortex-a53", "cortex-a72")},
    "halves": ("arm1176", lambda: [build("halves", HALVES, "-O1", "-static", "-marm",
                                         "-march=armv6k", "-mfloat-abi=soft")]),
    "faults-arm": ("arm1176", lambda: [test_faults.faulty("arm", 1)]),
    "faults-thumb": ("arm1176", lambda: [test_faults.faulty("thumb", 1)]),
    "faults-a64": ("cortex-a72", lambda: [test_faults.faulty("a64", 1)]),
    "faults-a53": ("cortex-a53", lambda: [test_faults.faulty("a64", 2)]),
    "halves-a64": ("cortex-a72", lambda: [build("halves64", HALVES64, "-O1", "-static",
                                                prefix="aarch64-linux-gnu-")]),
    "halves-a53": ("cortex-a53", lambda: [build("halves64", HALVES64, "-O1", "-static",
                                                prefix="aarch64-linux-gnu-")]),
    **{f"odd-{name}": (f"microblaze{settings}", lambda: [mb.program("odd", "odd.c")])
       for name, settings in MICROBLAZES.items()},
    "mix-local": ("microblaze-area", lambda: [mb.program("mix", "mix.c")]),
    "dies-microblaze": ("microblaze", lambda: [mb.program("odd", "odd.c"), "fault"]),
    "kinds-microblaze": ("microblaze-freq", lambda: [mb.bare("kinds", order="big")]),
    "dies-arm": ("arm1176", lambda: [dies("arm")]),
    "dies-a64": ("cortex-a72", lambda: [dies("a64")]),
    "forks": ("arm1176", lambda: [test_processes.family(), "chain", "3"]),
    "threads": ("arm1176", lambda: [test_processes.threads(), "work", "3"]),
}


def counted(core, program, events):
    """Returns {event: (value, trust)} of the events that have a value, and the set of running times
    in the output."""
    core, *settings = core.split()
    out = pmk("stat", "--json-document", "--core", core, *(f"--set={s}" for s in settings), "-e",
              events, *program)
    rows = json.loads(out.err[out.err.index("{"):])["counters"]
    return ({r["event"]: (r["counter-value"], r["trust"]) for r in rows
             if r["counter-value"] is not None}, {r["event-runtime"] for r in rows})


@pytest.mark.parametrize("name", PROGRAMS)
def test_subsets(name):
    core, program = PROGRAMS[name]
    program = program()
    everything, _ = counted(core, program, "all")
    r = random.Random(name)
    # The contents of the caches may differ between two runs of several threads.
    repeats = sorted(e for e, (_, trust) in everything.items()
                     if trust != "modelled" or name != "threads")
    kind = core if core in MIX else re.sub("[- ].*", "", core)
    mix = MIX[kind]
    data, fetch, lines = ([e for e in some.get(kind, []) if e in repeats]
                          for some in (DATA, FETCH, LINES))
    alone = [mix, data, mix + data, fetch, mix + fetch, lines, mix + lines, data + lines,
             mix + data + fetch]
    alone = size(r.sample(alone, 4), alone)
    for _ in range(size(1, 3)):
        alone += [r.sample(some, r.randrange(1, len(some)))
                  for some in (mix, mix + data, mix + fetch, mix + data + fetch)]
    for events in filter(None, alone):
        got, times = counted(core, program, ",".join(events))
        equal(got, {e: everything[e] for e in events}, events)
        # Only if data accesses and fetches are counted together, pmk needs the clock, and the time
        # is not 0.
        with_clock = set(events) & set(data) and set(events) & set(fetch)
        equal(times == {0}, not with_clock, (events, times))
    for _ in range(size(2, 4)):
        events = r.sample(repeats, r.randrange(1, 5))
        got, _ = counted(core, program, ",".join(events))
        equal(got, {e: everything[e] for e in events}, events)


def test_beyond_what_a_counter_holds():
    """The count is 4,500,000,004, which a 32-bit counter cannot hold."""
    source = "\t.arm\n\t.global _start\n_start:\tldr r1, =36000000\n1:\tsubs r1, r1, #1\n" \
             "\t.rept 123\n\tnop\n\t.endr\n\tbne 1b\n\tmov r0, #0\n\tmov r7, #1\n\tsvc #0\n"
    loop = build("beyond", source, "-nostdlib", "-static", "-marm", ext="s")
    got, _ = counted("arm1176", [loop], "instr_exec,br_exec")
    equal(got, {"instr_exec": (4500000004, "exact"), "br_exec": (36000000, "exact")})
