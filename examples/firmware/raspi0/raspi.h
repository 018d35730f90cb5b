/* SPDX-License-Identifier: MIT */
/* Beside board.h, what the examples for a Raspberry Pi Zero share. */
#ifndef RASPI_H
#define RASPI_H

#include <stdint.h>

#define RASPI_REG(address) (*(volatile uint32_t *)(address))

/* Begin with it: the serial console at 115200 baud. */
void raspi_uart(void);

#endif
