/* SPDX-License-Identifier: MIT */
/*
 * port_cases.c - what a network does to a driver, each in a case of its own. The function `..._peer` is the
 * other side, in another process. The two take turns by port_let and port_wait_go if the order matters.
 */
#define _GNU_SOURCE
#include "lock/lock.h"
#include "tests/port/port.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MUCH = 300000, LITTLE = 6000, LAST_WORDS = 3000, TURN_MS = 20, MANY = 200, LINES = 4 };

static struct port_conn conn;

static void turn(uint64_t ms)
{
    struct port_conn *one = &conn;

    port_turn(&one, 1, ms);
}

static void open_it(unsigned long to_send)
{
    unsigned before = conn.opened;

    port_expect(PORT_OPENS, "rdl_conn_opened was not called");
    port_conn_open(&conn, to_send);
    while (conn.opened == before) {
        turn(TURN_MS);
        if (conn.wants == 0 && conn.opened == before)
            port_broken(PORT_OPENS, "the peer listens, and rdl_conn_closed was called");
    }
}

static void wait_closed(enum port_rule rule, const char *seen)
{
    port_expect(rule, seen);
    while (conn.conn.state != RDL_CONN_CLOSED)
        turn(TURN_MS);
}

/* Until it has passed on this many bytes, or the connection ended. */
static void wait_received(unsigned long n, const char *seen)
{
    port_expect(PORT_RECEIVES, seen);
    while (conn.in.at < n && conn.conn.state == RDL_CONN_READY)
        turn(TURN_MS);
}

/* Until it has sent all that it was to send, or the connection ended. */
static void wait_sent(enum port_rule rule, const char *seen)
{
    port_expect(rule, seen);
    while (conn.sent < conn.to_send && conn.conn.state == RDL_CONN_READY)
        turn(TURN_MS);
}

static const char not_reported[] = "the peer closed the connection, and rdl_conn_closed was not called";

static void start(void)
{
    port_conn_init(&conn, port_number);
}

/* ---------------------------------------------------------------- bytes */

/* Both send at once, in pieces of all sizes, and the peer ends right after its last byte. */
static void talk_peer(int listener)
{
    struct port_stream s = {0};
    int fd = port_accept(listener);

    port_exchange(fd, &s, 1, MUCH);
    close(fd);
}

static void talk(void)
{
    start();
    open_it(MUCH);
    wait_received(MUCH, "not all that the peer sent was passed on");
    wait_closed(PORT_ENDS, not_reported);
    if (conn.in.at != MUCH)
        port_broken(PORT_RECEIVES, "%lu bytes of %d were passed on before the end was reported", conn.in.at,
                    MUCH);
    if (conn.sent != MUCH)
        port_broken(PORT_SENDS, "%lu bytes of %d were taken", conn.sent, MUCH);
}

/* The system transfers a few bytes at a time, wakes without reason, and is interrupted by signals. */
static void pieces_peer(int listener)
{
    struct port_stream s = {0};
    int fd = port_accept(listener);

    port_exchange(fd, &s, 1, LITTLE);
    port_read_end(fd, &s);
}

static void pieces(void)
{
    start();
    port_is_hard = 1;
    open_it(LITTLE);
    wait_received(LITTLE, "a few bytes come at a time, and not all of them were passed on");
    wait_sent(PORT_SENDS, "a few bytes are taken at a time, and not all of them were sent");
    if (conn.conn.state != RDL_CONN_READY)
        port_broken(PORT_ENDS, "a call that took less, or was interrupted, was taken for the end");
    port_expect(PORT_SENDS, "what is said to be sent did not arrive");
    while (port_shared->heard < LITTLE)
        turn(TURN_MS);
    port_is_hard = 0;
}

/* The peer reads nothing for a while: bytes that the transport does not take have to be offered again. */
static void slow_peer(int listener)
{
    struct port_stream s = {0};
    int fd = port_accept(listener);

    port_wait_go(1);
    port_read(fd, &s, 10L * MUCH);
    close(fd);
}

static void slow(void)
{
    unsigned long before = 0;

    start();
    port_is_narrow = 1;
    open_it(10L * MUCH);
    port_expect(PORT_SENDS, "not all that was put arrived");
    do { /* until no more bytes are taken */
        before = conn.sent;
        for (int i = 0; i < 5; i++)
            turn(1);
    } while (conn.sent != before && conn.sent < conn.to_send);
    port_let();
    wait_sent(PORT_SENDS, "not all that was put arrived");
    wait_closed(PORT_ENDS, not_reported);
    if (conn.sent != conn.to_send)
        port_broken(PORT_SENDS, "%lu bytes of %lu were taken", conn.sent, conn.to_send);
}

/* tx writes nothing after all, as when a request proves to be one that the server does not know. */
static void nothing(void)
{
    start();
    open_it(0);
    conn.empty = 3;
    conn.to_send = MUCH;
    wait_sent(PORT_NOTHING, "rdl_conn_tx put nothing at first, and the rest was never asked for");
    wait_received(MUCH, "not all that the peer sent was passed on");
    wait_closed(PORT_ENDS, not_reported);
    if (conn.sent != MUCH)
        port_broken(PORT_NOTHING, "rdl_conn_tx put nothing, and the connection was ended");
}

/* Bytes that the conn does not want yet wait. */
static void unwanted_peer(int listener)
{
    int fd = port_accept(listener);

    port_send(fd, 1, 0, 4000);
    port_wait_go(1);
    close(fd);
}

static void unwanted(void)
{
    start();
    conn.is_reading = 0;
    open_it(0);
    for (int i = 0; i < 5; i++)
        turn(TURN_MS);
    conn.is_reading = 1;
    port_let();
    wait_received(4000, "bytes that arrived while the conn did not read were not passed on");
    wait_closed(PORT_ENDS, not_reported);
    if (conn.in.at != 4000)
        port_broken(PORT_RECEIVES, "of 4000 bytes that came while the conn did not read it got %lu",
                    conn.in.at);
}

/* ---------------------------------------------------------------- beginnings and ends */

static void refused(void)
{
    start();
    for (int i = 0; i < 3; i++) {
        port_conn_open(&conn, 0);
        wait_closed(PORT_REFUSED, "no process listens there, and rdl_conn_closed was not called");
        if (conn.opened > 0)
            port_broken(PORT_OPENS, "no process listens there, and rdl_conn_opened was called");
    }
}

/* A listener whose queue is full: connecting takes minutes. */
static void aborted(void)
{
    struct port_conn *one = &conn;
    int fill[8];

    listen(port_listener, 0);
    fcntl(port_listener, F_SETFL, O_NONBLOCK);
    for (int i = 0; i < (int)(sizeof fill / sizeof fill[0]); i++)
        fill[i] = port_connect_nobody();
    start();
    port_conn_open(&conn, 0);
    for (int i = 0; i < 3; i++)
        turn(TURN_MS);
    if (conn.opened > 0)
        port_broken(PORT_OPENS, "the connection was not accepted, and rdl_conn_opened was called");
    if (conn.conn.state == RDL_CONN_OPENING) {
        port_conn_close(&conn);
        wait_closed(PORT_ABORTED, "the conn aborted, and rdl_conn_closed was not called");
    }
    for (int i = 0; i < (int)(sizeof fill / sizeof fill[0]); i++)
        close(fill[i]);
    for (int fd = 0; fd >= 0;) {
        fd = accept(port_listener, NULL, NULL);
        close(fd);
    }
    for (int i = 0; i < 3; i++)
        port_turn(&one, 1, TURN_MS);
}

static void reset_peer(int listener)
{
    for (int i = 1; i <= 3; i += 2) {
        int fd = port_accept(listener);
        port_wait_go(i);
        port_reset(fd);
        port_wait_go(i + 1);
    }
}

/* The end while nothing is sent, and in the middle of what the driver sends. */
static void reset(void)
{
    start();
    for (int i = 1; i <= 3; i += 2) {
        open_it(i == 1 ? 0 : 100L * MUCH);
        port_wait_step(i);
        for (int k = 0; k < 3; k++)
            turn(1);
        port_let();
        port_wait_step(i + 1);
        wait_closed(PORT_ENDS, "the peer reset the connection, and rdl_conn_closed was not called");
        for (int k = 0; k < 3; k++)
            turn(1);
        port_let();
    }
}

/* The peer sends its reason and closes, before the driver has sent anything. */
static void last_words_peer(int listener)
{
    int fd = port_accept(listener);

    port_send(fd, 1, 0, LAST_WORDS);
    close(fd);
    port_wait_go(1);
    port_wait_go(2);
}

static void last_words(void)
{
    start();
    conn.is_reading = 0;
    open_it(0);
    port_wait_step(1);
    conn.is_reading = 1;
    conn.to_send = 100L * MUCH;
    wait_closed(PORT_ENDS, not_reported);
    if (conn.in.at != LAST_WORDS)
        port_broken(PORT_RECEIVES, "the peer sent %d bytes before it closed, and %lu were passed on",
                    LAST_WORDS, conn.in.at);
    port_let();
    port_let();
}

/* Many bytes are in flight in both directions when the conn closes; then comes the next connection. */
static void again_peer(int listener)
{
    struct port_stream s = {0};

    for (unsigned id = 1; id <= 5; id++) {
        int fd = port_accept(listener);
        port_send(fd, id, 0, 5001);
        port_wait_go((int)(2 * id - 1));
        port_read_end(fd, &s);
        port_stream_next(&s);
        port_wait_go((int)(2 * id));
    }
}

static void again(void)
{
    start();
    for (int i = 1; i <= 5; i++) {
        unsigned closed = conn.closed;
        open_it(100L * MUCH + 1);
        port_expect(PORT_RECEIVES, "nothing of what the peer sent was passed on");
        while (conn.in.at == 0)
            turn(TURN_MS);
        port_conn_close(&conn);
        wait_closed(PORT_CLOSES, "the conn wanted to be closed, and rdl_conn_closed was not called");
        if (conn.closed != closed + 1)
            port_broken(PORT_CLOSES, "rdl_conn_closed was called %u times", conn.closed - closed);
        port_let();
        port_expect(PORT_CLOSES, "rdl_conn_closed was called, and the peer sees no end");
        port_wait_step(2 * i);
        port_let();
    }
}

/* No byte is in flight, and the driver waits for the next: its waiting must not keep the connection open. */
static void waiting_peer(int listener)
{
    struct port_stream s = {0};
    int fd = port_accept(listener);

    port_wait_go(1);
    port_read_end(fd, &s);
    port_wait_go(2);
}

static void waiting(void)
{
    start();
    open_it(0);
    for (int i = 0; i < 3; i++)
        turn(TURN_MS);
    port_conn_close(&conn);
    wait_closed(PORT_CLOSES, "the conn wanted to be closed, and rdl_conn_closed was not called");
    port_let();
    port_expect(PORT_CLOSES, "rdl_conn_closed was called, and the peer sees no end");
    port_wait_step(2);
    port_let();
}

/* The conn reads, then not for a while, and bytes arrive: they wait, in the order in which they came. */
static void pauses_peer(int listener)
{
    int fd = port_accept(listener);

    port_send(fd, 1, 0, 40);
    for (int i = 1; i <= 3; i++) {
        port_wait_go(i);
        port_send(fd, 1, 40 + (unsigned long)(i - 1) * 1000, 1000);
    }
    port_wait_go(4);
    close(fd);
}

static void pauses(void)
{
    start();
    open_it(0);
    wait_received(40, "not all that the peer sent was passed on");
    turn(0);
    conn.is_reading = 0;
    for (int i = 1; i <= 3; i++) { /* each of them meets a driver that has just been polled */
        port_let();
        port_wait_step(i + 1);
        turn(TURN_MS);
    }
    conn.is_reading = 1;
    port_let();
    wait_received(3040, "bytes that arrived while the conn did not read were not passed on");
    wait_closed(PORT_ENDS, not_reported);
    if (conn.in.at != 3040)
        port_broken(PORT_RECEIVES, "of 3040 bytes the conn got %lu", conn.in.at);
}

static void many_peer(int listener)
{
    for (;;) {
        struct port_stream s = {0};
        port_read_end(port_accept(listener), &s);
    }
}

static int count_open(void)
{
    int n = 0;

    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* Connections that come and go, and as many that are never opened. */
static void many(void)
{
    int before, after;

    start();
    open_it(0);
    port_conn_close(&conn);
    wait_closed(PORT_CLOSES, "the conn wanted to be closed, and rdl_conn_closed was not called");
    before = count_open();
    for (int i = 0; i < MANY; i++) {
        conn.endpoint.port = (uint16_t)(i % 2 == 0 ? port_number : port_free_number());
        conn.id = 0;
        port_conn_open(&conn, 4);
        port_expect(PORT_OPENS, "neither rdl_conn_opened nor rdl_conn_closed was called");
        while (conn.conn.state == RDL_CONN_OPENING)
            turn(TURN_MS);
        if (conn.conn.state == RDL_CONN_READY)
            port_conn_close(&conn);
        wait_closed(PORT_CLOSES, "the conn wanted to be closed, and rdl_conn_closed was not called");
    }
    after = count_open();
    if (after != before)
        port_broken(PORT_LEAKS, "%d connections have left %d descriptors open", MANY, after - before);
}

/* ---------------------------------------------------------------- waiting */

static void quiet_peer(int listener)
{
    struct port_stream s = {0};

    port_read_end(port_accept(listener), &s);
}

static void quiet(void)
{
    uint64_t until;

    start();
    open_it(0);
    port_expect(PORT_UNTIL, "the peer says nothing, and poll does not return");
    for (int i = 0; i < 3; i++) {
        until = port_now_ms() + 3 * TURN_MS;
        while (port_now_ms() < until)
            turn(until - port_now_ms());
        turn(0);
    }
}

/* One byte, when the driver is certainly waiting; no other will ever come. */
static void wakes_peer(int listener)
{
    struct port_stream s = {0};
    int fd = port_accept(listener);

    port_wait_go(1);
    usleep(5 * TURN_MS * 1000);
    port_send(fd, 1, 0, 1);
    port_read_end(fd, &s);
}

static void wakes(void)
{
    start();
    open_it(0);
    port_expect(PORT_WAKES, "a byte came, and poll does not return");
    port_let();
    while (conn.in.at == 0)
        turn(UINT64_MAX);
}

/* ---------------------------------------------------------------- several at once */

static void flood(int fd)
{
    if (fork() == 0)
        port_send(fd, 1, 0, ULONG_MAX);
}

static void several_peer(int listener)
{
    struct port_stream s = {0};
    int fd = port_accept(listener);

    flood(fd);
    port_wait_full(fd);
    fd = port_accept(listener);
    for (unsigned long i = 0; i < 50; i++) {
        port_send(fd, 1, i, 1);
        port_read(fd, &s, 1);
    }
    port_read_end(fd, &s);
}

/* One floods, one is refused again and again, one hangs, and one exchanges data. */
static void several(void)
{
    static struct port_conn c[LINES];
    struct port_conn *all[LINES];
    enum { FLOODED, REFUSED, TALKS, IDLE };

    for (int i = 0; i < LINES; i++) {
        port_conn_init(&c[i], port_number);
        all[i] = &c[i];
    }
    c[REFUSED].endpoint.port = (uint16_t)port_free_number();
    port_expect(PORT_OPENS, "rdl_conn_opened was not called");
    c[FLOODED].is_reading = 0; /* until the system's buffers are full */
    port_conn_open(&c[FLOODED], 0);
    while (c[FLOODED].opened == 0)
        port_turn(all, LINES, TURN_MS);
    port_conn_open(&c[TALKS], 0);
    while (c[TALKS].opened == 0)
        port_turn(all, LINES, TURN_MS);
    c[FLOODED].is_reading = 1;
    port_expect(PORT_TURNS, "one conn is flooded, and another one gets nothing any more");
    for (unsigned long i = 1; i <= 50; i++) {
        if (c[REFUSED].conn.state == RDL_CONN_CLOSED)
            port_conn_open(&c[REFUSED], 0);
        while (c[TALKS].in.at < i)
            port_turn(all, LINES, TURN_MS);
        c[TALKS].to_send = i;
        while (c[TALKS].sent < i)
            port_turn(all, LINES, TURN_MS);
    }
    if (c[TALKS].conn.state != RDL_CONN_READY)
        port_broken(PORT_OTHERS, "one conn was refused, and another one was closed");
}

/* ---------------------------------------------------------------- time and chance */

static void clock_goes_on(void)
{
    uint64_t last = port_now_ms(), end = last + 400;

    port_expect(PORT_CLOCK, "now_ms stands still");
    while (last < end) {
        uint64_t now = port_now_ms();
        if (now < last)
            port_broken(PORT_CLOCK, "now_ms said %lu, and then %lu", (unsigned long)last, (unsigned long)now);
        last = now;
    }
}

enum { DRAWN = 64, DRAWS = 16 };

static void draw(unsigned char out[DRAWS][DRAWN])
{
    for (int i = 0; i < DRAWS; i++)
        port_random(out[i], RDL_TOKEN_LEN - 4);
}

/* Another process draws as well, as after a restart. */
static void draws_unlike(void)
{
    unsigned char drawn[2 * DRAWS][DRAWN], first[DRAWN];
    int fd[2], touched[DRAWN] = {0};

    if (pipe(fd) != 0)
        exit(2);
    memset(drawn, 0, sizeof drawn);
    port_random(first, RDL_TOKEN_LEN - 4); /* a driver that keeps a stock now has one, and so has the child */
    if (fork() == 0) {
        draw(drawn);
        _exit(write(fd[1], drawn, sizeof drawn / 2) == (ssize_t)sizeof drawn / 2 ? 0 : 1);
    }
    wait(NULL);
    if (read(fd[0], drawn + DRAWS, sizeof drawn / 2) != (ssize_t)sizeof drawn / 2)
        exit(2);
    draw(drawn);
    for (int i = 0; i < 2 * DRAWS; i++) {
        for (int k = 0; k < i; k++)
            if (memcmp(drawn[i], drawn[k], sizeof drawn[i]) == 0)
                port_broken(PORT_RANDOM, "16 bytes came twice%s",
                            i < DRAWS || k >= DRAWS ? "" : ", in two processes");
    }
    for (int i = 0; i < DRAWS * 8; i++) {
        memset(first, 0, sizeof first);
        port_random(first, 33);
        for (int k = 0; k < DRAWN; k++)
            touched[k] |= first[k];
    }
    for (int k = 0; k < DRAWN; k++)
        if ((touched[k] != 0) != (k < 33))
            port_broken(PORT_RANDOM, "33 bytes were asked for, and byte %d is %s", k,
                        k < 33 ? "always 0" : "written");
}

/* ---------------------------------------------------------------- all of them */

/* First the cases without which no other can pass. */
const struct port_case port_cases[] = {
    {"the clock", clock_goes_on, NULL},
    {"random numbers", draws_unlike, NULL},
    {"a peer that sends nothing", quiet, quiet_peer},
    {"a byte comes at last", wakes, wakes_peer},
    {"no process listens", refused, NULL},
    {"the conn aborts while connecting", aborted, NULL},
    {"both talk at once", talk, talk_peer},
    {"a few bytes at a time", pieces, pieces_peer},
    {"the peer reads late", slow, slow_peer},
    {"there is nothing to send after all", nothing, talk_peer},
    {"the conn does not read yet", unwanted, unwanted_peer},
    {"the peer resets the connection", reset, reset_peer},
    {"the peer says why and hangs up", last_words, last_words_peer},
    {"the conn closes, and connects again", again, again_peer},
    {"the conn closes while it waits", waiting, waiting_peer},
    {"the conn stops reading for a while", pauses, pauses_peer},
    {"many connections, one after the other", many, many_peer},
    {"several conns", several, several_peer},
};
const unsigned port_n_cases = sizeof port_cases / sizeof port_cases[0];
