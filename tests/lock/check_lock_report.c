/* SPDX-License-Identifier: MIT */
/* check_lock_report.c - the line about the last operation of one lock, for people. */
#include <string.h>

#include "lock/lock.h"
#include "lock/lock_line.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { NOW = 1000, TTL = 10000, ATTEMPT = 250 };

static struct scripted s;
static struct rdl_lock l;
static const struct rdl_lock_options opt = {.ttl_ms = TTL, .attempt_ms = ATTEMPT};

static const char *report(void)
{
    static char line[200];
    size_t len = rdl_lock_report(&l, line, sizeof line);

    ck_assert_uint_eq(len, strlen(line));
    return line;
}

static void setup(void)
{
    scripted_init(&s);
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
}

/* Begins an acquire on an open connection, and gives it this reply. The password was right. */
static int acquire_with(const char *password, const char *reply)
{
    scripted_open(&s, NOW);
    s.endpoint.password = (struct rdl_bytes){password, strlen(password)};
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, reply);
    return rdl_lock_step(&l, NOW + 3);
}

static int acquire(const char *reply)
{
    return acquire_with("", reply);
}

START_TEST(an_operation_that_was_not_begun_sent_no_request)
{
    ck_assert_str_eq(report(), "no request was sent");
}
END_TEST

START_TEST(a_pending_operation_shows_what_it_waits_for)
{
    s.endpoint.password = (struct rdl_bytes){"p", 1};
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    rdl_conn_tick(&s.conn, NOW);
    ck_assert_str_eq(report(), "not connected yet");
    rdl_conn_opened(&s.conn);
    ck_assert_str_eq(report(), "connected, but no reply yet");
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_str_eq(report(), "no reply yet");
}
END_TEST

/* It is connected. */
START_TEST(an_operation_on_a_stalled_connection_has_no_reply_yet)
{
    static const struct rdl_lock_options slow = {.ttl_ms = 4 * TTL, .attempt_ms = TTL};
    uint64_t now = NOW;

    rdl_lock_init(&l, &slow, &s.conn, "k", 1);
    scripted_open(&s, now);
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    scripted_sent(&s);
    while (rdl_conn_state(&s.conn) == RDL_CONN_READY && now < NOW + TTL)
        rdl_conn_tick(&s.conn, ++now);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
    ck_assert_str_eq(report(), "no reply yet");
}
END_TEST

/* Between two attempts. */
START_TEST(an_operation_that_pauses_has_sent_no_request)
{
    static const struct rdl_lock_options patient = {
        .ttl_ms = TTL, .attempt_ms = ATTEMPT, .wait_ms = 60000, .retry_ms = 200};

    rdl_lock_init(&l, &patient, &s.conn, "k", 1);
    ck_assert_int_eq(acquire("$-1\r\n:5000\r\n"), RDL_PENDING);
    ck_assert_str_eq(report(), "no request was sent");
}
END_TEST

static const struct {
    const char *reply;
    int result;
    const char *text;
} results[] = {
    {"+OK\r\n:10000\r\n", RDL_OK, "confirmed in 3 ms"},
    {"$-1\r\n:5000\r\n", RDL_BUSY, "held by another client for another 5000 ms"},
    {"$-1\r\n:-1\r\n", RDL_BUSY,
     "held by another client, never expires: another program or an old client wrote it"},
    {"$-1\r\n:5000000000\r\n", RDL_BUSY, "held by another client"},
    {"-OOM no room\r\n:-2\r\n", RDL_E_TRY_LATER, "the server cannot do this now: OOM no room"},
};

START_TEST(a_result_is_shown_with_what_the_server_said)
{
    ck_assert_int_eq(acquire(results[_i].reply), results[_i].result);
    ck_assert_str_eq(report(), results[_i].text);
}
END_TEST

/* Such as "unknown command 'AUTH', with args beginning with: ...", in any later error. */
static const struct {
    const char *password, *reply, *report;
} repeated[] = {
    {"s3cret", "-ERR who said s3cret? s3cret!\r\n",
     "the server replied with an error: ERR who said ***? ***!"},
    {"s3cret", "-OOM s3cre s3crets3cre.\r\n", "the server cannot do this now: OOM s3cre ***s3cre."},
    {"\x01\x7f\xe9", "-OOM \x01\x7f\xe9 \r\n", "the server cannot do this now: OOM *** "},
    {"", "-OOM s3cret\r\n", "the server cannot do this now: OOM s3cret"},
};

START_TEST(a_password_that_the_server_repeats_is_not_shown)
{
    (void)acquire_with(repeated[_i].password, repeated[_i].reply);
    ck_assert_str_eq(report(), repeated[_i].report);
}
END_TEST

/* Else "***" would show that the password is one of its words. */
START_TEST(a_text_of_the_library_is_shown_whole)
{
    s.endpoint.password = (struct rdl_bytes){"password", 8};
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    rdl_conn_tick(&s.conn, NOW);
    rdl_conn_opened(&s.conn);
    scripted_sent(&s);
    scripted_reply(&s, "-WRONGPASS invalid username-password pair\r\n");
    rdl_conn_closed(&s.conn, rdl_conn_error(&s.conn));
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_E_AUTH);
    ck_assert_ptr_nonnull(strstr(report(), ": WRONGPASS: wrong user or password"));
}
END_TEST

/* Four of its bytes are shown to nobody. */
START_TEST(a_password_that_was_cut_off_is_not_shown)
{
    char reply[RDL_TEXT_MAX + 40] = "-OOM ";

    memset(reply + 5, '-', RDL_TEXT_MAX);
    strcpy(reply + RDL_TEXT_MAX - _i, "s3cret\r\n");
    (void)acquire_with("s3cret", reply);
    ck_assert_uint_eq(strlen(rdl_conn_text(&s.conn)), RDL_TEXT_MAX - 1);
    ck_assert_ptr_eq(strstr(report(), "s3cr"), NULL);
    ck_assert_int_eq(strstr(report(), "***") != NULL, _i >= 4);
}
END_TEST

START_TEST(a_result_without_a_server_is_shown)
{
    ck_assert_int_eq(acquire("+OK\r\n:10000\r\n"), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, NOW + 2 * TTL), RDL_LOST);
    ck_assert_str_eq(report(), rdl_strerror(RDL_LOST));
}
END_TEST

START_TEST(an_extend_is_shown_as_confirmed)
{
    char token[RDL_TOKEN_TEXT_MAX];

    ck_assert_int_eq(acquire("+OK\r\n:10000\r\n"), RDL_OK);
    if (_i) { /* of an adopted lock, which was never acquired here */
        rdl_lock_token(&l, token);
        rdl_lock_init(&l, &opt, &s.conn, "k", 1);
        ck_assert_int_eq(rdl_lock_adopt(&l, token, strlen(token)), RDL_OK);
    }
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, NOW + 5), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_ge(rdl_lock_step(&l, NOW + 6), RDL_OK);
    ck_assert_str_eq(report(), "confirmed");
}
END_TEST

START_TEST(a_missing_reply_is_shown_with_its_reason)
{
    scripted_open(&s, NOW);
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    scripted_sent(&s);
    if (_i)
        scripted_break(&s);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + ATTEMPT), RDL_UNKNOWN);
    ck_assert_str_eq(report(), _i ? "no reply: the connection was closed before the reply" : "timed out");
}
END_TEST

/* Without room for it, a text is shorter. */
START_TEST(a_phrase_without_an_error_has_no_reason)
{
    char text[64];
    struct rdl_line line;

    text[0] = 'x';
    rdl_line_begin(&line, text, sizeof text);
    ck_assert_str_eq(text, "");
    rdl_line_add_no_reply(&line, &s.conn, RDL_OK);
    ck_assert_str_eq(text, "no reply");
    rdl_conn_set_text(&s.conn, "expired certificate");
    rdl_line_begin(&line, text, sizeof text);
    rdl_line_add_error(&line, &s.conn, RDL_E_TLS);
    ck_assert_str_eq(text, "the TLS handshake failed: expired certificate");
    rdl_line_begin(&line, text, sizeof text);
    rdl_line_add_error(&line, &s.conn, RDL_BUSY); /* the text is another error's */
    ck_assert_str_eq(text, rdl_strerror(RDL_BUSY));
    rdl_line_begin(&line, text, sizeof text);
    rdl_line_add_error(&line, &s.conn, RDL_E_URL);
    ck_assert_str_eq(text, rdl_strerror(RDL_E_URL));
    rdl_conn_set_text(&s.conn, "ERR no");
    rdl_line_begin(&line, text, sizeof text);
    rdl_line_add_error(&line, &s.conn, RDL_E_SERVER);
    ck_assert_str_eq(text, "the server replied with an error: ERR no");
    rdl_line_begin(&line, text, sizeof text);
    rdl_line_add_error(&line, &s.conn, RDL_E_ABANDONED);
    ck_assert_str_eq(text, rdl_strerror(RDL_E_ABANDONED));
    rdl_conn_set_text(&s.conn, "");
    rdl_line_begin(&line, text, sizeof text);
    rdl_line_add_error(&line, &s.conn, RDL_E_SERVER);
    ck_assert_str_eq(text, rdl_strerror(RDL_E_SERVER));
}
END_TEST

START_TEST(any_time_of_the_holder_is_shown)
{
    static const int64_t ms[] = {0, UINT32_MAX, UINT32_MAX + (int64_t)1};
    static const char *const lines[] = {"held by another client for another 0 ms",
                                        "held by another client for another 4294967295 ms",
                                        "held by another client"};
    char text[64];
    struct rdl_line line;

    rdl_line_begin(&line, text, sizeof text);
    rdl_line_add_holder(&line, ms[_i]);
    ck_assert_str_eq(text, lines[_i]);
}
END_TEST

/* Another database has other locks. Port and database have their largest and smallest numbers. */
static const struct {
    struct rdl_endpoint endpoint;
    const char *host, *where;
} places[] = {
    {{.host = "a.test", .port = 6379, .family = RDL_UNRESOLVED}, "a.test", "a.test:6379"},
    {{.host = "192.0.2.1", .port = 65535, .family = RDL_INET, .db = 1}, "192.0.2.1", "192.0.2.1:65535/1"},
    {{.host = "::1", .port = 1, .family = RDL_INET6}, "::1", "[::1]:1"},
    {{.host = "::1", .port = 1, .family = RDL_INET6, .db = UINT32_MAX}, "::1", "[::1]:1/4294967295"},
    {{.host = "/run/a:1", .family = RDL_UNIX}, "/run/a:1", "/run/a:1"},
    {{.host = "/run/a b", .family = RDL_UNIX, .db = 2}, "/run/a%20b", "/run/a%20b?db=2"},
};

START_TEST(a_server_is_named_with_its_database)
{
    char text[64];
    struct rdl_line line;

    rdl_line_begin(&line, text, sizeof text);
    rdl_line_add_where(&line, &places[_i].endpoint, places[_i].host);
    ck_assert_str_eq(text, places[_i].where);
    ck_assert_uint_eq(line.len, strlen(text));
}
END_TEST

Suite *suite_lock_report(void)
{
    Suite *suite = suite_create("lock_report");
    TCase *tc = suite_case(suite, "report", setup, NULL);

    tcase_add_test(tc, an_operation_that_was_not_begun_sent_no_request);
    tcase_add_test(tc, a_pending_operation_shows_what_it_waits_for);
    tcase_add_test(tc, an_operation_on_a_stalled_connection_has_no_reply_yet);
    tcase_add_test(tc, an_operation_that_pauses_has_sent_no_request);
    tcase_add_loop_test(tc, a_result_is_shown_with_what_the_server_said, 0, sizeof results / sizeof *results);
    tcase_add_loop_test(tc, a_password_that_the_server_repeats_is_not_shown, 0, COUNT(repeated));
    tcase_add_test(tc, a_text_of_the_library_is_shown_whole);
    tcase_add_loop_test(tc, a_password_that_was_cut_off_is_not_shown, 3, 7);
    tcase_add_test(tc, a_result_without_a_server_is_shown);
    tcase_add_loop_test(tc, an_extend_is_shown_as_confirmed, 0, 2);
    tcase_add_loop_test(tc, a_missing_reply_is_shown_with_its_reason, 0, 2);
    tcase_add_test(tc, a_phrase_without_an_error_has_no_reason);
    tcase_add_loop_test(tc, any_time_of_the_holder_is_shown, 0, 3);
    tcase_add_loop_test(tc, a_server_is_named_with_its_database, 0, sizeof places / sizeof *places);
    return suite;
}
