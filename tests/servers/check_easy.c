/* SPDX-License-Identifier: MIT */
/* check_easy.c - easy.h on real servers: one, three, dead, new, moved, and behind host names. */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "redlock/easy.h"
#include "redlock/easy_thread.h"
#include "tests/fixtures/freed.h"
#include "tests/fixtures/resolver.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

enum { MOST = 3, URLS = 600, TTL = 20000, SHORT = 4000, PATIENT = 10000 };
enum { ATTEMPT = 1500 /* a busy machine must not fail a test */ };

static struct live_server live[MOST];
static struct rdl_easy easy, other;
static char urls[URLS]; /* of all three */

static void setup(void)
{
    char url[LIVE_PATH_MAX + 16];

    memset(live, 0, sizeof live);
    live_start_all(live, MOST);
    resolver_begin();
    urls[0] = '\0';
    for (int i = 0; i < MOST; i++) {
        strcat(urls, live_url(&live[i], LIVE_V4, url, sizeof url));
        strcat(urls, " ");
    }
}

static void teardown(void)
{
    live_remove_all(live, MOST);
}

/* The servers have just started, so the guard is off unless a test is about it. */
static void open_with(struct rdl_easy *e, const char *list, unsigned flags)
{
    const struct rdl_easy_options options = {.ttl_ms = TTL, .flags = flags};

    ck_assert_int_eq(rdl_easy_open(e, list, "nightly", &options), RDL_OK);
    e->opt.lease.attempt_ms = ATTEMPT;
}

static void open_all(struct rdl_easy *e)
{
    open_with(e, urls, RDL_EASY_NO_RESTART_GUARD);
}

static int keys(void)
{
    int n = 0;

    for (int i = 0; i < MOST; i++)
        n += live[i].pid != 0 && strcmp(live_command(&live[i], "EXISTS nightly"), ":1\r\n") == 0;
    return n;
}

static void expect_error(const struct rdl_easy *e, const char *part)
{
    ck_assert_msg(strstr(rdl_easy_error(e), part) != NULL, "\"%s\" is not in \"%s\"", part,
                  rdl_easy_error(e));
}

/* ---------------------------------------------------------------- the four calls */

START_TEST(the_same_program_works_on_one_server_and_on_three)
{
    char url[LIVE_PATH_MAX + 16];

    open_with(&easy, _i == 3 ? urls : live_url(&live[0], (enum live_method)_i, url, sizeof url),
              RDL_EASY_NO_RESTART_GUARD);
    ck_assert_uint_eq(rdl_easy_remaining_ms(&easy), 0);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), TTL / 2);
    ck_assert_uint_le(rdl_easy_remaining_ms(&easy), TTL);
    ck_assert_int_ge(keys(), _i == 3 ? 2 : 1);
    ck_assert_int_ge(rdl_easy_extend(&easy, RDL_TTL_DEFAULT_MS), RDL_OK);
    ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), TTL);
    ck_assert_uint_le(rdl_easy_remaining_ms(&easy), RDL_TTL_DEFAULT_MS);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    ck_assert_uint_eq(rdl_easy_remaining_ms(&easy), 0);
    ck_assert_str_eq(rdl_easy_error(&easy), "");
    rdl_easy_close(&easy);
    ck_assert_int_eq(keys(), 0);
}
END_TEST

/* On one server and on three. A server that restarts later is new again. */
START_TEST(a_guarded_lock_waits_for_new_servers_and_works)
{
    const struct rdl_easy_options options = {.max_ttl_ms = SHORT};
    char url[LIVE_PATH_MAX + 16];
    const char *list = _i ? urls : live_url(&live[0], LIVE_V4, url, sizeof url);

    ck_assert_int_eq(rdl_easy_open(&easy, list, "nightly", &options), RDL_OK);
    easy.opt.lease.attempt_ms = SHORT / 4;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(rdl_easy_acquire(&easy, i == 0 ? (uint32_t)PATIENT : 0), RDL_OK);
        ck_assert_int_ge(rdl_easy_extend(&easy, 0), RDL_OK);
        ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), 0);
        ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    }
    live_kill(&live[0]);
    live_restart(&live[0]);
    if (_i)
        ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK); /* the last one may be younger */
    else
        ck_assert_int_lt(rdl_easy_acquire(&easy, 0), 0);
    rdl_easy_close(&easy);
}
END_TEST

/* Each URL of the list has another password. */
START_TEST(each_server_gets_the_password_of_its_url)
{
    static const char *const passwords[MOST] = {"first", "second", "third"};
    char list[URLS] = "", url[LIVE_PATH_MAX + 16];

    for (int i = 0; i < MOST; i++) {
        live_command(&live[i], "CONFIG SET requirepass %s", passwords[i]);
        live[i].password = passwords[i];
        strcat(strcat(list, live_url(&live[i], LIVE_V4, url, sizeof url)), " ");
    }
    open_with(&easy, list, RDL_EASY_NO_RESTART_GUARD | RDL_EASY_WAKE_HINT);
    for (size_t i = 0; i < MOST; i++)
        while (rdl_conn_state(&easy.conns[i].conn) != RDL_CONN_READY) { /* a majority does not wait for it */
            ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
            ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
            ck_assert_int_ne(rdl_conn_error(&easy.conns[i].conn), RDL_E_AUTH);
        }
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(valkey_is_another_word_for_redis)
{
    char url[64];

    snprintf(url, sizeof url, "valkey://127.0.0.1:%d", live[0].port);
    open_with(&easy, url, RDL_EASY_NO_RESTART_GUARD);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(a_lock_that_another_client_holds_is_busy)
{
    open_all(&easy);
    open_all(&other);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_acquire(&other, 0), RDL_BUSY);
    expect_error(&other, "lock \"nightly\": held by another client for another ");
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    ck_assert_int_eq(rdl_easy_acquire(&other, PATIENT), RDL_OK);
    ck_assert_str_eq(rdl_easy_error(&other), "");
    rdl_easy_close(&easy);
    rdl_easy_close(&other);
    ck_assert_int_eq(keys(), 0); /* close releases */
}
END_TEST

START_TEST(a_lost_lock_is_reported_by_extend_and_by_release)
{
    open_all(&easy);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    for (int i = 0; i < MOST; i++)
        live_command(&live[i], "SET nightly other");
    ck_assert_int_eq(_i ? rdl_easy_extend(&easy, TTL) : rdl_easy_release(&easy), RDL_LOST);
    expect_error(&easy, "lock \"nightly\": the lock is lost");
    ck_assert_uint_eq(rdl_easy_remaining_ms(&easy), 0);
    rdl_easy_close(&easy);
    ck_assert_int_eq(keys(), MOST); /* not ours */
}
END_TEST

START_TEST(a_held_lock_is_not_acquired_or_adopted_again)
{
    open_all(&easy);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_E_HELD);
    expect_error(&easy, "already held");
    ck_assert_int_eq(rdl_easy_adopt(&easy, "0123456789012345678901234567890123456789"), RDL_E_HELD);
    ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), 0);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_EXPIRED); /* nothing is left to release */
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(release_at_once_is_done_by_the_time_close_returns)
{
    open_with(&easy, urls, RDL_EASY_NO_RESTART_GUARD | RDL_EASY_RELEASE_AT_ONCE);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    ck_assert_uint_eq(rdl_easy_remaining_ms(&easy), 0);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK); /* after its own releases */
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    rdl_easy_close(&easy);
    ck_assert_int_eq(keys(), 0);
}
END_TEST

/* No reply is read, so the lock is not known to be lost. */
START_TEST(release_at_once_sends_to_every_server)
{
    open_with(&easy, urls, RDL_EASY_NO_RESTART_GUARD | RDL_EASY_RELEASE_AT_ONCE);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_EXPIRED);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    while (keys() != 0)
        poll(NULL, 0, 1);
    rdl_easy_close(&easy);
}
END_TEST

/* The server has closed the idle connection. The call, which makes one attempt, connects again. */
START_TEST(a_call_after_the_server_closed_the_connection_works)
{
    struct pollfd closed = {-1, POLLIN, 0};

    open_with(&easy, live_url(&live[0], LIVE_V4, urls, sizeof urls), RDL_EASY_NO_RESTART_GUARD);
    for (int n = 0; n < 5; n++) {
        ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_OK);
        if (_i == 0)
            ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
        closed.fd = easy.conns[0].conn.fd;
        live_command(&live[0], "CLIENT KILL TYPE normal SKIPME yes");
        ck_assert_int_eq(poll(&closed, 1, -1), 1);
        easy.lock.sent_ms = 0; /* it was quiet for long enough to read first */
        if (_i == 1) {
            ck_assert_int_eq(rdl_easy_extend(&easy, TTL), RDL_OK);
            ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
        }
    }
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(close_leaves_no_descriptor_and_no_lock)
{
    int fds = live_count_fds();

    open_with(&easy, urls, RDL_EASY_NO_RESTART_GUARD | RDL_EASY_WAKE_HINT);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    rdl_easy_close(&easy);
    ck_assert_int_eq(live_count_fds(), fds);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_E_CONFIG);
    expect_error(&easy, "call rdl_easy_open first");
    rdl_easy_close(&easy); /* again: no harm */
    open_all(&easy);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(a_token_passes_the_lock_to_another_process)
{
    char token[RDL_TOKEN_TEXT_MAX];

    open_all(&easy);
    open_all(&other);
    ck_assert_int_eq(rdl_easy_adopt(&other, "nonsense"), RDL_E_TOKEN);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    rdl_easy_token(&easy, token);
    ck_assert_int_eq(rdl_easy_adopt(&other, token), RDL_OK);
    ck_assert_uint_eq(rdl_easy_remaining_ms(&other), 0);
    ck_assert_int_eq(rdl_easy_extend(&other, TTL), RDL_ADOPTED);
    ck_assert_uint_gt(rdl_easy_remaining_ms(&other), 0);
    ck_assert_int_eq(rdl_easy_release(&other), RDL_OK);
    rdl_easy_close(&other);
    ck_assert_int_eq(keys(), 0);
}
END_TEST

START_TEST(owner_is_in_the_value_and_passes_with_the_token)
{
    const struct rdl_easy_options options = {
        .ttl_ms = TTL, .flags = RDL_EASY_NO_RESTART_GUARD, .owner = "web-3:4711"};
    struct rdl_easy_options bad = options;
    char token[RDL_TOKEN_TEXT_MAX];
    int has_value = 0;

    ck_assert_int_eq(rdl_easy_open(&easy, urls, "nightly", &options), RDL_OK);
    open_all(&other);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    rdl_easy_token(&easy, token);
    ck_assert_str_eq(token + RDL_VALUE_MAX, "@web-3:4711");
    ck_assert_int_eq(rdl_easy_adopt(&other, token), RDL_OK);
    ck_assert_int_eq(rdl_easy_extend(&other, TTL), RDL_ADOPTED);
    for (int i = 0; i < 3; i++) /* a server that was late with the acquire has no key */
        has_value += strstr(live_command(&live[i], "GET nightly"), token) != NULL;
    ck_assert_int_ge(has_value, 2);
    ck_assert_int_eq(rdl_easy_release(&other), RDL_OK);
    rdl_easy_close(&other);
    ck_assert_int_eq(keys(), 0);
    bad.owner = "web 3";
    ck_assert_int_eq(rdl_easy_open(&other, urls, "nightly", &bad), RDL_E_CONFIG);
    expect_error(&other, "lock \"nightly\": an owner has 1 to 40 letters, digits and _@%+=:./- bytes");
}
END_TEST

START_TEST(an_adopted_lock_is_not_adopted_again)
{
    char token[RDL_TOKEN_TEXT_MAX];

    open_all(&easy);
    open_all(&other);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    rdl_easy_token(&easy, token);
    ck_assert_int_eq(rdl_easy_adopt(&other, token), RDL_OK);
    ck_assert_int_eq(rdl_easy_adopt(&other, token), RDL_E_HELD);
    expect_error(&other, "lock \"nightly\": the lock is adopted: extend or release it first");
    ck_assert_int_eq(rdl_easy_extend(&other, TTL), RDL_ADOPTED);
    ck_assert_int_eq(rdl_easy_release(&other), RDL_OK);
    rdl_easy_close(&other);
}
END_TEST

START_TEST(acquire_releases_an_adopted_lock)
{
    char token[RDL_TOKEN_TEXT_MAX];

    open_all(&easy);
    open_all(&other);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    rdl_easy_token(&easy, token);
    ck_assert_int_eq(rdl_easy_adopt(&other, token), RDL_OK);
    ck_assert_int_eq(rdl_easy_acquire(&other, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_release(&other), RDL_OK);
    rdl_easy_close(&other);
    ck_assert_int_eq(keys(), 0);
}
END_TEST

/* Shorter than the ttl of the lock, or of a structure that has acquired nothing. */
START_TEST(a_lock_can_be_renewed_by_any_ttl)
{
    const struct rdl_easy_options options = {.ttl_ms = 500, .flags = RDL_EASY_NO_RESTART_GUARD};
    char token[RDL_TOKEN_TEXT_MAX];
    int rc;

    ck_assert_int_eq(rdl_easy_open(&easy, urls, "nightly", &options), RDL_OK);
    open_all(&other);
    other.opt.lease.attempt_ms = 0; /* a part of the ttl */
    do {                            /* on a busy machine the 500 ms may be over: again */
        (void)rdl_easy_release(&other);
        (void)rdl_easy_release(&easy);
        ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
        rdl_easy_token(&easy, token);
        ck_assert_int_eq(rdl_easy_adopt(&other, token), RDL_OK);
        rc = rdl_easy_extend(&other, 500);
        ck_assert(rc == RDL_ADOPTED || (rc < RDL_OK && rc != RDL_E_TTL));
        rc = rc == RDL_ADOPTED ? rdl_easy_extend(&other, TTL) : rc;
        ck_assert_int_ne(rc, RDL_E_TTL);
    } while (rc < RDL_OK);
    ck_assert_uint_gt(rdl_easy_remaining_ms(&other), TTL / 2);
    while ((rc = rdl_easy_extend(&other, 500)) < RDL_OK) { /* attempts of 25 ms */
        ck_assert_int_ne(rc, RDL_E_TTL);
        ck_assert_uint_gt(rdl_easy_remaining_ms(&other), TTL / 2);
    }
    ck_assert_uint_gt(rdl_easy_remaining_ms(&other), TTL / 2); /* never shorter */
    rdl_easy_close(&other);
}
END_TEST

/* All flags and the longest name: the queues have room for the longest requests. */
START_TEST(every_flag_works_with_the_longest_name)
{
    const struct rdl_easy_options options = {.flags = RDL_EASY_NO_RESTART_GUARD | RDL_EASY_FENCE |
                                                      RDL_EASY_WAKE_HINT};
    char name[RDL_NAME_MAX + 2];
    uint64_t fence = 0;

    memset(name, 'n', sizeof name);
    name[RDL_NAME_MAX + 1] = '\0';
    ck_assert_int_eq(rdl_easy_open(&easy, urls, name, &options), RDL_E_NAME);
    expect_error(&easy, "1 to 128 bytes");
    name[RDL_NAME_MAX] = '\0';
    ck_assert_int_eq(rdl_easy_open(&easy, urls, name, &options), RDL_OK);
    easy.opt.lease.attempt_ms = ATTEMPT;
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
        ck_assert_uint_gt(rdl_easy_fence(&easy), fence);
        fence = rdl_easy_fence(&easy);
        ck_assert_int_ge(rdl_easy_extend(&easy, TTL), RDL_OK);
        ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    }
    ck_assert_uint_eq(rdl_easy_fence(&easy), 0);
    rdl_easy_close(&easy);
}
END_TEST

/* ---------------------------------------------------------------- servers with problems */

START_TEST(a_dead_minority_does_not_matter_and_a_majority_is_named)
{
    char where[64];

    live_kill(&live[0]);
    open_all(&easy);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    live_kill(&live[2]);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    expect_error(&easy, "lock \"nightly\": 2 of 3 servers gave no useful reply (127.0.0.1:");
    expect_error(&easy, "cannot connect: Connection refused");
    expect_error(&easy, "). Check that they run and can be reached");
    snprintf(where, sizeof where, "127.0.0.1:%d: ", live[1].port);
    ck_assert_ptr_eq(strstr(rdl_easy_error(&easy), where), NULL); /* the message blames only the culprits */
    rdl_easy_close(&easy);
}
END_TEST

/* The wait is shorter than the quarantine, so it is not even begun: the test would take 5 s. */
START_TEST(a_new_server_does_not_count_and_the_error_says_what_to_do)
{
    char url[LIVE_PATH_MAX + 16];

    open_with(&easy, _i ? urls : live_url(&live[0], LIVE_V4, url, sizeof url), 0);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 5000), RDL_E_QUARANTINE);
    expect_error(&easy, _i ? " of 3 servers may have lost locks in a restart (127.0.0.1:"
                           : "the server may have lost locks in a restart (127.0.0.1:");
    expect_error(&easy, ": started ");
    expect_error(&easy, " s ago, counts in ");
    expect_error(&easy, " s). Wait longer, or, if");
    expect_error(&easy, "RDL_EASY_NO_RESTART_GUARD");
    rdl_easy_close(&easy);
    open_all(&easy);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    rdl_easy_close(&easy);
}
END_TEST

/* Which one is the second address is known once both are connected. */
START_TEST(a_new_server_and_its_second_address_are_both_named)
{
    char list[URLS], url[LIVE_PATH_MAX + 16];

    live_url(&live[0], LIVE_V6, url, sizeof url);
    snprintf(list, sizeof list, "redis://127.0.0.1:%d %s redis://127.0.0.1:%d", live[0].port, url,
             live[1].port);
    open_with(&easy, list, 0);
    for (size_t i = 0; i < 3; i++)
        while (rdl_conn_state(&easy.conns[i].conn) != RDL_CONN_READY)
            (void)rdl_easy_acquire(&easy, 0);
    for (int tries = 0; tries < 2; tries++) {
        ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_E_QUARANTINE);
        expect_error(&easy, " of 3 servers gave no useful reply (127.0.0.1:");
        expect_error(&easy, ": another address leads to the same server; ");
        expect_error(&easy, " s). List each server once. Wait longer, or, if the server is new");
    }
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(a_server_that_had_no_canary_is_in_quarantine)
{
    open_with(&easy, urls, RDL_EASY_NO_RESTART_GUARD | RDL_EASY_CANARY);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 5000), RDL_E_QUARANTINE);
    expect_error(&easy, " servers may have lost locks in a restart (127.0.0.1:");
    expect_error(&easy, ": counts in ");
    expect_error(&easy, " s). Wait longer");
    ck_assert_ptr_null(strstr(rdl_easy_error(&easy), "RDL_EASY")); /* the guard is off already */
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(a_child_leaves_its_parents_lock_alone)
{
    int status;
    pid_t pid;

    open_all(&easy);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    pid = live_fork();
    if (pid == 0) {
        int rc = rdl_easy_extend(&easy, TTL);
        rdl_easy_close(&easy);
        _exit(rc == RDL_E_FORKED ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_int_ge(rdl_easy_extend(&easy, TTL), RDL_OK);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    rdl_easy_close(&easy);
}
END_TEST

/* ---------------------------------------------------------------- host names */

static void move(const char *host, int i)
{
    resolver_set(host, i < 0 ? NULL : "127.0.0.1", i < 0 ? 0 : live[i].port);
}

/* As the URL gives the port, and the resolver only the address. */
static const char *named(const char *host, int i)
{
    static char url[64];

    snprintf(url, sizeof url, "redis://%s:%d", host, live[i].port);
    return url;
}

START_TEST(a_host_name_is_resolved_at_open_and_again_if_it_had_no_address)
{
    open_with(&easy, named("a.test", 0), RDL_EASY_NO_RESTART_GUARD | (_i ? RDL_EASY_RESOLVE_ONCE : 0));
    ck_assert_uint_eq(resolver_asked("a.test"), 1);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    expect_error(&easy, "the server gave no useful reply (a.test:");
    expect_error(&easy, ": no address: ");
    move("a.test", 0);
    ck_assert_int_eq(rdl_easy_acquire(&easy, _i ? 0 : (uint32_t)PATIENT), _i ? RDL_NO_QUORUM : RDL_OK);
    ck_assert_uint_eq(resolver_asked("a.test"), _i ? 1 : 3); /* open, both times that acquire is called */
    rdl_easy_close(&easy);
}
END_TEST

/* It was resolved in vain in between, while the server was away. */
START_TEST(a_server_with_an_address_is_not_said_to_have_none)
{
    move("a.test", 0);
    open_with(&easy, named("a.test", 0), RDL_EASY_NO_RESTART_GUARD);
    live_kill(&live[0]);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    move("a.test", -1);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 1000), RDL_NO_QUORUM);
    ck_assert_uint_ge(resolver_asked("a.test"), 2);
    ck_assert_ptr_null(strstr(rdl_easy_error(&easy), "no address"));
    expect_error(&easy, "cannot connect: Connection refused");
    rdl_easy_close(&easy);
}
END_TEST

static struct rdl_platform sockets; /* that of a poll that a test replaces */

static void replace_poll(int (*poll)(void *, struct rdl_conn *const *, size_t, uint64_t, unsigned))
{
    sockets = easy.sockets;
    easy.sockets.poll = poll;
}

static uint64_t clock_ms;
static uint32_t query_ms; /* how long a query of a.test takes */
static unsigned asked;

static uint64_t now_ms(void *ctx)
{
    (void)ctx;
    return clock_ms + (uint64_t)query_ms * resolver_asked("a.test");
}

/* Waits by setting the clock, and checks when the name was resolved. */
static int poll_by_the_clock(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms,
                             unsigned flags)
{
    enum rdl_conn_phase before = rdl_conn_state(conns[0]);
    int rc = sockets.poll(ctx, conns, n, 0, flags);

    if (resolver_asked("a.test") != asked) {
        ck_assert_uint_eq(resolver_asked("a.test"), asked + 1);
        ck_assert_uint_lt(clock_ms, easy.lock.deadline_ms);
        asked++;
    }
    if (rdl_conn_state(conns[0]) == before && until_ms > now_ms(NULL))
        clock_ms += until_ms - now_ms(NULL);
    return rc;
}

/* Once a second, and never after the wait. The first two are those of open and of the begin of the wait. */
START_TEST(a_name_without_an_address_does_not_end_a_wait)
{
    uint64_t begun_ms;

    open_with(&easy, named("a.test", 0), RDL_EASY_NO_RESTART_GUARD | (_i ? RDL_EASY_RESOLVE_ONCE : 0));
    clock_ms = begun_ms = rdl_posix_now_ms();
    asked = _i ? 1 : 2;
    replace_poll(poll_by_the_clock);
    easy.platform.now_ms = now_ms;
    ck_assert_int_eq(rdl_easy_acquire(&easy, 60000), RDL_NO_QUORUM);
    ck_assert_uint_eq(clock_ms, begun_ms + 60000);
    expect_error(&easy, ": no address: ");
    ck_assert_uint_eq(resolver_asked("a.test"), asked);
    ck_assert_uint_le(asked, _i ? 1 : 2 + 59);
    ck_assert_uint_ge(asked, _i ? 1 : 2 + 10); /* the pauses between attempts last up to 4 s */
    rdl_easy_close(&easy);
}
END_TEST

/*
 * The last query of the first name ends after the wait, so the second name is resolved once less. That is the
 * second query of the wait: it begins after one query and two pauses, which are shorter than 15 s together.
 */
START_TEST(no_name_is_resolved_after_the_wait)
{
    open_with(&easy, "redis://a.test:1 redis://b.test:1", RDL_EASY_NO_RESTART_GUARD);
    clock_ms = rdl_posix_now_ms();
    query_ms = 20000;
    asked = 2;
    replace_poll(poll_by_the_clock);
    easy.platform.now_ms = now_ms;
    ck_assert_int_eq(rdl_easy_acquire(&easy, 35000), RDL_NO_QUORUM);
    ck_assert_uint_gt(asked, 3);
    ck_assert_uint_eq(resolver_asked("a.test"), asked);
    ck_assert_uint_eq(resolver_asked("b.test"), asked - 1);
    rdl_easy_close(&easy);
}
END_TEST

static int poll_until_it_is_there(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms,
                                  unsigned flags)
{
    if (++asked == 5)
        move("a.test", 0);
    easy.resolved_ms = 0; /* a second has passed */
    return sockets.poll(ctx, conns, n, until_ms, flags);
}

START_TEST(a_name_that_gets_an_address_during_a_wait_is_used)
{
    open_with(&easy, named("a.test", 0), RDL_EASY_NO_RESTART_GUARD);
    replace_poll(poll_until_it_is_there);
    ck_assert_int_eq(rdl_easy_acquire(&easy, _i ? RDL_WAIT_FOREVER : (uint32_t)PATIENT), RDL_OK);
    ck_assert_uint_gt(asked, 5);
    rdl_easy_close(&easy);
}
END_TEST

/* The first two servers grant and refuse, and the third has no address. */
static int poll_with_all_sent(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms,
                              unsigned flags)
{
    if (resolver_asked("a.test") != asked) {
        asked = resolver_asked("a.test");
        for (size_t i = 0; i < n; i++)
            ck_assert_uint_eq(rdl_conn_wants(conns[i]) & RDL_WANT_WRITE, 0);
    }
    easy.resolved_ms = 0;
    return sockets.poll(ctx, conns, n, until_ms, flags);
}

START_TEST(releases_are_sent_before_a_name_is_resolved)
{
    char list[URLS], first[64];

    strcpy(first, named("a.test", 0));
    snprintf(list, sizeof list, "redis://127.0.0.1:%d redis://127.0.0.1:%d %s", live[0].port, live[1].port,
             first);
    live_command(&live[1], "SET nightly other");
    open_with(&easy, list, RDL_EASY_NO_RESTART_GUARD);
    asked = 2;
    replace_poll(poll_with_all_sent);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 4000), RDL_BUSY);
    ck_assert_uint_gt(asked, 3);
    rdl_easy_close(&easy);
    ck_assert_int_eq(keys(), 1);
}
END_TEST

/* An adopted lock is released. One of its servers has no address yet. */
START_TEST(a_release_waits_for_the_address_of_its_server)
{
    char list[URLS], token[RDL_TOKEN_TEXT_MAX];

    snprintf(list, sizeof list, "redis://127.0.0.1:%d redis://127.0.0.1:%d %s", live[0].port, live[1].port,
             named("a.test", 2));
    open_all(&other);
    ck_assert_int_eq(rdl_easy_acquire(&other, PATIENT), RDL_OK);
    rdl_easy_token(&other, token);
    for (int i = 0; i < MOST; i++)
        live_command(&live[i], "SET nightly %s PX 60000", token);
    open_with(&easy, list, RDL_EASY_NO_RESTART_GUARD);
    ck_assert_int_eq(rdl_easy_adopt(&easy, token), RDL_OK);
    ck_assert_int_eq(rdl_easy_extend(&easy, TTL), RDL_ADOPTED);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    ck_assert_int_eq(keys(), 1);
    move("a.test", 2);
    ck_assert_int_eq(rdl_easy_acquire(&easy, _i ? (uint32_t)PATIENT : 0), RDL_OK);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    rdl_easy_close(&easy);
    ck_assert_int_eq(keys(), 0);
}
END_TEST

/* With the connection checks: the error is that of a new server. */
START_TEST(a_server_that_got_its_address_later_is_guarded)
{
    open_with(&easy, named("a.test", 0), 0);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    move("a.test", 0);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_E_QUARANTINE);
    expect_error(&easy, ": started ");
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(every_name_of_a_list_is_resolved)
{
    ck_assert_int_eq(
        rdl_easy_open(&easy, "redis://127.0.0.1:1 redis://a.test:1 redis://b.test:1", "nightly", NULL),
        RDL_OK);
    ck_assert_uint_eq(resolver_asked("a.test"), 1);
    ck_assert_uint_eq(resolver_asked("b.test"), 1);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    ck_assert_uint_eq(resolver_asked("a.test"), 2);
    ck_assert_uint_eq(resolver_asked("b.test"), 2);
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(texts_and_options_are_copied)
{
    char list[64] = "redis://127.0.0.1:1 redis://a.test:1", name[16] = "nightly";
    char token[RDL_TOKEN_TEXT_MAX] = "0123456789012345678901234567890123456789";
    struct rdl_easy_options options = {.ttl_ms = TTL};

    ck_assert_int_eq(rdl_easy_open(&easy, list, name, &options), RDL_OK);
    freed(&options, sizeof options);
    freed(list, sizeof list);
    freed(name, sizeof name);
    ck_assert_int_eq(rdl_easy_adopt(&easy, token), RDL_OK);
    freed(token, sizeof token);
    ck_assert_int_lt(rdl_easy_extend(&easy, TTL), 0);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    expect_error(&easy, "lock \"nightly\": 2 of 2 servers gave no useful reply (127.0.0.1:1: ");
    expect_error(&easy, "; a.test:1: no address: ");
    rdl_easy_close(&easy);
    reused(list, sizeof list);
    reused(name, sizeof name);
    reused(token, sizeof token);
    reused(&options, sizeof options);
}
END_TEST

START_TEST(names_are_not_resolved_while_the_lock_is_held_or_the_server_is_there)
{
    move("a.test", 0);
    open_with(&easy, named("a.test", 0), RDL_EASY_NO_RESTART_GUARD);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_ge(rdl_easy_extend(&easy, TTL), RDL_OK);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    live_kill(&live[0]);
    ck_assert_int_lt(rdl_easy_extend(&easy, TTL), 0);
    ck_assert_int_lt(rdl_easy_release(&easy), 0);
    ck_assert_uint_eq(resolver_asked("a.test"), 1);
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(a_name_with_several_addresses_is_refused)
{
    resolver_add("a.test", "127.0.0.1", live[0].port);
    resolver_add("a.test", "127.0.0.2", live[0].port);
    open_with(&easy, named("a.test", 0), RDL_EASY_NO_RESTART_GUARD);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    expect_error(&easy, "the name has several addresses");
    rdl_easy_close(&easy);
}
END_TEST

/* Both addresses of localhost are this host. */
START_TEST(a_name_with_both_loopback_addresses_works)
{
    resolver_add("a.test", "127.0.0.1", live[0].port);
    resolver_add("a.test", "::1", live[0].port);
    open_with(&easy, named("a.test", 0), RDL_EASY_NO_RESTART_GUARD);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    rdl_easy_close(&easy);
}
END_TEST

/* The name leads to another server: with the guard on, that is in quarantine, however long it has been up. */
START_TEST(another_server_at_the_same_name_is_seen_as_another_run)
{
    const struct rdl_easy_options options = {.max_ttl_ms = SHORT,
                                             .flags = _i ? RDL_EASY_NO_RESTART_GUARD : 0};

    move("a.test", 0);
    ck_assert_int_eq(rdl_easy_open(&easy, named("a.test", 0), "nightly", &options), RDL_OK);
    easy.opt.lease.attempt_ms = SHORT / 4;
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    ck_assert_uint_eq(easy.conns[0].server_info.is_other, 0);
    live_kill(&live[0]);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    easy.conns[0].endpoint.port = (uint16_t)live[1].port; /* what the test's servers differ in */
    ck_assert_int_eq(rdl_easy_acquire(&easy, SHORT / 2), _i ? RDL_OK : RDL_E_QUARANTINE);
    ck_assert_uint_eq(easy.conns[0].server_info.is_other, 1);
    if (_i == 0) {
        expect_error(&easy, ": counts in ");
        ck_assert_ptr_null(strstr(rdl_easy_error(&easy), "started"));
    }
    rdl_easy_close(&easy);
}
END_TEST

/* ---------------------------------------------------------------- what is refused at once */

static const struct {
    const char *urls;
    int result;
    const char *error;
} mistakes[] = {
    {NULL, RDL_E_CONFIG, "lock \"nightly\": no server URL was given, such as redis://127.0.0.1:6379"},
    {"  \t", RDL_E_CONFIG, "no server URL was given"},
    {"redis://h/0 redis://h/1 redis://h redis://h redis://h redis://h redis://h redis://h", RDL_E_CONFIG,
     "more than 7 server URLs were given"},
    {"redis://127.0.0.1 http://:secret@127.0.0.1", RDL_E_URL, "lock \"nightly\": URL 2: "},
    {"redis://:secret@127.0.0.1:99999", RDL_E_URL, "URL 1: "},
    {"valkey://:secret@127.0.0.1:1:1", RDL_E_URL, "URL 1: "},
    {"unix://", RDL_E_URL, "URL 1: "},
    {"redis://127.0.0.1 /", RDL_E_URL, "URL 2: "},
    {"rediss://valkey://127.0.0.1", RDL_E_URL, "URL 1: "}, /* one scheme is replaced, and TLS is not lost */
};

START_TEST(a_wrong_list_of_servers_is_refused_without_repeating_it)
{
    ck_assert_int_eq(rdl_easy_open(&easy, mistakes[_i].urls, "nightly", NULL), mistakes[_i].result);
    expect_error(&easy, mistakes[_i].error);
    ck_assert_ptr_eq(strstr(rdl_easy_error(&easy), "secret"), NULL);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), mistakes[_i].result); /* the text remains */
    expect_error(&easy, mistakes[_i].error);
    ck_assert_int_eq(rdl_easy_extend(&easy, TTL), mistakes[_i].result);
    ck_assert_int_eq(rdl_easy_release(&easy), mistakes[_i].result);
    rdl_easy_close(&easy);
}
END_TEST

/* They would move the cursor of a terminal, or begin a line of a log. */
START_TEST(a_path_with_control_bytes_is_not_printed_as_it_is)
{
    open_with(&easy, "unix:///tmp/no%0aser%1b[31mver%7f%c3%a9", RDL_EASY_NO_RESTART_GUARD);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    expect_error(&easy, "(/tmp/no?ser?[31mver?\xc3\xa9: cannot connect: ");
    rdl_easy_close(&easy);
}
END_TEST

/* Their locks are not those of database 0. */
START_TEST(an_error_names_the_database_of_each_server)
{
    open_with(&easy, "redis://127.0.0.1:1/3 redis://[::1]:1 unix:///tmp/no%3aserver?db=1",
              RDL_EASY_NO_RESTART_GUARD);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    expect_error(&easy, "(127.0.0.1:1/3: cannot connect: ");
    expect_error(&easy, "; [::1]:1: cannot connect: ");
    expect_error(&easy, "; /tmp/no:server?db=1: cannot connect: ");
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(a_url_that_is_too_long_is_refused)
{
    char url[RDL_POSIX_URL_MAX + 20] = "redis://";

    memset(url + 8, 'h', sizeof url - 9);
    url[sizeof url - 1] = '\0';
    ck_assert_int_eq(rdl_easy_open(&easy, url, "nightly", NULL), RDL_E_SPACE);
    expect_error(&easy, "URL 1: the URL is too long");
}
END_TEST

START_TEST(a_url_may_fill_its_buffer_to_the_last_byte)
{
    static const char head[] = "valkey://:", tail[] = "@127.0.0.1:1";
    size_t len = RDL_POSIX_URL_MAX - 1 + strlen("valkey") - strlen("redis") + (size_t)_i;
    char url[RDL_POSIX_URL_MAX + 2];

    memset(url, 'p', sizeof url);
    memcpy(url, head, sizeof head - 1);
    memcpy(url + len + 1 - sizeof tail, tail, sizeof tail);
    ck_assert_int_eq(rdl_easy_open(&easy, url, "nightly", NULL), _i == 0 ? RDL_OK : RDL_E_SPACE);
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(a_ttl_out_of_range_is_refused_and_changes_nothing)
{
    const struct rdl_easy_options options = {.ttl_ms = RDL_TTL_DEFAULT_MS + 1,
                                             .max_ttl_ms = RDL_TTL_DEFAULT_MS + 1,
                                             .flags = RDL_EASY_NO_RESTART_GUARD};

    ck_assert_int_eq(rdl_easy_open(&easy, urls, "nightly", &options), RDL_OK);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_extend(&easy, RDL_TTL_DEFAULT_MS + 2), RDL_E_TTL);
    expect_error(&easy, "above max_ttl_ms");
    ck_assert_int_eq(rdl_easy_extend(&easy, 19), RDL_E_TTL);
    expect_error(&easy, "below 20 ms");
    ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), 0);
    rdl_easy_close(&easy);
}
END_TEST

/* The ttl of the lock is the one that the thread renews by: its grace is a third of it at most. */
START_TEST(a_refused_renewal_changes_nothing)
{
    const struct rdl_easy_options options = {.ttl_ms = 18000, .flags = RDL_EASY_NO_RESTART_GUARD};
    static struct rdl_easy_thread thread;

    ck_assert_int_eq(rdl_easy_open(&easy, urls, "nightly", &options), RDL_OK);
    easy.opt.lease.attempt_ms = ATTEMPT;
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_extend(&easy, _i ? RDL_TTL_DEFAULT_MS + 1 : 19), RDL_E_TTL);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_E_HELD);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, 6001), RDL_E_TTL);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, 6000), RDL_OK);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(the_shortest_ttl_is_20_ms)
{
    const struct rdl_easy_options options = {.ttl_ms = 20};

    ck_assert_int_eq(rdl_easy_open(&easy, "redis://127.0.0.1:1", "nightly", &options), RDL_OK);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM); /* it is tried */
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(a_url_with_tls_needs_a_stream)
{
    static const char *const lists[] = {"rediss://localhost:6380", "valkeys://localhost",
                                        "redis://127.0.0.1:1 rediss://127.0.0.1:2"};

    ck_assert_int_eq(rdl_easy_open(&easy, lists[_i], "nightly", NULL), RDL_E_TLS);
    expect_error(&easy, _i == 2 ? "URL 2: it requests TLS" : "URL 1: it requests TLS");
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_E_TLS);
    rdl_easy_close(&easy);
}
END_TEST

/* A static structure is all zero: a program whose set-up failed early closes it. */
START_TEST(a_lock_that_was_never_opened_is_an_error)
{
    static const char token[] = "0123456789012345678901234567890123456789";
    struct rdl_easy_thread thread = {0};
    int rc = RDL_OK;

    memset(&easy, 0, sizeof easy);
    ck_assert_int_eq(rdl_easy_lost_fd(&thread), -1);
    ck_assert_uint_eq(rdl_easy_remaining_ms(&easy), 0);
    ck_assert_uint_eq(rdl_easy_fence(&easy), 0);
    ck_assert_str_eq(rdl_easy_error(&easy), "");
    switch (_i) {
    case 0:
        rc = rdl_easy_acquire(&easy, 0);
        break;
    case 1:
        rc = rdl_easy_extend(&easy, TTL);
        break;
    case 2:
        rc = rdl_easy_release(&easy);
        break;
    case 3:
        rc = rdl_easy_adopt(&easy, token);
        break;
    case 4:
        rc = rdl_easy_start_thread(&easy, &thread, 0);
        break;
    default:
        rdl_easy_close(&easy);
        return;
    }
    ck_assert_int_eq(rc, RDL_E_CONFIG);
    ck_assert_str_eq(rdl_easy_error(&easy), "it is not open: call rdl_easy_open first");
    rdl_easy_close(&easy);
    ck_assert_int_eq(rdl_easy_open(&easy, "redis://127.0.0.1:1", "nightly", NULL), RDL_OK);
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(a_text_has_no_control_bytes)
{
    ck_assert_int_eq(rdl_easy_open(&easy, NULL, "a\x1b[1m\x7f", NULL), RDL_E_CONFIG);
    expect_error(&easy, "lock \"a?[1m?\": no server");
}
END_TEST

Suite *suite_easy(void)
{
    Suite *suite = suite_create("easy");
    TCase *tc = suite_case(suite, "servers", setup, teardown);

    tcase_add_loop_test(tc, the_same_program_works_on_one_server_and_on_three, 0, 4);
    tcase_add_loop_test(tc, a_guarded_lock_waits_for_new_servers_and_works, 0, 2);
    tcase_add_test(tc, each_server_gets_the_password_of_its_url);
    tcase_add_test(tc, valkey_is_another_word_for_redis);
    tcase_add_test(tc, a_lock_that_another_client_holds_is_busy);
    tcase_add_loop_test(tc, a_lost_lock_is_reported_by_extend_and_by_release, 0, 2);
    tcase_add_test(tc, a_held_lock_is_not_acquired_or_adopted_again);
    tcase_add_test(tc, release_at_once_is_done_by_the_time_close_returns);
    tcase_add_test(tc, release_at_once_sends_to_every_server);
    tcase_add_loop_test(tc, a_call_after_the_server_closed_the_connection_works, 0, 2);
    tcase_add_test(tc, close_leaves_no_descriptor_and_no_lock);
    tcase_add_test(tc, a_token_passes_the_lock_to_another_process);
    tcase_add_test(tc, owner_is_in_the_value_and_passes_with_the_token);
    tcase_add_test(tc, an_adopted_lock_is_not_adopted_again);
    tcase_add_test(tc, acquire_releases_an_adopted_lock);
    tcase_add_test(tc, a_lock_can_be_renewed_by_any_ttl);
    tcase_add_loop_test(tc, a_refused_renewal_changes_nothing, 0, 2);
    tcase_add_test(tc, every_flag_works_with_the_longest_name);
    tcase_add_test(tc, a_ttl_out_of_range_is_refused_and_changes_nothing);
    tcase_add_test(tc, a_dead_minority_does_not_matter_and_a_majority_is_named);
    tcase_add_loop_test(tc, a_new_server_does_not_count_and_the_error_says_what_to_do, 0, 2);
    tcase_add_test(tc, a_new_server_and_its_second_address_are_both_named);
    tcase_add_test(tc, a_server_that_had_no_canary_is_in_quarantine);
    tcase_add_test(tc, a_child_leaves_its_parents_lock_alone);
    tcase_add_loop_test(tc, a_host_name_is_resolved_at_open_and_again_if_it_had_no_address, 0, 2);
    tcase_add_test(tc, a_server_with_an_address_is_not_said_to_have_none);
    tcase_add_loop_test(tc, a_name_without_an_address_does_not_end_a_wait, 0, 2);
    tcase_add_test(tc, no_name_is_resolved_after_the_wait);
    tcase_add_loop_test(tc, a_name_that_gets_an_address_during_a_wait_is_used, 0, 2);
    tcase_add_test(tc, releases_are_sent_before_a_name_is_resolved);
    tcase_add_loop_test(tc, a_release_waits_for_the_address_of_its_server, 0, 2);
    tcase_add_test(tc, a_server_that_got_its_address_later_is_guarded);
    tcase_add_test(tc, every_name_of_a_list_is_resolved);
    tcase_add_test(tc, texts_and_options_are_copied);
    tcase_add_test(tc, names_are_not_resolved_while_the_lock_is_held_or_the_server_is_there);
    tcase_add_test(tc, a_name_with_several_addresses_is_refused);
    tcase_add_test(tc, a_name_with_both_loopback_addresses_works);
    tcase_add_loop_test(tc, another_server_at_the_same_name_is_seen_as_another_run, 0, 2);
    tc = suite_case(suite, "refused", NULL, NULL);
    tcase_add_loop_test(tc, a_wrong_list_of_servers_is_refused_without_repeating_it, 0,
                        sizeof mistakes / sizeof mistakes[0]);
    tcase_add_test(tc, a_path_with_control_bytes_is_not_printed_as_it_is);
    tcase_add_test(tc, an_error_names_the_database_of_each_server);
    tcase_add_test(tc, a_url_that_is_too_long_is_refused);
    tcase_add_loop_test(tc, a_url_may_fill_its_buffer_to_the_last_byte, 0, 2);
    tcase_add_test(tc, the_shortest_ttl_is_20_ms);
    tcase_add_loop_test(tc, a_url_with_tls_needs_a_stream, 0, 3);
    tcase_add_loop_test(tc, a_lock_that_was_never_opened_is_an_error, 0, 6);
    tcase_add_test(tc, a_text_has_no_control_bytes);
    return suite;
}
