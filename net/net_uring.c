/* SPDX-License-Identifier: MIT */
/*
 * net_uring.c - the driver for sockets over io_uring, by its three system calls.
 *
 * A poll queues what its conns want and makes one call, which submits it and waits. It opens and closes
 * sockets as net_posix.c does. Each connection has a slot with memory for both directions: the kernel may
 * write to it until the request has ended, whatever became of the conn.
 *
 * The ring runs the kernel's side of a request only inside io_uring_enter (IORING_SETUP_DEFER_TASKRUN), so
 * nothing changes between two calls. A send never waits, and so has ended when the call returns. One that was
 * taken whole leaves no entry in the second queue.
 */
#define _GNU_SOURCE /* syscall, MAP_ANONYMOUS, MADV_WIPEONFORK */
#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/io_uring.h>) && __has_include(<linux/time_types.h>)
#include <linux/io_uring.h>
#include <linux/time_types.h>
#endif
#endif

#include "net/net_posix_private.h"
#include "net/net_posix_process.h"
#include "net/net_uring.h"

#ifdef IORING_SETUP_DEFER_TASKRUN /* headers of Linux 6.1 */

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SLOTS = RDL_URING_CONNS_MAX,
    ENTRIES = 64,
    ENTRIES_EACH = 2, /* most requests of a conn in one poll */
    RESULTS = 512,    /* more than all slots can have at a time: receive, send, wait, and two ends of those */
    BUFFER = 1024,    /* room for the longest script with its arguments, or for many small commands */
    ROUNDS_MAX = 16,  /* buffers sent for a conn in one poll, as net_stream.c receives them */
    SLICE_MS = 100,   /* a suspend stops the kernel's timeout but not a lease */
    PROBE_MS = 1000,  /* for a request that does nothing; it takes no time */
    IS_PARENTS = 0x75726e67 /* not 0, which is what a child finds */
};

/* The kind of a request, in the low byte of its user_data; the next byte has the slot. */
enum kind { KIND_RECV, KIND_SEND, KIND_WAIT, KIND_NONE };

/* One connection's: what is under way, and bytes in both directions. */
struct slot {
    struct rdl_conn *conn; /* NULL: none */
    int fd;
    int error;       /* is_ended: errno, 0: the peer closed it; is_plain: errno of the send */
    int sent;        /* is_sending: bytes that were taken, or -errno */
    uint16_t in_len; /* bytes received and not passed on */
    uint16_t out_len;
    short waits_for;                              /* events of the wait */
    uint8_t is_receiving, is_sending, is_waiting; /* requests that have not ended */
    uint8_t is_ended;                             /* no more bytes will come */
    uint8_t is_full;                              /* the socket takes no bytes now */
    uint8_t is_plain; /* a send failed: the usual calls say how the connection ended */
    uint8_t is_ready; /* the descriptor that was waited for */
};

/* In memory that is empty in a child after fork. */
struct ring {
    int owner; /* IS_PARENTS */
    int fd;
    unsigned *sq_head, *sq_tail, *sq_flags, *cq_head, *cq_tail;
    unsigned sq_mask, cq_mask;
    unsigned tail; /* of the first queue, ahead of *sq_tail until the next call */
    struct io_uring_sqe *requests;
    struct io_uring_cqe *results;
    unsigned used;                /* slots from here on were never used */
    struct slot slots[SLOTS + 1]; /* the last one waits for the wake_fd */
    uint8_t in[SLOTS][BUFFER], out[SLOTS][BUFFER];
};

/* ---------------------------------------------------------------- the queues */

static size_t index_of(const struct ring *r, const struct slot *s)
{
    return (size_t)(s - r->slots);
}

/* Requests that the kernel has not taken yet. */
static unsigned queued(const struct ring *r)
{
    return r->tail - __atomic_load_n(r->sq_head, __ATOMIC_ACQUIRE);
}

static uint64_t data_of(const struct ring *r, const struct slot *s, enum kind kind)
{
    return (uint64_t)kind | (uint64_t)index_of(r, s) << 8;
}

/* There must be room (make_room). */
static struct io_uring_sqe *queue_request(struct ring *r, struct slot *s, enum kind kind, uint8_t opcode)
{
    struct io_uring_sqe *e = &r->requests[r->tail++ & r->sq_mask];

    memset(e, 0, sizeof *e);
    e->opcode = opcode;
    e->fd = s->fd;
    e->user_data = data_of(r, s, kind);
    return e;
}

/* A request has ended with this result; after -EINTR it is made again. */
static void take_result(struct ring *r, uint64_t data, int result)
{
    struct slot *s = &r->slots[(data >> 8) % (SLOTS + 1)];

    switch ((enum kind)(data & 0xff)) {
    case KIND_RECV:
        s->is_receiving = 0;
        if (result > 0) {
            s->in_len = (uint16_t)result;
        } else if (result != -EINTR && result != -EAGAIN && result != -ECANCELED) {
            s->is_ended = 1;
            s->error = -result;
        }
        break;
    case KIND_SEND:
        s->sent = result;
        break;
    case KIND_WAIT:
        s->is_waiting = s->is_full = 0;
        s->is_ready = 1;
        break;
    case KIND_NONE:
        break;
    }
}

static void take_results(struct ring *r)
{
    unsigned head = *r->cq_head;

    for (; head != __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE); head++)
        take_result(r, r->results[head & r->cq_mask].user_data, r->results[head & r->cq_mask].res);
    __atomic_store_n(r->cq_head, head, __ATOMIC_RELEASE);
}

/* The kernel had no memory for these requests: they were never made. */
static void take_back(struct ring *r)
{
    while (queued(r) > 0)
        take_result(r, r->requests[--r->tail & r->sq_mask].user_data, -EINTR);
}

/* A send has ended: what was not taken is sent later, or the usual call says why it failed. */
static void settle_send(struct ring *r, struct slot *s)
{
    uint8_t *out = r->out[index_of(r, s)];
    int taken = s->sent > 0 ? s->sent : 0;

    s->is_sending = 0;
    memmove(out, out + taken, (size_t)(s->out_len - taken));
    s->out_len = (uint16_t)(s->out_len - taken);
    if (s->sent >= 0 || s->sent == -EAGAIN) {
        s->is_full = s->out_len > 0;
    } else if (s->sent != -EINTR) {
        s->is_plain = 1;
        s->error = -s->sent;
    }
}

/* Returns a slice of the time until then. */
static struct __kernel_timespec time_until(uint64_t until_ms)
{
    struct __kernel_timespec t = {0, 0};
    uint64_t now_ms = rdl_posix_now_ms();
    uint64_t ms = until_ms > now_ms ? until_ms - now_ms : 0;

    t.tv_nsec = (long long)(ms < SLICE_MS ? ms : SLICE_MS) * 1000000;
    return t;
}

static int is_empty(const struct ring *r)
{
    return *r->cq_head == __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE);
}

/*
 * Submits what is queued, waits for this many results but not after until_ms, and takes all that there are.
 * Returns RDL_OK, also after a signal, or RDL_E_SYSTEM.
 */
static int enter(struct ring *r, unsigned results, uint64_t until_ms)
{
    const unsigned flags = IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG;
    struct __kernel_timespec t = {0, 0};
    struct io_uring_getevents_arg arg;
    int err;
    unsigned i;

    memset(&arg, 0, sizeof arg);
    arg.ts = (uint64_t)(uintptr_t)&t;
    __atomic_store_n(r->sq_tail, r->tail, __ATOMIC_RELEASE);
    do {
        if (results > 0)
            t = time_until(until_ms);
        err = syscall(SYS_io_uring_enter, r->fd, queued(r), results, flags, &arg, sizeof arg) < 0 ? errno : 0;
    } while ((err == 0 || err == ETIME) && results > 0 && is_empty(r) && rdl_posix_now_ms() < until_ms);
    take_back(r);
    take_results(r);
    for (i = 0; i < r->used; i++)
        if (r->slots[i].is_sending)
            settle_send(r, &r->slots[i]);
    return err == 0 || err == EINTR || err == ETIME || err == EBUSY ? RDL_OK : RDL_E_SYSTEM;
}

static void make_room(struct ring *r, unsigned n)
{
    if (queued(r) + n > ENTRIES)
        (void)enter(r, 0, 0);
}

/* Returns 1 if the kernel has something to do for us, which the next call does. */
static int is_due(const struct ring *r)
{
    unsigned flags = __atomic_load_n(r->sq_flags, __ATOMIC_RELAXED);

    return (flags & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) != 0;
}

/* ---------------------------------------------------------------- slots */

static struct slot *slot_of(struct ring *r, const struct rdl_conn *c)
{
    unsigned i;

    for (i = 0; i < r->used; i++)
        if (r->slots[i].conn == c)
            return &r->slots[i];
    return NULL;
}

static struct slot *new_slot(struct ring *r, struct rdl_conn *c)
{
    struct slot *s = r->slots;

    while (s < r->slots + SLOTS && (s->conn != NULL || s->is_receiving || s->is_waiting))
        s++;
    if (s == r->slots + SLOTS)
        return NULL;
    memset(s, 0, sizeof *s);
    s->conn = c;
    s->fd = c->fd;
    if (index_of(r, s) == r->used)
        r->used++;
    return s;
}

static void queue_cancel(struct ring *r, struct slot *s, enum kind kind)
{
    struct io_uring_sqe *e = queue_request(r, s, KIND_NONE, IORING_OP_ASYNC_CANCEL);

    e->addr = data_of(r, s, kind);
    e->flags = IOSQE_CQE_SKIP_SUCCESS;
}

/* Ends the requests of a connection, which hold its socket. Nothing of this conn is queued. */
static void end_requests(struct ring *r, struct slot *s)
{
    make_room(r, 2);
    if (s->is_receiving)
        queue_cancel(r, s, KIND_RECV);
    if (s->is_waiting)
        queue_cancel(r, s, KIND_WAIT);
    if (s->is_receiving || s->is_waiting)
        (void)enter(r, 0, 0);
    s->in_len = s->out_len = 0;
    s->is_ended = s->is_full = s->is_plain = s->is_ready = 0;
}

/* ---------------------------------------------------------------- the stream */

/* The ctx. A stream of the configuration sends and receives by itself; the ring only waits for it. */
struct side {
    struct ring *ring;
    struct slot *slot;
};

/* Of an earlier connection of the conn nothing may be left. */
static int ring_open(void *ctx, struct rdl_conn *c)
{
    const struct side *d = ctx;
    int state;

    if (c->fd < 0)
        end_requests(d->ring, d->slot);
    else if (d->slot->is_waiting && c->cfg->stream == NULL)
        return RDL_STREAM_WAIT_WRITE;
    if (c->cfg->stream != NULL)
        return c->cfg->stream->open(c->cfg->stream_ctx, c);
    state = rdl_posix_stream.open(NULL, c);
    d->slot->fd = c->fd;
    return state;
}

static int ring_send(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len)
{
    const struct side *d = ctx;
    struct slot *s = d->slot;
    size_t room = BUFFER - s->out_len;
    size_t n = len < room ? len : room;

    if (c->cfg->stream != NULL)
        return c->cfg->stream->send(c->cfg->stream_ctx, c, bytes, len);
    memcpy(d->ring->out[index_of(d->ring, s)] + s->out_len, bytes, n);
    s->out_len = (uint16_t)(s->out_len + n);
    return (int)n;
}

static int ring_recv(void *ctx, struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    const struct side *d = ctx;
    struct slot *s = d->slot;
    int n = s->in_len;

    if (c->cfg->stream != NULL)
        return c->cfg->stream->recv(c->cfg->stream_ctx, c, buf, cap);
    if (n > 0) {
        RDL_ASSERT((size_t)n <= cap);
        memcpy(buf, d->ring->in[index_of(d->ring, s)], (size_t)n);
        s->in_len = 0;
        return rdl_posix_received(c, buf, n, 0);
    }
    if (s->is_plain && !s->is_ended) { /* a send failed: read what the server sent before it closed */
        n = rdl_posix_stream.recv(NULL, c, buf, cap);
        if (n != 0)
            return n;
    }
    return s->is_ended || s->is_plain ? rdl_posix_received(c, buf, 0, s->error) : 0;
}

static void ring_close(void *ctx, struct rdl_conn *c)
{
    const struct side *d = ctx;

    end_requests(d->ring, d->slot);
    if (c->cfg->stream != NULL)
        c->cfg->stream->close(c->cfg->stream_ctx, c);
    else
        rdl_posix_stream.close(NULL, c);
    d->slot->conn = NULL;
}

static const struct rdl_stream_ops ring_stream = {ring_open, ring_send, ring_recv, ring_close};

/* ---------------------------------------------------------------- one conn */

/* More conns are connected than a driver has slots. */
static int refuse(struct rdl_conn *c)
{
    uint8_t byte;
    struct rdl_stream s = {&rdl_posix_stream, NULL, &byte, sizeof byte};

    rdl_conn_shut(c, RDL_E_SYSTEM);
    (void)rdl_stream_run(c, &s);
    c->sys_error = EMFILE;
    return RDL_STREAM_DID;
}

/* Does what a conn wants, as far as it can be done without waiting. Returns bits of enum rdl_stream_did. */
static int run(struct ring *r, struct rdl_conn *c)
{
    uint8_t buf[BUFFER];
    struct side d = {r, slot_of(r, c)};
    struct rdl_stream s = {&ring_stream, &d, buf, sizeof buf};

    if (rdl_conn_wants(c) == 0)
        return 0;
    if (d.slot == NULL) {
        if (rdl_posix_is_forked(c))
            return RDL_STREAM_DID;
        d.slot = new_slot(r, c);
        if (d.slot == NULL)
            return refuse(c);
    }
    if (rdl_conn_state(c) == RDL_CONN_FAILED) /* the conn ends it, and not the system */
        c->sys_error = 0;
    d.slot->is_ready = 0;
    return rdl_stream_run(c, &s);
}

/* Waits for events of the conn's descriptor. Returns 1 if an earlier wait has to end first. */
static int queue_wait(struct ring *r, struct slot *s, int fd, short events)
{
    struct io_uring_sqe *e;

    if (s->is_waiting && s->fd == fd && s->waits_for == events)
        return 0;
    if (s->is_waiting) {
        queue_cancel(r, s, KIND_WAIT);
        return 1;
    }
    s->fd = fd;
    s->waits_for = events;
    s->is_waiting = 1;
    e = queue_request(r, s, KIND_WAIT, IORING_OP_POLL_ADD);
    e->poll_events = (uint16_t)events;
    return 0;
}

static void queue_send(struct ring *r, struct slot *s)
{
    struct io_uring_sqe *e = queue_request(r, s, KIND_SEND, IORING_OP_SEND);

    e->addr = (uint64_t)(uintptr_t)r->out[index_of(r, s)];
    e->len = s->out_len;
    e->msg_flags = MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL; /* WAITALL: a part is no success */
    e->flags = IOSQE_CQE_SKIP_SUCCESS;
    s->sent = s->out_len;
    s->is_sending = 1;
}

static void queue_recv(struct ring *r, struct slot *s)
{
    struct io_uring_sqe *e = queue_request(r, s, KIND_RECV, IORING_OP_RECV);

    e->addr = (uint64_t)(uintptr_t)r->in[index_of(r, s)];
    e->len = BUFFER;
    e->ioprio = IORING_RECVSEND_POLL_FIRST;
    s->is_receiving = 1;
}

/* Returns 1 if a conn has to act on a result, or may go on sending. */
static int has_work(struct ring *r, struct rdl_conn *c)
{
    const struct slot *s = slot_of(r, c);
    unsigned wants = rdl_conn_wants(c);

    if (s == NULL)
        return 0;
    if (c->cfg->stream != NULL || (wants & RDL_WANT_OPEN))
        return s->is_ready;
    if ((wants & RDL_WANT_READ) && (s->in_len > 0 || s->is_ended || s->is_plain))
        return 1;
    return (wants & RDL_WANT_WRITE) && !s->is_full && !s->is_plain;
}

/* Queues what a conn wants of the kernel. Returns 1 if the call must not wait. */
static int prepare(struct ring *r, struct rdl_conn *c)
{
    unsigned wants = rdl_conn_wants(c);
    struct slot *s = wants != 0 && c->fd >= 0 ? slot_of(r, c) : NULL;

    if (s == NULL)
        return 0;
    make_room(r, ENTRIES_EACH);
    if (c->cfg->stream != NULL || (wants & RDL_WANT_OPEN))
        return queue_wait(r, s, c->fd, rdl_posix_events(c));
    if ((wants & RDL_WANT_READ) && !s->is_receiving && s->in_len == 0 && !s->is_ended && !s->is_plain)
        queue_recv(r, s);
    if (s->is_full)
        return queue_wait(r, s, c->fd, POLLOUT);
    if (s->out_len > 0 && !s->is_plain)
        queue_send(r, s);
    return 0;
}

/* Returns 1 if a conn has bytes that can be sent now. */
static int is_sendable(struct ring *r, struct rdl_conn *c)
{
    const struct slot *s = c->cfg->stream == NULL ? slot_of(r, c) : NULL;

    return s != NULL && s->out_len > 0 && !s->is_full && !s->is_plain;
}

/* After the call: passes on what arrived, and sends what the conns answer to it. */
static int finish(struct ring *r, struct rdl_conn *const *conns, size_t n)
{
    unsigned rounds = 0;
    int rc = RDL_OK, is_more = 1;
    size_t i;

    while (is_more && rounds++ < ROUNDS_MAX && rc == RDL_OK) {
        is_more = 0;
        for (i = 0; i < n; i++) {
            if (has_work(r, conns[i]))
                (void)run(r, conns[i]);
            is_more |= is_sendable(r, conns[i]);
        }
        for (i = 0; is_more && i < n; i++)
            (void)prepare(r, conns[i]);
        if (is_more)
            rc = enter(r, 0, 0);
    }
    return rc;
}

/* ---------------------------------------------------------------- poll */

/* Returns whether the wake_fd is readable. The kernel's answer may be old. */
static int wake_result(struct slot *wake)
{
    struct pollfd p = {wake->fd, POLLIN, 0};

    wake->is_ready = 0;
    if (poll(&p, 1, 0) <= 0)
        return RDL_OK;
    return (p.revents & POLLNVAL) ? RDL_E_SYSTEM : RDL_E_INTERRUPTED;
}

static int uring_poll(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    const struct rdl_uring *u = ctx;
    struct ring *r = u->memory;
    struct slot *wake = r != NULL ? &r->slots[SLOTS] : NULL;
    int can_wake = (flags & RDL_POLL_CAN_WAKE) && u->wake_fd >= 0;
    int did = 0, is_hasty = until_ms == 0, rc;
    size_t i;

    if (r == NULL || n > SLOTS)
        return RDL_E_SYSTEM;
    for (i = 0; i < n; i++)
        did |= r->owner == IS_PARENTS ? run(r, conns[i]) : rdl_posix_is_forked(conns[i]);
    if (r->owner != IS_PARENTS)
        return RDL_E_FORKED;
    is_hasty |= (did & RDL_STREAM_DID) != 0;
    for (i = 0; i < n; i++)
        is_hasty |= prepare(r, conns[i]);
    if (can_wake && !is_hasty) {
        make_room(r, ENTRIES_EACH);
        is_hasty = queue_wait(r, wake, u->wake_fd, POLLIN);
    }
    for (i = 0; i < n; i++)
        is_hasty |= has_work(r, conns[i]); /* its bytes fill the buffer, or making room had results */
    if (is_hasty && queued(r) == 0 && !is_due(r))
        return finish(r, conns, n);
    rc = enter(r, is_hasty ? 0 : 1, rdl_posix_until_retry_ms(conns, n, until_ms));
    if (rc == RDL_OK)
        rc = finish(r, conns, n);
    return rc == RDL_OK && can_wake && wake->is_ready ? wake_result(wake) : rc;
}

/* ---------------------------------------------------------------- set-up */

static const struct {
    int err;
    const char *text;
} reasons[] = {{ENOSYS, "the kernel has no io_uring, or a container's seccomp profile hides it"},
               {EPERM, "io_uring is refused: by kernel.io_uring_disabled, or a container's seccomp profile"},
               {EACCES, "io_uring is refused: by kernel.io_uring_disabled, or a container's seccomp profile"},
               {EINVAL, "the kernel's io_uring is too old: Linux 6.1 is needed"},
               {ENOMEM, "no memory for io_uring: RLIMIT_MEMLOCK is below 16 KB, or memory is short"},
               {EMFILE, "no descriptor is left for io_uring"},
               {ENFILE, "no descriptor is left for io_uring"},
               {0, "io_uring does not work here"}};

static const char *reason_of(int err)
{
    size_t i = 0;

    while (reasons[i].err != 0 && reasons[i].err != err)
        i++;
    return reasons[i].text;
}

static void *map(size_t len, int flags, int fd, off_t at)
{
    void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, flags, fd, at);

    return p == MAP_FAILED ? NULL : p;
}

/* Returns 0, or errno. */
static int map_all(struct rdl_uring *u, const struct io_uring_params *p)
{
    size_t sq_len = p->sq_off.array + p->sq_entries * sizeof(unsigned);
    size_t cq_len = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);

    u->ring_len = sq_len > cq_len ? sq_len : cq_len;
    u->requests_len = p->sq_entries * sizeof(struct io_uring_sqe);
    u->memory = map(sizeof(struct ring), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (u->memory == NULL)
        return ENOMEM;
    if (madvise(u->memory, sizeof(struct ring), MADV_WIPEONFORK) != 0)
        return EINVAL;
    u->ring = map(u->ring_len, MAP_SHARED, u->fd, IORING_OFF_SQ_RING);
    u->requests = map(u->requests_len, MAP_SHARED, u->fd, IORING_OFF_SQES);
    return u->ring != NULL && u->requests != NULL ? 0 : ENOMEM;
}

static void set_up_ring(struct ring *r, const struct rdl_uring *u, const struct io_uring_params *p)
{
    uint8_t *ring = u->ring;
    unsigned *array = (void *)(ring + p->sq_off.array);
    unsigned i;

    r->owner = IS_PARENTS;
    r->fd = u->fd;
    r->requests = u->requests;
    r->sq_head = (void *)(ring + p->sq_off.head);
    r->sq_tail = (void *)(ring + p->sq_off.tail);
    r->sq_flags = (void *)(ring + p->sq_off.flags);
    r->sq_mask = p->sq_entries - 1;
    r->cq_head = (void *)(ring + p->cq_off.head);
    r->cq_tail = (void *)(ring + p->cq_off.tail);
    r->cq_mask = p->cq_entries - 1;
    r->results = (void *)(ring + p->cq_off.cqes);
    for (i = 0; i < p->sq_entries; i++)
        array[i] = i;
}

/* A sandbox may refuse any of the calls. Returns 0, or errno. */
static int try_ring(struct rdl_uring *u)
{
    struct io_uring_params p;
    struct ring *r;
    int err;

    memset(&p, 0, sizeof p);
    p.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
              IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE;
    p.cq_entries = RESULTS;
    u->fd = rdl_posix_off_stdio((int)syscall(SYS_io_uring_setup, ENTRIES, &p));
    if (u->fd < 0)
        return errno;
    err = map_all(u, &p);
    if (err != 0)
        return err;
    r = u->memory;
    set_up_ring(r, u, &p);
    queue_request(r, r->slots, KIND_NONE, IORING_OP_NOP);
    if (enter(r, 1, rdl_posix_now_ms() + PROBE_MS) != RDL_OK)
        return errno;
    return *r->cq_head != 0 ? 0 : EFAULT; /* no result came */
}

int rdl_uring_init(struct rdl_uring *u, struct rdl_platform *platform, const char **why)
{
    int err;

    memset(u, 0, sizeof *u);
    u->wake_fd = -1;
    err = try_ring(u);
    if (why != NULL)
        *why = err != 0 ? reason_of(err) : NULL;
    if (err != 0) {
        rdl_uring_end(u);
        return RDL_E_SYSTEM;
    }
    *platform = (struct rdl_platform){uring_poll, rdl_posix_platform_now_ms, rdl_posix_platform_random, u};
    return RDL_OK;
}

void rdl_uring_close(struct rdl_uring *u, struct rdl_conn *c)
{
    struct ring *r = u->memory;
    struct slot *s = r != NULL && r->owner == IS_PARENTS ? slot_of(r, c) : NULL;

    if (s != NULL) {
        end_requests(r, s);
        s->conn = NULL;
    }
    rdl_posix_close(c);
}

/* Returns 1 if the kernel may still write to memory of the driver, which then stays. */
static int end_all(struct ring *r)
{
    int is_busy = 0;
    unsigned i;

    for (i = 0; i < r->used; i++)
        end_requests(r, &r->slots[i]);
    for (i = 0; i < r->used; i++)
        is_busy |= r->slots[i].is_receiving || r->slots[i].is_waiting;
    return is_busy;
}

void rdl_uring_end(struct rdl_uring *u)
{
    struct ring *r = u->memory;
    int is_in_use = r != NULL && r->owner == IS_PARENTS && end_all(r);

    if (u->requests != NULL)
        munmap(u->requests, u->requests_len);
    if (u->ring != NULL)
        munmap(u->ring, u->ring_len);
    if (r != NULL && !is_in_use)
        munmap(r, sizeof *r);
    if (u->fd >= 0)
        close(u->fd);
    u->fd = -1;
    u->memory = u->ring = u->requests = NULL;
}

#else /* not Linux, or headers that are older */

int rdl_uring_init(struct rdl_uring *u, struct rdl_platform *platform, const char **why)
{
    (void)platform;
    u->wake_fd = -1;
    u->fd = -1;
    u->memory = NULL;
    if (why != NULL)
        *why = "the library was built without io_uring: it needs the headers of Linux 6.1";
    return RDL_E_SYSTEM;
}

void rdl_uring_close(struct rdl_uring *u, struct rdl_conn *c)
{
    (void)u;
    rdl_posix_close(c);
}

void rdl_uring_end(struct rdl_uring *u)
{
    (void)u;
}

#endif
