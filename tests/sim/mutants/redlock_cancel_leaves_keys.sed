# SPDX-License-Identifier: MIT
# redlock/redlock.c: R9: cancel releases everywhere
/^void rdl_redlock_cancel/,/^}/s/^    rdl_votes_release\(r, 0, r->sent_ms\);/    r->until_ms = 0;/
