# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R29: a server that connects a little late gets its request
s/^        rdl_votes_ask\(r, now_ms\);/        ;/
