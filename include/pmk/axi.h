/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * AXI: the sample of an interface in one cycle of its clock.
 *
 * Source: IHI 0022  AMBA AXI and ACE protocol specification, parts A (AXI3, AXI4) and B (AXI4-Lite)
 *
 * There is one sample per rising edge of ACLK. It holds the values of the signals at the edge. A
 * transfer takes place at an edge at which VALID and READY of its channel are both high (A3.2.1).
 *
 * If a signal was x or z at the edge, its bit in `x` is set, and its value is ignored.
 */
#ifndef PMK_AXI_H
#define PMK_AXI_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The signals, by role. X(role, name): `name` is the name in the specification, in lower case. */
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

/* A set of signals is the sum of these bits. */
#define PMK_AXI_ROLE(role) (UINT32_C(1) << (role))
/* Reads cannot be observed without the first set, and writes not without the second. */
#define PMK_AXI_READS                                                    \
	(PMK_AXI_ROLE(PMK_AXI_ARVALID) | PMK_AXI_ROLE(PMK_AXI_ARREADY) | \
	 PMK_AXI_ROLE(PMK_AXI_RVALID) | PMK_AXI_ROLE(PMK_AXI_RREADY))
#define PMK_AXI_WRITES                                                   \
	(PMK_AXI_ROLE(PMK_AXI_AWVALID) | PMK_AXI_ROLE(PMK_AXI_AWREADY) | \
	 PMK_AXI_ROLE(PMK_AXI_BVALID) | PMK_AXI_ROLE(PMK_AXI_BREADY))

struct pmk_axi_cycle {
	uint64_t value[PMK_AXI_NROLES];
	uint32_t x; /* set of signals that were x or z */
	/* ARESETn is asserted: nothing is transferred, and the other signals are ignored. */
	bool reset;
};

#ifdef __cplusplus
}
#endif

#endif
