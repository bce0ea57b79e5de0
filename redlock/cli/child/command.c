/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/child/command.h"
#include "redlock/cli/child/child.h"
#include "redlock/cli/child/guardian.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/redlock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static int gave_terminal;
static int failure_fd = -1; /* gets a byte if exec fails; exec closes the other end */

/* Sets the command's variables. Inherited values never remain: an inner lock must not see the outer one's. */
static void set_environment(const struct rdl_cli_lock *l)
{
    uint64_t fence = rdl_cli_lease_fence(l);
    char text[24];

    unsetenv("REDLOCK_ID");
    unsetenv("REDLOCK_FENCE");
    unsetenv("REDLOCK_SLOT");
    setenv("REDLOCK_LOCK", l->o->lock, 1);
    snprintf(text, sizeof text, "%lu", (unsigned long)l->o->ttl_ms);
    setenv("REDLOCK_TTL_MS", text, 1);
    if (l->o->legacy == RDL_CLI_LEGACY_NEVER) { /* with the old protocol it changes */
        snprintf(text, sizeof text, "%08" PRIx32, rdl_cli_lease_id(l));
        setenv("REDLOCK_ID", text, 1);
    }
    snprintf(text, sizeof text, "%" PRIu64, fence);
    if (fence != 0)
        setenv("REDLOCK_FENCE", text, 1);
    snprintf(text, sizeof text, "%u", l->slots.slot);
    if (l->o->slots != 0)
        setenv("REDLOCK_SLOT", text, 1);
    if (l->o->connect_command != NULL)
        setenv("REDLOCK_CONNECT_COMMAND", l->o->connect_command, 1);
    if (rdl_cli_servers_set_urls(l->servers, l->o) != 0)
        unsetenv("REDLOCK_URLS"); /* an inner redlock then refuses the default server */
    rdl_cli_secret_set_files(l->o);
}

static void become(const struct rdl_cli_lock *l, struct rdl_cli_guardian *g, pid_t parent, uint64_t until_ms,
                   int failure)
{
    char *const *command = l->o->command;
    sigset_t none;

    rdl_cli_forget_kept();
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0L, 0L, 0L);
#endif
    if (getppid() != parent)
        _exit(RDL_EXIT_LOST); /* it died before the line above */
    rdl_cli_guardian_update(g, -getpid(), until_ms);
    set_environment(l);
    rdl_cli_unharden();
    rdl_cli_signals_restore();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    rdl_cli_guardian_wait(g, until_ms - rdl_cli_margin_ms(l->o->ttl_ms)); /* not before: forks overlap */
    if (rdl_posix_now_ms() >= until_ms) { /* redlock was stopped, or the host slept, since the grant */
        rdl_cli_print_error("%s is lost: its lease expired before the command could be started", l->o->lock);
        rdl_cli_flush(RDL_CLI_LAST_WORDS_MS);
        _exit(RDL_EXIT_LOST);
    }
    execvp(command[0], command);
    int saved = errno;
    (void)!write(failure, "", 1);
    rdl_cli_print_error("cannot run the command %s (the lock is %s): %s", command[0], l->o->lock,
                        saved == ENOENT ? "command not found" : strerror(saved));
    rdl_cli_flush(RDL_CLI_LAST_WORDS_MS);
    _exit(saved == ENOENT ? RDL_EXIT_NOT_FOUND : RDL_EXIT_CANNOT_RUN);
}

/* Finds the program as execvp does. Returns 0 or -1. */
static int find_program(const char *name, struct stat *st)
{
    const char *dirs = getenv("PATH");
    char path[4096];

    if (strchr(name, '/') != NULL)
        return stat(name, st);
    for (const char *dir = dirs != NULL ? dirs : "/bin:/usr/bin"; dir != NULL; dir = strchr(dir, ':')) {
        dir += *dir == ':';
        size_t len = strcspn(dir, ":");
        int n = snprintf(path, sizeof path, "%.*s%s%s", (int)len, dir, len > 0 ? "/" : "", name);
        if (n < (int)sizeof path && stat(path, st) == 0 && S_ISREG(st->st_mode) && access(path, X_OK) == 0)
            return 0;
    }
    return -1;
}

/* Programs that give the work to a daemon, or to another host. */
static const char *const agents[] = {"docker", "podman", "ssh", "kubectl", "systemd-run", "at", "batch"};

static void note_agent(const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash != NULL ? slash + 1 : program;

    for (size_t i = 0; i < sizeof agents / sizeof agents[0]; i++)
        if (strcmp(name, agents[i]) == 0)
            rdl_cli_print_info(
                "%s gives the work to another process or host, which cannot be stopped when the lease "
                "expires; run redlock there instead",
                name);
}

void rdl_cli_child_check_program(const struct rdl_cli_options *o)
{
    struct stat st;

    note_agent(o->command[0]);

    if (geteuid() == 0 || find_program(o->command[0], &st) != 0)
        return;
    if ((st.st_mode & S_ISUID) != 0 && st.st_uid != geteuid())
        rdl_cli_print_warning(
            "%s is set-user-ID: what it runs as another user cannot be stopped when the lease "
            "expires; run redlock as that user instead",
            o->command[0]);
}

pid_t rdl_cli_child_start(const struct rdl_cli_lock *l, struct rdl_cli_guardian *g)
{
    uint64_t until_ms = rdl_cli_lease_until_ms(l);
    sigset_t all, before;
    pid_t parent = getpid();
    int failure[2];

    if (rdl_cli_process_pipe(failure, 0) != 0)
        return -1;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before); /* before its exec, the child has our handlers and our pipe */
    pid_t pid = fork();
    if (pid == 0)
        become(l, g, parent, until_ms, failure[1]);
    int saved = errno;
    close(failure[1]);
    rdl_cli_guardian_wait(g, 0);
    failure_fd = failure[0];
    if (pid > 0)
        setpgid(pid, pid); /* the child does it, too; signals may be forwarded from here on */
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return pid;
}

int rdl_cli_child_was_run(void)
{
    char byte;

    return read(failure_fd, &byte, 1) != 1;
}

int rdl_cli_child_kill(pid_t group, int sig)
{
    return kill(-group, sig) == 0 || errno != EPERM;
}

int rdl_cli_child_group_is_empty(pid_t group)
{
    return kill(-group, 0) != 0 && errno == ESRCH;
}

/* ---------------------------------------------------------------- the terminal */

static int give_terminal(pid_t from, pid_t to)
{
    int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    int rc = -1;

    if (fd < 0)
        return -1;
    if (tcgetpgrp(fd) == from)
        rc = tcsetpgrp(fd, to); /* SIGTTOU is ignored */
    close(fd);
    return rc;
}

/*
 * The command gets the terminal when it first reads from it (SIGTTIN) or changes its settings (SIGTTOU), and
 * not before. Until then Ctrl-C reaches the whole pipeline or script that redlock is part of, as without
 * redlock.
 */
void rdl_cli_child_stopped(pid_t group, int sig)
{
    if (sig == SIGTTIN || sig == SIGTTOU) {
        if (give_terminal(getpgrp(), group) == 0) {
            gave_terminal = 1;
            rdl_cli_child_kill(group, SIGCONT);
        }
        return;
    }
    rdl_cli_child_take_terminal(group);
    rdl_cli_print_warning(
        "the command is stopped and still holds the lock: continue it with Ctrl-Z or kill -CONT %ld",
        (long)getpid());
}

void rdl_cli_child_take_terminal(pid_t group)
{
    if (gave_terminal)
        give_terminal(group, getpgrp());
    gave_terminal = 0;
}
