/* SPDX-License-Identifier: MIT */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include <pmk/target.h>

/* Counts work(), and writes the counts as text through `put`, which sends one character, perhaps to
 * a UART. Returns 0 or a negative enum pmk_error. */
int count(struct pmk_port port, void (*work)(void), pmk_put *put);

#endif
