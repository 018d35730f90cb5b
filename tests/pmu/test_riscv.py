# SPDX-License-Identifier: MIT
"""RISC-V's counters: the page agrees with the catalogue, docs/TRACE.md has every vector, and the
driver counts through the native port on QEMU's virt board, whose counters are independent of the
model."""
import json
import os
import re

from harness import SOURCE, WORK, have, pmk, run
import repo

FOLDER = os.path.join(SOURCE, "tests/firmware/riscv")


def text(path):
    with open(os.path.join(SOURCE, path)) as f:
        return f.read()


def test_the_page_agrees_with_the_catalogue():
    told = re.findall(r"^\| 0x([0-9A-F]{3}) \| (\w+) \| ([A-Z0-9_, -]+) \| ([^|]+) \|$",
                      text("docs/riscv.md"), re.M)
    again = dict(re.findall(r'\{ 0x[0-9A-F]+, +\w+, +"(\w+)", +"([A-Z0-9_+]*)" \}',
                            text("tests/pmu/test_riscv_events.c")))
    assert len(told) == 37
    assert {(int(code, 16), name, brief) for code, name, _, brief in told} <= \
        {(int(e["code"], 16), e["name"], e["brief"]) for e in repo.events("riscv64")}
    for _, name, signals, _ in told:
        assert signals.replace(", ", "+").replace("-", "") == again[name]


def test_the_page_has_every_register():
    part = text("docs/riscv.md").split("\n## 1. ")[1].split("\n## ")[0]
    told = {int(n, 16) for n in re.findall(r"0x([0-9A-F]{3})", part)}
    for first, last in re.findall(r"0x([0-9A-F]{3}) to 0x([0-9A-F]{3})", part):
        told |= set(range(int(first, 16), int(last, 16) + 1))
    real = {int(n, 16) for n in re.findall(r'"\w+", "0x([0-9A-F]+)"', text("src/pmu/riscv/regs.c"))}
    assert len(real) == 30 and told == real, told ^ real


def test_every_vector_is_traced():
    rows = [line for line in text("docs/TRACE.md").splitlines()
            if line.startswith(("| PRIV ", "| U74 "))]
    for vector in re.findall(r"^vector (\S+)\ncores [^\n]+\nref (?:PRIV|U74)",
                             text("tests/conformance/riscv.vec"), re.M):
        assert any(f"riscv.vec:{vector}`" in row for row in rows) or \
            repo.is_vector_of_event(vector), f"vector {vector} is in no row"


def test_stat_says_that_no_core_has_it():
    """pmk stat refuses a PMU that no core has, in one line, although the program could run."""
    program = os.path.join(WORK, "riscv-arm-program")
    have("arm-none-eabi-gcc")
    out = run("arm-none-eabi-gcc", "-nostdlib", "-static", "-x", "c", "-", "-o", program,
              stdin="void _start(void) { for (;;); }\n")
    assert out.code == 0, out
    out = pmk("stat", "-T", "emu", "--pmu", "riscv64", program)
    assert out.code == 129 and len(out.err.splitlines()) == 1 and \
        out.err.startswith("pmk: no emulated core has the PMU riscv64"), out


def on_qemu(xlen, abi):
    gcc, qemu = "riscv64-linux-gnu-gcc", f"qemu-system-riscv{xlen}"
    have(gcc, qemu)
    made = os.path.join(WORK, f"riscv{xlen}-native")
    sources = [os.path.join(FOLDER, name) for name in ("start.S", "main.c")]
    sources += [os.path.join(SOURCE, "src/pmu", name)
                for name in ("riscv/driver.c", "riscv/native.c", "riscv/pmu.c", "lookup.c",
                             "no_flags.c")]
    out = run(gcc, f"-march=rv{xlen}imac_zicsr", f"-mabi={abi}", "-mcmodel=medany", "-std=gnu11",
              "-ffreestanding", "-fno-pic", "-fno-builtin", "-ffunction-sections", "-nostdlib",
              "-static", "-DPMK_FIRMWARE", "-Os", "-Wall", "-Wextra", "-Werror", "-I",
              os.path.join(SOURCE, "include"), "-I", os.path.join(SOURCE, "src"),
              f"-Wl,--build-id=none,-melf{xlen}lriscv,--gc-sections,-z,noexecstack", "-T",
              os.path.join(FOLDER, "link.ld"), *sources, "-o", made)
    assert out.code == 0, out
    out = run(qemu, "-M", "virt", "-bios", "none", "-icount", "shift=0", "-display", "none",
              "-serial", "none", "-monitor", "none", "-kernel", made)
    assert out.code == 0, f"line {out.code} of main.c; 99: an exception. {out.err}"


def test_native_rv64():
    on_qemu(64, "lp64")


def test_native_rv32():
    on_qemu(32, "ilp32")


def test_decode_names_the_events_of_a_mask():
    """U74 4.9.5: in class 0, bit 10 means retired integer stores; in class 2, bit 8 means cache
    misses."""
    def mask(value):
        doc = json.loads(pmk("decode", "riscv64", f"mhpmevent3={value}", "-j").out)
        field = next(f for f in doc["registers"][0]["fields"] if f["name"] == "Mask")
        return field["event"], field["text"]
    assert mask("0x400") == ("integer_store_retired",
                             "integer_store_retired: integer store retired")
    assert mask("0x102")[0] == "icache_miss"
    assert mask("0x600") == (None, "integer_load_retired, integer_store_retired")
    assert mask("0x0")[0] is None
    assert "integer_store_retired" in pmk("decode", "riscv32", "mhpmevent6=0x400").out
