# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: R28: a key that is no canary and cannot be replaced is an error, not a quarantine
s/is_other_type \|\| \(/0 \&\& (/
