# SPDX-License-Identifier: MIT
"""Builds pmk for a Linux guest, puts it into an initramfs, and boots the guest. The guest runs
scripts one after the other and powers off. boot() returns the output of each script."""
import os
import re
import subprocess

from harness import *
import packages

CACHED = ["ccache"] if shutil.which("ccache") else []

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
export HOME=/ TERM=dumb PMK_DATA=/data
cd /
for script in /scripts/*; do
	name=${script##*/}
	echo "<<<$name"
	sh $script </dev/null 2>&1
	echo ">>>$name $?"
done
poweroff -f
"""


class Guest:
    """A kind of guest. `without_pmk`: the guest gets no pmk. `memory`: the first address of the
    board's memory, if the kernel must be unpacked on the host."""

    def __init__(self, arch, triplet, cpu_family, *flags, without_pmk=False, memory=None):
        self.arch, self.triplet, self.cpu_family, self.flags = arch, triplet, cpu_family, flags
        self.without_pmk, self.memory = without_pmk, memory
        self._said = {}

    def kernel(self):
        if self.memory is not None:
            return packages.unpacked_kernel(self.arch, self.memory)
        return packages.kernel(self.arch)

    def build(self):
        """Builds pmk and libpmk.a for the guest once; returns their folder."""
        have("meson", "ninja", "pkg-config", self.triplet + "-gcc")
        root = packages.sysroot(self.arch)
        folder = os.path.join(WORK, f"linux-{self.arch}")
        with locked(folder):
            self._build(folder, root)
        return folder

    def _build(self, folder, root):
        lib = os.path.join(root, "usr/lib", self.triplet)
        args = [*self.flags, "-idirafter", f"{root}/usr/include"]
        with open(f"{folder}.ini", "w") as f:
            f.write(f"""[binaries]
c = {[*CACHED, self.triplet + '-gcc']}
ar = '{self.triplet}-ar'
strip = '{self.triplet}-strip'
pkgconfig = 'pkg-config'
[properties]
sys_root = '{root}'
pkg_config_libdir = '{lib}/pkgconfig'
[built-in options]
c_args = {args}
c_link_args = ['-L{lib}', '-Wl,-rpath-link={lib}']
[host_machine]
system = 'linux'
cpu_family = '{self.cpu_family}'
cpu = '{self.cpu_family}'
endian = 'little'
""")
        if not os.path.exists(os.path.join(folder, "build.ninja")):
            out = run("meson", "setup", "--cross-file", f"{folder}.ini", "--buildtype=plain",
                      "-Dplugin_lto=false", folder, SOURCE)
            assert out.code == 0, out
        out = run("ninja", "-j2", "-C", folder, "pmk", "libpmk.a")
        assert out.code == 0, out

    def compile(self, name, source, *flags, ext="c"):
        """Returns the contents of a static program for the guest."""
        path = os.path.join(WORK, f"{self.arch}-{name}")
        with open(f"{path}.{ext}", "w") as f:
            f.write(source)
        out = run(f"{self.triplet}-gcc", *self.flags, "-o", path, f"{path}.{ext}", "-static",
                  *flags)
        assert out.code == 0, out
        return read(path)

    def loaded(self, path, found=None):
        """Returns {path in the guest: file} for everything that a program loads, including the
        dynamic loader."""
        found = {} if found is None else found
        places = (os.path.join(packages.sysroot(self.arch), "usr/lib", self.triplet),
                  f"/usr/{self.triplet}/lib")
        said = run(f"{self.triplet}-readelf", "-ld", path).out
        for name in re.findall(r"\(NEEDED\).*\[(.+)\]|interpreter: (.+)\]", said):
            inside = name[1].lstrip("/") or f"lib/{name[0]}"
            if inside not in found:
                at = [p for p in (os.path.join(place, os.path.basename(inside)) for place in places)
                      if os.path.exists(p)]
                assert at, f"{path} needs {inside}, which is not in {places}"
                found[inside] = at[0]
                self.loaded(at[0], found)
        return found

    def pmk_and_data(self, name):
        """Returns the files of the guest, {path: content}: pmk, the libraries that it loads, and
        its data."""
        stripped = os.path.join(WORK, f"{self.arch}-{name}-pmk")
        out = run(f"{self.triplet}-strip", "-o", stripped, os.path.join(self.build(), "pmk"))
        assert out.code == 0, out
        files = {"bin/pmk": read(stripped)}
        files |= {inside: read(at) for inside, at in self.loaded(stripped).items()}
        for folder in ("data/metrics", "data/layouts"):
            at = os.path.join(SOURCE, folder)
            files |= {f"{folder}/{n}": read(os.path.join(at, n)) for n in os.listdir(at)}
        return files

    def initramfs(self, name, programs, scripts):
        """Builds an initramfs of programs {name: content} and scripts {name: text}."""
        files = {} if self.without_pmk else self.pmk_and_data(name)
        files |= {"init": INIT.encode(), "bin/busybox": read(packages.busybox(self.arch))}
        files |= {f"bin/{n}": content for n, content in programs.items()}
        files |= {f"scripts/{n}": text.encode() + b"\n" for n, text in scripts.items()}
        path = os.path.join(WORK, f"{self.arch}-{name}.cpio")
        with open(path, "wb") as f:
            f.write(archive(files))
        return path

    def boot(self, name, programs, scripts, *qemu):
        """Returns {script: (exit code, output)}. Boots once per name; calls `programs` before the
        boot. Replaces "@kernel@" and "@initrd@" in the emulator's command line."""
        if name not in self._said:
            self._said[name] = "there is no guest; see the first failure"
            have(qemu[0])
            try:
                paths = {"@kernel@": self.kernel(),
                         "@initrd@": self.initramfs(name, programs(), scripts)}
            except packages.Unavailable as why:
                self._said[name] = str(why)
                skip(str(why))
            out = boot_once_or_twice(*(paths.get(word, word) for word in qemu))
            said = {m.group(1): (int(m.group(3)), m.group(2)) for m in
                    re.finditer(r"^<<<(\S+)\n(.*?)^>>>\1 (\d+)$", out.out.replace("\r", ""),
                                re.M | re.S)}
            assert set(said) == set(scripts), f"not all scripts ran: {out}"
            self._said[name] = said
        if isinstance(self._said[name], str):
            skip(self._said[name])
        return self._said[name]


def boot_once_or_twice(*qemu):
    """Boots a guest, and boots it again if it hangs. The board's clock is that of the host: if the
    host stalls, a kernel may wait for ever."""
    try:
        return run(*qemu, stdin="", timeout=PATIENCE / 2)
    except subprocess.TimeoutExpired:
        return run(*qemu, stdin="", timeout=PATIENCE / 2)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def archive(files):
    """Returns an initramfs in the format cpio "newc", not compressed, because an emulated kernel
    takes long to decompress. `files` is {path: content}; all files are executable."""
    out = bytearray()

    def entry(path, mode, content, number):
        name = path.encode() + b"\0"
        head = b"070701" + b"".join(b"%08X" % v for v in (
            number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0))
        out.extend(head + name)
        out.extend(bytes(-len(out) % 4))
        out.extend(content)
        out.extend(bytes(-len(out) % 4))

    folders = sorted({"/".join(p.split("/")[:i]) for p in files
                      for i in range(1, p.count("/") + 1)})
    for n, folder in enumerate(folders + ["proc", "sys", "dev", "etc", "tmp"]):
        entry(folder, 0o40755, b"", n + 1)
    for n, (path, content) in enumerate(sorted(files.items())):
        entry(path, 0o100755, content, 1000 + n)
    entry("TRAILER!!!", 0, b"", 0)
    return bytes(out)


def documents(text):
    """Returns the JSON documents in a script's output, and the text between them."""
    found, at, rest = [], 0, ""
    decoder = json.JSONDecoder()
    while at < len(text):
        if text[at] != "{":
            rest, at = rest + text[at], at + 1
            continue
        doc, at = decoder.raw_decode(text, at)
        found.append(doc)
    return found, rest


def values(doc):
    return [c["counter-value"] for c in doc["counters"]]


def rows(doc):
    return {c["event"]: c for c in doc["counters"]}
