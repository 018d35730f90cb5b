// SPDX-License-Identifier: MIT
/*
 * Metrics: formulas over counts. The metric NAME is in the text file data/metrics/NAME.metric. The
 * format is similar to that of LIKWID's performance groups:
 *
 * 	# A comment. Blank lines and comments may be anywhere before TEXT.
 * 	TITLE    cycles per instruction
 * 	UNIT     cycles/insn
 * 	EVENTS   cpu_cycles instr_exec
 * 	FORMULA  cpu_cycles / instr_exec
 * 	BESIDE   instr_exec
 * 	TEXT
 * 	What the number says, and what it does not: everything from here to the end of the file.
 *
 * TITLE, EVENTS, FORMULA and TEXT are required. UNIT is optional; "%" means that the formula yields
 * percent. BESIDE is optional: the event on whose line the value is printed. EVENTS are names or
 * aliases of events; each is used in FORMULA and FORMULA uses no others.
 *
 * 	formula = term { ("+" | "-") term }
 * 	term    = factor { ("*" | "/") factor }
 * 	factor  = "-" factor | "(" formula ")" | number | event [ ".sum" ] | "cycles_per_second"
 * 	number  = digits [ "." digits ]
 *
 * cycles_per_second is the core's clock. event.sum is the sum of the latencies, in cycles, of an
 * event whose plain value is how often it happened. The parser computes while it reads: formulas
 * are one line long, so a compiled form would only add complexity. Parentheses and signs nest 32
 * deep at most, files have 64 KB at most.
 */
#define _GNU_SOURCE
#include <pmk/result.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/number.h"
#include "result/internal.h"

#define MAX_FILE   65536
#define MAX_EVENTS 16
#define MAX_DEPTH  32
#define MAX_NAME   64

struct metric {
	struct pmk_metric pub; /* comes first, so that the two structs have one address */
	const char *events[MAX_EVENTS + 1];
	char *path, *name, *content;
	int formula_line, formula_column; /* position of the text of FORMULA in the file, from 1 */
};

struct pmk_metrics {
	struct metric **list; /* sorted by name */
	unsigned n;
};

/* ---- formula -------------------------------------------------------------------------------- */

struct formula {
	const char *text, *at;
	unsigned depth;
	const char *why;     /* the syntax error at `at`, or NULL */
	const char *invalid; /* the reason why the value cannot be computed, or NULL */
	/* Finds the value of a name; false if the name does not exist. May set `invalid`. */
	bool (*lookup)(struct formula *p, const char *name, bool latency, double *value);
	const struct metric *metric;
	const struct pmk_result *result;
	const struct pmk_section *section;
	unsigned used; /* one bit per entry of metric->events */
	/* The number of counts in the formula that do not include all occurrences, and the reason
	 * for the first one. */
	unsigned gaps;
	const char *gap;
};

static const char no_divisor[] = "division by zero";

static double parse_sum(struct formula *p);

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static char peek_char(struct formula *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
	return *p->at;
}

static double parse_failed(struct formula *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return 0;
}

static double parse_number(struct formula *p)
{
	double v = 0;

	if (pmk_real_read(&p->at, &v))
		return parse_failed(p, "the number is too large");
	return p->at[-1] == '.' ? parse_failed(p, "a digit must follow the point") : v;
}

static double parse_name(struct formula *p)
{
	const char *start = p->at;
	char name[MAX_NAME];
	double v = 0;
	bool latency;
	size_t n = 0;

	while (is_name(start[n]))
		n++;
	latency = strncmp(start + n, ".sum", 4) == 0 && !is_name(start[n + 4]);
	if (n >= sizeof(name))
		return parse_failed(p, "the name is too long");
	memcpy(name, start, n);
	name[n] = '\0';
	if (!p->lookup(p, name, latency, &v))
		return parse_failed(p, "not among EVENTS");
	p->at = start + n + (latency ? 4 : 0);
	return v;
}

static double parse_factor(struct formula *p)
{
	double v = 0;
	char c = peek_char(p);

	if (p->depth >= MAX_DEPTH)
		return parse_failed(p, "nested too deep");
	p->depth++;
	if (c == '-') {
		p->at++;
		v = -parse_factor(p);
	} else if (c == '(') {
		p->at++;
		v = parse_sum(p);
		if (!p->why && peek_char(p) != ')')
			parse_failed(p, "')' expected");
		else if (!p->why)
			p->at++;
	} else if (is_digit(c)) {
		v = parse_number(p);
	} else if (is_name(c)) {
		v = parse_name(p);
	} else {
		parse_failed(p, c ? "a number, an event or '(' expected"
				  : "the formula ends too early");
	}
	p->depth--;
	return v;
}

static double parse_product(struct formula *p)
{
	double v = parse_factor(p);

	while (!p->why && (peek_char(p) == '*' || peek_char(p) == '/')) {
		bool divide = *p->at++ == '/';
		double by = parse_factor(p);

		if (divide && by == 0 && !p->invalid)
			p->invalid = no_divisor;
		v = divide ? v / (by == 0 ? 1 : by) : v * by;
	}
	return v;
}

static double parse_sum(struct formula *p)
{
	double v = parse_product(p);

	while (!p->why && (peek_char(p) == '+' || peek_char(p) == '-'))
		v = *p->at++ == '-' ? v - parse_product(p) : v + parse_product(p);
	return v;
}

/* Evaluate the whole text. Returns false on a syntax error, which is p->why at p->at. */
static bool compute_formula(struct formula *p, double *value)
{
	p->at = p->text;
	*value = parse_sum(p);
	if (!p->why && peek_char(p))
		parse_failed(p, "an operator expected");
	return !p->why;
}

/* ---- evaluation ----------------------------------------------------------------------------- */

static int event_index(const struct metric *m, const char *name)
{
	for (int i = 0; m->events[i]; i++)
		if (strcmp(m->events[i], name) == 0)
			return i;
	return -1;
}

/* Returns the row of the event with this name, or NULL. */
static const struct pmk_row *find_row(const struct pmk_result *r, const struct pmk_section *s,
				      const char *name)
{
	const struct pmk_event *ev = pmk_pmu_event(r->pmu, name);

	return ev ? pmk_section_row(s, ev) : NULL;
}

/* Returns the reason why a latency that was not timed has no value. */
static const char *not_timed(const struct pmk_row *row)
{
	return row->reason ? row->reason : "no latency counter timed one of its events";
}

static bool lookup_row(struct formula *p, const char *name, bool latency, double *value)
{
	const struct pmk_row *row;
	const char *why = NULL;

	*value = 1;
	if (strcmp(name, "cycles_per_second") == 0) {
		*value = p->result->clock_hz;
		if (!(*value > 0))
			why = "the clock is not known";
	} else if (event_index(p->metric, name) < 0) {
		return false;
	} else if (!pmk_pmu_event(p->result->pmu, name)) {
		why = "this PMU does not have all of its events";
	} else if (row = find_row(p->result, p->section, name), !row) {
		why = "one of its events was not requested";
	} else if (!pmk_trust_has_value(row->trust)) {
		why = row->reason ? row->reason : pmk_trust_name(row->trust);
	} else if (row->trust == PMK_TRUST_WRAPPED) {
		why = row->reason ? row->reason : "a counter wrapped unnoticed";
	} else if (latency && !(row->has_dist && row->dist.latency)) {
		why = not_timed(row);
	} else {
		*value = (double)(latency ? row->dist.values.sum : row->value);
		p->gaps += row->gap != NULL;
		p->gap = p->gap ? p->gap : row->gap;
	}
	if (why && !p->invalid)
		p->invalid = why;
	return true;
}

/* Returns the modes that a name selects after its colon or second slash, as in "cycles:u" and
 * "pmu/cycles/k": 1 for user mode only, 2 for the kernel only, 0 for both. */
static unsigned mode_of(const char *name)
{
	const char *slash = strrchr(name, '/'), *colon = strrchr(name, ':'), *mode = "";
	bool user, kernel;

	if (slash && slash != strchr(name, '/'))
		mode = slash + 1;
	if (colon && colon > name && colon[-1] != ':' && (!slash || colon > slash))
		mode = colon + 1;
	if (strspn(mode, "ukh") != strlen(mode))
		return 0;
	user = strchr(mode, 'u') != NULL;
	kernel = strpbrk(mode, "kh") != NULL;
	return user == kernel ? 0 : user ? 1 : 2;
}

/*
 * Returns the reason why the counts of a metric cannot be compared, or NULL. They can be compared
 * if all events were counted all the time, or during the same times. Events of one {group} are
 * counted during the same times. Other events are not, even if their shares of the time are equal.
 */
static const char *not_comparable(const struct metric *m, const struct pmk_result *r,
				  const struct pmk_section *s)
{
	static const char apart[] = "its events were not counted at the same time";
	const struct pmk_row *first = NULL;

	for (unsigned i = 0; m->events[i]; i++) {
		const struct pmk_row *row = find_row(r, s, m->events[i]);

		if (!row || !pmk_trust_has_value(row->trust))
			continue;
		if (!first)
			first = row;
		if (row == first)
			continue;
		if (mode_of(row->name) != mode_of(first->name))
			return "its events were not counted at the same levels";
		if (fabs(row->coverage - first->coverage) > 1e-9)
			return apart;
		if ((row->trust == PMK_TRUST_SCALED || first->trust == PMK_TRUST_SCALED) &&
		    (row->group == 0 || row->group != first->group))
			return apart;
	}
	return NULL;
}

struct pmk_metric_value pmk_metric_eval(const struct pmk_metric *m, const struct pmk_result *r,
					const struct pmk_section *s)
{
	const struct metric *own = (const struct metric *)(const void *)m;
	struct pmk_metric_value v = { .name = m->name, .unit = m->unit };
	struct formula p = {
		.text = m->formula,
		.lookup = lookup_row,
		.metric = own,
		.result = r,
		.section = s,
	};

	if (*m->beside)
		v.beside = pmk_pmu_event(r->pmu, m->beside);
	if (v.beside && !pmk_section_row(s, v.beside))
		v.beside = NULL;
	if (!compute_formula(&p, &v.value))
		p.invalid = p.why;
	/* If several counts are incomplete, report that instead of a division by zero: the divisor
	 * may be 0 only because its events were not counted. */
	if (p.gaps > 1 && (!p.invalid || p.invalid == no_divisor))
		p.invalid = p.gap;
	v.no_divisor = p.invalid == no_divisor;
	if (!p.invalid)
		p.invalid = not_comparable(own, r, s);
	if (!p.invalid && !isfinite(v.value))
		p.invalid = "the value is out of range";
	v.reason = p.invalid;
	v.valid = !p.invalid;
	if (!v.valid)
		v.value = 0;
	return v;
}

bool pmk_metric_applies(const struct pmk_metric *m, const struct pmk_pmu *pmu)
{
	for (unsigned i = 0; m->events[i]; i++)
		if (!pmk_pmu_event(pmu, m->events[i]))
			return false;
	return true;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The file of a metric, for messages about errors in it. */
struct diag {
	const char *path;
	char *msg;
	size_t size;
};

static int report_fault(const struct diag *d, int line, int column, const char *why)
{
	return pmk_message_fail(d->msg, d->size, PMK_EPARSE, "%s:%d:%d: %s", d->path, line, column,
				why);
}

static bool lookup_name(struct formula *p, const char *name, bool latency, double *value)
{
	(void)latency;
	int i = event_index(p->metric, name);

	*value = 1;
	if (i >= 0)
		p->used |= 1u << i;
	return i >= 0 || strcmp(name, "cycles_per_second") == 0;
}

/* Split the text of EVENTS into words in place. */
static int split_events(struct metric *m, char *text, int line, int column, const struct diag *d)
{
	unsigned n = 0;
	char *at = text;

	for (;;) {
		char *word;

		while (*at == ' ' || *at == '\t')
			*at++ = '\0';
		if (!*at)
			break;
		word = at;
		while (is_name(*at))
			at++;
		if ((*at && *at != ' ' && *at != '\t') || is_digit(*word))
			return report_fault(d, line, column + (int)(at - text),
					    "not a name of an event");
		if (n == MAX_EVENTS)
			return report_fault(d, line, column + (int)(word - text),
					    "too many events");
		m->events[n++] = word;
	}
	return 0;
}

/* Handle a line "KEYWORD value". `value` is trimmed and belongs to the metric's content. */
static int take_line(struct metric *m, const char *keyword, char *value, int line, int column,
		     const struct diag *d)
{
	const struct {
		const char *keyword;
		const char **slot;
	} slots[] = {
		{ "TITLE", &m->pub.title },
		{ "UNIT", &m->pub.unit },
		{ "FORMULA", &m->pub.formula },
		{ "BESIDE", &m->pub.beside },
	};

	if (strcmp(keyword, "EVENTS") == 0) {
		if (m->events[0])
			return report_fault(d, line, 1, "given twice");
		return split_events(m, value, line, column, d);
	}
	for (unsigned i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		if (strcmp(keyword, slots[i].keyword) != 0)
			continue;
		if (*slots[i].slot)
			return report_fault(d, line, 1, "given twice");
		*slots[i].slot = value;
		if (slots[i].slot == &m->pub.formula) {
			m->formula_line = line;
			m->formula_column = column;
		}
		return 0;
	}
	return report_fault(d, line, 1, "TITLE, UNIT, EVENTS, FORMULA, BESIDE or TEXT expected");
}

static void trim_end(char *text)
{
	size_t n = strlen(text);

	while (n && strchr(" \t\r\n", text[n - 1]))
		text[--n] = '\0';
}

/* Split the content of the file into its parts, in place. */
static int take_lines(struct metric *m, const struct diag *d)
{
	char *at = m->content;

	for (int line = 1; *at; line++) {
		char *start = at, *value = at + strcspn(at, " \t\r\n"),
		     *end = at + strcspn(at, "\n");
		int err;

		at = *end ? end + 1 : end;
		*end = '\0';
		if (*start == '#' || start[strspn(start, " \t\r")] == '\0')
			continue;
		if (*value)
			*value++ = '\0';
		if (strcmp(start, "TEXT") == 0) {
			trim_end(at);
			m->pub.text = at;
			return 0;
		}
		value += strspn(value, " \t");
		trim_end(value);
		err = take_line(m, start, value, line, (int)(value - start) + 1, d);
		if (err)
			return err;
	}
	return 0;
}

/* Check everything that does not depend on a PMU: nothing is missing, the formula is valid, and it
 * uses the names of EVENTS. */
static int check_metric(struct metric *m, const struct diag *d)
{
	struct formula p = { .text = m->pub.formula, .lookup = lookup_name, .metric = m };
	double unused;

	if (!m->pub.title || !*m->pub.title || !m->pub.formula || !m->events[0] || !m->pub.text ||
	    !*m->pub.text)
		return report_fault(d, 1, 1, "TITLE, EVENTS, FORMULA and TEXT are required");
	if (!compute_formula(&p, &unused))
		return report_fault(d, m->formula_line, m->formula_column + (int)(p.at - p.text),
				    p.why);
	for (unsigned i = 0; m->events[i]; i++) {
		if (!(p.used >> i & 1)) {
			char why[MAX_NAME + 40];

			snprintf(why, sizeof(why), "FORMULA does not use %.64s", m->events[i]);
			return report_fault(d, m->formula_line, m->formula_column, why);
		}
	}
	if (!m->pub.unit)
		m->pub.unit = "";
	if (!m->pub.beside)
		m->pub.beside = "";
	m->pub.events = m->events;
	m->pub.name = m->name;
	m->pub.file = m->path;
	return 0;
}

static void metric_free(struct metric *m)
{
	if (!m)
		return;
	free(m->path);
	free(m->name);
	free(m->content);
	free(m);
}

/* A folder with metrics. There are about a hundred, and every measurement reads them, so each is
 * read with as few system calls as possible. */
struct folder {
	const char *path;
	int fd;
	char *content; /* room for the longest file, plus a byte to detect a longer one */
	bool regular;  /* true if the folder reports that the present file is a regular file */
};

/* Read a file into the folder's buffer. One read() returns all of a regular file, and most folders
 * report which files are regular. Returns the length of the file, or a negative number with a
 * reason in *why. */
static ssize_t read_whole(const struct folder *dir, const char *file, const char **why)
{
	/* O_NONBLOCK: opening a pipe does not wait for its other end. */
	int fd = openat(dir->fd, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0 || (!dir->regular && fstat(fd, &st)))
		*why = strerror(errno);
	else if (!dir->regular && !S_ISREG(st.st_mode))
		*why = S_ISDIR(st.st_mode) ? strerror(EISDIR) : "not a regular file";
	else if ((n = read(fd, dir->content, MAX_FILE + 1)) < 0)
		*why = strerror(errno);
	if (fd >= 0)
		close(fd);
	return n;
}

static int read_file(const struct folder *dir, const char *file, char **out, const struct diag *d)
{
	const char *why = NULL;
	ssize_t n = read_whole(dir, file, &why);

	if (n < 0)
		return pmk_message_fail(d->msg, d->size, PMK_EIO, "%s: %s", d->path, why);
	if (n > MAX_FILE)
		return report_fault(d, 1, 1, "the file is too long");
	if (memchr(dir->content, '\0', (size_t)n))
		return report_fault(d, 1, 1, "not a text file");
	*out = strndup(dir->content, (size_t)n);
	if (!*out)
		return pmk_message_no_memory(d->msg, d->size, d->path);
	return 0;
}

static int metric_read(struct metric **out, const struct folder *dir, const char *file, char *msg,
		       size_t size)
{
	struct metric *m = calloc(1, sizeof(*m));
	size_t length = strlen(dir->path) + strlen(file) + 2;
	struct diag d = { .msg = msg, .size = size };
	int err = PMK_ENOMEM;

	if (m) {
		m->path = malloc(length);
		m->name = strndup(file, strlen(file) - strlen(".metric"));
	}
	if (!m || !m->path || !m->name) {
		pmk_message_no_memory(msg, size, file);
		goto out;
	}
	snprintf(m->path, length, "%s/%s", dir->path, file);
	d.path = m->path;
	err = read_file(dir, file, &m->content, &d);
	if (!err)
		err = take_lines(m, &d);
	if (!err)
		err = check_metric(m, &d);
out:
	if (err) {
		metric_free(m);
		m = NULL;
	}
	*out = m;
	return err;
}

/* Insert a metric into the sorted list. It replaces a metric with the same name. */
static int insert_metric(struct pmk_metrics *all, struct metric *m)
{
	struct metric **grown;
	unsigned i = all->n;

	/* Most folders are read in sorted order, so the place is usually at the end. */
	while (i && strcmp(all->list[i - 1]->name, m->name) > 0)
		i--;
	if (i && strcmp(all->list[i - 1]->name, m->name) == 0) {
		metric_free(all->list[i - 1]);
		all->list[i - 1] = m;
		return 0;
	}
	grown = realloc(all->list, (all->n + 1) * sizeof(*grown));
	if (!grown)
		return PMK_ENOMEM;
	memmove(&grown[i + 1], &grown[i], (all->n - i) * sizeof(*grown));
	grown[i] = m;
	all->list = grown;
	all->n++;
	return 0;
}

static int is_metric_file(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 7 && entry->d_name[0] != '.' && strcmp(entry->d_name + n - 7, ".metric") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int load_entry(struct pmk_metrics *all, const struct folder *dir, const char *file,
		      char *msg, size_t size)
{
	struct metric *m = NULL;
	int err = metric_read(&m, dir, file, msg, size);

	if (!err && (err = insert_metric(all, m)) != 0) {
		pmk_message_no_memory(msg, size, dir->path);
		metric_free(m);
	}
	return err;
}

static int load_entries(struct pmk_metrics *all, struct folder *dir, char *msg, size_t size)
{
	struct dirent **entries = NULL;
	int n = scandirat(dir->fd, ".", &entries, is_metric_file, by_name), err = 0;

	if (n < 0)
		return pmk_message_fail(msg, size, PMK_EIO, "%s: %s", dir->path, strerror(errno));
	for (int i = 0; i < n; i++) {
		dir->regular = entries[i]->d_type == DT_REG;
		if (!err)
			err = load_entry(all, dir, entries[i]->d_name, msg, size);
		free(entries[i]);
	}
	free(entries);
	return err;
}

static int load_dir(struct pmk_metrics *all, const char *path, char *msg, size_t size)
{
	struct folder dir = { .path = path, .fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	int err = PMK_ENOMEM;

	if (dir.fd < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return pmk_message_fail(msg, size, PMK_EIO, "%s: %s", path, strerror(errno));
	}
	dir.content = malloc(MAX_FILE + 1);
	if (dir.content)
		err = load_entries(all, &dir, msg, size);
	else
		pmk_message_no_memory(msg, size, path);
	free(dir.content);
	close(dir.fd);
	return err;
}

int pmk_metrics_load(struct pmk_metrics **out, const char *const *dirs, char *msg, size_t size)
{
	struct pmk_metrics *all = calloc(1, sizeof(*all));
	int err = 0;

	*out = NULL;
	if (!all)
		return pmk_message_no_memory(msg, size, NULL);
	for (unsigned i = 0; dirs[i] && !err; i++)
		err = load_dir(all, dirs[i], msg, size);
	if (err) {
		pmk_metrics_free(all);
		return err;
	}
	*out = all;
	return 0;
}

void pmk_metrics_free(struct pmk_metrics *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n; i++)
		metric_free(m->list[i]);
	free(m->list);
	free(m);
}

unsigned pmk_metrics_count(const struct pmk_metrics *m)
{
	return m->n;
}

const struct pmk_metric *pmk_metrics_get(const struct pmk_metrics *m, unsigned i)
{
	return i < m->n ? &m->list[i]->pub : NULL;
}

const struct pmk_metric *pmk_metrics_find(const struct pmk_metrics *m, const char *name)
{
	for (unsigned i = 0; i < m->n; i++)
		if (strcmp(m->list[i]->name, name) == 0)
			return &m->list[i]->pub;
	return NULL;
}
