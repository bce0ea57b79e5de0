/* SPDX-License-Identifier: MIT */
/* net_private.h - declarations that the files of net/ share and that no other layer may use. */
#ifndef RDL_NET_PRIVATE_H
#define RDL_NET_PRIVATE_H

#include "net/net_op.h"

/* -------------------------------------------------- net_request.c: the request records */

/* Returns the bytes of a record with its texts. */
uint32_t rdl_record_size(const struct rdl_record *r);
/* Returns the record at this offset. Inline, because a call would take more code. */
static inline struct rdl_record *rdl_record_at(const struct rdl_conn *c, uint32_t at)
{
    RDL_ASSERT(at < c->tail && at % 8 == 0);
    return (struct rdl_record *)(void *)((uint8_t *)c->cfg->queue + at);
}
/* Removes a record. Returns the offset of the next one. */
uint32_t rdl_queue_remove(struct rdl_conn *c, uint32_t at);
/* Moves the paused records after all others, to be sent again. */
void rdl_queue_resume(struct rdl_conn *c);
/* Sets the answer of req, which is not queued any more. req may be NULL: no caller waits. */
void rdl_req_answer(struct rdl_req *req, enum rdl_answer answer, int error, int64_t value);

/* -------------------------------------------------- net_request.c: the methods that this server accepts */

/* Returns the method that r has selected. */
const struct rdl_method *rdl_method_of(const struct rdl_conn *c, const struct rdl_record *r);
/* Selects the first method that was not refused on this connection, nor to r. NULL: none is left. */
const struct rdl_method *rdl_method_choose(const struct rdl_conn *c, struct rdl_record *r);
/* Returns why the last method was refused, for a record that has no method left. */
int rdl_method_error(const struct rdl_conn *c, const struct rdl_record *r);
/* Returns 1 if the text was sent on this connection, so EVALSHA is enough; 0: EVAL sends the text now. */
int rdl_sha_select(struct rdl_conn *c, const struct rdl_script *s);

/* -------------------------------------------------- net_request.c: a request from queue to answer */

/*
 * Checks the configuration: RDL_OK, or RDL_E_METHODS or RDL_E_LOGIN, which rdl_conn_submit then returns for
 * every request.
 */
int rdl_config_check(const struct rdl_conn_config *cfg);

/* Writes the commands of a record's phase, from number `first` on. */
void rdl_request_write(const struct rdl_conn *c, const struct rdl_record *r, unsigned first,
                       struct rdl_slice *w);
/* Evaluates the reply in c for the head of the queue. RDL_OK, or the error that ends the connection. */
int rdl_request_reply(struct rdl_conn *c);
/*
 * Answers the requests after the connection ended, and keeps the releases, to be sent first on the next one.
 * A caller that waits for a release that was sent gets its answer there, once (rdl_req.is_again).
 */
void rdl_requests_disconnected(struct rdl_conn *c);

/* -------------------------------------------------- net_handshake.c: login, then connection checks */

/* The functions of a login (net_login.c). */
struct rdl_login {
    /* Returns the index-th command that ep needs, a template; or NULL, with their number taken off *index. */
    const char *(*command_at)(const struct rdl_endpoint *ep, unsigned *index);
    /* Writes it. */
    void (*write)(struct rdl_slice *w, const char *command, const struct rdl_endpoint *ep);
    /* Evaluates the reply to it. Returns RDL_OK, or the error that ends the connection. */
    int (*on_reply)(struct rdl_conn *c, const char *command);
};

/* Returns whether all commands of the handshake (login and connection checks) are answered. */
int rdl_handshake_is_complete(const struct rdl_conn *c);
/* Returns whether a command with a secret is being sent or answered. It is the only one then. */
int rdl_handshake_is_secret(const struct rdl_conn *c);
/* Returns whether there is a command that may be sent now. */
int rdl_handshake_has_more(const struct rdl_conn *c);
/* Writes the commands that may be sent now. */
void rdl_handshake_write(const struct rdl_conn *c, struct rdl_slice *w);
/* Counts the commands that were sent whole, after c->tx_sent has grown. */
void rdl_handshake_sent(struct rdl_conn *c);
/* Evaluates the reply in c. Returns RDL_OK, or the error that ends the connection. */
int rdl_handshake_reply(struct rdl_conn *c);

/* -------------------------------------------------- net_error.c: what error replies mean */

/* Returns the code of an error reply. RDL_OTHER is RDL_E_SERVER in words that no row of resp/WIRE.md has. */
enum { RDL_OTHER = RDL_E_SERVER - 1 };
int rdl_error_class(const char *text);

/* Returns the error for a reply without a request; an error reply says more (too many clients, ...). */
int rdl_unexpected_reply(struct rdl_conn *c);

/* -------------------------------------------------- net_conn.c */

/* Makes the conn READY: the handshake is complete, a byte came, or no reply is awaited any more. */
void rdl_conn_heard(struct rdl_conn *c);

/* rdl_conn.waits, while it is closed; net_stream.h has its other values */
enum { RDL_PAUSE_NONE, RDL_PAUSE_DUE, RDL_PAUSE_RUNNING };

#endif
