// SPDX-License-Identifier: MIT
/* See link.h. The socket is non-blocking; poll() waits. */
#define _GNU_SOURCE
#include "producer/wire/link.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/clock.h"
#include "base/number.h"

double pmk_link_deadline(const struct pmk_link *l)
{
	return pmk_seconds() + l->patience_ms / 1000.0;
}

/* ---- failures -------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 0))) static void note(struct pmk_link *l, const char *fmt,
						       va_list ap)
{
	int n = snprintf(l->why, sizeof(l->why), "%s: ", l->name);

	if (n > 0 && (size_t)n < sizeof(l->why))
		vsnprintf(l->why + n, sizeof(l->why) - (size_t)n, fmt, ap);
	/* The text may quote the server. Make it one line of plain text. */
	for (char *c = l->why; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
}

int pmk_link_fail(struct pmk_link *l, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	note(l, fmt, ap);
	va_end(ap);
	return err;
}

int pmk_link_lose(struct pmk_link *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	note(l, fmt, ap);
	va_end(ap);
	pmk_link_close(l);
	return PMK_EIO;
}

/* ---- connecting ------------------------------------------------------------------------------ */

void pmk_link_adopt(struct pmk_link *l, const char *name, int fd, unsigned patience_ms)
{
	memset(l, 0, sizeof(*l));
	l->fd = fd;
	l->patience_ms = patience_ms;
	snprintf(l->name, sizeof(l->name), "%s", name);
}

void pmk_link_close(struct pmk_link *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

/* Split "HOST:PORT". False: it has another form. */
static bool split_address(const char *where, char *host, size_t size, const char **port)
{
	const char *colon = strrchr(where, ':'), *begin = where;
	size_t n = colon ? (size_t)(colon - where) : 0;
	unsigned number;

	if (!colon || pmk_unsigned_parse(colon + 1, 0, UINT16_MAX, &number))
		return false;
	if (n > 1 && *where == '[' && where[n - 1] == ']') {
		begin++;
		n -= 2;
	} else if (memchr(where, ':', n)) {
		return false;
	}
	if (n >= size)
		return false;
	memcpy(host, begin, n);
	host[n] = '\0';
	*port = colon + 1;
	return true;
}

/* Wait until the socket can be read or written. Returns 0 or an errno. */
static int wait_for(int fd, short events, double deadline)
{
	struct pollfd p = { .fd = fd, .events = events };

	for (;;) {
		double left = deadline - pmk_seconds();
		int n = poll(&p, 1, left > 0 ? (int)(left * 1000) + 1 : 0);

		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return errno;
		if (n == 0 && left <= 0)
			return ETIMEDOUT;
	}
}

void pmk_link_leave(struct pmk_link *l, double limit)
{
	double deadline = pmk_seconds() + limit;

	if (l->fd >= 0 && !shutdown(l->fd, SHUT_WR))
		while (!wait_for(l->fd, POLLIN, deadline) &&
		       recv(l->fd, l->in, sizeof(l->in), 0) > 0)
			continue;
	pmk_link_close(l);
}

static int connect_to(const struct addrinfo *a, double deadline, int *fd)
{
	socklen_t size = sizeof(int);
	int one = 1, err = 0;

	*fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
	if (*fd < 0)
		return errno;
	if (connect(*fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS)
		err = errno;
	if (!err)
		err = wait_for(*fd, POLLOUT, deadline);
	if (!err && getsockopt(*fd, SOL_SOCKET, SO_ERROR, &err, &size))
		err = errno;
	/* Requests are short and each waits for its reply. */
	if (!err)
		setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (err)
		close(*fd);
	return err;
}

int pmk_link_open(struct pmk_link *l, const char *speaker, const char *where, unsigned patience_ms)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL;
	const char *port;
	double deadline;
	char host[96];
	int err, fd = -1;

	pmk_link_adopt(l, "", -1, patience_ms);
	snprintf(l->name, sizeof(l->name), "%s:%.100s", speaker, where);
	if (!split_address(where, host, sizeof(host), &port))
		return pmk_link_fail(
			l, PMK_EPARSE,
			"expected %s:HOST:PORT, or %s::PORT for this machine; a port is a number "
			"up to %d",
			speaker, speaker, UINT16_MAX);
	/* A minimal root has no /etc/hosts, and no name service for this machine. */
	err = getaddrinfo(*host && strcmp(host, "localhost") ? host : NULL, port, &hints, &list);
	if (err)
		return pmk_link_fail(l, PMK_EIO, "%s: %s", host, gai_strerror(err));
	deadline = pmk_link_deadline(l);
	err = EHOSTUNREACH;
	for (const struct addrinfo *a = list; a; a = a->ai_next) {
		err = connect_to(a, deadline, &fd);
		if (!err)
			break;
	}
	freeaddrinfo(list);
	if (err)
		return pmk_link_fail(l, PMK_EIO,
				     "cannot connect: %s; check that it is running, and its port",
				     strerror(err));
	l->fd = fd;
	return 0;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static int connection_lost(struct pmk_link *l)
{
	/* Keep the reason of the first failure, which is the most useful one. */
	if (!*l->why)
		pmk_link_fail(l, PMK_EIO, "the connection is closed");
	return PMK_EIO;
}

int pmk_link_send(struct pmk_link *l, const void *bytes, size_t n)
{
	double deadline = pmk_link_deadline(l);
	const char *at = bytes;

	if (l->fd < 0)
		return connection_lost(l);
	while (n) {
		ssize_t sent = send(l->fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT);
		int err = sent < 0 ? errno : 0;

		if (err == EAGAIN || err == EINTR)
			err = wait_for(l->fd, POLLOUT, deadline);
		if (err)
			return pmk_link_lose(l, "the connection broke: %s", strerror(err));
		if (sent < 0)
			continue;
		at += sent;
		n -= (size_t)sent;
	}
	return 0;
}

int pmk_link_byte(struct pmk_link *l, double deadline)
{
	if (l->fd < 0)
		return connection_lost(l);
	while (l->at == l->end) {
		ssize_t n = recv(l->fd, l->in, sizeof(l->in), MSG_DONTWAIT);
		int err = n < 0 ? errno : 0;

		if (err == EAGAIN || err == EINTR)
			err = wait_for(l->fd, POLLIN, deadline);
		if (err == ETIMEDOUT)
			return pmk_link_lose(l,
					     "no reply within %u ms; it may hang, or use another "
					     "protocol",
					     l->patience_ms);
		if (err)
			return pmk_link_lose(l, "the connection broke: %s", strerror(err));
		if (n == 0)
			return pmk_link_lose(l, "the other side closed the connection");
		/* A server that sends an ack and a reply has to wait for our ack in between, which
		 * the kernel may delay by 40 ms. Systems without this option have no such delay. */
		setsockopt(l->fd, IPPROTO_TCP, TCP_QUICKACK, &(int){ 1 }, sizeof(int));
		l->at = 0;
		l->end = n > 0 ? (size_t)n : 0;
	}
	return l->in[l->at++];
}

bool pmk_link_peek(struct pmk_link *l, int *c)
{
	double now = pmk_seconds();

	*c = 0;
	if (l->at == l->end && l->fd >= 0 && wait_for(l->fd, POLLIN, now))
		return false;
	*c = pmk_link_byte(l, now);
	l->at -= *c >= 0;
	return true;
}
