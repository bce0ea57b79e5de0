# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R17: while a majority replies, a stalled minority keeps its connection
/^static int extended/,/^}/s/r->abort_below_ms = 0;//
