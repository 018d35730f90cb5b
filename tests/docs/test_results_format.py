# SPDX-License-Identifier: MIT
"""What docs/FORMATS.md says of results databases: tables, columns, and the queries."""
import sqlite3

from harness import *
import repo
import results

pytestmark = pytest.mark.quick

PAGE = re.search(r"^## Results database.*?(?=^## )", repo.text("docs/FORMATS.md"), re.M | re.S)[0]
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.S)
ROWS = """
    INSERT INTO program VALUES(1, x'01', '/bin/sort', 'sort', NULL);
    INSERT INTO config VALUES(1, x'02', 'arm1176', 'arm', 'dcache.size=4K');
    INSERT INTO cell VALUES(1, x'03', 1, 1, NULL, 0, 0.5), (2, x'04', 1, 1, 'too slow', NULL, 9);
    INSERT INTO event VALUES(1, 'cycles');
    INSERT INTO label VALUES(1, 'arm1176', 'modelled', NULL, NULL);
    INSERT INTO value VALUES(1, 1, 77, 1);
    INSERT INTO variant VALUES(1, 'arm1176', 'dcache.size=4K'), (2, 'arm1176', 'dcache.size=8K');
    INSERT INTO setting VALUES(1, 'dcache.size', '4K'), (2, 'dcache.size', '8K');
    INSERT INTO point VALUES(0, 'sort', 1, 1), (0, 'sort', 2, 2);
"""
ANSWERS = [[("sort", "4K", 77)], [("sort", "arm1176", "dcache.size=8K", "too slow")]]


@pytest.fixture
def database():
    db = sqlite3.connect(":memory:")
    db.executescript(results.schema())
    db.executescript(ROWS)
    return db


def test_there_are_queries():
    equal(len(QUERIES), len(ANSWERS))


@pytest.mark.parametrize("number", range(len(ANSWERS)))
def test_query(database, number):
    equal(database.execute(QUERIES[number]).fetchall(), ANSWERS[number], QUERIES[number])


def test_tables_and_columns(database):
    told, table = {}, None
    for name, columns in re.findall(r"^\|([^|]*)\|([^|]*)\|.*\|$", PAGE, re.M)[2:]:
        table = name.strip(" `") or table
        told.setdefault(table, []).extend(re.findall(r"`(\w+)`", columns))
    there = {name: [c[1] for c in database.execute(f"PRAGMA table_info({name})")]
             for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    equal({t: sorted(c) for t, c in told.items()}, {t: sorted(c) for t, c in there.items()})


def test_identity():
    header = repo.text("src/sweep/store.h")
    contains(PAGE, "`application_id` " + re.search(r"STORE_ID\s+(0x\w+)", header)[1])
    contains(PAGE, "`user_version` " + re.search(r"STORE_VERSION\s+(\d+)", header)[1])
