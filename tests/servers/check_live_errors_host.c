/* SPDX-License-Identifier: MIT */
/*
 * Refusals of real servers that depend on their host and their clients. Protected mode, a full disk, idle
 * clients, keys of other programs, a busy script during a login.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lock/lock_io.h"
#include "lock/lock_op.h"
#include "tests/fixtures/asking.h"
#include "tests/fixtures/relay.h"
#include "tests/suite.h"

static struct relay relay;
static struct rdl_lock lock;

static const struct rdl_lock_options once = {.ttl_ms = 20000, .attempt_ms = 5000};
static const struct rdl_lock_options until_granted = {
    .ttl_ms = 20000, .wait_ms = 30000, .retry_ms = 1, .attempt_ms = 5000};

static void setup(void)
{
    memset(&asked, 0, sizeof asked);
    memset(&relay, 0, sizeof relay);
}

static void teardown(void)
{
    live_remove(&asked);
}

static int is_reported(const char *text)
{
    return strncmp(rdl_conn_text(&asking.conn), text, strlen(text)) == 0;
}

static void assert_reported(const char *text)
{
    ck_assert_msg(is_reported(text), "%s, not %s", rdl_conn_text(&asking.conn), text);
}

static int acquire(const struct rdl_lock_options *opt)
{
    rdl_lock_init(&lock, opt, &asking.conn, "k", 1);
    return rdl_lock_acquire(&lock, &client_platform);
}

/* ---------------------------------------------------------------- protected mode */

/* An address of this host that is not a loopback address. */
static const char *outer_address(void)
{
    static char text[INET_ADDRSTRLEN];
    struct ifaddrs *all, *at;

    ck_assert_int_eq(getifaddrs(&all), 0);
    text[0] = '\0';
    for (at = all; at != NULL; at = at->ifa_next) {
        const struct sockaddr_in *a = (const struct sockaddr_in *)(const void *)at->ifa_addr;
        if (a != NULL && a->sin_family == AF_INET && (at->ifa_flags & IFF_LOOPBACK) == 0 && text[0] == '\0')
            inet_ntop(AF_INET, &a->sin_addr, text, sizeof text);
    }
    freeifaddrs(all);
    ck_assert_msg(text[0] != '\0',
                  "this server takes 127.0.0.5 for local, and this host has no other address");
    return text;
}

/* A client that the server sees at this address. */
static void come_from(const char *address, const char *login)
{
    char url[128];

    relay.from = address;
    relay_start(&relay, asked.port, 0);
    snprintf(url, sizeof url, "redis://%s127.0.0.1:%d", login, relay.port);
    client_init(&asking, url);
}

/* Servers before 7.2 take only 127.0.0.1 and ::1 for local. */
static const char *foreign_address(void)
{
    int rc;

    come_from("127.0.0.5", "");
    rc = acquire(&once);
    relay_stop(&relay);
    live_command(&asked, "DEL k");
    return rc == RDL_OK ? outer_address() : "127.0.0.5";
}

/*
 * Without a password it serves only its own host; an acquire without a limit fails at once. Before 7.0 a
 * server is not in that mode if its listening addresses were configured, as here.
 */
START_TEST(protected_mode_refuses_remote_clients)
{
    static const char *const logins[] = {"", "lk:secret@"};

    asking_begin("");
    come_from(foreign_address(), logins[_i]);
    if (asking_major() < 7 && _i == 0) {
        ck_assert_int_eq(acquire(&until_granted), RDL_OK);
    } else {
        ck_assert_int_eq(acquire(&until_granted), RDL_E_AUTH);
        assert_reported(asking_major() < 7 ? "WRONGPASS" : "DENIED"); /* the rest: check_net_handshake.c */
        ck_assert_int_eq(rdl_is_permanent(RDL_E_AUTH), 1);
        ck_assert_str_eq(rdl_strerror(RDL_E_AUTH), "the login failed");
        ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":0\r\n");
    }
    relay_stop(&relay);
}
END_TEST

/* ---------------------------------------------------------------- a full disk */

static void limit_files(rlim_t bytes)
{
    const struct rlimit limit = {bytes, RLIM_INFINITY};

    ck_assert_int_eq(prlimit(asked.pid, RLIMIT_FSIZE, &limit, NULL), 0);
}

static void await_aof(const char *line)
{
    while (strstr(live_command(&asked, "INFO persistence"), line) == NULL)
        ;
}

/* A write that cannot be logged is still done; then all writes are refused until there is space. */
START_TEST(a_server_that_cannot_write_its_aof_refuses_until_it_can)
{
    static const char *const logging[] = {"--appendonly", "yes", NULL};
    uint8_t entropy[RDL_ENTROPY_LEN] = {7};
    int rc;

    signal(SIGXFSZ, SIG_IGN); /* for the server too: there a write must fail */
    asked.args = logging;
    asking_begin("");
    limit_files(0);
    live_command(&asked, "SET other x");
    await_aof("aof_last_write_status:err");
    ck_assert_int_eq(acquire(&once), RDL_E_TRY_LATER);
    assert_reported("MISCONF Errors writing to the AOF file: File too large");
    ck_assert_int_eq(rdl_is_permanent(RDL_E_TRY_LATER), 0);
    ck_assert_str_eq(rdl_strerror(RDL_E_TRY_LATER), "the server cannot do this now");
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":0\r\n");
    rdl_lock_init(&lock, &until_granted, &asking.conn, "k", 1);
    rc = rdl_lock_acquire_begin(&lock, entropy, client_now());
    limit_files(RLIM_INFINITY);
    while (rc == RDL_PENDING) {
        client_step(&asking, client_now() + 20);
        rc = rdl_lock_step(&lock, client_now());
    }
    ck_assert_int_eq(rc, RDL_OK);
}
END_TEST

/* ---------------------------------------------------------------- idle connections */

static const char *const impatient[] = {"--timeout", "1", NULL};

/* Nothing was requested, so nothing is unknown; the next request does not notice. */
START_TEST(an_idle_connection_closed_by_the_server_is_reopened)
{
    asked.args = impatient;
    asking_begin("");
    ck_assert_int_eq(asking_ask(&rdl_op_acquire, "k"), RDL_ANSWER_YES);
    client_wait_hangup(&asking);
    live_command(&asked, "CONFIG SET timeout 0"); /* the next connection is not closed */
    client_step(&asking, client_now() + CLIENT_TIMEOUT_MS);
    ck_assert_int_eq(rdl_conn_state(&asking.conn), RDL_CONN_CLOSED);
    ck_assert_int_eq(rdl_conn_error(&asking.conn), RDL_E_CLOSED);
    ck_assert_int_eq(rdl_is_permanent(RDL_E_CLOSED), 0);
    ck_assert_int_eq(asking_ask(&rdl_op_extend, "k"), RDL_ANSWER_YES);
    ck_assert_int_eq(rdl_conn_error(&asking.conn), RDL_OK);
    ck_assert_int_eq(asking_ask(&rdl_op_release, "k"), RDL_ANSWER_YES);
}
END_TEST

/* A request sent while the connection ends is unknown, and is repeated. */
START_TEST(a_request_on_a_timed_out_connection_is_unknown)
{
    asked.args = impatient;
    asking_begin("");
    ck_assert_int_eq(asking_ask(&rdl_op_release, "k"), RDL_ANSWER_ABSENT);
    client_wait_hangup(&asking);
    client_submit(&asking, &rdl_op_acquire, "k");
    ck_assert_int_eq(client_wait(&asking), RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(asking.req.error, RDL_E_CLOSED);
    ck_assert_str_eq(rdl_strerror(RDL_E_CLOSED), "the connection was closed before the reply");
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":0\r\n");
    ck_assert_int_eq(acquire(&once), RDL_OK);
}
END_TEST

/* ---------------------------------------------------------------- keys and scripts of other programs */

/* A key that is not a lock is not ours, with any method; and it stays as it is. */
START_TEST(a_list_in_place_of_a_lock_is_not_ours)
{
    static const struct rdl_op *const ops[] = {&rdl_op_acquire, &rdl_op_extend, &rdl_op_release};
    int is_hidden; /* the error in a script, before 7.0 */

    asking_begin(_i % 2 ? "lk:secret@" : "");
    live_command(&asked, "ACL SETUSER lk on >secret ~* +@all -eval -evalsha");
    live_command(&asked, "LPUSH k x");
    is_hidden = asking_major() < 7 && _i % 2 == 0 && ops[_i / 2] != &rdl_op_acquire;
    if (is_hidden)
        asking_refused(ops[_i / 2], "k", RDL_E_SERVER, "ERR Error running script");
    else
        ck_assert_int_eq(asking_ask(ops[_i / 2], "k"), RDL_ANSWER_NO);
    ck_assert_str_eq(live_command(&asked, "LLEN k"), ":1\r\n");
    ck_assert_str_eq(live_command(&asked, "PTTL k"), ":-1\r\n");
}
END_TEST

static const char *const quick[] = {"--lua-time-limit", "20", NULL};

/* Its database cannot be selected then: that does not end the attempts. */
START_TEST(a_login_during_a_busy_script_is_retried)
{
    pid_t background;

    asked.args = quick;
    asking_begin("");
    asking.endpoint.db = 1;
    background = live_fork();
    if (background == 0) {
        live_command(&asked, "EVAL \"while true do end\" 0");
        _exit(0);
    }
    while (strncmp(live_command(&asked, "PING"), "-BUSY", 5) != 0)
        ;
    ck_assert_int_eq(acquire(&once), RDL_E_TRY_LATER);
    assert_reported("BUSY ");
    ck_assert_int_eq(rdl_is_permanent(RDL_E_TRY_LATER), 0);
    ck_assert_str_eq(live_command(&asked, "SCRIPT KILL"), "+OK\r\n");
    live_reap(background);
    ck_assert_int_eq(acquire(&until_granted), RDL_OK);
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":0\r\n"); /* in database 0 */
}
END_TEST

Suite *suite_live_errors_host(void)
{
    Suite *suite = suite_create("live_errors_host");
    TCase *tc = suite_case(suite, "errors of real servers, by where they run", setup, teardown);

    tcase_add_loop_test(tc, protected_mode_refuses_remote_clients, 0, 2);
    tcase_add_test(tc, a_server_that_cannot_write_its_aof_refuses_until_it_can);
    tcase_add_test(tc, an_idle_connection_closed_by_the_server_is_reopened);
    tcase_add_test(tc, a_request_on_a_timed_out_connection_is_unknown);
    tcase_add_loop_test(tc, a_list_in_place_of_a_lock_is_not_ours, 0, 6);
    tcase_add_test(tc, a_login_during_a_busy_script_is_retried);
    return suite;
}
