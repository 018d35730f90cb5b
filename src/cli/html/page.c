// SPDX-License-Identifier: MIT
/* See html.h. */
#define _GNU_SOURCE
#include "cli/html/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "cli/cli.h"
#include "cli/html/assets.h"
#include "cli/output.h"
#include "result/internal.h"

/* ---- text ----------------------------------------------------------------------------------- */

/* True if a character changes the direction of the text. With such a character a name can look like
 * another one: U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069. */
static bool changes_direction(const char *text, size_t n)
{
	const unsigned char *c = (const unsigned char *)text;

	if (n < 3 || c[0] != 0xE2)
		return false;
	return (c[1] == 0x80 && (c[2] == 0x8E || c[2] == 0x8F || (c[2] >= 0xAA && c[2] <= 0xAE))) ||
	       (c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9);
}

static void put_text(FILE *f, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (changes_direction(text + i, n - i)) {
			fprintf(f, "\\xe2\\x%02x\\x%02x", text[i + 1] & 0xFFU, text[i + 2] & 0xFFU);
			i += 2;
			continue;
		}
		switch (text[i]) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		case '\'':
			fputs("&#39;", f);
			break;
		default:
			fputc(text[i], f);
		}
	}
}

/* Bytes of the first `columns` characters. */
static size_t fitting_bytes(const char *text, size_t columns)
{
	size_t n = 0;

	for (; text[n] && columns; columns--)
		do
			n++;
		while (((unsigned char)text[n] & 0xC0) == 0x80);
	return n;
}

void html_text(FILE *f, const char *text)
{
	char *plain = pmk_printable(text);

	if (plain)
		put_text(f, plain, strlen(plain));
	free(plain);
}

void html_fact(FILE *f, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(f, "<div><dt>%s</dt><dd>", name);
	html_text(f, text);
	fputs("</dd></div>\n", f);
}

void html_code(FILE *f, const char *line)
{
	char *copy = strdup(line), *rest = copy;

	for (char *part = rest ? strsep(&rest, "\t") : NULL; part; part = strsep(&rest, "\t")) {
		html_text(f, part);
		if (rest)
			fputc('\t', f);
	}
	free(copy);
}

void html_cut(FILE *f, const char *text, size_t columns)
{
	char *plain = pmk_printable(text);

	if (plain && !plain[fitting_bytes(plain, columns)]) {
		put_text(f, plain, strlen(plain));
	} else if (plain) {
		put_text(f, plain, fitting_bytes(plain, columns - 1));
		fputs("\u2026", f);
	}
	free(plain);
}

void html_number(FILE *f, uint64_t value)
{
	char text[PMK_NUMBER_SIZE];

	pmk_number_text(text, value, 0, true);
	fputs(text, f);
}

double html_percent(uint64_t value, uint64_t all)
{
	return all ? 100.0 * (double)value / (double)all : 0;
}

void html_share(FILE *f, uint64_t value, uint64_t all)
{
	if (value)
		fprintf(f, "%.1f%%", html_percent(value, all));
}

void html_values(FILE *f, const uint64_t *value, size_t n)
{
	while (n && !value[n - 1])
		n--;
	fputs(" data-v=\"", f);
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputc(',', f);
		if (value[i])
			fprintf(f, "%llu", (unsigned long long)value[i]);
	}
	fputc('"', f);
}

void html_heading(FILE *f, const char *text, bool number, const char *more)
{
	fprintf(f, "<th scope=\"col\"%s%s%s>", number ? " class=\"n\"" : "", *more ? " " : "",
		more);
	html_text(f, text);
	fputs("</th>", f);
}

void html_trust(FILE *f, const char *trust)
{
	static const char *const meaning[][2] = {
		{ "exact", "defined by the instruction stream" },
		{ "modelled", "depends on the parameters of the core" },
		{ "measured", "counted by hardware" },
		{ "scaled", "time-shared between events" },
		{ "sampled", "estimated from samples" },
		{ "wrapped", "a lower bound: a counter wrapped" },
		{ "partial", "a lower bound: a part was not counted" },
		{ "inexact", "may be slightly wrong" },
	};

	fprintf(f, "<span class=\"trust\" data-trust=\"");
	html_text(f, trust);
	fputc('"', f);
	for (size_t i = 0; i < sizeof(meaning) / sizeof(meaning[0]); i++)
		if (!strcmp(trust, meaning[i][0]))
			fprintf(f, " title=\"%s\"", meaning[i][1]);
	fputc('>', f);
	html_text(f, trust);
	fputs("</span>", f);
}

const char *html_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* ---- the document --------------------------------------------------------------------------- */

void html_begin(FILE *f, const char *title, const char *what)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", f);
	/* The page fetches nothing, and no other script runs, no matter which names are in the
	 * page. */
	fprintf(f,
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'unsafe-inline'; script-src '%s'; base-uri 'none'; form-action 'none'"
		"\">\n",
		html_js_hash);
	fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta name=\"generator\" content=\"pmk " PMK_VERSION "\">\n<title>",
	      f);
	html_cut(f, title, 100);
	fprintf(f, " \u2014 pmk %s</title>\n<style>\n", what);
	fputs(html_css, f);
	fputs("</style>\n</head>\n<body>\n", f);
}

void html_end(FILE *f)
{
	fputs("<footer>made by pmk " PMK_VERSION "</footer>\n<script>", f);
	fputs(html_js, f);
	fputs("</script>\n</body>\n</html>\n", f);
}

/* ---- the file ------------------------------------------------------------------------------- */

bool html_would_destroy(const char *page, const char *path)
{
	return page && output_is(&(struct output_options){ .path = page }, path);
}
