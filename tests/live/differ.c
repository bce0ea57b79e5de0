/* SPDX-License-Identifier: MIT */
/* differ.c - the model server beside a real one; see differ.h. */
#define _POSIX_C_SOURCE 200809L
#include "tests/live/differ.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "resp/resp.h"

enum { CALLS = 6, BYTES = 16384, TOLERANCE_MS = 5000 };

char differ_text[16384];

static struct sim_server model;
static struct sim_session session;
static int fd = -1;
static long commands;
static char in[BYTES];
static size_t in_len;
static uint8_t expected[4 * BYTES], got[4 * BYTES];

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int open_real(uint16_t port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
    const struct timeval patience = {20, 0};
    int on = 1;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) != 0)
        return 0;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    memset(&session, 0, sizeof session);
    return 1;
}

/* ---------------------------------------------------------------- commands */

static uint64_t seed;

static unsigned below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

/*
 * What a word of a shape stands for: %k a key, %t a token, %n a number, %r %e %a %p %g %w our scripts,
 * %1 %2 %3 those for several locks, %R %E %A %W the sums of some of them.
 */
static const char *meaning(const char *word)
{
    static const char *const keys[] = {"nightly", "{nightly}:fence", "list", "{nightly}:wake"};
    static const char *const tokens[] = {"0123456789abcdef0123456789abcdef00000001", "other"};
    static const char *const numbers[] = {"100000", "250000", "0", "-1", "x", "9223372036854775807"};
    if (word[0] != '%')
        return word;
    switch (word[1]) {
    case 'k':
        return keys[below(4)];
    case 't':
        return tokens[below(2)];
    case 'n':
        return numbers[below(model.features->texts == SIM_REDIS6 ? 5 : 6)]; /* the last overflows there */
    case 'r':
        return rdl_script_release.text;
    case 'e':
        return rdl_script_extend.text;
    case 'a':
        return rdl_script_acquire.text;
    case 'p':
        return rdl_script_replace.text;
    case 'g':
        return rdl_script_extend_fenced.text;
    case 'w':
        return rdl_script_release_wake.text;
    case '1':
        return rdl_script_acquire_multi.text;
    case '2':
        return rdl_script_extend_multi.text;
    case '3':
        return rdl_script_release_multi.text;
    case 'R':
        return rdl_script_release.sha;
    case 'A':
        return rdl_script_acquire.sha;
    case 'W':
        return rdl_script_release_wake.sha;
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
    commands++;
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
                                     "EVAL %a 2 %k fence %t 90000 77777 0",
                                     "EVAL %p 1 %k %t other",
                                     "EVAL %g 2 %k fence %t 0 5 900000",
                                     "EVAL %g 2 %k fence %t 95000 99999 0",
                                     "EVAL %g 2 %k list %t 95000 99999 800000",
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
                                     "SET %k %t IFEQ %t PX 100000",
                                     "NOSUCH",
                                     "GET",
                                     "FLUSHALL",
                                     "EXEC",
                                     "DISCARD",
                                     "TYPE %k",
                                     "RPUSH %k a",
                                     "RPUSH %k a b",
                                     "LPUSH list x y",
                                     "LLEN %k",
                                     "BLPOP %k 0.002",
                                     "BLPOP %k 1x",
                                     "BLPOP list -1",
                                     "INFO cluster",
                                     "INFO nosuch",
                                     "EVAL %w 2 %k {nightly}:wake %t 90000",
                                     "EVALSHA %W 2 %k {nightly}:wake %t 90000",
                                     "EVALSHA %A 2 %k fence %t 90000 5 900000",
                                     "EVAL %1 2 nightly %k %t 90000",
                                     "EVAL %1 3 nightly list %k %t 90000",
                                     "EVAL %2 2 nightly %k %t %n",
                                     "EVAL %3 2 nightly %k %t",
                                     "EVAL %3 3 %k nightly list %t",
                                     "EVAL %3 1 %k",
                                     "SCRIPT LOAD %w",
                                     "SCRIPT LOAD %a",
                                     "DELEX",
                                     "DELIFEQ",
                                     "SET %k %t IFEQ %t KEEPTTL",
                                     "SET %k %t IFEQ %t",
                                     "AUTH default",
                                     "CLIENT SETNAME b\x01c",
                                     "TIME x"};
/* clang-format on */

static const char *const by_watch[][6] = {
    {"WATCH nightly", "GET nightly", "PTTL nightly", "MULTI", "DEL nightly", "EXEC"},
    {"WATCH nightly", "GET nightly", "PTTL nightly", "MULTI", "PEXPIRE nightly %n", "EXEC"},
    {"WATCH list", "DEL list", "PTTL list", "MULTI", "DEL list", "EXEC"},
    {"WATCH list", "SET list x", "MULTI", "SET %k", "GET %k", "EXEC"},
    {"WATCH list", "GET list", "MULTI", "MULTI", "SELECT 0", "DISCARD"}};

enum { SHAPES = sizeof shapes / sizeof shapes[0], WATCHES = 5 };

static void add_random(void)
{
    unsigned k = below(SHAPES + 12);
    /* newer servers do not answer a login that fails behind other requests: ours stands alone */
    int is_mute =
        k < SHAPES && in_len > 0 && model.features->texts >= SIM_REDIS8 && strncmp(shapes[k], "AUTH", 4) == 0;
    if (is_mute)
        return;
    if (k < SHAPES) {
        add(shapes[k]);
        return;
    }
    add("UNWATCH"); /* the model watches one key at a time */
    for (int i = 0; i < 6; i++)
        add(by_watch[k % WATCHES][i]);
}

/* ---------------------------------------------------------------- asking both */

/* Until its answer ends in that of the last PING; how many bytes, 0: it does not answer. */
static size_t ask_real(void)
{
    static const char end[] = "$7\r\nthe end\r\n";
    size_t n = 0, len = strlen(end);
    for (size_t sent = 0; sent < in_len;) {
        ssize_t k = write(fd, in + sent, in_len - sent);
        if (k <= 0)
            return 0;
        sent += (size_t)k;
    }
    while (n < len || memcmp(got + n - len, end, len) != 0) {
        ssize_t k = read(fd, got + n, sizeof got - 1 - n);
        if (k <= 0)
            return 0;
        n += (size_t)k;
    }
    return n;
}

static size_t ask_model(void)
{
    struct sim_out out = {expected, sizeof expected - 1, 0};
    uint64_t now = now_ms();
    size_t used = 0;
    for (int i = 0; used < in_len && i < 100; i++) {
        used += sim_server_input(&model, &session, (const uint8_t *)in + used, in_len - used, now, &out);
        if (session.ticket != 0)
            now = sim_server_wakes(&model, &session);
    }
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

static int compare(void)
{
    size_t n = ask_real(), m = ask_model();
    got[n] = expected[m] = '\0';
    if (n > 0 && is_same((char *)expected, (char *)got))
        return 1;
    snprintf(differ_text, sizeof differ_text, "behind %ld commands:\n%.*s\nmodel:\n%.5000s\nreal:\n%.5000s",
             commands, (int)(in_len < 5000 ? in_len : 5000), in, (char *)expected,
             n > 0 ? (char *)got : "(no answer)");
    return 0;
}

static void add_end(void)
{
    in_len += (size_t)snprintf(in + in_len, sizeof in - in_len, "*2\r\n$4\r\nPING\r\n$7\r\nthe end\r\n");
}

long differ_run(uint16_t port, const struct sim_features *kind, uint64_t from, long n)
{
    int ok = open_real(port);
    if (!ok)
        snprintf(differ_text, sizeof differ_text, "no connection to port %u", port);
    sim_server_start(&model, kind, 1, now_ms());
    seed = from;
    commands = 0;
    while (ok && commands < n) {
        in_len = 0;
        for (unsigned i = 1 + below(CALLS); i > 0; i--)
            add_random();
        add("UNWATCH");
        add_end();
        ok = compare();
    }
    if (fd >= 0)
        close(fd);
    fd = -1;
    return ok ? commands : -1;
}

int differ_bytes(uint16_t port, const struct sim_features *kind, const char *bytes)
{
    struct sim_out out = {expected, sizeof expected - 1, 0};
    size_t n = 0, len = strlen(bytes);
    if (!open_real(port) || write(fd, bytes, len) != (ssize_t)len)
        return 0;
    for (ssize_t k; (k = read(fd, got + n, sizeof got - 1 - n)) > 0;)
        n += (size_t)k;
    close(fd);
    fd = -1;
    sim_server_start(&model, kind, 1, now_ms());
    sim_server_input(&model, &session, (const uint8_t *)bytes, len, now_ms(), &out);
    got[n] = expected[out.len] = '\0';
    snprintf(differ_text, sizeof differ_text, "%.99s: model: %.5000s real: %.5000s", bytes, (char *)expected,
             (char *)got);
    return session.closing && out.len == n && memcmp(expected, got, n) == 0;
}

/* ---------------------------------------------------------------- kinds of servers */

static const struct {
    const char *field; /* of INFO */
    int major, minor;  /* from this version on */
    struct sim_features features;
} kinds[] = {
    {"valkey_version:", 9, 0, {.version = "9.1.2", .texts = SIM_VALKEY9, .has_delifeq = 1, .has_ifeq = 1}},
    {"valkey_version:", 8, 1, {.version = "8.1.1", .texts = SIM_VALKEY8, .has_ifeq = 1}},
    {"redis_version:", 8, 4, {.version = "8.6.3", .texts = SIM_REDIS84, .has_delex = 1, .has_ifeq = 1}},
    {"redis_version:", 8, 0, {.version = "8.0.6", .texts = SIM_REDIS8}},
    {"redis_version:", 7, 0, {.version = "7.0.15"}},
    {"redis_version:", 6, 0, {.version = "6.0.16", .texts = SIM_REDIS6}},
};

static int is_at_least(const char *info, const char *field, int major, int minor)
{
    const char *at = strstr(info, field);
    int a = 0, b = 0;
    if (!at || sscanf(at + strlen(field), "%d.%d", &a, &b) != 2)
        return 0;
    return a > major || (a == major && b >= minor);
}

const struct sim_features *differ_kind(uint16_t port)
{
    if (!open_real(port))
        return NULL;
    in_len = (size_t)snprintf(in, sizeof in, "INFO server\r\n");
    add_end();
    got[ask_real()] = '\0';
    close(fd);
    fd = -1;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (is_at_least((char *)got, kinds[i].field, kinds[i].major, kinds[i].minor))
            return &kinds[i].features;
    return NULL;
}
