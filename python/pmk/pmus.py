# SPDX-License-Identifier: MIT
"""Catalogues: the PMUs with their events, counters and registers, as plain values."""
from __future__ import annotations

import ctypes
import os
from ctypes import POINTER
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Optional, Tuple, Union

from ._library import (SIGNALS, CAhbmonLayout, CEvent, CMicroblazePmu, CPmu, CRegister, check, lib,
                       name_of, number, text)


@dataclass(frozen=True)
class Event:
    """An event that a PMU can count."""

    code: int
    name: str
    aliases: Tuple[str, ...]
    #: the signals whose occurrences a model counts; empty if emulation cannot count the event, and
    #: `unmodelled` says why
    signals: Tuple[str, ...]
    #: True if the event counts the cycles of a condition, not its occurrences
    cycles: bool
    #: True if a latency counter times the event
    latency: bool
    #: document and section
    ref: str
    brief: str
    caveat: str
    unmodelled: str


@dataclass(frozen=True)
class Field:
    """Bits of a register."""

    name: str
    mask: int
    #: "RW", "RO", "WO", "W1C", "W1S" or "SBZ"
    access: str
    ref: str
    brief: str
    #: the meaning of the values 0, 1, …; empty if they have no names
    values: Tuple[str, ...]
    #: True if the field holds the code of an event
    event: bool

    def get(self, value: int) -> int:
        """The value of the field in a register with this value."""
        return (value & self.mask) // (self.mask & -self.mask)

    def put(self, value: int, new: int) -> int:
        """The value of the register after the field is set to `new`; ValueError if `new` does not
        fit."""
        placed = new * (self.mask & -self.mask)
        if placed & ~self.mask:
            raise ValueError(f"{new} does not fit in the field {self.name}, whose mask is "
                             f"{self.mask:#x}")
        return (value & ~self.mask) | placed


@dataclass(frozen=True)
class Register:
    """A register of a PMU. Ports identify it by `number`."""

    number: int
    name: str
    aliases: Tuple[str, ...]
    #: how software reaches the register
    where: str
    #: the number of bits
    width: int
    fields: Tuple[Field, ...]
    #: the value after power-on
    reset: int
    ref: str
    brief: str
    #: the modes that may access it, and the part of `reset` that the documents leave open
    note: str

    def field(self, name: str) -> Field:
        """The field with this name, in upper or lower case; KeyError if there is none."""
        for f in self.fields:
            if f.name.lower() == name.lower():
                return f
        raise KeyError(f"{self.name} has no field {name!r}; it has "
                       f"{', '.join(f.name for f in self.fields)}")

    def decode(self, value: int) -> Dict[str, int]:
        """The fields of a register value by name, highest bits first. Fields without a name, and
        those that should be zero, are left out."""
        return {f.name: f.get(value) for f in self.fields if f.name != "-" and f.access != "SBZ"}


@dataclass(frozen=True)
class Counter:
    """A counter of a PMU. Drivers identify it by `number`."""

    number: int
    name: str
    #: the number of bits
    width: int
    #: the code of the only event that it counts; None if the event can be chosen
    fixed_code: Optional[int]
    #: True if it measures latencies of events instead of counting events
    times: bool
    #: True if it stops at its greatest value instead of wrapping
    saturates: bool


@dataclass(frozen=True)
class Pmu:
    """A performance monitoring unit: its events, counters and registers."""

    name: str
    aliases: Tuple[str, ...]
    brief: str
    note: str
    events: Tuple[Event, ...]
    counters: Tuple[Counter, ...]
    registers: Tuple[Register, ...]
    #: the names of the events that are counted by default
    defaults: Tuple[str, ...]
    #: set by microblaze() and ahbmon(): the function with its arguments, and the C struct with the
    #: memory that it uses
    _made: Tuple[Any, ...] = ()
    _memory: Any = field(default=None, repr=False, compare=False)

    @property
    def _c(self) -> Any:
        return ctypes.pointer(self._memory[0]) if self._memory else \
            lib.pmk_pmu_find(self.name.encode())

    def __reduce__(self) -> Tuple[Any, ...]:
        return self._made if self._made else (find_pmu, (self.name,))

    @property
    def evntbus(self) -> Optional[Register]:
        """The bus on which an ARM1136 or ARM1176 exports its events, described like a register:
        evntbus.decode(word) is how often each event occurred in one cycle. None if this PMU has no
        such bus, or its layout is not documented."""
        found = lib.pmk_arm11_evntbus_reg(self._c)
        return _register(len(self.registers), found.contents) if found else None

    def event(self, which: Union[str, int]) -> Event:
        """The event with this name or alias (in upper or lower case) or code; KeyError if there is
        none."""
        if isinstance(which, int):
            found = lib.pmk_pmu_event_code(self._c, which) if 0 <= which < 1 << 16 else None
        else:
            found = lib.pmk_pmu_event(self._c, name_of(which, "an event"))
        if not found:
            raise KeyError(f"{self.name} has no event {which!r}")
        return _event(found.contents)

    def register(self, which: Union[str, int]) -> Register:
        """The register with this name or alias (in upper or lower case) or number; KeyError if
        there is none."""
        if isinstance(which, int):
            if 0 <= which < len(self.registers):
                return self.registers[which]
        else:
            name_of(which, "a register")
            for r in self.registers:
                if which.lower() in (name.lower() for name in (r.name, *r.aliases)):
                    return r
        raise KeyError(f"{self.name} has no register {which!r}; it has "
                       f"{', '.join(r.name for r in self.registers)}")

    def counter(self, which: Union[str, int]) -> Counter:
        """The counter with this name (in upper or lower case) or number; KeyError if there is
        none."""
        for c in self.counters:
            if which == c.number or (isinstance(which, str) and which.lower() == c.name.lower()):
                return c
        raise KeyError(f"{self.name} has no counter {which!r}; it has "
                       f"{', '.join(c.name for c in self.counters)}")


def _words(value: Optional[bytes]) -> Tuple[str, ...]:
    return tuple(text(value).split())


def _event(c: CEvent) -> Event:
    return Event(code=c.code, name=text(c.name), aliases=_words(c.aliases),
                 signals=tuple(SIGNALS[s] for s in (c.signal, c.signal2) if s),
                 cycles=c.cycles, latency=c.latency, ref=text(c.ref), brief=text(c.brief),
                 caveat=text(c.caveat), unmodelled=text(c.unmodelled))


def _values(c: Any) -> Tuple[str, ...]:
    found: List[str] = []
    while c and c[len(found)] is not None:
        found.append(c[len(found)].decode())
    return tuple(found)


def _register(number: int, c: CRegister) -> Register:
    fields = tuple(Field(name=text(f.name), mask=f.mask,
                         access=text(lib.pmk_access_name(f.access)), ref=text(f.ref),
                         brief=text(f.brief), values=_values(f.values), event=f.event)
                   for f in c.fields[:c.nfields])
    return Register(number=number, name=text(c.name), aliases=_words(c.aliases),
                    where=text(c.where), width=c.width, fields=fields, reset=c.reset,
                    ref=text(c.ref), brief=text(c.brief), note=text(c.note))


_known: Dict[int, Pmu] = {}


def _new_pmu(c: CPmu) -> Pmu:
    counters = tuple(Counter(number=i, name=text(n.name), width=n.width,
                             fixed_code=None if n.fixed_code < 0 else n.fixed_code,
                             times=n.extreme_width != 0, saturates=n.saturates)
                     for i, n in enumerate(c.counters[:c.ncounters]))
    return Pmu(name=text(c.name), aliases=_words(c.aliases), brief=text(c.brief),
               note=text(c.note),
               events=tuple(_event(e) for e in c.events[:c.nevents] if e.cores & c.core),
               counters=counters,
               registers=tuple(_register(i, r) for i, r in enumerate(c.regs[:c.nregs])),
               defaults=_words(c.defaults))


def _pmu(pointer: Any) -> Pmu:
    address = ctypes.addressof(pointer.contents)
    if address not in _known:
        _known[address] = _new_pmu(pointer.contents)
    return _known[address]


def pmus() -> List[Pmu]:
    """All PMUs that the library knows, in the order in which `pmk list` shows them."""
    first = ctypes.addressof(POINTER(CPmu).in_dll(lib, "pmk_pmus"))
    found: List[Pmu] = []
    while True:
        pointer = POINTER(CPmu).from_address(first + len(found) * ctypes.sizeof(ctypes.c_void_p))
        if not pointer:
            return found
        found.append(_pmu(pointer))


def find_pmu(name: Union[str, Pmu]) -> Pmu:
    """The PMU with this name or alias, in upper or lower case; KeyError if there is none."""
    if isinstance(name, Pmu):
        return name
    found = lib.pmk_pmu_find(name_of(name, "a PMU"))
    if not found:
        raise KeyError(f"there is no PMU {name!r}; known: {', '.join(p.name for p in pmus())}")
    return _pmu(found)


def microblaze(events: int = 5, latencies: int = 1, width: int = 32) -> Pmu:
    """The counters of a MicroBlaze with these values of C_DEBUG_EVENT_COUNTERS,
    C_DEBUG_LATENCY_COUNTERS and C_DEBUG_COUNTER_WIDTH; Error if they are not allowed."""
    chosen = tuple(number(n, 32, "a parameter") for n in (events, latencies, width))
    memory = CMicroblazePmu()
    check(lib.pmk_microblaze_configure(ctypes.byref(memory), *chosen), "configuring microblaze")
    return replace(_new_pmu(memory.pmu), _made=(microblaze, chosen), _memory=(memory.pmu, memory))


def ahbmon(layout: Union[str, "os.PathLike[str]"]) -> Pmu:
    """The AHB Monitor with the control bits of a layout file, such as data/layouts/sp816.ini;
    ValueError says what is wrong with the file."""
    path, why = os.fspath(layout), ctypes.create_string_buffer(512)
    memory = CAhbmonLayout()
    if lib.pmk_ahbmon_layout_read(ctypes.byref(memory), path.encode(), why, len(why)):
        raise ValueError(why.value.decode(errors="replace"))
    pmu = CPmu.from_buffer_copy(lib.pmk_pmu_find(b"ahbmon").contents)
    pmu.family = ctypes.addressof(memory)
    return replace(_new_pmu(pmu), _made=(ahbmon, (path,)), _memory=(pmu, memory))


def signals() -> Dict[str, str]:
    """The signals of a bus by name, with their meaning."""
    return {name: text(lib.pmk_signal_text(i)) for i, name in enumerate(SIGNALS) if i}
