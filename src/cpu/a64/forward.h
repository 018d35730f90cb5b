/* SPDX-License-Identifier: MIT */
/*
 * Finds the loads that read what a store has just written, as far as the code shows it. For each
 * general register there is a value: an expression plus a constant. Two addresses are the same if
 * their values are equal. An expression stands for what a register had at the beginning of the
 * piece of code, for an address in the program, or for the result of an instruction with certain
 * operands, loads included.
 *
 * A *slot* holds the time from which a stored word can be loaded. It passes this time on from one
 * piece of code to the next. Slots of the first kind are for words near the stack pointer and the
 * frame pointer, and for words at fixed addresses; words 48 bytes apart share such a slot. Slots of
 * the second kind are for words at addresses that were computed from words of the first kind, for
 * example elements of an array in code without optimization. If a piece of code writes a word of
 * the first kind, this word may be an index, and computed addresses then mean other elements. So
 * the piece of code forgets all slots of the second kind, except those of its own stores whose
 * addresses do not depend on the written words.
 *
 * Not modelled: addresses that are the same although their values are different.
 */
#ifndef PMK_CPU_A64_FORWARD_H
#define PMK_CPU_A64_FORWARD_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/isa.h>

#define PMK_A64_STORES	   16 /* number of stores that are remembered */
#define PMK_A64_WORD_SLOTS 12
#define PMK_A64_SLOTS	   16

struct pmk_a64_value {
	uint64_t expression;
	int64_t plus;
	/*
	 * The registers and the words of memory that the value depends on. Many words share a bit.
	 */
	uint64_t registers, words;
};

struct pmk_a64_stored {
	struct pmk_a64_value at;
	uint8_t bytes;
};

struct pmk_a64_stores {
	struct pmk_a64_value value[32]; /* values of the general registers and SP */
	struct pmk_a64_stored row[PMK_A64_STORES];
	unsigned count;	  /* stores so far; the last one is row[(count - 1) % PMK_A64_STORES] */
	uint64_t words;	  /* words of the frame and of fixed addresses that were written */
	uint64_t unknown; /* number of unknown values so far */
};

void pmk_a64_stores_init(struct pmk_a64_stores *s);

/* The number of registers that the instruction loads or stores, each of mem_bytes. Returns 0 for
 * other instructions, whose addresses pmk does not compare. */
unsigned pmk_a64_words(const struct pmk_insn *in);

/* Returns the address of word number `word` of a load or store. */
struct pmk_a64_value pmk_a64_address(const struct pmk_a64_stores *s, const struct pmk_insn *in,
				     unsigned word);

/* Returns the row of the latest store that overlaps the `bytes` bytes at `at`, or -1. Sets *whole
 * to true if that store has written all of these bytes. */
int pmk_a64_stores_find(const struct pmk_a64_stores *s, const struct pmk_a64_value *at,
			unsigned bytes, bool *whole);
/* Adds a store and returns its row. */
unsigned pmk_a64_stores_add(struct pmk_a64_stores *s, const struct pmk_insn *in);
/*
 * Updates the values of the registers that the instruction writes. Called after the functions
 * above.
 */
void pmk_a64_stores_pass(struct pmk_a64_stores *s, const struct pmk_insn *in);

/* Returns the slot where earlier pieces of code have stored the time of a word, or -1. */
int pmk_a64_slot_before(const struct pmk_a64_stores *s, const struct pmk_a64_value *at);
/* Returns the slot where later pieces of code look for the time of a word, or -1. */
int pmk_a64_slot_after(const struct pmk_a64_stores *s, const struct pmk_a64_value *at);

#endif
