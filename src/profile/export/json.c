// SPDX-License-Identifier: MIT
#include "profile/export/json.h"

#include <stdint.h>
#include <string.h>

#include "base/printable.h"

void pmk_export_json(FILE *f, const char *text)
{
	size_t left = strlen(text);

	fputc('"', f);
	while (left) {
		size_t n = pmk_printable_length((const uint8_t *)text, left);

		if (!n)
			fputs("\\ufffd", f);
		else if (*text == '"' || *text == '\\')
			fprintf(f, "\\%c", *text);
		else
			fwrite(text, 1, n, f);
		text += n ? n : 1;
		left -= n ? n : 1;
	}
	fputc('"', f);
}
