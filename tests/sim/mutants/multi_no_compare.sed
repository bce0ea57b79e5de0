# SPDX-License-Identifier: MIT
# lock/lock_scripts.c: R4: of several locks only the client's own are released
s/if v==ARGV\[1\]then redis/if v then redis/
