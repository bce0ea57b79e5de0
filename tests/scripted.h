/* SPDX-License-Identifier: MIT */
/*
 * scripted.h - a conn without sockets: what it sends is collected, what it receives is written down in the
 * test, or comes from the model server of tests/sim. Nothing moves unless the test says so.
 */
#ifndef RDL_TESTS_SCRIPTED_H
#define RDL_TESTS_SCRIPTED_H

#include "net/net.h"
#include "tests/sim/server.h"

enum { SCRIPTED_QUEUE = 4096, SCRIPTED_TX = 600, SCRIPTED_RX = 256, SCRIPTED_BYTES = 65536 };

struct scripted {
    struct rdl_conn conn;
    struct rdl_endpoint endpoint; /* zero: no login at all */
    struct rdl_conn_config cfg;
    uint8_t queue[SCRIPTED_QUEUE];
    uint8_t tx[SCRIPTED_TX];
    uint8_t rx[SCRIPTED_RX];
    /* what the conn has sent: [0, served) was given to the model server, [seen, len) is new to the test */
    char out[SCRIPTED_BYTES];
    size_t len, seen, served;
    struct sim_server model;
    struct sim_session session;
};

/* A closed conn; endpoint, cfg and so on may be changed before scripted_open. */
void scripted_init(struct scripted *s);
/* Connected by a perfect driver, after a pause if one is due. Ends in HELLO or READY. */
void scripted_open(struct scripted *s, uint64_t now_ms);
/* All that the conn sends now, since the last call, as text. */
const char *scripted_sent(struct scripted *s);
/* Bytes from the server, in pieces as large as the rx buffer. */
void scripted_feed(struct scripted *s, const char *bytes, size_t len);
void scripted_reply(struct scripted *s, const char *text);
/* What a driver does with a conn that wants to be closed: the code it failed with. */
int scripted_close_failed(struct scripted *s);
/* The connection breaks. */
void scripted_break(struct scripted *s);

/* The model server: start it; let it execute all that was sent, and hand over its answers. */
void scripted_model(struct scripted *s, uint64_t now_ms);
void scripted_serve(struct scripted *s, uint64_t now_ms);
/* The same for what was sent so far: what the answers bring about is not sent yet. */
void scripted_serve_round(struct scripted *s, uint64_t now_ms);
/*
 * The same, one command at a time, until the next is the one with this name ("PTTL"): what comes over another
 * connection now is executed in between. 1; 0 if it never comes.
 */
int scripted_serve_before(struct scripted *s, const char *command, uint64_t now_ms);
/* Somebody else's command, over a connection of his own; it must not be refused. */
void scripted_other(struct scripted *s, const char *inline_command, uint64_t now_ms);
/* The same without handing the answers over: they got lost. */
void scripted_serve_mute(struct scripted *s, uint64_t now_ms);
/* The server has this key at now. */
int scripted_has_key(struct scripted *s, const char *key, uint64_t now_ms);

/*
 * Requests as they are on the wire, spelled out here once more and independently of resp_cmd.c. Each
 * returns one of a few static buffers.
 */
const char *wire_acquire(const char *name, const char *token_hex, unsigned ttl_ms);
const char *wire_release_sha(const char *name, const char *token_hex);
const char *wire_release_text(const char *name, const char *token_hex);
const char *wire_extend_sha(const char *name, const char *token_hex, unsigned ttl_ms);
const char *wire_extend_text(const char *name, const char *token_hex, unsigned ttl_ms);
/* Any number of texts, one behind the other; ends with NULL. */
const char *wire_join(const char *first, ...);

/* A token whose bytes are all n, and its hex. */
const uint8_t *token_bytes(unsigned n);
const char *token_hex(unsigned n);
/* Entropy for a begin, and the hex of the token that its attempt gets (the first is 1). */
const uint8_t *entropy_bytes(void);
const char *entropy_token(unsigned attempt);

#endif
