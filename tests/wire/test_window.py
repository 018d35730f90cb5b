# SPDX-License-Identifier: MIT
"""pmk stat -T gdb:… with --from and --to: QEMU's stub, and firmware that is an AHB Monitor. It
makes three rounds in work() and five in rest(), so that from one to the other is a multiple of
three."""
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
    """How often the target came to --from, and what was counted."""
    counted = counts(doc)
    equal({row["trust"] for row in doc["counters"]}, {"measured"})
    return (int(re.search(r"the target came (\d+) times to", doc["note"])[1]),
            counted["ct_armi_rd"], counted["ct_gxi_rd"])


@pytest.mark.parametrize("start,to,rounds", [("work", "rest", 3), ("rest", "work", 5)])
def test_between_two_functions(firmware, start, to, rounds):
    """A window that the end cuts off has fewer rounds than others."""
    with emulated("-M", "raspi0", "-kernel", firmware) as (_, port):
        doc = stat("-T", f"gdb:127.0.0.1:{port}", *AT, "--set", f"elf={firmware}", "--from", start,
                   "--to", to, "--timeout", "1000")
    times, armi, gxi = windows(doc)
    assert times > 1, doc
    equal(gxi, 81 * armi)
    assert rounds * (times - 1) <= armi <= rounds * times, doc


def test_intervals_add_up(firmware):
    with emulated("-M", "raspi0", "-kernel", firmware) as (_, port):
        doc = stat("-T", f"gdb:127.0.0.1:{port}", *AT, "--set", f"elf={firmware}", "--from", "work",
                   "--to", "rest", "-I", "100", "--summary", "--timeout", "1000")
    values = [row["counter-value"] or 0 for row in doc["counters"] if row["event"] == "ct_gxi_rd"]
    equal(sum(values[:-1]), values[-1])
    assert values[-1] > 0


def test_a_target_runs_on_without_breakpoints(firmware):
    """The second count is of all that runs, and is stopped by none of the first."""
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
    (("--from", "work", "--to", "rest"), "say which program the target runs, --set elf=FILE"),
    (("--from", "work"), "--from and --to go together"),
    (("--from", "0x8000", "--to", "0x8000"), "--from and --to are the same address, 0x8000"),
    (("--from", "wrk", "--to", "rest", "--set", "elf=FIRMWARE"), "wrk"),
    (("--from", "work", "--to", "rest", "--set", "elf=/nosuch"), "/nosuch"),
    (("--from", "0x8000", "--to", "0x9000", "--pmu", "l220", "-e", "irreq,drreq,dwreq"),
     "these events need 2 programmings of the counters"),
])
def test_wrong_usage(firmware, words, says):
    words = [word.replace("FIRMWARE", firmware) for word in words]
    out = pmk("stat", "-T", "gdb::1", "--pmu", "ahbmon", "--set", "base=0", *words)
    equal((out.code, len(out.err.splitlines())), (129, 1), out)
    contains(out.err, says)


@cases("target", ["openocd::1", "devmem:/dev/null", "xvc::1"])
def test_others_have_no_breakpoints(target):
    out = pmk("stat", "-T", target, "--pmu", "ahbmon", "--from", "0x8000", "--to", "0x9000")
    equal((out.code, len(out.err.splitlines())), (129, 1), out)
    contains(out.err, "is for -T emu and -T gdb, not for -T " + target.split(":")[0])
