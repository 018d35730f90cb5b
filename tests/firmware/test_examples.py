# SPDX-License-Identifier: MIT
"""Every example in examples/firmware is built and run in QEMU by its Makefile, and prints the right
output. The numbers of the virt example are exact, because with -icount the program determines
QEMU's counters. The test decodes the dump a second time, byte by byte according to docs/FORMATS.md.
"""
import os
import re
import shutil
import tempfile
import zlib

from harness import *
from firmware_examples import EXAMPLES, TOOLS, _ran, build, make, ran
import microblaze_tools

PERIOD = 10007


# ---- building ------------------------------------------------------------------------------------


def test_all_build_without_a_warning():
    for board in sorted(TOOLS):
        if not TOOLS[board][0] and microblaze_tools.folder()[1]:
            continue
        if TOOLS[board][0]:
            have("make", *(TOOLS[board][0] + tool for tool in ("gcc", "objcopy")))
            with locked(os.path.join(WORK, f"firmware-program-{board}")):
                out, folder = build(board, "-B")
        else:
            out, folder = make(board, "-B")
        equal((out.code, out.out, out.err), (0, "", ""), board)
        assert os.path.getsize(os.path.join(folder, board + ".elf")) > 0


def test_every_board_is_tested():
    # test_freertos.py tests the example of FreeRTOS.
    boards = set(os.listdir(EXAMPLES)) - {"common", "freertos"}
    equal(boards, set(TOOLS))
    shared = {"raspi0": ["raspi.c", "raspi.h"]}  # also files of the FreeRTOS example
    for board in boards:
        equal(sorted(os.listdir(os.path.join(EXAMPLES, board))),
              sorted(["Makefile", "link.ld", "main.c", "start.S", *shared.get(board, [])]), board)


def test_kernel_img_starts_where_the_firmware_jumps():
    out, folder = make("raspi0")
    equal(out.code, 0, str(out))
    image = open(os.path.join(folder, "kernel.img"), "rb").read()
    text = run("arm-none-eabi-objdump", "-s", "--start-address=0x8000", "--stop-address=0x8004",
               os.path.join(folder, "raspi0.elf")).out
    equal(re.search(r"^ 8000 ([0-9a-f]{8}) ", text, re.M).group(1), image[:4].hex())


def test_a_copy_works_elsewhere():
    have("make", "aarch64-linux-gnu-gcc", "qemu-system-aarch64")
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        for name in ("common", "virt"):
            shutil.copytree(os.path.join(EXAMPLES, name), os.path.join(folder, name))
        copy = os.path.join(folder, "virt")
        out = run(os.path.join(SOURCE, "scripts", "amalgamate"), copy)
        equal(out.code, 0, str(out))
        out = run("make", "-s", "-C", copy, "O=.", "run")
        equal((out.code, out.err), (0, ""), str(out))
        equal(out.out, ran("virt")[0])


def test_switched_off_nothing_is_left():
    """With -DPMK_ENABLED=0 for a whole program and for the library's own file, the program builds
    without a warning, and contains nothing of the library but its error texts."""
    on, off = os.path.join(make("raspi0")[1], "raspi0.elf"), os.path.join(WORK, "firmware-examples",
                                                                          "off")
    out, _ = make("raspi0", "O=" + off, "CC=arm-none-eabi-gcc -DPMK_ENABLED=0")
    equal((out.code, out.err), (0, ""), str(out))

    def left(elf):
        return set(re.findall(r"\b(?:pmk_\w+|pmu|regions)$", run("arm-none-eabi-nm", elf).out,
                              re.M))

    equal(left(os.path.join(off, "raspi0.elf")), {"pmk_strerror"})
    assert {"pmk_target_open", "pmk_region_begin", "pmu", "regions"} <= left(on), left(on)


# ---- machines without the counters ---------------------------------------------------------------


def test_raspi0_says_that_there_is_no_pmu():
    out, _ = ran("raspi0")
    equal(out, "pmk: this ARM1176 has no PMU (QEMU's has none)\n")


def test_versatilepb_says_that_there_is_no_monitor():
    out, _ = ran("versatilepb")
    equal(out,
          "pmk: no AHB Monitor of this layout: 0 of 90 registers answer as it says (QEMU has "
          "none)\n")


def test_ml605_says_that_no_mdm_answers():
    out, _ = ran("ml605")
    equal(out, "pmk: no MDM answers, or a debugger has it: DBG_STATUS stays 0 (QEMU has no MDM)\n")


def test_ml605_tells_its_exit_code():
    """The program cannot switch the machine off. So make ends QEMU when the program prints its last
    line, and takes the exit code from this line."""
    other = os.path.join(WORK, "ml605-three.c")
    with open(other, "w") as f:
        f.write('#define main unused\n#include "../ml605/main.c"\n#undef main\n'
                'int main(void)\n{\n\tprint("three");\n\tprint("\\n");\n\treturn 3;\n}\n')
    folder = os.path.join(WORK, "firmware-examples", "ml605-three")
    out, _ = make("ml605", "O=" + folder, "run",
                  "SOURCES=start.S ../common/print.c ../common/memory.c "
                  f"{folder}/pmk_target.c {other}", main=other)
    equal((out.code, out.out), (2, "three\n"), str(out))
    contains(out.err, "Error 3")


# ---- virt: counting ------------------------------------------------------------------------------


def loops(text):
    """Returns [(level, n, instructions, cycles)] of the loops of known length."""
    return [(level, *map(int, rest)) for level, *rest in
            re.findall(r"^(el[01]) n (\d+) instructions (\d+) cycles (\d+)$", text, re.M)]


def test_virt_counts_known_loops_exactly():
    found = loops(ran("virt")[0])
    equal([(level, n) for level, n, _, _ in found],
          [("el1", n) for n in (1, 2, 10, 100, 1000, 10000)] + [("el0", 1000)])
    # An iteration has four instructions, and there are a few more between the two reads of a
    # counter. Each instruction takes one cycle.
    insns, cycles = {i - 4 * n for _, n, i, _ in found}, {c - 4 * n for _, n, _, c in found}
    equal((len(insns), len(cycles)), (1, 1), str(found))
    assert 0 < min(cycles) < min(insns) < 12, (insns, cycles)


def test_virt_cycles_follow_the_clock_and_instructions_do_not():
    slow = loops(ran("virt", "SHIFT=1")[0])
    equal(slow, [(level, n, i, 2 * c) for level, n, i, c in loops(ran("virt")[0])])


def test_virt_says_the_same_every_time():
    first = ran("virt")[1]
    for _ in range(2):
        _ran.pop(("virt", ()))
        equal(ran("virt")[1] == first, True, "a run differs")


def test_virt_probes_at_el0():
    out, _ = ran("virt")
    contains(out, "\nel0 probe: the access takes an Undefined exception in this mode\nel0 n 1000 ")


def test_virt_takes_the_cost_of_measuring_off():
    out, _ = ran("virt")
    report = out[out.index("pmk: cortex-a53, 2 events"):]
    assert re.search(r"^region loop: 10 times\n.*\n +40000 +\d+ +4000\.00 +0\.00 +4000 +4000  "
                     r"cpu_cycles\n"
                     r" +40000 +\d+ +4000\.00 +0\.00 +4000 +4000  inst_retired$", report,
                     re.M), report
    sort = re.search(r"^region sort: 10 times\n.*\n +(\d+) +(\d+) .* 0\.00 +(\d+) +(\d+)  "
                     r"cpu_cycles\n"
                     r" +(\d+) +(\d+) .*  inst_retired$", report, re.M)
    assert sort, report
    net, raw, least, most = map(int, sort.group(1, 2, 3, 4))
    cost = int(re.search(r"^ +\d+ +(\d+) +\d+  cpu_cycles$", report, re.M).group(1))
    equal((net, least, most), (raw - 10 * cost, net // 10, net // 10))


def test_virt_fast_regions_are_exact():
    """Fast regions count ten loops of 1 to 10 iterations of four instructions, and ten times the
    cost of a reading."""
    found = loops(ran("virt")[0])
    insns, cycles = found[0][2] - 4, found[0][3] - 4
    rows = re.search(r"^fast region short loop: 10 times\n.*event\n +(\d+) +(\d+\.\d\d) +(\d+) "
                     r"+(\d+)  cpu_cycles\n"
                     r" +(\d+) +(\d+\.\d\d) +- +-  inst_retired$", ran("virt")[0], re.M)
    assert rows, ran("virt")[0]
    # The ends of a fast region read the counters in the same order as PMK_FAST_BEGIN and
    # PMK_FAST_END. They store no result between these reads and the loop, so a few instructions may
    # differ.
    total, mean, least, most, insn_total, insn_mean = rows.groups()
    own = int(least) - 4
    assert 0 < own <= 12 and abs(own - cycles) <= 6, (own, cycles)
    equal((int(total), float(mean), int(most)),
          (4 * 55 + 10 * own, (4 * 55 + 10 * own) / 10, 40 + own))
    insn_own = (int(insn_total) - 4 * 55) / 10
    equal(insn_own - own, insns - cycles)
    equal(float(insn_mean), int(insn_total) / 10)


def test_virt_without_icount_says_what_is_missing():
    _, folder = make("virt")
    have("qemu-system-aarch64")
    out = run("qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a53", "-nographic", "-nic",
              "none", "-semihosting-config", "enable=on,target=native", "-kernel",
              os.path.join(folder, "virt.elf"))
    equal(out.code, 0, str(out))
    assert out.out.startswith(
        "no instructions are counted here (QEMU needs -icount shift=0)\n"), out.out
    equal({i for _, _, i, _ in loops(out.out)}, {0})


def on_virt(machine, cpu):
    """Returns the exit code and the output of the virt example, entered at this machine's exception
    level."""
    _, folder = make("virt")
    have("qemu-system-aarch64")
    return run("qemu-system-aarch64", "-M", machine, "-cpu", cpu, "-icount", "shift=0",
               "-nographic", "-nic", "none", "-semihosting-config", "enable=on,target=native",
               "-kernel", os.path.join(folder, "virt.elf"))


def test_virt_entered_at_el2_counts_the_same():
    out = on_virt("virt,virtualization=on", "cortex-a53")
    equal((out.code, out.out.split("sampled every")[0]),
          (0, ran("virt")[0].split("sampled every")[0]), out.err)


def test_virt_without_a_pmu_says_so():
    out = on_virt("virt", "cortex-a53,pmu=off")
    equal((out.code, out.out), (1, "open: this processor has no such PMU\n"))


def test_virt_in_secure_state_says_so():
    out = on_virt("virt,secure=on", "cortex-a53")
    equal((out.code, out.out),
          (1, "start: counting is forbidden in this state: Secure, or by the hypervisor\n"))


# ---- virt: sampling ------------------------------------------------------------------------------


def decode(dump):
    """Returns {pmu, events, regions, samples, dropped} of a dump, and checks its form."""
    equal(dump[:5], b"PMKD\1")
    equal(int.from_bytes(dump[-4:], "little"), zlib.crc32(dump[:-4]), "CRC")
    at = 5

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = dump[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text():
        nonlocal at
        length = number()
        at += length
        return dump[at - length:at].decode()

    d = {"events": [], "regions": {}, "samples": []}
    while True:
        kind, at = chr(dump[at]), at + 1
        if kind == "P":
            d["pmu"] = text()
        elif kind == "E":
            d["events"].append(dict(zip(("code", "period", "total", "cost", "nest"),
                                        [number() for _ in range(5)])))
        elif kind == "R":
            number()
            name = text()
            d["regions"][name] = {"count": number(), "errors": number(), "values":
                                  [[number() for _ in range(6)] for _ in d["events"]]}
        elif kind == "S":
            d["samples"].append(tuple(number() for _ in range(4)))
        elif kind == "D":
            d["dropped"] = number()
        else:
            equal((kind, at), ("Z", len(dump) - 4))
            return d


def virt_dump():
    raw = ran("virt")[1]
    return raw[raw.index(b"\nPMKD") + 1:]


def functions():
    """Returns [(begin, end, name)] of the functions in the virt example."""
    elf = os.path.join(make("virt")[1], "virt.elf")
    rows = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [tT] (\w+)$",
                      run("aarch64-linux-gnu-nm", "-S", elf).out, re.M)
    return [(int(a, 16), int(a, 16) + int(size, 16), name) for a, size, name in rows]


def function_of(pc, table):
    return next((name for begin, end, name in table if begin <= pc < end), "?")


def test_virt_dump_agrees_with_the_report():
    d = decode(virt_dump())
    report = ran("virt")[0].split(f"sampled every {PERIOD} cycles\n")[1]
    equal((d["pmu"], d["dropped"]), ("cortex-a53", 0))
    (event,) = d["events"]
    equal((event["code"], event["period"]), (0x11, PERIOD))
    contains(report, f"\n{event['total']:16}{event['cost']:12}{event['nest']:12}  cpu_cycles\n")
    contains(report, f"\nsamples: {len(d['samples'])} in the ring, 0 dropped\n")
    equal({name: (r["count"], r["errors"]) for name, r in d["regions"].items()},
          {"loop": (10, 0), "sort": (0, 0)})
    (raw, net, _, _, least, most), = d["regions"]["loop"]["values"]
    contains(report, f"{net:16}{raw:16}")
    contains(report, f"{least:12}{most:12}  cpu_cycles\n")


def test_virt_samples_at_every_period():
    d = decode(virt_dump())
    total, n = d["events"][0]["total"], len(d["samples"])
    # The handler resets the counter some hundred cycles late.
    assert n * PERIOD * 0.99 < total < n * (PERIOD + 800), (n, total)
    equal({(event, late) for _, _, event, late in d["samples"]}, {(0, 0)})


def test_virt_samples_where_the_work_is():
    table = functions()
    samples = decode(virt_dump())["samples"]
    by = {}
    for pc, _, _, _ in samples:
        name = function_of(pc, table)
        by[name] = by.get(name, 0) + 1
    # The loops have 30000 and 10000 rounds.
    share = by["long_work"] / len(samples)
    assert 0.70 < share < 0.78, by
    assert 0.22 < by["short_work"] / len(samples) < 0.28, by
    assert all(0x40100000 <= pc < 0x40200000 and pc % 4 == 0 for pc, _, _, _ in samples)


def test_virt_samples_know_their_region():
    table = functions()
    loop, none = 1, 0
    for pc, region, _, _ in decode(virt_dump())["samples"]:
        name = function_of(pc, table)
        assert region in (loop, none), f"region {region} at {pc:#x} in {name}: it never ran"
        if name in ("long_work", "short_work"):
            equal(region, loop if name == "long_work" else none, f"{pc:#x} in {name}")


def test_pmk_report_reads_it():
    if not re.search(r"^  report ", pmk("--help").out, re.M):
        skip("pmk has no command report")
    _, folder = make("virt")
    d = decode(virt_dump())
    out = pmk("report", "--no-big-num", "--elf", os.path.join(folder, "virt.elf"),
              os.path.join(folder, "virt.log"))
    equal(out.code, 0, str(out))
    contains(out.out, " on cortex-a53")
    assert re.search(rf"^ +{d['events'][0]['total']} +cpu_cycles ", out.out, re.M), out.out
    assert re.search(rf"^.*\bsamples\b.*\b{PERIOD}\b.*$", out.out, re.M | re.I), out.out
    by = {f: int(n) for n, f in re.findall(r"% +(\d+)  (\w+) ", out.out)}
    table = functions()
    for name in ("long_work", "short_work"):
        equal(by[name], sum(function_of(pc, table) == name for pc, *_ in d["samples"]), name)
