/* SPDX-License-Identifier: MIT */
/* The verbs, --help and --version. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/verbs.h"
#include "redlock/redlock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char summary[] =
    "redlock runs a command, or a part of a script, while it holds a lock on Redis or\n"
    "Valkey servers.\n"
    "  redlock run [options] LOCK -- COMMAND [ARG...]\n"
    "                                  run COMMAND while holding LOCK\n"
    "  redlock acquire [options] LOCK  wait for LOCK, print its token, leave it held\n"
    "  redlock extend [options] LOCK   renew LOCK for one ttl, by its token\n"
    "  redlock release [options] LOCK  release LOCK, by its token\n"
    "  redlock hold [options] LOCK     hold LOCK until standard input is closed\n"
    "  redlock status [options] LOCK... print the id of its holder, and its expiry\n"
    "  redlock list [options] [PREFIX] list locks and their holders\n"
    "  redlock break [options] LOCK    delete a lock by force, after asking\n"
    "  redlock doctor [options] [LOCK] check the servers, suggest fixes\n"
    "  redlock VERB --help             print the most used options of a verb\n"
    "  redlock --help all              print all options\n"
    "  redlock --version               print the version\n"
    "Name the same servers on every host, by $REDLOCK_URLS or -u; by default the lock\n"
    "is on redis://127.0.0.1:6379, and other hosts are not locked out.\n"
    "Examples\n"
    "  redlock run nightly -- ./backup.sh      wait for the lock\n"
    "  redlock run -n nightly -- ./backup.sh   do not wait for it\n"
    "  redlock run -u redis://a -u redis://b -u redis://c nightly -- ./backup.sh\n"
    "Exit status: that of COMMAND; 0 success, 1 held by another client, 64 usage,\n"
    "69 too few usable servers, 75 the lock was lost; for all of them: man redlock\n";

/*
 * Opens standard input, output and error if the parent left them closed. Otherwise the next file would get
 * that number: a message for people would go to a server, or into the pipe of our signals. What is opened
 * can be neither read nor written, and is closed again for the command.
 */
static int fill_stdio(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd)
            return RDL_EXIT_OS;
    return 0;
}

static const struct {
    const char *word;
    int (*obey)(int argc, char **argv);
} verbs[] = {{"run", rdl_cli_run},         {"acquire", rdl_cli_acquire}, {"extend", rdl_cli_extend},
             {"release", rdl_cli_release}, {"hold", rdl_cli_hold},       {"status", rdl_cli_status},
             {"break", rdl_cli_break},     {"list", rdl_cli_list},       {"doctor", rdl_cli_doctor}};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

/* Prints the error without the word, which may be a URL with a password. */
static int unknown(const char *word)
{
    size_t nearest = 0, len = strlen(word);

    for (size_t i = 1; i < VERBS; i++)
        if (rdl_cli_distance(word, len, verbs[i].word) < rdl_cli_distance(word, len, verbs[nearest].word))
            nearest = i;
    if (rdl_cli_distance(word, len, verbs[nearest].word) <= (strlen(verbs[nearest].word) + 1) / 2)
        rdl_cli_print_error("unknown verb: did you mean redlock %s?", verbs[nearest].word);
    else
        rdl_cli_print_error(
            "unknown verb: give run, acquire, extend, release, hold, status, list, break or doctor");
    return rdl_cli_usage(0);
}

static int print_summary(int all)
{
    int rc = rdl_cli_print(summary);

    return rc == 0 && all ? rdl_cli_help_of_all() : rc;
}

/* Prints help. argv follows help or --help: nothing, "all", a verb, or a verb and "all". */
static int help(int argc, char **argv)
{
    static char option[] = "--help";
    int all = argc > 0 && strcmp(argv[argc - 1], "all") == 0;
    char *as_option[] = {option, all ? argv[argc - 1] : NULL, NULL};

    if (argc == all)
        return print_summary(all);
    for (size_t i = 0; i < VERBS && argc == 1 + all; i++)
        if (strcmp(argv[0], verbs[i].word) == 0)
            return verbs[i].obey(argc, as_option);
    rdl_cli_print_error(
        "redlock help takes one verb: run, acquire, extend, release, hold, status, list, break or "
        "doctor");
    return rdl_cli_usage(0);
}

static int obey(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(word, verbs[i].word) == 0)
            return verbs[i].obey(argc - 2, argv + 2);
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return help(argc - 2, argv + 2);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        int rc = rdl_cli_print("redlock ");
        rc = rc == 0 ? rdl_cli_print(rdl_version()) : rc;
        return rc == 0 ? rdl_cli_print("\n") : rc;
    }
    if (word[0] != '\0')
        return unknown(word);
    rdl_cli_print_error("no verb: for example, redlock run LOCK -- COMMAND");
    return rdl_cli_usage(0);
}

int main(int argc, char **argv)
{
    if (fill_stdio() != 0)
        return RDL_EXIT_OS;
    int status = obey(argc, argv);
    rdl_cli_lookup_end();
    rdl_cli_connect_end();
    rdl_cli_last_words();
    return status;
}
