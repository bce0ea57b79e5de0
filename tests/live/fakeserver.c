/* SPDX-License-Identifier: MIT */
/* fakeserver.c - bad peers for tests; see fakeserver.h. */
#define _GNU_SOURCE
#include "tests/live/fakeserver.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/live/servers.h"

union address {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_un un;
};

/* ---------------------------------------------------------------- the tricks; in the child */

static void say(int fd, const char *text, size_t piece)
{
    size_t left = text ? strlen(text) : 0;

    while (left > 0) {
        ssize_t n = send(fd, text, left < piece ? left : piece, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        text += n;
        left -= (size_t)n;
    }
}

/* 0 if the peer closed before. */
static int hear(int fd, size_t bytes)
{
    char buf[4096];

    while (bytes > 0) {
        ssize_t n = recv(fd, buf, bytes < sizeof buf ? bytes : sizeof buf, 0);
        if (n <= 0)
            return 0;
        bytes -= (size_t)n;
    }
    return 1;
}

static void flood(int fd, const char *text)
{
    while (send(fd, text, strlen(text), MSG_NOSIGNAL) > 0)
        ;
}

static void reset_on_close(int fd)
{
    const struct linger now = {1, 0};

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

static void play(const struct fake_server *f, int fd)
{
    if (f->trick != FAKE_SILENT && f->trick != FAKE_GREETS && !hear(fd, f->after))
        return;
    if (f->trick == FAKE_RESETS)
        reset_on_close(fd);
    if (f->trick == FAKE_FLOODS)
        flood(fd, f->text);
    else if (f->trick != FAKE_SILENT)
        say(fd, f->text, f->trick == FAKE_DRIPS ? 1 : SIZE_MAX);
    if (f->trick != FAKE_CLOSES && f->trick != FAKE_RESETS)
        hear(fd, SIZE_MAX);
}

/* The test's own connections end when the test ends them, whatever this process inherited. */
static void close_all_but(int keep_fd)
{
    int fd;

    for (fd = 3; fd < 1024; fd++)
        if (fd != keep_fd)
            close(fd);
}

static void serve(const struct fake_server *f, int listener)
{
    const int on = 1;

    close_all_but(listener);
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0)
            _exit(errno == EINTR ? 0 : 1);
        if (!f->is_unix)
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        play(f, fd);
        close(fd);
    }
}

/* ---------------------------------------------------------------- sockets; in the test */

static socklen_t address_of(const struct fake_server *f, union address *a)
{
    memset(a, 0, sizeof *a);
    if (f->is_unix) {
        a->un.sun_family = AF_UNIX;
        memcpy(a->un.sun_path, f->path, sizeof f->path);
        return sizeof a->un;
    }
    a->in.sin_family = AF_INET;
    a->in.sin_port = htons((uint16_t)f->port);
    a->in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return sizeof a->in;
}

static int keep(struct fake_server *f, int fd)
{
    ck_assert_msg(fd >= 0, "socket: %s", strerror(errno));
    f->fds[f->n_fds++] = fd;
    return fd;
}

static void choose_path(struct fake_server *f)
{
    char cwd[80];
    int n;

    ck_assert_msg(getcwd(cwd, sizeof cwd) != NULL, "too long a path for a unix socket");
    ck_assert(mkdir("build", 0777) == 0 || errno == EEXIST);
    n = snprintf(f->path, sizeof f->path, "%s/build/fake-XXXXXX", cwd);
    ck_assert_int_lt(n, (int)sizeof f->path);
    n = mkstemp(f->path); /* for its name */
    ck_assert_int_ge(n, 0);
    close(n);
    unlink(f->path);
}

/* A socket bound to an address that is ours alone; it does not listen yet. */
static int make_listener(struct fake_server *f)
{
    int fd = keep(f, socket(f->is_unix ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    union address a;
    socklen_t len;

    if (f->is_unix)
        choose_path(f);
    len = address_of(f, &a);
    ck_assert_msg(bind(fd, &a.any, len) == 0, "bind: %s", strerror(errno));
    ck_assert_int_eq(getsockname(fd, &a.any, &len), 0);
    if (!f->is_unix)
        f->port = ntohs(a.in.sin_port);
    return fd;
}

/* Connections until no more is taken; the system answers none beyond that. */
static void fill_backlog(struct fake_server *f, int listener)
{
    union address a;
    socklen_t len = address_of(f, &a);

    ck_assert_int_eq(listen(listener, 0), 0);
    while (f->n_fds < 5) {
        int fd = keep(f, socket(a.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        if (connect(fd, &a.any, len) != 0)
            ck_assert_msg(errno == EINPROGRESS || errno == EAGAIN, "connect: %s", strerror(errno));
    }
}

void fake_start(struct fake_server *f)
{
    int listener = make_listener(f);

    if (f->trick == FAKE_REFUSES)
        return;
    if (f->trick == FAKE_BLACK_HOLE) {
        fill_backlog(f, listener);
        return;
    }
    ck_assert_int_eq(listen(listener, 16), 0);
    f->pid = live_fork();
    if (f->pid == 0)
        serve(f, listener);
    close(listener);
    f->n_fds = 0;
}

void fake_stop(struct fake_server *f)
{
    if (f->pid > 0) {
        kill(f->pid, SIGKILL);
        live_reap(f->pid);
        f->pid = 0;
    }
    while (f->n_fds > 0)
        close(f->fds[--f->n_fds]);
    if (f->is_unix)
        unlink(f->path);
}

const char *fake_url(const struct fake_server *f, char *out, size_t cap)
{
    int n = f->is_unix ? snprintf(out, cap, "unix://%s", f->path)
                       : snprintf(out, cap, "redis://127.0.0.1:%d", f->port);

    ck_assert_int_gt(n, 0);
    ck_assert_uint_lt((size_t)n, cap);
    return out;
}
