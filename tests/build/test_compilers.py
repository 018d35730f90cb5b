# SPDX-License-Identifier: MIT
"""Every C compiler of this machine builds everything without a warning at Meson's warning level
3."""
from harness import *
from trees import build_tree, compiler_of, configure_tree, options_of

pytestmark = pytest.mark.ci

STRICT = {"warning_level": "3", "werror": True}


def version_of(compiler):
    """Returns the version without the compiler's name, because gcc and gcc-12 may be the same
    compiler."""
    return re.sub(r"^(cc|gcc|clang)(-\d+)?", "", run(compiler, "--version").out)


def compilers():
    """Returns one name for each installed compiler."""
    found = {}
    for name in ["gcc", *(f"gcc-{v}" for v in range(11, 20)), "clang",
                 *(f"clang-{v}" for v in range(13, 26))]:
        if shutil.which(name):
            found.setdefault(version_of(name), name)
    return list(found.values())


def builds_strictly(tree, compiler):
    """Checks that the tree was built by this compiler, and that a warning would have been an
    error."""
    options = options_of(tree)
    return ({name: options[name] for name in STRICT} == STRICT
            and version_of(compiler_of(tree)) == version_of(compiler))


@pytest.mark.parametrize("compiler", compilers())
def test_it_builds_without_a_warning(compiler):
    """Each compiler builds without a warning. `make check` builds its tree in this way, so only
    other compilers need another tree."""
    if builds_strictly(BUILD, compiler):
        build_tree(BUILD)
        return
    # Only GCC needs its optimiser to find some warnings. Small runs leave out the tests, which are
    # a quarter of all files.
    options = ["-Doptimization=0"] if compiler.startswith("clang") else []
    build_tree(configure_tree(f"warnings-{compiler}", "-Dwerror=true", "-Dwarning_level=3",
                              f"-Dtests={size('false', 'true')}", *options, compiler=compiler))


def test_both_kinds_are_here():
    equal({name.split("-")[0] for name in compilers()}, {"gcc", "clang"},
          "scripts/need test installs them")
