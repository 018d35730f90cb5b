# SPDX-License-Identifier: MIT
"""The examples in docs/microblaze.md run, and its table of the models has every parameter.
test_trace.py and tests/guest compare events, registers and rules."""
import os
import re

from harness import *
import microblaze_tools
import repo

pytestmark = pytest.mark.quick


def page():
    return repo.text("docs/microblaze.md")


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## )", page(), re.M | re.S).group(1)


def examples():
    found = re.findall(r"^\$ (pmk .*)$", section("More commands"), re.M)
    assert len(found) >= 8, found
    return found


def test_examples_run():
    have("qemu-microblazeel")
    folder = os.path.join(WORK, "microblaze-page")
    os.makedirs(folder, exist_ok=True)
    prog = os.path.join(folder, "prog")
    if os.path.lexists(prog):
        os.unlink(prog)
    os.symlink(microblaze_tools.program("hello", "hello.c"), prog)
    env = dict(os.environ, PATH=BUILD + ":" + os.environ["PATH"])
    for line in examples():
        out = run("sh", "-c", line, cwd=folder, env=env)
        equal(out.code, 0, f"{line}: {out}")
        for word in ("<not ", "n/a", "warning:"):
            assert word not in out.err, f"{line}: {out}"


def test_its_four_ways_to_name_an_event_agree():
    have("qemu-microblazeel")
    words = next(re.search(r"-e (\S*r29\S*)", line) for line in examples()
                 if "r29" in line).group(1)
    by_name = counts(stat("-e", "clock_cycles,insn_executed,load_any",
                          microblaze_tools.program("hello", "hello.c")))
    named = counts(stat("-e", words, microblaze_tools.program("hello", "hello.c")))
    equal(list(named.values()), [by_name["clock_cycles"], by_name["insn_executed"],
                                 *[by_name["load_any"]] * 3])


@pytest.mark.more
def test_firmware_example_names_a_machine_that_is_there():
    command = re.search(r"`pmk stat --qemu '(qemu-system-microblazeel) -M (\S+) ",
                        section("More commands"))
    have(command.group(1))
    contains(run(command.group(1), "-M", "help").out, command.group(2) + " ")


def test_every_parameter_of_the_models_is_told():
    header = repo.text("include/pmk/microblaze_model.h")
    told = [w for cell in re.findall(r"^\| [^|]+ \| [^|]+ \| ([^|]+) \|$", section(r"7\. [^\n]*"),
                                     re.M)
            for w in re.findall(r"`(\w+)`", cell)]
    real = []
    for struct in ("pmk_microblaze_params", "pmk_mdm_params"):
        body = re.search(rf"^struct {struct} {{\n(.*?)^}};", header, re.M | re.S).group(1)
        for names in re.findall(r"^\t(?:bool|u?int\d+_t) ([\w, ]+);",
                                re.sub(r"/\*.*?\*/", "", body, flags=re.S), re.M):
            real += names.split(", ")
    assert len(real) > 20, real
    equal(sorted(told), sorted(real))
