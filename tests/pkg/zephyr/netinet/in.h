/* SPDX-License-Identifier: MIT */
/* in.h - Zephyr declares all of it with the sockets. */
#include <sys/socket.h>
