/* SPDX-License-Identifier: MIT */
/* Ends a program by a semihosting call (SYS_EXIT_EXTENDED of ARM IHI 0105), which hands the exit
 * code to QEMU or to an attached debugger. Without either of them the call is an exception. */
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

#include <stdint.h>

static inline _Noreturn void semihosting_exit(int code)
{
	const struct {
		uintptr_t reason, code;
	} block = { 0x20026, (uintptr_t)code }; /* ADP_Stopped_ApplicationExit */

#ifdef __aarch64__
	register uintptr_t operation __asm__("x0") = 0x20;
	register const void *argument __asm__("x1") = &block;

	for (;;)
		__asm__ volatile("hlt #0xf000" ::"r"(operation), "r"(argument) : "memory");
#else
	register uintptr_t operation __asm__("r0") = 0x20;
	register const void *argument __asm__("r1") = &block;

	for (;;)
		__asm__ volatile("svc #0x123456" ::"r"(operation), "r"(argument) : "memory", "lr");
#endif
}

#endif
