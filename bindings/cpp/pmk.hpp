/* SPDX-License-Identifier: MIT */
/*
 * pmukit in C++11: the target library and, where there is an operating system, counting. All
 * functions are inline. They call the functions of the C headers, which describe them, and return
 * errors as those do. There are no exceptions, no RTTI, no heap, and nothing of the standard
 * library, so that firmware can use this header.
 *
 *	static pmk::target pmu;
 *	static pmk_region regions[] = { { "fft" }, { "irq" } };
 *
 *	pmu.open(pmk_arm1176, pmk_port_native());
 *	pmu.add(PMK_ARM11_DCACHE_MISS);
 *	pmu.regions(regions);
 *	pmu.start();
 *	{
 *		pmk::region r(pmu, 0);	// counts until the block is left, however that is
 *		fft();
 *	}
 *	pmu.report(uart_putc);
 *
 * To use pmk_target.c and pmk_target.h, include "pmk_target.h" first. If PMK_ENABLED is 0, no call
 * of the library is left, only the code that computes arguments.
 */
#ifndef PMK_HPP
#define PMK_HPP

#ifndef PMK_TARGET_H
#include <pmk/target.h>
#endif
#if __STDC_HOSTED__ && defined(__has_include)
#if __has_include(<pmk/count.h>)
#include <pmk/count.h>
#endif
#endif

namespace pmk
{

/*
 * A session inside firmware. It may be a static object: it has neither a constructor nor a
 * destructor, and begins as zeroed memory. One that is not static is written `pmk::target t{};`.
 */
class target {
    public:
	target() = default;
	target(const target &) = delete;
	target &operator=(const target &) = delete;

	int open(const pmk_pmu &pmu, pmk_port port) { return pmk_target_open(get(), &pmu, port); }
	int seize(const pmk_pmu &pmu, pmk_port port) { return pmk_target_seize(get(), &pmu, port); }
	int add(unsigned code) { return pmk_target_add(get(), code); }
	template <size_t N> int regions(pmk_region (&r)[N])
	{
		return pmk_target_regions(get(), r, N);
	}
	template <size_t N> int fast_regions(pmk_fast_region (&r)[N])
	{
		return pmk_target_fast_regions(get(), r, N);
	}
	int locks(uintptr_t (*lock)(), void (*unlock)(uintptr_t))
	{
		return pmk_target_locks(get(), lock, unlock);
	}
	int interrupts(bool on) { return pmk_target_interrupts(get(), on); }
	int sample(unsigned event, uint32_t period, pmk_ring &ring)
	{
		return pmk_target_sample(get(), event, period, &ring);
	}

	int start() { return pmk_target_start(get()); }
	int stop() { return pmk_target_stop(get()); }
	int close() { return pmk_target_close(get()); }

	int read(unsigned event, uint64_t &total) { return pmk_target_read(get(), event, &total); }
	int read_all(uint64_t (&totals)[PMK_TARGET_EVENTS])
	{
		return pmk_target_read_all(get(), totals);
	}
	int latency(unsigned event, pmk_latency &l) { return pmk_target_latency(get(), event, &l); }
	int wrapped(unsigned event) { return pmk_target_wrapped(get(), event); }
	int isr(uintptr_t pc) { return pmk_target_isr(get(), pc); }
	int poll() { return pmk_target_poll(get()); }
	uint64_t deadline(unsigned per_cycle = 1) { return pmk_target_deadline(get(), per_cycle); }

	int find(const char *name) { return pmk_region_find(get(), name); }
	int reset(unsigned id) { return pmk_region_reset(get(), id); }
	int switch_out() { return pmk_target_switch_out(get()); }
	int switch_in(pmk_task *task) { return pmk_target_switch_in(get(), task); }
	int task_read(const pmk_task *task, uint64_t (&totals)[PMK_TARGET_EVENTS])
	{
		return pmk_target_task_read(get(), task, totals);
	}
	int report(pmk_put *put) { return pmk_target_report(get(), put); }
	int dump(pmk_put *put) { return pmk_target_dump(get(), put); }

	/* The object in C, for functions that this class lacks. NULL with PMK_ENABLED 0. */
#if PMK_ENABLED
	pmk_target *get() { return &t_; }

    private:
	pmk_target t_;
#else
	pmk_target *get() { return nullptr; }
#endif
};

/* Makes the rest of the block a region, as PMK_REGION_BEGIN and PMK_REGION_END would. */
class region {
    public:
	region(target &t, unsigned id)
		: t_(t)
		, id_(id)
	{
		(void)pmk_region_begin(t_.get(), id_);
	}
	~region() { (void)pmk_region_end(t_.get(), id_); }
	region(const region &) = delete;
	region &operator=(const region &) = delete;

    private:
	target &t_;
	unsigned id_;
};

/* Starts counting, and stops it at the end of the block. `error()` is 0 if it has started. */
class running {
    public:
	explicit running(target &t)
		: t_(t)
		, err_(t.start())
	{
	}
	~running()
	{
		if (!err_)
			(void)t_.stop();
	}
	running(const running &) = delete;
	running &operator=(const running &) = delete;
	int error() const { return err_; }

    private:
	target &t_;
	int err_;
};

#ifdef PMK_FAST_BEGIN
/* Measures the rest of the block in the cheapest way, <pmk/fast.h>. The differences are in `f`
 * after the block. */
class fast {
    public:
	explicit fast(pmk_fast &f)
		: f_(f)
	{
		PMK_FAST_BEGIN(&f_);
	}
	~fast() { PMK_FAST_END(&f_); }
	fast(const fast &) = delete;
	fast &operator=(const fast &) = delete;

    private:
	pmk_fast &f_;
};
#endif

#ifdef PMK_COUNT_H
/*
 * Counting a program, <pmk/count.h>: what `pmk stat` does.
 *
 *	pmk::count c;
 *	if (c.set("event", "cycles,instructions") || c.program(argv) || c.run())
 *		std::cerr << c.error() << "\n";
 *	for (const pmk_count_row &row : c)
 *		std::cout << row.name << " " << row.value << "\n";
 */
class count {
    public:
	count()
		: c_(pmk_count_new())
	{
	}
	~count() { pmk_count_free(c_); }
	count(count &&other) noexcept
		: c_(other.c_)
	{
		other.c_ = nullptr;
	}
	count &operator=(count &&other) noexcept
	{
		pmk_count *mine = c_;

		c_ = other.c_;
		other.c_ = mine;
		return *this;
	}
	count(const count &) = delete;
	count &operator=(const count &) = delete;

	/* Returns 0 or an enum pmk_count_failure; error() describes the failure in a line. */
	int set(const char *name, const char *value = nullptr)
	{
		return pmk_count_set(c_, name, value);
	}
	int program(char *const *argv) { return pmk_count_program(c_, argv); }
	int prepare(const pmk_count_listener *l = nullptr) { return pmk_count_prepare(c_, l); }
	int run(const pmk_count_listener *l = nullptr) { return pmk_count_run(c_, l); }
	void stop(int signal) { pmk_count_stop(c_, signal); }
	const char *error() const { return pmk_count_get_error(c_)->text; }
	int failure() const { return pmk_count_get_error(c_)->failure; }
	struct pmk_count_summary summary() const
	{
		struct pmk_count_summary s = {};

		s.size = sizeof(s);

		::pmk_count_get_summary(c_, &s);
		return s;
	}
	pmk_count *get() const { return c_; }

	/* Steps through the rows. Their texts are valid as long as the object is. */
	class iterator {
	    public:
		iterator(const pmk_count *c, uint32_t i)
			: c_(c)
			, i_(i)
			, row_()
		{
			row_.size = sizeof(row_);
			read();
		}
		const struct pmk_count_row &operator*() const { return row_; }
		iterator &operator++()
		{
			i_++;
			read();
			return *this;
		}
		bool operator!=(const iterator &other) const { return i_ != other.i_; }

	    private:
		void read()
		{
			if (i_ != UINT32_MAX && !pmk_count_get_row(c_, i_, &row_))
				i_ = UINT32_MAX;
		}
		const pmk_count *c_;
		uint32_t i_;
		struct pmk_count_row row_;
	};
	iterator begin() const { return iterator(c_, 0); }
	iterator end() const { return iterator(c_, UINT32_MAX); }

    private:
	pmk_count *c_;
};
#endif

} // namespace pmk

#endif
