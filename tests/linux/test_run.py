# SPDX-License-Identifier: MIT
"""pmk run with Debian's kernels. Linux's own drivers count with our models and take their
interrupts: for the ARM1176 on an emulated Raspberry Pi Zero, for PMUv3 on two processors of the
virt board, and for PMUv2 on a Cortex-A7 and on two Cortex-A15 of the virt board."""
import functools
import shutil

from harness import *
import packages
from guest import Guest, read

pytestmark = pytest.mark.ci

# Counts and samples a loop of two instructions.
SOURCE_C = r"""
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING (64 * 4096)

#ifdef __aarch64__
#define INSTRUCTIONS 0x08
#define LOOP "1: subs %w0, %w0, #1\n\tb.ne 1b"
#else
#define INSTRUCTIONS (__ARM_ARCH >= 7 ? 0x08 : 0x07)
#define LOOP "1: subs %0, %0, #1\n\tbne 1b"
#endif

static int open_event(unsigned period, int user, int kernel)
{
	struct perf_event_attr a = { .size = sizeof(a), .type = PERF_TYPE_RAW,
				     .config = INSTRUCTIONS, .disabled = 1,
				     .sample_period = period, .exclude_kernel = user,
				     .exclude_user = kernel,
				     .sample_type = period ? PERF_SAMPLE_IP : 0 };

	return (int)syscall(__NR_perf_event_open, &a, 0, -1, -1, 0);
}

static uint64_t count(int fd, unsigned turns)
{
	uint64_t value = 0;

	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	__asm__ volatile(LOOP : "+r"(turns) : : "cc");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	read(fd, &value, sizeof(value));
	return value;
}

static void counts(const char *name, int user, int kernel)
{
	static const unsigned turns[] = { 100, 1100, 10100 };
	int fd = open_event(0, user, kernel);

	for (unsigned i = 0; i < 3; i++) {
		uint64_t least = UINT64_MAX;

		for (unsigned k = 0; k < 100; k++) {
			uint64_t n = count(fd, turns[i]);

			least = n < least ? n : least;
		}
		printf("%s %u %llu\n", name, turns[i], (unsigned long long)least);
	}
	close(fd);
}

static void samples(unsigned period)
{
	int fd = open_event(period, 0, 0);
	struct perf_event_mmap_page *page =
		mmap(NULL, RING + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	unsigned n = 0, lost = 0, throttled = 0;
	uint64_t total;

	if (fd < 0 || page == MAP_FAILED) {
		printf("no samples\n");
		return;
	}
	total = count(fd, 2000000);
	for (uint64_t at = 0; at < page->data_head;) {
		const struct perf_event_header *h =
			(const void *)((const char *)page + 4096 + at % RING);

		n += h->type == PERF_RECORD_SAMPLE;
		lost += h->type == PERF_RECORD_LOST;
		throttled += h->type == PERF_RECORD_THROTTLE;
		at += h->size;
	}
	printf("samples %u period %u total %llu lost %u throttled %u\n", n, period,
	       (unsigned long long)total, lost, throttled);
}

int main(void)
{
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		char name[16];
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
		snprintf(name, sizeof(name), "count%d", cpu);
		counts(name, 0, 0);
#if __ARM_ARCH >= 7
		snprintf(name, sizeof(name), "user%d", cpu);
		counts(name, 1, 0);
		snprintf(name, sizeof(name), "kernel%d", cpu);
		counts(name, 0, 1);
#endif
	}
	samples(10007);
	samples(100003);
	samples(20011);
	samples(50021);
	return 0;
}
"""
# The guest's time follows its instructions, so it does not depend on the load of this machine.
TIME = ("-icount", "shift=1,sleep=off")
pi = Guest("armel", "arm-linux-gnueabi", "arm", "-march=armv6k", "-marm", without_pmk=True,
           memory=0)
virt = Guest("arm64", "aarch64-linux-gnu", "aarch64", without_pmk=True)
virt32 = Guest("armhf", "arm-linux-gnueabihf", "arm", without_pmk=True, memory=0x40000000)


@functools.cache
def pi_tree():
    """Returns the board's device tree with an interrupt for the PMU. It uses an input of the
    interrupt controller to which the chip connects nothing: 45, which is 13 of the second bank."""
    have("fdtput")
    path = os.path.join(WORK, "pmu.dtb")
    shutil.copy(packages.device_tree(), path)
    out = run("fdtput", "-t", "i", path, "/arm-pmu", "interrupts", "2", "13")
    assert out.code == 0, out
    return path


def on_pi():
    try:
        tree = pi_tree()
    except packages.Unavailable as why:
        skip(str(why))
    return pi.boot("run", lambda: {"perfloop": pi.compile("perfloop", SOURCE_C, "-O1")},
                   {"loop": "perfloop"}, PMK, "run", "--irq", "bcm2835-ic/gpu-irq:45", "-o",
                   os.path.join(WORK, "run-pi"), "--", "qemu-system-arm", "-M", "raspi0",
                   "-nographic", "-nic", "none", "-no-reboot", *TIME, "-kernel", "@kernel@", "-dtb",
                   tree, "-initrd", "@initrd@", "-append",
                   "console=ttyAMA0,115200 quiet panic=1 rdinit=/init "
                   "initcall_blacklist=bcm2835_power_driver_init")["loop"][1]


def on_virt():
    return virt.boot("run", lambda: {"perfloop": virt.compile("perfloop", SOURCE_C, "-O1")},
                     {"loop": "perfloop"}, PMK, "run", "-o", os.path.join(WORK, "run-virt"), "--",
                     "qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a53", "-m", "512",
                     "-smp", "2", "-nographic", "-nic", "none",
                     "-no-reboot", *TIME, "-kernel", "@kernel@", "-initrd", "@initrd@", "-append",
                     "console=ttyAMA0,115200 quiet panic=1 rdinit=/init")["loop"][1]


def virt32_tree(cpu, board):
    """Returns the device tree that QEMU makes for the board, with the node that a kernel needs for
    the PMU: private interrupt 7, active high, of all processors."""
    have(board[0], "fdtput")
    path = os.path.join(WORK, f"{cpu}.dtb")
    out = run(*board[:2], f"virt,dumpdtb={path}", *board[3:])
    assert out.code == 0, out
    processors = (1 << int(board[board.index("-smp") + 1])) - 1
    for words in (("-t", "s", path, "/pmu", "compatible", f"arm,{cpu}-pmu"),
                  ("-t", "x", path, "/pmu", "interrupts", "1", "7", f"{processors << 8 | 4:x}")):
        out = run("fdtput", "-p", *words)
        assert out.code == 0, out
    return path


def on_virt32(cpu, processors, state, *time):
    """Returns the output of the program, compiled for `state`, A32 or T32."""
    board = ("qemu-system-arm", "-M", "virt", "-cpu", cpu, "-smp", processors, "-m", "512",
             "-nographic", "-nic", "none", "-no-reboot", *time)
    return virt32.boot(cpu, lambda: {"perfloop": virt32.compile(f"perfloop-{cpu}", SOURCE_C, "-O1",
                                                                state)},
                       {"loop": "perfloop"}, PMK, "run", "-o", os.path.join(WORK, f"run-{cpu}"),
                       "--", *board, "-kernel", "@kernel@", "-dtb", virt32_tree(cpu, board),
                       "-initrd", "@initrd@", "-append",
                       "console=ttyAMA0 quiet panic=1 rdinit=/init")["loop"][1]


def on_a7():
    return on_virt32("cortex-a7", "1", "-mthumb", *TIME)


def on_a15():
    """Returns the output of the program on a Cortex-A15. The board has two processors and uses the
    host's time. With -icount this kernel does not boot on two 32-bit processors, even in QEMU
    without pmk."""
    return on_virt32("cortex-a15", "2", "-marm")


def counts_of(said, name):
    return {int(turns): int(n) for turns, n in re.findall(rf"^{name} (\d+) (\d+)$", said, re.M)}


# Each boot takes fifteen CPU seconds. Small runs have only the ARM1176, because
# firmware/test_run.py counts with PMUv3 and PMUv2 on boards without Linux.
VIRT, A7, A15 = size(([], [], []), ([on_virt], [on_a7], [on_a15]))
BOTH = [*((boot, cpu) for boot in VIRT for cpu in (0, 1)), *((boot, 0) for boot in A7),
        *((boot, cpu) for boot in A15 for cpu in (0, 1))]


@pytest.mark.parametrize("boot,name", [(on_pi, "count0"), *((boot, f"{name}{cpu}")
                                                            for boot, cpu in BOTH
                                                            for name in ("count", "user"))])
def test_a_loop_is_counted_to_the_instruction(boot, name):
    n = counts_of(boot(), name)
    equal((n[1100] - n[100], n[10100] - n[100]), (2000, 20000), n)


@nightly
@pytest.mark.parametrize("boot,cpu", BOTH or [(None, 0)])
def test_modes_are_distinguished(boot, cpu):
    """The counts for the kernel are only the instructions that start and stop the counter, whatever
    the program does."""
    said = boot()
    user, kernel, both = (counts_of(said, f"{name}{cpu}") for name in ("user", "kernel", "count"))
    assert 200 < user[100] < 300 < kernel[100], said
    equal(set(kernel.values()), {kernel[100]}, said)
    equal(user[100] + kernel[100], both[100], said)


@nightly
@pytest.mark.parametrize("boot", A15 or [None])
def test_two_processors_take_their_own_interrupts(boot):
    """Each event of each processor has samples. Without -icount both processors run on the host's
    time. The kernel finds its interrupts slow and throttles them, and a period may end before the
    last interrupt was taken. So the number of samples depends on the load of the host."""
    said = boot()
    rows = [int(n) for n in re.findall(r"^samples (\d+) period", said, re.M)]
    equal(len(rows), 4, said)
    assert min(rows) > 0, said


@pytest.mark.parametrize("boot,report", [(on_pi, "run-pi"),
                                         *((boot, "run-virt") for boot in VIRT),
                                         *((boot, "run-cortex-a7") for boot in A7)])
def test_samples_are_as_many_as_periods(boot, report):
    """There are as many samples as periods, because every period ends with an interrupt, even if
    the kernel throttles. If an interrupt comes while the kernel switches the task out, the kernel
    makes no sample: its driver clears the flag when it disables the counter. Each of the four
    events may lose one interrupt in this way."""
    rows = [[int(n) for n in row] for row in
            re.findall(r"^samples (\d+) period (\d+) total (\d+) lost 0 ", boot(), re.M)]
    equal([period for _, period, _ in rows], [10007, 100003, 20011, 50021])
    for samples, period, total in rows:
        assert 0.95 * total / period - 1 <= samples <= total / period + 1, rows
    told = int(re.search(r"(\d+) interrupts", read(os.path.join(WORK, report)).decode()).group(1))
    assert abs(sum(total // period for _, period, total in rows) - told) <= 4, (rows, told)
    assert sum(samples for samples, _, _ in rows) <= told, (rows, told)
