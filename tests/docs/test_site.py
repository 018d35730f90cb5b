# SPDX-License-Identifier: MIT
"""scripts/site makes a site of the documents. It has all pages, and its links have targets. In a
browser it works from disk, with search, a light and a dark theme, and nothing from the network."""
import html.parser
import importlib.machinery
import importlib.util
import json
import time
import urllib.parse

from browser import session
from harness import *
import repo

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    out = run(os.path.join(SOURCE, "scripts/site"), folder)
    assert out.code == 0, out
    equal(out.out.strip(), str(folder / "site" / "index.html"))
    return folder / "site"


def script():
    loader = importlib.machinery.SourceFileLoader("site_script", os.path.join(SOURCE,
                                                                              "scripts/site"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("site_script", loader))
    loader.exec_module(module)
    return module


class Page(html.parser.HTMLParser):
    """Collects the text, the links and the ids of a page."""

    def __init__(self, path):
        super().__init__()
        self.words, self.links, self.ids, self.counts = [], [], set(), {}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag == "a":
            self.links.append(attrs.get("href", ""))
        if "id" in attrs:
            self.ids.add(attrs["id"])

    def handle_data(self, data):
        self.words.append(data)


def test_each_document_is_a_page(site):
    documents = [p for p in repo.files() if re.fullmatch(r"docs/[\w-]+\.md", p)]
    manuals = [p for p in repo.files() if re.fullmatch(r"docs/man/[\w-]+\.1\.scd", p)]
    assert len(documents) > 20 and len(manuals) > 12
    for path in documents + [p.replace(".1.scd", ".md") for p in manuals]:
        assert (site / path.replace(".md", ".html")).is_file(), path


def test_the_start_page_has_four_roads(site):
    links = Page(site / "index.html").links
    for page in ("tutorial", "firmware", "boards", "wave"):
        assert f"docs/{page}.html" in links, page
    contains((site / "index.html").read_text(encoding="utf-8"), '<ul class="roads">')


def test_markdown_is_as_elsewhere(site):
    """scripts/site renders the tables and headings of a long page: the HTML has as many of them as
    the Markdown."""
    text = repo.text("docs/arm11.md")
    page = Page(site / "docs/arm11.html")
    equal(page.counts["table"], len(re.findall(r"^\|[-|]+\|$", text, re.M)))
    titles = re.findall(r"^#{2,} (.+)$", text, re.M)
    equal(page.counts["h2"] + page.counts.get("h3", 0), len(titles))
    assert {re.sub(r"[^\w\- ]", "", t.lower()).replace(" ", "-") for t in titles} <= page.ids


def test_links_lead_somewhere(site):
    seen, pages = 0, {path: Page(path) for path in site.rglob("*.html")}
    linked = set()
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"\w+:", link):
                continue
            to, _, mark = link.partition("#")
            full = (path.parent / urllib.parse.unquote(to)).resolve() if to else path
            assert full.is_file(), f"{path}: {link}"
            assert not mark or mark in pages[full].ids, f"{path}: {link}"
            seen += 1
            linked |= {full} - {path}
    assert seen > 1000, seen
    equal(sorted(set(pages) - linked), [], "pages to which no other page has a link")


def test_what_is_broken_is_told(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top1">A</h1><a href="b.html#there">b</a><a href="b.html#gone">b</a>'
        '<a href="c.html">c</a><a href="#top1">a</a><a href="https://example.org/">far</a>'
        '<img src="//example.org/x.png"><script src="https://example.org/x.js"></script>')
    (tmp_path / "b.html").write_text('<p id="there">B</p>')
    equal(list(script().broken(str(tmp_path))),
          ["a.html loads //example.org/x.png", "a.html loads https://example.org/x.js",
           "a.html links to b.html#gone: no such anchor",
           "a.html links to c.html, which is not there",
           "a.html links to //example.org/x.png, which is not there"])


def test_a_manual_page_has_its_sections_and_links(site):
    page = Page(site / "docs/man/pmk-stat.html")
    text = " ".join(" ".join(page.words).split())
    for title in re.findall(r"^# (.+)$", repo.text("docs/man/pmk-stat.1.scd"), re.M):
        assert title in text, title
    assert {"pmk-list.html", "pmk.html"} <= set(page.links)
    assert {"exit-status", "core-parameters"} <= page.ids


def test_each_source_file_is_listed(site):
    page = Page(site / "docs/files.html")
    listed = {link for link in page.links if "/source/" in link and link.endswith((".c.html",
                                                                                   ".h.html"))}
    sources = [p for p in repo.files() if re.match(r"(src|include)/.*\.[ch]$", p)]
    equal(listed, {f"../source/{p}.html" for p in sources})
    contains(" ".join(page.words), "The port to a model.")


def test_source_is_shown(site):
    page = Page(site / "source/include/pmk/signal.h.html")
    contains("".join(page.words), repo.text("include/pmk/signal.h").strip())


# ---- in a browser -------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def browser():
    yield from session("--window-size=1400,1000")


def wait(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def prefer(browser, scheme):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": scheme}]})


def luminance(browser):
    colour = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def found(browser):
    return browser.execute_script(
        "return [...document.querySelectorAll('#found a')].map(a => a.href)")


def test_search_finds_pages(browser, site):
    browser.get((site / "index.html").as_uri())
    box = browser.find_element("id", "search")
    for text, page in (("dcache_miss", "docs/arm11.html"),
                       ("fail-over percent", "docs/man/pmk-diff.html"),
                       ("PMCEID0", "docs/armv8.html")):
        box.clear()
        box.send_keys(text)
        wait(lambda: any(page in link for link in found(browser)))
    box.clear()
    box.send_keys("core parameters")
    wait(lambda: found(browser) and found(browser)[0].endswith("pmk-stat.html#core-parameters"))
    browser.find_element("css selector", "#found a").click()
    wait(lambda: "pmk-stat.html" in browser.current_url)
    equal(browser.execute_script("return document.querySelector(location.hash).textContent"),
          "CORE PARAMETERS")
    box = browser.find_element("id", "search")
    box.send_keys("nosuchwordanywhere")
    wait(lambda: "Nothing found" in browser.find_element("id", "found").text)


def test_light_and_dark(browser, site):
    browser.get((site / "docs/arm11.html").as_uri())
    prefer(browser, "light")
    wait(lambda: luminance(browser) > 200)
    prefer(browser, "dark")
    wait(lambda: luminance(browser) < 60)
    browser.find_element("id", "theme").click()
    assert luminance(browser) > 200
    # Other pages keep the theme that the user chose, whatever the system prefers.
    browser.get((site / "docs/man/pmk.html").as_uri())
    assert luminance(browser) > 200
    browser.execute_script("localStorage.clear()")


def test_nothing_comes_from_the_network(browser, site):
    for log in ("performance", "browser"):
        browser.get_log(log)
    for page in ("index.html", "docs/tutorial.html", "docs/man/pmk.html",
                 "source/include/pmk/pmu.h.html"):
        browser.get((site / page).as_uri())
        browser.find_element("id", "search").send_keys("pmk")
        wait(lambda: found(browser))
    asked = [m["params"]["request"]["url"] for m in
             (json.loads(e["message"])["message"] for e in browser.get_log("performance"))
             if m["method"] == "Network.requestWillBeSent"]
    assert len(asked) > 8, asked
    equal([url for url in asked if not url.startswith(("file:", "data:"))], [])
    equal(browser.get_log("browser"), [])
