/* SPDX-License-Identifier: MIT */
/* socket.h - Zephyr's: AF_UNIX has no address, an IPv6 scope is a byte, and there are no signals. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

typedef unsigned short sa_family_t;
typedef size_t socklen_t;
struct sockaddr {
    sa_family_t sa_family;
    char data[22];
};
struct in_addr {
    uint32_t s_addr;
};
struct sockaddr_in {
    sa_family_t sin_family;
    uint16_t sin_port;
    struct in_addr sin_addr;
};
struct in6_addr {
    uint8_t s6_addr[16];
};
struct sockaddr_in6 {
    sa_family_t sin6_family;
    uint16_t sin6_port;
    struct in6_addr sin6_addr;
    uint8_t sin6_scope_id;
};

#define AF_INET      1
#define AF_INET6     2
#define AF_UNIX      6
#define SOCK_STREAM  1
#define SOL_SOCKET   1
#define SO_ERROR     4
#define SO_KEEPALIVE 9
#define SO_RCVTIMEO  20
#define IPPROTO_TCP  6
#define TCP_NODELAY  1
#define MSG_DONTWAIT 0x40

uint16_t htons(uint16_t port);
int socket(int family, int type, int protocol);
int connect(int fd, const struct sockaddr *address, socklen_t len);
ssize_t recv(int fd, void *bytes, size_t len, int flags);
ssize_t send(int fd, const void *bytes, size_t len, int flags);
int getsockopt(int fd, int level, int option, void *value, socklen_t *len);
int setsockopt(int fd, int level, int option, const void *value, socklen_t len);
int getpeername(int fd, struct sockaddr *address, socklen_t *len);
int getsockname(int fd, struct sockaddr *address, socklen_t *len);
