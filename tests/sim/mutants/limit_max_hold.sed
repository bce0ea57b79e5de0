# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R34: max_hold_ms limits a hold
s/opt->max_hold_ms != 0 &&/0 \&\&/
