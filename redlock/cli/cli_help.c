/* SPDX-License-Identifier: MIT */
/* --help: of each verb, made of parts, so that an option is described once. */
#include "redlock/cli/cli.h"

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
    ALL = LEASING | RELEASE | STATUS | BREAK | LIST | DOCTOR
};

static const struct {
    unsigned verbs;
    const char *text;
} parts[] = {
    {RUN, "redlock run [options] LOCK [--] COMMAND [ARG...]\n"
          "redlock run [options] LOCK -c 'shell command'\n"
          "\n"
          "Wait for LOCK, run COMMAND, renew the lock while it runs, release it. Should\n"
          "the lock be lost, COMMAND is stopped before somebody else can get it.\n"},
    {ACQUIRE, "redlock acquire [options] LOCK\n"
              "\n"
              "Wait for LOCK, print its token (with --fence a blank and the number), and leave\n"
              "the lease to run: extend and release take the token. It ends after the --ttl.\n"},
    {EXTEND, "redlock extend [options] LOCK\n"
             "\n"
             "The lease of a token that acquire printed lasts for one --ttl from now on.\n"},
    {RELEASE, "redlock release [options] LOCK\n"
              "\n"
              "The lease of a token that acquire printed ends now.\n"},
    {HOLD, "redlock hold [options] LOCK\n"
           "\n"
           "Wait for LOCK, print its token (with --fence a blank and the number), renew the\n"
           "lock until standard input ends, a signal comes (HUP, INT, TERM) or the process\n"
           "that started it is gone; then release it. Should the lock be lost, it ends.\n"
           "In bash: coproc redlock hold LOCK\n"},
    {STATUS, "redlock status [options] LOCK...\n"
             "\n"
             "What stands on each server, and what a majority of them comes to. It writes\n"
             "nothing and needs no more than GETRANGE and PTTL. That a lock is free is a look\n"
             "at it, and no permission to go in.\n"
             "\n"
             "  --json                all of it as one object\n"
             "  --max-ttl TIME        the longest --ttl of all who share these servers (30s):\n"
             "                        a server that came up less than that ago tells nothing\n"
             "  --restart-guard off   it does\n"},
    {LIST, "redlock list [options] [PREFIX]\n"
           "\n"
           "Which locks there are whose names begin with PREFIX, sorted, a line each: what a\n"
           "majority of the servers comes to. A key is a lock's if its value is a token. It\n"
           "writes nothing and needs no more than SCAN, GETRANGE and PTTL.\n"
           "\n"
           "  --json                all of it as one object\n"
           "  --legacy              locks of the old protocol, too\n"
           "  -w, --wait TIME       look for so long at most (60s). Also --timeout\n"
           "  --max-ttl TIME        the longest --ttl of all who share these servers (30s):\n"
           "                        a server that came up less than that ago tells nothing\n"
           "  --restart-guard off   it does\n"},
    {BREAK, "redlock break [options] LOCK\n"
            "\n"
            "Show what status shows, ask, and delete the lock: that very value, on every\n"
            "server where it still stands. For a lock whose holder is gone and that lasts too\n"
            "long, or never ends. A holder that lives hears at its next renewal that the lock\n"
            "is lost.\n"
            "\n"
            "  --held-by ID          do not ask: it is that holder's, as status printed it\n"
            "  --max-ttl TIME        the longest --ttl of all who share these servers (30s):\n"
            "                        a server that came up less than that ago tells nothing\n"
            "  --restart-guard off   it does\n"},
    {DOCTOR, "redlock doctor [options] [LOCK]\n"
             "\n"
             "What is wrong with the servers, or may go wrong: a line each, with its remedy.\n"
             "Whether the user may do what these options need is tried, with keys that are\n"
             "gone afterwards: LOCK:doctor:*. The last line is for redis-cli: it gives a user\n"
             "those rights (add >PASSWORD for one who has none yet).\n"
             "\n"
             "  --json                all of it as one object\n"
             "\n"
             "What the lock will be asked for with\n"
             "  --ttl TIME            30s (the default), 1500ms, 5m\n"
             "  --fence               a number that grows with every holder\n"
             "  --wake-hint           being told when it is free\n"
             "  --canary              a look whether a server lost its data\n"
             "  --max-ttl TIME        the longest --ttl of all who share these servers\n"
             "  --restart-guard WHEN  if-permitted (the default), required, strict, off.\n"
             "                        Also $REDLOCK_RESTART_GUARD\n"
             "  --legacy WHEN         the old protocol, SETNX: never (default), auto, always\n"
             "  --clock-error TIME    as run has it\n"},
    {ADOPTING, "\n"
               "The token\n"
               "  --token-file FILE     as acquire --token-file wrote it; or\n"
               "  --token-fd N          from this open descriptor; or in $REDLOCK_TOKEN\n"},
    {ACQUIRE, "\n"
              "The token\n"
              "  --token-file FILE     write it there, not to standard output; FILE must not\n"
              "                        exist, and is made (0600) before the lock is asked for\n"},
    {LOGGING, "\n"
              "Locks\n"
              "  -l, --lock NAME       in the place of LOCK; several: all of them or none,\n"
              "                        on one server\n"},
    {STATUS | BREAK, "\n"
                     "Locks\n"
                     "  -l, --lock NAME       in the place of LOCK\n"},
    {DOCTOR, "\n"
             "Locks\n"
             "  -l, --lock NAME       in the place of LOCK; several: held together\n"},
    {ALL, "\n"
          "Servers (1 to 7; the lock is held on a majority of them)\n"
          "  -u, --url URL         redis://[[user]:password@]host[:port][/db] or\n"
          "                        unix://[[user]:password@]/path; once for each server.\n"
          "                        Else $REDLOCK_URLS, $REDIS_URL, or this host's own:\n"
          "                        redis://127.0.0.1:6379\n"
          "  --connect-command TEXT\n"
          "                        rediss:// URLs, for TLS: this program connects to them,\n"
          "                        as openssl s_client does; %h is the host, %p the port.\n"
          "                        Also $REDLOCK_CONNECT_COMMAND\n"
          "  --any-address         all addresses of a name lead to one server (else a name\n"
          "                        with several of them is refused)\n"
          "  --password-file FILE  the password of all servers; or --password-fd N, or\n"
          "                        $REDLOCK_PASSWORD, or $REDISCLI_AUTH\n"},
    {GETTING, "\n"
              "Waiting (for as long as it takes, if nothing is said)\n"
              "  -w, --wait TIME       so long: 10, 0.5, 500ms, 2m, 1h. Also --timeout\n"
              "  -n, --nonblock        not at all. Also --nb\n"},
    {ADOPTING | DOCTOR, "\n"
                        "Asking\n"},
    {ALL, "  --attempt TIME        how long one attempt waits for the servers' answers, a\n"
          "                        quarter of the ttl at most (by default: what their\n"
          "                        round trips need)\n"},
    {GETTING, "  --wake-hint           be told by holders with this option when it is free\n"
              "  -E, --conflict-exit-code N\n"
              "                        exit status when somebody else holds it (1)\n"},
    {RELEASE, "  --wake-hint           tell those who wait with this option\n"},
    {GETTING, "\n"
              "Holding\n"},
    {RUN, "  -c, --command STRING  run it with /bin/sh -c\n"},
    {LEASING, "  --ttl TIME            how long a crash may block the others: 1500ms, 5m,\n"
              "                        30s (the default)\n"},
    {RUN, "  --grace TIME          what COMMAND has between TERM and the end of a lease\n"
          "                        that cannot be renewed (a sixth of the ttl, at most 5s)\n"
          "  --max-hold TIME       stop COMMAND before it has held the lock for longer\n"
          "  --keep TIME           hold the lock for so long at least, though COMMAND has\n"
          "                        ended: then its lease is left to run out\n"
          "  --fence               a number that grows with every holder: $REDLOCK_FENCE\n"},
    {HOLD, "  --grace TIME          it ends so long before a lease that cannot be renewed (a\n"
           "                        sixth of the ttl, at most 5s)\n"
           "  --keep TIME           hold the lock for so long at least, though the input has\n"
           "                        ended: then its lease is left to run out\n"},
    {ACQUIRE | HOLD, "  --fence               a number that grows with every holder\n"},
    {LEASING, "\n"
              "Servers that restart (and may have forgotten a lock)\n"
              "  --max-ttl TIME        the longest --ttl or --keep of all who share these\n"
              "                        servers (30s, or this one's if that is longer)\n"
              "  --restart-guard WHEN  a server that came up less than max-ttl ago does not\n"
              "                        count: if-permitted (the default: unless it refuses\n"
              "                        INFO), required, strict (since we first saw it), off.\n"
              "                        Also $REDLOCK_RESTART_GUARD\n"
              "  --canary              notice as well when a server lost its data without a\n"
              "                        restart (FLUSHALL)\n"},
    {RUN, "\n"
          "One server only, and no restart guard\n"
          "  --legacy WHEN         the old protocol, SETNX: never (default), auto, always\n"
          "  --legacy-shortest-ttl no client has a shorter ttl or deletes what it does not\n"
          "                        hold: delete what a waiter wrote over the lock, too\n"
          "  --clock-error TIME    how far this host's clock may be off; used where the\n"
          "                        server does not tell the time (before Redis 2.6)\n"},
    {ALL, "\n"
          "Talking\n"
          "  -v, --verbose         say what happens, and what each server did\n"
          "  -q, --quiet           errors only\n"
          "  --trace[=FILE]        every byte sent and received, without the passwords\n"},
    {LOGGING, "  --log text|json       a line for each event, with its time: waiting, acquired,\n"
              "                        lost, released and so on; renewed with -vv\n"
              "  --log-fd N            to this open descriptor, not to standard error\n"},
    {RUN, "\n"
          "Exit status: COMMAND's own, 128+N if signal N ended it, or\n"
          "   1  somebody else holds the lock    71  system error\n"
          "  64  usage                           75  the lock was lost, COMMAND stopped\n"
          "  65  URL or lock name                76  not a Redis server\n"
          "  66  password file                   77  password or permission refused\n"
          "  68  unknown host, or not one       126  COMMAND cannot be run\n"
          "  69  no majority of servers         127  COMMAND was not found\n"
          " 124  --max-hold is over, COMMAND stopped\n"},
    {ACQUIRE | HOLD, "\n"
                     "Exit status: 0, or\n"
                     "   1  somebody else holds the lock    71  system error\n"
                     "  64  usage                           73  the token cannot be written\n"
                     "  65  URL or lock name                75  the lock was lost (hold)\n"
                     "  66  password file                   76  not a Redis server\n"
                     "  68  unknown host, or not one        77  password or permission refused\n"
                     "  69  no majority of servers\n"},
    {STATUS, "\n"
             "Exit status: 0 all are free, or\n"
             "   1  one is held, or split            68  unknown host, or not one\n"
             "  64  usage                           69  no majority of servers tells\n"
             "  65  URL or lock name                71  system error\n"
             "  66  password file                   76  not a Redis server\n"
             "                                      77  password or permission refused\n"},
    {LIST, "\n"
           "Exit status: 0 the list is complete, and none of them is held, or\n"
           "   1  one is held, or split            69  some may be missing, as is said\n"
           "  64  usage                            71  system error\n"
           "  65  URL, or too long a prefix        76  not a Redis server\n"
           "  66  password file                    77  as 69, by a refused password or\n"
           "  68  unknown host, or not one             permission\n"},
    {BREAK, "\n"
            "Exit status: 0 its holder cannot have it on a majority any more, or\n"
            "   1  it changed meanwhile, or no       68  unknown host, or not one\n"
            "  64  usage, or whose it is             69  it may stand on too many servers yet\n"
            "  65  URL, lock name, too long a value  71  system error\n"
            "  66  password file                    76  not a Redis server\n"
            "                                       77  password or permission refused\n"},
    {DOCTOR, "\n"
             "Exit status: 0 nothing is wrong, or the greatest of\n"
             "   1  warnings                         69  a server does not answer, or refuses\n"
             "  64  usage                            76  not a Redis server\n"
             "  65  URL or lock name                 77  password or permission refused\n"
             "  66  password file                    78  replica, cluster, one listed twice\n"},
    {ADOPTING, "\n"
               "Exit status: 0 if it is done, or\n"
               "   1  the lock is not this token's    68  unknown host, or not one\n"
               "  64  usage                           69  no majority of servers\n"
               "  65  URL, lock name or token         71  system error\n"
               "  66  password or token file          76  not a Redis server\n"
               "                                      77  password or permission refused\n"},
};

int rdl_cli_help(enum rdl_cli_verb verb)
{
    int rc = 0;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && rc == 0; i++)
        if (parts[i].verbs & verb)
            rc = rdl_cli_print(parts[i].text);
    return rc;
}
