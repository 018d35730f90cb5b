# SPDX-License-Identifier: MIT
"""A boot of Debian's arm64 kernel on QEMU's board "virt", with programs that fork, wait and are
killed. The counts equal a count of each instruction and QEMU's log of exceptions in the same
run."""
import functools

from harness import *
import guest
from insns import SecondCount
import packages

UP = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
i=0
while [ $i -lt 300 ]; do i=$((i + 1)); done
for n in 1 2 3; do
	/bin/busybox cat /proc/cpuinfo | /bin/busybox md5sum
done
/bin/busybox sleep 10 &
/bin/busybox kill -SEGV $!
wait $!
echo up
/bin/busybox poweroff -f
"""

# QEMU's names for the causes of exceptions, and the events that count them. IRQs may come at any
# time.
EVENTS = {"SVC": "exc_svc", "Data Abort": "exc_dabort", "Prefetch Abort": "exc_pabort",
          "Undefined Instruction": "exc_undef", "IRQ": "exc_irq", "FIQ": "exc_fiq"}


def boot(second, *argv, more=""):
    have("qemu-system-aarch64")
    try:
        kernel, busybox = packages.kernel("arm64"), packages.busybox("arm64")
    except packages.Unavailable as why:
        skip(str(why))
    initrd = os.path.join(WORK, f"a64-linux-{os.getpid()}.cpio")
    with open(initrd, "wb") as f:
        f.write(guest.archive({"init": UP.encode(), "bin/busybox": guest.read(busybox)}))
    serial = initrd + ".out"
    doc = stat("--qemu", f"qemu-system-aarch64 -M virt -cpu cortex-a53 -m 512 -display none "
               f"-nic none -monitor none -serial 'file:{serial}' -kernel '{kernel}' "
               f"-initrd '{initrd}' -append 'console=ttyAMA0 quiet panic=1 rdinit=/init' "
               f"-no-reboot {more} {second.options}", *argv)
    contains(guest.read(serial).decode(errors="replace"), "up")
    os.unlink(initrd)
    os.unlink(serial)
    return doc


# Small runs boot once. Large runs also boot with the host's time.
ICOUNT = "-icount shift=0,sleep=off"
boots = pytest.mark.parametrize("more", size((ICOUNT,), (ICOUNT, "")))


@functools.cache
def booted(more):
    """Returns pmk's counts, those of the second plugin, and those of the log. SecondCount tells the
    kernel and programs apart by address. Programs are linked below 1 GB. A kernel that runs in the
    lower half of the addresses is in RAM, from 1 GB on."""
    second = SecondCount(half=1 << 63, other=(0x40000000, 0x60000000))
    events = ["inst_retired", "inst_retired:u", "inst_retired:k", "exc_taken", "exc_taken:u",
              "exc_return", *EVENTS.values()]
    c = counts(boot(second, "--core", "cortex-a72", "-e", ",".join(events), more=more))
    return c, second.read()


@boots
def test_instructions_and_exceptions(more):
    c, (ran, taken, returns) = booted(more)
    equal(c["inst_retired"], sum(ran))
    equal({e: c[e] for e in EVENTS.values()}, {e: taken.get(n, 0) for n, e in EVENTS.items()})
    equal((c["exc_taken"], c["exc_return"]), (sum(taken.values()), returns))
    assert c["exc_svc"] > 300 and c["exc_pabort"] > 50 and c["exc_irq"] > 50, c


@boots
def test_levels(more):
    c, ((user, kernel), _, _) = booted(more)
    equal((c["inst_retired:u"], c["inst_retired:k"]), (user, kernel))
    equal((c["inst_retired"], c["exc_taken:u"]), (user + kernel, 0))
    assert user > 1000000, user
