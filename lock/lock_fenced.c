/* SPDX-License-Identifier: MIT */
/*
 * lock_fenced.c - a plain lock with a fencing token that grows.
 *
 * One script sets the lock and increments the counter, so there is no fencing token without the lock and no
 * lock without its fencing token. Extend restores a counter that is gone. The same script raises the counter
 * of one of several servers to the fencing token of another, while the lock is ours.
 */
#include "lock/lock_fenced.h"

#include "lock/lock_private.h"
#include "resp/resp_bytes.h"

/* ---------------------------------------------------------------- requests */

/* Splits the record's extra into f and h: the fencing token, and the counter's expiry, "0" if it has none. */
static void split(struct rdl_bytes extra, struct rdl_bytes out[2])
{
    const char *text = extra.data;
    size_t n = 0;

    while (n < extra.len && text[n] != ' ')
        n++;
    out[0] = (struct rdl_bytes){text, n};
    out[1] = (struct rdl_bytes){n < extra.len ? text + n + 1 : "0", n < extra.len ? extra.len - n - 1 : 1};
}

static void fence_write_args(struct rdl_slice *w, const char *const *commands,
                             const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                             const struct rdl_record *r)
{
    char key[RDL_NAME_MAX + 2 + RDL_SUFFIX_MAX];
    struct rdl_bytes all[RDL_LETTERS + 3];
    const struct rdl_args args = {RDL_RECORD_LETTERS "bfh", all, RDL_LETTERS + 3};

    (void)c;
    (void)r;
    rdl_copy(all, own, RDL_LETTERS * sizeof *all);
    all[RDL_LETTERS] = (struct rdl_bytes){key, rdl_side_key(key, own[RDL_LETTER_K], ":fence")};
    split(own[RDL_LETTER_X], all + RDL_LETTERS + 1);
    rdl_slice_write_all(w, commands, &args);
}

/* Raises without extending: a ttl of 0. */
static void raise_write_args(struct rdl_slice *w, const char *const *commands,
                             const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                             const struct rdl_record *r)
{
    struct rdl_bytes all[RDL_LETTERS];

    rdl_copy(all, own, sizeof all);
    all[RDL_LETTER_M] = (struct rdl_bytes){"0", 1};
    fence_write_args(w, commands, all, c, r);
}

static const char *const fenced_call[] = {rdl_wire_call_fenced, NULL};
static const struct rdl_method acquire_fenced_method = {.commands = fenced_call,
                                                        .write_args = fence_write_args,
                                                        .on_reply = rdl_script_on_grant_reply,
                                                        .script = &rdl_script_acquire,
                                                        .take = rdl_take_numbers};
static const struct rdl_method extend_fenced_method = {.commands = fenced_call,
                                                       .write_args = fence_write_args,
                                                       .on_reply = rdl_script_on_reply,
                                                       .script = &rdl_script_extend_fenced};
static const struct rdl_method raise_method = {.commands = fenced_call,
                                               .write_args = raise_write_args,
                                               .on_reply = rdl_script_on_reply,
                                               .script = &rdl_script_extend_fenced};
const struct rdl_op rdl_op_acquire_fenced = {
    .methods = RDL_METHOD(&acquire_fenced_method), .family = RDL_FAMILY_FENCED, .may_grant = 1};
const struct rdl_op rdl_op_extend_fenced = {.methods = RDL_METHOD(&extend_fenced_method),
                                            .family = RDL_FAMILY_RAISE_FENCE};
const struct rdl_op rdl_op_raise_fence = {.methods = RDL_METHOD(&raise_method),
                                          .family = RDL_FAMILY_RAISE_FENCE};

/* ---------------------------------------------------------------- the mode */

size_t rdl_fence_extra(char out[RDL_EXTRA_MAX], uint64_t number, const struct rdl_lock_options *opt,
                       uint32_t ttl_ms)
{
    uint32_t kept_ms = opt->fence_expiry_ms;
    size_t n = rdl_dec_u64(out, number);

    if (kept_ms == 0)
        return n;
    out[n++] = ' '; /* from the end of the lease */
    return n + rdl_dec_u32(out + n, ttl_ms > UINT32_MAX - kept_ms ? UINT32_MAX : kept_ms + ttl_ms);
}

/* Returns the fenced lock that contains l: every lock with this mode is part of one. */
static struct rdl_lock_fenced *fenced_of(struct rdl_lock *l)
{
    return (struct rdl_lock_fenced *)l;
}

uint64_t rdl_fence_next(uint64_t last, uint64_t least)
{
    return last < least ? least : last + 1;
}

/*
 * Sends the first request. An adopted lease has no fencing token, so it extends as a plain lock. If counters
 * expire, it also renews the counter.
 */
static int fenced_send(struct rdl_lock *l, uint64_t now_ms)
{
    int is_acquire = l->action == RDL_ACQUIRE;
    uint64_t number = rdl_lock_fence(fenced_of(l));
    struct rdl_bytes extra;
    char text[RDL_EXTRA_MAX];

    if (!is_acquire && (l->action == RDL_RELEASE || (number == 0 && l->opt->fence_expiry_ms == 0)))
        return rdl_plain_send(l, now_ms);
    if (is_acquire) {
        number = rdl_fence_next(fenced_of(l)->fence, fenced_of(l)->least);
        if (number > RDL_FENCE_MAX)
            return RDL_E_FENCE_RANGE;
        rdl_token_next(&l->token);
    }
    extra = (struct rdl_bytes){text, rdl_fence_extra(text, number, l->opt, l->ttl_ms)};
    l->sent_ms = now_ms;
    return rdl_lock_submit(l, is_acquire ? &rdl_op_acquire_fenced : &rdl_op_extend_fenced, &l->req, &extra);
}

/* Evaluates the reply. A fencing token out of range is 0 or may go to two holders: releases the lock. */
static int fenced_answer(struct rdl_lock *l, uint64_t now_ms)
{
    int rc = rdl_plain_answer(l, now_ms);

    if (l->action != RDL_ACQUIRE)
        return rc;
    if (rc == RDL_OK && !RDL_IS_FENCE(l->req.value)) {
        l->until_ms = 0;
        rdl_lock_queue_release(l);
        return RDL_E_FENCE_RANGE;
    }
    if (rc == RDL_OK)
        fenced_of(l)->fence = (uint64_t)l->req.value;
    return rc;
}

static const struct rdl_lock_mode fenced = {fenced_send, fenced_answer, rdl_plain_value, rdl_plain_ops, NULL};

int rdl_lock_init_fenced(struct rdl_lock_fenced *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                         const void *name, size_t name_len)
{
    l->fence = l->least = 0;
    return rdl_lock_init_mode(&l->lock, &fenced, opt, conn, name, name_len);
}

void rdl_lock_set_min_fence(struct rdl_lock_fenced *l, uint64_t min)
{
    l->least = min;
}

uint64_t rdl_lock_fence(const struct rdl_lock_fenced *l)
{
    int is_ours = l->lock.until_ms != 0 && !l->lock.is_adopted;

    return is_ours ? l->fence : 0;
}
