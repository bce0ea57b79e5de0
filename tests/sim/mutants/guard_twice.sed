# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R27: a server has one vote, even behind two addresses
s/if \(is_duplicate\(r, s, f->run\)\)/if (0)/
