# SPDX-License-Identifier: MIT
"""The repository describes itself and the hardware. It describes neither the machines on which it
was made, nor how it was made. No file names a directory of a developer's machine, a package mirror,
an issue number or an assistant. The patterns are written in pieces, so this file does not match
itself.
"""
import re

from harness import *
import repo

pytestmark = pytest.mark.quick

# Texts of others, which we do not change.
VERBATIM = ("LICENSE",)


def any_of(*words):
    return "(?:" + "|".join(words) + ")"


FORBIDDEN = {
    # A path that begins with one of these folders. "test/work" and "HOME=/" do not match.
    "machine path": r"(?<![\w.$})~-])/" + any_of("wor" + "k", "roo" + "t", "hom" + "e")
             + r"(?=[/\s'\"`),;:]|$)",
    "package mirror": any_of(r"deb\." + r"debian\.org", r"security\." + r"debian\.org",
                             r"snapshot\." + r"debian", r"archive\." + r"ubuntu",
                             r"registry\.npm" + r"js", r"pypi\." + r"org", r"proxy\." + r"golang"),
    "issue number": r"(?i)\b" + any_of("issue", "issues", "ticket", "fixes", "closes",
                                       "merge request")
                    + r"\s+#?\d+\b",
    "way of working": r"(?i)\b" + any_of("chat" + "bot", "clau" + "de", "anthro" + "pic",
                                         "open" + "ai", r"language " + "model",
                                         r"ai " + "assistant", "ll" + "ms?", "sub" + "agent",
                                         r"(?:my|your|this|the) " + r"agent\b",
                                         r"(?:my|your|earlier|previous|this) " + r"chat",
                                         r"your " + "brief", r"my " + "brief", "dos" + "sier",
                                         r"shared/" + "reference", r"shared/" + "design") + r"\b",
    # Keys of private notes, where a document's number is expected.
    "unexplained source": r"\b" + any_of("T7" + "6p?", "S2" + "40", "C2" + "21", "LX" + "L2")
             + r"\b",
}
# In prose, a bare "#12" is an issue number, too. In assembly it is a constant.
PROSE = (".md", ".scd", ".ini", ".metric", ".txt")
BARE_NUMBER = r"(?:^|(?<=[\s(]))#\d+\b(?!\])"


def texts():
    for path in repo.files():
        if not path.startswith(VERBATIM):
            body = repo.text(path)
            if body is not None:
                yield path, body


def found(pattern, body):
    return [f"line {body.count(chr(10), 0, m.start()) + 1}: {m.group()!r}"
            for m in re.finditer(pattern, body, re.M)]


@pytest.mark.more
def test_nothing_leaks():
    seen, bad = 0, []
    for path, body in texts():
        seen += 1
        for what, pattern in FORBIDDEN.items():
            bad += [f"{path} {hit} ({what})" for hit in found(pattern, body)]
    assert seen > 80, f"only {seen} files looked at"
    equal(bad, [])


def test_prose_names_no_issue():
    bad = []
    for path, body in texts():
        if path.endswith(PROSE):
            prose = re.sub(r"```.*?```|`[^`\n]*`", lambda m: re.sub(r"[^\n]", " ", m.group()), body,
                           flags=re.S) if path.endswith(".md") else body
            bad += [f"{path} {hit}" for hit in found(BARE_NUMBER, prose)]
    equal(bad, [])


def test_file_names_are_plain():
    for path in repo.files():
        assert re.fullmatch(r"[\w./+-]+", path), path


def test_the_patterns_bite():
    for text in ("see /wor" + "k/main/x", "in /roo" + "t/.profile", '"/hom' + 'e/me"',
                 "at deb." + "debian.org/x", "as asked in issue " + "12", "the dos" + "sier says",
                 "as T7" + "6 says"):
        assert any(found(p, text) for p in FORBIDDEN.values()), text
    for text in ("test-work/x", "HOME=/", "$HOME/.config", "work/main", "ldr r0, [r1, #4]",
                 "libc/" "root/x", "issue B", "DDI 0211 issue K", "homepage"):
        assert not any(found(p, text) for p in FORBIDDEN.values()), text
    assert found(BARE_NUMBER, "as in #" + "12.")
    assert not found(BARE_NUMBER, "ldr r0,[r1,#4]")
