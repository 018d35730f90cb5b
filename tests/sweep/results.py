# SPDX-License-Identifier: MIT
"""Makes results databases: pmk's tables, with a test's rows."""
import re
import sqlite3

import repo


def schema():
    text = repo.without_comments(repo.text("src/lab/sweep/store_open.c"))
    return "".join(re.findall(r'"([^"]*)"', re.search(r"schema\[\] =(.*?);\n\n", text, re.S)[1]))


def number(name):
    return int(re.search(rf"STORE_{name}\s+(\w+)", repo.text("src/lab/sweep/store.h"))[1], 0)


def database(path, rows):
    """Makes a database of `rows`: (program, core, {setting: value}, {event: value} or the reason of
    the failure)."""
    db = sqlite3.connect(path)
    db.executescript(schema() + f"PRAGMA application_id = {number('ID')};"
                     f"PRAGMA user_version = {number('VERSION')};"
                     "INSERT INTO program VALUES(1, x'01', '/p', 'p', NULL);"
                     "INSERT INTO config VALUES(1, x'02', 'c', 'arm', '', NULL);"
                     "INSERT INTO label VALUES(1, 'c', 'modelled', NULL, NULL)")
    for n, (program, core, settings, values) in enumerate(rows, 1):
        failed = isinstance(values, str)
        db.execute("INSERT INTO cell VALUES(?, ?, 1, 1, ?, 0, 0.5)",
                   (n, n.to_bytes(16, "big"), values if failed else None))
        text = ",".join(f"{k}={v}" for k, v in sorted(settings.items()))
        db.execute("INSERT OR IGNORE INTO variant(core, settings) VALUES(?, ?)", (core, text))
        variant, = db.execute("SELECT id FROM variant WHERE core = ? AND settings = ?",
                              (core, text)).fetchone()
        db.executemany("INSERT OR IGNORE INTO setting VALUES(?, ?, ?)",
                       [(variant, k, v) for k, v in settings.items()])
        db.execute("INSERT INTO point VALUES(0, ?, ?, ?)", (program, variant, n))
        for event, value in ({} if failed else values).items():
            db.execute("INSERT OR IGNORE INTO event(name) VALUES(?)", (event,))
            db.execute("INSERT INTO value SELECT ?, id, ?, 1 FROM event WHERE name = ?",
                       (n, value, event))
    db.commit()
    db.close()
    return path
