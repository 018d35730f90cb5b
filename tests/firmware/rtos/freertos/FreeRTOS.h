/* SPDX-License-Identifier: MIT */
/*
 * Declares the parts of FreeRTOS that docs/firmware.md uses, according to its public documentation
 * and its AArch64 port. They are enough to compile the page's snippets, but not to run them.
 */
#ifndef FAKE_FREERTOS_H
#define FAKE_FREERTOS_H

#include <stddef.h>
#include <stdint.h>

#include "FreeRTOSConfig.h"

typedef long BaseType_t;
typedef uint64_t UBaseType_t;

UBaseType_t uxPortSetInterruptMask(void);
void vPortClearInterruptMask(UBaseType_t uxNewMaskValue);
#define portSET_INTERRUPT_MASK_FROM_ISR()    uxPortSetInterruptMask()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(x) vPortClearInterruptMask(x)

#ifndef traceTASK_SWITCHED_IN
#define traceTASK_SWITCHED_IN()
#endif
#ifndef traceTASK_SWITCHED_OUT
#define traceTASK_SWITCHED_OUT()
#endif

#endif
