# SPDX-License-Identifier: MIT
"""pmk export: each format is read by a tool that nobody here wrote, and adds up to the totals of
the recording; what it says of the recording of recordings.py is known."""
import sqlite3

from harness import *
from recordings import *

pytestmark = pytest.mark.quick

EVENTS = ("cpu_cycles", "instr_exec", "dcache_miss")


@pytest.fixture
def flat(tmp_path):
    return sample(tmp_path / "flat.data")


@pytest.fixture
def paths(tmp_path):
    return sample(tmp_path / "paths.data", contexts=True)


def export(path, form, *argv, code=0, text=True):
    out = run(PMK, "export", "--format", form, "-i", path, *argv, text=text)
    equal(out.code, code, str(out))
    return out


# ---- callgrind -----------------------------------------------------------------------------------

def annotate(text, tmp_path, *argv):
    """{file:function: [counts]}, and the totals, as callgrind_annotate reads them."""
    have("callgrind_annotate")
    path = tmp_path / "callgrind.out"
    path.write_text(text)
    out = run("callgrind_annotate", "--show-percs=no", "--threshold=100", "--auto=no", *argv, path)
    equal((out.code, out.err), (0, ""))
    rows, totals = {}, None
    for line in out.out.splitlines():
        m = re.match(r"\s*([\d,. ]*\d)\s+(PROGRAM TOTALS|\* +\S+:\S+|\S+:\S+)", line)
        if not m:
            continue
        values = [int(v.replace(",", "")) for v in m[1].split()]
        if m[2] == "PROGRAM TOTALS":
            totals = values
        else:
            rows[m[2].lstrip("* ")] = values
    return rows, totals


def test_callgrind_annotate_reads_it(flat, tmp_path):
    rows, totals = annotate(export(flat, "callgrind").out, tmp_path)
    equal(totals, [TOTALS[e] for e in EVENTS])
    equal(totals, [total(flat, e) for e in EVENTS])
    clamp = [90, 60, 4]
    equal(rows, {
        "/src/main.c:main": [63, 8, 0],
        "/src/main.c:down": [24, 9, 0],
        "/src/loop.c:work": [239 - clamp[0], 126 - clamp[1], 16 - clamp[2]],
        "/src/util.h:work": clamp,
        "???:[anon]": [50, 5, 1],
    })


def test_callgrind_has_calls_with_inclusive_costs(paths, tmp_path):
    rows, totals = annotate(export(paths, "callgrind").out, tmp_path, "--inclusive=yes",
                            "--tree=calling")
    equal(totals, [TOTALS[e] for e in EVENTS])
    # work() as called by main(): two thirds of each of its counts, rounded up.
    work = 2 + 67 + 40 + 20 + 27 + 4
    equal(rows["/src/main.c:main"], [63 + work + 24, 8 + 84 + 9, 8 + 3])


def test_callgrind_has_recursive_calls_once(paths):
    text = export(paths, "callgrind", "-e", "cycles").out
    contains(text, "events: cpu_cycles\n")
    # down() is called by main() once and by itself twice; the outer of these has cost 8 + 8.
    contains(text, "calls=1 0x3000 20\n0x100c 13 24\n")
    contains(text, "calls=2 0x3000 20\n0x3004 22 16\n")


def test_callgrind_has_jumps(flat):
    text = export(flat, "callgrind", "-e", "executions").out
    contains(text, "0x1008 12 3\njcnd=2/3 0x1004 11 \n0x1008 12 \n")
    contains(text, "jcnd=27/30 0x2004 7 \n")
    equal(len(re.findall("jcnd|jump", text)), 2, "clamp()'s branch was never taken")
    contains(text, f"totals: {total(flat, 'executions')}\n")


def test_callgrind_has_calls_of_call_paths_alone(flat):
    assert "calls=" not in export(flat, "callgrind").out


def test_callgrind_jumps_into_other_functions(tmp_path):
    r = Recording(tmp_path / "tail.data")
    r.event("instr_exec")
    r.object("/p")
    r.thread(0, 0)
    r.function("f", 0x10, "/a.c", 1)
    r.function("g", 0x20, "/b.c", 7)
    r.code(0x10, "f", "/a.c", 2, "jump", target=0x20)
    r.code(0x20, "g", "/b.c", 8, "return")
    r.ran(0x10, 4, 4)
    r.ran(0x20, 4, 4)
    text = export(r.done(), "callgrind").out
    contains(text, "0x10 2 4\njfi=(2) /b.c\njfn=(2) g\njump=4 0x20 8 \n0x10 2 \n")
    rows, _ = annotate(text, tmp_path)
    equal(rows, {"/a.c:f": [4], "/b.c:g": [4]})


# ---- which events, which files -------------------------------------------------------------------

def test_events_by_name_and_alias(flat):
    out = export(flat, "callgrind", "-e", "dcache_miss,cycles,cpu_cycles").out
    contains(out, "events: dcache_miss cpu_cycles\n")
    contains(out, f"totals: {TOTALS['dcache_miss']} {TOTALS['cpu_cycles']}\n")
    contains(export(flat, "callgrind", "-e", "all").out, "events: " + " ".join(EVENTS) + "\n")


def test_unknown_events(flat):
    out = export(flat, "callgrind", "-e", "dcache_mis", code=129)
    equal(out.err, "pmk: -e: no event 'dcache_mis' in this recording; did you mean dcache_miss?\n")
    out = export(flat, "callgrind", "-e", "etmextout0", code=129)
    equal(out.err, "pmk: -e: etmextout0 has no value in this recording\n")
    equal(export(flat, "callgrind", "-e", ",", code=129).err, "pmk: -e: the list is empty\n")
    equal(out.out, "")


def test_wrong_usage(flat):
    for argv, line in (
            (["--format", "calgrind"],
             "export: no format 'calgrind'; did you mean callgrind?"),
            ([], "export needs --format (pmk export --help)"),
            (["--format", "callgrind", "x.data"],
             "export takes no operand: x.data; a recording is -i's"),
            (["--format", "callgrind", "-i", flat, "-o", flat],
             f"-o {flat}: that is the file to read")):
        out = pmk("export", *argv)
        equal((out.code, out.out, out.err), (129, "", f"pmk: {line}\n"))


def test_default_input_and_output_file(flat, tmp_path):
    shutil.copy(flat, tmp_path / "pmk.data")
    out = pmk("export", "--format", "callgrind", "-o", "x.out", cwd=tmp_path)
    equal((out.code, out.out, out.err), (0, "", ""))
    equal((tmp_path / "x.out").read_text(), export(flat, "callgrind").out)


def test_no_recording(tmp_path):
    out = pmk("export", "--format", "callgrind", cwd=tmp_path)
    equal((out.code, out.err),
          (125, "pmk: pmk.data: cannot be read: No such file or directory\n"))


def damage(path, sql):
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.close()
    return path


def test_bad_files(flat, tmp_path):
    def says(path, line):
        out = export(path, "callgrind", code=125)
        assert re.fullmatch(f"pmk: {re.escape(str(path))}: {line}\n", out.err), out

    (tmp_path / "text").write_text("no database " * 500)
    says(tmp_path / "text", "file is not a database; pmk record writes such a file")
    says(damage(tmp_path / "foreign", "CREATE TABLE a(b)"), "not a recording of pmk record")
    with open(flat, "rb") as f:
        whole = f.read()
    (tmp_path / "cut").write_bytes(whole[:len(whole) // 3])
    says(tmp_path / "cut", "database disk image is malformed; pmk record writes such a file")
    (tmp_path / "empty").write_bytes(b"")
    says(tmp_path / "empty", "not a recording of pmk record")
    for sql, line in (
            ("UPDATE code SET function = 77 WHERE address = 4096",
             "damaged: a reference to a function leads nowhere; record it anew"),
            ("UPDATE count SET context = 5 WHERE thread = 2",
             "damaged: a reference to a context leads nowhere; record it anew"),
            ("DROP TABLE file", "damaged: no such table: file; record it anew"),
            ("PRAGMA user_version=9", "its format is version 9, .*")):
        path = tmp_path / "damaged"
        shutil.copy(flat, path)
        says(damage(path, sql), line)


def test_a_full_disk(flat):
    line = "pmk: cannot write /dev/full: No space left on device\n"
    equal(export(flat, "callgrind", "-o", "/dev/full", code=125).err, line)
    out = run("sh", "-c", f"exec {PMK} export --format callgrind -i {flat} >/dev/full")
    equal((out.code, out.err),
          (125, "pmk: cannot write the output: No space left on device\n"))


# ---- lcov ----------------------------------------------------------------------------------------

def genhtml(text, tmp_path):
    """{"lines": (hit, found), …} as genhtml reads them."""
    have("genhtml")
    (tmp_path / "coverage.info").write_text(text)
    out = run("genhtml", "--branch-coverage", "-o", tmp_path / "html", tmp_path / "coverage.info",
              cwd=tmp_path)
    equal(out.code, 0, str(out))
    return {what: (int(hit), int(found)) for what, hit, found in re.findall(
        r"^ *(lines|functions|branches)\.*: +[\d.]+% \((\d+) of (\d+)", out.out, re.M)}


def at_sources(path, tmp_path):
    """The recording with its files where there are some: genhtml wants to show them."""
    for name in (MAIN_C, LOOP_C, UTIL_H):
        (tmp_path / os.path.basename(name)).write_text("line\n" * 30)
    db = sqlite3.connect(path)
    db.execute("UPDATE file SET path = replace(path, '/src', ?)", (str(tmp_path),))
    db.commit()
    db.close()
    return path


def test_genhtml_reads_it(flat, tmp_path):
    out = export(at_sources(flat, tmp_path), "lcov")
    equal(genhtml(out.out, tmp_path),
          {"lines": (13, 13), "functions": (3, 3), "branches": (7, 8)})
    equal(out.err, "pmk: /nonexistent/prog: No such file or directory; "
          "its lines that did not run are not known\n")


def test_lcov_counts_lines_functions_and_branches(flat, paths):
    for path in (flat, paths):
        text = export(path, "lcov").out
        records = dict(re.findall(r"^TN:\nSF:(\S+)\n(.*?)end_of_record$", text, re.M | re.S))
        equal(sorted(records), [LOOP_C, MAIN_C, UTIL_H])
        equal(records[LOOP_C], "FN:5,work\nFNDA:3,work\nFNF:1\nFNH:1\nBRDA:9,0,0,27\n"
              "BRDA:9,0,1,3\nBRF:2\nBRH:2\nDA:5,3\nDA:7,30\nDA:9,30\nDA:10,3\nLF:4\nLH:4\n")
        equal(records[UTIL_H], "BRDA:4,0,0,0\nBRDA:4,0,1,30\nBRF:2\nBRH:1\n"
              "DA:3,30\nDA:4,30\nLF:2\nLH:2\n")


def test_lcov_adds_up_a_line_of_several_functions(tmp_path):
    r = Recording(tmp_path / "inlined.data")
    r.object("/p")
    r.thread(0, 0)
    r.function("f", 0x10, "/a.c", 1)
    r.function("g", 0x20, "/a.c", 11, symbol="_Z1gii")
    r.inlined("h", "/a.c", 3)
    r.inlined("h again", "/a.c", 4)
    # In f() its line is two instructions, once for each of two calls; in g() it is the function's.
    for address, function, inlined, n in ((0x10, "f", "h", 5), (0x14, "f", "h", 7),
                                          (0x18, "f", "h again", 20), (0x20, "g", None, 100)):
        r.code(address, function, "/a.h", 2, "jump" if n == 20 else "next", int(n == 20),
               inlined=inlined)
        r.ran(address, n, 8 if n == 20 else 0)
    out = export(r.done(), "lcov")
    contains(out.out, "DA:2,127\n")
    contains(out.out, "BRDA:2,0,0,8\nBRDA:2,0,1,12\n")
    contains(out.out, "FNDA:100,_Z1gii\n")


COVERED_C = """\
int used(int x)
{
	if (x > 5)
		return 1;
	return 2;
}

int unused(int x)
{
	return x * 3;
}

int main(void)
{
	return used(1);
}
"""


def covered(tmp_path, build_id=None):
    """A program of which used() and main() ran, but for one line: addresses from binutils."""
    have("gcc", "objdump", "readelf")
    (tmp_path / "covered.c").write_text(COVERED_C)
    out = run("gcc", "-g", "-O0", "-Wl,--build-id", "covered.c", "-o", "covered", cwd=tmp_path)
    equal(out.code, 0, str(out))
    program = tmp_path / "covered"
    table = run("objdump", "--dwarf=decodedline", program).out
    first = {}
    for line, address in re.findall(r"^covered\.c +(\d+) +(0x[0-9a-f]+)", table, re.M):
        first.setdefault(int(line), int(address, 16))
    note = run("readelf", "-n", program).out
    r = Recording(tmp_path / "covered.data")
    r.object(str(program), build_id=build_id or re.search("Build ID: ([0-9a-f]+)", note)[1])
    r.thread(0, 0)
    source = str(tmp_path / "covered.c")
    for name, line in (("used", 1), ("main", 13)):
        r.function(name, first[line + 1], source, line)
    for line in (2, 3, 5, 6, 14, 15, 16):
        r.code(first[line], "used" if line < 8 else "main", source, line)
        r.ran(first[line], 1)
    return r.done()


def test_lcov_knows_lines_that_did_not_run(tmp_path):
    out = export(covered(tmp_path), "lcov")
    equal(out.err, "")
    equal(genhtml(out.out, tmp_path), {"lines": (7, 11), "functions": (2, 3)})
    source = tmp_path / "covered.c"
    equal(out.out.splitlines(), [
        "TN:", f"SF:{source}", "FN:1,used", "FN:8,unused", "FN:13,main", "FNDA:1,used",
        "FNDA:0,unused", "FNDA:1,main", "FNF:3", "FNH:2",
        *[f"DA:{n},{int(n in (2, 3, 5, 6, 14, 15, 16))}"
          for n in (2, 3, 4, 5, 6, 9, 10, 11, 14, 15, 16)],
        "LF:11", "LH:7", "end_of_record"])


def test_lcov_of_a_program_that_has_changed(tmp_path):
    out = export(covered(tmp_path, build_id="00ff"), "lcov")
    equal(out.err, f"pmk: {tmp_path}/covered: not the file that ran: another build id; "
          "its lines that did not run are not known\n")
    contains(out.out, "LF:7\nLH:7\n")


def test_lcov_needs_lines(tmp_path):
    r = Recording(tmp_path / "stripped.data")
    r.object("[anon]", kind="anonymous")
    r.thread(0, 0)
    r.code(0x10)
    r.ran(0x10, 3)
    out = export(r.done(), "lcov", code=125)
    contains(out.err, "it has no lines; build the program with -g, and record anew\n")
    out = export(r.path, "lcov", "-e", "cycles", code=129)
    equal(out.err, "pmk: -e: lcov has no events, but executions of lines\n")
