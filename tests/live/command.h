/* SPDX-License-Identifier: MIT */
/*
 * command.h - the command `redlock` ($RDL_COMMAND) as tests run it: arguments and environment in, what it
 * wrote and how it ended out. It dies with the test. What cannot be done fails the test.
 */
#ifndef RDL_TESTS_COMMAND_H
#define RDL_TESTS_COMMAND_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct live_server;

enum { COMMAND_ARGS = 48, COMMAND_TEXT = 16384, COMMAND_NOTE_FD = 9 };

/* Zero-initialise, command_add..., command_start, command_end. */
struct command {
    const char *args[COMMAND_ARGS]; /* behind the program's name; borrowed */
    const char *env[8];             /* "NAME=value", on top of our own; borrowed */
    int is_started_badly; /* by somebody who ignores SIGHUP and SIGPIPE and blocks SIGUSR1 and SIGTERM */
    uid_t uid;            /* run as this user; 0: as ourselves */
    pid_t pid;
    int note_fd; /* here one reads what the process writes to descriptor COMMAND_NOTE_FD */
    int err_fd, out_fd;
    int status;             /* as the shell has it: the exit status, or 128 + the signal's number */
    char out[COMMAND_TEXT]; /* standard output and error, after command_end */
    char err[COMMAND_TEXT];
};

void command_add(struct command *c, const char *arg);
void command_add_all(struct command *c, const char *const args[]); /* NULL-terminated */
/* -u URL for each of the servers, with the password if they have one. */
void command_add_servers(struct command *c, const struct live_server *s, size_t n);
void command_setenv(struct command *c, const char *entry);

/* redlock run OPTIONS... SERVERS... LOCK -c SCRIPT */
void command_set(struct command *c, const char *const options[], const struct live_server *s, size_t n,
                 const char *lock, const char *script);

void command_start(struct command *c);
/* Wait for its end; returns c->status. */
int command_end(struct command *c);
int command_run(struct command *c);

/* The next line the process wrote to COMMAND_NOTE_FD, without its end; fails the test if there is none. */
const char *command_note(struct command *c);
/* Nothing has been written there, up to now. */
int command_is_silent(struct command *c);
/* The last of all lines it wrote, when nobody has that descriptor any more; NULL: none. */
const char *command_last_note(struct command *c);
/* The last line when this process is gone and all is read (a stopped command keeps the descriptor open). */
const char *command_last_note_of(struct command *c, pid_t pid);
/* What the command has written to standard error so far. */
const char *command_err_so_far(struct command *c);
/* Until what it wrote to standard error contains text. */
void command_await_err(struct command *c, const char *text);
/* Until the process is gone, whoever its parent is. */
void command_await_gone(pid_t pid);

#endif
