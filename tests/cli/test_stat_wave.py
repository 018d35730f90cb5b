#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pmk stat -T wave: counts out of a dump of a simulated bus, against the scoreboard of its testbench."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import *  # noqa: E402,F403

FOLDER = os.path.join(WORK, "stat-wave")
SCORES = {"READ": "rd", "WRITE": "wr", "WAIT": "wait_total", "WAIT_FIRST": "wait_non_seq_slave"}


def simulated(seed, cycles=3000):
    """A dump, its map, and what the testbench counted: {"armd": {"READ": n, …}, …}."""
    have("iverilog")
    os.makedirs(FOLDER, exist_ok=True)
    bench = os.path.join(FOLDER, "bus.vvp")
    if not os.path.exists(bench):
        out = run("iverilog", "-g2005", "-o", bench, os.path.join(SOURCE, "tests/wave/bus.v"))
        equal(out.code, 0, out)
    dump = os.path.join(FOLDER, f"{seed}.vcd")
    out = run("vvp", bench, f"+dump={dump}", f"+seed={seed}", f"+cycles={cycles}")
    equal(out.code, 0, out)
    scores = {m[1]: {k: int(v) for k, v in re.findall(r"(\S+) (\d+)", m[2])}
              for m in re.finditer(r"^(armd|dma0) (.*)$", out.out, re.M)}
    ini = os.path.join(FOLDER, f"{seed}.ini")
    with open(ini, "w") as f:
        f.write(pmk("wave", "signals", dump).out)
    return dump, ini, scores


def check(doc, scores):
    found = counts(doc)
    for layer, of in scores.items():
        for score, counter in SCORES.items():
            equal(found[f"ct_{layer}_{counter}"], of[score], f"{layer} {score}")


@test
def counts_are_those_of_the_scoreboard():
    for seed in range(1, 9):
        dump, ini, scores = simulated(seed)
        doc = stat("-T", f"wave:{dump}", "--map", ini)
        check(doc, scores)
        equal(counts(doc)["ct_total_cycles_en"], 3000)
        equal(doc["pmu"], "ahbmon")
        equal({c["trust"] for c in doc["counters"]}, {"measured"})


@test
def fst_and_a_pipe_give_the_same():
    have("vcd2fst")
    dump, ini, scores = simulated(9)
    fst = os.path.join(FOLDER, "9.fst")
    equal(run("vcd2fst", dump, fst).code, 0)
    check(stat("-T", f"wave:{fst}", "--map", ini), scores)
    out = run("sh", "-c", '"$0" stat -j -T wave:- --map "$1" < "$2"', PMK, ini, dump)
    equal(out.code, 0, out)
    check(json.loads(out.err), scores)


@test
def intervals_add_up():
    dump, ini, scores = simulated(10)
    doc = stat("-T", f"wave:{dump}", "--map", ini, "-I", "700cycles", "-e", "ct_armd_rd,ct_dma0_wait_total")
    rows = [c for c in doc["counters"] if c["event"] == "ct_armd_rd"]
    equal(len(rows), 5)  # four times 700, and the rest
    equal(sum(c["counter-value"] for c in rows), scores["armd"]["READ"])
    equal([c["interval"]["cycles"] for c in rows][:4], [700, 1400, 2100, 2800])


@test
def a_layer_alone():
    dump, ini, scores = simulated(11)
    doc = stat("-T", f"wave:{dump}", "--map", ini, "--layer", "dma0")
    check(doc, {"dma0": scores["dma0"]})
    assert not any("armd" in c["event"] for c in doc["counters"])
    doc = stat("-T", f"wave:{dump}", "--map", ini, "--layer", "dma0", "-e", "ct_armd_rd")
    equal(doc["counters"][0]["trust"], "not supported")
    equal(doc["counters"][0]["reason"], "the map has no signal that tells it")


@test
def a_dump_that_is_cut_is_told():
    dump, ini, _ = simulated(12)
    cut = os.path.join(FOLDER, "cut.vcd")
    with open(dump, "rb") as f, open(cut, "wb") as g:
        data = f.read()
        g.write(data[:len(data) // 2 + 1])
    doc = stat("-T", f"wave:{cut}", "--map", ini, code=125)
    equal(doc["partial"], True)
    assert 0 < counts(doc)["ct_total_cycles_en"] < 2000
    assert re.match(r".*cut.vcd: byte \d+, line \d+, time \d+ ps: .*; counted is what came before", doc["warning"])
    assert counts(doc)["ct_armd_rd"] > 0


def hand_written(name, edges, text):
    """A dump with `edges` rising edges of clk, 100 ns apart from 50 ns on, in which e is 1; and a map."""
    os.makedirs(FOLDER, exist_ok=True)
    dump, ini = (os.path.join(FOLDER, f"{name}.{end}") for end in ("vcd", "ini"))
    with open(dump, "w") as f:
        f.write("$timescale 10 ns $end\n$var wire 1 ! clk $end\n$var wire 1 \" e $end\n$enddefinitions $end\n"
                "#0\n0!\n1\"\n")
        for i in range(1, edges + 1):
            f.write(f"#{10 * i - 5}\n1!\n#{10 * i}\n0!\n")
    with open(ini, "w") as f:
        f.write("[clock]\nsignal = clk\n" + text)
    return dump, ini


@test
def an_event_of_any_pmu():
    """From the first edge on, although an ARM11 begins to count some cycles after it is told to."""
    for edges in (1, 2, 10):
        dump, ini = hand_written("event", edges, "[events]\npmu = arm1176\nINSN = e\n")
        equal(counts(stat("-e", "cpu_cycles,instr_exec", "-T", f"wave:{dump}", "--map", ini)),
              {"cpu_cycles": edges, "instr_exec": edges})
    doc = stat("-I", "3cycles", "-e", "cpu_cycles,instr_exec", "-T", f"wave:{dump}", "--map", ini)
    equal([c["counter-value"] for c in doc["counters"]], [3, 3, 3, 3, 3, 3, 1, 1])
    equal([c["interval"]["seconds"] for c in doc["counters"]][::2], [2.5e-7, 5.5e-7, 8.5e-7, 9.5e-7])


@test
def cycles_are_edges_unless_the_map_says_what_they_are():
    dump, ini = hand_written("cycle", 10, "[events]\npmu = arm1176\nCYCLE = e\n")
    equal(counts(stat("-e", "cpu_cycles", "-T", f"wave:{dump}", "--map", ini)), {"cpu_cycles": 10})


@test
def a_latency_is_counted_and_not_timed():
    dump, ini = hand_written("latency", 10, "[events]\npmu = microblaze\nicache_read_latency = e\n")
    doc = stat("-e", "icache_read_latency", "-T", f"wave:{dump}", "--map", ini)
    equal((doc["counters"][0]["counter-value"], doc["counters"][0]["latency"]), (10, None))
    equal(doc["counters"][0]["reason"], "counted, not timed: a dump does not tell how long it took")


@test
def a_map_without_anything_for_the_pmu():
    dump, ini, _ = simulated(14, 50)
    out = pmk("stat", "-T", f"wave:{dump}", "--map", ini, "--pmu", "microblaze")
    equal(out.code, 129, out)
    contains(out.err, "has nothing for microblaze: neither [events] nor [evntbus]")


@test
def what_makes_no_sense_is_refused():
    dump, ini, _ = simulated(13, 50)
    for argv, code, why in (
            (["-T", f"wave:{dump}"], 129, "--map FILE says which signals are which"),
            (["-T", "wave:", "--map", ini], 129, "expected wave:FILE"),
            (["-T", "wave", "--map", ini], 129, "expected wave:FILE"),
            (["-T", "emu:x", "ls"], 129, "there is no such target"),
            (["-T", f"wave:{dump}", "--map", ini, "ls"], 129, "no program is run"),
            (["-T", f"wave:{dump}", "--map", ini, "-r", "2"], 129, "read once"),
            (["-T", f"wave:{dump}", "--map", ini, "-I", "5ms"], 129, "-I 5cycles"),
            (["-T", f"wave:{dump}", "--map", ini, "--pmu", "nix"], 129, "unknown PMU 'nix'"),
            (["-T", f"wave:{dump}", "--map", ini, "--core", "arm1176"], 129, "--map is for -T wave, and --core for -T emu"),
            (["-T", f"wave:{dump}", "--map", ini, "--layer", "armi"], 129, "no layer 'armi'"),
            (["-T", f"wave:{dump}", "--map", "nowhere.ini"], 125, "nowhere.ini"),
            (["-T", "wave:nowhere.vcd", "--map", ini], 125, "nowhere.vcd: No such file"),
            (["--map", ini, "ls"], 129, "wave:FILE")):
        out = pmk("stat", *argv)
        equal(out.code, code, f"{argv} {out}")
        contains(out.err, why)
        equal(out.err.count("\n"), 1, out)


main()
