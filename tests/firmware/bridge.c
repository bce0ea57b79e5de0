/* SPDX-License-Identifier: MIT */
/*
 * bridge.c - the other end of a board's serial line: bridge SOCKET SERVER-PORT [BYTES]
 *
 * A modem at its worst. It creates the socket, and connects each client to the server. Before the server's
 * first reply on each connection, the board receives a reply of another connection, as if from an old buffer:
 * a grant. With BYTES each connection ends without notice after this many bytes from the server, wherever
 * that is. The traffic is written to standard error, a line for each change of direction.
 */
#define _POSIX_C_SOURCE 200809L
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char stale[] = "+OK\r\n:3000\r\n";

/* Creates a listening socket there; -1: error. */
static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    unlink(path);
    return bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1) == 0 ? fd : -1;
}

/* A connection to the server; -1: none. */
static int call(const char *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    const int yes = 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

static void show(const char *who, const char *bytes, size_t n)
{
    static const char *last = "";
    size_t i;

    if (n == 0 || strcmp(who, last) != 0)
        fprintf(stderr, "%s%-6s ", *last == '\0' ? "" : "\n", who);
    last = who;
    for (i = 0; i < n; i++)
        if (bytes[i] == '\r')
            fputs("\\r", stderr);
        else if (bytes[i] == '\n')
            fputs("\\n", stderr);
        else
            fputc(bytes[i], stderr);
    fflush(stderr);
}

static int put(int to, const char *who, const char *bytes, size_t n)
{
    show(who, bytes, n);
    return write(to, bytes, n) == (ssize_t)n;
}

/* Returns how many bytes were moved; 0: one side has closed. */
static size_t move(int from, int to, const char *who, size_t most)
{
    char bytes[512];
    ssize_t n = read(from, bytes, most < sizeof bytes ? most : sizeof bytes);

    return n > 0 && put(to, who, bytes, (size_t)n) ? (size_t)n : 0;
}

/* Until one of them ends, or the server has sent this many bytes. */
static void lead(int board, int server, size_t left)
{
    struct pollfd p[2] = {{.fd = board, .events = POLLIN}, {.fd = server, .events = POLLIN}};
    int is_first = 1;

    while (left > 0 && poll(p, 2, -1) > 0) {
        if (p[0].revents != 0 && move(board, server, "board", 512) == 0)
            return;
        if (p[1].revents != 0) {
            size_t n;

            if (is_first && !put(board, "stale", stale, sizeof stale - 1))
                return;
            is_first = 0;
            n = move(server, board, "server", left);
            if (n == 0)
                return;
            left -= n;
        }
    }
}

int main(int argc, char **argv)
{
    static char buffer[4096];
    int listener = argc > 2 ? listen_at(argv[1]) : -1;

    signal(SIGPIPE, SIG_IGN);
    setvbuf(stderr, buffer, _IOFBF, sizeof buffer);
    if (listener < 0) {
        perror("bridge");
        return 1;
    }
    for (;;) {
        int board = accept(listener, NULL, NULL);
        int server = call(argv[2]);

        if (server >= 0) {
            lead(board, server, argc > 3 ? (size_t)atol(argv[3]) : SIZE_MAX);
            close(server);
        }
        show("cut", "", 0);
        close(board);
    }
}
