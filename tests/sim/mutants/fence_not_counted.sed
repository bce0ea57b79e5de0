# SPDX-License-Identifier: MIT
# resp/resp_cmd.c: every holder has a greater number
s/math.max\(c\+1,/math.max(c,/
