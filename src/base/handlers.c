// SPDX-License-Identifier: MIT
/* Handles signals. See handlers.h. */
#include "base/handlers.h"

#include <stddef.h>

void pmk_handlers_forget(const sigset_t *ignored)
{
	for (int sig = 1; sig < NSIG; sig++) {
		bool ignore = ignored && sigismember(ignored, sig) == 1;
		struct sigaction sa;

		if (sigaction(sig, NULL, &sa) || sa.sa_handler == SIG_IGN ||
		    (sa.sa_handler == SIG_DFL && !ignore))
			continue;
		sa = (struct sigaction){ .sa_handler = ignore ? SIG_IGN : SIG_DFL };
		sigaction(sig, &sa, NULL);
	}
}

bool pmk_ends_jobs(int sig)
{
	return sig == SIGKILL || sig == SIGTERM || sig == SIGINT || sig == SIGHUP;
}
