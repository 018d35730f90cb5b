// SPDX-License-Identifier: MIT
/*
 * The slow program of docs/tutorial.md. The tutorial finds the reason, and weather.patch makes the
 * program fast. Its table has one day: a row for each minute, a column for each weather station.
 */
#include <stdint.h>
#include <stdio.h>

enum { MINUTES = 1440, STATIONS = 128 };

static int32_t reading[MINUTES][STATIONS]; /* in 1/100 of a degree */
static int64_t sum[STATIONS];

static void read_day(void)
{
	uint32_t noise = 1;

	for (int m = 0; m < MINUTES; m++)
		for (int s = 0; s < STATIONS; s++) {
			noise = noise * 1664525 + 1013904223;
			reading[m][s] = 1500 + 10 * s - m / 4 + (int32_t)(noise >> 24);
		}
}

static void add_up(void)
{
	for (int s = 0; s < STATIONS; s++)
		for (int m = 0; m < MINUTES; m++)
			sum[s] += reading[m][s];
}

static int widest_minute(void)
{
	int32_t widest = -1;
	int found = 0;

	for (int m = 0; m < MINUTES; m++) {
		int32_t low = reading[m][0], high = low;

		for (int s = 1; s < STATIONS; s++) {
			int32_t r = reading[m][s];

			if (r < low)
				low = r;
			if (r > high)
				high = r;
		}
		if (high - low > widest) {
			widest = high - low;
			found = m;
		}
	}
	return found;
}

int main(void)
{
	read_day();
	add_up();
	printf("station 0: %d, station %d: %d\n", (int)(sum[0] / MINUTES), STATIONS - 1,
	       (int)(sum[STATIONS - 1] / MINUTES));
	printf("widest spread in minute %d\n", widest_minute());
	return 0;
}
