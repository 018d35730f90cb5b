# SPDX-License-Identifier: MIT
"""The flame graphs in README.md and docs/tutorial.md are the ones that scripts/picture draws."""
import os
import re
import sys

from harness import *
from pasted import compiler
import repo

OURS = ("all", "main", "read_numbers", "write_numbers", "add_up", "widest_minute", "read_day")
PICTURES = [("flame.svg", "README.md", 4), ("weather.svg", "docs/tutorial.md", 5),
            ("weather-fixed.svg", "docs/tutorial.md", 5)]


def names(text):
    """Returns (row, name) of those frames that other compilers and C libraries produce, too."""
    frames = re.findall(r'<svg [^>]*y="(\d+)"[^>]*><rect[^>]*></rect><text[^>]*>([^<]*)<',
                        text)
    return [(int(y), name) for y, name in frames if name in OURS]


@cases("picture, page, frames", PICTURES)
def test_the_picture_can_be_drawn_again(tmp_path, picture, page, frames):
    have("patch", "chromium", "chromedriver")
    out = run(sys.executable, os.path.join(SOURCE, "scripts/picture"), BUILD, tmp_path / picture)
    equal(out.code, 0, str(out))
    drawn, shown = (tmp_path / picture).read_text(), repo.text(f"docs/images/{picture}")
    assert len(names(drawn)) == frames, names(drawn)
    equal(names(drawn), names(shown))
    theirs = re.search(r"demo:begin.*?arm-linux-gnueabi-gcc ([\d.]+)", repo.text("README.md"))
    ours = compiler()
    if ours != theirs.group(1):
        skip(f"the picture is of a program of gcc {theirs.group(1)}, here it is {ours}")
    equal(drawn, shown)


@pytest.mark.quick
@cases("picture, page, frames", PICTURES)
def test_the_picture_needs_nothing_else(picture, page, frames):
    path = f"docs/images/{picture}"
    text = repo.text(path)
    assert len(text) < 30000
    equal(re.findall(r"https?://(?!www\.w3\.org/2000/svg)|<script|/tmp/", text), [])
    contains(repo.text(page), f"]({os.path.relpath(path, os.path.dirname(page))})")
