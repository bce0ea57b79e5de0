/* SPDX-License-Identifier: MIT */
/* servers.c - real servers for tests; see servers.h. */
#define _GNU_SOURCE
#include "tests/live/servers.h"

#include <arpa/inet.h>
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PORTS_TRIED = 20,
    PAUSE_MS = 5,
    START_PAUSES = 4000, /* 20 s: a loaded machine under valgrind */
    REPLY_S = 20
};

/* ---------------------------------------------------------------- processes */

pid_t live_fork(void)
{
    pid_t parent = getpid();
    pid_t pid;

    fflush(NULL);
    pid = fork();
    ck_assert_msg(pid >= 0, "fork: %s", strerror(errno));
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
    }
    return pid;
}

void live_reap(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0)
        ck_assert_msg(errno == EINTR, "waitpid: %s", strerror(errno));
}

int live_count_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    ck_assert_ptr_nonnull(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 3; /* ".", ".." and the directory itself */
}

static void pause_a_little(void)
{
    const struct timespec t = {0, PAUSE_MS * 1000000L};

    nanosleep(&t, NULL);
}

/* ---------------------------------------------------------------- the raw client */

static void set_timeout(int fd)
{
    const struct timeval t = {REPLY_S, 0};

    ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t), 0);
    ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t), 0);
}

/* A connected socket, or -1. */
static int dial(const struct live_server *s)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)s->port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_int_ge(fd, 0);
    set_timeout(fd);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (const struct sockaddr *)(const void *)&a, sizeof a) == 0)
        return fd;
    close(fd);
    return -1;
}

static int send_line(int fd, const char *line)
{
    char text[2048];
    int n = snprintf(text, sizeof text, "%s\r\n", line);

    ck_assert_int_lt(n, (int)sizeof text);
    return send(fd, text, (size_t)n, MSG_NOSIGNAL) == n;
}

/* Append n bytes of the reply to out[*len], 0 if they do not come. */
static int take(int fd, char *out, size_t *len, size_t n)
{
    ck_assert_msg(*len + n < LIVE_REPLY_MAX, "the reply is longer than %d bytes", LIVE_REPLY_MAX);
    while (n > 0) {
        ssize_t got = recv(fd, out + *len, n, 0);
        if (got <= 0)
            return 0;
        *len += (size_t)got;
        n -= (size_t)got;
    }
    out[*len] = '\0';
    return 1;
}

/* One value and, if it is an array, those in it. */
static int take_value(int fd, char *out, size_t *len)
{
    const char *line = out + *len;
    long n;

    do {
        if (!take(fd, out, len, 1))
            return 0;
    } while (out[*len - 1] != '\n');
    n = line[0] == '$' || line[0] == '*' ? strtol(line + 1, NULL, 10) : 0;
    if (line[0] == '$')
        return n < 0 || take(fd, out, len, (size_t)n + 2);
    for (; n > 0; n--)
        if (!take_value(fd, out, len))
            return 0;
    return 1;
}

static int ask(int fd, const char *line, char *out)
{
    size_t len = 0;

    out[0] = '\0';
    return send_line(fd, line) && take_value(fd, out, &len);
}

const char *live_command(struct live_server *s, const char *format, ...)
{
    char line[1024];
    va_list args;
    int fd = dial(s);
    int n;

    ck_assert_msg(fd >= 0, "no connection to port %d", s->port);
    if (s->password) {
        snprintf(line, sizeof line, "AUTH \"%s\"", s->password);
        ck_assert_msg(ask(fd, line, s->reply), "no answer to AUTH");
        ck_assert_str_eq(s->reply, "+OK\r\n");
    }
    va_start(args, format);
    n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ck_assert_int_lt(n, (int)sizeof line);
    ck_assert_msg(ask(fd, line, s->reply), "no answer to: %s", line);
    close(fd);
    return s->reply;
}

/* ---------------------------------------------------------------- starting */

/* A port that nobody listens on at this moment. */
static int free_port(void)
{
    struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    socklen_t len = sizeof a;
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_msg(fd >= 0, "no IPv6 here: %s", strerror(errno));
    ck_assert_msg(bind(fd, (struct sockaddr *)(void *)&a, len) == 0, "no ::1 here: %s", strerror(errno));
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)(void *)&a, &len), 0);
    close(fd);
    return ntohs(a.sin6_port);
}

static void make_dir(struct live_server *s)
{
    char cwd[LIVE_PATH_MAX - 30];

    ck_assert_msg(getcwd(cwd, sizeof cwd) != NULL, "getcwd: %s", strerror(errno));
    ck_assert_msg(mkdir("build", 0777) == 0 || errno == EEXIST, "build: %s", strerror(errno));
    snprintf(s->dir, sizeof s->dir, "%s/build/live-XXXXXX", cwd);
    ck_assert_msg(mkdtemp(s->dir) != NULL, "%s: %s", s->dir, strerror(errno));
    snprintf(s->socket, sizeof s->socket, "%s/s", s->dir);
    ck_assert_msg(strlen(s->socket) <= 107, "too long for a unix socket: %s", s->socket);
}

/* Which one a test means that names none. */
static const char *binary_of(const struct live_server *s)
{
    const char *chosen = getenv("RDL_SERVER");

    return s->binary ? s->binary : chosen ? chosen : "redis-server";
}

static void exec_server(const struct live_server *s)
{
    char port[8];
    const char *argv[LIVE_ARGS_MAX] = {binary_of(s),   "--port",  port,          "--bind", "127.0.0.1", "::1",
                                       "--unixsocket", s->socket, "--dir",       s->dir,   "--save",    "",
                                       "--appendonly", "no",      "--daemonize", "no"};
    size_t n = 16;
    char *words[LIVE_ARGS_MAX];
    const char *const *arg;
    char path[LIVE_PATH_MAX + 8];
    int log;

    snprintf(port, sizeof port, "%d", s->port);
    if (s->password) {
        argv[n++] = "--requirepass";
        argv[n++] = s->password;
    }
    for (arg = s->args; arg && *arg && n < LIVE_ARGS_MAX - 1; arg++)
        argv[n++] = *arg;
    snprintf(path, sizeof path, "%s/log", s->dir);
    log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    dup2(log, 1);
    dup2(log, 2);
    memcpy(words, argv, sizeof words); /* execvp promises to change none */
    execvp(words[0], words);
    _exit(127);
}

/* The end of the log, for the message of a failed test. */
static const char *log_text(const struct live_server *s)
{
    static char text[2048];
    char path[LIVE_PATH_MAX + 8];
    FILE *f;
    size_t n;

    snprintf(path, sizeof path, "%s/log", s->dir);
    f = fopen(path, "r");
    if (!f)
        return "(no log)";
    if (fseek(f, -(long)(sizeof text - 1), SEEK_END) != 0)
        rewind(f);
    n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    return text;
}

static int answers(struct live_server *s)
{
    int fd = dial(s);
    int ok;

    if (fd < 0)
        return 0;
    ok = ask(fd, "PING", s->reply);
    close(fd);
    return ok && (strncmp(s->reply, "+PONG", 5) == 0 || strncmp(s->reply, "-NOAUTH", 7) == 0 ||
                  (s->may_load && strncmp(s->reply, "-LOADING", 8) == 0));
}

/* 1: it answers; 0: it has ended by itself. */
static int run(struct live_server *s)
{
    int status;
    int i;

    s->pid = live_fork();
    if (s->pid == 0)
        exec_server(s);
    for (i = 0; i < START_PAUSES; i++) {
        if (waitpid(s->pid, &status, WNOHANG) == s->pid) {
            s->pid = 0;
            ck_assert_msg(!WIFEXITED(status) || WEXITSTATUS(status) != 127,
                          "%s is not here: `make deps` installs what the tests need", binary_of(s));
            return 0;
        }
        if (answers(s))
            return 1;
        pause_a_little();
    }
    ck_abort_msg("port %d: the server does not answer; its log:\n%s", s->port, log_text(s));
    return 0;
}

void live_start(struct live_server *s)
{
    int i;

    make_dir(s);
    for (i = 0; i < PORTS_TRIED; i++) { /* somebody else may take the port before the server does */
        s->port = free_port();
        if (run(s))
            return;
    }
    ck_abort_msg("the server does not start; its log:\n%s", log_text(s));
}

void live_restart(struct live_server *s)
{
    ck_assert_int_eq(s->pid, 0);
    if (!run(s))
        ck_abort_msg("port %d: the server does not start again; its log:\n%s", s->port, log_text(s));
}

/* ---------------------------------------------------------------- ending */

static void signal_server(const struct live_server *s, int signal)
{
    ck_assert_int_gt(s->pid, 0);
    ck_assert_int_eq(kill(s->pid, signal), 0);
}

static void end(struct live_server *s, int signal)
{
    signal_server(s, signal);
    live_reap(s->pid);
    s->pid = 0;
}

void live_kill(struct live_server *s)
{
    end(s, SIGKILL);
}

void live_stop(struct live_server *s)
{
    end(s, SIGTERM);
}

static void wait_for(const struct live_server *s, int change)
{
    int status = 0;

    while (waitpid(s->pid, &status, change) < 0)
        ck_assert_msg(errno == EINTR, "waitpid: %s", strerror(errno));
    ck_assert_msg(WIFSTOPPED(status) || WIFCONTINUED(status), "the server has ended by itself");
}

void live_freeze(struct live_server *s)
{
    signal_server(s, SIGSTOP);
    wait_for(s, WUNTRACED);
}

void live_thaw(struct live_server *s)
{
    signal_server(s, SIGCONT);
    wait_for(s, WCONTINUED);
}

void live_remove(struct live_server *s)
{
    struct dirent *entry;
    DIR *dir;

    if (s->pid > 0)
        live_kill(s);
    dir = opendir(s->dir);
    if (!dir)
        return;
    while ((entry = readdir(dir)) != NULL)
        unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
    ck_assert_msg(rmdir(s->dir) == 0, "%s: %s", s->dir, strerror(errno));
}

/* ---------------------------------------------------------------- where it is */

const char *live_url(const struct live_server *s, enum live_way way, char *out, size_t cap)
{
    const char *password = s->password ? s->password : "";
    const char *login = s->password ? ":" : "";
    const char *at = s->password ? "@" : "";
    const char *host = way == LIVE_V6 ? "[::1]" : "127.0.0.1";
    int n = way == LIVE_UNIX ? snprintf(out, cap, "unix://%s", s->socket)
                             : snprintf(out, cap, "redis://%s%s%s%s:%d", login, password, at, host, s->port);

    ck_assert_int_gt(n, 0);
    ck_assert_uint_lt((size_t)n, cap);
    return out;
}
