// SPDX-License-Identifier: MIT
// Two AHB layers with random transfers. Each has a master, a slave, and a scoreboard that counts
// the signals at every rising edge of HCLK while HRESETn is high:
//
//	vvp bus.vvp +dump=FILE +seed=N +cycles=N
//
// prints "LAYER READ n WRITE n WAIT n BURST n WAIT_FIRST n" for each layer, and "cycles N". Compiled with
// -DBROKEN the second master forgets to hold HADDR in wait states.
//
// The design also has a GXI with the states of its channels (DDI 0287B Tables 4-4 and 4-5). Its
// line is "gxi RD n WR n RD_WAIT n WR_WAIT n DATA_WAIT n", followed by the stalls of more than one
// cycle (RD_OVER, WR_OVER, DATA_OVER) and the changes of page (PAGE_2K to PAGE_16K).
`timescale 1ns/1ps

// Bursts of all fixed types, with pauses, and BUSY now and then.
module master(input hclk, input hresetn, input hready, input hresp, output reg [31:0] haddr,
	      output reg [1:0] htrans, output reg hwrite, output reg [2:0] hsize,
	      output reg [2:0] hburst, output reg [3:0] hprot);
	parameter SALT = 0;
	parameter BROKEN = 0;
	reg [4:0] left;		// beats that follow the current one
	reg [31:0] r, mask;
	integer seed;

	initial begin
		if (!$value$plusargs("seed=%d", seed)) seed = 1;
		r = seed * 32'h9e3779b1 + SALT;
	end

	function [31:0] next(input [31:0] x);	// xorshift: the same in every simulator
		begin
			next = x ^ x << 13;
			next = next ^ next >> 17;
			next = next ^ next << 5;
		end
	endfunction

	function [4:0] beats(input [2:0] burst);
		case (burst)
		0: beats = 1;
		2, 3: beats = 4;
		4, 5: beats = 8;
		6, 7: beats = 16;
		default: beats = 1;
		endcase
	endfunction

	task start;
		begin
			r = next(r);
			if (r[1:0] == 0) begin
				htrans <= 0;
				left <= 0;
			end else begin
				htrans <= 2;
				hburst <= r[4:2];
				hwrite <= r[5];
				hsize <= 2;
				hprot <= r[9:6];
				haddr <= {4'h1, r[27:10], 10'h0} | (r[6:2] << 2 & {25'h0, ~(beats(r[4:2]) - 5'd1), 2'b0});
				left <= beats(r[4:2]) - 1;
			end
		end
	endtask

	always @(posedge hclk or negedge hresetn)
		if (!hresetn) begin
			htrans <= 0; haddr <= 0; hwrite <= 0; hsize <= 2; hburst <= 0; hprot <= 1;
			left <= 0;
		end else if (hready) begin
			r = next(r);
			if (hresp && htrans != 0) begin	// the second cycle of an ERROR: give the burst up
				htrans <= 0;
				left <= 0;
			end else if (htrans == 1) begin	// BUSY ends
				htrans <= 3;
				left <= left - 1;
			end else if (left != 0) begin
				mask = (beats(hburst) << 2) - 1;
				haddr <= hburst[0] ? haddr + 4 : (haddr & ~mask) | ((haddr + 4) & mask);
				if (r[12:10] == 0) begin
					htrans <= 1;
				end else begin
					htrans <= 3;
					left <= left - 1;
				end
			end else
				start;
		end else if (hresp) begin	// the first cycle of an ERROR
			htrans <= 0;
			left <= 0;
		end else if (BROKEN && htrans[1] && left == 2)
			haddr <= haddr + 64;
endmodule

// A slave that inserts wait states at random, and answers ERROR to one address in 32.
module slave(input hclk, input hresetn, input [31:0] haddr, input [1:0] htrans, output reg hready,
	     output reg hresp);
	parameter SALT = 0;
	reg [31:0] r;
	reg [1:0] waits;
	reg erring;
	integer seed;

	initial begin
		if (!$value$plusargs("seed=%d", seed)) seed = 1;
		r = seed * 32'h85ebca6b + SALT;
	end

	function [31:0] next(input [31:0] x);
		begin
			next = x ^ x << 13;
			next = next ^ next >> 17;
			next = next ^ next << 5;
		end
	endfunction

	always @(posedge hclk or negedge hresetn)
		if (!hresetn) begin
			hready <= 1; hresp <= 0; waits <= 0; erring <= 0;
		end else if (!hready && waits != 0) begin
			waits <= waits - 1;
			hready <= waits == 1 && !erring;
			hresp <= waits == 1 && erring;
		end else if (!hready)	// first cycle of an ERROR
			hready <= 1;
		else begin
			r = next(r);
			erring <= htrans[1] && r[8:4] == 0;
			waits <= htrans[1] && r[3] ? r[1:0] : 0;
			hresp <= htrans[1] && r[8:4] == 0 && !(r[3] && r[1:0] != 0);
			hready <= !(htrans[1] && ((r[3] && r[1:0] != 0) || r[8:4] == 0));
		end
endmodule

// Counts by the rules of the AHB Monitor, without pmk.
module scoreboard(input hclk, input hresetn, input hready, input hresp, input [1:0] htrans, input hwrite);
	integer reads, writes, waits, bursts, first;
	reg [1:0] phase;
	reg write;

	initial begin
		reads = 0; writes = 0; waits = 0; bursts = 0; first = 0;
	end
	always @(posedge hclk)
		if (!hresetn)
			phase <= 0;
		else begin
			if (phase[1] && !hready && !hresp) begin
				waits = waits + 1;
				if (phase == 2) first = first + 1;
			end
			if (phase[1] && hready) begin
				if (write) writes = writes + 1; else reads = reads + 1;
				if (phase == 2) bursts = bursts + 1;
			end
			if (hready) begin
				phase <= htrans;
				write <= hwrite;
			end
		end
endmodule

module layer(input hclk, input hresetn);
	parameter SALT = 0;
	parameter BROKEN = 0;
	wire [31:0] haddr;
	wire [1:0] htrans;
	wire hwrite, hready, hresp;
	wire [2:0] hsize, hburst;
	wire [3:0] hprot;

	master #(.SALT(SALT), .BROKEN(BROKEN)) m(.hclk(hclk), .hresetn(hresetn), .hready(hready), .hresp(hresp), .haddr(haddr),
		.htrans(htrans), .hwrite(hwrite), .hsize(hsize), .hburst(hburst), .hprot(hprot));
	slave #(.SALT(SALT + 100)) s(.hclk(hclk), .hresetn(hresetn), .haddr(haddr), .htrans(htrans), .hready(hready),
		.hresp(hresp));
	scoreboard b(.hclk(hclk), .hresetn(hresetn), .hready(hready), .hresp(hresp), .htrans(htrans),
		.hwrite(hwrite));
endmodule

// Requests wait for up to three cycles, and have random addresses within 64 KB. The data of reads
// arrive after random times.
module gxi(input hclk, input hresetn, output reg [1:0] address_state, output reg [1:0] data_state,
	   output reg [31:0] address, output reg write);
	reg [31:0] r;
	reg asks;
	reg [1:0] left;
	reg [7:0] pending;	// accepted reads, without the read that this cycle accepts
	reg [7:0] p;
	integer seed;

	initial begin
		if (!$value$plusargs("seed=%d", seed)) seed = 1;
		r = seed * 32'hc2b2ae35 + 7;
	end

	function [31:0] next(input [31:0] x);
		begin
			next = x ^ x << 13;
			next = next ^ next >> 17;
			next = next ^ next << 5;
		end
	endfunction

	always @(posedge hclk or negedge hresetn)
		if (!hresetn) begin
			address_state <= 0; data_state <= 0; address <= 0; write <= 0;
			asks <= 0; left <= 0; pending <= 0;
		end else begin
			r = next(r);
			if (asks && left != 0)
				left <= left - 1;
			else if (asks) begin
				asks <= 0;
				address_state <= write ? 3 : 2;
			end else if (r[1:0] == 0)
				address_state <= 0;
			else begin
				write <= r[2];
				address <= {16'h7000, r[31:18], 2'b0};
				asks <= r[4:3] != 0;
				left <= r[4:3] - 1;
				address_state <= r[4:3] != 0 ? 1 : r[2] ? 3 : 2;
			end
			p = pending + (address_state == 2 ? 1 : 0);
			if (p == 0)
				data_state <= 0;
			else if (r[6:5] == 0)
				data_state <= 1;
			else begin
				data_state <= p > 1 ? 3 : 2;
				p = p - 1;
			end
			pending <= p;
		end
endmodule

module gxi_scoreboard(input hclk, input hresetn, input [1:0] address_state, input [1:0] data_state,
		      input [31:0] address, input write);
	integer rd, wr, rd_wait, wr_wait, data_wait, rd_over, wr_over, data_over, run_rd, run_wr, run_data;
	integer p2, p4, p8, p16;
	reg marked;
	reg [31:0] mark;

	initial begin
		rd = 0; wr = 0; rd_wait = 0; wr_wait = 0; data_wait = 0; rd_over = 0; wr_over = 0; data_over = 0;
		run_rd = 0; run_wr = 0; run_data = 0; p2 = 0; p4 = 0; p8 = 0; p16 = 0; marked = 0;
	end
	always @(posedge hclk)
		if (hresetn) begin
			run_rd = address_state == 1 && !write ? run_rd + 1 : 0;
			run_wr = address_state == 1 && write ? run_wr + 1 : 0;
			run_data = data_state == 1 ? run_data + 1 : 0;
			if (run_rd != 0) rd_wait = rd_wait + 1;
			if (run_wr != 0) wr_wait = wr_wait + 1;
			if (run_data != 0) data_wait = data_wait + 1;
			if (run_rd == 2) rd_over = rd_over + 1;
			if (run_wr == 2) wr_over = wr_over + 1;
			if (run_data == 2) data_over = data_over + 1;
			if (address_state == 2) rd = rd + 1;
			if (address_state == 3) wr = wr + 1;
			if (address_state[1]) begin
				if (marked && address[31:11] != mark[31:11]) p2 = p2 + 1;
				if (marked && address[31:12] != mark[31:12]) p4 = p4 + 1;
				if (marked && address[31:13] != mark[31:13]) p8 = p8 + 1;
				if (marked && address[31:14] != mark[31:14]) p16 = p16 + 1;
				marked = 1;
				mark = address;
			end
		end
endmodule

module link(input hclk, input hresetn);
	wire [1:0] address_state, data_state;
	wire [31:0] address;
	wire write;

	gxi g(.hclk(hclk), .hresetn(hresetn), .address_state(address_state), .data_state(data_state),
		.address(address), .write(write));
	gxi_scoreboard b(.hclk(hclk), .hresetn(hresetn), .address_state(address_state),
		.data_state(data_state), .address(address), .write(write));
endmodule

module tb;
	reg hclk, hresetn;
	integer cycles, limit;
	reg [8*256-1:0] dump;

`ifdef BROKEN
	localparam B = 1;
`else
	localparam B = 0;
`endif
	layer #(.SALT(1)) armd(.hclk(hclk), .hresetn(hresetn));
	layer #(.SALT(2), .BROKEN(B)) dma0(.hclk(hclk), .hresetn(hresetn));
	link mbx(.hclk(hclk), .hresetn(hresetn));

	always #5 hclk = ~hclk;
	always @(posedge hclk) if (hresetn) begin
		cycles = cycles + 1;
		if (cycles == limit) begin
			#1;
			$display("armd READ %0d WRITE %0d WAIT %0d BURST %0d WAIT_FIRST %0d", armd.b.reads,
				 armd.b.writes, armd.b.waits, armd.b.bursts, armd.b.first);
			$display("dma0 READ %0d WRITE %0d WAIT %0d BURST %0d WAIT_FIRST %0d", dma0.b.reads,
				 dma0.b.writes, dma0.b.waits, dma0.b.bursts, dma0.b.first);
			$display("gxi RD %0d WR %0d RD_WAIT %0d WR_WAIT %0d DATA_WAIT %0d RD_OVER %0d WR_OVER %0d DATA_OVER %0d PAGE_2K %0d PAGE_4K %0d PAGE_8K %0d PAGE_16K %0d",
				 mbx.b.rd, mbx.b.wr, mbx.b.rd_wait, mbx.b.wr_wait, mbx.b.data_wait, mbx.b.rd_over,
				 mbx.b.wr_over, mbx.b.data_over, mbx.b.p2, mbx.b.p4, mbx.b.p8, mbx.b.p16);
			$display("cycles %0d", cycles);
			$finish;
		end
	end
	initial begin
		if (!$value$plusargs("cycles=%d", limit)) limit = 1000;
		cycles = 0;
		hclk = 0;
		hresetn = 0;
		if ($value$plusargs("dump=%s", dump)) begin
			$dumpfile(dump);
			$dumpvars(0, tb);
		end
		#22 hresetn = 1;
	end
endmodule
