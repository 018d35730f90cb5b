# SPDX-License-Identifier: MIT
"""The exact events of ARM programs equal an independent count of another run. A QEMU without our
plugin executes one instruction per block and logs each. For programs in ARM state, the tests also
compare changes of the PC, which are gaps in this log, and branches, which objdump identifies."""
import os

from harness import *
from fetch_debian import Unavailable, fetch
from programs import build, loop
from qemulog import logged

CROSS_ROOT = "/usr/arm-linux-gnueabi"

# Mnemonics of ARM branches, without conditions.
BRANCHES = {"b", "bl", "bx", "blx"}
WRITES_PC = {"mov", "add", "sub", "ldr"}  # if their first operand is the PC
ACCESSES = {"ldr", "str", "ldm", "stm", "swp", "pus", "pop"}
CONDITIONS = "eq ne cs cc mi pl vs vc hi ls ge lt gt le hs lo".split()


def branches_of(path):
    """Returns addresses from objdump: those of branch instructions, of unconditional writes to the
    PC, of system calls, and of accesses to memory that do not write the PC."""
    found, always, calls, accesses = set(), set(), set(), set()
    for line in run(CROSS + "objdump", "-d", "--no-show-raw-insn", path).out.splitlines():
        m = re.match(r" *([0-9a-f]+):\t(\w+)(\tpc,)?", line)
        if not m:
            continue
        name = m.group(2)
        if name in BRANCHES or (m.group(3) and name in WRITES_PC):
            always.add(int(m.group(1), 16))
        if name in BRANCHES or (name[-2:] in CONDITIONS and name[:-2] in BRANCHES):
            found.add(int(m.group(1), 16))
        elif name == "svc":
            calls.add(int(m.group(1), 16))
        elif name[:3] in ACCESSES and not re.search(r"\tpc,|\bpc[,}]?.*}", line):
            accesses.add(int(m.group(1), 16))
    assert found and calls and accesses, f"objdump shows no branches in {path}"
    return found, always, calls, accesses


def read_trace(fifo, known, result):
    insns = changes = executed = 0
    branches, always, calls, accesses = known or (None, None, None, None)
    expected = last = None
    with open(fifo, "rb") as f:
        for line in f:
            if line.startswith(b"Trace"):
                insns += 1
                if branches is None:
                    continue
                pc = int(line.split(b"/", 2)[1], 16)
                # A change of the PC to the next instruction leaves no gap in the log.
                gap = pc != expected and last not in accesses  # after an access: a fault
                changes += expected is not None and (gap or last in always)
                last = pc
                executed += pc in branches
                # After a system call, the kernel decides where the program continues, possibly in a
                # signal handler.
                expected = None if pc in calls else pc + 4
            elif line.startswith(b"Stopped"):
                insns -= 1  # the instruction logged before was not executed
    result.update(insns=insns, changes=changes, branches=executed)


def oracle(program, *argv, more=(), known=None):
    """Runs the program in QEMU without pmk. Returns the counts {insns, changes, branches}, which
    come from QEMU's log, and the output of the program."""
    result = {}
    out = logged("qemu-arm", lambda fifo: read_trace(fifo, known, result), program, *argv,
                 cpu="arm1176", core="arm1176", more=more)
    assert result, f"QEMU wrote no trace: {out}"
    return result, out


def compare(program, *argv, arm_state=False, more=(), most=3000000):
    have("qemu-arm")
    known = branches_of(program) if arm_state else None
    want, its = oracle(program, *argv, more=more, known=known)
    path = os.path.join(WORK, f"oracle-{os.getpid()}.json")
    out = pmk("stat", "--json-document", "-o", path, "-e", "instr_exec,br_exec,sw_pc_change",
              program, *argv,
              stdin="")
    what = " ".join([os.path.basename(program), *argv])
    equal((out.code, out.out), (its.code, its.out), f"{what} itself")
    with open(path) as f:
        c = counts(json.load(f))
    assert 0 < want["insns"] < most, f"{what}: {want}"
    equal(c["instr_exec"], want["insns"], f"{what}: instr_exec")
    if arm_state:
        equal(c["br_exec"], want["branches"], f"{what}: br_exec")
        equal(c["sw_pc_change"], want["changes"], f"{what}: sw_pc_change")
    return c


# ---- own programs --------------------------------------------------------------------------------

SORT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	static int v[300];
	unsigned x = 1;
	double s = 0;
	char text[64];

	for (int i = 0; i < 300; i++)
		v[i] = (int)(x = x * 1103515245u + 12345u);
	qsort(v, 300, sizeof(*v), compare);
	for (int i = 0; i < 300; i++)
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
	for (int i = 0; i < 10; i++) {
		char *p = mmap(NULL, 70000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memset(p, i, 70000);
		sink += p[i] + close(1000) + errno;
		munmap(p, 70000);
	}
	printf("%d\n", sink);
	return 0;
}
"""

# This program makes copies with every alignment, and uses strings, 64-bit arithmetic and recursion.
MIX = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void)
{
	static char a[600], b[600];
	uint64_t h = 14695981039346656037ull;

	for (int from = 0; from < 8; from++)
		for (int to = 0; to < 8; to++) {
			for (int i = 0; i < 500; i += 37)
				a[i] = (char)(i + from);
			memcpy(b + to, a + from, 99 + 7 * from);
			memmove(b + to + 3, b + to, 60);
			h = (h ^ (uint64_t)memcmp(a, b, 100)) * 1099511628211ull + strlen(strcpy(b, "hello, world"));
		}
	printf("%llu %u\n", (unsigned long long)(h / 1000003), fib(15));
	return 0;
}
"""

ATOMIC = r"""
#include <stdio.h>
static int n;
static __thread int mine;
int main(void)
{
	for (int i = 0; i < 200; i++) {
		__sync_fetch_and_add(&n, i);
		__sync_bool_compare_and_swap(&n, i, 0);
		mine += n;
	}
	printf("%d %d\n", n, mine);
	return 0;
}
"""

SOURCES = {"sort": SORT, "odd": ODD, "mix": MIX, "atomic": ATOMIC}


def test_a_known_loop():
    for n in (1, 1000, 65535):
        equal(compare(loop(n), arm_state=True)["instr_exec"], 8 * n + 5)


def own(name, *flags):
    return build("oracle-" + name, SOURCES[name], "-static", *flags)


def some(name, levels):
    """Returns all levels of optimisation in large runs. In small runs it returns one level, which
    differs from program to program."""
    return size([levels[list(SOURCES).index(name) % len(levels)]], levels)


def test_programs_in_arm_state():
    for name in SOURCES:
        for flags in some(name, (("-O0",), ("-O2",), ("-Os",))):
            compare(own(name, *flags, "-march=armv6k", "-marm"), arm_state=True)


def test_programs_in_thumb_state():
    for name in SOURCES:
        for flags in some(name, (("-O2",), ("-Os", "-mthumb-interwork"), ("-O0",))):
            compare(own(name, *flags, "-march=armv5te", "-mthumb"))


def test_programs_that_use_the_kernels_helpers():
    """ARMv5 has no exclusive accesses, so its code calls the kernel's helpers in the page at
    0xffff0000."""
    compare(own("atomic", "-O2", "-march=armv5te", "-marm"))
    compare(own("atomic", "-O1", "-march=armv4t", "-marm"))


def test_dynamic_programs():
    if not os.path.exists(CROSS_ROOT + "/lib/ld-linux.so.3"):
        skip("no ARM C library in " + CROSS_ROOT)
    for name in ("sort", "odd"):
        compare(build("oracle-dynamic-" + name, SOURCES[name], "-O1"), more=("-L", CROSS_ROOT))


def test_programs_that_end_by_a_signal():
    dies = build("oracle-dies", "#include <stdlib.h>\nint main(void) { abort(); }\n", "-static",
                 "-march=armv6k", "-marm")
    compare(dies, arm_state=True)


# ---- programs of Debian --------------------------------------------------------------------------


def debian(name):
    try:
        return fetch(name)
    except Unavailable as why:
        skip(f"{name} cannot be fetched: {why}")


def text_file():
    path = os.path.join(WORK, "oracle.txt")
    with open(path, "w") as f:
        f.writelines(f"line {i} {i * 7919 % 1000:03} of a file\n" for i in range(60))
    return path


def test_debian_busybox():
    busybox, file = debian("busybox"), text_file()
    commands = (["true"], ["false"], ["echo", "hi", "there"], ["md5sum", file], ["sha1sum", file],
                ["cat", file], ["wc", file], ["sort", "-k3", file], ["grep", "-c", "9 of", file],
                ["sed", "-n", "s/line/LINE/p", file], ["od", "-x", file], ["gzip", "-c", file],
                ["cut", "-d", " ", "-f2", file], ["expr", "6", "*", "7"],
                ["printf", "%5d|%-5s|%x\\n", "42", "a", "255"], ["base64", file], ["tr", "a", "b"],
                ["awk", "{ s += $3 } END { print s }", file],
                ["awk",
                 'BEGIN { for (i = 0; i < 50; i++) s = s sprintf("%d,", i * i); print s }'])
    for argv in size(commands[1::3], commands):
        # BusyBox's shell is not one of these commands; see test_debian_bash.
        compare(busybox, *argv)


def test_debian_bash():
    bash = debian("bash")
    scripts = ("for ((i = 0; i < 30; i++)); do s+=$i,; done; echo ${#s} ${s//1/x}",
               '[[ abc123 =~ ^[a-z]+([0-9]+)$ ]] && echo ${BASH_REMATCH[1]}; printf "%05d\\n" 17',
               "a=(3 1 2); a+=(9); echo ${a[@]} ${!a[@]}; declare -A m=([k]=v); echo ${m[k]}",
               "echo hi")
    for script in size(scripts[:1], scripts):
        # A shell converts its parent's process number to digits. The time for this depends on the
        # number of bits of the process number, which rarely differs in two consecutive runs.
        for attempt in range(3):
            try:
                compare(bash, "--norc", "-c", script)
                break
            except AssertionError:
                if attempt == 2:
                    raise


def test_debian_sash():
    sash = debian("sash")
    for script in ("-echo hi", "-printenv", "-sum " + text_file(), "-grep 9 " + text_file()):
        compare(sash, "-c", script)
