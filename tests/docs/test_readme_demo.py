# SPDX-License-Identifier: MIT
"""The output in README.md is what `make demo` prints."""
import os
import re
import subprocess
import sys
import tempfile

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import BUILD, PATIENCE, SOURCE  # noqa: E402
from pasted import NUMBER, compiler, without_times  # noqa: E402
import repo  # noqa: E402


def shown():
    """Returns the compiler named in the README, and the block of output."""
    found = re.search(r"<!-- demo:begin \((.*?)\) -->\n```\n(.*?)```\n<!-- demo:end -->",
                      repo.text("README.md"), re.S)
    assert found, "README.md has no block between demo:begin and demo:end"
    return found.group(1), found.group(2).splitlines()


def printed():
    """Returns the lines that scripts/demo prints for the README's command."""
    with tempfile.TemporaryFile("w+") as f:
        done = subprocess.run([os.path.join(SOURCE, "scripts", "demo"), BUILD], stdout=f, stderr=f,
                              timeout=PATIENCE)
        f.seek(0)
        text = f.read()
    assert done.returncode == 0, text
    return re.search(r"^(\$ pmk report .*? total)$", text, re.S | re.M).group(1).splitlines()


def without_numbers(lines):
    """Replaces all numbers by N, and joins equal lines, because the compiler determines how many
    lines the table has."""
    form = [" ".join(re.sub(NUMBER, "N", line).replace("N variable ", "N variables ").split())
            for line in lines]
    return [line for i, line in enumerate(form) if not line or line != form[i - 1]]


def test_the_readme_shows_the_lines_that_demo_prints():
    assert without_numbers(shown()[1]) == without_numbers(printed())


def test_the_readme_shows_the_numbers_that_demo_prints():
    made_with, block = shown()
    theirs = re.search(r"arm-linux-gnueabi-gcc ([\d.]+)", made_with).group(1)
    ours = compiler()
    if ours != theirs:
        pytest.skip(f"the README's numbers are of a program of gcc {theirs}, here it is {ours}: "
                    f"only the form was compared")
    assert without_times(block) == without_times(printed())
