# SPDX-License-Identifier: MIT
"""Boards on a wire, for the tests. One is an emulated board: its firmware behaves as an AHB Monitor
in the board's memory, and pmk reaches it through the emulator's GDB stub. The other is
jtag_board.c, to which Debian's OpenOCD is connected."""
import contextlib
import glob
import threading

from harness import *

BASE = 0x00200000  # address of the monitor in the memory of a raspi0

# Each round adds n + 1 to counter n, while the monitor is enabled. Offsets are those of
# data/layouts/sp816.ini. The source is also compiled for this machine. The monitor is then in the
# program's data or, with SHARED, in a shared file. A program with SHARED waits between rounds. It
# does not clear or preset counters, because pmk would not wait until it does.
MONITOR = """
#if defined(SHARED)
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORD words
static volatile unsigned *words;

__attribute__((constructor)) static void share(void)
{
	words = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, open(SHARED, O_RDWR), 0);
}
#elif defined(__arm__)
#define WORD ((volatile unsigned *)0x00200000)

__attribute__((naked, section(".text.start"))) void _start(void)
{
	__asm__ volatile("ldr sp, =0x00100000\\n\\tb main");
}
#else
volatile unsigned WORD[1024] __attribute__((section(".monitor"))) = { 0 };
#endif

int main(void)
{
	for (;;) {
#ifndef SHARED
		if (WORD[0x204 / 4]) {
			WORD[0x204 / 4] = 0;
			for (int i = 0; i < 91; i++)
				WORD[i] = 0;
		}
		if (WORD[0x208 / 4]) {
			WORD[0x208 / 4] = 0;
			WORD[0x200 / 4] &= ~1u;
			for (int i = 0; i < 91; i++)
				WORD[i] = 0x00200000 + 4 * i;
		}
#endif
		if (WORD[0x200 / 4] & 1)
			for (int i = 0; i < 91; i++)
				WORD[i] += STEP * (i + 1);
#ifdef SHARED
		usleep(1000);
#endif
	}
}
"""


def ports_of(pid):
    """Returns the TCP ports on which a process listens."""
    mine = set()
    for fd in glob.glob(f"/proc/{pid}/fd/*"):
        with contextlib.suppress(OSError):
            mine.add(os.readlink(fd))
    found = []
    for line in of_process(pid, "net/tcp").splitlines()[1:]:
        word = line.split()
        if word[3] == "0A" and f"socket:[{word[9]}]" in mine:
            found.append(int(word[1].split(":")[1], 16))
    return sorted(found)


def end(process):
    process.kill()
    process.wait()


def compiled(source, name, *flags):
    """Compiles firmware once for each name. Returns its path."""
    have("arm-none-eabi-gcc")
    path = os.path.join(WORK, name)
    if not os.path.exists(path + ".elf"):
        out = run("arm-none-eabi-gcc", "-mcpu=arm1176jzf-s", "-marm", "-O1", "-nostdlib",
                  "-ffreestanding", "-static", *flags, "-Wl,-Ttext=0x10000",
                  "-Wl,--build-id=none", "-x", "c", "-", "-o", f"{path}-{os.getpid()}",
                  stdin=source)
        assert out.code == 0, out
        os.rename(f"{path}-{os.getpid()}", path + ".elf")
    return path + ".elf"


def monitor_firmware(step, name):
    return compiled(MONITOR, f"wire-monitor-{name}", f"-DSTEP={step}")


@contextlib.contextmanager
def emulated(*options, emulator="qemu-system-arm"):
    """Returns a board in QEMU with a GDB stub on a port of the kernel's choice: (process, port)."""
    have(emulator)
    process = subprocess.Popen(
        [emulator, "-display", "none", "-monitor", "none", "-serial", "none", "-nic", "none",
         "-chardev", "socket,id=stub,host=127.0.0.1,port=0,server=on,wait=off",
         "-gdb", "chardev:stub", *options], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: ports_of(process.pid) or process.poll() is not None,
                   f"{emulator} opens no port")
        assert process.poll() is None, f"{emulator} {options} ended with {process.returncode}"
        yield process, ports_of(process.pid)[0]
    finally:
        end(process)


PROGRAM_BASE = 0x10200000


@contextlib.contextmanager
def debugged():
    """Runs the monitor as a program of this machine under Debian's gdbserver. Gives (process
    number, port). When the last connection is closed, the program continues by itself."""
    have("gcc", "gdbserver")
    path = os.path.join(WORK, f"wire-monitor-{os.getpid()}")
    out = run("gcc", "-x", "c", "-O1", "-no-pie", "-DSTEP=1",
              f"-Wl,--section-start=.monitor={PROGRAM_BASE:#x}", "-", "-o", path, stdin=MONITOR)
    assert out.code == 0, out
    process = subprocess.Popen(["gdbserver", "--once", "127.0.0.1:0", path],
                               stderr=subprocess.PIPE, text=True)
    pid = int(re.search(r"pid = (\d+)", process.stderr.readline())[1])
    try:
        yield pid, int(process.stderr.readline().split()[-1])
    finally:
        end(process)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)
        os.unlink(path)


@contextlib.contextmanager
def shared_monitor():
    """Runs the monitor as a program of this machine, in a shared file. Returns the file's path."""
    have("gcc")
    path = os.path.join(WORK, f"shared-monitor-{os.getpid()}")
    with open(path + ".mem", "wb") as f:
        f.truncate(1 << 20)
    out = run("gcc", "-x", "c", "-O1", "-DSTEP=1", f'-DSHARED="{path}.mem"', "-", "-o", path,
              stdin=MONITOR)
    assert out.code == 0, out
    process = subprocess.Popen([path])
    try:
        yield path + ".mem"
    finally:
        end(process)
        os.unlink(path)
        os.unlink(path + ".mem")


def killed_after_rows(n, pid, *argv):
    """Runs pmk stat -I on a shell that kills a process when pmk has printed n rows with a count. On
    a busy machine there may be intervals in which nothing was counted."""
    with tempfile.NamedTemporaryFile("w+") as said:
        row = "^ +[0-9.]+ +[0-9,]+ "
        script = (f"until [ $(grep -cE '{row}' {said.name}) -ge {n} ]; do sleep 0.02; done; "
                  f"kill -9 {pid}; exec sleep {2 * PATIENCE}")
        p = subprocess.run([PMK, "stat", *argv, "--", "sh", "-c", script], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=said, text=True, timeout=PATIENCE)
        said.seek(0)
        return Output(p.returncode, p.stdout, said.read())


@contextlib.contextmanager
def monitor(step="1", name="steps"):
    """Runs a monitor on an emulated board. In each round, counter i grows by `step`, an expression
    of C, times i + 1. Gives the board: (process, port)."""
    with emulated("-M", "raspi0", "-kernel", monitor_firmware(step, name)) as board:
        yield board


ARM11 = ("jtag newtap t cpu -irlen 5 -ircapture 0x1 -irmask 0x1f -expected-id 0x{:08x}; "
         "target create t.cpu arm11 -chain-position t.cpu")
# The commands that declare each board's TAP to OpenOCD.
TAPS = {
    "arm11": ARM11.format(0x07b76f0f),
    "closed": ARM11.format(0x07b76f0f),
    "arm1136": ARM11.format(0x07b36f0f),
    "arm1156": ARM11.format(0x07b56f0f),
    "arm11mpcore": ARM11.format(0x07b37f0f),
    "mdm": "jtag newtap f tap -irlen 6 -expected-id 0x0362d093",
}


class Probe:
    """OpenOCD, connected to the board of jtag_board.c."""

    def __init__(self, board, cycles):
        have("openocd")
        self.board = subprocess.Popen([os.path.join(BUILD, "tests", "jtag_board"), board,
                                       str(cycles)], stdout=subprocess.PIPE, text=True)
        port = int(self.board.stdout.readline())
        self.process = subprocess.Popen(
            ["openocd", "-c", "adapter driver remote_bitbang; remote_bitbang host 127.0.0.1; "
             f"remote_bitbang port {port}; gdb_port 0; telnet_port disabled; tcl_port 0; "
             f"{TAPS[board]}; init"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.ports = {}
        for line in self.process.stderr:
            found = re.search(r"Listening on port (\d+) for (tcl|gdb) conn", line)
            if found:
                self.ports[found[2]] = int(found[1])
            if len(self.ports) == (1 if board == "mdm" else 2):
                break
        # The log must be read, because otherwise the board would block.
        self.rest = threading.Thread(target=self.process.stderr.read)
        self.rest.start()

    def target(self, speaker="openocd"):
        return f"{speaker}:127.0.0.1:{self.ports['gdb' if speaker == 'gdb' else 'tcl']}"

    def enabled_cycles(self):
        """Ends OpenOCD and the board. Returns the number of cycles during which the counters of the
        board were enabled."""
        self.end()
        return int(self.board.stdout.read())

    def end(self):
        end(self.process)
        self.rest.join()
        self.board.wait()


@contextlib.contextmanager
def on_cable(name, kind="xvc", cycles=3):
    """Returns a board on a virtual cable: the target, and a function that returns, after the last
    connection is closed, during how many cycles the counters were enabled."""
    board = subprocess.Popen([os.path.join(BUILD, "tests", "jtag_board"), name, str(cycles), kind],
                             stdout=subprocess.PIPE, text=True)
    try:
        yield (f"xvc:127.0.0.1:{int(board.stdout.readline())}",
               lambda: int(board.stdout.readline()))
    finally:
        end(board)


@contextlib.contextmanager
def cable(kind="xvc", cycles=3):
    """Connects the FPGA to a virtual cable. Gives the argument of pmk's -T."""
    with on_cable("mdm", kind, cycles) as (target, _):
        yield target


@contextlib.contextmanager
def openocd(board, cycles=3):
    probe = Probe(board, cycles)
    try:
        yield probe
    finally:
        probe.end()
