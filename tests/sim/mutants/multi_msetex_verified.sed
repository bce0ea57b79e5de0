# SPDX-License-Identifier: MIT
# lock/lock_multi.c: R5: several locks are acquired only by setting them, not by a key that lives for long
s/r->is_long = 0;/;/
