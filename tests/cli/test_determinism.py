# SPDX-License-Identifier: MIT
"""The same command line gives the same output, byte for byte. It does not depend on the user, the
current folder, the environment or the load of the machine."""
import os
import resource

from harness import *
from programs import build, loop, program

# The result of this program depends on everything that a program can see of its environment, except
# the time and process numbers: addresses of stack, heap and mappings, random bytes, the auxiliary
# vector, arguments, environment. A hash of these determines how long it works and which memory it
# accesses.
SEES = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>
extern char **environ;
static uint32_t hash = 2166136261u;

static void mix(const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const uint8_t *)data)[i]) * 16777619u;
}

static void mix_word(uintptr_t w)
{
	mix(&w, sizeof(w));
}

int main(int argc, char **argv)
{
	volatile char *heap = malloc(5000), *big = malloc(500000);
	volatile char *map = mmap(NULL, 100000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct utsname name;
	struct rlimit stack;

	mix_word((uintptr_t)&name), mix_word((uintptr_t)heap), mix_word((uintptr_t)big);
	mix_word((uintptr_t)map), mix_word((uintptr_t)sbrk(0)), mix_word((uintptr_t)environ);
	mix((void *)getauxval(AT_RANDOM), 16);
	mix_word(getauxval(AT_HWCAP)), mix_word(getauxval(AT_HWCAP2)), mix_word(getauxval(AT_PHDR));
	mix_word(getauxval(AT_PAGESZ)), mix_word(getauxval(AT_CLKTCK));
	uname(&name);
	mix(name.release, strlen(name.release)), mix(name.machine, strlen(name.machine));
	for (int i = 0; i < argc; i++)
		mix(argv[i], strlen(argv[i]));
	for (char **e = environ; *e; e++)
		mix(*e, strlen(*e));
	getrlimit(RLIMIT_STACK, &stack);
	(void)stack;
	for (unsigned i = 0; i < 5000 + hash % 5000; i++)
		heap[i % 5000]++, big[i * 68 % 500000]++, map[i * 36 % 100000]++;
	if (argc > 1)
		printf("%08x\n", hash);
	return 0;
}
"""


def sees():
    return program("sees", SEES)


def document(*argv, around=None, code=0, **kw):
    """Returns the output of `pmk stat --json-document -e all ARGV`. `around` is called in the child
    process before it starts pmk."""
    path = os.path.join(WORK, f"same-{os.getpid()}.json")
    p = subprocess.run([PMK, "stat", "--json-document", "-o", path, "-e", "all", *argv],
                        preexec_fn=around,
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, **kw)
    equal(p.returncode, code, f"{argv}: {p}")
    with open(path, "rb") as f:
        return f.read()


def same(first, again, what):
    if first == again:
        return
    a, b = counts(json.loads(first)), counts(json.loads(again))
    other = {e: (a[e], b.get(e)) for e in a if a[e] != b.get(e)}
    raise AssertionError(f"{what}: {other or (first[-600:], again[-600:])}")


def test_the_program_sees_something():
    """The test program notices another argument or variable: it executes another number of
    instructions."""
    a, b = document(sees(), "1"), document(sees(), "2")
    assert a != b
    assert counts(json.loads(a)) != counts(json.loads(b))


def test_twice():
    for argv in ([sees()], [sees(), "x" * 1000], ["--core", "arm1136", sees()],
                 ["--core", "arm11mpcore", sees()], ["-I", "10000cycles", sees()],
                 ["--region", "main", sees()], ["-r", "3", sees()], ["-M", "cpi,ipc", sees()]):
        first = document(*argv)
        for _ in range(3):
            same(first, document(*argv), argv)


def test_from_another_directory():
    first = document(sees())
    for place in ("/", "/usr", WORK, os.path.dirname(sees())):
        same(first, document(sees(), cwd=place), place)


def test_with_another_environment():
    first = document(sees())
    for extra in ({"X": "y"}, {"BIG": "z" * 100000}, {f"V{i}": str(i) for i in range(1000)},
                  {"LC_ALL": "C.UTF-8"}, {"LANG": "de_DE.UTF-8"}, {"TZ": "Asia/Tokyo"},
                  {"HOME": "/nowhere"},
                  {"QEMU_LD_PREFIX": "/nowhere"}, {"QEMU_SET_ENV": "A=1"}, {"QEMU_RAND_SEED": "77"},
                  {"QEMU_STACK_SIZE": "1000000"}, {"QEMU_CPU": "cortex-a7"}, {"QEMU_UNAME": "5.0"},
                  {"QEMU_ARGV0": "x"}, {"LD_BIND_NOW": "1"}, {"MALLOC_ARENA_MAX": "1"},
                  {"GLIBC_TUNABLES": "glibc.malloc.check=3"}):
        same(first, document(sees(), env=dict(os.environ, **extra)), str(extra)[:60])
    small = {k: os.environ[k] for k in ("PATH", "PMK_DATA", "PMK_PLUGIN") if k in os.environ}
    same(first, document(sees(), env=small), "a small environment")


def limit(which, soft):
    hard = resource.getrlimit(which)[1]
    resource.setrlimit(which, (soft if soft >= 0 or hard < 0 else hard, hard))


def test_with_other_limits():
    first = document(sees())
    table = {
        "umask 077": lambda: os.umask(0o077),
        "umask 0": lambda: os.umask(0),
        "ulimit -s 512": lambda: limit(resource.RLIMIT_STACK, 512 << 10),
        "ulimit -s 64M": lambda: limit(resource.RLIMIT_STACK, 64 << 20),
        "ulimit -s unlimited": lambda: limit(resource.RLIMIT_STACK, -1),
        "ulimit -n 64": lambda: limit(resource.RLIMIT_NOFILE, 64),
        "ulimit -c 0": lambda: limit(resource.RLIMIT_CORE, 0),
        "nice 5": lambda: os.nice(5),
        "a session of its own": os.setsid,
    }
    for name, around in table.items():
        same(first, document(sees(), around=around), name)


def test_with_other_descriptors():
    first = document(sees())
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(20)]
    same(first, document(sees(), pass_fds=held), "20 more descriptors")
    for fd in held:
        os.close(fd)


def test_several_at_the_same_time():
    first = document(sees())
    paths = [os.path.join(WORK, f"same-{os.getpid()}-{i}.json") for i in range(8)]
    running = [subprocess.Popen([PMK, "stat", "--json-document", "-o", path, "-e", "all", sees()],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
               for path in paths]
    for p in running:
        p.communicate()
        equal(p.returncode, 0)
    for path in paths:
        with open(path, "rb") as f:
            same(first, f.read(), "eight at the same time")


def test_what_env_passes_is_recorded():
    plain = document(sees())
    one = document("--env", "A=1", sees())
    same(one, document("--env", "A=1", sees(), env=dict(os.environ, B="2")), "--env A=1")
    assert plain != one
    equal(json.loads(plain)["env"], "")
    equal(json.loads(one)["env"], "A=1")
    named = document("--env", "SHOWN", sees(), env=dict(os.environ, SHOWN="a value"))
    contains(json.loads(named)["env"], "SHOWN")
    other = document("--env", "SHOWN", sees(), env=dict(os.environ, SHOWN="something else"))
    assert named != other, "the program saw another value"
    assert json.loads(named)["env"] != json.loads(other)["env"], \
        "two runs that differ in a variable's value read the same"


def test_random_replacement_repeats():
    first = document("--set", "cache.seed=1", sees())
    same(first, document("--set", "cache.seed=1", sees()), "seed 1")
    other = counts(json.loads(document("--set", "cache.seed=2", "--set", "dcache.size=4K", sees())))
    one = counts(json.loads(document("--set", "cache.seed=1", "--set", "dcache.size=4K", sees())))
    equal(one["instr_exec"], other["instr_exec"])
    assert one["dcache_miss"] != other["dcache_miss"], "another seed is another sequence"
    default = counts(json.loads(document("--set", "dcache.size=4K", sees())))
    equal(default, one, "the seed is 1 unless told otherwise")


# Reads all of its input, processes each byte, and prints their number and a sum.
READS = r"""
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	static unsigned char buf[4096];
	unsigned long sum = 0, bytes = 0;
	ssize_t n;

	while ((n = read(0, buf, sizeof(buf))) > 0) {
		bytes += n;
		for (ssize_t i = 0; i < n; i++)
			sum = sum * 31 + buf[i];
	}
	printf("%lu %08lx\n", bytes, sum & 0xffffffff);
	return 0;
}
"""
SEVERAL_RUNS = (["-r", "3"], ["--passes", "rerun"])
READ_EVENTS = "instr_exec,dcache_access,br_exec,dcache_miss,dtlb_miss"


def read_counts(stdin, *argv):
    """Returns the counts, and the output lines of all runs."""
    p = subprocess.run([PMK, "stat", "-x", ",", "-e", READ_EVENTS, *argv, program("reads", READS)],
                       stdin=stdin, capture_output=True, text=True, timeout=PATIENCE)
    equal(p.returncode, 0, p)
    got = [line.split(",") for line in p.stderr.splitlines()]
    return {line[2]: int(line[0]) for line in got if len(line) > 2}, p.stdout.splitlines()


def test_each_run_reads_the_same_file():
    with tempfile.TemporaryFile() as f:
        f.write(b"what is before the offset" + bytes(range(256)) * 20)
        f.seek(25)
        want, lines = read_counts(f)
        for argv in SEVERAL_RUNS:
            f.seek(25)
            equal(read_counts(f, *argv), (want, 3 * lines), argv)


def test_each_run_reads_the_same_of_a_pipe():
    def pipe():
        ours, theirs = os.pipe()
        os.write(theirs, bytes(range(256)) * 20)
        os.close(theirs)
        return ours

    def count(*argv):
        fd = pipe()
        try:
            return read_counts(fd, *argv)
        finally:
            os.close(fd)

    want, lines = count()
    for argv in SEVERAL_RUNS:
        equal(count(*argv), (want, 3 * lines), argv)


def test_a_pipe_may_hold_more_than_fits_and_may_stay_open():
    long = bytes(range(256)) * 6000
    out = pmk("stat", "-x", ",", "-r", "2", "-e", "instr_exec", program("reads", READS), stdin=long,
              text=False)
    lines = out.out.split(b"\n")
    equal((lines[0].split()[0], lines[0], lines[2:]), (b"1536000", lines[1], [b""]))
    ours, theirs = os.pipe()  # a pipe whose writer never closes it
    p = subprocess.run([PMK, "stat", "-x", ",", "-r", "2", "-e", "instr_exec", loop(3)], stdin=ours,
                       capture_output=True, text=True, timeout=PATIENCE)
    os.close(ours), os.close(theirs)
    equal((p.returncode, p.stderr.split(",")[0]), (3, "29"))


def test_each_run_on_this_machine_reads_the_same():
    out = pmk("stat", "-T", "linux", "-r", "3", "-e", "cs", "cat", stdin="a line\n")
    equal(out.out, 3 * "a line\n")


# A program that prints random numbers from every source, in several processes and threads, and then
# works for a time that depends on the numbers.
RANDOM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned char b[10][8];

static void *thread(void *at)
{
	getrandom(at, 8, 0);
	return NULL;
}

/* This thread makes a thread, too. */
static void *parent(void *at)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, (char *)at + 8);
	pthread_join(t, NULL);
	return thread(at);
}

static void show(const char *what, int n)
{
	for (int i = 0; i < n; i++)
		for (volatile int k = 0; k < b[i][0]; k++)
			;
	for (int i = 0; i < n; i++) {
		printf("%s ", what);
		for (int k = 0; k < 8; k++)
			printf("%02x", b[i][k]);
		printf("\n");
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int fd = open("/dev/urandom", O_RDONLY), two = dup(fd), other = open("/dev/random", O_RDONLY);
	struct iovec v[] = { { b[3], 3 }, { NULL, 0 }, { b[3] + 3, 5 }, { b[4], 8 } };
	pthread_t t[2];

	getrandom(b[0], 8, GRND_NONBLOCK);
	read(fd, b[1], 8);
	close(fd);
	read(two, b[2], 3), read(two, b[2] + 3, 5);
	readv(two, v, 4);
	pread(other, b[5], 8, 0);
	getrandom(b[6], 3, 0), getrandom(b[6] + 3, 5, 0);
	v[0].iov_base = b[7], v[2].iov_base = b[7] + 3, v[3].iov_base = b[8];
	preadv(other, v, 4, 0);
	show("first", 9);
	for (int i = 0; i < 2; i++) {
		if (!fork()) {
			getrandom(b[0], 8, 0);
			show("child", 1);
			if (!fork()) {
				getrandom(b[0], 8, 0);
				show("grandchild", 1);
				_exit(0);
			}
			wait(NULL);
			_exit(0);
		}
		wait(NULL);
	}
	if (argc < 2)
		return 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, parent, b[2 * i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	/* Each process starts after the previous one has ended. */
	for (int i = 4; i < 7; i++) {
		pthread_create(&t[0], NULL, thread, b[i]);
		pthread_join(t[0], NULL);
	}
	show("thread", 7);
	return 0;
}
"""


@cases("isa", ["arm", "AArch64"])
def test_random_numbers_of_the_kernel_repeat(isa):
    random = program("random", RANDOM, "-pthread") if isa == "arm" else \
        build("random64", RANDOM, "-O1", "-static", "-pthread", prefix="aarch64-linux-gnu-")
    said, counted = zip(*((out.out, out.err) for out in
                          (pmk("stat", "-x", ",", "-e", "instructions", random) for _ in range(3))))
    equal(said[0], said[1]), equal(said[1], said[2])
    equal(counted[0], counted[1]), equal(counted[1], counted[2])
    numbers = [line.split()[1] for line in said[0].splitlines()]
    equal(len(numbers), 9 + 2 * 2)
    equal(len(set(numbers)), len(numbers), "each process has numbers of its own")
    one, two = (pmk("stat", "-x", ",", "-e", "instructions", random, "threads").out
                for _ in range(2))
    equal(one, two)
    contains(one, said[0])
    equal(len({line.split()[1] for line in one.splitlines()}), 9 + 2 * 2 + 7)


def test_random_numbers_have_a_seed(tmp_path):
    """The default seed is 1. Another seed gives the program other numbers, which are the same in
    each run."""
    random = program("random", RANDOM, "-pthread")

    def run_with(*words):
        return pmk("stat", *words, "-x", ",", "-e", "instructions", random)

    usual, one, *other = (run_with(*words) for words in ((), ("--random-seed", "1"),
                                                         ("--random-seed=7",),
                                                         ("--random-seed=7",)))
    equal(one.out, usual.out)
    equal(*(out.out for out in other))
    assert not set(other[0].out.split()[1::2]) & set(usual.out.split()[1::2]), other[0]
    contains(pmk("stat", "--random-seed", "7", "-e", "instructions", random).err,
             "random numbers of --random-seed 7")
    equal(pmk("record", "--random-seed=7", "-o", str(tmp_path / "d"), random).out, other[0].out)
    for words, says in ((("--random-seed", "0", random), "--random-seed 0: expected"),
                        (("--random-seed", "2", "--qemu", "qemu-system-arm -M raspi0"),
                         "firmware gets no random numbers from pmk"),
                        (("--random-seed", "2", "-T", "linux", "true"), "--random-seed")):
        out = pmk("stat", *words)
        equal((out.code, out.err.count("\n")), (129, 1), out)
        contains(out.err, says)


def test_other_devices_are_read_as_they_are():
    out = pmk("stat", "-x", ",", "-e", "instr_exec", program("reads", READS), stdin="abc")
    equal(out.out, "3 00017862\n")


def test_dynamic_programs_repeat():
    if not os.path.exists("/usr/arm-linux-gnueabi/lib/ld-linux.so.3"):
        skip("no ARM C library in /usr/arm-linux-gnueabi")
    dynamic = build("sees-dynamic", SEES, "-O1", "-march=armv6k", "-marm")
    first = document(dynamic)
    same(first, document(dynamic, cwd="/", env=dict(os.environ, LONG="x" * 5000)),
         "a dynamic program")
    same(first, document(dynamic, around=lambda: limit(resource.RLIMIT_STACK, -1)),
         "ulimit -s unlimited")


def test_text_and_csv_repeat():
    def out(*argv):
        return re.sub(r" +\d+\.\d{9}( \+- \d+\.\d{9})? seconds time elapsed.*\n", "",
                      pmk("stat", *argv, sees()).err)

    for argv in ((), ("-x", ","), ("-x", ",", "-I", "5000insns"), ("-v",), ("-r", "3")):
        equal(out(*argv), out(*argv), str(argv))


def test_a_loop_counts_the_same_on_every_core():
    values = {core: json.loads(document("--core", core, "--set", "clock=1000000000", loop(100),
                                        code=3))
              for core in ("arm1136", "arm1156", "arm1176")}
    insns = {counts(v)["instr_exec"] for v in values.values()}
    equal(insns, {805})
