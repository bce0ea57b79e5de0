# SPDX-License-Identifier: MIT
# net/net_ladder.c: a release nobody waits for goes a way that is sure
s/if \(r->op->is_owed == OWED_ALWAYS && r->req == NULL && !is_proven .*/if (is_proven > 1)/
