# SPDX-License-Identifier: MIT
# redlock/redlock.c: an extension needs a majority
/gone > spare/,/^}/s/>= rdl_redlock_quorum\(r\)\) \{/>= (rdl_redlock_quorum(r) + 1) \/ 2) {/
