# SPDX-License-Identifier: MIT
# redlock/redlock_fenced.c: who holds less is no holder
s/\(uint64_t\)s->value >= r->number;/1;/
