/* SPDX-License-Identifier: MIT */
/* poll.h - ESP-IDF has poll(2) here, and no <poll.h>. */
#pragma once

#define POLLIN   1u
#define POLLOUT  8u
#define POLLERR  32u
#define POLLHUP  64u
#define POLLNVAL 128u

struct pollfd {
    int fd;
    short events, revents;
};
typedef unsigned nfds_t;

int poll(struct pollfd *fds, nfds_t n, int timeout_ms);
