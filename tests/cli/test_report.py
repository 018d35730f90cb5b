# SPDX-License-Identifier: MIT
"""pmk report reads dumps that the library wrote, and dumps made byte by byte according to
docs/FORMATS.md, even after damage on a serial line. Every option is tested."""
import csv
import io
import math
import os
import random
import shutil
import tempfile
import zlib
from fractions import Fraction

from harness import *
import repo

pytestmark = pytest.mark.quick

CORPUS = os.path.join(SOURCE, "tests/fuzz/corpus/dump")
FOLDER = os.path.join(WORK, "report")
os.makedirs(FOLDER, exist_ok=True)
TOP = 2**64 - 1


# ---- dumps ---------------------------------------------------------------------------------------

def number(v):
    out = b""
    while True:
        out += bytes([v & 127 | (128 if v > 127 else 0)])
        v >>= 7
        if not v:
            return out


def text(b):
    b = b.encode() if isinstance(b, str) else b
    return number(len(b)) + b


def event(code, total, period=0, cost=0, nested=0):
    return b"E" + b"".join(map(number, (code, period, total, cost, nested)))


def counts_of(values, raw=None):
    """Returns the bytes of a dump for one event in a region: raw, sum, square-low, square-high, min
    and max."""
    squares = sum(v * v for v in values) % 2**128
    return b"".join(map(number, (sum(values) if raw is None else raw, sum(values) % 2**64,
                                 squares % 2**64, squares >> 64, min(values, default=0),
                                 max(values, default=0))))


def region(ident, name, entries, *counts, unmatched=0):
    return b"R" + number(
        ident) + text(name) + number(entries) + number(unmatched) + b"".join(counts)


def sample(address, reg, ev, late=0):
    return b"S" + b"".join(map(number, (address, 0 if reg is None else reg + 1, ev, late)))


def dump(*records, pmu="arm1176"):
    body = b"PMKD\1P" + text(pmu) + b"".join(records) + b"Z"
    return body + zlib.crc32(body).to_bytes(4, "little")


def firmware():
    """Returns the dump that the library wrote on a model of the ARM11 in
    tests/profile/test_dump.c."""
    with open(os.path.join(CORPUS, "firmware"), "rb") as f:
        return f.read()


def report(data, *argv, code=0):
    """Runs pmk report with `data` as its standard input."""
    p = run(PMK, "report", *argv, "-", stdin=data, text=False)
    out = Output(p.code, p.out.decode(), p.err.decode())
    equal(out.code, code, str(out))
    return out


def document(data, *argv, code=0):
    return json.loads(report(data, "-j", *argv, code=code).out)


def lines(data, *argv, sep=",", code=0):
    out = report(data, "-x", sep, *argv, code=code).out
    told = "".join(line for line in out.splitlines(keepends=True)
                   if not line.startswith("# warning: "))
    return list(csv.reader(io.StringIO(told), delimiter=sep))


def one_line(err, *parts):
    assert err.startswith("pmk: ") and err.count("\n") == 1 and err.endswith("\n"), err
    for part in parts:
        contains(err, part)


def counter(doc, name, reg=None, number=1):
    found = [c for c in doc["counters"]
             if (c["event"], c["region"], c["dump"]) == (name, reg, number)]
    equal(len(found), 1, f"{name} in {reg} of dump {number}")
    return found[0]


def table(out, reg):
    """Returns {event: [net, mean, stddev, min, max, raw, own cost, nested]} below a region's
    heading."""
    part = out.split(f" Region '{reg}', entered ")[1].split("   event ")[1].split("\n\n")[0]
    rows = [line.split() for line in part.splitlines()[1:]]
    return {row[0]: row[1:] for row in rows}


# ---- dumps of the library ---------------------------------------------------------------------

def test_text_of_the_library_dump():
    out = report(firmware()).out
    contains(out, " Performance counter stats for 'standard input' on arm1176:\n")
    assert re.search(r"^ +6,266      cpu_cycles +measured$", out, re.M), out
    assert re.search(r"^ +1,200      br_exec +wrapped$", out, re.M), out
    contains(out, " Region 'fft', entered 3 times:\n")
    equal(table(out, "fft"), {
        "cpu_cycles": ["6,000", "2,000.00", "1,000.00", "1,000", "3,000", "6,027", "9", "18"],
        "br_exec": ["60", "20.00", "10.00", "10", "30", "60", "0", "0"]})
    equal(table(out, "region 2")["cpu_cycles"], ["5", "5.00", "-", "5", "5", "14", "9", "18"])
    contains(out, " Region 'a\\x09b', entered 1 time:\n")
    contains(out, "\n never completed: irq\n")
    assert "Region 'irq'" not in out
    contains(out, "begins or ends without a partner or without readable counters: 1\n")
    contains(out, " Samples of br_exec, one every 100: 8\n")
    profile = [re.split(r"  +", l.strip()) for l in out.split("function")[1].splitlines()[1:5]]
    equal(profile, [["50.00%", "4", "0x00008000", "a\\x09b"],
                    ["25.00%", "2", "0x00008004", "a\\x09b"],
                    ["12.50%", "1", "(polled)", "a\\x09b"], ["12.50%", "1", "0x00008004", "-"]])
    contains(out, "counted by firmware as arm1176, 1 counter group (2 event counters + CCNT)")
    contains(out, "\n br_exec: its counter is reset at each sample, so this is a lower bound\n")
    for warning in ("came late by a period or more: 1", "ring was full: 2",
                    "or without readable counters, which are not measured: 1"):
        assert re.search(rf"^ warning: .*{warning}", out, re.M), f"{warning}: {out}"


def test_narrow_counters_are_lower_bounds():
    """The events of 8-bit counters are lower bounds, because a dump does not say whether such a
    counter wrapped unseen. Cycles in the same dump, which have 32 bits, and events that pmk does
    not know are not affected."""
    doc = document(dump(event(0x04, 100000), event(0x08, 200), event(0x77, 3), pmu="dwt"))
    equal([(c["event"], c["counter-value"], c["trust"]) for c in doc["counters"]],
          [("cycles", 100000, "measured"), ("base_overhead", 200, "wrapped"),
           ("r77", 3, "measured")])
    contains(doc["counters"][1]["reason"],
             "8-bit counter may have wrapped unnoticed, so this is a lower bound")


def test_the_library_of_today_writes_it():
    writer = os.path.join(BUILD, "tests/profile_test_dump")
    if not os.path.exists(writer):
        skip("the unit tests are not built")
    path = os.path.join(FOLDER, "today.dump")
    equal(run(writer, "write", path).code, 0)
    with open(path, "rb") as f:
        doc = document(f.read())
    fft = counter(doc, "cpu_cycles", "fft")
    equal((fft["counter-value"], fft["entries"], fft["mean"], fft["stddev"]), (6000, 3, 2000, 1000))
    equal([p["samples"] for p in doc["profile"]], [4, 2, 1, 1])


def test_json_of_the_library_dump():
    doc = document(firmware())
    equal((doc["format"], doc["version"], doc["pmu"], doc["producer"], doc["passes"],
           doc["partial"], doc["exit-status"]), ("pmk-stat", 1, "arm1176", "firmware", 1, False, 0))
    equal(len(doc["counters"]), 2 * 5)
    whole = counter(doc, "br_exec")
    equal((whole["counter-value"], whole["trust"], whole["code"], whole["period"], whole["cost"],
           whole["mean"], whole["raw"], whole["region-id"]),
          (1200, "wrapped", "0x05", 100, None, None, None, None))
    contains(whole["reason"], "reset at each sample")
    fft = counter(doc, "cpu_cycles", "fft")
    equal([fft[k] for k in ("counter-value", "trust", "raw", "cost", "nested", "mean", "stddev",
                            "min", "max", "region-id", "unmatched", "period")],
          [6000, "measured", 6027, 9, 18, 2000.0, 1000.0, 1000, 3000, 0, 0, None])
    never = counter(doc, "cpu_cycles", "irq")
    equal([never[k] for k in ("counter-value", "entries", "raw", "mean", "stddev", "min", "max")],
          [0, 0, 0, None, None, None, None])
    equal(doc["dumps"], [{"dump": 1, "offset": 0, "version": 1, "pmu": "arm1176", "complete": True,
                          "reason": None, "crlf": False, "regions": 4, "samples": 8, "late": 1,
                          "dropped": 2}])
    equal(doc["profile"][0], {"dump": 1, "event": "br_exec", "code": "0x05", "samples": 4,
                              "share": 50.0, "late": 1, "function": None,
                              "address": "0x00008000", "region": "a\\x09b"})
    equal([p["address"] for p in doc["profile"]], ["0x00008000", "0x00008004", None, "0x00008004"])
    equal(len(doc["warning"].splitlines()), 3)


def test_csv_says_what_json_says():
    for data in (firmware(), firmware() * 2, open(os.path.join(CORPUS, "odd"), "rb").read()):
        doc, rows = document(data), lines(data)
        columns = csv_columns()
        rows = [dict(zip(columns, row, strict=True)) for row in rows]
        counted = [r for r in rows if r["counter-value"]]
        equal(len(counted), len(doc["counters"]))
        for row, c in zip(counted, doc["counters"]):
            for key in columns:
                if key in c and key not in ("unit",):
                    want = c[key]
                    got = row[key]
                    if isinstance(want, (int, float)):
                        equal(float(got), float(want), key)
                    else:
                        equal(got, want or "", key)
        profile = [r for r in rows if r["samples"]]
        equal(len(profile), len(doc["profile"]))
        for row, p in zip(profile, doc["profile"]):
            for key, want in p.items():
                equal(row[key], "" if want is None else f"{want:.2f}" if key == "share"
                      else str(want))


# ---- the page that describes it ------------------------------------------------------------------

def part(title):
    page = repo.text("docs/FORMATS.md")
    m = re.search(rf"^## [^\n]*{re.escape(title)}[^\n]*\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    assert m, f"FORMATS.md has no part {title}"
    return m.group(1)


def first_cells(body, header):
    rows = body.split(header, 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [w for row in rows for w in re.split(r"[`, ]+", row.split("|")[1]) if w]


def csv_columns():
    line = re.search(r"^    (\S.*)$", part("CSV: `pmk stat -x SEP`"), re.M).group(1)
    return re.sub(r"\[(\w+%?),\]", "", line).split(",") + \
        first_cells(part("CSV and JSON: `pmk report`"), "| column | content |")


def test_formats_page_has_the_columns_and_keys():
    body = part("CSV and JSON: `pmk report`")
    data = dump(event(0xff, 10), event(7, 5), region(0, "r", 1, counts_of([1]), counts_of([2])))
    for row in lines(data + firmware()):
        equal(len(row), len(csv_columns()), str(row))
    doc = document(data + firmware())
    stat_page = part("JSON: `pmk stat --json-document`")
    told = set(first_cells(stat_page, "A counter has these keys:\n\n| key | content |")) - {
        "variance", "margin", "cpu", "thread", "interval"}
    more = set(re.findall(r"`([\w-]+)`",
                          re.search(r"A counter in JSON has the keys (.*?) in addition",
                                    re.sub(r"\s+", " ", body)).group(1)))
    equal({k for c in doc["counters"] for k in c}, told | more, "of a counter")
    equal(more, set(first_cells(body, "| column | content |")) -
          {"entries", "samples", "share", "late", "function", "address"})
    equal(set(doc) - set(first_cells(stat_page, "| key | content |")), {"dumps", "profile"})
    equal(set(first_cells(body, "The document ends with:\n\n| key | content |")),
          {"dumps", "profile"})
    equal(first_cells(body, "An object in `dumps` has:\n\n| key | content |"),
          list(doc["dumps"][0]))
    equal(set(first_cells(body, "An object in `profile` has:\n\n| key | content |")),
          set(doc["profile"][0]))
    metric = document(data, "-M", "cpi")["metrics"][0]
    equal(metric["dump"], 1)


def test_formats_page_has_the_records():
    body = part("Dumps of firmware")
    letters = re.findall(r"^\| \w+ \| `(\w)` \|", body, re.M)
    equal(letters, list("PERSDZ"))
    source = repo.text("src/firmware/dump.c")
    equal(sorted(set(re.findall(r"byte\(&?o, '(\w)'\)", source))), sorted(letters))
    # This dump was written by hand according to docs/FORMATS.md; the checksum is from an
    # independent implementation.
    by_hand = bytes.fromhex("504d4b44 01"            # PMKD, version 1
                            "50 07 61726d31313736"    # P "arm1176"
                            # E code 255, period 0, total 300, cost 5, nested 7
                            "45 ff01 00 ac02 05 07"
                            "52 00 01 66 02 01"       # R id 0, "f", 2 entries, 1 unmatched
                            # 128 30 500 0 10 20
                            "80 01 1e c2 03 00 0a 14".replace("c2 03", "f4 03")
                            + "53 80 80 02 01 00 00"  # S 0x8000, region 0, event 0, in time
                            "44 03 5a")               # D 3, Z
    doc = document(by_hand + zlib.crc32(by_hand).to_bytes(4, "little"))
    c = counter(doc, "cpu_cycles", "f")
    equal([c[k] for k in ("counter-value", "raw", "mean", "stddev", "min", "max", "entries",
                          "unmatched", "cost", "nested")], [30, 128, 15, 7.071, 10, 20, 2, 1, 5, 7])
    equal(counter(doc, "cpu_cycles")["counter-value"], 300)
    equal((doc["dumps"][0]["dropped"], doc["profile"][0]["region"]), (3, "f"))


# ---- damage on the serial line -------------------------------------------------------------------

def test_noise_around_and_several_dumps():
    a = dump(event(0xff, 1), event(7, 4))
    b = dump(event(0xff, 2), event(5, 4), pmu="arm1136")
    c = dump(event(0xff, 30), event(7, 10))
    log = b"U-Boot\r\nPMKD is a word, PMKD\n" + a + b"\r\n\xff\0noise" + b + c + b"\r\n> "
    doc = document(log)
    equal([(x["event"], x["counter-value"], x["pmu"], x["dump"]) for x in doc["counters"]],
          [("cpu_cycles", 1, "arm1176", 1), ("instr_exec", 4, "arm1176", 1),
           ("cpu_cycles", 2, "arm1136", 2), ("br_exec", 4, "arm1136", 2),
           ("cpu_cycles", 30, "arm1176", 3), ("instr_exec", 10, "arm1176", 3)])
    equal([d["offset"] for d in doc["dumps"]], [log.index(a), log.index(b), log.index(c)])
    equal([(m["name"], m["value"], m["dump"]) for m in doc["metrics"] if m["name"] == "cpi"],
          [("cpi", 0.25, 1), ("cpi", 3, 3)])
    out = report(log).out
    found = re.findall(r"stats for 'standard input: dump (\d)' on (\w+):", out)
    equal(found, [("1", "arm1176"), ("2", "arm1136"), ("3", "arm1176")])
    equal([r[11] for r in lines(log) if r[0]], list("112233"))


def test_metrics_of_dumps_with_and_without():
    """A metric of a dump uses only counts of this dump, even if other dumps of the capture lack
    events that the metric needs."""
    plain = dump(event(0xff, 1))
    full = dump(event(0xff, 20), event(7, 10), region(0, "r", 1, counts_of([6]), counts_of([2])))
    doc = document(plain + full + plain + full)
    equal([(m["dump"], m["region"], m["value"]) for m in doc["metrics"] if m["name"] == "cpi"],
          [(2, None, 2), (2, "r", 3), (4, None, 2), (4, "r", 3)])


def test_cr_lf_is_undone():
    data = firmware()
    crlf = data.replace(b"\n", b"\r\n")
    assert crlf != data
    out = report(b"log\r\n" + crlf + b"\r\n")
    one_line(out.err, "in the dump at offset 5, CR LF was replaced by LF")
    equal(out.out, report(data).out)
    doc = document(crlf)
    equal((doc["dumps"][0]["crlf"], doc["dumps"][0]["complete"]), (True, True))
    equal(doc["counters"], document(data)["counters"])


def test_cut_at_every_byte():
    data = firmware()
    whole = document(data)
    for n in range(len(data)):
        p = run(PMK, "report", "-j", "-", stdin=data[:n], text=False)
        equal(p.code, 125, n)
        err = p.err.decode()
        if n < 4:
            one_line(err, f"no dump of pmk_target_dump() in its {n} bytes")
            continue
        one_line(err, f"the dump at offset 0 breaks off at offset {n}, in ")
        if n < 14:  # the dump ends before the PMU's name
            contains(err, "it is not shown")
            equal(p.out, b"")
            continue
        contains(err, "the part before that is shown")
        doc = json.loads(p.out)
        equal((doc["partial"], doc["dumps"][0]["complete"]), (True, False))
        contains(doc["warning"], f"incomplete and was not checked: it breaks off at offset {n}")
        for got, want in zip(doc["counters"], whole["counters"]):
            # A count is either complete, or missing with a reason.
            if got["counter-value"] is None:
                equal((got["trust"], got["reason"]),
                      ("not counted", "the dump ends before this number"))
            else:
                equal(got["counter-value"], want["counter-value"], n)
        equal(len(doc["counters"]) % max(len([c for c in doc["counters"] if not c["region"]]), 1),
              0)
    out = report(data[:120], code=125).out
    contains(out,
             "warning: the dump is incomplete and was not checked: it breaks off at offset 120, "
             "in ")


def test_a_region_that_is_cut_keeps_what_was_read():
    data = dump(event(0xff, 9), event(7, 8), region(0, "r", 1, counts_of([3]), counts_of([4])))
    cut = data[:-5 - len(counts_of([4]))]
    doc = document(cut, code=125)
    equal(counter(doc, "cpu_cycles", "r")["counter-value"], 3)
    equal(counter(doc, "instr_exec", "r")["counter-value"], None)
    out = report(cut, code=125).out
    assert re.search(r"^ +<not counted>      instr_exec\b", out, re.M), out
    equal(table(out, "r")["instr_exec"], ["-"] * 8)
    row = [r for r in lines(cut, code=125) if r[2] == "instr_exec" and r[10] == "r"][0]
    equal((row[0], row[9]), ("<not counted>", "not counted"))


def test_reset_in_the_middle():
    data = firmware()
    out = report(data[:100] + data, "-j", code=125)
    one_line(out.err, "breaks off at offset 100, in ", ": the next one begins; ")
    doc = json.loads(out.out)
    equal([d["complete"] for d in doc["dumps"]], [False, True])
    equal(doc["partial"], True)
    contains(doc["warning"], "dump 1: the dump is incomplete")


def test_one_wrong_bit():
    data = firmware()
    seen = set()
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        p = run(PMK, "report", "-", stdin=bytes(changed), text=False)
        equal(p.code, 125, at)
        err = p.err.decode()
        assert err.startswith("pmk: standard input: ") and err.count("\n") >= 1, err
        seen |= {kind for kind in ("no dump", "of version", "wrong checksum", "breaks off")
                 if kind in err}
        if "wrong checksum" in err:
            equal(p.out, b"", "numbers that may be wrong")
            contains(err, "it is not shown")
    equal(seen, {"no dump", "of version", "wrong checksum", "breaks off"})


def test_a_wrong_one_between_right_ones():
    data, wrong = firmware(), firmware()[:-1] + b"?"
    out = report(data + wrong + data, "-j", code=125)
    one_line(out.err, f"the dump at offset {len(data)} has a wrong checksum", "it is not shown")
    doc = json.loads(out.out)
    equal([d["offset"] for d in doc["dumps"]], [0, 2 * len(data)])
    equal(doc["partial"], False)


def test_no_dump():
    for data in (b"", b"hello\n" * 1000, b"PMKD: none"):
        out = report(data, code=125)
        equal(out.out, "")
        one_line(out.err, "standard input: no dump of pmk_target_dump()")
    one_line(report(b"PMKD\x02P", code=125).err,
             "is of version 2; this pmk reads version 1; it is not shown")


# ---- contents ------------------------------------------------------------------------------------

def test_unknown_pmu_and_event():
    data = dump(event(0xff, 3), event(0x1234, 4), pmu="zork9000")
    out = report(data).out
    contains(out, " on zork9000:")
    assert re.search(r"^ +3      rff +measured$", out, re.M), out
    assert re.search(r"^ +4      r1234 +measured$", out, re.M), out
    assert "counters" not in out, "nothing is known of its counters"
    doc = document(data)
    equal([(c["event"], c["code"], c["pmu"]) for c in doc["counters"]],
          [("rff", "0xff", "zork9000"), ("r1234", "0x1234", "zork9000")])
    equal((doc["pmu"], doc["passes"], doc["metrics"]), ("zork9000", 0, []))
    known = document(dump(event(0x42, 7), event(0xff, 1)))
    equal([(c["event"], c["code"]) for c in known["counters"]],
          [("r42", "0x42"), ("cpu_cycles", "0xff")])
    contains(report(dump(event(0x42, 7)), "-v").out,
             "an event that this version of pmk does not know")
    contains(report(dump(event(1, 1), pmu="")).out, "an unnamed PMU")


def test_names_cannot_harm():
    names = [b"\x1b[2J\x1b]0;x\x07", b"a\nb\r\tc", b"\x7f\x80\xff\xc3(", "gr\u00fc\u00df".encode(),
             "\u0085\u009b".encode(), b"back\\slash", b"\0", b"q\"u,o;te",
             b"\xed\xa0\x80\xf4\x90\x80\x80"]
    data = dump(event(0xff, 1), *[region(i, n, 1, counts_of([i])) for i, n in enumerate(names)],
                pmu=b"p\x1b[1m")
    shown = ["\\x1b[2J\\x1b]0;x\\x07", "a\\x0ab\\x0d\\x09c", "\\x7f\\x80\\xff\\xc3(",
             "gr\u00fc\u00df", "\\xc2\\x85\\xc2\\x9b", "back\\\\slash", "\\x00", 'q"u,o;te',
             "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80"]
    for argv in ([], ["-v"], ["-x", ","], ["-j"]):
        p = run(PMK, "report", *argv, "-", stdin=data, text=False)
        equal(p.code, 0)
        bad = [b for b in p.out if (b < 32 and b != 10) or b == 127]
        equal(bad, [], f"control characters with {argv}")
        assert not re.search("[\x80-\x9f]", p.out.decode()), argv
    out = report(data).out
    for name in shown:
        contains(out, f" Region '{name}', ")
    equal([c["region"] for c in document(data)["counters"]], [None] + shown)
    equal([r[10] for r in lines(data)], [""] + shown)


def test_big_values():
    data = dump(event(0xff, TOP, cost=TOP, nested=TOP),
                region(0, "r", 2**32 - 1, b"".join(map(number, [TOP] * 6)), unmatched=2**32 - 1),
                sample(TOP, 65534, 0, 1), b"D" + number(2**32 - 1))
    c = counter(document(data), "cpu_cycles", "r")
    equal([c[k] for k in ("counter-value", "raw", "cost", "nested", "min", "max")], [TOP] * 6)
    equal((c["entries"], c["unmatched"]), (2**32 - 1, 2**32 - 1))
    equal(counter(document(data), "cpu_cycles")["counter-value"], TOP)
    equal(document(data)["profile"][0]["address"], hex(TOP))
    equal(document(data)["profile"][0]["region"], "region 65534")
    contains(report(data).out, "18,446,744,073,709,551,615      cpu_cycles")
    assert "," not in re.search(r"Region 'r'.*?\n\n(.*)", report(data, "--no-big-num").out,
                                re.S).group(1) \
        .split("counted by")[0]


def test_mean_and_deviation_are_exact():
    rng = random.Random(1)
    regions, want = [], []
    for i in range(60):
        size = rng.choice((1, 10, 31, 40, 50))
        base = rng.getrandbits(size)
        values = [base + rng.getrandbits(rng.choice((0, 3, size)))
                  for _ in range(rng.randint(2, 9))]
        regions.append(region(i, f"r{i}", len(values), counts_of(values)))
        mean = Fraction(sum(values), len(values))
        variance = sum((v - mean) ** 2 for v in values) / (len(values) - 1)
        # to the nearest thousandth
        root = math.isqrt(int(variance * 10**6 * 4))
        want.append((values, math.floor(mean * 1000 + Fraction(1, 2)), (root + 1) // 2))
    doc = document(dump(event(0xff, 0), *regions))
    raw = report(dump(event(0xff, 0), *regions), "-j").out
    for i, (values, mean, deviation) in enumerate(want):
        c = counter(doc, "cpu_cycles", f"r{i}")
        line = [l for l in raw.splitlines() if f'"region":"r{i}"' in l][0]
        got = [int(re.search(rf'"{k}":(\d+)\.(\d\d\d)[,}}]', line).expand(r"\1\2"))
               for k in ("mean", "stddev")]
        equal(got[0], mean, f"mean of {values}")
        assert abs(got[1] - deviation) <= 1, f"deviation of {values}: {got[1]}, want {deviation}"
        equal((c["min"], c["max"]), (min(values), max(values)))
    # This mean is too large to be printed with decimals, and is exact.
    big = [2**63, 2**63 - 2**40]
    line = report(dump(event(0xff, 0), region(0, "r", 2, counts_of(big))), "-j").out
    contains(line, f'"mean":{sum(big) // 2},')
    sd = int(re.search(r'"stddev":(\d+)\.\d\d\d,', line).group(1))
    equal(sd, math.isqrt(2**79))


def test_random_contents_come_out_as_they_went_in():
    rng = random.Random(2)

    def any_number():
        return rng.getrandbits(rng.randint(0, 64))

    for _ in range(40):
        nevents = rng.randint(1, 8)
        events = [(rng.choice((5, 7, 0xff, 0xffff)), any_number(),
                   rng.choice((0, any_number())), any_number(), any_number())
                  for _ in range(nevents)]
        regions = [[rng.choice((0, 1, rng.getrandbits(32))), rng.getrandbits(32),
                    [[any_number() for _ in range(6)] for _ in range(nevents)]]
                   for _ in range(rng.randint(0, 5))]
        samples = [(any_number(), rng.choice((None, 0, 3)), rng.randrange(nevents),
                    rng.randint(0, 1))
                   for _ in range(rng.randint(0, 30))]
        records = [event(*e) for e in events]
        records += [region(i, f"r{i}", n, *[b"".join(map(number, c)) for c in cs], unmatched=bad)
                    for i, (n, bad, cs) in enumerate(regions)]
        records += [sample(*s) for s in samples] + [b"D" + number(7)]
        data = os.urandom(5) + dump(*records) + b"\n"
        if rng.random() < 0.5:
            data = data.replace(b"\n", b"\r\n")
        p = run(PMK, "report", "-j", "-", stdin=data, text=False)
        equal(p.code, 0, p.err)
        doc = json.loads(p.out)
        got = iter(doc["counters"])
        for code, total, period, cost, nested in events:
            c = next(got)
            equal((c["code"], c["counter-value"], c["period"] or 0, c["trust"]),
                  (f"0x{code:02x}", total, period, "wrapped" if period else "measured"))
            equal((c["cost"], c["nested"]), (None, None), "they are not taken off here")
        for i, (n, bad, cs) in enumerate(regions):
            for (raw, net, _, _, low, high), (_, _, _, cost, nested) in zip(cs, events):
                c = next(got)
                equal((c["region-id"], c["entries"], c["unmatched"], c["raw"], c["counter-value"],
                       c["cost"], c["nested"]), (i, n, bad, raw, net, cost, nested))
                equal((c["min"], c["max"]), (low, high) if n else (None, None))
        equal(next(got, None), None)
        equal(sum(p["samples"] for p in doc["profile"]), len(samples))
        equal(sum(p["late"] for p in doc["profile"]), sum(s[3] for s in samples))
        want = {}
        for pc, reg, ev, _ in samples:
            key = (f"0x{events[ev][0]:02x}", None if not pc else f"0x{pc:08x}",
                   None if reg is None else f"r{reg}" if reg < len(regions) else f"region {reg}")
            want[key] = want.get(key, 0) + 1
        have_ = {}
        for p in doc["profile"]:
            key = (p["code"], p["address"], p["region"])
            have_[key] = have_.get(key, 0) + p["samples"]
        equal(have_, want)


def test_no_events():
    for records in ((), (region(0, "r", 3),), (region(0, "r", 0),)):
        out = report(dump(*records)).out
        contains(out, "\n no events\n")
        doc = document(dump(*records))
        equal((doc["counters"], doc["profile"], len(doc["dumps"])), ([], [], 1))
        equal(lines(dump(*records)), [])


def test_regions_without_occurrences():
    none = [region(i, f"r{i}", 0, counts_of([])) for i in range(3)]
    out = report(dump(event(0xff, 1), *none)).out
    contains(out, "\n never completed: r0, r1, r2\n")
    assert "Region" not in out and "nan" not in out.lower()
    equal(len(document(dump(event(0xff, 1), *none))["counters"]), 4)


def test_many_regions_and_samples():
    n = 20000
    data = dump(event(0xff, 1, period=64),
                *[region(i, f"r{i}", 1, counts_of([i])) for i in range(2000)],
                *[sample(4 * (i % 100 + 1), None, 0) for i in range(n)], b"D\0")
    doc = document(data)
    equal((len(doc["counters"]), len(doc["profile"])), (2001, 100))
    equal({p["samples"] for p in doc["profile"]}, {n // 100})
    equal({p["share"] for p in doc["profile"]}, {1.0})


# ---- samples and functions -----------------------------------------------------------------------

PROGRAM = r"""
volatile int sink;
__attribute__((noinline)) int hot(int n) { while (n--) sink += n; return sink; }
__attribute__((noinline, target("thumb"))) int warm(int n) { while (n--) sink -= n; return sink; }
int main(void) { return hot(9) + warm(9) == 1; }
"""


def executable():
    """Returns the program's path and {function: address}."""
    path = os.path.join(FOLDER, "sampled.c")
    with open(path, "w") as f:
        f.write(PROGRAM)
    have(CROSS + "nm", CROSS + "strip")
    exe = compile_arm(path, "report/sampled", "-O1", "-static", "-march=armv6")
    out = run(CROSS + "nm", exe).out
    return exe, {name: int(at, 16) & ~1 for at,
                 name in re.findall(r"^(\w+) [Tt] (\w+)$", out, re.M)}


def sampled(at):
    """Returns a dump with samples: 5 in hot (2 of them in a region), 2 in warm, 1 late, 1 polled,
    and 2 outside of every function."""
    pcs = [(at["hot"], 0), (at["hot"] + 4, 0), (at["hot"] + 4, None), (at["hot"] + 8, None),
           (at["hot"], None), (at["warm"], None), (at["warm"] + 2, None), (0, None), (16, None),
           (16, None)]
    return dump(event(0xff, 1000, period=100), event(7, 400),
                region(0, "fft", 1, counts_of([1]), counts_of([1])),
                *[sample(pc, reg, 0, late=pc == at["warm"]) for pc, reg in pcs], b"D\3")


def test_functions_of_samples():
    exe, at = executable()
    data = sampled(at)
    doc = document(data, "--elf", exe)
    equal([(p["function"], p["samples"], p["share"], p["late"], p["region"])
           for p in doc["profile"]],
          [("hot", 3, 30.0, 0, None), (None, 2, 20.0, 0, None)] +
          sorted([("hot", 2, 20.0, 0, "fft"), ("warm", 2, 20.0, 1, None)],
                 key=lambda p: at[p[0]]) + [(None, 1, 10.0, 0, None)])
    equal([p["address"] for p in doc["profile"] if p["function"] == "hot"],
          [f"0x{at['hot']:08x}"] * 2)
    out = report(data, "--elf", exe)
    equal(out.err, "")
    assert re.search(r"^ +30\.00% +3  hot +-$", out.out, re.M), out
    assert re.search(r"^ +20\.00% +2  0x00000010 +-$", out.out, re.M), out
    contains(out.out, "ring was full: 3")
    contains(out.out, "came late by a period or more: 1")
    row = [r for r in lines(data, "--elf", exe) if r[-2] == "warm"][0]
    equal(row[-5:], ["2", "20.00", "1", "warm", f"0x{at['warm']:08x}"])


def test_samples_are_a_recording():
    """The commands for recordings show the samples of dumps, too, and add up all dumps of a
    capture."""
    exe, at = executable()
    log = os.path.join(FOLDER, "sampled.log")
    with open(log, "wb") as f:
        f.write(b"boot\n" + sampled(at) + b"more\n" + sampled(at) + dump(event(0xff, 1)))

    def rows(*argv):
        out = pmk("report", "-j", *argv, "--elf", exe, log)
        equal(out.code, 0, str(out))
        return json.loads(out.out)

    doc = rows("-e", "all")
    name = doc["events"][0]["name"]
    equal([(e["name"], e["total"], e["trust"]) for e in doc["events"]],
          [(name, 2000, "sampled"), (name + ":samples", 20, "measured")])
    equal({r["name"]: r["events"] for r in doc["rows"]},
          {n: {name: 100 * k, name + ":samples": k}
           for n, k in {"hot": 10, "warm": 4, "[polled]": 2, "[sampled]": 4}.items()})
    equal(doc["executions"], None)
    contains(doc["warning"], "6 samples were dropped")
    contains(doc["warning"], "2 samples came late by a period or more")
    equal([r["name"] for r in rows("--sort", "thread")["rows"]],
          ["dump 1: process 1, thread 0", "dump 2: process 2, thread 0"])
    text = pmk("annotate", "-i", log, "--elf", exe, "hot")
    equal(text.code, 0, str(text))
    assert re.search(rf"^> +400 +40.0% +4 +{at['hot'] + 4:x}", text.out, re.M), text.out
    folded = pmk("export", "--format", "folded", "-i", log, "--elf", exe)
    equal(sorted(folded.out.splitlines()),
          sorted(f"{n} {k}" for n, k in (("hot", 1000), ("warm", 400), ("[polled]", 200),
                                         ("[sampled]", 400))))
    for command in (["annotate", "-i", log], ["export", "--format", "folded", "-i", log]):
        out = pmk(*command, "--elf", PMK)
        one_line(out.err, f"--elf {PMK}: it is for ", "but the dump is from arm1176")
        equal(out.code, 129)
        out = pmk(*command, "--elf", "/nowhere")
        equal(out.code, 129)
        one_line(out.err, "--elf /nowhere: ")
    with open(log, "wb") as f:
        f.write(dump(event(0xff, 1)))
    out = pmk("annotate", "-i", log, "--elf", exe)
    equal(out.code, 125)
    one_line(out.err, f"{log}: there are no samples in its dumps")
    out = pmk("report", "--sort", "line", log)
    equal(out.code, 129)
    one_line(out.err, "--sort is for recordings", "add --elf")


def test_elf_of_another_machine():
    exe, at = executable()
    out = report(sampled(at), "--elf", PMK, code=129)
    one_line(out.err, f"--elf {PMK}: it is for ",
             " but the dump is from arm1176; addresses are shown")
    contains(out.out, f"0x{at['hot']:08x}")
    # If the dump is truncated, the exit code and the message are those of a truncated dump.
    equal(report(sampled(at)[:-1], "--elf", PMK, code=125).out.count("0x"), out.out.count("0x"))
    # A dump without samples has no addresses to name. pmk does not know the machine of an unknown
    # PMU, so it cannot check the ELF file.
    equal(report(dump(event(0xff, 1)), "--elf", PMK).err, "")


def test_elf_without_symbols():
    exe, at = executable()
    stripped = os.path.join(FOLDER, "stripped")
    equal(run(CROSS + "strip", "-o", stripped, exe).code, 0)
    out = report(sampled(at), "--elf", stripped)
    one_line(out.err,
             f"--elf {stripped}: it has no function symbols (stripped); addresses are shown")
    contains(out.out, f"0x{at['hot']:08x}")


def test_elf_that_is_none():
    exe, at = executable()
    for path, why in ((os.path.join(FOLDER, "nosuch"), "No such file"), (FOLDER, "is a directory"),
                      (os.path.join(CORPUS, "firmware"), "is not an ELF file")):
        out = report(sampled(at), "--elf", path, code=129)
        one_line(out.err, f"--elf {path}: ", why)
        equal(out.out, "")
    one_line(report(dump(event(0xff, 1, period=64), sample(4, None, 0), b"D\0"), "--elf", exe).err,
             f"--elf {exe}: no sample is in any of its functions")


# ---- metrics -------------------------------------------------------------------------------------

def test_metrics():
    data = dump(event(0xff, 3000), event(7, 2000),
                region(0, "r", 1, counts_of([300]), counts_of([100])))
    out = report(data).out
    equal(re.findall(r"# +([\d.]+) .*\(cpi\)", out), ["1.50", "3.00"])
    doc = document(data, "-M", "cpi")
    equal([(m["name"], m["value"], m["region"], m["dump"]) for m in doc["metrics"]],
          [("cpi", 1.5, None, 1), ("cpi", 3, "r", 1)])
    equal(counter(doc, "instr_exec")["metric-value"], 1.5)
    # A lower bound gives no ratio. Without cycles there is no ratio either.
    low = document(dump(event(0xff, 3000), event(7, 2000, period=100)), "-M", "cpi")
    equal((low["metrics"][0]["value"], low["metrics"][0]["reason"]),
          (None, "its counter is reset at each sample, so this is a lower bound"))
    clock = document(dump(event(0xff, 3), event(0xc, 2)), "-M", "writeback_bandwidth")
    equal(clock["metrics"][0]["reason"], "the clock is not known")
    assert "n/a" not in report(dump(event(0xff, 3), event(0xc, 2))).out
    equal([m["name"] for m in document(data, "-M", "cpi,ipc", "-M", "tlb_mpki")["metrics"][:3]],
          ["cpi", "ipc", "tlb_mpki"])
    one_line(report(data, "-M", "cpii", code=129).err, "unknown metric 'cpii'; did you mean cpi")
    # In CSV, a metric that belongs to no counter has a line of its own.
    rows = lines(dump(event(5, 100), event(6, 50)), "-M", "tlb_mpki")
    equal([r[6] for r in rows if not r[0]], [r[6] for r in rows if "tlb_mpki" in r[6]])
    equal({len(r) for r in rows}, {len(csv_columns())})


# ---- options -------------------------------------------------------------------------------------

def capture(name="boot.log", data=None):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as f:
        f.write(firmware() if data is None else data)
    return path


def test_separators():
    for sep in (";", "\t", "|", "0", "5", "e"):
        want, got = lines(firmware()), lines(firmware(), sep=sep)
        equal(got, want, repr(sep))
    equal(report(firmware(), "-x", "\\t").out, report(firmware(), "-x", "\t").out)
    equal(report(firmware(), "-x", ";;").out.replace(";;", ","), report(firmware(), "-x", ",").out)
    warned = [line for line in report(firmware(), "-x", ";").out.splitlines()
              if line.startswith("#")]
    equal(warned[1], "# warning: samples that were dropped because the ring was full: 2")


def test_output_files():
    log, path = capture(), os.path.join(FOLDER, "report.txt")
    plain = pmk("report", log).out
    contains(plain, f"stats for '{log}'")
    for argv in ([], ["-j"], ["-x", ","]):
        want = pmk("report", *argv, log)
        equal((want.code, want.err), (0, ""))
        out = pmk("report", *argv, "-o", path, log)
        equal((out.code, out.out, out.err), (0, "", ""))
        equal(open(path).read(), want.out)
        equal(pmk("report", *argv, "--append", "-o", path, log).code, 0)
        equal(open(path).read(), want.out * 2)
    # Options are also accepted after the file.
    equal(pmk("report", log, "-j").out, pmk("report", "-j", log).out)


def test_it_does_not_write_over_what_it_reads():
    log = capture("precious.log")
    for argv in (["-o", log, log], ["-o", log, "--append", log]):
        one_line(pmk("report", *argv).err, f"-o {log} would overwrite the input; name another file")
    out = run("sh", "-c", f"'{PMK}' report -o '{log}' - <'{log}'")
    equal(out.code, 129)
    equal(open(log, "rb").read(), firmware())
    exe, _ = executable()
    before = os.path.getsize(exe)
    out = pmk("report", "-o", exe, "--elf", exe, log)
    equal(out.code, 129)
    one_line(out.err, "would overwrite the file of --elf; name another file")
    equal(os.path.getsize(exe), before)
    # If pmk report has nothing to show, it does not change the file of -o.
    kept = capture("kept.txt", b"kept")
    equal(pmk("report", "-o", kept, capture("empty.log", b"no dump here")).code, 125)
    equal(open(kept, "rb").read(), b"kept")


def test_wrong_usage():
    log = capture()
    for words in (["report"], ["annotate"], ["export", "--format", "folded"]):
        out = pmk(*words, cwd=FOLDER)
        equal((out.code, out.out), (129, ""))
        contains(out.err, f"there is no pmk.data in the current folder (pmk {words[0]} --help)")
    out = pmk("report", "--", "-x", cwd=FOLDER) # -- ends the options
    equal(out.code, 125)
    contains(out.err, "cannot read -x")
    for argv, part_ in (((log, log), "more than one file"),
                        (("-j", "-x", ",", log), "exclude each other"),
                        (("-x", "", log), "separator"), (("-x", '"', log), "separator"),
                        (("--append", log), "--append needs -o FILE"),
                        (("-M", "", log), "empty metric name"),
                        (("-M", "cpi,,ipc", log), "empty metric name"),
                        (("--metrix", "cpi", log), "did you mean --metrics"),
                        (("--elf",), "--elf needs a value")):
        out = pmk("report", *argv)
        equal((out.code, out.out), (129, ""), argv)
        one_line(out.err, part_)
    equal(pmk("report", "--help").code, 0)


def test_files_that_cannot_be_read_or_written():
    out = pmk("report", os.path.join(FOLDER, "nosuch.log"))
    equal((out.code, out.out), (125, ""))
    one_line(out.err, "No such file")
    out = pmk("report", FOLDER)
    equal(out.code, 125)
    one_line(out.err, "Is a directory")
    log = capture()
    out = pmk("report", "-o", os.path.join(FOLDER, "no/such/folder"), log)
    equal(out.code, 125)
    one_line(out.err, "cannot write")
    if os.path.exists("/dev/full"):
        for argv in ([], ["-j"], ["-x", ","]):
            out = pmk("report", *argv, "-o", "/dev/full", log)
            equal(out.code, 125, argv)
            one_line(out.err, "cannot write /dev/full")
            out = run("sh", "-c", f"'{PMK}' report {' '.join(argv)} '{log}' >/dev/full")
            equal(out.code, 125, argv)
            one_line(out.err, "cannot write")


def test_without_a_data_directory():
    """Without its data directory, pmk report prints all counts, but no metrics."""
    log = capture("alone.log", dump(event(0xff, 3000), event(7, 2000)))
    env = {k: v for k, v in os.environ.items() if k != "PMK_DATA"}
    with tempfile.TemporaryDirectory() as folder:
        out = run(shutil.copy(PMK, os.path.join(folder, "pmk")), "report", log, env=env)
    equal(out.code, 0)
    contains(out.err, "no data directory")
    assert re.search(r"^ +2,000      instr_exec +measured$", out.out, re.M), out
    assert "cpi" not in out.out


def test_numbers_and_words():
    log = capture()
    contains(pmk("report", "--no-big-num", log).out, "  2000.00  1000.00  1000  3000       6027 ")
    verbose = pmk("report", "-v", log).out
    contains(verbose, "cpu_cycles (0xff, ")
    contains(verbose, "br_exec (0x05, ")
    # pmk writes no colours into a pipe, and uses the number format of the C locale in every locale.
    assert "\033" not in pmk("report", log, env=dict(os.environ, TERM="xterm")).out
    names = run("locale", "-a").out.split() if shutil.which("locale") else []
    for name in [n for n in names if n.startswith(("de_", "fr_"))][:1]:
        equal(pmk("report", "-j", log, env=dict(os.environ, LC_ALL=name)).out,
              pmk("report", "-j", log).out)


def test_the_corpus_is_what_the_fuzzer_should_know():
    want = {"firmware": 0, "log": 0, "crlf": 0, "odd": 0, "empty": 0, "reset": 125, "wrong": 125,
            "version": 125}
    equal(sorted(os.listdir(CORPUS)), sorted(want))
    for name, code in want.items():
        for argv in ([], ["-j"], ["-x", ","]):
            equal(pmk("report", *argv, os.path.join(CORPUS, name)).code, code, name)
