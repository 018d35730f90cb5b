# SPDX-License-Identifier: MIT
"""The stored programs for MicroBlaze were made from the present sources and are undamaged. If the
compiler is installed, it makes the same programs."""
import concurrent.futures
import copy
import os
import tarfile

from harness import *
import microblaze_store
import microblaze_tools as mb

PROGRAMS = [e for e in microblaze_store.index() if "key" in e]
ARCHIVES = ["answers.tar.xz", "library.tar.xz", "programs.tar.xz"]
ANSWERS = [e for e in microblaze_store.index() if "answer" in e]
own_compiler = pytest.mark.skipif("PMK_MB_TOOLCHAIN" in os.environ,
                                  reason="PMK_MB_TOOLCHAIN makes other programs")


def said(recipe):
    """Returns a short description of a recipe."""
    of = recipe.get("of", recipe)
    return " ".join([recipe["kind"], of["name"], of.get("order", ""), *of.get("flags", ())])


@pytest.mark.quick
@own_compiler
def test_sources_are_those_that_were_stored():
    assert len(PROGRAMS) > 300, len(PROGRAMS)
    old = [said(e["recipe"]) for e in PROGRAMS
           if mb.key_of(e["recipe"]) != e["key"] and not microblaze_store.has_library(e["recipe"])]
    why = f"their sources have changed since they were stored; {microblaze_store.ANEW}"
    assert not old, f"{why}:\n" + "\n".join(old)


@pytest.mark.quick
def test_nothing_is_damaged_or_left_over():
    library = [e for e in PROGRAMS if microblaze_store.has_library(e["recipe"])]
    others = [e for e in PROGRAMS if not microblaze_store.has_library(e["recipe"])]
    for archive, name, entries in (("programs.tar.xz", "key", others),
                                   ("library.tar.xz", "key", library),
                                   ("answers.tar.xz", "answer", ANSWERS)):
        members = microblaze_store.archive(archive)
        equal(sorted(members), sorted(e[name] for e in entries), archive)
        for e in entries:
            equal(microblaze_store.checksum(members[e[name]]), e["sha256"], e[name])
    equal(sorted(os.listdir(microblaze_store.FOLDER)), sorted(["index", *ARCHIVES]))


@pytest.mark.quick
def test_archives_tell_nothing_of_where_they_were_made():
    for archive in ARCHIVES:
        with tarfile.open(os.path.join(microblaze_store.FOLDER, archive)) as tar:
            equal({(m.mtime, m.uid, m.gid, m.uname, m.gname, m.mode) for m in tar},
                  {(0, 0, 0, "", "", 0o644)})
    for e in PROGRAMS:
        data = microblaze_store.archive(microblaze_store.archive_of(e["recipe"]))[e["key"]]
        for word in (b"/ho" b"me/", b"/ro" b"ot/", b"/tmp/", b"/usr/", SOURCE.encode()):
            assert word not in data, f"{said(e['recipe'])} has {word}"


@pytest.mark.quick
@own_compiler
def test_every_change_asks_for_another_program(monkeypatch):
    """A program's key changes with its sources, the files that they include, the flags, the
    firmware library, and the compiler."""
    kernel = next(e["recipe"] for e in PROGRAMS if e["recipe"]["kind"] == "bare")
    costs = next(e["recipe"] for e in PROGRAMS if e["recipe"].get("name") == "cost-Os")
    listing = next(e["recipe"] for e in PROGRAMS if e["recipe"]["kind"] == "disassembly")
    other = copy.deepcopy(kernel)
    other["flags"] = [*kernel["flags"], "-DANOTHER"]
    assert mb.key_of(other) != mb.key_of(kernel)

    def changed(recipe, path):
        real, before = mb.contents, mb.key_of(recipe)
        with monkeypatch.context() as m:
            m.setattr(mb, "contents", lambda p: real(p) + (b" " if p == path else b""))
            return mb.key_of(recipe) != before

    source = os.path.join(SOURCE, kernel["sources"][0])
    assert changed(kernel, source)
    assert changed(kernel, os.path.join(mb.GUEST, "kernel.inc"))
    assert not changed(kernel, os.path.join(mb.GUEST, "README"))
    assert changed(listing, os.path.join(SOURCE, listing["of"]["sources"][0]))
    before = mb.key_of(costs)
    with monkeypatch.context() as m:
        m.setattr(mb, "without_comments", lambda path: b"int other;")
        assert mb.key_of(costs) != before
    with monkeypatch.context() as m:
        m.setattr(mb, "default_folder", lambda: "/microblaze-gcc99-binutils9-1")
        assert mb.key_of(
            kernel) != mb.key_of(other) and microblaze_store.stored(mb.key_of(kernel)) is None


@pytest.mark.quick
def test_comments_of_the_library_make_no_other_program(tmp_path):
    texts = ('char *s = "/* none */ // \\" x"; int a;\n',
             '/* one\n * two */\nchar *s =  "/* none */ // \\" x";\n'
             '// more "\nint a; /* \' */\n', 'char *s = "/* some */ // \\" x"; int a;\n')
    paths = [tmp_path / f"{n}.c" for n in range(len(texts))]
    for path, text in zip(paths, texts):
        path.write_text(text)
    first, same, other = map(mb.without_comments, map(str, paths))
    assert first == same != other


@own_compiler
def test_the_compiler_makes_what_is_stored():
    where, why = mb.folder()
    if why:
        skip("no compiler for MicroBlaze: what is stored is not compared with what it makes")
    programs = [e for e in PROGRAMS if mb.key_of(e["recipe"]) == e["key"]
                or not microblaze_store.has_library(e["recipe"])]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        sums = pool.map(lambda e: microblaze_store.checksum(mb.build(e["recipe"])), programs)
        wrong = [said(e["recipe"]) for e, got in zip(programs, sums) if got != e["sha256"]]
    assert not wrong, f"{where} makes others; {microblaze_store.ANEW}:\n" + "\n".join(wrong)
