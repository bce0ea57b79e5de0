/* SPDX-License-Identifier: MIT */
/*
 * check_set_up.c - locks whose set-up failed, and whose program did not look: each call is harmless, and the
 * next operations report the same error.
 */

#include "lock/lock_multi.h"
#include "tests/fixtures/fleet.h"
#include "tests/sim/any_lock.h"
#include "tests/suite.h"

enum { NOW = 1000 };

static const char token[] = "0123456789abcdef0123456789abcdef01234567";

/* ---------------------------------------------------------------- one server */

static struct scripted s;
static union any_lock one;

static const struct {
    size_t name_len;
    uint32_t ttl_ms;
    int error;
} invalid[] = {{0, 10000, RDL_E_NAME}, {RDL_NAME_MAX + 1, 10000, RDL_E_NAME}, {1, 1, RDL_E_TTL}};
enum { INVALID = sizeof invalid / sizeof invalid[0] };

/* A plain lock, a fenced one, several locks. */
static int init_one(int kind, const struct rdl_lock_options *opt, size_t name_len)
{
    static const char name[RDL_NAME_MAX + 1] = "k";
    static uint8_t packed[RDL_NAME_MAX];
    const struct rdl_bytes names[] = {{name, name_len}};

    if (kind == 0)
        return rdl_lock_init(&one.lock, opt, &s.conn, name, name_len);
    if (kind == 1)
        return rdl_lock_init_fenced(&one.fenced, opt, &s.conn, name, name_len);
    return rdl_lock_init_multi(&one.lock, opt, &s.conn, names, 1, packed);
}

/* A release has no ttl, and an extend has its own: of the options adopt needs none. */
START_TEST(adopt_repeats_the_error_of_the_set_up)
{
    const int which = _i % INVALID;
    const struct rdl_lock_options opt = {.ttl_ms = invalid[which].ttl_ms};

    scripted_init(&s);
    scripted_model(&s, NOW);
    scripted_open(&s, NOW);
    ck_assert_int_eq(init_one(_i / INVALID, &opt, invalid[which].name_len), invalid[which].error);
    if (invalid[which].error == RDL_E_TTL) { /* a release needs none */
        ck_assert_int_eq(rdl_lock_adopt(&one.lock, token, RDL_VALUE_MAX), RDL_OK);
        rdl_lock_cancel(&one.lock);
        ck_assert_str_ne(scripted_sent(&s), "");
        return;
    }
    ck_assert_int_eq(rdl_lock_adopt(&one.lock, token, RDL_VALUE_MAX), invalid[which].error);
    ck_assert_int_eq(rdl_lock_extend_begin(&one.lock, 10000, NOW), RDL_LOST);
    ck_assert_int_eq(rdl_lock_release_begin(&one.lock, NOW), RDL_EXPIRED);
    rdl_lock_cancel(&one.lock);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* ---------------------------------------------------------------- N servers */

enum mistake { NO_NAME, NO_TTL, NO_GUARD, NO_SERVERS, NO_SERVER_INFO };
static const int errors[] = {RDL_E_NAME, RDL_E_TTL, RDL_E_CONFIG, RDL_E_CONFIG, RDL_E_CONFIG};

/* Three servers, and a redlock whose set-up has this mistake. */
static void init_redlock(enum mistake mistake)
{
    static struct rdl_redlock_options opt;
    size_t n = mistake == NO_SERVERS ? 0 : 3;

    fleet_init(3, NOW);
    opt = fleet.opt;
    if (mistake == NO_TTL)
        opt.lease.ttl_ms = 1;
    if (mistake == NO_GUARD)
        opt.guard = RDL_GUARD_OFF + 1;
    if (mistake == NO_SERVER_INFO)
        fleet.s[0].cfg.server_info = NULL;
    ck_assert_int_eq(rdl_redlock_init(&fleet.lock, &opt, fleet.servers, n, "k", mistake != NO_NAME),
                     errors[mistake]);
}

static void nothing_was_sent(void)
{
    size_t i;

    for (i = 0; i < 3; i++)
        ck_assert_uint_eq(fleet.s[i].conn.tail, 0);
}

START_TEST(redlock_adopt_repeats_the_error_of_the_set_up)
{
    init_redlock((enum mistake)_i);
    if (errors[_i] == RDL_E_TTL) {
        ck_assert_int_eq(rdl_redlock_adopt(&fleet.lock, token, RDL_VALUE_MAX), RDL_OK);
        rdl_redlock_cancel(&fleet.lock);
        ck_assert_uint_ne(fleet.s[0].conn.tail, 0);
        return;
    }
    ck_assert_int_eq(rdl_redlock_adopt(&fleet.lock, token, RDL_VALUE_MAX), errors[_i]);
    rdl_redlock_cancel(&fleet.lock);
    nothing_was_sent();
}
END_TEST

/* Calls between the set-up and the acquire do not change what it reports. */
START_TEST(acquire_repeats_the_error_of_the_set_up)
{
    init_redlock((enum mistake)_i);
    ck_assert_int_eq(rdl_redlock_release_begin(&fleet.lock, NOW), RDL_EXPIRED);
    ck_assert_int_eq(fleet_acquire(NOW), errors[_i]);
    rdl_redlock_cancel(&fleet.lock);
    ck_assert_int_eq(fleet_acquire(NOW), errors[_i]);
    nothing_was_sent();
}
END_TEST

/* ---------------------------------------------------------------- functions that block */

static int poll_conns(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    (void)ctx, (void)conns, (void)n, (void)until_ms, (void)flags;
    return RDL_OK;
}

START_TEST(driver_is_never_asked_to_poll_no_connection)
{
    uint64_t now = NOW * 10;
    const struct rdl_platform platform = {poll_conns, scripted_clock, scripted_random, &now};

    init_redlock(NO_SERVERS);
    ck_assert_int_eq(rdl_redlock_acquire(&fleet.lock, &platform), RDL_E_CONFIG);
    ck_assert_int_eq(rdl_redlock_extend(&fleet.lock, &platform, FLEET_TTL), RDL_LOST);
    ck_assert_int_eq(rdl_redlock_release(&fleet.lock, &platform), RDL_EXPIRED);
    ck_assert_int_eq(rdl_redlock_drain(&fleet.lock, &platform, UINT64_MAX), RDL_OK);
}
END_TEST

Suite *suite_set_up(void)
{
    Suite *suite = suite_create("set_up");
    TCase *tc = suite_case(suite, "set_up", NULL, NULL);

    tcase_add_loop_test(tc, adopt_repeats_the_error_of_the_set_up, 0, 3 * INVALID);
    tcase_add_loop_test(tc, redlock_adopt_repeats_the_error_of_the_set_up, 0,
                        (int)(sizeof errors / sizeof errors[0]));
    tcase_add_loop_test(tc, acquire_repeats_the_error_of_the_set_up, 0,
                        (int)(sizeof errors / sizeof errors[0]));
    tcase_add_test(tc, driver_is_never_asked_to_poll_no_connection);
    return suite;
}
