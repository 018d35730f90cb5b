# SPDX-License-Identifier: MIT
"""pmk sweep --engine divides the runs among tasks, or among the two nodes of a real Slurm. Their
merged counts equal those of one machine."""
import os
import sqlite3
import time

from harness import *
import slurm

pytestmark = lab

# Number of cells that are counted with Slurm. PMK_SLURM_CELLS=200 scripts/test … makes a longer
# run.
CELLS = int(os.environ.get("PMK_SLURM_CELLS", 26))

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
static volatile char data[65536];
int main(int argc, char **argv)
{
	int sum = 0;
	FILE *f = argc > 2 ? fopen(argv[2], "r") : NULL;

	while (f && getc(f) != EOF)
		sum++;
	for (int i = 0; i < atoi(argv[1]); i++)
		sum += data[i * 64 % sizeof(data)];
	return 0;
}
"""
# The first core counts one cell of each program, and the second core counts four.
SWEEP = """[sweep]
cores = arm1176, cortex-a53
events = cycles, instructions, cache-misses
[settings cortex-a53]
dcache.size = 4K..32K
"""


def make_plan(folder, programs, hold=False):
    (folder / "prog.c").write_text(PROGRAM)
    compile_arm(str(folder / "prog.c"), folder / "prog", "-O1", "-static")
    text = SWEEP
    for n in range(programs):
        if hold and n == programs // 2:
            text += "[program hold]\nrun = ./prog 5 gate\ncores = arm1176\n"
        text += f"[program p{n}]\nrun = ./prog {1000 + n}\n"
    (folder / "plan.ini").write_text(text)


def sweep(folder, *words, code=0, env=None):
    out = pmk("sweep", *words, cwd=folder, env=env)
    equal(out.code, code, out)
    return out


def held(programs):
    """Returns the number of the cell whose program waits at its gate, a FIFO that the test
    opens."""
    return 5 * (programs // 2)


def waits():
    """Returns true if the test program waits at its gate."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if of_process(pid, "cmdline").endswith("\0" + "5\0gate\0"):
            return True
    return False


def keys(path):
    db = sqlite3.connect(path)
    try:
        return [key for key, in db.execute("SELECT key FROM cell WHERE failure IS NULL")]
    finally:
        db.close()


def parts(folder):
    """Returns the keys of the cells in each database of the tasks."""
    tasks = folder / "r.db.tasks"
    return {name: keys(tasks / name) for name in os.listdir(tasks) if name.endswith(".db")}


def same_counts(folder):
    sweep(folder, "plan.ini", "-o", "local.db")
    equal(sweep(folder, "-x,", "r.db").out, sweep(folder, "-x,", "local.db").out)


def test_make_runs_tasks(tmp_path):
    folder = tmp_path / "it's a $folder"
    folder.mkdir()
    make_plan(folder, 4)
    out = sweep(folder, "plan.ini", "-o", "r.db", "--engine", "make", "--tasks", "3")
    contains(out.out, "3 tasks; make -C ")
    out = sweep(folder, "plan.ini", "-o", "r.db", "--engine", "make", code=125)
    contains(out.err, "contains tasks of an earlier sweep")
    out = run("make", "-C", folder / "r.db.tasks", "-j2")
    equal(out.code, 0, out)
    equal(sorted(len(k) for k in parts(folder).values()), [6, 7, 7])
    made = parts(folder)
    contains(run("make", "-C", folder / "r.db.tasks").out, "Nothing to be done")
    equal(parts(folder), made)
    sweep(folder, "--collect", "r.db")
    assert not (folder / "r.db.tasks").exists()
    same_counts(folder)
    contains(sweep(folder, "plan.ini", "-o", "r.db", "--engine", "make").out, "none is missing")


def test_a_task_keeps_no_counts_of_a_file_that_changed(tmp_path):
    make_plan(tmp_path, 1, hold=True) # the first cell waits
    os.mkfifo(tmp_path / "gate")
    sweep(tmp_path, "plan.ini", "-o", "r.db", "--engine", "make", "--tasks", "1")
    p = subprocess.Popen(["make", "-C", "r.db.tasks"], cwd=tmp_path, stderr=subprocess.PIPE,
                         stdout=subprocess.DEVNULL, text=True)
    with open(tmp_path / "gate", "w"):
        os.utime(tmp_path / "prog")
    err = p.communicate()[1]
    contains(err, "prog has changed during the sweep; run the sweep again\n")
    equal((p.returncode, parts(tmp_path)), (2, {"0.db": []}))
    assert not (tmp_path / "r.db.tasks/0.done").exists()


def test_a_cell_with_two_names_is_in_one_task(tmp_path):
    make_plan(tmp_path, 1)
    with open(tmp_path / "plan.ini", "a") as f:
        f.write("[program twin]\nrun = ./prog 1000\n")
    sweep(tmp_path, "plan.ini", "-o", "r.db", "--engine", "make", "--tasks", "3")
    equal(run("make", "-C", tmp_path / "r.db.tasks", "-j2").code, 0)
    found = [key for keys in parts(tmp_path).values() for key in keys]
    equal((len(found), len(set(found))), (5, 5))
    sweep(tmp_path, "--collect", "r.db")
    same_counts(tmp_path)


def test_databases_are_put_together(tmp_path):
    """Databases of several sweeps can be merged, for example those of the jobs of a CI matrix."""
    make_plan(tmp_path, 3)
    for name in ("arm1176", "cortex-a53"):
        text = SWEEP.replace("cores = arm1176, cortex-a53", f"cores = {name}")
        if name == "arm1176":
            text = text[:text.index("[settings")]
        plan = text + (tmp_path / "plan.ini").read_text()[len(SWEEP):]
        (tmp_path / f"{name}.ini").write_text(plan)
        sweep(tmp_path, f"{name}.ini", "-o", f"{name}.db")
    sweep(tmp_path, "--collect", "r.db", "arm1176.db", "cortex-a53.db")
    same_counts(tmp_path)
    for words, code, told in (
            (("new.db", "new.db"), 129, "--collect: new.db is the database to write, and cannot "
                                        "also be merged into it"),
            (("r.db", "./r.db"), 129, "--collect: ./r.db is the database to write, and cannot also "
                                       "be merged into it"),
            (("new.db", "nothing.db"), 125, "nothing.db: No such file or directory")):
        equal(sweep(tmp_path, "--collect", *words, code=code).err, f"pmk: {told}\n")
    assert not (tmp_path / "new.db").exists()


def test_a_task_counts_what_was_meant_or_nothing(tmp_path):
    make_plan(tmp_path, 2)
    sweep(tmp_path, "plan.ini", "-o", "r.db", "--engine", "make", "--tasks", "2")
    text = (tmp_path / "plan.ini").read_text()
    (tmp_path / "plan.ini").write_text(text.replace("4K", "8K"))
    words = ("plan.ini", "-o", "x.db", "--task")
    out = sweep(tmp_path, *words, "r.db.tasks/todo:0/2", code=125)
    contains(out.err, "has changed since the tasks were made")
    for bad in ("r.db.tasks/todo", "r.db.tasks/todo:2/2", "r.db.tasks/todo:0/2x"):
        contains(sweep(tmp_path, *words, bad, code=129).err, "FILE:I/N")
    sweep(tmp_path, *words, "nothing:0/2", code=125)
    with open(tmp_path / "r.db.tasks/todo", "a") as f:
        f.write("cut")
    (tmp_path / "plan.ini").write_text(text)
    contains(sweep(tmp_path, *words, "r.db.tasks/todo:0/2", code=125).err,
             "this is not a list of tasks")
    contains(sweep(tmp_path, "plan.ini", "-o", "y.db", "--engine", "lsf", code=129).err,
             "--engine lsf: expected make or slurm")


def test_slurm_loses_nothing_and_counts_nothing_twice(tmp_path):
    """If a node is drained, and a task is killed in the middle, no cell is lost, and none is
    counted twice."""
    os.chmod(tmp_path, 0o755)
    programs = (CELLS - 1) // 5
    make_plan(tmp_path, programs, hold=True)
    os.mkfifo(tmp_path / "gate") # a program that opens the gate waits there
    tasks = max(6, CELLS // 10)
    with slurm.cluster() as c:
        began = time.time()
        counted = []

        def submit():
            out = sweep(tmp_path, "plan.ini", "-o", "r.db", "--engine", "slurm", "--tasks",
                        str(tasks), env=c.env)
            return re.search(r"tasks in job (\d+)", out.out)[1]

        def collect():
            for found in parts(tmp_path).values():
                counted.extend(found)
            sweep(tmp_path, "--collect", "r.db")

        job = submit()
        wait_until(lambda: len(c.jobs()) < tasks and waits(), "one has ended, and one waits")
        c.run("scontrol", "update", "nodename=node1", "state=drain", "reason=test")
        assert c.nodes()["node1"].startswith("drain"), c.nodes()
        c.run("scancel", f"{job}_{held(programs) % tasks}")
        wait_until(lambda: not c.jobs(), "all tasks are gone")
        collect()
        missing = int(re.search(r"(\d+) missing", sweep(
            tmp_path, "plan.ini", "-o", "r.db", "--dry-run").out)[1])
        assert 0 < missing < CELLS // tasks + 2, missing
        (tmp_path / "gate").unlink()
        (tmp_path / "gate").write_text("open")
        c.run("scontrol", "update", "nodename=node1", "state=resume")
        submit()
        wait_until(lambda: not c.jobs(), "all tasks are gone")
        collect()
        print(f"{CELLS} cells over Slurm in {time.time() - began:.1f} s")
    equal(len(counted), CELLS)
    equal(sorted(counted), sorted(keys(tmp_path / "r.db")))
    same_counts(tmp_path)
