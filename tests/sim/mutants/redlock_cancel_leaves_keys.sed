# SPDX-License-Identifier: MIT
# redlock/redlock.c: R9: cancel releases everywhere
/^void rdl_redlock_cancel/,/^}/s/^    drop\(r\);/    r->until_ms = 0;/
