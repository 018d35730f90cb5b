# SPDX-License-Identifier: MIT
"""bindings/cpp/pmk.hpp: its examples count the same as pmk stat, and work on an emulated board. It
needs nothing that firmware lacks, and generates no code if counting is switched off."""
import re

from harness import *
from programs import loop

HEADER = os.path.join(SOURCE, "bindings/cpp")
EXAMPLES = os.path.join(SOURCE, "examples/cpp")
STRICT = ["-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
FIRMWARE = ["arm-none-eabi-g++", *STRICT, "-mcpu=arm1176jzf-s", "-marm", "-O2", "-ffreestanding",
            "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"]


def test_regions_on_a_board():
    """A region counts its own instructions, however its scope is left."""
    have("make", "arm-none-eabi-g++", "qemu-system-arm")
    folder = os.path.join(WORK, "cpp")
    out = run("make", "-s", "-C", EXAMPLES, f"O={folder}", f"RUN={PMK} run --", "run")
    equal(out.code, 0, str(out))
    # The region has 1000 times SUBS and BNE, and the instructions with which the compiler sets up
    # the loop.
    counted = re.search(r"^region loop: 1 time\n.*\n +(\d+) .* instr_exec\n", out.out, re.M)
    assert 2000 <= int(counted[1]) <= 2004, out.out
    search = re.search(r"^region search: (\d+) times?$", out.out, re.M)
    equal(search[1], "3")
    assert "wrong" not in out.out
    without = run("make", "-s", "-C", EXAMPLES, f"O={folder}", "run")
    contains(without.out, "this ARM1176 has no PMU")


def test_count_is_what_pmk_counts(there, tmp_path):
    program = there.compile([os.path.join(EXAMPLES, "count.cpp")], "shared", tmp_path / "count",
                            compiler=("g++", "-std=c++11"))
    out = run(program, loop(1000), env=there.env)
    equal((out.code, out.out, out.err), (0, "cycles 14322 modelled\ninstructions 8005 exact\n", ""))
    out = run(program, "/nowhere", env=there.env)
    equal((out.code, out.out), (127, ""))
    contains(out.err, "/nowhere")


@cases("compiler", ["g++", "clang++"])
def test_it_is_cpp_11_and_alone(tmp_path, compiler):
    have(compiler)
    source = tmp_path / "alone.cpp"
    source.write_text("#include <pmk.hpp>\n#include <pmk.hpp>\n"
                      "static_assert(__is_trivially_constructible(pmk::target), \"\");\n"
                      "pmk::count moved() { pmk::count a, b; a = static_cast<pmk::count &&>(b); "
                      "return a; }\n".replace("return a", "return static_cast<pmk::count &&>(a)"))
    out = run(compiler, *STRICT, "-I", f"{SOURCE}/include", "-I", HEADER, "-c", source, "-o",
              tmp_path / "alone.o")
    equal((out.code, out.err), (0, ""))


# The firmware has static objects, and makes every call that firmware makes.
USE = """
#include <pmk.hpp>
static pmk::target pmu;
static pmk_region regions[1];
static pmk_ring ring;
extern "C" int use(pmk_put *put);
extern "C" int use(pmk_put *put)
{
	uint64_t total = 0, all[PMK_TARGET_EVENTS] = {};
	pmk_fast f = {};
	pmk_latency l = {};
	int err = pmu.open(pmk_arm1176, pmk_port_native());
	err |= pmu.seize(pmk_arm1176, pmk_port_native()) | pmu.add(7) | pmu.regions(regions);
	err |= pmu.interrupts(false) | pmu.sample(0, 100, ring) | pmu.locks(nullptr, nullptr);
	{
		pmk::running on(pmu);
		pmk::region r(pmu, 0);
		pmk::fast quick(f);
		err |= on.error();
	}
	err |= pmu.read(0, total) | pmu.read_all(all) | pmu.latency(0, l) | pmu.wrapped(0);
	err |= pmu.isr(0) | pmu.poll() | pmu.find("a") | pmu.reset(0) | pmu.report(put);
	err |= pmu.dump(put) | pmu.switch_out() | pmu.switch_in(nullptr) | pmu.task_read(nullptr, all);
	err |= pmu.deadline() == 0;
	return err | pmu.close() | (int)f.delta[0];
}
"""


def compiled(folder, *flags):
    """Compiles USE as firmware. Returns the symbols that it takes from other files."""
    (folder / "use.cpp").write_text(USE)
    out = run(*FIRMWARE, *flags, "-I", f"{SOURCE}/include", "-I", HEADER, "-c", folder / "use.cpp",
              "-o", folder / "use.o")
    equal((out.code, out.err), (0, ""))
    return set(re.findall(r" U (\w+)$", run("arm-none-eabi-nm", folder / "use.o").out, re.M))


def test_firmware_needs_nothing_of_a_library(tmp_path):
    have("arm-none-eabi-g++")
    missing = compiled(tmp_path) - {"memcpy", "memset", "memmove", "memcmp"}
    assert missing and all(name.startswith("pmk_") for name in missing), missing


def test_nothing_is_left_where_it_is_off(tmp_path):
    have("arm-none-eabi-g++")
    # The code may still call the functions that compute arguments.
    equal(compiled(tmp_path, "-DPMK_ENABLED=0") - {"memcpy", "memset"}, {"pmk_port_native"})
