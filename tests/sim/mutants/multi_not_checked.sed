# SPDX-License-Identifier: MIT
# lock/lock_scripts.c: R5: several locks are acquired only if all are free
s/if v and v~=ARGV\[1\]then return\{0/if i==1 and v and v~=ARGV[1]then return{0/
