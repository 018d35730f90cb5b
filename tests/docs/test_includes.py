# SPDX-License-Identifier: MIT
"""The #include lines follow the rules of docs/DESIGN.md, section 2, which say which folder may
include which headers. The freestanding sources need nothing but memory functions when they are
linked."""
import functools
import os
import re
import shutil

from harness import *
import repo

pytestmark = pytest.mark.quick

FREESTANDING = {"stdint.h", "stddef.h", "stdbool.h"}
MEMORY = {"memcpy", "memset", "memmove", "memcmp"}

# Libraries, and the only places that may include their headers.
LIBRARIES = {
    "capstone": ["src/cpu/isa/"],
    "ini.h": ["src/base/ini.c"],
    "json": ["src/result/", "src/cli/", "src/lab/"],
    "sqlite3.h": ["src/profile/recording/", "src/lab/sweep/store"],
    "elfutils/": ["src/profile/recording/"],
    "dwarf.h": ["src/profile/recording/"],
    "demangle.h": ["src/profile/recording/"],
    "libelf.h": ["src/profile/", "src/producer/qemu/find.c"],
    "gelf.h": ["src/profile/", "src/producer/qemu/find.c"],
}

# These headers are for all cores. A family of cores is used only through these headers. Only the
# family itself includes its own headers.
CORES = ["cpu/block.h", "cpu/cache.h", "cpu/callbacks.h", "cpu/code.h", "cpu/config.h", "cpu/cpu.h",
         "cpu/decode.h", "cpu/families.h", "cpu/family.h", "cpu/fault.h", "cpu/keys.h",
         "cpu/known.h", "cpu/linux_abi.h", "cpu/lsu.h", "cpu/order.h", "cpu/sdram.h", "cpu/sites.h",
         "cpu/thumb.h", "cpu/tlb.h"]
FACTS = ["base/", "pmk/isa.h", "pmk/bus.h", "pmk/signal.h", "pmk/error.h", "pmk/bits.h"]

# (files, headers that they may include in addition to the system's). The first row that matches a
# file applies to it. A pattern that ends in / is a folder. {own} is the file's own folder.
RULES = [
    (r"include/pmk/", ["pmk/"]),
    (r"src/base/", ["base/", "pmk/error.h", "pmk/bits.h", "pmk/stats.h"]),
    (r"src/buses/ahb/", ["{own}", "base/", "pmk/ahb.h", "pmk/bus.h", "pmk/signal.h", "pmk/spread.h",
                         "pmk/error.h"]),
    (r"src/buses/axi/", ["{own}", "base/", "pmk/axi.h", "pmk/spread.h"]),
    (r"src/signals/", ["{own}", "base/", "pmk/bus.h", "pmk/signal.h", "pmk/error.h", "pmk/bits.h"]),
    (r"src/pmu/model_port\.c", ["pmk/", "pmu/"]),
    (r"src/pmu/\w+/driver\.c", ["{own}regs.h", "pmu/access.h", "pmu/no_flags.h", "base/",
                                "pmk/"]),
    (r"src/pmu/\w+/model\.c", ["{own}", "pmu/reg.h", "base/", "pmk/"]),
    (r"src/pmu/ahbmon/(observe|packet|unpack)\.[ch]", ["{own}", "buses/ahb/", "base/", "pmk/"]),
    (r"src/pmu/", ["{own}", "pmu/event_row.h", "pmu/lookup.h", "pmu/no_flags.h", "base/", "pmk/"]),
    (r"src/firmware/", ["{own}", "pmk/"]),
    (r"src/cpu/isa/", ["{own}", "base/", "pmk/isa.h", "pmk/bits.h", "pmk/error.h"]),
    (r"src/cpu/arm9/biu\.[ch]", ["{own}", "base/", *CORES, "buses/ahb/", "pmk/ahb.h"]),
    (r"src/cpu/arm9/", ["{own}", "cpu/arm11/", *CORES, *FACTS]),
    (r"src/cpu/a32/", ["{own}", "cpu/a64/", *CORES, *FACTS]),
    (r"src/cpu/families\.h", ["cpu/"]),
    (r"src/cpu/\w+/", ["{own}", *CORES, *FACTS]),
    (r"src/cpu/(sites|paths|sites_state)\.[ch]", ["cpu/sites_state.h", *CORES, *FACTS]),
    (r"src/cpu/", [*CORES, *FACTS]),
    (r"src/producer/session/emulated(_\w+)?\.[ch]", ["{own}", "base/", *CORES, "pmk/"]),
    (r"src/producer/session/devchip\.[ch]", ["{own}", "buses/ahb/", "cpu/arm9/biu.h", "pmk/",
                                             "pmu/ahbmon/observe.h", "pmu/ahbmon/packet.h"]),
    (r"src/producer/session/", ["{own}", "base/", "pmk/"]),
    (r"src/producer/linux/", ["{own}", "base/", "pmk/"]),
    (r"src/producer/wave/run\.[ch]", ["{own}", "base/", "buses/", "pmk/"]),
    (r"src/producer/wave/", ["{own}", "base/", "pmk/"]),
    (r"src/producer/wire/", ["{own}", "base/", "pmk/"]),
    (r"src/producer/qemu/", ["{own}", "base/", *CORES, "producer/session/emulated.h",
                             "producer/session/access_log.h", "pmk/"]),
    (r"src/profile/recording/", ["profile/", "base/", "cpu/isa/text.h", "pmk/"]),
    (r"src/profile/\w+/", ["profile/", "base/", "pmk/"]),
    (r"src/profile/", ["{own}", "base/", "pmk/dump.h", "pmk/error.h"]),
    (r"src/lab/", ["lab/", "base/", "cli/", "count/", "cpu/", "profile/", "result/", "pmk/"]),
    (r"src/result/", ["{own}", "base/", "pmk/pmu.h", "pmk/result.h", "pmk/error.h"]),
    (r"src/count/", ["{own}", "base/", "buses/", "cpu/", "pmu/ahbmon/", "producer/", "profile/",
                     "pmk/"]),
    (r"src/cli/", ["cli/", "base/", "buses/", "count/", "cpu/", "lab/", "producer/", "profile/",
                   "result/", "pmu/", "pmk/"]),
]


def code():
    return [p for p in repo.files() if p.endswith((".c", ".h"))
            and p.startswith(("src/", "include/"))]


def includes(path):
    """Returns the headers that a file includes, as written."""
    return re.findall(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]',
                      repo.without_comments(repo.text(path)), re.M)


def ours(name):
    """Returns the path of an included file in the repository, or None if the file is not ours."""
    for folder in ("include/", "src/"):
        if repo.exists(folder + name):
            return folder + name
    return None


def reached(path, seen=None):
    """Returns every file that `path` includes, directly or indirectly, as {as written: the file
    that includes it}."""
    seen = {} if seen is None else seen
    for name in includes(path):
        if name in seen:
            continue
        seen[name] = path
        if ours(name):
            reached(ours(name), seen)
    return seen


def rule_for(path):
    own = os.path.dirname(path)[len("src/"):] + "/"
    for pattern, allowed in RULES:
        if re.match(pattern, path):
            return [a.replace("{own}", own) for a in allowed]
    return None


def test_every_source_has_a_room():
    found = code()
    assert len(found) > 40, found
    equal([p for p in found if rule_for(p) is None], [], "no rule for these files")


def test_nobody_reaches_over_a_wall():
    wrong = []
    for path in code():
        allowed = rule_for(path) or []
        for name in includes(path):
            if ours(name) and not any(name == a or (a.endswith("/") and name.startswith(a))
                                      for a in allowed):
                wrong.append(f"{path} includes {name}")
    equal(wrong, [])


def test_included_files_exist():
    for path in code():
        for name in re.findall(r'^#include "([^"]+)"', repo.text(path), re.M):
            assert ours(name), f'{path} includes "{name}", which is not there'


def test_driver_and_model_do_not_know_each_other():
    drivers = [p for p in code() if re.match(r"src/pmu/\w+/driver\.c", p)]
    models = [p for p in code() if re.match(r"src/pmu/\w+/model\.c", p)]
    assert drivers and models
    for path in drivers:
        got = reached(path)
        for header in ("pmk/model.h", "pmk/bus.h"):
            assert header not in got, f"{path} reaches {header} through {got.get(header)}"
        words = set(re.findall(r"\w+", repo.without_comments(repo.text(path))))
        equal({w for w in words if "model" in w.lower()}, set(), f"{path} speaks of a model")
    for path in models:
        words = set(re.findall(r"\w+", repo.without_comments(repo.text(path))))
        equal({w for w in words if "driver" in w.lower()}, set(), f"{path} speaks of a driver")


def test_pmu_rows_do_not_include_model_or_bus():
    # events.c may include its family's own header, which declares the driver and the model.
    for path in code():
        if re.match(r"src/pmu/(\w+/(driver|events|pmu)|pmus)\.c", path):
            for header in ("pmk/model.h", "pmk/bus.h"):
                assert header not in includes(path), f"{path} includes {header}"


def test_they_meet_in_the_port_of_models():
    contains(repo.text("src/pmu/model_port.c"), "pmk/model.h")
    for path in code():
        # The command line shows data of a family, such as its EVNTBUS. Counting uses the layouts of
        # the AHB Monitor.
        if path.startswith(("src/pmu/", "src/count/", "src/cli/")):
            continue
        for name in includes(path):
            # An observer of a bus and the format of pins are neither a driver nor a model.
            if name in ("pmu/ahbmon/observe.h", "pmu/ahbmon/packet.h"):
                continue
            assert not name.startswith("pmu/"), f"{path} includes {name}"


def test_the_command_is_nobodys_library():
    for path in code():
        if not path.startswith(("src/cli/", "src/lab/")):
            for name in includes(path):
                assert not name.startswith("cli/"), f"{path} includes {name}"


def test_qemu_is_known_to_the_plugin_alone():
    users = [p for p in code() if any(n.endswith(("qemu/qemu_api.h", "qemu/plugin.h",
                                                  "qemu-plugin.h"))
                                      for n in includes(p))]
    equal(users, [f"src/producer/qemu/{name}"
                  for name in ("guest.c", "module.c", "plugin.c", "plugin.h", "registers.c")])


def test_the_kernels_counters_are_known_to_two_rooms():
    users = [p for p in code() if "linux/perf_event.h" in includes(p)]
    assert users and all(p.startswith(("src/producer/linux/", "src/profile/sampling/"))
                         for p in users), users


def test_libraries_stay_in_their_rooms():
    seen = set()
    for path in code():
        for name in includes(path):
            for library, places in LIBRARIES.items():
                if name == library or name.startswith(library + "/") or name == library + ".h":
                    seen.add(library)
                    assert path.startswith(tuple(places)), f"{path} includes {name}"
    assert {"ini.h", "json", "gelf.h"} <= seen, f"the test no longer sees its libraries: {seen}"


def test_public_headers_are_freestanding():
    for path in code():
        if not path.startswith("include/"):
            continue
        # result.h writes to a stream, so it is the only public header that needs <stdio.h>.
        extra = {"stdio.h"} if path == "include/pmk/result.h" else set()
        for name in includes(path):
            assert ours(name) or name in FREESTANDING | extra, f"{path} includes <{name}>"


@pytest.mark.more
def test_public_headers_are_understood_alone():
    have("gcc")
    for path in code():
        if path.startswith("include/"):
            for language in ("c", "c++"):
                if language == "c++" and not shutil.which("g++"):
                    continue
                out = run("gcc", "-x", language, "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                          "-I", os.path.join(SOURCE, "include"), "-",
                          stdin=f"#include <{path[8:]}>\n")
                assert out.code == 0, f"{path} as {language}: {out.err}"


def test_freestanding_sources_include_no_libc():
    listed = target_sources()
    assert len(listed) >= 5, listed
    for path in listed:
        for name, who in reached(path).items():
            assert ours(name) or name in FREESTANDING, f"{path}: {who} includes <{name}>"


@functools.cache
def freestanding_symbols(level):
    """Compiles each freestanding source for an ARM1176; returns [(object, kind, name)].
    tests/firmware/test_target_library.py checks the library as it is built for each target."""
    found = []
    folder = os.path.join(WORK, f"freestanding{level}")
    os.makedirs(folder, exist_ok=True)
    for path in target_sources():
        obj = os.path.join(folder, path.replace("/", "_") + ".o")
        out = run("arm-none-eabi-gcc", "-std=gnu11", "-mcpu=arm1176jzf-s", "-marm",
                  "-mfloat-abi=soft", "-ffreestanding", "-DPMK_FIRMWARE", "-nostdinc", "-isystem",
                  gcc_include(), level, "-Wall", "-Wextra", "-Werror", "-I",
                  os.path.join(SOURCE, "include"), "-I", os.path.join(SOURCE, "src"), "-c",
                  os.path.join(SOURCE, path), "-o", obj)
        assert out.code == 0, f"{path} at {level}: {out.err}"
        found += [(path, *line.split()[-2:])
                  for line in run("arm-none-eabi-nm", obj).out.splitlines()]
    return found


@functools.cache
def gcc_include():
    """Returns the folder of the compiler's own headers, such as stdint.h, which contains no
    libc."""
    return run("arm-none-eabi-gcc", "-print-file-name=include").out.strip()


@pytest.mark.more
@pytest.mark.parametrize("level", ("-O0", "-O2"))
def test_freestanding_sources_need_nothing_but_memory_functions(level):
    """Freestanding sources call only memory functions. The optimisation level determines which
    helpers the compiler calls; test_target_library.py tests -Os."""
    have("arm-none-eabi-gcc", "arm-none-eabi-nm")
    undefined = {name for _, kind, name in freestanding_symbols(level) if kind == "U"}
    defined = {name for _, kind, name in freestanding_symbols(level) if kind != "U"}
    assert "pmk_arm11_driver" in defined, "the driver was not compiled"
    equal(undefined - defined - MEMORY, set())


@pytest.mark.more
def test_freestanding_sources_have_no_state():
    have("arm-none-eabi-gcc", "arm-none-eabi-nm")
    for path, kind, name in freestanding_symbols("-O0"):
        assert kind not in "dDbBcC", f"{path}: {name} is writable memory ({kind})"
