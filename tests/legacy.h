/* SPDX-License-Identifier: MIT */
/* legacy.h - one legacy lock, "k", on a scripted conn, and what its peers say in the old protocol. */
#ifndef RDL_TESTS_LEGACY_H
#define RDL_TESTS_LEGACY_H

#include "lock/lock.h"
#include "tests/scripted.h"

enum { LEGACY_TTL = 10000, LEGACY_START = 5000 };

struct legacy {
    struct scripted s;
    struct rdl_lock lock;
    struct rdl_options opt;
};

extern struct legacy legacy;

/* A fixture: connected since LEGACY_START; the lock makes one attempt, with a ttl of LEGACY_TTL. */
void legacy_setup(void);
/* Begin to acquire; what is sent by that is seen already. */
int legacy_begin(uint64_t now_ms);
/* The server says this, and the lock steps. */
int legacy_answer(const char *text, uint64_t now_ms);
/* Begin, and TIME is answered at once: 1700000000, and usec behind it. */
int legacy_begin_at(const char *usec, uint64_t now_ms);
/* SETNX refused: a peer's value is there, with this answer to PTTL; the next call overwrites it. */
const char *peer_reply(const char *value, const char *pttl);
/* The same with a deadline, and no ttl. */
const char *peer_number(long value);

#endif
