# SPDX-License-Identifier: MIT
"""The exact events of MicroBlaze programs equal an independent count of another run. A QEMU
without our plugin executes one instruction per block, and logs the address of each instruction that
it executes. objdump shows which instruction is at an address. If the program wrote the code itself,
QEMU's log shows the instruction. The events of an instruction follow from its name, by the table of
UG984 ("Performance Monitoring") and section 4 of docs/microblaze.md."""
import collections
import glob
import itertools
import os

from harness import *
import microblaze_tools as mb
from microblaze.measure import bare, identities
from qemulog import logged

pytestmark = pytest.mark.once

BENCH = os.path.join(SOURCE, "bench", "programs")


# ---- the events of an instruction, by its name ------------------------------------------------

ARITHMETIC = {a + b for a in ("add", "rsub")
              for b in ("", "c", "k", "kc", "i", "ic", "ik", "ikc")} | {"cmp", "cmpu"}
MULTIPLY = {"mul", "mulh", "mulhu", "mulhsu", "muli"}
DIVIDE = {"idiv", "idivu"}
LOGICAL = {a + b for a in ("and", "andn", "or", "xor") for b in ("", "i")}
BARREL = {"bsrl", "bsra", "bsll", "bsrli", "bsrai", "bslli", "bsefi", "bsifi"}
SHIFT = {"sra", "src", "srl"}
FLOAT = re.compile(r"fadd$|frsub$|fmul$|fdiv$|fcmp\.\w\w$|flt$|fint$|fsqrt$")
PATTERN = {"pcmpbf", "pcmpeq", "pcmpne"}
EXTEND = {"sext8", "sext16"}
STATUS = {"msrset", "msrclr"}
UNCONDITIONAL = re.compile(r"br(a|l|al)?i?(d?)$|brki?$")
CONDITIONAL = re.compile(r"b(eq|ne|lt|le|gt|ge)i?(d?)$")
RETURN = {"rtsd", "rtid", "rtbd", "rted"}
MEMORY = re.compile(r"([ls])(b|h|w)(u?)(i|x|r|ea)?$")
WIDTH = {"b": "byte", "h": "half", "w": "word"}
NOP = ("or", "r0, r0, r0")

Kind = collections.namedtuple("Kind", "events branch delayed nop taken")


def memory_events(m, operands):
    what = "load" if m[1] == "l" else "store"
    events = {f"{what}_any", f"{what}_{WIDTH[m[2]]}"}
    # Only operands of the address count. The first operand is the loaded or stored register.
    if "r1" in operands.split(", ")[1:]:
        events.add(f"{what}_r1")
    return events


def kind_of(name, operands):
    """Returns the Kind of an instruction with this name and these operands: the events that it
    raises whenever it is executed, and what the trace needs to know about branches."""
    groups = ((ARITHMETIC | MULTIPLY | DIVIDE, "arith_op"), (MULTIPLY, "mul_op"),
              (DIVIDE, "div_op"),
              (LOGICAL, "logical_op"), (BARREL, "barrel_shift_op"), (SHIFT, "shift_op"),
              (PATTERN, "pattern_compare_op"), (EXTEND, "sign_extend_op"), (STATUS, "msr_op"),
              ({"imm"}, "imm_op"))
    events = {"insn_executed"} | {event for names, event in groups if name in names}
    unconditional, conditional, memory = (p.match(name)
                                          for p in (UNCONDITIONAL, CONDITIONAL, MEMORY))
    delayed = name in RETURN or bool((unconditional and unconditional[2])
                                     or (conditional and conditional[2]))
    if FLOAT.match(name):
        events.add("fp_op")
    elif unconditional:
        events |= {"branch_uncond", "branch_any"} | ({"branch_uncond_delay"} if delayed else set())
    elif conditional:
        events |= {"branch_cond", "branch_any"}
    elif memory:
        events |= memory_events(memory, operands)
    branch = "conditional" if conditional else "other" if unconditional or name in RETURN else ""
    # r0 is 0, so a branch that tests it always goes the same way. If it goes to the next
    # instruction, nothing else shows whether it was taken.
    taken = (conditional[1] in ("eq", "le", "ge")
             if conditional and operands.split(", ")[0] == "r0" else None)
    return Kind(events, branch, delayed, (name, operands) == NOP, taken)


EVENTS = """insn_executed load_word load_half load_byte store_word store_half store_byte branch_uncond
    branch_cond_taken branch_cond_not_taken load_r1 store_r1 logical_op arith_op mul_op barrel_shift_op shift_op
    div_op fp_op imm_op pattern_compare_op sign_extend_op icache_invalidate_op dcache_invalidate_flush_op msr_op
    branch_uncond_delay branch_cond_taken_delay branch_cond_not_taken_delay delay_slot_nop load_any store_any
    branch_cond branch_any""".split()


# ---- the independent count -----------------------------------------------------------------------

def disassembly(program):
    """Returns {address: (name, operands)} of the code in the file."""
    found = {}
    for line in mb.disassembly(program).splitlines():
        m = re.match(r" *([0-9a-f]+):\t[0-9a-f]{8} \t(\S+)\s*(.*)", line)
        if m:
            found[int(m[1], 16)] = m[2], m[3].split("//")[0].strip()
    return found


class Trace:
    """Reads the log: how often each instruction was executed, whether it was in the delay slot of a
    branch, and which address came after it."""

    def __init__(self, code):
        self.code = code  # the instructions in the program's file
        self.written = {}  # {address: instruction} of code that the program wrote
        self.kind = {}  # (address, text): Kind
        # Keys: (instruction, the branch in whose delay slot it was or None, the next address).
        self.steps = collections.Counter()
        self.last = None  # the last instruction, and the branch in whose delay slot it was

    def listed(self, line):
        m = re.match(rb"0x([0-9a-f]+):  (\S*)\s*([^\t/]*)", line)
        at = int(m[1], 16)
        if at not in self.code:
            self.written[at] = m[2].decode(), m[3].decode().strip()

    def read(self, fifo):
        last = slot_of = None
        with open(fifo, "rb") as f:
            for line in f:
                if line.startswith(b"0x"):
                    self.listed(line)
                elif line.startswith(b"Trace"):
                    pc = int(line.split(b"/", 2)[1], 16)
                    if last:
                        self.steps[last, slot_of, pc] += 1
                        slot_of = last if self.kind_at(last).delayed else None
                    last = pc, self.code.get(pc) or self.written[pc]
        self.last = last, slot_of

    def kind_at(self, instruction):
        if instruction not in self.kind:
            self.kind[instruction] = kind_of(*instruction[1])
        return self.kind[instruction]

    def rest_of_block(self, this):
        """Yields an instruction and those after it, up to the next branch and its delay slot. Each
        is yielded with the branch in whose delay slot it is, or with None."""
        at, slot_of, ended = this[0], None, False
        while not ended:
            this = at, self.code[at]
            yield this, slot_of
            ended = slot_of or (self.kind_at(this).branch and not self.kind_at(this).delayed)
            slot_of = this if self.kind_at(this).delayed else None
            at += 4

    def add(self, c, this, slot_of, n):
        for event in self.kind_at(this).events:
            c[event] += n
        if slot_of and self.kind_at(this).nop:
            c["delay_slot_nop"] += n

    def counts(self, died):
        """Returns {event: count}. `died` is true if a signal ended the program. The last
        instruction in the log is the system call that ended the program or sent the signal, or an
        instruction that faulted."""
        c = collections.Counter()
        if died and not self.kind_at(self.last[0]).branch:
            self.steps[*self.last, None] = 1
        else:
            self.add(c, *self.last, 1)
        for (this, slot_of, to), n in self.steps.items():
            kind = self.kind_at(this)
            if not kind.branch and not slot_of and to != this[0] + 4:
                # The instruction faulted, so it counts as executed, and had no effect.
                c["insn_executed"] += n
                continue
            self.add(c, this, slot_of, n)
            # The outcome of a branch is known after the branch itself, or after its delay slot if
            # it has one.
            branch = slot_of or this
            if self.kind_at(branch).branch == "conditional" and (slot_of or not kind.delayed):
                taken = self.kind_at(branch).taken
                taken = to != this[0] + 4 if taken is None else taken
                event = "branch_cond_taken" if taken else "branch_cond_not_taken"
                c[event] += n
                if slot_of:
                    c[event + "_delay"] += n
        return {e: c[e] for e in EVENTS}


def oracle(order, program, *argv):
    """Returns {event: count} and the output of one run, as QEMU reports them without pmk."""
    trace = Trace(disassembly(program))
    out = logged(mb.ORDERS[order].qemu, trace.read, program, *argv, what="exec,nochain,in_asm")
    assert trace.steps, f"QEMU wrote no trace: {out}"
    return trace.counts(died=out.code > 128), out


def compare(program, *argv, order="little", core="microblaze", most=600000, failed=0):
    """Checks that pmk's counts equal those of the oracle. Returns pmk's counts."""
    have(mb.ORDERS[order].qemu)
    want, its = oracle(order, program, *argv)
    path = os.path.join(WORK, f"oracle-mb-{os.getpid()}.json")
    out = pmk("stat", "--json-document", "-o", path, "--core", core, "-e", "all", program, *argv,
              stdin="")
    what = " ".join([os.path.basename(program), *argv])
    equal((out.code, out.out), (its.code, its.out), f"{what} itself")
    with open(path) as f:
        document = json.load(f)
    os.unlink(path)
    c = counts(document)
    assert 0 < want["insn_executed"] < most, f"{what}: {want}"
    wrong = [f"{e}: got {c[e]}, QEMU alone {n}" for e, n in want.items() if c[e] != n]
    assert not wrong, f"{what}: " + "; ".join(wrong)
    identities(document, core, failed)
    return c


# ---- tests ---------------------------------------------------------------------------------------

def test_every_instruction():
    for order in mb.ORDERS:
        c = compare(bare("kinds", order=order), order=order, failed=3)  # 3 passes, 1 each
        for event in EVENTS:
            assert c[event] or event in ("icache_invalidate_op",
                                         "dcache_invalidate_flush_op"), event


def test_the_program_of_all_instructions_has_all():
    """kinds.S has all instructions, except those for kernels, for streams, and for the 64-bit
    core."""
    have(mb.ORDERS["little"].qemu)
    there = {name for name, _ in disassembly(bare("kinds")).values()}
    every = ARITHMETIC | MULTIPLY | DIVIDE | LOGICAL | BARREL - {"bsefi", "bsifi"}
    every |= SHIFT | PATTERN | EXTEND | STATUS
    every |= {"imm", "clz", "swapb", "swaph", "mfs", "mbar", "rtsd", "brki"}
    every |= {"br" + x for x in ("", "a", "d", "ad", "ld", "ald", "i", "ai", "id", "aid", "lid",
                                 "alid")}
    every |= {"b" + c + x for c in ("eq", "ne", "lt", "le", "gt", "ge")
              for x in ("", "d", "i", "id")}
    every |= {"f" + x for x in ("add", "rsub", "mul", "div", "lt", "int", "sqrt")}
    every |= {"fcmp." + c for c in ("un", "lt", "eq", "le", "gt", "ne", "ge")}
    every |= {a + b for a in ("lbu", "lhu", "lw", "sb", "sh", "sw") for b in ("", "r", "i")}
    every |= {"lwx", "swx"}
    equal(sorted(every - there), [], "not in kinds.S")


MIXES = {"small": mb.SMALL, "full": mb.FULL, "multiplier": (*mb.SMALL, *mb.MULTIPLIER),
         "divider": (*mb.SMALL, *mb.DIVIDER), "barrel_shifter": (*mb.SMALL, *mb.BARREL_SHIFTER),
         "fpu": (*mb.SMALL, *mb.FPU_EXTENDED),
         "pattern_compare": (*mb.SMALL, *mb.PATTERN_COMPARE)}
LEVELS = ("-O0", "-O2")


def mix(name, level, order):
    """Returns the arguments of mb.program() for a program."""
    return {"name": "mix", "sources": "mix.c", "order": order, "cpu": MIXES[name],
            "flags": (level,)}


# Small runs alternate between the levels and between the two byte orders.
@pytest.mark.parametrize("name, level", size(list(zip(MIXES, itertools.cycle(LEVELS))),
                                             list(itertools.product(MIXES, LEVELS))))
def test_programs(name, level):
    orders = list(mb.ORDERS)
    turn = (len(name) + (level == "-O2")) % 2
    for order in size(orders[turn:turn + 1], orders):
        compare(mb.program(**mix(name, level, order)), order=order)


def test_what_only_large_runs_count_is_stored():
    """The programs that only large runs count are stored, too. So `make nightly` needs no compiler
    for MicroBlaze."""
    if "PMK_MB_TOOLCHAIN" in os.environ:
        skip("PMK_MB_TOOLCHAIN makes other programs")
    missing = [(name, level, order) for name in MIXES for level in LEVELS for order in mb.ORDERS
               if not mb.microblaze_store.stored(mb.key_of(mb.program_recipe(**mix(name, level,
                                                                                 order))))]
    equal(missing, [], "`make microblaze-programs` stores them")


def test_a_program_of_the_benchmark():
    for order in mb.ORDERS:
        compare(mb.program("mixed", os.path.join(BENCH, "mixed.c"), order=order), "1", order=order)


def test_on_every_core():
    for path in glob.glob(os.path.join(SOURCE, "data", "cores", "microblaze*.ini")):
        core = os.path.basename(path)[:-4]
        compare(mb.program("mix", "mix.c"), core=core)


def test_arguments_and_exit_codes():
    for order in mb.ORDERS:
        for arguments in ([], ["one"], ["one", "two", "three"]):
            compare(mb.program("hello", "hello.c", order=order), *arguments, order=order)
        compare(mb.program("odd", "odd.c", order=order), "42", order=order)


def test_signals_and_faults():
    for order in mb.ORDERS:
        for level in ("-O0", "-O2"):
            compare(mb.program("odd", "odd.c", order=order, flags=(level,)), order=order)


def test_programs_that_end_by_a_signal():
    for order in mb.ORDERS:
        for how in ("kill", "fault"):
            compare(mb.program("odd", "odd.c", order=order), how, order=order)


def test_code_that_is_written_while_it_runs():
    for order in mb.ORDERS:
        compare(mb.program("written", "written.c", order=order), order=order)
