# SPDX-License-Identifier: MIT
"""The C interface of libpmk: finds the library, and declares its structs and functions. All other
modules of the package use it.

The structs have the same members as in include/pmk. tests/python/test_layout.py compares their
sizes and offsets with those of a C compiler. If a struct changes, the soname (libpmk.so.0) changes.
"""
from __future__ import annotations

import ctypes
import enum
import os
import sysconfig
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int,
                    c_int32,
                    c_size_t, c_uint, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)
from operator import index
from typing import Dict, List, Optional, SupportsIndex, Tuple

SONAME = "libpmk.so.0"
# The folder next to the package into which meson-python puts libraries.
WHEEL_LIBS = ".pmukit.mesonpy.libs"


class ErrorCode(enum.IntEnum):
    """The error codes of <pmk/error.h>."""

    EINVAL = -1
    ENOCTR = -2
    EBADREG = -3
    ENOEVENT = -4
    ENOTSUP = -5
    EUNDEF = -6
    EBUSY = -7
    EIO = -8
    ENOMEM = -9
    EPARSE = -10
    ERANGE = -11
    ENOPMU = -12
    EOFF = -13
    EFILTER = -14
    EFORBID = -15
    ESTILL = -16


class Error(Exception):
    """A call of the library has failed; `code` is its error code."""

    def __init__(self, code: int, what: str) -> None:
        text = lib.pmk_strerror(code).decode()
        super().__init__(f"{what}: {text}")
        self.code = ErrorCode(code)
        self._what = what

    def __reduce__(self) -> Tuple[object, ...]:
        return Error, (self.code, self._what)


# ---- finding the library -------------------------------------------------------------------------

def _candidates() -> List[str]:
    """The files to try, best first. The system searches for a name without a folder."""
    if os.environ.get("PMK_LIBRARY"):
        return [os.environ["PMK_LIBRARY"]]
    here = os.path.dirname(os.path.abspath(__file__))
    found = [os.path.join(os.path.dirname(here), WHEEL_LIBS, SONAME)]
    # Debian and others have a folder in lib for each architecture.
    libs = ["", "lib", "lib64", os.path.join("lib", sysconfig.get_config_var("MULTIARCH") or "")]
    folder = here
    for _ in range(5):  # PREFIX/share/pmk/python/pmk, PREFIX/lib/python3/dist-packages/pmk
        folder = os.path.dirname(folder)
        found += [os.path.join(folder, lib, SONAME) for lib in libs]
    return [path for path in found if os.path.exists(path)] + [SONAME]


def _load() -> ctypes.CDLL:
    why = ""
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as e:
            why = why or str(e)
    raise ImportError(f"{SONAME} cannot be loaded: {why}; install pmukit, or name the file in "
                      f"PMK_LIBRARY")


lib = _load()


def library_path() -> str:
    """The path of the loaded library, as it was given to the loader."""
    return str(lib._name)


def own_files() -> Dict[str, str]:
    """The folders of the data and the plugin in a wheel. Without a wheel returns {}, because the
    library finds the folders itself."""
    folder = os.path.dirname(library_path())
    if os.path.basename(folder) != WHEEL_LIBS:
        return {}
    return {"data": os.path.join(folder, "pmk", "data"), "plugin": os.path.join(folder, "pmk")}


# ---- structs -------------------------------------------------------------------------------------

class CEvent(Structure):
    _fields_ = [
        ("code", c_uint16), ("name", c_char_p), ("aliases", c_char_p), ("cores", c_uint32),
                ("signal", c_uint8),
        ("signal2", c_uint8), ("cycles", c_bool), ("latency", c_bool), ("ref", c_char_p),
                ("brief", c_char_p),
        ("caveat", c_char_p), ("unmodelled", c_char_p),
    ]


class CField(Structure):
    _fields_ = [
        ("name", c_char_p), ("mask", c_uint64), ("access", c_int), ("ref", c_char_p),
                ("brief", c_char_p),
        ("values", POINTER(c_char_p)), ("event", c_bool),
    ]


class CRegister(Structure):
    _fields_ = [
        ("name", c_char_p), ("aliases", c_char_p), ("where", c_char_p), ("width", c_uint8),
                ("fields", POINTER(CField)),
        ("nfields", c_uint), ("reset", c_uint64), ("ref", c_char_p), ("brief", c_char_p),
        ("note", c_char_p),
    ]


class CCounter(Structure):
    _fields_ = [
        ("name", c_char_p), ("width", c_uint8), ("fixed_code", c_int32), ("extreme_width", c_uint8),
                ("saturates", c_bool),
    ]


READ = CFUNCTYPE(c_int, c_void_p, c_uint, POINTER(c_uint64))
WRITE = CFUNCTYPE(c_int, c_void_p, c_uint, c_uint64)
SETTLE = CFUNCTYPE(None, c_void_p, c_uint)


class CPort(Structure):
    _fields_ = [("read", READ), ("write", WRITE), ("settle", SETTLE), ("ctx", c_void_p)]


class CLatency(Structure):
    _fields_ = [("n", c_uint64), ("sum", c_uint64), ("sum2", c_uint64), ("min", c_uint64),
                ("max", c_uint64)]


class CDevice(Structure):
    _fields_ = [("pmu", c_void_p), ("port", CPort), ("state", c_uint32 * 16)]


_DEVICE = POINTER(CDevice)


class CDriver(Structure):
    _fields_ = [
        ("reset", CFUNCTYPE(c_int, _DEVICE)),
        ("program", CFUNCTYPE(c_int, _DEVICE, c_uint, c_uint)),
        ("start", CFUNCTYPE(c_int, _DEVICE)),
        ("stop", CFUNCTYPE(c_int, _DEVICE)),
        ("read", CFUNCTYPE(c_int, _DEVICE, c_uint, POINTER(c_uint64))),
        ("write", CFUNCTYPE(c_int, _DEVICE, c_uint, c_uint64)),
        ("irq_enable", CFUNCTYPE(c_int, _DEVICE, c_uint32)),
        ("pending", CFUNCTYPE(c_int, _DEVICE, POINTER(c_uint32))),
        ("clear", CFUNCTYPE(c_int, _DEVICE, c_uint32)),
        ("running", CFUNCTYPE(c_int, _DEVICE, POINTER(c_bool))),
        ("sample", CFUNCTYPE(c_int, _DEVICE)),
        ("latency", CFUNCTYPE(c_int, _DEVICE, c_uint, POINTER(CLatency))),
        ("status", CFUNCTYPE(c_int, _DEVICE, c_uint, POINTER(c_uint))),
        ("zero", CFUNCTYPE(c_int, _DEVICE)),
        ("present", CFUNCTYPE(c_int, _DEVICE)),
        ("still", CFUNCTYPE(c_int, _DEVICE, c_uint)),
    ]


class CPmu(Structure):
    _fields_ = [
        ("name", c_char_p), ("aliases", c_char_p), ("brief", c_char_p), ("note", c_char_p),
                ("driver", POINTER(CDriver)),
        ("events", POINTER(CEvent)), ("nevents", c_uint), ("defaults", c_char_p),
                ("core", c_uint32),
        ("counters", POINTER(CCounter)), ("ncounters", c_uint), ("no_flags", c_bool),
                ("sequential", c_bool),
        ("regs", POINTER(CRegister)), ("nregs", c_uint), ("family", c_void_p),
    ]


class CMicroblazeConfig(Structure):
    _fields_ = [("events", c_uint8), ("latencies", c_uint8), ("width", c_uint8)]


MICROBLAZE_COUNTERS = 48 + 7


class CMicroblazePmu(Structure):
    _fields_ = [("pmu", CPmu), ("config", CMicroblazeConfig),
                ("counter", CCounter * MICROBLAZE_COUNTERS)]


AHBMON_REGISTERS = 104


class CAhbmonLayout(Structure):
    _fields_ = [("provenance", c_uint32), ("base", c_uint32), ("enable", c_uint32),
                ("track_dbgack", c_uint32), ("castout4_aligned", c_uint32),
                ("threshold", c_uint32), ("offset", c_uint16 * AHBMON_REGISTERS)]


class CParameter(Structure):
    _fields_ = [("name", c_char_p), ("at", c_uint16), ("size", c_uint8)]


class CModel(Structure):
    """struct pmk_model_ops."""

    _fields_ = [
        ("pmu", POINTER(CPmu)), ("size", c_size_t),
        ("reset", CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)),
        ("read", CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_uint, POINTER(c_uint64))),
        ("write", CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_uint, c_uint64)),
        ("sync", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("ask", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("lines", CFUNCTYPE(c_uint, c_void_p)),
        ("params", POINTER(CParameter)),
        ("restart", CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)),
        ("inputs", POINTER(c_char_p)),
        ("input", CFUNCTYPE(None, c_void_p, c_void_p, c_uint, c_uint64)),
        ("oddities_at", CParameter), ("oddities", POINTER(c_char_p)),
        ("valid", CFUNCTYPE(c_bool, c_void_p, c_void_p)),
    ]


class CCountSetting(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int32), ("ways", c_char_p), ("brief", c_char_p)]


class _Sized(Structure):
    """A struct that may grow. Its first member is its size, which the constructor sets."""

    def __init__(self, *values: object) -> None:
        super().__init__(ctypes.sizeof(self), *values)


class CCountError(Structure):
    _fields_ = [("failure", c_int32), ("text", c_char_p)]


class CCountRow(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p), ("pmu", c_char_p), ("unit", c_char_p), ("trust", c_char_p),
                ("reason", c_char_p),
        ("region", c_char_p), ("cpu", c_int32), ("section", c_uint32), ("group", c_uint32),
                ("has_value", c_int32),
        ("value", c_uint64), ("entries", c_uint64), ("runtime_ns", c_uint64),
                ("coverage", c_double),
        ("stddev_pct", c_double), ("interval", c_int32), ("has_latency", c_int32),
                ("at_cycles", c_uint64),
        ("at_insns", c_uint64), ("at_seconds", c_double), ("latency_n", c_uint64),
                ("latency_sum", c_uint64),
        ("latency_min", c_uint64), ("latency_max", c_uint64), ("thread", c_char_p),
                ("margin_pct", c_double),
        ("spread_of", c_char_p), ("histogram", POINTER(c_uint64)), ("nhistogram", c_uint32),
    ]


class CCountMetric(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p), ("unit", c_char_p), ("reason", c_char_p), ("region", c_char_p),
                ("cpu", c_int32),
        ("section", c_uint32), ("valid", c_int32), ("value", c_double), ("thread", c_char_p),
    ]


class CCountSummary(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("pmu", c_char_p), ("core", c_char_p), ("command", c_char_p), ("producer", c_char_p),
                ("settings", c_char_p), ("checked", c_char_p),
        ("warning", c_char_p), ("passes", c_uint32), ("runs", c_uint32), ("processes", c_uint32),
                ("threads", c_uint32),
        ("partial", c_int32), ("exit_code", c_int32), ("elapsed", c_double), ("clock_hz", c_double),
    ]


class CDumpText(Structure):
    _fields_ = [("byte", c_void_p), ("length", c_size_t)]


class CDumpEvent(Structure):
    _fields_ = [("code", c_uint16), ("period", c_uint64), ("total", c_uint64), ("cost", c_uint64),
                ("nest", c_uint64)]


class CDumpCount(Structure):
    _fields_ = [("raw", c_uint64), ("sum", c_uint64), ("sq_low", c_uint64), ("sq_high", c_uint64),
                ("min", c_uint64), ("max", c_uint64)]


class CDumpRegion(Structure):
    _fields_ = [("name", CDumpText), ("entries", c_uint32), ("errors", c_uint32),
                ("nevents", c_uint), ("first", c_size_t)]


class CDumpSample(Structure):
    _fields_ = [("pc", c_uint64), ("region", c_uint32), ("event", c_uint8), ("late", c_bool)]


DUMP_EVENTS = 64


class CDump(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("state", c_int), ("begin", c_size_t), ("end", c_size_t), ("version", c_uint8),
        ("crlf", c_bool), ("why", c_char * 160), ("pmu", CDumpText),
        ("event", CDumpEvent * DUMP_EVENTS), ("nevents", c_uint), ("region", POINTER(CDumpRegion)),
        ("nregions", c_size_t), ("count", POINTER(CDumpCount)), ("ncounts", c_size_t),
        ("sample", POINTER(CDumpSample)), ("nsamples", c_size_t), ("sampling", c_bool),
        ("dropped", c_uint32),
    ]


BEGIN = CFUNCTYPE(None, c_void_p, c_void_p)
ROWS = CFUNCTYPE(None, c_void_p, c_void_p, c_uint32)
NOTE = CFUNCTYPE(None, c_void_p, c_char_p)
PROGRESS = CFUNCTYPE(None, c_void_p, c_uint64, c_uint64)
RUNNING = CFUNCTYPE(None, c_void_p, c_double, c_uint64)


class CCountListener(_Sized):
    _fields_ = [("size", c_size_t), ("ctx", c_void_p), ("begin", BEGIN), ("rows", ROWS),
                ("note", NOTE),
                ("progress", PROGRESS), ("running", RUNNING)]


class CModelPort(Structure):
    _fields_ = [("ops", POINTER(CModel)), ("model", c_void_p), ("bus", c_void_p), ("mode", c_int)]


# ---- functions -----------------------------------------------------------------------------------

def _declare(name: str, result: object, *arguments: object) -> None:
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments


_declare("pmk_strerror", c_char_p, c_int)
_declare("pmk_signal_name", c_char_p, c_uint)
_declare("pmk_signal_text", c_char_p, c_uint)
_declare("pmk_signal_exact", c_bool, c_uint)
_declare("pmk_access_name", c_char_p, c_int)
_declare("pmk_pmu_find", POINTER(CPmu), c_char_p)
_declare("pmk_pmu_event", POINTER(CEvent), POINTER(CPmu), c_char_p)
_declare("pmk_pmu_event_code", POINTER(CEvent), POINTER(CPmu), c_uint)
_declare("pmk_pmu_reg", POINTER(CRegister), POINTER(CPmu), c_char_p)
_declare("pmk_arm11_evntbus_reg", POINTER(CRegister), POINTER(CPmu))
_declare("pmk_microblaze_configure", c_int, POINTER(CMicroblazePmu), c_uint, c_uint, c_uint)
_declare("pmk_ahbmon_layout_read", c_int, POINTER(CAhbmonLayout), c_char_p, c_char_p, c_size_t)
_declare("pmk_armv8_mrc", c_int, c_void_p, c_void_p, c_int, c_uint, c_uint, c_uint,
         POINTER(c_uint32))
_declare("pmk_armv8_mcr", c_int, c_void_p, c_void_p, c_int, c_uint, c_uint, c_uint, c_uint32)
_declare("pmk_armv8_mrrc", c_int, c_void_p, c_void_p, c_int, POINTER(c_uint64))
_declare("pmk_armv8_mcrr", c_int, c_void_p, c_void_p, c_int, c_uint64)
_declare("pmk_model_find", POINTER(CModel), POINTER(CPmu))
_declare("pmk_model_oddities", c_uint, POINTER(CModel), c_void_p)
_declare("pmk_port_model", CPort, POINTER(CModelPort))
_declare("pmk_dump_next", c_int, c_char_p, c_size_t, POINTER(c_size_t), POINTER(CDump))
_declare("pmk_dump_free", None, POINTER(CDump))
_declare("pmk_count_new", c_void_p)
_declare("pmk_count_free", None, c_void_p)
_declare("pmk_count_get_error", POINTER(CCountError), c_void_p)
_declare("pmk_count_settings", POINTER(CCountSetting), c_uint32)
_declare("pmk_count_set", c_int, c_void_p, c_char_p, c_char_p)
_declare("pmk_count_program", c_int, c_void_p, POINTER(c_char_p))
_declare("pmk_count_run", c_int, c_void_p, POINTER(CCountListener))
_declare("pmk_count_stop", None, c_void_p, c_int)
_declare("pmk_count_get_row", c_bool, c_void_p, c_uint32, POINTER(CCountRow))
_declare("pmk_count_get_metric", c_bool, c_void_p, c_uint32, POINTER(CCountMetric))
_declare("pmk_count_get_output", c_void_p, c_void_p, c_char_p, POINTER(c_size_t))
_declare("pmk_count_get_summary", c_bool, c_void_p, POINTER(CCountSummary))

# The names of signals by number; 0 is "NONE".
SIGNALS: List[str] = []
while (_name := lib.pmk_signal_name(len(SIGNALS))) is not None:
    SIGNALS.append(_name.decode())

LATENCY_LOG, LATENCY_OPEN = 4096, 64
NEVER = 2 ** 64 - 1


class CSignalSet(Structure):
    _fields_ = [("bits", c_uint64 * ((len(SIGNALS) + 63) // 64))]


class CLatencyRecord(Structure):
    _fields_ = [
        ("start", c_uint64), ("end", c_uint64), ("cycles", c_uint32), ("n", c_uint16),
                ("sig", c_uint8), ("apart", c_bool),
    ]


class CBus(Structure):
    _fields_ = [
        ("total", c_uint64 * len(SIGNALS)), ("due", c_uint64 * len(SIGNALS)),
                ("raised", CSignalSet),
        ("recorded", c_uint64), ("recorded_due", c_uint64), ("timed", c_uint64),
                ("timed_due", c_uint64),
        ("sealed", c_uint64), ("sealed_at", c_uint64), ("busy", c_uint64 * len(SIGNALS)),
        ("open", c_uint64 * LATENCY_OPEN), ("longest", c_uint32),
                ("log", CLatencyRecord * LATENCY_LOG),
        ("log_sig", c_uint8 * LATENCY_LOG),
    ]


_declare("pmk_bus_init", None, POINTER(CBus))
_declare("pmk_bus_forget", None, POINTER(CBus))
_declare("pmk_bus_due", c_bool, POINTER(CBus))
_declare("pmk_bus_horizon", c_uint64, POINTER(CBus), c_int)
_declare("pmk_bus_record_new", None, POINTER(CBus), c_int, c_uint64, c_uint32)


def text(value: Optional[bytes]) -> str:
    """The text of a C string; "" for NULL."""
    return os.fsdecode(value) if value else ""


def number(value: SupportsIndex, bits: int, what: str) -> int:
    """Returns `value` if it fits in `bits` bits, otherwise raises ValueError: C would silently keep
    only the low bits. The message begins with `what`."""
    n = index(value)
    if not 0 <= n < 1 << bits:
        raise ValueError(f"{what} has {bits} bits, so it cannot be {hex(n)}")
    return n


def name_of(value: str, what: str) -> bytes:
    """Encodes a name for C. A NUL in the name is refused, because C would end the name there."""
    if not isinstance(value, str):
        raise TypeError(f"{what}: expected its name as a str, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError("embedded null byte")
    return value.encode()


def check(result: int, what: str) -> int:
    """Returns the result of a call. If it is an error code, raises Error."""
    if result < 0:
        raise Error(result, what)
    return result
