# SPDX-License-Identifier: MIT
# net/net_op_canary.c: a canary is as old as its key, however long it was under way
s/if \(r->op == &make_by_clock\)/if (1)/
