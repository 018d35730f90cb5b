# SPDX-License-Identifier: MIT
"""The firmware library as libpmk-target.a for every target, and as two files. The tests check its
dependencies and its size, and that PMK_ENABLED=0 removes it completely."""
import filecmp
import functools
import os
import re
import shutil
import sys

OWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "library")
from harness import *
from library import measure
from library.measure import tool, tools

TARGETS = {t[0]: t for t in tool().TARGETS}
MEMORY = {"memcpy", "memset", "memmove", "memcmp"}
# Helpers that a compiler calls if the instruction set has no 64-bit multiply and shift (16-bit
# Thumb).
THUMB_HELPERS = {"__aeabi_lmul", "__aeabi_llsr", "__aeabi_llsl", "__aeabi_lasr"}
# Helpers that a compiler calls if the processor may have no multiplier and no barrel shifter.
MICROBLAZE_HELPERS = {"__mulsi3", "__muldi3", "__lshrdi3"}
# These functions are declared for firmware, too, but they are defined only for hosts, or only for
# 32-bit ARMv7 and later.
NOT_IN_FIRMWARE = {"pmk_pmu_find", "pmk_pmus", "pmk_signal_name", "pmk_signal_text",
                   "pmk_signal_exact", "pmk_access_name", "pmk_port_cp15_pmuv3", "pmk_cortex_m"}
# These functions read counters with instructions, which a MicroBlaze does not have.
NOT_ON_MICROBLAZE = {"pmk_port_native", "pmk_native_probe", "pmk_native_fixup"}
FOLDER = os.path.join(WORK, "target-library")
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes",
            "-Wwrite-strings", "-Wundef", "-Wvla"]
INCLUDE = ["-I", os.path.join(SOURCE, "include")]
LEVELS = ("-O0", "-O1", "-Os", "-O2")


def library(name):
    """Returns the archive of a target, which is built only once."""
    return measure.build(name) or skip(tool().missing(TARGETS[name]))


def installed():
    """Returns the targets whose compiler is installed. Skips the test if there is none."""
    found = [n for n in TARGETS if not tool().missing(TARGETS[n])]
    return found or skip("no compiler for any target is installed")


def compiler(name, *more):
    """Returns the target's compiler with the flags for its processor, without the library's
    flags."""
    return [tools(name) + "gcc", *TARGETS[name][3].split(), "-std=gnu11", "-ffreestanding", *more]


def is_microblaze(name):
    return name.startswith("microblaze")


def linker(name):
    """Returns the target's ld with the option for its byte order."""
    return [tools(name) + "ld", *(["-EB"] if "-mbig-endian" in TARGETS[name][3] else [])]


def helpers(name):
    """Returns the compiler's helper functions that the library may call."""
    return MICROBLAZE_HELPERS if is_microblaze(name) else set()


def quiet(*argv, **kw):
    """Runs a compiler, which must succeed without printing anything."""
    out = run(*argv, **kw)
    assert out.code == 0 and not out.err, f"{' '.join(map(str, argv))}\n{out}"
    return out


def scratch(name):
    os.makedirs(FOLDER, exist_ok=True)
    return os.path.join(FOLDER, name)


def helper(name):
    return os.path.join(OWN, name)


@functools.cache
def whole(name):
    """Links all objects of the archive into one object. Returns its path."""
    made = scratch(f"{name}-all.o")
    quiet(*linker(name), "-r", "--whole-archive", library(name), "-o", made)
    return made


@functools.cache
def in_one():
    """Returns the folder of pmk_target.[ch], which scripts/amalgamate generates."""
    folder = scratch("in-one")
    quiet(os.path.join(SOURCE, "scripts/amalgamate"), folder)
    return folder


def symbols(nm, file, *options):
    """Returns {(kind, name)} of the symbols; `kind` is nm's letter."""
    return set(re.findall(r"([A-Za-z]) (\S+)$", run(nm, *options, file).out, re.M))


# ---- make target ---------------------------------------------------------------------------------


def test_the_script_builds_all_and_prints_their_sizes():
    names = installed()
    out = measure.made()
    equal((out.code, out.err), (0, ""), str(out))
    for name in names:
        archive = library(name)
        row = re.search(rf"^{name} +(\d+) +(\d+) +(\d+)  (\S+)$", out.out, re.M)
        assert row, f"no row for {name} in\n{out.out}"
        equal(os.path.abspath(row.group(4)), archive)
        told = [int(row.group(i)) for i in (1, 2, 3)]
        real = [0, 0, 0]
        for line in run(tools(name) + "size", "-A", "-d", archive).out.splitlines():
            section = line.split()
            for i, kinds in enumerate([(".text",), (".rodata",), (".data", ".bss", "COMMON")]):
                if len(section) == 3 and section[0].startswith(kinds):
                    real[i] += int(section[1])
        equal(told, real, name)
        assert told[0] > 5000 and told[1] > 2000, told
    for file in ("pmk_target.c", "pmk_target.h"):
        assert filecmp.cmp(scratch(f"target/{file}"), os.path.join(in_one(), file),
                           shallow=False), file


def test_a_missing_compiler_is_one_line():
    folder = scratch("few-tools")
    os.makedirs(folder, exist_ok=True)
    for command, path in (("python3", sys.executable), ("env", shutil.which("env"))):
        link = os.path.join(folder, command)
        if os.path.lexists(link):
            os.unlink(link)
        os.symlink(path, link)
    env = dict(os.environ, PATH=folder, PMK_MB_TOOLCHAIN=folder)
    out = run(os.path.join(SOURCE, "scripts/target"), scratch("none"), env=env)
    equal((out.code, out.err), (0, ""), str(out))
    for name, (_, prefix, how, _) in TARGETS.items():
        line = re.search(rf"^{name}: .*$", out.out, re.M).group()
        contains(line, f"{os.path.basename(prefix)}gcc is not installed ({how})")
    assert os.path.exists(scratch("none/target/pmk_target.c"))
    out = run(os.path.join(SOURCE, "scripts/target"), scratch("none"), "armv6", env=env)
    equal((out.code, len(out.err.splitlines())), (1, 1), str(out))
    contains(out.err, "apt-get install gcc-arm-none-eabi")
    out = run(os.path.join(SOURCE, "scripts/target"), scratch("none"), "z80", env=env)
    equal(out.code, 1)
    contains(out.err, "no target z80")


def test_what_is_built_is_installed():
    name = installed()[0]
    library(name)
    build, prefix = scratch("to-install"), scratch("installed")
    shutil.rmtree(build, ignore_errors=True)
    shutil.rmtree(prefix, ignore_errors=True)
    env = dict(os.environ, MESON_INSTALL_DESTDIR_PREFIX=prefix)
    script = os.path.join(SOURCE, "scripts/target")
    equal(run(script, "--install", build, env=env).code, 0)
    to = "lib/pmk/target"
    two = [f"{to}/pmk_target.c", f"{to}/pmk_target.h"]

    def there():
        return sorted(os.path.relpath(os.path.join(d, f), prefix) for d, _,
                      fs in os.walk(prefix) for f in fs)

    equal(there(), two, "nothing was built: the sources alone")
    os.makedirs(os.path.join(build, "target", name))
    shutil.copyfile(library(name), os.path.join(build, "target", name, "libpmk-target.a"))
    equal(run(script, "--install", build, env=env).code, 0)
    equal(there(), sorted([*two, f"{to}/{name}/libpmk-target.a"]))


# ---- dependencies -------------------------------------------------------------------------------


def test_it_needs_nothing_but_memory_functions():
    for name in installed():
        undefined = {s for _, s in symbols(tools(name) + "nm", whole(name), "-u")}
        equal(undefined - MEMORY - helpers(name), set(), f"{name} needs these, too")


def test_the_library_has_no_writable_data():
    """Everything that is loaded is code or constants: there is no writable data, no constructor,
    and no table for unwinding."""
    for name in installed():
        listed = run(tools(name) + "readelf", "-S", "-W", whole(name)).out
        sections = re.findall(r"^ +\[ *\d+\] (\S+) +\S+ +\w+ \w+ (\w+) \w+ +([A-Za-z]*) ", listed,
                              re.M)
        assert len(sections) > 50, listed
        for section, size, flags in sections:
            if "A" in flags and int(size, 16):
                assert "W" not in flags, f"{name}: {section} is writable"
                assert re.match(r"\.(text|rodata)\b", section), f"{name}: {section} is loaded"
        common = {s for kind, s in symbols(tools(name) + "nm", whole(name)) if kind in "CcDdBbGgSs"}
        equal(common, set(), name)


def instructions(objdump, file):
    """Returns [(mnemonic, operands)] of a disassembly, without addresses, symbols and comments."""
    out = run(objdump, "-d", "--no-show-raw-insn", file).out
    found = re.findall(r"^ +[0-9a-f]+:\t(\S+)(?:[ \t]+([^\n]*))?$", out, re.M)
    return [(m, re.sub(r"[0-9a-f]+ <[^>]*>|//.*|;.*|@.*|0x[0-9a-f]+", "", operands)) for m,
            operands in found]


def floating(name, found):
    """Returns the instructions that use floating point, vectors or their coprocessors."""
    registers = r"\b[vqdshbz]\d+\b" if tools(
        name).startswith("aarch64") else r"\b([dqs]\d+|p1[01])\b"
    return [f"{m} {o}" for m, o in found if m[0] in "vf" or re.search(registers, o)]


def test_it_has_no_floating_point_and_no_division():
    for name in installed():
        found = instructions(tools(name) + "objdump", whole(name))
        assert len(found) > 2000, f"{name}: {len(found)} instructions"
        equal(floating(name, found), [], name)
        equal([i for i in found if i[0] in ("sdiv", "udiv")], [], name)


def test_floating_point_would_be_seen():
    for name, flags in (("armv6", ["-mfloat-abi=softfp", "-mfpu=vfp"]),
                        ("armv8-a", ["-march=armv8-a"])):
        if name not in installed():
            continue
        made = scratch(f"{name}-float.o")
        quiet(tools(name) + "gcc", "-O2", "-ffreestanding", *flags, "-x", "c", "-c", "-", "-o",
              made, stdin="void f(double *d) { d[0] = d[1] * d[0]; }\n")
        assert len(floating(name, instructions(tools(name) + "objdump", made))) >= 3, name


def test_a_program_that_uses_all_of_it_links():
    """Every function of the headers is in the library, or in NOT_IN_FIRMWARE."""
    for name in installed():
        made = scratch(f"{name}-sample.o")
        quiet(*compiler(name, "-Os", *WARNINGS, *INCLUDE, "-Wno-missing-prototypes"), "-c",
              helper("sample.c"), "-o", made)
        main = scratch("main.c")
        with open(main, "w") as f:
            f.write("".join(f"void *{m}(void *a) {{ return a; }}\n" for m in sorted(MEMORY)) +
                    "void give_up(int line) { (void)line; }\nvoid show(long v) { (void)v; }\n"
                    "void ignoring(void), careful(void), reading(void), reading_more(void), "
                    "likwid(void);\n"
                    "void start(void) { ignoring(); careful(); reading(); reading_more(); "
                    "likwid(); }\n")
        start = scratch(f"{name}-start.o")
        quiet(*compiler(name, "-Os", "-fno-builtin", "-w"), "-c", main, "-o", start)
        libgcc = quiet(*compiler(name), "-print-libgcc-file-name").out.strip()
        quiet(*linker(name), "--gc-sections", "-e", "start", start, made, library(name),
              *([libgcc, "--no-warn-rwx-segments"] if is_microblaze(name) else []), "-o",
              scratch(f"{name}-sample"))
        defined = {s for _, s in symbols(tools(name) + "nm", library(name), "-g", "--defined-only")}
        with open(os.path.join(in_one(), "pmk_target.h")) as f:
            header = re.sub(r"/\*(?s:.*?)\*/|^#(?:.*\\\n)*.*$", "", f.read(), flags=re.M)
        declared = set(re.findall(r"^(?!typedef)[a-z][\w \t*]*?\b(pmk_\w+)\([^;{]*\);", header,
                                  re.M))
        declared |= set(re.findall(r"^extern [^;(]*?\b(pmk_\w+)(?:\[\w*\])?;", header, re.M))
        assert len(declared) > 60, declared
        missing = declared - defined - (NOT_ON_MICROBLAZE if is_microblaze(name) else set())
        equal(missing - NOT_IN_FIRMWARE, set(), f"declared and not in {name}")


# ---- size -------------------------------------------------------------------------------

RAISE = ("If the growth is worth it, raise the budget: tests/firmware/library/measure.py > "
         "tests/firmware/budget.txt, and say why in the commit.")


def test_sizes_structs_and_stacks_are_within_the_budget():
    budget = measure.read_budget()
    checked = 0
    for name in installed():
        if measure.compiler_version(name).split(".")[0] != measure.COMPILER:
            continue
        library(name)
        assert name in budget, f"no budget for {name}. {RAISE}"
        taken = measure.measure(name)
        over = [f"{name}: {what} takes {size} bytes, its budget is "
                f"{budget[name].get(what, 'missing')}"
                for what, size in taken.items()
                if size > measure.budget_of(what, budget[name])]
        assert not over, "\n".join(over + [RAISE])
        equal(set(budget[name]) - set(taken), set(), f"budgeted and not in {name}. {RAISE}")
        checked += 1
    if not checked:
        skip(f"the budget is for GCC {measure.COMPILER}")


def test_the_stack_of_a_known_chain():
    """measure.py computes the right stack from a call graph in the compiler's format: for f, which
    calls g, which calls a function of a port. It refuses a recursion, and a call through a pointer
    from a file that INDIRECT does not list."""
    def node(title, file, size):
        return f'node: {{ title: "{title}" label: "x\\n{file}:1:2\\n{size} bytes (static)" }}\n'

    def edge(a, b):
        return f'edge: {{ sourcename: "{a}" targetname: "{b}" label: "x:1:2" }}\n'

    graph = measure.CallGraph("/nowhere")
    graph.read(node("f", "/x/src/pmu/a/driver.c", 8) + edge("f", "g") + edge("f", "memcpy") +
               node("g", "/x/src/pmu/a/driver.c", 16) + edge("g", "__indirect_call") +
               node("/x/src/firmware/mmio.c:read", "/x/src/firmware/mmio.c", 32) +
               node("/x/src/firmware/mmio.c:write", "/x/src/firmware/mmio.c", 64)
               + node("pub", "/x/src/firmware/mmio.c", 999) +
               node("r", "/x/src/base/r.c", 8) + edge("r", "s") + node("s", "/x/src/base/r.c", 8) +
               edge("s", "r") + node("i", "/x/src/base/i.c", 8) + edge("i", "__indirect_call"))
    equal(graph.worst("f"), 8 + 16 + 64)
    for bad, why in (("r", "recursion: r → s → r"), ("i", "INDIRECT")):
        try:
            graph.worst(bad)
        except AssertionError as e:
            contains(str(e), why)
        else:
            raise AssertionError(f"{bad} has no bound, and none was missed")


# ---- two files -----------------------------------------------------------------------------------


def test_two_files_are_deterministic_and_say_what_they_are():
    with open(os.path.join(SOURCE, "meson.build")) as f:
        version = re.search(r"version: '([^']+)'", f.read()).group(1)
    again = scratch("in-one-again")
    quiet(os.path.join(SOURCE, "scripts/amalgamate"), again, cwd="/",
          env=dict(os.environ, PYTHONHASHSEED="12345", LC_ALL="C"))
    for file in ("pmk_target.c", "pmk_target.h"):
        assert filecmp.cmp(os.path.join(again, file), os.path.join(in_one(), file),
                           shallow=False), file
        with open(os.path.join(again, file), encoding="utf-8") as f:
            text = f.read()
        head = text.split("*/\n")[:2]
        equal(head[0], "/* SPDX-License-Identifier: MIT ")
        contains(head[1], f"pmukit {version}:")
        contains(head[1], "Generated by scripts/amalgamate, do not edit.")
        equal(text.count("SPDX-License-Identifier"), 1, file)
        assert SOURCE not in text
        inner = set(re.findall(r'^\s*#\s*include\s*([<"][^>"]+[>"])', text, re.M))
        equal(inner, {'"pmk_target.h"'} if file.endswith("c") else
              {"<stdbool.h>", "<stddef.h>", "<stdint.h>"}, file)


def test_two_files_compile_without_a_libc():
    """The two files compile without a libc, which Debian's compiler for RISC-V does not have. The
    test includes one header, which contains all families."""
    have("riscv64-linux-gnu-gcc")
    own = run("riscv64-linux-gnu-gcc", "-print-file-name=include").out.strip()
    main = scratch("families.c")
    with open(main, "w", encoding="utf-8") as f:
        f.write('#include "pmk_target.h"\nconst struct pmk_pmu *const all[] = { &pmk_arm1176, '
                '&pmk_armv8, &pmk_microblaze, &pmk_ahbmon, &pmk_l220, &pmk_riscv64, &pmk_dwt,\n'
                ' &pmk_cortex_m55 };\n')
    for source in (main, os.path.join(in_one(), "pmk_target.c")):
        quiet("riscv64-linux-gnu-gcc", "-std=c11", *WARNINGS, "-ffreestanding", "-nostdinc",
              "-isystem", own, "-I", in_one(), "-Os", "-c", source, "-o", scratch("freestanding.o"))


def everywhere():
    """Returns (name, compiler) of all compilers for the two files: the host's, the targets', and
    16-bit Thumb."""
    found = [("host", ["gcc"])]
    for name in installed():
        found.append((name, [tools(name) + "gcc", *TARGETS[name][3].split()]))
        if name == "armv5te":
            found.append((name + "-thumb", [tools(name) + "gcc",
                                            *TARGETS[name][3].replace("-marm", "-mthumb").split()]))
    return found


@functools.cache
def object_in_one(name):
    """Compiles pmk_target.c as the archive is compiled; returns the object."""
    made = scratch(f"in-one-{name}.o")
    quiet(*tool().compiler(TARGETS[name]), *WARNINGS, "-c", os.path.join(in_one(), "pmk_target.c"),
          "-o", made)
    return made


def test_two_files_compile_without_a_warning():
    """pmk_target.c compiles without a warning everywhere. Small runs leave out MicroBlaze's second
    byte order."""
    for name, argv in everywhere():
        if name == size("microblaze", ""):
            continue
        # A program may define PMK_ENABLED as 0 for all of its files, and so for pmk_target.c.
        strict = [*argv, "-std=c11", "-ffreestanding", "-DPMK_ENABLED=0", *WARNINGS,
                  os.path.join(in_one(), "pmk_target.c")]
        if name in TARGETS:
            made, allowed = object_in_one(name), MEMORY | helpers(name)
            quiet(*strict, "-fsyntax-only")
        else:
            made, allowed = scratch(f"in-one-{name}.o"), MEMORY | {"_GLOBAL_OFFSET_TABLE_"}
            quiet(*strict, "-Os", "-c", "-o", made)
        if name.endswith("-thumb"):
            allowed |= THUMB_HELPERS
        undefined = {s for _, s in symbols(argv[0][:-3] + "nm", made, "-u")}
        equal(undefined - allowed, set(), f"{name} needs these, too")


def test_two_files_have_the_symbols_of_the_archive():
    for name in installed():
        if name == size("microblaze", ""):
            continue
        one = symbols(tools(name) + "nm", object_in_one(name), "-g", "--defined-only")
        many = symbols(tools(name) + "nm", library(name), "-g", "--defined-only")
        assert ("T", "pmk_target_start") in many
        equal(one ^ many, set(), f"{name}: in one and not in the other")


def test_two_files_do_what_the_archive_does():
    have("gcc", "ar")
    host = ("host", "", "gcc", "-O0")
    archive = tool().build(host, scratch("host"))
    source = helper("host.c")
    flags = ["gcc", "-std=gnu11", "-Wall", "-Wextra", source]
    quiet(*flags, *INCLUDE, archive, "-o", scratch("host-archive"))
    quiet(*flags, "-DIN_ONE", "-I", in_one(), os.path.join(in_one(), "pmk_target.c"), "-o",
          scratch("host-in-one"))
    many, one = quiet(scratch("host-archive")), quiet(scratch("host-in-one"))
    equal(many.out.count("\n") > 600, True, "it says little")
    for part in ("pmk: arm1176, 3 events", "region irq: 100 times, 1 not measured", "90 agree"):
        contains(many.out, part)
    equal(one.out, many.out)


def test_header_in_one_is_c99_and_cxx():
    header = os.path.join(in_one(), "pmk_target.h")
    for name, argv in everywhere():
        for language, std in (("c", "c99"), ("c++", "c++11")):
            if language == "c++" and not shutil.which(argv[0][:-3] + "g++"):
                continue
            warnings = ["-Wall", "-Wextra", "-Wshadow", "-Wundef"]
            quiet(*argv, "-x", language, f"-std={std}", "-ffreestanding", *warnings,
                  "-fsyntax-only", "-", stdin=f'#include "{header}"\n#include "{header}"\n')


def renamed(c, path="room/file.c"):
    amalgamate = tool().amalgamate
    tokens = amalgamate.tokenize(c)
    amalgamate.rename(path, tokens)
    return "".join(t.text for t in tokens)


def test_own_names_are_renamed_and_nothing_else():
    before = r'''
#define RESET(d) ((d)->reset + reset(d))        /* reset in a macro */
struct out { int reset; struct out *next; int size[LIMIT]; };
enum { LIMIT = 4, OTHER };
enum kind { FIRST = LIMIT };
static int get(struct dev *d), count;
static const struct out table[LIMIT] = { [FIRST] = { .reset = 1 }, { OTHER, 0, { count } } };
static int reset(struct dev *d)
{
	struct out out = { .reset = get(d) };   // reset here
	const char *s = "reset \" get", c = 'g';
	enum kind kind = FIRST;

	if (d->get == out.reset && out.next->size[0])
		goto reset;
	return sizeof(struct out) + reset(d) + 0x1get + table[0].reset + d -> count + count;
reset:
	return get (d) + s[c] + kind;
}
ATTRIBUTE static struct out *find(void) { return 0; }
int public(struct other *get) { return RESET(get) + find()->reset; }
static int get(struct dev *d) { return d ? count : 0; }
'''
    after = r'''
#define RESET(d) ((d)->reset + room_file_reset(d))        /* reset in a macro */
struct room_file_out { int reset; struct room_file_out *next; int size[LIMIT]; };
enum { room_file_LIMIT = 4, room_file_OTHER };
enum room_file_kind { room_file_FIRST = room_file_LIMIT };
static int room_file_get(struct dev *d), room_file_count;
static const struct room_file_out room_file_table[room_file_LIMIT] = { [room_file_FIRST] = { .reset = 1 }, { room_file_OTHER, 0, { room_file_count } } };
static int room_file_reset(struct dev *d)
{
	struct room_file_out out = { .reset = room_file_get(d) };   // reset here
	const char *s = "reset \" get", c = 'g';
	enum room_file_kind kind = room_file_FIRST;

	if (d->get == out.reset && out.next->size[0])
		goto room_file_reset;
	return sizeof(struct room_file_out) + room_file_reset(d) + 0x1get + room_file_table[0].reset + d -> count + room_file_count;
room_file_reset:
	return room_file_get (d) + s[c] + kind;
}
ATTRIBUTE static struct room_file_out *room_file_find(void) { return 0; }
int public(struct other *room_file_get) { return RESET(room_file_get) + room_file_find()->reset; }
static int room_file_get(struct dev *d) { return d ? room_file_count : 0; }
'''
    # In a struct, only the size of an array must be renamed, if the size is an enumerator of the
    # file.
    equal(renamed(before), after.replace("int size[LIMIT]", "int size[room_file_LIMIT]"))


def test_what_cannot_be_renamed_is_refused():
    amalgamate = tool().amalgamate
    for c, why in (("typedef int word;", "typedef"), ("static int (*f)(void);", "without a name"),
                   ("#define P(x) pmk_##get\nstatic int get(void) { return 0; }", "##"),
                   ("int f(void) {", "brackets")):
        try:
            renamed(c)
        except amalgamate.Error as e:
            contains(str(e), why)
            contains(str(e), "room/file.c")
        else:
            raise AssertionError(f"accepted: {c}")


# ---- nothing left with PMK_ENABLED=0 -------------------------------------------------------------


def sample(name, level, variant):
    """Returns the user's file compiled as `variant`. The object's name does not depend on the
    variant."""
    folder = scratch(f"{name}{level}-{variant.strip('-D').replace('=', '')}")
    os.makedirs(folder, exist_ok=True)
    made = os.path.join(folder, "sample.o")
    quiet(*compiler(name, level, "-Wall", "-Wextra", *INCLUDE), variant, "-c", helper("sample.c"),
          "-o", made)
    return made


def test_the_sample_uses_every_function_and_macro():
    with open(helper("sample.c")) as f:
        used = set(re.findall(r"\w+", f.read()))
    wanted = set()
    for header in ("target", "fast", "likwid"):
        with open(os.path.join(SOURCE, f"include/pmk/{header}.h")) as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        wanted |= set(re.findall(r"^(?:int|uint64_t|void) (pmk_\w+)\(", text, re.M))
        wanted |= set(re.findall(r"^#define ((?:PMK|LIKWID|pmk)\w+)\(", text, re.M))
        wanted |= set(re.findall(r"^#define (LIKWID_\w+)", text, re.M))
    assert len(wanted) > 35, wanted
    inner = {"PMK_OFF", "PMK_FAST_LOOP", "PMK_FAST_NAME", "PMK_FAST_NAME_2", "PMK_FAST_ADD"}
    equal(wanted - used - inner, set(), "tests/firmware/library/sample.c does not use these")


def test_disabled_leaves_nothing():
    for name in installed():
        for level in ("-O1", "-Os", "-O2"):
            off, bare = sample(name, level, "-DPMK_ENABLED=0"), sample(name, level, "-DBARE")
            assert filecmp.cmp(off, bare, shallow=False), f"{name} {level}: {off} and {bare} differ"


def test_disabled_leaves_nothing_without_optimisation():
    """At -O0, GCC keeps every static object, even if it is unused, and stack space for every local
    object. So the objects for pmk in the sample remain, but no code and no reference."""
    objects = {"pmu", "regions", "samples", "ring", "task", "fast_regions"}
    for name in installed():
        off, bare = sample(name, "-O0", "-DPMK_ENABLED=0"), sample(name, "-O0", "-DBARE")
        defined = [{s for _, s in symbols(tools(name) + "nm", o) if s != "$d"} for o in (off, bare)]
        equal(defined[0] - defined[1], objects, name)
        equal(defined[1] - defined[0], set(), name)
        equal(*[called(name, o) for o in (off, bare)], f"{name}: references")
        for function in ("work", "ignoring", "careful"):
            code = [[i[0] for i in instructions_of(name, o, function)
                     if i[0] != "nop" and i != ("or", "r0, r0, r0")] for o in (off, bare)]
            equal(code[0], code[1], f"{name}: instructions of {function}")
            assert len(code[0]) >= 5, code


def called(name, file):
    """Returns the symbols to which the code refers, except the sample's own variable."""
    out = run(tools(name) + "objdump", "-r", "-j", ".text", file).out
    found = re.findall(r"^[0-9a-f]+ R_\w+ +(\S+)$", out, re.M)
    assert len(found) > 5, out
    return [f for f in found if not re.match(r"port_of_the_uart|\.bss", f)]


def instructions_of(name, file, function):
    out = run(tools(name) + "objdump", "-d", "--no-show-raw-insn", file).out
    body = re.search(rf"^\w+ <{function}>:\n((?:.+\n)+)", out, re.M).group(1)
    return re.findall(r"^ +[0-9a-f]+:\t(\S+)(?:[ \t]+([^\n]*))?$", body, re.M)


def test_the_enabled_sample_calls_the_library():
    """With PMK_ENABLED, the sample calls the library, so the comparison is not one of two empty
    files."""
    for name in installed():
        on = sample(name, "-O2", "-DPMK_ENABLED=1")
        used = {s for kind, s in symbols(tools(name) + "nm", on) if kind == "U"}
        assert {"pmk_region_begin", "pmk_target_report", "pmk_arm1176"} <= used, used
        assert not filecmp.cmp(on, sample(name, "-O2", "-DBARE"), shallow=False)


FAST = """#define PMK_ENABLED 0
#include "pmk_target.h"
unsigned work(void);
unsigned on_the_stack(void);
unsigned on_the_stack(void)
{
	struct pmk_fast f;
	PMK_FAST_BEGIN(&f);
	unsigned n = work();
	PMK_FAST_END(&f);
	return f.delta[0] + f.delta[1] + f.delta[2] + n;
}
"""


def test_disabled_differences_are_zero_and_no_warning():
    """With PMK_ENABLED=0, the program may read the variables that PMK_FAST_END would have written.
    They are 0, and no compiler at any optimisation level warns."""
    have("gcc", "clang")
    compilers = [["gcc"], ["clang"]] + [compiler(name) for name in installed()]
    for argv in compilers:
        for level in (*LEVELS, "-O3"):
            quiet(*argv, level, "-Wall", "-Wextra", "-Werror", "-Wuninitialized", "-I", in_one(),
                  "-S", "-x", "c", "-", "-o", scratch("fast-off.s"), stdin=FAST)
    made = scratch("fast-off")
    quiet("gcc", "-Wall", "-Wextra", "-Werror", "-I", in_one(), "-x", "c", "-", "-o", made,
          stdin=FAST
          + "unsigned work(void) { return 7; }\nint main(void) { return (int)on_the_stack(); }\n")
    equal(run(made).code, 7)


# ---- microcontrollers ----------------------------------------------------------------------------

# Small runs test one processor with 16-bit Thumb, and one with Thumb-2.
MICROCONTROLLERS = size(("cortex-m0", "cortex-m3"),
                        ("cortex-m0", "cortex-m0plus", "cortex-m3", "cortex-m4", "cortex-m7",
                         "cortex-m23", "cortex-m33"))


def test_it_compiles_for_microcontrollers():
    have("arm-none-eabi-gcc")
    for cpu in MICROCONTROLLERS:
        made = scratch(f"{cpu}.o")
        quiet("arm-none-eabi-gcc", f"-mcpu={cpu}", "-mthumb", "-Os", "-std=c11", "-ffreestanding",
              *WARNINGS, "-Werror", "-c", os.path.join(in_one(), "pmk_target.c"), "-o", made)
        undefined = {s for _, s in symbols("arm-none-eabi-nm", made, "-u")}
        # For 16-bit Thumb, the compiler has helpers for long shifts, products and switches.
        small = {"__aeabi_uidiv"} | THUMB_HELPERS if cpu in ("cortex-m0", "cortex-m0plus",
                                                             "cortex-m23") else set()
        equal({s for s in undefined - MEMORY - small if not s.startswith("__gnu_thumb1_case")},
              set(), cpu)


# ---- the fast path -------------------------------------------------------------------------------

# The instructions of an edge that read counters, and the barriers: DDI 0301H 3.2.52-54; DDI 0487
# D13.5.
EDGE = {"armv6": {"mrc": 3}, "armv8-a": {"mrs": 3, "isb": 1}}
MOST = 12  # the most instructions of an edge


def edges(assembly):
    """Returns [(edge, [mnemonics])] between the marks of fast.c."""
    found, inside = [], None
    for line in assembly.splitlines():
        mark = re.search(r"/\* mark (\w+) \*/", line)
        if mark:
            inside = None if mark.group(1) == "end" else []
            if inside is not None:
                found.append((mark.group(1), inside))
        elif inside is not None:
            op = re.match(r"\s+([a-z][\w.]*)", line)
            if op:
                inside.append(op.group(1))
    return found


def test_an_edge_of_the_fast_path_is_short():
    for name, reads in EDGE.items():
        if name not in installed():
            continue
        for more in ([], ["-mthumb"]) if name == "armv6" else ([],):
            for level in ("-O1", "-Os", "-O2", "-O3"):
                made = scratch("fast.s")
                quiet(*compiler(name, level, *INCLUDE, "-Wall", "-Wextra", *more), "-S",
                      helper("fast.c"), "-o", made)
                with open(made) as f:
                    found = edges(f.read())
                equal([e for e, _ in found], ["PMK_FAST_BEGIN", "PMK_FAST_END"] * 2,
                      f"{name} {level}")
                for edge, ops in found:
                    got = {op: ops.count(op) for op in set(ops)
                           & {"mrc", "mcr", "mrs", "msr", "isb", "dsb"}}
                    equal(got, reads, f"{name} {level}: {edge}")
                    branches = [op for op in ops if re.match(r"b(?!ic|fi|fx)", op)]
                    equal(branches, [], f"{name} {level}: {edge}")
                    # At -O1 the compiler does not combine loads or stores into pairs, so MOST does
                    # not apply.
                    if level != "-O1":
                        assert len(ops) <= MOST, (f"{name} {level}: {edge} takes {len(ops)}: "
                                                  f"{' '.join(ops)}")


REGION_FAST = """#include <pmk/fast.h>
extern struct pmk_fast_region fast_regions[];
void work(void);
void begin(void);
void end(void);
void any_begin(unsigned id);
void any_end(unsigned id);
void whole(unsigned id);
void two(void);
ARM_STATE void begin(void) { PMK_REGION_FAST_BEGIN(1); }
ARM_STATE void end(void) { PMK_REGION_FAST_END(1); }
ARM_STATE void any_begin(unsigned id) { PMK_REGION_FAST_BEGIN(id); }
ARM_STATE void any_end(unsigned id) { PMK_REGION_FAST_END(id); }
ARM_STATE void whole(unsigned id) { PMK_REGION_FAST(id) work(); }
ARM_STATE void two(void)
{
	PMK_REGION_FAST(0)
		PMK_REGION_FAST(1)
			work();
}
"""
MOST_FAST = 40  # the most instructions of an edge of a fast region


def test_the_edges_of_a_fast_region_are_short():
    """The edges of fast regions are counted in functions that do nothing else, including their
    entry and return."""
    kinds = [(name, compiler(name)) for name in installed() if name in EDGE]
    have("arm-none-eabi-gcc")
    kinds += [("cortex-m3", ["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-std=gnu11",
                             "-ffreestanding"])]
    if "armv6" in installed():
        kinds += [("armv6-thumb", [*compiler("armv6"), "-mthumb"])]
    for name, argv in kinds:
        arm = '-DARM_STATE=__attribute__((target("arm")))'
        state = arm if name == "armv6-thumb" else "-DARM_STATE="
        for level in ("-Os", "-O2"):
            made = scratch(f"{name}-region-fast.o")
            quiet(*argv, level, *WARNINGS, *INCLUDE, state, "-x", "c", "-c", "-", "-o", made,
                  stdin=REGION_FAST)
            text = run(argv[0][:-3] + "objdump", "-d", "--no-show-raw-insn", made).out
            for function in ("begin", "end", "any_begin", "any_end"):
                body = re.search(rf"^\w+ <{function}>:\n((?:.+\n?)+)", text, re.M).group(1)
                ops = [op for op in re.findall(r"^ +[0-9a-f]+:\t(\S+)", body, re.M)
                       if op not in (".word", ".short")]
                assert 5 <= len(ops) <= MOST_FAST, \
                    f"{name} {level}: {function} takes {len(ops)}: {' '.join(ops)}"
            # The macro makes a block with a loop of one round, and the compiler must remove the
            # loop.
            body = re.search(r"^\w+ <whole>:\n((?:.+\n?)+)", text, re.M).group(1)
            jump = r"^ +([0-9a-f]+):\tb\S*\s+([0-9a-f]+) <whole"
            back = [a for at, a in re.findall(jump, body, re.M)
                    if int(a, 16) <= int(at, 16)]
            equal(back, [], f"{name} {level}")


def test_fast_regions_switched_off_do_the_work_and_nothing_else():
    have("gcc", "clang")
    source = "".join(line for line in REGION_FAST.splitlines(True) if "any_" not in line)
    source = source.replace("ARM_STATE ", "")
    bare = "void work(void);\nvoid begin(void);\nvoid end(void);\n" \
        "void whole(unsigned id);\nvoid two(void);\n" \
        "void begin(void) {}\nvoid end(void) {}\n" \
        "void whole(unsigned id) { (void)id; work(); }\nvoid two(void) { work(); }\n"
    for cc in ("gcc", "clang"):
        made = []
        for kind, text in (("off", source), ("bare", bare)):
            made.append(scratch(f"region-fast-{kind}.o"))
            quiet(cc, "-O2", "-Wall", "-Wextra", "-Werror", *INCLUDE, "-DPMK_ENABLED=0",
                  "-x", "c", "-c", "-",
                  "-o", made[-1], stdin=text)
        code = [instructions("objdump", m) for m in made]
        equal(code[0], code[1], cc)
        assert len(code[0]) >= 3, code


# ---- headers ------------------------------------------------------------------------------------


def test_each_header_is_understood_alone():
    """Each header compiles by itself: as C99 without extensions with every compiler, and as C++
    with one compiler. result.h and wave.h are only for hosts."""
    headers = sorted(h for h in os.listdir(os.path.join(SOURCE, "include/pmk")) if h.endswith(".h"))
    assert len(headers) > 15, headers
    compilers = {"gcc"} | {tools(n) + "gcc" for n in installed()}
    dialects = [[c, "-x", "c", "-std=c99"] for c in sorted(compilers)]
    dialects += [[c[:-3] + "g++", "-x", "c++", "-std=c++11"] for c in sorted(compilers)
                 if shutil.which(c[:-3] + "g++")][:1]
    for argv in dialects:
        for header in headers:
            if header not in ("result.h", "wave.h"):
                quiet(*argv, "-Wpedantic", "-Wall", "-Wextra", "-Wundef", "-ffreestanding",
                      *INCLUDE, "-fsyntax-only", "-", stdin=f"#include <pmk/{header}>\n")
