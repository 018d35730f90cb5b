# SPDX-License-Identifier: MIT
"""pmk stat -T gdb:… with QEMU's stub, on a board whose firmware is an AHB Monitor in memory. In
each round, the firmware adds n + 1 to counter n. The board may be halted within a round, so two
counters may differ by one round."""
from boards import *

AT = ("--pmu", "ahbmon", "--set", f"base={BASE:#x}")


def rounds(counts, step=1):
    """Returns how many rounds each counter has seen, from {code: count}."""
    for code, count in counts.items():
        assert count % (step * (code + 1)) == 0, f"{count} of counter {code} is no multiple"
    return [count // (step * (code + 1)) for code, count in counts.items()]


def test_counts_a_board():
    with monitor() as (_, port):
        doc = stat("-T", f"gdb:127.0.0.1:{port}", *AT, "-e", "all", "--timeout", "1000")
    rows = doc["counters"]
    equal(len(rows), 91)
    seen = rounds({int(row["code"], 0): row["counter-value"] for row in rows})
    assert min(seen) > 0 and max(seen) - min(seen) <= 1, seen
    equal({row["trust"] for row in rows}, {"measured"})


def test_counts_while_a_program_runs():
    with monitor() as (_, port):
        out = pmk("stat", "-T", f"gdb:127.0.0.1:{port}", *AT, "-e", "ct_armi_rd,ct_gxi_rd", "-x,",
                  "--", "sh", "-c", "sleep 0.2; exit 7")
    equal(out.code, 7)
    armi, gxi = [int(line.split(",")[0]) for line in out.err.splitlines()
                 if line[0] != "#"]
    assert 0 <= armi - gxi // 81 <= 1 and gxi % 81 == 0, out


def test_counts_with_gdbserver():
    """pmk counts with gdbserver, which is a stub of another project, and debugs a program of this
    machine."""
    def count(factor):
        with debugged() as (_, port):
            return stat("-T", f"gdb:127.0.0.1:{port}", "--pmu", "ahbmon", "--set",
                        f"base={PROGRAM_BASE:#x}", "-e", "ct_armi_rd,ct_gxi_rd", "--timeout",
                        500 * factor)

    doc = long_enough(count, lambda doc: counts(doc)["ct_gxi_rd"])
    armi, gxi = rounds({0: counts(doc)["ct_armi_rd"], 80: counts(doc)["ct_gxi_rd"]})
    assert 0 <= armi - gxi <= 1 and gxi > 0, doc


def test_a_program_that_ends_behind_gdbserver():
    with debugged() as (pid, port):
        out = pmk("stat", "-T", f"gdb:127.0.0.1:{port}", "--pmu", "ahbmon", "--set",
                  f"base={PROGRAM_BASE:#x}", "-e", "ct_armi_rd", "-I", "20", "--", "sh", "-c",
                  f"sleep 0.3; kill -9 {pid}; exec sleep 600")
    equal(out.code, 125)
    contains(out.err, "the program on the target has ended")


def test_intervals_add_up():
    with monitor() as (_, port):
        doc = long_enough(lambda factor: stat(
            "-T", f"gdb:127.0.0.1:{port}", *AT, "-e", "ct_armi_burst_single", "-I", "50",
            "--summary", "--timeout", 400 * factor), lambda doc: len(doc["counters"]) > 2)
    *intervals, whole = [row["counter-value"] for row in doc["counters"]]
    assert len(intervals) > 1, doc
    equal(sum(intervals), whole)


def test_an_emulator_that_goes_away():
    with monitor() as (process, port):
        out = killed_after_rows(3, process.pid, "-T", f"gdb:127.0.0.1:{port}", *AT, "-e",
                                "ct_armi_rd", "-I", "20", "--summary")
    equal(out.code, 125)
    contains(out.err, "the counts end at the last reading")
    # pmk prints the intervals that were counted, and their sum.
    counts = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) +ct_armi_rd", out.err)]
    assert len(counts) > 2 and counts[-1] == sum(counts[:-1]) > 0, out


def test_wraps_are_reported():
    """pmk reports a wrap of a counter. The first round adds three quarters of the first counter's
    range, so no reading can come often enough. If every round added as much, the rounds between two
    readings could add up to a small number."""
    step = "(i || WORD[0] >= 0xc0000000 ? 1u : 0xc0000000)"
    with monitor(step, "leap") as (_, port):
        doc = stat("-T", f"gdb:127.0.0.1:{port}", *AT, "-e", "ct_armi_rd", "--timeout", "1000")
    row = doc["counters"][0]
    equal(row["trust"], "wrapped")
    contains(row["reason"], "a lower bound")


def test_a_target_runs_on_afterwards():
    """The stub stops its target at the start of each connection, and the target continues after the
    end."""
    with monitor() as (_, port):
        first, second = [stat("-T", f"gdb:127.0.0.1:{port}", *AT, "-e", "ct_armi_rd", "--timeout",
                              "1000")["counters"][0]["counter-value"] for _ in range(2)]
    assert first > 0 and second > 0


def test_a_stub_without_coprocessors():
    """QEMU's stub has monitor commands, but "arm mrc" is not one of them. pmk reports this."""
    with emulated("-M", "raspi0", "-S") as (_, port):
        out = pmk("stat", "-T", f"gdb:127.0.0.1:{port}", "--pmu", "arm1176", "--timeout", "100")
    equal(out.code, 125)
    contains(out.err, "'arm mrc 15 0 0 0 0' gave 'unknown command: 'arm'")
    equal(len(out.err.splitlines()), 1)


def test_nobody_is_there():
    out = pmk("stat", "-T", "gdb:127.0.0.1:1", *AT, "--timeout", "100")
    equal(out.code, 125)
    contains(out.err, "cannot connect: Connection refused")
    equal(len(out.err.splitlines()), 1)


@cases("words,says", [
    (("-T", "gdb"), "expected gdb:HOST:PORT"),
    (("-T", "gdb:"), "expected gdb:HOST:PORT"),
    (("-T", "gdb:host"), "expected gdb:HOST:PORT"),
    (("-T", "gdb::1", "--pmu", "l220"), "--set base=ADDRESS"),
    (("-T", "gdb::1", "--set", "bas=1"), "did you mean base?"),
    (("-T", "gdb::1", "--set", "base"), "its value is missing; give base=VALUE"),
    (("-T", "gdb::1", "--set", "base=-1"), "expected a number"),
    (("-T", "gdb::1", "--set", "base=1,,turn=5"), "has no such setting"),
    (("-T", "gdb::1", "--set", "turn=0"), "expected a number from 1 to"),
    (("-T", "gdb::1", "--set", "tap=x;exit"), "the name of a TAP"),
    (("-T", "gdb::1", "--pmu", "rv64"), "--pmu rv64"),
    (("-T", "gdb::1", "-r", "2"), "cannot be combined with -r"),
    (("-T", "gdb::1", "-I", "5cycles"), "only intervals in ms"),
    (("-T", "gdb::1", "--pmu", "microblaze", "--set", "processor=1"),
     "the debug module has 1 of them"),
    (("-T", "gdb::1", "--layout", "x.ini"), "--layout is for --pmu ahbmon"),
    (("-T", "gdb::1", "-p", "1"), "-p is for -T linux"),
])
def test_wrong_usage(words, says):
    out = pmk("stat", *words)
    equal(out.code, 129, out)
    contains(out.err, says)
    equal(len(out.err.splitlines()), 1)
