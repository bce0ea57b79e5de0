/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_owner.c - the owner in the value of a lock on N servers, with and without fencing tokens.
 *
 * Rules R2, R3 and R4. tests/lock/check_lock_owner.c has what both kinds share.
 */
#include <stdio.h>
#include <string.h>

#include "redlock/redlock_owner.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

static struct rdl_owner owner;
static uint64_t now;

/* Odd: with a fencing token. */
static void owned(size_t n, const char *text, int is_fenced)
{
    now = 1000;
    fleet_init(n, now);
    fleet.opt.fencing = is_fenced ? &rdl_fencing : NULL;
    ck_assert_int_eq(rdl_redlock_set_owner(lock, &owner, text, strlen(text)), RDL_OK);
}

static int finish(int rc)
{
    rc = fleet_run(rc, &now);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    return rc;
}

static int acquire(void)
{
    return finish(fleet_acquire(now));
}

static int extend(void)
{
    return finish(rdl_redlock_extend_begin(lock, FLEET_TTL, now));
}

static int release(void)
{
    return finish(rdl_redlock_release_begin(lock, now));
}

static int adopt(const char *text)
{
    return rdl_redlock_adopt_owner(lock, &owner, text, strlen(text));
}

/* Server i holds the key with this value. */
static int holds(size_t i, const char *value)
{
    const struct sim_key *k =
        sim_server_find(&fleet.s[i].model, 0, (struct sim_arg){(const uint8_t *)"k", 1}, now);

    return k != NULL && k->value_len == strlen(value) && memcmp(k->value, value, k->value_len) == 0;
}

static void set_all(const char *value)
{
    char command[200];
    size_t i;

    snprintf(command, sizeof command, "SET k %s PX 60000\r\n", value);
    for (i = 0; i < fleet.n; i++)
        fleet_command(i, command, now);
}

START_TEST(value_is_the_token_and_the_owner_on_all_servers)
{
    char text[RDL_TOKEN_TEXT_MAX], want[100];
    size_t i, n = _i < 2 ? 1 : 3;

    owned(n, "web-3:4711", _i % 2);
    ck_assert_int_eq(acquire(), RDL_OK);
    snprintf(want, sizeof want, "%s@web-3:4711", entropy_token(1));
    rdl_redlock_token(lock, text);
    ck_assert_str_eq(text, want);
    for (i = 0; i < n; i++)
        ck_assert(holds(i, want));
    ck_assert_int_eq(extend(), RDL_OK);
    ck_assert_int_eq(release(), RDL_OK);
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

/* Where the key is gone, it is put back with its owner. */
START_TEST(key_is_put_back_with_its_owner)
{
    char text[RDL_TOKEN_TEXT_MAX];

    owned(3, "web", _i);
    ck_assert_int_eq(acquire(), RDL_OK);
    rdl_redlock_token(lock, text);
    fleet_delete(1, now);
    ck_assert_int_eq(extend(), RDL_REPAIRED);
    ck_assert(holds(1, text));
    ck_assert_int_eq(release(), RDL_OK);
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

START_TEST(whole_value_is_adopted_from_all_servers)
{
    char value[100];

    owned(3, "db", _i % 2);
    snprintf(value, sizeof value, "%s@web", token_hex(7));
    set_all(value);
    ck_assert_int_eq(adopt(token_hex(7)), RDL_OK);
    ck_assert_int_eq(extend(), RDL_LOST);
    ck_assert_uint_eq(fleet_keys(now), 3);
    ck_assert_int_eq(rdl_redlock_adopt(lock, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    ck_assert_int_eq(release(), RDL_LOST);
    ck_assert_uint_eq(fleet_keys(now), 3);
    ck_assert_int_eq(adopt(value), RDL_OK);
    ck_assert_int_eq(extend(), RDL_ADOPTED);
    ck_assert_int_eq(extend(), RDL_OK);
    ck_assert_int_eq(release(), RDL_OK);
    ck_assert_uint_eq(fleet_keys(now), 0);
    ck_assert_int_eq(adopt("nonsense"), RDL_E_TOKEN);
}
END_TEST

/* What was adopted is released with its own value; what is acquired then has the handle's owner. */
START_TEST(acquire_after_adopt_has_the_owner_of_before)
{
    char value[100], text[RDL_TOKEN_TEXT_MAX];

    owned(3, "db", 0);
    snprintf(value, sizeof value, "%s@web", token_hex(7));
    set_all(value);
    ck_assert_int_eq(adopt(value), RDL_OK);
    rdl_redlock_token(lock, text);
    ck_assert_str_eq(text, value);
    ck_assert_int_eq(acquire(), RDL_OK);
    rdl_redlock_token(lock, text);
    ck_assert_str_eq(text + RDL_VALUE_MAX, "@db");
    ck_assert(holds(0, text) && holds(1, text) && holds(2, text));
}
END_TEST

START_TEST(handle_without_an_owner_adopts_one)
{
    char value[100];

    now = 1000;
    fleet_init(3, now);
    snprintf(value, sizeof value, "%s@web", token_hex(7));
    set_all(value);
    ck_assert_int_eq(rdl_redlock_adopt(lock, value, strlen(value)), RDL_E_TOKEN);
    ck_assert_int_eq(adopt(value), RDL_OK);
    ck_assert_int_eq(release(), RDL_OK);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert(holds(0, entropy_token((7u << 24 | 7u << 16 | 7u << 8 | 7u) + 1)));
    ck_assert_int_eq(rdl_redlock_set_owner(lock, &owner, "a b", 3), RDL_E_CONFIG);
}
END_TEST

Suite *suite_redlock_owner(void)
{
    Suite *s = suite_create("redlock_owner");
    TCase *t = suite_case(s, "redlock_owner", NULL, NULL);

    tcase_add_loop_test(t, value_is_the_token_and_the_owner_on_all_servers, 0, 4);
    tcase_add_loop_test(t, key_is_put_back_with_its_owner, 0, 2);
    tcase_add_loop_test(t, whole_value_is_adopted_from_all_servers, 0, 2);
    tcase_add_test(t, acquire_after_adopt_has_the_owner_of_before);
    tcase_add_test(t, handle_without_an_owner_adopts_one);
    return s;
}
