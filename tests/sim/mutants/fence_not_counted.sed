# SPDX-License-Identifier: MIT
# resp/resp_script.c: every holder gets a greater fencing token
s/math.max\(c\+1,/math.max(c,/
