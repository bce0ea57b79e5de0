# SPDX-License-Identifier: MIT
# redlock/redlock_count.c: one grant is no majority
s/return r->n \/ 2u \+ 1u;/return r->n > 4 ? 2u : 1u;/
