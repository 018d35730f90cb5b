# SPDX-License-Identifier: MIT
"""Builds designs in Verilog that have scoreboards with each simulator, runs them, and compares them
with pmk."""
import functools
import os

from harness import *

ROOM = os.path.join(WORK, "scoreboards")
HERE = os.path.dirname(os.path.abspath(__file__))
os.makedirs(ROOM, exist_ok=True)


def path(name):
    return os.path.join(ROOM, name)


def is_built(program, sources):
    return os.path.exists(program) and all(os.path.getmtime(program) >= os.path.getmtime(source)
                                           for source in sources)


def icarus(top, *names):
    """Returns the command that runs the module `top` of these files."""
    have("iverilog", "vvp")
    program = path(top + ".vvp")
    sources = [os.path.join(HERE, name) for name in names]
    if not is_built(program, sources):
        done = run("iverilog", "-g2005", "-Wall", "-s", top, "-o", program, *sources)
        equal((done.code, done.err), (0, ""))
    return ["vvp", program]


def verilator(top, *names):
    """Returns a simulator that Verilator makes. It is built once."""
    have("verilator", "g++", "make")
    folder = path(top)
    program = os.path.join(folder, "V" + top)
    sources = [os.path.join(HERE, name) for name in names]
    if not is_built(program, sources):
        # Verilator's makefile puts OBJCACHE in front of the compiler. Most of the compiled code is
        # Verilator's own library, which is the same for each design.
        cache = {"OBJCACHE": "ccache"} if shutil.which("ccache") else {}
        done = run("verilator", "--binary", "--trace", "--timing", "-Wno-fatal", "-Wno-lint",
                   "-Wno-style", "--top-module", top, "-j", "1", "-CFLAGS", "-O0", "-Mdir", folder,
                   *sources, env=dict(os.environ, **cache))
        if "--binary" in done.err or "--timing" in done.err:
            skip("this verilator is older than 5")
        equal(done.code, 0, str(done))
    return [program]


def simulated(simulator, boards, name, seed, cycles):
    """Returns a dump, the map that is guessed for it, and {board: {what: count}} as printed by the
    scoreboards. Each dump is made once, and no test changes them."""
    return simulated_once(tuple(simulator), tuple(boards), name, seed, cycles)


@functools.cache
def simulated_once(simulator, boards, name, seed, cycles):
    name = f"{seed}-{cycles}-{name}"
    done = run(*simulator, f"+dump={path(name)}", f"+seed={seed}", f"+cycles={cycles}", cwd=ROOM)
    equal(done.code, 0, str(done))
    contains(done.out, f"cycles {cycles}\n")
    board = {}
    for line in done.out.splitlines():
        words = line.split()
        if words and words[0] in boards:
            board[words[0]] = dict(zip(words[1::2], map(int, words[2::2])))
    equal(sorted(board), sorted(boards))
    return path(name), guessed(path(name)), board


def guessed(dump):
    """Writes the output of `pmk wave signals`, unchanged, to a map file. Returns its name."""
    guess = pmk("wave", "signals", dump)
    equal((guess.code, guess.err), (0, ""))
    with open(dump + ".ini", "w") as f:
        f.write(guess.out)
    return dump + ".ini"


def flat(counter, what):
    """Returns the latencies of a counter, with the names under which a scoreboard prints them."""
    latency = counter["latency"]
    return {what: counter["counter-value"], f"{what}_sum": latency["sum"],
            f"{what}_squares": latency["sum-of-squares"], f"{what}_min": latency["min"],
            f"{what}_max": latency["max"],
            **{f"{what}_{b['first']}": b["count"] for b in latency["histogram"]}}


def told(doc, without=()):
    """Returns {board: {what: count}} of a document, and the counts that belong to no board."""
    found = {}
    for counter in doc["counters"]:
        board, _, what = counter["event"].rpartition(".")
        of = found.setdefault(board, {})
        if counter["latency"]:
            of.update(flat(counter, what))
        elif what not in without:
            of[what] = counter["counter-value"]
        equal(counter["trust"], "measured")
    return found, found.pop("")
