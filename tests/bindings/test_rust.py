# SPDX-License-Identifier: MIT
"""bindings/rust: its copies of definitions from the C headers agree with a C compiler. Its example
counts, on a host and without an operating system. pmk stat counts a program in Rust."""
import re
import shutil
import sys

from harness import *
import repo

pytestmark = pytest.mark.ci

CRATE = os.path.join(SOURCE, "bindings/rust")
# Items that have no name in C, or that are used only through pointers.
UNNAMED = {"pmk_total": "typeof(((struct pmk_target_event *)0)->at[0])"}
OPAQUE = {"pmk_pmu"}


def structs():
    text = repo.text("bindings/rust/src/ffi.rs")
    found = re.findall(r"pub struct (\w+) \{\n(.*?)^\}", text, re.M | re.S)
    return {name: re.findall(r"^    pub (\w+): ", body, re.M) for name, body in found
            if name not in OPAQUE}


def constants():
    return re.findall(r"^pub const (PMK_\w+): ", repo.text("bindings/rust/src/ffi.rs"), re.M)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Returns the path of a copy of the crate, because cargo writes next to the sources, together
    with the library in C."""
    have("cargo", "rustc", "gcc", "ar")
    folder = tmp_path_factory.mktemp("rust")
    for path in ("bindings/rust", "examples/rust"):
        shutil.copytree(os.path.join(SOURCE, path), folder / path)
    equal(run(os.path.join(SOURCE, "scripts/amalgamate"), folder).code, 0)
    for words in (("gcc", "-O1", "-std=gnu11", "-c", "pmk_target.c", "-o", "pmk_target.o"),
                  ("ar", "rcs", "libpmk-target.a", "pmk_target.o")):
        out = run(*words, cwd=folder)
        equal(out.code, 0, str(out))
    return folder


def cargo(place, verb, *words, project="examples/rust", **variables):
    """Runs Debian's cargo without a network and without the user's settings."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CARGO", "RUST"))}
    env.update(PATH="/usr/bin:" + env["PATH"], CARGO_HOME=str(place / "home"),
               CARGO_TARGET_DIR=str(place / "target"), PMK_TARGET_LIB=str(place), **variables)
    return run("cargo", verb, "--offline", "--quiet", *words, cwd=place / project, env=env)


def test_layout(place):
    """Both compilers agree about sizes, offsets and numbers."""
    c, rust = ['#include <stdio.h>', '#include "pmk_target.h"', "int main(void)\n{"], []
    for name, fields in structs().items():
        kind = UNNAMED.get(name, f"struct {name}")
        c.append(f'printf("{name} %zu\\n", sizeof({kind}));')
        rust.append(f'println!("{name} {{}}", std::mem::size_of::<{name}>());')
        rust.append(f"let m = std::mem::MaybeUninit::<{name}>::uninit(); let p = m.as_ptr();")
        for field in fields:
            c.append(f'printf("{name}.{field} %zu\\n", '
                     f'(size_t)((char *)&(({kind} *)64)->{field} - (char *)64));')
            rust.append(f'println!("{name}.{field} {{}}", unsafe {{ '
                        f'std::ptr::addr_of!((*p).{field}) as usize - p as usize }});')
    for name in constants():
        c.append(f'printf("{name} %lld\\n", (long long){name});')
        rust.append(f'println!("{name} {{}}", {name} as i64);')
    (place / "layout.c").write_text("\n".join([*c, "return 0;", "}"]) + "\n")
    # The program is an example of the crate, so cargo finds it.
    (place / "examples/rust/src/bin/layout.rs").write_text(
        "use ::pmk_target::ffi::*;\nfn main() {\n" + "\n".join(rust) + "\n}\n")
    out = run("gcc", "-std=gnu11", "-o", "layout", "layout.c", cwd=place)
    equal(out.code, 0, str(out))
    wanted = run(place / "layout").out
    out = cargo(place, "run", "--bin", "layout")
    (place / "examples/rust/src/bin/layout.rs").unlink()
    equal((out.code, out.err), (0, ""))
    assert wanted.count("\n") > 100
    equal(out.out, wanted)


def test_every_error_and_function_is_there():
    text = repo.text("bindings/rust/src/ffi.rs")
    errors = re.findall(r"X\((PMK_E\w+),", repo.text("include/pmk/error.h"))
    equal([c for c in constants() if re.match(r"PMK_E[A-Z]+$", c)], errors)
    header = re.sub(r"/\*.*?\*/", "", repo.text("include/pmk/target.h"), flags=re.S)
    declared = set(re.findall(r"^(?:int|uint64_t) (pmk_\w+)\(", header, re.M))
    # The binding leaves these out: fast regions are inline code in C, and tasks are for schedulers,
    # which are in C, too.
    left_out = {"pmk_target_fast_regions", "pmk_region_find", "pmk_target_switch_out",
                "pmk_target_switch_in", "pmk_target_task_read"}
    got = set(re.findall(r"pub fn (pmk_(?:target|region|ring)_\w+)\(", text))
    equal(got, declared - left_out)


def test_the_example_counts(place):
    out = cargo(place, "run", "--bin", "pmk-example")
    equal((out.code, out.err), (0, ""))
    lines = out.out.splitlines()
    equal(lines[:3], ["work: 3 times, 21 misses, 5 to 9", "all: 121 misses",
                      "pmk: arm1176, 2 events"])
    contains(out.out, "region work: 3 times")


def test_the_crate_has_no_std(place):
    """The crate for this machine needs only C's functions, and nothing of Rust's std."""
    out = cargo(place, "rustc", "--release", "--lib", "--", "-D", "warnings",
                project="bindings/rust")
    equal((out.code, out.err), (0, ""))
    library, = (place / "target/release").glob("libpmk_target.rlib")
    names = run("nm", "-u", library).out
    assert "pmk_strerror" in names or "pmk_" not in names
    assert not re.search(r" U _ZN3std", names), names


def standard_library(arch, target):
    """Returns a sysroot with Debian's std for another processor, which is in a package of that
    processor's architecture."""
    sys.path.insert(0, os.path.join(SOURCE, "tests/guest"))
    import fetch_debian as debian

    def make(to):
        with debian.tempfile.TemporaryDirectory() as folder:
            files = debian.unpack(arch, "libstd-rust-dev", folder)
            shutil.copytree(f"{files}/usr/lib/rustlib/{target}", f"{to}/lib/rustlib/{target}",
                            symlinks=True)
    try:
        return debian.kept(f"{debian.release()}-{arch}-rust", make)
    except debian.Unavailable as why:
        skip(str(why))


def test_a_program_in_rust_is_counted(place):
    have("aarch64-linux-gnu-gcc")
    target = "aarch64-unknown-linux-gnu"
    out = cargo(place, "build", "--release", "--bin", "counted", "--target", target,
                RUSTFLAGS=f"--sysroot={standard_library('arm64', target)} "
                          "-C linker=aarch64-linux-gnu-gcc -C target-feature=+crt-static")
    equal((out.code, out.err), (0, ""))
    program = place / "target" / target / "release/counted"
    counted = {}
    for turns in (1000, 3000):
        out = stat("--region", "turns", "-e", "instructions", program, turns)
        counted[turns] = counts(out, "turns")["instructions"]
    # The loop has two instructions per iteration, and the region adds a few before and after it.
    equal(counted[3000] - counted[1000], 4000)
    assert 2000 < counted[1000] < 2010, counted


def make_firmware(*words):
    path = "/usr/bin:" + os.environ["PATH"]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CARGO", "RUST", "MAKE"))}
    return run("make", "-s", "-C", os.path.join(SOURCE, "examples/rust/firmware"), *words,
               env={**env, "PATH": path})


def core_for_bare_metal():
    """Compiles Rust's core from Debian's sources with Debian's rustc, which takes 40 s of processor
    time. The result is kept for each release."""
    sys.path.insert(0, os.path.join(SOURCE, "tests/guest"))
    import fetch_debian as debian

    def make(to):
        out = make_firmware("core", f"SYSROOT={to}")
        equal(out.code, 0, out)
    version = run("/usr/bin/rustc", "--version").out.split()[1]
    return debian.kept(f"{debian.release()}-rust-{version}-bare", make)


def test_the_binding_on_bare_metal(tmp_path):
    """The region counts the loop exactly, because QEMU's counter of instructions is exact with
    -icount. The remaining difference is the work of a Scope between the readings of the counters,
    which does not depend on the measured code."""
    have("cargo", "rustc", "make", "aarch64-linux-gnu-gcc", "qemu-system-aarch64")
    out = make_firmware("run", f"O={tmp_path}", f"SYSROOT={core_for_bare_metal()}",
                        f"CARGO_HOME={tmp_path}/home")
    equal((out.code, out.err), (0, ""), out)
    contains(out.out, "2000 turns more: 8000 instructions\n")
    for turns in (1000, 3000):
        n, total, least, most = map(int, re.search(
            rf"^turns {turns} times (\d+) total (\d+) least (\d+) most (\d+)$", out.out,
            re.M).groups())
        equal(n, 10)
        assert 4 * turns < least <= most < 4 * turns + 20, out
        assert 10 * least <= total <= 10 * most, out
    contains(out.out, "region three thousand: 10 times")
