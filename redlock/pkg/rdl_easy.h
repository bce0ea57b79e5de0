/* SPDX-License-Identifier: MIT */
/* rdl_easy.h - the public headers of easy.h and host names, as one: `make amalgam` writes it as one file. */
#include "net/net_posix_resolve.h"
#include "redlock/easy.h"
#include "redlock/easy_sentinel.h"
#include "redlock/easy_thread.h"
