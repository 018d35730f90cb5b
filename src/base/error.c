// SPDX-License-Identifier: MIT
/* The texts of errors. Freestanding, because this file is part of libpmk-target. */
#include <pmk/error.h>

const char *pmk_strerror(int err)
{
	switch (err) {
#define X(name, value, text) \
	case name:           \
		return text;
		PMK_ERRORS(X)
#undef X
	}
	return err < 0 ? "unknown error" : "success";
}
