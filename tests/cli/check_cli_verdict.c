/* SPDX-License-Identifier: MIT */
/* The verdict on the keys of a lock on its servers. */
#include "redlock/cli/options/options.h"
#include "redlock/cli/servers/query.h"
#include "redlock/cli/servers/query_output.h"
#include "redlock/redlock.h"
#include "resp/resp_bytes.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

/*
 * One letter per server: . free; a b c: held by that client; - no reply. A number after it is the key's
 * remaining seconds; without one it has no expiry. An exclamation mark before it: the server may have lost
 * data, a question mark: it has no vote.
 */
static const struct {
    const char *servers;
    enum rdl_cli_state what;
    unsigned on;
    uint64_t ends_s; /* UINT64_MAX: never */
} table[] = {
    {".", RDL_CLI_FREE, 0, 0},
    {"a9", RDL_CLI_HELD, 1, 9},
    {"-", RDL_CLI_UNKNOWN, 0, 0},
    {"!.", RDL_CLI_UNKNOWN, 0, 0},
    {"!a9", RDL_CLI_UNKNOWN, 0, 0},
    {". . .", RDL_CLI_FREE, 0, 0},
    {". . -", RDL_CLI_FREE, 0, 0},
    {". . a9", RDL_CLI_FREE, 0, 0},
    {". - -", RDL_CLI_UNKNOWN, 0, 0},
    {". !. !.", RDL_CLI_UNKNOWN, 0, 0},
    {". !. .", RDL_CLI_FREE, 0, 0},
    {"a9 a9 a9", RDL_CLI_HELD, 3, 9},
    {"a9 a8 .", RDL_CLI_HELD, 2, 8},
    {"a9 a8 a7", RDL_CLI_HELD, 3, 8}, /* with two of them it is held */
    {"a7 a9 a8", RDL_CLI_HELD, 3, 8},
    {"a9 a8 b7", RDL_CLI_HELD, 2, 8},
    {"a9 a8 -", RDL_CLI_HELD, 2, 8},
    {"a a8 a7", RDL_CLI_HELD, 3, 8},
    {"a a a7", RDL_CLI_HELD, 3, UINT64_MAX},
    {"a9 b9 c9", RDL_CLI_SPLIT, 1, 0},
    {"a9 b9 .", RDL_CLI_SPLIT, 1, 0},
    {"a9 b9 -", RDL_CLI_UNKNOWN, 1, 0},
    {"a9 . -", RDL_CLI_UNKNOWN, 1, 0},
    {"a9 !a9 !a9", RDL_CLI_UNKNOWN, 1, 0},
    {"a9 a9 !a9", RDL_CLI_HELD, 2, 9},
    {"a9 a9 . .", RDL_CLI_SPLIT, 2, 0}, /* of four, three are needed */
    {". . . a9", RDL_CLI_FREE, 0, 0},
    {"a9 a9 b9 b9 .", RDL_CLI_SPLIT, 2, 0},
    {"a9 a9 b9 b9 -", RDL_CLI_UNKNOWN, 2, 0},
    {"a5 a6 a7 a8 a9", RDL_CLI_HELD, 5, 7},
    {". . a9 b9 -", RDL_CLI_UNKNOWN, 1, 0},
    {"?.", RDL_CLI_UNKNOWN, 0, 0},
    {". ?. -", RDL_CLI_UNKNOWN, 0, 0},
    {". . ?a9", RDL_CLI_FREE, 0, 0},
    {"a9 a9 ?.", RDL_CLI_HELD, 2, 9},
    {"a9 ?a9 !a9", RDL_CLI_UNKNOWN, 1, 0},
};

static size_t servers_of(const char *text, struct rdl_cli_seen *seen, unsigned char *counts)
{
    size_t n = 0;

    for (; *text != '\0'; text += *text == ' ') {
        struct rdl_cli_seen *s = &seen[n];
        memset(s, 0, sizeof *s);
        counts[n++] = *text == '!' ? RDL_CLI_QUARANTINED : *text == '?' ? RDL_CLI_VOTELESS : RDL_CLI_VOTES;
        text += *text == '!' || *text == '?';
        s->what = *text == '.' ? RDL_CLI_SEEN_FREE : *text == '-' ? RDL_CLI_SEEN_NOTHING : RDL_CLI_SEEN_KEY;
        s->len = 1;
        s->value[0] = *text;
        s->id = rdl_hash(RDL_HASH_BASE, s->value, 1);
        text++;
        s->pttl_ms = *text >= '0' && *text <= '9' ? (*text - '0') * 1000 : -1;
        text += *text >= '0' && *text <= '9';
    }
    return n;
}

START_TEST(a_majority_decides_without_servers_that_may_have_lost_data)
{
    struct rdl_cli_seen seen[RDL_SERVERS_MAX];
    unsigned char counts[RDL_SERVERS_MAX];
    struct rdl_cli_verdict v;
    size_t n = servers_of(table[_i].servers, seen, counts);

    rdl_cli_verdict(seen, counts, n, &v);
    ck_assert_msg(v.what == table[_i].what, "%s: %d", table[_i].servers, (int)v.what);
    ck_assert_uint_eq(v.of, n);
    ck_assert_uint_eq(v.quorum, n / 2 + 1);
    if (v.what != RDL_CLI_HELD)
        return;
    ck_assert_uint_eq(v.on, table[_i].on);
    ck_assert_uint_eq(v.id, rdl_hash(RDL_HASH_BASE, "a", 1));
    ck_assert_uint_eq(v.ends_ms, table[_i].ends_s == UINT64_MAX ? UINT64_MAX : table[_i].ends_s * 1000);
}
END_TEST

/* After 29.999 s a server reports 29. One second later it has been up for the whole --max-ttl. */
START_TEST(a_quarantine_lasts_one_second_longer_than_max_ttl)
{
    static const struct rdl_cli_options o = {.max_ttl_ms = 30000, .guard = RDL_GUARD_IF_PERMITTED},
                                        off = {.max_ttl_ms = 30000, .guard = RDL_GUARD_OFF};
    struct rdl_cli_host h = {.has_uptime = 1, .uptime_s = 0};

    ck_assert_uint_eq(rdl_cli_quarantine_ms(&o, &h), 31000);
    h.uptime_s = 30;
    ck_assert_uint_eq(rdl_cli_quarantine_ms(&o, &h), 1000);
    ck_assert_uint_eq(rdl_cli_quarantine_ms(&off, &h), 0);
    h.uptime_s = 31;
    ck_assert_uint_eq(rdl_cli_quarantine_ms(&o, &h), 0);
    h.has_uptime = 0;
    h.uptime_s = 0;
    ck_assert_uint_eq(rdl_cli_quarantine_ms(&o, &h), 0);
}
END_TEST

static const struct {
    const char *value;
    enum rdl_cli_kind kind;
} kinds[] = {
    {"00112233445566778899aabbccddeeff00000001", RDL_CLI_KIND_TOKEN},
    {"00112233445566778899aabbccddeeff0000000", RDL_CLI_KIND_FOREIGN},
    {"00112233445566778899aabbccddeeff000000012", RDL_CLI_KIND_FOREIGN},
    {"00112233445566778899AABBCCDDEEFF00000001", RDL_CLI_KIND_FOREIGN},
    {"1795000000", RDL_CLI_KIND_DEADLINE},
    {"1795000000.5", RDL_CLI_KIND_DEADLINE},
    {"1795000000.123456", RDL_CLI_KIND_DEADLINE},
    {"1000000000", RDL_CLI_KIND_DEADLINE},
    {"999999999", RDL_CLI_KIND_FOREIGN},
    {"17950000000", RDL_CLI_KIND_FOREIGN},
    {"1795000000.5x", RDL_CLI_KIND_FOREIGN},
    {"", RDL_CLI_KIND_FOREIGN},
    {"worker-7", RDL_CLI_KIND_FOREIGN},
};

START_TEST(a_value_is_a_token_a_deadline_or_neither)
{
    struct rdl_cli_seen s = {.what = RDL_CLI_SEEN_KEY, .len = strlen(kinds[_i].value)};

    memcpy(s.value, kinds[_i].value, s.len);
    ck_assert_msg(rdl_cli_seen_kind(&s) == kinds[_i].kind, "%s", kinds[_i].value);
    s.len = sizeof s.value + 1; /* all that is known is its beginning */
    ck_assert_int_eq(rdl_cli_seen_kind(&s), RDL_CLI_KIND_FOREIGN);
}
END_TEST

/* A key without a string value is not compared: the field may still have another key's text. */
START_TEST(keys_without_a_value_are_not_compared)
{
    static const enum rdl_cli_what whats[] = {RDL_CLI_SEEN_FREE, RDL_CLI_SEEN_ODD, RDL_CLI_SEEN_KEY};
    struct rdl_cli_seen x, y;

    memset(&x, 0, sizeof x);
    x.what = whats[_i];
    y = x;
    ck_assert(rdl_cli_seen_is_same(&x, &y));
    y.id = 7;
    ck_assert_int_eq(rdl_cli_seen_is_same(&x, &y) != 0, x.what != RDL_CLI_SEEN_KEY);
    y.what = RDL_CLI_SEEN_NOTHING;
    ck_assert(!rdl_cli_seen_is_same(&x, &y));
}
END_TEST

Suite *suite_cli_verdict(void)
{
    Suite *suite = suite_create("cli_verdict");
    TCase *tc = suite_case(suite, "cli_verdict", NULL, NULL);

    tcase_add_loop_test(tc, a_majority_decides_without_servers_that_may_have_lost_data, 0,
                        sizeof table / sizeof table[0]);
    tcase_add_test(tc, a_quarantine_lasts_one_second_longer_than_max_ttl);
    tcase_add_loop_test(tc, a_value_is_a_token_a_deadline_or_neither, 0, sizeof kinds / sizeof kinds[0]);
    tcase_add_loop_test(tc, keys_without_a_value_are_not_compared, 0, 3);
    return suite;
}
