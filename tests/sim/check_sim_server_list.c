/* SPDX-License-Identifier: MIT */
/* The model server's lists: the order of the waiters and the end of a wait; and the fields of INFO. */
#include <string.h>

#include "tests/sim/server.h"
#include "tests/suite.h"

static struct sim_features kind;
static struct sim_server server;
static struct sim_session anna, berta, clara;
static uint8_t bytes[8 * SIM_REPLY_MAX];

static void setup(void)
{
    kind = (struct sim_features){.version = "7.0.15"};
    memset(&anna, 0, sizeof anna);
    berta = clara = anna;
    sim_server_start(&server, &kind, 1, 1000);
}

/* The reply to this connection at this time. */
static const char *ask(struct sim_session *c, const char *commands, uint64_t now_ms)
{
    struct sim_out out = {bytes, sizeof bytes - 1, 0};
    sim_server_input(&server, c, (const uint8_t *)commands, strlen(commands), now_ms, &out);
    bytes[out.len] = '\0';
    return (const char *)bytes;
}

START_TEST(those_who_wait_are_served_in_the_order_they_came)
{
    ck_assert_str_eq(ask(&anna, "BLPOP k 0.5\r\n", 1000), "");
    ck_assert_str_eq(ask(&berta, "BLPOP k 5\r\nPING\r\n", 1000), "");
    ck_assert_uint_eq(sim_server_wakes(&server, &anna), 1500);
    ck_assert_uint_eq(sim_server_wakes(&server, &berta), 6000);
    ck_assert_str_eq(ask(&clara, "RPUSH k one\r\n", 1100), ":1\r\n");
    ck_assert_uint_eq(sim_server_wakes(&server, &anna), 0);
    ck_assert_uint_eq(sim_server_wakes(&server, &berta), 6000);
    ck_assert_str_eq(ask(&clara, "EXISTS k\r\n", 1100), ":0\r\n");
    ck_assert_str_eq(ask(&anna, "PING\r\n", 1200), "*2\r\n$1\r\nk\r\n$3\r\none\r\n+PONG\r\n");
    ck_assert_str_eq(ask(&clara, "RPUSH k two three\r\n", 1200), ":2\r\n");
    ck_assert_str_eq(ask(&berta, "", 1200), "*2\r\n$1\r\nk\r\n$3\r\ntwo\r\n");
    ck_assert_str_eq(ask(&clara, "BLPOP k 1\r\n", 1200), "*2\r\n$1\r\nk\r\n$5\r\nthree\r\n");
}
END_TEST

START_TEST(a_wait_ends_when_its_time_is_up)
{
    ck_assert_str_eq(ask(&anna, "BLPOP k 0.030\r\n", 1000), "");
    ck_assert_str_eq(ask(&anna, "", 1029), "");
    ck_assert_str_eq(ask(&clara, "RPUSH k late\r\n", 1030), ":1\r\n"); /* her wait is over */
    ck_assert_str_eq(ask(&anna, "", 1030), "*-1\r\n");
    ck_assert_str_eq(ask(&anna, "BLPOP none 0\r\n", 1030), "");
    ck_assert_uint_eq(sim_server_wakes(&server, &anna), UINT64_MAX);
}
END_TEST

START_TEST(who_has_left_is_not_served)
{
    ask(&anna, "BLPOP k 0\r\n", 1000);
    ask(&berta, "BLPOP k 0\r\n", 1000);
    sim_server_leave(&server, &anna);
    ask(&clara, "RPUSH k one\r\n", 1000);
    ck_assert_str_eq(ask(&berta, "", 1000), "*2\r\n$1\r\nk\r\n$3\r\none\r\n");
}
END_TEST

START_TEST(an_old_server_waits_whole_seconds)
{
    kind.whole_timeouts = 1;
    ck_assert_str_eq(ask(&anna, "BLPOP k 0.5\r\n", 1000),
                     "-ERR timeout is not an integer or out of range\r\n");
    ck_assert_str_eq(ask(&anna, "BLPOP k 2\r\n", 1000), "");
    ck_assert_uint_eq(sim_server_wakes(&server, &anna), 3000);
}
END_TEST

START_TEST(a_push_in_a_script_or_transaction_is_given_at_its_end)
{
    ask(&anna, "BLPOP k 0\r\n", 1000);
    ck_assert_str_eq(ask(&clara, "MULTI\r\nRPUSH k one\r\nTYPE k\r\nEXEC\r\n", 1000),
                     "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n:1\r\n+list\r\n");
    ck_assert_str_eq(ask(&anna, "", 1000), "*2\r\n$1\r\nk\r\n$3\r\none\r\n");
    ask(&anna, "BLPOP k 0\r\n", 1000);
    static const char script[] = "*3\r\n$4\r\nEVAL\r\n$85\r\n"
                                 "if redis.pcall('TYPE','k').ok=='none'then redis.pcall('RPUSH','k',1)end "
                                 "return 'done'\r\n$1\r\n0\r\n";
    ck_assert_str_eq(ask(&clara, script, 1000), "$4\r\ndone\r\n");
    ck_assert_str_eq(ask(&anna, "", 1000), "*2\r\n$1\r\nk\r\n$1\r\n1\r\n");
}
END_TEST

/* The value of the field in the last reply, up to the end of its line. */
static const char *field(const char *name)
{
    static char value[64];
    const char *at = strstr((char *)bytes, name);
    ck_assert_msg(at != NULL, "no %s in %s", name, (char *)bytes);
    at += strlen(name);
    size_t n = strcspn(at, "\r");
    ck_assert_uint_lt(n, sizeof value);
    memcpy(value, at, n);
    value[n] = '\0';
    return value;
}

START_TEST(info_says_since_when_and_which_run)
{
    char run[64];
    ask(&anna, "INFO server\r\n", 8999);
    ck_assert_str_eq(field("\nuptime_in_seconds:"), "7");
    ck_assert_str_eq(field("\nredis_mode:"), "standalone");
    strcpy(run, field("\nrun_id:"));
    ck_assert_uint_eq(strlen(run), 40);
    sim_server_restart(&server, 2, 20000, 1);
    ask(&anna, "INFO server\r\n", 20000);
    ck_assert_str_eq(field("\nuptime_in_seconds:"), "0");
    ck_assert_str_ne(field("\nrun_id:"), run);
}
END_TEST

START_TEST(info_has_its_sections_in_one_order)
{
    ck_assert_str_eq(ask(&anna, "INFO cluster\r\n", 1000), "$30\r\n# Cluster\r\ncluster_enabled:0\r\n\r\n");
    ask(&anna, "*3\r\n$4\r\nINFO\r\n$7\r\ncluster\r\n$6\r\nserver\r\n", 1000);
    ck_assert_ptr_nonnull(strstr((char *)bytes, "\r\n# Server\r\n"));
    ck_assert_ptr_nonnull(strstr((char *)bytes, "\r\n\r\n# Cluster\r\n"));
    ck_assert_str_eq(ask(&anna, "INFO nosuch\r\n", 1000), "$0\r\n\r\n");
    ask(&anna, "INFO replication\r\n", 1000);
    ck_assert_str_eq(field("\nrole:"), "master");
    server.readonly = 1;
    kind.policy = "allkeys-lru";
    kind.is_cluster = 1;
    ask(&anna, "INFO\r\n", 1000);
    ck_assert_str_eq(field("\nrole:"), "slave");
    ck_assert_str_eq(field("\nmaxmemory_policy:"), "allkeys-lru");
    ck_assert_str_eq(field("\ncluster_enabled:"), "1");
    ck_assert_str_eq(field("\nredis_mode:"), "cluster");
}
END_TEST

START_TEST(a_user_may_be_denied_commands)
{
    kind.denied = " info rpush ";
    ck_assert_str_eq(ask(&anna, "INFO server\r\n", 1000),
                     "-NOPERM this user has no permissions to run the 'info' command\r\n");
    ck_assert_str_eq(ask(&anna, "PING\r\n", 1000), "+PONG\r\n");
    ck_assert_str_eq(
        ask(&anna, "*3\r\n$4\r\nEVAL\r\n$38\r\nreturn redis.pcall('RPUSH','k',1).ok  \r\n$1\r\n0\r\n", 1000),
        "$-1\r\n");
}
END_TEST

Suite *suite_sim_server_list(void)
{
    Suite *s = suite_create("sim_server_list");
    TCase *t = suite_case(s, "lists and INFO", setup, NULL);
    tcase_add_test(t, those_who_wait_are_served_in_the_order_they_came);
    tcase_add_test(t, a_wait_ends_when_its_time_is_up);
    tcase_add_test(t, who_has_left_is_not_served);
    tcase_add_test(t, an_old_server_waits_whole_seconds);
    tcase_add_test(t, a_push_in_a_script_or_transaction_is_given_at_its_end);
    tcase_add_test(t, info_says_since_when_and_which_run);
    tcase_add_test(t, info_has_its_sections_in_one_order);
    tcase_add_test(t, a_user_may_be_denied_commands);
    return s;
}
