/* SPDX-License-Identifier: MIT */
/*
 * When `redlock run` stops waiting for a lock, and when it continues. The wait is the real one; its
 * connections and clock are simulated here. Each server is a letter: down, frozen (it accepts and sends
 * nothing), held (another client has the lock), other (the same, by another key). Also seldom (see
 * seldom_reply), loading, quarantined (in capitals: for longer), . free.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/exit.h"
#include "redlock/cli/servers/self_deadlock.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/redlock.h"
#include "tests/fixtures/heard.h"
#include "tests/fixtures/scripted.h"
#include "tests/sim/server.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    START = 1000000,
    SECOND = 1000,
    SELDOM = 12, /* how often such a server refuses before it grants the lock */
    UP_S = 21,   /* uptime of a quarantined server at first; in capitals, half of it */
    CONNS = RDL_SERVERS_MAX,
    URL = 32
};

static uint64_t now;
static int is_gone;      /* the granted lock was deleted */
static uint64_t down_at; /* from then on all servers are down */
static uint64_t up_at;   /* servers that are down are free from then on */
static const char *servers;
static struct rdl_cli_lock lock;
static struct rdl_cli_options options;

struct link {
    uint8_t bytes[4096]; /* sent, but not replied to */
    size_t len;
};
static struct link links[CONNS];

/* ---------------------------------------------------------------- servers */

/* INFO of a server that started some seconds ago. */
static const char *info(size_t i)
{
    static char text[200];
    unsigned long up_s = (servers[i] == 'q' ? UP_S : UP_S / 2) + (unsigned long)(now - START) / 1000;
    char body[120];
    int len = snprintf(body, sizeof body, "run_id:%zu%039d\r\nuptime_in_seconds:%lu\r\nrole:master\r\n", i, 0,
                       up_s);

    snprintf(text, sizeof text, "$%d\r\n%s\r\n", len, body);
    return text;
}

static const char *reply(const struct sim_arg *argv, size_t i, int is_free)
{
    if (sim_arg_is(argv[0], "INFO") && (servers[i] == 'q' || servers[i] == 'Q'))
        return info(i);
    if (sim_arg_is(argv[0], "GET"))
        return servers[i] == 'h' ? "$1\r\na\r\n" : "$1\r\nb\r\n";
    if (sim_arg_is(argv[0], "SET") && servers[i] == 'l')
        return "-LOADING Redis is loading the dataset in memory\r\n";
    if (sim_arg_is(argv[0], "SET"))
        return is_free ? "+OK\r\n" : "$-1\r\n";
    if (sim_arg_is(argv[0], "PTTL"))
        return ":60000\r\n";
    if (sim_arg_is(argv[0], "EVALSHA") || sim_arg_is(argv[0], "EVAL"))
        return is_gone ? ":0\r\n" : ":1\r\n";
    return "-ERR unknown command\r\n";
}

/* It answers once a second: the first request of each acquire. Otherwise it is loading. */
static const char *seldom_reply(const struct sim_arg *argv, size_t i)
{
    static char last[2 * RDL_ENTROPY_LEN];
    static int times;
    int is_first;

    if (!sim_arg_is(argv[0], "SET") || times > SELDOM)
        return reply(argv, i, 1);
    is_first = memcmp(last, argv[2].data, sizeof last) != 0;
    memcpy(last, argv[2].data, sizeof last);
    times += is_first;
    return !is_first ? "-LOADING Redis is loading the dataset in memory\r\n" : reply(argv, i, times > SELDOM);
}

static char kind(size_t i)
{
    if (now >= down_at && now < up_at)
        return 'd';
    return servers[i] == 'd' && now >= up_at ? '.' : servers[i];
}

static int is_free(char letter)
{
    return letter == '.' || letter == 'q' || letter == 'Q';
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
        const char *text = kind(i) == 's' ? seldom_reply(argv, i) : reply(argv, i, is_free(kind(i)));
        l->len -= (size_t)used;
        memmove(l->bytes, l->bytes + used, l->len);
        rdl_conn_rx(c, (const uint8_t *)text, strlen(text));
    }
}

static int drive(struct rdl_conn *c, size_t i)
{
    unsigned wants = rdl_conn_wants(c);

    if ((wants & RDL_WANT_CLOSE) || (rdl_conn_state(c) == RDL_CONN_READY && kind(i) == 'd')) {
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

static int poll(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    (void)flags;
    int did = 0;

    (void)ctx;
    for (size_t i = 0; i < n; i++)
        did |= drive(conns[i], i);
    if (!did && now < until_ms) {
        ck_assert_uint_ne(until_ms, UINT64_MAX);
        ck_assert_uint_lt(until_ms, START + 1000 * SECOND); /* it would never end */
        now = until_ms;
    }
    return RDL_OK;
}

static int numbers(void *ctx, void *buf, size_t len)
{
    static uint8_t count;

    (void)ctx;
    memset(buf, ++count, len);
    return RDL_OK;
}

/* ---------------------------------------------------------------- a wait */

/* Wait for a lock on these servers, with such options. 1: it is held; 0: *status says why not. */
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
    lock.platform = (struct rdl_platform){poll, scripted_clock, numbers, &now};
    return rdl_cli_wait(&lock, status);
}

static void setup(void)
{
    down_at = up_at = UINT64_MAX;
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr)); /* the messages are tested with the command */
}

/* ---------------------------------------------------------------- tests */

static const struct {
    const char *servers, *options;
    int status;
    uint64_t least_ms, most_ms;
} ends[] = {
    /* without -w: ten seconds without a majority, plus the attempt that began within them */
    {"d", "", 69, 10 * SECOND, 11 * SECOND},
    {"dd.", "", 69, 10 * SECOND, 11 * SECOND},
    {"ddd..", "", 69, 10 * SECOND, 11 * SECOND},
    {"fff..", "", 69, 10 * SECOND, 11 * SECOND},
    {"ll.", "", 69, 10 * SECOND, 11 * SECOND}, /* grants of a minority do not count as reached */
    {"dd.", "-w2.5", 69, 2500, 2500},
    {"dd.", "-w20", 69, 20 * SECOND, 20 * SECOND},
    {"hh.", "-w2.5", 1, 2500, 2500},
    {"hh.", "-w60", 1, 60 * SECOND, 60 * SECOND},
    /* -n: one attempt; a silent server gets twice an attempt's time to connect */
    {"dd.", "-n", 69, 0, 0},
    {"hh.", "-n", 1, 0, 0},
    {"hhd", "-n", 1, 0, 0},
    {"fff..", "-n", 69, 500, 500},
    {"fff..", "-n --attempt=5s", 69, 10 * SECOND, 10 * SECOND},
};

START_TEST(a_wait_ends_at_its_limit)
{
    int status;

    ck_assert_int_eq(wait_for(ends[_i].servers, ends[_i].options, &status), 0);
    ck_assert_int_eq(status, ends[_i].status);
    ck_assert_uint_ge(now - START, ends[_i].least_ms);
    ck_assert_uint_le(now - START, ends[_i].most_ms);
}
END_TEST

/* A wait without a limit continues if the lock's servers answer at times, even after long absences. */
START_TEST(occasional_replies_keep_a_wait_alive)
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

/* The ten seconds without a majority start when the servers go down, not when the quarantine began. */
START_TEST(servers_in_quarantine_count_as_reached)
{
    int status;

    down_at = START + 8 * SECOND; /* within the ten that the quarantine has left */
    up_at = START + 14 * SECOND;
    ck_assert_int_eq(wait_for("qqq", "", &status), 1);
    ck_assert_uint_ge(now, up_at);
}
END_TEST

static const struct {
    const char *servers;
    unsigned long seconds;
} quarantines[] = {{"q", 10},   {"Q", 21},   {"qQ", 21},   {"Qq", 21},
                   {"qqQ", 10}, {"qQQ", 21}, {"qqqQ", 10}, {"qqQQ", 21}};

START_TEST(a_quarantine_lasts_until_a_majority_counts)
{
    int status;

    ck_assert_int_eq(wait_for(quarantines[_i].servers, "-n", &status), 0);
    ck_assert_int_eq(status, 69);
    ck_assert_uint_eq(rdl_cli_lock_quarantine_s(&lock), quarantines[_i].seconds);
}
END_TEST

/* ---------------------------------------------------------------- a run inside a run */

static const struct {
    const char *servers; /* h has the outer run's key */
    enum rdl_cli_self_deadlock inside;
} nests[] = {{"h", RDL_CLI_SELF_DEADLOCK},
             {"o", RDL_CLI_SELF_DEADLOCK_NOT},
             {"hhd", RDL_CLI_SELF_DEADLOCK},
             {"hod", RDL_CLI_SELF_DEADLOCK_UNANSWERED},
             {"hoh", RDL_CLI_SELF_DEADLOCK},
             {"ohd", RDL_CLI_SELF_DEADLOCK_UNANSWERED},
             {"ood", RDL_CLI_SELF_DEADLOCK_NOT},
             {"oohd", RDL_CLI_SELF_DEADLOCK_NOT},
             {"ohhd", RDL_CLI_SELF_DEADLOCK_UNANSWERED}};

START_TEST(a_nested_run_fails_only_if_no_majority_is_left_for_it)
{
    int status;

    ck_assert_int_eq(wait_for(nests[_i].servers, "-n", &status), 0);
    setenv("REDLOCK_LOCK", "nightly", 1);
    setenv("REDLOCK_ID", "e40c292c", 1); /* of the value "a" */
    ck_assert_int_eq(rdl_cli_self_deadlock(&lock), nests[_i].inside);
}
END_TEST

/* ---------------------------------------------------------------- renewals */

/* Runs until the next renewal has ended, and returns the messages. Without a connection it fails at once. */
static const char *renew(struct rdl_cli_held *h)
{
    uint64_t until_ms = h->until_ms;
    int failures = h->failures;

    while (h->until_ms == until_ms && h->failures == failures) {
        rdl_cli_lease_turn(&lock, h->renewing ? UINT64_MAX : rdl_cli_held_wake_ms(h, now), 0);
        rdl_cli_held_renew(h);
    }
    return heard_since();
}

/*
 * The first failure of a series is a warning, and the renewal that ends the series is reported. No other one
 * is.
 */
START_TEST(a_successful_renewal_ends_a_series_of_failures)
{
    struct rdl_cli_held h = {0};
    int status;

    heard_begin();
    ck_assert_int_eq(wait_for(".", "", &status), 1);
    rdl_cli_held_begin(&h, &lock);
    heard_since();
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(renew(&h), "");
        down_at = now;
        ck_assert_ptr_nonnull(strstr(renew(&h), "warning: nightly was not renewed"));
        ck_assert_str_eq(renew(&h), "");
        up_at = now;
        ck_assert_str_eq(renew(&h), "redlock: nightly renewed\n");
        ck_assert_str_eq(renew(&h), "");
        down_at = up_at = UINT64_MAX;
    }
}
END_TEST

/* A third of the ttl would be too late. */
START_TEST(a_command_that_starts_late_is_renewed_before_the_grace)
{
    struct rdl_cli_held h = {0};
    uint64_t until_ms;
    int status;

    heard_begin();
    ck_assert_int_eq(wait_for(".", "--ttl=30s --grace=5s", &status), 1);
    now += 22 * SECOND;
    rdl_cli_held_begin(&h, &lock);
    until_ms = h.until_ms;
    renew(&h);
    ck_assert_uint_lt(now, until_ms - options.grace_ms);
    ck_assert_uint_gt(h.until_ms, until_ms);
}
END_TEST

START_TEST(a_deleted_lock_is_lost_at_the_next_renewal)
{
    struct rdl_cli_held h = {0};
    int status;

    heard_begin();
    ck_assert_int_eq(wait_for(".", "", &status), 1);
    rdl_cli_held_begin(&h, &lock);
    down_at = now;
    renew(&h); /* it fails: the lease continues */
    ck_assert_uint_gt(h.until_ms, now);
    up_at = now;
    is_gone = 1;
    renew(&h);
    ck_assert_uint_eq(h.until_ms, 0);
}
END_TEST

/* ---------------------------------------------------------------- names */

START_TEST(unknown_names_fail_with_68_if_no_majority_has_an_address)
{
    int status;

    ck_assert_int_eq(wait_for("ddd", "-n", &status), 0);
    lock.servers->unresolved[0] = "not known";
    ck_assert_int_eq(rdl_cli_lock_verdict(&lock), 0);
    lock.servers->unresolved[1] = "not known";
    ck_assert_int_eq(rdl_cli_lock_verdict(&lock), RDL_EXIT_NOHOST);
    lock.servers->may_resolve[1] = 1; /* its name server did not answer */
    ck_assert_int_eq(rdl_cli_lock_verdict(&lock), 0);
}
END_TEST

Suite *suite_cli_wait_limits(void)
{
    Suite *suite = suite_create("cli_wait_limits");
    TCase *t = suite_case(suite, "in virtual time", setup, NULL);

    tcase_add_loop_test(t, a_wait_ends_at_its_limit, 0, (int)(sizeof ends / sizeof ends[0]));
    tcase_add_test(t, occasional_replies_keep_a_wait_alive);
    tcase_add_test(t, a_majority_that_comes_back_in_time_is_waited_for);
    tcase_add_test(t, servers_in_quarantine_count_as_reached);
    tcase_add_loop_test(t, a_quarantine_lasts_until_a_majority_counts, 0,
                        (int)(sizeof quarantines / sizeof quarantines[0]));
    tcase_add_loop_test(t, a_nested_run_fails_only_if_no_majority_is_left_for_it, 0,
                        (int)(sizeof nests / sizeof nests[0]));
    tcase_add_test(t, a_successful_renewal_ends_a_series_of_failures);
    tcase_add_test(t, a_command_that_starts_late_is_renewed_before_the_grace);
    tcase_add_test(t, a_deleted_lock_is_lost_at_the_next_renewal);
    tcase_add_test(t, unknown_names_fail_with_68_if_no_majority_has_an_address);
    return suite;
}
