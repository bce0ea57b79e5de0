/* SPDX-License-Identifier: MIT */
/*
 * Acquires the lock in bounded slices, so that a signal, a wrong password or a dead majority ends the wait.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/wait.h"
#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/foreign_canary.h"
#include "redlock/cli/servers/lock.h"
#include "redlock/cli/servers/log_events.h"
#include "redlock/cli/servers/permission_check.h"
#include "redlock/cli/servers/replies.h"
#include "redlock/cli/servers/self_deadlock.h"
#include "redlock/cli/servers/warnings.h"
#include "redlock/redlock.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    AGAIN = -1,            /* no exit status yet: try again */
    AROUND = 1000,         /* of an attempt: the holder waits for us to end */
    SLICE_MS = 1000,       /* one acquire of the library */
    HINT_SLICE_MS = 10000, /* with a wake hint: a new acquire goes to the end of the queue */
    RETRY_MS = 50,         /* its first pause */
    LOOK_MS = 10000,       /* for this time, servers that do not reply are queried for the holder */
    UNREACHABLE_MS = 10000 /* without -w: the wait ends after this time without a majority */
};

/* Obeys signals like any program, because nothing is held yet. Returns 1 if we were stopped. */
static int obey(struct rdl_cli_lock *l)
{
    int was_stopped = 0;

    for (int sig = rdl_cli_signals_next(); sig != 0; sig = rdl_cli_signals_next()) {
        if (sig != SIGTSTP && !rdl_cli_signals_ends(sig))
            continue;
        rdl_cli_unshow();
        rdl_cli_lease_cancel(l);
        if (sig != SIGTSTP) {
            rdl_cli_event(l, RDL_CLI_FAILED, "a signal came", 128 + sig);
            rdl_cli_signals_die(sig);
        }
        raise(SIGSTOP);
        was_stopped = 1;
    }
    return was_stopped;
}

static void pause_until(struct rdl_cli_lock *l, uint64_t until_ms)
{
    while (rdl_cli_now(l) < until_ms) {
        rdl_cli_lease_turn(l, until_ms, 1);
        obey(l);
    }
}

/* Returns 1 if the client that holds the lock is the `redlock run` around us, which waits for our end. */
static int is_around_us(struct rdl_cli_lock *l)
{
    static uint64_t until_ms; /* a server that did not reply is queried again */
    static int looked;

    if (looked || l->o->slots != 0 || !rdl_cli_lock_is_denied(l)) /* another slot may be released */
        return 0;
    if (until_ms == 0)
        until_ms = rdl_cli_now(l) + LOOK_MS;
    enum rdl_cli_self_deadlock inside = rdl_cli_self_deadlock(l);
    looked = inside != RDL_CLI_SELF_DEADLOCK_UNANSWERED || rdl_cli_now(l) >= until_ms;
    if (looked && (inside == RDL_CLI_SELF_DEADLOCK_MAYBE || inside == RDL_CLI_SELF_DEADLOCK_UNANSWERED))
        rdl_cli_print_warning(
            "this runs inside `redlock run %s` ($REDLOCK_LOCK): with the same servers it waits for itself",
            getenv("REDLOCK_LOCK"));
    return inside == RDL_CLI_SELF_DEADLOCK;
}

/* How far the servers' logins are, and since when. */
struct progress {
    uint64_t most, since_ms;
};

/* Returns when to stop waiting for a server that connects, if none has replied by then. */
static uint64_t silence_end(const struct rdl_cli_lock *l, const struct progress *p)
{
    return p->since_ms + rdl_cli_silence_ms(l);
}

/*
 * Ends connecting, for one attempt, when it makes no progress. It takes several round trips, and may go on
 * while they are answered. polled_ms: since then redlock has read, so a late reply is not late because of
 * redlock.
 */
static void hurry(const struct rdl_cli_lock *l, struct progress *p, uint64_t polled_ms)
{
    uint64_t most = 0;

    for (size_t i = 0; i < l->servers->n; i++) {
        enum rdl_conn_phase state = rdl_conn_state(&l->servers->conn[i]);
        most += rdl_conn_replies(&l->servers->conn[i]);
        most += state == RDL_CONN_HANDSHAKE || state == RDL_CONN_READY;
        if (l->servers->group[i] != NULL)
            most += rdl_conn_replies(l->servers->group[i]->conn);
    }
    if (most <= p->most && polled_ms < silence_end(l, p))
        return;
    for (size_t i = 0; i < l->servers->n && most <= p->most; i++) {
        enum rdl_conn_phase state = rdl_conn_state(&l->servers->conn[i]);
        if (state == RDL_CONN_OPENING || state == RDL_CONN_HANDSHAKE)
            rdl_conn_shut(&l->servers->conn[i], RDL_E_TIMEOUT);
    }
    p->since_ms = rdl_cli_now(l);
    p->most = most > p->most ? most : p->most;
}

/* Prints once that we wait for the holder. */
static void wait_for_holder(const struct rdl_cli_lock *l)
{
    static int printed;

    if (!printed)
        rdl_cli_event(l, RDL_CLI_WAITING, rdl_strerror(RDL_BUSY), -1);
    printed = 1;
}

/* Checks the last attempt for a holder, because an acquire with a wake hint takes long. */
static void look_for_holder(const struct rdl_cli_lock *l)
{
    if (rdl_cli_lease_stats(l).refused > 0)
        wait_for_holder(l);
}

/* ---------------------------------------------------------------- progress */

struct wait {
    uint64_t begun_ms;
    int64_t key_ms; /* the remaining time of the key in the way, at heard_ms */
    uint64_t heard_ms;
    unsigned printed; /* bits of what was printed */
    int rc;           /* result of the last attempt */
    char why[RDL_CLI_WHY_MAX];
};

enum { TOLD_BUSY = 1, TOLD_QUARANTINE = 2, TOLD_OTHER = 4 };

/* Returns the longest of the leases in the way; -1: one has no end; -2: unknown. */
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

/* Reads the holder's time again: it is shorter, or the key was renewed. */
static void hear(const struct rdl_cli_lock *l, struct wait *w, uint64_t now)
{
    int64_t ms = holder_ms(l);

    if (ms == -2 || ms == w->key_ms)
        return;
    w->key_ms = ms;
    w->heard_ms = now;
}

/* Records why an attempt failed, unless another client holds the lock. */
static void learn(const struct rdl_cli_lock *l, int rc, struct wait *w)
{
    w->rc = rc;
    w->why[0] = '\0';
    if (rc == RDL_E_QUARANTINE)
        snprintf(w->why, sizeof w->why, "%s can be used in %lu s",
                 l->servers->n == 1 ? "the server" : "a majority", rdl_cli_lock_quarantine_s(l));
    else if (rc == RDL_NO_QUORUM)
        rdl_cli_lock_first_report(l, w->why, sizeof w->why);
}

/*
 * Returns when the progress is shown next. Not at once in a first attempt, nor after a warning of a restart.
 */
static uint64_t show_at(const struct wait *w)
{
    uint64_t due_ms = rdl_cli_progress_due_ms();
    int is_news = w->key_ms != -2 || (w->rc == RDL_NO_QUORUM && w->why[0] != '\0');

    return w->begun_ms + (is_news || due_ms > UNREACHABLE_MS ? due_ms : UNREACHABLE_MS);
}

static void show(const struct rdl_cli_lock *l, struct wait *w)
{
    uint64_t now = rdl_cli_now(l), wait_ms = l->o->wait_ms;
    struct rdl_cli_progress p = {l->o->lock, rdl_cli_one_of(l->o), now - w->begun_ms, wait_ms, 0, 0, w->why};

    hear(l, w, now);
    p.is_held = w->key_ms != -2;
    p.key_ms = w->key_ms - (int64_t)(now - w->heard_ms);
    if (wait_ms != RDL_CLI_FOREVER)
        p.left_ms = wait_ms > p.waited_ms ? wait_ms - p.waited_ms : 0;
    if (wait_ms == 0 || now < show_at(w))
        return;
    if (w->rc == RDL_E_QUARANTINE) /* the time that is left */
        learn(l, w->rc, w);
    rdl_cli_progress_show(&p);
}

/* ---------------------------------------------------------------- one attempt */

static int attempt(struct rdl_cli_lock *l, uint64_t wait_ms, struct wait *w)
{
    struct progress p = {0, rdl_cli_now(l)};
    int rc;

    l->opt.lease.wait_ms = (uint32_t)wait_ms;
    l->opt.lease.retry_ms = wait_ms == 0 ? 0 : RETRY_MS;
    rc = rdl_cli_lease_acquire(l);
    while (rc == RDL_PENDING) {
        uint64_t begun_ms = rdl_cli_now(l), heard_ms;
        rdl_cli_lease_turn(l, wait_ms == 0 ? silence_end(l, &p) : show_at(w), 1);
        heard_ms = rdl_cli_lock_heard_ms(l);
        if (heard_ms > l->reached_ms)
            l->reached_ms = heard_ms;
        if (wait_ms == 0)
            hurry(l, &p, begun_ms);
        else
            look_for_holder(l);
        rdl_cli_warn_endless(l);
        if (rdl_cli_lock_is_starved(l))
            return RDL_NO_QUORUM;
        if (is_around_us(l))
            return AROUND;
        show(l, w);
        rc = rdl_cli_lease_step(l); /* the acquire may have gone on meanwhile */
        if (obey(l))                /* its result does not matter any more */
            rc = rdl_cli_lease_acquire(l);
    }
    return rc;
}

/* ---------------------------------------------------------------- the end of the wait */

static int busy(const struct rdl_cli_lock *l)
{
    int64_t ms = holder_ms(l);

    rdl_cli_warn_long(l);
    if (l->o->slots != 0)
        rdl_cli_print_info("all %d slots of %s are held by other clients", l->o->slots, l->o->lock);
    else if (ms >= 0)
        rdl_cli_print_info("%s%s is held by another client; its lease expires in %.1f s unless renewed",
                           rdl_cli_one_of(l->o), l->o->lock, (double)ms / 1000);
    else /* without expiry: that was printed already */
        rdl_cli_print_info("%s%s is held by another client", rdl_cli_one_of(l->o), l->o->lock);
    return l->o->conflict_status;
}

/* Returns the servers with this error. */
static const char *those_with(const struct rdl_cli_lock *l, int error)
{
    static char who[RDL_SERVERS_MAX * (RDL_CLI_WHERE_MAX + 2)];
    struct rdl_cli_text t = {who, sizeof who, 0};

    for (size_t i = 0; i < l->servers->n; i++)
        if (l->servers->n == 1 || rdl_cli_lease_error(l, i) == error)
            rdl_cli_add(&t, "%s%s", t.len > 0 ? ", " : "", rdl_cli_where(l->servers, i));
    return who;
}

static int no_scripts(const struct rdl_cli_lock *l)
{
    const char *what = l->o->fence ? "--fence: fencing tokens need scripts"
                                   : "several locks (-l): several locks at once need scripts or MSETEX";

    return rdl_cli_fail(RDL_EXIT_UNAVAILABLE, "%s, which the server refuses: %s", what,
                        those_with(l, RDL_E_UNSUPPORTED));
}

/* Prints that so many servers have the greatest token that no majority is left. Returns the exit status. */
static int no_number(const struct rdl_cli_lock *l)
{
    char key[RDL_NAME_MAX + 9];

    rdl_cli_side_key(l->o->lock, ":fence", key, sizeof key);
    return rdl_cli_fail(
        RDL_EXIT_UNAVAILABLE,
        "--fence: the number in the key %s has reached its limit (2^53 - 1): %s; DEL that key when no "
        "resource compares with it any more",
        key, those_with(l, RDL_E_FENCE_RANGE));
}

static int quarantine(const struct rdl_cli_lock *l)
{
    rdl_cli_lock_quarantined(l, "no lock");
    return RDL_EXIT_UNAVAILABLE;
}

static int system_error(int rc)
{
    return rdl_cli_fail(rc == RDL_E_NAME  ? RDL_EXIT_DATA
                        : rc == RDL_E_TTL ? RDL_EXIT_USAGE
                                          : RDL_EXIT_OS,
                        "cannot request the lock: %s", rdl_strerror(rc));
}

static void acquired(struct rdl_cli_lock *l, uint64_t waited_ms)
{
    size_t granted = 0;
    char slot[24] = "";

    l->got_ms = rdl_cli_now(l);
    rdl_cli_event(l, RDL_CLI_ACQUIRED, NULL, -1);

    for (size_t i = 0; i < l->servers->n; i++)
        granted += l->servers->server[i].vote == RDL_VOTE_GRANTED;
    if (l->o->slots != 0)
        snprintf(slot, sizeof slot, "slot %u of ", l->slots.slot);
    rdl_cli_print_verbose("%s%s acquired after %.3f s; granted by %zu of %zu servers", slot, l->o->lock,
                          (double)waited_ms / 1000, granted, l->servers->n);
    rdl_cli_lock_note_servers(l);
    rdl_cli_warn_servers(l);
    for (size_t i = 0; i < l->servers->n && l->o->legacy == RDL_CLI_LEGACY_NEVER; i++) {
        if (rdl_redlock_may_evict(&l->redlock, i))
            rdl_cli_print_warning_always(
                "%s may delete locks when its memory is full: set maxmemory-policy noeviction",
                rdl_cli_where(l->servers, i));
    }
}

/* Refuses a lock whose canary cannot be read, because the user requested the canary. */
static int unwatched(struct rdl_cli_lock *l)
{
    rdl_cli_warn_servers(l);
    rdl_cli_print_error(
        "no lock: %s cannot watch a majority of the servers (check the user's permissions; it "
        "needs get, set, time and the key " RDL_CANARY_KEY ")",
        rdl_cli_canary_word(l->o));
    rdl_cli_lease_cancel(l);
    return RDL_EXIT_NOPERM;
}

static int around(const struct rdl_cli_lock *l)
{
    return rdl_cli_fail(l->o->conflict_status,
                        "%s%s is held by the `redlock run` that started this: waiting for it would never end",
                        rdl_cli_one_of(l->o), l->o->lock);
}

static int no_canary(void)
{
    return rdl_cli_fail(RDL_EXIT_UNAVAILABLE,
                        "no lock: on too many servers another program uses the key " RDL_CANARY_KEY
                        ", which redlock does not replace");
}

/* Returns what a failed attempt means: an exit status, after it printed the reason, or AGAIN. */
static int wait_status(struct rdl_cli_lock *l, int rc, uint64_t waited_ms, uint64_t unreachable_ms)
{
    const uint64_t wait = l->o->wait_ms;
    int status;

    if (rc == AROUND)
        return around(l);
    if (rc == RDL_E_UNSUPPORTED)
        return no_scripts(l);
    if (rc == RDL_E_FENCE_RANGE)
        return no_number(l);
    if ((rc == RDL_E_QUARANTINE || rc == RDL_NO_QUORUM) && rdl_cli_canary_is_foreign(l))
        return no_canary();
    if (rc == RDL_E_QUARANTINE)
        return waited_ms >= wait || rdl_cli_lock_quarantine_ms(l) > wait - waited_ms ? quarantine(l) : AGAIN;
    if (rc != RDL_BUSY && rc != RDL_NO_QUORUM && rc != RDL_EXPIRED)
        return system_error(rc);
    if (rc == RDL_BUSY)
        return waited_ms >= wait ? busy(l) : AGAIN;
    if (rdl_cli_servers_log_in_again(l->servers) && waited_ms < wait)
        return AGAIN;
    status = rdl_cli_lock_verdict(l);
    if (status == 0 && (waited_ms >= wait || (wait == RDL_CLI_FOREVER && unreachable_ms >= UNREACHABLE_MS)))
        status = RDL_EXIT_UNAVAILABLE;
    return status != 0 ? rdl_cli_lock_no_quorum(l, status, waited_ms) : AGAIN;
}

/* Prints, each once, what else we wait for than the end of a lease. */
static void waiting(const struct rdl_cli_lock *l, int rc, unsigned *printed)
{
    unsigned what = rc == RDL_BUSY ? TOLD_BUSY : rc == RDL_E_QUARANTINE ? TOLD_QUARANTINE : TOLD_OTHER;

    if (*printed & what)
        return;
    *printed |= what;
    if (rc == RDL_BUSY) {
        wait_for_holder(l);
        rdl_cli_warn_servers(l);
    } else {
        rdl_cli_event(l, RDL_CLI_WAITING, rdl_strerror(rc), -1);
        if (rc == RDL_E_QUARANTINE)
            rdl_cli_print_warning("%s; %s can be used in %lu s%s", rdl_cli_lock_too_recently(l),
                                  l->servers->n == 1 ? "it" : "a majority", rdl_cli_lock_quarantine_s(l),
                                  rdl_cli_lock_remedy(l));
        else
            rdl_cli_print_verbose("no lock yet: %s; trying again", rdl_strerror(rc));
    }
    rdl_cli_lock_note_servers(l);
}

/*
 * Returns how long to wait at least from one acquire to the next. One that finds a quarantine does not wait
 * itself: it has a slice of the time, and the quarantine is longer.
 */
static uint64_t least_ms(const struct rdl_cli_lock *l, int rc)
{
    uint64_t left_ms = rc == RDL_E_QUARANTINE ? rdl_cli_lock_quarantine_ms(l) : 0;

    if (left_ms > SLICE_MS)
        return SLICE_MS;
    return left_ms > RETRY_MS ? left_ms : RETRY_MS;
}

static int get(struct rdl_cli_lock *l, int *status)
{
    const uint64_t wait = l->o->wait_ms, begun = rdl_cli_now(l);
    const uint64_t slice = l->o->wake_hint ? HINT_SLICE_MS : SLICE_MS;
    struct wait w = {begun, -2, begun, 0, RDL_OK, ""};

    l->reached_ms = l->asked_ms = begun;
    for (;;) {
        uint64_t tried = rdl_cli_now(l), used = tried - begun;
        uint64_t left = wait == RDL_CLI_FOREVER ? slice : wait > used ? wait - used : 0;
        int rc = attempt(l, left < slice ? left : slice, &w);
        uint64_t now = rdl_cli_now(l);

        if (rc == RDL_OK && !rdl_cli_lock_is_watched(l)) {
            rdl_cli_event(l, RDL_CLI_FAILED, "the canary of a majority of the servers cannot be checked",
                          RDL_EXIT_NOPERM);
            *status = unwatched(l);
            return 0;
        }
        if (rc == RDL_OK) {
            acquired(l, now - begun);
            (void)rdl_cli_canary_is_foreign(l); /* on a minority: it is only a warning */
            rdl_cli_probe(l);
            return 1;
        }
        if (rc == RDL_BUSY || rc == RDL_E_QUARANTINE || rc == RDL_EXPIRED)
            l->reached_ms = now;
        *status = wait_status(l, rc, now - begun, now - l->reached_ms);
        if (*status != AGAIN) {
            rdl_cli_event(l, RDL_CLI_FAILED, rdl_strerror(rc == AROUND ? RDL_BUSY : rc), *status);
            if (rc == RDL_BUSY || rc == RDL_E_QUARANTINE) /* otherwise its message has the reason */
                rdl_cli_lock_note_servers(l);
            rdl_cli_lease_cancel(l); /* single servers may have granted it */
            return 0;
        }
        waiting(l, rc, &w.printed);
        learn(l, rc, &w);
        show(l, &w);
        pause_until(l, tried + least_ms(l, rc));
    }
}

int rdl_cli_wait(struct rdl_cli_lock *l, int *status)
{
    int is_had = get(l, status);

    rdl_cli_unshow();
    return is_had;
}

/* ---------------------------------------------------------------- one operation */

/* The state of the connections. */
struct connected {
    size_t ready, failed;
    uint32_t trip_ms; /* the longest round trip of those that are ready */
    uint64_t wake_ms;
};

static struct connected look_at_connections(const struct rdl_cli_lock *l)
{
    struct connected now = {0, 0, 0, UINT64_MAX};

    for (size_t i = 0; i < l->servers->n; i++) {
        struct rdl_conn *c = &l->servers->conn[i];
        uint64_t at = rdl_conn_tick(c, rdl_cli_now(l));
        int is_ready = rdl_conn_state(c) == RDL_CONN_READY;
        now.wake_ms = at < now.wake_ms ? at : now.wake_ms;
        now.ready += is_ready != 0;
        now.failed += rdl_conn_state(c) == RDL_CONN_CLOSED && rdl_conn_error(c) != RDL_OK;
        now.trip_ms = is_ready && c->rtt_ms > now.trip_ms ? c->rtt_ms : now.trip_ms;
    }
    return now;
}

/* An extend sends nothing to servers that are not connected, so slow ones have a moment, too. */
void rdl_cli_wait_connected(struct rdl_cli_lock *l)
{
    const size_t n = l->servers->n;
    uint64_t until_ms = rdl_cli_now(l) + l->servers->config[0].connect_ms;
    int is_majority = 0;

    while (rdl_cli_now(l) < until_ms) {
        struct connected c = look_at_connections(l);
        if (c.failed > (n - 1) / 2 || c.ready + c.failed == n)
            return;
        if (c.ready > n / 2 && !is_majority) {
            uint64_t end_ms = rdl_cli_now(l) + rdl_attempt_ms_for_rtt(&l->opt.lease, c.trip_ms);
            until_ms = end_ms < until_ms ? end_ms : until_ms;
            is_majority = 1;
        }
        uint64_t wake_ms = c.wake_ms < until_ms ? c.wake_ms : until_ms;
        if (l->platform.poll(l->platform.ctx, l->servers->conns, n, wake_ms, RDL_POLL_CAN_WAKE) ==
            RDL_E_SYSTEM)
            return;
        rdl_cli_signals_obey();
    }
}

int rdl_cli_wait_for(struct rdl_cli_lock *l, int rc)
{
    while (rc == RDL_PENDING) {
        rc = rdl_cli_lease_turn(l, UINT64_MAX, 1);
        rdl_cli_signals_obey();
    }
    return rc;
}
