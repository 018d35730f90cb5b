# SPDX-License-Identifier: MIT
"""The pins of the AHB Monitor: written while a dump is counted, they count the same."""
import os

from harness import *
from scoreboards import *

STATES = ["I", "B", "EN", "RN", "WS", "WB", "WA"] + [
    "S_" + burst for burst in ("SINGLE", "INCR", "WRAP4", "INCR4", "WRAP8", "INCR8", "WRAP16",
                               "INCR16")] + ["NR0", "NW0"]
PINS_MAP = "[clock]\nsignal = ahbmon.HCLK\n[packets]\npins = ahbmon.AHBMONITOR\n"


def write(name, text):
    with open(path(name), "w") as f:
        f.write(text)
    return path(name)


def layout(name, layers):
    """The project's layout with codes, made up, for these layers."""
    with open(os.path.join(SOURCE, "data/layouts/sp816.ini")) as f:
        text = f.read()
    text = text[:text.index("[packet]")]
    for layer in layers:
        text += f"[packet {layer}]\n" + "".join(f"{s} = {i}\n" for i, s in enumerate(STATES))
    return write(name, text)


def bench(seed):
    """A dump of two layers and a GXI with a map that has a slave, and its scoreboard."""
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
    for seed in (1, 2, 3):
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
        # Two edges in reset, and four until the last cycle has come out and is read.
        equal(got["ct_total_cycles"], 3000 + 2 + 4)
        contains(doc["warning"], f"of {board['armd']['BURST']} bursts on ARM-D are of kinds it has "
                 "no counter for: no mean over its bursts")
        equal(len(doc["warning"].splitlines()), 2)
        # Bursts of one beat look like SINGLE, so there are no more of the others.
        for burst in ("incr4", "incr8"):
            assert 0 < got[f"ct_armd_burst_{burst}"] <= want[f"ct_armd_burst_{burst}"]
        assert got["ct_armd_burst_single"] >= want["ct_armd_burst_single"]


def test_without_codes_the_gxi_alone():
    """The codes of the layers are not public, and none is made up."""
    dump, ini, board = bench(4)
    stat("-T", f"wave:{dump}", "--map", ini, "--packets", path("pins.vcd"))
    with open(path("pins.vcd")) as f:
        pins = [line for line in f.read().splitlines() if line.startswith("b")]
    assert all(re.fullmatch(r"b[01]{4}x{29} p", line) for line in pins), pins[:5]
    doc = stat("-T", f"wave:{path('pins.vcd')}", "--map", write("pins.ini", PINS_MAP), "-e",
               "ct_gxi_rd,ct_gxi_wr,ct_armd_rd")
    equal(counts(doc), {"ct_gxi_rd": board["gxi"]["RD"], "ct_gxi_wr": board["gxi"]["WR"],
                        "ct_armd_rd": None})
    equal(doc["counters"][2]["reason"], "packets do not tell it, or the layout has no codes of "
          "this layer (--layout)")


def test_a_packet_that_the_layout_does_not_have():
    dump, ini, _ = bench(5)
    stat("-T", f"wave:{dump}", "--map", ini, "--layout", layout("codes.ini", ("armd",)),
         "--packets", path("pins.vcd"))
    with open(path("codes.ini")) as f:
        other = write("other.ini", f.read().replace("WS = 4\n", "WS = none\n"))
    doc = stat("-T", f"wave:{path('pins.vcd')}", "--map", write("pins.ini", PINS_MAP),
               "--layout", other, "-e", "ct_armd_rd,ct_armd_wait_total")
    equal(counts(doc)["ct_armd_wait_total"], 0)
    assert re.search(r"\d+ cycles of ARM-D have a code that the layout does not have, or x: what "
                     "they were is not counted", doc["warning"]), doc["warning"]


def test_what_makes_no_sense_is_refused():
    dump, ini, _ = bench(6)
    pins, pins_ini = write("none.vcd", ""), write("pins.ini", PINS_MAP)
    stat("-T", f"wave:{dump}", "--map", ini, "--packets", pins)
    slaves = "[clock]\nsignal = tb.armd.hclk\n[layer a]\nscope = tb.armd\nhtrans = htrans\n"
    slaves += "hready = hready\n"
    for code, argv, why in (
            (129, [dump, ini, "--pmu", "amba", "--packets", pins],
             "--packets: amba counts, and the pins are those of ahbmon"),
            (129, [pins, pins_ini, "--packets", pins], "has the pins: there is nothing to write"),
            (125, [dump, ini, "--packets", path("no/such/folder")], "cannot be written"),
            (129, [dump, write("slave16.ini", slaves + "[slaves]\n16 = 0-1\n")],
             "'16' is no slave: their numbers are 0 to 15"),
            (129, [dump, write("both.ini", slaves + "[packets]\npins = tb.mbx.address\n")],
             "[packets] tells of the layers and the GXI"),
            (129, [dump, write("s.ini", "[clock]\nsignal = tb.armd.hclk\n[packets]\n"
                               "pins = tb.mbx.address\n")], "has 32 bits in the dump")):
        out = pmk("stat", "-T", f"wave:{argv[0]}", "--map", *argv[1:])
        equal(out.code, code, str(out))
        contains(out.err, why)
    out = pmk("stat", "--packets", pins, "true")
    equal(out.code, 129)
    contains(out.err, "packets")
