/* SPDX-License-Identifier: MIT */
/* rdl.h - the public headers as one: `make amalgam` writes it as one file. */
#include "resp/resp.h"
#include "net/net.h"
#include "lock/lock_results.h"
#include "lock/lock.h"
#include "redlock/redlock_results.h"
#include "redlock/redlock.h"
