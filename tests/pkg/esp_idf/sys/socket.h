/* SPDX-License-Identifier: MIT */
/* socket.h - the sockets of lwIP in ESP-IDF: addresses begin with their length; there is no AF_UNIX. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

typedef uint8_t sa_family_t;
typedef uint32_t socklen_t;
struct sockaddr {
    uint8_t sa_len;
    sa_family_t sa_family;
    char sa_data[14];
};
struct in_addr {
    uint32_t s_addr;
};
struct sockaddr_in {
    uint8_t sin_len;
    sa_family_t sin_family;
    uint16_t sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};
struct in6_addr {
    uint32_t words[4];
};
struct sockaddr_in6 {
    uint8_t sin6_len;
    sa_family_t sin6_family;
    uint16_t sin6_port;
    uint32_t sin6_flowinfo;
    struct in6_addr sin6_addr;
    uint32_t sin6_scope_id;
};

#define AF_INET       2
#define AF_INET6      10
#define SOCK_STREAM   1
#define SOL_SOCKET    0xfff
#define SO_KEEPALIVE  8
#define SO_RCVTIMEO   0x1006
#define SO_ERROR      0x1007
#define IPPROTO_TCP   6
#define TCP_NODELAY   1
#define TCP_KEEPALIVE 2
#define TCP_KEEPIDLE  3
#define TCP_KEEPINTVL 4
#define TCP_KEEPCNT   5
#define MSG_DONTWAIT  8
#define MSG_NOSIGNAL  32

uint16_t htons(uint16_t port);
int socket(int domain, int type, int protocol);
int connect(int fd, const struct sockaddr *address, socklen_t len);
ssize_t recv(int fd, void *bytes, size_t len, int flags);
ssize_t send(int fd, const void *bytes, size_t len, int flags);
int getsockopt(int fd, int level, int option, void *value, socklen_t *len);
int setsockopt(int fd, int level, int option, const void *value, socklen_t len);
int getpeername(int fd, struct sockaddr *address, socklen_t *len);
int getsockname(int fd, struct sockaddr *address, socklen_t *len);
