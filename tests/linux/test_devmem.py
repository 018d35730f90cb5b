# SPDX-License-Identifier: MIT
"""pmk stat -T devmem in a Linux guest. The guest's PCI bus has memory that it shares with the host
(ivshmem), in which a program of the host behaves as an AHB Monitor. pmk reaches it through the
guest's /dev/mem at an address above 4 GB, through the file of the device's resource, and through
UIO."""
import contextlib

from harness import *
from boards import shared_monitor
from guest import Guest, documents
import packages

FIND = """for dev in /sys/bus/pci/devices/*; do
	grep -q 0x1110 $dev/device && break
done
set -- $(sed -n 3p $dev/resource)
"""
STAT = "pmk stat --json-document --pmu ahbmon -e ct_armi_rd,ct_gxi_rd --timeout 300"
SCRIPTS = {
    # Until the device is enabled, its memory reads as ones.
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
        # The guest is booted once, and the host's program runs only during that.
        file = "unused" if "devmem" in guest._said else stack.enter_context(shared_monitor())
        return guest.boot("devmem", dict, SCRIPTS, "qemu-system-aarch64", "-M", "virt", "-cpu",
                          "cortex-a53", "-m", "512", "-nographic", "-nic", "none", "-no-reboot",
                          "-object", f"memory-backend-file,id=monitor,share=on,mem-path={file},"
                          "size=1M", "-device", "ivshmem-plain,memdev=monitor", "-kernel",
                          "@kernel@", "-initrd", "@initrd@", "-append",
                          "console=ttyAMA0 quiet panic=1 rdinit=/init")[name]


def rounds(doc):
    """Returns how many rounds of the monitor each counter has seen. The monitor runs while its
    counters are read."""
    armi, gxi = (row["counter-value"] for row in doc["counters"])
    equal({row["trust"] for row in doc["counters"]}, {"measured"})
    equal(gxi % 81, 0)
    return armi, gxi // 81


def test_a_device_that_is_off():
    if int(re.search(r"version (\d+)", run("qemu-system-aarch64", "--version").out)[1]) > 8:
        skip("this emulator leaves the memory of a device where it was when it is switched off")
    code, text = said("disabled")
    equal((code, text), (125, "pmk: ahbmon: every counter reads as ones: no device responds; pmk "
                              "doctor -T checks each step\n"))


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
    equal((code, text), (125, "pmk: devmem:/dev/mem: cannot map 0x48000200: the kernel does not "
                              "permit access to this address (CONFIG_STRICT_DEVMEM, or a driver "
                              "uses it): use iomem=relaxed on its command line, or a UIO device\n"))


def test_a_bus_error():
    code, text = said("nobody")
    equal((code, text), (125, "pmk: devmem:/dev/mem: the access to 0xf000200 ended with a bus "
                              "error: no device answers at this address, or it has no power "
                              "or clock\n"))


def test_the_boards_own_device_tree():
    """pmk reads the board's clock from the node of its driver in the board's own device tree."""
    code, text = said("node")
    contains(text, "0x9010")


def test_an_ordinary_user():
    code, text = said("user")
    equal((code, text), (125, "pmk: devmem:/dev/mem: cannot open it: Permission denied; it needs "
                              "root, or a UIO device that you may write to\n"))


# ---- UIO, and a node of the device tree ----------------------------------------------------------

# Debian's kernel has no uio_pdrv_genirq, so uio_netx is used, a driver for boards on PCI. If
# uio_netx does not know the board, it maps BAR 2, which is the memory of our device. It also writes
# one word, which is after the monitor's registers.
AT = 0x8000000000  # the kernel uses the first address of the board for such memory
NODE = f"""
/ {{
	monitor@{AT:x} {{
		compatible = "pmukit,monitor";
		reg = <{AT >> 32:#x} {AT & 0xffffffff:#x} 0x0 0x1000>;
	}};
}};
"""
UIO = {
    "1-path": FIND + f"echo 1 > $dev/enable; {STAT} -T devmem --set node=/monitor@{AT:x}",
    "2-bind": FIND + "echo 0 > $dev/enable\ninsmod /bin/uio.ko\ninsmod /bin/uio_netx.ko\n"
              "echo 1af4 1110 > /sys/bus/pci/drivers/netx/new_id\n"
              "echo $1; cat /sys/class/uio/uio0/name /sys/class/uio/uio0/maps/map0/addr "
              "/sys/class/uio/uio0/maps/map0/size",
    "3-root": f"{STAT} -T devmem:/dev/uio0",
    "4-user": "echo 'user:x:1000:1000::/:/bin/sh' >> /etc/passwd\nchmod 666 /dev/uio0\n"
              f"su user -c '{STAT} -T devmem:/dev/uio0'",
    "5-node": f"{STAT} -T devmem:/dev/uio0 --set node=pmukit,monitor",
    "6-base": f"{STAT} -T devmem:/dev/uio0 --set base={AT:#x}",
    "7-else": "pmk stat -T devmem:/dev/uio0 --pmu ahbmon --set base=0x1000 --timeout 100",
}


def board_with_the_node():
    """Returns the file of the board's device tree with the node."""
    have("dtc", "qemu-system-aarch64")
    path = os.path.join(WORK, "virt-uio")
    out = run("qemu-system-aarch64", "-M", f"virt,dumpdtb={path}.dtb", "-cpu", "cortex-a53", "-m",
              "512", "-nographic", "-nic", "none")
    equal(out.code, 0, out)
    source = run("dtc", "-q", "-I", "dtb", "-O", "dts", path + ".dtb")
    with open(path + ".dts", "w") as f:
        f.write(source.out + NODE)
    out = run("dtc", "-q", "-I", "dts", "-O", "dtb", "-o", path + ".dtb", path + ".dts")
    equal(out.code, 0, out)
    return path + ".dtb"


def uio(name):
    def modules():
        return {n: packages.module("arm64", n) for n in ("uio.ko", "uio_netx.ko")}

    with contextlib.ExitStack() as stack:
        file = "unused" if "uio" in guest._said else stack.enter_context(shared_monitor())
        said = guest.boot("uio", modules, UIO, "qemu-system-aarch64", "-M", "virt", "-cpu",
                          "cortex-a53", "-m", "512", "-nographic", "-nic", "none", "-no-reboot",
                          "-dtb", board_with_the_node(), "-object",
                          f"memory-backend-file,id=monitor,share=on,mem-path={file},size=1M",
                          "-device", "ivshmem-plain,memdev=monitor", "-kernel", "@kernel@",
                          "-initrd", "@initrd@", "-append",
                          "console=ttyAMA0 quiet panic=1 rdinit=/init")
    if "nvalid module format" in said["2-bind"][1]:
        skip("the kernel that is kept is another one than its modules are for")
    return said[name]


def test_uio_is_bound():
    equal(uio("2-bind"), (0, f"{AT:#018x}\nnetx_plx\n{AT:#018x}\n{1 << 20:#018x}\n"))


@pytest.mark.parametrize("name", ["1-path", "3-root", "4-user", "5-node", "6-base"])
def test_through_uio_and_the_device_tree(name):
    """pmk takes the address of the registers from UIO itself, from the device tree, or from the
    user."""
    code, text = uio(name)
    equal(code, 0, text)
    (doc,), _ = documents(text)
    armi, gxi = rounds(doc)
    assert gxi > 0 and abs(armi - gxi) <= 1, text


def test_uio_has_no_other_memory():
    equal(uio("7-else"), (125, "pmk: devmem:/dev/uio0: 0x1000 is in none of its maps; the first "
                               f"has 0x100000 bytes at {AT:#x}\n"))
