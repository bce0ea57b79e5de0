/* SPDX-License-Identifier: MIT */
/*
 * line_cases.c - what a line that never closes by itself does to a driver; used in place of port_cases.c. The
 * peer is a bridge that also delivers bytes of other connections. It answers ECHO, sent as a line.
 */
#define _GNU_SOURCE
#include "tests/port/port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TURN_MS = 20, SOME = 100, TEXT_MAX = 100, NOBODY = 0 /* an id that is older than any */ };
enum { REDIAL_MS = 1000 /* a bridge connects again after that */ };

static struct port_conn conn;

static void turn(void)
{
    struct port_conn *one = &conn;

    port_turn(&one, 1, TURN_MS);
}

/* The conn wants to be opened, and gets the bytes that follow the reply. */
static void use_it(void)
{
    port_expect(PORT_OPENS, "the ECHO was answered, and rdl_conn_opened was not called");
    port_conn_open(&conn, 0);
    while (conn.conn.state == RDL_CONN_OPENING)
        turn();
    if (conn.conn.state != RDL_CONN_READY)
        port_broken(PORT_OPENS, "the ECHO was answered, and rdl_conn_closed was called");
    port_expect(PORT_RECEIVES, "what the peer sent after the reply was not passed on");
    while (conn.in.at < SOME)
        turn();
}

static void wait_closed(void)
{
    while (conn.conn.state != RDL_CONN_CLOSED)
        turn();
}

static void start(void)
{
    port_conn_init(&conn, port_number);
}

/* ---------------------------------------------------------------- the bridge */

/* The text of the next ECHO on the line; bytes before it do not matter. */
static void read_question(int fd, char text[TEXT_MAX])
{
    char line[TEXT_MAX] = "";
    size_t n = 0;

    while (sscanf(line, "ECHO %99s", text) != 1 || line[n - 1] != '\n') {
        if (n > 0 && line[n - 1] == '\n')
            n = 0;
        if (n == sizeof line - 1 || recv(fd, line + n, 1, 0) != 1)
            _exit(1);
        line[++n] = '\0';
    }
}

static void answer(int fd, const char *text)
{
    char reply[TEXT_MAX + 20];
    int len = snprintf(reply, sizeof reply, "$%u\r\n%s\r\n", (unsigned)strlen(text), text);

    if (send(fd, reply, (size_t)len, MSG_NOSIGNAL) != len)
        _exit(1);
}

/* ---------------------------------------------------------------- the cases */

/* Bytes of an earlier connection come before the reply. */
static void old_bytes_peer(int listener)
{
    char text[TEXT_MAX];
    int fd = port_accept(listener);

    port_send(fd, NOBODY, 0, SOME);
    read_question(fd, text);
    port_send(fd, NOBODY, SOME, SOME);
    answer(fd, text);
    port_send(fd, 1, 0, SOME);
    port_wait_go(1);
}

static void old_bytes(void)
{
    start();
    use_it();
}

/* The first ECHO is answered after the second was sent. */
static void late_answer_peer(int listener)
{
    char text[TEXT_MAX], other[TEXT_MAX];
    int fd = port_accept(listener);

    read_question(fd, text);
    read_question(fd, other);
    if (strcmp(text, other) == 0)
        port_broken(PORT_OLD_IN, "two ECHOs have the same text: their replies cannot be distinguished");
    answer(fd, text);
    port_send(fd, NOBODY, 0, SOME);
    answer(fd, other);
    port_send(fd, 1, 0, SOME);
    port_wait_go(1);
}

static void late_answer(void)
{
    port_expect(PORT_OPENS, "an ECHO was not answered, and the conn is not asked for a second time");
    start();
    use_it();
}

/* The conn closes and opens, and the line does not change. */
static void again_peer(int listener)
{
    char text[TEXT_MAX];
    int fd = port_accept(listener);

    for (unsigned id = 1; id <= 3; id++) {
        read_question(fd, text);
        answer(fd, text);
        port_send(fd, id, 0, SOME);
        port_wait_go((int)id);
        port_send(fd, id, SOME, SOME);
    }
    port_wait_go(4);
}

static void again(void)
{
    start();
    for (int i = 1; i <= 3; i++) {
        use_it();
        port_conn_close(&conn);
        port_expect(PORT_CLOSES, "the conn wanted to be closed, and rdl_conn_closed was not called");
        wait_closed();
        port_let();
    }
}

/*
 * Nothing comes for as long as a bridge takes to connect again: bytes after that belong to another
 * connection.
 */
static void quiet(void)
{
    uint64_t end;

    start();
    use_it();
    end = port_now_ms() + REDIAL_MS;
    while (conn.conn.state == RDL_CONN_READY && port_now_ms() < end)
        turn();
    if (conn.conn.state == RDL_CONN_READY)
        port_broken(PORT_OLD_IN, "for %d ms nothing came, and rdl_conn_closed was not called",
                    (int)REDIAL_MS);
}

const struct port_case port_cases[] = {
    {"the line brings old bytes", old_bytes, old_bytes_peer},
    {"an answer comes late", late_answer, late_answer_peer},
    {"the conn closes, and opens again", again, again_peer},
    {"the line is quiet", quiet, old_bytes_peer},
};
const unsigned port_n_cases = sizeof port_cases / sizeof port_cases[0];
