// SPDX-License-Identifier: MIT
/* Count a program: count PROGRAM [ARG...] */
#include <cinttypes>
#include <cstdio>

#include <pmk.hpp>

int main(int, char **argv)
{
	pmk::count c;

	if (c.set("event", "cycles,instructions") || c.program(argv + 1) || c.run()) {
		std::fprintf(stderr, "count: %s\n", c.error());
		return c.failure();
	}
	for (const struct pmk_count_row &row : c)
		if (row.has_value)
			std::printf("%s %" PRIu64 " %s\n", row.name, row.value, row.trust);
		else
			std::printf("%s: %s\n", row.name, row.reason);
	return 0;
}
