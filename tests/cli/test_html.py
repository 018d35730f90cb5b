# SPDX-License-Identifier: MIT
"""pmk report, diff and stat with --html: what is in the document, by a parser of its own, and what
a browser makes of it: headless Chromium. Numbers are those that SQL finds in the recording."""
import html.parser
import sqlite3

import chromium
from harness import *
from recordings import *

# Two phases, one of which misses the cache.
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

RECORDING = object()  # stands for the path of one

VOID = {"meta", "input", "br", "link", "img"}


# ---- the document -------------------------------------------------------------------------------

class Element:
    def __init__(self, tag, attrs, parent=None):
        self.tag, self.attrs, self.parent, self.inner = tag, dict(attrs), parent, []

    def text(self):
        return "".join(i if isinstance(i, str) else i.text() for i in self.inner)

    def all(self, tag=None, **attrs):
        """Elements below this one, with those attributes; None: any value."""
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
    """A tree of the document, in which every element has to be closed."""

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
        """Cells of a table's rows."""
        body = self.root.one("table", **attrs).one("tbody")
        return [[c.text() for c in row.inner if isinstance(c, Element)] for row in body.all("tr")]

    def frames(self):
        """(path of names, counts) of the flame graph."""
        names, out = [], []
        for box in self.root.one("svg", id="flame").all("svg"):
            name = box.one("title").text().split("\n")[0]
            parent = int(box.attrs["data-p"])
            names.append((names[parent] if names else ()) + (name,))
            out.append((names[-1], box))
        return out


def number(text):
    return int(text.replace(",", "") or 0)


def numbers(element):
    return [int(v or 0) for v in element.attrs["data-v"].split(",")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("html")


# ---- lines over time ----------------------------------------------------------------------------

@pytest.fixture(scope="module")
def program(folder):
    (folder / "phases.c").write_text(PHASES)
    return compile_arm(str(folder / "phases.c"), "html-phases", "-O1", "-static")


def stat_page(program, path, *argv):
    done = run(PMK, "stat", "--html", path, "-x,", "-e", "cpu_cycles,instr_exec,dcache_miss", *argv,
               program)
    equal(done.code, 0, str(done))
    return [line.split(",") for line in done.err.splitlines() if line]


def test_lines_have_every_interval(program, folder):
    path = folder / "stat.html"
    rows = stat_page(program, path, "-I", "100000cycles")
    page = Page(path)
    by_event = {}
    for row in rows:
        by_event.setdefault(row[3], []).append(row)
    figures = {f.one("b").text(): f for f in page.root.all("figure")}
    charts = page.root.one("div", **{"class": "charts"})
    ends = [float(t) for t in charts.attrs["data-t"].split(",")]
    assert len(ends) == len(by_event["cpu_cycles"]) > 5
    equal((ends[-1], ends), (1, sorted(ends)))
    for event in ("cpu_cycles", "instr_exec", "dcache_miss"):
        counts = [int(row[1]) for row in by_event[event]]
        equal([int(n) for n in figures[event].attrs["data-n"].split(",")], counts)
        equal(number(figures[event].one("output").text()), sum(counts))
        steps = re.findall(r"([ML])([\d.]+),([\d.]+)H([\d.]+)",
                           figures[event].one("path").attrs["d"])
        equal(len(steps), len(ends))
        # Each as high as its rate: the highest reaches the top, which is 0.
        rates = [n / (end - begin) for n, end, begin in zip(counts, ends, [0.0] + ends)]
        for (_, x0, y, x1), end, rate in zip(steps, ends, rates):
            assert abs(float(x1) / 1000 - end) < 1e-4
            assert abs((100 - float(y)) / 100 - rate / max(rates)) < 0.01, event
    cells = [c.text() for c in next(page.root.one("table", **{"class": "all"}).one("tbody")
                                    .all("tr")).inner]
    equal([number(c) for c in cells[1:]],
          [int(by_event[e][0][1]) for e in ("cpu_cycles", "instr_exec", "dcache_miss")])


def test_many_intervals_are_put_together(program, folder):
    path = folder / "many.html"
    rows = stat_page(program, path, "-I", "500cycles")
    counts = [int(row[1]) for row in rows if row[3] == "instr_exec"]
    assert len(counts) > 1000, len(counts)
    page = Page(path)
    contains(page.root.text(), f"{len(counts)} intervals, of which")
    figure = next(f for f in page.root.all("figure") if f.one("b").text() == "instr_exec")
    points = [int(n) for n in figure.attrs["data-n"].split(",")]
    each = -(-len(counts) // 1000)
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
          (129, f"pmk: --html {program}: that is the program to run\n"))
    done = run(PMK, "stat", "--html", "/dev/full", "-e", "instr_exec", program)
    equal(done.code, 125)
    contains(done.err, "cannot write /dev/full: No space left on device")
    contains(done.err, "instr_exec")


# ---- a browser ----------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def browser():
    """Chromium, whose pages are read and used as people would."""
    try:
        driver = chromium.start("--window-size=1200,1000",
                                goog_loggingPrefs={"browser": "ALL", "performance": "ALL"})
    except chromium.Missing as packages:
        skip(remedy(str(packages)))
    yield driver
    driver.quit()


class Shown:
    """A page in the browser."""

    def __init__(self, driver, path, script=True, scheme="light"):
        self.driver, self.path = driver, path
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not script})
        self.scheme(scheme)
        driver.get("about:blank")
        driver.get_log("performance")
        driver.get_log("browser")
        driver.get(f"file://{path}")

    def scheme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": name}]})

    def js(self, script, *argv):
        return self.driver.execute_script(script, *argv)

    def find(self, css):
        return self.driver.find_elements("css selector", css)

    def one(self, css):
        found = self.find(css)
        equal(len(found), 1, css)
        return found[0]

    def frame(self, *path):
        """The box of a frame, by the names from the root on."""
        return self.js("""
            const boxes = [...document.querySelectorAll("#flame .f")];
            const path = b => (b === boxes[0] ? [] : path(boxes[b.dataset.p])).concat(
                b.querySelector("title").textContent.split("\\n")[0]);
            return boxes.find(b => path(b).join("\\n") === arguments[0].join("\\n"));
            """, ["all", *path])

    def width(self, *path):
        return float(self.frame(*path).get_attribute("width")[:-1])

    def keys(self, element, *keys):
        from selenium.webdriver.common.keys import Keys
        element.send_keys(*[getattr(Keys, k, k) for k in keys])

    def type(self, *keys):
        self.keys(self.driver.switch_to.active_element, *keys)

    def names(self):
        """Functions that the table shows, in its order."""
        return self.js("return [...document.querySelectorAll('#functions tbody tr')]"
                       ".filter(r => r.offsetParent).map(r => r.querySelector('th').textContent)")

    def column(self, name):
        return [number(t) for t in self.js(
            "return [...document.querySelectorAll('#functions tbody tr')]"
            ".filter(r => r.offsetParent).map(r => r.querySelector(arguments[0]).textContent)",
            name)]

    def requests(self):
        """What the browser asked for, but for the page itself."""
        sent = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                sent.append(message["params"]["request"]["url"])
        return [url for url in sent if url not in (f"file://{self.path}", "about:blank")]


def test_charts_show_an_interval(browser, program, folder):
    path = folder / "chart.html"
    rows = stat_page(program, path, "-I", "100000cycles")
    misses = [int(row[1]) for row in rows if row[3] == "dcache_miss"]
    shown = Shown(browser, path)
    equal((shown.driver.get_log("browser"), shown.requests()), ([], []))
    read = """return [...document.querySelectorAll("figure")].find(
        f => f.querySelector("b").textContent === "dcache_miss").querySelector("output").textContent
        """
    equal(number(shown.js(read)), sum(misses))
    shown.js("document.querySelector('.charts').focus()")
    for i in range(2):
        shown.type("ARROW_RIGHT")
        equal(number(shown.js(read)), misses[i])
    equal(len(shown.find("figure .cursor")), len(shown.find("figure svg")))
    shown.type("ESCAPE")
    equal(number(shown.js(read)), sum(misses))
    from selenium.webdriver.common.action_chains import ActionChains
    svg = shown.find("figure svg")[-1]
    ActionChains(browser).move_to_element_with_offset(svg, 1 - svg.size["width"] // 2, 0).perform()
    equal(number(shown.js(read)), misses[0])
