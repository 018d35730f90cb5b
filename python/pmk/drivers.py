# SPDX-License-Identifier: MIT
"""Drivers: they program a PMU through a port to its registers, in the same way for a model and for
hardware."""
from __future__ import annotations

from ctypes import byref, c_bool, c_uint, c_uint32, c_uint64, c_void_p, cast
from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Tuple, Union

from ._library import READ, SETTLE, WRITE, CDevice, CLatency, CPort, Error, ErrorCode, check, number
from .models import Model
from .pmus import Pmu, find_pmu


class Port:
    """Your own access to the registers of a PMU, such as a debugger, /dev/mem or a recording.

    `read(number)` returns the value of a register, and `write(number, value)` sets it; `number` is
    Register.number. If one of them raises an exception, the method of Driver that called it raises
    the exception, too, and an Error keeps its code. If `read` returns a value with more bits than
    the register has, the method raises ValueError.
    """

    def __init__(self, read: Callable[[int], int], write: Callable[[int, int], None]) -> None:
        if not callable(read) or not callable(write):
            raise TypeError("a port is two functions: read(number) and write(number, value)")
        self._read, self._write = read, write
        self._raised: Optional[BaseException] = None

    def _port(self, pmu: Pmu) -> Tuple[CPort, Any]:
        """The port through which a driver of that PMU uses this object, and the object with the
        callbacks, which must live as long as the port."""
        def do_read(_: Any, reg: int, value: Any) -> int:
            def get() -> None:
                which = pmu.register(reg)
                value[0] = number(self._read(reg), which.width,
                                  f"{which.name}, as the port reads it,")
            return self._result(get)

        def do_write(_: Any, reg: int, value: int) -> int:
            return self._result(lambda: self._write(reg, value))

        return CPort(READ(do_read), WRITE(do_write), SETTLE(0), None), self

    def _result(self, access: Callable[[], None]) -> int:
        try:
            access()
            return 0
        except BaseException as e:  # an exception cannot pass through C
            self._raised = e
            return int(e.code) if isinstance(e, Error) else int(ErrorCode.EIO)


@dataclass(frozen=True)
class Latency:
    """The values of a latency counter, in cycles. min > max if nothing occurred."""

    n: int
    sum: int
    #: the sum of the squares, modulo 2^64
    sum2: int
    min: int
    max: int


class Driver:
    """The driver of a PMU.

    `to` is a Model or a Port; a Port needs `pmu`. A counter is given by its name or number, as in
    Pmu.counters. Every method raises Error if the driver or the port refuses the call.
    """

    def __init__(self, to: Union[Model, Port], pmu: Union[str, Pmu, None] = None) -> None:
        if isinstance(to, Model):
            self.pmu = to.pmu if pmu is None else find_pmu(pmu)
            port, self._keep = to._port()
        elif not isinstance(to, Port):
            raise TypeError(f"a driver works on a Model or a Port, not {type(to).__name__}")
        elif pmu is None:
            raise TypeError("a port does not know its PMU; name it, as in Driver(port, 'arm1176')")
        else:
            self.pmu = find_pmu(pmu)
            port, self._keep = to._port(self.pmu)
        self._to = to
        self._device = CDevice(pmu=cast(self.pmu._c, c_void_p), port=port)
        self._slots = self.pmu._c.contents.driver.contents

    def reset(self) -> None:
        """Set a known state: counters stopped and zero, overflows and interrupts cleared."""
        self._call("reset")

    def program(self, counter: Union[str, int], event: Union[str, int]) -> None:
        """Let a counter count an event, given by its name or code. The counter is neither set to
        zero nor started."""
        self._call("program", self._number(counter), self.pmu.event(event).code)

    def start(self) -> None:
        """Start all counters; they keep their values."""
        self._call("start")

    def stop(self) -> None:
        """Stop all counters; they keep their values."""
        self._call("stop")

    def read(self, counter: Union[str, int]) -> int:
        """The value of a counter as the hardware holds it. The counter is not stopped."""
        value = c_uint64()
        self._call("read", self._number(counter), byref(value))
        return value.value

    def write(self, counter: Union[str, int], value: int) -> None:
        """Preload a counter: 2^width - n makes it overflow after n events."""
        which = self.pmu.counter(counter)
        self._call("write", which.number, number(value, which.width, which.name))

    def irq_enable(self, *counters: Union[str, int]) -> None:
        """Enable the overflow interrupts of these counters, and disable all others."""
        self._call("irq_enable", self._set(counters))

    def pending(self) -> List[int]:
        """The numbers of the counters that have overflowed. The flags are not cleared."""
        bits = c_uint32()
        self._call("pending", byref(bits))
        return [n for n in range(32) if bits.value >> n & 1]

    def clear(self, *counters: Union[str, int]) -> None:
        """Clear the overflow flags of these counters only."""
        self._call("clear", self._set(counters))

    def running(self) -> bool:
        """True if the counters were started."""
        yes = c_bool()
        self._call("running", byref(yes))
        return yes.value

    def sample(self) -> None:
        """Sample all counters at one instant. Until the next sample, read(), latency() and status()
        return the values of that instant. Raises Error if the PMU cannot do this."""
        self._call("sample")

    def zero(self) -> None:
        """Set all counters to zero at one instant. Raises Error if the PMU cannot do this."""
        self._call("zero")

    def latency(self, counter: Union[str, int]) -> Latency:
        """The values of a latency counter at the last sample."""
        c = CLatency()
        self._call("latency", self._number(counter), byref(c))
        return Latency(n=c.n, sum=c.sum, sum2=c.sum2, min=c.min, max=c.max)

    def status(self, counter: Union[str, int]) -> int:
        """The bits of enum pmk_status of a counter at the last sample."""
        bits = c_uint()
        self._call("status", self._number(counter), byref(bits))
        return bits.value

    def _number(self, counter: Union[str, int]) -> int:
        return self.pmu.counter(counter).number

    def _set(self, counters: Tuple[Union[str, int], ...]) -> int:
        return sum(1 << n for n in {self._number(c) for c in counters} if n < 32)

    def _call(self, slot: str, *arguments: Any) -> None:
        what = f"{slot} of {self.pmu.name}"
        function = getattr(self._slots, slot)
        if not function:
            raise Error(ErrorCode.ENOTSUP, what)
        result = function(byref(self._device), *arguments)
        if isinstance(self._to, Port) and self._to._raised is not None:
            raised, self._to._raised = self._to._raised, None
            raise raised
        if isinstance(self._to, Model):
            self._to.bus.sync()
        check(result, what)
