# SPDX-License-Identifier: MIT
"""RISC-V's privileged architecture 20211203, 2.1, 3.1.10 to 3.1.12 and 3.4, and the U74-MC manual,
4.9.5, in the form for test_trace.py: statements, and the bits of each class of events."""

PRIV = ["mcycle", "minstret", "64 bits", "RV32 halves", "writes", "event 0", "event selectors",
        "wrap", "mcounteren", "mcounteren TM", "mcounteren shadows", "mcountinhibit",
        "mcountinhibit bit 1", "mcountinhibit value", "CSR privilege", "CSR read-only", "reset"]
CLASSES = [(0, 8, 25), (1, 8, 18), (2, 8, 13)]


def wanted():
    return [f"PRIV {what}" for what in PRIV] + ["U74 class", "U74 mask"] + \
        [f"U74 0x{c:X}{bit:02X}" for c, first, last in CLASSES for bit in range(first, last + 1)]
