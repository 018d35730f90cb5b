# SPDX-License-Identifier: MIT
"""pmk history keeps counts of the commits of a real repository. Each commit has a program whose
number of instructions is known: twice the number of its loop's iterations, plus 4."""
import contextlib
import csv
import fcntl
import io
import signal
import sqlite3

from harness import *
from programs import build

pytestmark = lab

PROGRAM = """	.global _start
_start:	mov	r4, #{turns}
1:	subs	r4, r4, #1
	bne	1b
	mov	r0, #{code}
	mov	r7, #1
	svc	0
"""
BUILD_IT = f"{CROSS}gcc -nostdlib -static -o prog prog.s && echo built >>builds"
START = 1700000000


class Repository:
    def __init__(self, folder):
        have("git", CROSS + "gcc")
        self.folder, self.commits = folder, []
        self.git("init", "-q", "-b", "main", ".")
        (folder / ".gitignore").write_text("prog\nbuilds\nresults.db*\n")

    def git(self, *words, **env):
        who = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@localhost.invalid",
               "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@localhost.invalid"}
        out = run("git", *words, cwd=self.folder, env={**os.environ, **who, **env})
        equal(out.code, 0, f"git {words}: {out}")
        return out.out.strip()

    def commit(self, turns, code=0, source=None, time=None):
        """Commits a program that makes this many iterations; returns the commit's name."""
        n = len(self.commits)
        (self.folder / "prog.s").write_text(source or PROGRAM.format(turns=turns, code=code))
        (self.folder / "number").write_text(f"{n}\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"Turn {turns} times",
                 GIT_COMMITTER_DATE=f"{START + n if time is None else time} +0")
        self.commits.append(self.git("rev-parse", "HEAD"))
        return self.commits[-1]

    def history(self, *words):
        return run(PMK, "history", *words, cwd=self.folder)

    def add(self, commit, *words):
        """Checks out a commit, builds it and adds its counts."""
        self.git("checkout", "-q", commit)
        equal(run("sh", "-c", BUILD_IT, cwd=self.folder).code, 0)
        out = self.history("add", "--commit", "HEAD", *words, "./prog")
        self.git("checkout", "-q", "main")
        return out

    def shown(self, *words):
        out = self.history("show", "-j", *words)
        equal((out.code, out.err), (0, ""))
        return json.loads(out.out)

    def counts(self, event="instructions"):
        one, = [s for s in self.shown("prog", "-e", event)["series"]]
        return one["counts"]

    def builds(self):
        return (self.folder / "builds").read_text().count("built")


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


def test_add_and_show(repository):
    for turns in (100, 100, 90):
        repository.add(repository.commit(turns))
    document = repository.shown()
    equal((document["format"], document["version"]), ("pmk-history", 1))
    equal([(c["commit"], c["subject"], c["time"], c["verdict"]) for c in document["commits"]],
          [(name, f"Turn {turns} times", START + n, None)
           for n, (name, turns) in enumerate(zip(repository.commits, (100, 100, 90)))])
    equal([(s["program"], s["core"], s["settings"], s["event"], s["unit"])
           for s in document["series"]],
          [("prog", "arm1176", "", e, None) for e in ("cycles", "instructions")])
    equal(repository.counts(), [204, 204, 184])
    text = repository.history("show", "prog", "-e", "instructions").out
    contains(text, "prog on arm1176: instructions, 3 commits, 1 change, 184 to 204")
    rows = [line for line in text.splitlines() if re.match(r"  [0-9a-f]{10} ", line)]
    equal([row[2:12] for row in rows], [c[:10] for c in repository.commits])
    # The first two rows, of 100 turns, have the mark at the right end. The third row, of 90 turns,
    # has it at the left end.
    assert rows[0].index("*") == rows[1].index("*") == rows[2].index("*") + 23, text
    assert re.search(r" 184  -20 -9\.80% +\* +Turn 90 times$", rows[2]), rows[2]
    assert "Turn" not in rows[0] + rows[1]


def test_other_names_of_a_core_show_what_was_added(repository):
    repository.add(repository.commit(100), "--core", "arm1176jzf-s")
    for name in ("arm1176", "arm1176jzf-s"):
        equal({s["core"] for s in repository.shown("--core", name)["series"]}, {"arm1176"})


@cases("times", [(0, 0, 0, 0, 0), (0, 40, 30, 20, 10)])
def test_commits_come_after_their_ancestors(repository, times):
    """Commits are shown after their ancestors, even if all commits have the same time, or children
    are older than their parents."""
    for n, time in enumerate(times):
        repository.commit(100 + n, time=START + time)
    for n in (3, 1, 4, 0, 2):
        equal(repository.add(repository.commits[n]).code, 0)
    equal([c["commit"] for c in repository.shown()["commits"]], repository.commits)
    equal(repository.counts(), [204, 206, 208, 210, 212])
    # Commits that git does not know are sorted by their stored time.
    with sqlite3.connect(repository.folder / "results.db") as db:
        for name, time in (("f" * 40, START - 1), ("gone", START + 50)):
            db.execute("INSERT INTO revision(name, time) VALUES(?, ?)", [name, time])
    equal([c["commit"] for c in repository.shown()["commits"]],
          ["f" * 40, *repository.commits, "gone"])


LOOKS = r"""
#include <stdio.h>
#include <sys/stat.h>
int main(void)
{
	struct stat s;

	fstat(1, &s);
	for (volatile int i = 0; i < (S_ISFIFO(s.st_mode) ? 900 : S_ISREG(s.st_mode) ? 500 : 100); i++)
		;
	fputs("it says why", stderr);
	return 0;
}
"""


def test_counts_do_not_depend_on_where_the_output_goes(repository):
    looks = build("looks", LOOKS, "-static", "-march=armv6k", "-marm")
    seen = set()
    for n, where in enumerate(("pipe", "file", "null")):
        words = [PMK, "history", "add", "--commit", "HEAD", "-e", "instructions", "--name", where,
                 looks]
        with open("/dev/null" if where == "null" else repository.folder / "out", "w") as f:
            if n == 0:
                repository.commit(10)
            p = subprocess.run(words, cwd=repository.folder, stderr=subprocess.PIPE, text=True,
                               stdout=subprocess.PIPE if where == "pipe" else f)
        equal((p.returncode, p.stderr, p.stdout), (0, "", "" if where == "pipe" else None))
        one, = [s for s in repository.shown(where)["series"]]
        seen.add(one["counts"][0])
    equal(len(seen), 1)


def test_what_a_program_that_fails_has_said_is_shown(repository):
    looks = build("looks-fails", LOOKS.replace("return 0", "return 4"), "-static", "-march=armv6k",
                  "-marm")
    repository.commit(10)
    out = repository.history("add", "--commit", "HEAD", looks)
    contains(out.err, "it says why")
    contains(out.err, "ended with exit code 4; its counts are not added")


def test_a_program_older_than_its_commit_is_named(repository):
    name = repository.commit(10)
    equal(run("sh", "-c", BUILD_IT, cwd=repository.folder).code, 0)
    equal(repository.history("add", "--commit", "HEAD", "./prog").err, "")
    source = os.stat(repository.folder / "prog.s").st_mtime
    os.utime(repository.folder / "prog", (source - 5, source - 5))
    out = repository.history("add", "--commit", "HEAD", "./prog")
    equal((out.code, out.err), (0, f"pmk: history: ./prog is older than prog.s, which {name[:10]} "
                                   "changed: was it built from this commit?\n"))


def test_a_program_that_was_not_built_again_is_refused(repository):
    """pmk refuses a program that is older than its sources, whose names are in its debug
    information."""
    repository.commit(10)
    equal(run("sh", "-c", BUILD_IT.replace("-o", "-g -o"), cwd=repository.folder).code, 0)
    equal(repository.history("add", "--commit", "HEAD", "./prog").err, "")
    name = repository.commit(11)
    source = os.stat(repository.folder / "prog.s").st_mtime
    os.utime(repository.folder / "prog", (source - 5, source - 5))
    out = repository.history("add", "--commit", "HEAD", "./prog")
    equal((out.code, out.err), (125, "pmk: history: ./prog is older than its source prog.s, which "
                                     f"{name[:10]} changed: build it again, or 'touch' it if it is "
                                     "up to date\n"))
    equal(len(repository.shown()["commits"]), 1)
    os.utime(repository.folder / "prog")
    equal(repository.history("add", "--commit", "HEAD", "./prog").err, "")


def test_csv(repository):
    repository.add(repository.commit(10), "--set", "dcache.size=8K,dcache.ways=2", "--name", "a;b",
                   "-e", "instr_exec,etmextout_0")
    out = repository.history("show", "-x", ";")
    equal((out.code, out.err), (0, ""))
    equal(list(csv.reader(io.StringIO(out.out), delimiter=";")),
          [[repository.commits[0], str(START), "", "a;b", "arm1176", "dcache.size=8K,dcache.ways=2",
            "etmextout_0", "", ""],
           [repository.commits[0], str(START), "", "a;b", "arm1176", "dcache.size=8K,dcache.ways=2",
            "instr_exec", "24", ""]])
    with sqlite3.connect(repository.folder / "results.db") as db:
        db.execute("UPDATE revision SET time = -86400")
    out = repository.history("show", "-x", ";")
    equal([row[1] for row in csv.reader(io.StringIO(out.out), delimiter=";")], ["-86400"] * 2)


def test_the_gate(repository):
    limit = ("--fail-over", "5%", "-e", "instructions")
    verdicts = []
    for turns, code in ((100, 0), (103, 0), (120, 1), (104, 0), (90, 0), (97, 1)):
        out = repository.add(repository.commit(turns), *limit)
        equal(out.code, code, f"{turns}: {out}")
        verdicts.append("bad" if code else "good")
        equal([c["verdict"] for c in repository.shown()["commits"]], verdicts)
    # pmk compares with the last good commit, which has 90 iterations.
    good = repository.commits[4][:10]
    equal(out.err, f"pmk: instructions of prog on arm1176: from 184 in {good} to 198 "
                   "(+14 +7.61%), over 5%\n")
    out = repository.history("show", "--fail-over", "5%")
    equal((out.code, out.err.count("over 5%")), (1, 1))
    equal(repository.history("show", "--fail-over", "8%").code, 0)
    # The user marks a commit that is slower on purpose as good, and pmk compares the next commit
    # with it.
    equal(repository.history("good", repository.commits[-1][:12]).code, 0)
    equal(repository.add(repository.commit(99), *limit).code, 0)
    # Many small steps add up to a failure when pmk compares with a release.
    equal(repository.add(repository.commits[1], *limit, "--good", repository.commits[4]).code, 1)
    equal(repository.history("bad", repository.commits[0]).code, 0)
    equal(repository.shown()["commits"][0]["verdict"], "bad")


def fail_in_a_sweep(repository, name="prog"):
    """Adds a sweep with one run, the failed run of `name`, to the database."""
    with sqlite3.connect(repository.folder / "results.db") as db:
        db.execute("DELETE FROM point WHERE revision = 0")
        db.execute("INSERT INTO cell SELECT NULL, randomblob(16), program, config, 'ended with 3',"
                   " 3, 0 FROM cell LIMIT 1")
        db.execute("INSERT INTO point SELECT 0, ?, variant, (SELECT max(id) FROM cell) FROM point"
                   " LIMIT 1", [name])


def test_the_gate_sees_a_run_that_failed(repository):
    """A commit with a failed run is not good. So pmk compares the next commit with an earlier one,
    the last that is good."""
    limit = ("--fail-over", "5%", "-e", "instructions")
    equal(repository.add(repository.commit(100), *limit).code, 0)
    fail_in_a_sweep(repository)
    first = repository.commits[0][:10]
    out = repository.history("add", "--commit", repository.commit(100), "--fail-over", "5%")
    equal((out.code, out.err), (1, f"pmk: prog on arm1176: it was counted in {first}, but "
                                   "fails now: ended with 3\n"))
    equal(repository.history("show", "--fail-over", "5%").code, 1)
    equal(repository.add(repository.commit(150), *limit).code, 1)
    equal([c["verdict"] for c in repository.shown()["commits"]], ["good", None, "bad"])
    # After `good` accepts the failure, the next commit may fail in the same way, but in no other
    # way.
    equal(repository.history("good", repository.commits[1]).code, 0)
    out = repository.history("add", "--commit", repository.commit(100), "--fail-over", "5%")
    equal(out.code, 0)
    contains(out.err, "nothing to compare")
    equal(repository.add(repository.commit(150), *limit).code, 1)


def test_the_gate_compares_each_count_with_the_commit_that_has_it(repository):
    def add(turns, event):
        return repository.add(repository.commit(turns), "--fail-over", "5%", "-e", event)
    equal(add(100, "cycles,instructions").code, 0)
    equal(add(100, "cycles").code, 0)
    out = add(150, "instructions")
    equal((out.code, out.err.count("instructions of prog on arm1176: from 204")), (1, 1), str(out))
    # No good commit has counts of this event, so pmk gives no verdict on this commit.
    out = add(100, "instr_exec")
    equal((out.code, out.err), (0, "pmk: history: nothing to compare: no good commit has the "
                                   f"counts of {repository.commits[-1][:10]}\n"))
    equal([c["verdict"] for c in repository.shown()["commits"]], ["good", "good", "bad", None])
    # pmk compares later commits with this commit.
    equal(add(150, "instr_exec").code, 1)
    equal(add(101, "instr_exec").code, 0)


def test_what_is_added_again_replaces(repository):
    repository.commit(10)
    repository.add("HEAD")
    (repository.folder / "prog.s").write_text(PROGRAM.format(turns=11, code=0))
    equal(run("sh", "-c", BUILD_IT, cwd=repository.folder).code, 0)
    equal(repository.history("add", "--commit", "HEAD", "./prog").code, 0)
    equal(repository.counts(), [26])


def test_other_events_stay(repository):
    """If more counts of a commit are added, its other events for the same program, core and
    settings stay."""
    repository.commit(10)
    for words in (["-e", "cycles,etmextout_0"], ["-e", "instructions"],
                  ["-e", "br_exec", "--name", "b"],
                  ["-e", "dcache_miss", "--set", "dcache.size=8K"], ["-e", "instructions"]):
        equal(repository.add("HEAD", *words).code, 0)
    equal([(s["program"], s["settings"], s["event"], s["counts"][0] is None)
           for s in repository.shown()["series"]],
          [("b", "", "br_exec", False), ("prog", "", "cycles", False),
           ("prog", "", "etmextout_0", True), ("prog", "", "instructions", False),
           ("prog", "dcache.size=8K", "dcache_miss", False)])
    equal(repository.counts("instructions"), [24])


def test_bisect_keeps_what_it_does_not_count(repository):
    for turns in (100, 100, 100, 130, 130):
        repository.add(repository.commit(turns), "--record")
    before = repository.counts("instructions"), repository.counts("cycles")
    recordings = "SELECT count(*) FROM point JOIN recording USING(cell)"
    out = repository.history("bisect", "--good", repository.commits[0], "-e", "cycles", "--build",
                             BUILD_IT, "./prog")
    equal((out.code, out.out[:40]), (0, repository.commits[3]), str(out))
    equal((repository.counts("instructions"), repository.counts("cycles")), before)
    with sqlite3.connect(repository.folder / "results.db") as db:
        equal(db.execute(recordings).fetchone(), (5,))


def has_open(pid, path):
    folder = f"/proc/{pid}/fd"
    for fd in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):  # the process has closed it
            if os.path.samefile(os.path.join(folder, fd), path):
                return True
    return False


def test_several_add_at_once(repository):
    """Several `pmk history add` wait for each other, but not for ever: pmk gives up if a sweep
    writes for a long time."""
    repository.add(repository.commit(10))
    db = repository.folder / "results.db"
    equal(run("sh", "-c", BUILD_IT, cwd=repository.folder).code, 0)
    with open(db, "r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        adding = [subprocess.Popen([PMK, "history", "add", "--commit", "HEAD", "--name", name,
                                    "./prog"], cwd=repository.folder) for name in "abc"]
        for p in adding:
            wait_until(lambda: has_open(p.pid, db), "it does not look at the database")
        equal([p.poll() for p in adding], [None] * 3)
    equal([p.wait(PATIENCE) for p in adding], [0] * 3)
    equal({s["program"] for s in repository.shown()["series"]}, {"prog", *"abc"})
    with open(db, "r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        out = repository.history("add", "--commit", "HEAD", "./prog")
    equal((out.code, out.err), (125, "pmk: results.db: another process writes to it; try "
                                     "again when that has ended\n"))


def test_a_program_that_fails_is_not_added(repository):
    out = repository.add(repository.commit(10, code=3))
    equal(out.code, 125)
    contains(out.err, "ended with exit code 3; its counts are not added")
    assert not (repository.folder / "results.db").exists()
    equal(repository.history("add", "--commit", "HEAD", "./nowhere").code, 127)


@cases("turns, added, found", [
    ([100, 100, 100, 100, 130, 130, 130, 130], [0, 7], 4),
    ([130, 130, 130, 100, 100, 100, 100, 100], [0, 7], 3),
    ([100, 130], [0, 1], 1),
])
def test_bisect(repository, turns, added, found):
    """Bisect finds the first commit that is slower or faster, with any number of commits between
    the given two."""
    for n in turns:
        repository.commit(n)
    for n in added:
        repository.add(repository.commits[n])
    before = repository.builds()
    out = repository.history("bisect", "--build", BUILD_IT, "./prog")
    equal(out.code, 0, str(out))
    lines = out.out.splitlines()
    equal(lines[0], f"{repository.commits[found]} Turn {turns[found]} times")
    change = 2 * (turns[found] - turns[found - 1])
    contains(lines[-1], f"prog on arm1176: instructions, {change:+}")
    assert repository.builds() - before <= 3
    equal(repository.git("rev-parse", "--abbrev-ref", "HEAD"), "main")
    equal(repository.git("status", "--porcelain"), "")
    # The database has the counts made during the bisection, in the order of the commits.
    tried = [c["commit"] for c in repository.shown()["commits"]]
    equal(tried, [c for c in repository.commits if c in tried])


def test_bisect_by_a_limit_and_around_what_cannot_be_built(repository):
    for turns in (100, 102, 104):
        repository.commit(turns)
    repository.commit(0, source="this is no program\n")
    for turns in (108, 130, 132):
        repository.commit(turns)
    for n in (0, 6):
        repository.add(repository.commits[n])
    out = repository.history("bisect", "--fail-over", "10%", "-e", "instructions", "--build",
                             BUILD_IT, "./prog")
    equal(out.code, 0, str(out))
    equal(out.out.splitlines()[0], f"{repository.commits[5]} Turn 130 times")


@cases("words, text", [
    (["--fail-over", "50%"], "no count has grown by more than 50% from {} to {}"),
    (["-e", "instr_exec"], "{} and {} have no common count of prog"),
    (["--fail-over", "0", "-e", "br_exec"], "have no common count of prog"),
    (["-e", "dcache_miss"], "prog counts the same in {} and {}; name other commits or events"),
    (["--fail-over", "0", "-e", "dcache_miss"], "no count has grown by more than 0%"),
])
def test_bisect_names_no_commit_where_nothing_changed(repository, words, text):
    """If nothing changed, bisect names no commit, whether or not there are commits between the
    given two."""
    for n in range(4):
        repository.commit(100 + 10 * n)
    for n in (0, 2, 3):
        repository.add(repository.commits[n], "-e", "cycles,instructions,dcache_miss")
    before = repository.builds()
    for good in (repository.commits[0], repository.commits[2]):
        out = repository.history("bisect", *words, "--good", good, "--build", BUILD_IT, "./prog")
        equal((out.code, out.out, repository.builds()), (125, "", before), str(out))
        contains(out.err, text.format(good[:10], repository.commits[-1][:10]))
        equal(out.err.count("\n"), 1)


def test_bisect_starts_at_the_last_good_commit_that_has_the_counts(repository):
    for turns, event in ((100, "cycles"), (100, "cycles"), (100, "br_exec"), (130, "cycles")):
        equal(repository.add(repository.commit(turns), "-e", event).code, 0)
    for n in (0, 1, 2):
        equal(repository.history("good", repository.commits[n]).code, 0)
    out = repository.history("bisect", "-e", "cycles", "--build", BUILD_IT, "./prog")
    equal((out.code, out.out[:40]), (0, repository.commits[3]), str(out))
    equal(repository.builds(), 4 + 1)


def test_the_test_of_a_commit(repository):
    for turns in (100, 130, 129, 101):
        repository.commit(turns)
    for n in (0, 1):
        repository.add(repository.commits[n])
    ends = ("--good", repository.commits[0], "--bad", repository.commits[1])
    for commit, code in ((2, 1), (3, 0)):
        repository.git("checkout", "-q", repository.commits[commit])
        out = repository.history("test", *ends, "--build", BUILD_IT, "./prog")
        equal(out.code, code, str(out))
    out = repository.history("test", *ends, "--build", "exit 7", "./prog")
    equal((out.code, "is skipped: 'exit 7' fails" in out.err), (125, True), str(out))
    equal(repository.history("test", *ends, "./nowhere").code, 125)


@cases("name, all_of_them", [("INT", True), ("INT", False), ("TERM", False), ("HUP", True)])
def test_a_signal_ends_bisect_and_resets_git(repository, name, all_of_them):
    """A signal ends bisect and resets git, whether all processes get the signal, as from a
    terminal, or only one, as from kill. The second build hangs and ignores the signal. The counts
    of the first build are kept."""
    sig = getattr(signal, "SIG" + name)
    for turns in (100, 100, 100, 100, 100, 130, 130, 130, 130):
        repository.commit(turns)
    for n in (0, 8):
        repository.add(repository.commits[n])
    repository.git("checkout", "-q", repository.commits[7])
    build = (f"if [ -e built ]; then touch hangs; trap '' INT HUP TERM; "
             f"sleep {2 * PATIENCE} & wait; "
             f"else touch built; {BUILD_IT}; fi")
    (repository.folder / ".git/info/exclude").write_text("built\nhangs\n")
    p = subprocess.Popen(["env", "--default-signal", PMK, "history", "bisect", "--build", build,
                          "./prog"], cwd=repository.folder, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_until((repository.folder / "hangs").exists, "the build hangs")
    if all_of_them:
        os.killpg(p.pid, sig)
    else:
        p.send_signal(sig)
    out, err = p.communicate(timeout=PATIENCE)
    equal((p.returncode, out), (128 + sig, ""), err)
    equal(re.findall("^pmk: .*", err, re.M), ["pmk: history bisect: interrupted"], err)
    equal((repository.git("rev-parse", "HEAD"), repository.git("status", "--porcelain")),
          (repository.commits[7], ""))
    assert not (repository.folder / ".git/BISECT_START").exists()
    added = [c["commit"] for c in repository.shown()["commits"]]
    equal(added, [repository.commits[n] for n in (0, 4, 8)])


def test_bisect_leaves_a_bisect_of_others_alone(repository):
    for turns in (100, 100, 100, 130):
        repository.add(repository.commit(turns))
    repository.git("bisect", "start", "HEAD", repository.commits[0])
    before = repository.git("bisect", "log"), repository.git("rev-parse", "HEAD")
    out = repository.history("bisect", "--build", BUILD_IT, "./prog")
    equal((out.code, out.err), (125, "pmk: history bisect: a git bisect is in progress here; "
                                     "'git bisect reset' ends it\n"))
    equal((repository.git("bisect", "log"), repository.git("rev-parse", "HEAD")), before)


def test_what_counts_nothing_is_not_added(repository):
    equal(repository.add(repository.commit(10), "-e", "etmextout_0").code, 125)
    equal(repository.history("add", "--commit", "HEAD", "-e", "etmextout_0,etmextout_1",
                             "./prog").err.split(": ")[:3],
          ["pmk", "history", "nothing was counted"])
    assert not (repository.folder / "results.db").exists()


def test_bisect_with_settings(repository):
    """Bisect ignores counts with other settings, or with none."""
    set_it = ("--set", "dcache.size=8K", "-e", "instructions")
    for turns in (100, 100, 130, 130):
        repository.commit(turns)
    for n, (with_it, without) in {0: (100, 100), 3: (130, 100)}.items():
        equal(repository.add(repository.commits[n], *set_it).code, 0)
        equal(repository.add(repository.commits[n], "-e", "instructions").code, 0)
    with sqlite3.connect(repository.folder / "results.db") as db: # without settings: no change
        db.execute("UPDATE point SET cell = (SELECT min(cell) FROM point JOIN variant ON"
                   " variant.id = variant WHERE settings = '') WHERE variant = (SELECT id FROM"
                   " variant WHERE settings = '')")
    words = ("--good", repository.commits[0], "--build", BUILD_IT)
    out = repository.history("bisect", *words, *set_it, "./prog")
    equal((out.code, out.out[:40]), (0, repository.commits[2]), str(out))
    out = repository.history("bisect", *words, "-e", "instructions", "./prog")
    equal((out.code, out.err.count("\n")), (125, 1), str(out))
    contains(out.err, "prog counts the same in")
    out = repository.history("bisect", *words, "--set", "dcache.size=4K", "./prog")
    equal((out.code, out.err.count("\n")), (125, 1), str(out))
    contains(out.err, "no common count of prog")
    for words in (("dcache.size",), ("=8K",), ("",), ("dcache.size=8K,",), ("a,b=1",)):
        for action in ("bisect", "test", "add"):
            out = repository.history(action, "--commit", "HEAD", "--good", "HEAD", "--bad", "HEAD",
                                     "--set", *words, "./prog")
            equal((out.code, out.err.count("\n")), (129, 1), f"{action} {words}: {out}")


def test_bisect_leaves_work_alone(repository):
    for turns in (100, 130):
        repository.add(repository.commit(turns))
    (repository.folder / "prog.s").write_text("changed\n")
    out = repository.history("bisect", "--build", BUILD_IT, "./prog")
    equal(out.code, 125)
    contains(out.err, "changes that are not committed")
    equal((repository.folder / "prog.s").read_text(), "changed\n")


def test_without_git(tmp_path):
    """Without git, pmk history takes any names of commits, in the order in which they were
    added."""
    have("qemu-arm", "arm-linux-gnueabi-gcc")
    (tmp_path / "prog.s").write_text(PROGRAM.format(turns=10, code=0))
    equal(run("sh", "-c", BUILD_IT, cwd=tmp_path).code, 0)
    env = dict(os.environ, GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    out = run(PMK, "history", "add", "--commit", "", "-d", "mine.db", "./prog", cwd=tmp_path,
              env=env)
    equal((out.code, out.err), (129, "pmk: history: a commit needs a name\n"))
    for name in ("zeta", "alpha", "-odd"):
        out = run(PMK, "history", "add", "--commit", name, "-d", "mine.db", "./prog", cwd=tmp_path,
                  env=env)
        equal(out.code, 0, str(out))
    out = run(PMK, "history", "show", "-d", "mine.db", "-x", ",", "-e", "instructions",
              cwd=tmp_path)
    equal([line.split(",")[0] for line in out.out.splitlines()], ["zeta", "alpha", "-odd"])
    out = run(PMK, "history", "bisect", "-d", "mine.db", "./prog", cwd=tmp_path, env=env)
    equal((out.code, out.err), (125, "pmk: history bisect: the current folder is not in a git "
    	"checkout\n"))


def test_git_has_to_know_a_commit(repository):
    repository.commit(10)
    equal(run("sh", "-c", BUILD_IT, cwd=repository.folder).code, 0)
    for name in ("nosuch", "", "v 1", "0000000", "-x", "HEAD~9", "HEAD..", "HEAD^{tree}"):
        out = repository.history("add", "--commit", name, "./prog")
        equal((out.code, out.err.count("\n")), (129, 1), f"{name}: {out}")
    assert not (repository.folder / "results.db").exists()


def test_commits_by_the_names_that_git_knows(repository):
    for turns in (100, 110, 120):
        repository.add(repository.commit(turns))
    repository.git("tag", "-a", "-m", "A release", "v1", repository.commits[0])
    # This tag is also the beginning of another commit's hash.
    repository.git("tag", repository.commits[2][:6], repository.commits[1])
    for words, verdicts in ((("good", "v1"), ["good", None, None]),
                            (("bad", "HEAD"), ["good", None, "bad"]),
                            (("good", "HEAD~1"), ["good", "good", "bad"]),
                            (("bad", repository.commits[2][:6]), ["good", "bad", "bad"])):
        out = repository.history(*words)
        equal((out.code, out.err), (0, ""), f"{words}: {out}")
        equal([c["verdict"] for c in repository.shown()["commits"]], verdicts)
    for good, code in (("HEAD~1", 0), ("v1", 1)):
        equal(repository.history("show", "--fail-over", "10%", "--good", good).code, code)
    # git knows this commit, but the database does not.
    repository.commit(10)
    out = repository.history("good", "HEAD")
    equal(out.code, 129)
    contains(out.err, "has no commit 'HEAD'")


def test_the_beginning_of_a_name(repository):
    """A beginning that fits several hashes is refused. Among seventeen commits, at least two hashes
    begin with the same digit."""
    for _ in range(17):
        repository.commit(10)
    repository.add(repository.commits[0])
    with sqlite3.connect(repository.folder / "results.db") as db:
        for name in repository.commits[1:]:
            db.execute("INSERT INTO revision(name, time) VALUES(?, 1)", [name])
    digits = [name[0] for name in repository.commits]
    digit = max(digits, key=digits.count)
    for name, text in (("", "has no commit ''"),
                       (digit, f"several commits begin with '{digit}'; give more of the name")):
        for words in (("good", name), ("bad", name), ("show", "--good", name),
                      ("bisect", "--good", name, "./prog"), ("bisect", "--bad", name, "./prog")):
            out = repository.history(*words)
            equal((out.code, out.out, out.err.count("\n")), (129, "", 1), f"{words}: {out}")
            contains(out.err, text)


def test_what_a_sweep_counted(repository):
    """pmk history add gives a commit to those points of a sweep that have none."""
    repository.add(repository.commit(10), "--name", "x")
    out = repository.history("add", "--commit", "HEAD")
    equal(out.code, 129)
    contains(out.err, "has no sweep to take programs from")
    with sqlite3.connect(repository.folder / "results.db") as db:
        db.execute("INSERT INTO point SELECT 0, 'swept', variant, cell FROM point")
    second = repository.commit(11)
    equal(repository.history("add", "--commit", second).code, 0)
    series = {s["program"]: s["counts"] for s in repository.shown("-e", "instructions")["series"]}
    equal(series, {"x": [24, None], "swept": [None, 24]})


ENDLESS = """
PRAGMA legacy_alter_table = on;
ALTER TABLE {table} RENAME TO hidden;
CREATE VIEW {table} AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)
SELECT hidden.* FROM hidden, r;
"""


@cases("table", ["cell", "meta", "value"])
def test_views_in_place_of_tables_are_refused(repository, table):
    """pmk refuses a database with views in place of its tables, because a query of such a view
    might never end."""
    repository.add(repository.commit(10))
    with sqlite3.connect(repository.folder / "results.db") as db:
        db.executescript(ENDLESS.format(table=table))
    for words in (("show",), ("good", repository.commits[0]),
                  ("add", "--commit", "HEAD", "./prog")):
        out = repository.history(*words)
        equal((out.code, out.err), (125, "pmk: results.db: it has views instead of tables; count "
                                         "again into a new database\n"))


@cases("table, column", [("revision", "name"), ("event", "name"), ("variant", "core")])
def test_rows_without_a_name_are_damaged(repository, table, column):
    repository.add(repository.commit(10))
    with sqlite3.connect(repository.folder / "results.db") as db:
        db.execute("PRAGMA writable_schema=on")
        db.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') "
                   "WHERE name = ?", (table,))
    with sqlite3.connect(repository.folder / "results.db") as db:
        db.execute(f"UPDATE {table} SET {column} = NULL")
    out = repository.history("show")
    equal((out.code, out.err), (125, "pmk: results.db: one of its rows is damaged\n"))


def test_triggers_are_not_executed(repository):
    repository.add(repository.commit(10))
    with sqlite3.connect(repository.folder / "results.db") as db:
        db.execute("CREATE TRIGGER other AFTER INSERT ON value BEGIN UPDATE value SET value = 7; "
                   "END")
        db.execute("CREATE VIEW mine AS SELECT count(*) FROM value") # other views are allowed
    equal(repository.add(repository.commit(11)).code, 0)
    equal(repository.counts(), [24, 26])


def test_mistakes(repository):
    repository.add(repository.commit(10))
    for words, code, text in (
            (("show", "pro"), 129, "there is no program 'pro'; did you mean prog?"),
            (("show", "prog", "-e", "cycle"), 129, "'cycle'; did you mean cycles?"),
            (("shw",), 129, "did you mean show?"),
            (("nosuch",), 129, "history has no 'nosuch'"),
            (("show", "-e", "cycles", "-e", "cycle"), 129, "'cycle'; did you mean cycles?"),
            (("show", "-e", "cycles,nosuch", "-j"), 129, "no series of 'nosuch'"),
            (("show", "--fail-over", "1", "--good", "nosuch"), 129, "has no commit 'nosuch'"),
            (("good", "0000000"), 129, "has no commit '0000000'"),
            (("good",), 129, "takes exactly one commit; give its name"),
            (("add", "./prog"), 129, "history add needs the name of the commit: --commit ID"),
            (("show", "--fail-over", "much"), 129, "not a percentage"),
            (("show", "-n", "0"), 129, "not a number of commits"),
            (("show", "-j", "-x", ","), 129, "exclude each other"),
            (("show", "-d", "nowhere.db"), 125, "nowhere.db"),
            (("show", "-d", "prog.s"), 125, "prog.s")):
        out = repository.history(*words)
        equal((out.code, out.out), (code, ""), f"{words}: {out}")
        contains(out.err, text)
        equal(out.err.count("\n"), 1, out.err)
