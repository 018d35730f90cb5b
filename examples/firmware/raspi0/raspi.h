/* SPDX-License-Identifier: MIT */
/* What the examples for a Raspberry Pi Zero share, in addition to board.h. */
#ifndef RASPI_H
#define RASPI_H

#include <stdint.h>

#define RASPI_REG(address) (*(volatile uint32_t *)(address))

/* Sets up the serial console at 115200 baud. To be called before anything is printed. */
void raspi_uart(void);

#endif
