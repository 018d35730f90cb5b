/* SPDX-License-Identifier: MIT */
/*
 * Parses the description of all traffic on the buses except the core's: masters with scripts
 * ("dma0:burst=incr8,period=40,slave=mpmc"), the MBX on its link ("gxi:period=10,dir=both"), and
 * slaves that refuse transfers ("smc:retry=every:5"). The form is
 *
 *	WHO:KEY=VALUE[,KEY=VALUE]…
 *
 * The last column of these tables has the defaults.
 *
 *	armi, clcdc, dma0, dma1, exp, armd: struct pmk_matrix_script
 *
 *	period	the fewest cycles from the start of one burst to the start of the next; 0: no gap.
 *		If a burst is late, all later bursts are late, too		     required
 *	burst	single, incr, wrap4, incr4, wrap8, incr8, wrap16, incr16     incr8
 *		(armi, armd)						     wrap8
 *	beats	beats of an incr burst, 1 to 255			     1
 *	size	byte, half, word					     word
 *	dir	read, write, both (in turn)				     read
 *	prot	HPROT, 0 to 15						     3, armi 2
 *	slave	name of the slave					     mpmc, or by addr
 *	addr	address of the first burst				     the slave's first
 *	span	bytes after which the addresses begin again at addr	     65536
 *	start	cycle of the first burst				     0
 *	count	number of bursts; 0: there is no end			     0
 *	busy	BUSY cycles before each beat except the first		     0
 *	lock	on: every burst is locked. With dir=both, a read and the write after it are locked
 *		together at one address, as for a SWP, and period is from pair to pair	off
 *
 *	gxi: struct pmk_mbx_script; its transfers are single words, in mpmc
 *
 *	period, dir, addr, span, start, count	as for a master, with transfers as bursts
 *	step	bytes from one transfer to the next			     4
 *	pending	the most reads in flight, 1 to 8			     4
 *	read_wait	cycles that a read request waits		     0
 *	write_wait	cycles that a write request waits		     mpmc's first write
 *	data_wait	cycles that read data wait			     mpmc's first read
 *
 *	the name of a slave: struct pmk_matrix_slave
 *
 *	retry	every:N; one transfer in N is answered with RETRY
 *	split	every:N; one transfer in N is answered with SPLIT
 *	release	cycles after which a layer that got SPLIT may continue	     8
 *
 * The parser refuses what a master of the development chip never does (DDI 0287B §4.2.2): writes
 * and byte transfers of armi and clcdc, a SINGLE of a DMA controller, and BUSY of armi, clcdc and
 * armd. It also refuses a lock for masters that only read (our choice).
 */
#ifndef PMK_AHB_TRAFFIC_H
#define PMK_AHB_TRAFFIC_H

#include <stddef.h>

#include "buses/ahb/matrix.h"
#include "buses/ahb/mbx.h"

/*
 * When a slave refuses. The values are those of struct pmk_matrix_slave. `every` is 0 if the slave
 * never refuses.
 */
struct pmk_refusal {
	uint32_t every;
	bool split;
	uint32_t release;
};

/* All traffic on the buses except the core's. If everything is zero, there is none. */
struct pmk_traffic {
	struct pmk_matrix_script
		master[PMK_MATRIX_NMASTERS]; /* the masters' scripts; a script runs if it is `on` */
	struct pmk_mbx_script gxi;
	struct pmk_refusal slave[PMK_MATRIX_MAX_SLAVES]; /* by number in the matrix */
};

/*
 * Adds one text. Returns 0, or PMK_EPARSE with one line in `msg` that names the mistake and the
 * valid values; in that case the traffic has not changed. pmk_matrix_script() and pmk_mbx_init()
 * accept every resulting script.
 */
int pmk_traffic_parse(const char *text, const struct pmk_matrix_config *config,
		      struct pmk_traffic *traffic, char *msg, size_t size);

#endif
