# SPDX-License-Identifier: MIT
"""pmk report and annotate of recordings that are made here, row by row: their numbers are known.
And of files that are no recordings, or not whole."""
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

EVENTS = ("cpu_cycles", "instr_exec", "dcache_miss")


@pytest.fixture
def flat(tmp_path):
    return sample(tmp_path / "flat.data")


@pytest.fixture
def paths(tmp_path):
    return sample(tmp_path / "paths.data", contexts=True)


def report(path, *argv, code=0):
    out = run(PMK, "report", "-i", path, *argv)
    equal(out.code, code, str(out))
    return out


def table(path, *argv):
    """Rows of CSV by their name."""
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
    """What a program writes to a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {**os.environ, "TERM": "xterm", "PMK_PAGER": "cat", **env}
    env.pop("NO_COLOR", None)
    child = subprocess.Popen([PMK, *argv], stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    text = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # nobody has the other end any more
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
    # A third of work() was in the second thread, each count rounded down.
    other = 1 + 33 + 20 + 10 + 13 + 2
    equal(cycles("thread"), {"process 0, thread 0": 376 - other, "process 0, thread 1": other})
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


def test_children(paths):
    rows = table(paths, "--children")
    inclusive = {n: int(r["cpu_cycles:children"]) for n, r in rows.items()}
    other = 1 + 33 + 20 + 10 + 13 + 2  # work() in the second thread, which main() did not call
    # Recursion counts once, and code without a name ran below main().
    equal(inclusive, {"main": 376 - other, "work": 239, "[anon]": 50, "down": 24})
    equal({n: int(r["cpu_cycles"]) for n, r in rows.items()},
          {n: f["cpu_cycles"] for n, f in FUNCTIONS.items()})
    equal(list(rows), ["main", "work", "[anon]", "down"])


def test_children_need_call_paths(flat):
    contains(fails(129, "report", "--children", flat), "pmk record -g")
    contains(fails(129, "report", "--children", "--sort", "file", flat), "--sort file")


def test_text(flat):
    out = report(flat).out
    contains(out, " Recording of './prog -n 3'\n core arm1176, counted by qemu-arm 7.2.22\n")
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
    """Many events, and a function with a long name."""
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


@pytest.mark.parametrize("columns", [60, 80, 132, 300])
def test_text_fits_the_terminal(tmp_path, columns):
    path = wide(tmp_path / "wide.data")
    code, text = on_terminal("report", path, columns=columns)
    equal(code, 0)
    assert all(len(line) <= columns for line in text.splitlines()), text
    every = set(re.findall(r"an_event_with_a_name_\d", text))
    equal(len(every), 9, "each is shown or named: " + text)
    equal("No room for" in text, columns < 300)
    # No word of the name is broken.
    name = "std::map<int, std::string, std::less<int> >::find(int const&)"
    for word in name.split():
        contains(text, word)


def test_a_pipe_has_80_columns(tmp_path):
    lines = report(wide(tmp_path / "wide.data")).out.splitlines()
    assert max(map(len, lines)) <= 80, lines


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
    contains(one_line(out.err), "no pmk.data here")


def test_output_file(flat, tmp_path):
    equal(report(flat, "-o", tmp_path / "out", "-x,").out, "")
    contains((tmp_path / "out").read_text(), "work,/nonexistent/prog")
    before = open(flat, "rb").read()
    contains(fails(129, "report", "-o", flat, flat), "that is the file to read")
    equal(open(flat, "rb").read(), before)


# ---- options of the other kind of file -----------------------------------------------------------

def test_options_of_the_other_kind(flat, tmp_path):
    contains(fails(129, "report", "--elf", "/bin/true", flat), "--elf is of firmware's dumps")
    contains(fails(129, "report", "-M", "cpi", flat), "-M is of firmware's dumps")
    (tmp_path / "log").write_text("no dump")
    for option in (["--sort", "file"], ["-e", "cycles"], ["--percent-limit", "1"], ["--children"]):
        contains(fails(129, "report", *option, tmp_path / "log"), f"{option[0]} is of recordings")


# ---- bad input -----------------------------------------------------------------------------------

def change(path, sql):
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.close()


COMMANDS = [["report"]]


@pytest.mark.parametrize("command", COMMANDS)
def test_other_databases(flat, tmp_path, command):
    change(flat, "PRAGMA user_version=2")
    contains(fails(125, *command, "-i", flat), "its format is version 2")
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
    change(flat, "DROP TABLE count")
    contains(fails(125, *command, "-i", flat), "damaged")


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
