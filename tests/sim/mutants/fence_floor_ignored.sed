# SPDX-License-Identifier: MIT
# resp/resp_script.c: a lost counter starts again at the floor
s/tonumber\(ARGV\[3\]\)/0/
