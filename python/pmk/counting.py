# SPDX-License-Identifier: MIT
"""Counts programs, as `pmk stat` does; the results are Python values."""
from __future__ import annotations

import dataclasses
import enum
import os
import signal
import threading
from ctypes import byref, c_char_p, c_size_t, string_at
from dataclasses import dataclass
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional,
                    Protocol, Sequence, Tuple, Union)

from ._library import (BEGIN, NOTE, PROGRESS, ROWS, RUNNING, CCountListener, CCountMetric,
                       CCountRow, CCountSummary, lib, own_files, text)
from .options import Options

if TYPE_CHECKING:
    from typing_extensions import Unpack

Words = Union[str, Sequence[str]]


class Stream(enum.Enum):
    """Where the program's output goes, if not to a file or a descriptor."""

    #: the output is stored in Result.stdout or Result.stderr
    CAPTURE = "capture"
    #: for stderr: it goes where stdout goes
    STDOUT = "stdout"


class _Descriptor(Protocol):
    def fileno(self) -> int: ...


Place = Union[str, int, "os.PathLike[str]", _Descriptor, Stream, None]


class Failure(enum.IntEnum):
    """The kind of a failure; the numbers are the exit codes of pmk."""

    FAILED = 125
    NOT_EXEC = 126
    NOT_FOUND = 127
    USAGE = 129


class CountError(Exception):
    """Counting failed. The text is the line that pmk prints; `failure` is the kind of failure."""

    def __init__(self, failure: int, line: str) -> None:
        super().__init__(line)
        self.failure = Failure(failure)

    def __reduce__(self) -> Tuple[Any, ...]:
        return CountError, (self.failure, str(self))


@dataclass(frozen=True)
class Row:
    """The count of an event: of the whole run, or of one interval, region, CPU or thread."""

    #: the event, under the name that the caller gave
    name: str
    #: None if there is no count; `reason` says why. For several runs, their rounded mean
    value: Optional[int]
    #: the unit of the value; "" for a plain number
    unit: str
    #: "exact", "modelled", "measured", "scaled", "wrapped", "partial",
    #: "inexact", "sampled", "not supported" or "not counted"
    trust: str
    #: why there is no value, or a remark about the value
    reason: str
    #: the PMU that has the event
    pmu: str
    #: the region in which the event was counted; None: the whole run
    region: Optional[str]
    #: the CPU; None: all CPUs
    cpu: Optional[int]
    #: rows with the same number have the same interval, region, CPU and thread
    section: int
    #: rows of one {group} have the same number; 0: the row is in no group
    group: int
    #: how often the region was entered
    entries: int
    #: how long the event was counted; in emulation, in the time of the emulated core
    runtime_ns: int
    #: the share of the run during which the event was counted; 1.0: the whole run
    coverage: float
    #: for several runs: the standard deviation of the mean, in percent of the mean
    stddev_pct: float
    #: the end of the interval that this row counts, in cycles, instructions and seconds since the
    #: start; None: the row counts the whole run
    at_cycles: Optional[int]
    at_insns: Optional[int]
    at_seconds: Optional[float]
    #: the number of occurrences that a latency counter timed, and the sum, minimum and maximum of
    #: their cycles; None: the event is not a latency, or the number is not known
    latency_n: Optional[int]
    latency_sum: Optional[int]
    latency_min: Optional[int]
    latency_max: Optional[int]
    #: with per_thread: the thread that was counted, such as "sleep-4711"; otherwise None
    thread: Optional[str]
    #: with sample: with a probability of 95 %, the true count is within this many percent of the
    #: value; otherwise 0
    margin_pct: float
    #: what the histogram and the latency_… members measure, such as "beats in a burst"; None:
    #: cycles
    spread_of: Optional[str]
    #: (lowest, highest, number) for each range of values that occurred; None: the distribution
    #: was not measured
    histogram: Optional[Tuple[Tuple[int, int, int], ...]]


@dataclass(frozen=True)
class Metric:
    """A metric: of the whole run, or of one interval, region, CPU or thread."""

    name: str
    #: None if there is no value; `reason` says why
    value: Optional[float]
    #: "cycles/insn", "%", or ""
    unit: str
    reason: str
    region: Optional[str]
    cpu: Optional[int]
    section: int
    thread: Optional[str]


@dataclass(frozen=True)
class Result:
    """The result of a count. Unknown strings are "", and unknown numbers are None."""

    rows: List[Row]
    metrics: List[Metric]
    pmu: str
    #: the modelled core; "" if there was none
    core: str
    #: the command line, quoted for display
    command: str
    #: the program or hardware that counted, such as "qemu-arm 7.2.22"
    producer: str
    #: the parameters of the core that were changed
    settings: str
    #: how close the modelled cycles are to the cycles of a real core, or "unchecked"
    checked: Optional[str]
    #: what a reader of the counts must know, in one or more lines
    warning: str
    #: the lines that `pmk stat` would have printed while it counted
    notes: Tuple[str, ...]
    #: the number of passes; each pass counts different events
    passes: int
    runs: int
    processes: int
    threads: int
    #: True if a part of the run was not counted
    partial: bool
    #: the program's exit code as a shell reports it: 128 + signal if a signal killed the program
    exit_code: int
    #: the duration of a run on this machine, in seconds
    elapsed: float
    #: the clock of the cycles, in Hz; None if it is not known
    clock_hz: Optional[float]
    #: what the program wrote in all runs; None: it was not captured
    stdout: Optional[bytes]
    stderr: Optional[bytes]

    def __getitem__(self, event: str) -> Optional[int]:
        """The count of an event in the whole run on all CPUs; None if it has no value. Raises
        KeyError if the event was not requested."""
        for row in self.rows:
            if row.name == event and (row.region, row.at_cycles, row.cpu,
                                      row.thread) == (None, None, None, None):
                return row.value
        known = dict.fromkeys(row.name for row in self.rows)
        if event in known:
            raise KeyError(f"{event!r} was counted by interval, region, CPU or thread: see "
                           "Result.rows")
        raise KeyError(f"{event!r} was not counted; counted: {', '.join(known) or 'nothing'}")

    def metric(self, name: str) -> Optional[float]:
        """A metric of the whole run; None if it is not valid. Raises KeyError if the metric was not
        requested."""
        whole = {row.section for row in self.rows if row.region is None and row.at_cycles is None
                 and row.cpu is None and row.thread is None}
        for m in self.metrics:
            if m.name == name and m.section in whole:
                return m.value
        known = dict.fromkeys(m.name for m in self.metrics)
        raise KeyError(f"there is no metric {name!r}; known: {', '.join(known) or 'none'}")

    def to_dict(self) -> Dict[str, List[Any]]:
        """The rows as columns, {"name": […], "value": […], …}, for pandas.DataFrame()."""
        names = [f.name for f in dataclasses.fields(Row)]
        return {name: [getattr(row, name) for row in self.rows] for name in names}


def stat(command: Sequence[Union[str, "os.PathLike[str]"]] = (), events: Optional[Words] = None, *,
         core: Optional[str] = None, metrics: Optional[Words] = None, target: Optional[str] = None,
         settings: Optional[Mapping[str, object]] = None, repeat: Optional[int] = None,
         interval: Union[str, int, None] = None, region: Optional[Words] = None,
         stdin: Place = None, stdout: Place = None, stderr: Place = None,
         on_rows: Optional[Callable[[List[Row]], None]] = None,
         on_note: Optional[Callable[[str], None]] = None,
         **options: Unpack[Options]) -> Result:
    """Count a program, and return when it has ended.

        result = pmk.stat(["./prog", "arg"], events="cycles,dcache_miss", core="arm1176",
                          settings={"dcache.size": "32K"})
        result["dcache_miss"]                           # a number, or None
        pandas.DataFrame(result.to_dict())

    The arguments are the options of pmk-stat(1), which explains them. `events`, `metrics` and
    `region` are a string or a list of strings. `settings` are parameters of the core (--set).
    `target` says where to count: "emu", "linux" (this machine), "wave:FILE" (a waveform dump,
    without a command), "openocd:HOST:PORT", "gdb:HOST:PORT", "xvc:HOST:PORT" or "devmem" (a board).
    `options` are the other long options with _ for -, for example passes="rerun", pmu="l2cc",
    env=["A=1"], all_cpus=True, from_="main". pmk.Options lists all of them.

    on_rows(rows) is called with new rows as soon as they are known; those of an interval come while
    the program runs. on_note(line) is called with each line that a user should see at once. Both
    are called in another thread. An exception that they raise ends the run, and stat() raises it.

    The program uses the input and output of this process unless `stdin`, `stdout` or `stderr` is
    given: as a path, a descriptor, an open file, or pmk.Stream.CAPTURE, which stores the output in
    Result.stdout or Result.stderr. The program also ignores the signals that this process ignores,
    such as SIGPIPE in Python. Ctrl-C ends the program, and stat() raises KeyboardInterrupt.

    Raises CountError if the program could not be counted. A program that fails is counted, and
    Result.exit_code has its exit code.
    """
    for listener in (on_rows, on_note):
        if listener is not None and not callable(listener):
            raise TypeError(f"on_rows and on_note must be functions, not {type(listener).__name__}")
    request = _Request(on_rows, on_note)
    try:
        for name, value in own_files().items():
            if not os.environ.get(f"PMK_{name.upper()}"):
                request.set(name, value)
        for name, words in (("event", events), ("metrics", metrics), ("region", region)):
            for word in several(words):
                request.set(name, word)
        named = {"core": core, "target": target, "repeat": repeat, "interval": interval,
                 "set": parameters(settings)}
        for name, one in given({**named, **options}):
            request.set(name, one)
        for name, place in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
            if place is not None:
                request.set(name, _place(name, place))
        if command:
            request.program(command)
        request.run()
        return request.result()
    finally:
        request.free()


def parameters(settings: Optional[Mapping[str, object]]) -> List[str]:
    """Parameters of the core in the form that --set takes: KEY=VALUE."""
    if settings is not None and not isinstance(settings, Mapping):
        raise TypeError('settings must be a dict, such as {"dcache.size": "32K"}')
    return [f"{key}={('off', 'on')[value] if isinstance(value, bool) else value}"
            for key, value in (settings or {}).items()]


def given(options: Mapping[str, object]) -> Iterator[Tuple[str, Optional[str]]]:
    """Converts keyword arguments to settings: pairs of a name and a text. The text of a flag (True)
    is None. Arguments that are False or None are left out."""
    for name, option in options.items():
        name = name.rstrip("_").replace("_", "-")
        for value in option if isinstance(option, (list, tuple)) else [option]:
            if value is True:
                yield name, None
            elif isinstance(value, os.PathLike):
                yield name, os.fspath(value)
            elif not isinstance(value, (str, int, float, type(None))):
                raise TypeError(f"{name}: expected a text or a number, not {type(value).__name__}")
            elif value is not None and value is not False:
                yield name, str(value)


def several(words: Optional[Words]) -> Sequence[str]:
    return [words] if isinstance(words, str) else words or []


def _bytes(word: Union[str, "os.PathLike[str]"]) -> bytes:
    """Encodes a word for C. A NUL in the word is refused, because C would end the word there."""
    encoded = os.fsencode(word)
    if b"\0" in encoded:
        raise ValueError("embedded null byte")
    return encoded


class _Request:
    """A handle of <pmk/count.h>."""

    def __init__(self, on_rows: Optional[Callable[[List[Row]], None]],
                 on_note: Optional[Callable[[str], None]]) -> None:
        self._handle: Any = lib.pmk_count_new()
        if not self._handle:
            raise MemoryError("no memory for a request")
        self._raised: Optional[BaseException] = None
        self._notes: List[str] = []
        self._on_rows, self._on_note = on_rows, on_note
        # C has only the addresses of these callbacks, so this object keeps them alive.
        self._listener = CCountListener(None, BEGIN(0), ROWS(self._rows), NOTE(self._note),
                                        PROGRESS(0), RUNNING(0))

    def free(self) -> None:
        lib.pmk_count_free(self._handle)

    def _check(self, failure: int) -> None:
        if failure:
            raise CountError(failure, text(lib.pmk_count_get_error(self._handle).contents.text))

    def set(self, name: str, value: Optional[str]) -> None:
        self._check(lib.pmk_count_set(self._handle, name.encode(),
                                      None if value is None else _bytes(value)))

    def program(self, command: Sequence[Union[str, "os.PathLike[str]"]]) -> None:
        if isinstance(command, str):
            raise TypeError("the command must be a list: the program and its arguments")
        words = [_bytes(word) for word in command]
        self._check(lib.pmk_count_program(self._handle,
                                          (c_char_p * (len(words) + 1))(*words, None)))

    def run(self) -> None:
        """Counts in another thread, so that this thread can handle Ctrl-C."""
        failure = [0]
        # Not Thread.join(): after an interrupted join, Python before 3.13 believes that the thread
        # has ended.
        ended = threading.Event()

        def count() -> None:
            failure[0] = lib.pmk_count_run(self._handle, byref(self._listener))
            ended.set()
        threading.Thread(target=count, name="pmk.stat").start()
        interrupted: Optional[BaseException] = None
        while not ended.is_set():
            try:
                ended.wait()
            except BaseException as e:  # the handle is in use until the thread has ended
                interrupted = interrupted or e
                lib.pmk_count_stop(self._handle, signal.SIGINT)
        if interrupted is not None:
            raise interrupted
        if self._raised is not None:
            raise self._raised
        self._check(failure[0])

    def _tell(self, listener: Optional[Callable[[Any], None]], what: Callable[[], Any]) -> None:
        if listener is not None and self._raised is None:
            try:
                listener(what())
            except BaseException as e:  # an exception cannot pass through C
                self._raised = e
                lib.pmk_count_stop(self._handle, signal.SIGINT)

    def _rows(self, _ctx: Any, _handle: Any, first: int) -> None:
        self._tell(self._on_rows, lambda: self.rows(first))

    def _note(self, _ctx: Any, line: bytes) -> None:
        self._notes.append(text(line))
        self._tell(self._on_note, lambda: text(line))

    def rows(self, first: int = 0) -> List[Row]:
        c = CCountRow()
        found: List[Row] = []
        while lib.pmk_count_get_row(self._handle, first + len(found), byref(c)):
            found.append(_row(c))
        return found

    def _output(self, stream: bytes) -> Optional[bytes]:
        size = c_size_t()
        at = lib.pmk_count_get_output(self._handle, stream, byref(size))
        return string_at(at, size.value) if at else None

    def result(self) -> Result:
        s, m = CCountSummary(), CCountMetric()
        metrics: List[Metric] = []
        while lib.pmk_count_get_metric(self._handle, len(metrics), byref(m)):
            metrics.append(Metric(name=text(m.name), value=m.value if m.valid else None,
                                  unit=text(m.unit), reason=text(m.reason),
                                  region=_or_none(m.region), cpu=None if m.cpu < 0 else m.cpu,
                                  section=m.section, thread=_or_none(m.thread)))
        lib.pmk_count_get_summary(self._handle, byref(s))
        return Result(rows=self.rows(), metrics=metrics, pmu=text(s.pmu), core=text(s.core),
                      command=text(s.command), producer=text(s.producer), settings=text(s.settings),
                      checked=_or_none(s.checked), warning=text(s.warning),
                      notes=tuple(self._notes), passes=s.passes,
                      runs=s.runs, processes=s.processes, threads=s.threads,
                      partial=bool(s.partial), exit_code=s.exit_code, elapsed=s.elapsed,
                      clock_hz=s.clock_hz if s.clock_hz else None,
                      stdout=self._output(b"stdout"), stderr=self._output(b"stderr"))


def _place(name: str, place: Place) -> str:
    if isinstance(place, Stream):
        return place.value
    if isinstance(place, bool):
        raise TypeError(f"{name}: expected a path, a file or a descriptor, not bool")
    if isinstance(place, int):
        return f"fd:{place}"
    if isinstance(place, (str, os.PathLike)):
        return "file:" + os.fspath(place)
    if place is not None and hasattr(place, "fileno"):
        return f"fd:{place.fileno()}"
    raise TypeError(f"{name}: expected a path, a file or a descriptor, "
                    f"not {type(place).__name__}")


def _or_none(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else text(value)


def _histogram(c: CCountRow) -> Optional[Tuple[Tuple[int, int, int], ...]]:
    """Converts the histogram of C, which has a number for each bit length of the values."""
    if not c.nhistogram:
        return None
    return tuple((1 << bits >> 1, (1 << bits) - 1, c.histogram[bits])
                 for bits in range(c.nhistogram) if c.histogram[bits])


def _row(c: CCountRow) -> Row:
    spread = bool(c.has_latency) or c.spread_of is not None
    extremes = spread and c.latency_min <= c.latency_max
    return Row(name=text(c.name), value=c.value if c.has_value else None, unit=text(c.unit),
               trust=text(c.trust), reason=text(c.reason), pmu=text(c.pmu),
               region=_or_none(c.region), cpu=None if c.cpu < 0 else c.cpu, section=c.section,
               group=c.group, entries=c.entries, runtime_ns=c.runtime_ns, coverage=c.coverage,
               stddev_pct=c.stddev_pct, at_cycles=c.at_cycles if c.interval else None,
               at_insns=c.at_insns if c.interval else None,
               at_seconds=c.at_seconds if c.interval else None,
               latency_n=c.latency_n if spread else None,
               latency_sum=c.latency_sum if spread else None,
               latency_min=c.latency_min if extremes else None,
               latency_max=c.latency_max if extremes else None, thread=_or_none(c.thread),
               margin_pct=c.margin_pct, spread_of=_or_none(c.spread_of), histogram=_histogram(c))
