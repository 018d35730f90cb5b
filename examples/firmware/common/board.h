/* SPDX-License-Identifier: MIT */
/* What the examples share: text, and the two things that every board has its own way of. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* Of the board's main.c: a character to its console; the end, where there is somebody to tell. */
void board_put(char c);
_Noreturn void board_exit(int code);

void print(const char *text);
void print_number(uint64_t value);

/* Says what failed and ends, if `err` is an error. */
void check(const char *what, int err);

#endif
