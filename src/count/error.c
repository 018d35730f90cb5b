// SPDX-License-Identifier: MIT
/* See error.h. */
#define _GNU_SOURCE
#include "count/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

char *pmk_count_render(const char *text, bool options)
{
	char *rendered = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&rendered, &size);

	if (!f)
		return NULL;
	while (*text) {
		size_t n = *text == '`' ? strcspn(text + 1, "`") : 0;
		const char *shown =
			n && text[1 + n] ? pmk_setting_shown(text + 1, n, options) : NULL;

		if (shown) {
			fputs(shown, f);
			text += n + 2;
		} else {
			putc(*text++, f);
		}
	}
	return fclose(f) ? NULL : rendered;
}

static void store_failure(struct pmk_count_fault *f, int failure, const char *fmt, va_list ap)
{
	char *text, *rendered;

	/* The arguments may contain the old text, so free it only after formatting. */
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	rendered = text ? pmk_count_render(text, f->options) : NULL;
	free(text);
	free(f->text);
	f->failure = failure;
	f->text = rendered;
}

int pmk_count_fail(struct pmk_count_fault *f, enum pmk_count_failure failure, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	store_failure(f, failure, fmt, ap);
	va_end(ap);
	return failure;
}

int pmk_count_refuse(struct pmk_count_fault *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	store_failure(f, PMK_COUNT_USAGE, fmt, ap);
	va_end(ap);
	return PMK_COUNT_USAGE;
}

int pmk_count_no_memory(struct pmk_count_fault *f)
{
	return pmk_count_fail(f, PMK_COUNT_FAILED, "%s", pmk_strerror(PMK_ENOMEM));
}

const char *pmk_count_fault_text(const struct pmk_count_fault *f)
{
	return f->text ? f->text : f->failure ? pmk_strerror(PMK_ENOMEM) : "";
}

void pmk_count_fault_free(struct pmk_count_fault *f)
{
	free(f->text);
	*f = (struct pmk_count_fault){ .options = f->options };
}
