# SPDX-License-Identifier: MIT
"""pmk chooses an emulator, and the plugin's module for it. If no emulator can count, it prints the
reason and a remedy. Stand-ins take the place of emulators: executables with and without the
functions that QEMU exports for plugins, and scripts in front of a real emulator."""
import json
import os
import re
import shutil

import pytest

from harness import (BUILD, CROSS, NO_EMULATORS, SOURCE, WORK, compile_arm, emulator_in_path, equal,
                     have, pmk, remedy, run)

# Each worker has its own folder, because tests of this file may run in parallel.
PLACE = os.path.join(WORK, "emulators", os.environ.get("PYTEST_XDIST_WORKER", "one"))
NAMES = ("qemu-arm", "qemu-aarch64", "qemu-microblazeel", "qemu-microblaze")
API1 = ("qemu_plugin_register_vcpu_init_cb",)
API2 = API1 + ("qemu_plugin_scoreboard_new",)
API3 = API2 + ("qemu_plugin_register_vcpu_tb_exec_cond_cb",)
API6 = API3 + ("qemu_plugin_set_pc",)
OTHER_RELEASE = ("set PMK_QEMU_DIR to the directory of another release; docs/install.md says how "
                 "to build one")


def folder(name):
    path = os.path.join(PLACE, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def script(path, body):
    with open(path, "w") as f:
        f.write(f"#!/bin/sh\n{body}\n")
    os.chmod(path, 0o755)


def executable(path, *flags, exports=(), version="7.2.22", answer=None):
    """Makes an emulator that only prints its version. It logs each of its command lines in
    PATH.log. `answer` is its reply to --version, if the reply differs from the text in its file. If
    `version` is "", the file has no such text."""
    have("gcc")
    told = f'"qemu-arm version {version} (of a test)"' if version else '""'
    answer = f'"qemu-arm", " version", " {answer} (of a test)"' if answer else f'"", {told}, ""'
    source = path + ".c"
    with open(source, "w") as f:
        f.write('#include <stdio.h>\n#include <string.h>\n')
        f.write(f"const char text[] = {told};\n")
        f.writelines(f"int {name}(void);\nint {name}(void) {{ return 0; }}\n" for name in exports)
        f.write(f'''int main(int argc, char **argv)
{{
	FILE *log;

	if (argc > 1 && !strcmp(argv[1], "--version"))
		return printf("%s%s%s\\n", {answer}) < 0;
	log = fopen("{path}.log", "a");
	for (int i = 1; i < argc; i++)
		fprintf(log, "%s ", argv[i]);
	fputc('\\n', log);
	return 1;
}}
''')
    out = run("gcc", "-o", path, source, *flags)
    assert out.code == 0, out


def program():
    return compile_arm(os.path.join(SOURCE, "examples/linux/crc.c"), "crc-emulators", "-O2",
                       "-static")


def count(*path, argv=(), **env):
    """Runs pmk stat with these folders as PATH, and with no other emulators unless requested."""
    env = dict(os.environ, PATH=os.pathsep.join(path), **dict(NO_EMULATORS, **env))
    return pmk("stat", "-x", ",", "-e", "instructions", *(argv or [program()]), env=env)


def fails_with(out, line):
    equal((out.code, out.err.splitlines()[-1]), (125, f"pmk: {line}"))


def advice(item, *path, **env):
    """Returns (status, text, advice) of pmk doctor's last line about the emulator."""
    env = dict(os.environ, PATH=os.pathsep.join(path), **dict(NO_EMULATORS, **env))
    doc = json.loads(pmk("doctor", "environment", "-j", env=env).out)
    return [(i["status"], i["text"], i["advice"]) for i in doc["environment"]["items"]
            if i["name"] == item][-1]


def real():
    """Returns an emulator of this machine that can count, and its module."""
    have(CROSS + "gcc")
    found = emulator_in_path("qemu-arm")
    major, minor = map(int, re.search(r"version (\d+)\.(\d+)",
                                      run(found, "--version").out).groups())
    for api, release in ((7, (11, 1)), (6, (11, 0)), (3, (9, 1)), (2, (9, 0)), (1, (6, 0))):
        if (major, minor) >= release:
            return found, api
    raise AssertionError(f"{found} is too old")


def modules(name, **others):
    """Makes a folder with the modules of the plugin, for PMK_PLUGIN. With apiN=False, the module
    for version N of the interface is missing."""
    path = folder(name)
    for file in os.listdir(BUILD):
        if re.fullmatch(r"pmk-qemu.*\.so", file):
            os.symlink(os.path.join(BUILD, file), os.path.join(path, file))
    for api in (1, 2, 3, 6, 7):
        file = os.path.join(path, f"pmk-qemu-api{api}.so")
        if not others.get(f"api{api}", True):
            if os.path.lexists(file):
                os.unlink(file)
        elif not os.path.lexists(file):
            with open(file, "w") as f:
                f.write("not of this build\n")
    return path


# ---- problems and their remedies ------------------------------------------------------------

def test_none():
    line = f"qemu-arm is not installed; {remedy('qemu-user')}"
    fails_with(count(folder("none")), line)
    equal(advice("qemu-arm", folder("none")),
          ("missing", "runs programs for ARM", remedy("qemu-user")))


@pytest.mark.parametrize("how", ["-static", "-static-pie"])
def test_a_static_one(how):
    place = folder("static" + how)
    executable(f"{place}/qemu-arm", how, "-rdynamic", exports=API1)
    cause = f"{place}/qemu-arm is linked statically and cannot load plugins"
    fails_with(count(place), f"{cause}; {remedy('qemu-user', 'one that can')}")
    equal(advice("qemu-arm", place), ("broken", cause, remedy("qemu-user", "one that can")))
    assert not os.path.exists(f"{place}/qemu-arm.log"), "it was started"


def test_one_without_plugins():
    place = folder("without")
    executable(f"{place}/qemu-arm", "-rdynamic")
    cause = f"{place}/qemu-arm was built without support for plugins"
    fails_with(count(place), f"{cause}; {remedy('qemu-user', 'one that can')}")
    equal(advice("qemu-arm", place), ("broken", cause, remedy("qemu-user", "one that can")))
    # In the distributions' packages, qemu-system-* can load plugins. So a qemu-system-* that cannot
    # is the user's own build, and the message does not advise to install a package.
    shutil.copy(f"{place}/qemu-arm", f"{place}/qemu-system-arm")
    fails_with(count(place, argv=("--qemu", "qemu-system-arm -M none")),
               f"{place}/qemu-system-arm was built without support for plugins; docs/install.md "
               f"says how to install or build "
               "QEMU")


def test_one_that_may_not_be_executed():
    place = folder("closed")
    executable(f"{place}/qemu-arm", "-rdynamic", exports=API1)
    os.chmod(f"{place}/qemu-arm", 0o644)
    fails_with(count(place),
               f"{place}/qemu-arm: permission denied; {remedy('qemu-user', 'one that can')}")


def test_one_that_is_too_old():
    place = folder("old")
    line = f"qemu-arm 5.2.0 is too old: plugins need QEMU 6.0 or newer; {OTHER_RELEASE}"
    executable(f"{place}/qemu-arm", "-rdynamic", exports=API1, version="5.2.0")
    fails_with(count(place), line)
    script(f"{place}/qemu-arm", "echo 'qemu-arm version 5.2.0 (Debian 1:5.2+dfsg)'")
    fails_with(count(place), line)
    equal(advice("qemu-arm", place),
          ("broken", "version 5.2.0, runs programs for ARM; too old: plugins need 6.0",
           OTHER_RELEASE))


def test_an_emulator_newer_than_all_known_releases():
    """pmk treats an emulator that is newer than all known releases like the newest known release.
    The emulator refuses the plugin, and names the version of the interface that it needs."""
    place = folder("new")
    script(f"{place}/qemu-arm", '''case "$1" in --version) echo "qemu-arm version 99.1.0"; exit;; esac
echo "qemu-arm: Could not load plugin x: plugin requires API version 7, but this QEMU supports only a minimum" \
"version of 12" >&2; exit 1''')
    line = (f"qemu-arm 99.1.0 needs a plugin for API version 12, which pmk does not have; "
            f"{OTHER_RELEASE}")
    fails_with(count(place, PMK_PLUGIN=modules("all")), line)
    status, text, _ = advice("qemu-arm", place, PMK_PLUGIN=modules("all"))
    equal((status, text), ("broken", f"counting fails (exit code 125): {line}"))


def test_one_that_is_no_qemu():
    place = folder("none-at-all")
    script(f"{place}/qemu-arm", "echo hello")
    fails_with(count(place), "qemu-arm does not behave like QEMU: it does not print its version")


def test_a_module_that_is_not_there():
    place = folder("no-module")
    executable(f"{place}/qemu-arm", "-rdynamic", exports=API3, version="10.0.13")
    there = modules("all-but-3", api3=False)
    fails_with(count(place, PMK_PLUGIN=there),
               f"cannot read the QEMU plugin {there}/pmk-qemu-api3.so; set PMK_PLUGIN "
               "to it, or to the directory of pmk's modules")


def test_another_capstone_than_that_of_pmk():
    """The plugin uses the Capstone library that the emulator has already loaded, even if its
    version numbers instructions in another way than pmk's library."""
    emulator, _ = real()
    place = folder("other-capstone")
    source = os.path.join(place, "capstone.c")
    with open(source, "w") as f:
        f.write("unsigned cs_version(int *major, int *minor)\n{\n\t*major = 99;\n\t*minor = "
                "0;\n\treturn 99 << 8;\n}\n")
    out = run("gcc", "-shared", "-fPIC", "-o", f"{place}/capstone.so", source)
    assert out.code == 0, out
    script(f"{place}/qemu-arm", f'LD_PRELOAD={place}/capstone.so exec {emulator} "$@"')
    out = count(place)
    why = "pmk-qemu: this emulator has loaded Capstone 99, and pmk was built with another"
    assert out.code == 125 and why in out.err, out
    assert out.err.splitlines()[-1].endswith("its own message says why"), out


# ---- where emulators are searched ----------------------------------------------------------------

def test_path_passes_over_those_that_cannot():
    emulator, _ = real()
    place, second = folder("static-first"), folder("second")
    executable(f"{place}/qemu-arm", "-static")
    os.symlink(emulator, f"{second}/qemu-arm")
    equal(count(place, second).code, 0)
    equal(advice("qemu-arm", place, second)[:2],
          ("ok", "counts: 3 of 3 instructions of a small program"))


def test_the_cache_is_looked_at_last():
    emulator, _ = real()
    place, cache = folder("static-in-path"), folder("cache/qemu")
    executable(f"{place}/qemu-arm", "-static")
    os.symlink(emulator, f"{cache}/qemu-arm")
    for env in ({"PMK_CACHE": f"{PLACE}/cache"},
                {"PMK_CACHE": "", "XDG_CACHE_HOME": f"{PLACE}/xdg"},
                {"PMK_CACHE": "", "XDG_CACHE_HOME": "", "HOME": f"{PLACE}/home"}):
        for link in (f"{PLACE}/xdg/pmukit/qemu", f"{PLACE}/home/.cache/pmukit/qemu"):
            if not os.path.islink(link):
                os.makedirs(os.path.dirname(link), exist_ok=True)
                os.symlink(cache, link)
        equal(count(place, **env).code, 0, env)
    # pmk prefers an emulator in PATH that can load plugins to one that cannot.
    first = folder("first")
    script(f"{first}/qemu-arm", "echo 'qemu-arm version 5.2.0'")
    fails_with(count(first, PMK_CACHE=f"{PLACE}/cache"),
               f"qemu-arm 5.2.0 is too old: plugins need QEMU 6.0 or newer; {OTHER_RELEASE}")


def test_pmk_qemu_dir():
    emulator, _ = real()
    place, empty = folder("own"), folder("empty")
    os.symlink(emulator, f"{place}/qemu-arm")
    equal(count(empty, PMK_QEMU_DIR=place).code, 0)
    line = (f"PMK_QEMU_DIR is {empty}, which has no qemu-arm; unset PMK_QEMU_DIR, or set "
            f"it to ")
    line += "the directory of another"
    fails_with(count(os.path.dirname(emulator), PMK_QEMU_DIR=empty), line)
    equal(advice("qemu-arm", os.path.dirname(emulator), PMK_QEMU_DIR=empty),
          ("missing", line.partition("; ")[0], line.partition("; ")[2]))
    static = folder("own-static")
    executable(f"{static}/qemu-arm", "-static")
    fails_with(count(os.path.dirname(emulator), PMK_QEMU_DIR=static),
               f"{static}/qemu-arm is linked statically and cannot load plugins; unset "
               f"PMK_QEMU_DIR, or set it to the "
               "directory of another")


def test_a_path_is_a_path():
    emulator, _ = real()
    prog = program()
    equal(count(folder("none"), argv=("--qemu", f"{emulator} {prog}")).code, 0)
    place = folder("given")
    executable(f"{place}/qemu-arm", "-static")
    fails_with(count(os.path.dirname(emulator), argv=("--qemu", f"{place}/qemu-arm {prog}")),
               f"{place}/qemu-arm is linked statically and cannot load plugins; give another, "
               "such as the name of one in PATH")
    fails_with(count(folder("none"), argv=("--qemu", f"{place}/nothing {prog}")),
               f"{place}/nothing is not installed; give another, such as the name of one in "
               f"PATH")


# ---- which module --------------------------------------------------------------------------------

@pytest.mark.parametrize("exports, version, module", [
    (API1, "7.2.22", 1), (API2, "9.0.4", 2), (API3, "9.1.0", 3), (API3, "10.0.13", 3),
                                                      (API6, "11.0.0", 6),
    (API6, "11.1.3", 7), (API6, "99.0.0", 7),
    # The exported functions decide, if they can be read: distributions backport newer plugin
    # interfaces into older releases.
    (API3, "8.2.50", 3), (API1, "9.2.0", 1),
], ids=lambda x: str(x) if not isinstance(x, tuple) else f"{len(x)} functions")
@pytest.mark.parametrize("options", [(), ("--qemu", "qemu-system-arm -M none")],
                         ids=["program", "firmware"])
def test_the_module_fits(exports, version, module, options):
    place = folder("modules")
    name = "qemu-system-arm" if options else "qemu-arm"
    executable(f"{place}/{name}", "-rdynamic", exports=exports, version=version)
    out = count(place, argv=options, PMK_PLUGIN=modules("all"))
    fails_with(out,
               f"{name} {version} ended before it loaded the plugin "
               f"{PLACE}/all/pmk-qemu-api{module}.so; its own "
               "message says why")
    with open(f"{place}/{name}.log") as f:
        equal(set(re.findall(r"pmk-qemu-api\d", f.read())), {f"pmk-qemu-api{module}"})


@pytest.mark.parametrize("version, answer, module",
                         [("11.0.1", "11.1.3", 6), ("11.1.3", "11.0.1", 7),
                          ("", "11.0.1", 6), ("9.2.4", "11.0.1", 6)])
def test_the_release_is_read_from_the_file(version, answer, module):
    """If the exported functions fit several interfaces, the version in the emulator's file decides.
    If the file has no version, pmk runs the emulator with --version."""
    place = folder("release")
    executable(f"{place}/qemu-arm", "-rdynamic", exports=API6, version=version, answer=answer)
    assert count(place, PMK_PLUGIN=modules("all")).code == 125
    with open(f"{place}/qemu-arm.log") as f:
        equal(set(re.findall(r"pmk-qemu-api\d", f.read())), {f"pmk-qemu-api{module}"})


def test_a_wrapper_script_is_asked_for_its_version():
    """For a script that wraps an emulator, pmk chooses the module by the output of --version."""
    emulator, api = real()
    place = folder("wrapped")
    script(f"{place}/qemu-arm", f'echo "$*" >>{place}/log\nexec {emulator} "$@"')
    out = count(place)
    equal((out.code, len(out.err.splitlines())), (0, 1), out)
    with open(f"{place}/log") as f:
        first, second = f.read().splitlines()
    equal(first, "--version")
    assert f"pmk-qemu-api{api}.so,arena=" in second, second


def test_pmk_follows_the_refusal_of_an_emulator():
    """If the emulator's version does not determine its plugin interface, pmk retries with the
    interface that the emulator's refusal names."""
    emulator, api = real()
    tried, version = (2, "9.0.50") if api != 2 else (1, "8.2.50")
    wants = f"a minimum version of {api}" if api > tried else f"up to version {api}"
    place = folder("refuses")
    script(f"{place}/qemu-arm", f'''echo "$*" >>{place}/log
case "$*" in
--version) echo "qemu-arm version {version} (backported)";;
*pmk-qemu-api{api}.so*) exec {emulator} "$@";;
*) echo "qemu-arm: Could not load plugin x.so: plugin requires API version {tried}, but this QEMU supports only" \
"{wants}" >&2; exit 1;;
esac''')
    out = count(place, PMK_PLUGIN=modules("refused"))
    equal(out.code, 0, out)
    said, note, number = out.err.splitlines()
    assert "requires API version" in said
    equal(note,
          f"pmk: qemu-arm {version} takes plugins of API version {api}: trying "
          f"pmk-qemu-api{api}.so")
    assert re.match(r"\d+,,instructions,", number), number
    # Of several runs, only the first needs to find the interface.
    out = count(place, argv=("-r", "3", program()), PMK_PLUGIN=modules("refused"))
    equal((out.code, out.err.count("trying")), (0, 1), out)
    # If PMK_PLUGIN is a file, pmk does not choose a module.
    one = os.path.join(modules("one"), f"pmk-qemu-api{tried}.so")
    fails_with(count(place, PMK_PLUGIN=one),
               f"qemu-arm {version} ended before it loaded the plugin {one}; its own message "
               f"says why")


def test_the_program_is_not_run_to_ask_why():
    """If an emulator ignores the plugin, pmk runs the program once. It does not run it again to
    read an error message."""
    emulator, _ = real()
    place = folder("ignores")
    script(f"{place}/qemu-arm", f'''case "$1" in --version) exec {emulator} "$@";; esac
for last; do :; done
echo "$last" >>{place}/log''')
    out = count(place, argv=(program(), "3"))
    equal(out.code, 125, out)
    with open(f"{place}/log") as f:
        equal(f.read().split(), ["3", "/dev/null"])
