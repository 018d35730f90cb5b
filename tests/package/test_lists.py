# SPDX-License-Identifier: MIT
"""The lists of the packages agree with the installed files and with the packages that a build
needs. The package formats have their own builders, which these tests do not run."""
import fnmatch
import glob
import re

from harness import *

pytestmark = pytest.mark.quick
DEBIAN = os.path.join(SOURCE, "debian")
MULTIARCH = "usr/lib/MULTIARCH"


def text(*path):
    with open(os.path.join(SOURCE, *path)) as f:
        return f.read()


def version():
    return re.search(r"^  version: '(.*)'", text("meson.build"), re.M)[1]


def installed():
    """Returns all files with their paths in a package: below usr, with libraries in a folder for
    the machine."""
    with open(os.path.join(BUILD, "meson-info", "intro-installed.json")) as f:
        files = json.load(f).values()
    with open(os.path.join(BUILD, "meson-info", "intro-buildoptions.json")) as f:
        options = {o["name"]: o["value"] for o in json.load(f)}
    prefix, libdir = options["prefix"], options["libdir"]
    libs = re.compile(rf"{libdir}/(libpmk\.|pkgconfig/|cmake/)")
    for path in (os.path.relpath(f, prefix) for f in files):
        yield f"{MULTIARCH}/{path[len(libdir) + 1:]}" if libs.match(path) else f"usr/{path}"


def patterns(name):
    return [line for line in text("debian", name).splitlines() if line and line[0] != "#"]


def matches(path, pattern):
    return fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(path, pattern + "/*")


# debian/rules moves or makes these files.
MOVED = {"usr/share/pmk/python/pmk": "usr/lib/python3/dist-packages/pmk"}
MADE = ["usr/lib/pmk/target/pmk_target.c", "usr/lib/pmk/target/pmk_target.h",
        "usr/share/pkgconfig/pmk-target.pc"]


def test_each_file_is_in_one_debian_package():
    lists = {name: patterns(name) for name in os.listdir(DEBIAN)
             if name.endswith(".install") or name == "not-installed"}
    files = list(installed()) + MADE
    assert any(f.startswith(MULTIARCH) for f in files), files
    for path in files:
        for old, new in MOVED.items():
            path = new + path[len(old):] if path.startswith(old + "/") else path
        owners = [n for n, some in lists.items() if any(matches(path, p) for p in some)]
        # A list may install a whole folder as one entry.
        if path in ("usr/share/pmk", "usr/include/pmk"):
            continue
        equal(len(owners), 1, f"{path}: {owners}")


def test_scripts_that_build_emulators_are_installed():
    """Every script that `qemu` and `qemu-patch` call is installed next to them."""
    there = {os.path.relpath(f, "usr/lib/pmk") for f in installed()}
    for script in ("qemu", "qemu-patch"):
        called = set(re.findall(r'\$(?:here|\(dirname "\$0"\))/([\w-]+)', text("scripts", script)))
        assert called and called <= there, (script, called)


def test_each_list_is_of_a_package():
    packages = set(re.findall(r"^Package: (\S+)$", text("debian", "control"), re.M))
    equal(packages, {"pmukit", "pmukit-common", "libpmk0", "libpmk-dev", "libpmk-target-dev",
                     "python3-pmk", "pmukit-doc"})
    for path in glob.glob(os.path.join(DEBIAN, "*.install")) + glob.glob(
            os.path.join(DEBIAN, "*.docs")):
        assert os.path.basename(path).rsplit(".", 1)[0] in packages, path


def test_the_library_does_not_need_the_command():
    control = text("debian", "control")
    needs = {name: set(re.findall(r"^ ([\w-]+)", depends, re.M)) for name, depends in
             re.findall(r"^Package: (\S+)\n(?:.+\n)*?Depends:\n((?: .*\n)*)", control, re.M)}
    assert "pmukit-common" in needs["libpmk0"] & needs["pmukit"], needs
    for name in ("pmukit-common", "libpmk0", "libpmk-dev", "libpmk-target-dev", "python3-pmk"):
        assert "pmukit" not in needs[name], (name, needs)


# Values of the spec file's macros in this test.
RPM = {"%{_bindir}": "usr/bin", "%{_datadir}": "usr/share", "%{_includedir}": "usr/include",
       "%{_libdir}": MULTIARCH, "%{_mandir}": "usr/share/man", "%{_prefix}": "usr",
       "%{python3_sitelib}": "usr/lib/python3/dist-packages"}


def test_each_file_is_in_one_rpm():
    spec = text("package", "rpm", "pmukit.spec")
    got = []
    for part in re.findall(r"^%files.*\n((?:[^%\n].*\n|%[^f\n].*\n)*)", spec, re.M):
        lines = [line for line in part.splitlines()
                 if line and not line.startswith(("%license", "%doc", "%dir"))]
        for macro, place in RPM.items():
            lines = [line.replace(macro, place) for line in lines]
        got.append(lines)
    assert len(got) == 7, got
    for path in installed():
        for old, new in MOVED.items():
            path = new + path[len(old):] if path.startswith(old + "/") else path
        if path in ("usr/share/pmk", "usr/include/pmk"):
            continue
        equal(sum(any(matches(path, p) for p in some) for some in got), 1, path)


def test_versions():
    for pattern, path in ((r"^pmukit \((.*)-[^-]+\) ", "debian/changelog"),
                          (r"^Version: +(.*)$", "package/rpm/pmukit.spec"),
                          (r"^pkgver=(.*)$", "package/alpine/APKBUILD"),
                          (r"^pkgver=(.*)$", "package/arch/PKGBUILD"),
                          (r"^LIBPMK_TARGET_VERSION = (.*)$",
                           "package/buildroot/libpmk-target/libpmk-target.mk")):
        equal(re.search(pattern, text(path), re.M)[1], version(), path)


def test_shell_of_build_files():
    for shell, path in (("sh", "package/alpine/APKBUILD"), ("bash", "package/arch/PKGBUILD"),
                        ("sh", "debian/tests/demo")):
        out = run(shell, "-n", os.path.join(SOURCE, path))
        equal((out.code, out.err), (0, ""), path)


def test_build_depends_is_complete():
    """Build-Depends lists the packages of scripts/need, except those that every Debian system for
    building packages has."""
    need = text("scripts", "need")
    wanted = set()
    for purpose in ("build", "docs"):
        found = re.search(rf"^\t{purpose}\) echo ((?:.*\\\n)*.*) ;;$", need, re.M)[1]
        wanted |= set(found.replace("\\\n", " ").split())
    found = re.search(r"^Build-Depends:\n((?: .*\n)*)", text("debian", "control"), re.M)[1]
    # The packages that only tests need are not needed for building.
    got = {re.split(r"[ :]", line.strip(" ,"))[0] for line in found.splitlines()
           if "<!nocheck>" not in line}
    equal(got - {"debhelper-compat", "dh-sequence-python3", "python3", "pkgconf"},
          wanted - {"gcc", "libc6-dev", "make", "ninja-build", "pkg-config"})


def test_lists_of_gpl_files_agree():
    """debian/copyright and .reuse/dep5 list the same files as GPL."""
    def gpl(copyright_):
        for paragraph in copyright_.split("\n\n"):
            if "License: GPL-2.0-or-later" in paragraph and paragraph.startswith("Files:"):
                return set(re.search(r"Files:((?:.*\n)+?)Copyright:", paragraph)[1].split())
        return None

    got = gpl(text("debian", "copyright"))
    assert got
    equal(got, gpl(text(".reuse", "dep5")))
