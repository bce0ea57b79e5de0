# SPDX-License-Identifier: MIT
# lock/lock_hint.c: R32: a lost hint delays a waiter by at most the cap
s/most_ms = RDL_HINT_CAP_MS/most_ms = UINT32_MAX/
