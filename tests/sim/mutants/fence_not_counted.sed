# SPDX-License-Identifier: MIT
# lock/lock_scripts.c: R31: every holder gets a greater fencing token
s/math.max\(c\+1,/math.max(c,/
