# SPDX-License-Identifier: MIT
"""Tests the page of pmk history: its content, and how a browser shows it."""
from browser import session
from harness import *
from test_html import Page
from test_history import START, Repository

pytestmark = [pytest.mark.once, lab]
TURNS = (100, 100, 130, 120)
COUNTS = [2 * n + 4 for n in TURNS]


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    repository = Repository(tmp_path_factory.mktemp("history"))
    for turns in TURNS:
        out = repository.add(repository.commit(turns), "-e", "instructions", "--name", "<a>&b")
        equal(out.code, 0, str(out))
    equal(repository.history("good", repository.commits[1]).code, 0)
    out = repository.history("show", "--html", "page.html")
    equal((out.code, out.out, out.err), (0, "", ""))
    return repository


@pytest.fixture(scope="module")
def page(repository):
    return Page(repository.folder / "page.html")


def data_of(repository):
    page = Page(repository.folder / "page.html")
    return json.loads(page.root.one("script", id="history-data").text())


def test_totals_and_changes(repository, page):
    short = [c[:10] for c in repository.commits]
    equal(page.rows(id="totals"), [["<a>&b", "arm1176", "instructions", "204", "244", "+40",
                                    "+19.61%", "2"]])
    equal(page.rows(id="changes"),
          [[short[2], "<a>&b", "arm1176", "instructions", "204", "264", "+60", "+29.41%",
            "Turn 130 times"],
           [short[3], "<a>&b", "arm1176", "instructions", "264", "244", "-20", "-7.58%",
            "Turn 120 times"]])


def test_it_destroys_nothing(repository):
    out = repository.history("show", "--html", "results.db")
    equal(out.code, 129)
    equal(repository.history("show").code, 0)


# work() changes, other() does not, and late() is only in some commits. A turn of each loop has two
# instructions.
FUNCTIONS = """	.text
	.global _start
	.type _start, %function
_start:	bl	work
	bl	other
	{call}
	mov	r0, #0
	mov	r7, #1
	svc	0
	.size _start, .-_start
	.type work, %function
work:	mov	r4, #{turns}
1:	subs	r4, r4, #1
	bne	1b
	bx	lr
	.size work, .-work
	.type other, %function
other:	mov	r4, #50
1:	subs	r4, r4, #1
	bne	1b
	bx	lr
	.size other, .-other
	.type late, %function
late:	bx	lr
	.size late, .-late
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    repository = Repository(tmp_path_factory.mktemp("recorded"))
    for turns, call, how in ((100, "nop", ["--record"]), (100, "nop", []),
                             (110, "bl late", ["--record"]), (120, "nop", ["--record"])):
        out = repository.add(repository.commit(turns, source=FUNCTIONS.format(turns=turns,
                                                                              call=call)),
                             "-e", "instr_exec", *how)
        equal(out.code, 0, str(out))
    equal(repository.history("good", repository.commits[0]).code, 0)
    out = repository.history("show", "--html", "page.html")
    equal((out.code, out.out, out.err), (0, "", ""))
    return repository


def test_functions_of_recordings(recorded):
    """The page shows the counts of functions for each commit that has a recording. It leaves out
    functions whose counts never differ."""
    data = data_of(recorded)
    equal({name: counts for _, _, name, _, counts in data["functions"]},
          {"work": "202,,222,242", "late": "0,,1,0"})
    # The totals are those of events that are in both the recordings and the counts.
    counts = data["series"][0][4].split(",")
    equal((counts[data["base"]], counts[data["last"]]), ("310", "350"))


def test_a_recording_may_be_thrown_away(recorded, tmp_path):
    files = sorted((recorded.folder / "results.db.recordings").iterdir())
    equal(len(files), 3)
    shutil.copytree(recorded.folder, tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy/results.db.recordings")
    out = run(PMK, "history", "show", "--html", "page.html", cwd=tmp_path / "copy")
    equal((out.code, out.err), (0, ""))
    page = Page(tmp_path / "copy/page.html")
    equal(json.loads(page.root.one("script", id="history-data").text())["functions"], [])


@pytest.fixture(scope="module")
def browser():
    yield from session()


def open_page(browser, repository):
    browser.get((repository.folder / "page.html").as_uri())


def test_the_line(browser, repository):
    """The line spans from the smallest count, at the bottom, to the largest, with a mark at each
    change. The dates are below the line."""
    open_page(browser, repository)
    line, *points = browser.find_elements("css selector", "figure path")
    at = [(float(x), float(y)) for x, y in
          re.findall(r"[ML]([\d.]+) ([\d.]+)", line.get_attribute("d"))]
    equal(at, [(0, 100), (333.3, 100), (666.7, 0), (1000, 33.3)])
    equal([p.get_attribute("class") for p in points],
          ["point", "point", "point change more", "point change less"])
    day = time.strftime("%Y-%m-%d", time.gmtime(START))
    equal(points[2].get_attribute("textContent"),
          f"{repository.commits[2][:10]} {day}: 264 +60 +29.41%\nTurn 130 times")
    ticks = [tick.text for tick in browser.find_elements("css selector", ".axis span")]
    equal(ticks, [f"{c[:7]}\n{day}" for c in repository.commits])


def test_the_axis_by_date(browser, tmp_path):
    """With the axis by date, the distance of two points is the time between their commits."""
    from selenium.webdriver.support.ui import Select
    repository = Repository(tmp_path)
    for day in (0, 1, 10):
        out = repository.add(repository.commit(100 + day, time=START + 86400 * day), "-e",
                             "instructions")
        equal(out.code, 0, str(out))
    equal(repository.history("show", "--html", "page.html").code, 0)
    open_page(browser, repository)

    def places():
        return [float(re.match(r"M([\d.]+)", p.get_attribute("d"))[1])
                for p in browser.find_elements("css selector", "figure .point")]
    equal(places(), [0, 500, 1000])
    Select(browser.find_element("css selector", "#lines select")).select_by_value("date")
    equal(places(), [0, 100, 1000])
    # A click on a commit compares it with the commit before.
    browser.execute_script("document.querySelectorAll('.point')[1].dispatchEvent("
                           "new MouseEvent('click'))")
    equal([browser.find_element("id", name).get_property("value") for name in ("base", "new")],
          ["0", "1"])


def choose(browser, base, new):
    from selenium.webdriver.support.ui import Select
    Select(browser.find_element("id", "base")).select_by_index(base)
    Select(browser.find_element("id", "new")).select_by_index(new)


def test_functions_of_any_two_commits(browser, recorded):
    browser.get((recorded.folder / "page.html").as_uri())
    for base, new, wanted in ((0, 2, [["202", "222", "+20", "+9.90%", "work"],
                                      ["0", "1", "+1", "", "late"]]),
                              (2, 3, [["222", "242", "+20", "+9.01%", "work"],
                                      ["1", "0", "-1", "-100.00%", "late"]]),
                              (0, 1, []), (0, 0, [])):
        choose(browser, base, new)
        rows = [[c.text for c in row.find_elements("css selector", "td")]
                for row in browser.find_elements("css selector", "#functions-compared tbody tr")
                if row.is_displayed()]
        equal(sorted(r[:4] + r[-1:] for r in rows), sorted(wanted))


def test_any_two_commits(browser, repository):
    for log in ("performance", "browser"):
        browser.get_log(log)
    path = repository.folder / "page.html"
    browser.get(path.as_uri())

    def shown():
        return [c.text for c in browser.find_elements("css selector", "#compared tbody td")][:4]
    equal(shown(), ["204", "244", "+40", "+19.61%"])
    for base in range(len(TURNS)):
        for new in range(len(TURNS)):
            choose(browser, base, new)
            a, b = COUNTS[base], COUNTS[new]
            delta = [f"{b - a:+}", f"{(b - a) * 100 / a:+.2f}%"] if a != b else ["", ""]
            equal(shown(), [str(a), str(b), *delta])
    asked = [m["params"]["request"]["url"] for m in
             (json.loads(e["message"])["message"] for e in browser.get_log("performance"))
             if m["method"] == "Network.requestWillBeSent"]
    equal(asked, [path.as_uri()])
    equal(browser.get_log("browser"), [])
    # The page shows the marks in the colours for increases and decreases.
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": "light"}]})
    colours = [browser.execute_script("return getComputedStyle(arguments[0]).stroke", e)
               for e in browser.find_elements("css selector", ".plot .change")]
    equal(colours, ["rgb(179, 38, 30)", "rgb(27, 122, 61)"])
