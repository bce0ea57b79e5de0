/* SPDX-License-Identifier: MIT */
/* net_private.h - what the files of net/ share and nobody else may use. */
#ifndef RDL_NET_PRIVATE_H
#define RDL_NET_PRIVATE_H

#include "net/net.h"

/* ---------------------------------------------------------------- net_queue.c: the request records */

/*
 * One request as it stands in the queue, its name right behind it. The queue is plain bytes: a record is
 * copied out and in. Offsets change when the queue moves, so nobody keeps one.
 */
struct rdl_record {
    struct rdl_req *req; /* who waits for the answer; NULL: nobody */
    uint64_t until_ms;
    uint32_t ttl_ms;
    uint8_t op;   /* enum rdl_op */
    uint8_t step; /* ACQUIRE: replies had; others: the rung it was sent on */
    uint8_t name_len;
    uint8_t token[RDL_TOKEN_LEN];
};

uint32_t rdl_record_size(const struct rdl_record *r);
void rdl_record_load(const struct rdl_conn *c, uint32_t at, struct rdl_record *r);
void rdl_record_store(struct rdl_conn *c, uint32_t at, const struct rdl_record *r);
const uint8_t *rdl_record_name(const struct rdl_conn *c, uint32_t at);

/* RDL_OK or RDL_E_FULL; keep: bytes that must stay free behind it. */
int rdl_queue_push(struct rdl_conn *c, const struct rdl_record *r, const void *name, uint32_t keep);
void rdl_queue_remove(struct rdl_conn *c, uint32_t at);
/* Send the head again, behind all others: its reply said that it was not done. */
void rdl_queue_repeat_head(struct rdl_conn *c);
/* The record that req waits for; it must be queued. */
uint32_t rdl_queue_find(const struct rdl_conn *c, const struct rdl_req *req);
/* Whoever waits for r is told that no reply will come, and why. */
void rdl_req_disconnected(const struct rdl_record *r, int was_sent, int error);
/* The connection ended: tell those who wait, keep the releases, to be sent first on the next one. */
void rdl_queue_disconnected(struct rdl_conn *c);

/* ---------------------------------------------------------------- net_ladder.c: how a request looks here */

/* Write the command (or commands) of a record; may set c->script. RDL_OK or RDL_E_SPACE (nothing written). */
int rdl_ladder_write(struct rdl_conn *c, struct rdl_record *r, const uint8_t *name, struct rdl_writer *w);
/* Judge the reply in c for the head of the queue. RDL_OK, or the error that ends the connection. */
int rdl_ladder_reply(struct rdl_conn *c);
void rdl_req_answer(struct rdl_req *req, enum rdl_answer answer, int error, int64_t value);

/* ---------------------------------------------------------------- net_hello.c: login */

int rdl_hello_is_complete(const struct rdl_conn *c);
int rdl_hello_is_secret(const struct rdl_conn *c); /* the reply to AUTH is still to come */
/* Write what of the login fits; RDL_E_SPACE if the very next command never will. */
int rdl_hello_write(struct rdl_conn *c, struct rdl_writer *w);
int rdl_hello_reply(struct rdl_conn *c);

/* ---------------------------------------------------------------- net_error.c: what error replies mean */

/* The RDL_E_ code of an error reply, by its prefix. */
int rdl_error_code(const char *text);
int rdl_has_prefix(const char *text, const char *prefix);
/* A reply while none is owed ends the connection; if it is an error it says why (too many clients, ...). */
int rdl_unasked_reply(struct rdl_conn *c);
/* Keep text as what the server last said; bytes that do not print become '?'. */
void rdl_conn_say(struct rdl_conn *c, const char *text);

/* rdl_conn.pause */
enum { RDL_PAUSE_NONE, RDL_PAUSE_DUE, RDL_PAUSE_RUNNING };

#endif
