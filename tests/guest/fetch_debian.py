#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Third-party programs to count, and the parts of a Linux guest: files of Debian's packages for
other processors, in the archive's present version. Tests determine the expected counts from the
same files, so other versions cause no failures.

The files are fetched through the host's own apt (its sources, keys and proxies) into a private apt
root, so that nothing of the host changes. The files are kept in $PMK_TEST_WORK, or in pmukit/tests
below the user's cache directory.

    tests/guest/fetch_debian.py [ARCHITECTURE]     fetch the programs and print where they are
"""
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile

# {name: (package, pattern of the path in the package)}
PROGRAMS = {
    "busybox": ("busybox-static", "*bin/busybox"),
    "bash": ("bash-static", "*bin/bash-static"),
    "sash": ("sash", "*bin/sash"),
}

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
    """A program is not available at present; the text says why."""


_roots = {}  # {architecture: its apt root, or why there is none}
_unpacked = {}  # {(architecture, package): (its files, their folder)}


def cache_dir():
    work = os.environ.get("PMK_TEST_WORK")
    if work:
        return os.path.join(work, "debian")
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(caches, "pmukit", "tests")


def release():
    """Returns the code name of the host's Debian release, which is part of the folder names: files
    of another release are kept in other folders."""
    try:
        with open("/etc/os-release", encoding="utf-8") as f:
            found = re.search(r'^VERSION_CODENAME="?(\w+)', f.read(), re.M)
    except OSError:
        found = None
    return found[1] if found else "debian"


def apt(root, *argv, cwd=None, timeout=300):
    env = dict(os.environ, APT_CONFIG=os.path.join(root, "apt.conf"), LC_ALL="C")
    try:
        return subprocess.run([*argv], env=env, cwd=cwd, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{' '.join(argv)} took more than {timeout} s")


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
        f.write(CONFIG.format(root=root, arch=arch, user="root" if os.geteuid() == 0 else ""))
    # Ignore a source that cannot be reached: the other sources may have the program. If they do
    # not, the download fails.
    done = apt(root, "apt-get", "-q", "update")
    if not any(f"binary-{arch}_Packages" in name
               for name in os.listdir(os.path.join(root, "state", "lists"))):
        last = (done.stderr.strip() or f"no source has {arch} packages").splitlines()[-1]
        raise Unavailable("no package lists: " + last.split("http")[0].strip())
    return holder


def apt_root(arch):
    """Returns a private apt root with new lists of packages. It is made once per process, and
    deleted at the end."""
    if arch not in _roots:
        try:
            _roots[arch] = make_root(arch)
        except Unavailable as why:
            _roots[arch] = why
    if isinstance(_roots[arch], Unavailable):
        raise _roots[arch]
    return _roots[arch].name


def depends(arch, package, pattern):
    """Returns the name of the package on which `package` depends and that matches the pattern, such
    as the kernel on which a metapackage depends."""
    done = apt(apt_root(arch), "apt-cache", "depends", package)
    found = [n for n in re.findall(r"Depends: (\S+)", done.stdout) if fnmatch.fnmatch(n, pattern)]
    if not found:
        raise Unavailable(f"Debian {release()} has no {package} for {arch}")
    return found[0]


def unpack(arch, package, place):
    """Unpacks the package into a new folder in `place`; returns its files."""
    root = apt_root(arch)
    done = apt(root, "apt-get", "-q", "download", package, cwd=place)
    debs = [f for f in os.listdir(place) if f.endswith(".deb")]
    if done.returncode or not debs:
        why = (done.stderr.strip()
               or "nothing was downloaded").splitlines()[-1].split("http")[0].strip()
        raise Unavailable(f"{package} for {arch}: {why}")
    subprocess.run(["dpkg-deb", "-x", os.path.join(place, debs[0]), os.path.join(place, "x")],
                   check=True)
    os.unlink(os.path.join(place, debs[0]))
    return os.path.join(place, "x")


def pool_file(path, sha256):
    """Fetches a file of Debian's pool that is in no list of this release, by its path; apt checks
    its hash. Returns the path of the cached file."""
    def make(to):
        arch = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True)
        root = apt_root(arch.stdout.strip())
        said = apt(root, "apt-get", "indextargets", "--format", "$(REPO_URI)").stdout.split()
        for uri in dict.fromkeys(said):
            done = apt(root, "/usr/lib/apt/apt-helper", "download-file", f"{uri}pool/{path}", to,
                       f"SHA256:{sha256}")
            if done.returncode == 0:
                return
        raise Unavailable(f"no source of this machine has {os.path.basename(path)}")

    return kept(f"{sha256[:16]}-{os.path.basename(path)}", make)


def kept(name, make):
    """Returns the path of `name` in the cache; make(path) makes it first if necessary."""
    os.makedirs(cache_dir(), exist_ok=True)
    target = os.path.join(cache_dir(), name)
    if not os.path.exists(target):
        with tempfile.TemporaryDirectory(dir=cache_dir()) as place:
            mine = os.path.join(place, "made")
            make(mine)
            try:
                os.replace(mine, target)
            except OSError:
                # Another process has made the folder at the same time.
                if not os.path.isdir(target):
                    raise
    return target


def inside(folder, pattern):
    """Returns the only file below `folder` whose path matches the pattern."""
    found = [os.path.join(d, f) for d, _, files in os.walk(folder) for f in files
             if fnmatch.fnmatch(os.path.relpath(os.path.join(d, f), folder), pattern)]
    if len(found) != 1:
        raise Unavailable(f"the package has {len(found)} files {pattern}")
    return found[0]


def unpacked(arch, package):
    """Returns the package's files, for processes that need several of them. They are unpacked once
    per process, and deleted at the end."""
    if (arch, package) not in _unpacked:
        holder = tempfile.TemporaryDirectory(prefix="pmk-deb-")
        _unpacked[arch, package] = holder, unpack(arch, package, holder.name)
    return _unpacked[arch, package][1]


def one_file(arch, package, pattern):
    """Returns the path of a file of a package."""
    def make(path):
        shutil.copy(inside(unpacked(arch, package() if callable(package) else package), pattern),
                    path)

    return kept(f"{release()}-{arch}-{os.path.basename(pattern).strip('*-')}", make)


def sysroot(arch, *packages):
    """Returns a folder with the files of the packages and of all packages on which they depend."""
    def make(path):
        done = apt(apt_root(arch), "apt-get", "-q", "-y", "--no-install-recommends",
                   "--download-only", "install", *packages)
        archives = os.path.join(apt_root(arch), "cache", "archives")
        debs = [f for f in os.listdir(archives) if f.endswith(".deb")]
        if done.returncode or not debs:
            raise Unavailable((done.stderr.strip() or "nothing was downloaded").splitlines()[-1])
        # Packages have files in /lib and in /usr/lib, which must be one folder.
        for name in ("bin", "lib", "sbin"):
            os.makedirs(os.path.join(path, "usr", name))
            os.symlink(f"usr/{name}", os.path.join(path, name))
        for deb in debs:
            files = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", os.path.join(archives, deb)],
                                     stdout=subprocess.PIPE)
            subprocess.run(["tar", "-x", "--keep-directory-symlink", "--no-same-owner", "-C", path],
                           stdin=files.stdout, check=True)
            files.wait()
            os.unlink(os.path.join(archives, deb))

    return kept(f"{release()}-{arch}-with-{'-'.join(packages)}", make)


def fetch(name, arch="armel"):
    """Returns the path of one of PROGRAMS, which is fetched first if necessary. If this fails,
    raises Unavailable with the reason."""
    return one_file(arch, *PROGRAMS[name])


if __name__ == "__main__":
    missing = 0
    for wanted in PROGRAMS:
        try:
            print(wanted, fetch(wanted, *sys.argv[1:]))
        except Unavailable as why:
            missing = 1
            print(f"{wanted}: {why}", file=sys.stderr)
    sys.exit(missing)
