/* SPDX-License-Identifier: MIT */
/*
 * check_renewal_work.c - a thread that works and also renews with blocking calls: it has stopped before its
 * lease ends, whenever the servers freeze. Every kind of lock, in virtual time. Rule R33.
 */

#include "tests/fixtures/subject.h"
#include "tests/suite.h"

enum { TTL = SUBJECT_TTL, ATTEMPT = SUBJECT_ATTEMPT, START = 1000, PIECE_MS = 10, STEP_MS = 17 };
enum { TRIP_MS = 2, FROZEN_TRIP_MS = 25 };

static uint64_t now;
static uint64_t freeze_at;
static enum subject_mood calamity;
static int is_frozen;

/* What is sent gets its reply after a round trip, until the servers freeze. */
static int poll_servers(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    uint64_t trip_ms = is_frozen ? FROZEN_TRIP_MS : TRIP_MS;

    (void)ctx, (void)conns, (void)n, (void)flags;
    if (until_ms > now)
        now = until_ms - now > trip_ms ? now + trip_ms : until_ms;
    if (now >= freeze_at && !is_frozen) {
        subject_befall(calamity);
        is_frozen = 1;
    }
    subject_serve(now);
    return RDL_OK;
}

static const struct rdl_platform platform = {poll_servers, scripted_clock, NULL, &now};

static int extend(void)
{
    return subject_is_redlock() ? rdl_redlock_extend(&subject.h->redlock, &platform, TTL)
                                : rdl_lock_extend(&subject.h->own.lock, &platform, TTL);
}

static uint64_t until(void)
{
    return subject_is_redlock() ? rdl_redlock_until_ms(&subject.h->redlock)
                                : rdl_lock_until_ms(&subject.h->own.lock);
}

/* Works until the timer ends it. Returns for how long the lease still lasts then, in ms. */
static uint64_t work(uint32_t grace_ms)
{
    struct rdl_renewal k;
    uint64_t at_ms;

    rdl_renewal_renewed(&k, TTL, grace_ms, until(), now);
    for (;;) {
        enum rdl_renewal_action action = rdl_renewal_next(&k, now, &at_ms);
        if (action == RDL_RENEWAL_STOP || action == RDL_RENEWAL_LOST)
            return k.until_ms > now ? k.until_ms - now : 0;
        if (action == RDL_RENEWAL_SLEEP)
            now = at_ms - now < PIECE_MS ? at_ms : now + PIECE_MS;
        else if (extend() >= 0 || until() == 0)
            rdl_renewal_renewed(&k, TTL, grace_ms, until() != 0 ? until() : k.until_ms, now);
        else
            rdl_renewal_failed(&k, now);
    }
}

/* For each moment of a ttl at which the servers freeze. Returns how often the work ended too late. */
static unsigned count_late(enum subject_kind kind, uint32_t grace_ms)
{
    unsigned late = 0;
    uint64_t after_ms;

    for (after_ms = 0; after_ms < TTL; after_ms += STEP_MS) {
        now = START;
        is_frozen = 0;
        freeze_at = UINT64_MAX;
        subject_init(kind, now);
        subject_hold(&now);
        freeze_at = now + after_ms;
        late += work(grace_ms) == 0;
        ck_assert_uint_gt(now, freeze_at + 1); /* and not at once */
        ck_assert(is_frozen);
    }
    return late;
}

START_TEST(work_has_stopped_before_the_lease_ends)
{
    calamity = _i / KINDS ? SUBJECT_DOWN : SUBJECT_FROZEN;
    ck_assert_uint_eq(count_late((enum subject_kind)(_i % KINDS), ATTEMPT + 2), 0);
}
END_TEST

/* Without a grace the worker learns only of the end. Half an attempt is too short for some kinds. */
START_TEST(work_ends_late_if_the_grace_is_too_short)
{
    calamity = SUBJECT_FROZEN;
    ck_assert_uint_eq(count_late((enum subject_kind)_i, 0), TTL / STEP_MS + 1);
    if (subject_is_redlock())
        ck_assert_uint_gt(count_late((enum subject_kind)_i, ATTEMPT / 2), 0);
}
END_TEST

Suite *suite_renewal_work(void)
{
    Suite *suite = suite_create("renewal_work");
    TCase *tc = suite_case(suite, "every kind", NULL, NULL);

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, work_has_stopped_before_the_lease_ends, 0, 2 * KINDS);
    tcase_add_loop_test(tc, work_ends_late_if_the_grace_is_too_short, 0, KINDS);
    return suite;
}
