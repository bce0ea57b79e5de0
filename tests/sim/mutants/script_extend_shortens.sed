# SPDX-License-Identifier: MIT
# lock/lock_scripts.c: R3: the script never shortens
1,/a release that wakes/s/<tonumber\(ARGV\[2\]\)then/<999999999then/
