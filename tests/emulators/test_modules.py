# SPDX-License-Identifier: MIT
"""The modules of the plugin: each declares its version of QEMU's interface, exports exactly the
symbols that QEMU looks up, and needs only functions that its versions of QEMU have."""
import os
import re

import pytest

from harness import *

CORE = "pmk-qemu-core.so"
# A module and the versions that it is for, as in src/producer/qemu/generation.c.
MODULES = {"pmk-qemu-api1.so": (1,), "pmk-qemu-api2.so": (2,), "pmk-qemu-api3.so": (3, 4, 5),
           "pmk-qemu-api6.so": (6,),
           "pmk-qemu-api7.so": (7,)}
# Functions of QEMU's interface that plugins may use. The key is the version of the interface from
# which on all releases have them, according to include/qemu/qemu-plugin.h of QEMU 6.0, 9.0, 9.2 and
# 10.2.
SINCE = {1: """register_vcpu_init_cb register_vcpu_exit_cb register_vcpu_idle_cb register_vcpu_resume_cb
               register_vcpu_tb_trans_cb register_vcpu_tb_exec_cb register_vcpu_insn_exec_cb register_vcpu_mem_cb
               register_vcpu_syscall_cb register_vcpu_syscall_ret_cb register_flush_cb register_atexit_cb
               tb_n_insns tb_vaddr tb_get_insn insn_data insn_size insn_vaddr insn_haddr insn_disas insn_symbol
               mem_size_shift mem_is_sign_extended mem_is_big_endian mem_is_store get_hwaddr hwaddr_is_io
               hwaddr_phys_addr vcpu_for_each outs uninstall reset""",
         2: """register_vcpu_tb_exec_inline_per_vcpu
               get_registers read_register num_vcpus start_code end_code entry_code path_to_binary scoreboard_new
               scoreboard_free scoreboard_find u64_add u64_get u64_set u64_sum""",
         4: "read_memory_vaddr",
         5: "write_memory_vaddr read_memory_hwaddr write_memory_hwaddr write_register "
            "translate_vaddr"}
# Further functions that a module may use with this version only, because newer versions may lack
# them.
UNTIL = {1: "register_vcpu_tb_exec_inline register_vcpu_insn_exec_inline"}
# Functions that the patches in scripts/qemu-patches add.
PATCHED = {"qemu_plugin_register_vcpu_mem_test_cb", "qemu_plugin_vcpu_set_base"}
GLIB = {"g_array_get_element_size", "g_array_free", "g_byte_array_new", "g_byte_array_free"}


def symbols(path, what):
    """Returns {name: type letter} of the dynamic symbol table."""
    have("nm")
    out = run("nm", "-D", what, path)
    equal(out.code, 0, out)
    rows = [line.split() for line in out.out.splitlines()]
    return {row[-1].split("@")[0]: row[-2] for row in rows}


def undefined(module):
    """Returns the emulator's symbols that the module and the core need: {name: "U", or "w" if the
    symbol may be missing}."""
    needs = {}
    for name in (module, CORE):
        needs.update(symbols(os.path.join(BUILD, name), "--undefined-only"))
    return {n: t for n, t in needs.items() if n.startswith(("qemu_", "g_"))}


@pytest.mark.parametrize("module", MODULES)
def test_version(module):
    have("objdump")
    path = os.path.join(BUILD, module)
    table = run("nm", "-D", "--defined-only", path).out
    at = int(re.search(r"^([0-9a-f]+) \w qemu_plugin_version$", table, re.M).group(1), 16)
    dump = run("objdump", "-s", f"--start-address={at:#x}", f"--stop-address={at + 4:#x}", path).out
    word = re.search(rf"^ 0*{at:x} ([0-9a-f]{{8}}) ", dump, re.M).group(1)
    equal(int.from_bytes(bytes.fromhex(word), "little"), MODULES[module][0])


@pytest.mark.parametrize("module", MODULES)
def test_exports(module):
    equal(set(symbols(os.path.join(BUILD, module), "--defined-only")),
          {"qemu_plugin_version", "qemu_plugin_install"})


def test_the_core_exports_what_modules_call():
    called = set()
    for module in MODULES:
        called |= {n for n in symbols(os.path.join(BUILD, module), "--undefined-only")
                   if n.startswith("pmk_")}
    equal(set(symbols(os.path.join(BUILD, CORE), "--defined-only")), called)


@pytest.mark.parametrize("module", MODULES)
def test_needs(module):
    for version in MODULES[module]:
        have_been = {f"qemu_plugin_{n}" for since,
                     names in SINCE.items() if since <= version for n in names.split()}
        have_been |= {f"qemu_plugin_{n}" for n in UNTIL.get(version, "").split()}
        must = {n for n, kind in undefined(module).items() if kind == "U"}
        equal(must - have_been, set(), f"not in version {version}")
        may = set(undefined(module)) - must
        assert may <= GLIB | PATCHED | {"qemu_plugin_start_code", "qemu_plugin_bool_parse"}, may


def releases():
    """Returns every emulator in PATH and in the directories of PMK_TEST_QEMUS."""
    folders = os.environ["PATH"].split(":") + os.environ.get("PMK_TEST_QEMUS", "").split(":")
    names = [f"qemu-{kind}{cpu}" for kind in ("", "system-")
             for cpu in ("arm", "aarch64", "microblaze")]
    return sorted({os.path.realpath(os.path.join(f, n)) for f in folders for n in names
                   if f and os.access(os.path.join(f, n), os.X_OK)})


def test_emulators_have_what_their_module_needs():
    seen = 0
    for path in releases():
        exported = set(symbols(path, "--defined-only"))
        if "qemu_plugin_register_vcpu_init_cb" not in exported:
            continue  # the emulator was built without plugins
        said = re.search(r"version (\d+)\.(\d+)", run(path, "--version").out)
        release = int(said.group(1)), int(said.group(2))
        module = next(m for since, m in (((11, 1), "pmk-qemu-api7.so"),
                                         ((11, 0), "pmk-qemu-api6.so"),
                                         ((9, 1), "pmk-qemu-api3.so"), ((9, 0), "pmk-qemu-api2.so"),
                                         ((6, 0), "pmk-qemu-api1.so")) if release >= since)
        must = {n for n, kind in undefined(module).items() if kind == "U"}
        equal(must - exported, set(), f"{path} and {module}")
        seen += 1
    assert seen, "no emulator here can load plugins"
