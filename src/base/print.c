// SPDX-License-Identifier: MIT
/* Prints text that may have unprintable characters. See print.h. */
#define _GNU_SOURCE
#include "base/print.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/number.h"
#include "base/printable.h"

#define ELLIPSIS "\u2026"

/* A conversion such as "%-12s". A precision below 0 means that there is none. */
struct spec {
	bool left; /* flag '-' */
	int width, precision;
	char length; /* 'l', 'j', 'z'; 'q' for ll; 0: int */
	char type;   /* 's' */
	/* The format for printf, which gets the width, the precision, and the number as the
	 * longest integer type. */
	char format[16];
};

/* A va_list in a struct, so that its address can be passed. When a function reads an argument, the
 * caller's list then advances, too. */
struct arguments {
	va_list list;
};

static int take_size(const char **at, struct arguments *a)
{
	char *end;
	int n;

	if (**at == '*') {
		++*at;
		return va_arg(a->list, int);
	}
	n = (int)strtol(*at, &end, 10);
	*at = end;
	return n;
}

/* Parses what follows '%'. Returns the end of the conversion. */
static const char *parse_spec(const char *at, struct spec *s, struct arguments *a)
{
	const char *flags = at;
	int nflags = (int)strspn(at, "-+ #0");

	*s = (struct spec){ .left = nflags && memchr(flags, '-', (size_t)nflags), .precision = -1 };
	at += nflags;
	s->width = take_size(&at, a);
	if (*at == '.') {
		at++;
		s->precision = take_size(&at, a);
	}
	for (; *at && strchr("hljz", *at); at++)
		s->length = s->length == 'l' ? 'q' : *at;
	s->type = *at;
	snprintf(s->format, sizeof(s->format), "%%%.*s*.*%s%c", nflags, flags,
		 strchr("duxX", s->type) ? "j" : "", s->type);
	return *at ? at + 1 : at;
}

/* Returns the number of bytes in the first `columns` characters of a printable text. */
static size_t bytes_of_columns(const char *text, size_t columns)
{
	size_t n = 0;

	for (; text[n] && columns; columns--)
		do
			n++;
		while (((unsigned char)text[n] & 0xC0) == 0x80);
	return n;
}

static void print_text(FILE *f, pmk_print_text *put, const struct spec *s, const char *text)
{
	char *plain = pmk_printable(text ? text : "");
	size_t n, bytes;
	int blanks;

	if (!plain)
		return;
	n = pmk_printable_columns(plain, strlen(plain));
	bytes = strlen(plain);
	if (s->precision >= 0 && n > (size_t)s->precision) {
		n = (size_t)s->precision;
		bytes = bytes_of_columns(plain, n ? n - 1 : 0);
	}
	blanks = s->width > (int)n ? s->width - (int)n : 0;
	fprintf(f, "%*s", s->left ? 0 : blanks, "");
	put(f, plain, bytes);
	fputs(plain[bytes] && n ? ELLIPSIS : "", f);
	fprintf(f, "%*s", s->left ? blanks : 0, "");
	free(plain);
}

static void print_unsigned(FILE *f, const struct spec *s, uintmax_t value)
{
	char text[PMK_NUMBER_SIZE];

	pmk_number_text(text, value, 0, true);
	if (s->length == 'j' && s->type == 'u')
		fprintf(f, "%*s", s->width, text);
	else
		fprintf(f, s->format, s->width, s->precision, value);
}

static intmax_t take_signed(const struct spec *s, struct arguments *a)
{
	return s->length == 'l'	  ? va_arg(a->list, long)
	       : s->length == 'q' ? va_arg(a->list, long long)
	       : s->length == 'j' ? va_arg(a->list, intmax_t)
	       : s->length == 'z' ? va_arg(a->list, ssize_t)
				  : va_arg(a->list, int);
}

static uintmax_t take_unsigned(const struct spec *s, struct arguments *a)
{
	return s->length == 'l'	  ? va_arg(a->list, unsigned long)
	       : s->length == 'q' ? va_arg(a->list, unsigned long long)
	       : s->length == 'j' ? va_arg(a->list, uintmax_t)
	       : s->length == 'z' ? va_arg(a->list, size_t)
				  : va_arg(a->list, unsigned);
}

static void print_spec(FILE *f, pmk_print_text *put, const struct spec *s, struct arguments *a)
{
	switch (s->type) {
	case '%':
		fputc('%', f);
		break;
	case 's':
		print_text(f, put, s, va_arg(a->list, const char *));
		break;
	case 'c':
		fputc(va_arg(a->list, int), f);
		break;
	case 'd':
		fprintf(f, s->format, s->width, s->precision, take_signed(s, a));
		break;
	case 'u':
	case 'x':
	case 'X':
		print_unsigned(f, s, take_unsigned(s, a));
		break;
	default:
		fprintf(f, s->format, s->width, s->precision, va_arg(a->list, double));
	}
}

void pmk_print_with(FILE *f, pmk_print_text *put, const char *format, va_list args)
{
	struct arguments a;
	struct spec s;

	va_copy(a.list, args);
	while (*format) {
		size_t n = strcspn(format, "%");

		fwrite(format, 1, n, f);
		format += n;
		if (*format) {
			format = parse_spec(format + 1, &s, &a);
			print_spec(f, put, &s, &a);
		}
	}
	va_end(a.list);
}

static void put_plain(FILE *f, const char *text, size_t n)
{
	fwrite(text, 1, n, f);
}

void pmk_print(FILE *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	pmk_print_with(f, put_plain, format, args);
	va_end(args);
}

char *pmk_print_new(const char *format, va_list args)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	pmk_print_with(f, put_plain, format, args);
	fclose(f);
	return text;
}

char *pmk_print_line(const char **text)
{
	const char *line = *text ? *text + strspn(*text, "\n") : "";
	size_t n = strcspn(line, "\n");

	*text = line + n;
	return n ? strndup(line, n) : NULL;
}
