/* SPDX-License-Identifier: MIT */
/*
 * lwip_main.c - the main loop of a board with lwIP, whose Ethernet ends in libslirp: so it reaches a real
 * server without a device and without root. lwip redis://10.0.2.2:PORT leads to 127.0.0.1:PORT. Eight locks
 * are taken and given back over one connection.
 */
#define _POSIX_C_SOURCE 200809L
#include "lock/examples/loops/lwip.h"
#include "lock/lock.h"

#include <slirp/libslirp.h>
#include <lwip/etharp.h>
#include <lwip/init.h>
#include <lwip/netif.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/timeouts.h>
#include <netif/ethernet.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { LOCKS = 8, FRAMES = 64, FRAME_MAX = 1600, FDS = 16 };

static Slirp *slirp;
static struct netif netif;

/* ---------------------------------------------------------------- the Ethernet */

/* Frames on their way to lwIP, which is not called while it calls. One too many is lost, as by a switch. */
static struct pbuf *frames[FRAMES];
static unsigned frames_n;

static ssize_t to_lwip(const void *frame, size_t len, void *arg)
{
    struct pbuf *p = frames_n < FRAMES ? pbuf_alloc(PBUF_RAW, (u16_t)len, PBUF_RAM) : NULL;

    (void)arg;
    if (p != NULL && pbuf_take(p, frame, (u16_t)len) == ERR_OK)
        frames[frames_n++] = p;
    return (ssize_t)len;
}

static err_t to_slirp(struct netif *from, struct pbuf *p)
{
    uint8_t frame[FRAME_MAX];

    (void)from;
    slirp_input(slirp, frame, pbuf_copy_partial(p, frame, sizeof frame, 0));
    return ERR_OK;
}

static err_t netif_begin(struct netif *n)
{
    static const uint8_t address[] = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56};

    n->name[0] = 's';
    n->name[1] = 'l';
    n->mtu = 1500;
    n->hwaddr_len = sizeof address;
    memcpy(n->hwaddr, address, sizeof address);
    n->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    n->output = etharp_output;
    n->linkoutput = to_slirp;
    return ERR_OK;
}

/* ---------------------------------------------------------------- what libslirp asks for */

static int64_t clock_ns(void *arg)
{
    (void)arg;
    return (int64_t)rdl_posix_now_ms() * 1000000;
}

static void guest_error(const char *message, void *arg)
{
    (void)arg;
    fprintf(stderr, "slirp: %s\n", message);
}

/* Its only timer is for IPv6. */
static void *timer_new(SlirpTimerCb cb, void *cb_arg, void *arg)
{
    (void)cb, (void)cb_arg;
    return arg;
}
static void timer_free(void *timer, void *arg)
{
    (void)timer, (void)arg;
}
static void timer_mod(void *timer, int64_t at_ms, void *arg)
{
    (void)timer, (void)at_ms, (void)arg;
}
static void fd_noted(int fd, void *arg)
{
    (void)fd, (void)arg;
}
static void notify(void *arg)
{
    (void)arg;
}

static const SlirpCb callbacks = {.send_packet = to_lwip,
                                  .guest_error = guest_error,
                                  .clock_get_ns = clock_ns,
                                  .timer_new = timer_new,
                                  .timer_free = timer_free,
                                  .timer_mod = timer_mod,
                                  .register_poll_fd = fd_noted,
                                  .unregister_poll_fd = fd_noted,
                                  .notify = notify};

struct fds {
    struct pollfd fd[FDS];
    int n;
};

static int add_poll(int fd, int events, void *arg)
{
    struct fds *f = arg;

    if (f->n == FDS)
        return -1;
    f->fd[f->n].fd = fd;
    f->fd[f->n].events =
        (short)((events & SLIRP_POLL_IN ? POLLIN : 0) | (events & SLIRP_POLL_OUT ? POLLOUT : 0));
    f->fd[f->n].revents = 0;
    return f->n++;
}

static int polled(int i, void *arg)
{
    short r = i >= 0 ? ((struct fds *)arg)->fd[i].revents : 0;

    return (r & POLLIN ? SLIRP_POLL_IN : 0) | (r & POLLOUT ? SLIRP_POLL_OUT : 0) |
           (r & POLLERR ? SLIRP_POLL_ERR : 0) | (r & POLLHUP ? SLIRP_POLL_HUP : 0);
}

/* ---------------------------------------------------------------- the board */

static void board_begin(void)
{
    SlirpConfig config = {.version = 1, .in_enabled = true};
    ip4_addr_t address, mask, gateway;

    config.vnetwork.s_addr = htonl(0x0a000200);
    config.vnetmask.s_addr = htonl(0xffffff00);
    config.vhost.s_addr = htonl(0x0a000202); /* which is 127.0.0.1 of this machine */
    config.vdhcp_start.s_addr = htonl(0x0a00020f);
    config.vnameserver.s_addr = htonl(0x0a000203);
    slirp = slirp_new(&config, &callbacks, &config);
    IP4_ADDR(&address, 10, 0, 2, 15);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 10, 0, 2, 2);
    lwip_init();
    netif_add(&netif, &address, &mask, &gateway, NULL, netif_begin, ethernet_input);
    netif_set_default(&netif);
    netif_set_up(&netif);
}

/* Frames and timers, after a wait of wait_ms at most. */
static void board_turn(uint32_t wait_ms)
{
    struct fds f = {.n = 0};
    uint32_t timers_ms = sys_timeouts_sleeptime();
    int n;

    if (wait_ms > timers_ms)
        wait_ms = timers_ms;
    slirp_pollfds_fill(slirp, &wait_ms, add_poll, &f);
    n = poll(f.fd, (nfds_t)f.n, frames_n > 0 ? 0 : (int)wait_ms);
    slirp_pollfds_poll(slirp, n < 0, polled, &f);
    for (unsigned i = 0; i < frames_n; i++)
        if (netif.input(frames[i], &netif) != ERR_OK)
            pbuf_free(frames[i]);
    frames_n = 0;
    sys_check_timeouts();
}

/* ---------------------------------------------------------------- its locks */

static struct rdl_endpoint endpoint;
static uint64_t queue[RDL_QUEUE_FOR(LOCKS, 5) / 8];
static const struct rdl_conn_config config = {
    .endpoint = &endpoint, .ways = &rdl_ways_script, .queue = queue, .queue_len = sizeof queue};
static struct rdl_conn conn;
static struct rdl_lock lock[LOCKS];

/* Until no operation is pending. How many came out well; *rc: what came of the last. */
static int finish(int *rc)
{
    int pending, done;

    do {
        uint64_t now_ms = rdl_posix_now_ms(), wake_ms = now_ms + 1000;

        pending = done = 0;
        lwip_drive(&conn);
        for (int i = 0; i < LOCKS; i++) {
            *rc = rdl_lock_step(&lock[i], now_ms);
            pending += *rc == RDL_PENDING;
            done += *rc == RDL_OK;
            if (rdl_lock_wake_ms(&lock[i]) < wake_ms)
                wake_ms = rdl_lock_wake_ms(&lock[i]);
        }
        if (rdl_conn_wants(&conn) & (RDL_WANT_WRITE | RDL_WANT_CLOSE))
            wake_ms = now_ms;
        board_turn(wake_ms > now_ms ? (uint32_t)(wake_ms - now_ms) : 0);
    } while (pending > 0);
    return done;
}

/* Those that lwIP has. */
static int connections(void)
{
    int n = 0;

    for (struct tcp_pcb *pcb = tcp_active_pcbs; pcb != NULL; pcb = pcb->next)
        n++;
    return n;
}

int main(int argc, char **argv)
{
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};
    static char text[RDL_POSIX_URL_MAX], name[LOCKS][6];
    uint8_t entropy[RDL_ENTROPY_LEN];
    int rc = RDL_OK;

    if (argc != 2 || rdl_url_parse(&endpoint, argv[1], text, sizeof text, NULL) != RDL_OK)
        return 2;
    board_begin();
    rdl_conn_init(&conn, &config);
    for (int i = 0; i < LOCKS && rc >= 0; i++) {
        rdl_lock_init(&lock[i], &opt, &conn, name[i], (size_t)snprintf(name[i], sizeof name[i], "job %d", i));
        rc = rdl_posix_random(entropy, sizeof entropy);
        if (rc == RDL_OK)
            rdl_lock_acquire_begin(&lock[i], entropy, rdl_posix_now_ms());
    }
    printf("acquired: %d\n", finish(&rc));
    if (rc < 0)
        printf("the last: %s\n", rdl_strerror(rc));
    for (int i = 0; i < LOCKS; i++)
        rdl_lock_release_begin(&lock[i], rdl_posix_now_ms());
    printf("released: %d\n", finish(&rc));
    printf("connections: %d\n", connections());
    return rc < 0;
}
