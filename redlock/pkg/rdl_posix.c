/* SPDX-License-Identifier: MIT */
/*
 * rdl_posix.c - the sources of sockets, clock and random numbers of a POSIX system. The Makefile reads this
 * list; `make amalgam` writes it as one file.
 */
#include "net/net_posix_process.c"
#include "net/net_posix.c"
#include "net/net_posix_poll.c"
#include "net/net_posix_clock.c"
#include "lock/lock_posix.c"
