# SPDX-License-Identifier: MIT
"""docs/firmware.md: every C snippet compiles without a warning, for the processors that the comment
above it names, against the library in two files and small fakes of the RTOS headers (rtos/). The
page's numbers are right.

    <!-- compile: arm aarch64 -->                   a whole file
    <!-- compile: arm, after the first -->          continues after the page's first block
    <!-- compile: arm, inside a function -->        continues in the body of a function
    <!-- compile: aarch64 zephyr -->                a whole file, with the headers in rtos/zephyr
    <!-- file: NAME -->                             a file that others include
"""
import os
import re

from harness import *
import microblaze_tools

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = open(os.path.join(SOURCE, "docs", "firmware.md"), encoding="utf-8").read()
COMPILERS = {
    "arm": ("arm-none-eabi-gcc", "-mcpu=arm1176jzf-s", "-marm"),
    "aarch64": ("aarch64-linux-gnu-gcc", "-march=armv8-a", "-mgeneral-regs-only"),
    "microblaze": (os.path.join(microblaze_tools.folder()[0] or "", "bin",
                                microblaze_tools.PREFIX + "gcc"), "-mbig-endian"),
}
WARNINGS = ("-std=gnu11", "-ffreestanding", "-O2", "-Wall", "-Wextra", "-Werror",
            "-Wno-unused-function")


def blocks():
    """Returns [(line, language, marker, text)] of the fenced blocks. `marker` is the comment above
    a block, or None."""
    found = []
    for m in re.finditer(r"(?:^<!-- (.+?) -->\n)?^```(\w+)\n(.*?)^```$", PAGE, re.M | re.S):
        found.append((PAGE.count("\n", 0, m.start()) + 1, m.group(2), m.group(1), m.group(3)))
    return found


def library():
    """Returns a folder with newly generated pmk_target.[ch]."""
    folder = os.path.join(WORK, f"firmware-page-{os.getpid()}")
    if not os.path.exists(folder):
        out = run(os.path.join(SOURCE, "scripts", "amalgamate"), folder)
        equal(out.code, 0, str(out))
        for _, _, marker, text in blocks():
            if marker and marker.startswith("file: "):
                with open(os.path.join(folder, marker[6:]), "w") as f:
                    f.write(text)
    return folder


def compile_text(text, what, processor, *flags):
    have(COMPILERS[processor][0])
    out = run(*COMPILERS[processor], *WARNINGS, *flags, "-I", library(), "-x", "c", "-c", "-o",
              os.path.join(library(), "snippet.o"), "-", stdin=text)
    equal(out.code, 0, f"{what} for {processor}: {out.err}")


def test_every_c_block_is_marked():
    marked = [marker for _, language, marker, _ in blocks() if language == "c"]
    assert len(marked) >= 10, marked
    for line, language, marker, _ in blocks():
        if language == "c":
            assert marker and re.match(r"(compile|file): ", marker), f"line {line} has no mark"


def test_every_snippet_compiles():
    first = next(text for _, language, _, text in blocks() if language == "c")
    for line, _, marker, text in blocks():
        if not (marker or "").startswith("compile: "):
            continue
        words, _, how = marker[len("compile: "):].partition(", ")
        processors = [w for w in words.split() if w in COMPILERS]
        flags = [f"-I{HERE}/rtos/{w}" for w in words.split() if w not in COMPILERS]
        assert processors, f"line {line} names no processor"
        if how == "inside a function":
            text = first + "void snippet(void);\nvoid snippet(void)\n{\n" + text + "}\n"
        elif how == "after the first":
            text = first + text
        else:
            equal(how, "", f"line {line}")
        for processor in processors:
            if processor == "microblaze" and microblaze_tools.folder()[1]:
                continue
            compile_text(text, f"line {line}", processor, *flags)


def test_freertos_expands_the_hooks():
    have("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-nm")
    with open(os.path.join(HERE, "rtos", "freertos", "tasks.c")) as f:
        compile_text(f.read(), "tasks.c", "aarch64", f"-I{HERE}/rtos/freertos")
    names = run("aarch64-linux-gnu-nm", os.path.join(library(), "snippet.o")).out
    for hook in ("pmu_task_out", "pmu_task_in"):
        assert re.search(rf" U {hook}$", names, re.M), names


def test_zephyr_module_is_cmake():
    """CMake runs the commands of the Zephyr module's CMakeLists.txt. The functions of Zephyr are
    replaced by functions that log their arguments."""
    have("cmake")
    text = next(text for _, language, _, text in blocks()
                if language == "cmake" and "zephyr_library" in text)
    fakes = "".join(f"macro({name})\n  message(\"{name} ${{ARGV}}\")\nendmacro()\n" for name in
                    ("zephyr_include_directories", "zephyr_library", "zephyr_library_sources",
                     "zephyr_compile_definitions"))
    script = os.path.join(library(), "module.cmake")
    with open(script, "w") as f:
        f.write(fakes + text)
    wanted = {
        "y": "zephyr_include_directories M\nzephyr_library \nzephyr_library_sources "
             "M/pmk_target.c\n",
        "": "zephyr_include_directories M\nzephyr_compile_definitions PMK_ENABLED=0\n",
    }
    for config, want in wanted.items():
        out = run("cmake", "-DZEPHYR_CURRENT_MODULE_DIR=M", f"-DCONFIG_PMUKIT={config}", "-P",
                  script)
        equal((out.code, out.err), (0, want))


def test_sizes_of_structs_are_true():
    rows = re.findall(r"^\| `(pmk_\w+)` \| (\d+) \| (\d+) \|", PAGE, re.M)
    equal(len(rows), 5, str(rows))
    for processor, column in (("arm", 1), ("aarch64", 2)):
        text = '#include "pmk_target.h"\n' + "".join(
            f'_Static_assert(sizeof(struct {row[0]}) == {row[column]}, "{row[0]}");\n'
                                                     for row in rows)
        compile_text(text, "sizes", processor)


def test_deadlines_are_arithmetic():
    for cycles, seconds, hertz in ((2**31, "3.1", 700e6), (2**30, "0.89", 1.2e9),
                                   (2**31, "21", 100e6)):
        contains(PAGE, f"2^{cycles.bit_length() - 1} cycles: {seconds} s |")
        assert abs(cycles / hertz / float(seconds) - 1) < 0.03, (cycles, seconds)


def test_own_costs_are_measured():
    """The cost of a region on the page equals the one in the virt example's report (GCC 12)."""
    have("make", "aarch64-linux-gnu-gcc", "qemu-system-aarch64")
    if run("aarch64-linux-gnu-gcc", "-dumpversion").out.split(".")[0].strip() != "12":
        skip("the page's numbers are those of GCC 12")
    out = run("make", "-s", "-C", os.path.join(SOURCE, "examples", "firmware", "virt"), "run",
              "O=" + os.path.join(WORK, "firmware-page-virt"))
    equal(out.code, 0, str(out))
    said = re.search(r"with two events counts about (\d+) of its own instructions\. "
                     r"PMK_FAST_BEGIN and END add (\d+)", PAGE.replace("\n", " "))
    own = re.search(r"^ +\d+ +(\d+) +\d+  inst_retired$", out.out, re.M)
    fast = re.search(r"^el1 n 1 instructions (\d+) ", out.out, re.M)
    equal(int(fast.group(1)) - 4, int(said.group(2)))
    assert abs(int(own.group(1)) / int(said.group(1)) - 1) < 0.05, own.group(0)
    # The page's table has the three kinds of regions. A region adds "nested" to the region around
    # it.
    kinds = re.search(r"^\| region \| about (\d+) \| about (\d+), .*\n\| fast region \| at most "
                      r"(\d+) \| (\d+) \|.*\n"
                      r"\| PMK_FAST_BEGIN and END \| at most (\d+) \| (\d+) \|", PAGE, re.M)
    assert kinds, "no table"
    both, counted, fast_both, fast_counted, _, single = map(int, kinds.groups())
    nested = int(re.search(r"^ +\d+ +\d+ +(\d+)  inst_retired$", out.out, re.M).group(1))
    assert abs(nested / both - 1) < 0.05, (nested, kinds.group(0))
    assert abs(int(own.group(1)) / counted - 1) < 0.05, (nested, kinds.group(0))
    total = re.search(r"^fast region short loop: 10 times\n.*\n.*\n +(\d+) .*  inst_retired$",
                      out.out, re.M)
    equal((int(total.group(1)) - 4 * 55, fast_both), (10 * fast_counted, 80))
    equal(single, int(said.group(2)))


def microblaze_cost(cpu, option, events, rounds):
    """Returns how many instructions the ROUNDS rounds of tests/firmware/library/microblaze_cost.c
    take, and how often they access DBG_DATA."""
    path = microblaze_tools.program(f"cost{option}",
                                    [os.path.join(HERE, "library", "microblaze_cost.c"),
                                     "@library/pmk_target.c"],
                           cpu=cpu, flags=("-DPMK_FIRMWARE", option))
    n = [counts(stat("-e", "insn_executed", path, events, r))["insn_executed"]
         for r in (rounds, 2 * rounds)]
    said = microblaze_tools.run_program(path, str(events), str(rounds)).out
    return (n[1] - n[0]) / rounds, int(said or 0) / rounds


def test_a_region_on_microblaze_costs_what_the_page_says():
    have("qemu-microblazeel")
    text = PAGE.replace("\n", " ")
    one, five, full_one, full_five = map(int, re.search(
        r"On a processor without multiplier and barrel shifter, an empty region executes about "
        r"(\d+) instructions with one event, and about (\d+) with five\. With both units it "
        r"executes about (\d+) and (\d+) \(GCC 12, `-Os`", text).groups())
    ask = int(re.search(r"A try takes about (\d+) instructions", text).group(1))
    contains(text, "2 × (2 + events) accesses to the MDM, which is 14 for five events")
    cpus = microblaze_tools.SMALL, ("-mcpu=v9.6", *microblaze_tools.MULTIPLIER_64,
                                    *microblaze_tools.BARREL_SHIFTER)
    for cpu, events, told in ((cpus[0], 1, one), (cpus[0], 5, five), (cpus[1], 1, full_one),
                              (cpus[1], 5, full_five)):
        took, accesses = microblaze_cost(cpu, "-Os", events, 500)
        equal(accesses, 2 * (2 + events))
        assert abs(took / told - 1) < 0.05, (cpu, events, took, told)
    took, accesses = microblaze_cost(cpus[0], "-Os", 0, 500)
    assert abs(took / ask - 1) < 0.1, (took, ask)


def test_mean_and_deviation_of_a_latency():
    """For a latency counter that counted 1, 1 and 21 cycles, the page's function gives the mean 23
    / 3 and the deviation sqrt(800 / 9)."""
    have("cc")
    block = next(text for _, _, _, text in blocks() if "bool how_long(" in text)
    source = r"""
#include <stdio.h>
#include "pmk_target.h"
static int status;
static int counter(struct pmk_target *t, unsigned event, struct pmk_latency *l)
{
	(void)t;
	*l = (struct pmk_latency){ .n = 3, .sum = 23, .sum2 = 443, .min = 1, .max = 21 };
	return event == 5 ? status : PMK_ENOTSUP;
}
#define pmk_target_latency counter
""" + block + r"""
int main(void)
{
	unsigned long long mean = 0, deviation = 0;
	uint64_t m = 0, d = 0;
	for (status = 0; status < 3; status++) {
		bool good = how_long(0, 5, &m, &d);
		mean = m, deviation = d;
		printf("%d %llu %llu\n", good, mean, deviation);
	}
	printf("%d\n", how_long(0, 4, &m, &d));
	return 0;
}
"""
    path = os.path.join(library(), "how_long")
    with open(path + ".c", "w") as f:
        f.write(source)
    out = run("cc", "-std=gnu11", "-I", library(), "-o", path, path + ".c",
              os.path.join(library(), "pmk_target.c"))
    equal(out.code, 0, out.err)
    equal(run(path).out, "1 7667 9428\n0 7667 9428\n0 7667 9428\n0\n")


def test_the_two_files_build_as_the_page_says():
    """For MicroBlaze, the two files build with -ffreestanding and these helpers of the compiler,
    and not without them."""
    def compiled(name, *flags):
        return microblaze_tools.compilation(name, "@library/pmk_target.c", "-mcpu=v9.6",
                                            "-std=gnu11", "-Os", "-DPMK_FIRMWARE", *flags)

    hosted = compiled("hosted")
    equal((hosted["code"], hosted["missing"]), (1, ["stdint.h"]))
    for name, flags, wanted in (("freestanding", (),
                                 {"__mulsi3", "__muldi3", "__lshrdi3", "memset"}),
                                ("multiplier", ("-mno-xl-soft-mul", "-mxl-multiply-high"),
                                 {"__lshrdi3", "memset"})):
        found = compiled(name, "-ffreestanding", *flags)
        equal((found["code"], found["warnings"], set(found["undefined"])), (0, 0, wanted),
              str(flags))


def test_links_lead_somewhere():
    for link in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert os.path.exists(os.path.join(SOURCE, "docs", link)), link
