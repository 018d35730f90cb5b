# SPDX-License-Identifier: MIT
"""The exact events of A64 programs equal an independent count of another run. A QEMU without our
plugin executes one instruction per block. It logs the word of each instruction when it translates
it, and the address when it runs it. objdump identifies the instruction of each word."""
import collections
import os
import struct

from harness import *
from fetch_debian import Unavailable, fetch
from programs import build
from qemulog import logged

CROSS64 = "aarch64-linux-gnu-"
CROSS_ROOT = "/usr/aarch64-linux-gnu"

EVENTS = """inst_retired ld_retired st_retired br_retired br_immed_retired br_return_retired
    br_indirect_spec pc_write_retired exc_taken exc_svc dp_spec ldrex_spec strex_spec rc_ld_spec
    rc_st_spec isb_spec dsb_spec dmb_spec""".split()


# ---- what objdump says of an instruction ---------------------------------------------------------

FP_REGISTER = re.compile(r"\b[vbhsdq]\d+\b|\.\d*[bhsdq]\b")
CONDITIONAL = re.compile(r"b\.(?!al$|nv$)|cbn?z$|tbn?z$")
INDIRECT = {"br", "blr", "ret"}
SYSTEM = re.compile(
    r"(nop|hint|yield|wfe|wfi|sevl?|svc|brk|udf|hlt|mrs|msr|sysl?|dc|ic|at|tlbi|isb|dsb|dmb|"
                    r"clrex|bti|chkfeat|paciasp|autiasp|xpaclri|pac\w+|aut\w+|prfu?m|\.inst)$")
EXCLUSIVE = re.compile(r"(ld|st)(ax|lx|x)[rp][bh]?$")
ORDERED = re.compile(r"(ldax?[rp][bh]?|stlx?[rp][bh]?)$")


def kinds_of(name, operands):
    """Returns the events that an instruction with this text raises whenever it is executed."""
    kinds = {"inst_retired"}
    immediate = name in ("b", "bl") or name.startswith("b.") or name in ("cbz", "cbnz", "tbz",
                                                                         "tbnz")
    if immediate or name in INDIRECT:
        kinds |= {"br_retired", "br_immed_retired" if immediate else "br_indirect_spec"}
        if name == "ret":
            kinds.add("br_return_retired")
    elif name.startswith("ld"):
        kinds.add("ld_retired")
        if EXCLUSIVE.match(name):
            kinds.add("ldrex_spec")
        if ORDERED.match(name):
            kinds.add("rc_ld_spec")
    elif name.startswith("st"):
        kinds.add("st_retired")
        if EXCLUSIVE.match(name):
            kinds.add("strex_spec")
        if ORDERED.match(name):
            kinds.add("rc_st_spec")
    elif name == "svc":
        kinds |= {"exc_taken", "exc_svc"}
    elif name in ("isb", "dsb", "dmb"):
        kinds.add(name + "_spec")
    elif not SYSTEM.match(name) and not FP_REGISTER.search(operands):
        kinds.add("dp_spec")
    return kinds


class Instruction:
    def __init__(self, name, operands, at):
        self.kinds = kinds_of(name, operands)
        self.branch = "br_retired" in self.kinds
        self.conditional = bool(CONDITIONAL.match(name))
        if self.conditional:  # the distance of the branch
            self.offset = int(operands.split(", ")[-1], 16) - at


def disassemble(words):
    """Returns {word: Instruction}. The address of the n-th word is 4 n."""
    path = os.path.join(WORK, f"words-{os.getpid()}")
    words = sorted(words)
    with open(path, "wb") as f:
        f.write(b"".join(struct.pack("<I", w) for w in words))
    out = run(CROSS64 + "objdump", "-D", "-b", "binary", "-m", "aarch64", "-z", path).out
    os.unlink(path)
    found = {}
    for line in out.splitlines():
        m = re.match(r" *([0-9a-f]+):\t([0-9a-f]{8}) ?\t(\S+)\s*(.*)", line)
        if not m:
            continue
        at, word, operands = int(m.group(1), 16), int(m.group(2), 16), m.group(4)
        assert words[at // 4] == word
        found[word] = Instruction(m.group(3), operands.split("//")[0].strip(), at)
    assert len(found) == len(words), "objdump does not know some words"
    return found


# ---- the independent count -----------------------------------------------------------------------


def always_goes(word):
    """Returns true for B, BL, BR, BLR and RET, which change the PC even if they go to the next
    instruction."""
    return word & 0x7c000000 == 0x14000000 or word & 0xfe000000 == 0xd6000000


class Trace:
    """Reads the log: how often each word was executed at each address, and its successor if it is
    not the next word."""

    def __init__(self):
        self.word = {}  # {address: the word that is there now}
        self.runs = collections.Counter()  # of (address, word)
        self.jumps = collections.Counter()  # of ((address, word), address)

    def read(self, fifo):
        last = None
        listed = re.compile(rb"0x([0-9a-f]+):  ([0-9a-f]{8}) ")
        word, runs, jumps = self.word, self.runs, self.jumps
        with open(fifo, "rb") as f:
            for line in f:
                if line.startswith(b"Trace"):
                    pc = int(line.split(b"/", 2)[1], 16)
                    if last is not None:
                        runs[last] += 1
                        if pc != last[0] + 4 or always_goes(last[1]):
                            jumps[last, pc] += 1
                    last = pc, word[pc]
                elif line.startswith(b"Stopped"):
                    last = None  # the previous block was not executed
                elif line.startswith(b"0x"):
                    m = listed.match(line)
                    if m:
                        word[int(m.group(1), 16)] = int(m.group(2), 16)
        if last is not None:
            runs[last] += 1

    def counts(self):
        known = disassemble({w for _, w in self.runs})
        c = collections.Counter()
        for (_, w), n in self.runs.items():
            for kind in known[w].kinds:
                c[kind] += n
        for ((at, w), to), n in self.jumps.items():
            i = known[w]
            if not i.branch and "exc_svc" not in i.kinds:
                # The instruction faulted, so its execution had no effect.
                for kind in i.kinds - {"inst_retired"}:
                    c[kind] -= n
            # If a conditional branch has a successor that is not its target, it was not taken, or a
            # signal came before.
            if i.branch and not (i.conditional and to != (at + i.offset) & (1 << 64) - 1):
                c["pc_write_retired"] += n
        return {e: c[e] for e in EVENTS}


def oracle(program, *argv, more=()):
    """Returns {event: count} and the output of one run, computed from QEMU's log without pmk."""
    trace = Trace()
    out = logged("qemu-aarch64", trace.read, program, *argv, what="exec,nochain,in_asm",
                 cpu="cortex-a53", core="armv8", more=more)
    assert trace.runs, f"QEMU wrote no trace: {out}"
    return trace.counts(), out


def compare(program, *argv, more=(), most=1500000):
    have("qemu-aarch64", CROSS64 + "objdump")
    want, its = oracle(program, *argv, more=more)
    path = os.path.join(WORK, f"oracle64-{os.getpid()}.json")
    out = pmk("stat", "--json-document", "-o", path, "--core", "armv8", "-e", ",".join(EVENTS),
              program, *argv,
              stdin="")
    what = " ".join([os.path.basename(program), *argv])
    equal((out.code, out.out), (its.code, its.out), f"{what} itself")
    with open(path) as f:
        c = counts(json.load(f))
    os.unlink(path)
    assert 0 < want["inst_retired"] < most, f"{what}: {want}"
    wrong = [f"{e}: got {c[e]}, QEMU alone {n}" for e, n in want.items() if c[e] != n]
    assert not wrong, f"{what}: " + "; ".join(wrong)
    return c


# ---- own programs --------------------------------------------------------------------------------

SORT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	static int v[150];
	unsigned x = 1;
	double s = 0;
	char text[64];

	for (int i = 0; i < 150; i++)
		v[i] = (int)(x = x * 1103515245u + 12345u);
	qsort(v, 150, sizeof(*v), compare);
	for (int i = 0; i < 150; i++)
		s += v[i] / 7.0;
	snprintf(text, sizeof(text), "%f %d %llu", s, v[3] / (v[5] | 1), 123456789012345ull / (x | 1));
	puts(text);
	return (int)strlen(text) & 1;
}
"""

# This program has signals, jumps out of functions, function pointers, switches, and system calls
# that fail.
ODD = r"""
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static jmp_buf env;
static volatile int sink;
static void handler(int sig) { sink += sig; }
static void leaves(int sig) { sink += sig; longjmp(env, 1); }
static int one(int x) { return x + 1; }
static int two(int x) { return x * 2; }
static int choose(int x)
{
	switch (x % 9) {
	case 0: return 3;
	case 1: return one(x);
	case 2: return two(x) ^ 5;
	case 3: return -x;
	case 4: return x << 3;
	case 5: return abs(x - 5);
	case 6: return x / 3;
	default: return x % 3;
	}
}
int main(void)
{
	int (*table[])(int) = { one, two, choose, abs };

	signal(SIGUSR1, handler);
	signal(SIGUSR2, leaves);
	for (int i = 0; i < 20; i++) {
		raise(SIGUSR1);
		if (!setjmp(env))
			raise(SIGUSR2);
		sink += table[i % 4](i) + choose(i);
	}
	for (int i = 0; i < 5; i++) {
		char *p = mmap(NULL, 20000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memset(p, i, 20000);
		sink += p[i] + close(1000) + errno;
		munmap(p, 20000);
	}
	printf("%d\n", sink);
	return 0;
}
"""

# This program makes copies with every alignment, and uses strings, recursion, vectors, and floating
# point of two widths.
MIX = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef float float4 __attribute__((vector_size(16)));
static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static float dot(const float4 *a, const float4 *b, int n)
{
	float4 s = { 0 };

	for (int i = 0; i < n; i++)
		s += a[i] * b[i];
	return s[0] + s[1] + s[2] + s[3];
}
int main(void)
{
	static char a[600], b[600];
	static float4 u[32], v[32];
	static double m[64];
	uint64_t h = 14695981039346656037ull;
	double sum = 0;

	for (int from = 0; from < 8; from++)
		for (int to = 0; to < 4; to++) {
			for (int i = 0; i < 500; i += 37)
				a[i] = (char)(i + from);
			memcpy(b + to, a + from, 99 + 7 * from);
			memmove(b + to + 3, b + to, 60);
			h = (h ^ (uint64_t)memcmp(a, b, 100)) * 1099511628211ull + strlen(strcpy(b, "hello, world"));
		}
	for (int i = 0; i < 32; i++)
		for (int k = 0; k < 4; k++) {
			u[i][k] = (float)(i * k) * 0.5f;
			v[i][k] = 1.0f / (float)(i + k + 1);
		}
	for (int i = 0; i < 64; i++)
		m[i] = i * 1.5 + (i ? m[i - 1] / 3 : 1);
	for (int i = 63; i > 0; i -= 3)
		sum += m[i] > 2 ? m[i] * m[i / 2] : -m[i];
	printf("%llu %u %d %.3f\n", (unsigned long long)(h / 1000003), fib(13), (int)dot(u, v, 32), sum);
	return 0;
}
"""

# This program uses exclusives, acquire and release through the compiler's atomics, inline and in
# its helpers.
ATOMIC = r"""
#include <stdatomic.h>
#include <stdio.h>
static _Atomic int n;
static _Atomic long wide;
static __thread int mine;
int main(void)
{
	for (int i = 0; i < 100; i++) {
		int was = i;

		atomic_fetch_add(&n, i);
		atomic_compare_exchange_strong(&n, &was, 0);
		atomic_store_explicit(&wide, i, memory_order_release);
		mine += atomic_exchange(&n, i & 3) + (int)atomic_load_explicit(&wide, memory_order_acquire);
		atomic_thread_fence(memory_order_seq_cst);
	}
	printf("%d %d\n", (int)n, mine);
	return 0;
}
"""

SOURCES = {"sort": SORT, "odd": ODD, "mix": MIX, "atomic": ATOMIC}


def own(name, *flags):
    return build("oracle64-" + name, SOURCES[name], "-static", *flags, prefix=CROSS64)


@pytest.mark.parametrize("level", ("-O0", "-O2", "-O3"))
def test_programs(level):
    """Programs have the right counts. Small runs compile each program at one of the optimisation
    levels."""
    names = list(SOURCES)
    for name in size(names[("-O0", "-O2", "-O3").index(level)::3], names):
        compare(own(name, level))


def test_programs_with_other_atomics():
    compare(own("atomic", "-O2", "-mno-outline-atomics"))
    # The program tries atomics of v8.1 at run time. The A53 has none, so the program uses its
    # fallback.
    compare(own("atomic", "-O2", "-moutline-atomics"))


def test_dynamic_programs():
    if not os.path.exists(CROSS_ROOT + "/lib/ld-linux-aarch64.so.1"):
        skip("no AArch64 C library in " + CROSS_ROOT)
    for name in ("sort", "odd"):
        compare(build("oracle64-dynamic-" + name, SOURCES[name], "-O1", prefix=CROSS64),
                more=("-L", CROSS_ROOT))


def test_programs_that_end_by_a_signal():
    compare(build("oracle64-dies", "#include <stdlib.h>\nint main(void) { abort(); }\n", "-static",
                  prefix=CROSS64))


def test_code_that_is_written_while_it_runs():
    """A function that is written, called, and then written again at the same address has the right
    counts."""
    compare(build("oracle64-smc", r"""
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
int main(void)
{
	uint32_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = 0;

	for (uint32_t i = 0; i < 20; i++) {
		uint32_t n = 0;

		for (uint32_t k = 0; k < i % 5; k++)
			code[n++] = 0x11000400;			/* add w0, w0, #1 */
		code[n++] = i & 1 ? 0xf90003e0 : 0xd503201f;	/* str x0, [sp]; nop */
		code[n++] = 0xd65f03c0;				/* ret */
		__builtin___clear_cache((char *)code, (char *)(code + n));
		sum += ((int (*)(int, long, long))code)((int)i, 0, 0);
	}
	printf("%d\n", sum);
	return 0;
}
""", "-static", "-O1", prefix=CROSS64))


# ---- programs of Debian --------------------------------------------------------------------------


def debian(name):
    try:
        return fetch(name, "arm64")
    except Unavailable as why:
        skip(f"{name} cannot be fetched: {why}")


def text_file():
    path = os.path.join(WORK, "oracle64.txt")
    with open(path, "w") as f:
        f.writelines(f"line {i} {i * 7919 % 1000:03} of a file\n" for i in range(30))
    return path


def test_debian_busybox():
    busybox, file = debian("busybox"), text_file()
    commands = (["true"], ["echo", "hi", "there"], ["md5sum", file], ["sha1sum", file],
                ["wc", file],
                ["sort", "-k3", file], ["grep", "-c", "9 of", file],
                ["sed", "-n", "s/line/LINE/p", file], ["gzip", "-c", file],
                ["expr", "6", "*", "7"],
                ["awk", "{ s += $3 } END { print s / 7 }", file])
    for argv in size(commands[::2], commands):
        # BusyBox's shell is not one of these commands; see test_debian_bash.
        compare(busybox, *argv)


def test_debian_bash():
    bash = debian("bash")
    for script in ("for ((i = 0; i < 10; i++)); do s+=$i,; done; echo ${#s} ${s//1/x}",
                   '[[ abc123 =~ ^[a-z]+([0-9]+)$ ]] && echo ${BASH_REMATCH[1]}; printf "%05d\\n" '
                   '17'):
        # A shell converts its parent's process number to digits. The time for this depends on the
        # number, which rarely differs much in two consecutive runs.
        for attempt in range(3):
            try:
                compare(bash, "--norc", "-c", script)
                break
            except AssertionError:
                if attempt == 2:
                    raise


def test_debian_sash():
    sash = debian("sash")
    for script in ("-echo hi", "-sum " + text_file()):
        compare(sash, "-c", script)
