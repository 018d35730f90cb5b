# SPDX-License-Identifier: MIT
"""pmk.record() records what the command records, and pmk.Recording reads it."""
import os
import signal
import subprocess
import sys

import pytest

from harness import PMK, SOURCE, run
from programs import assemble, loop
import pmk

pytestmark = pytest.mark.quick

# Writes to both streams, and exits with 7.
WRITES = """
	.arm
	.global _start
_start:	mov	r0, #1
	ldr	r1, =out
	mov	r2, #4
	mov	r7, #4
	svc	#0
	mov	r0, #2
	ldr	r1, =err
	mov	r2, #10
	svc	#0
	mov	r0, #7
	mov	r7, #1
	svc	#0
	.data
out:	.ascii	"out\\n"
err:	.ascii	"err\\npmkerr\\n"
"""


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("recording") / "pmk.data"
    with pmk.record([loop(1000)], events="cycles,instr_exec", core="arm1176", output=path,
                    settings={"dcache.size": "8K"}) as made:
        yield made


def test_it_is_what_the_command_records(recording, tmp_path):
    out = run(PMK, "record", "-e", "cycles,instr_exec", "--core", "arm1176", "--set",
              "dcache.size=8K", "-o", tmp_path / "pmk.data", loop(1000))
    assert out.code == recording.exit_code == 3, out
    with open(recording.path, "rb") as mine, open(tmp_path / "pmk.data", "rb") as its:
        assert mine.read() == its.read()


def test_what_is_in_it(recording):
    cycles, insns = recording.events
    assert (cycles.name, cycles.trust, insns.total, insns.pmu) == ("cycles", "modelled", 8005,
                                                                   "arm1176")
    for event in recording.events:
        functions = recording.functions(event.name)
        assert sum(value for _, value in functions) == event.total
    assert functions[0][0] == "_start" and recording.facts["settings"] == "dcache.size=8K"
    assert recording.query("SELECT max(executions) FROM execution") == [(1000,)]
    assert recording.query("SELECT total FROM event WHERE name = ?", ["instr_exec"]) == [(8005,)]
    assert recording.lines("cycles") == []  # the program has no debug information
    with pytest.raises(KeyError, match="'itlb_miss' was not recorded; recorded: cycles, instr"):
        recording.functions("itlb_miss")
    with pytest.raises(Exception, match="readonly"):
        recording.query("DELETE FROM event")


def test_streams(tmp_path):
    path = tmp_path / "pmk.data"
    writes = [assemble("writes", WRITES)]
    with pmk.record(writes, "instr_exec", output=path, stdout=pmk.Stream.CAPTURE,
                    stderr=pmk.Stream.CAPTURE) as r:
        assert (r.stdout, r.stderr, r.exit_code) == (b"out\n", b"err\npmkerr", 7)
        assert r.notes == ()
    with pmk.record(writes, "instr_exec", output=path, stdout=tmp_path / "out",
                    stderr=pmk.Stream.STDOUT) as r:
        assert (r.stdout, r.stderr) == (None, None)
    assert sorted((tmp_path / "out").read_text().split()) == ["err", "out", "pmkerr"]
    with pytest.raises(TypeError, match="stdin: expected a path, a file or a descriptor"):
        pmk.record(writes, output=path, stdin=pmk.Stream.CAPTURE)


def test_what_cannot_be_recorded_leaves_the_old_file(recording, tmp_path):
    path = tmp_path / "pmk.data"
    path.write_bytes(b"old")
    for failure, words, command, options in (
            (pmk.Failure.NOT_FOUND, "/no/such/file: command not found", ["/no/such/file"], {}),
            (pmk.Failure.USAGE, "no option '--evnts=1'", [loop(10)], {"evnts": 1}),
            (pmk.Failure.USAGE, "", [loop(10)], {"events": "nonsense"})):
        with pytest.raises(pmk.CountError, match=words) as e:
            pmk.record(command, output=path, **options)
        assert e.value.failure is failure and not str(e.value).startswith("pmk"), e.value
        assert path.read_bytes() == b"old"
    with pytest.raises(TypeError, match="the command must be a list"):
        pmk.record("./prog")


def test_what_is_no_recording(tmp_path):
    with pytest.raises(FileNotFoundError):
        pmk.Recording(tmp_path / "none")
    for data, words in ((b"text" * 1000, "not a recording: "),
                        (b"", "not a recording of this version")):
        (tmp_path / "file").write_bytes(data)
        with pytest.raises(ValueError, match=words):
            pmk.Recording(tmp_path / "file")


def test_without_the_command(monkeypatch, tmp_path):
    program = loop(10)
    monkeypatch.setattr(pmk.recording, "library_path", lambda: str(tmp_path / "lib/libpmk.so.0"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pmk.CountError, match="there is no command pmk, which writes") as e:
        pmk.record([program], output=tmp_path / "pmk.data")
    assert e.value.failure is pmk.Failure.NOT_FOUND


INTERRUPTED = """
import sys
import pmk
try:
    pmk.record([sys.argv[1]], events="instr_exec", output=sys.argv[2])
except KeyboardInterrupt:
    print("interrupted", pmk.Recording(sys.argv[2]).facts["partial"])
"""


def test_ctrl_c_ends_it_and_keeps_what_was_recorded(tmp_path):
    """Ctrl-C ends the recording, and the file has what was recorded. The program prints that it
    runs, and then runs for ever."""
    endless = assemble("says", WRITES.replace("_start:", "_start: nop\n").replace(
        "mov	r0, #2", "b	."))
    env = dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python"))
    p = subprocess.Popen([sys.executable, "-c", INTERRUPTED, endless, tmp_path / "pmk.data"],
                         env=env, stdout=subprocess.PIPE, text=True)
    assert p.stdout.readline() == "out\n"
    p.send_signal(signal.SIGINT)
    assert p.stdout.read().split() == ["interrupted", "1"]
    assert p.wait() == 0
