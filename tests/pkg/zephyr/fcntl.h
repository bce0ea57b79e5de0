/* SPDX-License-Identifier: MIT */
/* fcntl.h - Zephyr's: there is no exec, and no flag for it. */
#pragma once

#define O_RDONLY   0
#define O_NONBLOCK 0x4000
#define F_GETFL    3
#define F_SETFL    4

int open(const char *name, int flags, ...);
int fcntl(int fd, int command, ...);
