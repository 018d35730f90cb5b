# SPDX-License-Identifier: MIT
"""Reads what firmware wrote with pmk_target_dump() from a capture of its serial line."""
from __future__ import annotations

import enum
import os
from ctypes import byref, c_size_t, string_at
from dataclasses import dataclass
from typing import List, Optional, Tuple, Union

from ._library import CDump, CDumpText, check, lib, text


class DumpState(enum.IntEnum):
    """How much of a dump was read: enum pmk_dump_state of <pmk/dump.h>."""

    #: all of it, and the checksum is right
    COMPLETE = 0
    #: the dump is cut off: the part before the cut was read, and no checksum covers it
    CUT = 1
    #: the checksum is wrong: any number may be wrong
    WRONG = 2
    #: the library does not know this version: nothing was read
    UNKNOWN = 3


@dataclass(frozen=True)
class DumpEvent:
    """An event that was counted."""

    code: int
    #: the name in the catalogue of the PMU; None if the PMU has no event with this code
    name: Optional[str]
    total: int
    #: the sampling period; 0 if the event was not sampled
    period: int


@dataclass(frozen=True)
class DumpCount:
    """The count of one event in one region, without the cost of measuring."""

    sum: int
    #: the smallest and largest count of one pass through the region; 0 if there was none
    min: int
    max: int
    #: the sum, with the cost of measuring
    raw: int


@dataclass(frozen=True)
class DumpRegion:
    """A region. `counts` has the order of Dump.events; it is shorter if the dump is cut off."""

    #: bytes that are not text are written as \xNN; "" if the region has no name
    name: str
    entries: int
    errors: int
    counts: Tuple[DumpCount, ...]


@dataclass(frozen=True)
class DumpSample:
    """Where the program was when a counter reached its sampling period."""

    #: the address of the code; 0 if it is not known, because the counter was polled
    pc: int
    #: the index of the innermost open region; None if none was open
    region: Optional[int]
    #: the index of the event
    event: int
    late: bool


@dataclass(frozen=True)
class Dump:
    """One dump of a capture."""

    state: DumpState
    #: what is wrong with the dump; "" if it is complete
    why: str
    #: the offsets of the dump in the capture
    begin: int
    end: int
    pmu: str
    events: Tuple[DumpEvent, ...]
    regions: Tuple[DumpRegion, ...]
    samples: Tuple[DumpSample, ...]
    #: the number of lost samples; None if nothing was sampled
    dropped: Optional[int]


def read_dump(capture: Union[bytes, bytearray, str, "os.PathLike[str]"]) -> List[Dump]:
    """Reads all dumps in a capture, which is given as bytes or as the name of a file. Returns them
    in the order of the capture, which may have other text between them."""
    data = bytes(capture) if isinstance(capture, (bytes, bytearray)) else _read(capture)
    at, c, found = c_size_t(), CDump(), []
    while check(lib.pmk_dump_next(data, len(data), byref(at), byref(c)), "read_dump"):
        found.append(_dump(c))
        lib.pmk_dump_free(byref(c))
    return found


def _read(path: Union[str, "os.PathLike[str]"]) -> bytes:
    with open(path, "rb") as f:
        return f.read()


def _name(c: CDumpText) -> str:
    """The text of a name, which may contain any bytes."""
    if not c.length:
        return ""
    name = string_at(c.byte, c.length)
    return name.decode(errors="backslashreplace")


def _dump(c: CDump) -> Dump:
    pmu = lib.pmk_pmu_find(_name(c.pmu).split("\0")[0].encode())
    events = []
    for e in c.event[:c.nevents]:
        known = lib.pmk_pmu_event_code(pmu, e.code) if pmu else None
        events.append(DumpEvent(e.code, text(known.contents.name) if known else None, e.total,
                                e.period))
    regions = []
    for i in range(c.nregions):
        r = c.region[i]
        counts = tuple(DumpCount(n.sum, n.min, n.max, n.raw)
                       for n in c.count[r.first:r.first + r.nevents]) if r.nevents else ()
        regions.append(DumpRegion(_name(r.name), r.entries, r.errors, counts))
    samples = tuple(DumpSample(s.pc, None if s.region == 0xffffffff else s.region, s.event, s.late)
                    for s in (c.sample[i] for i in range(c.nsamples)))
    return Dump(DumpState(c.state), text(c.why), c.begin, c.end, _name(c.pmu), tuple(events),
                tuple(regions), samples, c.dropped if c.sampling else None)
