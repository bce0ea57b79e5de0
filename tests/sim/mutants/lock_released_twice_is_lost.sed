# SPDX-License-Identifier: MIT
# lock/lock.c: R14: a retried release may have been done the first time
s/^    l->req\.may_be_second = l->until_ms == 0;/    l->req.may_be_second = 0;/
