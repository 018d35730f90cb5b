# SPDX-License-Identifier: MIT
"""Instruction facts of MicroBlaze against binutils. What an instruction reads, writes, accesses,
where it jumps to and how it is counted is derived here from objdump's text with a table of
mnemonics, without the encoding. The test compares all instructions of the assembler with operands
at their limits, in both byte orders, and a sweep over the fields of every opcode, where both must
also agree on which words are not instructions. DIFFERENCES lists where they disagree, and why.

binutils 2.40 does not know the 64-bit core; test_microblaze.c has words for it. objdump's output is
stored (tests/microblaze_store.py), and compared with that of an installed objdump.
"""
import functools
import itertools
import os
import random
import re
import struct

import pytest

from harness import BUILD, WORK, equal, run
from microblaze_tools import answer, tool

FACTS = os.path.join(BUILD, "tests", "microblaze_facts")

# ---- what a mnemonic means -----------------------------------------------------------------------

# names | class | operands | facts | kinds | flow | bytes
#
# Operands: registers are d written, v read as the value of a store, n rA, m rB, a read and written;
# i is a signed immediate, u5 and u15 unsigned ones, p a branch distance, t an absolute address, F a
# stream, S a special register. Facts: c conditional, b branch, s and f set and read MSR[C], x
# exclusive, L load, S store.
TABLE = """
add rsub | ALU | d n m | s | ARITH
addc rsubc | ALU | d n m | sf | ARITH
addk rsubk cmp cmpu | ALU | d n m | | ARITH
addkc rsubkc | ALU | d n m | f | ARITH
addi rsubi | ALU | d n i | s | ARITH
addic rsubic | ALU | d n i | sf | ARITH
addik rsubik | ALU | d n i | | ARITH
addikc rsubikc | ALU | d n i | f | ARITH
mul mulh mulhu mulhsu | MUL | d n m | | ARITH MUL
muli | MUL | d n i | | ARITH MUL
idiv idivu | DIV | d n m | | ARITH DIV
bsll bsra bsrl | BARREL | d n m | | BARREL
bslli bsrai bsrli | BARREL | d n u5 | | BARREL
or and xor andn | ALU | d n m | | LOGICAL
ori andi xori andni | ALU | d n i | | LOGICAL
pcmpbf pcmpeq pcmpne | ALU | d n m | | PCMP
sra srl | ALU | d n | s | SHIFT
src | ALU | d n | sf | SHIFT
sext8 sext16 | ALU | d n | | SEXT
clz swapb swaph | ALU | d n | |
wic | CACHE_OP | n m | | WIC
wdc wdc.flush wdc.clear | CACHE_OP | n m | | WDC
msrset msrclr | OTHER | d u15 | f | MSR
mts | OTHER | S n | |
mfs | OTHER | d S | |
fadd frsub | FP_ADD | d n m | | FP
fmul | FP_MUL | d n m | | FP
fdiv | FP_DIV | d n m | | FP
fcmp.un fcmp.lt fcmp.eq fcmp.le fcmp.gt fcmp.ne fcmp.ge | FP_COMPARE | d n m | | FP
flt | FP_FROM_INT | d n | | FP
fint | FP_TO_INT | d n | | FP
fsqrt | FP_SQRT | d n | | FP
imm | OTHER | i | | IMM
mbar | OTHER | u5 | | MBAR
sleep | OTHER | | | MBAR SLEEP BTC_FLUSH
br bra | BRANCH | m | b | BR | INDIRECT
brd brad | BRANCH | m | b | BR DELAY | INDIRECT
brld brald | BRANCH | d m | b | BR DELAY | INDCALL
brk | BRANCH | d m | b | BR BREAK | EXCEPTION
bri | BRANCH | p | b | BR BR_IMM | JUMP
brid | BRANCH | p | b | BR BR_IMM DELAY | JUMP
brai | BRANCH | t | b | BR BR_IMM ABSOLUTE | JUMP
braid | BRANCH | t | b | BR BR_IMM ABSOLUTE DELAY | JUMP
brlid | BRANCH | d p | b | BR BR_IMM DELAY | CALL
bralid | BRANCH | d t | b | BR BR_IMM ABSOLUTE DELAY | CALL
brki | BRANCH | d t | b | BR BREAK ABSOLUTE | EXCEPTION
beq bne blt ble bgt bge | BRANCH | n m | cb | BR_COND | INDIRECT
beqd bned bltd bled bgtd bged | BRANCH | n m | cb | BR_COND DELAY | INDIRECT
beqi bnei blti blei bgti bgei | BRANCH | n p | cb | BR_COND BR_IMM | JUMP
beqid bneid bltid bleid bgtid bgeid | BRANCH | n p | cb | BR_COND BR_IMM DELAY | JUMP
rtsd | BRANCH | n i | | RETURN DELAY | RETURN
rtid rtbd rted | BRANCH | n i | | RETURN DELAY | MODE
lbu lbur | LOAD | d n m | L | | | 1
lhu lhur | LOAD | d n m | L | | | 2
lw lwr | LOAD | d n m | L | | | 4
lwx | LOAD | d n m | sxL | | | 4
lbui | LOAD | d n i | L | | | 1
lhui | LOAD | d n i | L | | | 2
lwi | LOAD | d n i | L | | | 4
sb sbr | STORE | v n m | S | | | 1
sh shr | STORE | v n m | S | | | 2
sw swr | STORE | v n m | S | | | 4
swx | STORE | v n m | sxS | | | 4
sbi | STORE | v n i | S | | | 1
shi | STORE | v n i | S | | | 2
swi | STORE | v n i | S | | | 4
"""


class Meaning:
    def __init__(self, line):
        columns = [c.strip() for c in line.split("|")] + ["", ""]
        self.names = columns[0].split()
        self.iclass, self.operands, self.facts = columns[1], columns[2].split(), set(columns[3])
        self.kinds = set(columns[4].split())
        self.flow = columns[5] or "NEXT"
        self.bytes = int(columns[6] or 0)


def stream_rows():
    """Returns the rows of get, put and their dynamic forms, with the letters of their options in
    the assembler's order."""
    for t, n, e, c, a in itertools.product(["t", ""], ["n", ""], ["e", ""], ["c", ""], ["a", ""]):
        facts = "s" if n else ""
        yield f"{t}{n}{e}{c}{a}get | OTHER | d F | {facts} | GET"
        yield f"{t}{n}{e}{c}{a}getd | OTHER | d m | {facts} | GET"
        if not e:
            yield f"{t}{n}{c}{a}put | OTHER | {'' if t else 'n '}F | {facts} | PUT"
            yield f"{t}{n}{c}{a}putd | OTHER | {'' if t else 'n '}m | {facts} | PUT"


MEANINGS = {name: meaning for line in [*TABLE.strip().splitlines(), *stream_rows()]
            for meaning in [Meaning(line)] for name in meaning.names}

# ---- what a line of objdump says -----------------------------------------------------------------


class Line:
    """A line of objdump: address, word, mnemonic ("" if objdump does not know it), operands,
    comment."""
    def __init__(self, addr, word, name, operands):
        self.addr, self.word, self.name = addr, word, name
        operands, _, self.comment = operands.partition("//")
        self.operands = operands.replace(",", " ").split()

    def __repr__(self):
        return (f"{self.addr:x}: {self.word:08x} {self.name or '(unknown)'} "
                f"{', '.join(self.operands)}")


def register(text):
    found = re.fullmatch(r"r([12]?\d|3[01])", text)
    assert found, f"{text!r} is not a register"
    return int(found[1])


def mask(registers):
    return sum(1 << r for r in set(registers))


def target_of(line, at, operand, prefix):
    """Returns the value of an immediate that objdump prints as its signed low half."""
    immediate = int(operand)
    if prefix is not None:
        immediate = (prefix & 0xffff) << 16 | (immediate & 0xffff)
    return (immediate + (line.addr if at == "p" else 0)) & 0xffffffff


def expected(line, prefix):
    """Returns the facts of a line in the form of microblaze_facts. `prefix` is the operand of an
    imm before it."""
    meaning = MEANINGS[line.name]
    equal(len(line.operands), len(meaning.operands), f"operands of {line}")
    kinds, facts, sysop, target = set(meaning.kinds), set(meaning.facts), "", 0
    role, text = {}, dict(zip(meaning.operands, line.operands))
    for kind, operand in text.items():
        if kind in ("d", "v", "n", "m") and register(operand) != 0:
            role["d" if kind == "v" else kind] = register(operand)
        elif kind in ("p", "t"):
            target = target_of(line, kind, operand, prefix)
    if meaning.bytes:
        kinds |= {"R1"} if 1 in (role.get("n"), role.get("m")) else set()
        kinds |= {"R1_DATA"} if "S" in facts and role.get("d") == 1 else set()
    if line.name == "or" and not role:
        kinds |= {"NOP"}
    if line.name == "bri" and target == line.addr + 4 and prefix in (None, 0):
        kinds |= {"BTC_FLUSH"}
    if "BR_COND" in kinds and "n" not in role:  # the branch tests r0
        kinds |= {"ALWAYS" if line.name[1:3] in ("eq", "le", "ge") else "NEVER"}
    if line.name in ("msrset", "msrclr") and int(text["u15"]) & 4:
        facts |= {"s"}
    if line.name in ("mts", "mfs") and text["S"] == "rmsr":
        facts |= {"s" if line.name == "mts" else "f"}
    if line.name == "mts" and text["S"] in ("rpid", "rtlblo", "rtlbhi"):
        sysop = "TLB"
    if line.name == "sleep":
        sysop = "WFI"
    if line.name == "mbar":
        wait = int(text["u5"])
        kinds |= {"BTC_FLUSH"} if not wait & 1 else set()
        sysop = "DSB" if not wait & 2 else "ISB" if not wait & 1 else ""
    reads = [r for k, r in role.items() if k in ("n", "m") or (k == "d" and "v" in text)]
    return {"class": meaning.iclass, "flow": meaning.flow, "sysop": sysop, "kinds": kinds,
            "facts": facts,
            "roles": {f"{k}{r}" for k, r in role.items()}, "reads": mask(reads),
            "writes": mask([role["d"]] if "d" in text and "d" in role else []),
            "bytes": meaning.bytes, "target": target}


# ---- the tools -----------------------------------------------------------------------------------

ENDIAN = {"little": ("-EL", "<"), "big": ("-EB", ">")}


def call(*argv):
    out = run(*argv)
    equal(out.code, 0, f"{' '.join(map(str, argv))}: {out}")
    return out.out


def disassemble(name, path, words, order):
    """Returns objdump's lines for a file with only these words, at address 0."""
    def ask():
        text = call(tool("objdump"), "-D", "-z", "-b", "binary", "-m", "MicroBlaze",
                    ENDIAN[order][0], path)
        found = re.findall(r"^ *([0-9a-f]+):\t([0-9a-f]{8}) \t([^\t\n]*)\t?(.*)$", text,
                           re.MULTILINE)
        equal([(int(a, 16), int(w, 16)) for a, w, _, _ in found],
              [(4 * n, w) for n, w in enumerate(words)], "objdump's words")
        return "".join(f"{n}\t{operands}\n" for _, _, n, operands in found).encode()

    said = answer(f"{name}-{order}", pack(words, order), ask).decode().splitlines()
    equal(len(said), len(words), "lines of objdump")
    return [Line(4 * n, word, *line.split("\t", 1)) for n,
            (word, line) in enumerate(zip(words, said))]


def decoded(path, order):
    """Returns pmk's facts in the form of expected(), or None if the word is unknown, and pmk's
    text."""
    def parse(line):
        line, _, text = line.partition("\t")
        if line == "unknown":
            return None, text
        have = dict(pair.split("=", 1) for pair in line.split(" "))
        for key in ("kinds", "roles"):
            have[key] = set(have[key].rstrip(",").split(",")) - {""}
        for key in ("reads", "writes", "target"):
            have[key] = int(have[key], 16)
        return {**have, "facts": set(have["facts"]), "bytes": int(have["bytes"])}, text

    return [parse(line) for line in call(FACTS, order, path).splitlines()]


def pack(words, order):
    return struct.pack(f"{ENDIAN[order][1]}{len(words)}I", *words)


def assemble(source, order):
    """Returns the words of a source."""
    def ask():
        base = os.path.join(WORK, f"mb-isa-{os.getpid()}")
        with open(base + ".s", "w") as f:
            f.write(source)
        call(tool("as"), ENDIAN[order][0], "-o", base + ".o", base + ".s")
        call(tool("objcopy"), "-O", "binary", "-j", ".text", base + ".o", base + ".bin")
        with open(base + ".bin", "rb") as f:
            code = f.read()
        for suffix in (".s", ".o", ".bin"):
            os.unlink(base + suffix)
        return code

    return [w for w, in struct.iter_unpack(ENDIAN[order][1] + "I",
                                           answer(f"words-{order}", source.encode(), ask))]


def both(name, words, order):
    """Returns pairs of a line of objdump and pmk's facts with the text. The word 0 is left out,
    because objdump stops at it."""
    words = [w for w in words if w != 0]
    path = os.path.join(WORK, f"mb-isa-{name}-{os.getpid()}.bin")
    with open(path, "wb") as f:
        f.write(pack(words, order))
    lines, facts = disassemble(name, path, words, order), decoded(path, order)
    os.unlink(path)
    equal(len(facts), len(words), "words of microblaze_facts")
    return list(zip(lines, facts))


def prefixes(pairs):
    """Returns each pair, without the text, and the operand of an imm before it, or None."""
    before = None
    for line, (have, _) in pairs:
        yield line, have, before
        before = int(line.operands[0]) if line.name == "imm" else None


# ---- all that can be assembled -------------------------------------------------------------------

CORNERS = {
    "d": ["r0", "r1", "r3", "r15", "r31"], "v": ["r0", "r1", "r3", "r15", "r31"],
    "n": ["r0", "r1", "r4", "r16", "r31"], "m": ["r0", "r1", "r5", "r17", "r31"],
    "i": ["0", "1", "4", "-1", "32767", "-32768", "32768", "-32769", "0x12345678", "-2147483648"],
    "u5": ["0", "1", "2", "3", "31"], "u15": ["0", "1", "4", "0x7fff", "0x7ffb"],
    "p": ["0", "4", "8", "-4", "32764", "-32768", "32768", "0x12345678", "-0x12345678"],
    "t": ["0", "4", "8", "0x18", "-4", "32764", "-32768", "32768", "0x12345678", "-0x12345678"],
    "F": ["rfsl0", "rfsl1", "rfsl15"],
    "S": ["rmsr", "rfsr", "rpid", "rzpr", "rtlbx", "rtlblo", "rtlbhi", "rtlbsx"],
}
ONLY = {"mbar": {"u5": ["0", "1", "2", "3"]},
        "mfs": {"S": [*CORNERS["S"][:-1], "rpc", "rear", "resr", "rbtr", "redr", "rpvr0",
                      "rpvr11"]}}
ALIASES = """
	nop
	la r3, r4, 100
	not r3, r4
	neg r3, r4
	sub r3, r4, r5
	rtb r15
"""


def instructions(name):
    """Returns the mnemonic with every operand at each of its limits, and with all operands at the
    same limit."""
    operands = MEANINGS[name].operands
    corners = [ONLY.get(name, {}).get(o, CORNERS[o]) for o in operands]
    chosen = {tuple(c[0] for c in corners)}
    for i, c in enumerate(corners):
        chosen |= {tuple(x if i == j else c[len(c) // 2] for j, c in enumerate(corners)) for x in c}
    chosen |= {tuple(c[min(k, len(c) - 1)] for c in corners)
               for k in range(max(map(len, corners), default=0))}
    return [f"\t{name} {', '.join(c)}\n" for c in sorted(chosen)]


def test_assembled():
    # The assembler inserts imm itself, and rejects it in the source.
    source = "".join(i for name in MEANINGS if name != "imm" for i in instructions(name)) + ALIASES
    words = assemble(source, "little")
    equal(assemble(source, "big"), words, "the words of the other byte order")
    for order in ENDIAN:
        seen, targets = set(), 0
        for line, have, prefix in prefixes(both("assembled", words, order)):
            assert line.name in MEANINGS, f"no meaning of {line}"
            equal(have, expected(line, prefix), f"{order}: {line} behind {prefix}")
            if {"p", "t"} & set(MEANINGS[line.name].operands) and line.comment:
                equal(int(line.comment, 16), have["target"], f"target of {line}")
                targets += 1
            seen.add(line.name)
        assert targets > 100, f"objdump told {targets} targets"
        equal(set(MEANINGS) - seen, set(), "mnemonics that were not assembled")


# ---- every field of every opcode -----------------------------------------------------------------

# Where objdump and we differ: the reason, whether we know the word, the names that objdump may have
# for it ("" if it knows none), and a test for the words. If the reason is RESERVED, UG984 has these
# bits as 0. The hardware checks only the opcode, and objdump checks only the bits that distinguish
# names.
RESERVED, YOUNGER = "reserved bits that objdump does not look at", "younger than binutils 2.40"
DIFFERENCES = [
    (RESERVED, False, "bsll|bsra|bsrl", lambda w: w & 0x1ff),
    (RESERVED, False, "bslli|bsrai|bsrli", lambda w: w & 0xf9e0),
    (RESERVED, False, "neg", lambda w: w & 0x7ff),
    (RESERVED, False, "flt|fint|fsqrt|swapb|swaph", lambda w: w & 0xf800),
    (RESERVED, False, "wic", lambda w: w & 0x03e00700),
    (RESERVED, False, r"wdc(\.clear|\.flush)?", lambda w: w & 0x03e00300),
    (RESERVED, False, "[tneca]*get", lambda w: w & 0x001f03f0),
    (RESERVED, False, "[tneca]*getd", lambda w: w & 0x001f001f),
    (RESERVED, False, "[tneca]*put", lambda w: w & 0x03e003f0),
    (RESERVED, False, "[tneca]*putd", lambda w: w & 0x03e0001f),
    (RESERVED, False, "mbar|sleep", lambda w: w & 0x001dfffb),
    ("UG984 gives put no e", False, "[tnca]*e[ca]*put", lambda w: w & 0x400),
    ("UG984 gives putd no e", False, "[tnca]*e[ca]*putd", lambda w: w & 0x20),
    ("taken out of the instruction set", False, "pcmpbc", lambda w: w & 0x400),
    (YOUNGER + ": extended addresses", True, "",
     lambda w: w >> 26 in (0x30, 0x31, 0x32, 0x34, 0x35, 0x36) and w & 0x7ff == 0x80),
    (YOUNGER + ": bsefi, bsifi", True, "|bslli|bsrai|bsrli",
     lambda w: w >> 26 == 0x19 and w & 0xc000),
    (YOUNGER + ": hibernate, suspend", True, "", lambda w: w & 0xfd1fffff == 0xb9020004),
    ("any mbar with 16 is sleep to objdump", True, "sleep", lambda w: w & 0x00200000),
    ("option bits of wdc that have no name", True, "", lambda w: w & 0xffe0036d == 0x90000064),
    ("special registers and halves of them that have no name", True, "",
     lambda w: w >> 26 == 0x25 and w & 0x8000),
]


def swept():
    """Returns words of all opcodes with all values of each field that selects among instructions,
    and random words."""
    chance = random.Random(1)
    few = [0, 1, 3, 4, 5, 31]
    for op in range(64):
        for low in range(0x800):
            d, a, b = chance.choices(few, k=3)
            yield op << 26 | d << 21 | a << 16 | low
            yield op << 26 | a << 16 | b << 11 | low
        for high in range(0x400):
            for low in (0, chance.choice([4, 0x2800])):
                yield op << 26 | high << 16 | low
        for _ in range(512):
            yield op << 26 | chance.getrandbits(26)
    for op in (0x13, 0x19, 0x1b, 0x25):
        for low in range(0, 0x10000, 16):
            for high in (0, 0x00600000, 0x00040000):
                yield op << 26 | high | low | chance.choice([0, 1, 15])
    for rest in range(0, 1 << 26, 1 << 16):
        yield from (0x98000000 | rest | 0x2800, 0xb8000000 | rest | 4)


@functools.cache
def both_swept():
    return list(both("swept", list(swept()), "little"))


def reasons(line, have):
    return [n for n, (_, known, names, words) in enumerate(DIFFERENCES)
            if known == (have is not None) and words(line.word) and re.fullmatch(names, line.name)]


def test_sweep():
    agreed, differed = set(), set()
    for line, have, prefix in prefixes(both_swept()):
        if have is None and not line.name:
            continue
        if have and line.name in MEANINGS and have == expected(line, prefix):
            agreed.add(line.name)
            continue
        why = reasons(line, have)
        assert why, f"{line} behind {prefix}: we have {have}"
        differed.update(why)
    equal(set(MEANINGS) - agreed, set(), "mnemonics that were not swept")
    equal([d[:3] for n, d in enumerate(DIFFERENCES) if n not in differed], [],
          "differences that are none")


# ---- text ----------------------------------------------------------------------------------------

def same_text(line, text):
    """True if our text equals objdump's, except for blanks and commas."""
    return text.replace(",", " ").split() == [line.name, *line.operands]


def test_text_of_what_can_be_assembled():
    source = "".join(i for name in MEANINGS if name != "imm" for i in instructions(name)) + ALIASES
    seen = set()
    for line, (_, text) in both("assembled", assemble(source, "little"), "little"):
        assert same_text(line, text), f"{line}: {text!r}"
        seen.add(line.name)
    equal(set(MEANINGS) - seen, set(), "mnemonics that were not assembled")


# Words that pmk and objdump know with the same facts, but name differently: the reason, the names
# that objdump has for them, and a test for the words.
OTHER_NAMES = [
    ("objdump does not look at the external bit", r"wdc(\.clear|\.flush)?", lambda w: w & 0x400),
    ("any mbar with 16 is sleep to objdump", "sleep", lambda w: w >> 21 & 31 != 16),
    ("special registers that there are not", "mts|mfs", lambda w: w & 0x3fff),
]


def test_text_of_the_sweep():
    """pmk and objdump give the same text for words that both know. pmk has no text for words that
    it does not know."""
    compared, needed = 0, set()
    for line, (have, text) in both_swept():
        if have is None:
            equal(text, "", f"{line} is no instruction")
        elif not same_text(line, text) and not reasons(line, have):
            why = [w for w, names, words in OTHER_NAMES
                   if re.fullmatch(names, line.name) and words(line.word)]
            assert why, f"{line}: {text!r}"
            needed.update(why)
        else:
            compared += 1
    equal(needed, {why for why, _, _ in OTHER_NAMES})
    assert compared > 50000, compared
