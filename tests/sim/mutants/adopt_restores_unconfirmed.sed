# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R8: an adopted key is not restored before it is confirmed
s/r->result == RDL_OK \|\| r->result == RDL_REPAIRED/r->result >= 0/
