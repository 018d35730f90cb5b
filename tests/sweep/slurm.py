# SPDX-License-Identifier: MIT
"""Runs a Slurm of two nodes on this machine, for one user and without systemd or control groups:
munged, slurmctld and two slurmd, all in one folder, on their own ports."""
import contextlib
import os
import shutil
import socket
import subprocess
import tempfile

from harness import *

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo")

CONFIG = """
ClusterName=pmk
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/linear
SchedulerParameters=batch_sched_delay=0,sched_interval=2
SchedulerType=sched/builtin
ReturnToService=2
KillWait=3
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1
NodeName=node2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1
PartitionName=all Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
"""


def reserve_ports(n):
    """Returns sockets with a port each. While they are open, the kernel gives their ports to no
    other program. Slurm's daemons can still listen there, because they set SO_REUSEADDR."""
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return sockets


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        self.reserved = reserve_ports(3)
        self.env = dict(os.environ, SLURM_CONF=os.path.join(folder, "slurm.conf"),
                        MUNGE_SOCKET=os.path.join(folder, "munge.socket"))

    def run(self, *words, **kw):
        out = run(*words, env=self.env, **kw)
        equal(out.code, 0, f"{words}: {out}\n{self.logs()}")
        return out.out

    def daemon(self, *words):
        log = open(os.path.join(self.folder, "daemons.log"), "a")
        self.processes.append(subprocess.Popen(words, env=self.env, stdin=subprocess.DEVNULL,
                                               stdout=log, stderr=log, cwd=self.folder))

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".log"):
                with open(os.path.join(self.folder, name), errors="replace") as f:
                    text += f"---- {name}\n" + "".join(f.readlines()[-15:])
        return text

    def nodes(self):
        """Returns {node: state}."""
        out = run("sinfo", "-h", "-N", "-o", "%N %T", env=self.env)
        return dict(line.split() for line in out.out.splitlines() if len(line.split()) == 2)

    def jobs(self):
        """Returns {task: state} of the array's tasks that have not ended."""
        out = self.run("squeue", "-h", "-r", "-o", "%i %T")
        return dict(line.split() for line in out.splitlines())

    def start(self):
        user = run("id", "-un").out.strip()
        host = socket.gethostname().split(".")[0]
        os.mkdir(os.path.join(self.folder, "state"))
        key = os.path.join(self.folder, "munge.key")
        with open(os.open(key, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as f:
            f.write(os.urandom(128))
        with open(self.env["SLURM_CONF"], "w") as f:
            f.write(CONFIG.format(host=host, user=user, folder=self.folder,
                                  ports=[s.getsockname()[1] for s in self.reserved]))
        version = [int(n) for n in re.findall(r"\d+", run("slurmd", "-V").out)[:2]]
        if version >= [23, 11]:
            with open(os.path.join(self.folder, "cgroup.conf"), "w") as f:
                f.write("CgroupPlugin=disabled\n")
        name = os.path.join(self.folder, "munge")
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}",
                    f"--socket={self.env['MUNGE_SOCKET']}", f"--pid-file={name}.pid",
                    f"--log-file={name}.log", f"--seed-file={name}.seed", "--num-threads=2")
        wait_until(lambda: os.path.exists(self.env["MUNGE_SOCKET"]), "munged listens")
        self.daemon("slurmctld", "-D", "-i")
        for node in ("node1", "node2"):
            self.daemon("slurmd", "-D", "-N", node)
        wait_until(lambda: list(self.nodes().values()) == ["idle", "idle"],
                   lambda: f"both nodes are idle: {self.nodes()}\n{self.logs()}")

    def stop(self):
        """Ends the jobs first, because their processes are not children of the daemons."""
        run("scancel", "--state=RUNNING,PENDING", "--user", str(os.getuid()), env=self.env)
        end = time.monotonic() + 20
        while time.monotonic() < end and run("squeue", "-h", env=self.env).out:
            time.sleep(0.1)
        for p in reversed(self.processes):
            p.terminate()
        for p in reversed(self.processes):
            try:
                p.wait(timeout=10)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
        for s in self.reserved:
            s.close()


@contextlib.contextmanager
def cluster():
    """Starts a cluster. At its end the cluster's folder, which contains all its state, is
    removed."""
    for program in PROGRAMS:
        if not shutil.which(program):
            skip(f"there is no {program} (Debian: slurmctld, slurmd, slurm-client, munge)")
    if os.getuid():
        skip("slurmd sets up its spool folder as root alone")
    with tempfile.TemporaryDirectory(prefix="pmk-slurm-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        c = Cluster(folder)
        try:
            c.start()
            yield c
        finally:
            c.stop()
