# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: who finds no canary waits from now
s/^    c->since_ms = \(int64_t\)now_ms;/    c->since_ms = INT64_MIN \/ 2;/
