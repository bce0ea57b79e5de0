/* SPDX-License-Identifier: MIT */
/*
 * --once: the tick's key on all servers. It is read after the lock was acquired and before the command
 * starts, and recorded while the lock is still held. So the next holder finds it on at least one server of
 * its majority, unless too many servers have lost it (redlock/DESIGN.md, section 9).
 *
 * One round sends the same request to each server, again and again until it replies. When the outcome is
 * certain, the others have one attempt's time: each further server that has the record may lose it later.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/once.h"
#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/failures.h"
#include "redlock/cli/servers/lock.h"
#include "redlock/cli/servers/log_events.h"
#include "redlock/cli/servers/passwords.h"
#include "redlock/redlock.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum {
    RETRY_MS = 50,          /* from one request to the next, to the same server */
    UNREACHABLE_MS = 10000, /* without -w: the reading ends after this time without a majority */
    WHY_MAX = 1500
};

void rdl_cli_once_key(const char *lock, const char *tick, char out[RDL_CLI_ONCE_KEY_MAX])
{
    char suffix[sizeof RDL_CLI_ONCE + RDL_CLI_TICK_MAX];

    snprintf(suffix, sizeof suffix, RDL_CLI_ONCE "%s", tick);
    rdl_cli_side_key(lock, suffix, out, RDL_CLI_ONCE_KEY_MAX);
}

/* ---------------------------------------------------------------- the requests */

/* Reads the reply to GET, then that to PTTL; -2: the time is unknown. */
static int read_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int is_first = r->replies == 0;

    if (!is_first) {
        rdl_record_complete(r, c->reply_kind == RDL_RESP_INT ? c->reply_value : -2);
        return RDL_OK;
    }
    if (c->reply_kind != RDL_RESP_BULK && c->reply_kind != RDL_RESP_NIL)
        return rdl_reply_error(c, r);
    r->verdict = c->reply_kind == RDL_RESP_BULK ? RDL_ANSWER_YES : RDL_ANSWER_ABSENT;
    rdl_record_copy_text(c, r, RDL_TEXT_MAX - 1);
    return RDL_OK;
}

static const struct rdl_method read_method = {.commands = RDL_COMMANDS(rdl_wire_get, rdl_wire_pttl),
                                              .on_reply = read_on_reply};
const struct rdl_op rdl_cli_op_once_read = {.methods = RDL_METHOD(&read_method)};

/* A nil: the key exists. It may be our own, from a request whose reply was lost. */
static int record_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (!rdl_reply_is_ok(c) && c->reply_kind != RDL_RESP_NIL)
        return rdl_reply_error(c, r);
    r->verdict = RDL_ANSWER_YES;
    return RDL_OK;
}

static const struct rdl_method record_method = {.commands = RDL_COMMANDS(rdl_wire_set_nx_px),
                                                .on_reply = record_on_reply};
const struct rdl_op rdl_cli_op_once_record = {.methods = RDL_METHOD(&record_method)};

/* ---------------------------------------------------------------- a round */

struct tally {
    struct rdl_cli_held *held;
    const struct rdl_op *op;
    struct rdl_bytes value; /* to record, */
    uint32_t keep_ms;       /* for this time */
    uint64_t until_ms;      /* when to stop waiting for enough servers */
    int (*is_enough)(void);
    struct rdl_req req[RDL_SERVERS_MAX];
    uint64_t asked_ms[RDL_SERVERS_MAX]; /* 0: never */
    int error[RDL_SERVERS_MAX];         /* of the last reply that was an error */
    char text[RDL_SERVERS_MAX][RDL_TEXT_MAX];
    int is_ended; /* by a signal */
};

static struct tally tally; /* requests point into it */

static struct rdl_cli_lock *lock(void)
{
    return tally.held->lock;
}

static size_t servers(void)
{
    return lock()->servers->n;
}

static int is_heard(size_t i)
{
    return tally.req[i].answer == RDL_ANSWER_YES || tally.req[i].answer == RDL_ANSWER_ABSENT;
}

/* Returns 1 if the server replied that it has no such key, and had a vote when it was asked. */
static int is_open(size_t i)
{
    return tally.req[i].answer == RDL_ANSWER_ABSENT &&
           tally.asked_ms[i] >= rdl_redlock_counts_at(&lock()->redlock, i);
}

static int has_record(size_t i)
{
    return tally.req[i].answer == RDL_ANSWER_YES;
}

static size_t count(int (*is)(size_t i))
{
    size_t n = 0;

    for (size_t i = 0; i < servers(); i++)
        n += is(i) != 0;
    return n;
}

static int is_majority(size_t n)
{
    return n > servers() / 2;
}

static int is_read(void)
{
    return count(has_record) > 0 || is_majority(count(is_open));
}

static int is_recorded(void)
{
    return is_majority(count(has_record));
}

static int is_attempt(void)
{
    return 1;
}

/* Returns 1 if the server is connecting, or has not replied yet. */
static int is_late(size_t i)
{
    enum rdl_conn_phase state = rdl_conn_state(&lock()->servers->conn[i]);

    if (is_heard(i))
        return 0;
    return state == RDL_CONN_OPENING || state == RDL_CONN_HANDSHAKE ||
           (state == RDL_CONN_READY && (tally.req[i].is_queued || tally.asked_ms[i] == 0));
}

static void ask(size_t i, const char *key)
{
    struct rdl_conn *c = &lock()->servers->conn[i];
    uint64_t now_ms = rdl_cli_now(lock());
    struct rdl_command cmd;

    if (tally.req[i].is_queued || has_record(i) || is_open(i) || rdl_conn_state(c) != RDL_CONN_READY ||
        (tally.asked_ms[i] != 0 && now_ms < tally.asked_ms[i] + RETRY_MS))
        return;
    if (tally.req[i].answer == RDL_ANSWER_ERROR)
        tally.error[i] = tally.req[i].error;
    memset(&cmd, 0, sizeof cmd);
    memset(&tally.req[i], 0, sizeof tally.req[i]);
    memset(tally.text[i], 0, sizeof tally.text[i]);
    cmd.op = tally.op;
    cmd.name = (struct rdl_bytes){key, strlen(key)};
    cmd.value = tally.value;
    cmd.ttl_ms = tally.keep_ms;
    tally.req[i].text = tally.text[i];
    tally.asked_ms[i] = now_ms;
    if (rdl_conn_submit(c, &tally.req[i], &cmd) != RDL_OK)
        tally.req[i].answer = RDL_ANSWER_UNSENT;
}

/* Sends what is due, services the connections, and renews the lease. */
static void turn(const char *key, uint64_t until_ms)
{
    uint64_t now_ms = rdl_cli_now(lock()), wake_ms = rdl_cli_held_wake_ms(tally.held, now_ms);

    wake_ms = until_ms < wake_ms ? until_ms : wake_ms;
    wake_ms = tally.held->until_ms < wake_ms ? tally.held->until_ms : wake_ms;
    for (size_t i = 0; i < servers(); i++) {
        ask(i, key);
        if (!tally.req[i].is_queued && !is_heard(i) && now_ms + RETRY_MS < wake_ms)
            wake_ms = now_ms + RETRY_MS;
    }
    rdl_cli_lease_turn(lock(), wake_ms, 1);
    rdl_cli_held_renew(tally.held);
}

static int is_leased(void)
{
    return rdl_cli_now(lock()) < tally.held->until_ms;
}

static int error_of(size_t i)
{
    int error = rdl_conn_error(&lock()->servers->conn[i]);

    if (tally.req[i].answer == RDL_ANSWER_ERROR)
        return tally.req[i].error;
    if (error == RDL_OK)
        error = tally.error[i];
    return error != RDL_OK ? error : RDL_E_TIMEOUT;
}

/* Returns the exit status if failures that no retry can fix prevent a majority; otherwise 0. */
static int hopeless(void)
{
    struct rdl_cli_troubles t = {servers(), 0, {0}};

    for (size_t i = 0; i < t.n; i++) {
        if (is_heard(i) || tally.req[i].is_queued)
            t.useful++;
        else
            t.of[rdl_cli_trouble_of(&lock()->servers->conn[i], error_of(i))]++;
    }
    return rdl_cli_trouble_status(&t);
}

static uint32_t attempt_ms(void)
{
    uint32_t slowest_ms = 0;

    for (size_t i = 0; i < servers(); i++)
        if (lock()->servers->conn[i].rtt_ms > slowest_ms)
            slowest_ms = lock()->servers->conn[i].rtt_ms;
    return rdl_attempt_ms_for_rtt(&lock()->opt.lease, slowest_ms);
}

/* Runs a round with these members; obey handles signals after each turn. */
static void run(const char *key, void (*obey)(void))
{
    uint64_t end_ms;

    while (!tally.is_enough() && rdl_cli_now(lock()) < tally.until_ms && is_leased() && hopeless() == 0 &&
           !tally.is_ended) {
        turn(key, tally.until_ms);
        obey();
    }
    end_ms = rdl_cli_now(lock()) + attempt_ms();
    while (count(is_late) > 0 && rdl_cli_now(lock()) < end_ms && is_leased()) {
        turn(key, end_ms);
        obey();
    }
    for (size_t i = 0; i < servers(); i++)
        rdl_conn_abandon(&lock()->servers->conn[i], &tally.req[i]);
}

static void begin(struct rdl_cli_held *h, const struct rdl_op *op, int (*is_enough)(void), uint64_t until_ms)
{
    memset(&tally, 0, sizeof tally);
    tally.held = h;
    tally.op = op;
    tally.is_enough = is_enough;
    tally.until_ms = until_ms;
}

/* ---------------------------------------------------------------- messages */

static void add_reason(struct rdl_cli_text *t, size_t i)
{
    const struct rdl_cli_servers *s = lock()->servers;
    int error = error_of(i);
    const char *said = rdl_cli_has_words(error) ? rdl_conn_text(&s->conn[i]) : "";
    char words[RDL_CLI_SAID_MAX];

    rdl_cli_secret_scrub(said, said, s->endpoint[i].password, words, sizeof words);
    rdl_cli_add(t, "%s%s: ", t->len > 0 ? "; " : "", rdl_cli_where(s, i));
    if (is_heard(i))
        rdl_cli_add(t, "it has no vote");
    else
        rdl_cli_add(t, "%s%s%s", rdl_cli_error_text(error, words), words[0] != '\0' ? ": " : "", words);
}

/* Writes why servers do not count, in one line. */
static void reasons(int (*counts)(size_t i), char *out, size_t cap)
{
    struct rdl_cli_text t = {out, cap, 0};

    out[0] = '\0';
    for (size_t i = 0; i < servers(); i++)
        if (!counts(i))
            add_reason(&t, i);
}

/* Releases the lock after the reason was printed, or because its lease is over. Returns the exit status. */
static int give_up(struct rdl_cli_held *h, int status)
{
    if (!is_leased()) {
        rdl_cli_held_lose(h, "its lease expired before the command could be started");
        status = RDL_EXIT_LOST;
    }
    return rdl_cli_give_back(h->lock, h->lost) ? RDL_EXIT_LOST : status;
}

/* ---------------------------------------------------------------- before the command */

/* Obeys signals like any program, because the command has not started. */
static void obey(void)
{
    for (int sig = rdl_cli_signals_next(); sig != 0; sig = rdl_cli_signals_next()) {
        if (sig == SIGTSTP)
            raise(SIGSTOP);
        if (!rdl_cli_signals_ends(sig))
            continue;
        rdl_cli_lease_cancel(lock());
        rdl_cli_event(lock(), RDL_CLI_FAILED, "a signal came", 128 + sig);
        rdl_cli_signals_die(sig);
    }
}

/* Returns until when a majority may reply to the reading: for as long as an acquire would wait. */
static uint64_t reading_end(const struct rdl_cli_lock *l)
{
    uint64_t now_ms = rdl_cli_now(l), least_ms = now_ms + attempt_ms();

    if (l->o->wait_ms == RDL_CLI_FOREVER)
        return now_ms + UNREACHABLE_MS;
    return l->asked_ms + l->o->wait_ms > least_ms ? l->asked_ms + l->o->wait_ms : least_ms;
}

/* Returns the server with the record that lives longest; -1 never expires. One server has it. */
static size_t find_record(void)
{
    size_t best = 0;
    uint64_t most_ms = 0;

    for (size_t i = 0; i < servers(); i++) {
        uint64_t left_ms = (uint64_t)tally.req[i].value; /* -1 is the greatest */
        if (has_record(i) && (most_ms == 0 || left_ms > most_ms)) {
            best = i;
            most_ms = left_ms;
        }
    }
    return best;
}

/* Writes the record that was found on the servers without it, for the time that is left of it. */
static void spread(struct rdl_cli_held *h, const char *key)
{
    static char value[RDL_TEXT_MAX];
    size_t best = find_record();
    uint64_t keep_ms = h->lock->o->once_keep_ms;
    int64_t left_ms = tally.req[best].value;
    size_t len = tally.req[best].text_len;

    if (count(has_record) == servers() || left_ms == -2 || left_ms == 0)
        return;
    if (left_ms > 0 && (uint64_t)left_ms < keep_ms)
        keep_ms = (uint64_t)left_ms;
    memcpy(value, tally.text[best], len);
    begin(h, &rdl_cli_op_once_record, is_attempt, 0);
    tally.value = (struct rdl_bytes){value, len};
    tally.keep_ms = (uint32_t)keep_ms;
    run(key, obey);
}

static int already_done(struct rdl_cli_held *h, const char *key)
{
    const struct rdl_cli_options *o = h->lock->o;
    size_t best = find_record();

    rdl_cli_print_verbose("%s: tick %s is already done (%s has \"%s\"): the command is not run", o->lock,
                          o->once, rdl_cli_where(h->lock->servers, best), tally.text[best]);
    rdl_cli_event(h->lock, RDL_CLI_ALREADY_DONE, NULL, -1);
    spread(h, key);
    rdl_cli_give_back(h->lock, h->lost);
    return 0;
}

static int unknown(struct rdl_cli_held *h)
{
    const struct rdl_cli_options *o = h->lock->o;
    int status = hopeless() != 0 ? hopeless() : RDL_EXIT_UNAVAILABLE;
    char why[WHY_MAX];

    reasons(is_open, why, sizeof why);
    if (is_leased()) {
        rdl_cli_print_error(
            "%s: it is unknown whether tick %s is done, so the command was not run: no "
            "majority of the servers replied (%s); check them with redlock doctor --once %s %s",
            o->lock, o->once, why, o->once, o->lock);
        rdl_cli_event(h->lock, RDL_CLI_FAILED, "it is unknown whether the tick is done", status);
    }
    return give_up(h, status);
}

static void set_value(const struct rdl_cli_lock *l)
{
    static char value[RDL_TEXT_MAX];
    const char *owner = rdl_cli_lease_owner(l);

    snprintf(value, sizeof value, RDL_CLI_ONCE_MARK "%08" PRIx32 "%s%s", rdl_cli_lease_id(l),
             owner[0] != '\0' ? " " : "", owner);
    tally.value = (struct rdl_bytes){value, strlen(value)};
    tally.keep_ms = (uint32_t)l->o->once_keep_ms;
}

/* --once-at start: records the tick before the command starts. Returns 0, or an exit status. */
static int record_first(struct rdl_cli_held *h, const char *key)
{
    const struct rdl_cli_options *o = h->lock->o;
    char why[WHY_MAX];

    begin(h, &rdl_cli_op_once_record, is_recorded, reading_end(h->lock));
    set_value(h->lock);
    run(key, obey);
    if (is_recorded() && is_leased())
        return 0;
    int status = hopeless() != 0 ? hopeless() : RDL_EXIT_UNAVAILABLE;
    reasons(has_record, why, sizeof why);
    if (is_leased()) {
        rdl_cli_print_error("%s: no majority of the servers recorded tick %s, so the command was not run "
                            "(%s); the tick may be lost: a later run may find it done",
                            o->lock, o->once, why);
        rdl_cli_event(h->lock, RDL_CLI_FAILED, "no majority recorded the tick", status);
    }
    return give_up(h, status);
}

int rdl_cli_once_may_start(struct rdl_cli_held *h, int *status)
{
    char key[RDL_CLI_ONCE_KEY_MAX];

    rdl_cli_once_key(h->lock->o->lock, h->lock->o->once, key);
    begin(h, &rdl_cli_op_once_read, is_read, 0);
    tally.until_ms = reading_end(h->lock);
    run(key, obey);
    *status = 0;
    if (count(has_record) > 0) {
        *status = already_done(h, key);
        return 0;
    }
    if (!is_read() || !is_leased())
        *status = unknown(h);
    else if (h->lock->o->once_at == RDL_CLI_ONCE_AT_START)
        *status = record_first(h, key);
    return *status == 0;
}

/* ---------------------------------------------------------------- after the command */

/* The command has ended: a signal that ends programs ends the recording. */
static void end_by_signal(void)
{
    for (int sig = rdl_cli_signals_next(); sig != 0; sig = rdl_cli_signals_next())
        tally.is_ended |= rdl_cli_signals_ends(sig);
}

int rdl_cli_once_record(struct rdl_cli_held *h)
{
    const struct rdl_cli_options *o = h->lock->o;
    char key[RDL_CLI_ONCE_KEY_MAX], why[WHY_MAX];

    rdl_cli_once_key(o->lock, o->once, key);
    begin(h, &rdl_cli_op_once_record, is_recorded, UINT64_MAX);
    set_value(h->lock);
    run(key, end_by_signal);
    if (is_recorded()) {
        rdl_cli_print_verbose("%s: tick %s is recorded by %zu of %zu servers", o->lock, o->once,
                              count(has_record), servers());
        return 1;
    }
    reasons(has_record, why, sizeof why);
    rdl_cli_print_error("%s: the command succeeded, but tick %s is recorded by %zu of %zu servers, which is "
                        "not a majority (%s): another host may run it again",
                        o->lock, o->once, count(has_record), servers(), why);
    rdl_cli_event(h->lock, RDL_CLI_NOT_RECORDED, NULL, RDL_EXIT_LOST);
    return 0;
}
