/* SPDX-License-Identifier: MIT */
/*
 * faulty.h - a conn, a model server, and between them a transport that fails at its nth operation: once, or
 * from then on every time. It is exact: the same n, the same failure.
 */
#ifndef RDL_TESTS_FAULTY_H
#define RDL_TESTS_FAULTY_H

#include "tests/scripted.h"

enum fault {
    FAULT_REFUSE,    /* connect: refused */
    FAULT_HANG,      /* connect: never ends */
    FAULT_UNSENT,    /* send: reset, and nothing of it arrives */
    FAULT_SENT,      /* send: it arrives, and the connection is reset */
    FAULT_SHORT,     /* send: takes but one byte */
    FAULT_FREEZE,    /* send: the server stands still for FAULTY_LONG_MS, and then does what it was sent */
    FAULT_EOF,       /* receive: the connection ends instead */
    FAULT_LATE,      /* receive: nothing comes for FAULTY_LONG_MS */
    FAULT_CUT_SENT,  /* the nth byte sent is the last to arrive, then the connection ends */
    FAULT_CUT_REPLY, /* the nth byte received is the last */
    FAULTS
};

enum { FAULTY_LONG_MS = 700, FAULTY_LINKS = 16, FAULTY_BYTES = 16384 };

/* One connection as the server has it; it does what it was sent even when the client has left. */
struct faulty_link {
    struct sim_session session;
    size_t len, done;
    uint8_t sent[FAULTY_BYTES];
};

struct faulty {
    struct scripted s; /* its conn, buffers and model */
    enum fault fault;
    unsigned at; /* the operation, or byte, that fails; 0: none */
    int is_for_ever;
    unsigned count; /* operations or bytes of that kind so far; of this connection, if bytes and for ever */
    unsigned hits;
    uint64_t thaw_ms; /* the server stands still until then */
    uint64_t late_ms; /* nothing comes in until then */
    int is_hanging;   /* connecting, without end */
    unsigned link;    /* the newest */
    size_t reply_len; /* of the newest, on its way */
    uint8_t reply[8 * SIM_REPLY_MAX];
    struct faulty_link links[FAULTY_LINKS];
};

/* A closed conn to an empty server, and no fault yet. The server's clock is ahead by FAULTY_CLOCK_MS. */
#define FAULTY_CLOCK_MS 1700000000000u
void faulty_init(struct faulty *f, const struct sim_features *features, uint64_t now_ms);
/* From now on the at-th operation fails. */
void faulty_arm(struct faulty *f, enum fault fault, unsigned at, int is_for_ever);
/* From now on nothing fails, and what stood still goes on. */
void faulty_heal(struct faulty *f);
/* Do what driver, network and server can do now. 1: something was done. */
int faulty_drive(struct faulty *f, uint64_t now_ms);
/* When something happens by itself, after now; UINT64_MAX: nothing. */
uint64_t faulty_wakes(const struct faulty *f, uint64_t now_ms);
/* A command of somebody else's, in the inline form; it must not be refused. */
void faulty_command(struct faulty *f, const char *inline_command, uint64_t now_ms);

#endif
