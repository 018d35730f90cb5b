/* SPDX-License-Identifier: MIT */
/* The parts that read a VCD: see vcd.c, which has the format. vcd.c has the buffer and the header,
 * and vcd_changes.c the identifier codes and the changes. */
#ifndef PMK_WAVE_VCD_H
#define PMK_WAVE_VCD_H

#include <string.h>

#include "producer/wave/dump.h"

void pmk_vcd_count_lines(struct wave_dump *v, const char *upto);
/* Reports that the dump is an extended VCD, which is not supported. Returns the error. */
int pmk_vcd_refuse_extended(struct wave_dump *v, const char *word, size_t n);

/* Returns the key of a code, for wave_find_id(). */
uint64_t pmk_vcd_key(const char *code, size_t n);
/* Fills by_bytes and by_number when all watches are known. */
int pmk_vcd_list_codes(struct wave_dump *v);
/*
 * Reads the changes from p to limit, where there is a NUL that follows white space or the end of
 * the text. Returns the position it has reached, because a change without its code must wait for
 * more text. NULL: v->error or v->stopped is set.
 */
const char *pmk_vcd_read_changes(struct wave_dump *v, const char *p, const char *limit);

static inline bool vcd_is_blank(char c)
{
	return (unsigned char)c <= ' ';
}

static inline bool vcd_is_word(const char *word, size_t n, const char *text)
{
	return n == strlen(text) && memcmp(word, text, n) == 0;
}

#endif
