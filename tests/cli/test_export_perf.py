# SPDX-License-Identifier: MIT
"""The counts that perf reads from a file of pmk export --format perf equal those of the
recording."""
import collections

from harness import *
from perf_files import FEATURES
from programs import MIXED, assemble, build, loop
from recordings import EVENTS, Recording, sample, total


def export(data, *argv):
    path = f"{data}.perf"
    out = pmk("export", "--format", "perf", "-i", data, "-o", path, *argv)
    equal(out.code, 0, str(out))
    return path, out.err


def perf(*argv):
    have("perf")
    out = run("perf", *argv)
    # perf prints this message for A64 programs on other machines, although it does not need to
    # unwind anything.
    err = re.sub("unwind: target platform=arm64 is not supported\n", "", out.err)
    equal((out.code, err), (0, ""), str(out))
    return out.out


def script(path):
    """Returns the samples as perf prints them: a list of (comm, tid, period, event, frames). A
    frame is (address, symbol, object); the first frame is the outermost. perf must not demangle,
    because newer versions would demangle the symbol f as "float"."""
    text = perf("script", "--no-inline", "--no-demangle", "--max-stack", "20000", "-i", path, "-F",
                "comm,tid,period,event,ip,sym,dso")
    frame = r"\s*([0-9a-f]+) (.*) \((.*)\)"
    samples = []
    for line in text.splitlines():
        m = re.fullmatch(r" *(\S.*?) +(\d+) +(\d+) +([\w-]+): *(.*)", line)
        if m:
            samples.append((m[1], int(m[2]), int(m[3]), m[4], []))
            line = m[5]
        m = re.fullmatch(frame, line)
        if m:
            samples[-1][4].insert(0, (int(m[1], 16), m[2], m[3]))
        else:
            equal(line.strip(), "")
    return samples


def sums(samples, key):
    """Returns {event: {key(frames): sum of the periods}}."""
    counted = collections.defaultdict(collections.Counter)
    for _, _, period, event, frames in samples:
        counted[event][key(frames)] += period
    return counted


def folded(data, event):
    out = pmk("export", "--format", "folded", "-e", event, "-i", data)
    return {path: int(n) for path, n in (line.rsplit(" ", 1) for line in out.out.splitlines())}


def rows(data, *argv):
    """Returns {name: {event: count}} from pmk report."""
    counted = collections.defaultdict(collections.Counter)
    for row in json.loads(pmk("report", "-j", "-e", "all", *argv, data).out)["rows"]:
        counted[row["name"]].update(row["events"])
    return counted


def record(tmp_path, *argv, code=0):
    path = tmp_path / "pmk.data"
    equal(pmk("record", "-o", path, *argv).code, code)
    return path


def test_perf_has_the_paths_of_a_known_program(tmp_path):
    """perf shows the call paths of LOOP, which executes 8 COUNT + 5 instructions: 3 COUNT of them
    in f and 2 COUNT in g."""
    data = record(tmp_path, "-g", "-e", "all", loop(50), code=3)
    path, err = export(data, "-e", "all")
    equal(err.count("\n"), 1, err)
    contains(err, "pmk.data: Cycles: within ")
    samples = script(path)
    equal({(comm, tid) for comm, tid, *_ in samples}, {(os.path.basename(loop(50))[:15], 1)})
    counted = sums(samples, lambda frames: ";".join(f[1] for f in frames))
    equal(counted["instr_exec"], {"_start": 3 * 50 + 2, "k_end": 3,
                                     "_start;f": 3 * 50, "_start;f;g": 2 * 50})
    for event, paths in counted.items():
        equal(paths, folded(data, event), event)
    # The addresses are those of instructions; the call of g is the second instruction of f.
    at = {row[1]: int(row[0], 16) for row in
          (line.split()[::2] for line in run(CROSS + "nm", loop(50)).out.splitlines())}
    offset = at["_start"] - min(f[-1][0] for *_, f in samples)  # perf shows offsets in the file
    equal(sorted({f[-1][0] + offset - at["f"] for *_, f in samples if f[-1][1] == "f"}), [0, 4, 8])
    equal({f[1][0] + offset - at["f"] for *_, f in samples if len(f) == 3}, {4 + 3})


def report(path, key):
    """Returns {event: {key: count}}, as perf report prints it."""
    counted, event = collections.defaultdict(dict), None
    for line in perf("report", "--stdio", "--no-children", "--no-demangle", "-g", "none", "-i",
                     path, "-F", f"period,{key}").splitlines():
        m = re.match(r"# Samples: .* of event '(.*)'", line)
        event = m[1] if m else event
        m = re.match(r" +(\d+) +(?:\[.\] )?(\S+)", line)
        if m:
            counted[event][m[2]] = int(m[1])
    return counted


PROGRAMS = cases("prefix,flags", [
    (CROSS, ("-static", "-mthumb")),
    (CROSS, ()),
    ("aarch64-linux-gnu-", ("-pie", "-fPIE")),
])


@PROGRAMS
def test_perf_report_has_the_sums(tmp_path, prefix, flags):
    """perf report prints the sums of a program with libraries, threads, a fork and signals."""
    program = build("export-perf", MIXED, "-O1", *flags, "-lpthread", prefix=prefix)
    data = record(tmp_path, "-g", "-e", "cycles,instructions", program)
    path, _ = export(data, "-e", "all")
    objects, functions = rows(data, "--sort", "object"), rows(data)
    by_object, by_function = report(path, "dso"), report(path, "sym")
    equal(len(by_object), 2)
    for event in by_object:
        equal({o.replace("[JIT]", "[anon]"): n for o, n in by_object[event].items()},
              {os.path.basename(o): n[event] for o, n in objects.items() if n[event]})
        equal(sum(by_object[event].values()), total(data, event))
        for name in ("main", "work", "fib", "compare", "handler"):
            equal(by_function[event].get(name, 0), functions[name][event], (event, name))
    threads = collections.Counter()
    for _, tid, period, event, _ in script(path):
        threads[tid, event] += period
    equal({tid for tid, _ in threads}, {1, 2, 3})
    equal(sorted(threads.values()), sorted(n for r in rows(data, "--sort", "thread").values()
                                           for n in r.values() if n))


def test_perf_has_default_events_and_facts(tmp_path):
    path, _ = export(sample(tmp_path / "x.data", contexts=True))
    head = perf("report", "--header-only", "-i", path)
    equal(re.findall("event : name = (\\w+)", head), ["cpu_cycles"])
    for fact in ("# arch : arm\n", "# cmdline : ./prog -n 3 \n", "# perf version : pmk "):
        contains(head, fact)
    equal(sum(s[2] for s in script(path)), total(tmp_path / "x.data", "cpu_cycles"))
    # pmk's own reader of perf files agrees.
    equal(rows(path)["[anon]"]["cpu_cycles"], 50)


def test_objects_at_one_address(tmp_path):
    """perf distinguishes three objects that were at one address at different times, and generated
    code that is there now."""
    r = Recording(tmp_path / "x.data")
    r.event("instr_exec")
    r.thread(0, 0)
    for i, name in enumerate(("/p", "/q", "/r")):
        r.object(name, build_id=f"{i + 1:02x}" * (20 - i))
        r.code(0x8000 + 4 * i)
        r.ran(0x8000 + 4 * i, 10 ** i)
    r.object("[anon]", kind="anonymous")
    r.code(0x8010)
    r.ran(0x8010, 1000)
    path, _ = export(r.done())
    equal(sums(script(path), lambda frames: frames[-1][2])["instr_exec"],
          {"/p": 1, "/q": 10, "/r": 100, "/tmp/perf-1.map": 1000})
    equal([s[4][-1][0] for s in script(path)][-1], 0x8010)
    equal(perf("buildid-list", "-i", path).split(),
          ["01" * 20, "/p", "02" * 19, "/q", "03" * 18, "/r"])


def test_a_path_that_is_longer_than_a_record(tmp_path):
    r = Recording(tmp_path / "x.data")
    r.event("instr_exec")
    r.object("/p")
    r.thread(0, 0)
    r.function("down", 0x1000)
    r.code(0x1000, "down", flow="call", target=0x1000)
    r.context("root")
    r.context(1, "root", "down", calls=1)
    for depth in range(2, 8101):
        r.context(depth, depth - 1, "down", 0x1000, calls=1)
    r.ran(0x1000, 7, context=8100)
    path, err = export(r.done())
    equal(err, "pmk: a record of perf has room for only 8000 addresses: longer call paths are "
               "written without their outermost functions\n")
    only, = script(path)
    equal((only[2], len(only[4])), (7, 7999))


def test_the_end_of_the_records_is_told_in_rounds(tmp_path):
    """The exported file marks the ends of rounds, so perf does not keep all samples in memory."""
    r = Recording(tmp_path / "x.data")
    r.event("instr_exec")
    r.object("/p")
    r.thread(0, 0)
    for i in range(10100):
        r.code(4 * i)
        r.ran(4 * i, 1)
    path, _ = export(r.done())
    text = perf("script", "-i", path, "-D")
    equal(text.count("PERF_RECORD_FINISHED_ROUND"), 1)
    equal(text.count("PERF_RECORD_SAMPLE"), 10100)
