# SPDX-License-Identifier: MIT
"""pmk reads the files of perf record, and agrees with perf report and perf script about them."""
import collections
import os
import platform
import pwd
import re
import shutil
import struct
import subprocess

from harness import *
from programs import build
from perf_files import (DATA, HARDWARE, IN_KERNEL, IN_USER, KERNEL, SOFTWARE, PerfFile,
                        of_everything)
from sampled import FLAGS, PROG, ROUNDS, library, prog

FAILED = 125
HEAD = 104


def perf(path, *argv):
    """Records with perf. Skips the test if the kernel does not permit this."""
    have("perf")
    # Without the option, perf would store links to the libraries in the home folder.
    out = run("perf", "record", "--no-buildid-cache", "-q", "-o", path, *argv)
    if out.code and re.search("paranoid|No permission|not supported", out.err):
        skip(out.err.strip().splitlines()[0])
    equal(out.code, 0, str(out))
    return path


def script(path):
    """Returns what perf script prints: a list of (comm, pid, tid, period, event, symbol, object). A
    thread that is about to end has the number -1."""
    out = run("perf", "script", "-G", "-i", path, "-F", "comm,pid,tid,period,event,ip,sym,dso")
    equal(out.code, 0, out.err)
    rows = re.findall(r"^ *(.+?) +(-?\d+)/(-?\d+) +(\d+) +([\w:-]+): +[0-9a-f]+ (.*) \((.*)\)$",
                      out.out, re.M)
    equal(len(rows), len(out.out.strip().splitlines()), out.out[:2000])
    return rows


def rows(path, *argv):
    """Returns the document of pmk report, and its rows as {name: {event: count}}. Counts of
    functions with the same name are added."""
    out = pmk("report", "-j", *argv, path)
    equal(out.code, 0, str(out))
    doc = json.loads(out.out)
    named = collections.defaultdict(collections.Counter)
    for r in doc["rows"]:
        named[r["name"]].update(r["events"])
    return doc, named


def test_samples_are_those_of_perf(tmp_path):
    path = perf(tmp_path / "perf.data", "-e", "cpu-clock", "--", prog(), "spin", ROUNDS)
    theirs = script(path)
    doc, ours = rows(path)
    assert len(theirs) > 50
    total = {e["name"]: e["total"] for e in doc["events"]}
    equal(total, {"cpu-clock": sum(int(r[3]) for r in theirs), "cpu-clock:samples": len(theirs)})
    # Only these functions are compared, because they have only one name. If a function of the C
    # library has several names, perf may choose another name.
    for name in ("hot", "cold", "outer", "main"):
        of = [int(r[3]) for r in theirs if r[5] == name and r[6] == prog()]
        equal((ours[name]["cpu-clock"], ours[name]["cpu-clock:samples"]), (sum(of), len(of)), name)
    assert ours["hot"]["cpu-clock:samples"] > len(theirs) / 2
    kernel = sum(1 for r in theirs if r[6].startswith("[kernel"))
    _, objects = rows(path, "--sort", "object")
    equal(objects["[kernel]"]["cpu-clock:samples"], kernel)
    equal(objects[prog()]["cpu-clock:samples"], sum(1 for r in theirs if r[6] == prog()))
    # perf report prints the sum in the header of its output.
    text = run("perf", "report", "-i", path, "--stdio").out
    equal(int(re.search(r"Event count \(approx\.\): (\d+)", text)[1]), total["cpu-clock"])


def test_threads_have_their_names(tmp_path):
    path = perf(tmp_path / "perf.data", "-e", "cpu-clock", "--", prog(), "forked", ROUNDS)
    # pmk shows the last name of a thread. A sample may come before the child gets its own name.
    samples, name = collections.Counter(), {}
    for r in script(path):
        samples[r[1], r[2]] += 1
        name[r[1], r[2]] = r[0]
    theirs = {f"{name[t]}: process {t[0]}, thread {t[1]}": n for t, n in samples.items()}
    _, ours = rows(path, "--sort", "thread")
    equal({n: c["cpu-clock:samples"] for n, c in ours.items()}, theirs)
    assert any(n.startswith("the-child: ") for n in ours)


def test_several_events(tmp_path):
    path = perf(tmp_path / "perf.data", "-e", "cpu-clock,page-faults", "--", prog(),
                "spin", ROUNDS)
    doc, _ = rows(path)
    total = {e["name"]: e["total"] for e in doc["events"]}
    theirs = collections.Counter()
    for r in script(path):
        theirs[r[4]] += int(r[3])
        theirs[r[4] + ":samples"] += 1
    equal({n: v for n, v in total.items() if v}, dict(theirs))
    contains(pmk("report", path).out, "page-faults")


def test_call_chains(tmp_path):
    path = perf(tmp_path / "perf.data", "-e", "cpu-clock", "-g", "--", prog(), "spin", ROUNDS)
    out = run("perf", "script", "-i", path, "-F", "ip,sym")
    below = 0  # samples in which outer calls hot, according to perf
    for chain in out.out.strip().split("\n\n"):
        names = [line.split()[-1] for line in chain.splitlines() if line.strip()]
        below += any(a == "hot" and b == "outer" for a, b in zip(names, names[1:]))
    doc, _ = rows(path, "--children")
    hot = next(r for r in doc["rows"] if r["name"] == "hot")
    equal(hot["children"]["cpu-clock:samples"], below)
    callers, _ = rows(path, "--callers", "hot")
    equal([r["name"] for r in callers["rows"]], ["outer"])
    folded = pmk("export", "--format", "folded", "-e", "cpu-clock:samples", "-i", path)
    equal(sum(int(line.rsplit(" ", 1)[1]) for line in folded.out.splitlines()
              if ";outer;hot" in line), below)


def test_everybody(tmp_path):
    path = perf(tmp_path / "perf.data", "-a", "-e", "cpu-clock", "--", "sleep", "0.2")
    doc, _ = rows(path)
    # perf adds its own dummy event, which counts nothing.
    equal([e["name"] for e in doc["events"]], ["cpu-clock", "cpu-clock:samples"])
    equal(doc["events"][1]["total"], len(script(path)))


def test_other_commands_read_it(tmp_path):
    path = perf(tmp_path / "perf.data", "-e", "cpu-clock", "--", prog(), "spin", ROUNDS)
    text = pmk("annotate", "-i", path, "hot")
    equal(text.code, 0, str(text))
    contains(text.out, "Hottest lines:")
    contains(text.out, f"hot in {prog()}")
    if platform.machine() in ("x86_64", "aarch64"):
        have("objdump")
        code = run("objdump", "-d", "--no-show-raw-insn", prog()).out
        shown = re.findall(r"^>? +[\d,]+ +[\d.]+% +[\d,]+ +([0-9a-f]+)  (\w+)", text.out, re.M)
        assert shown, text.out
        for address, mnemonic in shown:
            assert re.search(rf"^ +{address}:\t{mnemonic}", code, re.M), (address, mnemonic)
    for kind in ("callgrind", "folded", "speedscope", "firefox", "pprof", "perf", "perfetto"):
        out = run(PMK, "export", "--format", kind, "-i", path, text=False)
        equal(out.code, 0, kind)
        assert out.out, kind
    out = pmk("diff", path, path)
    equal(out.code, 0, str(out))
    ours = pmk("record", "-T", "linux", "-e", "cpu-clock", "-o", tmp_path / "pmk.data", prog(),
               "spin", ROUNDS)
    equal(ours.code, 0, str(ours))
    out = pmk("diff", path, tmp_path / "pmk.data")
    equal(out.code, 0, str(out))
    contains(out.out, "cpu-clock")


# ---- known answers -------------------------------------------------------------------------------


def write(tmp_path, f):
    path = tmp_path / "made.data"
    path.write_bytes(f.bytes())
    return path


def places(path, *argv):
    """Returns {name: samples of cpu-clock} of the rows."""
    return {n: c["cpu-clock:samples"] for n, c in rows(path, *argv)[1].items()}


def test_a_sample_means_what_was_mapped_then(tmp_path):
    """An address belongs to the object that was mapped there at the time of the sample, although
    the records of several processors are not sorted by time."""
    f = PerfFile()
    f.sample(10, 0x400010, 5)  # before anything is mapped
    f.sample(10, 0x400010, 20)
    f.sample(10, 0x400010, 40)
    f.sample(10, 0x400800, 40)
    f.mmap2(10, 0x400000, 0x1000, 0, "/nowhere/first", 10)
    f.mmap2(10, 0x400000, 0x100, 0, "/nowhere/second", 30)  # replaces part of the first mapping
    equal(places(write(tmp_path, f), "--sort", "object"),
          {"[unknown]": 1, "/nowhere/first": 2, "/nowhere/second": 1})


def test_children_have_the_memory_of_their_parents(tmp_path):
    f = PerfFile()
    f.comm(10, "parent", 1)
    f.mmap(10, 0x400000, 0x1000, 0, "/nowhere/prog", 1)
    f.fork(11, 10, 2)
    f.sample(11, 0x400010, 3)
    f.comm(11, "child", 4)
    f.sample(11, 0x400010, 5)  # only the name changes, as there was no exec
    f.comm(11, "other", 6, exec=True)
    f.sample(11, 0x400010, 7)  # the mappings of the old program are gone
    f.fork(10, 10, 7, tid=12)  # a thread
    f.sample(10, 0x400010, 8, tid=12)
    path = write(tmp_path, f)
    equal(places(path, "--sort", "object"), {"/nowhere/prog": 3, "[unknown]": 1})
    equal(places(path, "--sort", "thread"), {"other: process 11, thread 11": 3,
                                             "parent: process 10, thread 12": 1})


def test_addresses_of_a_file_that_is_gone_are_offsets(tmp_path):
    f = PerfFile()
    f.mmap(10, 0x7f0000001000, 0x1000, 0x5000, "/nowhere/prog", 1)
    f.mmap(10, 0x7f0000008000, 0x1000, 0, "//anon", 1)
    f.mmap(10, 0x7f0000009000, 0x1000, 0, "/nowhere/data", 1, DATA | 2)
    for ip in (0x7f0000001234, 0x7f0000008010, 0x7f0000009010):
        f.sample(10, ip, 2)
    path = write(tmp_path, f)
    out = pmk("export", "--format", "callgrind", "-i", path).out
    contains(out, "0x5234")
    contains(out, "0x7f0000008010")  # memory without a file
    equal(places(path, "--sort", "object"),
          {"/nowhere/prog": 1, "[anon]": 1, "[unknown]": 1})


def test_events_are_told_apart_by_their_numbers(tmp_path):
    f = PerfFile((("cpu-clock", SOFTWARE, 0), ("cycles:u", HARDWARE, 0), ("dummy", SOFTWARE, 9)))
    for time, (event, period) in enumerate(((0, 7), (1, 100), (0, 3), (1, 1), (2, 1))):
        f.sample(10, 0x1000, time, period, event)
    doc, _ = rows(write(tmp_path, f))
    equal([(e["name"], e["total"], e["trust"]) for e in doc["events"]],
          [("cpu-clock", 10, "sampled"), ("cpu-clock:samples", 2, "measured"),
           ("cycles:u", 101, "sampled"), ("cycles:u:samples", 2, "measured")])
    f.names = False
    doc, _ = rows(write(tmp_path, f))
    equal([e["name"] for e in doc["events"]],
          ["cycles", "cpu-clock", "cpu-clock:samples", "cycles:samples"])


def test_what_was_lost_is_told(tmp_path):
    f = PerfFile()
    f.sample(10, 0x1000, 1)
    equal(rows(write(tmp_path, f))[0]["warning"], None)
    f.lost(5, 2)
    f.lost(6, 3)
    f.throttle(4)
    f.raw(9, b"")  # an empty sample
    doc, _ = rows(write(tmp_path, f))
    equal(doc["events"][1]["total"], 1)
    for said in ("11 records were lost", "paused sampling 1 times", "1 records are invalid"):
        contains(doc["warning"], said)


def test_records_that_pmk_does_not_know_are_skipped(tmp_path):
    f = PerfFile()
    f.sample(10, 0x1000, 1)
    f.raw(63, bytes(40))
    f.raw(250, bytes(16))
    f.auxtrace(struct.pack("<IHH", 9, 2, 8))  # data that looks like a record
    f.raw(68, b"")
    f.sample(10, 0x1000, 2)
    doc, _ = rows(write(tmp_path, f))
    equal((doc["events"][1]["total"], doc["warning"]), (2, None))


def test_chains_of_kernel_and_program(tmp_path):
    f = PerfFile(chains=True)
    f.mmap(10, 0x400000, 0x1000, 0, "/nowhere/prog", 1)
    f.sample(10, 0xffffffff81000010, 2, mode=KERNEL, period=7,
             chain=(IN_KERNEL, 0xffffffff81000010, 0xffffffff81000020, IN_USER, 0x400030, 0x400040))
    f.sample(10, 0x400010, 3, period=5, chain=(IN_USER, 0x400010, 0x400040))
    f.sample(10, 0x400012, 3, period=2, chain=(IN_USER, 0x400012, 0x400040))
    path = write(tmp_path, f)
    # All unknown functions of an object are one row.
    folded = pmk("export", "--format", "folded", "-e", "cpu-clock", "-i", path).out.splitlines()
    equal(sorted(folded), ["[prog] 7", "[prog];[kernel] 7"])
    # The sample is from another machine's kernel, so its functions are unknown.
    equal(places(path), {"[prog]": 2, "[kernel]": 1})


def test_the_fuzzer_begins_with_every_kind_of_record():
    with open(os.path.join(SOURCE, "tests/fuzz/corpus/perfdata/everything"), "rb") as f:
        equal(f.read(), of_everything())


# ---- files that it cannot read -------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = perf(tmp_path_factory.mktemp("small") / "perf.data", "-e", "cpu-clock", "-g",
                "-F", "500", "--", prog(), "spin", ROUNDS)
    with open(path, "rb") as f:
        return f.read()


def refused(tmp_path, data, *said):
    path = tmp_path / "bad.data"
    path.write_bytes(data)
    out = pmk("report", path)
    equal((out.code, out.out), (FAILED, ""), str(out))
    lines = out.err.strip().split("\n")
    assert len(lines) == 1 and lines[0].startswith(f"pmk: {path}: "), out
    for part in said:
        contains(out.err, part)


def test_a_file_that_is_cut_off(tmp_path, small):
    data, size = struct.unpack_from("<QQ", small, 40)
    for n in (8, 15, 16, 17, 60, HEAD - 1):
        refused(tmp_path, small[:n], "truncated: its header is incomplete")
    refused(tmp_path, small[:HEAD + 30], "truncated")
    path = tmp_path / "cut.data"
    before = 0
    for n in (data, data + 1, data + 7, data + size // 2, data + size // 2 + 1, data + size - 1,
              data + size, data + size + 1, len(small) - 1):
        path.write_bytes(small[:n])
        out = pmk("report", "-j", path)
        if out.code:  # no sample is in the file
            equal(out.code, FAILED, str(out))
            contains(out.err, "nothing was sampled")
            assert n < data + size // 2, n
            continue
        doc = json.loads(out.out)
        contains(doc["warning"], "is truncated")
        samples = doc["events"][1]["total"]
        assert samples >= before, n
        before = samples
    path.write_bytes(small)
    equal(json.loads(pmk("report", "-j", path).out)["warning"], None)
    equal(before, json.loads(pmk("report", "-j", path).out)["events"][1]["total"])


def test_a_perf_that_was_killed(tmp_path, small):
    """pmk reads the file of a perf that was killed. The file's header has neither features nor the
    size of the data."""
    data, size = struct.unpack_from("<QQ", small, 40)
    killed = bytearray(small[:data + size])
    killed[48:56] = bytes(8)
    killed[72:HEAD] = bytes(HEAD - 72)
    path = tmp_path / "killed.data"
    path.write_bytes(killed)
    doc, ours = rows(path)
    contains(doc["warning"], "is truncated")
    equal(doc["events"][0]["name"], "cpu-clock")
    assert ours["hot"]["cpu-clock:samples"] > 0


def test_what_pmk_does_not_read(tmp_path, small):
    refused(tmp_path, b"2ELIFREP" + small[8:], "other byte order")
    refused(tmp_path, b"PERFFILE" + small[8:], "before Linux 3.0")
    refused(tmp_path, small[:8] + struct.pack("<Q", 16) + small[16:], "stream", "-o FILE")
    refused(tmp_path, small[:8] + struct.pack("<Q", 80) + small[16:], "damaged")
    refused(tmp_path, small[:16] + struct.pack("<Q", 0) + small[24:], "are inconsistent")
    refused(tmp_path, small[:24] + struct.pack("<Q", 1 << 60) + small[32:], "attributes")
    data, size = struct.unpack_from("<QQ", small, 40)
    refused(tmp_path, small[:data] + bytes(size) + small[data + size:], "a record has no size")


def test_compressed(tmp_path):
    have("perf")
    if "zstd: [ on" not in run("perf", "version", "--build-options").out:
        skip("this perf does not compress")
    path = perf(tmp_path / "perf.data", "-z", "-e", "cpu-clock", "--", prog(), "spin", ROUNDS)
    refused(tmp_path, path.read_bytes(), "compressed", "without -z")


def test_damaged_records_are_reported(tmp_path, small):
    """pmk leaves out a record that claims more data than it has, and counts all other records."""
    data, size = struct.unpack_from("<QQ", small, 40)
    broken, at, done = bytearray(small), data, 0
    while at < data + size:
        kind, _, length = struct.unpack_from("<IHH", small, at)
        if kind == 9 and done < 3:  # make the call chain of this sample 2^60 addresses long
            chain = at + 8 + 8 * 5
            for place in range(at + 8, at + length, 8):
                if struct.unpack_from("<Q", small, place)[0] == (at + length - place) // 8 - 1:
                    chain = place
                    break
            struct.pack_into("<Q", broken, chain, 1 << 60)
            done += 1
        at += length
    path = tmp_path / "broken.data"
    path.write_bytes(broken)
    doc, _ = rows(path)
    contains(doc["warning"], "3 records are invalid")
    path.write_bytes(small)
    equal(rows(path)[0]["events"][1]["total"], doc["events"][1]["total"] + 3)


def test_a_program_that_was_replaced(tmp_path):
    mine = tmp_path / "mine"
    shutil.copy(prog(), mine)
    path = perf(tmp_path / "perf.data", "-e", "cpu-clock", "--", mine, "spin", ROUNDS)
    _, before = rows(path)
    assert before["hot"]["cpu-clock:samples"] > 0
    mine.unlink()
    shutil.copy(build("sampled-other", PROG.replace("rounds / 20", "rounds / 30"), *FLAGS,
                      library(), prefix=""), mine)
    doc, after = rows(path)
    contains(doc["warning"], "was replaced after it was sampled")
    assert "hot" not in after
    # The functions in the replaced file have no names now.
    samples = {name: before[name]["cpu-clock:samples"] - after[name]["cpu-clock:samples"]
               for name in [*before, "[mine]"]}
    equal(sum(samples.values()), 0)
    assert all(n >= 0 for name, n in samples.items() if name != "[mine]"), samples
    mine.unlink()
    _, gone = rows(path)
    equal(gone["[mine]"], after["[mine]"])


def test_a_kernel_whose_symbols_may_not_be_read(tmp_path):
    """If the user may not read the kernel's symbols, pmk shows all code of the kernel as
    [kernel]."""
    if os.geteuid() != 0:
        skip("needs root to become an ordinary user")
    path = perf(tmp_path / "perf.data", "-e", "page-faults:k", "-c", "1", "--", prog(), "spin", 10)
    with open(path, "rb") as f:
        data = f.read()
    nobody = pwd.getpwnam("nobody")
    place = tempfile_for_all()
    try:
        shutil.copy(PMK, place)
        with open(os.path.join(place, "perf.data"), "wb") as f:
            f.write(data)
        names = subprocess.run(["head", "-n1", "/proc/kallsyms"], capture_output=True, text=True,
                               user=nobody.pw_uid, group=nobody.pw_gid).stdout
        if not re.match("0+ ", names):
            skip("everybody may see the kernel's addresses here")
        out = subprocess.run([f"{place}/pmk", "report", "-j", f"{place}/perf.data"],
                             capture_output=True, text=True, user=nobody.pw_uid,
                             group=nobody.pw_gid, extra_groups=[], cwd="/")
    finally:
        shutil.rmtree(place)
    equal(out.returncode, 0, out.stderr)
    equal([r["name"] for r in json.loads(out.stdout)["rows"]], ["[kernel]"])


def tempfile_for_all():
    place = f"/tmp/pmk-test-perf-data-{os.getpid()}"
    os.makedirs(place, mode=0o755)
    os.chmod(place, 0o755)
    return place
