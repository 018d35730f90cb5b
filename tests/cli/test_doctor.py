# SPDX-License-Identifier: MIT
"""pmk doctor reports on a complete environment and on broken ones. Its checks on the models of PMUs
have exactly known output."""
import os

from harness import *

pytestmark = pytest.mark.quick

# ---- armv8: the numbers follow from the manual's rules and the check's inputs --------------------

TABLES = """\
PMUv3: the sequence of the Valtrix blog "Programming ARM v8 Performance Monitors"
(25 May 2016) and pmk's driver, on the model of a Cortex-A53

2004 instructions at EL1, start and stop at EL1; pmk counts at EL0 and EL1

  event              at EL0  at EL1   the blog     pmk   why the blog shows this
  cpu_cycles              0    2004          0    2004   PMCCFILTR = 0x80000000: EL1 is filtered, P differs from NSK
  sw_incr                 0       0          0       -   PMEVTYPER0 = 0x80000000: EL1 is filtered, P differs from NSK
  l1i_cache_refill        0       4          0       4   PMEVTYPER1 = 0x80000001: EL1 is filtered, P differs from NSK
  l1i_tlb_refill          0       2          0       2   PMEVTYPER2 = 0x80000002: EL1 is filtered, P differs from NSK
  l1d_cache_refill        0      20          0      20   PMEVTYPER3 = 0x80000003: EL1 is filtered, P differs from NSK
  l1d_cache               0     200          0     200   PMEVTYPER4 = 0x80000004: EL1 is filtered, P differs from NSK
  l1d_tlb_refill          0       5          0       5   PMEVTYPER5 = 0x80000005: EL1 is filtered, P differs from NSK
  inst_retired            0    2004          -    2004   not counted: none of the first 6 events of PMCEID

2002 instructions at EL0, 20 at EL1 before and 18 after; pmk counts at EL0

  event              at EL0  at EL1   the blog     pmk   why the blog shows this
  cpu_cycles           2002      38       2002    2002   PMCCFILTR = 0x80000000: EL1 is filtered, P differs from NSK
  sw_incr                 0       0          0       -   PMEVTYPER0 = 0x80000000: EL1 is filtered, P differs from NSK
  l1i_cache_refill        4       0          4       4   PMEVTYPER1 = 0x80000001: EL1 is filtered, P differs from NSK
  l1i_tlb_refill          2       0          2       2   PMEVTYPER2 = 0x80000002: EL1 is filtered, P differs from NSK
  l1d_cache_refill       20       0         20      20   PMEVTYPER3 = 0x80000003: EL1 is filtered, P differs from NSK
  l1d_cache             200       3        200     200   PMEVTYPER4 = 0x80000004: EL1 is filtered, P differs from NSK
  l1d_tlb_refill          5       0          5       5   PMEVTYPER5 = 0x80000005: EL1 is filtered, P differs from NSK
  inst_retired         2002      38          -    2002   not counted: none of the first 6 events of PMCEID

Findings

  1. bit 31 of the type registers is P: it leaves out EL1, and enables nothing
     here     2004 cycles at EL1 read as 0, 2002 at EL0 as 2002
     instead  filter 0 counts at EL0 and EL1, 0x40000000 only at EL1, 0x08000000 also
              at EL2

"""

# The title of each finding, and what the check measured for it.
FINDINGS = [
    ("bit 31 of the type registers is P: it leaves out EL1, and enables nothing",
     "2004 cycles at EL1 read as 0, 2002 at EL0 as 2002"),
    ("there are not 32 event counters: at most 31, and the cycle counter",
     "with N = 31 the mask is 0xffffffff, and bit 31 of it is the cycle counter; PMSELR = 31 "
     "selects PMCCFILTR, 0x80000000"),
    ("write_register(pmcr_val | 0x7) names no register",
     "if PMCR is meant, it then reads 0x41033001"),
    ("nothing is stopped or cleared first; P and C leave flags and enables as they are",
     "after a reset that leaves ones, the interrupt is asserted as soon as E is set; at the end "
     "the flags are 0x8000003f"),
    ("PMSELR, then PMXEVTYPER or PMXEVCNTR: no ISB, and an interrupt can come between them",
     "when a handler selects counter 3 in between, PMEVTYPER0 is 0x00000000 and PMEVTYPER3 "
     "0x80000008"),
    ("all N counters are enabled, also those without an event",
     "on a core with 3 events and 6 counters PMEVCNTR3 counts 2002 of an event left over in its "
     "type"),
    ("the first N events of PMCEID are counted, not those of interest",
     "on a Cortex-A53: sw_incr l1i_cache_refill l1i_tlb_refill l1d_cache_refill l1d_cache "
     "l1d_tlb_refill"),
    ("CHAIN (0x1E) can be one of the counted events",
     "of 31 counters, number 29 counts it: overflows of number 28, which counts bus_cycles"),
    ("stopping begins with PMCNTENCLR",
     "after it 0 of 2002 cycles count, while E is still 1: the counters stop, but a second "
     "write is needed to clear E"),
    ("only events 0 to 63 are tried",
     "a PMUv3p1 has more events from 0x4000 on; this PMU has 2 of them, and the sequence never "
     "tries them"),
    ("the overflow flags are never read",
     "4294967303 data accesses read as 7, with the flags at 0x00000010"),
    ("PMUSERENR | 0xD gives EL0 the whole PMU: EN makes the other bits pointless",
     "with 0xD EL0 may stop all counters; with 0xC it may not stop them, and may read them"),
    ("restrictions by EL2 and EL3 are not considered",
     "a hypervisor that keeps two of six counters leaves N = 4; with MDCR_EL2.TPM the first "
     "access traps to EL2, class 0x18"),
    ("%x prints 32 of the cycle counter's 64 bits", "0x1000007d2 cycles are printed as 7d2"),
    ("old values of PMCR.D and LC decide whether every cycle counts or every 64th",
     "if D was 1 before, 2002 cycles read as 31 with LC = 0 and 2002 with LC = 1"),
]


def test_armv8_says_it_to_the_letter():
    out = pmk("doctor", "armv8")
    equal((out.code, out.err), (0, ""))
    equal(out.out[:len(TABLES)], TABLES)


def test_armv8_has_its_findings():
    out = pmk("doctor", "armv8", "-j")
    equal(out.code, 0)
    doc = json.loads(out.out)
    equal((doc["format"], doc["version"], sorted(doc)),
          ("pmk-doctor", 1, ["armv8", "format", "version"]))
    found = doc["armv8"]["findings"]
    equal([f["number"] for f in found], list(range(1, 16)))
    equal([(f["title"], f["here"]) for f in found], FINDINGS)
    assert all(f["instead"] for f in found)
    text = " ".join(pmk("doctor", "armv8").out.split())
    for f in found:
        for part in (f"{f['number']}. {f['title']}", f"here {f['here']}",
                     f"instead {f['instead']}"):
            contains(text, part)


def test_armv8_json_has_the_tables():
    runs = json.loads(pmk("doctor", "armv8", "-j").out)["armv8"]["runs"]
    equal([r["filter"] for r in runs], ["0x00000000", "0x80000000"])
    el1, el0 = ({row["event"]: row for row in r["rows"]} for r in runs)
    equal(list(el1), ["cpu_cycles", "sw_incr", "l1i_cache_refill", "l1i_tlb_refill",
                      "l1d_cache_refill", "l1d_cache", "l1d_tlb_refill", "inst_retired"])
    equal([row["code"] for row in el1.values()],
          ["0x11", "0x00", "0x01", "0x02", "0x03", "0x04", "0x05", "0x08"])
    equal({(row["blog"] or 0) for row in el1.values()}, {0})
    equal({k: el1["cpu_cycles"][k] for k in ("el0", "el1", "blog", "pmk")},
          {"el0": 0, "el1": 2004, "blog": 0, "pmk": 2004})
    equal({k: el0["inst_retired"][k] for k in ("el0", "el1", "blog", "pmk")},
          {"el0": 2002, "el1": 38, "blog": None, "pmk": 2002})
    equal(el0["sw_incr"]["pmk"], None)
    # pmk's count is the sum over the exception levels that the PMU was set to count in.
    for rows, levels in ((el1, ("el0", "el1")), (el0, ("el0",))):
        for row in rows.values():
            if row["pmk"] is not None:
                equal(row["pmk"], sum(row[l] for l in levels), row["event"])


# ---- ahbmon --------------------------------------------------------------------------------------

AHBMON = """\
AHB Monitor: each counter holds its own address after a preset (DDI 0287B §4.3.28)

  layout sp816, made up by the project, base 0x101d0000: valid (words, aligned, inside 64 KB, all different)

  the model, with this layout                          90 of 90 agree: the layout fits
  the model, counters from ARM-D on at other offsets   61 of 90 agree: the layout is wrong in places
  nothing there: reads are 0                            0 of 90 agree: no such block, or another layout

"""


def test_ahbmon_says_it_to_the_letter():
    out = pmk("doctor", "ahbmon")
    equal((out.code, out.err), (0, ""))
    equal(out.out[:len(AHBMON)], AHBMON)
    contains(" ".join(out.out.split()),
             "These offsets and control bits are the project's, because Arm's are not public")


def test_ahbmon_json():
    doc = json.loads(pmk("doctor", "ahbmon", "-j").out)["ahbmon"]
    equal((doc["layout"], doc["provenance"], doc["sound"]), ("sp816", "project", True))
    equal([(t["agree"], t["of"]) for t in doc["trials"]], [(90, 90), (61, 90), (0, 90)])
    equal([t["verdict"] for t in doc["trials"]],
          ["the layout fits", "the layout is wrong in places", "no such block, or another layout"])


# ---- the command ---------------------------------------------------------------------------------

def test_checks_are_chosen_by_name():
    for argv in (("ahbmon", "armv8"), ("armv8", "ahbmon"), ("armv8", "ahbmon", "armv8")):
        doc = json.loads(pmk("doctor", *argv, "-j").out)
        equal(list(doc), ["format", "version", "armv8", "ahbmon"], str(argv))
    text = pmk("doctor", "ahbmon", "armv8").out
    equal((text.count("Findings"), text.count("AHB Monitor:")), (1, 1))


def test_wrong_usage():
    out = pmk("doctor", "arm8")
    equal((out.code, out.out), (129, ""))
    contains(out.err, "did you mean armv8?")
    out = pmk("doctor", "xyzzy")
    equal(out.code, 129)
    contains(out.err, "'pmk doctor' lists them")
    equal(pmk("doctor", "--nosuch").code, 129)
    equal(pmk("doctor", "armv8", "nosuch").out, "", "nothing runs when a name is wrong")


# ---- environment ---------------------------------------------------------------------------------

FOLDER = os.path.join(WORK, "doctor")


def commands(name, **scripts):
    """Returns a folder with these commands and no others, for PATH."""
    folder = os.path.join(FOLDER, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for command, body in scripts.items():
        path = os.path.join(folder, command.replace("_", "-"))
        with open(path, "w") as f:
            f.write(f"#!/bin/sh\n{body}\n")
        os.chmod(path, 0o755)
    return folder


def environment(code, path=None, **env):
    """Returns [(name, status, text, advice)] in the order of the JSON document. Checks that the
    text report agrees."""
    env = dict(os.environ, **env)
    if path:
        env.update(PATH=path, **NO_EMULATORS)
    out = pmk("doctor", "-j", env=env)
    equal(out.code, code, out)
    doc = json.loads(out.out)
    equal([c["name"] for c in doc["checks"]], ["armv8", "ahbmon"])
    equal(doc["environment"]["counts"], code == 0)
    items = [(i["name"], i["status"], i["text"], i["advice"]) for i in doc["environment"]["items"]]
    text = pmk("doctor", "environment", env=env)
    equal(text.code, code)
    for name, status, what, advice in items:
        assert status in ("ok", "missing", "broken"), status
        equal(advice is None, status == "ok", name)
        contains(text.out, f"  {status:<8} {name:<24} {what}\n")
        if advice:
            contains(text.out, f"\n{'':36}{advice}\n")
    contains(text.out, "pmk can count in emulation." if code == 0
             else "pmk cannot count in emulation")
    return items


# Commands and the Debian packages that they are in.
EMULATORS = {
    "qemu-arm": "qemu-user", "qemu-aarch64": "qemu-user", "qemu-microblazeel": "qemu-user",
    "qemu-microblaze": "qemu-user", "qemu-system-arm": "qemu-system-arm",
             "qemu-system-aarch64": "qemu-system-arm",
    "qemu-system-microblazeel": "qemu-system-misc", "qemu-system-microblaze": "qemu-system-misc",
}


def item(items, name, n=0):
    return [i for i in items if i[0] == name][n]


def test_a_whole_environment(tmp_path):
    have("qemu-arm")
    items = environment(0, TMPDIR=str(tmp_path))
    names = [i[0] for i in items]
    equal(names[:3], ["data files", "plugin", "qemu-arm"])
    for name in (*EMULATORS, "ARM sysroot", "AArch64 sysroot", "host counters"):
        contains(names, name)
    assert re.search(r": \d+ cores, \d+ metrics$", item(items, "data files")[2]), items
    equal(item(items, "plugin")[1], "ok")
    version = re.search(r"version (\S+)", run("qemu-arm", "--version").out).group(1).rstrip(",")
    equal(item(items, "qemu-arm")[1:3], ("ok", f"version {version}, runs programs for ARM"))
    equal(item(items, "qemu-arm", 1)[1:3], ("ok", "counts: 3 of 3 instructions of a small program"))
    for name in ("qemu-aarch64", "qemu-microblazeel", "qemu-microblaze"):
        if shutil.which(name):
            equal(item(items, name, 1)[1:3],
                  ("ok", "counts: 3 of 3 instructions of a small program"), name)
    for name in EMULATORS:
        equal(item(items, name)[1], "ok" if shutil.which(name) else "missing", name)
    equal(os.listdir(tmp_path), [], "files left behind")


def test_without_a_name_it_lists_the_others():
    out = pmk("doctor").out
    equal(re.findall(r"^  (armv8|ahbmon) +\S", out.split("More checks: pmk doctor NAME")[1], re.M),
          ["armv8", "ahbmon"])
    assert "More checks" not in pmk("doctor", "environment").out


def test_no_emulator():
    items = environment(125, commands("none"))
    for name, package in EMULATORS.items():
        equal(item(items, name)[1], "missing")
        equal(item(items, name)[3], remedy(package))
    equal(len([i for i in items if i[0] == "qemu-arm"]), 1, "nothing is run without an emulator")
    equal(item(items, "data files")[1], "ok")


def test_an_emulator_that_is_too_old():
    items = environment(125, commands("old",
                                      qemu_arm="echo 'qemu-arm version 5.2.0 (Debian 1:5.2)'"))
    equal(item(items, "qemu-arm")[1:3],
          ("broken", "version 5.2.0, runs programs for ARM; too old: plugins need 6.0"))
    equal(len([i for i in items if i[0] == "qemu-arm"]), 1)


def test_emulators_that_do_not_work():
    path = commands("odd", qemu_arm="exit 3", qemu_aarch64="echo no idea",
                    qemu_system_arm="kill -9 $$")
    items = environment(125, path)
    equal(item(items, "qemu-arm")[1:3], ("broken", "does not print its version (exit code 3)"))
    equal(item(items, "qemu-aarch64")[1:3], ("broken", "does not print its version (exit code 0)"))
    equal(item(items, "qemu-system-arm")[1:3],
          ("broken", "does not print its version (exit code 137)"))


def test_an_emulator_that_counts_nothing():
    """pmk doctor reports an emulator that gives its version and then does not load the plugin."""
    says = ("case $1 in --version) echo qemu-arm version 7.2.22;; *) echo plugins are off >&2; "
            "exit 1;; esac")
    items = environment(125, commands("off", qemu_arm=says))
    equal(item(items, "qemu-arm")[1], "ok")
    name, status, text, advice = item(items, "qemu-arm", 1)
    equal(status, "broken")
    contains(text, "counting fails")
    contains(advice, "pmk stat")


def test_no_plugin():
    have("qemu-arm")
    items = environment(125, PMK_PLUGIN="/nonexistent/pmk-qemu.so")
    equal(item(items, "plugin")[1:3], ("missing", "/nonexistent/pmk-qemu.so"))
    contains(item(items, "plugin")[3], "PMK_PLUGIN")
    equal(item(items, "qemu-arm", 1)[1], "broken")
    items = environment(125, commands("none"), PMK_PLUGIN=FOLDER)
    equal(item(items, "plugin")[1:3], ("missing",
                                       f"PMK_PLUGIN is {FOLDER}, which has no pmk-qemu-api1.so"))


def test_a_plugin_that_is_none():
    have("qemu-arm")
    path = os.path.join(FOLDER, "no-plugin.so")
    os.makedirs(FOLDER, exist_ok=True)
    with open(path, "w") as f:
        f.write("not a shared object\n")
    items = environment(125, PMK_PLUGIN=path)
    equal(item(items, "plugin")[1], "ok")
    equal(item(items, "qemu-arm", 1)[1], "broken")


def test_data_files_missing_and_broken():
    items = environment(125, commands("none"), PMK_DATA="/nonexistent")
    equal(item(items, "data files")[1:3], ("missing", "/nonexistent"))
    contains(item(items, "data files")[3], "PMK_DATA")
    data = os.path.join(FOLDER, "data")
    shutil.rmtree(data, ignore_errors=True)
    shutil.copytree(os.path.join(SOURCE, "data"), data)
    with open(os.path.join(data, "cores", "zzz.ini"), "w") as f:
        f.write("[core]\nname = zzz\nnosuchkey = 1\n")
    items = environment(125, commands("none"), PMK_DATA=data)
    equal(item(items, "data files")[1], "broken")
    contains(item(items, "data files")[2], "zzz.ini:3: ")
    contains(item(items, "data files")[3], "install pmk again")


def own_files(tmp_path, closed=None, **files):
    """Writes files of a user's own cores and metrics, makes the folder `closed` unreadable, and
    runs pmk doctor without root's rights. Returns what it reports about these files, and checks
    that it reports no other problem."""
    have("qemu-arm", "arm-linux-gnueabi-gcc")
    for name, text in files.items():
        folder, suffix = ("cores", "ini") if name.startswith("core") else ("metrics", "metric")
        os.makedirs(tmp_path / "pmk" / folder, exist_ok=True)
        (tmp_path / "pmk" / folder / f"{name}.{suffix}").write_text(text)
    if closed is not None:
        os.makedirs(tmp_path / "pmk" / closed, exist_ok=True)
        os.chmod(tmp_path / "pmk" / closed, 0)
    out = run(*unprivileged(PMK, "doctor", "-j"),
              env=dict(os.environ, XDG_CONFIG_HOME=str(tmp_path)))
    equal((out.code, out.err), (0, ""))
    items = [(i["name"], i["status"], i["text"], i["advice"])
             for i in json.loads(out.out)["environment"]["items"]]
    equal(item(items, "data files")[1], "ok")
    equal(item(items, "qemu-arm", 1)[1:3], ("ok", "counts: 3 of 3 instructions of a small program"))
    return [i[1:] for i in items if i[0] == "own files"]


METRIC = "TITLE t\nEVENTS instr_exec\nFORMULA instr_exec{}\nTEXT\nx\n"


def test_own_files_that_are_well_are_not_told_of(tmp_path):
    equal(own_files(tmp_path), [])
    equal(own_files(tmp_path, metric=METRIC.format(" * 2")), [])


def test_a_closed_folder_of_ones_own_breaks_nothing(tmp_path):
    for n, closed in enumerate(("", "cores", "metrics")):
        (status, text, advice), = own_files(tmp_path / str(n), closed)
        equal((status, text),
              ("broken",
               f"{os.path.join(tmp_path, str(n), 'pmk', closed).rstrip('/')}: Permission denied"))
        contains(advice, "XDG_CONFIG_HOME")


def test_a_broken_file_of_ones_own_is_named_with_its_line(tmp_path):
    (status, text, advice), = own_files(tmp_path, core="[core]\nname = core\nnosuchkey = 1\n")
    equal((status, text.split(": ")[0]), ("broken", f"{tmp_path}/pmk/cores/core.ini:3"))
    equal(advice, "correct or remove the file; pmk counts without it")
    os.unlink(tmp_path / "pmk" / "cores" / "core.ini")
    (status, text, advice), = own_files(tmp_path, metric=METRIC.format(" +"))
    equal(text.split(": ")[0], f"{tmp_path}/pmk/metrics/metric.metric:3:21")
    equal(advice, "correct or remove the file; pmk counts without it")


def test_the_report_is_in_formats_md():
    """The JSON document has exactly the keys that docs/FORMATS.md lists."""
    with open(os.path.join(SOURCE, "docs/FORMATS.md")) as f:
        part = re.search(r"^## JSON: `pmk doctor -j`\n(.*?)(?=^## |\Z)", f.read(),
                         re.M | re.S).group(1)
    doc = json.loads(pmk("doctor", "environment", "armv8", "ahbmon", "-j").out)
    doc["checks"] = json.loads(pmk("doctor", "-j").out)["checks"]
    seen = {
        "environment": doc["environment"], "items": doc["environment"]["items"][0],
        "armv8": doc["armv8"], "runs": doc["armv8"]["runs"][0],
            "rows": doc["armv8"]["runs"][0]["rows"][0],
        "findings": doc["armv8"]["findings"][0], "ahbmon": doc["ahbmon"],
        "trials": doc["ahbmon"]["trials"][0], "checks": doc["checks"][0],
    }
    told = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|$", part, re.M))
    equal(set(told), set(seen))
    for name, keys in seen.items():
        equal(set(re.findall(r"`([\w-]+)`", told[name])), set(keys), name)
