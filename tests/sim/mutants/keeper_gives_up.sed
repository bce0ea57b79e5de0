# SPDX-License-Identifier: MIT
# redlock/keeper.c: a failed renewal is tried again soon
s/k->ttl_ms \/ 20 \+ 1/k->ttl_ms/
