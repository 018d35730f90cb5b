# SPDX-License-Identifier: MIT
"""pmk sweep of a database prints tables, the best cores, the share that each setting explains, and
heat maps. The databases are made up, so the answers are known."""
import csv
import json

from harness import *
import results

pytestmark = [pytest.mark.quick, lab]


def shown(path, *words, code=0):
    out = pmk("sweep", *words, path)
    equal(out.code, code, out)
    return out


@pytest.fixture
def plain(tmp_path):
    return results.database(tmp_path / "r.db", [
        ("sort", "b", {"size": "16K"}, {"cycles": 1234567, "misses": 0}),
        ("sort", "b", {"size": "4K"}, {"cycles": 2**63 - 1}),
        ("sort", "a", {}, {"cycles": 7, "misses": None}),
        ("awk", "b", {"size": "512"}, "it said \"no\", and, ended"),
    ])


def test_table(plain):
    equal(shown(plain).out.splitlines(), [
        "program  core  size                     cycles      misses",
        "awk      b      512  failed: it said \"no\", and, ended",
        "sort     a        -                          7  <modelled>",
        "sort     b       4K  9,223,372,036,854,775,807            ",
        "sort     b      16K                  1,234,567           0",
    ])


def test_csv(plain):
    rows = list(csv.reader(shown(plain, "-x,").out.splitlines()))
    equal(rows, [["program", "core", "size", "cycles", "misses", "failure"],
                 ["awk", "b", "512", "", "", 'it said "no", and, ended'],
                 ["sort", "a", "-", "7", "<modelled>", ""],
                 ["sort", "b", "4K", "9223372036854775807", "", ""],
                 ["sort", "b", "16K", "1234567", "0", ""]])
    contains(shown(plain, "-x;").out, 'awk;b;512;;;"it said ""no"", and, ended"\n')


def test_control_characters_are_written_as_in_stat(tmp_path):
    path = results.database(tmp_path / "r.db", [("p", "c", {}, "a\x1b[1m\nb")])
    equal(shown(path, "-x,").out, "program,core,failure\np,c,a\\x1b[1m\\x0ab\n")
    equal(shown(path).out, "program  core\np        c     failed: a\\x1b[1m\\x0ab\n")


def test_columns_of_names_that_are_not_ascii(tmp_path):
    path = results.database(tmp_path / "r.db", [("größe €", "c", {}, {"cycles": 7}),
                                                ("a\nb", "c", {}, {"cycles": 12345}),
                                                ("plain", "c", {}, {"cycles": 7})])
    equal(shown(path).out, "program  core  cycles\n"
                           "a\\x0ab   c     12,345\n"
                           "größe €  c          7\n"
                           "plain    c          7\n")


def test_json(plain):
    doc = json.loads(shown(plain, "--json-output").out)
    equal((doc["format"], doc["version"], len(doc["cells"])), ("pmk-sweep", 1, 4))
    equal(doc["cells"][1], {
        "program": "sort", "core": "a", "settings": {}, "checked": None, "failure": None,
        "counters": [{"event": e, "counter-value": v, "pmu": "c", "trust": "modelled",
                      "reason": None, "unit": None} for e, v in (("cycles", 7), ("misses", None))]})


DESIGNS = [  # sums over both programs: 110, 95, 90, 95 cycles
    (program, core, {"size": size}, {"cycles": cycles + (10 if program == "p" else 0)})
    for program in ("p", "q")
    for core, size, cycles in (("a", "1K", 50), ("a", "2K", 42), ("a", "4K", 40), ("b", "2K", 43))]


def test_what_nothing_beats(tmp_path):
    path = results.database(tmp_path / "r.db", DESIGNS)
    equal(shown(path, "--pareto", "cycles,size").out.splitlines(), [
        "          cycles              size  core and settings",
        "              90             4,096  a  size=4K",
        "              94             2,048  a  size=2K",
        "             110             1,024  a  size=1K",
        "3 of 4 cores, by the sums of 2 programs; each other core is beaten by one of these: "
        "worse in a goal, better in none"])
    equal(len(shown(path, "--pareto", "cycles").out.splitlines()), 3)


def test_a_core_that_lacks_a_program_cannot_be_the_best(tmp_path):
    path = results.database(tmp_path / "r.db", DESIGNS + [("q", "c", {"size": "1K"}, {"cycles": 1}),
                                                          ("p", "c", {"size": "1K"}, "it failed")])
    out = shown(path, "--pareto", "cycles,size").out
    assert "  c  " not in out and "3 of 5 cores" in out and "; 1 lacks a value" in out, out
    # A program that has no counts excludes no core.
    path = results.database(tmp_path / "s.db", DESIGNS + [("r", "a", {"size": "1K"}, "it failed")])
    contains(shown(path, "--pareto", "cycles,size").out, "3 of 4 cores")


def grid(value):
    return [(program, "c", {"x": str(x), "y": y}, {"cycles": int(scale * value(x, y))})
            for program, scale in (("small", 100), ("large", 1000000))
            for x in (1, 2, 4) for y in ("off", "on")]


@cases("name,value,x,y,rest", [
    ("one", lambda x, y: x, 100, 0, 0),
    # x adds -1, 0 or 1, and y adds -2 or 2. The variances of these values are 2/3 and 4.
    ("both", lambda x, y: 10 + {1: -1, 2: 0, 4: 1}[x] + {"off": -2, "on": 2}[y],
     100 * 2 / 14, 100 * 12 / 14, 0),
    ("together", lambda x, y: 5 + {1: -1, 2: 0, 4: 1}[x] * {"off": -1, "on": 1}[y], 0, 0, 100),
])
def test_which_setting_explains_how_much(tmp_path, name, value, x, y, rest):
    out = shown(results.database(tmp_path / "r.db", grid(value)), "--sensitivity", "cycles").out
    told = {n: float(share)
            for n, share in re.findall(r"^  (the rest|\w+) +(-?[\d.]+)%", out, re.M)}
    for factor, want in (("x", x), ("y", y), ("the rest", rest)):
        assert abs(told[factor] - want) < 0.11, (factor, out)
    assert set(told) == {"x", "y", "the rest"}, told


@cases("name,rows,told", [
    # x = 1 was counted only with "off", and x = 4 only with "on". The separate shares of x and y
    # would add up to more than 100 %.
    ("lack", [row for row in grid(lambda x, y: 10 * x + (y == "on"))
              if row[2] not in ({"x": "1", "y": "on"}, {"x": "4", "y": "off"})], None),
    ("one", grid(lambda x, y: x)[:-1], None),
    # Each of the two programs by itself has all combinations.
    ("program", grid(lambda x, y: x) + [("third", "c", {"x": str(x), "y": "on"}, {"cycles": x})
                                        for x in (1, 2, 4)], "0.0"),
])
def test_shares_of_settings_that_do_not_meet_are_not_added_up(tmp_path, name, rows, told):
    out = shown(results.database(tmp_path / "r.db", rows), "--sensitivity", "cycles").out
    equal("not every combination of values was counted, so shares overlap and do not add up\n"
          in out, told is None, out)
    equal(re.findall("the rest +([-0-9.]+)%", out), [told] if told else [], out)


def test_nothing_has_no_parts(tmp_path):
    rows = [("none", "c", {"x": x}, {"misses": 0}) for x in "12"]
    path = results.database(tmp_path / "r.db", rows + [("some", "c", {"x": x}, {"misses": int(x)})
                                                       for x in "13"])
    lines = shown(path, "--heat", "misses").out.splitlines()
    equal([line.split() for line in lines[1:]],
          [["program", "1", "2", "3"], ["none", "-", "-", "-"], ["some", "50.0", "-", "150.0"]])


def test_one_is_no_plural(tmp_path):
    path = results.database(tmp_path / "r.db", [
        ("p", "a", {"size": "1"}, {"cycles": 5}), ("p", "a", {"size": "2"}, "it failed")])
    contains(shown(path, "--pareto", "cycles").out, "1 of 2 cores, by the sums of 1 program; ")
    contains(shown(path, "--pareto", "cycles").out, "; 1 lacks a value\n")
    contains(shown(path, "--sensitivity", "cycles").out, "1 cell has no value\n")


def test_failures_alone_stay_in_line(tmp_path):
    path = results.database(tmp_path / "r.db", [("p", "arm1176", {"size": "1K"}, "it failed"),
                                                ("longer", "a", {"size": "2"}, "it failed")])
    equal(shown(path).out.splitlines(), ["program  core     size",
                                         "longer   a           2  failed: it failed",
                                         "p        arm1176    1K  failed: it failed"])


def test_heat_map(tmp_path):
    path = results.database(tmp_path / "r.db",
                            grid(lambda x, y: {1: 2, 2: 3, 4: 4}[x] + (y == "on") * 2 - 1)[:-1])
    # "small" has 1 2 3 and 3 4 5, whose mean is 3. "large" lacks the 5, so its mean is 2.6.
    small, large = [[1, 3], [2, 4], [3, 5]], [[1, 3], [2, 4], [3, None]]
    out = shown(path, "--heat", "cycles,x,y").out.splitlines()
    contains(out[0], "across: x")
    equal(out[1].split(), ["y", "1", "2", "4"])
    for row, y in ((2, 0), (3, 1)):
        want = []
        for x in range(3):
            both = [v / mean for v, mean in ((small[x][y], 3), (large[x][y], 2.6)) if v]
            want.append(f"{100 * sum(both) / len(both):.1f}")
        equal(out[row].split()[1:], want)
    equal(shown(path, "--heat", "cycles").out.splitlines()[1].split(), ["program", "1", "2", "4"])


def test_a_database_without_cells(tmp_path):
    path = results.database(tmp_path / "r.db", [])
    equal(shown(path).out, "no cells\n")
    equal(shown(path, "-x,").out, "program,core,failure\n")
    for words in (["--pareto", "cycles"], ["--sensitivity", "cycles"], ["--heat", "cycles"]):
        equal(shown(path, *words, code=129).err, f"pmk: {path}: no cells\n")
    shown(path, "--html", tmp_path / "r.html")


@cases("option,value,told", [
    ("--pareto", "cycels,x", "--pareto: there is no event or setting 'cycels' in the database; did "
                             "you mean cycles?"),
    ("--pareto", ",", "--pareto needs goals; for example --pareto cycles,dcache.size"),
    ("--sensitivity", "x", "--sensitivity: there is no event 'x' in the database"),
    ("--heat", "cycles,z", "--heat: there is no setting 'z' in the database"),
])
def test_mistakes(tmp_path, option, value, told):
    path = results.database(tmp_path / "r.db", grid(lambda x, y: x))
    out = shown(path, option, value, code=129)
    assert out.err.startswith(f"pmk: {told}"), out


def test_files_that_are_no_results(tmp_path):
    import sqlite3
    for name, pragma, told in (("other.db", "", "not a results database of pmk"),
                               ("next.db", f"PRAGMA application_id = {results.number('ID')};"
                                           "PRAGMA user_version = 99",
                                "its format is version 99, and this pmk reads version")):
        db = sqlite3.connect(tmp_path / name)
        db.executescript("CREATE TABLE t(x);" + pragma)
        db.close()
        contains(shown(tmp_path / name, code=125).err, f"{name}: {told}")
