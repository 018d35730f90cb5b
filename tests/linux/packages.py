#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a Linux guest is made of: Debian's kernel and busybox, and the static libraries that pmk is linked
with. Fetched and kept as tests/guest/fetch_debian.py does it, pinned by version and checksum.

    tests/linux/packages.py [arm64 | armel]     fetch everything and print where it is
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "guest"))
import fetch_debian as debian
from fetch_debian import Unavailable

RELEASE = "6.1.0-50"
# What is kept of a package, its version, and the sha256 of the .deb
KERNELS = {
    "arm64": ("linux-image-6.1.0-50-arm64", "boot/vmlinuz-6.1.0-50-arm64", "6.1.176-1",
              "914f75b57a8e165d85fb910c3e2dcc7000a05a9fea3f42f90b26e8dd590d5f06"),
    "armel": ("linux-image-6.1.0-50-rpi", "boot/vmlinuz-6.1.0-50-rpi", "6.1.176-1",
              "b6646f99eb5809a17d5781054e009d5d4f2f532d5d03d9d30d7c6f87077b746b"),
}
DEVICE_TREE = ("linux-image-6.1.0-50-rpi", "usr/lib/linux-image-6.1.0-50-rpi/bcm2835-rpi-zero.dtb",
               *KERNELS["armel"][2:])
BUSYBOX = {
    "arm64": ("busybox-static", "bin/busybox", "1:1.35.0-4+deb12u1+b1",
              "732c9135564fc71337e0e05fb4da4d11e6c28c1834bce3e405e575afef2a52f5"),
    "armel": ("busybox-static", "bin/busybox", "1:1.35.0-4+deb12u1+b1",
              "061813bf602fdec8f81f07afd196a0e1b8ab0223fbbe9d7b4e003ee44130a60f"),
}
LIBRARIES = {
    "arm64": (
        ("libcapstone-dev", "usr", "4.0.2-5",
         "5d968f9b07d925e11ecc664cdfe5f21fe7c3a906dae09848ec71576efe3260a9"),
        ("libelf-dev", "usr", "0.188-2.1",
         "fe16ede10e1b80a2f882f0e83c52695e77280c61eebe7106f016d4025e82399b"),
        ("zlib1g-dev", "usr", "1:1.2.13.dfsg-1",
         "afb60f0bae432f2f0edfe2d674e99c1a13a147c9aa2b52f2f23e3df19ece76f5"),
        ("libinih-dev", "usr", "55-1",
         "826cf43b54a60aa202f73f83606b29c3c32c39196b7647994ed2035505da5115"),
        ("libjson-c-dev", "usr", "0.16-2",
         "63ec847c1c866ab05ade383b52e12814a06c5a950cda6d63a9036a72c720f033"),
    ),
    "armel": (
        ("libcapstone-dev", "usr", "4.0.2-5",
         "3e8c9e823249be79c947a384e0ca9687fa4180cee275b090c4eb5a056a9e55fe"),
        ("libelf-dev", "usr", "0.188-2.1",
         "b78aa9205084995cf09d00b3b027a4fbe06d981d9ba49bceadd9d0ed2cda6b20"),
        ("zlib1g-dev", "usr", "1:1.2.13.dfsg-1",
         "731bbcae63272072ac4332b3086e88306e116b789adc083f9f7af52c1a7bc813"),
        ("libinih-dev", "usr", "55-1",
         "3dbca9dc13bf9102ff4c84442e146422cc2ed057e59bfc3ec1032ad20a6cbfed"),
        ("libjson-c-dev", "usr", "0.16-2",
         "a71a1fe495bcd63d41e6f6abad3893399d2ba9c3a1aec2e0d6c153b2e31edfa2"),
    ),
}


def unpack(arch, pin, place):
    """The package's files below `place`."""
    package, _, version, sha256 = pin
    done = debian.apt(debian.apt_root(arch), "download", f"{package}={version}", cwd=place)
    debs = [f for f in os.listdir(place) if f.endswith(".deb")]
    if done.returncode or not debs:
        raise Unavailable(f"{package} {version} is not to be had any more")
    deb = os.path.join(place, debs[0])
    with open(deb, "rb") as f:
        got = hashlib.sha256(f.read()).hexdigest()
    if got != sha256:
        raise RuntimeError(f"{package} {version}: sha256 is {got}, pinned is {sha256}")
    subprocess.run(["dpkg-deb", "-x", deb, os.path.join(place, "x")], check=True)
    os.unlink(deb)


def kept(name, make):
    """The path of `name` in the cache, made by make(path) if need be."""
    os.makedirs(debian.cache_dir(), exist_ok=True)
    target = os.path.join(debian.cache_dir(), name)
    if not os.path.exists(target):
        with tempfile.TemporaryDirectory(dir=debian.cache_dir()) as place:
            mine = os.path.join(place, "made")
            make(mine)
            os.replace(mine, target)
    return target


def one_file(arch, pin):
    def make(path):
        with tempfile.TemporaryDirectory() as place:
            unpack(arch, pin, place)
            shutil.copy(os.path.join(place, "x", pin[1]), path)

    return kept(f"{arch}-{os.path.basename(pin[1])}-{pin[3][:12]}", make)


def sysroot(arch):
    """A folder with usr/include and usr/lib of all libraries."""
    def make(path):
        for pin in LIBRARIES[arch]:
            with tempfile.TemporaryDirectory() as place:
                unpack(arch, pin, place)
                shutil.copytree(os.path.join(place, "x", pin[1]), os.path.join(path, pin[1]),
                                symlinks=True, dirs_exist_ok=True)

    state = hashlib.sha256(repr(LIBRARIES[arch]).encode()).hexdigest()[:12]
    return kept(f"{arch}-sysroot-{state}", make)


if __name__ == "__main__":
    wanted = sys.argv[1] if len(sys.argv) > 1 else "arm64"
    try:
        print(one_file(wanted, KERNELS[wanted]), one_file(wanted, BUSYBOX[wanted]), sysroot(wanted), sep="\n")
    except Unavailable as why:
        sys.exit(str(why))
