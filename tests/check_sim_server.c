/* SPDX-License-Identifier: MIT */
/*
 * check_sim_server.c - the model server against a real one: the same random commands, the same bytes.
 *
 * What a key has left may differ by what passes between the two; all else must not.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "resp/resp.h"
#include "tests/live/servers.h"
#include "tests/sim/server.h"

enum { PIPELINES = 30000, CALLS = 6, BYTES = 8192, TOLERANCE_MS = 5000 };

static const struct sim_features redis70 = {.version = "7.0.15"};
static struct live_server real;
static struct sim_server model;
static struct sim_session session;
static int fd = -1;
static char in[BYTES];
static size_t in_len;
static uint8_t expected[4 * BYTES], got[4 * BYTES];

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void connect_both(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)real.port)};
    int on = 1;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    memset(&session, 0, sizeof session);
}

static void setup(void)
{
    live_start(&real);
    sim_server_start(&model, &redis70, 1, now_ms());
    connect_both();
}

static void teardown(void)
{
    close(fd);
    live_remove(&real);
}

/* ---------------------------------------------------------------- commands */

static uint64_t seed;

static unsigned below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

/*
 * What a word of a shape stands for: %k a key, %t a token, %n a number, %r %e %a %p our scripts, %R %E the
 * sums of two of them.
 */
static const char *meaning(const char *word)
{
    static const char *const keys[] = {"nightly", "{nightly}:fence", "list"};
    static const char *const tokens[] = {"0123456789abcdef0123456789abcdef00000001", "other"};
    static const char *const numbers[] = {"100000", "250000", "0", "-1", "x", "9223372036854775807"};
    if (word[0] != '%')
        return word;
    switch (word[1]) {
    case 'k':
        return keys[below(3)];
    case 't':
        return tokens[below(2)];
    case 'n':
        return numbers[below(6)];
    case 'r':
        return rdl_script_release.text;
    case 'e':
        return rdl_script_extend.text;
    case 'a':
        return rdl_script_acquire.text;
    case 'p':
        return rdl_script_replace.text;
    case 'R':
        return rdl_script_release.sha;
    default:
        return rdl_script_extend.sha;
    }
}

/* A request of these words, with single blanks between them. */
static void add(const char *shape)
{
    char copy[256], *words[16], *rest = NULL;
    int n = 0;
    snprintf(copy, sizeof copy, "%s", shape);
    for (char *w = strtok_r(copy, " ", &rest); w && n < 16; w = strtok_r(NULL, " ", &rest))
        words[n++] = w;
    in_len += (size_t)snprintf(in + in_len, sizeof in - in_len, "*%d\r\n", n);
    for (int i = 0; i < n; i++) {
        const char *text = meaning(words[i]);
        in_len += (size_t)snprintf(in + in_len, sizeof in - in_len, "$%zu\r\n%s\r\n", strlen(text), text);
    }
}

/* clang-format off: a table */
static const char *const shapes[] = {"SET %k %t NX PX %n",
                                     "set %k %t px %n nx",
                                     "SET %k %t",
                                     "SET %k %t XX GET EX 100",
                                     "SET %k %t NX XX",
                                     "SET %k %t KEEPTTL",
                                     "SET %k %t PX",
                                     "SET %k",
                                     "GET %k",
                                     "DEL %k",
                                     "DEL %k nightly",
                                     "EXISTS %k %k",
                                     "SETNX %k %t",
                                     "GETSET %k %t",
                                     "PSETEX %k %n %t",
                                     "EVAL %a 2 %k fence %t 90000 77777 900000",
                                     "EVAL %p 1 %k %t other",
                                     "PTTL %k",
                                     "PEXPIRE %k %n",
                                     "LPUSH list x",
                                     "EVAL %r 1 %k %t",
                                     "EVAL %e 1 %k %t %n",
                                     "EVALSHA %R 1 %k %t",
                                     "EVALSHA %E 1 %k %t %n",
                                     "EVALSHA %E 1 %k %t 90000",
                                     "SCRIPT LOAD %r",
                                     "SCRIPT LOAD %e",
                                     "SCRIPT FLUSH",
                                     "SCRIPT EXISTS %R",
                                     "EVAL %r 9 %k",
                                     "EVAL %r x %k",
                                     "SELECT 0",
                                     "SELECT 1",
                                     "SELECT 99",
                                     "SELECT x",
                                     "CLIENT SETNAME a",
                                     "CLIENT GETNAME",
                                     "AUTH x",
                                     "AUTH default x",
                                     "AUTH nobody x",
                                     "AUTH",
                                     "PING",
                                     "PING %k",
                                     "DELEX %k IFEQ %t",
                                     "DELIFEQ %k %t",
                                     "SET %k %t IFEQ %t PX 1000",
                                     "NOSUCH",
                                     "GET",
                                     "FLUSHALL",
                                     "EXEC",
                                     "DISCARD"};
/* clang-format on */

static const char *const by_watch[][6] = {
    {"WATCH nightly", "GET nightly", "PTTL nightly", "MULTI", "DEL nightly", "EXEC"},
    {"WATCH nightly", "GET nightly", "PTTL nightly", "MULTI", "PEXPIRE nightly %n", "EXEC"},
    {"WATCH list", "DEL list", "PTTL list", "MULTI", "DEL list", "EXEC"},
    {"WATCH list", "SET list x", "MULTI", "SET %k", "GET %k", "EXEC"},
    {"WATCH list", "GET list", "MULTI", "MULTI", "SELECT 0", "DISCARD"}};

static void add_random(void)
{
    unsigned k = below(64);
    if (k < 51) {
        add(shapes[k]);
        return;
    }
    add("UNWATCH"); /* the model watches one key at a time */
    for (int i = 0; i < 6; i++)
        add(by_watch[k % 5][i]);
}

/* ---------------------------------------------------------------- comparing */

static size_t ask_real(void)
{
    static const char end[] = "$7\r\nthe end\r\n";
    size_t n = 0, len = strlen(end);
    for (size_t sent = 0; sent < in_len;) {
        ssize_t k = write(fd, in + sent, in_len - sent);
        ck_assert_int_gt(k, 0);
        sent += (size_t)k;
    }
    while (n < len || memcmp(got + n - len, end, len) != 0) {
        ssize_t k = read(fd, got + n, sizeof got - n);
        ck_assert_int_gt(k, 0);
        n += (size_t)k;
    }
    return n;
}

static size_t ask_model(void)
{
    struct sim_out out = {expected, sizeof expected, 0};
    size_t used = sim_server_input(&model, &session, (const uint8_t *)in, in_len, now_ms(), &out);
    ck_assert_uint_eq(used, in_len);
    return out.len;
}

/* Line by line; of two numbers the difference may be the time that passed. */
static int is_same(const char *a, const char *b)
{
    while (*a && *b) {
        size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        long long x = a[0] == ':' ? atoll(a + 1) : 0, y = b[0] == ':' ? atoll(b + 1) : 0;
        int is_near = x >= 1000 && y >= 1000 && llabs(x - y) < TOLERANCE_MS;
        if (!is_near && (n != m || memcmp(a, b, n) != 0))
            return 0;
        a += n + (a[n] != '\0');
        b += m + (b[m] != '\0');
    }
    return *a == *b;
}

START_TEST(it_answers_random_commands_as_the_real_server_does)
{
    seed = 17;
    for (int i = 0; i < PIPELINES; i++) {
        in_len = 0;
        for (unsigned n = 1 + below(CALLS); n > 0; n--)
            add_random();
        add("UNWATCH");
        in_len += (size_t)snprintf(in + in_len, sizeof in - in_len, "*2\r\n$4\r\nPING\r\n$7\r\nthe end\r\n");
        size_t n = ask_real(), m = ask_model();
        got[n] = expected[m] = '\0';
        ck_assert_msg(is_same((char *)expected, (char *)got), "pipeline %d:\n%.*s\nmodel:\n%s\nreal:\n%s", i,
                      (int)in_len, in, (char *)expected, (char *)got);
    }
}
END_TEST

START_TEST(it_refuses_what_is_no_request_as_the_real_server_does)
{
    static const char *const bad[] = {"*1\r\n+PING\r\n", "*x\r\n", "*1\r\n$x\r\n"};
    for (size_t i = 0; i < 3; i++) {
        struct sim_out out = {expected, sizeof expected, 0};
        size_t n = 0;
        close(fd);
        connect_both();
        ck_assert_int_eq(write(fd, bad[i], strlen(bad[i])), (ssize_t)strlen(bad[i]));
        for (ssize_t k; (k = read(fd, got + n, sizeof got - n)) > 0;)
            n += (size_t)k;
        sim_server_input(&model, &session, (const uint8_t *)bad[i], strlen(bad[i]), now_ms(), &out);
        ck_assert(session.closing);
        ck_assert_uint_eq(out.len, n);
        ck_assert_mem_eq(expected, got, n);
    }
}
END_TEST

/* Cut anywhere, the same answers. */
START_TEST(it_takes_requests_in_pieces)
{
    struct sim_out whole = {expected, sizeof expected, 0}, pieces = {got, sizeof got, 0};
    uint64_t now = 1000000;
    in_len = 0;
    add("SET nightly t NX PX 1000");
    add("EVAL %r 1 nightly t");
    add("PTTL nightly");
    sim_server_input(&model, &session, (const uint8_t *)in, in_len, now, &whole);
    sim_server_start(&model, &redis70, 1, now);
    size_t at = 0;
    for (size_t end = 1; end <= in_len; end++)
        at += sim_server_input(&model, &session, (const uint8_t *)in + at, end - at, now, &pieces);
    ck_assert_uint_eq(at, in_len);
    ck_assert_uint_eq(pieces.len, whole.len);
    ck_assert_mem_eq(got, expected, whole.len);
}
END_TEST

Suite *suite_sim_server(void);

Suite *suite_sim_server(void)
{
    Suite *s = suite_create("sim_server");
    TCase *t = tcase_create("beside a real server");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, it_answers_random_commands_as_the_real_server_does);
    tcase_add_test(t, it_refuses_what_is_no_request_as_the_real_server_does);
    tcase_add_test(t, it_takes_requests_in_pieces);
    suite_add_tcase(s, t);
    return s;
}
