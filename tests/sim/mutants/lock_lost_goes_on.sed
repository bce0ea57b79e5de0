# SPDX-License-Identifier: MIT
# lock/lock.c: a lost lease is over at once
/^static int plain_lost/,/^}/s/l->until_ms = 0;/;/
