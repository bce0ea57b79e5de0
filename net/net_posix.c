/* SPDX-License-Identifier: MIT */
/* net_posix.c - sockets: addresses, options and the stream. net_posix_poll.c waits for them. */
#define _POSIX_C_SOURCE 200809L
#ifdef __APPLE__
#define _DARWIN_C_SOURCE /* SO_NOSIGPIPE */
#endif

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "net/net_posix_private.h"
#include "net/net_posix_process.h"

#if defined(ESP_PLATFORM) || defined(__ZEPHYR__) /* they have no unix sockets */
#define HAS_UNIX 0
#undef AF_UNIX
#define AF_UNIX 0xff /* no address has it */
#else
#define HAS_UNIX 1
#include <sys/un.h>
#endif
#ifdef __linux__
#define IS_LINUX 1
#else
#define IS_LINUX 0
#endif
#ifndef FD_CLOEXEC /* the system has no exec then, and this fails without effect */
#define FD_CLOEXEC 0
#define F_SETFD    (-1)
#endif
#ifndef MSG_DONTWAIT /* the socket never blocks then, and poll waits */
#define MSG_DONTWAIT 0
#endif
#ifndef MSG_NOSIGNAL /* the system has SO_NOSIGPIPE then, or no signals */
#define MSG_NOSIGNAL 0
#endif

enum {
    /* A board has room for the longest script with its arguments, other hosts for the reply to INFO. */
    CHUNK = HAS_UNIX ? 4096 : 1024,
    /* If the system supports it: a peer that acknowledges nothing is aborted after half a minute. */
    IDLE_S = 15,
    PROBE_S = 5,
    PROBES = 3,
    UNHEARD_MS = (IDLE_S + PROBES * PROBE_S) * 1000
};

union address {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
#if HAS_UNIX
    struct sockaddr_un un;
#endif
};

/* ---------------------------------------------------------------- opening and closing */

/*
 * Keeps the system's reason why the connection ended. Returns RDL_E_SYSTEM if this host lacks a resource,
 * else `otherwise`: the peer is the cause.
 */
static int failed(struct rdl_conn *c, int err, int otherwise)
{
    c->sys_error = (int16_t)err;
    switch (err) {
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case EBADF:
        return RDL_E_SYSTEM;
    default:
        return otherwise;
    }
}

static void socket_close(void *ctx, struct rdl_conn *c)
{
    (void)ctx;
    if (c->fd >= 0)
        close(c->fd); /* after EINTR the descriptor's state is unknown; on Linux it is closed */
    c->fd = -1;
}

static struct rdl_stream stream_of(const struct rdl_conn *c, struct rdl_posix_turn *turn, uint8_t buf[CHUNK])
{
    struct rdl_stream s = {c->cfg->stream, c->cfg->stream_ctx, buf, CHUNK};

    if (s.ops == NULL) {
        s.ops = &rdl_posix_stream;
        s.ctx = turn;
    }
    return s;
}

/* Stores the mark of the process that opened the conn's socket, in a pointer that is never dereferenced. */
static void set_opener(struct rdl_conn *c)
{
    uint32_t process = rdl_posix_process();

    memcpy(&c->transport, &process, sizeof process);
}

static socklen_t make_unix_address(const char *path, union address *a)
{
#if HAS_UNIX
    size_t len;

    a->un.sun_family = AF_UNIX;
    for (len = 0; len < sizeof a->un.sun_path && path[len] != '\0'; len++)
        a->un.sun_path[len] = path[len];
    return len < sizeof a->un.sun_path ? sizeof a->un : 0;
#else
    (void)path, (void)a;
    return 0;
#endif
}

/* Converts the endpoint to a system address. Returns its size, 0 if it is no numeric address. */
static socklen_t make_address(const struct rdl_endpoint *ep, union address *a)
{
    memset(a, 0, sizeof *a);
    switch ((enum rdl_address_family)ep->family) {
    case RDL_INET:
        a->in.sin_family = AF_INET;
        a->in.sin_port = htons(ep->port);
        memcpy(&a->in.sin_addr, ep->ip, 4);
        return sizeof a->in;
    case RDL_INET6:
        a->in6.sin6_family = AF_INET6;
        a->in6.sin6_port = htons(ep->port);
        a->in6.sin6_scope_id = ep->scope;
        memcpy(&a->in6.sin6_addr, ep->ip, 16);
        return sizeof a->in6;
    case RDL_UNIX:
        return make_unix_address(ep->host, a);
    case RDL_UNRESOLVED:
        break;
    }
    return 0;
}

/* Returns 1 if the system has taken it. */
static int set_option(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

/* Makes the system probe an idle peer, so that firewalls keep their state and a dead host is noticed. */
static void keep_alive(int fd)
{
#ifdef TCP_KEEPIDLE
    (void)set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, IDLE_S);
#elif defined(TCP_KEEPALIVE) /* macOS */
    (void)set_option(fd, IPPROTO_TCP, TCP_KEEPALIVE, IDLE_S);
#endif
#if defined(TCP_KEEPINTVL) && defined(TCP_KEEPCNT)
    int counts_probes = 1;

    (void)set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, PROBE_S);
#ifdef TCP_USER_TIMEOUT /* how long a peer may acknowledge nothing; Linux then counts no probes */
    counts_probes = !set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, UNHEARD_MS) || !IS_LINUX;
#endif
    if (counts_probes)
        (void)set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
#endif
    (void)set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
}

/* Sets the options: no signal, and no delay before small segments. */
static void set_up(int fd, int is_far)
{
#ifdef SO_NOSIGPIPE
    (void)set_option(fd, SOL_SOCKET, SO_NOSIGPIPE, 1);
#endif
    if (is_far) {
        (void)set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
        keep_alive(fd);
    }
}

/* Makes recv wait, for RDL_POSIX_RECV_MS at most. From now on each call decides whether it may block. */
static void let_wait(int fd)
{
    const struct timeval wait = {0, RDL_POSIX_RECV_MS * 1000L};

    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    (void)fcntl(fd, F_SETFL, 0);
}

/* Opens a socket that does not block while it connects. -1: see errno. */
static int make_socket(int family)
{
    int fd = rdl_posix_socket(family);

    if (fd >= 0)
        set_up(fd, family != AF_UNIX);
    return fd;
}

/*
 * Returns whether the socket is connected to itself. If no program listens on a port of this host, the system
 * may choose that port for our end.
 */
static int is_to_itself(int fd, const union address *peer, socklen_t len)
{
    union address own;
    socklen_t own_len = sizeof own;

    return peer->any.sa_family != AF_UNIX && getsockname(fd, &own.any, &own_len) == 0 &&
           memcmp(&own, peer, len) == 0; /* both ends are of one family, so they are equally long */
}

/* Returns the errno with which connecting failed, or 0: not yet, or it is no socket. */
static int connect_error(int fd)
{
    int err = 0;
    socklen_t len = sizeof err;

    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) != 0)
        err = errno;
    return err == ENOTSOCK ? 0 : err;
}

int rdl_posix_may_wait(const struct rdl_conn *c)
{
    return MSG_DONTWAIT != 0 && c->cfg->stream == NULL;
}

/* Returns RDL_STREAM_READY if the socket has a peer. With another stream on top of it no recv waits. */
static int opened(struct rdl_conn *c, const struct rdl_posix_turn *turn)
{
    union address peer;
    socklen_t len = sizeof peer;
    int err = getpeername(c->fd, &peer.any, &len) == 0 ? 0 : errno;
    int why = err != 0 ? connect_error(c->fd) : 0;

    if (why != 0)
        return failed(c, why, RDL_E_CONNECT);
    if (err == ENOTCONN) /* not yet: the event was for another socket */
        return RDL_STREAM_WAIT_WRITE;
    if (err == 0 && is_to_itself(c->fd, &peer, len))
        return failed(c, ECONNREFUSED, RDL_E_CONNECT);
    if (rdl_posix_may_wait(c) && (turn == NULL || !turn->is_one_of_many))
        let_wait(c->fd);
    c->sys_error = 0;
    c->is_first_recv = 1;
    return RDL_STREAM_READY;
}

/*
 * Starts to connect. A unix socket whose queue is full fails at once instead of waiting. It is retried with
 * another descriptor, until connecting takes too long.
 */
static int start(struct rdl_conn *c, const struct rdl_posix_turn *turn)
{
    const struct rdl_endpoint *ep = c->cfg->endpoint;
    union address a;
    socklen_t len = make_address(ep, &a);

    if (len == 0) {
        c->sys_error = 0;
        return ep->family == RDL_UNRESOLVED && ep->host != NULL ? RDL_E_NO_ADDRESS : RDL_E_URL;
    }
    set_opener(c);
    c->fd = make_socket(a.any.sa_family);
    if (c->fd < 0)
        return failed(c, errno, RDL_E_CONNECT);
    if (connect(c->fd, &a.any, len) == 0)
        return opened(c, turn);
    if (errno == EINPROGRESS || errno == EINTR) /* after EINTR it continues in the background, too */
        return RDL_STREAM_WAIT_WRITE;
    if (errno == EAGAIN && a.any.sa_family == AF_UNIX) {
        close(c->fd);
        c->fd = -1;
        return RDL_STREAM_WAIT_WRITE;
    }
    return failed(c, errno, RDL_E_CONNECT);
}

static int socket_open(void *ctx, struct rdl_conn *c)
{
    const struct rdl_posix_turn *turn = ctx;

    if (c->fd < 0)
        return start(c, turn);
    if (turn != NULL && turn->revents == 0)
        return RDL_STREAM_WAIT_WRITE;
    return opened(c, turn);
}

/* ---------------------------------------------------------------- bytes */

/*
 * Returns whether these, the first bytes of a connection, are HTTP 502, 503 or 504: a load balancer has no
 * server. A status line in two reads is not recognized; like any other text, it is an invalid reply.
 */
static int is_from_gateway(const uint8_t *bytes, size_t n)
{
    static const char version[] = "HTTP/1.", status[] = " 50";
    enum { MINOR = sizeof version - 1, STATUS = MINOR + 1, DIGIT = STATUS + sizeof status - 1 };

    return n > DIGIT && memcmp(bytes, version, MINOR) == 0 &&
           memcmp(bytes + STATUS, status, DIGIT - STATUS) == 0 && bytes[DIGIT] >= '2' && bytes[DIGIT] <= '4';
}

/* Keeps the status line as the reason. */
static int turned_away(struct rdl_conn *c, const uint8_t *bytes, size_t n)
{
    char line[RDL_TEXT_MAX];
    size_t i;

    for (i = 0; i < n && i + 1 < sizeof line && bytes[i] >= ' '; i++)
        line[i] = (char)bytes[i];
    line[i] = '\0';
    rdl_conn_set_text(c, line);
    return RDL_E_TRY_LATER;
}

/* Returns the errno of recv; a signal ends a recv that waits. */
static int receive(struct rdl_conn *c, uint8_t *buf, size_t cap, struct rdl_posix_turn *turn, ssize_t *n)
{
    int flags = MSG_DONTWAIT;

    if (turn != NULL) {
        flags = turn->recv_flags;
        turn->recv_flags = MSG_DONTWAIT;
    }
    while ((*n = recv(c->fd, buf, cap, flags)) < 0 && errno == EINTR) {
        flags = MSG_DONTWAIT;
        if (turn != NULL)
            turn->is_interrupted = 1;
    }
    return *n < 0 ? errno : 0;
}

int rdl_posix_received(struct rdl_conn *c, const uint8_t *bytes, int n, int err)
{
    int is_first = c->is_first_recv;

    if (n <= 0)
        return failed(c, err, RDL_E_CLOSED);
    c->is_first_recv = 0;
    return is_first && is_from_gateway(bytes, (size_t)n) ? turned_away(c, bytes, (size_t)n) : n;
}

static int socket_recv(void *ctx, struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    struct rdl_posix_turn *turn = ctx;
    ssize_t n;
    int err;

    if (turn != NULL && !(turn->revents & ~POLLOUT))
        return 0;
    err = receive(c, buf, cap, turn, &n);
    if (turn != NULL && n < (ssize_t)cap) /* no second recv follows */
        turn->revents = 0;
    if (err == EAGAIN || err == EWOULDBLOCK)
        return 0;
    return rdl_posix_received(c, buf, (int)n, err);
}

static int socket_send(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len)
{
    struct rdl_posix_turn *turn = ctx;
    ssize_t n;

    do
        n = send(c->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n >= 0)
        return (int)n;
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        return 0;
    if (turn != NULL)
        turn->revents |= POLLIN; /* what the server has sent is read first */
    return failed(c, errno, RDL_E_CLOSED);
}

const struct rdl_stream_ops rdl_posix_stream = {socket_open, socket_send, socket_recv, socket_close};

/* Overwrites a password that was sent. No compiler leaves it out, as it may with memset. */
static void forget(volatile uint8_t *buf, size_t n)
{
    while (n > 0)
        buf[--n] = 0;
}

int rdl_posix_run(struct rdl_conn *c, struct rdl_posix_turn *turn)
{
    uint8_t buf[CHUNK];
    struct rdl_stream s = stream_of(c, turn, buf);
    int may_log_in = rdl_conn_state(c) == RDL_CONN_OPENING || rdl_conn_state(c) == RDL_CONN_HANDSHAKE;
    int did = rdl_stream_run(c, &s);

    if (may_log_in)
        forget(buf, sizeof buf);
    return did;
}

int rdl_posix_advance(struct rdl_conn *c, struct rdl_posix_turn turn)
{
    turn.recv_flags = MSG_DONTWAIT;
    if (c->send_result < 0)
        turn.revents |= POLLIN;               /* what the server has sent is read first */
    if (rdl_conn_state(c) == RDL_CONN_FAILED) /* the conn ends it, and not the system */
        c->sys_error = 0;
    return rdl_posix_run(c, &turn);
}

int rdl_posix_is_of_another(struct rdl_conn *c, uint32_t process)
{
    uint32_t opener; /* 0: none */

    memcpy(&opener, &c->transport, sizeof opener);
    if (opener == 0 || opener == process)
        return 0;
    if (rdl_conn_state(c) == RDL_CONN_CLOSED) {
        rdl_conn_closed(c, RDL_E_FORKED);
    } else {
        rdl_conn_shut(c, RDL_E_FORKED);
        (void)rdl_posix_advance(c, (struct rdl_posix_turn){.revents = 0});
    }
    return 1;
}

int rdl_posix_is_forked(struct rdl_conn *c)
{
    return rdl_posix_is_of_another(c, rdl_posix_process());
}

/* ---------------------------------------------------------------- your own event loop */

int rdl_posix_fd(const struct rdl_conn *c)
{
    return c->fd;
}

int rdl_posix_errno(const struct rdl_conn *c)
{
    return c->sys_error;
}

short rdl_posix_events(const struct rdl_conn *c)
{
    unsigned wants = rdl_conn_wants(c);
    short events = 0;

    if (wants & RDL_WANT_OPEN)
        return c->waits == (RDL_STREAM_BEGUN | RDL_STREAM_WAIT_READ) ? POLLIN : POLLOUT;
    if (wants & RDL_WANT_READ)
        events |= POLLIN;
    if ((wants & RDL_WANT_WRITE) && c->send_result <= 0)
        events |= POLLOUT;
    return events;
}

/* Options that do not apply to this kind of socket fail without effect. */
void rdl_posix_opened(struct rdl_conn *c, int fd)
{
    struct rdl_stream s = stream_of(c, NULL, NULL);
    int state;

    if (rdl_posix_is_forked(c) || !(rdl_conn_wants(c) & RDL_WANT_OPEN)) {
        close(fd);
        return;
    }
    if (c->fd >= 0)
        s.ops->close(s.ctx, c);
    set_opener(c);
    c->fd = fd;
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    set_up(fd, 1);
    c->waits = RDL_STREAM_BEGUN | RDL_STREAM_WAIT_WRITE;
    if (c->cfg->stream != NULL)
        return;
    state = opened(c, NULL);
    if (state == RDL_STREAM_READY) {
        rdl_conn_opened(c);
    } else if (state < 0) {
        rdl_conn_shut(c, state);
        rdl_stream_run(c, &s);
    }
}

/* Always reads a stalled conn, because it may be closed before the next poll. */
void rdl_posix_ready(struct rdl_conn *c, short revents)
{
    if (rdl_conn_state(c) == RDL_CONN_STALLED)
        revents |= POLLIN;
    if (!rdl_posix_is_forked(c))
        (void)rdl_posix_advance(c, (struct rdl_posix_turn){.revents = revents});
}

void rdl_posix_close(struct rdl_conn *c)
{
    rdl_conn_shut(c, RDL_E_CLOSED);
    (void)rdl_posix_advance(c, (struct rdl_posix_turn){.revents = 0});
}
