/* SPDX-License-Identifier: MIT */
/* `redlock run`: wait for the lock, run a command while it is renewed, release it. */
#include "redlock/cli/cli.h"

static const char run_usage[] =
    "redlock run [options] LOCK [--] COMMAND [ARG...]\n"
    "redlock run [options] LOCK -c 'shell command'\n"
    "\n"
    "Wait for LOCK, run COMMAND, renew the lock while it runs, release it. Should\n"
    "the lock be lost, COMMAND is stopped before somebody else can get it.\n"
    "\n"
    "Servers (1 to 7; the lock is held on a majority of them)\n"
    "  -u, --url URL         redis://[[user]:password@]host[:port][/db] or\n"
    "                        unix://[[user]:password@]/path; once for each server.\n"
    "                        Else $REDLOCK_URLS, $REDIS_URL, redis://127.0.0.1:6379\n"
    "  --any-address         all addresses of a name lead to one server (else a name\n"
    "                        with several of them is refused)\n"
    "  --password-file FILE  the password of all servers; or --password-fd N, or\n"
    "                        $REDLOCK_PASSWORD, or $REDISCLI_AUTH\n"
    "\n"
    "Waiting (for as long as it takes, if nothing is said)\n"
    "  -w, --wait SECONDS    so long; decimals are fine. Also --timeout\n"
    "  -n, --nonblock        not at all. Also --nb\n"
    "  --attempt TIME        how long one attempt waits for the servers' answers, a\n"
    "                        quarter of the ttl at most (by default: what their\n"
    "                        round trips need)\n"
    "  --wake-hint           be told by holders with this option when it is free\n"
    "  -E, --conflict-exit-code N\n"
    "                        exit status when somebody else holds it (1)\n"
    "\n"
    "Holding\n"
    "  -c, --command STRING  run it with /bin/sh -c\n"
    "  --ttl TIME            how long a crash may block the others: 1500ms, 5m,\n"
    "                        30s (the default)\n"
    "  --grace TIME          what COMMAND has between TERM and the end of a lease\n"
    "                        that cannot be renewed (a sixth of the ttl, at most 5s)\n"
    "  --max-hold TIME       stop COMMAND before it has held the lock for longer\n"
    "  --fence               a number that grows with every holder: $REDLOCK_FENCE\n"
    "\n"
    "Servers that restart (and may have forgotten a lock)\n"
    "  --max-ttl TIME        the longest --ttl of all who share these servers\n"
    "                        (the default: this one's)\n"
    "  --restart-guard WHEN  a server that came up less than max-ttl ago does not\n"
    "                        count: if-permitted (the default: unless it refuses\n"
    "                        INFO), required, strict (since we first saw it), off.\n"
    "                        Also $REDLOCK_RESTART_GUARD\n"
    "  --canary              notice as well when a server lost its data without a\n"
    "                        restart (FLUSHALL)\n"
    "\n"
    "One server only, and no restart guard\n"
    "  --legacy WHEN         the old protocol, SETNX: never (default), auto, always\n"
    "  --legacy-shortest-ttl no client has a shorter ttl or deletes what it does not\n"
    "                        hold: delete what a waiter wrote over the lock, too\n"
    "  --clock-error TIME    how far this host's clock may be off; used where the\n"
    "                        server does not tell the time (before Redis 2.6)\n"
    "\n"
    "Talking\n"
    "  -v, --verbose         say what happens, and what each server did\n"
    "  -q, --quiet           errors only\n"
    "  --trace[=FILE]        every byte sent and received, without the passwords\n"
    "\n"
    "Exit status: COMMAND's own, 128+N if signal N ended it, or\n"
    "   1  somebody else holds the lock    71  system error\n"
    "  64  usage                           75  the lock was lost, COMMAND stopped\n"
    "  65  URL or lock name                76  not a Redis server\n"
    "  66  password file                   77  password or permission refused\n"
    "  68  unknown host, or not one       126  COMMAND cannot be run\n"
    "  69  no majority of servers         127  COMMAND was not found\n"
    " 124  --max-hold is over, COMMAND stopped\n";

int rdl_cli_run(int argc, char **argv)
{
    static struct rdl_cli_options options; /* the lock borrows them all */
    static struct rdl_cli_servers servers;
    static struct rdl_cli_lock lock;

    int rc = rdl_cli_options_parse(&options, argc, argv);
    if (rc == 0 && options.help)
        return rdl_cli_print(run_usage);
    if (rc == 0)
        rc = rdl_cli_options_settle(&options);
    if (rc == 0)
        rc = rdl_cli_servers_init(&servers, &options);
    if (rc == 0 && options.trace)
        rc = rdl_cli_trace_open(&servers, options.trace_file);
    rdl_posix_init(&lock.posix, &lock.net);
    if (rc == 0)
        rc = rdl_cli_signals_open(&lock.posix.wake_fd);
    if (rc != 0)
        return rc;
    lock.o = &options;
    lock.servers = &servers;
    lock.opt.lease.ttl_ms = options.ttl_ms;
    lock.opt.lease.attempt_ms = options.attempt_ms;
    lock.opt.max_ttl_ms = options.max_ttl_ms;
    lock.opt.max_hold_ms = options.max_hold_ms;
    lock.opt.guard = (uint8_t)options.guard;
    rdl_cli_lease_init(&lock);
    rdl_cli_child_look(&options);
    return rdl_cli_lock_acquire(&lock, &rc) ? rdl_cli_supervise(&lock) : rc;
}
