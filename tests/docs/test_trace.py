# SPDX-License-Identifier: MIT
"""docs/TRACE.md covers the source documents, and its references into the tree are right. The lists
below are the structure of the documents: sections, rows of tables, bits, event codes, formulas.
They were written from the documents, and not from anything in this repository. DAI 0195B is
Application Note 195, issue B; DDI 0211 the ARM1136 Technical Reference Manual, section c15, PMNC;
Valtrix the blog "Programming ARM v8 Performance Monitors" of 25 May 2016. For each other document,
a file trace_*.py in this folder has lists of the same kinds.
"""
import importlib
import os
import re

from harness import *
import repo
import trace_arm9
import trace_microblaze

pytestmark = pytest.mark.quick
# The files trace_*.py of this folder, one for each document, in the order of docs/TRACE.md.
DOCUMENTS = [importlib.import_module(name[:-3])
             for name in sorted(os.listdir(os.path.dirname(os.path.abspath(__file__))))
             if re.fullmatch(r"trace_\w+\.py", name)]

# DAI 0195B: the statements of each section.
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
    9: ["event bus", "instruction read request", "instruction read hit", "data read request",
        "data read hit", "data write request", "data write request, write-through",
        "data write hit", "others", "no match", "no fetch", "two misses", "read buffer"],
}

# The bits of DAI 0195B Table 1, from the top.
DAI_TABLE_1 = ["31", "30", "29", "28", "27:20", "19:12", "11", "10", "9", "8", "7", "6", "5", "4",
               "3", "2", "1", "0"]

# The event codes of DAI 0195B Table 2.
DAI_TABLE_2 = [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0F,
               0x10, 0x11, 0x12, 0x13, 0x14, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26,
               0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0xFF]

# Statements in the text of the section of DDI 0211.
DDI_TEXT = ["purpose", "access", "2^38", "PMUIRQ", "clear", "delay", "pipeline effects",
            "EVNTBUS", "X = 0"]

# The bits of DDI 0211 Table 3.138.
DDI_TABLE_138 = ["31:28", "27:20", "19:12", "11", "10", "9", "8", "7", "6", "5", "4", "3", "2", "1",
                 "0"]

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

# Valtrix: statements of its introduction and overview.
VALTRIX_INTRODUCTION = ["purpose", "optional", "PMUv3", "accuracy"]
VALTRIX_OVERVIEW = ["cycle counter", "event counters", "up to 31", "410c", "always cycles",
                    "controls", "event numbers", "which events"]

# Valtrix: its list of eight registers, statement by statement, and how they are accessed.
VALTRIX_REGISTERS = {
    "PMCEID0/1": ["common events", "a 1"],
    "PMCR": ["implementation", "N", "control"],
    "PMCNTENSET": ["enable", "bitmask"],
    "PMCCFILTR": ["modes", "levels"],
    "PMCCNTR": ["value", "64th"],
    "PMSELR": ["selects", "0 to N - 1", "31", "all"],
    "PMXEVCNTR": [""],
    "PMXEVTYPER": [""],
    "MRS and MSR": [""],
}

# Valtrix: every bit that the text names, or that the pseudo code writes or extracts, and the bit
# SW, which the blog omits.
VALTRIX_BITS = ["PMCR[15:11]", "PMCR[2]", "PMCR[1]", "PMCR[0]", "PMCNTENSET[31]",
                "PMCNTENSET[N-1:0]", "PMCNTENCLR[31]", "PMCNTENCLR[N-1:0]", "PMCCFILTR[31]",
                "PMXEVTYPER[31]", "PMXEVTYPER[15:0]", "PMSELR[4:0]", "PMCEID0[31:0]",
                "PMCEID1[31:0]", "PMUSERENR[3]", "PMUSERENR[2]", "PMUSERENR[1]", "PMUSERENR[0]"]

# Valtrix: the numbered caveats before the pseudo code, and the steps of its three parts. Step 0
# says when to run the part. The description of each step must contain its text, such as a register
# or a formula.
VALTRIX_CAVEATS = ["overflow", "read_register(), write_register()", "is_evnt_supported()",
                   "first N events"]
VALTRIX_SETUP = ["once", "PMCR", "(PMCR >> 11) & 0x1F", "N = 0", "PMCEID0", "PMCEID1", "PMUSERENR",
                 "0xD"]
VALTRIX_START = ["before", "0 to 63", "i = N", "supported", "PMSELR = i", "PMXEVTYPER = 0x80000000",
                 "PMCCFILTR = 0x80000000", "PMCNTENSET = 0x80000000 or-ed with (1 << N) - 1",
                 "PMCR", "0x7 or-ed in"]
VALTRIX_STOP = ["after", "PMCNTENCLR = 0x80000000 or-ed with (1 << N) - 1", "PMCR", "without 0x7",
                "PMCCNTR", "%x", "loop", "PMSELR = i", "PMXEVCNTR", "%d and %x"]
VALTRIX_SLIPS = 15

# Valtrix: the literals of the pseudo code, in C. Both implementations contain them.
VALTRIX_LITERALS = [">> 11) & 0x1F", "| 0xD", "j < 64", "i++", "0x80000000 | j",
                    "CCFILTR, 0x80000000", "UINT32_C(1) << l->num_evnt_cntrs) - 1", "| 0x7)",
                    "~UINT64_C(0x7)", "j & 31"]

# Statements that do not apply to this release; the family's page says so.
NOT_CARRIED = {"DAI0195B §4 overlap", "DAI0195B §7 TCM", "DAI0195B §7 speculation",
               "DDI0211 PMNC pipeline effects",
               *(anchor for document in DOCUMENTS
                 for anchor in getattr(document, "NOT_CARRIED", ()))}


def wanted():
    out = [f"DAI0195B §{n} {what}" for n, list_ in DAI_SECTIONS.items() for what in list_]
    out += [f"DAI0195B T1[{bits}]" for bits in DAI_TABLE_1]
    out += [f"DAI0195B T2 0x{code:02X}" for code in DAI_TABLE_2] + ["DAI0195B T2 other"]
    out += [f"DDI0211 PMNC {what}" for what in DDI_TEXT]
    out += [f"DDI0211 T3.138 [{bits}]" for bits in DDI_TABLE_138]
    out += [f"DDI0211 T3.139 {value}" for value in DDI_TABLE_139]
    out += [f"DDI0211 T3.140 {who}" for who in DDI_TABLE_140]
    out += [f"DDI0211 T3.141 0x{code:02X} EVNTBUS {bits}" for code, bits in DDI_TABLE_141]
    return out + ["DDI0211 T3.141 other"] + wanted_of_valtrix() + \
        [anchor for document in DOCUMENTS for anchor in document.wanted()]


def wanted_of_valtrix():
    steps = [("caveat", ["", *VALTRIX_CAVEATS]), ("setup", VALTRIX_SETUP), ("start", VALTRIX_START),
             ("stop", VALTRIX_STOP)]
    out = [f"introduction {what}" for what in VALTRIX_INTRODUCTION]
    out += [f"overview {what}" for what in VALTRIX_OVERVIEW]
    out += [f"{reg} {what}".strip() for reg, list_ in VALTRIX_REGISTERS.items() for what in list_]
    out += VALTRIX_BITS
    out += [f"{part} {i}" for part, list_ in steps for i, what in enumerate(list_) if what]
    out += [f"slip {n}" for n in range(1, VALTRIX_SLIPS + 1)] + ["recipe"]
    return ["Valtrix " + anchor for anchor in out]


def rows():
    """Returns (anchor, what, [file cells], [test cells]) of every row of docs/TRACE.md."""
    out = []
    for line in repo.text("docs/TRACE.md").splitlines():
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if not line.startswith("|") or cells[0] in ("anchor", "---"):
            continue
        equal(len(cells), 4, line)
        anchor, what, files, tests = cells
        out.append((anchor, what, re.findall(r"`([^`]+)`", files), re.findall(r"`([^`]+)`", tests)))
    return out


def names_of_tests(path):
    """Returns the tests in a file: functions of a C or Python test, or vectors."""
    body = repo.text(path)
    if path.endswith(".vec"):
        return set(re.findall(r"^vector (\S+)$", body, re.M))
    if path.endswith(".py"):
        return set(re.findall(r"^def (test_\w+)\(", body, re.M))
    return set(re.findall(r"cmocka_unit_test\w*\(\s*(\w+)", body))


def test_the_lists_are_complete():
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
    equal((len(VALTRIX_CAVEATS), len(VALTRIX_SETUP), len(VALTRIX_START), len(VALTRIX_STOP)),
          (4, 8, 10, 10))
    equal(len(VALTRIX_REGISTERS) - 1, 8, "registers of the list")
    # Each field belongs to a register of the list, or to one that only the pseudo code uses.
    for bits in VALTRIX_BITS:
        reg = bits.split("[")[0]
        assert reg in VALTRIX_REGISTERS or reg in ("PMCEID0", "PMCEID1", "PMCNTENCLR",
                                                   "PMUSERENR"), bits


def test_every_anchor_has_a_row():
    there = [anchor for anchor, *_ in rows()]
    equal(len(there), len(set(there)), "anchors given twice")
    equal([a for a in wanted() if a not in there], [], "missing in docs/TRACE.md")
    equal([a for a in there if a not in wanted()], [], "not in the documents")


def test_rows_are_in_the_documents_order():
    equal([anchor for anchor, *_ in rows()], wanted())


def test_every_file_contains_what_is_named():
    for anchor, _, files, _ in rows():
        assert files, f"{anchor} names no file"
        for cell in files:
            path, _, identifier = cell.partition(":")
            assert identifier, f"{anchor}: {cell} names no identifier"
            assert repo.exists(path), f"{anchor}: there is no {path}"
            assert re.search(rf"(?<!\w){re.escape(identifier)}(?!\w)", repo.text(path)), \
                f"{anchor}: {path} does not contain {identifier}"


def test_every_test_exists():
    for anchor, _, _, tests in rows():
        assert tests or anchor in NOT_CARRIED, f"{anchor} names no test"
        assert not (tests and anchor in NOT_CARRIED), f"{anchor} is tested: take it off NOT_CARRIED"
        for cell in tests:
            path, _, name = cell.partition(":")
            assert repo.exists(path), f"{anchor}: there is no {path}"
            assert name in names_of_tests(path), f"{anchor}: {path} has no test {name}"


def test_every_vector_has_a_row():
    """Each vector that cites a table of DAI 0195B or DDI 0211 has a row, or the name of an
    event."""
    named = {cell.partition(":")[2] for *_, tests in rows() for cell in tests}
    body = repo.text("tests/conformance/arm11.vec")
    for name, ref in re.findall(r"^vector (\S+)\ncores [^\n]+\nref ([^\n]+)$", body, re.M):
        if re.match(r"DAI 0195B Table|DDI 0211 Table 3\.1(38|39|40|41)", ref):
            assert name in named or repo.is_vector_of_event(name), \
                f"vector {name} ({ref}) is in no row"


def test_steps_of_the_blog_are_described():
    """The description of a step has the register and the formula of the pseudo code."""
    told = {anchor: what for anchor, what, *_ in rows()}
    for part, list_ in (("caveat", ["", *VALTRIX_CAVEATS]), ("setup", VALTRIX_SETUP),
                        ("start", VALTRIX_START), ("stop", VALTRIX_STOP)):
        for i, what in enumerate(list_):
            if what:
                contains(told[f"Valtrix {part} {i}"], what)


def test_the_blog_is_run_as_it_is_printed():
    for path in ("tests/pmu/test_armv8_blog.c", "src/cli/doctor_armv8.c"):
        body = repo.without_comments(repo.text(path))
        for literal in VALTRIX_LITERALS:
            assert literal in body, f"{path} does not have '{literal}'"


def test_every_test_of_the_blog_has_a_row():
    named = {cell for anchor, _, _, tests in rows() if anchor.startswith("Valtrix")
             for cell in tests}
    path = "tests/pmu/test_armv8_blog.c"
    for name in names_of_tests(path):
        contains(named, f"{path}:{name}")
    for name, ref in re.findall(r"^vector (\S+)\ncores [^\n]+\nref ([^\n]+)$",
                                repo.text("tests/conformance/armv8.vec"), re.M):
        if ref.startswith("Valtrix"):
            contains(named, f"tests/conformance/armv8.vec:{name}")


def test_slips_are_the_findings():
    """pmk doctor armv8, docs/armv8.md and docs/TRACE.md list the same findings."""
    found = json.loads(pmk("doctor", "armv8", "-j").out)["armv8"]["findings"]
    equal([f["number"] for f in found], list(range(1, VALTRIX_SLIPS + 1)))
    told = {anchor: what for anchor, what, *_ in rows()}
    page = {}
    for line in repo.text(
        "docs/armv8.md").split("| n | finding |")[1].split("\n\n")[0].splitlines()[2:]:
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)][1:-1]
        page[int(cells[0])] = [c.replace("\\|", "|") for c in cells[1:]]
    equal(sorted(page), [f["number"] for f in found])
    for f in found:
        title, what, instead = page[f["number"]]
        equal((title, instead.replace("*n*", "<n>")), (f["title"], f["instead"]),
              f"docs/armv8.md {f['number']}")
        assert what, f"docs/armv8.md says nothing of finding {f['number']}"
        equal(told[f"Valtrix slip {f['number']}"], f["title"].replace(" | ", " or "),
              "docs/TRACE.md")


def test_event_rows_name_the_event():
    """The identifier of an event's row is the name in the catalogue of the event with this code."""
    catalogue = {}
    for event in json.loads(pmk("list", "events", "-j").out)["events"]:
        if event["pmu"] in ("arm1136", "arm1156", "arm1176"):
            catalogue[int(event["code"], 16)] = event["name"]
    equal(sorted(set(DAI_TABLE_2) - set(catalogue)), [], "not in the catalogue")
    for anchor, what, files, _ in rows():
        m = re.match(r"(?:DAI0195B T2|DDI0211 T3\.141) 0x([0-9A-F]{2})", anchor)
        if m:
            name = catalogue[int(m.group(1), 16)]
            equal(what, name, anchor)
            contains(files, f"src/pmu/arm11/events.c:{name}")


def test_rows_of_the_arm9_say_how_many_cycles():
    told = {anchor: what for anchor, what, *_ in rows()}
    for anchor, cycles in trace_arm9.described().items():
        contains(told[anchor], cycles)


def test_rows_of_the_microblaze_say_what_the_document_says():
    """A row has the instructions, formulas and constants of the document. The event of a row that
    names an event is that of the catalogue."""
    told = {anchor: (what, files) for anchor, what, files, _ in rows()}
    for anchor, what in trace_microblaze.described().items():
        contains(told[anchor][0], what)
    events = json.loads(pmk("list", "events", "-j", "--pmu", "microblaze").out)["events"]
    equal([int(e["code"], 16) for e in events], list(range(64)))
    for e in events:
        contains(told[f"UG984 PM T1 E{int(e['code'], 16)}"][1],
                 f"src/pmu/microblaze/events.c:{e['name']}")


def test_every_vector_of_the_microblaze_document_has_a_row():
    named = {cell for anchor, _, _, tests in rows() if anchor.startswith("UG984") for cell in tests}
    for name, ref in re.findall(r"^vector (\S+)\ncores [^\n]+\nref ([^\n]+)$",
                                repo.text("tests/conformance/microblaze.vec"), re.M):
        if re.match(r"PM\b", ref):
            assert f"tests/conformance/microblaze.vec:{name}" in named, (f"vector {name} ({ref}) "
                                                                         f"is in no row")


# ---- docs/arm11.md says what the catalogue and the documents say --------------------------------

def page_events():
    """Returns {code: cells} of the event table of docs/arm11.md."""
    found = re.findall(r"^\| 0x([0-9A-F]{2}) \| (\w+) \| (.) \| (.) \| (.) \| ([^|]+) \| ([^|]+) "
                       r"\|", repo.text("docs/arm11.md"), re.M)
    return {int(code, 16): cells for code, *cells in found}


def test_the_family_page_has_every_event():
    page = page_events()
    equal(sorted(page), DAI_TABLE_2)
    bus = dict(DDI_TABLE_141)
    for code, (_, _, _, _, bits, _) in page.items():
        want = bus.get(code, "-")
        if code == 0x05:  # DDI 0301H Table 3-137 has one bit for it
            want = "[6:5]; 1176: [5]"
        equal(bits.strip(), want, f"EVNTBUS of 0x{code:02X}")


def test_the_family_page_agrees_with_the_catalogue():
    support = {"exact": "exact", "modelled": "modelled", "not modelled": "-"}
    page = page_events()
    for column, pmu in enumerate(("arm1136", "arm1156", "arm1176"), start=1):
        events = {int(e["code"], 16): e for e in repo.events(pmu)}
        for code, cells in page.items():
            e = events.get(code)
            equal(cells[column], "y" if e else "-", f"0x{code:02X} {pmu}")
            if e:
                equal((cells[0], cells[5].strip()), (e["name"], support[e["emulation"]]), e["code"])


def test_the_family_page_names_real_parameters():
    known = {row[0] for family in repo.core_families() for row in repo.core_keys(family)}
    groups = {k.split(".")[0] for k in known if "." in k}
    for page in ("docs/arm11.md", "docs/armv8.md", "docs/DESIGN.md"):
        for span in re.findall(r"`([a-z]+\.[a-z_]+)(?:=\w+)?`", repo.text(page)):
            if span.split(".")[0] in groups and not span.endswith((".c", ".h")):
                assert span in known, f"{page} names the parameter {span}"
    model = repo.text("include/pmk/arm11_model.h")
    for span in ("user_access", "strict_e_clear", "debug_stops", "ccnt_reset"):
        contains(repo.text("docs/arm11.md"), f"`{span}`")
        contains(model, span)


# ---- docs/armv8.md -------------------------------------------------------------------------------

V8_PMUS = ("armv8", "cortex-a53", "cortex-a55", "cortex-a57", "cortex-a72", "neoverse-n1",
           "cortex-a7", "cortex-a15")


def v8_page_events():
    """Returns [(code, [name, y or - per PMU …, emulation, text])] of the event tables of
    docs/armv8.md."""
    found = re.findall(r"^\| 0x([0-9A-F]{2}|4[0-9A-F]{3}) \| (\w+) \|" + r" ([y-]) \|" * 8 +
                       r" (exact|modelled|-) \| ([^|]+) \|$", repo.text("docs/armv8.md"), re.M)
    return [(int(code, 16), cells) for code, *cells in found]


def check_rows(page, pmus, text):
    """Compares rows of a page with the catalogue: names, texts (in column `text`), and PMUs."""
    for column, pmu in enumerate(pmus, start=1):
        events = {int(e["code"], 16): e for e in repo.events(pmu)}
        for code, cells in page:
            e = events.get(code, {"name": "", "brief": ""})
            same = (e["name"], e["brief"]) == (cells[0], cells[text].strip())
            equal("y" if same else "-", cells[column], f"0x{code:02X} {cells[0]} on {pmu}: {e}")


def test_the_armv8_page_agrees_with_the_catalogue():
    page = v8_page_events()
    assert len(page) > 180, len(page)
    check_rows(page, V8_PMUS, 10)
    codes = [c for c, _ in page]
    equal(sorted(codes), codes, "not in code order")


def v1_page_events():
    """Returns the events of PMUv1: [(code, [name, y or - on A8, on A9, emulation, text])]."""
    part = repo.text("docs/armv8.md").split("### Events of the Cortex-A8 and A9\n")[1]
    found = re.findall(r"^\| 0x([0-9A-F]{2}) \| (\w+) \| ([y-]) \| ([y-]) \| "
                       r"(exact|modelled|-) \| ([^|]+) \|$", part, re.M)
    return [(int(code, 16), cells) for code, *cells in found]


def test_the_armv8_page_agrees_with_the_catalogue_of_pmuv1():
    page = v1_page_events()
    assert len(page) > 80, len(page)
    check_rows(page, ("cortex-a8", "cortex-a9"), 4)
    codes = [c for c, _ in page]
    equal(sorted(codes), codes, "not in code order")


def test_the_armv8_page_says_what_emulation_does_of_pmuv1():
    have("qemu-arm", "arm-linux-gnueabi-gcc")
    source, path = os.path.join(WORK, "exit-a32.S"), os.path.join(WORK, "exit-a32")
    with open(source, "w") as f:
        f.write("\t.global _start\n_start:\tmov r7, #1\n\tmov r0, #0\n\tsvc #0\n")
    equal(run("arm-linux-gnueabi-gcc", "-march=armv7-a", "-nostdlib", "-static", source,
              "-o", path).code, 0)
    for column, core in ((1, "cortex-a8"), (2, "cortex-a9")):
        told = {cells[0]: cells[3] for c, cells in v1_page_events() if cells[column] == "y"}
        for c in stat("-e", "all", "--core", core, path)["counters"]:
            trust = "-" if c["trust"] == "not supported" else c["trust"]
            equal(told.get(c["event"], trust), trust, f"{c['event']} on {core}")


def test_the_armv8_page_says_what_emulation_does():
    """The emu column has the trust that pmk stat reports for the events of the generic core and of
    the A53."""
    have("qemu-aarch64", "aarch64-linux-gnu-gcc")
    source, path = os.path.join(WORK, "exit-a64.S"), os.path.join(WORK, "exit-a64")
    with open(source, "w") as f:
        f.write("\t.global _start\n_start:\tmov x8, #93\n\tmov x0, #0\n\tsvc #0\n")
    equal(run("aarch64-linux-gnu-gcc", "-nostdlib", "-static", source, "-o", path).code, 0)
    page = v8_page_events()
    for core in ("armv8", "cortex-a53"):
        column = 1 + V8_PMUS.index(core)
        told = {c: cells[9] for c, cells in page if cells[column] == "y"}
        for c in stat("-e", "all", "--core", core, path)["counters"]:
            trust = "-" if c["trust"] == "not supported" else c["trust"]
            equal(told.get(int(c["code"], 16), trust), trust, f"{c['event']} on {core}")


def test_the_armv8_page_has_the_registers():
    """The page has the encodings and fields that pmk decode and pmk info print for registers."""
    places = re.findall(r"^\| (\w+_EL[01])[^|]*\| (S\d_\d_C\d+_C\d+_\d) \| (c\d+, c\d+, \d|-) \| "
                        r"(0x\w+|-) \|", repo.text("docs/armv8.md"), re.M)
    equal(len(places), 18)
    for reg, system, cp15, offset in places:
        shown = pmk("info", reg, "--pmu", "armv8").out
        contains(" ".join(shown.split()), f"{reg} ({system})" +
                 (f"; p15, 0, <Rt>, {cp15}" if cp15 != "-" else "") +
                 (f"; offset {offset}" if offset != "-" else ""))
        equal("offset" in shown, offset != "-", reg)
    for title, reg, least in (("PMCR", "PMCR", 13), ("PMEVTYPER and PMCCFILTR", "PMEVTYPER0", 13)):
        part = repo.text("docs/armv8.md").split(f"### {title}\n")[1].split("\n### ")[0]
        told = re.findall(r"^\| \[([\d:]+)\] \| (\w+) \| (\w+) \|", part, re.M)
        equal(len(told), least, title)
        fields = json.loads(pmk("decode", "armv8", f"{reg}=0", "-j").out)["registers"][0]["fields"]
        real = [(f["bits"], f["name"], f["access"]) for f in fields if f["name"]]
        equal(told, [f for f in real if f in told], title)
    others = {}
    part = repo.text("docs/armv8.md").split("### The others\n")[1].split("\n## ")[0]
    for reg, bits, name in re.findall(r"^\| ([\w, ]*)\| \[([\d:]+)\] \| (\w+) \|", part, re.M):
        others.setdefault(reg.split(",")[0].strip() or last, []).append((bits, name))
        last = reg.split(",")[0].strip() or last
    equal(sorted(others), ["ID_AA64DFR0", "PMCEID0", "PMMIR", "PMSELR", "PMUSERENR"])
    for reg, list_ in others.items():
        fields = json.loads(pmk("decode", "armv8", f"{reg}=0", "-j").out)["registers"][0]["fields"]
        for bits, name in list_:
            contains([(f["bits"], f["name"]) for f in fields], (bits, name))


def test_the_armv8_page_names_every_parameter_of_the_model():
    header = repo.text("include/pmk/armv8_model.h")
    body = re.search(r"^struct pmk_armv8_params \{\n(.*?)^\};", header, re.M | re.S).group(1)
    members = re.findall(r"\b(\w+)(?:\[\d\])?[,;]", repo.without_comments(body))
    assert len(members) > 20, members
    part = repo.text("docs/armv8.md").split("\n## 8. ")[1].split("\n## ")[0]
    equal([m for m in members if f"`{m}`" not in part], [], "not in section 8")
    for span in re.findall(r"`(\w+)`", part):
        assert re.search(rf"\b{span}\b", header), f"docs/armv8.md, section 8, names {span}"


# ---- docs/microblaze.md --------------------------------------------------------------------------

def test_the_microblaze_page_has_every_event():
    """The page has the numbers, names and descriptions of the catalogue."""
    page = re.findall(r"^\| (\d+) \| (\w+) \| ([A-Z0-9_ +]+) \| ([^|]+) \|([^|]*)\|$",
                      repo.text("docs/microblaze.md"), re.M)
    events = json.loads(pmk("list", "events", "-j", "--pmu", "microblaze").out)["events"]
    equal([(int(n), name, brief.strip()) for n, name, _, brief, _ in page],
          [(int(e["code"], 16), e["name"], e["brief"]) for e in events])


def test_the_microblaze_page_has_the_registers():
    for reg, (bits, command, ctrl, access) in trace_microblaze.REGISTERS.items():
        contains(repo.text("docs/microblaze.md"),
                 f"| 0x{int(command.replace(' ', ''), 2):02X} | {bits.split()[0]} | 0x{ctrl} "
                                                  f"| {access} |")
        contains(pmk("info", reg, "--pmu", "microblaze").out, reg)
