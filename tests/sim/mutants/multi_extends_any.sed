# SPDX-License-Identifier: MIT
# lock/lock_scripts.c: R5: one lost lock of several loses all
s/if v~=ARGV\[1\]then return v and 0 or-1 end end /if i==1 and v~=ARGV[1]then return v and 0 or-1 end end /
