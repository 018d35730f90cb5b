# SPDX-License-Identifier: MIT
"""bench/truth works from end to end: it compares kernels with published numbers, and random blocks
with llvm-mca. Its accuracy is not judged here."""
import importlib.machinery
import importlib.util
import json
import os
import re
import sys

import repo
from harness import *

TRUTH = os.path.join(SOURCE, "bench", "truth")


@pytest.fixture(scope="module")
def truth():
    loader = importlib.machinery.SourceFileLoader("truth_script", TRUTH)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("truth_script",
                                                                             loader))
    loader.exec_module(module)
    return module


def test_a_label_names_its_classes(truth):
    equal(truth.label_of("within 15 % in L1 code, vectors and programs, 25 % in AES and SHA, "
                         "45 % in memory (docs/cycles.md)"),
          {"L1 code": 15, "vectors": 15, "programs": 15, "AES": 25, "SHA": 25, "memory": 45})
    equal(truth.label_of("within 10 % in L1 code, unchecked in vectors and memory "
                         "(docs/cycles.md)"), {"L1 code": 10})
    # The label of a board applies to its own figures, and to those of the core on the board.
    cores = {"core": {"pmu": "core", "checked": "within 10 % in L1 code, unchecked in memory (x)"},
             "board": {"pmu": "core", "checked": "within 5 % in L1 code, 30 % in memory (x)"},
             "bare": {"pmu": "bare", "checked": None}}
    equal([truth.promised(cores, core, kind) for core, kind in
           (("core", "mispredictions"), ("core", "level 2"), ("board", "level 2"),
            ("board", "compiled programs"), ("bare", "mispredictions"))],
          [5, 30, 30, None, None])


def test_labels_are_what_the_page_says(truth):
    """Every core with a label is on the page that the label names, where no error exceeds the label
    of its class. Each class that a label names was compared, on the core or on its board."""
    cores = {c["name"]: c for c in json.loads(pmk("list", "-j", "cores").out)["cores"]}
    page = repo.text("docs/cycles.md")
    labels = {name: truth.label_of(c["checked"]) for name, c in cores.items() if c["checked"]}
    compared = set()

    def rows(header):
        core = None
        for first, *cells in re.findall(r"^\| ([^|]*?) *\| (.*?) \| ([^|]*) \|$",
                                        re.search(header + r"\n.*?\n\n", page, re.S)[0], re.M)[1:]:
            core = first or core
            yield core, *cells

    for core, kind, worst in rows(r"\| core \| class \| figures [^\n]*"):
        kind = kind.split(" | ")[0]
        for one in core.split("/"):
            most = truth.promised(cores, one, kind)
            compared |= {(name, truth.LABELLED_AS.get(kind)) for name in labels
                         if one in (name, cores[name]["pmu"])}
            assert most is None or int(worst.strip("+-% ")) <= most, (core, kind, worst)
    for name, label in labels.items():
        for word in set(label) - {"SHA"}:
            assert (name, word) in compared, (name, word)
    core_of = set()
    for core, _, error in rows(r"\| core \| with \| error \|"):
        core_of.add(core)
        worst = max(abs(int(n)) for n in re.findall(r"-?\d+", error))
        assert worst <= max(labels[core].values()), (core, error)
    equal(core_of, set(labels))


@pytest.mark.ci
def test_it_measures_and_judges():
    have("aarch64-linux-gnu-gcc", "qemu-aarch64", "llvm-mca")
    plot = os.path.join(WORK, "bench-truth.svg")
    out = run(sys.executable, TRUTH, BUILD, "--core", "cortex-a53,raspberrypi3",
              "--blocks", "3", "--plot", plot)
    assert out.code in (0, 1), out
    rows = re.findall(r"^[\w-]+: (.+?)  +(-?[\d.]+) +([\d.]+) +([+-]\d+)% +±(\d+)%( +BEYOND)?",
                      out.out, re.M)
    # On any core that forwards its results, an addition in a chain takes a cycle. Reading a block
    # of four megabytes waits for memory.
    ours = {kernel: float(value) for kernel, value, *_ in rows}
    assert 1 <= ours["chains add-chain"] < 1.1, rows
    assert ours["chase random 4194304 1 - chase random 2048 1"] > 50, rows
    for kernel, value, published, error, tolerance, beyond in rows:
        off = (float(value) - float(published)) / float(published) * 100
        assert abs(off - float(error)) < 2, kernel
        if abs(abs(off) - float(tolerance)) > 1:
            equal(bool(beyond), abs(off) > float(tolerance), kernel)
    near = sum(not beyond for *_, beyond in rows)
    contains(out.out, f"{near} of {len(rows)} figures are near enough (target all): "
             + ("met" if near == len(rows) else "MISSED"))
    # The summary by class counts each figure once.
    figures = re.findall(r"^(?:cortex-a53|raspberrypi3): .+?  +(\d+) +[\d.]+% +[+-]\d+%$",
                         out.out, re.M)
    equal(sum(map(int, figures)), len(rows))
    contains(out.out, "raspberrypi3: level 2")
    contains(out.out, "cortex-a53: correlation over 3 blocks")
    with open(plot) as f:
        equal(f.read().count("<circle"), 3)


def test_it_refuses_what_it_cannot_measure():
    out = run(sys.executable, TRUTH, os.path.join(WORK, "bench-empty"))
    equal(out.code, 2)
    contains(out.err, "not found")
    out = run(sys.executable, TRUTH, BUILD, "--core", "z80")
    equal(out.code, 2)
    contains(out.err, "nothing is published of z80")
