/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * The errors of libpmk are negative values. 0 is success, and a positive value may be a count.
 * Codes are never reused for another meaning.
 */
#ifndef PMK_ERROR_H
#define PMK_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
#define PMK_ERRORS(X) \
	X(PMK_EINVAL,   -1, "bad argument") \
	X(PMK_ENOCTR,   -2, "no free counter can count this event") \
	X(PMK_EBADREG,  -3, "register does not exist in this PMU") \
	X(PMK_ENOEVENT, -4, "this PMU has no such event") \
	X(PMK_ENOTSUP,  -5, "not supported by this hardware") \
	X(PMK_EUNDEF,   -6, "the access takes an Undefined exception in this mode") \
	X(PMK_EBUSY,    -7, "already running, or another user has the counters") \
	X(PMK_EIO,      -8, "the port did not answer") \
	X(PMK_ENOMEM,   -9, "out of memory") \
	X(PMK_EPARSE,  -10, "cannot be parsed") \
	X(PMK_ERANGE,  -11, "value out of range") \
	X(PMK_ENOPMU,  -12, "this processor has no such PMU") \
	X(PMK_EOFF,    -13, "another user has switched the counters off") \
	X(PMK_EFILTER, -14, "the filter excludes the mode or exception level of this code") \
	X(PMK_EFORBID, -15, "counting is forbidden in this state: Secure, or by the hypervisor") \
	X(PMK_ESTILL,  -16, "the counters are enabled but do not count")
/* clang-format on */

enum pmk_error {
	PMK_OK = 0,
#define X(name, value, text) name = (value),
	PMK_ERRORS(X)
#undef X
};

/* Returns the text of an error as a constant string: "success" for 0 and positive values, "unknown
 * error" for other negative values; never NULL. Freestanding; may be called from an interrupt
 * handler. */
const char *pmk_strerror(int err);

#ifdef __cplusplus
}
#endif

#endif
