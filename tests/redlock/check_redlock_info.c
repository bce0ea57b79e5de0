/* SPDX-License-Identifier: MIT */
/* check_redlock_info.c - the connection checks, and what their replies mean. Rules R26 and R27. */
#include <stdio.h>
#include <string.h>

#include "lock/lock_op.h"
#include "net/net_op.h"
#include "redlock/redlock.h"
#include "redlock/redlock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

#define RUN_A "run_id:0123456789abcdef0123456789abcdef01234567\r\n"
#define RUN_B "run_id:1123456789abcdef0123456789abcdef01234567\r\n"

static struct scripted s;

static const char *sent; /* on the new connection */

static void connect_at(uint64_t now)
{
    scripted_open(&s, now);
    sent = scripted_sent(&s);
}

static void setup(void)
{
    scripted_init(&s);
    rdl_guard_conn(&s.conn);
    connect_at(1000);
}

static void bulk(const char *text)
{
    char reply[2048];

    ck_assert_int_lt(snprintf(reply, sizeof reply, "$%zu\r\n%s\r\n", strlen(text), text), sizeof reply);
    scripted_reply(&s, reply);
}

/* A server with this reply to INFO server, and normal replies otherwise. */
static void answer(const char *server)
{
    bulk(server);
    bulk("# Replication\r\nrole:master\r\n");
    bulk("# Memory\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n");
}

START_TEST(checks_are_sent_together_after_the_login)
{
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_HANDSHAKE);
    ck_assert_str_eq(sent, "*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n*2\r\n$4\r\nINFO\r\n$11\r\nreplication\r\n"
                           "*2\r\n$4\r\nINFO\r\n$6\r\nmemory\r\n");
    answer(RUN_A "uptime_in_seconds:7\r\n");
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    ck_assert_ptr_null(rdl_guard_server_info(&s.conn)); /* the time of the reply is not known yet */
    rdl_conn_tick(&s.conn, 9000);
    ck_assert_uint_eq(rdl_guard_server_info(&s.conn)->run, 0x0123456789abcdef);
    ck_assert_int_eq(rdl_guard_server_info(&s.conn)->up_ms, 2000);
    rdl_conn_tick(&s.conn, 19000);
    ck_assert_int_eq(rdl_guard_server_info(&s.conn)->up_ms, 2000); /* as of the first tick */
    ck_assert_uint_eq(rdl_guard_server_info(&s.conn)->seen_ms, 9000);
}
END_TEST

START_TEST(info_lines_may_be_split_and_have_any_length)
{
    static const struct rdl_endpoint none;
    static char text[900];
    const size_t piece = _i ? 50 : 1;
    char head[16];
    size_t i;

    memset(text, 'x', 700);
    strcpy(text + 700,
           "\r\nos:Linux 5.10 run_id:77\r\nmaxmemory:\r\n" RUN_A "uptime_in_seconds:4294967299\r\n");
    snprintf(head, sizeof head, "$%zu\r\n", strlen(text));
    scripted_reply(&s, head);
    for (i = 0; i < strlen(text); i += piece) {
        char part[200] = {0}; /* what follows is not read */
        strncpy(part, text + i, piece);
        scripted_feed(&s, part, strlen(part));
    }
    scripted_reply(&s, "\r\n");
    bulk("role:master\r\n");
    bulk("");
    rdl_conn_tick(&s.conn, 9000);
    ck_assert_uint_eq(rdl_guard_server_info(&s.conn)->run, 0x0123456789abcdef);
    ck_assert_uint_eq(rdl_guard_server_info(&s.conn)->uptime_s, INT32_MAX);
    ck_assert_mem_eq(&s.endpoint, &none, sizeof none); /* it is next to the text */
}
END_TEST

START_TEST(only_replies_to_info_are_read_as_info)
{
    const struct rdl_command look = {.op = &rdl_op_canary_look, .name = {"k", 1}};
    struct rdl_req req = {0};

    answer(RUN_A "uptime_in_seconds:7\r\n");
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &req, &look), RDL_OK);
    scripted_sent(&s);
    bulk("x\n" RUN_B);
    ck_assert_uint_eq(s.conn.cfg->server_info->run, 0x0123456789abcdef);
    rdl_conn_abandon(&s.conn, &req);
}
END_TEST

START_TEST(a_number_ends_at_the_first_other_character)
{
    static const struct {
        const char *text;
        uint32_t uptime_s;
    } lines[] = {{"uptime_in_seconds:12:9\r\n", 12},
                 {"uptime_in_seconds:12 9\r\n", 12},
                 {"uptime_in_seconds:2000000000\r\n", 2000000000},
                 {"uptime_in_seconds:2200000000\r\n", INT32_MAX}};

    bulk(lines[_i].text);
    ck_assert_uint_eq(s.conn.cfg->server_info->uptime_s, lines[_i].uptime_s);
}
END_TEST

START_TEST(only_another_run_counts_as_first_seen)
{
    answer(RUN_A "uptime_in_seconds:7\r\n");
    rdl_conn_tick(&s.conn, 9000);
    scripted_break(&s);
    ck_assert_ptr_null(rdl_guard_server_info(&s.conn));
    connect_at(10000);
    answer(_i ? RUN_B "uptime_in_seconds:0\r\n" : RUN_A "uptime_in_seconds:8\r\n");
    rdl_conn_tick(&s.conn, 20000);
    ck_assert_uint_eq(rdl_guard_server_info(&s.conn)->seen_ms, _i ? 20000 : 9000);
    ck_assert_int_eq(rdl_guard_server_info(&s.conn)->up_ms, _i ? 20000 : 12000);
    ck_assert_int_eq(rdl_guard_server_info(&s.conn)->is_other, _i);
    scripted_break(&s);
    connect_at(30000);
    answer(_i ? RUN_B : RUN_A);
    ck_assert_int_eq(s.conn.cfg->server_info->is_other, _i);
}
END_TEST

/* The next connection, `after_ms` later, reports the uptime `after_s`. */
static const struct {
    uint32_t before_s, after_ms, after_s;
    int is_other;
} starts[] = {
    {100, 10000, 110, 0},
    {100, 10000, 107, 1}, /* 3 s later than it said */
    {100, 10000, 108, 0}, /* 2 s: two uptimes in whole seconds */
    {100, 10000, 112, 0},
    {100, 10000, 113, 1},      /* another server, which has been up for longer */
    {100, 10000, 9, 1},        /* it started after the first reply */
    {1, 10000, 10, 0},         /* at the first reply */
    {100, 10104, 108, 0},      /* 2.104 s: that and the clocks' rates */
    {1, 1000, 0, 1},           /* here as well, although that is less than 2 s */
    {9000, 1000000, 9990, 0},  /* 10 s of 1000: the clocks' rates */
    {9000, 1000000, 9987, 1},  /* 13 s */
    {9000, 1000000, 10013, 1}, /* 13 s in the other direction */
    {2000000, 3000000000u, 5000000, 0},
};

static void reconnect_at(uint64_t now, const char *server)
{
    scripted_break(&s);
    connect_at(now);
    answer(server);
    rdl_conn_tick(&s.conn, now);
}

START_TEST(start_time_identifies_the_run_without_a_run_id)
{
    uint64_t first = 10000000, now = first + starts[_i].after_ms;
    char line[64];

    snprintf(line, sizeof line, "uptime_in_seconds:%u\r\n", (unsigned)starts[_i].before_s);
    answer(line);
    rdl_conn_tick(&s.conn, first);
    ck_assert_ptr_nonnull(rdl_guard_server_info(&s.conn));
    ck_assert_int_eq(rdl_guard_server_info(&s.conn)->up_ms,
                     (int64_t)first - 1000 * (int64_t)starts[_i].before_s);
    ck_assert(!rdl_guard_server_info(&s.conn)->is_other);
    snprintf(line, sizeof line, "uptime_in_seconds:%u\r\n", (unsigned)starts[_i].after_s);
    reconnect_at(now, line);
    ck_assert_int_eq(rdl_guard_server_info(&s.conn)->is_other, starts[_i].is_other);
    ck_assert_uint_eq(rdl_guard_server_info(&s.conn)->seen_ms, starts[_i].is_other ? now : first);
}
END_TEST

/* In between INFO was refused: that says nothing about the start. */
START_TEST(start_time_is_compared_with_the_last_known)
{
    answer("uptime_in_seconds:100\r\n");
    rdl_conn_tick(&s.conn, 10000);
    scripted_break(&s);
    connect_at(210000);
    for (int i = 0; i < 3; i++)
        scripted_reply(&s, "-NOPERM this user has no permissions to run the 'info' command\r\n");
    rdl_conn_tick(&s.conn, 210000);
    reconnect_at(220000, _i ? "uptime_in_seconds:110\r\n" : "uptime_in_seconds:310\r\n");
    ck_assert_int_eq(rdl_guard_server_info(&s.conn)->is_other, _i);
}
END_TEST

START_TEST(run_id_that_appears_or_disappears_is_another_server)
{
    static const char *const lines[] = {RUN_A "uptime_in_seconds:100\r\n", "uptime_in_seconds:100\r\n"};

    answer(lines[_i]);
    rdl_conn_tick(&s.conn, 10000);
    reconnect_at(11000, lines[!_i]);
    ck_assert(rdl_guard_server_info(&s.conn)->is_other);
    ck_assert_uint_eq(rdl_guard_server_info(&s.conn)->seen_ms, 11000);
}
END_TEST

static const struct {
    const char *server, *replication;
    int error;
    const char *text;
} unfit[] = {
    {"redis_mode:cluster\r\n", "", RDL_E_CLUSTER, "cluster mode is on"},
    {"server_mode:cluster\r\n", "", RDL_E_CLUSTER, "cluster mode is on"},
    {RUN_A, "role:slave\r\n", RDL_E_READONLY, "use its master"},
    {"redis_mode:standalone\r\n", "role:master\r\n", RDL_OK, ""},
};

START_TEST(cluster_and_replica_are_refused)
{
    bulk(unfit[_i].server);
    if (rdl_conn_state(&s.conn) != RDL_CONN_FAILED)
        bulk(unfit[_i].replication);
    ck_assert_int_eq(rdl_conn_error(&s.conn), unfit[_i].error);
    ck_assert_str_eq(rdl_conn_text(&s.conn), unfit[_i].text);
    ck_assert_int_eq(rdl_conn_state(&s.conn), unfit[_i].error ? RDL_CONN_FAILED : RDL_CONN_HANDSHAKE);
}
END_TEST

static const struct {
    const char *reply;
    int error;
} refusals[] = {
    {"-NOPERM this user has no permissions to run the 'info' command\r\n", RDL_OK},
    {"-ERR unknown command 'INFO', with args beginning with: 'server' \r\n", RDL_OK},
    {"-NOAUTH Authentication required.\r\n", RDL_E_AUTH},
    {"-BUSY Redis is busy running a script.\r\n", RDL_E_TRY_LATER},
    {"-LOADING Redis is loading the dataset in memory\r\n", RDL_E_TRY_LATER},
    {"-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n", RDL_E_SERVER},
    {"-ERR max number of clients reached\r\n", RDL_E_SERVER},
    {"+OK\r\n", RDL_E_UNEXPECTED},
    /* a proxy's own words */
    {"-ERR unsupported command: info\r\n", RDL_OK},
    {"-ERR command 'INFO' is not available\r\n", RDL_OK},
    {"-INFO\r\n", RDL_OK},
    {"-invalid request: Info\r\n", RDL_OK},
    {"-ERR no information\r\n", RDL_E_SERVER},
    {"-ERR sysinfo\r\n", RDL_E_SERVER},
    {"-ERR in fo\r\n", RDL_E_SERVER},
    {"-ERR infoz\r\n", RDL_E_SERVER},
    {"-ERR zinfo\r\n", RDL_E_SERVER},
    {"-upstream failure\r\n", RDL_E_SERVER},
    {"-ERR\r\n", RDL_E_SERVER},
};

START_TEST(refused_info_is_no_error_but_a_temporary_one_is)
{
    scripted_reply(&s, refusals[_i].reply);
    ck_assert_int_eq(rdl_conn_error(&s.conn), refusals[_i].error);
    if (refusals[_i].error != RDL_OK)
        return;
    scripted_reply(&s, refusals[_i].reply);
    scripted_reply(&s, refusals[_i].reply);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    rdl_conn_tick(&s.conn, 9000);
    ck_assert_ptr_null(rdl_guard_server_info(&s.conn));
}
END_TEST

/* Its server may be coming back without its data. */
START_TEST(unknown_refusal_after_an_info_reply_is_an_error)
{
    answer(_i ? RUN_A "uptime_in_seconds:7\r\n" : "");
    scripted_break(&s);
    connect_at(10000);
    scripted_reply(&s, "-ERR unsupported command: info\r\n");
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_SERVER);
}
END_TEST

START_TEST(unknown_refusal_is_an_error_if_the_guard_needs_info)
{
    s.cfg.server_info->needs_info = 1;
    scripted_reply(&s, "-ERR unsupported command: info\r\n");
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_SERVER);
    ck_assert_str_eq(rdl_conn_text(&s.conn), "ERR unsupported command: info");
}
END_TEST

/* The server may be down, too; but if the login gets no reply, INFO is not the reason for the close. */
START_TEST(connection_closed_on_info_is_reported_as_such)
{
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_CLOSED);
    ck_assert(rdl_conn_lacks_info(&s.conn));
    rdl_conn_tick(&s.conn, 23000);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
    ck_assert(rdl_conn_lacks_info(&s.conn)); /* it is connecting again */
    rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    ck_assert(!rdl_conn_lacks_info(&s.conn));
    s.endpoint.password = (struct rdl_bytes){"secret", 6};
    connect_at(26000);
    if (_i > 0)
        scripted_reply(&s, "+OK\r\n");
    if (_i == 1)
        scripted_sent(&s);
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    ck_assert_int_eq(rdl_conn_lacks_info(&s.conn), _i == 1);
}
END_TEST

/* The name is sent together with INFO, and INFO may be the reason for the close. */
START_TEST(connection_closed_on_name_and_info_is_reported_too)
{
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    s.endpoint.client_name = (struct rdl_bytes){"job", 3};
    connect_at(20000);
    scripted_sent(&s);
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    ck_assert(rdl_conn_lacks_info(&s.conn));
}
END_TEST

START_TEST(connection_closed_after_info_is_reported_as_closed)
{
    answer(RUN_A);
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_CLOSED);
    ck_assert(!rdl_conn_lacks_info(&s.conn));
}
END_TEST

static void release(struct rdl_req *req)
{
    struct rdl_command cmd = {&rdl_op_release, {"k", 1}, {token_hex(1), RDL_VALUE_MAX},
                              {NULL, 0},       60000,    30000};

    ck_assert_int_eq(rdl_conn_submit(&s.conn, req, &cmd), RDL_OK);
}

/* The server's methods are unknown yet: the script is sent in full, with or without a waiter. */
START_TEST(first_release_sends_the_script_and_the_next_its_sha)
{
    struct rdl_req req = {0};

    answer(RUN_A);
    release(_i ? &req : NULL);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token_hex(1)));
    release(NULL);
    ck_assert_str_eq(scripted_sent(&s), wire_release_sha("k", token_hex(1)));
}
END_TEST

#define CALL "-ERR Error running script (call to f_0123456789abcdef0123456789abcdef01234567): "

static const struct {
    const char *reply, *text;
    int error; /* RDL_OK: the key is another client's */
} in_script[] = {
    /* Redis 2.6 to 6.2: errors of the server itself, of the command, and of Lua */
    {CALL "@user_script:1: @user_script: 1: -OOM command not allowed when used memory > 'maxmemory'.",
     "OOM command not allowed when used memory > 'maxmemory'.", RDL_E_TRY_LATER},
    {CALL "@user_script: 1: -OOM command not allowed when used memory > 'maxmemory'.",
     "OOM command not allowed when used memory > 'maxmemory'.", RDL_E_TRY_LATER},
    {CALL "@user_script:1: @user_script: 1: -READONLY You can't write against a read only slave.",
     "READONLY You can't write against a read only slave.", RDL_E_READONLY},
    {CALL
     "@user_script:1: @user_script: 1: -MISCONF Redis is configured to save RDB snapshots, but is currently",
     "MISCONF Redis is configured to save RDB snapshots, but is curre", RDL_E_TRY_LATER},
    {CALL "@user_script:1: WRONGTYPE Operation against a key holding the wrong kind of value", "", RDL_OK},
    {CALL "@user_script:1: ERR Operation against a key holding the wrong kind of value", "", RDL_OK},
    {CALL "@user_script:1: @user_script: 1: Unknown Redis command called from Lua script",
     "Unknown Redis command called from Lua script", RDL_E_UNSUPPORTED},
    {CALL
     "@user_script:1: @user_script: 1: The user executing the script can't run this command or subcommand",
     "The user executing the script can't run this command or subcomm", RDL_E_PERM},
    {CALL "@user_script:1: user_script:1: attempt to compare nil with number: no",
     "user_script:1: attempt to compare nil with number: no", RDL_E_SERVER},
    {CALL, "", RDL_E_SERVER},
    {"-ERR Error running script (call to f_012", "ERR Error running script (call to f_012", RDL_E_SERVER},
    {"-ERR Error running script", "ERR Error running script", RDL_E_SERVER},
    /* outside of scripts */
    {"-NOPERM User lk has no permissions to access one of the keys: none of them at all",
     "NOPERM User lk has no permissions to access one of the keys: no", RDL_E_PERM},
    {"-ERR value is not: an integer", "ERR value is not: an integer", RDL_E_SERVER},
    {"-", "", RDL_E_SERVER},
};

/* In one piece, and byte by byte. */
START_TEST(reason_of_a_script_error_is_kept_and_classified)
{
    const struct rdl_command cmd = {.op = &rdl_op_extend,
                                    .name = {"k", 1},
                                    .value = {token_hex(1), RDL_VALUE_MAX},
                                    .until_ms = 61000,
                                    .ttl_ms = 60000};
    struct rdl_req req = {0};
    char reply[256];
    size_t i, step;

    s.cfg.methods = &rdl_methods_script; /* no other method is tried */
    answer(RUN_A);
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &req, &cmd), RDL_OK);
    scripted_sent(&s);
    step = (size_t)snprintf(reply, sizeof reply, "%s\r\n", in_script[_i / 2].reply);
    step = _i % 2 ? 1 : step;
    for (i = 0; i < strlen(reply); i += step)
        scripted_feed(&s, reply + i, step);
    ck_assert_str_eq(rdl_conn_text(&s.conn), in_script[_i / 2].text);
    ck_assert_int_eq(req.answer, in_script[_i / 2].error == RDL_OK ? RDL_ANSWER_NO : RDL_ANSWER_ERROR);
    ck_assert_int_eq(req.error, in_script[_i / 2].error);
}
END_TEST

START_TEST(server_that_may_evict_is_detected)
{
    bulk(RUN_A "uptime_in_seconds:7\r\n");
    bulk("role:master\r\n");
    bulk(_i ? "maxmemory:1000\r\nmaxmemory_policy:volatile-lru\r\n"
            : "maxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n");
    rdl_conn_tick(&s.conn, 9000);
    ck_assert(rdl_guard_server_info(&s.conn)->has & RDL_INFO_EVICTS);
    ck_assert_int_eq((rdl_guard_server_info(&s.conn)->has & RDL_INFO_BOUNDED) != 0, _i);
}
END_TEST

START_TEST(checks_work_with_small_chunks)
{
    scripted_init(&s);
    s.chunk = 7;
    rdl_guard_conn(&s.conn);
    scripted_model(&s, 1000);
    scripted_open(&s, 1000);
    scripted_serve(&s, 1000);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

Suite *suite_redlock_info(void)
{
    Suite *suite = suite_create("redlock_info");
    TCase *tc = suite_case(suite, "connection checks", setup, NULL);

    tcase_add_test(tc, checks_are_sent_together_after_the_login);
    tcase_add_loop_test(tc, info_lines_may_be_split_and_have_any_length, 0, 2);
    tcase_add_test(tc, only_replies_to_info_are_read_as_info);
    tcase_add_loop_test(tc, a_number_ends_at_the_first_other_character, 0, 4);
    tcase_add_loop_test(tc, only_another_run_counts_as_first_seen, 0, 2);
    tcase_add_loop_test(tc, start_time_identifies_the_run_without_a_run_id, 0,
                        sizeof starts / sizeof starts[0]);
    tcase_add_loop_test(tc, start_time_is_compared_with_the_last_known, 0, 2);
    tcase_add_loop_test(tc, run_id_that_appears_or_disappears_is_another_server, 0, 2);
    tcase_add_loop_test(tc, unknown_refusal_after_an_info_reply_is_an_error, 0, 2);
    tcase_add_test(tc, unknown_refusal_is_an_error_if_the_guard_needs_info);
    tcase_add_loop_test(tc, connection_closed_on_info_is_reported_as_such, 0, 3);
    tcase_add_test(tc, connection_closed_on_name_and_info_is_reported_too);
    tcase_add_test(tc, connection_closed_after_info_is_reported_as_closed);
    tcase_add_loop_test(tc, cluster_and_replica_are_refused, 0, sizeof unfit / sizeof unfit[0]);
    tcase_add_loop_test(tc, refused_info_is_no_error_but_a_temporary_one_is, 0,
                        sizeof refusals / sizeof refusals[0]);
    tcase_add_loop_test(tc, first_release_sends_the_script_and_the_next_its_sha, 0, 2);
    tcase_add_loop_test(tc, reason_of_a_script_error_is_kept_and_classified, 0,
                        2 * (int)(sizeof in_script / sizeof in_script[0]));
    tcase_add_loop_test(tc, server_that_may_evict_is_detected, 0, 2);
    tcase_add_test(tc, checks_work_with_small_chunks);
    return suite;
}
