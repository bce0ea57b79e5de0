/* SPDX-License-Identifier: MIT */
/*
 * wire.c - prints one line for every command: its name, and the bytes that a conn writes for it. The
 * arguments are lock:a, the token of forty digits and 30000 ms. `make wire` writes them to wire.txt.
 *
 * The ops write them themselves, over a conn whose server's replies are in this file. Each line is written
 * again with transports that take 1, 2, 3 ... bytes at a time, up to all of them: the bytes must be the same.
 */
#include "net/net_op.h"
#include "redlock/cli/servers/commands.h"
#include "redlock/easy/sentinel_commands.h"
#include "redlock/redlock_op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN   "0123456789abcdef0123456789abcdef01234567"
#define UNTIL_S "1700000030.123456789"
#define NOPERM  "-NOPERM this user has no permissions\r\n"
#define UNKNOWN "-ERR unknown command\r\n"
#define CHECKED "+OK\r\n$40\r\n" TOKEN "\r\n:5\r\n+OK\r\n" /* WATCH, GET, PTTL, MULTI: it is ours */
#define OTHERS  "+OK\r\n$1\r\nx\r\n:5\r\n+OK\r\n"
#define NEITHER "+OK\r\n*2\r\n$-1\r\n$-1\r\n:-2\r\n+OK\r\n" /* MGET instead of GET: both are free */
#define BOTHS   "+OK\r\n*2\r\n$40\r\n" TOKEN "\r\n$40\r\n" TOKEN "\r\n:5\r\n+OK\r\n"
#define RUN     "$25\r\nrun_id:00c0ffee12345678\r\n\r\n"

enum { SENT_MAX = 2048, REPLIES_MAX = 5, NOW_MS = 1000, TTL_MS = 30000 };
#define LITERAL(text)                                                                                        \
    {                                                                                                        \
        text, sizeof(text) - 1                                                                               \
    }

/* One line: the request, the server's replies, and which of the commands sent after those it prints. */
struct line {
    const char *name;
    const struct rdl_endpoint *endpoint; /* NULL: no login */
    const struct rdl_op *op;             /* NULL: only login and connection checks */
    struct rdl_bytes key;
    struct rdl_bytes value;
    struct rdl_bytes extra;
    uint32_t ttl_ms;
    int has_checks;
    const char *replies[REPLIES_MAX]; /* these complete the request; then it is sent again */
    unsigned shown;
};

static const struct rdl_endpoint by_password = {
    .password = LITERAL("secret"), .client_name = LITERAL("worker-7"), .db = 3};
static const struct rdl_endpoint by_user = {.user = LITERAL("alice"), .password = LITERAL("secret")};

/* SCAN is the command's own. Here the cursor is in place of the name, the pattern in place of the value. */
static void scan_write_args(struct rdl_slice *w, const char *const *commands,
                            const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                            const struct rdl_record *r)
{
    const struct rdl_args args = {"gp", own, 2};

    (void)c;
    (void)r;
    rdl_slice_write_all(w, commands, &args);
}

static const char *const scan[] = {rdl_wire_scan, NULL};
static const struct rdl_method scan_method = {.commands = scan, .write_args = scan_write_args};
static const struct rdl_method *const scan_methods[] = {&scan_method, NULL};
static const struct rdl_op op_scan = {.methods = scan_methods};

/* And the doctor's queries: the setting is in place of the name. */
static void setting_write_args(struct rdl_slice *w, const char *const *commands,
                               const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                               const struct rdl_record *r)
{
    const struct rdl_args args = {"p", own, 1};

    (void)c;
    (void)r;
    rdl_slice_write_all(w, commands, &args);
}

static const char *const setting[] = {rdl_wire_config_get, NULL};
static const struct rdl_method setting_method = {.commands = setting, .write_args = setting_write_args};
static const struct rdl_method *const setting_methods[] = {&setting_method, NULL};
static const struct rdl_op op_setting = {.methods = setting_methods};

static const char *const persistence[] = {rdl_wire_info_persistence, NULL};
static const struct rdl_method persistence_method = {.commands = persistence};
static const struct rdl_method *const persistence_methods[] = {&persistence_method, NULL};
static const struct rdl_op op_persistence = {.methods = persistence_methods};

static const char *const getrange[] = {rdl_wire_getrange, rdl_wire_strlen, rdl_wire_type, NULL};
static const struct rdl_method getrange_method = {.commands = getrange};
static const struct rdl_method *const getrange_methods[] = {&getrange_method, NULL};
static const struct rdl_op op_getrange = {.methods = getrange_methods};

static const char *const sentinel[] = {rdl_wire_sentinel_address, rdl_wire_sentinel_master, NULL};
static const struct rdl_method sentinel_method = {.commands = sentinel};
static const struct rdl_method *const sentinel_methods[] = {&sentinel_method, NULL};
static const struct rdl_op op_sentinel = {.methods = sentinel_methods};

/* clang-format off */
#define OP(name, op, value, extra) \
    name, NULL, &(op), LITERAL("lock:a"), LITERAL(value), LITERAL(extra), TTL_MS, 0
#define GROUP(name) name, NULL, &op_sentinel, LITERAL("mymaster"), {NULL, 0}, {NULL, 0}, 0, 0
#define LOCK(name, op) OP(name, op, TOKEN, "")
#define CONNECT(name, endpoint, checks) name, endpoint, NULL, {NULL, 0}, {NULL, 0}, {NULL, 0}, 0, checks
#define WAKE(name) name, NULL, &rdl_op_wait_hint, LITERAL("lock:a"), {NULL, 0}, {NULL, 0}, 250, 0
#define SLOTS(name, op) name, NULL, &(op), LITERAL("{lock:a}#1"), {NULL, 0}, {NULL, 0}, 9 << 8 | 2, 0
#define BOTH(name, op) name, NULL, &(op), LITERAL("\6lock:a\6lock:b"), LITERAL(TOKEN), {NULL, 0}, TTL_MS, 0

static const struct line lines[] = {
    {CONNECT("auth", &by_password, 0), {NULL}, 0},
    {CONNECT("auth-user", &by_user, 0), {NULL}, 0},
    {CONNECT("select", &by_password, 0), {"+OK\r\n"}, 0},
    {CONNECT("client-setname", &by_password, 0), {"+OK\r\n"}, 1},
    {LOCK("set-nx-px", rdl_op_acquire), {NULL}, 0},
    {"set-nx-px-any", NULL, &rdl_op_acquire, LITERAL("a\0\r\n"), LITERAL("\xff\\\n"), {NULL, 0},
     4294967295u, 0, {NULL}, 0},
    {LOCK("pttl", rdl_op_acquire), {NULL}, 1},
    {LOCK("delex", rdl_op_release), {NOPERM}, 0},
    {LOCK("delifeq", rdl_op_release), {NOPERM, UNKNOWN ":5\r\n"}, 0},
    {LOCK("watch", rdl_op_extend), {NOPERM}, 0},
    {LOCK("get", rdl_op_extend), {NOPERM}, 1},
    {LOCK("multi", rdl_op_extend), {NOPERM}, 3},
    {LOCK("del", rdl_op_release), {NOPERM, UNKNOWN ":5\r\n", UNKNOWN ":5\r\n", CHECKED}, 0},
    {LOCK("pexpire", rdl_op_extend), {NOPERM, CHECKED}, 0},
    {OP("set", rdl_op_replace, UNTIL_S, TOKEN), {NOPERM, CHECKED}, 0},
    {LOCK("exec", rdl_op_extend), {NOPERM, CHECKED}, 1},
    {LOCK("discard", rdl_op_extend), {NOPERM, OTHERS}, 0},
    {LOCK("time", rdl_op_time), {NULL}, 0},
    {OP("setnx", rdl_op_setnx, UNTIL_S, ""), {NULL}, 0},
    {OP("getset", rdl_op_getset, UNTIL_S, ""), {NULL}, 0},
    {WAKE("blpop"), {NULL}, 0},
    {WAKE("blpop-whole"), {"-ERR timeout is not an integer or out of range\r\n"}, 0},
    {LOCK("evalsha-release", rdl_op_release), {":1\r\n"}, 0},
    {LOCK("evalsha-extend", rdl_op_extend), {":1\r\n"}, 0},
    {CONNECT("ask-server", NULL, 1), {NULL}, 0},
    {CONNECT("ask-replication", NULL, 1), {NULL}, 1},
    {CONNECT("ask-memory", NULL, 1), {NULL}, 2},
    {LOCK("ask-persistence", op_persistence), {NULL}, 0},
    {"config-get", NULL, &op_setting, LITERAL("appendfsync"), {NULL, 0}, {NULL, 0}, 0, 0, {NULL}, 0},
    {"scan", NULL, &op_scan, LITERAL("17179869184"), LITERAL("lock:\\[a\\]*"), {NULL, 0}, 0, 0, {NULL}, 0},
    {LOCK("getrange", op_getrange), {NULL}, 0},
    {LOCK("strlen", op_getrange), {NULL}, 1},
    {LOCK("type", op_getrange), {NULL}, 2},
    {GROUP("sentinel-address"), {NULL}, 0},
    {GROUP("sentinel-master"), {NULL}, 1},
    {LOCK("eval-release", rdl_op_release), {NULL}, 0},
    {LOCK("eval-extend", rdl_op_extend), {NULL}, 0},
    {OP("eval-replace", rdl_op_replace, "1700000060.123456789", "1700000030"), {NULL}, 0},
    {OP("eval-acquire", rdl_op_acquire_fenced, TOKEN, "1700000000000"), {NULL}, 0},
    {OP("eval-extend-fenced", rdl_op_extend_fenced, TOKEN, "1700000000007"), {NULL}, 0},
    {LOCK("eval-release-hint", rdl_op_release_hint), {NULL}, 0},
    {"eval-canary", NULL, &rdl_op_canary_make, LITERAL("rdl:canary"), {NULL, 0}, {NULL, 0}, 1700000000, 1,
     {RUN "$0\r\n\r\n$0\r\n\r\n"}, 0},
    {SLOTS("mget", rdl_op_read_slots), {NULL}, 0},
    {BOTH("eval-acquire-multi", rdl_op_acquire_multi), {NULL}, 0},
    {BOTH("eval-extend-multi", rdl_op_extend_multi), {NULL}, 0},
    {BOTH("eval-release-multi", rdl_op_release_multi), {NULL}, 0},
    {BOTH("watch-all", rdl_op_acquire_multi), {NOPERM}, 0},
    {BOTH("msetex", rdl_op_acquire_multi), {NOPERM, NEITHER}, 0},
    {BOTH("msetex-extend", rdl_op_extend_multi), {NOPERM, BOTHS}, 0},
};
/* clang-format on */

/* ---------------------------------------------------------------- a conn without sockets */

static struct rdl_conn conn;
static uint64_t queue[512 / 8];
static struct rdl_server_info server_info;
static uint8_t sent[SENT_MAX]; /* since the last reply */
static size_t sent_len;

static void must(int holds, const char *name, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "wire: %s: %s\n", name, what);
    exit(1);
}

/* All that is to be sent now; the transport takes `chunk` bytes at a time. */
static void collect(const struct line *l, size_t chunk)
{
    size_t n;

    sent_len = 0;
    while (rdl_conn_wants(&conn) & RDL_WANT_WRITE) {
        must(sent_len < sizeof sent, l->name, "more bytes than expected");
        n = sizeof sent - sent_len;
        n = rdl_conn_tx(&conn, sent + sent_len, n < chunk ? n : chunk);
        sent_len += n;
        rdl_conn_tx_done(&conn, n);
    }
}

static void reply(const char *bytes)
{
    rdl_conn_rx(&conn, (const uint8_t *)bytes, strlen(bytes));
}

static void submit(const struct line *l, struct rdl_req *req)
{
    const struct rdl_command cmd = {l->op, l->key, l->value, l->extra, NOW_MS + TTL_MS, l->ttl_ms};

    if (l->op != NULL && !req->is_queued)
        must(rdl_conn_submit(&conn, req, &cmd) == RDL_OK, l->name, "not queued");
}

static void run(const struct line *l, size_t chunk)
{
    static const struct rdl_endpoint plain;
    const struct rdl_conn_config cfg = {.endpoint = l->endpoint != NULL ? l->endpoint : &plain,
                                        .methods = &rdl_methods_all,
                                        .login = &rdl_login,
                                        .queue = queue,
                                        .queue_len = sizeof queue,
                                        .server_info = &server_info};
    struct rdl_req req = {0};
    size_t i;

    rdl_conn_init(&conn, &cfg);
    if (l->has_checks)
        rdl_guard_conn(&conn);
    submit(l, &req);
    rdl_conn_tick(&conn, NOW_MS);
    rdl_conn_opened(&conn);
    collect(l, chunk);
    for (i = 0; i < REPLIES_MAX && l->replies[i] != NULL; i++) {
        reply(l->replies[i]);
        submit(l, &req);
        collect(l, chunk);
    }
}

/* ---------------------------------------------------------------- the command that is shown */

/* The number after the type byte at sent[*at]; *at moves to the end of its line. */
static size_t number(const struct line *l, size_t *at, uint8_t type)
{
    size_t n = 0;

    must(*at < sent_len && sent[*at] == type, l->name, "no command is there");
    for (++*at; *at < sent_len && sent[*at] != '\r'; ++*at)
        n = n * 10 + (size_t)(sent[*at] - '0');
    *at += 2;
    return n;
}

/* Where the command that begins at `at` ends. */
static size_t behind(const struct line *l, size_t at)
{
    size_t words = number(l, &at, '*');

    for (; words > 0; words--)
        at += number(l, &at, '$') + 2;
    must(at <= sent_len, l->name, "a command is cut");
    return at;
}

static void show(const uint8_t *data, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++) {
        if (data[i] == '\r')
            fputs("\\r", stdout);
        else if (data[i] == '\n')
            fputs("\\n", stdout);
        else if (data[i] < 0x20 || data[i] > 0x7e || data[i] == '\\')
            printf("\\x%02x", data[i]);
        else
            putchar(data[i]);
    }
}

static void print(const struct line *l)
{
    static uint8_t whole[SENT_MAX];
    size_t len, chunk;
    size_t at = 0;
    unsigned i;

    run(l, SENT_MAX);
    memcpy(whole, sent, sent_len);
    len = sent_len;
    for (i = 0; i < l->shown; i++)
        at = behind(l, at);
    printf("%s\t", l->name);
    show(sent + at, behind(l, at) - at);
    putchar('\n');
    for (chunk = 1; chunk <= len; chunk++) {
        run(l, chunk);
        must(sent_len == len && memcmp(sent, whole, len) == 0, l->name, "the bytes are others in pieces");
    }
}

int main(void)
{
    size_t i;

    for (i = 0; i < sizeof lines / sizeof lines[0]; i++)
        print(&lines[i]);
    return 0;
}
