/* SPDX-License-Identifier: MIT */
/* lock_multi.c - several locks on one server held as one: px, with scripts that take all of them or none. */
#include "lock/lock_private.h"
#include "resp/resp_bytes.h"

static int multi_send(struct rdl_lock *l, uint64_t now_ms)
{
    return rdl_lock_px.send(l, now_ms);
}

static int multi_answer(struct rdl_lock *l, uint64_t now_ms)
{
    int rc = rdl_lock_px.answer(l, now_ms);

    return rc == RDL_E_UNSUPPORTED ? RDL_E_MULTI : rc;
}

static size_t multi_value(const struct rdl_lock *l, char out[RDL_VALUE_MAX])
{
    return rdl_lock_px.value(l, out);
}

static const struct rdl_op *const ops[] = {&rdl_op_acquire_multi, &rdl_op_extend_multi,
                                           &rdl_op_release_multi};
static const struct rdl_lock_mode multi = {multi_send, multi_answer, multi_value, ops, NULL};

static int is_same(struct rdl_bytes a, struct rdl_bytes b)
{
    return a.len == b.len && rdl_is_same(a.data, b.data, a.len);
}

/* Each name behind a byte that is its length; how many bytes, 0: these are no names for one lock. */
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

int rdl_lock_init_multi(struct rdl_lock *l, const struct rdl_options *opt, struct rdl_conn *conn,
                        const struct rdl_bytes *names, size_t n, uint8_t packed[RDL_NAME_MAX])
{
    size_t len = pack(names, n, packed);

    rdl_lock_init(l, &multi, opt, conn, packed, len);
    return len == 0 ? RDL_E_NAME : RDL_OK;
}
