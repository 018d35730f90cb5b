#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that nobody here wrote, to count: static executables of Debian's armel and arm64 packages.

They are fetched through the host's own apt (its sources, keys and proxies) into a private apt root, so
that nothing of the host changes, and are pinned by version and checksum. Kept in $PMK_TEST_WORK, or in
pmkit-tests below the user's cache directory.

    tests/guest/fetch_debian.py     fetch all and print where they are
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

# architecture: {name: package, version, sha256 of the .deb, path inside it}
PROGRAMS = {"armel": {
    "busybox": ("busybox-static", "1:1.35.0-4+deb12u1+b1",
                "061813bf602fdec8f81f07afd196a0e1b8ab0223fbbe9d7b4e003ee44130a60f", "bin/busybox"),
    "bash": ("bash-static", "5.2.15-2+b13",
             "5d24ac03b78bbf2219f407e47e5f68fe2ec96b867c99099d5a8d274ef6d61f56", "bin/bash-static"),
    "sash": ("sash", "3.8-5+b28",
             "33f0d6bef985803b39782265914f8692c107f08f49234312e81f4ec2bfe4284d", "bin/sash"),
}, "arm64": {
    "busybox": ("busybox-static", "1:1.35.0-4+deb12u1+b1",
                "732c9135564fc71337e0e05fb4da4d11e6c28c1834bce3e405e575afef2a52f5", "bin/busybox"),
    "bash": ("bash-static", "5.2.15-2+b13",
             "b592f626c16f70b65dc44a8018a49bd115c97249102f6a41260b10d9aa6428eb", "bin/bash-static"),
    "sash": ("sash", "3.8-5+b28",
             "0b89398d873116da70ddb347464780a7fe9d87417d2780cb877f0ae1fb09fbed", "bin/sash"),
}}

CONFIG = """
Dir::State "{root}/state";
Dir::State::status "{root}/state/status";
Dir::Cache "{root}/cache";
APT::Architecture "{arch}";
APT::Architectures {{ "{arch}"; }};
APT::Sandbox::User "{user}";
Acquire::Languages "none";
Acquire::Retries "0";
Acquire::http::Timeout "10";
Acquire::https::Timeout "10";
"""


class Unavailable(Exception):
    """It cannot be had here and now; the text says why."""


_roots = {}  # by architecture: the root, or why there is none


def cache_dir():
    work = os.environ.get("PMK_TEST_WORK")
    if work:
        return os.path.join(work, "debian")
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(caches, "pmkit-tests")


def apt(root, *argv, cwd=None, timeout=120):
    env = dict(os.environ, APT_CONFIG=os.path.join(root, "apt.conf"), LC_ALL="C")
    try:
        return subprocess.run(["apt-get", "-q", *argv], env=env, cwd=cwd, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"apt-get {argv[0]} took more than {timeout} s")


def apt_root(arch):
    """A private apt root with fresh lists of packages; made once per process, thrown away at its end."""
    if arch not in _roots:
        try:
            _roots[arch] = make_root(arch)
        except Unavailable as why:
            _roots[arch] = str(why)
    if isinstance(_roots[arch], str):
        raise Unavailable(_roots[arch])
    return _roots[arch].name


def make_root(arch):
    for tool in ("apt-get", "dpkg-deb"):
        if not shutil.which(tool):
            raise Unavailable(f"{tool} is not installed")
    holder = tempfile.TemporaryDirectory(prefix="pmk-apt-")
    root = holder.name
    for part in ("state/lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(root, part))
    open(os.path.join(root, "state", "status"), "w").close()
    with open(os.path.join(root, "apt.conf"), "w") as f:
        user = "root" if os.geteuid() == 0 else ""
        f.write(CONFIG.format(root=root, user=user, arch=arch))
    # A source that cannot be reached does not make the others worthless: the download decides.
    done = apt(root, "update")
    if not any("Packages" in name for name in os.listdir(os.path.join(root, "state", "lists"))):
        last = (done.stderr.strip() or f"no source has {arch} packages").splitlines()[-1]
        raise Unavailable("no package lists: " + last.split("http")[0].strip())
    return holder


def extract(arch, package, version, sha256, inside, target):
    root = apt_root(arch)
    with tempfile.TemporaryDirectory(dir=root) as place:
        done = apt(root, "download", f"{package}={version}", cwd=place)
        debs = [f for f in os.listdir(place) if f.endswith(".deb")]
        if done.returncode or not debs:
            raise Unavailable(f"{package} {version} is not to be had any more")
        deb = os.path.join(place, debs[0])
        with open(deb, "rb") as f:
            got = hashlib.sha256(f.read()).hexdigest()
        if got != sha256:
            raise RuntimeError(f"{package} {version}: sha256 is {got}, pinned is {sha256}")
        subprocess.run(["dpkg-deb", "-x", deb, os.path.join(place, "x")], check=True)
        mine = f"{target}.{os.getpid()}"
        shutil.copy(os.path.join(place, "x", inside), mine)
        os.replace(mine, target)


def fetch(name, arch="armel"):
    """The path of the program, fetched if need be; Unavailable says why not."""
    package, version, sha256, inside = PROGRAMS[arch][name]
    os.makedirs(cache_dir(), exist_ok=True)
    target = os.path.join(cache_dir(), f"{name}-{sha256[:12]}")
    if not os.path.exists(target):
        extract(arch, package, version, sha256, inside, target)
    return target


if __name__ == "__main__":
    missing = 0
    for arch, programs in PROGRAMS.items():
        for wanted in programs:
            try:
                print(arch, wanted, fetch(wanted, arch))
            except Unavailable as why:
                missing = 1
                print(f"{arch} {wanted}: {why}", file=sys.stderr)
    sys.exit(missing)
