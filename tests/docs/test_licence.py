# SPDX-License-Identifier: MIT
"""Every source file names its licence, and only the QEMU glue has a licence other than MIT."""
import os
import re

from harness import *
import repo

pytestmark = pytest.mark.quick

# The sources of the plugin that QEMU loads.
GPL = {f"src/producer/qemu/{name}.{ending}" for ending in "ch" for name in
       ("control", "guest", "plugin", "zero")}
GPL |= {"src/producer/qemu/" + name
        for name in ("controls.c", "devices.c", "glue.h", "guest_pmu.c", "lockup.c", "module.c",
                     "parts.h", "preload.c", "process.c", "qemu_api.h", "record.c",
                     "registers.c", "running.c", "sampling.c", "state.h", "translate.c")}
GPL.add("tests/guest/insns.c")
SOURCE_SUFFIXES = (".c", ".h", ".S", ".s", ".ld", ".py", ".sh", ".bash", ".vec")


def sources():
    """Returns the source files, recognised by their names, or by the first line of a script."""
    for path in repo.files():
        if path.startswith((".", "LICENSE")):
            continue
        if path.endswith(SOURCE_SUFFIXES):
            yield path
        elif "." not in os.path.basename(path) and (repo.text(path) or "").startswith("#!"):
            yield path


def licence_of(path):
    head = "\n".join(repo.text(path).splitlines()[:3])
    m = re.search(r"SPDX-License-" r"Identifier: (.+?)\s*(?:\*/)?$", head, re.M)
    return m.group(1) if m else None


def test_every_source_file_says_its_licence():
    found = list(sources())
    assert len(found) > 50, f"only {len(found)} source files found"
    missing = [p for p in found if licence_of(p) is None]
    equal(missing, [], "no SPDX line in the first three")


def test_only_the_qemu_glue_is_gpl():
    for path in sources():
        want = "GPL-2.0-or-later" if path in GPL else "MIT"
        equal(licence_of(path), want, path)
    for path in GPL:
        assert repo.exists(path), path


def test_c_files_open_with_the_line():
    for path in sources():
        if path.endswith((".c", ".h")):
            first = repo.text(path).splitlines()[0]
            assert "SPDX-License-Identifier" in first, f"{path}: {first}"


def test_texts_of_the_licences_are_there():
    mit = repo.text("LICENSE")
    contains(mit, "MIT License")
    contains(mit, "pmukit contributors")
    equal(repo.text("LICENSES/MIT.txt"), mit, "LICENSES/MIT.txt")
    gpl = repo.text("LICENSES/GPL-2.0-or-later.txt")
    contains(gpl, "GNU GENERAL PUBLIC LICENSE")
    contains(gpl, "Version 2, June 1991")
    contains(gpl, "END OF TERMS AND CONDITIONS")
    used = {licence_of(p) for p in sources()}
    texts = {f[:-4] for f in os.listdir(os.path.join(SOURCE, "LICENSES"))}
    equal(texts, used, "licence texts and licences used")


@pytest.mark.more
def test_reuse_finds_nothing_missing():
    have("reuse")
    out = run("reuse", "--root", SOURCE, "lint")
    equal(out.code, 0, out.out)
