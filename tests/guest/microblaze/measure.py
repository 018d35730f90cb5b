# SPDX-License-Identifier: MIT
"""Counts of kernels: small programs in assembly without a C library, entered at _start.

bare(name, NAME=text...)           builds the program microblaze/<name>.S
count(name, "key=value"..., NAME=text...)
                                   returns the events, latencies and metrics between its k_begin and
                                   k_end
want(c, event=n...)                checks some of the counts
timed(c, event, sum=n...)          checks members of a latency
identities(document)               checks relations that hold for every program
"""
from harness import counts, equal, have, stat
import microblaze_tools as mb
from microblaze_tools import CODE, DATA, bare, symbol  # noqa: F401

# Events by the numbers of UG984's table: left, right; section 4 of docs/microblaze.md.
SUMS = [(44, (8, 9)), (45, (7, 44)), (46, (12, 14)), (47, (13, 15)), (41, (1, 2, 3)),
        (42, (4, 5, 6)),
        (51, (25, 26, 27))]
AT_MOST = [(16, (41,)), (17, (42,)), (20, (19,)), (28, (19,)), (37, (7,)), (38, (8,)), (39, (9,)),
           (11, (10,)),
           (13, (12,)), (15, (14,)), (54, (53,)), (55, (43,)), (56, (61,)), (40, (0,)), (52, (0,)),
           (0, (30,)),
           (51, (30,))]
TIMED = {58: 12, 59: 14, 60: 10, 62: 62, 63: 63}  # N of a latency event is the count of another


def identities(document, core="microblaze", failed=0):
    """Checks relations that hold for every program by the definitions of the events and the rules
    of docs/microblaze.md. `failed` is the number of stores exclusive that stored nothing."""
    by_name = counts(document)
    c = {int(x["code"], 16): by_name[x["event"]] for x in document["counters"]
         if x.get("region") is None}
    for left, parts in SUMS:
        equal(c[left], sum(c[p] for p in parts), f"E{left} = " + " + ".join(f"E{p}" for p in parts))
    for left, parts in AT_MOST:
        assert c[left] <= sum(c[p] for p in parts), f"E{left} > " + " + ".join(f"E{p}"
                                                                               for p in parts)
    for timed, event in TIMED.items():
        equal(c[timed], c[event], f"N of E{timed} = E{event}")
    assert c[20] + c[28] <= c[19], c
    # An instruction takes one cycle plus the cycles for which it is stalled.
    equal(c[30], c[0] + c[51], "E30 = E0 + E51")
    if core == "microblaze-area":
        return  # local memory, no caches, no MMU
    stored = c[42] - failed
    equal((c[10], c[53], c[43]), (c[0], c[0], c[41] + stored), "all is cacheable and translated")
    equal((c[12], c[14]), (c[41], stored), "all is cacheable")
    equal(c[61], c[53] - c[54] + c[43] - c[55],
          "the UTLB is looked up after a miss in the ITLB or DTLB")


# Code in local memory: every fetch takes a cycle, nothing is translated or predicted. Data is
# cached.
LOCAL_CODE = ("lmb.size=257M", "mmu.enable=0", "bp.enable=0")
# Data is in local memory, too: only the pipeline takes time.
LOCAL = ("lmb.size=4096M", "mmu.enable=0", "bp.enable=0")


class Counts(dict):
    """{event: count}, and {event: its latencies} in `latency`."""

    def __init__(self, document):
        super().__init__(counts(document))
        self.latency = {c["event"]: c["latency"] for c in document["counters"] if c.get("latency")}
        self.metrics = {m["name"]: m["value"] for m in document["metrics"]}


def count(kernel, *sets, core="microblaze", order="little", events="all", **defines):
    """Returns the counts between k_begin and k_end of a kernel, built with `defines`, on a core
    with the parameters `sets`."""
    have(mb.ORDERS[order].qemu)
    program = bare(kernel, order=order, **defines)
    options = [w for s in sets for w in ("--set", s)]
    document = stat("--core", core, "--from", "k_begin", "--to", "k_end", "-e", events, *options,
                    program)
    return Counts(document)


def want(c, **expected):
    """Compare some of the counts; all differences in one message."""
    wrong = [f"{e}: got {c[e]}, want {n}" for e, n in expected.items() if c[e] != n]
    assert not wrong, "; ".join(wrong)


def timed(c, event, **expected):
    """Check members of a latency: sum, mean, stddev, min, max. Fractions are compared to three
    digits."""
    got = c.latency[event]
    wrong = [f"{k}: got {got[k]}, want {v}" for k, v in expected.items()
             if (got[k] != v if not isinstance(v, float) else abs(got[k] - v) > 0.0006)]
    assert not wrong, f"{event}: " + "; ".join(wrong)
