// SPDX-License-Identifier: MIT
/* Writes messages into buffers. See message.h. */
#include <stdarg.h>
#include <stdio.h>

#include <pmk/error.h>

#include "base/message.h"

int pmk_message_fail(char *msg, size_t size, int err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(msg, size, format, ap);
	va_end(ap);
	return err;
}

int pmk_message_no_memory(char *msg, size_t size, const char *where)
{
	return pmk_message_fail(msg, size, PMK_ENOMEM, "%s%s%s", where ? where : "",
				where ? ": " : "", pmk_strerror(PMK_ENOMEM));
}
