# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: R28: if the vote's request is sent again, the canary is checked again
s/if \(c->is_early && s->req\.was_reordered\)/if (0)/
