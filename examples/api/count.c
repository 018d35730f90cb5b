/* SPDX-License-Identifier: MIT */
/* Counts a program that is given with its arguments. A program for another machine is emulated. */
#include <stdio.h>
#include <pmk/count.h>

int main(int argc, char **argv)
{
	struct pmk_count *c = pmk_count_new();
	struct pmk_count_row row = { .size = sizeof(row) };
	int failed = pmk_count_set(c, "event", "cycles,instructions") ||
		     pmk_count_program(c, argv + (argc > 0)) || pmk_count_run(c, NULL);

	if (failed)
		fprintf(stderr, "%s\n", pmk_count_get_error(c)->text);
	for (unsigned i = 0; pmk_count_get_row(c, i, &row); i++)
		printf("%s %llu\n", row.name, (unsigned long long)row.value);
	pmk_count_free(c);
	return failed;
}
