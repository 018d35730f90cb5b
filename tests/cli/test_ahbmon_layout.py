# SPDX-License-Identifier: MIT
"""pmk stat (in emulation and from a dump), pmk decode and pmk doctor use the layout file of the AHB
Monitor. The GXI counts of a dump equal those of a scoreboard."""
import os

from harness import *
from programs import assemble

pytestmark = pytest.mark.quick

PROJECTS = os.path.join(SOURCE, "data", "layouts", "sp816.ini")
ROOM = os.path.join(WORK, "layouts")
os.makedirs(ROOM, exist_ok=True)

LOOP = """
	.syntax	unified
	.arm
	.global	_start
_start:	mov	r3, #1000
1:	subs	r3, r3, #1
	bne	1b
	mov	r0, #0
	mov	r7, #1
	svc	#0
"""

GXI_MAP = """[clock]
signal = tb.hclk
reset = tb.hresetn
scope = tb.mbx
[gxi]
address_state = address_state
data_state = data_state
address = address
write = write
"""


def layout(name, *changes, more=""):
    """Returns a copy of the project's layout file in which each (text, other text) is replaced and
    `more` is appended."""
    with open(PROJECTS) as f:
        text = f.read()
    for old, new in changes:
        equal(text.count(old), 1, old)
        text = text.replace(old, new)
    return write(name, text + more)


def write(name, text):
    path = os.path.join(ROOM, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def loop():
    have("qemu-arm")
    return assemble("ahb-loop", LOOP, "-march=armv5te")


def refused(code, why, *argv, **kw):
    out = pmk(*argv, **kw)
    equal((out.code, out.out), (code, ""), str(out))
    contains(out.err, why)
    equal(out.err.count("\n"), 1, out.err)


# ---- pmk stat ------------------------------------------------------------------------------------

def test_the_projects_is_the_default():
    other = layout("other.ini", ("name = sp816", "name = other"), ("enable = 0", "enable = 7"),
                   ("base = 0x101D0000", "base = 0x40000000"),
                   ("CtArmiRd = 0x000", "CtArmiRd = 0xFFFC"))
    a = counts(stat("--pmu", "ahbmon", "-e", "all", loop()))
    equal(counts(stat("--pmu", "ahbmon", "-e", "all", "--layout", PROJECTS, loop())), a)
    # The addresses of the registers change no count.
    equal(counts(stat("--pmu", "ahbmon", "-e", "all", "--layout", other, loop())), a)
    assert a["ct_armi_rd"] > 0 and a["ct_total_cycles_en"] > 1000, a


def test_a_layout_that_is_wrong():
    bad = layout("bad.ini", ("CtArmiBurstSingle = 0x004", "CtArmiBurstSingle = 0x000"))
    with open(bad) as f:
        line = [n for n, text in enumerate(f, start=1) if text.startswith("CtArmiBurstSingle")][0]
    refused(129,
            f"--layout: {bad}:{line}: CtArmiBurstSingle: offset 0x000 is already used by "
            f"CtArmiRd in line {line - 1}\n", "stat", "--pmu", "ahbmon", "--layout", bad, loop())
    refused(129, f"bad.ini:{line}: ", "doctor", "ahbmon", "--layout", bad)
    refused(129, f"bad.ini:{line}: ", "decode", "ahbmon", "AHBMONITOR=0", "--layout", bad)
    refused(125, "--layout: nowhere.ini: No such file", "stat", "--pmu", "ahbmon", "--layout",
            "nowhere.ini", loop())


def test_without_the_data_file():
    have("qemu-arm")
    cores = os.path.join(ROOM, "data")
    shutil.rmtree(cores, ignore_errors=True)
    shutil.copytree(os.path.join(SOURCE, "data"), cores, ignore=shutil.ignore_patterns("layouts"))
    env = dict(os.environ, PMK_DATA=cores)
    refused(125, "data/layouts/sp816.ini: No such file", "stat", "--pmu", "ahbmon", loop(), env=env)
    # Other PMUs do not need the file, nor does decoding this register.
    equal(pmk("stat", "-e", "instructions", loop(), env=env).code, 0)
    equal(pmk("decode", "ahbmon", "GxiPageSize=1", env=env).code, 0)


def test_settings_that_the_layout_has_no_place_for():
    narrow = layout("narrow.ini", ("width = 32", "width = 4"))
    refused(129, "--set wait.exp: 16 is more than 15, the maximum for a threshold in layout sp816",
            "stat", "--pmu", "ahbmon", "--layout", narrow, "--set", "wait.exp=16", loop())
    equal(pmk("stat", "--pmu", "ahbmon", "--layout", narrow, "--set", "wait.threshold=15",
              loop()).code, 0)
    less = layout("less.ini", ("castout4_aligned = 2", "castout4_aligned = none"),
                  ("WaitThresholdGxiRdD = 0x22C", "WaitThresholdGxiRdD = none"))
    refused(129, "--set castout4.aligned: layout sp816 has no bit for it", "stat", "--pmu",
            "ahbmon", "--layout", less, "--set", "castout4.aligned=1", loop())
    refused(129, "--set wait.gxi_data: layout sp816 has no register for it", "stat", "--pmu",
            "ahbmon", "--layout", less, "--set", "wait.gxi_data=1", loop())
    refused(129, "gxi.page takes 2048, 4096, 8192 or 16384, not '6144'", "stat", "--pmu", "ahbmon",
            "--set", "gxi.page=6K", loop())


def test_registers_that_are_unknown():
    """The message about an unknown register lists the names that fit on a line, truncates none, and
    says that there are others."""
    refused(129, "pmk: ahbmon has no register 'FOO'; it has CtArmiRd, ", "decode", "ahbmon",
            "FOO=1")
    refused(129, ", CtClcdBurstIncr8, CtClcdBurstIncr16 and others (pmk info PMU)\n", "decode",
            "ahbmon", "FOO=1")


def test_a_layout_where_there_is_no_monitor():
    refused(129, "--layout: arm1176 has no AHB Monitor", "stat", "--core", "arm1176", "--layout",
            PROJECTS, loop())
    refused(129, "--layout is for -T emu, -T wave, -T openocd, -T gdb, -T xvc and -T devmem, "
            "not for -T linux", "stat", "-T", "linux", "--layout", PROJECTS, "true")
    refused(129, "--layout: arm1176 is not an AHB "
                 "Monitor", "decode", "arm1176", "PMNC=1", "--layout",
            PROJECTS)
    refused(129, "--layout is for pmk doctor ahbmon", "doctor", "armv8", "--layout", PROJECTS)


def test_traffic_of_the_gxi_brings_its_counters():
    out = pmk("stat", "--pmu", "ahbmon", "--traffic", "gxi:period=10,count=20,dir=both", loop())
    equal(out.code, 0)
    for event, n in (("rd", 10), ("wr", 10), ("rd_data_wait", 50), ("page_change", 0)):
        assert re.search(rf"^ +{n} +ct_gxi_{event} ", out.err, re.M), out.err


def test_what_was_asked_for_is_recorded():
    doc = stat("--pmu", "ahbmon", "--set", "gxi.page=4K", "--traffic", "gxi:period=10", "--traffic",
               "smc:retry=every:3", "--layout", PROJECTS, "-e", "ct_gxi_rd", loop())
    equal(doc["settings"],
          f"gxi.page=4K traffic=gxi:period=10 traffic=smc:retry=every:3 layout={PROJECTS}")
    equal(stat("--pmu", "ahbmon", "--traffic", "gxi:period=10", "-e", "ct_gxi_rd",
               loop())["settings"],
          "traffic=gxi:period=10")
    equal(stat("--pmu", "ahbmon", "-e", "ct_gxi_rd", loop())["settings"], "")


def test_bad_traffic():
    for spec, said in (("gxi:dir=read", "period is missing"),
                       ("gxi:period=1,addr=0x20000000", "reaches only mpmc"),
                       ("gxi:period=1,burst=incr4", "there is no key 'burst'"),
                       ("mpmc:retry=3", "is not every:N"),
                       ("mpmc:period=3", "(known: retry, split, release)"),
                       ("clcdc:period=9,lock=on", "so it cannot lock")):
        refused(129, said, "stat", "--pmu", "ahbmon", "--traffic", spec, loop())
    refused(129, "gxi is given twice", "stat", "--pmu", "ahbmon", "--traffic", "gxi:period=9",
            "--traffic", "gxi:period=8", loop())


# ---- pmk doctor ----------------------------------------------------------------------------------

def test_doctor_asks_the_layout():
    mine = layout("mine.ini", ("name = sp816", "name = mine"),
                  ("provenance = project", "provenance = manual"),
                  ("base = 0x101D0000", "base = 0x20000000"))
    out = pmk("doctor", "ahbmon", "--layout", mine)
    equal((out.code, out.err), (0, ""))
    contains(out.out, "layout mine, from the manual, base 0x20000000")
    contains(out.out, "90 of 90 agree: the layout fits")
    contains(out.out, "61 of 90 agree: the layout is wrong in places")
    doc = json.loads(pmk("doctor", "ahbmon", "--layout", mine, "-j").out)["ahbmon"]
    equal((doc["layout"], doc["provenance"], doc["trials"][0]["agree"]), ("mine", "manual", 90))


# ---- pmk decode ----------------------------------------------------------------------------------

def test_decode_of_a_packet():
    codes = layout("codes.ini", ("[packet armd]\nI = none\nEN = none",
                                 "[packet armd]\nI = 0\nEN = 2"),
                   more="S_SINGLE = 63\nNR9 = 17\n")
    # The GXI has data 11 and address 01, ARM-D has 010001, and all other bits are 0.
    out = pmk("decode", "ahbmon", "AHBMONITOR=0x1a8800000", "--layout", codes)
    equal((out.code, out.err), (0, ""))
    for part in ("[32:31]  GXI data   3           read data channel: data arrives, further reads "
                 "are pending",
                 "[30:29]  GXI addr   1           address channel: a read or a write request waits",
                 "[28:23]  ARM-D      0x11        NR9: a nonsequential read of that slave "
                 "completes",
                 "[3:0]    CLCDC      0x0         ?: the layout has no state with this code"):
        contains(out.out, part)
    doc = json.loads(pmk("decode", "ahbmon", "ahbmonitor=0x1000000", "--layout", codes, "-j").out)
    equal([f["text"] for f in doc["registers"][0]["fields"] if f["name"] == "ARM-D"],
          ["EN: first cycle of an ERROR"])
    # The project's own layout has no state with this code.
    contains(pmk("decode", "ahbmon", "AHBMONITOR=0x1000000").out,
             "ARM-D      0x02        ?: the layout has no state")
    refused(129, "AHBMONITOR has 34 bits", "decode", "ahbmon", "AHBMONITOR=0x400000000")


# ---- a dump --------------------------------------------------------------------------------------

def simulated(seed, cycles):
    """Returns a dump with a GXI, its map, and the counts of the GXI's scoreboard."""
    have("iverilog", "vvp")
    source = os.path.join(SOURCE, "tests", "wave", "bus.v")
    program, dump = os.path.join(ROOM, "bus.vvp"), os.path.join(ROOM, f"gxi{seed}.vcd")
    if not os.path.exists(program) or os.path.getmtime(program) < os.path.getmtime(source):
        equal(run("iverilog", "-g2005", "-Wall", "-o", program, source), Silent())
    out = run("vvp", program, f"+dump={dump}", f"+seed={seed}", f"+cycles={cycles}", cwd=ROOM)
    words = [line.split() for line in out.out.splitlines() if line.startswith("gxi ")][0]
    return dump, write("gxi.ini", GXI_MAP), dict(zip(words[1::2], map(int, words[2::2])))


class Silent:
    def __eq__(self, out):
        return (out.code, out.out, out.err) == (0, "", "")


def test_the_gxi_of_a_dump_equals_its_scoreboard():
    for seed in (3, 4, 5):
        dump, ini, board = simulated(seed, 2000)
        assert all(n > 10 for n in board.values()), board
        for page in ("2K", "4K", "8K", "16K"):
            c = counts(stat("-T", f"wave:{dump}", "--map", ini, "--set", "wait.threshold=1",
                            "--set", f"gxi.page={page}"))
            equal({e: n for e, n in c.items() if "gxi" in e},
                  {"ct_gxi_rd": board["RD"], "ct_gxi_wr": board["WR"],
                   "ct_gxi_rd_addr_wait": board["RD_WAIT"],
                   "ct_gxi_wr_addr_wait": board["WR_WAIT"],
                   "ct_gxi_rd_data_wait": board["DATA_WAIT"],
                   "ct_gxi_rd_a_wait_threshold_hit": board["RD_OVER"],
                   "ct_gxi_wr_a_wait_threshold_hit": board["WR_OVER"],
                   "ct_gxi_rd_d_wait_threshold_hit": board["DATA_OVER"],
                   "ct_gxi_page_change": board[f"PAGE_{page}"]})


def test_layouts_and_settings_of_a_dump():
    dump, ini, board = simulated(3, 2000)
    argv = ["-T", f"wave:{dump}", "--map", ini]
    mine = layout("dump.ini", ("enable = 0", "enable = 30"), ("width = 32", "width = 2"))
    a = counts(stat(*argv, "--layout", mine))
    equal(a, counts(stat(*argv)))
    assert a["ct_gxi_rd_a_wait_threshold_hit"] > board["RD_OVER"], a
    refused(129, "--set wait.gxi_read: 4 is more than 3", "stat", *argv, "--layout", mine, "--set",
            "wait.gxi_read=4")
    refused(129, "gxi.page", "stat", *argv, "--set", "gxi.page=5K")
    refused(129, "castout4.aligned is on or off", "stat", *argv, "--set", "castout4.aligned=2")
    event = write("event.ini",
                  "[clock]\nsignal = tb.hclk\n[events]\npmu = arm1176\nINSN = tb.mbx.write\n")
    refused(129, "--layout: arm1176 has no AHB Monitor", "stat", "-T", f"wave:{dump}", "--map",
            event, "--pmu", "arm1176", "--layout", mine)
