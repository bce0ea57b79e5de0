/* SPDX-License-Identifier: MIT */
/*
 * A process for each connection to a rediss:// server. It speaks TLS, for example, and has one end of a
 * socket pair as its standard input and output. Its standard error is read here. The most informative line
 * of it is the reason why the connection failed or ended.
 *
 * The process lives as long as its connection: if either ends, so does the other. It has a process group of
 * its own, which is killed, and inherits nothing of ours. If redlock is killed, it is killed, too.
 *
 * Conns are opened in poll, so all of this is done around the poll.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/connect_command.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/passwords.h"
#include "redlock/redlock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SAID_MAX = 160,
    HEAR_MS = 20,  /* how often to read from one that connects: a full pipe would stop it */
    READS = 16,    /* reads in a row: endless output must not stop us */
    STATUS_MS = 20 /* how long to wait for the exit status of one that closed its side */
};

/* How informative a line is. */
enum worth { NOTHING, WORDS, AN_ERROR };

/* The process of conn i. */
struct connection {
    pid_t pid; /* until the process is reaped; 0: none */
    int is_on; /* its conn uses the descriptor that it got */
    int was_ready;
    int has_status, status; /* after its end */
    int err_fd;
    char line[SAID_MAX]; /* the line that is being read */
    size_t len;
    char heard[SAID_MAX]; /* the best line so far */
    enum worth worth;
    char said[SAID_MAX + 40]; /* about the connection that ended last */
};

static struct connection connections[RDL_CLI_CONNS];

static struct rdl_cli_servers *servers;
static const char *command;
static struct rdl_cli_program program; /* for the connection that is being made */
static int (*poll_sockets)(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms,
                           unsigned flags);

/* ---------------------------------------------------------------- its output */

/*
 * Shortens OpenSSL's format, 40D7CB9E9F7F0000:error:0A000086:SSL routines:FUNCTION:REASON:FILE:LINE:MORE, to
 * the reason and what follows it.
 */
static void shorten(char *line)
{
    const char *field[9];
    size_t n = 0;

    for (const char *p = line; p != NULL && n < 9; p = strchr(p, ':')) {
        p += n > 0;
        field[n++] = p;
    }
    if (n < 8 || strspn(line, "0123456789ABCDEF") == 0 || strncmp(field[1], "error:", 6) != 0)
        return;
    size_t reason = (size_t)(field[6] - field[5]) - 1, more = n == 9 ? strlen(field[8]) : 0;
    char words[SAID_MAX];
    snprintf(words, sizeof words, "%.*s%s%.*s", (int)reason, field[5], more > 0 ? ": " : "", (int)more,
             more > 0 ? field[8] : "");
    memcpy(line, words, strlen(words) + 1);
}

static int has_error(const char *line)
{
    for (; *line != '\0'; line++)
        if (strncasecmp(line, "error", 5) == 0)
            return 1;
    return 0;
}

/* Keeps the first line with "error", which caused the later ones; without one, the last line. */
static void take_line(struct connection *k)
{
    enum worth worth = has_error(k->line) ? AN_ERROR : k->len > 0 ? WORDS : NOTHING;

    k->line[k->len] = '\0';
    if (k->len == sizeof k->line - 1) /* there may have been more */
        memcpy(k->line + k->len - 3, "...", 3);
    k->len = 0;
    if (worth < k->worth || worth == NOTHING || (worth == AN_ERROR && k->worth == AN_ERROR))
        return;
    k->worth = worth;
    shorten(k->line);
    memcpy(k->heard, k->line, sizeof k->heard);
}

/* Reads what has arrived. The rest of a long line, and bytes that are no text, are dropped. */
static void hear(struct connection *k)
{
    char bytes[1024];

    for (int i = 0; i < READS; i++) {
        ssize_t n = read(k->err_fd, bytes, sizeof bytes);
        if (n <= 0)
            return;
        for (ssize_t b = 0; b < n; b++) {
            if (bytes[b] == '\n')
                take_line(k);
            else if (bytes[b] != '\r' && k->len < sizeof k->line - 1)
                k->line[k->len++] = bytes[b] >= ' ' && bytes[b] <= '~' ? bytes[b] : '?';
            k->line[k->len] = '\0';
        }
    }
}

/* Prints "openssl: ...", once. */
static void say_heard(struct connection *k)
{
    const char *name = rdl_cli_program_name(&program);
    size_t len = strlen(name);
    int is_named = strncmp(k->heard, name, len) == 0 && k->heard[len] == ':';
    struct rdl_cli_text t = {k->said, sizeof k->said, 0};

    rdl_cli_add(&t, "%s%s", is_named ? "" : name, is_named ? "" : ": ");
    rdl_cli_add(&t, "%s", k->heard);
}

/* Records why a connection ended; "": the error is reason enough. */
static void say(struct connection *k, int error)
{
    struct rdl_cli_text t = {k->said, sizeof k->said, 0};
    int is_foreign = error == RDL_E_SYNTAX || error == RDL_E_LIMIT || error == RDL_E_UNEXPECTED;

    k->said[0] = '\0';
    if (k->worth == AN_ERROR || (k->worth == WORDS && !is_foreign))
        say_heard(k);
    else if (is_foreign && !k->was_ready)
        rdl_cli_add(&t, "its connect command wrote something that is not a reply of a server");
    else if (k->has_status && WIFSIGNALED(k->status))
        rdl_cli_add(&t, "its connect command was killed by signal %d", WTERMSIG(k->status));
    else if (k->has_status)
        rdl_cli_add(&t, "its connect command exited with status %d", WEXITSTATUS(k->status));
}

const char *rdl_cli_connect_said(size_t i)
{
    struct connection *k = &connections[i];

    if (k->is_on && rdl_conn_state(&servers->conn[i]) == RDL_CONN_FAILED) { /* closed, and not polled since */
        hear(k);
        say(k, rdl_conn_error(&servers->conn[i]));
    }
    return k->said;
}

/* ---------------------------------------------------------------- its end */

/* Reads the exit status without reaping: the group keeps its id until it was killed. */
static void look_how_it_ended(struct connection *k)
{
    siginfo_t info;

    memset(&info, 0, sizeof info);
    if (k->pid <= 0 || waitid(P_PID, (id_t)k->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0)
        return;
    k->has_status = 1;
    k->status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
}

void rdl_cli_connect_reaped(pid_t pid, int status)
{
    for (size_t i = 0; i < RDL_CLI_CONNS; i++) {
        struct connection *k = &connections[i];
        if (k->pid != pid)
            continue;
        kill(-pid, SIGKILL); /* its remaining processes */
        k->pid = 0;
        k->has_status = 1;
        k->status = status;
    }
}

/* Ends the process after its conn has closed. If the process ended first, its status is the reason. */
static void end(struct connection *k, struct rdl_conn *c)
{
    int error = rdl_conn_error(c);

    for (int ms = 0; error == RDL_E_CLOSED && ms < STATUS_MS && !k->has_status; ms++) {
        if (ms > 0)
            rdl_cli_process_pause_1_ms();
        look_how_it_ended(k);
    }
    hear(k);
    if (k->len > 0)
        take_line(k);
    say(k, error);
    rdl_cli_process_end(&k->pid);
    close(k->err_fd);
    k->is_on = 0;
    if (error == RDL_E_CLOSED && !k->was_ready)
        rdl_conn_closed(c, RDL_E_CONNECT); /* it never reached the server */
}

void rdl_cli_connect_end(void)
{
    for (size_t i = 0; i < RDL_CLI_CONNS; i++)
        rdl_cli_process_end(&connections[i].pid);
}

/* ---------------------------------------------------------------- its beginning */

/* Kills the group, from a process of its own, when the pipe has no reader any more. */
static void watch_the_reader(void)
{
    struct pollfd p = {STDERR_FILENO, 0, 0};

    if (fork() != 0)
        return;
    rdl_cli_process_holds_only(STDERR_FILENO);
    while (poll(&p, 1, -1) <= 0 || (p.revents & (POLLERR | POLLNVAL)) == 0) {
    }
    kill(0, SIGKILL);
    _exit(0);
}

/* Some systems kill our child when we die, but none kills that child's children. */
static int is_to_be_watched(void)
{
#ifdef __linux__
    return program.is_shell;
#else
    return 1;
#endif
}

static void become_command(pid_t parent, int socket, int words)
{
    rdl_cli_process_ends_with(parent, "redlock-connect");
    if (dup2(socket, STDIN_FILENO) < 0 || dup2(socket, STDOUT_FILENO) < 0 || dup2(words, STDERR_FILENO) < 0)
        _exit(RDL_EXIT_OS);
    rdl_cli_process_holds_stdio();
    if (is_to_be_watched())
        watch_the_reader();
    rdl_cli_unharden();
    unsetenv("REDLOCK_TOKEN");
    execvp(program.argv[0], program.argv);
    const char *why = errno == ENOENT ? "not found" : strerror(errno);
    (void)!write(STDERR_FILENO, why, strlen(why));
    _exit(RDL_EXIT_NOT_FOUND);
}

/* Returns the pid, or -1 with errno. */
static pid_t start_between(const int socket[2], const int words[2])
{
    pid_t parent = getpid();

    for (int i = 0; i < 2; i++) {
        fcntl(socket[i], F_SETFD, FD_CLOEXEC);
        fcntl(words[i], F_SETFD, FD_CLOEXEC);
    }
    fcntl(words[0], F_SETFL, O_NONBLOCK);
    pid_t pid = rdl_cli_process_fork();
    if (pid == 0)
        become_command(parent, socket[1], words[1]);
    return pid;
}

/* Returns our end of the socket pair, or -1 with errno. */
static int start(struct connection *k)
{
    int socket[2], words[2], saved;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, socket) != 0)
        return -1;
    if (pipe(words) != 0) {
        saved = errno;
        close(socket[0]);
        close(socket[1]);
        errno = saved;
        return -1;
    }
    k->pid = start_between(socket, words);
    saved = errno;
    close(socket[1]);
    close(words[1]);
    if (k->pid > 0) {
        k->err_fd = words[0];
        return socket[0];
    }
    k->pid = 0;
    close(socket[0]);
    close(words[0]);
    errno = saved;
    return -1;
}

static void open_conn(struct connection *k, struct rdl_conn *c, size_t i)
{
    const struct rdl_endpoint *ep = &servers->endpoint[i];
    int fd = -1;

    rdl_cli_process_reap(&k->pid);
    if (k->pid > 0) { /* the last process does not end: start no more */
        rdl_conn_closed(c, RDL_E_SYSTEM);
        return;
    }
    (void)rdl_cli_program_make(&program, command, ep->host,
                               ep->port); /* it was checked before that this works */
    fd = start(k);
    if (fd < 0) {
        snprintf(k->said, sizeof k->said, "cannot start its connect command: %s", strerror(errno));
        rdl_conn_closed(c, RDL_E_SYSTEM);
        return;
    }
    k->is_on = 1;
    k->was_ready = k->has_status = 0;
    k->len = 0;
    k->worth = NOTHING;
    rdl_posix_opened(c, fd);
}

/* ---------------------------------------------------------------- poll */

/* Returns 1 if something was done. */
static int before(struct rdl_conn *c)
{
    size_t i = (size_t)(c - servers->conn);

    if (!servers->is_tls[i] || (rdl_conn_wants(c) & RDL_WANT_OPEN) == 0)
        return 0;
    open_conn(&connections[i], c, i);
    return 1;
}

static void behind(struct rdl_conn *c)
{
    struct connection *k = &connections[c - servers->conn];

    if (!k->is_on)
        return;
    hear(k);
    if (rdl_conn_state(c) == RDL_CONN_READY && !k->was_ready) {
        k->was_ready = 1;
        k->worth = NOTHING; /* what it printed is no reason for later failures */
        k->said[0] = '\0';
    }
    if (rdl_posix_fd(c) < 0)
        end(k, c);
}

static int is_connecting(const struct rdl_conn *c)
{
    const struct connection *k = &connections[c - servers->conn];

    return k->is_on && !k->was_ready;
}

static int poll_all(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    uint64_t hear_ms = rdl_posix_now_ms() + HEAR_MS;
    int did = 0, rc;

    for (size_t i = 0; i < n; i++)
        did |= before(conns[i]);
    for (size_t i = 0; i < n; i++)
        until_ms = is_connecting(conns[i]) && hear_ms < until_ms ? hear_ms : until_ms;
    rc = poll_sockets(ctx, conns, n, did ? 0 : until_ms, flags);
    for (size_t i = 0; i < n; i++)
        behind(conns[i]);
    return rc;
}

void rdl_cli_connect_open(struct rdl_cli_servers *s, const struct rdl_cli_options *o,
                          struct rdl_platform *platform)
{
    int n = 0;

    for (size_t i = 0; i < RDL_CLI_CONNS; i++)
        n += s->is_tls[i];
    if (n == 0)
        return;
    servers = s;
    command = o->connect_command;
    poll_sockets = platform->poll;
    platform->poll = poll_all;
}
