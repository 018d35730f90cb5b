# SPDX-License-Identifier: MIT
"""After a failure, the files of -o and --html are complete or unchanged. pmk writes directly to
special files and to names of open descriptors."""
from harness import *
from programs import loop
from recordings import document, sample

pytestmark = pytest.mark.quick

DUMP = os.path.join(SOURCE, "tests/fuzz/corpus/dump/firmware")
COMMANDS = cases("name,argv,output", [
    (form, ("export", "--format", form, "-i", "r"), "-o")
    for form in ("callgrind", "lcov", "folded", "speedscope", "firefox", "pprof", "perf",
                 "perfetto")
] + [
    ("report", ("report", "-j", "r"), "-o"),
    ("report-page", ("report", "-i", "r"), "--html"),
    ("dump", ("report", "-j", DUMP), "-o"),
    ("dump-page", ("report", DUMP), "--html"),
    ("diff", ("diff", "-j", "r", "r"), "-o"),
    ("diff-page", ("diff", "r", "r"), "--html"),
    ("diff-results", ("diff", "--min", "0", "a.json", "b.json"), "--html"),
])


def pmk_in(folder, *argv, limit="unlimited", more=""):
    script = f"ulimit -f {limit} && exec \"$@\" {more}"
    return run("sh", "-c", script, "sh", PMK, *argv, cwd=folder)


@pytest.fixture
def folder(tmp_path):
    sample(tmp_path / "r", contexts=True)
    document(tmp_path / "a.json", instr_exec=10)
    document(tmp_path / "b.json", instr_exec=20)
    return tmp_path


@COMMANDS
def test_a_file_is_whole_or_as_it_was(name, argv, output, folder):
    before = sorted(os.listdir(folder))
    fails = (125, "pmk: cannot write out: File too large")
    # The command fails to write a new file, and then fails to replace an existing file.
    out = pmk_in(folder, *argv, output, "out", limit="0" if output == "-o" else "8")
    equal((out.code, out.err.strip().splitlines()[-1]), fails)
    equal(sorted(os.listdir(folder)), before)
    (folder / "out").write_text("before\n")
    out = pmk_in(folder, *argv, output, "out", limit="0" if output == "-o" else "8")
    equal((out.code, out.err.strip().splitlines()[-1]), fails)
    equal((folder / "out").read_text(), "before\n")
    # Without the limit, the command replaces the file with the bytes that a pipe would get.
    out = pmk_in(folder, *argv, output, "out")
    equal(out.code, 0, out.err)
    equal(sorted(os.listdir(folder)), sorted([*before, "out"]))
    piped = pmk_in(folder, *argv, output, "/dev/stdout", more="| cat > piped")
    equal(piped.err, out.err)
    equal((folder / "out").read_bytes(), (folder / "piped").read_bytes())


def test_a_link_to_nothing_stays_a_link(folder):
    (folder / "below").mkdir()
    (folder / "out").symlink_to("below/next")
    (folder / "below" / "next").symlink_to("../real")
    for command in (["export", "--format", "folded", "-i", folder / "r", "-o", folder / "out"],
                    ["record", "-e", "instr_exec", "-o", folder / "out", loop(1)]):
        (folder / "real").unlink(missing_ok=True)
        equal(pmk(*command).code, 3 if command[0] == "record" else 0)
        assert (folder / "out").is_symlink() and (folder / "below" / "next").is_symlink()
        assert (folder / "real").stat().st_size and not (folder / "real").is_symlink()


def test_a_circle_of_links_stays(folder):
    (folder / "out").symlink_to("out")
    for command in (["export", "--format", "folded", "-i", folder / "r"], ["record", loop(1)],
                    ["stat", loop(1)]):
        out = pmk(command[0], "-o", folder / "out", *command[1:])
        equal((out.code, out.err), (125, f"pmk: cannot write {folder}/out: Too many levels of "
                                         "symbolic links\n"))
        equal(os.readlink(folder / "out"), "out")


def test_links_and_permissions_stay(folder):
    (folder / "real").write_text("before\n")
    (folder / "real").chmod(0o600)
    (folder / "out").symlink_to("real")
    equal(pmk_in(folder, "export", "--format", "folded", "-i", "r", "-o", "out").code, 0)
    assert (folder / "out").is_symlink()
    contains((folder / "real").read_text(), ";")
    equal((folder / "real").stat().st_mode & 0o777, 0o600)


def test_an_open_descriptor_is_written_to(folder):
    """pmk writes after the existing contents of a descriptor, and before later output."""
    export = "export --format folded -i r -o"
    for path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        out = run("sh", "-c", f"{{ echo head; {PMK} {export} {path}; echo tail; }} | cat",
                  cwd=folder)
        equal((out.out[:5], out.out[-5:]), ("head\n", "tail\n"))
        (folder / "log").write_text("")
        inode = (folder / "log").stat().st_ino
        equal(run("sh", "-c", f"{PMK} {export} {path} >> log", cwd=folder).code, 0)
        equal((folder / "log").stat().st_ino, inode)
        contains((folder / "log").read_text(), ";")


def test_a_pipe_with_a_name(folder):
    os.mkfifo(folder / "pipe")
    out = run("sh", "-c", f"{PMK} export --format folded -i r -o pipe & cat pipe; wait",
              cwd=folder)
    contains(out.out, ";")
    assert (folder / "pipe").is_fifo()


def test_the_longest_name(folder):
    """The name of the temporary file fits, too, if the name of the file is the longest possible."""
    name = 255 * "n"
    out = pmk_in(folder, "export", "--format", "folded", "-i", "r", "-o", name)
    equal((out.code, out.err), (0, ""))
    contains((folder / name).read_text(), ";")
    equal(sorted(os.listdir(folder)), ["a.json", "b.json", name, "r"])
