/* SPDX-License-Identifier: MIT */
/*
 * Declares the parts of Zephyr that docs/firmware.md uses, according to Zephyr's public
 * documentation. They are enough to compile the page's snippets, but not to run them.
 */
#ifndef FAKE_ZEPHYR_KERNEL_H
#define FAKE_ZEPHYR_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#define BIT(n)	      (1UL << (n))
#define ARG_UNUSED(x) (void)(x)

void k_thread_custom_data_set(void *value);
void *k_thread_custom_data_get(void);

void printk(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Zephyr calls these functions if CONFIG_TRACING_USER is set. */
void sys_trace_thread_switched_in_user(void);
void sys_trace_thread_switched_out_user(void);

#endif
