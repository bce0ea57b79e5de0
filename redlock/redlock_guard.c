/* SPDX-License-Identifier: MIT */
/*
 * redlock_guard.c - the restart guard: when the votes of a restarted server count.
 *
 * A server that lost its data in a restart may grant a lock that another client holds. So it does not count
 * until every lease that was granted before the restart has expired. That is max_ttl and 1 s, because
 * uptime_in_seconds is the difference of two clocks that were cut to seconds.
 *
 * So every new connection first requests when its server started, and whether it can hold locks at all. These
 * requests go out together, after the login. INFO is read line by line as it arrives, in pieces of any size.
 * Each section is a request of its own, because only Redis 7 and later accept several in one. A reply is
 * about this connection and is dropped with it: a server cannot restart without closing its connections.
 */
#include "redlock/redlock_private.h"
#include "resp/resp_bytes.h"

enum { START_OFF_MS = 2000 }; /* how much two uptimes in whole seconds may differ, in addition to the drift */

static const char *const questions[] = {rdl_wire_info_server, rdl_wire_info_replication,
                                        rdl_wire_info_memory};

/* ---------------------------------------------------------------- INFO */

uint64_t rdl_guard_run(const char *hex)
{
    uint64_t run = 0;
    size_t i;

    for (i = 0; i < RDL_RUN_DIGITS && hex[i] != '\0'; i++)
        run = run << 4 | (uint64_t)(rdl_hex_value(hex[i]) & 15);
    return run;
}

static void take_run(struct rdl_server_info *f, uint64_t run, int is_same)
{
    if (!is_same) {
        f->is_other = f->run != 0;
        f->seen_ms = 0;
    }
    f->run = run;
}

RDL_NOINLINE static uint32_t number_of(const char *digits)
{
    uint32_t n = 0;

    for (; *digits >= '0' && *digits <= '9'; digits++) {
        if (n > INT32_MAX / 10)
            return INT32_MAX;
        n = n * 10 + (uint32_t)(*digits - '0');
    }
    return n;
}

/* Facts that the first letter of a value reports: if it is this letter, or if it is another one. */
static const struct {
    const char *name;
    char letter;
    uint8_t is_other;
    uint8_t fact;
} info_letters[] = {{"redis_mode:", 'c', 0, RDL_INFO_CLUSTER},
                    {"server_mode:", 'c', 0, RDL_INFO_CLUSTER},
                    {"role:", 'm', 1, RDL_INFO_REPLICA},
                    {"maxmemory:", '0', 1, RDL_INFO_BOUNDED},
                    {"maxmemory_policy:", 'n', 1, RDL_INFO_EVICTS}};

static void take_line(struct rdl_conn *c)
{
    struct rdl_server_info *f = c->cfg->server_info;
    size_t i;
    int n;

    if ((n = rdl_has_prefix(c->reply, "run_id:")) > 0) {
        uint64_t run = rdl_guard_run(c->reply + n);
        take_run(f, run, run == f->run);
        f->has |= RDL_INFO_RUN;
    }
    if ((n = rdl_has_prefix(c->reply, "uptime_in_seconds:")) > 0) {
        f->uptime_s = number_of(c->reply + n);
        f->has |= RDL_INFO_UPTIME;
    }
    for (i = 0; i < sizeof info_letters / sizeof info_letters[0]; i++) {
        n = rdl_has_prefix(c->reply, info_letters[i].name);
        if (n > 0 && (c->reply[n] != info_letters[i].letter) == info_letters[i].is_other)
            f->has |= info_letters[i].fact;
    }
}

/* Reads INFO line by line. The current line is in c->reply; what does not fit is not needed. */
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
 * Reads an error's text. Before 7.0 the reason why a script failed comes after more bytes than are kept: "ERR
 * Error running script (call to f_<40 hex>): @user_script:1: @user_script: 1: -OOM ...". So the place is
 * dropped up to each colon, and then everything before a letter or an @: no error begins with anything else.
 * This code is here so that a program with a lock on one server does not link it.
 */
static void take_error(struct rdl_conn *c, const struct rdl_resp_event *ev)
{
    size_t n = c->reply_len;
    size_t i;

    c->reply[n] = '\0'; /* the rest of an earlier reply is no part of this one */
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

static int checks_take(struct rdl_conn *c, const struct rdl_resp_event *ev)
{
    if (c->reply_kind == RDL_RESP_ERROR)
        take_error(c, ev);
    else if (c->reply_kind == RDL_RESP_BULK && c->state == RDL_CONN_HANDSHAKE)
        take_info(c, ev);
    else
        return 0;
    return 1;
}

/* ---------------------------------------------------------------- replies */

/* Returns why a server cannot hold locks, or RDL_OK; for when the sections have arrived. */
static int unfit(struct rdl_conn *c)
{
    if (c->cfg->server_info->has & RDL_INFO_CLUSTER) {
        rdl_conn_set_text(c, "cluster mode is on");
        return RDL_E_CLUSTER;
    }
    if (c->cfg->server_info->has & RDL_INFO_REPLICA) {
        rdl_conn_set_text(c, "use its master");
        return RDL_E_READONLY;
    }
    return RDL_OK;
}

/* Returns 1 if the text names INFO as a separate word, in upper or lower case. */
static int names_info(const char *text)
{
    const uint32_t info = (('i' & 31u) << 5 | ('n' & 31u)) << 10 | ('f' & 31u) << 5 | ('o' & 31u);
    uint32_t word = 0; /* the last six letters of this one, five bits each */

    for (;; text++) {
        if ((uint8_t)((*text | ' ') - 'a') <= 'z' - 'a')
            word = word << 5 | ((unsigned char)*text & 31u);
        else if (word == info)
            return 1;
        else if (*text == '\0')
            return 0;
        else
            word = 0;
    }
}

/*
 * A proxy refuses INFO in its own words. An error about its server ("upstream failure") is no refusal: that
 * server may come back without its data, so INFO has to be sent again.
 */
int rdl_guard_is_refusal(const struct rdl_conn *c, int code)
{
    const struct rdl_server_info *f = c->cfg->server_info;

    if (code == RDL_E_SERVER)
        return !f->needs_info && names_info(c->reply);
    return code == RDL_E_UNSUPPORTED || code == RDL_E_PERM;
}

static int checks_on_reply(struct rdl_conn *c)
{
    int code;

    if (c->reply_kind == RDL_RESP_BULK) {
        c->cfg->server_info->needs_info = 1;
        return unfit(c);
    }
    if (c->reply_kind != RDL_RESP_ERROR)
        return RDL_E_UNEXPECTED;
    code = rdl_error_code(c->reply);
    if (rdl_handshake_is_turned_away(c))
        return code;
    rdl_conn_set_text(c, c->reply);
    return rdl_guard_is_refusal(c, code) ? RDL_OK : code;
}

/* For a server whose role decides whether it may hold locks: it has to report the role. */
static int checks_on_required_reply(struct rdl_conn *c)
{
    int rc = checks_on_reply(c);

    return rc == RDL_OK && c->reply_kind == RDL_RESP_ERROR ? rdl_error_code(c->reply) : rc;
}

/*
 * Returns 1 if this start is that of the run which last answered INFO. Uptimes are whole seconds, and the
 * server's clock may run at a different rate. After 49 days the same run may be taken for another one.
 */
static int is_same_start(const struct rdl_server_info *f, int64_t up_ms, uint64_t now_ms)
{
    uint32_t off_ms = START_OFF_MS + rdl_drift_ms((uint32_t)(now_ms - f->asked_ms));

    return up_ms <= (int64_t)f->asked_ms && (uint64_t)(up_ms - f->up_ms + off_ms) <= 2 * (uint64_t)off_ms;
}

/* Converts the times to our clock, late rather than early: the replies came before now. */
static void checks_timestamp(struct rdl_conn *c, uint64_t now_ms)
{
    struct rdl_server_info *f = c->cfg->server_info;

    if (f->has & RDL_INFO_UPTIME) {
        int64_t up_ms = (int64_t)now_ms - (int64_t)rdl_ten_times(rdl_ten_times(rdl_ten_times(f->uptime_s)));
        if (!(f->has & RDL_INFO_RUN))
            take_run(f, RDL_RUN_UNNAMED, f->run == RDL_RUN_UNNAMED && is_same_start(f, up_ms, now_ms));
        f->up_ms = up_ms;
        f->asked_ms = now_ms;
    }
    if (f->seen_ms == 0)
        f->seen_ms = now_ms;
    f->has |= RDL_INFO_TIMESTAMP;
}

enum { QUESTIONS = sizeof questions / sizeof questions[0] };
static const struct rdl_conn_checks checks = {&rdl_handshake, questions,       QUESTIONS,
                                              checks_take,    checks_on_reply, checks_timestamp};
static const struct rdl_conn_checks required_checks = {
    &rdl_handshake, questions, QUESTIONS, checks_take, checks_on_required_reply, checks_timestamp};

int rdl_guard_requires_info(unsigned guard)
{
    switch ((enum rdl_guard)guard) {
    case RDL_GUARD_REQUIRED:
    case RDL_GUARD_STRICT:
        return 1;
    case RDL_GUARD_IF_PERMITTED:
    case RDL_GUARD_OFF:
        return 0;
    }
    return -1;
}

int rdl_guard_conn(struct rdl_conn *c)
{
    if (c->cfg->server_info == NULL || rdl_guard_is_late(c))
        return RDL_E_CONFIG;
    c->checks = &checks;
    return RDL_OK;
}

void rdl_guard_require_info(struct rdl_conn *c)
{
    RDL_ASSERT(c->checks == &checks || c->checks == &required_checks);
    c->checks = &required_checks;
}

const struct rdl_server_info *rdl_guard_server_info(const struct rdl_conn *c)
{
    const struct rdl_server_info *f = c->cfg->server_info;
    unsigned all = RDL_INFO_UPTIME | RDL_INFO_TIMESTAMP;

    return c->state == RDL_CONN_READY && (f->has & all) == all ? f : NULL;
}

/* ---------------------------------------------------------------- which votes count */

/* Ranks servers: first those with a vote in this operation, then by certainty. */
RDL_NOINLINE static unsigned rank(const struct rdl_server *s)
{
    return (s->vote != RDL_VOTE_NONE ? CERTAINTY_CONTINUOUS + 1u : 0) + s->certainty;
}

/*
 * Returns 1 if s is also in the list under another address, and that entry counts. That is the entry whose
 * vote may have been counted before, because a lease continues where it was granted; otherwise the first one.
 * It may be disconnected.
 */
static int is_duplicate(const struct rdl_redlock *r, const struct rdl_server *s, uint64_t run)
{
    const struct rdl_server *other;

    if (run == RDL_RUN_UNNAMED) /* unknown */
        return 0;
    for (other = r->servers; other < r->servers + r->n; other++) {
        if (other->conn->cfg->server_info->run == run &&
            (rank(other) != rank(s) ? rank(other) > rank(s) : other < s))
            return 1;
    }
    return 0;
}

uint32_t rdl_redlock_max_ttl_ms(const struct rdl_redlock *r)
{
    return r->opt->max_ttl_ms != 0 ? r->opt->max_ttl_ms : RDL_TTL_DEFAULT_MS;
}

/*@ requires \valid_read(r) && \valid_read(r->opt) && -INT64_MAX / 2 <= since_ms <= INT64_MAX / 2;
    assigns \nothing;
    ensures r->opt->max_ttl_ms != 0 ==> \result >= since_ms + r->opt->max_ttl_ms + 1000;
    ensures r->opt->max_ttl_ms == 0 ==> \result >= since_ms + RDL_TTL_DEFAULT_MS + 1000;
    ensures r->opt->max_ttl_ms != 0 ==> \result == 0 || \result <= since_ms + r->opt->max_ttl_ms + 2000; */
uint64_t rdl_guard_quarantine_end(const struct rdl_redlock *r, int64_t since_ms)
{
    uint32_t max_ttl_ms = rdl_redlock_max_ttl_ms(r);
    uint32_t over_ms = max_ttl_ms - 1000 * rdl_quotient(max_ttl_ms, 1000);
    int64_t end_ms = since_ms + max_ttl_ms + (over_ms != 0 ? 2000 - over_ms : 1000);

    return end_ms > 0 ? (uint64_t)end_ms : 0;
}

/*
 * Returns when s counts, as far as its server info is concerned. If the conn saw another run before, the
 * address may lead to another server now, which has none of the locks, however long it has been up.
 */
static uint64_t restart_counts_at(const struct rdl_redlock *r, const struct rdl_server *s, int *error)
{
    const struct rdl_server_info *f = rdl_guard_server_info(s->conn);
    int is_believed;

    *error = RDL_OK;
    if (s->conn->checks == NULL && r->opt->guard != RDL_GUARD_OFF) { /* it was set up after this redlock */
        *error = RDL_E_CONFIG;
        return UINT64_MAX;
    }
    if (f == NULL) {
        if (!rdl_guard_requires_info(r->opt->guard))
            return 0;
        *error = RDL_E_PERM;
        return UINT64_MAX;
    }
    if (is_duplicate(r, s, f->run)) {
        *error = RDL_E_DUPLICATE;
        return UINT64_MAX;
    }
    if (r->opt->guard == RDL_GUARD_OFF)
        return 0;
    is_believed = r->opt->guard != RDL_GUARD_STRICT && !f->is_other;
    return rdl_guard_quarantine_end(r, is_believed ? f->up_ms : (int64_t)f->seen_ms);
}

uint64_t rdl_guard_counts_at(const struct rdl_redlock *r, const struct rdl_server *s, int *error)
{
    uint64_t at_ms = restart_counts_at(r, s, error);
    uint64_t canary_ms = 0;

    if (r->canaries != NULL)
        canary_ms = r->canaries->ops->counts_at(r, (size_t)(s - r->servers));
    return at_ms > canary_ms ? at_ms : canary_ms;
}

uint64_t rdl_redlock_counts_at(const struct rdl_redlock *r, size_t i)
{
    int error;

    RDL_ASSERT(i < r->n);
    return rdl_guard_counts_at(r, &r->servers[i], &error);
}

int rdl_redlock_may_evict(const struct rdl_redlock *r, size_t i)
{
    const struct rdl_server_info *f = rdl_guard_server_info(r->servers[i].conn);
    unsigned both = RDL_INFO_BOUNDED | RDL_INFO_EVICTS;

    return f != NULL && (f->has & both) == both;
}
