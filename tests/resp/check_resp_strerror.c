/* SPDX-License-Identifier: MIT */
/* check_resp_strerror.c - the version, and a text for every result. */
#include "redlock/redlock.h"
#include "tests/suite.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The texts are parts of longer messages, in brackets or after a server's name. */
enum { WORDS_MAX = 70 };

/* No number is left out, and no two results share a text. */
START_TEST(every_result_has_its_own_text)
{
    int result, other;

    for (result = RDL_REMOVED; result >= RDL_E_HELD; result--) {
        const char *text = rdl_strerror(result);
        ck_assert_str_ne(text, "unknown result");
        ck_assert_uint_gt(strlen(text), 3);
        ck_assert_msg(strlen(text) <= WORDS_MAX && islower((unsigned char)text[0]) &&
                          text[strlen(text) - 1] != '.',
                      "%s", text);
        for (other = RDL_REMOVED; other > result; other--)
            ck_assert_str_ne(rdl_strerror(other), text);
    }
}
END_TEST

/* The first and the last text of each section. */
static const struct {
    int result;
    const char *words;
} ends[] = {{RDL_REMOVED, "released; the value that a waiting client had written was deleted"},
            {RDL_OK, "done"},
            {RDL_E_SYNTAX, "the server does not speak RESP2 (the Redis protocol)"},
            {RDL_E_SPACE, "the buffer is too small for the command"},
            {RDL_E_URL, "invalid URL or address"},
            {RDL_E_CONFIG, "the program's set-up is wrong (rdl_conn_config_fault)"},
            {RDL_E_TLS, "the TLS handshake failed"},
            {RDL_E_TRY_LATER, "the server cannot do this now"},
            {RDL_E_SERVER, "the server replied with an error"},
            {RDL_E_NAME, "a lock's name must have 1 to 128 bytes"},
            {RDL_E_FENCE_RANGE, "the fencing token is too large for scripts (2^53 or more)"},
            {RDL_E_TOKEN, "not a token (40 hex digits); locks of the old protocol have none"},
            {RDL_NO_QUORUM, "too few servers gave a useful reply"},
            {RDL_E_HELD, "the lock is already held: release it first"}};

START_TEST(result_has_the_expected_text)
{
    ck_assert_str_eq(rdl_strerror(ends[_i].result), ends[_i].words);
}
END_TEST

START_TEST(other_numbers_are_unknown_results)
{
    static const int numbers[] = {RDL_REMOVED + 1, RDL_E_HELD - 1, INT_MAX, INT_MIN};

    ck_assert_str_eq(rdl_strerror(numbers[_i]), "unknown result");
}
END_TEST

START_TEST(linked_version_matches_the_header)
{
    char version[32];

    snprintf(version, sizeof version, "%d.%d.%d", RDL_VERSION_MAJOR, RDL_VERSION_MINOR, RDL_VERSION_PATCH);
    ck_assert_str_eq(rdl_version(), version);
    ck_assert_str_eq(rdl_version(), RDL_VERSION);
}
END_TEST

Suite *suite_resp_strerror(void)
{
    Suite *s = suite_create("resp_strerror");
    TCase *t = suite_case(s, "resp_strerror", NULL, NULL);

    tcase_add_test(t, every_result_has_its_own_text);
    tcase_add_loop_test(t, result_has_the_expected_text, 0, sizeof ends / sizeof ends[0]);
    tcase_add_loop_test(t, other_numbers_are_unknown_results, 0, 4);
    tcase_add_test(t, linked_version_matches_the_header);
    return s;
}
