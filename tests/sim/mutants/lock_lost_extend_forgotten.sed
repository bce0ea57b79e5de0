# SPDX-License-Identifier: MIT
# lock/lock.c: R9: an extend without a reply may have kept the key: it is released before the next acquire
s,l->until_ms != 0 \|\| is_unreleased\(l\)\) .*,is_unreleased(l)),
