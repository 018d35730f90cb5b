# SPDX-License-Identifier: MIT
"""Armv8.1-M's PMU: the page agrees with the rows and the model, and pmk stat reports that no core
has it."""
import os
import re

from harness import SOURCE, WORK, have, pmk, run


def text(path):
    with open(os.path.join(SOURCE, path)) as f:
        return f.read()


def test_the_page_has_every_register():
    """The page lists every register. Of eight equal registers it lists only the first."""
    told = re.findall(r"^\| (\w+) \| (0xE00\w{5}) \|", text("docs/armv81m.md"), re.M)
    real = {out: address for out, address in
            re.findall(r'\{ "(\w+)", (0x\w{8}) \}', text("tests/pmu/test_armv81m_events.c"))}
    assert len(told) == 17 and all(real[name] == address for name, address in told), told
    assert {name for name in real if not re.fullmatch(r"PMU_EV\w+[1-7]", name)} == \
        {name for name, _ in told}


def test_the_page_has_every_parameter_and_input():
    told = set(re.findall(r"`(\w+)`", text("docs/armv81m.md").split("\n## 3. ")[1]))
    model = text("src/pmu/armv81m/model.c")
    real = set(re.findall(r'PMK_MODEL_PARAM\(pmk_armv81m_model, "(\w+)", params\.\1\)', model)) | \
        set(re.findall(r'\[PMK_ARMV81M_IN_\w+\] = "(\w+)"', model))
    assert real == told, (told, real)


def test_decode():
    out = pmk("decode", "cortex-m55", "PMU_CTRL=0x201", "PMU_TYPE=0x00a05f08",
              "PMU_EVTYPER3=0x1e")
    assert out.code == 0, out
    for field in (r"FRZO\s+1\b.*on", r"\bE\s+1\b.*enabled counters count", r"\bN\s+0x08\b",
                  r"SIZE\s+0x0*1f\b", r"EVTCOUNT\s+0x0*1e\b.*chain"):
        assert re.search(field, out.out), (field, out.out)


def test_stat_says_that_no_core_has_it():
    program = os.path.join(WORK, "armv81m-arm-program")
    have("arm-none-eabi-gcc")
    out = run("arm-none-eabi-gcc", "-nostdlib", "-static", "-x", "c", "-", "-o", program,
              stdin="void _start(void) { for (;;); }\n")
    assert out.code == 0, out
    out = pmk("stat", "-T", "emu", "--pmu", "cortex-m55", program)
    assert out.code == 129 and len(out.err.splitlines()) == 1 and \
        out.err.startswith("pmk: no emulated core has the PMU cortex-m55"), out
