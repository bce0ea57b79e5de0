/* SPDX-License-Identifier: MIT */
/*
 * conn_uart.c - the driver of a connection over a serial line, whose other end is a bridge to the server.
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

enum { REDIAL_MS = 1000, QUIET_MS = REDIAL_MS / 2, ASK_AGAIN_MS = QUIET_MS / 2, CHUNK = 16 };

/*
 * A server with a password refuses ECHO before AUTH. Then use "\r\nAUTH user password\r\nECHO N" here; the
 * connection's configuration needs no login.
 */
#define ASK "\r\nECHO N" /* the first \r\n ends a command that was cut off */
enum { TEXT = sizeof ASK - 2, DIGITS = TEXT + 1, DIGITS_LEN = 2 * RDL_ENTROPY_LEN };
static char question[] = ASK "                                \r\n";
enum { QUESTION = sizeof question - 1 };

static struct {
    uint64_t asked_ms, heard_ms;
    uint8_t is_asking, asked, matched; /* bytes of the question sent, bytes of its text received */
} line;

static void ask_anew(void)
{
    uint8_t unique[RDL_ENTROPY_LEN];
    unsigned i;

    unique_bytes(unique);
    for (i = 0; i < DIGITS_LEN; i++)
        question[DIGITS + i] = (char)('a' + (unique[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15));
    line.is_asking = 1;
    line.asked = 0;
    line.matched = TEXT;
    line.asked_ms = clock_ms();
}

/* After a lost question the next one has another text, so that no question gets two replies. */
static void open_line(struct rdl_conn *c)
{
    uint8_t byte;

    if (!line.is_asking || clock_ms() - line.asked_ms >= ASK_AGAIN_MS)
        ask_anew();
    while (line.asked < QUESTION && uart_put((uint8_t)question[line.asked]))
        line.asked++;
    while (line.matched < QUESTION && uart_get(&byte) > 0)
        if (byte == (uint8_t)question[line.matched])
            line.matched++;
        else
            line.matched = byte == 'N' ? DIGITS : TEXT; /* there is no other N in it */
    if (line.matched == QUESTION) {
        line.is_asking = 0;
        line.heard_ms = line.asked_ms; /* the reply came later than that */
        rdl_conn_opened(c);
    }
}

static void receive(struct rdl_conn *c)
{
    uint8_t in[CHUNK];
    size_t n = 0;
    int got;
    uint64_t now_ms;

    do
        got = uart_get(&in[n]);
    while (got > 0 && ++n < sizeof in);
    now_ms = clock_ms(); /* after reading, which may have been delayed */
    if (got < 0 || now_ms - line.heard_ms >= QUIET_MS) {
        rdl_conn_closed(c, RDL_E_CLOSED);
    } else if (n > 0) {
        line.heard_ms = now_ms;
        rdl_conn_rx(c, in, n);
    }
}

static void transmit(struct rdl_conn *c)
{
    uint8_t out[CHUNK];
    size_t n = rdl_conn_tx(c, out, sizeof out);
    size_t taken = 0;

    while (taken < n && uart_put(out[taken]))
        taken++;
    rdl_conn_tx_done(c, taken);
}

void conn_drive(struct rdl_conn *c)
{
    if (rdl_conn_wants(c) & RDL_WANT_OPEN) {
        open_line(c);
        return;
    }
    line.is_asking = 0;
    if (rdl_conn_wants(c) & RDL_WANT_READ)
        receive(c);
    if (rdl_conn_wants(c) & RDL_WANT_WRITE)
        transmit(c);
    if (rdl_conn_wants(c) & RDL_WANT_CLOSE)
        rdl_conn_closed(c, rdl_conn_error(c));
}
