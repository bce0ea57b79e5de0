/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief net_stream.h - a transport as four functions, for your own drivers (net/PORTING.md).
 *
 * A stream opens, sends, receives and closes the connections of conns: sockets, TLS, a TCP/IP stack, a serial
 * line. rdl_stream_drive() calls its functions as a conn wants it.
 */
#ifndef RDL_NET_STREAM_H
#define RDL_NET_STREAM_H

#include "net/net.h"

/** @addtogroup libredlock_net
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/** Results of rdl_stream_ops.open; a negative RDL_E_ code is one, too. */
enum rdl_stream_state {
    RDL_STREAM_READY = 0,      /**< the connection is open */
    RDL_STREAM_WAIT_WRITE = 1, /**< call again when rdl_conn.fd is writable, or at any time */
    RDL_STREAM_WAIT_READ = 2   /**< call again when rdl_conn.fd is readable, or at any time */
};

/** A result of rdl_stream_ops.send. */
enum {
    RDL_STREAM_READ_FIRST = -1000 /**< it takes no bytes until something has arrived, such as a part of TLS */
};

/** @cond private */
/*
 * rdl_conn.waits, while it is not closed: RDL_STREAM_NONE if its stream has not begun to open, else this bit,
 * with what the stream waits for (enum rdl_stream_state).
 */
enum { RDL_STREAM_NONE = 0, RDL_STREAM_BEGUN = 128 };
/** @endcond */

/**
 * The functions of a stream. None of them blocks.
 *
 * Of a conn's members fd, sys_error and transport belong to the stream. With the platform of
 * rdl_posix_init(), fd is what it polls, and transport belongs to the platform. The functions call no
 * function of the conn, except rdl_conn_set_text().
 */
struct rdl_stream_ops {
    /**
     * Begins to connect to c->cfg->endpoint, or continues.
     *
     * It is called until it returns RDL_STREAM_READY or an error. Returns enum rdl_stream_state, or a
     * negative error: RDL_E_CONNECT, RDL_E_SYSTEM if this host lacks a resource, or RDL_E_TLS after
     * rdl_conn_set_text(). After RDL_STREAM_READY no byte of an earlier connection may arrive.
     */
    int (*open)(void *ctx, struct rdl_conn *c);

    /**
     * Takes bytes to send.
     *
     * Returns how many of the len (1 or more) it took: the others are offered again, with others after them.
     * 0: no room now. RDL_STREAM_READ_FIRST: it must receive before it can send, so rdl_conn.fd need not be
     * writable. Another negative one: the connection has ended, RDL_E_CLOSED for example. What has arrived is
     * received then, and nothing is sent any more.
     */
    int (*send)(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len);

    /**
     * Returns how many received bytes it put into buf, cap (1 or more) at most. 0: there are none now.
     * Negative: the connection has ended, and all bytes that arrived before were returned.
     */
    int (*recv)(void *ctx, struct rdl_conn *c, uint8_t *buf, size_t cap);

    /**
     * Ends the connection at once, also while it opens, and releases all that belongs to it.
     *
     * It is called once for each connection that open began, also after an error of the other functions. In a
     * child after fork that uses its parent's conn, it is called for the child's copy. So it must not send: a
     * close alert of TLS or a shutdown(2) would end the parent's connection.
     */
    void (*close)(void *ctx, struct rdl_conn *c);
};

/** Bits of what rdl_stream_drive() and rdl_stream_run() return. */
enum rdl_stream_did {
    RDL_STREAM_DID = 1, /**< something other than sending was done: a caller may have to act on it */
    RDL_STREAM_SENT = 2 /**< the stream took bytes to send */
};

/**
 * Does what a conn wants, once, over the stream of its configuration: opens, receives, sends, closes.
 *
 * Call it in each turn of your loop; a conn that receives without end returns after 16 buffers.
 *
 * @param c    a conn whose configuration has a stream
 * @param buf  memory for bytes that are sent or received; yours again after the call
 * @param cap  its size in bytes, 1 to INT_MAX; 16 will do
 * @return bits of enum rdl_stream_did; 0: there is nothing to do now. After RDL_STREAM_DID call it again
 *         before you wait. After RDL_STREAM_SENT alone you may wait, as after 0.
 */
int rdl_stream_drive(struct rdl_conn *c, uint8_t *buf, size_t cap);

/** A stream that is not that of the configuration, and memory for its bytes. */
struct rdl_stream {
    const struct rdl_stream_ops *ops; /**< its functions */
    void *ctx;                        /**< passed to them */
    uint8_t *buf;                     /**< as for rdl_stream_drive() */
    size_t cap;                       /**< its size in bytes, 1 to INT_MAX */
};

/**
 * Does the same over a stream that the caller names, from open to close: for a platform that has its own.
 *
 * @param c  the conn
 * @param s  the stream; needed during the call only
 * @return as rdl_stream_drive()
 */
int rdl_stream_run(struct rdl_conn *c, const struct rdl_stream *s);

/** @} */
/** @addtogroup libredlock_posix
 * @{ */
/**
 * The sockets of net_posix.c as a stream, to put another one on top of it, such as TLS.
 *
 * The ctx of its functions is NULL. Call its open until RDL_STREAM_READY, then speak TLS over its send and
 * recv, which cause no signal, or over c->fd. Your close calls its close last. It uses the members fd,
 * sys_error and transport of the conn.
 */
extern const struct rdl_stream_ops rdl_posix_stream;

/** @} */

#ifdef __cplusplus
}
#endif

#endif
