# SPDX-License-Identifier: MIT
"""Few sentences of the documents and of comments read like a literal translation. Simple patterns
mark such sentences, and their share stays below a ceiling. The patterns miss some of these
sentences, and mark some good ones. If a change makes the texts plainer, lower the ceiling. Do not
raise it."""
import re

from harness import *
import repo

pytestmark = pytest.mark.quick

CEILING = 1.0  # percent of the documents
CEILING_OF_COMMENTS = 0.5  # percent of the comments in ROOMS

# Folders of C whose comments are checked.
ROOMS = r"(?:include/pmk|src|tests|bench)(?:/\w+)*"

# (replacement, pattern)
PATTERNS = [(advice, re.compile(pattern)) for advice, pattern in (
    ("after, below, beyond", r"\bbehind (the|it|that|which|these|each|a|line|them|this)\b"),
    ("next to, in addition to", r"\bbeside\b"),
    ("again", r"\banew\b"),
    ("reports, prints, shows", r"\b(is|are|was|were) told\b"
                               r"|\btells? (by|how|which|whether|what|where|the|of|apart)\b"),
    ("is, are", r"\b(stands?|stood|lies|lay) (in|at|on|there|below|above|behind|beside|where)\b"),
    ("subject first", r"(?:^|[.;:] )(Of|From|To|Beside) "
                      r"(a|an|the|all|each|these|those|what|which)\b"),
    ("the noun as the subject", r"^(What|Who|Whoever|Whichever) [^.;:?]{5,70}? "
                                r"(is|are|was|has|have|does|do|can|costs?|takes?|stays?)\b[^?]*$"),
    ("must", r"\b(is|are|was) to be \w+(ed|en|t)\b"),
    ("except", r"\bbut for\b"),
    ("only", r"\b(it|them|that|those|one|\w+s) alone\b"),
    ("who: the caller, the kernel, pmk", r"\b([Nn]obody|[Ss]omebody|[Ww]hoever)\b"),
    ("too, also", r"\blikewise\b|\bin vain\b|\ball the same\b"),
)]


def documents():
    return [p for p in repo.files()
            if re.fullmatch(r"README\.md|CONTRIBUTING\.md|docs/[\w-]+\.md|docs/man/[\w-]+\.scd", p)]


def sentences(path):
    """Returns (line, sentence) of running text: no code, tables or headings."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group())
    text = re.sub(r"```.*?```", blank, repo.text(path), flags=re.S)
    text = re.sub(r"^(?:    |[|:\[\]#]|\t\$).*$", blank, text, flags=re.M)
    start = 0
    for end in re.finditer(r"(?<=[.!?])\s+(?=[A-Z*`_])|\n\s*\n|\n(?=\s*[-*] )|\Z", text):
        raw, begin = text[start:end.start()], start
        start = end.end()
        sentence = " ".join(raw.split()).strip(" -*")
        if len(sentence.split()) > 3:
            yield 1 + text.count("\n", 0, begin + len(raw) - len(raw.lstrip())), sentence


def comments(path):
    """Returns (line, sentence) of the comments of a file of C."""
    text = repo.text(path)
    for comment in re.finditer(r"/\*(.*?)\*/", text, re.S):
        body = re.sub(r"(?m)^[ \t]*\*", "", comment.group(1))
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z*`_])|\n\s*\n", body):
            sentence = " ".join(sentence.split())
            if len(sentence.split()) > 3 and "SPDX" not in sentence:
                yield 1 + text.count("\n", 0, comment.start()), sentence


def marks(sentence):
    return [advice for advice, pattern in PATTERNS if pattern.search(sentence)]


def test_few_sentences_are_marked():
    total, marked = 0, []
    for path in documents():
        for line, sentence in sentences(path):
            total += 1
            marked += [f"{path}:{line}: {advice}?: {sentence[:90]}"
                       for advice in marks(sentence)[:1]]
    assert total > 1500, total
    share = 100 * len(marked) / total
    assert share <= CEILING, (f"{share:.2f} % of the documents' sentences are marked, "
                              f"{CEILING} % may be:\n" + "\n".join(marked))


def test_few_comments_are_marked():
    total, marked = 0, []
    for path in repo.files():
        if not re.fullmatch(rf"(?:{ROOMS})/\w+\.[ch]", path):
            continue
        for line, sentence in comments(path):
            total += 1
            marked += [f"{path}:{line}: {advice}?: {sentence[:90]}"
                       for advice in marks(sentence)[:1]]
    assert total > 13000, total
    share = 100 * len(marked) / total
    assert share <= CEILING_OF_COMMENTS, (f"{share:.2f} % of the comments are marked, "
                                          f"{CEILING_OF_COMMENTS} % may be:\n" + "\n".join(marked))


def test_the_patterns_bite():
    for sentence in ("Of all events the first is shown.", "The text stands behind the table.",
                     "What a row is not of is empty.", "The kernel tells which one it was.",
                     "It is true of all of them but for one.", "Nobody knows the code of pins."):
        assert marks(sentence), sentence
    for sentence in ("For make, pmk writes a Makefile.", "The text follows the table.",
                     "Fields that do not apply to a row are empty.", "What is in the dump?"):
        assert not marks(sentence), sentence
