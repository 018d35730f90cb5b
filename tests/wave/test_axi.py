# SPDX-License-Identifier: MIT
"""AXI4 and AXI4-Lite from dumps: everything that pmk reports about an interface agrees with its
scoreboard in Verilog."""
import shutil

from harness import *
from scoreboards import *
import scoreboards

AXI = ("axi_tb", "axi.v")
INTERFACES = ["cpu", "dma", "s_axil"]


def simulated(simulator, name, seed, cycles=3000):
    return scoreboards.simulated(simulator(*AXI), INTERFACES, name, seed, cycles)


def compare(board, doc, cycles=3000):
    equal(doc["pmu"], "amba")
    equal(doc["warning"], None)
    found, others = told(doc)
    equal(others, {"cycles": cycles})
    equal(sorted(found), INTERFACES)
    for name, want in board.items():
        assert all(n > 0 for what, n in want.items() if not re.search("_min|_0$", what)), want
        equal(found[name], want, name)


def test_all_that_is_told_equals_the_scoreboards():
    for seed in range(1, 1 + size(1, 10)):
        dump, ini, board = simulated(icarus, "axi.vcd", seed)
        compare(board, stat("-T", f"wave:{dump}", "--map", ini))


@nightly
def test_verilator_has_the_same_interfaces_and_counts():
    """The dumps of Verilator and of Icarus have the same interfaces and counts. Runs other than
    `make nightly` compare the two simulators only in test_layers.py."""
    dump, ini, board = simulated(verilator, "verilator-axi.vcd", 4)
    compare(board, stat("-T", f"wave:{dump}", "--map", ini))
    if shutil.which("iverilog"):
        equal(simulated(icarus, "axi.vcd", 4)[2], board, "two simulators of one design")


def test_what_is_outstanding_is_what_takes_time():
    """Transactions that have ended were outstanding for as many cycles as they took (Little's
    law)."""
    dump, ini, board = simulated(icarus, "axi.vcd", 5)
    doc = stat("-T", f"wave:{dump}", "--map", ini, "-e", "*.read,*.read_outstanding")
    found, _ = told(stat("-T", f"wave:{dump}", "--map", ini))
    for name, of in found.items():
        assert 0 <= of["read_outstanding_sum"] - of["read_sum"], (name, of)
        assert of["read_outstanding_max"] > (1 if name == "s_axil" else 4), (name, of)
    units = {c["event"]: c["latency"].get("of") for c in doc["counters"]}
    equal((units["cpu.read"], units["cpu.read_outstanding"]), (None, "outstanding in a cycle"))


def test_intervals_add_up():
    dump, ini, board = simulated(icarus, "axi.vcd", 6)
    doc = stat("-T", f"wave:{dump}", "--map", ini, "-I", "500cycles", "-e", "cpu.read,cpu.r_wait")
    reads = [c for c in doc["counters"] if c["event"] == "cpu.read"]
    equal(len(reads), 7)
    equal(sum(c["latency"]["sum"] for c in reads), board["cpu"]["read_sum"])
    equal(max(c["latency"]["max"] or 0 for c in reads), board["cpu"]["read_max"])
    equal(sum(c["counter-value"] for c in doc["counters"] if c["event"] == "cpu.r_wait"),
          board["cpu"]["r_wait"])


def test_without_last_beats_are_counted():
    dump, ini, board = simulated(icarus, "axi.vcd", 7)
    with open(ini) as f:
        lines = [line for line in f if not line.startswith(("rlast", "wlast"))]
    with open(path("nolast.ini"), "w") as f:
        f.writelines(lines)
    compare(board, stat("-T", f"wave:{dump}", "--map", path("nolast.ini")))


def renamed(dump, name, infix):
    """Copies the dump with the signal names of a generator: awvalid becomes aw_valid, and awlen
    gets the infix. Returns the path of the copy."""
    with open(dump) as f:
        text = re.sub(r"\b(aw|ar|w|b|r)(valid|ready) ", r"\1_\2 ", f.read())
    with open(path(name), "w") as f:
        f.write(re.sub(r"\b(aw|ar|w|b|r)(len|id|last|resp|addr|size|burst|data|strb) ",
                       rf"\1{infix}\2 ", text))
    return path(name)


@pytest.mark.parametrize("infix", ["_", "_bits_", "_payload_"])
def test_names_of_generators(infix):
    """pmk finds signals with the names of generators: Chisel calls a signal aw_bits_len, and
    SpinalHDL calls it aw_payload_len."""
    dump, _, board = simulated(icarus, "axi.vcd", 7)
    other = renamed(dump, f"axi{infix}.vcd", infix)
    compare(board, stat("-T", f"wave:{other}", "--map", guessed(other)))


def test_bursts_in_a_map_for_single_beats():
    """If reads have more beats than the map shows, pmk does not silently report them as too
    fast."""
    dump, ini, board = simulated(icarus, "axi.vcd", 7)
    with open(ini) as f:
        lines = [line for line in f if not line.startswith(("rlast", "arlen"))]
    with open(path("nobeats.ini"), "w") as f:
        f.writelines(lines)
    doc = stat("-T", f"wave:{dump}", "--map", path("nobeats.ini"), "-e",
               "cpu.read,s_axil.read,cpu.r")
    extra = board["cpu"]["r"] - counts(doc)["cpu.read"]
    contains(doc["warning"], f"cpu has {extra} beats of read data more than addresses")
    equal(["rlast" in (c["reason"] or "") for c in doc["counters"]], [True, False, False])


def test_one_interface_alone_and_one_direction():
    dump, ini, board = simulated(icarus, "axi.vcd", 8)
    doc = stat("-T", f"wave:{dump}", "--map", ini, "--layer", "dma", "-e", "dma.r,cpu.r")
    equal(counts(doc), {"dma.r": board["dma"]["r"], "cpu.r": None})
    with open(ini) as f:
        reads = [line for line in f if not re.match(r"(aw|w|b)\w+ =", line)]
    with open(path("reads.ini"), "w") as f:
        f.writelines(reads)
    found = counts(stat("-T", f"wave:{dump}", "--map", path("reads.ini")))
    equal(found["cpu.read"], board["cpu"]["read"])
    assert not any(re.search(r"\.(aw|w|b|write)", event) for event in found), found
    doc = stat("-T", f"wave:{dump}", "--map", path("reads.ini"), "-e", "cpu.write")
    equal(doc["counters"][0]["reason"], "the map has no signal for it")


def test_maps_that_are_wrong():
    dump, ini, _ = simulated(icarus, "axi.vcd", 9, 50)
    with open(ini) as f:
        text = f.read()
    for old, new, why in (
            ("[axi cpu]", "[axi]", "an AXI interface needs a name: [axi m0]"),
            ("awvalid = awvalid", "awvlaid = awvalid",
             "an AXI interface has no 'awvlaid'; did you mean awvalid"),
            ("awvalid = awvalid", "clock = aclk", "an AXI interface cannot have a clock"),
            ("awlen = awlen", "awlen = rvalid\nawlen = awlen", "already given in line")):
        with open(path("wrong.ini"), "w") as f:
            f.write(text.replace(old, new, 1))
        out = pmk("stat", "-T", f"wave:{dump}", "--map", path("wrong.ini"))
        equal(out.code, 129, why)
        contains(out.err, why)
    with open(path("wrong.ini"), "w") as f:
        f.write("[clock]\nsignal = axi_tb.aclk\n[axi cpu]\nscope = axi_tb.cpu\n"
                "arvalid = arvalid\narready = arready\n")
    out = pmk("stat", "-T", f"wave:{dump}", "--map", path("wrong.ini"))
    equal(out.code, 129)
    contains(out.err, "wrong.ini:4: [axi cpu] needs arvalid, arready, rvalid and rready, or "
             "awvalid, awready, bvalid and bready")


# In the order of +break=N in axi.v, with the cycles until the violation is seen: at the next edge,
# or when the address has been transferred.
BROKEN = ["valid-drops", "payload-changes", "burst-reserved", "wrap-length", "wrap-alignment",
          "fixed-length", "boundary", "width", "early-last", "no-last", "stray-response",
          "early-response", "reset-valid", "unknown"]


@pytest.mark.parametrize("seed", range(1, 1 + size(1, 10)))
def test_interfaces_that_keep_to_the_protocol(seed):
    dump, ini, _ = simulated(icarus, "axi-check.vcd", seed)
    out = pmk("wave", "check", dump, "--map", ini, "-j")
    doc = json.loads(out.out)
    equal((out.code, doc["found"], doc["warnings"], len(doc["layers"])), (0, 0, [], 3), out)
    with open(ini) as f:
        keys = [line.split()[0] for line in f if " = " in line and line[0] != "#"]
    assert all(keys.count(role) >= 2 for role in
               ("awaddr", "awsize", "awburst", "wdata", "wstrb", "araddr", "rdata")), keys


@pytest.mark.parametrize("rule", BROKEN)
def test_one_rule_that_is_broken_once(rule):
    """The violation of one rule is found at the next edge or a little later, and no other violation
    is reported."""
    ini = simulated(icarus, "axi-check.vcd", 1)[1]
    dump = path(f"broken-{rule}.vcd")
    done = run(*icarus(*AXI), f"+dump={dump}", "+seed=5", "+cycles=2000",
               f"+break={BROKEN.index(rule) + 1}", cwd=ROOM)
    when = re.search(r"broken \d+ at (\d+)", done.out)
    out = pmk("wave", "check", dump, "--map", ini, "-j")
    doc = json.loads(out.out)
    equal((out.code, [v["rule"] for v in doc["violations"]], doc["violations"][0]["layer"]),
          (1, [rule], "cpu"), out)
    found = doc["violations"][0]
    contains(found["reference"], "our choice" if rule == "unknown" else "IHI 0022 A")
    if rule == "reset-valid":
        equal((when, found["cycle"]), (None, 1))
    else:
        later = (found["time"] - int(when[1])) // 10000
        assert later == 1 or rule in BROKEN[2:8] and 1 < later < 40, (later, found)
    equal({bus["layer"]: bus["violations"] for bus in doc["layers"]},
          {"cpu": 1, "dma": 0, "s_axil": 0})


def test_check_as_text_and_one_interface():
    ini = simulated(icarus, "axi-check.vcd", 1)[1]
    dump = path("broken-width.vcd")
    run(*icarus(*AXI), f"+dump={dump}", "+seed=5", "+cycles=2000", "+break=8", cwd=ROOM)
    out = pmk("wave", "check", dump, "--map", ini, "--layer", "cpu")
    lines = out.out.splitlines()
    equal((out.code, out.err, len(lines)), (1, "", 3), out)
    contains(lines[0], "ps  cpu  width: the size of a beat is wider than the data bus: ARSIZE 0x3")
    equal(lines[1], "cpu: 2002 cycles, 1 violation: width 1")
    equal(pmk("wave", "check", dump, "--map", ini, "--layer", "dma").code, 0)
    rows = pmk("wave", "check", dump, "--map", ini, "-x,").out.splitlines()
    equal(rows[0].split(",")[3:6], ["cpu", "width", "ARSIZE"])


def test_bars_draw_what_is_spread():
    """The bars have a column for each power of two, and the percentiles of the histogram."""
    dump, ini, board = simulated(icarus, "axi.vcd", 7)
    out = pmk("stat", "-T", f"wave:{dump}", "--map", ini, "-e", "s_axil.read,s_axil.write",
              "--bars", env={**os.environ, "LC_ALL": "C", "COLUMNS": "100"})
    lines = out.err.splitlines()
    head = next(i for i, line in enumerate(lines) if "half up to" in line)
    buckets = {int(what[5:]): n for what, n in board["s_axil"].items()
               if re.fullmatch(r"read_\d+", what)}
    columns = lines[head + 1].split("  ")
    found = re.fullmatch(r" +s_axil\.read +([ _.:=+*#-]+) +(\d+) +(\d+) +(\d+)", lines[head + 1])
    assert found, lines[head:head + 3]
    most, height = max(buckets.values()), "_.:-=+*#"
    want = "".join(height[min(int(n / most * 8), 7)] * 3 for _, n in sorted(buckets.items()))
    equal(found[1].rstrip(), want, columns)
    for percent, cell in zip((50, 90, 99), found.groups()[1:]):
        seen = 0
        for first, n in sorted(buckets.items()):
            seen += n
            if seen * 100 >= percent * board["s_axil"]["read"]:
                break
        equal(int(cell), min(2 * first - 1, board["s_axil"]["read_max"]), percent)


def test_amba_is_listed_and_explained():
    contains(pmk("list").out, "  amba             39 events")
    doc = json.loads(pmk("list", "events", "--pmu", "amba", "-j").out)
    dump, ini, _ = simulated(icarus, "axi.vcd", 9, 50)
    counted = {c["event"] for c in stat("-T", f"wave:{dump}", "--map", ini)["counters"]}
    listed = {e["name"] for e in doc["events"]}
    equal({name.replace("cpu.", "INTERFACE.") for name in counted if "." not in name or
           name.startswith("cpu.")}, {name for name in listed if not name.startswith("LAYER.")})
    equal({e["emulation"] for e in doc["events"]}, {"measured"})
    out = pmk("list", "amba", "-v").out
    equal((len(re.findall(r"^  \S+ +0x\w+ +\w+ +measured ", out, re.M)), "not modelled" in out),
          (39, False))
    out = pmk("info", "amba")
    equal(out.code, 0)
    contains(out.out, "LAYER stands for the name of")
    contains(pmk("info", "INTERFACE.read").out, "measured in a waveform dump")
    contains(pmk("info", "LAYER.bursts").err, "did you mean LAYER.burst?")
