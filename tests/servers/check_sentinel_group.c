/* SPDX-License-Identifier: MIT */
/* Sentinel groups as servers, in real processes. */
#include "tests/fixtures/sentinels.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

static struct live_group group;

static void setup(void)
{
    memset(&group, 0, sizeof group);
    tls_begin();
}

static void teardown(void)
{
    group_remove(&group);
    tls_end();
}

/* ---------------------------------------------------------------- the fixture */

static const struct {
    struct live_group options;
    void (*begin)(struct live_group *g);
} failovers[] = {
    {{.replicas = 2}, group_kill_master},
    {{.password = "servers", .sentinel_password = "sentinels"}, group_freeze_master},
    {{.has_tls = 1, .password = "servers", .sentinel_password = "sentinels"}, group_failover},
};

/* The other replica then follows the new master. That is asked: a sentinel closes a replica's connections. */
START_TEST(sentinels_name_another_master_after_a_failover)
{
    char text[40];
    int now;

    group = failovers[_i].options;
    group_start(&group);
    ck_assert_int_eq(group_master(&group), 0);
    failovers[_i].begin(&group);
    now = group_await_failover(&group, 0);
    ck_assert_ptr_nonnull(strstr(live_command(&group.server[now].live, "ROLE"), "master"));
    snprintf(text, sizeof text, ",port=%d,state=online", group_port(&group, &group.server[3 - now]));
    live_await(&group.server[now].live, "INFO replication", text);
}
END_TEST

Suite *suite_sentinel(void)
{
    Suite *suite = suite_create("sentinel");
    TCase *tc = suite_case(suite, "group", setup, teardown);

    tcase_add_loop_test(tc, sentinels_name_another_master_after_a_failover, 0, COUNT(failovers));
    return suite;
}
