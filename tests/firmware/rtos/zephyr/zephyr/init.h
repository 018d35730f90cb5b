/* SPDX-License-Identifier: MIT */
#ifndef FAKE_ZEPHYR_INIT_H
#define FAKE_ZEPHYR_INIT_H

enum { FAKE_INIT_EARLY, FAKE_INIT_PRE_KERNEL_1, FAKE_INIT_POST_KERNEL, FAKE_INIT_APPLICATION };

#define SYS_INIT(init_fn, level, prio) \
	static const struct {          \
		int (*init)(void);     \
		int at, order;         \
	} fake_init_##init_fn __attribute__((used)) = { init_fn, FAKE_INIT_##level, prio }

#endif
