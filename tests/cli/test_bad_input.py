# SPDX-License-Identifier: MIT
"""When something is wrong, pmk prints one clear line and exits with the documented code. Programs
and users that do unusual things still get correct counts."""
import hashlib
import os
import resource
import signal
import sqlite3
import struct

from harness import *
from programs import build, loop, program

pytestmark = pytest.mark.quick

FAILED, NOT_EXEC, NOT_FOUND, USAGE = 125, 126, 127, 129

# A program that prints that it ran.
SAYS = '#include <stdio.h>\nint main(void) { puts("ran"); return 0; }\n'


def says():
    return program("says", SAYS)


def refuse(code, *argv, said=(), **kw):
    """Checks that `pmk stat ARGV` exits with `code` before anything runs, and prints all of `said`
    in one line."""
    out = pmk("stat", *argv, **kw)
    what = " ".join(map(str, argv))
    equal(out.code, code, f"{what}: {out}")
    equal(out.out, "", what)
    assert out.err.startswith("pmk: ") and out.err.endswith("\n"), f"{what}: {out}"
    equal(out.err.count("\n"), 1, f"lines for {what}: {out}")
    for word in [said] if isinstance(said, str) else said:
        contains(out.err, word)
    return out.err


def refuse_all(code, table, *rest):
    """Calls refuse() for every row of options. A single message names all rows that pmk
    accepted."""
    wrong = []
    for options in table:
        try:
            refuse(code, *options, *rest)
        except AssertionError as e:
            wrong.append(f"{' '.join(options)[:60]!r}: {str(e)[:200]}")
    assert not wrong, "\n".join(wrong)


def file_with(name, data, mode=0o755):
    path = os.path.join(WORK, name)
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, mode)
    return path


def content(path):
    with open(path, "rb") as f:
        return f.read()


# ---- not a program -------------------------------------------------------------------------


def test_not_an_elf_file():
    script = file_with("bad-script", b"#!/bin/sh\necho ran\n")
    refuse(NOT_EXEC, "-T", "emu", script, said=("bad-script", "not an ELF"))
    refuse(NOT_EXEC, file_with("bad-text", b"hello\n" * 100), said="not an ELF")
    refuse(NOT_EXEC, file_with("bad-magic", b"\x7fELG" + bytes(60)), said="not an ELF")
    refuse(NOT_EXEC, file_with("bad-empty", b""), said="not an ELF")


def test_elf_of_another_machine():
    elf = content(loop(1))
    for machine, name in ((62, "x86-64"), (183, "AArch64"), (3, ""), (8, "MIPS"), (9999, "")):
        data = elf[:18] + struct.pack("<H", machine) + elf[20:]
        refuse(NOT_EXEC, file_with(f"bad-machine-{machine}", data), said=(str(machine), name))
    header = struct.pack("<HHIQQQIHHHHHH", 2, 243, 1, 0x400000, 64, 0, 0, 64, 56, 1, 64, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, 120, 120, 4096)
    riscv = b"\x7fELF\x02\x01\x01" + bytes(9) + header + segment
    refuse(NOT_EXEC, file_with("bad-riscv", riscv), said="243")
    big = elf[:5] + b"\x02" + elf[6:]
    refuse(NOT_EXEC, file_with("bad-endian", big))


def test_an_object_file():
    obj = build("object", "int f(void) { return 1; }\n", "-c")
    os.chmod(obj, 0o755)
    refuse(NOT_EXEC, obj, said="object")


def test_a_truncated_program():
    whole = content(says())
    phoff, phentsize, phnum = struct.unpack_from("<I", whole, 28)[0], 32, whole[44]
    for size in (0, 3, 10, 15, 16, 40, 51, 52, 60, phoff + phentsize * phnum - 1,
                 phoff + phentsize * phnum, len(whole) // 2):
        refuse(NOT_EXEC, file_with("bad-truncated", whole[:size]), said="bad-truncated")
    contains(refuse(NOT_EXEC, file_with("bad-truncated", whole[:60])), "is truncated")
    contains(refuse(NOT_EXEC, file_with("bad-truncated", whole[:len(whole) // 2])), "is truncated")


def test_an_interrupted_series_means_its_whole_runs():
    path = os.path.join(WORK, "bad-series.json")
    once = stat("-e", "instr_exec", loop(200000), code=3)
    p = subprocess.Popen([PMK, "stat", "--json-document", "-o", path, "-e", "instr_exec", "-r",
                          "100000",
                          loop(200000)],
                         start_new_session=True)
    seen = set()
    wait_until(lambda: seen.update(children(p.pid)) or len(seen) > 4,
               "pmk does not start one run after the other")
    p.send_signal(signal.SIGINT)
    assert p.wait(PATIENCE) in (3, 130), p.returncode
    doc = json.loads(content(path))
    assert 0 < doc["runs"] < 100000, doc
    equal(doc["counters"][0]["counter-value"], once["counters"][0]["counter-value"])
    contains(doc["warning"], f"{doc['runs']} of 100000 runs")


def test_a_broken_metric_of_ones_own_keeps_nobody_from_counting():
    with tempfile.TemporaryDirectory(dir=WORK) as config:
        os.makedirs(os.path.join(config, "pmk", "metrics"))
        with open(os.path.join(config, "pmk", "metrics", "mine.metric"), "w") as f:
            f.write("TITLE broken\nEVENTS instr_exec\nFORMULA instr_exec +\nTEXT\nx\n")
        out = pmk("stat", "-e", "instr_exec,cycles", loop(10),
                  env=dict(os.environ, XDG_CONFIG_HOME=config))
        equal(out.code, 3, str(out))
        contains(out.err, "mine.metric")
        contains(out.err, "(cpi)")


def test_the_output_is_not_the_program():
    path = file_with("bad-self", content(loop(1)))
    out = pmk("stat", "-e", "instr_exec", "-o", path, path)
    equal(out.code, USAGE, str(out))
    contains(out.err, "would overwrite the program")
    equal(content(path), content(loop(1)))


@pytest.mark.more
def test_an_emulator_that_runs_nothing_is_no_zero():
    out = pmk("stat", "-e", "instr_exec", "--qemu",
              "qemu-system-arm -M raspi0 -nographic -nic none -kernel " + WORK + "/no-such-kernel")
    assert out.code not in (0, 139), out
    assert "instr_exec" not in out.err, out


def test_separators_that_cannot_separate():
    for sep in ("", '"', "\n"):
        for command in ("stat", "report", "diff", "wave"):
            out = pmk(command, "-x", sep)
            equal((out.code, out.err), (USAGE, "pmk: -x needs a separator other than a quote or "
                                        "a new line\n"), command)
    out = pmk("stat", "-x", r"\t", "-e", "instr_exec", loop(1))
    contains(out.err, "\t\tinstr_exec\t")


def test_intervals_are_rescued_from_a_full_disk():
    for fmt in ((), ("-x", ","), ("-j",)):
        out = pmk("stat", "-I", "100000cycles", "-e", "instr_exec", "-o", "/dev/full", *fmt,
                  loop(1000000))
        equal(out.code, FAILED, str(out))
        contains(out.err, "cannot write /dev/full")
        equal(out.err.count("instr_exec"), 3, str(out))  # two full intervals and the remaining part


def test_a_program_with_wild_headers():
    elf = content(loop(1))
    for at, size in ((28, 4), (32, 4), (42, 2), (44, 2), (46, 2), (48, 2), (50, 2), (56, 4),
                     (60, 4)):
        for fill in (b"\xff", b"\x00", b"\x7f"):
            data = elf[:at] + fill * size + elf[at + size:]
            out = pmk("stat", "-e", "instr_exec", "--region", "f", file_with("bad-wild", data))
            assert out.code in (3, NOT_EXEC, USAGE) or out.code >= 132, f"{at} {fill}: {out}"
            assert out.code != 139 or "instr_exec" in out.err, f"pmk crashed at {at} {fill}: {out}"


def test_a_missing_program():
    refuse(NOT_FOUND, "no-such-program-anywhere",
           said="no-such-program-anywhere: command not found")
    refuse(NOT_FOUND, "./no-such-program", said="command not found")
    for folder in (".", ".."):
        refuse(NOT_EXEC, folder, said=f"{folder}: is a directory")
    here, name = os.path.split(loop(1))
    refuse(NOT_FOUND, name, said=f"did you mean ./{name}?", cwd=here)
    refuse(USAGE, "-e", loop(1), said=f"-e uses {loop(1)} as its list of events")
    refuse(USAGE, "--cpu", "cortex-a53", loop(1), said="is chosen with --core")
    out = pmk("run", loop(1))
    equal(out.code, USAGE)
    contains(out.err, "is a program, not an emulator: pmk stat counts it")
    refuse(NOT_FOUND, loop(1) + "/below", said="command not found")
    refuse(NOT_FOUND, "", said="not found")
    refuse(NOT_FOUND, "x" * 5000)
    for words in ([], ["-e", "instr_exec", "--"]):  # pmk also prints the usage
        out = pmk("stat", *words)
        equal(out.code, USAGE)
        contains(out.err, "no program to run")


def test_words_that_newcomers_say():
    refuse(USAGE, "--set", ",", loop(1), said="--set '': expected key=value")
    refuse(USAGE, "--core", "arm926", "-e", "cycles", loop(1),
           said="ahbmon has no event 'cycles', which belongs to other PMUs; 'pmk list events")
    refuse(USAGE, "--pmu", "arm1176", "-e", "ct_armd_rd", loop(1),
           said="arm1176 has no event 'ct_armd_rd', which belongs to ahbmon; ")
    refuse(USAGE, "--core", "cortex-a15", "--set",
           "icache.ways=3,icache.size=48K,cache.policy=plru", loop(1),
           said="icache.policy plru (cache.policy sets it for all caches) needs")
    out = pmk("run", "--", "ls")
    equal((out.code, out.err), (FAILED, "pmk: ls is not an emulator that can load plugins; start "
                                        "the command with qemu-system-arm, qemu-system-aarch64 or "
                                        "another emulator of QEMU\n"))


def test_a_program_that_cannot_be_executed():
    refuse(NOT_EXEC, WORK, said="is a directory")
    refuse(NOT_EXEC, file_with("bad-mode", content(loop(1)), 0o644), said="permission denied")
    fifo = os.path.join(WORK, "bad-fifo")
    if not os.path.exists(fifo):
        os.mkfifo(fifo)
    os.chmod(fifo, 0o755)
    refuse(NOT_EXEC, fifo, said="bad-fifo")


@pytest.mark.more
@pytest.mark.parametrize("cpu", ["cortex-m55", "cortex-r5", "cortex-r52"])
def test_code_of_processors_that_are_none_of_ours(cpu):
    thumb = ["-mthumb"] if cpu[7] == "m" else []
    elf = build("other-profile", "void _start(void) { for (;;); }\n", f"-mcpu={cpu}", *thumb,
                "-nostdlib", prefix="arm-none-eabi-")
    says = ((elf, "is built for a later Cortex-M (ARMv8.1-M mainline), which pmk does not model")
            if thumb else (elf, "is built for a Cortex-R, which pmk does not model"))
    refuse(NOT_EXEC, elf, said=says)
    refuse(NOT_EXEC, "--qemu", f"qemu-system-arm -M lm3s6965evb -nographic -kernel {elf}",
           said=says)
    refuse(NOT_EXEC, "--core", "cortex-m4" if thumb else "cortex-a15", elf, said=says)


def test_a_child_of_another_machine():
    """pmk's warning names the cause of a failed execve(). The program itself cannot know this
    cause."""
    host = build("exits", "int main(void) { return 0; }\n", "-static")
    child = file_with("bad-child", content(host)[:18] + b"\xff\xff" + content(host)[20:])
    starts = program("starts-another", "#include <stdio.h>\n#include <unistd.h>\n"
                     "int main(int c, char **v) { execv(v[c - 1], v + c - 1); perror(v[1]); "
                     "return 3; }\n")
    doc = stat("-e", "instr_exec", starts, child, code=3)
    contains(doc["warning"], "this machine cannot execute (\"Exec format error\")")


def test_a_dynamic_program_without_its_libraries():
    dynamic = build("says-dynamic", SAYS, "-O1")
    refuse(NOT_EXEC, "--sysroot", WORK, dynamic, said=("ld-linux.so.3", WORK, "--sysroot"))


def test_files_that_are_no_regular_files(tmp_path):
    """pmk refuses devices and pipes at once: a device may never end, and a pipe may never get a
    writer."""
    fifo = tmp_path / "pmk" / "metrics" / "fifo.metric"
    os.makedirs(fifo.parent)
    os.makedirs(tmp_path / "pmk" / "cores")
    os.mkfifo(fifo)
    os.mkfifo(tmp_path / "pmk" / "cores" / "mine.ini")
    env = dict(os.environ, XDG_CONFIG_HOME=str(tmp_path))
    for file in ("/dev/zero", "/dev/null", str(fifo)):
        refuse(FAILED, "--core", file, loop(1), said=f"pmk: {file}: not a regular file")
        equal(pmk("info", "cpi", "--pmu", "arm1176", env=env).err,
              f"pmk: {fifo}: not a regular file; pmk uses none of your own metrics\n")
    refuse(FAILED, "--core", "mine", loop(1), env=env,
           said="/pmk/cores/mine.ini: not a regular file")
    refuse(FAILED, "--core", "arm926", "--layout", "/dev/zero", loop(1),
           said="--layout: /dev/zero: not a regular file")
    out = pmk("stat", "-T", "wave:/dev/null", "--map", "/dev/zero")
    contains(out.err, "/dev/zero: not a regular file")


def test_a_layout_may_come_through_a_pipe():
    script = f"cat {SOURCE}/data/layouts/sp816.ini | {PMK} doctor ahbmon --layout /dev/stdin"
    contains(run("sh", "-c", script).out, "the layout fits")


# ---- wrong options -------------------------------------------------------------------------------


def test_unknown_names_get_the_nearest():
    table = [
        (("-e", "instr_exce"), "did you mean instr_exec"),
        (("-e", "dcache_mis"), "dcache_miss"),
        (("-e", "cycls"), "cycles"),
        (("-e", "brnches"), "branches"),
        (("-e", "instr_exec,dcache_mss,br_exec"), "dcache_miss"),
        (("-e", "{instr_exec,dcache_mss}"), "dcache_miss"),
        (("-M", "cpii"), "cpi"),
        (("-M", "dcache_miss_rati"), "dcache_miss_ratio"),
        (("-M", "cpi,ipcc"), "ipc"),
        (("--core", "arm117"), "arm1176"),
        (("--core", "arm11mpcor"), "arm11mpcore"),
        (("--set", "dcache.siz=16K"), "dcache.size"),
        (("--set", "mem.latenzy=3"), "mem.latency"),
        (("--regoin", "f"), "--region"),
        (("--outptu", "f"), "--output"),
    ]
    for options, said in table:
        refuse(USAGE, *options, says(), said=said)


def test_unknown_names_without_a_near_one():
    for options in (("-e", "zzzzzzzzzzzz"), ("-M", "zzzzzzzzzzzz"), ("--core", "zzzzzzzzzzzz"),
                    ("--set", "zzzzzzzzzzzz=1"), ("--zzzzzzzzzzzz",), ("-Z",),
                    ("--pmu", "zzzzzzzzzzzz"),
                    ("-T", "zzzzzzzzzzzz"), ("--passes", "zzzzzzzzzzzz"), ("-e", "z" * 100000)):
        refuse(USAGE, *options, says())


def test_events_of_other_cores():
    refuse(USAGE, "-e", "fiq_disabled_cycles", says(),
           said=("fiq_disabled_cycles", "arm1176", "arm1156"))
    refuse(USAGE, "-e", "dcache_rdmiss", says(), said=("arm1176", "arm11mpcore"))
    refuse(USAGE, "-e", "dcache_miss", "--core", "arm11mpcore", says(), said="arm11mpcore")
    refuse(USAGE, "-e", "arm1136::instr_exec", says(), said="arm1136")
    refuse(USAGE, "-e", "arm1136/instr_exec/", says(), said="arm1136")
    refuse(USAGE, "-e", "r08", says(), said="0x08")
    refuse(USAGE, "-e", "rffff", says(), said="0xffff")
    for code in ("0xffffffff", "rfffffffffffffffffffff", "0x1000000000000000b", "r" + "f" * 90):
        word = code if len(code) <= 40 else code[:40] + "…"
        refuse(USAGE, "-e", code, says(),
               said=f"pmk: {word} is too large for the code of an event\n")
    refuse(USAGE, "-M", "dcache_miss_ratio", "--core", "arm11mpcore", says(), said="arm11mpcore")


def test_event_lists_that_are_none():
    lists = ("", ",", "instr_exec,", ",instr_exec", "instr_exec,,br_exec", "{instr_exec",
             "instr_exec}",
             "{}", "{instr_exec,}", "{,instr_exec}", "{{instr_exec}}", ":u", "instr_exec:z",
             "{instr_exec}:z", "{instr_exec}x", "arm1176//", "arm1176::", "r", "0x", "rzz", "::",
             "/", ",".join(["instr_exec"] * 1000))
    refuse_all(USAGE, [("-e", text) for text in lists], says())


def test_values_out_of_range():
    settings = ("dcache.size=0", "dcache.size=17", "dcache.size=300M", "dcache.size=3K",
                "dcache.size=", "dcache.size=-4K", "dcache.size=4KK", "dcache.size", "=4K", "",
                "dcache.enable=maybe", "mem.latency=99999999999999999999", "mem.latency=1e3",
                "clock=0", "bp.entries=3", "dcache.ways=5", "pmu=arm1136")
    refuse_all(USAGE, [("--set", setting) for setting in settings], says())


def test_names_that_are_empty_or_there_twice():
    for text in ("", "=x", "="):
        refuse(USAGE, "--env", text, says(),
               said=f"pmk: --env '{text}': expected NAME or NAME=VALUE\n")
    refuse(USAGE, "-o", "", says(), said="pmk: -o: the name of the file is empty\n")
    refuse(USAGE, "--region", "main", "--region", "f", "--region", "main", loop(1),
           said="pmk: --region main is given twice\n")
    equal(pmk("report", "-o", "", "/dev/null").err, "pmk: -o: the name of the file is empty\n")


def test_options_that_exclude_each_other():
    refuse(USAGE, "-j", "-x", ",", says(), said=("-j", "-x"))
    refuse(USAGE, "-j", "--json-document", says(), said=("-j", "--json-document"))
    refuse(USAGE, "-x", "", says(), said="-x")
    refuse(USAGE, "--append", says(), said="-o")
    refuse(USAGE, "--from", "main", says(), said=("--from", "--to"))
    refuse(USAGE, "--to", "main", says(), said=("--from", "--to"))
    refuse(USAGE, "-I", "10ms", "-r", "2", says(), said=("-I", "-r"))
    refuse(USAGE, "-I", "10ms", "--region", "main", says(), said=("-I", "--region"))
    refuse(USAGE, "-I", "10ms", "-A", says(), said=("-I", "-A"))
    refuse(USAGE, "-I", "10ms", "--passes", "rerun", says(), said="rerun")
    refuse(USAGE, "--passes", "multiplex", says(), said="clone")


def test_regions_per_core_are_not_dropped():
    """pmk either refuses --region together with -A, or prints a section for the region."""
    out = pmk("stat", "-x", ",", "-e", "instr_exec", "-A", "--region", "main", says())
    assert out.code == USAGE or ",main\n" in out.err, out


def test_numbers_that_are_none():
    for interval in ("", "0", "-1", "x", "ms", "10parsecs", "10 ms", "1.5ms", "0insns", "10m", "0x",
                     "99999999999999999999", "99999999999999999ms", "18446744073709551615ms"):
        refuse(USAGE, "-I", interval, says(), said="-I")
    for runs in ("", "0", "-1", "x", "1.5", "1x", "100001", "99999999999999999999"):
        refuse(USAGE, "-r", runs, says(), said="-r")


def test_options_without_their_value():
    for option in ("-e", "-M", "--pmu", "--core", "--set", "-r", "-I", "--region", "-x", "-o",
                   "--qemu"):
        refuse(USAGE, option, said=option)
    refuse(USAGE, "--json-output=3", says(), said="takes no value")
    refuse(USAGE, "--qemu", "", said="--qemu")


def test_regions_that_are_not_there():
    refuse(USAGE, "--region", "no_such_function", says(), said=("no_such_function", "no function"))
    refuse(USAGE, "--region", "mian", says(), said="main")
    refuse(USAGE, "--from", "main", "--to", "no_such_function", says(), said="no_such_function")
    refuse(USAGE, "--region", "", says())
    stripped = says() + ".stripped"
    equal(run(CROSS + "strip", "-o", stripped, says()).code, 0)
    refuse(USAGE, "--region", "main", stripped, said=("main", "stripped"))


# ---- the emulator --------------------------------------------------------------------------------


def with_fake(script):
    """Returns an environment whose PATH begins with a qemu-arm made of `script`. If `script` is
    None, PATH has no emulator."""
    place = os.path.join(WORK, "fake-" + hashlib.sha256(repr(script).encode()).hexdigest()[:8])
    os.makedirs(place, exist_ok=True)
    if script is None:
        return dict(os.environ, PATH=place, **NO_EMULATORS)
    with open(os.path.join(place, "qemu-arm"), "w") as f:
        f.write("#!/bin/sh\n" + script)
    os.chmod(os.path.join(place, "qemu-arm"), 0o755)
    return dict(os.environ, PATH=place + ":" + os.environ["PATH"])


OLD = 'case "$1" in --version) echo "qemu-arm version 4.2.0"; exit 0;; esac\nexit 1\n'


def test_no_emulator():
    refuse(FAILED, loop(1), env=with_fake(None),
           said=f"qemu-arm is not installed; {remedy('qemu-user')}")


def test_no_path():
    for env in ({k: v for k, v in os.environ.items() if k != "PATH"}, dict(os.environ, PATH="")):
        refuse(FAILED, loop(1), env=dict(env, **NO_EMULATORS),
               said="PATH is not set, so pmk cannot look for qemu-arm; set PATH to the "
                    "directories of "
                    "programs")


def test_an_emulator_that_is_too_old():
    refuse(FAILED, loop(1), env=with_fake(OLD), said=("qemu-arm 4.2.0", "or newer"))


def test_an_emulator_that_is_none():
    refuse(FAILED, loop(1), env=with_fake("exit 0\n"), said=("qemu-arm", "QEMU"))


def test_an_emulator_that_cannot_be_executed():
    place = os.path.join(WORK, "fake-noexec")
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, "qemu-arm"), "w") as f:
        f.write("not a program")
    os.chmod(os.path.join(place, "qemu-arm"), 0o644)
    refuse(FAILED, loop(1), env=dict(os.environ, PATH=place, **NO_EMULATORS), said="qemu-arm")


def test_documents_of_a_failure_are_whole():
    """If pmk fails after it began a JSON document, it closes the document. The document does not
    look like that of a success."""
    path = os.path.join(WORK, "bad-failed.json")
    out = pmk("stat", "--json-document", "-o", path, loop(1), env=with_fake(OLD))
    equal(out.code, FAILED)
    text = content(path).decode()
    assert not text or json.loads(text)["counters"] == [], text
    assert not text or json.loads(text)["exit-status"] != 0, "a failure that reads as exit-status 0"


def test_no_plugin():
    env = dict(os.environ, PMK_PLUGIN="/nonexistent")
    out = pmk("stat", loop(1), env=env)
    equal((out.code, out.out), (FAILED, ""), str(out))
    contains(out.err, "/nonexistent")
    said = [line for line in out.err.splitlines() if line.startswith("pmk: ")]
    equal(len(said), 1, str(out))
    assert "or newer" not in said[0], f"it is not QEMU's fault: {said[0]}"
    equal(out.err.count("\n"), 1, f"lines: {out}")


def test_a_directory_without_the_plugin():
    refuse(FAILED, loop(1), env=dict(os.environ, PMK_PLUGIN=HERE),
           said=f"cannot read the QEMU plugin {HERE}/pmk-qemu-api")


def test_a_plugin_that_is_none():
    env = dict(os.environ, PMK_PLUGIN=file_with("bad-plugin.so", b"not a library"))
    out = pmk("stat", loop(1), env=env)
    equal((out.code, out.out), (FAILED, ""), str(out))
    contains(out.err, "bad-plugin.so")


def test_no_data_directory():
    out = pmk("stat", loop(1), env=dict(os.environ, PMK_DATA="/nonexistent"))
    assert out.code in (FAILED, USAGE), out
    contains(out.err, "pmk: ")


# ---- the output ----------------------------------------------------------------------------------


def test_a_full_disk_does_not_lose_the_counts():
    for options in ((), ("-j",), ("--json-document",), ("-x", ",")):
        out = pmk("stat", *options, "-e", "instr_exec", "-o", "/dev/full", loop(1000))
        equal(out.code, FAILED, str(out))
        contains(out.err, "cannot write /dev/full: No space left on device")
        assert re.search(r"8,?005", out.err), out


def test_an_output_that_cannot_be_opened_runs_nothing():
    for path in ("/no-such-directory/file", WORK, "/proc/version/x", "/proc/no-such-file"):
        refuse(FAILED, "-o", path, says(), said="cannot write")
        refuse(FAILED, "-j", "-o", path, says(), said="cannot write")


def test_no_output_at_all():
    """If stdout and stderr are closed, pmk still returns the program's exit code."""
    script = f"exec {PMK} stat -e instr_exec {loop(1)} >&- 2>&-"
    assert run("sh", "-c", script).code in (3, FAILED)
    path = os.path.join(WORK, "bad-closed.txt")
    script = f"exec {PMK} stat -e instr_exec -o {path} {loop(1)} >&- 2>&- <&-"
    equal(run("sh", "-c", script).code, 3)
    contains(content(path).decode(), "instr_exec")


def test_a_full_disk_is_named():
    # The output of a short command fits into the buffer; that of a long one does not.
    for command in ("list pmus", "list microblaze", "list all", "info br_exec",
                    "decode arm1176 PMNC=1", "--help", "stat --help"):
        out = run("sh", "-c", f"{PMK} {command} > /dev/full")
        equal((out.code, out.err), (FAILED,
                                    "pmk: cannot write the output: No space left on device\n"),
              command)
    out = run("sh", "-c", f"{PMK} list pmus >&-")
    equal((out.code, out.err), (FAILED, "pmk: cannot write the output: Bad file descriptor\n"))


# ---- signals -------------------------------------------------------------------------------------

# Runs until a signal ends it; the argument says whether it ignores or handles signals, sleeps or
# reads.
FOREVER = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile unsigned long work;
static void leave(int sig) { (void)sig; _exit(42); }
int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "ignore"))
		signal(SIGINT, SIG_IGN), signal(SIGTERM, SIG_IGN);
	if (argc > 1 && !strcmp(argv[1], "handle"))
		signal(SIGINT, leave);
	for (work = 0; work < 10000; work++)
		;
	puts("ready");
	fflush(stdout);
	if (argc > 1 && !strcmp(argv[1], "sleep"))
		for (;;)
			pause();
	if (argc > 1 && !strcmp(argv[1], "read"))
		return getchar() & 1;
	for (;;)
		work++;
}
"""


class Running:
    """A pmk in its own process group. The constructor returns when the counted program has printed
    its line."""

    def __init__(self, *argv, command="stat", options=(), around=None):
        self.argv = [PMK, command, *options, program("forever", FOREVER), *argv]
        stdin, self.open_end = os.pipe()  # a pipe that stays open and empty
        self.p = subprocess.Popen(self.argv, stdin=stdin, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, start_new_session=True, preexec_fn=around)
        os.close(stdin)
        equal(self.p.stdout.readline(), b"ready\n")

    def emulator(self):
        with open(f"/proc/{self.p.pid}/task/{self.p.pid}/children") as f:
            for pid in f.read().split():
                if b"-plugin" in content(f"/proc/{pid}/cmdline"):
                    return int(pid)
        raise AssertionError("no emulator")

    def end(self):
        try:
            out, err = self.p.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self.p.pid, signal.SIGKILL)
            self.p.communicate()
            raise AssertionError("pmk does not end")
        finally:
            os.close(self.open_end)
        code = self.p.returncode
        return Output(code if code >= 0 else 128 - code, out.decode(), err.decode())


def check_partial(out, code):
    equal(out.code, code, str(out))
    contains(out.err, "warning: the program was ")
    assert re.search(r"^ +[\d,]{6,} +instr_exec", out.err, re.M), out


def send_to_pmk(r, sig):
    os.kill(r.p.pid, sig)


def send_to_group(r, sig):
    os.killpg(r.p.pid, sig)


def test_interrupted_the_counts_are_printed():
    for send in (send_to_pmk, send_to_group):
        for how in ("work", "sleep", "read"):
            r = Running(how, options=("-e", "instr_exec"))
            send(r, signal.SIGINT)
            check_partial(r.end(), 130)


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2,
          signal.SIGPIPE)


@pytest.mark.parametrize("sig", ENDING, ids=lambda sig: sig.name)
def test_terminated_the_counts_are_printed(sig):
    for send in (send_to_pmk, send_to_group):
        r = Running("work", options=("-e", "instr_exec"), around=no_core)
        send(r, sig)
        check_partial(r.end(), 128 + sig)


@pytest.mark.parametrize("sig", (signal.SIGINT, *ENDING), ids=lambda sig: sig.name)
def test_terminated_what_was_recorded_is_written(sig, tmp_path):
    path = tmp_path / "data"
    r = Running("work", command="record", options=("-e", "instr_exec", "-o", path), around=no_core)
    send_to_pmk(r, sig)
    out = r.end()
    equal(out.code, 128 + sig, out)
    assert re.search(rf"\[ pmk record: wrote [\d.]+ MB to {path}: ", out.err), out
    equal(os.listdir(tmp_path), ["data"])
    with sqlite3.connect(path) as db:
        total, = db.execute("SELECT total FROM event").fetchone()
        booked, = db.execute("SELECT sum(value) FROM count").fetchone()
        equal(list(db.execute("SELECT value FROM meta WHERE key = 'partial'")), [(1,)])
    assert total > 10000, total
    # A signal may end the emulator in the middle of a block, after the block was counted and before
    # its counts were recorded.
    assert abs(booked - total) < 100, (booked, total)
    equal("some counts were not recorded: instr_exec adds up to" in out.err, booked != total,
          out.err)


def test_nobody_reads_what_pmk_says(tmp_path):
    """pmk record writes its file even if the reader of its stderr has gone away, as with `2>&1 |
    head`."""
    r = Running("work", command="record", options=("-o", tmp_path / "data"))
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), r.p.stderr.fileno())
    send_to_pmk(r, signal.SIGINT)
    equal(r.end().code, 130)
    contains(pmk("report", "-i", tmp_path / "data").out, "main")


def test_a_limit_of_the_file_size_does_not_lose_the_counts(tmp_path):
    for command in ("stat", "record"):
        path = tmp_path / command
        r = Running("work", command=command, options=("-e", "instr_exec", "-o", path))
        resource.prlimit(r.p.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        send_to_pmk(r, signal.SIGTERM)
        out = r.end()
        equal(out.code, FAILED, out)
        contains(out.err, "File too large; the counts follow here")
        assert re.search(r"^ +[\d,]{6,} +instr_exec", out.err, re.M), out


def test_interrupted_json_is_closed():
    for options in ((), ("-I", "1000000insns"), ("--region", "main"), ("-r", "5")):
        path = os.path.join(WORK, "bad-interrupted.json")
        r = Running("work", options=("--json-document", "-o", path, "-e", "instr_exec", *options))
        send_to_group(r, signal.SIGINT)
        out = r.end()
        equal(out.code, 130, str(out))
        doc = json.loads(content(path))
        equal(doc["partial"], True)
        contains(doc["warning"], "interrupted")
        equal(doc["exit-status"], 130)
        assert sum(c["counter-value"] for c in doc["counters"] if not c["region"]) > 10000, doc


def test_interrupted_csv_has_its_lines():
    r = Running("work", options=("-x", ",", "-e", "instr_exec", "-I", "1000000insns"))
    equal(len(r.p.stderr.readline().split(b",")), 12)
    send_to_group(r, signal.SIGINT)
    out = r.end()
    equal(out.code, 130, str(out))
    *rows, comment = out.err.splitlines()
    for line in rows:
        equal(len(line.split(",")), 12, line)
    contains(comment, "# warning: the program was interrupted")


def test_a_program_that_handles_the_interrupt_ends_in_its_own_way():
    r = Running("handle", options=("-e", "instr_exec"))
    send_to_group(r, signal.SIGINT)
    out = r.end()
    equal(out.code, 42, str(out))
    contains(out.err, "instr_exec")


def test_what_was_ignored_stays_ignored():
    """If signals are ignored at the start, as under nohup or in the background of a script, pmk and
    the program ignore them, too, and continue until SIGTERM."""
    # Only pmk's own mask is examined, because QEMU keeps a handler for these signals. The program
    # ends by SIGTERM, which shows that it ignored them.
    def ignored(pid, sig):
        mask = re.search(r"^SigIgn:\s*(\w+)", of_process(pid, "status"), re.M).group(1)
        return int(mask, 16) >> sig - 1 & 1

    r = Running("work", options=("-e", "instr_exec"),
                around=lambda: [signal.signal(s, signal.SIG_IGN)
                                for s in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)])
    for sig in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        equal(ignored(r.p.pid, sig), 1, sig.name)
        os.killpg(r.p.pid, sig)
    os.kill(r.p.pid, signal.SIGTERM)
    check_partial(r.end(), 143)


@pytest.mark.more
def test_a_program_that_ignores_the_interrupt_is_ended():
    r = Running("ignore", options=("-e", "instr_exec"))
    send_to_group(r, signal.SIGINT)
    check_partial(r.end(), 130)


@pytest.mark.more
def test_nothing_is_left_running():
    for how in ("work", "ignore"):
        r = Running(how, options=("-e", "instr_exec"))
        pid = r.emulator()
        send_to_pmk(r, signal.SIGINT)
        r.end()
        assert not os.path.exists(f"/proc/{pid}"), f"the emulator still runs ({how})"


def test_a_program_for_a_later_processor():
    """If a program needs a later processor, pmk sees this in the ELF attributes and prints a note
    before the program dies of an undefined instruction."""
    def starts(name, arch, *lines):
        text = "\n".join((f".arch {arch}", *lines, ".globl _start", "_start: mov r7, #1",
                          "mov r0, #0", "svc #0", ""))
        return build(f"later-{name}", text, "-nostdlib", "-static", "-Wl,--build-id=none", ext="S")

    v7, v6t2, v6k = starts("v7", "armv7-a"), starts("v6t2", "armv6t2"), starts("v6k", "armv6k")
    neon, div = starts("neon", "armv6", ".eabi_attribute 12, 1"), starts("div", "armv6",
                                                                         ".eabi_attribute 44, 2")
    def noted(core, program, *said):
        """Checks that the program runs on the requested core, and that a note names what the
        program was built for."""
        doc = stat("-e", "instructions", "--core", core, program)
        equal(counts(doc), {"instructions": 3}, core)
        for words in (*said, "because --core was given"):
            contains(doc["note"], words)

    equal((doc := stat("-e", "inst_retired", v7))["core"], "cortex-a7")
    equal((counts(doc), doc["note"]), ({"inst_retired": 3}, None))
    latest = starts("v9", "armv6", ".eabi_attribute 6, 22")
    said = refuse(NOT_EXEC, latest, said=("architecture 22", "no core of pmukit", "-march="))
    told = re.search(r"--qemu '(.*)'", said).group(1)
    equal(counts(stat("-e", "instr_exec", "--core", "arm1176", "--qemu", told)),
          {"instr_exec": 3}, told)
    noted("arm1176", v7, "ARMv7", "core arm1176 has ARMv6KZ")
    noted("arm11mpcore", v7, "ARMv6K:")
    noted("arm1176", v6t2, "ARMv6T2")
    # QEMU has no ARM1156. The processor that QEMU uses in its place supports all instructions of
    # ARMv6T2.
    equal(stat("-e", "instr_exec", "--core", "arm1156", v6t2)["note"], None)
    noted("arm1156", v7, "ARMv7", "core arm1156 has ARMv6T2")
    noted("arm1176", neon, "NEON")
    noted("arm1176", div, "division")
    for core in ("arm1136r0", "arm1136", "arm1156", "arm1176", "arm11mpcore"):
        equal(stat("-e", "instr_exec", "--core", core, v6k)["note"], None, core)
    for arch in ("armv4t", "armv5te"):
        equal(stat("-e", "instr_exec", "--core", "arm1176", starts(arch, arch))["note"], None)


def test_an_interpreter_for_a_later_processor():
    dynamic = build("says-dynamic", SAYS, "-O1", "-march=armv6k", "-marm")
    root = os.path.join(WORK, "later-root")
    os.makedirs(os.path.join(root, "lib"), exist_ok=True)
    loader = build("later-loader", ".arch armv7-a\n.globl _start\n_start: svc #0\n", "-nostdlib",
                   "-static", ext="S")
    shutil.copy(loader, os.path.join(root, "lib", "ld-linux.so.3"))
    refuse(NOT_EXEC, "--sysroot", root, dynamic,
           said=("lib/ld-linux.so.3 is built for ARMv7", "arm1176"))


def test_other_names_of_cores():
    for name, core in (("arm1176jzf-s", "arm1176"), ("rpi1", "raspberrypi1"),
                       ("arm1136jf-s", "arm1136"), ("a7", "cortex-a7")):
        equal(stat("-e", "instructions", "--core", name, loop(1), code=3)["core"], core)
        equal(pmk("list", name).out, pmk("list", core).out)
        contains(pmk("info", name).out, pmk("info", core).out.splitlines()[-1])


def test_a_full_device_is_named():
    for options, redirect in (((), "2>/dev/full"), (("-x,",), "2>/dev/full"),
                              (("--log-fd", "9"), "9>/dev/full"), (("-j",), "2>/dev/full")):
        command = " ".join((PMK, "stat", "-e", "instr_exec", *options, loop(1), redirect))
        # pmk prints the error message on stderr, not into the full file.
        out = run("sh", "-c", command)
        equal(out.code, 125, command)
        if "9>" in redirect:
            contains(out.err, "cannot write the counts: No space left on device")


def test_killed_by_an_undefined_instruction():
    """The warning suggests a later core, even if no ELF attribute says which instruction set the
    program needs."""
    dies = build("later-word", ".arch armv6k\n.globl _start\n_start: .inst 0xe3000000\n",
                 "-nostdlib", "-static", ext="S")
    doc = stat("-e", "instr_exec", dies, code=132)
    contains(doc["warning"], "core arm1176, QEMU's arm1176, has the instruction set ARMv6KZ")
    contains(doc["warning"], "may use a later one; --core cortex-a7")


def test_a_log_that_never_ends_is_refused():
    out = pmk("decode", "--log", "/dev/zero")
    equal((out.code, out.err), (125, "pmk: --log /dev/zero: not a regular file\n"))


def test_no_control_characters_of_names_are_printed():
    """pmk never prints the control characters of names of files, arguments, regions, settings or
    variables."""
    raw = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
    evil = "e\x1b[31m\x07\x9b\x7f\nx\r\t\u00e4"
    shown = "e\\x1b[31m\\x07\\xc2\\x9b\\x7f\\x0ax\\x0d\\x09\u00e4"
    folder = os.path.join(WORK, "evil")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, evil)
    shutil.copy(says(), path)
    with open(os.path.join(folder, "core.ini"), "w") as f:
        f.write("[core]\nname = a\x1bb\npmu = arm1176\nqemu_cpu = arm1176\nisa = arm\n")
    lines = {}
    for form in ((), ("-x,",), ("-j",)):
        for options in (("--env", f"A={evil}", path, evil), ("--region", f"0x1{evil}", path),
                        ("-e", evil, path),
                        ("--core", evil, path), ("--set", f"clock={evil}", path), ("--qemu", evil),
                        (f"{path}no",),
                        ("--core", os.path.join(folder, "core.ini"), path),
                        ("--region", evil, path),
                        ("--sysroot", evil, path), (f"--{evil}", path),
                        ("-o", f"/nowhere/{evil}", path)):
            out = pmk("stat", "-e", "instr_exec", *form, *options, text=False)
            found = raw.search(out.err)
            assert not found, f"{form} {options}: {out.err}"
            lines[form, options[0]] = out.err.decode()
    contains(lines[(), "--env"], f"/{shown}' '{shown}'")
    contains(lines[(), "--env"], f"A={shown}")
    contains(lines[(), "-e"], shown)
    for command in (("list", evil), ("info", evil), ("decode", evil), ("report", evil), (evil,),
                    ("doctor", evil),
                    ("wave", evil)):
        out = pmk(*command, text=False)
        assert not raw.search(out.err + out.out), f"{command}: {out}"


def test_no_control_characters_of_ones_own_files_are_listed(tmp_path):
    """pmk list and pmk info escape the control characters in the user's own presets and metrics."""
    for folder in ("cores", "metrics"):
        (tmp_path / "pmk" / folder).mkdir(parents=True)
    with open(f"{SOURCE}/data/cores/arm1176.ini") as f:
        preset = f.read()
    (tmp_path / "pmk/cores/mine.ini").write_text(
        re.sub(r"(?m)^brief = .*", "brief = core\u009b31m", preset).replace("name = arm1176",
                                                                          "name = mine", 1))
    (tmp_path / "pmk/metrics/mine.metric").write_text(
        "TITLE title\x1b[31m\nUNIT unit\x07\nEVENTS cpu_cycles\nFORMULA cpu_cycles\nTEXT\n"
        "text\x1b[32m of\ntwo lines\n")
    env = dict(os.environ, XDG_CONFIG_HOME=str(tmp_path))
    for command, shown in ((("list", "cores"), r"core\xc2\x9b31m"),
                           (("list", "metrics"), r"title\x1b[31m [unit\x07]"),
                           (("info", "mine"), r"text\x1b[32m of two lines")):
        out = pmk(*command, env=env)
        equal(out.code, 0, out)
        contains(out.out, shown)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", out.out), command


def test_the_emulator_is_killed():
    for how in ("work", "sleep"):
        r = Running(how, options=("-e", "instr_exec"))
        os.kill(r.emulator(), signal.SIGKILL)
        check_partial(r.end(), 137)


def test_a_program_that_crashes():
    crash = program("crash", "int main(void) { *(volatile int *)8 = 1; return 0; }")
    out = pmk("stat", "-e", "instr_exec", crash)
    equal(out.code, 139, str(out))
    assert re.search(r"^ +[\d,]+ +instr_exec", out.err, re.M), out
    undefined = program("undefined", 'int main(void) { __asm__(".inst 0xe7f000f0"); return 0; }')
    equal(stat("-e", "instr_exec", undefined, code=132)["exit-status"], 132)


RAISES = """
    #include <signal.h>
    #include <stdlib.h>
    int main(int argc, char **argv) { raise(atoi(argv[1])); return 5; }"""
BY_THEN = "the counts end there"


def test_the_signal_is_named_that_a_program_dies_of():
    raises = program("raises", RAISES)
    for sig, name in ((6, "SIGABRT"), (11, "SIGSEGV"), (7, "SIGBUS"), (4, "SIGILL"), (8, "SIGFPE"),
                      (5, "SIGTRAP"),
                      (15, "SIGTERM"), (9, "SIGKILL"), (13, "SIGPIPE"), (10, "SIGUSR1"),
                      (26, "signal 26")):
        doc = stat("-e", "instr_exec", raises, sig, code=128 + sig)
        equal((doc["exit-status"], doc["partial"], doc["warning"].split("\n")[0]),
              (128 + sig, True, f"the program was killed by {name}: {BY_THEN}"))
        equal(doc["warning"].count("\n"), sig == signal.SIGILL, "a line about the instruction set")
        assert counts(doc)["instr_exec"] > 1000, doc
    doc = stat("-e", "instr_exec", "-r", "2", raises, 11, code=139)
    equal((doc["runs"], doc["partial"], doc["warning"].count("SIGSEGV")), (2, True, 1))
    out = pmk("stat", "-e", "instr_exec", raises, 6)
    equal((out.code, out.err.count(f"warning: the program was killed by SIGABRT: {BY_THEN}\n")),
          (134, 1), str(out))
    out = pmk("stat", "-x,", "-e", "instr_exec", raises, 11)
    contains(out.err, f"# warning: the program was killed by SIGSEGV: {BY_THEN}\n")
    doc = stat("-e", "instr_exec", raises, 17, code=5)  # 17 is SIGCHLD, which kills nothing
    equal((doc["partial"], doc["warning"]), (False, None))


def test_the_emulator_is_told_to_end():
    r = Running("work", options=("-e", "instr_exec"))
    os.kill(r.emulator(), signal.SIGTERM)
    out = r.end()
    check_partial(out, 143)
    contains(out.err, f"warning: the program was killed by SIGTERM: {BY_THEN}\n")


def test_a_program_that_jumps_into_nowhere():
    nowhere = program("nowhere", "int main(void) { ((void (*)(void))0x13579bd0)(); return 0; }")
    equal(pmk("stat", "-e", "instr_exec", nowhere).code, 139)


# ---- unusual programs ----------------------------------------------------------------------------


def test_a_program_that_closes_every_descriptor():
    closes = program("closes", r"""
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        int main(int argc, char **argv)
        {
            int closed = 0;
            for (int fd = 3; fd < 1024; fd++)
                closed += close(fd) == 0;
            for (volatile int i = 0; i < atoi(argv[1]); i++) ;
            printf("%d\n", closed);
            return 7;
        }""")
    values = []
    for n in (100, 1000, 1900):
        doc = stat("-e", "instr_exec", closes, f"{n:05}", code=7)
        values.append(counts(doc)["instr_exec"])
        equal(doc["warning"], None)
    # Another 900 passes always execute the same number of additional instructions.
    assert values[2] - values[1] == values[1] - values[0] > 9000, values
    out = pmk("stat", "-o", "/dev/null", closes, "1")
    equal(out.out, "0\n", "descriptors that are not the program's")


def test_a_program_that_reads_its_input():
    reads = program("reads", r"""
        #include <stdio.h>
        int main(void) { int c, n = 0; while ((c = getchar()) != EOF) n += c == 'x'; printf("%d\n", n);
        return n > 100; }""")
    out = pmk("stat", "-e", "instr_exec", reads, stdin="x" * 100000)
    equal((out.code, out.out), (1, "100000\n"))
    out = pmk("stat", "-e", "instr_exec", reads, stdin="")
    equal((out.code, out.out), (0, "0\n"))


ARGS = r"""
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	unsigned long n = 0;
	for (int i = 1; i < argc; i++)
		n += strlen(argv[i]);
	printf("%d %lu %s\n", argc - 1, n, argc > 1 ? argv[argc - 1] : "");
	return 0;
}
"""


def test_long_argument_lists_arrive():
    args = program("args", ARGS)
    for n in (0, 1, 200, 240, 250, 260, 1000, 20000):
        out = pmk("stat", "-e", "instr_exec", "-o", "/dev/null", args,
                  *[f"{i:06}" for i in range(n)])
        equal(out.out, f"{n} {6 * n} {f'{n - 1:06}' if n else ''}\n", f"{n} arguments")
    big = "y" * 100000
    equal(pmk("stat", "-e", "instr_exec", "-o", "/dev/null", args, big).out, f"1 100000 {big}\n")


def test_empty_arguments_arrive():
    args = program("args", ARGS)
    equal(pmk("stat", "-e", "instr_exec", "-o", "/dev/null", args, "", "", "").out, "3 0 \n")
    doc = stat("-e", "instr_exec", args, "", "a b", "'")
    contains(doc["command"], "'' 'a b'")


def test_many_variables_arrive():
    env = [word for i in range(500) for word in ("--env", f"V{i}={i}")]
    out = pmk("stat", "-e", "instr_exec", "-o", "/dev/null", *env,
              program("variables", r"""
                  #include <stdio.h>
                  extern char **environ;
                  int main(void) { int n = 0; while (environ[n]) n++; printf("%d\n", n); return 0; }"""))
    equal(out.out, "503\n")


def test_a_program_whose_name_is_odd():
    path = os.path.join(WORK, "odd na'me,\u00fc@plugin@")
    with open(path, "wb") as f:
        f.write(content(loop(1000)))
    os.chmod(path, 0o755)
    equal(counts(stat("-e", "instr_exec", path, code=3))["instr_exec"], 8005)
    dash = os.path.join(WORK, "-dash")
    with open(dash, "wb") as f:
        f.write(content(loop(1000)))
    os.chmod(dash, 0o755)
    env = dict(os.environ, PATH=WORK + ":" + os.environ["PATH"])
    equal(counts(stat("-e", "instr_exec", "--", "-dash", code=3, env=env))["instr_exec"], 8005)


def test_an_argument_that_looks_like_ours():
    args = program("args", ARGS)
    equal(pmk("stat", "-e", "instr_exec", "-o", "/dev/null", args, "@plugin@").out,
          "1 8 @plugin@\n")


def test_code_that_changes_itself():
    """A program that rewrites its own code gets new blocks while it runs. Its counts are still
    deterministic."""
    writes = program("writes", r"""
        #include <stdint.h>
        #include <sys/mman.h>
        int main(void)
        {
            uint32_t *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            int sum = 0;
            for (int i = 0; i < 200; i++) {
                code[0] = 0xe3a00000 | i;      /* mov r0, #i */
                code[1] = 0xe12fff1e;          /* bx lr */
                __builtin___clear_cache((char *)code, (char *)(code + 2));
                sum += ((int (*)(void))code)();
            }
            return sum == 19900 ? 9 : 1;
        }""")
    a, b = (stat("-e", "all", writes, code=9) for _ in range(2))
    equal(a, b)
