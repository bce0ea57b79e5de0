/* SPDX-License-Identifier: MIT */
/* The guide's table of --ttl matches the constants of the code; tests/sim shows that it is true. */
#include <stdio.h>
#include <string.h>

#include "lock/lock_lease.h"
#include "redlock/cli/child/guardian.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/redlock.h"
#include "tests/suite.h"

static const struct {
    const char *row, *option;
} rows[] = {{"10s", "--ttl=10s"}, {"30s (default)", "--ttl=30s"}, {"1m", "--ttl=1m"}, {"5m", "--ttl=5m"}};

/* Seconds, with a tenth if it is not 0. */
static const char *seconds(double ms)
{
    static char text[8][16];
    static unsigned next;
    char *out = text[next++ % 8];
    size_t len = (size_t)snprintf(out, sizeof text[0], "%.1f", ms / 1000);

    if (strcmp(out + len - 2, ".0") == 0)
        out[len - 2] = '\0';
    return out;
}

static void read_guide(char *out, size_t cap)
{
    FILE *f = fopen("redlock/doc/GUIDE.md", "r");
    size_t n;

    ck_assert_ptr_nonnull(f);
    n = fread(out, 1, cap - 1, f);
    fclose(f);
    ck_assert_uint_lt(n, cap - 1);
    out[n] = '\0';
}

START_TEST(the_guides_ttl_table_matches_the_constants)
{
    static char guide[200000];
    static struct rdl_cli_options o;
    char option[20], *argv[] = {option, "-uredis://127.0.0.1", "nightly", "true", NULL};
    char row[200];
    struct rdl_renewal renewal;
    uint32_t lasts_ms, margin_ms;
    int status;

    read_guide(guide, sizeof guide);
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr)); /* there is a warning about a long ttl */
    strcpy(option, rows[_i].option);
    ck_assert_int_eq(rdl_cli_options_read(&o, RDL_CLI_RUN, 4, argv, &status), 1);
    lasts_ms = o.ttl_ms - rdl_drift_ms(o.ttl_ms);
    margin_ms = rdl_cli_margin_ms(o.ttl_ms);
    rdl_renewal_renewed(&renewal, o.ttl_ms, 0, lasts_ms, 0);
    ck_assert_uint_eq(o.grace_ms, o.ttl_ms / 6 < 5000 ? o.ttl_ms / 6 : 5000); /* as in the simulator */
    snprintf(row, sizeof row, "\n| %s | %s s | %s s | %s s | %s s | %s s", rows[_i].row,
             seconds((double)renewal.renew_ms), seconds((double)(lasts_ms - renewal.renew_ms - o.grace_ms)),
             seconds((double)(o.grace_ms - margin_ms)), seconds((double)o.ttl_ms),
             seconds((double)o.max_ttl_ms + 1000));
    ck_assert_msg(strstr(guide, row) != NULL, "the guide lacks %s", row + 1);
}
END_TEST

Suite *suite_cli_guide_ttl(void)
{
    Suite *suite = suite_create("cli_guide_ttl");
    TCase *tc = suite_case(suite, "table", NULL, NULL);

    tcase_add_loop_test(tc, the_guides_ttl_table_matches_the_constants, 0, sizeof rows / sizeof rows[0]);
    return suite;
}
