/* SPDX-License-Identifier: MIT */
/*
 * check_lock_legacy_waiter.c - the old SETNX protocol with peers that take over by GETSET: a waiter that
 * overwrites our value without winning, and a holder without an expiry. A peer does what the lock of redis-py
 * 2.9 does: SETNX; else GET, where nothing counts as 1; if that is past: GETSET, and the same check again.
 *
 * Rule R35.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock_commands.h"
#include "tests/fixtures/legacy_holder.h"
#include "tests/suite.h"

enum { START = LEGACY_START, END = LEGACY_START + LEGACY_TTL - 102, ATTEMPT = 2500 };

#define OURS  "1700000011"
#define GET_K "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"

static const char *const endless[] = {"2147483649.0", "2147483649", "2147483649.000000"};

static void setup_shortest(void)
{
    legacy_setup();
    rdl_lock_init_legacy(&legacy.lock, &legacy.opt, &legacy.s.conn, "k", 1, RDL_LEGACY_SHORTEST);
}

/* Holds the lock since START, whole seconds of the server's clock. Returns the value that was written. */
static const char *hold(void)
{
    static char value[RDL_PEER_MAX];
    const char *sent;

    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    sent = strstr(scripted_sent(&legacy.s), OURS);
    ck_assert_ptr_nonnull(sent);
    snprintf(value, sizeof value, "%.*s", (int)strcspn(sent, "\r"), sent);
    ck_assert_int_eq(legacy_answer(":1\r\n:-1\r\n$1\r\nx\r\n", START), RDL_OK);
    return value;
}

static const char *bulk(const char *value)
{
    static char text[64];

    snprintf(text, sizeof text, "$%zu\r\n%s\r\n", strlen(value), value);
    return text;
}

static const char *delete_by(const char *command, const char *script, const char *value)
{
    static char text[2][512];
    static int n;

    n = !n;
    snprintf(text[n], sizeof text[n],
             "*5\r\n$%zu\r\n%s\r\n$%zu\r\n%s\r\n$1\r\n1\r\n$1\r\nk\r\n$%zu\r\n%s\r\n", strlen(command),
             command, strlen(script), script, strlen(value), value);
    return text[n];
}

/* The first on a connection, and a later one. */
static const char *delete_of(const char *value)
{
    return delete_by("EVAL", rdl_script_release.text, value);
}

static const char *next_delete_of(const char *value)
{
    return delete_by("EVALSHA", rdl_script_release.sha, value);
}

/* Our release finds another value and reads it. */
static void release_reads_value(const char *value, uint64_t now_ms)
{
    ck_assert_int_eq(rdl_lock_release_begin(&legacy.lock.lock, now_ms), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&legacy.s), delete_of(value));
    ck_assert_int_eq(legacy_answer(":0\r\n", now_ms), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&legacy.s), GET_K);
}

/* An extend compares with our own value, whatever was found before. */
static void extend_finds_another(const char *value, uint64_t now_ms)
{
    const char *sent;

    ck_assert_int_eq(rdl_lock_extend_begin(&legacy.lock.lock, LEGACY_TTL, now_ms), RDL_PENDING);
    sent = scripted_sent(&legacy.s);
    ck_assert_ptr_nonnull(strstr(sent, "\r\nEVAL"));
    ck_assert_ptr_nonnull(strstr(sent, value));
    scripted_reply(&legacy.s, ":0\r\n");
}

static void nothing_follows(void)
{
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
    ck_assert(rdl_conn_is_idle(&legacy.s.conn));
}

/* ---------------------------------------------------------------- a holder without an expiry */

START_TEST(endless_holder_is_busy_and_never_taken_over)
{
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_reply(endless[_i], ":-1\r\n"), START), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), -1);
    nothing_follows();
}
END_TEST

START_TEST(endless_holder_is_busy_until_its_key_expires)
{
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_reply(endless[_i], ":1234\r\n"), START), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), 1234);
}
END_TEST

START_TEST(acquire_waits_for_an_endless_holder)
{
    uint64_t at_ms;

    legacy.opt.wait_ms = 60000;
    legacy.opt.retry_ms = 50;
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_reply(endless[_i], ":-1\r\n"), START), RDL_PENDING);
    at_ms = rdl_lock_wake_ms(&legacy.lock.lock);
    ck_assert_uint_le(at_ms, START + 50);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, at_ms), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer("*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n", at_ms), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":1\r\n", at_ms), RDL_OK);
}
END_TEST

/* The GETSET of a loser, where nothing compares: the value that it overwrote is not past. */
START_TEST(getset_over_an_endless_holder_does_not_win)
{
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1699999999), START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer("-NOPERM no\r\n", START), RDL_PENDING); /* EVAL */
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer("+OK\r\n$10\r\n1699999999\r\n:-1\r\n-NOPERM no\r\n", START), RDL_PENDING);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&legacy.s), "GETSET"));
    ck_assert_int_eq(legacy_answer(bulk("2147483649.0"), START), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), -1);
}
END_TEST

/* ---------------------------------------------------------------- what a release finds */

/* Our deadline is 1700000011; by our clock the lease ends in 1700000009. */
static const struct {
    const char *reply; /* to GET */
    int result;
    int64_t holder_ms;
} finds[] = {
    {"$12\r\n1700000010.0\r\n", RDL_OVERWRITTEN,
     10010}, /* past in the second after; 1 % of a second for the clock */
    {"$12\r\n1700000009.0\r\n", RDL_OVERWRITTEN, 9010},
    {"$17\r\n1700000040.123456\r\n", RDL_OVERWRITTEN, 40010},
    {"$12\r\n2147483649.0\r\n", RDL_OVERWRITTEN, -1},
    {"$12\r\n1700000008.0\r\n", RDL_LOST,
     0}, /* a client with a shorter ttl: it may have lost the lock again */
    {"$12\r\n1699999999.0\r\n", RDL_LOST, 0},
    {"$13\r\n1700000010000\r\n", RDL_LOST, 0}, /* a client that counts in milliseconds has taken it from us */
    {"$40\r\n00112233445566778899aabbccddeeff00000001\r\n", RDL_LOST, 0},
    {"$6\r\nlocked\r\n", RDL_LOST, 0},
    {"$-1\r\n", RDL_LOST, 0}, /* the client that deleted it held it */
    {"-WRONGTYPE Operation against a key holding the wrong kind of value\r\n", RDL_LOST, 0},
    {"-ERR Operation against a key holding the wrong kind of value\r\n", RDL_LOST, 0},
    {"-LOADING Redis is loading\r\n", RDL_OVERWRITTEN, -2},
};
enum { FINDS = sizeof finds / sizeof finds[0], WAITERS = 4 };

START_TEST(release_distinguishes_overwritten_and_lost)
{
    const char *value = hold();

    release_reads_value(value, START + 1000);
    ck_assert_int_eq(legacy_answer(finds[_i].reply, START + 1000), finds[_i].result);
    if (finds[_i].result == RDL_OVERWRITTEN)
        ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), finds[_i].holder_ms);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&legacy.lock.lock, START + 1000), 0);
    nothing_follows();
}
END_TEST

/* The GET itself gets no reply: the value's owner stays unknown. */
START_TEST(unanswered_get_is_not_reported_as_lost)
{
    const char *value = hold();

    release_reads_value(value, START + 1000);
    if (_i)
        scripted_break(&legacy.s);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 1000 + ATTEMPT), RDL_OVERWRITTEN);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), -2);
}
END_TEST

/* When the reply arrives others may already hold it: there is nothing to check. */
START_TEST(another_value_after_our_deadline_means_lost)
{
    hold();
    ck_assert_int_eq(rdl_lock_release_begin(&legacy.lock.lock, END - 1), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":0\r\n", END), RDL_LOST);
    nothing_follows();
}
END_TEST

START_TEST(waiters_value_after_our_deadline_means_lost)
{
    const char *value = hold();

    release_reads_value(value, END - 1);
    ck_assert_int_eq(legacy_answer(bulk("1700000041.0"), END), RDL_LOST);
    nothing_follows();
}
END_TEST

/*
 * The server deleted our value, and the connection ended before its reply: what the release finds on the next
 * one may be another client's lock. It is neither read nor deleted.
 */
START_TEST(repeated_release_spares_the_next_holder)
{
    static const enum rdl_legacy kinds[] = {RDL_LEGACY, RDL_LEGACY_INTEGER, RDL_LEGACY_SHORTEST};
    const char *value;

    rdl_lock_init_legacy(&legacy.lock, &legacy.opt, &legacy.s.conn, "k", 1, kinds[_i]);
    value = hold();
    ck_assert_int_eq(rdl_lock_release_begin(&legacy.lock.lock, START + 1000), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&legacy.s), delete_of(value));
    scripted_break(&legacy.s);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 1000), RDL_PENDING);
    scripted_open(&legacy.s, START + 1000);
    ck_assert_str_eq(scripted_sent(&legacy.s), delete_of(value));
    ck_assert_int_eq(legacy_answer(":0\r\n", START + 1000), RDL_UNKNOWN);
    nothing_follows();
}
END_TEST

/* ---------------------------------------------------------------- with the shortest ttl */

static void find_and_delete(const char *found, uint64_t now_ms)
{
    release_reads_value(hold(), now_ms);
    ck_assert_int_eq(legacy_answer(bulk(found), now_ms), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&legacy.s), next_delete_of(found));
}

START_TEST(waiters_value_is_deleted_by_comparing_its_bytes)
{
    static const char *const found[] = {"1700000010.0", "2147483649.0", "1700000040.12345678901"};
    static const struct {
        const char *reply;
        int result;
    } ends[] = {
        {":1\r\n", RDL_REMOVED},
        {":0\r\n", RDL_OVERWRITTEN}, /* another waiter */
        {":-1\r\n", RDL_LOST},       /* deleted by a client that does not do that, or that held it */
        {"-LOADING no\r\n", RDL_OVERWRITTEN},
    };

    find_and_delete(found[_i / 4], START + 1000);
    ck_assert_int_eq(legacy_answer(ends[_i % 4].reply, START + 1000), ends[_i % 4].result);
    nothing_follows();
}
END_TEST

/* Otherwise the DEL might arrive when another client holds the lock with the same value. */
START_TEST(waiters_value_is_deleted_at_most_once)
{
    find_and_delete("2147483649.0", START + 1000);
    if (_i == 0)
        scripted_break(&legacy.s);
    if (_i == 2)
        rdl_lock_cancel(&legacy.lock.lock);
    else
        ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 1000 + ATTEMPT), RDL_UNKNOWN);
    if (_i > 0)
        scripted_break(&legacy.s);
    ck_assert(rdl_conn_is_idle(&legacy.s.conn));
    scripted_open(&legacy.s, START + 1000 + ATTEMPT);
    nothing_follows();
}
END_TEST

START_TEST(unsent_delete_of_a_waiters_value_is_dropped)
{
    release_reads_value(hold(), START + 1000);
    scripted_feed(&legacy.s, bulk("2147483649.0"), strlen(bulk("2147483649.0")));
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 1000), RDL_PENDING);
    scripted_break(&legacy.s); /* before any byte of it was sent */
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 1000 + ATTEMPT), RDL_OVERWRITTEN);
    scripted_open(&legacy.s, START + 1000 + ATTEMPT);
    nothing_follows();
}
END_TEST

/* It has to arrive before others may hold the lock: two attempts are reserved for that. */
START_TEST(waiters_value_stays_with_little_time_left)
{
    uint64_t last_ms = END - 2 * ATTEMPT - 1;

    release_reads_value(hold(), last_ms - 10);
    ck_assert_int_eq(legacy_answer(bulk("1700000040.0"), last_ms + (_i ? 1 : 0)),
                     _i ? RDL_OVERWRITTEN : RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&legacy.s), _i ? "" : next_delete_of("1700000040.0"));
}
END_TEST

/* A value that is not a waiter's is left alone. */
START_TEST(value_that_is_not_a_waiters_is_not_deleted)
{
    release_reads_value(hold(), START + 1000);
    ck_assert_int_eq(legacy_answer(finds[_i].reply, START + 1000), finds[_i].result);
    nothing_follows();
}
END_TEST

/* ---------------------------------------------------------------- what an extend finds */

START_TEST(extend_never_adopts_a_value_that_it_found)
{
    extend_finds_another(hold(), START + 3000);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 3000), RDL_LOST);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&legacy.lock.lock, START + 3000), 0);
    ck_assert_ptr_null(strstr(scripted_sent(&legacy.s), GET_K));
}
END_TEST

START_TEST(shortest_mode_keeps_an_overwritten_lease)
{
    const char *value = hold();
    uint64_t now_ms;

    for (now_ms = START + 3000; now_ms < START + 9000; now_ms += 2500) {
        extend_finds_another(value, now_ms);
        ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, now_ms), RDL_PENDING);
        ck_assert_str_eq(scripted_sent(&legacy.s), GET_K);
        ck_assert_int_eq(legacy_answer(finds[_i].reply, now_ms), RDL_OVERWRITTEN);
        ck_assert_uint_eq(rdl_lock_remaining_ms(&legacy.lock.lock, now_ms), END - now_ms);
        nothing_follows();
    }
    ck_assert_int_eq(rdl_lock_extend_begin(&legacy.lock.lock, LEGACY_TTL, END), RDL_LOST);
}
END_TEST

START_TEST(shortest_mode_loses_a_lease_taken_by_another)
{
    extend_finds_another(hold(), START + 1000);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 1000), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&legacy.s), GET_K);
    ck_assert_int_eq(legacy_answer(finds[_i].reply, START + 1000), RDL_LOST);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&legacy.lock.lock, START + 1000), 0);
}
END_TEST

/* The GET gets no reply, or is refused: the next extend may read the value again. */
START_TEST(lease_continues_if_the_value_is_unknown)
{
    static const int results[] = {RDL_UNKNOWN, RDL_UNKNOWN, RDL_E_TRY_LATER};

    extend_finds_another(hold(), START + 1000);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 1000), RDL_PENDING);
    scripted_sent(&legacy.s);
    if (_i == 0)
        scripted_break(&legacy.s);
    if (_i == 2)
        scripted_reply(&legacy.s, "-LOADING no\r\n");
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 1000 + ATTEMPT), results[_i]);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&legacy.lock.lock, START + 1000), END - START - 1000);
}
END_TEST

/* A list, or a hash: the key is no longer ours. */
START_TEST(key_of_another_type_is_lost_on_extend)
{
    hold();
    ck_assert_int_eq(rdl_lock_extend_begin(&legacy.lock.lock, LEGACY_TTL, START + 1000), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(_i ? "-ERR Operation against a key holding the wrong kind of value\r\n"
                                      : "-WRONGTYPE Operation against a key\r\n",
                                   START + 1000),
                     RDL_LOST);
}
END_TEST

/* ---------------------------------------------------------------- a waiter of redis-py, with a real key */

static uint64_t now;

static const char *peer_says(const char *command)
{
    static uint8_t reply[SIM_REPLY_MAX + 1];
    struct sim_session by_hand = {0};
    struct sim_out out = {reply, SIM_REPLY_MAX, 0};
    char line[64];
    int n = snprintf(line, sizeof line, "%s\r\n", command);

    sim_server_input(&legacy.s.model, &by_hand, (const uint8_t *)line, (size_t)n, now, &out);
    reply[out.len] = '\0';
    return (const char *)reply;
}

static int served(int rc)
{
    int i;

    for (i = 0; i < 9 && rc == RDL_PENDING; i++) {
        scripted_serve(&legacy.s, now);
        rc = rdl_lock_step(&legacy.lock.lock, now);
    }
    return rc;
}

/*
 * The waiter finds nothing, we acquire the lock, then its GETSET arrives: it has not won, but our value is
 * gone.
 */
START_TEST(late_waiter_does_not_block_others_in_shortest_mode)
{
    now = 1700000000000u;
    scripted_init(&legacy.s);
    scripted_model(&legacy.s, now);
    scripted_open(&legacy.s, now);
    ck_assert_str_eq(peer_says("GET k"), "$-1\r\n");
    ck_assert_int_eq(served(rdl_lock_acquire_begin(&legacy.lock.lock, entropy_bytes(), now)), RDL_OK);
    ck_assert_int_eq(strncmp(peer_says("GETSET k 2147483649.0"), "$20\r\n" OURS, 15), 0);
    now += 1000;
    ck_assert_int_eq(served(rdl_lock_extend_begin(&legacy.lock.lock, LEGACY_TTL, now)), RDL_OVERWRITTEN);
    ck_assert_uint_gt(rdl_lock_remaining_ms(&legacy.lock.lock, now), 0);
    ck_assert_str_eq(peer_says("GET k"), "$12\r\n2147483649.0\r\n");
    ck_assert_int_eq(served(rdl_lock_release_begin(&legacy.lock.lock, now)), RDL_REMOVED);
    ck_assert_str_eq(peer_says("SETNX k 1700000030.0"), ":1\r\n");
    ck_assert_int_eq(served(rdl_lock_acquire_begin(&legacy.lock.lock, entropy_bytes(), now)), RDL_BUSY);
}
END_TEST

/* Whatever is there now: nothing depends on it, and only our own value is released. */
START_TEST(refusal_after_the_lease_means_lost_at_once)
{
    const char *value = hold();

    extend_finds_another(value, END - 1);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, END), RDL_LOST);
    ck_assert_ptr_null(strstr(scripted_sent(&legacy.s), GET_K));
}
END_TEST

Suite *suite_lock_legacy_waiter(void)
{
    Suite *suite = suite_create("lock_legacy_waiter");
    TCase *tc = suite_case(suite, "reported", legacy_setup, NULL);
    TCase *shortest = suite_case(suite, "deleted", setup_shortest, NULL);

    tcase_add_loop_test(tc, endless_holder_is_busy_and_never_taken_over, 0, 3);
    tcase_add_loop_test(tc, endless_holder_is_busy_until_its_key_expires, 0, 3);
    tcase_add_loop_test(tc, acquire_waits_for_an_endless_holder, 0, 3);
    tcase_add_test(tc, getset_over_an_endless_holder_does_not_win);
    tcase_add_loop_test(tc, release_distinguishes_overwritten_and_lost, 0, FINDS);
    tcase_add_loop_test(tc, unanswered_get_is_not_reported_as_lost, 0, 2);
    tcase_add_loop_test(tc, repeated_release_spares_the_next_holder, 0, 3);
    tcase_add_test(tc, another_value_after_our_deadline_means_lost);
    tcase_add_test(tc, waiters_value_after_our_deadline_means_lost);
    tcase_add_test(tc, extend_never_adopts_a_value_that_it_found);
    tcase_add_loop_test(tc, key_of_another_type_is_lost_on_extend, 0, 2);
    tcase_add_loop_test(shortest, waiters_value_is_deleted_by_comparing_its_bytes, 0, 12);
    tcase_add_loop_test(shortest, waiters_value_is_deleted_at_most_once, 0, 3);
    tcase_add_test(shortest, unsent_delete_of_a_waiters_value_is_dropped);
    tcase_add_loop_test(shortest, waiters_value_stays_with_little_time_left, 0, 2);
    tcase_add_loop_test(shortest, value_that_is_not_a_waiters_is_not_deleted, WAITERS, FINDS);
    tcase_add_loop_test(shortest, shortest_mode_keeps_an_overwritten_lease, 0, WAITERS);
    tcase_add_loop_test(shortest, shortest_mode_loses_a_lease_taken_by_another, WAITERS, FINDS - 1);
    tcase_add_loop_test(shortest, lease_continues_if_the_value_is_unknown, 0, 3);
    tcase_add_test(shortest, refusal_after_the_lease_means_lost_at_once);
    tcase_add_test(shortest, late_waiter_does_not_block_others_in_shortest_mode);
    return suite;
}
