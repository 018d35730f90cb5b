# SPDX-License-Identifier: MIT
"""Programs for MicroBlaze and the output of binutils for them. They are stored in
tests/guest/microblaze/stored, because no distribution has the compiler:

    index           one line of JSON for each program: its key, its checksum and its recipe, which
                    microblaze_tools.py explains. If sources, flags or the compiler change, the key
                    changes, so an outdated program is not found. The first line names the compiler.
    programs.tar.xz the programs, by key
    library.tar.xz  the programs that contain the firmware library, by key
    answers.tar.xz  the results of microblaze_tools.answer(), by name

If a stored program is missing or outdated and there is no compiler, its test fails. A program that
contains the firmware library is an exception, because the library changes often, and most of its
tests are for processors with compilers in distributions: its test is skipped.

`make microblaze-programs` (tests/guest/microblaze/store) writes the store again. It stores
everything that the tests request, which they record in the folder PMK_MB_RECORD.
"""
import functools
import hashlib
import io
import json
import lzma
import os
import tarfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest", "microblaze", "stored")
ANEW = "`make microblaze-programs` makes and stores it again"


def checksum(data):
    return hashlib.sha256(data).hexdigest()


@functools.cache
def index():
    """Returns [{"key", "sha256", "recipe"} or {"answer", "question", "sha256"}]."""
    path = os.path.join(FOLDER, "index")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f][1:]


@functools.cache
def by_key():
    return {e["key"]: e for e in index() if "key" in e}


def has_library(recipe):
    while "of" in recipe:
        recipe = recipe["of"]
    return any(isinstance(s, str) and s.startswith("@library/") for s in recipe["sources"])


def archive_of(recipe):
    return "library.tar.xz" if has_library(recipe) else "programs.tar.xz"


@functools.cache
def archive(name):
    """Returns {member: bytes}."""
    with tarfile.open(os.path.join(FOLDER, name)) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar}


def stored(key):
    """Returns the stored file for this key, or None. With the user's own compiler
    (PMK_MB_TOOLCHAIN), it always returns None."""
    entry = by_key().get(key)
    if not entry or os.environ.get("PMK_MB_TOOLCHAIN"):
        return None
    data = archive(archive_of(entry["recipe"]))[key]
    assert checksum(data) == entry["sha256"], f"{FOLDER}: {key} is damaged"
    return data


def was_stored(recipe):
    """Returns true if a file of this recipe is stored, even if it was made from other sources."""
    return any(e["recipe"] == recipe for e in by_key().values())


def answer(name, question):
    """Returns the stored answer, or None."""
    for e in index():
        if e.get("answer") == name and e["question"] == checksum(question):
            data = archive("answers.tar.xz")[name]
            assert checksum(data) == e["sha256"], f"{FOLDER}: {name} is damaged"
            return data
    return None


# ---- recording -----------------------------------------------------------------------------------

def write_once(path, data):
    if not os.path.exists(path):
        mine = f"{path}.{os.getpid()}"
        with open(mine, "wb") as f:
            f.write(data)
        os.replace(mine, path)


def record(key, recipe):
    folder = os.environ.get("PMK_MB_RECORD")
    if folder:
        write_once(os.path.join(folder, key + ".recipe"), json.dumps(recipe).encode())


def record_answer(name, question, said):
    """Records an answer. Returns false if nothing is recorded."""
    folder = os.environ.get("PMK_MB_RECORD")
    if folder:
        write_once(os.path.join(folder, f"{name}-{checksum(question)}.answer"), said)
    return bool(folder)


def recorded(folder):
    """Returns {key: recipe} and [(name, checksum of the question, answer)]."""
    recipes, answers = {}, []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as f:
            data = f.read()
        base, kind = os.path.splitext(name)
        if kind == ".recipe":
            recipes[base] = json.loads(data)
        elif kind == ".answer":
            answers.append((*base.rsplit("-", 1), data))
    return recipes, answers


def pack(name, members):
    """Writes an archive. Equal members and the same liblzma give an equal file."""
    tar_bytes = io.BytesIO()
    with tarfile.open(fileobj=tar_bytes, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for member, data in members:
            info = tarfile.TarInfo(member)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    packed = lzma.compress(tar_bytes.getvalue(), preset=9 | lzma.PRESET_EXTREME)
    with open(os.path.join(FOLDER, name), "wb") as f:
        f.write(packed)


def write(compiler, programs, answers):
    """Writes the store. `programs` is [(key, recipe, bytes)]."""
    os.makedirs(FOLDER, exist_ok=True)
    # Similar programs are next to each other, which compresses better.
    programs = sorted(programs, key=lambda p: json.dumps(p[1], sort_keys=True))
    lines = [{"compiler": compiler}]
    lines += [{"key": key, "sha256": checksum(data), "recipe": recipe} for key, recipe,
              data in programs]
    lines += [{"answer": name, "question": question, "sha256": checksum(data)} for name, question,
              data in answers]
    with open(os.path.join(FOLDER, "index"), "w", encoding="utf-8") as f:
        f.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    for name in ("programs.tar.xz", "library.tar.xz"):
        pack(name, [(key, data) for key, recipe, data in programs if archive_of(recipe) == name])
    pack("answers.tar.xz", [(name, data) for name, _, data in answers])
