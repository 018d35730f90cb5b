/* SPDX-License-Identifier: MIT */
/*
 * Which loads read what a store has just written, as far as the code shows it. For each general
 * register there is a value: an expression plus a constant. Two addresses are the same if their
 * values are. An expression stands for what a register had at the beginning of the piece of code,
 * for an address in the program, or for the result of an instruction with certain operands, loads
 * included.
 *
 * From one piece of code to the next there are slots. One kind is for words near the stack pointer
 * and the frame pointer, and for words of fixed addresses; words 48 bytes apart share a slot. The
 * other kind is for addresses that were computed from such words, for example of elements of an
 * array in code without optimization; these are forgotten when such a word is written that the
 * address does not depend on, because it may be the index of the next element.
 *
 * Not modelled: other addresses that happen to be the same.
 */
#ifndef PMK_CPU_A64_FORWARD_H
#define PMK_CPU_A64_FORWARD_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/isa.h>

#define PMK_A64_STORES	   16 /* that are remembered */
#define PMK_A64_WORD_SLOTS 12
#define PMK_A64_SLOTS	   16

struct pmk_a64_value {
	uint64_t expression;
	int64_t plus;
	/* What it depends on: registers, and words of memory, of which many share a bit. */
	uint64_t registers, words;
};

struct pmk_a64_stored {
	struct pmk_a64_value at;
	uint8_t bytes;
};

struct pmk_a64_stores {
	struct pmk_a64_value value[32]; /* of the general registers and SP */
	struct pmk_a64_stored row[PMK_A64_STORES];
	unsigned count;	  /* stores so far; the last one is row[(count - 1) % PMK_A64_STORES] */
	uint64_t words;	  /* of the frame and of fixed addresses that were written */
	uint64_t unknown; /* number of values that nothing is known of */
};

void pmk_a64_stores_init(struct pmk_a64_stores *s);

/* The number of registers that the instruction loads or stores, each of mem_bytes. 0: another kind
 * of instruction, whose address is not looked at. */
unsigned pmk_a64_words(const struct pmk_insn *in);

/* The address of word number `word` of a load or store. */
struct pmk_a64_value pmk_a64_address(const struct pmk_a64_stores *s, const struct pmk_insn *in,
				     unsigned word);

/* The row of the latest store that overlaps with these bytes, or -1. *whole: the store has written
 * all of them. */
int pmk_a64_stores_find(const struct pmk_a64_stores *s, const struct pmk_a64_value *at,
			unsigned bytes, bool *whole);
/* The row of a new store. */
unsigned pmk_a64_stores_add(struct pmk_a64_stores *s, const struct pmk_insn *in);
/* The instruction changes registers. Called after the functions above. */
void pmk_a64_stores_pass(struct pmk_a64_stores *s, const struct pmk_insn *in);

/* The slot where pieces of code before this one have left the time of a word; -1: none. */
int pmk_a64_slot_before(const struct pmk_a64_stores *s, const struct pmk_a64_value *at);
/* The slot where later ones find it. */
int pmk_a64_slot_after(const struct pmk_a64_stores *s, const struct pmk_a64_value *at);

#endif
