/* SPDX-License-Identifier: MIT */
/* rdl.h - what a lock on one server needs: `make amalgam` writes it out. */
#include "resp/resp.h"
#include "net/net.h"
#include "lock/lock.h"
