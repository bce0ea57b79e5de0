# SPDX-License-Identifier: MIT
# resp/resp_script.c: R31: every holder gets a greater fencing token
s/math.max\(c\+1,/math.max(c,/
