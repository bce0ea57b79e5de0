# SPDX-License-Identifier: MIT
# lock/lock.c: R14: a retried release may have been done the first time
s/^    l->req\.is_again = l->until_ms == 0;/    l->req.is_again = 0;/
