# SPDX-License-Identifier: MIT
"""The part of docs/FORMATS.md about recordings has the right tables, columns and words, and its ten
queries work."""
import sqlite3

from harness import *
import repo
from recordings import *
from tables import chapter, check_columns, check_identity, queries

pytestmark = pytest.mark.quick

PAGE = chapter("Recordings:")
QUERIES = queries(PAGE)
ANSWERS = [  # of the recording that recordings.py makes; see there
    [("cpu_cycles", 376, "modelled", None), ("instr_exec", 148, "exact", None),
     ("dcache_miss", 17, "modelled", None),
     ("etmextout0", None, "not supported", "there is no ETM")],
    [("work", 239, 63.6), ("main", 63, 16.8), ("[anon]", 50, 13.3), ("down", 24, 6.4)],
    [("/src/loop.c", 7, 12), ("/src/util.h", 3, 4)],
    [("work", 127.0)],
    [("200c", 30, 0)],
    [("clamp", 1, 90)],
    [("down", "3004", 2), ("main", "100c", 1)],
    [("main", 376 - 79), ("work", 239), ("down", 24)],
    [(0, 0, 148 - 42), (0, 1, 42)],
    [("/nonexistent/prog", None, 13, 52), ("[anon]", None, 1, 4)],
]


@pytest.fixture
def database(tmp_path):
    return sqlite3.connect(sample(tmp_path / "sample.data", contexts=True))


def test_there_are_ten_queries():
    equal(len(QUERIES), 10)


@pytest.mark.parametrize("number", range(10))
def test_query(database, number):
    equal(database.execute(QUERIES[number]).fetchall(), ANSWERS[number], QUERIES[number])


def test_tables_and_columns(database):
    check_columns(PAGE, database)


def test_identity():
    check_identity(PAGE, "src/profile/recording/database.h", "DATABASE")


def test_words():
    writer = "".join(repo.text(f"src/profile/recording/{name}.c")
                     for name in ("write", "write_code"))
    facts = next(line for line in PAGE.splitlines() if line.startswith("| `meta`"))
    for key in re.findall(r'write_(?:text_fact|flag)\(w, "(\w+)"', writer):
        contains(facts, f"`{key}`")
    flows = next(line for line in PAGE.splitlines() if "| `flow` |" in line)
    for word in re.findall(r'\[PMK_FLOW_\w+\] = "(\w+)"', writer):
        contains(flows, f"`{word}`")


def test_report(tmp_path):
    path = sample(tmp_path / "sample.data", contexts=True)
    text = PAGE.split("### CSV and JSON")[1]
    doc = json.loads(run(PMK, "report", "-j", "--children", path).out)
    for key in {*doc, *doc["rows"][0], *doc["events"][0]}:
        contains(text, f"`{key}`")
    head = run(PMK, "report", "-x,", path).out.splitlines()[0]
    equal(head, "name,object,file,line,executions,cpu_cycles,instr_exec,dcache_miss")
    for word in head.split(",")[:5]:
        contains(text, f"`{word}`")
