/* SPDX-License-Identifier: MIT */
/* check_redlock_scripts.c - the scripts; check_cli_commands.c checks the calls. */
#include "redlock/redlock_commands.h"
#include "tests/sim/server.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const struct rdl_script *script;
    unsigned keys;
    unsigned args;
} scripts[] = {
    {&rdl_script_release, 1, 1},       {&rdl_script_extend, 1, 2},        {&rdl_script_replace, 1, 2},
    {&rdl_script_acquire, 2, 4},       {&rdl_script_extend_fenced, 2, 4}, {&rdl_script_release_hint, 2, 2},
    {&rdl_script_acquire_multi, 1, 2}, {&rdl_script_extend_multi, 1, 2},  {&rdl_script_release_multi, 1, 1},
    {&rdl_script_canary, 1, 1},
};
enum { SCRIPTS = sizeof scripts / sizeof scripts[0] };

START_TEST(script_sha1_matches_its_text)
{
    const struct rdl_script *s = scripts[_i].script;
    char sha[41];

    sim_sha1_hex("abc", 3, sha);
    ck_assert_str_eq(sha, "a9993e364706816aba3e25717850c26c9cd0d89d"); /* FIPS 180-1 */
    ck_assert_uint_eq(strlen(s->text), s->text_len);
    sim_sha1_hex(s->text, s->text_len, sha);
    ck_assert_str_eq(s->sha, sha);
    ck_assert_ptr_null(strchr(s->text, '\n'));
    ck_assert_ptr_null(strstr(s->text, "  "));
}
END_TEST

START_TEST(script_uses_the_expected_keys_and_arguments)
{
    const struct rdl_script *s = scripts[_i].script;
    char name[16];

    snprintf(name, sizeof name, "ARGV[%u]", scripts[_i].args);
    ck_assert_ptr_nonnull(strstr(s->text, name));
    snprintf(name, sizeof name, "ARGV[%u]", scripts[_i].args + 1);
    ck_assert_ptr_null(strstr(s->text, name));
    snprintf(name, sizeof name, "KEYS[%u]", scripts[_i].keys);
    ck_assert(strstr(s->text, name) != NULL || strstr(s->text, "i=1,#KEYS") != NULL);
    snprintf(name, sizeof name, "KEYS[%u]", scripts[_i].keys + 1);
    ck_assert_ptr_null(strstr(s->text, name));
}
END_TEST

Suite *suite_redlock_scripts(void)
{
    Suite *s = suite_create("redlock_scripts");
    TCase *t = suite_case(s, "redlock_scripts", NULL, NULL);

    tcase_add_loop_test(t, script_sha1_matches_its_text, 0, SCRIPTS);
    tcase_add_loop_test(t, script_uses_the_expected_keys_and_arguments, 0, SCRIPTS);
    return s;
}
