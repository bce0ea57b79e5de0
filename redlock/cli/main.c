/* SPDX-License-Identifier: MIT */
/* Which verb to run; help, completion and --version. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/verbs.h"
#include "redlock/redlock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/*
 * Opens standard input, output and error if the parent left them closed. Otherwise the next file would get
 * that number: a message for people would go to a server, or into the pipe of our signals. What is opened
 * can be neither read nor written, and is closed again for the command.
 */
static int fill_stdio(void)
{
    static const char *const names[] = {"input", "output", "error"};

    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC) == fd)
            continue;
        return rdl_cli_fail(
            RDL_EXIT_OS,
            "standard %s is closed, and /dev/null cannot be opened instead (%s): start redlock with standard "
            "input, output and error open, or create /dev/null",
            names[fd], strerror(errno));
    }
    return 0;
}

#define FUNCTION(word, verb) [RDL_CLI_NUMBER_##verb] = rdl_cli_##word,

static int obey_verb(enum rdl_cli_verb verb, int argc, char **argv)
{
    static int (*const verbs[RDL_CLI_VERBS])(int argc, char **argv) = {RDL_CLI_EACH_VERB(FUNCTION)};

    return verbs[rdl_cli_verb_row(verb) - rdl_cli_verb_table](argc, argv);
}

/* Prints the error without the word, which may be a URL with a password. */
static int unknown(const char *word)
{
    const char *like = rdl_cli_verb_like(word);
    char all[100];
    struct rdl_cli_text t = {all, sizeof all, 0};

    if (like != NULL)
        return rdl_cli_misuse(0, "unknown verb: did you mean redlock %s?", like);
    rdl_cli_add_verbs(&t);
    return rdl_cli_misuse(0, "unknown verb: give %s", all);
}

static int print_summary(int all)
{
    int rc = rdl_cli_help_of_verbs();

    return rc == 0 && all ? rdl_cli_help_of_all() : rc;
}

/* Prints help. argv follows help or --help: nothing, "all", a verb, or a verb and "all". */
static int help(int argc, char **argv)
{
    int all = argc > 0 && strcmp(argv[argc - 1], "all") == 0;
    unsigned verb = argc == 1 + all ? rdl_cli_verb_of(argv[0]) : 0;
    char words[100];
    struct rdl_cli_text t = {words, sizeof words, 0};

    if (argc == all)
        return print_summary(all);
    if (verb != 0)
        return rdl_cli_help((enum rdl_cli_verb)verb, all);
    rdl_cli_add_verbs(&t);
    return rdl_cli_misuse(0, "redlock help takes one verb: %s", words);
}

static int print_version(void)
{
    int rc = rdl_cli_print("redlock ");

    rc = rc == 0 ? rdl_cli_print(rdl_version()) : rc;
    return rc == 0 ? rdl_cli_print("\n") : rc;
}

static int obey(unsigned verb, int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    if (verb != 0)
        return obey_verb((enum rdl_cli_verb)verb, argc - 2, argv + 2);
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return help(argc - 2, argv + 2);
    if (strcmp(word, "completion") == 0)
        return rdl_cli_completion(argc == 3 ? argv[2] : "");
    if (strcmp(word, "__complete") == 0)
        return rdl_cli_complete(argc - 2, argv + 2);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return print_version();
    if (word[0] != '\0')
        return unknown(word);
    return rdl_cli_misuse(0, "no verb: for example, redlock run LOCK -- COMMAND");
}

int main(int argc, char **argv)
{
    unsigned verb = argc > 1 ? rdl_cli_verb_of(argv[1]) : 0;

    if (verb != 0)
        rdl_cli_options_find_log(verb, argc - 2, argv + 2);
    int status = fill_stdio();
    if (status == 0)
        status = obey(verb, argc, argv);
    rdl_cli_lookup_end();
    rdl_cli_connect_end();
    rdl_cli_last_words();
    return status;
}
