# SPDX-License-Identifier: MIT
"""pmk doctor -T reports at which step access to a board's counters fails, and why they read 0."""
from boards import *
from test_stat_xvc import INFO, replying, server


def doctor(*words):
    """Returns (exit code, {step: status}, the text of the last step, its advice)."""
    out = pmk("doctor", "-j", *words)
    assert not out.err, out
    steps = json.loads(out.out)["target"]["steps"]
    return (out.code, {s["name"]: s["status"] for s in steps}, steps[-1]["text"],
            steps[-1]["advice"])


@pytest.mark.parametrize("speaker", ["openocd", "gdb"])
def test_a_board_that_counts(speaker):
    with openocd("arm11") as probe:
        code, steps, text, advice = doctor("-T", probe.target(speaker))
        # The board runs again after pmk doctor, so pmk stat can count.
        counted = counts(stat("-T", probe.target(), "-e", "cycles", "--timeout", "200"))
    equal(code, 0)
    chain = {"chain": "ok"} if speaker == "openocd" else {}
    equal(steps, {"connection": "ok", **chain, "access": "ok", "registers": "ok", "counts": "ok"})
    contains(text, "instr_exec: ")
    equal(advice, None)
    assert counted["cycles"] > 0


def test_the_target_is_left_as_it_was_found():
    with openocd("arm11") as probe:
        for speaker in ("gdb", "openocd", "gdb"):
            doctor("-T", probe.target(speaker))
        out = pmk("doctor", "-T", probe.target())
    contains(out.out, "the target runs")


def test_a_microblaze():
    with openocd("mdm") as probe:
        code, steps, text, _ = doctor("-T", probe.target(), "--pmu", "microblaze")
    equal(code, 0)
    contains(text, "insn_executed: ")
    equal(set(steps.values()), {"ok"})


def test_a_layout_that_is_right():
    with openocd("arm11", 30) as probe:
        out = pmk("doctor", "-T", probe.target(), "--pmu", "ahbmon")
    equal(out.code, 0)
    contains(out.out, "all 90 counters hold their own addresses after a preset")


def test_event_counters_that_are_forbidden():
    """If NIDEN is low, pmk doctor reports that cycles are counted, and events are not (DDI 0301H
    3.1.8)."""
    with openocd("closed") as probe:
        code, steps, text, advice = doctor("-T", probe.target())
    equal((code, steps["counts"]), (125, "broken"))
    contains(text, "instr_exec: 0 in 100 ms")
    contains(advice, "NIDEN must be high")


def test_a_processor_that_stands_still():
    with openocd("arm11", 0) as probe:
        code, steps, text, advice = doctor("-T", probe.target())
    equal((code, steps["counts"]), (125, "broken"))
    contains(text, "cpu_cycles: 0 in 100 ms: the counters are enabled but do not count")
    contains(advice, "WFI")


def test_memory_that_keeps_nothing():
    """At 0x1000 the board has no block. pmk doctor reports that memory there reads as 0 and ignores
    stores."""
    with openocd("arm11") as probe:
        code, steps, text, advice = doctor("-T", probe.target(), "--pmu", "l210", "--set",
                                           "base=0x1000")
    equal((code, steps["registers"]), (125, "broken"))
    equal(text, "the counters were started, but do not run")
    contains(advice, "address or the layout may be wrong")


def test_the_chain_is_shown():
    """If the user must describe the chain, pmk shows the chain that it found."""
    with openocd("arm11") as probe:
        contains(pmk("doctor", "-T", probe.target()).out,
                 "ok       chain        t.cpu 0x07b76f0f with 5 bits\n")
    with cable("chain") as target:
        found = "4 TAPs, IDCODEs from TDO on: 0x4ba00477, 0x4ba00477, 0x0362d093, 0x4ba00477; " \
                "the instructions have 22 bits together"
        out = pmk("doctor", "-T", target, "--pmu", "microblaze")
        contains(out.out, f"ok       chain        {found}\n")
    with cable("chain") as target:
        out = pmk("stat", "-T", target, "--pmu", "microblaze", "--timeout", "100")
        equal((out.code, out.err.count("\n")), (125, 1), out)
        contains(out.err, f"the instructions of its chain do not add up to 6 bits; check irlen=, "
                          f"before= and after= of --set. The chain has {found}")


def test_an_emulated_board_without_the_block():
    """At 0x101D0000 QEMU's versatilepb reads zeros and ignores writes, which pmk doctor reports."""
    with emulated("-M", "versatilepb") as (_, port):
        code, steps, text, _ = doctor("-T", f"gdb:127.0.0.1:{port}", "--pmu", "ahbmon")
    equal((code, steps), (125, {"connection": "ok", "access": "ok", "layout": "broken"}))
    equal(text, "0 of 90 counters hold their own addresses after a preset")


def test_an_emulated_arm11():
    with emulated("-M", "raspi0", "-S") as (_, port):
        code, steps, text, advice = doctor("-T", f"gdb:127.0.0.1:{port}")
    equal((code, steps), (125, {"connection": "ok", "access": "broken"}))
    contains(text, "unknown command: 'arm'")
    contains(advice, "an emulator's does not")


def test_nobody_is_there():
    code, steps, text, advice = doctor("-T", "openocd:127.0.0.1:1")
    equal((code, steps), (125, {"connection": "broken"}))
    contains(text, "Connection refused")
    contains(advice, "openocd -f BOARD.cfg")


def test_a_server_without_a_board():
    """If a server without a board responds, pmk doctor does not advise to start the server."""
    with server(replying(INFO, 0)) as where:
        code, steps, text, advice = doctor("-T", where, "--pmu", "microblaze")
    equal((code, steps), (125, {"chain": "broken"}))
    contains(text, "no TAP responds, TDO is always 0")
    contains(advice, "The server responds, but no TAP does. Check that the board has power")


@cases("where", ["gdb::1", "gdb:localhost:1", "openocd::1", "xvc:localhost:1"])
def test_this_machine_needs_no_names(where):
    """A minimal root, without /etc/hosts and name resolution, is enough for servers on this
    machine."""
    have("unshare", "mount")
    if run("unshare", "--mount", "true").code:
        skip("this user or container may not make mount namespaces: unshare --mount")
    hide = 'for f in hosts nsswitch.conf; do [ ! -e /etc/$f ] || mount --bind /dev/null /etc/$f ' \
           '|| exit; done; exec "$@"'
    out = run("unshare", "--mount", "sh", "-c", hide, "sh", PMK, "doctor", "-T", where, "--pmu",
              "arm1176")
    equal(out.code, 125, out)
    contains(out.out, "Connection refused")


def test_text():
    out = pmk("doctor", "-T", "openocd:127.0.0.1:1")
    equal(out.code, 125)
    equal(out.out.splitlines()[:3], [
        "openocd:127.0.0.1:1: the counters of arm1176", "",
        "  broken   connection   openocd:127.0.0.1:1: cannot connect: Connection refused; check "
        "that it is running, and its port"])


@cases("words,says", [
    (("-T", "emu"), "expected openocd:HOST:PORT, gdb:HOST:PORT, xvc:HOST:PORT or devmem[:FILE]"),
    (("-T", "gdb:host"), "expected gdb:HOST:PORT"),
    (("-T", "gdb::99999"), "a port is a number up to 65535"),
    (("-T", "gdb::1", "ahbmon"), "leave out the names of checks"),
    (("--pmu", "arm1176"), "--pmu and --set need -T"),
    (("-T", "gdb::1", "--set", "bas=1"), "did you mean base?"),
    (("-T", "gdb::1", "--pmu", "nosuch"), "unknown PMU 'nosuch'"),
])
def test_wrong_usage(words, says):
    out = pmk("doctor", *words)
    equal(out.code, 129, out)
    contains(out.out + out.err, says)
