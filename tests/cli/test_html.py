# SPDX-License-Identifier: MIT
"""Tests the pages of pmk report, diff and stat (--html). The tests parse the pages, and compare
their numbers with those that SQL finds in the recording. test_html_browser.py tests the pages in a
browser."""
import html.parser
import itertools
import sqlite3

from harness import *
from recordings import *
import results

# The program has two phases: first() hits the cache, and second() misses.
PHASES = """
static volatile int table[1 << 16];
__attribute__((noinline)) void first(void) { for (int i = 0; i < 100000; i++) table[i % 8]++; }
__attribute__((noinline)) void second(void)
{
	for (int i = 0; i < 20000; i++)
		table[i * 97 & 0xFFFF]++;
}
int main(void) { for (int i = 0; i < 3; i++) { first(); second(); } return 0; }
"""

RECORDING = object()  # a test replaces this with the path of a recording

VOID = {"meta", "input", "br", "link", "img"}


# ---- the document -------------------------------------------------------------------------------

class Element:
    def __init__(self, tag, attrs, parent=None):
        self.tag, self.attrs, self.parent, self.inner = tag, dict(attrs), parent, []

    def text(self):
        return "".join(i if isinstance(i, str) else i.text() for i in self.inner)

    def all(self, tag=None, **attrs):
        """Yields the descendants of this element that have these attributes. A value of None means
        any value."""
        for i in self.inner:
            if isinstance(i, str):
                continue
            if tag in (None, i.tag) and all(
                    k in i.attrs and v in (None, i.attrs[k]) for k, v in attrs.items()):
                yield i
            yield from i.all(tag, **attrs)

    def one(self, tag=None, **attrs):
        found = list(self.all(tag, **attrs))
        equal(len(found), 1, f"{tag} {attrs}")
        return found[0]


class Page(html.parser.HTMLParser):
    """The document as a tree. Raises an error if an element is not closed."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.root = self.at = Element("", {})
        with open(path, encoding="utf-8") as f:
            self.source = f.read()
        self.feed(self.source)
        self.close()
        assert self.at is self.root, f"<{self.at.tag}> is not closed"

    def handle_starttag(self, tag, attrs):
        self.at.inner.append(Element(tag, attrs, self.at))
        if tag not in VOID:
            self.at = self.at.inner[-1]

    def handle_endtag(self, tag):
        equal(tag, self.at.tag, str(self.getpos()))
        self.at = self.at.parent

    def handle_data(self, data):
        self.at.inner.append(data)

    def rows(self, **attrs):
        """Returns the cells of a table's rows."""
        body = self.root.one("table", **attrs).one("tbody")
        return [[c.text() for c in row.inner if isinstance(c, Element)] for row in body.all("tr")]

    def data(self):
        """Returns the data from which the script draws the flame graph."""
        return json.loads(self.root.one("script", id="calls-data").text())

    def frames(self):
        """Returns (path of names, counts) of the flame graph."""
        data = self.data()
        names = {frame[0]: frame[1] for frame in data["frames"]}
        out = [(("all",), counts_of(data["nodes"][0][2]))]
        for parent, frame, counts in data["nodes"][1:]:
            name = f"({-frame} smaller)" if frame < 0 else names[frame]
            out.append((out[parent][0] + ((name,) if name is not None else ()), counts_of(counts)))
        return out


def number(text):
    return int(text.replace(",", "") or 0)


def counts_of(text):
    return [int(v or 0) for v in text.split(",")]


def numbers(element):
    return counts_of(element.attrs["data-v"])


def page_of(recording, *argv, out=None):
    out = out or f"{recording}.html"
    done = run(PMK, "report", "-i", recording, "--html", out, *argv)
    equal((done.code, done.out, done.err), (0, "", ""))
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("html")


@pytest.fixture(scope="module")
def recording(folder):
    return sample(folder / "paths.data", contexts=True)


@pytest.fixture(scope="module")
def page(recording):
    return Page(page_of(recording))


def self_counts(path, event):
    """Returns {name: counts of the function without its callees}, computed with SQL."""
    sql = ("SELECT coalesce(function.name, object.path), sum({0}) FROM {1} JOIN code ON "
           "code = code.id JOIN object ON code.object = object.id "
           "LEFT JOIN function ON code.function = function.id {2} GROUP BY 1")
    db = sqlite3.connect(path)
    if event == "executions":
        return dict(db.execute(sql.format("executions", "execution", "")))
    return dict(db.execute(sql.format("value", "count JOIN event ON event = event.id",
                                      "WHERE event.name = ?"), (event,)))


@pytest.mark.quick
def test_totals_are_those_of_the_recording(page, recording):
    rows = page.rows(id="totals")
    want = sqlite3.connect(recording).execute(
        "SELECT name, total, trust FROM event WHERE total IS NOT NULL ORDER BY id").fetchall()
    equal([(name, number(total), trust) for name, total, _, trust in rows], want)
    contains(page.root.text(), "there is no ETM")
    per_1000 = {row[0]: row[2] for row in rows}
    executions = total(recording, "executions")
    equal(per_1000["dcache_miss"], f"{1000 * TOTALS['dcache_miss'] / executions:.2f}")


@pytest.mark.quick
def test_functions_are_those_of_the_recording(page, recording):
    rows = page.rows(id="functions")
    got = {row[5]: number(row[0]) for row in rows}
    equal(got, {name: f["cpu_cycles"] for name, f in FUNCTIONS.items()})
    equal(got, self_counts(recording, "cpu_cycles"))
    # The page has the rows and the numbers of calls that pmk report --children prints.
    inclusive = {row[5]: number(row[2]) for row in rows}
    down = FUNCTIONS["down"]["cpu_cycles"]
    equal(inclusive["down"], down, "recursion counts once")
    equal(inclusive["main"], TOTALS["cpu_cycles"] - sqlite3.connect(recording).execute(
        "SELECT sum(value) FROM count JOIN context ON context = context.id WHERE event = 1 AND "
        "context.parent = 0 AND context.function <> 1").fetchone()[0])
    equal({row[5]: number(row[4]) for row in rows}, {"main": 1, "work": 3, "down": 3, "[anon]": 0})
    equal([number(row[0]) for row in rows], sorted(got.values(), reverse=True))


@pytest.mark.quick
def test_every_event_of_every_function(page, recording):
    table = page.root.one("table", id="functions").one("tbody")
    events = page.data()["events"]
    equal(events, ["cpu_cycles", "instr_exec", "dcache_miss", "executions"])
    for i, event in enumerate(events):
        want = self_counts(recording, event)
        for row in table.all("tr"):
            name = row.one("th").text()
            counts = numbers(row) + [0] * len(events)
            equal(counts[i], want.get(name, 0), f"{event} of {name}")


@pytest.mark.quick
def test_flame_graph_adds_up(page):
    """The widths of the flame graph are the sums over all threads, as test_html_browser.py checks.
    Here the numbers in its data are checked."""
    frames = {}
    for path, counts in page.frames():
        assert len(path) == 1 or path[:-1] in frames, path
        frames[path] = [a + b for a, b in zip(frames.get(path, [0] * 4), counts + [0] * 4)]
    # The node of each thread has the root's path, so the sums of the root are twice the totals.
    equal([n // 2 for n in frames["all",][:3]], list(TOTALS.values()))
    names = {path[1:] for path in frames}
    assert {("main", "work"), ("main", "work", "clamp"), ("work", "clamp"),
            ("main", "down", "down", "down"), ("main", "[anon]")} <= names, names
    for path, counts in frames.items():
        below = [c for p, c in frames.items() if p[:-1] == path]
        assert sum(c[0] for c in below) <= counts[0], path
    equal(frames["all", "main", "work", "clamp"][0], 60 - 20 + 30 - 10)
    assert "merged" not in page.root.one("section", id="calls").text(), "all frames are there"


def tree_recording(path, leaves):
    """Returns a recording of a million cycles in which main() calls `leaves` functions. Each of
    these functions has one cycle."""
    r = Recording(path)
    r.event("cpu_cycles", trust="modelled")
    r.object("/nonexistent/prog")
    r.thread(0, 0)
    r.function("main", 0x1000)
    for i in range(leaves):
        r.function(f"leaf{i}", 0x10000 + 16 * i)
    r.code(0x1000, "main")
    for i in range(leaves):
        r.code(0x10000 + 16 * i, f"leaf{i}")
    r.context("root")
    r.context("main", "root", "main", calls=1)
    for i in range(leaves):
        r.context(f"leaf{i}", "main", f"leaf{i}", 0x1000, calls=1)
    r.ran(0x1000, 1, cpu_cycles=1000000 - leaves, context="main")
    for i in range(leaves):
        r.ran(0x10000 + 16 * i, 1, cpu_cycles=1, context=f"leaf{i}")
    return r.done()


def called_in_turn(path):
    """Returns a recording in which main() calls first(), second() and third(), which count 10, 30
    and 20 cycles."""
    r = Recording(path)
    r.event("cpu_cycles")
    r.object("/nonexistent/prog")
    r.thread(0, 0)
    r.context("root")
    for i, (name, cycles) in enumerate((("main", 1), ("first", 10), ("second", 30), ("third", 20))):
        r.function(name, 0x1000 * (i + 1))
        r.code(0x1000 * (i + 1), name)
        r.context(name, "main" if i else "root", name, calls=1)
        r.ran(0x1000 * (i + 1), 1, cpu_cycles=cycles, context=name)
    return r.done()


@pytest.mark.quick
def test_small_frames_are_merged_and_told(tmp_path):
    page = Page(page_of(tree_recording(tmp_path / "r", 500)))
    frames = dict(page.frames())
    assert ("all", "main", "leaf7") not in frames
    equal(frames["all", "main", "(500 smaller)"], [500, 500])
    contains(page.root.one("section", id="calls").text(),
             "500 of 501 frames are merged: each has less than 0.02\u00a0% of cpu_cycles")


@pytest.mark.more
@pytest.mark.quick
def test_there_is_no_end_of_functions(tmp_path):
    """If there are more functions than the table has rows, the last row has the sum of the
    remaining functions."""
    page = Page(page_of(tree_recording(tmp_path / "r", 2500)))
    rows = page.rows(id="functions")
    equal(len(rows), 2001)
    equal(rows[-1][0:1] + rows[-1][5:6], ["501", "501 more functions"])
    equal(sum(number(row[0]) for row in rows), 1000000)


@pytest.fixture
def with_source(tmp_path):
    """Returns a recording with an existing source file, loop.c."""
    with open(tmp_path / "loop.c", "w") as f:
        f.write("".join(f"line {i}\n" for i in range(1, 41)))
    path = sample(tmp_path / "r", contexts=True)
    db = sqlite3.connect(path)
    db.execute("UPDATE file SET path = ? WHERE path = ?", (str(tmp_path / "loop.c"), LOOP_C))
    db.execute("UPDATE code SET line = 30 WHERE address = 0x2014")
    db.commit()
    return path


def listing(page, name):
    """Returns the rows of a listing as (numbers, position, text)."""
    for place in page.root.all("details", **{"class": "place"}):
        if name in place.one("summary").text():
            return [[c.text() for c in row.inner] for row in place.one("tbody").all("tr")]
    raise AssertionError(f"no listing of {name}")


@pytest.mark.quick
def test_lines_have_their_counts_and_text(with_source):
    page = Page(page_of(with_source))
    rows = listing(page, "loop.c")
    got = {row[-2]: (number(row[0]), number(row[-3]), row[-1]) for row in rows if row[0]}
    # {line: (cycles, executions of its most executed instruction, text)}
    equal(got, {"5": (3, 3, "line 5"), "7": (100, 30, "line 7"), "9": (40, 30, "line 9"),
                "30": (6, 3, "line 30")})
    equal([row[-2] for row in rows],
          ["3", "4", "5", "6", "7", "8", "9", "10", "11", "\u22ee", "28", "29", "30", "31", "32"])
    contains(rows[9][-1], "16 lines")
    # The sources main.c and util.h do not exist, so the page lists the instructions of down().
    rows = listing(page, "down")
    equal([(number(r[0]), r[-2]) for r in rows if r[0]],
          [(7, "3000"), (8, "3004"), (9, "3008")])
    contains(page.root.one("section", id="source").text(), "2 source files cannot be read")


@pytest.mark.quick
def test_hot_lines_have_their_instructions(with_source):
    page = Page(page_of(with_source))
    executions = json.loads(page.root.one("script", id="calls-data").text())["events"].index(
        "executions")
    got = {}
    for row in page.root.all("tr", **{"data-code": None}):
        insns = [line.split("\t") for line in row.attrs["data-code"].split("\n")]
        got[row.attrs["id"].split("-")[1]] = [(at, counts_of(v)[executions])
                                                  for at, v, _ in insns]
        sums = [sum(counts) for counts in itertools.zip_longest(
            *(counts_of(v) for _, v, _ in insns), fillvalue=0)]
        equal(sums, numbers(row))
    # The ids contain line numbers in hexadecimal. clamp() is inlined from a file that cannot be
    # read.
    equal(got, {"5": [("2000", 3)], "7": [("2004", 30)], "9": [("2010", 30)], "1e": [("2014", 3)]})


@pytest.mark.quick
def test_names_of_functions_are_links(with_source):
    page = Page(page_of(with_source))
    places = {e.attrs["id"] for e in page.root.all(id=None)}
    links = [a.attrs["href"] for a in page.root.all("a")]
    assert len(links) > 5 and not [a for a in links if a[1:] not in places], links


@pytest.mark.quick
def test_jumps_inside_a_function_are_links(page):
    """Jumps inside a function are links. Calls and jumps to other functions show the name of their
    target."""
    links = {row.attrs["id"]: (a.attrs["href"], a.text()) for row in page.root.all("tr", id=None)
             for a in row.all("a", **{"class": "jump"})}
    got = {key.split("-")[1]: (href.split("-")[1], arrow) for key, (href, arrow) in links.items()}
    equal(got, {"1008": ("1004", "\u2191"), "200c": ("2014", "\u2193"), "2010": ("2004", "\u2191")})
    assert all(key.split("-")[0] == href[1:].split("-")[0] for key, (href, _) in links.items())
    targets = {row[-2]: row[-1].split("\u2192 ")[1] for name in ("main", "work", "down")
               for row in listing(page, name) if "\u2192" in row[-1]}
    equal(targets, {"1004": "work", "100c": "down", "3004": "down"})


def long_recording(path):
    """Returns a recording of 6001 instructions without a symbol, 60 of which are hot."""
    r = Recording(path)
    r.event("cpu_cycles")
    r.object("/nonexistent/prog")
    r.thread(0, 0)
    r.context("root")
    for i in range(6001):
        r.code(0x1000 + 4 * i, flow="jump" if i == 7 else "next",
               target=0x1000 if i == 7 else None)
    r.ran(0x1000 + 4 * 6000, 1, cpu_cycles=1)
    for i in range(6000):
        r.ran(0x1000 + 4 * i, 1, cpu_cycles=1000 if i % 100 == 7 else 1)
    return r.done()


@pytest.mark.more
@pytest.mark.quick
def test_a_listing_that_is_too_long_has_its_hottest_rows(tmp_path):
    page = Page(page_of(long_recording(tmp_path / "r")))
    rows = listing(page, "[prog]")
    equal([number(row[0]) for row in rows if row[0]], [1000] * 60)
    equal(list(page.root.all("a", **{"class": "jump"})), [], "the target has no row")
    contains(page.root.one("section", id="source").text(), "Only what has at least 2 cpu_cycles")
    contains(rows[2][-1], "99 instructions that count less")


@pytest.mark.quick
def test_without_call_paths(tmp_path):
    page = Page(page_of(sample(tmp_path / "r")))
    equal({row[2]: number(row[0]) for row in page.rows(id="functions")},
          {name: f["cpu_cycles"] for name, f in FUNCTIONS.items()})
    contains(page.root.one("section", id="calls").text(), "pmk record -g records them")


@pytest.mark.quick
def test_named_events_alone(recording, tmp_path):
    page = Page(page_of(recording, "-e", "dcache_miss", out=tmp_path / "out"))
    equal(page.data()["events"], ["dcache_miss", "executions"])
    equal({row[5]: number(row[0]) for row in page.rows(id="functions")},
          {name: f["dcache_miss"] for name, f in FUNCTIONS.items()})


@pytest.fixture
def timed(tmp_path):
    """Returns a recording in which dcache_miss took 12 cycles 5 times, 30 cycles once and 1000
    cycles 11 times, and cpu_cycles took 1 cycle."""
    path = shutil.copy(sample(tmp_path / "r"), tmp_path / "timed")
    with sqlite3.connect(path) as db:
        db.executemany("INSERT INTO latency SELECT id, ?, ? FROM event WHERE name = ?",
                       [(1000, 11, "dcache_miss"), (12, 5, "dcache_miss"), (30, 1, "dcache_miss"),
                        (1, 4, "cpu_cycles")])
    return path


@pytest.mark.quick
def test_latencies(timed):
    page = Page(page_of(timed))
    section = page.root.one("section", id="latencies")
    equal([h.text() for h in section.all("h3")], ["cpu_cycles", "dcache_miss"])
    cells = [[[c.text() for c in row.inner if isinstance(c, Element)]
              for row in table.one("tbody").all("tr")] for table in section.all("table")]
    # 5 * 12 + 30 + 11 * 1000 = 11090 cycles in all, 17 times.
    equal(cells, [[["1", "4", "100.0", "100.0"]],
                  [["12", "5", "29.4", "0.5"], ["30", "1", "5.9", "0.3"],
                   ["1,000", "11", "64.7", "99.2"]]])
    # sqrt((5 * 144 + 900 + 11 * 1e6) / 17 - (11090 / 17)^2) = 470.733
    contains(section.text(),
             "17 times, least 12, most 1000 cycles, mean 652.353, standard deviation 470.733")
    contains(page.root.one("nav").text(), "Latencies")
    only = Page(page_of(timed, "-e", "dcache_miss"))
    equal([h.text() for h in only.root.one("section", id="latencies").all("h3")], ["dcache_miss"])


@pytest.mark.quick
def test_without_latencies(page):
    """A page of a recording without latencies has no section about them."""
    assert "Latencies" not in page.root.text()


@pytest.mark.quick
def test_latencies_of_a_damaged_recording(timed):
    """If the numbers of a latency add up to more than 64 bits can hold, the page shows 2^64 - 1."""
    with sqlite3.connect(timed) as db:
        db.execute("UPDATE latency SET times = ?", (2 ** 63 - 1,))
    text = Page(page_of(timed)).root.one("section", id="latencies").text()
    contains(text, f"{2 ** 64 - 1:,} times, least 12, most 1000 cycles")


@pytest.mark.quick
def test_a_latency_of_no_event(timed):
    with sqlite3.connect(timed) as db:
        db.execute("INSERT INTO latency VALUES(99, 1, 1)")
    out = run(PMK, "report", "-i", timed, "--html", f"{timed}.html")
    equal((out.code, out.out), (125, ""))
    contains(out.err, "a reference to an event refers to a row that does not exist")


@pytest.mark.quick
def test_the_same_bytes_every_time(recording, tmp_path):
    pages = []
    for name in ("one", "two"):
        with open(page_of(recording, out=tmp_path / name), "rb") as f:
            pages.append(f.read())
    assert pages[0] == pages[1]


@pytest.mark.quick
def test_numbers_beyond_doubles(tmp_path):
    r = Recording(tmp_path / "r")
    r.event("cpu_cycles")
    r.object("/nonexistent/prog")
    r.thread(0, 0)
    r.function("main", 0x1000)
    r.code(0x1000, "main")
    r.context("root")
    r.ran(0x1000, 1, cpu_cycles=2**62 + 1)
    equal(number(Page(page_of(r.done())).rows(id="functions")[0][0]), 2**62 + 1)


@pytest.mark.quick
@pytest.mark.parametrize("argv, message", [
    (("--sort", "file"), "--sort and --html exclude each other"),
    (("-j",), "-j and --html exclude each other"),
    (("-x,",), "-x and --html exclude each other"),
    (("-o", "out"), "-o and --html exclude each other"),
    (("--callers", "work"), "--callers and --html exclude each other"),
    (("-e", "no_such"), "no_such"),
])
def test_mistakes(recording, tmp_path, argv, message):
    out = run(PMK, "report", "-i", recording, "--html", tmp_path / "page", *argv, cwd=tmp_path)
    equal(out.code, 129)
    contains(out.err, message)
    assert re.fullmatch(r"pmk: [^\n]+\n", out.err), out.err
    equal(os.listdir(tmp_path), [])


@pytest.mark.quick
def test_the_page_is_not_the_recording(tmp_path):
    path = sample(tmp_path / "r")
    out = run(PMK, "report", "-i", path, "--html", path)
    equal(out.code, 129)
    contains(out.err, "would overwrite the input")
    equal(total(path, "cpu_cycles"), TOTALS["cpu_cycles"])


@pytest.mark.quick
def test_a_full_disk(recording):
    out = run(PMK, "report", "-i", recording, "--html", "/dev/full")
    equal(out.code, 125)
    contains(out.err, "No space left on device")


DUMP = os.path.join(SOURCE, "tests/fuzz/corpus/dump/firmware")


@pytest.mark.quick
def test_dumps_of_firmware(tmp_path):
    """A page of a dump of firmware has the data of the JSON document: totals, regions with
    distributions, samples."""
    done = run(PMK, "report", DUMP, "--html", tmp_path / "page")
    equal((done.code, done.out, done.err), (0, "", ""))
    page, doc = Page(tmp_path / "page"), json.loads(run(PMK, "report", "-j", DUMP).out)
    sections = {s.one("h2").text(): s for s in page.root.all("section")}
    regions = {c["region"] for c in doc["counters"]}
    assert len(regions) > 2
    for name in regions:
        want = [c for c in doc["counters"] if c["region"] == name]
        title = (next(t for t in sections if t.startswith(f"Region {name} ")) if name
                 else "Whole run")
        rows = [[c.text() for c in r.inner]
                for r in sections[title].one("tbody").all("tr")][:len(want)]
        equal([(r[0], number(r[1]), r[2]) for r in rows],
              [(c["event"], c["counter-value"], c["trust"]) for c in want])
        for row, counter in zip(rows, want):
            if name and counter.get("min") is not None:
                contains(row[3], f"{counter['min']:,} \u2026 {counter['max']:,}, mean ")
    contains(sections["Region fft 3 times"].text(), "mean 2000.00, deviation 1000.00")
    rows = [[c.text() for c in r.inner]
            for r in sections["Samples of br_exec"].one("tbody").all("tr")]
    equal([(number(r[0]), r[1], r[3], number(r[4])) for r in rows],
          [(p["samples"], f"{p['share']:.1f}%", p["region"] or "", p["late"])
           for p in doc["profile"]])
    equal([r[2] for r in rows], ["0x8000", "0x8004", "not known", "0x8004"])


@pytest.mark.quick
def test_several_dumps(tmp_path):
    with open(DUMP, "rb") as f:
        one = f.read()
    (tmp_path / "log").write_bytes(b"boot\n" + one + b"again\n" + one)
    done = run(PMK, "report", tmp_path / "log", "--html", tmp_path / "page")
    equal((done.code, done.err), (0, ""))
    titles = [h.text() for h in Page(tmp_path / "page").root.all("h2")]
    assert "Dump 1: Whole run" in titles and "Dump 2: Whole run" in titles, titles


@pytest.mark.quick
def test_a_capture_without_a_dump(tmp_path):
    (tmp_path / "log").write_text("hello")
    out = run(PMK, "report", tmp_path / "log", "--html", tmp_path / "page")
    equal(out.code, 125)
    contains(out.err, "no dump of pmk_target_dump()")
    equal(os.listdir(tmp_path), ["log"])


# ---- comparisons --------------------------------------------------------------------------------

def diff_page(base, fresh, *argv, code=0):
    out = f"{fresh}.diff.html"
    done = run(PMK, "diff", base, fresh, "--html", out, *argv)
    equal((done.code, done.out), (code, ""), done.err)
    return out


@pytest.fixture(scope="module")
def later(recording, folder):
    return changed(recording, folder / "later.data")


@pytest.mark.quick
def test_a_comparison_has_what_diff_has(recording, later):
    page = Page(diff_page(recording, later))
    rows = json.loads(run(PMK, "diff", "-j", recording, later).out)["rows"]

    def of(kind, event):
        return sorted((r["base"], r["new"], r["delta"]) for r in rows
                      if r["kind"] == kind and r["event"] == event)

    def in_table(name):
        return sorted(tuple(int(c.replace(",", "")) for c in row[:3])
                      for row in page.rows(id=name))

    events = ["cpu_cycles", "instr_exec", "dcache_miss"]
    equal([row[4] for row in page.rows(id="totals")], events)
    equal(in_table("totals"), sorted(of("total", event)[0] for event in events))
    for i, event in enumerate(events):
        if of("function", event):
            equal(in_table(f"e{i}-function"), of("function", event))
    # The cycles of line 7 grow by half in both threads, rounded down. A function's own count
    # excludes code that was inlined into it.
    base = FUNCTIONS["work"]["cpu_cycles"] - 60 - 30
    more = (100 - 33) // 2 + 33 // 2
    by_name = {row[4]: row for row in page.rows(id="e0-function")}
    equal(by_name["work (loop.c)"][:3], [str(base), str(base + more), f"+{more}"])
    equal(by_name["down (main.c)"][3], "gone")
    assert "limit" not in page.root.one("header").text()


def by_path(page):
    """Returns the counts of each path in the flame graph, summed over the threads."""
    sums = {}
    for path, counts in page.frames()[1:]:
        if len(path) > 1:
            sums[path] = [a + b for a, b in itertools.zip_longest(sums.get(path, []), counts,
                                                                  fillvalue=0)]
    return sums


def in_one_tree(base, fresh, events):
    """Returns the flame graph of the comparison, computed from the flame graphs of both
    recordings."""
    sides = [by_path(Page(page_of(side, "-e", ",".join(events)))) for side in (fresh, base)]
    return {path: [n for side in sides
                   for n in (side.get(path, []) + [0] * len(events))[:len(events)]]
            for path in {*sides[0], *sides[1]}}


@pytest.mark.quick
def test_a_comparison_has_the_paths_of_both_sides(recording, later):
    page = Page(diff_page(recording, later))
    events = page.data()["events"]
    equal(events, ["cpu_cycles", "instr_exec", "dcache_miss"])
    got = {path: counts + [0] * (6 - len(counts)) for path, counts in by_path(page).items()}
    equal(got, in_one_tree(recording, later, events))
    # down() calls itself. Its name is fresh() in the later recording, and its instructions have no
    # bytes by which pmk could match the two.
    equal(got["all", "main", "down"], [0, 0, 0, 24, 9, 0])
    equal(got["all", "main", "fresh"], [24, 9, 0, 0, 0, 0])
    labels = {frame[1]: frame[2] for frame in page.data()["frames"]}
    equal(labels["work"], "work (loop.c)")


def calls_of_part(path, folder, inlined, name="part"):
    """Returns a recording in which main() calls part(), and leaf() is inlined into part(). The code
    of leaf() is all code of part(), or all except one instruction."""
    r = Recording(path)
    r.event("instr_exec")
    r.event("cpu_cycles")
    r.object("/nonexistent/prog")
    r.thread(0, 0)
    r.function("main", 0x1000, f"{folder}/main.c", 1)
    r.function(name, 0x2000, f"{folder}/part.c", 9)
    r.inlined("leaf", f"{folder}/part.c", 3)
    r.context("root")
    r.context("main", "root", "main", calls=1)
    r.code(0x1000, "main", f"{folder}/main.c", 2)
    r.context(name, "main", name, site=0x1000, calls=5)
    for at in range(0x2000, 0x2010, 4):
        r.code(at, name, f"{folder}/part.c", 4 if inlined or at > 0x2000 else 10,
               inlined="leaf" if inlined or at > 0x2000 else None)
        r.ran(at, 5, cpu_cycles=10, context=name)
    r.ran(0x1000, 1, cpu_cycles=1, context="main")
    return r.done()


@pytest.mark.quick
@pytest.mark.parametrize("inlined", [(False, True), (True, False), (True, True)])
def test_a_function_without_own_code_is_in_the_paths(tmp_path, inlined):
    """If all code of a function is inlined on one or both sides, the function still has one frame
    for both sides. Cycles are the first event."""
    base, fresh = [calls_of_part(tmp_path / folder, f"/{folder}", side)
                   for folder, side in zip(("a", "b"), inlined)]
    page = Page(diff_page(base, fresh))
    equal(page.data()["events"], ["cpu_cycles", "instr_exec"])
    own = [0 if side else 10 for side in inlined]
    equal(by_path(page), {
        ("all", "main"): [41, 21, 41, 21], ("all", "main", "part"): [40, 20, 40, 20],
        ("all", "main", "part", "leaf"): [n for side in reversed(own)
                                          for n in (40 - side, 20 - side // 2)]})
    equal(page.rows(id="totals")[0][4], "cpu_cycles")


@pytest.mark.quick
def test_a_comparison_judges(recording, later):
    page = Page(diff_page(recording, later, "--fail-over", "5%", code=1))
    shaded = [row.one("th").text() for row in page.root.all("tr", **{"class": "over"})]
    equal(shaded, ["cpu_cycles", "work (loop.c)", "fresh (main.c)"])
    contains(page.root.one("header").text(), "3 counts are over their limits")
    page = Page(diff_page(recording, later, "--fail-over", "50%"))
    contains(page.root.one("header").text(), "No count is over its limit.")


@pytest.mark.quick
def test_a_comparison_of_the_same(recording):
    page = Page(diff_page(recording, recording))
    contains(page.root.one("section", id="events").text(), "Nothing: no region")
    equal({row[2] for row in page.rows(id="totals")}, {"0"})


@pytest.mark.quick
def test_a_comparison_of_documents(tmp_path):
    base = document(tmp_path / "base", [("<b>fft", {"cpu_cycles": 10})], cpu_cycles=100)
    fresh = document(tmp_path / "new", [("<b>fft", {"cpu_cycles": 30})], cpu_cycles=120)
    page = Page(diff_page(base, fresh))
    equal(list(page.root.all(id="calls")), [], "documents have no call paths")
    equal(page.rows(id="e0-region"), [["10", "30", "+20", "+200.00%", "<b>fft"]])


@pytest.mark.quick
@pytest.mark.parametrize("argv, message", [
    (("-j",), "-j, -x, --markdown and --html exclude each other"),
    (("-o", "out"), "-o and --html exclude each other"),
    (("--html", RECORDING), "would overwrite an input"),
])
def test_mistakes_of_comparisons(recording, tmp_path, argv, message):
    argv = [recording if a is RECORDING else a for a in argv]
    out = run(PMK, "diff", recording, recording, "--html", "page", *argv, cwd=tmp_path)
    equal(out.code, 129)
    contains(out.err, message)
    equal(os.listdir(tmp_path), [])


# ---- lines over time ----------------------------------------------------------------------------

@pytest.fixture(scope="module")
def program(folder):
    (folder / "phases.c").write_text(PHASES)
    return compile_arm(str(folder / "phases.c"), "html-phases", "-O1", "-static")


def stat_page(program, path, *argv):
    done = run(PMK, "stat", "--html", path, "-x,", "-e", "cpu_cycles,instr_exec,dcache_miss", *argv,
               program)
    equal(done.code, 0, str(done))
    return [line.split(",") for line in done.err.splitlines() if line and line[0] != "#"]


def test_lines_have_every_interval(program, folder):
    path = folder / "stat.html"
    rows = stat_page(program, path, "-I", "100000cycles")
    page = Page(path)
    by_event = {}
    for row in rows:
        by_event.setdefault(row[3], []).append(row)
    rows = [[number(c) for c in row[1:4]] for row in page.rows(**{"class": "all"})]
    assert len(rows) > 5
    equal(rows, [[int(row[1]) for row in of] for of in
                 zip(*(by_event[e] for e in ("cpu_cycles", "instr_exec", "dcache_miss")))])
    ends = [float(row[0]) for row in page.rows(**{"class": "all"})]
    equal(ends, sorted(ends))


def test_many_intervals_are_put_together(program, folder):
    path = folder / "many.html"
    rows = stat_page(program, path, "-I", "500cycles")
    counts = [int(row[1]) for row in rows if row[3] == "instr_exec"]
    assert len(counts) > 1000, len(counts)
    page = Page(path)
    contains(page.root.text(), f"{len(counts)} intervals, of which")
    points = [number(row[2]) for row in page.rows(**{"class": "all"})]
    each = 2
    while len(counts) > 1000 * each:
        each *= 2
    equal(points, [sum(counts[i:i + each]) for i in range(0, len(counts), each)])


def test_without_intervals_there_are_totals(program, folder):
    path = folder / "totals.html"
    rows = stat_page(program, path, "--region", "second")
    page = Page(path)
    sections = list(page.root.all("section"))
    equal([s.one("h2").text() for s in sections], ["Whole run", "Region second 3 times"])
    equal([number(next(r.all("td")).text()) for s in sections
           for r in list(s.one("tbody").all("tr"))[:3]],
          [int(row[0]) for row in rows if row[2] in ("cpu_cycles", "instr_exec", "dcache_miss")])


def test_a_page_that_cannot_be_written(program):
    done = run(PMK, "stat", "--html", program, program)
    equal((done.code, done.err),
          (129, f"pmk: --html {program} would overwrite the program; "
                "name another file\n"))
    done = run(PMK, "stat", "--html", "/dev/full", "-e", "instr_exec", program)
    equal(done.code, 125)
    contains(done.err, "cannot write /dev/full: No space left on device")
    contains(done.err, "instr_exec")


# ---- hostile names ------------------------------------------------------------------------------

EVIL = ["<script>window.evil=1</script>", "\"><img src=x onerror=window.evil=1>",
        "'/><svg onload=window.evil=1>", "</title></svg><b>", "</script><script>window.evil=1//",
        "&lt;b&gt;", "a\nb\tc\x1b[31m", "\u202egnp.exe", "x" * 5000, "<!--", "]]>", "${1}`"]


def hostile(folder):
    """Returns a recording in which an attacker has chosen every name."""
    names = iter(EVIL * 3)
    source = folder / "<script>window.evil=1<"
    source.write_text("\n".join(EVIL).replace("\x1b", "") + "\n")
    r = Recording(folder / "hostile.data", command="./" + EVIL[0], core=EVIL[1],
                  producer=EVIL[4], settings=EVIL[2], warning=EVIL[0] + "\n" + EVIL[3])
    r.event(EVIL[0])
    r.event("cpu_cycles" + EVIL[1], trust=EVIL[1][:20])
    r.event("none", trust="not supported", reason=EVIL[0])
    r.object(EVIL[1], build_id=EVIL[0])
    r.thread(0, 0)
    for i, name in enumerate(EVIL):
        r.function(name, 0x1000 * (i + 1), file=str(source) if i % 2 else EVIL[0], line=3)
    r.inlined(EVIL[0])
    r.context("root")
    for i, name in enumerate(EVIL):
        r.code(0x1000 * (i + 1), name, str(source) if i % 2 else next(names), i + 1,
               inlined=EVIL[0] if i == 3 else None)
    for i, name in enumerate(EVIL):
        r.context(f"c{i}", f"c{i - 1}" if i else "root", name, calls=1)
        r.ran(0x1000 * (i + 1), 5, context=f"c{i}", **{EVIL[0]: 10, "cpu_cycles" + EVIL[1]: 3})
    return r.done()


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory):
    return page_of(hostile(tmp_path_factory.mktemp("hostile")))


@pytest.mark.quick
def test_hostile_names_stay_text(hostile_page):
    page = Page(hostile_page)
    equal([e.attrs.get("type") for e in page.root.all("script")], ["application/json", None])
    assert {name for path, _ in page.frames() for name in path} > set(EVIL[:4])
    equal([e.tag for e in page.root.all(onerror=None)] + [e.tag for e in page.root.all("img")], [])
    equal(sum(1 for _ in page.root.all(onload=None)), 0)
    names = [row.one("th").attrs["title"] for row in
             page.root.one("table", id="functions").one("tbody").all("tr")]
    for name in EVIL:
        shown = re.sub(r"[\x00-\x1f\u202e]",
                       lambda c: "".join(f"\\x{b:02x}" for b in c[0].encode()), name)
        assert shown.upper() in (n.upper() for n in names), name
    assert "\x1b" not in page.source and "\u202e" not in page.source
    # Long names are truncated; the title attribute has the full name.
    cell = next(e for e in page.root.all("th") if e.attrs.get("title", "").startswith("xxxx"))
    equal(cell.text(), "x" * 89 + "\u2026")


@pytest.mark.quick
def test_hostile_names_of_a_comparison_stay_text(hostile_page):
    recording = str(hostile_page).removesuffix(".html")
    page = Page(diff_page(recording, recording))
    equal([e.attrs.get("type") for e in page.root.all("script")], ["application/json", None])
    assert {name for path, _ in page.frames() for name in path} > set(EVIL[:4])
    equal([e.tag for e in page.root.all(onerror=None)] + [e.tag for e in page.root.all("img")], [])
    assert "\x1b" not in page.source and "\u202e" not in page.source


SWEEP = [(program, "c<ore", {"size": size}, {"cycles": cycles, "misses": None})
         for program, counts in (("<b>sort", (10, 20, 30)), ("awk", (300, 200, 100)))
         for size, cycles in zip(("4K", "16K", "512"), counts)]


def sweep_page(folder, *argv):
    failed = ("bad", "c<ore", {"size": "4K"}, "<i>no</i>")
    path = results.database(folder / "r.db", [*SWEEP, failed])
    done = run(PMK, "sweep", "--html", folder / "sweep.html", *argv, path)
    equal((done.code, done.out, done.err), (0, "", ""))
    return folder / "sweep.html"


@lab
@pytest.mark.quick
def test_a_sweep_has_all_cells(tmp_path):
    page = Page(sweep_page(tmp_path, "--pareto", "cycles,size"))
    rows = page.rows(id="results")
    equal(rows[0], ["<b>sort", "c<ore", "512", "30", "modelled", "", ""])
    equal(rows[-1], ["bad", "c<ore", "4K", "", "", "", "<i>no</i>"])
    equal(len(rows), 7)
    equal(page.rows(id="map"), [["<b>sort", "150.0", "50.0", "100.0"],
                                ["awk", "50.0", "150.0", "100.0"]])
    contains(page.root.one("pre").text(), "cycles              size  core and settings\n")
    done = run(PMK, "sweep", "--html", tmp_path / "r.db", tmp_path / "r.db")
    equal((done.code, done.err),
          (129, f"pmk: --html {tmp_path / 'r.db'} would overwrite the database; "
                "name another file\n"))
