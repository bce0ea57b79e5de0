/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_probe_server.c - which server gets the first request under contention, and that no server has
 * a veto.
 *
 * Rule R30.
 */
#include <string.h>

#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

static uint64_t now;

static void begin(size_t n)
{
    now = 1000;
    fleet_init(n, now);
    fleet.opt.lease.wait_ms = 20000;
    fleet.opt.lease.retry_ms = 50;
}

/* The servers that were sent a SET since the last call, as a string such as "+....". */
static const char *sent_to(void)
{
    static char text[8];
    size_t i;

    for (i = 0; i < fleet.n; i++)
        text[i] = strstr(scripted_sent(&fleet.s[i]), "SET\r\n") != NULL ? '+' : '.';
    text[i] = '\0';
    return text;
}

/* All servers reply until the attempt has failed; then the next one begins. */
static void next_attempt(void)
{
    int i;

    for (i = 0; i < 3; i++) {
        fleet_serve_all(now);
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    }
    for (i = 0; i < (int)fleet.n; i++)
        scripted_sent(&fleet.s[i]);
    now = rdl_redlock_wake_ms(lock);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
}

static void steal_all(void)
{
    size_t i;

    for (i = 0; i < fleet.n; i++)
        fleet_command(i, "SET k other PX 15000\r\n", now);
}

START_TEST(refused_attempts_alternate_between_one_and_all_servers)
{
    begin(5);
    steal_all();
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_str_eq(sent_to(), "+++++");
    next_attempt();
    ck_assert_str_eq(sent_to(), "+....");
    next_attempt();
    ck_assert_str_eq(sent_to(), "+++++");
    next_attempt();
    ck_assert_str_eq(sent_to(), "+....");
}
END_TEST

START_TEST(other_servers_are_used_after_the_probe_server_grants)
{
    size_t i;

    begin(5);
    steal_all();
    fleet_acquire(now);
    next_attempt();
    ck_assert_str_eq(sent_to(), "+....");
    for (i = 0; i < 5; i++)
        fleet_delete(i, now);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now + 200), RDL_PENDING);
    ck_assert_str_eq(sent_to(), ".++++");
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now + 200 + FLEET_ATTEMPT - 1),
                     RDL_OK); /* they have their own time */
    ck_assert_uint_eq(rdl_redlock_until_ms(lock),
                      now + FLEET_TTL - FLEET_DRIFT); /* from the probe server on */
}
END_TEST

static void key_on(size_t i, const char *command)
{
    fleet_command(i, command, now);
}

static const struct {
    const char *on_probe_server; /* the key there, which never expires */
    int is_frozen;
} vetoes[] = {
    {"SET k orphan PX 19000\r\n", 0},
    {"SET k foreign\r\n", 0},
    {"LPUSH k list\r\n", 0},
    {NULL, 1},
};

/* The first server refuses as long as it can; the key expires soon on all others. */
START_TEST(no_single_server_can_lock_the_others_out)
{
    size_t i;

    begin(5);
    if (vetoes[_i].on_probe_server != NULL)
        key_on(0, vetoes[_i].on_probe_server);
    for (i = vetoes[_i].is_frozen ? 0 : 1; i < 5; i++)
        key_on(i, "SET k other PX 700\r\n");
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    if (vetoes[_i].is_frozen)
        fleet.mood[0] = MOOD_FROZEN;
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_OK);
    ck_assert_uint_gt(now, 1700);
    ck_assert_uint_lt(now, 1700 + 2 * RDL_RETRY_CAP_MS + 2 * FLEET_ATTEMPT);
}
END_TEST

START_TEST(useless_probe_server_is_replaced)
{
    begin(5);
    steal_all();
    if (_i)
        key_on(0, "SET k foreign\r\n");
    fleet_acquire(now);
    next_attempt();
    ck_assert_str_eq(sent_to(), "+....");
    if (!_i) {
        fleet.mood[0] = MOOD_FROZEN;
        now += FLEET_ATTEMPT;
    }
    next_attempt();
    ck_assert_str_eq(sent_to(), _i ? "+++++" : ".++++"); /* it has not replied yet */
    if (!_i)
        now += FLEET_ATTEMPT;
    next_attempt();
    ck_assert_str_eq(sent_to(), ".+...");
}
END_TEST

/* It is free in less than a millisecond. */
START_TEST(probe_server_with_an_expiring_key_is_used_again)
{
    int i;

    begin(3);
    steal_all();
    fleet_acquire(now);
    next_attempt();
    ck_assert_str_eq(sent_to(), "+..");
    fleet.s[0].served = fleet.s[0].len;
    scripted_reply(&fleet.s[0], "$-1\r\n:0\r\n");
    for (i = 0; i < 2; i++)
        next_attempt();
    ck_assert_str_eq(sent_to(), "+..");
}
END_TEST

START_TEST(probe_server_is_connected_and_counts)
{
    size_t i;

    begin(3);
    fleet.opt.guard = RDL_GUARD_REQUIRED;
    for (i = 0; i < 3; i++)
        rdl_conn_tick(&fleet.s[i].conn, now);
    now = 1000 + FLEET_TTL + 1000;
    fleet.s[0].conn.cfg->server_info->up_ms = (int64_t)now; /* in quarantine */
    steal_all();
    fleet_acquire(now);
    ck_assert_str_eq(sent_to(), "+++");
    next_attempt();
    ck_assert_str_eq(sent_to(), ".+.");
}
END_TEST

/* Both servers have a key that never expires: neither is of use as a probe server. */
START_TEST(all_servers_are_used_without_a_probe_server)
{
    int i;

    begin(2);
    key_on(0, "SET k foreign\r\n");
    key_on(1, "SET k foreign\r\n");
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    next_attempt();
    ck_assert_str_eq(sent_to(), "+.");
    next_attempt();
    ck_assert_str_eq(sent_to(), "++");
    next_attempt();
    ck_assert_str_eq(sent_to(), ".+");
    for (i = 0; i < 4; i++) {
        next_attempt();
        ck_assert_str_eq(sent_to(), "++");
    }
}
END_TEST

/* Hours of it: the pauses keep their length. */
START_TEST(endless_refusals_keep_the_pauses_long)
{
    uint64_t begun;
    int i;

    begin(3);
    fleet.opt.lease.wait_ms = 3600000;
    fleet.opt.lease.retry_ms = 1;
    for (i = 0; i < 3; i++)
        key_on((size_t)i, "SET k foreign\r\n");
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    for (i = 0; i < UINT8_MAX + 1; i++)
        next_attempt();
    begun = now;
    for (i = 0; i < 8; i++)
        next_attempt();
    ck_assert_uint_gt(now - begun, 8 * RDL_RETRY_CAP_MS / 4); /* with full jitter a half, on average */
    ck_assert_uint_lt(now - begun, 8 * RDL_RETRY_CAP_MS * 3 / 4);
}
END_TEST

Suite *suite_redlock_probe_server(void)
{
    Suite *suite = suite_create("redlock_probe_server");
    TCase *tc = suite_case(suite, "probe server", NULL, NULL);

    tcase_add_test(tc, refused_attempts_alternate_between_one_and_all_servers);
    tcase_add_test(tc, other_servers_are_used_after_the_probe_server_grants);
    tcase_add_loop_test(tc, no_single_server_can_lock_the_others_out, 0, sizeof vetoes / sizeof vetoes[0]);
    tcase_add_loop_test(tc, useless_probe_server_is_replaced, 0, 2);
    tcase_add_test(tc, probe_server_with_an_expiring_key_is_used_again);
    tcase_add_test(tc, probe_server_is_connected_and_counts);
    tcase_add_test(tc, all_servers_are_used_without_a_probe_server);
    tcase_add_test(tc, endless_refusals_keep_the_pauses_long);
    return suite;
}
