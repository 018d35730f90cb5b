# SPDX-License-Identifier: MIT
"""The counts that pmk stat -T wave reads from a dump of a simulated bus equal those of the
testbench's scoreboard."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from harness import *

pytestmark = pytest.mark.quick

FOLDER = os.path.join(WORK, "stat-wave")
SCORES = {"READ": "rd", "WRITE": "wr", "WAIT": "wait_total", "WAIT_FIRST": "wait_non_seq_slave"}


def simulated(seed, cycles=3000):
    """Returns a dump, its map, and the testbench's counts: {"armd": {"READ": n, …}, …}."""
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


def test_counts_are_those_of_the_scoreboard():
    for seed in range(1, 1 + size(1, 8)):
        dump, ini, scores = simulated(seed)
        doc = stat("-T", f"wave:{dump}", "--map", ini)
        check(doc, scores)
        equal(counts(doc)["ct_total_cycles_en"], 3000)
        equal(doc["pmu"], "ahbmon")
        equal({c["trust"] for c in doc["counters"]}, {"measured"})


@pytest.mark.more
def test_fst_and_a_pipe_give_the_same():
    have("vcd2fst")
    dump, ini, scores = simulated(9)
    fst = os.path.join(FOLDER, "9.fst")
    equal(run("vcd2fst", dump, fst).code, 0)
    check(stat("-T", f"wave:{fst}", "--map", ini), scores)
    out = run("sh", "-c", '"$0" stat --json-document -T wave:- --map "$1" < "$2"', PMK, ini, dump)
    equal(out.code, 0, out)
    check(json.loads(out.err), scores)


def test_intervals_add_up():
    dump, ini, scores = simulated(10)
    doc = stat("-T", f"wave:{dump}", "--map", ini, "-I", "700cycles", "-e",
               "ct_armd_rd,ct_dma0_wait_total")
    rows = [c for c in doc["counters"] if c["event"] == "ct_armd_rd"]
    equal(len(rows), 5)  # four intervals of 700 cycles, and a shorter one
    equal(sum(c["counter-value"] for c in rows), scores["armd"]["READ"])
    equal([c["interval"]["cycles"] for c in rows][:4], [700, 1400, 2100, 2800])


def test_a_layer_alone():
    dump, ini, scores = simulated(11)
    doc = stat("-T", f"wave:{dump}", "--map", ini, "--layer", "dma0")
    check(doc, {"dma0": scores["dma0"]})
    assert not any("armd" in c["event"] for c in doc["counters"])
    doc = stat("-T", f"wave:{dump}", "--map", ini, "--layer", "dma0", "-e", "ct_armd_rd")
    equal(doc["counters"][0]["trust"], "not supported")
    equal(doc["counters"][0]["reason"], "the map has no signal for it")


def test_a_dump_that_is_cut_is_told():
    dump, ini, _ = simulated(12)
    cut = os.path.join(FOLDER, "cut.vcd")
    with open(dump, "rb") as f, open(cut, "wb") as g:
        data = f.read()
        # The file is cut in the middle of a value, because at the end of a line nothing would seem
        # to be missing. The position depends on the length of the dump, which depends on the names
        # of folders.
        g.write(data[:data.index(b"\nb", len(data) // 2) + 2])
    doc = stat("-T", f"wave:{cut}", "--map", ini, code=125)
    equal(doc["partial"], True)
    assert 0 < counts(doc)["ct_total_cycles_en"] < 2000
    assert re.match(r".*cut.vcd: byte \d+, line \d+, time \d+ ps: .*; only what came before is "
    	"counted",
                    doc["warning"])
    assert counts(doc)["ct_armd_rd"] > 0


def hand_written(name, edges, text):
    """Writes a dump in which clk has `edges` rising edges, from 50 ns on every 100 ns, and in which
    e is 1. Returns the dump and a map."""
    os.makedirs(FOLDER, exist_ok=True)
    dump, ini = (os.path.join(FOLDER, f"{name}.{end}") for end in ("vcd", "ini"))
    with open(dump, "w") as f:
        f.write("$timescale 10 ns $end\n$var wire 1 ! clk $end\n$var wire 1 \" e "
                "$end\n$enddefinitions $end\n"
                "#0\n0!\n1\"\n")
        for i in range(1, edges + 1):
            f.write(f"#{10 * i - 5}\n1!\n#{10 * i}\n0!\n")
    with open(ini, "w") as f:
        f.write("[clock]\nsignal = clk\n" + text)
    return dump, ini


def test_an_event_of_any_pmu():
    """Events count from the first edge on, although on silicon an ARM11 begins to count some cycles
    after it is enabled."""
    for edges in (1, 2, 10):
        dump, ini = hand_written("event", edges, "[events]\npmu = arm1176\nINSN = e\n")
        equal(counts(stat("-e", "cpu_cycles,instr_exec", "-T", f"wave:{dump}", "--map", ini)),
              {"cpu_cycles": edges, "instr_exec": edges})
    doc = stat("-I", "3cycles", "-e", "cpu_cycles,instr_exec", "-T", f"wave:{dump}", "--map", ini)
    equal([c["counter-value"] for c in doc["counters"]], [3, 3, 3, 3, 3, 3, 1, 1])
    equal([c["interval"]["seconds"] for c in doc["counters"]][::2],
          [2.5e-7, 5.5e-7, 8.5e-7, 9.5e-7])


def test_cycles_are_edges_unless_the_map_says_what_they_are():
    dump, ini = hand_written("cycle", 10, "[events]\npmu = arm1176\nCYCLE = e\n")
    equal(counts(stat("-e", "cpu_cycles", "-T", f"wave:{dump}", "--map", ini)), {"cpu_cycles": 10})


def test_a_latency_is_counted_and_not_timed():
    dump, ini = hand_written("latency", 10, "[events]\npmu = microblaze\nicache_read_latency = e\n")
    doc = stat("-e", "icache_read_latency", "-T", f"wave:{dump}", "--map", ini)
    equal((doc["counters"][0]["counter-value"], doc["counters"][0]["latency"]), (10, None))
    equal(doc["counters"][0]["reason"], "counted, not timed: a dump does not show how long it took")


# ---- bars ---------------------------------------------------------------------------------------

BUS = """$timescale 1 ns $end
$var wire 1 ! hclk $end
$var wire 2 t htrans [1:0] $end
$var wire 1 w hwrite $end
$var wire 3 b hburst [2:0] $end
$var wire 1 y hready $end
$var wire 2 c cause [1:0] $end
$enddefinitions $end
"""
LAYER = ("[clock]\nsignal = hclk\n[layer armd]\nhtrans = htrans\nhwrite = hwrite\nhburst = "
         "hburst\nhready = hready\nhsize = 2\n")
# Ten cycles as (HTRANS, HREADY, cause) with an INCR4 read. Its first beat waits for one cycle for
# the slave and for one cycle for the matrix. Its second beat waits for one cycle.
CYCLES = [(0, 1, 0), (2, 1, 0), (3, 0, 1), (3, 0, 2), (3, 1, 0), (3, 0, 1), (3, 1, 0), (3, 1, 0),
          (0, 1, 0), (0, 1, 0)]


def small_bus(name="bus", cause=True):
    """Writes a dump of one burst (BUS), with ten cycles of 10 ns, and a map of it."""
    os.makedirs(FOLDER, exist_ok=True)
    dump, ini = (os.path.join(FOLDER, f"{name}.{end}") for end in ("vcd", "ini"))
    with open(dump, "w") as f:
        f.write(BUS + "#0\n0!\n0w\nb11 b\n")
        for i, (trans, ready, why) in enumerate(CYCLES):
            f.write(f"#{10 * i + 1}\nb{trans:b} t\n{ready}y\nb{why:b} "
                    f"c\n#{10 * i + 5}\n1!\n#{10 * i + 10}\n0!\n")
    with open(ini, "w") as f:
        f.write(LAYER + ("cause = cause\n" if cause else ""))
    return dump, ini


def bars(dump, ini, *argv, locale="C", **env):
    """Returns the report, beginning with the bars."""
    out = pmk("stat", "-T", f"wave:{dump}", "--map", ini, "--bars", *argv,
              env=dict(os.environ, LC_ALL=locale, TERM="xterm", **env))
    equal(out.code, 0, out)
    return out.err


def test_bars_of_a_layer():
    dump, ini = small_bus()
    text = bars(dump, ini)
    contains(text, """
   cycles of layers                     transfer   slave     bus   other    rest
   ARM-D ############ssssbbbwww.........   40.0%   10.0%   10.0%   10.0%   30.0%

   waits per burst         bursts    mean   slave     bus   other
   ARM-D                        1    3.00    1.00    1.00    1.00

   # transfers, s first beats wait for the slave, b first beats wait for the bus
   w other waits, . idle, busy, responses
""")
    contains(bars(dump, ini, locale="C.UTF-8"), "   ARM-D ████████████▓▓▓▓▒▒▒░░░·········   40.0%")
    assert "\033" not in text
    # If users give -e or -M, pmk still shows the bars, and counts the events that bars need.
    contains(bars(dump, ini, "-e", "ct_armd_rd"),
             "   ARM-D ############ssssbbbwww.........   40.0%")
    path = os.path.join(FOLDER, "bars.txt")
    equal(bars(dump, ini, "-M", "ahb_armd_utilisation", "-o", path), "")
    with open(path) as f:
        text = f.read()
    contains(text, "   ARM-D ############ssssbbbwww.........   40.0%")
    contains(text, "(ahb_armd_utilisation)")
    assert "bandwidth" not in text, text


def test_bars_of_intervals():
    dump, ini = small_bus()
    text = bars(dump, ini, "-I", "5cycles")
    for line in ("#           time layer, waits per burst             mean   slave     bus   "
                 "other\n",
                 # The first interval has 1 transfer, 2 waits for different causes and 2 idle
                 # cycles. The second one has 3 transfers, 1 wait and 1 idle cycle.
                 "     0.000000045 ARM-D #####sssssbbbbb..........    2.00    1.00    1.00    "
                 "0.00\n",
                 "     0.000000095 ARM-D ###############wwwww.....       -       -       -       "
                 "-\n",
                 "\n   waits per burst by interval\n"
                 "   ARM-D waits               #   least 2.00, most 2.00\n"
                 "   ARM-D  slave              =   least 1.00, most 1.00\n"
                 "   ARM-D  bus                =   least 1.00, most 1.00\n"):
        contains(text, line)


def test_metrics_of_intervals():
    """CSV and JSON have the numbers of the bars as metrics."""
    dump, ini = small_bus()
    names = ["ahb_armd_utilisation", "ahb_armd_wait_per_burst", "ahb_armd_first_wait_per_burst",
             "ahb_armd_bus_wait_per_burst", "ahb_armd_bus_wait_share"]
    argv = ["-T", f"wave:{dump}", "--map", ini, "-I", "5cycles", "-M", ",".join(names)]
    doc = stat(*argv)
    want = [(60, 2, 2, 1, 50), (80, None, None, None, None)]
    for i, cycles in enumerate((5, 10)):
        found = {m["name"]: m["value"] for m in doc["metrics"] if m["interval"]["cycles"] == cycles}
        equal(tuple(found[n] for n in names), want[i], f"{cycles} cycles")
    equal({m["reason"] for m in doc["metrics"] if m["value"] is None}, {"division by zero"})
    rows = [row.split(",") for row in pmk("stat", "-x,", *argv).err.splitlines() if row[:1] != "#"]
    found = {(row[0], row[7].split("  ")[-1]): row[6] for row in rows if row[7]}
    for i, time in enumerate(("0.000000045", "0.000000095")):
        for n, value in zip(names, want[i]):
            equal(found[time, n], "" if value is None else f"{value:.6f}", f"{n} at {time}")


def test_bursts_without_a_counter_have_no_mean():
    """pmk shows no mean for bursts that no counter counts. The testbench makes bursts of all kinds,
    and DMA-0 has counters for four kinds."""
    dump, ini, scores = simulated(3, cycles=5000)
    of = scores["dma0"]["BURST"]
    equal(of, 416)
    argv = ["-T", f"wave:{dump}", "--map", ini]
    doc = stat(*argv, "-M", "ahb_dma0_wait_per_burst,ahb_dma0_utilisation")
    counted = sum(n for name, n in counts(doc).items() if "burst" in name)
    equal(counted, 208)
    means = {m["name"]: (m["value"], m["reason"]) for m in doc["metrics"]}
    equal(means["ahb_dma0_wait_per_burst"],
          (None, "the layer had bursts of kinds that no counter counts"))
    assert means["ahb_dma0_utilisation"][0] is not None
    equal(doc["warning"],
          "208 of 416 bursts on DMA-0 are of kinds that it has no counter for: there is no "
          "mean over its bursts")
    contains(bars(dump, ini), "   DMA-0                    >=208       -       -       -       -\n")
    # If users do not request bursts, pmk does not warn about kinds that have no counter. A monitor
    # that counts all kinds shows the mean.
    equal(stat(*argv, "-e", "ct_dma0_rd").get("warning"), None)
    with open(ini) as f:
        text = f.read().replace("[layer dma0]", "[layer dma0]\nmonitor = exp")
    other = os.path.join(FOLDER, "exp.ini")
    with open(other, "w") as f:
        f.write(text)
    doc = stat("-T", f"wave:{dump}", "--map", other, "-M", "ahb_exp_wait_per_burst")
    equal([m["value"] for m in doc["metrics"]], [round(scores["dma0"]["WAIT"] / of, 6)])
    equal(doc.get("warning"), None)


def test_intervals_without_a_burst():
    dump, ini = small_bus()
    out = pmk("stat", "-T", f"wave:{dump}", "--map", ini, "-I", "5cycles", "-M",
              "ahb_armd_wait_per_burst,ahb_armd_first_wait_per_burst").err
    equal(out.count(" n/a in an interval: the metric would divide by a count of 0\n"),
          1)
    assert "division" not in out, out


def test_user_mode_is_not_told_apart():
    dump, ini, scores = simulated(1)
    doc = stat("-T", f"wave:{dump}", "--map", ini, "-e", "ct_armd_rd:u,ct_armd_rd:k,ct_armd_rd:uk")
    equal([(c["counter-value"], c["reason"]) for c in doc["counters"]],
          [(None, "a dump does not distinguish privileged and user mode")] * 2
          + [(scores["armd"]["READ"], None)])


def test_the_clock_is_that_of_the_dump():
    dump, ini, scores = simulated(1)
    doc = stat("-T", f"wave:{dump}", "--map", ini, "-M", "ahb_armd_bandwidth")
    words = scores["armd"]["READ"] + scores["armd"]["WRITE"]
    equal([m["value"] for m in doc["metrics"]], [round(4 * words * 1e8 / 3000, 6)])  # 10 ns each
    contains(doc["producer"], "3002 cycles (2 of them in reset) from ")


def test_reset_and_hresp_are_told():
    dump, ini, _ = simulated(1)
    with open(ini) as f:
        text = f.read()
    other = os.path.join(FOLDER, "other.ini")
    with open(other, "w") as f:
        f.write(text.replace("reset_active = low", "reset_active = high"))
    doc = stat("-T", f"wave:{dump}", "--map", other, "-e", "ct_armd_rd")
    contains(doc["producer"], "3002 cycles (3000 of them in reset)")
    contains(doc["warning"],
             "nearly all edges were in reset, where nothing counts (the other reset_active?): "
             "3000 times")
    with open(other, "w") as f:
        f.write(re.sub("^hresp.*\n", "", text, flags=re.M))
    doc = stat("-T", f"wave:{dump}", "--map", other, "-e", "ct_armd_rd")
    contains(doc["warning"], "HREADY was low on a layer without hresp in the map")


def test_a_dump_without_a_timescale():
    dump, ini = small_bus("unit")
    with open(dump) as f:
        text = f.read()
    with open(dump, "w") as f:
        f.write(re.sub(r"\$timescale.*?\$end", "$timescale 3 parsecs $end", text))
    doc = stat("-T", f"wave:{dump}", "--map", ini, "-M", "ahb_armd_bandwidth")
    contains(doc["warning"],
             "the dump has no $timescale of 1, 10 or 100 s, ms, us, ns, ps or fs: its times are "
             "numbers without a unit, and seconds are not known (with -I, the time of each "
             "interval is 0)")
    equal([(m["value"], m["reason"]) for m in doc["metrics"]], [(None, "the clock is not known")])


def test_settings_in_a_list():
    dump, ini = small_bus()
    doc = stat("-T", f"wave:{dump}", "--map", ini, "--set", "wait.armd=1,gxi.page=4K", "-e",
               "ct_armd_wait_threshold_hit")
    equal((doc["settings"], counts(doc)),
          ("wait.armd=1 gxi.page=4K", {"ct_armd_wait_threshold_hit": 1}))
    out = pmk("stat", "-T", f"wave:{dump}", "--map", ini, "--set", "wait.armd=1,gxi.page=3K")
    equal((out.code, out.err), (129, "pmk: --set gxi.page=3K: expected 2K, 4K, 8K or 16K\n"))


def test_a_map_without_causes():
    dump, ini = small_bus("nocause", cause=False)
    doc = stat("-T", f"wave:{dump}", "--map", ini, "-e",
               "ct_armd_wait_non_seq_slave,ct_armd_wait_non_seq_bus")
    why = "the map has no cause for this layer, so all waits on first beats count as the slave's"
    equal([(c["counter-value"], c["trust"], c["reason"]) for c in doc["counters"]],
          [(2, "measured", why), (None, "not supported", why)])
    text = bars(dump, ini)
    contains(text,
             "   ARM-D ############wwwwwwwwww.........   40.0%       -       -   30.0%   30.0%\n")
    contains(text, "   ARM-D                        1    3.00       -       -    3.00\n")
    contains(text, f" ct_armd_wait_non_seq_slave: {why}\n")


def test_bars_on_a_terminal():
    """On a terminal, the bars are as wide as the terminal, and coloured."""
    dump, ini = small_bus()
    for columns, no_color, line in (
            (60, {},
             b"   ARM-D \033[32m####\033[0m\033[33mss\033[0m\033[31mb\033[0m\033[35mw\033[0m"
             b"\033[2m...\033[0m   40.0%"),
            (60, {"NO_COLOR": "1"}, b"   ARM-D ####ssbw...   40.0%"),
            (100, {"NO_COLOR": "1"}, b"   ARM-D " + b"#" * 20 + b"s" * 6 + b"b" * 5 + b"w" * 5
             + b"." * 15)):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        child = subprocess.Popen([PMK, "stat", "-T", f"wave:{dump}", "--map", ini, "--bars"],
                                 stderr=slave, env=dict(env, LC_ALL="C", TERM="xterm", **no_color))
        os.close(slave)
        shown = b""
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        os.close(master)
        equal(child.wait(), 0)
        assert line in shown, (columns, line, shown)


def test_bars_where_there_are_none():
    dump, ini = hand_written("event", 2, "[events]\npmu = arm1176\nINSN = e\n")
    argv = ["-T", f"wave:{dump}", "--map", ini, "--bars"]
    out = pmk("stat", *argv)
    equal((out.code, out.err),
          (129,
           "pmk: --bars draws the layers of a bus, and arm1176 has none; use --pmu ahbmon\n"))
    for form in (["-j"], ["--json-document"], ["-x,"]):
        out = pmk("stat", *argv, *form)
        equal((out.code, out.err), (129, "pmk: --bars is part of the text report; it cannot be "
                                         "combined with -j or -x\n"))
    out = pmk("stat", "-T", "linux", "--bars", "true")
    equal((out.code, out.err),
          (129,
           "pmk: --bars draws the layers of a bus, and -T linux has none; use --pmu ahbmon\n"))


def test_a_map_without_anything_for_the_pmu():
    dump, ini, _ = simulated(14, 50)
    out = pmk("stat", "-T", f"wave:{dump}", "--map", ini, "--pmu", "microblaze")
    equal(out.code, 129, out)
    contains(out.err, "has nothing that microblaze counts: neither [events] nor [evntbus]")


def test_what_makes_no_sense_is_refused():
    dump, ini, _ = simulated(13, 50)
    event, event_ini = hand_written("event", 2, "[events]\npmu = arm1176\nINSN = e\n")
    for argv, code, why in (
            (["-T", f"wave:{dump}"], 129, "the map of its signals is missing; give --map FILE"),
            (["-T", "wave:", "--map", ini], 129, "expected wave:FILE"),
            (["-T", "wave", "--map", ini], 129, "expected wave:FILE"),
            (["-T", "emu:x", "ls"], 129, "there is no such target"),
            (["-T", f"wave:{dump}", "--map", ini, "ls"], 129, "runs no program"),
            (["-T", f"wave:{dump}", "--map", ini, "-r", "2"], 129, "reads a dump once"),
            (["-T", f"wave:{dump}", "--map", ini, "-I", "5ms"], 129, "-I 5cycles"),
            (["-T", f"wave:{dump}", "--map", ini, "--pmu", "nix"], 129, "unknown PMU 'nix'"),
            (["-T", f"wave:{dump}", "--map", ini, "--core", "arm1176"], 129,
             "--map is for -T wave, and --core is for -T emu; leave one out"),
            (["-T", f"wave:{dump}", "--core", "arm1176"], 129,
             "--core is for -T emu, not for -T wave"),
            (["-T", f"wave:{dump}", "--map", ini, "--set", "mpmc.read=3"], 129,
             "--set mpmc.read=3: a dump has no core"),
            (["-T", f"wave:{event}", "--map", event_ini, "--set", "mpmc.read=3"], 129,
             "--set mpmc.read=3: a dump has no core"),
            (["-T", f"wave:{dump}", "--map", ini, "--layer", "armi"], 129, "no layer 'armi'"),
            (["-T", f"wave:{dump}", "--map", "nowhere.ini"], 125, "nowhere.ini"),
            (["-T", "wave:nowhere.vcd", "--map", ini], 125, "nowhere.vcd: No such file"),
            (["--map", ini, "ls"], 129, "wave:FILE")):
        out = pmk("stat", *argv)
        equal(out.code, code, f"{argv} {out}")
        contains(out.err, why)
        equal(out.err.count("\n"), 1, out)
