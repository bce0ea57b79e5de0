# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R24: a majority of the configured servers
s/^#include "redlock\/redlock_private.h"$/&\n#define rdl_redlock_quorum(r) (rdl_votes_count_conns(r, RDL_CONN_READY) \/ 2u + 1u)/
