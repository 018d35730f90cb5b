#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pmk stat of an A64 program: what a newcomer sees without asking for anything, and the metrics."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import *  # noqa: E402,F403
from programs import build  # noqa: E402

# With COUNT passes: 6 COUNT + 5 instructions, of them 2 COUNT branches, COUNT loads and COUNT stores.
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

DEFAULTS = ["cpu_cycles", "inst_retired", "br_pred", "br_mis_pred", "l1i_cache", "l1i_cache_refill",
            "l1d_cache", "l1d_cache_refill", "l2d_cache", "l2d_cache_refill", "l1i_tlb_refill",
            "l1d_tlb_refill", "bus_access"]
METRICS = ["branch_miss_ratio", "branch_mpki", "bus_bandwidth", "bus_bytes_per_cycle", "cpi", "dtlb_mpki",
           "ipc", "itlb_mpki", "l1d_miss_ratio", "l1d_mpki", "l1i_miss_ratio", "l1i_mpki",
           "l2_miss_ratio", "l2_mpki"]
STALLS = ["stall_frontend", "stall_backend"]


def loop():
    return build("loop-a64", LOOP, "-nostdlib", "-static", "-Wl,--build-id=none", f"-DCOUNT={N}", ext="S",
                 prefix="aarch64-linux-gnu-")


@test
def defaults_of_a_cortex_a53():
    have("qemu-aarch64")
    doc = stat(loop())
    equal(doc["core"], "cortex-a53")
    equal([c["event"] for c in doc["counters"]], DEFAULTS)
    found = counts(doc)
    equal((found["inst_retired"], found["br_pred"], found["l1d_cache"]), (6 * N + 5, 2 * N, 2 * N))
    assert all(v is not None for v in found.values()), found
    equal([m["name"] for m in doc["metrics"]], METRICS)
    assert all(m["value"] is not None for m in doc["metrics"]), doc["metrics"]


@test
def defaults_of_a_core_with_more_events():
    have("qemu-aarch64")
    doc = stat("--core", "armv8", loop())
    equal([c["event"] for c in doc["counters"]], DEFAULTS + STALLS)
    equal([m["name"] for m in doc["metrics"]], METRICS + ["stall_backend_share", "stall_frontend_share"])


@test
def metrics_are_ratios_of_the_counts():
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


@test
def metrics_of_the_arm11_do_not_fit():
    have("qemu-aarch64")
    out = pmk("stat", "-M", "dcache_miss_ratio", loop())
    equal(out.code, 129)
    contains(out.err, "which cortex-a53 does not have")


main()
