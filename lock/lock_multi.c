/* SPDX-License-Identifier: MIT */
/* lock_multi.c - several plain locks on one server, held as one: all of them are taken, or none. */
#include "lock/lock_multi.h"

#include "lock/lock_private.h"
#include "resp/resp_bytes.h"

#define RDL_METHODS(...) ((const struct rdl_method *const[]){__VA_ARGS__, NULL})

/* ---------------------------------------------------------------- requests */

/* Finds the names of a request (see pack()). Returns their number. */
static size_t unpack(struct rdl_bytes packed, struct rdl_bytes names[RDL_MULTI_MAX])
{
    const uint8_t *at = packed.data;
    const uint8_t *end = at + packed.len;
    size_t n;

    for (n = 0; at < end && n < RDL_MULTI_MAX; n++) {
        names[n] = (struct rdl_bytes){at + 1, at[0]};
        at += 1 + at[0];
        RDL_ASSERT(at <= end);
    }
    return n;
}

/* Release without scripts: the first of two methods that write a command for each name (see below). */
enum { BY_DELEX = 1 };

/* Returns the number of bulk strings of a template. */
static size_t strings_of(const char *command)
{
    size_t n = 0;

    while (*command != '\0')
        n += *command++ == '$';
    return n;
}

/*
 * Writes commands. a and y depend on the number of names. There is one k for each name, and after each name
 * of MSETEX the value. PTTL has the first name, because all keys expire together. DELEX and DELIFEQ follow
 * for one name after the other.
 */
static void multi_write_args(struct rdl_slice *w, const char *const *commands,
                             const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                             const struct rdl_record *r)
{
    enum { V, M, C, S, X, A, Y, K };
    struct rdl_bytes names[RDL_MULTI_MAX], all[K + 2 * RDL_MULTI_MAX];
    struct rdl_args args = {"vmcsxaykkkkkkkkkkkkkkkk", all, 0};
    size_t n = unpack(own[RDL_LETTER_K], names);
    size_t at = (size_t)(commands - r->op->methods[r->method]->commands);
    int is_each = r->op->must_send && r->method >= BY_DELEX;
    char keys = (char)('0' + n);

    (void)c;
    all[V] = own[RDL_LETTER_V];
    all[M] = own[RDL_LETTER_M];
    all[C] = own[RDL_LETTER_C];
    all[S] = own[RDL_LETTER_S];
    all[X] = (struct rdl_bytes){r->op->may_grant ? "NX" : "XX", 2};
    all[Y] = (struct rdl_bytes){&keys, 1};
    all[A].data = NULL;
    for (; *commands != NULL && !(is_each && at >= n); commands++, at++) {
        const char *command = is_each && r->method != BY_DELEX ? rdl_wire_delifeq : *commands;
        size_t i = is_each ? at : 0;
        size_t end = is_each || command == rdl_wire_pttl ? i + 1 : n;

        for (args.n = K; i < end; i++) {
            all[args.n++] = names[i];
            if (command == rdl_wire_msetex)
                all[args.n++] = own[RDL_LETTER_V];
        }
        all[A].len = args.n - K + strings_of(command) - 1;
        rdl_slice_write(w, command, &args);
    }
}

/*
 * Reads the reply to an acquire. Of the errors that may pass, only OOM comes from a call inside the script:
 * the others refuse the whole script. Then the request's value is 1.
 */
static int multi_on_grant_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int rc = rdl_script_on_grant_reply(c, r);

    if (c->reply_kind == RDL_RESP_ERROR && rdl_has_prefix(c->reply, "OOM"))
        rdl_record_complete(r, 1);
    return rc;
}

/* ---------------------------------------------------------------- without scripts */

/*
 * Acquire and extend by WATCH (lock_requests.c), with MSETEX (Redis 8.4, Valkey 9.1) as the change. It sets
 * all keys: with NX if none of them exists, with XX if all hold our value. So an acquire needs what an extend
 * needs, and a lock that cannot be extended is not granted.
 */

static const char *command_of(const struct rdl_record *r)
{
    return r->op->methods[r->method]->commands[r->phase + r->replies];
}

/* What MGET found, in reply_items. reply_second is how many bytes of the present value are ours. */
enum { FOUND_NONE = 1, FOUND_OURS = 2, FOUND_OTHER = 4 };
enum { MISMATCH = UINT8_MAX };

static void msetex_take(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_resp_event *ev)
{
    struct rdl_bytes own[RDL_TEXTS];
    size_t same = ev->first ? 0 : (size_t)c->reply_second;
    int found = 0;

    if (command_of(r) != rdl_wire_mget) {
        rdl_take_numbers(c, r, ev);
        return;
    }
    rdl_record_texts(r, own);
    if (same + ev->len <= r->value_len &&
        rdl_is_same((const char *)own[RDL_LETTER_V].data + same, ev->data, ev->len))
        same += ev->len;
    else
        same = MISMATCH;
    c->reply_second = (int64_t)same;
    if (ev->kind == RDL_RESP_NIL)
        found = FOUND_NONE;
    else if (ev->kind != RDL_RESP_ARRAY && ev->last)
        found = same == r->value_len ? FOUND_OURS : FOUND_OTHER;
    c->reply_items = (uint8_t)(c->reply_items | found);
}

static int msetex_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int is_good = c->reply_items == (r->op->may_grant ? FOUND_NONE : FOUND_OURS);
    int rc;

    if (c->reply_kind == RDL_RESP_ERROR && !r->is_refused && rdl_error_code(c->reply) == RDL_E_UNSUPPORTED) {
        uint8_t *refused = &c->refused[RDL_FAMILY_MULTI]; /* as before: the reason is that of the scripts */
        *refused = (uint8_t)(*refused | 1u << r->method);
        r->is_refused = 1;
        r->verdict = RDL_ANSWER_ERROR;
        if (r->skipped == RDL_SKIPPED_NONE)
            r->error = (int8_t)rdl_conn_refuses(c, r->op);
        return RDL_OK;
    }
    if (c->reply_kind == RDL_RESP_ARRAY && command_of(r) == rdl_wire_mget) /* as if it were GET */
        c->reply_kind = !is_good && (c->reply_items & FOUND_OTHER) == 0 ? RDL_RESP_NIL : RDL_RESP_BULK;
    rc = rdl_watch_on_reply(c, r, is_good);
    if (!r->op->may_grant)
        return rc;
    r->is_long = 0; /* of a list, which MGET does not find: only MSETEX grants */
    if (r->verdict == RDL_ANSWER_NO || r->verdict == RDL_ANSWER_ABSENT) {
        r->verdict = RDL_ANSWER_NO;
        if (c->reply_items & FOUND_OURS) /* a script set some before a key was refused: they are released */
            r->verdict = r->skipped != RDL_SKIPPED_NONE ? RDL_ANSWER_ERROR : RDL_ANSWER_UNKNOWN;
        rdl_record_complete(r, -2);
    }
    return rc;
}

static const char *const msetex_commands[] = {rdl_wire_watch_all,
                                              rdl_wire_mget,
                                              rdl_wire_pttl,
                                              rdl_wire_multi,
                                              NULL,
                                              rdl_wire_msetex,
                                              rdl_wire_exec,
                                              NULL,
                                              rdl_wire_pttl,
                                              rdl_wire_exec,
                                              NULL,
                                              rdl_wire_discard,
                                              NULL};
static const struct rdl_method msetex_method = {.commands = msetex_commands,
                                                .next_phase = rdl_watch_next,
                                                .write_args = multi_write_args,
                                                .on_reply = msetex_on_reply,
                                                .take = msetex_take};

/*
 * Release by DELEX or DELIFEQ of each name, so that a lost key does not keep the others. There is one reply
 * for each name.
 */
static int each_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    struct rdl_bytes own[RDL_TEXTS], names[RDL_MULTI_MAX];
    int rc = RDL_OK;

    if (c->reply_kind != RDL_RESP_INT)
        rc = rdl_reply_error(c, r);
    else if (r->verdict != RDL_ANSWER_ERROR && r->verdict != RDL_ANSWER_NO)
        r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    rdl_record_texts(r, own);
    if (r->replies + 1u == unpack(own[RDL_LETTER_K], names))
        r->replies = RDL_MULTI_MAX - 1; /* it is the last one */
    return rc;
}

static const struct rdl_method each_method = {
    .commands = RDL_COMMANDS(rdl_wire_delex, rdl_wire_delex, rdl_wire_delex, rdl_wire_delex, rdl_wire_delex,
                             rdl_wire_delex, rdl_wire_delex, rdl_wire_delex),
    .write_args = multi_write_args,
    .on_reply = each_on_reply};

/* ---------------------------------------------------------------- the operations */

static const char *const multi_call[] = {rdl_wire_call_multi, NULL};
static const struct rdl_method acquire_multi_method = {.commands = multi_call,
                                                       .write_args = multi_write_args,
                                                       .on_reply = multi_on_grant_reply,
                                                       .script = &rdl_script_acquire_multi,
                                                       .take = rdl_take_numbers};
static const struct rdl_method extend_multi_method = {.commands = multi_call,
                                                      .write_args = multi_write_args,
                                                      .on_reply = rdl_script_on_reply,
                                                      .script = &rdl_script_extend_multi};
static const struct rdl_method release_multi_method = {.commands = RDL_COMMANDS(rdl_wire_call_release_multi),
                                                       .write_args = multi_write_args,
                                                       .on_reply = rdl_script_on_reply,
                                                       .script = &rdl_script_release_multi};
const struct rdl_op rdl_op_acquire_multi = {.methods = RDL_METHODS(&acquire_multi_method, &msetex_method),
                                            .family = RDL_FAMILY_MULTI,
                                            .may_grant = 1};
const struct rdl_op rdl_op_extend_multi = {.methods = RDL_METHODS(&extend_multi_method, &msetex_method),
                                           .family = RDL_FAMILY_MULTI};
const struct rdl_op rdl_op_release_multi = {
    .methods = RDL_METHODS(&release_multi_method, &each_method, &each_method),
    .family = RDL_FAMILY_RELEASE_MULTI,
    .must_send = RDL_SEND_ALWAYS};

/* ---------------------------------------------------------------- the mode */

/* Returns whether a call inside the script may have failed: then the keys before that one are set. */
static int is_halfway(const struct rdl_lock *l)
{
    int error = l->req.error;

    return l->action == RDL_ACQUIRE && l->req.answer == RDL_ANSWER_ERROR &&
           (error == RDL_E_PERM || error == RDL_E_SERVER || l->req.value == 1);
}

static int multi_answer(struct rdl_lock *l, uint64_t now_ms)
{
    int rc = rdl_plain_answer(l, now_ms);

    if (is_halfway(l))
        rdl_lock_queue_release(l);
    return rc;
}

static const struct rdl_op *const ops[] = {&rdl_op_acquire_multi, &rdl_op_extend_multi,
                                           &rdl_op_release_multi};
static const struct rdl_lock_mode multi = {rdl_plain_send, multi_answer, rdl_plain_value, ops, NULL};

static int is_same(struct rdl_bytes a, struct rdl_bytes b)
{
    return a.len == b.len && rdl_is_same(a.data, b.data, a.len);
}

/* Packs the names, each after a byte with its length. Returns the number of bytes; 0: invalid names. */
static size_t pack(const struct rdl_bytes *names, size_t n, uint8_t packed[RDL_NAME_MAX])
{
    size_t len = 0;
    size_t i;
    size_t k;

    if (n > RDL_MULTI_MAX)
        return 0;
    for (i = 0; i < n; i++) {
        if (names[i].len == 0 || names[i].len >= RDL_NAME_MAX - len)
            return 0;
        for (k = 0; k < i; k++) {
            if (is_same(names[i], names[k]))
                return 0;
        }
        packed[len] = (uint8_t)names[i].len;
        rdl_copy(packed + len + 1, names[i].data, names[i].len);
        len += 1 + names[i].len;
    }
    return len;
}

int rdl_lock_init_multi(struct rdl_lock *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                        const struct rdl_bytes *names, size_t n, uint8_t packed[RDL_NAME_MAX])
{
    size_t len = pack(names, n, packed);

    return rdl_lock_init_mode(l, &multi, opt, conn, packed, len);
}
