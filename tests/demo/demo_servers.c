/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "tests/demo/demo.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { START_MS = 5000, TRIES = 5 };

pid_t demo_fork(void)
{
    pid_t parent = getpid();
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0L, 0L, 0L);
#endif
    if (getppid() != parent)
        _exit(1);
    return 0;
}

static struct sockaddr_in loopback(int port)
{
    struct sockaddr_in a;
    memset(&a, 0, sizeof a);
    a.sin_family = AF_INET;
    a.sin_port = htons((uint16_t)port);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return a;
}

/* A port that is free at the moment; -1: none. */
static int free_port(void)
{
    struct sockaddr_in a = loopback(0);
    socklen_t len = sizeof a;
    int port = -1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd >= 0 && bind(fd, (struct sockaddr *)&a, len) == 0 &&
        getsockname(fd, (struct sockaddr *)&a, &len) == 0)
        port = ntohs(a.sin_port);
    close(fd);
    return port;
}

static int listens(int port)
{
    struct sockaddr_in a = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int rc = fd >= 0 ? connect(fd, (struct sockaddr *)&a, sizeof a) : -1;
    close(fd);
    return rc == 0;
}

static void become_server(const struct servers *s, int i)
{
    char port[16], dir[PATH_LEN + 16];
    int null = open("/dev/null", O_RDWR);

    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    snprintf(port, sizeof port, "%d", s->port[i]);
    snprintf(dir, sizeof dir, "%s/%d", s->dir, i + 1);
    if (s->is_standin)
        execl(s->program, s->program, port, (char *)NULL);
    else
        execl(s->program, s->program, "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly",
              "no", "--daemonize", "no", "--dir", dir, (char *)NULL);
    _exit(127);
}

int demo_server_start(struct servers *s, int i)
{
    pid_t pid = demo_fork();

    if (pid == 0)
        become_server(s, i);
    if (pid < 0)
        return -1;
    for (int ms = 0; ms < START_MS; ms += 5) {
        if (waitpid(pid, NULL, WNOHANG) == pid)
            return -1; /* another program took the port */
        if (listens(s->port[i])) {
            s->pid[i] = pid;
            return 0;
        }
        demo_sleep_us(5000);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return -1;
}

void demo_server_kill(struct servers *s, int i)
{
    if (s->pid[i] <= 0)
        return;
    kill(s->pid[i], SIGKILL);
    waitpid(s->pid[i], NULL, 0);
    s->pid[i] = 0;
}

void demo_servers_kill(struct servers *s)
{
    for (int i = 0; i < SERVERS; i++)
        demo_server_kill(s, i);
}

/* Search for a program in PATH. Returns 0 or -1. */
static int find(const char *name, char out[PATH_LEN])
{
    const char *path = getenv("PATH");

    while (path != NULL && *path != '\0') {
        size_t len = strcspn(path, ":");
        snprintf(out, PATH_LEN, "%.*s/%s", (int)len, path, name);
        if (access(out, X_OK) == 0)
            return 0;
        path += len + (path[len] == ':');
    }
    return -1;
}

static void choose(struct servers *s, const char *program_dir, int use_standin)
{
    static const char *const names[] = {"redis-server", "valkey-server"};

    for (int i = 0; i < 2 && !use_standin; i++) {
        s->what = names[i];
        if (find(names[i], s->program) == 0)
            return;
    }
    s->what = "stand-in of the test suite (in memory; no redis-server here)";
    s->is_standin = 1;
    snprintf(s->program, sizeof s->program, "%s/standin", program_dir);
}

int demo_servers_start(struct servers *s, const char *dir, const char *program_dir, int use_standin)
{
    char path[PATH_LEN + 16];

    memset(s, 0, sizeof *s);
    snprintf(s->dir, sizeof s->dir, "%s", dir);
    choose(s, program_dir, use_standin);
    for (int i = 0; i < SERVERS; i++) {
        int rc = -1;
        snprintf(path, sizeof path, "%s/%d", dir, i + 1);
        mkdir(path, 0700);
        for (int k = 0; k < TRIES && rc != 0; k++) {
            s->port[i] = free_port();
            rc = demo_server_start(s, i);
        }
        if (rc != 0) {
            fprintf(stderr, "demo: cannot start %s\n", s->program);
            demo_servers_kill(s);
            return -1;
        }
    }
    return 0;
}
