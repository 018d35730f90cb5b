/* SPDX-License-Identifier: MIT */
/*
 * Ciphers and hashes of Debian's libcrypto. Their inner loops are in assembly, so no compiler
 * affects them. Each turn processes 8,704 bytes, a multiple of all block sizes.
 *
 *   openssl NAME CAPABILITIES TIMES
 *
 * CAPABILITIES are the processor features that the library uses: OPENSSL_armcap of its manual; 1 is
 * Advanced SIMD. The static library contains the functions, but no header declares them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 8704, SHA3_RATE = 136 };

static unsigned char data[BYTES], state[1024] __attribute__((aligned(64)));
static unsigned char iv[32], key[64];

extern unsigned int OPENSSL_armcap_P;

void sha1_block_data_order(void *, const void *, size_t);
void sha256_block_data_order(void *, const void *, size_t);
void ChaCha20_ctr32(unsigned char *, const unsigned char *, size_t, const unsigned int[8],
		    const unsigned int[4]);

static void sha1(void)
{
	sha1_block_data_order(state, data, BYTES / 64);
}

static void sha256(void)
{
	sha256_block_data_order(state, data, BYTES / 64);
}

static void chacha20(void)
{
	ChaCha20_ctr32(data, data, BYTES, (void *)key, (void *)(key + 32));
}

void sha512_block_data_order(void *, const void *, size_t);
void Poly1305_Init(void *, const unsigned char[32]);
void Poly1305_Update(void *, const unsigned char *, size_t);

static void sha512(void)
{
	sha512_block_data_order(state, data, BYTES / 128);
}

static void poly1305_key(void)
{
	Poly1305_Init(state, key);
}

static void poly1305(void)
{
	Poly1305_Update(state, data, BYTES);
}

#ifdef __aarch64__
size_t SHA3_absorb(uint64_t[5][5], const unsigned char *, size_t, size_t);
int vpaes_set_encrypt_key(const unsigned char *, int, void *);
int vpaes_set_decrypt_key(const unsigned char *, int, void *);
void vpaes_cbc_encrypt(const unsigned char *, unsigned char *, size_t, const void *,
		       unsigned char *, int);
void vpaes_ecb_encrypt(const unsigned char *, unsigned char *, size_t, const void *);
void vpaes_ecb_decrypt(const unsigned char *, unsigned char *, size_t, const void *);
void gcm_init_v8(void *, const uint64_t[2]);
void gcm_ghash_v8(uint64_t[2], const void *, const unsigned char *, size_t);
int aes_v8_set_encrypt_key(const unsigned char *, int, void *);
int aes_v8_set_decrypt_key(const unsigned char *, int, void *);
#define set_aes_key aes_v8_set_encrypt_key
void aes_v8_cbc_encrypt(const unsigned char *, unsigned char *, size_t, const void *,
			unsigned char *, int);
void aes_v8_encrypt(const unsigned char *, unsigned char *, const void *);
void aes_v8_ecb_encrypt(const unsigned char *, unsigned char *, size_t, const void *, int);
void aes_v8_ctr32_encrypt_blocks(const unsigned char *, unsigned char *, size_t, const void *,
				 const unsigned char *);

static void sha3(void)
{
	SHA3_absorb((void *)state, data, BYTES, SHA3_RATE);
}

static void vpaes_key(void)
{
	vpaes_set_encrypt_key(key, 128, state);
}

static void vpaes_cbc(void)
{
	vpaes_cbc_encrypt(data, data, BYTES, state, iv, 1);
}

static void vpaes_encrypt(void)
{
	vpaes_ecb_encrypt(data, data, BYTES, state);
}

static void vpaes_decrypt_key(void)
{
	vpaes_set_decrypt_key(key, 128, state);
}

static void vpaes_decrypt(void)
{
	vpaes_ecb_decrypt(data, data, BYTES, state);
}

static void ghash_key(void)
{
	gcm_init_v8(state, (void *)key);
}

static void ghash(void)
{
	gcm_ghash_v8((void *)iv, state, data, BYTES);
}

static void aes_cbc(void)
{
	aes_v8_cbc_encrypt(data, data, BYTES, state, iv, 1);
}

static void aes128_decrypt_key(void)
{
	aes_v8_set_decrypt_key(key, 128, state);
}

static void aes_cbc_decrypt(void)
{
	aes_v8_cbc_encrypt(data, data, BYTES, state, iv, 0);
}

/* Encrypts one block after the other, as the library's ECB code did before its blocks were
 * interleaved (published.tsv). */
static void aes_blocks(void)
{
	for (size_t i = 0; i < BYTES; i += 16)
		aes_v8_encrypt(data + i, data + i, state);
}

static void aes_ecb(void)
{
	aes_v8_ecb_encrypt(data, data, BYTES, state, 1);
}

static void aes_ctr(void)
{
	aes_v8_ctr32_encrypt_blocks(data, data, BYTES / 16, state, iv);
}
#else
void gcm_ghash_4bit(uint64_t[2], const void *, const unsigned char *, size_t);
void AES_ige_encrypt(const unsigned char *, unsigned char *, size_t, const void *, unsigned char *,
		     int);
int AES_set_encrypt_key(const unsigned char *, int, void *);
#define set_aes_key AES_set_encrypt_key
void AES_cbc_encrypt(const unsigned char *, unsigned char *, size_t, const void *, unsigned char *,
		     int);

/* The table need not be that of a key, because the time does not depend on its contents. */
static void ghash_table(void)
{
	for (unsigned i = 0; i < sizeof(state); i++)
		state[i] = (unsigned char)(29 * i + 7);
}

static void ghash_4bit(void)
{
	gcm_ghash_4bit((void *)iv, state, data, BYTES);
}

static void aes_cbc(void)
{
	AES_cbc_encrypt(data, data, BYTES, state, iv, 1);
}

/* The rounds are in assembly, but the exclusive-or with earlier blocks is compiled from C. */
static void aes_ige(void)
{
	AES_ige_encrypt(data, data, BYTES, state, iv, 1);
}
#endif

static void aes128_key(void)
{
	set_aes_key(key, 128, state);
}

static void aes192_key(void)
{
	set_aes_key(key, 192, state);
}

static void aes256_key(void)
{
	set_aes_key(key, 256, state);
}

static const struct work {
	const char *name;
	void (*begin)(void), (*turn)(void);
} works[] = {
	{ "sha1", NULL, sha1 },
	{ "sha256", NULL, sha256 },
	{ "chacha20", NULL, chacha20 },
	{ "sha512", NULL, sha512 },
	{ "poly1305", poly1305_key, poly1305 },
#ifdef __aarch64__
	{ "sha3", NULL, sha3 },
	{ "vpaes-cbc", vpaes_key, vpaes_cbc },
	{ "vpaes-ecb", vpaes_key, vpaes_encrypt },
	{ "vpaes-ecb-decrypt", vpaes_decrypt_key, vpaes_decrypt },
	{ "ghash", ghash_key, ghash },
	{ "aes-ctr", aes128_key, aes_ctr },
	{ "aes-128-cbc-decrypt", aes128_decrypt_key, aes_cbc_decrypt },
	{ "aes-128-blocks", aes128_key, aes_blocks },
	{ "aes-192-blocks", aes192_key, aes_blocks },
	{ "aes-256-blocks", aes256_key, aes_blocks },
	{ "aes-128-ecb", aes128_key, aes_ecb },
	{ "aes-192-ecb", aes192_key, aes_ecb },
	{ "aes-256-ecb", aes256_key, aes_ecb },
#else
	{ "ghash-4bit", ghash_table, ghash_4bit },
	{ "aes-128-ige", aes128_key, aes_ige },
	{ "aes-256-ige", aes256_key, aes_ige },
#endif
	{ "aes-128-cbc", aes128_key, aes_cbc },
	{ "aes-192-cbc", aes192_key, aes_cbc },
	{ "aes-256-cbc", aes256_key, aes_cbc },
};

int main(int argc, char **argv)
{
	const struct work *w = works;

	if (argc != 4)
		return 2;
	while (strcmp(w->name, argv[1]) != 0)
		if (++w == works + sizeof(works) / sizeof(works[0]))
			return 2;
	for (unsigned i = 0; i < sizeof(key); i++)
		key[i] = (unsigned char)(17 * i + 3);
	OPENSSL_armcap_P = (unsigned int)strtoul(argv[2], NULL, 0);
	if (w->begin)
		w->begin();
	for (unsigned long n = strtoul(argv[3], NULL, 0); n; n--)
		w->turn();
	return 0;
}
