/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * AXI: what is sampled of an interface in one cycle of its clock.
 *
 * Source: IHI 0022  AMBA AXI and ACE protocol specification, parts A (AXI3, AXI4) and B (AXI4-Lite)
 *
 * One sample per rising edge of ACLK: the values that the signals have at the edge. A transfer
 * takes place at an edge at which VALID and READY of its channel are both high (A3.2.1).
 *
 * A signal that was x or z at the edge has its bit in `x`, and its value does not matter.
 */
#ifndef PMK_AXI_H
#define PMK_AXI_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The signals, by role. X(role, name): the name is that of the specification, lower case. */
#define PMK_AXI_ROLES(X)    \
	X(AWVALID, awvalid) \
	X(AWREADY, awready) \
	X(AWADDR, awaddr)   \
	X(AWLEN, awlen)     \
	X(AWSIZE, awsize)   \
	X(AWBURST, awburst) \
	X(AWID, awid)       \
	X(WVALID, wvalid)   \
	X(WREADY, wready)   \
	X(WDATA, wdata)     \
	X(WSTRB, wstrb)     \
	X(WLAST, wlast)     \
	X(BVALID, bvalid)   \
	X(BREADY, bready)   \
	X(BRESP, bresp)     \
	X(BID, bid)         \
	X(ARVALID, arvalid) \
	X(ARREADY, arready) \
	X(ARADDR, araddr)   \
	X(ARLEN, arlen)     \
	X(ARSIZE, arsize)   \
	X(ARBURST, arburst) \
	X(ARID, arid)       \
	X(RVALID, rvalid)   \
	X(RREADY, rready)   \
	X(RDATA, rdata)     \
	X(RLAST, rlast)     \
	X(RRESP, rresp)     \
	X(RID, rid)

enum pmk_axi_role {
#define X(role, name) PMK_AXI_##role,
	PMK_AXI_ROLES(X)
#undef X
		PMK_AXI_NROLES
};

/* A set of signals: the sum of these. */
#define PMK_AXI_ROLE(role) (UINT32_C(1) << (role))
/* Nothing can be said about reads without the first, and about writes without the second. */
#define PMK_AXI_READS                                                    \
	(PMK_AXI_ROLE(PMK_AXI_ARVALID) | PMK_AXI_ROLE(PMK_AXI_ARREADY) | \
	 PMK_AXI_ROLE(PMK_AXI_RVALID) | PMK_AXI_ROLE(PMK_AXI_RREADY))
#define PMK_AXI_WRITES                                                   \
	(PMK_AXI_ROLE(PMK_AXI_AWVALID) | PMK_AXI_ROLE(PMK_AXI_AWREADY) | \
	 PMK_AXI_ROLE(PMK_AXI_BVALID) | PMK_AXI_ROLE(PMK_AXI_BREADY))

struct pmk_axi_cycle {
	uint64_t value[PMK_AXI_NROLES];
	uint32_t x; /* set of signals that were x or z */
	bool reset; /* ARESETn is asserted: nothing is transferred, whatever the signals say */
};

#ifdef __cplusplus
}
#endif

#endif
