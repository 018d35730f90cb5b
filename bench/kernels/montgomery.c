/* SPDX-License-Identifier: MIT */
/*
 * The modular exponentiation of an RSA verification, with the exponent 65537. Debian's libcrypto
 * does nearly all of it in one function, bn_mul_mont(), which is written by hand.
 *
 *   montgomery BITS TIMES
 */
#include <stdlib.h>

extern unsigned int OPENSSL_armcap_P;

typedef struct bignum_st BIGNUM;
typedef struct bignum_ctx BN_CTX;
typedef struct bn_mont_ctx_st BN_MONT_CTX;

BIGNUM *BN_new(void);
BIGNUM *BN_bin2bn(const unsigned char *, int, BIGNUM *);
BN_CTX *BN_CTX_new(void);
BN_MONT_CTX *BN_MONT_CTX_new(void);
int BN_MONT_CTX_set(BN_MONT_CTX *, const BIGNUM *, BN_CTX *);
int BN_mod_exp_mont(BIGNUM *, const BIGNUM *, const BIGNUM *, const BIGNUM *, BN_CTX *,
		    BN_MONT_CTX *);

int main(int argc, char **argv)
{
	static const unsigned char exponent[] = { 1, 0, 1 };
	unsigned char text[512];
	BIGNUM *modulus, *base, *power, *result;
	BN_MONT_CTX *mont;
	BN_CTX *ctx;
	int bytes;

	if (argc != 3)
		return 2;
	bytes = atoi(argv[1]) / 8;
	if (bytes < 1 || bytes > (int)sizeof(text))
		return 2;
	/* The published figures are those of a bn_mul_mont() without vector instructions. */
	OPENSSL_armcap_P = 0;
	for (int i = 0; i < bytes; i++)
		text[i] = (unsigned char)(37 * i * i + 11 * i + 201);
	text[bytes - 1] |= 1; /* a modulus is odd */
	modulus = BN_bin2bn(text, bytes, NULL);
	text[0] /= 2;
	base = BN_bin2bn(text, bytes, NULL);
	power = BN_bin2bn(exponent, sizeof(exponent), NULL);
	result = BN_new();
	ctx = BN_CTX_new();
	mont = BN_MONT_CTX_new();
	if (!modulus || !base || !power || !result || !ctx || !mont ||
	    !BN_MONT_CTX_set(mont, modulus, ctx))
		return 1;
	for (unsigned long n = strtoul(argv[2], NULL, 0); n; n--)
		if (!BN_mod_exp_mont(result, base, power, modulus, ctx, mont))
			return 1;
	return 0;
}
