/* SPDX-License-Identifier: MIT */
/*
 * A user's file with every function and macro that PMK_ENABLED switches off. It is compiled in
 * three ways: normally, for linking with the library; with PMK_ENABLED=0; and with -DBARE, for
 * which the preprocessor removes all lines of pmk. The last two must give identical objects.
 */
#include <stdint.h>

#ifdef BARE
#define PMK(...)
#define PMK_GIVES(value, ...) value
#else
#include <pmk/arm11.h>
#include <pmk/fast.h>
#include <pmk/likwid.h>
#include <pmk/target.h>
#ifdef __MICROBLAZE__ /* has no instruction that reads counters */
#include <pmk/microblaze.h>
#define pmk_port_native() pmk_port_mdm(0)
#ifndef PMK_FAST_BEGIN
#define PMK_FAST_BEGIN(f)	  ((void)(f))
#define PMK_FAST_END(f)		  ((void)(f))
#define PMK_REGION_FAST_BEGIN(id) ((void)(id))
#define PMK_REGION_FAST_END(id)	  ((void)(id))
#define PMK_REGION_FAST(id)	  if (!(id))
#endif
#endif
#define PMK(...)	      __VA_ARGS__
#define PMK_GIVES(value, ...) __VA_ARGS__
#endif

#define N 4

/* clang-format off */
PMK(enum { FFT, IRQ, NREGIONS };)
PMK(static struct pmk_target pmu;)
PMK(static struct pmk_region regions[NREGIONS] = { { .name = "fft" }, { .name = "irq" } };)
PMK(static struct pmk_sample samples[16];)
PMK(static struct pmk_ring ring = { .sample = samples, .size = 16 };)
PMK(static struct pmk_task task;)
PMK(static struct pmk_fast_region fast_regions[1];)

void give_up(int line);
void show(uint64_t value);
volatile int port_of_the_uart;

void uart_putc(char c)
{
	port_of_the_uart = c;
}

uintptr_t mask(void)
{
	return (uintptr_t)port_of_the_uart++;
}

void unmask(uintptr_t before)
{
	port_of_the_uart = (int)before;
}

int work(int n)
{
	int sum = 0;

	PMK(PMK_REGION_BEGIN(FFT);)
	for (int i = 0; i < n; i++)
		sum += i * port_of_the_uart;
	PMK(PMK_REGION_END(FFT);)
	return sum;
}

int inner_loop(const int *v)
{
	int sum = 0;
	PMK(struct pmk_fast f;)

	PMK(PMK_FAST_BEGIN(&f);)
	for (int i = 0; i < N; i++)
		sum += v[i];
	PMK(PMK_FAST_END(&f);)
	PMK(PMK_REGION_FAST_BEGIN(0);)
	sum++;
	PMK(PMK_REGION_FAST_END(0);)
#ifdef __OPTIMIZE__ /* at -O0, PMK_REGION_FAST's loop stays even if pmk is disabled */
	PMK(PMK_REGION_FAST(0))
	{
		sum--;
	}
#endif
	return sum;
}

/* Ignores all results, as most firmware does. */
void ignoring(void)
{
	PMK(pmk_target_open(&pmu, &pmk_arm1176, pmk_port_native());)
	PMK(pmk_target_seize(&pmu, &pmk_arm1176, pmk_port_native());)
	PMK(pmk_target_add(&pmu, PMK_ARM11_CPU_CYCLES);)
	PMK(pmk_target_regions(&pmu, regions, NREGIONS);)
	PMK(pmk_target_fast_regions(&pmu, fast_regions, 1);)
	PMK(pmk_target_locks(&pmu, mask, unmask);)
	PMK(pmk_target_interrupts(&pmu, true);)
	PMK(pmk_target_sample(&pmu, 0, 1000, &ring);)
	PMK(pmk_target_start(&pmu);)
	PMK(pmk_region_begin(&pmu, IRQ);)
	PMK(pmk_region_end(&pmu, IRQ);)
	PMK(pmk_region_find(&pmu, "irq");)
	PMK(pmk_region_reset(&pmu, IRQ);)
	PMK(pmk_target_switch_out(&pmu);)
	PMK(pmk_target_switch_in(&pmu, &task);)
	PMK(pmk_target_poll(&pmu);)
	PMK(pmk_target_isr(&pmu, 0);)
	PMK(pmk_target_stop(&pmu);)
	PMK(pmk_target_report(&pmu, uart_putc);)
	PMK(pmk_target_dump(&pmu, uart_putc);)
	PMK(pmk_target_close(&pmu);)
	show(1);
}

/* Calls the functions and checks all results, which are 0 with PMK_ENABLED=0. */
void careful(void)
{
	PMK(if (pmk_target_open(&pmu, &pmk_arm1176, pmk_port_native())) give_up(1);)
	PMK(if (pmk_target_seize(&pmu, &pmk_arm1176, pmk_port_native())) give_up(2);)
	PMK(if (pmk_target_add(&pmu, PMK_ARM11_DCACHE_MISS) < 0) give_up(3);)
	PMK(if (pmk_target_regions(&pmu, regions, NREGIONS)) give_up(4);)
	PMK(if (pmk_target_locks(&pmu, mask, unmask)) give_up(5);)
	PMK(if (pmk_target_interrupts(&pmu, false)) give_up(6);)
	PMK(if (pmk_target_sample(&pmu, 0, 1000, &ring)) give_up(7);)
	PMK(if (pmk_target_start(&pmu)) give_up(8);)
	PMK(if (pmk_target_stop(&pmu)) give_up(9);)
	PMK(if (pmk_target_isr(&pmu, 0) > 0) return;)
	PMK(if (pmk_target_wrapped(&pmu, 0)) give_up(18);)
	PMK(if (pmk_target_poll(&pmu) < 0) give_up(10);)
	PMK(if (pmk_region_begin(&pmu, IRQ) || pmk_region_end(&pmu, IRQ)) give_up(11);)
	PMK(if (pmk_region_find(&pmu, "irq") < 0) give_up(12);)
	PMK(if (pmk_region_reset(&pmu, IRQ)) give_up(13);)
	PMK(if (pmk_target_switch_out(&pmu) || pmk_target_switch_in(&pmu, NULL)) give_up(14);)
	PMK(if (pmk_target_report(&pmu, uart_putc)) give_up(15);)
	PMK(if (pmk_target_dump(&pmu, uart_putc)) give_up(16);)
	PMK(if (pmk_target_close(&pmu)) give_up(17);)
	show(2);
}

/* Uses values that the functions return. */
void reading(void)
{
	uint64_t total;

	PMK_GIVES(total = 0, pmk_target_read(&pmu, 0, &total));
	PMK_GIVES((total = 0), if (pmk_target_read(&pmu, 0, &total)) give_up(18));
	show(total);
	show(PMK_GIVES(UINT64_MAX, pmk_target_deadline(&pmu, 1)));
}

/* With -DBARE, arrays and structs that only pmk fills are left out, too. */
void reading_more(void)
{
	PMK(uint64_t totals[PMK_TARGET_EVENTS];)
	PMK(struct pmk_sample s;)
	PMK(struct pmk_latency l;)

	PMK(if (pmk_target_read_all(&pmu, totals)) show(totals[0]);)
	PMK(if (pmk_target_task_read(&pmu, &task, totals)) show(totals[1]);)
	PMK(if (pmk_target_latency(&pmu, 0, &l)) show(l.n);)
	PMK(while (pmk_ring_take(&ring, &s)) show(s.pc);)
	show(3);
}

void likwid(void)
{
	uint64_t events[N], time;
	int nevents = N, count;

	PMK(LIKWID_MARKER_INIT;)
	PMK(LIKWID_MARKER_THREADINIT;)
	PMK(LIKWID_MARKER_REGISTER("fft");)
	PMK(LIKWID_MARKER_SWITCH;)
	PMK(LIKWID_MARKER_START("fft");)
	show(4);
	PMK(LIKWID_MARKER_STOP("fft");)
	PMK_GIVES((nevents = 0, time = 0, count = 0),
		  LIKWID_MARKER_GET("fft", &nevents, events, &time, &count));
	for (int i = 0; i < nevents; i++)
		show(events[i]);
	show(time + (unsigned)count);
	PMK(LIKWID_MARKER_RESET("fft");)
	PMK(LIKWID_MARKER_CLOSE;)
}
