# SPDX-License-Identifier: MIT
# lock/lock.c: R2: a lost lease ends at once
/static int lease_lost/,/^}/s/l->until_ms = 0;/;/
