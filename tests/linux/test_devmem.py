# SPDX-License-Identifier: MIT
"""pmk stat -T devmem on Linux: a guest whose PCI bus has a piece of the host's memory (ivshmem), in
which a program of the host behaves as an AHB Monitor. pmk reaches it through the guest's /dev/mem,
at an address above 4 GB, and through the file of the device's resource."""
import contextlib

from harness import *
from boards import shared_monitor
from guest import Guest, documents

FIND = """for dev in /sys/bus/pci/devices/*; do
	grep -q 0x1110 $dev/device && break
done
set -- $(sed -n 3p $dev/resource)
"""
STAT = "pmk stat --json-document --pmu ahbmon -e ct_armi_rd,ct_gxi_rd --timeout 300"
SCRIPTS = {
    # Before the device is enabled, its bus reads as ones.
    "disabled": FIND + f"{STAT} -T devmem --set base=$1",
    "mem": FIND + f"echo 1 > $dev/enable\necho $1\n{STAT} -T devmem --set base=$1",
    "resource": FIND + f"echo 1 > $dev/enable\n{STAT} -T devmem:$dev/resource2 --set base=0",
    "ram": "pmk stat -T devmem --pmu l220 --set base=0x48000000 --timeout 100",
    "nobody": "pmk stat -T devmem --pmu l220 --set base=0x0f000000 --timeout 100",
    "node": "pmk doctor -T devmem --pmu l220 --set node=arm,pl031",
    "user": "echo 'user:x:1000:1000::/:/bin/sh' >> /etc/passwd\n"
            "su user -c 'pmk stat -T devmem --pmu l220 --set base=0x0f000000 --timeout 100'",
}
guest = Guest("arm64", "aarch64-linux-gnu", "aarch64")


def said(name):
    with contextlib.ExitStack() as stack:
        # The guest is booted once, and only then somebody has to be there.
        file = "unused" if "devmem" in guest._said else stack.enter_context(shared_monitor())
        return guest.boot("devmem", dict, SCRIPTS, "qemu-system-aarch64", "-M", "virt", "-cpu",
                          "cortex-a53", "-m", "512", "-nographic", "-nic", "none", "-no-reboot",
                          "-object", f"memory-backend-file,id=monitor,share=on,mem-path={file},"
                          "size=1M", "-device", "ivshmem-plain,memdev=monitor", "-kernel",
                          "@kernel@", "-initrd", "@initrd@", "-append",
                          "console=ttyAMA0 quiet panic=1 rdinit=/init")[name]


def rounds(doc):
    """How many rounds of the monitor each counter has seen; it runs while it is read."""
    armi, gxi = (row["counter-value"] for row in doc["counters"])
    equal({row["trust"] for row in doc["counters"]}, {"measured"})
    equal(gxi % 81, 0)
    return armi, gxi // 81


def test_a_device_that_is_off():
    if int(re.search(r"version (\d+)", run("qemu-system-aarch64", "--version").out)[1]) > 8:
        skip("this emulator leaves the memory of a device where it was when it is switched off")
    code, text = said("disabled")
    equal((code, text), (125, "pmk: ahbmon: every counter reads as ones: nobody answers there; pmk "
                              "doctor -T says more\n"))


def test_dev_mem():
    code, text = said("mem")
    (doc,), rest = documents(text)
    equal(code, 0, text)
    assert int(rest.split()[0], 16) > 1 << 32, "it is meant to be beyond 32 bits: " + rest
    armi, gxi = rounds(doc)
    assert gxi > 0 and abs(armi - gxi) <= 1, text


def test_a_resource_of_a_pci_device():
    code, text = said("resource")
    (doc,), _ = documents(text)
    equal(code, 0, text)
    armi, gxi = rounds(doc)
    assert gxi > 0 and abs(armi - gxi) <= 1, text


def test_memory_that_the_kernel_keeps():
    code, text = said("ram")
    equal((code, text), (125, "pmk: devmem:/dev/mem: cannot map 0x48000200: the kernel keeps that "
                              "address to itself (CONFIG_STRICT_DEVMEM, or a driver has it): "
                              "iomem=relaxed on its command line, or a UIO device\n"))


def test_a_bus_error():
    code, text = said("nobody")
    equal((code, text), (125, "pmk: devmem:/dev/mem: the access to 0xf000200 ended with a bus "
                              "error: nobody answers at this address, or it has no power or "
                              "clock\n"))


def test_the_boards_own_device_tree():
    """The clock of the board, whose driver has it."""
    code, text = said("node")
    contains(text, "0x9010")


def test_an_ordinary_user():
    code, text = said("user")
    equal((code, text), (125, "pmk: devmem:/dev/mem: cannot open it: Permission denied; that takes "
                              "root, or a UIO device that you may write to\n"))
