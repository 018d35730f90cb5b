# SPDX-License-Identifier: MIT
"""pmk diff finds the known differences of two recordings, and of two results of pmk stat. The
limits of the gate and all forms of output are tested, too."""
import csv
import io
import pty
import select
import struct
import fcntl
import termios

from harness import *
from programs import loop
from recordings import *

pytestmark = pytest.mark.quick


@pytest.fixture
def base(tmp_path):
    return sample(str(tmp_path / "base.data"))


@pytest.fixture
def new(base, tmp_path):
    return changed(base, str(tmp_path / "new.data"))


def diff(*argv, code=0):
    out = pmk("diff", *argv)
    equal(out.code, code, str(out))
    return out


def rows(*argv, code=0):
    """Returns {(kind, event, name, line or base-line): row} of the rows in the JSON document."""
    document = json.loads(diff("-j", *argv, code=code).out)
    equal((document["format"], document["version"]), ("pmk-diff", 1))
    found = {(r["kind"], r["event"], r["name"], r["line"] or r["base-line"]): r
             for r in document["rows"]}
    equal(len(found), len(document["rows"]))
    return found


# ---- recordings ----------------------------------------------------------------------------------

def test_the_same_program_has_no_difference(base):
    found = rows("--fail-over", "0", base, base)
    equal({(k, r["delta"], r["percent"]) for k, r in found.items()},
          {(("total", e, None, None), 0, 0.0) for e in TOTALS})


def test_functions_match_though_they_have_moved(base, new):
    found = rows(base, new)
    work = found["function", "cpu_cycles", "work", None]
    # Line 7 has 100 cycles: 67 in the first thread and 33 in the second. Both parts grow by half,
    # rounded down.
    grown = 67 // 2 + 33 // 2
    equal((work["base"], work["new"], work["delta"], work["status"]),
          (149, 149 + grown, grown, "both"))
    equal((work["percent"], work["file"]), (32.89, "/build/2/src/loop.c"))
    total_row = found["total", "cpu_cycles", None, None]
    equal((total_row["base"], total_row["new"]), (TOTALS["cpu_cycles"],
                                                  TOTALS["cpu_cycles"] + grown))
    names = {k[2] for k in found if k[0] == "function"}
    equal(names, {"work", "down", "fresh"}, "what clamp() and main() count is the same")


def test_new_and_gone_functions_are_named(base, new):
    found = rows(base, new)
    down, fresh = (found["function", "cpu_cycles", name, None] for name in ("down", "fresh"))
    equal((down["status"], down["base"], down["new"], down["percent"]), ("gone", 24, 0, None))
    equal((fresh["status"], fresh["base"], fresh["new"], fresh["percent"]), ("new", 0, 24, None))
    text = diff(base, new).out
    contains(text, "24    0    -24     gone  down (main.c)\n")
    contains(text, "0   24    +24      new  fresh (main.c)\n")


def test_lines_match_by_their_distance_from_the_function(base, new):
    found = rows(base, new)
    line = found["line", "cpu_cycles", "work", 17]
    equal((line["base-line"], line["base"], line["new"]), (7, 100, 149))
    equal([k for k in found if k[0] == "line" and k[2] not in ("down", "fresh")],
          [("line", "cpu_cycles", "work", 17)])
    contains(diff(base, new).out, "100  149    +49  +49.00%  loop.c:17 in work\n")


def test_a_function_is_counted_where_it_is_inlined(tmp_path):
    """pmk diff matches clamp(). On one side it is inlined into work(). On the other side it is
    inlined into main(), and is also a separate function, which begins in line 4. The first line
    that both sides have is 5."""
    paths = []
    for side, where in (("base", "work"), ("new", "main")):
        r = Recording(tmp_path / f"{side}.data")
        r.event("cpu_cycles")
        r.object("/p")
        r.thread(0, 0)
        for name, address in (("work", 0x10), ("main", 0x20)):
            r.function(name, address, LOOP_C, 1)
        r.inlined("clamp", LOOP_C, 2)
        r.inlined("deep", UTIL_H, 3, parent="clamp")
        r.code(0x10, where, UTIL_H, 5, inlined="clamp")
        r.code(0x14, where, UTIL_H, 6, inlined="deep")
        r.ran(0x10, 1, cpu_cycles=7)
        r.ran(0x14, 1, cpu_cycles=9)
        if side == "new":
            r.function("clamp.constprop.0", 0x30, UTIL_H, 4)
            r.code(0x30, "clamp.constprop.0", UTIL_H, 4)
            r.code(0x34, "clamp.constprop.0", UTIL_H, 5)
            r.ran(0x30, 1, cpu_cycles=1)
            r.ran(0x34, 1, cpu_cycles=10)
        paths.append(r.done())
    equal({k[:1] + k[2:]: (r["base"], r["new"], r["status"])
           for k, r in rows(*paths).items() if k[1] == "cpu_cycles"},
          {("total", None, None): (16, 27, "both"), ("function", "clamp", None): (7, 18, "both"),
           ("line", "clamp", 5): (7, 17, "both"), ("line", "clamp", 4): (0, 1, "new")})


def code_of(functions, path, mode):
    """Returns a recording of functions: {name: (file, symbol, [instruction as a number])}. A
    negative number is a call of the next function; each instruction takes a cycle."""
    r = Recording(path)
    r.event("cpu_cycles")
    r.object("/lib/prog")
    r.thread(0, 0)
    address = 0x1000
    for name, (file, symbol, words) in functions.items():
        r.function(name, address, file)
        if not symbol:
            r.db.execute("UPDATE function SET symbol = NULL WHERE name = ?", (name,))
        after = address + 4 * len(words) + 16
        for word in words:
            call = {"flow": "call", "target": after} if word < 0 else {}
            r.code(address, name, file, data=struct.pack("<I", abs(word)), mode=mode, **call)
            r.ran(address, 1, cpu_cycles=1)
            address += 4
        address = after
    return r.done()


@pytest.mark.parametrize("mode,register,words,moved", (
    # bl; movw r0; ldr r1, [pc, #8]; b to the first instruction of the function
    ("arm", 1 << 12, [-0xeb000012, 0xe3000004, 0xe59f1008, 0xeafffffb],
     [-0xeb000345, 0xe30a0123, 0xe59f1010, 0xea0000aa]),
    # bl; adrp x0; add x0, x0, #8; ldr x1, [x0, #16]
    ("a64", 1, [-0x94000012, 0x90000000, 0x91002000, 0xf9400801],
     [-0x94000f12, 0xb0000a00, 0x91012000, 0xf9401801]),
    # imm; brlid; addik r5, r5, 8; lwi r6, r5, 4
    ("microblaze", 1 << 21, [0xb0000001, -0xb9f40012, 0x30a50008, 0xe8c50004],
     [0xb0000002, -0xb9f41234, 0x30a51008, 0xe8c50104])))
def test_renamed_functions_match_by_their_bodies(tmp_path, mode, register, words, moved):
    other = [n + register for n in words]
    base = code_of({"old": (LOOP_C, True, words), "gone": (LOOP_C, True, other),
                    "moved": (LOOP_C, True, other * 2),
                    "[prog+0x80]": (None, False, words * 2), "small": (LOOP_C, True, other[:3])},
                   tmp_path / "base.data", mode)
    new = code_of({"[prog+0x10]": (None, False, moved * 2), "moved": (MAIN_C, True, words),
                   "fresh": (LOOP_C, True, moved), "tiny": (LOOP_C, True, other[:3]),
                   "other": (LOOP_C, True, other[:3] * 2)}, tmp_path / "new.data", mode)
    document = json.loads(diff("-j", "--min", "0", base, new).out)
    equal([(r["name"], r["base-name"], r["base"], r["new"]) for r in document["rows"]
           if r["kind"] == "function"],
          [("other", "other", 0, 6), ("tiny", "tiny", 0, 3), ("gone", "gone", 4, 0),
           ("moved", "moved", 8, 4), ("small", "small", 3, 0)])
    new = code_of({"fresh": (LOOP_C, True, moved + moved[:1])}, tmp_path / "new.data", mode)
    assert "fresh (loop.c), was" not in diff(base, new).out, "one more instruction"
    new = code_of({"fresh": (MAIN_C, True, moved)}, tmp_path / "new.data", mode)
    db = sqlite3.connect(new)
    db.executescript("UPDATE costs SET events = (SELECT json_group_object(key, 2) FROM "
                     "json_each(events)); UPDATE event SET total = 8")
    db.close()
    contains(diff(base, new).out, " 4    8     +4  +100.00%  fresh (main.c), was old\n")


def test_an_event_that_was_recorded_twice_counts_once(tmp_path):
    have("qemu-arm")
    path = tmp_path / "twice.data"
    equal(pmk("record", "-e", "instr_exec", "-e", "instr_exec,br_exec", "-o", path, loop(10)).code,
          3)
    found = {r["event"]: r["base"] for r in json.loads(diff("-j", path, path).out)["rows"]}
    equal((found["instr_exec"], found["br_exec"] > 0), (85, True))


def test_call_paths_do_not_matter(base, tmp_path):
    other = sample(str(tmp_path / "paths.data"), contexts=True)
    assert all(r["delta"] == 0 for r in rows(base, other).values())


def test_events(base, new):
    equal({k[1] for k in rows(base, new)}, set(TOTALS))
    equal({k[1] for k in rows("-e", "cycles", base, new)}, {"cpu_cycles"})
    equal({k[1] for k in rows("-e", "executions,dcache_miss", base, new)},
          {"executions", "dcache_miss"})
    found = rows("-e", "executions", base, new)
    equal(found["total", "executions", None, None]["base"], total(base, "executions"))
    for name, line in (("cycle", f"-e: no event 'cycle' with a value in {base}; "
                                 "did you mean cpu_cycles?"),
                       ("etmextout0", f"-e: no event 'etmextout0' with a value in {base}"),
                       (",", "-e: the list is empty")):
        out = diff("-e", name, base, new, code=129)
        assert out.err.startswith(f"pmk: {line}"), out


def test_an_event_of_one_side(base, tmp_path):
    r = Recording(str(tmp_path / "one.data"), core="arm1136")
    for name in ("cpu_cycles", "instr_exec"):
        r.event(name)
    r.object("/p")
    r.thread(0, 0)
    r.code(0x10)
    r.ran(0x10, 5, cpu_cycles=6)
    one = r.done()
    out = diff(base, one)
    equal(out.err, f"pmk: dcache_miss has a value only in {base}; it is not compared\n"
          "pmk: the cores differ: arm1176 and arm1136\n")
    assert "dcache_miss" not in out.out
    out = diff("-e", "dcache_miss", base, one, code=129)
    contains(out.err, f"-e: no event 'dcache_miss' with a value in {one}")


def test_cores_of_one_family(tmp_path):
    """Two cores can be compared if their events are the same, although their PMUs have different
    names. Cores of another family cannot be compared."""
    made = {}
    for core, cycles in (("cortex-a53", 6), ("cortex-a72", 4), ("arm1176", 5)):
        r = Recording(str(tmp_path / f"{core}.data"), core=core)
        r.event("cpu_cycles", pmu=core)
        r.object("/p")
        r.thread(0, 0)
        r.code(0x10)
        r.ran(0x10, 5, cpu_cycles=cycles)
        made[core] = r.done()
    out = diff(made["cortex-a53"], made["cortex-a72"])
    equal(out.err, "pmk: the cores differ: cortex-a53 and cortex-a72\n")
    row = rows(made["cortex-a53"], made["cortex-a72"])["total", "cpu_cycles", None, None]
    equal((row["base"], row["new"]), (6, 4))
    a53, arm = made["cortex-a53"], made["arm1176"]
    contains(diff(a53, arm, code=129).err, "have no event in common")
    equal(diff("-e", "cpu_cycles", a53, arm, code=129).err.splitlines()[-1],
          f"pmk: -e: 'cpu_cycles' belongs to different PMUs in {arm} and in {a53}")


# ---- the gate ------------------------------------------------------------------------------------

def test_fail_over(base, new):
    offenders = ("pmk: cpu_cycles: from 376 to 425 (+13.03%), over {}%\n",
                 "pmk: cpu_cycles in work (/build/2/src/loop.c): from 149 to 198 (+32.89%), "
                 "over {}%\n",
                 "pmk: cpu_cycles in fresh (/build/2/src/main.c): from 0 to 24 (new), over {}%\n")
    for limit, code, first, last in (("2%", 1, 0, 3), ("13.03", 1, 0, 2), ("13.04%", 1, 1, 2),
                                     ("32%", 1, 1, 2), ("33%", 0, 0, 0), ("0", 1, 0, 3)):
        out = diff("--fail-over", limit, base, new, code=code)
        want = "".join(offenders[first:last]).replace("{}", limit.rstrip("%"))
        equal(out.err, want, limit)
    equal(diff(base, new).err, "", "nothing is judged without a limit")
    equal(diff("--fail-over", "2%", new, base).err, "", "what has shrunk is no offender")


def test_min_leaves_small_functions_out(base, new):
    out = diff("--fail-over", "20%", "--min", "199", base, new)
    assert "work" not in out.out, out
    out = diff("--fail-over", "20%", "--min", "198", base, new, code=1)
    contains(out.out, "work (loop.c)")
    assert "fresh" not in out.out, out


def test_small_functions_are_left_out_of_tables(tmp_path):
    """Tables leave out functions that have less than a thousandth of the total on both sides. JSON
    documents have all functions."""
    sizes = {"large": (900_000, 910_000), "just": (99_000, 101_000), "fewer": (2000, 1009),
             "small": (900, 1000), "fresh": (0, 500)}
    paths = []
    for side, name in enumerate(("base", "new")):
        r = Recording(tmp_path / f"{name}.data")
        r.event("cpu_cycles")
        r.object("/p")
        r.thread(0, 0)
        for i, (function, values) in enumerate(sizes.items()):
            if values[side]:
                r.function(function, 0x10 * i + 0x10)
                r.code(0x10 * i + 0x10, function)
                r.ran(0x10 * i + 0x10, 1, cpu_cycles=values[side])
        paths.append(r.done())
    out = diff("--fail-over", "1.5%", *paths, code=1)
    equal(re.findall(r"  (\w+)$", out.out, re.M),
          ["cpu_cycles", "large", "just", "fewer"], "first what adds most, then what saves")
    equal(out.err, "pmk: cpu_cycles in just: from 99000 to 101000 (+2.02%), over 1.5%\n")
    equal([k[2] for k in rows(*paths) if k[0] == "function"],
          ["large", "just", "fresh", "small", "fewer"])
    contains(diff("--min", "1000", *paths).out, "small")
    assert "fresh" not in diff("--min", "1000", *paths).out


def test_limits(base, new):
    """A limit applies to the total, which grows from 376 to 425 cycles, and to functions: work()
    grows from 149 to 198, and fresh() is new with 24."""
    run_, work, fresh = ("pmk: cpu_cycles: from 376 to 425 (+13.03%), over {}\n",
                         "pmk: cpu_cycles in work (/build/2/src/loop.c): from 149 to 198 "
                         "(+32.89%), over {}\n",
                         "pmk: cpu_cycles in fresh (/build/2/src/main.c): from 0 to 24 (new), "
                         "over {}\n")
    same = "pmk: cpu_cycles in {0}: from {1} to {1} (+0.00%), over 60\n"
    for limits, told in ((("cycles=13%",), run_.format("13%")), (("cycles=13.1%",), ""),
                         (("cpu_cycles=+48",), run_.format("+48")), (("cycles=+49",), ""),
                         (("cycles=424",), run_.format("424")), (("cycles=425",), ""),
                         (("instr_exec=0%",), ""), (("work/cycles=+48",), work.format("+48")),
                         (("*/cycles=+20",), (work + fresh).replace("{}", "+20")),
                         (("fresh/cycles=23",), fresh.format("23")), (("down/cycles=0",), ""),
                         (("*/cycles=60", "cycles=425", "work/cycles=197"),
                          (work + same.format("clamp (/build/2/src/util.h)", 90) +
                           same.format("main (/build/2/src/main.c)", 63)).replace("{}", "60"))):
        options = [f"--limit={limit}" for limit in limits]
        out = diff(*options, base, new, code=int(told != ""))
        equal(out.err, told, str(limits))
    out = diff("-e", "instr_exec", "--limit", "cycles=+1", base, new, code=1)
    contains(out.out, "cpu_cycles")
    document = json.loads(diff("-j", "--limit", "work/cycles=+48", "--fail-over", "50", base,
                               new, code=1).out)
    equal(document["limits"], [{"event": "cycles", "name": "work", "limit": "+48"},
                               {"event": None, "name": None, "limit": "50"}])
    equal([r["name"] for r in document["rows"] if r["over"]], ["work"])
    example = "such as cycles=2%, cycles=+1000, cycles=1000 or work/cycles=2%\n"
    for bad in ("cycles", "=2%", "cycles=", "cycles=-1", "/cycles=2%", "cycles=x%", "cycles=1.5"):
        equal(diff("--limit", bad, base, new, code=129).err,
              f"pmk: --limit: '{bad}' is not a limit, {example}")
    equal(diff("--limit", "nosuch/cycles=2%", base, new, code=129).err,
          f"pmk: --limit nosuch/cycles=2%: no region or function 'nosuch' in {base} or {new}\n")
    contains(diff("--limit", "cicles=2%", base, new, code=129).err,
             "pmk: --limit: no event 'cicles'")


def test_limits_of_regions(tmp_path):
    one = document(tmp_path / "one.json", [("a/b=c", {"cycles": 50})], cycles=1000)
    two = document(tmp_path / "two.json", [("a/b=c", {"cycles": 60})], cycles=1000)
    equal(diff("--limit", "a/b=c/cycles=+9", one, two, code=1).err,
          "pmk: cpu_cycles in a/b=c: from 50 to 60 (+20.00%), over +9\n")
    equal(diff("--limit", "a/b=c/cycles=+10", "--limit", "cycles=0%", one, two).err, "")


def with_libraries(path, side, **meta):
    """Returns a recording of a program with two libraries. On the new side, main() and a function
    of libtwo execute one more instruction. libone only moved, so its functions take other times."""
    r = Recording(path, **meta)
    r.event("cpu_cycles")
    for name in ("/p/prog", "/lib/libone.so.1", "/lib/libtwo.so.2"):
        r.object(name)
    r.thread(0, 0)
    for i, (name, obj, executions, cycles) in enumerate((
            ("main", "/p/prog", (10, 11), (100, 120)), ("work", "/p/prog", (10, 10), (100, 103)),
            ("one", "/lib/libone.so.1", (10, 10), (100, 160)),
            ("two", "/lib/libone.so.1", (10, 10), (100, 50)),
            ("three", "/lib/libone.so.1", (10, 10), (100, 105)),
            ("four", "/lib/libtwo.so.2", (10, 10), (100, 110)),
            ("five", "/lib/libtwo.so.2", (10, 11), (100, 112)))):
        address = 0x100 * i + 0x1000 * side + 0x1000
        r.function(name, address, obj=obj)
        r.code(address, name, obj=obj)
        r.ran(address, executions[side], cpu_cycles=cycles[side])
    return r.done()


def test_a_library_that_only_moved_is_one_row(tmp_path):
    base, new = (with_libraries(tmp_path / f"{side}.data", side) for side in (0, 1))
    out = diff("--fail-over", "10%", base, new, code=1)
    equal([line.split(None, 4) for line in
           re.search(r" by function\n\n.*\n((?: .*\n)+)", out.out)[1].splitlines()],
          [["100", "120", "+20", "+20.00%", "main"],
           ["300", "315", "+15", "+5.00%",
            "libone.so.1: 3 functions that ran the same instructions"],
           ["100", "112", "+12", "+12.00%", "five"], ["100", "110", "+10", "+10.00%", "four"],
           ["100", "103", "+3", "+3.00%", "work"]])
    equal(re.findall(r"in (\S+): from", out.err), ["main", "five"])
    equal(re.findall(r"in (\S+): from", diff("--fail-over", "4%", base, new, code=1).err),
          ["main", "libone.so.1", "five", "four"])
    found = rows(base, new)
    equal({name: found[kind, "cpu_cycles", name, None]["delta"] for kind, name in
           (("library", "libone.so.1"), ("function", "one"), ("function", "two"))},
          {"libone.so.1": 15, "one": 60, "two": -50})
    # --limit applies to a function, or to a library.
    equal(diff("--limit", "one/cycles=159", base, new, code=1).err,
          "pmk: cpu_cycles in one: from 100 to 160 (+60.00%), over 159\n")
    equal(diff("--limit", "lib*/cycles=+14", base, new, code=1).err,
          "pmk: cpu_cycles in libone.so.1: from 300 to 315 (+5.00%), over +14\n")
    # If the settings of the two sides differ, pmk diff shows each function.
    other = with_libraries(tmp_path / "other.data", 1, settings="dcache.size=8K")
    assert "libone" not in diff(base, other).out
    equal(json.loads(diff("-j", "-e", "executions", base, new).out)["rows"][0]["delta"], 2)


def test_new_functions_count_if_the_total_is_over(base, new):
    """A new function can exceed the limit only if the total exceeds it, too. The total grows from
    376 to 425 cycles. fresh() is new with 24 cycles, and down() is gone."""
    fresh = "pmk: cpu_cycles in fresh (/build/2/src/main.c): from 0 to 24 (new), over {}%\n"
    for limit, named in ((6, True), (7, False)):
        equal(fresh.format(limit) in diff("--fail-over", str(limit), base, new, code=1).err, named)
    db = sqlite3.connect(new)
    db.executescript("UPDATE costs SET events = (SELECT json_group_object(key, iif(value > 40, "
                     "1, value)) FROM json_each(events)); UPDATE event SET total = "
                     "(SELECT sum(value) FROM count WHERE event = event.id) WHERE total > 0")
    db.close()
    assert "fresh" not in diff("--fail-over", "0", base, new).err, "the total has shrunk"


def test_from_nothing_is_over_any_limit(tmp_path):
    one = document(tmp_path / "one.json", cpu_cycles=0)
    two = document(tmp_path / "two.json", cpu_cycles=3)
    out = diff("--fail-over", "1000%", one, two, code=1)
    equal(out.err, "pmk: cpu_cycles: from 0 to 3, over 1000%\n")
    contains(out.out, "was 0  cpu_cycles\n")


def test_over_is_in_the_document(base, new):
    found = rows("--fail-over", "20%", base, new, code=1)
    equal([k for k, r in found.items() if r["over"]], [("function", "cpu_cycles", "work", None)])


# ---- results of pmk stat -------------------------------------------------------------------------

def test_documents(tmp_path):
    big = 2**53 + 1
    one = document(tmp_path / "one.json", [("fft", {"instr_exec": 50}), ("old", {"instr_exec": 7})],
                   cycles=1000, instr_exec=big, nosuch=None)
    two = document(tmp_path / "two.json", [("fft", {"instr_exec": 60})], cpu_cycles=990,
                   instr_exec=big + 2, nosuch=None)
    found = rows(one, two)
    equal({k: (r["base"], r["new"], r["delta"], r["percent"], r["status"])
           for k, r in found.items()}, {
        ("total", "cpu_cycles", None, None): (1000, 990, -10, -1.0, "both"),
        ("total", "instr_exec", None, None): (big, big + 2, 2, 0.0, "both"),
        ("region", "instr_exec", "fft", None): (50, 60, 10, 20.0, "both"),
        ("region", "instr_exec", "old", None): (7, 0, -7, None, "gone"),
    })
    out = diff("--fail-over", "2%", one, two, code=1)
    equal(out.err, "pmk: instr_exec in fft: from 50 to 60 (+20.00%), over 2%\n")
    contains(out.out, "instr_exec by region")


def test_lines_of_stat_are_read(tmp_path):
    """pmk diff reads the lines of pmk stat -j. They have times, such as task-clock, in
    milliseconds, and pmk diff shows nanoseconds."""
    def line(value, event, unit="", **more):
        return json.dumps({"counter-value": value, "unit": unit, "event": event, "pmu": "arm1176",
                           "trust": "exact", **more}) + "\n"

    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_text("# started on Mon\n\n" +
                   line("5.000000", "instr_exec", interval=0.1) +
                   line("1000.000000", "cycles") + line("18446744073709551615.000000", "instr_exec")
                   + line("<not supported>", "nosuch") + line("1.500000", "task-clock", "msec") +
                   line("2.250000", "read", "MiB") + line("7.000000", "cycles", cpu="1") +
                   line("50.000000", "cycles", region="fft", entries=1) +
                   '{"metric-value" : 1.5, "metric-unit" : "ipc"}\n{"partial" : true}\n')
    document(two, [("fft", {"cycles": 60})], cycles=990, instr_exec=2**64 - 1,
             **{"task-clock": 2500000, "read": 9})
    out = diff("-j", one, two)
    found = {(r["kind"], r["event"], r["name"]): (r["base"], r["new"])
             for r in json.loads(out.out)["rows"]}
    equal(found, {("total", "cpu_cycles", None): (1000, 990),
                  ("total", "instr_exec", None): (2**64 - 1, 2**64 - 1),
                  ("total", "task-clock", None): (1500000, 2500000),
                  ("region", "cpu_cycles", "fft"): (50, 60),
                  ("region", "cpu_cycles", "CPU1"): (7, 0)})
    equal(out.err, f"pmk: {one}: read is not compared, because its value is rounded to MiB; "
                   "'pmk stat --json-document' writes the exact count\n"
                   f"pmk: {one} is partial: a part of the run was not counted\n"
                   f"pmk: read has a value only in {two}; it is not compared\n")


def test_lines_and_documents_of_one_run_are_equal(tmp_path):
    run = ("stat", "-e", "all", "--region", "f", loop(1000))
    for option in ("-j", "--json-document"):
        equal(pmk(*run[:1], option, "-o", tmp_path / option, *run[1:]).code, 3)
    found = rows(tmp_path / "-j", tmp_path / "--json-document")
    assert len(found) > 20, found
    equal([k for k, r in found.items() if r["delta"] or r["status"] != "both"], [])


def test_lines_of_perf_are_read(tmp_path):
    have("perf")
    paths = [tmp_path / "one.json", tmp_path / "two.json"]
    for path in paths:
        out = run("perf", "stat", "-j", "-e", "task-clock,page-faults", "-o", path, "true")
        if out.code:
            skip(f"perf does not count here: {out.err}")
    found = rows(*paths)
    equal({k[1] for k in found}, {"task-clock", "page-faults"})
    assert all(r["base"] > 10 for r in found.values()), found


def test_broken_lines_are_told_of(tmp_path):
    good = str(document(tmp_path / "good.json", cpu_cycles=1))
    bad = tmp_path / "bad.json"
    for text in ('{"counter-value" : "1.000000", "event" : "cycles"}\n{"counter-value" : "1.0',
                 '{"interval" : 1.0}\n', '{}\n', '[1]\n', '"x"\n', "\n", ""):
        bad.write_text(text)
        out = diff(bad, good, code=125)
        assert re.fullmatch(f"pmk: {bad}: (neither a recording nor JSON|not a result of pmk stat"
                            "|no event in it has a value for the whole run); .*\n", out.err), out


def test_intervals_are_left_out(tmp_path):
    for name, n in (("one", 5), ("two", 6)):
        document(tmp_path / f"{name}.json", cpu_cycles=100)
        with open(tmp_path / f"{name}.json") as f:
            content = json.load(f)
        content["counters"].insert(0, {**content["counters"][0], "counter-value": n,
                                       "interval": {"seconds": 1}})
        with open(tmp_path / f"{name}.json", "w") as f:
            json.dump(content, f)
    equal([(r["base"], r["new"]) for r in
           rows(tmp_path / "one.json", tmp_path / "two.json").values()], [(100, 100)])


def test_bad_input(base, tmp_path):
    good = str(document(tmp_path / "good.json", cpu_cycles=1))
    empty = str(document(tmp_path / "empty.json"))
    other = tmp_path / "other.json"
    other.write_text('{"format":"pmk-list","counters":[]}')
    (tmp_path / "text").write_text("hello")
    with open(base, "rb") as f:
        (tmp_path / "cut.data").write_bytes(f.read()[:5000])
    assert re.fullmatch(f"pmk: {tmp_path}/cut.data: (database disk|its end is missing).*\n",
                        diff(base, tmp_path / "cut.data", code=125).err)
    tail = ("; pmk record, and pmk stat with -j or --json-document, write files that "
            "pmk diff compares")
    mixed = (f"{base} is a recording, but {good} is not; compare two recordings or two results of "
             "pmk stat")
    for files, code, line in (
            ((good, tmp_path / "none"), 125,
             f"{tmp_path}/none: cannot be read: No such file or directory"),
            ((good, tmp_path), 125, f"{tmp_path}: cannot be read: Is a directory"),
            ((tmp_path / "text", good), 125,
             f"{tmp_path}/text: neither a recording nor JSON{tail}"),
            ((other, good), 125, f"{other}: not a result of pmk stat{tail}"),
            ((empty, good), 125,
             f"{empty}: no event in it has a value for the whole run{tail}"),
            ((base, good), 129, mixed),
            ((good, base), 129, mixed),
            ((good,), 129, "there is no pmk.data.old in the current folder; name two files, "
             "or let pmk record write pmk.data twice"),
            ((good, good, good), 129, f"diff compares two files; {good} is one too many"),
            (("--fail-over", "much", good, good), 129,
             "--fail-over: 'much' is not a percentage, such as 2%"),
            (("--fail-over", "-1%", good, good), 129,
             "--fail-over: '-1%' is not a percentage, such as 2%"),
            (("--min", "-1", good, good), 129, "--min: '-1' is not a 64-bit number"),
            (("-j", "--markdown", good, good), 129,
             "-j, -x, --markdown and --html exclude each other"),
            (("-o", good, good, good), 129,
             f"-o {good} would overwrite an input; name another file"),
            (("-o", "/dev/full", good, good), 125,
             "cannot write /dev/full: No space left on device")):
        out = diff(*files, code=code)
        equal((out.out, out.err), ("", f"pmk: {line}\n"))


def test_the_old_recording_is_compared(base, new, tmp_path):
    """As in perf, pmk diff without a second name compares with pmk.data.old, to which pmk record
    renames pmk.data."""
    shutil.copy(base, tmp_path / "pmk.data.old")
    shutil.copy(new, tmp_path / "pmk.data")
    for files in ((), (new,)):
        out = run(PMK, "diff", "-e", "cycles", *files, cwd=tmp_path)
        equal((out.code, out.err), (0, ""))
        contains(out.out, f" Difference of {files[0] if files else 'pmk.data'} to pmk.data.old\n")
        contains(out.out, "376  425    +49  +13.03%  cpu_cycles\n")
    # pmk record keeps the file of the previous run, unless -o names a file.
    totals = []
    for argv in ((loop(10),), (loop(20),), ("-o", "pmk.data", loop(30))):
        equal(run(PMK, "record", "-e", "instr_exec", *argv, cwd=tmp_path).code, 3)
        totals.append([total(tmp_path / name, "instr_exec")
                       for name in ("pmk.data.old", "pmk.data")])
    equal(totals, [[total(new, "instr_exec"), 85], [85, 165], [85, 245]])


def test_a_partial_side_is_told(tmp_path):
    path = document(tmp_path / "partial.json", cpu_cycles=1)
    text = path.read_text()
    path.write_text(text.replace('"metrics"', '"partial": true, "metrics"'))
    equal(diff(path, path).err, f"pmk: {path} is partial: a part of the run was not counted\n" * 2)


# The labels from the strongest to the weakest, according to pmk-diff(1).
LABELS = ["within 10 % in L1 code, 20 % in memory", "within 7 % in L1 code, 20.5 % in memory",
          "within 5 % in L1 code, unchecked in memory",
          "within 30 % in L1 code, unchecked in memory", "unchecked"]


def noted(path, checked=None, note=None, warning=None):
    """Writes a result of pmk stat with this label, note and warning."""
    document(path, cpu_cycles=100)
    whole = {**json.loads(path.read_text()), "checked": checked, "note": note, "warning": warning}
    path.write_text(json.dumps(whole))
    return path


@pytest.mark.parametrize("strong, weak", [(a, b) for i, a in enumerate(LABELS)
                                          for b in LABELS[i + 1:]])
def test_the_weaker_label_is_that_of_the_difference(tmp_path, strong, weak):
    one, two = noted(tmp_path / "one.json", strong), noted(tmp_path / "two.json", weak)
    for base, new, weaker, other in ((one, two, "new", "base"), (two, one, "base", "new")):
        found = json.loads(diff("-j", base, new).out)
        equal((found["checked"], found[weaker]["checked"], found[other]["checked"]),
              (weak, weak, strong))
        contains(" ".join(diff(base, new).out.split()),
                 f" the weaker label of cycles ({weaker}): {weak} cycles ({other}): {strong} ")


def test_notes_are_printed_once(tmp_path):
    one = noted(tmp_path / "one.json", "unchecked", "of all\nof one")
    two = noted(tmp_path / "two.json", "unchecked", "of two\nof all", "a <fault>")
    lines = ["cycles: unchecked", "warning (new): a <fault>", "note: of all", "note (base): of one",
             "note (new): of two"]
    page, form = tmp_path / "page.html", "### Difference of `{}` to `{}`\n\n".format(two, one)
    equal(diff(one, two).out.split("\n\n")[1], "\n".join(" " + line for line in lines))
    equal(diff("-x,", one, two).out.splitlines()[1:], ["# " + line for line in lines])
    contains(diff("--markdown", one, two).out,
             form + "".join(f"`{line}`\n\n" for line in lines) + "| event |")
    diff("--html", page, one, two)
    equal(re.findall('<p class="note">(.*)</p>', page.read_text()),
          [line.replace("<fault>", "&lt;fault&gt;") for line in lines])
    found = json.loads(diff("-j", one, two).out)
    equal([found[side][key] for side in ("base", "new") for key in ("warning", "note")],
          [None, "of all\nof one", "a <fault>", "of two\nof all"])


def test_remarks_of_recordings_and_lines(tmp_path):
    """A side without a label is neither stronger nor weaker than the other side. Lines of stat -j
    have notes, but no label."""
    recording = Recording(tmp_path / "one.data", checked="unchecked", note="of one")
    recording.event("instr_exec")
    path = recording.done()
    contains(diff(path, path).out, "\n cycles: unchecked\n note: of one\n")
    lines = tmp_path / "lines.json"
    lines.write_text('{"counter-value": "7.000000", "event": "cpu_cycles", "pmu": "arm1176"}\n'
                     '{"partial": false, "warning": "slow", "note": "of lines"}\n')
    one = noted(tmp_path / "one.json", "unchecked")
    equal(diff(one, lines).out.split("\n\n")[1],
          " cycles (base): unchecked\n warning (new): slow\n note (new): of lines")
    equal(json.loads(diff("-j", one, lines).out)["checked"], None)


def test_nothing_in_common(tmp_path):
    one, two = (str(document(tmp_path / f"{name}.json", **{name: 1})) for name in ("a", "b"))
    out = diff(one, two, code=129)
    equal(out.err.splitlines()[-1], f"pmk: {one} and {two} have no event in common; count the same "
                                    "events in both")


def test_the_page_of_gates(tmp_path):
    """Each pmk diff command of docs/ci.md works exactly as written there."""
    have("jq")
    with open(os.path.join(SOURCE, "docs/ci.md")) as f:
        commands = re.findall(r"^[ -]*(pmk diff .*)$", f.read(), re.M)
    assert len(commands) > 3, commands
    for name, n in (("base", 1000), ("new", 1001)):
        document(tmp_path / f"{name}.json", cycles=n, instr_exec=n, dcache_miss=n)
        sample(str(tmp_path / f"{name}.data"))
    env = {**os.environ, "PATH": BUILD + ":" + os.environ["PATH"]}
    for command in commands:
        out = run("sh", "-c", command, cwd=tmp_path, env=env)
        equal((out.code, out.err), (0, ""), command)


# ---- what is written -----------------------------------------------------------------------------

def test_text(base, new):
    equal(diff("-e", "cycles", base, new).out, f"""
 Difference of {new} to {base}

  base  new  delta        %
   376  425    +49  +13.03%  cpu_cycles

 cpu_cycles by function

  base  new  delta        %
   149  198    +49  +32.89%  work (loop.c)
     0   24    +24      new  fresh (main.c)
    24    0    -24     gone  down (main.c)

 cpu_cycles by line

  base  new  delta        %
   100  149    +49  +49.00%  loop.c:17 in work

""")


def test_csv(base, new):
    out = diff("-x;", "-e", "cycles", base, new).out
    found = list(csv.reader(io.StringIO(out), delimiter=";"))
    equal(found[:3], [
        ["total", "cpu_cycles", "376", "425", "49", "13.03", "both", "", "", ""],
        ["function", "cpu_cycles", "149", "198", "49", "32.89", "both", "work",
         "/build/2/src/loop.c", ""],
        ["function", "cpu_cycles", "0", "24", "24", "", "new", "fresh", "/build/2/src/main.c", ""]])
    contains(out, "line;cpu_cycles;100;149;49;49.00;both;work;/build/2/src/loop.c;17\n")
    contains(out, "line;cpu_cycles;9;0;-9;;gone;down;/src/main.c;23\n")


def test_markdown(base, new):
    out = diff("--markdown", "--fail-over", "20%", "-e", "cycles,instr_exec", base, new,
               code=1).out
    equal(out, f"""### Difference of `{new}` to `{base}`

**1 count is over its limit.**

| event | base | new | delta | % |
|---|--:|--:|--:|--:|
| `cpu_cycles` | 376 | 425 | +49 | +13.03% |
| `instr_exec` | 148 | 148 | 0 | 0.00% |

<details><summary>cpu_cycles: +49, +13.03%</summary>

| function | base | new | delta | % |
|---|--:|--:|--:|--:|
| `work (loop.c)` | 149 | 198 | +49 | **+32.89%** |
| `fresh (main.c)` | 0 | 24 | +24 | new |
| `down (main.c)` | 24 | 0 | -24 | gone |

| line | base | new | delta | % |
|---|--:|--:|--:|--:|
| `loop.c:17 in work` | 100 | 149 | +49 | +49.00% |

</details>

<details><summary>instr_exec: 0, 0.00%</summary>

| function | base | new | delta | % |
|---|--:|--:|--:|--:|
| `fresh (main.c)` | 0 | 9 | +9 | new |
| `down (main.c)` | 9 | 0 | -9 | gone |

</details>

""")
    contains(diff("--markdown", "--fail-over", "40%", base, new).out,
             "\nNo count is over its limit.\n")


def test_names_in_markdown_are_no_markup(tmp_path):
    name = "T&lt; a|b operator[](int)~$x@y:z:#1{{}}"
    old, new = (many(tmp_path / f"{n}*.data", n, name) for n in (1, 2))
    out = diff("--markdown", old, new).out
    contains(out, f"### Difference of `{tmp_path}/2*.data` to `{tmp_path}/1*.data`\n")
    contains(out, "| `T&lt; a\\|b operator[](int)~$x@y:z:#1{}` | ")
    quotes = (many(tmp_path / f"{n}q", n, "a``b{}") for n in (1, 2))
    contains(diff("--markdown", *quotes).out, "| ``` a``b1 ``` | ")
    long = (many(tmp_path / f"{n}l", n, "begin" + "x" * 100 + "end{}") for n in (1, 2))
    contains(diff("--markdown", *long).out, f"| `begin{'x' * 34}...{'x' * 34}end1` | ")


def many(path, n, name):
    r = Recording(str(path))
    r.event("cpu_cycles")
    r.object("/p")
    r.thread(0, 0)
    for i in range(n):
        r.function(name.format(i), 0x10 * i + 0x10)
        r.code(0x10 * i + 0x10, name.format(i))
        r.ran(0x10 * i + 0x10, 1, cpu_cycles=1000 * (i + 1))
    return r.done()


def test_long_tables_say_how_much_there_is_more(tmp_path):
    paths = many(tmp_path / "one", 25, "f{}"), many(tmp_path / "two", 25, "g{}")
    out = diff(*paths).out
    equal(len(re.findall(r"\b[fg]\d+\n", out)), 20)
    contains(out, "  30 more differ; -j and -x have all\n")
    contains(out, "25,000       0  -25,000  gone  f24\n")
    equal(len([k for k in rows(*paths) if k[0] == "function"]), 50)


def on_terminal(columns, *argv):
    """Returns the output on a terminal with this number of columns."""
    main, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    p = subprocess.Popen([PMK, "diff", *map(str, argv)], stdout=end, stdin=end)
    os.close(end)
    data = b""
    while True:
        try:
            select.select([main], [], [])
            part = os.read(main, 4096)
        except OSError:
            break
        if not part:
            break
        data += part
    os.close(main)
    equal(p.wait(), 0)
    return data.decode().replace("\r\n", "\n")


def test_rows_fit_the_terminal(tmp_path):
    long = "{0}a_name_that_has_no_end_é" * 6
    paths = many(tmp_path / "one", 3, "f" + long), many(tmp_path / "two", 3, "g" + long)
    for columns in (50, 80):
        text = on_terminal(columns, *paths)
        tables = [line for line in text.splitlines() if "Difference" not in line]
        assert max(map(len, tables)) <= columns, text
        equal(text.count("..."), 6)
    assert "..." not in diff(*paths).out, "nothing is cut in a file"
