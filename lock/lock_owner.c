/* SPDX-License-Identifier: MIT */
/* lock_owner.c - a lock whose value names its owner: the token, '@', and a label. */
#include "lock/lock_owner.h"

#include "lock/lock_private.h"
#include "resp/resp_bytes.h"

RDL_STATIC_ASSERT((int)RDL_TOKEN_TEXT_MAX > (int)sizeof((struct rdl_owner *)0)->value, tokens_have_room);
RDL_STATIC_ASSERT(RDL_FITS(sizeof((struct rdl_owner *)0)->value), values_fit);

/* ---------------------------------------------------------------- texts */

/* The bytes that no shell changes. */
static int is_owner_byte(char byte)
{
    const char *other = "_@%+=:./-";

    while (*other != '\0' && *other != byte)
        other++;
    return *other != '\0' || rdl_is_digit(byte) || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
}

int rdl_owner_check(const char *owner, size_t len)
{
    size_t i;

    for (i = 0; i < len && i < RDL_OWNER_MAX && is_owner_byte(owner[i]); i++) {
    }
    return i == len ? RDL_OK : RDL_E_CONFIG;
}

size_t rdl_owner_token_len(const char *text, size_t len)
{
    if (len <= RDL_VALUE_MAX)
        return len;
    if (len == RDL_VALUE_MAX + 1 || text[RDL_VALUE_MAX] != '@')
        return 0;
    return rdl_owner_check(text + RDL_VALUE_MAX + 1, len - RDL_VALUE_MAX - 1) == RDL_OK ? RDL_VALUE_MAX : 0;
}

/* ---------------------------------------------------------------- the value */

/* A lock that was adopted by its token alone has no owner. */
struct rdl_bytes rdl_owner_value(struct rdl_owner *o, const struct rdl_token *t, int is_adopted)
{
    const char *owner = is_adopted ? o->adopted : o->own;
    size_t len = is_adopted ? o->adopted_len : o->own_len;

    if (is_adopted && !rdl_is_same(t, &o->token, sizeof *t))
        len = 0;
    rdl_token_hex(t, o->value);
    rdl_copy(o->value + RDL_VALUE_MAX, owner, len);
    return (struct rdl_bytes){o->value, RDL_VALUE_MAX + len};
}

int rdl_owner_set(struct rdl_owner *o, const char *owner, size_t len)
{
    if (rdl_owner_check(owner, len) != RDL_OK)
        return RDL_E_CONFIG;
    o->adopted_len = 0;
    o->own_len = (uint8_t)(len > 0 ? 1 + len : 0);
    o->own[0] = '@';
    rdl_copy(o->own + 1, owner, len);
    return RDL_OK;
}

void rdl_owner_adopt(struct rdl_owner *o, const struct rdl_token *t, const char *text, size_t len)
{
    o->token = *t;
    o->adopted_len = (uint8_t)(len - RDL_VALUE_MAX);
    rdl_copy(o->adopted, text + RDL_VALUE_MAX, len - RDL_VALUE_MAX);
}

/* ---------------------------------------------------------------- one lock */

/* Returns the owner that contains the lock's mode: every lock with owned_value has one. */
static struct rdl_owner *owner_of(const struct rdl_lock *l)
{
    return (struct rdl_owner *)l->mode;
}

static void owned_value(const struct rdl_lock *l, struct rdl_command *cmd, char room[])
{
    (void)room;
    cmd->value = rdl_owner_value(owner_of(l), &l->token, l->is_adopted);
}

int rdl_lock_set_owner(struct rdl_lock *l, struct rdl_owner *o, const char *owner, size_t len)
{
    RDL_ASSERT(rdl_lock_wake_ms(l) == UINT64_MAX); /* no operation is pending */
    if (l->mode->take_other != NULL || rdl_owner_set(o, owner, len) != RDL_OK)
        return RDL_E_CONFIG;
    o->mode = *l->mode;
    o->mode.value = owned_value;
    l->mode = &o->mode;
    return RDL_OK;
}

int rdl_lock_adopt_owner(struct rdl_lock *l, struct rdl_owner *o, const char *text, size_t len)
{
    int rc = RDL_OK;

    if (l->mode != &o->mode)
        rc = rdl_lock_set_owner(l, o, "", 0);
    if (rc != RDL_OK) /* a legacy lock */
        return RDL_E_TOKEN;
    rc = rdl_lock_adopt(l, text, rdl_owner_token_len(text, len));
    if (rc == RDL_OK)
        rdl_owner_adopt(o, &l->token, text, len);
    return rc;
}
