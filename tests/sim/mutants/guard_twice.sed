# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: a server has one vote, whatever it is called
s/if \(is_duplicate\(r, s, f->run\)\)/if (0)/
