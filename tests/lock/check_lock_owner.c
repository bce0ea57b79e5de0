/* SPDX-License-Identifier: MIT */
/*
 * check_lock_owner.c - the owner in the value of one lock, of every kind and by every method: it is compared
 * whole, and nothing else depends on it.
 *
 * Rules R2, R3 and R4.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock_fenced.h"
#include "lock/lock_legacy.h"
#include "lock/lock_multi.h"
#include "lock/lock_op.h"
#include "lock/lock_owner.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { NOW = 1000, TTL = 10000, VALUE_MAX = RDL_VALUE_MAX + 1 + RDL_OWNER_MAX };

static const char longest[] = "a_very_long_name_of_a_host.example:123456"; /* and one byte more */

static struct scripted s;
static struct rdl_lock_fenced locks[2];
static struct rdl_owner owners[2];
static struct rdl_lock_options opt;
static uint8_t packed[2][RDL_NAME_MAX];

static struct rdl_lock *const lock = &locks[0].lock, *const other = &locks[1].lock;

/* The kinds of locks. */
enum { PLAIN, FENCED, MULTI, KINDS };

static void init(int i, int kind)
{
    static const struct rdl_bytes names[] = {{"k", 1}, {"l", 1}};

    if (kind == FENCED)
        rdl_lock_init_fenced(&locks[i], &opt, &s.conn, "k", 1);
    else if (kind == MULTI)
        rdl_lock_init_multi(&locks[i].lock, &opt, &s.conn, names, 2, packed[i]);
    else
        rdl_lock_init(&locks[i].lock, &opt, &s.conn, "k", 1);
}

static void setup(void)
{
    opt = (struct rdl_lock_options){.ttl_ms = TTL};
    scripted_init(&s);
    scripted_model(&s, NOW);
    scripted_open(&s, NOW);
}

/* Two handles of a kind; the first has this owner. */
static void both(int kind, const char *owner)
{
    init(0, kind);
    init(1, kind);
    ck_assert_int_eq(rdl_lock_set_owner(lock, &owners[0], owner, strlen(owner)), RDL_OK);
}

static int run(struct rdl_lock *l, int rc)
{
    int i;

    for (i = 0; rc == RDL_PENDING && i < 9; i++) {
        scripted_serve(&s, NOW);
        rc = rdl_lock_step(l, NOW);
    }
    scripted_serve(&s, NOW);
    return rc;
}

static int acquire(struct rdl_lock *l)
{
    return run(l, rdl_lock_acquire_begin(l, entropy_bytes(), NOW));
}

static int extend(struct rdl_lock *l)
{
    return run(l, rdl_lock_extend_begin(l, TTL, NOW));
}

static int release(struct rdl_lock *l)
{
    return run(l, rdl_lock_release_begin(l, NOW));
}

static int adopt(struct rdl_lock *l, const char *text)
{
    return rdl_lock_adopt_owner(l, &owners[1], text, strlen(text));
}

/* The value of the key; "": there is none. */
static const char *held(void)
{
    static char value[SIM_VALUE_MAX + 1];
    const struct sim_key *k = sim_server_find(&s.model, 0, (struct sim_arg){(const uint8_t *)"k", 1}, NOW);

    value[0] = '\0';
    if (k != NULL)
        snprintf(value, sizeof value, "%.*s", k->value_len, (const char *)k->value);
    return value;
}

static void set(const char *value)
{
    char command[200];

    snprintf(command, sizeof command, "SET k %s PX 60000\r\n", value);
    scripted_other(&s, command, NOW);
}

static const char *with(const char *token, const char *owner)
{
    static char text[2][RDL_TOKEN_TEXT_MAX + 40];
    static int turn;

    turn = !turn;
    snprintf(text[turn], sizeof text[turn], "%s@%s", token, owner);
    return text[turn];
}

/* ---------------------------------------------------------------- the value */

START_TEST(value_is_the_token_and_the_owner)
{
    char text[RDL_TOKEN_TEXT_MAX];

    both(_i, "web-3:4711");
    ck_assert_int_eq(acquire(lock), RDL_OK);
    ck_assert_str_eq(held(), with(entropy_token(1), "web-3:4711"));
    rdl_lock_token(lock, text);
    ck_assert_str_eq(text, held());
    ck_assert_int_eq(extend(lock), RDL_OK);
    ck_assert_int_eq(release(lock), RDL_OK);
    ck_assert_str_eq(held(), "");
}
END_TEST

START_TEST(owner_has_1_to_40_bytes_that_need_no_quotes)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:./-";
    int byte;

    init(0, PLAIN);
    for (byte = 0; byte < 256; byte++) {
        const char text[] = {'a', (char)byte};
        int is_good = byte != 0 && strchr(good, byte) != NULL;
        ck_assert_int_eq(rdl_lock_set_owner(lock, &owners[0], text, 2), is_good ? RDL_OK : RDL_E_CONFIG);
    }
    ck_assert_int_eq(rdl_lock_set_owner(lock, &owners[0], longest, RDL_OWNER_MAX), RDL_OK);
    ck_assert_int_eq(rdl_lock_set_owner(lock, &owners[0], longest, RDL_OWNER_MAX + 1), RDL_E_CONFIG);
    ck_assert_int_eq(acquire(lock), RDL_OK);
    ck_assert_uint_eq(strlen(held()), VALUE_MAX);
    ck_assert_int_eq(release(lock), RDL_OK);
    ck_assert_int_eq(rdl_lock_set_owner(lock, &owners[0], "", 0), RDL_OK);
    ck_assert_int_eq(acquire(lock), RDL_OK);
    ck_assert_str_eq(held(), entropy_token(2));
}
END_TEST

START_TEST(legacy_lock_has_no_owner)
{
    static struct rdl_lock_legacy legacy;

    rdl_lock_init_legacy(&legacy, &opt, &s.conn, "k", 1, RDL_LEGACY);
    ck_assert_int_eq(rdl_lock_set_owner(&legacy.lock, &owners[0], "web", 3), RDL_E_CONFIG);
    ck_assert_int_eq(adopt(&legacy.lock, with(entropy_token(1), "web")), RDL_E_TOKEN);
}
END_TEST

/* The same owner on both sides. */
START_TEST(owner_gives_no_right_to_the_lock)
{
    both(_i, "web");
    ck_assert_int_eq(rdl_lock_set_owner(other, &owners[1], "web", 3), RDL_OK);
    set(with(token_hex(7), "web"));
    ck_assert_int_eq(acquire(other), RDL_BUSY);
    ck_assert_int_eq(adopt(other, with(token_hex(8), "web")), RDL_OK);
    ck_assert_int_eq(release(other), RDL_LOST);
    ck_assert_str_eq(held(), with(token_hex(7), "web"));
}
END_TEST

START_TEST(queue_for_an_owner_has_room_for_the_release)
{
    size_t len = RDL_QUEUE_FOR_OWNER(1, 1);

    s.cfg.queue_len = _i == 0 ? len : len - 8;
    init(0, PLAIN);
    ck_assert_int_eq(rdl_lock_set_owner(lock, &owners[0], longest, RDL_OWNER_MAX), RDL_OK);
    ck_assert_int_eq(acquire(lock), _i == 0 ? RDL_OK : RDL_E_CONFIG);
    if (_i == 0)
        ck_assert_int_eq(release(lock), RDL_OK);
}
END_TEST

/* ---------------------------------------------------------------- adopting */

START_TEST(whole_value_is_adopted)
{
    char text[RDL_TOKEN_TEXT_MAX];

    both(_i, "web-3:4711");
    ck_assert_int_eq(acquire(lock), RDL_OK);
    rdl_lock_token(lock, text);
    ck_assert_int_eq(adopt(other, text), RDL_OK);
    ck_assert_int_eq(extend(other), RDL_ADOPTED);
    ck_assert_int_eq(extend(other), RDL_OK);
    ck_assert_int_eq(release(other), RDL_OK);
    ck_assert_str_eq(held(), "");
}
END_TEST

/* By either function: 40 digits are a lock without an owner. */
START_TEST(token_alone_is_another_value)
{
    both(PLAIN, "web");
    ck_assert_int_eq(rdl_lock_set_owner(other, &owners[1], "web", 3), RDL_OK);
    ck_assert_int_eq(acquire(lock), RDL_OK);
    if (_i == 0)
        ck_assert_int_eq(adopt(other, entropy_token(1)), RDL_OK);
    else
        ck_assert_int_eq(rdl_lock_adopt(other, entropy_token(1), RDL_VALUE_MAX), RDL_OK);
    ck_assert_int_eq(release(other), RDL_LOST);
    ck_assert_str_eq(held(), with(entropy_token(1), "web"));
    set(entropy_token(1));
    ck_assert_int_eq(adopt(other, with(entropy_token(1), "web")), RDL_OK);
    ck_assert_int_eq(release(other), RDL_LOST);
    ck_assert_str_eq(held(), entropy_token(1));
    ck_assert_int_eq(adopt(other, entropy_token(1)), RDL_OK);
    ck_assert_int_eq(release(other), RDL_OK);
    ck_assert_str_eq(held(), "");
}
END_TEST

static const char *const bad_texts[] = {"",    "@",    "@a b",
                                        "web", " web", "@a_very_long_name_of_a_host.example:123456"};

START_TEST(other_text_is_no_token)
{
    char text[RDL_TOKEN_TEXT_MAX + 40];

    init(1, PLAIN);
    snprintf(text, sizeof text, "%.*s%s", _i == 0 ? RDL_VALUE_MAX - 1 : RDL_VALUE_MAX, token_hex(7),
             bad_texts[_i]);
    ck_assert_int_eq(adopt(other, text), RDL_E_TOKEN);
    ck_assert_int_eq(rdl_lock_adopt(other, with(token_hex(7), "web"), RDL_VALUE_MAX + 4), RDL_E_TOKEN);
}
END_TEST

/* Each release has the value that was adopted, or acquired. */
START_TEST(acquire_after_adopt_has_the_handles_owner)
{
    both(PLAIN, "web");
    set(with(token_hex(7), "db"));
    ck_assert_int_eq(rdl_lock_adopt_owner(lock, &owners[0], with(token_hex(7), "db"), RDL_VALUE_MAX + 3),
                     RDL_OK);
    rdl_lock_cancel(lock); /* releases it */
    scripted_serve(&s, NOW);
    ck_assert_str_eq(held(), "");
    ck_assert_int_eq(acquire(lock), RDL_OK);
    ck_assert_str_eq(held(), with(entropy_token((7u << 24 | 7u << 16 | 7u << 8 | 7u) + 1), "web"));
    ck_assert_int_eq(release(lock), RDL_OK);
    set(with(token_hex(8), "db"));
    ck_assert_int_eq(rdl_lock_adopt_owner(lock, &owners[0], with(token_hex(8), "db"), RDL_VALUE_MAX + 3),
                     RDL_OK);
    ck_assert_int_eq(rdl_lock_adopt(lock, token_hex(9), RDL_VALUE_MAX), RDL_OK);
    scripted_serve(&s, NOW);
    ck_assert_str_eq(held(), ""); /* that of before is released */
    set(token_hex(9));
    ck_assert_int_eq(release(lock), RDL_OK);
    ck_assert_str_eq(held(), "");
}
END_TEST

/* ---------------------------------------------------------------- the methods */

static const struct sim_features servers[] = {
    {.version = "7.0.15"},
    {.version = "8.4.0", .texts = SIM_REDIS84, .denied = " eval evalsha ", .has_delex = 1},
    {.version = "9.0.0", .texts = SIM_VALKEY9, .denied = " eval evalsha ", .has_delifeq = 1},
    {.version = "7.0.15", .no_scripts = 1},
};
enum { SERVERS = sizeof servers / sizeof servers[0] };

/* All but the last byte, or another one; longer; another owner; none. */
static const struct {
    int same; /* bytes */
    const char *rest;
} others[] = {{80, ""}, {80, "6"}, {81, "5"}, {41, "web"}, {40, ""}};
enum { OTHERS = sizeof others / sizeof others[0] };

/* Every method compares all bytes: also those for which the conn has no room. */
START_TEST(each_method_compares_the_whole_value)
{
    char value[RDL_TOKEN_TEXT_MAX], seen[100];
    int i;

    s.model.features = &servers[_i];
    init(0, PLAIN);
    ck_assert_int_eq(rdl_lock_set_owner(lock, &owners[0], longest, RDL_OWNER_MAX), RDL_OK);
    for (i = 0; i < OTHERS; i++) {
        ck_assert_int_eq(acquire(lock), RDL_OK);
        rdl_lock_token(lock, value);
        snprintf(seen, sizeof seen, "%.*s%s", others[i].same, value, others[i].rest);
        set(seen);
        ck_assert_int_eq(i % 2 ? extend(lock) : release(lock), RDL_LOST);
        ck_assert_str_eq(held(), seen);
        scripted_other(&s, "DEL k\r\n", NOW);
    }
    ck_assert_int_eq(acquire(lock), RDL_OK);
    ck_assert_int_eq(extend(lock), RDL_OK);
    ck_assert_int_eq(release(lock), RDL_OK);
    ck_assert_str_eq(held(), "");
}
END_TEST

/* The reply to GET in pieces of _i bytes, by WATCH alone. */
START_TEST(value_is_compared_however_it_arrives)
{
    char replies[200];
    size_t at, len, size = (size_t)_i / 2;
    int is_ours = _i % 2;

    s.model.features = &servers[SERVERS - 1];
    init(0, PLAIN);
    ck_assert_int_eq(rdl_lock_set_owner(lock, &owners[0], longest, RDL_OWNER_MAX), RDL_OK);
    ck_assert_int_eq(acquire(lock), RDL_OK);
    ck_assert_int_eq(extend(lock), RDL_OK); /* EVAL is refused */
    scripted_sent(&s);
    ck_assert_int_eq(rdl_lock_release_begin(lock, NOW), RDL_PENDING);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "EVAL"));
    scripted_reply(&s, "-ERR unknown command 'EVAL'\r\n");
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "DELEX"));
    scripted_reply(&s, "-ERR unknown command 'DELEX'\r\n:1\r\n");
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "DELIFEQ"));
    scripted_reply(&s, "-ERR unknown command 'DELIFEQ'\r\n:1\r\n");
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "WATCH"));
    len = (size_t)snprintf(replies, sizeof replies, "+OK\r\n$81\r\n%s\r\n:1\r\n+OK\r\n", held());
    if (!is_ours)
        replies[strlen("+OK\r\n$81\r\n") + VALUE_MAX - 1] = '6';
    for (at = 0; at < len; at += size)
        scripted_feed(&s, replies + at, size < len - at ? size : len - at);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), is_ours ? "DEL" : "DISCARD"));
}
END_TEST

Suite *suite_lock_owner(void)
{
    Suite *suite = suite_create("lock_owner");
    TCase *t = suite_case(suite, "lock_owner", setup, NULL);

    tcase_add_loop_test(t, value_is_the_token_and_the_owner, 0, KINDS);
    tcase_add_test(t, owner_has_1_to_40_bytes_that_need_no_quotes);
    tcase_add_test(t, legacy_lock_has_no_owner);
    tcase_add_loop_test(t, owner_gives_no_right_to_the_lock, 0, KINDS);
    tcase_add_loop_test(t, queue_for_an_owner_has_room_for_the_release, 0, 2);
    tcase_add_loop_test(t, whole_value_is_adopted, 0, KINDS);
    tcase_add_loop_test(t, token_alone_is_another_value, 0, 2);
    tcase_add_loop_test(t, other_text_is_no_token, 0, (int)(sizeof bad_texts / sizeof bad_texts[0]));
    tcase_add_test(t, acquire_after_adopt_has_the_handles_owner);
    tcase_add_loop_test(t, each_method_compares_the_whole_value, 0, SERVERS);
    tcase_add_loop_test(t, value_is_compared_however_it_arrives, 2, 2 * (VALUE_MAX + 20));
    return suite;
}
