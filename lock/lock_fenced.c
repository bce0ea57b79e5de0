/* SPDX-License-Identifier: MIT */
/* lock_fenced.c - px with a fencing number: the same lock, taken by a script that also counts. */
#include "lock/lock_private.h"

size_t rdl_fence_extra(char out[RDL_EXTRA_MAX], uint64_t number, const struct rdl_options *opt,
                       uint32_t ttl_ms)
{
    uint32_t kept_ms = opt->fence_expiry_ms;
    size_t n = rdl_dec_u64(out, number);

    if (kept_ms == 0)
        return n;
    out[n++] = ' '; /* counted from the lease's end */
    return n + rdl_dec_u32(out + n, ttl_ms > UINT32_MAX - kept_ms ? UINT32_MAX : kept_ms + ttl_ms);
}

/* An adopted lease has no number to hold: its extend is that of px, but for a fence that is to live on. */
static int fenced_send(struct rdl_lock *l, uint64_t now_ms)
{
    int is_acquire = l->op == RDL_ACQUIRE;
    uint64_t number = rdl_lock_fence(l);
    struct rdl_bytes extra;
    char text[RDL_EXTRA_MAX];

    if (!is_acquire && (l->op == RDL_RELEASE || (number == 0 && l->opt->fence_expiry_ms == 0)))
        return rdl_lock_px.send(l, now_ms);
    if (is_acquire) {
        number = (l->fence & ~RDL_FENCE_FLOOR) + 1;
        rdl_token_next(&l->token);
    }
    extra.data = text;
    extra.len = rdl_fence_extra(text, number, l->opt, l->ttl_ms);
    l->sent_ms = now_ms;
    return rdl_lock_submit(l, is_acquire ? &rdl_op_acquire_fenced : &rdl_op_extend_fenced, &l->req, extra);
}

static int fenced_answer(struct rdl_lock *l, uint64_t now_ms)
{
    int rc = rdl_lock_px.answer(l, now_ms);

    if (l->op != RDL_ACQUIRE)
        return rc;
    if (rc == RDL_OK)
        l->fence = (uint64_t)l->req.value;
    return rc == RDL_E_UNSUPPORTED ? RDL_E_FENCE : rc;
}

static size_t fenced_value(const struct rdl_lock *l, char out[RDL_VALUE_MAX])
{
    return rdl_lock_px.value(l, out);
}

const struct rdl_lock_mode rdl_lock_fenced = {fenced_send, fenced_answer, fenced_value, NULL, NULL};

void rdl_lock_set_floor(struct rdl_lock *l, uint64_t floor_ms)
{
    l->fence = RDL_FENCE_FLOOR | (floor_ms > 0 ? floor_ms - 1 : 0);
}

uint64_t rdl_lock_fence(const struct rdl_lock *l)
{
    return l->until_ms != 0 && (l->fence & RDL_FENCE_FLOOR) == 0 ? l->fence : 0;
}
