# SPDX-License-Identifier: MIT
"""UG984, "Performance Monitoring", in the form for test_trace.py: the statements of its text in
order, the formulas, the steps of its procedure, the rows of its two tables, and the bits that it
names. The numbers, mnemonics and constants that the description of a row must contain are those of
the document."""

TEXT = ["extended debug", "C_DEBUG_EVENT_COUNTERS", "C_DEBUG_LATENCY_COUNTERS",
        "C_DEBUG_COUNTER_WIDTH", "default", "event counter", "N", "ΣL", "ΣL²", "Lmin", "Lmax", "μ",
        "σ", "start and stop", "sequence", "increment", "one instant", "while counting", "overflow",
        "Dbg_Intr", "Dbg_Intr clear", "periodic sampling"]

# The steps of the typical procedure, and the text that each description must contain.
PROCEDURE = {
    "1": "the events", "1.1": "Reset", "1.2": "five times for the event counters, then once",
             "1.3": "Clear and Start",
    "2": "the program", "3": "Sample and Stop", "4": "all counters", "4.1": "Reset",
    "4.2": "five times, then once; valid", "4.3": "Reset", "4.4": "five times, then four times",
             "5": "the results",
    "5.1": "mean latency and standard deviation", "5.2": "E30 / E0", "5.3": "E11 / E10",
             "5.4": "E47 / E46",
    "5.5": "(E60(ΣL) - E60(N)) / (E10 - E11)", "5.6": "data cache read and write",
             "5.7": "E29 / E0",
}

# Table 1: text that the description of each event must contain, such as its instructions.
EVENTS = """any valid|lw, lwi, lwx|lhu, lhui|lbu, lbui|sw, swi, swx|sh, shi|sb, sbi|br, bri, brk, brki|taken|not taken
request|hit|read|hit|write|hit|r1|r1|and, andn, or, xor|add, idiv, mul, rsub|mul, mulh, mulhu, mulhsu, muli
bsrl, bsra, bsll|sra, src, srl|exception|interrupt|OF|EX|MEM|idiv, idivu|fadd, ..., fsqrt|clock cycles|imm
pcmpbf, pcmpeq, pcmpne|sext8, sext16|wic|wdc|msrset, msrclr|unconditional|taken|not taken|no operation
lbu, ..., lwx|sb, ..., swx|data|beq, ..., bnei|br, bri, brk, brki, beq, ..., bnei|read or write|read or write
exception|instruction|data|stalled|branch or return|instruction|ITLB|DTLB|UTLB|interrupt vector|memory read
memory write|memory read|look-up|data read|data write""".replace("\n", "|").split("|")
FIRST_WITH_LATENCY = 57

# Table 2: size, MDM command, DBG_CTRL, direction.
REGISTERS = {
    "PCCTRLR": ("8 bits", "0101 0001", "4A207", "W"),
             "PCCMDR": ("5 bits", "0101 0010", "4A404", "W"),
    "PCSR": ("2 bits", "0101 0011", "4A601", "R"), "PCDRR": ("32 bits", "0101 0110", "4AC1F", "R"),
    "PCDWR": ("32 bits", "0101 0111", "4AE1F", "W"),
}
REGISTERS_TEXT = ["repeatedly", "DBG_CTRL"]
BITS = ["PCCTRLR event", "PCCMDR Clear", "PCCMDR Start", "PCCMDR Stop", "PCCMDR Sample",
        "PCCMDR Reset", "PCSR Overflow", "PCSR Full", "PCDRR item", "PCDWR item"]

NOT_CARRIED = set()


def wanted():
    assert len(EVENTS) == 64, len(EVENTS)
    out = [f"PM {what}" for what in TEXT] + [f"PM step {n}" for n in PROCEDURE]
    out += [f"PM T1 E{n}" for n in range(64)] + ["PM T1 event counters", "PM T1 both"]
    out += [f"PM registers {what}" for what in REGISTERS_TEXT] + [f"PM T2 {reg}"
                                                                  for reg in REGISTERS]
    out += [f"PM bit {bit}" for bit in BITS]
    return ["UG984 " + anchor for anchor in out]


def described():
    """Returns {anchor: the text that its description must contain}."""
    out = {f"PM step {n}": what for n, what in PROCEDURE.items()}
    out |= {f"PM T1 E{n}": what for n, what in enumerate(EVENTS)}
    out |= {f"PM T2 {reg}": ", ".join(cells) for reg, cells in REGISTERS.items()}
    return {"UG984 " + anchor: what for anchor, what in out.items()}
