// SPDX-License-Identifier: MIT
/*
 * Evaluates results of sweeps: the best cores for several goals, how much of an event each setting
 * explains, and a heat map of two settings.
 *
 * Counts of programs differ in size, so that the largest program would dominate a mean. Therefore
 * settings are compared by values that are divided by the mean of their program over all its cells.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/print.h"
#include "base/printable.h"
#include "lab/sweep/command.h"
#include "result/internal.h"

static const char *place_name(const void *ctx, unsigned i)
{
	const struct pmk_words *w = ctx;

	return i < w->count ? w->word[i] : NULL;
}

static int unknown_name(const char *option, const char *name, const struct pmk_words *words,
			const char *what)
{
	char near[160];

	pmk_nearest_among(name, place_name, words, near, sizeof(near));
	return cli_fail(PMK_EXIT_USAGE, "%s: there is no %s '%s' in the database%s%s%s", option,
			what, name, *near ? "; did you mean " : "", near, *near ? "?" : "");
}

static int find_event(const struct sweep_results *r, const char *option, const char *name,
		      size_t *event)
{
	*event = sweep_results_event(r, name);
	return *event != SIZE_MAX ? 0 : unknown_name(option, name, &r->events, "event");
}

/* ---- Pareto front ---------------------------------------------------------------------------- */

/* A goal is an event, or a setting whose value is a number; smaller is better. */
struct goal {
	char *name;
	size_t event, setting; /* the member that is not used is SIZE_MAX */
};

/* A core with its settings, and its counts summed over all programs. */
struct design {
	const struct sweep_row *row; /* any of its rows */
	double value[SWEEP_GOALS];
	size_t programs;
	bool valid; /* true if no value is missing */
};

static int read_goals(const struct sweep_results *r, char *list, struct goal *goal, size_t *n)
{
	char *save, *name;

	for (name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		if (*n == SWEEP_GOALS)
			return cli_fail(PMK_EXIT_USAGE, "--pareto: more than %d goals",
					SWEEP_GOALS);
		goal[*n] = (struct goal){ .name = name,
					  .event = sweep_results_event(r, name),
					  .setting = sweep_results_setting(r, name) };
		if (goal[*n].event == SIZE_MAX && goal[*n].setting == SIZE_MAX)
			return unknown_name("--pareto", name,
					    strchr(name, '.') ? &r->settings : &r->events,
					    "event or setting");
		++*n;
	}
	return *n ? 0
		  : cli_fail(PMK_EXIT_USAGE,
			     "--pareto needs goals; for example --pareto cycles,dcache.size");
}

static bool same_design(const struct sweep_results *r, const struct sweep_row *a,
			const struct sweep_row *b)
{
	if (strcmp(a->core, b->core) != 0)
		return false;
	for (size_t i = 0; i < r->settings.count; i++)
		if (sweep_compare_values(a->setting[i], b->setting[i]))
			return false;
	return true;
}

static int by_design(const void *a, const void *b, void *ctx)
{
	const struct sweep_row *x = *(const struct sweep_row *const *)a,
			       *y = *(const struct sweep_row *const *)b;
	const struct sweep_results *r = ctx;
	int order = strcmp(x->core, y->core);

	for (size_t i = 0; !order && i < r->settings.count; i++)
		order = sweep_compare_values(x->setting[i], y->setting[i]);
	return order ? order : strcmp(x->name, y->name);
}

/* Adds a row to its design. A row that lacks a count is skipped, so its design has fewer programs.
 * A design that has fewer programs than another one becomes invalid. */
static void add_row(const struct sweep_row *row, const struct goal *goal, size_t n,
		    struct design *d)
{
	for (size_t g = 0; g < n; g++)
		if (goal[g].event != SIZE_MAX && !row->value[goal[g].event].has_value)
			return;
	d->programs++;
	for (size_t g = 0; g < n; g++) {
		const char *text = goal[g].event == SIZE_MAX ? row->setting[goal[g].setting] : NULL;

		if (goal[g].event != SIZE_MAX)
			d->value[g] += (double)row->value[goal[g].event].value;
		else
			d->valid &= text && sweep_value_number(text, &d->value[g]);
	}
}

/* Combines rows with the same core and settings to designs. Returns the number of designs; 0 if
 * out of memory. */
static size_t make_designs(const struct sweep_results *r, const struct goal *goal, size_t n,
			   struct design *designs)
{
	const struct sweep_row **rows = calloc(r->nrows + 1, sizeof(*rows));
	size_t count = 0, most = 0;

	for (size_t i = 0; rows && i < r->nrows; i++)
		rows[i] = &r->row[i];
	if (rows)
		qsort_r(rows, r->nrows, sizeof(*rows), by_design, (void *)(uintptr_t)r);
	for (size_t i = 0; rows && i < r->nrows; i++) {
		if (!count || !same_design(r, designs[count - 1].row, rows[i]))
			designs[count++] = (struct design){ .row = rows[i], .valid = true };
		add_row(rows[i], goal, n, &designs[count - 1]);
		if (designs[count - 1].programs > most)
			most = designs[count - 1].programs;
	}
	for (size_t i = 0; i < count; i++)
		designs[i].valid &= designs[i].programs == most;
	free(rows);
	return count;
}

/* True if `b` is at least as good as `a` in every goal, and better in one. */
static bool design_dominates(const struct design *b, const struct design *a, size_t n)
{
	bool better = false;

	for (size_t g = 0; g < n; g++) {
		if (b->value[g] > a->value[g])
			return false;
		better |= b->value[g] < a->value[g];
	}
	return better;
}

static int by_first_goal(const void *a, const void *b)
{
	const struct design *x = *(const struct design *const *)a,
			    *y = *(const struct design *const *)b;

	for (size_t g = 0; g < SWEEP_GOALS; g++)
		if (x->value[g] != y->value[g])
			return x->value[g] < y->value[g] ? -1 : 1;
	return 0;
}

static void print_design(FILE *f, const struct sweep_results *r, const struct goal *goal, size_t n,
			 const struct design *d)
{
	char text[PMK_NUMBER_SIZE];

	for (size_t g = 0; g < n; g++) {
		pmk_number_text(text, (uint64_t)d->value[g], 0, true);
		fprintf(f, "%*s  ", (int)(strlen(goal[g].name) > 16 ? strlen(goal[g].name) : 16),
			text);
	}
	pmk_printable_write(f, d->row->core);
	for (size_t i = 0; i < r->settings.count; i++)
		if (d->row->setting[i])
			pmk_print(f, "  %s=%s", r->settings.word[i], d->row->setting[i]);
	fputc('\n', f);
}

int sweep_pareto(FILE *f, const struct sweep_results *r, char *goals)
{
	struct design *designs = calloc(r->nrows + 1, sizeof(*designs));
	const struct design **front = calloc(r->nrows + 1, sizeof(*front));
	struct goal goal[SWEEP_GOALS];
	size_t n = 0, count, nfront = 0, invalid = 0;
	int code = designs && front ? read_goals(r, goals, goal, &n) : cli_no_memory();

	count = code ? 0 : make_designs(r, goal, n, designs);
	for (size_t i = 0; i < count; i++) {
		bool beaten = !designs[i].valid;

		invalid += !designs[i].valid;
		for (size_t k = 0; k < count && !beaten; k++)
			beaten = designs[k].valid && design_dominates(&designs[k], &designs[i], n);
		if (!beaten)
			front[nfront++] = &designs[i];
	}
	if (!code) {
		size_t programs = nfront ? front[0]->programs : 0;

		qsort(front, nfront, sizeof(*front), by_first_goal);
		for (size_t g = 0; g < n; g++)
			fprintf(f, "%16s  ", goal[g].name);
		fputs("core and settings\n", f);
		for (size_t i = 0; i < nfront; i++)
			print_design(f, r, goal, n, front[i]);
		fprintf(f,
			"%zu of %zu core%s, by the sums of %zu program%s; each other core is "
			"beaten by one of these: worse in a goal, better in none",
			nfront, count, count == 1 ? "" : "s", programs, programs == 1 ? "" : "s");
		fprintf(f, invalid ? "; %zu lack%s a value\n" : "\n", invalid,
			invalid == 1 ? "s" : "");
	}
	free(designs);
	free(front);
	return code;
}

/* ---- share of the variance ------------------------------------------------------------------- */

/* Returns the name of a factor. Factor 0 is the program, factor 1 the core; later factors are
 * settings. */
static const char *factor_name(const struct sweep_results *r, size_t factor)
{
	return factor == 0 ? "program" : factor == 1 ? "core" : r->settings.word[factor - 2];
}

static const char *level_of(const struct sweep_row *row, size_t factor)
{
	const char *value = factor == 0	  ? row->name
			    : factor == 1 ? row->core
					  : row->setting[factor - 2];

	return value ? value : "-";
}

/* A row that has a count of the event. `value` is the count divided by the mean count of its
 * program. If all counts of the program are 0, `of_nothing` is true, and `value` is 1, as for a
 * count that equals the mean. */
struct part {
	const struct sweep_row *row;
	double value;
	bool of_nothing;
};

struct parts {
	struct part *part;
	size_t n, left_out;
};

static int make_parts(const struct sweep_results *r, size_t event, struct parts *p)
{
	p->part = calloc(r->nrows + 1, sizeof(*p->part));
	if (!p->part)
		return cli_no_memory();
	/* Rows of a program are consecutive. */
	for (size_t i = 0, begin = 0; i < r->nrows; i++) {
		const struct sweep_row *row = &r->row[i];
		bool last = i + 1 == r->nrows || strcmp(row->name, r->row[i + 1].name) != 0;
		double sum = 0;

		if (row->value[event].has_value)
			p->part[p->n++] =
				(struct part){ row, (double)row->value[event].value, false };
		else
			p->left_out++;
		if (!last)
			continue;
		for (size_t k = begin; k < p->n; k++)
			sum += p->part[k].value;
		for (size_t k = begin; k < p->n; k++) {
			p->part[k].of_nothing = sum <= 0;
			p->part[k].value =
				sum > 0 ? p->part[k].value * (double)(p->n - begin) / sum : 1;
		}
		begin = p->n;
	}
	return 0;
}

/* A value of a factor, with the sum and the number of the results that have this value. */
struct level {
	const char *value;
	double sum;
	size_t n;
};

struct levels {
	struct level *level; /* sorted by their values */
	size_t n, room;
};

static double level_mean(const struct level *l)
{
	return l->n ? l->sum / (double)l->n : 0;
}

static int by_value(const void *a, const void *b)
{
	const struct level *x = a, *y = b;

	return sweep_compare_values(x->value, y->value);
}

static struct level *find_level(struct levels *l, const char *value)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->level[i].value, value))
			return &l->level[i];
	return PMK_APPEND(l->level, l->n, l->room, (struct level){ .value = value })
		       ? &l->level[l->n - 1]
		       : NULL;
}

static bool make_levels(const struct parts *p, size_t factor, struct levels *l)
{
	*l = (struct levels){ 0 };
	for (size_t i = 0; i < p->n; i++) {
		struct level *level = find_level(l, level_of(p->part[i].row, factor));

		if (!level)
			return false;
		level->sum += p->part[i].value;
		level->n++;
	}
	if (l->n)
		qsort(l->level, l->n, sizeof(*l->level), by_value);
	return true;
}

/* Returns the main effect of a factor: the sum of the squares of the deviations that remain if each
 * value is replaced by the mean of its level. */
static double explained_variance(const struct levels *l)
{
	double sum = 0;

	for (size_t i = 0; i < l->n; i++) {
		double off = level_mean(&l->level[i]) - 1;

		sum += (double)l->level[i].n * off * off;
	}
	return sum;
}

/*
 * True if each pair of values of factors a and b occurs as often as the frequencies of the two
 * values predict. Then neither factor explains an effect of the other.
 */
static bool are_independent(const struct parts *p, size_t a, size_t b, int *code)
{
	struct levels x, y = { 0 };
	bool good = make_levels(p, a, &x) && make_levels(p, b, &y), yes = true;
	size_t *both = good ? calloc(x.n * y.n + 1, sizeof(*both)) : NULL;

	for (size_t i = 0; both && i < p->n; i++) {
		size_t row = (size_t)(find_level(&x, level_of(p->part[i].row, a)) - x.level);
		size_t column = (size_t)(find_level(&y, level_of(p->part[i].row, b)) - y.level);

		both[row * y.n + column]++;
	}
	for (size_t i = 0; both && i < x.n * y.n; i++)
		yes &= both[i] * p->n == x.level[i / y.n].n * y.level[i % y.n].n;
	if (!both)
		*code = cli_no_memory();
	free(both);
	free(x.level);
	free(y.level);
	return yes;
}

static bool all_independent(const struct sweep_results *r, const struct parts *p, int *code)
{
	for (size_t a = 1; a < 2 + r->settings.count; a++)
		for (size_t b = a + 1; b < 2 + r->settings.count; b++)
			if (!*code && !are_independent(p, a, b, code))
				return false;
	return true;
}

static void print_factor(FILE *f, const char *name, const struct levels *l, double share)
{
	const struct level *low = l->level, *high = l->level;

	for (size_t i = 1; i < l->n; i++) {
		low = level_mean(&l->level[i]) < level_mean(low) ? &l->level[i] : low;
		high = level_mean(&l->level[i]) > level_mean(high) ? &l->level[i] : high;
	}
	pmk_print(f,
		  "  %-20s %6.1f%%  from %5.1f%% at %s to %5.1f%% at "
		  "%s\n",
		  name, 100 * share, 100 * level_mean(low), low->value, 100 * level_mean(high),
		  high->value);
}

int sweep_sensitivity(FILE *f, const struct sweep_results *r, const char *name)
{
	struct parts p = { 0 };
	struct levels l;
	double total = 0, sum = 0;
	size_t event;
	int code = find_event(r, "--sensitivity", name, &event);

	if (!code)
		code = make_parts(r, event, &p);
	for (size_t i = 0; i < p.n; i++)
		total += (p.part[i].value - 1) * (p.part[i].value - 1);
	if (!code)
		fprintf(f,
			"%s: how much of the difference between the cells of a program each "
			"setting explains\n",
			name);
	for (size_t factor = 1; !code && factor < 2 + r->settings.count; factor++) {
		if (!make_levels(&p, factor, &l))
			code = cli_no_memory();
		else if (l.n > 1)
			print_factor(f, factor_name(r, factor), &l,
				     total > 0 ? explained_variance(&l) / total : 0);
		if (!code && l.n > 1)
			sum += explained_variance(&l);
		free(l.level);
	}
	if (!code && all_independent(r, &p, &code))
		fprintf(f, "  %-20s %6.1f%%  of several together\n", "the rest",
			total > 0 ? 100 * (1 - sum / total) : 0);
	else if (!code)
		fputs("not every combination of values was counted, so shares overlap and do not "
		      "add up\n",
		      f);
	if (!code && p.left_out)
		fprintf(f, "%zu cell%s no value\n", p.left_out,
			p.left_out == 1 ? " has" : "s have");
	free(p.part);
	return code;
}

/* ---- a heat map ----------------------------------------------------------------------------- */

static int find_factor(const struct sweep_results *r, const char *name, size_t *factor)
{
	for (*factor = 0; *factor < 2 + r->settings.count; ++*factor)
		if (!strcmp(factor_name(r, *factor), name))
			return 0;
	return unknown_name("--heat", name, &r->settings, "setting");
}

/* Returns the mean over all cells with both values. Returns false if there is no such cell. */
static bool heat_at(const struct sweep_heat *h, size_t y, size_t x, double *value)
{
	const struct sweep_spot *spot = &h->spot[y * h->columns.count + x];

	*value = spot->n ? spot->sum / (double)spot->n : 0;
	return spot->n != 0;
}

static bool take_levels(const struct parts *p, size_t factor, struct pmk_words *words)
{
	struct levels l;
	bool good = make_levels(p, factor, &l);

	for (size_t i = 0; good && i < l.n; i++)
		good = pmk_words_add(words, l.level[i].value);
	free(l.level);
	return good;
}

/* Chooses the factors. By default, columns are the first setting, or else the core, and rows are
 * programs. If columns are programs, rows are cores by default. */
static int choose_factors(const struct sweep_results *r, char *names, size_t *x, size_t *y)
{
	char *comma = names ? strchr(names, ',') : NULL;
	int code;

	*x = r->settings.count ? 2 : 1;
	*y = 0;
	if (!names)
		return 0;
	if (comma)
		*comma = '\0';
	code = find_factor(r, names, x);
	if (!code && comma)
		code = find_factor(r, comma + 1, y);
	else if (!*x)
		*y = 1;
	return code;
}

int sweep_heat_make(const struct sweep_results *r, char *what, struct sweep_heat *h)
{
	char *names = strchr(what, ',');
	size_t event, x = 0, y = 0;
	struct parts p = { 0 };
	int code;

	*h = (struct sweep_heat){ .event = what };
	if (names)
		*names++ = '\0';
	code = find_event(r, "--heat", what, &event);
	if (!code)
		code = choose_factors(r, names, &x, &y);
	if (!code)
		code = make_parts(r, event, &p);
	if (!code) {
		h->across = factor_name(r, x);
		h->down = factor_name(r, y);
		if (take_levels(&p, x, &h->columns) && take_levels(&p, y, &h->rows))
			h->spot = calloc((size_t)h->columns.count * h->rows.count + 1,
					 sizeof(*h->spot));
		code = h->spot ? 0 : cli_no_memory();
	}
	for (size_t i = 0; !code && i < p.n; i++) {
		size_t row = pmk_words_find(&h->rows, level_of(p.part[i].row, y));
		size_t column = pmk_words_find(&h->columns, level_of(p.part[i].row, x));
		struct sweep_spot *spot = &h->spot[row * h->columns.count + column];

		if (p.part[i].of_nothing)
			continue;
		spot->sum += p.part[i].value;
		spot->n++;
	}
	free(p.part);
	return code;
}

void sweep_heat_free(struct sweep_heat *h)
{
	pmk_words_free(&h->rows);
	pmk_words_free(&h->columns);
	free(h->spot);
}

bool sweep_heat_at(const struct sweep_heat *h, size_t row, size_t column, double *value,
		   double *heat)
{
	double least = 1, most = 1, other;
	bool there = heat_at(h, row, column, value);

	for (size_t i = 0; i < (size_t)h->rows.count * h->columns.count; i++)
		if (heat_at(h, i / h->columns.count, i % h->columns.count, &other)) {
			least = other < least ? other : least;
			most = other > most ? other : most;
		}
	*heat = most > least ? (*value - least) / (most - least) : 0;
	return there;
}

/* Returns a colour from blue over white to red, in the cube of 256 colours. */
static unsigned colour_of(double heat)
{
	static const uint8_t scale[] = { 33, 75, 117, 159, 195, 230, 223, 216, 209, 202, 196 };

	return scale[(size_t)(heat * (sizeof(scale) - 1) + 0.5)];
}

int sweep_heat_show(FILE *f, const struct sweep_heat *h)
{
	bool colour = cli_colour(f);
	size_t left = strlen(h->down), wide = 6;

	for (unsigned y = 0; y < h->rows.count; y++)
		left = strlen(h->rows.word[y]) > left ? strlen(h->rows.word[y]) : left;
	for (unsigned x = 0; x < h->columns.count; x++)
		wide = strlen(h->columns.word[x]) > wide ? strlen(h->columns.word[x]) : wide;
	fprintf(f, "%s, in percent of the mean of each program; across: %s\n%-*s", h->event,
		h->across, (int)left, h->down);
	for (unsigned x = 0; x < h->columns.count; x++)
		fprintf(f, "  %*s", (int)wide, h->columns.word[x]);
	fputc('\n', f);
	for (unsigned y = 0; y < h->rows.count; y++) {
		fprintf(f, "%-*s", (int)left, h->rows.word[y]);
		for (unsigned x = 0; x < h->columns.count; x++) {
			double value, heat;

			if (!sweep_heat_at(h, y, x, &value, &heat))
				fprintf(f, "  %*s", (int)wide, "-");
			else if (colour)
				fprintf(f, "  \033[48;5;%u;30m%*.1f\033[0m", colour_of(heat),
					(int)wide, 100 * value);
			else
				fprintf(f, "  %*.1f", (int)wide, 100 * value);
		}
		fputc('\n', f);
	}
	return 0;
}
