// SPDX-License-Identifier: MIT
/* A function that is written, called, and written again at the same address. */
#include <stdint.h>
#include <stdio.h>

#include "sys.h"

enum { SYS_MMAP2 = 192, READ_WRITE_EXECUTE = 7, PRIVATE_ANONYMOUS = 0x22 };

int main(void)
{
	uint32_t *code =
		(void *)sys_call6(SYS_MMAP2, 0, 4096, READ_WRITE_EXECUTE, PRIVATE_ANONYMOUS, -1, 0);
	int sum = 0;

	for (uint32_t i = 0; i < 20; i++) {
		uint32_t n = 0;

		for (uint32_t k = 0; k < i % 5; k++)
			code[n++] = 0x30a50001;		     /* addik r5, r5, 1 */
		code[n++] = i & 1 ? 0xf8a1fffc : 0xa0a50001; /* swi r5, r1, -4; ori r5, r5, 1 */
		code[n++] = 0xb60f0008;			     /* rtsd r15, 8 */
		code[n++] = i & 2 ? 0x10650000 : 0x80650000; /* addk r3, r5, r0; or r3, r5, r0 */
		sum += ((int (*)(int))code)((int)i);
	}
	printf("%d\n", sum);
	return 0;
}
