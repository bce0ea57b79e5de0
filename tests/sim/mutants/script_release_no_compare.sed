# SPDX-License-Identifier: MIT
# resp/resp_script.c: R4: release compares the token
s/if v==ARGV\[1\]then return redis/if v then return redis/
