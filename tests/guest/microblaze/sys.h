// SPDX-License-Identifier: MIT
/*
 * System calls of Linux on MicroBlaze: `brki r14, 8` with the number in r12, arguments in r5 to
 * r10; the result, or a negative error, in r3. Numbers: Linux,
 * arch/microblaze/kernel/syscalls/syscall.tbl.
 */
#ifndef SYS_H
#define SYS_H

enum { SYS_EXIT = 1, SYS_READ = 3, SYS_WRITE = 4, SYS_GETPID = 20, SYS_KILL = 37, SYS_BRK = 45 };

static inline long sys_call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r12 __asm__("r12") = number;
	register long r5 __asm__("r5") = a;
	register long r6 __asm__("r6") = b;
	register long r7 __asm__("r7") = c;
	register long r8 __asm__("r8") = d;
	register long r9 __asm__("r9") = e;
	register long r10 __asm__("r10") = f;
	register long r3 __asm__("r3");

	__asm__ volatile("brki r14, 8"
			 : "=r"(r3)
			 : "r"(r12), "r"(r5), "r"(r6), "r"(r7), "r"(r8), "r"(r9), "r"(r10)
			 : "r4", "r14", "memory");
	return r3;
}

static inline long sys_call3(long number, long a, long b, long c)
{
	return sys_call6(number, a, b, c, 0, 0, 0);
}

static inline long sys_write(int fd, const void *from, unsigned long bytes)
{
	return sys_call3(SYS_WRITE, fd, (long)from, (long)bytes);
}

static inline void __attribute__((noreturn)) sys_exit(int code)
{
	for (;;)
		sys_call3(SYS_EXIT, code, 0, 0);
}

#endif
