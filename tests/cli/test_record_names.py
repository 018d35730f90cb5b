# SPDX-License-Identifier: MIT
"""Names of code that a program generates, from the map that it writes for perf. Each piece of code
executes a known number of instructions."""
import glob

from harness import *
from programs import build

# Writes code to three places, calls it, and writes argv[2] as its map, whose path is argv[1] with
# the number of the process; "pipe" makes a pipe instead. 20 instructions are executed at 0x60000000,
# 36 at 0x60000100 and 8 at 0x60000200; with a third argument, 12 more in other code at 0x60000000.
GENERATOR = r"""
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned seven[] = { 0xe3a00007, 0xe12fff1e }; /* mov r0, #7; bx lr */
/* mov r1, #5; 1: subs r1, r1, #1; bne 1b; bx lr */
static const unsigned five[] = { 0xe3a01005, 0xe2511001, 0x1afffffd, 0xe12fff1e };

__attribute__((noinline)) static void call(char *at, const void *code, int size, int times)
{
	memcpy(at, code, size);
	__builtin___clear_cache(at, at + size);
	while (times--)
		((void (*)(void))at)();
}

int main(int argc, char **argv)
{
	char *memory = mmap((void *)0x60000000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), path[200];
	FILE *map;

	snprintf(path, sizeof(path), argv[1], (int)getpid());
	puts(path);
	call(memory, seven, sizeof(seven), 10);
	call(memory + 0x100, five, sizeof(five), 3);
	call(memory + 0x200, seven, sizeof(seven), 4);
	if (argc > 3)
		call(memory, five, sizeof(five), 1);
	if (!strcmp(argv[2], "pipe"))
		return mkfifo(path, 0600);
	map = fopen(path, "w");
	fputs(argv[2], map);
	return fclose(map);
}
"""
BOTH = "60000000 8 seven\n60000100 10 five times\n"


def recorded(tmp_path, text, *more, options=(), flags=("-static",), path="/tmp/perf-%d.map"):
    """{name: instructions} of the generated code, the recording, and what pmk said."""
    data = tmp_path / "pmk.data"
    program = build("generator", GENERATOR, "-O1", "-march=armv6k", "-marm", *flags)
    out = pmk("record", *options, "-e", "instr_exec", "-o", data, program, path, text, *more,
              cwd=tmp_path)
    equal(out.code, 0, str(out))
    made = os.path.join(tmp_path, out.out.strip())
    os.unlink(made)
    said = "".join(line.replace(made, "MAP") + "\n" for line in out.err.splitlines()
                   if not line.startswith("[ pmk record"))
    rows = json.loads(pmk("report", "-j", data).out)["rows"]
    return {r["name"]: r["executions"] for r in rows if r["object"] == "[anon]"}, data, said


def test_functions_have_their_names(tmp_path):
    names, data, said = recorded(tmp_path, BOTH)
    equal((names["seven"], names["five times"], said), (20, 36, ""))
    names, data, said = recorded(tmp_path, BOTH, options=("-g",))
    equal((names["seven"], names["five times"], said), (20, 36, ""))
    assert names["[anon+0x60000200]"] >= 8  # with the code that QEMU has at the end of the memory
    folded = pmk("export", "--format", "folded", "-e", "instr_exec", "-i", data).out
    assert re.search(r"main;call;five times 36$", folded, re.M), folded
    contains(pmk("annotate", "-i", data, "five times").out, "subs")


@cases("text,want", [
    # The last line counts, also for code that was there before.
    ("60000000 8 first\n60000000 10 second\n", {"second": 32}),
    ("0x60000000 0x300 old\n60000100 10 new\n", {"old": 32 + 8, "new": 36}),
    ("60000100 10 new\n60000000 300 all\n", {"all": 32 + 36 + 8}),
    ("60000000 104 low\n60000102 200 high\n", {"low": 32 + 3, "high": 33 + 8}),
    ("60000102 200 high\n60000000 104 low\n", {"low": 32 + 3, "high": 33 + 8}),
    ("60000000 ffffffffffffffff old\n60000100 10 new\n70000000 ffffffffffffffff [anon]\n",
     {"old": 32 + 8, "new": 36}),
    ("60000000 0 nothing\n50000000 10 elsewhere\nffffffffffffffff 9 end\n", {}),
])
def test_names_that_overlap(tmp_path, text, want):
    names, _, said = recorded(tmp_path, text, "again")
    names.pop("[anon]")
    equal((names, said), (want, ""))


def test_a_damaged_map(tmp_path):
    text = "x\n60000000 8 seven\n60000100\n60000100 10 \n60000100 zz name\n-1 1 x\n60000100 10 five"
    names, data, said = recorded(tmp_path, text)
    equal((names["seven"], names["five"]), (20, 36))
    line = "MAP:1: not an address, a size and a name of generated code; 5 such lines are ignored\n"
    equal(said, f"pmk: {line}")
    contains(pmk("report", data).err + pmk("report", data).out, "5 such lines are ignored")


def test_a_map_that_cannot_be_read(tmp_path):
    names, _, said = recorded(tmp_path, "pipe")
    equal(said, "pmk: MAP: cannot be read: not a regular file; generated code has no names\n")
    equal(sum(names.values()), names["[anon]"])


def test_a_map_below_the_sysroot(tmp_path):
    os.makedirs(tmp_path / "root/tmp")
    for folder in glob.glob(f"/usr/{CROSS[:-1]}/lib*"):
        os.symlink(folder, tmp_path / "root" / os.path.basename(folder))
    names, _, said = recorded(tmp_path, BOTH, options=("--sysroot", tmp_path / "root"), flags=(),
                              path="root/tmp/perf-%d.map")
    equal((names["seven"], names["five times"], said), (20, 36, ""))
