/* SPDX-License-Identifier: MIT */
#include "tests/legacy.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

struct legacy legacy;

void legacy_setup(void)
{
    const struct rdl_options once = {.ttl_ms = LEGACY_TTL, .attempt_ms = 2500};

    scripted_init(&legacy.s);
    scripted_open(&legacy.s, LEGACY_START);
    legacy.opt = once;
    rdl_lock_init(&legacy.lock, &rdl_lock_legacy_integer, &legacy.opt, &legacy.s.conn, "k", 1);
}

int legacy_begin(uint64_t now_ms)
{
    int rc = rdl_lock_acquire_begin(&legacy.lock, entropy_bytes(), now_ms);

    scripted_sent(&legacy.s);
    return rc;
}

int legacy_answer(const char *text, uint64_t now_ms)
{
    scripted_reply(&legacy.s, text);
    return rdl_lock_step(&legacy.lock, now_ms);
}

int legacy_begin_at(const char *usec, uint64_t now_ms)
{
    char text[64];

    snprintf(text, sizeof text, "*2\r\n$10\r\n1700000000\r\n$%zu\r\n%s\r\n", strlen(usec), usec);
    ck_assert_int_eq(legacy_begin(now_ms), RDL_PENDING);
    return legacy_answer(text, now_ms);
}

const char *peer_reply(const char *value, const char *pttl)
{
    static char text[256];

    snprintf(text, sizeof text, ":0\r\n%s$%zu\r\n%s\r\n", pttl, strlen(value), value);
    return text;
}

const char *peer_number(long value)
{
    char text[32];

    snprintf(text, sizeof text, "%ld", value);
    return peer_reply(text, ":-1\r\n");
}
