# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: a hold has an end
s/opt->max_hold_ms != 0 &&/0 \&\&/
