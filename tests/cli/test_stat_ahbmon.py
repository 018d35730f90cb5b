# SPDX-License-Identifier: MIT
"""pmk stat --pmu ahbmon counts the buses of an ARM926EJ-S."""
import os
import re

from harness import *
from programs import assemble, build, program

pytestmark = pytest.mark.quick

# Reads COUNT lines of 32 bytes from the start of a page, and exits with 3.
LINES = """
	.syntax	unified
	.arm
	.global	_start, work, after
	.type	work, %function
	.bss
	.balign	4096
data:	.space	0x100000
	.text
	.balign	4096
_start:
	ldr	r2, =data
	movs	r3, #(COUNT & 0xff00)
	orr	r3, r3, #(COUNT & 0xff)
	bl	work
after:
	mov	r0, #3
	mov	r7, #1
	svc	#0
	.balign	32
work:	ldr	r1, [r2], #32
	subs	r3, r3, #1
	bne	work
	bx	lr
"""
FORKS = r"""
#include <sys/wait.h>
#include <unistd.h>
static volatile char data[65536];
int main(void)
{
	if (fork() == 0)
		_exit(0);
	for (unsigned i = 0; i < sizeof(data); i += 32)
		data[i];
	wait(0);
	return 0;
}
"""


def lines(count):
    have("qemu-arm")
    return assemble("ahb-lines", LINES, f"-DCOUNT={count}", "-march=armv5te")


def test_what_is_printed():
    out = pmk("stat", "--pmu", "ahbmon", lines(1000))
    equal((out.code, out.out), (3, ""))
    for part in ("on arm926", "1 counter group (91 counters)", "ct_armd_line_fill", "modelled",
                 "data cache linefills per 1000 bus cycles (ahb_dfill_rate)",
                 "share of bus cycles in which layer ARM-D transfers or waits "
                 "(ahb_armd_utilisation)"):
        contains(out.err, part)
    assert "dma0" not in out.err, out.err
    assert "not supported" not in out.err, out.err


def test_the_core_has_the_pmu():
    a = stat("--pmu", "ahbmon", "-e", "all", lines(300), code=3)
    b = stat("--core", "arm926", "-e", "all", lines(300), code=3)
    c = stat("--pmu", "sp816", "-e", "all", lines(300), code=3)
    equal(counts(a), counts(b))
    equal(counts(a), counts(c))
    equal((a["core"], a["pmu"], len(counts(a))), ("arm926", "ahbmon", 91))
    # One line fill is for the program's literal, and one for each of the 300 lines that it reads.
    equal(counts(a)["ct_armd_line_fill"], 301)


def test_the_manuals_names_are_understood():
    doc = stat("--pmu", "ahbmon", "-e", "CtArmdLineFill,CtTotalCycles", lines(300), code=3)
    equal(counts(doc)["CtArmdLineFill"], 301)


def test_emulation_is_told_of():
    for event in ("ct_armd_rd", "ct_total_cycles", "ct_gxi_rd"):
        contains(pmk("info", event).out, "    emulation    modelled\n")


def test_regions_and_windows():
    whole = counts(stat("--pmu", "ahbmon", "-e", "all", lines(500), code=3))
    doc = stat("--pmu", "ahbmon", "-e", "all", "--region", "work", lines(500), code=3)
    inside = counts(doc, "work")
    equal(counts(doc), whole)
    equal(inside["ct_armd_line_fill"], 500)
    for event, n in inside.items():
        assert n <= whole[event], event
    window = counts(stat("--pmu", "ahbmon", "-e", "all", "--from", "work", "--to", "after",
                         lines(500), code=3))
    equal(window["ct_armd_line_fill"], 500)


def test_intervals_add_up():
    program = lines(5000)
    whole = counts(stat("--pmu", "ahbmon", "-e", "all", program, code=3))
    for every in ("30000cycles", "1000insns", "1"):
        path = os.path.join(WORK, f"ahb-intervals-{every}.csv")
        out = pmk("stat", "--pmu", "ahbmon", "-I", every, "-x", ",", "-o", path, "-e",
                  "ct_armd_line_fill,ct_armd_rd,ct_total_cycles", program)
        equal(out.code, 3)
        with open(path) as f:
            rows = [r.split(",") for r in f if "ct_" in r]
        os.unlink(path)
        for event in ("ct_armd_line_fill", "ct_armd_rd", "ct_total_cycles"):
            parts = [int(r[1]) for r in rows if event in r]
            equal(sum(parts), whole[event], f"{event} every {every}")
            assert len(parts) > 1 or every == "1", (every, parts)


def test_processes_are_chips_of_their_own():
    doc = stat("--pmu", "ahbmon", "-e", "all", program("ahb-forks", FORKS, "-march=armv5te"))
    c = counts(doc)
    # The parent reads 2048 lines of 32 bytes.
    assert c["ct_armd_line_fill"] > 2048, c
    equal(c["ct_armi_rd"], 8 * c["ct_armi_line_fill"])


def test_a_program_with_a_library():
    c = counts(stat("--pmu", "ahbmon", "-e", "all", "--traffic", "dma0:period=200",
                    program("ahb-printf",
                            '#include <stdio.h>\nint main(void){for(int i=0;i<2000;i++)'
                            'printf("%d\\n", i * i);return 0;}', "-march=armv5te")))
    equal(c["ct_armi_rd"], 8 * c["ct_armi_line_fill"])
    equal(c["ct_armd_rd"] + c["ct_armd_wr"],
          c["ct_armd_burst_single"] + 4 * c["ct_armd_burst_incr4"] +
          8 * (c["ct_armd_burst_incr8"] + c["ct_armd_line_fill"]))
    assert c["ct_dma0_burst_incr8"] > 100, c


def test_traffic_brings_its_layer():
    out = pmk("stat", "--pmu", "ahbmon", "--traffic", "dma0:period=100", "--traffic",
              "clcdc:period=300", lines(1000))
    equal(out.code, 3)
    for event in ("ct_dma0_rd", "ct_clcd_wait_total", "ahb_dma0_utilisation"):
        contains(out.err, event)
    assert "ct_dma1" not in out.err, out.err


def row(text, start):
    """Returns the numbers in the line with this beginning ("-" as None), and its bar."""
    line = next(l for l in text.splitlines() if l.startswith(start))
    words = line[len(start):].replace("%", "").split()
    bar = words.pop(0) if re.fullmatch(r"[#sbw.?]+", words[0]) else ""
    return [None if w == "-" else float(w.replace(",", "")) for w in words], bar


LAYERS = {"armi": ("ARM-I", ["burst_single", "burst_incr4", "line_fill"]),
          "armd": ("ARM-D", ["burst_single", "burst_incr4", "burst_incr8", "line_fill"]),
          "dma0": ("DMA-0", ["burst_incr", "burst_incr4", "burst_incr8", "burst_incr16"])}


def parts(c, layer):
    """Returns a layer's cycles as [transfers, waits by cause, idle cycles], and its bursts."""
    first = c[f"ct_{layer}_wait_non_seq_slave"], c[f"ct_{layer}_wait_non_seq_bus"]
    transfers = c[f"ct_{layer}_rd"] + c.get(f"ct_{layer}_wr", 0)
    waits = c[f"ct_{layer}_wait_total"]
    return ([transfers, *first, waits - sum(first), c["ct_total_cycles_en"] - transfers - waits],
            sum(c[f"ct_{layer}_{b}"] for b in LAYERS[layer][1]))


def test_bars_are_the_counts():
    argv = ["--pmu", "ahbmon", "--traffic", "dma0:period=40"]
    c = counts(stat(*argv, "-e", "all", lines(1000), code=3))
    out = pmk("stat", *argv, "--bars", lines(1000), env=dict(os.environ, LC_ALL="C"))
    equal(out.code, 3)
    shares, waits = out.err.split("cycles of layers")[1].split("waits per burst")
    for layer, (name, _) in LAYERS.items():
        spent, bursts = parts(c, layer)
        numbers, bar = row(shares, f"   {name} ")
        equal(numbers, [float(f"{100 * n / c['ct_total_cycles_en']:.1f}") for n in spent], layer)
        equal(len(bar), 31)
        for cells, n in zip((bar.count(glyph) for glyph in "#sbw."), spent):
            assert abs(cells - 31 * n / c["ct_total_cycles_en"]) < 1, (layer, bar, spent)
        total = sum(spent[1:4])
        equal(row(waits, f"   {name} ")[0],
              [bursts] + [float(f"{n / bursts:.2f}") for n in (total, *spent[1:4])], layer)
    # SDRAM makes each linefill wait for 5 cycles (docs/ahbmon.md, section 9), and nothing else uses
    # the bus.
    equal(row(waits, "   ARM-D ")[0][2], 5)
    assert "CLCDC" not in shares and "GXI" not in shares, shares


def test_trends_show_the_traffic():
    """The trends show, by interval, the traffic of a DMA controller that begins late and ends
    early."""
    argv = ["--pmu", "ahbmon", "-I", "6000cycles", "--traffic",
            "dma0:period=40,start=2000,count=40"]
    out = pmk("stat", *argv, "--bars", lines(1000), env=dict(os.environ, LC_ALL="C"))
    equal(out.code, 3)
    names = ["ahb_armd_wait_per_burst", "ahb_armd_bus_wait_per_burst"]
    metrics = stat(*argv, "-M", ",".join(names), lines(1000), code=3)["metrics"]
    total, bus = ([m["value"] for m in metrics if m["name"] == n] for n in names)
    assert bus[1] > 1 and not any(bus[2:]), bus
    shown = [row(line, "")[0] for line
             in re.findall(r"^ +[\d.]+ ARM-D [#sbw.]+( .*)$", out.err, re.M)]
    equal([s[0] for s in shown], [float(f"{v:.2f}") for v in total])
    equal([s[2] for s in shown], [float(f"{v:.2f}") for v in bus])
    # The levels reach from 0 to the longest mean.
    for what, values in (("waits", total), (" bus", bus)):
        levels = "".join("_.:-=+*#"[min(7, int(v / max(total) * 8))] for v in values)
        contains(out.err,
                 f"   ARM-D {what:<20}{levels}  least {min(values):.2f}, most {max(values):.2f}\n")


def test_bars_of_other_pmus():
    out = pmk("stat", "--bars", lines(10))
    equal((out.code, out.err),
          (129,
           "pmk: --bars draws the layers of a bus, and arm1176 has none; use --pmu ahbmon\n"))


def test_bad_traffic():
    for core, spec, said in (
            ("arm926", "dma0", "expected MASTER:KEY=VALUE"),
            ("arm926", "dma0:perid=4", "did you mean period?"),
            ("arm926", "dma0:burst=incr8", "period is missing"),
            ("arm926", "dma7:period=4", "did you mean"),
            ("arm926", "armd:period=4", "armd is the program's own layer"),
            ("arm926", "armi:period=4", "armi is the program's own layer"),
            ("arm926", "clcdc:period=4,dir=write", "does not write"),
            ("arm1176", "dma0:period=4", "are not modelled; use --core arm926")):
        out = pmk("stat", "--core", core, "--traffic", spec, lines(10))
        equal((out.code, out.out), (129, ""), spec)
        contains(out.err, said)
        equal(out.err.count("\n"), 1, out.err)
    out = pmk("stat", "--pmu", "ahbmon", "--traffic", "dma0:period=99", "--traffic",
              "dma0:period=50", lines(10))
    equal(out.code, 129)
    contains(out.err, "dma0 is given twice")


@pytest.mark.more
def test_traffic_that_leaves_nothing():
    out = pmk("stat", "--pmu", "ahbmon", "--traffic", "dma0:burst=incr16,period=0", lines(1000))
    equal(out.code, 125)
    contains(out.err, "--traffic blocks the program")
    equal(out.err.count("\n"), 1, out.err)


def test_parameters_of_other_cores():
    listed = stat("--pmu", "ahbmon", "--set", "ahb.ratio=2,mpmc.read=8", lines(10), code=3)
    equal(listed["settings"], "ahb.ratio=2 mpmc.read=8")
    equal(counts(listed), counts(stat("--pmu", "ahbmon", "--set", "ahb.ratio=2", "--set",
                                      "mpmc.read=8", lines(10), code=3)))
    out = pmk("stat", "--pmu", "ahbmon", "--set", "ahb.ratio=0", lines(10))
    equal(out.code, 129)
    contains(out.err, "ahb.ratio takes a number from 1 to 16")
    out = pmk("stat", "--core", "arm1176", "--set", "mpmc.read=4", lines(10))
    equal(out.code, 129)
    contains(out.err, "mpmc.read has no effect")


# The code maps each megabyte to itself, and turns the MMU and the caches on. It does not access
# data. The table is at the beginning of the code.
CACHES_ON = """
	.syntax	unified
	.arm
	.global	_start
	.set	section, 0xc1e
	.rept	4096
	.word	section
	.set	section, section + 0x100000
	.endr
_start:
	mov	r0, #0x10000
	mcr	p15, 0, r0, c2, c0, 0
	mov	r0, #3
	mcr	p15, 0, r0, c3, c0, 0
	mrc	p15, 0, r0, c1, c0, 0
	orr	r0, r0, #0x1000
	orr	r0, r0, #5
	mcr	p15, 0, r0, c1, c0, 0
"""
# ---- a whole machine -----------------------------------------------------------------------------

UART = CACHES_ON + """
	.global	done
	mov	sp, #0x100000
	mov	r4, #100
	ldr	r5, =0x101f1000
1:	ldr	r0, [r5, #0x18]
	mov	r0, #46
	strb	r0, [r5]
	subs	r4, r4, #1
	bne	1b
done:
	mov	r0, #0x18
	ldr	r1, =0x20026
	svc	0x123456
	b	.
"""


@pytest.mark.more
def test_a_peripheral_is_reached_through_its_bridge():
    have("qemu-system-arm")
    kernel = build("ahb-uart", UART, "-march=armv5te", "-nostdlib", "-static", "-Wl,-Ttext=0x10000",
                   ext="S", prefix="arm-none-eabi-")
    c = counts(stat("--pmu", "ahbmon", "-e", "all", "--qemu",
                    f"qemu-system-arm -M versatilepb -cpu arm926 -display none -serial null "
                    f"-monitor none -semihosting -kernel {kernel}"))
    equal((c["ct_armd_rd_apb_dma"], c["ct_armd_wr_apb_dma"]), (100, 100))
    equal((c["ct_armd_rd_apb_core"], c["ct_armd_wr_apb_core"]), (0, 0))
    # All accesses are SINGLE, including those of page table walks.
    equal(c["ct_armd_burst_single"],
          200 + c["ct_armd_page_walk_d"] + c["ct_armd_page_walk_i"])


# The program stores to lines that are not in the cache: four words at a multiple of 16, four words
# at another address, and eight words.
STM = CACHES_ON + """
	.global	work, done
	mov	sp, #0x100000
	mov	r9, #0x200000
	add	r10, r9, #0x104
	add	r11, r9, #0x200
	mov	r12, #400
work:	stmia	r9, {r4-r7}
	stmia	r10, {r4-r7}
	stmia	r11, {r0-r7}
1:	subs	r12, r12, #1
	bne	1b
done:
	mov	r0, #0x18
	ldr	r1, =0x20026
	svc	0x123456
	b	.
"""


@pytest.mark.more
def test_privileged_stores_look_like_cast_outs():
    # All these stores have HPROT 15. CtArmdCastOut4 does not count one of them, because of its
    # alignment (Table 4-11).
    have("qemu-system-arm")
    kernel = build("ahb-stm", STM, "-march=armv5te", "-nostdlib", "-static", "-Wl,-Ttext=0x10000",
                   ext="S", prefix="arm-none-eabi-")
    machine = (f"qemu-system-arm -M versatilepb -cpu arm926 -display none -serial null -monitor "
               f"none -semihosting -kernel {kernel}")
    for sets, four in (((), 2), (("--set", "castout4.aligned=1"), 1)):
        c = counts(stat("--pmu", "ahbmon", "-e", "all", "--from", "work", "--to", "done", *sets,
                        "--qemu", machine))
        equal((c["ct_armd_burst_incr4"], c["ct_armd_cast_out4"]), (2, four), sets)
        equal((c["ct_armd_burst_incr8"], c["ct_armd_cast_out8"]), (1, 1), sets)
