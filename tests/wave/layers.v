// SPDX-License-Identifier: MIT
// Many AHB layers with random transfers, made of the masters and slaves of bus.v. Each has a
// scoreboard that counts everything that pmk reports of a layer. Five layers are generated. Three
// others have numbers in their names, and are not declared in the order of these numbers.
//
//	iverilog -s soc layers.v bus.v; vvp a.out +dump=FILE +seed=N +cycles=N
//
// prints a line for each layer: "LAYER read N write N …". A latency is printed as its N, sum, sum
// of squares, least and most, and as a histogram: "burst_4 N" is the number of bursts that took 4
// to 7 cycles.
`timescale 1ns/1ps

// Collects latencies. Bucket N of the histogram counts the latencies with N bits.
module latencies;
	integer n, sum, squares, least, most, i;
	integer bucket[0:15];

	initial begin
		n = 0; sum = 0; squares = 0; least = 1000000; most = 0;
		for (i = 0; i < 16; i = i + 1) bucket[i] = 0;
	end
	task add(input integer cycles);
		begin
			n = n + 1;
			sum = sum + cycles;
			squares = squares + cycles * cycles;
			if (cycles < least) least = cycles;
			if (cycles > most) most = cycles;
			i = 0;
			while ((1 << i) <= cycles) i = i + 1;
			bucket[i] = bucket[i] + 1;
		end
	endtask
	task show(input [8*12-1:0] what);
		begin
			$write(" %0s %0d %0s_sum %0d %0s_squares %0d %0s_min %0d %0s_max %0d", what, n, what, sum, what, squares,
			       what, least, what, most);
			for (i = 1; i < 16; i = i + 1)
				if (bucket[i] != 0) $write(" %0s_%0d %0d", what, 1 << (i - 1), bucket[i]);
		end
	endtask
endmodule

module full_scoreboard(input hclk, input hresetn, input hready, input hresp, input [1:0] htrans, input hwrite,
		       input [2:0] hburst);
	integer reads, writes, waits, first, busy, idle, errors, now, begun, last;
	integer kind[0:7];
	reg [1:0] phase;
	reg [2:0] type_;
	reg write, open, got, writes_;
	latencies all();
	latencies of_reads();
	latencies of_writes();

	initial begin
		reads = 0; writes = 0; waits = 0; first = 0; busy = 0; idle = 0; errors = 0; now = 0; open = 0; phase = 0;
		for (begun = 0; begun < 8; begun = begun + 1) kind[begun] = 0;
	end
	always @(posedge hclk) if (hresetn) begin
		now = now + 1;
		case (phase)
		0: idle = idle + 1;
		1: busy = busy + 1;
		default:
			if (hready) begin
				if (write) writes = writes + 1; else reads = reads + 1;
				if (hresp) errors = errors + 1;
				if (phase == 2) kind[type_] = kind[type_] + 1;
				got = 1;
				last = now;
			end else if (!hresp) begin
				waits = waits + 1;
				if (phase == 2) first = first + 1;
			end
		endcase
		if (hready) begin
			if (!htrans[0] && open && got) begin	// IDLE or NONSEQ: the burst before has ended
				all.add(last - begun);
				if (writes_) of_writes.add(last - begun); else of_reads.add(last - begun);
			end
			if (!htrans[0]) open = htrans == 2;
			if (htrans == 2) begin
				begun = now;
				got = 0;
				writes_ = hwrite;
			end
			phase = htrans;
			write = hwrite;
			type_ = hburst;
		end
	end
	task show(input [8*8-1:0] name);
		begin
			$write("%0s read %0d write %0d wait %0d wait_first_slave %0d busy %0d idle %0d error %0d", name, reads, writes,
			       waits, first, busy, idle, errors);
			$write(" single %0d incr %0d wrap4 %0d incr4 %0d wrap8 %0d incr8 %0d wrap16 %0d incr16 %0d", kind[0],
			       kind[1], kind[2], kind[3], kind[4], kind[5], kind[6], kind[7]);
			all.show("burst");
			of_reads.show("read_burst");
			of_writes.show("write_burst");
			$display("");
		end
	endtask
endmodule

module soc;
	reg hclk, hresetn;
	integer cycles, limit;
	reg [8*256-1:0] dump;
	event told;

	always #5 hclk = ~hclk;
	always @(posedge hclk) if (hresetn) begin
		cycles = cycles + 1;
		if (cycles == limit) begin
			#1;
			$display("cycles %0d", cycles);
			-> told;
			#1 $finish;
		end
	end
	initial begin
		if (!$value$plusargs("cycles=%d", limit)) limit = 1000;
		cycles = 0;
		hclk = 0;
		hresetn = 0;
		if ($value$plusargs("dump=%s", dump)) begin
			$dumpfile(dump);
			$dumpvars(0, soc);
		end
		#22 hresetn = 1;
	end

	genvar i;
	generate for (i = 0; i < 5; i = i + 1) begin : lane
		wire [31:0] haddr;
		wire [1:0] htrans;
		wire hwrite, hready, hresp;
		wire [2:0] hsize, hburst;
		wire [3:0] hprot;

		master #(.SALT(i + 1)) m(hclk, hresetn, hready, hresp, haddr, htrans, hwrite, hsize, hburst, hprot);
		slave #(.SALT(i + 101)) s(hclk, hresetn, haddr, htrans, hready, hresp);
		full_scoreboard b(hclk, hresetn, hready, hresp, htrans, hwrite, hburst);
	end endgenerate
	always @(told) begin
		lane[0].b.show("lane0");
		lane[1].b.show("lane1");
		lane[2].b.show("lane2");
		lane[3].b.show("lane3");
		lane[4].b.show("lane4");
		b2.show("m2");
		b10.show("m10");
		b1.show("m1");
	end

`define NUMBERED(n) \
	wire [31:0] m``n``_haddr; wire [1:0] m``n``_htrans; wire m``n``_hwrite, m``n``_hready, m``n``_hresp; \
	wire [2:0] m``n``_hsize, m``n``_hburst; wire [3:0] m``n``_hprot; \
	master #(.SALT(n + 20)) u``n(hclk, hresetn, m``n``_hready, m``n``_hresp, m``n``_haddr, m``n``_htrans, m``n``_hwrite, \
		m``n``_hsize, m``n``_hburst, m``n``_hprot); \
	slave #(.SALT(n + 120)) s``n(hclk, hresetn, m``n``_haddr, m``n``_htrans, m``n``_hready, m``n``_hresp); \
	full_scoreboard b``n(hclk, hresetn, m``n``_hready, m``n``_hresp, m``n``_htrans, m``n``_hwrite, m``n``_hburst);
	`NUMBERED(10)
	`NUMBERED(2)
	`NUMBERED(1)
endmodule
