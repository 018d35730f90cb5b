# SPDX-License-Identifier: MIT
"""pmk can write the pins of the AHB Monitor while it counts a dump or emulates a program. Counting
from these pins gives the same counts."""
import os

from harness import *
import firmware_examples
from programs import assemble, program
from scoreboards import *

STATES = ["I", "B", "EN", "RN", "WS", "WB", "WA"] + [
    "S_" + burst for burst in ("SINGLE", "INCR", "WRAP4", "INCR4", "WRAP8", "INCR8", "WRAP16",
                               "INCR16")] + ["NR0", "NW0"]
# The codes that a layer with four pins can have, and the slaves of the core.
FEW = ["I", "WS", "WB", "WA", "S_INCR", "S_INCR4", "S_WRAP8", "S_INCR8", "S_INCR16", "NR0", "NR1",
       "NR2", "NR3", "NR4"]
SLAVES = [f"N{way}{slave}" for way in "RW" for slave in range(1, 5)]
PINS_MAP = "[clock]\nsignal = ahbmon.HCLK\n[packets]\npins = ahbmon.AHBMONITOR\n"


def write(name, text):
    with open(path(name), "w") as f:
        f.write(text)
    return path(name)


def layout(name, layers, more=()):
    """Returns the project's layout, with made-up codes for these layers."""
    with open(os.path.join(SOURCE, "data/layouts/sp816.ini")) as f:
        text = f.read()
    text = text[:text.index("[packet]")]
    for layer in layers:
        text += f"[packet {layer}]\n" + "".join(f"{s} = {i}\n" for i, s in enumerate(
            FEW if layer in ("armi", "clcdc") else STATES + [*more]))
    return write(name, text)


def bench(seed):
    """Returns a dump of two layers and a GXI, a map of it that has a slave, and its scoreboard."""
    board = {}
    done = run(*icarus("tb", "bus.v"), f"+dump={path('tb.vcd')}", f"+seed={seed}", "+cycles=3000",
               cwd=ROOM)
    for line in done.out.splitlines():
        words = line.split()
        if words and words[0] in ("armd", "dma0", "gxi"):
            board[words[0]] = dict(zip(words[1::2], map(int, words[2::2])))
    with open(guessed(path("tb.vcd"))) as f:
        ini = write("slaves.ini", f.read() + "\n[slaves]\n0 = 0-0xffffffff\n")
    return path("tb.vcd"), ini, board


def test_packets_count_what_the_signals_count():
    codes = layout("codes.ini", ("armd", "dma0"))
    for seed in range(1, 1 + size(1, 10)):
        dump, ini, board = bench(seed)
        direct = stat("-T", f"wave:{dump}", "--map", ini, "--layout", codes, "--packets",
                      path("pins.vcd"))
        doc = stat("-T", f"wave:{path('pins.vcd')}", "--map", write("pins.ini", PINS_MAP),
                   "--layout", codes)
        got, want = counts(doc), counts(direct)
        for layer in ("armd", "dma0"):
            of = board[layer]
            equal([got[f"ct_{layer}_{what}"] for what in
                   ("rd", "wr", "wait_total", "wait_non_seq_slave", "wait_non_seq_bus")],
                  [of["READ"], of["WRITE"], of["WAIT"], of["WAIT_FIRST"], 0])
            equal(got[f"ct_{layer}_wait_threshold_hit"], want[f"ct_{layer}_wait_threshold_hit"])
        equal([got[f"ct_gxi_{what}"] for what in ("rd", "wr", "rd_data_wait")],
              [board["gxi"]["RD"], board["gxi"]["WR"], board["gxi"]["DATA_WAIT"]])
        # There are two edges in reset before the 3000 cycles. After them come four more edges,
        # until the last cycle has been output on the pins and read.
        equal(got["ct_total_cycles"], 3000 + 2 + 4)
        contains(doc["warning"], f"of {board['armd']['BURST']} bursts on ARM-D are of kinds that "
                 "it has no counter for: there is no mean over its bursts")
        equal(len(doc["warning"].splitlines()), 2)
        # On the pins, an INCR4 or INCR8 burst of one beat looks like SINGLE.
        for burst in ("incr4", "incr8"):
            assert 0 < got[f"ct_armd_burst_{burst}"] <= want[f"ct_armd_burst_{burst}"]
        assert got["ct_armd_burst_single"] >= want["ct_armd_burst_single"]


def test_without_codes_the_gxi_alone():
    """Without codes, only the GXI is counted. The codes of the layers are not public, and pmk does
    not invent any."""
    dump, ini, board = bench(4)
    stat("-T", f"wave:{dump}", "--map", ini, "--packets", path("pins.vcd"))
    with open(path("pins.vcd")) as f:
        pins = [line for line in f.read().splitlines() if line.startswith("b")]
    assert all(re.fullmatch(r"b[01]{4}x{29} p", line) for line in pins), pins[:5]
    doc = stat("-T", f"wave:{path('pins.vcd')}", "--map", write("pins.ini", PINS_MAP), "-e",
               "ct_gxi_rd,ct_gxi_wr,ct_armd_rd")
    equal(counts(doc), {"ct_gxi_rd": board["gxi"]["RD"], "ct_gxi_wr": board["gxi"]["WR"],
                        "ct_armd_rd": None})
    equal(doc["counters"][2]["reason"], "packets do not have it, or the layout has no codes for "
                                        "this layer")


def test_a_packet_that_the_layout_does_not_have():
    dump, ini, _ = bench(5)
    stat("-T", f"wave:{dump}", "--map", ini, "--layout", layout("codes.ini", ("armd",)),
         "--packets", path("pins.vcd"))
    with open(path("codes.ini")) as f:
        other = write("other.ini", f.read().replace("WS = 4\n", "WS = none\n"))
    doc = stat("-T", f"wave:{path('pins.vcd')}", "--map", write("pins.ini", PINS_MAP),
               "--layout", other, "-e", "ct_armd_rd,ct_armd_wait_total")
    equal(counts(doc)["ct_armd_wait_total"], 0)
    assert re.search(r"\d+ cycles of ARM-D were not counted, because their packets have an x "
                     "or a code that the layout does not have", doc["warning"]), doc["warning"]


def test_what_makes_no_sense_is_refused():
    dump, ini, _ = bench(6)
    pins, pins_ini = write("none.vcd", ""), write("pins.ini", PINS_MAP)
    stat("-T", f"wave:{dump}", "--map", ini, "--packets", pins)
    slaves = "[clock]\nsignal = tb.armd.hclk\n[layer a]\nscope = tb.armd\nhtrans = htrans\n"
    slaves += "hready = hready\n"
    for code, argv, why in (
            (129, [dump, ini, "--pmu", "amba", "--packets", pins],
             "--packets writes the pins of ahbmon, but amba does the counting"),
            (129, [pins, pins_ini, "--packets", pins], "the dump already has the pins"),
            (125, [dump, ini, "--packets", path("no/such/folder")], "cannot be written"),
            (129, [dump, write("slave16.ini", slaves + "[slaves]\n16 = 0-1\n")],
             "'16' is not the number of a slave; expected 0 to 15"),
            (129, [dump, write("both.ini", slaves + "[packets]\npins = tb.mbx.address\n")],
             "[packets] describes the same layers and GXI"),
            (129, [dump, write("s.ini", "[clock]\nsignal = tb.armd.hclk\n[packets]\n"
                               "pins = tb.mbx.address\n")], "has 32 bits in the dump")):
        out = pmk("stat", "-T", f"wave:{argv[0]}", "--map", *argv[1:])
        equal(out.code, code, str(out))
        contains(out.err, why)


# ---- in emulation --------------------------------------------------------------------------------

# For each line of its data, the program loads a word, which fills the line, and stores another
# word of the line.
LINES = """
	.syntax	unified
	.arm
	.global	_start
	.bss
	.balign	4096
data:	.space	0x10000
	.text
_start:
	ldr	r2, =data
	mov	r3, #1000
1:	ldr	r1, [r2], #32
	str	r1, [r2, #16]
	subs	r3, r3, #1
	bne	1b
	mov	r0, #3
	mov	r7, #1
	svc	#0
"""
FORKS = r"""
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	if (fork() == 0)
		_exit(0);
	wait(0);
	return 0;
}
"""


def lines():
    have("qemu-arm")
    return assemble("packets-lines", LINES, "-march=armv5te")


def same(direct, codes, untold):
    """Checks that the written pins give the counts of the emulation, except for four cycles after
    the end. Pins do not show the counts `untold`."""
    doc = stat("-T", f"wave:{path('pins.vcd')}", "--map", write("pins.ini", PINS_MAP), "--layout",
               codes, "-e", "all")
    assert "a code that the layout does not have" not in doc["warning"], doc["warning"]
    got, want = counts(doc), counts(direct)
    equal({e for e, n in got.items() if n is None}, untold)
    clock = {e for e in got if e.startswith("ct_total_cycles")}
    equal({e: n - 4 if e in clock else n for e, n in got.items() if n is not None},
          {e: n for e, n in want.items() if e not in untold})
    return want


UNTOLD = {f"ct_{layer}_{way}_{place}" for layer, places in
          (("dma0", ("uart", "sci", "ssp")), ("exp", ("apb_dma", "apb_core")),
           ("armd", ("apb_dma", "apb_core"))) for way in ("rd", "wr") for place in places} | {
    "ct_armd_cast_out4", "ct_armd_cast_out8", "ct_armd_page_walk_d", "ct_armd_page_walk_i",
    "ct_gxi_wr_addr_wait", "ct_gxi_rd_addr_wait", "ct_gxi_rd_a_wait_threshold_hit",
    "ct_gxi_wr_a_wait_threshold_hit", "ct_gxi_page_change"}
ALL = ("armi", "clcdc", "dma0", "dma1", "exp", "armd")


def test_packets_of_a_program():
    codes = layout("all.ini", ALL)
    direct = stat("--pmu", "ahbmon", "-e", "all", "--layout", codes, "--packets", path("pins.vcd"),
                  "--traffic", "dma0:period=50,dir=both", "--traffic", "gxi:period=10,dir=both",
                  "--traffic", "clcdc:period=70,burst=incr8", lines(), code=3)
    want = same(direct, codes, UNTOLD)
    # Each of the 1000 passes fills a line; the first instruction's literal fills another one.
    equal((want["ct_armd_line_fill"], want["ct_armd_rd"] // 8), (1001, 1003))
    assert min(want["ct_dma0_wr"], want["ct_clcd_rd"], want["ct_gxi_rd"]) > 1000, want


def test_packets_of_firmware():
    """The pins show devices, which are separate slaves, when firmware uses them."""
    out, _ = firmware_examples.make("versatilepb", "O=" + path("versatilepb"))
    equal(out.code, 0, str(out))
    elf = os.path.join(path("versatilepb"), "versatilepb.elf")
    codes = layout("slaves.ini", ALL, SLAVES)
    direct = pmk("run", "-e", "all", "--layout", codes, "--packets", path("pins.vcd"),
                 "--json-document", "-o", path("run.json"), "--", "qemu-system-arm", "-M",
                 "versatilepb", "-nographic", "-nic", "none", "-semihosting-config",
                 "enable=on,target=native", "-kernel", elf)
    equal(direct.code, 0, str(direct))
    with open(path("run.json")) as f:
        want = same(json.load(f), codes, UNTOLD)
    assert want["ct_armd_wr_apb_dma"] > 1000, want
    # The APB bridge of the DMA controllers is slave 3. ARM-D's pins are [28:23].
    with open(path("pins.vcd")) as f:
        seen = set(re.findall(r"^b[01]{4}([01]{6})", f.read(), re.M))
    assert format((STATES + SLAVES).index("NW3"), "06b") in seen, seen


def test_the_pins_are_of_one_thread():
    doc = stat("--pmu", "ahbmon", "-e", "ct_armd_rd", "--packets", path("pins.vcd"),
               program("packets-forks", FORKS, "-march=armv5te"))
    contains(doc["warning"], "the pins are those of the first thread of the first process")


def test_packets_in_emulation_that_make_no_sense():
    for code, argv, why in (
            (129, ["--packets", path("pins.vcd"), lines()], "which core arm1176 does not have"),
            (125, ["--pmu", "ahbmon", "--packets", path("no/such/folder"), lines()],
             "No such file or directory"),
            (125, ["--pmu", "ahbmon", "--packets", "/dev/full", lines()],
             "--packets /dev/full: cannot be written: No space left on device")):
        out = pmk("stat", "-e", "all", *argv)
        equal(out.code, code, str(out))
        contains(out.err, why)
