/* SPDX-License-Identifier: MIT */
#ifndef FAKE_ZEPHYR_IRQ_H
#define FAKE_ZEPHYR_IRQ_H

#include <stdint.h>

/* All arguments except the parameter must be build-time constants. */
#define IRQ_CONNECT(irq_p, priority_p, isr_p, isr_param_p, flags_p)           \
	do {                                                                  \
		static const struct {                                         \
			unsigned int irq, priority;                           \
			void (*isr)(const void *);                            \
			const void *param;                                    \
			uint32_t flags;                                       \
		} entry = { irq_p, priority_p, isr_p, isr_param_p, flags_p }; \
		(void)entry;                                                  \
	} while (0)

void irq_enable(unsigned int irq);
unsigned int irq_lock(void);
void irq_unlock(unsigned int key);

#endif
