/* SPDX-License-Identifier: MIT */
/* Lines of JSON with any content and of any length: jq reads each. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/output/json.h"
#include "redlock/cli/output/log.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char out[400];
static struct rdl_cli_json json;

START_TEST(commas_and_brackets_are_added_automatically)
{
    rdl_cli_json_begin(&json, out, sizeof out);
    rdl_cli_json_string(&json, "lock", "a\"b");
    rdl_cli_json_open(&json, "servers", '[');
    rdl_cli_json_open(&json, NULL, '{');
    rdl_cli_json_number(&json, "ttl_ms", -1);
    rdl_cli_json_null(&json, "id");
    rdl_cli_json_close(&json);
    rdl_cli_json_open(&json, NULL, '{');
    rdl_cli_json_close(&json);
    rdl_cli_json_string(&json, NULL, "");
    rdl_cli_json_close(&json);
    rdl_cli_json_bool(&json, "complete", 1);
    rdl_cli_json_end(&json);
    ck_assert_str_eq(
        out, "{\"lock\":\"a\\\"b\",\"servers\":[{\"ttl_ms\":-1,\"id\":null},{},\"\"],\"complete\":true}");
}
END_TEST

/* A member is never cut: half an escape would hide the quotation mark after it. */
START_TEST(a_member_that_does_not_fit_is_omitted_and_reported)
{
    char long_text[200];

    memset(long_text, '"', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    rdl_cli_json_begin(&json, out, 64);
    rdl_cli_json_number(&json, "a", 1);
    rdl_cli_json_string(&json, "b", long_text);
    rdl_cli_json_open(&json, "c", '[');
    rdl_cli_json_string(&json, NULL, long_text);
    rdl_cli_json_number(&json, NULL, 2);
    rdl_cli_json_end(&json);
    ck_assert_str_eq(out, "{\"a\":1,\"c\":[2],\"cut\":true}");
}
END_TEST

/* An array that does not fit is empty, even if a small member would fit. */
START_TEST(members_of_an_omitted_object_are_omitted_too)
{
    rdl_cli_json_begin(&json, out, 64);
    rdl_cli_json_string(&json, "a", "twenty-three characters");
    rdl_cli_json_open(&json, "a name that is long", '{');
    rdl_cli_json_open(&json, "b", '[');
    rdl_cli_json_number(&json, NULL, 1);
    rdl_cli_json_close(&json);
    rdl_cli_json_null(&json, "d");
    rdl_cli_json_close(&json);
    rdl_cli_json_number(&json, "e", 1);
    rdl_cli_json_end(&json);
    ck_assert_str_eq(out, "{\"a\":\"twenty-three characters\",\"e\":1,\"cut\":true}");
}
END_TEST

START_TEST(a_text_line_is_cut_between_its_fields)
{
    char line[96], lock[] = "nightly";
    size_t len;

    rdl_cli_log_open(STDOUT_FILENO, RDL_CLI_LOG_TEXT, lock);
    rdl_cli_log_begin(&json, line, sizeof line, "moved");
    rdl_cli_json_string(&json, "from", "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"");
    rdl_cli_json_string(&json, "to", "b");
    rdl_cli_log_end(&json);
    len = strlen(line);
    ck_assert_str_eq(line + 24, " moved lock=\"nightly\" to=\"b\" cut=true\n");
    ck_assert_uint_eq(len, json.text.len);
}
END_TEST

/* ---------------------------------------------------------------- hostile names */

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static const char *hostile(void)
{
    static const char *const parts[] = {"\"",   "\\",   "\\u",          "\n",  "\x01", "\x7f",
                                        "\xff", "\xc3", "\xe2\x80",     "{",   "}],",  "\xed\xa0\x80",
                                        "a",    ",",    "\xe2\x82\xac", "\\\""};
    static char text[600];
    uint32_t n = draw(3) == 0 ? draw(60) : draw(6);

    text[0] = '\0';
    for (uint32_t i = 0; i < n; i++)
        strcat(text, parts[draw(sizeof parts / sizeof parts[0])]);
    return text;
}

static void add_anything(int is_array)
{
    const char *name = is_array ? NULL : "name";

    switch (draw(5)) {
    case 0:
        rdl_cli_json_number(&json, name, -(int64_t)draw(1u << 24));
        break;
    case 1:
        rdl_cli_json_null(&json, name);
        break;
    default:
        rdl_cli_json_string(&json, name, hostile());
    }
}

/* The members of an object or of an array, and so on, deeper than brackets may nest. */
static void add_members(int is_array, int depth)
{
    for (uint32_t n = draw(5); n > 0; n--) {
        int is_next_array = (int)draw(2);
        if (depth == 8 || draw(3) > 0) {
            add_anything(is_array);
            continue;
        }
        rdl_cli_json_open(&json, is_array ? NULL : "inner", is_next_array ? '[' : '{');
        add_members(is_next_array, depth + 1);
        rdl_cli_json_close(&json);
    }
}

START_TEST(jq_parses_every_json_line)
{
    enum { LINES = 20000 };
    char path[] = "/tmp/rdl-json-XXXXXX", command[200], answer[100] = "";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w"), *jq;

    ck_assert_ptr_nonnull(file);
    for (seed = 1; seed <= LINES; seed++) {
        uint32_t line = seed;
        rdl_cli_json_begin(&json, out, 64 + draw(sizeof out - 64));
        add_members(0, 1);
        rdl_cli_json_end(&json);
        ck_assert_uint_lt(json.text.len, json.text.cap - 1); /* a line end fits, too */
        fprintf(file, "%s\n", out);
        seed = line;
    }
    fclose(file);
    snprintf(command, sizeof command, "jq -R 'fromjson | type' %s | sort | uniq -c", path);
    jq = popen(command, "r");
    ck_assert_ptr_nonnull(jq);
    ck_assert_ptr_nonnull(fgets(answer, sizeof answer, jq));
    ck_assert_int_eq(atoi(answer), LINES);
    ck_assert_ptr_nonnull(strstr(answer, "\"object\""));
    ck_assert_ptr_null(fgets(answer, sizeof answer, jq));
    ck_assert_int_eq(pclose(jq), 0);
    unlink(path);
}
END_TEST

Suite *suite_cli_json(void)
{
    Suite *suite = suite_create("cli_json");
    TCase *tc = suite_case(suite, "json", NULL, NULL);

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, commas_and_brackets_are_added_automatically);
    tcase_add_test(tc, a_member_that_does_not_fit_is_omitted_and_reported);
    tcase_add_test(tc, members_of_an_omitted_object_are_omitted_too);
    tcase_add_test(tc, a_text_line_is_cut_between_its_fields);
    tcase_add_test(tc, jq_parses_every_json_line);
    return suite;
}
