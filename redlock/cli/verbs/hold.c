/* SPDX-License-Identifier: MIT */
/*
 * `redlock hold`: waits for the lock, prints its token, and renews it. It ends when standard input ends, a
 * signal comes, or the parent process is gone. Then it releases the lock, or leaves it for the rest of
 * --keep. It is for scripts, as a coprocess: they end it by closing its input. When the lease is lost, its
 * output ends. If hold was stopped, its guardian sees to that.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/child/child.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/cli/verbs/verbs.h"
#include "redlock/redlock.h"

#include <poll.h>
#include <unistd.h>

enum {
    LOOK_MS = 100, /* how often to check what no signal reports */
    READS = 16     /* reads of standard input at a time: endless input must not stop us */
};

struct hold {
    struct rdl_cli_lock *lock;
    struct rdl_cli_held held;
    struct rdl_cli_guardian guardian;
    int is_flowing; /* there was input at the last look */
};

/* ---------------------------------------------------------------- why it ends */

/* Returns 1 if we may read from it: a terminal of another foreground process would stop us. */
static int is_ours(int fd)
{
    return !isatty(fd) || tcgetpgrp(fd) == getpgrp();
}

/* Returns 1 when standard input has ended. Its content is ignored. One look empties the largest pipe. */
static int input_ended(int *is_flowing)
{
    struct pollfd p = {STDIN_FILENO, POLLIN, 0};
    static char nothing[65536];

    *is_flowing = 0;
    for (int i = 0; i < READS && is_ours(STDIN_FILENO) && poll(&p, 1, 0) == 1; i++) {
        if ((p.revents & (POLLIN | POLLHUP)) == 0 || read(STDIN_FILENO, nothing, sizeof nothing) <= 0)
            return 1;
        *is_flowing = 1;
    }
    return 0;
}

static const char *why_over(struct hold *h)
{
    if (getppid() != h->lock->parent)
        return "the process that started redlock is gone";
    if (rdl_cli_signals_next_end() != 0)
        return "a signal came";
    return input_ended(&h->is_flowing) ? "standard input is closed" : NULL;
}

/* ---------------------------------------------------------------- the lease */

static void renew(struct hold *h)
{
    if (rdl_cli_held_renew(&h->held))
        rdl_cli_guardian_update(&h->guardian, getpid(), h->held.until_ms);
    if (!rdl_cli_signals_is_child())
        return;
    rdl_cli_process_reap(&h->guardian.pid);
    if (h->guardian.pid == 0)
        rdl_cli_guardian_replace(&h->guardian, h->lock->o->ttl_ms, getpid(), h->held.until_ms);
}

/* Returns when to end without a renewal: when only the grace is left, and before the guardian ends us. */
static uint64_t end_ms(const struct hold *h)
{
    uint32_t grace_ms = h->lock->o->grace_ms, margin_ms = rdl_cli_margin_ms(h->lock->o->ttl_ms);
    uint32_t early_ms = grace_ms > margin_ms ? grace_ms : margin_ms;

    return h->held.until_ms > early_ms ? h->held.until_ms - early_ms : 0;
}

/* ---------------------------------------------------------------- waiting */

/*
 * Waits for standard input while the connections are quiet: it is not one of them. Endless input has to wait
 * for the next look.
 */
static void pause_until(struct hold *h, uint64_t until_ms)
{
    struct pollfd p[2] = {{h->lock->posix.wake_fd, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    uint64_t now = rdl_cli_now(h->lock);
    uint64_t check_at = now + LOOK_MS < until_ms ? now + LOOK_MS : until_ms;

    if (h->held.renewing) {
        rdl_cli_lease_turn(h->lock, check_at, 1);
        return;
    }
    if (check_at > now)
        poll(p, !h->is_flowing && is_ours(STDIN_FILENO) ? 2 : 1, (int)(check_at - now));
    rdl_cli_lease_turn(h->lock, rdl_cli_now(h->lock), 1);
}

/* Returns why the lock is no longer needed; or NULL if the lease is lost, after it printed that. */
static const char *hold(struct hold *h)
{
    struct rdl_cli_lock *l = h->lock;

    rdl_cli_held_begin(&h->held, l);
    for (;;) {
        const char *why = why_over(h);
        if (why != NULL)
            return why;
        renew(h);
        if (rdl_cli_now(l) >= end_ms(h)) {
            rdl_cli_held_lose(&h->held, "the lease could not be renewed");
            rdl_cli_event(l, RDL_CLI_LOST, NULL, -1);
            if (h->held.until_ms == 0) /* a majority replied; if not, there is no time for it */
                rdl_cli_lease_cancel(l);
            return NULL;
        }
        uint64_t renewal = rdl_cli_held_wake_ms(&h->held, rdl_cli_now(l));
        pause_until(h, renewal < end_ms(h) ? renewal : end_ms(h));
        rdl_cli_warn_servers(l);
    }
}

/* Returns 0 if the lock was released or kept as requested, or RDL_EXIT_LOST, which was printed. */
static int finish(struct rdl_cli_lock *l, const char *why)
{
    if (why == NULL)
        return RDL_EXIT_LOST;
    if (rdl_cli_keep(l, why))
        return 0;
    rdl_cli_print_verbose("%s: releasing %s", why, l->o->lock);
    return rdl_cli_give_back(l, 0) ? RDL_EXIT_LOST : 0;
}

/* The guardian is set up before the token is written: from then on, a script may work. */
static int acquire_and_hold(struct rdl_cli_lock *l)
{
    struct hold h = {.lock = l};
    char token[RDL_TOKEN_TEXT_MAX];
    const char *why = NULL;
    int status;

    if (!rdl_cli_wait(l, &status))
        return status;
    uint64_t until_ms = rdl_cli_lease_until_ms(l);
    if (rdl_cli_guardian_start(&h.guardian, l->o->ttl_ms, getpid(), until_ms) != 0)
        return rdl_cli_give_back_refused(l, "start the guardian process");
    rdl_cli_guardian_wait(&h.guardian, until_ms);
    rdl_cli_lease_token(l, token);
    status = rdl_cli_token_write(token, rdl_cli_lease_fence(l), until_ms, l->o);
    if (status == 0)
        why = hold(&h);
    rdl_cli_guardian_stop(&h.guardian);
    return status == 0 ? finish(l, why) : rdl_cli_give_back_unread(l, status);
}

int rdl_cli_hold(int argc, char **argv)
{
    static struct rdl_cli_options options; /* the lock borrows them */
    static struct rdl_cli_lock lock;
    pid_t parent = getppid();
    int rc, is_flowing;

    if (!rdl_cli_options_read(&options, RDL_CLI_HOLD, argc, argv, &rc))
        return rc;
    if (input_ended(&is_flowing))
        return rdl_cli_fail(
            RDL_EXIT_USAGE,
            "standard input is already closed, so the lock would be released immediately: start "
            "redlock hold as a coprocess or with a pipe");
    rc = rdl_cli_start(&lock, &options);
    if (rc != 0)
        return rc;
    lock.parent = parent;
    return acquire_and_hold(&lock);
}
