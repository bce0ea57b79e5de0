/* SPDX-License-Identifier: MIT */
/*
 * port_main.c [SECONDS [first]] - runs a driver through the cases, each in a process of its own, and prints
 * the rule that it breaks. A case may take SECONDS (30). With first, it ends after the first case that fails.
 * Exit status 0: none; 1: some; 2: the check itself does not run.
 */
#define _GNU_SOURCE
#include "tests/port/port.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct port_shared *port_shared;
int port_number, port_listener;
static struct rdl_platform platform;
static struct sockaddr_in address;

/* ---------------------------------------------------------------- findings */

void port_broken(enum port_rule rule, const char *seen, ...)
{
    va_list args;

    if (port_shared->is_broken) /* the other side was first */
        _exit(1);
    va_start(args, seen);
    vsnprintf(port_shared->seen, sizeof port_shared->seen, seen, args);
    va_end(args);
    port_shared->rule = (int)rule;
    port_shared->is_broken = 1;
    _exit(1);
}

void port_expect(enum port_rule rule, const char *seen)
{
    if (port_shared->is_broken) /* the peer has seen it */
        _exit(1);
    snprintf(port_shared->seen, sizeof port_shared->seen, "%s", seen);
    port_shared->rule = (int)rule;
}

/* ---------------------------------------------------------------- the driver's side */

void port_turn(struct port_conn *const *conns, unsigned n, uint64_t ms)
{
    struct rdl_conn *list[8];
    unsigned long before[8];
    uint64_t now = port_now_ms();
    int rc;

    for (unsigned i = 0; i < n; i++) {
        list[i] = &conns[i]->conn;
        before[i] = conns[i]->in.at;
    }
    rc = platform.poll(platform.ctx, list, n, ms > UINT64_MAX - now ? UINT64_MAX : now + ms, 0);
    if (port_shared->is_broken) /* the peer has seen it */
        _exit(1);
    if (rc != RDL_OK)
        port_broken(PORT_OTHERS, "poll returned %d", rc);
    for (unsigned i = 0; i < n; i++)
        if (conns[i]->in.at > before[i] + PORT_TURN_BYTES)
            port_broken(PORT_TURNS, "one poll passed on %lu bytes to one conn", conns[i]->in.at - before[i]);
}

uint64_t port_now_ms(void)
{
    return rdl_now(&platform);
}

void port_random(void *buf, size_t len)
{
    int rc = platform.random(platform.ctx, buf, len);

    if (rc != RDL_OK)
        port_broken(PORT_RANDOM, "random returned %d", rc);
}

void port_let(void)
{
    port_shared->go++;
}

void port_wait_step(int step)
{
    const struct timespec ms = {0, 1000000};

    while (port_shared->step < step)
        nanosleep(&ms, NULL);
}

/* ---------------------------------------------------------------- sockets */

static int bound(struct sockaddr_in *a)
{
    const int small = 4096;
    socklen_t len = sizeof *a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    memset(a, 0, sizeof *a);
    a->sin_family = AF_INET;
    a->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small,
               sizeof small); /* so the driver meets a transport that takes few bytes at a time */
    if (fd < 0 || bind(fd, (const struct sockaddr *)(const void *)a, sizeof *a) != 0 ||
        getsockname(fd, (struct sockaddr *)(void *)a, &len) != 0) {
        perror("check-port: a port on 127.0.0.1");
        exit(2);
    }
    return fd;
}

int port_connect_nobody(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    (void)!connect(fd, (const struct sockaddr *)(const void *)&address, sizeof address);
    return fd;
}

/* Bound for as long as this process runs: no other process gets the port. */
int port_free_number(void)
{
    static struct sockaddr_in nobody;
    static int fd = -1;

    if (fd < 0)
        fd = bound(&nobody);
    return ntohs(nobody.sin_port);
}

/* ---------------------------------------------------------------- one case */

static void play(const struct port_case *c)
{
    pid_t peer = 0;

    port_listener = bound(&address);
    port_number = ntohs(address.sin_port);
    (void)port_free_number();
    if (c->peer != NULL) {
        listen(port_listener, 128);
        peer = fork();
    }
    if (peer == 0 && c->peer != NULL) {
        c->peer(port_listener);
        _exit(0);
    }
    if (c->peer != NULL)
        close(port_listener);
    port_driver(&platform);
    c->driver();
    _exit(0);
}

/* Returns 1 if a process is wrong. All processes of a case are one group, which ends with it. */
static int run(const struct port_case *c, unsigned seconds)
{
    int status = 0;
    pid_t pid;

    memset(port_shared, 0, sizeof *port_shared);
    port_expect(PORT_UNTIL, "a function of the driver does not return"); /* until the case expects more */
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGALRM, SIG_DFL);
        alarm(seconds);
        play(c);
    }
    waitpid(pid, &status, 0);
    kill(-pid, SIGKILL);
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGALRM) {
        port_shared->rule = PORT_SIGNALS;
        snprintf(port_shared->seen, sizeof port_shared->seen, "it died of signal %d", WTERMSIG(status));
    }
    if (status == 0) {
        printf("ok      %s\n", c->name);
        return 0;
    }
    printf("BROKEN  %s: %s\n        rule %d: %s\n", c->name, port_shared->seen, port_shared->rule,
           port_rule_text((enum port_rule)port_shared->rule));
    return 1;
}

int main(int argc, char **argv)
{
    unsigned seconds = argc > 1 ? (unsigned)atoi(argv[1]) : 30;
    int is_first = argc > 2, broken = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    port_shared = mmap(NULL, sizeof *port_shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (port_shared == MAP_FAILED)
        return 2;
    for (unsigned i = 0; i < port_n_cases && !(broken && is_first); i++)
        broken += run(&port_cases[i], seconds);
    printf("%u cases of %u rules, %d broken\n", port_n_cases, (unsigned)PORT_RULES - 1, broken);
    return broken > 0;
}
