/* SPDX-License-Identifier: MIT */
/* check_easy_report.c - which servers the text of a failed call names, and why. Nothing is connected. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redlock/easy/easy_private.h"
#include "tests/suite.h"

static struct rdl_easy easy;

static void set_server(size_t i, enum rdl_conn_phase state, int conn_error, enum rdl_vote vote, int error)
{
    easy.conns[i].conn.state = (uint8_t)state;
    easy.conns[i].conn.error = (int8_t)conn_error;
    easy.servers[i].vote = (uint8_t)vote;
    easy.servers[i].error = (int16_t)error;
    easy.servers[i].counts = 1;
}

/* Server i had this part in the operation. */
static void befall(size_t i, char fate)
{
    switch (fate) {
    case 'g': /* granted it */
    case 'q': /* the same, in quarantine */
        set_server(i, RDL_CONN_READY, RDL_OK, RDL_VOTE_GRANTED, RDL_OK);
        break;
    case 'd': /* has another client's key */
        set_server(i, RDL_CONN_READY, RDL_OK, RDL_VOTE_DENIED, RDL_OK);
        break;
    case 'a': /* has no key */
        set_server(i, RDL_CONN_READY, RDL_OK, RDL_VOTE_ABSENT, RDL_OK);
        break;
    case 'e': /* refused it */
    case 'E': /* the same, in quarantine */
        set_server(i, RDL_CONN_READY, RDL_OK, RDL_VOTE_ERROR, RDL_E_TRY_LATER);
        rdl_conn_set_text(&easy.conns[i].conn, "OOM x");
        break;
    case 't': /* did not reply in its time */
        set_server(i, RDL_CONN_READY, RDL_OK, RDL_VOTE_UNKNOWN, RDL_E_TIMEOUT);
        break;
    case 'p': /* had less time */
        set_server(i, RDL_CONN_READY, RDL_OK, RDL_VOTE_PENDING, RDL_E_ABANDONED);
        break;
    case 'n': /* was not asked */
    case 'r': /* the same, in quarantine */
        set_server(i, RDL_CONN_READY, RDL_OK, RDL_VOTE_NONE, RDL_OK);
        break;
    case 'c': /* connects */
        set_server(i, RDL_CONN_OPENING, RDL_OK, RDL_VOTE_NONE, RDL_OK);
        break;
    default: /* is down */
        set_server(i, RDL_CONN_CLOSED, RDL_E_CONNECT, RDL_VOTE_NONE, RDL_OK);
        break;
    }
    easy.servers[i].counts =
        easy.conns[i].conn.state == RDL_CONN_READY && fate != 'q' && fate != 'r' && fate != 'E';
}

/* The host name of server i never had an address. */
static void lose_address(size_t i, const char *why)
{
    easy.conns[i].endpoint.family = RDL_UNRESOLVED;
    easy.unresolved[i] = why;
}

/* Returns the text of a call that failed with rc when the servers had these parts. */
static const char *text(int rc, const char *fates)
{
    static const char *const urls[] = {"redis://127.0.0.1:1", "redis://127.0.0.1:1 redis://127.0.0.1:2",
                                       "redis://127.0.0.1:1 redis://127.0.0.1:2 redis://127.0.0.1:3"};
    size_t n = strlen(fates), i;

    ck_assert_int_eq(rdl_easy_open(&easy, urls[n - 1], "nightly", NULL), RDL_OK);
    for (i = 0; i < n; i++)
        befall(i, fates[i]);
    ck_assert_int_eq(rdl_easy_explain(&easy, rc), rc);
    return rdl_easy_error(&easy);
}

static int is_named(size_t i)
{
    char where[32];

    snprintf(where, sizeof where, "127.0.0.1:%u: ", (unsigned)i + 1);
    return strstr(rdl_easy_error(&easy), where) != NULL;
}

static const struct {
    const char *fates, *named;
} reasons[] = {
    {"eed", "yy-"}, {"eea", "yy-"}, {"eeg", "yy-"}, {"een", "yy-"}, {"xxn", "yy-"}, {"tte", "yyy"},
    {"eeq", "yyy"}, {"xxr", "yyy"}, /* it would not have been enough */
    {"eep", "yy-"}, {"xxc", "yy-"}, /* two are reason enough */
    {"ccc", "yyy"}, {"gcc", "-yy"}, {"xcg", "yy-"}, {"ppp", "yyy"}, {"dpt", "-yy"}, {"g", "-"},
    {"c", "y"},     {"p", "y"},     {"x", "y"},     {"gc", "-y"},   {"xc", "y-"},
};

START_TEST(text_names_the_servers_that_are_the_reason)
{
    const char *named = reasons[_i].named;
    unsigned n = 0;
    char count[64];
    size_t i;

    text(RDL_NO_QUORUM, reasons[_i].fates);
    for (i = 0; named[i] != '\0'; i++) {
        ck_assert_msg(is_named(i) == (named[i] == 'y'), "%s: %s", reasons[_i].fates, rdl_easy_error(&easy));
        n += named[i] == 'y';
    }
    snprintf(count, sizeof count, "%u of %u servers gave no useful reply", n, (unsigned)i);
    ck_assert_ptr_nonnull(strstr(rdl_easy_error(&easy), i == 1 ? "the server gave no useful reply" : count));
}
END_TEST

START_TEST(text_says_how_far_a_connection_got)
{
    const char *parts = text(RDL_NO_QUORUM, "ccc");

    easy.conns[1].conn.state = RDL_CONN_HANDSHAKE;
    rdl_easy_explain(&easy, RDL_NO_QUORUM);
    ck_assert_str_eq(parts,
                     "lock \"nightly\": 3 of 3 servers gave no useful reply (127.0.0.1:1: not connected yet; "
                     "127.0.0.1:2: connected, but no reply yet; 127.0.0.1:3: not connected yet). "
                     "Check that they run and can be reached");
}
END_TEST

/* Of the connection that failed, not of the one that brought the reply. */
START_TEST(text_has_the_systems_reason_of_a_failed_connection)
{
    text(RDL_NO_QUORUM, "xet");
    easy.conns[0].conn.sys_error = ECONNREFUSED;
    easy.conns[1].conn.sys_error = ECONNRESET;
    rdl_easy_explain(&easy, RDL_NO_QUORUM);
    ck_assert_ptr_nonnull(strstr(rdl_easy_error(&easy), "127.0.0.1:1: cannot connect: "));
    ck_assert_ptr_nonnull(strstr(
        rdl_easy_error(&easy), "127.0.0.1:2: the server cannot do this now: OOM x; 127.0.0.1:3: timed out)"));
}
END_TEST

START_TEST(text_that_names_no_server_has_no_brackets)
{
    ck_assert_str_eq(text(RDL_NO_QUORUM, "g"), "lock \"nightly\": the server gave no useful reply");
}
END_TEST

#define NEW_1  "127.0.0.1:1: restarted too recently to be used"
#define DOWN_2 "127.0.0.1:2: cannot connect"
#define WAIT                                                                                                 \
    "Wait longer, or, if the server is new or loses nothing in a restart, set RDL_EASY_NO_RESTART_GUARD"
#define USELESS " servers gave no useful reply ("

/* Each reason has its remedy, and the safe ones come first. Server 1 is named, too, if it has no address. */
static const struct {
    const char *fates;
    int rc;
    uint8_t has_no_address;
    const char *text;
} remedies[] = {
    {"r", RDL_E_QUARANTINE, 0, "the server may have lost locks in a restart (" NEW_1 "). " WAIT},
    {"rg", RDL_E_QUARANTINE, 0, "1 of 2 servers may have lost locks in a restart (" NEW_1 "). " WAIT},
    {"rxg", RDL_E_QUARANTINE, 0,
     "2 of 3" USELESS NEW_1 "; " DOWN_2 "). Check that those that failed run and can be reached. " WAIT},
    {"rxg", RDL_NO_QUORUM, 0,
     "2 of 3" USELESS NEW_1 "; " DOWN_2 "). Check that those that failed run and can be reached. " WAIT},
    {"rxg", RDL_UNKNOWN, 0,
     "2 of 3" USELESS NEW_1 "; " DOWN_2 "). Check that those that failed run and can be reached"},
    {"Erg", RDL_E_QUARANTINE, 0,
     "2 of 3" USELESS "127.0.0.1:1: the server cannot do this now: OOM x; 127.0.0.1:2: restarted too "
     "recently to be used). Check that those that failed run and can be reached. " WAIT},
    {"rxg", RDL_E_QUARANTINE, 1,
     "2 of 3" USELESS NEW_1 "; 127.0.0.1:2: no address: why). Check the host name. " WAIT},
    {"xx", RDL_NO_QUORUM, 1,
     "2 of 2" USELESS "127.0.0.1:1: cannot connect; 127.0.0.1:2: no address: why). "
     "Check that those that failed run and can be reached. Check the host name"},
    {"gxx", RDL_NO_QUORUM, 0,
     "2 of 3" USELESS DOWN_2 "; 127.0.0.1:3: cannot connect). Check that they run and can be reached"},
};

START_TEST(text_names_every_reason_with_its_remedy)
{
    char expected[RDL_EASY_ERROR_MAX];

    text(RDL_OK, remedies[_i].fates);
    if (remedies[_i].has_no_address)
        lose_address(1, "why");
    rdl_easy_explain(&easy, remedies[_i].rc);
    snprintf(expected, sizeof expected, "lock \"nightly\": %s", remedies[_i].text);
    ck_assert_str_eq(rdl_easy_error(&easy), expected);
}
END_TEST

/* What calls of easy.h alone cannot cause, or only with servers that refuse scripts. */
START_TEST(text_names_a_mistake_of_the_set_up)
{
    text(RDL_OK, "g");
    rdl_easy_explain(&easy, RDL_E_UNSUPPORTED);
    ck_assert_str_eq(rdl_easy_error(&easy),
                     "lock \"nightly\": fencing tokens need scripts, which the server refuses");
    rdl_easy_explain(&easy, RDL_E_CONFIG); /* there is none any more */
    ck_assert_ptr_nonnull(strstr(rdl_easy_error(&easy), rdl_strerror(RDL_E_CONFIG)));
    easy.opt.guard = RDL_GUARD_OFF + 1;
    rdl_easy_explain(&easy, RDL_E_CONFIG);
    ck_assert_str_eq(rdl_easy_error(&easy), "lock \"nightly\": rdl_redlock_options.guard is invalid");
}
END_TEST

/* A server that is connected has an address, whatever the resolver said since. */
START_TEST(an_old_answer_of_the_resolver_is_no_reason)
{
    text(RDL_OK, "gt");
    easy.unresolved[1] = "why";
    rdl_easy_explain(&easy, RDL_NO_QUORUM);
    ck_assert_ptr_nonnull(strstr(rdl_easy_error(&easy), "127.0.0.1:2: timed out). Check that they run"));
}
END_TEST

/* A server without a canary does not count without the guard either. */
START_TEST(a_canary_or_no_guard_leaves_only_waiting)
{
    static const unsigned flags[] = {0, RDL_EASY_CANARY, RDL_EASY_NO_RESTART_GUARD, RDL_EASY_FENCE};
    int is_advised = _i == 0 || _i == 3;

    text(RDL_OK, "rx");
    easy.options.flags = flags[_i];
    rdl_easy_explain(&easy, RDL_E_QUARANTINE);
    ck_assert_ptr_nonnull(strstr(rdl_easy_error(&easy), " and can be reached. Wait longer"));
    ck_assert_int_eq(strstr(rdl_easy_error(&easy), "RDL_EASY_NO_RESTART_GUARD") != NULL, is_advised);
}
END_TEST

/* The last call quarantined server 0, which started up_ms ago. */
static const char *quarantined(uint64_t up_ms)
{
    struct rdl_server_info *info = &easy.conns[0].server_info;

    info->has = RDL_INFO_UPTIME | RDL_INFO_TIMESTAMP;
    info->seen_ms = rdl_posix_now_ms() - up_ms;
    info->up_ms = (int64_t)info->seen_ms;
    rdl_easy_explain(&easy, RDL_E_QUARANTINE);
    return rdl_easy_error(&easy);
}

/* When it started is of no use if another server was at its address before, or its canary was missing. */
START_TEST(text_says_when_a_server_in_quarantine_counts)
{
    const char *parts;

    text(RDL_OK, "q");
    easy.conns[0].server_info.is_other = _i == 1;
    easy.options.flags = _i == 2 ? RDL_EASY_CANARY : 0;
    parts = quarantined(3000);
    ck_assert_ptr_nonnull(strstr(parts, " s). Wait longer"));
    ck_assert_ptr_nonnull(strstr(parts, _i ? ":1: counts in " : " s ago, counts in "));
}
END_TEST

START_TEST(seconds_are_rounded_up)
{
    const char *started;
    unsigned long up_s;

    text(RDL_OK, "q");
    easy.opt.max_ttl_ms = RDL_TTL_MAX;
    started = strstr(quarantined(5000001), "started ");
    ck_assert_ptr_nonnull(started);
    up_s = strtoul(started + 8, NULL, 10);
    ck_assert_uint_ge(up_s, 5001);
    ck_assert_uint_le(up_s, (rdl_posix_now_ms() - easy.conns[0].server_info.seen_ms + 999) / 1000);
}
END_TEST

START_TEST(text_has_addresses_as_in_urls)
{
    ck_assert_int_eq(rdl_easy_open(&easy, "redis://[::1]:1", "nightly", NULL), RDL_OK);
    befall(0, 'x');
    rdl_easy_explain(&easy, RDL_NO_QUORUM);
    ck_assert_ptr_nonnull(strstr(rdl_easy_error(&easy), "([::1]:1: "));
}
END_TEST

START_TEST(text_says_which_name_has_no_address_or_which_url_is_wrong)
{
    text(RDL_OK, "xx");
    ck_assert_str_eq(rdl_easy_error(&easy), "");
    lose_address(1, "no such name");
    rdl_easy_explain(&easy, RDL_NO_QUORUM);
    ck_assert_ptr_nonnull(strstr(rdl_easy_error(&easy), "127.0.0.1:2: no address: no such name)"));
    ck_assert_int_eq(rdl_easy_refuse_url(&easy, RDL_E_URL, 1, "it is wrong"), RDL_E_URL);
    ck_assert_str_eq(rdl_easy_error(&easy), "lock \"nightly\": URL 2: it is wrong");
}
END_TEST

START_TEST(text_has_no_control_bytes)
{
    ck_assert_int_eq(rdl_easy_open(&easy, "redis://127.0.0.1:1", "a\x1f b\x7f", NULL), RDL_OK);
    rdl_easy_explain(&easy, RDL_E_TTL);
    ck_assert_ptr_nonnull(strstr(rdl_easy_error(&easy), "lock \"a? b?\": "));
}
END_TEST

Suite *suite_easy_report(void)
{
    Suite *suite = suite_create("easy_report");
    TCase *tc = suite_case(suite, "report", NULL, NULL);

    tcase_add_loop_test(tc, text_names_the_servers_that_are_the_reason, 0,
                        (int)(sizeof reasons / sizeof reasons[0]));
    tcase_add_test(tc, text_says_how_far_a_connection_got);
    tcase_add_test(tc, text_has_the_systems_reason_of_a_failed_connection);
    tcase_add_test(tc, text_that_names_no_server_has_no_brackets);
    tcase_add_loop_test(tc, text_names_every_reason_with_its_remedy, 0,
                        (int)(sizeof remedies / sizeof remedies[0]));
    tcase_add_test(tc, text_names_a_mistake_of_the_set_up);
    tcase_add_test(tc, an_old_answer_of_the_resolver_is_no_reason);
    tcase_add_loop_test(tc, a_canary_or_no_guard_leaves_only_waiting, 0, 4);
    tcase_add_loop_test(tc, text_says_when_a_server_in_quarantine_counts, 0, 3);
    tcase_add_test(tc, seconds_are_rounded_up);
    tcase_add_test(tc, text_has_addresses_as_in_urls);
    tcase_add_test(tc, text_says_which_name_has_no_address_or_which_url_is_wrong);
    tcase_add_test(tc, text_has_no_control_bytes);
    return suite;
}
