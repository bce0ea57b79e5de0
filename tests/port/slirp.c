/* SPDX-License-Identifier: MIT */
/* slirp.c - a board for lwIP on this machine; see slirp.h. */
#define _POSIX_C_SOURCE 200809L
#include "tests/port/slirp.h"
#include "net/net.h"

#include <lwip/etharp.h>
#include <lwip/init.h>
#include <lwip/netif.h>
#include <lwip/timeouts.h>
#include <netif/ethernet.h>
#include <poll.h>
#include <signal.h>
#include <slirp/libslirp.h>
#include <stdio.h>
#include <string.h>

/* One call moves a limited number of frames, so that one connection does not delay the others. */
enum { FRAMES = 256, FRAMES_A_TURN = 32, FRAME_MAX = 1600, FDS = 16 };

static Slirp *slirp;
static struct netif netif;

/* ---------------------------------------------------------------- the Ethernet */

/*
 * Frames in flight to lwIP, which must not be called from its own calls. One too many is lost, as in a
 * switch.
 */
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

void board_begin(void)
{
    SlirpConfig config = {.version = 1, .in_enabled = true};
    ip4_addr_t address, mask, gateway;

    config.vnetwork.s_addr = htonl(0x0a000200);
    config.vnetmask.s_addr = htonl(0xffffff00);
    config.vhost.s_addr = htonl(0x0a000202); /* which is 127.0.0.1 of this machine */
    config.vdhcp_start.s_addr = htonl(0x0a00020f);
    config.vnameserver.s_addr = htonl(0x0a000203);
    signal(SIGPIPE, SIG_IGN); /* libslirp raises it when a server closes */
    slirp = slirp_new(&config, &callbacks, &config);
    IP4_ADDR(&address, 10, 0, 2, 15);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 10, 0, 2, 2);
    lwip_init();
    netif_add(&netif, &address, &mask, &gateway, NULL, netif_begin, ethernet_input);
    netif_set_default(&netif);
    netif_set_up(&netif);
}

static void hand_over(unsigned some)
{
    for (unsigned i = 0; i < some; i++)
        if (netif.input(frames[i], &netif) != ERR_OK)
            pbuf_free(frames[i]);
    frames_n -= some;
    for (unsigned i = 0; i < frames_n; i++)
        frames[i] = frames[i + some];
}

void board_turn(uint32_t wait_ms)
{
    struct fds f = {.n = 0};
    uint32_t timers_ms = sys_timeouts_sleeptime();
    int n;

    if (wait_ms > timers_ms)
        wait_ms = timers_ms;
    slirp_pollfds_fill(slirp, &wait_ms, add_poll, &f);
    n = poll(f.fd, (nfds_t)f.n, frames_n > 0 ? 0 : (int)wait_ms);
    slirp_pollfds_poll(slirp, n < 0, polled, &f);
    hand_over(frames_n < FRAMES_A_TURN ? frames_n : FRAMES_A_TURN);
    sys_check_timeouts();
}
