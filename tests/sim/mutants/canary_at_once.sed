# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: R28: a client that finds no canary waits from now on
s/^    c->since_ms = \(int64_t\)now_ms;/    c->since_ms = INT64_MIN \/ 2;/
