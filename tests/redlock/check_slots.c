/* SPDX-License-Identifier: MIT */
/*
 * check_slots.c - an acquire of any free slot: which server it reads, what it takes, how long it waits, and
 * what it costs. check_slots_crowd.c has many clients, the simulator (slots=N) all faults.
 *
 * Rules R6, R9, R22, R24.
 */
#include <stdio.h>
#include <string.h>

#include "net/net_op.h"
#include "redlock/redlock_op.h"
#include "redlock/slots.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

enum { SLOTS = 5, SERVERS = 3, NOW = 1000 };

static struct rdl_slots slots;
static uint64_t now;
static unsigned commands; /* that were sent to all servers */
static size_t read_at[8]; /* the servers that got an MGET, in order */
static unsigned reads;

static void begin(size_t servers, unsigned n)
{
    now = NOW;
    commands = reads = 0;
    fleet_init(servers, now);
    ck_assert_int_eq(rdl_slots_init(&slots, lock, n), RDL_OK);
}

static void wait_for_it(uint32_t ms)
{
    fleet.opt.lease.wait_ms = ms;
    fleet.opt.lease.retry_ms = 50;
}

/* Another client holds this slot on server i, or on all. */
static void hold(size_t i, unsigned slot, unsigned ms)
{
    char text[64];

    snprintf(text, sizeof text, "SET {k}#%u other PX %u\r\n", slot, ms);
    fleet_command(i, text, now);
}

static void hold_on_all(unsigned slot, unsigned ms)
{
    size_t i;

    for (i = 0; i < fleet.n; i++)
        hold(i, slot, ms);
}

static void hold_all_but(unsigned free, unsigned ms)
{
    unsigned slot;

    for (slot = 0; slot < SLOTS; slot++)
        if (slot != free)
            hold_on_all(slot, ms);
}

static unsigned keys_of(unsigned slot)
{
    char name[16];
    unsigned n = 0;
    size_t i;

    snprintf(name, sizeof name, "{k}#%u", slot);
    for (i = 0; i < fleet.n; i++)
        n += scripted_has_key(&fleet.s[i], name, now) != 0;
    return n;
}

static void count(size_t i, const char *sent)
{
    const char *at;

    if (strstr(sent, "\r\nMGET\r\n") != NULL && reads < sizeof read_at / sizeof read_at[0])
        read_at[reads++] = i;
    for (at = sent; *at != '\0'; at++)
        commands += *at == '*' && (at == sent || at[-1] == '\n');
}

static void serve(void)
{
    size_t i;

    for (i = 0; i < fleet.n; i++) {
        size_t from = fleet.s[i].len;
        fleet_serve(i, now);
        if (fleet.s[i].len > from) {
            fleet.s[i].out[fleet.s[i].len] = '\0';
            count(i, fleet.s[i].out + from);
        }
    }
}

/* The servers answer, and time passes while there is nothing to do. */
static int run(int rc)
{
    int rounds;

    for (rounds = 0; rc == RDL_PENDING && rounds < 10000; rounds++) {
        uint64_t at = rdl_slots_wake_ms(&slots);
        serve();
        rc = rdl_slots_step(&slots, now);
        if (rc == RDL_PENDING && rounds % 4 == 3)
            now = at > now && at != UINT64_MAX ? at : now;
    }
    serve();
    return rc;
}

static int acquire(void)
{
    return run(rdl_slots_acquire_begin(&slots, entropy_bytes(), now));
}

/* ---------------------------------------------------------------- which slot */

START_TEST(takes_the_slot_that_is_free)
{
    unsigned free;

    for (free = 0; free < SLOTS; free++) {
        begin(SERVERS, SLOTS);
        hold_all_but(free, 5000);
        ck_assert_int_eq(acquire(), RDL_OK);
        ck_assert_uint_eq(slots.slot, free);
        ck_assert_uint_eq(keys_of(free), SERVERS);
        ck_assert_uint_eq(reads, 1);
    }
}
END_TEST

START_TEST(one_server_is_enough)
{
    begin(1, SLOTS);
    hold_all_but(3, 5000);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(slots.slot, 3);
}
END_TEST

START_TEST(all_64_slots_are_read)
{
    unsigned slot;

    begin(1, RDL_SLOTS_MAX);
    for (slot = 0; slot < RDL_SLOTS_MAX - 1; slot++)
        hold_on_all(slot, 5000);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(slots.slot, RDL_SLOTS_MAX - 1);
}
END_TEST

START_TEST(free_slots_are_taken_in_random_order)
{
    unsigned seen = 0, i;

    for (i = 0; i < 60; i++) {
        uint8_t entropy[RDL_ENTROPY_LEN] = {0};
        entropy[0] = (uint8_t)i;
        begin(1, SLOTS);
        ck_assert_int_eq(run(rdl_slots_acquire_begin(&slots, entropy, now)), RDL_OK);
        seen |= 1u << slots.slot;
    }
    ck_assert_uint_eq(seen, (1u << SLOTS) - 1);
}
END_TEST

START_TEST(a_released_slot_is_free_for_the_next_acquire)
{
    unsigned first;

    begin(SERVERS, SLOTS);
    ck_assert_int_eq(acquire(), RDL_OK);
    first = slots.slot;
    ck_assert_int_eq(run(rdl_redlock_release_begin(lock, now)), RDL_OK);
    ck_assert_uint_eq(keys_of(first), 0);
    hold_all_but(first, 5000);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(slots.slot, first);
}
END_TEST

START_TEST(an_expired_lease_is_released_under_its_own_name)
{
    unsigned first;

    begin(SERVERS, SLOTS);
    ck_assert_int_eq(acquire(), RDL_OK);
    first = slots.slot;
    now += FLEET_TTL - FLEET_DRIFT;
    hold_all_but(first, 5000);
    hold_on_all(first == 0, 1); /* one expires */
    fleet.opt.lease.ttl_ms = FLEET_TTL;
    (void)acquire();
    ck_assert_uint_eq(keys_of(first), slots.slot == first && rdl_redlock_until_ms(lock) != 0 ? SERVERS : 0);
}
END_TEST

/* ---------------------------------------------------------------- the read is only a hint */

/* The keys of a program that is no longer there, say: they never expire. */
START_TEST(no_server_has_a_veto)
{
    unsigned slot, i;

    for (i = 0; i < SERVERS; i++) {
        begin(SERVERS, SLOTS);
        for (slot = 0; slot < SLOTS; slot++)
            hold(i, slot, 3600000);
        ck_assert_int_eq(acquire(), RDL_OK);
        ck_assert_uint_eq(keys_of(slots.slot), SERVERS);
    }
}
END_TEST

START_TEST(a_slot_that_only_looks_free_is_not_taken_by_a_minority)
{
    unsigned slot, i;

    begin(SERVERS, SLOTS);
    for (slot = 0; slot < SLOTS; slot++)
        for (i = 1; i < SERVERS; i++)
            hold(i, slot, 5000);
    ck_assert_int_eq(acquire(), RDL_BUSY);
    for (slot = 0; slot < SLOTS; slot++)
        ck_assert_uint_eq(keys_of(slot), SERVERS - 1);
}
END_TEST

START_TEST(each_read_asks_another_server)
{
    unsigned i;

    begin(SERVERS, SLOTS);
    hold_all_but(SLOTS, 5000);
    wait_for_it(2000);
    ck_assert_int_eq(acquire(), RDL_BUSY);
    ck_assert_uint_ge(reads, 4);
    for (i = 1; i < reads; i++)
        ck_assert_uint_eq(read_at[i], (read_at[i - 1] + 1) % SERVERS);
}
END_TEST

START_TEST(without_an_answer_in_time_it_takes_any_slot)
{
    uint8_t entropy[RDL_ENTROPY_LEN] = {0};
    unsigned i;

    for (i = 0; i < 20; i++) {
        entropy[0] = (uint8_t)i;
        begin(SERVERS, SLOTS);
        fleet_befall("f", now);
        ck_assert_int_eq(run(rdl_slots_acquire_begin(&slots, entropy, now)), RDL_OK);
        ck_assert_uint_eq(keys_of(slots.slot), SERVERS - 1);
        ck_assert_uint_le(now - NOW, 2 * FLEET_ATTEMPT);
    }
}
END_TEST

static void refuse_mget(void)
{
    static struct sim_features features[RDL_SERVERS_MAX];
    size_t i;

    for (i = 0; i < fleet.n; i++) {
        features[i] = *fleet.s[i].model.features;
        features[i].denied = " mget ";
        fleet.s[i].model.features = &features[i];
    }
}

START_TEST(a_user_that_may_not_use_mget_takes_any_slot)
{
    begin(SERVERS, SLOTS);
    refuse_mget();
    hold_all_but(2, 5000);
    wait_for_it(5000);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_lt(slots.slot, SLOTS);
}
END_TEST

START_TEST(a_server_that_does_not_count_is_not_read)
{
    unsigned i;

    now = NOW + 7200000;
    fleet_guarded(SERVERS, RDL_GUARD_REQUIRED, now);
    commands = reads = 0;
    fleet_restart(0, now);
    ck_assert_int_eq(rdl_slots_init(&slots, lock, SLOTS), RDL_OK);
    hold_all_but(SLOTS, 5000);
    wait_for_it(3000);
    ck_assert_int_eq(acquire(), RDL_BUSY);
    ck_assert_uint_gt(reads, 2);
    for (i = 0; i < reads; i++)
        ck_assert_uint_ne(read_at[i], 0);
}
END_TEST

/* ---------------------------------------------------------------- all are held */

START_TEST(without_a_wait_all_held_is_busy)
{
    begin(SERVERS, SLOTS);
    hold_all_but(SLOTS, 5000);
    ck_assert_int_eq(acquire(), RDL_BUSY);
    ck_assert_uint_le(now - NOW, FLEET_ATTEMPT);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_BUSY);
    ck_assert_ptr_eq(lock->opt, &fleet.opt);
}
END_TEST

/* Another client takes the slot between the read and the attempt; the others are still free. */
START_TEST(without_a_wait_it_tries_the_other_slots_too)
{
    int rc;

    begin(1, SLOTS);
    rc = rdl_slots_acquire_begin(&slots, entropy_bytes(), now);
    ck_assert_int_eq(rc, RDL_PENDING);
    serve();
    hold(0, 0, 5000);
    hold(0, 1, 5000);
    hold(0, 2, 5000);
    hold(0, 3, 5000);
    ck_assert_int_eq(run(rc), RDL_OK);
    ck_assert_uint_eq(slots.slot, 4);
}
END_TEST

START_TEST(a_wait_ends_soon_after_the_earliest_expiry)
{
    begin(SERVERS, SLOTS);
    hold_all_but(2, 60000);
    hold_on_all(2, 3000);
    wait_for_it(60000);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(slots.slot, 2);
    ck_assert_uint_ge(now, NOW + 3000);
    ck_assert_uint_le(now, NOW + 3000 + 1000);
}
END_TEST

START_TEST(a_wait_ends_by_its_deadline)
{
    begin(SERVERS, SLOTS);
    hold_all_but(SLOTS, 60000);
    wait_for_it(2000);
    ck_assert_int_eq(acquire(), RDL_BUSY);
    ck_assert_uint_ge(now, NOW + 2000);
    ck_assert_uint_le(now, NOW + 2000 + FLEET_ATTEMPT);
}
END_TEST

/* ---------------------------------------------------------------- costs */

START_TEST(a_free_slot_costs_little_more_than_an_ordinary_lock)
{
    unsigned ordinary, with_slots;

    begin(SERVERS, SLOTS);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    serve();
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
    ordinary = commands;
    begin(SERVERS, SLOTS);
    hold_all_but(3, 5000);
    ck_assert_int_eq(acquire(), RDL_OK);
    with_slots = commands;
    ck_assert_uint_eq(ordinary, 6);   /* SET and PTTL to each */
    ck_assert_uint_eq(with_slots, 8); /* MGET and PTTL to one of them before */
    ck_assert_uint_le(10 * with_slots, 22 * ordinary);
}
END_TEST

/* ---------------------------------------------------------------- memory, names, errors */

START_TEST(a_canceled_read_refers_to_nothing)
{
    size_t i;

    begin(SERVERS, SLOTS);
    ck_assert_int_eq(rdl_slots_acquire_begin(&slots, entropy_bytes(), now), RDL_PENDING);
    rdl_slots_cancel(&slots);
    for (i = 0; i < SERVERS; i++)
        ck_assert_int_eq(rdl_conn_refers_to(&fleet.s[i].conn, &slots, sizeof slots), 0);
    ck_assert_int_eq(rdl_slots_step(&slots, now), RDL_EXPIRED);
    ck_assert_ptr_eq(lock->opt, &fleet.opt);
}
END_TEST

START_TEST(a_name_with_a_brace_keeps_its_tag)
{
    begin(1, 2);
    rdl_redlock_init(lock, &fleet.opt, fleet.servers, 1, "jobs:{k}", 8);
    ck_assert_int_eq(rdl_slots_init(&slots, lock, 2), RDL_OK);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert(scripted_has_key(&fleet.s[0], slots.slot == 0 ? "jobs:{k}#0" : "jobs:{k}#1", now));
}
END_TEST

static int init_with(const char *name, size_t len, unsigned n)
{
    begin(1, 2);
    rdl_redlock_init(lock, &fleet.opt, fleet.servers, 1, name, len);
    return rdl_slots_init(&slots, lock, n);
}

START_TEST(what_init_refuses_acquire_repeats)
{
    static char name[RDL_NAME_MAX];

    memset(name, 'k', sizeof name);
    ck_assert_int_eq(init_with(name, RDL_SLOTS_NAME_MAX, RDL_SLOTS_MAX), RDL_OK);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_int_eq(init_with(name, RDL_SLOTS_NAME_MAX + 1, 2), RDL_E_NAME);
    ck_assert_int_eq(acquire(), RDL_E_NAME);
    ck_assert_int_eq(init_with("", 0, 2), RDL_E_NAME);
    ck_assert_int_eq(acquire(), RDL_E_NAME);
    ck_assert_int_eq(init_with("k", 1, 0), RDL_E_CONFIG);
    ck_assert_int_eq(acquire(), RDL_E_CONFIG);
    ck_assert_int_eq(init_with("k", 1, RDL_SLOTS_MAX + 1), RDL_E_CONFIG);
    begin(1, 2);
    fleet.opt.fencing = &rdl_fencing;
    ck_assert_int_eq(rdl_slots_init(&slots, lock, 2), RDL_E_CONFIG);
    ck_assert_int_eq(acquire(), RDL_E_CONFIG);
}
END_TEST

START_TEST(a_set_up_that_failed_stays_failed)
{
    begin(1, 2);
    fleet.opt.guard = 9;
    ck_assert_int_eq(acquire(), RDL_E_CONFIG);
    ck_assert_int_eq(rdl_redlock_init(lock, &fleet.opt, fleet.servers, 0, "k", 1), RDL_E_CONFIG);
    ck_assert_int_eq(rdl_slots_init(&slots, lock, 2), RDL_E_CONFIG);
    ck_assert_int_eq(acquire(), RDL_E_CONFIG);
}
END_TEST

/* ---------------------------------------------------------------- blocking */

static int poll_fleet(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    (void)ctx, (void)conns, (void)flags;
    ck_assert_uint_eq(n, fleet.n);
    serve();
    if (until_ms > now && until_ms != UINT64_MAX && until_ms - now < 100000)
        now += until_ms - now > 5 ? 5 : until_ms - now;
    return RDL_OK;
}

static int poll_woken(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    (void)ctx, (void)conns, (void)n, (void)until_ms;
    return (flags & RDL_POLL_CAN_WAKE) ? RDL_E_INTERRUPTED : RDL_OK;
}

static int no_random(void *ctx, void *buf, size_t len)
{
    (void)ctx, (void)buf, (void)len;
    return RDL_E_RANDOM;
}

START_TEST(the_blocking_acquire_takes_a_slot)
{
    const struct rdl_platform platform = {poll_fleet, scripted_clock, scripted_random, &now};
    const struct rdl_platform woken = {poll_woken, scripted_clock, scripted_random, &now};
    const struct rdl_platform blind = {poll_fleet, scripted_clock, no_random, &now};

    begin(SERVERS, SLOTS);
    hold_all_but(1, 5000);
    ck_assert_int_eq(rdl_slots_acquire(&slots, &blind), RDL_E_RANDOM);
    ck_assert_int_eq(rdl_slots_acquire(&slots, &woken), RDL_E_INTERRUPTED);
    ck_assert_int_eq(rdl_slots_acquire(&slots, &platform), RDL_OK);
    ck_assert_uint_eq(slots.slot, 1);
    ck_assert_int_eq(rdl_redlock_release(lock, &platform), RDL_OK);
    ck_assert_uint_eq(keys_of(1), 0);
    hold_on_all(1, 5000);
    ck_assert_int_eq(rdl_slots_acquire(&slots, &platform), RDL_BUSY);
}
END_TEST

Suite *suite_slots(void)
{
    Suite *suite = suite_create("slots");
    TCase *tc = suite_case(suite, "slots", NULL, NULL);

    tcase_add_test(tc, takes_the_slot_that_is_free);
    tcase_add_test(tc, one_server_is_enough);
    tcase_add_test(tc, all_64_slots_are_read);
    tcase_add_test(tc, free_slots_are_taken_in_random_order);
    tcase_add_test(tc, a_released_slot_is_free_for_the_next_acquire);
    tcase_add_test(tc, an_expired_lease_is_released_under_its_own_name);
    tcase_add_test(tc, no_server_has_a_veto);
    tcase_add_test(tc, a_slot_that_only_looks_free_is_not_taken_by_a_minority);
    tcase_add_test(tc, each_read_asks_another_server);
    tcase_add_test(tc, without_an_answer_in_time_it_takes_any_slot);
    tcase_add_test(tc, a_user_that_may_not_use_mget_takes_any_slot);
    tcase_add_test(tc, a_server_that_does_not_count_is_not_read);
    tcase_add_test(tc, without_a_wait_all_held_is_busy);
    tcase_add_test(tc, without_a_wait_it_tries_the_other_slots_too);
    tcase_add_test(tc, a_wait_ends_soon_after_the_earliest_expiry);
    tcase_add_test(tc, a_wait_ends_by_its_deadline);
    tcase_add_test(tc, a_free_slot_costs_little_more_than_an_ordinary_lock);
    tcase_add_test(tc, a_canceled_read_refers_to_nothing);
    tcase_add_test(tc, a_name_with_a_brace_keeps_its_tag);
    tcase_add_test(tc, what_init_refuses_acquire_repeats);
    tcase_add_test(tc, a_set_up_that_failed_stays_failed);
    tcase_add_test(tc, the_blocking_acquire_takes_a_slot);
    return suite;
}
