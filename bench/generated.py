# SPDX-License-Identifier: MIT
"""Shared by bench/culprit and bench/gate: programs of generated functions, and building them."""
import os

from common import output_of

COMPILE = ("arm-linux-gnueabi-gcc", "-g", "-O1", "-march=armv6k", "-marm", "-nostdlib", "-static",
           "-fno-toplevel-reorder")
NAMES = ["parse", "hash", "mix", "fold", "scan", "pack", "merge", "shift", "store", "lookup"]


class Function:
    """A generated function, which loops over a table. Its body is chosen only once, so it is the
    same in both builds."""

    def __init__(self, choose, name, table="table"):
        self.name = name
        self.passes = choose.randrange(60, 120)
        self.stride = choose.choice((1, 3, 5, 16))
        self.body = "".join(
            choose.choice(("x = x * 33 + table[at];", "x ^= x >> %d;", "table[at] += x & %d;",
                           "x += table[(at + %d) & (SIZE - 1)];", "if (x & %d) x ^= 0x5bd1;")
                          ).replace("%d", str(choose.randrange(1, 31))).replace("table", table)
            for _ in range(choose.randrange(2, 6)))

    def source(self, name, more="", padding=0, helper="", first=""):
        pad = f'__asm__(".rept {padding}\\n\\tnop\\n\\t.endr");\n' if padding else ""
        return (f"{helper}{pad}__attribute__((noinline)) unsigned {name}(unsigned x)\n{{\n{first}"
                f"\tfor (unsigned i = 0; i < {self.passes}; i++) {{\n"
                f"\t\tunsigned at = i * {self.stride} & (SIZE - 1);\n\n"
                f"{more}\t\t{self.body}\n\t}}\n\treturn x;\n}}\n")


def compile_in(folder, sources):
    """Compiles {name: text} in a new folder; returns the path of the program."""
    os.makedirs(folder)
    for name, text in sources.items():
        with open(os.path.join(folder, name + ".c"), "w") as f:
            f.write(text)
    output_of(*COMPILE, "-o", "prog", *(name + ".c" for name in sorted(sources)), cwd=folder)
    return os.path.join(folder, "prog")
