# SPDX-License-Identifier: MIT
"""The exact events of programs for ARMv7 equal an independent count of another run. For small
programs, a QEMU without our plugin executes one instruction per block and logs each with its own
disassembler. For Debian's armhf programs, another plugin counts each instruction."""
import collections
import hashlib
import os
import shutil
import tempfile

from harness import *
from fetch_debian import Unavailable, kept, release, unpack
from insns import plugin, read
from programs import build
from qemulog import alone, logged
from test_a64_oracle import ATOMIC, MIX, ODD, SORT

CROSS_HF = "arm-linux-gnueabihf-"
ROOT_HF = "/usr/arm-linux-gnueabihf"
SOURCES = {"sort": SORT, "odd": ODD, "mix": MIX, "atomic": ATOMIC}
EVENTS = ["inst_retired", "br_immed_retired", "br_return_retired", "pc_write_retired", "exc_svc"]
CONDITION = "(eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?"
IMMEDIATE = re.compile(rf"(b{CONDITION}|bl{CONDITION}|cbn?z)$")


def kinds_of(name, operands):
    """Returns the events that an instruction with this text raises whenever it is executed; whether
    it is a return, which counts only if it is taken; and whether it always writes the PC."""
    name = name.split(".")[0]
    kinds = {"inst_retired"}
    # A branch to the next instruction is not visible in the log.
    goes = name == "bx" or (name in ("blx", "add", "sub", "mov", "ldr") and
                            (name == "blx" or operands.startswith("pc,")))
    if IMMEDIATE.match(name) or (re.match(rf"blx{CONDITION}$", name) and operands[0] == "#"):
        kinds.add("br_immed_retired")
        goes = not name.startswith("cb") and name in ("b", "bl", "blx")
    elif re.match(rf"svc{CONDITION}$", name):
        kinds.add("exc_svc")
    returns = (bool(re.match(rf"bx{CONDITION}$", name)) and operands == "lr") or \
        (bool(re.match(rf"(pop|ldm){CONDITION}", name)) and "pc}" in operands
         and (name.startswith("pop") or operands.startswith("sp!"))) or \
        (name.startswith("ldr") and operands.startswith("pc, [sp], #")) or \
        (re.match(rf"mov{CONDITION}$", name) is not None and operands == "pc, lr")
    return kinds, returns, goes


class Trace:
    """Reads the log. It contains the instruction at each address, and the executed instructions."""

    def __init__(self):
        self.counts = collections.Counter()

    def read(self, fifo):
        at, last = {}, None
        # Number of the next instructions that belong to an IT. The log shows no condition in their
        # names.
        under = 0
        listed = re.compile(rb"0x([0-9a-f]+):  ((?:[0-9a-f]{2,8} ?)+) +(\S+) *(.*)")
        c = self.counts
        with open(fifo, "rb") as f:
            for line in f:
                if line.startswith(b"Trace"):
                    pc = int(line.split(b"/", 2)[1], 16)
                    if last:
                        self.left(*last, pc)
                    # The log has no text for the kernel's helpers in the page at the end of memory.
                    kinds, returns, goes, size, covers = at.get(pc, (set(), False, False, 0, 0))
                    c.update(kinds)
                    last = (pc, kinds, returns, goes and not under, size) if kinds else None
                    under = covers or max(under - 1, 0)
                elif line.startswith(b"Stopped"):
                    if last:
                        c.subtract(last[1])
                    last = None
                elif line.startswith(b"0x"):
                    m = listed.match(line)
                    size = len(m.group(2).replace(b" ", b"")) // 2
                    name = m.group(3).decode()
                    kinds = kinds_of(name, m.group(4).decode().strip())
                    covers = len(name) - 1 if re.match("it[te]{0,3}$", name) else 0
                    at[int(m.group(1), 16)] = (*kinds, size, covers)

    def left(self, pc, kinds, returns, goes, size, to):
        if "exc_svc" in kinds:  # the kernel decides where execution continues
            return
        if to != pc + size or goes:
            self.counts["pc_write_retired"] += 1
            self.counts["br_return_retired"] += returns


def compare(program, *argv, more=()):
    have("qemu-arm", CROSS_HF + "gcc")
    trace = Trace()
    its = logged("qemu-arm", trace.read, program, *argv, what="exec,nochain,in_asm", cpu="max",
                 core="armv8", more=more)
    path = os.path.join(WORK, f"oracle32-{os.getpid()}.json")
    out = pmk("stat", "--json-document", "-o", path, "--core", "armv8", "-e",
              ",".join(EVENTS), program, *argv, stdin="")
    equal((out.code, out.out), (its.code, its.out), "the program itself")
    with open(path) as f:
        c = counts(json.load(f))
    os.unlink(path)
    equal(c, {e: trace.counts[e] for e in EVENTS}, program)
    return c


def own(name, *flags):
    return build("oracle32-" + name, SOURCES[name], *flags, prefix=CROSS_HF)


FLAGS = ["-O2 -mthumb", "-O2 -marm -march=armv8-a -mfpu=crypto-neon-fp-armv8", "-O1 -marm",
         "-O3 -mthumb -mcpu=cortex-a15 -mfpu=neon-vfpv4"]


@pytest.mark.parametrize("flags", size(FLAGS[:1], FLAGS))
def test_programs(flags):
    for name in SOURCES:
        if name != "odd":  # a signal changes the next address; see below
            assert compare(own(name, "-static", *flags.split()))["inst_retired"] > 4000


def test_with_shared_libraries():
    compare(own("sort", "-O2"), more=("-L", ROOT_HF))


# ---- only the number of instructions -------------------------------------------------------------


def executed(program, *argv, more=(), cpu="max"):
    """Returns the number of instructions that the tests' plugin counted, and the program's
    output."""
    out = os.path.join(WORK, f"executed-{os.getpid()}")
    its = alone(emulator_in_path("qemu-arm"),
                ["-plugin", f"{plugin()},out={out},half={1 << 32:#x}"], cpu, more, program, argv)
    n, above = map(int, read(out).split())
    os.unlink(out)
    assert not above
    return n, its


def compare_executed(program, *argv, more=(), options=(), env=()):
    have("qemu-arm")
    want, its = executed(program, *argv,
                         more=(*more, *(w for v in env for w in ("-E", v))))
    path = os.path.join(WORK, f"executed-{os.getpid()}.json")
    for events in ("inst_retired", "inst_retired,cpu_cycles,mem_access"):
        out = pmk("stat", "--json-document", "-o", path, "--core", "armv8", "-e", events,
                  *options, *(w for v in env for w in ("--env", v)), "--", program, *argv, stdin="")
        with open(path) as f:
            c = counts(json.load(f))
        equal((out.code, out.out), (its.code, its.out), f"{program} itself")
        equal(c["inst_retired"], want, f"{program} {events}")
    os.unlink(path)
    return want


def test_signals():
    compare_executed(own("odd", "-static", "-O2"))
    compare_executed(own("odd", "-static", "-O2", "-marm"))


# ---- Debian's programs ---------------------------------------------------------------------------

ARCH = "armhf"
LIBC = ["libc6"]
DEBIAN = {
    # name: packages, program, arguments, environment. Shells work with the number of their process,
    # which differs in each run.
    "busybox": (["busybox-static"], "bin/busybox", ["sha256sum", "{root}/bin/busybox"], []),
    "bash": (["bash", "libtinfo6", *LIBC], "bin/bash",
             ["--norc", "-c", "for ((i = 0; i < 60; i++)); do s+=$i,; a[i]=${s:i:3}; done; "
              "[[ $s =~ 3,(.*),5 ]] && echo ${#s} ${a[7]}"], []),
    "sqlite3": (["sqlite3", "libsqlite3-0", "libreadline8", "libtinfo6", "zlib1g", *LIBC],
                "usr/bin/sqlite3",
                [":memory:", "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL); "
                 "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 300) "
                 "INSERT INTO t SELECT x, printf('%d-%x', x * 7919 % 911, x), x / 7.0 FROM n; "
                 "SELECT count(*), max(b), sum(c) FROM t GROUP BY a % 7;"], []),
    "openssl": (["openssl", "libssl3", *LIBC], "usr/bin/openssl",
                ["dgst", "-sha512", "-r", "/usr/bin/openssl"], []),
    "openssl-aes": (["openssl", "libssl3", *LIBC], "usr/bin/openssl",
                    ["enc", "-aes-128-ctr", "-K", "00" * 16, "-iv", "00" * 16, "-a", "-in",
                     "/usr/share/doc/openssl/copyright"], []),
    "python3": (["python3.11-minimal", "libpython3.11-minimal", "libexpat1", "libgcc-s1",
                 "zlib1g", *LIBC], "usr/bin/python3.11",
                ["-S", "-c", "d = {str(i): i * i / 7 for i in range(500)}; "
                 "print(sum(sorted(d.values())), max(d), 3 ** 500 % 1000007)"],
                ["PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1"]),
}


def tree(packages):
    """Returns a folder with the files of packages, which serves as the sysroot of programs. Its
    /lib is a link to /usr/lib, as on a machine. With a separate /lib, the loader would check with
    statx() whether /lib exists after it misses a library there. QEMU answers statx() from the host
    and not from the sysroot, so the loader would never search /lib again."""
    def make(path):
        os.makedirs(os.path.join(path, "usr", "lib"))
        os.symlink("usr/lib", os.path.join(path, "lib"))
        for package in packages:
            with tempfile.TemporaryDirectory() as place:
                files = unpack(ARCH, package, place)
                for part in os.listdir(files):
                    shutil.copytree(os.path.join(files, part),
                                    os.path.join(path, "usr/lib" if part == "lib" else part),
                                    symlinks=True, dirs_exist_ok=True)

    name = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    return kept(f"{release()}-{ARCH}-merged-{name}", make)


# Small runs test only sqlite3.
@pytest.mark.parametrize("name", size(["sqlite3"], list(DEBIAN)))
def test_debians_programs(name):
    packages, program, arguments, env = DEBIAN[name]
    try:
        root = tree(packages)
    except Unavailable as why:
        skip(f"{name} for {ARCH} cannot be fetched: {why}")
    arguments = [a.replace("{root}", root) for a in arguments]
    plain = run("qemu-arm", "-L", root, *(w for v in env for w in ("-E", v)),
                os.path.join(root, program), *arguments)
    if plain.code:
        skip(f"{name} for {ARCH} ends with {plain.code} in QEMU alone: {plain.err.strip()[:200]}")
    n = compare_executed(os.path.join(root, program), *arguments, more=("-L", root),
                         options=("--sysroot", root), env=env)
    assert n > 500000, n


# ---- ARMv6T2 -------------------------------------------------------------------------------------

# This is Thumb-2 code as compilers make it: TBB and TBH, bit fields, CBZ, IT, MOVW, LDRD.
THUMB2 = """
#include <stdio.h>
#include <stdlib.h>
struct fields { unsigned a : 5, b : 9, c : 18; };
static int numbers[600];
#ifdef __thumb__
int choose(int x);
__asm__(".syntax unified; .thumb; .thumb_func; choose: push {r4-r8, lr}; and r0, r0, #3;"
    "tbb [pc, r0]; 1: .byte (2f-1b)/2, (3f-1b)/2, (4f-1b)/2, (2f-1b)/2;"
    "2: adds r0, #5; cbz r0, 5f; cbnz r0, 5f; 3: ubfx r1, r0, #0, #1; bfi r0, r1, #4, #3;"
    "cmp r0, #9; ite gt; movgt r0, #1; addle r0, r0, #2; movw r2, #1234; b.w 5f;"
    "4: ldrd r2, r3, [sp]; strd r2, r3, [sp]; tst r0, #2; itt ne; ldrne.w r4, [sp, #4];"
    "popne {r4-r8, pc}; 5: pop.w {r4-r8, pc}");
#else
__attribute__((noinline)) static int choose(int x) { return x * 7; }
#endif
__attribute__((noinline)) static unsigned fill(struct fields *f, unsigned v)
{
    f->a = v;
    f->b = v >> 3;
    f->c ^= v * 3;
    return f->b + f->c;
}
__attribute__((noinline)) static int sign(int a, int b) { return a > b ? 1 : a < b ? -1 : 0; }
static int order(const void *a, const void *b) { return sign(*(const int *)a, *(const int *)b); }
int main(void)
{
    unsigned seed = 12345, sum = 0;
    struct fields f = { 0 };
    unsigned long long wide = 0;
    double d = 1;
    for (int i = 0; i < 600; i++)
        numbers[i] = (int)((seed = seed * 1103515245 + 12345) >> 8) - (1 << 23);
    qsort(numbers, 600, sizeof(int), order);
    for (int i = 0; i < 600; i++) {
        int n = numbers[i];
        sum += choose(n & 7) + fill(&f, n);
        sum ^= __builtin_bswap32(n) + __builtin_clz(n | 1);
        wide += (unsigned long long)sum * n;
        d += n < 0 ? n * .5 : 3;
    }
    printf("%u %llu %f\\n", sum, wide, d);
    return 0;
}
"""


@pytest.mark.parametrize("flags", size(["-O2 -mthumb"],
                                       ["-O2 -mthumb", "-Os -mthumb", "-O3 -mthumb", "-O2 -marm"]))
def test_arm1156(flags):
    """A program for the ARM1156 has the right counts. QEMU has no ARM1156, so a Cortex-A8 executes
    the program, here and for pmk."""
    have("qemu-arm", CROSS + "gcc")
    program = build("oracle32-thumb2", THUMB2, "-static", "-march=armv6t2", *flags.split())
    text = run(CROSS + "objdump", "-d", "--no-show-raw-insn", program).out
    if "-mthumb" in flags:
        for name in ("tbb", "cbz", "cbnz", "ite", "itt", "movw", "ubfx", "bfi", "ldrd"):
            assert f"\t{name}\t" in text or f"\t{name}." in text, f"no {name}"
    trace = Trace()
    its = logged("qemu-arm", trace.read, program, what="exec,nochain,in_asm", cpu="cortex-a8",
                 core="arm1156")
    path = os.path.join(WORK, f"oracle1156-{os.getpid()}.json")
    out = pmk("stat", "--json-document", "-o", path, "--core", "arm1156", "-e",
              "instr_exec,sw_pc_change,cpu_cycles", program, stdin="")
    equal((out.code, out.out), (its.code, its.out), "the program itself")
    with open(path) as f:
        c = counts(json.load(f))
    os.unlink(path)
    equal((c["instr_exec"], c["sw_pc_change"]),
          (trace.counts["inst_retired"], trace.counts["pc_write_retired"]), flags)
    assert c["cpu_cycles"] > c["instr_exec"] / 2, c


# ---- cores ---------------------------------------------------------------------------------------


@cases("core, instructions, more", [
    ("cortex-a7", "inst_retired", "bus_access"), ("cortex-a15", "inst_retired", "bus_access"),
    ("cortex-a8", "inst_retired", "axi_read"), ("cortex-a9", "ins_rename", "data_evict")])
def test_cores_of_armv7(core, instructions, more):
    """Without --core, pmk counts a program that the compiler makes by default as on a Cortex-A7. On
    each core, the number of instructions equals that of the tests' plugin."""
    have("qemu-arm", CROSS_HF + "gcc")
    program = own("sort", "-static", "-O2")
    want, _ = executed(program, cpu=core)
    for events in (instructions, f"{instructions},l1d_cache,br_mis_pred,cpu_cycles,{more}"):
        doc = stat("-e", events, *(() if core == "cortex-a7" else ("--core", core)), program)
        equal((doc["core"], doc["pmu"], counts(doc)[instructions]), (core, core, want))
