# SPDX-License-Identifier: MIT
# lock/lock_multi.c: what a script has set that then failed stays for its ttl
s/if \(is_halfway\(l\)\)/if (0 \&\& is_halfway(l))/
