# SPDX-License-Identifier: MIT
# redlock/redlock_count.c: a majority is N/2 + 1
s/return r->n \/ 2u \+ 1u;/return (r->n + 1u) \/ 2u;/
