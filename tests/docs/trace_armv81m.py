# SPDX-License-Identifier: MIT
"""The PMU of Armv8.1-M in DDI 0553, in the form for test_trace.py: statements, and the fields of
its registers."""

PMU = ["TRCENA", "enable", "CNTEN", "EVTYPER", "EVCNTR", "CCNTR", "CHAIN", "SWINC", "OVS", "INTEN",
       "freeze", "zero", "prohibited", "halted", "trace packets", "privilege", "reset",
       "identification", "addresses"]
FIELDS = {"CTRL": ["11", "9", "5", "2", "1", "0"], "TYPE": ["23", "21", "14", "13:8", "7:0"],
          "AUTHSTATUS": ["23:22", "21:20", "19:18", "17:16", "7:6", "5:4", "3:2", "1:0"],
          "DEVARCH": ["31:21", "20", "19:16", "15:0"], "DEVTYPE": ["7:4", "3:0"],
          "DEMCR": ["24"]}

# The model makes no trace packets, and no core is emulated whose trace could show them.
NOT_CARRIED = ["PMU81M trace packets"]


def wanted():
    return [f"PMU81M {what}" for what in PMU] + \
        [f"PMU81M {reg}[{bits}]" for reg, fields in FIELDS.items() for bits in fields]
