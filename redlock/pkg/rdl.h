/* SPDX-License-Identifier: MIT */
/* rdl.h - the four public headers as one: `make amalgam` writes it as one file. */
#include "resp/resp.h"
#include "net/net.h"
#include "lock/lock.h"
#include "redlock/redlock.h"
