/* SPDX-License-Identifier: MIT */
/* Which verb, --help, --version. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "redlock runs a command while it holds a lock on Redis or Valkey servers.\n"
    "\n"
    "  redlock run [options] LOCK -- COMMAND [ARG...]\n"
    "  redlock run --help                       the options\n"
    "  redlock --version\n"
    "\n"
    "  redlock run nightly -- ./backup.sh       wait for \"nightly\", run, release\n"
    "  redlock run -n nightly -- ./backup.sh    give up at once if somebody holds it\n"
    "  redlock run -u redis://a -u redis://b -u redis://c nightly -- ./backup.sh\n"
    "\n"
    "The manual: man redlock\n";

/*
 * Where we were given no standard input, output or error, the next file would be that: a message for people
 * would go to a server, or into the pipe that our signals come from. So these three are kept from everything
 * else, by what can be neither read nor written, and closed again for the command.
 */
static int fill_stdio(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd)
            return RDL_EXIT_OS;
    return 0;
}

static int obey(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    if (strcmp(word, "run") == 0)
        return rdl_cli_run(argc - 2, argv + 2);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return rdl_cli_print(usage);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("redlock %s\n", rdl_version());
        return fflush(stdout) != 0 ? RDL_EXIT_OS : 0;
    }
    if (word[0] == '\0')
        rdl_cli_fail("nothing to do: redlock run LOCK -- COMMAND (redlock --help)");
    else /* not repeated: it may be a URL with a password */
        rdl_cli_fail("the first word must be 'run' (redlock --help)");
    return RDL_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (fill_stdio() != 0)
        return RDL_EXIT_OS;
    int status = obey(argc, argv);
    rdl_cli_flush(RDL_CLI_LAST_WORDS_MS);
    return status;
}
