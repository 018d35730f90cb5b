# SPDX-License-Identifier: MIT
"""docs/FORMATS.md describes the keys, columns, keywords and verbs that the formats have."""
import os
import re

from harness import *
import repo

pytestmark = pytest.mark.quick

PAGE = repo.text("docs/FORMATS.md")


def part(title):
    m = re.search(rf"^## [^\n]*{re.escape(title)}[^\n]*\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    assert m, f"FORMATS.md has no part {title}"
    return m.group(1)


def first_cells(text, header):
    """Returns the words in the first column of the table below `header`, in code spans or plain."""
    table = text.split(header, 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [w for row in table for w in re.split(r"[`, ]+", row.split("|")[1]) if w]


def program(rounds=2000):
    folder = os.path.join(WORK, "formats")
    os.makedirs(folder, exist_ok=True)
    source = os.path.join(folder, "prog.c")
    with open(source, "w") as f:
        f.write("__attribute__((noinline)) int work(int n) { volatile int s = 0; while (n--) s += "
                "n;"
                " return s; }\nint main(void) { return work(ROUNDS) == 1; }\n")
    return compile_arm(source, f"formats/prog-{rounds}", "-O1", "-static", f"-DROUNDS={rounds}")


def documents():
    p = program()
    return [stat("-e", "cycles,instructions,etmextout_0", p),
            stat("-r", "2", "-e", "cycles", p),
            stat("--region", "work", "-e", "cycles,instructions", p),
            stat("-I", "20000cycles", "-e", "cycles", p),
            stat("-A", "-e", "cycles", p),
            stat("--sample", "-e", "cycles", program(30000000)),
            stat("--per-thread", "-p", os.getpid(), "--timeout", "50", "-e", "cs")]


def test_json_keys_of_stat():
    text = part("JSON: `pmk stat --json-document`")
    top, counter = set(), set()
    for doc in documents():
        top |= set(doc)
        for c in doc["counters"]:
            counter |= set(c)
        equal((doc["format"], doc["version"]), ("pmk-stat", 1))
    equal(set(first_cells(text, "| key | content |")), top, "top level")
    equal(set(first_cells(text, "A counter has these keys:\n\n| key | content |")), counter,
          "of a counter")


def test_json_example_is_valid():
    block = re.search(r"```json\n(.*?)```", PAGE, re.S).group(1)
    example = json.loads(block)
    real = stat("-e", "instr_exec,cpu_cycles", "-M", "cpi", program())
    equal(list(example), list(real), "keys and their order")
    equal(list(example["counters"][0]), list(real["counters"][0]))
    equal(list(example["metrics"][0]), list(real["metrics"][0]))


def test_csv_columns():
    text = part("CSV: `pmk stat -x SEP`")
    line = re.search(r"^    (\S.*)$", text, re.M).group(1)
    columns = re.sub(r"\[(\w+%?),\]", r"\1,", line).split(",")
    equal(columns, first_cells(text, "| column | when | content |"))
    plain = [c for c in columns if c not in ("time", "cpu", "thread", "stddev%", "margin%")]
    for argv, more in (([], 0), (["-r", "2"], 1), (["-I", "20000cycles"], 1), (["-A"], 1),
                       (["--sample"], 1)):
        rounds = 30000000 if "--sample" in argv else 2000
        out = pmk("stat", "-x", ";", "-e", "cycles", *argv, program(rounds))
        equal(out.code, 0, out)
        for row in (r for r in out.err.splitlines() if not r.startswith("# note: ")):
            equal(len(row.split(";")), len(plain) + more, f"columns of {row} ({argv})")


def test_json_keys_of_list_and_decode():
    text = part("JSON: `pmk list -j`")
    listed = json.loads(pmk("list", "-j").out)
    equal((listed.pop("format"), listed.pop("version")), ("pmk-list", 1))
    for topic, items in listed.items():
        told = re.search(rf"^\| `{topic}` \| (.*) \|$", text, re.M).group(1)
        keys = set(re.findall(r"[\w-]+", re.sub(r"\([^)]*\)", "", told)))
        equal(keys, set(items[0]), topic)
    decoded = json.loads(pmk("decode", "arm1176", "PMNC=1", "-j").out)
    equal((decoded["format"], decoded["version"]), ("pmk-decode", 1))
    told = re.search(r"^\| `fields` \| (.*) \|$", text, re.M).group(1)
    keys = {re.match(r"[\w-]+", w.strip()).group()
            for w in re.sub(r"\([^)]*\)", "", told).split(",")}
    equal(keys, set(decoded["registers"][0]["fields"][0]))


def test_keys_and_columns_of_wave():
    text = part("CSV and JSON: `pmk wave`")
    folder = os.path.join(WORK, "formats")
    os.makedirs(folder, exist_ok=True)
    dump, ini = os.path.join(folder, "bus.vcd"), os.path.join(folder, "bus.ini")
    with open(dump, "w") as f:
        f.write("$timescale 1 ns $end\n$var wire 1 ! hclk $end\n$var wire 2 t htrans [1:0] "
                "$end\n$var wire 1 y hready $end\n"
                "$enddefinitions $end\n#0\n0!\nb0 t\n1y\n#5\n1!\n#10\n0!\nb11 "
                "t\n#15\n1!\n#20\n0!\nxy\n#25\n1!\n")
    with open(ini, "w") as f:
        f.write("[clock]\nsignal = hclk\n[layer armd]\nhtrans = htrans\nhready = hready\n")
    told = {}
    for row in re.findall(r"^\| (`.*) \|$", text, re.M):
        names, keys = row.split(" | ")
        name = re.findall(r'[\w-]+', names.split(",")[0])[-1]
        told[name] = set(re.findall(r"`([\w-]+)`", re.sub(r"\([^)]*\)", "", keys)))
    for command in (["signals", dump], ["check", dump, "-m", ini]):
        doc = json.loads(pmk("wave", *command, "-j").out)
        equal(doc.pop("version"), 1)
        equal(set(doc), told[doc.pop("format")] | {"format"}, str(command))
        for key, value in doc.items():
            if isinstance(value, list):
                equal(set(value[0]), told[key], key)
        columns = re.search(rf"`pmk wave {command[0]} -x` \| (.*) \|", text).group(1)
        columns = re.split("[;:]", re.sub(r"\([^)]*\)", "", columns))[0].split(",")
        row = pmk("wave", *command, "-x;").out.splitlines()[0]
        equal(len(row.split(";")), len(columns), row)


def test_metric_keywords():
    text = part("Metrics")
    keywords = first_cells(text, "| keyword | content |")
    code = repo.text("src/result/metric.c")
    for word in keywords:
        contains(code, f'"{word}"')
    for path in repo.files():
        if path.endswith(".metric"):
            head = repo.text(path).split("\nTEXT\n")[0]
            for line in head.splitlines():
                if line and not line.startswith("#"):
                    assert line.split()[0] in keywords, f"{path}: {line}"
    assert re.search(r"^ {4}formula = ", text, re.M)


def test_vector_verbs():
    text = part("Conformance vectors")
    told = set(re.findall(r"`([\w-]+)[ `]", text.split("| line | meaning |")[1].split("\n\n")[0]))
    runner = repo.text("tests/conformance/run_model.c")
    real = set(re.findall(r'^\t\{ "([\w-]+)", \d, do_', runner, re.M))
    told -= {"priv", "user", "priv-ns", "user-ns", "debug", "niden", "cp15sdisable"}
    equal(told, real)
    used = set()
    for path in repo.files():
        if path.endswith(".vec"):
            used |= {l.split()[0] for l in repo.text(path).splitlines() if l and l[0] != "#"}
    equal(used - real, {"vector", "cores", "ref"})


def test_preset_of_the_page_can_be_read():
    """The page's example is a complete preset, which pmk lists if it is in a data directory."""
    text = part("Core presets")
    preset = "\n".join(l[4:] for l in re.search(r"((?:^(?: {4}.*)?\n)+)", text[1:],
                                                re.M).group(1).splitlines())
    folder = os.path.join(WORK, "formats-data")
    os.makedirs(os.path.join(folder, "cores"), exist_ok=True)
    with open(os.path.join(folder, "cores", "arm1176.ini"), "w") as f:
        f.write(preset + "\n")
    out = pmk("list", "cores", env=dict(os.environ, PMK_DATA=folder))
    equal(out.code, 0, out)
    contains(out.out, "one line")
