// SPDX-License-Identifier: MIT
/* The names of the signals. <pmk/signal.h> has the list of signals. */
#include <pmk/signal.h>

#include <stddef.h>

enum { MODELLED, EXACT };

static const struct {
	const char *name, *text;
	bool exact;
} signals[PMK_NSIGNALS] = {
#define X(id, exactness, txt) [PMK_SIG_##id] = { .name = #id, .text = txt, .exact = exactness },
	PMK_SIGNALS(X)
#undef X
};

const char *pmk_signal_name(unsigned sig)
{
	return sig < PMK_NSIGNALS ? signals[sig].name : NULL;
}

const char *pmk_signal_text(unsigned sig)
{
	return sig < PMK_NSIGNALS ? signals[sig].text : NULL;
}

bool pmk_signal_exact(unsigned sig)
{
	return sig < PMK_NSIGNALS && signals[sig].exact;
}
