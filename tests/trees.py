# SPDX-License-Identifier: MIT
"""Makes build trees for tests, in addition to the tested tree. They are kept below WORK, and have
no manual pages. Their plugin is linked from the library's objects; only the tested tree optimises
the plugin at link time."""
import shlex

from harness import *


def configure_tree(name, *options, compiler=None):
    """Returns the path of a tree that Meson has configured. `compiler` replaces the compiler that
    Meson would choose."""
    tree = os.path.join(WORK, name)
    env = dict(os.environ)
    if compiler:  # otherwise Meson does not look for ccache
        env["CC"] = f"ccache {compiler}" if shutil.which("ccache") else compiler
    known = ("--reconfigure",) if os.path.exists(os.path.join(tree, "build.ninja")) else ()
    out = run("meson", "setup", *known, tree, SOURCE, "-Dplugin_lto=false", "-Ddocs=disabled",
              *options, env=env)
    equal(out.code, 0, repr(out))
    return tree


def build_tree(tree, *targets):
    out = run("ninja", "-C", tree, "--quiet", "-k", "0", *targets, timeout=2.5 * PATIENCE)
    equal(out.code, 0, out.out[-20000:] + out.err)


def options_of(tree):
    """Returns {option of Meson: value}."""
    with open(os.path.join(tree, "meson-info", "intro-buildoptions.json")) as f:
        return {option["name"]: option["value"] for option in json.load(f)}


def compiler_of(tree):
    """Returns the command that compiles C in a tree, without ccache."""
    with open(os.path.join(tree, "compile_commands.json")) as f:
        words = shlex.split(json.load(f)[0]["command"])
    return words[words[0].endswith("ccache")]
