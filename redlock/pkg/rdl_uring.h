/* SPDX-License-Identifier: MIT */
/* rdl_uring.h - the public header of the driver over io_uring: `make amalgam` writes it as one file. */
#include "net/net_uring.h"
