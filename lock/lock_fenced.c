/* SPDX-License-Identifier: MIT */
/* lock_fenced.c - px with a fencing number: the same lock, taken by a script that also counts. */
#include <string.h>

#include "lock/lock_private.h"

enum { DIGITS = 20 };

/* A uint64_t in decimal, bit by bit: small processors have no 64-bit division. Returns the first digit. */
static size_t decimal(char out[DIGITS], uint64_t v)
{
    size_t first = 0;
    int bit;
    int i;

    memset(out, 0, DIGITS);
    for (bit = 63; bit >= 0; bit--) {
        int carry = (int)(v >> bit & 1);
        for (i = DIGITS - 1; i >= 0; i--) {
            int twice = out[i] * 2 + carry;
            carry = twice > 9;
            out[i] = (char)(carry ? twice - 10 : twice);
        }
    }
    while (first < DIGITS - 1 && out[first] == 0)
        first++;
    for (i = (int)first; i < DIGITS; i++)
        out[i] = (char)(out[i] + '0');
    return first;
}

static int fenced_send(struct rdl_lock *l, uint64_t now_ms)
{
    struct rdl_bytes floor;
    char digits[DIGITS];
    size_t first;

    if (l->op != RDL_ACQUIRE)
        return rdl_lock_px.send(l, now_ms);
    first = decimal(digits, l->fence + 1);
    floor.data = digits + first;
    floor.len = DIGITS - first;
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

const struct rdl_lock_mode rdl_lock_fenced = {fenced_send, fenced_answer, fenced_value};

void rdl_lock_set_floor(struct rdl_lock *l, uint64_t floor_ms)
{
    l->fence = floor_ms > 0 ? floor_ms - 1 : 0;
}

uint64_t rdl_lock_fence(const struct rdl_lock *l)
{
    return l->until_ms != 0 ? l->fence : 0;
}
