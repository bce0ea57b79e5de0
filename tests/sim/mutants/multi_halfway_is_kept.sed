# SPDX-License-Identifier: MIT
# lock/lock_multi.c: R5: what a script has set before it failed is released
s/if \(is_halfway\(l\)\)/if (0 \&\& is_halfway(l))/
