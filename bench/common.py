# SPDX-License-Identifier: MIT
"""Shared by the programs of this folder: running tools, tables, verdicts."""
import math
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)


class Trouble(Exception):
    """Something could not be measured."""


def need_tools(*names):
    missing = [n for n in names if not shutil.which(n)]
    if missing:
        raise Trouble(f"not found: {' '.join(missing)}")


def output_of(*argv, **kw):
    """Returns the output of a command that must succeed."""
    done = subprocess.run(argv, capture_output=True, text=True, **kw)
    if done.returncode:
        raise Trouble(f"{' '.join(argv)}\nexit {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def first_line(*argv):
    try:
        return subprocess.run(argv, capture_output=True, text=True).stdout.splitlines()[0]
    except (OSError, IndexError):
        return "?"


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def chosen(parser, text, known, what):
    """Returns the items of a comma-separated option; None selects all."""
    names = text.split(",") if text else list(known)
    unknown = [n for n in names if n not in known]
    if unknown:
        parser.error(f"no such {what}: {' '.join(unknown)}; there are {' '.join(known)}")
    return names


# ---- printing -----------------------------------------------------------------------------------

def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def spread(values, unit="", digits=2):
    values = list(values)
    return f"{min(values):.{digits}f}..{max(values):.{digits}f}{unit}"


def table(head, rows):
    """Prints a table. The first column is aligned to the left, all other columns to the right."""
    rows = list(rows)
    widths = [max(len(str(r[i])) for r in [head, *rows]) for i in range(len(head))]
    for r in [head, *rows]:
        print("  ".join(str(c).ljust(w) if i == 0 else str(c).rjust(w)
                        for i, (c, w) in enumerate(zip(r, widths))).rstrip())
    print()


def verdict(what, target, met):
    """Prints a line for a claim; returns true if the claim holds."""
    print(f"{what} (target {target}): {'met' if met else 'MISSED'}")
    return met


# ---- the main program ----------------------------------------------------------------------------

def run_main(bench):
    """Calls `bench`. Exits with 0 if it returns true (all targets are met), with 1 if it returns
    false, and with 2 if something could not be measured."""
    try:
        sys.exit(0 if bench() else 1)
    except Trouble as t:
        progress("")
        print(f"{os.path.relpath(sys.argv[0])}: {t}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
