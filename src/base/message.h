/* SPDX-License-Identifier: MIT */
/* Writes messages of one line into the caller's buffer. A message says what is wrong and what to
 * do. */
#ifndef PMK_BASE_MESSAGE_H
#define PMK_BASE_MESSAGE_H

#include <stddef.h>

/* Writes the message. Returns `err`, for use as `return pmk_message_fail(…)`. */
int pmk_message_fail(char *msg, size_t size, int err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Writes "out of memory" or "WHERE: out of memory"; `where` may be NULL. Returns PMK_ENOMEM. */
int pmk_message_no_memory(char *msg, size_t size, const char *where);

#endif
