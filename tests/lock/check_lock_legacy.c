/* SPDX-License-Identifier: MIT */
/*
 * check_lock_legacy.c - the edge cases of the old SETNX protocol in exact bytes: every interleaving is
 * written out.
 *
 * Rule R35.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lock/lock_commands.h"
#include "lock/lock_legacy.h"
#include "redlock/redlock.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { TTL = 10000, ATTEMPT = 250, START = 5000, SERVER_S = 1700000000 };

#define REFUSED  "-ERR unknown command 'X', with args beginning with: 'k' \r\n"
#define NOSCRIPT "-NOSCRIPT No matching script. Please use EVAL.\r\n"
#define DOC      "1700000011" /* SERVER_S + ttl + 1, half a second past SERVER_S */
#define EXPIRED  "1699999999"

static struct scripted s;
static struct rdl_lock_legacy l;
static struct rdl_lock_options opt;

static void setup(void)
{
    scripted_init(&s);
    scripted_open(&s, START);
    opt = (struct rdl_lock_options){.ttl_ms = TTL, .attempt_ms = ATTEMPT};
    rdl_lock_init_legacy(&l, &opt, &s.conn, "k", 1, RDL_LEGACY_INTEGER);
}

/* A command as it is on the wire; ends with NULL. */
static const char *wire(const char *first, ...)
{
    static char buffers[8][1024];
    static unsigned n;
    char *out = buffers[n++ % 8];
    const char *arg;
    va_list args;
    size_t len = 0;
    int count = 0;

    va_start(args, first);
    for (arg = first; arg != NULL; arg = va_arg(args, const char *))
        count++;
    va_end(args);
    len = (size_t)snprintf(out, 1024, "*%d\r\n", count);
    va_start(args, first);
    for (arg = first; arg != NULL; arg = va_arg(args, const char *))
        len += (size_t)snprintf(out + len, 1024 - len, "$%zu\r\n%s\r\n", strlen(arg), arg);
    va_end(args);
    return out;
}

static const char *wire_setnx(const char *value)
{
    return wire_join(wire("SETNX", "k", value, NULL), wire("PTTL", "k", NULL), wire("GET", "k", NULL), NULL);
}

static const char *wire_replace(const char *found, const char *value)
{
    return wire("EVAL", rdl_script_replace.text, "1", "k", found, value, NULL);
}

static const char *wire_watch(void)
{
    return wire_join(wire("WATCH", "k", NULL), wire("GET", "k", NULL), wire("PTTL", "k", NULL),
                     wire("MULTI", NULL), NULL);
}

static void reply_bulk(const char *before, const char *value)
{
    char text[128];

    snprintf(text, sizeof text, "%s$%zu\r\n%s\r\n", before, strlen(value), value);
    scripted_reply(&s, text);
}

/* TIME is sent at now_ms; its reply, SERVER_S and a half, arrives took_ms later. */
static int send_time(uint64_t now_ms, uint64_t took_ms)
{
    int rc = rdl_lock_acquire_begin(&l.lock, entropy_bytes(), now_ms);

    ck_assert_int_eq(rc, RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire("TIME", NULL));
    scripted_reply(&s, "*2\r\n$10\r\n1700000000\r\n$6\r\n500000\r\n");
    return rdl_lock_step(&l.lock, now_ms + took_ms);
}

/* SETNX was refused: the key has this value. */
static int find_value(const char *peer)
{
    ck_assert_int_eq(send_time(START, 0), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_setnx(DOC));
    reply_bulk(":0\r\n:-1\r\n", peer);
    return rdl_lock_step(&l.lock, START);
}

/* The server refuses everything that compares; the key has the expected value. */
static int refuse_comparing(const char *found, uint64_t now_ms)
{
    int i;

    for (i = 0; i < 5; i++) {
        const char *sent = scripted_sent(&s);
        if (strstr(sent, "WATCH") == NULL) {
            scripted_reply(&s,
                           strstr(sent, "DEL") != NULL && strstr(sent, "PTTL") ? REFUSED ":-1\r\n" : REFUSED);
            continue;
        }
        reply_bulk(REFUSED, found);
        scripted_reply(&s, ":-1\r\n+OK\r\n");
        ck_assert_str_eq(scripted_sent(&s), wire("DISCARD", NULL));
        scripted_reply(&s, "+OK\r\n");
        break;
    }
    return rdl_lock_step(&l.lock, now_ms);
}

static int hold(void)
{
    ck_assert_int_eq(send_time(START, 0), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_setnx(DOC));
    scripted_reply(&s, ":1\r\n:-1\r\n$10\r\n" DOC "\r\n");
    return rdl_lock_step(&l.lock, START);
}

/* ---------------------------------------------------------------- edge 1: nil */

START_TEST(nil_get_is_retried_at_once)
{
    ck_assert_int_eq(send_time(START, 0), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, ":0\r\n:-2\r\n$-1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l.lock, START + 3), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_setnx(DOC));
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l.lock, START + 4), RDL_OK);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l.lock, START + 4), TTL - 102 - 1);
}
END_TEST

START_TEST(endless_nil_gets_are_busy_at_the_deadline)
{
    ck_assert_int_eq(send_time(START, 0), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, ":0\r\n:-2\r\n$-1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l.lock, START + ATTEMPT), RDL_BUSY);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

START_TEST(nil_getset_wins_the_lock)
{
    ck_assert_int_eq(find_value(EXPIRED), RDL_PENDING);
    ck_assert_int_eq(refuse_comparing(EXPIRED, START), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire("GETSET", "k", DOC, NULL));
    scripted_reply(&s, "$-1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l.lock, START), RDL_OK);
    ck_assert_uint_gt(rdl_lock_remaining_ms(&l.lock, START), 0);
}
END_TEST

/* ---------------------------------------------------------------- edge 2: losers do not write */

START_TEST(loser_does_not_write_with_compare_and_set)
{
    ck_assert_int_eq(find_value(EXPIRED), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_replace(EXPIRED, DOC));
    scripted_reply(&s, _i ? ":-1\r\n"
                          : ":0\r\n"); /* another client was faster, and its key may be gone already */
    ck_assert_int_eq(rdl_lock_step(&l.lock, START), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&l.lock), -2);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(winner_has_taken_over_the_lock)
{
    ck_assert_int_eq(find_value(EXPIRED), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l.lock, START + 9), RDL_RECOVERED);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l.lock, START + 9), TTL - 102 - 9);
}
END_TEST

START_TEST(watch_compares_without_scripts)
{
    ck_assert_int_eq(find_value(EXPIRED), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, REFUSED); /* EVAL */
    ck_assert_str_eq(scripted_sent(&s), wire_watch());
    scripted_reply(&s, "+OK\r\n$10\r\n" EXPIRED "\r\n:-1\r\n+OK\r\n");
    ck_assert_str_eq(scripted_sent(&s), wire_join(wire("SET", "k", DOC, NULL), wire("EXEC", NULL), NULL));
    scripted_reply(&s, "+QUEUED\r\n*1\r\n+OK\r\n");
    ck_assert_int_eq(rdl_lock_step(&l.lock, START), RDL_RECOVERED);
}
END_TEST

START_TEST(lost_getset_writes_nothing_back)
{
    ck_assert_int_eq(find_value(EXPIRED), RDL_PENDING);
    ck_assert_int_eq(refuse_comparing(EXPIRED, START), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "$10\r\n1700000008\r\n");
    ck_assert_int_eq(rdl_lock_step(&l.lock, START), RDL_BUSY);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l.lock, START), 0);
}
END_TEST

/* ---------------------------------------------------------------- edge 3: what was overwritten decides */

START_TEST(getset_over_any_expired_value_wins)
{
    ck_assert_int_eq(find_value(EXPIRED), RDL_PENDING);
    ck_assert_int_eq(refuse_comparing(EXPIRED, START), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "$10\r\n1699999998\r\n");
    ck_assert_int_eq(rdl_lock_step(&l.lock, START), RDL_RECOVERED);
}
END_TEST

/* ---------------------------------------------------------------- edge 4: release */

START_TEST(release_compares_the_value_that_was_sent)
{
    ck_assert_int_eq(hold(), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&l.lock, START + 100), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire("EVAL", rdl_script_release.text, "1", "k", DOC, NULL));
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l.lock, START + 100), RDL_OK);
}
END_TEST

START_TEST(release_after_the_lease_sends_nothing)
{
    ck_assert_int_eq(hold(), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&l.lock, START + TTL - 102), RDL_EXPIRED);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* The lease ends at START + TTL - 102. */
START_TEST(plain_del_is_sent_only_with_two_attempts_left)
{
    uint64_t last_ms = START + TTL - 102 - 2 * ATTEMPT - 1;

    ck_assert_int_eq(hold(), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&l.lock, last_ms - 10), RDL_PENDING);
    if (_i == 0) {
        ck_assert_int_eq(refuse_comparing(DOC, last_ms), RDL_PENDING);
        ck_assert_str_eq(scripted_sent(&s), wire("DEL", "k", NULL));
        scripted_reply(&s, ":1\r\n");
        ck_assert_int_eq(rdl_lock_step(&l.lock, last_ms), RDL_OK);
    } else {
        ck_assert_int_eq(refuse_comparing(DOC, last_ms + 1), RDL_E_UNSUPPORTED);
        ck_assert_str_eq(scripted_sent(&s), "");
    }
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* ---------------------------------------------------------------- edge 5: identity */

/* The value that a client with this entropy writes. */
static const char *value_of(unsigned entropy)
{
    static char values[2][32];
    static unsigned n;
    char *out = values[n++ % 2];
    const char *at;

    setup();
    rdl_lock_init_legacy(&l, &opt, &s.conn, "k", 1, RDL_LEGACY);
    ck_assert_int_eq(rdl_lock_acquire_begin(&l.lock, token_bytes(entropy), START), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "*2\r\n$10\r\n1700000000\r\n$6\r\n500000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l.lock, START), RDL_PENDING);
    at = strstr(scripted_sent(&s), "$20\r\n");
    ck_assert_ptr_nonnull(at);
    snprintf(out, 21, "%s", at + 5);
    return out;
}

START_TEST(two_clients_in_one_second_write_different_values)
{
    const char *one = value_of(1);
    const char *two = value_of(2);

    ck_assert_int_eq(strncmp(one, DOC ".", 11), 0);
    ck_assert_int_eq(strncmp(two, DOC ".", 11), 0);
    ck_assert_uint_eq(strspn(one + 11, "0123456789"), 9);
    ck_assert_uint_eq(strspn(two + 11, "0123456789"), 9);
    ck_assert_str_ne(one, two);
}
END_TEST

/* ---------------------------------------------------------------- edge 10: extend */

START_TEST(legacy_extend_compares_and_sets)
{
    ck_assert_int_eq(hold(), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&l.lock, TTL, START + 5490), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_replace(DOC, "1700000017")); /* 54 ms for the rate of clocks */
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l.lock, START + 5491), RDL_OK);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l.lock, START + 5491), TTL - 102 - 1);
    ck_assert_int_eq(rdl_lock_release_begin(&l.lock, START + 5491), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire("EVAL", rdl_script_release.text, "1", "k", "1700000017", NULL));
}
END_TEST

START_TEST(extend_that_finds_another_value_is_lost)
{
    ck_assert_int_eq(hold(), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&l.lock, TTL, START + 5000), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, _i ? ":-1\r\n" : ":0\r\n");
    ck_assert_int_eq(rdl_lock_step(&l.lock, START + 5001), RDL_LOST);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l.lock, START + 5001), 0);
}
END_TEST

START_TEST(extend_never_uses_getset)
{
    uint32_t left_ms = TTL - 102 - 5000;

    ck_assert_int_eq(hold(), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&l.lock, TTL, START + 5000), RDL_PENDING);
    ck_assert_int_eq(refuse_comparing(DOC, START + 5000), RDL_E_UNSUPPORTED);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l.lock, START + 5000), left_ms); /* the lease goes on */
}
END_TEST

/* ---------------------------------------------------------------- edges 9, 11: what is not offered */

START_TEST(legacy_lock_is_acquired_by_one_setnx)
{
    ck_assert_int_eq(hold(), RDL_OK); /* SETNX with its value, in exact bytes */
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

START_TEST(redlock_never_uses_the_old_protocol)
{
    const struct rdl_redlock_options options = {.lease = opt, .max_ttl_ms = TTL, .guard = RDL_GUARD_OFF};
    struct rdl_server server = {.conn = &s.conn};
    struct rdl_redlock r;

    scripted_init(&s);
    scripted_model(&s, START);
    rdl_redlock_init(&r, &options, &server, 1, "k", 1);
    scripted_open(&s, START);
    scripted_serve(&s, START);
    scripted_sent(&s);
    ck_assert_int_eq(rdl_redlock_acquire_begin(&r, entropy_bytes(), START), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k", entropy_token(1), TTL));
}
END_TEST

/* The values of the old protocol are deadlines. */
START_TEST(legacy_lock_adopts_no_token)
{
    char hex[RDL_VALUE_MAX];

    memset(hex, 'a', sizeof hex);
    ck_assert_int_eq(rdl_lock_adopt(&l.lock, hex, sizeof hex), RDL_E_TOKEN);
    ck_assert_int_eq(hold(), RDL_OK); /* it can be used as before */
    ck_assert_int_eq(rdl_lock_adopt(&l.lock, hex, sizeof hex), RDL_E_TOKEN);
    ck_assert(rdl_lock_remaining_ms(&l.lock, START) > 0);
}
END_TEST

Suite *suite_lock_legacy(void)
{
    Suite *suite = suite_create("lock_legacy");
    TCase *tc = suite_case(suite, "interleavings", setup, NULL);

    tcase_add_test(tc, nil_get_is_retried_at_once);
    tcase_add_test(tc, endless_nil_gets_are_busy_at_the_deadline);
    tcase_add_test(tc, nil_getset_wins_the_lock);
    tcase_add_loop_test(tc, loser_does_not_write_with_compare_and_set, 0, 2);
    tcase_add_test(tc, winner_has_taken_over_the_lock);
    tcase_add_test(tc, watch_compares_without_scripts);
    tcase_add_test(tc, lost_getset_writes_nothing_back);
    tcase_add_test(tc, getset_over_any_expired_value_wins);
    tcase_add_test(tc, release_compares_the_value_that_was_sent);
    tcase_add_test(tc, release_after_the_lease_sends_nothing);
    tcase_add_loop_test(tc, plain_del_is_sent_only_with_two_attempts_left, 0, 2);
    tcase_add_test(tc, two_clients_in_one_second_write_different_values);
    tcase_add_test(tc, legacy_extend_compares_and_sets);
    tcase_add_loop_test(tc, extend_that_finds_another_value_is_lost, 0, 2);
    tcase_add_test(tc, extend_never_uses_getset);
    tcase_add_test(tc, legacy_lock_is_acquired_by_one_setnx);
    tcase_add_test(tc, redlock_never_uses_the_old_protocol);
    tcase_add_test(tc, legacy_lock_adopts_no_token);
    return suite;
}
