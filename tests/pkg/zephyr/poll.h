/* SPDX-License-Identifier: MIT */
/* poll.h - Zephyr's: macros for other names, and no nfds_t. */
#pragma once

#define pollfd   zsock_pollfd
#define POLLIN   1
#define POLLOUT  4
#define POLLERR  8
#define POLLHUP  16
#define POLLNVAL 32

struct zsock_pollfd {
    int fd;
    short events, revents;
};

int poll(struct pollfd *fds, int n, int timeout_ms);
