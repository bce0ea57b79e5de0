/* SPDX-License-Identifier: MIT */
/* check_resp_strerror.c - the version, and words for this layer's results. */
#include "resp/resp.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

START_TEST(every_result_of_this_layer_has_its_own_words)
{
    static const int results[] = {RDL_OK, RDL_PENDING, RDL_E_SYNTAX, RDL_E_LIMIT, RDL_E_SPACE};
    size_t i;
    size_t k;

    for (i = 0; i < 5; i++) {
        ck_assert_ptr_nonnull(rdl_resp_strerror(results[i]));
        ck_assert_uint_gt(strlen(rdl_resp_strerror(results[i])), 3);
        for (k = 0; k < i; k++)
            ck_assert_str_ne(rdl_resp_strerror(results[i]), rdl_resp_strerror(results[k]));
    }
}
END_TEST

START_TEST(other_layers_results_have_none_here)
{
    ck_assert_ptr_null(rdl_resp_strerror(RDL_E_SPACE - 1));
    ck_assert_ptr_null(rdl_resp_strerror(2));
    ck_assert_ptr_null(rdl_resp_strerror(-10));
}
END_TEST

START_TEST(the_linked_version_is_the_headers)
{
    char version[32];

    snprintf(version, sizeof version, "%d.%d.%d", RDL_VERSION_MAJOR, RDL_VERSION_MINOR, RDL_VERSION_PATCH);
    ck_assert_str_eq(rdl_version(), version);
    ck_assert_str_eq(rdl_version(), RDL_VERSION);
}
END_TEST

Suite *suite_resp_strerror(void);
Suite *suite_resp_strerror(void)
{
    Suite *s = suite_create("resp_strerror");
    TCase *t = tcase_create("resp_strerror");

    tcase_add_test(t, every_result_of_this_layer_has_its_own_words);
    tcase_add_test(t, other_layers_results_have_none_here);
    tcase_add_test(t, the_linked_version_is_the_headers);
    suite_add_tcase(s, t);
    return s;
}
