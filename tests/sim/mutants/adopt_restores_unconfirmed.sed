# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: what is adopted is not put back before it is confirmed
s/r->result == RDL_OK \|\| r->result == RDL_REPAIRED/r->result >= 0/
