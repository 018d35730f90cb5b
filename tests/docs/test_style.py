# SPDX-License-Identifier: MIT
"""C files look as clang-format makes them, and no line of a source is longer than 100 columns."""
from concurrent.futures import ThreadPoolExecutor

from harness import *
import repo

pytestmark = pytest.mark.quick

VERSION = "14"  # others lay out the same file in other ways


def c_files():
    return [p for p in repo.files() if p.endswith((".c", ".h"))]


def formatter():
    have("clang-format")
    out = run("clang-format", "--version").out
    found = re.search(r"version (\d+)", out)[1]
    if found != VERSION:
        skip(f"this clang-format is version {found}; the sources are formatted with {VERSION}")
    return "clang-format"


def test_c_files_are_formatted():
    command = formatter()
    files = c_files()
    assert len(files) > 300

    def wrong(some):
        out = run(command, "--dry-run", *some, cwd=SOURCE)
        return re.findall(r"^(\S+?:\d+):\d+: warning: code should be clang-formatted", out.err, re.M)

    with ThreadPoolExecutor(2) as pool:
        found = [line for some in pool.map(wrong, [files[n::8] for n in range(8)]) for line in some]
    assert not found, f"`clang-format -i` changes {len(found)} lines: {', '.join(found[:8])}"
