// SPDX-License-Identifier: MIT
#include <pmk/version.h>

const char *pmk_version(void)
{
	return PMK_VERSION_STRING;
}
