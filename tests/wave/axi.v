// SPDX-License-Identifier: MIT
// Three AXI interfaces with random traffic. Each has a master, a slave and a scoreboard, and all
// channels have back-pressure:
//
//	iverilog -s axi_tb axi.v; vvp a.out +dump=FILE +seed=N +cycles=N
//
// Two interfaces are AXI4 with four IDs: responses with different IDs come in any order, and read
// data are interleaved. The third is AXI4-Lite. The program prints a line for each: "NAME ar N
// r_wait N …". A latency is printed as its N, sum, sum of squares, least and most, and as a
// histogram: "read_4 N" is the number of reads that took 4 to 7 cycles.
//
// With +break=N the master or the slave of `cpu` breaks rule N of the protocol once, after cycle
// 200. The module `agents` has the rules, and test_axi.py has them in the same order. The program
// then prints only the rule and the time.
`timescale 1ns/1ps

// Collects values. Bucket N of the histogram counts the values with N bits.
module values;
	integer n, sum, squares, least, most, i;
	integer bucket[0:15];

	initial begin
		n = 0; sum = 0; squares = 0; least = 1000000; most = 0;
		for (i = 0; i < 16; i = i + 1) bucket[i] = 0;
	end
	task add(input integer value);
		begin
			n = n + 1;
			sum = sum + value;
			squares = squares + value * value;
			if (value < least) least = value;
			if (value > most) most = value;
			i = 0;
			while ((1 << i) <= value) i = i + 1;
			bucket[i] = bucket[i] + 1;
		end
	endtask
	task show(input [8*20-1:0] what);
		begin
			$write(" %0s %0d %0s_sum %0d %0s_squares %0d %0s_min %0d %0s_max %0d", what, n, what, sum, what, squares,
			       what, least, what, most);
			for (i = 0; i < 16; i = i + 1)
				if (bucket[i] != 0) $write(" %0s_%0d %0d", what, i == 0 ? 0 : 1 << (i - 1), bucket[i]);
		end
	endtask
endmodule

// The master and the slave of one interface. With LITE all bursts have one beat and one ID.
module agents(input clk, input rstn,
	      output reg awv, output reg awr, output reg [7:0] awl, output reg [1:0] awi,
	      output reg wv, output reg wr, output reg wl,
	      output reg bv, output reg br, output reg [1:0] bs, output reg [1:0] bi,
	      output reg arv, output reg arr, output reg [7:0] arl, output reg [1:0] ari,
	      output reg rv, output reg rr, output reg rl, output reg [1:0] rs, output reg [1:0] ri,
	      output reg [15:0] awa, output reg [2:0] awz, output reg [1:0] awb, output reg [31:0] wd,
	      output reg [3:0] ws, output reg [15:0] ara, output reg [2:0] arz, output reg [1:0] arb,
	      output reg [31:0] rd);
	parameter SALT = 0;
	parameter LITE = 0;
	integer breaks, now;	// breaks: the rule to break; 0 after it was broken
	reg [1:0] answered;	// there is a new beat of a read, or a response to a write, in this cycle
	reg [31:0] r;
	integer seed, k, id, tried;
	reg found;
	// Queues of 16 entries: for each ID the lengths of accepted reads; the lengths of writes
	// whose data must be sent; the IDs of accepted writes, in order. wdone is the number of
	// complete bursts of write data.
	reg [7:0] rq[0:63];
	integer rhead[0:3], rtail[0:3];
	reg [7:0] rsent[0:3];
	reg [7:0] wq[0:15];
	integer whead, wtail, wsent, wdone;
	reg [1:0] bq[0:15];
	integer bhead, btail;
	integer bready_[0:3];	// for each ID: number of writes that may be answered
	integer unanswered;

	initial begin
		if (!$value$plusargs("seed=%d", seed)) seed = 1;
		if (SALT != 1 || !$value$plusargs("break=%d", breaks)) breaks = 0;
		now = 0;
		r = seed * 32'h9e3779b1 + SALT;
	end

	task roll;	// xorshift, because it gives the same numbers in every simulator
		begin
			r = r ^ r << 13;
			r = r ^ r >> 17;
			r = r ^ r << 5;
		end
	endtask

	function [7:0] length(input [31:0] x);
		if (LITE) length = 0;
		else if (x[9:8] == 0) length = 0;
		else if (x[9:8] == 1) length = 3;
		else length = {5'd0, x[7:5]} << (x[10] & x[11]);
	endfunction

	// Returns {burst, size, address} of a burst with n + 1 beats, chosen by the random number
	// x. A wrapping burst is aligned, and no burst crosses 4 KB.
	function [20:0] shape(input [31:0] x, input [7:0] n);
		reg [1:0] burst;
		reg [2:0] size;
		reg [15:0] a;
		begin
			burst = x[13:12] == 3 ? 1 : x[13:12];
			if (burst == 2 && n != 1 && n != 3 && n != 7) burst = 1;
			size = x[15:14] == 3 ? 2 : x[15:14];
			a = x[31:16];
			if (LITE) begin
				burst = 1;
				size = 2;
			end
			if (burst == 2) a = a >> size << size;
			if (burst == 1 && (a[11:0] >> size << size) + ((n + 1) << size) > 4096) a[11] = 0;
			shape = {burst, size, a};
		end
	endfunction

	task broken;
		begin
			$display("broken %0d at %0t", breaks, $time);
			breaks = 0;
		end
	endtask

	// Replaces the read address that was just chosen by one that breaks the rule.
	task break_address;
		case (breaks)
		3: begin arv <= 1; arb <= 3; broken; end
		4: begin arv <= 1; arb <= 2; arz <= 2; ara <= 0; arl <= 4; broken; end
		5: begin arv <= 1; arb <= 2; arz <= 2; ara <= 2; arl <= 3; broken; end
		6: begin arv <= 1; arb <= 0; arl <= 16; broken; end
		7: begin arv <= 1; arb <= 1; arz <= 2; ara <= 16'h3ff0; arl <= 7; broken; end
		8: begin arv <= 1; arb <= 1; arz <= 3; ara <= 0; arl <= 0; broken; end
		endcase
	endtask

	// Withdraws or changes a read address before the slave has accepted it.
	task break_wait;
		if (arv && !arr) begin
			if (breaks == 1) begin arv <= 0; broken; end
			if (breaks == 2) begin ara <= ara ^ 4; broken; end
		end
	endtask

	// Sends a response without a request, too early, or with an unknown value.
	task break_response;
		begin
			if (breaks == 11 && !answered[0] && (!rv || rr) && rhead[3] == rtail[3] && !(rv && ri == 3) && !(arv && ari == 3)) begin
				rv <= 1; ri <= 3; rl <= 1; rs <= 0;
				broken;
			end
			if (breaks == 12 && !answered[1] && (!bv || br) && bhead < btail && wdone == 0 && bready_[bq[bhead % 16]] == 0) begin
				bv <= 1; bi <= bq[bhead % 16];
				bready_[bq[bhead % 16]] = -1;
				broken;
			end
			if (breaks == 14 && answered[0]) begin
				rs <= 2'bxx;
				broken;
			end
		end
	endtask

	always @(posedge clk or negedge rstn)
		if (!rstn) begin
			awv <= 0; awr <= 0; awl <= 0; awi <= 0; wv <= 0; wr <= 0; wl <= 0; bv <= 0; br <= 0; bs <= 0; bi <= 0;
			arv <= breaks == 13; arr <= 0; arl <= 0; ari <= 0; rv <= 0; rr <= 0; rl <= 0; rs <= 0; ri <= 0;
			awa <= 0; awz <= 0; awb <= 1; wd <= 0; ws <= 0; ara <= 0; arz <= 0; arb <= 1; rd <= 0;
			whead = 0; wtail = 0; wsent = 0; wdone = 0; bhead = 0; btail = 0; unanswered = 0;
			for (k = 0; k < 4; k = k + 1) begin
				rhead[k] = 0; rtail[k] = 0; rsent[k] = 0; bready_[k] = 0;
			end
		end else begin
			now = now + 1;
			answered = 0;
			// What has been transferred at this edge.
			if (arv && arr) begin
				rq[ari * 16 + rtail[ari] % 16] = arl;
				rtail[ari] = rtail[ari] + 1;
			end
			if (awv && awr) begin
				bq[btail % 16] = awi;
				btail = btail + 1;
				unanswered = unanswered + 1;
			end
			if (bv && br) unanswered = unanswered - 1;
			if (wv && wr && wl) wdone = wdone + 1;
			if (wdone > 0 && bhead < btail) begin
				bready_[bq[bhead % 16]] = bready_[bq[bhead % 16]] + 1;
				bhead = bhead + 1;
				wdone = wdone - 1;
			end
			// Addresses. There are no more requests than the queues can hold.
			roll;
			if (!arv || arr) begin
				arv <= r[1:0] == 0;
				ari <= LITE ? 0 : r[3:2];
				arl <= length(r);
				{arb, arz, ara} <= shape({r[15:0], r[31:16]}, length(r));
				if (now > 200) break_address;
			end else if (now > 200)
				break_wait;
			roll;
			if ((!awv || awr) && wtail - whead < 12) begin
				awv <= r[1:0] == 0;
				awi <= LITE ? 0 : r[3:2];
				awl <= length(r);
				{awb, awz, awa} <= shape({r[15:0], r[31:16]}, length(r));
				if (r[1:0] == 0) begin
					wq[wtail % 16] = length(r);
					wtail = wtail + 1;
				end
			end else if (awr)
				awv <= 0;
			roll;
			arr <= r[1:0] != 0 && rtail[0] - rhead[0] < 8 && rtail[1] - rhead[1] < 8 && rtail[2] - rhead[2] < 8
				&& rtail[3] - rhead[3] < 8;
			awr <= r[3:2] != 0 && btail - bhead < 8 && unanswered < 12;
			wr <= r[5:4] != 0;
			br <= r[7:6] != 0;
			rr <= r[9:8] != 0;
			// Write data, which may come before their address.
			if (!wv || wr) begin
				wv <= 0;
				if (whead < wtail && r[10]) begin
					wv <= 1;
					wd <= r;
					ws <= r[31:28];
					wl <= wsent >= wq[whead % 16];
					if (now > 200 && breaks == 10 && wsent == wq[whead % 16]) begin
						wl <= 0;
						wsent = wsent + 1;
						broken;
					end else if (wsent >= wq[whead % 16] || now > 200 && breaks == 9 && !awv && wsent > 0) begin
						wl <= 1;
						if (wsent < wq[whead % 16]) broken;
						wsent = 0;
						whead = whead + 1;
					end else
						wsent = wsent + 1;
				end
			end
			// Responses, of any ID.
			roll;
			if (!bv || br) begin
				bv <= 0;
				id = LITE ? 0 : r[1:0];
				if (r[2] && bready_[id] > 0) begin
					answered[1] = 1;
					bv <= 1;
					bi <= id;
					bs <= r[8:5] == 0 ? 2 : r[8:5] == 1 ? 3 : r[8:5] == 2 ? 1 : 0;
					bready_[id] = bready_[id] - 1;
				end
			end
			if (!rv || rr) begin
				rv <= 0;
				id = LITE ? 0 : r[10:9];
				if (r[12:11] != 0 && rhead[id] < rtail[id]) begin
					answered[0] = 1;
					rv <= 1;
					rd <= {r[15:0], r[31:16]};
					ri <= id;
					rs <= r[17:13] == 0 ? 2 : r[17:13] == 1 ? 3 : 0;
					rl <= rsent[id] == rq[id * 16 + rhead[id] % 16];
					if (rsent[id] == rq[id * 16 + rhead[id] % 16]) begin
						rsent[id] = 0;
						rhead[id] = rhead[id] + 1;
					end else
						rsent[id] = rsent[id] + 1;
				end
			end
			if (now > 200) break_response;
		end
endmodule

module axi_scoreboard(input clk, input rstn, input awv, input awr, input [7:0] awl, input [1:0] awi, input wv,
		      input wr, input bv, input br, input [1:0] bs, input [1:0] bi, input arv, input arr, input [7:0] arl,
		      input [1:0] ari, input rv, input rr, input rl, input [1:0] rs, input [1:0] ri);
	integer aw, w, b, ar, r, aw_wait, w_wait, b_wait, ar_wait, r_wait, r_errors, b_errors, now, reads_, writes_, i;
	integer rbegin[0:255], wbegin[0:255];	// 64 for each ID
	integer rin[0:3], rout[0:3], win[0:3], wout[0:3];
	values read(); values write(); values read_length(); values write_length();
	values read_outstanding(); values write_outstanding();

	initial begin
		aw = 0; w = 0; b = 0; ar = 0; r = 0; aw_wait = 0; w_wait = 0; b_wait = 0; ar_wait = 0; r_wait = 0;
		r_errors = 0; b_errors = 0; now = 0; reads_ = 0; writes_ = 0;
		for (i = 0; i < 4; i = i + 1) begin
			rin[i] = 0; rout[i] = 0; win[i] = 0; wout[i] = 0;
		end
	end
	always @(posedge clk) if (rstn) begin
		now = now + 1;
		read_outstanding.add(reads_);
		write_outstanding.add(writes_);
		if (awv && !awr) aw_wait = aw_wait + 1;
		if (wv && !wr) w_wait = w_wait + 1;
		if (bv && !br) b_wait = b_wait + 1;
		if (arv && !arr) ar_wait = ar_wait + 1;
		if (rv && !rr) r_wait = r_wait + 1;
		if (wv && wr) w = w + 1;
		if (arv && arr) begin
			ar = ar + 1;
			reads_ = reads_ + 1;
			read_length.add(arl + 1);
			rbegin[ari * 64 + rin[ari] % 64] = now;
			rin[ari] = rin[ari] + 1;
		end
		if (awv && awr) begin
			aw = aw + 1;
			writes_ = writes_ + 1;
			write_length.add(awl + 1);
			wbegin[awi * 64 + win[awi] % 64] = now;
			win[awi] = win[awi] + 1;
		end
		if (rv && rr) begin
			r = r + 1;
			if (rs[1]) r_errors = r_errors + 1;
			if (rl) begin
				reads_ = reads_ - 1;
				read.add(now - rbegin[ri * 64 + rout[ri] % 64]);
				rout[ri] = rout[ri] + 1;
			end
		end
		if (bv && br) begin
			b = b + 1;
			writes_ = writes_ - 1;
			if (bs[1]) b_errors = b_errors + 1;
			write.add(now - wbegin[bi * 64 + wout[bi] % 64]);
			wout[bi] = wout[bi] + 1;
		end
	end
	task show(input [8*8-1:0] name, input lite);
		begin
			$write("%0s aw %0d w %0d b %0d ar %0d r %0d aw_wait %0d w_wait %0d b_wait %0d ar_wait %0d r_wait %0d", name, aw,
			       w, b, ar, r, aw_wait, w_wait, b_wait, ar_wait, r_wait);
			$write(" read_error %0d write_error %0d", r_errors, b_errors);
			read.show("read");
			write.show("write");
			read_outstanding.show("read_outstanding");
			write_outstanding.show("write_outstanding");
			if (!lite) begin
				read_length.show("read_length");
				write_length.show("write_length");
			end
			$display("");
		end
	endtask
endmodule

module axi4(input aclk, input aresetn);
	parameter SALT = 0;
	wire awvalid, awready, wvalid, wready, wlast, bvalid, bready, arvalid, arready, rvalid, rready, rlast;
	wire [7:0] awlen, arlen;
	wire [1:0] awid, bid, bresp, arid, rid, rresp, awburst, arburst;
	wire [15:0] awaddr, araddr;
	wire [2:0] awsize, arsize;
	wire [31:0] wdata, rdata;
	wire [3:0] wstrb;

	agents #(.SALT(SALT)) a(aclk, aresetn, awvalid, awready, awlen, awid, wvalid, wready, wlast, bvalid, bready, bresp,
		bid, arvalid, arready, arlen, arid, rvalid, rready, rlast, rresp, rid, awaddr, awsize, awburst, wdata, wstrb,
		araddr, arsize, arburst, rdata);
	axi_scoreboard s(aclk, aresetn, awvalid, awready, awlen, awid, wvalid, wready, bvalid, bready, bresp, bid,
		arvalid, arready, arlen, arid, rvalid, rready, rlast, rresp, rid);
endmodule

module axi_tb;
	reg aclk, aresetn;
	integer cycles, limit;
	reg [8*256-1:0] dump;

	always #5 aclk = ~aclk;
	always @(posedge aclk) if (aresetn) begin
		cycles = cycles + 1;
		if (cycles == limit) begin
			#1;
			cpu.s.show("cpu", 0);
			dma.s.show("dma", 0);
			s.show("s_axil", 1);
			$display("cycles %0d", cycles);
			$finish;
		end
	end
	initial begin
		if (!$value$plusargs("cycles=%d", limit)) limit = 1000;
		cycles = 0;
		aclk = 0;
		aresetn = 0;
		if ($value$plusargs("dump=%s", dump)) begin
			$dumpfile(dump);
			$dumpvars(0, axi_tb);
		end
		#22 aresetn = 1;
	end

	axi4 #(.SALT(1)) cpu(aclk, aresetn);
	axi4 #(.SALT(2)) dma(aclk, aresetn);

	// AXI4-Lite does not have all signals of AXI4: the wires none0 to none11 leave the others
	// unconnected.
	wire s_axil_awvalid, s_axil_awready, s_axil_wvalid, s_axil_wready, s_axil_bvalid, s_axil_bready, s_axil_arvalid,
	     s_axil_arready, s_axil_rvalid, s_axil_rready;
	wire [1:0] s_axil_bresp, s_axil_rresp;
	wire [15:0] s_axil_awaddr, s_axil_araddr;
	wire [31:0] s_axil_wdata, s_axil_rdata;
	wire [3:0] s_axil_wstrb;
	wire [2:0] none8, none9;
	wire [1:0] none10, none11;
	wire [7:0] none0, none1;
	wire [1:0] none2, none3, none4, none5;
	wire none6, none7;

	agents #(.SALT(3), .LITE(1)) a(aclk, aresetn, s_axil_awvalid, s_axil_awready, none0, none2, s_axil_wvalid,
		s_axil_wready, none6, s_axil_bvalid, s_axil_bready, s_axil_bresp, none3, s_axil_arvalid, s_axil_arready, none1,
		none4, s_axil_rvalid, s_axil_rready, none7, s_axil_rresp, none5, s_axil_awaddr, none8, none10, s_axil_wdata,
		s_axil_wstrb, s_axil_araddr, none9, none11, s_axil_rdata);
	axi_scoreboard s(aclk, aresetn, s_axil_awvalid, s_axil_awready, none0, none2, s_axil_wvalid, s_axil_wready,
		s_axil_bvalid, s_axil_bready, s_axil_bresp, none3, s_axil_arvalid, s_axil_arready, none1, none4, s_axil_rvalid,
		s_axil_rready, none7, s_axil_rresp, none5);
endmodule
