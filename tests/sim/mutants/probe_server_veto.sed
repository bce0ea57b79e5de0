# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R30: after a refusal by the probe server all get a SET
s/result == RDL_BUSY && !r->by_probe_server/result == RDL_BUSY/
