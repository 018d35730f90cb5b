// SPDX-License-Identifier: MIT
/*
 * Accesses counters in the memory of the board on which pmk runs. pmk maps /dev/mem, a UIO device,
 * or any other file that can be mapped, such as a PCI device's resource. The processor is never
 * halted.
 *
 * Pages are mapped as they are needed. If no device answers on the bus, an access raises SIGBUS. A
 * handler is installed for the duration of each access, and turns the signal into an ordinary
 * failure.
 */
#define _GNU_SOURCE
#include "producer/wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>
#include <pmk/native.h>

#include "producer/wire/devices.h"

#define NWINDOWS 8 /* the registers of a PMU are in one or two pages */

/* A mapping of `size` bytes from the address `start` on. */
struct window {
	uint64_t start;
	size_t size; /* 0: nothing */
	uint8_t *at;
};

struct pmk_devmem {
	uint64_t page_size, end; /* `end`: end of a regular file; otherwise UINT64_MAX */
	struct pmk_uio_map map[PMK_UIO_MAPS];
	unsigned nmaps; /* 0: an address is an offset in the file */
	struct window window[NWINDOWS];
	unsigned next; /* the window that is replaced next */
};

/* ---- SIGBUS ---------------------------------------------------------------------------------- */

/* The handler is installed for the whole process, so threads make their accesses one at a time. */
static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before;
static _Thread_local sigjmp_buf back;
static _Thread_local volatile sig_atomic_t armed;

static void bus_error(int sig)
{
	if (armed)
		siglongjmp(back, 1);
	/* The signal belongs to another thread. Restore the previous handler, and let the signal
	 * occur again. */
	sigaction(sig, &before, NULL);
}

/* Load *value from the word, or store it there. Returns false after a bus error. */
static bool access_word(uint8_t *at, bool is_store, uint32_t *value)
{
	static const uint16_t offset[] = { 0 };
	struct pmk_mmio word = { .base = (uintptr_t)at, .offset = offset, .noffsets = 1 };
	const struct pmk_port port = pmk_port_mmio(&word);
	struct sigaction ours = { .sa_handler = bus_error };
	volatile bool ok = false;
	uint64_t loaded = 0;

	pthread_mutex_lock(&alone);
	sigaction(SIGBUS, &ours, &before);
	if (!sigsetjmp(back, 1)) {
		armed = 1;
		if (is_store)
			port.write(port.ctx, 0, *value);
		else
			port.read(port.ctx, 0, &loaded);
		ok = true;
	}
	armed = 0;
	sigaction(SIGBUS, &before, NULL);
	pthread_mutex_unlock(&alone);
	if (ok && !is_store)
		*value = (uint32_t)loaded;
	return ok;
}

/* ---- mapping --------------------------------------------------------------------------------- */

static int cannot_map(struct pmk_wire *w, uint64_t address, int why)
{
	static const char mem[] = "the kernel does not permit access to this address "
				  "(CONFIG_STRICT_DEVMEM, or a driver uses it): use "
				  "iomem=relaxed on its command line, or a UIO device";

	return pmk_link_fail(&w->link, PMK_EIO, "cannot map 0x%" PRIx64 ": %s", address,
			     why == EPERM ? mem
			     : why == ENODEV || why == EACCES
				     ? "this file cannot be mapped for reading and writing; is it "
				       "a device with registers?"
			     : why == EINVAL || why == ENXIO ? "there is no memory at this address"
							     : strerror(why));
}

/* Returns the map of a UIO device that contains an address; NULL if there is none. */
static const struct pmk_uio_map *find_map(const struct pmk_devmem *d, uint64_t address)
{
	for (const struct pmk_uio_map *m = d->map; m < d->map + d->nmaps; m++)
		if (address >= m->start && address - m->start < m->size)
			return m;
	return NULL;
}

/* Finds the part of the file to map for an address, and its offset in the file: a page or, for a
 * UIO device, a whole map. Map N of a UIO device is at page N of the file. */
static int find_window(struct pmk_wire *w, uint64_t address, struct window *window,
		       uint64_t *offset)
{
	const struct pmk_devmem *d = w->devmem;
	const struct pmk_uio_map *m = find_map(d, address);

	if (d->nmaps && !m)
		return pmk_link_fail(&w->link, PMK_EIO,
				     "0x%" PRIx64
				     " is in none of its maps; the first has 0x%" PRIx64
				     " bytes at 0x%" PRIx64,
				     address, d->map[0].size, d->map[0].start);
	if (!m && address >= d->end)
		return pmk_link_fail(&w->link, PMK_EIO,
				     "the file ends at 0x%" PRIx64 ", before 0x%" PRIx64, d->end,
				     address);
	window->start = m ? m->start : address - address % d->page_size;
	window->size = (size_t)(m ? m->size : d->page_size);
	*offset = m ? (uint64_t)(m - d->map) * d->page_size : window->start;
	return 0;
}

static void unmap_window(struct window *window)
{
	if (window->size)
		munmap(window->at, window->size);
	window->size = 0;
}

static int map_window(struct pmk_wire *w, uint64_t address, struct window *window)
{
	struct window new = { 0 };
	uint64_t offset = 0;
	int err = find_window(w, address, &new, &offset);
	void *at;

	if (err)
		return err;
	if (offset > INT64_MAX)
		return cannot_map(w, address, EINVAL);
	at = mmap(NULL, new.size, PROT_READ | PROT_WRITE, MAP_SHARED, w->link.fd, (off_t)offset);
	if (at == MAP_FAILED)
		return cannot_map(w, address, errno);
	new.at = at;
	unmap_window(window);
	*window = new;
	return 0;
}

static int find_word(struct pmk_wire *w, uint64_t address, uint8_t **at)
{
	struct pmk_devmem *d = w->devmem;
	struct window *window = NULL;
	int err = 0;

	if (pmk_wire_lost(w))
		return PMK_EIO; /* link.why is already set */
	for (unsigned i = 0; i < NWINDOWS && !window; i++)
		if (address >= d->window[i].start &&
		    address - d->window[i].start < d->window[i].size)
			window = &d->window[i];
	if (!window) {
		window = &d->window[d->next++ % NWINDOWS];
		err = map_window(w, address, window);
	}
	*at = err ? NULL : window->at + (address - window->start);
	return err;
}

/* ---- the speaker ----------------------------------------------------------------------------- */

static int transfer_word(struct pmk_wire *w, uint64_t address, bool is_store, uint32_t *value)
{
	uint8_t *at;
	int err = find_word(w, address, &at);

	if (!err && !access_word(at, is_store, value))
		err = pmk_link_lose(&w->link,
				    "the access to 0x%" PRIx64 " ended with a bus error: no "
				    "device answers at this address, or it has no power or clock",
				    address);
	return err;
}

static int load_word(struct pmk_wire *w, uint64_t address, uint32_t *value)
{
	return transfer_word(w, address, false, value);
}

static int store_word(struct pmk_wire *w, uint64_t address, uint32_t value)
{
	return transfer_word(w, address, true, &value);
}

static int cannot_open(struct pmk_wire *w, int why)
{
	return pmk_link_fail(&w->link, PMK_EIO, "cannot open it: %s%s", strerror(why),
			     why == EACCES || why == EPERM
				     ? "; it needs root, or a UIO device that you may write to"
			     : why == ENOENT ? "; expected devmem[:FILE], /dev/mem without FILE"
					     : "");
}

static int open_file(struct pmk_wire *w, const char *file, const char *sysfs)
{
	struct pmk_devmem *d = w->devmem = calloc(1, sizeof(*d));
	char name[sizeof(w->link.name)];
	struct stat st;
	int fd, why;

	snprintf(name, sizeof(name), "devmem:%s", file);
	fd = d ? open(file, O_RDWR | O_SYNC | O_CLOEXEC) : -1;
	why = d ? errno : ENOMEM;
	pmk_link_adopt(&w->link, name, fd, w->link.patience_ms);
	if (fd < 0)
		return cannot_open(w, why);
	d->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	d->end = !fstat(fd, &st) && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : UINT64_MAX;
	d->nmaps = pmk_uio_maps(sysfs, file, d->map);
	return 0;
}

static void forget_windows(struct pmk_wire *w)
{
	struct pmk_devmem *d = w->devmem;

	for (unsigned i = 0; d && i < NWINDOWS; i++)
		unmap_window(&d->window[i]);
	free(d);
	w->devmem = NULL;
}

const struct pmk_speaker pmk_speaker_devmem = {
	.name = "devmem",
	.open = open_file,
	.load = load_word,
	.store = store_word,
	.forget = forget_windows,
};
