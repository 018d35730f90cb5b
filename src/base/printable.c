// SPDX-License-Identifier: MIT
/* Makes text safe to print. See printable.h. */
#include "base/printable.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

size_t pmk_utf8_length(const uint8_t *s, size_t n)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = s[0] < 0x80		? 1
			: (s[0] & 0xE0) == 0xC0 ? 2
			: (s[0] & 0xF0) == 0xE0 ? 3
			: (s[0] & 0xF8) == 0xF0 ? 4
						: 0;
	uint32_t c = length == 1 ? s[0] : s[0] & (0x7Fu >> length);

	if (!length || length > n)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3F);
	}
	if (c < least[length] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
		return 0;
	return length;
}

size_t pmk_printable_length(const uint8_t *s, size_t n)
{
	bool control = s[0] < 0x20 || s[0] == 0x7F || (n > 1 && s[0] == 0xC2 && s[1] < 0xA0);

	return control ? 0 : pmk_utf8_length(s, n);
}

char *pmk_printable(const char *text)
{
	size_t n = strlen(text);
	char *copy = malloc(4 * n + 1), *out = copy;

	for (size_t i = 0; copy && i < n;) {
		const uint8_t *s = (const uint8_t *)text + i;
		size_t length = pmk_printable_length(s, n - i);

		if (length)
			memcpy(out, s, length);
		out += length ? length : (size_t)sprintf(out, "\\x%02x", *s);
		i += length ? length : 1;
	}
	if (copy)
		*out = '\0';
	return copy;
}

int pmk_printable_write(FILE *f, const char *text)
{
	char *copy = pmk_printable(text);
	int n = copy ? fprintf(f, "%s", copy) : 0;

	free(copy);
	return n;
}

size_t pmk_printable_columns(const char *text, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)text[i] & 0xC0) != 0x80;
	return columns;
}

void pmk_printable_wrap(FILE *f, const char *text, unsigned column, unsigned indent, unsigned width)
{
	bool begun = false;

	for (const char *word = text; *word;) {
		size_t n = strcspn(word, " ");
		unsigned c = (unsigned)pmk_printable_columns(word, n);

		if (begun && column + 1 + c > width) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
		} else if (begun) {
			fputc(' ', f);
			column++;
		}
		fwrite(word, 1, n, f);
		column += c;
		begun = true;
		word += n + strspn(word + n, " ");
	}
	fputc('\n', f);
}
