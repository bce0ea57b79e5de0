/* SPDX-License-Identifier: MIT */
/*
 * sentinel.c - which address a Sentinel group's master has.
 *
 * A sentinel may be late, or cut off: it then names a server that no longer is the master. So what it says
 * decides only where to connect. Whether the server there is the master, that server says (rdl_guard_conn),
 * and whether it has lost locks, its canary.
 */
#include "redlock/easy/sentinel.h"
#include "lock/lock_line.h"
#include "lock/lock_op.h"
#include "redlock/easy/sentinel_commands.h"
#include "redlock/redlock_op.h"

#include <string.h>

enum {
    AGAIN_MS = 500, /* at most two questions a second to each sentinel */
    FRESH_MS = 100, /* for this time the named server counts as the master */
    REPLY_MS = 1000,
    SHORT_MS = 100 /* the least while a request waits, because an extend has little time */
};

enum sentinel_state {
    SENTINEL_IDLE,
    SENTINEL_ASKING,
    SENTINEL_CLOSING /* the driver has to close the connection to the sentinel */
};

/* ---------------------------------------------------------------- the question */

/* Keeps the two strings of the reply: the host in the request's text, the port in rdl_conn.reply_value. */
static void ask_take(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_resp_event *ev)
{
    struct rdl_req *req = r->req;
    size_t i;

    if (req == NULL || c->reply_kind != RDL_RESP_ARRAY)
        return;
    if (ev->kind == RDL_RESP_ARRAY) {
        req->text_len = 0;
        return;
    }
    if (c->reply_items == 1 && ev->first)
        c->reply_value = 0;
    for (i = 0; ev->kind == RDL_RESP_BULK && i < ev->len && c->reply_items < 2; i++) {
        if (c->reply_items == 0 && req->text_len <= RDL_SENTINEL_HOST_MAX)
            req->text[req->text_len++] = (char)ev->data[i];
        else if (c->reply_items == 1 && ((uint8_t)(ev->data[i] - '0') > 9 || c->reply_value > UINT16_MAX))
            c->reply_value = UINT16_MAX + 1;
        else if (c->reply_items == 1)
            c->reply_value = c->reply_value * 10 + (ev->data[i] - '0');
    }
    if (ev->last && c->reply_items < UINT8_MAX)
        c->reply_items++;
}

static int ask_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind == RDL_RESP_NIL) {
        r->verdict = RDL_ANSWER_ABSENT;
        return RDL_OK;
    }
    if (c->reply_kind != RDL_RESP_ARRAY)
        return rdl_reply_error(c, r);
    if (c->reply_items != 2 || c->reply_value < 1 || c->reply_value > UINT16_MAX)
        return RDL_E_UNEXPECTED;
    r->verdict = RDL_ANSWER_YES;
    rdl_record_complete(r, c->reply_value);
    return RDL_OK;
}

static const struct rdl_method ask_method = {
    .commands = RDL_COMMANDS(rdl_wire_sentinel_address), .on_reply = ask_on_reply, .take = ask_take};
static const struct rdl_op ask = {.methods = RDL_METHOD(&ask_method)};

/* Asks the sentinel whose turn it is. Returns when to call rdl_sentinel_step again. */
static uint64_t begin_question(struct rdl_sentinel *g, uint64_t now_ms)
{
    struct rdl_command cmd;

    *g->at = g->list[g->turn];
    g->asked_ms[g->turn] = now_ms;
    memset(&g->req, 0, sizeof g->req);
    g->req.text = g->reply;
    memset(&cmd, 0, sizeof cmd);
    cmd.op = &ask;
    cmd.name = (struct rdl_bytes){g->name, strlen(g->name)};
    rdl_conn_end_pause(g->conn);
    rdl_conn_set_timeout(g->conn, REPLY_MS);
    if (rdl_conn_submit(g->conn, &g->req, &cmd) != RDL_OK)
        g->req.answer = RDL_ANSWER_UNSENT;
    g->state = SENTINEL_ASKING;
    return rdl_conn_tick(g->conn, now_ms);
}

/* ---------------------------------------------------------------- the reply */

/* Sets *ep to the host and port of the reply. Returns RDL_OK, or RDL_E_URL: the host is none. */
static int read_address(const struct rdl_sentinel *g, struct rdl_endpoint *ep, char *text, size_t cap)
{
    char url[sizeof "redis://[]" + RDL_SENTINEL_HOST_MAX];
    struct rdl_line line;
    int is_v6 = memchr(g->reply, ':', g->req.text_len) != NULL;
    size_t i;
    int rc;

    if (g->req.text_len > RDL_SENTINEL_HOST_MAX)
        return RDL_E_URL;
    for (i = 0; i < g->req.text_len; i++)
        if (strchr("/?@%#[]", g->reply[i]) != NULL) /* a NUL, too */
            return RDL_E_URL;
    rdl_line_begin(&line, url, sizeof url);
    rdl_line_add(&line, is_v6 ? "redis://[" : "redis://");
    memcpy(url + line.len, g->reply, g->req.text_len);
    line.len += g->req.text_len;
    url[line.len] = '\0';
    rdl_line_add(&line, is_v6 ? "]" : "");
    rc = rdl_url_parse(ep, url, text, cap, NULL);
    ep->port = (uint16_t)g->req.value;
    return rc;
}

static void set_address(struct rdl_endpoint *ep, const struct rdl_endpoint *named)
{
    ep->host = named->host;
    ep->port = named->port;
    ep->family = named->family;
    ep->scope = named->scope;
    memcpy(ep->ip, named->ip, sizeof ep->ip);
}

/* Takes the address that the sentinel named. Returns 0 if it is none. */
static int take_master(struct rdl_sentinel *g, uint64_t now_ms)
{
    char text[sizeof g->host];
    struct rdl_endpoint named;

    if (read_address(g, &named, text, sizeof text) != RDL_OK)
        return 0;
    g->named_ms = now_ms;
    g->is_unproved = 1;
    if (strcmp(text, g->master->host) != 0 || named.port != g->master->port) {
        g->is_moved = g->is_named || rdl_conn_state(g->server) != RDL_CONN_OPENING;
        g->is_host_name = named.family == RDL_UNRESOLVED;
        memcpy(g->host, text, sizeof text);
        named.host = g->host;
        set_address(g->master, &named);
        if (g->second != NULL)
            set_address(g->second, &named);
    }
    g->is_named = rdl_conn_state(g->server) == RDL_CONN_OPENING && !g->is_moved;
    return 1;
}

/* Keeps why this sentinel did not name the master. Returns the error. */
static int note_failure(struct rdl_sentinel *g)
{
    int error = g->req.answer == RDL_ANSWER_ERROR ? g->req.error : rdl_conn_error(g->conn);
    struct rdl_line line;

    rdl_line_begin(&line, g->text, sizeof g->text);
    rdl_line_add(&line, "sentinel ");
    rdl_line_add_where(&line, g->at, g->at->host);
    rdl_line_add(&line, ": ");
    if (g->req.answer == RDL_ANSWER_ABSENT || g->req.answer == RDL_ANSWER_YES) {
        rdl_line_add(&line, g->req.answer == RDL_ANSWER_YES ? "named an address that is none for "
                                                            : "does not know ");
        rdl_line_add(&line, g->name);
        return RDL_E_NO_ADDRESS;
    }
    rdl_line_add_error(&line, g->conn, error);
    return error != RDL_OK ? error : RDL_E_CONNECT;
}

static void next_turn(struct rdl_sentinel *g)
{
    g->turn = (uint8_t)((g->turn + 1u) % g->n);
    g->is_unproved = 0;
}

/* Goes on to the next sentinel. After all of them the server's connection fails, with the last reason. */
static void take_failure(struct rdl_sentinel *g, uint64_t now_ms)
{
    int error = note_failure(g);

    next_turn(g);
    g->failed++;
    if (g->failed < g->n)
        return;
    g->failed = 0;
    g->named_ms = now_ms; /* none can say more: a lease must not depend on them */
    if (rdl_conn_state(g->server) == RDL_CONN_OPENING && !g->is_named) {
        rdl_conn_set_text(g->server, g->text);
        rdl_conn_closed(g->server, error);
    }
}

static void take_reply(struct rdl_sentinel *g, uint64_t now_ms)
{
    g->asked_ms[g->turn] = now_ms; /* when it ended: the question went out after connecting */
    if (g->req.answer == RDL_ANSWER_YES && take_master(g, now_ms)) {
        g->failed = 0;
        g->text[0] = '\0';
    } else {
        take_failure(g, now_ms);
    }
    rdl_conn_shut(g->conn, RDL_OK);
    g->state = SENTINEL_CLOSING;
}

/* ---------------------------------------------------------------- the canary of a promoted replica */

/*
 * A lock checks the canary together with its vote, and so not before the restart guard lets a new run count.
 * Then the two quarantines would follow each other. So when another run answers, its canary is checked, and
 * created again, at once, as redlock_canary.c does it.
 */
static int submit_canary(struct rdl_sentinel *g, const struct rdl_op *op, uint32_t ttl_ms)
{
    struct rdl_command cmd;

    memset(&cmd, 0, sizeof cmd);
    cmd.op = op;
    cmd.name = (struct rdl_bytes){RDL_CANARY_KEY, sizeof RDL_CANARY_KEY - 1};
    cmd.value = (struct rdl_bytes){g->canary, g->look.text_len};
    cmd.ttl_ms = ttl_ms;
    return rdl_conn_submit(g->server, op == &rdl_op_canary_look ? &g->look : NULL, &cmd);
}

static void check_canary(struct rdl_sentinel *g)
{
    const struct rdl_server_info *info = g->server->cfg->server_info;

    if (!info->is_other || info->run == g->checked_run || rdl_conn_state(g->server) != RDL_CONN_READY)
        return;
    memset(&g->look, 0, sizeof g->look);
    g->look.text = g->canary;
    if (submit_canary(g, &rdl_op_canary_look, 0) == RDL_OK)
        g->checked_run = info->run;
}

static void take_canary(struct rdl_sentinel *g)
{
    uint8_t answer = g->look.answer;

    g->look.answer = RDL_ANSWER_NONE;
    if (answer == RDL_ANSWER_UNKNOWN || answer == RDL_ANSWER_UNSENT)
        g->checked_run = 0; /* once more */
    if (answer != RDL_ANSWER_NO && answer != RDL_ANSWER_ABSENT)
        return;
    if (answer == RDL_ANSWER_NO)
        (void)submit_canary(g, &rdl_op_release_strict, 0);
    (void)submit_canary(g, &rdl_op_canary_make, (uint32_t)g->look.value);
}

/* ---------------------------------------------------------------- when */

/*
 * A sentinel that is cut off names an old master for ever. So if no connection to the server that it named
 * became ready, the next one is asked.
 */
static void leave_a_wrong_one(struct rdl_sentinel *g)
{
    enum rdl_conn_phase state = rdl_conn_state(g->server);

    if (state == RDL_CONN_READY)
        g->is_unproved = 0;
    else if (state == RDL_CONN_OPENING && g->is_unproved && !g->is_named && g->state == SENTINEL_IDLE)
        next_turn(g);
}

/*
 * An old master grants and extends until a sentinel demotes it: 10 s after SENTINEL FAILOVER. A lease that it
 * grants then would last longer than the new master's quarantine. So an acquire or extend waits if the master
 * was not named just now. What a release deletes does not matter.
 */
static int is_stale(const struct rdl_sentinel *g, uint64_t now_ms)
{
    return g->action != NULL && *g->action != RDL_RELEASE && rdl_conn_state(g->server) == RDL_CONN_READY &&
           (rdl_conn_wants(g->server) & RDL_WANT_WRITE) && now_ms >= g->named_ms + FRESH_MS;
}

/* Makes it the turn of a sentinel that may be asked now. Returns 0: there is none, and no request waits. */
static int choose_rested_one(struct rdl_sentinel *g, uint64_t now_ms)
{
    uint8_t i, k;

    for (i = 0; i < g->n; i++) {
        k = (uint8_t)((g->turn + i) % g->n);
        if (g->asked_ms[k] == 0 || now_ms >= g->asked_ms[k] + AGAIN_MS) {
            g->turn = k;
            return 1;
        }
    }
    return 0;
}

/* Returns when to ask next; UINT64_MAX: there is no reason to. */
static uint64_t ask_at(const struct rdl_sentinel *g)
{
    enum rdl_conn_phase state = rdl_conn_state(g->server);
    uint64_t asked_ms = g->asked_ms[g->turn];
    uint64_t at_ms = asked_ms != 0 ? asked_ms + AGAIN_MS : 0;

    if ((state != RDL_CONN_OPENING && state != RDL_CONN_STALLED && !g->is_waiting) || g->is_moved)
        return UINT64_MAX;
    if ((g->is_named || state == RDL_CONN_STALLED) && at_ms < g->named_ms + AGAIN_MS)
        at_ms = g->named_ms + AGAIN_MS; /* it may still connect, or reply */
    return at_ms;
}

/* Ends the connection to a server that no longer is the master. Returns 1 if it may connect at once. */
static int move(struct rdl_sentinel *g)
{
    rdl_conn_shut(g->server, RDL_E_CONNECT);
    if (rdl_conn_state(g->server) != RDL_CONN_CLOSED)
        return 0;
    rdl_conn_end_pause(g->server);
    g->is_moved = g->is_unproved = 0; /* nothing has connected to the new address yet */
    return 1;
}

/* Returns for how long a request waits for one sentinel: four round trips to the server; two are needed. */
static uint32_t patience_ms(const struct rdl_sentinel *g)
{
    return 4 * g->server->rtt_ms > SHORT_MS ? 4 * g->server->rtt_ms : SHORT_MS;
}

uint64_t rdl_sentinel_step(struct rdl_sentinel *g, uint64_t now_ms)
{
    uint64_t at_ms;

    g->is_waiting = (uint8_t)is_stale(g, now_ms);
    if (g->has_canary) {
        take_canary(g);
        check_canary(g);
    }
    if (g->state == SENTINEL_ASKING) {
        uint64_t end_ms = g->is_waiting ? g->asked_ms[g->turn] + patience_ms(g) : UINT64_MAX;
        if (now_ms >= end_ms)
            rdl_conn_shut(g->conn, RDL_E_TIMEOUT);
        at_ms = rdl_conn_tick(g->conn, now_ms);
        if (g->req.answer == RDL_ANSWER_NONE)
            return at_ms < end_ms ? at_ms : end_ms;
        take_reply(g, now_ms);
        g->is_waiting = (uint8_t)is_stale(g, now_ms);
    }
    if (g->state == SENTINEL_CLOSING && rdl_conn_state(g->conn) == RDL_CONN_CLOSED)
        g->state = SENTINEL_IDLE;
    if (g->is_moved)
        return move(g) ? now_ms : UINT64_MAX;
    leave_a_wrong_one(g);
    if (g->is_waiting && g->state == SENTINEL_IDLE)
        g->is_waiting = (uint8_t)choose_rested_one(g, now_ms);
    at_ms = ask_at(g);
    if (now_ms < at_ms || g->state == SENTINEL_CLOSING)
        return at_ms;
    return begin_question(g, now_ms);
}

int rdl_sentinel_needs_address(const struct rdl_sentinel *g)
{
    return g->is_named && g->master->family == RDL_UNRESOLVED && !g->is_tls;
}

int rdl_sentinel_may_run(const struct rdl_sentinel *g)
{
    if (rdl_conn_state(g->server) == RDL_CONN_OPENING)
        return g->is_named && !rdl_sentinel_needs_address(g);
    return !g->is_waiting;
}

int rdl_sentinel_is_asking(const struct rdl_sentinel *g)
{
    return g->state != SENTINEL_IDLE;
}

static struct rdl_sentinel *group_of(struct rdl_sentinel *const *groups, size_t n, const struct rdl_conn *c)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (groups[i]->server == c)
            return groups[i];
    return NULL;
}

int rdl_sentinel_poll(const struct rdl_platform *inner, struct rdl_sentinel *const *groups, size_t n_groups,
                      struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    struct rdl_conn *all[RDL_POSIX_CONNS_MAX];
    size_t n_all = 0, i;
    int rc;

    if (n + n_groups > RDL_POSIX_CONNS_MAX)
        return RDL_E_SYSTEM;
    for (i = 0; i < n; i++) {
        struct rdl_sentinel *g = group_of(groups, n_groups, conns[i]);
        int needed = g != NULL && rdl_sentinel_needs_address(g);
        uint64_t at_ms = g != NULL ? rdl_sentinel_step(g, rdl_now(inner)) : UINT64_MAX;
        until_ms = at_ms < until_ms ? at_ms : until_ms;
        if (g != NULL && rdl_sentinel_needs_address(g) && !needed)
            until_ms = 0; /* the caller resolves the name */
        if (g == NULL || rdl_sentinel_may_run(g))
            all[n_all++] = conns[i];
        if (g != NULL && rdl_sentinel_is_asking(g))
            all[n_all++] = g->conn;
    }
    rc = inner->poll(inner->ctx, all, n_all, until_ms, flags);
    for (i = 0; i < n_groups; i++)
        if (rdl_conn_state(groups[i]->server) != RDL_CONN_OPENING)
            groups[i]->is_named = 0; /* the next connection needs another answer */
    return rc;
}

/* ---------------------------------------------------------------- set-up and texts */

void rdl_sentinel_begin(struct rdl_sentinel *g, struct rdl_conn *server, struct rdl_endpoint *master,
                        struct rdl_conn *conn, struct rdl_endpoint *at)
{
    g->server = server;
    g->master = master;
    g->conn = conn;
    g->at = at;
    *at = g->list[0];
}

const char *rdl_sentinel_text(const struct rdl_sentinel *g)
{
    return g->text;
}

void rdl_sentinel_add_where(struct rdl_line *line, const struct rdl_sentinel *g)
{
    rdl_line_add(line, g->name);
    if (g->master->host[0] == '\0')
        return;
    rdl_line_add(line, " (");
    rdl_line_add_where(line, g->master, g->master->host);
    rdl_line_add(line, ")");
}
