# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: a majority by what was put back is not held
s/if \(r->opt->accept_gap\)/if (1)/
