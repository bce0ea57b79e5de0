# SPDX-License-Identifier: MIT
# lock/lock_scripts.c: R31: a client that raises a counter late lowers nothing
/char extend_fenced_text/,/return 1/{
s/if v~=ARGV\[1\]then return v and 0 or-1 end /if v==1 then return 0 end /
s/<tonumber\(ARGV\[3\]\)then/<999999999999999 then/
}
