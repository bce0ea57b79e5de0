# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: what was made a little after the look is what was asked for
s/> \(unsigned\)is_made/> 0/
