/* SPDX-License-Identifier: MIT */
/*
 * conn_uart.c - the stream of a connection over a serial line, whose other end is a bridge to the server.
 *
 * The line itself never closes: the bridge can lose its connection and open a new one without notice. Two
 * rules keep the replies of one connection from being taken for those of another:
 *
 * - Before the conn is opened, the server gets an ECHO of a text that was never sent before. All bytes before
 *   its reply belong to an earlier connection, and are dropped.
 * - A bridge takes at least REDIAL_MS to connect again. So bytes that arrive less than QUIET_MS after the
 *   last one come over the same connection, as long as a turn of the main loop takes less than the
 *   difference. After a longer silence the line gets a new ECHO.
 */
#include "board.h"

enum { REDIAL_MS = 1000, QUIET_MS = REDIAL_MS / 2, ASK_AGAIN_MS = QUIET_MS / 2 };

/*
 * A server with a password refuses ECHO before AUTH. Then use "\r\nAUTH user password\r\nECHO N" here; the
 * connection's configuration needs no login.
 */
#define ASK "\r\nECHO N" /* the first \r\n ends a command that was cut off */
enum { TEXT = sizeof ASK - 2, DIGITS = TEXT + 1 };
static uint8_t question[] = ASK "                                \r\n";
enum { QUESTION = sizeof question - 1 };

static struct {
    uint64_t asked_ms, heard_ms;
    uint8_t asked, matched; /* bytes of the question sent; bytes of its text received, 0: none is asked */
} line;

static void ask_anew(void)
{
    uint8_t unique[RDL_ENTROPY_LEN];
    unsigned i;

    unique_bytes(unique);
    for (i = 0; i < RDL_ENTROPY_LEN; i++) {
        question[DIGITS + i] = (uint8_t)('a' + (unique[i] & 15));
        question[DIGITS + RDL_ENTROPY_LEN + i] = (uint8_t)('a' + (unique[i] >> 4));
    }
    line.asked = 0;
    line.matched = TEXT;
    line.asked_ms = clock_ms();
}

static int line_send(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len)
{
    size_t taken = 0;

    (void)ctx, (void)c;
    while (taken < len && uart_put(bytes[taken]))
        taken++;
    return (int)taken;
}

/* After a lost question the next one has another text, so that no question gets two replies. */
static int line_open(void *ctx, struct rdl_conn *c)
{
    uint8_t byte;

    (void)ctx, (void)c;
    if (line.matched == 0 || clock_ms() - line.asked_ms >= ASK_AGAIN_MS)
        ask_anew();
    line.asked = (uint8_t)(line.asked + line_send(NULL, NULL, &question[line.asked], QUESTION - line.asked));
    while (line.matched < QUESTION) {
        if (uart_get(&byte) <= 0)
            return RDL_STREAM_WAIT_READ;
        if (byte == question[line.matched])
            line.matched++;
        else
            line.matched = byte == 'N' ? DIGITS : TEXT; /* there is no other N in it */
    }
    line.matched = 0;
    line.heard_ms = line.asked_ms; /* the reply came later than that */
    return RDL_STREAM_READY;
}

static int line_recv(void *ctx, struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    size_t n = 0;
    int got = 0;
    uint64_t now_ms;

    (void)ctx, (void)c;
    while (n < cap && (got = uart_get(&buf[n])) > 0)
        n++;
    now_ms = clock_ms(); /* after reading, which may have been delayed */
    if (got < 0 || now_ms - line.heard_ms >= QUIET_MS)
        return RDL_E_CLOSED;
    if (n > 0)
        line.heard_ms = now_ms;
    return (int)n;
}

static void line_close(void *ctx, struct rdl_conn *c)
{
    (void)ctx, (void)c; /* a question that was not answered is still valid */
}

const struct rdl_stream_ops line_stream = {line_open, line_send, line_recv, line_close};
