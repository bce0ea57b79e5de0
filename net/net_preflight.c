/* SPDX-License-Identifier: MIT */
/*
 * net_preflight.c - what a new connection is asked before its first request: since when the server runs, and
 * whether it is one that can hold a lock at all.
 *
 * All in one go, behind the login. INFO is read line by line as it comes, in pieces of any size; each
 * section is a request of its own, because several in one are taken from Redis 7 on only. An answer is
 * about this connection, and forgotten with it: a server cannot restart without ending its connections.
 */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

static const char *const questions[] = {rdl_wire_info_server, rdl_wire_info_replication,
                                        rdl_wire_info_memory};

/* ---------------------------------------------------------------- INFO */

/* What stands behind `name` in the line just read, or NULL. */
static const char *value_of(const struct rdl_conn *c, const char *name)
{
    size_t i;

    for (i = 0; name[i] != '\0'; i++) {
        if (c->reply[i] != name[i])
            return NULL;
    }
    return c->reply + i;
}

/* The first 16 digits tell one start of a server from any other. */
static void take_run(struct rdl_conn *c, const char *hex)
{
    uint64_t run = 0;
    size_t i;

    for (i = 0; i < 16 && hex[i] != '\0'; i++)
        run = run << 4 | (uint64_t)(hex[i] <= '9' ? hex[i] - '0' : (hex[i] - 'a' + 10) & 15);
    if (run != c->facts.run) {
        c->facts.is_other = c->facts.run != 0;
        c->facts.seen_ms = 0;
    }
    c->facts.run = run;
}

static uint32_t number(const char *digits)
{
    uint32_t n = 0;

    for (; *digits >= '0' && *digits <= '9'; digits++) {
        if (n > INT32_MAX / 10)
            return INT32_MAX;
        n = n * 10 + (uint32_t)(*digits - '0');
    }
    return n;
}

static void take_line(struct rdl_conn *c)
{
    struct rdl_facts *f = &c->facts;
    const char *value;

    if ((value = value_of(c, "run_id:")) != NULL) {
        take_run(c, value);
        f->has |= RDL_FACT_RUN;
    } else if ((value = value_of(c, "uptime_in_seconds:")) != NULL) {
        f->uptime_s = number(value);
        f->has |= RDL_FACT_UPTIME;
    } else if ((value = value_of(c, "redis_mode:")) != NULL ||
               (value = value_of(c, "server_mode:")) != NULL) {
        if (*value == 'c')
            f->has |= RDL_FACT_CLUSTER;
    } else if ((value = value_of(c, "role:")) != NULL) {
        if (*value != 'm')
            f->has |= RDL_FACT_REPLICA;
    } else if ((value = value_of(c, "maxmemory:")) != NULL) {
        if (*value != '0')
            f->has |= RDL_FACT_BOUNDED;
    } else if ((value = value_of(c, "maxmemory_policy:")) != NULL) {
        if (*value != 'n')
            f->has |= RDL_FACT_EVICTS;
    }
}

/* The line being read stands in c->reply; what is too long of it is of no interest. */
static void take_info(struct rdl_conn *c, const struct rdl_resp_event *ev)
{
    size_t at = 0;

    while (at < ev->len) {
        size_t room = (size_t)(RDL_TEXT_MAX - 1 - c->reply_len);
        size_t from = at;
        size_t n;
        while (at < ev->len && ev->data[at] != '\n')
            at++;
        n = at - from < room ? at - from : room;
        rdl_copy(c->reply + c->reply_len, ev->data + from, n);
        c->reply_len = (uint8_t)(c->reply_len + n);
        if (at == ev->len)
            return;
        c->reply[c->reply_len] = '\0';
        take_line(c);
        c->reply_len = 0;
        at++;
    }
}

/*
 * An error's text. Before 7.0 the reason why a script failed stands behind more bytes than are kept: "ERR
 * Error running script (call to f_<40 hex>): @user_script:1: @user_script: 1: -OOM ...". Where it was is left
 * out up to each colon, and of what then begins all but a letter or an @: no error begins with anything else.
 * This is here so that a link with one lock alone does not pay for it.
 */
static void take_error(struct rdl_conn *c, const struct rdl_resp_event *ev)
{
    size_t n = c->reply_len;
    size_t i;

    c->reply[n] = '\0'; /* what is left of another reply is no part of this one */
    for (i = 0; i < ev->len; i++) {
        uint8_t byte = ev->data[i];
        if (byte == ':' && (c->reply[0] == '@' || rdl_has_prefix(c->reply, "ERR Error r"))) /* running */
            n = 0;
        else if (n < RDL_TEXT_MAX - 1 && (n > 0 || byte >= '@'))
            c->reply[n++] = (char)byte;
        c->reply[n] = '\0';
    }
    c->reply_len = (uint8_t)n;
}

static int preflight_take(struct rdl_conn *c, const struct rdl_resp_event *ev)
{
    if (c->reply_kind == RDL_RESP_ERROR)
        take_error(c, ev);
    else if (c->reply_kind == RDL_RESP_BULK && c->state == RDL_CONN_HELLO)
        take_info(c, ev);
    else
        return 0;
    return 1;
}

/* ---------------------------------------------------------------- answers */

/* What makes a server useless for locks, said once the sections are in. */
static int unfit(struct rdl_conn *c)
{
    if (c->facts.has & RDL_FACT_CLUSTER) {
        rdl_conn_say(c, "cluster mode is on");
        return RDL_E_CLUSTER;
    }
    if (c->facts.has & RDL_FACT_REPLICA) {
        rdl_conn_say(c, "its role is replica");
        return RDL_E_READONLY;
    }
    return RDL_OK;
}

static int preflight_judge(struct rdl_conn *c)
{
    int code;

    if (c->reply_kind == RDL_RESP_BULK)
        return unfit(c);
    if (c->reply_kind != RDL_RESP_ERROR)
        return RDL_E_UNASKED;
    code = rdl_error_code(c->reply);
    if (rdl_hello_is_turned_away(c))
        return code;
    rdl_conn_say(c, c->reply);
    return code == RDL_E_UNSUPPORTED || code == RDL_E_PERM ? RDL_OK : code;
}

/* On our clock, late rather than early: the answers came before now. */
static void preflight_stamp(struct rdl_conn *c, uint64_t now_ms)
{
    struct rdl_facts *f = &c->facts;

    f->up_ms = (int64_t)now_ms - (int64_t)f->uptime_s * 1000;
    if (f->seen_ms == 0)
        f->seen_ms = now_ms;
    f->has |= RDL_FACT_STAMPED;
}

const struct rdl_preflight rdl_preflight = {questions, sizeof questions / sizeof questions[0], preflight_take,
                                            preflight_judge, preflight_stamp};

void rdl_conn_preflight(struct rdl_conn *c)
{
    RDL_ASSERT(c->preflight != NULL || c->state == RDL_CONN_CLOSED || c->state == RDL_CONN_OPENING);
    c->preflight = &rdl_preflight;
}

const struct rdl_facts *rdl_conn_facts(const struct rdl_conn *c)
{
    unsigned all = RDL_FACT_RUN | RDL_FACT_UPTIME | RDL_FACT_STAMPED;

    return c->state == RDL_CONN_READY && (c->facts.has & all) == all ? &c->facts : NULL;
}
