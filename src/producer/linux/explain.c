// SPDX-License-Identifier: MIT
/*
 * Explains why the kernel does not count. perf_event_open() has one error number for many causes.
 * The actual cause follows from the request, and from a few files that describe the machine.
 *
 * The text says so if a cause is a guess. A hypervisor is recognised by the processor's flag (x86),
 * by the names that QEMU gives its machines, and by Xen's folder. Under another hypervisor, the
 * text is the same as on hardware without a PMU or without a driver for it.
 */
#define _GNU_SOURCE
#include "producer/linux/linux.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"

#define CAP_SYS_ADMIN_BIT 21 /* linux/capability.h */
#define CAP_PERFMON_BIT	  38

/* ---- facts ---------------------------------------------------------------------------------- */

/* Read the beginning of a file as text; zero bytes, as in device trees, become blanks. False: there
 * is no such file. */
static bool read_text(char *buf, size_t size, const char *dir, const char *name)
{
	char path[PATH_MAX];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(buf, 1, size - 1, f);
	fclose(f);
	for (size_t i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = ' ';
	buf[n] = '\0';
	return true;
}

/* Returns the number after "\nNAME:\t" in a file like /proc/self/status; 0: there is none. */
static uint64_t read_field(const char *text, const char *name, unsigned base)
{
	char key[40];

	snprintf(key, sizeof(key), "\n%s:", name);
	return pmk_number_after(text, key, base);
}

/* True if there is a folder pmu…, arm-pmu… or arm_pmu… below `dir`, up to two levels deep: /pmu,
 * /soc/pmu. */
static bool pmu_node(const char *dir, int depth)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d))) {
		const char *name = e->d_name;
		char sub[PATH_MAX];

		if (*name == '.')
			continue;
		if (!strncmp(name, "arm-", 4) || !strncmp(name, "arm_", 4))
			name += 4;
		found = !strncmp(name, "pmu", 3) && (!name[3] || strchr("@-_", name[3]));
		if (found || depth < 2)
			continue;
		if (snprintf(sub, sizeof(sub), "%s/%s", dir, e->d_name) < (int)sizeof(sub))
			found = e->d_type == DT_DIR && pmu_node(sub, depth - 1);
	}
	if (d)
		closedir(d);
	return found;
}

static bool is_virtual(const struct pmk_linux_kernel *kernel)
{
	char text[4096];

	if (read_text(text, sizeof(text), kernel->proc, "cpuinfo") && strstr(text, " hypervisor"))
		return true;
	if (read_text(text, sizeof(text), kernel->proc, "device-tree/compatible") &&
	    strstr(text, "dummy-virt"))
		return true;
	if (read_text(text, sizeof(text), kernel->sys, "class/dmi/id/sys_vendor") &&
	    !strncmp(text, "QEMU", 4))
		return true;
	return read_text(text, sizeof(text), kernel->sys, "hypervisor/type");
}

void pmk_linux_facts(struct pmk_linux_facts *f, const struct pmk_linux_kernel *kernel,
		     const struct pmk_linux_pmus *pmus)
{
	char text[4096], dir[PATH_MAX];

	*f = (struct pmk_linux_facts){ .core_pmu = pmk_linux_core(pmus) != NULL };
	if (read_text(text, sizeof(text), kernel->proc, "sys/kernel/perf_event_paranoid")) {
		f->has_events = true;
		f->paranoid = atoi(text);
	}
	if (read_text(text, sizeof(text), kernel->proc, "self/status")) {
		uint64_t caps = read_field(text, "CapEff", 16);

		f->privileged = caps >> CAP_SYS_ADMIN_BIT & 1 || caps >> CAP_PERFMON_BIT & 1;
		f->filtered = read_field(text, "Seccomp", 10) == 2;
	}
	f->virtual = is_virtual(kernel);
	snprintf(dir, sizeof(dir), "%s/device-tree", kernel->proc);
	f->device_tree = access(dir, F_OK) == 0;
	f->pmu_node = f->device_tree && pmu_node(dir, 2);
}

/* ---- reasons -------------------------------------------------------------------------------- */

#define FILTERED                                                                             \
	"a seccomp filter, as in containers, does not permit performance events: allow "     \
	"perf_event_open in the container's profile (docker, podman: --cap-add=PERFMON and " \
	"--security-opt seccomp=FILE or seccomp=unconfined)"

const char *pmk_linux_no_hardware(const struct pmk_linux_facts *f)
{
	if (f->core_pmu)
		return NULL;
	if (f->virtual)
		return "no hardware counters: this is a virtual machine without a virtual PMU; "
		       "turn it on (QEMU/KVM: -cpu host,pmu=on; libvirt: <pmu state='on'/>; a "
		       "cloud: an instance of whole sockets or bare metal)";
	if (f->device_tree && !f->pmu_node)
		return "no hardware counters: the device tree has no pmu node, so the kernel knows "
		       "of no PMU; add one (compatible = \"arm,cortex-a53-pmu\" or the like, and "
		       "its interrupts)";
	if (f->device_tree)
		return "no hardware counters: the device tree has a pmu node, but no driver took "
		       "it; the kernel needs CONFIG_HW_PERF_EVENTS and CONFIG_ARM_PMU (ARMv8: "
		       "CONFIG_ARM_PMUV3), and dmesg may say why it refused";
	return "no hardware counters: this kernel has no driver for the processor's PMU, or "
	       "firmware has switched it off; dmesg | grep -i pmu may say which";
}

static void no_call(char *text, size_t size, const struct pmk_linux_facts *f)
{
	if (!f->has_events)
		snprintf(text, size,
			 "this kernel has no performance events; it needs CONFIG_PERF_EVENTS");
	else if (f->filtered)
		snprintf(text, size, FILTERED);
	else
		snprintf(
			text, size,
			"the kernel has performance events, but the system call does not reach it, "
			"for example because pmk itself runs in user emulation (qemu-user): run "
			"pmk on the machine itself, or count in emulation (-T emu)");
}

/* Writes why the kernel does not permit the request. If perf_event_paranoid is the reason, the text
 * has the largest value that suffices. */
static void not_allowed(char *text, size_t size, const struct pmk_linux_facts *f,
			const struct pmk_linux_refusal *r)
{
	bool kernel = r->wants_kernel || !r->only_user;
	int enough = r->whole_cpu ? 0 : kernel ? 1 : 2;
	const char *what = r->whole_cpu ? "counting whole processors"
			   : kernel	? "counting kernel mode"
					: "counting";

	if (f->filtered && (f->privileged || f->paranoid <= enough))
		snprintf(text, size, FILTERED);
	else if (f->paranoid > enough && !f->privileged)
		snprintf(text, size,
			 "perf_event_paranoid is %d, and %s needs %d or less: sysctl -w "
			 "kernel.perf_event_paranoid=%d as root, or run pmk with CAP_PERFMON",
			 f->paranoid, what, enough, enough);
	else if (r->foreign)
		snprintf(text, size,
			 "the process belongs to another user: counting it needs CAP_PERFMON, or "
			 "root");
	else
		snprintf(text, size,
			 "the kernel forbids it (%s) although perf_event_paranoid is %d; the cause "
			 "may be a security module, or the kernel's lockdown mode",
			 strerror(r->error), f->paranoid);
}

static void bad_combination(char *text, size_t size, const struct pmk_linux_refusal *r)
{
	const struct pmk_linux_event *ev = r->event;

	if (ev->in_kernel && r->only_user)
		snprintf(text, size, "it happens in kernel mode only: leave out :u");
	else if (r->mode_filter)
		snprintf(text, size,
			 "%s cannot distinguish user mode from kernel mode: leave out :u and :k",
			 ev->pmu->name);
	else if (r->crowded)
		snprintf(text, size,
			 "the {group} needs more counters than %s has, or mixes PMUs: split it",
			 ev->pmu->name);
	else if (!r->whole_cpu && !ev->pmu->core && !ev->pmu->software && ev->pmu->cpus.count)
		snprintf(text, size,
			 "%s counts the whole machine, not a program; count all processors (-a, "
			 "setting all-cpus)",
			 ev->pmu->name);
	else
		snprintf(text, size, "%s does not accept this event (%s)", ev->pmu->name,
			 strerror(r->error));
}

void pmk_linux_reason(char *text, size_t size, const struct pmk_linux_facts *f,
		      const struct pmk_linux_refusal *r)
{
	const struct pmk_linux_pmu *pmu = r->event->pmu;
	bool generic = pmu->type == PERF_TYPE_HARDWARE || pmu->type == PERF_TYPE_HW_CACHE;

	switch (r->error) {
	case ENOSYS:
		no_call(text, size, f);
		return;
	case EACCES:
	case EPERM:
		if (r->mode_filter)
			bad_combination(text, size, r);
		else
			not_allowed(text, size, f, r);
		return;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		if (r->mode_filter)
			bad_combination(text, size, r);
		else if ((generic || pmu->core) && pmk_linux_no_hardware(f))
			snprintf(text, size, "%s", pmk_linux_no_hardware(f));
		else
			snprintf(text, size, "%s has no such event",
				 generic ? "the processor's PMU" : pmu->name);
		return;
	case ENXIO: /* pmk sets this error if the PMU counts on none of the processors */
		snprintf(text, size, "%s does not count on these processors", pmu->name);
		return;
	case EINVAL:
		bad_combination(text, size, r);
		return;
	case EMFILE:
	case ENFILE:
		snprintf(text, size,
			 "too many open files: each event needs one for each thread or processor; "
			 "raise ulimit -n%s",
			 r->error == ENFILE ? " and fs.file-max" : "");
		return;
	case ESRCH:
		snprintf(text, size, "the process has ended");
		return;
	case EBUSY:
		snprintf(text, size, "other software uses %s exclusively", pmu->name);
		return;
	default:
		snprintf(text, size, "perf_event_open: %s", strerror(r->error));
		return;
	}
}
