# SPDX-License-Identifier: MIT
"""Fifteen small programs whose counts follow directly from the counting rules of ARM application
note 195 (DAI 0195B) and the ARM1176JZF-S TRM. Lines have 32 bytes, and caches and MMU are on. If
the documents do not define a number (for SWP, PLD, DMB and others), it is our choice, which
docs/arm11.md describes."""
from kernels.measure import *

pytestmark = pytest.mark.quick


def test_v1_ten_nops():
    # Ten instructions, none of which branches.
    want(count("repeat", BODY="nop", REPS=10), instr_exec=10, br_exec=0, sw_pc_change=0,
         br_mispredict=0, dcache_access=0)


def test_v2_failed_condition():
    # An instruction that fails its condition also counts as executed (DAI 0195B §6).
    want(count("repeat", SETUP="cmp r10, r10", BODY="addne r1, r1, #1"), instr_exec=1)


def test_v3_ldm_in_one_line():
    # 32 bytes from the start of a line: one non-sequential access (§7).
    want(count("repeat", SETUP="mov r0, r10", BODY="ldmia r0, {r1-r8}"), instr_exec=1,
         dcache_access_cacheable=1, dcache_access=1)


def test_v4_ldm_in_two_lines():
    # 32 bytes from 0x10: bytes 0x10 to 0x2f, lines 0x00 and 0x20.
    want(count("repeat", SETUP="add r0, r10, #0x10", BODY="ldmia r0, {r1-r8}"), instr_exec=1,
         dcache_access_cacheable=2, dcache_access=2)


def test_v5_ldm_in_three_lines():
    # 60 bytes from 0x1c: bytes 0x1c to 0x57, lines 0x00, 0x20 and 0x40.
    want(count("repeat", SETUP="add r0, r10, #0x1c", BODY="ldmia r0, {r0-r14}"), instr_exec=1,
         dcache_access_cacheable=3, dcache_access=3)


def test_v6_two_loads_of_one_line():
    # Each instruction makes a non-sequential access, even to the line of the one before.
    want(count("repeat", BODY="ldr r0, [r10]; ldr r2, [r10, #4]"), dcache_access_cacheable=2,
         dcache_access=2, dcache_miss=1)


def test_v7_uncached_load():
    # User emulation has no non-cacheable pages, but the cache can be off. Then the load is an
    # access (0x0A) and an external access (0x10), but neither a cacheable access (0x09) nor a miss
    # (0x0B).
    want(count("repeat", "dcache.enable=0", BODY="ldr r0, [r10]"), dcache_access_cacheable=0,
         dcache_access=1, expl_d_access=1, dcache_miss=0)


def test_v8_load_of_an_absent_line():
    want(count("repeat", BODY="ldr r0, [r10]"), dcache_miss=1, expl_d_access=1, dcache_wback=0)


def test_v8_dirty_victim():
    # Five absent lines of one set are read: five misses, five fills. The fifth replaces the first,
    # of which both halves are dirty.
    want(count("evict", "cache.round_robin=1", DIRTY="str r0, [r10]; str r0, [r10, #16]"),
         dcache_access=7, dcache_miss=5, expl_d_access=5, dcache_wback=2)


def test_v9_stores_to_an_absent_line():
    # Stores do not allocate lines, so each of the eight stores misses, and the load after them
    # misses, too.
    words = "; ".join(f"str r1, [r10, #{4 * i}]" for i in range(8))
    want(count("repeat", BODY=words), dcache_access=8, dcache_miss=8, dcache_wback=0)
    want(count("repeat", BODY=words + "; ldr r1, [r10]"), dcache_access=9, dcache_miss=9)


def test_v10_loop_without_prediction():
    # The BNE is taken 99 times and not taken once. Without prediction, the core fetches as if no
    # branch were taken, so there are 99 mispredictions (§5). Each adds one ibuf_stall (§4). The
    # code runs twice and is counted the second time, when it is in the cache, so ibuf_stall counts
    # nothing else. The instructions are the NOP at k_begin, MOV, 100 * (SUBS, BNE), NOP.
    want(count("loop", "bp.enable=0", COUNT=100, WARM=1), br_exec=100, br_mispredict=99,
         sw_pc_change=99, ibuf_stall=99, instr_exec=203)


def test_v11_loop_with_prediction():
    # Backward conditional branches are predicted as taken, so only the exit is wrong.
    want(count("loop", COUNT=100), br_exec=100, br_mispredict=1, sw_pc_change=99, instr_exec=202)


def test_v12_call_and_return():
    want(count("repeat", BODY="bl f; nop", AUX="f: bx lr"), proc_call_exec=1, proc_ret_exec=1,
         proc_ret_exec_pred=1, proc_ret_exec_pred_incorrect=0, br_exec=2, sw_pc_change=2,
         br_mispredict=0, instr_exec=3)


def test_v13_five_nested_calls():
    # Five calls push their return addresses. The stack has three entries, so three returns find
    # their address. Two returns find nothing and are mispredicted. There are ten branches, and the
    # static rule predicts the BLs correctly as taken.
    want(count("calls", DEPTH=5, RETURN=0), proc_call_exec=5, proc_ret_exec=3, proc_ret_exec_pred=3,
         proc_ret_exec_pred_incorrect=0, br_mispredict=2, br_exec=10, sw_pc_change=10)


def test_v14_system_call():
    # SVC changes the mode. It is an instruction, but not a change of the PC in the sense of 0x0D.
    # The kernel's MOVS pc is not one either. The call is getpid; the kernel itself is not
    # emulated.
    want(count("repeat", BODY="mov r7, #20; svc #0; nop"), instr_exec=3, sw_pc_change=0, br_exec=0,
         br_mispredict=0)


def test_v15_dsb():
    want(count("repeat", SETUP="mov r0, #0", BODY="mcr p15, 0, r0, c7, c10, 4"), wbuf_drained=1,
         instr_exec=1, dcache_access=0)
