# SPDX-License-Identifier: MIT
"""A user's own core is a file that is named on the command line, or a file in the user's folder."""
from harness import *
from programs import loop

CORES = os.path.join(SOURCE, "data", "cores")


def own(folder, file, **changes):
    """Returns a copy of arm1176.ini in which these texts are replaced."""
    with open(os.path.join(CORES, "arm1176.ini")) as f:
        text = f.read()
    for key, value in changes.items():
        text, n = re.subn(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.M)
        equal(n, 1, key)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{file}.ini")
    with open(path, "w") as f:
        f.write(text)
    return path


def with_config(config):
    return dict(os.environ, XDG_CONFIG_HOME=str(config))


def clock(core, env=None):
    """Returns the core's name, and the clock in MHz by which pmk converted cycles to time."""
    doc = stat("-e", "cpu_cycles", "--core", core, loop(100000), code=3, env=env)
    cycles = doc["counters"][0]
    return doc["core"], round(cycles["counter-value"] * 1000 / cycles["event-runtime"])


def test_a_file_is_a_core(tmp_path):
    path = own(tmp_path, "fast", name="fast", clock=900000000)
    equal(clock(path), ("fast", 900))
    equal(clock(os.path.relpath(path, os.getcwd())), ("fast", 900))


def test_a_file_in_this_folder_needs_no_slash(tmp_path):
    own(tmp_path, "fast", name="fast", clock=900000000)
    out = pmk("stat", "-v", "-e", "cpu_cycles", "--core", "fast.ini", loop(1), cwd=tmp_path)
    equal(out.code, 3, out)
    contains(out.err, "fast")


def test_a_file_is_explained_as_a_core(tmp_path):
    path = own(tmp_path, "fast", name="fast", clock=900000000, brief="a fast one")
    out = pmk("info", path)
    equal((out.code, out.err), (0, ""))
    assert out.out.startswith("fast  a fast one\n"), out
    assert re.search(r"^ +clock +900000000 ", out.out, re.M), out
    equal(pmk("info", "fast.ini", cwd=tmp_path).out, out.out)
    equal(pmk("info", "cpi", path).out, pmk("info", "cpi").out + "\n" + out.out)
    out = pmk("info", "./nothing.ini")
    equal((out.code, out.err), (125, "pmk: ./nothing.ini: No such file or directory\n"))


def test_the_users_folder_has_cores(tmp_path):
    own(tmp_path / "pmk" / "cores", "mine", name="mine", clock=123000000, brief="a core of mine")
    env = with_config(tmp_path)
    equal(clock("mine", env), ("mine", 123))
    contains(pmk("list", "cores", env=env).out, "a core of mine")
    contains(pmk("info", "mine", env=env).out, "a core of mine")
    contains(pmk("stat", "--core", "mime", loop(1), env=env).err, "did you mean mine?")


def test_the_users_core_replaces_one_of_that_name(tmp_path):
    own(tmp_path / "pmk" / "cores", "arm1176", clock=123000000)
    env = with_config(tmp_path)
    equal(clock("arm1176", env), ("arm1176", 123))
    names = [line.split()[0] for line in pmk("list", "cores", env=env).out.splitlines()]
    equal(names.count("arm1176"), 1)
    equal(names, [line.split()[0] for line in pmk("list", "cores").out.splitlines()])


def test_what_cannot_be_read_says_so(tmp_path):
    for core, why in (("./nothing.ini", "No such file or directory"),
                      (f"{tmp_path}/", "is a directory")):
        out = pmk("stat", "--core", core, loop(1))
        equal(out.code, 129 if "nothing" in core else 125, out)
        contains(out.err.lower(), why.lower())
        equal(len(out.err.splitlines()), 1, out)
    bad = own(tmp_path, "bad", clock="often")
    out = pmk("stat", "--core", bad, loop(1))
    equal(out.code, 125, out)
    contains(out.err, f"{bad}:")


def test_a_core_of_ones_own_that_may_not_be_read_is_named(tmp_path):
    """If pmk cannot read the user's core, it reports this. It does not use the installed core of
    the same name instead."""
    path = own(tmp_path / "pmk" / "cores", "arm1176")
    os.chmod(path, 0)
    out = run(*unprivileged(PMK, "stat", "--core", "arm1176", loop(1)), env=with_config(tmp_path))
    equal((out.code, out.err), (129, f"pmk: core arm1176: {path}: Permission denied\n"))


def test_a_folder_of_ones_own_that_may_not_be_read_is_named(tmp_path):
    own(tmp_path / "pmk" / "cores", "mine", name="mine")
    os.chmod(tmp_path / "pmk", 0)
    said = {core: run(*unprivileged(PMK, "stat", "--core", core, loop(1)),
                      env=with_config(tmp_path)).err
            for core in ("mine", "arm1167")}
    os.chmod(tmp_path / "pmk", 0o755)
    equal(said["mine"],
          f"pmk: core 'mine' is none of pmk's cores, and the folder of your own cores, "
          f"{tmp_path}/pmk, cannot be read: Permission denied\n")
    contains(said["arm1167"], "did you mean arm1176")


def test_the_pmu_is_one_that_the_core_can_have(tmp_path):
    equal(clock(own(tmp_path, "other", name="other", pmu="arm1136")), ("other", 700))
    for pmu in ("cortex-a53", "microblaze", "l210", "riscv32", "nosuch"):
        path = own(tmp_path / "pmk" / "cores", "wrong", name="wrong", pmu=pmu)
        said = (f"pmk: {path}: a core with isa = arm cannot have pmu = {pmu}; it can have one of "
                "arm1136r0, arm1136, arm1156, arm1176, arm11mpcore\n")
        for argv in (("stat", "--core", path, loop(1)), ("stat", "--core", "wrong", loop(1)),
                     ("info", "wrong")):
            out = pmk(*argv, env=with_config(tmp_path))
            equal((out.code, out.err), (125, said), argv)


def test_a_core_in_the_users_folder_is_called_as_its_file(tmp_path):
    """A core in the user's folder has the name of its file. Otherwise the counts of a changed copy
    of a preset would be shown as those of the original core."""
    path = own(tmp_path / "pmk" / "cores", "mine", clock=123000000)
    out = pmk("stat", "--core", "mine", loop(1), env=with_config(tmp_path))
    said = f"pmk: {path}: [core] has name = arm1176; the name must be that of the file, mine\n"
    equal((out.code, out.err), (125, said))
    equal(clock(path), ("arm1176", 123))
    for argv in (("list", "cores"), ("info", "dcache.size")):
        out, usual = pmk(*argv, env=with_config(tmp_path)), pmk(*argv)
        equal((out.code, out.out, out.err), (125, usual.out, said), "the others are shown")


def test_what_the_emulator_does_not_know_it_says_itself(tmp_path):
    out = pmk("stat", "--core", own(tmp_path, "odd", name="odd", qemu_cpu="nosuch"), loop(1))
    equal(out.code, 126, out)
    assert re.fullmatch(r"(qemu-arm: .*nosuch.*\n)+pmk: qemu-arm ended before the program "
                        r"executed an instruction; its own message says why .*\n", out.err), out


def test_a_data_directory_that_is_not_there_is_named():
    out = pmk("stat", loop(1), env=dict(os.environ, PMK_DATA="/nosuch"))
    equal((out.code, out.err), (125, "pmk: /nosuch/cores: No such file or directory\n"))
