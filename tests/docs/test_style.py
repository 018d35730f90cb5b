# SPDX-License-Identifier: MIT
"""C files look as clang-format makes them; no line of C, Python or shell is over 100 columns."""
import ast
from concurrent.futures import ThreadPoolExecutor

from harness import *
import repo

pytestmark = pytest.mark.quick

VERSION = "14"  # other versions format a file in other ways
COLUMNS = 100


def c_files():
    return [p for p in repo.files() if p.endswith((".c", ".h"))]


def formatter():
    have("clang-format")
    out = run("clang-format", "--version").out
    found = re.search(r"version (\d+)", out)[1]
    if found != VERSION:
        skip(f"this clang-format is version {found}; the sources are formatted with {VERSION}")
    return "clang-format"


@pytest.mark.more
def test_c_files_are_formatted():
    command = formatter()
    files = c_files()
    assert len(files) > 300

    def wrong(some):
        out = run(command, "--dry-run", *some, cwd=SOURCE)
        return re.findall(r"^(\S+?:\d+):\d+: warning: code should be clang-formatted", out.err,
                          re.M)

    with ThreadPoolExecutor(2) as pool:
        found = [line for some in pool.map(wrong, [files[n::8] for n in range(8)]) for line in some]
    assert not found, f"`clang-format -i` changes {len(found)} lines: {', '.join(found[:8])}"


def python_files():
    def is_script(path):
        return re.match(r"#!.*python", repo.text(path) or "")
    return [p for p in repo.files() if p.endswith(".py") or "." not in p and is_script(p)]


def shell_files():
    def is_script(path):
        return re.match(r"#!.*\b(ba|da)?sh\b", repo.text(path) or "")
    return [p for p in repo.files()
            if p.endswith(".sh") or "." not in os.path.basename(p) and is_script(p)]


def long_lines(text):
    return {n for n, line in enumerate(text.split("\n"), 1) if len(line.expandtabs(8)) > COLUMNS}


def quoted_lines(text):
    """Returns the lines of multi-line strings that are not docstrings, but programs or output."""
    tree = ast.parse(text)
    strings = [n for n in ast.walk(tree) if isinstance(n, ast.JoinedStr)
               or isinstance(n, ast.Constant) and isinstance(n.value, (str, bytes))]
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = [n.body[0].value for n in ast.walk(tree)
                  if isinstance(n, documented) and ast.get_docstring(n, clean=False) is not None]
    # A string of several adjacent literals also has several lines, but none of the literals has
    # more than one. Such strings are skipped.
    return {line for s in strings if s not in docstrings and s.lineno != s.end_lineno
            for quote in [ast.get_source_segment(text, s)]
            if re.match(r"(?i)[rbf]*(\"\"\"|''')|.*\\\n", quote)
            for line in range(s.lineno, s.end_lineno + 1)}


def test_lines_of_c_are_short():
    found = [f"{p}:{n}" for p in c_files() for n in sorted(long_lines(repo.text(p)))]
    assert not found, f"{len(found)} lines over {COLUMNS} columns: {', '.join(found[:8])}"


def test_lines_of_python_are_short():
    files = python_files()
    assert len(files) > 100
    found = []
    for p in files:
        text = repo.text(p)
        lines = long_lines(text)
        lines -= quoted_lines(text) if lines else set()
        found += [f"{p}:{n}" for n in sorted(lines)]
    assert not found, f"{len(found)} lines over {COLUMNS} columns: {', '.join(found[:8])}"


def test_lines_of_shell_are_short():
    files = shell_files()
    assert len(files) > 5, files
    found = [f"{p}:{n}" for p in files for n in sorted(long_lines(repo.text(p)))]
    assert not found, f"{len(found)} lines over {COLUMNS} columns: {', '.join(found[:8])}"
