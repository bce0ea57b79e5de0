# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R17: while a majority replies, a stalled minority keeps its connection
/^static void extend_lease/,/^}/s/r->abort_below_ms = 0;//
