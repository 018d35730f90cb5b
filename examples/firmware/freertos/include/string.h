/* SPDX-License-Identifier: MIT */
/* The functions of ../../common/memory.c. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);

#endif
