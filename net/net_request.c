/* SPDX-License-Identifier: MIT */
/*
 * net_request.c - a request from the queue to its answer, or abandoned.
 *
 * The queue: [base, head) deferred until the next beat (net_timers.c), [head, next_to_send) sent,
 * [next_to_send, tail) not sent whole. A record contains its whole request. So a queued release outlives the
 * lock that queued it, and the connection that it was meant for.
 *
 * The methods: which of them this server accepts for a request, and which scripts it has. The server's reply
 * decides, never its version. A refusal is remembered as long as the connection lasts. A refusal that
 * concerns one request alone, because of its key, is in its record: that has skipped all methods before its
 * own.
 *
 * The request: each reply adds to the record's verdict. After the last reply of a phase, the record is
 * answered, has another phase, or uses the next method because the server refused this one.
 */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

/* ---------------------------------------------------------------- the queue of records */

/* Compiles only if RDL_REQUEST_SIZE assumes enough bytes for a record. */
RDL_STATIC_ASSERT(sizeof(struct rdl_record) <= RDL_RECORD_SIZE, requests_have_room);

static uint8_t *bytes_at(const struct rdl_conn *c, uint32_t at)
{
    return (uint8_t *)c->cfg->queue + at;
}

/* The size of a record with texts of this length; it keeps the next record aligned. */
#define RDL_SIZE_WITH(texts) ((uint32_t)((sizeof(struct rdl_record) + (texts) + 7) & ~(size_t)7))

uint32_t rdl_record_size(const struct rdl_record *r)
{
    return RDL_SIZE_WITH((size_t)r->name_len + r->value_len + r->extra_len);
}

void rdl_record_texts(const struct rdl_record *r, struct rdl_bytes own[RDL_TEXTS])
{
    const uint8_t *texts = (const uint8_t *)(r + 1);

    own[RDL_LETTER_K] = (struct rdl_bytes){texts, r->name_len};
    own[RDL_LETTER_V] = (struct rdl_bytes){texts + r->name_len, r->value_len};
    own[RDL_LETTER_X] = (struct rdl_bytes){texts + r->name_len + r->value_len, r->extra_len};
}

/* Resets a record to the state in which nothing of it was sent. */
static void record_reset_phase(struct rdl_record *r)
{
    r->len = 0;
    r->phase = RDL_PHASE_CHECK;
    r->replies = 0;
    r->verdict = RDL_ANSWER_NONE;
    r->is_refused = r->is_long = r->in_multi = r->is_exclusive = 0;
}

/* Resets a record to a new one: no method was tried either. */
static void record_reset(struct rdl_record *r)
{
    record_reset_phase(r);
    r->method = r->skipped = 0;
    r->is_sha = r->no_retry = 0;
}

/* Moves all records to the front, so that the free room is in one piece. */
static void compact(struct rdl_conn *c)
{
    rdl_copy(c->cfg->queue, bytes_at(c, c->base), (size_t)(c->tail - c->base));
    c->head -= c->base;
    c->next_to_send -= c->base;
    c->tail -= c->base;
    c->base = 0;
}

/* Appends a record. There must be room for size, its RDL_SIZE_WITH. */
static void queue_push(struct rdl_conn *c, struct rdl_req *req, const struct rdl_command *cmd, uint32_t size)
{
    struct rdl_record *r;
    uint8_t *texts;

    if (c->tail + size > c->cfg->queue_len)
        compact(c);
    c->tail += size;
    r = rdl_record_at(c, c->tail - size);
    record_reset(r);
    r->req = req;
    r->op = cmd->op;
    r->until_ms = cmd->until_ms;
    r->ttl_ms = cmd->ttl_ms;
    r->name_len = (uint8_t)cmd->name.len;
    r->value_len = (uint8_t)cmd->value.len;
    r->extra_len = (uint8_t)cmd->extra.len;
    texts = rdl_copy(r + 1, cmd->name.data, cmd->name.len);
    texts = rdl_copy(texts, cmd->value.data, cmd->value.len);
    rdl_copy(texts, cmd->extra.data, cmd->extra.len);
}

static uint32_t queue_remove(struct rdl_conn *c, uint32_t at)
{
    uint32_t size = rdl_record_size(rdl_record_at(c, at));

    if (at == c->base) {
        at = c->base += size;
        if (c->head < at)
            c->head = at;
        if (c->next_to_send < at)
            c->next_to_send = at;
    } else {
        rdl_copy(bytes_at(c, at), bytes_at(c, at + size), (size_t)(c->tail - at - size));
        c->tail -= size;
        if (at < c->next_to_send)
            c->next_to_send -= size;
        if (at < c->head)
            c->head -= size;
    }
    if (c->base == c->tail)
        c->base = c->head = c->next_to_send = c->tail = at = 0;
    return at;
}

static void reverse(uint8_t *bytes, size_t n)
{
    size_t i;

    for (i = 0; i < n / 2; i++) {
        uint8_t byte = bytes[i];
        bytes[i] = bytes[n - 1 - i];
        bytes[n - 1 - i] = byte;
    }
}

/* Moves [from, from + size) after the others without a copy: it reverses each part, then all of it. */
static void rotate(struct rdl_conn *c, uint32_t from, uint32_t size)
{
    uint8_t *queue = bytes_at(c, from);
    size_t all = (size_t)(c->tail - from);

    reverse(queue, (size_t)size);
    reverse(queue + size, all - (size_t)size);
    reverse(queue, all);
    c->next_to_send -= size;
}

/* Moves the head after all others, to be sent again. */
static void queue_repeat_head(struct rdl_conn *c)
{
    rotate(c, c->head, rdl_record_size(rdl_record_at(c, c->head)));
}

void rdl_queue_resume(struct rdl_conn *c)
{
    rotate(c, c->base, c->head - c->base);
    c->head = c->base;
}

uint32_t rdl_conn_waiting(const struct rdl_conn *c)
{
    uint32_t waiting = 0;
    uint32_t at;

    for (at = c->base; at < c->tail; at += rdl_record_size(rdl_record_at(c, at)))
        waiting++;
    return waiting;
}

int rdl_conn_is_idle(const struct rdl_conn *c)
{
    return c->base == c->tail && c->tx_sent == 0;
}

/*
 * Drops releases whose key must have expired, but never one that a caller awaits. Before a new connection it
 * checks all releases. Otherwise it checks only the deferred ones: the SETs before the others may still be
 * executed late. The expiry of an adopted key is not known, so its release is repeated for ttl_ms from now.
 */
void rdl_queue_drop_stale(struct rdl_conn *c, uint64_t now_ms)
{
    uint32_t at = c->base;

    while (at < (c->state == RDL_CONN_CLOSED ? c->tail : c->head)) {
        struct rdl_record *r = rdl_record_at(c, at);
        if (at < c->head && rdl_is_never(r->until_ms))
            r->until_ms = now_ms + r->ttl_ms;
        if (r->req != NULL || r->until_ms >= now_ms)
            at += rdl_record_size(r);
        else
            at = queue_remove(c, at);
    }
}

/*
 * Returns when a stalled conn may be closed: when the keys of its unanswered SETs must have expired, but not
 * at the moment when it stalled. Extends do not keep it. If it closes now, its requests may still be
 * executed, so pending releases stay pending for one ttl from now.
 */
uint64_t rdl_queue_stalled_end(struct rdl_conn *c, uint64_t now_ms)
{
    uint64_t end_ms = c->timer_ms;
    uint32_t at = c->head;

    while (at < c->tail) {
        struct rdl_record *r = rdl_record_at(c, at);
        if (r->op->must_send && r->until_ms < now_ms + r->ttl_ms)
            r->until_ms = now_ms + r->ttl_ms;
        if (r->op->may_grant && r->len != 0 && r->until_ms > end_ms && c->lease_timeout_ms == 0)
            end_ms = r->until_ms;
        at += rdl_record_size(r);
    }
    return end_ms;
}

/* Returns the offset of the record that req waits for; it must be queued. */
static uint32_t queue_find(const struct rdl_conn *c, const struct rdl_req *req)
{
    uint32_t at = c->head;

    while (rdl_record_at(c, at)->req != req) {
        at += rdl_record_size(rdl_record_at(c, at));
        RDL_ASSERT(at < c->tail); /* else req was copied, or the conn was initialized again too early */
    }
    RDL_ASSERT(at < c->tail);
    return at;
}

int rdl_conn_refers_to(const struct rdl_conn *c, const void *memory, size_t len)
{
    uint32_t at = c->head;

    while (at < c->tail) {
        const struct rdl_record *r = rdl_record_at(c, at);
        if ((uintptr_t)r->req - (uintptr_t)memory < len) /* NULL is in no object */
            return 1;
        at += rdl_record_size(r);
    }
    return 0;
}

RDL_NOINLINE static void req_answer(struct rdl_req *req, enum rdl_answer answer, int error)
{
    if (req == NULL)
        return;
    req->value = 0;
    req->error = (int16_t)error;
    req->answer = (uint8_t)answer;
    req->is_queued = 0;
}

/* ---------------------------------------------------------------- the methods that this server accepts */

/* rdl_conn.refused: a bit for each refused method, one that is always 0 at the end, and these. */
enum {
    SWITCHED_OFF = 1 << (RDL_METHODS_MAX + 1), /* one was refused, but not as forbidden or unknown */
    FORBIDDEN = SWITCHED_OFF << 1              /* the last one was refused as forbidden */
};
RDL_STATIC_ASSERT(FORBIDDEN <= UINT8_MAX, refusals_have_bits);

static const struct rdl_method *method_of(const struct rdl_conn *c, const struct rdl_record *r)
{
    const struct rdl_method *const *methods = r->op->methods;

    RDL_ASSERT(methods != NULL || r->op->family - 1u < RDL_METHOD_FAMILIES);
    if (methods == NULL)
        methods = c->cfg->methods->of[r->op->family - 1];
    return methods[r->method];
}

static const struct rdl_method *method_choose(const struct rdl_conn *c, struct rdl_record *r)
{
    const struct rdl_method *method;

    for (;;) {
        RDL_ASSERT(r->op->family < RDL_FAMILIES);
        while (c->refused[r->op->family] >> r->method & 1)
            r->method++;
        method = method_of(c, r);
        if (method != NULL || r->op->then == NULL)
            return method;
        r->op = r->op->then;
        r->method = 0;
    }
}

void rdl_method_refuse(struct rdl_conn *c, const struct rdl_record *r)
{
    unsigned refused = c->refused[r->op->family] & ~(unsigned)FORBIDDEN;

    RDL_ASSERT(r->method < RDL_METHODS_MAX);
    if (rdl_error_code(c->reply) == RDL_E_PERM)
        refused |= FORBIDDEN;
    else if ((c->reply[4] | 0x20) != 'u') /* "ERR unknown", "ERR Unknown" */
        refused |= SWITCHED_OFF;
    c->refused[r->op->family] = (uint8_t)(refused | 1u << r->method);
}

/*
 * Remembers as refused the methods that r skipped after unknown errors: r was answered without an error. It
 * has skipped the first method of that family, or it would have nothing to remember.
 */
static void method_learn(struct rdl_conn *c, const struct rdl_record *r)
{
    c->refused[r->op->family] |= (uint8_t)((1u << r->method) - 1);
    c->refused[r->op->fallback_family] |= 1;
}

int rdl_conn_is_switched_off(const struct rdl_conn *c, const struct rdl_op *op)
{
    return (c->refused[op->family] & SWITCHED_OFF) != 0;
}

static int method_error(const struct rdl_conn *c, const struct rdl_record *r)
{
    return (c->refused[r->op->family] & FORBIDDEN) != 0 ? RDL_E_PERM : RDL_E_UNSUPPORTED;
}

int rdl_conn_refuses(const struct rdl_conn *c, const struct rdl_op *op)
{
    struct rdl_record r;

    if (c->cfg->methods == NULL)
        return RDL_E_CONFIG;
    r.op = op;
    r.method = 0;
    return method_choose(c, &r) != NULL ? RDL_OK : method_error(c, &r);
}

/* ---------------------------------------------------------------- EVAL or EVALSHA */

/* rdl_conn.scripts: a bit for each script whose text was sent, and this one if EVALSHA itself is refused. */
enum { SHA_BARRED = 1 << RDL_SCRIPTS_MAX };
RDL_STATIC_ASSERT(RDL_SCRIPTS_MAX < 15, scripts_have_bits); /* of an int of 16 bits */

static int sha_select(struct rdl_conn *c, const struct rdl_script *s)
{
    uint16_t bit = (uint16_t)(1u << s->number);
    int is_known = (c->scripts & (SHA_BARRED | bit)) == bit;

    RDL_ASSERT(s->number < RDL_SCRIPTS_MAX);
    c->scripts |= bit;
    return is_known;
}

/*
 * Notes that EVALSHA was refused: as such, or (NOSCRIPT) until EVAL has sent the text again. A server that
 * has forgotten one script has forgotten all.
 */
static void sha_forget(struct rdl_conn *c, int is_noscript)
{
    c->scripts = is_noscript ? 0 : SHA_BARRED;
}

/* ---------------------------------------------------------------- to write a request */

static void request_write(const struct rdl_conn *c, const struct rdl_record *r, unsigned first,
                          struct rdl_slice *w)
{
    const struct rdl_method *method = method_of(c, r);
    const char *const *commands = method->commands + r->phase + first;
    char ttl[RDL_DEC_MAX];
    struct rdl_bytes own[RDL_LETTERS];
    struct rdl_args args;

    rdl_record_texts(r, own);
    own[RDL_LETTER_M].data = ttl;
    own[RDL_LETTER_M].len = rdl_dec_u32(ttl, r->ttl_ms);
    own[RDL_LETTER_C].len = own[RDL_LETTER_S].len = 0; /* a template has these letters only with a script */
    if (method->script != NULL)
        rdl_script_call(method->script, r->is_sha, &own[RDL_LETTER_C], &own[RDL_LETTER_S]);
    args.letters = RDL_RECORD_LETTERS;
    args.arg = own;
    args.n = RDL_LETTERS;
    if (method->write_args != NULL) {
        method->write_args(w, commands, own, c, r);
        return;
    }
    for (; *commands != NULL; commands++) /* rdl_slice_write_all, without its frame on the deepest stack */
        rdl_slice_write(w, *commands, &args);
}

/* ---------------------------------------------------------------- to send requests */

/* Returns whether a request may be sent now, or goes on. A method that has the conn for itself goes alone. */
static int may_send(const struct rdl_conn *c, uint32_t at)
{
    const struct rdl_method *method;

    if (at == c->head || rdl_record_at(c, at)->len != 0)
        return 1;
    if (rdl_record_at(c, c->head)->is_exclusive)
        return 0;
    method = method_choose(c, rdl_record_at(c, at));
    return method == NULL || method->next_phase == NULL;
}

int rdl_queue_has_more(const struct rdl_conn *c)
{
    return c->next_to_send != c->tail && may_send(c, c->next_to_send);
}

/*
 * Selects the method, and EVAL or EVALSHA. It does so once, because all chunks of the request must fit
 * together. Returns 0 if the server has refused every method before; the request is answered then.
 */
static int select_method(struct rdl_conn *c, struct rdl_record *r)
{
    const struct rdl_method *method = r->phase == RDL_PHASE_CHECK ? method_choose(c, r) : method_of(c, r);

    if (method == NULL) {
        req_answer(r->req, RDL_ANSWER_ERROR, r->skipped != RDL_SKIPPED_NONE ? r->error : method_error(c, r));
        return 0;
    }
    r->is_exclusive = method->next_phase != NULL;
    r->is_sha = method->script != NULL && sha_select(c, method->script) && r->skipped == RDL_SKIPPED_NONE;
    return 1;
}

/* Writes the rest of the requests whose method was selected, then more requests while there is room. */
void rdl_queue_write(struct rdl_conn *c, struct rdl_slice *w)
{
    uint32_t at = c->next_to_send;

    while (at < c->tail && w->room > 0) {
        struct rdl_record *r = rdl_record_at(c, at);

        if (!may_send(c, at))
            return;
        if (r->len == 0 && !select_method(c, r)) {
            at = queue_remove(c, at);
            continue;
        }
        w->total = 0;
        request_write(c, r, 0, w);
        r->len = (uint16_t)w->total;
        at += rdl_record_size(r);
    }
}

void rdl_queue_sent(struct rdl_conn *c)
{
    while (c->tx_sent > 0) {
        const struct rdl_record *r = rdl_record_at(c, c->next_to_send);

        RDL_ASSERT(r->len != 0); /* the driver reports more than there was */
        if (c->tx_sent < r->len)
            return;
        c->tx_sent -= r->len;
        c->next_to_send += rdl_record_size(r);
    }
}

/* ---------------------------------------------------------------- kinds of replies */

void rdl_record_complete(struct rdl_record *r, int64_t value)
{
    /* not the error of a method that was skipped */
    int error = r->verdict >= RDL_ANSWER_ERROR ? r->error : RDL_OK;

    req_answer(r->req, (enum rdl_answer)r->verdict, error);
    if (r->req != NULL)
        r->req->value = value;
    r->req = NULL;
}

void rdl_record_copy_text(const struct rdl_conn *c, const struct rdl_record *r, size_t most)
{
    size_t n = c->reply_len < most ? c->reply_len : most;

    if (r->req == NULL || r->req->text == NULL)
        return;
    rdl_copy(r->req->text, c->reply, n);
    r->req->text_len = (uint8_t)n;
}

int rdl_reply_is_ok(const struct rdl_conn *c)
{
    return c->reply_kind == RDL_RESP_STATUS && c->reply_len == 2 && c->reply[0] == 'O' && c->reply[1] == 'K';
}

int rdl_reply_is_text(const struct rdl_conn *c, struct rdl_bytes text)
{
    return c->reply_len == text.len && rdl_is_same(c->reply, text.data, text.len);
}

void rdl_take_numbers(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_resp_event *ev)
{
    int64_t *item = c->reply_items == 0 ? &c->reply_value : &c->reply_second;
    size_t i;

    (void)r;
    if (ev->kind == RDL_RESP_ARRAY || ev->kind == RDL_RESP_ERROR || c->reply_items > 1)
        return;
    if (ev->first)
        *item = ev->kind == RDL_RESP_INT ? ev->value : ev->kind == RDL_RESP_STATUS;
    for (i = 0; ev->kind == RDL_RESP_BULK && i < ev->len; i++) {
        if (ev->data[i] < '0' || ev->data[i] > '9' || *item > INT32_MAX)
            *item = -1;
        else if (*item >= 0)
            *item = (int64_t)rdl_ten_times((uint64_t)*item) + (ev->data[i] - '0');
    }
    if (ev->last)
        c->reply_items++;
}

/*
 * Returns whether NOPERM refuses a command: "this user has no permissions to run the 'set' command", "User lk
 * has no permissions to run ...". Errors from inside a script count as such. For a key the words differ, and
 * a long user name pushes them out of the text that is kept.
 */
static int is_command(const char *text)
{
    if (*text != 'N')
        return 1;
    while (*text != '\0' && !rdl_has_prefix(text, " to run"))
        text++;
    return *text != '\0';
}

/* Notes that the server refuses this method: for any request, for this key, or for an unknown reason. */
static void refuse_method(struct rdl_conn *c, struct rdl_record *r, int class)
{
    r->is_refused = 1;
    if (class == RDL_OTHER)
        r->skipped = r->skipped == RDL_SKIPPED_NONE ? RDL_SKIPPED_ERROR : r->skipped;
    else if (class == RDL_E_PERM && !is_command(c->reply))
        r->skipped = RDL_SKIPPED_KEY;
    else if (r->is_sha)
        sha_forget(c, rdl_has_prefix(c->reply, "NOSCRIPT"));
    else
        rdl_method_refuse(c, r);
}

/* Returns whether another method may do what this one did not. */
RDL_NOINLINE static int is_refusal_of_method(const struct rdl_record *r, int class)
{
    if (r->op->family == RDL_FAMILY_DIRECT)
        return 0;
    if (class == RDL_OTHER)
        return r->op->fallback_family != 0;
    return class == RDL_E_UNSUPPORTED || class == RDL_E_PERM;
}

int rdl_reply_error(struct rdl_conn *c, struct rdl_record *r)
{
    int class = rdl_error_class(c->reply);

    if (c->reply_kind != RDL_RESP_ERROR)
        return RDL_E_UNEXPECTED;
    if (r->is_refused) /* noted before */
        return RDL_OK;
    if (class == RDL_E_WRONGTYPE && !r->op->may_grant) {
        r->verdict = RDL_ANSWER_NO; /* another value replaced the lock */
        return RDL_OK;
    }
    r->verdict = RDL_ANSWER_ERROR;
    if (r->skipped == RDL_SKIPPED_NONE) { /* else the first error is the reason */
        rdl_conn_set_text(c, c->reply);
        r->error = (int8_t)(class == RDL_OTHER ? RDL_E_SERVER : class);
    }
    if (class == RDL_E_READONLY) /* a replica stays one as long as the connection lasts */
        return class;
    if (!is_refusal_of_method(r, class))
        return RDL_OK;
    if (!r->no_retry)
        refuse_method(c, r, class);
    else if (r->is_sha) /* its release follows, so EVAL must not repeat it: a temporary error */
        r->error = RDL_E_SERVER;
    return RDL_OK;
}

/* ---------------------------------------------------------------- phases */

/* Starts again: with the next method, or with the same one after the key changed. */
static void start_over(struct rdl_conn *c, struct rdl_record *r)
{
    record_reset_phase(r);
    if (r->req != NULL) {
        r->req->was_reordered = 1;
        if (r->skipped == RDL_SKIPPED_ERROR) /* the error may be a proxy's, after the request was executed */
            r->req->may_be_second = 1;
    }
    queue_repeat_head(c);
}

/* Returns whether to try another method. Not for an abandoned acquire: it would follow its own release. */
static int advance_method(const struct rdl_conn *c, struct rdl_record *r)
{
    if (r->req == NULL && !r->op->must_send)
        return 0;
    if (r->is_refused &&
        (!r->is_sha || r->skipped == RDL_SKIPPED_ERROR)) /* after a refused EVALSHA, EVAL is next */
        r->method++;
    return r->verdict == RDL_ANSWER_NONE || (r->is_refused && method_choose(c, r) != NULL);
}

/*
 * Ends an answered request. A release that met a temporary error is deferred until the next beat, and then
 * sent again, unless its ttl_ms is 0.
 */
static void end_request(struct rdl_conn *c, struct rdl_record *r)
{
    rdl_record_complete(r, 0);
    if (r->op->must_send != RDL_SEND_ALWAYS || r->ttl_ms == 0 || r->verdict != RDL_ANSWER_ERROR ||
        rdl_is_permanent(r->error)) {
        queue_remove(c, c->head);
        return;
    }
    /*
     * A failed EVAL may not have cached the script, so send EVAL again. After EVALSHA, the retry by NOSCRIPT
     * would run after later requests.
     */
    if (!r->is_sha)
        sha_forget(c, 1);
    record_reset(r);
    c->head += rdl_record_size(r);
}

static void end_phase(struct rdl_conn *c, const struct rdl_method *method, struct rdl_record *r)
{
    uint8_t next = method->next_phase != NULL ? method->next_phase(r) : RDL_PHASE_CHECK;

    if (next != RDL_PHASE_CHECK) { /* nothing was sent after this request, so the phase is next */
        r->phase = next;
        r->replies = 0;
        r->len = 0;
        c->next_to_send = c->head;
        return;
    }
    if (advance_method(c, r)) {
        start_over(c, r);
    } else {
        c->failures = 0; /* the connection works */
        if (r->skipped == RDL_SKIPPED_ERROR && !r->is_refused && r->verdict != RDL_ANSWER_ERROR)
            method_learn(c, r);
        end_request(c, r);
    }
}

/*
 * Returns whether the command of the next reply was sent whole. If a request is sent in pieces, the first
 * command may be answered while others are not sent yet.
 */
static int command_was_sent(const struct rdl_conn *c)
{
    const struct rdl_record *r;
    struct rdl_slice rest;

    if (c->head != c->next_to_send)
        return 1;
    if (c->tx_sent == 0)
        return 0;
    r = rdl_record_at(c, c->head);
    rdl_slice_init(&rest, NULL, 0, 0); /* no room, so it only counts */
    request_write(c, r, r->replies + 1u, &rest);
    return c->tx_sent + rest.total >= r->len;
}

void rdl_request_take(struct rdl_conn *c, const struct rdl_resp_event *ev)
{
    const struct rdl_record *r;
    const struct rdl_method *method;

    if (c->state != RDL_CONN_READY || !rdl_queue_is_awaited(c))
        return;
    r = rdl_record_at(c, c->head);
    method = method_of(c, r);
    if (r->len != 0 && method->take != NULL)
        method->take(c, r, ev);
}

int rdl_request_reply(struct rdl_conn *c)
{
    const struct rdl_method *method;
    struct rdl_record *r;
    int rc;

    if (!command_was_sent(c))
        return rdl_unexpected_reply(c);
    r = rdl_record_at(c, c->head);
    method = method_of(c, r);
    rc = method->on_reply(c, r);
    r->replies++;
    if (rc == RDL_E_READONLY) /* the connection ends; a refused release stays queued for the next */
        end_request(c, r);
    else if (rc == RDL_OK && method->commands[r->phase + r->replies] == NULL)
        end_phase(c, method, r);
    return rc;
}

/* ---------------------------------------------------------------- without a reply */

/* Returns whether it may have reached the server: a byte that the driver got counts as sent. */
static int record_was_sent(const struct rdl_record *r)
{
    return r->len != 0 || r->phase != RDL_PHASE_CHECK;
}

/* Answers r, whose reply is not waited for any more. The error is the reason. */
static void answer_without_reply(struct rdl_record *r, int was_sent, int error)
{
    struct rdl_req *req = r->req;

    r->req = NULL;
    if (req == NULL)
        return;
    if (r->op->may_grant && r->verdict == RDL_ANSWER_NO) { /* SET was refused, only the PTTL is missing */
        req_answer(req, RDL_ANSWER_NO, RDL_OK);
        req->value = -2;
    } else {
        req_answer(req, was_sent || req->may_be_second ? RDL_ANSWER_UNKNOWN : RDL_ANSWER_UNSENT, error);
    }
}

void rdl_requests_disconnected(struct rdl_conn *c)
{
    uint32_t at = c->head = c->base;

    while (at < c->tail) {
        struct rdl_record *r = rdl_record_at(c, at);
        int was_sent = record_was_sent(r);
        if (r->op->must_send == RDL_SEND_ALWAYS && was_sent && r->req != NULL && !r->req->may_be_second) {
            r->req->may_be_second = 1; /* the reply comes over the next connection */
        } else {
            answer_without_reply(r, was_sent, c->error);
        }
        if (r->op->must_send == RDL_SEND_ALWAYS) {
            record_reset(r);
            at += rdl_record_size(r);
        } else {
            at = queue_remove(c, at);
        }
    }
    c->next_to_send = c->head;
    c->tx_sent = 0;
}

void rdl_conn_abandon(struct rdl_conn *c, struct rdl_req *req)
{
    struct rdl_record *r;
    uint32_t at;
    int was_sent;

    if (!req->is_queued)
        return;
    at = queue_find(c, req);
    r = rdl_record_at(c, at);
    was_sent = record_was_sent(r);
    answer_without_reply(r, was_sent, RDL_E_TIMEOUT);
    if (!was_sent && !r->op->must_send)
        queue_remove(c, at);
}

void rdl_conn_forbid_retry(struct rdl_conn *c, struct rdl_req *req)
{
    struct rdl_record *r;
    uint32_t at;

    if (!req->is_queued)
        return;
    at = queue_find(c, req);
    r = rdl_record_at(c, at);
    if (r->len == 0 || r->is_exclusive)
        rdl_conn_abandon(c, req);
    else
        r->no_retry = 1;
}

/* ---------------------------------------------------------------- queueing */

/* Without methods a granted lock could not be released. Without a login it would exclude no other client. */
int rdl_config_check(const struct rdl_conn_config *cfg)
{
    const struct rdl_endpoint *ep = cfg->endpoint;

    int needs_login = (ep->user.len | ep->password.len | ep->db) != 0; /* a client name alone does not */

    return cfg->methods == NULL || (cfg->login == NULL && needs_login) ? RDL_E_CONFIG : RDL_OK;
}

void rdl_conn_free_room(struct rdl_conn *c, struct rdl_req *req)
{
    /* else req was freed or the conn initialized again too early */
    RDL_ASSERT(c->reserved >= req->room * 8u);
    c->reserved -= req->room * 8u;
    req->room = 0;
}

int rdl_conn_submit(struct rdl_conn *c, struct rdl_req *req, const struct rdl_command *cmd)
{
    int rc = rdl_config_check(c->cfg);
    uint32_t size;
    uint32_t needed;

    RDL_ASSERT(cmd->name.len >= 1 && cmd->name.len <= RDL_ARGUMENT_MAX);
    RDL_ASSERT(cmd->value.len <= RDL_ARGUMENT_MAX && cmd->extra.len <= RDL_ARGUMENT_MAX);
    RDL_ASSERT(cmd->op->family < RDL_FAMILIES);
    RDL_ASSERT(req == NULL || !req->is_queued);
    RDL_ASSERT(req != NULL || (cmd->op->must_send && !cmd->op->may_grant));
    if (rc != RDL_OK)
        return rc;
    if (c->state == RDL_CONN_STALLED && cmd->op->must_send != RDL_SEND_ALWAYS)
        return RDL_E_TIMEOUT;
    if (cmd->op->may_grant)
        rdl_conn_free_room(c, req);
    /* A release must fit after any request for a lock; a request that may grant reserves that room. */
    size = RDL_SIZE_WITH(cmd->name.len + cmd->value.len + cmd->extra.len);
    needed = cmd->op->must_send ? size : 2 * size;
    if (needed > c->cfg->queue_len)
        return RDL_E_CONFIG;
    if (rdl_queue_len(c) + needed + c->reserved > c->cfg->queue_len)
        return RDL_E_FULL;
    queue_push(c, req, cmd, size);
    if (cmd->op->may_grant) {
        req->room = (uint8_t)(size / 8); /* a record's size is a multiple of 8 */
        c->reserved += req->room * 8u;
    }
    if (req != NULL) {
        req_answer(req, RDL_ANSWER_NONE, RDL_OK);
        req->is_queued = 1;
        req->was_reordered = 0;
        if (!cmd->op->must_send)
            req->may_be_second = 0;
    }
    return RDL_OK;
}
