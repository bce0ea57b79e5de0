# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R31: a server that grants late is raised, too
s/if \(r->number != 0\)$/if (0)/
