# SPDX-License-Identifier: MIT
# resp/resp_script.c: every holder has a greater number
s/math.max\(c\+1,/math.max(c,/
