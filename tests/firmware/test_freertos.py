# SPDX-License-Identifier: MIT
"""examples/firmware/freertos under pmk run: an unmodified kernel of FreeRTOS, whose tasks are
counted separately. The kernel is from version 1.25.0 of Debian's source package micropython,
whatever the release of this machine."""
import collections
import os
import re
import sys
import tarfile
import tempfile

from harness import *
from firmware_examples import EXAMPLES

sys.path.insert(0, os.path.join(SOURCE, "tests", "guest"))
import fetch_debian as debian
from insns import SecondCount

PACKAGE = "main/m/micropython/micropython_1.25.0+ds.orig.tar.xz"
SHA256 = "7b25be99a502f070b2de81dafc08da7051d992325d6e67daa9045a918fffdbea"
INSIDE = "micropython-1.25.0/ports/cc3200/FreeRTOS/Source/"
ROUNDS, SHORT, LONG = 50, 2 * 1000, 2 * 9000  # as in main.c; a round has two instructions


def kernel():
    """Returns the folder of tasks.c."""
    def make(path):
        with tarfile.open(debian.pool_file(PACKAGE, SHA256)) as archive, \
                tempfile.TemporaryDirectory() as place:
            archive.extractall(place, [m for m in archive if m.name.startswith(INSIDE)])
            os.rename(os.path.join(place, INSIDE), path)

    try:
        return debian.kept("freertos-" + SHA256[:16], make)
    except debian.Unavailable as why:
        skip(f"FreeRTOS: {why}")


def make(*argv):
    have("make", "arm-none-eabi-gcc", "qemu-system-arm")
    return run("make", "-s", "-C", os.path.join(EXAMPLES, "freertos"),
               "O=" + os.path.join(WORK, "firmware-freertos"), *argv)


def said_of_tasks(said):
    return {name: int(n) for name, n in
            re.findall(r"^task (\w+): \d+ cycles, (\d+) instructions$", said, re.M)}


def regions(said):
    """Returns {name: (net, raw, least, most)} of the regions, in instructions."""
    found = re.findall(rf"^region (\w+): {ROUNDS} times\n.*\n.*cpu_cycles\n +(\d+) +(\d+) +\S+ +"
                       r"\S+ +(\d+) +(\d+)  instr_exec$", said, re.M)
    return {name: tuple(map(int, row)) for name, *row in found}


def test_it_builds_without_a_warning():
    out = make("FREERTOS=" + kernel(), "-B")
    equal((out.code, out.out, out.err), (0, "", ""))


def test_without_the_kernel_it_says_what_is_missing():
    out = make("-B")
    contains(out.err, "FREERTOS=FOLDER: where tasks.c of FreeRTOS is")
    equal(out.code, 2)


def test_tasks_are_counted_one_by_one():
    report = os.path.join(WORK, "freertos-report")
    out = make("FREERTOS=" + kernel(), "run", f"RUN={PMK} run -o {report} --")
    equal(out.code, 0, out)
    ticks = int(re.search(r"^(\d+) ticks$", out.out, re.M).group(1))
    assert ticks > 20, out.out
    short, long = (regions(out.out)[name] for name in ("short", "long"))
    # Without a tick, a region counts exactly the loop's instructions. With a tick, it also counts
    # those of the tick's handler, which are equal in both tasks. It never counts the instructions
    # of the other task, which ran in between.
    equal((short[2], long[2]), (SHORT, LONG))
    tick = long[3] - LONG
    equal((short[3] - SHORT, 0 < tick < SHORT), (tick, True), out.out)
    ticked = (long[0] - ROUNDS * LONG) / tick
    assert ticks / 3 < ticked < ticks, (ticks, ticked)
    tasks = said_of_tasks(out.out)
    total = int(re.search(r"^ +(\d+) .*instr_exec$", out.out, re.M).group(1))
    assert tasks["short"] > short[1] and tasks["long"] > long[1], out.out
    assert 0.9 * total < sum(tasks.values()) < total, (total, tasks)
    with open(report) as f:
        contains(f.read(), "the program's own PMU, arm1176: ")


def test_without_counters_it_says_so():
    out = make("FREERTOS=" + kernel(), "run")
    equal((out.code, out.out), (0, "pmk: this ARM1176 has no PMU (QEMU's has none)\n"))


def test_tasks_and_handlers_of_a_cortex_m_are_roots_of_call_paths():
    """In examples/cortexm/freertos, tasks and handlers are roots of call paths. An independent
    count agrees, so nothing is counted twice when a task continues in the middle of a block."""
    have("make", "arm-none-eabi-gcc", "qemu-system-arm")
    folder = os.path.join(WORK, "cortexm-freertos")
    out = run("make", "-s", "-B", "-C", os.path.join(SOURCE, "examples", "cortexm", "freertos"),
              "FREERTOS=" + kernel(), "O=" + folder)
    equal((out.code, out.out, out.err), (0, "", ""))
    elf, recording = os.path.join(folder, "rtos.elf"), os.path.join(folder, "rtos.pmk")
    equal(pmk("record", "-g", "-e", "inst_retired", "-o", recording, elf).code, 0)
    paths = collections.Counter()
    for line in pmk("export", "--format", "folded", "-i", recording).out.splitlines():
        path, n = line.rsplit(" ", 1)
        paths[path.split(";")[0]] += int(n)
        paths[path] += int(n) * (";" in path)
    equal({p for p in paths if ";" not in p},
          {"reset", "svc_handler", "pendsv_handler", "systick_handler", "sampler", "worker",
           "prvIdleTask"})
    # The worker filters in ten equal rounds, which the scheduler interrupts.
    assert paths["worker;filter"] > 10 * 100 * 64 * 3 and paths["worker;filter"] % 10 == 0, paths
    assert not [p for p in paths if "sampler" in p and "worker" in p]
    second = SecondCount(half=1 << 32)
    doc = stat("-e", "inst_retired", "--qemu", f"qemu-system-arm -M mps2-an385 -kernel '{elf}' "
               f"-nographic -nic none -semihosting -icount shift=5,sleep=off {second.options}")
    executed = second.read()[0][0]
    equal(counts(doc), {"inst_retired": executed})
    equal(sum(n for p, n in paths.items() if ";" not in p), executed)
