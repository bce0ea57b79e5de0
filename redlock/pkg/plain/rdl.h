/* SPDX-License-Identifier: MIT */
/* rdl.h - the headers of a lock on one server: `make amalgam` writes it as one file. */
#include "resp/resp_results.h"
#include "resp/resp.h"
#include "net/net.h"
#include "net/net_credentials.h"
#include "net/net_stream.h"
#include "lock/lock_results.h"
#include "lock/lock_limits.h"
#include "lock/lock_state.h"
#include "lock/lock.h"
#include "lock/lock_io.h"
