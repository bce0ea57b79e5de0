/* SPDX-License-Identifier: MIT */
/* check_sim_server.c - the model server against a real one; tests/fixtures/differ.c compares them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fixtures/differ.h"
#include "tests/fixtures/servers.h"
#include "tests/sim/server.h"
#include "tests/suite.h"

enum { BYTES = 8192 };

/* A server ends a wait (BLPOP) when its clock ticks: not after 2 ms, but at the next tick, ten a second. */
static const char *const often[] = {"--hz", "500", NULL};
static const struct sim_features redis70 = {.version = "7.0.15"};
static struct live_server real;
static struct sim_server model;
static struct sim_session session;
static uint8_t expected[BYTES], got[BYTES];

static void setup(void)
{
    memset(&session, 0, sizeof session);
    real.args = often;
    live_start(&real);
    sim_server_start(&model, &redis70, 1, 1000000);
}

static void teardown(void)
{
    live_remove(&real);
}

/* `make weekly` runs more. */
static long commands(void)
{
    const char *wanted = getenv("RDL_COMMANDS");
    return wanted ? strtol(wanted, NULL, 10) : 100000;
}

START_TEST(the_model_answers_random_commands_like_a_real_server)
{
    const struct sim_features *kind = differ_kind((uint16_t)real.port);
    long n;

    ck_assert_ptr_nonnull(kind);
    n = differ_run((uint16_t)real.port, kind, 17, commands());
    ck_assert_msg(n >= commands(), "%s", differ_text);
}
END_TEST

START_TEST(the_model_refuses_invalid_requests_like_a_real_server)
{
    static const char *const bad[] = {"*1\r\n+PING\r\n", "*x\r\n", "*1\r\n$x\r\n"};
    const struct sim_features *kind = differ_kind((uint16_t)real.port);

    ck_assert_ptr_nonnull(kind);
    ck_assert_msg(differ_bytes((uint16_t)real.port, kind, bad[_i]), "%s", differ_text);
}
END_TEST

/* Cut anywhere, the same replies. */
START_TEST(the_model_accepts_requests_in_pieces)
{
    static const char in[] = "*6\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nt\r\n$2\r\nNX\r\n$2\r\nPX\r\n$4\r\n1000\r\n"
                             "*2\r\n$4\r\nPTTL\r\n$1\r\nk\r\nGET k\r\n";
    struct sim_out whole = {expected, sizeof expected, 0}, pieces = {got, sizeof got, 0};
    uint64_t now = 1000000;
    size_t at = 0, len = strlen(in);

    sim_server_input(&model, &session, (const uint8_t *)in, len, now, &whole);
    sim_server_start(&model, &redis70, 1, now);
    for (size_t end = 1; end <= len; end++)
        at += sim_server_input(&model, &session, (const uint8_t *)in + at, end - at, now, &pieces);
    ck_assert_uint_eq(at, len);
    ck_assert_uint_eq(pieces.len, whole.len);
    ck_assert_mem_eq(got, expected, whole.len);
}
END_TEST

/* The value of this field of an INFO, up to the end of the line. */
static size_t value_of(const char *info, const char *field, const char **value)
{
    char head[64];
    const char *at;

    snprintf(head, sizeof head, "\n%s:", field);
    at = strstr(info, head);
    ck_assert_msg(at != NULL, "no %s in %s", field, info);
    *value = at + strlen(head);
    return strcspn(*value, "\r");
}

/* The fields that the library reads; run_id and the time are the server's own. Valkey writes server_mode. */
START_TEST(the_models_info_matches_a_real_servers)
{
    static const struct {
        const char *section, *field;
        int is_same;
    } read[] = {{"server", "redis_mode", 1}, {"server", "run_id", 0},    {"server", "uptime_in_seconds", 0},
                {"replication", "role", 1},  {"memory", "maxmemory", 1}, {"memory", "maxmemory_policy", 1}};
    struct sim_out out = {expected, sizeof expected - 1, 0};
    const char *ours, *theirs, *info, *field = read[_i].field;
    char command[64];
    size_t n, m;

    n = (size_t)snprintf(command, sizeof command, "INFO %s\r\n", read[_i].section);
    sim_server_input(&model, &session, (const uint8_t *)command, n, 1000000, &out);
    expected[out.len] = '\0';
    n = value_of((const char *)expected, field, &ours);
    info = live_command(&real, "INFO %s", read[_i].section);
    if (strcmp(field, "redis_mode") == 0 && strstr(info, "\nserver_mode:") != NULL)
        field = "server_mode";
    m = value_of(info, field, &theirs);
    ck_assert_msg(!read[_i].is_same || (n == m && memcmp(ours, theirs, n) == 0), "%s: %.*s, %.*s", field,
                  (int)n, ours, (int)m, theirs);
    if (strcmp(field, "run_id") == 0)
        ck_assert_uint_eq(m, n);
}
END_TEST

Suite *suite_sim_server(void)
{
    Suite *s = suite_create("sim_server");
    TCase *t = suite_case(s, "against a real server", setup, teardown);
    tcase_set_timeout(t, 120 + (double)commands() / 2000);
    tcase_add_test(t, the_model_answers_random_commands_like_a_real_server);
    tcase_add_loop_test(t, the_model_refuses_invalid_requests_like_a_real_server, 0, 3);
    tcase_add_loop_test(t, the_models_info_matches_a_real_servers, 0, 6);
    tcase_add_test(t, the_model_accepts_requests_in_pieces);
    return s;
}
