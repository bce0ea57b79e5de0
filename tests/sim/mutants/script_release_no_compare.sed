# SPDX-License-Identifier: MIT
# lock/lock_scripts.c: R4: release compares the token
s/if v==ARGV\[1\]then return redis/if v then return redis/
