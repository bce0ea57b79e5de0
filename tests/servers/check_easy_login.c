/* SPDX-License-Identifier: MIT */
/* check_easy_login.c - easy.h: passwords outside the URL, and those that change while a lock is held. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "redlock/easy.h"
#include "redlock/easy_thread.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

enum { TTL = 20000, ATTEMPT = 1000, PATIENT = 10000, SERVERS = 3, SECRET_LEN = 900, END_LEN = 32 };

static struct live_server live[SERVERS];
static struct rdl_easy easy;
static struct rdl_easy_thread thread;
static char urls[512];
static char token[SERVERS][SECRET_LEN + 1]; /* the memory of the function */
static unsigned calls;
static const char *failure;

/* Writes the n-th password. */
static void write_secret(unsigned n, char out[SECRET_LEN])
{
    unsigned short state[3] = {1, 2, (unsigned short)n};

    for (unsigned i = 0; i < SECRET_LEN; i++)
        out[i] = (char)('a' + nrand48(state) % 26);
}

static size_t number_of(const struct rdl_endpoint *ep)
{
    for (size_t i = 0; i < SERVERS; i++)
        if (live[i].port == ep->port)
            return i;
    ck_abort_msg("no server has port %d", (int)ep->port);
}

static const char *get(void *ctx, const struct rdl_endpoint *ep, struct rdl_bytes *user,
                       struct rdl_bytes *password)
{
    size_t i = number_of(ep);

    ck_assert_ptr_eq(ctx, token);
    ck_assert_uint_eq(user->len, 0); /* that of the URL */
    __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
    *password = (struct rdl_bytes){token[i], SECRET_LEN};
    return failure;
}

/* From now on all servers have the n-th password. */
static void change_password(unsigned n)
{
    static char passwords[2][SECRET_LEN + 1];
    char *now = passwords[n % 2];

    write_secret(n, now);
    for (int i = 0; i < SERVERS; i++) {
        live_command(&live[i], "CONFIG SET requirepass %s", now);
        live[i].password = now;
        memcpy(token[i], now, SECRET_LEN);
    }
}

static void cut_all(void)
{
    for (int i = 0; i < SERVERS; i++)
        live_command(&live[i], "CLIENT KILL TYPE normal");
}

static void setup(void)
{
    int n = 0;

    memset(live, 0, sizeof live);
    live_start_all(live, SERVERS);
    for (int i = 0; i < SERVERS; i++)
        n += snprintf(urls + n, sizeof urls - (size_t)n, "redis://127.0.0.1:%d ", live[i].port);
    change_password(0);
    calls = 0;
    failure = NULL;
}

static void teardown(void)
{
    live_remove_all(live, SERVERS);
}

static void open_with(struct rdl_easy_options options)
{
    options.ttl_ms = TTL;
    options.flags |= RDL_EASY_NO_RESTART_GUARD;
    ck_assert_int_eq(rdl_easy_open(&easy, urls, "nightly", &options), RDL_OK);
    easy.opt.lease.attempt_ms = ATTEMPT; /* a busy machine must not fail a test */
}

START_TEST(user_and_password_of_the_options_replace_those_of_the_url)
{
    const struct rdl_easy_options options = {.user = "ann", .password = "annspass"};

    ck_assert_str_eq(live_command(&live[0], "ACL SETUSER ann on >annspass allkeys +@all"), "+OK\r\n");
    snprintf(urls, sizeof urls, "redis://bob:wrong@127.0.0.1:%d", live[0].port);
    open_with(options);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(a_lock_is_held_while_the_password_changes_and_all_connections_are_cut)
{
    open_with((struct rdl_easy_options){.credentials = get, .credentials_ctx = token});
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    for (unsigned n = 1; n <= 3; n++) {
        change_password(n);
        cut_all();
        while (rdl_easy_extend(&easy, 0) < RDL_OK) /* it pauses before it connects again */
            ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), 0);
    }
    ck_assert_uint_ge(calls, 4 * 2); /* a majority each time */
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(the_thread_logs_in_with_the_new_password)
{
    unsigned before;

    open_with((struct rdl_easy_options){.credentials = get, .credentials_ctx = token});
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_ge(rdl_easy_extend(&easy, 4 * ATTEMPT), RDL_OK);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, 0), RDL_OK);
    change_password(1);
    before = __atomic_load_n(&calls, __ATOMIC_SEQ_CST);
    cut_all();
    while (__atomic_load_n(&calls, __ATOMIC_SEQ_CST) < before + SERVERS)
        usleep(1000);
    for (int i = 0; i < SERVERS; i++)
        live_await(&live[i], "CLIENT LIST", "cmd=evalsha"); /* renewed over the new connection */
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(each_connection_of_a_lock_logs_in_for_itself)
{
    open_with(
        (struct rdl_easy_options){.credentials = get, .credentials_ctx = token, .flags = RDL_EASY_WAKE_HINT});
    ck_assert_ptr_ne(easy.hint_conn.config.endpoint, easy.conns[0].config.endpoint);
    ck_assert_ptr_ne(easy.hint_conn.config.login, easy.conns[0].config.login);
    live_command(&live[0], "SET nightly other");
    live_command(&live[1], "SET nightly other");
    do /* on a busy machine the wait may end before all are connected */
        ck_assert_int_eq(rdl_easy_acquire(&easy, 900), RDL_BUSY);
    while (calls < SERVERS + 1);
    ck_assert_uint_eq(calls, SERVERS + 1);
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(why_there_is_no_password_is_in_the_text)
{
    open_with((struct rdl_easy_options){.credentials = get, .credentials_ctx = token});
    failure = "the token has expired";
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_NO_QUORUM);
    ck_assert_ptr_nonnull(strstr(rdl_easy_error(&easy), "the login failed: the token has expired"));
    ck_assert_ptr_null(strstr(rdl_easy_error(&easy), "Check that"));
    failure = NULL;
    while (rdl_easy_acquire(&easy, PATIENT) != RDL_OK) /* the same */
        ck_assert_uint_le(calls, 2 * SERVERS);
    rdl_easy_close(&easy);
}
END_TEST

enum { MASK = 0x55 };

static struct {
    unsigned long from, to;
} parts[256]; /* of our memory that we can write to: globals, heap, stacks */
static size_t n_parts;
static int memory;

/* The memory of a sanitizer is larger. */
static void find_memory(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], may[5];

    memory = open("/proc/self/mem", O_RDONLY);
    ck_assert(maps != NULL && memory >= 0);
    while (n_parts < sizeof parts / sizeof parts[0] && fgets(line, sizeof line, maps) != NULL)
        if (sscanf(line, "%lx-%lx %4s", &parts[n_parts].from, &parts[n_parts].to, may) == 3 &&
            may[1] == 'w' && parts[n_parts].to - parts[n_parts].from < 1 << 26)
            n_parts++;
    fclose(maps);
}

/*
 * Returns how often the end of a password is in memory: its start may be overwritten. It uses little of the
 * stack, which it would overwrite.
 */
static unsigned count_in_memory(const char masked[END_LEN])
{
    static char page[4096];
    unsigned n = 0;

    for (size_t i = 0; i < n_parts; i++) {
        for (unsigned long from = parts[i].from; from < parts[i].to; from += sizeof page) {
            if (pread(memory, page, sizeof page, (off_t)from) != (ssize_t)sizeof page)
                continue;
            for (size_t at = 0; at + END_LEN <= sizeof page; at++) {
                size_t len = 0;
                while (len < END_LEN && page[at + len] == (masked[len] ^ MASK))
                    len++;
                n += len == END_LEN;
            }
            memset(page, 0, sizeof page);
        }
    }
    return n;
}

/* Another process gives the servers their password, so that this one knows it only where the test does. */
START_TEST(no_copy_of_a_password_stays_in_memory)
{
    char masked[END_LEN];
    pid_t other = live_fork();

    if (other == 0) {
        change_password(1);
        _exit(0);
    }
    live_reap(other);
    for (int i = 0; i < SERVERS; i++)
        write_secret(1, token[i]);
    for (int i = 0; i < END_LEN; i++)
        masked[i] = (char)(token[0][SECRET_LEN - END_LEN + i] ^ MASK);
    find_memory();
    ck_assert_uint_eq(count_in_memory(masked), SERVERS);
    open_with((struct rdl_easy_options){.credentials = get, .credentials_ctx = token});
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_uint_eq(count_in_memory(masked), SERVERS);
    ck_assert_int_ge(rdl_easy_extend(&easy, 0), RDL_OK);
    rdl_easy_close(&easy);
    ck_assert_uint_eq(calls, SERVERS);
    ck_assert_uint_eq(count_in_memory(masked), SERVERS);
}
END_TEST

Suite *suite_easy_login(void)
{
    Suite *suite = suite_create("easy_login");
    TCase *tc = suite_case(suite, "login", setup, teardown);

    tcase_add_test(tc, user_and_password_of_the_options_replace_those_of_the_url);
    tcase_add_test(tc, a_lock_is_held_while_the_password_changes_and_all_connections_are_cut);
    tcase_add_test(tc, the_thread_logs_in_with_the_new_password);
    tcase_add_test(tc, each_connection_of_a_lock_logs_in_for_itself);
    tcase_add_test(tc, why_there_is_no_password_is_in_the_text);
    tcase_add_test(tc, no_copy_of_a_password_stays_in_memory);
    return suite;
}
