# SPDX-License-Identifier: MIT
# redlock/redlock_fence.c: the number is ours when a majority holds it
s/n >= rdl_redlock_quorum\(r\)/n < 99/
