/* SPDX-License-Identifier: MIT */
/* redlock_owner.c - a lock on N servers whose value names its owner. */
#include "redlock/redlock_owner.h"

#include "redlock/redlock_private.h"

static void redlock_owned_value(const struct rdl_redlock *r, struct rdl_bytes *out)
{
    *out = rdl_owner_value(r->owner, &r->token, rdl_is_never(r->keys_end_ms));
}

int rdl_redlock_set_owner(struct rdl_redlock *r, struct rdl_owner *o, const char *owner, size_t len)
{
    int rc = rdl_owner_set(o, owner, len);

    RDL_ASSERT(r->state == REDLOCK_IDLE);
    if (rc != RDL_OK)
        return rc;
    o->redlock_value = redlock_owned_value;
    r->owner = o;
    return RDL_OK;
}

int rdl_redlock_adopt_owner(struct rdl_redlock *r, struct rdl_owner *o, const char *text, size_t len)
{
    int rc;

    if (r->owner != o)
        (void)rdl_redlock_set_owner(r, o, "", 0);
    rc = rdl_redlock_adopt(r, text, rdl_owner_token_len(text, len));
    if (rc == RDL_OK)
        rdl_owner_adopt(o, &r->token, text, len);
    return rc;
}
