# SPDX-License-Identifier: MIT
"""A program overwrites the memory that has its counts. The program can find this memory, because it
runs in the emulator's process. pmk reports the damage and prints no count, whatever the program
writes."""
import os

from harness import *
from programs import build

# Arguments: END [WHERE LENGTH WHAT]…. Writes LENGTH bytes at the offset WHERE of the arena, the
# memory that pmk shares with the emulator. WHAT is "random", or the value of all bytes. Then the
# program "dies" at once or "goes on", as END says. A 32-bit program cannot use the host's addresses
# in /proc/thread-self/maps itself, so it lets the kernel write.
HOSTILE = r"""
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char bytes[1 << 16];

static unsigned long long arena(void)
{
	char line[512];
	unsigned long long at;
	FILE *f = fopen("/proc/thread-self/maps", "r");

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "pmk-arena") && sscanf(line, "%llx", &at) == 1)
			return at;
	_exit(99);
}

/* The first round writes nothing, so that in the second no code is met for the first time: the
 * plugin would write into the arena, too. */
int main(int argc, char **argv)
{
	int end[2] = { 0, !strcmp(argv[1], "dies") ? SIGKILL : 0 };
	int fd = open("/proc/self/mem", O_RDWR);
	unsigned long long base = arena();

	for (int round = 0; round < 2; round++) {
		for (int i = 2; i + 2 < argc; i += 3) {
			unsigned long long at = base + strtoull(argv[i], NULL, 0);
			size_t left = strtoull(argv[i + 1], NULL, 0);
			unsigned state = 1, byte = strtoul(argv[i + 2], NULL, 0);
			int random = !strcmp(argv[i + 2], "random");

			for (size_t k = 0; k < sizeof(bytes); k++)
				bytes[k] = random ? (state = state * 69069 + 1) >> 24 : byte;
			while (left) {
				size_t n = left < sizeof(bytes) ? left : sizeof(bytes);

				pwrite(fd, bytes, n * round, at);
				at += n;
				left -= n;
			}
		}
		kill(getpid(), end[round]);
	}
	return 97;
}
"""

# Prints the offset and the size of each part of the arena.
PLACES = r"""
#include <stdio.h>
#include <stddef.h>
#include "producer/qemu/arena.h"
#define AT(name, at, size) \
	printf("%s %llu %llu\n", name, (unsigned long long)(at), (unsigned long long)(size))
#define SLOT(member) offsetof(struct pmk_arena, slot) + offsetof(struct pmk_arena_slot, member)
#define CPU (PMK_HEAD_BYTES + PMK_FACT_BYTES + PMK_RING_BYTES)
#define OF_CPU(name, member) \
	AT(name, CPU + offsetof(struct pmk_emulated, member), \
	   sizeof(((struct pmk_emulated *)0)->member))
int main(void)
{
	AT("header", 0, sizeof(struct pmk_arena));
	AT("config", offsetof(struct pmk_arena, cfg), sizeof(struct pmk_emulated_config));
	AT("ready", offsetof(struct pmk_arena, ready), 4);
	AT("forks", offsetof(struct pmk_arena, forks), 4);
	AT("state", SLOT(state), 4);
	AT("pid", SLOT(pid), 4);
	AT("nblocks", SLOT(nblocks), 4);
	AT("ncpus", SLOT(ncpus), 4);
	AT("ring", PMK_HEAD_BYTES + PMK_FACT_BYTES + offsetof(struct pmk_arena_ring, head), 8);
	AT("record", PMK_HEAD_BYTES + PMK_FACT_BYTES + offsetof(struct pmk_arena_ring, record),
	   100 * sizeof(struct pmk_arena_interval));
	AT("facts", PMK_HEAD_BYTES, 4096);
	AT("executions", CPU + PMK_CPU_HEAD, 4096);
	AT("vcpu", CPU, sizeof(struct pmk_emulated));
	OF_CPU("session", session);
	OF_CPU("plan", session.plan);
	OF_CPU("passes", session.pass);
	OF_CPU("models", model);
	OF_CPU("bus", bus);
	OF_CPU("regions", region);
	OF_CPU("chip", chip);
	return 0;
}
"""


def places():
    have("cc")
    # The time makes the source differ after every build of pmk, because the headers may have
    # changed.
    source = PLACES + f"/* {os.path.getmtime(PMK)} */\n"
    path = build("arena-places", source, f"-I{SOURCE}/src", f"-I{SOURCE}/include", prefix="")
    rows = [line.split() for line in run(path).out.splitlines()]
    return {name: (int(at), int(size)) for name, at, size in rows}


def attack(*writes, how=("-e", "instr_exec,cycles"), end="dies", command=None, env=None):
    """Runs pmk stat on a program that writes each `what` to its place in the arena."""
    known, argv = places(), [end]
    for place, what in writes:
        at, size = known[place]
        argv += [at, size, what]
    prog = build("hostile", HOSTILE, "-O1", "-static")
    return run(command or os.path.join(BUILD, "pmk"), "stat", "-x,", *how, prog,
               *[str(a) for a in argv], env=env)


def refused(out, how=()):
    equal(out.code, 125, out)
    lines = [line for line in out.err.splitlines() if line.startswith("pmk: ")]
    equal(len(lines), 1, out)
    contains(lines[0], "the memory in which qemu-arm counts has an impossible value for the ")
    contains(lines[0], "so no count can be trusted; find the stray write")
    if "-I" not in how:  # earlier intervals are already printed
        equal(len(out.err.splitlines()), 1, out)
    assert "Sanitizer" not in out.err and "runtime error" not in out.err, out
    return lines[0]


def test_a_program_that_writes_elsewhere_is_counted():
    out = attack()
    equal(out.code, 137, out)
    contains(out.err, ",instr_exec,")


SAID = {"header": "the settings", "config": "the settings", "forks": "the number of processes",
        "state": "the list of processes", "nblocks": "the list of processes",
        "ncpus": "the list of processes", "pid": "the list of processes"}


@cases("place, said", list(SAID.items()))
def test_what_is_overwritten_is_said(place, said):
    contains(refused(attack((place, "0xff"))), said)


WHATS = ("0xff", "random", "0x05")
PARTS = ("vcpu", "session", "plan", "passes", "models", "bus")


@cases("place", [(part,) for part in PARTS])
def test_a_core_that_is_overwritten_is_refused(place):
    for what in WHATS:
        refused(attack((place[0], what)))


@cases("place", [("vcpu",), ("header",)])
def test_the_emulator_may_trip_over_it(place):
    refused(attack((place[0], "0xff"), end="goes on"))


def test_any_number_can_be_added_up():
    equal(attack(("facts", "0x05"), end="goes on").code, 97)


def test_the_process_and_the_thread_are_said():
    said = refused(attack(("plan", "0x05")))
    assert re.search(r"for the plan of process [0-9]+, thread 0: ", said), said


def test_a_slot_given_back_by_the_program_is_missed():
    contains(refused(attack(("state", "0"), ("pid", "0"))), "the list of processes")


WAYS = (("--region", "main"), ("-I", "1ms"), ("-I", "100000insns"), ("--core", "arm926"),
         ("--core", "arm926", "--traffic", "clcdc:period=50"),
         ("--core", "arm1176", "--set", "l2=l220"))


def test_no_way_of_counting_takes_it():
    for how in WAYS:
        for place in ("vcpu", "header"):
            refused(attack((place, "random"), how=how), how)


def test_intervals_are_not_taken_from_what_is_overwritten():
    how = ("-I", "20000insns")
    for what in WHATS:
        refused(attack(("ring", what), ("record", what), how=how), how)


def test_buses_are_not_taken_from_what_is_overwritten():
    for what in WHATS:
        refused(attack(("chip", what), how=("--core", "arm926")))
