# SPDX-License-Identifier: MIT
"""Recording where a program's events occur, by the command `pmk record`; and reading recordings."""
from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.parse
from dataclasses import dataclass
from typing import (IO, TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union)

from ._library import library_path
from .counting import CountError, Failure, Place, Stream, Words, given, parameters, several
from .options import Options

if TYPE_CHECKING:
    from typing_extensions import Unpack

Path = Union[str, "os.PathLike[str]"]

APPLICATION_ID, VERSION = 0x706d6b72, 3
# Which may follow a line that the program has not ended.
WROTE = re.compile(rb"\[ pmk record: wrote .* \]\n$")

FUNCTIONS = """
SELECT coalesce(function.name, object.path), sum(value)
FROM count JOIN event ON event = event.id JOIN code ON code = code.id
     JOIN object ON code.object = object.id LEFT JOIN function ON code.function = function.id
WHERE event.name = ? GROUP BY function.id, object.id ORDER BY 2 DESC, 1"""

LINES = """
SELECT path, line, sum(value)
FROM count JOIN event ON event = event.id JOIN code ON code = code.id JOIN file ON file = file.id
WHERE event.name = ? GROUP BY path, line ORDER BY 3 DESC, path, line"""


@dataclass(frozen=True)
class RecordedEvent:
    """An event of a recording."""

    name: str
    #: of the whole run; None: there is none, and `reason` says why
    total: Optional[int]
    #: as in Row
    trust: str
    reason: str
    pmu: str


class Recording:
    """A file of `pmk record`, to be read. It is an SQLite database, whose tables are described in
    docs/FORMATS.md: query() takes any SQL.

        with pmk.Recording("pmk.data") as recording:
            recording.functions("cycles")[0]            # ("main", 12345)

    ValueError: it is no recording, or one of another version.
    """

    #: of the program, as a shell has it: 128 + signal when it was killed; None: it was recorded
    #: before
    exit_code: Optional[int] = None
    #: lines of pmk while it was recorded
    notes: Tuple[str, ...] = ()
    #: what the program wrote while it was recorded; None: it was not captured
    stdout: Optional[bytes] = None
    stderr: Optional[bytes] = None

    def __init__(self, path: Path) -> None:
        import sqlite3  # some Pythons are built without it

        self.path = os.path.abspath(path)
        open(self.path, "rb").close()  # its errors name the file
        self._db = sqlite3.connect(f"file:{urllib.parse.quote(self.path)}?mode=ro", uri=True)
        self._db.text_factory = os.fsdecode  # paths are any bytes
        try:
            found = self.query("PRAGMA application_id") + self.query("PRAGMA user_version")
            if found != [(APPLICATION_ID,), (VERSION,)]:
                raise ValueError(f"{self.path}: no recording of this version of pmk")
        except sqlite3.DatabaseError as e:
            self.close()
            raise ValueError(f"{self.path}: no recording: {e}") from e
        except ValueError:
            self.close()
            raise

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def query(self, sql: str, values: Sequence[object] = ()) -> List[Tuple[Any, ...]]:
        """The rows of an SQL query, with values for its ?."""
        return self._db.execute(sql, tuple(values)).fetchall()

    @property
    def facts(self) -> Dict[str, str]:
        """The run: "command", "core", "producer", "warning" and others, if they are known."""
        return {key: str(value) for key, value in self.query("SELECT key, value FROM meta")}

    @property
    def events(self) -> List[RecordedEvent]:
        """What was recorded, by the names that it was asked for."""
        return [RecordedEvent(name, total, trust, reason or "", pmu) for name, total, trust, reason,
                pmu in self.query("SELECT name, total, trust, reason, pmu FROM event ORDER BY id")]

    def functions(self, event: str) -> List[Tuple[str, int]]:
        """Functions with their counts of an event, without those that they call; most first. Code
        without a function has the name of its file."""
        return [(name, value) for name, value in self._of(event, FUNCTIONS)]

    def lines(self, event: str) -> List[Tuple[str, int, int]]:
        """Lines of source with their counts of an event, (file, line, count); most first."""
        return [(path, line, value) for path, line, value in self._of(event, LINES)]

    def _of(self, event: str, sql: str) -> List[Tuple[Any, ...]]:
        known = [e.name for e in self.events]
        if event not in known:
            raise KeyError(f"{event!r} was not recorded; there are {', '.join(known) or 'none'}")
        return self.query(sql, [event])


def record(command: Sequence[Path] = (), events: Optional[Words] = None, *,
           output: Path = "pmk.data", call_graph: bool = False, core: Optional[str] = None,
           target: Optional[str] = None, settings: Optional[Mapping[str, object]] = None,
           freq: Union[int, str, None] = None, count: Union[int, str, None] = None,
           stdin: Place = None, stdout: Place = None, stderr: Place = None,
           **options: Unpack[Options]) -> Recording:
    """Record where in a program its events occur, into the file `output`, and return the file when
    the program has ended.

        with pmk.record(["./prog", "arg"], events="cycles,dcache_miss") as recording:
            recording.functions("cycles")

    Arguments are the options of pmk-record(1), where they are explained, as those of pmk.stat() are
    the options of pmk-stat(1). The library cannot write recordings: this runs the command pmk,
    which is searched next to the library, then in PATH. What the program writes to stderr comes
    out line by line, without the lines of pmk, which are in Recording.notes.

    CountError: nothing was recorded, and there is no new file. A program that fails has been
    recorded: Recording.exit_code has its code.
    """
    if isinstance(command, (str, bytes)):
        raise TypeError("the command is a list: the program and its arguments")
    words = [_command(), "record"]
    named: Dict[str, object] = {
        "event": several(events), "output": os.fspath(output), "call-graph": bool(call_graph),
        "core": core, "target": target, "set": parameters(settings), "freq": freq, "count": count}
    for name, value in given({**named, **options}):
        words.append(f"--{name}" if value is None else f"--{name}={value}")
    words += ["--", *(os.fspath(word) for word in command)]
    with contextlib.ExitStack() as stack:
        files = [_opened(stack, name, place, number) for number, (name, place) in
                 enumerate((("stdin", stdin), ("stdout", stdout), ("stderr", stderr)))]
        if stderr is Stream.STDOUT:
            files[2] = files[1]
        before = _identity(output)
        code, notes = _run(words, *files)
        if _identity(output) in (None, before):
            raise CountError(code if code in list(Failure) else Failure.FAILED,
                             notes[-1] if notes else f"pmk record failed with {code}")
        recording = Recording(output)
        recording.exit_code, recording.notes = code, notes
        for name, place, file in (("stdout", stdout, files[1]), ("stderr", stderr, files[2])):
            if place is Stream.CAPTURE and not isinstance(file, int):
                file.seek(0)
                setattr(recording, name, file.read())
    return recording


def _command() -> str:
    """The pmk of the library's build tree or prefix, or that in PATH."""
    folder = os.path.dirname(library_path())
    for near in ("pmk", "../bin/pmk", "../../bin/pmk"):
        path = os.path.join(folder, near)
        if folder and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    found = shutil.which("pmk")
    if not found:
        raise CountError(Failure.NOT_FOUND, "there is no command pmk, which writes recordings, "
                         "next to the library or in PATH; install pmukit")
    return found


def _opened(stack: contextlib.ExitStack, name: str, place: Place,
            number: int) -> Union[int, IO[bytes]]:
    """The file or descriptor for a stream of the program."""
    if place is None or place is Stream.STDOUT and name == "stderr":
        return number
    if place is Stream.CAPTURE and name != "stdin":
        return stack.enter_context(tempfile.TemporaryFile())
    if isinstance(place, int) and not isinstance(place, bool):
        return place
    if isinstance(place, (str, os.PathLike)):
        return stack.enter_context(open(place, "wb" if number else "rb"))
    if hasattr(place, "fileno") and not isinstance(place, Stream):
        return place.fileno()
    raise TypeError(f"{name}: a path, a file or a descriptor, not {place!r}")


def _identity(path: Path) -> Optional[Tuple[int, int, int]]:
    """Which file it is: a new recording is renamed to the name of the old one. None: none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


def _run(words: List[str], stdin: Union[int, IO[bytes]], stdout: Union[int, IO[bytes]],
         stderr: Union[int, IO[bytes]]) -> Tuple[int, Tuple[str, ...]]:
    """pmk's exit code and its own lines; all other lines go on to `stderr`."""
    notes: List[str] = []
    to = stderr if isinstance(stderr, int) else stderr.fileno()
    with subprocess.Popen(words, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE) as p, \
            open(to, "wb", buffering=0, closefd=False) as others:
        try:
            assert p.stderr
            for line in p.stderr:
                if line.startswith(b"pmk: "):
                    notes.append(os.fsdecode(line[len("pmk: "):].rstrip(b"\n")))
                else:
                    others.write(WROTE.sub(b"", line))
        except BaseException:  # such as Ctrl-C: it ends the program, and what it has recorded stays
            p.send_signal(signal.SIGINT)
            p.communicate()
            raise
    return p.returncode, tuple(notes)
