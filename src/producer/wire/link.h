/* SPDX-License-Identifier: MIT */
/*
 * A TCP connection to a debug probe or a stub. The wait for a reply has a limit, the patience,
 * which is for the whole reply: a server that sends single bytes gets no more time than others.
 */
#ifndef PMK_WIRE_LINK_H
#define PMK_WIRE_LINK_H

#include <stdbool.h>
#include <stddef.h>

struct pmk_link {
	int fd;			/* -1: no connection, or it was lost */
	unsigned patience_ms;	/* the limit for connecting, and for each reply */
	char name[128];		/* "openocd:localhost:6666" */
	char why[512];		/* the last failure, as a line without its newline; or "" */
	unsigned char in[4096]; /* received, but not read: [at, end) */
	size_t at, end;
};

/*
 * Connect to "HOST:PORT", "[ADDRESS]:PORT" or ":PORT" of this machine. Messages begin with
 * `speaker`. Returns 0; PMK_EPARSE: `where` has none of these forms; PMK_EIO: no server answers.
 * After every failure `l->why` has the reason. Close it in any case.
 */
int pmk_link_open(struct pmk_link *l, const char *speaker, const char *where, unsigned patience_ms);
/* Use a connected socket, which the link then owns. */
void pmk_link_adopt(struct pmk_link *l, const char *name, int fd, unsigned patience_ms);
void pmk_link_close(struct pmk_link *l);
/*
 * Close after the last reply: wait until the server has closed its side, too, but at most `limit`
 * seconds. OpenOCD has one client of its GDB stub at a time, and refuses the next one until it has
 * read that the last one left.
 */
void pmk_link_leave(struct pmk_link *l, double limit);

/* Record a failure, after the name of the link. Returns `err`. */
int pmk_link_fail(struct pmk_link *l, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Like pmk_link_fail(), and closes the connection: use it if later replies would make no
 * sense. Returns PMK_EIO. */
int pmk_link_lose(struct pmk_link *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Returns 0 or PMK_EIO: the connection is lost, or the server does not receive. */
int pmk_link_send(struct pmk_link *l, const void *bytes, size_t n);
/* Returns the deadline for a complete reply to a command that is sent now. */
double pmk_link_deadline(const struct pmk_link *l);
/* Returns the next byte, 0 to 255, or PMK_EIO if it does not arrive in time or the connection is
 * lost. After PMK_EIO the connection is closed, because a late reply would be taken for the reply
 * to the next request. */
int pmk_link_byte(struct pmk_link *l, double deadline);
/* True if a byte has arrived. *c is that byte, which is not removed, or the error of
 * pmk_link_byte() if the connection is lost. Does not wait. */
bool pmk_link_peek(struct pmk_link *l, int *c);

#endif
