/* SPDX-License-Identifier: MIT */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include <pmk/target.h>

/* Count work() and write what was counted through `put`, a character at a time: a UART. 0 or a
 * negative enum pmk_error. */
int count(struct pmk_port port, void (*work)(void), pmk_put *put);

#endif
