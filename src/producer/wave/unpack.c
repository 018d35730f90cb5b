// SPDX-License-Identifier: MIT
/*
 * LZ4 and FastLZ have the same structure: literals, and copies of earlier output. LZ4 is the block
 * format of lz4_Block_format.md. FastLZ has two variants, its levels 1 and 2. Neither LZ4 nor
 * FastLZ has a checksum.
 */
#include "producer/wave/unpack.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>

struct unpacker {
	const uint8_t *in, *in_end;
	uint8_t *begin, *out, *out_end;
};

static bool copy_literals(struct unpacker *u, size_t n)
{
	if (n > (size_t)(u->in_end - u->in) || n > (size_t)(u->out_end - u->out))
		return false;
	memcpy(u->out, u->in, n);
	u->in += n;
	u->out += n;
	return true;
}

/*
 * Appends a copy of n bytes of the output, beginning `back` bytes before its end. If n is greater
 * than `back`, the bytes repeat, and each round can copy twice as many.
 */
static bool copy_output(struct unpacker *u, size_t back, size_t n)
{
	const uint8_t *from = u->out - back;

	if (!back || back > (size_t)(u->out - u->begin) || n > (size_t)(u->out_end - u->out))
		return false;
	while (n) {
		size_t most = (size_t)(u->out - from), take = n < most ? n : most;

		memcpy(u->out, from, take);
		u->out += take;
		n -= take;
	}
	return true;
}

static bool take_byte(struct unpacker *u, size_t *value)
{
	if (u->in == u->in_end)
		return false;
	*value = *u->in++;
	return true;
}

/* Adds bytes to a length, up to and including the first byte that is not 255. */
static bool extend_length(struct unpacker *u, size_t *length)
{
	size_t b;

	do {
		if (!take_byte(u, &b))
			return false;
		*length += b;
	} while (b == 255);
	return true;
}

static bool is_done(const struct unpacker *u)
{
	return u->in == u->in_end && u->out == u->out_end;
}

bool pmk_wave_unlz4(const uint8_t *in, size_t nin, uint8_t *out, size_t n)
{
	struct unpacker u = { in, in + nin, out, out, out + n };
	size_t token, length, low, high;

	while (take_byte(&u, &token)) {
		length = token >> 4;
		if (length == 15 && !extend_length(&u, &length))
			return false;
		if (!copy_literals(&u, length))
			return false;
		if (u.in == u.in_end) /* the last sequence has only literals */
			break;
		if (!take_byte(&u, &low) || !take_byte(&u, &high))
			return false;
		length = token & 15;
		if (length == 15 && !extend_length(&u, &length))
			return false;
		if (!copy_output(&u, low | high << 8, length + 4))
			return false;
	}
	return is_done(&u);
}

/* Makes a copy; `control` is its first byte. */
static bool fastlz_copy(struct unpacker *u, bool level2, size_t control)
{
	size_t length = (control >> 5) + 2, back = (control & 31) << 8, low, high;

	if (control >> 5 == 7) {
		if (level2 ? !extend_length(u, &length) : !take_byte(u, &high))
			return false;
		length += level2 ? 0 : high;
	}
	if (!take_byte(u, &low))
		return false;
	back += low + 1;
	if (level2 && back == 8192) { /* the distance needs more bits */
		if (!take_byte(u, &high) || !take_byte(u, &low))
			return false;
		back += high << 8 | low;
	}
	return copy_output(u, back, length);
}

bool pmk_wave_unfastlz(const uint8_t *in, size_t nin, uint8_t *out, size_t n)
{
	struct unpacker u = { in, in + nin, out, out, out + n };
	unsigned level = nin ? in[0] >> 5 : 2;
	bool first = true;
	size_t control;

	if (level > 1)
		return false;
	while (take_byte(&u, &control)) {
		if (first) /* the upper bits are the level, because nothing can be copied yet */
			control &= 31;
		first = false;
		if (control < 32 ? !copy_literals(&u, control + 1)
				 : !fastlz_copy(&u, level == 1, control))
			return false;
	}
	return is_done(&u);
}

#define ANY_HEADER (15 + 32) /* accepts zlib and gzip */

bool pmk_wave_inflate(const uint8_t *in, size_t nin, uint8_t *out, size_t n)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)in };
	int status;

	if (nin > UINT32_MAX || n > UINT32_MAX || inflateInit2(&z, ANY_HEADER) != Z_OK)
		return false;
	z.avail_in = (uInt)nin;
	z.next_out = out;
	z.avail_out = (uInt)n;
	status = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return status == Z_STREAM_END && z.avail_out == 0;
}

bool pmk_wave_inflate_file(int in, FILE *out, uint64_t n)
{
	int fd = dup(in), got = -1;
	gzFile z = fd < 0 ? NULL : gzdopen(fd, "rb");
	uint8_t piece[1 << 16];

	while (z && !gzdirect(z) && (got = gzread(z, piece, sizeof(piece))) > 0 &&
	       (uint64_t)got <= n && fwrite(piece, 1, (size_t)got, out) == (size_t)got)
		n -= (uint64_t)got;
	if (z)
		gzclose(z);
	else if (fd >= 0)
		close(fd);
	return !got && !n && !fflush(out);
}
