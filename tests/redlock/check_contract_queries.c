/* SPDX-License-Identifier: MIT */
/*
 * What a program can read from a lock of any kind, under the same name: how long the lease lasts, why an
 * operation failed, the holder's time, the token; and waiting until nothing is pending.
 */
#include <string.h>

#include "lock/lock_multi.h"
#include "tests/fixtures/subject.h"
#include "tests/suite.h"

enum { START = 1000, END = START + SUBJECT_TTL - SUBJECT_DRIFT };

static uint64_t now;

static struct rdl_lock *one(void)
{
    return &subject.h->own.lock;
}

static struct rdl_redlock *many(void)
{
    return &subject.h->redlock;
}

static void begin(int kind)
{
    now = START;
    subject_init((enum subject_kind)kind, now);
}

static uint64_t until_ms(void)
{
    return subject_is_redlock() ? rdl_redlock_until_ms(many()) : rdl_lock_until_ms(one());
}

static int64_t holder_ms(void)
{
    return subject_is_redlock() ? rdl_redlock_holder_ms(many()) : rdl_lock_holder_ms(one());
}

static int error(void)
{
    return subject_is_redlock() ? rdl_redlock_error(many(), 0) : rdl_lock_error(one());
}

static const char *report(void)
{
    static char line[128];
    size_t len = subject_is_redlock() ? rdl_redlock_report(many(), 0, now, line, sizeof line)
                                      : rdl_lock_report(one(), line, sizeof line);

    ck_assert_uint_eq(len, strlen(line));
    return line;
}

START_TEST(until_is_the_end_of_validity_while_held)
{
    begin(_i);
    ck_assert_uint_eq(until_ms(), 0);
    ck_assert_int_eq(subject_acquire(&now), RDL_OK);
    ck_assert_uint_eq(until_ms(), END);
    ck_assert_int_eq(subject_release(&now), RDL_OK);
    ck_assert_uint_eq(until_ms(), 0);
}
END_TEST

START_TEST(until_is_0_for_an_adopted_token)
{
    begin(_i);
    ck_assert_int_eq(subject_adopt("0123456789012345678901234567890123456789", 40), RDL_OK);
    ck_assert_uint_eq(until_ms(), 0);
}
END_TEST

START_TEST(holder_ms_is_the_time_the_holder_has_left)
{
    begin(_i);
    ck_assert_int_eq(holder_ms(), -2);
    subject_steal(now);
    ck_assert_int_eq(subject_acquire(&now), RDL_BUSY);
    ck_assert_int_gt(holder_ms(), SUBJECT_THEFT - 100);
    ck_assert_int_le(holder_ms(), SUBJECT_THEFT);
}
END_TEST

START_TEST(holder_ms_is_unknown_after_a_grant)
{
    begin(_i);
    subject_hold(&now);
    ck_assert_int_eq(holder_ms(), -2);
}
END_TEST

START_TEST(error_is_ok_after_a_grant_and_after_a_refusal)
{
    begin(_i);
    subject_steal(now);
    ck_assert_int_eq(subject_acquire(&now), RDL_BUSY);
    ck_assert_int_eq(error(), RDL_OK);
    now += SUBJECT_THEFT + 1;
    ck_assert_int_eq(subject_acquire(&now), RDL_OK);
    ck_assert_int_eq(error(), RDL_OK);
}
END_TEST

START_TEST(error_says_why_no_reply_came)
{
    begin(_i);
    subject_befall(SUBJECT_FROZEN);
    ck_assert_int_lt(subject_acquire(&now), RDL_OK);
    ck_assert_int_eq(error(), RDL_E_TIMEOUT);
}
END_TEST

START_TEST(error_says_that_the_connection_failed)
{
    begin(_i);
    subject_befall(SUBJECT_DOWN);
    ck_assert_int_lt(subject_acquire(&now), RDL_OK);
    ck_assert_int_eq(error(), RDL_E_CONNECT);
}
END_TEST

START_TEST(report_is_one_line_about_the_last_operation)
{
    begin(_i);
    ck_assert_str_eq(report(), "no request was sent");
    subject_steal(now);
    ck_assert_int_eq(subject_acquire(&now), RDL_BUSY);
    ck_assert_ptr_eq(strstr(report(), "held by another client for another "), report());
    now += SUBJECT_THEFT + 1;
    ck_assert_int_eq(subject_acquire(&now), RDL_OK);
    ck_assert_ptr_eq(strstr(report(), "confirmed"), report());
    subject_befall(SUBJECT_FROZEN);
    ck_assert_int_eq(subject_extend_begin(SUBJECT_TTL, now), RDL_PENDING);
    ck_assert_str_eq(report(), "no reply yet");
    ck_assert_int_eq(subject_run(RDL_PENDING, &now), RDL_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(report(), "timed out"));
}
END_TEST

START_TEST(any_report_is_cut_to_its_buffer)
{
    char line[8] = "1234567";

    begin(_i);
    if (subject_is_redlock())
        rdl_redlock_report(many(), 0, now, line, 4);
    else
        rdl_lock_report(one(), line, 4);
    ck_assert_str_eq(line, "no ");
    ck_assert_str_eq(line + 4, "567");
}
END_TEST

START_TEST(token_is_40_hex_digits_and_a_nul)
{
    char text[RDL_TOKEN_TEXT_MAX];

    memset(text, 'x', sizeof text);
    begin(_i);
    subject_hold(&now);
    if (subject_is_redlock())
        rdl_redlock_token(many(), text);
    else
        rdl_lock_token(one(), text);
    ck_assert_uint_eq(strlen(text), 40);
    ck_assert_uint_eq(strspn(text, "0123456789abcdef"), 40);
}
END_TEST

/* ---------------------------------------------------------------- drain */

static int poll_result;

/* Serves the connections, and moves the clock to where the wait ends. */
static int poll_in_virtual_time(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until,
                                unsigned flags)
{
    (void)ctx, (void)conns, (void)n, (void)flags;
    ck_assert(!(flags & RDL_POLL_CAN_WAKE));
    subject_serve(now);
    if (until > now)
        now = until < now + 10 ? until : now + 10;
    return poll_result;
}

static int drain(uint64_t until)
{
    const struct rdl_platform platform = {poll_in_virtual_time, scripted_clock, NULL, &now};

    return subject_is_redlock() ? rdl_redlock_drain(many(), &platform, until)
                                : rdl_lock_drain(one(), &platform, until);
}

static int is_idle(void)
{
    return subject_is_redlock() ? rdl_redlock_is_idle(many()) : rdl_lock_is_idle(one());
}

START_TEST(drain_returns_when_every_pending_release_was_answered)
{
    begin(_i);
    poll_result = RDL_OK;
    subject_hold(&now);
    ck_assert(is_idle());
    ck_assert_int_eq(drain(now), RDL_OK); /* nothing is pending: it does not even poll */
    subject_cancel();
    ck_assert(!is_idle());
    ck_assert_int_eq(drain(now + 1000), RDL_OK);
    ck_assert(is_idle());
    ck_assert_uint_eq(subject_keys(now), 0);
}
END_TEST

START_TEST(drain_waits_no_longer_than_until)
{
    begin(_i);
    poll_result = RDL_OK;
    subject_hold(&now);
    subject_befall(SUBJECT_FROZEN);
    subject_cancel();
    ck_assert_int_eq(drain(START + 500), RDL_E_TIMEOUT);
    ck_assert_uint_eq(now, START + 500);
    ck_assert(!is_idle());
}
END_TEST

START_TEST(drain_returns_the_error_of_poll)
{
    begin(_i);
    poll_result = RDL_E_SYSTEM;
    subject_hold(&now);
    subject_cancel();
    ck_assert_int_eq(drain(now + 1000), RDL_E_SYSTEM);
}
END_TEST

/* ---------------------------------------------------------------- init */

static int init(const void *name, size_t len, const struct rdl_lock_options *lease)
{
    struct rdl_conn *conn = &subject.s[0].conn;
    struct rdl_bytes names[1] = {{name, len}};

    switch (subject.kind) {
    case SUBJECT_PLAIN:
        return rdl_lock_init(one(), lease, conn, name, len);
    case SUBJECT_FENCED:
        return rdl_lock_init_fenced(&subject.h->own.fenced, lease, conn, name, len);
    case SUBJECT_SEVERAL:
        return rdl_lock_init_multi(one(), lease, conn, names, 1, subject.h->packed);
    case SUBJECT_REDLOCK_1:
    case SUBJECT_REDLOCK_5:
    case KINDS:
        break;
    }
    subject.opt.lease = *lease;
    return rdl_redlock_init(many(), &subject.opt, subject.h->servers, subject.n, name, len);
}

static const struct {
    const char *name;
    size_t len;
    uint32_t ttl_ms;
    int result;
} inits[] = {{RDL_NAME("k"), 10000, RDL_OK}, {"", 0, 10000, RDL_E_NAME}, {RDL_NAME("k"), 1, RDL_E_TTL}};
enum { INITS = sizeof inits / sizeof inits[0] };

START_TEST(init_returns_what_acquire_would_return)
{
    const int which = _i / KINDS;
    const struct rdl_lock_options lease = {.ttl_ms = inits[which].ttl_ms};

    begin(_i % KINDS);
    ck_assert_int_eq(init(inits[which].name, inits[which].len, &lease), inits[which].result);
    if (inits[which].result != RDL_OK)
        ck_assert_int_eq(subject_acquire_begin(now), inits[which].result);
}
END_TEST

/* The servers have just started: over N, the guard is on. */
static void acquire_with_defaults(uint32_t quarantine_ms)
{
    memset(&subject.opt, 0, sizeof subject.opt);
    ck_assert_int_eq(init(RDL_NAME("k"), &subject.opt.lease), RDL_OK);
    if (subject_is_redlock()) {
        ck_assert_uint_eq(rdl_redlock_counts_at(many(), 0), START + quarantine_ms);
        ck_assert_int_eq(subject_acquire(&now), RDL_E_QUARANTINE);
        now = START + quarantine_ms;
    }
    ck_assert_int_eq(subject_acquire(&now), RDL_OK);
}

START_TEST(zeroed_options_acquire_a_lease_of_30_s)
{
    begin(_i);
    acquire_with_defaults(RDL_TTL_DEFAULT_MS + 1000);
    ck_assert_uint_eq(until_ms(), now + RDL_TTL_DEFAULT_MS - 302);
}
END_TEST

START_TEST(default_ttl_above_max_ttl_is_refused)
{
    begin(_i);
    memset(&subject.opt, 0, sizeof subject.opt);
    for (uint32_t below = 0; below < 2; below++) {
        subject.opt.max_ttl_ms = RDL_TTL_DEFAULT_MS - below;
        ck_assert_int_eq(init(RDL_NAME("k"), &subject.opt.lease), below ? RDL_E_TTL : RDL_OK);
    }
}
END_TEST

START_TEST(name_expands_to_a_literal_and_its_length)
{
    const struct rdl_bytes name = {RDL_NAME("nightly")};

    ck_assert_uint_eq(name.len, 7);
    ck_assert_mem_eq(name.data, "nightly", 7);
}
END_TEST

Suite *suite_contract_queries(void)
{
    Suite *suite = suite_create("contract_queries");
    TCase *tc = suite_case(suite, "queries", NULL, NULL);

    tcase_add_loop_test(tc, until_is_the_end_of_validity_while_held, 0, KINDS);
    tcase_add_loop_test(tc, until_is_0_for_an_adopted_token, 0, KINDS);
    tcase_add_loop_test(tc, holder_ms_is_the_time_the_holder_has_left, 0, KINDS);
    tcase_add_loop_test(tc, holder_ms_is_unknown_after_a_grant, 0, KINDS);
    tcase_add_loop_test(tc, error_is_ok_after_a_grant_and_after_a_refusal, 0, KINDS);
    tcase_add_loop_test(tc, error_says_why_no_reply_came, 0, KINDS);
    tcase_add_loop_test(tc, error_says_that_the_connection_failed, 0, KINDS);
    tcase_add_loop_test(tc, report_is_one_line_about_the_last_operation, 0, KINDS);
    tcase_add_loop_test(tc, any_report_is_cut_to_its_buffer, 0, KINDS);
    tcase_add_loop_test(tc, token_is_40_hex_digits_and_a_nul, 0, KINDS);
    tcase_add_loop_test(tc, drain_returns_when_every_pending_release_was_answered, 0, KINDS);
    tcase_add_loop_test(tc, drain_waits_no_longer_than_until, 0, KINDS);
    tcase_add_loop_test(tc, drain_returns_the_error_of_poll, 0, KINDS);
    tcase_add_loop_test(tc, init_returns_what_acquire_would_return, 0, (int)KINDS * (int)INITS);
    tcase_add_loop_test(tc, zeroed_options_acquire_a_lease_of_30_s, 0, KINDS);
    tcase_add_loop_test(tc, default_ttl_above_max_ttl_is_refused, SUBJECT_REDLOCK_1, KINDS);
    tcase_add_test(tc, name_expands_to_a_literal_and_its_length);
    return suite;
}
