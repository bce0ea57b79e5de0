/* SPDX-License-Identifier: MIT */
/* tcp.h - Zephyr declares all of it with the sockets. */
#include <sys/socket.h>
