# SPDX-License-Identifier: MIT
# redlock/redlock_fenced.c: R31: a server with a smaller counter does not hold the fencing token
s/\(uint64_t\)s->value >= r->number;/1;/
