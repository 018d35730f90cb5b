# SPDX-License-Identifier: MIT
"""pmk stat -T openocd:… and -T gdb:… with Debian's OpenOCD, which reaches the registers with its
own code for the ARM11. The board (jtag_board.c) lets three cycles and one instruction pass with
each clock of the TAP. Counting begins three cycles after it was enabled (DDI 0211, PMNC)."""
import socket

from boards import *

# "openocd" uses OpenOCD's Tcl port, and "gdb" uses its stub for GDB's protocol.
speakers = pytest.mark.parametrize("speaker", ["openocd", "gdb"])


@speakers
def test_counts_an_arm11(speaker):
    """An ARM11 is counted through either port. The stub takes "arm mrc" as a monitor command."""
    with openocd("arm11") as probe:
        doc = stat("-T", probe.target(speaker), "-e", "cycles,instructions", "--timeout", "500")
        enabled = probe.enabled_cycles()
    equal({row["trust"] for row in doc["counters"]}, {"measured"})
    counted = counts(doc)
    equal(counted["cycles"], enabled - 3)
    equal(counted["instructions"], counted["cycles"] // 3)
    assert enabled > 3


@speakers
@pytest.mark.parametrize("core", ["arm1136", "arm1156", "arm11mpcore"])
def test_counts_the_others(core, speaker):
    """Each of the other ARM11 cores is counted. Each has its own Main ID, IDCODE and events, and
    all have the same registers."""
    with openocd(core) as probe:
        target = probe.target(speaker)
        out = pmk("stat", "-T", target, "-e", "cycles", "--timeout", "100")
        equal(out.code, 129)
        contains(out.err, f"the target is an {core} (Main ID 0x41")
        doc = stat("-T", target, "--pmu", core, "-e", "cycles,instructions", "--timeout", "500")
        enabled = probe.enabled_cycles()
    counted = counts(doc)
    equal({row["trust"] for row in doc["counters"]}, {"measured"})
    equal((doc["pmu"], counted["instructions"]), (core, counted["cycles"] // 3))
    equal(counted["cycles"], enabled - 3)
    assert enabled > 3


def test_intervals():
    def count(factor):
        with openocd("arm11") as probe:
            doc = stat("-T", probe.target(), "-e", "cycles", "-I", "50", "--summary", "--timeout",
                       500 * factor)
            return doc, probe.enabled_cycles()

    doc, enabled = long_enough(count, lambda found: len(found[0]["counters"]) > 2)
    *intervals, whole = [row["counter-value"] for row in doc["counters"]]
    assert len(intervals) > 1
    equal(sum(intervals), whole)
    equal(whole, enabled - 3)


def test_events_take_turns():
    """Four events share two event counters in turns, so the counters are programmed twice."""
    with openocd("arm11") as probe:
        doc = stat("-T", probe.target(), "-e",
                   "cycles,instructions,dcache_miss,br_exec,icache_miss", "--set", "turn=20",
                   "--timeout", "1000")
        enabled = probe.enabled_cycles()
    equal(doc["passes"], 2)
    rows = {row["event"]: row for row in doc["counters"]}
    equal({row["trust"] for row in doc["counters"]}, {"scaled"})
    shares = [rows[event]["pcnt-running"] for event in ("cycles", "br_exec")]
    assert all(0 < share < 100 for share in shares) and sum(shares) <= 100.01, shares
    equal(rows["instructions"]["pcnt-running"], rows["cycles"]["pcnt-running"])
    # Both events were counted in the same turns, so both are scaled by the same factor.
    assert abs(rows["cycles"]["counter-value"] - 3 * rows["instructions"]["counter-value"]) <= 3
    equal(rows["dcache_miss"]["counter-value"], 0)
    assert enabled > 0


@speakers
def test_a_cache_controller_in_memory(speaker):
    """The event monitor of an i.MX31's L210 is counted. OpenOCD can access memory only while the
    ARM11 is halted."""
    with openocd("arm11", 30) as probe:
        doc = stat("-T", probe.target(speaker), "--pmu", "l210", "--set",
                   "base=0x43F08000,imx31=1", "-e", "irreq,clock,drreq", "--timeout", "500")
    counted = counts(doc)
    assert counted["irreq"] > 0 and counted["drreq"] == 0, counted
    equal(counted["clock"], 30 * counted["irreq"])


@speakers
def test_an_l220(speaker):
    """An L220 has two counters without overflow flags, so pmk reads them before they overflow."""
    with openocd("arm11", 30) as probe:
        doc = stat("-T", probe.target(speaker), "--pmu", "l220", "--set", "base=0x30000000", "-e",
                   "irreq,drreq", "--timeout", "500")
        rows = {row["event"]: row for row in doc["counters"]}
    equal({row["trust"] for row in doc["counters"]}, {"measured"})
    assert rows["irreq"]["counter-value"] > 0 and rows["drreq"]["counter-value"] == 0, rows


@speakers
def test_an_ahb_monitor(speaker):
    """An AHB Monitor is counted. Each clock of the TAP is 30 cycles of the bus, and one read on
    ARM-I."""
    with openocd("arm11", 30) as probe:
        doc = stat("-T", probe.target(speaker), "--pmu", "ahbmon", "-e",
                   "ct_armi_rd,ct_total_cycles_en,ct_armd_rd", "--timeout", "500")
    counted = counts(doc)
    equal(counted["ct_total_cycles_en"], 30 * counted["ct_armi_rd"])
    assert counted["ct_armi_rd"] > 0 and counted["ct_armd_rd"] == 0


@speakers
def test_pmuv3_in_memory(speaker):
    """The registers of a Cortex-A53 in memory are counted. Their software lock is locked after
    reset, and the cycle counter has 64 bits in two words."""
    with openocd("arm11", 30) as probe:
        doc = stat("-T", probe.target(speaker), "--pmu", "cortex-a53", "--set",
                   "base=0x80030000", "-e", "cycles,instructions", "--timeout", "500")
        with socket.create_connection(("127.0.0.1", probe.ports["tcl"])) as tcl:
            tcl.sendall(b"halt 1000; capture {mdw 0x80030fb4}\x1a")
            lock = tcl.recv(100)
    counted = counts(doc)
    equal(counted["cycles"], 3 * counted["instructions"])
    assert counted["cycles"] > 0
    assert lock.startswith(b"0x80030fb4: 00000003"), f"PMLSR: the lock is not closed again: {lock}"


def test_an_event_that_the_hardware_lacks():
    """PMCEID says that the core does not have the event. pmk would count the event in the second
    turn, but refuses it before it counts any event."""
    with openocd("arm11", 30) as probe:
        out = pmk("stat", "-T", probe.target(), "--pmu", "cortex-a53", "--set", "base=0x80030000",
                  "-e", "cycles,instructions,{r8,r8,r8,r8,r8,L1-dcache-loads}", "--timeout", "500")
    equal(out.code, 125)
    equal(out.err, "pmk: event 'L1-dcache-loads': the cortex-a53 of this target does not count it; "
                   "leave it out\n")


def test_memory_that_keeps_nothing():
    """At 0x1000 the board has no block: memory there reads as 0 and ignores stores."""
    with openocd("arm11", 30) as probe:
        out = pmk("stat", "-T", probe.target(), "--pmu", "l220", "--set", "base=0x1000",
                  "--timeout", "500")
    equal((out.code, out.err),
          (125, f"pmk: {probe.target()}: no L220 is at 0x1000: the Cache ID reads 0x00000000, "
                "which pmk does not know; check the address\n"))


def test_a_microblaze():
    """A MicroBlaze is counted. It is not halted, so it runs between the scans that start each
    counter."""
    with openocd("mdm") as probe:
        doc = stat("-T", probe.target(), "--pmu", "microblaze", "-e",
                   "clock_cycles,insn_executed,load_word", "--timeout", "500")
    counted = counts(doc)
    equal(counted["clock_cycles"], 3 * counted["insn_executed"])
    assert counted["clock_cycles"] > 0 and counted["load_word"] == 0
    assert "halted" not in (doc["note"] or "")


@speakers
def test_a_microblaze_by_axi(speaker):
    """A MicroBlaze is counted whose debug module is in the memory of another processor. Each access
    to that memory halts the other processor."""
    with openocd("arm11") as probe:
        doc = stat("-T", probe.target(speaker), "--pmu", "microblaze", "--set", "base=0x41400000",
                   "-e", "clock_cycles,insn_executed,load_word", "--timeout", "500")
    counted = counts(doc)
    equal(counted["clock_cycles"], 3 * counted["insn_executed"])
    assert counted["clock_cycles"] > 0 and counted["load_word"] == 0, counted


def test_a_probe_that_goes_away():
    with openocd("arm11") as probe:
        out = killed_after_rows(3, probe.process.pid, "-T", probe.target(), "-e", "cycles", "-I",
                                "20", "--summary")
    equal(out.code, 125)
    contains(out.err, "the counts end at the last reading")
    counted = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) +cycles", out.err)]
    assert len(counted) > 2 and counted[-1] == sum(counted[:-1]) > 0, out


def test_ctrl_c_ends_it():
    with openocd("arm11") as probe:
        p = subprocess.Popen([PMK, "stat", "-T", probe.target(), "-e", "cycles", "-I", "20", "-x,"],
                             stderr=subprocess.PIPE, text=True)
        p.stderr.readline()
        p.send_signal(2)
        rest = p.communicate(timeout=PATIENCE)[1]
        equal(p.returncode, 130)
    contains(rest, ",cycles,")


def test_another_processor():
    with openocd("arm11") as probe:
        out = pmk("stat", "-T", probe.target(), "--pmu", "arm1136", "--timeout", "100")
    equal(out.code, 129)
    contains(out.err, "is an arm1176 (Main ID 0x410fb767), not an arm1136; use --pmu arm1176")


def test_not_openocd():
    """pmk reports a port that speaks GDB's protocol instead of Tcl."""
    with openocd("arm11") as probe:
        out = pmk("stat", "-T", probe.target("gdb").replace("gdb:", "openocd:"), "--set",
                  "patience=500", "--timeout", "100")
    equal(out.code, 125)
    equal(len(out.err.splitlines()), 1)
