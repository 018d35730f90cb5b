# SPDX-License-Identifier: MIT
"""The package is typed, everything public has a docstring, and the example in the package's
docstring works."""
import doctest
import inspect
import os

import pytest

from harness import SOURCE, WORK, have, run
import pmk

pytestmark = pytest.mark.quick


@pytest.mark.more
def test_mypy_finds_nothing():
    have("mypy")
    out = run("mypy", "--strict", "--enable-incomplete-feature=Unpack", "--cache-dir",
              os.path.join(WORK, "mypy"), "pmk",
              cwd=os.path.join(SOURCE, "python"))
    assert out.code == 0, out
    assert os.path.exists(os.path.join(SOURCE, "python/pmk/py.typed"))


def test_everything_public_is_explained():
    missing = []
    for name in pmk.__all__:
        thing = getattr(pmk, name)
        if not inspect.isclass(thing) and not inspect.isroutine(thing):
            continue
        if not inspect.getdoc(thing):
            missing.append(name)
        if inspect.isclass(thing):
            missing += [f"{name}.{m}" for m, f in vars(thing).items() if not m.startswith("_")
                        and (inspect.isroutine(f) or isinstance(f, property))
                        and not inspect.getdoc(f)]
    assert missing == []


def test_the_examples_are_true():
    result = doctest.testmod(pmk)
    assert result.attempted >= 5 and result.failed == 0
    result = doctest.testfile(os.path.join(SOURCE, "docs/python.md"), module_relative=False)
    assert result.attempted >= 10 and result.failed == 0
