/* SPDX-License-Identifier: MIT */
/*
 * A connection to a debug probe or a stub, over TCP. Every wait has a limit, the patience, and it
 * holds for a whole reply: somebody who sends a byte now and then has no more time than others.
 */
#ifndef PMK_WIRE_LINK_H
#define PMK_WIRE_LINK_H

#include <stdbool.h>
#include <stddef.h>

struct pmk_link {
	int fd;			/* -1: there is none, or no longer */
	unsigned patience_ms;	/* for connecting, and for each reply */
	char name[128];		/* "openocd:localhost:6666" */
	char why[512];		/* the last failure, as a line without its end; or "" */
	unsigned char in[4096]; /* received and not yet asked for: [at, end) */
	size_t at, end;
};

/* Now, in seconds, on a clock that nobody sets. */
double pmk_link_now(void);

/*
 * Connect to "HOST:PORT", "[ADDRESS]:PORT" or ":PORT" of this machine. `speaker` goes before that
 * in messages. 0; PMK_EPARSE: `where` is none of these; PMK_EIO: nobody is there. `l->why` says
 * more, after every failure. Close it in any case.
 */
int pmk_link_open(struct pmk_link *l, const char *speaker, const char *where, unsigned patience_ms);
/* Use a socket that is connected already; it becomes the link's. */
void pmk_link_adopt(struct pmk_link *l, const char *name, int fd, unsigned patience_ms);
void pmk_link_close(struct pmk_link *l);

/* Note why something failed, after the name of the link. Returns `err`. */
int pmk_link_fail(struct pmk_link *l, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same where nothing that follows can be understood: the connection is closed. */
int pmk_link_lose(struct pmk_link *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* 0 or PMK_EIO: the connection is gone, or nobody takes what is sent. */
int pmk_link_send(struct pmk_link *l, const void *bytes, size_t n);
/* When a reply that is waited for from now on has to be complete. */
double pmk_link_deadline(const struct pmk_link *l);
/* The next byte, 0 to 255. PMK_EIO: it does not come in time, or the connection is gone; the
 * connection is closed then, because a reply that comes late would be taken for another one. */
int pmk_link_byte(struct pmk_link *l, double deadline);
/* Has a byte come? *c is that byte, which is not taken away, or what pmk_link_byte() says of a
 * connection that is gone; 0: none has come. Waits for nothing. */
bool pmk_link_peek(struct pmk_link *l, int *c);

#endif
