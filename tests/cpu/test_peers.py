# SPDX-License-Identifier: MIT
"""pmk's misses equal those of other cache models exactly. One is QEMU's own cache plugin. It runs
in the same emulator as pmk's plugin, so both see the same accesses. The other is cachegrind, whose
accesses come from valgrind's lackey in another run of the same program. Some settings make the
models equal: no MMU, so no page is looked up; no fetching ahead; and a store that misses fills its
line, which A64 cores do anyway.
"""
import pytest

from harness import *

pytestmark = pytest.mark.once

PLUGIN = os.path.join(WORK, "libcache.so")
# Programs of bench/programs, run with little work.
PROGRAMS = ["mixed", "sort", "walk", "matmul", "compress", "sha256", "interp", "text", "states",
            "columns", "bwt"]
WORK_OF = {"mixed": "200", "sha256": "10", "columns": "10", "interp": "5", "walk": "3"}
FLAGS = ["-std=gnu11", "-O2", "-static"]
# policy; bytes and ways of the instruction cache; those of the data cache
GEOMETRY = [("lru", 16384, 4, 16384, 4), ("fifo", 8192, 2, 4096, 8)]


def some_of(rows, names, name):
    """Returns all rows in large runs, and half of them in small runs. The halves alternate by pairs
    of names, because small runs may already take every other name."""
    return size(rows[names.index(name) // 2 % 2::2], rows)


def plugin():
    """Returns the plugin, built from QEMU's sources. Skips the test if they are not available. The
    plugin is copied under another name, because QEMU's version in its name may contain a colon."""
    if not os.path.exists(PLUGIN):
        made = run(os.path.join(SOURCE, "scripts", "qemu"), "--cache-plugin")
        if made.code:
            why = (made.err.strip() or "?").split("\n")[-1]
            skip(f"QEMU's cache plugin cannot be built: {why}")
        shutil.copy(made.out.strip(), PLUGIN)
    return PLUGIN


def both(compiler, prefix, emulator, cpu, line, name, policy, isize, iways, dsize, dways, events,
         *settings):
    """Returns [pmk's count of each event], and the plugin's counts of instructions, instruction
    misses and data misses."""
    program = os.path.join(WORK, f"peers-{prefix}-{name}")
    if not os.path.exists(program):
        source = os.path.join(SOURCE, "bench/programs", name + ".c")
        built = run(*compiler, *FLAGS, "-o", program, source)
        equal(built.code, 0, built)
    log = program + ".log"
    command = (f"{emulator} -cpu {cpu} -d plugin -D {log} -plugin {plugin()},evict={policy},"
               f"icachesize={isize},iassoc={iways},iblksize={line},"
               f"dcachesize={dsize},dassoc={dways},dblksize={line} "
               f"{program} {WORK_OF.get(name, '1')}")
    sets = [f"cache.policy={policy}", f"icache.size={isize}", f"icache.ways={iways}",
            f"dcache.size={dsize}", f"dcache.ways={dways}", "mmu.enable=off", *settings]
    out = pmk("stat", "--json-document", "-e", ",".join(events), "--set", ",".join(sets),
              "--core", prefix, "--qemu", command)
    if "ould not load plugin" in out.err:
        skip(f"{emulator} does not load the plugin of the distribution's QEMU")
    equal(out.code, 0, out)
    counted = {c["event"]: c["counter-value"] for c in json.loads(out.err)["counters"]}
    with open(log) as f:
        core = f.read().split("\n")[1].split()
    os.remove(log)
    return [counted[e] for e in events], [int(core[4]), int(core[5]), int(core[2])]


# In small runs, the ARM core and the A64 core run different programs.
@pytest.mark.parametrize("name", size(PROGRAMS[::4], PROGRAMS))
def test_arm_data_beside_qemus_plugin(name):
    """Data misses are equal. Instruction misses are not compared, because the emulator executes
    helpers that the kernel provides for programs, and only the plugin counts their fetches."""
    for geometry in some_of(GEOMETRY, PROGRAMS, name):
        ours, theirs = both(
            ["arm-linux-gnueabi-gcc", "-marm", "-march=armv6k", "-mfloat-abi=soft"], "arm1176",
            "qemu-arm", "arm1176", 32, name, *geometry, ["instr_exec", "dcache_miss"],
            "dcache.write_allocate=on", "fetch.shadow=0")
        equal(ours, [theirs[0], theirs[2]], geometry)
        assert ours[1] > 100, ours


@pytest.mark.parametrize("name", size(PROGRAMS[1::4], PROGRAMS))
def test_a64_beside_qemus_plugin(name):
    """If an access is in two lines, pmk looks up both lines, and the plugin only the first one. So
    for each unaligned access pmk has at most one more miss, or one less if the second line is
    needed soon. The plugin also does not see DC ZVA, so lines that it writes miss when they are
    used."""
    for geometry in some_of(GEOMETRY[::-1], PROGRAMS, name):
        ours, theirs = both(
            ["aarch64-linux-gnu-gcc"], "armv8", "qemu-aarch64", "cortex-a53", 64, name, *geometry,
            ["inst_retired", "l1i_cache_refill", "l1d_cache_refill", "unaligned_ldst_spec",
             "l1d_cache_allocate"])
        equal(ours[:2], theirs[:2], geometry)
        assert abs(ours[2] - theirs[2]) <= ours[3] + 2 * ours[4], (geometry, ours, theirs)


# ---- cachegrind ----------------------------------------------------------------------------------

# The programs with the least work. They are linked statically, because the accesses of a dynamic
# loader depend on random numbers.
SMALL = ["mixed", "walk", "sha256", "interp", "states", "columns"]
SIDES = [("32768", "8"), ("4096", "4"), ("8192", "128"), ("1024", "1")]


def valgrind(tool, program, *options):
    if not shutil.which("valgrind"):
        skip("not found: valgrind")
    out = run("valgrind", f"--tool={tool}", *options, program, "1",
              env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
    equal(out.code, 0, out)
    return out.err


# The other programs of SMALL take three times as long.
@pytest.mark.parametrize("name", size(["mixed", "columns"], SMALL))
def test_lru_beside_cachegrind(name):
    program, trace = os.path.join(WORK, f"peers-{name}"), os.path.join(WORK, "peers-trace")
    built = run("gcc", *FLAGS, "-o", program, os.path.join(SOURCE, "bench/programs", name + ".c"))
    equal(built.code, 0, built)
    valgrind("lackey", program, "--basic-counts=no", "--trace-mem=yes", f"--log-file={trace}")
    for capacity, ways in some_of(SIDES, SMALL, name):
        said = valgrind("cachegrind", program, "--cachegrind-out-file=/dev/null", "--cache-sim=yes",
                        f"--I1={capacity},{ways},64", f"--D1={capacity},{ways},64",
                        "--LL=1048576,16,64")
        theirs = [re.search(rf"{what}: +([\d,]+)", said)[1].replace(",", "")
                  for what in ("I +refs", "I1 +misses", "D +refs", "D1 +misses")]
        with open(trace) as f:
            ours = run(os.path.join(BUILD, "tests", "trace_misses"), "cache.policy=lru",
                       "mmu.enable=off", f"icache.size={capacity}",
                       f"icache.ways={ways}", f"dcache.size={capacity}", f"dcache.ways={ways}",
                       stdin=f.read())
        equal(ours.out.split(), theirs, (capacity, ways))
    os.remove(trace)
