/* SPDX-License-Identifier: MIT */
/* Declarations that the writers share. */
#ifndef PMK_RESULT_INTERNAL_H
#define PMK_RESULT_INTERNAL_H

#include <pmk/result.h>

#include "base/number.h"

/* The functions of an output format. `state` is the format's own memory: it is zero before
 * begin(), and end() frees what it points to. */
struct pmk_writer_ops {
	size_t state_size;
	int (*begin)(struct pmk_writer *w, const struct pmk_result *r); /* or NULL */
	int (*section)(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_section *s);
	int (*profile)(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_profile *p);
	int (*end)(struct pmk_writer *w, const struct pmk_result *r);
};

extern const struct pmk_writer_ops pmk_writer_text, pmk_writer_csv, pmk_writer_json,
	pmk_writer_json_lines;

/* A writer is one block of memory: this struct, followed by the format's state. */
struct pmk_writer {
	const struct pmk_writer_ops *ops;
	FILE *f;
	struct pmk_write_options opt;
	/* For each metric of opt.metrics, the event in whose row it is printed. */
	const struct pmk_event **beside;
	void *state;
	int error; /* the first error; later calls continue, so that the document is closed */
};

/* Returns perf's text for a row without a value; NULL for a trust level that has a value. */
const char *pmk_no_value_text(enum pmk_trust t);

/* Evaluate the first of the writer's metrics that is printed next to this row, after skipping
 * `skip` such metrics. Returns false if there is none. */
bool pmk_metric_beside(const struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_section *s, const struct pmk_row *row, unsigned skip,
		       struct pmk_metric_value *out);
/* pmk_write_lines() writes the rows of a section, one per line. It calls `row_line` for each row
 * with the row's first metric, or NULL, and then `metric_line` for each further metric of the row.
 * At the end it calls `metric_line` for the metrics that belong to no row. */
typedef void pmk_row_line(struct pmk_writer *w, const struct pmk_result *r,
			  const struct pmk_section *s, const struct pmk_row *row,
			  const struct pmk_metric_value *v);
typedef void pmk_metric_line(struct pmk_writer *w, const struct pmk_result *r,
			     const struct pmk_section *s, const struct pmk_metric_value *v);
void pmk_write_lines(struct pmk_writer *w, const struct pmk_result *r, const struct pmk_section *s,
		     pmk_row_line *row_line, pmk_metric_line *metric_line);
/* Returns the row of an event: the first row with a value, or else the first row; NULL if there is
 * none. */
const struct pmk_row *pmk_section_row(const struct pmk_section *s, const struct pmk_event *ev);

/* The state of the drawings in a text report: see bars.c. */
struct pmk_bars_state {
	bool head;    /* the heading of the interval lines is printed */
	bool drawn;   /* at least one bar was drawn, so a legend is needed */
	bool unknown; /* a bar has a part that was not counted */
	bool trends;
};

/* pmk_bars_section() draws a section, after its rows. pmk_bars_end() draws the trends over the
 * intervals and the legend, after all sections. */
void pmk_bars_section(struct pmk_writer *w, struct pmk_bars_state *st, const struct pmk_section *s);
void pmk_bars_end(struct pmk_writer *w, struct pmk_bars_state *st, const struct pmk_result *r);

/*
 * Tables of the distributions of a section, in text: see text_distributions.c. If `of` is NULL,
 * pmk_text_print_table() prints a row for each event of a region. Otherwise it prints only events
 * whose distribution has the name `of` (pmk_spread_of()). pmk_text_print_spreads() prints a table
 * and histograms for each name that occurs in the section. Both return 0 or PMK_ENOMEM.
 */
int pmk_text_print_table(struct pmk_writer *w, const struct pmk_section *s, const char *of);
int pmk_text_print_spreads(struct pmk_writer *w, const struct pmk_section *s);

/* Write the beginning of a line, which all lines of the section have, before the value. */
void pmk_text_line_start(struct pmk_writer *w, const struct pmk_section *s);

/* Size of a value as text. The kernel may scale a count by any power of ten, so it can be long. */
#define PMK_VALUE_SIZE 352

/* Returns the unit of the row's value as perf names it, or "" for a plain number. */
const char *pmk_unit_text(const struct pmk_row *row);
/*
 * Write the row's value in its unit. Scaled values and times get `decimals` decimals, at most 6.
 */
void pmk_value_text(char text[PMK_VALUE_SIZE], const struct pmk_row *row, unsigned decimals,
		    bool group);

/* A line of CSV. Initialise all members to zero, except the first two. */
struct pmk_csv {
	FILE *f;
	const char *separator;
	bool begun; /* the line has a field */
};

/* Write a text as the next field. The field is empty if the text is NULL. */
void pmk_csv_text(struct pmk_csv *c, const char *text);
/* Write a number as the next field. The field is empty if `there` is false. */
void pmk_csv_number(struct pmk_csv *c, bool there, uint64_t value);
/* Write n empty fields. */
void pmk_csv_skip(struct pmk_csv *c, unsigned n);
void pmk_csv_end(struct pmk_csv *c);

/* True if the PMU can time latencies, so that its counts have a distribution. */
bool pmk_times_latencies(const struct pmk_result *r);

/* Returns the sum of a row's latencies. For several runs, it is the rounded mean of their sums. */
uint64_t pmk_latency_sum(const struct pmk_result *r, const struct pmk_row *row);
/* Write the sum of the squares of a row's latencies. For several runs, it is the rounded mean of
 * their sums. The sum has up to 128 bits, which are 39 digits. */
#define PMK_SQUARES_SIZE 40
void pmk_latency_squares_text(char text[PMK_SQUARES_SIZE], const struct pmk_result *r,
			      const struct pmk_row *row);

/* The name of a distribution whose values have no other name. */
#define PMK_LATENCY_TEXT "latency in cycles"
/* Returns the name of what the row's distribution is about, such as PMK_LATENCY_TEXT. */
const char *pmk_spread_of(const struct pmk_row *row);
/* True if the row has a histogram of the values named `of`, as in pmk_spread_of(). */
bool pmk_has_histogram(const struct pmk_row *row, const char *of);
/* Find the first and the last non-empty bucket of the histograms of values named `of`, over all
 * rows of the section. Returns false if all buckets are empty. */
bool pmk_used_buckets(const struct pmk_section *s, const char *of, unsigned *first, unsigned *last);

/* Write the values of a bucket of a histogram as text: "1", "4-7". */
#define PMK_BUCKET_SIZE 48
void pmk_bucket_text(char text[PMK_BUCKET_SIZE], unsigned bucket);

/* Write every line of the warning, then every line of the note. Each line begins with `before`. */
void pmk_write_warnings(struct pmk_writer *w, const struct pmk_result *r, const char *before);

/* Additional facts about a row, in the order of CSV's columns. */
enum pmk_detail {
	PMK_DETAIL_PERIOD,
	PMK_DETAIL_COST,
	PMK_DETAIL_NESTED,
	PMK_DETAIL_RAW,
	PMK_DETAIL_MEAN,
	PMK_DETAIL_STDDEV,
	PMK_DETAIL_MIN,
	PMK_DETAIL_MAX,
	PMK_DETAILS
};

/* The JSON keys of the details. */
extern const char *const pmk_detail_keys[PMK_DETAILS];
/* Write a detail as text; empty if it has no number. Mean and deviation have 2 or 3 decimals, or
 * none if these do not fit. */
void pmk_detail_text(char text[PMK_NUMBER_SIZE], const struct pmk_row *row, enum pmk_detail which,
		     unsigned decimals, bool group);

/* Write the percentage of the profile's samples in this row, with two decimals. */
void pmk_share_text(char text[PMK_NUMBER_SIZE], const struct pmk_profile *p,
		    const struct pmk_profile_row *row);
/* Write the row's address as text: "0x00008000", or empty if it is not known. */
void pmk_address_text(char text[PMK_NUMBER_SIZE], const struct pmk_profile_row *row);

/* Write the value as text with six decimals, for CSV and JSON. */
void pmk_metric_text(char *buf, size_t size, double value);
/* Write "unit  name", as perf writes a named metric's unit, or "name" if it has no unit. */
void pmk_metric_unit_text(char *buf, size_t size, const struct pmk_metric_value *v);

#endif
