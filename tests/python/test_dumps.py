# SPDX-License-Identifier: MIT
"""pmk.read_dump() returns the contents of a dump, as read with <pmk/dump.h>, as Python values."""
import os

import pytest

from harness import SOURCE
import pmk

pytestmark = pytest.mark.quick

CAPTURE = os.path.join(SOURCE, "tests/fuzz/corpus/dump/firmware")


def test_a_capture():
    with open(CAPTURE, "rb") as f:
        data = f.read()
    (dump,) = pmk.read_dump(CAPTURE)
    assert pmk.read_dump(b"boot\\n" + data + data)[1].regions == dump.regions
    assert (dump.state, dump.why, dump.end) == (pmk.DumpState.COMPLETE, "", len(data))
    # `pmk report` shows these numbers for the dump.
    assert [e.name for e in dump.events] == ["cpu_cycles", "br_exec"]
    assert [(r.name, r.entries, [c.sum for c in r.counts]) for r in dump.regions][:3:2] == [
        ("fft", 3, [6000, 60]), ("", 1, [5, 0])]
    assert dump.regions[0].counts[0] == pmk.DumpCount(sum=6000, min=1000, max=3000, raw=6027)


def test_what_breaks_off():
    with open(CAPTURE, "rb") as f:
        data = f.read()
    (dump,) = pmk.read_dump(data[:-1])
    assert dump.state is pmk.DumpState.CUT and "breaks off at offset" in dump.why
    assert pmk.read_dump(b"no dump") == []
    with pytest.raises(FileNotFoundError):
        pmk.read_dump("/no/such/file")
