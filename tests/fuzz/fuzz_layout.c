// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a layout file of random bytes either loads, as a valid layout whose codes the encoder
 * accepts and the decoder inverts, or gives one line with the error and its line number.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_layout.c
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pmk/bits.h>

#include "pmu/ahbmon/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip(struct pmk_ahbmon_packet_params *codes)
{
	struct pmk_ahbmon_packet p;

	for (unsigned layer = 0; layer < PMK_AHBMON_NLAYERS; layer++)
		for (unsigned k = 0; k < PMK_AHBMON_NCODES; k++) {
			uint64_t field = pmk_ahbmon_packet_field[layer];
			int code = *pmk_ahbmon_code(&codes->layer[layer], k);
			struct pmk_ahbmon_layer_state s = pmk_ahbmon_coded_state(k);

			if (code == PMK_AHBMON_NO_CODE)
				continue;
			pmk_ahbmon_packet_decode(codes, PMK_PUT(0, field, (uint64_t)code), field,
						 &p);
			if (memcmp(&p.layer[layer], &s, sizeof(s)) != 0)
				abort();
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pmk_ahbmon_layout_file file;
	struct pmk_ahbmon_packets packets;
	char path[40], msg[512] = "";
	int fd = memfd_create("layout", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (pmk_ahbmon_layout_load(&file, path, msg, sizeof(msg))) {
		if (strncmp(msg, path, strlen(path)) != 0 || strchr(msg, '\n'))
			abort();
	} else {
		if (pmk_ahbmon_layout_check(&file.layout) ||
		    pmk_ahbmon_packets_init(&packets, &file.packet))
			abort();
		round_trip(&file.packet);
	}
	close(fd);
	return 0;
}
