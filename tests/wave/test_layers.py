# SPDX-License-Identifier: MIT
"""Dumps of designs with many layers: pmk counts with the guessed map, and each layer's counts and
latencies are those of its scoreboard in Verilog."""
import re
import shutil

from harness import *
from scoreboards import *
import scoreboards

SOC = ("soc", "layers.v", "bus.v")
LAYERS = [f"lane{i}" for i in range(5)] + ["m1", "m2", "m10"]


def simulated(simulator, name, seed, cycles=2000):
    return scoreboards.simulated(simulator(*SOC), LAYERS, name, seed, cycles)


def compare(board, doc):
    equal(doc["pmu"], "amba")
    found, others = told(doc, without=("refused",))
    equal(others, {"cycles": 2000})
    equal(sorted(found), sorted(board))
    for layer, want in board.items():
        assert all(want[kind] > 0 for kind in ("single", "incr", "wrap4", "incr4", "wrap8", "incr8",
                                               "wrap16", "incr16", "busy", "error", "wait")), want
        equal(found[layer], want, layer)


def test_all_layers_of_a_guessed_map_equal_their_scoreboards():
    for seed in range(1, 1 + size(1, 10)):
        dump, ini, board = simulated(icarus, "icarus.vcd", seed)
        compare(board, stat("-T", f"wave:{dump}", "--map", ini))


def test_verilator_has_the_same_layers_and_counts():
    dump, ini, board = simulated(verilator, "verilator.vcd", 4)
    compare(board, stat("-T", f"wave:{dump}", "--map", ini))
    if shutil.which("iverilog"):
        equal(simulated(icarus, "again.vcd", 4)[2], board, "two simulators of one design")


def bit_by_bit(dump, name):
    """Copies the dump, with one signal for each bit of a vector. Returns the path of the copy."""
    widths, out = {}, []
    with open(dump) as f:
        for line in f:
            var = re.match(r"\$var (\w+) (\d+) (\S+) (\S+) \[(\d+):0\] \$end", line)
            change = re.match(r"b([01xz]+) (\S+)$", line)
            if var and int(var[2]) > 1:
                widths[var[3]] = int(var[2])
                out += [f"$var {var[1]} 1 {var[3]}.{i} {var[4]} [{i}] $end\n"
                        for i in range(int(var[2]))]
            elif change and change[2] in widths:
                width = widths[change[2]]
                fill = change[1][0] if change[1][0] in "xz" else "0"
                digits = change[1].rjust(width, fill)
                out += [f"{digits[width - 1 - i]}{change[2]}.{i}\n" for i in range(width)]
            else:
                out.append(line)
    with open(path(name), "w") as f:
        f.writelines(out)
    return path(name)


def test_vectors_that_were_dumped_bit_by_bit():
    dump, ini, board = simulated(icarus, "icarus.vcd", 8)
    bits = bit_by_bit(dump, "bits.vcd")
    with open(bits) as f:
        assert " htrans [1] $end" in f.read()
    compare(board, stat("-T", f"wave:{bits}", "--map", guessed(bits)))


def test_pmk_warns_of_glitches_on_the_clock():
    """pmk warns of two clock edges at one time, and of a period much shorter than the usual one."""
    dump, ini, _ = simulated(icarus, "icarus.vcd", 9, 100)
    with open(dump) as f:
        text = f.read()
    code = re.search(r"\$var reg 1 (\S+) hclk \$end", text)[1]
    at = text.index("\n#500000\n") + 1
    odd = f"#496000\n0{code}\n1{code}\n#497000\n0{code}\n#498000\n1{code}\n"
    text = text[:at] + odd + text[at:]
    with open(path("glitch.vcd"), "w") as f:
        f.write(text)
    doc = stat("-T", f"wave:{path('glitch.vcd')}", "--map", ini, "-e", "cycles")
    equal(counts(doc), {"cycles": 101})
    equal(doc["warning"].splitlines()[:2],
          ["the clock changed more than once at one time; what is left of it counts: 1 times, "
           "first at 496000 ps: soc.hclk",
           "a clock period of less than half the usual one; it counts: 1 times, first at 498000 "
           "ps: soc.hclk"])


def test_layers_are_in_the_order_of_their_numbers():
    """The design declares m10, m2 and m1 in this order, and Icarus dumps them in another order."""
    for simulator in (icarus, verilator):
        ini = simulated(simulator, "order.vcd", 1, 50)[1]
        with open(ini) as f:
            names = re.findall(r"^\[layer (\S+)\]", f.read(), re.M)
        equal([n for n in names if n[0] == "l"], LAYERS[:5])
        equal([n for n in names if n[0] == "m"], LAYERS[5:])


def test_intervals_add_up():
    dump, ini, board = simulated(icarus, "icarus.vcd", 5)
    doc = stat("-T", f"wave:{dump}", "--map", ini, "-I", "300cycles", "-e", "*.burst,*.read",
               "--summary")
    parts = [c for c in doc["counters"] if "interval" in c and c["interval"]]
    whole = {c["event"]: c for c in doc["counters"] if not c.get("interval")}
    for layer in LAYERS:
        bursts = [c for c in parts if c["event"] == f"{layer}.burst"]
        equal(len(bursts), 7)
        equal(sum(c["counter-value"] for c in parts if c["event"] == f"{layer}.read"),
              board[layer]["read"])
        equal(sum(c["counter-value"] for c in bursts), board[layer]["burst"])
        equal(sum(c["latency"]["sum"] for c in bursts), board[layer]["burst_sum"])
        equal(sum(c["latency"]["sum-of-squares"] for c in bursts), board[layer]["burst_squares"])
        equal(min(c["latency"]["min"] for c in bursts), board[layer]["burst_min"])
        equal(max(c["latency"]["max"] for c in bursts), board[layer]["burst_max"])
        equal(flat(whole[f"{layer}.burst"], "burst"),
              {k: v for k, v in board[layer].items() if k.startswith("burst")})


def test_a_layer_alone_and_the_monitor():
    """By default, a single layer is counted as the monitor's EXP. On request, amba counts it."""
    dump, ini, board = simulated(icarus, "icarus.vcd", 6)
    where = ("-T", f"wave:{dump}", "--map", ini, "--layer", "m10")
    doc = stat(*where)
    equal((doc["pmu"], counts(doc)["ct_exp_rd"]), ("ahbmon", board["m10"]["read"]))
    doc = stat(*where, "--pmu", "amba", "-e", "m10.read,m1.read")
    equal(counts(doc), {"m10.read": board["m10"]["read"], "m1.read": None})
    equal(doc["counters"][1]["reason"], "the layer that was chosen leaves it out")
    out = pmk("stat", "-T", f"wave:{dump}", "--map", ini, "--pmu", "ahbmon")
    equal(out.code, 129)
    contains(out.err, "the layers m1 and m2 have the same monitor, exp; set monitor = NAME, one "
                      "of armi "
             "clcdc dma0 dma1 exp armd, or count with --pmu amba")
    out = pmk("stat", "-T", f"wave:{dump}", "--map", ini, "-e", "m1.raed")
    equal(out.code, 129)
    contains(out.err, "amba has no event 'm1.raed'; did you mean m1.read")


def test_the_report_and_csv():
    dump, ini, board = simulated(icarus, "icarus.vcd", 7)
    where = ("-T", f"wave:{dump}", "--map", ini)
    text = pmk("stat", *where, "-e", "m1.burst,m2.burst", "--bars", "--no-big-num").err
    m1 = board["m1"]
    contains(text, "latency in cycles")
    assert re.search(rf"^   m1\.burst +{m1['burst']} +\d+\.\d\d +\d+\.\d\d +{m1['burst_min']} +"
                     rf"{m1['burst_max']}$", text, re.M), text
    buckets = [m1.get(f"burst_{1 << i}", 0) for i in range(6)]
    assert re.search(r"^   by latency +1 +2-3 +4-7 +8-15 +16-31 +32-63$", text, re.M), text
    assert re.search(r"^   m1\.burst +" + " +".join(str(n or "-") for n in buckets) + "$", text,
                     re.M), text
    assert re.search(r"^   lane4 +[^ ]+ +\d+\.\d%", text, re.M), text
    line = pmk("stat", *where, "-e", "m1.burst", "-x", ";").err.splitlines()[0].split(";")
    equal([int(line[0]), int(line[-7]), int(line[-2])],
          [m1["burst"], m1["burst_sum"], m1["burst_squares"]])
    equal(line[-1], " ".join(f"{what}:{n}" for what, n in
                             zip(("1", "2-3", "4-7", "8-15", "16-31", "32-63"), buckets) if n))


def test_more_layers_than_a_session_has_events():
    """Sixty layers have more than 256 events, and all of them are counted."""
    text = "$timescale 1 ns $end\n$scope module tb $end\n$var wire 1 ! hclk $end\n"
    for i in range(60):
        text += f"$var wire 2 t{i} m{i}_htrans [1:0] $end\n$var wire 1 y{i} m{i}_hready $end\n"
    text += "$upscope $end\n$enddefinitions $end\n#0\n0!\n"
    text += "".join(f"b{'10' if i == 59 else '0'} t{i}\n1y{i}\n" for i in range(60))
    text += "".join(f"#{10 * k + 5}\n1!\n#{10 * k + 10}\n0!\n" for k in range(4))
    with open(path("many.vcd"), "w") as f:
        f.write(text)
    doc = stat("-T", f"wave:{path('many.vcd')}", "--map", guessed(path("many.vcd")))
    got = counts(doc)
    assert len(got) > 256, len(got)
    equal((got["m59.burst"], got["m58.burst"], got["m58.idle"], got["m59.idle"]), (3, 0, 4, 1))
