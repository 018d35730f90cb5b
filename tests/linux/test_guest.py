# SPDX-License-Identifier: MIT
"""pmk stat -T linux on a kernel with a PMU: Debian's arm64 kernel in QEMU, whose Cortex-A53 counts
instructions exactly (-icount). pmk is built for this guest from the parts of packages.py. The guest
runs scripts one after the other and powers off, and this file divides its output by script. So the
whole file needs two boots: one with -icount, and one without, where QEMU's PMU has no instruction
counter."""
import os
import re

from harness import *
from guest import Guest, documents, rows, values

pytestmark = pytest.mark.ci

# The program executes 4 N + 5 instructions in user mode: four for each of N = COUNT passes, and
# five others.
LOOP = """
	.global	_start
_start:	movz	x0, #(COUNT & 0xffff)
	movk	x0, #(COUNT >> 16), lsl #16
1:	nop
	nop
	subs	x0, x0, #1
	b.ne	1b
	mov	x0, #5
	mov	x8, #93		// exit
	svc	#0
"""
COUNTS = (1, 1000, 100000, 400000)
LONG = 12000000 # 48 ms; the kernel changes events every 4 ms

# Reads its own counters before and after a loop, with and without system calls.
SELF = r"""
#include <stdio.h>
#include <pmk/linux.h>

static void loop(unsigned long n)
{
	__asm__ volatile("1: nop\n nop\n subs %0, %0, #1\n b.ne 1b" : "+r"(n) : : "cc");
}

int main(void)
{
	const char *names[] = { "instructions", "cycles" };
	struct pmk_linux_value before[2], after[2];
	struct pmk_linux_self *s;
	char msg[512];

	if (pmk_linux_self_open(&s, names, 2, msg, sizeof(msg))) {
		puts(msg);
		return 1;
	}
	for (unsigned long n = 1000; n <= 100000; n *= 10) {
		pmk_linux_self_read(s, before);
		loop(n);
		pmk_linux_self_read(s, after);
		printf("%lu %llu %d%d\n", n, (unsigned long long)pmk_linux_since(&before[0], &after[0]),
		       pmk_linux_self_direct(s, 0), pmk_linux_self_direct(s, 1));
	}
	pmk_linux_self_close(s);
	return 0;
}
"""

# {name: commands that /init runs}. The first word of a name is the boot in which it runs.
SCRIPTS = {
    "icount-loops": "\n".join(
        f"pmk stat --json-document "
        f"-T linux -e instructions:u,r08:u,armv8_pmuv3/event=0x08/u /bin/loop{n}"
                              for n in COUNTS),
    "icount-default": "uname -r\npmk stat --json-document ./bin/loop1000",
    "icount-modes": "pmk stat -x, -e instructions,instructions:u,instructions:k /bin/loop1000",
    "icount-group": "pmk stat --json-document "
                    "-e '{cycles:u,instructions:u}' -M ipc /bin/loop100000",
    "icount-big-group": "pmk stat --json-document "
                        "-e '{r08,r08,r08,r08,r08,r08,r08,r08}' /bin/loop1000",
    "icount-turns": f"pmk stat --json-document -e {','.join(['r08:u'] * 12)} /bin/loop{LONG}",
    "icount-repeat": "pmk stat --json-document -r 3 -e instructions:u /bin/loop1000",
    "icount-missing": "pmk stat --json-document "
                      "-e branch-misses,br_mis_pred,ref-cycles,cycles /bin/loop1000",
    "icount-attach": "(while :; do /bin/loop1000; done) & p=$!\npmk stat --json-document -p $p -e "
                     "instructions,cs sleep 0.2\n"
                     "echo code $?\nkill $p",
    "icount-cpus": "pmk stat --json-document -a -A -e instructions,cycles sleep 0.1",
    "icount-inherit": "pmk stat --json-document -e instructions:u sh -c '/bin/loop400000; exit 0'\n"
                      "pmk stat --json-document "
                      "--no-inherit -e instructions:u sh -c '/bin/loop400000; exit 0'",
    "icount-interval": "pmk stat --json-document "
                       "-I 20 -e instructions:u sh -c 'sleep 0.07; /bin/loop400000'",
    "icount-paranoid": "cat /proc/sys/kernel/perf_event_paranoid\nadduser -D -H -h / user "
                       "2>/dev/null || echo 'user:x:1000:1000::/:/bin/sh' >> /etc/passwd\n"
                       "su user -c 'pmk stat --json-document "
                       "-e instructions /bin/loop1000'\necho code $?\n"
                       "echo 2 > /proc/sys/kernel/perf_event_paranoid\n"
                       "su user -c 'pmk stat --json-document "
                       "-e instructions,cs /bin/loop1000'\necho code $?\n"
                       "su user -c 'pmk stat -a true'\necho code $?\n"
                       "echo 3 > /proc/sys/kernel/perf_event_paranoid",
    "icount-self": "/bin/self; echo 1 > /proc/sys/kernel/perf_user_access; /bin/self",
    "plain-instructions": "pmk stat --json-document "
                          "-e instructions,inst_retired:u,cycles /bin/loop1000",
}


guest = Guest("arm64", "aarch64-linux-gnu", "aarch64")


def programs():
    made = {f"loop{n}": guest.compile(f"loop{n}", LOOP, "-nostdlib", f"-DCOUNT={n}", ext="S")
            for n in (*COUNTS, LONG)}
    made["self"] = guest.compile("self", SELF, "-O1", "-I", os.path.join(SOURCE, "include"),
                                 os.path.join(guest.build(), "libpmk.a"))
    return made


def said(name):
    """Returns the exit code and the output of a script."""
    kind = name.split("-")[0]
    return guest.boot(kind, programs, {n: text for n,
                                       text in SCRIPTS.items() if n.startswith(kind)},
                      "qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a53", "-m", "512",
                      "-nographic", "-nic", "none", "-no-reboot", "-kernel", "@kernel@", "-initrd",
                      "@initrd@",
                      # With -icount the guest's clock follows the executed instructions, and jumps
                      # while the guest sleeps. So the guest does not depend on the host's speed.
                      *(("-icount", "shift=0,sleep=off") if kind == "icount" else ()),
                      "-append", "console=ttyAMA0 quiet panic=1 rdinit=/init")[name]


def one(name):
    found, rest = documents(said(name)[1])
    equal(len(found), 1, f"{name}: {rest}")
    return found[0]


def test_instructions_are_exact():
    """The program's 4 N + 5 instructions are counted exactly, by name, by code and by term."""
    docs, _ = documents(said("icount-loops")[1])
    equal(len(docs), len(COUNTS))
    for n, doc in zip(COUNTS, docs):
        equal(doc["exit-status"], 5)
        equal(values(doc), [4 * n + 5] * 3)
        for c in doc["counters"]:
            equal((c["trust"], c["code"], c["pmu"], c["pcnt-running"]),
                  ("measured", "0x08", "cortex-a53", 100), str(c))


def test_the_usual_selection():
    (doc,), release = documents(said("icount-default")[1])
    row = rows(doc)
    equal((doc["exit-status"], doc["pmu"], doc["partial"]), (5, "cortex-a53", False))
    for name, pmu in (("task-clock", "software"), ("page-faults", "software"),
                      ("cycles", "cortex-a53"),
                      ("instructions", "cortex-a53")):
        equal((row[name]["trust"], row[name]["pmu"]), ("measured", pmu), name)
        assert row[name]["counter-value"] > 0, name
    equal(row["task-clock"]["unit"], "ns")
    assert release.strip(), "the guest does not say which Linux it is"
    contains(doc["producer"], f"Linux {release.strip()}")
    metrics = {m["name"]: m["value"] for m in doc["metrics"]}
    assert metrics["ipc"] > 0, metrics


def test_modes_add_up():
    _, text = said("icount-modes")
    both, user, kernel = (int(l.split(",")[0]) for l in text.splitlines())
    equal(user, 4005)
    # The kernel enables the three counters one after the other.
    assert kernel > 4005 and abs(both - user - kernel) < 500, text


def test_a_group_counts_together():
    doc = one("icount-group")
    cycles, instructions = doc["counters"]
    equal((cycles["trust"], instructions["trust"]), ("measured", "measured"))
    equal(cycles["event-runtime"], instructions["event-runtime"])
    ipc = instructions["counter-value"] / cycles["counter-value"]
    equal([round(m["value"], 5) for m in doc["metrics"]], [round(ipc, 5)])


def test_a_group_that_does_not_fit():
    doc = one("icount-big-group")
    equal({c["trust"] for c in doc["counters"]}, {"not supported"})
    reasons = [c["reason"] for c in doc["counters"]]
    assert any("more counters than" in r for r in reasons), reasons
    assert any("another event of its {group}" in r for r in reasons), reasons


def test_events_that_take_turns():
    """Twelve events share six counters. Each of them is counted part of the time, and scaled to
    about the same number."""
    doc = one("icount-turns")
    equal({c["trust"] for c in doc["counters"]}, {"scaled"})
    for c in doc["counters"]:
        assert 30 < c["pcnt-running"] < 70, c
        assert 0.8 < c["counter-value"] / (4 * LONG) < 1.25, c


def test_repeated_runs_are_equal():
    doc = one("icount-repeat")
    equal((doc["runs"], doc["counters"][0]["variance"]), (3, 0))


def test_what_this_core_does_not_count():
    doc = one("icount-missing")
    row = rows(doc)
    for name in ("branch-misses", "br_mis_pred", "ref-cycles"):
        equal((row[name]["trust"], row[name]["counter-value"]), ("not supported", None), name)
    contains(row["br_mis_pred"]["reason"], "does not list it")
    contains(row["ref-cycles"]["reason"], "no such event")
    equal(row["cycles"]["trust"], "measured")


def test_attached_to_a_process():
    docs, rest = documents(said("icount-attach")[1])
    contains(rest, "code 0")
    equal(docs[0]["exit-status"], 0)
    instructions, switches = values(docs[0])
    assert instructions > 10000 and switches > 0, docs


def test_whole_processors():
    doc = one("icount-cpus")
    equal([(c["cpu"], c["event"]) for c in doc["counters"]], [(0, "instructions"), (0, "cycles")])
    assert min(values(doc)) > 0, doc


def test_children_are_inherited_or_not():
    (whole, alone), _ = documents(said("icount-inherit")[1])
    assert values(whole)[0] > 4 * 400000 > values(alone)[0] > 1000, (values(whole), values(alone))


def test_intervals_add_up():
    doc = one("icount-interval")
    assert len(doc["counters"]) >= 3, doc
    times = [c["interval"]["seconds"] for c in doc["counters"]]
    equal(times, sorted(times))
    assert 4 * 400000 < sum(v or 0 for v in values(doc)) < 4 * 400000 + 1000000, doc


def test_what_ordinary_users_may():
    docs, rest = documents(said("icount-paranoid")[1])
    equal(rest.split()[0], "3", "Debian's kernel forbids everything at first")
    contains(rest, "perf_event_paranoid is 3, and counting needs 2 or less")
    contains(rest, "counting whole processors needs 0 or less")
    equal(re.findall(r"^code (\d+)$", rest, re.M), ["125", "5", "125"])
    instructions, switches = docs[0]["counters"]
    equal((instructions["event"], instructions["trust"]), ("instructions:u", "measured"))
    equal(instructions["counter-value"], 4005)
    equal(switches["trust"], "not supported")
    contains(switches["reason"], "counting kernel mode needs 1 or less")
    contains(docs[0]["warning"], "perf_event_paranoid is 2")


def test_a_program_that_counts_itself():
    """A program that reads its own counter gets the same numbers with system calls and, if the
    kernel permits it, without them."""
    _, text = said("icount-self")
    lines = [l.split() for l in text.splitlines()]
    equal([int(l[0]) for l in lines], [1000, 10000, 100000] * 2)
    equal([l[2] for l in lines], ["00"] * 3 + ["11"] * 3, "read without a system call")
    for some in (lines[:3], lines[3:]):
        # Outside the loop, the same number of instructions is counted for each n. They include
        # one read of the counter.
        rest = {int(count) - 4 * int(n) for n, count, _ in some}
        assert len(rest) == 1 and 0 < rest.pop() < 2000, lines


def test_an_event_that_is_not_there_is_no_zero():
    """Without -icount QEMU has no instruction counter, which PMCEID shows. pmk prints that the
    event is not supported, and not 0."""
    doc = one("plain-instructions")
    for c in doc["counters"][:2]:
        equal((c["trust"], c["counter-value"]), ("not supported", None), str(c))
        contains(c["reason"], "does not list it")
    equal(doc["counters"][2]["trust"], "measured")
    assert doc["counters"][2]["counter-value"] > 0, doc
