# SPDX-License-Identifier: MIT
# redlock/redlock.c: an acquire sends first the release that failed
s/^    \(void\)release_again\(r\);/    ;/
