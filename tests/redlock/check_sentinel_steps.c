/* SPDX-License-Identifier: MIT */
/*
 * check_sentinel_steps.c - which sentinels a group asks and when, and where its server connects. Time is an
 * argument. Sentinel i has port i + 1; servers and sentinels do what the test says.
 */
#include "lock/lock_op.h"
#include "redlock/easy/sentinel.h"
#include "redlock/redlock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

enum { SENTINELS = 3, A = 7001, B = 7002, C = 7003, LONGEST_MS = 20000 };

#define NAMES(port) "*2\r\n$9\r\n127.0.0.1\r\n$4\r\n" #port "\r\n"
#define NAMES_A     NAMES(7001)
#define NAMES_B     NAMES(7002)
#define NAMES_C     NAMES(7003)
#define REFUSES     NULL /* no process listens there */
#define SILENT      ""   /* it connects, and nothing comes */
#define CLOSES      "x"

/* What servers do: A, B, C. */
enum conduct {
    MASTER,
    REPLICA,
    DOWN,
    HANGS /* connecting never ends */,
    FROZEN /* nothing comes */,
    NO_INFO
};

static struct rdl_sentinel group;
static struct scripted server, asks;
static struct rdl_endpoint second;
static const char *replies[SENTINELS]; /* of each sentinel */
static enum conduct conducts[3];
static uint64_t now_ms, last_ms[SENTINELS];
static uint64_t slow_ms;       /* for this time every second connect to a sentinel lasts */
static uint64_t slow_until_ms; /* 0: none is under way */
static unsigned questions[SENTINELS];
static uint16_t connected; /* the port of the last server that a connection was opened to */
static int is_connecting;  /* it stays with that server, whatever becomes of the endpoint */
static const char *run = "00112233445566778899aabbccddeeff00112233";

/* ---------------------------------------------------------------- the driver */

/* Returns 1 if the conn has to be read or written again. */
static int serve_sentinel(void)
{
    size_t i = (size_t)asks.endpoint.port - 1;

    if (rdl_conn_wants(&asks.conn) & RDL_WANT_OPEN) {
        if (slow_until_ms == 0)
            slow_until_ms = now_ms + slow_ms * (questions[i] % 2);
        if (now_ms < slow_until_ms)
            return 0;
        slow_until_ms = 0;
        if (replies[i] != NULL)
            rdl_conn_opened(&asks.conn);
        else
            rdl_conn_closed(&asks.conn, RDL_E_CONNECT);
        return 1;
    }
    if ((rdl_conn_wants(&asks.conn) & RDL_WANT_WRITE) == 0)
        return 0;
    ck_assert_str_eq(scripted_sent(&asks),
                     "*3\r\n$8\r\nSENTINEL\r\n$23\r\nget-master-addr-by-name\r\n$1\r\ng\r\n");
    ck_assert_msg(questions[i] == 0 || now_ms - last_ms[i] >= 500, "asked again after %d ms",
                  (int)(now_ms - last_ms[i]));
    questions[i]++;
    last_ms[i] = now_ms;
    if (strcmp(replies[i], CLOSES) == 0)
        scripted_break(&asks);
    else
        scripted_reply(&asks, replies[i]);
    return 1;
}

static void reply_info(enum conduct conduct)
{
    char text[300], info[200];

    if (conduct == NO_INFO) {
        scripted_reply(&server, "-NOPERM no\r\n-NOPERM no\r\n-NOPERM no\r\n");
        return;
    }
    snprintf(info, sizeof info, "run_id:%s\r\nuptime_in_seconds:9000\r\nrole:%s\r\n", run,
             conduct == REPLICA ? "slave" : "master");
    snprintf(text, sizeof text, "$%d\r\n%s\r\n", (int)strlen(info), info);
    for (int i = 0; i < 3; i++)
        scripted_reply(&server, text);
}

static int serve_server(void)
{
    enum conduct conduct;

    if (rdl_conn_wants(&server.conn) & RDL_WANT_OPEN) {
        ck_assert_uint_ge(server.endpoint.port, A);
        connected = is_connecting ? connected : server.endpoint.port;
        conduct = conducts[connected - A];
        is_connecting = conduct == HANGS;
        if (is_connecting)
            return 0;
        if (conduct == DOWN)
            rdl_conn_closed(&server.conn, RDL_E_CONNECT);
        else
            rdl_conn_opened(&server.conn);
        return 1;
    }
    if ((rdl_conn_wants(&server.conn) & RDL_WANT_WRITE) == 0)
        return 0;
    conduct = conducts[connected - A];
    if (rdl_conn_state(&server.conn) != RDL_CONN_HANDSHAKE || conduct == FROZEN)
        return 0;
    scripted_sent(&server);
    reply_info(conduct);
    return 1;
}

/* Time passes only if nothing is to do. */
static int fake_poll(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    int is_busy = 0;

    (void)ctx;
    (void)flags;
    for (size_t i = 0; i < n; i++) {
        if (rdl_conn_wants(conns[i]) & RDL_WANT_CLOSE) {
            rdl_conn_closed(conns[i], rdl_conn_error(conns[i]));
            is_connecting &= conns[i] == &asks.conn;
            is_busy = 1;
        } else {
            is_busy |= conns[i] == &asks.conn ? serve_sentinel() : serve_server();
        }
    }
    if (!is_busy)
        now_ms = until_ms > now_ms && slow_until_ms == 0 ? until_ms : now_ms + 1;
    return RDL_OK;
}

static const struct rdl_platform platform = {fake_poll, scripted_clock, scripted_random, &now_ms};

static void turn(uint64_t until_ms)
{
    struct rdl_sentinel *const groups[] = {&group};
    struct rdl_conn *const conns[] = {&server.conn};
    uint64_t at_ms = rdl_conn_tick(&server.conn, now_ms);

    ck_assert_int_eq(
        rdl_sentinel_poll(&platform, groups, 1, conns, 1, at_ms < until_ms ? at_ms : until_ms, 0), RDL_OK);
}

/* Returns 1 when the server is ready; 0: it is not within this time. */
static int runs_until_ready(uint64_t ms)
{
    uint64_t until_ms = now_ms + ms;

    while (now_ms < until_ms && rdl_conn_state(&server.conn) != RDL_CONN_READY)
        turn(until_ms);
    return rdl_conn_state(&server.conn) == RDL_CONN_READY;
}

static void setup(void)
{
    scripted_init(&server);
    scripted_init(&asks);
    memset(&second, 0, sizeof second);
    memset(questions, 0, sizeof questions);
    memset(last_ms, 0, sizeof last_ms);
    ck_assert_int_eq(rdl_sentinel_parse(&group, &server.endpoint,
                                        "redis-sentinel://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3/g", NULL),
                     RDL_OK);
    asks.cfg.connect_ms = 1000;
    ck_assert_int_eq(rdl_guard_conn(&server.conn), RDL_OK);
    rdl_guard_require_info(&server.conn);
    rdl_sentinel_begin(&group, &server.conn, &server.endpoint, &asks.conn, &asks.endpoint);
    group.second = &second;
    connected = 0;
    is_connecting = 0;
    slow_ms = slow_until_ms = 0;
    now_ms = 1000;
    for (int i = 0; i < 3; i++) {
        replies[i] = NAMES_A;
        conducts[i] = MASTER;
    }
}

/* ---------------------------------------------------------------- whom it asks */

#define LONG_50  "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeee."
#define LONG_253 LONG_50 LONG_50 LONG_50 LONG_50 LONG_50 "abc"

/* What one that is of no use replies, and the text that remains when none is of use. */
static const struct {
    const char *reply, *text;
} useless[] = {
    {REFUSES, "cannot connect"},
    {SILENT, "timed out"},
    {CLOSES, "closed"},
    {"*-1\r\n", "does not know g"},
    {"$-1\r\n", "does not know g"},
    {"-NOAUTH Authentication required.\r\n", "NOAUTH Authentication required."},
    {"-IDONTKNOW\x1b[2J\r\n", "IDONTKNOW?[2J"},
    {"+OK\r\n", "unexpected"},
    {"hello\r\n", "protocol"},
    {"*0\r\n", "unexpected"},
    {"*1\r\n$9\r\n127.0.0.1\r\n", "unexpected"},
    {"*3\r\n$9\r\n127.0.0.1\r\n$4\r\n7001\r\n$1\r\n1\r\n", "unexpected"},
    {"*2\r\n:1\r\n:7001\r\n", "unexpected"},
    {"*2\r\n$9\r\n127.0.0.1\r\n$-1\r\n", "unexpected"},
    {"*2\r\n$-1\r\n$4\r\n7001\r\n", "named an address that is none for g"},
    {"*2\r\n$9\r\n127.0.0.1\r\n$1\r\n0\r\n", "unexpected"},
    {"*2\r\n$9\r\n127.0.0.1\r\n$5\r\n65536\r\n", "unexpected"},
    {"*2\r\n$9\r\n127.0.0.1\r\n$20\r\n18446744073709558617\r\n", "unexpected"}, /* 7001 + 2^64 */
    {"*2\r\n$9\r\n127.0.0.1\r\n$5\r\n7001x\r\n", "unexpected"},
    {"*2\r\n$0\r\n\r\n$4\r\n7001\r\n", "named an address that is none for g"},
    {"*2\r\n$9\r\n127.0.0.1\r\n$0\r\n\r\n", "unexpected"},
    {"*2\r\n$11\r\n127.0.0.1/2\r\n$4\r\n7001\r\n", "named an address that is none for g"},
    {"*2\r\n$11\r\nu@127.0.0.1\r\n$4\r\n7001\r\n", "named an address that is none for g"},
    {"*2\r\n$14\r\n127.0.0.1:7001\r\n$4\r\n7001\r\n", "named an address that is none for g"},
    {"*2\r\n$5\r\nfe80:\r\n$4\r\n7001\r\n", "named an address that is none for g"},
    {"*2\r\n$5\r\na b.c\r\n$4\r\n7001\r\n", "named an address that is none for g"},
    {"*2\r\n$254\r\n" LONG_253 "d\r\n$4\r\n7001\r\n", "named an address that is none for g"},
    {"*2\r\n$300\r\n" LONG_50 LONG_50 LONG_50 LONG_50 LONG_50 LONG_50 "\r\n$4\r\n7001\r\n",
     "named an address that is none for g"},
};

START_TEST(the_next_sentinel_is_asked_after_one_of_no_use)
{
    replies[0] = useless[_i].reply;
    replies[1] = NAMES_B;
    ck_assert(runs_until_ready(1900)); /* before connecting times out */
    ck_assert_uint_eq(connected, B);
    ck_assert_uint_eq(questions[2], 0);
    ck_assert_str_eq(rdl_sentinel_text(&group), "");
    ck_assert_uint_eq(second.port, B);
}
END_TEST

/* When they are of use again, the server connects. */
START_TEST(if_none_is_of_use_the_text_says_why)
{
    for (int i = 0; i < SENTINELS; i++)
        replies[i] = useless[_i].reply;
    ck_assert(!runs_until_ready(LONGEST_MS));
    ck_assert_uint_eq(connected, 0);
    ck_assert_msg(strstr(rdl_sentinel_text(&group), useless[_i].text) != NULL, "%s",
                  rdl_sentinel_text(&group));
    ck_assert_int_eq(strncmp(rdl_sentinel_text(&group), "sentinel 127.0.0.1:", 19), 0);
    for (int i = 0; i < SENTINELS; i++)
        replies[i] = NAMES_C;
    ck_assert(runs_until_ready(LONGEST_MS));
    ck_assert_uint_eq(connected, C);
}
END_TEST

/* A cut off sentinel names what was the master before the failover. */
START_TEST(a_sentinel_that_names_no_master_is_left)
{
    static const enum conduct wrong[] = {REPLICA, DOWN, HANGS, FROZEN, NO_INFO};

    conducts[0] = wrong[_i];
    replies[1] = replies[2] = NAMES_B;
    ck_assert(runs_until_ready(LONGEST_MS));
    ck_assert_uint_eq(connected, B);
    ck_assert_uint_le(questions[0], 5); /* while connecting, one each half second */
    ck_assert_uint_eq(questions[1], 1);
}
END_TEST

START_TEST(a_lost_connection_asks_the_same_sentinel_again)
{
    for (unsigned i = 1; i <= 3; i++) {
        ck_assert(runs_until_ready(LONGEST_MS));
        ck_assert_uint_eq(questions[0], i);
        turn(now_ms); /* it is found to be ready */
        scripted_break(&server);
        replies[0] = i == 1 ? NAMES_C : NAMES_A;
    }
    ck_assert_uint_eq(questions[1] + questions[2], 0);
}
END_TEST

/* serve_sentinel checks that questions to the same sentinel are half a second apart. */
static const struct {
    const char *replies[SENTINELS];
    enum conduct conducts[3];
} hopeless[] = {
    {{REFUSES, REFUSES, REFUSES}, {MASTER}},
    {{CLOSES, CLOSES, CLOSES}, {MASTER}},
    {{SILENT, SILENT, SILENT}, {MASTER}},
    {{NAMES_A, NAMES_A, NAMES_A}, {REPLICA}},
    {{NAMES_A, NAMES_A, NAMES_A}, {NO_INFO}},
    {{NAMES_A, NAMES_A, NAMES_A}, {HANGS}},
    {{NAMES_A, NAMES_A, NAMES_A}, {DOWN}},
    {{NAMES_A, NAMES_B, NAMES_C}, {DOWN, DOWN, DOWN}},
    {{NAMES_A, NAMES_B, NAMES_C}, {HANGS, HANGS, HANGS}},
    {{NAMES_A, NAMES_B, NAMES_C}, {FROZEN, REPLICA, DOWN}},
    {{NAMES_A, REFUSES, SILENT}, {FROZEN}},
};

START_TEST(each_sentinel_is_asked_twice_a_second_at_most)
{
    memcpy(replies, hopeless[_i % COUNT(hopeless)].replies, sizeof replies);
    memcpy(conducts, hopeless[_i % COUNT(hopeless)].conducts, sizeof conducts);
    slow_ms = 90; /* a question goes out when its connection is open */
    group.n = _i < COUNT(hopeless) ? SENTINELS : 1;
    ck_assert(!runs_until_ready(60000));
    for (int i = 0; i < group.n; i++)
        ck_assert(replies[i] == REFUSES || questions[i] > 3); /* and none is forgotten */
}
END_TEST

/* ---------------------------------------------------------------- a failover */

/* A SET whose reply is overdue keeps the connection for its ttl. */
static void stall(void)
{
    static struct rdl_req req;
    struct rdl_command cmd = {.op = &rdl_op_acquire,
                              .name = {"k", 1},
                              .value = {"v", 1},
                              .ttl_ms = 60000,
                              .until_ms = now_ms + 60000};

    memset(&req, 0, sizeof req);
    rdl_conn_set_timeout(&server.conn, 100);
    ck_assert_int_eq(rdl_conn_submit(&server.conn, &req, &cmd), RDL_OK);
    scripted_sent(&server);
    rdl_conn_tick(&server.conn, now_ms);
    now_ms += 101;
    rdl_conn_tick(&server.conn, now_ms);
    ck_assert_int_eq(rdl_conn_state(&server.conn), RDL_CONN_STALLED);
}

START_TEST(a_stalled_server_is_left_if_the_master_is_elsewhere)
{
    ck_assert(runs_until_ready(LONGEST_MS));
    turn(now_ms);
    for (int i = 0; i < SENTINELS; i++)
        replies[i] = NAMES_B;
    now_ms += 600;
    stall();
    for (int i = 0; i < 20 && connected == A; i++)
        turn(now_ms + LONGEST_MS);
    ck_assert_uint_eq(connected, B);
    ck_assert_uint_lt(now_ms, 10000);
    ck_assert(runs_until_ready(LONGEST_MS));
    ck_assert_str_eq(second.host, "127.0.0.1");
    ck_assert_uint_eq(second.port, B);
}
END_TEST

/* The other address is used even by a connection that was about to be opened. */
START_TEST(a_connect_to_the_old_address_is_ended)
{
    conducts[0] = HANGS;
    while (now_ms < 1400)
        turn(1400);
    ck_assert_uint_eq(connected, A);
    replies[0] = NAMES_B;
    ck_assert(runs_until_ready(1500)); /* connecting to A takes 2 s */
    ck_assert_uint_eq(connected, B);
}
END_TEST

static const struct {
    uint64_t later_ms; /* than the last time that a sentinel named the master */
    const char *reply;
    uint16_t port;      /* where the next request goes */
    unsigned questions; /* to the first sentinel */
} renewals[] = {{99, NAMES_A, A, 0}, {600, NAMES_A, A, 1}, {600, NAMES_B, B, 2}, {600, REFUSES, A, 1}};

/* Its old master extends a lease until it is demoted. */
START_TEST(a_request_waits_until_the_master_is_named_again)
{
    struct rdl_req req = {0};
    struct rdl_command cmd = {.op = &rdl_op_time, .name = {"k", 1}};
    const uint8_t action = RDL_EXTEND;
    unsigned before;

    group.action = &action;
    ck_assert(runs_until_ready(LONGEST_MS));
    turn(now_ms);
    turn(now_ms);
    before = questions[0];
    for (int i = 0; i < SENTINELS; i++)
        replies[i] = renewals[_i].reply;
    now_ms = group.named_ms + renewals[_i].later_ms;
    ck_assert_int_eq(rdl_conn_submit(&server.conn, &req, &cmd), RDL_OK);
    for (int i = 0; i < 40; i++) {
        turn(now_ms + 100);
        if (rdl_sentinel_may_run(&group) && connected == renewals[_i].port)
            break;
    }
    ck_assert(rdl_sentinel_may_run(&group));
    ck_assert_uint_eq(connected, renewals[_i].port);
    ck_assert_uint_eq(questions[0] - before, renewals[_i].reply == REFUSES ? 0 : renewals[_i].questions);
    rdl_conn_abandon(&server.conn, &req);
}
END_TEST

START_TEST(a_master_that_is_named_by_a_host_name_waits_for_its_address)
{
    for (int i = 0; i < SENTINELS; i++)
        replies[i] = "*2\r\n$6\r\nb.test\r\n$4\r\n7002\r\n";
    ck_assert(!runs_until_ready(1500));
    ck_assert_uint_eq(connected, 0);
    ck_assert(rdl_sentinel_needs_address(&group));
    ck_assert_str_eq(server.endpoint.host, "b.test");
    server.endpoint.family = RDL_INET;
    ck_assert(runs_until_ready(LONGEST_MS));
    ck_assert_uint_eq(connected, B);
}
END_TEST

START_TEST(an_ipv6_address_is_taken)
{
    replies[0] = "*2\r\n$3\r\n::1\r\n$4\r\n7003\r\n";
    ck_assert(runs_until_ready(LONGEST_MS));
    ck_assert_uint_eq(server.endpoint.family, RDL_INET6);
    ck_assert_uint_eq(server.endpoint.ip[15], 1);
}
END_TEST

/* ---------------------------------------------------------------- the canary */

#define GET_CANARY "*2\r\n$3\r\nGET\r\n$10\r\nrdl:canary\r\n*1\r\n$4\r\nTIME\r\n"
#define TIME       "*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n"

/* A value of another run is deleted before; none, and that of this run, are not. */
static const struct {
    const char *value;
    int deletes, makes;
} canaries[] = {
    {"$-1\r\n", 0, 1},
    {"$27\r\n0011223344556677 1690000000\r\n", 1, 1},
    {"$27\r\nffeeddccbbaa9988 1690000000\r\n", 0, 0},
};

START_TEST(another_run_gets_its_canary_at_once)
{
    const char *sent;

    group.has_canary = 1;
    ck_assert(runs_until_ready(LONGEST_MS));
    turn(now_ms);
    ck_assert_str_eq(scripted_sent(&server), ""); /* the first run: the lock checks it with its vote */
    scripted_break(&server);
    run = "ffeeddccbbaa99887766554433221100ffeeddcc";
    ck_assert(runs_until_ready(LONGEST_MS));
    turn(now_ms);
    ck_assert_str_eq(scripted_sent(&server), GET_CANARY);
    scripted_reply(&server, canaries[_i].value);
    scripted_reply(&server, TIME);
    turn(now_ms);
    sent = scripted_sent(&server);
    ck_assert_int_eq(strstr(sent, "0011223344556677") != NULL, canaries[_i].deletes);
    ck_assert_int_eq(strstr(sent, "ffeeddccbbaa9988") != NULL, canaries[_i].makes);
}
END_TEST

Suite *suite_sentinel_steps(void)
{
    Suite *suite = suite_create("sentinel_steps");
    TCase *tc = suite_case(suite, "steps", setup, NULL);

    tcase_add_loop_test(tc, the_next_sentinel_is_asked_after_one_of_no_use, 0, COUNT(useless));
    tcase_add_loop_test(tc, if_none_is_of_use_the_text_says_why, 0, COUNT(useless));
    tcase_add_loop_test(tc, a_sentinel_that_names_no_master_is_left, 0, 5);
    tcase_add_test(tc, a_lost_connection_asks_the_same_sentinel_again);
    tcase_add_loop_test(tc, each_sentinel_is_asked_twice_a_second_at_most, 0, 2 * COUNT(hopeless));
    tcase_add_test(tc, a_stalled_server_is_left_if_the_master_is_elsewhere);
    tcase_add_test(tc, a_connect_to_the_old_address_is_ended);
    tcase_add_loop_test(tc, a_request_waits_until_the_master_is_named_again, 0, COUNT(renewals));
    tcase_add_test(tc, a_master_that_is_named_by_a_host_name_waits_for_its_address);
    tcase_add_test(tc, an_ipv6_address_is_taken);
    tcase_add_loop_test(tc, another_run_gets_its_canary_at_once, 0, COUNT(canaries));
    return suite;
}
