# SPDX-License-Identifier: MIT
"""The commands of docs/tutorial.md print what the page shows below them."""
import glob
import os
import re
import shutil
import tempfile

from harness import *
from pasted import compiler, without_times
import repo

pytestmark = pytest.mark.quick

PAGE = "docs/tutorial.md"
FOLDER = "/tmp/tutorial"


def steps():
    """Returns the commands of the page, each with the lines below it."""
    blocks = re.findall(r"^```console\n(.*?)^```$", repo.text(PAGE), re.S | re.M)
    found = [step for block in blocks
             for step in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)]
    assert len(found) > 10, found
    return [(command, shown.rstrip().splitlines()) for command, shown in found]


@pytest.fixture(scope="module")
def ran():
    """Runs the commands one after the other. Returns their output and the files that they write."""
    have("arm-linux-gnueabi-gcc", "patch")
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    env["PATH"] = BUILD + os.pathsep + env["PATH"]
    # The folder's name is on the program's heap, so its length affects addresses.
    with tempfile.TemporaryDirectory(prefix="", dir="/tmp") as folder:
        equal(len(folder), len(FOLDER))
        for path in glob.glob(os.path.join(SOURCE, "examples/linux/weather.*")):
            shutil.copy(path, folder)
        printed = []
        for command, _ in steps():
            out = run("sh", "-c", f"exec 2>&1\n{command}", cwd=folder, env=env)
            equal(out.code, 0, f"{command}: {out}")
            printed.append((command, out.out.replace(folder, FOLDER)))
        yield printed, set(os.listdir(folder))


def output(ran, start):
    """Returns the output of the commands that begin with this text."""
    found = [text for command, text in ran[0] if command.startswith(start)]
    assert found, start
    return found


@pytest.mark.more
def test_what_the_page_concludes_is_so_with_any_compiler(ran):
    report, = output(ran, "pmk report --percent-limit")
    assert re.search(r"executions  function\n.*\n\n *[\d,]+ +7\d\.\d%.* add_up\n", report), report
    line, = output(ran, "pmk annotate")
    source = repo.text("examples/linux/weather.c").splitlines()
    number = source.index("\t\t\tsum[s] += reading[m][s];") + 1
    assert re.search(rf"Hottest lines:\n\n> 184,320 +100\.0% .*weather\.c:{number} ", line), line
    failed, passed = output(ran, "pmk diff --fail-over")
    contains(passed, "exit code 0")
    contains(failed, "exit code 1")
    assert re.search(r"^pmk: cpu_cycles: from \d+ to \d+ \(\+\d+\.\d+%\), over 2%$", failed, re.M)
    assert ran[1] >= {"page.html", "diff.html", "callgrind.out.weather", "weather.info"}, ran[1]


def test_the_page_shows_what_its_commands_print(ran):
    theirs = re.search(r"arm-linux-gnueabi-gcc (\d+\.\d+\.\d+)", repo.text(PAGE)).group(1)
    if compiler() != theirs:
        skip(f"the page's output is of a program of gcc {theirs}, here it is {compiler()}")
    for (command, shown), (_, printed) in zip(steps(), ran[0]):
        equal(without_times(shown), without_times(printed.rstrip().splitlines()), command)
