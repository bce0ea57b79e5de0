# SPDX-License-Identifier: MIT
# lock/lock_scripts.c: R31: an extend ensures that the counter holds the fencing token
/char extend_fenced_text/,/return 1/s/redis\.call\('SET',KEYS\[2\],ARGV\[3\]\)end/end/
