/* SPDX-License-Identifier: MIT */
/* The part of the C library that FreeRTOS' kernel uses, so that no C library is needed. */
#ifndef STDLIB_H
#define STDLIB_H

#include <stddef.h>

#endif
