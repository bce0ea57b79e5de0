/* SPDX-License-Identifier: MIT */
/*
 * relay.h - a line to a server that is not what it should be: what the server answers comes late, the server
 * sees another address, what it is sent is not what the client wrote, or a connection swallows everything.
 */
#ifndef RDL_TESTS_RELAY_H
#define RDL_TESTS_RELAY_H

#include <sys/types.h>

/* Zero-initialise, set what you like in the first part, relay_start. */
struct relay {
    const char *from; /* the IPv4 address of this host that the server sees; NULL: 127.0.0.1 */
    const char *find; /* where the client sends this in one piece, for the first time, the server gets */
    const char *put;  /* this */
    /* The connection where the client sends this, for the first time, swallows it and all behind it, both
       ways, and never ends; the next one works. */
    const char *mute;

    int port; /* on 127.0.0.1 */
    pid_t pid;
};

/* From now on r->port leads to that port of 127.0.0.1, one connection at a time; dies with the test. */
void relay_start(struct relay *r, int port, int delay_ms);
void relay_stop(struct relay *r);

#endif
