# SPDX-License-Identifier: MIT
"""The tests run the recipes of other builders as those builders do, with the variables that those
builders set. A copy of the repository gets the tag of a release."""
import hashlib

from harness import *
from programs import loop
import recordings
import repo

BUILDROOT = os.path.join(SOURCE, "package/buildroot/libpmk-target/libpmk-target.mk")
VERSION = re.search(r"^  version: '(.*)'", repo.text("meson.build"), re.M)[1]
YOCTO = f"package/yocto/libpmk-target_{VERSION}.bb"


def check_installed(library, header, source):
    have("nm")
    shown = run("nm", "--defined-only", library).out
    contains(shown, " T pmk_target_open")
    for path, text in ((header, "int pmk_target_open("), (source, "pmk_target_open(")):
        contains(path.read_text(), text)


def test_buildroot(tmp_path):
    have("make", "gcc", "ar")
    (tmp_path / "Makefile").write_text(f"""\
generic-package =
include {BUILDROOT}
{tmp_path}/source/all:
	$(LIBPMK_TARGET_BUILD_CMDS)
	$(LIBPMK_TARGET_INSTALL_STAGING_CMDS)
""")
    (tmp_path / "source").mkdir()
    for name in ("scripts", "src", "include", "meson.build"):
        (tmp_path / "source" / name).symlink_to(os.path.join(SOURCE, name))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").symlink_to("/usr/bin/python3")
    out = run("make", "-s", "-C", tmp_path, f"HOST_DIR={tmp_path}", "TARGET_CC=gcc", "TARGET_AR=ar",
              "TARGET_CFLAGS=-Os", "INSTALL=install", f"STAGING_DIR={tmp_path}/staging")
    equal((out.code, out.err), (0, ""))
    staging = tmp_path / "staging/usr"
    check_installed(staging / "lib/libpmk-target.a", staging / "include/pmk_target.h",
                    staging / "share/pmk/pmk_target.c")


def test_yocto(tmp_path):
    have("gcc", "ar")
    recipe = repo.text(YOCTO)
    wanted = re.search(r"md5=([0-9a-f]{32})", recipe)[1]
    equal(hashlib.md5(repo.text("LICENSE").encode()).hexdigest(), wanted)
    steps = [re.search(rf"^{step}\(\) \{{\n(.*?)^\}}", recipe, re.M | re.S)[1]
             for step in ("do_compile", "do_install")]
    env = dict(os.environ, S=SOURCE, B=str(tmp_path / "b"), D=str(tmp_path / "d"), CC="gcc",
               CFLAGS="-Os", AR="ar", PYTHON="/usr/bin/python3", libdir="/usr/lib",
               includedir="/usr/include", datadir="/usr/share")
    out = run("sh", "-eu", "-c", "".join(steps), env=env)
    equal((out.code, out.err), (0, ""))
    made = tmp_path / "d/usr"
    check_installed(made / "lib/libpmk-target.a", made / "include/pmk_target.h",
                    made / "share/pmk/pmk_target.c")
    # Each assignment is on a line of its own, as BitBake requires.
    for line in re.sub(r"^\w+\(\) \{\n.*?^\}", "", recipe, flags=re.M | re.S).splitlines():
        assert re.fullmatch(r'|#.*|inherit \w+|[\w:${}-]+ \+?= ".*"', line), line


def test_spec():
    """rpmspec expands all macros of the spec file."""
    have("rpmspec")
    spec = os.path.join(SOURCE, "package/rpm/pmukit.spec")
    # Fedora defines these macros, and Debian's rpm does not.
    known = [f"--define={name} {value}" for name, value in
             (("python3_sitelib", "/usr/lib/python3/site-packages"), ("meson", "meson setup"),
              ("meson_build", "meson compile"), ("meson_install", "meson install"),
              ("meson_test", "meson test"), ("dist", ".here"))]
    out = run("rpmspec", "-P", *known, spec)
    equal((out.code, out.err), (0, ""))
    names = run("rpmspec", "-q", "--qf", "%{NAME} %{VERSION}\n", *known, spec)
    equal(set(names.out.splitlines()), {f"{n} {VERSION}" for n in (
        "pmukit", "pmukit-common", "pmukit-libs", "pmukit-devel", "pmukit-target-devel",
        "python3-pmk", "pmukit-doc")})


# ---- VS Code ------------------------------------------------------------------------------------

def tasks():
    return {t["label"]: t for t in json.loads(repo.text("examples/vscode/tasks.json"))["tasks"]}


def test_mistakes_in_a_preset_are_marked(tmp_path):
    (tmp_path / "core.ini").write_text("# mine\nnonsense\n")
    pattern = tasks()["pmk: count with core.ini"]["problemMatcher"]["pattern"]
    out = pmk("stat", "--core", "./core.ini", loop(10), cwd=tmp_path)
    found = re.search(pattern["regexp"], out.err.strip())
    assert found, out.err
    equal((found[pattern["file"]], found[pattern["line"]]), ("./core.ini", "2"))


def test_lines_that_grew_are_marked(tmp_path):
    base = recordings.sample(tmp_path / "base.data")
    new = recordings.changed(base, tmp_path / "new.data")
    task = tasks()["pmk: what grew"]
    command = re.search(r"pmk (diff .*)$", task["command"])[1]
    out = run("sh", "-c", f"{PMK} {command}", cwd=tmp_path)
    equal(out.code, 0, str(out))
    pattern = task["problemMatcher"]["pattern"]
    found = {(m[pattern["file"]], m[pattern["line"]])
             for m in (re.search(pattern["regexp"], line) for line in out.out.splitlines()) if m}
    want = {(r["file"], str(r["line"])) for r in
            json.loads(pmk("diff", "-j", "-e", "cycles", base, new).out)["rows"]
            if r["kind"] == "line" and r["delta"] > 0}
    assert want
    equal(found, want)


# ---- a release ----------------------------------------------------------------------------------

SIGNER = r"""#!/bin/sh
# A stand-in for gpg that answers git's requests to sign and to verify.
case "$*" in
*--verify*) cat >/dev/null; printf '\n[GNUPG:] GOODSIG 0 me\n[GNUPG:] TRUST_ULTIMATE 0 pgp\n' ;;
*) cat >/dev/null; echo '[GNUPG:] SIG_CREATED D' >&2
   printf '%s\\n' '-----BEGIN PGP SIGNATURE-----' '' 'AAAA' '-----END PGP SIGNATURE-----' ;;
esac
"""


@pytest.fixture
def copy(tmp_path):
    """Returns a clone that contains the working tree, and whose change log says that the version
    was released."""
    have("git")
    if not os.path.exists(os.path.join(SOURCE, ".git")):
        pytest.skip("this is no checkout")
    folder = tmp_path / "copy"
    equal(run("git", "clone", "-q", SOURCE, folder).code, 0)
    for path in repo.files():
        os.makedirs(os.path.dirname(folder / path), exist_ok=True)
        shutil.copy2(os.path.join(SOURCE, path), folder / path)
    log = folder / "CHANGELOG.md"
    log.write_text(log.read_text().replace(f"## {VERSION} (not released)",
                                           f"## {VERSION} (2026-12-01)"))
    signer = tmp_path / "signer"
    signer.write_text(SIGNER)
    signer.chmod(0o755)
    for words in (("config", "user.name", "A"), ("config", "user.email", "a@localhost.invalid"),
                  ("config", "gpg.program", signer), ("config", "commit.gpgsign", "false"),
                  ("add", "-A"), ("commit", "-q", "-m", "Release")):
        equal(run("git", "-C", folder, *words).code, 0, words)
    return folder


def test_a_release_is_tagged(copy):
    def release(*words):
        return run(copy / "scripts/release", *words)

    def tags():
        return run("git", "-C", copy, "tag", "-l", f"v{VERSION}").out

    out = release("--check", VERSION)
    equal((out.code, out.err, tags()), (0, "", ""))
    assert re.fullmatch(rf"[0-9a-f]{{64}}  pmukit-{VERSION}\.tar\.gz\n", out.out), out.out
    made = release(VERSION)
    equal((made.code, made.err, made.out), (0, "", out.out))
    tag = run("git", "-C", copy, "cat-file", "tag", f"v{VERSION}").out
    contains(tag, out.out.strip())
    contains(tag, "-----BEGIN PGP SIGNATURE-----")
    for words, text in (((VERSION,), "there is a tag v"), (("9.9.9",), "another version"),
                        (("1.0",), "is no version"), (("01.0.0",), "is no version")):
        out = release(*words)
        equal((out.code, text in out.err), (1, True), str(out))


def test_what_is_not_finished_is_not_released(copy):
    (copy / "CHANGELOG.md").write_text(f"# Changes\n\n## {VERSION} (not released)\n")
    out = run(copy / "scripts/release", VERSION)
    equal((out.code, "not committed" in out.err), (1, True))
    run("git", "-C", copy, "commit", "-q", "-a", "-m", "Not yet")
    out = run(copy / "scripts/release", VERSION)
    equal((out.code, "has no heading" in out.err), (1, True))
