# SPDX-License-Identifier: MIT
"""Builds a kernel, counts it with `pmk stat --from k_begin --to k_end`, and compares the counts."""
import hashlib
import os

from harness import *

KERNELS = os.path.dirname(os.path.abspath(__file__))

# Every event of an ARM1176 that user emulation can count, spelled as in DDI 0301H Table 3-137.
EVENTS = ["icache_miss", "ibuf_stall", "ddep_stall", "itlb_miss", "dtlb_miss", "br_exec",
          "br_mispredict", "instr_exec", "dcache_access_cacheable", "dcache_access", "dcache_miss",
          "dcache_wback", "sw_pc_change", "main_tlb_miss", "expl_d_access", "lsu_full_stall",
          "wbuf_drained", "proc_call_exec", "proc_ret_exec", "proc_ret_exec_pred",
          "proc_ret_exec_pred_incorrect", "cpu_cycles"]


def build(kernel, defines):
    """Builds kernels/<kernel>.S once for each set of definitions and version of the source. Returns
    the program."""
    source = os.path.join(KERNELS, kernel + ".S")
    flags = ["-march=armv6k", "-marm", "-I", KERNELS, "-nostdlib", "-static", "-Wl,-z,noexecstack",
             "-Wl,--build-id=none", "-Wl,-Ttext=0x10000", "-Wl,-Tbss=0x100000"]
    flags += [f"-D{k}={v}" for k, v in sorted(defines.items())]
    state = hashlib.sha256(repr(flags).encode())
    for path in (source, os.path.join(KERNELS, "kernel.inc")):
        with open(path, "rb") as f:
            state.update(f.read())
    return compile_arm(source, f"kernel-{kernel}-{state.hexdigest()[:16]}", *flags)


def sums_close(c, sets):
    """Checks sums that hold for every program that runs in cacheable memory."""
    text = " ".join(sets)
    if "dcache.enable=0" not in text:
        equal(c["dcache_access"], c["dcache_access_cacheable"], "cacheable memory only")
    assert c["dcache_miss"] <= c["dcache_access_cacheable"], c
    assert c["br_exec"] <= c["instr_exec"], c
    assert c["sw_pc_change"] <= c["instr_exec"], c
    if "pred_exclusive" not in text:
        assert c["proc_ret_exec"] >= c["proc_ret_exec_pred"], c
        assert c["proc_ret_exec_pred"] >= c["proc_ret_exec_pred_incorrect"], c
    assert c["main_tlb_miss"] <= c["itlb_miss"] + c["dtlb_miss"], c
    # At most two instructions run in a cycle, and the second of them must be a folded branch.
    assert c["cpu_cycles"] >= c["instr_exec"] - c["br_exec"], c
    # A mispredicted branch takes at least five cycles (DDI 0301H Table 16-11). The branch directly
    # before k_begin is resolved after k_begin, so its misprediction may count without its cycles.
    assert c["cpu_cycles"] >= 5 * (c["br_mispredict"] - 1), c


def count(kernel, *sets, **defines):
    """Returns {event: count} of a kernel that is built with `defines`, on an ARM1176 with the
    parameters `sets`."""
    have("qemu-arm")
    program = build(kernel, defines)
    options = [w for s in sets for w in ("--set", s)]
    doc = stat("--core", "arm1176", "--from", "k_begin", "--to", "k_end", "-e", ",".join(EVENTS),
               *options, program)
    c = counts(doc)
    for event in EVENTS:
        assert isinstance(c.get(event), int), f"{event} is not counted: {c.get(event)!r}"
    sums_close(c, sets)
    return c


def want(c, **expected):
    """Compares the given counts. One message lists every difference."""
    wrong = [f"{e}: got {c[e]}, want {n}" for e, n in expected.items() if c[e] != n]
    assert not wrong, "; ".join(wrong)
