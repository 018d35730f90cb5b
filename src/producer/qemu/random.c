// SPDX-License-Identifier: MIT
/* Generates the random numbers of a program's threads. See random.h. The generator is SplitMix64,
 * which computes number i of a stream directly from i. */
#define _GNU_SOURCE
#include "producer/qemu/random.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define STEP UINT64_C(0x9e3779b97f4a7c15)

/* The stream of random bytes of this thread. */
static __thread struct {
	bool begun;
	uint64_t key;
	uint64_t at;   /* number of bytes that were taken from the stream */
	uint64_t made; /* number of threads and processes that the thread has created */
	uint64_t next; /* the key of the thread or process that the thread is about to create */
} stream;

/* Keys that new threads have not fetched yet. In a free place, `tid` is 0. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct {
		uint64_t tid, key;
	} place[1024];
} hand_over = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
#define PLACES (sizeof(hand_over.place) / sizeof(hand_over.place[0]))

static uint64_t mix_bits(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void stream_begin(uint64_t seed)
{
	stream.begun = true;
	stream.key = mix_bits(seed + STEP);
	stream.at = stream.made = stream.next = 0;
}

void pmk_random_begin(uint64_t seed)
{
	stream_begin(seed);
}

/* Waits until there is a place with `tid`, or a free place if `tid` is 0, and returns its index.
 * The caller has the lock. */
static size_t place_wait(uint64_t tid)
{
	for (;;) {
		for (size_t i = 0; i < PLACES; i++)
			if (hand_over.place[i].tid == tid)
				return i;
		pthread_cond_wait(&hand_over.changed, &hand_over.lock);
	}
}

void pmk_random_enter(void)
{
	size_t i;

	if (stream.begun)
		return;
	pthread_mutex_lock(&hand_over.lock);
	i = place_wait((uint64_t)gettid());
	hand_over.place[i].tid = 0;
	stream_begin(hand_over.place[i].key);
	pthread_cond_broadcast(&hand_over.changed);
	pthread_mutex_unlock(&hand_over.lock);
}

void pmk_random_makes(void)
{
	stream.next = mix_bits(~stream.key + ++stream.made * STEP);
}

void pmk_random_made(uint64_t tid)
{
	size_t i;

	pthread_mutex_lock(&hand_over.lock);
	i = place_wait(0);
	hand_over.place[i].tid = tid;
	hand_over.place[i].key = stream.next;
	pthread_cond_broadcast(&hand_over.changed);
	pthread_mutex_unlock(&hand_over.lock);
}

/* Resets the lock in a forked process, because another thread of the old process may have held it.
 * That thread does not exist in the new process. */
void pmk_random_forked(void)
{
	pthread_mutex_init(&hand_over.lock, NULL);
	pthread_cond_init(&hand_over.changed, NULL);
	memset(hand_over.place, 0, sizeof(hand_over.place));
	stream_begin(stream.next);
}

void pmk_random_fill(void *buf, size_t n)
{
	uint8_t *byte = buf;
	uint64_t word = 0;

	for (size_t i = 0; i < n; i++, stream.at++) {
		if (i == 0 || stream.at % 8 == 0)
			word = mix_bits(stream.key + (stream.at / 8 + 1) * STEP) >>
			       8 * (stream.at % 8);
		byte[i] = (uint8_t)word;
		word >>= 8;
	}
}

bool pmk_random_is_device(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISCHR(st.st_mode) &&
	       (st.st_rdev == makedev(1, 8) || st.st_rdev == makedev(1, 9));
}
