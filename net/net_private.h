/* SPDX-License-Identifier: MIT */
/* net_private.h - what the files of net/ share and nobody else may use. */
#ifndef RDL_NET_PRIVATE_H
#define RDL_NET_PRIVATE_H

#include "net/net_op.h"

/* -------------------------------------------------- net_queue.c: the request records */

uint32_t rdl_record_size(const struct rdl_record *r);
/* The one at this offset. Inline: a call would be longer. */
static inline struct rdl_record *rdl_record_at(const struct rdl_conn *c, uint32_t at)
{
    RDL_ASSERT(at < c->tail && at % 8 == 0);
    return (struct rdl_record *)(void *)((uint8_t *)c->cfg->queue + at);
}

/* What the record of this command takes. */
uint32_t rdl_command_size(const struct rdl_command *cmd);
/* There is room for size, the bytes of rdl_command_size. */
void rdl_queue_push(struct rdl_conn *c, struct rdl_req *req, const struct rdl_command *cmd, uint32_t size);
/* Where the next one is then. */
uint32_t rdl_queue_remove(struct rdl_conn *c, uint32_t at);
/* Send the head again, behind all others: its reply said that it was not done. */
void rdl_queue_repeat_head(struct rdl_conn *c);
/* Send again what pauses, behind all others. */
void rdl_queue_resume(struct rdl_conn *c);
/* The record that req waits for; it must be queued. */
uint32_t rdl_queue_find(const struct rdl_conn *c, const struct rdl_req *req);
/* Back to where nothing of it was sent. */
void rdl_record_restart(struct rdl_record *r);
/* Back to where it was new: no method was tried either. */
void rdl_record_renew(struct rdl_record *r);
/* Set the answer of req, which is then queued no more. NULL: nobody waits for it. */
void rdl_req_answer(struct rdl_req *req, enum rdl_answer answer, int error, int64_t value);

/* -------------------------------------------------- net_method.c: which method this server takes */

/* The method that r has taken. */
const struct rdl_method *rdl_method_of(const struct rdl_conn *c, const struct rdl_record *r);
/* The first that was refused neither on this connection nor to r, into r. NULL: none is left. */
const struct rdl_method *rdl_method_choose(const struct rdl_conn *c, struct rdl_record *r);
/* r was answered without an error: the methods that it passed over after unknown errors count as refused. */
void rdl_method_learn(struct rdl_conn *c, const struct rdl_record *r);
/* Of a record for which no method is left: why the last one was refused. */
int rdl_method_error(const struct rdl_conn *c, const struct rdl_record *r);

/* 1: its text was sent on this connection, and EVALSHA will do. 0: the text is sent now, by EVAL. */
int rdl_sha_select(struct rdl_conn *c, const struct rdl_script *s);
/* EVALSHA was refused: from now on, or until its text has been sent again, by EVAL. */
void rdl_sha_forget(struct rdl_conn *c, int is_noscript);

/* -------------------------------------------------- net_request.c: a request from queue to answer */

/* RDL_OK, RDL_E_METHODS or RDL_E_LOGIN: what rdl_conn_submit returns for every request with this configuration. */
int rdl_config_check(const struct rdl_conn_config *cfg);

/* Put the commands of a record's phase, from number `first` on. */
void rdl_request_write(const struct rdl_conn *c, const struct rdl_record *r, unsigned first,
                       struct rdl_slice *w);
/* Judge the reply in c for the head of the queue. RDL_OK, or the error that ends the connection. */
int rdl_request_reply(struct rdl_conn *c);
/*
 * The connection ended: tell those who wait, keep the releases, to be sent first on the next one. Who waits
 * for a release that was sent may hear of it there, once (rdl_req.is_again).
 */
void rdl_requests_disconnected(struct rdl_conn *c);

/* -------------------------------------------------- net_handshake.c: login, then the connection checks */

/* net_login.c */
struct rdl_login {
    /* The index-th command that ep asks for, a template. NULL: there are fewer; *index is less by those. */
    const char *(*command_at)(const struct rdl_endpoint *ep, unsigned *index);
    void (*write)(struct rdl_slice *w, const char *command, const struct rdl_endpoint *ep);
    /* The reply to it. RDL_OK, or the error that ends the connection. */
    int (*on_reply)(struct rdl_conn *c, const char *command);
};

int rdl_handshake_is_complete(const struct rdl_conn *c);
/* A command whose template has a secret is being sent or answered; nothing else is, then. */
int rdl_handshake_is_secret(const struct rdl_conn *c);
int rdl_handshake_has_more(const struct rdl_conn *c); /* there is something to send, and it may be */
void rdl_handshake_write(const struct rdl_conn *c, struct rdl_slice *w);
/* c->tx_sent has grown. */
void rdl_handshake_sent(struct rdl_conn *c);
int rdl_handshake_reply(struct rdl_conn *c);

/* -------------------------------------------------- net_error.c: what error replies mean */

/* The code of an error reply; RDL_OTHER is RDL_E_SERVER in words that no row of WIRE.md has. */
enum { RDL_OTHER = RDL_E_SERVER - 1 };
int rdl_error_class(const char *text);

/* A reply while none is owed ends the connection; if it is an error it says why (too many clients, ...). */
int rdl_unexpected_reply(struct rdl_conn *c);

/* -------------------------------------------------- net_conn.c */

/* Login is done, a byte came, or nothing is waited for any more. */
void rdl_conn_heard(struct rdl_conn *c);

/* rdl_conn.pause */
enum { RDL_PAUSE_NONE, RDL_PAUSE_DUE, RDL_PAUSE_RUNNING };

#endif
