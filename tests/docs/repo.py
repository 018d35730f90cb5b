# SPDX-License-Identifier: MIT
"""Gives the documentation tests the files of the repository, and C text without comments."""
import functools
import json
import os
import re
import shutil

from harness import SOURCE, pmk, run


def files():
    """Returns the paths of all files of the repository, tracked or not, relative to its top."""
    out = shutil.which("git") and run("git", "ls-files", "--cached", "--others",
                                      "--exclude-standard", cwd=SOURCE)
    if out and out.code == 0 and out.out:
        names = out.out.splitlines()
    else:  # no git, or an unpacked archive
        names = [os.path.relpath(os.path.join(d, f), SOURCE)
                 for d, dirs, fs in os.walk(SOURCE) for f in fs
                 if not os.path.relpath(d, SOURCE).startswith(("build", ".git"))]
    return sorted(n for n in names if os.path.isfile(os.path.join(SOURCE, n))
                  and "__pycache__" not in n)


def text(path):
    """Returns the file's text, or None if it is binary."""
    with open(os.path.join(SOURCE, path), "rb") as f:
        data = f.read()
    if b"\0" in data:
        return None
    return data.decode("utf-8", "replace")


def exists(path):
    return os.path.exists(os.path.join(SOURCE, path))


@functools.cache
def events(pmu):
    """Returns the events of a PMU, as pmk lists them."""
    return json.loads(pmk("list", "events", "-j", "--pmu", pmu).out)["events"]


@functools.cache
def codes_and_names():
    """Returns {(code, name)} of all events of all PMUs."""
    listed = json.loads(pmk("list", "events", "-j").out)["events"]
    return {(int(e["code"], 16), e["name"]) for e in listed}


def is_vector_of_event(name):
    """Returns true if a vector's name is event-CODE-NAME of an event. Such a vector needs no row in
    docs/TRACE.md: the name says where it belongs."""
    found = re.fullmatch(r"event-([0-9a-f]+)-(\w+)", name)
    return bool(found) and (int(found[1], 16), found[2]) in codes_and_names()


def without_comments(c):
    """Returns C source in which blanks replace the comments. Strings are kept."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.S)
    return token.sub(lambda m: re.sub(r"[^\n]", " ", m.group()) if m.group()[0] == "/"
                     else m.group(), c)


def core_families():
    """Returns the families of cores that have parameters of their own: folders of src/cpu."""
    names = re.findall(r"FAMILY\((\w+)\)",
                       text("src/cpu/families.h").split("#define PMK_CORE_FAMILIES")[1])
    return [name for name in names if exists(f"src/cpu/{name}/keys.c")]


def core_keys(family):
    """Returns [(key, default, min, max, unit, text)] of the parameters of the family's cores."""
    rows = text(f"src/cpu/{family}/keys.c")
    # Parameters that several families have are in a header, as groups of rows.
    for header in re.findall(r'#include "(cpu/(?:\w+/)?keys\.h)"', rows):
        groups = text("src/" + header).replace(" \\\n", "\n")
        for name, group in re.findall(r"^#define (\w+_KEYS)\n(.*?)(?=\n\n|\n/)", groups,
                                      re.M | re.S):
            rows = rows.replace(f"\t{name},\n", group + ",\n")
    row = (r'^\tPMK_CORE_KEY\([\w.]+, *"([^"]+)", (\d+), (\d+), (\d+), \'(\w)\','
           r'((?:\s*"[^"]*")+)\),$')
    found = [(*cells, "".join(re.findall(r'"([^"]*)"', text)))
             for *cells, text in re.findall(row, rows, re.M)]
    assert found and len(found) == rows.count("PMK_CORE_KEY("), \
        f"{family}: {len(found)} rows are understood"
    return found
