# SPDX-License-Identifier: MIT
"""Models of the registers of a PMU, bit by bit. A bus tells a model what its PMU must count."""
from __future__ import annotations

import ctypes
import enum
import weakref
from ctypes import byref, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

from ._library import SIGNALS, CBus, CModelPort, CPort, check, lib, name_of, number, text
from .pmus import Pmu, Register, find_pmu

#: the number of buses of an AHB Monitor. enum pmk_ahbmon_bus has their order: HCLK, ARM-I, CLCDC,
#: DMA0, DMA1, EXP, ARM-D, GXI
AHBMON_BUSES = 8


class Mode(enum.IntEnum):
    """The mode of the processor in an access to a register."""

    PRIV = 0
    USER = 1
    PRIV_NONSEC = 2
    USER_NONSEC = 3


def _signal(name: str) -> int:
    name_of(name, "a signal")
    try:
        return SIGNALS.index(name.upper(), 1)
    except ValueError:
        raise KeyError(f"there is no signal {name!r}; pmk.signals() has them all") from None


class Bus:
    """Counts how often each signal occurs. The bus updates its models when one of their counters
    is about to overflow, so that interrupts occur at the right count.

    `raised`: the signals that can occur, by default all; models that report which events exist use
    this list. `count`: the number of parallel buses; an AHB Monitor needs AHBMON_BUSES.
    """

    def __init__(self, raised: Optional[Iterable[str]] = None, count: int = 1) -> None:
        if isinstance(raised, str):
            raise TypeError("raised: expected a list of names, not one text")
        if count < 1:
            raise ValueError(f"count: {count} is less than 1")
        self._memory = (CBus * count)()  # models get the address of the first
        self._models: List[weakref.ref[Model]] = []
        chosen = range(1, len(SIGNALS)) if raised is None else [_signal(name) for name in raised]
        for bus in self._memory:
            lib.pmk_bus_init(byref(bus))
            for sig in chosen:
                bus.raised.bits[sig // 64] |= 1 << sig % 64

    def __getitem__(self, signal: str) -> int:
        """How often the signal has occurred."""
        return int(self._memory[0].total[_signal(signal)])

    def add(self, signal: str, n: int = 1, on: int = 0) -> None:
        """Let a signal occur `n` times. `on`: the bus, for a model that watches several buses."""
        sig, bus = _signal(signal), self._bus(on)
        if n < 0:
            raise ValueError("totals cannot decrease")
        if n >= 1 << 64:
            raise ValueError("totals have 64 bits")
        while n:
            # Stop at the total at which a model must be updated.
            step = min(n, max(1, lib.pmk_bus_horizon(byref(bus), sig)))
            bus.total[sig] += step
            n -= step
            if lib.pmk_bus_due(byref(bus)):
                self.sync()

    def add_timed(self, signal: str, cycles: int, start: Optional[int] = None, on: int = 0) -> None:
        """Let a signal occur once with a latency of `cycles`, for latency counters. The occurrence
        began at cycle `start`, by default now. The cycles are not added to the clock."""
        sig, bus, cycles = _signal(signal), self._bus(on), number(cycles, 32, "a latency")
        begin = int(bus.total[SIGNALS.index("CYCLE")]) if start is None else number(start, 64,
                                                                                    "the clock")
        bus.total[sig] += 1
        lib.pmk_bus_record_new(byref(bus), sig, begin, cycles)
        if lib.pmk_bus_due(byref(bus)):
            self.sync()

    def sync(self) -> None:
        """Update all models. Reading a register updates its model, too."""
        models = [m for m in (ref() for ref in self._models) if m is not None]
        self._models = [weakref.ref(m) for m in models]
        for m in models:
            m._ops.sync(m._address, self._address)
        for bus in self._memory:
            lib.pmk_bus_forget(byref(bus))
        for m in models:
            m._ops.ask(m._address, self._address)

    def _bus(self, on: int) -> CBus:
        if not 0 <= on < len(self._memory):
            raise ValueError(f"on: there is no bus {on}, the last is {len(self._memory) - 1}")
        return self._memory[on]

    @property
    def _address(self) -> int:
        return ctypes.addressof(self._memory)


class Model:
    """The registers of one PMU.

    `pmu`: the name of a PMU, or a Pmu. `bus`: the bus whose signals the model counts, by default a
    new one.
    `parameters`: choices that the documents leave open, by name; Model.parameters(pmu) lists them.

    Registers are read and written by name or number: model["PMNC"], model["PMNC"] = 1. An access
    that would be an Undefined exception in the mode `mode` raises Error with the code EUNDEF.
    """

    def __init__(self, pmu: Union[str, Pmu], bus: Optional[Bus] = None, mode: Mode = Mode.PRIV,
                 **parameters: Union[int, bool]) -> None:
        self.pmu = find_pmu(pmu)
        self.mode = mode
        self._ops: Any = _ops(self.pmu)
        buses = AHBMON_BUSES if self.pmu.name == "ahbmon" else 1
        if bus is not None and not isinstance(bus, Bus):
            raise TypeError(f"bus: expected a Bus, not {type(bus).__name__}")
        self.bus = bus if bus is not None else Bus(count=buses)
        if len(self.bus._memory) < buses:
            raise ValueError(f"{self.pmu.name} needs {buses} buses; use Bus(count={buses})")
        self._memory = (c_uint64 * ((self._ops.size + 7) // 8))()
        self._address: int = ctypes.addressof(self._memory)
        self._ops.reset(self._address, self.bus._address, self.pmu._c)
        rows = _parameters(self._ops)
        for name, value in parameters.items():
            if name not in rows:
                raise KeyError(f"the model of {self.pmu.name} has no parameter {name!r}; "
                               f"it has {', '.join(rows) or 'none'}")
            at, size = rows[name]
            value = number(value, 8 * size, name)
            ctypes.memmove(self._address + at, value.to_bytes(size, "little"), size)
        if parameters:
            self._ops.restart(self._address, self.bus._address, self.pmu._c)
        self.bus._models.append(weakref.ref(self))
        self.bus.sync()

    @property
    def mode(self) -> Mode:
        """The mode of the following accesses to registers."""
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        try:
            self._mode = Mode(mode)
        except ValueError:
            raise ValueError(f"{mode!r} is not a mode; the modes are "
                             f"{', '.join(f'Mode.{m.name}' for m in Mode)}") from None

    @staticmethod
    def parameters(pmu: Union[str, Pmu]) -> List[str]:
        """The names of the choices that the documents leave open. The model's header in include/pmk
        explains them."""
        return list(_parameters(_ops(find_pmu(pmu))))

    @property
    def inputs(self) -> List[str]:
        """The names of the pins and states of the hardware around the PMU."""
        names: List[str] = []
        while self._ops.inputs and self._ops.inputs[len(names)] is not None:
            names.append(text(self._ops.inputs[len(names)]))
        return names

    def set_input(self, name: str, value: int) -> None:
        """Set a pin or state. What happened before this call is counted with the old value."""
        if name not in self.inputs:
            raise KeyError(f"the model of {self.pmu.name} has no input {name!r}; "
                           f"it has {', '.join(self.inputs) or 'none'}")
        self._ops.input(self._address, self.bus._address, self.inputs.index(name),
                        number(value, 64, name))
        self.bus.sync()

    def reset(self) -> None:
        """Power-on reset. The model keeps the parameters that it was created with."""
        again = self._ops.restart if self._ops.params else self._ops.reset
        again(self._address, self.bus._address, self.pmu._c)
        self.bus.sync()

    def __getitem__(self, register: Union[str, int]) -> int:
        which, value = self._register(register), c_uint64()
        check(self._ops.read(self._address, self.bus._address, self.mode, which.number,
                             byref(value)),
              f"reading {which.name} of {self.pmu.name}")
        return value.value

    def __setitem__(self, register: Union[str, int], value: int) -> None:
        which = self._register(register)
        value = number(value, which.width, which.name)
        check(self._ops.write(self._address, self.bus._address, self.mode, which.number, value),
              f"writing {which.name} of {self.pmu.name}")
        self.bus.sync()

    def mrc(self, crn: int, crm: int, opc2: int) -> int:
        """Reads a register of a PMUv3 in AArch32: MRC p15, 0, Rt, c`crn`, c`crm`, `opc2`."""
        value = c_uint32()
        self._aarch32("pmk_armv8_mrc", "MRC", *_cp15(crn, crm, opc2), byref(value))
        return value.value

    def mcr(self, crn: int, crm: int, opc2: int, value: int) -> None:
        """Writes a register of a PMUv3 in AArch32: MCR p15, 0, Rt, c`crn`, c`crm`, `opc2`."""
        self._aarch32("pmk_armv8_mcr", "MCR", *_cp15(crn, crm, opc2),
                      number(value, 32, "a register of CP15"))
        self.bus.sync()

    def mrrc(self) -> int:
        """Reads all 64 bits of PMCCNTR in AArch32: MRRC p15, 0, Rt, Rt2, c9."""
        value = c_uint64()
        self._aarch32("pmk_armv8_mrrc", "MRRC", byref(value))
        return value.value

    def mcrr(self, value: int) -> None:
        """Writes all 64 bits of PMCCNTR in AArch32: MCRR p15, 0, Rt, Rt2, c9."""
        self._aarch32("pmk_armv8_mcrr", "MCRR", number(value, 64, "PMCCNTR"))
        self.bus.sync()

    def _aarch32(self, call: str, what: str, *arguments: Any) -> None:
        if not _same_driver(self.pmu, find_pmu("armv8")):
            raise KeyError(f"{self.pmu.name} has no AArch32 view; only PMUv3 has one")
        check(getattr(lib, call)(self._address, self.bus._address, self.mode, *arguments),
              f"{what} of {self.pmu.name}")

    def fields(self, register: Union[str, int]) -> Dict[str, int]:
        """Reads a register; returns its fields by name."""
        return self._register(register).decode(self[register])

    @property
    def irq(self) -> bool:
        """True if the interrupt line is active."""
        return bool(self._ops.lines(self._address) & 1)

    @property
    def fiq(self) -> bool:
        """True if the line of the fast interrupt is active; False if the PMU has none."""
        return bool(self._ops.lines(self._address) & 2)

    @property
    def oddities(self) -> int:
        """The uses of the PMU so far that its manual warns against, as bits of an enum in the
        model's header in include/pmk."""
        return int(lib.pmk_model_oddities(byref(self._ops), self._address))

    def _register(self, register: Union[str, int]) -> Register:
        return self.pmu.register(register)

    def _port(self) -> Tuple[CPort, Any]:
        """The port through which a driver uses the model, and the objects that must live as long as
        the port."""
        to_model = CModelPort(lib.pmk_model_find(self.pmu._c), c_void_p(self._address),
                              c_void_p(self.bus._address), self.mode)
        return lib.pmk_port_model(byref(to_model)), (to_model, self)


def _cp15(crn: int, crm: int, opc2: int) -> Tuple[int, int, int]:
    return number(crn, 4, "CRn"), number(crm, 4, "CRm"), number(opc2, 3, "opc2")


def _same_driver(a: Pmu, b: Pmu) -> bool:
    return ctypes.addressof(a._c.contents.driver.contents) == \
        ctypes.addressof(b._c.contents.driver.contents)


def _ops(pmu: Pmu) -> Any:
    found = lib.pmk_model_find(pmu._c)
    if not found:
        raise KeyError(f"{pmu.name} has no model")
    return found.contents


def _parameters(ops: Any) -> Dict[str, Tuple[int, int]]:
    rows: Dict[str, Tuple[int, int]] = {}
    while ops.params and ops.params[len(rows)].name is not None:
        row = ops.params[len(rows)]
        rows[text(row.name)] = row.at, row.size
    return rows

