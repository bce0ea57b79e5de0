/* SPDX-License-Identifier: MIT */
/* unistd.h - Zephyr's; getpid is missing in older versions. */
#pragma once

#include <sys/types.h>

int close(int fd);
ssize_t read(int fd, void *bytes, size_t len);
ssize_t write(int fd, const void *bytes, size_t len);
