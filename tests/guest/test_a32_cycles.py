# SPDX-License-Identifier: MIT
"""Cycles of chains of dependent A32 and Thumb-2 instructions, and a recording of Thumb code that is
entered in two ways. The programs are small and have no C library."""
import functools
import json
import os
import sqlite3

import pytest

from harness import *

PROGRAM = r"""
	.syntax unified
	.arch armv7-a
	.fpu vfpv3-d16
	.{mode}
	.text
	.global _start
	.{mode}_func
_start:
	ldr r4, ={times}
	mov r0, #1
	mov r1, #1
	cmp r0, r1
	vmov.f64 d0, #1.0
	vmov.f64 d1, d0
1:
	{body}
	subs r4, r4, #1
	bne 1b
	mov r0, #0
	mov r7, #1
	svc 0
"""


@functools.lru_cache(None)
def program(name, mode, body, times):
    have("arm-linux-gnueabi-gcc")
    source = os.path.join(WORK, f"a32-cycles-{name}-{mode}-{times}.s")
    text = PROGRAM.format(mode=mode, body=body, times=times)
    with open(source, "w") as f:
        f.write(text if mode == "thumb" else text.replace("\t.arm_func\n", ""))
    elf = source[:-2]
    out = run("arm-linux-gnueabi-gcc", "-nostdlib", "-static", "-march=armv7-a",
              "-mfpu=vfpv3-d16", "-mfloat-abi=softfp", source, "-o", elf)
    equal((out.code, out.err), (0, ""))
    return elf


def cycles(core, name, mode, body):
    """Returns the cycles of one iteration of the loop."""
    def of(times):
        out = pmk("stat", "--core", core, "-e", "cpu_cycles", "--json-document", "-o",
                  "/dev/stdout", program(name, mode, body, times))
        equal(out.code, 0, out.err)
        return json.loads(out.out)["counters"][0]["counter-value"]
    return (of(3000) - of(1000)) / 2000


@pytest.mark.parametrize("core", ["cortex-a7", "cortex-a72"])
@pytest.mark.parametrize("mode", ["arm", "thumb"])
def test_a_conditional_write_waits_for_the_old_value(core, mode):
    """SUBS has set "not equal", so MOVEQ writes nothing. The next MUL still waits for the first,
    because MOVEQ keeps the old value of r0."""
    plain = cycles(core, "mul", mode, "mul r0, r1, r0")
    assert plain >= 3, plain
    through = cycles(core, "mul-moveq", mode, "mul r0, r1, r0\n\tit eq\n\tmoveq r0, #5")
    assert through >= plain, (through, plain)


@pytest.mark.parametrize("core", ["cortex-a7", "cortex-a72"])
def test_vmrs_waits_for_the_comparison(core):
    """VMRS waits for VCMP, and VCMP for VADD. The next VADD needs the result of VMOV."""
    body = ("vadd.f64 d0, d0, d1\n\tvcmp.f64 d0, d1\n\tvmrs r0, fpscr\n\tvmov s0, r0")
    assert cycles(core, "vmrs", "arm", body) > cycles(core, "vadd", "arm",
                                                      "vadd.f64 d0, d0, d1") + 2


def test_thumb_code_that_is_entered_in_two_ways_is_recorded_once():
    """Half of the time, execution comes to the first ADDS by a branch, and half of the time from
    the NOP before it."""
    body = "tst r4, #1\n\tbne 2f\n\tnop\n2:\tadds r2, #2\n\tadds r3, #1"
    elf = program("twice", "thumb", body, 1000)
    data = os.path.join(WORK, "a32-twice.data")
    out = pmk("record", "-e", "cpu_cycles", "-o", data, "--core", "cortex-a7", elf)
    equal(out.code, 0, out.err)
    db = sqlite3.connect(data)
    rows = db.execute("SELECT code.address, count(DISTINCT code.id), sum(executions) "
                      "FROM code JOIN execution ON execution.code = code.id "
                      "GROUP BY code.address ORDER BY code.address").fetchall()
    db.close()
    assert all(n == 1 for _, n, _ in rows), rows
    # TST, BNE, NOP, ADDS, ADDS, SUBS, BNE.
    loop = [executions for _, _, executions in rows if executions >= 500]
    equal(loop, [1000, 1000, 500, 1000, 1000, 1000, 1000])
