/* SPDX-License-Identifier: MIT */
/* check_easy_settings.c - easy.h: its options, what is refused, and what the texts say about a server. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/net_stream.h"
#include "redlock/easy.h"
#include "redlock/easy_thread.h"
#include "tests/fixtures/fakeserver.h"
#include "tests/fixtures/freed.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/resolver.h"
#include "tests/fixtures/servers.h"
#include "tests/fixtures/tls.h"
#include "tests/suite.h"

enum { TTL = 20000, PATIENT = 10000 };
enum { ATTEMPT = 1500 /* a busy machine must not fail a test */ };

static struct live_server live[2];
static struct rdl_easy easy, other;
static struct rdl_easy_thread thread;
static char url[512];

static void setup(void)
{
    memset(live, 0, sizeof live);
    live_start_all(live, 2);
    resolver_begin();
    live_url(&live[0], LIVE_V4, url, sizeof url);
}

static void teardown(void)
{
    live_remove_all(live, 2);
}

static void open_with(struct rdl_easy *e, const char *list, struct rdl_easy_options options)
{
    ck_assert_int_eq(rdl_easy_open(e, list, "nightly", &options), RDL_OK);
    if (e->opt.lease.ttl_ms >= TTL)
        e->opt.lease.attempt_ms = ATTEMPT;
}

/* The servers have just started. */
static void open_url(const char *list)
{
    open_with(&easy, list, (struct rdl_easy_options){.ttl_ms = TTL, .flags = RDL_EASY_NO_RESTART_GUARD});
}

/* Another client of the same lock holds it. */
static void hold_other(void)
{
    open_with(&other, url, (struct rdl_easy_options){.flags = RDL_EASY_NO_RESTART_GUARD});
    ck_assert_int_eq(rdl_easy_acquire(&other, PATIENT), RDL_OK);
}

static void expect_error(const char *part)
{
    ck_assert_msg(strstr(rdl_easy_error(&easy), part) != NULL, "\"%s\" is not in \"%s\"", part,
                  rdl_easy_error(&easy));
}

/* ---------------------------------------------------------------- options */

START_TEST(a_name_that_no_lock_may_have_is_refused)
{
    char longest[RDL_NAME_MAX + 2];
    const char *names[] = {"", longest, RDL_CANARY_KEY};

    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    ck_assert_int_eq(rdl_easy_open(&easy, url, names[_i], NULL), RDL_E_NAME);
    expect_error("a lock's name has 1 to 128 bytes");
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_E_NAME);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, 0), RDL_E_NAME);
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(the_options_begin_with_the_documented_values)
{
    static const struct rdl_easy_options zero;

    ck_assert_int_eq(rdl_easy_open(&easy, url, "nightly", _i ? &zero : NULL), RDL_OK);
    ck_assert_uint_eq(easy.opt.max_ttl_ms, RDL_TTL_DEFAULT_MS);
    ck_assert_uint_eq(easy.opt.lease.ttl_ms, RDL_TTL_DEFAULT_MS);
    ck_assert_uint_eq(easy.opt.lease.retry_ms, RDL_EASY_RETRY_MS);
    ck_assert_uint_eq(easy.opt.guard, RDL_GUARD_IF_PERMITTED);
    rdl_easy_close(&easy);
}
END_TEST

static const struct {
    uint32_t ttl_ms, max_ttl_ms;
    uint32_t is;       /* the ttl of the lease; 0: refused */
    const char *error; /* why */
} ttls[] = {
    {TTL, RDL_TTL_MAX, TTL, NULL},
    {0, 1000, 1000, NULL},
    {0, RDL_TTL_MAX, RDL_TTL_DEFAULT_MS, NULL},
    {RDL_TTL_DEFAULT_MS, 0, RDL_TTL_DEFAULT_MS, NULL},
    {20, 20, 20, NULL},
    {1001, 1000, 0, "ttl_ms is above max_ttl_ms"},
    {RDL_TTL_DEFAULT_MS + 1, 0, 0, "ttl_ms is above max_ttl_ms, which is 30 s by default"},
    {19, 0, 0, "ttl_ms is below 20 ms"},
    {0, 19, 0, "max_ttl_ms is not 20 to 2147483647 ms"},
    {0, RDL_TTL_MAX + 1u, 0, "max_ttl_ms is not 20 to 2147483647 ms"},
};

START_TEST(the_ttl_is_bounded_by_max_ttl)
{
    const struct rdl_easy_options options = {.ttl_ms = ttls[_i].ttl_ms, .max_ttl_ms = ttls[_i].max_ttl_ms};
    int rc = ttls[_i].is != 0 ? RDL_OK : RDL_E_TTL;

    ck_assert_int_eq(rdl_easy_open(&easy, url, "nightly", &options), rc);
    if (rc == RDL_OK) {
        ck_assert_uint_eq(easy.opt.lease.ttl_ms, ttls[_i].is);
        rdl_easy_close(&easy);
        return;
    }
    expect_error(ttls[_i].error);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_E_TTL);
    expect_error(ttls[_i].error); /* the text remains */
}
END_TEST

START_TEST(each_acquire_begins_with_the_ttl_of_the_options)
{
    enum { LONG = TTL + 5000 };

    open_url(url);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
        ck_assert_uint_le(rdl_easy_remaining_ms(&easy), TTL);
        ck_assert_uint_eq(easy.opt.lease.ttl_ms, TTL);
        ck_assert_int_ge(rdl_easy_extend(&easy, LONG), RDL_OK);
        ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), TTL);
        ck_assert_int_ge(rdl_easy_extend(&easy, 0), RDL_OK);
        ck_assert_uint_eq(easy.opt.lease.ttl_ms, TTL);
        ck_assert_int_ge(rdl_easy_extend(&easy, LONG), RDL_OK);
        ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    }
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(each_connection_has_its_own_memory)
{
    const struct rdl_conn_config *hint, *first;

    open_with(&easy, url, (struct rdl_easy_options){.flags = RDL_EASY_WAKE_HINT});
    hint = easy.hint_conn.conn.cfg;
    first = easy.conns[0].conn.cfg;
    ck_assert_ptr_eq(hint->endpoint, &easy.hint_conn.endpoint);
    ck_assert_mem_eq(hint->endpoint, first->endpoint, sizeof *hint->endpoint); /* the same server */
    ck_assert_ptr_eq(hint->queue, easy.hint_conn.queue);
    ck_assert_ptr_eq(first->queue, easy.conns[0].queue);
    ck_assert_ptr_null(hint->server_info);
    ck_assert_ptr_null(hint->text);
    rdl_easy_close(&easy);
}
END_TEST

/* How many the server has accepted. */
static unsigned connections(void)
{
    static const char stat[] = "total_connections_received:";
    const char *at = strstr(live_command(&live[0], "INFO stats"), stat);

    ck_assert_ptr_nonnull(at);
    return (unsigned)strtoul(at + sizeof stat - 1, NULL, 10);
}

START_TEST(a_waiting_lock_has_one_connection_and_another_for_its_hint)
{
    unsigned hint = _i ? RDL_EASY_WAKE_HINT : 0;
    int before = live_count_fds();
    unsigned count, now, questions = 0;

    open_with(&easy, url, (struct rdl_easy_options){.flags = RDL_EASY_NO_RESTART_GUARD | hint});
    hold_other();
    count = connections();
    do { /* on a busy machine the wait may end before there is a hint's connection */
        ck_assert_int_eq(rdl_easy_acquire(&easy, 500), RDL_BUSY);
        now = connections() - count;
        questions++; /* each one has a connection, too */
    } while (_i && now < 2 + questions && questions < 10);
    ck_assert_uint_eq(now, (_i ? 2u : 1u) + questions);
    ck_assert_int_eq(rdl_easy_release(&other), RDL_OK);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    rdl_easy_close(&easy);
    rdl_easy_close(&other);
    ck_assert_int_eq(live_count_fds(), before);
}
END_TEST

START_TEST(close_ends_the_connection_of_the_wake_hint)
{
    struct rdl_conn *hint = &easy.hint_conn.conn;
    int fds = live_count_fds();

    open_with(&easy, url, (struct rdl_easy_options){.flags = RDL_EASY_WAKE_HINT});
    while (rdl_conn_state(hint) != RDL_CONN_READY) {
        uint64_t until_ms = rdl_posix_now_ms() + PATIENT;
        rdl_conn_tick(hint, rdl_posix_now_ms());
        ck_assert_int_eq(easy.platform.poll(easy.platform.ctx, &hint, 1, until_ms, 0), RDL_OK);
    }
    ck_assert_int_eq(live_count_fds(), fds + 1);
    rdl_easy_close(&easy);
    ck_assert_int_eq(live_count_fds(), fds);
}
END_TEST

START_TEST(a_lock_without_fencing_creates_one_key)
{
    open_url(url);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_uint_eq(rdl_easy_fence(&easy), 0);
    ck_assert_str_eq(live_command(&live[0], "DBSIZE"), ":1\r\n");
    rdl_easy_close(&easy);
}
END_TEST

/* ---------------------------------------------------------------- a descriptor that ends a wait */

static int wake[2];

static void *wake_later(void *arg)
{
    poll(NULL, 0, 100);
    ck_assert_int_eq(write(wake[1], "x", 1), 1);
    return arg;
}

/* Without the flag wake_fd is 0 in all options that do not mention it, and standard input does not count. */
START_TEST(wake_fd_ends_a_wait_if_its_flag_is_set)
{
    unsigned flags = RDL_EASY_NO_RESTART_GUARD | (_i ? RDL_EASY_WAKE_FD : 0);
    pthread_t waker;
    char byte;

    ck_assert_int_eq(pipe(wake), 0);
    ck_assert_int_eq(dup2(wake[0], 0), 0);
    open_with(&easy, url, (struct rdl_easy_options){.flags = flags, .wake_fd = _i ? wake[0] : 0});
    hold_other();
    ck_assert_int_eq(pthread_create(&waker, NULL, wake_later, NULL), 0);
    ck_assert_int_eq(rdl_easy_acquire(&easy, _i ? RDL_WAIT_FOREVER : 300), _i ? RDL_E_INTERRUPTED : RDL_BUSY);
    expect_error(_i ? "lock \"nightly\": interrupted" : "held by another client");
    ck_assert_int_eq(pthread_join(waker, NULL), 0);
    ck_assert_int_eq(read(wake[0], &byte, 1), 1); /* nothing has read it or closed the descriptor */
    ck_assert_int_eq(rdl_easy_release(&other), RDL_OK);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(write(wake[1], "x", 1), 1);
    ck_assert_int_ge(rdl_easy_extend(&easy, 0), RDL_OK);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    rdl_easy_close(&easy);
    rdl_easy_close(&other);
    ck_assert_int_eq(read(wake[0], &byte, 1), 1);
}
END_TEST

/* ---------------------------------------------------------------- a stream of the program's own */

struct upper {
    unsigned opened, closed;
};

static int upper_open(void *ctx, struct rdl_conn *c)
{
    int state = rdl_posix_stream.open(NULL, c);

    ((struct upper *)ctx)->opened += state == RDL_STREAM_READY;
    return state;
}

static int upper_send(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len)
{
    (void)ctx;
    return rdl_posix_stream.send(NULL, c, bytes, len);
}

static int upper_recv(void *ctx, struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    (void)ctx;
    return rdl_posix_stream.recv(NULL, c, buf, cap);
}

static void upper_close(void *ctx, struct rdl_conn *c)
{
    ((struct upper *)ctx)->closed++;
    rdl_posix_stream.close(NULL, c);
}

static const struct rdl_stream_ops upper = {upper_open, upper_send, upper_recv, upper_close};

static struct rdl_easy_options with_stream(const struct rdl_stream_ops *stream, struct upper *ctxs)
{
    return (struct rdl_easy_options){.flags = RDL_EASY_NO_RESTART_GUARD,
                                     .stream = stream,
                                     .stream_ctxs = ctxs,
                                     .stream_ctx_size = sizeof ctxs[0]};
}

/* With the restart guard INFO is asked first, without it the lock. */
START_TEST(a_tls_port_without_tls_is_named_with_the_remedy)
{
    static const char remedy[] = " (check the port; if it uses TLS, its URL must begin with rediss://)";
    struct tls_server tls = {0};

    tls_begin();
    tls_start(&tls, TLS_RIGHT);
    snprintf(url, sizeof url, "redis://127.0.0.1:%d", tls.port);
    open_with(&easy, url, (struct rdl_easy_options){.flags = _i ? RDL_EASY_NO_RESTART_GUARD : 0});
    ck_assert_int_lt(rdl_easy_acquire(&easy, PATIENT), 0);
    expect_error(remedy);
    tls_remove(&tls);
    rdl_easy_close(&easy);
    open_url(url); /* it is down: that is another reason */
    ck_assert_int_lt(rdl_easy_acquire(&easy, 0), 0);
    expect_error("Connection refused");
    ck_assert_ptr_null(strstr(rdl_easy_error(&easy), remedy));
    rdl_easy_close(&easy);
    tls_end();
}
END_TEST

/* It has replied, so it uses no TLS. */
START_TEST(a_server_that_hangs_up_later_is_not_suspected_of_tls)
{
    open_url(url);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    live_kill(&live[0]);
    ck_assert_int_lt(rdl_easy_extend(&easy, TTL), 0);
    ck_assert_ptr_null(strstr(rdl_easy_error(&easy), "rediss://"));
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(only_urls_that_request_tls_get_the_stream)
{
    struct upper ctxs[RDL_EASY_STREAMS] = {{0, 0}};
    char list[sizeof url + 64];

    snprintf(list, sizeof list, "%s rediss://127.0.0.1:%d", url, live[1].port);
    open_with(&easy, list, with_stream(&upper, ctxs));
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_uint_eq(ctxs[0].opened, 0);
    ck_assert_uint_eq(ctxs[1].opened, 1);
    rdl_easy_close(&easy);
    ck_assert_uint_eq(ctxs[0].closed, 0);
    ck_assert_uint_eq(ctxs[1].closed, 1);
}
END_TEST

static unsigned lower_closed;

static void lower_close(void *ctx, struct rdl_conn *c)
{
    (void)ctx;
    lower_closed++;
    rdl_posix_stream.close(NULL, c);
}

static const struct rdl_stream_ops lower = {upper_open, upper_send, upper_recv, lower_close};

/* Each connection is closed by the stream that opened it, and then no stream uses its contexts. */
START_TEST(no_stream_is_used_after_close)
{
    struct upper first[RDL_EASY_STREAMS] = {{0, 0}}, second[RDL_EASY_STREAMS] = {{0, 0}};
    char tls[64];

    snprintf(tls, sizeof tls, "rediss://127.0.0.1:%d", live[1].port);
    open_with(&easy, tls, with_stream(&upper, first));
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    rdl_easy_close(&easy);
    open_with(&easy, tls, with_stream(&lower, second));
    ck_assert_uint_eq(first[0].closed, 1);
    ck_assert_uint_eq(lower_closed, 0);
    freed(first, sizeof first);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_uint_eq(second[0].opened, 1);
    rdl_easy_close(&easy);
    ck_assert_uint_eq(lower_closed, 1);
    freed(second, sizeof second);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_E_CONFIG);
    rdl_easy_close(&easy);
    reused(first, sizeof first);
    reused(second, sizeof second);
}
END_TEST

/* The contexts of the servers come first, then that of the hint. */
START_TEST(the_wake_hint_has_a_stream_of_its_own)
{
    static struct upper ctxs[RDL_EASY_STREAMS];
    struct rdl_easy_options options = with_stream(&upper, ctxs);
    char tls[64];

    snprintf(tls, sizeof tls, "rediss://127.0.0.1:%d", live[1].port);
    options.flags = RDL_EASY_WAKE_HINT;
    open_with(&easy, tls, options);
    ck_assert_ptr_eq(easy.conns[0].conn.cfg->stream_ctx, &ctxs[0]);
    ck_assert_ptr_eq(easy.hint_conn.conn.cfg->stream_ctx, &ctxs[RDL_SERVERS_MAX]);
    ck_assert_ptr_eq(easy.hint_conn.conn.cfg->stream, &upper);
    rdl_easy_close(&easy);
}
END_TEST

/* ---------------------------------------------------------------- host names */

START_TEST(a_name_server_that_does_not_reply_is_reported)
{
    resolver_fail("a.test", 1);
    open_url("redis://a.test");
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    expect_error("(a.test:6379: no address: ");
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(the_name_of_a_server_that_is_gone_is_resolved_again)
{
    char name[64];

    resolver_set("a.test", "127.0.0.1", live[0].port);
    snprintf(name, sizeof name, "redis://a.test:%d", live[0].port);
    open_url(name);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    live_kill(&live[0]);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    expect_error("Check that it runs and can be reached");
    resolver_set("a.test", "127.0.0.2", live[0].port);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM); /* it may still connect to the old address */
    ck_assert_uint_eq(resolver_asked("a.test"), 2);
    ck_assert_uint_eq(easy.conns[0].endpoint.ip[3], 2);
    resolver_set("a.test", "127.0.0.1", live[0].port);
    live_restart(&live[0]);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_uint_eq(resolver_asked("a.test"), 3);
    rdl_easy_close(&easy);
}
END_TEST

/* The conn is still connecting to its address when the name is resolved again. */
START_TEST(resolving_again_leaves_a_connection_as_it_is)
{
    struct fake_server fake = {.trick = FAKE_BLACK_HOLE};
    char name[64];
    int fds;

    fake_start(&fake);
    fds = live_count_fds();
    resolver_set("a.test", "127.0.0.1", fake.port);
    snprintf(name, sizeof name, "redis://a.test:%d", fake.port);
    open_with(&easy, name, (struct rdl_easy_options){.ttl_ms = 400, .flags = RDL_EASY_NO_RESTART_GUARD});
    easy.conns[0].config.connect_ms = 50;
    for (uint32_t tries = 0; tries < 8; tries++)
        ck_assert_int_eq(rdl_easy_acquire(&easy, 75 + 10 * tries), RDL_NO_QUORUM);
    ck_assert_uint_gt(resolver_asked("a.test"), 1);
    rdl_easy_close(&easy);
    ck_assert_int_eq(live_count_fds(), fds);
    fake_stop(&fake);
}
END_TEST

/* ---------------------------------------------------------------- what a text says about a server */

START_TEST(a_server_is_named_as_in_its_url)
{
    static const char *const urls[] = {"redis://[::1]:1", "unix:///nobody/listens/here",
                                       "redis://127.0.0.1:1"};
    static const char *const texts[] = {"([::1]:1: ", "(/nobody/listens/here: ", "(127.0.0.1:1: "};

    open_url(urls[_i]);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    expect_error(texts[_i]);
    expect_error(_i == 1 ? "No such file" : "refused");
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(what_a_server_sends_is_printed_as_ascii)
{
    struct fake_server fake = {.trick = FAKE_ANSWERS, .text = "-ERR \x1b[1m\xc3\xa9.\r\n", .after = 1};
    char where[64];

    fake_start(&fake);
    open_url(fake_url(&fake, where, sizeof where));
    ck_assert_int_lt(rdl_easy_acquire(&easy, 0), 0);
    expect_error("ERR ?[1m?"
                 "?.");
    rdl_easy_close(&easy);
    fake_stop(&fake);
}
END_TEST

START_TEST(a_server_that_refuses_for_good_is_not_said_to_be_down)
{
    open_url(url);
    live_command(&live[0], "CONFIG SET requirepass secret");
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    ck_assert_ptr_eq(strstr(rdl_easy_error(&easy), "Check that"), NULL);
    rdl_easy_close(&easy);
}
END_TEST

/* It was not asked, granted the lock, or has the key of another client. */
START_TEST(a_server_without_a_fault_is_not_named)
{
    char list[sizeof url + 64], others[128];

    snprintf(list, sizeof list, "%s redis://127.0.0.1:%d redis://127.0.0.1:1", url, live[1].port);
    snprintf(others, sizeof others, "2 of 3 servers gave no useful reply (127.0.0.1:%d: ", live[1].port);
    open_url(list);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    live_kill(&live[1]);
    if (_i)
        live_command(&live[0], "SET nightly other PX 60000");
    for (int tries = 0; tries < 3; tries++) {
        ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
        expect_error(others);
        expect_error("). Check that they run and can be reached");
    }
    rdl_easy_close(&easy);
}
END_TEST

/* It has timed out; or the wait has ended, and it has not replied or is still connecting. */
START_TEST(a_server_that_does_not_reply_is_named)
{
    static const struct {
        enum fake_trick trick;
        uint32_t wait_ms;
        const char *text;
    } rows[] = {{FAKE_SILENT, 0, ": timed out)"},
                {FAKE_BLACK_HOLE, 0, ": timed out)"},
                {FAKE_SILENT, 100, ": connected, but no reply yet). Check"},
                {FAKE_BLACK_HOLE, 100, ": not connected yet). Check"}};
    struct fake_server fake = {.trick = rows[_i].trick};
    char where[64];

    fake_start(&fake);
    open_with(&easy, fake_url(&fake, where, sizeof where),
              (struct rdl_easy_options){.ttl_ms = 1000, .flags = RDL_EASY_NO_RESTART_GUARD});
    if (rows[_i].wait_ms == 0)
        ck_assert_int_lt(rdl_easy_acquire(&easy, 0), 0);
    else
        ck_assert_int_eq(rdl_easy_acquire(&easy, rows[_i].wait_ms), RDL_NO_QUORUM);
    expect_error(rows[_i].text);
    rdl_easy_close(&easy);
    fake_stop(&fake);
}
END_TEST

/* Two refuse at once, so the first is not waited for. */
START_TEST(a_server_that_was_not_waited_for_is_not_named)
{
    char list[sizeof url + 64];

    snprintf(list, sizeof list, "%s redis://127.0.0.1:1 redis://127.0.0.1:2", url);
    open_url(list);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_NO_QUORUM);
    expect_error("2 of 3 servers gave no useful reply (127.0.0.1:1: ");
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(a_server_that_renewed_is_not_named)
{
    char list[sizeof url + 64], second[64];

    snprintf(list, sizeof list, "%s redis://127.0.0.1:%d", url, live[1].port);
    snprintf(second, sizeof second, "1 of 2 servers gave no useful reply (127.0.0.1:%d: ", live[1].port);
    open_url(list);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    live_kill(&live[1]);
    ck_assert_int_lt(rdl_easy_extend(&easy, TTL), 0);
    expect_error(second);
    rdl_easy_close(&easy);
}
END_TEST

/* By its canary one server counts, and the other does not. */
START_TEST(only_servers_in_quarantine_are_named_with_their_time)
{
    char list[sizeof url + 64], second[128];

    snprintf(list, sizeof list, "%s redis://127.0.0.1:%d", url, live[1].port);
    snprintf(second, sizeof second,
             "1 of 2 servers may have lost locks in a restart (127.0.0.1:%d: counts in ", live[1].port);
    live_put_canary(&live[0], 1);
    open_with(&easy, list, (struct rdl_easy_options){.flags = RDL_EASY_CANARY | RDL_EASY_NO_RESTART_GUARD});
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_E_QUARANTINE);
    expect_error(second);
    if (_i == 0) { /* the canary's time is no time since the start */
        rdl_easy_close(&easy);
        open_with(&easy, list, (struct rdl_easy_options){.flags = RDL_EASY_CANARY});
        ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_E_QUARANTINE);
        ck_assert_ptr_eq(strstr(rdl_easy_error(&easy), "started"), NULL);
    }
    rdl_easy_close(&easy);
}
END_TEST

/* ---------------------------------------------------------------- the thread */

/* Neither a pipe, nor both, nor a thread: nothing is left, and the lock is still held. */
START_TEST(without_a_thread_the_lock_is_kept_as_before)
{
    struct rlimit before, few;
    int fds = live_count_fds();

    open_url(url);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t)live_count_fds() + 2u * (rlim_t)_i;
    if (_i < 2) {
        ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    } else {
        refuse_call(SYS_clone3, ENOSYS);
        refuse_call(SYS_clone, EAGAIN);
    }
    memset(&thread, 0x55, sizeof thread);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, 0), RDL_E_SYSTEM);
    ck_assert_int_eq(rdl_easy_lost_fd(&thread), -1);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    expect_error("no thread or no descriptors left");
    ck_assert_int_ge(rdl_easy_extend(&easy, TTL), RDL_OK);
    rdl_easy_close(&easy);
    ck_assert_int_eq(live_count_fds(), fds);
}
END_TEST

START_TEST(a_thread_renews_a_lock_that_is_held_and_has_none)
{
    open_url(url);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, 0), RDL_EXPIRED);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, TTL / 3 + 1), RDL_E_TTL);
    ck_assert_int_eq(rdl_easy_extend(&easy, TTL + 3), RDL_OK);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, TTL / 3 + 2), RDL_E_TTL);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, TTL / 3 + 1), RDL_OK); /* of the extend */
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, 0), RDL_E_HELD);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, 0), RDL_EXPIRED);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), 0);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, TTL / 3 + 1), RDL_E_TTL); /* that of the options */
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, 0), RDL_OK); /* the first one has ended */
    rdl_easy_close(&easy);
}
END_TEST

Suite *suite_easy_settings(void)
{
    Suite *suite = suite_create("easy_settings");
    TCase *tc = suite_case(suite, "options", setup, teardown);

    tcase_add_loop_test(tc, a_name_that_no_lock_may_have_is_refused, 0, 3);
    tcase_add_loop_test(tc, the_options_begin_with_the_documented_values, 0, 2);
    tcase_add_loop_test(tc, the_ttl_is_bounded_by_max_ttl, 0, sizeof ttls / sizeof ttls[0]);
    tcase_add_test(tc, each_acquire_begins_with_the_ttl_of_the_options);
    tcase_add_test(tc, each_connection_has_its_own_memory);
    tcase_add_loop_test(tc, a_waiting_lock_has_one_connection_and_another_for_its_hint, 0, 2);
    tcase_add_test(tc, close_ends_the_connection_of_the_wake_hint);
    tcase_add_loop_test(tc, wake_fd_ends_a_wait_if_its_flag_is_set, 0, 2);
    tcase_add_test(tc, a_lock_without_fencing_creates_one_key);
    tcase_add_loop_test(tc, a_tls_port_without_tls_is_named_with_the_remedy, 0, 2);
    tcase_add_test(tc, a_server_that_hangs_up_later_is_not_suspected_of_tls);
    tcase_add_test(tc, only_urls_that_request_tls_get_the_stream);
    tcase_add_test(tc, no_stream_is_used_after_close);
    tcase_add_test(tc, the_wake_hint_has_a_stream_of_its_own);
    tcase_add_test(tc, a_name_server_that_does_not_reply_is_reported);
    tcase_add_test(tc, the_name_of_a_server_that_is_gone_is_resolved_again);
    tcase_add_test(tc, resolving_again_leaves_a_connection_as_it_is);
    tcase_add_loop_test(tc, a_server_is_named_as_in_its_url, 0, 3);
    tcase_add_test(tc, what_a_server_sends_is_printed_as_ascii);
    tcase_add_test(tc, a_server_that_refuses_for_good_is_not_said_to_be_down);
    tcase_add_loop_test(tc, a_server_without_a_fault_is_not_named, 0, 2);
    tcase_add_loop_test(tc, a_server_that_does_not_reply_is_named, 0, 4);
    tcase_add_test(tc, a_server_that_was_not_waited_for_is_not_named);
    tcase_add_test(tc, a_server_that_renewed_is_not_named);
    tcase_add_loop_test(tc, only_servers_in_quarantine_are_named_with_their_time, 0, 2);
    tcase_add_loop_test(tc, without_a_thread_the_lock_is_kept_as_before, 0, 3);
    tcase_add_test(tc, a_thread_renews_a_lock_that_is_held_and_has_none);
    return suite;
}
