/* SPDX-License-Identifier: MIT */
#ifndef FAKE_ZEPHYR_ARM_GIC_H
#define FAKE_ZEPHYR_ARM_GIC_H

#define IRQ_TYPE_LEVEL BIT(1)
#define IRQ_TYPE_EDGE  BIT(2)

#endif
