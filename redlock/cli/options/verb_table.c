/* SPDX-License-Identifier: MIT */
/*
 * The table of verbs. To add a verb: its name in RDL_CLI_EACH_VERB (verb_table.h) and in ALL_VERBS
 * (Makefile), a row here, and a file in verbs/. Then the options that it accepts, in option_table.c, and its
 * place in redlock.1.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/output.h"

#include <string.h>

/* clang-format off */
#define ROW_RUN {RDL_CLI_RUN, "run", RDL_CLI_TAKES_COMMAND, "LOCK -- COMMAND [ARG...]", \
     {"LOCK [--] COMMAND [ARG...]", "LOCK -c STRING", "-l LOCK... [--] COMMAND [ARG...]"}, \
     "run COMMAND while holding LOCK", \
     "Wait for LOCK, run COMMAND, renew the lock while it runs, and release it. If the\n" \
     "lease cannot be renewed, stop COMMAND before it expires.\n", \
     "redlock run nightly -- ./backup.sh"},
#define ROW_ACQUIRE {RDL_CLI_ACQUIRE, "acquire", RDL_CLI_TAKES_LOCK, "LOCK", {"LOCK"}, \
     "wait for LOCK, print its token, leave it held", \
     "Wait for LOCK, print its token, and leave the lock held. It expires after the\n" \
     "ttl; use the token to extend or release it.\n", \
     "redlock acquire --token-file token nightly"},
#define ROW_EXTEND {RDL_CLI_EXTEND, "extend", RDL_CLI_TAKES_LOCK, "LOCK", {"LOCK"}, \
     "renew LOCK for one ttl, by its token", \
     "Renew LOCK, held with a token that acquire printed, for one ttl from now.\n", \
     "redlock extend --token-file token nightly"},
#define ROW_RELEASE {RDL_CLI_RELEASE, "release", RDL_CLI_TAKES_LOCK, "LOCK", {"LOCK"}, \
     "release LOCK, by its token", \
     "Release LOCK, held with a token that acquire printed.\n", \
     "redlock release --token-file token nightly"},
#define ROW_HOLD {RDL_CLI_HOLD, "hold", RDL_CLI_TAKES_LOCK, "LOCK", {"LOCK"}, \
     "hold LOCK until standard input is closed", \
     "Wait for LOCK, print its token, renew the lock until standard input is closed, a\n" \
     "signal comes (HUP, INT, TERM) or the parent process ends; then release it.\n", \
     "coproc redlock hold nightly"},
#define ROW_STATUS {RDL_CLI_STATUS, "status", RDL_CLI_TAKES_LOCKS, "LOCK...", {"LOCK..."}, \
     "print the id of its holder, and its expiry", \
     "Print the id of each lock's holder (a hash of its token), and when the lease\n" \
     "expires unless renewed; change nothing. \"free\" is only a snapshot: another\n" \
     "client may take the lock a moment later.\n", \
     "redlock status nightly"},
#define ROW_LIST {RDL_CLI_LIST, "list", RDL_CLI_TAKES_PREFIX, "[PREFIX]", {"[PREFIX]"}, \
     "list locks and their holders", \
     "List the locks whose names begin with PREFIX, and their holders; change nothing.\n", \
     "redlock list night"},
#define ROW_BREAK {RDL_CLI_BREAK, "break", RDL_CLI_TAKES_LOCK, "LOCK", {"LOCK", "--owner GLOB [PREFIX]"}, \
     "delete a lock by force, after asking", \
     "Print the lock's status, ask, and delete the lock by force. It is not checked\n" \
     "that the holder is gone: a live one notices the loss at its next renewal.\n", \
     "redlock break --held-by 8cf9df55 nightly"},
#define ROW_DOCTOR {RDL_CLI_DOCTOR, "doctor", RDL_CLI_TAKES_LOCK_OR_NONE, "[LOCK]", {"[LOCK]"}, \
     "check the servers, suggest fixes", \
     "Check the servers, suggest a fix for each problem, and print the ACL rule for\n" \
     "their user. Add the options that you use with other verbs: doctor tests the\n" \
     "permissions that those options need, with keys LOCK:doctor:*.\n", \
     "redlock doctor --fence nightly"},
/* clang-format on */
#define ROW(word, verb) ROW_##verb

const struct rdl_cli_verb_row rdl_cli_verb_table[RDL_CLI_VERBS] = {RDL_CLI_EACH_VERB(ROW)};

const struct rdl_cli_verb_row *rdl_cli_verb_row(unsigned verb)
{
    size_t k = 0;

    while (rdl_cli_verb_table[k].verb != verb)
        k++;
    return &rdl_cli_verb_table[k];
}

const char *rdl_cli_verb_word(enum rdl_cli_verb verb)
{
    return rdl_cli_verb_row(verb)->word;
}

unsigned rdl_cli_verb_of(const char *word)
{
    for (size_t k = 0; k < RDL_CLI_VERBS; k++)
        if (strcmp(word, rdl_cli_verb_table[k].word) == 0)
            return rdl_cli_verb_table[k].verb;
    return 0;
}

const char *rdl_cli_verb_like(const char *word)
{
    const char *nearest = rdl_cli_verb_table[0].word;
    size_t least = (size_t)-1, len = strlen(word);

    for (size_t k = 0; k < RDL_CLI_VERBS; k++) {
        const char *name = rdl_cli_verb_table[k].word;
        size_t d = rdl_cli_distance(word, len, name);
        if (d < least) {
            least = d;
            nearest = name;
        }
    }
    return least <= (strlen(nearest) + 1) / 2 ? nearest : NULL;
}

void rdl_cli_add_verbs_of(struct rdl_cli_text *t, unsigned verbs, const char *between)
{
    const char *before = "";

    for (size_t k = 0; k < RDL_CLI_VERBS; k++) {
        if (!(rdl_cli_verb_table[k].verb & verbs))
            continue;
        rdl_cli_add(t, "%s%s", before, rdl_cli_verb_table[k].word);
        before = between;
    }
}

void rdl_cli_add_verbs(struct rdl_cli_text *t)
{
    for (size_t k = 0; k < RDL_CLI_VERBS; k++)
        rdl_cli_add(t, "%s%s",
                    k == 0                  ? ""
                    : k + 1 < RDL_CLI_VERBS ? ", "
                                            : " or ",
                    rdl_cli_verb_table[k].word);
}

/* Prints one line of usage; verb 0: of redlock itself. Returns the exit status. */
static int usage(unsigned verb)
{
    char line[160];
    struct rdl_cli_text t = {line, sizeof line, 0};

    if (verb == 0) {
        rdl_cli_add(&t, "usage: redlock VERB [options] [LOCK...]   (redlock --help)");
    } else {
        const struct rdl_cli_verb_row *row = rdl_cli_verb_row(verb);
        rdl_cli_add(&t, "usage: redlock %s [options] %s   (redlock %s --help)", row->word, row->operands,
                    row->word);
    }
    rdl_cli_print_usage(line);
    return RDL_EXIT_USAGE;
}

int rdl_cli_misuse(unsigned verb, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    rdl_cli_vsay(RDL_CLI_ERROR, format, args);
    va_end(args);
    return usage(verb);
}
