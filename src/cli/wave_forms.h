/* SPDX-License-Identifier: MIT */
/* pmk wave: wave.c does the work, wave_forms.c writes the result as text, CSV or JSON. */
#ifndef PMK_CLI_WAVE_FORMS_H
#define PMK_CLI_WAVE_FORMS_H

#include <stddef.h>
#include <stdint.h>

#include "producer/wave/run.h"

/* The data that `signals` prints. */
struct wave_names {
	const char *separator; /* CSV */
	const char *file;
	const struct pmk_wave *w;
	const struct pmk_wave_signal *list;
	size_t n;
	const char *map;    /* guessed from the names; NULL: none */
	const char *no_map; /* the reason why there is none */
};

/* The data that `check` prints while it reads, and at the end. */
struct wave_checked {
	const char *separator;
	const char *file, *map_file;
	struct pmk_wave *w;
	struct pmk_wave_map map;
	struct pmk_wave_count count;
	struct pmk_wave_findings findings;
	uint64_t found, shown;
	/* Set at the end. */
	bool partial;
	const char *error; /* why it is partial, or NULL */
	int code;	   /* exit code of pmk */
};

/* An output form of `pmk wave`: the functions that print the results of `signals` and `check`. */
struct wave_form {
	void (*signals)(const struct wave_names *n);
	void (*begin)(const struct wave_checked *c);
	void (*violation)(const struct wave_checked *c, const struct pmk_wave_checked *bus,
			  const struct pmk_wave_edge *edge, const struct pmk_violation *v);
	void (*end)(const struct wave_checked *c);
};

extern const struct wave_form wave_text, wave_csv, wave_json;

#endif
