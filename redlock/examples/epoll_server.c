/* SPDX-License-Identifier: MIT */
/*
 * epoll_server.c - a server in an epoll loop. Of all its processes on all hosts, one at a time is the leader:
 * it holds a lock on one server, or on a majority of up to seven, and renews it. Nothing waits but the loop.
 *
 *     make build/examples/redlock/epoll_server
 *     build/examples/redlock/epoll_server redis://127.0.0.1:6379
 *
 * prints:
 *
 *     port 40123
 *     leader
 *     released: done
 *
 * the last line when it gets SIGINT (Ctrl-C) or SIGTERM.
 * A client that connects to the port gets one line: "leader" or "standby".
 *
 * When a connection ends, its descriptor is closed, which removes it from the set. The next connection may
 * have the same number. So the program does not remember what is in the set: each turn of the loop sets the
 * descriptors again.
 */
#define _GNU_SOURCE /* accept4 */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "redlock/redlock.h"

enum { TTL_MS = 3000, RETRY_MS = 1000, TURN_MS = 1000, END_MS = 1000 };

static const struct rdl_redlock_options opt = {
    .lease = {.ttl_ms = TTL_MS, .wait_ms = RDL_WAIT_FOREVER, .retry_ms = 100},
    .max_ttl_ms = TTL_MS,
    .guard = RDL_GUARD_OFF, /* these servers lose nothing: appendfsync always */
};

static struct rdl_posix_conn conns[RDL_SERVERS_MAX];
static struct rdl_server servers[RDL_SERVERS_MAX];
static int n_servers;
static struct rdl_redlock lock;
static struct rdl_renewal renewal; /* all zero: the lock has to be acquired */
static enum { NOTHING, ACQUIRING, RENEWING, RELEASING } doing;
static uint64_t retry_ms; /* when to try again after an error */
static int is_leader;

/* ---------------------------------------------------------------- the lock */

static int acquire_begin(uint64_t now_ms)
{
    uint8_t entropy[RDL_ENTROPY_LEN];
    int rc = rdl_posix_random(entropy, sizeof entropy);

    return rc == RDL_OK ? rdl_redlock_acquire_begin(&lock, entropy, now_ms) : rc;
}

/* Records the result of an operation. */
static void finish(int rc, uint64_t now_ms)
{
    uint64_t until_ms = rdl_redlock_until_ms(&lock); /* 0: it is not held */

    if (doing == RELEASING)
        printf("released: %s\n", rdl_strerror(rc));
    else if (doing == RENEWING && rc < 0 && until_ms != 0)
        rdl_renewal_failed(&renewal, now_ms); /* no reply: the lease lasts as long as before */
    else
        rdl_renewal_renewed(&renewal, TTL_MS, 0, until_ms, now_ms); /* until_ms 0: it is not held */
    if (doing == ACQUIRING && rc < 0) {
        fprintf(stderr, "acquire: %s\n", rdl_strerror(rc));
        retry_ms = now_ms + RETRY_MS;
    }
    doing = NOTHING;
}

/* Begins what is due. Returns when something is due next, an absolute time. */
static uint64_t begin_next(uint64_t now_ms)
{
    uint64_t at_ms;
    enum rdl_renewal_action action = rdl_renewal_next(&renewal, now_ms, &at_ms);
    int rc = RDL_PENDING;

    if (action == RDL_RENEWAL_SLEEP)
        return at_ms;
    if (action == RDL_RENEWAL_LOST && now_ms < retry_ms)
        return retry_ms;
    doing = action == RDL_RENEWAL_LOST ? ACQUIRING : RENEWING;
    rc = doing == ACQUIRING ? acquire_begin(now_ms) : rdl_redlock_extend_begin(&lock, TTL_MS, now_ms);
    if (rc != RDL_PENDING)
        finish(rc, now_ms);
    return now_ms;
}

/* Continues the operation, or begins the next one. Returns until when the loop may sleep. */
static uint64_t drive_lock(uint64_t now_ms)
{
    uint64_t at_ms = UINT64_MAX;
    uint64_t wake_ms;
    int rc = rdl_redlock_step(&lock, now_ms); /* it also sends pending releases */

    if (doing != NOTHING && rc != RDL_PENDING)
        finish(rc, now_ms);
    if (doing == NOTHING)
        at_ms = begin_next(now_ms);
    if (is_leader != (rdl_redlock_remaining_ms(&lock, now_ms) > 0)) {
        is_leader = !is_leader;
        puts(is_leader ? "leader" : "standby");
        fflush(stdout);
    }
    wake_ms = rdl_redlock_wake_ms(&lock);
    return wake_ms < at_ms ? wake_ms : at_ms;
}

/* ---------------------------------------------------------------- the loop */

static void watch(int set, int fd, uint32_t events, void *who)
{
    struct epoll_event e = {.events = events, .data = {.ptr = who}};

    if (fd >= 0 && epoll_ctl(set, EPOLL_CTL_MOD, fd, &e) != 0 && errno == ENOENT)
        (void)epoll_ctl(set, EPOLL_CTL_ADD, fd, &e);
}

/* The server's own work: a line for each client. */
static void serve(int listener)
{
    int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    int leads =
        rdl_redlock_remaining_ms(&lock, rdl_posix_now_ms()) > 0; /* the lease may have ended just now */

    if (client < 0)
        return;
    (void)send(client, leads ? "leader\n" : "standby\n", leads ? 7 : 8, MSG_NOSIGNAL);
    close(client);
}

/* One turn: waits for the sockets, or until something is due. Returns 0 after a signal. */
static int turn(int set, const int *listener, const int *signals, uint64_t until_ms)
{
    struct epoll_event ready[16];
    uint64_t now_ms = rdl_posix_now_ms();
    int wait_ms = until_ms <= now_ms ? 0 : until_ms - now_ms < TURN_MS ? (int)(until_ms - now_ms) : TURN_MS;
    int goes_on = 1;

    for (int i = 0; i < n_servers; i++) {
        struct rdl_conn *c = servers[i].conn;
        rdl_posix_ready(c, 0); /* opens or closes the socket, if that is due */
        watch(set, rdl_posix_fd(c), (uint32_t)rdl_posix_events(c), c); /* EPOLLIN is POLLIN, and so on */
    }
    int n = epoll_wait(set, ready, 16, wait_ms);
    for (int i = 0; i < n; i++)
        if (ready[i].data.ptr == signals)
            goes_on = 0;
        else if (ready[i].data.ptr == listener)
            serve(*listener);
        else
            rdl_posix_ready(ready[i].data.ptr, (short)ready[i].events);
    return goes_on;
}

/* Releases the lock, or aborts the acquire that is under way. */
static void end(int set, const int *listener, const int *signals)
{
    uint64_t now_ms = rdl_posix_now_ms();
    uint64_t end_ms = now_ms + END_MS; /* on servers that do not reply, the ttl ends the lock */
    int rc;

    if (doing == ACQUIRING)
        rdl_redlock_cancel(&lock);
    doing = RELEASING;
    rc = rdl_redlock_release_begin(&lock, now_ms);
    while ((rc == RDL_PENDING || !rdl_redlock_is_idle(&lock)) && now_ms < end_ms) {
        (void)turn(set, listener, signals, rdl_redlock_wake_ms(&lock));
        now_ms = rdl_posix_now_ms();
        rc = rc == RDL_PENDING ? rdl_redlock_step(&lock, now_ms) : rc;
    }
    finish(rc, now_ms);
}

/* ---------------------------------------------------------------- the program */

/* Listens on a port of 127.0.0.1 that the system chooses, and prints it. -1: error. */
static int listen_here(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&a, len) != 0 || listen(fd, 64) != 0 ||
        getsockname(fd, (struct sockaddr *)&a, &len) != 0)
        return -1;
    printf("port %u\n", ntohs(a.sin_port));
    fflush(stdout);
    return fd;
}

/* Makes SIGINT and SIGTERM readable. -1: error. */
static int open_signals(void)
{
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    return sigprocmask(SIG_BLOCK, &ends, NULL) == 0 ? signalfd(-1, &ends, SFD_CLOEXEC) : -1;
}

int main(int argc, char **argv)
{
    int set = epoll_create1(EPOLL_CLOEXEC);
    int signals = open_signals();
    int listener;

    for (n_servers = 0; n_servers < argc - 1 && n_servers < RDL_SERVERS_MAX; n_servers++) {
        if (rdl_posix_conn_init(&conns[n_servers], argv[n_servers + 1], NULL) != RDL_OK)
            break;
        servers[n_servers].conn = &conns[n_servers].conn;
    }
    if (n_servers == 0 || n_servers != argc - 1) {
        fprintf(stderr, "usage: epoll_server URL..., 1 to %d, each redis://ADDRESS:PORT\n", RDL_SERVERS_MAX);
        return 2;
    }
    rdl_redlock_init(&lock, &opt, servers, (size_t)n_servers, RDL_NAME("leader"));
    listener = listen_here();
    if (set < 0 || signals < 0 || listener < 0) {
        perror("epoll_server");
        return 1;
    }
    watch(set, listener, EPOLLIN, &listener);
    watch(set, signals, EPOLLIN, &signals);
    while (turn(set, &listener, &signals, drive_lock(rdl_posix_now_ms()))) {
    }
    end(set, &listener, &signals);
    return 0;
}
