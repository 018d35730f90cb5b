# SPDX-License-Identifier: MIT
"""pmk stat and pmk doctor -T devmem access a board whose counters are in memory. Each load and
store of pmk reaches a model (served.c). Between two accesses, 30 cycles pass, with ten
instructions, an instruction read of the L2, and a read on ARM-I."""
import platform

from boards import *

SERVED = os.path.join(BUILD, "tests", "served.so")
L210 = ("--pmu", "l210", "--set", "base=0x43F08000,imx31=1")
L220 = ("--pmu", "l220", "--set", "base=0x30000000")
A53 = ("--pmu", "cortex-a53", "--set", "base=0x80030000")
MDM = ("--pmu", "microblaze", "--set", "base=0x41400000")


class Board:
    """The file that is the board's memory, and pmk's options for this file."""

    def __init__(self, name, size):
        if platform.machine() != "x86_64":
            skip("accesses are stepped over with the trap flag of an x86-64")
        self.folder = tempfile.TemporaryDirectory(dir=WORK)
        self.file = os.path.join(self.folder.name, name)
        with open(self.file, "wb") as f:
            f.truncate(size)

    def env(self, at=0, accesses=0, wakes=0):
        return {**os.environ, "SERVED": self.file, "SERVED_CYCLES": "30", "SERVED_AT": str(at),
                "SERVED_ACCESSES": str(accesses), "SERVED_WAKES": str(wakes), "LD_PRELOAD": SERVED}

    def stat(self, *words, timeout=300, **where):
        return stat("-T", f"devmem:{self.file}", *words, "--timeout", timeout,
                    env=self.env(**where))

    def pmk(self, command, *words, **where):
        return pmk(command, "-T", f"devmem:{self.file}", *words, env=self.env(**where))


@pytest.fixture
def board():
    made = Board("mem", 1 << 32)
    yield made
    made.folder.cleanup()


def test_an_l210(board):
    counted = counts(board.stat(*L210, "-e", "irreq,clock,drreq"))
    assert counted["irreq"] > 0 and counted["drreq"] == 0, counted
    equal(counted["clock"], 30 * counted["irreq"])


def test_an_l220(board):
    rows = {row["event"]: row for row in board.stat(*L220, "-e", "irreq,drreq")["counters"]}
    equal({row["trust"] for row in rows.values()}, {"measured"})
    assert rows["irreq"]["counter-value"] > 0 and rows["drreq"]["counter-value"] == 0, rows


def test_an_ahb_monitor(board):
    counted = counts(board.stat("--pmu", "ahbmon", "-e",
                                "ct_armi_rd,ct_total_cycles_en,ct_armd_rd"))
    equal(counted["ct_total_cycles_en"], 30 * counted["ct_armi_rd"])
    assert counted["ct_armi_rd"] > 0 and counted["ct_armd_rd"] == 0, counted


def test_an_ahb_monitor_on_a_slow_board(board):
    """On a slow board, on which the counter of enabled cycles does not advance in the first four
    reads, an AHB Monitor is counted."""
    counted = counts(board.stat("--pmu", "ahbmon", "-e", "ct_armi_rd,ct_total_cycles_en",
                                wakes=4))
    equal(counted["ct_total_cycles_en"], 30 * counted["ct_armi_rd"])
    assert counted["ct_armi_rd"] > 0, counted


def test_pmuv3(board):
    """A PMUv3 with a software lock, and with a cycle counter of two words, is counted."""
    counted = counts(board.stat(*A53, "-e", "cycles,instructions"))
    equal(counted["cycles"], 3 * counted["instructions"])
    assert counted["cycles"] > 0, counted


def test_a_microblaze(board):
    """A MicroBlaze is counted through the registers of its debug module, which are locked again
    afterwards."""
    counted = counts(board.stat(*MDM, "-e", "clock_cycles,insn_executed,load_word"))
    equal(counted["clock_cycles"], 3 * counted["insn_executed"])
    assert counted["clock_cycles"] > 0 and counted["load_word"] == 0, counted


def test_intervals_add_up(board):
    words = "--pmu", "ahbmon", "-e", "ct_total_cycles_en", "-I", "50", "--summary"
    doc = long_enough(lambda factor: board.stat(*words, timeout=300 * factor),
                      lambda doc: len(doc["counters"]) > 2)
    *intervals, whole = [row["counter-value"] for row in doc["counters"]]
    assert len(intervals) > 1 and whole > 0, doc
    equal(sum(intervals), whole)


def test_events_take_turns(board):
    doc = board.stat(*L220, "-e", "irreq,drreq,dwreq", "--set", "turn=20")
    equal((doc["passes"], {row["trust"] for row in doc["counters"]}), (2, {"scaled"}))


def test_a_uio_device():
    """A block in the second of a UIO device's two maps is counted. The map begins at page 1 of the
    file. For the first map, the driver gives the address of the registers, and not that of their
    page."""
    board = Board("uio3", 1 << 16)
    for n, (start, size, offset) in enumerate(((0x20000080, 0xf80, 0x80),
                                               (0x30000000, 0x1000, 0x0))):
        folder = os.path.join(board.folder.name, f"class/uio/uio3/maps/map{n}")
        os.makedirs(folder)
        for name, value in (("addr", start), ("size", size), ("offset", offset)):
            with open(os.path.join(folder, name), "w") as f:
                f.write(f"{value:#x}\n")
    at = {"at": 0x30000000 - 0x1000}
    sysfs = f"sysfs={board.folder.name}"
    counted = counts(board.stat(*L220, "--set", sysfs, "-e", "irreq", **at))
    assert counted["irreq"] > 0, counted
    out = board.pmk("stat", "--pmu", "l220", "--set", f"base=0x50000000,{sysfs}", "--timeout",
                    "100", **at)
    equal((out.code, out.err),
          (125, f"pmk: devmem:{board.file}: 0x50000200 is in none of its maps; the first has "
                "0x1000 bytes at 0x20000000\n"))
    # Without an address, pmk uses the first map, from where its registers begin.
    out = board.pmk("doctor", "--pmu", "l220", "--set", sysfs, "-j", **at)
    contains(out.out, "0x20000280 ended with a bus error")
    board.folder.cleanup()


def cell(*numbers):
    return b"".join(n.to_bytes(4, "big") for n in numbers)


# {path of a property in the device tree: value}. Addresses on the bus `soc` have one cell, and its
# `ranges` map them to addresses of the processor. `i2c` is not in the address space.
TREE = {
    "#address-cells": cell(2), "#size-cells": cell(2),
    "l2@0/reg": cell(0x1, 0x43f08000, 0, 0x1000), "l2@0/compatible": b"arm,l210-cache\0",
    "soc/#address-cells": cell(1), "soc/#size-cells": cell(1),
    "soc/ranges": cell(0x7e000000, 0, 0x20000000, 0x1000000, 0x90000000, 0, 0x30000000, 0x1000000),
    "soc/cache@90000000/reg": cell(0x90000000, 0x1000),
    "soc/cache@90000000/compatible": b"vendor,wrapped\0arm,l220-cache\0",
    "soc/far@a0000000/reg": cell(0xa0000000, 0x1000),
    "soc/far@a0000000/compatible": b"vendor,twice\0",
    "soc/bus/#address-cells": cell(1), "soc/bus/#size-cells": cell(1), "soc/bus/ranges": b"",
    "soc/bus/near@90000400/reg": cell(0x90000400, 0x100),
    "soc/bus/near@90000400/compatible": b"vendor,twice\0",
    "i2c/#address-cells": cell(1), "i2c/#size-cells": cell(0),
    "i2c/sensor@48/reg": cell(0x48),
    "i2c/plain/compatible": b"vendor,nothing\0",
}


@pytest.fixture
def tree(board):
    for path, value in TREE.items():
        at = os.path.join(board.folder.name, "firmware/devicetree/base", path)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        with open(at, "wb") as f:
            f.write(value)
    return f"sysfs={board.folder.name}"


@cases("node", ["/soc/cache@90000000", "arm,l220-cache", "l220-cache", "vendor,wrapped"])
def test_a_node_of_the_device_tree(board, tree, node):
    counted = counts(board.stat("--pmu", "l220", "--set", f"node={node},{tree}", "-e", "irreq"))
    assert counted["irreq"] > 0, counted


@cases("node,says", [
    ("/soc/bus/near@90000400", "0x30000600 ended with a bus error"),
    ("/l2@0", "cannot map 0x143f08200|the file ends at 0x100000000, before 0x143f08200"),
    ("/soc/far@a0000000", "is on a bus whose addresses the processor does not see"),
    ("/i2c/sensor@48", "is on a bus whose addresses the processor does not see"),
    ("/i2c/plain", "has no registers (property 'reg')"),
    ("/nosuch", "the device tree's /nosuch does not exist"),
    ("/soc/../l2@0", "does not exist"),
    ("/", "does not exist"),
    ("vendor,twice", "2 nodes of the device tree match, such as /soc/bus/near@90000400 and "
                     "/soc/far@a0000000; give the path of one"),
    ("arm,nosuch", "the device tree in"),
    ("/l2@0,base=0", "both give the address of the registers"),
])
def test_nodes(board, tree, node, says):
    out = board.pmk("stat", "--pmu", "l220", "--set", f"{tree},node={node}", "--timeout", "100")
    assert any(part in out.err for part in says.split("|")), out
    equal((out.code, len(out.err.splitlines())), (125 if "0x" in says else 129, 1), out)


def test_nobody_answers(board):
    out = board.pmk("stat", "--pmu", "l220", "--set", "base=0x60000000", "--timeout", "100")
    equal((out.code, out.err),
          (125, f"pmk: devmem:{board.file}: the access to 0x60000200 ended with a bus error: "
                "no device answers at this address, or it has no power or clock\n"))


def test_a_block_that_loses_its_clock(board):
    """If a block loses its clock after a hundred accesses, pmk prints the counts, and ends the
    program."""
    out = board.pmk("stat", "--pmu", "ahbmon", "-e", "ct_total_cycles_en", "-I", "10", "--summary",
                    "--", "sleep", "600", accesses=100)
    equal(out.code, 125)
    contains(out.err, "ended with a bus error")
    contains(out.err, "the counts end at the last reading")
    counted = [int(n.replace(",", ""))
               for n in re.findall(r"([\d,]+) +ct_total_cycles_en", out.err)]
    assert len(counted) > 2 and counted[-1] == sum(counted[:-1]) > 0, out


def test_a_block_that_is_gone_before_the_first_reading(board):
    """pmk prints "<not counted>" and not 0, because it has read no count."""
    out = board.pmk("stat", "--pmu", "ahbmon", "-e", "ct_armi_rd", "--timeout", "300", accesses=9)
    equal((out.code, re.findall(r"^ +(\S.*\S) +ct_armi_rd", out.err, re.M)),
          (125, ["<not counted>"]), out)


@cases("pmu", [A53, MDM, ("--pmu", "ahbmon")])
def test_doctor(board, pmu):
    out = board.pmk("doctor", *pmu, "-j")
    steps = json.loads(out.out)["target"]["steps"]
    equal((out.code, {s["status"] for s in steps}), (0, {"ok"}), out)
    contains(steps[0]["text"], "the target is this board")


def test_doctor_of_a_cache_that_is_off(board):
    """Only instruction reads reach the L2, so pmk doctor reports that no data read is counted."""
    for pmu in (L210, L220):
        out = board.pmk("doctor", *pmu, "-j")
        step = json.loads(out.out)["target"]["steps"][-1]
        equal((out.code, step["status"]), (125, "broken"))
        contains(step["text"], "drreq: 0 in 100 ms")


def test_doctor_where_nobody_answers(board):
    out = board.pmk("doctor", "--pmu", "l220", "--set", "base=0x60000000", "-j")
    step = json.loads(out.out)["target"]["steps"][-1]
    equal((out.code, step["name"], step["status"]), (125, "access", "broken"))
    contains(step["text"], "ended with a bus error")
    contains(step["advice"], "has power and a clock")


def test_a_file_that_shrinks():
    """If the file shrinks, the kernel itself sends a bus error, which pmk reports."""
    with tempfile.NamedTemporaryFile(dir=WORK) as f:
        f.truncate(4096)
        words_at(f, {0xfbc: 0x47702a16, 0xfcc: 0x16})
        p = subprocess.Popen([PMK, "stat", "-T", f"devmem:{f.name}", "--pmu", "cortex-a53", "--set",
                              "base=0", "-e", "cycles", "-I", "10", "sleep", "600"],
                             stderr=subprocess.PIPE, text=True)
        wait_until(lambda: f.name in of_process(p.pid, "maps"), "nothing is mapped")
        f.truncate(0)
        said = p.communicate(timeout=PATIENCE)[1]
    equal(p.returncode, 125)
    contains(said, "ended with a bus error")


def test_other_files():
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        short = os.path.join(folder, "short")
        with open(short, "wb") as f:
            f.truncate(512)
        for file, says in (
                (short, "the file ends at 0x200, before 0x200"),
                (os.path.join(folder, "nosuch"), "cannot open it: No such file or directory"),
                (folder, "cannot open it: Is a directory"),
                ("/dev/null", "cannot map 0x200: this file cannot be mapped for reading and "
                              "writing")):
            out = pmk("stat", "-T", f"devmem:{file}", *L220[:2], "--set", "base=0", "--timeout",
                      "100")
            equal((out.code, len(out.err.splitlines())), (125, 1), out)
            contains(out.err, f"devmem:{file}: {says}")
        os.chmod(short, 0)
        out = run(*unprivileged(PMK, "stat", "-T", f"devmem:{short}", *L220[:2], "--set", "base=0",
                                "--timeout", "100"))
        equal((out.code, len(out.err.splitlines())), (125, 1), out)
        contains(out.err, "cannot open it: Permission denied; it needs root, or a UIO device")


@pytest.fixture
def plain():
    """Gives a file of zeros that keeps what is written to it, like memory."""
    with tempfile.NamedTemporaryFile(dir=WORK) as f:
        f.truncate(1 << 16)
        yield f


def words_at(file, words):
    for at, word in words.items():
        file.seek(at)
        file.write(word.to_bytes(4, "little"))
    file.flush()


@cases("pmu,words,says", [
    ("l220", {}, "no L220 is at 0x0: the Cache ID reads 0x00000000, which pmk does not know"),
    ("l220", {0: 0x410000c8}, "the Cache ID reads 0x410000c8, which is that of a PL310"),
    ("l220", {0: 0x41000045}, "which is that of an L210"),
    ("l220", {0: 0x41000087}, "the event counters read 0x6 after they were written, and not 0"),
    ("l210", {}, "memory seems to be there, because the overflow flags read 0xf"),
    ("l210", {0: 0x41000045}, "an L210 is at 0x0 (Cache ID 0x41000045); the L210's event monitor"),
    ("cortex-a53", {}, "no PMUv3 is at 0x0: its PMDEVARCH reads 0x00000000 and its PMDEVTYPE 0x0"),
    ("cortex-a53", {0xfbc: 0x47706a15, 0xfcc: 0x15}, "reads 0x47706a15 and its PMDEVTYPE 0x15"),
    ("microblaze", {}, "either no debug module is at this address, or a debugger holds the lock"),
])
def test_another_block(plain, pmu, words, says):
    """pmk stat and pmk doctor report what they found in place of the block: memory, or a similar
    block."""
    words_at(plain, words)
    where = ("-T", f"devmem:{plain.name}", "--pmu", pmu, "--set", "base=0")
    out = pmk("stat", *where, "--timeout", "100")
    equal((out.code, out.err.count("\n")), (125, 1), out)
    contains(out.err, says)
    words_at(plain, {i: 0 for i in range(0, 0x1000, 4)} | words)
    out = pmk("doctor", *where, "-j")
    step = json.loads(out.out)["target"]["steps"][-1]
    equal((out.code, step["status"]), (125, "broken"))
    contains(step["text"], says)


def test_memory_is_no_ahb_monitor(plain):
    """Memory is not taken for an AHB Monitor: it keeps the bit that enables the counters, but no
    counter counts."""
    out = pmk("stat", "-T", f"devmem:{plain.name}", "--pmu", "ahbmon", "--set", "base=0",
              "--timeout", "100")
    equal(out.code, 125)
    contains(out.err, "no AHB Monitor counts at 0x0: its counter of enabled cycles does not count")
    assert "measured" not in out.err and out.err.count("<not counted>") > 10, out


@cases("words,says", [
    (("-T", "devmem"), "-T devmem accesses memory, which the counters of arm1176 are not in"),
    (("-T", "devmem:"), "expected devmem:FILE"),
    (("-T", "devmem", *L220[:2]), "the address of its registers is not known; give --set "
                                  "base=ADDRESS"),
    (("-T", "devmem", *MDM[:2]), "the address of its registers is not known; give --set "
                                 "base=ADDRESS"),
    (("-T", "devmem", *L220[:2], "--set", "base=0x30000002"), "is no multiple of 4"),
    (("-T", "devmem", *L220[:2], "--set", "node="), "expected a path in the device tree"),
    (("-T", "devmem", *L220[:2], "--set", "node=a,b=1"), "has no such setting"),
])
def test_wrong_usage(words, says):
    out = pmk("stat", *words, "--timeout", "100")
    equal((out.code, len(out.err.splitlines())), (129, 1), out)
    contains(out.err, says)
