# SPDX-License-Identifier: MIT
"""Programs for the tests of the command line: sources in, cross-compiled executables out."""
import hashlib
import os

from harness import CROSS, WORK, have, run

# A program without a C library whose every instruction is known. With COUNT passes of the loop it
# executes 8 COUNT + 5 instructions, 5 COUNT of them in f (with what f calls) and 2 COUNT in g. It
# ends with exit code 3.
LOOP = """
	.syntax	unified
	.arm
	.global	_start, f, g, k_end
	.type	_start, %function
	.type	f, %function
	.type	g, %function
	.type	k_end, %function
_start:
	movs	r4, #(COUNT & 0xff00)
	orr	r4, r4, #(COUNT & 0xff)
1:	bl	f
	subs	r4, r4, #1
	bne	1b
k_end:
	mov	r0, #3
	mov	r7, #1
	svc	#0
f:	push	{r4, lr}
	bl	g
	pop	{r4, pc}
g:	nop
	bx	lr
"""


def build(name, source, *flags, ext="c", prefix=CROSS, compiler="gcc"):
    """Compiles `source`. The name of the result is a hash of everything that went into it, so
    nothing is compiled twice and two test files may ask for the same program at the same time."""
    have(prefix + compiler)
    state = hashlib.sha256(repr((source, flags, prefix)).encode()).hexdigest()[:16]
    path = os.path.join(WORK, f"{name}-{state}")
    if os.path.exists(path):
        return path
    mine = f"{path}.{os.getpid()}"
    with open(f"{mine}.{ext}", "w") as f:
        f.write(source)
    out = run(prefix + compiler, "-o", mine, f"{mine}.{ext}", *flags)
    os.unlink(f"{mine}.{ext}")
    assert out.code == 0, f"cannot compile {name}: {out}"
    os.replace(mine, path)
    return path


def assemble(name, source, *flags):
    """A program without a C library."""
    return build(name, source, "-march=armv6k", "-marm", "-nostdlib", "-static",
                 "-Wl,--build-id=none", "-Wl,-z,noexecstack", *flags, ext="S")


def loop(count):
    """The program LOOP; count has at most 16 bits."""
    return assemble("loop", LOOP, f"-DCOUNT={count}")


def program(name, source, *flags):
    """A C program, static, ARM state unless the flags say -mthumb."""
    return build(name, source, "-O1", "-static", "-march=armv6k", "-marm", *flags)


def misses(step, more=""):
    """An A64 program that loads 1000 words, `step` bytes apart, and executes `more` after each."""
    code = f"""
        .globl _start
_start: ldr x0, =words
        mov x2, #1000
1:      ldr x1, [x0], #{step}
        {more}
        subs x2, x2, #1
        b.ne 1b
        mov x8, #93
        mov x0, #0
        svc #0
        .bss
        .balign 64
words:  .skip 64000
"""
    return build("misses", code, "-nostdlib", "-static", ext="S", prefix="aarch64-linux-gnu-")
