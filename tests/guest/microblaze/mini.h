// SPDX-License-Identifier: MIT
/*
 * As much of a C library as the programs of bench/programs use. Nothing is buffered from one call
 * to the next, so that a program may end without exit().
 */
#ifndef MINI_H
#define MINI_H

#include <stddef.h>
#include <stdint.h>

#ifndef PRIx32
#define PRIx32 "lx" /* uint32_t is unsigned long here */
#define PRIu32 "lu"
#define PRId32 "ld"
#endif

typedef struct mini_file FILE; /* a file descriptor in the shape of a pointer */
#define stdout ((FILE *)1)
#define stderr ((FILE *)2)

/* Conversions: %c %s %d %i %u %x %%, with l, a width and leading zeros; at most 256 bytes are
 * written. */
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fputs(const char *text, FILE *to);
int puts(const char *text);
int putchar(int c);

void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);
char *strcpy(char *to, const char *from);
char *strtok(char *text, const char *separators);

unsigned long strtoul(const char *text, char **end, int base); /* bases 0, 8, 10, 16 */
void qsort(void *array, size_t count, size_t bytes, int (*compare)(const void *, const void *));
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void free(void *block);
void exit(int code) __attribute__((noreturn));

#endif
