# SPDX-License-Identifier: MIT
# lock/lock_scripts.c: R31: a lost counter starts again at the floor
s/tonumber\(ARGV\[3\]\)/0/
