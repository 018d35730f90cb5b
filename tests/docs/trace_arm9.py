# SPDX-License-Identifier: MIT
"""DDI 0165B chapter 8, instruction cycle times of the ARM9E-S, in the form for test_trace.py: the
rules that the pipeline model uses, and the cycles that each row's description must contain."""

TIMES = {
    "data processing": "1 cycle", "shift by a register": "2 cycles", "MUL, MLA": "2 cycles",
    "MULS, MLAS": "4 cycles", "UMULL, UMLAL, SMULL, SMLAL": "3 cycles, 5", "SMULxy": "1 cycle",
    "SMLALxy": "2 cycles", "accumulator": "at once", "LDR": "1 cycle",
         "LDRB, LDRH": "2 cycles later",
    "LDRD": "2 cycles", "LDM": "a word a cycle, 2 at least", "STR": "1 cycle",
         "STM": "a word a cycle, 2 at least",
    "base": "at once", "SWP": "2 cycles", "B, BL, BX": "3 cycles", "not taken": "1 cycle",
         "LDR to the PC": "5 cycles",
}


def described():
    return {"DDI0165B §8 " + what: cycles for what, cycles in TIMES.items()}


def wanted():
    return list(described())
