/* SPDX-License-Identifier: MIT */
/*
 * fakeserver.h - bad peers for tests. Each plays one trick on every connection it gets, one connection
 * after the other, in a process that dies with the test.
 */
#ifndef RDL_TESTS_FAKESERVER_H
#define RDL_TESTS_FAKESERVER_H

#include <stddef.h>
#include <sys/types.h>

enum fake_trick {
    FAKE_REFUSES,    /* nobody listens, and nobody else will get the port */
    FAKE_BLACK_HOLE, /* connecting never ends: the backlog is full (unix sockets: connect says so at once) */
    FAKE_SILENT,     /* reads everything, says nothing */
    FAKE_GREETS,     /* says `text` before it was asked, then reads on */
    FAKE_ANSWERS,    /* says `text` once `after` bytes have come, then reads on */
    FAKE_DRIPS,      /* the same, a byte at a time, each in a packet of its own */
    FAKE_CLOSES,     /* says `text` once `after` bytes have come (0: at once) and closes in good order */
    FAKE_RESETS,     /* the same, with a reset (RST) instead; TCP only */
    FAKE_FLOODS      /* says `text` over and over once `after` bytes have come, without end */
};

/* Zero-initialise, set the first part, fake_start. */
struct fake_server {
    enum fake_trick trick;
    const char *text; /* NULL: nothing */
    size_t after;
    int is_unix; /* a unix socket instead of 127.0.0.1 */

    int port;
    char path[108]; /* of the unix socket */
    pid_t pid;      /* 0: needs no process */
    int fds[8];     /* what the tricks without a process are made of */
    int n_fds;
};

void fake_start(struct fake_server *f);
void fake_stop(struct fake_server *f);
/* redis://127.0.0.1:PORT or unix://PATH */
const char *fake_url(const struct fake_server *f, char *out, size_t cap);

#endif
