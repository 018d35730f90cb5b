# SPDX-License-Identifier: MIT
"""pmk run with PMUs whose registers are in memory. The counts do not depend on where the accessing
instruction is in its block."""
import os
import signal
import struct
import subprocess

from harness import *
from test_run import HEX, boot, firmware


def straight(log):
    """Returns the lines of a log, split into columns. Checks that the number of instructions
    between two accesses is the number of words between their addresses, as in code without
    branches."""
    cells = [line.split(",", 8) for line in log.read_text().splitlines()[4:]]
    for before, after in zip(cells, cells[1:]):
        equal(int(after[1]) - int(before[1]), (int(after[3], 16) - int(before[3], 16)) // 4, cells)
    return cells


# ---- MicroBlaze ----------------------------------------------------------------------------------

MDM = 0x84400000
CTRL, DATA, LOCK = 0x10, 0x14, 0x18
PCCTRLR, PCCMDR, PCDRR = (0x51, 8), (0x52, 5), (0x56, 32)  # command of the MDM, number of bits
RESET, SAMPLE, STOP, START_ALL, CLEAR = 1, 2, 4, 8, 16
INSN_EXECUTED, LOAD_ANY = 0x00, 0x29


class Words:
    """A program of code without branches, as words."""

    def __init__(self):
        self.word = []

    def constant(self, register, value):
        self.word += [0xb0000000 | value >> 16, 0x30000000 | register << 21 | value & 0xffff]

    def store(self, offset, value):
        self.constant(3, value)
        self.word.append(0xf8650000 | offset)  # swi r3, r5, offset

    def load(self, base, offset):
        self.word.append(0xe8800000 | base << 16 | offset)  # lwi r4, rBASE, offset

    def put(self, register, value):
        """Writes a register according to UG984 and PG115: takes the lock for one access, and then
        writes the data."""
        self.select(register)
        self.store(DATA, value)

    def get(self, register):
        self.select(register)
        self.load(5, DATA)

    def select(self, register):
        command, bits = register
        self.store(CTRL, 1 << 18 | command << 9 | bits - 1)


def sequence(body):
    p = Words()
    p.constant(5, MDM)
    p.constant(6, 0x90010000)
    p.store(LOCK, 0)
    p.store(LOCK, 0xebab)
    p.put(PCCMDR, RESET)
    p.put(PCCTRLR, INSN_EXECUTED)
    p.put(PCCTRLR, LOAD_ANY)
    p.put(PCCMDR, CLEAR | START_ALL)
    begin = len(p.word)
    body(p)
    p.put(PCCMDR, STOP | SAMPLE | RESET)
    end = len(p.word)
    p.get(PCDRR)
    p.get(PCDRR)
    p.word.append(0xb8000000)  # bri 0
    return p.word, end - begin


@pytest.mark.parametrize("core", [(), ("--set", "dcache.enable=off"),
                                  ("--core", "microblaze-area", "--set", "lmb.size=4194304K")])
def test_an_access_to_the_mdm_inside_a_block(tmp_path, core):
    """The counters include everything up to the store that accesses them, and the log has the
    store's address."""
    have("qemu-system-microblazeel")

    def body(p):
        for i in range(10):
            p.load(6, 4 * i)
            p.word.append(0x30840001)  # addik r4, r4, 1

    words, insns = sequence(body)
    kernel, log = tmp_path / "kernel", tmp_path / "log"
    kernel.write_bytes(struct.pack(f"<{len(words)}I", *words))
    with subprocess.Popen([PMK, "run", "-o", "/dev/null", "--log", log, *core, "--",
                           "qemu-system-microblazeel", "-M", "petalogix-s3adsp1800", "-kernel",
                           kernel, "-nographic", "-monitor", "none", "-serial", "null"],
                          stdin=subprocess.DEVNULL) as p:
        try:
            wait_until(lambda: log.exists() and log.read_text().count(",PCDRR,") == 2
                       or p.poll() is not None, "the counters are not read")
        finally:
            p.send_signal(signal.SIGINT)
    cells = straight(log)
    equal([(c[6], int(c[7], 16)) for c in cells[-2:]], [("PCDRR", insns), ("PCDRR", 10)], cells)


# ---- ARM -----------------------------------------------------------------------------------------

# The conditions of the conditional loads fail, so the emulator does not report these loads.
L220_C = r"""
int main(void)
{
	__asm__ volatile("mov r0, #0x3f000000\n"
			 "mov r1, #7\n"
			 "str r1, [r0, #0x200]\n"
			 "cmp r0, #0\n"
			 "ldreq r2, [r0]\n"
			 "ldr r2, [sp]\n"
			 "ldreq r2, [sp]\n"
			 "ldr r2, [r0, #0x200]\n"
			 "ldreq r2, [r0]\n"
			 "ldreq r2, [r0]\n"
			 "ldm r0, {r2, r3}\n"
			 "add r0, r0, #0x200\n"
			 "ldm r0, {r1-r3}\n"
			 "nop\n nop\n nop"
			 : : : "r0", "r1", "r2", "r3", "cc");
	return 0;
}
"""


def test_an_access_to_an_l220_inside_a_block(tmp_path):
    log = tmp_path / "log"
    out = boot(firmware("l220-inside", L220_C), "--pmu", "l220", "--at", "0x3f000000", "--log", log)
    equal(out.code, 0, out)
    cells = straight(log)
    equal([c[6] for c in cells], ["CONTROL", "CONTROL", "CONTROL", "CONFIG1", "CONFIG0"])
    equal([int(c[3], 16) - int(cells[0][3], 16) for c in cells], [0, 5 * 4, 10 * 4, 10 * 4, 10 * 4])


# ---- the rest of the block -----------------------------------------------------------------------

BYTES_C = HEX + r"""
#define REG(type, offset) (*(volatile type *)(0x3f000000 + (offset)))

int main(void)
{
	REG(unsigned, 0x210) = 0x12345678;
	hex(REG(unsigned char, 0x210));
	hex(REG(unsigned char, 0x213));
	hex(REG(unsigned short, 0x212));
	hex(REG(signed char, 0x211));
	REG(unsigned char, 0x209) = 0x12; /* reserved bits are 0 */
	hex(REG(unsigned, 0x208));
	return 0;
}
"""


def test_a_load_of_a_byte_has_eight_bits():
    out = boot(firmware("l220-bytes", BYTES_C), "--pmu", "l220", "--at", "0x3f000000")
    equal((out.code, out.err.split()[:5]),
          (0, ["00000078", "00000012", "00001234", "00000056", "00000000"]), out)


# Like Linux's l2x0 driver, the program reads the Cache ID, writes Auxiliary Control, invalidates
# all ways, waits, and enables the cache.
L2X0_C = HEX + r"""
#define REG(offset) (*(volatile unsigned *)(0x3f000000 + (offset)))

int main(void)
{
	unsigned aux = REG(0x104);

	hex(REG(0x000) >> 6 & 15);
	hex(aux >> 13 & 15);
	hex(8192 << (aux >> 17 & 7));
	REG(0x104) = aux | 1 << 20;
	REG(0x77c) = 0xff;
	while (REG(0x77c) & 0xff)
		;
	REG(0x100) = 1;
	hex(REG(0x100));
	hex(REG(0x104) ^ aux);
	return 0;
}
"""


def test_an_l220_is_found():
    out = boot(firmware("l2x0", L2X0_C), "--pmu", "l220", "--at", "0x3f000000")
    equal((out.code, out.err.split()[:5]),
          (0, ["00000002", "00000008", "00004000", "00000001", "00100000"]), out)


# ---- an AHB Monitor of another layout ------------------------------------------------------------

LAYOUT_C = HEX + r"""
#define REG(offset) (*(volatile unsigned *)(0x101d0000 + (offset)))
static volatile unsigned data[100];

int main(void)
{
	unsigned before;

	REG(0x200) = 1 << 7; /* AHBMONCtrlReg: enable */
	before = REG(0x0f8); /* CtArmdWr */
	for (int i = 0; i < 100; i++)
		data[i] = i;
	hex(REG(0x0f8) - before);
	hex(REG(0x200));
	return 0;
}
"""


def test_a_layout_says_what_the_bits_of_the_monitor_mean(tmp_path):
    layout = tmp_path / "layout.ini"
    with open(os.path.join(SOURCE, "data", "layouts", "sp816.ini")) as f:
        layout.write_text(f.read().replace("name = sp816", "name = other")
                          .replace("enable = 0", "enable = 7"))
    out = pmk("run", "--core", "arm926", "--layout", layout, "--", "qemu-system-arm", "-M",
              "versatilepb", "-audiodev", "none,id=none", "-global", "pl041.audiodev=none",
              "-nographic", "-nic", "none", "-semihosting", "-cpu", "arm1136", "-kernel",
              firmware("layout", LAYOUT_C))
    equal((out.code, out.err.split()[:2]), (0, ["00000064", "00000080"]), out)
