# SPDX-License-Identifier: MIT
"""The page of pmk history: what stands in it, and what a browser makes of it."""
import chromium
from harness import *
from test_html import Page
from test_history import Repository

pytestmark = pytest.mark.quick
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


def test_totals_and_changes(repository, page):
    short = [c[:10] for c in repository.commits]
    equal(page.rows(id="totals"), [["<a>&b", "arm1176", "instructions", "204", "244", "+40",
                                    "+19.61%", "2"]])
    equal(page.rows(id="changes"),
          [[short[2], "<a>&b", "arm1176", "instructions", "204", "264", "+60", "+29.41%",
            "Turn 130 times"],
           [short[3], "<a>&b", "arm1176", "instructions", "264", "244", "-20", "-7.58%",
            "Turn 120 times"]])


def test_the_line(repository, page):
    """From the least count, at the bottom, to the greatest; marks where it changed."""
    figure = page.root.one("figure")
    line, *points = figure.all("path")
    at = [(float(x), float(y)) for x, y in
          re.findall(r"[ML]([\d.]+) ([\d.]+)", line.attrs["d"])]
    equal(at, [(0, 100), (333.3, 100), (666.7, 0), (1000, 33.3)])
    equal([p.attrs["class"] for p in points],
          ["point", "point", "point change more", "point change less"])
    equal(points[2].text(), f"{repository.commits[2][:10]}: 264 +60 +29.41%\nTurn 130 times")


def test_the_last_good_one_is_the_base(page):
    equal(page.rows(id="compared"), [["204", "244", "+40", "+19.61%", "<a>&b", "arm1176",
                                      "instructions"]])


def test_it_destroys_nothing(repository):
    out = repository.history("show", "--html", "results.db")
    equal(out.code, 129)
    equal(repository.history("show").code, 0)


def test_any_two_commits(repository):
    from selenium.webdriver.support.ui import Select
    try:
        browser = chromium.start(goog_loggingPrefs={"browser": "ALL", "performance": "ALL"})
    except chromium.Missing as packages:
        skip(remedy(str(packages)))
    try:
        path = repository.folder / "page.html"
        browser.get(path.as_uri())

        def shown():
            return [c.text for c in browser.find_elements("css selector", "#compared tbody td")][:4]
        equal(shown(), ["204", "244", "+40", "+19.61%"])
        for base in range(len(TURNS)):
            for new in range(len(TURNS)):
                Select(browser.find_element("id", "base")).select_by_index(base)
                Select(browser.find_element("id", "new")).select_by_index(new)
                a, b = COUNTS[base], COUNTS[new]
                delta = [f"{b - a:+}", f"{(b - a) * 100 / a:+.2f}%"] if a != b else ["", ""]
                equal(shown(), [str(a), str(b), *delta])
        asked = [m["params"]["request"]["url"] for m in
                 (json.loads(e["message"])["message"] for e in browser.get_log("performance"))
                 if m["method"] == "Network.requestWillBeSent"]
        equal(asked, [path.as_uri()])
        equal(browser.get_log("browser"), [])
        # The marks are seen, in the colours of more and less.
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "light"}]})
        colours = [browser.execute_script("return getComputedStyle(arguments[0]).stroke", e)
                   for e in browser.find_elements("css selector", ".plot .change")]
        equal(colours, ["rgb(179, 38, 30)", "rgb(27, 122, 61)"])
    finally:
        browser.quit()
