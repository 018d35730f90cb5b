# SPDX-License-Identifier: MIT
"""pmk record -T linux takes samples on this machine. The programs spend their time in known places,
so the tests know the shares. The sums follow from the period."""
import os
import pwd
import re
import shutil
import signal
import subprocess

from harness import *
from sampled import ROUNDS, Samples, library, prog

FAILED, USAGE = 125, 129
CLOCK = ("-T", "linux", "-e", "cpu-clock")


def record(tmp_path, *argv, code=0, name="pmk.data"):
    """Runs pmk record; returns the file and pmk's messages."""
    path = tmp_path / name
    out = pmk("record", "-o", path, *argv)
    if "perf_event_paranoid" in out.err or "seccomp" in out.err:
        skip(out.err.strip())
    assert out.code == code, out
    return path, out


def refuse(code, *argv, said=()):
    out = pmk("record", *argv)
    assert out.code == code, out
    lines = out.err.strip().split("\n")
    assert len(lines) == 1 and lines[0].startswith("pmk: "), out
    for part in (said,) if isinstance(said, str) else said:
        contains(out.err, part)


def test_most_samples_are_where_the_time_is_spent(tmp_path):
    path, out = record(tmp_path, *CLOCK, "--", prog(), "spin", ROUNDS)
    s = Samples(path)
    samples = s.by("function.name", "cpu-clock:samples")
    total = s.events()["cpu-clock:samples"][0]
    equal(sum(samples.values()), total)
    equal(int(re.search(r": (\d+) samples \]", out.err).group(1)), total)
    assert total > 50, samples
    assert samples["hot"] > total / 2, samples
    assert samples["hot"] > 4 * samples.get("cold", 0), samples


def test_a_sampled_recording_says_that_it_is(tmp_path):
    path, _ = record(tmp_path, *CLOCK, "--", prog(), "spin", ROUNDS)
    s = Samples(path)
    equal(s.meta()["sampled"], 1)
    equal(s.meta()["settings"], "frequency=4000")
    equal({n: trust for n, (_, trust) in s.events().items()},
          {"cpu-clock": "sampled", "cpu-clock:samples": "measured"})
    equal(s.rows("SELECT count(*) FROM execution"), [(0,)])
    doc = json.loads(pmk("report", "-j", path).out)
    equal(doc["executions"], None)
    equal({r["executions"] for r in doc["rows"]}, {None})
    assert "executions" not in pmk("report", path).out
    csv = pmk("report", "-x,", path).out.splitlines()
    equal(csv[0].split(",")[4], "executions")
    equal({line.split(",")[4] for line in csv[1:]}, {""})
    text = pmk("annotate", "-i", path, "hot").out
    assert "executions" not in text
    contains(text, "sampled")
    page = tmp_path / "page.html"
    equal(pmk("report", "--html", page, path).code, 0)
    shown = re.sub(r"<script>.*?</script>", "", page.read_text(), flags=re.S)
    assert "xecut" not in shown
    contains(shown, ">hot<")
    for command in (["report", "-e", "executions", path],
                    ["export", "--format", "lcov", "-i", path]):
        out = pmk(*command)
        equal(out.code, USAGE, str(out))
        contains(out.err, "executions")


def test_the_sum_is_that_of_the_periods(tmp_path):
    path, _ = record(tmp_path, *CLOCK, "-c", 2000000, "--", prog(), "spin", ROUNDS)
    s = Samples(path)
    equal(s.meta()["settings"], "period=2000000")
    events = s.events()
    assert events["cpu-clock:samples"][0] > 10
    equal(events["cpu-clock"][0], 2000000 * events["cpu-clock:samples"][0])
    equal(s.by("function.name", "cpu-clock")["hot"],
          2000000 * s.by("function.name", "cpu-clock:samples")["hot"])


def test_several_events_are_told_apart(tmp_path):
    path, _ = record(tmp_path, "-T", "linux", "-e", "cpu-clock,page-faults", "-c", 1, "--", "true")
    s = Samples(path)
    # Each page fault is a sample, and the kernel limits the period of cpu-clock.
    events = s.events()
    faults = events["page-faults:samples"][0]
    equal(events["page-faults"][0], faults)
    assert faults > 10
    counted = stat("-T", "linux", "-e", "page-faults", "true")["counters"][0]["counter-value"]
    assert abs(faults - counted) < counted / 4 + 5, (faults, counted)


def test_call_paths(tmp_path):
    path, _ = record(tmp_path, *CLOCK, "-g", "--", prog(), "spin", ROUNDS)
    folded = {}
    for line in pmk("export", "--format", "folded", "-i", path).out.splitlines():
        stack, count = line.rsplit(" ", 1)
        folded[stack] = folded.get(stack, 0) + int(count)
    total = sum(folded.values())
    below = sum(n for stack, n in folded.items() if "main;outer;hot" in stack)
    assert below > total / 2, folded
    rows = {r["name"]: r for r in json.loads(pmk("report", "--children", "-j", path).out)["rows"]}
    # The time of code that hot calls, or that interrupts it, belongs to hot, too.
    assert rows["outer"]["children"]["cpu-clock"] >= rows["hot"]["children"]["cpu-clock"]
    assert rows["hot"]["children"]["cpu-clock"] >= rows["hot"]["events"]["cpu-clock"]
    equal(rows["hot"]["children"]["cpu-clock"], below)
    callers = json.loads(pmk("report", "--callers", "hot", "-j", path).out)["rows"]
    equal([r["name"] for r in callers], ["outer"])
    # Each path occurs once, although samples have different positions in the functions.
    equal(Samples(path).rows("SELECT parent, function, site, count(*) FROM context WHERE function "
                             "IS NOT NULL GROUP BY 1, 2, 3 HAVING count(*) > 1"), [])


def test_children_and_libraries_have_names(tmp_path):
    path, _ = record(tmp_path, *CLOCK, "--", prog(), "forked", ROUNDS)
    names = Samples(path).by("thread.name", "cpu-clock:samples")
    assert names["the-child"] > sum(names.values()) / 2, names
    contains(pmk("report", "--sort", "thread", path).out, "the-child: process ")
    path, _ = record(tmp_path, *CLOCK, "--no-inherit", "--", prog(), "forked", ROUNDS)
    assert "the-child" not in Samples(path).by("thread.name", "cpu-clock:samples")
    path, _ = record(tmp_path, *CLOCK, "--", prog(), "library", ROUNDS)
    s = Samples(path)
    objects = s.by("object.path", "cpu-clock:samples")
    assert objects[library()] > sum(objects.values()) / 2, objects
    assert s.by("function.name", "cpu-clock:samples")["in_library"] == objects[library()]
    assert all(re.fullmatch("[0-9a-f]{40}", b) for (b,) in
               s.rows("SELECT build_id FROM object WHERE path IN (?, ?)", library(), prog()))


class Endless:
    def __enter__(self):
        self.p = subprocess.Popen([prog(), "endless"], stdout=subprocess.PIPE, text=True)
        equal(self.p.stdout.readline(), "begun\n")
        return self.p.pid

    def __exit__(self, *_):
        self.p.kill()
        self.p.wait()
        self.p.stdout.close()


def test_a_process_that_runs_already(tmp_path):
    with Endless() as pid:
        path, _ = record(tmp_path, "-e", "cpu-clock", "-p", pid, "--", "sleep", "0.5")
    s = Samples(path)
    equal([r for (r,) in s.rows("SELECT DISTINCT process FROM thread")], [pid])
    assert s.by("function.name", "cpu-clock:samples")["hot"] > 0
    equal([r for (r,) in s.rows("SELECT name FROM thread")], [os.path.basename(prog())[:15]])


def test_everything(tmp_path):
    with Endless() as pid:
        path, _ = record(tmp_path, "-e", "cpu-clock", "-a", "--", "sleep", "0.5")
    s = Samples(path)
    assert s.by("process", "cpu-clock:samples")[pid] > 0
    assert s.by("function.name", "cpu-clock:samples")["hot"] > 0


def test_the_exit_code_is_the_programs(tmp_path):
    path, _ = record(tmp_path, *CLOCK, "--", prog(), "spin", 1000, 3, code=3)
    assert path.exists()


def start(path):
    p = subprocess.Popen([PMK, "record", *CLOCK, "-o", path, "--", prog(), "endless"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = p.stdout.readline()
    if not line:
        skip(p.stderr.read().strip())
    return p


def test_ctrl_c_keeps_what_there_is(tmp_path):
    path = tmp_path / "pmk.data"
    p = start(path)
    p.send_signal(signal.SIGINT)
    _, err = p.communicate(timeout=PATIENCE)
    equal(p.returncode, 128 + signal.SIGINT, err)
    equal(Samples(path).meta()["partial"], 1)
    contains(err, "interrupted")


def test_a_killed_pmk_leaves_nothing(tmp_path):
    path = tmp_path / "pmk.data"
    p = start(path)
    pids = children(p.pid)
    p.kill()
    for pid in pids: # the program holds the pipes
        os.kill(pid, signal.SIGKILL)
    p.communicate(timeout=PATIENCE)
    equal(os.listdir(tmp_path), [])


def test_what_makes_no_sense_is_refused():
    for value in ("0", "-5", "x", "1.5", ""):
        refuse(USAGE, *CLOCK, "-F", value, "true", said="-F " + value)
        refuse(USAGE, *CLOCK, "-c", value, "true", said="-c " + value)
    refuse(USAGE, *CLOCK, "-F", 10**9, "true", said="perf_event_max_sample_rate")
    refuse(USAGE, *CLOCK, "-F", 99, "-c", 1000, "true", said="exclude each other")
    refuse(USAGE, *CLOCK, "-p", 2**31 - 1, said="there is no such process")
    refuse(USAGE, *CLOCK, "-p", "x", said="numbers of processes")
    refuse(USAGE, "-T", "linux", "-e", "{cpu-clock,task-clock}", "true", said="group")
    refuse(USAGE, "-T", "linux", said="no program")
    refuse(USAGE, "-T", "emu", "-F", 100, "true", said="-T linux")
    refuse(USAGE, "-F", 100, "--core", "arm1176", "true", said="--core")
    refuse(USAGE, "-T", "wave:nothing.vcd", said="recorded")


def test_events_that_this_machine_has_not(tmp_path):
    if "<not supported>" not in pmk("stat", "-T", "linux", "-e", "cycles", "true").err:
        skip("this machine has hardware events")
    refuse(FAILED, "-T", "linux", "-e", "cycles", "-o", tmp_path / "x", "true",
           said="nothing can be counted")
    path, _ = record(tmp_path, "-T", "linux", "-e", "cycles,cpu-clock", "--", prog(), "spin",
                     ROUNDS)
    (total, trust) = Samples(path).events()["cycles"]
    equal((total, trust), (None, "not supported"))
    contains(pmk("report", path).out, "cycles: <not supported>")
    # Without -e, samples are of processor time if there are no cycles.
    path, _ = record(tmp_path, "-T", "linux", "--", prog(), "spin", ROUNDS)
    assert "cpu-clock" in Samples(path).events()


def as_nobody(place, *argv):
    """Runs pmk as an ordinary user, in a folder in which all users may write."""
    if os.geteuid() != 0:
        skip("needs root to become an ordinary user")
    nobody = pwd.getpwnam("nobody")
    for path in (PMK, prog(), library()):
        shutil.copy(path, place)
    shutil.copytree(os.path.join(SOURCE, "data"), os.path.join(place, "data"), dirs_exist_ok=True)
    p = subprocess.run([os.path.join(place, "pmk"), "record", "-T", "linux", *argv],
                       capture_output=True, text=True, user=nobody.pw_uid, group=nobody.pw_gid,
                       extra_groups=[], cwd=place,
                       env={"PATH": os.environ["PATH"], "HOME": "/nonexistent",
                            "PMK_DATA": os.path.join(place, "data"), "LD_LIBRARY_PATH": place})
    return Output(p.returncode, p.stdout, p.stderr)


def test_what_an_ordinary_user_may_sample():
    with open("/proc/sys/kernel/perf_event_paranoid") as f:
        level = int(f.read())
    if level != 2:
        skip(f"perf_event_paranoid is {level}, and what is expected here is of 2")
    place = f"/tmp/pmk-test-record-{os.getpid()}"
    os.makedirs(place)
    os.chmod(place, 0o777)
    program = os.path.join(place, os.path.basename(prog()))
    try:
        out = as_nobody(place, "-e", "cpu-clock", "--", program, "spin", str(ROUNDS))
        equal(out.code, 0, str(out))
        contains(out.err, "kernel mode is not counted (:u)")
        s = Samples(os.path.join(place, "pmk.data"))
        equal(list(s.events()), ["cpu-clock:u", "cpu-clock:u:samples"])
        assert "[kernel]" not in s.by("object.path", "cpu-clock:u:samples")
        assert s.by("function.name", "cpu-clock:u:samples")["hot"] > 0
        for argv in (["-a", "-e", "cpu-clock", "true"], ["-e", "cpu-clock:k", "true"],
                     ["-p", "1", "-e", "cpu-clock"]):
            out = as_nobody(place, *argv)
            equal(out.code, FAILED, str(out))
            assert re.fullmatch("pmk: nothing can be counted: .*\n", out.err), out.err
    finally:
        shutil.rmtree(place)


def test_a_file_that_cannot_be_written_costs_no_count(tmp_path):
    have("prlimit")
    out = run("prlimit", "--fsize=1000", PMK, "record", *CLOCK, "-o", tmp_path / "data", "--",
              prog(), "spin", ROUNDS)
    if "perf_event_paranoid" in out.err:
        skip(out.err.strip())
    equal(out.code, FAILED, str(out))
    contains(out.err, "the counts follow here")
    equal(os.listdir(tmp_path), [])
    assert re.search(r"[\d.,]+ msec cpu-clock +sampled", out.err), out.err
