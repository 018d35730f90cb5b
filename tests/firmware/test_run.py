# SPDX-License-Identifier: MIT
"""pmk run: unchanged firmware that programs its PMU, on emulated boards to which pmk adds its
models. Without pmk run, the examples of examples/firmware print that there are no counters
(test_examples.py). With pmk run the same binaries print numbers. The numbers of PMUv3 equal those
of QEMU's own PMU. All other numbers equal counts that were worked out by hand."""
import os
import re
import signal
import subprocess

from harness import *
import firmware_examples as examples

RUN = os.path.join(WORK, "firmware-run")


def ran(board, *options):
    """Runs an example under `pmk run`. Returns its output and pmk's report."""
    os.makedirs(RUN, exist_ok=True)
    report = os.path.join(RUN, board)
    command = " ".join([PMK, "run", "-o", report, *options, "--"])
    out, raw = examples.ran(board, "RUN=" + command, "O=" + os.path.join(RUN, "of-" + board))
    with open(report) as f:
        return out, raw, f.read()


def region(said, name):
    """Returns {event: (raw total, mean, least, most)} of a region in the report that firmware
    prints."""
    block = re.search(rf"^region {name}: .*\n.*\n((?: .*\n)+)", said, re.M)
    assert block, said
    rows = [line.split() for line in block.group(1).splitlines()]
    return {row[6]: (int(row[1]), float(row[2]), int(row[4]), int(row[5])) for row in rows}


def accesses(report):
    found = re.search(r"the program's own PMU, (\w[\w-]*): (\d+) reads, (\d+) writes, "
                      r"(\d+) interrupts", report)
    assert found, report
    return found.group(1), *map(int, found.groups()[1:])


def test_raspi0():
    out, _, report = ran("raspi0")
    crc, sort = region(out, "crc"), region(out, "sort")
    # The region does the same work eight times, with the same number of instructions each time.
    _, mean, least, most = crc["instr_exec"]
    equal((least, most), (mean, mean))
    assert crc["cpu_cycles"][2] > 0.5 * crc["instr_exec"][2], crc
    assert 0 < sort["br_mispredict"][0] < sort["instr_exec"][0], sort
    pmu, reads, writes, _ = accesses(report)
    equal(pmu, "arm1176")
    assert reads > 100 and writes > 5, report
    contains(report, "as arm1176")


def test_virt_counts_as_qemus_own_pmu():
    """The instructions retired equal those of QEMU's own PMU, which are exact with -icount."""
    # test_examples.py uses the usual folder, maybe at the same time.
    own, _ = examples.ran("virt", "O=" + os.path.join(RUN, "own-virt"))
    ours, _, report = ran("virt")
    pattern = r"^(el[01] n \d+ instructions \d+) "
    equal(re.findall(pattern, ours, re.M), re.findall(pattern, own, re.M))
    equal(len(re.findall(pattern, ours, re.M)), 7, ours)
    for name in ("loop", "sort"):
        equal(region(ours, name)["inst_retired"], region(own, name)["inst_retired"])
    equal(accesses(report)[0], "cortex-a53")


def test_every_sample_of_virt_has_an_interrupt():
    out, _, report = ran("virt")
    taken = int(re.search(r"^samples: (\d+) in the ring, 0 dropped", out, re.M).group(1))
    equal(accesses(report)[3], taken)
    assert taken > 100, out


def test_versatilepb():
    out, _, report = ran("versatilepb")
    # The example copies 248 words four times, so layer ARM-D has at least 992 writes. The caches
    # stay off, so accesses to the stack use the bus, too.
    contains(out, "region copy: 4 times")
    assert region(out, "copy")["ct_armd_wr"][0] >= 992, out
    equal(accesses(report)[0], "ahbmon")
    contains(report, "as arm926")


def test_the_log_of_an_ahb_monitor(tmp_path):
    """In the log of an AHB Monitor, a read of a counter before the monitor is started has the note
    that the counter does not count. A later read has no note."""
    log = tmp_path / "log"
    ran("versatilepb", "--log", str(log))
    lines = log.read_text().splitlines()
    starts = next(i for i, line in enumerate(lines) if ",AHBMONCtrlReg,0x00000001," in line)
    remark = "does not count: it is disabled, filtered out, or has no event"
    read = [line for line in lines[starts:] if ",read,CtArmdWr," in line]
    assert any(remark in line for line in lines[:starts]), lines[:starts]
    assert read[0].endswith(","), read


def test_ml605():
    out, _, report = ran("ml605")
    equal((region(out, "sum")["dcache_read_latency"][2:],
           region(out, "copy")["dcache_read_latency"][2:]), ((256, 256), (256, 256)))
    equal(accesses(report)[0], "microblaze")


# ---- an L210 in memory, an AHB Monitor and a debug module elsewhere ------------------------------

START = r"""
	.global _start
_start:	ldr	sp, =_start + 0x10000
	bl	main
	mov	r0, #0x18
	ldr	r1, =0x20026
	svc	0x123456
	b	.
	.global put
put:	mov	r1, r0
	mov	r0, #4
	svc	0x123456
	bx	lr
"""


def firmware(name, source, at="0x10000"):
    have("arm-none-eabi-gcc", "qemu-system-arm")
    os.makedirs(RUN, exist_ok=True)
    path = os.path.join(RUN, name)
    for ext, text in ((".S", START), (".c", source)):
        with open(path + ext, "w") as f:
            f.write(text)
    out = run("arm-none-eabi-gcc", "-mcpu=arm1176jzf-s", "-marm", "-mfloat-abi=soft", "-O1",
              "-ffreestanding", "-nostdlib", f"-Wl,-Ttext={at}", path + ".S", path + ".c", "-o",
              path + ".elf", "-lgcc")
    equal(out.code, 0, out.err)
    return path + ".elf"


def boot(elf, *options):
    return pmk("run", *options, "--", "qemu-system-arm", "-M", "raspi0", "-nographic", "-nic",
               "none", "-semihosting", "-kernel", elf)


HEX = r"""
void put(const char *text);
static void hex(unsigned v)
{
	char text[12] = "00000000\n";

	for (int i = 7; i >= 0; i--, v >>= 4)
		text[i] = "0123456789abcdef"[v & 15];
	put(text);
}
"""

L210_C = HEX + r"""
#define REG(offset) (*(volatile unsigned *)(0x3f000000 + (offset)))
static volatile unsigned data[64 * 1024];

int main(void)
{
	REG(0x00) = 0x101;         /* EMMC: events enabled, EMC0 set to 0 */
	hex(REG(0x00) & 1);
	return 0;
}
"""


def test_registers_of_an_l210_are_where_at_says():
    elf = firmware("l210", L210_C)
    out = boot(elf, "--pmu", "l210", "--at", "0x3f000000")
    equal((out.code, out.err.splitlines()[0]), (0, "00000001"), out)
    equal(accesses(out.err)[:3], ("l210", 1, 1))


L220_C = HEX + r"""
#define REG(offset) (*(volatile unsigned *)(0x3f000000 + (offset)))
static volatile unsigned data[16 * 1024]; /* four times the level 1 cache */

static void walk(void)
{
	for (unsigned i = 0; i < 16 * 1024; i += 8) /* each access is in another line */
		data[i];
}

static unsigned map[4096] __attribute__((aligned(0x4000))); /* maps each megabyte to itself */

static void turn_caches_on(void)
{
	unsigned control;

	for (unsigned i = 0; i < 4096; i++)
		map[i] = i << 20 | 0xc0e;
	__asm__ volatile("mcr p15, 0, %1, c2, c0, 0\n"
			 "mcr p15, 0, %2, c3, c0, 0\n"
			 "mrc p15, 0, %0, c1, c0, 0\n"
			 "orr %0, %0, #0x1800\n"
			 "orr %0, %0, #5\n"
			 "mcr p15, 0, %0, c1, c0, 0"
			 : "=&r"(control)
			 : "r"(map), "r"(3)
			 : "memory");
}

int main(void)
{
	turn_caches_on();
	walk();
	REG(0x208) = 3 << 2; /* counter 0: data reads requested from the level 2 cache */
	REG(0x204) = 2 << 2; /* counter 1: data reads that hit in it */
	REG(0x200) = 7;	     /* clear both, and enable */
	walk();
	REG(0x200) = 0;
	hex(REG(0x210));
	hex(REG(0x20c));
	return 0;
}
"""


def test_an_l220_counts_what_misses_the_level_1_cache():
    """The second walk through 64 KB reads 2048 lines. The level 1 cache of 16 KB keeps at most 512
    of them, and the level 2 cache of 128 KB keeps all."""
    out = boot(firmware("l220", L220_C), "--pmu", "l220", "--at", "0x3f000000", "--set",
               "l2.size=128K")
    equal(out.code, 0, out)
    asked, had = (int(line, 16) for line in out.err.splitlines()[:2])
    assert 2048 - 512 <= asked <= 2048, out
    equal(had, asked)
    equal(accesses(out.err)[:3], ("l220", 2, 4))


# The write to PMNC clears and enables all counters. Counter 0 counts instructions, which are event
# 0x08 in an MPCore. It counts 2001 (0x7d1): the 2000 instructions of the loop, and the MRC that
# reads the counter.
OTHER_C = HEX + r"""
int main(void)
{
	unsigned turns = 1000, v;

	__asm__ volatile("mrc p15, 0, %0, c0, c0, 0" : "=r"(v)); /* Main ID */
	hex(v);
	__asm__ volatile("mcr p15, 0, %1, c15, c12, 0\n"
			 "1: subs %0, %0, #1\n bne 1b\n"
			 "mrc p15, 0, %1, c15, c12, 2"
			 : "+r"(turns), "=r"(v) : "1"(7 | EVENT << 20) : "cc");
	hex(v);
	return 0;
}
"""


@pytest.mark.parametrize("board,options,core,event,main_id", [
    (("versatilepb", "-cpu", "arm1136", "-audiodev", "none,id=none", "-global",
      "pl041.audiodev=none"), (), "arm1136", 7, "4117b363"),
    (("raspi0",), ("--core", "arm1136"), "arm1136", 7, "410fb767"),
    (("raspi0",), ("--core", "arm1156"), "arm1156", 7, "410fb767"),
    (("raspi0",), ("--core", "arm11mpcore"), "arm11mpcore", 8, "410fb767")])
def test_other_arm11(board, options, core, event, main_id):
    """pmk models the core of the emulated processor, or the one that --core names. Registers that
    do not belong to the PMU are read from the emulator."""
    elf = firmware(f"other{event}", f"#define EVENT {event}\n" + OTHER_C)
    out = pmk("run", *options, "--", "qemu-system-arm", "-M", *board, "-nographic", "-nic", "none",
              "-semihosting", "-kernel", elf)
    equal((out.code, out.err.splitlines()[:2]), (0, [main_id, "000007d1"]), out)
    equal(accesses(out.err), (core, 1, 1, 0))
    contains(out.err, f" as {core}\n")
    assert "Performance counter stats" not in out.err, out  # no event was requested


WORK_C = r"""
static volatile unsigned data[4096];

static unsigned step(unsigned i)
{
	data[i * 16 % 4096] += i;
	return data[i * 48 % 4096] & 1 ? i : i + 1;
}

int main(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 3000; i++)
		sum += step(i);
	data[0] = sum;
	return 0;
}
"""


def test_what_run_counts_beside_it_is_what_stat_counts():
    elf = firmware("work", WORK_C)
    board = f"qemu-system-arm -M raspi0 -nographic -nic none -semihosting -kernel {elf}"

    def rows(*argv):
        out = pmk(*argv)
        equal(out.code, 0, out)
        return [line for line in out.err.splitlines() if not line.startswith("#")]

    counted = rows("stat", "-x,", "-e", "all", "--qemu", board)
    equal(rows("run", "-x,", "-e", "all", "--", *board.split()), counted)
    assert len(counted) > 20, counted


# ---- PMUv2, and PMUv3 in AArch32 -----------------------------------------------------------------

# With V2, the program uses only registers of PMUv2. Without V2, it also uses registers that only
# PMUv3 has. Event counter 1 counts instructions, and overflows after it has counted 16.
AARCH32_C = HEX + r"""
#define AT(crn, crm, op2) "p15, 0, %0, c" #crn ", c" #crm ", " #op2
#define WRITE(crn, crm, op2, v) __asm__ volatile("mcr " AT(crn, crm, op2) : : "r"(v))
#define READ(crn, crm, op2, v) __asm__ volatile("mrc " AT(crn, crm, op2) : "=r"(v))

#ifdef V2
#define COUNT "p15, 0, %1, c9, c13, 2" /* PMXEVCNTR */
#else
#define COUNT "p15, 0, %1, c14, c8, 1" /* PMEVCNTR1 */
#endif

int main(void)
{
	unsigned turns = 1000, v, high = 7;

	READ(9, 12, 0, v);
	hex(v >> 11 & 31);             /* PMCR.N */
	WRITE(9, 12, 5, 1);            /* PMSELR */
#ifdef V2
	WRITE(9, 13, 1, 0x08);         /* PMXEVTYPER: INST_RETIRED */
#else
	WRITE(14, 12, 1, 0x08);        /* PMEVTYPER1: INST_RETIRED, too */
#endif
	READ(9, 13, 1, v);
	hex(v);
	WRITE(9, 13, 2, 0xfffffff0);   /* PMXEVCNTR */
	WRITE(9, 12, 1, 0x80000002);   /* PMCNTENSET */
	v = 1;                         /* sets PMCR.E, runs a loop, reads the counter */
	__asm__ volatile("mcr p15, 0, %1, c9, c12, 0\n 1: subs %0, %0, #1\n bne 1b\n"
			 "mrc " COUNT : "+r"(turns), "+r"(v) : : "cc");
	hex(v + 16);
	READ(9, 12, 3, v);             /* PMOVSR */
	hex(v);
	WRITE(9, 12, 3, v);
	READ(9, 12, 3, v);
	hex(v);
	WRITE(9, 12, 2, 0x80000000);   /* PMCNTENCLR */
#ifndef V2
	__asm__ volatile("mcrr p15, 0, %0, %1, c9" : : "r"(0x12345678), "r"(high)); /* PMCCNTR */
	__asm__ volatile("mrrc p15, 0, %0, %1, c9" : "=r"(v), "=r"(high));
#endif
	hex(high);
	return 0;
}
"""


@pytest.mark.parametrize("emulator,cpu,options,pmu", [
    ("arm", "cortex-a15", (), "cortex-a15"), ("arm", "cortex-a7", (), "cortex-a7"),
    ("aarch64", "cortex-a15", (), "cortex-a15"),
    ("arm", "cortex-a15", ("--pmu", "cortex-a15"), "cortex-a15"),
    ("arm", "cortex-a15", ("--pmu", "cortex-a53"), "cortex-a53"),
    ("arm", "cortex-a15", ("--core", "arm1136", "--pmu", "cortex-a72"), "cortex-a72")])
def test_code_of_32_bits_reaches_its_pmu(emulator, cpu, options, pmu):
    v2 = pmu == cpu
    counters = "00000004" if pmu == "cortex-a7" else "00000006"
    source = ("#define V2\n" if v2 else "") + AARCH32_C
    elf = firmware(f"aarch32-{v2}", source, "0x40010000")
    out = pmk("run", *options, "--", f"qemu-system-{emulator}", "-M", "virt", "-cpu", cpu,
              "-nographic", "-nic", "none", "-semihosting", "-kernel", elf)
    equal((out.code, out.err.splitlines()[:6]),
          (0, [counters, "00000008", "000007d1", "00000002", "00000000", "00000007"]), out)
    equal(accesses(out.err)[0], pmu)
    contains(out.err, " as arm1136\n" if "arm1136" in options else f" as {cpu}\n")


# The program prints how many accesses to registers that only PMUv3 has were undefined.
BEYOND_C = HEX + r"""
int main(void)
{
	unsigned undefined = 0;

	__asm__ volatile("ldr r3, =handlers\n"
			 "mcr p15, 0, r3, c12, c0, 0\n" /* VBAR */
			 "mrc p15, 0, r3, c14, c8, 0\n"  /* PMEVCNTR0 */
			 "mcr p15, 0, r3, c14, c12, 1\n" /* PMEVTYPER1 */
			 "mrc p15, 0, r3, c14, c15, 7\n" /* PMCCFILTR */
			 "mrrc p15, 0, r2, r3, c9\n"     /* PMCCNTR */
			 "b 1f\n"
			 ".balign 32\n"
			 "handlers: b .\n b 2f\n b .\n b .\n b .\n b .\n b .\n b .\n"
			 "2: add %0, %0, #1\n movs pc, lr\n"
			 "1:\n"
			 : "+r"(undefined) : : "r2", "r3", "lr");
	hex(undefined);
	return 0;
}
"""


@pytest.mark.parametrize("pmu,undefined", [("cortex-a15", "00000004"), ("cortex-a53", "00000000")])
def test_registers_that_pmuv2_lacks_are_undefined(pmu, undefined):
    """pmk makes registers of PMUv3 undefined on PMUv2. QEMU's own Cortex-A15 has those that have a
    number in their name."""
    out = pmk("run", "--pmu", pmu, "--", "qemu-system-arm", "-M", "virt", "-cpu", "cortex-a15",
              "-nographic", "-nic", "none", "-semihosting", "-kernel",
              firmware("beyond", BEYOND_C, "0x40010000"))
    equal((out.code, out.err.splitlines()[0]), (0, undefined), out)


# One loop runs in Supervisor mode, and one at PL0. Counter 0 counts the instructions of only one of
# these modes, and counter 1 those of the other mode.
LEVELS_C = HEX + r"""
#define MCR(v, crm, op2) __asm__ volatile("mcr p15, 0, %0, c9, c" #crm ", " #op2 : : "r"(v))

static unsigned count(unsigned n)
{
	unsigned v;

	MCR(n, 12, 5);                 /* PMSELR */
	__asm__ volatile("mrc p15, 0, %0, c9, c13, 2" : "=r"(v));
	return v;
}

int main(void)
{
	unsigned user = 1000, own = 3000, enable = 1, stop = 0;

	for (unsigned n = 0; n < 2; n++) {
		MCR(n, 12, 5);
		MCR(8u | (n ? 1u << 30 : 1u << 31), 13, 1); /* PMXEVTYPER: U, or P */
	}
	MCR(3, 12, 1);                 /* PMCNTENSET */
	__asm__ volatile("ldr r3, =vectors\n"
			 "mcr p15, 0, r3, c12, c0, 0\n" /* VBAR */
			 "mcr p15, 0, %2, c9, c12, 0\n"
			 "1: subs %1, %1, #1\n bne 1b\n"
			 "cps #0x10\n"
			 "2: subs %0, %0, #1\n bne 2b\n"
			 "svc #0\n"
			 ".balign 32\n"
			 "vectors: b .\n b .\n b 3f\n b .\n b .\n b .\n b .\n b .\n"
			 "3: mcr p15, 0, %3, c9, c12, 0\n"
			 : "+r"(user), "+r"(own) : "r"(enable), "r"(stop) : "r3", "lr", "cc");
	hex(count(0));
	hex(count(1));
	return 0;
}
"""


@pytest.mark.parametrize("cpu", ["cortex-a7", "cortex-a15"])
def test_filters_of_code_of_32_bits(cpu):
    """In User mode the program executes 1,000 rounds of two instructions, and the SVC. In
    privileged mode it executes 3,000 rounds of two instructions, the CPS, the branch at the vector,
    and the MCR that stops the counters."""
    elf = firmware("levels", LEVELS_C, "0x40010000")
    out = pmk("run", "-x,", "-e", "inst_retired,inst_retired:u,inst_retired:k", "--",
              "qemu-system-arm", "-M", "virt", "-cpu", cpu, "-nographic", "-nic", "none",
              "-semihosting", "-kernel", elf)
    equal((out.code, [int(line, 16) for line in out.err.splitlines()[:2]]), (0, [2001, 6003]), out)
    both, user, kernel = (int(line.split(",")[0]) for line in out.err.splitlines()
                          if ",inst_retired" in line)
    equal((user, user + kernel), (2001, both), out)


# With PMUv1, PMXEVTYPER has no filters, and PMCEID0 is undefined.
PMUV1_C = HEX + r"""
#define MCR(v, crm, op2) __asm__ volatile("mcr p15, 0, %0, c9, c" #crm ", " #op2 : : "r"(v))
#define MRC(v, crm, op2) __asm__ volatile("mrc p15, 0, %0, c9, c" #crm ", " #op2 : "=r"(v))

int main(void)
{
	unsigned turns = 1000, before, after, v;

	MCR(0, 12, 5);                 /* PMSELR */
	MCR(0xc8000000u | EVENT, 13, 1); /* PMXEVTYPER */
	MRC(v, 13, 1);
	hex(v);
	MCR(1, 12, 1);                 /* PMCNTENSET */
	MCR(1, 12, 0);                 /* PMCR */
	__asm__ volatile("mrc p15, 0, %1, c9, c13, 2\n" /* PMXEVCNTR */
			 "1: subs %0, %0, #1\n bne 1b\n"
			 "mrc p15, 0, %2, c9, c13, 2\n"
			 : "+r"(turns), "=r"(before), "=r"(after) : : "cc");
	hex(after - before);
	MRC(v, 12, 0);
	hex(v);
	return 0;
}
"""


@pytest.mark.parametrize("cpu,board,at,event,pmcr", [
    ("cortex-a8", "realview-pb-a8", "0x10000", "0x08", "41002001"),
    ("cortex-a9", "vexpress-a9", "0x60010000", "0x68", "41093001")])
def test_code_of_32_bits_reaches_pmuv1(monkeypatch, cpu, board, at, event, pmcr):
    """PMUv1 counts 1,000 rounds of two instructions, and one of the two MRCs that read the counter.
    PMCR.N of the Cortex-A8 is 4, and that of the Cortex-A9 is 6."""
    monkeypatch.setenv("QEMU_AUDIO_DRV", "none")  # older emulators look for a sound card
    elf = firmware(f"{cpu}-v1", f"#define EVENT {event}\n" + PMUV1_C, at)
    out = pmk("run", "--", "qemu-system-arm", "-M", board, "-nographic", "-nic", "none",
              "-semihosting", "-kernel", elf)
    equal((out.code, [line for line in out.err.splitlines() if len(line) == 8][:3]),
          (0, [f"{int(event, 16):08x}", "000007d1", pmcr]), out)
    equal(accesses(out.err)[0], cpu)
    contains(out.err, f" as {cpu}\n")


# ---- several processors --------------------------------------------------------------------------

def a64(name, source):
    have("aarch64-linux-gnu-gcc", "qemu-system-aarch64")
    os.makedirs(RUN, exist_ok=True)
    elf = os.path.join(RUN, name + ".elf")
    with open(elf + ".S", "w") as f:
        f.write(source)
    built = run("aarch64-linux-gnu-gcc", "-nostdlib", "-static", "-Wl,-Ttext=0x40080000",
                "-Wl,--build-id=none", "-o", elf, elf + ".S")
    equal(built.code, 0, built.err)
    return elf


def a64_image(name, source):
    """Makes a binary image of an A64 program, which QEMU runs from address 0 on. Returns its
    path."""
    image = os.path.join(RUN, name + ".bin")
    equal(run("aarch64-linux-gnu-objcopy", "-O", "binary", a64(name, source), image).code, 0)
    return image


def virt(elf, *options, cpu="cortex-a53", machine="virt", more=()):
    return pmk("run", *options, "--", "qemu-system-aarch64", "-M", machine, "-cpu", cpu, *more,
               "-nographic", "-nic", "none", "-kernel", elf)


# PSCI switches on the four processors of virt one after the other. Each of them counts a loop, and
# the first one counts last. Processor n counts 1000 + 100 * n rounds of two instructions, an ISB, a
# MOV, and the MRS that reads the counter.
SEVERAL_S = r"""
	.global _start
_start:	mov	x19, #1
1:	ldr	x0, =0xc4000003			// PSCI CPU_ON
	mov	x1, x19
	adr	x2, count
	mov	x3, x19
	hvc	#0
	adr	x1, results
2:	yield
	ldr	x0, [x1, x19, lsl #3]
	cbz	x0, 2b
	add	x19, x19, #1
	cmp	x19, #4
	b.ne	1b
	mov	x0, #0
	bl	count
	mov	x19, #0
3:	adr	x1, results
	ldr	x0, [x1, x19, lsl #3]
	bl	print
	add	x19, x19, #1
	cmp	x19, #4
	b.ne	3b
	ldr	x0, =0x84000008			// PSCI SYSTEM_OFF
	hvc	#0

count:	mov	x1, #8				// INST_RETIRED
	msr	PMEVTYPER0_EL0, x1
	msr	PMEVCNTR0_EL0, xzr
	mov	x1, #1
	mov	w3, #100
	mul	w3, w3, w0
	add	w3, w3, #1000
	msr	PMCNTENSET_EL0, x1
	msr	PMCR_EL0, x1
	isb
	mov	w1, w3
1:	subs	w1, w1, #1
	b.ne	1b
	mrs	x2, PMEVCNTR0_EL0
	adr	x1, results
	str	x2, [x1, x0, lsl #3]
	cbz	x0, 3f
2:	wfi
	b	2b
3:	ret

print:	mov	x2, #0x09000000			// the UART
	mov	w3, #1000
	mov	w6, #10
1:	udiv	w4, w0, w3
	msub	w0, w4, w3, w0
	add	w4, w4, #48
	strb	w4, [x2]
	udiv	w3, w3, w6
	cbnz	w3, 1b
	strb	w6, [x2]
	ret
	.align	4
results: .quad	0, 0, 0, 0
"""


@pytest.mark.parametrize("how", [("-icount", "shift=1,sleep=off"), ("-accel", "tcg,thread=single"),
                                 ("-accel", "tcg,thread=multi")])
def test_each_processor_has_counters_of_its_own(how):
    """Each processor has its own counters, whether the processors take turns in one thread of the
    emulator, or each of them has a thread."""
    out = virt(a64("several", SEVERAL_S), more=("-smp", "4", *how))
    equal((out.code, out.out.split()), (0, ["2003", "2203", "2403", "2603"]), out)
    equal(accesses(out.err)[1:], (4, 16, 0))


# Counter 0 counts only instructions at EL0, and overflows after 100,000. The loop at EL0 does not
# access memory. All code after the loop belongs to the handler.
USER_S = r"""
	.global _start
_start:	adr	x0, vectors
	msr	VBAR_EL1, x0
	mov	x1, #0x08
	orr	x1, x1, #1 << 31		// P: not EL1
	msr	PMEVTYPER0_EL0, x1
	ldr	x1, =-100000
	msr	PMEVCNTR0_EL0, x1
	mov	x1, #1
	msr	PMCNTENSET_EL0, x1
	msr	PMINTENSET_EL1, x1
	msr	SPSR_EL1, xzr
	adr	x0, user
	msr	ELR_EL1, x0
	ldr	w2, =200000
	msr	PMCR_EL0, x1
	eret
user:	subs	w2, w2, #1
	b.ne	user
	svc	#0
	.balign	2048
vectors: .space	0x400
	mrs	x1, PMEVCNTR0_EL0
	ldr	x0, =0x84000008			// PSCI SYSTEM_OFF
	hvc	#0
"""


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72"])
def test_an_interrupt_of_one_exception_level(tmp_path, core):
    """The interrupt of a counter for EL0 comes at the right instruction, although the core has left
    EL1 before the counter begins to count."""
    log = tmp_path / "log"
    out = virt(a64("user", USER_S), "--core", core, "--log", log)
    equal(out.code, 0, out)
    rows = [line.split(",", 8) for line in log.read_text().splitlines()[4:]]
    start, interrupt, read = rows[-3:]
    equal((start[6], interrupt[5], interrupt[7], read[6]), ("PMCR", "interrupt", "1", "PMEVCNTR0"))
    equal(int(read[7], 16) - (1 << 32) + 100000 - 400001 & 0xffffffff, 0, rows)
    # The ERET is executed at EL1. Blocks have two instructions.
    assert 100001 <= int(interrupt[1]) - int(start[1]) <= 100003, rows


# Code at EL2 leaves two counters to EL1. Then EL1 counts the counters and reads PMCR, which traps
# to EL2 once MDCR_EL2.TPM is set. The program prints x20 to x23: PMCR.N at EL2 and at EL1, the
# class of the exception, and ID_AA64DFR0_EL1.
EL2_S = r"""
	.global _start
_start:	adr	x0, vectors
	msr	VBAR_EL2, x0
	mov	x0, #1 << 31			// EL1 is AArch64
	msr	HCR_EL2, x0
	mrs	x20, PMCR_EL0
	ubfx	x20, x20, #11, #5
	mrs	x0, MDCR_EL2
	bic	x0, x0, #0x1f
	orr	x0, x0, #2			// HPMN
	msr	MDCR_EL2, x0
	mov	x0, #0x3c5
	msr	SPSR_EL2, x0
	adr	x0, el1
	msr	ELR_EL2, x0
	eret
el1:	mrs	x21, PMCR_EL0
	ubfx	x21, x21, #11, #5
	mrs	x23, ID_AA64DFR0_EL1
	hvc	#0
	mrs	x0, PMCR_EL0
	b	.
	.balign	2048
vectors: .space	0x400
	mrs	x22, ESR_EL2
	lsr	x22, x22, #26
	cmp	x22, #0x16			// HVC
	b.ne	1f
	mrs	x0, MDCR_EL2
	orr	x0, x0, #0x40			// TPM
	msr	MDCR_EL2, x0
	eret
1:	mov	x0, x20
	bl	print
	mov	x0, x21
	bl	print
	mov	x0, x22
	bl	print
	mov	x0, x23
	bl	print
	ldr	x0, =0x84000008			// PSCI SYSTEM_OFF
	smc	#0

print:	mov	x2, #0x09000000			// the UART
	mov	w4, #8
1:	ror	w0, w0, #28
	and	w3, w0, #15
	cmp	w3, #10
	add	w5, w3, #48
	add	w6, w3, #87
	csel	w3, w5, w6, lo
	strb	w3, [x2]
	subs	w4, w4, #1
	b.ne	1b
	mov	w3, #10
	strb	w3, [x2]
	ret
"""

# The code runs at EL3, which is Secure: 1,000 rounds with MDCR_EL3.SPME as after reset, and 1,000
# rounds with SPME set.
EL3_S = r"""
	.global _start
_start:	mov	x1, #0x08
	msr	PMEVTYPER0_EL0, x1
	mov	x1, #1
	msr	PMCNTENSET_EL0, x1
	msr	PMCR_EL0, x1
	bl	count
	mov	x0, #1 << 17			// SPME
	msr	MDCR_EL3, x0
	bl	count
	b	.

count:	msr	PMEVCNTR0_EL0, xzr
	isb
	mov	w1, #1000
1:	subs	w1, w1, #1
	b.ne	1b
	mrs	x1, PMEVCNTR0_EL0
	ret
"""


def plain_virt(elf, machine):
    return run("qemu-system-aarch64", "-M", machine, "-cpu", "cortex-a53", "-nographic", "-nic",
               "none", "-kernel", elf)


def test_mdcr_el2_and_the_debug_features():
    """EL2 keeps and traps the same accesses as with QEMU's own PMU. ID_AA64DFR0_EL1 also has the
    same value, except that it contains the version of our model's PMU."""
    elf = a64("el2", EL2_S)
    out = virt(elf, machine="virt,virtualization=on")
    equal((out.code, out.out.split()), (0, ["00000006", "00000002", "00000018", "10305106"]), out)
    equal(out.out, plain_virt(elf, "virt,virtualization=on").out)


def test_the_log_names_traps(tmp_path):
    log = tmp_path / "log"
    equal(virt(a64("el2", EL2_S), "--log", log, machine="virt,virtualization=on").code, 0)
    text = log.read_text()
    contains(text.splitlines()[-1], ',PMCR,0x00000000,"traps to EL2"')
    # The log has the whole value that the program read, not only the field of the model.
    contains(text, "0x0000000010305106")


def test_mdcr_el3_lets_secure_state_count(tmp_path):
    """With MDCR_EL3.SPME, events count in Secure state. The test ends the emulator when the log has
    the second count."""
    log = tmp_path / "log"
    with subprocess.Popen([PMK, "run", "-o", "/dev/null", "--log", log, "--", "qemu-system-aarch64",
                           "-M", "virt,secure=on", "-cpu", "cortex-a53", "-nographic", "-nic",
                           "none", "-bios", a64_image("el3", EL3_S)],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as p:
        try:
            wait_until(lambda: log.exists() and log.read_text().count(",read,PMEVCNTR0,") == 2
                       or p.poll() is not None, "nothing is counted")
        finally:
            p.send_signal(signal.SIGINT)
    counts = [int(line.split(",")[7], 16) for line in log.read_text().splitlines()
              if ",read,PMEVCNTR0," in line]
    equal(counts, [0, 2003])


# The program reads the cycle counter twice in a row, eight times, and prints 0 if the second value
# is not greater, like "cycle-counter" of kvm-unit-tests. Between two pairs there are four
# instructions.
TWICE_S = r"""
	.global _start
_start:	mov	x1, #0x80000000
	msr	PMCNTENSET_EL0, x1
	mov	x1, #0x41			// LC, E
	msr	PMCR_EL0, x1
	isb
	mov	x5, #0x09000000			// the UART
	mov	w6, #8
1:	mrs	x1, PMCCNTR_EL0
	mrs	x2, PMCCNTR_EL0
	cmp	x1, x2
	cset	w3, lo
	add	w3, w3, #48
	strb	w3, [x5]
	subs	w6, w6, #1
	b.ne	1b
	ldr	x0, =0x84000008			// PSCI SYSTEM_OFF
	hvc	#0
"""


@pytest.mark.parametrize("cpu", ["cortex-a53", "cortex-a57", "cortex-a72", "neoverse-n1"])
def test_no_two_reads_of_the_cycle_counter_are_equal(cpu):
    out = virt(a64("twice", TWICE_S), "--core", cpu, cpu="cortex-a53" if cpu == "cortex-a53"
               else "cortex-a57" if cpu == "neoverse-n1" else cpu)
    equal((out.code, out.out), (0, "1" * 8), out)


# ---- the log -------------------------------------------------------------------------------------

MISTAKES_C = r"""
int main(void)
{
	unsigned v;

	__asm__ volatile("mcr p15, 0, %0, c15, c12, 2" : : "r"(5));           /* PMN0 = 5 */
	__asm__ volatile("mrc p15, 0, %0, c15, c12, 2" : "=r"(v));            /* stopped */
	__asm__ volatile("mcr p15, 0, %0, c15, c12, "
                         "0" : : "r"(0x03a0b081));  /* 0x3a, 0x0b; bit 7 */
	__asm__ volatile("mcr p15, 0, %0, c15, c12, 3" : : "r"(0xfffffffe));  /* PMN1 */
	__asm__ volatile("nop\n nop\n nop\n nop");
	__asm__ volatile("mrc p15, 0, %0, c15, c12, 0" : "=r"(v));
	__asm__ volatile("mcr p15, 0, %0, c15, c12, 0" : : "r"(v));           /* clears CR1 */
	return 0;
}
"""


def test_the_log_says_what_was_wrong(tmp_path):
    log = tmp_path / "log"
    out = boot(firmware("mistakes", MISTAKES_C), "--log", log)
    equal(out.code, 0, out)
    head, rows = log.read_text().splitlines()[:4], log.read_text().splitlines()[4:]
    equal(head, ["# pmk register log 1", "# pmu arm1176", "# core arm1176",
                 "cycles,instructions,cpu,address,mode,access,register,value,remarks"])
    cells = [row.split(",", 8) for row in rows]
    equal([c[4:8] for c in cells[:4]], [["priv", "write", "PMN0", "0x00000005"],
                                         ["priv", "read", "PMN0", "0x00000005"],
                                         ["priv", "write", "PMNC", "0x03a0b081"],
                                         ["priv", "write", "PMN1", "0xfffffffe"]])
    equal([c[8] for c in cells[:3]],
          ["", '"does not count: it is disabled, filtered out, or has no event"',
           '"selected an event that this core does not have; '
           'wrote 1 to a bit that should be written as 0"'])
    # The code has no branch, so the instructions between accesses follow from their addresses.
    for before, after in zip(cells, cells[1:]):
        equal(int(after[1]) - int(before[1]), (int(after[3], 16) - int(before[3], 16)) // 4, rows)


def test_a_log_that_cannot_be_written_ends_with_125(tmp_path):
    elf = firmware("mistakes", MISTAKES_C)
    out = boot(elf, "--log", "/dev/full")
    equal((out.code, out.err), (125, "pmk: --log /dev/full: No space left on device\n"))
    out = boot(elf, "--log", tmp_path / "no" / "log")
    equal((out.code, out.err), (125, f"pmk: --log {tmp_path}/no/log: No such file or directory\n"))
    out = boot(elf, "--log", elf)
    equal((out.code, out.err),
          (129, f"pmk: --log {elf} would overwrite the firmware; name another file\n"))


# ---- refused command lines -----------------------------------------------------------------------

def refused(code, line, *words):
    out = pmk("run", *words)
    equal((out.code, out.out, out.err), (code, "", f"pmk: {line}\n"))


def test_what_is_refused():
    elf = firmware("mistakes", MISTAKES_C)
    board = ("--", "qemu-system-arm", "-M", "raspi0", "-nographic", "-nic", "none", "-kernel", elf)
    refused(129, "name the emulator: pmk run -- qemu-system-arm -M …\nusage: pmk run [-e LIST]... "
            "[--core CORE] [--irq WHERE] [--log FILE] -- QEMU-COMMAND")
    refused(129, "qemu-arm runs programs, which cannot access the PMU; pmk run is "
            "for firmware and kernels, in qemu-system-…", "--", "qemu-arm", elf)
    refused(129, "--irq gic: expected TYPE[/NAME]:NUMBER of an interrupt controller's input, "
            "bcm2835-ic/gpu-irq:45 for example", "--irq", "gic", *board)
    refused(129, "--at 12: the registers of arm1176 are in the processor, not in memory; leave "
            "--at out", "--at", "12", *board)
    refused(129, "the address of the registers of the l210 is not known; give it with --at ADDRESS",
            "--pmu", "l210", *board)
    refused(129, "core arm926 has the PMU ahbmon, not cortex-a53; leave --pmu out, or choose "
            "another --core", "--core", "arm926", "--pmu", "cortex-a53", *board)
    refused(129, "--at 0x1004: expected the address of a page, 0x84400000 for example",
            "--pmu", "l210", "--at", "0x1004", *board)
    refused(127, "-kernel nosuch: No such file or directory", *board[:-1], "nosuch")
    refused(125, "nosuch is not installed; docs/install.md says how to install or build QEMU", "--",
            "nosuch")
    refused(129, "-I prints counts, but no event was requested; give -e or -M", "-I", "10", *board)
    for number in ("-1", "4294967297", "1x", ""):
        refused(129, f"--irq bcm2835-ic:{number}: expected TYPE[/NAME]:NUMBER of an interrupt "
                "controller's input, bcm2835-ic/gpu-irq:45 for example", "--irq",
                f"bcm2835-ic:{number}", *board)
    for address in ("-4096", "0x100000000"):
        refused(129, f"--at {address}: expected the address of a page, 0x84400000 for example",
                "--pmu", "l210", "--at", address, *board)


def test_a_board_that_cannot_be_has_no_report():
    elf = firmware("nothing-ran", "void main(void) { }\n")
    out = pmk("run", "--", "qemu-system-arm", "-M", "raspi0", "-nographic", "-nic", "none",
              "-kernel", elf, "-device", "nosuch")
    equal((out.code, out.out), (125, ""), out)
    contains(out.err, "'nosuch' is not a valid device model name")
    assert out.err.endswith("pmk: qemu-system-arm ended before the program executed an "
                            "instruction\n"), out


def test_interrupts_that_the_board_does_not_have():
    """pmk refuses an interrupt that the board does not have, because QEMU would abort without a
    helpful message."""
    board = ("--", "qemu-system-arm", "-M", "raspi0", "-nographic", "-nic", "none", "-kernel",
             firmware("mistakes", MISTAKES_C))
    for where, lacks in (("nosuch:3", "the interrupt controller of --irq"),
                         ("bcm2835-ic:1", "the input of the interrupt controller that --irq names"),
                         ("bcm2835-ic/nosuch:1",
                          "the input of the interrupt controller that --irq names"),
                         ("bcm2835-ic/gpu-irq:64",
                          "the input of the interrupt controller that --irq names")):
        out = pmk("run", "--irq", where, *board)
        equal(out.code, 125, out)
        assert re.fullmatch(rf"pmk: qemu-system-arm [\d.]+ lacks {lacks}\n", out.err), out


@pytest.mark.parametrize("one,other", [("-o", "--html"), ("-o", "--log"), ("--html", "--log")])
def test_no_two_files_are_one(tmp_path, one, other):
    """pmk refuses two outputs in one file, because only the file that is written last would
    remain."""
    path = tmp_path / "file"
    out = pmk("run", one, path, other, tmp_path / "." / "file", "--", "qemu-system-arm", "-M",
              "raspi0", "-nographic", "-nic", "none", "-kernel", firmware("mistakes", MISTAKES_C))
    equal((out.code, out.err), (129, f"pmk: {one} {path}: {other} writes to this file, too; "
                                "name two files\n"))


FOREVER_C = r"""
int main(void)
{
	__asm__ volatile("mcr p15, 0, %0, c15, c12, 0" : : "r"(7));
	for (;;)
		;
}
"""


@pytest.mark.parametrize("name,to", [("SIGINT", "pmk"), ("SIGTERM", "pmk"), ("SIGHUP", "pmk"),
                                     ("SIGKILL", "emulator"), ("SIGSEGV", "emulator")])
def test_counts_are_printed_however_the_run_ends(tmp_path, name, to):
    """However the run ends, pmk prints what it counted, and the log has each line up to that
    time."""
    log, report = tmp_path / "log", tmp_path / "report"
    elf = firmware("forever", FOREVER_C)
    with subprocess.Popen([PMK, "run", "-x,", "-e", "instructions", "--log", log, "-o", report,
                           "--", "qemu-system-arm", "-M", "raspi0", "-nographic", "-nic", "none",
                           "-semihosting", "-kernel", elf], stdin=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL,
                          preexec_fn=lambda: signal.signal(getattr(signal, name),
                                                           signal.SIG_DFL)
                          if to == "pmk" else None) as p:
        wait_until(lambda: log.exists() and ",PMNC,0x00000007," in log.read_text(), "no access")
        emulator, = (int(line) for line in
                     open(f"/proc/{p.pid}/task/{p.pid}/children").read().split())
        os.kill(p.pid if to == "pmk" else emulator, getattr(signal, name))
        code = p.wait(timeout=PATIENCE)
    equal(code, 0 if to == "pmk" else 128 + getattr(signal, name))
    text = report.read_text()
    assert int(re.search(r"^(\d+),,instructions,", text, re.M).group(1)) > 0, text
    contains(text, "the program was interrupted: the counts end there"
             if to == "pmk" else f"the program was killed by {name}")
    contains(text, "the program's own PMU, arm1176: 0 reads, 1 writes, 0 interrupts")
    equal(log.read_text().splitlines()[4].split(",")[4:8], ["priv", "write", "PMNC", "0x00000007"])
