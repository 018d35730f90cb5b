# SPDX-License-Identifier: MIT
"""The DWT's counters in DDI 0403E (ARMv7-M), C1.8, C1.6.5 and D1.1, in the form for test_trace.py:
statements, and the bits of DWT_CTRL."""

DWT = ["TRCENA", "CYCCNT", "CYCCNT wrap", "CPICNT", "EXCCNT", "SLEEPCNT", "LSUCNT", "FOLDCNT",
       "8 bits", "sum", "enable clears", "packets", "NOCYCCNT", "NOPRFCNT", "lock", "privilege",
       "reset", "addresses"]
CTRL = ["31:28", "27", "26", "25", "24", "22", "21", "20", "19", "18", "17", "16", "12", "11:10",
        "9", "8:5", "4:1", "0"]


def wanted():
    return [f"DWT {what}" for what in DWT] + [f"DWT CTRL[{bits}]" for bits in CTRL]
