# SPDX-License-Identifier: MIT
"""Builds perf.data files record by record, according to perf.data-file-format.txt and perf_event.h,
so that the tests know every number in them."""
import struct

IP, TID, TIME, CALLCHAIN, PERIOD, IDENTIFIER = 1, 2, 4, 1 << 5, 1 << 8, 1 << 16
MMAP, LOST, COMM, EXIT, THROTTLE, FORK, SAMPLE, MMAP2 = 1, 2, 3, 4, 5, 7, 9, 10
AUXTRACE = 71
KERNEL, USER = 1, 2
EXEC = DATA = 1 << 13
HAS_BUILD_ID = 1 << 14
IN_KERNEL, IN_USER = -128 & (1 << 64) - 1, -512 & (1 << 64) - 1
HARDWARE, SOFTWARE = 0, 1
SAMPLE_ID_ALL = 1 << 18
ATTR = 128
FEATURES = {"build_id": 2, "osrelease": 4, "version": 5, "arch": 6, "cmdline": 11,
            "event_desc": 12}


def padded(text, room=8):
    raw = text.encode() + b"\0"
    return raw + bytes(-len(raw) % room)


def sized(text):
    """Returns a string in a feature section: its padded length, then its bytes."""
    raw = padded(text, 4)
    return struct.pack("<I", len(raw)) + raw


class PerfFile:
    """Builds a file as `perf record` writes it. `events` has (name, type, config) of each event.
    Samples and other records contain the ID of an event and a time."""

    def __init__(self, events=(("cpu-clock", SOFTWARE, 0),), chains=False, names=True):
        self.events, self.chains, self.names = events, chains, names
        self.records, self.features = [], {}
        self.type = IDENTIFIER | IP | TID | TIME | PERIOD | (CALLCHAIN if chains else 0)
        self.feature("version", sized("6.1"))
        self.feature("arch", sized("x86_64"))
        self.feature("cmdline", struct.pack("<I", 2) + sized("perf") + sized("record"))

    def feature(self, name, data):
        self.features[FEATURES[name]] = data

    def raw(self, kind, body, misc=0):
        self.records.append(struct.pack("<IHH", kind, misc, 8 + len(body)) + body)

    def record(self, kind, body, pid, time, misc=0, tid=None):
        """Appends a record that is not a sample."""
        trailer = struct.pack("<IIQQ", pid, tid or pid, time, self.id(0))
        self.raw(kind, body + trailer, misc)

    @staticmethod
    def id(event):
        return 100 + event

    def sample(self, pid, ip, time, period=1000, event=0, mode=USER, chain=(), tid=None):
        body = struct.pack("<QQIIQQ", self.id(event), ip, pid, tid or pid, time, period)
        if self.chains:
            body += struct.pack(f"<{1 + len(chain)}Q", len(chain), *chain)
        self.raw(SAMPLE, body, mode)

    def mmap2(self, pid, start, length, offset, path, time, build_id=None):
        inner = (struct.pack("<BBH20s", len(build_id), 0, 0, build_id) if build_id
                 else struct.pack("<IIQQ", 8, 1, 1234, 0))
        body = struct.pack("<IIQQQ", pid, pid, start, length, offset) + inner
        body += struct.pack("<II", 5, 2) + padded(path)
        self.record(MMAP2, body, pid, time, USER | (HAS_BUILD_ID if build_id else 0))

    def mmap(self, pid, start, length, offset, path, time, misc=USER):
        body = struct.pack("<IIQQQ", pid, pid, start, length, offset) + padded(path)
        self.record(MMAP, body, pid, time, misc)

    def comm(self, pid, name, time, exec=False, tid=None):
        body = struct.pack("<II", pid, tid or pid) + padded(name)
        self.record(COMM, body, pid, time, EXEC if exec else 0, tid)

    def fork(self, pid, parent, time, tid=None, parent_tid=None):
        body = struct.pack("<IIIIQ", pid, parent, tid or pid, parent_tid or parent, time)
        self.record(FORK, body, pid, time)

    def lost(self, n, time):
        self.record(LOST, struct.pack("<QQ", self.id(0), n), 1, time)

    def throttle(self, time):
        self.record(THROTTLE, struct.pack("<QQQ", time, self.id(0), self.id(0)), 1, time)

    def auxtrace(self, data):
        """Appends a record whose data follow it in the file."""
        self.raw(AUXTRACE, struct.pack("<QQQIIII", len(data), 0, 0, 0, 0, 0, 0))
        self.records[-1] += data

    def attr(self, kind, config):
        head = struct.pack("<IIQQQQQ", kind, ATTR, config, 1000, self.type, 0, SAMPLE_ID_ALL)
        return head + bytes(ATTR - len(head))

    def bytes(self):
        ids_at, n = 104, len(self.events)
        attrs_at = ids_at + 8 * n
        data_at = attrs_at + n * (ATTR + 16)
        data = b"".join(self.records)
        self.features.pop(FEATURES["event_desc"], None)
        if self.names:
            desc = struct.pack("<II", n, ATTR)
            for i, (name, kind, config) in enumerate(self.events):
                desc += self.attr(kind, config) + struct.pack("<I", 1) + sized(name)
                desc += struct.pack("<Q", self.id(i))
            self.feature("event_desc", desc)
        table, at, bits, sections = b"", data_at + len(data) + 16 * len(self.features), 0, b""
        for number, content in sorted(self.features.items()):
            table += struct.pack("<QQ", at, len(content))
            at += len(content)
            sections += content
            bits |= 1 << number
        head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, ATTR + 16, attrs_at, n * (ATTR + 16),
                                         data_at, len(data), 0, 0)
        head += struct.pack("<QQQQ", bits, 0, 0, 0)
        ids = b"".join(struct.pack("<Q", self.id(i)) for i in range(n))
        attrs = b"".join(self.attr(k, c) + struct.pack("<QQ", ids_at + 8 * i, 8)
                         for i, (_, k, c) in enumerate(self.events))
        return head + ids + attrs + data + table + sections


def of_everything():
    """Returns a perf.data file with every kind of record. The fuzzer starts from it."""
    f = PerfFile((("cpu-clock", SOFTWARE, 0), ("cycles:u", HARDWARE, 0)), chains=True)
    f.comm(10, "first", 1)
    f.mmap(10, 0x400000, 0x1000, 0, "/nowhere/prog", 2)
    f.mmap2(10, 0x500000, 0x2000, 0x1000, "/nowhere/lib.so", 3, bytes(range(20)))
    f.mmap(10, 0x7000000, 0x1000, 0, "//anon", 3)
    f.fork(11, 10, 4)
    f.sample(10, 0x400010, 5, chain=(IN_USER, 0x400010, 0x500020, 0x400030))
    f.sample(11, 0x400010, 7, event=1, chain=(IN_USER, 0x400010))
    f.comm(11, "second", 6, exec=True)
    f.sample(10, 0xffffffff81000010, 8, mode=KERNEL,
             chain=(IN_KERNEL, 0xffffffff81000010, IN_USER, 0x7000010))
    f.lost(5, 9)
    f.throttle(9)
    f.auxtrace(b"anything")
    f.raw(68, b"")
    f.raw(200, bytes(16))
    f.feature("build_id", struct.pack("<IHHi20sI", 0, USER, 8 + 28 + 16, -1, bytes(20), 0)
              + padded("/nowhere/prog", 16))
    return f.bytes()
