# SPDX-License-Identifier: MIT
# redlock/redlock.c: cancel releases everywhere
/^void rdl_redlock_cancel/,/^}/s/^    rdl_votes_release.*/    r->until_ms = 0;/
