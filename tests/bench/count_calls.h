/* SPDX-License-Identifier: MIT */
/* count_calls.h - counts system calls by the linker's --wrap, which does not change their number. */
#ifndef RDL_TESTS_COUNT_CALLS_H
#define RDL_TESTS_COUNT_CALLS_H

/* send, recv, poll, getrandom, getpid, syscall */
extern unsigned long calls_made;

#endif
