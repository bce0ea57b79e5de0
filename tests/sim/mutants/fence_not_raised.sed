# SPDX-License-Identifier: MIT
# redlock/redlock_fenced.c: R31: a fencing token counts once a majority holds it
s/n >= rdl_redlock_quorum\(r\)/n < 99/
