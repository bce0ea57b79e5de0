/* SPDX-License-Identifier: MIT */
/* Signals as bytes in a pipe, so that the one event loop reads them like everything else. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/*
 * All signals that a person, a service manager or a container may send: one of them, or of those of real
 * time, may be the command's stop signal. Those that report a fault of this process are not caught.
 */
static const int named[] = {
    SIGHUP,   SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,   SIGUSR2, SIGTSTP,
    SIGCONT,  SIGCHLD, SIGALRM, SIGPROF, SIGVTALRM, SIGXCPU,
#ifdef SIGWINCH
    SIGWINCH,
#endif
#ifdef SIGIO
    SIGIO,
#endif
#ifdef SIGPWR
    SIGPWR,
#endif
};
static const int ignored[] = {SIGPIPE, SIGTTOU, SIGXFSZ}; /* about writing, and the terminal */

enum {
    NAMED = sizeof named / sizeof named[0],
    IGNORED = sizeof ignored / sizeof ignored[0],
    REAL_TIME_MAX = 64
};

static int caught[NAMED + REAL_TIME_MAX];
static size_t n_caught;
static struct sigaction before[NAMED + REAL_TIME_MAX]; /* of the caught signals */
static struct sigaction before_ignored[IGNORED];
static int pipe_fd[2] = {-1, -1};
static volatile sig_atomic_t is_written; /* the pipe may have a byte */
static volatile sig_atomic_t is_child;   /* SIGCHLD came */
static void (*last_act)(void);

/* A full pipe loses nothing that matters: thousands of signals are still to be read. */
static void on_signal(int sig)
{
    int saved = errno;
    unsigned char byte = (unsigned char)sig;
    ssize_t n = write(pipe_fd[1], &byte, 1);
    (void)n;
    is_written = 1;
    is_child |= sig == SIGCHLD;
    errno = saved;
}

/*
 * Catches a signal, unless our parent ignores it (nohup, background jobs): then it stays ignored. It is
 * blocked here, so that one that comes meanwhile is discarded when it is ignored again.
 */
static void catch_one(int sig, struct sigaction *old)
{
    struct sigaction act;

    memset(&act, 0, sizeof act);
    act.sa_handler = on_signal;
    act.sa_flags = SA_RESTART;
    sigfillset(&act.sa_mask);
    sigaction(sig, &act, old);
    if (old->sa_handler != SIG_IGN || sig == SIGCHLD || sig == SIGCONT)
        return;
    sigaction(sig, old, NULL);
}

static void list_caught(int with_real_time)
{
    for (n_caught = 0; n_caught < NAMED; n_caught++)
        caught[n_caught] = named[n_caught];
#ifdef SIGRTMIN
    for (int sig = SIGRTMIN; with_real_time && sig <= SIGRTMAX && n_caught < NAMED + REAL_TIME_MAX; sig++)
        caught[n_caught++] = sig;
#else
    (void)with_real_time;
#endif
}

int rdl_cli_signals_open(int *wake_fd, int with_real_time)
{
    struct sigaction ignore;
    sigset_t all, none;

    if (rdl_cli_process_pipe(pipe_fd, O_NONBLOCK) != 0)
        return rdl_cli_fail(RDL_EXIT_OS, "cannot create a pipe: %s", strerror(errno));
    list_caught(with_real_time);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (size_t i = 0; i < n_caught; i++)
        catch_one(caught[i], &before[i]);
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    for (int i = 0; i < IGNORED; i++)
        sigaction(ignored[i], &ignore, &before_ignored[i]);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    *wake_fd = pipe_fd[0];
    return 0;
}

int rdl_cli_signals_fd(void)
{
    return pipe_fd[0];
}

int rdl_cli_signals_next(void)
{
    unsigned char byte;

    if (!is_written)
        return 0;
    is_written = 0; /* before the read: a signal that comes after it sets this again */
    if (read(pipe_fd[0], &byte, 1) != 1)
        return 0;
    is_written = 1;
    return byte;
}

int rdl_cli_signals_is_child(void)
{
    if (!is_child)
        return 0;
    is_child = 0; /* before the caller reaps: a child that ends later sets this again */
    return 1;
}

static void set_default(int sig)
{
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_handler = SIG_DFL;
    sigaction(sig, &act, NULL);
}

void rdl_cli_signals_restore(void)
{
    for (size_t i = 0; i < n_caught; i++)
        if (caught[i] != SIGCHLD)
            sigaction(caught[i], &before[i], NULL);
    for (int i = 0; i < IGNORED; i++)
        if (ignored[i] != SIGPIPE)
            sigaction(ignored[i], &before_ignored[i], NULL);
    set_default(SIGPIPE);
    set_default(SIGCHLD);
}

void rdl_cli_signals_last_act(void (*act)(void))
{
    last_act = act;
}

void rdl_cli_signals_die(int sig)
{
    if (last_act != NULL)
        last_act();
    rdl_cli_last_words();
    set_default(sig);
    raise(sig);
    _exit(128 + sig);
}

int rdl_cli_signals_ends(int sig)
{
#ifdef SIGWINCH
    if (sig == SIGWINCH)
        return 0;
#endif
    return sig != SIGCHLD && sig != SIGCONT && sig != SIGTSTP;
}

int rdl_cli_signals_next_end(void)
{
    int sig = rdl_cli_signals_next();

    while (sig != 0 && (!rdl_cli_signals_ends(sig) || sig == SIGUSR1 || sig == SIGUSR2))
        sig = rdl_cli_signals_next();
    return sig;
}

void rdl_cli_signals_obey(void)
{
    for (int sig = rdl_cli_signals_next(); sig != 0; sig = rdl_cli_signals_next())
        if (rdl_cli_signals_ends(sig))
            rdl_cli_signals_die(sig);
}
