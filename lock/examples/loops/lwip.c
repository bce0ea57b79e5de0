/* SPDX-License-Identifier: MIT */
/*
 * lwip.c - a stream over lwIP's raw API; see lwip.h.
 *
 * lwIP calls back only while the loop moves its packets, so no two calls for a connection overlap. It keeps
 * sent bytes until they are acknowledged, and received ones are passed on from where they are. So the stream
 * needs no buffer.
 */
#define _POSIX_C_SOURCE 200809L /* on a host: without it lwIP defines its own ssize_t */
#include "lock/examples/loops/lwip.h"

#include <lwip/tcp.h>

static void failed(void *arg, err_t err)
{
    struct lwip_link *link = arg;

    (void)err;
    link->pcb = NULL; /* lwIP has freed it */
    link->error = link->is_open ? RDL_E_CLOSED : RDL_E_CONNECT;
}

static err_t connected(void *arg, struct tcp_pcb *pcb, err_t err)
{
    struct lwip_link *link = arg;

    (void)pcb;
    link->is_open = 1;
    return err;
}

static err_t received(void *arg, struct tcp_pcb *pcb, struct pbuf *data, err_t err)
{
    struct lwip_link *link = arg;

    (void)pcb;
    if (data == NULL)
        link->error = RDL_E_CLOSED; /* the server has closed it */
    else if (link->in == NULL)
        link->in = data;
    else
        pbuf_cat(link->in, data);
    return err;
}

/* Ends the connection at once, for the server, too. */
static void lwip_close(void *ctx, struct rdl_conn *c)
{
    struct lwip_link *link = ctx;

    (void)c;
    if (link->in != NULL)
        pbuf_free(link->in);
    if (link->pcb != NULL) {
        tcp_err(link->pcb, NULL);
        tcp_abort(link->pcb);
    }
    *link = (struct lwip_link){0};
}

static int dial(struct lwip_link *link, const struct rdl_endpoint *ep)
{
    ip_addr_t to = IPADDR4_INIT_BYTES(ep->ip[0], ep->ip[1], ep->ip[2], ep->ip[3]);

    link->pcb = tcp_new();
    if (link->pcb == NULL || tcp_connect(link->pcb, &to, ep->port, connected) != ERR_OK)
        return RDL_E_SYSTEM;
    tcp_nagle_disable(link->pcb);
    tcp_arg(link->pcb, link);
    tcp_recv(link->pcb, received);
    tcp_err(link->pcb, failed);
    return RDL_STREAM_WAIT_WRITE;
}

static int lwip_open(void *ctx, struct rdl_conn *c)
{
    struct lwip_link *link = ctx;

    if (link->error != RDL_OK)
        return link->error;
    if (link->pcb == NULL)
        return dial(link, c->cfg->endpoint);
    return link->is_open ? RDL_STREAM_READY : RDL_STREAM_WAIT_WRITE;
}

/* If lwIP has no memory for the bytes, they are offered again. */
static int lwip_send(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len)
{
    struct lwip_link *link = ctx;
    u16_t n;

    (void)c;
    if (link->pcb == NULL)
        return RDL_E_CLOSED;
    n = len < tcp_sndbuf(link->pcb) ? (u16_t)len : (u16_t)tcp_sndbuf(link->pcb);
    if (n == 0 || tcp_write(link->pcb, bytes, n, TCP_WRITE_FLAG_COPY) != ERR_OK)
        n = 0;
    tcp_output(link->pcb);
    return n;
}

static int lwip_recv(void *ctx, struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    struct lwip_link *link = ctx;
    u16_t n;

    (void)c;
    if (link->in == NULL)
        return link->error;
    n = pbuf_copy_partial(link->in, buf, cap < UINT16_MAX ? (u16_t)cap : UINT16_MAX, 0);
    link->in = pbuf_free_header(link->in, n);
    if (link->pcb != NULL)
        tcp_recved(link->pcb, n);
    return n;
}

const struct rdl_stream_ops lwip_stream = {lwip_open, lwip_send, lwip_recv, lwip_close};
