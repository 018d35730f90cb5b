# SPDX-License-Identifier: MIT
"""Tests pmk export. For each format, an independent tool reads the exported file, and the tool's
sums equal the totals of the recording. Exports of the recording that recordings.py makes are
compared with known text."""
import sqlite3

from harness import *
from recordings import *

pytestmark = pytest.mark.quick


def export(path, form, *argv, code=0, text=True):
    out = run(PMK, "export", "--format", form, "-i", path, *argv, text=text)
    equal(out.code, code, str(out))
    return out


# ---- callgrind -----------------------------------------------------------------------------------

def annotate(text, tmp_path, *argv):
    """Returns {file:function: [counts]} and the totals, as read by callgrind_annotate."""
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


@pytest.mark.more
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


@pytest.mark.more
def test_callgrind_has_calls_with_inclusive_costs(paths, tmp_path):
    rows, totals = annotate(export(paths, "callgrind").out, tmp_path, "--inclusive=yes",
                            "--tree=calling")
    equal(totals, [TOTALS[e] for e in EVENTS])
    # When main() calls work(), work() has two thirds of each of its counts, rounded up.
    work = 2 + 67 + 40 + 20 + 27 + 4
    equal(rows["/src/main.c:main"], [63 + work + 24, 8 + 84 + 9, 8 + 3])


def test_callgrind_has_recursive_calls_once(paths):
    text = export(paths, "callgrind", "-e", "cycles").out
    contains(text, "events: cpu_cycles\n")
    # main() calls down() once, and down() calls itself twice. Each level takes 8 cycles, so the
    # outer recursive call, which includes the inner one, costs 16.
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


@pytest.mark.more
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
            (["--format", "callgrind", "-i", flat, "x.data"],
             "export: unexpected operand x.data; give the recording with -i"),
            (["--format", "callgrind", "-i", flat, "-o", flat],
             f"-o {flat} would overwrite the input; name another file")):
        out = pmk("export", *argv)
        equal((out.code, out.out, out.err), (129, "", f"pmk: {line}\n"))
    out = pmk("export", "-i", flat)
    equal((out.code, out.out), (129, ""))
    equal(out.err, "pmk: export needs --format (pmk export --help)\n")


def test_default_input_and_output_file(flat, tmp_path):
    shutil.copy(flat, tmp_path / "pmk.data")
    out = pmk("export", "--format", "callgrind", "-o", "x.out", cwd=tmp_path)
    equal((out.code, out.out, out.err), (0, "", ""))
    equal((tmp_path / "x.out").read_text(), export(flat, "callgrind").out)


def test_no_recording(tmp_path):
    out = pmk("export", "--format", "callgrind", cwd=tmp_path)
    equal((out.code, out.err),
          (129, "pmk: no FILE was given, and there is no pmk.data in the current folder "
                "(pmk export --help)\n"))


def damage(path, sql):
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.close()
    return path


BAD_PLACES = "[]", "[[0]]", '["0"]', "[0.5]", "[null]", "[-1]"


def test_bad_files(flat, tmp_path):
    def says(path, line):
        out = export(path, "callgrind", code=125)
        assert re.fullmatch(f"pmk: {re.escape(str(path))}: {line}\n", out.err), out

    (tmp_path / "text").write_text("no database " * 500)
    says(tmp_path / "text", "file is not a database; give a file that pmk record wrote")
    says(damage(tmp_path / "foreign", "CREATE TABLE a(b)"), "not a recording of pmk record")
    with open(flat, "rb") as f:
        whole = f.read()
    (tmp_path / "cut").write_bytes(whole[:len(whole) // 3])
    says(tmp_path / "cut", "(database disk image is malformed|its end is missing); .*")
    os.mkfifo(tmp_path / "pipe")
    says(tmp_path / "pipe", "cannot be read: not a regular file")
    says(tmp_path, "cannot be read: Is a directory")
    (tmp_path / "empty").write_bytes(b"")
    says(tmp_path / "empty", "not a recording of pmk record")
    for sql, line in (
            ("UPDATE code SET function = 77 WHERE address = 4096",
             "damaged: a reference to a function refers to a row that does not exist; record it "
             "again"),
            ("UPDATE runs SET places = '[10]'",
             "damaged: a reference to a context refers to a row that does not exist; record it "
             "again"),
            ("DELETE FROM thread", "damaged: a reference to a thread refers to a row that does not "
             "exist; record it again"),
            ("UPDATE runs SET places = '[0'", "damaged: malformed JSON; record it again"),
            ("UPDATE extras SET costs = '{\"1\":[0}'", "damaged: malformed JSON; record it again"),
            *((f"UPDATE runs SET places = '{text}'",
               "damaged: a reference to a context refers to a row that does not exist; record it "
               "again") for text in BAD_PLACES),
            *((f"UPDATE extras SET costs = '{{\"1\":{text}}}'",
               "damaged: a reference to a context refers to a row that does not exist; record it "
               "again") for text in (*BAD_PLACES, '{"0":0}', '"0"')),
            # Each of these statements makes sums differ from totals: a place listed twice, other
            # executions, another count, another cost and another total.
            *((sql, "damaged: [a-z_]+ adds up to [0-9]+, not to its total of [0-9]+; "
               "record it again") for sql in ("UPDATE runs SET places = '[0,0]'",
                          "UPDATE runs SET executions = executions + 1000",
                          "UPDATE costs SET events = '{\"1\":7}' WHERE cost = 3",
                          "UPDATE parts SET costs = '[2]' WHERE block = 1",
                          "UPDATE event SET total = total + 1 WHERE id = 1")),
            *((f"UPDATE costs SET events = '{text}'",
               "damaged: a reference to an event refers to a row that does not exist; record it "
               "again") for text in ('{"1":"1"}', '{"1x":1}', '{"1":1.5}', '{"99":1}')),
            ("DROP TABLE file", "damaged: no such table: file; record it again"),
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


def test_a_partial_recording_is_told(tmp_path):
    r = Recording(tmp_path / "partial.data", partial=1)
    r.event("instr_exec")
    path = r.done()
    out = export(path, "callgrind")
    equal(out.err, f"pmk: {path} is partial: a part of the run was not counted\n")
    contains(out.out, "totals: 0\n")


def remarked(path):
    """Returns the recording of recordings.py with a label and two notes."""
    db = sqlite3.connect(sample(path))
    db.executemany("INSERT INTO meta VALUES(?, ?)",
                   [("checked", "unchecked"), ("note", "one \"a\"\ntwo"), ("warning", "slow")])
    db.commit()
    db.close()
    return path


def test_remarks_are_comments_or_on_standard_error(tmp_path):
    path = remarked(str(tmp_path / "r.data"))
    remarks = [("Cycles", "unchecked"), ("Warning", "slow"), ("Note", 'one "a"'), ("Note", "two")]
    out = export(path, "callgrind")
    equal((re.findall(r"^desc: (\w+): (.*)$", out.out, re.M)[1:], out.err), (remarks, ""))
    out = export(path, "firefox")
    equal(json.loads(out.out)["meta"]["extra"], [{"label": "Counts", "entries": [
        {"label": name, "format": "string", "value": text} for name, text in remarks]}])
    out = export(path, "perfetto")
    equal([(name.split()[0], text) for name, text in json.loads(out.out)["otherData"].items()][2:],
          remarks)
    out = export(path, "pprof", text=False)
    for name, text in remarks:
        contains(out.out, f"{name}: {text}".encode())
    for form in ("folded", "speedscope", "lcov"):
        equal(re.findall(r"^pmk: .*r\.data: (\w+): (.*)$", export(path, form).err, re.M),
              remarks[form == "lcov":], form)


# ---- lcov ----------------------------------------------------------------------------------------

def genhtml(text, tmp_path):
    """Returns {"lines": (hit, found), …} as printed by genhtml."""
    have("genhtml")
    (tmp_path / "coverage.info").write_text(text)
    if "version 1." not in run("genhtml", "--version").out:
        skip("genhtml 2 refuses branches of lines that it finds no other record of")
    out = run("genhtml", "--branch-coverage", "-o", tmp_path / "html", tmp_path / "coverage.info",
              cwd=tmp_path)
    equal(out.code, 0, str(out))
    return {what: (int(hit), int(found)) for what, hit, found in re.findall(
        r"^ *(lines|functions|branches)\.*: +[\d.]+% \((\d+) of (\d+)", out.out, re.M)}


def at_sources(path, tmp_path):
    """Returns the recording with paths of existing source files, because genhtml reads them."""
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
    # In f(), the line of h() has two instructions, one for each of the two calls that are inlined.
    # In g(), the line belongs to g() itself. A conditional instruction that is not a branch has no
    # branch counts.
    r.code(0x30, "f", "/a.h", 2, conditional=1)
    r.ran(0x30, 1)
    for address, function, inlined, n in ((0x10, "f", "h", 5), (0x14, "f", "h", 7),
                                          (0x18, "f", "h again", 20), (0x20, "g", None, 100)):
        r.code(address, function, "/a.h", 2, "jump" if n == 20 else "next", int(n == 20),
               inlined=inlined)
        r.ran(address, n, 8 if n == 20 else 0)
    out = export(r.done(), "lcov")
    contains(out.out, "DA:2,128\n")
    contains(out.out, "BRDA:2,0,0,8\nBRDA:2,0,1,12\nBRF:2\n")
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


def covered(tmp_path, build_id=None, optimisation="-O0"):
    """Records a program in which used() and main() run, except one line, and unused() does not run.
    The addresses of the lines are taken from binutils."""
    have("gcc", "objdump", "readelf")
    (tmp_path / "covered.c").write_text(COVERED_C)
    out = run("gcc", "-g", optimisation, "-Wl,--build-id", "covered.c", "-o", "covered",
              cwd=tmp_path)
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
    ran = set()
    for line in (2, 3, 5, 6, 14, 15, 16):
        if line in first and first[line] not in ran:
            r.code(first[line], "used" if line < 8 else "main", source, line)
            r.ran(first[line], 1)
            ran.add(first[line])
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


def test_lcov_knows_lines_that_share_their_code(tmp_path):
    """pmk export --format lcov handles optimised code, in which a function begins at the code of
    its first statement."""
    out = export(covered(tmp_path, optimisation="-O2"), "lcov").out
    contains(out, "FNDA:0,unused\n")
    contains(out, "DA:10,0\n")
    contains(out, "DA:14,1\nDA:15,1\n")


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
    contains(out.err, "it has no lines; build the program with -g, and record it again\n")
    out = export(r.path, "lcov", "-e", "cycles", code=129)
    equal(out.err, "pmk: -e: the format lcov has no events, only executions of lines\n")


# ---- call paths ----------------------------------------------------------------------------------

# The cycles of sample() by call path: the counts of work() are divided among its threads.
PATHS = {
    "main": 63,
    "main;work": 2 + 67 + 27 + 4,
    "main;work;clamp": 40 + 20,
    "main;down": 2 + 3 + 3,
    "main;down;down": 2 + 3 + 3,
    "main;down;down;down": 3 + 2 + 3,
    "main;[anon]": 50,
    "work": 1 + 33 + 13 + 2,
    "work;clamp": 20 + 10,
}
FLAT = {"main": 63, "work": 149, "work;clamp": 90, "down": 24, "[anon]": 50}


def folded(text):
    """Returns {path: count}, splitting each line as flamegraph.pl does."""
    lines = [re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", line) for line in text.splitlines()]
    assert all(lines), text
    equal(len({m[1] for m in lines}), len(lines), "a path is there twice")
    return {m[1]: int(m[2]) for m in lines}


def has_no_paths(path):
    return f"pmk: {path} has no call paths (pmk record -g), so each function is a path of its own\n"


def test_folded(flat, paths):
    out = export(paths, "folded")
    equal((folded(out.out), out.err), (PATHS, ""))
    out = export(flat, "folded")
    equal((folded(out.out), out.err), (FLAT, has_no_paths(flat)))
    for event in (*EVENTS, "executions"):
        for path in (flat, paths):
            equal(sum(folded(export(path, "folded", "-e", event).out).values()),
                  total(path, event))


def test_folded_and_perfetto_have_one_event(paths):
    for form in ("folded", "perfetto"):
        out = export(paths, form, "-e", "cycles,dcache_miss", code=129)
        equal(out.err, f"pmk: -e cycles,dcache_miss: the format {form} can have only one event\n")


def test_folded_takes_names_apart(tmp_path):
    r = Recording(tmp_path / "names.data")
    r.event("instr_exec")
    r.object("/lib/libc.so.6")
    r.thread(0, 0)
    r.function("a;b", 0x10)
    r.code(0x10, "a;b")
    r.code(0x20)
    r.ran(0x10, 3)
    r.ran(0x20, 4)
    equal(folded(export(r.done(), "folded").out), {"a:b": 3, "[libc.so.6]": 4})


@pytest.mark.more
def test_inlined_chains_tail_calls_and_unknown_callers(tmp_path):
    """Call paths contain inlined chains, tail calls and unknown callers: g() is inlined into f(),
    and h() into g(). h() calls t(), which jumps to u(). A handler that was not called calls code
    without a symbol, which calls f()."""
    r = Recording(tmp_path / "chains.data")
    r.event("instr_exec")
    r.object("/p")
    r.thread(0, 0)
    for name, address in (("f", 0x10), ("t", 0x20), ("u", 0x30), ("handler", 0x40)):
        r.function(name, address, "/p.c", 1)
    r.inlined("g", "/p.c", 2)
    r.inlined("h", "/p.c", 3, parent="g")
    r.code(0x10, "f", "/p.c", 4, "call", target=0x20, inlined="h")
    r.code(0x20, "t", "/p.c", 5, "jump", target=0x30)
    r.code(0x30, "u", "/p.c", 6)
    r.code(0x40, "handler", "/p.c", 7, "call", target=0x80)
    r.code(0x80, flow="call", target=0x10)
    r.context("root")
    r.context("f", "root", "f", calls=1)
    r.context("t", "f", "t", 0x10, calls=1)
    r.context("handler", "t", "handler", calls=1)
    r.context("no symbol", "handler", None, 0x40, calls=1)
    r.context("f again", "no symbol", "f", 0x80, calls=1)
    for address, n, context in ((0x10, 1, "f"), (0x20, 2, "t"), (0x30, 4, "t"),
                                (0x40, 8, "handler"), (0x80, 16, "no symbol"),
                                (0x10, 32, "f again")):
        r.ran(address, n, context=context)
    path = r.done()
    want = {
        "f;g;h": 1,
        "f;g;h;t": 2,
        "f;g;h;t;u": 4,
        "f;g;h;t;handler": 8,
        "f;g;h;t;handler;[p]": 16,
        "f;g;h;t;handler;[p];f;g;h": 32,
    }
    equal(folded(export(path, "folded").out), want)
    equal(pprof(export(path, "pprof", text=False).out, tmp_path)["instr_exec"], want)


def test_speedscope_has_its_schema(flat, paths):
    import jsonschema
    with open(os.path.join(SOURCE, "tests/cli/speedscope.schema.json")) as f:
        schema_of_speedscope = json.load(f)
    for path, want in ((flat, FLAT), (paths, PATHS)):
        document = json.loads(export(path, "speedscope", "-e", "all").out)
        jsonschema.validate(document, schema_of_speedscope)
        frames = document["shared"]["frames"]
        equal([p["name"] for p in document["profiles"]], list(EVENTS))
        for p in document["profiles"]:
            equal((p["startValue"], p["endValue"]), (0, total(path, p["name"])))
            equal((len(p["samples"]), sum(p["weights"])), (len(p["weights"]), p["endValue"]))
        cycles = document["profiles"][0]
        equal({";".join(frames[i]["name"] for i in s): n
               for s, n in zip(cycles["samples"], cycles["weights"])}, want)
        equal(sorted((f["name"], f.get("file"), f.get("line")) for f in frames),
              [("[anon]", None, None), ("clamp", UTIL_H, None), ("down", MAIN_C, 20),
               ("main", MAIN_C, 10), ("work", LOOP_C, 5)])
    equal([p["name"] for p in json.loads(export(paths, "speedscope").out)["profiles"]],
          ["cpu_cycles"])


def test_firefox_has_tables_of_one_length(flat, paths):
    for path, want in ((flat, FLAT), (paths, PATHS)):
        document = json.loads(export(path, "firefox", "-e", "all").out)
        shared = document["shared"]
        threads = document["threads"]
        for table in (*(t for t in shared.values() if isinstance(t, dict)),
                      *(t["samples"] for t in threads), *(t["markers"] for t in threads)):
            equal({len(c) for c in table.values() if isinstance(c, list)}, {table["length"]})
        names, functions = shared["stringArray"], shared["funcTable"]
        frame_of, prefix = shared["stackTable"]["frame"], shared["stackTable"]["prefix"]

        def path_of(stack):
            function = shared["frameTable"]["func"][frame_of[stack]]
            above = [] if prefix[stack] is None else path_of(prefix[stack])
            return [*above, names[functions["name"][function]]]

        equal([t["name"] for t in threads], list(EVENTS))
        for t in threads:
            equal(sum(t["samples"]["weight"]), total(path, t["name"]))
        cycles = threads[0]["samples"]
        equal({";".join(path_of(s)): n for s, n in zip(cycles["stack"], cycles["weight"])}, want)
        files = shared["sources"]["filename"]
        equal(sorted((names[n], None if s is None else names[files[s]], line) for n, s, line in
                     zip(functions["name"], functions["source"], functions["lineNumber"])),
              [("[anon]", None, None), ("clamp", UTIL_H, None), ("down", MAIN_C, 20),
               ("main", MAIN_C, 10), ("work", LOOP_C, 5)])


@pytest.mark.more
def test_names_that_are_not_utf8_in_json(tmp_path):
    r = Recording(tmp_path / "bytes.data", command='a "b" \\ \x01')
    r.event("instr_exec")
    r.object("/p")
    r.thread(0, 0)
    r.function("f", 0x10)
    r.code(0x10, "f")
    r.ran(0x10, 3)
    r.db.execute("UPDATE function SET name = CAST(x'66ff' AS TEXT)")
    path = r.done()
    for form in ("speedscope", "perfetto"):
        document = json.loads(export(path, form).out)
        contains(json.dumps(document, ensure_ascii=False), "f\ufffd")
    equal(json.loads(export(path, "speedscope").out)["name"], 'a "b" \\ \ufffd')
    equal(pprof(export(path, "pprof", text=False).out, tmp_path)["instr_exec"], {"f?": 3})


def pprof(data, tmp_path):
    """Returns {event: {path: count}}, as pprof itself prints the profile."""
    have("go")
    (tmp_path / "profile.pb").write_bytes(data)
    out = run("go", "tool", "pprof", "-raw", tmp_path / "profile.pb",
              env={**os.environ, "HOME": str(tmp_path), "PPROF_TMPDIR": str(tmp_path)})
    equal(out.code, 0, str(out))
    samples, locations = re.search(r"^Samples:\n(.*?)^Locations\n(.*?)^Mappings", out.out,
                                   re.M | re.S).groups()
    names, number = {}, None
    for line in locations.splitlines():
        m = re.match(r"\s*(?:(\d+): 0x[0-9a-f]+ (?:M=\d+ )?)?(\S+) ", line)
        number = m[1] or number
        names.setdefault(number, []).insert(0, m[2])
    first, *rows = samples.splitlines()
    counted = {re.match(r"\w+", word)[0]: {} for word in first.split()}
    for row in rows:
        values, stack = row.split(":")
        path = ";".join(n for number in reversed(stack.split()) for n in names[number])
        for event, value in zip(counted, values.split()):
            if int(value):
                counted[event][path] = counted[event].get(path, 0) + int(value)
    return counted


@pytest.mark.more
def test_pprof_reads_it(flat, paths, tmp_path):
    for path, want in ((flat, FLAT), (paths, PATHS)):
        counted = pprof(export(path, "pprof", text=False).out, tmp_path)
        equal(counted["cpu_cycles"], want)
        equal({e: sum(c.values()) for e, c in counted.items()}, TOTALS)


@pytest.mark.more
def test_pprof_shows_cycles_first(paths, tmp_path):
    export(paths, "pprof", "-o", tmp_path / "profile.pb")
    out = run("go", "tool", "pprof", "-raw", tmp_path / "profile.pb",
              env={**os.environ, "HOME": str(tmp_path)})
    contains(out.out, "Comment: ./prog -n 3\n")
    contains(out.out, "\ncpu_cycles/count[dflt] instr_exec/count dcache_miss/count\n")
    export(paths, "pprof", "-e", "dcache_miss,cycles", "-o", tmp_path / "profile.pb")
    out = run("go", "tool", "pprof", "-raw", tmp_path / "profile.pb",
              env={**os.environ, "HOME": str(tmp_path)})
    contains(out.out, "\ndcache_miss/count cpu_cycles/count[dflt]\n")


@pytest.mark.more
def test_pprof_takes_the_program_for_the_program(paths, tmp_path):
    """In the exported profile, the program is the first mapping, although a loader ran before it.
    So pprof takes the program for the main binary."""
    db = sqlite3.connect(paths)
    db.executescript("UPDATE object SET id = id + 10; UPDATE function SET object = object + 10;"
                     "UPDATE code SET object = object + 10;"
                     "INSERT INTO object VALUES(1, '/lib/ld.so', 'file', NULL, 0)")
    db.close()
    export(paths, "pprof", "-o", tmp_path / "profile.pb")
    out = run("go", "tool", "pprof", "-top", tmp_path / "profile.pb",
              env={**os.environ, "HOME": str(tmp_path)})
    contains(out.out, "File: prog\n")


@pytest.mark.more
def test_pprof_shows_where_code_is(paths, tmp_path):
    export(paths, "pprof", "-o", tmp_path / "profile.pb")
    out = run("go", "tool", "pprof", "-raw", tmp_path / "profile.pb",
              env={**os.environ, "HOME": str(tmp_path)})
    # Newer versions of pprof also print the column, which pmk does not know.
    said = re.sub(r"(:\d+):0 s=", r"\1 s=", out.out)
    contains(said, "0x200c M=1 clamp /src/util.h:4 s=0\n             work /src/loop.c:8 s=5\n")
    contains(out.out, "/nonexistent/prog  [FN][FL][LN][IN]")


# The two kinds of events that pmk writes, according to Chromium's description of the format,
# https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
NUMBER = {"type": "integer", "minimum": 0}
TRACE = {
    "type": "object",
    "required": ["traceEvents"],
    "properties": {
        "displayTimeUnit": {"enum": ["ms", "ns"]},
        "otherData": {"type": "object"},
        "traceEvents": {"type": "array", "items": {
            "type": "object",
            "required": ["ph", "pid", "tid", "name"],
            "properties": {"pid": NUMBER, "tid": NUMBER, "name": {"type": "string"},
                           "args": {"type": "object"}},
            "oneOf": [
                {"properties": {"ph": {"const": "X"}, "ts": NUMBER, "dur": NUMBER,
                                "cat": {"type": "string"}},
                 "required": ["ts", "dur"]},
                {"properties": {"ph": {"const": "M"}, "name": {
                    "enum": ["process_name", "process_labels", "thread_name"]}},
                 "required": ["args"]},
            ]}},
    },
}


def paths_of_trace(events):
    """Returns {path: its own count} of each thread, computed only from the positions of the
    slices."""
    counted = {}
    for tid in sorted({e["tid"] for e in events}):
        slices = sorted((e for e in events if e["tid"] == tid and e["ph"] == "X"),
                        key=lambda e: (e["ts"], -e["dur"]))
        stack, own = [], {}
        for e in slices:
            while stack and e["ts"] >= stack[-1]["ts"] + stack[-1]["dur"]:
                stack.pop()
            if stack:
                assert e["ts"] + e["dur"] <= stack[-1]["ts"] + stack[-1]["dur"], e
                own[";".join(s["name"] for s in stack)] -= e["dur"]
            stack.append(e)
            path = ";".join(s["name"] for s in stack)
            own[path] = own.get(path, 0) + e["dur"]
        counted[tid] = {path: n for path, n in own.items() if n}
    return counted


def test_perfetto_has_slices_within_slices(flat, paths):
    import jsonschema
    document = json.loads(export(paths, "perfetto").out)
    jsonschema.validate(document, TRACE)
    events = document["traceEvents"]
    other = {path: n for path, n in PATHS.items() if path.startswith("work")}
    equal(paths_of_trace(events),
          {1: {path: n for path, n in PATHS.items() if path not in other}, 2: other})
    equal([(e["pid"], e["tid"], e["args"]["name"]) for e in events if e["name"] == "thread_name"],
          [(1, 1, "thread 0"), (1, 2, "thread 1")])
    for path in (flat, paths):
        for event in (*EVENTS, "executions"):
            trace = json.loads(export(path, "perfetto", "-e", event).out)
            jsonschema.validate(trace, TRACE)
            equal(sum(sum(own.values()) for own in paths_of_trace(trace["traceEvents"]).values()),
                  total(path, event))
            assert all(e["cat"] == (event) for e in trace["traceEvents"] if e["ph"] == "X")


def test_no_format_leaves_an_error_unsaid(paths):
    """Each format reports damage of the recording and writes nothing, even if pmk finds the damage
    late."""
    damage(paths, "UPDATE extras SET code = 99 WHERE code = (SELECT max(code) FROM extras)")
    for form in ("callgrind", "folded", "speedscope", "firefox", "pprof", "perf", "perfetto"):
        out = export(paths, form, code=125)
        equal((out.out, out.err), ("", f"pmk: {paths}: damaged: a reference to an instruction "
                                   "refers to a row that does not exist; record it again\n"))


def test_every_format_tells_a_full_disk(paths):
    for form in ("callgrind", "lcov", "folded", "speedscope", "firefox", "pprof", "perf",
                 "perfetto"):
        out = export(paths, form, "-o", "/dev/full", code=125)
        equal(out.err.splitlines()[-1], "pmk: cannot write /dev/full: No space left on device")
