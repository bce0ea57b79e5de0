# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: after a refusal by the pilot all are asked
s/result == RDL_BUSY && !r->by_pilot/result == RDL_BUSY/
