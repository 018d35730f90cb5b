// SPDX-License-Identifier: MIT
/* Tests map files: their contents, their errors, and which signals of a dump their names mean. */
#include "dump.h"

#include <pmk/ahb.h>
#include <pmk/ahbmon.h>
#include <pmk/signal.h>

#include "buses/ahb/layer.h"

static struct outcome o;

static int load(struct pmk_wave_map *map, const char *text, struct pmk_wave_error *err)
{
	char path[32];
	int code;

	write_file(path, text, strlen(text));
	code = pmk_wave_map_load(map, path, err);
	unlink(path);
	return code;
}

static void assert_slot(const struct pmk_wave_map *m, unsigned i, unsigned part, unsigned group,
			unsigned role, const char *signal, unsigned line)
{
	const struct pmk_wave_slot *s = &m->slot[i];

	assert_true(i < m->nslots);
	assert_int_equal(s->part, part);
	assert_int_equal(s->group, group);
	assert_int_equal(s->role, role);
	assert_string_equal(s->signal, signal);
	assert_int_equal(s->line, line);
}

static void test_everything(void **state)
{
	static const char text[] = "# a map\n"
				   "[clock]\n"
				   "signal = clk ; the bus clock\n"
				   "edge = falling\n"
				   "sample = after\n"
				   "reset = rst\n"
				   "reset_active = high\n"
				   "scope = tb\n"
				   "\n"
				   "[layer armd]\n"
				   "  htrans = m.ht[1:0]\n" /* line 11 */
				   "  HREADY = !m.stall\n"
				   "hprot = 0b0011\n"
				   "cause = m.why\n"
				   "[layer cpu]\n"
				   "monitor = dma0\n"
				   "protocol = ahb-lite\n"
				   "bytes = 8\n"
				   "scope = tb.cpu\n"
				   "htrans = htrans\n" /* line 20 */
				   "hready = hready\n"
				   "[layer armd]\n"
				   "haddr = m.ha\n"
				   "[gxi]\n"
				   "address_state = g.a\n"
				   "data_state = g.d\n"
				   "address = g.addr\n"
				   "write = g.w\n"
				   "[evntbus]\n"
				   "core = arm1136\n"
				   "vector = core.EVNTBUS\n" /* line 31 */
				   "[events]\n"
				   "l1d_miss = core.miss\n"
				   "INSN = core.n count\n"
				   "pmu = arm1176\n"
				   "dcache_miss = core.miss2 edge\n" /* line 36 */
				   "[windows]\n"
				   "uart = 0x1000-0x1fff\n"
				   "apb_core = 0 - 15\n";
	struct pmk_wave_error err;
	struct pmk_wave_map m;

	(void)state;
	if (load(&m, text, &err))
		fail_msg("%s", err.text);
	assert_string_equal(m.clock, "clk");
	assert_string_equal(m.reset, "rst");
	assert_string_equal(m.scope, "tb");
	assert_true(m.falling);
	assert_false(m.reset_low);
	assert_int_equal(m.sample, PMK_WAVE_AFTER);
	assert_int_equal(m.clock_line, 3);
	assert_int_equal(m.reset_line, 6);
	assert_int_equal(m.nlayers, 2);
	assert_string_equal(m.layer[0].name, "armd");
	assert_int_equal(m.layer[0].monitor, PMK_AHBMON_BUS_ARMD);
	assert_int_equal(m.layer[0].protocol, PMK_WAVE_BY_HRESP);
	assert_int_equal(m.layer[0].bytes, 0);
	assert_string_equal(m.layer[0].scope, "tb");
	assert_string_equal(m.layer[1].name, "cpu");
	assert_int_equal(m.layer[1].monitor, PMK_AHBMON_BUS_DMA0);
	assert_int_equal(m.layer[1].protocol, PMK_WAVE_AHB_LITE);
	assert_int_equal(m.layer[1].bytes, 8);
	assert_int_equal(m.nslots, 15);
	assert_slot(&m, 0, PMK_WAVE_LAYER, 0, PMK_AHB_HTRANS, "m.ht[1:0]", 11);
	assert_slot(&m, 1, PMK_WAVE_LAYER, 0, PMK_AHB_HREADY, "!m.stall", 12);
	assert_slot(&m, 2, PMK_WAVE_LAYER, 0, PMK_AHB_HPROT, "0b0011", 13);
	assert_slot(&m, 3, PMK_WAVE_LAYER, 0, PMK_WAVE_CAUSE, "m.why", 14);
	assert_slot(&m, 4, PMK_WAVE_LAYER, 1, PMK_AHB_HTRANS, "htrans", 20);
	assert_string_equal(m.slot[4].scope, "tb.cpu");
	assert_slot(&m, 6, PMK_WAVE_LAYER, 0, PMK_AHB_HADDR, "m.ha", 23);
	assert_string_equal(m.slot[6].scope, "tb");
	assert_slot(&m, 7, PMK_WAVE_GXI, 0, PMK_WAVE_GXI_ADDRESS, "g.a", 25);
	assert_slot(&m, 10, PMK_WAVE_GXI, 0, PMK_WAVE_GXI_IS_WRITE, "g.w", 28);
	assert_slot(&m, 11, PMK_WAVE_EVNTBUS, 0, 0, "core.EVNTBUS", 31);
	assert_string_equal(m.core, "arm1136");
	assert_slot(&m, 12, PMK_WAVE_SIGNAL, 0, PMK_SIG_L1D_MISS, "core.miss", 33);
	assert_int_equal(m.slot[12].how, PMK_WAVE_LEVEL);
	assert_slot(&m, 13, PMK_WAVE_SIGNAL, 0, PMK_SIG_INSN, "core.n", 34);
	assert_int_equal(m.slot[13].how, PMK_WAVE_COUNT);
	assert_slot(&m, 14, PMK_WAVE_SIGNAL, 0, PMK_SIG_L1D_MISS, "core.miss2", 36);
	assert_int_equal(m.slot[14].how, PMK_WAVE_EDGE);
	assert_int_equal(m.nwindows, 2);
	assert_int_equal(m.window[0].first, 0x1000);
	assert_int_equal(m.window[0].last, 0x1fff);
	assert_int_equal(m.window[0].place, 0);
	assert_int_equal(m.window[1].last, 15);
	assert_int_equal(m.window[1].place, 4);
	pmk_wave_map_free(&m);
}

static void test_defaults(void **state)
{
	struct pmk_wave_error err;
	struct pmk_wave_map m;

	(void)state;
	assert_int_equal(load(&m,
			      "[clock]\nsignal=c\n[layer Exp]\nhtrans=a\nhready=b\n[layer x]\n"
			      "htrans=a\nhready=b\n",
			      &err),
			 0);
	assert_false(m.falling);
	assert_true(m.reset_low);
	assert_null(m.reset);
	assert_string_equal(m.scope, "");
	assert_int_equal(m.sample, PMK_WAVE_BEFORE);
	assert_null(m.core);
	assert_int_equal(m.layer[0].monitor, PMK_AHBMON_BUS_EXP);
	assert_int_equal(m.layer[1].monitor, PMK_AHBMON_BUS_EXP);
	pmk_wave_map_free(&m);
}

/* The PMU of the EVNTBUS must be named before its events. */
static void test_core(void **state)
{
	static const struct {
		const char *text, *core;
	} rows[] = {
		{ "[evntbus]\ncore = arm1136\nvector = x\n", "arm1136" },
		{ "[evntbus]\nvector = x\ncore = arm1136\n", "arm1136" },
		{ "[events]\npmu = cortex-a53\nINSN = x\n", "cortex-a53" },
		{ "[events]\npmu = cortex-a53\nINSN = x\n[evntbus]\nvector = x\ncore = arm1176\n",
		  "arm1176" },
	};
	struct pmk_wave_error err;
	struct pmk_wave_map m;
	char text[128];

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text), "[clock]\nsignal = c\n%s", rows[i].text);
		assert_int_equal(load(&m, text, &err), 0);
		assert_string_equal(m.core, rows[i].core);
		pmk_wave_map_free(&m);
	}
}

static void assert_refused(const char *text, unsigned line, const char *why)
{
	struct pmk_wave_error err;
	struct pmk_wave_map m;
	char place[16];

	snprintf(place, sizeof(place), ":%u: ", line);
	if (load(&m, text, &err) != PMK_EPARSE)
		fail_msg("not refused: %s", text);
	assert_int_equal(err.code, PMK_EPARSE);
	if (!strstr(err.text, why) || !strstr(err.text, place))
		print_error("'%s' or '%s' is not in '%s'\n", place, why, err.text);
	assert_non_null(strstr(err.text, why));
	assert_non_null(strstr(err.text, place));
	assert_null(strchr(err.text, '\n'));
	assert_null(m.text);
}

static void test_refused(void **state)
{
	char text[512];

	(void)state;
	assert_refused("[clock]\nsignal = c\n[evntbus]\nvector = x\n", 4,
		       "[evntbus] needs core = arm1136 or core = arm1176");
	assert_refused("", 1, "no clock: [clock] needs signal = NAME");
	assert_refused("signal = c\n", 1, "a [section] must come first");
	assert_refused("[clokc]\nsignal = c\n", 2, "no section 'clokc'; did you mean clock?");
	assert_refused("[clock]\nsignl = c\n", 2, "[clock] has no 'signl'; did you mean signal?");
	assert_refused("[clock]\nsignal\n", 2, "this line is neither [section] nor name = value");
	assert_refused("[clock]\nsignal =\n", 2, "'signal' has no value");
	assert_refused("[clock]\nsignal = a\nsignal = b\n", 3,
		       "a second clock: line 2 has 'a', and a map can have only one");
	assert_refused("[clock]\nsignal = a\n[layer x]\nclock = b\n", 4,
		       "a layer cannot have a clock");
	assert_refused("[clock]\nreset = a\nreset = b\n", 3, "already given in line 2");
	assert_refused("[clock]\nedge = up\n", 2, "no such edge 'up'");
	assert_refused("[clock]\nsample = befor\n", 2, "did you mean before?");
	assert_refused("[clock]\nreset_active = 1\n", 2, "no such level '1' (known: high, low)");
	assert_refused("[clock]\nsignal = a\n", 2, "nothing to sample");
	assert_refused("[clock]\nsignal = a\n[layer]\nhtrans = b\n", 4, "a layer needs a name");
	assert_refused("[clock]\nsignal = a\n[layer x]\nhtrans = b\n", 4,
		       "[layer x] needs htrans and hready");
	assert_refused("[layer x]\nhtranz = b\n", 2,
		       "a layer has no 'htranz'; did you mean htrans?");
	assert_refused("[layer x]\nhready = b\n[layer y]\nhready = b\n[layer x]\nHREADY = c\n", 6,
		       "already given in line 2");
	assert_refused("[layer x]\nmonitor = arm\n", 2, "no such monitor 'arm'");
	assert_refused("[layer x]\nprotocol = axi\n", 2, "no such protocol 'axi'");
	assert_refused("[layer x]\nbytes = 3\n", 2, "bytes is the width of the data bus");
	assert_refused("[gxi]\naddres = b\n", 2, "[gxi] has no 'addres'; did you mean address");
	assert_refused("[evntbus]\ncore = arm1177\n", 2, "no PMU 'arm1177'; did you mean arm11");
	assert_refused("[evntbus]\nvector = a\nvector = b\n", 3, "already given in line 2");
	assert_refused("[events]\nL1D_MIS = a\n", 2,
		       "no signal 'L1D_MIS' of <pmk/signal.h>; did "
		       "you mean L1D_MISS");
	assert_refused("[events]\nxyzzyx = a\n", 2, "to use names of events, write pmu = NAME");
	assert_refused("[events]\npmu = arm1176\ndcache_mis = a\n", 3,
		       "no event of arm1176; did you mean dcache_miss");
	assert_refused("[events]\nINSN = a twice\n", 2, "a signal counts by 'twice'");
	assert_refused("[windows]\nuart = 5\n", 2, "'5' is not a range of addresses");
	assert_refused("[windows]\nuart = 5-4\n", 2, "'5-4' is not a range of addresses");
	assert_refused("[windows]\nurt = 5-6\n", 2, "did you mean uart?");
	snprintf(text, sizeof(text), "[clock]\nsignal = %0300d\n", 7);
	assert_refused(text, 2,
		       "the line is too long: 198 characters at most; 'scope = …' shortens names");
}

static void test_no_file(void **state)
{
	struct pmk_wave_error err;
	struct pmk_wave_map m;

	(void)state;
	assert_int_equal(pmk_wave_map_load(&m, "/nonexistent/map", &err), PMK_EIO);
	assert_string_equal(err.text, "/nonexistent/map: No such file or directory");
	assert_int_equal(pmk_wave_map_load(&m, "/", &err), PMK_EIO);
}

/* ---- names in a dump ------------------------------------------------------------------------ */

#define DUMP                                                                        \
	"$scope module tb $end\n"                                                   \
	"$var wire 1 ! clk $end\n"                                                  \
	"$var wire 8 1 bus [15:8] $end\n"                                           \
	"$var wire 8 2 up [0:7] $end\n"                                             \
	"$var wire 100 3 wide [99:0] $end\n"                                        \
	"$var wire 1 a bits [2] $end\n$var wire 1 b bits [1] $end\n"                \
	"$var wire 1 c bits [4] $end\n"                                             \
	"$var real 1 r temperature $end\n"                                          \
	"$var wire 1 e \\odd+name $end\n"                                           \
	"$scope module one $end\n$var wire 1 4 hready $end\n"                       \
	"$var wire 1 ! hclk $end\n$upscope $end\n"                                  \
	"$scope module two $end\n$var wire 1 5 hready $end\n"                       \
	"$var wire 1 ! hclk $end\n$var wire 8 6 mem[3] [7:0] $end\n"                \
	"$upscope $end\n$upscope $end\n$enddefinitions $end\n"                      \
	"#0\n0!\nb11010110 1\nb11010110 2\n"                                        \
	"b11010000000000000000000000000000000000000000000000000000000000000x01 3\n" \
	"1a\n0b\n1c\n1e\n14\n05\nb1111 6\n#5\n1!\n"

/* Returns the value that `name` has at the only edge of DUMP. */
static struct pmk_wave_value value_of(const char *scope, const char *name)
{
	char map[256];

	snprintf(map, sizeof(map), "[clock]\nsignal = tb.clk\nscope = %s\n[events]\nINSN = %s\n",
		 scope, name);
	run_dump(&o, DUMP, map);
	if (o.bound || o.opened || o.status)
		fail_msg("%s: %s %s", name, o.err.text, o.findings.error.text);
	assert_int_equal(o.nedges, 1);
	return o.edge[0].value[0];
}

static void assert_name(const char *name, uint64_t bits, uint64_t x)
{
	struct pmk_wave_value v = value_of("tb", name);

	if (v.bits != bits || v.x != x)
		print_error("%s: 0x%llx\n", name, (unsigned long long)v.bits);
	assert_int_equal(v.bits, bits);
	assert_int_equal(v.x, x);
}

static void test_names(void **state)
{
	(void)state;
	assert_name("tb.one.hready", 1, 0);
	assert_name("one.hready", 1, 0);
	assert_name("two.hready", 0, 0);
	assert_name("two/hready", 0, 0);
	assert_name("tb/one/hready", 1, 0);
	assert_name("!two.hready", 1, 0);
	assert_name("hclk", 0, 0); /* two scopes declare it, but it is one net */
	assert_name("bus", 0xd6, 0);
	assert_name("!bus", 0x29, 0);
	assert_name("tb.bus[15:12]", 0xd, 0);
	assert_name("bus[9:8]", 2, 0);
	assert_name("bus[10]", 1, 0);
	assert_name("up", 0xd6, 0);
	assert_name("up[0]", 1, 0); /* up is [0:7]: bit 0 is the highest */
	assert_name("up[4:7]", 6, 0);
	assert_name("wide[2:0]", 1, 4);
	assert_name("wide[71:64]", 0xd, 0);
	assert_name("!wide[2:1]", 1, 2); /* the inverse of x is x */
	assert_name("bits", 0xa, 0);	 /* [4], [2], [1]; [3] is missing */
	assert_name("bits[2:1]", 2, 0);
	assert_name("bits[4]", 1, 0);
	assert_name("\\odd+name", 1, 0);
	assert_name("two.mem[3]", 0xf, 0);
	assert_name("two.mem[3][4:2]", 3, 0);
	assert_name("12", 12, 0);
	assert_name("0x1F", 31, 0);
	assert_name("0b101", 5, 0);
	assert_int_equal(value_of("tb.two", "hready").bits, 0);
	assert_int_equal(value_of("tb.one", "hready").bits, 1);
	assert_int_equal(value_of("tb.one", "tb.two.hready").bits, 0);
}

static void assert_unbound(const char *scope, const char *key, const char *name, const char *why)
{
	char map[256];

	snprintf(map, sizeof(map),
		 "[clock]\nsignal = tb.clk\nscope = %s\n[layer x]\nhtrans = 0\n%s = %s\n"
		 "%s",
		 scope, key, name, strcmp(key, "hready") ? "hready = 1\n" : "");
	run_dump(&o, DUMP, map);
	assert_int_equal(o.bound, PMK_EPARSE);
	if (!strstr(o.err.text, why) || !strstr(o.err.text, ":6: "))
		print_error("'%s' is not in '%s'\n", why, o.err.text);
	assert_non_null(strstr(o.err.text, why));
	assert_non_null(strstr(o.err.text, ":6: "));
}

static void test_names_not_found(void **state)
{
	(void)state;
	assert_unbound(
		"tb", "hready", "hraedy",
		"no signal 'hraedy' in the dump; did you mean tb.one.hready or tb.two.hready?");
	assert_unbound("tb.two", "hready", "hraedy",
		       "did you mean tb.two.hready or tb.one.hready?");
	assert_unbound("tb", "hready", "tb.one.hready2", "did you mean tb.one.hready");
	assert_unbound("tb", "hready", "three.hready",
		       "no signal 'three.hready' in the dump; did you");
	assert_unbound("tb", "hready", "qqqqqqq", "'pmk wave signals' lists them");
	assert_unbound("tb", "hready", "hready",
		       "'hready' may be tb.one.hready or tb.two.hready; give more of its path");
	assert_unbound("tb", "hready", "tb.clk2[0]",
		       "no signal 'tb.clk2' in the dump; did you mean tb.clk");
	assert_unbound("tb", "haddr", "temperature",
		       "'temperature' is a real, which cannot be sampled");
	assert_unbound("tb", "haddr", "wide", "'wide' has 100 bits, but only 64 can be sampled");
	assert_unbound("tb", "haddr", "bus[16]", "'bus' has bits 15 to 8 in the dump");
	assert_unbound("tb", "haddr", "up[3:8]", "'up' has bits 0 to 7 in the dump");
	assert_unbound("tb", "haddr", "bits[5]", "'bits' has bits 4 to 1 in the dump");
	assert_unbound("tb", "hready", "bus", "'bus' has 8 bits in the dump, but 1 can be used");
	assert_unbound("tb", "hburst", "bus[9:8]", "has 2 bits in the dump, but 3 can be used");
	assert_unbound("tb", "hsize", "bus",
		       "has 8 bits in the dump, but up to 3 can be used here; "
		       "select them, as in [2:0]");
}

/* If a name may mean two nets, it is an error. pmk does not take the first net of the dump. */
static void test_declared_twice(void **state)
{
	(void)state;
	run_dump(&o,
		 "$var wire 1 ! clk $end\n$var wire 1 a x $end\n$var wire 1 b x $end\n"
		 "$enddefinitions $end\n",
		 "[clock]\nsignal = clk\n[events]\nINSN = x\n");
	assert_int_equal(o.bound, PMK_EPARSE);
	assert_non_null(strstr(o.err.text, "'x' is in the dump more than once"));
}

/* ---- guessing ------------------------------------------------------------------------------- */

/* Returns the guess for a header as text, and loads this text again. */
static char *guess(const char *header, int code, struct pmk_wave_map *map)
{
	struct pmk_wave_error err;
	struct pmk_wave *w;
	char path[32], *text;

	write_file(path, header, strlen(header));
	assert_int_equal(pmk_wave_open(&w, path, &err), 0);
	unlink(path);
	assert_int_equal(pmk_wave_guess(w, &text, &err), code);
	assert_int_equal(err.code, code);
	assert_true(code ? text == NULL : text != NULL);
	if (!code && load(map, text, &err))
		fail_msg("%s\n%s", err.text, text);
	if (!code && pmk_wave_bind(w, map, &err))
		fail_msg("%s\n%s", err.text, text);
	pmk_wave_close(w);
	return text;
}

static void test_guess_one_layer(void **state)
{
	struct pmk_wave_map m;
	char *text = guess("$scope module tb $end\n"
			   "$var wire 1 ! clk $end\n$var wire 1 r rst $end\n"
			   "$var wire 1 i ICLK2 $end\n"
			   "$scope module dut $end\n"
			   "$var wire 1 ! HCLK $end\n$var wire 1 n HRESETn $end\n"
			   "$var wire 32 a HADDR [31:0] $end\n$var wire 2 t HTRANS [1:0] $end\n"
			   "$var wire 1 w HWRITE $end\n$var wire 1 y HREADY $end\n"
			   "$var wire 1 p HRESP $end\n"
			   "$scope module slave $end\n$var wire 2 t htrans [1:0] $end\n"
			   "$var wire 1 y hready $end\n$upscope $end\n"
			   "$upscope $end\n$upscope $end\n$enddefinitions $end\n",
			   0, &m);

	(void)state;
	assert_string_equal(text, "[clock]\n"
				  "signal = tb.dut.HCLK\n"
				  "edge = rising\n"
				  "reset = tb.dut.HRESETn\n"
				  "reset_active = low\n"
				  "\n"
				  "[layer dut]\n"
				  "scope = tb.dut\n"
				  "htrans = HTRANS\n"
				  "haddr = HADDR\n"
				  "hwrite = HWRITE\n"
				  "# no signal with the name hsize was found\n"
				  "# no signal with the name hburst was found\n"
				  "# no signal with the name hprot was found\n"
				  "hready = HREADY\n"
				  "hresp = HRESP\n");
	pmk_wave_map_free(&m);
	free(text);
}

/* Guesses layers from several masters in one scope, a slave's port, names with directions, and an
 * active-high reset. */
static void test_guess_layers(void **state)
{
	struct pmk_wave_map m;
	char *text =
		guess("$scope module soc $end\n"
		      "$var wire 1 ! clk_i $end\n$var wire 1 r rst $end\n"
		      "$var wire 2 1 armd_htrans_o [1:0] $end\n$var wire 1 2 armd_hready_i $end\n"
		      "$var wire 32 3 armd_haddr_o [31:0] $end\n"
		      "$var wire 2 4 HTRANS_M1 [1:0] $end\n$var wire 1 5 HREADY_M1 $end\n"
		      "$var wire 2 6 htrans_s0 [1:0] $end\n$var wire 1 7 hreadyout_s0 $end\n"
		      "$var wire 1 8 hsel_s0 $end\n"
		      "$var wire 2 9 htrans_lonely [1:0] $end\n"
		      "$upscope $end\n$enddefinitions $end\n",
		      0, &m);

	(void)state;
	assert_int_equal(m.nlayers, 2);
	assert_string_equal(m.layer[0].name, "armd");
	assert_string_equal(m.layer[1].name, "m1");
	assert_int_equal(m.nslots, 5);
	assert_string_equal(m.slot[0].signal, "armd_htrans_o");
	assert_string_equal(m.slot[1].signal, "armd_haddr_o");
	assert_string_equal(m.slot[2].signal, "armd_hready_i");
	assert_string_equal(m.clock, "soc.clk_i");
	assert_string_equal(m.reset, "soc.rst");
	assert_false(m.reset_low);
	pmk_wave_map_free(&m);
	free(text);
}

#define A_BUS(name, clock)                                                                \
	"$scope module " name " $end\n$var wire 1 " clock " hclk $end\n$var wire 2 " name \
	"t htrans [1:0] $end\n$var wire 1 " name "y hready $end\n$upscope $end\n"

#define EVNTBUS(core)                                                            \
	"$scope module " core " $end\n$var wire 1 ! CLKIN $end\n$var wire 20 e " \
	"EVNTBUS [19:0] $end\n$upscope $end\n"

/* A name must show to which master the EVNTBUS belongs. */
static void test_guess_evntbus(void **state)
{
	struct pmk_wave_map m;
	char *text = guess(EVNTBUS("u_arm1136") "$enddefinitions $end\n", 0, &m);
	struct pmk_wave_error err;
	struct pmk_wave *w;
	char path[32];

	(void)state;
	assert_int_equal(m.nlayers, 0);
	assert_int_equal(m.nslots, 1);
	assert_int_equal(m.slot[0].part, PMK_WAVE_EVNTBUS);
	assert_string_equal(m.clock, "u_arm1136.CLKIN");
	assert_string_equal(m.core, "arm1136");
	assert_null(m.reset);
	pmk_wave_map_free(&m);
	free(text);
	text = guess("$var wire 1 c hclk $end\n" A_BUS("a", "c")
			     EVNTBUS("core") "$enddefinitions $end\n",
		     0, &m);
	assert_int_equal(m.nlayers, 1);
	assert_int_equal(m.slot[m.nslots - 1].part, PMK_WAVE_LAYER);
	assert_non_null(strstr(text, "# core = arm1176\n# vector = core.EVNTBUS\n"));
	pmk_wave_map_free(&m);
	free(text);
	write_file(path, EVNTBUS("core") "$enddefinitions $end\n",
		   strlen(EVNTBUS("core") "$enddefinitions $end\n"));
	assert_int_equal(pmk_wave_open(&w, path, &err), 0);
	unlink(path);
	assert_int_equal(pmk_wave_guess(w, &text, &err), 0);
	pmk_wave_close(w);
	assert_int_equal(load(&m, text, &err), PMK_EPARSE);
	assert_non_null(strstr(err.text, "[evntbus] needs core = arm1136 or core = arm1176"));
	free(text);
}

#define AN_AXI(name, code)                                                                     \
	"$var wire 1 " code "c " name "aclk $end\n"                                            \
	"$var wire 1 " code "1 " name "arvalid $end\n$var wire 1 " code "2 " name              \
	"arready $end\n$var wire 1 " code "3 " name "rvalid $end\n$var wire 1 " code "4 " name \
	"rready $end\n"

/*
 * Two interfaces are in one scope. If each has a clock that is named after it, the map has only the
 * first interface. If both have one clock, the map has both.
 */
static void test_guess_clocks(void **state)
{
	struct pmk_wave_map m;
	char *text = guess("$scope module tb $end\n" AN_AXI("s_axi_", "s")
				   AN_AXI("m_axi_", "m") "$upscope $end\n$enddefinitions $end\n",
			   0, &m);

	(void)state;
	assert_int_equal(m.naxi, 1);
	assert_string_equal(m.axi[0].name, "s_axi");
	assert_string_equal(m.clock, "tb.s_axi_aclk");
	assert_non_null(strstr(text, "# the arvalid of tb is left out: its clock is tb.m_axi_aclk, "
				     "and a map has one clock\n"));
	assert_non_null(strstr(text, "\n# [clock]\n# signal = tb.m_axi_aclk\n# [axi m_axi]\n"
				     "# scope = tb\n# arvalid = m_axi_arvalid\n"));
	pmk_wave_map_free(&m);
	free(text);
	text = guess(
		"$scope module tb $end\n$var wire 1 mc aclk $end\n" AN_AXI(
			"s_axi_",
			"m") "$var wire 1 mc m_axi_aclk $end\n$var wire 1 e m_axi_clk_en $end\n"
			     "$var wire 1 1 m_axi_arvalid $end\n$var wire 1 2 m_axi_arready $end\n"
			     "$var wire 1 3 m_axi_rvalid $end\n$var wire 1 4 m_axi_rready $end\n"
			     "$upscope $end\n$enddefinitions $end\n",
		0, &m);
	assert_int_equal(m.naxi, 2);
	pmk_wave_map_free(&m);
	free(text);
}

/* A clock that is named after one layer is not the clock of the other layers in its scope. */
static void test_guess_clock_of_one(void **state)
{
	struct pmk_wave_map m;
	char *text = guess("$scope module soc $end\n$var wire 1 ! hclk $end\n"
			   "$var wire 1 g armd_hclk $end\n"
			   "$var wire 2 1 armd_htrans [1:0] $end\n$var wire 1 2 armd_hready $end\n"
			   "$var wire 2 3 dma_htrans [1:0] $end\n$var wire 1 4 dma_hready $end\n"
			   "$upscope $end\n$enddefinitions $end\n",
			   0, &m);

	(void)state;
	assert_int_equal(m.nlayers, 1);
	assert_string_equal(m.layer[0].name, "armd");
	assert_string_equal(m.clock, "soc.armd_hclk");
	assert_non_null(strstr(text, "its clock is soc.hclk, and a map has one clock\n"));
	pmk_wave_map_free(&m);
	free(text);
}

/* Names that only contain the letters of a reset, and constants, are not taken for resets. */
static void test_guess_no_reset(void **state)
{
	struct pmk_wave_map m;
	char *text = guess("$scope module tb $end\n$var wire 1 ! hclk $end\n"
			   "$var wire 1 1 NARROW_BURST_EN $end\n$var wire 1 2 first_beat $end\n"
			   "$var parameter 1 3 USE_RST $end\n$var wire 2 t htrans [1:0] $end\n"
			   "$var wire 1 y hready $end\n$upscope $end\n$enddefinitions $end\n",
			   0, &m);

	(void)state;
	assert_null(m.reset);
	pmk_wave_map_free(&m);
	free(text);
	text = guess("$scope module tb $end\n$var wire 1 ! hclk $end\n"
		     "$var wire 1 1 burst_rst $end\n$var wire 2 t htrans [1:0] $end\n"
		     "$var wire 1 y hready $end\n$upscope $end\n$enddefinitions $end\n",
		     0, &m);
	assert_string_equal(m.reset, "tb.burst_rst");
	pmk_wave_map_free(&m);
	free(text);
}

/*
 * If layers have the chip's names, the guess includes the chip's addresses, which 14 counters need.
 */
static void test_guess_windows(void **state)
{
	struct pmk_wave_map m;
	char *text = guess(A_BUS("armd", "!") "$enddefinitions $end\n", 0, &m);
	const char *at = strstr(text, "# [windows]\n");
	char *without = calloc(1, strlen(text) + 1);

	(void)state;
	assert_non_null(at);
	pmk_wave_map_free(&m);
	for (const char *c = text; *c; c++) {
		bool mark = c >= at && c[0] == '#' && c[1] == ' ';

		c += mark ? 2 : 0;
		strncat(without, c, 1);
	}
	assert_int_equal(load(&m, without, &o.err), 0);
	assert_int_equal(m.nwindows, 8);
	assert_int_equal(m.window[0].place, PMK_AHB_AT_UART);
	assert_int_equal(m.window[0].first, 0x101f1000);
	assert_int_equal(m.window[0].last, 0x101f3fff);
	assert_int_equal(m.window[7].place, PMK_AHB_AT_APB_CORE);
	assert_int_equal(m.window[7].first, 0x101e0000);
	pmk_wave_map_free(&m);
	free(without);
	free(text);
	text = guess(A_BUS("cpu", "!") "$enddefinitions $end\n", 0, &m);
	assert_null(strstr(text, "windows"));
	pmk_wave_map_free(&m);
	free(text);
}

/*
 * The map has one of the two ends of a GXI link, and the signals next to its states. A state
 * machine with other names is not taken for a GXI link.
 */
static void test_guess_gxi(void **state)
{
	struct pmk_wave_map m;
	char *text = guess("$scope module tb $end\n"
			   "$var wire 1 ! hclk $end\n"
			   "$var wire 2 1 address_state [1:0] $end\n"
			   "$var wire 2 2 data_state [1:0] $end\n"
			   "$scope module soc $end\n"
			   "$var wire 2 a GXI_addr_state_o [1:0] $end\n"
			   "$var wire 2 d GXI_data_state_o [1:0] $end\n"
			   "$var wire 32 x GXI_addr_o [31:0] $end\n"
			   "$var wire 1 w GXI_write_i $end\n"
			   "$scope module mpmc $end\n"
			   "$var wire 2 A gxi_addr_state [1:0] $end\n"
			   "$var wire 2 D gxi_data_state [1:0] $end\n"
			   "$upscope $end\n$upscope $end\n"
			   "$scope module mbx2 $end\n"
			   "$var wire 2 3 address_state [1:0] $end\n"
			   "$var wire 2 4 data_state [1:0] $end\n"
			   "$var wire 3 5 write [2:0] $end\n"
			   "$upscope $end\n"
			   "$scope module mbx3 $end\n"
			   "$var wire 3 6 address_state [2:0] $end\n"
			   "$var wire 2 7 data_state [1:0] $end\n"
			   "$upscope $end\n$upscope $end\n$enddefinitions $end\n",
			   0, &m);

	(void)state;
	assert_string_equal(text,
			    "[clock]\nsignal = tb.hclk\nedge = rising\n\n[gxi]\naddress_state = "
			    "tb.soc.GXI_addr_state_o\ndata_state = "
			    "tb.soc.GXI_data_state_o\naddress = tb.soc.GXI_addr_o\nwrite = "
			    "tb.soc.GXI_write_i\n# the GXI of tb.soc.mpmc is probably another "
			    "end of that of tb.soc\n# tb.mbx2.address_state is left out: a "
			    "map has one GXI\n");
	pmk_wave_map_free(&m);
	free(text);
	text = guess("$var wire 1 ! clk $end\n$scope module mbx $end\n"
		     "$var wire 2 3 addressState [1:0] $end\n$var wire 2 4 dataState [1:0] $end\n"
		     "$var wire 65 5 address [64:0] $end\n$var wire 1 6 rst_n $end\n"
		     "$upscope $end\n$enddefinitions $end\n",
		     0, &m);
	assert_string_equal(text, "[clock]\nsignal = clk\nedge = rising\nreset = mbx.rst_n\n"
				  "reset_active = low\n\n[gxi]\n"
				  "address_state = mbx.addressState\ndata_state = mbx.dataState\n"
				  "# no signal with the name address was found\n"
				  "# no signal with the name write was found\n");
	pmk_wave_map_free(&m);
	free(text);
	/* The link has no data channel, and only the address words. */
	text = guess("$var wire 1 ! clk $end\n$var wire 2 1 gxi_address_state [1:0] $end\n"
		     "$var wire 2 2 address_state [1:0] $end\n$var wire 2 3 data_state [1:0] $end\n"
		     "$enddefinitions $end\n",
		     PMK_ENOTSUP, &m);
	assert_null(text);
}

/* The GXI's address channel is [30:29], and its read data channel is [32:31] (DDI 0287B 4.2.1). */
static void test_guess_pins(void **state)
{
	struct pmk_wave_map m;
	char *text = guess("$scope module tb $end\n$var wire 1 ! HCLK $end\n"
			   "$var wire 34 a AHBMONITOR [33:0] $end\n"
			   "$var wire 32 b ahbmonitor_low [31:0] $end\n"
			   "$upscope $end\n$enddefinitions $end\n",
			   0, &m);

	(void)state;
	assert_string_equal(text, "[clock]\nsignal = tb.HCLK\nedge = rising\n\n[gxi]\n"
				  "address_state = tb.AHBMONITOR[30:29]\n"
				  "data_state = tb.AHBMONITOR[32:31]\n"
				  "# address and write are not among these pins\n"
				  "# Instead of [gxi], this counts the layers, too, by the codes "
				  "of the register layout:\n# [packets]\n# pins = tb.AHBMONITOR\n");
	pmk_wave_map_free(&m);
	free(text);
	text = guess("$var wire 1 ! HCLK $end\n$var wire 33 a ahbmonitor_o [32:0] $end\n"
		     "$var wire 2 s gxi_address_state [1:0] $end\n"
		     "$var wire 2 d gxi_data_state [1:0] $end\n$enddefinitions $end\n",
		     0, &m);
	assert_null(strstr(text, "ahbmonitor"));
	assert_non_null(strstr(text, "address_state = gxi_address_state\n"));
	pmk_wave_map_free(&m);
	free(text);
}

/*
 * Guesses a map for several layers, not all of which have a name that the AHB Monitor has. They
 * have one clock, two clocks, or two nets that may be one clock.
 */
static void test_guess_several(void **state)
{
	struct pmk_wave_map m;
	char *text = guess(
		A_BUS("a", "!") A_BUS("b", "!") A_BUS("dma0", "!") "$enddefinitions $end\n", 0, &m);

	(void)state;
	assert_int_equal(m.nlayers, 3);
	assert_non_null(strstr(text, "[layer a]\nscope = a\n"));
	assert_non_null(strstr(text, "[layer b]\nscope = b\n"));
	assert_non_null(strstr(text, "[layer dma0]\nscope = dma0\n"));
	pmk_wave_map_free(&m);
	free(text);

	text = guess(A_BUS("a", "!") A_BUS("b", "k") "$enddefinitions $end\n", 0, &m);
	assert_int_equal(m.nlayers, 1);
	assert_string_equal(m.clock, "a.hclk");
	assert_non_null(strstr(
		text,
		"# the htrans of b is left out: its clock is b.hclk, and a map has one clock\n"));
	pmk_wave_map_free(&m);
	free(text);

	/* Simulators give each end of a port a net of its own. */
	text = guess("$var wire 1 c hclk $end\n" A_BUS("a", "!")
			     A_BUS("b", "k") "$enddefinitions $end\n",
		     0, &m);
	assert_int_equal(m.nlayers, 2);
	assert_non_null(strstr(text, "[layer b]\n# b.hclk is another net than the clock above: "
				     "if it is another clock, this layer needs a map and a "
				     "run of its own\n"));
	pmk_wave_map_free(&m);
	free(text);
}

#define LANE(index, code)                                                             \
	"$scope module lane[" index "] $end\n$scope module u $end\n$var wire 2 " code \
	"t htrans [1:0] $end\n$var wire 1 " code "y hready $end\n$upscope $end\n$upscope $end\n"

/*
 * Layers are in the order of the numbers in their names. A layer in a generated scope is named
 * after the scope. Two ends of one bus are one layer.
 */
static void test_guess_order(void **state)
{
	struct pmk_wave_map m;
	char *text = guess("$var wire 1 ! hclk $end\n" A_BUS("m10", "!") A_BUS("cpu", "!")
				   A_BUS("m9", "!") LANE("1", "a")
					   LANE("0", "b") "$enddefinitions $end\n",
			   0, &m);

	(void)state;
	free(text);
	assert_int_equal(m.nlayers, 5);
	assert_string_equal(m.layer[0].name, "m9");
	assert_string_equal(m.layer[1].name, "m10");
	assert_string_equal(m.layer[2].name, "cpu");
	assert_string_equal(m.layer[3].name, "lane0_u");
	assert_string_equal(m.layer[4].name, "lane1_u");
	pmk_wave_map_free(&m);

	text = guess("$scope module tb $end\n$var wire 1 ! hclk $end\n"
		     "$var wire 2 a m0_htrans [1:0] $end\n$var wire 1 b m0_hready $end\n"
		     "$var wire 1 c m0_hwrite $end\n"
		     "$var wire 2 d m1_htrans [1:0] $end\n$var wire 1 e m1_hready $end\n"
		     "$var wire 1 f m1_hwrite $end\n"
		     "$scope module u $end\n$var wire 2 g htrans [1:0] $end\n"
		     "$var wire 1 b hready $end\n$var wire 1 c hwrite $end\n$upscope $end\n"
		     "$scope module s $end\n$var wire 2 h htrans [1:0] $end\n"
		     "$var wire 1 e hready $end\n$upscope $end\n"
		     "$scope module x $end\n$var wire 2 i htrans [1:0] $end\n"
		     "$var wire 1 b hready $end\n$var wire 1 j hwrite $end\n$upscope $end\n"
		     "$upscope $end\n$enddefinitions $end\n",
		     0, &m);
	assert_int_equal(m.nlayers, 3);
	assert_string_equal(m.layer[0].name, "m0");
	assert_string_equal(m.layer[1].name, "m1");
	assert_string_equal(m.layer[2].name, "x"); /* another master on the bus of m0 */
	assert_non_null(
		strstr(text, "# the htrans of tb.s is probably another end of that of tb\n"));
	pmk_wave_map_free(&m);
	free(text);
}

#define BIT(code, name) "$var wire 1 " code " " name " $end\n"

/*
 * pmk joins the bits of a vector that was dumped bit by bit, in any order, with or without a blank
 * before the index. It does not join them if a bit is missing, or is there twice.
 */
static void test_guess_bits(void **state)
{
	struct pmk_wave_map m;
	char *text =
		guess("$scope module tb $end\n" BIT("!", "hclk") BIT("a", "htrans [0]")
			      BIT("b", "htrans [1]") BIT("c", "hready") BIT("d", "haddr[2]") BIT(
				      "e", "haddr[4]") BIT("f", "haddr[3]") BIT("g", "hburst[0]")
				      BIT("h", "hburst[2]") "$upscope $end\n$enddefinitions $end\n",
		      0, &m);

	(void)state;
	assert_int_equal(m.nlayers, 1);
	assert_non_null(
		strstr(text, "htrans = htrans\nhaddr = haddr\n# no signal with the name hwrite"));
	assert_null(m.reset);
	pmk_wave_map_free(&m);
	free(text);
	text = guess(BIT("!", "hclk") BIT("a", "htrans [0]") BIT("b", "htrans [0]")
			     BIT("c", "hready") "$enddefinitions $end\n",
		     PMK_ENOTSUP, &m);
	assert_null(text);
}

static void test_guess_nothing(void **state)
{
	struct pmk_wave_map m;
	char *text = guess("$var wire 1 ! clk $end\n$enddefinitions $end\n", PMK_ENOTSUP, &m);

	(void)state;
	assert_null(text);
	text = guess("$var wire 2 ! htrans [1:0] $end\n$var wire 1 y hready $end\n"
		     "$enddefinitions $end\n",
		     PMK_ENOTSUP, &m);
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_core),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_names_not_found),
		cmocka_unit_test(test_declared_twice),
		cmocka_unit_test(test_guess_one_layer),
		cmocka_unit_test(test_guess_layers),
		cmocka_unit_test(test_guess_evntbus),
		cmocka_unit_test(test_guess_clocks),
		cmocka_unit_test(test_guess_clock_of_one),
		cmocka_unit_test(test_guess_no_reset),
		cmocka_unit_test(test_guess_windows),
		cmocka_unit_test(test_guess_gxi),
		cmocka_unit_test(test_guess_pins),
		cmocka_unit_test(test_guess_several),
		cmocka_unit_test(test_guess_order),
		cmocka_unit_test(test_guess_bits),
		cmocka_unit_test(test_guess_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
