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
    uint8_t op; /* enum rdl_op */
    uint8_t name_len;
    uint8_t token[RDL_TOKEN_LEN];
    /* how far it is */
    uint8_t rung;    /* enum rdl_rung */
    uint8_t round;   /* enum rdl_round */
    uint8_t replies; /* had in this round */
    uint8_t verdict; /* enum rdl_answer */
    int8_t error;
    uint8_t is_refused : 1; /* the server does not take this rung */
    uint8_t is_long : 1;    /* extend: the key lives for the ttl anyway */
    uint8_t in_multi : 1;
};

/* The ways a request can be put, in bits of rdl_conn.refused. */
enum rdl_rung {
    RUNG_DELEX,
    RUNG_DELIFEQ,
    RUNG_SHA,
    RUNG_EVAL,
    RUNG_IFEQ,
    RUNG_WATCH,
    RUNG_NONE, /* none is left */
    RUNG_SET   /* acquire has but one */
};

/* A rung with a second round has the connection to itself until it is done. */
enum rdl_round { ROUND_LOOK, ROUND_ACT, ROUND_DISCARD };

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
/* Back to where nothing of it was sent. */
void rdl_record_restart(struct rdl_record *r);
/* Whoever waits for r is told that no reply will come, and why. */
void rdl_req_disconnected(const struct rdl_record *r, int was_sent, int error);
/* The connection ended: tell those who wait, keep the releases, to be sent first on the next one. */
void rdl_queue_disconnected(struct rdl_conn *c);

/* ---------------------------------------------------------------- net_ladder.c: which way this server takes */

enum rdl_rung rdl_ladder_choose(const struct rdl_conn *c, const struct rdl_record *r);
/* The record's rung gave an answer, or the server does not take it. */
void rdl_ladder_worked(struct rdl_conn *c, const struct rdl_record *r);
void rdl_ladder_refuse(struct rdl_conn *c, const struct rdl_record *r, int is_noscript);
int rdl_rung_is_exclusive(uint8_t rung);

/* ---------------------------------------------------------------- net_send.c, net_reply.c */

/* Write the commands of a record's round; may set c->script. RDL_OK or RDL_E_SPACE (nothing written). */
int rdl_request_write(struct rdl_conn *c, const struct rdl_record *r, const uint8_t *name,
                      struct rdl_writer *w);
/* How many replies they will have. */
unsigned rdl_request_replies(const struct rdl_record *r);
/* Judge the reply in c for the head of the queue. RDL_OK, or the error that ends the connection. */
int rdl_request_reply(struct rdl_conn *c);
void rdl_req_answer(struct rdl_req *req, enum rdl_answer answer, int error, int64_t value);
void rdl_token_hex(char out[2 * RDL_TOKEN_LEN], const uint8_t token[RDL_TOKEN_LEN]);

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
