// SPDX-License-Identifier: MIT
/* The console of a Raspberry Pi Zero, and switching it off. */
#include "raspi.h"

#include "board.h"

/* PL011 on GPIO 14 and 15. config.txt: init_uart_clock=48000000 */
#define GPFSEL1	  RASPI_REG(0x20200004)
#define UART_DR	  RASPI_REG(0x20201000)
#define UART_FR	  RASPI_REG(0x20201018)
#define UART_IBRD RASPI_REG(0x20201024)
#define UART_FBRD RASPI_REG(0x20201028)
#define UART_LCRH RASPI_REG(0x2020102C)
#define UART_CR	  RASPI_REG(0x20201030)
#define FR_BUSY	  (1u << 3)
#define FR_TXFF	  (1u << 5)
/* Power management. */
#define PM_RSTC	  RASPI_REG(0x2010001C)
#define PM_RSTS	  RASPI_REG(0x20100020)
#define PM_WDOG	  RASPI_REG(0x20100024)
#define PASSWORD  0x5A000000u

/* 115200 baud, 8 bits, no parity: 48 MHz / 16 / 115200 = 26 + 3/64. */
void raspi_uart(void)
{
	GPFSEL1 = (GPFSEL1 & ~(0x3Fu << 12)) | 0x24u << 12; /* both ALT0 */
	UART_CR = 0;
	UART_IBRD = 26;
	UART_FBRD = 3;
	UART_LCRH = 0x70;
	UART_CR = 0x301;
}

void board_put(char c)
{
	while (UART_FR & FR_TXFF)
		;
	UART_DR = (unsigned char)c;
}

/* Switches the board off: the watchdog resets it into partition 63, which means "halt". QEMU ends
 * then. */
void board_exit(int code)
{
	(void)code;
	while (UART_FR & FR_BUSY)
		;
	PM_RSTS = PASSWORD | 0x555;
	PM_WDOG = PASSWORD | 10;
	PM_RSTC = PASSWORD | 0x20;
	/* Wait for an interrupt (DDI 0301H 3.2.22). QEMU takes a while to end, and the instructions
	 * of a loop without it would be counted until then. */
	for (;;)
		__asm__ volatile("mcr p15, 0, %0, c7, c0, 4" : : "r"(0) : "memory");
}
