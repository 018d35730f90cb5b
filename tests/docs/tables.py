# SPDX-License-Identifier: MIT
"""Compares the tables of a chapter in docs/FORMATS.md with the schema of the database that it
describes."""
import re

import repo
from harness import contains, equal


def chapter(heading):
    """Returns a section of docs/FORMATS.md, from its heading to the next one."""
    return re.search(rf"^## {heading}.*?(?=^## )", repo.text("docs/FORMATS.md"), re.M | re.S)[0]


def queries(page):
    return re.findall(r"```sql\n(.*?)```", page, re.S)


def check_columns(page, database):
    told, table = {}, None
    for name, columns in re.findall(r"^\|([^|]*)\|([^|]*)\|.*\|$", page, re.M)[2:]:
        table = name.strip(" `") or table
        told.setdefault(table, []).extend(re.findall(r"`(\w+)`", columns))
    there = {name: [c[1] for c in database.execute(f"PRAGMA table_info({name})")]
             for name, in database.execute("SELECT name FROM sqlite_master WHERE type <> 'index'")}
    equal({t: sorted(c) for t, c in told.items()}, {t: sorted(c) for t, c in there.items()})


def check_identity(page, header, prefix):
    """Checks that the page's application_id and user_version are PREFIX_ID and PREFIX_VERSION of
    the header."""
    for name, macro in (("application_id", "ID"), ("user_version", "VERSION")):
        defined = re.search(rf"{prefix}_{macro}\s+(\w+)", repo.text(header))[1]
        contains(page, f"`{name}` {defined}")
