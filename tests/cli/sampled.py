# SPDX-License-Identifier: MIT
"""Provides a program that spends its time where the test chooses, and access to its samples."""
import sqlite3

from harness import *
from programs import build

# spin N: main() calls outer(), which calls hot() for N rounds and cold() for a twentieth of N.
# forked N: a child called "the-child" does what spin N does. library N: the rounds run in a
# function of a shared library. endless: outer() is called until the program is killed; the program
# prints a line when it begins.
PROG = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern void in_library(unsigned long rounds);

__attribute__((noinline)) void hot(unsigned long rounds)
{
	for (volatile unsigned long i = 0; i < rounds; i++)
		;
}

__attribute__((noinline)) void cold(unsigned long rounds)
{
	for (volatile unsigned long i = 0; i < rounds; i++)
		;
}

__attribute__((noinline)) int outer(unsigned long rounds)
{
	hot(rounds);
	cold(rounds / 20);
	return rounds > 1; /* no tail call */
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
	int result = 0;

	if (argc > 1 && !strcmp(argv[1], "forked")) {
		if (!fork()) {
			prctl(PR_SET_NAME, "the-child");
			outer(n);
			_exit(0);
		}
		wait(NULL);
	} else if (argc > 1 && !strcmp(argv[1], "library")) {
		in_library(n);
	} else if (argc > 1 && !strcmp(argv[1], "endless")) {
		puts("begun");
		fflush(stdout);
		for (;;)
			outer(1000000);
	} else {
		result = !outer(n);
	}
	return argc > 3 ? atoi(argv[3]) : result;
}
"""

LIBRARY = r"""
void in_library(unsigned long rounds)
{
	for (volatile unsigned long i = 0; i < rounds; i++)
		;
}
"""

FLAGS = ("-O1", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls")
ROUNDS = 200_000_000  # some tenths of a second


def library():
    return build("sampled-lib", LIBRARY, *FLAGS, "-shared", "-fPIC", prefix="")


def prog(*flags):
    return build("sampled", PROG, *FLAGS, library(), *flags, prefix="")


class Samples:
    """Reads the samples of a recording; `path` is a file of pmk record."""

    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def rows(self, sql, *args):
        return self.db.execute(sql, args).fetchall()

    def meta(self):
        return dict(self.rows("SELECT key, value FROM meta"))

    def events(self):
        """Returns {name: (total, trust)} of all events."""
        return {n: (t, w) for n, t, w in self.rows("SELECT name, total, trust FROM event")}

    def by(self, what, event):
        """Returns {value of the SQL expression `what`: sum of the event's counts}."""
        return dict(self.rows(
            f"SELECT {what}, sum(value) FROM count JOIN event ON event = event.id "
            "JOIN code ON code = code.id JOIN object ON code.object = object.id "
            "JOIN thread ON thread = thread.id LEFT JOIN function ON code.function = function.id "
            "WHERE event.name = ? GROUP BY 1", event))
