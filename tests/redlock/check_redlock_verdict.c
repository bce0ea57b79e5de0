/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_verdict.c - an attempt that cannot win any more: it is released at once, and the replies in
 * its time decide its result.
 *
 * Rule R25.
 */
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

static uint64_t now;

static void begin(size_t n)
{
    now = 1000;
    fleet_init(n, now);
}

/* Sends all requests before the first reply arrives. */
static int send_all(void)
{
    int rc = fleet_acquire(now);
    size_t i;

    for (i = 0; i < fleet.n; i++)
        scripted_sent(&fleet.s[i]);
    return rc;
}

/* The state of each server, a letter each: . free, s another client's, d down, e errors only. */
static unsigned how_many(const char *fates, char fate)
{
    unsigned n = 0;

    for (; *fates != '\0'; fates++)
        n += *fates == fate;
    return n;
}

static int best_of(const char *fates)
{
    unsigned n = (unsigned)strlen(fates), quorum = n / 2 + 1;
    unsigned yes = how_many(fates, '.'), denied = how_many(fates, 's');

    if (yes >= quorum)
        return RDL_OK;
    return denied > n - quorum || (denied > 0 && denied + yes >= quorum) ? RDL_BUSY : RDL_NO_QUORUM;
}

/* The servers reply one after another, starting with `first`. */
static void answers_in_turn(const char *fates, size_t first)
{
    size_t i;
    int rc;

    begin(strlen(fates));
    fleet_befall(fates, now);
    rc = send_all();
    for (i = 0; i < fleet.n && rc == RDL_PENDING; i++) {
        fleet_serve((first + i) % fleet.n, now);
        rc = rdl_redlock_step(lock, now);
    }
    ck_assert_msg(rc == best_of(fates), "%s from %u on: %d", fates, (unsigned)first, rc);
    for (i = 0; i < 3; i++) {
        fleet_serve_all(now);
        rdl_redlock_step(lock, now);
    }
    if (rc != RDL_OK)
        ck_assert_uint_eq(fleet_keys(now), how_many(fates, 's'));
}

/* The number of servers, and which one replies first; a test each, so that none takes long. */
static const struct {
    size_t n, first;
} orders[] = {{1, 0}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {3, 2}, {4, 0}, {4, 1}, {4, 2}, {4, 3},
              {5, 0}, {5, 2}, {5, 4}, {6, 0}, {6, 2}, {6, 4}, {7, 0}, {7, 2}, {7, 4}, {7, 6}};

START_TEST(result_does_not_depend_on_the_order_of_replies)
{
    static const char letters[] = ".sde";
    size_t n = orders[_i].n, i;
    unsigned k, all = 1;

    for (i = 0; i < n; i++)
        all *= 4;
    for (k = 0; k < all; k++) {
        char fates[8] = {0};
        unsigned rest = k;
        for (i = 0; i < n; i++, rest /= 4)
            fates[i] = letters[rest % 4];
        if (how_many(fates, 'd') <= n - (n / 2 + 1)) /* with more it does not even begin */
            answers_in_turn(fates, orders[_i].first);
    }
}
END_TEST

/* One of five is down, two have refused: no majority, and the last two decide whether it is busy. */
static void wait_for_the_verdict(void)
{
    fleet_down(0);
    fleet_steal(1, now);
    fleet_steal(2, now);
    fleet.mood[3] = fleet.mood[4] = MOOD_FROZEN;
    ck_assert_int_eq(send_all(), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
}

START_TEST(releases_are_sent_at_once_and_only_the_verdict_waits)
{
    begin(5);
    wait_for_the_verdict();
    ck_assert_str_eq(scripted_sent(&fleet.s[1]), "");
    ck_assert_str_eq(scripted_sent(&fleet.s[2]), "");
    ck_assert_str_eq(scripted_sent(&fleet.s[3]), wire_release_text("k", entropy_token(1)));
    ck_assert_str_eq(scripted_sent(&fleet.s[4]), wire_release_text("k", entropy_token(1)));
    ck_assert_uint_eq(lock->wake_ms, now + FLEET_ATTEMPT);
    ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT - 1), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT), RDL_NO_QUORUM); /* not by two alone */
    scripted_sent(&fleet.s[3]);
    fleet_mend(now + FLEET_ATTEMPT);
    ck_assert_uint_eq(fleet_keys(now + FLEET_ATTEMPT), 2);
}
END_TEST

START_TEST(late_reply_is_a_vote_and_needs_no_second_release)
{
    begin(5);
    wait_for_the_verdict();
    scripted_sent(&fleet.s[4]);
    fleet.mood[4] = MOOD_UP; /* its grant, and that the release deleted it */
    fleet_serve(4, now + 10);
    ck_assert_int_eq(rdl_redlock_step(lock, now + 10),
                     RDL_BUSY); /* two and one are a majority that replied */
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 1);
    ck_assert_str_eq(scripted_sent(&fleet.s[4]), "");
    ck_assert(rdl_conn_is_idle(&fleet.s[4].conn));
    ck_assert_uint_eq(fleet_keys(now + 10), 2);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, now + 10), 0);
}
END_TEST

/* It may reply, connect, or grant the lock however late: this attempt has failed. */
START_TEST(server_that_connects_during_the_verdict_is_not_used)
{
    begin(5);
    wait_for_the_verdict();
    fleet_up(0);
    scripted_sent(&fleet.s[0]);
    ck_assert_int_eq(rdl_redlock_step(lock, now + 10), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&fleet.s[0]), "");
}
END_TEST

/* The last two do not get the request any more, so they have no vote. */
START_TEST(request_is_not_sent_during_the_verdict)
{
    size_t i;

    begin(5);
    fleet_befall("dss..", now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve(1, now);
    fleet_serve(2, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_NO_QUORUM);
    for (i = 3; i < 5; i++)
        ck_assert_str_eq(scripted_sent(&fleet.s[i]), "");
}
END_TEST

START_TEST(verdict_does_not_wait_if_busy_is_impossible)
{
    begin(5);
    fleet_befall(".eee", now);
    fleet.mood[4] = MOOD_FROZEN; /* even if another client holds it there */
    send_all();
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_NO_QUORUM);
}
END_TEST

START_TEST(one_refusal_and_three_lost_servers_is_no_quorum)
{
    begin(5);
    fleet_down(3);
    fleet_down(4);
    fleet_steal(0, now);
    fleet.mood[1] = MOOD_FROZEN;
    send_all();
    fleet_serve(0, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    fleet_down(2);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_NO_QUORUM);
}
END_TEST

START_TEST(lost_connection_has_one_pending_release)
{
    begin(5);
    wait_for_the_verdict();
    fleet_down(4);
    ck_assert_int_eq(rdl_redlock_step(lock, now + 1),
                     RDL_PENDING); /* the last one may be the third refusal */
    fleet_down(3);
    ck_assert_int_eq(rdl_redlock_step(lock, now + 2), RDL_NO_QUORUM);
    ck_assert_uint_eq(rdl_conn_waiting(&fleet.s[4].conn), 1);
    fleet_up(3);
    fleet_up(4);
    fleet_mend(now + 2);
    ck_assert_uint_eq(fleet_keys(now + 2), 2);
    ck_assert(rdl_redlock_is_idle(lock));
}
END_TEST

START_TEST(cancel_during_the_verdict_leaves_nothing)
{
    begin(5);
    wait_for_the_verdict();
    rdl_redlock_cancel(lock);
    ck_assert(!lock->servers[3].req.is_queued && !lock->servers[4].req.is_queued);
    fleet_mend(now + 1);
    ck_assert_uint_eq(fleet_keys(now + 1), 2);
    ck_assert(rdl_redlock_is_idle(lock));
}
END_TEST

START_TEST(room_for_one_request_is_used_for_the_release)
{
    struct rdl_command other = {&rdl_op_extend, {NULL, 40}, {"v", 1}, {NULL, 0}, 60000, 30000};
    static struct rdl_req reqs[120];
    size_t i;

    begin(5);
    other.name.data = token_hex(7);
    fleet.mood[3] = MOOD_FROZEN;
    for (i = 0; rdl_conn_submit(&fleet.s[3].conn, &reqs[i], &other) == RDL_OK; i++)
        ck_assert_uint_lt(i, 119);
    rdl_conn_abandon(&fleet.s[3].conn, &reqs[0]); /* room for a request and its release */
    wait_for_the_verdict();
    ck_assert_uint_eq(fleet.servers[3].vote, RDL_VOTE_PENDING);
    ck_assert_uint_eq(fleet.servers[3].needs_release, 0);
}
END_TEST

/* Its script was unknown: sent again, in full, it would arrive after the release. */
START_TEST(script_is_not_sent_again_during_the_verdict)
{
    begin(5);
    fleet.opt.fencing = &rdl_fencing;
    wait_for_the_verdict();
    ck_assert_ptr_nonnull(strstr(scripted_sent(&fleet.s[3]), entropy_token(1)));
    scripted_reply(&fleet.s[3], "-NOSCRIPT No matching script.\r\n:-1\r\n");
    ck_assert_int_eq(rdl_redlock_step(lock, now + 1), RDL_PENDING);
    ck_assert_uint_eq(fleet.servers[3].vote, RDL_VOTE_ERROR);
    ck_assert_str_eq(scripted_sent(&fleet.s[3]), "");
    ck_assert(rdl_conn_is_idle(&fleet.s[3].conn));
}
END_TEST

/* The refusal arrives in time; the remaining time of the key does not. */
START_TEST(half_a_reply_is_a_refusal)
{
    begin(5);
    wait_for_the_verdict();
    scripted_reply(&fleet.s[3], "$-1\r\n");
    ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT - 1), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT), RDL_BUSY);
}
END_TEST

Suite *suite_redlock_verdict(void)
{
    Suite *suite = suite_create("redlock_verdict");
    TCase *tc = suite_case(suite, "verdict", NULL, NULL);

    tcase_add_loop_test(tc, result_does_not_depend_on_the_order_of_replies, 0,
                        sizeof orders / sizeof orders[0]);
    tcase_add_test(tc, releases_are_sent_at_once_and_only_the_verdict_waits);
    tcase_add_test(tc, late_reply_is_a_vote_and_needs_no_second_release);
    tcase_add_test(tc, server_that_connects_during_the_verdict_is_not_used);
    tcase_add_test(tc, request_is_not_sent_during_the_verdict);
    tcase_add_test(tc, verdict_does_not_wait_if_busy_is_impossible);
    tcase_add_test(tc, one_refusal_and_three_lost_servers_is_no_quorum);
    tcase_add_test(tc, lost_connection_has_one_pending_release);
    tcase_add_test(tc, cancel_during_the_verdict_leaves_nothing);
    tcase_add_test(tc, room_for_one_request_is_used_for_the_release);
    tcase_add_test(tc, script_is_not_sent_again_during_the_verdict);
    tcase_add_test(tc, half_a_reply_is_a_refusal);
    return suite;
}
