# SPDX-License-Identifier: MIT
"""Runs a program in a QEMU that logs each executed block, with one instruction per block. The tests
compare pmk's counts with this log. The log is large (100 bytes per instruction), so it is read
through a FIFO and never stored."""
import contextlib
import ctypes
import os
import sys
import threading

from harness import *

# The variables that pmk passes to a program (src/count/program_env.c).
ENVIRONMENT = ["PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/", "LANG=C"]
OPTIONS = ["-seed", "1", "-s", "8388608", "-r", "6.1.0"]
ADDR_NO_RANDOMIZE = 0x0040000


def version(emulator):
    return tuple(int(n) for n in re.search(r" version (\d+)\.(\d+)",
                                           run(emulator, "--version").out).groups())


def has_vdso(emulator):
    """Returns true for QEMU 8.2 and newer, which gives ARM and A64 programs a vDSO that no option
    removes."""
    return os.path.basename(emulator) in ("qemu-arm", "qemu-aarch64") and version(emulator) >= (8,
                                                                                                2)


def alone(emulator, logging, cpu, more, program, argv):
    """Runs QEMU without a plugin, in the environment in which pmk runs it."""
    # The parent of QEMU is a new shell, which takes the place of a new pmk: the digits of the
    # parent's process number can affect counts (see test_debian_bash). The shell adds no variables.
    through = ["/bin/sh", "-c", '"$@"; exit $?', "sh", "env", "-i", *ENVIRONMENT]
    libc = ctypes.CDLL(None)
    p = subprocess.run([*through, emulator, *(["-cpu", cpu] if cpu else []), *logging, *OPTIONS,
                        *more, "-0", program, program, *argv],
                       input="", capture_output=True, text=True, errors="replace", timeout=PATIENCE,
                       preexec_fn=lambda: libc.personality(ADDR_NO_RANDOMIZE))
    return Output(p.returncode, p.stdout, p.stderr)


# A wrapper that starts an emulator with more options. It passes its environment on unchanged,
# because the program would see variables that a shell or Python adds.
WRAPPER = """#!{python} -I
import os, sys
with open("/proc/self/environ", "rb") as f:
    environment = dict(v.split(b"=", 1) for v in f.read().split(b"\\0")[:-1])
more = [] if sys.argv[1] == "--version" else {more}
os.execve("{emulator}", [sys.argv[0], *more, *sys.argv[1:]], environment)
"""


@contextlib.contextmanager
def wrapped(emulator, more):
    """Returns the environment in which pmk starts the emulator with more options."""
    place = os.path.join(WORK, f"wrapped-{os.getpid()}")
    os.makedirs(place, exist_ok=True)
    wrapper = os.path.join(place, os.path.basename(emulator))
    with open(wrapper, "w") as f:
        f.write(WRAPPER.format(python=sys.executable, more=more, emulator=emulator))
    os.chmod(wrapper, 0o755)
    yield dict(os.environ, PMK_QEMU_DIR=place)
    shutil.rmtree(place)


def prepared(emulator, logging, core, program, argv):
    """Starts QEMU as pmk starts it, so the plugin hides the vDSO. The plugin's counts in this run
    are ignored."""
    with wrapped(emulator, logging) as env:
        return pmk("stat", "-o", "/dev/null", "--core", core, program, *argv, stdin="", env=env)


def logged(emulator, read, program, *argv, what="exec,nochain", cpu="", core="", more=()):
    """Runs the program in QEMU, while a thread calls read(path) with the path of the log's FIFO.
    Returns the program's output and exit code."""
    emulator = emulator_in_path(emulator)
    fifo = os.path.join(WORK, f"trace-{os.getpid()}")
    if os.path.exists(fifo):
        os.unlink(fifo)
    os.mkfifo(fifo)
    reader = threading.Thread(target=read, args=(fifo,), daemon=True)
    reader.start()
    # QEMU 8.1 and newer have another name for -singlestep.
    single = "-one-insn-per-tb" if "one-insn-per-tb" in run(emulator,
                                                            "-help").out else "-singlestep"
    logging = [single, "-d", what, "-D", fifo]
    if has_vdso(emulator):
        out = prepared(emulator, logging, core, program, argv)
    else:
        out = alone(emulator, logging, cpu, more, program, argv)
    try:
        # If the emulator never started, the reader still waits for a writer.
        os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        pass
    reader.join()
    os.unlink(fifo)
    return out
