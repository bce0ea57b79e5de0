/* SPDX-License-Identifier: MIT */
/* calls.h - which system calls a piece of code makes, seen from outside. */
#ifndef RDL_TESTS_CALLS_H
#define RDL_TESTS_CALLS_H

/*
 * What `scenario` calls in a process of its own, as letters, up to its last mark: s send (S: with MSG_MORE),
 * r recv, p poll, g getrandom, | a mark, ? anything else. Left out are the clock, which is no system call
 * where the kernel maps it in, and ppoll, by which a scenario may wait for something. Valid until the next.
 * No ck_assert in a scenario, it writes to a pipe: _exit(1) fails the test.
 */
const char *calls_of(void (*scenario)(void));
void calls_mark(void);

extern int calls_longest_ms; /* the longest timeout given to poll, 0 for none */
extern int calls_is_endless; /* poll was also given -1 */

#endif
