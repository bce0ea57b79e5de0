# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: a script that is sent twice is looked behind twice; of two rules either is enough
s/if \(vote == &rdl_op_acquire \|\| vote == &rdl_op_extend\)/(void)vote;/
s/if \(c->is_early && s->req\.is_repeated\)/if (0)/
