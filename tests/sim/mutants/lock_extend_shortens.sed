# SPDX-License-Identifier: MIT
# lock/lock.c: an extension never shortens
/^static int px_extended/,/^}/s/validity_end\(l\) > l->until_ms/validity_end(l) > 0/
