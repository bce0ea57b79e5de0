/* SPDX-License-Identifier: MIT */
/* port_peer.c - the other side of the connection: what it sends, reads and checks, and how it ends. */
#define _GNU_SOURCE
#include "tests/port/port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1000, WINDOW = 4096, TICK_MS = 1 };

static void nap(void)
{
    const struct timespec ms = {0, TICK_MS * 1000000L};

    nanosleep(&ms, NULL);
}

void port_wait_go(int go)
{
    port_shared->step = go;
    while (port_shared->go < go)
        nap();
}

/* With small buffers, so that the driver meets transports that take few bytes. */
int port_accept(int listener)
{
    int fd = accept(listener, NULL, NULL);

    if (fd < 0)
        _exit(2);
    port_shared->heard = 0;
    return fd;
}

void port_send(int fd, unsigned id, unsigned long at, unsigned long n)
{
    unsigned char piece[PIECE];

    while (n > 0) {
        size_t len = n < sizeof piece ? n : sizeof piece;
        size_t done = 0;
        for (size_t i = 0; i < len; i++)
            piece[i] = port_byte(id, at + i);
        while (done < len) {
            ssize_t sent = send(fd, piece + done, len - done, MSG_NOSIGNAL);
            if (sent < 0)
                return; /* the driver closed it: the case decides whether it may */
            done += (size_t)sent;
        }
        at += len;
        n -= len;
    }
}

/* 0: the end. */
static ssize_t read_piece(int fd, struct port_stream *s, size_t most)
{
    unsigned char piece[PIECE];
    ssize_t n = recv(fd, piece, most < sizeof piece ? most : sizeof piece, 0);

    for (ssize_t i = 0; i < n; i++)
        port_stream_take(s, piece[i], PORT_SENDS, PORT_OLD_OUT);
    if (n > 0)
        port_shared->heard += (unsigned long)n;
    return n;
}

void port_read(int fd, struct port_stream *s, unsigned long n)
{
    while (n > 0) {
        ssize_t got = read_piece(fd, s, n);
        if (got == 0)
            port_broken(PORT_SENDS, "the driver closed the connection, and %lu bytes had not come", n);
        if (got < 0 && errno != EINTR)
            return;
        n -= got > 0 ? (unsigned long)got : 0;
    }
}

void port_exchange(int fd, struct port_stream *s, unsigned id, unsigned long n)
{
    unsigned long sent = 0, heard = 0, turn = 0;
    struct pollfd p = {fd, 0, 0};

    while (sent < n || heard < n) {
        unsigned long odd = turn++ * 7919 % PIECE + 1;
        p.events = (short)((sent < n ? POLLOUT : 0) | (heard < n ? POLLIN : 0));
        if (poll(&p, 1, -1) != 1)
            continue;
        if (p.revents & POLLOUT) {
            unsigned long len = odd < n - sent ? odd : n - sent;
            port_send(fd, id, sent, len);
            sent += len;
        }
        if (p.revents & ~POLLOUT) {
            ssize_t got = read_piece(fd, s, odd);
            if (got <= 0)
                port_broken(PORT_SENDS, "the connection ended, and %lu bytes had not come", n - heard);
            heard += (unsigned long)got;
        }
    }
}

void port_wait_full(int fd)
{
    struct pollfd p = {fd, POLLOUT, 0};
    int full = 0;

    while (full < 20) { /* this many checks in a row */
        full = poll(&p, 1, 0) == 0 ? full + 1 : 0;
        nap();
    }
}

void port_read_end(int fd, struct port_stream *s)
{
    ssize_t n;

    do
        n = read_piece(fd, s, PIECE);
    while (n > 0 || (n < 0 && errno == EINTR));
    port_shared->ends++;
    close(fd);
}

void port_reset(int fd)
{
    const struct linger at_once = {1, 0};

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(fd);
}
