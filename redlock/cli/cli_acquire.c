/* SPDX-License-Identifier: MIT */
/* Getting the lock in bounded slices, so that a signal, a wrong password and a dead majority end the wait. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    AGAIN = -1,             /* no exit status yet: try again */
    SLICE_MS = 1000,        /* one acquisition of the library */
    HINT_SLICE_MS = 10000,  /* with a wake hint: who begins anew stands at the end of the line */
    RETRY_MS = 50,          /* its first pause */
    UNREACHABLE_MS = 10000, /* without -w: so long without a majority, and we give up */
    DRAIN_MS = 100          /* for releases still on their way when we end */
};

uint64_t rdl_cli_now(const struct rdl_cli_lock *l)
{
    return l->net.now_ms(l->net.ctx);
}

/* ---------------------------------------------------------------- running the connections */

int rdl_cli_lock_turn(struct rdl_cli_lock *l, uint64_t until_ms)
{
    const struct timespec pause = {0, 10000000};
    uint64_t wake = rdl_cli_hold_wake_ms(l);

    if (until_ms < wake)
        wake = until_ms;
    if (l->net.poll(l->net.ctx, l->servers->conns, l->n_conns, wake) != RDL_OK)
        nanosleep(&pause, NULL); /* out of memory, say: no busy loop while it lasts */
    return rdl_cli_hold_step(l);
}

static void give_up(struct rdl_cli_lock *l)
{
    rdl_cli_hold_cancel(l, rdl_cli_now(l) + DRAIN_MS);
}

/* While we wait nothing is held: a signal means to us what it means to any program. */
static void obey(struct rdl_cli_lock *l)
{
    for (int sig = rdl_cli_signals_next(); sig != 0; sig = rdl_cli_signals_next()) {
        if (sig == SIGCHLD || sig == SIGCONT)
            continue;
        give_up(l);
        if (sig == SIGTSTP)
            raise(SIGSTOP);
        else
            rdl_cli_signals_die(sig);
    }
}

static void pause_until(struct rdl_cli_lock *l, uint64_t until_ms)
{
    while (rdl_cli_now(l) < until_ms) {
        rdl_cli_lock_turn(l, until_ms);
        obey(l);
    }
}

static int attempt(struct rdl_cli_lock *l, uint64_t wait_ms)
{
    int rc;

    l->opt.lease.wait_ms = (uint32_t)wait_ms;
    l->opt.lease.retry_ms = wait_ms == 0 ? 0 : RETRY_MS;
    rc = rdl_cli_hold_acquire(l);
    while (rc == RDL_PENDING) {
        rc = rdl_cli_lock_turn(l, UINT64_MAX);
        obey(l);
    }
    return rc;
}

/* ---------------------------------------------------------------- what the servers said */

/* Connected, and not asked because the others had settled it already: not what is wrong. */
static int is_bystander(const struct rdl_cli_lock *l, size_t i)
{
    const struct rdl_server *s = &l->servers->server[i];
    return s->vote == RDL_VOTE_NONE && s->error == RDL_OK && rdl_conn_state(s->conn) == RDL_CONN_READY;
}

static int is_useful(const struct rdl_cli_lock *l, size_t i)
{
    uint8_t vote = l->servers->server[i].vote;
    return vote == RDL_VOTE_GRANTED || vote == RDL_VOTE_DENIED;
}

static int error_of(const struct rdl_cli_lock *l, size_t i)
{
    int error = l->servers->server[i].error;
    return error != RDL_OK ? error : rdl_conn_error(&l->servers->conn[i]);
}

static void report(const struct rdl_cli_lock *l, size_t i, char *out, size_t cap)
{
    const struct rdl_cli_servers *s = l->servers;
    char raw[128], clean[192], where[RDL_CLI_WHERE_MAX];
    struct rdl_bytes password = s->endpoint[i].password;

    rdl_cli_servers_where(s, i, where);
    if (s->unresolved[i] != NULL)
        snprintf(raw, sizeof raw, "no address: %s", s->unresolved[i]);
    else if (s->server[i].vote == RDL_VOTE_UNKNOWN && s->server[i].error != RDL_OK)
        snprintf(raw, sizeof raw, "%s", rdl_strerror(s->server[i].error));
    else
        rdl_cli_hold_report(l, i, raw, sizeof raw);
    rdl_cli_secret_scrub(raw, password, clean, sizeof clean);
    snprintf(out, cap, "%s: %s", where, clean);
}

void rdl_cli_lock_reports(const struct rdl_cli_lock *l, char *out, size_t cap)
{
    size_t n = 0;

    out[0] = '\0';
    for (size_t i = 0; i < l->servers->n && n + 1 < cap; i++) {
        char one[RDL_CLI_WHERE_MAX + 200];
        if (is_useful(l, i) || is_bystander(l, i))
            continue;
        report(l, i, one, sizeof one);
        int len = snprintf(out + n, cap - n, "%s%s", n > 0 ? "; " : "", one);
        n += len > 0 ? (size_t)len : 0;
    }
}

enum trouble {
    SILENT,
    REFUSED,
    FOREIGN,
    HOPELESS
}; /* worth another try, or not: login, protocol, anything else */

static enum trouble trouble_of(int error)
{
    switch (error) {
    case RDL_E_AUTH:
    case RDL_E_PERM:
        return REFUSED;
    case RDL_E_SYNTAX:
    case RDL_E_LIMIT:
    case RDL_E_UNASKED:
        return FOREIGN;
    case RDL_E_URL:
    case RDL_E_UNSUPPORTED:
    case RDL_E_DB:
    case RDL_E_CLUSTER:
        return HOPELESS;
    default:
        return SILENT;
    }
}

/*
 * The exit status for the lack of a majority: what would have made one, had it gone well? 0: nothing that
 * could not go better at the next try.
 */
static int verdict(const struct rdl_cli_lock *l)
{
    size_t count[4] = {0, 0, 0, 0}, useful = 0;
    size_t n = l->servers->n, quorum = n / 2 + 1;

    for (size_t i = 0; i < n; i++) {
        if (is_useful(l, i))
            useful++;
        else
            count[l->servers->unresolved[i] != NULL ? HOPELESS : trouble_of(error_of(l, i))]++;
    }
    if (useful + count[SILENT] >= quorum)
        return 0;
    if (useful + count[SILENT] + count[REFUSED] >= quorum || count[REFUSED] > count[FOREIGN])
        return RDL_EXIT_NOPERM;
    return count[FOREIGN] > 0 ? RDL_EXIT_PROTOCOL : RDL_EXIT_UNAVAILABLE;
}

static const char *advice(int status)
{
    switch (status) {
    case RDL_EXIT_NOPERM:
        return "check the password";
    case RDL_EXIT_PROTOCOL:
        return "is that the right port?";
    default:
        return "are they running?";
    }
}

/* ---------------------------------------------------------------- the end of the wait */

static int no_quorum(const struct rdl_cli_lock *l, int status, uint64_t waited_ms)
{
    char all[1500];

    rdl_cli_lock_reports(l, all, sizeof all);
    if (l->servers->n == 1)
        rdl_cli_fail("no lock after %.1f s (%s): %s", (double)waited_ms / 1000, advice(status), all);
    else
        rdl_cli_fail("no lock after %.1f s: it takes %u of %zu servers (%s): %s", (double)waited_ms / 1000,
                     rdl_redlock_quorum(&l->redlock), l->servers->n, advice(status), all);
    return status;
}

/* The longest of the leases in our way; -1 if one has no end. */
static int64_t holder_ms(const struct rdl_cli_lock *l)
{
    int64_t most = -2;
    for (size_t i = 0; i < l->servers->n; i++) {
        const struct rdl_server *s = &l->servers->server[i];
        if (s->vote == RDL_VOTE_DENIED && s->value == -1)
            return -1;
        if (s->vote == RDL_VOTE_DENIED && s->value > most)
            most = s->value;
    }
    return most;
}

static int busy(const struct rdl_cli_lock *l)
{
    int64_t ms = holder_ms(l);

    if (ms == -1)
        rdl_cli_warn("%s is taken for ever: its key has no expiry, so it is not a lock of this kind",
                     l->o->lock);
    else if (ms >= 0)
        rdl_cli_warn("%s is held by somebody else, whose lease has %.1f s left", l->o->lock,
                     (double)ms / 1000);
    else
        rdl_cli_warn("%s is held by somebody else", l->o->lock);
    return l->o->conflict_status;
}

static int system_error(int rc)
{
    rdl_cli_fail("cannot ask for the lock: %s", rdl_strerror(rc));
    if (rc == RDL_E_FENCE)
        return RDL_EXIT_UNAVAILABLE;
    return rc == RDL_E_NAME ? RDL_EXIT_DATA : rc == RDL_E_TTL ? RDL_EXIT_USAGE : RDL_EXIT_OS;
}

static void acquired(const struct rdl_cli_lock *l, uint64_t waited_ms)
{
    size_t granted = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        granted += l->servers->server[i].vote == RDL_VOTE_GRANTED;
    rdl_cli_note("%s acquired after %.3f s; granted by %zu of %zu servers so far", l->o->lock,
                 (double)waited_ms / 1000, granted, l->servers->n);
}

/* What an attempt that failed means for the whole: an exit status, its reason said, or AGAIN. */
static int judge(const struct rdl_cli_lock *l, int rc, uint64_t waited_ms, uint64_t unreachable_ms)
{
    const uint64_t wait = l->o->wait_ms;
    int status;

    if (rc != RDL_BUSY && rc != RDL_NO_QUORUM && rc != RDL_EXPIRED)
        return system_error(rc);
    if (rc == RDL_BUSY)
        return waited_ms >= wait ? busy(l) : AGAIN;
    status = verdict(l);
    if (status == 0 && (waited_ms >= wait || (wait == RDL_CLI_FOREVER && unreachable_ms >= UNREACHABLE_MS)))
        status = RDL_EXIT_UNAVAILABLE;
    return status != 0 ? no_quorum(l, status, waited_ms) : AGAIN;
}

int rdl_cli_lock_acquire(struct rdl_cli_lock *l, int *status)
{
    const uint64_t wait = l->o->wait_ms, begun = rdl_cli_now(l);
    const uint64_t slice = l->o->wake_hint ? HINT_SLICE_MS : SLICE_MS;
    uint64_t reached = begun;
    int told = 0;

    for (;;) {
        uint64_t tried = rdl_cli_now(l), used = tried - begun;
        uint64_t left = wait == RDL_CLI_FOREVER ? slice : wait > used ? wait - used : 0;
        int rc = attempt(l, left < slice ? left : slice);
        uint64_t now = rdl_cli_now(l);

        if (rc == RDL_OK) {
            acquired(l, now - begun);
            return 1;
        }
        if (rc == RDL_BUSY)
            reached = now;
        *status = judge(l, rc, now - begun, now - reached);
        if (rc == RDL_BUSY && *status == AGAIN && !told++)
            rdl_cli_note("%s is held by somebody else; waiting", l->o->lock);
        if (*status != AGAIN) {
            give_up(l); /* single servers may have granted it */
            return 0;
        }
        if (now - tried < RETRY_MS)
            pause_until(l, tried + RETRY_MS);
    }
}

/* ---------------------------------------------------------------- giving it back */

void rdl_cli_lock_release(struct rdl_cli_lock *l, int lost)
{
    int rc = RDL_OK;

    if (!lost) {
        while (rdl_cli_hold_step(l) == RDL_PENDING) /* a renewal: one thing at a time */
            rdl_cli_lock_turn(l, UINT64_MAX);
        rc = rdl_cli_hold_release(l, rdl_cli_now(l));
        while (rc == RDL_PENDING)
            rc = rdl_cli_lock_turn(l, UINT64_MAX);
    }
    if (rc == RDL_OK && !lost)
        rdl_cli_note("%s released", l->o->lock);
    else if (rc == RDL_EXPIRED || rc == RDL_LOST)
        rdl_cli_warn(
            "%s was gone from a majority of the servers before it was released: somebody else may have "
            "held it at the same time",
            l->o->lock);
    else if (rc != RDL_OK)
        rdl_cli_warn("%s could not be released (%s): it is free when its lease ends", l->o->lock,
                     rdl_strerror(rc));
    give_up(l);
}
