# SPDX-License-Identifier: MIT
"""pmk record counts every event at every instruction. The counts add up exactly to those of pmk
stat. Programs whose every instruction is known show that each count is at the right place."""
import collections
import html
import os
import re
import shutil
import sqlite3
import struct

from harness import *
from programs import LOOP, MIXED, assemble, build, misses
from test_hostile import HOSTILE
from test_stat_microblaze import forks
from test_system import CALLED, CALLS, firmware, machine
import microblaze_tools as mb


def record(*argv, code=0, **kw):
    """Runs pmk record; returns its database, opened."""
    path = os.path.join(WORK, f"record-{os.getpid()}.data")
    out = pmk("record", "-o", path, *argv, **kw)
    equal(out.code, code, out.err)
    contains(out.err, f" to {path}: ")
    db = sqlite3.connect(path)
    os.unlink(path)
    return db


def totals(db):
    """Returns {event: (total of the run, sum over all instructions)}."""
    return {name: (total, booked) for name, total, booked in db.execute(
        "SELECT name, total, coalesce(sum(value), 0) FROM event LEFT JOIN count "
        "ON event.id = count.event GROUP BY event.id")}


def adds_up(db, document=None):
    """Checks that the counts of all instructions add up to the totals of pmk stat in the same run.
    With `document`, also checks that they are the totals of that document."""
    found = totals(db)
    equal({e: booked for e, (_, booked) in found.items()}, {e: t for e, (t, _) in found.items()})
    if document:
        counted = {e: int(v) for e, v in counts(document).items() if v is not None}
        equal({e: t for e, (t, _) in found.items()}, counted)
    assert not list(db.execute("SELECT code, context, thread, event, sum(value) FROM count "
                               "GROUP BY 1, 2, 3, 4 HAVING sum(value) < 0"))
    return found


KINDS = [
    ("thumb", CROSS, ("-mthumb", "-static"), ("--core", "arm1136")),
    ("shared", CROSS, (), ()),
    ("a64-shared", "aarch64-linux-gnu-", (), ("--core", "cortex-a72")),
    ("arm", CROSS, ("-static",), ()),
    ("l210", CROSS, ("-static",), ("--set", "l2.type=l210")),
    ("a64", "aarch64-linux-gnu-", ("-static",), ()),
]
MIXED_FOR = cases("name,prefix,flags,more", size(KINDS[:3], KINDS))


@MIXED_FOR
def test_what_is_booked_adds_up(name, prefix, flags, more):
    path = build(f"record-{name}", MIXED, "-O2", "-g", *flags, "-lpthread", prefix=prefix)
    for how in ((), ("-g",)):
        db = record(*how, "-e", "all", *more, path)
        adds_up(db)
        equal(sorted(db.execute("SELECT process, cpu FROM thread")), [(0, 0), (0, 1), (1, 0)])
    # Each run of a program without threads and processes has the same counts.
    document = stat("-e", "all", *more, path, "alone")
    flat = record("-e", "all", *more, path, "alone")
    adds_up(flat, document)
    paths = record("-g", "-e", "all", *more, path, "alone")
    adds_up(paths, document)
    # The counts of an instruction, summed over all paths, equal those recorded without paths.
    of = ("SELECT code, thread, sum(executions), sum(taken) FROM execution GROUP BY code, thread "
          "ORDER BY code, thread")
    equal(list(paths.execute(of)), list(flat.execute(of)))


def test_each_instruction_of_a_known_loop():
    """_start is two instructions, then ten times bl, subs, bne, then three instructions. f has
    three instructions, and g has two."""
    db = record("-e", "instr_exec,br_exec,sw_pc_change,dcache_access",
                assemble("record-loop", LOOP, "-DCOUNT=10"), code=3)
    rows = list(db.execute(
        "SELECT function.name, (code.address - function.address) / 4, sum(executions), "
        "sum(taken) FROM execution JOIN code ON code.id = execution.code "
        "JOIN function ON function.id = code.function GROUP BY code.id ORDER BY code.address"))
    equal(rows, [
        ("_start", 0, 1, 0), ("_start", 1, 1, 0), ("_start", 2, 10, 10), ("_start", 3, 10, 0),
        ("_start", 4, 10, 9), ("k_end", 0, 1, 0), ("k_end", 1, 1, 0), ("k_end", 2, 1, 0),
        ("f", 0, 10, 0), ("f", 1, 10, 10), ("f", 2, 10, 10), ("g", 0, 10, 0),
        ("g", 1, 10, 10)])
    at = {(f, i): v for f, i, v in db.execute(
        "SELECT function.name, (code.address - function.address) / 4, sum(value) FROM count "
        "JOIN code ON code.id = count.code JOIN function ON function.id = code.function "
        "JOIN event ON event.id = count.event WHERE event.name = 'dcache_access' "
        "GROUP BY code.id")}
    equal(at, {("f", 0): 10, ("f", 2): 10})


WALK = """
static volatile char a[1 << 20];
int main(void)
{
	for (int i = 0; i < 70000; i++)
		a[i * 4160 & ((1 << 20) - 1)];
	return 0;
}
"""


def test_more_counts_at_a_place_than_a_short_counter_holds():
    """Counts of a place in the code are stored in 16 bits until one needs more."""
    db = record("-g", "-e", "all", build("record-walk", WALK, "-static", "-O1"))
    adds_up(db)
    misses, = db.execute("SELECT sum(value) FROM count JOIN event ON event.id = event WHERE "
                         "name = 'dcache_miss' GROUP BY code ORDER BY 1 DESC LIMIT 1").fetchone()
    assert 65535 < misses <= 70000


def test_call_paths_of_a_known_loop():
    db = record("-g", "-e", "instr_exec", assemble("record-loop", LOOP, "-DCOUNT=10"), code=3)
    paths = list(db.execute(
        "WITH RECURSIVE p(id, path) AS (SELECT id, '' FROM context WHERE parent IS NULL "
        "UNION ALL SELECT context.id, path || '/' || function.name FROM context "
        "JOIN p ON p.id = context.parent JOIN function ON function.id = context.function) "
        "SELECT path, context.calls, (SELECT sum(value) FROM count WHERE context = p.id) "
        "FROM p JOIN context ON context.id = p.id ORDER BY path"))
    equal(paths, [("", 0, 35), ("/f", 10, 30), ("/f/g", 10, 20)])


def stripped(path, *how, prefix=CROSS):
    """Returns a copy of the program without symbols, or stripped as `how` says. The copy's name is
    as long as the program's, because a program's name is on its stack."""
    copy = path[:-4] + ("some" if how else "bare")
    equal(run(prefix + "strip", *how, "-o", copy, path).code, 0)
    return copy


def functions(db):
    """Returns {address: (name, symbol, executions of its instructions)} of the program's
    functions."""
    return {address: (name, symbol, n) for address, name, symbol, n in db.execute(
        "SELECT function.address, name, symbol, sum(executions) FROM execution "
        "JOIN code ON code.id = execution.code JOIN function ON function.id = code.function "
        "JOIN object ON object.id = code.object WHERE object.kind = 'file' "
        "GROUP BY function.id")}


def test_a_stripped_program_has_the_functions_that_are_called():
    """In a stripped program, pmk finds the functions that are called. Nothing calls the label
    k_end, so its code belongs to _start before it."""
    path = assemble("record-loop", LOOP, "-DCOUNT=10")
    at = {name: address for address, (name, _, _) in functions(record(path, code=3)).items()}
    bare = stripped(path)
    name = {f: f"[{os.path.basename(bare)}+{at[f]:#x}]" for f in at}
    db = record("-g", bare, code=3)
    equal(functions(db), {at["_start"]: (name["_start"], None, 35),
                          at["f"]: (name["f"], None, 30), at["g"]: (name["g"], None, 20)})
    equal(list(db.execute("SELECT function.name, calls FROM context JOIN function "
                          "ON function.id = context.function ORDER BY context.id")),
          [(name["f"], 10), (name["g"], 10)])
    equal(list(db.execute("SELECT count(*) FROM function WHERE size IS NOT NULL")), [(0,)])
    # Without -g, pmk knows no calls.
    equal(functions(record(bare, code=3)), {})
    # The symbols that remain keep their names. Code of a label reaches to the next symbol.
    db = record("-g", stripped(path, "-N", "g", "-N", "k_end"), code=3)
    equal(functions(db), {at["_start"]: ("_start", "_start", 35), at["f"]: ("f", "f", 50)})


def test_functions_between_symbols():
    """pmk finds functions without symbols between those with symbols. middle and last have symbols
    with sizes; first, and tail, which is only jumped to, have none."""
    path = assemble("record-between", """
	.arm
	.global	_start, middle, last
	.type	middle, %function
	.type	last, %function
first:	nop
	bx	lr
middle:	bx	lr
	.size	middle, . - middle
tail:	nop
	nop
	bx	lr
inner:	bx	lr
last:	b	tail
	.size	last, . - last
_start:	bl	first
	bl	middle
	bl	last
	bl	inner
	mov	r7, #1
	svc	#0
""", "-Wl,-Ttext=0x10000")
    db = record("-g", stripped(path, "-N", "first", "-N", "tail", "-N", "inner", "-N", "_start"))
    found = functions(db)
    names = {a: re.sub(r"\[.*\+", "[+", name) for a, (name, _, _) in found.items()}
    equal(names, {0x10000: "[+0x10000]", 0x10008: "middle", 0x1000c: "[+0x1000c]",
                  0x10018: "[+0x10018]", 0x1001c: "last", 0x10020: "[+0x10020]"})
    equal([n for _, _, n in found.values()], [2, 1, 3, 1, 1, 6])


@cases("name,prefix,flags,more", [
    ("arm", CROSS, (), ()),
    ("thumb", CROSS, ("-mthumb",), ("--core", "arm1136")),
    ("a64", "aarch64-linux-gnu-", (), ()),
])
def test_stripped_and_not_stripped_programs_count_the_same(name, prefix, flags, more):
    path = build(f"record-{name}", MIXED, "-O2", "-g", "-static", *flags, "-lpthread",
                 prefix=prefix)
    db = record("-g", *more, path, "alone")
    known = functions(db)
    found = functions(record("-g", *more, stripped(path, prefix=prefix), "alone"))
    assert len(found) > 80, found
    # binutils knows where functions begin (with the lowest bit set for Thumb), but not where the
    # entries of a procedure linkage table begin.
    begin = {int(line.split()[0], 16) & ~1 for line in run(prefix + "nm", path).out.splitlines()
             if line.split()[1] in "tTwW"}
    plt = {address for address, (_, symbol, _) in known.items()
           if not symbol or symbol.endswith("@plt")}
    assert set(found) <= begin | plt, set(found) - begin - plt
    merged = dict.fromkeys(found, 0)
    for address, n in db.execute("SELECT address, sum(executions) FROM execution "
                                 "JOIN code ON code.id = execution.code "
                                 "JOIN object ON object.id = code.object "
                                 "WHERE object.kind = 'file' GROUP BY code.id"):
        merged[max(start for start in found if start <= address)] += n
    equal({start: n for start, (_, _, n) in found.items()}, merged)
    for wanted in ("fib", "compare"):
        address, = (a for a, (_, symbol, _) in known.items() if symbol == wanted)
        equal(found[address][2], known[address][2])


def test_a_fault_is_booked_where_it_happened():
    """The load faults once and ends the program, so the code after it does not run and has no
    counts."""
    db = record("-e", "instr_exec", assemble("record-fault", """
	.global	_start
_start:	mov	r0, #0
	ldr	r1, [r0]
	add	r1, r1, #1
	b	.
"""), code=139)
    equal([n for n, in db.execute("SELECT executions FROM execution ORDER BY code")][:2], [1, 1])
    equal(totals(db)["instr_exec"], (2, 2))


def test_microblaze():
    path = mb.program("hello", "hello.c", flags=("-Wall", "-Wextra", "-Werror"))
    argv = ("-e", "all", "--core", "microblaze", path, "one", "two")
    document = stat(*argv, code=2)
    adds_up(record(*argv, code=2), document)
    adds_up(record("-g", *argv, code=2), document)


def a64_structures():
    """Yields every form of LD1 to LD4 and ST1 to ST4: whole registers, one lane, and all lanes."""
    shapes = ("8b", "16b", "4h", "8h", "2s", "4s", "1d", "2d")
    for n in range(1, 5):
        for shape in shapes:
            row = f"{{v0.{shape}}}" if n == 1 else f"{{v0.{shape}-v{n - 1}.{shape}}}"
            for op in ("ld", "st"):
                yield f"{op}1 {row}, [x0]"
                if n > 1 and shape != "1d":
                    yield f"{op}{n} {row}, [x0]"
            yield f"ld{n}r {row}, [x0]"
        for lane in "bhsd":
            row = f"{{v0.{lane}}}" if n == 1 else f"{{v0.{lane}-v{n - 1}.{lane}}}"
            yield from (f"{op}{n} {row}[1], [x0]" for op in ("ld", "st"))


def a32_structures():
    """Yields every form of ARMv7's VLD1 to VLD4 and VST1 to VST4, and each length of VLDM, VSTM,
    LDM and STM."""
    for n in range(1, 5):
        for size in (8, 16, 32):
            for op in ("ld", "st"):
                rows = range(n, 5) if n == 1 else [n]
                yield from (f"v{op}{n}.{size} {{d0-d{k - 1}}}, [r0]" for k in rows)
                lanes = ", ".join(f"d{k}[1]" for k in range(n))
                yield f"v{op}{n}.{size} {{{lanes}}}, [r0]"
            yield f"vld{n}.{size} {{{', '.join(f'd{k}[]' for k in range(n))}}}, [r0]"
    yield from (f"v{op}1.64 {{d0-d3}}, [r0]" for op in ("ld", "st"))
    yield from vfp_multiples()


def vfp_multiples():
    for op in ("ld", "st"):
        for bank, most in (("s", 32), ("d", 16)):
            yield f"v{op}mia r0, {{{bank}0}}"
            yield from (f"v{op}mia r0, {{{bank}0-{bank}{k}}}" for k in range(1, most))
        yield from (f"{op}mia r0, {{r1-r{k}}}" for k in range(2, 13))


@cases("name,prefix,flags,instructions,end", [
    ("cortex-a53", "aarch64-linux-gnu-", (), a64_structures,
     "mov x8, #93\nmov x0, #0\nsvc #0"),
    ("cortex-a7", CROSS, ("-march=armv7-a", "-mfpu=neon-vfpv4", "-mfloat-abi=softfp"),
     a32_structures, "mov r7, #1\nmov r0, #0\nsvc #0"),
    ("arm1176", CROSS, ("-march=armv6k", "-mfpu=vfp", "-mfloat-abi=softfp"), vfp_multiples,
     "mov r7, #1\nmov r0, #0\nsvc #0"),
])
def test_loads_and_stores_of_every_width(name, prefix, flags, instructions, end):
    """Structure loads and stores are counted for every number of elements that they access."""
    pointer = "adrp x0, 9f\nadd x0, x0, :lo12:9f" if "64" in prefix else "ldr r0, =9f"
    lines = list(instructions())
    source = "\n".join([".globl _start", "_start:", pointer, *lines, end, ".bss", ".balign 64",
                       "9: .space 1024", ""])
    path = build(f"widths-{name}", source, "-nostdlib", "-static", *flags, ext="s", prefix=prefix)
    db = record("-e", "all", "--core", name, path)
    adds_up(db, stat("-e", "all", "--core", name, path))
    executed, = db.execute("SELECT count(*) FROM execution WHERE executions = 1").fetchone()
    equal(executed, len(lines) + len(pointer.splitlines()) + len(end.splitlines()))


def latencies(db):
    """Returns {event: {cycles: times}}."""
    rows = collections.defaultdict(dict)
    for name, cycles, times in db.execute("SELECT name, cycles, times FROM latency "
                                          "JOIN event ON event = event.id"):
        rows[name][cycles] = times
    return rows


def times_are_those_of_stat(*argv, code=0):
    """Checks that each latency counter of pmk stat has the sums of the latencies that pmk record
    stores."""
    counters = [c for c in stat(*argv, code=code)["counters"] if c["latency"]]
    there = latencies(record(*argv, code=code))
    equal(set(there), {c["event"] for c in counters if c["counter-value"]})
    for c in counters:
        rows, l = there[c["event"]], c["latency"]
        equal(sum(rows.values()), c["counter-value"], c)
        equal(sum(cycles * n for cycles, n in rows.items()), l["sum"], c)
        equal(sum(cycles ** 2 * n for cycles, n in rows.items()), l["sum-of-squares"], c)
        equal((min(rows, default=None), max(rows, default=None)), (l["min"], l["max"]), c)
    return there


@pytest.mark.parametrize("events, settings", (
    ("all", ()), ("dcache_read_latency", ()), ("all", ("--set", "mem.latency=10000")),
    ("all", ("--set", "utlb.penalty=0,dcache.write_through=0"))))
def test_latencies(events, settings):
    path = mb.program("hello", "hello.c", flags=("-Wall", "-Wextra", "-Werror"))
    times_are_those_of_stat("-e", events, "--core", "microblaze", *settings, path, "one", "two",
                            code=2)


def test_latencies_of_forks():
    times_are_those_of_stat("-e", "all", "--core", "microblaze", forks(), "3")


def test_latencies_by_hand():
    """The program reads 8 KB, the size of the cache, twice, with 2048 loads each time. In the first
    pass every fourth load begins a line and misses, which takes mem.latency more cycles."""
    walk = mb.bare("walk", ACCESS="lwi r3, r5, 0", STRIDE=4, COUNT=2048, PASSES=2)
    for settings, miss in (("", 21), (",mem.latency=9", 10)):
        db = record("-e", "dcache_read_latency", "--core", "microblaze", "--set",
                    "lmb.size=257M,mmu.enable=0,bp.enable=0" + settings, walk)
        equal(latencies(db), {"dcache_read_latency": {1: 3584, miss: 512}})


def test_nothing_is_timed_elsewhere():
    path = assemble("record-loop", LOOP, "-DCOUNT=10")
    equal(latencies(record("-e", "all", path, code=3)), {})


def test_firmware():
    argv = ("--core", "arm1176", "-e", "all", "--qemu", machine(firmware(CALLS, CALLED, count=100)))
    document = stat(*argv)
    db = record(*argv)
    adds_up(db, document)
    adds_up(record("-g", *argv), document)


def test_notes_about_the_label_of_cycles(tmp_path):
    """A recording has the notes of pmk stat. Every view that shows the label of cycles also shows
    the notes about it."""
    path, page = tmp_path / "notes.data", tmp_path / "notes.html"
    path_of = {step: misses(step, "prfm pldl1keep, [x3, x4]") for step in (1, 64)}
    for step, events, of_cycles in ((64, "cycles", 2), (1, "cycles", 1), (64, "instructions", 0)):
        argv = ("--core", "cortex-a53", "-e", events, path_of[step])
        notes = (stat(*argv)["note"] or "").splitlines()
        equal(["accuracy for memory" in n for n in notes], [True, False][2 - of_cycles:])
        equal(["prefetch instruction" in n for n in notes], [False, True][2 - of_cycles:])
        out = pmk("record", "-o", path, *argv)
        equal(out.err.splitlines()[:-1], [f"pmk: {n}" for n in notes])
        equal(json.loads(pmk("report", "-i", path, "-j").out)["note"], "\n".join(notes) or None)
        equal(pmk("report", "-i", path, "--html", page).code, 0)
        for text, before in ((pmk("report", "-i", path).out, " note: "),
                             (pmk("annotate", "-i", path).out, " note: "),
                             (pmk("report", "-i", path, "--markdown").out, "Note: `"),
                             (html.unescape(page.read_text()), '<p class="note">')):
            text = " ".join(text.split())
            assert all(before + n in text for n in notes), text
            equal("memory applies" in text, of_cycles == 2, text)


def test_the_same_bytes_every_time():
    path = assemble("record-loop", LOOP, "-DCOUNT=10")
    files = [os.path.join(WORK, f"record-same-{i}.data") for i in range(2)]
    for f in files:
        equal(pmk("record", "-g", "-o", f, path).code, 3)
    with open(files[0], "rb") as a, open(files[1], "rb") as b:
        assert a.read() == b.read()


def test_what_cannot_be_recorded():
    path = assemble("record-loop", LOOP, "-DCOUNT=10")
    for argv, why in (
            (("--core", "arm926", path), "counts on the buses, not at instructions"),
            ((), "no program to run"),
            (("-o", "", path), "-o: the name of the file is empty"),
            (("-e", "nonsense", path), "nonsense")):
        out = pmk("record", *argv)
        equal(out.code, 129, argv)
        contains(out.err, why)


def test_the_longest_name(tmp_path):
    """pmk record accepts the longest file name; the temporary file that it renames at the end has
    a name that fits, too."""
    path, name = assemble("record-loop", LOOP, "-DCOUNT=10"), tmp_path / (255 * "n")
    equal(pmk("record", "-e", "instr_exec", "-o", name, path).code, 3)
    equal(os.listdir(tmp_path), [name.name])
    equal(totals(sqlite3.connect(name))["instr_exec"], (85, 85))


def test_names_of_ways_to_find_callers():
    """--call-graph accepts perf's words. Any other word after it is the program."""
    program = assemble("record-loop", LOOP, "-DCOUNT=10")
    for way in (["--call-graph", "fp"], ["--call-graph=dwarf,8192"], ["--call-graph"]):
        db = record(*way, "-e", "instr_exec", program, code=3)
        equal(db.execute("SELECT count(*) FROM context").fetchone(), (3,))
    contains(pmk("record", "--call-graph=magic", program).err, "--call-graph")


def test_old_temporary_files_of_a_killed_pmk_are_removed(tmp_path):
    """pmk record removes the temporary file of a process that has ended only if the file is old. If
    the file is new, a process with this number on another machine may still be writing it."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    names = {f".pmk-{gone.pid}-0.tmp": 900, f".pmk-{gone.pid}-1.tmp": 0,
             f".pmk-{os.getpid()}-0.tmp": 900, f".pmk-{gone.pid}-0.tmp.txt": 900}
    for name, age in names.items():
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    out = pmk("record", "-o", tmp_path / "x.data", assemble("record-loop", LOOP, "-DCOUNT=10"))
    equal(out.code, 3, out.err)
    equal(sorted(os.listdir(tmp_path)), sorted([*list(names)[1:], "x.data"]))


def test_what_cannot_be_written_is_said_before_the_run(tmp_path):
    path = shutil.copy(assemble("record-loop", LOOP, "-DCOUNT=10"), tmp_path / "prog")
    for code, name, why in (
            (125, tmp_path / "no" / "x",
             f"cannot write {tmp_path}/no/x: No such file or directory"),
            (125, tmp_path, f"cannot write {tmp_path}: it is a folder"),
            (125, "/dev/null", "cannot write /dev/null: it is not a regular file"),
            (129, path, f"-o {path} would overwrite the program; name another file")):
        out = pmk("record", "-o", name, path)
        equal((out.code, out.out, out.err), (code, "", f"pmk: {why}\n"))
    with open(path, "rb") as f:
        equal(f.read(4), b"\x7fELF")


@cases("at,length,what", [
    (0, 4096, "random"),
    (0, 4096, "255"),
    (64, 1 << 20, "random"),
    (64, 1 << 20, "255"),
    (4096, 1 << 19, "1"),
])
def test_a_program_that_writes_into_what_is_recorded(at, length, what):
    """If a program overwrites the memory of the recording, pmk reports that the counts cannot be
    read, or the emulator crashes."""
    program = build("hostile-ledger", HOSTILE.replace("pmk-arena", "pmk-ledger"), "-static")
    out = pmk("record", "-g", "-o", os.path.join(WORK, f"hostile-{os.getpid()}.data"), program,
              "dies", str(at), str(length), what)
    assert out.code in (125, 128 + 9, 128 + 11), out
    for line in out.err.splitlines():
        assert line.startswith(("pmk: ", "[ pmk record: ", "qemu")), line
    if out.code == 125:
        contains(out.err, "pmk: the recorded counts cannot be read: their memory is "
                          "inconsistent; the program may have written into it")


# Adds 1000 executions to a block in the memory of the recording. It changes the first record of
# kind 3 (PMK_LEDGER_RUN), whose member `executions` is at byte 16. Records begin at byte 40. The
# first byte of a record is its kind, and the third and fourth are its length in units of 8 bytes.
FORGER = r"""
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	int mem = open("/proc/self/mem", O_RDWR);
	FILE *maps = fopen("/proc/thread-self/maps", "r");
	unsigned long long at, executions;
	char line[512];
	struct {
		unsigned char kind, cpu;
		unsigned short units;
	} head = { 0, 0, 5 };

	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "pmk-ledger") && sscanf(line, "%llx", &at) == 1)
			break;
	do {
		at += 8 * head.units;
		if (pread(mem, &head, 4, at) != 4 || !head.units)
			return 1;
	} while (head.kind != 3);
	pread(mem, &executions, 8, at + 16);
	executions += 1000;
	return pwrite(mem, &executions, 8, at + 16) != 8;
}
"""


def test_what_does_not_add_up_is_said():
    path = os.path.join(WORK, f"forged-{os.getpid()}.data")
    out = pmk("record", "-e", "instr_exec", "-o", path, build("forger", FORGER, "-static"))
    equal(out.code, 0, out)
    contains(out.err, "some counts were not recorded: instr_exec adds up to ")
    with sqlite3.connect(path) as db:
        total, = db.execute("SELECT total FROM event").fetchone()
        found, = db.execute("SELECT sum(value) FROM count").fetchone()
    assert found > total, (found, total)
    contains(out.err, f"adds up to {found}, not to {total}")


COMPARES = r"""
#include <string.h>
int main(int argc, char **argv)
{
	volatile int n = 0;

	for (int i = 0; i < 100; i++)
		n += memcmp(argv[0], argv[0] + (i & 1), 8) != 0;
	return !n;
}
"""
HARD, A64 = "arm-linux-gnueabihf-", "aarch64-linux-gnu-"


def stubs(db, path):
    """Returns {address: (name, executions of its instructions)} of the stubs in the file `path`."""
    return {address: (name, n) for address, name, n in db.execute(
        "SELECT function.address, name, sum(executions) FROM execution "
        "JOIN code ON code.id = execution.code JOIN function ON function.id = code.function "
        "JOIN object ON object.id = code.object WHERE object.path = ? "
        "AND name LIKE '%@plt' GROUP BY function.id", [path])}


@cases("prefix,length,flags", [
    (CROSS, 3, ("-march=armv6k", "-marm")),
    (CROSS, 4, ("-march=armv4t", "-mthumb")),
    (HARD, 3, ()),
    (A64, 4, ()),
    (A64, 5, ("-mbranch-protection=standard", "-Wl,-z,force-bti,--no-warnings")),
])
def test_stubs_have_the_names_that_objdump_gives(prefix, length, flags):
    path = build("compares", COMPARES, "-O1", "-fno-builtin", *flags, prefix=prefix)
    text = run(prefix + "objdump", "-d", path).out
    named = {int(a, 16): name for a, name in re.findall(r"^([0-9a-f]+) <(\w+@plt)>:$", text, re.M)}
    found = stubs(record("-e", "instructions", path), path)
    # objdump 2.44 assumes that stubs of 24 bytes have 16, so it prints no name for some of them.
    compared = {a: named[a] for a in found if a in named}
    equal({a: found[a][0] for a in compared}, compared)
    assert compared and (len(compared) == len(found) or "force-bti" in str(flags)), (found, named)
    (address, n), = [(a, n) for a, (name, n) in found.items() if name == "memcmp@plt"]
    if length == 5 and not re.search(rf"^ *{address:x}:\t.*\tbti\t", text, re.M):
        length = 4  # some linkers do not begin a PIE's stubs with BTI
    equal(n, 100 * length)


def test_stubs_of_functions_that_are_chosen_at_the_start():
    path = build("compares", COMPARES, "-O1", "-static", prefix=A64)
    names = {name for name, _ in stubs(record("-e", "instructions", path), path).values()}
    assert "strlen@plt" in names, names


def test_stubs_of_lld(tmp_path):
    """lld makes segments that share pages of the file."""
    have("ld.lld")
    parts = {"f": "f: bx lr", "start": "start: bl f\nbl f\nmov r0, #0\nmov r7, #1\nsvc #0"}
    for name, text in parts.items():
        (tmp_path / f"{name}.S").write_text(
            f".arm\n.globl {name}\n.type {name}, %function\n{text}\n.size {name}, . - {name}\n")
        equal(run(CROSS + "gcc", "-march=armv6k", "-c", f"{name}.S", "-o", f"{name}.o",
                  cwd=tmp_path).code, 0)
    path = str(tmp_path / "prog")
    for argv in (("-shared", "-o", "libf.so", "f.o"),
                 ("-o", path, "-e", "start", "start.o", "libf.so", f"-rpath={tmp_path}",
                  "--dynamic-linker=/lib/ld-linux.so.3")):
        out = run("ld.lld", *argv, cwd=tmp_path)
        equal(out.code, 0, out.err)
    db = record("-e", "instructions", path)
    equal([n for name, n in stubs(db, path).values() if name == "f@plt"], [6])
    equal(list(db.execute("SELECT name, sum(executions) FROM execution JOIN code "
                          "ON code.id = execution.code JOIN function "
                          "ON function.id = code.function WHERE name IN ('f', 'start') "
                          "GROUP BY name ORDER BY name")), [("f", 2), ("start", 5)])


def microblaze_with_a_stub(path, order, pic):
    """Returns a program that calls f twice through a stub like those of GNU ld. The stub's slot is
    already filled, because there is no C library for MicroBlaze here."""
    base, code, got, end = 0x10000000, 0x100, 0x200, "<" if order == "little" else ">"
    slot = base + got + 12
    low, load = (12, 0xe9940000) if pic else (slot & 0xffff, 0xe9800000)
    high = 0 if pic else slot >> 16
    # The words are imm and addik r20 (.got.plt); twice brlid r15, STUB and nop; r5 = 0; r12 = 1;
    # brki r14, 8.
    words = [0xb0000000 | base >> 16, 0x32800000 | got, 0xb9f40000 | 0x24, 0x80000000,
             0xb9f40000 | 0x1c, 0x80000000, 0x30a00000, 0x31800001, 0xb9cc0008, 0x80000000,
             0xb60f0008, 0x80000000,
             # the stub is 44 bytes after the start of the file's code, after f
             0xb0000000 | high, load | low, 0x98186000, 0x80000000]
    f, stub = code + 0x28, code + 0x30
    words[2] = 0xb9f40000 | (stub - (code + 8))
    words[4] = 0xb9f40000 | (stub - (code + 16))
    strings = b"\0f\0.text\0.plt\0.got.plt\0.dynsym\0.dynstr\0.rela.plt\0"
    image = bytearray(0x400)

    def put(at, *values):
        struct.pack_into(f"{end}{len(values)}I", image, at, *values)

    put(code, *words)
    put(slot - base, base + f)
    put(0x220, 0, 0, 0, 0, 1, 0, 0)                              # .dynsym: the null symbol, and f
    struct.pack_into(f"{end}BBH", image, 0x220 + 28, 0x12, 0, 0)
    put(0x240, slot, 1 << 8 | 17, 0)                             # .rela.plt: R_MICROBLAZE_JUMP_SLOT
    image[0x250:0x250 + len(strings)] = strings
    sections = [(0, 0, 0, 0, 0, 0, 0, 0), (b".text", 1, 6, code, 0x30, 0, 0, 0),
                (b".plt", 1, 6, stub, 16, 0, 0, 0), (b".got.plt", 1, 3, got, 16, 0, 0, 0),
                (b".dynsym", 11, 2, 0x220, 32, 5, 1, 16),
                (b".dynstr", 3, 2, 0x250, len(strings), 0, 0, 0),
                (b".rela.plt", 4, 2, 0x240, 12, 4, 2, 12)]
    for i, (name, kind, flags, at, size, link, info, entry) in enumerate(sections[1:], 1):
        put(0x2a0 + 40 * i, strings.index(name), kind, flags, base + at, at, size, link, info, 4,
            entry)
    image[:16] = b"\x7fELF\1" + (b"\1" if end == "<" else b"\2") + b"\1" + bytes(9)
    struct.pack_into(f"{end}HHIIIIIHHHHHH", image, 16, 2, 189, 1, base + code, 52, 0x2a0, 0, 52,
                     32, 1, 40, len(sections), 5)
    put(52, 1, 0, base, base, len(image), len(image), 7, 0x1000)
    with open(path, "wb") as out:
        out.write(image)
    os.chmod(path, 0o755)


@cases("order,pic", [("little", False), ("little", True), ("big", False)])
def test_stubs_of_microblaze(tmp_path, order, pic):
    path = str(tmp_path / "stub")
    microblaze_with_a_stub(path, order, pic)
    equal(list(stubs(record("-e", "all", path), path).values()), [("f@plt", 8)])


def test_files_are_named_from_the_root_on(tmp_path):
    """A recording has full paths of sources, in whatever way the compiler was given them. genhtml
    can read each file."""
    (tmp_path / "app").mkdir()
    (tmp_path / "common").mkdir()
    (tmp_path / "app" / "main.c").write_text("int f(void);\nint main(void) { return f(); }\n")
    (tmp_path / "common" / "f.c").write_text("int f(void) { return 0; }\n")
    have("arm-linux-gnueabi-gcc")
    done = run("arm-linux-gnueabi-gcc", "-g", "-static", "-o", "prog", "main.c", "../common/f.c",
               cwd=tmp_path / "app")
    equal(done.code, 0, done.err)
    path = tmp_path / "pmk.data"
    equal(pmk("record", "-o", path, tmp_path / "app" / "prog").code, 0)
    with sqlite3.connect(path) as db:
        files = {f for f, in db.execute("SELECT path FROM file")}
    mine = {f for f in files if f.endswith((".c")) and f.startswith(str(tmp_path))}
    equal(mine, {f"{tmp_path}/app/main.c", f"{tmp_path}/app/../common/f.c"})
    lcov = pmk("export", "--format", "lcov", "-i", path).out
    named = {line[3:] for line in lcov.splitlines() if line.startswith("SF:")}
    assert mine <= named, named


def test_a_run_can_be_ended_as_with_stat():
    out = [pmk(command, "--timeout", "5", "true") for command in ("stat", "record")]
    equal((out[0].code, out[0].err), (out[1].code, out[1].err))
    contains(out[1].err, "--timeout")
