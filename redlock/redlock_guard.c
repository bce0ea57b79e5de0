/* SPDX-License-Identifier: MIT */
/*
 * redlock_guard.c - the restart guard: from when on a server's word counts.
 *
 * A server that lost its memory when it restarted may grant again what somebody holds. It is therefore left
 * out of every count until every lease granted before the restart has expired: max_ttl and a second, because
 * uptime_in_seconds is the difference of two clocks that were cut to seconds.
 *
 * So every new connection is asked first since when its server runs, and whether it is one that can hold a
 * lock at all. All in one go, behind the login. INFO is read line by line as it comes, in pieces of any size;
 * each section is a request of its own, because several in one are taken from Redis 7 on only. An answer is
 * about this connection, and forgotten with it: a server cannot restart without ending its connections.
 */
#include "redlock/redlock_private.h"
#include "resp/resp_bytes.h"

enum { START_OFF_MS = 2000 }; /* of two uptimes in whole seconds, besides the drift */

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

uint64_t rdl_guard_run(const char *hex)
{
    uint64_t run = 0;
    size_t i;

    for (i = 0; i < RDL_RUN_DIGITS && hex[i] != '\0'; i++)
        run = run << 4 | (uint64_t)(hex[i] <= '9' ? hex[i] - '0' : (hex[i] - 'a' + 10) & 15);
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

static uint32_t number_of(const char *digits)
{
    uint32_t n = 0;

    for (; *digits >= '0' && *digits <= '9'; digits++) {
        if (n > INT32_MAX / 10)
            return INT32_MAX;
        n = n * 10 + (uint32_t)(*digits - '0');
    }
    return n;
}

/* What the first letter of a value says: the fact, if it is this letter, or if it is another. */
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
    const char *value;
    size_t i;

    if ((value = value_of(c, "run_id:")) != NULL) {
        uint64_t run = rdl_guard_run(value);
        take_run(f, run, run == f->run);
        f->has |= RDL_INFO_RUN;
    }
    if ((value = value_of(c, "uptime_in_seconds:")) != NULL) {
        f->uptime_s = number_of(value);
        f->has |= RDL_INFO_UPTIME;
    }
    for (i = 0; i < sizeof info_letters / sizeof info_letters[0]; i++) {
        value = value_of(c, info_letters[i].name);
        if (value != NULL && (*value != info_letters[i].letter) == info_letters[i].is_other)
            f->has |= info_letters[i].fact;
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

/* ---------------------------------------------------------------- answers */

/* What makes a server useless for locks, said once the sections are in. */
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

/* Does the text name INFO, in any case, as a word of its own? */
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
 * A proxy refuses INFO in words of its own. What it says of its server ("upstream failure") is another
 * matter: that server may be coming back without its data, and has to be asked again.
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

/*
 * By its start, is this the run that was here when INFO was last answered? Uptimes are whole seconds, and the
 * server's clock may run at another rate than ours. What was 49 days ago may be taken for another run.
 */
static int is_same_start(const struct rdl_server_info *f, int64_t up_ms, uint64_t now_ms)
{
    uint32_t off_ms = START_OFF_MS + rdl_drift_ms((uint32_t)(now_ms - f->asked_ms));

    return up_ms <= (int64_t)f->asked_ms && (uint64_t)(up_ms - f->up_ms + off_ms) <= 2 * (uint64_t)off_ms;
}

/* On our clock, late rather than early: the answers came before now. */
static void checks_timestamp(struct rdl_conn *c, uint64_t now_ms)
{
    struct rdl_server_info *f = c->cfg->server_info;

    if (f->has & RDL_INFO_UPTIME) {
        int64_t up_ms = (int64_t)now_ms - (int64_t)f->uptime_s * 1000;
        if (!(f->has & RDL_INFO_RUN))
            take_run(f, RDL_RUN_UNNAMED, f->run == RDL_RUN_UNNAMED && is_same_start(f, up_ms, now_ms));
        f->up_ms = up_ms;
        f->asked_ms = now_ms;
    }
    if (f->seen_ms == 0)
        f->seen_ms = now_ms;
    f->has |= RDL_INFO_TIMESTAMP;
}

static const struct rdl_conn_checks checks = {questions, sizeof questions / sizeof questions[0], checks_take,
                                              checks_on_reply, checks_timestamp};

int rdl_guard_conn(struct rdl_conn *c)
{
    if (c->cfg->server_info == NULL)
        return RDL_E_SERVER_INFO;
    if (c->checks == NULL && c->state != RDL_CONN_CLOSED && c->state != RDL_CONN_OPENING)
        return RDL_E_GUARD_LATE;
    c->checks = &checks;
    return RDL_OK;
}

const struct rdl_server_info *rdl_guard_server_info(const struct rdl_conn *c)
{
    const struct rdl_server_info *f = c->cfg->server_info;
    unsigned all = RDL_INFO_UPTIME | RDL_INFO_TIMESTAMP;

    return c->state == RDL_CONN_READY && (f->has & all) == all ? f : NULL;
}

/* ---------------------------------------------------------------- whose word counts */

/* That it was asked in this operation; then how surely we hold the lock over it. */
static unsigned rank(const struct rdl_server *s)
{
    return (s->vote != RDL_VOTE_NONE ? CERTAINTY_CONTINUOUS + 1u : 0) + s->certainty;
}

/*
 * It is another one of them, behind a second address, and that one counts: its vote may have been counted
 * before, and a lease goes on where it was granted; else it is the first. Also while it is not connected.
 */
static int is_duplicate(const struct rdl_redlock *r, const struct rdl_server *s, uint64_t run)
{
    const struct rdl_server *other;

    if (run == RDL_RUN_UNNAMED) /* nobody can say */
        return 0;
    for (other = r->servers; other < r->servers + r->n; other++) {
        int is_before = rank(other) != rank(s) ? rank(other) > rank(s) : other < s;
        if (is_before && other->conn->cfg->server_info->run == run)
            return 1;
    }
    return 0;
}

uint64_t rdl_guard_quarantine_end(const struct rdl_redlock *r, int64_t since_ms)
{
    uint32_t max_ttl_s = r->opt->max_ttl_ms / 1000 + (r->opt->max_ttl_ms % 1000 != 0);
    int64_t end_ms = since_ms + ((int64_t)max_ttl_s + 1) * 1000;

    return end_ms > 0 ? (uint64_t)end_ms : 0;
}

/*
 * By what the server said of itself. Where another run was before it may be another server, which the address
 * now leads to: it knows nothing of the leases, however long it is up.
 */
static uint64_t restart_counts_at(const struct rdl_redlock *r, const struct rdl_server *s, int *error)
{
    const struct rdl_server_info *f = rdl_guard_server_info(s->conn);
    int is_believed;

    *error = RDL_OK;
    if (f == NULL) {
        if (r->opt->guard >= RDL_GUARD_IF_PERMITTED)
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
