# SPDX-License-Identifier: MIT
"""CPU seconds of each test file. The files that take longest start first, so that no processor
starts a long file at the end of a run.

`tests/costs.txt` stores the seconds. After tests were added or changed, run
`scripts/test BUILD --store-costs` to measure them again. Wall time is not used, because it depends
on other load.
"""
import os
import resource

import pytest

STORED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "costs.txt")
# The cost of a file that is not in the table. Such a file starts before most others.
UNKNOWN = 30.0


def file_of(nodeid):
    return nodeid.partition("::")[0]


def read_costs(path=STORED):
    """Returns {file: CPU seconds}; files are relative to the repository."""
    costs = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            for line in f:
                if not line.startswith("#"):
                    seconds, name = line.split()
                    costs[name] = float(seconds)
    return costs


def write_costs(costs, path=STORED):
    with open(path, "w", encoding="utf-8") as f:
        f.write("# SPDX-License-Identifier: MIT\n"
                "# CPU seconds of test files, written by `scripts/test BUILD --store-costs`.\n")
        for name, seconds in sorted(costs.items(), key=lambda item: (-item[1], item[0])):
            f.write(f"{seconds:7.1f} {name}\n")


def cpu_seconds():
    """Returns the user and system time of this process, and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


class CostMeter:
    """Measures in the process where tests run: each report gets the CPU time since the previous
    report."""

    def __init__(self):
        self.before = None

    def pytest_collection_finish(self):
        self.before = cpu_seconds()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self):
        report = (yield).get_result()
        now = cpu_seconds()
        report.cpu_seconds = now - self.before
        self.before = now


class CostStore:
    """Adds up the reports of each file, in the process where xdist collects them."""

    def __init__(self):
        self.costs = {}

    def pytest_runtest_logreport(self, report):
        name = file_of(report.nodeid)
        self.costs[name] = self.costs.get(name, 0.0) + report.cpu_seconds

    def pytest_sessionfinish(self):
        known = {name: seconds for name, seconds in read_costs().items()
                 if os.path.exists(os.path.join(os.path.dirname(STORED), os.pardir, name))}
        write_costs({**known, **self.costs})


def add_option(parser):
    parser.addoption("--store-costs", action="store_true",
                     help="measure the CPU seconds of each file and store them in tests/costs.txt")


def configure(config):
    if config.getoption("store_costs"):
        config.pluginmanager.register(CostMeter())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(CostStore())


def longest_first(config, log):
    """Returns a scheduler of xdist that gives an idle worker the longest of the remaining files."""
    from xdist.scheduler.loadfile import LoadFileScheduling

    class LongestFirst(LoadFileScheduling):
        costs = read_costs()

        def _assign_work_unit(self, node):
            longest = max(self.workqueue, key=lambda name: self.costs.get(name, UNKNOWN))
            self.workqueue.move_to_end(longest, last=False)
            super()._assign_work_unit(node)

    return LongestFirst(config, log)
