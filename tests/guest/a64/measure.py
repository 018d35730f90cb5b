# SPDX-License-Identifier: MIT
"""Builds an A64 kernel, counts it with `pmk stat --from k_begin --to k_end`, and compares the
counts."""
import hashlib
import os

from harness import *

KERNELS = os.path.dirname(os.path.abspath(__file__))

CROSS64 = "aarch64-linux-gnu-"

# Events of a PMUv3 that user emulation can count, spelled as in DDI 0487 D13.12 and K3.1.
EVENTS = """inst_retired ld_retired st_retired br_retired br_immed_retired br_return_retired
    br_indirect_spec pc_write_retired br_pred br_mis_pred exc_taken exc_svc exc_undef
    unaligned_ld_spec unaligned_st_spec unaligned_ldst_retired mem_access mem_access_rd mem_access_wr
    l1d_cache l1d_cache_rd l1d_cache_wr l1d_cache_refill l1d_cache_refill_rd l1d_cache_refill_wr
    l1d_cache_wb l1i_cache l1i_cache_refill l1i_tlb_refill l1d_tlb l1i_tlb l1d_tlb_refill
    l1d_tlb_refill_rd l1d_tlb_refill_wr dtlb_walk itlb_walk l2d_tlb l2d_tlb_refill l2d_cache
    l2d_cache_rd l2d_cache_wr l2d_cache_refill l2d_cache_wb bus_access bus_access_rd bus_access_wr
    ldrex_spec strex_spec strex_pass_spec strex_fail_spec rc_ld_spec rc_st_spec dp_spec ase_spec
    vfp_spec crypto_spec isb_spec dsb_spec dmb_spec stall_frontend stall_backend stall
    cpu_cycles""".split()


RR = "cache.round_robin=1"
LOCAL = "bp.history=0"  # one counter for each branch


def build(kernel, defines):
    """Builds a64/<kernel>.S once for each set of definitions and version of the source. Returns the
    program."""
    have(CROSS64 + "gcc")
    source = os.path.join(KERNELS, kernel + ".S")
    flags = ["-march=armv8.3-a+crypto", "-I", KERNELS, "-nostdlib", "-static", "-Wl,-z,noexecstack",
             "-Wl,--build-id=none", "-Wl,-Ttext=0x404000", "-Wl,-Tbss=0x800000",
             "-Wl,-z,max-page-size=4096"]
    flags += [f"-D{k}={v}" for k, v in sorted(defines.items())]
    state = hashlib.sha256(repr(flags).encode())
    for path in (source, os.path.join(KERNELS, "kernel.inc")):
        with open(path, "rb") as f:
            state.update(f.read())
    path = os.path.join(WORK, f"a64-{kernel}-{state.hexdigest()[:16]}")
    if not os.path.exists(path):
        out = run(CROSS64 + "gcc", "-o", f"{path}.{os.getpid()}", source, *flags)
        assert out.code == 0, f"cannot build {kernel}: {out}"
        os.replace(f"{path}.{os.getpid()}", path)
    return path


def symbol(program, name):
    for line in run(CROSS64 + "nm", program).out.splitlines():
        value, _, this = line.split()
        if this == name:
            return int(value, 16)
    raise AssertionError(f"{program} has no {name}")


def sums_close(c, sets):
    """Checks sums that hold for every program."""
    text = " ".join(sets)

    def sum_of(event, *parts):
        equal(c[event], sum(c[p] for p in parts), f"{event} = {' + '.join(parts)}")

    sum_of("l1d_cache", "l1d_cache_rd", "l1d_cache_wr")
    sum_of("l1d_cache_refill", "l1d_cache_refill_rd", "l1d_cache_refill_wr")
    sum_of("mem_access", "mem_access_rd", "mem_access_wr")
    # All memory is cacheable, so every access to memory looks up the cache and the TLB.
    equal((c["mem_access_rd"], c["mem_access_wr"]), (c["l1d_cache_rd"], c["l1d_cache_wr"]))
    equal(c["l1d_tlb"], c["mem_access"], "a look-up each")
    equal(c["l1i_tlb"], c["l1i_cache"], "a look-up each")
    sum_of("l1d_tlb_refill", "l1d_tlb_refill_rd", "l1d_tlb_refill_wr")
    sum_of("l2d_tlb", "l1i_tlb_refill", "l1d_tlb_refill")
    sum_of("l2d_tlb_refill", "dtlb_walk", "itlb_walk")
    sum_of("l2d_cache", "l2d_cache_rd", "l2d_cache_wr")
    sum_of("bus_access", "bus_access_rd", "bus_access_wr")
    sum_of("unaligned_ldst_retired", "unaligned_ld_spec", "unaligned_st_spec")
    sum_of("strex_spec", "strex_pass_spec", "strex_fail_spec")
    sum_of("br_retired", "br_immed_retired", "br_indirect_spec")
    sum_of("stall", "stall_frontend", "stall_backend")
    equal(c["br_pred"], c["br_retired"], "all branches are predicted")
    assert c["br_return_retired"] <= c["br_indirect_spec"] <= c["pc_write_retired"], c
    assert c["pc_write_retired"] <= c["br_retired"] <= c["inst_retired"], c
    if "l2.enable=0" not in text and "dcache.enable=0" not in text:
        sum_of("l2d_cache_rd", "l1d_cache_refill", "l1i_cache_refill")
        equal(c["l2d_cache_wr"], c["l1d_cache_wb"], "dirty lines go to level 2")
        if "bus.bytes" not in text:
            equal(c["bus_access_rd"], 4 * c["l2d_cache_refill"], "four beats of 16 bytes a line")
            equal(c["bus_access_wr"], 4 * c["l2d_cache_wb"], "four beats of 16 bytes a line")
    # The core issues at most two instructions per cycle. Cycles in which nothing issues are stalls.
    if "issue.width" not in text:
        assert 2 * (c["cpu_cycles"] - c["stall"]) >= c["inst_retired"], c
    assert c["cpu_cycles"] >= c["stall"], c


def count(kernel, *sets, core="armv8", events=EVENTS, **defines):
    """Returns {event: count} of a kernel that is built with `defines`, on a core with the
    parameters `sets`."""
    have("qemu-aarch64")
    program = build(kernel, defines)
    options = [w for s in sets for w in ("--set", s)]
    c = counts(stat("--core", core, "--from", "k_begin", "--to", "k_end", "-e", ",".join(events),
                    *options, program))
    for event in events:
        assert isinstance(c.get(event), int), f"{event} is not counted: {c.get(event)!r}"
    if events is EVENTS:
        sums_close(c, sets)
    return c


def want(c, **expected):
    """Compares the given counts. One message lists every difference."""
    wrong = [f"{e}: got {c[e]}, want {n}" for e, n in expected.items() if c[e] != n]
    assert not wrong, "; ".join(wrong)
