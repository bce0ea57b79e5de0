/* SPDX-License-Identifier: MIT */
/* relay.h - a long line to a server: what it answers comes later by so much. */
#ifndef RDL_TESTS_RELAY_H
#define RDL_TESTS_RELAY_H

#include <sys/types.h>

struct relay {
    int port; /* on 127.0.0.1 */
    pid_t pid;
};

/* From now on r->port leads to that port of 127.0.0.1, one connection at a time; dies with the test. */
void relay_start(struct relay *r, int port, int delay_ms);
void relay_stop(struct relay *r);

#endif
