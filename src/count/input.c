// SPDX-License-Identifier: MIT
/*
 * Repeats the standard input for several runs: see input.h. A pipe holds up to 1 MiB; a separate
 * process, the feeder, supplies a longer input while the program runs. Signals reach the feeder
 * only while it waits, so no input that it has read is lost when it ends.
 */
#define _GNU_SOURCE
#include "count/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/handlers.h"

#define PIPE_BYTES  (1 << 20) /* the kernel allows any user this size */
#define CHUNK_BYTES (1 << 14)

struct pmk_input_state {
	_Atomic bool ended;
	_Atomic int error;
};

/* The pipe of one run. */
struct feed {
	struct pmk_input *in;
	int out;
	off_t done; /* number of bytes of the kept input that were written to the pipe */
	bool full;
};

static off_t kept_bytes(const struct pmk_input *in)
{
	struct stat st;

	return fstat(in->kept, &st) ? 0 : st.st_size;
}

static bool is_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* Read some input and keep it. Returns false if no input is available now, or if it has ended. */
static bool keep_input(struct pmk_input *in)
{
	char chunk[CHUNK_BYTES];
	ssize_t n;

	if (atomic_load(&in->state->ended) || !is_readable(in->from))
		return false;
	n = read(in->from, chunk, sizeof(chunk));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0)
		atomic_store(&in->state->ended, true);
	else if (pwrite(in->kept, chunk, (size_t)n, kept_bytes(in)) != n)
		atomic_store(&in->state->error, errno ? errno : ENOSPC);
	return n > 0 && !atomic_load(&in->state->error);
}

/* Write as much into the pipe as possible without waiting. Returns true if nothing more can be
 * written: the run has received all of the input, its pipe has no reader, or the input could not be
 * kept. */
static bool feed_pipe(struct feed *f)
{
	char chunk[CHUNK_BYTES];
	ssize_t n, put;

	f->full = false;
	while (!atomic_load(&f->in->state->error)) {
		n = pread(f->in->kept, chunk, sizeof(chunk), f->done);
		if (n <= 0 && !keep_input(f->in))
			return atomic_load(&f->in->state->ended);
		if (n <= 0)
			continue;
		put = write(f->out, chunk, (size_t)n);
		f->full = put < 0 && errno == EAGAIN;
		if (put < 0)
			return !f->full;
		f->done += put;
	}
	return true;
}

static _Noreturn void run_feeder(struct feed *f, pid_t parent)
{
	struct pollfd waits[] = { { .fd = f->in->from }, { .fd = f->out } };
	sigset_t ending;

	pmk_handlers_forget(NULL);
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigfillset(&ending);
	sigdelset(&ending, SIGTERM);
	/* Without a reader, ppoll() on a pipe returns at once and lets no signal through. */
	while (getppid() == parent && !(waits[1].revents & POLLERR) && !feed_pipe(f)) {
		waits[0].events = f->full ? 0 : POLLIN;
		waits[0].fd = f->full ? -1 : f->in->from;
		waits[1].events = f->full ? POLLOUT : 0;
		ppoll(waits, 2, NULL, &ending);
	}
	_exit(0);
}

static int start_feeder(struct feed *f)
{
	pid_t parent = getpid();
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	f->in->feeder = fork();
	error = errno;
	if (f->in->feeder == 0) {
		close(f->in->fd);
		run_feeder(f, parent);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return f->in->feeder < 0 ? error : 0;
}

static int cannot_keep(struct pmk_count_fault *f, int error)
{
	return pmk_count_fail(f, PMK_COUNT_FAILED,
			      "standard input cannot be kept for all runs: %s; give a file instead "
			      "of a pipe",
			      strerror(error));
}

int pmk_input_open(struct pmk_input *in, int fd, struct pmk_count_fault *f)
{
	struct stat st;

	*in = (struct pmk_input){ .kept = -1, .fd = -1, .from = fd < 0 ? STDIN_FILENO : fd };
	if (fstat(in->from, &st))
		return 0;
	in->start = lseek(in->from, 0, SEEK_CUR);
	if ((S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)) && in->start >= 0)
		in->kind = PMK_INPUT_FILE;
	if (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode))
		return 0;
	in->kind = PMK_INPUT_KEPT;
	in->kept = memfd_create("pmk-input", MFD_CLOEXEC);
	in->state = mmap(NULL, sizeof(*in->state), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (in->state != MAP_FAILED && in->kept >= 0)
		return 0;
	in->state = in->state == MAP_FAILED ? NULL : in->state;
	return cannot_keep(f, errno);
}

int pmk_input_begin(struct pmk_input *in, struct pmk_count_fault *f)
{
	struct feed feed = { .in = in };
	int fds[2], error = 0;

	if (in->kind == PMK_INPUT_FILE)
		lseek(in->from, in->start, SEEK_SET);
	if (in->kind != PMK_INPUT_KEPT)
		return 0;
	if (pipe2(fds, O_CLOEXEC))
		return cannot_keep(f, errno);
	in->fd = fds[0];
	feed.out = fds[1];
	fcntl(feed.out, F_SETPIPE_SZ, PIPE_BYTES); /* a smaller pipe is only slower */
	fcntl(feed.out, F_SETFL, O_NONBLOCK);
	if (!feed_pipe(&feed))
		error = start_feeder(&feed);
	close(feed.out);
	return error ? cannot_keep(f, error) : 0;
}

int pmk_input_end(struct pmk_input *in, struct pmk_count_fault *f)
{
	int error;

	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
	if (in->feeder > 0) {
		kill(in->feeder, SIGTERM);
		while (waitpid(in->feeder, NULL, 0) < 0 && errno == EINTR)
			;
	}
	in->feeder = 0;
	error = in->state ? atomic_load(&in->state->error) : 0;
	return error && f ? cannot_keep(f, error) : 0;
}

void pmk_input_close(struct pmk_input *in)
{
	if (in->kind != PMK_INPUT_KEPT)
		return;
	if (in->kept >= 0)
		close(in->kept);
	if (in->state)
		munmap(in->state, sizeof(*in->state));
	*in = (struct pmk_input){ .kept = -1, .fd = -1 };
}
