/* SPDX-License-Identifier: MIT */
/* redlock_private.h - what the files of redlock/ share and nobody else may use. */
#ifndef RDL_REDLOCK_PRIVATE_H
#define RDL_REDLOCK_PRIVATE_H

#include "redlock/redlock.h"

/* Keep the conns going and take in what was answered. Returns when to come back at the latest. */
uint64_t rdl_votes_tend(struct rdl_redlock *r, uint64_t now_ms);
/* Forget the last operation's votes. */
void rdl_votes_clear(struct rdl_redlock *r);
/* Ask those who are ready and have not been asked yet: the request is r->op. */
void rdl_votes_ask(struct rdl_redlock *r, uint64_t now_ms);
/*
 * The lease is over or never was: queue the release that each server is owed, now, behind its SET. With
 * wait the answers become votes.
 */
void rdl_votes_release(struct rdl_redlock *r, int wait, uint64_t now_ms);

/* How many conns are in this state. */
unsigned rdl_votes_conns(const struct rdl_redlock *r, enum rdl_conn_state state);
/* Servers that cannot vote yes in this attempt any more. */
unsigned rdl_votes_noes(const struct rdl_redlock *r);
/* Servers that had the lock as ours when they were last heard. */
unsigned rdl_votes_held(const struct rdl_redlock *r);
/* Those of them that have released it since. */
unsigned rdl_votes_let_go(const struct rdl_redlock *r);
/* After a refusal: in how many ms enough of the keys in the way are gone by themselves; UINT64_MAX: unknown.
 */
uint64_t rdl_votes_hint_ms(const struct rdl_redlock *r);
/* So many servers failed for good that trying again cannot reach a majority. */
int rdl_votes_are_permanent(const struct rdl_redlock *r);

#endif
