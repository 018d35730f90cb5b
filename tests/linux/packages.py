#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The parts of a Linux guest: Debian's kernel and busybox, and the libraries that pmk is linked
with. tests/guest/fetch_debian.py fetches them, and keeps them.

    tests/linux/packages.py [arm64 | armel | armhf]     fetch everything and print where it is
"""
import functools
import hashlib
import lzma
import os
import shutil
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "guest"))
import fetch_debian as debian
from fetch_debian import Unavailable

# The metapackage of the kernel, whose own package name contains the version.
KERNELS = {"arm64": "linux-image-arm64", "armel": "linux-image-rpi", "armhf": "linux-image-armmp"}
# {package with the headers: package with the library, whose version differs between releases}.
# libelf needs libz, and from 0.189 on libzstd. libdw needs both, and two more libraries. libiberty
# is only an archive.
LIBRARIES = {"libcapstone-dev": "libcapstone[0-9]*", "libelf-dev": "libelf1*",
             "zlib1g-dev": "zlib1g",
             "libzstd-dev": "libzstd1", "libinih-dev": "libinih1",
             "libsqlite3-dev": "libsqlite3-0", "libjson-c-dev": "libjson-c[0-9]*",
             "libdw-dev": "libdw1*", "liblzma-dev": "liblzma5*", "libbz2-dev": "libbz2-1.0*",
             "libiberty-dev": None}


@functools.cache
def kernel_package(arch):
    return debian.depends(arch, KERNELS[arch], "linux-image-[0-9]*")


def kernel(arch):
    return debian.one_file(arch, functools.partial(kernel_package, arch), "boot/vmlinuz-*")


ZIMAGE_TABLE = struct.pack("<I", 0x5a534c4b)
UIMAGE = 0x27051956


def unpacked_kernel(arch, memory):
    """Unpacks the kernel of a zImage into an image for U-Boot, for a board whose memory begins at
    `memory`. If the kernel unpacked itself, this would take longer than the rest of the boot. The
    zImage has a table with the position of the unpacked length, which follows the packed kernel,
    and with the offset of the kernel's load address."""
    def make(path):
        with open(kernel(arch), "rb") as f:
            packed = f.read()
        at = packed.find(ZIMAGE_TABLE)
        if at < 0:
            raise Unavailable(f"the kernel for {arch} is no zImage with a table")
        end, _, offset = struct.unpack_from("<3I", packed, at + 4)
        length, = struct.unpack_from("<I", packed, end)
        begin = packed.rfind(b"\xfd7zXZ\0", 0, end)
        image = lzma.decompress(packed[begin:end]) if begin >= 0 else b""
        if len(image) != length:
            raise Unavailable(f"the kernel for {arch} is packed in a way that is not known here")
        entry = memory + offset
        with open(path, "wb") as f: # type: Linux for ARM, kernel, not compressed
            f.write(struct.pack(">7I4B32s", UIMAGE, 0, 0, length, entry, entry, 0, 5, 2, 2, 0,
                                b"linux"))
            f.write(image)

    return debian.kept(f"{debian.release()}-{arch}-uimage-{memory:x}", make)


def module(arch, name):
    """Returns the contents of a kernel module, such as "uio.ko". Some releases compress their
    modules."""
    path = debian.one_file(arch, functools.partial(kernel_package, arch), f"*/{name}*")
    with open(path, "rb") as f:
        content = f.read()
    return lzma.decompress(content) if content.startswith(b"\xfd7zXZ\0") else content


def device_tree():
    """Returns the device tree of a Raspberry Pi Zero."""
    return debian.one_file("armel", functools.partial(kernel_package, "armel"),
                           "*/bcm2835-rpi-zero.dtb")


def busybox(arch):
    return debian.fetch("busybox", arch)


def sysroot(arch):
    """Returns a folder with usr/include and usr/lib of all libraries."""
    def add(path, package):
        with tempfile.TemporaryDirectory() as place:
            files = debian.unpack(arch, package, place)
            # In some releases /lib is not a link to /usr/lib.
            for part, into in (("usr", "usr"), ("lib", "usr/lib")):
                if os.path.isdir(os.path.join(files, part)):
                    shutil.copytree(os.path.join(files, part), os.path.join(path, into),
                                    symlinks=True, dirs_exist_ok=True)

    def make(path):
        for package, library in LIBRARIES.items():
            add(path, package)
            if library:
                add(path, debian.depends(arch, package, library))

    names = hashlib.sha256(" ".join(LIBRARIES).encode()).hexdigest()[:8]
    return debian.kept(f"{debian.release()}-{arch}-libraries-{names}", make)


if __name__ == "__main__":
    wanted = sys.argv[1] if len(sys.argv) > 1 else "arm64"
    try:
        print(kernel(wanted), busybox(wanted), sysroot(wanted), sep="\n")
    except Unavailable as why:
        sys.exit(str(why))
