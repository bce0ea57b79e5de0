/* SPDX-License-Identifier: MIT */
/*
 * The lock: a redlock over N servers, or a single lock for --legacy and for several locks at once, which
 * work on one server. All other files use one interface. They read what the servers replied in
 * servers->server[], where a single lock's replies are entered like those of a redlock with one server.
 *
 * A single lock has no restart guard. Several locks use that of a redlock that sends no requests itself.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/lock.h"
#include "lock/lock_hint.h"
#include "lock/lock_lease.h"
#include "lock/lock_legacy.h"
#include "lock/lock_multi.h"
#include "lock/lock_op.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/failures.h"
#include "redlock/cli/servers/lock_names.h"
#include "redlock/cli/servers/resolve_again.h"
#include "redlock/cli/servers/server_info.h"
#include "redlock/redlock_op.h"
#include "redlock/slots.h"
#include "resp/resp_bytes.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    CLOCK_OLD_MS = 3600000,
    PARENT_MS = 100, /* how often to check for the parent */
    KEPT_MS = 50,    /* how often to try again to write a message */
    DRAIN_MS = 100   /* for releases that are under way when redlock exits */
};

uint64_t rdl_cli_now(const struct rdl_cli_lock *l)
{
    return rdl_now(&l->platform);
}

static int is_several(const struct rdl_cli_lock *l)
{
    return l->o->n_names > 1;
}

const char *rdl_cli_one_of(const struct rdl_cli_options *o)
{
    if (o->slots != 0 && o->lock == o->names[0]) /* then it is the name of a slot */
        return "a slot of ";
    return o->n_names > 1 ? "one of " : "";
}

/* ---------------------------------------------------------------- set up */

/* Sets our clock, with --clock-error, for a server that does not report the time. */
static void set_clock(struct rdl_cli_lock *l)
{
    if (l->o->clock_error_ms != 0)
        rdl_lock_set_clock(&l->single, (uint32_t)(rdl_cli_wall_ms(time(NULL), 0) / 1000),
                           l->o->clock_error_ms, rdl_cli_now(l));
}

/* Gives a lock its owner. Locks of the old protocol have none. */
static void set_owner(struct rdl_cli_lock *l)
{
    const char *owner = l->o->owner != NULL ? l->o->owner : ""; /* a token has its own */

    if (l->is_single && !l->is_legacy)
        rdl_lock_set_owner(&l->single.lock, &l->owner, owner, strlen(owner));
    else if (!l->is_single)
        rdl_redlock_set_owner(&l->redlock, &l->owner, owner, strlen(owner));
}

/* Switches to the old protocol, or with auto to the current one until the server refuses it. */
static void become(struct rdl_cli_lock *l, int is_legacy)
{
    enum rdl_legacy kind = l->o->shortest_ttl ? RDL_LEGACY_SHORTEST : RDL_LEGACY;
    struct rdl_conn *conn = &l->servers->conn[0];
    size_t len = strlen(l->o->lock);

    l->is_legacy = is_legacy;
    if (is_legacy)
        rdl_lock_init_legacy(&l->single, &l->opt.lease, conn, l->o->lock, len, kind);
    else
        rdl_lock_init(&l->single.lock, &l->opt.lease, conn, l->o->lock, len);
    set_owner(l);
    if (l->o->wake_hint)
        rdl_lock_set_hint(&l->single.lock, &l->hint);
}

static void become_several(struct rdl_cli_lock *l)
{
    struct rdl_bytes names[RDL_MULTI_MAX];

    for (size_t k = 0; k < l->o->n_names; k++)
        names[k] = (struct rdl_bytes){l->o->names[k], strlen(l->o->names[k])};
    rdl_lock_init_multi(&l->single.lock, &l->opt.lease, &l->servers->conn[0], names, l->o->n_names,
                        l->packed);
    set_owner(l);
}

void rdl_cli_lease_init(struct rdl_cli_lock *l)
{
    const struct rdl_cli_options *o = l->o;
    struct rdl_cli_servers *s = l->servers;

    l->n_conns = s->n;
    l->is_single = o->legacy != RDL_CLI_LEGACY_NEVER || is_several(l);
    if (o->wake_hint) {
        rdl_cli_servers_second(s);
        rdl_hint_init(&l->hint, &s->conn[s->n]);
        l->n_conns++;
    }
    if (is_several(l)) {
        become_several(l);
    } else if (l->is_single) {
        become(l, o->legacy == RDL_CLI_LEGACY_ALWAYS);
        return;
    }
    l->opt.fencing = o->fence ? &rdl_fencing : NULL;
    rdl_redlock_init(&l->redlock, &l->opt, s->server, s->n, o->lock, strlen(o->lock));
    for (size_t i = 0; i < s->n; i++)
        if (s->group[i] != NULL)
            rdl_guard_require_info(&s->conn[i]);
    rdl_cli_info_watch(s);
    set_owner(l);
    if (o->wake_hint)
        rdl_redlock_set_hint(&l->redlock, &l->hint);
    if (o->canary)
        rdl_redlock_set_canary(&l->redlock, l->canaries);
    for (size_t i = 0; i < s->n; i++)
        if (s->group[i] != NULL) {
            s->group[i]->action = &l->redlock.action;
            s->group[i]->has_canary = (uint8_t)o->canary;
        }
    if (o->slots != 0)
        rdl_slots_init(&l->slots, &l->redlock, (unsigned)o->slots);
}

/* ---------------------------------------------------------------- a single lock's replies, as a server's */

static int enter(struct rdl_cli_lock *l, enum rdl_vote vote, int error, int rc)
{
    struct rdl_server *s = &l->servers->server[0];

    s->vote = (uint8_t)vote;
    s->error = (int16_t)error;
    s->value = rdl_lock_holder_ms(&l->single.lock);
    return rc;
}

/* Returns 1 for results that a redlock has, too. */
static int is_ours(int rc)
{
    return rc == RDL_E_NAME || rc == RDL_E_TTL || rc == RDL_E_RANDOM || rc == RDL_EXPIRED;
}

/*
 * Checks, for several locks, whether the server's vote counts. Returns RDL_OK, or the result that a redlock
 * has if the restart guard excludes the server; that is entered. If the server refuses the INFO that the
 * guard requires, the conn has the text.
 */
static int check_guard(struct rdl_cli_lock *l)
{
    uint64_t at_ms = rdl_redlock_counts_at(&l->redlock, 0);

    l->servers->server[0].counts = rdl_cli_now(l) >= at_ms;
    if (l->servers->server[0].counts)
        return RDL_OK;
    return at_ms == UINT64_MAX ? enter(l, RDL_VOTE_NONE, RDL_E_PERM, RDL_NO_QUORUM)
                               : enter(l, RDL_VOTE_NONE, RDL_OK, RDL_E_QUARANTINE);
}

/* The conn that granted them knows the server's start, because it ends with that run of the server. */
static int several_granted(struct rdl_cli_lock *l)
{
    int rc = check_guard(l);

    if (rc == RDL_OK)
        l->since_ms = l->single.lock.sent_ms;
    else
        rdl_lock_cancel(&l->single.lock);
    return rc;
}

static int acquired(struct rdl_cli_lock *l, int rc)
{
    if (rc == RDL_OK && is_several(l)) {
        rc = several_granted(l);
        if (rc != RDL_OK)
            return rc;
    }
    if (rc == RDL_PENDING || is_ours(rc))
        return rc;
    if (rc == RDL_E_UNSUPPORTED && is_several(l) && l->single.lock.req.answer == RDL_ANSWER_ERROR)
        return rc; /* scripts; not the login */
    if (rc == RDL_RECOVERED)
        rdl_cli_print_verbose("%s taken over from a client whose lease had expired", l->o->lock);
    if (rc >= 0)
        return enter(l, RDL_VOTE_GRANTED, RDL_OK, RDL_OK);
    if (rc == RDL_BUSY)
        return enter(l, RDL_VOTE_DENIED, RDL_OK, rc);
    if (rc == RDL_E_FOREIGN_VALUE) {
        enter(l, RDL_VOTE_DENIED, RDL_OK, rc);
        l->servers->server[0].value = -1;
        return RDL_BUSY;
    }
    if (rc == RDL_UNKNOWN)
        return enter(l, RDL_VOTE_UNKNOWN, rdl_lock_error(&l->single.lock), RDL_NO_QUORUM);
    return enter(l, RDL_VOTE_ERROR, rc, RDL_NO_QUORUM);
}

static int kept(struct rdl_cli_lock *l, int rc)
{
    if (rc == RDL_PENDING)
        return rc;
    if (rc == RDL_REMOVED)
        rdl_cli_print_verbose("a waiting client had overwritten %s: its value was deleted", l->o->lock);
    if (rc >= 0)
        return enter(l, RDL_VOTE_GRANTED, RDL_OK, RDL_OK);
    if (rc == RDL_UNKNOWN)
        return enter(l, RDL_VOTE_UNKNOWN, rdl_lock_error(&l->single.lock), rc);
    if (rc == RDL_LOST && is_several(l) && l->single.lock.req.answer == RDL_ANSWER_NO)
        return enter(l, RDL_VOTE_DENIED, RDL_OK, rc);
    if (rc == RDL_LOST || rc == RDL_EXPIRED || rc == RDL_OVERWRITTEN)
        return enter(l, RDL_VOTE_ABSENT, RDL_OK, rc);
    return enter(l, RDL_VOTE_ERROR, rc, rc);
}

/* Tries again in the old protocol, with --legacy=auto, if the server knows no other. */
static int try_legacy(struct rdl_cli_lock *l, int rc)
{
    if (rc != RDL_E_UNSUPPORTED || l->o->legacy != RDL_CLI_LEGACY_AUTO || l->is_legacy)
        return rc;
    rdl_cli_print_verbose("the server does not support SET NX PX: using the old protocol");
    become(l, 1);
    set_clock(l);
    return rdl_lock_acquire_begin(&l->single.lock, l->entropy, rdl_cli_now(l));
}

/* Keeps the result until the next operation begins, because another function may read it. */
static int took(struct rdl_cli_lock *l, int rc)
{
    l->result = l->is_acquiring ? acquired(l, try_legacy(l, rc)) : kept(l, rc);
    return l->result;
}

int rdl_cli_lease_error(const struct rdl_cli_lock *l, size_t i)
{
    int error = l->servers->server[i].error;

    if (!l->is_single) {
        error = rdl_redlock_error(&l->redlock, i);
        return error == RDL_E_ABANDONED ? RDL_OK : error; /* nothing is wrong with that server */
    }
    return error != RDL_OK ? error : rdl_conn_error(&l->servers->conn[i]);
}

/* Returns 1 if an acquire in the old protocol had no value: TIME was refused, and no clock is set. */
static int lacks_clock(const struct rdl_cli_lock *l)
{
    return l->is_legacy && l->single.lock.action == RDL_ACQUIRE && l->single.value_len == 0 &&
           (l->servers->server[0].error == RDL_E_UNSUPPORTED || l->servers->server[0].error == RDL_E_PERM);
}

const char *rdl_cli_lease_endless(const struct rdl_cli_lock *l)
{
    if (l->is_legacy && l->single.lock.result != RDL_E_FOREIGN_VALUE)
        return "is held by another client without a timeout: it is free when that client releases it";
    if (rdl_cli_name_is_counter(l->o->lock))
        return "never expires: it is a fencing counter, which must stay; name the lock itself";
    return l->is_legacy ? "never expires, and is not a lock of the old protocol: DEL it if nothing needs it"
                        : "never expires: it is a lock of an old client (--legacy), or not a lock; DEL it if "
                          "nothing needs it";
}

static void report_denied(const struct rdl_cli_lock *l, int64_t ms, char *out, size_t cap)
{
    if (ms >= 0)
        snprintf(out, cap, "held by another client for another %lld ms", (long long)ms);
    else if (ms != -1)
        snprintf(out, cap, "held by another client");
    else if (l->is_legacy && l->single.lock.result != RDL_E_FOREIGN_VALUE)
        snprintf(out, cap, "held by another client without a timeout");
    else
        snprintf(out, cap, "%s",
                 l->is_legacy
                     ? rdl_strerror(RDL_E_FOREIGN_VALUE)
                     : "held by another client, never expires: another program or an old client wrote it");
}

/* Returns the text for what is there instead of our value. */
static const char *instead(const struct rdl_cli_lock *l)
{
    if (l->single.lock.result == RDL_OVERWRITTEN)
        return "a waiting client overwrote it: it can only expire";
    if (!l->is_legacy || l->single.lock.req.answer != RDL_ANSWER_NO)
        return "the key does not exist";
    return l->o->shortest_ttl ? "has another client's value"
                              : "has the value of a later holder, or of a waiting client "
                                "(--legacy-shortest-ttl rules that out)";
}

static void report_single(const struct rdl_cli_lock *l, char *out, size_t cap)
{
    const struct rdl_server *s = &l->servers->server[0];
    const char *said = rdl_conn_text(&l->servers->conn[0]);
    int is_said = s->vote == RDL_VOTE_ERROR && said[0] != '\0';

    if (s->vote == RDL_VOTE_DENIED)
        report_denied(l, s->value, out, cap);
    else if (s->vote == RDL_VOTE_ABSENT)
        snprintf(out, cap, "%s", instead(l));
    else if (s->vote == RDL_VOTE_ERROR && lacks_clock(l))
        snprintf(out, cap, "it does not report its time (%s)",
                 l->o->clock_error_ms != 0 ? "and this host's clock is not set"
                                           : "give --clock-error: how far this host's clock may be off");
    else
        snprintf(out, cap, "%s%s%s", rdl_cli_error_text(s->error, said), is_said ? ": " : "",
                 is_said ? said : "");
}

/* The library has one text for all that may pass. */
static void report_redlock(const struct rdl_cli_lock *l, size_t i, char *out, size_t cap)
{
    const char *now = rdl_strerror(RDL_E_TRY_LATER);
    char text[260];

    rdl_redlock_report(&l->redlock, i, rdl_cli_now(l), text, sizeof text);
    if (strncmp(text, now, strlen(now)) == 0)
        snprintf(out, cap, "%s%s", rdl_cli_error_text(RDL_E_TRY_LATER, text), text + strlen(now));
    else
        snprintf(out, cap, "%s", text);
}

void rdl_cli_lease_report(const struct rdl_cli_lock *l, size_t i, char *out, size_t cap)
{
    int is_barred = is_several(l) && !l->servers->server[i].counts;

    if (l->is_single && !is_barred)
        report_single(l, out, cap);
    else
        report_redlock(l, i, out, cap);
}

void rdl_cli_lease_overwritten(const struct rdl_cli_lock *l)
{
    static const char what[] = "a waiting client overwrote it, as old clients do when a lock changes hands";
    static const char hint[] = "with --legacy-shortest-ttl it is deleted, which is safe if no client has a "
                               "shorter ttl than --ttl or deletes a lock that it does not hold";
    int64_t ms = rdl_lock_holder_ms(&l->single.lock);

    if (ms == -1)
        rdl_cli_print_warning(
            "%s is released, but its key never expires: %s, without a timeout; delete it when no "
            "client holds the lock (%s)",
            l->o->lock, what, hint);
    else if (ms >= 0)
        rdl_cli_print_warning("%s is released, but its key stays for another %.1f s: %s (%s)", l->o->lock,
                              (double)ms / 1000, what, hint);
    else
        rdl_cli_print_warning("%s is released, but its key stays for a while: %s (%s)", l->o->lock, what,
                              hint);
}

/* ---------------------------------------------------------------- operations */

/* Sets our current wall clock as the minimum, so tokens grow even if the servers lose theirs. */
static void set_min_fence(struct rdl_cli_lock *l)
{
    static int is_warned;
    struct timespec wall;
    uint64_t min;

    if (!l->o->fence || rdl_redlock_fence(&l->redlock) != 0 || clock_gettime(CLOCK_REALTIME, &wall) != 0)
        return;
    min = rdl_cli_wall_ms(wall.tv_sec, wall.tv_nsec);
    if (min == 0 && !is_warned)
        rdl_cli_print_warning(
            "--fence: this host's clock is not set, so if the servers lose the last fencing token, "
            "a smaller one may follow; set the clock");
    is_warned |= min == 0;
    rdl_redlock_set_min_fence(&l->redlock, min);
}

int rdl_cli_lease_acquire(struct rdl_cli_lock *l)
{
    const struct rdl_cli_options *o = l->o;
    int rc = l->platform.random(l->platform.ctx, l->entropy, sizeof l->entropy);

    if (rc == RDL_OK && is_several(l) && rdl_conn_state(&l->servers->conn[0]) == RDL_CONN_READY)
        rc = check_guard(l);
    l->result = rc;
    if (rc != RDL_OK)
        return rc;
    l->before = rdl_cli_lease_stats(l);
    l->opt.lease.ttl_ms = o->keep_ms > o->ttl_ms ? o->keep_ms : o->ttl_ms;
    if (!l->is_single) {
        set_min_fence(l);
        if (o->slots != 0)
            return rdl_slots_acquire_begin(&l->slots, l->entropy, rdl_cli_now(l));
        return rdl_redlock_acquire_begin(&l->redlock, l->entropy, rdl_cli_now(l));
    }
    if (l->is_legacy)
        set_clock(l);
    l->is_acquiring = 1;
    return took(l, rdl_lock_acquire_begin(&l->single.lock, l->entropy, rdl_cli_now(l)));
}

static uint64_t held_since_ms(const struct rdl_cli_lock *l)
{
    return is_several(l) ? l->since_ms : l->redlock.since_ms;
}

int rdl_cli_lease_is_capped(const struct rdl_cli_lock *l, uint64_t now_ms)
{
    const struct rdl_cli_options *o = l->o;

    return o->max_hold_ms != 0 && now_ms + o->ttl_ms > held_since_ms(l) + o->max_hold_ms;
}

/* Extends by a ttl. A key that lives longer keeps that time. */
int rdl_cli_lease_extend(struct rdl_cli_lock *l, uint64_t now_ms)
{
    uint32_t ttl_ms = l->o->ttl_ms;

    l->opt.lease.ttl_ms = ttl_ms;
    if (is_several(l) && rdl_cli_lease_is_capped(l, now_ms)) /* a redlock checks it itself */
        return RDL_E_CAP;
    if (!l->is_single)
        return rdl_redlock_extend_begin(&l->redlock, ttl_ms, now_ms);
    if (l->is_legacy && now_ms - l->single.clock_at_ms > CLOCK_OLD_MS) /* otherwise the server's, or fresh */
        set_clock(l);
    l->is_acquiring = 0;
    return took(l, rdl_lock_extend_begin(&l->single.lock, ttl_ms, now_ms));
}

int rdl_cli_lease_release(struct rdl_cli_lock *l, uint64_t now_ms)
{
    if (!l->is_single)
        return rdl_redlock_release_begin(&l->redlock, now_ms);
    l->is_acquiring = 0;
    return took(l, rdl_lock_release_begin(&l->single.lock, now_ms));
}

int rdl_cli_lease_step(struct rdl_cli_lock *l)
{
    uint64_t now = rdl_cli_now(l);

    if (!l->is_single) {
        set_min_fence(l);
        return l->o->slots != 0 ? rdl_slots_step(&l->slots, now) : rdl_redlock_step(&l->redlock, now);
    }
    return l->result == RDL_PENDING ? took(l, rdl_lock_step(&l->single.lock, now)) : l->result;
}

static uint64_t next_wake_ms(const struct rdl_cli_lock *l)
{
    if (l->o->slots != 0)
        return rdl_slots_wake_ms(&l->slots);
    return l->is_single ? rdl_lock_wake_ms(&l->single.lock) : rdl_redlock_wake_ms(&l->redlock);
}

uint64_t rdl_cli_lease_until_ms(const struct rdl_cli_lock *l)
{
    uint64_t now = rdl_cli_now(l);

    return l->is_single ? now + rdl_lock_remaining_ms(&l->single.lock, now)
                        : rdl_redlock_until_ms(&l->redlock);
}

struct rdl_cli_stats rdl_cli_lease_stats(const struct rdl_cli_lock *l)
{
    struct rdl_stats last = l->is_single ? rdl_lock_stats(&l->single.lock) : rdl_redlock_stats(&l->redlock);
    const struct rdl_cli_stats stats = {l->before.attempts + last.attempts, l->before.refused + last.refused};

    return stats;
}

uint32_t rdl_cli_lease_id(const struct rdl_cli_lock *l)
{
    char value[RDL_TOKEN_TEXT_MAX];

    rdl_cli_lease_token(l, value);
    return rdl_hash(RDL_HASH_BASE, value, strlen(value));
}

uint64_t rdl_cli_lease_keep_ms(const struct rdl_cli_lock *l)
{
    return l->o->keep_ms != 0 ? held_since_ms(l) + l->o->keep_ms : 0;
}

uint64_t rdl_cli_lease_fence(const struct rdl_cli_lock *l)
{
    return l->o->fence ? rdl_redlock_fence(&l->redlock) : 0;
}

int rdl_cli_lease_is_releasing(const struct rdl_cli_lock *l)
{
    return (l->is_single ? l->single.lock.action : l->redlock.action) == RDL_RELEASE;
}

/* ---------------------------------------------------------------- running the connections */

/*
 * Linux can send a signal for this (PR_SET_PDEATHSIG). But it does so when the thread ends that started us,
 * while its process may go on. So this checks every PARENT_MS.
 */
static uint64_t watch_parent(struct rdl_cli_lock *l)
{
    if (l->parent == 0 || l->is_orphan)
        return UINT64_MAX;
    if (getppid() == l->parent)
        return rdl_cli_now(l) + PARENT_MS;
    l->is_orphan = 1;
    raise(SIGTERM); /* as if another process had sent the signal */
    return UINT64_MAX;
}

int rdl_cli_lease_turn(struct rdl_cli_lock *l, uint64_t until_ms, int can_wake)
{
    const struct timespec pause = {0, 10000000};
    int rc;
    (void)rdl_cli_servers_log_in_again(l->servers);
    uint64_t check_at = rdl_cli_lookup_turn(l->servers, rdl_cli_now(l));
    uint64_t wake = next_wake_ms(l);

    wake = check_at < wake ? check_at : wake;
    wake = until_ms < wake ? until_ms : wake;
    check_at = watch_parent(l);
    wake = check_at < wake ? check_at : wake;
    if (rdl_cli_flush(0) && wake > rdl_cli_now(l) + KEPT_MS)
        wake = rdl_cli_now(l) + KEPT_MS;
    rc = l->platform.poll(l->platform.ctx, l->servers->conns, l->n_conns, wake,
                          can_wake ? RDL_POLL_CAN_WAKE : 0);
    if (rc != RDL_OK && rc != RDL_E_INTERRUPTED)
        nanosleep(&pause, NULL); /* for example out of memory: no busy loop while it lasts */
    return rdl_cli_lease_step(l);
}

/* ---------------------------------------------------------------- adopted tokens */

void rdl_cli_lease_adopt(struct rdl_cli_lock *l, const char token[RDL_TOKEN_TEXT_MAX])
{
    if (l->is_single)
        rdl_lock_adopt_owner(&l->single.lock, &l->owner, token, strlen(token));
    else
        rdl_redlock_adopt_owner(&l->redlock, &l->owner, token, strlen(token));
}

void rdl_cli_lease_token(const struct rdl_cli_lock *l, char out[RDL_TOKEN_TEXT_MAX])
{
    if (l->is_single)
        rdl_lock_token(&l->single.lock, out);
    else
        rdl_redlock_token(&l->redlock, out);
}

const char *rdl_cli_lease_owner(const struct rdl_cli_lock *l)
{
    static char text[RDL_TOKEN_TEXT_MAX];

    rdl_cli_lease_token(l, text);
    return strlen(text) > RDL_VALUE_MAX ? text + RDL_VALUE_MAX + 1 : "";
}

/* Returns 1 if a server is connecting, or has not replied to a request. */
static int is_one_late(const struct rdl_cli_lock *l)
{
    int is_late = 0;

    for (size_t i = 0; i < l->servers->n; i++) {
        enum rdl_conn_phase state = rdl_conn_state(&l->servers->conn[i]);
        is_late |= state == RDL_CONN_OPENING || state == RDL_CONN_HANDSHAKE;
        is_late |= state == RDL_CONN_READY && !rdl_conn_is_idle(&l->servers->conn[i]);
    }
    return is_late;
}

void rdl_cli_lease_finish(struct rdl_cli_lock *l)
{
    uint32_t slowest = 0;
    uint64_t until_ms;

    for (size_t i = 0; i < l->servers->n; i++) {
        const struct rdl_server *s = &l->servers->server[i];
        if (s->vote == RDL_VOTE_GRANTED && s->took_ms > slowest)
            slowest = s->took_ms;
    }
    until_ms = rdl_cli_now(l) + rdl_attempt_ms_for_rtt(&l->opt.lease, slowest);
    while (is_one_late(l) && rdl_cli_now(l) < until_ms)
        rdl_cli_lease_turn(l, until_ms, 0);
}

/* Returns 1 if a release is under way, or a wait for a hint has to end. */
static int has_work(const struct rdl_cli_lock *l)
{
    const struct rdl_conn *first = l->servers->conns[0], *second = l->servers->conns[1];

    if (l->n_conns == 2 && (rdl_conn_wants(second) & RDL_WANT_CLOSE))
        return 1;
    return rdl_conn_state(first) == RDL_CONN_READY && !rdl_conn_is_idle(first);
}

void rdl_cli_lease_cancel(struct rdl_cli_lock *l)
{
    uint64_t until_ms = rdl_cli_now(l) + DRAIN_MS;

    if (!l->is_single) {
        if (l->o->slots != 0)
            rdl_slots_cancel(&l->slots);
        else
            rdl_redlock_cancel(&l->redlock);
        rdl_redlock_drain(&l->redlock, &l->platform, until_ms);
        return;
    }
    rdl_lock_cancel(&l->single.lock);
    l->result = RDL_EXPIRED;
    while (has_work(l) && rdl_cli_now(l) < until_ms &&
           l->platform.poll(l->platform.ctx, l->servers->conns, l->n_conns, until_ms, 0) == RDL_OK) {
    }
}
