// SPDX-License-Identifier: MIT
/* Tests the text of VCD files: headers of several writers, values of all kinds, and all errors. */
#include "dump.h"

#define HEADER                         \
	"$timescale 1 ns $end\n"       \
	"$scope module tb $end\n"      \
	"$var wire 1 ! clk $end\n"     \
	"$var reg 4 \" v [3:0] $end\n" \
	"$upscope $end\n"              \
	"$enddefinitions $end\n"

#define MAP "[clock]\nsignal = tb.clk\n[events]\nINSN = tb.v\n"

/* Returns the value of tb.v after `change`, as sampled at the only edge (time 5). */
static struct pmk_wave_value value_after(const char *change)
{
	static struct outcome o;
	char dump[1024];

	snprintf(dump, sizeof(dump), HEADER "#0\n0!\n%s\n#5\n1!\n#6\n", change);
	run_dump(&o, dump, MAP);
	assert_int_equal(o.status, 0);
	assert_int_equal(o.nedges, 1);
	assert_int_equal(o.edge[0].time, 5);
	return o.edge[0].value[0];
}

static void assert_value(const char *change, uint64_t bits, uint64_t x)
{
	struct pmk_wave_value v = value_after(change);

	if (v.bits != bits || v.x != x)
		print_error("after '%s'\n", change);
	assert_int_equal(v.bits, bits);
	assert_int_equal(v.x, x);
}

/*
 * A value with fewer digits than the signal has bits is extended by 0, or by x or z if the value
 * begins with x or z (IEEE 1364-2005 18.2.1).
 */
static void test_vectors(void **state)
{
	(void)state;
	assert_value("", 0, 0xf);
	assert_value("b1010 \"", 0xa, 0);
	assert_value("b1 \"", 0x1, 0);
	assert_value("b0 \"", 0, 0);
	assert_value("bx \"", 0, 0xf);
	assert_value("bz \"", 0, 0xf);
	assert_value("bx1 \"", 0x1, 0xe);
	assert_value("b0z1 \"", 0x1, 0x2);
	assert_value("b1x \"", 0x2, 0x1);
	assert_value("bz01x \"", 0x2, 0x9);
	assert_value("B11 \"", 0x3, 0);
	assert_value("b0001010 \"", 0xa, 0); /* has extra digits, all 0 */
	assert_value("bxxx01 \"", 0x1, 0xc);
	assert_value("bz-x01 \"", 0x1, 0xc);
	assert_value("b00x01x \"", 0x2, 0x9);
	assert_value("b1010\t\"", 0xa, 0);
	assert_value("b1010\n\"", 0xa, 0);
	assert_value("b1010 \r\n \"", 0xa, 0);
	assert_value("b1010 \" b11 \"", 0x3, 0); /* two changes on one line */
	assert_value("1\"", 0x1, 0);
	assert_value("x\"", 0, 0xf);
}

/*
 * Values and codes have all lengths, so a change ends before, at and after each limit of the
 * scanner. Some codes are not small numbers.
 */
static void test_lengths(void **state)
{
	static const char *const codes[] = { "!",	  "~",	  "!!",	       "~~~",
					     "!!!!",	  "~~~~", "!!!!!",     "abcdefgh",
					     "abcdefghi", "\xe4", "a\xff",     "\x7f",
					     "#",	  "b1",	  "$endless$", "0" };
	static struct outcome o;
	char dump[1024], digits[80];

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		for (int n = 1; n < 70; n++) {
			memset(digits, '0', sizeof(digits));
			digits[n - 1] = '1';
			if (n > 2)
				digits[n - 2] = n % 3 ? 'x' : '1';
			snprintf(dump, sizeof(dump),
				 "$scope module tb $end\n$var wire 1 %s clk $end\n"
				 "$var wire 64 %s v $end\n$var wire 64 qq other $end\n"
				 "$upscope $end\n$enddefinitions $end\n#0\n0%s\nb%.*s %s\n"
				 "b%.*s qq\n#5\n1%s\n#6\n",
				 "clk", codes[i], "clk", n, digits, codes[i], n, digits, "clk");
			run_dump(&o, dump, MAP);
			assert_int_equal(o.status, 0);
			assert_int_equal(o.nedges, 1);
			assert_int_equal(o.edge[0].value[0].bits, n > 2 && n % 3 == 0 ? 3 : 1);
			assert_int_equal(o.edge[0].value[0].x, n > 2 && n % 3 ? 2 : 0);
		}
	}
}

/* The nine values of VHDL are read as 0, 1, x or z. */
static void test_vhdl_values(void **state)
{
	(void)state;
	assert_value("bUHLW \"", 0x4, 0x9);
	assert_value("b-10Z \"", 0x4, 0x9);
	assert_value("buhlw \"", 0x4, 0x9);
}

static void test_comments_and_blocks(void **state)
{
	(void)state;
	assert_value("$comment 1! b1 \" $end b1010 \"", 0xa, 0);
	assert_value("$comment\n#7\nmany words $endless\n$end\nb1010 \"", 0xa, 0);
	assert_value("$dumpvars\nb1010 \"\n$end", 0xa, 0);
	assert_value("$dumpall b1010 \" $end", 0xa, 0);
	assert_value("$dumpvars\nb1010 \"", 0xa, 0); /* ended by the next time */
	assert_value("r1.5 \" b1010 \"", 0xa, 0);    /* a real has no bits */
	assert_value("ssome_text \" b1010 \"", 0xa, 0);
}

/* ---- headers -------------------------------------------------------------------------------- */

static const struct pmk_wave_signal *open_header(struct pmk_wave **w, const char *header, size_t *n)
{
	struct pmk_wave_error err;
	char path[32];

	write_file(path, header, strlen(header));
	if (pmk_wave_open(w, path, &err))
		fail_msg("%s", err.text);
	unlink(path);
	return pmk_wave_signals(*w, n);
}

static void assert_signal(const struct pmk_wave_signal *s, const char *scope, const char *name,
			  unsigned width, int msb, int lsb, unsigned net)
{
	assert_string_equal(s->scope, scope);
	assert_string_equal(s->name, name);
	assert_int_equal(s->width, width);
	assert_int_equal(s->msb, msb);
	assert_int_equal(s->lsb, lsb);
	assert_int_equal(s->net, net);
}

/* The header of Icarus: notations of ranges, nested scopes, aliases. */
static void test_header_of_icarus(void **state)
{
	static const char header[] =
		"$date\n\tSun Nov 22 01:12:32 2026\n$end\n$version\n\tIcarus Verilog\n$end\n"
		"$timescale\n\t10ps\n$end\n"
		"$scope module tb $end\n"
		"$var wire 80 ! wide [79:0] $end\n"
		"$var reg 4 # asc [0:3] $end\n"
		"$scope begin gen[0] $end\n$var reg 1 & x $end\n$upscope $end\n"
		"$scope module u$ub $end\n"
		"$var event 1 ( e $end\n$var wire 4 # alias [0:3] $end\n$var real 1 , r $end\n"
		"$upscope $end\n$upscope $end\n$enddefinitions $end\n";
	const struct pmk_wave_signal *s;
	struct pmk_wave *w;
	char text[80];
	size_t n;

	(void)state;
	s = open_header(&w, header, &n);
	assert_int_equal(n, 6);
	assert_signal(&s[0], "tb", "wide", 80, 79, 0, 0);
	assert_signal(&s[1], "tb", "asc", 4, 0, 3, 1);
	assert_signal(&s[2], "tb.gen[0]", "x", 1, 0, 0, 2);
	assert_signal(&s[3], "tb.u$ub", "e", 1, 0, 0, 3);
	assert_signal(&s[4], "tb.u$ub", "alias", 4, 0, 3, 1);
	assert_signal(&s[5], "tb.u$ub", "r", 1, 0, 0, 4);
	assert_int_equal(s[3].kind, PMK_WAVE_EVENT);
	assert_int_equal(s[4].kind, PMK_WAVE_BITS);
	assert_int_equal(s[5].kind, PMK_WAVE_REAL);
	assert_string_equal(pmk_wave_format(w), "VCD");
	pmk_wave_time_text(w, 123, text, sizeof(text));
	assert_string_equal(text, "1230 ps");
	pmk_wave_time_text(w, UINT64_MAX, text, sizeof(text));
	assert_string_equal(text, "18446744073709551615 x 10 ps");
	pmk_wave_close(w);
}

/*
 * In the header of Verilator, several sections are on one line, one scope is around all others, and
 * each element of an array is a separate variable.
 */
static void test_header_of_verilator(void **state)
{
	static const char header[] =
		"$version Generated by VerilatedVcd $end\n$timescale 1ps $end\n\n"
		" $scope module TOP $end\n  $var wire  1 % clk $end\n"
		"  $scope module top $end\n   $var wire 32 # haddr [31:0] $end\n"
		"   $var wire  8 $ mem[3] [7:0] $end\n"
		"   $var wire  8 ' mem[4] $end\n"
		"   $var wire 64 + r [63:0] $end\n"
		"  $upscope $end\n $upscope $end\n$enddefinitions $end\n\n\n";
	const struct pmk_wave_signal *s;
	struct pmk_wave *w;
	size_t n;

	(void)state;
	s = open_header(&w, header, &n);
	assert_int_equal(n, 5);
	assert_signal(&s[0], "TOP", "clk", 1, 0, 0, 0);
	assert_signal(&s[1], "TOP.top", "haddr", 32, 31, 0, 1);
	assert_signal(&s[2], "TOP.top", "mem[3]", 8, 7, 0, 2);
	assert_signal(&s[3], "TOP.top", "mem[4]", 8, 7, 0, 3);
	pmk_wave_close(w);
}

/*
 * Headers of commercial simulators have CR LF, no blank before the range, vectors bit by bit,
 * escaped names, other types of nets and scopes, and unknown sections.
 */
static void test_header_of_others(void **state)
{
	static const char header[] =
		"$date Jan 1 $end\r\n$timescale\r\n  100 ps\r\n$end\r\n"
		"$attrbegin misc 07 \"\" 1 $end\r\n"
		"$scope vhdl_architecture rtl $end\r\n"
		"$var logic 8 aaaaa haddr[7:0] $end\r\n"
		"$var wire 1 <0 \\esc+name  $end\r\n"
		"$var port 1 a_code_of_more_than_8 bus [1] $end\r\n"
		"$var port 1 a_code_of_more_than_9 bus [0] $end\r\n"
		"$var supply0 1 <1 single[5] $end\r\n"
		"$var string 1 <2 str $end\r\n"
		"$comment\r\n in the $var header $end\r\n"
		"$upscope $end\r\n$var wire 1 <3 top $end\r\n$enddefinitions $end\r\n";
	const struct pmk_wave_signal *s;
	struct pmk_wave *w;
	char text[80];
	size_t n;

	(void)state;
	s = open_header(&w, header, &n);
	assert_int_equal(n, 7);
	assert_signal(&s[0], "rtl", "haddr", 8, 7, 0, 0);
	assert_signal(&s[1], "rtl", "\\esc+name", 1, 0, 0, 1);
	assert_signal(&s[2], "rtl", "bus", 1, 1, 1, 2);
	assert_signal(&s[3], "rtl", "bus", 1, 0, 0, 3);
	assert_signal(&s[4], "rtl", "single", 1, 5, 5, 4);
	assert_int_equal(s[5].kind, PMK_WAVE_STRING);
	assert_signal(&s[6], "", "top", 1, 0, 0, 6);
	pmk_wave_time_text(w, 3, text, sizeof(text));
	assert_string_equal(text, "300 ps");
	pmk_wave_close(w);
}

/* An unknown timescale only affects the display of times. */
static void test_no_timescale(void **state)
{
	struct pmk_wave *w;
	char text[80];
	size_t n;

	(void)state;
	open_header(&w, "$timescale 3 parsec $end\n$enddefinitions $end\n", &n);
	assert_int_equal(n, 0);
	pmk_wave_time_text(w, 42, text, sizeof(text));
	assert_string_equal(text, "42");
	pmk_wave_close(w);
}

/* ---- damaged dumps -------------------------------------------------------------------------- */

static void assert_open_fails(const char *dump, size_t n, int code, uint64_t offset, uint64_t line,
			      const char *why)
{
	static struct outcome o;

	run_bytes(&o, dump, n, MAP);
	if (!strstr(o.err.text, why))
		print_error("'%s' is not in '%s'\n", why, o.err.text);
	assert_non_null(strstr(o.err.text, why));
	assert_null(strchr(o.err.text, '\n'));
	assert_int_equal(o.opened, code);
	assert_int_equal(o.err.code, code);
	assert_int_equal(o.err.offset, offset);
	assert_int_equal(o.err.line, line);
}

static void test_bad_headers(void **state)
{
	static const char garbage[] = "\x7f"
				      "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\0\0\n\0\0";

	(void)state;
	assert_open_fails("", 0, PMK_EPARSE, 0, 0, "empty (0 bytes)");
#define FAILS(text, offset, line, why) \
	assert_open_fails(text, strlen(text), PMK_EPARSE, offset, line, why)
	FAILS("hello world\n", 0, 1, "neither VCD nor FST: it begins with 'hello'");
	assert_open_fails(garbage, sizeof(garbage), PMK_EPARSE, 0, 1, "it begins with '?ELF'");
	FAILS("$date\nno end\n", 13, 3, "ends within $date; it may be cut off");
	FAILS("$scope module tb $end\n", 22, 2, "ends before $enddefinitions");
	FAILS("$scope module tb $end\n#0\n", 22, 2, "'#0' is not allowed before $enddefinitions");
	FAILS("$date $end\n$upscope $end\n", 11, 2, "$upscope without a $scope");
	FAILS("$date $end\n$scope module $end\n", 25, 2, "$scope without a name");
	FAILS("$date $end\n$var wire 1 ! $end\n", 25, 2, "$var without a name");
	FAILS("$date $end\n$var wire 1 $end\n", 23, 2, "$var without a name");
	FAILS("$date $end\n$var wire no ! x $end\n", 21, 2, "'no' is not a valid width");
	FAILS("$date $end\n$var wire 0 ! x $end\n", 21, 2, "'0' is not a valid width");
	FAILS("$date $end\n$var wire -1 ! x $end\n", 21, 2, "'-1' is not a valid width");
	FAILS("$date $end\n$var wire 99999999 ! x $end\n", 21, 2,
	      "'99999999' is not a valid width");
	FAILS("$date $end\n$var port [3:0] <7 data $end\n", 21, 2,
	      "'[3:0]': extended VCD ($dumpports) is not supported; use $dumpvars");
	FAILS("$date $end\n$var port 1 <0 data $end\n", 23, 2, "'<0': extended VCD ($dumpports)");
	FAILS("$date $end\n$var wire", 20, 2, "ends within $var; it may be cut off");
#undef FAILS
}

/* Checks that everything before the error is reported, and the position of the error. */
static void assert_partial(const char *tail, const char *place, const char *why)
{
	static struct outcome o;
	char dump[1024];

	snprintf(dump, sizeof(dump), HEADER "#0\n0!\n#5\n1!\n#7\n%s", tail);
	run_dump(&o, dump, MAP);
	if (!strstr(o.findings.error.text, why) || !strstr(o.findings.error.text, place))
		print_error("'%s' or '%s' is not in '%s'\n", place, why, o.findings.error.text);
	assert_non_null(strstr(o.findings.error.text, why));
	assert_non_null(strstr(o.findings.error.text, place));
	assert_null(strchr(o.findings.error.text, '\n'));
	assert_int_equal(o.status, PMK_WAVE_PARTIAL);
	assert_int_equal(o.findings.error.code, PMK_EPARSE);
	assert_true(o.findings.error.in_dump);
	assert_int_equal(o.nedges, 1);
	assert_int_equal(o.edge[0].time, 5);
}

static void test_bad_changes(void **state)
{
	/* HEADER has 127 bytes and 6 lines. The five lines after it have 15 bytes. */
	(void)state;
	assert_int_equal(strlen(HEADER), 127);
	assert_partial("#6\n", "byte 142, line 12, time 7 ns", "time goes back to 6 ns");
	assert_partial("#x\n", "byte 142, line 12, time 7 ns", "'#x' is not a time");
	assert_partial("#\n", "byte 142, line 12", "'#' is not a time");
	assert_partial("#99999999999999999999\n", "line 12", "has more than 64 bits");
	assert_partial("\n\n1%\n", "byte 144, line 14, time 7 ns",
		       "a value of '%', but the header has no $var");
	assert_partial("1\n", "line 12", "without an identifier code");
	assert_partial("b10\n#8\n", "line 12", "a value of '#8', but the header has no");
	assert_partial("b1q1 \"\n", "line 12", "'1q1' is not a value of tb.v");
	assert_partial("b \"\n0!\n", "line 12", "is not a value of tb.v");
	assert_partial("b110101 \"\n", "byte 142, line 12, time 7 ns",
		       "'110101' has 6 bits, and tb.v has 4");
	assert_partial("b10000 \"\n", "line 12", "'10000' has 5 bits, and tb.v has 4");
	assert_partial("bx1010 \"\n", "line 12", "'x1010' has 5 bits, and tb.v has 4");
	assert_partial("b0x1010 \"\n", "line 12", "'0x1010' has 6 bits, and tb.v has 4");
	assert_partial("b01010 !\n", "line 12", "'01010' has 5 bits, and tb.clk has 1");
	assert_partial("$dumpports\npD 6 0 <0\n", "line 12", "'$dumpports': extended VCD");
	assert_partial("pDU 0 6 <1\n", "line 12", "extended VCD ($dumpports)");
	assert_partial("hello\n", "line 12", "a value of 'ello'");
	assert_partial("?\n", "line 12", "'?' is not a value change");
	assert_partial("$var wire 1 ! x $end\n", "line 12",
		       "'$var' is not allowed between value changes");
	assert_partial("1!\n#9", "byte 145, line 13, time 7 ns",
		       "ends within a line; it may be cut off");
	assert_partial("b101", "line 12", "ends within a line; it may be cut off");
	assert_partial("$comment no end\n", "line 13", "ends within a comment: there is no $end");
	assert_partial("$dumpall\n1!\n", "line 14", "ends within a block of values");
}

/* Copies the text with a carriage return before each `nth` line end. */
static void add_returns(char *to, const char *from, unsigned nth)
{
	unsigned lines = 0;

	for (; *from; *to++ = *from++)
		if (*from == '\n' && ++lines % nth == 0)
			*to++ = '\r';
	*to = '\0';
}

/*
 * Codes of all lengths are read from lines that the fast scanner reads. A code that is not in the
 * header is reported, whatever it begins with. A missing code is reported, whatever follows.
 */
static void test_codes(void **state)
{
	static const char *const codes[] = { "!",	  "~",	    "h/",	"~~",
					     "!!!",	  "~~~",    "!!!!",	"~~~~",
					     "abcde",	  "abcdef", "abcdefg",	"abcdefgh",
					     "abcdefghi", "\x7f!",  "\xc3\xa9", "m\xff\x80" };
	static const char *const others[] = { "\"",	"/h",	     "!!!!!", "abcdefh",
					      "bcdefg", "abcdefghj", "\x7f",  "!\x7f" };
	char dump[1024], returned[1200];
	static struct outcome o;

	(void)state;
	for (unsigned i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		const char *c = codes[i], *k = i == 9 ? "k" : "abcdef";
		int n = sprintf(dump,
				"$scope module tb $end\n$var wire 1 %s clk $end\n"
				"$var wire 4 %s v $end\n$enddefinitions $end\n",
				k, c);

		sprintf(dump + n,
			"#0\n0%s\nb101 %s\nb11 %s\nb0110 %s\n#5\n1%s\n#6\n0%s\n#7\n1%s\n"
			"b1001 %s\n#8\n0%s\nb00x1 %s\n#9\n1%s\n",
			k, c, c, c, k, k, k, c, k, c, k);
		for (unsigned nth = 0; nth < 4; nth++) {
			if (nth)
				add_returns(returned, dump, nth);
			run_dump(&o, nth ? returned : dump, MAP);
			assert_int_equal(o.status, 0);
			assert_int_equal(o.nedges, 3);
			assert_int_equal(o.edge[0].value[0].bits, 6);
			assert_int_equal(o.edge[1].value[0].bits, 6);
			assert_int_equal(o.edge[2].value[0].bits, 1);
			assert_int_equal(o.edge[2].value[0].x, 2);
			assert_int_equal(o.findings.lines, 21);
		}
		for (unsigned j = 0; j < sizeof(others) / sizeof(others[0]); j++) {
			for (unsigned vector = 0; vector < 2; vector++) {
				sprintf(dump + n, "#0\n0%s\n#5\n1%s\n#7\n%s%s\n0%s\n", k, k,
					vector ? "b11 " : "1", others[j], k);
				add_returns(returned, dump, 1);
				run_dump(&o, (i + j) % 2 ? returned : dump, MAP);
				assert_int_equal(o.status, PMK_WAVE_PARTIAL);
				assert_non_null(strstr(o.findings.error.text, "a value of '"));
				assert_int_equal(o.findings.error.line, 10);
			}
		}
		for (const char *next = "01bx#$ \n!~"; *next; next++) {
			sprintf(dump + n, "#0\n0%s\n#5\n1%s\n#7\n1\n%c%s\n", k, k, *next, c);
			run_dump(&o, dump, MAP);
			assert_non_null(strstr(o.findings.error.text,
					       "a value without an identifier code"));
			assert_int_equal(o.findings.error.line, 10);
		}
	}
}

/* A file system may leave NULs after a crash. */
static void test_nuls(void **state)
{
	static struct outcome o;
	char dump[512];
	int n = snprintf(dump, sizeof(dump), HEADER "#0\n0!\n#5\n1!\n#7\n");

	(void)state;
	memset(dump + n, 0, 64);
	run_bytes(&o, dump, (size_t)n + 64, MAP);
	assert_int_equal(o.status, PMK_WAVE_PARTIAL);
	assert_int_equal(o.nedges, 1);
	dump[n + 63] = '\n';
	run_bytes(&o, dump, (size_t)n + 64, MAP);
	assert_int_equal(o.status, PMK_WAVE_PARTIAL);
	assert_int_equal(o.findings.error.offset, n);
	assert_non_null(strstr(o.findings.error.text, "'?' is not a value change"));
}

/* ---- places --------------------------------------------------------------------------------- */

/*
 * If a dump is truncated at any byte, the edges before this byte are read. The result is "partial",
 * unless nothing was read or nothing is missing.
 */
static void test_every_truncation(void **state)
{
	static const char dump[] = HEADER "#0\n$dumpvars\n0!\nb0 \"\n$end\n#5\n1!\nb1 \"\n#10\n0!\n"
					  "#15\nb10 \"\n1!\n#20\n0!\n#25\n1!\n";
	static struct outcome whole, o;

	(void)state;
	run_dump(&whole, dump, MAP);
	assert_int_equal(whole.status, 0);
	assert_int_equal(whole.nedges, 3);
	assert_int_equal(whole.edge[1].value[0].bits, 1);
	assert_int_equal(whole.edge[2].value[0].bits, 2);
	for (size_t n = 0; n < strlen(dump); n++) {
		run_bytes(&o, dump, n, MAP);
		assert_true(o.nedges <= whole.nedges);
		for (unsigned i = 0; i < o.nedges; i++)
			assert_memory_equal(&o.edge[i], &whole.edge[i], sizeof(o.edge[i]));
		if (n < strlen(HEADER) - 1)
			assert_int_not_equal(o.opened, 0);
		else if (dump[n - 1] != '\n' && n >= strlen(HEADER))
			assert_int_equal(o.status, o.nedges ? PMK_WAVE_PARTIAL : PMK_EPARSE);
	}
}

/* Times have 64 bits, and may be closer together than a double could distinguish. */
static void test_long_times(void **state)
{
	static struct outcome o;

	(void)state;
	run_dump(&o,
		 HEADER "#18446744073709551613\n0!\n#18446744073709551614\n1!\n"
			"#18446744073709551615\n0!\n",
		 MAP);
	assert_int_equal(o.status, 0);
	assert_int_equal(o.nedges, 1);
	assert_int_equal(o.edge[0].time, UINT64_MAX - 1);
	assert_int_equal(o.findings.begin, UINT64_MAX - 2);
	assert_int_equal(o.findings.end, UINT64_MAX);
	assert_string_equal(o.first_time, "18446744073709551614 ns");
}

/* Reads values that are longer than the buffer, and refuses one that is longer than the limit. */
static void test_long_words(void **state)
{
	static const char head[] = "$var wire 1 ! clk $end\n$var wire 9000004 \" v $end\n"
				   "$enddefinitions $end\n#0\n0!\nb";
	static const char tail[] = "0110 \"\n#5\n1!\n";
	static const char map[] = "[clock]\nsignal = clk\n[events]\nINSN = v[3:0]\n";
	static const size_t lengths[] = { 300000, 9000000, 40000000 };
	static struct outcome o;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		size_t n = sizeof(head) - 1 + lengths[i] + sizeof(tail) - 1;
		char *dump = malloc(n + 1);

		assert_non_null(dump);
		memset(dump, '1', n);
		memcpy(dump, head, sizeof(head) - 1);
		memcpy(dump + n - (sizeof(tail) - 1), tail, sizeof(tail) - 1);
		run_bytes(&o, dump, n, map);
		free(dump);
		if (i == 2) {
			assert_non_null(strstr(o.findings.error.text, "without a line end"));
			continue;
		}
		assert_int_equal(o.status, 0);
		assert_int_equal(o.edge[0].value[0].bits, 6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_vhdl_values),
		cmocka_unit_test(test_comments_and_blocks),
		cmocka_unit_test(test_header_of_icarus),
		cmocka_unit_test(test_header_of_verilator),
		cmocka_unit_test(test_header_of_others),
		cmocka_unit_test(test_no_timescale),
		cmocka_unit_test(test_bad_headers),
		cmocka_unit_test(test_bad_changes),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_nuls),
		cmocka_unit_test(test_every_truncation),
		cmocka_unit_test(test_long_times),
		cmocka_unit_test(test_long_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
