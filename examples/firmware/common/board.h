/* SPDX-License-Identifier: MIT */
/* What the examples share: functions that print, and the two functions that each board defines
 * itself. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* The board's file defines these: one writes a character to the console; the other ends the
 * program, with an exit code where something can receive it. */
void board_put(char c);
_Noreturn void board_exit(int code);

void print(const char *text);
void print_number(uint64_t value);

/* If `err` is an error, prints what failed and ends the program. */
void check(const char *what, int err);

#endif
