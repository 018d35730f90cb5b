/* SPDX-License-Identifier: MIT */
/* Count a program, given with its arguments: for this machine, or for another one, which is
 * emulated then. */
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
