# SPDX-License-Identifier: MIT
"""docs/l2cc.md agrees with the catalogue, the presets and the model."""
import json
import os
import re

from harness import *
import repo

pytestmark = pytest.mark.quick


def page():
    return repo.text("docs/l2cc.md")


def test_the_page_agrees_with_the_catalogue():
    told = re.findall(r"^\| (\w+) \| (-|0x[0-9A-F]{2}) \| (-|0x[0-9A-F]{2}) \| (-|[A-Z0-9_]+) \| ",
                      page(), re.M)
    signals = dict(re.findall(r'\{ .*?"(\w+)", PMK_SIG_(\w+) \}',
                              repo.text("tests/pmu/test_l2cc.c")))
    for column, pmu in ((1, "l210"), (2, "l220")):
        real = {e["name"]: e for e in json.loads(pmk("list", "events", "-j", "--pmu",
                                                     pmu).out)["events"]}
        here = {row[0]: row for row in told if row[column] != "-"}
        assert len(here) > 8 and set(here) <= set(real), (here, real)
        for name, row in here.items():
            equal(int(row[column], 16), int(real[name]["code"], 16), f"{pmu} {name}")
            equal(row[3] == "-", real[name]["emulation"] == "not modelled", f"{pmu} {name}")
            equal(row[3] if row[3] != "-" else "NONE", signals[name], name)


def test_parameters_have_their_defaults():
    told = dict(re.findall(r"^\| `(l2\.\w+)` \| (\w+) \| ", page(), re.M))
    core = json.loads(pmk("list", "cores", "-j").out)
    core = next(c for c in core["cores"] if c["name"] == "arm1176")
    real = {k: v for k, v in core["parameters"].items() if k.startswith("l2.")}
    shown = {k: f"{v // 1024}K" if k == "l2.size" else "off" if k == "l2.write_allocate" and not v
             else str(v)
             for k, v in real.items()}
    equal(told, shown)


def test_choices_of_the_model_exist():
    told = re.findall(r"\| `(\w+)` \|$", page(), re.M)
    body = re.search(r"^struct pmk_l2cc_params \{\n(.*?)^\};",
                     repo.text("include/pmk/l2cc_model.h"), re.M | re.S).group(1)
    equal(sorted(told), sorted(re.findall(r"bool (\w+);", body)))


def test_registers_are_where_the_page_says():
    told = page()
    for pmu in ("l210", "l220"):
        table = re.search(rf"pmk_{pmu}_offsets\[\w+\] = \{{(.*?)\}}",
                          repo.text("src/pmu/l2cc/pmu.c"), re.S).group(1)
        for offset in re.findall(r"0x[0-9A-F]+", table):
            first = offset in told or int(offset, 16) % 0x100 in (4, 8)  # in "0x100 … 0x10C"
            assert first, f"{pmu}: {offset}"


def test_the_firmware_example_compiles():
    have("gcc")
    code = re.search(r"^```c\n(.*?)^```", page(), re.M | re.S).group(1)
    declarations, calls = code.split("\n\n")
    path = os.path.join(WORK, "l2cc-page.c")
    with open(path, "w") as f:
        f.write("#include <pmk/l2cc.h>\n#include <pmk/target.h>\n" + declarations +
                "\nvoid page(void);\nvoid page(void)\n{\n\tstatic struct pmk_target t;\n\n" + calls
                + "}\n")
    out = run("gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I",
              os.path.join(SOURCE, "include"), path)
    equal(out.code, 0, out.err)
