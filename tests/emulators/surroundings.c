// SPDX-License-Identifier: MIT
/*
 * A program that maps memory, forks and takes signals. It executes the same instructions
 * everywhere, but at different addresses.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int hits;

static void on_signal(int sig)
{
	hits += sig != 0;
}

int main(void)
{
	char *mapped =
		mmap(NULL, 300000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *heap = malloc(1 << 20);
	int status = 0;

	for (int i = 0; i < 300000; i += 61)
		mapped[i] = heap[i] = (char)i;
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 5; i++)
		raise(SIGUSR1);
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			for (int k = 0; k < 1000; k++)
				mapped[k]++;
			_exit(i);
		}
		waitpid(pid, &status, 0);
	}
	free(heap);
	return hits == 5 && WEXITSTATUS(status) == 2 ? 0 : 1;
}
