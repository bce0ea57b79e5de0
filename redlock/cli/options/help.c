/* SPDX-License-Identifier: MIT */
/* --help: one screen with the options that most users need; with "all" every option, from one table. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"

#include <string.h>
#include <unistd.h>

enum {
    RUN = RDL_CLI_RUN,
    ACQUIRE = RDL_CLI_ACQUIRE,
    EXTEND = RDL_CLI_EXTEND,
    RELEASE = RDL_CLI_RELEASE,
    HOLD = RDL_CLI_HOLD,
    STATUS = RDL_CLI_STATUS,
    BREAK = RDL_CLI_BREAK,
    LIST = RDL_CLI_LIST,
    DOCTOR = RDL_CLI_DOCTOR,
    GETTING = RUN | ACQUIRE | HOLD,
    ADOPTING = EXTEND | RELEASE,
    LEASING = GETTING | EXTEND,
    LOGGING = LEASING | RELEASE,
    GUARDING = LEASING | STATUS | BREAK | LIST | DOCTOR,
    ALL = GUARDING | RELEASE,
    NONE = 0
};

enum group { SERVERS, LOCKS, TIMEOUTS, SAFETY, OUTPUT, GROUPS };

static const char *const groups[GROUPS] = {
    "Servers", "Locks and tokens", "Timeouts (TIME is 30, 1.5s, 500ms, 2m or 1h)", "Safety", "Output"};

/* In the order of the man page. A word that means different things to two verbs has a row for each. */
static const struct row {
    char letter; /* 0: none */
    const char *word;
    const char *metavar; /* with the space or sign before */
    unsigned verbs;
    unsigned common; /* verbs that show it on the first screen */
    enum group group;
    const char *text;
} table[] = {
    {'u', "url", " URL", ALL, ALL, SERVERS,
     "use server redis://[[user]:password@]host[:port][/db] or unix://[[user]:password@]/path; repeat for up "
     "to 7. Else $REDLOCK_URLS, $REDIS_URL, redis://127.0.0.1:6379"},
    {0, "connect-command", " TEXT", ALL, NONE, SERVERS,
     "connect to rediss:// servers (TLS) through this program; %h is the host, %p the port. Also "
     "$REDLOCK_CONNECT_COMMAND"},
    {0, "any-address", "", ALL, NONE, SERVERS,
     "accept a host name that has several addresses; use the first that answers"},
    {0, "password-file", " FILE", ALL, NONE, SERVERS,
     "read the password of all servers from FILE; else $REDLOCK_PASSWORD or $REDISCLI_AUTH"},
    {0, "password-fd", " N", ALL, NONE, SERVERS, "read the password from the open descriptor N"},
    {'l', "lock", " LOCK", ALL & ~(LIST | BREAK), NONE, LOCKS,
     "name the lock by an option; repeat for several locks, held all or none, on one server"},
    {'l', "lock", " LOCK", BREAK, NONE, LOCKS, "name the lock by an option"},
    {'c', "command", " STRING", RUN, RUN, LOCKS, "run STRING with /bin/sh -c; may also follow LOCK"},
    {0, "fence", "", RUN, RUN, LOCKS, "get a fencing token, in $REDLOCK_FENCE"},
    {0, "fence", "", ACQUIRE | HOLD, ACQUIRE | HOLD, LOCKS,
     "get a fencing token, and print it after the token"},
    {0, "fence", "", DOCTOR, DOCTOR, LOCKS, "check what fencing tokens need"},
    {0, "token-file", " FILE", ACQUIRE, ACQUIRE, LOCKS,
     "write the token to a new FILE; release does not delete it"},
    {0, "token-file", " FILE", ADOPTING, ADOPTING, LOCKS,
     "read the token from FILE, and keep FILE; else $REDLOCK_TOKEN"},
    {0, "token-fd", " N", ADOPTING, ADOPTING, LOCKS, "read the token from the open descriptor N"},
    {0, "held-by", " ID", BREAK, BREAK, LOCKS,
     "delete the lock of this holder, as status printed it, without asking"},
    {0, "legacy", "", LIST, LIST, LOCKS, "also list locks of the old SETNX protocol"},
    {'w', "wait", " TIME", GETTING, GETTING, TIMEOUTS,
     "wait at most TIME; no limit by default. Also --timeout"},
    {'w', "wait", " TIME", LIST, LIST, TIMEOUTS, "search for at most TIME (60s). Also --timeout"},
    {'n', "nonblock", "", GETTING, GETTING, TIMEOUTS, "do not wait for the lock. Also --nb"},
    {'E', "conflict-exit-code", " N", GETTING, NONE, TIMEOUTS,
     "exit with N if another client holds the lock (1)"},
    {0, "ttl", " TIME", RUN | HOLD | DOCTOR, RUN | HOLD, TIMEOUTS,
     "let the lease expire after TIME (30s) if it cannot be renewed"},
    {0, "ttl", " TIME", ACQUIRE | EXTEND, ACQUIRE | EXTEND, TIMEOUTS,
     "let the lease expire after TIME (30s); redlock extend renews it"},
    {0, "attempt", " TIME", ALL, NONE, TIMEOUTS,
     "wait at most TIME for the replies to one attempt; at most a quarter of the ttl. By default "
     "1/20 of the ttl (5 to 250 ms) or, if longer, three round trips"},
    {0, "grace", " TIME", RUN, NONE, TIMEOUTS,
     "if the lease cannot be renewed, stop the command this long before it expires (a sixth of the ttl, at "
     "most 5s)"},
    {0, "grace", " TIME", HOLD, NONE, TIMEOUTS,
     "if the lease cannot be renewed, exit this long before it expires (a sixth of the ttl, at most 5s)"},
    {0, "max-hold", " TIME", RUN, RUN, TIMEOUTS, "stop the command after at most TIME"},
    {0, "keep", " TIME", RUN, NONE, TIMEOUTS,
     "keep the lock for at least TIME, even if the command ends earlier"},
    {0, "keep", " TIME", HOLD, NONE, TIMEOUTS,
     "keep the lock for at least TIME, even if standard input is closed earlier"},
    {0, "max-ttl", " TIME", GUARDING, NONE, SAFETY,
     "give the longest ttl of all clients (30s); a restarted server is not used for this long"},
    {0, "restart-guard", " WHEN", NONE, GUARDING, SAFETY,
     "off: also use a server in its first 31 s (--max-ttl + 1 s), when it may have lost locks in a restart"},
    {0, "restart-guard", " WHEN", GUARDING, NONE, SAFETY,
     "do not use a server in its first 31 s (--max-ttl + 1 s): it may have lost locks in a restart. "
     "if-permitted (the default): use a server that refuses INFO, whose age is unknown; required: do not; "
     "strict: wait 31 s from when this process first saw a server; off: do not wait. Also "
     "$REDLOCK_RESTART_GUARD"},
    {0, "canary", "", LEASING | DOCTOR, NONE, SAFETY,
     "notice if a server loses its data without a restart (FLUSHALL)"},
    {0, "wake-hint", "", GETTING | DOCTOR, NONE, SAFETY,
     "wait without polling: a client that releases the lock notifies the next; give it to all clients"},
    {0, "wake-hint", "", RELEASE, NONE, SAFETY, "notify clients that wait with this option"},
    {0, "legacy", " WHEN", RUN | DOCTOR, NONE, SAFETY,
     "use the old protocol, SETNX: never (the default), auto or always"},
    {0, "legacy-shortest-ttl", "", RUN, NONE, SAFETY,
     "assume that old clients use at least this client's ttl, and delete only their own locks"},
    {0, "clock-error", " TIME", RUN | DOCTOR, NONE, SAFETY,
     "assume that the clients' clocks differ by at most TIME; for servers before Redis 2.6"},
    {'v', "verbose", "", ALL, ALL, OUTPUT, "print what happens, and what each server did"},
    {'q', "quiet", "", ALL, ALL, OUTPUT, "print only results and errors"},
    {0, "json", "", STATUS | LIST | DOCTOR, STATUS | LIST | DOCTOR, OUTPUT,
     "print one JSON object instead of lines"},
    {0, "log", " text|json", LOGGING, NONE, OUTPUT, "write a line for each event; renewals with -vv"},
    {0, "log-fd", " N", LOGGING, NONE, OUTPUT, "write the log to the open descriptor N"},
    {0, "trace", "[=FILE]", ALL, NONE, OUTPUT, "write every byte sent and received, without passwords"},
    {'h', "help", " [all]", ALL, NONE, OUTPUT, "print the most used options, or all of them"},
};

static const struct {
    enum rdl_cli_verb verb;
    const char *word, *operands, *purpose, *example;
} verbs[] = {
    {RDL_CLI_RUN, "run", "LOCK -- COMMAND [ARG...]",
     "Wait for LOCK, run COMMAND, renew the lock while it runs, and release it. If the\n"
     "lease cannot be renewed, stop COMMAND before it expires.\n",
     "redlock run nightly -- ./backup.sh"},
    {RDL_CLI_ACQUIRE, "acquire", "LOCK",
     "Wait for LOCK, print its token, and leave the lock held. It expires after the\n"
     "ttl; use the token to extend or release it.\n",
     "redlock acquire --token-file token nightly"},
    {RDL_CLI_EXTEND, "extend", "LOCK",
     "Renew LOCK, held with a token that acquire printed, for one ttl from now.\n",
     "redlock extend --token-file token nightly"},
    {RDL_CLI_RELEASE, "release", "LOCK", "Release LOCK, held with a token that acquire printed.\n",
     "redlock release --token-file token nightly"},
    {RDL_CLI_HOLD, "hold", "LOCK",
     "Wait for LOCK, print its token, renew the lock until standard input is closed, a\n"
     "signal comes (HUP, INT, TERM) or the parent process ends; then release it.\n",
     "coproc redlock hold nightly"},
    {RDL_CLI_STATUS, "status", "LOCK...",
     "Print the id of each lock's holder (a hash of its token), and when the lease\n"
     "expires unless renewed; change nothing. \"free\" is only a snapshot: another\n"
     "client may take the lock a moment later.\n",
     "redlock status nightly"},
    {RDL_CLI_BREAK, "break", "LOCK",
     "Print the lock's status, ask, and delete the lock by force. It is not checked\n"
     "that the holder is gone: a live one notices the loss at its next renewal.\n",
     "redlock break --held-by 8cf9df55 nightly"},
    {RDL_CLI_LIST, "list", "[PREFIX]",
     "List the locks whose names begin with PREFIX, and their holders; change nothing.\n",
     "redlock list night"},
    {RDL_CLI_DOCTOR, "doctor", "[LOCK]",
     "Check the servers, suggest a fix for each problem, and print the ACL rule for\n"
     "their user. Add the options that you use with other verbs: doctor tests the\n"
     "permissions that those options need, with keys LOCK:doctor:*.\n",
     "redlock doctor --fence nightly"},
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

static size_t index_of(enum rdl_cli_verb verb)
{
    size_t k = 0;

    while (verbs[k].verb != verb)
        k++;
    return k;
}

const char *rdl_cli_verb_word(enum rdl_cli_verb verb)
{
    return verbs[index_of(verb)].word;
}

static const char statuses[] = "Exit status (of run: that of COMMAND, or 128+N if signal N ended it)\n"
                               "   0  success\n"
                               "   1  held by another client; doctor: only warnings\n"
                               "  64  wrong usage\n"
                               "  65  invalid URL, lock name or token\n"
                               "  66  the password or token file cannot be read\n"
                               "  68  a host is unknown, or has several addresses\n"
                               "  69  too few servers could be used\n"
                               "  71  system error\n"
                               "  73  the token could not be written\n"
                               "  75  the lock was lost\n"
                               "  76  not a Redis server\n"
                               "  77  password or permission refused\n"
                               "  78  unsuitable server (doctor)\n"
                               " 124  the maximum hold time was over\n"
                               " 126  COMMAND cannot be run\n"
                               " 127  COMMAND was not found\n";

enum { COLUMN = 24, WIDTH = 80, LINE_MAX_BYTES = 640 };

/* Adds words from the column of texts on, broken at the last space that fits. */
static void add_text(struct rdl_cli_text *t, const char *text)
{
    while (strlen(text) > WIDTH - COLUMN) {
        size_t len = WIDTH - COLUMN;
        while (text[len] != ' ')
            len--;
        rdl_cli_add(t, "%.*s\n%*s", (int)len, text, COLUMN, "");
        text += len + 1;
    }
    rdl_cli_add(t, "%s\n", text);
}

/* Adds the verbs that accept an option, if not all do. */
static void add_verbs(struct rdl_cli_text *t, unsigned accepting)
{
    unsigned missing = ALL & ~accepting;
    int is_all_but_one = (missing & (missing - 1)) == 0;
    const char *before = is_all_but_one ? " [all but " : " [";

    if (missing == 0)
        return;
    for (size_t k = 0; k < VERBS; k++) {
        if (!(verbs[k].verb & (is_all_but_one ? missing : accepting)))
            continue;
        rdl_cli_add(t, "%s%s", before, verbs[k].word);
        before = " ";
    }
    rdl_cli_add(t, "]");
}

static int print_row(const struct row *row, int with_verbs)
{
    char line[LINE_MAX_BYTES], text[LINE_MAX_BYTES / 2], letter[] = "-x, ";
    struct rdl_cli_text t = {line, sizeof line, 0}, words = {text, sizeof text, 0};

    letter[1] = row->letter;
    rdl_cli_add(&t, "  %s--%s%s", row->letter != 0 ? letter : "", row->word, row->metavar);
    int pad = COLUMN - (int)strlen(line);
    rdl_cli_add(&t, "%s%*s", pad < 2 ? "\n" : "", pad < 2 ? COLUMN : pad, "");
    rdl_cli_add(&words, "%s", row->text);
    if (with_verbs)
        add_verbs(&words, row->verbs);
    add_text(&t, text);
    return rdl_cli_print(line);
}

/* of: one verb, or several; then the verbs that accept an option follow it. */
static int print_group(unsigned of, int all, enum group group)
{
    int rc = 0, is_begun = 0;

    for (size_t i = 0; i < sizeof table / sizeof table[0] && rc == 0; i++) {
        const struct row *row = &table[i];
        if (row->group != group || !((all ? row->verbs : row->common) & of))
            continue;
        if (!is_begun) {
            rc = rdl_cli_print(groups[group]);
            rc = rc == 0 ? rdl_cli_print("\n") : rc;
        }
        is_begun = 1;
        rc = rc == 0 ? print_row(row, of == ALL) : rc;
    }
    return rc;
}

static int print_groups(unsigned of, int all)
{
    int rc = 0;

    for (int g = 0; g < GROUPS && rc == 0; g++)
        rc = print_group(of, all, (enum group)g);
    return rc == 0 && all ? rdl_cli_print(statuses) : rc;
}

int rdl_cli_help(enum rdl_cli_verb verb, int all)
{
    char line[LINE_MAX_BYTES];
    struct rdl_cli_text t = {line, sizeof line, 0};
    size_t k = index_of(verb);

    rdl_cli_add(&t, "redlock %s [options] %s\n%s", verbs[k].word, verbs[k].operands, verbs[k].purpose);
    int rc = rdl_cli_print(line);
    rc = rc == 0 ? print_groups(verb, all) : rc;
    t.len = 0;
    rdl_cli_add(&t, "Example: %s\n", verbs[k].example);
    if (!all)
        rdl_cli_add(&t, "redlock %s --help all prints all options.\n", verbs[k].word);
    return rc == 0 ? rdl_cli_print(line) : rc;
}

int rdl_cli_help_of_all(void)
{
    int rc = rdl_cli_print("\nAll options, each with the verbs that accept it in brackets, unless all do\n");

    return rc == 0 ? print_groups(ALL, 1) : rc;
}

int rdl_cli_usage(unsigned verb)
{
    char line[160];
    struct rdl_cli_text t = {line, sizeof line, 0};

    for (size_t k = 0; k < VERBS; k++)
        if (verbs[k].verb == verb)
            rdl_cli_add(&t, "usage: redlock %s [options] %s   (redlock %s --help)\n", verbs[k].word,
                        verbs[k].operands, verbs[k].word);
    if (t.len == 0)
        rdl_cli_add(&t, "usage: redlock VERB [options] [LOCK...]   (redlock --help)\n");
    rdl_cli_put(STDERR_FILENO, line, t.len);
    return RDL_EXIT_USAGE;
}
