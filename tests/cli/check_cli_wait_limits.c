/* SPDX-License-Identifier: MIT */
/*
 * When `redlock run` stops waiting for a lock, and when it goes on: the wait as it is, its connections and
 * their clock in here. A server is a letter: down, frozen (it accepts and says nothing), held (somebody else
 * has the lock), seldom (see seldom_reply), free.
 */
#include "redlock/cli/cli.h"
#include "tests/sim/server.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *suite_cli_wait_limits(void);

enum {
    START = 1000000,
    SECOND = 1000,
    SELDOM = 12, /* so many times such a server says that somebody else has it, then it is ours */
    CONNS = RDL_SERVERS_MAX,
    URL = 32
};

static uint64_t now;
static uint64_t up_at; /* who is down is free from then on */
static const char *servers;
static struct rdl_cli_lock lock;
static struct rdl_cli_options options;

struct link {
    uint8_t bytes[4096]; /* sent, and not answered */
    size_t len;
};
static struct link links[CONNS];

/* ---------------------------------------------------------------- servers */

static const char *reply(const struct sim_arg *argv, int is_free)
{
    if (sim_arg_is(argv[0], "SET"))
        return is_free ? "+OK\r\n" : "$-1\r\n";
    if (sim_arg_is(argv[0], "PTTL"))
        return ":60000\r\n";
    if (sim_arg_is(argv[0], "EVALSHA") || sim_arg_is(argv[0], "EVAL"))
        return ":1\r\n";
    return "-ERR unknown command\r\n";
}

/* Each second it answers once: to the first request of each acquire; else it is loading. */
static const char *seldom_reply(const struct sim_arg *argv)
{
    static char last[2 * RDL_ENTROPY_LEN];
    static int times;
    int is_first;

    if (!sim_arg_is(argv[0], "SET") || times > SELDOM)
        return reply(argv, 1);
    is_first = memcmp(last, argv[2].data, sizeof last) != 0;
    memcpy(last, argv[2].data, sizeof last);
    times += is_first;
    return !is_first ? "-LOADING Redis is loading the dataset in memory\r\n" : reply(argv, times > SELDOM);
}

static char kind(size_t i)
{
    return servers[i] == 'd' && now >= up_at ? '.' : servers[i];
}

/* ---------------------------------------------------------------- connections */

static void answer(struct rdl_conn *c, size_t i)
{
    struct link *l = &links[i];
    struct sim_arg argv[SIM_ARGS];
    const char *why;
    long used;
    int argc;

    while (kind(i) != 'f' && (used = sim_request_parse(l->bytes, l->len, argv, &argc, &why)) > 0) {
        const char *text = kind(i) == 's' ? seldom_reply(argv) : reply(argv, kind(i) == '.');
        l->len -= (size_t)used;
        memmove(l->bytes, l->bytes + used, l->len);
        rdl_conn_rx(c, (const uint8_t *)text, strlen(text));
    }
}

static int drive(struct rdl_conn *c, size_t i)
{
    unsigned wants = rdl_conn_wants(c);

    if (wants & RDL_WANT_CLOSE) {
        rdl_conn_closed(c, RDL_E_CLOSED);
    } else if (wants & RDL_WANT_OPEN) {
        links[i].len = 0;
        if (kind(i) == 'd')
            rdl_conn_closed(c, RDL_E_CONNECT);
        else
            rdl_conn_opened(c);
    } else if (wants & RDL_WANT_WRITE) {
        size_t n = rdl_conn_tx(c, links[i].bytes + links[i].len, sizeof links[i].bytes - links[i].len);
        ck_assert_uint_gt(n, 0);
        links[i].len += n;
        rdl_conn_tx_done(c, n);
        answer(c, i);
    } else {
        return 0;
    }
    return 1;
}

static int poll(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, size_t need,
                int can_wake)
{
    (void)need, (void)can_wake;
    int did = 0;

    (void)ctx;
    for (size_t i = 0; i < n; i++)
        did |= drive(conns[i], i);
    if (!did && now < until_ms) {
        ck_assert_uint_ne(until_ms, UINT64_MAX);
        now = until_ms;
    }
    return RDL_OK;
}

static uint64_t now_ms(void *ctx)
{
    (void)ctx;
    return now;
}

static int numbers(void *ctx, void *buf, size_t len)
{
    static uint8_t count;

    (void)ctx;
    memset(buf, ++count, len);
    return RDL_OK;
}

/* ---------------------------------------------------------------- a wait */

/* Wait for a lock on these servers, with such options. 1: it is ours; 0: *status says why not. */
static int wait_for(const char *letters, const char *words, int *status)
{
    static char url[CONNS][URL], copy[64];
    char *argv[CONNS + 6];
    int argc = 0;

    servers = letters;
    now = START;
    for (size_t i = 0; letters[i] != '\0'; i++) {
        snprintf(url[i], sizeof url[i], "-uredis://127.0.0.%zu", i + 1);
        argv[argc++] = url[i];
    }
    snprintf(copy, sizeof copy, "%s nightly true", words);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    ck_assert_int_eq(rdl_cli_options_read(&options, RDL_CLI_RUN, argc, argv, status), 1);
    ck_assert_int_eq(rdl_cli_start(&lock, &options), 0);
    lock.net = (struct rdl_net){poll, now_ms, numbers, NULL};
    return rdl_cli_wait(&lock, status);
}

static void setup(void)
{
    up_at = UINT64_MAX;
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr)); /* the words are tested with the command */
}

/* ---------------------------------------------------------------- tests */

static const struct {
    const char *servers, *options;
    int status;
    uint64_t least_ms, most_ms;
} ends[] = {
    /* without -w: ten seconds without a majority, and what was begun before they were over */
    {"d", "", 69, 10 * SECOND, 11 * SECOND},
    {"dd.", "", 69, 10 * SECOND, 11 * SECOND},
    {"ddd..", "", 69, 10 * SECOND, 11 * SECOND},
    {"fff..", "", 69, 10 * SECOND, 11 * SECOND},
    {"dd.", "-w2.5", 69, 2500, 2500},
    {"dd.", "-w20", 69, 20 * SECOND, 20 * SECOND},
    {"hh.", "-w2.5", 1, 2500, 2500},
    {"hh.", "-w60", 1, 60 * SECOND, 60 * SECOND},
    /* -n: one attempt; who is silent has twice an attempt's time to connect */
    {"dd.", "-n", 69, 0, 0},
    {"hh.", "-n", 1, 0, 0},
    {"hhd", "-n", 1, 0, 0},
    {"fff..", "-n", 69, 500, 500},
    {"fff..", "-n --attempt=5s", 69, 10 * SECOND, 10 * SECOND},
};

START_TEST(a_wait_ends_when_it_must)
{
    int status;

    ck_assert_int_eq(wait_for(ends[_i].servers, ends[_i].options, &status), 0);
    ck_assert_int_eq(status, ends[_i].status);
    ck_assert_uint_ge(now - START, ends[_i].least_ms);
    ck_assert_uint_le(now - START, ends[_i].most_ms);
}
END_TEST

/* Whoever waits without a limit can reach it now and then, for longer than it may be away. */
START_TEST(who_is_answered_now_and_then_goes_on_waiting)
{
    int status;

    ck_assert_int_eq(wait_for("s", "", &status), 1);
    ck_assert_uint_gt(now - START, 10 * SECOND);
}
END_TEST

START_TEST(a_majority_that_comes_back_in_time_is_waited_for)
{
    int status;

    up_at = START + 7 * SECOND; /* of ten, of which a connection may pause for two */
    ck_assert_int_eq(wait_for("dd.", "", &status), 1);
    ck_assert_uint_ge(now, up_at);
}
END_TEST

Suite *suite_cli_wait_limits(void)
{
    Suite *suite = suite_create("cli_wait_limits");
    TCase *t = tcase_create("in virtual time");

    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_loop_test(t, a_wait_ends_when_it_must, 0, (int)(sizeof ends / sizeof ends[0]));
    tcase_add_test(t, who_is_answered_now_and_then_goes_on_waiting);
    tcase_add_test(t, a_majority_that_comes_back_in_time_is_waited_for);
    suite_add_tcase(suite, t);
    return suite;
}
