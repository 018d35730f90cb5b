# SPDX-License-Identifier: MIT
"""pmk stat -T linux with the kernel's driver for the ARM1176, on an emulated Raspberry Pi Zero.
QEMU's ARM1176 has registers but no counters, so the numbers mean nothing. But the real driver
offers, accepts and refuses the events."""
from harness import *
import packages
from guest import Guest, documents, rows

pytestmark = pytest.mark.ci

SCRIPTS = {
    "names": "pmk stat --json-document "
             "-e dcache_miss,r0b,armv6_1176/event=0x07/,arm1176/ibuf_stall/,cycles,cs "
             "true",
    "modes": "pmk stat --json-document -e cycles:u,instructions:k true",
    "groups": "pmk stat --json-document "
              "-e '{r01,r02,cycles}' true\n"
              "pmk stat --json-document -e '{r01,r02,r03}' true",
    "user": "echo 'user:x:1000:1000::/:/bin/sh' >> /etc/passwd\n"
            "echo 2 > /proc/sys/kernel/perf_event_paranoid\n"
            "su user -c 'pmk stat --json-document -e cycles,page-faults true'",
}

guest = Guest("armel", "arm-linux-gnueabi", "arm", "-march=armv6k", "-marm", memory=0)


def said(name):
    try:
        tree = packages.device_tree()
    except packages.Unavailable as why:
        skip(str(why))
    # The driver of the board's power manager fails on QEMU's device.
    return guest.boot("pi", dict, SCRIPTS, "qemu-system-arm", "-M", "raspi0", "-nographic", "-nic",
                      "none", "-no-reboot", "-kernel", "@kernel@", "-dtb", tree, "-initrd",
                      "@initrd@", "-append",
                      "console=ttyAMA0,115200 quiet panic=1 rdinit=/init "
                      "initcall_blacklist=bcm2835_power_driver_init")[name]


def test_names_are_those_of_our_catalogue():
    (doc,), _ = documents(said("names")[1])
    equal(doc["pmu"], "arm1176")
    row = rows(doc)
    for name, code in (("dcache_miss", "0x0b"), ("r0b", "0x0b"), ("armv6_1176/event=0x07/", "0x07"),
                       ("arm1176/ibuf_stall/", "0x01"), ("cycles", "0xff")):
        equal((row[name]["pmu"], row[name]["code"]), ("arm1176", code), name)
        assert row[name]["trust"] in ("measured", "scaled", "not counted"), row[name]
    equal(row["cs"]["pmu"], "software")


def test_modes_cannot_be_told_apart():
    (doc,), _ = documents(said("modes")[1])
    for c in doc["counters"]:
        equal((c["trust"], c["counter-value"]), ("not supported", None))
        contains(c["reason"], "armv6_1176 cannot distinguish user mode from kernel mode")


def test_two_event_counters_and_one_for_cycles():
    (fits, large), _ = documents(said("groups")[1])
    equal({c["trust"] for c in fits["counters"]}, {"measured"})
    equal({c["trust"] for c in large["counters"]}, {"not supported"})
    contains(large["counters"][2]["reason"], "more counters than armv6_1176 has")


def test_ordinary_users_get_neither_mode():
    """An ordinary user can count neither mode, because kernel mode is forbidden and the PMU cannot
    exclude it."""
    (doc,), _ = documents(said("user")[1])
    row = rows(doc)
    equal(row["cycles"]["trust"], "not supported")
    contains(row["cycles"]["reason"],
             "perf_event_paranoid is 2, and counting kernel mode needs 1 or less")
    equal(row["page-faults:u"]["trust"], "measured")
