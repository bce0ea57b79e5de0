# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: R28: a resent script checks the canary again; either of two rules is enough
s/if \(vote == &rdl_op_acquire \|\| vote == &rdl_op_extend\)/(void)vote;/
s/if \(c->is_early && s->req\.is_repeated\)/if (0)/
