# SPDX-License-Identifier: MIT
"""The man pages agree with the program about options, core parameters, exit codes and the
environment. Their examples run, and mandoc finds no error."""
import os
import re
import shutil

from harness import *
import recordings
import repo

pytestmark = pytest.mark.quick

COMMANDS = ("stat", "report", "list", "info", "decode", "doctor", "wave",
            "annotate", "export", "diff", "gate", "record", "run", *LAB)
PAGES = ("pmk",) + tuple("pmk-" + c for c in COMMANDS)
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES",
            "EXAMPLES", "SEE ALSO"]

# Examples that should fail, or that need a board. All other examples exit with 0.
EXIT_CODES = {
    "pmk stat -T openocd:localhost:6666 --pmu arm1176 -e cycles,dcache_miss -- sleep 5": 125,
    "pmk stat -T gdb:localhost:2331 --pmu l210 --set base=0x43F08000,imx31=1 --timeout 1000": 125,
    "pmk stat -T devmem:/dev/uio0 --pmu ahbmon -I 1000": 125,
    "pmk stat -T xvc:localhost:2542 --pmu microblaze -- sleep 5": 125,
    "pmk stat -e cycles ./prog fail": 3,
    "pmk stat -e nosuchevent ./prog": 129,
    "pmk doctor -T openocd:localhost:6666 --pmu arm1176": 125,
    "pmk doctor -T devmem:/dev/uio0 --pmu l220": 129,
    "pmk report reset.log": 125,
    "pmk diff --fail-over 2% -e cycles base.data new.data": 1,
    "pmk history bisect --build make ./prog": 125,
    "pmk list nosuchtopic": 129,
    "pmk info nosuchname": 129,
    "pmk decode arm1176 PMNC=0x123456789": 129,
    "pmk doctor nosuchcheck": 129,
    "pmk wave check cut.vcd --map ahb.ini": 2,
    "pmk wave check sim.vcd": 129,
}
# Examples that need more than pmk and a cross compiler.
NEEDS = {"qemu-system-arm": ("qemu-system-arm", "arm-none-eabi-gcc")}

PROG_C = r"""
static unsigned char data[4096];
__attribute__((noinline)) void fill(unsigned n)
{
	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i * n);
}
__attribute__((noinline)) unsigned checksum(void)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < sizeof(data); i++)
		sum = sum * 31 + data[i];
	return sum;
}
int main(int argc, char **argv)
{
	volatile unsigned sum = 0;
	for (unsigned n = 1; n < 20; n++) {
		fill(n);
		sum += checksum();
	}
	return argc > 1 && argv[1][0] == 'f' ? 3 : 0;
}
"""

# The program exits through semihosting, with ADP_Stopped_ApplicationExit.
FIRMWARE_S = r"""
	.global _start
_start:	mov	r4, #100
1:	subs	r4, r4, #1
	bne	1b
	mov	r0, #0x18
	ldr	r1, =0x20026
	svc	0x123456
	b	.
"""


def page(name):
    return repo.text(f"docs/man/{name}.1.scd")


def section(name, title):
    m = re.search(rf"^# {title}\n(.*?)(?=^# |\Z)", page(name), re.M | re.S)
    assert m, f"{name}(1) has no section {title}"
    return m.group(1)


def help_options(command):
    """Returns [(letter or None, name, argument or None)] as printed by --help."""
    out = pmk(command, "--help")
    equal(out.code, 0, command)
    found = re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?  ", out.out, re.M)
    assert found, f"pmk {command} --help shows no options:\n{out.out}"
    return [(letter or None, name, arg or None) for letter, name, arg in found]


def page_options(name):
    """Returns [(letter, option, argument)] from the entries of OPTIONS."""
    found = re.findall(r"^(?:\*-(\w)\*, )?\*--([\w-]+)\*(?: _(\S+)_)?$", section(name, "OPTIONS"),
                       re.M)
    return [(letter or None, option, arg or None) for letter, option, arg in found]


def table(name, title):
    """Returns the rows of the scdoc table in a section, as lists of cells."""
    rows = []
    for line in section(name, title).splitlines():
        m = re.match(r"([|\[\]:])[\[\]<>=\- ] ?(.*)", line)
        if m and (m.group(1) != ":"):
            rows.append([m.group(2).strip(" *")])
        elif m and rows:
            rows[-1].append(m.group(2).strip(" *"))
    return rows


# {family of cores: its word in the page's column of cores}. The ARM926EJ-S has keys of its own, and
# most keys of arm.
FAMILIES = {"arm11": "arm", "arm9": "ahb", "a64": "a64", "microblaze": "microblaze",
            "cortexm": "cortexm"}


# {unit of a parameter: the words for its values 0, 1, …}
WORDS = {"l": ["none", "l210", "l220", "plain"], "y": ["own", "lru", "fifo", "plru", "random"]}


def core_keys(family):
    """Returns {key: [default, range, text]} of the cores of a family, as on the page."""
    def shown(value, unit):
        value = int(value)
        if unit == "b":
            return "on" if value else "off"
        if unit in WORDS:
            return WORDS[unit][value]
        return f"{value // 1024}K" if unit in "sq" and value % 1024 == 0 else str(value)

    def values(unit, low, high):
        low, high = int(low), int(high)
        few = [n for n in range(low, min(high, 100) + 1)
               if low == high or unit == "w" and n % 16 == 0 or unit in "pq" and n & (n - 1) == 0]
        if unit == "b":
            return "on, off"
        if unit in WORDS:
            return ", ".join(WORDS[unit])
        if high <= 100 and 1 <= len(few) <= 4:
            return ", ".join(shown(n, unit) for n in few)
        return f"{shown(low, unit)} to {shown(high, unit)}" + (", 2^n" if unit in "pq" else "")

    return {key: [shown(default, unit), values(unit, low, high), text]
            for key, default, low, high, unit, text in repo.core_keys(family)}


def test_options_of_every_command_are_in_its_page():
    for command in COMMANDS:
        equal(page_options("pmk-" + command), help_options(command), f"pmk-{command}(1) and --help")


def test_every_command_has_a_page():
    listed = re.findall(r"^  (\w+) +\S", pmk("--help").out, re.M)
    equal(sorted(listed), sorted(COMMANDS))
    for command in listed:
        contains(section("pmk", "COMMANDS"), f"*pmk-{command}*(1)")
    there = sorted(f for f in os.listdir(os.path.join(SOURCE, "docs/man")) if f.endswith(".scd"))
    equal(there, sorted(p + ".1.scd" for p in {*PAGES, *("pmk-" + c for c in LAB_COMMANDS)}))


def test_briefs_agree():
    """The line after NAME equals the command's line in the overview."""
    for command, brief in re.findall(r"^  (\w+) +(.+)$", pmk("--help").out, re.M):
        contains(section("pmk-" + command, "NAME"), f"pmk-{command} - {brief}")
        contains(section("pmk", "COMMANDS"), brief)


def test_options_of_pmk_itself_work():
    for letter, name, arg in page_options("pmk"):
        equal(arg, None, name)
        for spelling in ([f"-{letter}"] if letter else []) + [f"--{name}"]:
            equal(pmk(spelling).code, 0, spelling)


def test_core_parameters_are_those_of_the_program():
    rows = table("pmk-stat", "CORE PARAMETERS")
    equal(rows[0], ["key", "cores", "default", "range", "meaning"])
    equal(set(FAMILIES), set(repo.core_families()))
    keys = {family: core_keys(family) for family in FAMILIES}
    assert all(len(k) > 20 for k in keys.values()), {f: len(k) for f, k in keys.items()}
    told = {family: {} for family in FAMILIES}
    for key, cores, default, values, text in rows[1:]:
        for family, word in FAMILIES.items():
            is_for = cores == "all" or word in cores.split()
            # Texts for arm also apply to the ARM926EJ-S, except those for parameters of an ARM11's
            # memory system.
            if family == "arm9" and word not in cores.split():
                is_for = key in keys["arm9"] and (is_for or "arm" in cores.split())
            # "all" means cores with caches.
            if family == "cortexm":
                is_for &= key in keys["cortexm"]
            if is_for:
                above = told[family].get(key)
                told[family][key] = [above[0] if default == "as above" else default, values, text]
    for family in FAMILIES:
        equal(told[family], keys[family], f"cores of {family}")


def test_pages_have_their_sections():
    for name in PAGES:
        titles = re.findall(r"^# (.+)$", page(name), re.M)
        equal([t for t in titles if t in SECTIONS], [t for t in SECTIONS if t in titles], name)
        missing = set(SECTIONS) - set(titles)
        equal(missing, set(), f"{name}(1) lacks sections")


def test_exit_codes_are_those_of_cli_h():
    codes = dict(re.findall(r"(PMK_EXIT_\w+) = (\d+)", repo.text("src/cli/cli.h")))
    equal(sorted(codes.values(), key=int), ["0", "125", "126", "127", "129"])
    for name in ("pmk", "pmk-stat"):
        told = {row[0] for row in table(name, "EXIT STATUS")}
        for code in codes.values():
            assert code in told, f"{name}(1) does not tell exit code {code}"
    told = {row[0] for row in table("pmk-stat", "EXIT STATUS")}
    assert {"its own", "128 + N"} <= told, told


def test_environment_is_what_the_source_reads():
    read = set()
    for path in repo.files():
        if path.startswith(("src/cli/", "src/count/",
                            "src/producer/qemu/")) and path.endswith(".c"):
            read |= set(re.findall(r'getenv\("(\w+)"\)', repo.text(path)))
    told = set(re.findall(r"\*([A-Z_]+)\*", section("pmk", "ENVIRONMENT") +
                          section("pmk-stat", "ENVIRONMENT")))
    equal(told, read - {"HOME"}, "variables told and read")


def examples():
    for name in PAGES:
        for block in re.findall(r"^```\n(.*?)^```", page(name), re.M | re.S):
            for line in block.splitlines():
                m = re.match(r"\$ (pmk .*)", line)
                if m:
                    yield name, m.group(1)


@lab
def test_every_page_has_examples():
    seen = {name for name, _ in examples()}
    equal(seen, set(PAGES))
    for line in EXIT_CODES:
        assert line in [l for _, l in examples()], f"{line} is no longer an example"


def example_folder():
    folder = os.path.join(WORK, "man-examples")
    os.makedirs(folder, exist_ok=True)
    source = os.path.join(folder, "prog.c")
    with open(source, "w") as f:
        f.write(PROG_C)
    for name, dumps in (("boot.log", "log"), ("reset.log", "reset")):
        shutil.copy(os.path.join(SOURCE, "tests/fuzz/corpus/dump", dumps),
                    os.path.join(folder, name))
    for name, seed in (("sim.vcd", "vcd/small"), ("cut.vcd", "vcd/cut"),
                       ("ahb.ini", "wavemap/ahb")):
        shutil.copy(os.path.join(SOURCE, "tests/fuzz/corpus", seed), os.path.join(folder, name))
    shutil.copy(os.path.join(SOURCE, "tests/fuzz/corpus/log/arm1176"),
                os.path.join(folder, "run.log"))
    shutil.copy(os.path.join(SOURCE, "data/cores/arm1176.ini"), os.path.join(folder, "mine.ini"))
    recordings.sample(os.path.join(folder, "pmk.data"), contexts=True)
    recordings.changed(recordings.sample(os.path.join(folder, "base.data")),
                       os.path.join(folder, "new.data"))
    for name in ("base.json", "new.json"):
        recordings.document(os.path.join(folder, name), cpu_cycles=1000)
    program = compile_arm(source, "man-examples/prog", "-O1", "-static")
    shutil.copy(os.path.join(SOURCE, "examples/sweep/caches.ini"), folder)
    compile_arm(os.path.join(SOURCE, "examples/sweep/matrix.c"), "man-examples/matrix", "-O1",
                "-static")
    # -U__arm__ leaves out the kernels that measure code, because they take half of the time of
    # `pmk calibrate`. test_calibrate.py includes them.
    compile_arm(os.path.join(SOURCE, "data/calibrate/kernels.c"), "man-examples/kernels", "-O2",
                "-static", "-U__arm__")
    return folder, program


def make_firmware(folder):
    with open(os.path.join(folder, "firmware.s"), "w") as f:
        f.write(FIRMWARE_S)
    out = run("arm-none-eabi-gcc", "-mcpu=arm1176jzf-s", "-marm", "-nostdlib", "-Wl,-Ttext=0x10000",
              "firmware.s", "-o", "firmware.elf", cwd=folder)
    equal(out.code, 0, out.err)


def kind(line):
    """Returns what an example requires: an emulated board, the kernel's permission to count, or
    nothing."""
    return "board" if "qemu-system" in line else "linux" if "-T linux" in line else "any"


def run_examples(wanted):
    folder, _ = example_folder()
    env = dict(os.environ, PATH=BUILD + ":" + os.environ["PATH"])
    ran = 0
    for name, line in examples():
        if kind(line) != wanted:
            continue
        out = run("sh", "-c", line, cwd=folder, env=env)
        equal(out.code, EXIT_CODES.get(line, 0), f"{name}(1): {line}: {out}")
        if out.code == 129:
            assert out.err.startswith("pmk: "), f"{line}: {out}"
        else:
            assert "warning:" not in out.err, f"{line}: {out}"
        ran += 1
    return ran


@pytest.mark.more
def test_examples_run():
    assert run_examples("any") > 15


@pytest.mark.more
def test_firmware_example_runs():
    have(*NEEDS["qemu-system-arm"])
    folder, _ = example_folder()
    make_firmware(folder)
    equal(run_examples("board"), 3)


def test_examples_on_this_machine_run():
    out = pmk("stat", "-T", "linux", "-a", "-e", "context-switches", "true")
    if out.code:
        skip(out.err.strip())
    assert run_examples("linux") > 3


def test_pages_are_sound():
    have("scdoc", "mandoc")
    for name in PAGES:
        man = run("scdoc", stdin=page(name))
        equal(man.code, 0, f"{name}: {man.err}")
        lint = run("mandoc", "-T", "lint", "-W", "error", stdin=man.out)
        equal((lint.code, lint.out), (0, ""), name)
        # roff drops a line that begins with a dot or a quote.
        shown = run("mandoc", "-T", "utf8", stdin=man.out).out
        for title in SECTIONS:
            contains(re.sub(".\x08", "", shown), title)
        assert "..." not in re.findall(r"^\s*(\S+)", page(name),
                                       re.M), f"{name}: a line begins with '...'"


@lab
def test_pages_refer_to_pages_that_exist():
    for name in PAGES:
        for other in re.findall(r"\*(pmk[\w-]*)\*\(1\)", page(name)):
            assert other in PAGES, f"{name}(1) refers to {other}(1)"
        for path in re.findall(r"\b((?:docs|data)/[\w/.-]+\.\w+)\b", page(name)):
            assert repo.exists(path) or "NAME" in path, f"{name}(1) names {path}"
