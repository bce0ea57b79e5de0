# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: R28: a canary that was created a little after the check is the expected one
s/> \(unsigned\)is_made/> 0/
