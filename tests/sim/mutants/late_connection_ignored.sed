# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: who connects a little late is asked
s/^        rdl_votes_ask\(r, now_ms\);/        ;/
