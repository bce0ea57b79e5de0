# SPDX-License-Identifier: MIT
# lock/lock_fenced.c: R31: the extend of an adopted lease keeps the counter
s/\(number == 0 && l->opt->fence_expiry_ms == 0\)/number == 0/
