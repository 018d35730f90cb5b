#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pmk stat with MicroBlaze programs for Linux: forks, execve, code that QEMU cuts at odd places, files that
are almost ones. What is counted of single instructions and of whole runs is in tests/guest."""
import os
import shutil
import struct
import sys
sys.dont_write_bytecode = True

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
sys.path.insert(0, os.path.join(HERE, "..", "guest", "microblaze"))
from harness import *  # noqa: E402,F403
import mbtools as mb  # noqa: E402
from measure import identities  # noqa: E402

FORKS = r"""
#include "sys.h"
#include "mini.h"

enum { SYS_WAITPID = 7, SYS_EXECVE = 11, SYS_CLONE = 120, SIGCHLD = 17 };

static unsigned words[4096];

static unsigned work(unsigned times)
{
	unsigned sum = 0;

	for (unsigned t = 0; t < times; t++)
		for (unsigned i = 0; i < 4096; i++)
			sum += words[i] ^= i * t;
	return sum;
}

int main(int argc, char **argv)
{
	unsigned sum = work(2);
	long pid = argc > 1 && argv[1][0] != 'x' ? sys_call6(SYS_CLONE, SIGCHLD, 0, 0, 0, 0, 0) : 1;

	if (argc > 1 && argv[1][0] == 'x') {
		char *const none[] = { 0 };

		sys_call3(SYS_EXECVE, (long)argv[2], (long)(argv + 2), (long)none);
		return 1;
	}
	if (pid == 0)
		sys_exit((sum + work(argv[1][0] - '0')) & 1 ? 5 : 5);
	if (argc > 1)
		sys_call6(SYS_WAITPID, pid, 0, 0, 0, 0, 0);
	return 0;
}
"""


def forks():
    source = os.path.join(WORK, "mb-forks.c")
    with open(f"{source}.{os.getpid()}", "w") as f:
        f.write(FORKS)
    os.replace(f"{source}.{os.getpid()}", source)
    return mb.program("forks", source, flags=("-fno-tree-vectorize",))


@test
def children_are_counted():
    have("qemu-microblazeel")
    alone = stat("-e", "all", forks())
    equal(alone["processes"], 1)
    loads = []
    for times in (1, 2, 3):
        doc = stat("-e", "all", forks(), str(times))
        identities(doc)
        equal(doc["processes"], 2)
        loads.append(counts(doc)["load_word"])
        again = stat("-e", "all", forks(), str(times))
        # But for the process number of the child, it is the same.
        equal(counts(again)["store_word"], counts(doc)["store_word"])
    equal(loads[1] - loads[0], 4096)
    equal(loads[2] - loads[1], 4096)
    assert loads[0] - counts(alone)["load_word"] < 2 * 4096, (loads, counts(alone)["load_word"])


@test
def execve_ends_counting():
    have("qemu-microblazeel")
    out = pmk("stat", "-e", "insn_executed", forks(), "x", "/bin/true")
    equal(out.code, 0)
    contains(out.err, "replaced themselves by execve")
    out = pmk("stat", "-e", "insn_executed", forks(), "x", "/nowhere/at/all")
    equal(out.code, 1)
    assert "replaced themselves" not in out.err, out.err


# ---- files ------------------------------------------------------------------------------------------

def changed(path, name, offset, data):
    with open(path, "rb") as f:
        image = bytearray(f.read())
    image[offset:offset + len(data)] = data
    other = os.path.join(WORK, name)
    with open(other, "wb") as f:
        f.write(image)
    shutil.copymode(path, other)
    return other


@test
def the_old_machine_number():
    # 0xbaab, before MicroBlaze had 189. The emulator itself takes either.
    for order, form in (("little", "<H"), ("big", ">H")):
        have(mb.ORDERS[order].qemu)
        path = mb.program("hello", "hello.c", order=order)
        old = changed(path, f"mb-old-{order}", 18, struct.pack(form, 0xbaab))
        if mb.run_program(old, order=order).code != 0:
            skip("this QEMU does not know it")
        equal(stat("-e", "insn_executed", old)["core"], "microblaze")


@test
def cores_for_other_programs():
    path = mb.program("hello", "hello.c")
    out = pmk("stat", "--core", "arm1176", path)
    equal((out.code, out.out), (129, ""))
    contains(out.err, "core arm1176 runs arm code; the program is for MicroBlaze")
    out = pmk("stat", "--pmu", "cortex-a53", path)
    equal(out.code, 129)


@test
def without_the_emulator():
    path = mb.program("hello", "hello.c", order="big")
    out = pmk("stat", path, env=dict(os.environ, PATH="/nowhere"))
    equal((out.code, out.err), (125, "pmk: qemu-microblaze is not installed (Debian: apt install qemu-user)\n"))


main()
