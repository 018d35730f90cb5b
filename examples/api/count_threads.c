/* SPDX-License-Identifier: MIT */
/* Counts each program in a thread of its own. Threads share no state of the library: each has its
 * own handle. */
#include <pthread.h>
#include <stdio.h>
#include <pmk/count.h>

#define MOST 8

struct counting {
	char *program[2];
	struct pmk_count *c;
	int failed;
};

static void *count(void *arg)
{
	struct counting *k = arg;

	k->c = pmk_count_new();
	k->failed = pmk_count_set(k->c, "event", "cycles,instructions") ||
		    pmk_count_program(k->c, k->program) || pmk_count_run(k->c, NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc - 1 < MOST ? argc - 1 : MOST, failed = 0;
	struct counting all[MOST];
	pthread_t thread[MOST];

	for (int i = 0; i < n; i++) {
		all[i] = (struct counting){ .program = { argv[i + 1], NULL } };
		if (pthread_create(&thread[i], NULL, count, &all[i]))
			return 1;
	}
	for (int i = 0; i < n; i++) {
		struct pmk_count_row row = { .size = sizeof(row) };

		pthread_join(thread[i], NULL);
		if (all[i].failed)
			fprintf(stderr, "%s\n", pmk_count_get_error(all[i].c)->text);
		for (unsigned k = 0; pmk_count_get_row(all[i].c, k, &row); k++)
			printf("%d: %s %llu\n", i, row.name, (unsigned long long)row.value);
		failed |= all[i].failed;
		pmk_count_free(all[i].c);
	}
	return failed != 0;
}
