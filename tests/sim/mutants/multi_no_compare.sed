# SPDX-License-Identifier: MIT
# resp/resp_multi.c: of several locks only those that are ours are released
s/if v==ARGV\[1\]then redis/if v then redis/
