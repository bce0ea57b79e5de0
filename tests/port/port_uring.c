/* SPDX-License-Identifier: MIT */
/*
 * port_uring.c - the driver over io_uring, for check-port. Where io_uring is refused, it reports that and
 * uses the driver for sockets, as a program does.
 */
#include "net/net_uring.h"
#include "tests/port/port.h"

#include <stdio.h>

void port_driver(struct rdl_platform *platform)
{
    static struct rdl_uring uring;
    static struct rdl_posix posix;
    const char *why;

    if (rdl_uring_init(&uring, platform, &why) == RDL_OK)
        return;
    printf("NOT CHECKED: %s. The driver for sockets takes its place\n", why);
    rdl_posix_init(&posix, platform);
}
