# SPDX-License-Identifier: MIT
"""While a long program runs, pmk shows a progress line, but only on a terminal."""
import os
import pty
import re
import subprocess
import time

from harness import *
from programs import loop, program

LINE = r"pmk: (\d+\.\d{3}) s of the guest, (\d+\.\d) million instructions, (\d+) MIPS"
SPIN = "int main(void) { for (;;) __asm__ volatile (\"\"); }"
# Executes very little, and then waits for input.
WAIT = "#include <stdio.h>\nint main(void) { return getchar() == EOF; }"


def on_terminal(*argv, seconds=None, cwd=None):
    """Returns the exit code and everything that pmk writes to a terminal, which sends Ctrl-C after
    this many seconds."""
    ours, theirs = pty.openpty()
    p = subprocess.Popen([PMK, *map(str, argv)], stdin=theirs, stdout=theirs, stderr=theirs,
                         start_new_session=True, cwd=cwd)
    os.close(theirs)
    text, began = b"", time.monotonic()
    while True:
        if seconds and time.monotonic() - began > seconds:
            os.killpg(p.pid, 2)
            seconds = None
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(ours)
    return p.wait(timeout=PATIENCE), text.decode()


def seconds_used(pid):
    """Returns the processor time of the emulator that this pmk started."""
    fields = [of_process(child, "stat").rpartition(")")[2].split() for child in children(pid)]
    return sum(int(f[11]) + int(f[12]) for f in fields if f) / os.sysconf("SC_CLK_TCK")


def shown(text):
    return [(float(s), float(n), int(mips)) for s, n, mips in re.findall(LINE, text)]


def test_stat_shows_the_progress_of_the_program():
    """The line shows the cycles and instructions of the run so far."""
    for options in ((), ("--region", "main")):
        code, text = long_enough(lambda factor: on_terminal(
            "stat", "--timeout", 2500 * factor, "-e", "cycles,instr_exec", *options,
            program("spin", SPIN)), lambda found: len(shown(found[1])) >= 2)
        equal(code, 0, text)
        lines = shown(text)
        assert len(lines) >= 2, text
        equal(lines, sorted(lines))
        total = int(re.search(r"([\d,]+) +instr_exec", text).group(1).replace(",", ""))
        for seconds, millions, mips in lines:
            assert millions * 1e6 <= total + 50000, text  # the line shows a rounded number
            assert 0.5 < millions / (seconds * 700) < 1.5, text  # the core has 700 MHz
            assert mips > 0, text
        # pmk rewrites the line in place, and erases it at the end.
        last = text.rindex("MIPS")
        assert re.match(r"MIPS *\r +\r", text[last:]), text[last:]
        equal(text[:last].count("\n"), 0, text)


def test_without_a_clock():
    """If pmk counts only instructions, it models no clock, so the line shows no guest time."""
    code, text = on_terminal("stat", "--timeout", "2500", "-e", "instr_exec",
                             program("spin", SPIN))
    equal(code, 0, text)
    assert re.search(r"\rpmk: [\d.]+ million instructions, \d+ MIPS", text), text
    assert "of the guest" not in text, text


def test_record_does_so_too(tmp_path):
    code, text = on_terminal("record", "-e", "instr_exec", program("spin", SPIN), seconds=2.5,
                             cwd=tmp_path)
    equal(code, 130, text)
    assert len(shown(text)) >= 2, text
    assert re.search(r"MIPS *\r +\r.*pmk record: wrote", text, re.S), text


def test_notes_erase_the_line():
    """The text of an interval erases the progress line."""
    code, text = on_terminal("stat", "--timeout", "3000", "-I", "100", "-e", "instr_exec",
                             program("spin", SPIN))
    assert shown(text), text
    for line in re.split(r"[\r\n]+", text):
        if "MIPS" in line:
            assert re.fullmatch(LINE + " *", line), repr(line)


def test_short_programs_show_nothing():
    code, text = on_terminal("stat", "-e", "instr_exec", loop(1000))
    assert code == 3 and "MIPS" not in text and "\r " not in text, repr(text)


def test_a_program_that_waits_has_the_terminal_for_itself():
    code, text = on_terminal("stat", "--timeout", "2500", "-e", "instr_exec",
                             program("waits", WAIT))
    assert code == 0 and "MIPS" not in text, repr(text)


def test_nothing_in_pipes(tmp_path):
    for command in ("stat", "record"):
        p = subprocess.Popen([PMK, command, "-e", "instr_exec", program("spin", SPIN)],
                             stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        # pmk has used so much processor time that it would have shown lines on a terminal.
        wait_until(lambda: seconds_used(p.pid) > 1.5, "the program does not run")
        p.send_signal(2)
        err = p.communicate(timeout=PATIENCE)[1]
        assert "MIPS" not in err and "\r" not in err, err
