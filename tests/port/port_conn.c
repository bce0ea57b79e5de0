/* SPDX-License-Identifier: MIT */
/*
 * port_conn.c - used in place of net_conn.c: the functions that a driver calls, and whether it may. It knows
 * no RESP; it sends and expects the pattern.
 */
#include "net/net_op.h"
#include "tests/port/port.h"

#include <string.h>

extern inline enum rdl_conn_phase rdl_conn_state(const struct rdl_conn *c);
extern inline int rdl_conn_error(const struct rdl_conn *c);

/* ---------------------------------------------------------------- the pattern */

unsigned char port_byte(unsigned id, unsigned long at)
{
    static const unsigned shift[] = {0, 14, 7, 0};

    if (at % 4 == 0)
        return (unsigned char)(0x80u | id);
    return (unsigned char)((at / 4) >> shift[at % 4] & 0x7fu);
}

void port_stream_take(struct port_stream *s, unsigned char byte, enum port_rule broken, enum port_rule old)
{
    unsigned id = byte & 0x7fu;

    if (s->id == 0 && (byte < 0x80u || id <= s->last_id))
        port_broken(old, "the first byte, 0x%02x, is of an earlier connection", byte);
    if (s->id == 0)
        s->id = id;
    if (byte != port_byte(s->id, s->at))
        port_broken(broken, "byte %lu of connection %u is 0x%02x and should be 0x%02x", s->at, s->id, byte,
                    port_byte(s->id, s->at));
    s->at++;
}

void port_stream_next(struct port_stream *s)
{
    if (s->id != 0)
        s->last_id = s->id;
    s->id = 0;
    s->at = 0;
}

/* ---------------------------------------------------------------- the case's side */

void port_conn_init(struct port_conn *p, int port)
{
    static const uint8_t loopback[4] = {127, 0, 0, 1};

    memset(p, 0, sizeof *p);
    p->endpoint.host = "127.0.0.1";
    p->endpoint.family = RDL_INET;
    p->endpoint.port = (uint16_t)port;
    memcpy(p->endpoint.ip, loopback, sizeof loopback);
    p->config.endpoint = &p->endpoint;
    p->conn.cfg = &p->config;
    p->conn.fd = -1;
    p->is_reading = 1;
}

void port_conn_open(struct port_conn *p, unsigned long to_send)
{
    p->to_send = to_send;
    p->wants = RDL_WANT_OPEN;
    p->conn.state = RDL_CONN_OPENING;
    p->conn.waits = 0;
}

void port_conn_close(struct port_conn *p)
{
    p->wants = RDL_WANT_CLOSE;
    p->conn.state = RDL_CONN_FAILED;
    p->conn.error = RDL_E_TIMEOUT;
}

/* ---------------------------------------------------------------- the driver's side */

static struct port_conn *of(struct rdl_conn *c)
{
    return (struct port_conn *)(void *)c;
}

static void want(struct port_conn *p, unsigned what, const char *call)
{
    p->chunk = 0; /* without rdl_conn_tx_done nothing was taken, and now it is too late for it */
    if ((rdl_conn_wants(&p->conn) & what) == 0)
        port_broken(PORT_WANTED, "%s, and rdl_conn_wants said %u", call, rdl_conn_wants(&p->conn));
}

unsigned rdl_conn_wants(const struct rdl_conn *c)
{
    const struct port_conn *p = (const struct port_conn *)(const void *)c;
    unsigned wants = p->wants;

    if (p->conn.state != RDL_CONN_READY)
        return wants;
    if (p->is_reading)
        wants |= RDL_WANT_READ;
    if (p->sent < p->to_send || p->empty > 0)
        wants |= RDL_WANT_WRITE;
    return wants;
}

size_t rdl_conn_tx(struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    struct port_conn *p = of(c);
    size_t n;

    p->chunk = 0; /* bytes that were not taken are offered again */
    if (cap == 0)
        port_broken(PORT_CHUNK, "rdl_conn_tx with room for 0 bytes");
    if ((rdl_conn_wants(c) & RDL_WANT_WRITE) == 0)
        return 0;
    if (p->empty > 0) {
        p->empty--;
        return 0;
    }
    for (n = 0; n < cap && p->sent + n < p->to_send; n++)
        buf[n] = port_byte(p->id, p->sent + n);
    p->chunk = n;
    return n;
}

void rdl_conn_tx_done(struct rdl_conn *c, size_t n)
{
    struct port_conn *p = of(c);

    if (n > p->chunk)
        port_broken(PORT_CHUNK, "rdl_conn_tx wrote %u bytes, and rdl_conn_tx_done got %u", (unsigned)p->chunk,
                    (unsigned)n);
    p->sent += n;
    p->chunk = 0;
}

void rdl_conn_rx(struct rdl_conn *c, const uint8_t *data, size_t n)
{
    struct port_conn *p = of(c);

    if (n > 0)
        want(p, RDL_WANT_READ, "rdl_conn_rx");
    for (size_t i = 0; i < n; i++)
        port_stream_take(&p->in, data[i], PORT_RECEIVES, PORT_OLD_IN);
}

void rdl_conn_opened(struct rdl_conn *c)
{
    struct port_conn *p = of(c);

    if (p->conn.state == RDL_CONN_FAILED)
        port_broken(PORT_ABORTED, "rdl_conn_opened was called, and the conn had aborted");
    if ((p->wants & RDL_WANT_OPEN) == 0)
        port_broken(PORT_OPENS, "rdl_conn_opened, and it was open");
    p->opened++;
    p->id++;
    p->wants = 0;
    p->sent = 0;
    p->conn.state = RDL_CONN_READY;
    p->conn.error = RDL_OK;
    port_stream_next(&p->in);
}

/* A stream and a driver may say why at any time; no rule is about the words. */
void rdl_conn_set_text(struct rdl_conn *c, const char *text)
{
    (void)c;
    (void)text;
}

/* Of net_stream.c: the stream ended, and rdl_conn_closed follows. */
void rdl_conn_shut(struct rdl_conn *c, int error)
{
    struct port_conn *p = of(c);

    if (p->conn.state == RDL_CONN_CLOSED || p->conn.state == RDL_CONN_FAILED)
        return;
    p->wants = RDL_WANT_CLOSE;
    p->conn.state = RDL_CONN_FAILED;
    p->conn.error = (int8_t)error;
}

void rdl_conn_closed(struct rdl_conn *c, int error)
{
    struct port_conn *p = of(c);

    if (p->conn.state == RDL_CONN_CLOSED)
        port_broken(PORT_ENDS, "rdl_conn_closed, and it was closed already");
    if (error >= 0)
        port_broken(p->conn.state == RDL_CONN_OPENING ? PORT_REFUSED : PORT_ENDS,
                    "rdl_conn_closed with %d: its errors are negative", error);
    p->closed++;
    p->chunk = 0;
    p->wants = 0;
    p->conn.state = RDL_CONN_CLOSED;
    p->conn.error = (int8_t)error;
}
