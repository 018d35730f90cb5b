// SPDX-License-Identifier: MIT
/* Functions that stat and report share: see output.h. */
#define _GNU_SOURCE
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/number.h"
#include "count/command.h"

/* ---- options -------------------------------------------------------------------------------- */

/* Handle --log-fd. Only an inherited descriptor is accepted; pmk's own descriptors have the
 * close-on-exec flag. */
int output_take_descriptor(void *options, char *text)
{
	struct output_options *o = options;
	unsigned fd;
	int flags;

	if (pmk_unsigned_parse(text, 1, INT_MAX, &fd))
		return cli_fail(PMK_EXIT_USAGE, "--log-fd %s: expected the number of a descriptor",
				text);
	flags = fcntl((int)fd, F_GETFD);
	if (flags < 0 || flags & FD_CLOEXEC)
		return cli_fail(PMK_EXIT_USAGE,
				"--log-fd %u: it is not open; open it in the shell: %u>FILE", fd,
				fd);
	if ((fcntl((int)fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return cli_fail(PMK_EXIT_USAGE, "--log-fd %u: it is open only for reading", fd);
	o->log_fd = (int)fd;
	return 0;
}

bool output_is_text(const struct output_options *o)
{
	return !o->json && !o->json_lines && !o->separator;
}

int output_check(const struct output_options *o)
{
	if (o->json && o->json_lines)
		return cli_fail(PMK_EXIT_USAGE, "-j and --json-document exclude each other");
	if ((o->json || o->json_lines) && o->separator)
		return cli_fail(PMK_EXIT_USAGE, "-j and -x exclude each other");
	if (o->bars && !output_is_text(o))
		return cli_fail(PMK_EXIT_USAGE, "--bars is part of the text report; it cannot be "
						"combined with -j or -x");
	if (o->metric_only && o->json)
		return cli_fail(PMK_EXIT_USAGE,
				"--metric-only cannot be combined with --json-document, which "
				"lists metrics separately");
	if (o->metric_only && o->bars)
		return cli_fail(PMK_EXIT_USAGE, "--metric-only and --bars exclude each other");
	if (o->plot && !output_is_text(o))
		return cli_fail(PMK_EXIT_USAGE, "--plot is part of the text report; it cannot be "
						"combined with -j or -x");
	if (o->table && !output_is_text(o))
		return cli_fail(PMK_EXIT_USAGE, "--table is part of the text report; it cannot "
						"be combined with -j or -x");
	if (o->path && o->log_fd)
		return cli_fail(PMK_EXIT_USAGE, "-o and --log-fd exclude each other");
	if (o->path && !*o->path)
		return cli_fail(PMK_EXIT_USAGE, "-o: the name of the file is empty");
	if (o->append && !o->path)
		return cli_fail(PMK_EXIT_USAGE, "--append needs -o FILE");
	return 0;
}

void output_options_free(struct output_options *o)
{
	pmk_words_free(&o->metrics);
}

bool output_same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	if (stat(a, &sa) || stat(b, &sb))
		return !strcmp(a, b);
	return S_ISREG(sa.st_mode) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

int output_keep(const char *option, const char *path, const char *input, const char *what)
{
	if (!path || !input || !output_same_file(path, input))
		return 0;
	return cli_fail(PMK_EXIT_USAGE, "%s %s would overwrite %s; name another file", option, path,
			what);
}

static int cannot_write(const char *path)
{
	return cli_fail(PMK_EXIT_FAILED, "cannot write %s: %s", path,
			strerror(errno ? errno : EIO));
}

int output_whole_open(struct pmk_whole *w, const char *path)
{
	errno = 0;
	return pmk_whole_open(w, path) ? 0 : cannot_write(path);
}

int output_whole_close(struct pmk_whole *w, const char *path, int code)
{
	bool done = pmk_whole_close(w, !code);

	return done || code ? code : cannot_write(path);
}

/* ---- metrics -------------------------------------------------------------------------------- */

int output_metrics(const struct output_options *o, struct pmk_metric_list *list)
{
	struct pmk_metrics *all = o->metrics.count ? cli_metrics() : NULL;
	struct pmk_count_fault f = { 0 };

	if (!o->metrics.count)
		return 0;
	if (!all)
		return PMK_EXIT_FAILED;
	pmk_metric_list_named(list, all, &o->metrics, &f);
	return cli_fault(&f);
}

/* ---- the document --------------------------------------------------------------------------- */

/* Returns a separate stream for an open descriptor. */
static FILE *copy_of(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? NULL : fdopen(copy, "w");
}

int output_open(struct output *out, const struct output_options *o, FILE *usual)
{
	*out = (struct output){ .o = o, .f = usual };
	if (o->log_fd) {
		out->f = copy_of(o->log_fd);
	} else if (o->path && o->whole && !o->append) {
		out->f = pmk_whole_open(&out->whole, o->path) ? out->whole.f : NULL;
	} else if (o->path) {
		out->f = fopen(o->path, o->append ? "ae" : "we");
	} else if (usual == stderr) {
		/* stderr has no buffer, so each field would be a system call. */
		out->f = copy_of(STDERR_FILENO);
	} else {
		return 0;
	}
	out->own = out->f != NULL;
	if (!out->own && o->path)
		return cannot_write(o->path);
	if (!out->own)
		return cli_fail(PMK_EXIT_FAILED, "cannot write to descriptor %d: %s",
				o->log_fd ? o->log_fd : STDERR_FILENO, strerror(errno));
	return 0;
}

int output_begin(struct output *out, const struct pmk_result *r,
		 const struct pmk_metric *const *metrics, bool firmware)
{
	const struct output_options *o = out->o;
	struct pmk_write_options opt = {
		.format = o->json	  ? PMK_FORMAT_JSON
			  : o->json_lines ? PMK_FORMAT_JSON_LINES
			  : o->separator  ? PMK_FORMAT_CSV
					  : PMK_FORMAT_TEXT,
		.separator = o->separator,
		.big_num = !o->plain_numbers,
		.colour = cli_colour(out->f),
		.verbose = o->verbose,
		.metric_only = o->metric_only,
		.table = o->table,
		.firmware = firmware,
		.metrics = metrics,
		.plot = o->plot,
		.bars = o->bars || o->plot ? &out->bars : NULL,
		.columns = isatty(fileno(out->f)) ? cli_columns(out->f) : 0,
	};

	out->bars = (struct pmk_bars){
		.layers = o->bars ? pmk_count_layers(r->pmu) : NULL,
		.columns = cli_columns(out->f),
		.utf8 = opt.bars && cli_utf8(),
	};
	out->writer = pmk_writer_begin(out->f, &opt, r);
	return out->writer ? 0 : cli_no_memory();
}

int output_end(struct output *out, const struct pmk_result *r)
{
	int err = out->writer ? pmk_writer_end(out->writer, r) : 0;

	out->writer = NULL;
	return err;
}

int output_close(struct output *out, const struct pmk_result *r)
{
	int err = output_end(out, r);
	bool done = true;

	if (out->whole.f)
		done = pmk_whole_close(&out->whole, !err);
	else if (out->own)
		done = !fclose(out->f);
	if (!done && !err)
		err = PMK_EIO;
	out->own = false;
	return err;
}
