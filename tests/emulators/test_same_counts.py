# SPDX-License-Identifier: MIT
"""A program has the same counts under every emulator, whatever its release: all events of our own
programs that use no library, or use one and map no memory; exact events of any other program.

Emulators are those that pmk finds by itself, and one of each kind in every directory of
PMK_TEST_QEMUS (names separated by colons). If there is only one emulator, its counts
are compared with known.json, which was made with QEMU 7.2, and with the counts that follow from the
sources. docs/emulators.md lists what may differ.
"""
import functools
import json
import os

import pytest

from harness import *
import microblaze_tools as mb

FOLDER = os.path.join(SOURCE, "tests", "emulators")
PASSES = 100
ARM, A64, BARE = "arm-linux-gnueabi-", "aarch64-linux-gnu-", "arm-none-eabi-"
NO_LIBRARY = ("-nostdlib", "-static", "-Wl,--build-id=none", "-Wl,-z,noexecstack",
              "-Wl,-Tbss=0x100000", f"-DPASSES={PASSES}")
AT = "-Wl,-Ttext=0x10000"
LIBRARY = ("-O2", "-static")
RASPI0 = ("qemu-system-arm -M raspi0 -nographic -nic none -semihosting-config "
          "enable=on,target=native -kernel ")


def compiled(prefix, source, *flags):
    """Builds each program once for each source and set of flags. The sources are in this folder or
    in the examples."""
    have(prefix + "gcc")
    path = os.path.join(FOLDER, source) if "/" not in source else os.path.join(SOURCE, source)
    out = os.path.join(WORK, "-".join(["same", prefix.rstrip("-"), os.path.basename(source),
                                       *flags[2:]])
                       .replace("/", "_").replace("=", "").replace(",", ""))
    if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(path):
        mine = f"{out}.{os.getpid()}"
        done = run(prefix + "gcc", "-o", mine, path, *flags,
                   "-lm" if prefix != BARE and source[-1] == "c" else "-lgcc")
        assert done.code == 0, done
        os.replace(mine, out)
    return out


def microblaze(name, order):
    mb.tool("gcc")
    return mb.program(name, f"{name}.c", order=order)


# Name, emulator, function that makes the program, whether modelled events are equal, too, and exact
# counts that follow from the comments of the source.
PROGRAMS = [
    ("arm", "qemu-arm", lambda: compiled(ARM, "arm.S", *NO_LIBRARY, AT, "-Wa,--no-warn"), True,
     {"instr_exec": 10 + 54 * PASSES}),
    ("arm-library", "qemu-arm", lambda: compiled(ARM, "libc.c", *LIBRARY, "-marm"), True, {}),
    ("arm-vfp", "qemu-arm", lambda: compiled(ARM, "libc.c", *LIBRARY, "-march=armv6k",
                                             "-mfloat-abi=softfp", "-mfpu=vfp"), True, {}),
    ("arm-crc", "qemu-arm", lambda: compiled(ARM, "examples/linux/crc.c", *LIBRARY), False, {}),
    ("arm-surroundings", "qemu-arm", lambda: compiled(ARM, "surroundings.c", *LIBRARY), False, {}),
    ("thumb", "qemu-arm", lambda: compiled(ARM, "thumb.S", *NO_LIBRARY, AT), True,
     {"instr_exec": 10 + 14 * PASSES}),
    ("thumb-library", "qemu-arm", lambda: compiled(ARM, "libc.c", *LIBRARY, "-mthumb"), True, {}),
    ("thumb-surroundings", "qemu-arm", lambda: compiled(ARM, "surroundings.c", *LIBRARY, "-mthumb"),
     False, {}),
    ("a64", "qemu-aarch64", lambda: compiled(A64, "a64.S", *NO_LIBRARY, AT), True,
     {"inst_retired": 11 + 43 * PASSES}),
    ("a64-library", "qemu-aarch64", lambda: compiled(A64, "libc.c", *LIBRARY), True, {}),
    ("a64-crc", "qemu-aarch64", lambda: compiled(A64, "examples/linux/crc.c", *LIBRARY), False, {}),
    ("a64-surroundings", "qemu-aarch64", lambda: compiled(A64, "surroundings.c", *LIBRARY), False,
     {}),
    *((f"microblaze-{name}-{order}", mb.ORDERS[order].qemu,
       functools.partial(microblaze, name, order), True, {})
      for name in ("hello", "odd", "arith") for order in mb.ORDERS),
    ("device", "qemu-system-arm", lambda: compiled(BARE, "device.S", *NO_LIBRARY,
                                                   "-Wl,-Ttext=0x8000"), True,
     {"instr_exec": 7 + 16 * PASSES, "dcache_access": 904}),
]


def emulators(name):
    """Returns the folders with this emulator. None stands for the emulator that pmk finds."""
    found = [None]
    for folder in os.environ.get("PMK_TEST_QEMUS", "").split(":"):
        if folder and os.access(os.path.join(folder, name), os.X_OK):
            found.append(folder)
    return found


def counted(emulator, path, folder):
    """Returns the emulator's name and release, and {event: (trust, count)}."""
    env = dict(os.environ)
    if folder:
        env["PMK_QEMU_DIR"] = folder
    argv = ["--core", "arm1176", "--qemu",
            f"{RASPI0}'{path}'"] if emulator == "qemu-system-arm" else [path]
    doc = stat("-e", "all", *argv, env=env)
    return doc["producer"], {c["event"]: (c["trust"], c["counter-value"]) for c in doc["counters"]}


def chosen(all_events, modelled):
    return {e: n for e, (trust, n) in all_events.items() if n is not None
            and (modelled or trust == "exact")}


def known():
    with open(os.path.join(FOLDER, "known.json")) as f:
        return json.load(f)


@pytest.mark.parametrize("name, emulator, make, modelled, answers", PROGRAMS,
                         ids=[p[0] for p in PROGRAMS])
def test_same_counts(name, emulator, make, modelled, answers):
    path = make()
    first, reference = None, None
    for folder in emulators(emulator):
        producer, events = counted(emulator, path, folder)
        got = chosen(events, modelled)
        assert len(got) > 5, (producer, got)
        for event, n in answers.items():
            assert events[event] == ("exact", n), f"{event} under {producer}"
        if name in known():
            assert got == known()[name], f"under {producer}; expected are those of known.json"
        if reference is None:
            first, reference = producer, got
        assert got == reference, f"under {producer}; expected are those under {first}"


def test_known_counts_are_of_programs_without_a_library():
    """known.json has only counts of programs without a library, because the compiler and the
    library change the counts of others."""
    assert set(known()) == {"arm", "thumb", "a64", "device"}
    for name, counts in known().items():
        assert all(isinstance(n, int) for n in counts.values()) and len(counts) > 15, name
