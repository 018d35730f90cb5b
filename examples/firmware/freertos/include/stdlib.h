/* SPDX-License-Identifier: MIT */
/* What FreeRTOS' kernel needs of a C library, so that none has to be there. */
#ifndef STDLIB_H
#define STDLIB_H

#include <stddef.h>

#endif
