/* SPDX-License-Identifier: MIT */
/* peer.h - a connection and its server, between peer.c, server.c and world.c. */
#ifndef RDL_FUZZ_PEER_H
#define RDL_FUZZ_PEER_H

#include "fuzz/api/api.h"

/* ---------------------------------------------------------------- peer.c */

/* Allocates it; a and b choose its configuration. */
void peer_make(struct peer *p, uint8_t a, uint8_t b);
void peer_free(struct peer *p);
/* The transport has ended, or could not be opened. */
void peer_closed(struct peer *p, int error);
/* One call of a driver each, if the connection wants it. They return whether anything happened. */
int peer_opens(struct peer *p, int is_refused);
int peer_sends(struct peer *p, size_t cap, size_t most);
/* The server executes what is in the first bytes that were sent. Replies that are not heard are lost. */
int peer_serves(struct peer *p, size_t most, int is_heard);
/* At most this many of the bytes that are on the way arrive, in pieces. */
int peer_receives(struct peer *p, size_t most, size_t piece);
/* All of that, until there is nothing to do. */
int peer_drives(struct peer *p);
/* Its server holds its command (BLPOP); until when, by our clock. */
int peer_is_waiting(const struct peer *p);
uint64_t peer_wakes(struct peer *p);

/* ---------------------------------------------------------------- server.c */

/* Bytes that the server did not send. */
void server_forge(struct peer *p, const void *bytes, size_t len);
void server_word(struct peer *p, uint8_t which);
/* The server refuses the next command: it does not execute it. A transaction is then aborted. */
void server_refuse(struct peer *p, uint8_t which);
void server_condition(struct sim_server *s, uint8_t which);
void server_be_well(struct peer *p);
/* It restarts, or loses data. */
void server_restart(struct sim_server *s, uint8_t how);
/* Another client's command, over a connection of its own. */
void server_other(struct sim_server *s, struct record r);

#endif
