# SPDX-License-Identifier: MIT
# lock/lock.c: an extension answered after the deadline is lost
/^static int px_extended/,/^}/s/now_ms >= l->until_ms/now_ms == 0/
