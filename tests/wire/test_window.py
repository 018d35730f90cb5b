# SPDX-License-Identifier: MIT
"""pmk stat -T gdb:… and openocd:… with --from and --to. One target is QEMU's stub with firmware
that is an AHB Monitor. The firmware makes three rounds in work() and five in rest(), so counts from
work() to rest() are those of three rounds. The other target is Debian's OpenOCD with an ARM11
(jtag_board.c) that has six breakpoints. It executes a loop of a thousand instructions from 0x8000
on, three cycles each."""
import contextlib
import socket
import threading
from boards import *

WINDOWS = MONITOR.split("int main(void)")[0] + """
static void rounds(int n)
{
	while (n--) {
		if (WORD[0x204 / 4]) {
			WORD[0x204 / 4] = 0;
			for (int i = 0; i < 91; i++)
				WORD[i] = 0;
		}
		if (WORD[0x200 / 4] & 1)
			for (int i = 0; i < 91; i++)
				WORD[i] += i + 1;
	}
}

__attribute__((noinline)) void work(void) { rounds(3); }
__attribute__((noinline)) void rest(void) { rounds(5); }
__attribute__((noinline)) void never(void) { __asm__ volatile("nop"); }
volatile int always = 1;

int main(void)
{
	while (always) {
		work();
		rest();
	}
	never();
}
"""
AT = ("--pmu", "ahbmon", "--set", f"base={BASE:#x}", "-e", "ct_armi_rd,ct_gxi_rd")


@pytest.fixture(scope="module")
def firmware():
    return compiled(WINDOWS, "wire-windows")


def windows(doc):
    """Returns the number of times that the target reached --from, and the counts."""
    counted = counts(doc)
    equal({row["trust"] for row in doc["counters"]}, {"measured"})
    return came(doc), counted["ct_armi_rd"], counted["ct_gxi_rd"]


@pytest.mark.parametrize("start,to,rounds", [("work", "rest", 3), ("rest", "work", 5)])
def test_between_two_functions(firmware, start, to, rounds):
    """Counts between two functions are those of the rounds in each window. A window that is open at
    the end may have fewer rounds. In its last round, one of the two counters may have counted, and
    the other not."""
    with emulated("-M", "raspi0", "-kernel", firmware) as (_, port):
        doc = long_enough(lambda factor: stat(
            "-T", f"gdb:127.0.0.1:{port}", *AT, "--set", f"elf={firmware}", "--from", start,
            "--to", to, "--timeout", 1000 * factor), lambda doc: came(doc) > 0)
    times, armi, gxi = windows(doc)
    assert times > 0, doc
    assert abs(81 * armi - gxi) in (0, 81), doc
    assert rounds * (times - 1) <= armi <= rounds * times, doc


def test_intervals_add_up(firmware):
    with emulated("-M", "raspi0", "-kernel", firmware) as (_, port):
        doc = stat("-T", f"gdb:127.0.0.1:{port}", *AT, "--set", f"elf={firmware}", "--from", "work",
                   "--to", "rest", "-I", "100", "--summary", "--timeout", "1000")
    values = [row["counter-value"] or 0 for row in doc["counters"] if row["event"] == "ct_gxi_rd"]
    equal(sum(values[:-1]), values[-1])
    assert values[-1] > 0


def test_a_target_runs_on_without_breakpoints(firmware):
    """The second run counts everything, and none of the first run's breakpoints stops the
    target."""
    with emulated("-M", "raspi0", "-kernel", firmware) as (_, port):
        for words in (("--set", f"elf={firmware}", "--from", "work", "--to", "rest"), ()):
            doc = stat("-T", f"gdb:127.0.0.1:{port}", *AT, *words, "--timeout", "300")
    counted = counts(doc)
    assert counted["ct_armi_rd"] > 100 and "came" not in doc["note"], doc


def test_a_place_that_is_never_reached(firmware):
    with emulated("-M", "raspi0", "-kernel", firmware) as (_, port):
        doc = stat("-T", f"gdb:127.0.0.1:{port}", *AT, "--set", f"elf={firmware}", "--from",
                   "never", "--to", "rest", "--timeout", "300")
    contains(doc["warning"], "--from never was never reached")
    equal({row["trust"] for row in doc["counters"]}, {"not counted"})


@cases("words,says", [
    (("--from", "work", "--to", "rest"), "name the program that the target runs with --set "
                                         "elf=FILE"),
    (("--from", "work"), "--from and --to go together; give both"),
    (("--from", "0x8000", "--to", "0x8000"), "--from and --to are the same address, 0x8000"),
    (("--from", "wrk", "--to", "rest", "--set", "elf=FIRMWARE"), "wrk"),
    (("--from", "work", "--to", "rest", "--set", "elf=/nosuch"), "/nosuch"),
    (("--from", "0x8000", "--to", "0x9000", "--pmu", "l220", "-e", "irreq,drreq,dwreq"),
     "the counters would need 2 sets of these events"),
])
def test_wrong_usage(firmware, words, says):
    words = [word.replace("FIRMWARE", firmware) for word in words]
    out = pmk("stat", "-T", "gdb::1", "--pmu", "ahbmon", "--set", "base=0", *words)
    equal((out.code, len(out.err.splitlines())), (129, 1), out)
    contains(out.err, says)


# ---- OpenOCD: its Tcl port, and its stub ---------------------------------------------------------

speakers = pytest.mark.parametrize("speaker", ["openocd", "gdb"])
# There are 256 instructions between these addresses. A window counts cycles from the fourth one on,
# because counting begins three cycles after it was enabled.
PLACES = ("--from", "0x8100", "--to", "0x8500")


def came(doc):
    found = re.search(r"where counting begins, (\d+) time", doc["note"] or "")
    return int(found[1]) if found else 0


def whole_windows(doc, enabled):
    """Returns the number of windows. Checks that each is complete. Only the end of the run may have
    cut off the last one."""
    counted, times = counts(doc), came(doc)
    equal({row["trust"] for row in doc["counters"]}, {"measured"})
    equal(counted["cycles"], enabled - 3 * times)
    equal(counted["instructions"], counted["cycles"] // 3)
    assert 765 * (times - 1) <= counted["cycles"] <= 765 * times, doc
    return times


def tcl(probe, command):
    """Lets OpenOCD execute a command; returns its reply."""
    host, port = probe.target().split(":")[1:]
    with socket.create_connection((host, int(port))) as s:
        s.sendall(command.encode() + b"\x1a")
        said = b""
        while not said.endswith(b"\x1a"):
            said += s.recv(4096)
    return said[:-1].decode()


@speakers
def test_an_arm11_between_two_addresses(speaker):
    """If the run ends inside a window, that window is cut off. OpenOCD's stub looks ten times a
    second whether the target has stopped, so it reports a stop late."""
    def count(factor):
        with openocd("arm11") as probe:
            doc = stat("-T", probe.target(speaker), "-e", "cycles,instructions", *PLACES,
                       "--timeout", 2000 * factor)
            return doc, probe.enabled_cycles()

    doc, enabled = long_enough(count, lambda found: came(found[0]) > 0)
    assert whole_windows(doc, enabled) > 0, doc


@speakers
def test_a_bus_between_two_addresses(speaker):
    """The AHB Monitor is started and stopped by stores, while the processor that makes them is
    halted. The bus has three cycles for each of 256 instructions."""
    with openocd("arm11") as probe:
        doc = long_enough(lambda factor: stat(
            "-T", probe.target(speaker), "--pmu", "ahbmon", "-e", "ct_total_cycles_en", *PLACES,
            "--timeout", 2000 * factor), lambda doc: came(doc) > 0)
    counted, times = counts(doc)["ct_total_cycles_en"], came(doc)
    assert times > 0 and 768 * (times - 1) <= counted <= 768 * times, doc


@speakers
def test_the_board_keeps_no_breakpoint(speaker):
    """After pmk stat, OpenOCD has no breakpoint, and the processor runs past both addresses."""
    with openocd("arm11") as probe:
        stat("-T", probe.target(speaker), "-e", "cycles", *PLACES, "--timeout", "300")
        equal(tcl(probe, "capture bp").strip(), "")
        out = pmk("doctor", "-T", probe.target())
    contains(out.out, "the target runs")


@contextlib.contextmanager
def late_interrupts(probe):
    """Starts a proxy in front of OpenOCD's stub. After every stop at a breakpoint it sends an
    interrupt, as if pmk had sent it just before the stop was reported. Gives a target."""
    def carry(source, other, spare=b""):
        while data := source.recv(4096):
            other.sendall(data)
            if spare and b"$T05" in data:
                source.sendall(spare)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_WR)

    def serve():
        with contextlib.suppress(OSError), listening.accept()[0] as near, \
                socket.create_connection(("127.0.0.1", probe.ports["gdb"])) as far:
            back = threading.Thread(target=carry, args=(far, near, b"\x03"))
            back.start()
            carry(near, far)
            back.join()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = threading.Thread(target=serve)
        server.start()
        yield f"gdb:127.0.0.1:{listening.getsockname()[1]}"
        server.join()


def test_an_interrupt_that_comes_too_late():
    """OpenOCD keeps the interrupt, and halts the target when it runs again, at any address. No
    window ends there, and pmk resumes the target at the end."""
    def count(factor):
        with openocd("arm11") as probe:
            with late_interrupts(probe) as target:
                doc = stat("-T", target, "-e", "cycles,instructions", *PLACES, "--timeout",
                           4000 * factor)
            equal(tcl(probe, "[target current] curstate"), "running")
            return doc, probe.enabled_cycles()

    doc, enabled = long_enough(count, lambda found: came(found[0]) > 1)
    assert whole_windows(doc, enabled) > 1, doc


def test_no_breakpoint_is_left():
    """If another debugger has set all six breakpoints of an ARM1176, pmk stat reports that none is
    left. The program never reaches their addresses."""
    with openocd("arm11") as probe:
        tcl(probe, "halt; foreach i {0 1 2 3 4 5} {bp [expr {0x20000 + 4 * $i}] 4 hw}; resume")
        out = pmk("stat", "-T", probe.target(), "-e", "cycles", *PLACES, "--timeout", "300")
    equal((out.code, len(out.err.splitlines())), (125, 1), out)
    contains(out.err, "no hardware breakpoint is left for 0x8100")


def test_a_breakpoint_of_another_debugger():
    """If another debugger's breakpoint is between both addresses, pmk shows the counts up to the
    last reading, and why there are no more."""
    with openocd("arm11") as probe:
        tcl(probe, "halt; bp 0x8300 4 hw; resume 0x8304")
        out = pmk("stat", "-T", probe.target(), "-e", "cycles", *PLACES, "--", "sleep", "600")
    equal(out.code, 125, out)
    contains(out.err, "the target halted at 0x8300, where pmk has no breakpoint")
    contains(out.err, "the counts end at the last reading")


@cases("start,to,says", [
    ("0x9000", "0x8100", "--from 0x9000 was never reached"),
    ("0x8100", "0x9000", "--to 0x9000 was never reached: everything after 0x8100 was counted"),
])
def test_a_place_outside_of_the_loop(start, to, says):
    with openocd("arm11") as probe:
        doc = stat("-T", probe.target(), "-e", "cycles", "--from", start, "--to", to, "--timeout",
                   "400")
        enabled = probe.enabled_cycles()
    contains(doc["warning"], says)
    if start == "0x8100":
        equal(counts(doc)["cycles"], enabled - 3)
    else:
        equal({row["trust"] for row in doc["counters"]}, {"not counted"})


def test_a_probe_that_goes_away_between_windows():
    with openocd("arm11") as probe:
        out = killed_after_rows(3, probe.process.pid, "-T", probe.target(), "-e", "cycles", *PLACES,
                                "-I", "50", "--summary")
    equal(out.code, 125)
    contains(out.err, "the counts end at the last reading")
    counted = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) +cycles", out.err)]
    assert len(counted) > 2 and counted[-1] == sum(counted[:-1]) > 0, out


def test_a_microblaze_has_no_breakpoints():
    out = pmk("stat", "-T", "openocd::1", "--pmu", "microblaze", *PLACES)
    equal((out.code, len(out.err.splitlines())), (129, 1), out)
    contains(out.err, "pmk only scans the debug module of a MicroBlaze")


@cases("target", ["devmem:/dev/null", "xvc::1"])
def test_others_have_no_breakpoints(target):
    out = pmk("stat", "-T", target, "--pmu", "ahbmon", "--from", "0x8000", "--to", "0x9000")
    equal((out.code, len(out.err.splitlines())), (129, 1), out)
    contains(out.err, "is for -T emu, -T openocd and -T gdb, not for -T " + target.split(":")[0])
