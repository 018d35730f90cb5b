/* SPDX-License-Identifier: MIT */
/*
 * The counters of this machine, through perf_event_open(2). The files of this folder:
 *
 * 	pmus.c      the PMUs and events that the kernel offers; names → what to program
 * 	explain.c   why the kernel refused, and what to do about it
 * 	counters.c  open, enable and read events of programs and processors; scaling
 * 	rings.c     open sampled events, and read the samples
 * 	self.c      counters of the calling thread, read by itself: <pmk/linux.h>
 *
 * The numbers are the kernel's: it saves and restores counters with the thread, takes overflows and
 * shares the counters between events. pmk's own drivers and ports are not used.
 */
#ifndef PMK_PRODUCER_LINUX_LINUX_H
#define PMK_PRODUCER_LINUX_LINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/linux.h>
#include <pmk/pmu.h>

struct perf_event_attr;
struct perf_event_mmap_page;

/* The functions of the kernel that this folder uses; tests pass in a replacement. */
struct pmk_linux_kernel {
	const char *sys, *proc; /* mount points of sysfs and procfs: "/sys", "/proc" */
	/* perf_event_open(2): a descriptor that is closed by exec, or -1 with errno set. */
	int (*open)(const struct perf_event_attr *attr, int pid, int cpu, int group);
};

extern const struct pmk_linux_kernel pmk_linux_kernel;

/* ---- pmus.c --------------------------------------------------------------------------------- */

/* A set of processors, sorted. */
struct pmk_linux_cpus {
	unsigned *cpu;
	unsigned count;
};

/* Reads "0-3,8" as in sysfs and after -C. Returns 0, PMK_EPARSE or PMK_ENOMEM. */
int pmk_linux_cpus_parse(struct pmk_linux_cpus *cpus, const char *text);
/* Read the next process of "12,345", the argument of -p; *at then points past it and its comma.
 * Returns 1 if another must follow, 0 at the end, or PMK_EPARSE. */
int pmk_linux_pid_next(const char **at, int *pid);
bool pmk_linux_cpus_have(const struct pmk_linux_cpus *cpus, unsigned cpu);
void pmk_linux_cpus_free(struct pmk_linux_cpus *cpus);

/* Get the online processors. Returns 0, PMK_EIO if the kernel does not report them, or
 * PMK_ENOMEM. */
int pmk_linux_online(struct pmk_linux_cpus *cpus, const struct pmk_linux_kernel *kernel);
/* Append the threads of a process to the *count threads in *list. The caller frees *list. Returns
 * 0, PMK_EIO if there is no such process, or PMK_ENOMEM. */
int pmk_linux_threads(const struct pmk_linux_kernel *kernel, int pid, int **list, unsigned *count);

/* A PMU of the kernel. */
struct pmk_linux_pmu {
	const char *name; /* "armv8_cortex_a53" */
	uint32_t type;	  /* perf_event_attr.type */
	/* used in results: the PMU of pmk's catalogue or, if it has none, a PMU that has the
	 * kernel's name and no events */
	const struct pmk_pmu *pmu;
	bool known; /* the PMU is in pmk's catalogue */
	/* true for a PMU that counts events of a processor, and so also of one program */
	bool core;
	bool software;		    /* events of the kernel itself; needs no hardware */
	struct pmk_linux_cpus cpus; /* the processors where the PMU counts; an empty set: all */
};

/* An event: what to program, and how to show it. Valid until pmk_linux_pmus_free(). */
struct pmk_linux_event {
	const struct pmk_event *row; /* of pmk's catalogue, or made for this event */
	const struct pmk_linux_pmu *pmu;
	uint32_t type;
	uint64_t config, config1, config2;
	const char *unit; /* "ns", or "" */
	bool coded;	  /* config fits into row->code, and config1 and config2 are 0 */
	bool any_core;	  /* no PMU was named, so every core PMU is meant */
	bool by_code;	  /* given as a code, like r11 */
	bool in_kernel;	  /* the event happens in kernel mode only */
	bool unlisted;	  /* a common PMUv3 event that is missing in the kernel's list of them */
};

struct pmk_linux_pmus;

/* Read what the kernel offers. Returns 0 or PMK_ENOMEM; a kernel without any PMU is no error. */
int pmk_linux_pmus_load(struct pmk_linux_pmus **out, const struct pmk_linux_kernel *kernel);
void pmk_linux_pmus_free(struct pmk_linux_pmus *all);

unsigned pmk_linux_pmus_count(const struct pmk_linux_pmus *all);
const struct pmk_linux_pmu *pmk_linux_pmus_get(const struct pmk_linux_pmus *all, unsigned i);
/* Find a PMU by the kernel's name or by a name of pmk's catalogue; NULL: there is none. */
const struct pmk_linux_pmu *pmk_linux_pmu_find(const struct pmk_linux_pmus *all, const char *name);
/* Returns the first core PMU; NULL on a machine without hardware counters. */
const struct pmk_linux_pmu *pmk_linux_core(const struct pmk_linux_pmus *all);
unsigned pmk_linux_cores(const struct pmk_linux_pmus *all);

/* Returns name `i` of the events that a user can give without a PMU: events of `prefer`, or else
 * of the core PMU, then generic events and the kernel's own events. NULL after the last name. */
const char *pmk_linux_event_name(const struct pmk_linux_pmus *all,
				 const struct pmk_linux_pmu *prefer, unsigned i);

/* Perf's generic events, shown as PMUs without registers: hardware and software. */
extern const struct pmk_pmu pmk_linux_hardware, pmk_linux_software;

/*
 * Resolve a name: a name of pmk's catalogue or of the kernel, perf's generic names, rNNN,
 * pmu/name/, pmu/term=value,…/, pmu::name. `prefer` is searched first; NULL stands for the first
 * core PMU. Returns 0; PMK_ENOEVENT with one line in msg, which suggests the nearest names;
 * PMK_ENOMEM.
 */
int pmk_linux_find(struct pmk_linux_pmus *all, const struct pmk_linux_pmu *prefer, const char *name,
		   const struct pmk_linux_event **out, char *msg, size_t size);
/* Returns the event of `pmu` that corresponds to `ev`, or NULL if `pmu` has no such event. `pmu`
 * must be a core PMU. */
const struct pmk_linux_event *pmk_linux_on(struct pmk_linux_pmus *all,
					   const struct pmk_linux_event *ev,
					   const struct pmk_linux_pmu *pmu);

/* ---- explain.c ------------------------------------------------------------------------------- */

/* Facts about the machine that explain a refusal. */
struct pmk_linux_facts {
	bool has_events;  /* the kernel has performance events */
	int paranoid;	  /* perf_event_paranoid */
	bool privileged;  /* CAP_PERFMON or CAP_SYS_ADMIN */
	bool filtered;	  /* a seccomp filter applies to this process, as in containers */
	bool virtual;	  /* under a hypervisor */
	bool device_tree; /* firmware described the machine by a device tree */
	bool pmu_node;	  /* the device tree has a node for the PMU */
	bool core_pmu;	  /* the kernel offers a PMU of the processor */
};

void pmk_linux_facts(struct pmk_linux_facts *f, const struct pmk_linux_kernel *kernel,
		     const struct pmk_linux_pmus *pmus);

/* A refusal of perf_event_open(). */
struct pmk_linux_refusal {
	int error; /* errno */
	const struct pmk_linux_event *event;
	bool whole_cpu;	   /* the request was for everything that runs on a processor */
	bool foreign;	   /* the process belongs to another user */
	bool wants_kernel; /* :k was requested, or the event happens only in kernel mode */
	bool only_user;	   /* :u was requested, or was tried instead */
	bool mode_filter;  /* without :u and :k it would have been opened */
	bool crowded;	   /* without its {group} it would have been opened */
};

/* Write one line: why the kernel refused, and what to do about it. */
void pmk_linux_reason(char *text, size_t size, const struct pmk_linux_facts *f,
		      const struct pmk_linux_refusal *r);
/* Returns one line that says why this machine has no hardware counters. NULL: it has hardware
 * counters. */
const char *pmk_linux_no_hardware(const struct pmk_linux_facts *f);

/* ---- counters.c ----------------------------------------------------------------------------- */

struct pmk_linux_ask {
	const struct pmk_linux_event *event;
	/* If > 0, the kernel counts all events with the same number at the same time, or none of
	 * them. */
	unsigned group;
	bool user, kernel; /* count only these modes; with neither, both are counted */
};

/* The sampling rate: one sample per `period` occurrences, or `frequency` samples per second. The
 * member that is not used is 0. */
struct pmk_linux_rate {
	uint64_t period, frequency;
	bool chains; /* with call chains */
};

/*
 * The threads and processors whose events are counted or sampled. To count, give processors or
 * threads; if there are processors, the threads are ignored. To sample, give the processors.
 * Without threads, everything that runs on these processors is sampled, and otherwise only the
 * threads.
 */
struct pmk_linux_scope {
	const int *pids;
	unsigned npids;
	const unsigned *cpus;
	unsigned ncpus;
	bool inherit; /* also children and threads that they start */
	bool on_exec; /* begin when exec starts the program, not with enable() */
	const struct pmk_linux_rate *rate; /* NULL: count; set by rings.c */
};

struct pmk_linux_counters;

/*
 * Open events in all places of `scope` (a place is described at pmk_linux_counters_fd()). A refusal
 * by the kernel is not an error: pmk_linux_counters_reason() returns the reason. The members of a
 * group are opened together or not at all. Groups are ignored when events are sampled. A thread or
 * processor that has disappeared is left out. Returns 0 or PMK_ENOMEM. The requests are copied, but
 * the events they point to are not.
 */
int pmk_linux_counters_open(struct pmk_linux_counters **out, const struct pmk_linux_kernel *kernel,
			    const struct pmk_linux_facts *facts, const struct pmk_linux_ask *asks,
			    unsigned nasks, const struct pmk_linux_scope *scope);
void pmk_linux_counters_close(struct pmk_linux_counters *c);

/* Returns why event i is not counted, and the errno of the refusal; NULL and 0 if it is counted.
 * Valid until close. */
const char *pmk_linux_counters_reason(const struct pmk_linux_counters *c, unsigned i);
int pmk_linux_counters_error(const struct pmk_linux_counters *c, unsigned i);
/* True if both modes were requested, but the kernel allowed only user mode. */
bool pmk_linux_counters_user_only(const struct pmk_linux_counters *c, unsigned i);

/* Returns the descriptor of event i in a place, or -1. The counters own it; the caller must not
 * close it. A place is a thread or processor; for sampled threads, place number thread · ncpus +
 * cpu is a thread on a processor. */
int pmk_linux_counters_fd(const struct pmk_linux_counters *c, unsigned i, unsigned place);
unsigned pmk_linux_counters_places(const struct pmk_linux_counters *c);

/* Begin to count; not needed with on_exec. */
void pmk_linux_counters_enable(struct pmk_linux_counters *c);
void pmk_linux_counters_disable(struct pmk_linux_counters *c);
/*
 * Read the count of event i so far: the sum over all places, or the count in one place if `place`
 * is not negative. The times are sums, too. Returns false if the event is not counted in any of
 * these places.
 */
bool pmk_linux_counters_read(const struct pmk_linux_counters *c, unsigned i, int place,
			     struct pmk_linux_value *v);

/* ---- rings.c -------------------------------------------------------------------------------- */

struct pmk_linux_rings;

/*
 * Open events whose samples are written into buffers, one for each processor. `scope` has the
 * processors, and either the threads to sample there, or none for everything that runs. Refusals
 * are handled as in pmk_linux_counters_open(). Returns 0, PMK_ENOMEM, or PMK_EIO with one line in
 * msg if there is no memory for buffers.
 */
int pmk_linux_rings_open(struct pmk_linux_rings **out, const struct pmk_linux_kernel *kernel,
			 const struct pmk_linux_facts *facts, const struct pmk_linux_ask *asks,
			 unsigned nasks, const struct pmk_linux_scope *scope,
			 const struct pmk_linux_rate *rate, char *msg, size_t size);
void pmk_linux_rings_close(struct pmk_linux_rings *r);

/* Returns the counters that belong to the rings, for the functions of counters.c. */
struct pmk_linux_counters *pmk_linux_rings_events(const struct pmk_linux_rings *r);
/* Returns the value of perf_event_attr.sample_type, which selects the contents of samples. */
uint64_t pmk_linux_sample_type(const struct pmk_linux_rate *rate);
/* Call `on_id` with each identifier that the kernel may write into the samples of event i. A
 * nonzero result ends the loop and is returned. */
int pmk_linux_rings_ids(const struct pmk_linux_rings *r, unsigned i,
			int (*on_id)(void *ctx, uint64_t id), void *ctx);

/* Remove all records from the buffers, and call `on_record` with each of them. The bytes of a
 * record are valid only during the call of `on_record`. A nonzero result ends the loop and is
 * returned. */
int pmk_linux_rings_drain(struct pmk_linux_rings *r,
			  int (*on_record)(void *ctx, const uint8_t *bytes, size_t size),
			  void *ctx);
/* Returns a descriptor that becomes readable when a buffer has records. */
int pmk_linux_rings_fd(const struct pmk_linux_rings *r);

/* ---- self.c --------------------------------------------------------------------------------- */

/* How a program reads the counters of its processor without the kernel. */
struct pmk_linux_direct {
	/* Reads hardware counter n; returns nonzero if it cannot. */
	int (*counter)(void *ctx, unsigned n, uint64_t *value);
	/* Reads the clock that extends the times of the page: TSC, CNTVCT_EL0. NULL: there is
	 * none. */
	uint64_t (*clock)(void *ctx);
	void *ctx;
};

/*
 * Read an event from the page that the kernel shares with the event's owner, without a system call.
 * Returns false if the caller must ask the kernel. This is the case if the event is on no counter,
 * if user access is not allowed, if the event has shared its counter and no clock shows for how
 * long, or if the page changed during every reading. Without a clock, the times in *v are those
 * that the kernel last wrote to the page.
 */
bool pmk_linux_page_read(const volatile struct perf_event_mmap_page *page,
			 const struct pmk_linux_direct *direct, struct pmk_linux_value *v);

#endif
