# SPDX-License-Identifier: MIT
"""pmk works without the commands of src/lab, as with meson -Dlab=false. For this test, main.c is
compiled without them, and linked with the objects of this build for the other commands."""
import shlex

from harness import *

pytestmark = [pytest.mark.once, lab]


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    here = tmp_path_factory.mktemp("lab")
    with open(os.path.join(BUILD, "compile_commands.json")) as f:
        command = next(c["command"] for c in json.load(f)
                       if c["file"].endswith("src/cli/main.c"))
    link_it = shlex.split(run("ninja", "-C", BUILD, "-t", "commands", "pmk").out.splitlines()[-1])
    main, = (a for a in link_it if a.endswith("cli_main.c.o"))
    changed = {main: str(here / "main.o"), "-DPMK_LAB=1": "-DPMK_LAB=0"}
    compile_it = [changed.get(a, a) for a in shlex.split(command)]
    assert "-DPMK_LAB=0" in compile_it, command
    link_it = [changed.get(a, a) for a in link_it
               if not re.search(r"src_lab_|liblab\.a", a)]
    link_it[link_it.index("-o") + 1] = str(here / "pmk")
    for command in (compile_it, link_it):
        out = run(*command, cwd=BUILD)
        assert out.code == 0, out
    return str(here / "pmk")


def test_nothing_else_needs_them(without):
    listed = re.findall(r"^  (\w+) +\S", run(without, "--help").out, re.M)
    equal(set(listed) & set(LAB_COMMANDS), set())
    contains(str(listed), "stat")


@pytest.mark.parametrize("command", LAB_COMMANDS)
def test_they_are_said_to_be_missing(without, command):
    want = (129, "", f"pmk: 'pmk {command}' is not in this build of pmk; 'meson setup -Dlab=true' "
                     "adds it\n")
    for words in ([command], [command, "--help"], ["help", command]):
        out = run(without, *words)
        equal((out.code, out.out, out.err), want)
