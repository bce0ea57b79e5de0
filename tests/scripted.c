/* SPDX-License-Identifier: MIT */
/* scripted.c - a conn without sockets; see scripted.h. */
#include "tests/scripted.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct sim_features features = {.version = "7.0.15"};

void scripted_init(struct scripted *s)
{
    memset(s, 0, sizeof *s);
    s->cfg.endpoint = &s->endpoint;
    s->cfg.queue = s->queue;
    s->cfg.queue_len = sizeof s->queue;
    s->cfg.tx = s->tx;
    s->cfg.tx_len = sizeof s->tx;
    s->cfg.rx = s->rx;
    s->cfg.rx_len = sizeof s->rx;
    rdl_conn_init(&s->conn, &s->cfg);
}

void scripted_open(struct scripted *s, uint64_t now_ms)
{
    uint64_t at_ms = rdl_conn_upkeep(&s->conn, now_ms);

    if (rdl_conn_state(&s->conn) == RDL_CONN_CLOSED) /* it pauses first */
        rdl_conn_upkeep(&s->conn, at_ms);
    ck_assert_int_eq(rdl_conn_state(&s->conn), RDL_CONN_OPENING);
    ck_assert_uint_eq(rdl_conn_wants(&s->conn), RDL_WANT_OPEN);
    memset(&s->session, 0, sizeof s->session);
    s->seen = s->served = s->len;
    rdl_conn_opened(&s->conn);
}

/* Take over what the conn wants to send. */
static void pump(struct scripted *s)
{
    while (rdl_conn_wants(&s->conn) & RDL_WANT_WRITE) {
        const uint8_t *p;
        size_t n = rdl_conn_tx(&s->conn, &p);
        if (n == 0)
            return;
        if (s->len + n >= sizeof s->out)
            ck_abort_msg("more than %d bytes", SCRIPTED_BYTES);
        memcpy(s->out + s->len, p, n);
        s->len += n;
        rdl_conn_tx_done(&s->conn, n);
    }
}

const char *scripted_sent(struct scripted *s)
{
    const char *text;

    if (s->model.features == NULL && s->seen == s->len) /* all of it is over: start anew */
        s->len = s->seen = 0;
    pump(s);
    s->out[s->len] = '\0';
    text = s->out + s->seen;
    s->seen = s->len;
    return text;
}

void scripted_feed(struct scripted *s, const char *bytes, size_t len)
{
    while (len > 0 && (rdl_conn_wants(&s->conn) & RDL_WANT_READ)) {
        uint8_t *p;
        size_t n = rdl_conn_rx(&s->conn, &p);
        if (n > len)
            n = len;
        memcpy(p, bytes, n);
        rdl_conn_rx_done(&s->conn, n);
        bytes += n;
        len -= n;
    }
}

void scripted_reply(struct scripted *s, const char *text)
{
    scripted_feed(s, text, strlen(text));
}

int scripted_close_failed(struct scripted *s)
{
    ck_assert_int_eq(rdl_conn_state(&s->conn), RDL_CONN_FAILED);
    ck_assert_uint_eq(rdl_conn_wants(&s->conn), RDL_WANT_CLOSE);
    rdl_conn_closed(&s->conn, rdl_conn_error(&s->conn));
    ck_assert_int_eq(rdl_conn_state(&s->conn), RDL_CONN_CLOSED);
    return rdl_conn_error(&s->conn);
}

void scripted_break(struct scripted *s)
{
    rdl_conn_closed(&s->conn, RDL_E_CLOSED);
}

/* ---------------------------------------------------------------- the model server */

void scripted_model(struct scripted *s, uint64_t now_ms)
{
    static uint64_t runs; /* every start is another run_id */

    sim_server_start(&s->model, &features, ++runs, now_ms);
}

static void serve(struct scripted *s, uint64_t now_ms, int is_heard)
{
    uint8_t replies[2 * SIM_REPLY_MAX];

    for (;;) {
        struct sim_out out = {replies, sizeof replies, 0};
        size_t used;
        pump(s);
        used = sim_server_input(&s->model, &s->session, (const uint8_t *)s->out + s->served,
                                s->len - s->served, now_ms, &out);
        s->served += used;
        if (is_heard)
            scripted_feed(s, (const char *)replies, out.len);
        if (used == 0)
            return;
    }
}

void scripted_serve(struct scripted *s, uint64_t now_ms)
{
    serve(s, now_ms, 1);
}

void scripted_serve_mute(struct scripted *s, uint64_t now_ms)
{
    serve(s, now_ms, 0);
}

/* len bytes more are executed and answered. */
static void execute(struct scripted *s, size_t len, uint64_t now_ms)
{
    uint8_t replies[2 * SIM_REPLY_MAX];
    struct sim_out out = {replies, sizeof replies, 0};

    s->served +=
        sim_server_input(&s->model, &s->session, (const uint8_t *)s->out + s->served, len, now_ms, &out);
    scripted_feed(s, (const char *)replies, out.len);
}

void scripted_serve_round(struct scripted *s, uint64_t now_ms)
{
    pump(s);
    execute(s, s->len - s->served, now_ms);
}

int scripted_serve_before(struct scripted *s, const char *command, uint64_t now_ms)
{
    for (;;) {
        struct sim_arg argv[SIM_ARGS];
        const char *why;
        long used;
        int argc;
        pump(s);
        used = sim_request_parse((const uint8_t *)s->out + s->served, s->len - s->served, argv, &argc, &why);
        if (used <= 0)
            return 0;
        if (argc > 0 && sim_arg_is(argv[0], command))
            return 1;
        execute(s, (size_t)used, now_ms);
    }
}

void scripted_other(struct scripted *s, const char *inline_command, uint64_t now_ms)
{
    struct sim_session other = {0};
    uint8_t reply[2 * SIM_REPLY_MAX];
    struct sim_out out = {reply, sizeof reply, 0};

    sim_server_input(&s->model, &other, (const uint8_t *)inline_command, strlen(inline_command), now_ms,
                     &out);
    ck_assert_uint_gt(out.len, 0);
    ck_assert(reply[0] != '-');
}

int scripted_has_key(struct scripted *s, const char *key, uint64_t now_ms)
{
    struct sim_arg arg = {(const uint8_t *)key, strlen(key)};

    return sim_server_find(&s->model, 0, arg, now_ms) != NULL;
}

/* ---------------------------------------------------------------- the wire */

enum { WIRE_BUFFERS = 16, WIRE_MAX = 4096 };

static char *next_buffer(void)
{
    static char buffers[WIRE_BUFFERS][WIRE_MAX];
    static unsigned n;

    return buffers[n++ % WIRE_BUFFERS];
}

const char *wire_acquire(const char *name, const char *token, unsigned ttl_ms)
{
    char ttl[12];
    char *out = next_buffer();

    snprintf(ttl, sizeof ttl, "%u", ttl_ms);
    snprintf(out, WIRE_MAX,
             "*6\r\n$3\r\nSET\r\n$%zu\r\n%s\r\n$40\r\n%s\r\n$2\r\nNX\r\n$2\r\nPX\r\n$%zu\r\n%s\r\n"
             "*2\r\n$4\r\nPTTL\r\n$%zu\r\n%s\r\n",
             strlen(name), name, token, strlen(ttl), ttl, strlen(name), name);
    return out;
}

static const char *script_call(const char *command, const char *script, const char *name, const char *token)
{
    char *out = next_buffer();

    snprintf(out, WIRE_MAX, "*5\r\n$%zu\r\n%s\r\n$%zu\r\n%s\r\n$1\r\n1\r\n$%zu\r\n%s\r\n$40\r\n%s\r\n",
             strlen(command), command, strlen(script), script, strlen(name), name, token);
    return out;
}

/* The same with one more argument. */
static const char *script_call_ttl(const char *command, const char *script, const char *name,
                                   const char *token, unsigned ttl_ms)
{
    const char *call = script_call(command, script, name, token);
    char *out = next_buffer();
    char ttl[12];

    snprintf(ttl, sizeof ttl, "%u", ttl_ms);
    snprintf(out, WIRE_MAX, "*6%s$%zu\r\n%s\r\n", call + 2, strlen(ttl), ttl);
    return out;
}

const char *wire_release_sha(const char *name, const char *token)
{
    return script_call("EVALSHA", rdl_script_release.sha, name, token);
}

const char *wire_release_text(const char *name, const char *token)
{
    return script_call("EVAL", rdl_script_release.text, name, token);
}

const char *wire_extend_sha(const char *name, const char *token, unsigned ttl_ms)
{
    return script_call_ttl("EVALSHA", rdl_script_extend.sha, name, token, ttl_ms);
}

const char *wire_extend_text(const char *name, const char *token, unsigned ttl_ms)
{
    return script_call_ttl("EVAL", rdl_script_extend.text, name, token, ttl_ms);
}

const char *wire_join(const char *first, ...)
{
    char *out = next_buffer();
    size_t len = 0;
    va_list args;

    va_start(args, first);
    for (; first != NULL; first = va_arg(args, const char *)) {
        ck_assert_uint_lt(len + strlen(first), WIRE_MAX);
        memcpy(out + len, first, strlen(first));
        len += strlen(first);
    }
    va_end(args);
    out[len] = '\0';
    return out;
}

/* ---------------------------------------------------------------- tokens */

const uint8_t *token_bytes(unsigned n)
{
    static uint8_t bytes[4][RDL_TOKEN_LEN];
    static unsigned next;

    next = (next + 1) % 4;
    return memset(bytes[next], (int)(n & 0xff), RDL_TOKEN_LEN);
}

const char *token_hex(unsigned n)
{
    char *out = next_buffer();
    size_t i;

    for (i = 0; i < RDL_TOKEN_LEN; i++)
        snprintf(out + 2 * i, 3, "%02x", n & 0xff);
    return out;
}

const uint8_t *entropy_bytes(void)
{
    static const uint8_t bytes[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                      0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};

    return bytes;
}

const char *entropy_token(unsigned attempt)
{
    char *out = next_buffer();

    snprintf(out, WIRE_MAX, "00112233445566778899aabbccddeeff%08x", attempt);
    return out;
}
