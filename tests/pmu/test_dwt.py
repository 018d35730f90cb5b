# SPDX-License-Identifier: MIT
"""The DWT's counters: docs/dwt.md agrees with the catalogue of events, the registers and the
parameters of the model. docs/TRACE.md has every vector of tests/conformance/dwt.vec. pmk stat
reports that no emulated core has these counters."""
import os
import re

from harness import SOURCE, WORK, have, pmk, run
import repo


def text(path):
    with open(os.path.join(SOURCE, path)) as f:
        return f.read()


def test_the_page_agrees_with_the_catalogue():
    told = re.findall(r"^\| 0x([0-9A-F]{2}) \| (\w+) \| \w+ \| \w+ \| ([^|]+) \|$",
                      text("docs/dwt.md"), re.M)
    assert len(told) == 6
    assert {(int(code, 16), name, brief) for code, name, brief in told} <= \
        {(int(e["code"], 16), e["name"], e["brief"]) for e in repo.events("dwt")}


def test_the_page_has_every_register():
    told = re.findall(r"^\| (\w+) \| (0xE00\w{5}) \|", text("docs/dwt.md"), re.M)
    real = re.findall(r'REG\(\w+, "(\w+)", [^,]+, "(0x\w+)"', text("src/pmu/dwt/regs.c"))
    assert len(real) == 10 and told == real, (told, real)


def test_the_page_has_every_parameter():
    told = re.findall(r"`(\w+)`", text("docs/dwt.md").split("\n## 5. ")[1])
    real = re.findall(
        r'(?<!= )PMK_MODEL_PARAM\(pmk_dwt_model, "(\w+)"', text("src/pmu/dwt/model.c"))
    assert len(real) == 6 and set(told) >= set(real), (told, real)


def test_every_vector_is_traced():
    rows = text("docs/TRACE.md")
    for vector in re.findall(r"^vector (\S+)$", text("tests/conformance/dwt.vec"), re.M):
        assert f"dwt.vec:{vector}`" in rows or repo.is_vector_of_event(vector), \
            f"vector {vector} is in no row"


def test_decode():
    out = pmk("decode", "dwt", "DWT_CTRL=0x41100001")
    assert out.code == 0, out
    for field in (r"NUMCOMP\s+0x4\b", r"NOPRFCNT\s+1\b.*not there", r"LSUEVTENA\s+1\b.*counts",
                  r"CYCCNTENA\s+1\b.*counts", r"CPIEVTENA\s+0\b.*stands still"):
        assert re.search(field, out.out), (field, out.out)


def test_stat_says_that_no_core_has_it():
    program = os.path.join(WORK, "dwt-arm-program")
    have("arm-none-eabi-gcc")
    out = run("arm-none-eabi-gcc", "-nostdlib", "-static", "-x", "c", "-", "-o", program,
              stdin="void _start(void) { for (;;); }\n")
    assert out.code == 0, out
    out = pmk("stat", "-T", "emu", "--pmu", "dwt", program)
    assert out.code == 129 and len(out.err.splitlines()) == 1 and \
        out.err.startswith("pmk: no emulated core has the PMU dwt"), out
