# SPDX-License-Identifier: MIT
"""Tests the pages of pmk report, diff, stat and sweep in a browser, headless Chromium."""
import results
from browser import session
from harness import *
from recordings import *
from test_html import (EVIL, Page, called_in_turn, diff_page, folder, hostile_page, later,
                       long_recording, number, page, page_of, program, recording, self_counts,
                       stat_page, sweep_page, timed, with_source)

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def browser():
    """Starts Chromium, in which the tests read and use pages as a person would."""
    yield from session("--window-size=1200,1000")


class Shown:
    """A page that the browser shows."""

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
        """Returns the box of a frame, found by the names from the root on."""
        return self.js("""
            const boxes = [...document.querySelectorAll("#flame .f")];
            const path = b => (b === boxes[0] ? [] : path(boxes[b.dataset.p])).concat(
                b.getAttribute("aria-label").split("\\n")[0]);
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
        """Returns the functions that the table shows, in its order."""
        return self.js("return [...document.querySelectorAll('#functions tbody tr')]"
                       ".filter(r => r.offsetParent).map(r => r.querySelector('th').textContent)")

    def column(self, name):
        return [number(t) for t in self.js(
            "return [...document.querySelectorAll('#functions tbody tr')]"
            ".filter(r => r.offsetParent).map(r => r.querySelector(arguments[0]).textContent)",
            name)]

    def open_listings(self):
        """Opens all listings, whose tables the script makes only then."""
        self.js("document.querySelectorAll('.place').forEach(place => place.open = true)")
        wait_until(lambda: not self.find(".place noscript"), "the listings are made")

    def requests(self):
        """Returns the addresses that the browser requested, except that of the page itself."""
        sent = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                sent.append(message["params"]["request"]["url"])
        return [url for url in sent if url not in (f"file://{self.path}", "about:blank")]


@pytest.fixture
def shown(browser, recording, page):
    return Shown(browser, f"{recording}.html")


def test_loads_quietly(shown):
    equal(shown.driver.get_log("browser"), [])
    equal(shown.requests(), [])
    contains(shown.driver.title, "./prog -n 3")


def test_the_graph_comes_first(shown):
    top, bottom, height = shown.js("""const box = document.querySelector("#flame")
        .getBoundingClientRect(); return [box.top, box.bottom, innerHeight]""")
    assert 0 < top < bottom < height, (top, bottom, height)


def test_a_click_zooms(shown):
    before = shown.width("main", "work")
    assert before < 60, before
    shown.frame("main", "work").click()
    assert shown.width("main", "work") == 100
    equal(shown.js("return document.querySelectorAll('#flame .f').length"),
          4, "all, main, work, clamp")
    equal(shown.frame("main", "down"), None)
    clamp = shown.width("main", "work", "clamp")
    assert abs(clamp - 100 * 60 / 160) < 1, clamp
    # The function's caller is still visible, and a click on it leads back.
    shown.frame("main").click()
    assert shown.width("main") == 100 and shown.width("main", "work") < 100
    shown.one("#reset").click()
    equal(shown.width("main", "work"), before)
    assert not shown.one("#reset").is_enabled()


def test_names_are_cut_in_the_middle(browser, tmp_path):
    """The page cuts only names that do not fit, in the middle. After zooming, a name that fits is
    complete."""
    name = "a_function_of_a_module_with_a_long_name_that_ends_in_tail"
    r = Recording(tmp_path / "r")
    r.event("cpu_cycles")
    r.object("/nonexistent/prog")
    r.thread(0, 0)
    r.context("root")
    for i, (function, cycles) in enumerate((("main", 840), (name, 150), ("thin", 10))):
        r.function(function, 0x1000 * (i + 1))
        r.code(0x1000 * (i + 1), function)
        r.context(function, "main" if i else "root", function, calls=1)
        r.ran(0x1000 * (i + 1), 1, cpu_cycles=cycles, context=function)
    shown = Shown(browser, page_of(r.done()))
    begin, end = shown.frame("main", name).text.split("\u2026")
    assert name.startswith(begin) and name.endswith(end) and len(begin) - len(end) in (0, 1)
    width = shown.js("""const box = [...document.querySelectorAll("#flame .f")][2]; return [
        box.querySelector("text").getBBox().width, box.getBoundingClientRect().width]""")
    assert width[0] < width[1], width
    equal((shown.frame("main", "thin").text, shown.frame("main").text), ("", "main"))
    shown.frame("main", name).click()
    equal(shown.frame("main", name).text, name)


def test_the_address_has_the_zoom(browser, shown):
    from selenium.webdriver.support.ui import Select
    before = shown.width("main", "work")
    shown.frame("main", "work").click()
    Select(shown.one("#event")).select_by_visible_text("dcache_miss")
    shown.frame("main").click()
    shown.driver.back()
    wait_until(lambda: shown.width("main", "work") == 100, "Back zooms as before")
    equal(shown.one("#event .event, #calls .event").text, "dcache_miss")
    address = shown.driver.current_url
    shown.driver.back()
    wait_until(lambda: shown.one("#calls .event").text == "cpu_cycles", "Back restores the event")
    shown.driver.back()
    wait_until(lambda: shown.width("main", "work") == before, "Back leads to the whole graph")
    browser.get("about:blank")
    browser.get(address)
    equal((shown.width("main", "work"), shown.one("#calls .event").text), (100, "dcache_miss"))
    browser.get(address.split("#")[0] + "#at=99999&event=no")
    equal(shown.width("main", "work"), before, "what is not there is ignored")


def boxes(shown, tree):
    """Returns [(name, count, share of the width)] of the graph in the element `tree`, from its root
    on."""
    return [(*label.split("\n")[0:1], number(label.split("\n")[1].split()[0]), round(width))
            for label, width in shown.js(
                "return [...document.querySelectorAll(arguments[0] + ' .f')].map("
                "b => [b.getAttribute('aria-label'), parseFloat(b.getAttribute('width'))])", tree)]


def test_callers_and_callees_of_a_function(browser, shown):
    assert not shown.one("#both").is_enabled()
    shown.frame("main", "work").click()
    shown.one("#both").click()
    # main() calls work(), and so does the start of the second thread.
    work = FUNCTIONS["work"]["cpu_cycles"]
    main = 160
    equal(boxes(shown, "#upper"), [("work", work, 100), ("main", main, round(100 * main / work))])
    equal(boxes(shown, "#flame"), [("work", work, 100), ("clamp", 90, round(100 * 90 / work))])
    equal(shown.one("#flame").text.split(), ["work", "clamp"], "names can be read")
    contains(shown.one("#hint").text, f"work: callers above, callees below; {work} cpu_cycles")
    # A click or Enter on another function shows its callers and callees.
    shown.find("#upper .f")[1].click()
    equal(boxes(shown, "#flame")[0][0], "main")
    shown.driver.back()
    wait_until(lambda: boxes(shown, "#flame")[0][0] == "work", "Back leads to work()")
    shown.js("document.querySelector('#flame .f').focus()")
    shown.type("ARROW_DOWN")
    shown.type("ENTER")
    equal([name for name, _, _ in boxes(shown, "#upper")], ["clamp", "work", "main"])
    address = shown.driver.current_url
    shown.type("ESCAPE")
    equal((boxes(shown, "#flame")[0][0], boxes(shown, "#upper")), ("all", []))
    browser.get("about:blank")
    browser.get(address)
    equal([name for name, _, _ in boxes(shown, "#upper")], ["clamp", "work", "main"])


def test_callers_and_callees_by_a_key_and_by_the_table(shown):
    shown.js("document.querySelector('#flame .f').focus()")
    shown.type("ARROW_DOWN")
    shown.type("ARROW_DOWN")
    shown.type("c")
    equal(boxes(shown, "#flame")[0][:2], ("work", FUNCTIONS["work"]["cpu_cycles"]))
    shown.js("""[...document.querySelectorAll("#functions tbody tr")].find(
        row => row.querySelector("th").textContent === "down").cells[0].click()""")
    equal(boxes(shown, "#flame")[0][:2], ("down", FUNCTIONS["down"]["cpu_cycles"]))
    shown.driver.back()
    wait_until(lambda: boxes(shown, "#flame")[0][0] == "work", "Back leads to work()")


def test_a_function_that_calls_itself_counts_once(shown):
    shown.frame("main", "down").click()
    shown.one("#both").click()
    equal(boxes(shown, "#flame")[0][:2], ("down", FUNCTIONS["down"]["cpu_cycles"]))
    equal([name for name, _, _ in boxes(shown, "#flame")], ["down", "down", "down"])


def test_the_inverted_graph(shown, recording):
    from selenium.webdriver.support.ui import Select
    Select(shown.one("#view")).select_by_value("inverted")
    found = boxes(shown, "#flame")
    equal(found[0], ("all", TOTALS["cpu_cycles"], 100))
    first = shown.js("""
        const rows = [...document.querySelectorAll("#flame .f")];
        return rows.filter(b => b.getAttribute("y") === "18").map(
            b => b.getAttribute("aria-label").split(" ")[0].split("\\n"));""")
    own = {name: number(n) for name, n in first}
    equal(sum(own.values()), TOTALS["cpu_cycles"])
    equal((own["down"], own["clamp"]), (FUNCTIONS["down"]["cpu_cycles"], 90))
    equal(own["work"], FUNCTIONS["work"]["cpu_cycles"] - 90)
    Select(shown.one("#event")).select_by_visible_text("dcache_miss")
    equal(boxes(shown, "#flame")[0][1], TOTALS["dcache_miss"])
    shown.one("#reset").click()
    assert shown.frame("main", "work")


def test_the_order_of_calls(browser, tmp_path):
    """The flame graph has functions from left to right in the order of their counts, or in the
    order of their first calls."""
    from selenium.webdriver.support.ui import Select
    shown = Shown(browser, page_of(called_in_turn(tmp_path / "r")))
    equal([name for name, _, _ in boxes(shown, "#flame")],
          ["all", "main", "second", "third", "first"])
    equal(shown.one(".keys").text, "Objects: progothers", "there are no files to distinguish")
    Select(shown.one("#order")).select_by_value("time")
    in_time = ["all", "main", "first", "second", "third"]
    equal([name for name, _, _ in boxes(shown, "#flame")], in_time)
    contains(shown.driver.current_url, "order=time")
    address = shown.driver.current_url
    browser.get("about:blank")
    browser.get(address)
    equal([name for name, _, _ in boxes(shown, "#flame")], in_time)


def test_one_thread(shown):
    from selenium.webdriver.support.ui import Select
    threads = Select(shown.one("#thread"))
    names = [o.text for o in threads.options]
    equal(len(names), 3, names)
    both = shown.js("return document.querySelector('#flame .f').getAttribute('aria-label')")
    counts = []
    for name in names[1:]:
        threads.select_by_visible_text(name)
        counts.append(boxes(shown, "#flame")[0][1])
    equal(sum(counts), TOTALS["cpu_cycles"])
    equal([name for name, _, _ in boxes(shown, "#flame")], ["all", "work", "clamp"])
    contains(both, f"{TOTALS['cpu_cycles']:,} cpu_cycles")
    shown.driver.back()
    wait_until(lambda: shown.frame("main"), "Back leads to the first thread")


def test_the_pointer_has_the_numbers(shown):
    from selenium.webdriver.common.action_chains import ActionChains
    ActionChains(shown.driver).move_to_element(shown.frame("main", "work")).perform()
    tip = shown.one("#tip")
    equal(tip.text.split("\n")[0], "work")
    contains(tip.text, f"160 cpu_cycles, {100 * 160 / TOTALS['cpu_cycles']:.2f}%")
    contains(tip.text, f"self 100, {100 * 100 / TOTALS['cpu_cycles']:.2f}%")
    ActionChains(shown.driver).move_to_element(shown.one("h1")).perform()
    assert not tip.is_displayed()
    equal(shown.find("#flame title"), [], "the browser shows nothing in addition")


def test_keys(shown):
    before = shown.width("main", "work")
    shown.js("document.querySelector('#flame .f').focus()")
    shown.type("ARROW_DOWN")
    shown.type("ARROW_DOWN")
    active = shown.driver.switch_to.active_element
    equal(active.get_attribute("aria-label").split("\n")[0], "work")
    shown.type("ENTER")
    equal(shown.width("main", "work"), 100)
    shown.type("ESCAPE")
    equal(shown.width("main", "work"), before)
    shown.type("ARROW_RIGHT")
    shown.type("ARROW_UP")
    assert shown.driver.switch_to.active_element == shown.frame("main")
    shown.type("/")
    assert shown.driver.switch_to.active_element == shown.one("#find")
    equal(shown.one("#find").get_attribute("value"), "")
    equal(len(shown.find('#flame .f[tabindex="0"]')), 1, "one stop of the tabulator")


def test_search_finds(shown):
    shown.keys(shown.one("#find"), "CLAM")
    equal(len(shown.find("#flame .f.hit")), 2)
    equal(shown.one("#found").text, f"2 frames, {100 * 90 / TOTALS['cpu_cycles']:.1f}%")
    # If a frame that was found is below another found frame, its share is not added again.
    shown.one("#find").clear()
    shown.keys(shown.one("#find"), "down")
    down = FUNCTIONS["down"]["cpu_cycles"]
    equal(shown.one("#found").text, f"3 frames, {100 * down / TOTALS['cpu_cycles']:.1f}%")
    shown.keys(shown.one("#find"), "x")
    equal(shown.one("#found").text, "not found")
    shown.type("ESCAPE")
    equal(shown.find("#flame .f.hit") + shown.find("#graphs.searched"), [])


def test_sort(shown):
    by_name = "#functions thead th:nth-child(6) button"
    shown.one(by_name).click()
    equal(shown.names(), sorted(FUNCTIONS))
    equal(shown.one("#functions [aria-sort]").get_attribute("aria-sort"), "ascending")
    shown.one(by_name).click()
    equal(shown.names(), sorted(FUNCTIONS, reverse=True))
    shown.one("#functions thead th:nth-child(3) button").click()
    inclusive = shown.column(".incl")
    equal(inclusive, sorted(inclusive, reverse=True))
    shown.one("#functions thead th:nth-child(3) button").click()
    equal(shown.column(".incl"), sorted(inclusive))


def test_filter(shown):
    box = shown.one("input.filter")
    shown.keys(box, "LOOP.C")
    equal(shown.names(), ["work"])
    equal(shown.one(".filter + output").text, "1 of 4")
    box.clear()
    shown.keys(box, "m", "BACKSPACE")
    equal(len(shown.names()), 4)


def test_listings_are_made_when_they_open(browser, with_source):
    shown = Shown(browser, page_of(with_source))
    listings = len(shown.find(".place"))
    equal(len(shown.find(".place table")), 1, "only the first is open")
    shown.open_listings()
    equal(len(shown.find(".place table")), listings)
    assert listings > 1


def test_long_tables_show_their_first_rows(browser, tmp_path):
    """The other rows of a long table appear when it is scrolled to its end. Searching and sorting
    include them."""
    r = Recording(tmp_path / "many")
    for event in ("cpu_cycles", "instr_exec"):
        r.event(event)
    r.object("./many")
    r.thread(0, 0)
    r.context("main")
    for i in range(250):
        r.function(f"f{i:03}", 0x1000 + 16 * i)
        r.code(0x1000 + 16 * i, f"f{i:03}")
        r.ran(0x1000 + 16 * i, 1, context="main", cpu_cycles=1000 - i)
    r.done()
    shown = Shown(browser, page_of(r.path))
    equal(shown.names(), [f"f{i:03}" for i in range(100)])
    shown.js("""const scroll = document.querySelector("#functions").parentElement;
             scroll.scrollTop = scroll.scrollHeight""")
    wait_until(lambda: len(shown.names()) == 250, "all rows appear")
    shown.find("#functions thead button")[0].click()
    equal(shown.names(), [f"f{i:03}" for i in range(249, 149, -1)], "the smallest come first")
    shown.find(".filter")[0].send_keys("f00")
    equal(shown.names(), [f"f{i:03}" for i in range(9, -1, -1)])


def test_another_event(shown, recording):
    from selenium.webdriver.support.ui import Select
    for event in ("dcache_miss", "executions", "cpu_cycles"):
        Select(shown.one("#event")).select_by_visible_text(event)
        want = self_counts(recording, event)
        equal(dict(zip(shown.names(), shown.column(".self"))),
              {name: want.get(name, 0) for name in FUNCTIONS})
        everything = total(recording, event)
        share = 100 * want["work"] / everything
        shown.open_listings()
        equal(shown.js("""return [...document.querySelectorAll("#functions tbody tr")].find(
            r => r.querySelector("th").textContent === "work").cells[1].textContent"""),
              f"{share:.1f}%")
        contains(shown.frame().get_attribute("aria-label"), f"{everything:,} {event}, 100.00%")
        lines = shown.js("""return [...document.querySelectorAll(".place tr[data-v] .v")]
            .map(c => c.textContent)""")
        equal(sum(number(t) for t in lines), everything, "no source: all instructions are listed")
        first = shown.js("""return document.querySelector("#hottest tbody td").textContent""")
        equal(number(first), max(number(t) for t in lines))
        equal(set(shown.js("return [...document.querySelectorAll('.event')]"
                           ".map(e => e.textContent)")), {event})


def test_another_event_of_what_is_not_all_listed(browser, tmp_path):
    from selenium.webdriver.support.ui import Select
    shown = Shown(browser, page_of(long_recording(tmp_path / "r")))
    equal(shown.one(".place summary .n").text, "100.0%")
    for event in ("executions", "cpu_cycles"):
        Select(shown.one("#event")).select_by_visible_text(event)
        equal(shown.one(".place summary .n").text, "100.0%")


def colours(shown):
    return shown.js("""const luma = c => c.match(/[\\d.]+/g).slice(0, 3).reduce(
            (sum, v, i) => sum + v * [.299, .587, .114][i], 0);
        const s = getComputedStyle(document.body);
        return [luma(s.backgroundColor), luma(s.color)]""")


def test_light_and_dark(browser, recording, page):
    for scheme in ("light", "dark"):
        paper, ink = colours(Shown(browser, f"{recording}.html", scheme=scheme))
        assert (paper > 200 and ink < 80) if scheme == "light" else (paper < 60 and ink > 180)


def test_without_script(browser, recording, page):
    """Without the script, everything can be read, and controls that need it are hidden."""
    # WebDriver's own scripts do not run without scripts, so the test reads a snapshot of the DOM.
    shown = Shown(browser, f"{recording}.html", script=False)
    try:
        tree = browser.execute_cdp_cmd("DOMSnapshot.captureSnapshot", {"computedStyles": []})
        document = tree["documents"][0]
        laid_out = {tree["strings"][i] for i in document["layout"]["text"] if i >= 0}
        assert {"work", "main", "Flame graph", "Functions", "instruction"} <= laid_out, laid_out
        assert f"{FUNCTIONS['work']['cpu_cycles']}" in laid_out
        for only_script in ("Reset zoom", "Event "):
            assert only_script not in laid_out
        equal(shown.driver.get_log("browser"), [])
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_latencies_in_the_browser(browser, timed):
    shown = Shown(browser, page_of(timed))
    rows = shown.js("return [...document.querySelectorAll('#latencies tbody tr')].map("
                    "row => [...row.children].map(cell => cell.innerText))")
    equal(rows[1:], [["12", "5", "29.4", "0.5"], ["30", "1", "5.9", "0.3"],
                     ["1,000", "11", "64.7", "99.2"]])
    # The width of a bar is its share.
    width = shown.js("return getComputedStyle(document.querySelectorAll('#latencies .bar')[3])"
                     ".getPropertyValue('--p')")
    equal(width.strip(), "0.54%")
    equal(shown.driver.get_log("browser"), [])


@lab
def test_a_sweep_in_the_browser(browser, tmp_path):
    shown = Shown(browser, sweep_page(tmp_path, "--heat", "cycles,size,program"))
    table = ("return [...document.querySelectorAll('#results tbody tr')].map("
             "row => row.children[3].innerText)")
    equal(shown.js(table)[:3], ["30", "10", "20"])
    head = shown.find("#results thead th")[3]
    (head.find_elements("css selector", "button") or [head])[0].click()
    equal(shown.js(table)[:3], ["300", "200", "100"])
    # The hottest spot has the strongest colour, and the coolest spot has none.
    colours = shown.js("return [...document.querySelectorAll('#map .heat')].map("
                       "cell => getComputedStyle(cell).backgroundColor)")
    equal((colours[0], colours[1]), (colours[4], colours[3]))
    equal(len(set(colours)), 3)
    assert re.search(r"[/,] ?0\)$", colours[1]), colours
    equal(shown.requests(), [])
    equal(shown.driver.get_log("browser"), [])


@lab
def test_sorting_hides_no_cells(browser, tmp_path):
    cells = [(f"p{i}", "c", {"size": "4K"}, {"cycles": i}) for i in range(120)]
    results.database(tmp_path / "many.db", cells)
    equal(run(PMK, "sweep", "--html", tmp_path / "many.html", tmp_path / "many.db").code, 0)
    shown = Shown(browser, tmp_path / "many.html")
    shown.find("#results thead button")[-3].click()
    equal(len([row for row in shown.find("#results tbody tr") if row.is_displayed()]), 120)


@lab
def test_a_sweep_answers_what_is_chosen(browser, tmp_path):
    """The page's script computes the tables that --heat, --sensitivity and --pareto print. The
    page's address contains the user's choice."""
    from selenium.webdriver.support.ui import Select
    shown = Shown(browser, sweep_page(tmp_path))
    answers = run(PMK, "sweep", "--sensitivity", "cycles", tmp_path / "r.db").out
    rows = "return [...document.querySelectorAll(arguments[0])].map(r => r.innerText.split('\\t'))"
    printed = re.search(r"size +([\d.]+%)  from +([\d.]+% at \w+) to +([\d.]+% at \w+)", answers)
    equal(shown.js(rows, "#sensitivity tbody tr"), [["size", *printed.groups()]])
    front = re.findall(r"^ +(\d+) +([\d,]+)  c<ore  (size=\w+)$",
                       run(PMK, "sweep", "--pareto", "cycles,size", tmp_path / "r.db").out, re.M)
    Select(shown.one("#pareto label:nth-child(2) select")).select_by_visible_text("size")
    equal(shown.js(rows, "#pareto tbody tr"),
          [[cycles, size, f"c<ore {setting}"] for cycles, size, setting in front])
    assert front
    Select(shown.one("#heat label:nth-child(3) select")).select_by_visible_text("program")
    Select(shown.one("#heat label:nth-child(4) select")).select_by_visible_text("size")
    turned = [["512", "150.0", "50.0"], ["4K", "50.0", "150.0"], ["16K", "100.0", "100.0"]]
    equal(shown.js(rows, "#map tbody tr"), turned)
    address = browser.current_url
    browser.get("about:blank")
    browser.get(address)
    equal(shown.js(rows, "#map tbody tr"), turned)
    equal((shown.driver.get_log("browser"), shown.requests()), ([], []))


def test_narrow_windows(shown):
    shown.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": 360, "height": 700, "deviceScaleFactor": 1, "mobile": False})
    try:
        wide = shown.js("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1], f"the page is {wide[0]} wide"
        top = shown.js("return document.querySelector('#flame').getBoundingClientRect().top")
        assert top < 500, "the graph is on the first screen"
    finally:
        shown.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_columns_of_narrow_listings(browser, with_source):
    """If columns are hidden, they are hidden in all rows, so the text of all rows begins at the
    same place."""
    shown = Shown(browser, page_of(with_source))
    shown.open_listings()
    left = """return [...document.querySelectorAll(".place[data-lines] tbody tr")].map(
        row => row.lastElementChild.getBoundingClientRect().left)"""
    for width in (1200, 400):
        shown.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 700, "deviceScaleFactor": 1, "mobile": False})
        try:
            places = shown.js(left)
        finally:
            shown.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        equal(len({round(x) for x in places}), 1, f"{width}: {places}")


def test_controls_have_names_for_screen_readers(shown):
    """Every control has a name for screen readers."""
    nodes = shown.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    seen = {}
    for node in nodes:
        if node.get("ignored"):
            continue
        seen.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    for role in ("button", "searchbox", "combobox", "treeitem", "link", "tree", "heading"):
        assert seen.get(role) and all(seen[role]), f"{role}: {seen.get(role)}"
    assert any(name.startswith("work\n") or name.startswith("work ")
               for name in seen["treeitem"]), seen["treeitem"]


def test_links_open_listings(browser, with_source):
    shown = Shown(browser, page_of(with_source))
    # The hottest line comes first and links to the listing.
    first = [c.text for c in shown.find("#hottest tbody tr:first-child td")]
    equal((number(first[0]), first[2], first[3]), (100, "loop.c:7", "line 7"))
    shown.one("#hottest tbody tr:first-child a").click()
    equal(shown.js("return document.querySelector(':target .at').textContent"), "7")
    shown.js("document.querySelectorAll('.place').forEach(d => d.open = false)")
    shown.js("[...document.querySelectorAll('#functions a')].find("
             "a => a.textContent === 'work').click()")
    wait_until(lambda: shown.js("return document.querySelectorAll('.place[open]').length") == 1,
               "the listing opens")
    equal(shown.js("return document.querySelector(':target .at').textContent"), "5")
    address = browser.current_url
    browser.get("about:blank")
    browser.get(address)
    assert shown.frame("main"), "the graph is drawn, too"


def test_a_line_shows_its_instructions(browser, with_source):
    from selenium.webdriver.support.ui import Select
    shown = Shown(browser, page_of(with_source))
    line = next(b for b in shown.find(".at button") if b.text == "7")
    shown.keys(line, "ENTER")
    equal(line.get_attribute("aria-expanded"), "true")
    read = "return [...document.querySelector('.insn').cells].map(c => c.innerText)"
    row = shown.js(read)
    share = 100 * 100 / TOTALS["cpu_cycles"]
    equal((row[0], row[1], row[-3:-1]), ("100", f"{share:.1f}%", ["30", "2004"]))
    # Below the line is a row for each of its instructions. If the user selects another event, the
    # row shows the counts of this event.
    Select(shown.one("#event")).select_by_visible_text("dcache_miss")
    equal(shown.js(read)[0], "12")
    equal(len(shown.find("#hottest tbody tr")), 2, "only lines, not their instructions")
    line.click()
    equal((shown.find(".insn"), line.get_attribute("aria-expanded")), ([], "false"))


def test_jumps_have_arrows(shown):
    """Arrows show the jumps of work(): from 200c to 2014, and from 2010 back to 2004."""
    shown.open_listings()
    wait_until(lambda: len(shown.find(".arrows path")) == 3, "the arrows are drawn")
    read = """
        const box = e => e.getBoundingClientRect(), middle = e => (box(e).top + box(e).bottom) / 2;
        const rows = [...document.querySelectorAll(".place tr[data-v]")].filter(
            row => row.id.endsWith("2004")).flatMap(row => [...row.parentElement.rows]);
        const of = (selector, f) => rows.flatMap(row => [...row.querySelectorAll(selector)].map(
            e => f(e, row)));
        return [Object.fromEntries(rows.filter(row => row.id).map(
                row => [row.id.split("-")[1], middle(row)])),
            of(".arrows path", (e, row) => [row.id.split("-")[1], middle(e)]),
            of(".arrows line", e => e).filter(e => box(e).height > 2).map(
                e => [box(e).left, box(e).top, box(e).bottom])]"""
    middles, heads, lines = shown.js(read)
    equal(sorted(name for name, _ in heads), ["2004", "2014"])
    for name, y in heads:
        assert abs(y - middles[name]) < 1, (name, y, middles)
    lanes = {}
    for x, top, bottom in lines:
        lanes.setdefault(round(x), []).append((top, bottom))
    ranges = sorted((min(top for top, _ in parts), max(bottom for _, bottom in parts))
                    for parts in lanes.values())
    for got, ends in zip(ranges, (("2004", "2010"), ("200c", "2014")), strict=True):
        assert all(abs(y - middles[end]) < 1 for y, end in zip(got, ends)), (ranges, middles)
    for parts in lanes.values():
        assert all(abs(a[1] - b[0]) < 1 for a, b in zip(sorted(parts), sorted(parts)[1:])), parts
    # The arrows of the row that is under the pointer or has the focus stand out.
    link = next(e for e in shown.find(".jump") if e.get_attribute("href").endswith("2014"))
    shown.js("arguments[0].focus()", link)
    marked = shown.js("return [...document.querySelectorAll('.arrows .on')].map("
                      "e => e.closest('tr').id.split('-')[1])")
    equal(sorted({name for name in marked if name}), ["200c", "2010", "2014"])


def test_hostile_names_do_nothing(browser, hostile_page):
    shown = Shown(browser, hostile_page)
    from selenium.webdriver.support.ui import Select
    Select(shown.one("#event")).select_by_index(1)
    shown.js("document.querySelector('#flame .f').focus()")
    for _ in range(len(EVIL)):
        shown.type("ARROW_DOWN")
        shown.type("ENTER")
    equal(shown.js("return window.evil"), None)
    equal(shown.driver.get_log("browser"), [])
    equal(shown.requests(), [])
    assert shown.js("return document.documentElement.scrollWidth <= innerWidth")


def test_a_comparison_in_the_browser(browser, recording, later):
    shown = Shown(browser, diff_page(recording, later))
    equal((shown.driver.get_log("browser"), shown.requests()), ([], []))
    table = "#e0-function"
    shown.one(f"{table} thead th:nth-child(5) button").click()
    names = shown.js("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)",
                     f"{table} tbody th")
    equal(names, sorted(names))
    shown.one(f"{table} thead th:nth-child(3) button").click()
    numbers = [int(c.text.replace(",", "")) for c in shown.find(f"{table} tbody td:nth-child(3)")]
    equal(numbers, sorted(numbers, reverse=True))
    shown.keys(shown.one('input[data-table="e0-function"]'), "WORK")
    equal([e.text for e in shown.find(f"{table} tbody th") if e.is_displayed()],
          [n for n in names if "work" in n])


def test_the_flame_graph_of_a_comparison(browser, recording, later):
    """In a comparison, the widths show the counts of one side, and the colours show the changes."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.support.ui import Select
    shown = Shown(browser, diff_page(recording, later))
    more = (100 - 33) // 2 + 33 // 2
    base = TOTALS["cpu_cycles"]
    all_of = f"{base + more:,} cpu_cycles, base {base:,}; +{more} "

    def box(*path):
        frame = shown.frame(*path)
        return frame and (frame.get_attribute("class").split()[1:], frame.text,
                          float(frame.get_attribute("width")[:-1]))
    contains(shown.frame().get_attribute("aria-label"), all_of)
    kind, text, width = box("main", "work")
    equal(("more" in kind, text), (True, f"work +{100 * 33 / 160:.1f}%"))
    contains(shown.frame("main", "work").get_attribute("aria-label"), "193 cpu_cycles, base 160")
    assert abs(width - 100 * 193 / (base + more)) < .01, width
    for text in shown.js("return [...document.querySelectorAll('#flame .f')].map(b => "
                         "b.textContent).filter(t => /%$/.test(t))"):
        assert re.search(r"[^ ] [+-]\d+\.\d%$", text), f"{text}: numbers are never cut"
    equal(box("main", "down"), None)
    contains(shown.frame("main", "fresh").get_attribute("aria-label"), "; +24 new, self")
    equal(box("main", "[anon]")[0], ["c6"], "what is the same has no colour")
    # The function with the greatest change has the strongest colour.
    strength = shown.js("return [...document.querySelectorAll('#flame .f')].map(b => [b.textContent"
                        ".split(' ')[0], Number(b.style.getPropertyValue('--d'))])")
    equal(max(strength, key=lambda s: s[1])[0], "all")
    # The text at the pointer has the counts of both sides.
    ActionChains(browser).move_to_element(shown.frame("main", "work")).perform()
    equal(shown.one("#tip").text.splitlines(),
          ["work", "193 cpu_cycles, base 160", "+33 +20.6%, self +33"])
    # The other side shows the functions that are gone. The page's address contains the side.
    Select(shown.one("#side")).select_by_value("base")
    equal(box("main", "fresh"), None)
    contains(shown.frame("main", "down").get_attribute("aria-label"), " gone, self")
    assert abs(box("main", "work")[2] - 100 * 160 / base) < .01
    contains(shown.frame().get_attribute("aria-label"), all_of)
    address = shown.driver.current_url
    browser.get("about:blank")
    browser.get(address)
    assert shown.frame("main", "down")
    # If the user selects another event, the tables show it, too.
    Select(shown.one("#event")).select_by_visible_text("instr_exec")
    contains(shown.frame().get_attribute("aria-label"), f"{TOTALS['instr_exec']} instr_exec")
    equal(shown.js("return [...document.querySelectorAll('#events details[open]')].map("
                   "d => d.querySelector('b').textContent)"), ["instr_exec"])
    # Keys and clicks have the same effects as in the flame graph of a recording.
    shown.js("document.querySelector('#flame .f').focus()")
    shown.type("ARROW_DOWN")
    shown.type("ENTER")
    equal(box("main")[2], 100)
    Select(shown.one("#view")).select_by_value("inverted")
    equal(boxes(shown, "#flame")[0][0], "all")
    shown.type("ESCAPE")
    shown.frame("main", "work").click()
    shown.one("#both").click()
    equal(boxes(shown, "#upper")[0][:2], ("work", FUNCTIONS["work"]["instr_exec"]))
    equal((shown.driver.get_log("browser"), shown.requests()), ([], []))


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
    # The height of a step is its rate, and the highest step reaches the top, where y is 0.
    steps = re.findall(r"([ML])([\d.]+),([\d.]+)H([\d.]+)", shown.js("""return [
        ...document.querySelectorAll("figure")].find(f => f.querySelector("b").textContent ===
        "dcache_miss").querySelector("path").getAttribute("d")"""))
    ends = [float(row[0]) for row in Page(path).rows(**{"class": "all"})]
    rates = [n / (end - begin) for n, end, begin in zip(misses, ends, [0.0] + ends)]
    equal(len(steps), len(ends))
    for (_, x0, y, x1), end, rate in zip(steps, ends, rates):
        assert abs(float(x1) / 1000 - end / ends[-1]) < 1e-4
        assert abs((100 - float(y)) / 100 - rate / max(rates)) < 0.01
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


def test_several_intervals_are_selected(browser, program, folder):
    """The user selects several intervals by dragging or with keys. The address contains the
    selection, and the sums are those of the selected intervals."""
    from selenium.webdriver.common.action_chains import ActionChains
    path = folder / "selected.html"
    rows = stat_page(program, path, "-I", "100000cycles")
    misses = [int(row[1]) for row in rows if row[3] == "dcache_miss"]
    shown = Shown(browser, path)

    def told():
        return number(shown.js("return [...document.querySelectorAll('figure')].find(f => "
                               "f.querySelector('b').textContent === 'dcache_miss')"
                               ".querySelector('output').textContent"))

    def chosen():
        return shown.js("return [...document.querySelectorAll('.all tbody tr')].flatMap("
                        "(row, i) => row.classList.contains('chosen') ? [i] : [])")
    svg = shown.find("figure svg")[2]
    half = svg.size["width"] // 2
    ActionChains(browser).move_to_element_with_offset(svg, 1 - half, 0).click_and_hold(
        ).move_by_offset(half - 1, 0).release().perform()
    inside = chosen()
    assert inside[0] == 0 and 2 < len(inside) < len(misses), inside
    equal(told(), sum(misses[i] for i in inside))
    contains(shown.one(".line .hint").text, f"{len(inside)} intervals")
    address = shown.driver.current_url
    browser.get("about:blank")
    browser.get(address)
    equal((chosen(), told()), (inside, sum(misses[i] for i in inside)))
    shown.one(".line button").click()
    equal((chosen(), told()), ([], sum(misses)))
    shown.js("document.querySelector('.charts').focus()")
    shown.type("ARROW_RIGHT")
    from selenium.webdriver.common.keys import Keys
    ActionChains(browser).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT).key_up(
        Keys.SHIFT).perform()
    equal((chosen(), told()), ([0, 1, 2], sum(misses[:3])))


def test_events_have_topics(browser, program, folder):
    """A long table, and the folded list of events without a value, have the topics as headings.
    The headings disappear when the table is sorted."""
    path = folder / "topics.html"
    equal(run(PMK, "stat", "--html", path, "--core", "cortex-a8", "-e", "all", program).code, 0)
    shown = Shown(browser, path)
    read = """return [...document.querySelectorAll(arguments[0])].map(e => e.classList.contains(
        "topic") ? "# " + e.textContent : e.querySelector(arguments[1]).textContent)"""
    rows = shown.js(read, ".totals tbody tr", "th")
    heads = [row for row in rows if row[0] == "#"]
    equal(heads[:2], ["# Cycles and stalls", "# Instructions"])
    at = rows.index("# Caches")
    assert "l1d_cache_refill" in rows[at:rows.index(heads[heads.index("# Caches") + 1])], rows
    events = set(rows) - set(heads)
    items = shown.js(read, ".without li", "b")
    assert "# Caches" in items and not events & set(items), items
    shown.find(".totals thead th button")[0].click()
    equal(shown.js(read, ".totals tbody tr", "th"), sorted(events))


def test_a_script_of_a_name_would_not_run(browser, page, tmp_path):
    """Even if the page did not escape names, only the page's own script could run."""
    path = tmp_path / "page.html"
    path.write_text(page.source.replace("<h1", "<script>window.evil=1</script>"
                                        "<img src='http://localhost:9/' onerror='window.evil=1'>"
                                        "<h1", 1))
    shown = Shown(browser, path)
    equal(shown.js("return [window.evil, document.documentElement.className]"), [None, "script"])
    said = "\n".join(entry["message"] for entry in shown.driver.get_log("browser"))
    contains(said, "Content Security Policy")
