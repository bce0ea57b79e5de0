/* SPDX-License-Identifier: MIT */
/*
 * lwip.c - a driver for lwIP's raw API; see lwip.h.
 *
 * lwIP calls back only while the loop moves its packets, so no two calls for a connection overlap. Received
 * bytes are passed on as they arrive, and lwIP keeps sent bytes until they are acknowledged. So the driver
 * needs no buffer.
 */
#define _POSIX_C_SOURCE 200809L /* on a host: without it lwIP defines its own ssize_t */
#include "lock/examples/loops/lwip.h"

#include <lwip/tcp.h>

enum { CHUNK = 256 };

/* Ends the connection at once, for the server, too. Pending releases go over the next connection. */
static void hang_up(struct rdl_conn *conn, int error)
{
    struct tcp_pcb *pcb = conn->transport;

    if (pcb != NULL) {
        tcp_err(pcb, NULL);
        tcp_abort(pcb);
    }
    conn->transport = NULL;
    rdl_conn_closed(conn, error);
}

static void failed(void *arg, err_t err)
{
    struct rdl_conn *conn = arg;

    (void)err;
    conn->transport = NULL; /* lwIP has freed it */
    hang_up(conn, rdl_conn_state(conn) == RDL_CONN_OPENING ? RDL_E_CONNECT : RDL_E_CLOSED);
}

static err_t connected(void *arg, struct tcp_pcb *pcb, err_t err)
{
    (void)pcb;
    rdl_conn_opened(arg);
    return err;
}

static err_t received(void *arg, struct tcp_pcb *pcb, struct pbuf *data, err_t err)
{
    if (data == NULL) { /* the server has closed it */
        hang_up(arg, RDL_E_CLOSED);
        return ERR_ABRT;
    }
    if (!(rdl_conn_wants(arg) & RDL_WANT_READ)) /* lwIP keeps it, and calls again */
        return ERR_MEM;
    for (struct pbuf *piece = data; piece != NULL; piece = piece->next)
        if (rdl_conn_wants(arg) & RDL_WANT_READ) /* not after bytes that are no valid reply */
            rdl_conn_rx(arg, piece->payload, piece->len);
    tcp_recved(pcb, data->tot_len);
    pbuf_free(data);
    return err;
}

static void dial(struct rdl_conn *conn)
{
    const uint8_t *ip = conn->cfg->endpoint->ip;
    ip_addr_t to = IPADDR4_INIT_BYTES(ip[0], ip[1], ip[2], ip[3]);
    struct tcp_pcb *pcb = tcp_new();

    conn->transport = pcb;
    if (pcb == NULL || tcp_connect(pcb, &to, conn->cfg->endpoint->port, connected) != ERR_OK) {
        hang_up(conn, RDL_E_SYSTEM);
        return;
    }
    tcp_nagle_disable(pcb);
    tcp_arg(pcb, conn);
    tcp_recv(pcb, received);
    tcp_err(pcb, failed);
}

/* Sends a chunk. If lwIP has no memory for it, the connection produces it again later. */
static void transmit(struct rdl_conn *conn, struct tcp_pcb *pcb)
{
    uint8_t chunk[CHUNK];
    u16_t room = tcp_sndbuf(pcb) < CHUNK ? (u16_t)tcp_sndbuf(pcb) : CHUNK;
    u16_t n = room > 0 ? (u16_t)rdl_conn_tx(conn, chunk, room) : 0;

    if (n > 0)
        rdl_conn_tx_done(conn, tcp_write(pcb, chunk, n, TCP_WRITE_FLAG_COPY) == ERR_OK ? n : 0);
    tcp_output(pcb);
}

void lwip_drive(struct rdl_conn *conn)
{
    unsigned wants = rdl_conn_wants(conn);

    if (wants & RDL_WANT_CLOSE)
        hang_up(conn, rdl_conn_error(conn));
    else if ((wants & RDL_WANT_OPEN) && conn->transport == NULL)
        dial(conn);
    else if (wants & RDL_WANT_WRITE)
        transmit(conn, conn->transport);
}
