/* SPDX-License-Identifier: MIT */
/* process.h - signals, and the processes that redlock starts for itself. */
#ifndef RDL_CLI_PROCESS_PROCESS_H
#define RDL_CLI_PROCESS_PROCESS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Catches the signals that redlock forwards; *wake_fd is readable while there is one. with_real_time: also
 * the 31 of real time, which would otherwise end the process. Returns 0, or RDL_EXIT_OS after it printed the
 * reason.
 */
int rdl_cli_signals_open(int *wake_fd, int with_real_time);

/* Returns the descriptor that is readable while there is a signal. */
int rdl_cli_signals_fd(void);

/* Returns the next caught signal, or 0. */
int rdl_cli_signals_next(void);

/* Returns 1 once after each SIGCHLD: a child ended, stopped or continued. */
int rdl_cli_signals_is_child(void);

/* Restores, in the child before exec, the signals as they were at our start; SIGPIPE and SIGCHLD: default. */
void rdl_cli_signals_restore(void);

/* Sets what rdl_cli_signals_die does first; NULL: nothing. */
void rdl_cli_signals_last_act(void (*act)(void));

/* Ends the process by the signal, as if it had not been caught. */
void rdl_cli_signals_die(int sig);

/* Returns 1 if the default action of a caught signal ends the process. */
int rdl_cli_signals_ends(int sig);

/* Returns the next caught signal that ends acquire and hold, or 0. SIGUSR1 and SIGUSR2 are for a command. */
int rdl_cli_signals_next_end(void);

/* Ends the process by a caught signal. A signal that would only stop it is ignored: these verbs are short. */
void rdl_cli_signals_obey(void);

/*
 * Forks a helper process, with all signals blocked: it still has our handlers and the pipe that they write
 * to. Call rdl_cli_process_ends_with or rdl_cli_process_lead in it first. Output that we have not written yet
 * is not the helper's.
 */
pid_t rdl_cli_process_fork(void);

/* Returns 1 if pid is one of the last 256 helpers, or the id of a session that one of them leads. */
int rdl_cli_process_is_helper(pid_t pid);

/* Gives the helper a session of its own, and the name that ps shows (on Linux). Call it in the helper. */
void rdl_cli_process_lead(const char *name);

/* Does the same; the helper also resets our handlers and signals, and dies with its parent. */
void rdl_cli_process_ends_with(pid_t parent, const char *name);

/* Makes the helper run before all ordinary processes, if the user may request that (on Linux). */
void rdl_cli_process_goes_first(void);

/*
 * Open a descriptor of any process, and signal the process by it. It stays valid if the pid is used again.
 * Systems without such descriptors: -1 and ENOSYS; with fd -1, the pid is used. On errors both return -1 with
 * errno.
 */
int rdl_cli_process_open(pid_t pid);
int rdl_cli_process_signal(int fd, pid_t pid, int sig);

/*
 * Makes a pipe whose ends are close-on-exec, and non-blocking if flags is O_NONBLOCK and not 0. Returns 0, or
 * -1 with errno.
 */
int rdl_cli_process_pipe(int fd[2], int flags);

/* Closes in the helper all descriptors but this one, so that it keeps no pipe or terminal open. */
void rdl_cli_process_holds_only(int fd);

/* Does the same, but keeps standard input, output and error. */
void rdl_cli_process_holds_stdio(void);

/*
 * Opens a timer, close-on-exec, that also counts the time that the host sleeps (on Linux): poll(2) does not.
 * Returns -1 if the system has none.
 */
int rdl_cli_timer_open(void);

/* Makes the timer readable at this time of rdl_posix_now_ms, and not before. Returns 0 or -1. */
int rdl_cli_timer_set(int fd, uint64_t at_ms);

/* Reaps the process if it has ended, and sets *pid to 0; does nothing if that is 0. */
void rdl_cli_process_reap(pid_t *pid);

/* Sends SIGKILL to it and its group. It may take time to end. */
void rdl_cli_process_kill(pid_t *pid);

/* Does the same, and waits for 100 ms: a frozen process does not end. */
void rdl_cli_process_end(pid_t *pid);
void rdl_cli_process_pause_1_ms(void);

#endif
