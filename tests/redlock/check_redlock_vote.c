/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_vote.c - counting votes: which servers cannot vote yes any more, when the keys expire, which
 * errors are permanent.
 *
 * Rules R7 and R24.
 */
#include <stdlib.h>
#include <string.h>

#include "redlock/redlock_private.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

/* PTTLs of the servers that refused, '-' for one that did not; and the pause that results. */
static const struct {
    const char *pttls;
    uint64_t hint;
} hints[] = {
    {"700", 700},
    {"-1", UINT32_MAX},
    {"-", UINT32_MAX},
    {"-2", UINT32_MAX},
    {"4294967294", 4294967294},
    {"4294967296", UINT32_MAX}, /* too far away to be of use */
    {"100 - -", 100},           /* two others may be free: one key is enough */
    {"100 200 -", 100},
    {"100 - - - -", 100},
    {"100 200 300", 200},
    {"300 100 200", 200},
    {"100 100 100", 100},
    {"0 0 9", 0},
    {"-1 100 200", 200},
    {"-1 -1 200", UINT32_MAX},
    {"-2 50 60", 60},
    {"10 20 30 40", 30},
    {"10 20 30 -", 20},
    {"10 20 - -", 10},
    {"50 40 30 20 10", 30},
    {"50 40 30 - 10", 30},
    {"7 6 5 4 3 2 1", 4},
};

static void refused_with(const char *pttls)
{
    char text[64];
    char *word;
    size_t n = 0;
    size_t i = 0;

    strcpy(text, pttls);
    for (word = text; *word != '\0'; word++)
        n += *word == ' ';
    fleet_init(n + 1, 1000);
    for (word = strtok(text, " "); word != NULL; word = strtok(NULL, " "), i++) {
        fleet.servers[i].vote = strchr("-=", *word) && word[1] == '\0' ? RDL_VOTE_UNKNOWN : RDL_VOTE_DENIED;
        fleet.servers[i].value = *word == '=' ? -1 : strtoll(word, NULL, 10);
    }
}

START_TEST(pause_lasts_until_a_majority_could_be_free)
{
    refused_with(hints[_i].pttls);
    ck_assert_uint_eq(rdl_votes_free_in_ms(lock), hints[_i].hint);
}
END_TEST

/* '=' is a server without a reply, whose key had no expiry in an earlier attempt. */
static const struct {
    const char *pttls;
    int result;
    int64_t holder_ms;
} holders[] = {
    {"100 200 300", RDL_BUSY, 200}, {"100 200 300", RDL_NO_QUORUM, -2}, {"100 200 300", RDL_OK, -2},
    {"-1 200 300", RDL_BUSY, 300},  {"-1 -1 200", RDL_BUSY, -1},        {"-1 -1 -", RDL_BUSY, -1},
    {"-1 -2 -2", RDL_BUSY, -2},     {"-1 = =", RDL_BUSY, -2},           {"-2", RDL_BUSY, -2},
    {"-1", RDL_BUSY, -1},
};

START_TEST(holder_time_is_that_of_a_majority)
{
    refused_with(holders[_i].pttls);
    lock->result = (int16_t)holders[_i].result;
    ck_assert_int_eq(rdl_redlock_holder_ms(lock), holders[_i].holder_ms);
}
END_TEST

START_TEST(error_of_a_server_is_that_of_its_vote)
{
    uint64_t now = 1000;

    fleet_init(3, now);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    rdl_conn_shut(&fleet.s[0].conn, RDL_E_AUTH);
    ck_assert_int_eq(rdl_redlock_error(lock, 0), RDL_OK);
    fleet.servers[0].vote = RDL_VOTE_NONE;
    ck_assert_int_eq(rdl_redlock_error(lock, 0), RDL_E_AUTH);
    fleet.servers[0].error = RDL_E_FULL;
    ck_assert_int_eq(rdl_redlock_error(lock, 0), RDL_E_FULL);
}
END_TEST

/* The majority that is left is farther away. */
START_TEST(lost_server_does_not_shorten_the_attempt)
{
    size_t i;

    fleet_init(3, 1000);
    for (i = 0; i < 3; i++)
        fleet.s[i].conn.rtt_ms = i < 2 ? 10 : 1000;
    ck_assert_uint_eq(rdl_redlock_attempt_ms(lock), FLEET_ATTEMPT);
    fleet_down(0);
    ck_assert_uint_eq(rdl_redlock_attempt_ms(lock), FLEET_TTL / 4);
}
END_TEST

START_TEST(only_servers_that_may_still_reply_are_undecided)
{
    static const enum rdl_vote noes[] = {RDL_VOTE_DENIED, RDL_VOTE_ABSENT, RDL_VOTE_ERROR, RDL_VOTE_UNKNOWN};
    size_t i;

    fleet_init(7, 1000);
    fleet.servers[0].vote = RDL_VOTE_PENDING;
    fleet.servers[1].vote = RDL_VOTE_GRANTED;
    ck_assert_uint_eq(rdl_votes_count(lock, rdl_is_impossible),
                      0); /* the others are ready and will get the request */
    for (i = 0; i < 4; i++)
        fleet.servers[2 + i].vote = (uint8_t)noes[i];
    ck_assert_uint_eq(rdl_votes_count(lock, rdl_is_impossible), 4);
    fleet_down(6);
    ck_assert_uint_eq(rdl_votes_count(lock, rdl_is_impossible), 5);
    fleet_up(6);
    rdl_votes_take_replies(lock, 5000);
    rdl_votes_take_replies(lock, 9000);
    ck_assert_uint_eq(rdl_votes_count(lock, rdl_is_impossible), 4); /* it is connecting: it may still vote */
    fleet.servers[6].error = RDL_E_FULL;
    ck_assert_uint_eq(rdl_votes_count(lock, rdl_is_impossible), 4); /* there may be room later */
    fleet.servers[6].error = RDL_E_DUPLICATE;
    ck_assert_uint_eq(rdl_votes_count(lock, rdl_is_impossible), 5);
    fleet.servers[0].counts = 0; /* whatever it says */
    ck_assert_uint_eq(rdl_votes_count(lock, rdl_is_impossible), 6);
}
END_TEST

START_TEST(errors_are_permanent_if_they_leave_no_majority)
{
    static const int errors[] = {RDL_E_PERM, RDL_E_DUPLICATE, RDL_E_FENCE_RANGE};
    size_t i;

    fleet_init(5, 1000);
    for (i = 0; i < 3; i++) {
        ck_assert(!rdl_votes_failed_for_good(lock));
        fleet.servers[i].vote = RDL_VOTE_ERROR;
        fleet.servers[i].error = (int16_t)errors[_i];
    }
    ck_assert(rdl_votes_failed_for_good(lock));
    fleet.servers[0].error = RDL_E_TRY_LATER;
    ck_assert(!rdl_votes_failed_for_good(lock));
    fleet.servers[0].vote = RDL_VOTE_NONE; /* never connected, because of its password */
    fleet.servers[0].error = RDL_OK;
    rdl_conn_shut(&fleet.s[0].conn, RDL_E_AUTH);
    ck_assert(rdl_votes_failed_for_good(lock));
    fleet.servers[1].vote = RDL_VOTE_GRANTED;
    ck_assert(!rdl_votes_failed_for_good(lock));
}
END_TEST

static int has_key(const struct rdl_redlock *r, const struct rdl_server *s)
{
    (void)r;
    return s->certainty >= CERTAINTY_RESTORED;
}

START_TEST(last_reply_decides_whether_a_server_holds_the_key)
{
    uint64_t now = 1000;

    fleet_init(5, 1000);
    fleet.mood[4] = MOOD_FROZEN;
    ck_assert_uint_eq(rdl_votes_count(lock, has_key), 0);
    fleet_run(fleet_acquire(now), &now);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(rdl_votes_count(lock, has_key), 4);
    fleet_delete(0, now);
    fleet_steal(1, now);
    fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now);
    ck_assert_uint_eq(rdl_votes_count(lock, has_key), 2);
    fleet.mood[4] = MOOD_UP; /* its late grant, and the extend after it, count */
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    ck_assert_uint_le(rdl_votes_count(lock, has_key), 3);
}
END_TEST

START_TEST(conns_are_counted_by_state)
{
    fleet_init(4, 1000);
    fleet_down(2);
    ck_assert_uint_eq(rdl_votes_count_conns(lock, RDL_CONN_READY), 3);
    ck_assert_uint_eq(rdl_votes_count_conns(lock, RDL_CONN_CLOSED), 1);
    rdl_conn_shut(&fleet.s[0].conn, RDL_E_CLOSED);
    ck_assert_uint_eq(rdl_votes_count_conns(lock, RDL_CONN_FAILED), 1);
}
END_TEST

START_TEST(server_that_reconnects_gets_no_second_request)
{
    fleet_init(3, 1000);
    fleet.mood[0] = MOOD_FROZEN;
    fleet_acquire(1000);
    rdl_redlock_step(lock, 1001);
    rdl_redlock_step(lock, 1002);
    ck_assert_str_eq(scripted_sent(&fleet.s[0]), wire_acquire("k", entropy_token(1), FLEET_TTL));
    fleet_down(0); /* sent and lost: not sent again in this attempt */
    rdl_redlock_step(lock, 1003);
    fleet_up(0);
    rdl_redlock_step(lock, 1100);
    fleet_serve(0, 1100);
    ck_assert_int_eq(rdl_conn_state(&fleet.s[0].conn), RDL_CONN_READY);
    scripted_sent(&fleet.s[0]);
    rdl_redlock_step(lock, 1101);
    ck_assert_uint_eq(fleet.servers[0].vote, RDL_VOTE_UNKNOWN);
    ck_assert_str_eq(scripted_sent(&fleet.s[0]), "");
}
END_TEST

Suite *suite_redlock_vote(void)
{
    Suite *suite = suite_create("redlock_vote");
    TCase *tc = suite_case(suite, "vote", NULL, NULL);

    tcase_add_loop_test(tc, pause_lasts_until_a_majority_could_be_free, 0, sizeof hints / sizeof hints[0]);
    tcase_add_loop_test(tc, holder_time_is_that_of_a_majority, 0, sizeof holders / sizeof holders[0]);
    tcase_add_test(tc, error_of_a_server_is_that_of_its_vote);
    tcase_add_test(tc, lost_server_does_not_shorten_the_attempt);
    tcase_add_test(tc, only_servers_that_may_still_reply_are_undecided);
    tcase_add_loop_test(tc, errors_are_permanent_if_they_leave_no_majority, 0, 3);
    tcase_add_test(tc, last_reply_decides_whether_a_server_holds_the_key);
    tcase_add_test(tc, conns_are_counted_by_state);
    tcase_add_test(tc, server_that_reconnects_gets_no_second_request);
    return suite;
}
