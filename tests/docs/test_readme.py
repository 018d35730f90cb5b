# SPDX-License-Identifier: MIT
"""The links in README.md and in the pages of docs/ have a target, and their commands work."""
import os
import re
import shlex

from harness import *
import repo

pytestmark = pytest.mark.quick

README = repo.text("README.md")


def pages():
    return [p for p in repo.files() if p.endswith(".md")]


def headings(path):
    """Returns the anchors of a page, as the usual renderers generate them."""
    out = set()
    for title in re.findall(r"^#+ (.+)$", repo.text(path), re.M):
        out.add(re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-"))
    return out


def test_links_lead_somewhere():
    seen = 0
    for page in pages():
        for target in re.findall(r"\]\(([^)\s]+)\)", repo.text(page)):
            if re.match(r"\w+:", target):
                continue
            seen += 1
            path, _, anchor = target.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            assert repo.exists(full), f"{page} links to {target}, which is not there"
            if anchor:
                assert anchor in headings(full), f"{page} links to {target}: no such heading"
    assert seen > 30, f"only {seen} links found"


def test_every_page_is_linked_from_the_readme():
    linked = set(re.findall(r"\]\(([^)#]+)", README))
    for page in pages():
        if re.fullmatch(r"(docs/)?[\w-]+\.md", page) and page != "README.md":
            assert page in linked, f"README.md does not link to {page}"
    for name in re.findall(r"docs/man/(pmk-\w+)\.1\.scd", "\n".join(repo.files())):
        contains(repo.text("docs/man/pmk.1.scd"), f"*{name}*(1)")


def test_readme_is_short():
    assert len(README.splitlines()) <= 120


def test_paths_in_code_spans_exist():
    # `src/…`, `tests/…` and so on; foo and NAME are placeholders for future files.
    folders = "src|include|tests|data|docs|bench|examples|completions|scripts"
    for page in pages():
        for span in re.findall(rf"`((?:{folders})/[\w./-]*)`", repo.text(page)):
            if "foo" not in span and "NAME" not in span:
                assert repo.exists(span), f"{page} names {span}, which is not there"


def test_make_targets_exist():
    makefile = repo.text("Makefile")
    named = set(re.findall(r"\bmake ([a-z]+)", README)) | {"demo", "check"}
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.M), f"the Makefile has no target {target}"
    assert re.search(r"^    make demo\b", README, re.M) and re.search(r"^    make check\b", README,
                                                                      re.M)


@lab
def test_commands_exist():
    """Every pmk command line of README and DESIGN names an existing command."""
    listed = pmk("--help").out
    for page in ("README.md", "docs/DESIGN.md"):
        body = repo.text(page)
        lines = re.findall(r"^    (?:build/)?pmk ([a-z]+)", body, re.M)
        lines += re.findall(r"`(?:build/)?pmk ([a-z]+)[ `]", body)
        assert lines, page
        for name in lines:
            assert re.search(rf"^  {name} ", listed, re.M), f"{page}: pmk has no command {name}"


def test_short_commands_of_the_readme_run():
    ran = 0
    for line in re.findall(r"`(build/pmk (?:list|info|decode)[^`]*)`", README):
        out = pmk(*shlex.split(line)[1:])
        assert out.code == 0, f"{line}: {out}"
        ran += 1
    assert ran >= 3, ran


def test_demo_output_is_of_this_program():
    """The block between the marks has a command line, and then a report in the form that pmk
    prints."""
    block = re.search(r"<!-- demo:begin.*?-->\n```\n(.*?)```\n<!-- demo:end -->", README, re.S)
    assert block, "the block with the demo's output is gone"
    first, body = block.group(1).split("\n", 1)
    shown = re.match(r"\$ pmk report -e ([\w,]+) ", first)
    assert shown, first
    equal(re.search(r"^ *(\w[\w ]*\w) +executions  line$", body, re.M).group(1).split(),
          shown.group(1).split(","))
    assert len(re.findall(r"^ *[\d,]+ +[\d.]+% ", body, re.M)) > 4, body
    known = pmk("list", "events", "--pmu", "arm1176").out
    for event in shown.group(1).split(","):
        assert re.search(rf"^  {event} ", known, re.M), f"the demo shows {event}, which is no event"


def test_no_badges():
    for page in pages():
        assert not re.search(r"!\[[^\]]*\]\(https?:",
                             repo.text(page)), f"{page} has a remote picture"
