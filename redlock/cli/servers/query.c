/* SPDX-License-Identifier: MIT */
/*
 * Reads the keys on the servers; only the command does this. Of a key it reads the value, the remaining time
 * and the value again, so that value and time belong to one holder. Of a server it reads INFO, if that is
 * permitted; under a prefix, the names of all keys. It also deletes what was read, if it is unchanged: like
 * a release, but of a value that may be longer.
 *
 * Keys of other programs may hold hundreds of megabytes. A server that sends them serves no other client
 * meanwhile. So no more of a value is read than is needed to distinguish it from a lock's.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/query.h"
#include "lock/lock_op.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/process/process.h"
#include "redlock/cli/servers/commands.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/failures.h"
#include "redlock/cli/servers/lock_names.h"
#include "redlock/cli/servers/passwords.h"
#include "redlock/cli/servers/server_info.h"
#include "redlock/redlock.h"
#include "redlock/redlock_op.h"
#include "resp/resp_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_MS = 1000, LOOKS_MAX = 3 };

/* The replies of one conn as they arrive. */
struct intake {
    struct rdl_cli_info_line line;
    struct rdl_cli_seen value[2];
    unsigned which;
    char name[RDL_NAME_MAX + 1]; /* a text of SCAN: first the next cursor, then names */
    size_t name_len;             /* may be more than that */
    unsigned names;
    char cursor[24];
    size_t cursor_len;
};

static struct rdl_cli_query *query; /* whose conns these are */
static struct intake intakes[RDL_SERVERS_MAX];

static size_t index_of(const struct rdl_conn *c)
{
    return (size_t)(c - query->servers->conn);
}

/* ---------------------------------------------------------------- server info */

static int take_after(const char *line, const char *name, char *out, size_t cap)
{
    int n = rdl_has_prefix(line, name);

    if (n > 0)
        snprintf(out, cap, "%s", line + n);
    return n > 0;
}

static unsigned long number_after(const char *line, const char *name, unsigned long otherwise)
{
    char number[24];

    return take_after(line, name, number, sizeof number) ? strtoul(number, NULL, 10) : otherwise;
}

/* A Sentinel reports no role. */
static void take_mode(struct rdl_cli_host *h, const char *mode)
{
    h->is_cluster = mode[0] == 'c';
    h->is_sentinel = strcmp(mode, "sentinel") == 0;
    if (h->is_sentinel)
        snprintf(h->role, sizeof h->role, "%s", mode);
}

int rdl_cli_host_is_replica(const struct rdl_cli_host *h)
{
    return h->role[0] != '\0' && !h->is_sentinel && strcmp(h->role, "master") != 0;
}

int rdl_cli_host_holds_locks(const struct rdl_cli_host *h)
{
    return !h->is_cluster && !h->is_sentinel && !rdl_cli_host_is_replica(h);
}

/* Fields with a product's own version. Their redis_version names the Redis that they resemble. */
static const struct {
    const char *field, *product;
} own_versions[] = {{"valkey_version:", "valkey"},
                    {"dragonfly_version:", "dragonfly"},
                    {"garnet_version:", "garnet"},
                    {"kvrocks_version:", "kvrocks"}};

/* KeyDB's redis_version is its own. */
static void take_product(struct rdl_cli_host *h, const char *line)
{
    for (size_t k = 0; k < sizeof own_versions / sizeof own_versions[0]; k++) {
        if (!take_after(line, own_versions[k].field, h->version, sizeof h->version))
            continue;
        h->product = own_versions[k].product;
        h->has_own_version = 1;
    }
    if (!h->has_own_version)
        take_after(line, "redis_version:", h->version, sizeof h->version);
    h->redis_major = number_after(line, "redis_version:", h->redis_major);
    if (h->product == NULL)
        h->product = "redis";
    if (strcmp(line, "features:cluster_mget") == 0)
        h->product = "keydb";
}

static void take_line(struct rdl_cli_host *h, const char *line)
{
    char mode[12] = "", number[24];

    h->has_info = 1;
    take_product(h, line);
    take_after(line, "role:", h->role, sizeof h->role);
    if (take_after(line, "uptime_in_seconds:", number, sizeof number)) {
        h->has_uptime = 1;
        h->uptime_s = strtoll(number, NULL, 10);
    }
    if (take_after(line, "redis_mode:", mode, sizeof mode) ||
        take_after(line, "server_mode:", mode, sizeof mode))
        take_mode(h, mode);
    h->has_clock |= rdl_cli_info_clock(line, &h->ahead_ms);
    take_after(line, "run_id:", h->run_id, sizeof h->run_id);
    take_after(line, "master_host:", h->master, sizeof h->master);
    h->master_port = (unsigned)number_after(line, "master_port:", h->master_port);
    h->is_bounded |= number_after(line, "maxmemory:", 0) != 0;
    take_after(line, "maxmemory_policy:", h->policy, sizeof h->policy);
    h->has_log |= number_after(line, "aof_enabled:", 0) != 0;
}

static void take_info(size_t i, const struct rdl_resp_event *ev)
{
    struct intake *in = &intakes[i];

    for (size_t k = 0; k < ev->len; k++)
        if (rdl_cli_info_add(&in->line, ev->data[k]))
            take_line(&query->host[i], in->line.text);
}

static int questions_on_reply(struct rdl_conn *c)
{
    struct rdl_cli_host *h = &query->host[index_of(c)];

    if (c->reply_kind == RDL_RESP_BULK) {
        c->cfg->server_info->needs_info = 1;
        return RDL_OK;
    }
    if (c->reply_kind != RDL_RESP_ERROR)
        return RDL_E_UNEXPECTED;
    int code = rdl_error_code(c->reply);
    if (rdl_guard_is_refusal(c, code)) {
        h->is_info_forbidden = code == RDL_E_PERM;
        h->is_ancient = strncmp(c->reply, "ERR wrong number of arg", 23) == 0;
        return RDL_OK;
    }
    rdl_conn_set_text(c, c->reply);
    return code;
}

static void questions_timestamp(struct rdl_conn *c, uint64_t now_ms)
{
    (void)now_ms;
    c->cfg->server_info->has |= RDL_INFO_TIMESTAMP; /* no times are needed */
}

/* ---------------------------------------------------------------- what a key holds */

static void take_value(size_t i, const struct rdl_resp_event *ev)
{
    struct rdl_cli_seen *v = &intakes[i].value[intakes[i].which];

    if (ev->first) {
        v->len = 0;
        v->id = RDL_HASH_BASE;
    }
    for (size_t k = 0; k < ev->len && v->len + k < sizeof v->value; k++)
        v->value[v->len + k] = (char)ev->data[k];
    v->len += ev->len;
    v->id = rdl_hash(v->id, ev->data, ev->len);
}

/* Reads SCAN's reply: the cursor, then names. */
static void take_name(size_t i, const struct rdl_resp_event *ev)
{
    struct intake *in = &intakes[i];

    if (ev->kind != RDL_RESP_BULK)
        return;
    if (ev->first)
        in->name_len = 0;
    for (size_t k = 0; k < ev->len && in->name_len + k < sizeof in->name - 1; k++)
        in->name[in->name_len + k] = (char)ev->data[k];
    in->name_len += ev->len;
    if (!ev->last)
        return;
    in->name[in->name_len < sizeof in->name ? in->name_len : sizeof in->name - 1] = '\0';
    if (in->names++ > 0) {
        rdl_cli_names_add(query->names, in->name, in->name_len);
    } else {
        in->cursor_len = in->name_len;
        if (in->cursor_len < sizeof in->cursor)
            memcpy(in->cursor, in->name, in->cursor_len + 1);
    }
}

static int questions_take(struct rdl_conn *c, const struct rdl_resp_event *ev)
{
    if (c->reply_kind == RDL_RESP_ARRAY && query->names != NULL) {
        take_name(index_of(c), ev);
        return 1;
    }
    if (ev->kind != RDL_RESP_BULK)
        return 0;
    if (c->state == RDL_CONN_HANDSHAKE)
        take_info(index_of(c), ev);
    else
        take_value(index_of(c), ev);
    return c->state == RDL_CONN_HANDSHAKE;
}

/* The first two are for all verbs. */
static const char *const sections[] = {rdl_wire_info_server, rdl_wire_info_replication, rdl_wire_info_memory,
                                       rdl_wire_info_persistence};
static const struct rdl_conn_checks questions = {&rdl_handshake, sections,           2,
                                                 questions_take, questions_on_reply, questions_timestamp};
static const struct rdl_conn_checks more_questions = {
    &rdl_handshake, sections, 4, questions_take, questions_on_reply, questions_timestamp};

int rdl_cli_seen_is_same(const struct rdl_cli_seen *a, const struct rdl_cli_seen *b)
{
    size_t len = a->len < sizeof a->value ? a->len : sizeof a->value;

    if (a->what != b->what || a->what != RDL_CLI_SEEN_KEY)
        return a->what == b->what; /* its other members are left from another key */
    return a->len == b->len && a->id == b->id && memcmp(a->value, b->value, len) == 0;
}

/* All methods read the time by PTTL: if that is refused, no other method helps. */
static int time_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind != RDL_RESP_INT) {
        r->no_retry |= !r->is_refused;
        return rdl_reply_error(c, r);
    }
    intakes[index_of(c)].value[0].pttl_ms = c->reply_value;
    return RDL_OK;
}

static enum rdl_cli_what what_is(const struct rdl_conn *c, const struct rdl_cli_seen *v)
{
    if (c->reply_kind == RDL_RESP_NIL)
        return RDL_CLI_SEEN_FREE;
    return c->reply_kind == RDL_RESP_BULK && v->len <= sizeof v->value ? RDL_CLI_SEEN_KEY : RDL_CLI_SEEN_ODD;
}

/* GETRANGE has the same reply for a missing key and for an empty string. */
static void print_missing(struct intake *in)
{
    for (unsigned k = 0; k < 2; k++) {
        struct rdl_cli_seen *v = &in->value[k];
        if (v->what == RDL_CLI_SEEN_KEY && v->len == 0 && in->value[0].pttl_ms == -2)
            v->what = RDL_CLI_SEEN_FREE;
    }
}

/* Reads value, time, value. YES: one holder, and its remaining time; NO: the key changed meanwhile. */
static int key_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    struct intake *in = &intakes[index_of(c)];
    struct rdl_cli_seen *v = &in->value[in->which];

    in->which = r->replies == 1; /* of the reply that follows */
    if (r->replies == 1)
        return time_on_reply(c, r);
    if (c->reply_kind == RDL_RESP_ERROR && rdl_error_code(c->reply) != RDL_E_WRONGTYPE)
        return rdl_reply_error(c, r);
    if (c->reply_kind != RDL_RESP_BULK)
        v->len = 0;
    v->what = what_is(c, v);
    if (r->replies != 2 || r->verdict != RDL_ANSWER_NONE)
        return RDL_OK;
    print_missing(in);
    r->verdict = rdl_cli_seen_is_same(&in->value[0], v) ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    return RDL_OK;
}

/* Reads length and time; then, as above, a value that may be a lock's. */
static int length_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    struct rdl_cli_seen *v = &intakes[index_of(c)].value[0];
    int is_string = c->reply_kind == RDL_RESP_INT;

    if (r->phase != RDL_PHASE_CHECK)
        return key_on_reply(c, r);
    if (r->replies == 1) {
        int rc = time_on_reply(c, r);
        if (v->what == RDL_CLI_SEEN_ODD && r->verdict == RDL_ANSWER_NONE && !r->is_refused)
            r->verdict = RDL_ANSWER_YES;
        return rc;
    }
    v->what = RDL_CLI_SEEN_NOTHING;
    if (!is_string && rdl_error_code(c->reply) != RDL_E_WRONGTYPE)
        return rdl_reply_error(c, r);
    v->len = is_string ? (size_t)c->reply_value : 0;
    if (!is_string || v->len > sizeof v->value)
        v->what = RDL_CLI_SEEN_ODD;
    return RDL_OK;
}

/* The methods: the beginning of the value; if that is not permitted, its length first; last, all of it. */
static const struct rdl_method range_method = {
    .commands = RDL_COMMANDS(rdl_wire_getrange, rdl_wire_pttl, rdl_wire_getrange), .on_reply = key_on_reply};
enum { PHASE_VALUE = 3 };
static uint8_t length_next_round(const struct rdl_record *r)
{
    int is_open = r->phase == RDL_PHASE_CHECK && r->verdict == RDL_ANSWER_NONE && !r->is_refused;

    return is_open ? PHASE_VALUE : RDL_PHASE_CHECK;
}
static const struct rdl_method length_method = {
    .commands = RDL_COMMANDS(rdl_wire_strlen, rdl_wire_pttl, NULL, rdl_wire_get, rdl_wire_pttl, rdl_wire_get),
    .next_phase = length_next_round,
    .on_reply = length_on_reply};
static const struct rdl_method value_method = {
    .commands = RDL_COMMANDS(rdl_wire_get, rdl_wire_pttl, rdl_wire_get), .on_reply = key_on_reply};

/* A name that was found may be any key. One from the user usually is a lock, so all of it is read. */
enum { RDL_FAMILY_VALUE = RDL_FAMILY_HINT }; /* no request here waits for hints */
static const struct rdl_method *const found_methods[] = {&range_method, &length_method, NULL};
RDL_METHODS_FIT(found_methods);
static const struct rdl_method *const named_methods[] = {&range_method, &length_method, &value_method, NULL};
RDL_METHODS_FIT(named_methods);
static const struct rdl_op op_found = {.methods = found_methods, .family = RDL_FAMILY_VALUE};
static const struct rdl_op op_named = {.methods = named_methods, .family = RDL_FAMILY_VALUE};

static const struct rdl_op *op_key(void)
{
    int is_search = query->o->verb == RDL_CLI_LIST || query->o->owner != NULL;

    return is_search ? &op_found : &op_named;
}

/* ---------------------------------------------------------------- which keys there are */

static void scan_write_args(struct rdl_slice *w, const char *const *commands,
                            const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                            const struct rdl_record *r)
{
    const struct intake *in = &intakes[index_of(c)];
    const struct rdl_bytes all[] = {{in->cursor, in->cursor_len}, query->pattern};
    const struct rdl_args args = {"gp", all, 2};

    (void)own;
    (void)r;
    rdl_slice_write_all(w, commands, &args);
}

/* YES: the names were read; the cursor is 0 at the end. ERROR: the cursor is too long. */
static int scan_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    size_t i = index_of(c);
    struct intake *in = &intakes[i];
    unsigned names = in->names;

    in->names = 0;
    if (c->reply_kind == RDL_RESP_ERROR)
        return rdl_reply_error(c, r);
    if (c->reply_kind != RDL_RESP_ARRAY || names == 0 || in->cursor_len == 0)
        return RDL_E_UNEXPECTED;
    if (in->cursor_len >= sizeof in->cursor) {
        r->verdict = RDL_ANSWER_ERROR;
        r->error = RDL_E_LIMIT;
        return RDL_OK;
    }
    r->verdict = RDL_ANSWER_YES;
    query->searched[i] = in->cursor_len == 1 && in->cursor[0] == '0'; /* it may contain a NUL */
    return RDL_OK;
}

static const struct rdl_method scan_method = {
    .commands = RDL_COMMANDS(rdl_wire_scan), .write_args = scan_write_args, .on_reply = scan_on_reply};
static const struct rdl_op op_scan = {.methods = RDL_METHOD(&scan_method)};

/* ---------------------------------------------------------------- deleting a key */

/* The library's methods to release, with another value. */
enum { METHODS_MAX = 5 };
static struct rdl_method break_method[METHODS_MAX];
static const struct rdl_method *break_methods[METHODS_MAX + 1];

static const struct rdl_method *release_method(size_t i)
{
    return rdl_methods_all.of[RDL_FAMILY_RELEASE - 1][i];
}

static struct rdl_bytes doomed(const struct rdl_conn *c)
{
    const struct rdl_cli_seen *seen = &query->seen[index_of(c)];

    return (struct rdl_bytes){seen->value, seen->len};
}

/* Writes the arguments of a release of the value that was read. */
static void break_write_args(struct rdl_slice *w, const char *const *commands,
                             const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                             const struct rdl_record *r)
{
    struct rdl_bytes all[RDL_LETTERS];
    const struct rdl_args args = {RDL_RECORD_LETTERS, all, RDL_LETTERS};

    (void)r;
    memcpy(all, own, sizeof all);
    all[RDL_LETTER_V] = doomed(c);
    rdl_slice_write_all(w, commands, &args);
}

/* Returns 1 if the whole reply is the value that was read. The conn keeps only its beginning. */
static int is_seen(const struct rdl_conn *c)
{
    struct rdl_cli_seen *found = &intakes[index_of(c)].value[intakes[index_of(c)].which];

    found->what = RDL_CLI_SEEN_KEY;
    return rdl_cli_seen_is_same(found, &query->seen[index_of(c)]);
}

static int break_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    const struct rdl_method *method = release_method(r->method);
    int is_found =
        method->next_phase != NULL && r->phase == RDL_PHASE_CHECK && r->replies == 1; /* WATCH, GET */

    if (!is_found || c->reply_kind != RDL_RESP_BULK)
        return method->on_reply(c, r);
    if (!is_seen(c))
        r->verdict = RDL_ANSWER_NO;
    return RDL_OK;
}

static void make_break_methods(void)
{
    for (size_t i = 0; i < METHODS_MAX && release_method(i) != NULL; i++) {
        break_method[i] = *release_method(i);
        break_method[i].write_args = break_write_args;
        break_method[i].on_reply = break_on_reply;
        break_methods[i] = &break_method[i];
    }
}

static const struct rdl_op op_break = {.methods = break_methods, .family = RDL_FAMILY_RELEASE};

/* ---------------------------------------------------------------- queries */

/* Runs one turn of the loop; ends the process on a signal. */
static void turn(uint64_t until_ms)
{
    struct rdl_cli_servers *s = query->servers;
    uint64_t now = rdl_now(&query->platform);

    for (size_t i = 0; i < s->n; i++) {
        uint64_t at = rdl_conn_tick(&s->conn[i], now);
        until_ms = at < until_ms ? at : until_ms;
    }
    (void)query->platform.poll(query->platform.ctx, s->conns, s->n, until_ms, RDL_POLL_CAN_WAKE);
    rdl_cli_signals_obey();
}

void rdl_cli_query_pause(struct rdl_cli_query *l, uint32_t ms)
{
    uint64_t until_ms = rdl_now(&l->platform) + ms;

    while (rdl_now(&l->platform) < until_ms)
        turn(until_ms);
}

/* Returns 1 if it is connected, or if connecting has failed once since it was last connected. */
static int is_settled(size_t i)
{
    const struct rdl_conn *c = &query->servers->conn[i];
    int has_failed = c->failures > 1 || (c->failures == 1 && rdl_conn_state(c) == RDL_CONN_CLOSED);

    return rdl_conn_state(c) == RDL_CONN_READY || (rdl_conn_error(c) != RDL_OK && has_failed);
}

static size_t unsettled(void)
{
    size_t n = 0;

    for (size_t i = 0; i < query->servers->n; i++)
        n += !is_settled(i);
    return n;
}

/*
 * Returns the time for a reply: an attempt's, at least three round trips. The doctor checks that it is not
 * too short.
 */
static uint64_t reply_timeout_ms(void)
{
    int is_given = query->o->attempt_ms != 0 && query->o->verb != RDL_CLI_DOCTOR;
    uint64_t ms = is_given ? query->o->attempt_ms : LEAST_MS;

    for (size_t i = 0; i < query->servers->n && !is_given; i++) {
        uint64_t trips = 3 * (uint64_t)query->servers->conn[i].rtt_ms;
        ms = trips > ms ? trips : ms;
    }
    return ms;
}

static uint64_t now_ms(void)
{
    return rdl_now(&query->platform);
}

/* Returns the time in ms from now, but not after the user's deadline. */
static uint64_t in_ms(uint64_t ms)
{
    uint64_t now = now_ms();

    return now < query->until_ms && ms < query->until_ms - now ? now + ms : query->until_ms;
}

/* Returns the time for servers that a majority does not need: half of the rest, because requests follow. */
static uint64_t others_ms(uint64_t until_ms)
{
    uint64_t now = now_ms(), left_ms = now < query->until_ms ? query->until_ms - now : 0,
             ms = reply_timeout_ms();
    uint64_t end_ms = in_ms(ms < left_ms / 2 ? ms : left_ms / 2);

    return end_ms < until_ms ? end_ms : until_ms;
}

/* Returns 1 if a majority is connected, or cannot be any more. */
static int is_decided(void)
{
    size_t n = query->servers->n, ready = 0;

    for (size_t i = 0; i < n; i++)
        ready += rdl_conn_state(&query->servers->conn[i]) == RDL_CONN_READY;
    return ready > n / 2 || n - unsettled() - ready > (n - 1) / 2;
}

/* Waits until none is left. Once there are enough, the others have one attempt's time. */
static void wait_for(size_t (*left)(void), int (*is_enough)(void), uint64_t until_ms)
{
    int is_last = 0;

    while (left() > 0 && now_ms() < until_ms) {
        if (!is_last && is_enough()) {
            until_ms = others_ms(until_ms);
            is_last = 1;
        }
        turn(until_ms);
    }
}

void rdl_cli_query_connect(struct rdl_cli_query *l)
{
    memset(l->is_out, 0, sizeof l->is_out);
    for (size_t i = 0; i <= l->servers->n; i++) /* a turn that opens or closes one does not read the rest */
        turn(0);
    wait_for(unsettled, is_decided, in_ms(l->servers->config[0].connect_ms));
}

int rdl_cli_query_open(struct rdl_cli_query *l, const struct rdl_cli_options *o)
{
    static struct rdl_cli_servers servers;
    uint64_t begun_ms = rdl_posix_now_ms();

    make_break_methods();
    query = l;
    l->o = o;
    l->servers = &servers;
    l->until_ms = o->wait_ms < UINT64_MAX - begun_ms ? begun_ms + o->wait_ms : UINT64_MAX;
    int rc = rdl_cli_open(&servers, o, &l->posix, &l->platform);
    for (size_t i = 0; i < servers.n && rc == 0; i++)
        servers.conn[i].checks = o->verb == RDL_CLI_DOCTOR ? &more_questions : &questions;
    return rc;
}

int rdl_cli_query_begin(struct rdl_cli_query *l, const struct rdl_cli_options *o)
{
    int rc = rdl_cli_query_open(l, o);

    if (rc == 0)
        rdl_cli_query_connect(l);
    return rc;
}

void rdl_cli_query_ask(struct rdl_cli_query *l, size_t i, const struct rdl_command *cmd)
{
    struct rdl_conn *c = &l->servers->conn[i];

    if (l->is_out[i] || rdl_conn_state(c) != RDL_CONN_READY || rdl_conn_submit(c, &l->req[i], cmd) != RDL_OK)
        l->req[i].answer = RDL_ANSWER_UNSENT;
}

static void submit(const struct rdl_op *op, const char *name, size_t i)
{
    struct rdl_command cmd;

    memset(&cmd, 0, sizeof cmd);
    cmd.op = op;
    cmd.name.data = name;
    cmd.name.len = strlen(name);
    intakes[i].which = intakes[i].names = 0;
    rdl_cli_query_ask(query, i, &cmd);
}

static size_t unanswered(void)
{
    size_t n = 0;

    for (size_t i = 0; i < query->servers->n; i++)
        n += query->req[i].is_queued != 0;
    return n;
}

static int has_majority_answered(void)
{
    size_t n = 0;

    for (size_t i = 0; i < query->servers->n; i++)
        n += query->req[i].answer == RDL_ANSWER_YES || query->req[i].answer == RDL_ANSWER_NO ||
             query->req[i].answer == RDL_ANSWER_ERROR;
    return n > query->servers->n / 2;
}

void rdl_cli_query_await(void)
{
    wait_for(unanswered, has_majority_answered, in_ms(reply_timeout_ms()));
}

/* Stops using a server that did not reply once: it is not waited for again, also not for another lock. */
static void leave_out_silent(void)
{
    for (size_t i = 0; i < query->servers->n; i++) {
        query->is_out[i] |= query->req[i].is_queued;
        rdl_conn_abandon(&query->servers->conn[i], &query->req[i]);
    }
}

void rdl_cli_query_unseen(struct rdl_cli_query *l, size_t i)
{
    const struct rdl_conn *c = &l->servers->conn[i];
    const struct rdl_req *req = &l->req[i];
    struct rdl_cli_seen *seen = &l->seen[i];

    seen->what = RDL_CLI_SEEN_NOTHING;
    seen->error = req->answer == RDL_ANSWER_NO      ? RDL_OK
                  : req->answer == RDL_ANSWER_ERROR ? req->error
                                                    : rdl_conn_error(c);
    if (seen->error == RDL_OK && req->answer != RDL_ANSWER_NO)
        seen->error = RDL_E_TIMEOUT;
    seen->lacks_info = seen->error == RDL_E_CLOSED && rdl_conn_lacks_info(c);
    /* its earlier text is not the reason */
    const char *said = rdl_cli_has_words(seen->error) ? rdl_conn_text(c) : "";
    rdl_cli_secret_scrub(said, said, l->servers->endpoint[i].password, seen->said, sizeof seen->said);
}

static void note(size_t i)
{
    query->seen[i] = intakes[i].value[0];
    query->seen[i].is_unreadable = query->req[i].answer == RDL_ANSWER_ERROR &&
                                   rdl_conn_refuses(&query->servers->conn[i], op_key()) == RDL_E_PERM;
    if (query->req[i].answer != RDL_ANSWER_YES)
        rdl_cli_query_unseen(query, i);
}

void rdl_cli_query_at(struct rdl_cli_query *l, const char *name)
{
    memset(l->req, 0, sizeof l->req);
    for (int looks = 0; looks < LOOKS_MAX; looks++) {
        for (size_t i = 0; i < l->servers->n; i++)
            if (looks == 0 || l->req[i].answer == RDL_ANSWER_NO)
                submit(op_key(), name, i);
        rdl_cli_query_await();
        leave_out_silent();
    }
    for (size_t i = 0; i < l->servers->n; i++)
        note(i);
}

int rdl_cli_query_break(struct rdl_cli_query *l, const char *name, uint32_t id)
{
    int is_changed = 0;

    memset(l->req, 0, sizeof l->req);
    for (size_t i = 0; i < l->servers->n; i++)
        if (l->seen[i].what == RDL_CLI_SEEN_KEY && l->seen[i].id == id)
            submit(&op_break, name, i);
    rdl_cli_query_await();
    for (size_t i = 0; i < l->servers->n; i++) {
        rdl_conn_abandon(&l->servers->conn[i], &l->req[i]);
        is_changed |= l->req[i].answer == RDL_ANSWER_NO;
        if (l->req[i].answer == RDL_ANSWER_ERROR)
            rdl_cli_query_unseen(l, i);
    }
    return is_changed;
}

/* Continues the search on all servers that have more. Returns how many replied. */
static unsigned search_on(void)
{
    unsigned n = 0;

    for (size_t i = 0; i < query->servers->n; i++)
        if (!query->searched[i] && !query->is_out[i])
            submit(&op_scan, "scan", i);
    rdl_cli_query_await();
    for (size_t i = 0; i < query->servers->n; i++) {
        if (query->searched[i] || query->is_out[i])
            continue;
        rdl_conn_abandon(&query->servers->conn[i], &query->req[i]);
        if (query->req[i].answer == RDL_ANSWER_YES) {
            n++;
            continue;
        }
        rdl_cli_query_unseen(query, i);
        query->is_out[i] = 1;
    }
    return n;
}

void rdl_cli_query_search(struct rdl_cli_query *l, const char *prefix, struct rdl_cli_names *names)
{
    static char pattern[RDL_CLI_PATTERN_MAX];

    l->pattern.data = pattern;
    l->pattern.len = rdl_cli_pattern(prefix, pattern);
    l->names = names;
    for (size_t i = 0; i < l->servers->n; i++) {
        strcpy(intakes[i].cursor, "0");
        intakes[i].cursor_len = 1;
    }
    memset(l->req, 0, sizeof l->req);
    int goes_on = 1;
    while (goes_on && !names->is_full && now_ms() < l->until_ms)
        goes_on = search_on() > 0;
    l->is_cut = names->is_full || now_ms() >= l->until_ms;
    for (size_t i = 0; i < l->servers->n; i++) /* a server that refused SCAN may reply to other requests */
        l->is_out[i] = l->is_out[i] && l->seen[i].error == RDL_E_TIMEOUT;
    l->names = NULL;
}
