# SPDX-License-Identifier: MIT
# lock/lock_scripts.c: R4: extend compares the token
1,/a release that wakes/s/if v~=ARGV\[1\]then return v and 0 or-1 end /if not v then return-1 end /
