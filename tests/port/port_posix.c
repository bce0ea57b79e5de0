/* SPDX-License-Identifier: MIT */
/* port_posix.c - the driver for sockets, for check-port. */
#include "tests/port/port.h"

void port_driver(struct rdl_platform *platform)
{
    static struct rdl_posix posix;

    rdl_posix_init(&posix, platform);
}
