# SPDX-License-Identifier: MIT
# resp/resp_script.c: R31: a lost counter starts again at the floor
s/tonumber\(ARGV\[3\]\)/0/
