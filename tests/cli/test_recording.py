# SPDX-License-Identifier: MIT
"""pmk report and pmk annotate show recordings with known numbers, which are made here row by row.
They refuse files that are incomplete or are not recordings."""
import csv
import fcntl
import io
import pty
import sqlite3
import struct
import termios

from harness import *
from recordings import *

pytestmark = pytest.mark.quick


def report(path, *argv, code=0):
    out = run(PMK, "report", "-i", path, *argv)
    equal(out.code, code, str(out))
    return out


def table(path, *argv):
    """Returns the rows of CSV by their names."""
    rows = list(csv.DictReader(io.StringIO(report(path, "-x,", *argv).out)))
    return {r["name"]: r for r in rows}


def fails(code, *argv):
    out = run(PMK, *argv)
    equal(out.code, code, str(out))
    equal(out.out, "")
    return one_line(out.err)


def one_line(text):
    assert re.fullmatch(r"pmk: [^\n]+\n", text), text
    return text


def on_terminal(*argv, columns=80, **env):
    """Returns the output of a program on a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    inherited = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    env = {**inherited, "TERM": "xterm", "PMK_PAGER": "cat", **env}
    child = subprocess.Popen([PMK, *argv], stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    text = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # the other end of the terminal is closed
            break
        if not more:
            break
        text += more
    os.close(ours)
    return child.wait(), text.decode().replace("\r\n", "\n")


# ---- report --------------------------------------------------------------------------------------

def test_functions(flat):
    rows = table(flat)
    equal({n: {e: int(r[e]) for e in EVENTS} for n, r in rows.items()}, FUNCTIONS)
    equal(list(rows), ["work", "main", "[anon]", "down"])
    equal((rows["work"]["file"], rows["work"]["line"], rows["work"]["object"]),
          ("/src/loop.c", "5", "/nonexistent/prog"))
    equal(sum(int(r["executions"]) for r in rows.values()), total(flat, "executions"))


@pytest.mark.parametrize("key", ["function", "file", "line", "object", "thread"])
def test_every_sort_adds_up(paths, key):
    rows = table(paths, "--sort", key)
    equal({e: sum(int(r[e]) for r in rows.values()) for e in EVENTS}, TOTALS)
    equal(sum(int(r["executions"]) for r in rows.values()), total(paths, "executions"))
    cycles = [int(r["cpu_cycles"]) for r in rows.values()]
    equal(cycles, sorted(cycles, reverse=True))


def test_what_rows_are(flat):
    def cycles(key):
        return {n: int(r["cpu_cycles"]) for n, r in table(flat, "--sort", key).items()}

    equal(cycles("file"), {"/src/loop.c": 149, "/src/util.h": 90, "/src/main.c": 87, "[anon]": 50})
    equal(cycles("object"), {"/nonexistent/prog": 326, "[anon]": 50})
    # The second thread executed a third of work(), with each count rounded down.
    other = 1 + 33 + 20 + 10 + 13 + 2
    equal(cycles("thread"),
          {"prog: process 0, thread 0": 376 - other, "prog: process 0, thread 1": other})
    lines = cycles("line")
    equal((lines["/src/util.h:3"], lines["/src/loop.c:7"], len(lines)), (60, 100, 14))


def test_functions_of_one_name(tmp_path):
    r = Recording(tmp_path / "two.data")
    r.event("cpu_cycles")
    r.object("/lib/one.so")
    r.thread(0, 0)
    for at, name in ((0x100, "/a.c"), (0x200, "/b.c")):
        r.function(f"init{at}", at, name, 1)
        r.code(at, f"init{at}", name, 1)
        r.ran(at, 1, cpu_cycles=at)
    r.db.execute("UPDATE function SET name = 'init'")
    rows = list(csv.DictReader(io.StringIO(report(r.done(), "-x,").out)))
    equal([(x["name"], x["file"], x["cpu_cycles"]) for x in rows],
          [("init", "/b.c", "512"), ("init", "/a.c", "256")])


def test_csv_ends_with_remarks(tmp_path):
    path = sample(str(tmp_path / "r.data"))
    db = sqlite3.connect(path)
    db.executemany("INSERT INTO meta VALUES(?, ?)", [("checked", "unchecked"), ("note", "a\nb")])
    db.commit()
    db.close()
    equal(report(path, "-x,").out.splitlines()[-3:],
          ["# cycles: unchecked", "# note: a", "# note: b"])


def test_children(paths):
    rows = table(paths, "--children")
    inclusive = {n: int(r["cpu_cycles:children"]) for n, r in rows.items()}
    other = 1 + 33 + 20 + 10 + 13 + 2  # work() in the second thread, which main() did not call
    # A recursive function counts once, and main() includes the code without a name, which ran below
    # it.
    equal(inclusive, {"main": 376 - other, "work": 239, "[anon]": 50, "down": 24})
    equal({n: int(r["cpu_cycles"]) for n, r in rows.items()},
          {n: f["cpu_cycles"] for n, f in FUNCTIONS.items()})
    equal(list(rows), ["main", "work", "[anon]", "down"])


def test_children_of_a_function_that_was_jumped_to(tmp_path):
    """f() jumps to g() at its end. g() calls h(), and code without a name calls k(). The children
    of f() include these callees."""
    r = Recording(tmp_path / "tail.data")
    r.event("cpu_cycles")
    r.object("/nonexistent/prog")
    r.thread(0, 0)
    for i, name in enumerate("fghk"):
        r.function(name, 0x1000 * (i + 1))
    r.code(0x1000, "f", flow="jump", target=0x2000)
    r.code(0x2000, "g", flow="call", target=0x3000)
    r.code(0x3000, "h")
    r.code(0x4000, "k")
    r.code(0x9000, flow="call", target=0x4000)
    r.context("root")
    r.context("f", "root", "f", calls=1)
    r.context("h", "f", "h", 0x2000, calls=1)
    r.context("k", "h", "k", 0x9000, calls=1)
    for address, context, cycles in ((0x1000, "f", 1), (0x2000, "f", 10), (0x3000, "h", 100),
                                     (0x9000, "h", 1000), (0x4000, "k", 10000)):
        r.ran(address, 1, cpu_cycles=cycles, context=context)
    path = r.done()
    rows = table(path, "--children", "-e", "cpu_cycles")
    equal({name: int(row["cpu_cycles:children"]) for name, row in rows.items()},
          {"f": 11111, "g": 11110, "h": 11100, "[prog]": 11000, "k": 10000})
    for callee, caller, cycles in (("g", "f", 11110), ("h", "g", 11100), ("k", "[prog]", 10000)):
        equal(cycles_of(path, "--callers", callee), {caller: cycles})
    for caller, callees in (("f", {"[itself]": 1, "g": 11110}), ("g", {"[itself]": 10, "h": 11100}),
                            ("h", {"[itself]": 100, "[prog]": 11000}), ("k", {"[itself]": 10000})):
        equal(cycles_of(path, "--callees", caller), callees)


def test_children_need_call_paths(flat):
    contains(fails(129, "report", "--children", flat), "pmk record -g")
    contains(fails(129, "report", "--children", "--sort", "file", flat), "--sort file")


def cycles_of(path, *argv):
    return {n: int(r["cpu_cycles"]) for n, r in table(path, *argv).items()}


def test_callers(paths):
    other = 1 + 33 + 20 + 10 + 13 + 2
    equal(cycles_of(paths, "--callers", "work"), {"main": 239 - other, "[no caller]": other})
    equal(cycles_of(paths, "--callers", "down"), {"main": 24}, "it calls itself, too")
    equal(cycles_of(paths, "--callers", "main"), {"[no caller]": 376 - other})
    equal(table(paths, "--callers", "down")["main"]["executions"], "9")


def test_callees(paths):
    other = 1 + 33 + 20 + 10 + 13 + 2
    # main() jumped to code without a name.
    equal(cycles_of(paths, "--callees", "main"),
          {"work": 239 - other, "[itself]": 63, "[anon]": 50, "down": 24})
    equal(cycles_of(paths, "--callees", "work"), {"[itself]": 239})
    equal(cycles_of(paths, "--callees", "down"), {"[itself]": 24, "down": 24 - 2 - 3 - 3})
    out = report(paths, "--callees", "main").out
    contains(out, " callees of main, by the counts of this function and everything "
                  "that it called\n")
    assert re.search(r"^297 +100\.0% .* total$", out, re.M), out


def test_callers_of_what_is_not_there(paths, flat):
    contains(fails(129, "report", "--callers", "wrok", paths), "did you mean work?")
    contains(fails(129, "report", "--callees", "work", flat), "pmk record -g")
    contains(fails(129, "report", "--callers", "work", "--callees", "work", paths), "exclude")
    contains(fails(129, "report", "--callers", "work", "--sort", "line", paths), "--sort")


def test_text(flat):
    out = report(flat).out
    contains(out, " Recording of ./prog -n 3\n core arm1176, counted by qemu-arm 7.2.22\n")
    assert re.search(r"^ cpu_cycles +instr_exec +dcache_miss +executions  function\n"
                     r" +modelled +exact +modelled +exact$", out, re.M), out
    assert re.search(r"^239 +63\.6% +126 +85\.1% +16 +94\.1% +126  work$", out, re.M), out
    assert re.search(r"^376 +100\.0% +148 +100\.0% +17 +100\.0% +148  total$", out, re.M), out
    contains(out, "etmextout0: <not supported> there is no ETM")


def test_chosen_events(flat):
    out = report(flat, "-e", "instructions,executions").out
    assert re.search(r"^ *instr_exec +executions  function$", out, re.M), out
    assert "etmextout0" not in out, out
    equal(list(table(flat, "-e", "dcache_miss")), ["work", "[anon]", "down", "main"],
          "then by executions")
    contains(fails(129, "report", "-e", "dcache_mis", flat), "did you mean dcache_miss?")
    contains(fails(129, "report", "-e", "etmextout0", flat), "has no value")


def test_json(paths):
    doc = json.loads(report(paths, "-j", "--children").out)
    equal((doc["format"], doc["version"], doc["sort"]), ("pmk-report", 1, "function"))
    equal({r["name"]: r["events"] for r in doc["rows"]}, FUNCTIONS)
    equal(doc["rows"][0]["children"]["instr_exec"], 148 - (1 + 10 * 4 + 1))
    equal([(e["name"], e["total"], e["trust"], e["reason"]) for e in doc["events"]],
          [("cpu_cycles", 376, "modelled", None), ("instr_exec", 148, "exact", None),
           ("dcache_miss", 17, "modelled", None),
           ("etmextout0", None, "not supported", "there is no ETM")])


def test_percent_limit(flat):
    equal(list(table(flat, "--percent-limit", "13.2")), ["work", "main", "[anon]"])
    out = report(flat, "--percent-limit", "13.2").out
    contains(out, " 1 more, each below 13.2 % of cpu_cycles.\n")
    assert re.search(r"^376 ", out, re.M), "the total has all of them: " + out
    contains(fails(129, "report", "--percent-limit", "x", flat), "--percent-limit x")
    contains(fails(129, "report", "--sort", "name", flat), "function, file, line, object, thread")


def wide(path):
    """Returns a recording with many events, and with a function that has a long name."""
    r = Recording(path)
    names = [f"an_event_with_a_name_{i}" for i in range(9)]
    for name in names:
        r.event(name)
    r.object("/bin/prog")
    r.thread(0, 0)
    r.function("std::map<int, std::string, std::less<int> >::find(int const&)", 0, symbol="_Z4find")
    r.code(0, "std::map<int, std::string, std::less<int> >::find(int const&)")
    r.ran(0, 123456, **{n: 123456 for n in names})
    return r.done()


@pytest.mark.parametrize("columns", [70, 80, 132, 300])
@pytest.mark.parametrize("command", ["report", "annotate"])
def test_text_fits_the_terminal(tmp_path, columns, command):
    path = wide(tmp_path / "wide.data")
    code, text = on_terminal(command, "-i", path, columns=columns)
    text = re.sub("\x1b\\[[0-9;]*m", "", text)
    equal(code, 0)
    assert all(len(line) <= columns for line in text.splitlines()), text
    every = set(re.findall(r"an_event_with_a_name_\d", text))
    equal(len(every), 9, "each is shown or named: " + text)
    equal("Not shown, for lack of room" in text, columns < 300)
    if command == "report":
        # Each row is one line, in which pmk cuts the name in the middle.
        name = re.search(r"(?<= )std::map.*", text)[0]
        assert name.endswith("const&)") and "..." in name or columns == 300, text
        equal(len(name), 61 if columns == 300 else len(name))
    else:
        for word in "std::map<int, std::string, std::less<int> >::find(int const&)".split():
            contains(text, word)


def test_markdown(flat, tmp_path):
    equal(report(flat, "--markdown", "-e", "cycles,dcache_miss").out, """### `./prog -n 3`

Core arm1176.

| function | cpu_cycles | % | dcache_miss | % |
|---|--:|--:|--:|--:|
| total | 376 | 100.0% | 17 | 100.0% |
| `work` | 239 | 63.6% | 16 | 94.1% |
| `main` | 63 | 16.8% | 0 | 0.0% |
| `[anon]` | 50 | 13.3% | 1 | 5.9% |
| `down` | 24 | 6.4% | 0 | 0.0% |
""")
    out = report(flat, "--markdown", "--percent-limit", "15").out
    equal(re.findall(r"^\| `(\w+)`", out, re.M), ["work", "main"])
    contains(out, "\n2 more rows; -j and -x write all rows.\n")
    equal(pmk("report", "--markdown", "-j", flat).err,
          "pmk: -j, -x and --markdown exclude each other\n")


def test_markdown_has_the_label_warnings_and_notes(tmp_path):
    r = Recording(tmp_path / "facts.data", checked="within 10 %", warning="cut\nat @x", note="`a`")
    r.event("cpu_cycles")
    r.object("/bin/prog")
    r.thread(0, 0)
    r.function("main", 0)
    r.code(0, "main")
    r.ran(0, 1, cpu_cycles=1)
    contains(report(r.done(), "--markdown").out, """
Core arm1176.

Cycles: `within 10 %`

Warning: `cut`

Warning: `at @x`

Note: `` `a` ``

| function |""")


def test_a_pipe_has_80_columns_and_whole_names(tmp_path):
    name = "std::map<int, std::string, std::less<int> >::find(int const&)"
    lines = report(wide(tmp_path / "wide.data")).out.splitlines()
    assert max(len(line.replace(name, "")) for line in lines) <= 80, lines
    equal(sum(line.endswith(" " + name) for line in lines), 1)


def test_a_pipe_has_as_many_events_as_names_leave_room_for(tmp_path):
    for length, events in ((20, 2), (44, 1), (45, 2)):  # 45 leaves no room for an event
        r = Recording(tmp_path / "names.data")
        for i in range(3):
            r.event(f"an_event_with_a_name_{i}")
        r.object("/bin/prog")
        r.thread(0, 0)
        r.function("f" * length, 0)
        r.code(0, "f" * length)
        r.ran(0, 1, an_event_with_a_name_0=1)
        lines = report(r.done()).out.splitlines()
        head = next(line for line in lines if line.endswith("executions  function"))
        equal(head.count("an_event"), events)
        assert max(map(len, lines)) <= 80 or length == 45, lines
        contains("\n".join(lines), "Not shown, for lack of room")


def test_pager(flat):
    code, text = on_terminal("report", flat, PMK_PAGER="sed s/^/PAGED:/")
    equal(code, 0)
    assert all(line.startswith("PAGED:") for line in text.splitlines()), text
    contains(text, "work")
    contains(on_terminal("report", flat, PMK_PAGER="", PAGER="sed s/^/PAGED:/")[1], "\n core")
    assert "PAGED" not in report(flat).out


def test_names_do_not_steer_the_terminal(tmp_path):
    r = Recording(tmp_path / "odd.data")
    r.event("cpu_cycles")
    r.object("/bin/prog")
    r.thread(0, 0)
    r.function("bad\x1b[2Jname", 0)
    r.code(0, "bad\x1b[2Jname")
    r.ran(0, 1, cpu_cycles=1)
    contains(report(r.done()).out, r"bad\x1b[2Jname")


def test_default_file(flat, tmp_path):
    os.rename(flat, tmp_path / "pmk.data")
    out = run(PMK, "report", cwd=tmp_path)
    equal((out.code, out.err), (0, ""))
    contains(out.out, "work")
    os.unlink(tmp_path / "pmk.data")
    out = run(PMK, "report", cwd=tmp_path)
    equal(out.code, 129)
    contains(out.err, "there is no pmk.data in the current folder")


def test_output_file(flat, tmp_path):
    equal(report(flat, "-o", tmp_path / "out", "-x,").out, "")
    contains((tmp_path / "out").read_text(), "work,/nonexistent/prog")
    before = open(flat, "rb").read()
    contains(fails(129, "report", "-o", flat, flat), "would overwrite the input")
    equal(open(flat, "rb").read(), before)


# ---- annotate ------------------------------------------------------------------------------------

def annotate(path, *argv):
    out = run(PMK, "annotate", "-i", path, *argv)
    equal((out.code, out.err), (0, ""), str(out))
    return out.out


SOURCE_TEXT = """int a[100];

int sum(int n)
{
\tint s = 0;
\tfor (int i = 0; i < n; i++) /* a line that is so long that it does not fit anywhere at all */
\t\ts += a[i];
\treturn s;
}
"""
CODE = [  # address, line, bytes, disassembly, executions, cycles
    (0x100, 6, "042090e5", "ldr     r2, [r0, #4]", 1000, 5000),
    (0x104, 7, "021083e0", "add     r1, r3, r2", 1000, 1000),
    (0x108, 6, "fcffff1a", "bne     #0x100", 1000, 3000),
    (0x110, 8, "0000a0e1", "mov     r0, r0", 1, 2),
    (0x114, 8, "390000eb", "bl      #0x200 <helper>", 1, 0),
]


@pytest.fixture
def listing(tmp_path):
    """Returns a recording in which sum() has a source file, and helper() has none."""
    source = tmp_path / "src" / "sum.c"
    source.parent.mkdir()
    source.write_text(SOURCE_TEXT)
    os.utime(source, (1, 1))
    r = Recording(tmp_path / "listing.data")
    r.event("cpu_cycles", trust="modelled")
    r.event("dcache_miss", trust="modelled")
    r.object("/bin/prog")
    r.thread(0, 0)
    r.function("sum(int)", 0x100, str(source), 3, symbol="_Z3sumi", size=24)
    r.function("helper", 0x200, size=4)
    for address, line, code, _, executions, cycles in CODE:
        target = {"flow": "call", "target": 0x200} if address == 0x114 else {}
        r.code(address, "sum(int)", str(source), line, **target)
        r.db.execute("UPDATE code SET bytes = ?, mode = 'arm' WHERE address = ?",
                     (bytes.fromhex(code), address))
        r.ran(address, executions, cpu_cycles=cycles, dcache_miss=executions // 1000)
    r.code(0x200, "helper")
    r.ran(0x200, 1, cpu_cycles=9, dcache_miss=77)
    return r.done()


def put(path, sql, *values):
    db = sqlite3.connect(path)
    db.execute(sql, values)
    db.commit()
    db.close()


def test_instructions_with_counts(listing):
    out = annotate(listing)
    for address, _, _, text, executions, cycles in CODE:
        counts = f"{cycles:,} +{100 * cycles / 9002:.1f}%" if cycles else ""
        misses = " +1" if executions == 1000 else ""
        assert re.search(rf"^[> ] +{counts}{misses} +{executions:,}  +{address:x}  "
                         rf"{re.escape(text)}$", out, re.M), (text, out)
    contains(out, "sum(int) in /bin/prog\n")
    contains(out, " ... 4 bytes that were not executed\n")
    assert "helper in" not in out


def test_capstone_is_loaded_when_it_is_needed(listing):
    """pmk loads Capstone only for commands that disassemble, because loading takes a
    millisecond."""
    env = {**os.environ, "LD_DEBUG": "files"}
    for argv, loads in ((["annotate", "-i", listing], True), (["report", "-i", listing], False),
                        (["stat", "-e", "instr_exec", "true"], False)):
        said = run(PMK, *argv, env=env).err
        pid = re.match(r"\s*(\d+):", said)[1]
        own = "".join(line for line in said.splitlines(True) if line.strip().startswith(pid))
        contains(own, "libelf.so")
        equal("libcapstone.so" in own, loads, argv)


def test_lines_with_counts(listing):
    out = annotate(listing)
    hottest, order = out.split(" In the order of addresses:\n")
    found = re.findall(r"^(.) +([\d,]+) .* sum\.c:(\d+)  (.*)$", hottest, re.M)
    equal([f[:3] for f in found], [(">", "8,000", "6"), (">", "1,000", "7")])
    contains(found[0][3], "    for (int i = 0;")
    # In the order of addresses, line 6, which has the loop, comes before and after line 7.
    equal(re.findall(r"sum\.c:(\d+)", order), ["6", "7", "6", "8"])
    equal(re.findall(r"^>.*  (1[0-9a-f]{2})  \w", order, re.M), ["100", "104", "108"])


def test_chosen_functions(listing):
    for name in ("sum(int)", "_Z3sumi", "sum.c:7", "src/sum.c:7"):
        contains(annotate(listing, name), "sum(int) in /bin/prog")
    contains(annotate(listing, "helper"), " No source: the program had no line table")
    contains(annotate(listing, "-e", "dcache_miss"), "helper in /bin/prog")
    contains(fails(129, "annotate", "-i", listing, "helpr"), "did you mean helper?")
    for name in ("sum.c:1", "um.c:7", "sum.c:", "x"):
        contains(fails(129, "annotate", "-i", listing, name), "was executed")
    contains(fails(129, "annotate", "-i", listing, "-e", "nosuch"), "no event 'nosuch'")


def test_a_name_without_parameters(listing, paths):
    equal(annotate(listing, "sum"), annotate(listing, "sum(int)"))
    equal(annotate(listing, "-s", "sum"), annotate(listing, "sum(int)"))
    contains(fails(129, "annotate", "-i", listing, "smu"), "did you mean sum?")
    put(listing, "UPDATE function SET name = 'sum', symbol = 'sum' WHERE name = 'helper'")
    equal(annotate(listing, "sum").count("sum(int)"), 0)
    put(paths, "UPDATE function SET name = 'down(int)' WHERE name = 'down'")
    equal(cycles_of(paths, "--callers", "down"), {"main": 24})
    contains(fails(129, "report", "--callers", "dwon", paths), "did you mean down?")


def test_functions_of_one_name_are_all_shown(listing):
    put(listing, "UPDATE function SET name = 'twin'")
    out = annotate(listing, "twin")
    equal(out.count("twin in /bin/prog"), 2)


@pytest.mark.parametrize("mode, order, code, text", [
    ("thumb", 0, "4868", "ldr     r0, [r1, #4]"),
    ("thumb", 0, "fff7feff", "bl      #0x200"),
    ("a64", 0, "200440f9", "ldr     x0, [x1, #8]"),
    ("arm", 0, "ffffffff", ".inst   0xffffffff"),
    ("microblaze", 0, "78563412", ".inst   0x12345678"),
    ("microblaze", 1, "12345678", ".inst   0x12345678"),
    ("microblaze", 0, "fcff6330", "addik   r3, r3, -4"),
    ("microblaze", 1, "3063fffc", "addik   r3, r3, -4"),
    ("microblaze", 1, "80000000", "or      r0, r0, r0"),
])
def test_other_instruction_sets(listing, mode, order, code, text):
    put(listing, "UPDATE code SET bytes = ?, mode = ? WHERE address = 512", bytes.fromhex(code),
        mode)
    put(listing, "INSERT INTO meta VALUES('big_endian', ?)", order)
    assert re.search(rf" 200  {re.escape(text)}$", annotate(listing, "helper"), re.M), \
        annotate(listing, "helper")


def test_source_that_is_not_what_it_was(listing, tmp_path):
    source = tmp_path / "src" / "sum.c"
    os.utime(source, (2 ** 31, 2 ** 31))
    contains(" ".join(annotate(listing).split()), f" {source}: was changed after the recording")
    source.write_text("")
    os.utime(source, (1, 1))
    contains(annotate(listing), "sum.c:6\n")
    source.unlink()
    out = annotate(listing)
    equal(len(re.findall(r"sum\.c:\s+cannot\s+be\s+read", out)), 1)
    contains(out, "ldr     r2, [r0, #4]")
    os.mkfifo(source)
    contains(" ".join(annotate(listing).split()), "not a regular file")


def test_inlined_code_says_so(flat):
    out = annotate(flat, "-e", "cycles")
    contains(out, "work in /nonexistent/prog\n /src/loop.c:5\n")
    contains(out, "util.h:3 (clamp)\n")


def test_colours_on_a_terminal_alone(listing):
    code, text = on_terminal("annotate", "-i", listing)
    equal(code, 0)
    assert re.search("^\x1b\\[1;31m> .*5,000", text, re.M), text
    assert "\x1b" not in annotate(listing)
    assert "\x1b" not in on_terminal("annotate", "-i", listing, NO_COLOR="1")[1]


@pytest.mark.parametrize("columns", [70, 80, 200])
def test_annotate_fits_the_terminal(listing, columns):
    text = re.sub("\x1b\\[[0-9;]*m", "", on_terminal("annotate", "-i", listing,
                                                    columns=columns)[1])
    path = str(os.path.dirname(listing))
    lines = [line for line in text.splitlines() if path not in line]
    assert all(len(line) <= columns for line in lines), max(lines, key=len)
    contains(" ".join(text.split()), "/* a line that is so long that it" if columns == 200
             else "/* a line")


# ---- options that users of perf type -------------------------------------------------------------

def test_options_of_perf(paths):
    for perf, ours in (("sym", "function"), ("symbol", "function"), ("srcfile", "file"),
                       ("srcline", "line"), ("dso", "object"), ("comm", "thread")):
        equal(report(paths, "-s", perf).out, report(paths, "--sort", ours).out)
    plain = report(paths).out
    for more in (["--stdio"], ["-n"], ["-f"], ["--children", "--no-children"],
                 ["--percent-limit", "0%"]):
        equal(report(paths, *more).out, plain)
    equal(list(table(paths, "--percent-limit", "20%")), ["work"])
    contains(fails(129, "report", "--percent-limit", "5 %", paths), "5 %: expected 0 to 100")
    contains(fails(129, "report", "-s", "comm,dso", paths), "sym, srcfile, srcline, dso, comm")
    assert plain.startswith(" Recording of "), plain
    quiet = report(paths, "-q").out
    assert plain.index(quiet[:quiet.index("total")]) > 0 and "Recording" not in quiet, quiet
    assert "Recording" not in run(PMK, "annotate", "-q", "--stdio", "-n", "-f", "-i", paths).out


def test_threads_have_the_name_of_the_program(paths):
    equal(sorted(table(paths, "-s", "comm")),
          ["prog: process 0, thread 0", "prog: process 0, thread 1"])


@pytest.mark.parametrize("events", [[], ["-e", "all"]])
def test_cycles_come_first(tmp_path, events):
    r = Recording(tmp_path / "all.data")
    for name in ("dcache_miss", "instr_exec", "cpu_cycles"):
        r.event(name)
    r.object("/nonexistent/prog")
    r.thread(0, 0)
    r.function("slow", 0x1000)
    r.function("wide", 0x2000)
    r.code(0x1000, "slow")
    r.code(0x2000, "wide")
    r.ran(0x1000, 1, cpu_cycles=90, dcache_miss=1)
    r.ran(0x2000, 1, cpu_cycles=10, dcache_miss=9)
    path = r.done()
    equal(list(table(path, *events)), ["slow", "wide"])
    contains(run(PMK, "annotate", "-i", path, *events).out, " slow in /nonexistent/prog")
    equal(list(table(path, "-e", "dcache_miss")), ["wide", "slow"])


def test_events_that_are_not_there(flat):
    contains(fails(129, "report", "-e", "foo", flat),
             "no event 'foo' in this recording; it has cpu_cycles, instr_exec, dcache_miss")


def test_standard_input(flat):
    with open(flat, "rb") as f:
        p = subprocess.run([PMK, "report", "-"], stdin=f, capture_output=True, text=True)
    equal((p.returncode, p.stdout), (0, report(flat).out))
    with open(flat, "rb") as f:
        p = subprocess.run([PMK, "report", "-"], input=f.read(), capture_output=True)
    equal(p.returncode, 129)
    contains(one_line(p.stderr.decode()), "a recording cannot be read from a pipe")


# ---- options of the other kind of file -----------------------------------------------------------

def test_options_of_the_other_kind(flat, tmp_path):
    contains(fails(129, "report", "--elf", "/bin/true", flat), "--elf is for dumps of firmware")
    contains(fails(129, "report", "-M", "cpi", flat), "-M is for dumps of firmware")
    (tmp_path / "log").write_text("no dump")
    for option in (["--sort", "file"], ["-e", "cycles"], ["--percent-limit", "1"], ["--children"],
                   ["--callers", "x"], ["--callees", "x"]):
        contains(fails(129, "report", *option, tmp_path / "log"), f"{option[0]} is for recordings")


# ---- bad input -----------------------------------------------------------------------------------

def change(path, sql):
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.close()


COMMANDS = [["report"], ["annotate"]]


@pytest.mark.parametrize("command", COMMANDS)
def test_other_databases(flat, tmp_path, command):
    for version in (1, 4, 6):
        change(flat, f"PRAGMA user_version={version}")
        contains(fails(125, *command, "-i", flat), f"its format is version {version}")
    change(flat, "PRAGMA application_id=7")
    contains(fails(125, *command, "-i", flat), "not a recording of pmk record")
    change(tmp_path / "other", "CREATE TABLE a(b)")
    contains(fails(125, *command, "-i", tmp_path / "other"), "not a recording of pmk record")


@pytest.mark.parametrize("command", COMMANDS)
def test_cut_databases(flat, tmp_path, command):
    whole = open(flat, "rb").read()
    for size in range(512, len(whole), len(whole) // 20):
        (tmp_path / "cut").write_bytes(whole[:size])
        fails(125, *command, "-i", tmp_path / "cut")


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_in_it(tmp_path, command):
    empty = Recording(tmp_path / "empty.data").done()
    contains(fails(125, *command, "-i", empty), "nothing was executed")


@pytest.mark.parametrize("command", COMMANDS)
def test_missing_tables_and_rows(flat, command):
    change(flat, "DELETE FROM file")
    contains(fails(125, *command, "-i", flat), "damaged")
    change(flat, "DROP TABLE runs")
    contains(fails(125, *command, "-i", flat), "damaged")


@pytest.mark.parametrize("name", ["extras", "Extras"])  # SQLite ignores the case
@pytest.mark.parametrize("command", COMMANDS)
def test_a_view_is_not_read(flat, command, name):
    """pmk does not read a view that takes the place of a table, even if the view never ends."""
    change(flat, "DROP VIEW count; DROP VIEW extra; ALTER TABLE extras RENAME TO kept;"
                 f"CREATE VIEW {name} AS "
                 "WITH RECURSIVE again(n) AS (SELECT 1 UNION ALL SELECT n FROM again) "
                 "SELECT code, thread, cost, contexts FROM kept, again")
    contains(fails(125, *command, "-i", flat), "it has views instead of tables")


def tangle(path, table):
    """Makes pages of the table share the same child page, on six levels of the tree. So the table
    seems to have more rows than can ever be read."""
    db = sqlite3.connect(path)
    size, = db.execute("PRAGMA page_size").fetchone()
    pages, = db.execute("PRAGMA page_count").fetchone()
    root, = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    db.close()
    with open(path, "r+b") as f:
        data = bytearray(f.read())
        leaf = data[(root - 1) * size:root * size]
        data += leaf
        below = pages + 1
        for level in range(6):
            page = bytearray(size)
            cells = (size - 12) // 7
            page[0] = 5  # an interior page of a table; its cells follow at the end of the page
            page[3:5] = cells.to_bytes(2, "big")
            page[5:7] = (size - 5 * cells).to_bytes(2, "big")
            page[8:12] = below.to_bytes(4, "big")
            for i in range(cells):
                at = size - 5 * (i + 1)
                page[12 + 2 * i:14 + 2 * i] = at.to_bytes(2, "big")
                page[at:at + 5] = below.to_bytes(4, "big") + b"\x01"
            if level == 5:
                data[(root - 1) * size:root * size] = page
            else:
                data += page
                below = len(data) // size
        data[28:32] = (len(data) // size).to_bytes(4, "big")
        f.seek(0)
        f.write(data)


@pytest.mark.more
def test_pages_without_end(flat):
    tangle(flat, "thread")
    contains(fails(125, "report", "-i", flat), "interrupted")


@pytest.mark.parametrize("command", COMMANDS)
def test_not_a_database(tmp_path, command):
    (tmp_path / "text").write_text("hello\n" * 200)
    fails(125, *command, "-i", tmp_path / "text")
    fails(125, *command, "-i", tmp_path / "nowhere")
    fails(125, *command, "-i", tmp_path)


def test_no_functions(flat):
    change(flat, "UPDATE code SET function = NULL, inlined = NULL, file = NULL, line = NULL;"
                 "DELETE FROM function; DELETE FROM inlined; DELETE FROM file")
    equal({n: r["cpu_cycles"] for n, r in table(flat).items()}, {"[prog]": "326", "[anon]": "50"})
    contains(fails(125, "annotate", "-i", flat), "no code in it belongs to a function")
