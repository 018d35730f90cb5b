/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * The version of libpmk. The macros are the version of the headers, and pmk_version() returns the
 * version of the library with which the program is linked.
 *
 * 	#if PMK_VERSION_NUMBER >= PMK_VERSION_OF(0, 2, 0)
 */
#ifndef PMK_VERSION_H
#define PMK_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_VERSION_MAJOR 0
#define PMK_VERSION_MINOR 1
#define PMK_VERSION_PATCH 0

/* One number that increases with every version. */
#define PMK_VERSION_OF(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))

#define PMK_VERSION_NUMBER PMK_VERSION_OF(PMK_VERSION_MAJOR, PMK_VERSION_MINOR, PMK_VERSION_PATCH)

/* "0.1.0" */
#define PMK_VERSION_TEXT_(n)   PMK_VERSION_TEXT_2_(n)
#define PMK_VERSION_TEXT_2_(n) #n
#define PMK_VERSION_STRING                   \
	PMK_VERSION_TEXT_(PMK_VERSION_MAJOR) \
	"." PMK_VERSION_TEXT_(PMK_VERSION_MINOR) "." PMK_VERSION_TEXT_(PMK_VERSION_PATCH)

#ifndef PMK_FIRMWARE
/* The version of the linked library, as text. A program that was compiled with an older version
 * works with it if the soname is the same. */
const char *pmk_version(void);
#endif

#ifdef __cplusplus
}
#endif

#endif
