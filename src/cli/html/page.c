// SPDX-License-Identifier: MIT
/* See html.h. */
#define _GNU_SOURCE
#include "cli/html/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/print.h"
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

struct escape {
	char character;
	const char *markup;
};

/* Write text. Characters in `escapes` are replaced, and characters that change the direction of the
 * text become codes. `backslash` is how the format writes a backslash. */
static void put_escaped(FILE *f, const char *text, size_t n, const struct escape *escapes,
			const char *backslash)
{
	for (size_t i = 0; i < n; i++) {
		const struct escape *e = escapes;

		if (changes_direction(text + i, n - i)) {
			for (unsigned k = 0; k < 3; k++)
				fprintf(f, "%sx%02x", backslash, text[i + k] & 0xFFU);
			i += 2;
			continue;
		}
		while (e->character && e->character != text[i])
			e++;
		if (e->character)
			fputs(e->markup, f);
		else
			fputc(text[i], f);
	}
}

static void put_text(FILE *f, const char *text, size_t n)
{
	static const struct escape markup[] = { { '&', "&amp;" },  { '<', "&lt;" },
						{ '>', "&gt;" },   { '"', "&quot;" },
						{ '\'', "&#39;" }, { 0, NULL } };

	put_escaped(f, text, n, markup, "\\");
}

/* Write the inside of a JSON string. '<' is escaped, because "</script>" in a name would end the
 * script. */
static void put_json(FILE *f, const char *text, size_t n)
{
	static const struct escape json[] = {
		{ '"', "\\\"" }, { '\\', "\\\\" }, { '<', "\\u003c" }, { 0, NULL }
	};

	put_escaped(f, text, n, json, "\\\\");
}

void html_print(FILE *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	pmk_print_with(f, put_text, format, args);
	va_end(args);
}

void html_json(FILE *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	pmk_print_with(f, put_json, format, args);
	va_end(args);
}

/* Write a cell as a format: "#%ju" becomes "<td class=\"n\">%ju</td>". `tag` begins with td or
 * th. */
static void put_cell_format(FILE *f, const char *tag, const char *cell, size_t n)
{
	const char *end = cell + n, *more = "";
	bool name = *cell == '!', number = *cell == '#';
	size_t length = 0;

	cell += name || number;
	if (*cell == '{') {
		more = cell + 1;
		length = strcspn(more, "}");
		cell = more + length + 1;
	}
	fprintf(f, "<%s%s%s%.*s>%.*s</%.2s>", name ? "th scope=\"row\"" : tag,
		number		 ? " class=\"n\""
		: name && !*more ? " class=\"name\""
				 : "",
		length ? " " : "", (int)length, more, (int)(end - cell), cell, name ? "th" : tag);
}

static void put_cells(FILE *f, const char *tag, const char *cells, va_list args)
{
	char *format = NULL;
	size_t size, n;
	FILE *to = open_memstream(&format, &size);

	for (bool more = to; more; cells += n + 1) {
		n = strcspn(cells, "|");
		more = cells[n];
		put_cell_format(to, tag, cells, n);
	}
	if (to)
		fclose(to);
	if (format)
		pmk_print_with(f, put_text, format, args);
	free(format);
}

void html_cells(FILE *f, const char *cells, ...)
{
	va_list args;

	va_start(args, cells);
	put_cells(f, "td", cells, args);
	va_end(args);
}

void html_row(FILE *f, const char *cells, ...)
{
	va_list args;

	va_start(args, cells);
	fputs("<tr>", f);
	put_cells(f, "td", cells, args);
	fputs("</tr>\n", f);
	va_end(args);
}

void html_fact(FILE *f, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	html_print(f, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, text);
}

void html_fact_number(FILE *f, const char *name, size_t number)
{
	html_print(f, "<div><dt>%s</dt><dd>%ju</dd></div>\n", name, (uintmax_t)number);
}

void html_lines(FILE *f, const char *text, const char *breaks)
{
	while (*text) {
		size_t n = strcspn(text, breaks);
		char *part = strndup(text, n);

		html_print(f, "%s", part);
		free(part);
		text += n;
		if (*text)
			fputc(*text++, f);
	}
}

void html_notices(FILE *f, const char *lines, const char *class)
{
	for (char *line; (line = pmk_print_line(&lines)); free(line))
		html_print(f, "<p class=\"%s\">%s</p>\n", class, line);
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

void html_counts(FILE *f, const uint64_t *value, size_t n)
{
	while (n && !value[n - 1])
		n--;
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputc(',', f);
		if (value[i])
			fprintf(f, "%llu", (unsigned long long)value[i]);
	}
}

void html_values(FILE *f, const uint64_t *value, size_t n)
{
	fputs(" data-v=\"", f);
	html_counts(f, value, n);
	fputc('"', f);
}

void html_headings(FILE *f, const char *cells, ...)
{
	va_list args;

	va_start(args, cells);
	put_cells(f, "th scope=\"col\"", cells, args);
	va_end(args);
}

void html_table_begin(FILE *f, const char *attributes)
{
	bool fit = *attributes == '!';

	fprintf(f, "<div class=\"scroll%s\"><table%s%s>\n<thead><tr>", fit ? " fit" : "",
		attributes[fit] ? " " : "", attributes + fit);
}

void html_table_body(FILE *f)
{
	fputs("</tr></thead>\n<tbody>\n", f);
}

void html_table(FILE *f, const char *attributes, const char *cells, ...)
{
	va_list args;

	va_start(args, cells);
	html_table_begin(f, attributes);
	put_cells(f, "th scope=\"col\"", cells, args);
	html_table_body(f);
	va_end(args);
}

void html_table_end(FILE *f)
{
	fputs("</tbody></table></div>\n", f);
}

void html_bar(FILE *f, uint64_t value, uint64_t all)
{
	fprintf(f, "<td class=\"n bar\" style=\"--p:%.2f%%\">", html_percent(value, all));
	html_share(f, value, all);
	fputs("</td>", f);
}

void html_cell(FILE *f, const char *class, bool there, uint64_t value)
{
	fprintf(f, "<td class=\"n%s\">", class);
	if (there)
		html_print(f, "%ju", value);
	fputs("</td>", f);
}

void html_trust(FILE *f, const char *tag, const char *trust)
{
	html_print(f, "<%s class=\"trust\" data-trust=\"%s\">%s</%s>", tag, trust, trust, tag);
}

void html_without_begin(FILE *f, size_t n)
{
	if (n)
		fprintf(f,
			"<details class=\"note without\"><summary>%zu event%s no value</summary>"
			"<ul>\n",
			n, n > 1 ? "s have" : " has");
}

void html_without(FILE *f, const char *name, const char *trust, const char *reason)
{
	html_print(f, "<li><b>%s</b> ", name);
	html_trust(f, "span", trust);
	html_print(f, "%s%s</li>\n", reason ? ": " : "", reason);
}

void html_without_end(FILE *f, size_t n)
{
	if (n)
		fputs("</ul></details>\n", f);
}

const char *html_base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

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
	html_print(f, "%.100s \u2014 pmk %s</title>\n<style>\n", title, what);
	fputs(html_css, f);
	fputs("</style>\n</head>\n<body>\n", f);
}

void html_head(FILE *f, const char *title, const char *what, const char *kind)
{
	html_begin(f, title, what);
	html_print(f,
		   "<header>\n<p class=\"kind\">%s</p>\n<h1 title=\"%s\">%.200s</h1>\n"
		   "<dl class=\"facts\">\n",
		   kind, title, title);
}

void html_end(FILE *f)
{
	fputs("<footer>made by pmk " PMK_VERSION "</footer>\n<script>", f);
	fputs(html_js, f);
	fputs("</script>\n</body>\n</html>\n", f);
}
