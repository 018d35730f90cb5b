# SPDX-License-Identifier: MIT
"""The part of docs/FORMATS.md about results databases has the right tables and columns, and its
queries work."""
import sqlite3

from harness import *
import results
from tables import chapter, check_columns, check_identity, queries

pytestmark = pytest.mark.quick

PAGE = chapter("Results database")
QUERIES = queries(PAGE)
ROWS = """
    INSERT INTO program VALUES(1, x'01', '/bin/sort', 'sort', NULL);
    INSERT INTO config VALUES(1, x'02', 'arm1176', 'arm', 'dcache.size=4K', 'unchecked');
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
    check_columns(PAGE, database)


def test_identity():
    check_identity(PAGE, "src/lab/sweep/store.h", "STORE")
