/* SPDX-License-Identifier: MIT */
/* lock_fenced.c - px with a fencing number: the same lock, taken by a script that also counts. */
#include "lock/lock_private.h"

static int fenced_send(struct rdl_lock *l, uint64_t now_ms)
{
    struct rdl_bytes floor;
    char digits[RDL_DEC64_MAX];

    if (l->op != RDL_ACQUIRE)
        return rdl_lock_px.send(l, now_ms);
    floor.data = digits;
    floor.len = rdl_dec_u64(digits, (l->fence & ~RDL_FENCE_FLOOR) + 1);
    rdl_token_next(&l->token);
    l->sent_ms = now_ms;
    return rdl_lock_submit(l, &rdl_op_acquire_fenced, &l->req, floor);
}

static int fenced_answer(struct rdl_lock *l, uint64_t now_ms)
{
    int rc = rdl_lock_px.answer(l, now_ms);

    if (l->op != RDL_ACQUIRE)
        return rc;
    if (rc == RDL_OK)
        l->fence = (uint64_t)l->req.value;
    return rc == RDL_E_UNSUPPORTED || rc == RDL_E_PERM ? RDL_E_FENCE : rc;
}

static size_t fenced_value(const struct rdl_lock *l, char out[RDL_VALUE_MAX])
{
    return rdl_lock_px.value(l, out);
}

const struct rdl_lock_mode rdl_lock_fenced = {fenced_send, fenced_answer, fenced_value, NULL};

void rdl_lock_set_floor(struct rdl_lock *l, uint64_t floor_ms)
{
    l->fence = RDL_FENCE_FLOOR | (floor_ms > 0 ? floor_ms - 1 : 0);
}

uint64_t rdl_lock_fence(const struct rdl_lock *l)
{
    return l->until_ms != 0 && (l->fence & RDL_FENCE_FLOOR) == 0 ? l->fence : 0;
}
