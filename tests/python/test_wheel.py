# SPDX-License-Identifier: MIT
"""The package works as a wheel, as a source distribution, and installed below a prefix."""
import base64
import glob
import hashlib
import os
import shutil
import sys
import tarfile
import zipfile

import pytest

from harness import BUILD, SOURCE, run
from programs import loop

pytestmark = pytest.mark.ci

PROGRAM = """
import sys
import pmk
model = pmk.Model("arm1176")
model["PMNC"] = 0x00b07007
model.bus.add("CYCLE", 3)
model.bus.add("L1D_MISS", 5)
print(pmk.library_path(), model["PMN0"], pmk.stat([sys.argv[1]], events="instr_exec", core="arm1176")["instr_exec"])
"""


def run_there(tmp_path, path):
    """Runs Python without the variables with which it would find the build tree."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PMK_")}
    out = run(sys.executable, "-c", PROGRAM, loop(1000), env=dict(env, PYTHONPATH=str(path)),
              cwd=tmp_path)
    assert out.code == 0, out
    return out.out.split()


@pytest.fixture(scope="module")
def made():
    if not os.path.exists(os.path.join(SOURCE, ".git")) or not shutil.which("git"):
        pytest.skip("meson dist makes source distributions of git clones alone, and this is none")
    shutil.rmtree(os.path.join(BUILD, "python"), ignore_errors=True)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    out = run("make", "-C", SOURCE, "--no-print-directory", "python", f"BUILD={BUILD}",
              "SETUP=-Dplugin_lto=false -Doptimization=0", env=env)
    assert out.code == 0, out
    wheels, archives = (glob.glob(os.path.join(BUILD, "python", f"pmukit-*{end}"))
                        for end in (".whl", ".tar.gz"))
    assert len(wheels) == len(archives) == 1, (wheels, archives)
    return wheels[0], archives[0]


def test_the_wheel_has_all_that_it_needs(made, tmp_path):
    assert "linux" in made[0], "a wheel with libraries in it is not for any platform"
    with zipfile.ZipFile(made[0]) as z:
        z.extractall(tmp_path / "site")
    library, misses, insns = run_there(tmp_path, tmp_path / "site")
    assert library.startswith(str(tmp_path / "site")) and (misses, insns) == ("5", "8005")
    names = {os.path.relpath(os.path.join(d, n), tmp_path / "site") for d, _,
             files in os.walk(tmp_path / "site")
             for n in files}
    assert {"pmk/py.typed", ".pmukit.mesonpy.libs/pmk-qemu-core.so",
            ".pmukit.mesonpy.libs/pmk/data/cores/arm1176.ini"} <= names
    with open(os.path.join(SOURCE, "python/pmk/__init__.py")) as f:
        version = f.read().split('__version__ = "')[1].split('"')[0]
    assert f"pmukit-{version}.dist-info/METADATA" in names


def test_the_wheel_says_its_licences(made):
    with zipfile.ZipFile(made[0]) as z:
        folder = next(n for n in z.namelist() if n.endswith("/METADATA"))[:-len("METADATA")]
        metadata = z.read(folder + "METADATA").decode().split("\n\n")[0].split("\n")
        texts = {n[len(folder + "licenses/"):]: z.read(n).decode() for n in z.namelist()
                 if n.startswith(folder + "licenses/")}
        for line in z.read(folder + "RECORD").decode().splitlines():
            name, digest, size = line.rsplit(",", 2)
            if digest:
                content = z.read(name)
                found = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
                assert (f"sha256={found.rstrip('=')}", str(len(content))) == (digest, size), name
    assert "License-Expression: MIT AND GPL-2.0-or-later" in metadata, metadata
    assert sorted(texts) == ["GPL-2.0-or-later.txt", "MIT.txt", "licences.txt"]
    assert {f"License-File: {name}" for name in texts} <= set(metadata), metadata
    assert not [line for line in metadata if line.startswith("License:")], metadata
    assert "pmk-qemu-core.so" in texts["licences.txt"]
    assert "GNU GENERAL PUBLIC LICENSE" in texts["GPL-2.0-or-later.txt"]


def test_every_module_is_in_the_wheel(made):
    with zipfile.ZipFile(made[0]) as z:
        packed = {name for name in z.namelist() if name.startswith("pmk/")}
    assert packed == {f"pmk/{name}" for name in os.listdir(os.path.join(SOURCE, "python/pmk"))
                      if name != "__pycache__"}


def test_the_source_distribution_has_all_sources(made):
    with tarfile.open(made[1]) as t:
        names = {name.split("/", 1)[1] for name in t.getnames() if "/" in name}
    assert {"PKG-INFO", "pyproject.toml", "meson.build", "python/pmk/models.py",
            "src/pmu/arm11/model.c"} <= names


def test_below_a_prefix(there, tmp_path):
    library, misses, insns = run_there(tmp_path, os.path.join(there.prefix, "share/pmk/python"))
    assert library == os.path.join(there.lib, "libpmk.so.0") and (misses, insns) == ("5", "8005")
    licences = os.path.join(there.prefix, "share/pmk/licenses")
    assert sorted(os.listdir(licences)) == ["GPL-2.0-or-later.txt", "MIT.txt", "licences.txt"]
    # Python may store compiled files next to the package and the library.
    packages = (os.path.join(there.prefix, "share/pmk/python/pmk"),
                os.path.join(SOURCE, "python/pmk"))
    here, source = (sorted(n for n in os.listdir(path) if n != "__pycache__") for path in packages)
    assert here == source
