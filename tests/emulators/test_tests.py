# SPDX-License-Identifier: MIT
"""With a patched emulator (scripts/qemu-patches), translated code tests which data accesses need a
callback of the plugin. The counts equal those with a callback for every access. The patch fits the
known sources, and other sources are left unchanged."""
import os
import re

import pytest

import microblaze_tools as mb
import test_modules
from harness import *
from programs import build
from test_mix import HALVES, ODD

PATCH = os.path.join(SOURCE, "scripts", "qemu-patch")


def patched():
    """Returns the folders with an emulator whose translated code tests accesses: those of
    PMK_TEST_QEMUS, and the one that `make qemu` built."""
    built = run(os.path.join(SOURCE, "scripts", "qemu"), "--path").out.strip()
    for folder in [built, *os.environ.get("PMK_TEST_QEMUS", "").split(":")]:
        emulator = os.path.join(folder, "qemu-arm")
        if folder and os.access(emulator, os.X_OK) and "qemu_plugin_vcpu_set_base" in \
                test_modules.symbols(emulator, "--defined-only"):
            yield folder


# Loads and stores of every size, aligned and unaligned, within a page, within a line and across
# their ends.
SIZES = r"""
#include <string.h>
static unsigned char pool[1 << 18];
static unsigned state = 7;
static unsigned next(void) { return state = state * 1664525 + 1013904223; }
int main(void)
{
	unsigned long long sum = 0;

	for (int i = 0; i < 200000; i++) {
		unsigned at = next() >> 14 & (sizeof(pool) - 16), n = next() >> 28;
		unsigned char byte;
		unsigned short half;
		unsigned word;
		unsigned long long two;

		if (n < 12)
			at &= 0xfff;
		switch (n & 7) {
		case 0: memcpy(&byte, pool + at, 1); sum += byte; break;
		case 1: memcpy(&half, pool + at, 2); sum += half; break;
		case 2: memcpy(&word, pool + at, 4); sum += word; break;
		case 3: memcpy(&two, pool + (at & ~7u), 8); sum += two; break;
		case 4: pool[at] = (unsigned char)sum; break;
		case 5: half = (unsigned short)sum; memcpy(pool + at, &half, 2); break;
		case 6: word = (unsigned)sum; memcpy(pool + at, &word, 4); break;
		case 7: memcpy(pool + (at & ~7u), &sum, 8); break;
		}
	}
	return (int)(sum & 1);
}
"""
ARM = ["-static", "-O2", "-marm", "-march=armv6k", "-mfloat-abi=soft"]


def microblaze(order):
    """Returns a program that compresses. It needs no C library, because there is none for this
    core, makes accesses of all sizes, and misses."""
    source = os.path.join(SOURCE, "bench", "programs", "compress.c")
    return mb.program("compress", source, order=order, flags=("-Wall", "-Wextra", "-Werror"))


PROGRAMS = {
    "sizes-arm1176": ("arm1176", lambda: [build("tests-sizes", SIZES, *ARM)]),
    "sizes-arm1136": ("arm1136", lambda: [build("tests-sizes", SIZES, *ARM)]),
    "halves-arm1176": ("arm1176", lambda: [build("tests-halves", HALVES, *ARM)]),
    "odd-arm1176": ("arm1176", lambda: [build("tests-odd", ODD, *ARM)]),
    **{f"sizes-{core}": (core, lambda: [build("tests-sizes-a64", SIZES, "-static", "-O2",
                                              prefix="aarch64-linux-gnu-")])
       for core in ("cortex-a53", "cortex-a72")},
    "compress-microblaze-little": ("microblaze", lambda: [microblaze("little"), "1"]),
    "compress-microblaze-big": ("microblaze", lambda: [microblaze("big"), "1"]),
}


# Events that need no clock are counted in another way. The cores are given by the beginnings of
# their names.
EVENTS = {
    "all": {"": "all"},
    "data": {"arm11": "dcache_access,dcache_miss,dcache_wback",
             "cortex": "l1d_cache,l1d_cache_refill,l1d_cache_wb,mem_access,l1d_tlb_refill",
             "microblaze": "load_any,dcache_hit,dcache_request"},
    "fetch": {"arm11": "icache_miss,itlb_miss,br_mispredict",
              "cortex": "l1i_cache_refill,l1i_tlb_refill,br_mis_pred",
              "microblaze": "icache_request,icache_hit"},
}


@pytest.mark.parametrize("events", EVENTS)
def test_counts_are_the_same(events):
    folders = list(patched())
    if not folders:
        pytest.skip("no emulator here makes tests in translated code: make qemu")
    for folder in folders:
        for name, (core, program) in PROGRAMS.items():
            asked = [e for name, e in EVENTS[events].items() if core.startswith(name)]
            if not asked:
                continue
            seen = []
            for tests in ("0", "1"):
                out = run(PMK, "stat", "-x,", "--core", core, "-e", asked[0], "--",
                          *program(),
                          env={**os.environ, "PMK_QEMU_DIR": folder, "PMK_QEMU_TESTS": tests})
                seen.append(out.err)
            assert re.search(r"^\d{3,},", seen[0], re.M), seen[0]
            equal(seen[1], seen[0], (folder, name))


def test_recordings_are_the_same(tmp_path):
    folders = list(patched())
    if not folders:
        pytest.skip("no emulator here makes tests in translated code: make qemu")
    for folder in folders:
        reports = []
        for tests in ("0", "1"):
            data = tmp_path / f"{tests}.data"
            env = {**os.environ, "PMK_QEMU_DIR": folder, "PMK_QEMU_TESTS": tests}
            out = run(PMK, "record", "-e", "all", "--core", "arm1176", "-o", data, "--",
                      build("tests-halves", HALVES, *ARM), env=env)
            equal(out.code, 0, out)
            reports.append(run(PMK, "report", "-i", data, "-x,").out)
        equal(reports[1], reports[0], folder)
        assert len(reports[0].splitlines()) > 5, reports[0]


def tree(tmp_path, version):
    (tmp_path / "VERSION").write_text(version + "\n")
    return tmp_path


def test_sources_that_nobody_knows_are_refused(tmp_path):
    out = run(PATCH, tree(tmp_path, "9.2.1"))
    equal(out.code, 1, out)
    assert "there is no patch for QEMU 9.2.1; there are some for 10.0, 7.2" in out.err, out
    out = run(PATCH, tree(tmp_path, "7.2.22"))
    equal(out.code, 1, out)
    assert "does not fit these sources of QEMU 7.2.22" in out.err, out
    equal(sorted(os.listdir(tmp_path)), ["VERSION"])


@pytest.mark.parametrize("series", ["7.2", "10.0"])
def test_patches_only_add(series):
    with open(os.path.join(SOURCE, "scripts", "qemu-patches", f"{series}.patch")) as f:
        lines = f.read().splitlines()
    equal([line for line in lines if re.match(r"-(?!-- )", line)], [])
    assert sum(line.startswith("+") for line in lines) > 300
