# SPDX-License-Identifier: MIT
"""completions/pmk.bash gives the right results when it is called as bash calls it, with words and
the position of the cursor."""
import os
import re
import shlex

from harness import *
import repo

SCRIPT = os.path.join(SOURCE, "completions/pmk.bash")


def complete(*words, cwd=None):
    """Returns bash's suggestions for the last word."""
    have("bash")
    line = " ".join(shlex.quote(w) for w in ("pmk",) + words)
    out = run("bash", "--norc", "-c",
              f"source {shlex.quote(SCRIPT)}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; "
              "_pmk; printf '%s\\n' \"${COMPREPLY[@]}\"",
              env=dict(os.environ, PATH=BUILD + ":" + os.environ["PATH"]), cwd=cwd)
    equal((out.code, out.err), (0, ""), f"completing {words}")
    return sorted(set(w for w in out.out.split("\n") if w))


def listed(topic, *more):
    return sorted(set(re.findall(r"^  ([\w-]+) ", pmk("list", topic, *more).out, re.M)))


def option_words(command):
    out = pmk(command, "--help").out
    found = re.findall(r"^  (?:(-\w), |    )(--[\w-]+)", out, re.M)
    return sorted({w for pair in found for w in pair if w})


def test_it_is_installed_for_pmk():
    have("bash")
    out = run("bash", "--norc", "-c", f"source {shlex.quote(SCRIPT)}; complete -p pmk")
    contains(out.out, "-F _pmk pmk")


def test_commands():
    equal(complete(""), sorted(["stat", "report", "list", "info", "decode", "doctor", "wave",
                                "annotate", "export", "diff", "gate", "record", "run", *LAB,
                                "help", "--help", "--version"]))
    equal(complete("st"), ["stat"])
    equal(complete("help", "de"), ["decode"])


def test_options():
    for command in ("stat", "report", "list", "info", "decode", "doctor", "wave",
                    "annotate", "export", "diff", "gate", "record", "run", *LAB):
        equal(complete(command, "-"), option_words(command), command)
    equal(complete("stat", "--no"), ["--no-aggr", "--no-big-num", "--no-inherit",
                                       "--no-summary"])
    equal(complete("stat", "-e", "cycles", "--core"), ["--core"])


def test_cores_may_be_files(tmp_path):
    (tmp_path / "mine.ini").write_text("")
    for words in (["info"], ["stat", "--core"]):
        equal(complete(*words, "./mi", cwd=tmp_path), ["./mine.ini"])
    contains(complete("info", "arm117"), "arm1176")


def test_events():
    every = listed("events", "--pmu", "arm1176")
    assert len(every) > 20, every
    equal(complete("stat", "--pmu", "arm1176", "-e", ""), sorted(every + ["all"]))
    equal(complete("stat", "--core", "arm1156", "-e", "dcache_t"), ["dcache_tag_parity_error"])
    equal(complete("stat", "--pmu", "arm1176", "--event", "dcache_w"), ["dcache_wback"])
    equal(complete("stat", "--pmu", "arm1176", "-e", "icache_miss,dcache_w"),
          ["icache_miss,dcache_wback"])
    equal(complete("stat", "--pmu", "arm1176", "-e", "cycles,{icache_miss,dcache_w"),
          ["cycles,{icache_miss,dcache_wback"])


def test_events_of_cores_that_are_not_called_like_their_pmu():
    for core, pmu in (("arm926", "ahbmon"), ("microblaze-area", "microblaze"),
                      ("microblaze-freq", "microblaze")):
        for words in (["--core", core], ["--core", "=", core]):
            equal(complete("stat", *words, "-e", ""),
                  sorted(listed("events", "--pmu", pmu) + ["all"]), core)
            equal(complete("stat", *words, "-M", ""), listed("metrics", "--pmu", pmu), core)
    equal(complete("stat", "--core", "arm926", "--pmu", "l220", "-e", "w"), ["wa"])


def test_an_option_with_an_equals_sign():
    # bash splits "--core=arm11" into the three words --core = arm11.
    equal(complete("stat", "--core", "=", "arm117"), ["arm1176"])
    equal(complete("stat", "--core", "="), listed("cores"))
    equal(complete("stat", "--set", "dcache.size", "=", "32K", "--reg"), ["--region"])


def test_cores_pmus_metrics_targets():
    equal(complete("stat", "--core", ""), listed("cores"))
    equal(complete("stat", "--pmu", ""), listed("pmus"))
    equal(complete("list", "--pmu", "arm115"), ["arm1156"])
    equal(complete("stat", "-M", ""), listed("metrics"))
    equal(complete("stat", "-M", "cpi,ip"), ["cpi,ipc"])
    equal(complete("stat", "-T", ""), ["devmem", "emu", "gdb", "linux", "openocd", "wave", "xvc"])
    assert f"1,{os.getpid()}" in complete("stat", "-p", f"1,{os.getpid()}")
    equal(complete("stat", "--passes", ""), ["clone", "rerun"])
    equal(complete("report", "--sort", "f"), ["file", "function"])
    equal(complete("export", "--format", "p"), ["perf", "perfetto", "pprof"])


def test_core_parameters():
    keys = {row[0] for family in repo.core_families() for row in repo.core_keys(family)}
    equal(complete("stat", "--set", ""), sorted(k + "=" for k in keys))
    equal(complete("stat", "--set", "dcache.s"), ["dcache.size=", "dcache.store_miss_each=",
                                                     "dcache.store_miss_external="])


def test_operands():
    equal(complete("list", ""), sorted(["cores", "events", "metrics", "pmus", "targets", "all"]
                                       + listed("pmus")))
    equal(complete("list", "cores", "ev"), ["events"])
    equal(complete("info", "dcache_wb"), ["dcache_wback"])
    equal(complete("info", "cp"), ["cpi", "cpu_cycles"])
    equal(complete("decode", "arm117"), ["arm1176"])
    equal(complete("decode", "cortex-a5"), ["cortex-a53", "cortex-a55", "cortex-a57"])
    equal(complete("doctor", ""), ["ahbmon", "armv8", "environment"])
    equal(complete("doctor", "armv8", "e"), ["environment"])
    equal(complete("wave", "s"), ["signals"])
    equal(complete("decode", "arm1176", "PMN"), ["PMN0=", "PMN1=", "PMNC="])
    equal(complete("decode", "microblaze", ""),
          ["PCCMDR=", "PCCTRLR=", "PCDRR=", "PCDWR=", "PCSR="])
    equal(complete("info", "PCC"), ["PCCMDR", "PCCTRLR"])
    equal(complete("info", "debug.c"), ["debug.counter_width"])
    equal(complete("info", "--pmu", "arm1176", "PMC"), [])


def test_files():
    folder = os.path.join(WORK, "completion")
    os.makedirs(os.path.join(folder, "libs"), exist_ok=True)
    for name in ("prog", "data file", "other"):
        open(os.path.join(folder, name), "w").close()
    equal(complete("stat", "./p", cwd=folder), ["./prog"])
    equal(complete("stat", "-e", "cycles", "--", "./pr", cwd=folder), ["./prog"])
    equal(complete("stat", "./prog", "da", cwd=folder), ["data file"])
    equal(complete("stat", "./prog", "-", cwd=folder), [], "options behind the program are its own")
    equal(complete("stat", "--sysroot", "l", cwd=folder), ["libs"])
    equal(complete("stat", "-o", "o", cwd=folder), ["other"])
    equal(complete("report", "-j", "o", cwd=folder), ["other"])
    equal(complete("report", "--elf", "./p", cwd=folder), ["./prog"])


# ---- zsh and fish, which run the completion of bash ------------------------------------------

LINES = [[""], ["st"], ["stat", "--no"], ["stat", "--pmu", "arm1176", "-e", "icache_miss,dcache_w"],
         ["stat", "--pmu=arm1176", "-e", "dcache_w"], ["stat", "--core=arm117"],
         ["stat", "--set", "icache.s"], ["decode", "arm1176", "PMN"], ["list", "m"],
         ["stat", "-T", "op"], ["info", "--nothing-like-it"]]


def env():
    return dict(os.environ, PATH=BUILD + ":" + os.environ["PATH"])


def bash_asked(words):
    """Returns the completions that the script for bash offers for the last of `words`, as complete
    words."""
    have("bash")
    out = run("bash", "--norc", "-c", f"source {shlex.quote(SCRIPT)}; _pmk_ask \"$@\"", "bash",
              "pmk", *words, env=env())
    equal((out.code, out.err), (0, ""), words)
    return sorted(set(out.out.split()))


def test_whole_words():
    equal(bash_asked(["stat", "--core=arm117"]), ["--core=arm1176"])
    equal(bash_asked(["stat", "--pmu=arm1176", "-e", "icache_miss,dcache_w"]),
          ["icache_miss,dcache_wback"])
    equal(bash_asked(["stat", "--set", "icache.en"]), ["icache.enable="])
    equal(bash_asked(["stat", "--set=icache.en"]), ["--set=icache.enable="])
    for words in LINES:
        if "=" not in "".join(words):
            equal(bash_asked(words), complete(*words), words)


def test_zsh():
    have("zsh")
    for words in LINES:
        out = run("zsh", "-f", "-c",
                  "compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- $@ }; "
                  "_files() { }; words=(pmk \"${@[2,-1]}\"); CURRENT=$#words; source $1", "zsh",
                  os.path.join(SOURCE, "completions", "pmk.zsh"), *words, env=env())
        equal((out.code, out.err), (0, ""), words)
        equal(sorted(set(out.out.split())), bash_asked(words), words)


def test_fish(tmp_path):
    have("fish")
    for words in LINES:
        line = " ".join(["pmk", *words])
        out = run("fish", "--no-config", "-c",
                  f"source {os.path.join(SOURCE, 'completions', 'pmk.fish')}; "
                  f"complete -C {shlex.quote(line)}",
                  env={**env(), "HOME": str(tmp_path)})
        equal((out.code, out.err), (0, ""), words)
        # fish omits the part before `=`, and the part that looks like a description.
        got = {w.rsplit("=", 1)[-1] if w[:2] == "--" else w for w in out.out.split()}
        want = {w.rsplit("=", 1)[-1] if w[:2] == "--" else w for w in bash_asked(words)}
        equal(got, want, words)
