# SPDX-License-Identifier: MIT
"""pmk stat and pmk doctor -T xvc access a board on a virtual cable (jtag_board.c): an FPGA with a
MicroBlaze, or an ARM11. The board's TAP is the only one on the chain, or there are other TAPs
before and after it. With other TAPs, the server takes 24 bits at once. Each clock of the TAP is
three cycles and an instruction. Some servers send wrong replies."""
import contextlib
import socket
import threading

from boards import *

MICROBLAZE = ("--pmu", "microblaze", "-e", "clock_cycles,insn_executed,load_word")
CHAIN = ("--set", "before=4,after=5+7")


@pytest.mark.parametrize("kind,chain", [("xvc", ()), ("chain", CHAIN)])
def test_a_microblaze(kind, chain):
    with cable(kind) as target:
        doc = stat("-T", target, *MICROBLAZE, *chain, "--set", "tck=100", "--timeout", "300")
    counted = counts(doc)
    equal({row["trust"] for row in doc["counters"]}, {"measured"})
    equal(counted["clock_cycles"], 3 * counted["insn_executed"])
    assert counted["clock_cycles"] > 0 and counted["load_word"] == 0, counted


@pytest.mark.parametrize("kind,chain", [("xvc", ()), ("chain", CHAIN)])
def test_doctor(kind, chain):
    with cable(kind) as target:
        out = pmk("doctor", "-T", target, "--pmu", "microblaze", *chain, "-j")
    steps = json.loads(out.out)["target"]["steps"]
    equal((out.code, {s["status"] for s in steps}), (0, {"ok"}), out)
    contains(steps[-1]["text"], "insn_executed: ")


# ---- an ARM11 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind,chain", [("xvc", ()), ("chain", CHAIN)])
@pytest.mark.parametrize("processor", ["arm1176", "arm1136", "arm1156", "arm11mpcore"])
def test_an_arm11(processor, kind, chain):
    """Between enabling and disabling only the program runs, with three cycles per instruction, so
    both counts equal the board's own exactly."""
    board = "arm11" if processor == "arm1176" else processor
    with on_cable(board, kind) as (target, enabled):
        doc = stat("-T", target, "--pmu", processor, "-e", "cycles,instructions", *chain,
                   "--set", "tck=100", "--timeout", "300")
        cycles = enabled()
    counted = counts(doc)
    equal({row["trust"] for row in doc["counters"]}, {"measured"})
    equal(counted, {"cycles": cycles - 3, "instructions": (cycles - 3) // 3})
    assert cycles > 300, doc


def test_doctor_of_an_arm11():
    with on_cable("arm11") as (target, _):
        out = pmk("doctor", "-T", target, "--pmu", "arm1176", "-j")
    steps = json.loads(out.out)["target"]["steps"]
    equal((out.code, {s["status"] for s in steps}), (0, {"ok"}), out)


def test_another_processor():
    for board, pmu, says in (("arm1136", "arm1176", "not an arm1176; use --pmu arm1136"),
                             ("mdm", "arm1176",
                              "the instructions of its chain do not add up to 5 bits")):
        with on_cable(board) as (target, _):
            out = pmk("stat", "-T", target, "--pmu", pmu, "--timeout", "100")
        equal(len(out.err.splitlines()), 1, out)
        contains(out.err, says)


# ---- what is wrong -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind,chain,says", [
    ("xvc", "irlen=8", "the instructions of its chain do not add up to 8 bits"),
    ("xvc", "irlen=5", "the instructions of its chain do not add up to 5 bits"),
    ("xvc", "before=4", "the instructions of its chain do not add up to 10 bits"),
    ("chain", "irlen=6", "the instructions of its chain do not add up to 6 bits"),
    ("chain", "before=4,after=5", "the instructions of its chain do not add up to 15 bits"),
    ("chain", "before=4,after=12", "its chain does not have 3 TAPs"),
    ("chain", "irlen=22", "its chain does not have 1 TAPs"),
])
def test_another_chain(kind, chain, says):
    with cable(kind) as target:
        out = pmk("stat", "-T", target, *MICROBLAZE, "--set", chain, "--timeout", "300")
    equal((out.code, len(out.err.splitlines())), (125, 1), out)
    contains(out.err, f"{target}: {says}; check irlen=, before= and after= of --set")


@pytest.mark.parametrize("kind", ["xvc", "openocd"])
def test_another_instruction(kind):
    """USER1 has no data register, so it reads like BYPASS. pmk reports this."""
    with contextlib.ExitStack() as stack:
        if kind == "xvc":
            target = stack.enter_context(cable())
        else:
            target = stack.enter_context(openocd("mdm")).target()
        out = pmk("stat", "-T", target, *MICROBLAZE, "--set", "user=0x02", "--timeout", "300")
        equal((out.code, len(out.err.splitlines())), (125, 1), out)
        contains(out.err, f"{target}: no debug module responds to the instruction 0x02: its "
                          "configuration reads 0x00000000, which does not begin with 0x42; check "
                          "that --set user= is the USER instruction")
        if kind == "openocd":
            out = pmk("doctor", "-T", target, "--pmu", "microblaze", "--set", "user=0x02", "-j")
            step = json.loads(out.out)["target"]["steps"][-1]
            equal((out.code, step["name"], step["status"]), (125, "access", "broken"))
            contains(step["text"], "no debug module responds")


def test_another_number_of_processors():
    with cable() as target:
        out = pmk("stat", "-T", target, *MICROBLAZE, "--set", "ports=2", "--timeout", "300")
    equal((out.code, len(out.err.splitlines())), (125, 1), out)
    contains(out.err, "the debug module has 1 processor, not 2; use --set ports=1")


@contextlib.contextmanager
def server(serve):
    """Returns a server on a port of the kernel's choice. serve(connection) is called for each
    connection in turn."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        def accept():
            with contextlib.suppress(OSError):
                while True:
                    with listening.accept()[0] as connection:
                        serve(connection)

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield f"xvc:127.0.0.1:{listening.getsockname()[1]}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
    thread.join()


def replying(first, bits):
    """Returns a server that replies `first` to getinfo, and replies to each shift with bits that
    are all equal."""
    def serve(connection):
        with contextlib.suppress(ConnectionError):
            connection.recv(8, socket.MSG_WAITALL)
            connection.sendall(first)
            while connection.recv(6, socket.MSG_WAITALL):
                n = (int.from_bytes(connection.recv(4, socket.MSG_WAITALL), "little") + 7) // 8
                connection.recv(2 * n, socket.MSG_WAITALL)
                connection.sendall(bytes([bits] * n))

    return serve


INFO = b"xvcServer_v1.0:2048\n"


@pytest.mark.parametrize("first,bits,says", [
    (INFO, 0x00, "no TAP responds, TDO is always 0; check the board's power"),
    (INFO, 0xff, "no TAP responds, TDO is always 1; check the board's power"),
    (INFO, 0x55, "the instructions of its chain do not add up to 6 bits"),
    (b"HTTP/1.1 400 Bad Request\r\n\n", 0, "is not a reply from an XVC server; check the port"),
    (b"xvcServer_v2.0:2048\n", 0, "'xvcServer_v2.0:2048' is not a reply from an XVC server"),
    (b"xvcServer_v1.0:\n", 0, "is not a reply from an XVC server"),
    (b"xvcServer_v1.0:many\n", 0, "is not a reply from an XVC server"),
    (b"x" * 200, 0, "is not a reply from an XVC server"),
    (b"xvcServer_v1.0:4\n", 0, "the server takes vectors of 4 bits, and at least 8 are needed"),
    (b"xvcServer_v1.0:2048", 0, "no reply within 200 ms"),
    (b"", 0, "no reply within 200 ms"),
])
def test_a_server_that_is_none(first, bits, says):
    with server(replying(first, bits)) as target:
        out = pmk("stat", "-T", target, *MICROBLAZE, "--set", "patience=200", "--timeout", "300")
    equal((out.code, len(out.err.splitlines())), (125, 1), out)
    contains(out.err, says)
    contains(out.err, f"pmk: {target}: ")


def test_a_server_that_goes_away():
    """If the server goes away in the middle, pmk prints the counts so far."""
    with cable() as target:
        p = subprocess.Popen([PMK, "stat", "-T", target, *MICROBLAZE, "-I", "20", "--summary",
                              "sleep", "600"], stderr=subprocess.PIPE, text=True)
        lines = [p.stderr.readline() for _ in range(12)]
    rest = "".join(lines) + p.communicate(timeout=PATIENCE)[1]
    equal(p.returncode, 125)
    contains(rest, "the counts end at the last reading")
    counted = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) +clock_cycles", rest)]
    assert len(counted) > 2 and counted[-1] == sum(counted[:-1]) > 0, rest


@cases("words,says", [
    (("-T", "xvc"), "expected xvc:HOST:PORT"),
    (("-T", "xvc:host", *MICROBLAZE), "expected xvc:HOST:PORT"),
    (("-T", "xvc::1", "--pmu", "cortex-a53"), "-T xvc only scans the JTAG chain: give --pmu of an"),
    (("-T", "xvc::1", "--set", "before=1"), "as in before=4+6"),
    (("-T", "xvc::1", "--pmu", "l220", "--set", "base=0"), "only scans the JTAG chain"),
    (("-T", "xvc::1", *MICROBLAZE, "--set", "base=0x1000"), "without --set base and node"),
    (("-T", "xvc::1", *MICROBLAZE, "--set", "before=4+"), "as in before=4+6"),
    (("-T", "xvc::1", *MICROBLAZE, "--set", "before=1"), "as in before=4+6"),
    (("-T", "xvc::1", *MICROBLAZE, "--set", "after=+4"), "as in before=4+6"),
    (("-T", "xvc::1", *MICROBLAZE, "--set", "after=4/6"), "as in 4 or 4+6"),
    (("-T", "xvc::1", *MICROBLAZE, "--set", "after=" + "+".join(["4"] * 13)), "12 other TAPs"),
])
def test_wrong_usage(words, says):
    out = pmk("stat", *words, "--timeout", "100")
    equal((out.code, len(out.err.splitlines())), (129, 1), out)
    contains(out.err, says)
