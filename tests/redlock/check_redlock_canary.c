/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_canary.c - the canary: a server that lost its data without a restart does not count until
 * every lease has expired.
 *
 * Rule R28.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock_op.h"
#include "redlock/redlock_commands.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

enum { NOW = 10000000, QUARANTINE = FLEET_TTL + 1000 };

static struct rdl_canary canaries[RDL_SERVERS_MAX];
static uint64_t now;

static void put_made_at(size_t i, const char *run, unsigned clock_s)
{
    char command[128];
    char value[64];
    int n = snprintf(value, sizeof value, "%.16s %u", run, clock_s);

    snprintf(command, sizeof command, "*3\r\n$3\r\nSET\r\n$10\r\n" RDL_CANARY_KEY "\r\n$%d\r\n%s\r\n", n,
             value);
    fleet_command(i, command, now);
}

static void put(size_t i, const char *run)
{
    put_made_at(i, run, 6400);
}

static int is_made_at(size_t i, const char *run, unsigned clock_s)
{
    const struct sim_arg name = {(const uint8_t *)RDL_CANARY_KEY, sizeof RDL_CANARY_KEY - 1};
    const struct sim_key *k = sim_server_find(&fleet.s[i].model, 0, name, now);
    char expected[64];
    size_t n = (size_t)snprintf(expected, sizeof expected, "%.16s %u", run, clock_s);

    return k != NULL && k->value_len == n && memcmp(k->value, expected, n) == 0;
}

/* Every server has a canary that is as old as itself. */
static void begin(size_t n, enum rdl_guard guard)
{
    size_t i;

    now = NOW;
    fleet_guarded(n, guard, now);
    rdl_redlock_set_canary(lock, canaries);
    for (i = 0; i < n; i++)
        put(i, fleet.s[i].model.run_id);
}

static int acquire(void)
{
    return fleet_run(fleet_acquire(now), &now);
}

static int release(void)
{
    return fleet_run(rdl_redlock_release_begin(lock, now), &now);
}

static int extend(void)
{
    return fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now);
}

/* Delivers the remaining messages. */
static void settle(void)
{
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    fleet_serve_all(now);
}

/* While in quarantine it may have granted the lost key to another client. */
START_TEST(request_sent_during_a_quarantine_does_not_count)
{
    int rc;

    begin(1, RDL_GUARD_REQUIRED);
    put_made_at(0, fleet.s[0].model.run_id, NOW / 1000 - QUARANTINE / 1000);
    now -= _i ? 0 : 100;
    rc = fleet_acquire(now);
    ck_assert_int_eq(rc, RDL_PENDING);
    now = NOW;
    ck_assert_int_eq(fleet_run(rc, &now), _i ? RDL_OK : RDL_E_QUARANTINE);
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), NOW);
}
END_TEST

START_TEST(server_that_always_had_a_canary_counts)
{
    begin(3, RDL_GUARD_REQUIRED);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_int_eq(extend(), RDL_OK);
    ck_assert_int_eq(release(), RDL_OK);
    ck_assert_uint_eq(now, NOW);
}
END_TEST

START_TEST(zeroed_options_acquire_with_canaries_and_fencing)
{
    begin(3, RDL_GUARD_REQUIRED);
    memset(&fleet.opt, 0, sizeof fleet.opt);
    fleet.opt.fencing = &rdl_fencing;
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), NOW + RDL_TTL_DEFAULT_MS - 302);
}
END_TEST

/* With the guard off, too: the canary is a separate option. */
static const enum rdl_guard guards[] = {RDL_GUARD_STRICT, RDL_GUARD_REQUIRED, RDL_GUARD_IF_PERMITTED,
                                        RDL_GUARD_OFF};

START_TEST(server_without_a_canary_counts_after_the_quarantine)
{
    begin(1, guards[_i]);
    fleet_command(0, "DEL " RDL_CANARY_KEY "\r\n", now);
    ck_assert_int_eq(acquire(), RDL_E_QUARANTINE);
    settle();
    ck_assert_uint_eq(fleet_keys(now), 0);
    ck_assert(is_made_at(0, fleet.s[0].model.run_id, NOW / 1000));
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), NOW + QUARANTINE);
    now = NOW + QUARANTINE - 1;
    ck_assert_int_eq(acquire(), RDL_E_QUARANTINE);
    now = NOW + QUARANTINE;
    ck_assert_int_eq(acquire(), RDL_OK);
}
END_TEST

/*
 * With an even number, half of the servers can rule out a majority, but are too few to be one after their
 * quarantine. So the attempt waits for a majority of replies, or for its end; otherwise the quarantines would
 * follow one another.
 */
START_TEST(even_number_of_servers_gets_its_canaries_at_once)
{
    const size_t n = _i < 2 ? 2 : 4;
    const int is_stalled = _i % 2;
    size_t i;

    begin(n, RDL_GUARD_REQUIRED);
    for (i = 0; i < n; i++)
        fleet_command(i, "DEL " RDL_CANARY_KEY "\r\n", now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    for (i = 0; i < n / 2; i++)
        fleet_serve(i, now);
    if (is_stalled)
        for (; i < n; i++)
            scripted_sent(&fleet.s[i]);
    else
        ck_assert(scripted_serve_before(&fleet.s[i], "GET", now)); /* its yes is here, its canary is not */
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, now), 0);
    if (is_stalled) {
        ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT - 1), RDL_PENDING);
        ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT), RDL_E_QUARANTINE);
        return;
    }
    fleet_serve(i, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_E_QUARANTINE);
    settle();
    ck_assert_uint_eq(fleet_keys(now), 0);
    now += QUARANTINE;
    ck_assert_int_eq(acquire(), RDL_OK);
}
END_TEST

/* The other server has replied with an error, so no reply is missing. */
START_TEST(half_in_quarantine_waits_for_no_reply_if_the_other_half_failed)
{
    begin(2, RDL_GUARD_REQUIRED);
    fleet_command(0, "DEL " RDL_CANARY_KEY "\r\n", now);
    fleet_befall(".e", now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_E_QUARANTINE);
}
END_TEST

/* A held it on 0, 1 and 2 of five; FLUSHALL on 1 and 2. B would get these two, 3 and 4. */
START_TEST(emptied_servers_grant_nothing_twice)
{
    size_t i;

    begin(5, RDL_GUARD_REQUIRED);
    if (_i == 1)
        lock->canaries = NULL;
    fleet_steal(0, now);
    for (i = 1; i < 3; i++)
        fleet_command(i, "FLUSHALL\r\n", now);
    ck_assert_int_eq(acquire(), _i == 1 ? RDL_OK : RDL_BUSY);
    settle();
    ck_assert_uint_eq(fleet_keys(now), _i == 1 ? 5 : 1);
}
END_TEST

/*
 * The address now leads to another server, or the server has another one's data; with scripts, and without.
 */
START_TEST(canary_of_another_server_starts_a_quarantine)
{
    struct sim_features features;

    begin(1, RDL_GUARD_REQUIRED);
    features = *fleet.s[0].model.features;
    features.no_scripts = _i != 0;
    fleet.s[0].model.features = &features;
    put(0, "00000000000000ff");
    ck_assert_int_eq(acquire(), RDL_E_QUARANTINE);
    settle();
    if (_i) { /* it took several methods to remove it, and there is none now: the next check finds that */
        now += QUARANTINE;
        ck_assert_int_eq(acquire(), RDL_E_QUARANTINE);
        settle();
    }
    ck_assert(is_made_at(0, fleet.s[0].model.run_id, (unsigned)(now / 1000)));
    now += QUARANTINE;
    ck_assert_int_eq(acquire(), RDL_OK);
}
END_TEST

/* Another client has replaced it meanwhile: that one stays. */
START_TEST(replaced_canary_is_not_removed)
{
    begin(1, RDL_GUARD_REQUIRED);
    put(0, "00000000000000ff");
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve(0, now);
    put_made_at(0, fleet.s[0].model.run_id, 7);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_E_QUARANTINE);
    settle();
    ck_assert(is_made_at(0, fleet.s[0].model.run_id, 7));
}
END_TEST

/* A later removal, on another connection, might hit the server's own canary. */
START_TEST(canary_removal_ends_with_its_connection)
{
    size_t len;

    begin(1, RDL_GUARD_REQUIRED);
    put_made_at(0, "feedfeedfeedfeed", 5);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve(0, now);
    fleet.mood[0] = MOOD_FROZEN; /* it executes neither the removal nor what follows it */
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_E_QUARANTINE);
    fleet_serve(0, now);
    ck_assert_ptr_nonnull(strstr(fleet.s[0].out, "feedfeedfeedfeed 5"));
    rdl_redlock_step(lock, now);
    rdl_redlock_step(lock, now + FLEET_ATTEMPT);
    rdl_redlock_step(lock, now + FLEET_ATTEMPT + 1);
    ck_assert_int_eq(rdl_conn_state(&fleet.s[0].conn), RDL_CONN_FAILED);
    fleet_serve(0, now + FLEET_ATTEMPT + 1);
    len = fleet.s[0].len;
    fleet_connect(0, now + FLEET_ATTEMPT + 2);
    fleet.s[0].out[fleet.s[0].len] = '\0';
    ck_assert_ptr_nonnull(strstr(fleet.s[0].out + len, "DEL")); /* the release of the lock itself */
    ck_assert_ptr_null(strstr(fleet.s[0].out + len, "feedfeedfeedfeed 5"));
}
END_TEST

/* It was written some time after the check, by the server's clock: STRICT uses what it saw itself. */
START_TEST(canary_written_in_the_next_second_is_our_own)
{
    const unsigned late_s = (unsigned)_i / 2;

    begin(1, RDL_GUARD_STRICT);
    fleet_command(0, _i % 2 ? "SET " RDL_CANARY_KEY " stale\r\n" : "DEL " RDL_CANARY_KEY "\r\n", now);
    ck_assert_int_eq(acquire(), RDL_E_QUARANTINE);
    settle();
    put_made_at(0, fleet.s[0].model.run_id, NOW / 1000 + late_s);
    now = NOW + QUARANTINE;
    ck_assert_int_eq(acquire(), late_s < 2 ? RDL_OK : RDL_E_QUARANTINE);
    settle();
    now += QUARANTINE;
    put_made_at(0, fleet.s[0].model.run_id, NOW / 1000 + late_s + 1); /* and this is another one */
    ck_assert_int_eq(acquire(), RDL_E_QUARANTINE);
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), now + QUARANTINE);
}
END_TEST

START_TEST(later_client_uses_the_age_of_the_canary)
{
    begin(1, guards[_i]);
    fleet_command(0, "FLUSHALL\r\n", now);
    ck_assert_int_eq(acquire(), RDL_E_QUARANTINE);
    settle();
    now += 6000;
    rdl_redlock_set_canary(lock, canaries); /* a client that knows nothing yet */
    ck_assert_int_eq(acquire(), RDL_E_QUARANTINE);
    settle();
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0),
                      guards[_i] == RDL_GUARD_STRICT ? NOW + 6000 + QUARANTINE : NOW + QUARANTINE);
}
END_TEST

START_TEST(emptied_server_loses_only_its_vote)
{
    char line[128];

    begin(3, RDL_GUARD_REQUIRED);
    fleet_command(0, "FLUSHALL\r\n", now);
    ck_assert_int_eq(acquire(), RDL_OK);
    settle();
    rdl_redlock_report(lock, 0, now, line, sizeof line);
    ck_assert_str_eq(
        line,
        "confirmed in 0 ms, but restarted or lost its data too recently to be used for another 11000 ms");
    ck_assert_uint_eq(fleet_keys(now), 3);
    ck_assert_int_eq(release(), RDL_OK);
    settle();
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

/* It lost the key of a held lock; the restored key counts after a later extend. */
START_TEST(restored_key_counts_after_the_quarantine)
{
    begin(3, RDL_GUARD_REQUIRED);
    ck_assert_int_eq(acquire(), RDL_OK);
    settle();
    fleet_command(0, "FLUSHALL\r\n", now);
    ck_assert_int_eq(extend(), RDL_REPAIRED);
    settle();
    now += 5000;
    ck_assert_int_eq(extend(), RDL_OK);
    settle();
    fleet.mood[1] = MOOD_FROZEN;
    now = NOW + QUARANTINE - 1;
    ck_assert_int_eq(extend(), RDL_UNKNOWN);
    now = NOW + QUARANTINE;
    ck_assert_int_eq(extend(), RDL_OK);
}
END_TEST

/* The yes is here, the canary's value is not. */
START_TEST(grant_does_not_count_before_its_canary_is_read)
{
    size_t i;

    begin(1, RDL_GUARD_REQUIRED);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&fleet.s[0]), RDL_CANARY_KEY)); /* sent together */
    for (i = 0; i < 2; i++) {
        scripted_reply(&fleet.s[0], i == 0 ? "+OK\r\n" : ":10000\r\n");
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    }
    if (_i == 0) {
        now += FLEET_ATTEMPT;
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_NO_QUORUM);
        ck_assert_int_eq(rdl_redlock_error(lock, 0), RDL_E_TIMEOUT);
    } else {
        scripted_break(&fleet.s[0]);
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_NO_QUORUM);
    }
    settle();
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, now), 0);
}
END_TEST

/* Other requests take all the room, also after the yes: the canary is read when they are answered. */
START_TEST(canary_is_read_when_there_is_room)
{
    static const struct rdl_command other = {&rdl_op_release, {"other", 5}, {"v", 1},
                                             {NULL, 0},       UINT64_MAX,   0};

    begin(1, RDL_GUARD_REQUIRED);
    fleet.s[0].cfg.queue_len = 3 * RDL_REQUEST_SIZE(1 + RDL_VALUE_MAX) - 8;
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_ptr_null(strstr(scripted_sent(&fleet.s[0]), RDL_CANARY_KEY));
    fleet_serve(0, now);
    while (rdl_conn_submit(&fleet.s[0].conn, NULL, &other) == RDL_OK) {
    }
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    ck_assert_ptr_null(strstr(scripted_sent(&fleet.s[0]), RDL_CANARY_KEY));
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_OK);
    ck_assert_uint_eq(now, NOW);
}
END_TEST

START_TEST(guard_decides_if_the_canary_is_not_readable)
{
    static const int results[] = {RDL_NO_QUORUM, RDL_NO_QUORUM, RDL_OK, RDL_NO_QUORUM};
    struct sim_features features;

    begin(1, guards[_i % 4]);
    features = *fleet.s[0].model.features;
    features.denied = _i < 4 ? " get " : " time ";
    fleet.s[0].model.features = &features;
    ck_assert_int_eq(acquire(), results[_i % 4]);
    ck_assert_int_eq(rdl_redlock_error(lock, 0), results[_i % 4] ? RDL_E_PERM : RDL_OK);
    settle();
    if (_i >= 4) /* a user without GET cannot release, either */
        ck_assert_uint_eq(fleet_keys(now), results[_i % 4] ? 0 : 1);
}
END_TEST

START_TEST(canary_works_with_fencing_tokens)
{
    begin(3, RDL_GUARD_REQUIRED);
    fleet.opt.fencing = &rdl_fencing;
    for (uint64_t fence = 1; fence <= 3; fence++) {
        ck_assert_int_eq(acquire(), RDL_OK);
        ck_assert_uint_eq(rdl_redlock_fence(lock), fence);
        ck_assert_int_eq(release(), RDL_OK);
    }
}
END_TEST

/*
 * The server has forgotten the script, and loses all data, also another client's key, after it said so: what
 * was read after the EVALSHA does not hold for the EVAL.
 */
START_TEST(canary_is_read_after_a_repeated_acquire_script)
{
    int rc;

    begin(1, RDL_GUARD_REQUIRED);
    fleet.opt.fencing = &rdl_fencing;
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_int_eq(release(), RDL_OK);
    fleet.s[0].model.scripts = 0;
    rc = fleet_acquire(now);
    ck_assert_int_eq(rc, RDL_PENDING);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&fleet.s[0]), rdl_script_acquire.sha));
    scripted_serve_round(&fleet.s[0], now); /* NOSCRIPT */
    sim_server_flush(&fleet.s[0].model);
    ck_assert_int_eq(fleet_run(rc, &now), RDL_E_QUARANTINE);
    settle();
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

START_TEST(nothing_refers_to_canaries_after_cancel)
{
    begin(3, RDL_GUARD_REQUIRED);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    rdl_redlock_cancel(lock);
    for (size_t i = 0; i < 3; i++)
        ck_assert(!canaries[i].req.is_queued && !fleet.servers[i].req.is_queued);
    memset(canaries, 0x5a, sizeof canaries);
    lock->canaries = NULL;
    settle();
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

/*
 * Neither call gets the time, and it is unknown how long ago a reply was read: a missing canary is checked
 * again, and the quarantine begins with that reply, not with the first check.
 */
START_TEST(cancel_and_adopt_ignore_canary_replies)
{
    uint64_t lost;

    begin(3, RDL_GUARD_REQUIRED);
    fleet.mood[2] = MOOD_FROZEN; /* a slow line: what we send arrives later */
    if (_i == 0)
        ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    else
        ck_assert_int_eq(acquire(), RDL_OK);
    lost = now + 2000;
    fleet.mood[2] = MOOD_UP;
    sim_server_flush(&fleet.s[2].model);
    fleet_serve(2, lost); /* read, and not stepped */
    if (_i == 0)
        rdl_redlock_cancel(lock);
    else
        ck_assert_int_eq(rdl_redlock_adopt(lock, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    ck_assert_uint_lt(rdl_redlock_counts_at(lock, 2), lost);
    rdl_redlock_cancel(lock);
    now = lost;
    settle();
    ck_assert_int_eq(acquire(), RDL_OK);
    settle();
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 2), lost + QUARANTINE);
}
END_TEST

/* Two users, one without the right to use INFO, on a server without a canary: they agree on one. */
START_TEST(users_with_and_without_info_agree_on_a_canary)
{
    struct rdl_server_info known[2] = {{0}}; /* each has its own connection and server info */
    struct sim_features features;
    const int made_until =
        _i == 0 ? 2 : 1; /* a user that does not know the run writes one that the other replaces */
    int made = 0;

    begin(1, RDL_GUARD_IF_PERMITTED);
    features = *fleet.s[0].model.features;
    fleet_command(0, "DEL " RDL_CANARY_KEY "\r\n", now);
    for (int turn = 0; turn < 6; turn++) {
        features.denied = turn % 2 == _i ? " info " : NULL;
        fleet.s[0].model.features = &features;
        fleet_down(0);
        *fleet.s[0].conn.cfg->server_info = known[turn % 2];
        fleet_connect(0, now);
        rdl_redlock_set_canary(lock, canaries);
        fleet.s[0].len = fleet.s[0].seen = fleet.s[0].served = 0;
        ck_assert_int_eq(acquire(), turn < made_until ? RDL_E_QUARANTINE : RDL_OK);
        if (turn >= made_until)
            ck_assert_int_eq(release(), RDL_OK);
        settle();
        known[turn % 2] = *fleet.s[0].conn.cfg->server_info;
        fleet.s[0].out[fleet.s[0].len] = '\0';
        made += strstr(fleet.s[0].out, rdl_script_canary.text) != NULL;
        now += turn < made_until ? QUARANTINE : 1000;
    }
    ck_assert_int_eq(made, made_until);
}
END_TEST

/* One attempt, and the program ends: the canary is still written, so the next attempt finds it. */
START_TEST(cancelled_single_attempt_leaves_a_canary)
{
    begin(3, RDL_GUARD_REQUIRED);
    for (size_t i = 0; i < 3; i++)
        fleet_command(i, "DEL " RDL_CANARY_KEY "\r\n", now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    for (size_t i = 0; i < 2; i++)
        fleet_serve(i, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_E_QUARANTINE);
    rdl_redlock_cancel(lock);
    fleet_serve_all(now);
    ck_assert(rdl_redlock_is_idle(lock));
    for (size_t i = 0; i < 2; i++) /* the ones that made the verdict certain */
        ck_assert(scripted_has_key(&fleet.s[i], RDL_CANARY_KEY, now));
}
END_TEST

/* A forgotten script is sent again, after the canary check: so the check is repeated, too. */
START_TEST(canary_is_read_after_a_repeated_extend)
{
    const char *at;
    const char *eval;

    begin(1, RDL_GUARD_REQUIRED);
    ck_assert_int_eq(acquire(), RDL_OK);
    settle();
    fleet_command(0, "SCRIPT FLUSH\r\n", now);
    at = fleet.s[0].out + fleet.s[0].len;
    ck_assert_int_eq(extend(), RDL_OK);
    fleet.s[0].out[fleet.s[0].len] = '\0';
    eval = strstr(at, "$4\r\nEVAL\r\n");
    ck_assert_ptr_nonnull(eval);
    ck_assert_ptr_nonnull(strstr(eval, "$3\r\nGET\r\n$10\r\n" RDL_CANARY_KEY));
}
END_TEST

/* A lock with that name would be mistaken for a canary, and overwritten by clients that check for one. */
START_TEST(lock_must_not_have_the_name_of_the_canary)
{
    begin(3, RDL_GUARD_REQUIRED);
    lock->name = RDL_CANARY_KEY;
    lock->name_len = sizeof RDL_CANARY_KEY - 1;
    if (_i == 0)
        lock->canaries = NULL; /* other clients may check for one */
    ck_assert_int_eq(acquire(), RDL_E_NAME);
    lock->name_len--;
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_int_eq(release(), RDL_OK);
    lock->name_len++;
    lock->name = "as long as this"; /* the first bytes of it */
    ck_assert_int_eq(acquire(), RDL_OK);
}
END_TEST

Suite *suite_redlock_canary(void)
{
    Suite *suite = suite_create("redlock_canary");
    TCase *tc = suite_case(suite, "canary", NULL, NULL);

    tcase_add_loop_test(tc, request_sent_during_a_quarantine_does_not_count, 0, 2);
    tcase_add_test(tc, server_that_always_had_a_canary_counts);
    tcase_add_test(tc, zeroed_options_acquire_with_canaries_and_fencing);
    tcase_add_loop_test(tc, server_without_a_canary_counts_after_the_quarantine, 0, 4);
    tcase_add_loop_test(tc, even_number_of_servers_gets_its_canaries_at_once, 0, 4);
    tcase_add_test(tc, half_in_quarantine_waits_for_no_reply_if_the_other_half_failed);
    tcase_add_loop_test(tc, emptied_servers_grant_nothing_twice, 0, 2);
    tcase_add_loop_test(tc, canary_of_another_server_starts_a_quarantine, 0, 2);
    tcase_add_test(tc, replaced_canary_is_not_removed);
    tcase_add_test(tc, canary_removal_ends_with_its_connection);
    tcase_add_loop_test(tc, canary_written_in_the_next_second_is_our_own, 0, 6);
    tcase_add_loop_test(tc, later_client_uses_the_age_of_the_canary, 0, 4);
    tcase_add_test(tc, emptied_server_loses_only_its_vote);
    tcase_add_test(tc, restored_key_counts_after_the_quarantine);
    tcase_add_loop_test(tc, grant_does_not_count_before_its_canary_is_read, 0, 2);
    tcase_add_test(tc, canary_is_read_when_there_is_room);
    tcase_add_loop_test(tc, guard_decides_if_the_canary_is_not_readable, 0, 8);
    tcase_add_test(tc, canary_works_with_fencing_tokens);
    tcase_add_test(tc, canary_is_read_after_a_repeated_acquire_script);
    tcase_add_test(tc, nothing_refers_to_canaries_after_cancel);
    tcase_add_loop_test(tc, cancel_and_adopt_ignore_canary_replies, 0, 2);
    tcase_add_loop_test(tc, users_with_and_without_info_agree_on_a_canary, 0, 2);
    tcase_add_test(tc, cancelled_single_attempt_leaves_a_canary);
    tcase_add_test(tc, canary_is_read_after_a_repeated_extend);
    tcase_add_loop_test(tc, lock_must_not_have_the_name_of_the_canary, 0, 2);
    return suite;
}
