# SPDX-License-Identifier: MIT
"""Debian's kernel for the Raspberry Pi Zero boots, finds no root file system and restarts, which
ends the emulator. pmk counts as many instructions as a plugin that counts each instruction when it
is executed, in the same run. A boot has 1,500 million instructions, with faults, interrupts and
accesses to devices."""
import shlex

from harness import *
import packages

ORACLE = r"""
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* From include/qemu/qemu-plugin.h of QEMU 7.2. */
struct insn;
struct tb;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*fn)(uint64_t, struct tb *));
void qemu_plugin_register_atexit_cb(uint64_t id, void (*fn)(uint64_t, void *), void *data);
size_t qemu_plugin_tb_n_insns(const struct tb *tb);
struct insn *qemu_plugin_tb_get_insn(const struct tb *tb, size_t i);
void qemu_plugin_register_vcpu_insn_exec_inline(struct insn *insn, int op, void *to, uint64_t n);
int qemu_plugin_version = 1;

static uint64_t executed;
static FILE *out;

static void translated(uint64_t id, struct tb *tb)
{
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
		qemu_plugin_register_vcpu_insn_exec_inline(qemu_plugin_tb_get_insn(tb, i), 0,
							   &executed, 1);
}

static void ended(uint64_t id, void *data)
{
	fprintf(out, "%llu", (unsigned long long)executed);
	fclose(out);
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	out = fopen(argv[0] + 4, "w"); /* out=FILE */
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return !out;
}
"""
BOARD = ("qemu-system-arm -M raspi0 -nographic -nic none -no-reboot -append "
         "'console=ttyAMA0,115200 quiet panic=-1 initcall_blacklist=bcm2835_power_driver_init'")


def oracle():
    have("gcc", "qemu-system-arm")
    if int(re.search(r"version (\d+)", run("qemu-system-arm", "--version").out)[1]) > 8:
        skip("this emulator has no instructions in line for plugins of QEMU 8 and older")
    path = os.path.join(WORK, "boot-oracle")
    with open(path + ".c", "w") as f:
        f.write(ORACLE)
    out = run("gcc", "-O2", "-shared", "-fPIC", "-o", path + ".so", path + ".c")
    equal(out.code, 0, out.err)
    return path


# Runs other than `make nightly` count only the boot of an A64 kernel, in test_a64_linux.py.
@nightly
@pytest.mark.parametrize("more", ("", "-icount shift=5,sleep=off"))
def test_every_instruction_of_a_boot(more):
    """With -icount, every instruction of a boot is counted, although the emulator leaves blocks for
    devices, and may not come back at the end."""
    path = oracle()
    try:
        kernel, tree = packages.unpacked_kernel("armel", 0), packages.device_tree()
    except packages.Unavailable as why:
        skip(str(why))
    doc = stat("-e", "instr_exec", "--qemu",
               f"{BOARD} {more} -kernel {shlex.quote(kernel)} -dtb {shlex.quote(tree)} "
               f"-plugin {path}.so,out={path}.txt")
    with open(path + ".txt") as f:
        executed = int(f.read())
    assert executed > 1_000_000_000, f"the kernel did not boot: {executed} instructions"
    row = doc["counters"][0]
    equal((row["counter-value"], row["trust"]), (executed, "exact"))
