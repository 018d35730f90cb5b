# SPDX-License-Identifier: MIT
"""docs/ahbmon.md agrees with the sources about the buses, their rules and parameters, and the
fields of the packet."""
import re

from harness import *
import repo

pytestmark = pytest.mark.quick


def section(n):
    return re.search(rf"^## {n}\. .*?(?=^## |\Z)", repo.text("docs/ahbmon.md"),
                     re.M | re.S).group(0)


def test_every_rule_of_the_protocol():
    told = re.findall(r"^\| ([a-z][\w-]+) \| (AHB, Lite|AHB|Lite) \|", section(10), re.M)
    real = re.findall(r'^\s*X\(\w+,\s*"([\w-]+)",', repo.text("src/buses/ahb/check.h"), re.M)
    assert len(real) > 15, real
    equal([name for name, _ in told], real)


def test_every_parameter_exists():
    headers = {7: ["src/buses/ahb/layer.h", "src/buses/ahb/gxi.h"], 8: ["src/pmu/ahbmon/packet.h"],
               9: ["src/buses/ahb/matrix.h", "src/buses/ahb/mbx.h"],
               5: ["include/pmk/ahbmon_model.h", "include/pmk/ahbmon.h"]}
    for n, paths in headers.items():
        code = " ".join(repo.without_comments(repo.text(p)) for p in paths)
        rows = re.findall(r"^\| [^|]+ \| [^|]+ \| ([^|]*) \|$", section(n), re.M)
        named = [w for row in rows for span in re.findall(r"`([^`<]+)`", row)
                 for w in re.findall(r"\w+", span.split(":")[0])]
        for word in named:
            assert re.search(rf"\b{word}\b", code), f"section {n} names {word}"


def test_every_parameter_is_on_the_page():
    """Every member of a struct of parameters is on the page."""
    for n, path, struct in ((7, "src/buses/ahb/layer.h", "pmk_ahb_layer_params"),
                            (5, "include/pmk/ahbmon_model.h", "pmk_ahbmon_params")):
        body = re.search(rf"^struct {struct} \{{\n(.*?)^\}};", repo.text(path),
                         re.M | re.S).group(1)
        members = re.findall(r"\b(\w+)(?:\[\w+\])?[,;]", repo.without_comments(body))
        assert len(members) > 3, members
        told = section(n) + section(5)
        equal([m for m in members if m not in ("nwindows", "window") and f"`{m}`" not in told], [],
              path)


def test_fields_of_the_packet():
    code = repo.text("src/pmu/ahbmon/packet.c")
    layers = re.findall(r"PMK_BITS\((\d+), (\d+)\),\s*/\* ([\w-]+) \*/", code)
    gxi = re.findall(r"^#define (GXI_\w+)\s+PMK_BITS\((\d+), (\d+)\)", code, re.M)
    equal((len(layers), len(gxi)), (6, 2))
    page = dict(re.findall(r"^\| \[([\d:]+)\] \| ([^|]+) \|", section(8), re.M))
    for hi, lo, name in layers:
        equal(page[f"{hi}:{lo}"], name)
    for name, hi, lo in gxi:
        contains(page[f"{hi}:{lo}"], "data" if name == "GXI_DATA" else "address")
    bits = [b for span in page for b in range(int(span.split(":")[-1]),
                                              int(span.split(":")[0]) + 1)]
    equal(sorted(bits), list(range(34)), "every pin once")
