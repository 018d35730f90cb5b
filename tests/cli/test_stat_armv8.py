# SPDX-License-Identifier: MIT
"""Tests pmk stat with A64 programs: its default output and its metrics."""
import os
import subprocess

from harness import *
from programs import build

pytestmark = pytest.mark.quick

# With COUNT passes the program executes 6 COUNT + 5 instructions: 2 COUNT branches, COUNT loads and
# COUNT stores are among them.
LOOP = """
	.global	_start
_start:
	adr	x1, buffer
	mov	x4, #COUNT
1:	ldr	x2, [x1]
	str	x2, [x1, #8]
	add	x2, x2, #1
	cbz	x4, 2f
	subs	x4, x4, #1
	b.ne	1b
2:	mov	x8, #93
	mov	x0, #0
	svc	#0
	.data
	.balign	64
buffer:	.zero	64
"""
N = 1000

EXCLUSIVE = """
	.global	_start
_start:
	adrp	x1, var
	mov	x3, #500
1:	ldxr	w0, [x1]
	add	w0, w0, #1
	stxr	w2, w0, [x1]
	cbnz	w2, 1b
	subs	x3, x3, #1
	b.ne	1b
	mov	x8, #93
	mov	x0, #0
	svc	#0
	.data
	.balign	4096
var:	.zero	64
"""

DEFAULTS = ["cpu_cycles", "inst_retired", "br_pred", "br_mis_pred", "l1i_cache", "l1i_cache_refill",
            "l1d_cache", "l1d_cache_refill", "l2d_cache", "l2d_cache_refill", "l1i_tlb_refill",
            "l1d_tlb_refill", "bus_access"]
METRICS = ["branch_miss_ratio", "branch_mpki", "bus_bandwidth", "bus_bytes_per_cycle", "cpi",
           "dtlb_mpki", "ipc", "itlb_mpki", "l1d_miss_ratio", "l1d_mpki", "l1i_miss_ratio",
           "l1i_mpki", "l2_miss_ratio", "l2_mpki"]
STALLS = ["stall_frontend", "stall_backend"]


def loop():
    return build("loop-a64", LOOP, "-nostdlib", "-static", "-Wl,--build-id=none", f"-DCOUNT={N}",
                 ext="S", prefix="aarch64-linux-gnu-")


def test_defaults_of_a_cortex_a53():
    have("qemu-aarch64")
    doc = stat(loop())
    equal(doc["core"], "cortex-a53")
    equal([c["event"] for c in doc["counters"]], DEFAULTS)
    found = counts(doc)
    equal((found["inst_retired"], found["br_pred"], found["l1d_cache"]), (6 * N + 5, 2 * N, 2 * N))
    assert all(v is not None for v in found.values()), found
    equal([m["name"] for m in doc["metrics"]], METRICS)
    assert all(m["value"] is not None for m in doc["metrics"]), doc["metrics"]


def test_defaults_of_a_core_with_more_events():
    have("qemu-aarch64")
    doc = stat("--core", "armv8", loop())
    equal([c["event"] for c in doc["counters"]], DEFAULTS + STALLS)
    equal([m["name"] for m in doc["metrics"]],
          METRICS + ["stall_backend_share", "stall_frontend_share"])


def test_metrics_are_ratios_of_the_counts():
    have("qemu-aarch64")
    doc = stat("-M", ",".join(METRICS), loop())
    c, m = counts(doc), {m["name"]: m["value"] for m in doc["metrics"]}
    equal(sorted(m), METRICS)
    insns, cycles = c["inst_retired"], c["cpu_cycles"]
    want = {
        "branch_miss_ratio": 100 * c["br_mis_pred"] / c["br_pred"],
        "branch_mpki": 1000 * c["br_mis_pred"] / insns,
        "bus_bytes_per_cycle": 16 * c["bus_access"] / cycles,
        "bus_bandwidth": 16 * c["bus_access"] / cycles * 1.2e9,
        "cpi": cycles / insns,
        "ipc": insns / cycles,
        "dtlb_mpki": 1000 * c["l1d_tlb_refill"] / insns,
        "itlb_mpki": 1000 * c["l1i_tlb_refill"] / insns,
        "l1d_miss_ratio": 100 * c["l1d_cache_refill"] / c["l1d_cache"],
        "l1d_mpki": 1000 * c["l1d_cache_refill"] / insns,
        "l1i_miss_ratio": 100 * c["l1i_cache_refill"] / c["l1i_cache"],
        "l1i_mpki": 1000 * c["l1i_cache_refill"] / insns,
        "l2_miss_ratio": 100 * c["l2d_cache_refill"] / c["l2d_cache"],
        "l2_mpki": 1000 * c["l2d_cache_refill"] / insns,
    }
    for name, value in want.items():
        assert abs(m[name] - value) <= 1e-6 * max(1, value), f"{name}: {m[name]}, want {value}"


def test_metrics_of_the_arm11_do_not_fit():
    have("qemu-aarch64")
    out = pmk("stat", "-M", "dcache_miss_ratio", loop())
    equal(out.code, 129)
    contains(out.err, "which cortex-a53 does not have")

SPIN = """
	.global	_start
_start:
1:	b	1b
"""

LONGJMP = """
#include <setjmp.h>

static jmp_buf out;

__attribute__((noinline)) void deep(int n)
{
	if (n == 0)
		longjmp(out, 1);
	deep(n - 1);
	__asm__ volatile("");
}

__attribute__((noinline)) void spin(void)
{
	for (volatile int i = 0; i < 1000; i++)
		;
}

int main(void)
{
	for (int i = 0; i < 3; i++) {
		if (!setjmp(out))
			deep(5);
		spin();
	}
	return 0;
}
"""


def test_the_emulator_runs_other_code_than_the_core():
    have("qemu-aarch64", "qemu-arm")
    for command, core, target, isa in ((f"{renamed('qemu-aarch64')} {loop()}", "arm1176", "aarch64",
                                        "arm"),
                                       (f"{renamed('qemu-arm')} /bin/true", "cortex-a53", "arm",
                                        "a64")):
        out = pmk("stat", "--core", core, "--qemu", command)
        equal(out.code, 129, out)
        contains(out.err,
                 f"emulates {target}, and core {core} runs {isa} code; choose another with --core")


def test_an_emulator_of_programs_with_options_of_its_own():
    have("qemu-aarch64")
    doc = stat("--qemu", f"qemu-aarch64 -cpu max {loop()}", "-e", "inst_retired,exc_irq")
    equal(doc["pmu"], "cortex-a53")
    assert counts(doc)["inst_retired"] > 1000, doc
    equal(counts(doc)["exc_irq"], None)  # programs see no interrupts
    # A program does not return from exceptions: its exceptions are system calls, from which the
    # kernel returns.
    doc = stat("-e", "exc_taken,exc_return,pc_write_retired", loop())
    taken, returned, written = doc["counters"]
    equal((taken["counter-value"], written["trust"]), (1, "exact"))
    equal((returned["trust"], returned["counter-value"], returned["reason"]),
          ("not supported", None, "user emulation runs no kernel code, where exceptions return"))


def test_a_function_left_by_longjmp_is_left():
    have("qemu-aarch64")
    doc = stat("-e", "inst_retired", "--region", "deep", "--region", "spin",
               build("longjmp-a64", LONGJMP, "-O1", "-static", prefix="aarch64-linux-gnu-"))
    deep, spin = (counts(doc, region)["inst_retired"] for region in ("deep", "spin"))
    assert 50 < deep < 1000 < 3 * 4000 < spin, (deep, spin)


def test_csv_tells_what_json_tells_in_comments():
    have("qemu-aarch64")
    out = pmk("stat", "-x,", "-e", "inst_retired", "--region", "0x1234", loop())
    equal(out.err.splitlines()[-1], "# warning: region 0x1234 was never entered", out)


def test_a_closed_stderr_is_noticed():
    have("qemu-aarch64")
    out = run("sh", "-c", '"$0" stat -e inst_retired "$1" 2>&-', PMK, loop())
    equal((out.code, out.out, out.err), (125, "", ""), out)


def test_the_emulator_ends_with_pmk():
    have("qemu-aarch64")
    program = build("spin-a64", SPIN, "-nostdlib", "-static", ext="S", prefix="aarch64-linux-gnu-")
    child = subprocess.Popen([PMK, "stat", "-e", "inst_retired", program],
                             stderr=subprocess.DEVNULL)
    emulator = None

    def started():
        """Finds the emulator that runs the program. Before this emulator, pmk starts another one to
        read QEMU's version."""
        nonlocal emulator
        emulator = next((pid for pid in children(child.pid)
                         if program in of_process(pid, "cmdline")), None)
        return emulator

    wait_until(started, "no emulator runs the program")
    child.kill()
    child.wait()
    try:
        wait_until(lambda: of_process(emulator, "stat").rpartition(")")[2].split()[:1]
                   in ([], ["Z"], ["X"]), "the emulator goes on without pmk")
    except AssertionError:
        os.kill(emulator, 9)
        raise


def test_a_pmu_that_no_core_has_is_told():
    out = pmk("stat", "--pmu", "armv8_long", loop())
    equal(out.code, 129, out)
    contains(out.err, "no emulated core has the PMU armv8_long")


@pytest.mark.parametrize("pmu", ["cortex-a55", "cortex-a57", "neoverse-n1"])
def test_the_core_of_a_pmu(pmu):
    """The counts depend on the program for instructions, and on the core for times and cache
    misses."""
    count = {}
    for core in (pmu, "cortex-a53"):
        doc = json.loads(pmk("stat", "--pmu", core, "-e", "cpu_cycles,inst_retired",
                             "--json-document", "-o", "/dev/stdout", loop()).out)
        equal(doc["core"], core)
        count[core] = {c["event"]: int(c["counter-value"]) for c in doc["counters"]}
    equal(count[pmu]["inst_retired"], count["cortex-a53"]["inst_retired"])
    assert count[pmu]["cpu_cycles"] != count["cortex-a53"]["cpu_cycles"], count


def test_sums_never_step_back():
    # pmk counts a block when it starts, and the block's store exclusive succeeds later. No row may
    # show this store as failed, and no count may decrease later. 500 stores pass, and none fails.
    program = build("exclusive-a64", EXCLUSIVE, "-nostdlib", "-static", "-Wl,--build-id=none",
                    ext="S", prefix="aarch64-linux-gnu-")
    for interval in ("2cycles", "1insns"):
        path = os.path.join(WORK, f"exclusive-{interval}.csv")
        equal(pmk("stat", "--core", "cortex-a72", "-I", interval, "-x", ",", "-o", path, "-e",
                  "strex_fail_spec,strex_pass_spec", program).code, 0)
        with open(path) as f:
            rows = [r.split(",") for r in f if "strex" in r]
        os.unlink(path)
        sums = {e: sum(int(r[1]) for r in rows if r[3] == e)
                for e in ("strex_fail_spec", "strex_pass_spec")}
        equal(sums, {"strex_fail_spec": 0, "strex_pass_spec": 500})
        equal({int(r[1]) for r in rows if r[3] == "strex_fail_spec"}, {0})
        assert len(rows) > 500, len(rows)


def test_registers_say_which_levels_reach_them():
    for register, words in (("PMSWINC", "at EL0 only while PMUSERENR.EN (ARMv8: or SW) is set"),
                            ("PMEVCNTR3", "EN (ARMv8: or ER, for reads) is set"),
                            ("PMINTENSET", "cortex-a53: at EL1 and above"),
                            ("PMUSERENR", "cortex-a53: read at every level; written at EL1")):
        text = pmk("info", "--pmu", "cortex-a53", register).out
        contains(" ".join(text.split()), words)
