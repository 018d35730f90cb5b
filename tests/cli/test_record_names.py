# SPDX-License-Identifier: MIT
"""A program that generates code writes a map or a dump for perf, and pmk takes the names of the
code from it. Each piece of code executes a known number of instructions."""
import glob
import struct

from harness import *
from programs import build

# Arguments: PATH MAP [MORE]. Writes code to three places, calls it, and then writes the text MAP to
# PATH, in which %d stands for the number of the process. If MAP is "pipe", PATH becomes a pipe. If
# PATH contains ".dump", the file is mapped before the code runs, and MAP is hexadecimal. 20
# instructions are executed at 0x60000000, 36 at 0x60000100 and 8 at 0x60000200; with MORE, 12 more
# in other code at 0x60000000.
GENERATOR = r"""
#include <fcntl.h>
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
	int byte;

	snprintf(path, sizeof(path), argv[1], (int)getpid());
	puts(path);
	if (strstr(path, ".dump"))
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
		     open(path, O_RDWR | O_CREAT, 0600), 0);
	call(memory, seven, sizeof(seven), 10);
	call(memory + 0x100, five, sizeof(five), 3);
	call(memory + 0x200, seven, sizeof(seven), 4);
	if (argc > 3)
		call(memory, five, sizeof(five), 1);
	if (!strcmp(argv[2], "pipe"))
		return mkfifo(path, 0600);
	map = fopen(path, "w");
	for (char *text = argv[2]; *text; text += strstr(path, ".dump") ? 2 : 1)
		if (strstr(path, ".dump") && sscanf(text, "%2x", &byte) == 1)
			fputc(byte, map);
		else
			fputc(*text, map);
	return fclose(map);
}
"""
BOTH = "60000000 8 seven\n60000100 10 five times\n"


def recorded(tmp_path, text, *more, options=(), flags=("-static",), path="/tmp/perf-%d.map"):
    """Returns {name: instructions} of the generated code, the recording, and pmk's messages."""
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
    assert names["[anon+0x60000200]"] >= 8  # includes QEMU's code at the end of memory
    folded = pmk("export", "--format", "folded", "-e", "instr_exec", "-i", data).out
    assert re.search(r"main;call;five times 36$", folded, re.M), folded
    contains(pmk("annotate", "-i", data, "five times").out, "subs")


@cases("text,want", [
    # The last line for an address counts, also for code that ran before the line was written.
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


def header(order="<"):
    return struct.pack(order + "IIIIIIQQ", 0x4a695444, 1, 40, 40, 0, 1, 0, 0)


def dumped(kind, body, order="<"):
    return struct.pack(order + "IIQ", kind, 16 + len(body), 0) + body


def load(index, start, size, name, order="<"):
    body = struct.pack(order + "IIQQQQ", 1, 1, start, start, size, index)
    return dumped(0, body + name.encode() + b"\0" + bytes(size), order)


def move(index, start, to, size):
    return dumped(1, struct.pack("<IIQQQQQ", 1, 1, to, start, to, size, index))


def recorded_dump(tmp_path, data, *more):
    names, _, said = recorded(tmp_path, data.hex(), *more, path="jit-%d.dump")
    names.pop("[anon]")
    return names, said


def test_functions_have_the_names_of_a_dump(tmp_path):
    seven, five = load(1, 0x60000000, 8, "seven"), load(2, 0x60000100, 16, "five")
    end = dumped(3, b"")
    equal(recorded_dump(tmp_path, header() + seven + five + end), ({"seven": 20, "five": 36}, ""))
    moved = load(9, 0x50000000, 8, "moved") + move(9, 0x50000000, 0x60000200, 8)
    equal(recorded_dump(tmp_path, header() + seven + dumped(2, bytes(100)) + moved),
          ({"seven": 20, "moved": 8}, ""))
    again = load(3, 0x60000000, 16, "again")
    equal(recorded_dump(tmp_path, header() + seven + again, "again"), ({"again": 32}, ""))
    other = header(">") + load(1, 0x60000000, 8, "seven", ">")
    equal(recorded_dump(tmp_path, other), ({"seven": 20}, ""))


def test_damaged_dumps(tmp_path):
    seven, five = load(1, 0x60000000, 8, "seven"), load(2, 0x60000100, 16, "five")
    nameless = bytearray(load(2, 0x60000100, 0, "five"))
    nameless[-1] = 1
    for data, at, names in (
            (b"JiTD", 0, {}),
            (b"?" + header()[1:] + seven, 0, {}),
            (header() + seven[:-1], 40, {}),
            (header() + seven + five[:15], 40 + len(seven), {"seven": 20}),
            (header() + seven + five[:-1], 40 + len(seven), {"seven": 20}),
            (header() + seven + bytes(nameless), 40 + len(seven), {"seven": 20}),
            (header() + seven + move(5, 0, 0x60000100, 16), 40 + len(seven), {"seven": 20}),
            (header() + seven + struct.pack("<IIQ", 0, 8, 0), 40 + len(seven), {"seven": 20})):
        equal(recorded_dump(tmp_path, data),
              (names, f"pmk: MAP: damaged or cut off at byte {at}; the names of generated code "
                      "after it are missing\n"))
    equal(recorded_dump(tmp_path, b""),
          ({}, "pmk: MAP: cannot be read: it is empty; generated code has no names\n"))
