# SPDX-License-Identifier: MIT
# redlock/redlock.c: a majority behind the validity is expired
/^static int judge_acquire/,/^}/s/now_ms >= validity_end\(r\)/now_ms == 0/
