/* SPDX-License-Identifier: MIT */
/* in.h - ESP-IDF declares all of it with the sockets. */
#include <sys/socket.h>
