# SPDX-License-Identifier: MIT
"""DDI 0287B 4.2.2, the profiling counters of the AHB Monitor, in the form for test_trace.py: the
statements of its text in order, and the rows of its tables, as in the document."""

TEXT = ["time span", "32 bits", "read back", "control", "profiling", "synchronised",
        "reset write", "slave port", "word aligned", "enabling", "all layers", "cache", "bridges",
        "DMA slaves", "latency", "causes", "who gets what", "reads and writes", "bursts",
        "no other", "ERROR CLCDC", "ERROR DMAC", "ERROR bridge", "ERROR ARM926-I",
        "ERROR ARM926-D", "ERROR again", "ERROR SWAP", "GXI", "thresholds"]

# The text about each layer, and about the three counters of cycles.
LAYERS = {
    "ARM-I": ["repertoire", "enable", "DBGACK", "reset and preset"],
    "CLCDC": ["repertoire", "single words", "enable", "reset and preset"],
    "DMA-0": ["repertoire", "slaves", "PSEL", "enable", "reset and preset"],
    "DMA-1": ["repertoire", "slaves", "enable", "reset and preset"],
    "EXP": ["bridge", "enable", "reset and preset"],
    "ARM-D": ["repertoire", "told apart", "enable", "DBGACK", "reset and preset"],
    "GXI": ["link", "enable", "reset and preset"],
    "cycles": ["enable", "DBGACK", "reset and preset"],
}

WAITS = ["WaitTotal", "WaitNonSeqSlave", "WaitNonSeqBus", "WaitThresholdHit"]
INCRS = ["BurstIncr", "BurstIncr4", "BurstIncr8", "BurstIncr16"]
BRIDGES = ["RdApbDma", "WrApbDma", "RdApbCore", "WrApbCore"]

TABLES = {
    "T4-6": ("CtArmi", ["Rd", "BurstSingle", "BurstIncr4", "LineFill", *WAITS]),
    "T4-7": ("CtClcd", ["Rd", *INCRS, *WAITS]),
    "T4-8": ("CtDma0", ["Rd", "Wr", "RdUart", "WrUart", "RdSci", "WrSci", "RdSsp", "WrSsp", *INCRS,
                        *WAITS]),
    "T4-9": ("CtDma1", ["Rd", "Wr", *INCRS, *WAITS]),
    "T4-10": ("CtExp", ["Rd", "Wr", *BRIDGES, "BurstSingle", "BurstIncr", "BurstWrap4",
                        "BurstIncr4", "BurstWrap8", "BurstIncr8", "BurstWrap16", "BurstIncr16",
                        *WAITS]),
    "T4-11": ("CtArmd", ["Rd", "Wr", *BRIDGES, "BurstSingle", "BurstIncr4", "BurstIncr8",
                         "LineFill", "CastOut4", "CastOut8", "PageWalkD", "PageWalkI", *WAITS]),
    "T4-12": ("CtGxi", ["Wr", "Rd", "WrAddrWait", "RdAddrWait", "RdDataWait", "RdAWaitThresholdHit",
                        "RdDWaitThresholdHit", "WrAWaitThresholdHit", "PageChange"]),
    "T4-13": ("CtTotalCycles", ["", "En", "NonDebug"]),
}

PAGES = ["", " 2'b00", " 2'b01", " 2'b10", " 2'b11"]

NOT_CARRIED = {"DDI0287B §4.2.2 ERROR again"}


def wanted():
    out = [f"§4.2.2 {what}" for what in TEXT]
    out += [f"§4.2.2 {layer} {what}" for layer, list_ in LAYERS.items() for what in list_]
    for table, (prefix, rows) in TABLES.items():
        out += [f"{table} {prefix}{row}" for row in rows]
        if table == "T4-12":
            out += [f"{table} GxiPageSize{value}" for value in PAGES]
    assert sum(len(rows) for _, rows in TABLES.values()) == 91
    return ["DDI0287B " + anchor for anchor in out]
