/* SPDX-License-Identifier: MIT */
/*
 * relay_main.c - relay SOCKET FILE: records a live run. It listens on a free port of 127.0.0.1, prints its
 * number, and passes every connection to the server at the unix SOCKET. It writes the bytes to FILE in the
 * format of libpcap, as packets between a port for each connection and 6379. So a live run can be inspected
 * without the right to capture. It ends, and FILE is complete, when its standard input does.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LINKS = 64, PACKET = 60000, HEADERS = 40, PORT = 6379, FIRST_PORT = 10000, IPV4 = 228 };

/* A connection: [0] towards the client, [1] towards the server. */
struct link {
    int fd[2];
    uint16_t port;
    uint32_t sent[2]; /* bytes that came from fd[i] */
    int from;         /* where the bytes of the packet came from */
    size_t len;
    uint8_t packet[HEADERS + PACKET];
};

static struct link links[LINKS];
static FILE *file;
static uint32_t packets;

static void must(int holds, const char *what)
{
    if (!holds) {
        perror(what);
        exit(1);
    }
}

static void put16(uint8_t *to, unsigned v)
{
    to[0] = (uint8_t)(v >> 8);
    to[1] = (uint8_t)v;
}

static void put32(uint8_t *to, uint32_t v)
{
    put16(to, v >> 16);
    put16(to + 2, v & 0xffff);
}

static void out32(uint32_t v)
{
    uint8_t bytes[4];

    put32(bytes, v);
    must(fwrite(bytes, 4, 1, file) == 1, "write");
}

static void begin_file(const char *name)
{
    file = fopen(name, "wb");
    must(file != NULL, name);
    out32(0xa1b2c3d4); /* microseconds, big-endian */
    out32(0x00020004);
    out32(0);
    out32(0);
    out32(HEADERS + PACKET);
    out32(IPV4);
}

/* Write the packet that was gathered: IPv4, TCP without options, ACK and PSH, no checksums. */
static void flush_packet(struct link *k)
{
    int from_server = k->from == 1;
    uint8_t *ip = k->packet;
    uint8_t *tcp = ip + 20;
    uint32_t len = (uint32_t)(HEADERS + k->len);

    if (k->len == 0)
        return;
    memset(ip, 0, HEADERS);
    ip[0] = 0x45;
    put16(ip + 2, len);
    ip[8] = 64;
    ip[9] = 6;
    put32(ip + 12, INADDR_LOOPBACK);
    put32(ip + 16, INADDR_LOOPBACK);
    put16(tcp, from_server ? PORT : k->port);
    put16(tcp + 2, from_server ? k->port : PORT);
    put32(tcp + 4, 1 + k->sent[k->from]);
    put32(tcp + 8, 1 + k->sent[!k->from]);
    tcp[12] = 0x50;
    tcp[13] = 0x18;
    put16(tcp + 14, 0xffff);
    out32(packets / 1000);
    out32(packets % 1000 * 1000);
    out32(len);
    out32(len);
    must(fwrite(ip, len, 1, file) == 1, "write");
    packets++;
    k->sent[k->from] += (uint32_t)k->len;
    k->len = 0;
}

static void record(struct link *k, int from, const uint8_t *data, size_t len)
{
    if (k->from != from || k->len + len > PACKET)
        flush_packet(k);
    k->from = from;
    memcpy(k->packet + HEADERS + k->len, data, len);
    k->len += len;
}

static void end(struct link *k)
{
    flush_packet(k);
    close(k->fd[0]);
    close(k->fd[1]);
    k->fd[0] = k->fd[1] = -1;
}

/* Bytes from one side go to the other; its end ends both. */
static void hand_on(struct link *k, int from)
{
    uint8_t data[16384];
    ssize_t n = recv(k->fd[from], data, sizeof data, 0);
    ssize_t done = 0;

    if (n > 0)
        record(k, from, data, (size_t)n);
    while (done < n) {
        ssize_t sent = send(k->fd[!from], data + done, (size_t)(n - done), MSG_NOSIGNAL);

        if (sent <= 0)
            break;
        done += sent;
    }
    if (n <= 0 || done < n)
        end(k);
}

static void meet(int listener, const struct sockaddr_un *server)
{
    static uint16_t port = FIRST_PORT;
    struct link *k = links;

    while (k < links + LINKS && k->fd[0] >= 0)
        k++;
    must(k < links + LINKS, "too many connections");
    memset(k, 0, sizeof *k);
    k->port = port++;
    k->fd[0] = accept(listener, NULL, NULL);
    k->fd[1] = socket(AF_UNIX, SOCK_STREAM, 0);
    must(k->fd[0] >= 0 && k->fd[1] >= 0, "accept");
    must(connect(k->fd[1], (const struct sockaddr *)server, sizeof *server) == 0, server->sun_path);
}

static int listen_anywhere(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    must(fd >= 0 && bind(fd, (struct sockaddr *)&a, len) == 0 && listen(fd, LINKS) == 0 &&
             getsockname(fd, (struct sockaddr *)&a, &len) == 0,
         "listen");
    printf("%u\n", (unsigned)ntohs(a.sin_port));
    fflush(stdout);
    return fd;
}

/* One round; 0 when standard input has ended. */
static int serve(int listener, const struct sockaddr_un *server)
{
    struct pollfd fds[2 + 2 * LINKS];
    size_t i;

    fds[0] = (struct pollfd){STDIN_FILENO, POLLIN, 0};
    fds[1] = (struct pollfd){listener, POLLIN, 0};
    for (i = 0; i < LINKS; i++) {
        fds[2 + 2 * i] = (struct pollfd){links[i].fd[0], POLLIN, 0};
        fds[3 + 2 * i] = (struct pollfd){links[i].fd[1], POLLIN, 0};
    }
    must(poll(fds, 2 + 2 * LINKS, -1) > 0 || errno == EINTR, "poll");
    for (i = 0; i < 2 * LINKS; i++)
        if (fds[2 + i].revents != 0 && links[i / 2].fd[i % 2] == fds[2 + i].fd)
            hand_on(&links[i / 2], (int)(i % 2));
    if (fds[1].revents != 0)
        meet(listener, server);
    return fds[0].revents == 0;
}

int main(int argc, char **argv)
{
    struct sockaddr_un server = {.sun_family = AF_UNIX};
    int listener;
    size_t i;

    if (argc != 3 || strlen(argv[1]) >= sizeof server.sun_path) {
        fputs("usage: relay SOCKET FILE\n", stderr);
        return 64;
    }
    memcpy(server.sun_path, argv[1], strlen(argv[1]));
    for (i = 0; i < LINKS; i++)
        links[i].fd[0] = links[i].fd[1] = -1;
    begin_file(argv[2]);
    listener = listen_anywhere();
    while (serve(listener, &server))
        continue;
    for (i = 0; i < LINKS; i++)
        if (links[i].fd[0] >= 0)
            end(&links[i]);
    must(fclose(file) == 0, argv[2]);
    return 0;
}
