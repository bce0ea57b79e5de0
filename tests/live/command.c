/* SPDX-License-Identifier: MIT */
/* command.c - the command as tests run it; see command.h. */
#define _GNU_SOURCE
#include "tests/live/command.h"
#include "tests/live/servers.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 30000, PAUSE_MS = 5 };

static void pause_a_little(void)
{
    const struct timespec t = {0, PAUSE_MS * 1000000L};
    nanosleep(&t, NULL);
}

void command_add(struct command *c, const char *arg)
{
    size_t n = 0;
    while (c->args[n] != NULL)
        n++;
    ck_assert_uint_lt(n, COMMAND_ARGS - 1);
    c->args[n] = arg;
}

void command_add_all(struct command *c, const char *const args[])
{
    for (; *args != NULL; args++)
        command_add(c, *args);
}

void command_add_servers(struct command *c, const struct live_server *s, size_t n)
{
    static char url[32][LIVE_PATH_MAX]; /* borrowed by the command until it runs */
    static size_t used;

    for (size_t i = 0; i < n; i++) {
        used = (used + 1) % 32;
        command_add(c, "-u");
        command_add(c, live_url(&s[i], LIVE_V4, url[used], sizeof url[used]));
    }
}

void command_setenv(struct command *c, const char *entry)
{
    size_t n = 0;
    while (c->env[n] != NULL)
        n++;
    ck_assert_uint_lt(n, 7);
    c->env[n] = entry;
}

void command_set(struct command *c, const char *const options[], const struct live_server *s, size_t n,
                 const char *lock, const char *script)
{
    memset(c, 0, sizeof *c);
    command_add(c, "run");
    command_add_all(c, options);
    command_add_servers(c, s, n);
    command_add(c, lock);
    command_add(c, "-c");
    command_add(c, script);
}

/* ---------------------------------------------------------------- running it */

static int scratch(void)
{
    char path[] = "build/command.XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);

    ck_assert_msg(fd >= 0, "build/: %s", strerror(errno));
    unlink(path);
    return fd;
}

static char *copy(const char *text)
{
    char *p = strdup(text);
    if (p == NULL)
        abort();
    return p;
}

static void be_a_bad_parent(void)
{
    sigset_t blocked;

    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
}

static void become(struct command *c, const char *program, int note)
{
    char *argv[COMMAND_ARGS + 1] = {copy(program)};

    for (int i = 0; c->args[i] != NULL; i++)
        argv[i + 1] = copy(c->args[i]); /* the command writes on them */
    unsetenv("REDIS_URL");
    unsetenv("REDLOCK_URLS");
    unsetenv("REDLOCK_PASSWORD");
    unsetenv("REDISCLI_AUTH");
    /* with a password in it the command cannot be searched for leaks: no debugger may look into it */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    setenv("REDLOCK_RESTART_GUARD", "off", 1); /* the servers of tests have just started */
    for (int i = 0; c->env[i] != NULL; i++)
        putenv(copy(c->env[i]));
    dup2(c->out_fd, STDOUT_FILENO);
    dup2(c->err_fd, STDERR_FILENO);
    dup2(note, COMMAND_NOTE_FD);
    fcntl(COMMAND_NOTE_FD, F_SETFD, 0); /* it may have had that number before: then dup2 changes nothing */
    if (c->is_started_badly)
        be_a_bad_parent();
    if (c->uid != 0 && (setgroups(0, NULL) != 0 || setgid(c->uid) != 0 || setuid(c->uid) != 0))
        _exit(127);
    setsid(); /* no terminal: its signals are not for the command */
    execv(program, argv);
    _exit(127);
}

void command_start(struct command *c)
{
    const char *program = getenv("RDL_COMMAND");
    int note[2];

    ck_assert_msg(program != NULL, "RDL_COMMAND is not set: run the tests with make");
    c->out_fd = scratch();
    c->err_fd = scratch();
    ck_assert_int_eq(pipe2(note, O_CLOEXEC), 0);
    c->pid = live_fork();
    if (c->pid == 0)
        become(c, program, note[1]);
    close(note[1]);
    c->note_fd = note[0];
}

static void take(int fd, char text[COMMAND_TEXT])
{
    ssize_t n = pread(fd, text, COMMAND_TEXT - 1, 0);
    ck_assert_int_ge((int)n, 0);
    text[n] = '\0';
}

int command_end(struct command *c)
{
    int status;

    while (waitpid(c->pid, &status, 0) < 0)
        ck_assert_int_eq(errno, EINTR);
    take(c->out_fd, c->out);
    take(c->err_fd, c->err);
    close(c->out_fd);
    close(c->err_fd);
    c->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    ck_assert_msg(c->status != 128 + SIGABRT, "the command aborted: %s", c->err);
    return c->status;
}

int command_run(struct command *c)
{
    command_start(c);
    command_end(c);
    close(c->note_fd);
    return c->status;
}

/* ---------------------------------------------------------------- what it says meanwhile */

/* One byte, or 0 at the end. */
static char note_byte(struct command *c)
{
    struct pollfd p = {c->note_fd, POLLIN, 0};
    char byte = 0;

    ck_assert_msg(poll(&p, 1, WAIT_MS) == 1, "the command's process says nothing: %s", command_err_so_far(c));
    return read(c->note_fd, &byte, 1) == 1 ? byte : '\0';
}

static int note_line(struct command *c, char *line, size_t cap)
{
    size_t n = 0;

    for (;;) {
        char byte = note_byte(c);
        if (byte == '\0' || byte == '\n') {
            line[n] = '\0';
            return byte == '\n';
        }
        ck_assert_uint_lt(n, cap - 1);
        line[n++] = byte;
    }
}

const char *command_note(struct command *c)
{
    static char line[256];
    ck_assert_msg(note_line(c, line, sizeof line), "no line from the command's process: %s",
                  command_err_so_far(c));
    return line;
}

int command_is_silent(struct command *c)
{
    struct pollfd p = {c->note_fd, POLLIN, 0};
    return poll(&p, 1, 0) == 0;
}

const char *command_last_note(struct command *c)
{
    static char last[256], line[256];
    int any = 0;

    while (note_line(c, line, sizeof line)) {
        memcpy(last, line, sizeof last);
        any = 1;
    }
    return any ? last : NULL;
}

const char *command_err_so_far(struct command *c)
{
    take(c->err_fd, c->err);
    return c->err;
}

void command_await_err(struct command *c, const char *text)
{
    for (int ms = 0; ms < WAIT_MS; ms += PAUSE_MS) {
        if (strstr(command_err_so_far(c), text) != NULL)
            return;
        pause_a_little();
    }
    ck_abort_msg("never said \"%s\": %s", text, c->err);
}

/* Dead; whether its parent has noticed is not our business. */
static int is_gone(pid_t pid)
{
    char path[64], state = 'Z';

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return 1;
    int n = fscanf(f, "%*d (%*[^)]) %c", &state);
    fclose(f);
    return n != 1 || state == 'Z' || state == 'X';
}

void command_await_gone(pid_t pid)
{
    for (int ms = 0; ms < WAIT_MS && !is_gone(pid); ms += PAUSE_MS)
        pause_a_little();
    ck_assert_msg(is_gone(pid), "process %ld still runs", (long)pid);
}

const char *command_last_note_of(struct command *c, pid_t pid)
{
    static char last[256], line[256];
    struct pollfd p = {c->note_fd, POLLIN, 0};

    while (poll(&p, 1, PAUSE_MS) == 1 || !is_gone(pid)) {
        if (p.revents != 0 && note_line(c, line, sizeof line))
            memcpy(last, line, sizeof last);
    }
    return last;
}
