#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/TRACE.md covers both source documents, and what it says of the tree is true.

The lists below are the structure of the documents, written down from them and from nothing in this
repository: sections, rows of tables, bits, event codes, formulas. DAI 0195B is Application Note 195,
issue B; DDI 0211 the ARM1136 Technical Reference Manual, section c15, PMNC.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import *
import repo

# DAI 0195B: what each section states.
DAI_SECTIONS = {
    1: ["counters", "divider", "selection", "no cost", "control", "interrupt", "nPMUFIQ", "clear",
        "preload 2^32-N", "wrap", "EVNTBUS"],
    2: ["MRC", "MCR", "access", "worlds"],
    3: ["enabled", "line fill", "branch shadow", "returns", "more misses than fills"],
    4: ["kinds", "misprediction", "table walks", "data dependency", "overlap"],
    5: ["0x5", "0x6", "0xD", "prediction off", "Z bit", "ratio 1 - 0x6/0x5"],
    6: ["executed", "no sum"],
    7: ["non-sequential", "difference 0xA - 0x9", "TCM", "speculation", "exclusions"],
    8: ["data cache 0xB/0x9", "hits 1 - 0xB/0x9", "reads and writes", "instruction cache"],
    9: ["events", "no match"],
}

# DAI 0195B Table 1, from the top.
DAI_TABLE_1 = ["31", "30", "29", "28", "27:20", "19:12", "11", "10", "9", "8", "7", "6", "5", "4", "3",
               "2", "1", "0"]

# DAI 0195B Table 2.
DAI_TABLE_2 = [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0F,
               0x10, 0x11, 0x12, 0x13, 0x14, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26,
               0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0xFF]

# DDI 0211: the section's text.
DDI_TEXT = ["purpose", "access", "2^38", "PMUIRQ", "clear", "delay", "EVNTBUS", "X = 0"]

# DDI 0211 Table 3.138.
DDI_TABLE_138 = ["31:28", "27:20", "19:12", "11", "10", "9", "8", "7", "6", "5", "4", "3", "2", "1", "0"]

# DDI 0211 Tables 3.139 and 3.140.
DDI_TABLE_139 = ["0", "1"]
DDI_TABLE_140 = ["privileged read", "privileged write", "user"]

# DDI 0211 Table 3.141: event number, EVNTBUS bit position.
DDI_TABLE_141 = [
    (0x00, "[0]"), (0x01, "[1]"), (0x02, "[2]"), (0x03, "[3]"), (0x04, "[4]"), (0x05, "[6:5]"),
    (0x06, "[7]"), (0x07, "[9:8]"), (0x09, "[10]"), (0x0A, "[11]"), (0x0B, "[12]"), (0x0C, "[13]"),
    (0x0D, "[15:14]"), (0x0F, "[16]"), (0x10, "[17]"), (0x11, "[18]"), (0x12, "[19]"),
    (0x20, "-"), (0x21, "-"), (0x22, "-"), (0xFF, "-"),
]

# Statements that this release does not carry; docs/arm11.md says so.
NOT_CARRIED = {"DAI0195B §4 overlap", "DAI0195B §7 TCM", "DAI0195B §7 speculation", "DAI0195B §9 events",
               "DAI0195B §9 no match"}


def wanted():
    out = [f"DAI0195B §{n} {what}" for n, list_ in DAI_SECTIONS.items() for what in list_]
    out += [f"DAI0195B T1[{bits}]" for bits in DAI_TABLE_1]
    out += [f"DAI0195B T2 0x{code:02X}" for code in DAI_TABLE_2] + ["DAI0195B T2 other"]
    out += [f"DDI0211 PMNC {what}" for what in DDI_TEXT]
    out += [f"DDI0211 T3.138 [{bits}]" for bits in DDI_TABLE_138]
    out += [f"DDI0211 T3.139 {value}" for value in DDI_TABLE_139]
    out += [f"DDI0211 T3.140 {who}" for who in DDI_TABLE_140]
    out += [f"DDI0211 T3.141 0x{code:02X} EVNTBUS {bits}" for code, bits in DDI_TABLE_141]
    return out + ["DDI0211 T3.141 other"]


def rows():
    """(anchor, what, [file cells], [test cells]) of every row of docs/TRACE.md."""
    out = []
    for line in repo.text("docs/TRACE.md").splitlines():
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if not line.startswith("|") or cells[0] in ("anchor", "---"):
            continue
        equal(len(cells), 4, line)
        anchor, what, files, tests = cells
        out.append((anchor, what, re.findall(r"`([^`]+)`", files), re.findall(r"`([^`]+)`", tests)))
    return out


def test_names(path):
    """Tests in a file: functions of a C or Python test, vectors of a vector file."""
    body = repo.text(path)
    if path.endswith(".vec"):
        return set(re.findall(r"^vector (\S+)$", body, re.M))
    if path.endswith(".py"):
        return set(re.findall(r"^@test\ndef (\w+)\(", body, re.M))
    return set(re.findall(r"cmocka_unit_test\w*\(\s*(\w+)", body))


@test
def the_lists_are_complete():
    equal((len(DAI_TABLE_1), len(DAI_TABLE_2)), (18, 36))
    equal((len(DDI_TABLE_138), len(DDI_TABLE_141)), (15, 21))
    equal(sorted(DAI_SECTIONS), list(range(1, 10)))
    for bits in (DAI_TABLE_1, DDI_TABLE_138):
        covered = []
        for span in bits:
            hi, _, lo = span.partition(":")
            covered += list(range(int(hi), int(lo or hi) - 1, -1))
        equal(covered, list(range(31, -1, -1)), "bits of PMNC")
    assert set(code for code, _ in DDI_TABLE_141) < set(DAI_TABLE_2)


@test
def every_anchor_has_a_row():
    there = [anchor for anchor, *_ in rows()]
    equal(len(there), len(set(there)), "anchors given twice")
    equal([a for a in wanted() if a not in there], [], "missing in docs/TRACE.md")
    equal([a for a in there if a not in wanted()], [], "not in the documents")


@test
def rows_are_in_the_documents_order():
    equal([anchor for anchor, *_ in rows()], wanted())


@test
def every_file_contains_what_is_named():
    for anchor, _, files, _ in rows():
        assert files, f"{anchor} names no file"
        for cell in files:
            path, _, identifier = cell.partition(":")
            assert identifier, f"{anchor}: {cell} names no identifier"
            assert repo.exists(path), f"{anchor}: there is no {path}"
            assert re.search(rf"(?<!\w){re.escape(identifier)}(?!\w)", repo.text(path)), \
                f"{anchor}: {path} does not contain {identifier}"


@test
def every_test_exists():
    for anchor, _, _, tests in rows():
        assert tests or anchor in NOT_CARRIED, f"{anchor} names no test"
        assert not (tests and anchor in NOT_CARRIED), f"{anchor} is tested: take it off NOT_CARRIED"
        for cell in tests:
            path, _, name = cell.partition(":")
            assert repo.exists(path), f"{anchor}: there is no {path}"
            assert name in test_names(path), f"{anchor}: {path} has no test {name}"


@test
def every_vector_has_a_row():
    """Vectors that cite one of the two documents belong into the table."""
    named = {cell.partition(":")[2] for *_, tests in rows() for cell in tests}
    body = repo.text("tests/conformance/arm11.vec")
    for name, ref in re.findall(r"^vector (\S+)\ncores [^\n]+\nref ([^\n]+)$", body, re.M):
        if re.match(r"DAI 0195B Table|DDI 0211 Table 3\.1(38|39|40|41)", ref):
            assert name in named, f"vector {name} ({ref}) is in no row"


@test
def event_rows_name_the_event():
    """The identifier of an event's row is the event of that code, as the catalogue has it."""
    catalogue = {}
    for event in json.loads(pmk("list", "events", "-j").out)["events"]:
        if event["pmu"] in ("arm1136", "arm1156", "arm1176"):
            catalogue[int(event["code"], 16)] = event["name"]
    equal(sorted(catalogue), DAI_TABLE_2, "codes of the catalogue")
    for anchor, what, files, _ in rows():
        m = re.match(r"(?:DAI0195B T2|DDI0211 T3\.141) 0x([0-9A-F]{2})", anchor)
        if m:
            name = catalogue[int(m.group(1), 16)]
            equal(what, name, anchor)
            contains(files, f"src/pmu/arm11/events.c:{name}")


# ---- docs/arm11.md says what the catalogue and the documents say --------------------------------

def page_events():
    """{code: cells} of the event table of docs/arm11.md."""
    found = re.findall(r"^\| 0x([0-9A-F]{2}) \| (\w+) \| (.) \| (.) \| (.) \| ([^|]+) \| ([^|]+) \|",
                       repo.text("docs/arm11.md"), re.M)
    return {int(code, 16): cells for code, *cells in found}


@test
def the_family_page_has_every_event():
    page = page_events()
    equal(sorted(page), DAI_TABLE_2)
    bus = dict(DDI_TABLE_141)
    for code, (_, _, _, _, bits, _) in page.items():
        want = bus.get(code, "-")
        if code == 0x05:  # DDI 0301H Table 3-137 has one bit for it
            want = "[6:5]; 1176: [5]"
        equal(bits.strip(), want, f"EVNTBUS of 0x{code:02X}")


@test
def the_family_page_agrees_with_the_catalogue():
    support = {"exact": "exact", "modelled": "modelled", "not modelled": "-"}
    page = page_events()
    for column, pmu in enumerate(("arm1136", "arm1156", "arm1176"), start=1):
        events = json.loads(pmk("list", "events", "-j", "--pmu", pmu).out)["events"]
        equal(sorted(int(e["code"], 16) for e in events),
              sorted(c for c, cells in page.items() if cells[column] == "y"), f"events of {pmu}")
        for e in events:
            cells = page[int(e["code"], 16)]
            equal((cells[0], cells[5].strip()), (e["name"], support[e["emulation"]]), e["code"])


@test
def the_family_page_names_real_parameters():
    known = set(re.findall(r'^\tX\(\w+,\s*"([^"]+)"', repo.text("src/cpu/config.h"), re.M))
    groups = {k.split(".")[0] for k in known if "." in k}
    for page in ("docs/arm11.md", "docs/DESIGN.md"):
        for span in re.findall(r"`([a-z]+\.[a-z_]+)(?:=\w+)?`", repo.text(page)):
            if span.split(".")[0] in groups and not span.endswith((".c", ".h")):
                assert span in known, f"{page} names the parameter {span}"
    model = repo.text("src/pmu/arm11/arm11.h")
    for span in ("user_access", "strict_e_clear", "debug_stops", "ccnt_reset"):
        contains(repo.text("docs/arm11.md"), f"`{span}`")
        contains(model, span)


main()
