/* SPDX-License-Identifier: MIT */
/* net_posix_process.h - what belongs to the process: whether it is a forked child, and descriptors. */
#ifndef RDL_NET_POSIX_PROCESS_H
#define RDL_NET_POSIX_PROCESS_H

#include <stdint.h>

/*
 * Returns the mark of this process: no process that it descends from has the same. 0: the system has no fork.
 * Costs a system call only if the system cannot mark memory that is empty in a child.
 */
uint32_t rdl_posix_process(void);

/*
 * Moves a new descriptor away from 0, 1 and 2: a program that was started with closed standard output would
 * print to the server. Returns fd, or its copy, which is closed on exec. -1: see errno; fd is closed then.
 * Costs no system call if fd is above 2.
 */
int rdl_posix_off_stdio(int fd);

/* Opens a stream socket that does not block, is closed on exec, and is above 2. Returns it; -1: see errno. */
int rdl_posix_socket(int family);

/* Opens a pipe whose ends are closed on exec and are above 2. Returns 0; -1: no descriptor is left. */
int rdl_posix_pipe(int fd[2]);

#endif
