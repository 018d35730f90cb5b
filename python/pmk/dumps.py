# SPDX-License-Identifier: MIT
"""What firmware wrote with pmk_target_dump(), read out of a capture of its serial line."""
from __future__ import annotations

import enum
import os
from ctypes import byref, c_size_t, string_at
from dataclasses import dataclass
from typing import List, Optional, Tuple, Union

from ._library import CDump, CDumpText, check, lib, text


class DumpState(enum.IntEnum):
    """How much of a dump was read, as <pmk/dump.h> has it."""

    #: to its end, and the checksum is right
    COMPLETE = 0
    #: it breaks off: what comes before that is there, but unchecked
    CUT = 1
    #: its checksum is wrong: any of its numbers may be
    WRONG = 2
    #: a version that the library does not know: nothing was read
    UNKNOWN = 3


@dataclass(frozen=True)
class DumpEvent:
    """An event that was counted."""

    code: int
    #: as the catalogue of the PMU has it; None: it has no event of that code
    name: Optional[str]
    total: int
    #: 0: it was not sampled
    period: int


@dataclass(frozen=True)
class DumpCount:
    """What one region counted of one event, the cost of measuring taken off."""

    sum: int
    #: of an occurrence; 0 where there was none
    min: int
    max: int
    #: the sum with the cost of measuring
    raw: int


@dataclass(frozen=True)
class DumpRegion:
    """A region; `counts` are in the order of Dump.events, and fewer where the dump breaks off."""

    #: with \xNN for bytes that are no text; "": it has no name
    name: str
    entries: int
    errors: int
    counts: Tuple[DumpCount, ...]


@dataclass(frozen=True)
class DumpSample:
    """Where the program was when a counter had counted its period."""

    #: 0: it was polled, and is not known
    pc: int
    #: index of the innermost region that was open, or None
    region: Optional[int]
    #: index of the event
    event: int
    late: bool


@dataclass(frozen=True)
class Dump:
    """One dump of a capture."""

    state: DumpState
    #: what is wrong with it; "": it is complete
    why: str
    #: offsets in the capture
    begin: int
    end: int
    pmu: str
    events: Tuple[DumpEvent, ...]
    regions: Tuple[DumpRegion, ...]
    samples: Tuple[DumpSample, ...]
    #: samples that were lost; None: nothing was sampled
    dropped: Optional[int]


def read_dump(capture: Union[bytes, bytearray, str, "os.PathLike[str]"]) -> List[Dump]:
    """The dumps of a capture, which is bytes or the name of a file, in their order. There may be
    other text between them; a list without any is empty."""
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
    """Any bytes may be in a name."""
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
