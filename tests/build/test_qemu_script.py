# SPDX-License-Identifier: MIT
"""scripts/qemu up to the start of the build: it decides whether this machine needs a build, gets
the sources, and reports failures. PATH has stand-ins for the commands of apt, and a few tools."""
import os
import shutil

import pytest

from harness import SOURCE, WORK, equal, have, run

SCRIPT = os.path.join(SOURCE, "scripts", "qemu")
# Tests of this file may run in parallel.
PLACE = os.path.join(WORK, "qemu-script", os.environ.get("PYTEST_XDIST_WORKER", "one"))
EMULATORS = ("qemu-arm", "qemu-aarch64", "qemu-microblazeel", "qemu-microblaze")
TOOLS = ("awk", "cat", "cp", "date", "dirname", "grep", "head", "ls", "mkdir", "mktemp", "mv",
         "readlink", "rm", "sed", "sh", "sleep", "tail")
FUNCTION = "qemu_plugin_register_vcpu_init_cb"

# apt-cache's description of qemu-user on Debian 12, on Debian 13, and with a newer dpkg, which has
# a separate field for libraries.
DEBIAN12 = "Package: qemu-user\nSource: qemu (1:7.2+dfsg-7+deb12u18)\n" \
           "Version: 1:7.2+dfsg-7+deb12u18+b3\nDepends: libc6 (>= 2.34)\n"
DEBIAN13 = "Package: qemu-user\nSource: qemu\nVersion: 1:10.0.13+ds-0+deb13u1\n" \
           "Built-Using: capstone (= 5.0.7-1~deb13u1), gcc-14 (= 14.2.0-19), " \
           "glibc (= 2.41-12+deb13u3)\n"
NEWER = DEBIAN13.replace("Built-Using", "Static-Built-Using")


def script(folder, name, body):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(f"#!/bin/sh\n{body}\n")
    os.chmod(path, 0o755)


def machine(name, package=None, **commands):
    """Makes a folder with tools and stand-ins. Returns the folder, and an environment with this
    folder as PATH. `package` is the reply of apt-cache."""
    folder = os.path.join(PLACE, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/bin")
    have(*TOOLS)
    for tool in TOOLS:
        os.symlink(shutil.which(tool), f"{folder}/bin/{tool}")
    if package is not None:
        script(folder + "/bin", "apt-cache", f"cat <<'END'\n{package}END")
    for command, body in commands.items():
        script(folder + "/bin", command.replace("_", "-"), body)
    return folder, {"PATH": folder + "/bin", "PMK_CACHE": folder + "/cache", "HOME": "/nonexistent"}


def wanted(env):
    out = run(SCRIPT, "--wanted", env=env)
    equal((out.code, out.err), (0, ""))
    return out.out.strip()


@pytest.mark.parametrize("package, want",
                         [(DEBIAN12, "package"), (DEBIAN13, "build"), (NEWER, "build"),
                          ("", "lists"),
                          (None, "build")],
                         ids=["Debian 12", "Debian 13", "newer", "apt knows none", "no apt"])
def test_what_a_machine_needs(package, want):
    _, env = machine("wanted", package)
    equal(wanted(env), want)
    equal(wanted(dict(env, PMK_QEMU_DIR="/opt")), "nothing", "somebody has said where they are")


def test_emulators_in_path_are_enough():
    folder, env = machine("in-path", DEBIAN13)
    os.makedirs(folder + "/more")
    for name in EMULATORS:
        equal(wanted(env), "build")
        script(folder + "/bin", name, "static")
        script(folder + "/more", name, FUNCTION)
        env["PATH"] = f"{folder}/bin:{folder}/more"
    equal(wanted(env), "nothing", "the static ones before them do not matter")


def test_built_ones_are_enough():
    folder, env = machine("built", DEBIAN13)
    equal(run(SCRIPT, "--path", env=env).out, f"{folder}/cache/qemu\n")
    for made, want in (("qemu-10.0.13-1", "build"), ("qemu-10.0.13-2", "nothing")):
        os.makedirs(f"{folder}/cache/{made}")
        for name in EMULATORS:
            script(f"{folder}/cache/{made}", name, FUNCTION)
        if os.path.islink(f"{folder}/cache/qemu"):
            os.unlink(f"{folder}/cache/qemu")
        os.symlink(made, f"{folder}/cache/qemu")
        equal(wanted(env), want)
    out = run(SCRIPT, env=env)
    equal((out.code, out.out), (0, f"already there: {folder}/cache/qemu\n"))
    os.unlink(f"{folder}/cache/qemu/qemu-microblaze")
    equal(wanted(env), "build")


def test_all_that_is_built_is_in_one_folder():
    env = {k: v for k, v in os.environ.items() if k not in ("PMK_CACHE", "XDG_CACHE_HOME")}
    for name in ("qemu", "microblaze-toolchain"):
        script = os.path.join(os.path.dirname(SCRIPT), name)
        path = run(script, "--path", env=dict(env, HOME="/somewhere")).out.strip()
        equal(os.path.dirname(path), "/somewhere/.cache/pmukit")


def test_where_is_no_apt():
    _, env = machine("no-apt")
    out = run(SCRIPT, env=env)
    equal((out.code, out.out), (1, ""))
    equal(out.err,
          f"{SCRIPT}: this takes the source package of Debian or a relative of it, and here is no "
          f"apt-get; "
                   "docs/install.md says how to build QEMU by hand\n")


def test_what_to_install():
    """Without root and sudo, the script prints one line with the command that root must run."""
    _, env = machine("no-root", DEBIAN13, apt_get="exit 1", dpkg_query="exit 1", id="echo 1000")
    out = run(SCRIPT, env=env)
    equal(out.code, 1)
    head, _, packages = out.err.partition(": apt-get install ")
    equal(head, "these Debian packages are missing; install them as root")
    assert {"dpkg-dev", "libglib2.0-dev", "libcapstone-dev",
            "python3-venv"} <= set(packages.split()), out


# Package sources in both notations, and the expected replacements.
LIST = """\
# a remark
deb http://one.example/debian bookworm main
deb-src http://one.example/debian bookworm main
  deb [arch=amd64 signed-by=/usr/share/keyrings/k.gpg] https://two.example/debian bookworm main contrib
deb cdrom:[Debian 12]/ bookworm main
# deb http://off.example/debian bookworm main
"""
LIST_ASKED = """\
deb-src http://one.example/debian bookworm main
deb-src [arch=amd64 signed-by=/usr/share/keyrings/k.gpg] https://two.example/debian bookworm main contrib
"""
DEB822 = """\
Types: deb
URIs: http://one.example/debian
Suites: trixie trixie-updates
Components: main
Signed-By: /usr/share/keyrings/k.gpg

types:
 deb
 deb-src
URIs: http://two.example/debian
Suites: trixie-security
Enabled: no
"""
DEB822_ASKED = """\
Types: deb-src
URIs: http://one.example/debian
Suites: trixie trixie-updates
Components: main
Signed-By: /usr/share/keyrings/k.gpg

Types: deb-src
URIs: http://two.example/debian
Suites: trixie-security
Enabled: no
"""


def with_apt(name, apt_get):
    """Returns a machine with the package sources above. Its apt-get is a script: $etc is the
    private copy of /etc/apt, $lists the folder for lists, $verb the requested command."""
    parse = '''for word; do
	case "$word" in
	Dir::Etc::sourcelist=*) etc=${word#*=}; etc=${etc%/*} ;;
	Dir::State::lists=*) lists=${word#*=} ;;
	update | source) verb=$word ;;
	esac
done
'''
    folder, env = machine(name, DEBIAN13, dpkg_query="echo installed", nproc="echo 2",
                          apt_get=parse + apt_get)
    script(folder + "/bin", "apt-config",
           f"echo \"list='{folder}/etc/sources.list' parts='{folder}/etc/sources.list.d'\"")
    os.makedirs(folder + "/etc/sources.list.d")
    for file, text in (("sources.list", LIST), ("sources.list.d/debian.sources", DEB822)):
        with open(f"{folder}/etc/{file}", "w") as f:
            f.write(text)
    return folder, run(SCRIPT, env=env)


def test_sources_are_asked_for():
    folder, out = with_apt("asked", f"cp -r $etc {PLACE}/asked/copy; echo W: Failed to fetch >&2")
    equal(out.code, 1)
    with open(f"{folder}/copy/sources.list") as f:
        equal(f.read(), LIST_ASKED)
    with open(f"{folder}/copy/parts/debian.sources") as f:
        equal(f.read(), DEB822_ASKED)
    assert "    W: Failed to fetch\n" in out.err, out
    equal(out.err.splitlines()[-1],
          f"{SCRIPT}: no list of source packages could be fetched: is there a network, and does "
          f"/etc/apt name package "
          "sources? docs/install.md says how to build QEMU by hand; the lines above are the end of "
          f"{folder}/cache/qemu.log")
    equal(sorted(os.listdir(folder + "/cache")), ["qemu.log"], "nothing is left but the log")


def test_the_version_of_the_package_is_asked_for():
    folder, out = with_apt("version", f'''case $verb in
update) : >$lists/x_Sources ;;
source) echo "$*" >{PLACE}/version/asked; echo "E: Unable to find a source package" >&2; exit 100 ;;
esac''')
    equal(out.code, 1)
    with open(folder + "/asked") as f:
        equal(f.read().split()[-3:], ["source", "--download-only", "qemu=1:10.0.13+ds-0+deb13u1"])
    assert "    E: Unable to find a source package\n" in out.err, out
    equal(out.err.splitlines()[-1],
          f"{SCRIPT}: this machine's package sources do not have the sources of qemu "
          f"1:10.0.13+ds-0+deb13u1; docs/install.md says how to build QEMU by hand; the lines "
          f"above are the end of {folder}/cache/qemu.log")
