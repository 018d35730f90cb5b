/* SPDX-License-Identifier: MIT */
/*
 * Scripts of masters as text: "dma0:burst=incr8,period=40,slave=mpmc".
 *
 *	MASTER:KEY=VALUE[,KEY=VALUE]…
 *
 *	MASTER	armi, clcdc, dma0, dma1, exp, armd
 *	period	cycles from the start of one burst to the start of the next, at least; 0: without a gap.
 *		A burst that is late shifts those after it. Has no default
 *	burst	single, incr, wrap4, incr4, wrap8, incr8, wrap16, incr16     armi, armd: wrap8, else incr8
 *	beats	of an incr burst, 1 to 255				     1
 *	size	byte, half, word					     word
 *	dir	read, write, both (in turn)				     read
 *	prot	HPROT, 0 to 15						     3, armi 2
 *	slave	by name							     mpmc, unless there is an addr
 *	addr	address of the first burst				     the slave's first
 *	span	bytes, after which it begins again at addr		     65536
 *	start	cycle of the first burst				     0
 *	count	bursts, 0: without end					     0
 *	busy	BUSY cycles before each beat but the first		     0
 *
 * What a master of the development chip never does (DDI 0287B §4.2.2) is refused: no writes of armi
 * and clcdc, no bytes of theirs, no SINGLE of a DMA controller, no BUSY of armi, clcdc and armd.
 */
#ifndef PMK_AHB_TRAFFIC_H
#define PMK_AHB_TRAFFIC_H

#include <stddef.h>

#include "ahb/matrix.h"

/* "dma0" for PMK_MATRIX_DMA0; NULL for no master. */
const char *pmk_matrix_master_name(unsigned master);

/*
 * 0, or PMK_EPARSE with one line in `msg` that says what is wrong and what may stand there. The script
 * is one that pmk_matrix_script() takes.
 */
int pmk_traffic_parse(const char *text, const struct pmk_matrix_config *config, unsigned *master,
		      struct pmk_matrix_script *script, char *msg, size_t size);

#endif
