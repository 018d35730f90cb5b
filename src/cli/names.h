/* SPDX-License-Identifier: MIT */
/* Names of functions and files in tables for people. */
#ifndef PMK_CLI_NAMES_H
#define PMK_CLI_NAMES_H

#include <stddef.h>
#include <stdio.h>

/*
 * Returns a printable copy of the name that takes at most this many columns. What does not fit is
 * cut out of the middle and replaced by "...": the beginning says where the name belongs, and the
 * end makes it different from its neighbours. The caller frees it; NULL: out of memory.
 */
char *name_cut(const char *name, size_t columns);

#define NAME_MARKDOWN 80 /* columns of the name of a function in Markdown */

/* Write the name as code for a cell of a table in Markdown: nothing in it is taken for markup, a
 * link, a mention or an emoji. Returns 0, or -1 if out of memory. */
int name_write_markdown(FILE *f, const char *name, size_t columns);

#endif
