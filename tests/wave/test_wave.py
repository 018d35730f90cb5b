# SPDX-License-Identifier: MIT
"""Dumps of simulators, intact and damaged: the counts equal those of a scoreboard, and `pmk wave`
prints the right output. No test depends on speed; a test sleeps only for something that must take
at least that long.
"""
import gzip
import os
import pty
import random
import signal
import subprocess
import time

from harness import *
from scoreboards import verilator

ROOM = os.path.join(WORK, "wave")
COUNTS = os.path.join(BUILD, "tests", "wave_counts")
HERE = os.path.dirname(os.path.abspath(__file__))
os.makedirs(ROOM, exist_ok=True)

BURSTS = ["SINGLE", "INCR", "WRAP4", "INCR4", "WRAP8", "INCR8", "WRAP16", "INCR16"]
SMALL = """$timescale 1 ns $end
$scope module tb $end
$var wire 1 ! hclk $end
$var wire 2 t htrans [1:0] $end
$var wire 1 y hready $end
$upscope $end
$enddefinitions $end
"""
SMALL_MAP = "[clock]\nsignal = tb.hclk\n[layer tb]\nscope = tb\nhtrans = htrans\nhready = hready\n"


def path(name):
    return os.path.join(ROOM, name)


def write(name, data):
    with open(path(name), "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    return path(name)


def clocks(first, n):
    """Returns n cycles of an idle bus, from cycle `first` on."""
    return "".join(f"#{10 * i + 5}\n1!\n#{10 * i + 10}\n0!\n" for i in range(first, first + n))


def small(n=3):
    return SMALL + "#0\n0!\nb0 t\n1y\n" + clocks(0, n)


def simulator(*flags):
    """Compiles the testbench once for each set of flags; returns it."""
    have("iverilog", "vvp")
    out = path("bus" + "".join(flags) + ".vvp")
    source = os.path.join(HERE, "bus.v")
    if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(source):
        done = run("iverilog", "-g2005", "-Wall", *flags, "-o", out, source)
        equal((done.code, done.err), (0, ""))
    return out


def scoreboard(text, cycles):
    """Returns {layer: {what: count}} from the output of the testbench."""
    board = {}
    for line in text.splitlines():
        words = line.split()
        if words and words[0] in ("armd", "dma0"):
            board[words[0]] = dict(zip(words[1::2], map(int, words[2::2])))
    equal(sorted(board), ["armd", "dma0"])
    contains(text, f"cycles {cycles}")
    return board


def simulate(dump, seed, cycles, flags=(), fst=False):
    """Runs the testbench; returns its scoreboard."""
    done = run("vvp", simulator(*flags), *(["-fst"] if fst else []), f"+dump={dump}",
               f"+seed={seed}", f"+cycles={cycles}", cwd=ROOM)
    equal(done.code, 0, str(done))
    return scoreboard(done.out, cycles)


def guessed(dump, name):
    """Returns the output of `pmk wave signals`, unchanged, as a map."""
    out = pmk("wave", "signals", dump)
    equal((out.code, out.err), (0, ""))
    return write(name, out.out)


def counts_of(dump, ini, stdin=None):
    out = run(COUNTS, dump, ini, stdin=stdin, text=False)
    equal(out.code, 0, str(out))
    return out.out.decode(), out.err.decode()


def totals(text):
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3:
            found.setdefault(words[0], {})[words[1]] = int(words[2])
    return found


def compare(board, text, cycles):
    found = totals(text)
    for layer, want in board.items():
        got = found[layer]
        bursts = sum(got["AHB_" + b] for b in BURSTS)
        equal({"READ": got["AHB_READ"], "WRITE": got["AHB_WRITE"], "WAIT": got["AHB_WAIT"],
               "BURST": bursts, "WAIT_FIRST": got["AHB_WAIT_FIRST_SLAVE"]
               + got["AHB_WAIT_FIRST_BUS"]},
              want, layer)
        assert all(n > 0 for n in want.values()), want
    equal(found["core"]["CYCLE"], cycles)
    contains(text, "status 0")


# ---- against a scoreboard -----------------------------------------------------------------------

def test_icarus_dumps_equal_the_scoreboard():
    for seed in range(1, 1 + size(1, 20)):
        board = simulate("random.vcd", seed, 2000)
        ini = guessed(path("random.vcd"), "random.ini")
        compare(board, counts_of(path("random.vcd"), ini)[0], 2000)


def test_a_guessed_gxi_equals_its_scoreboard():
    for seed in (21, 22):
        done = run("vvp", simulator(), "+dump=gxi.vcd", f"+seed={seed}", "+cycles=2000", cwd=ROOM)
        words = re.search(r"^gxi (.*)$", done.out, re.M).group(1).split()
        board = dict(zip(words[0::2], map(int, words[1::2])))
        assert len(board) == 12 and all(n > 10 for n in board.values()), board
        c = counts(stat("-T", f"wave:{path('gxi.vcd')}", "--map",
                        guessed(path("gxi.vcd"), "gxi.ini")))
        equal({e: c[e] for e in c if re.match("ct_gxi.*(rd|wr|wait|change)$", e)},
              {"ct_gxi_rd": board["RD"], "ct_gxi_wr": board["WR"],
               "ct_gxi_rd_addr_wait": board["RD_WAIT"],
               "ct_gxi_wr_addr_wait": board["WR_WAIT"], "ct_gxi_rd_data_wait": board["DATA_WAIT"],
               "ct_gxi_page_change": board["PAGE_2K"]})


def test_the_gxi_of_ahbmonitor():
    """The GXI's address channel is [30:29], and its read data channel is [32:31] (DDI 0287B Tables
    4-4 and 4-5). The pins show neither the address nor the direction of a waiting request, so pmk
    does not count events that depend on them."""
    states = [(1, 0), (1, 1), (2, 1), (3, 2), (0, 0), (2, 3), (2, 2)]
    text = SMALL.replace("wire 1 y hready", "wire 34 p AHBMONITOR [33:0]") + "#0\n0!\n"
    for i, (address, data) in enumerate(states):
        text += f"b{data << 31 | address << 29:b} p\n" + clocks(i, 1)
    dump = write("pins.vcd", text)
    doc = stat("-T", f"wave:{dump}", "--map", guessed(dump, "pins.ini"), "-e",
               "ct_gxi_rd,ct_gxi_wr,"
               "ct_gxi_rd_data_wait,ct_gxi_rd_addr_wait,ct_gxi_wr_addr_wait,ct_gxi_page_change")
    equal(counts(doc), {"ct_gxi_rd": 3, "ct_gxi_wr": 1, "ct_gxi_rd_data_wait": 2,
                        "ct_gxi_rd_addr_wait": None,
                        "ct_gxi_wr_addr_wait": None, "ct_gxi_page_change": None})
    equal({c["reason"] for c in doc["counters"][3:]}, {"the map has no signal for it"})


def test_fst_equals_the_scoreboard():
    have("vcd2fst")
    for seed in (11, 12):
        board = simulate("native.fst", seed, 2000, fst=True)
        ini = guessed(path("native.fst"), "native.ini")
        compare(board, counts_of(path("native.fst"), ini)[0], 2000)
        equal(simulate("again.vcd", seed, 2000), board)
        for how in ("--fourpack", "--fastpack", "--zlibpack", "--compress"):
            equal(run("vcd2fst", how, path("again.vcd"), path("again.fst")).code, 0)
            compare(board, counts_of(path("again.fst"), ini)[0], 2000)
        contains(pmk("wave", "signals", path("again.fst")).out, "again.fst: FST, ")


def test_fst_of_writers_old_and_new():
    """FST files are read with each kind of table that writers have used, and with several blocks,
    all kinds of variables, a frame, and $dumpoff. The expected numbers are from GTKWave's
    fst2vcd."""
    ini = write("small.ini", SMALL_MAP.replace("[layer tb]",
                                               "reset = tb.hresetn\n[layer tb]\nhaddr = haddr\n"
                                               "hwrite = hwrite\nhresp = hresp"))
    for name, cycles, violations, first, last, off in (
            ("fst", 30, 9, 5, 295, None), ("fst_wrapped", 30, 9, 5, 295, None),
            ("fst_blocks", 19, 6, 12, 202, 72), ("fst_older", 30, 9, 5, 295, 100),
            ("fst_oldest", 30, 9, 8, 298, None)):
        dump = os.path.join(SOURCE, "tests/fuzz/corpus/vcd", name)
        out = pmk("wave", "check", dump, "-m", ini)
        equal(out.code, 1, str(out))
        contains(out.out, f"tb: {cycles} cycles, {violations} violations: ")
        contains(out.out, f" (2 of them in reset) from {first} ns to {last} ns\n")
        equal(f"first at {off} ns: tb.hclk" in out.out + out.err, off is not None, str(out))
        names = pmk("wave", "signals", dump, "-x,").out.splitlines()
        equal([line.split(",")[1:3] for line in names],
              [["hclk", "1"], ["hresetn", "1"], ["htrans", "2"], ["haddr", "32"], ["hready", "1"],
               ["text", "0"], ["temp", "64"], ["stemp", "32"], ["up", "1"], ["hwrite", "1"],
               ["hresp", "1"], ["clk2", "1"]])


def test_fst_whose_names_are_as_long_packed_as_not():
    """An FST can be read if its names are as long packed as unpacked. Other parts of an FST are not
    packed if this does not make them shorter, but names always are."""
    with open(os.path.join(SOURCE, "tests/fuzz/corpus/vcd/fst"), "rb") as f:
        fst = f.read()
    rand = random.Random(1)
    for _ in range(10000):
        comment = bytes(rand.choice(b"abcdefghijklmnop") for _ in range(rand.randrange(20, 160)))
        names = b"\xfe\0tb\0" + comment + b"\0\x10\0clk\0\x01\0\xff"
        packed = gzip.compress(names)
        if len(packed) == len(names):
            break
    block = b"\x04" + (16 + len(packed)).to_bytes(8, "big") + len(names).to_bytes(8, "big") + packed
    dump = write("equal.fst", fst[:330] + block)
    equal(pmk("wave", "signals", dump, "-x,").out, "tb,clk,1,0,0,bits,0\n")


def odd_values(seed):
    """Returns a VCD with values of all widths, x and z."""
    rand = random.Random(seed)
    widths = {f"s{i}": rand.choice((1, 1, 2, 7, 8, 9, 31, 32, 33, 64, 65, 130)) for i in range(6)}
    codes = {name: chr(ord("a") + i) for i, name in enumerate(widths)}
    text = "$timescale 10 ps $end\n$scope module tb $end\n$var wire 1 ! clk $end\n"
    for name, width in widths.items():
        text += f"$var wire {width} {codes[name]} {name} [{width - 1}:0] $end\n"
    text += "$upscope $end\n$enddefinitions $end\n"
    for i in range(400):
        text += f"#{i * 5 + seed % 3}\n{i % 2}!\n"
        for name, width in widths.items():
            if rand.random() < .4:
                digits = "01" if rand.random() < .8 else "01xz"
                text += f"b{''.join(rand.choice(digits) for _ in range(width))} {codes[name]}\n"
    return text, widths


def test_fst_has_the_values_of_its_vcd():
    have("vcd2fst")
    events = ("INSN", "LOAD", "STORE", "BRANCH", "L1D_MISS", "L1I_MISS")
    for seed in range(6):
        text, widths = odd_values(seed)
        ini = "[clock]\nsignal = tb.clk\n[events]\n"
        for event, (name, width) in zip(events, widths.items()):
            ini += f"{event} = tb.{name}[{width - 1}:{max(0, width - 20)}] count\n"
        ini = write("odd.ini", ini)
        dump = write("odd.vcd", text)
        options = ["--map", ini, "--pmu", "arm1176", "-e", "all"]
        want = stat("-T", f"wave:{dump}", *options)
        assert sum(n or 0 for n in counts(want).values()) > 100000, want
        for how in ("--fourpack", "--fastpack", "--zlibpack", "--compress"):
            equal(run("vcd2fst", how, dump, path("odd.fst")).code, 0)
            equal(counts(stat("-T", f"wave:{path('odd.fst')}", *options)), counts(want),
                  f"seed {seed}, {how}")


@nightly
def test_verilator_dumps_equal_the_scoreboard():
    program, = verilator("tb", "bus.v")
    for seed in (41, 42):
        done = run(program, "+dump=verilator.vcd", f"+seed={seed}", "+cycles=2000", cwd=ROOM)
        equal(done.code, 0, str(done))
        board = scoreboard(done.out, 2000)
        ini = guessed(path("verilator.vcd"), "verilator.ini")
        compare(board, counts_of(path("verilator.vcd"), ini)[0], 2000)
        if shutil.which("iverilog"):
            equal(simulate("icarus.vcd", seed, 2000), board, "two simulators of one design")


def test_a_compressed_dump_and_a_pipe_are_the_same():
    simulate("same.vcd", 5, 3000)
    ini = guessed(path("same.vcd"), "same.ini")
    with open(path("same.vcd"), "rb") as f:
        data = f.read()
    want = counts_of(path("same.vcd"), ini)
    equal(counts_of(write("no-suffix", gzip.compress(data)), ini), want)
    equal(counts_of("-", ini, stdin=data), want)
    # if standard input is a file, it can be read from its beginning
    with open(path("no-suffix"), "rb") as f:
        done = subprocess.run([COUNTS, "-", ini], stdin=f, capture_output=True, text=True)
    equal((done.stdout, done.stderr), want)
    equal(counts_of(write("crlf.vcd", data.replace(b"\n", b"\r\n")), ini), want)
    env = dict(os.environ, PATH=path("no-such-folder"))
    contains(pmk("wave", "signals", path("no-suffix"), env=env).out, "no-suffix: VCD, gzip, ")


def test_a_dump_made_for_a_benchmark_equals_its_scoreboard():
    have("gcc")
    gen = path("generate")
    source = os.path.join(SOURCE, "bench/dump/generate.c")
    equal(run("gcc", "-O2", "-o", gen, source).code, 0)
    for seed in (1, 2):
        made = run(gen, 3000000, seed, text=False)
        equal(made.code, 0)
        told = made.err.split()
        want = dict(zip(told[0::2], map(int, told[1::2])))
        dump = write("made.vcd", made.out)
        text = counts_of(dump, guessed(dump, "made.ini"))[0]
        got = totals(text)
        equal({b"cycles": got["core"]["CYCLE"], b"reads": got["tb"]["AHB_READ"],
               b"writes": got["tb"]["AHB_WRITE"], b"waits": got["tb"]["AHB_WAIT"]}, want)


def test_memory_does_not_depend_on_the_length():
    have("gcc")
    test_a_dump_made_for_a_benchmark_equals_its_scoreboard()
    peaks = []
    for size in (1 << 20, 1 << 26):
        gen = subprocess.Popen([path("generate"), str(size)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
        reader = subprocess.Popen([COUNTS, "-", path("made.ini")], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        while piece := gen.stdout.read(1 << 16):
            reader.stdin.write(piece)
        reader.stdin.flush()
        # pmk has read everything except the contents of the pipe, and waits for more.
        with open(f"/proc/{reader.pid}/status") as f:
            peaks.append(int(re.search(r"^VmHWM:\s+(\d+) kB", f.read(), re.M).group(1)))
        reader.stdin.close()
        contains(reader.stdout.read().decode(), "status 0")
        equal((gen.wait(), reader.wait()), (0, 0))
    assert abs(peaks[1] - peaks[0]) < 1024, f"peak KiB of 1 MiB and of 64 MiB: {peaks}"


# ---- check --------------------------------------------------------------------------------------

def test_check_finds_nothing_in_a_good_bus():
    simulate("good.vcd", 21, 2000)
    ini = guessed(path("good.vcd"), "good.ini")
    out = pmk("wave", "check", path("good.vcd"), "--map", ini)
    equal((out.code, out.err), (0, ""))
    equal(out.out, "armd: 2002 cycles, 0 violations\ndma0: 2002 cycles, 0 violations\n"
          f"{path('good.vcd')}: 2002 edges of tb.armd.hclk (2 of them in reset) from 5000 ps to "
          f"20015000 ps\n")


def test_check_finds_what_is_broken():
    simulate("broken.vcd", 21, 2000, flags=("-DBROKEN",))
    ini = guessed(path("broken.vcd"), "broken.ini")
    out = pmk("wave", "check", path("broken.vcd"), "-m", ini, "--limit", "3")
    equal(out.code, 1, str(out))
    lines = out.out.splitlines()
    assert re.fullmatch(r"\d+ ps  dma0  wait-address: HADDR changes in a wait state: HADDR 0x\w+, "
                        r"want 0x\w+", lines[0]), lines[0]
    equal(lines[3], "armd: 2002 cycles, 0 violations")
    m = re.fullmatch(r"dma0: 2002 cycles, (\d+) violations: (.*)", lines[4])
    equal(sum(int(w.split()[1]) for w in m.group(2).split(", ")), int(m.group(1)))
    contains(lines[5], f"{m.group(1)} violations, 3 of them shown")
    alone = pmk("wave", "check", path("broken.vcd"), "-m", ini, "--layer", "armd")
    equal(alone.code, 0, alone)
    counted = pmk("wave", "check", path("broken.vcd"), "-m", ini, "--limit", "0")
    equal(len(counted.out.splitlines()), 4)


def test_check_tells_what_is_odd():
    dump = write("odd.vcd", SMALL + "#0\n0!\nb0 t\n1y\n" + clocks(0, 2) + "#21\nxy\n"
                 + clocks(3, 2) +
                 "#60\n1!\n0!\n")
    out = pmk("wave", "check", dump, "-m", write("odd.ini", SMALL_MAP))
    contains(out.out, "tb: 4 cycles")
    contains(out.out,
             "warning: the clock changed more than once at one time; what is left of it counts: "
             "1 times, first at 60 ns: tb.hclk")
    contains(out.out, "2 times, first at 35 ns: hready")


def test_a_map_without_hresp():
    """A master may end a burst after ERROR or RETRY. If the map has no HRESP, pmk notes that it
    cannot see these responses."""
    dump = write("nohresp.vcd", SMALL + "#0\n0!\nb0 t\n1y\n" + clocks(0, 1) + "b10 t\n"
                 + clocks(1, 1) + "b11 t\n0y\n" +
                 clocks(2, 1) + "b0 t\n1y\n" + clocks(3, 2))
    ini = write("small.ini", SMALL_MAP)
    why = ("warning: HREADY was low on a layer without hresp in the map; it counts as a wait "
           "state, and may have been the first cycle of ERROR, RETRY or SPLIT: 1 times, first at "
           "25 ns: hready\n")
    out = pmk("wave", "check", dump, "-m", ini)
    equal((out.code, out.err), (0, ""))
    equal(out.out,
          f"tb: 5 cycles, 0 violations\n{dump}: 5 edges of tb.hclk from 5 ns to 45 ns\n{why}")
    # HRESP is present and OKAY: there was no ERROR or RETRY.
    out = pmk("wave", "check", dump, "-m", write("okay.ini", SMALL_MAP + "hresp = 0\n"))
    equal(out.code, 1)
    contains(out.out, "wait-trans")
    assert "warning" not in out.out, out
    simulate("retry.vcd", 22, 2000)
    with open(guessed(path("retry.vcd"), "retry.ini")) as f:
        ini = write("few.ini", "".join(line for line in f if not line.startswith("hresp")))
    out = pmk("wave", "check", path("retry.vcd"), "-m", ini)
    equal(out.code, 0, out)
    contains(out.out, "armd: 2002 cycles, 0 violations\ndma0: 2002 cycles, 0 violations\n")


def test_unknown_values_where_nothing_needs_them():
    """Warnings and violations agree. If a signal must have a value in a cycle, an x is both;
    otherwise it is neither."""
    head = SMALL.replace("$upscope",
                         "$var wire 8 a haddr [7:0] $end\n$var wire 1 p hresp $end\n$upscope")
    ini = write("x.ini", SMALL_MAP + "haddr = haddr\nhresp = hresp\n")
    busy = "b10 t\nb0 a\n0p\n" + clocks(1, 1)

    def check(name, waits):
        dump = write(name, head + "#0\n0!\nb0 t\n1y\nxp\nbx a\n" + clocks(0, 1) + busy + waits
                     + "b10 t\n1y\nb100 a\n" +
                     clocks(3, 1) + "b0 t\n" + clocks(4, 3))
        return pmk("wave", "check", dump, "-m", ini)
    for waits in ("0y\nbx a\n", "0y\nbx t\n"):
        out = check("fine.vcd", waits + clocks(2, 1))
        equal((out.code, "warning" in out.out), (0, False), str(out))
    for waits in ("0y\nxp\n", "xy\n", "bx t\n", "b10 t\nbx a\n"):
        out = check("wrong.vcd", waits + clocks(2, 1) + "0p\n")
        equal(out.code, 1, waits + str(out))
        contains(out.out, "unknown: a signal is x or z where it must have a value")
        contains(out.out, "warning: a signal of a layer was x or z where it has to have a value")


def test_a_reset_the_wrong_way_round():
    simulate("reset.vcd", 21, 2000)
    with open(guessed(path("reset.vcd"), "reset.ini")) as f:
        ini = write("high.ini", f.read().replace("reset_active = low", "reset_active = high"))
    contains(pmk("wave", "check", path("reset.vcd"), "-m", ini).out,
             "2002 edges of tb.armd.hclk (2000 of them in reset) from 5000 ps to 20015000 "
             "ps\nwarning: nearly all edges were in reset, where nothing counts (the other "
             "reset_active?): 2000 times, first at 25000 ps: tb.armd.hresetn\n")


def test_a_reset_of_a_short_dump():
    ini = write("short.ini", SMALL_MAP.replace("[layer", "reset = rst\n[layer"))
    head = SMALL.replace("$upscope",
                         "$var wire 1 r rst $end\n$upscope") + "#0\n0!\nb0 t\n1y\n0r\n" + clocks(0,
                                                                                                 2)
    out = pmk("wave", "check", write("some.vcd", head + "1r\n" + clocks(2, 1)), "-m", ini).out
    contains(out, "3 edges of tb.hclk (2 of them in reset) from 5 ns to 25 ns")
    assert "warning" not in out, out
    contains(pmk("wave", "check", write("all.vcd", head), "-m", ini).out,
             "warning: nearly all edges were in reset")


def test_a_dump_without_a_unit_of_time():
    for scale in ("", "$timescale 3 parsecs $end\n"):
        dump = write("unit.vcd", small().replace("$timescale 1 ns $end\n", scale))
        out = pmk("wave", "check", dump, "-m", write("small.ini", SMALL_MAP))
        equal(out.out,
              f"tb: 3 cycles, 0 violations\n{dump}: 3 edges of tb.hclk from 5 to 25\nwarning: the "
              f"dump has no "
              "$timescale of 1, 10 or 100 s, ms, us, ns, ps or fs: its times are numbers without "
              "a unit\n")


# ---- for programs -------------------------------------------------------------------------------

# HADDR of the second beat is 0x14. It must be 0x1c, which is 4 more than 0x18, with HSIZE 2 and
# INCR.
WRONG = """$timescale 10 ns $end
$scope module tb $end
$var wire 1 ! hclk $end
$var wire 2 t htrans [1:0] $end
$var wire 8 a haddr [7:0] $end
$var wire 3 s hsize [2:0] $end
$var wire 3 b hburst [2:0] $end
$var wire 1 y hready $end
$upscope $end
$enddefinitions $end
#0
0!
b0 t
b0 a
b10 s
b1 b
1y
#5
1!
#10
0!
b10 t
b11000 a
#15
1!
#20
0!
b11 t
b10100 a
#25
1!
#30
0!
b0 t
#35
1!
xy
#45
1!
#50
0!
#55
1!
"""
WRONG_MAP = SMALL_MAP + "haddr = haddr\nhsize = hsize\nhburst = hburst\n"


def document(*argv, code=0, **kw):
    out = pmk("wave", *argv, "-j", **kw)
    equal(out.code, code, str(out))
    return json.loads(out.out), out


def test_check_as_json():
    dump, ini = write("wrong.vcd", WRONG), write("wrong.ini", WRONG_MAP)
    doc, out = document("check", dump, "-m", ini, code=1)
    equal(out.err, "")
    equal(doc["violations"][0], {
        "time": 25, "cycle": 2, "layer": "tb", "rule": "not-next", "signal": "HADDR", "value": 0x14,
        "wanted": 0x1c, "text": "HADDR is not the address of the next beat",
        "reference": "IHI 0011A §3.5-3.6; IHI 0033A §3.2"})
    equal(doc["violations"][1]["rule"], "unknown")
    equal((doc["violations"][1]["value"], doc["violations"][1]["wanted"]), (None, None))
    equal(doc["layers"], [{"layer": "tb", "cycles": 5, "violations": 2,
                           "rules": {"not-next": 1, "unknown": 1}}])
    equal(doc["warnings"],
          [{"text": "a signal of a layer was x or z where it has to have a value; what it hides "
            "is not counted", "count": 1, "time": 55, "signal": "hready"}])
    equal({k: doc[k] for k in doc if k not in ("violations", "layers", "warnings")},
          {"format": "pmk-wave-check", "version": 1, "file": dump, "type": "VCD",
           "timescale": "10 ns",
           "map": ini, "found": 2, "clock": "tb.hclk", "edges": 5, "first": 5, "last": 55,
           "partial": False,
           "error": None, "exit-status": 1})
    doc, _ = document("check", dump, "-m", ini, "--limit", "0", code=1)
    equal((doc["violations"], doc["found"]), ([], 2))


def test_check_as_json_of_a_damaged_dump():
    ini = write("small.ini", SMALL_MAP)
    doc, out = document("check", write("damaged.vcd", small(3) + "#3\n"), "-m", ini, code=2)
    equal((doc["partial"], doc["edges"], doc["exit-status"]), (True, 3, 2))
    contains(doc["error"], "line 24, time 30 ns: time goes back to 3 ns")
    equal(out.err, f"pmk: {doc['error']}\n")
    doc, out = document("check", write("still.vcd", small(0)), "-m", ini, code=125)
    equal((doc["edges"], doc["first"], doc["last"], doc["exit-status"]), (0, None, None, 125))
    contains(doc["error"], "has no rising edge")
    # If an error occurs before a document has begun, pmk prints only one line.
    equal(fails(125, "No such file", "check", path("nowhere.vcd"), "-m", ini, "-j").out, "")


def test_check_as_csv():
    dump, ini = write("wrong.vcd", WRONG), write("wrong.ini", WRONG_MAP)
    out = pmk("wave", "check", dump, "-m", ini, "-x", ";")
    equal((out.code, out.err), (1, ""))
    lines = out.out.splitlines()
    equal(lines[0], "25;10 ns;2;tb;not-next;HADDR;20;28;HADDR is not the address of the next beat")
    equal(lines[1],
          "55;10 ns;4;tb;unknown;HREADY;;;a signal is x or z where it must have a value")
    equal(lines[2], "# tb: 5 cycles, 2 violations: not-next 1, unknown 1")
    assert all(line.startswith("# ") for line in lines[2:]), lines


def test_signals_as_json_and_csv():
    text = ("$timescale 1 ns $end\n$scope module a $end\n$var wire 1 ! x,y $end\n$var wire 8 \" v "
            "[0:7] $end\n"
            "$var real 64 r temp $end\n$upscope $end\n$var wire 1 ! top $end\n$enddefinitions "
            "$end\n")
    dump = write("plain.vcd", text)
    doc, out = document("signals", dump)
    equal(out.err, "")
    equal(doc["signals"][:2], [
        {"scope": "a", "name": "x,y", "bits": 1, "msb": 0, "lsb": 0, "kind": "bits", "net": 0},
        {"scope": "a", "name": "v", "bits": 8, "msb": 0, "lsb": 7, "kind": "bits", "net": 1}])
    equal([(s["name"], s["kind"], s["net"]) for s in doc["signals"][2:]],
          [("temp", "real", 2), ("top", "bits", 0)])
    equal({k: doc[k] for k in doc if k != "signals"},
          {"format": "pmk-wave-signals", "version": 1, "file": dump, "type": "VCD",
           "timescale": "1 ns",
           "map": None, "reason": doc["reason"]})
    contains(doc["reason"], "no map can be guessed")
    equal(pmk("wave", "signals", dump, "-x,").out,
          'a,"x,y",1,0,0,bits,0\na,v,8,0,7,bits,1\na,temp,64,63,0,real,2\n,top,1,0,0,bits,0\n')
    doc, _ = document("signals", write("small.vcd", small()))
    equal(doc["reason"], None)
    dump = write("again.vcd", small(3))
    equal(pmk("wave", "check", dump, "-m", write("from.ini", doc["map"])).code, 0)
    fails(129, "-j and -x exclude each other", "signals", dump, "-j", "-x,")
    fails(129, "-x needs a separator", "signals", dump, "-x", "")
    doc, _ = document("signals", write("latin.vcd",
                                       small().encode().replace(b"module tb", b"module t\xe4")))
    equal(doc["signals"][0]["scope"], "t\ufffd")


# ---- bad input ----------------------------------------------------------------------------------

def fails(code, why, *argv, **kw):
    out = pmk("wave", *argv, **kw)
    equal(out.code, code, str(out))
    contains(out.err, why)
    equal(len(out.err.splitlines()), 1, out.err)
    assert out.err.startswith("pmk: "), out.err
    return out


def test_dumps_that_are_none():
    ini = write("small.ini", SMALL_MAP)
    for what in (["signals"], ["check", "--map", ini]):
        fails(125, "nowhere.vcd: No such file or directory", *what, path("nowhere.vcd"))
        fails(125, "the dump is empty (0 bytes)", *what, write("empty", ""))
        fails(125, "byte 0, line 1: this is neither VCD nor FST", *what, PMK)
        fails(125, "byte 0, line 1: this is neither VCD nor FST", *what, write("text", "hello\n"))
        fails(125, "byte 0, line 1: this is neither VCD nor FST: it has a byte 0", *what,
              "/dev/zero")
        fails(125, "byte 3, line 2: this is neither VCD nor FST: it has a byte 0", *what,
              write("nul", " \n \0"))
        fails(125, "Is a directory", *what, ROOM)
        fails(125, "ends within $var; it may be cut off", *what, write("cut", SMALL[:60]))
        fails(125, "ends before $enddefinitions; it may be cut off", *what,
              write("cut", SMALL[:-22]))
    fails(125, "the dump has a header but no "
               "changes", "check", "--map", ini, write("header.vcd", SMALL))
    fails(125, "the clock 'tb.hclk' has no rising edge between time 0 ns and 0 ns", "check",
          "--map", ini, write("still.vcd", small(0)))


def test_what_was_read_of_a_damaged_dump_counts():
    ini = write("small.ini", SMALL_MAP)
    for tail, why in (("#3\n", "time goes back to 3 ns"), ("1%\n", "a value of '%'"),
                      ("#99", "within a line"),
                      ("\xff\xfe\x00\n", "is not a value change")):
        dump = write("damaged.vcd", small(3).encode() + tail.encode("latin-1"))
        out = fails(2, why, "check", dump, "-m", ini)
        contains(out.out, "tb: 3 cycles, 0 violations")
        contains(out.out, "3 edges of tb.hclk from 5 ns to 25 ns, partial")
        contains(out.err, f"pmk: {dump}: byte {len(small(3))}, line 24, time 30 ns: ")


def test_values_that_are_too_wide():
    before = small(2) + "b0000010 t\n" + clocks(2, 1)
    dump = write("wide.vcd", before + "b110 t\n" + clocks(3, 1))
    out = fails(2,
                f"{dump}: byte {len(before)}, line {before.count(chr(10)) + 1}, time 30 ns: '110' "
                f"has 3 bits, and "
                "tb.htrans has 2", "check", dump, "-m", write("small.ini", SMALL_MAP))
    contains(out.out, "tb: 3 cycles, 0 violations")


def test_extended_dumps_are_refused():
    ports = os.path.join(SOURCE, "tests/fuzz/corpus/vcd/ports")
    why = (f"{ports}: byte 76, line 4: '<0': extended VCD ($dumpports) is not supported; use "
           f"$dumpvars")
    fails(125, why, "signals", ports)
    fails(125, why, "check", ports, "-m", write("small.ini", SMALL_MAP))
    # fst2vcd writes ports with the values of an ordinary VCD. Such a file is accepted.
    equal(pmk("wave", "signals", write("port.vcd", SMALL.replace("wire", "port"))).code, 0)


def test_damaged_and_broken_is_broken():
    dump = write("both.vcd", small(1) + "b11 t\n" + clocks(1, 2) + "#1\n")
    out = pmk("wave", "check", dump, "-m", write("small.ini", SMALL_MAP))
    equal(out.code, 1)
    contains(out.out, "seq-alone")
    contains(out.err, "time goes back")


def test_truncated_compressed_files():
    simulate("whole.vcd", 31, 2000)
    ini = guessed(path("whole.vcd"), "whole.ini")
    with open(path("whole.vcd"), "rb") as f:
        data = gzip.compress(f.read())
    out = fails(2, "the VCD, gzip file is damaged or truncated", "check",
                write("cut.gz", data[:len(data) // 2]), "-m", ini)
    assert re.search(r"armd: \d{3,} cycles, 0 violations", out.out), out
    damage = "the VCD, gzip file is damaged or truncated"
    fails(125, damage, "check", write("stump.gz", data[:12]), "-m", ini)
    wrong = data[:-8] + bytes(4) + data[-4:]
    fails(2, damage, "check", write("checksum.gz", wrong), "-m", ini)


def blocks_of(fst):
    """Returns (type, position of its start, position of its end) of each block."""
    at, blocks = 0, []
    while at < len(fst):
        end = at + 1 + int.from_bytes(fst[at + 1:at + 9], "big")
        blocks.append((fst[at], at, end))
        at = end
    return blocks


def test_fst_that_is_cut_off_or_damaged():
    ini = write("small.ini", SMALL_MAP)
    with open(os.path.join(SOURCE, "tests/fuzz/corpus/vcd/fst_blocks"), "rb") as f:
        fst = f.read()
    blocks = blocks_of(fst)
    changes = [b for b in blocks if b[0] == 8]
    assert len(changes) > 2, blocks
    # A simulator writes the names at the end, so without them nothing is known.
    fails(125, f"cut.fst: byte {changes[1][1]}: the FST file ends within this block; it may be cut "
          "off", "check", write("cut.fst", fst[:changes[1][2] - 1]), "-m", ini)
    fails(125, f"byte {changes[1][1]}: an FST file without names: the simulator has not finished "
          "it", "check", write("cut.fst", fst[:changes[1][1]]), "-m", ini)
    fails(125, "cut.fst: byte 330: the FST file ends here; it may be cut off", "signals",
          write("cut.fst", fst[:335]))
    # If the names come before the truncation, everything before it counts.
    names = b"".join(fst[a:b] for kind, a, b in blocks if kind in (4, 6))
    front = fst[:changes[0][1]] + names + fst[changes[0][1]:changes[2][1] + 40]
    out = fails(1, f": byte {changes[2][1] + len(names)}, time 102 ns: the FST file ends within "
                "this block; it may be cut off", "check", write("cut.fst", front), "-m", ini)
    contains(out.out, "10 edges of tb.hclk from 12 ns to 102 ns, partial")
    # The header of the times in a block says that they are longer when unpacked than they can be.
    wrong = bytearray(fst)
    wrong[changes[1][2] - 24] = 1
    fails(1, "ns: times: the FST file is damaged", "check", write("wrong.fst", bytes(wrong)), "-m",
          ini)


def test_a_signal_of_an_fst_that_nobody_asks_for_may_be_damaged():
    """Signals that are not used are not read, so they may be damaged."""
    ini = write("small.ini", SMALL_MAP)
    with open(os.path.join(SOURCE, "tests/fuzz/corpus/vcd/fst"), "rb") as f:
        fst = f.read()
    at = fst.index(b"abc")
    damaged = write("damaged.fst", fst[:at - 2] + b"\xff" * 8 + fst[at + 6:])
    whole = pmk("wave", "check", write("whole.fst", fst), "-m", ini)
    equal(pmk("wave", "check", damaged, "-m", ini).out.replace("damaged", "whole"), whole.out)


def test_what_cannot_be_read_from_pipes():
    with open(os.path.join(SOURCE, "tests/fuzz/corpus/vcd/fst"), "rb") as f:
        fst = f.read()
    for data, why in ((fst, "-: an FST dump cannot be read from a pipe; give a file"),
                      (gzip.compress(small().encode()), "or unpack it with 'gzip -dc'")):
        done = subprocess.run([PMK, "wave", "signals", "-"], input=data, capture_output=True)
        equal(done.returncode, 125)
        contains(done.stderr.decode(), why)


def test_maps_that_are_wrong():
    dump = write("small.vcd", small())
    fails(129, "wave check needs --map FILE; 'pmk wave signals " + dump, "check", dump)
    fails(125, "nowhere.ini: No such file", "check", dump, "-m", path("nowhere.ini"))
    ini = write("wrong.ini", SMALL_MAP.replace("hready = hready", "hready = hraedy"))
    fails(129, f"{ini}:6: no signal 'hraedy' in the dump; did you mean tb.hready?", "check", dump,
          "-m", ini)
    ini = write("wrong.ini", SMALL_MAP.replace("scope = tb",
                                               "scope = bt").replace("hready = hready",
                                                                     "hready = rdy"))
    fails(129,
          f"{ini}:6: no signal 'rdy' in the dump; 'pmk wave signals' lists them (there is no "
          f"scope 'bt')", "check", dump, "-m", ini)
    for line, why in (("hready = 2", "2 is too large: the signal has 1 bit here; use 0 to 1"),
                      ("hready = 1\nhburst = 0x1f",
                       "0x1f is too large: the signal has 3 bits here; use 0 to 7")):
        ini = write("wrong.ini", SMALL_MAP.replace("hready = hready", line))
        fails(129, f"{ini}:{6 + line.count(chr(10))}: {why}", "check", dump, "-m", ini)
    ini = write("wrong.ini", SMALL_MAP + "hbusrt = x\n")
    fails(129, f"{ini}:7: a layer has no 'hbusrt'; did you mean hburst?", "check", dump, "-m", ini)
    ini = write("wrong.ini", SMALL_MAP + "[clock]\nsignal = tb.hready\n")
    fails(129, f"{ini}:8: a second clock: line 2 has 'tb.hclk'", "check", dump, "-m", ini)
    fails(129, "no layer 'bt'; did you mean tb?", "check", dump, "-m",
          write("small.ini", SMALL_MAP), "--layer", "bt")
    ini = write("events.ini", "[clock]\nsignal = tb.hclk\n[events]\nINSN = tb.hready\n")
    fails(129, "it has neither [layer] nor [axi], so there is no protocol to "
               "check", "check", dump, "-m", ini)


def test_usage():
    dump = write("small.vcd", small())
    equal(pmk("wave", "--help").code, 0)
    fails(129, "wave has no 'sginals'; did you mean signals?", "sginals", dump)
    fails(129, "wave has no 'x'; use 'signals' or 'check'", "x", dump)
    fails(129, "wave signals takes one FILE", "signals")
    fails(129, "wave signals takes one FILE", "signals", dump, dump)
    fails(129, "--limit takes a number, not 'x'", "check", dump, "--limit", "x")
    fails(129, "has no option '--mapp=x'; did you mean --map?", "check", dump, "--mapp=x")


def test_names_are_made_printable():
    """Control characters in a dump must not reach the terminal. Signals that a map cannot name are
    not in the map."""
    odd = b"m0_\xc2\x9b31m\xffhtrans"
    dump = write("odd.vcd", b"$scope module tb $end\n$var wire 1 ! hclk $end\n"
                 b"$var wire 2 t htrans [1:0] $end\n$var wire 1 y hready $end\n$var wire 2 u " +
                 odd + b" [1:0] $end\n$var wire 1 y " + odd.replace(b"htrans", b"hready") +
                 b" $end\n$upscope $end\n$enddefinitions $end\n")
    out = pmk("wave", "signals", dump)
    equal((out.code, out.err), (0, ""))
    assert out.out.isascii(), repr(out.out)
    contains(out.out, "# tb     m0_\\xc2\\x9b31m\\xffhtrans[1:0]      2\n")
    equal(re.findall(r"^\[layer (.*)\]", out.out, re.M), ["tb"])
    doc = json.loads(subprocess.run([PMK, "wave", "signals", dump, "-j"],
                                    capture_output=True).stdout.decode())
    contains([s["name"] for s in doc["signals"]], "m0_\x9b31m\ufffdhtrans")


def test_signals_without_a_guess():
    out = pmk("wave", "signals", write("plain.vcd", "$scope module a $end\n$var wire 1 ! x $end\n"
                                       "$var wire 8 \" v [0:7] $end\n$var real 64 r temp $end\n"
                                       "$upscope $end\n$enddefinitions $end\n"))
    equal(out.code, 0)
    contains(out.out, "# scope  name     bits\n# a      x           1\n# a      v[0:7]      8\n"
             "# a      temp       64  real\n")
    contains(out.out, "# No map can be guessed from these names;")
    contains(out.err, "no map can be guessed: no names like htrans and hready")
    assert "This map was guessed" not in out.out, out
    dump = write("one.vcd", "$var wire 1 ! x $end\n$enddefinitions $end\n")
    contains(pmk("wave", "signals", dump).out, f"# {dump}: VCD, 1 name\n")


# ---- while it runs ------------------------------------------------------------------------------

def feed(stderr):
    """Runs pmk wave check on a pipe, and writes two megabytes."""
    ini = write("small.ini", SMALL_MAP)
    child = subprocess.Popen([PMK, "wave", "check", "-", "-m", ini], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=stderr)
    # This is more than a pipe holds. When everything is written, pmk has read most of it, and its
    # handlers are installed.
    child.stdin.write((small(0) + clocks(0, 100000)).encode())
    child.stdin.flush()
    return child


def test_an_interrupt_prints_what_was_read():
    child = feed(subprocess.PIPE)
    child.send_signal(signal.SIGINT)
    out, err = child.stdout.read().decode(), child.stderr.read().decode()
    child.stdin.close()
    equal(child.wait(), 2, err)
    assert re.fullmatch(r"pmk: -: byte \d{6,}, time \d+ ns: interrupted\n", err), err
    assert re.search(r"tb: \d{4,} cycles, 0 violations\n-: \d+ edges of tb.hclk from 5 ns to \d+ "
                     r"ns, partial\n", out), out


def test_progress_is_for_terminals():
    master, slave = pty.openpty()
    child = feed(slave)
    time.sleep(0.2)  # twice the interval between two checks
    child.stdin.write(clocks(100000, 100).encode())
    child.stdin.close()
    out = child.stdout.read().decode()
    equal(child.wait(), 0)
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
    assert re.search(rb"\r-: \d+ MB, \d+ MB/s", shown), shown
    assert shown.endswith(b" \r"), shown  # the progress line is erased
    contains(out, "tb: 100100 cycles, 0 violations")
