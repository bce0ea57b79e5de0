# SPDX-License-Identifier: MIT
# redlock/redlock.c: R23: of two copies the first that is used has the servers
s/^    r->user = \(uint16_t\)\(r->user \+ \(r->seed \| 1\)\);/    ;/
