/* SPDX-License-Identifier: MIT */
/* tcp.h - ESP-IDF declares all of it with the sockets. */
#include <sys/socket.h>
