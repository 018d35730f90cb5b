# SPDX-License-Identifier: MIT
"""Runs `pmk record`, which records where the events of a program occur, and reads recordings."""
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

APPLICATION_ID, VERSION = 0x706d6b72, 5
# The last line that pmk prints. It may follow text of the program that does not end with a newline.
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
    #: the count of the whole run; None if there is none, and `reason` says why
    total: Optional[int]
    #: as in Row
    trust: str
    reason: str
    pmu: str


class Recording:
    """A file of `pmk record`, opened for reading. It is an SQLite database: docs/FORMATS.md
    describes its tables, and query() runs any SQL.

        with pmk.Recording("pmk.data") as recording:
            recording.functions("cycles")[0]            # ("main", 12345)

    Raises ValueError if the file is not a recording, or has another version.
    """

    #: the program's exit code as a shell reports it: 128 + signal if a signal killed the program;
    #: None if record() did not make this object
    exit_code: Optional[int] = None
    #: the lines that pmk printed during the recording
    notes: Tuple[str, ...] = ()
    #: what the program wrote during the recording; None if it was not captured
    stdout: Optional[bytes] = None
    stderr: Optional[bytes] = None

    def __init__(self, path: Path) -> None:
        import sqlite3  # some Pythons are built without it

        self.path = os.path.abspath(path)
        open(self.path, "rb").close()  # its errors name the file
        self._db = sqlite3.connect(f"file:{urllib.parse.quote(self.path)}?mode=ro", uri=True)
        self._db.text_factory = os.fsdecode  # paths may have any bytes
        try:
            found = self.query("PRAGMA application_id") + self.query("PRAGMA user_version")
            if found != [(APPLICATION_ID,), (VERSION,)]:
                raise ValueError(f"{self.path}: not a recording of this version of pmk")
        except sqlite3.DatabaseError as e:
            self.close()
            raise ValueError(f"{self.path}: not a recording: {e}") from e
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
        """Returns the rows of an SQL query. `values` are for the ? in it."""
        return self._db.execute(sql, tuple(values)).fetchall()

    @property
    def facts(self) -> Dict[str, str]:
        """Facts about the run: "command", "core", "warning", "note" and others, if known."""
        return {key: str(value) for key, value in self.query("SELECT key, value FROM meta")}

    @property
    def events(self) -> List[RecordedEvent]:
        """The recorded events, under the names that the caller gave."""
        return [RecordedEvent(name, total, trust, reason or "", pmu) for name, total, trust, reason,
                pmu in self.query("SELECT name, total, trust, reason, pmu FROM event ORDER BY id")]

    def functions(self, event: str) -> List[Tuple[str, int]]:
        """The functions with their counts of an event, largest first. The functions that they call
        are not included. Code without a function has the name of its file."""
        return [(name, value) for name, value in self._of(event, FUNCTIONS)]

    def lines(self, event: str) -> List[Tuple[str, int, int]]:
        """The source lines with their counts of an event, (file, line, count), largest first."""
        return [(path, line, value) for path, line, value in self._of(event, LINES)]

    def _of(self, event: str, sql: str) -> List[Tuple[Any, ...]]:
        known = [e.name for e in self.events]
        if event not in known:
            raise KeyError(f"{event!r} was not recorded; recorded: {', '.join(known) or 'nothing'}")
        return self.query(sql, [event])


def record(command: Sequence[Path] = (), events: Optional[Words] = None, *,
           output: Path = "pmk.data", call_graph: bool = False, core: Optional[str] = None,
           target: Optional[str] = None, settings: Optional[Mapping[str, object]] = None,
           freq: Union[int, str, None] = None, count: Union[int, str, None] = None,
           stdin: Place = None, stdout: Place = None, stderr: Place = None,
           **options: Unpack[Options]) -> Recording:
    """Record where events occur in a program, in the file `output`. When the program has ended,
    returns the open recording.

        with pmk.record(["./prog", "arg"], events="cycles,dcache_miss") as recording:
            recording.functions("cycles")

    The arguments are the options of pmk-record(1), which explains them; they have the same form as
    those of pmk.stat(). The library cannot write recordings, so record() runs the command pmk,
    which it searches next to the library, then in PATH. What the program writes to stderr is passed
    on line by line. The lines of pmk are not passed on; they are in Recording.notes.
    Raises CountError if nothing was recorded; there is no new file then. A program that fails is
    recorded, and Recording.exit_code has its exit code.
    """
    if isinstance(command, (str, bytes)):
        raise TypeError("the command must be a list: the program and its arguments")
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
    """The path of pmk: in the build tree or prefix of the library, or else in PATH."""
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
    raise TypeError(f"{name}: expected a path, a file or a descriptor, not {place!r}")


def _identity(path: Path) -> Optional[Tuple[int, int, int]]:
    """Identifies a file; None if it does not exist. A new recording replaces the old file under
    the same name, so its identity differs."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


def _run(words: List[str], stdin: Union[int, IO[bytes]], stdout: Union[int, IO[bytes]],
         stderr: Union[int, IO[bytes]]) -> Tuple[int, Tuple[str, ...]]:
    """Runs pmk. Returns its exit code and its own lines; passes all other lines to `stderr`."""
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
        except BaseException:  # such as Ctrl-C: pmk ends the program, and keeps what was recorded
            p.send_signal(signal.SIGINT)
            p.communicate()
            raise
    return p.returncode, tuple(notes)
