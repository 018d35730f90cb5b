// SPDX-License-Identifier: MIT
/* pmk: find the command and run it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

const struct cli_command *const cli_commands[] = {
	&cmd_stat,	&cmd_record, &cmd_report,   &cmd_run,	 &cmd_list, &cmd_info, &cmd_decode,
	&cmd_doctor,	&cmd_wave,   &cmd_annotate, &cmd_export, &cmd_diff, &cmd_gate,
#if PMK_LAB
	&cmd_calibrate, &cmd_sweep,  &cmd_history,
#endif
	NULL,
};

/* The commands of src/lab, which a build may lack. */
static const char *const lab_commands[] = { "calibrate", "sweep", "history" };

static const struct cli_command *find_command(const char *name)
{
	for (unsigned i = 0; cli_commands[i]; i++)
		if (strcmp(cli_commands[i]->name, name) == 0)
			return cli_commands[i];
	return NULL;
}

static void print_overview(FILE *f)
{
	fputs("usage: pmk COMMAND [OPTION...] [ARG...]\n\n"
	      "Performance counters, measured and emulated.\n\n",
	      f);
	for (unsigned i = 0; cli_commands[i]; i++)
		fprintf(f, "  %-8s %s\n", cli_commands[i]->name, cli_commands[i]->brief);
	fputs("\n'pmk COMMAND --help' shows the options of a command.\n", f);
}

static int unknown_command(const char *name)
{
	struct pmk_nearest near;

	pmk_nearest_init(&near, name);
	for (unsigned i = 0; cli_commands[i]; i++)
		pmk_nearest_offer(&near, cli_commands[i]->name);
	for (size_t i = 0; i < sizeof(lab_commands) / sizeof(*lab_commands); i++)
		if (!strcmp(name, lab_commands[i]))
			return cli_fail(PMK_EXIT_USAGE,
					"'pmk %s' is not in this build of pmk; 'meson setup "
					"-Dlab=true' adds it",
					name);
	return cli_not_found(cli_near(&near), "'pmk --help' lists them", "no command '%s'", name);
}

/* Print the help of pmk, or of the command: pmk help [COMMAND]. */
static int show_help(const char *name)
{
	const struct cli_command *cmd = name ? find_command(name) : NULL;

	if (name && !cmd)
		return unknown_command(name);
	if (cmd)
		cli_help(stdout, cmd);
	else
		print_overview(stdout);
	return PMK_EXIT_OK;
}

/* Run a command. A command that got no arguments but needs some prints its usage after the
 * error. */
static int run_command(const struct cli_command *cmd, int argc, char **argv)
{
	int code = cmd->run(argc, argv);

	if (code == PMK_EXIT_USAGE && argc == 1)
		fprintf(stderr, "usage: pmk %s %s\n", cmd->name, cmd->usage);
	return code == CLI_HELPED ? PMK_EXIT_OK : code;
}

static int dispatch_command(int argc, char **argv)
{
	const struct cli_command *cmd;

	if (argc < 2) {
		print_overview(stderr);
		return PMK_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") ||
	    !strcmp(argv[1], "version")) {
		printf("pmk %s\n", PMK_VERSION);
		return PMK_EXIT_OK;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return show_help(argc > 2 ? argv[2] : NULL);
	if (argv[1][0] == '-')
		return cli_fail(PMK_EXIT_USAGE,
				"'%s' is not an option of pmk itself; give options after the "
				"command; 'pmk --help' lists the commands",
				argv[1]);
	cmd = find_command(argv[1]);
	return cmd ? run_command(cmd, argc - 1, argv + 1) : unknown_command(argv[1]);
}

/* Open /dev/null for each standard stream that the caller has closed, so that the next opened file
 * does not get its number. It is opened in the wrong direction, so that using the stream fails. */
static void fill_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			_exit(PMK_EXIT_FAILED);
}

static void ignore_signal(int sig)
{
	(void)sig;
}

/* Let writing beyond the file size limit (ulimit -f) fail, so that pmk can report it. pmk handles
 * the signal instead of ignoring it, because programs that it executes would ignore it, too. */
static void catch_file_limit(void)
{
	struct sigaction sa;

	if (!sigaction(SIGXFSZ, NULL, &sa) && sa.sa_handler == SIG_DFL) {
		sa.sa_handler = ignore_signal;
		sa.sa_flags = SA_RESTART;
		sigaction(SIGXFSZ, &sa, NULL);
	}
}

int main(int argc, char **argv)
{
	bool failed;
	int code;

	fill_standard_streams();
	catch_file_limit();
	code = dispatch_command(argc, argv);

	/* Fail if the output of the command could not be written. The errno of an earlier failure
	 * is lost, but writing the rest of the buffer, or one more byte if there is none, fails for
	 * the same reason. */
	errno = 0;
	failed = fflush(stdout) != 0 || ferror(stdout);
	if (failed && !errno)
		(void)!write(STDOUT_FILENO, "\n", 1);
	if (failed && code == PMK_EXIT_OK)
		code = cli_fail(PMK_EXIT_FAILED, "cannot write the output: %s",
				strerror(errno ? errno : EIO));
	return code;
}
