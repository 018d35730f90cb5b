# SPDX-License-Identifier: MIT
"""Makes recordings row by row, in the schema of src/profile/recording/database.c. Every number in
the recording of sample() is known."""
import re
import sqlite3

from harness import *

ID = 0x706d6b72
EXECUTED = "instr_exec"
EVENTS = ("cpu_cycles", "instr_exec", "dcache_miss")


def schema():
    with open(os.path.join(SOURCE, "src/profile/recording/database.c")) as f:
        text = f.read()
    body = re.search(r"pmk_database_schema\[\] =(.*?\");\n", text, re.S).group(1)
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', body))


class Recording:
    """Writes a recording. Rows are found by their names, and their ids count from 1. ran() gets the
    counts of an instruction in one context and one thread; the totals follow from these counts."""

    def __init__(self, path, version=5, **meta):
        if os.path.exists(path):
            os.unlink(path)
        self.path = str(path)
        self.db = sqlite3.connect(path)
        self.db.executescript(schema())
        self.db.execute(f"PRAGMA application_id={ID}")
        self.db.execute(f"PRAGMA user_version={version}")
        self.ids, self.codes, self.rows = {}, {}, {}
        meta = {"command": "./prog -n 3", "core": "arm1176", "producer": "qemu-arm 7.2.22",
                "isa": "arm", "settings": "", **meta}
        self.db.executemany("INSERT INTO meta VALUES(?, ?)", meta.items())

    def insert(self, table, **columns):
        row = self.db.execute(f"INSERT INTO {table}({', '.join(columns)}) "
                              f"VALUES({', '.join('?' * len(columns))})", list(columns.values()))
        return row.lastrowid

    def named(self, table, key, /, **columns):
        self.ids[table, key] = self.insert(table, **columns)

    def event(self, name, pmu="arm1176", trust="exact", reason=None):
        self.named("event", name, name=name, pmu=pmu, trust=trust, reason=reason)

    def object(self, path, kind="file", build_id=None):
        self.named("object", path, path=path, kind=kind, build_id=build_id, bias=0)

    def thread(self, process, cpu):
        """Adds a thread; threads are numbered from 0. All threads must exist before ran() is
        called."""
        number = sum(table == "thread" for table, _ in self.ids)
        self.named("thread", (process, cpu), id=number, process=process, cpu=cpu)

    def file(self, path):
        if path is not None and ("file", path) not in self.ids:
            self.named("file", path, path=path)
        return self.ids.get(("file", path))

    def function(self, name, address, file=None, line=None, symbol=None, obj=None, size=None):
        """Adds a function to the object `obj`, or to the most recently added object."""
        self.named("function", name, object=self.object_of(obj), name=name, symbol=symbol or name,
                   address=address, size=size, file=self.file(file), line=line)

    def inlined(self, name, file=None, line=None, parent=None, symbol=None):
        self.named("inlined", name, parent=self.ids.get(("inlined", parent)), name=name,
                   symbol=symbol, file=self.file(file), line=line)

    def object_of(self, path):
        return (self.ids["object", path] if path
                else max(i for (table, _), i in self.ids.items() if table == "object"))

    def code(self, address, function=None, file=None, line=None, flow="next", conditional=0,
             target=None, inlined=None, obj=None, data=bytes(4), mode="a32"):
        self.codes[address] = self.insert(
            "code", object=self.object_of(obj), address=address, bytes=data, mode=mode,
            flow=flow, conditional=conditional, target=target,
            function=self.ids.get(("function", function)),
            inlined=self.ids.get(("inlined", inlined)), file=self.file(file), line=line)

    def context(self, name, parent=None, function=None, site=None, calls=0):
        """Adds a context. The first is the root, number 0."""
        number = sum(table == "context" for table, _ in self.ids)
        self.named("context", name, id=number, number=number,
                   parent=self.ids.get(("context", parent)),
                   function=self.ids.get(("function", function)), site=self.codes.get(site),
                   calls=calls)

    def ran(self, address, executions, taken=0, context=None, thread=(0, 0), **counts):
        """Adds executions of an instruction. They are also its count of instr_exec, if the
        recording has this event."""
        code = self.codes[address]
        threads = sum(table == "thread" for table, _ in self.ids)
        place = self.ids.get(("context", context), 0) * threads + self.ids["thread", thread]
        # Each instruction is a block by itself.
        self.db.execute("INSERT INTO parts SELECT ?, 0, ?, '[1]' WHERE NOT EXISTS "
                        "(SELECT * FROM parts WHERE block = ?)", (code, code, code))
        self.db.execute("INSERT INTO runs VALUES(?, ?, ?, 0, json_array(?)) ON CONFLICT DO UPDATE "
                        "SET places = json_insert(places, '$[#]', ?)",
                        (code, executions, taken, place, place))
        if ("event", EXECUTED) in self.ids:
            self.db.execute("INSERT OR IGNORE INTO costs VALUES(1, ?)",
                            (json.dumps({self.ids["event", EXECUTED]: 1}),))
        counted = {self.ids["event", name]: n for name, n in counts.items() if n}
        if counted:
            cost = self.db.execute("SELECT 2 + count(*) FROM costs").fetchone()[0]
            self.db.execute("INSERT INTO costs VALUES(?, ?)", (cost, json.dumps(counted)))
            self.db.execute("INSERT INTO extras VALUES(?, 0, json_object(?, ?)) "
                            "ON CONFLICT DO UPDATE "
                            "SET costs = json_set(costs, '$.' || json_quote(?), ?)",
                            (code, str(cost), place, str(cost), place))

    def done(self):
        self.db.execute("UPDATE event SET total = (SELECT coalesce(sum(value), 0) FROM count "
                        "WHERE count.event = event.id) WHERE trust <> 'not supported'")
        self.db.commit()
        self.db.close()
        return self.path


def total(path, event):
    """Returns the total that an export must show, found by SQL."""
    db = sqlite3.connect(path)
    if event == "executions":
        return db.execute("SELECT sum(executions) FROM execution").fetchone()[0]
    return db.execute("SELECT total FROM event WHERE name = ?", (event,)).fetchone()[0]


MAIN_C, LOOP_C, UTIL_H = "/src/main.c", "/src/loop.c", "/src/util.h"
# The counts of each event in each function of sample(), including inlined functions.
FUNCTIONS = {
    "main": {"cpu_cycles": 4 + 30 + 9 + 20, "instr_exec": 1 + 3 + 3 + 1, "dcache_miss": 0},
    "work": {"cpu_cycles": 3 + 100 + 60 + 30 + 40 + 6, "instr_exec": 3 + 30 * 4 + 3,
             "dcache_miss": 12 + 4},
    "down": {"cpu_cycles": 7 + 8 + 9, "instr_exec": 3 + 3 + 3, "dcache_miss": 0},
    "[anon]": {"cpu_cycles": 50, "instr_exec": 5, "dcache_miss": 1},
}
TOTALS = {e: sum(f[e] for f in FUNCTIONS.values())
          for e in ("cpu_cycles", "instr_exec", "dcache_miss")}


def sample(path, contexts=False):
    """Returns a recording. main() calls work() in a loop. work() runs three times, one of them in
    a second thread. main() also calls down(), which calls itself twice; the call in down() is
    conditional. work() has a loop with an inlined clamp(), whose branch is never taken. main() also
    runs code without a name."""
    r = Recording(path)
    r.event("cpu_cycles", trust="modelled")
    r.event("instr_exec")
    r.event("dcache_miss", trust="modelled")
    r.event("etmextout0", trust="not supported", reason="there is no ETM")
    r.object("/nonexistent/prog")
    r.object("[anon]", kind="anonymous")
    r.thread(0, 0)
    r.thread(0, 1)
    prog = {"obj": "/nonexistent/prog"}
    r.function("main", 0x1000, MAIN_C, 10, size=16, **prog)
    r.function("work", 0x2000, LOOP_C, 5, size=24, **prog)
    r.function("down", 0x3000, MAIN_C, 20, size=12, **prog)
    r.inlined("clamp", LOOP_C, 8)

    r.code(0x1000, "main", MAIN_C, 10, **prog)
    r.code(0x1004, "main", MAIN_C, 11, "call", target=0x2000, **prog)
    r.code(0x1008, "main", MAIN_C, 12, "jump", 1, 0x1004, **prog)
    r.code(0x100c, "main", MAIN_C, 13, "call", target=0x3000, **prog)
    r.code(0x2000, "work", LOOP_C, 5, **prog)
    r.code(0x2004, "work", LOOP_C, 7, **prog)
    r.code(0x2008, "work", UTIL_H, 3, inlined="clamp", **prog)
    r.code(0x200c, "work", UTIL_H, 4, "jump", 1, 0x2014, inlined="clamp", **prog)
    r.code(0x2010, "work", LOOP_C, 9, "jump", 1, 0x2004, **prog)
    r.code(0x2014, "work", LOOP_C, 10, "return", **prog)
    r.code(0x3000, "down", MAIN_C, 21, **prog)
    r.code(0x3004, "down", MAIN_C, 22, "call", 1, 0x3000, **prog)
    r.code(0x3008, "down", MAIN_C, 23, "return", **prog)
    r.code(0x5000, obj="[anon]")

    r.context("root")
    if contexts:
        r.context("main", "root", "main", calls=1)
        r.context("work", "main", "work", 0x1004, calls=2)
        r.context("other", "root", "work", calls=1)  # the call in the second thread
        r.context("down1", "main", "down", 0x100c, calls=1)
        r.context("down2", "down1", "down", 0x3004, calls=1)
        r.context("down3", "down2", "down", 0x3004, calls=1)

    def at(name):
        return {"context": name} if contexts else {}

    main, other = at("main"), {**at("other"), "thread": (0, 1)}
    r.ran(0x1000, 1, cpu_cycles=4, **main)
    r.ran(0x1004, 3, 3, cpu_cycles=30, **main)
    r.ran(0x1008, 3, 2, cpu_cycles=9, **main)
    r.ran(0x100c, 1, 1, cpu_cycles=20, **main)
    for address, n, taken, cycles, misses in (
            (0x2000, 3, 0, 3, 0), (0x2004, 30, 0, 100, 12), (0x2008, 30, 0, 60, 4),
            (0x200c, 30, 0, 30, 0), (0x2010, 30, 27, 40, 0), (0x2014, 3, 3, 6, 0)):
        # The second thread has a third of each count, rounded down.
        r.ran(address, n - n // 3, taken - taken // 3, cpu_cycles=cycles - cycles // 3,
              dcache_miss=misses - misses // 3, **at("work"))
        r.ran(address, n // 3, taken // 3, cpu_cycles=cycles // 3, dcache_miss=misses // 3, **other)
    if contexts:
        for depth, cycles in ((1, (2, 3, 3)), (2, (2, 3, 3)), (3, (3, 2, 3))):
            r.ran(0x3000, 1, cpu_cycles=cycles[0], **at(f"down{depth}"))
            r.ran(0x3004, 1, int(depth < 3), cpu_cycles=cycles[1], **at(f"down{depth}"))
            r.ran(0x3008, 1, 1, cpu_cycles=cycles[2], **at(f"down{depth}"))
    else:
        r.ran(0x3000, 3, cpu_cycles=7)
        r.ran(0x3004, 3, 2, cpu_cycles=8)
        r.ran(0x3008, 3, 3, cpu_cycles=9)
    r.ran(0x5000, 5, cpu_cycles=50, dcache_miss=1, **main)
    return r.done()


def changed(path, to):
    """Returns a recording of a later build of sample(). All code has moved by 64 bytes, by 10 lines
    and to another folder. The cycles of line 7 of work() grow by half. down() is renamed to
    fresh()."""
    shutil.copy(path, to)
    db = sqlite3.connect(to)
    db.executescript("""
        UPDATE code SET address = address + 64, line = line + 10, target = target + 64;
        UPDATE function SET address = address + 64, line = line + 10;
        UPDATE file SET path = replace(path, '/src', '/build/2/src');
        UPDATE function SET name = 'fresh' WHERE name = 'down';
        UPDATE costs SET events = json_set(events, '$."1"', (events ->> '$."1"') * 3 / 2)
            WHERE cost IN (SELECT cost FROM extra JOIN code ON code = id WHERE address = 0x2044);
        UPDATE event SET total = (SELECT sum(value) FROM count WHERE event = event.id)
            WHERE trust <> 'not supported';
    """)
    db.commit()
    db.close()
    return to


def document(path, regions=(), core="arm1176", **counts):
    """Writes the part of pmk stat --json-document's output that tests compare, and returns the
    path. A region is (name, {event: count})."""
    def counter(event, value, **more):
        return {"counter-value": value, "unit": "", "event": event, "pmu": core, "trust": "exact",
                "reason": None if value is not None else "nobody knows", **more}

    rows = [counter(event, n, region=None) for event, n in counts.items()]
    for name, of_region in regions:
        rows += [counter(event, n, region=name, entries=1) for event, n in of_region.items()]
    with open(path, "w") as f:
        json.dump({"format": "pmk-stat", "version": 1, "command": "./prog", "pmu": core,
                   "core": core, "counters": rows, "metrics": []}, f)
    return path


@pytest.fixture
def flat(tmp_path):
    return sample(tmp_path / "flat.data")


@pytest.fixture
def paths(tmp_path):
    return sample(tmp_path / "paths.data", contexts=True)
