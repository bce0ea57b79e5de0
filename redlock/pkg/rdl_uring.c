/* SPDX-License-Identifier: MIT */
/*
 * rdl_uring.c - the driver over io_uring, for Linux. The Makefile reads this list; `make amalgam` writes it
 * as one file. It needs rdl.c and rdl_posix.c.
 */
#include "net/net_uring.c"
