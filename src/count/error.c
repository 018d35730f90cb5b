// SPDX-License-Identifier: MIT
/* See error.h. */
#define _GNU_SOURCE
#include "count/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int pmk_count_fail(struct pmk_count_fault *f, enum pmk_count_failure failure, const char *fmt, ...)
{
	char *text;
	va_list ap;

	/* The arguments may contain the old text, so that it is freed afterwards. */
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	free(f->text);
	*f = (struct pmk_count_fault){ failure, text };
	return failure;
}

int pmk_count_no_memory(struct pmk_count_fault *f)
{
	return pmk_count_fail(f, PMK_COUNT_FAILED, "out of memory");
}

const char *pmk_count_fault_text(const struct pmk_count_fault *f)
{
	return f->text ? f->text : f->failure ? "out of memory" : "";
}

void pmk_count_fault_free(struct pmk_count_fault *f)
{
	free(f->text);
	*f = (struct pmk_count_fault){ 0 };
}
