/* SPDX-License-Identifier: MIT */
/* lock_multi.c - several plain locks on one server, held as one: scripts take all of them or none. */
#include "lock/lock_multi.h"

#include "lock/lock_private.h"
#include "resp/resp_bytes.h"

/* ---------------------------------------------------------------- requests */

/* Writes a request. a and y depend on the number of names; there is one k for each name (see pack()). */
static void multi_write_args(struct rdl_slice *w, const char *const *commands,
                             const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                             const struct rdl_record *r)
{
    enum { V, M, C, S, A, Y, K };
    struct rdl_bytes all[K + RDL_MULTI_MAX];
    struct rdl_args args = {"vmcsaykkkkkkkk", NULL, K};
    const uint8_t *at = own[RDL_LETTER_K].data;
    size_t left = own[RDL_LETTER_K].len;
    char keys = '0';

    (void)c;
    all[V] = own[RDL_LETTER_V];
    all[M] = own[RDL_LETTER_M];
    all[C] = own[RDL_LETTER_C];
    all[S] = own[RDL_LETTER_S];
    while (left > 0 && args.n < K + RDL_MULTI_MAX) {
        size_t len = at[0];

        RDL_ASSERT(len < left);
        all[args.n] = (struct rdl_bytes){at + 1, len};
        left -= 1 + len;
        at += 1 + len;
        args.n++;
        keys++;
    }
    all[Y] = (struct rdl_bytes){&keys, 1};
    all[A].data = NULL;
    all[A].len = args.n - K + (r->op == &rdl_op_release_multi ? 4 : 5); /* c s y, the names, v (m) */
    args.arg = all;
    rdl_slice_write_all(w, commands, &args);
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
const struct rdl_op rdl_op_acquire_multi = {
    .methods = RDL_METHOD(&acquire_multi_method), .family = RDL_FAMILY_MULTI, .may_grant = 1};
const struct rdl_op rdl_op_extend_multi = {.methods = RDL_METHOD(&extend_multi_method),
                                           .family = RDL_FAMILY_MULTI};
const struct rdl_op rdl_op_release_multi = {.methods = RDL_METHOD(&release_multi_method),
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
