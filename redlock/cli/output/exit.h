/* SPDX-License-Identifier: MIT */
/* exit.h - the exit statuses. */
#ifndef RDL_CLI_OUTPUT_EXIT_H
#define RDL_CLI_OUTPUT_EXIT_H

/* Exit statuses of redlock itself, after sysexits.h; any other is the command's. */
enum {
    RDL_EXIT_CONFLICT = 1,     /* another client holds the lock */
    RDL_EXIT_USAGE = 64,       /* bad command line */
    RDL_EXIT_DATA = 65,        /* bad URL, lock name or token */
    RDL_EXIT_NOINPUT = 66,     /* cannot read the password or the token */
    RDL_EXIT_NOHOST = 68,      /* names of a majority do not resolve, or one leads to several servers */
    RDL_EXIT_UNAVAILABLE = 69, /* no majority of the servers replied */
    RDL_EXIT_OS = 71,          /* fork, pipe, memory or random numbers failed */
    RDL_EXIT_CANTCREAT = 73,   /* the token could not be written: the lock was released, or not requested */
    RDL_EXIT_LOST = 75,        /* the lock was lost: the command was stopped, or ended too late */
    RDL_EXIT_PROTOCOL = 76,    /* no majority, and a server does not speak the Redis protocol */
    RDL_EXIT_NOPERM = 77,      /* no majority, and a server refused the login or a permission */
    RDL_EXIT_CONFIG = 78,      /* a server that cannot hold locks, or is listed twice */
    RDL_EXIT_MAX_HOLD = 124,   /* --max-hold was reached and the command was stopped; as in timeout(1) */
    RDL_EXIT_CANNOT_RUN = 126,
    RDL_EXIT_NOT_FOUND = 127
};

#endif
