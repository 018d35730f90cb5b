/* SPDX-License-Identifier: MIT */
/*
 * Compares a published sequence for PMUv3 with pmk's driver on the model, for pmk doctor. See
 * doctor_blog.c.
 */
#ifndef PMK_ARMV8_BLOG_H
#define PMK_ARMV8_BLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/armv8.h>
#include <pmk/bus.h>

#define PMK_ARMV8_BLOG_ROWS 12
#define PMK_ARMV8_BLOG_RUNS 2

/* One event: how often it happened, and how often the blog's sequence and pmk's driver counted
 * it. */
struct pmk_armv8_blog_row {
	const struct pmk_event *ev;
	uint64_t happened[2]; /* occurrences at EL0; at EL1 */
	bool in_blog, in_ours;
	uint64_t blog, ours;
	char why[100]; /* the reason for the blog's count */
};

/* A run of three parts: `before` instructions at EL1, then `at_el0` instructions at EL0, then
 * `after` instructions at EL1. */
struct pmk_armv8_blog_run {
	const char *title;
	uint64_t before, at_el0, after;
	uint32_t filter; /* filter of pmk's driver */
	unsigned nrows;
	struct pmk_armv8_blog_row row[PMK_ARMV8_BLOG_ROWS];
};

/*
 * Compares the counts of the blog's sequence and of pmk's driver. `raised` has the signals that the
 * core with this PMU raises, here and in the other functions. Returns 0 or an error of the driver.
 */
int pmk_armv8_blog_compare(const struct pmk_signal_set *raised,
			   struct pmk_armv8_blog_run runs[PMK_ARMV8_BLOG_RUNS]);

/* A mistake of the sequence. The list is in docs/armv8.md, section 7; a test compares the two. */
struct pmk_armv8_blog_finding {
	const char *title;
	/* Demonstrates the mistake on a model, and describes the result. */
	void (*look)(const struct pmk_signal_set *raised, char *found, size_t size);
	const char *instead;
};

extern const struct pmk_armv8_blog_finding pmk_armv8_blog_findings[];
extern const unsigned pmk_armv8_blog_nfindings;

#endif
