/* SPDX-License-Identifier: MIT */
/*
 * How long `redlock status`, `list`, `break` and `doctor` wait for servers. The verbs' connections and clock
 * are simulated here. Each server is a letter: up, down (it refuses), frozen (it accepts and sends nothing),
 * tired (it replies only until it is connected). Also: how far a search by SCAN comes.
 */
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/servers/lock_names.h"
#include "redlock/cli/servers/query.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/redlock.h"
#include "tests/fixtures/scripted.h"
#include "tests/sim/server.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

enum { START = 1000000, CONNS = RDL_SERVERS_MAX, URL = 32 };

static uint64_t now;
static const char *servers;
static struct rdl_cli_query query;
static struct rdl_cli_options options;

static struct link {
    uint8_t bytes[4096]; /* sent, but not replied to */
    size_t len;
} links[CONNS];

/* ---------------------------------------------------------------- servers */

static const struct rdl_bytes end = {"0", 1};
static struct rdl_bytes cursor = {"0", 1}; /* that the next SCAN returns */
static unsigned pages;                     /* number of SCANs */

static struct rdl_bytes text(const char *s)
{
    return (struct rdl_bytes){s, strlen(s)};
}

static struct rdl_bytes page(void)
{
    static char out[80];
    size_t n = (size_t)snprintf(out, sizeof out, "*2\r\n$%zu\r\n", cursor.len);

    memcpy(out + n, cursor.data, cursor.len);
    n += cursor.len;
    n += (size_t)snprintf(out + n, sizeof out - n, "\r\n*0\r\n");
    cursor = end;
    pages++;
    return (struct rdl_bytes){out, n};
}

static struct rdl_bytes reply(const struct sim_arg *argv)
{
    if (sim_arg_is(argv[0], "SCAN"))
        return page();
    if (sim_arg_is(argv[0], "CLIENT"))
        return text("+OK\r\n");
    if (sim_arg_is(argv[0], "PTTL"))
        return text(":-2\r\n");
    return text("$0\r\n\r\n"); /* to INFO, or for a missing key */
}

static void answer(struct rdl_conn *c, size_t i)
{
    struct link *l = &links[i];
    struct sim_arg argv[SIM_ARGS];
    const char *why;
    long used;
    int argc;

    while ((used = sim_request_parse(l->bytes, l->len, argv, &argc, &why)) > 0) {
        int is_login = sim_arg_is(argv[0], "INFO") || sim_arg_is(argv[0], "CLIENT");
        if (servers[i] == 'f' || (servers[i] == 't' && !is_login))
            return;
        struct rdl_bytes said = reply(argv);
        l->len -= (size_t)used;
        memmove(l->bytes, l->bytes + used, l->len);
        rdl_conn_rx(c, said.data, said.len);
    }
}

static int drive(struct rdl_conn *c, size_t i)
{
    unsigned wants = rdl_conn_wants(c);

    if (wants & RDL_WANT_CLOSE) {
        rdl_conn_closed(c, RDL_E_CLOSED);
    } else if (wants & RDL_WANT_OPEN) {
        links[i].len = 0;
        if (servers[i] == 'd')
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
    int did = 0;

    (void)ctx, (void)flags;
    for (size_t i = 0; i < n; i++)
        did |= drive(conns[i], i);
    if (!did && now < until_ms) {
        ck_assert_uint_ne(until_ms, UINT64_MAX);
        now = until_ms;
    }
    return RDL_OK;
}

/* ---------------------------------------------------------------- timing */

/* redlock VERB WORDS SERVERS nightly, up to the point where it is connected. wait_ms: as with -w. */
static void connect_to(enum rdl_cli_verb verb, const char *letters, const char *words, uint64_t wait_ms)
{
    static char url[CONNS][URL], copy[64];
    char *argv[CONNS + 6];
    int argc = 0, status;

    servers = letters;
    for (size_t i = 0; letters[i] != '\0'; i++) {
        snprintf(url[i], sizeof url[i], "-uredis://127.0.0.%zu", i + 1);
        argv[argc++] = url[i];
    }
    snprintf(copy, sizeof copy, "%s nightly", words);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    ck_assert_int_eq(rdl_cli_options_read(&options, verb, argc, argv, &status), 1);
    ck_assert_int_eq(rdl_cli_query_open(&query, &options), 0);
    query.platform.poll = poll;
    query.platform.now_ms = scripted_clock;
    query.platform.ctx = &now;
    now = START;
    query.until_ms = wait_ms != 0 ? START + wait_ms : UINT64_MAX;
    rdl_cli_query_connect(&query);
}

/* Connect to these servers, and query two locks on each. */
static const struct {
    const char *servers;
    enum rdl_cli_verb verb;
    const char *options;
    uint64_t wait_ms, connect_ms, first_ms, second_ms;
} waits[] = {
    {"...", RDL_CLI_STATUS, "", 0, 0, 0, 0},
    /* the third gets an attempt's time once the majority is connected */
    {"..f", RDL_CLI_STATUS, "", 0, 1000, 0, 0},
    {"..f", RDL_CLI_LIST, "", 0, 1000, 0, 0},
    {"..f", RDL_CLI_BREAK, "", 0, 1000, 0, 0},
    {"..f", RDL_CLI_STATUS, "--attempt=300ms", 0, 300, 0, 0},
    {"..f..", RDL_CLI_STATUS, "", 0, 1000, 0, 0},
    {"..d", RDL_CLI_STATUS, "", 0, 0, 0, 0},
    /* or once there can be no majority */
    {"ddf", RDL_CLI_STATUS, "", 0, 1000, 0, 0},
    /* which is waited for */
    {".df", RDL_CLI_STATUS, "", 0, 5000, 0, 0},
    {"f", RDL_CLI_STATUS, "", 0, 5000, 0, 0},
    /* not for longer than -w; half of it is for the locks */
    {"f", RDL_CLI_LIST, "", 700, 700, 0, 0},
    {"..f", RDL_CLI_LIST, "", 700, 350, 0, 0},
    {"..t", RDL_CLI_LIST, "", 700, 0, 350, 0},
    /* a server that stalls is waited for once */
    {"..t", RDL_CLI_STATUS, "", 0, 0, 1000, 0},
    {"t", RDL_CLI_STATUS, "", 0, 0, 1000, 0},
    {"ttt", RDL_CLI_LIST, "", 700, 0, 700, 0},
    /* doctor checks --attempt, and does not wait by it */
    {"..f", RDL_CLI_DOCTOR, "", 0, 1000, 0, 0},
    {"..f", RDL_CLI_DOCTOR, "--attempt=300ms", 0, 1000, 0, 0},
    {"ddf", RDL_CLI_DOCTOR, "", 0, 1000, 0, 0},
    {".df", RDL_CLI_DOCTOR, "", 0, 5000, 0, 0},
    {"f", RDL_CLI_DOCTOR, "", 0, 5000, 0, 0},
};

START_TEST(one_frozen_server_costs_one_attempt)
{
    connect_to(waits[_i].verb, waits[_i].servers, waits[_i].options, waits[_i].wait_ms);
    ck_assert_uint_eq(now - START, waits[_i].connect_ms);
    if (waits[_i].verb == RDL_CLI_DOCTOR) /* doctor sends its own requests */
        return;
    rdl_cli_query_at(&query, "nightly");
    ck_assert_uint_eq(now - START, waits[_i].connect_ms + waits[_i].first_ms);
    rdl_cli_query_at(&query, "weekly");
    ck_assert_uint_eq(now - START, waits[_i].connect_ms + waits[_i].first_ms + waits[_i].second_ms);
    for (size_t i = 0; waits[_i].servers[i] != '\0'; i++)
        ck_assert_int_eq(query.seen[i].what,
                         waits[_i].servers[i] == '.' ? RDL_CLI_SEEN_FREE : RDL_CLI_SEEN_NOTHING);
}
END_TEST

/* A number of 64 bits has 20 digits. A cursor that cannot be stored would restart or end the search. */
START_TEST(a_cursor_that_is_too_long_leaves_the_search_incomplete)
{
    static const char *const cursors[] = {"0", "18446744073709551615", "12345678901234567890123",
                                          "123456789012345678901234", "000000000000000000000000"};
    static struct rdl_cli_names names;

    connect_to(RDL_CLI_LIST, ".", "", 0);
    cursor = text(cursors[_i]);
    rdl_cli_query_search(&query, "", &names);
    ck_assert_int_eq(query.searched[0], _i < 3);
    ck_assert_int_eq(query.is_cut, 0);
    if (_i >= 3)
        ck_assert_int_eq(query.seen[0].error, RDL_E_LIMIT);
}
END_TEST

/* As a string, it would be the cursor that ends a search. */
START_TEST(a_cursor_with_a_nul_does_not_end_the_search)
{
    static struct rdl_cli_names names;

    connect_to(RDL_CLI_LIST, ".", "", 0);
    cursor = (struct rdl_bytes){"0\0", 2};
    rdl_cli_query_search(&query, "", &names);
    ck_assert_uint_eq(pages, 2);
    ck_assert_int_eq(query.searched[0], 1);
}
END_TEST

Suite *suite_cli_query(void)
{
    Suite *suite = suite_create("cli_query");
    TCase *tc = suite_case(suite, "cli_query", NULL, NULL);

    tcase_add_loop_test(tc, one_frozen_server_costs_one_attempt, 0, sizeof waits / sizeof waits[0]);
    tcase_add_loop_test(tc, a_cursor_that_is_too_long_leaves_the_search_incomplete, 0, 5);
    tcase_add_test(tc, a_cursor_with_a_nul_does_not_end_the_search);
    return suite;
}
