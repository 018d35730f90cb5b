# SPDX-License-Identifier: MIT
"""Performance counters: counts of programs, models of the hardware, drivers for it, and catalogues
of events.

    result = pmk.stat(["./prog", "arg"], events="cycles,dcache_miss", core="arm1176")
    result["dcache_miss"]

    >>> import pmk
    >>> model = pmk.Model("arm1176")
    >>> model["PMNC"] = 0x00b07007          # count dcache_miss and instr_exec, from 0
    >>> model.bus.add("CYCLE", 3)           # it starts three cycles late
    >>> model.bus.add("L1D_MISS", 5)
    >>> model["PMN0"]
    5

The package calls the library libpmk through ctypes, so it needs no compiler. The environment
variable PMK_LIBRARY can name the file to load. Without it the package searches next to itself, in
the folders above, and then in the library folders of the system.

Only one thread may use an object at a time. Threads that share no objects need no locks.
"""
from ._library import Error, ErrorCode, library_path
from .counting import CountError, Failure, Metric, Result, Row, Stream, stat
from .drivers import Driver, Latency, Port
from .dumps import Dump, DumpCount, DumpEvent, DumpRegion, DumpSample, DumpState, read_dump
from .models import AHBMON_BUSES, Bus, Model, Mode
from .options import Options
from .pmus import (Counter, Event, Field, Pmu, Register, ahbmon, find_pmu, microblaze, pmus,
                   signals)
from .recording import RecordedEvent, Recording, record

__all__ = ["AHBMON_BUSES", "Bus", "CountError", "Counter", "Driver", "Dump", "DumpCount",
           "DumpEvent", "DumpRegion", "DumpSample", "DumpState", "Error", "ErrorCode", "Event",
           "Failure", "Field", "Latency", "Metric", "Mode", "Model", "Options", "Pmu", "Port",
           "RecordedEvent", "Recording", "Register", "Result", "Row", "Stream", "ahbmon",
           "find_pmu", "library_path", "microblaze", "pmus", "read_dump", "record", "signals",
           "stat"]
__version__ = "0.1.0"
