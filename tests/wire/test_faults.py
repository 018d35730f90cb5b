# SPDX-License-Identifier: MIT
"""Tests faults between pmk and a probe, a stub or a cable. A proxy forwards both directions. At one
byte of the server's stream it truncates, changes the data, goes silent, or resets the connection.
Each time pmk prints one line and ends."""
import contextlib
import socket
import struct
import threading
import time

from boards import *

MANY = 65536


class Between:
    """A proxy. The fault happens at byte `at` of the server's stream, counted over the whole
    connection, so it does not depend on how the bytes are grouped."""

    def __init__(self, speaker, port, fault, at):
        self.port, self.fault, self.at = port, fault, at
        # On a cable, all bytes are valid data, and pmk reads a few of them in each interval.
        self.repeats = 100 if speaker == "xvc" else 5000
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.accept)]
        self.threads[0].start()

    def accept(self):
        with contextlib.suppress(OSError):
            client = self.listening.accept()[0]
            server = socket.create_connection(("127.0.0.1", self.port))
            self.threads.append(threading.Thread(target=self.forward, args=(client, server)))
            self.threads[-1].start()
            self.answer(server, client)
            self.over.wait()
            client.close()
            server.close()

    def forward(self, client, server):
        with contextlib.suppress(OSError):
            while said := client.recv(MANY):
                server.sendall(said)
            server.shutdown(socket.SHUT_RDWR)

    def answer(self, server, client):
        seen = 0
        while said := server.recv(MANY):
            if seen + len(said) > self.at:
                client.sendall(said[:self.at - seen])
                said, seen = said[self.at - seen:], self.at
                if self.fault != "late":
                    self.fail(client, said)
                    return
                time.sleep(0.1)
                self.at += 500
            client.sendall(said)
            seen += len(said)

    def fail(self, client, rest):
        if self.fault == "short":
            client.shutdown(socket.SHUT_WR)
        elif self.fault == "garbage":
            client.sendall(bytes(b ^ 0xa5 for b in rest) + b"\xff\x00\r\n$" * self.repeats)
        elif self.fault == "reset":
            # The other thread reads from this socket. It must end before the socket is closed.
            client.shutdown(socket.SHUT_RD)
            self.threads[-1].join()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
        # for "silence", send nothing more

    def end(self):
        self.over.set()
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        for thread in self.threads:
            thread.join()


@contextlib.contextmanager
def between(target, fault, at):
    speaker, host, port = target.split(":")
    made = Between(speaker, int(port), fault, at)
    try:
        yield f"{speaker}:{host}:{made.listening.getsockname()[1]}"
    finally:
        made.end()


FAULTS = ("short", "garbage", "silence", "reset")
# pmk's message for each fault. Garbage has no fixed message: it may look like a value, or like the
# end of the connection.
SAYS = {"short": "the other side closed the connection",
        "silence": "no reply within 500 ms; it may hang, or use another protocol",
        "reset": "the connection broke: "}


@contextlib.contextmanager
def target(speaker):
    with (cable() if speaker == "xvc" else openocd("arm11")) as board:
        yield (board, "--pmu", "microblaze", "-e", "clock_cycles") if speaker == "xvc" else (
            board.target(speaker), "-e", "cycles")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("speaker", ["openocd", "gdb", "xvc"])
def test_at_the_beginning(speaker, fault):
    """If the fault comes while the connection is made, nothing is counted, and pmk prints one
    line."""
    with target(speaker) as (where, *words), between(where, fault, 5) as at:
        out = pmk("stat", "-T", at, *words, "--set", "patience=500", "--timeout", "100")
        equal((out.code, len(out.err.splitlines())), (125, 1), out)
        contains(out.err, f"pmk: {at}: ")
        contains(out.err, SAYS.get(fault, at))
        assert all(c >= " " for c in out.err[:-1]), out


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("speaker", ["openocd", "gdb", "xvc"])
def test_in_the_middle(speaker, fault):
    """If the fault comes after some intervals, pmk prints the counts and ends its program. Silence,
    which also follows garbage, ends with a timeout. For other faults the timeout is long, because
    replies may be late on a busy machine."""
    patience = 500 if fault in ("silence", "garbage") else 60000
    interval = 1 if speaker == "xvc" else 10  # in an interval, little of a cable's stream is read
    with target(speaker) as (where, *words), between(where, fault, 3000) as at:
        out = pmk("stat", "-T", at, *words, "--set", f"patience={patience}", "-I", interval,
                  "--summary", "--", "sleep", "600")
        equal(out.code, 125, out)
        contains(out.err, "the counts end at the last reading")
        warnings = [line for line in out.err.splitlines() if line.startswith(" warning: ")]
        equal(len(warnings), 1, out)
        contains(warnings[0], SAYS.get(fault, at))
        values = [int(n.replace(",", ""))
                  for n in re.findall(r"([\d,]+) +(?:clock_)?cycles", out.err)]
        assert len(values) > 2 and values[-1] == sum(values[:-1]) > 0, out


@pytest.mark.parametrize("speaker", ["openocd", "gdb", "xvc"])
def test_replies_that_come_late(speaker):
    """pmk reads replies that come in pieces, and late, but before the timeout."""
    with target(speaker) as (where, *words), between(where, "late", 5) as at:
        doc = stat("-T", at, *words, "--timeout", "300")
    assert doc["counters"][0]["counter-value"] > 0, doc
    equal((doc["counters"][0]["trust"], doc["partial"]), ("measured", False))


@pytest.mark.parametrize("speaker", ["openocd", "gdb", "xvc"])
def test_doctor(speaker):
    """pmk doctor's message names the step at which the fault came."""
    with target(speaker) as (where, *words), between(where, "silence", 5) as at:
        out = pmk("doctor", "-T", at, *words[:2 if speaker == "xvc" else 0], "--set",
                  "patience=500", "-j")
    step = json.loads(out.out)["target"]["steps"][-1]
    equal((out.code, step["name"], step["status"]), (125, "connection", "broken"))
    contains(step["text"], SAYS["silence"])
