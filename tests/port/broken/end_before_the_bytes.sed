# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 10: an error when sending ends it before what came is read
s/^    \(void\)receive\(c, MSG_DONTWAIT\);$/    (void)0;/
