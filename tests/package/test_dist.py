# SPDX-License-Identifier: MIT
"""`make dist` packs the same bytes wherever it runs."""
import shutil
import tarfile

from harness import *

pytestmark = pytest.mark.quick


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """Returns a small checkout, with everything that scripts/dist reads."""
    top = tmp_path_factory.mktemp("dist") / "checkout"
    (top / "scripts").mkdir(parents=True)
    shutil.copy(os.path.join(SOURCE, "scripts", "dist"), top / "scripts")
    (top / "meson.build").write_text("project('pmukit', 'c',\n  version: '1.2.3',\n)\n")
    (top / "file").write_text("text\n")
    git(top, "init", "-q")
    git(top, "add", ".")
    git(top, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "first")
    return top


def git(where, *argv):
    out = run("git", "-C", str(where), *argv)
    equal(out.code, 0, str(out))
    return out.out


def dist(where, to, umask="022"):
    out = run("sh", "-c", f'umask {umask}; TZ=$3 "$1"/scripts/dist "$2"', "sh", str(where), str(to),
              "UTC" if umask == "022" else "Asia/Tokyo")
    equal(out.code, 0, str(out))
    return (to / "pmukit-1.2.3.tar.gz").read_bytes(), out


def test_the_same_bytes_from_two_places(checkout, tmp_path):
    other = tmp_path / "a place with another name"
    git(tmp_path, "clone", "-q", str(checkout), str(other))
    for name in ("file", "meson.build"):
        os.utime(other / name, (1, 1))
    git(other, "config", "tar.umask", "0")
    first, _ = dist(checkout, tmp_path / "one")
    second, _ = dist(other, tmp_path / "two", umask="077")
    assert first == second, "the tarballs differ"
    equal(os.listdir(tmp_path / "one"), ["pmukit-1.2.3.tar.gz"])


def test_what_is_in_it(checkout, tmp_path):
    _, out = dist(checkout, tmp_path)
    equal(out.err, "")
    with tarfile.open(tmp_path / "pmukit-1.2.3.tar.gz") as tar:
        got = {m.name: (oct(m.mode), m.uid, m.gid) for m in tar if m.isfile()}
    equal(got, {f"pmukit-1.2.3/{name}": (mode, 0, 0) for name, mode in
                (("file", "0o644"), ("meson.build", "0o644"), ("scripts/dist", "0o755"))})


def test_what_is_not_committed_is_not_in_it(checkout, tmp_path):
    first, _ = dist(checkout, tmp_path)
    (checkout / "file").write_text("changed\n")
    second, out = dist(checkout, tmp_path)
    git(checkout, "checkout", "file")
    assert first == second
    equal(out.err, "scripts/dist: changes that are not committed are not packed\n")


def test_no_checkout(checkout, tmp_path):
    shutil.copytree(checkout / "scripts", tmp_path / "scripts")
    out = run(str(tmp_path / "scripts" / "dist"), str(tmp_path / "to"),
              env={**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
    equal(out.code, 1)
    contains(out.err, "scripts/dist: this is not a git checkout; only committed files are packed")
